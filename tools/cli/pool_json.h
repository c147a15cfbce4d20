/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pool as JSON: members have the names of the files. */
#ifndef CLI_POOL_JSON_H
#define CLI_POOL_JSON_H

#include "pool.h"

struct json_object;

/* New objects, NULL if memory ran out; @depth as it was read. */
struct json_object *pool_json(const struct pool *pool, enum pool_depth depth);
struct json_object *pool_gpu_json(const struct pool_gpu *gpu, enum pool_depth depth);
struct json_object *pool_slice_json(const struct pool_gpu *gpu, const struct pool_slice *slice,
				    enum pool_depth depth);
struct json_object *pool_vgpu_json(const struct pool_gpu *gpu, const struct pool_vgpu *vgpu);

/* Text, or null if it is empty. */
struct json_object *pool_text_json(const char *text);

/* A member of any object: null if it is unknown. */
struct json_object *pool_attr_json(const void *object, const struct pool_attr *attr);

#endif
