// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables and JSON of tesseractl top. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "find.h"
#include "pool_json.h"
#include "top.h"

#define BAR_MAX 64
#define PERMILLE 1000

#define COLUMNS(columns) (sizeof(columns) / sizeof((columns)[0]))

static void add_num(struct table *table, struct num n)
{
	char text[NUM_TEXT];

	table_add(table, num_text(text, n));
}

static void add_permille(struct table *table, struct num n)
{
	char text[NUM_TEXT];

	table_add(table, num_tenths(text, n, "%"));
}

/* From thousandths, with one digit behind the point */
static void add_milli(struct table *table, struct num n)
{
	char text[NUM_TEXT];

	n.v /= 100;
	table_add(table, num_tenths(text, n, ""));
}

static void add_text(struct table *table, const char *text)
{
	table_add(table, *text ? text : "-");
}

static void add_bar(struct table *table, struct num permille, unsigned int width)
{
	char bar[BAR_MAX + 3];
	unsigned int i;

	if (width > BAR_MAX)
		width = BAR_MAX;
	bar[0] = '[';
	for (i = 0; i < width; i++)
		bar[i + 1] = permille.v * width > (int64_t)i * PERMILLE ? '|' : ' ';
	bar[width + 1] = ']';
	bar[width + 2] = '\0';
	table_add(table, bar);
}

static void add_slice(struct table *table, const struct pool *pool, const struct slice_rates *rates,
		      unsigned int bar)
{
	const struct pool_slice *slice = rates->slice;
	char name[POOL_NAME];

	snprintf(name, sizeof(name), "gpu%u/slice%u", rates->gpu->index, slice->index);
	table_add(table, name);
	add_text(table, slice->kind);
	add_text(table, slice->state);
	add_permille(table, rates->utilization);
	if (bar)
		add_bar(table, rates->utilization, bar);
	table_add(table, find_short_name(name, pool, slice->owner));
	add_num(table, slice->members);
	add_milli(table, rates->switches);
}

struct table *top_slices(const struct pool *pool, const struct rates *rates, bool all,
			 unsigned int bar)
{
	static const struct table_column with_bar[] = {
		{ "SLICE", false }, { "KIND", false },	   { "STATE", false },	{ "UTIL", true },
		{ "", false },	    { "RESIDENT", false }, { "MEMBERS", true }, { "SW/s", true },
	};
	static const struct table_column plain[] = {
		{ "SLICE", false },    { "KIND", false },   { "STATE", false }, { "UTIL", true },
		{ "RESIDENT", false }, { "MEMBERS", true }, { "SW/s", true },
	};
	struct table *table = bar ? table_new(with_bar, COLUMNS(with_bar)) :
				    table_new(plain, COLUMNS(plain));
	unsigned int i;

	for (i = 0; table && i < rates->slice_count; i++)
		if (all || strcmp(rates->slices[i].slice->state, "free"))
			add_slice(table, pool, &rates->slices[i], bar);
	return table;
}

static void add_vgpu(struct table *table, const struct pool *pool, const struct vgpu_rates *rates,
		     bool cut)
{
	const struct pool_vgpu *vgpu = rates->vgpu;
	char name[POOL_NAME];

	table_add(table, cut ? find_short_name(name, pool, vgpu->name) : vgpu->name);
	snprintf(name, sizeof(name), "gpu%u", rates->gpu->index);
	table_add(table, name);
	add_text(table, vgpu->share);
	add_num(table, vgpu->weight);
	add_num(table, vgpu->cap);
	add_permille(table, rates->utilization);
	add_permille(table, rates->run);
	add_permille(table, rates->wait);
	add_milli(table, rates->queue);
	add_permille(table, rates->shader);
	add_permille(table, rates->memory);
	add_milli(table, rates->switches);
	add_num(table, rates->moves);
}

struct table *top_vgpus(const struct pool *pool, const struct rates *rates, bool cut)
{
	static const struct table_column columns[] = {
		{ "VGPU", false }, { "GPU", false }, { "SHARE", false }, { "WEIGHT", true },
		{ "CAP", true },   { "UTIL", true }, { "RUN", true },	 { "WAIT", true },
		{ "QUEUE", true }, { "SHDR", true }, { "MEM", true },	 { "SW/s", true },
		{ "MOVES", true },
	};
	struct table *table = table_new(columns, COLUMNS(columns));
	unsigned int i;

	for (i = 0; table && i < rates->vgpu_count; i++)
		add_vgpu(table, pool, &rates->vgpus[i], cut);
	return table;
}

static struct json_object *gpu_name_json(const struct pool_gpu *gpu)
{
	char name[32];

	snprintf(name, sizeof(name), "gpu%u", gpu->index);
	return json_object_new_string(name);
}

static struct json_object *slice_json(const struct slice_rates *rates)
{
	struct json_object *obj = json_object_new_object();
	const struct pool_slice *slice = rates->slice;

	json_object_object_add(obj, "gpu", gpu_name_json(rates->gpu));
	json_object_object_add(obj, "slice", json_object_new_int64(slice->index));
	json_object_object_add(obj, "kind", pool_text_json(slice->kind));
	json_object_object_add(obj, "state", pool_text_json(slice->state));
	json_object_object_add(obj, "owner", pool_text_json(slice->owner));
	json_object_object_add(obj, "members", num_json(slice->members, 1));
	json_object_object_add(obj, "utilization", num_json(rates->utilization, 1));
	json_object_object_add(obj, "switches_per_second", num_json(rates->switches, PERMILLE));
	return obj;
}

static struct json_object *vgpu_json(const struct vgpu_rates *rates)
{
	struct json_object *obj = json_object_new_object();
	const struct pool_vgpu *vgpu = rates->vgpu;

	json_object_object_add(obj, "vgpu", json_object_new_string(vgpu->name));
	json_object_object_add(obj, "gpu", gpu_name_json(rates->gpu));
	json_object_object_add(obj, "share", pool_text_json(vgpu->share));
	json_object_object_add(obj, "weight", num_json(vgpu->weight, 1));
	json_object_object_add(obj, "cap", num_json(vgpu->cap, 1));
	json_object_object_add(obj, "policy", pool_text_json(vgpu->policy));
	json_object_object_add(obj, "utilization", num_json(rates->utilization, 1));
	json_object_object_add(obj, "run", num_json(rates->run, 1));
	json_object_object_add(obj, "wait", num_json(rates->wait, 1));
	json_object_object_add(obj, "queue_depth", num_json(rates->queue, 1));
	json_object_object_add(obj, "shader_intensity", num_json(rates->shader, 1));
	json_object_object_add(obj, "memory_intensity", num_json(rates->memory, 1));
	json_object_object_add(obj, "switches_per_second", num_json(rates->switches, PERMILLE));
	json_object_object_add(obj, "moves", num_json(rates->moves, 1));
	return obj;
}

struct json_object *top_json(const struct sample *now, const struct sample *before,
			     const struct rates *rates)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *slices = json_object_new_array(), *vgpus = json_object_new_array();
	unsigned int i;

	json_object_object_add(obj, "time", json_object_new_int64(time(NULL)));
	json_object_object_add(obj, "interval", num_json(num(now->us - before->us), 1000000));
	for (i = 0; i < rates->slice_count; i++)
		json_object_array_add(slices, slice_json(&rates->slices[i]));
	for (i = 0; i < rates->vgpu_count; i++)
		json_object_array_add(vgpus, vgpu_json(&rates->vgpus[i]));
	json_object_object_add(obj, "slices", slices);
	json_object_object_add(obj, "vgpus", vgpus);
	return obj;
}
