// SPDX-License-Identifier: GPL-2.0-or-later
/* tesseractl list: the pool at a glance. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "find.h"
#include "picture.h"
#include "pool_json.h"
#include "query.h"
#include "shape.h"
#include "table.h"

enum { OPT_LONG = CLI_OPT_OWN, OPT_QUERY, OPT_FORMAT, OPT_FIELDS };

/**
 * struct list - options
 * @all: a table of slices, too
 * @fields: the names of fields instead
 * @format: was one given?
 * @query: these fields instead, NULL: there is no query
 */
struct list {
	bool all, fields, format;
	const char *query;
};

static void add_num(struct table *table, struct num n)
{
	char text[NUM_TEXT];

	table_add(table, num_text(text, n));
}

static void add_text(struct table *table, const char *text)
{
	table_add(table, *text ? text : "-");
}

static void add_vgpu(struct table *table, const struct pool *pool, const struct pool_gpu *gpu,
		     const struct pool_vgpu *vgpu)
{
	char text[SHAPE_TEXT], name[32];

	snprintf(text, sizeof(text), "%c", picture_letter(pool, vgpu));
	table_add(table, text);
	table_add(table, vgpu->name);
	snprintf(name, sizeof(name), "gpu%u", gpu->index);
	table_add(table, name);
	add_text(table, vgpu->share);
	add_num(table, vgpu->weight);
	add_num(table, vgpu->cap);
	add_text(table, vgpu->policy);
	table_add(table, shape_slices(text, vgpu));
}

static void add_slice(struct table *table, const struct pool_gpu *gpu,
		      const struct pool_slice *slice)
{
	char name[64];

	snprintf(name, sizeof(name), "gpu%u/slice%u", gpu->index, slice->index);
	table_add(table, name);
	add_text(table, slice->kind);
	add_text(table, slice->state);
	add_text(table, slice->owner);
	add_num(table, slice->members);
	add_text(table, slice->policy);
	add_num(table, slice->quantum_us);
	add_num(table, slice->cores);
}

static int print_table(const struct cli *cli, struct table *table)
{
	bool ok = table && table_ok(table);

	if (ok && table_rows(table) > 1) {
		putchar('\n');
		table_print(table, "");
	}
	table_free(table);
	return ok ? CLI_OK : cli_error(cli, "out of memory");
}

static int print_vgpus(const struct cli *cli, const struct pool *pool)
{
	static const struct table_column columns[] = {
		{ " ", false },	    { "VGPU", false }, { "GPU", false },    { "SHARE", false },
		{ "WEIGHT", true }, { "CAP", true },   { "POLICY", false }, { "SLICES", false },
	};
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	unsigned int i, j;

	for (i = 0; table && i < pool->gpu_count; i++)
		for (j = 0; j < pool->gpus[i].vgpu_count; j++)
			if (!pool->gpus[i].vgpus[j].part)
				add_vgpu(table, pool, &pool->gpus[i], &pool->gpus[i].vgpus[j]);
	return print_table(cli, table);
}

static bool has_text(const char *text)
{
	return *text && strcmp(text, "none");
}

/* Too long for the table: what is asked for, and what was refused */
static void print_blueprint(const struct pool *pool, const struct pool_vgpu *vgpu, bool *any)
{
	if (!vgpu->blueprint[0] || vgpu->part)
		return;
	printf("%s%c  %s\n", *any ? "" : "\n   BLUEPRINT\n", picture_letter(pool, vgpu),
	       vgpu->blueprint);
	if (has_text(vgpu->last_error))
		printf("   last refused: %s\n", vgpu->last_error);
	*any = true;
}

static void print_blueprints(const struct pool *pool)
{
	unsigned int i, j;
	bool any = false;

	for (i = 0; i < pool->gpu_count; i++)
		for (j = 0; j < pool->gpus[i].vgpu_count; j++)
			print_blueprint(pool, &pool->gpus[i].vgpus[j], &any);
}

static int print_slices(const struct cli *cli, const struct pool *pool)
{
	static const struct table_column columns[] = {
		{ "SLICE", false },  { "KIND", false },	  { "STATE", false },  { "OWNER", false },
		{ "MEMBERS", true }, { "POLICY", false }, { "QUANTUM", true }, { "CORES", true },
	};
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	unsigned int i, j;

	for (i = 0; table && i < pool->gpu_count; i++)
		for (j = 0; j < pool->gpus[i].slice_count; j++)
			add_slice(table, &pool->gpus[i], &pool->gpus[i].slices[j]);
	return print_table(cli, table);
}

static int print_pool(const struct cli *cli, const struct pool *pool, bool all)
{
	unsigned int i;
	int status;

	for (i = 0; i < pool->gpu_count; i++)
		picture_gpu(pool, &pool->gpus[i]);
	picture_legend();
	status = print_vgpus(cli, pool);
	if (!status)
		print_blueprints(pool);
	if (!status && all)
		status = print_slices(cli, pool);
	return status ? status : cli_flush(cli);
}

static bool take_format(struct cli *cli, const char *arg, struct list *list)
{
	list->format = true;
	if (!strcmp(arg, "json"))
		cli->json = true;
	else if (strcmp(arg, "csv"))
		return cli_usage(cli, &cmd_list, "--format %s: csv or json", arg) == CLI_OK;
	return true;
}

static bool take_option(struct cli *cli, int opt, const char *arg, void *ctx)
{
	struct list *list = ctx;

	if (opt == OPT_FORMAT)
		return take_format(cli, arg, list);
	if (opt == OPT_QUERY)
		list->query = arg;
	else if (opt == OPT_FIELDS)
		list->fields = true;
	else
		list->all = true;
	return true;
}

static int run_query(const struct cli *cli, const struct cli_command *cmd, const char *text)
{
	struct query *query;
	struct pool pool;
	int status;

	status = query_parse(cli, cmd, text, &query);
	if (status)
		return status;
	status = find_pool(cli, query_depth(query), &pool);
	if (!status) {
		status = query_print(cli, query, &pool);
		pool_free(&pool);
	}
	query_free(query);
	return status;
}

static int run_list(const struct cli *cli, const struct list *list)
{
	struct pool pool;
	int status;

	/* The tables have nothing for which the GPU must be asked */
	status = find_pool(cli, cli->json ? POOL_BUSY : POOL_STATE, &pool);
	if (status)
		return status;
	status = cli->json ? cli_print_json(cli, pool_json(&pool, POOL_BUSY)) :
			     print_pool(cli, &pool, list->all);
	pool_free(&pool);
	return status;
}

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		CLI_COMMON_OPTIONS,
		{ "long", no_argument, NULL, OPT_LONG },
		{ "query", required_argument, NULL, OPT_QUERY },
		{ "format", required_argument, NULL, OPT_FORMAT },
		{ "list-fields", no_argument, NULL, OPT_FIELDS },
		{ 0 },
	};
	struct list list = { 0 };
	const struct cli_parse parse = { .options = options, .own = take_option, .ctx = &list };
	int at, status;

	at = cli_parse(cli, cmd, &parse, argc, argv, &status);
	if (at < 0)
		return status;
	if (at != argc)
		return cli_usage(cli, cmd, "list accepts no name, use show: %s", argv[at]);
	if (list.format && !list.query)
		return cli_usage(cli, cmd, "--format is of a --query");
	if (list.fields)
		return query_print_fields(cli);
	return list.query ? run_query(cli, cmd, list.query) : run_list(cli, &list);
}

const struct cli_command cmd_list = {
	.name = "list",
	.summary = "list GPUs, owners of their slices, and vGPUs",
	.help = "usage: tesseractl list [--long] [--json]\n"
		"       tesseractl list --query FIELD[,FIELD...] [--format csv|json]\n"
		"       tesseractl list --list-fields\n"
		"Prints a picture of each GPU, with the letter of the resident vGPU for each slice,\n"
		"a table of the vGPUs, their blueprints and the last refused requests. A slice in\n"
		"parentheses runs the work of a withheld vslice in turns.\n"
		"\n"
		"  --long          also print a table of the slices\n"
		"  --query FIELDS  instead print these values, a row for each GPU, slice, vGPU or\n"
		"                  vslice\n"
		"  --format F      of a query: csv (default) or json\n"
		"  --list-fields   print the names of the fields\n" CLI_COMMON_HELP,
	.run = run,
};
