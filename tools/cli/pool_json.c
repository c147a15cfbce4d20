// SPDX-License-Identifier: GPL-2.0-or-later
#include <json-c/json.h>
#include <stdio.h>

#include "pool_json.h"

struct json_object *pool_text_json(const char *text)
{
	return *text ? json_object_new_string(text) : NULL;
}

static struct json_object *engines_json(struct num engines)
{
	struct json_object *list;
	unsigned int i;

	if (!engines.known)
		return NULL;
	list = json_object_new_array();
	for (i = 0; pool_engine_name(i); i++)
		if (engines.v >> i & 1)
			json_object_array_add(list, json_object_new_string(pool_engine_name(i)));
	return list;
}

struct json_object *pool_attr_json(const void *object, const struct pool_attr *attr)
{
	switch (attr->type) {
	case POOL_TYPE_NUM:
		return num_json(pool_attr_num(object, attr), 1);
	case POOL_TYPE_ENGINES:
		return engines_json(pool_attr_num(object, attr));
	case POOL_TYPE_TEXT:
	case POOL_TYPE_NAME:
		break;
	}
	return pool_text_json((const char *)object + attr->offset);
}

static void add_attrs(struct json_object *obj, const void *object, const struct pool_attr *attr,
		      enum pool_depth depth)
{
	for (; attr->name; attr++)
		if (attr->depth <= depth)
			json_object_object_add(obj, attr->name, pool_attr_json(object, attr));
}

static void add_gpu(struct json_object *obj, unsigned int index)
{
	char name[32];

	snprintf(name, sizeof(name), "gpu%u", index);
	json_object_object_add(obj, "gpu", json_object_new_string(name));
}

struct json_object *pool_slice_json(const struct pool_gpu *gpu, const struct pool_slice *slice,
				    enum pool_depth depth)
{
	struct json_object *obj = json_object_new_object();

	add_gpu(obj, gpu->index);
	json_object_object_add(obj, "slice", json_object_new_int64(slice->index));
	add_attrs(obj, slice, pool_slice_attrs, depth);
	return obj;
}

static struct json_object *vslice_json(const struct pool_vslice *vslice)
{
	struct json_object *obj = json_object_new_object();

	add_gpu(obj, vslice->gpu);
	json_object_object_add(obj, "vslice", json_object_new_int64(vslice->index));
	add_attrs(obj, vslice, pool_vslice_attrs, POOL_ALL);
	add_attrs(obj, vslice, pool_given_attrs, POOL_ALL);
	return obj;
}

static struct json_object *displays_json(const struct pool_vgpu *vgpu)
{
	struct json_object *list = json_object_new_array(), *obj;
	unsigned int i;

	for (i = 0; i < vgpu->display_count; i++) {
		obj = json_object_new_object();
		add_attrs(obj, &vgpu->displays[i], pool_head_attrs, POOL_ALL);
		json_object_array_add(list, obj);
	}
	return list;
}

struct json_object *pool_vgpu_json(const struct pool_gpu *gpu, const struct pool_vgpu *vgpu)
{
	struct json_object *obj = json_object_new_object(), *list = json_object_new_array();
	unsigned int i;

	json_object_object_add(obj, "vgpu", json_object_new_string(vgpu->name));
	add_gpu(obj, gpu->index);
	add_attrs(obj, vgpu, pool_vgpu_attrs, POOL_ALL);
	add_attrs(obj, vgpu, pool_mdev_attrs, POOL_ALL);
	add_attrs(obj, vgpu, pool_composition_attrs, POOL_ALL);
	add_attrs(obj, vgpu, pool_stats_attrs, POOL_ALL);
	add_attrs(obj, vgpu, pool_node_attrs, POOL_ALL);
	json_object_object_add(obj, "displays", displays_json(vgpu));
	for (i = 0; i < vgpu->vslice_count; i++)
		json_object_array_add(list, vslice_json(&vgpu->vslices[i]));
	json_object_object_add(obj, "vslices", list);
	return obj;
}

struct json_object *pool_gpu_json(const struct pool_gpu *gpu, enum pool_depth depth)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *slices = json_object_new_array(), *vgpus = json_object_new_array();
	unsigned int i;

	add_gpu(obj, gpu->index);
	add_attrs(obj, gpu, pool_gpu_attrs, depth);
	for (i = 0; i < gpu->slice_count; i++)
		json_object_array_add(slices, pool_slice_json(gpu, &gpu->slices[i], depth));
	for (i = 0; i < gpu->vgpu_count; i++)
		if (!gpu->vgpus[i].part)
			json_object_array_add(vgpus, pool_vgpu_json(gpu, &gpu->vgpus[i]));
	json_object_object_add(obj, "slices", slices);
	json_object_object_add(obj, "vgpus", vgpus);
	return obj;
}

struct json_object *pool_json(const struct pool *pool, enum pool_depth depth)
{
	struct json_object *obj = json_object_new_object(), *list = json_object_new_array();
	unsigned int i;

	for (i = 0; i < pool->gpu_count; i++)
		json_object_array_add(list, pool_gpu_json(&pool->gpus[i], depth));
	json_object_object_add(obj, "gpus", list);
	return obj;
}
