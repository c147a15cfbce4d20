/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a vGPU consists of, in words. */
#ifndef CLI_SHAPE_H
#define CLI_SHAPE_H

#include "pool.h"

struct json_object;

#define SHAPE_TEXT 512

/* "0 1 (0) (1)": the slices of its vslices, in brackets where it is withheld and works
 * in turns; "gpu0/3 gpu1/0" if they are of several GPUs; "-" for none. Returns @buf of SHAPE_TEXT
 * bytes. */
const char *shape_slices(char *buf, const struct pool_vgpu *vgpu);

/* "2 compute, 1 mixed": kinds of the slices that are given. Returns @buf of SHAPE_TEXT. */
const char *shape_kinds(char *buf, const struct pool_vgpu *vgpu);

/* "2", or "2 of 4 vslices" if some are withheld. Returns @buf of SHAPE_TEXT bytes. */
const char *shape_count(char *buf, const struct pool_vgpu *vgpu);

/* Add to an object: generation, blueprint, slices (numbers), kinds and gpus (of each), withheld. */
void shape_add_json(struct json_object *obj, const struct pool_vgpu *vgpu);

#endif
