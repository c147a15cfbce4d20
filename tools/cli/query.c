// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: queries
 *
 * A field is a file of sysfs behind the kind of its object ("slice.kind"), or that kind alone:
 * the name or number of the object. The fields of a query lie on one way through the pool, from a
 * GPU to a slice, or by a vGPU to a vslice; there is a row for each object at its end. Only what is
 * asked for decides whether the GPU has to be read.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"
#include "pool_json.h"
#include "query.h"

/* Longest name of a field, with its NUL */
#define FIELD_MAX 64

enum kind { KIND_GPU, KIND_SLICE, KIND_VGPU, KIND_VSLICE, KINDS };

#define TABLES 5

static const char *const kind_names[KINDS] = { "gpu", "slice", "vgpu", "vslice" };

static const struct pool_attr *const kind_attrs[KINDS][TABLES] = {
	[KIND_GPU] = { pool_gpu_attrs },
	[KIND_SLICE] = { pool_slice_attrs },
	[KIND_VGPU] = { pool_vgpu_attrs, pool_mdev_attrs, pool_composition_attrs, pool_stats_attrs,
			pool_node_attrs },
	[KIND_VSLICE] = { pool_vslice_attrs, pool_given_attrs },
};

/**
 * struct field - a column
 * @kind: of the object
 * @attr: its file, NULL: its name
 * @name: of the column
 */
struct field {
	enum kind kind;
	const struct pool_attr *attr;
	char name[FIELD_MAX];
};

/**
 * struct query - columns
 * @rows: kind of the objects that have a row each
 * @count: of @fields
 * @fields: in the order in which they were asked for
 */
struct query {
	enum kind rows;
	unsigned int count;
	struct field fields[];
};

/* One object of each kind up to that of the rows */
struct row {
	const struct pool_gpu *gpu;
	const struct pool_slice *slice;
	const struct pool_vgpu *vgpu;
	const struct pool_vslice *vslice;
};

/* ---- names ---- */

/* Call for each field that there is, until it returns true */
static bool each_field(bool (*func)(const struct field *field, void *ctx), void *ctx)
{
	const struct pool_attr *attr;
	struct field field;
	unsigned int i;

	for (field.kind = 0; field.kind < KINDS; field.kind++) {
		field.attr = NULL;
		snprintf(field.name, FIELD_MAX, "%s", kind_names[field.kind]);
		if (func(&field, ctx))
			return true;
		for (i = 0; i < TABLES && kind_attrs[field.kind][i]; i++) {
			for (attr = kind_attrs[field.kind][i]; attr->name; attr++) {
				field.attr = attr;
				snprintf(field.name, FIELD_MAX, "%s.%s", kind_names[field.kind],
					 attr->name);
				if (func(&field, ctx))
					return true;
			}
		}
	}
	return false;
}

/**
 * struct search - a field by its name
 * @near: what is like it
 * @found: set if it is there
 * @guess: the best of @near, which lives no longer than a call
 */
struct search {
	struct near near;
	struct field *found;
	char guess[FIELD_MAX];
};

static bool match_field(const struct field *field, void *ctx)
{
	struct search *search = ctx;

	if (!strcmp(field->name, search->near.typed)) {
		*search->found = *field;
		return true;
	}
	near_offer(&search->near, field->name);
	if (search->near.best == field->name) {
		snprintf(search->guess, FIELD_MAX, "%s", field->name);
		search->near.best = search->guess;
	}
	return false;
}

static int take_field(const struct cli *cli, const struct cli_command *cmd, const char *name,
		      struct field *field)
{
	struct search search = { .near = near_to(name), .found = field };

	if (each_field(match_field, &search))
		return CLI_OK;
	if (search.near.best)
		return cli_usage(cli, cmd,
				 "no field \"%s\"; did you mean %s? --list-fields prints all", name,
				 search.near.best);
	return cli_usage(cli, cmd, "no field \"%s\"; --list-fields prints all", name);
}

/* The rows are of the object that is farthest from the GPU */
static int choose_rows(const struct cli *cli, const struct cli_command *cmd, struct query *query)
{
	const struct field *slice = NULL, *vgpu = NULL;
	unsigned int i;

	for (i = 0; i < query->count; i++) {
		const struct field *field = &query->fields[i];

		if (field->kind == KIND_SLICE)
			slice = field;
		else if (field->kind != KIND_GPU)
			vgpu = field;
		if (field->kind > query->rows)
			query->rows = field->kind;
	}
	if (slice && vgpu)
		return cli_usage(cli, cmd,
				 "%s and %s are of objects that have no rows together: ask for "
				 "them one after the other",
				 slice->name, vgpu->name);
	return CLI_OK;
}

int query_parse(const struct cli *cli, const struct cli_command *cmd, const char *text,
		struct query **query)
{
	char *names = strdup(text), *rest = names, *name;
	unsigned int most = 1;
	struct query *q;
	int status = CLI_OK;

	*query = NULL;
	for (; *text; text++)
		most += *text == ',';
	q = calloc(1, sizeof(*q) + most * sizeof(q->fields[0]));
	if (!q || !names)
		status = cli_error(cli, "out of memory");
	while (!status && (name = strsep(&rest, ",")))
		status = take_field(cli, cmd, name, &q->fields[q->count++]);
	if (!status)
		status = choose_rows(cli, cmd, q);
	free(names);
	if (status)
		free(q);
	else
		*query = q;
	return status;
}

void query_free(struct query *query)
{
	free(query);
}

enum pool_depth query_depth(const struct query *query)
{
	enum pool_depth depth = POOL_STATE;
	unsigned int i;

	for (i = 0; i < query->count; i++)
		if (query->fields[i].attr && query->fields[i].attr->depth > depth)
			depth = query->fields[i].attr->depth;
	return depth;
}

/* ---- values ---- */

static const void *object_of(const struct row *row, enum kind kind)
{
	switch (kind) {
	case KIND_GPU:
		return row->gpu;
	case KIND_SLICE:
		return row->slice;
	case KIND_VGPU:
		return row->vgpu;
	case KIND_VSLICE:
	case KINDS:
		break;
	}
	return row->vslice;
}

static struct json_object *name_json(const struct row *row, enum kind kind)
{
	char text[NUM_TEXT];

	switch (kind) {
	case KIND_GPU:
		snprintf(text, sizeof(text), "gpu%u", row->gpu->index);
		return json_object_new_string(text);
	case KIND_SLICE:
		return json_object_new_int64(row->slice->index);
	case KIND_VGPU:
		return json_object_new_string(row->vgpu->name);
	case KIND_VSLICE:
	case KINDS:
		break;
	}
	return json_object_new_int64(row->vslice->index);
}

static const char *name_text(char *buf, const struct row *row, enum kind kind)
{
	struct json_object *obj = name_json(row, kind);

	snprintf(buf, POOL_NAME, "%s", obj ? json_object_get_string(obj) : "");
	json_object_put(obj);
	return buf;
}

static struct json_object *value_json(const struct row *row, const struct field *field)
{
	if (!field->attr)
		return name_json(row, field->kind);
	return pool_attr_json(object_of(row, field->kind), field->attr);
}

/* Empty if it is unknown */
static const char *value_text(char *buf, const struct row *row, const struct field *field)
{
	const void *object = object_of(row, field->kind);

	if (!field->attr)
		return name_text(buf, row, field->kind);
	if (!pool_attr_is_known(object, field->attr))
		return "";
	return pool_attr_text(buf, object, field->attr);
}

/* ---- rows ---- */

/**
 * struct writer - where rows go
 * @query: columns
 * @rows: array of JSON, NULL: CSV is printed
 */
struct writer {
	const struct query *query;
	struct json_object *rows;
};

static void print_cell(const char *text, bool last)
{
	const char *quote = strpbrk(text, ",\"") ? "\"" : "";

	fputs(quote, stdout);
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	fputs(quote, stdout);
	putchar(last ? '\n' : ',');
}

static void write_row(const struct writer *writer, const struct row *row)
{
	const struct query *query = writer->query;
	struct json_object *obj = writer->rows ? json_object_new_object() : NULL;
	char text[POOL_NAME];
	unsigned int i;

	for (i = 0; i < query->count; i++) {
		const struct field *field = &query->fields[i];

		if (obj)
			json_object_object_add(obj, field->name, value_json(row, field));
		else
			print_cell(value_text(text, row, field), i + 1 == query->count);
	}
	if (obj)
		json_object_array_add(writer->rows, obj);
}

/* A vslice may be of another GPU than the first of its vGPU */
static void write_vslices(const struct writer *writer, const struct pool *pool, struct row *row)
{
	unsigned int i;

	for (i = 0; i < row->vgpu->vslice_count; i++) {
		row->vslice = &row->vgpu->vslices[i];
		row->gpu = pool_gpu(pool, row->vslice->gpu);
		write_row(writer, row);
	}
}

static void write_vgpus(const struct writer *writer, const struct pool *pool,
			const struct pool_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < gpu->vgpu_count; i++) {
		struct row row = { .gpu = gpu, .vgpu = &gpu->vgpus[i] };

		if (row.vgpu->part)
			continue;
		if (writer->query->rows == KIND_VSLICE)
			write_vslices(writer, pool, &row);
		else
			write_row(writer, &row);
	}
}

static void write_gpu(const struct writer *writer, const struct pool *pool,
		      const struct pool_gpu *gpu)
{
	struct row row = { .gpu = gpu };
	unsigned int i;

	if (writer->query->rows == KIND_GPU)
		write_row(writer, &row);
	else if (writer->query->rows != KIND_SLICE)
		write_vgpus(writer, pool, gpu);
	else
		for (i = 0; i < gpu->slice_count; i++) {
			row.slice = &gpu->slices[i];
			write_row(writer, &row);
		}
}

int query_print(const struct cli *cli, const struct query *query, const struct pool *pool)
{
	struct writer writer = { .query = query };
	struct json_object *obj = NULL;
	unsigned int i;

	if (cli->json) {
		obj = json_object_new_object();
		writer.rows = json_object_new_array();
		json_object_object_add(obj, "rows", writer.rows);
	}
	for (i = 0; !obj && i < query->count; i++)
		print_cell(query->fields[i].name, i + 1 == query->count);
	for (i = 0; i < pool->gpu_count; i++)
		write_gpu(&writer, pool, &pool->gpus[i]);
	return obj ? cli_print_json(cli, obj) : cli_flush(cli);
}

/* A function of query_each_field() and what it gets */
struct each_name {
	void (*func)(const char *name, void *ctx);
	void *ctx;
};

static bool call_with_name(const struct field *field, void *ctx)
{
	struct each_name *each = ctx;

	each->func(field->name, each->ctx);
	return false;
}

void query_each_field(void (*func)(const char *name, void *ctx), void *ctx)
{
	struct each_name each = { func, ctx };

	each_field(call_with_name, &each);
}

static void list_field(const char *name, void *ctx)
{
	if (ctx)
		json_object_array_add(ctx, json_object_new_string(name));
	else
		puts(name);
}

int query_print_fields(const struct cli *cli)
{
	struct json_object *obj, *list;

	if (!cli->json) {
		query_each_field(list_field, NULL);
		return cli_flush(cli);
	}
	obj = json_object_new_object();
	list = json_object_new_array();
	query_each_field(list_field, list);
	json_object_object_add(obj, "fields", list);
	return cli_print_json(cli, obj);
}
