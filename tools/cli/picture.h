/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A picture of a GPU's slices and their owners. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "pool.h"

/* Room for a slice in the picture */
#define PICTURE_CELL 32

/* The letter of a vGPU in the pool's pictures: A to Z, a to z, then '#'; '~' if the host
 * takes its slices away on demand. */
char picture_letter(const struct pool *pool, const struct pool_vgpu *vgpu);

/* What stands for a slice: its owner's letter or a sign for its state, and the number of
 * members if it is shared. Returns @buf of PICTURE_CELL bytes. */
const char *picture_cell(char *buf, const struct pool *pool, const struct pool_gpu *gpu,
			 const struct pool_slice *slice);

/* Print a line for each kind of slice that a GPU has. */
void picture_print(const struct pool *pool, const struct pool_gpu *gpu);

/* The same below a line about the GPU itself. */
void picture_gpu(const struct pool *pool, const struct pool_gpu *gpu);

/* Print what the signs mean. */
void picture_legend(void);

#endif
