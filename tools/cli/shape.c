// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: shapes
 *
 * A vGPU's vslices are given a slice each, or withheld. A kernel that does not know the
 * difference, and a client without a composition (the host's own), have given ones only. Of a
 * vGPU with slices of several GPUs each slice is named with its GPU.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "pool_json.h"
#include "shape.h"

#define KINDS_MAX 8

static bool is_withheld(const struct pool_vslice *vslice)
{
	return num_is(vslice->given, 0);
}

static bool has_slice(const struct pool_vslice *vslice)
{
	return vslice->slice.known && vslice->slice.v >= 0;
}

const char *shape_slices(char *buf, const struct pool_vgpu *vgpu)
{
	bool spans = vgpu->own_count < vgpu->vslice_count;
	char text[NUM_TEXT], gpu[NUM_TEXT + 8] = "";
	unsigned int i;
	size_t len;

	snprintf(buf, SHAPE_TEXT, "%s", vgpu->vslice_count ? "" : "-");
	for (i = 0; i < vgpu->vslice_count; i++) {
		const struct pool_vslice *vslice = &vgpu->vslices[i];

		if (spans)
			snprintf(gpu, sizeof(gpu), "gpu%u/", vslice->gpu);
		num_text(text, has_slice(vslice) ? vslice->slice : NUM_UNKNOWN);
		len = strlen(buf);
		snprintf(buf + len, SHAPE_TEXT - len, is_withheld(vslice) ? "%s(%s%s)" : "%s%s%s",
			 i ? " " : "", gpu, text);
	}
	return buf;
}

/* Kind of the slice that is given for a vslice, NULL if none is */
static const char *kind_of(const struct pool_vslice *vslice)
{
	if (is_withheld(vslice) || !has_slice(vslice))
		return NULL;
	return vslice->on && vslice->on->kind[0] ? vslice->on->kind : "-";
}

struct kind_count {
	const char *kind;
	unsigned int count;
};

/* Returns how many kinds there are; more than KINDS_MAX are none of a kernel of ours */
static unsigned int count_kinds(const struct pool_vgpu *vgpu, struct kind_count *kinds)
{
	unsigned int i, j, n = 0;

	for (i = 0; i < vgpu->vslice_count; i++) {
		const char *kind = kind_of(&vgpu->vslices[i]);

		if (!kind)
			continue;
		for (j = 0; j < n && strcmp(kinds[j].kind, kind);)
			j++;
		if (j == KINDS_MAX)
			continue;
		if (j == n)
			kinds[n++] = (struct kind_count){ .kind = kind };
		kinds[j].count++;
	}
	return n;
}

const char *shape_kinds(char *buf, const struct pool_vgpu *vgpu)
{
	struct kind_count kinds[KINDS_MAX];
	unsigned int i, n = count_kinds(vgpu, kinds);
	size_t len = 0;

	snprintf(buf, SHAPE_TEXT, "-");
	for (i = 0; i < n; i++)
		len += (size_t)snprintf(buf + len, SHAPE_TEXT - len, "%s%u %s", i ? ", " : "",
					kinds[i].count, kinds[i].kind);
	return buf;
}

static unsigned int count_given(const struct pool_vgpu *vgpu)
{
	unsigned int i, n = 0;

	for (i = 0; i < vgpu->vslice_count; i++)
		n += !is_withheld(&vgpu->vslices[i]) && has_slice(&vgpu->vslices[i]);
	return n;
}

const char *shape_count(char *buf, const struct pool_vgpu *vgpu)
{
	unsigned int given = count_given(vgpu);

	if (given < vgpu->vslice_count)
		snprintf(buf, SHAPE_TEXT, "%u of %u vslices", given, vgpu->vslice_count);
	else
		snprintf(buf, SHAPE_TEXT, "%u", given);
	return buf;
}

void shape_add_json(struct json_object *obj, const struct pool_vgpu *vgpu)
{
	struct json_object *slices = json_object_new_array(), *kinds = json_object_new_array(),
			   *gpus = json_object_new_array();
	char gpu[NUM_TEXT + 4];
	unsigned int i;

	for (i = 0; i < vgpu->vslice_count; i++) {
		const char *kind = kind_of(&vgpu->vslices[i]);

		if (!kind)
			continue;
		json_object_array_add(slices, num_json(vgpu->vslices[i].slice, 1));
		json_object_array_add(kinds, json_object_new_string(kind));
		snprintf(gpu, sizeof(gpu), "gpu%u", vgpu->vslices[i].gpu);
		json_object_array_add(gpus, json_object_new_string(gpu));
	}
	json_object_object_add(obj, "generation", num_json(vgpu->generation, 1));
	json_object_object_add(obj, "blueprint", pool_text_json(vgpu->blueprint));
	json_object_object_add(obj, "slices", slices);
	json_object_object_add(obj, "kinds", kinds);
	json_object_object_add(obj, "gpus", gpus);
	json_object_object_add(obj, "withheld", num_json(vgpu->withheld, 1));
}
