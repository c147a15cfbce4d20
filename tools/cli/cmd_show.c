// SPDX-License-Identifier: GPL-2.0-or-later
/* tesseractl show: all that is known about one GPU, slice or vGPU. */
#include <stdio.h>

#include "cli.h"
#include "find.h"
#include "picture.h"
#include "pool_json.h"
#include "table.h"

#define NAME_WIDTH 20

/* As many slices as a GPU can have */
#define VSLICES_MAX 64

static void print_attrs(const void *object, const struct pool_attr *attr)
{
	char text[POOL_NAME];

	for (; attr->name; attr++)
		printf("  %-*s %s\n", NAME_WIDTH, attr->name, pool_attr_text(text, object, attr));
}

static void add_attr(struct table *table, const struct pool_vgpu *vgpu, unsigned int count,
		     const struct pool_attr *attr)
{
	char text[POOL_NAME];
	unsigned int i;

	table_add(table, attr->name);
	for (i = 0; i < count; i++)
		table_add(table, pool_attr_text(text, &vgpu->vslices[i], attr));
}

/* Of which GPU each one's slice is */
static void add_gpus(struct table *table, const struct pool_vgpu *vgpu, unsigned int count)
{
	char text[32];
	unsigned int i;

	table_add(table, "gpu");
	for (i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "gpu%u", vgpu->vslices[i].gpu);
		table_add(table, text);
	}
}

/* A column per vslice: the names of the values are longer than they are */
static int print_vslices(const struct cli *cli, const struct pool_vgpu *vgpu)
{
	unsigned int count = vgpu->vslice_count < VSLICES_MAX ? vgpu->vslice_count : VSLICES_MAX;
	struct table_column columns[VSLICES_MAX + 1];
	char titles[VSLICES_MAX][32];
	const struct pool_attr *attr;
	struct table *table;
	unsigned int i;
	bool ok;

	columns[0] = (struct table_column){ "", false };
	for (i = 0; i < count; i++) {
		snprintf(titles[i], sizeof(titles[i]), "vslice%u", vgpu->vslices[i].index);
		columns[i + 1] = (struct table_column){ titles[i], true };
	}
	table = table_new(columns, count + 1);
	if (table && vgpu->own_count < vgpu->vslice_count)
		add_gpus(table, vgpu, count);
	for (attr = pool_vslice_attrs; table && attr->name; attr++)
		add_attr(table, vgpu, count, attr);
	for (attr = pool_given_attrs; table && vgpu->mdev && attr->name; attr++)
		add_attr(table, vgpu, count, attr);
	ok = table && table_ok(table);
	if (ok)
		table_print(table, "  ");
	table_free(table);
	return ok ? CLI_OK : cli_error(cli, "out of memory");
}

/* What each head shows, and has shown */
static void print_displays(const struct pool_vgpu *vgpu)
{
	unsigned int i;

	for (i = 0; i < vgpu->display_count; i++) {
		const struct pool_head *head = &vgpu->displays[i];
		char title[32], text[5][NUM_TEXT];

		snprintf(title, sizeof(title), "head%s", num_text(text[0], head->head));
		printf("  %-*s %sx%s, %s pictures, %s pixels of them damaged\n", NAME_WIDTH, title,
		       num_text(text[1], head->width), num_text(text[2], head->height),
		       num_text(text[3], head->shown), num_text(text[4], head->damaged));
	}
}

static void print_place(const struct find *found)
{
	const struct pool_vgpu *vgpu = found->vgpu;
	unsigned int i, last = found->gpu->index;

	printf("%s on gpu%u", vgpu->name, last);
	for (i = vgpu->own_count; i < vgpu->vslice_count; i++) {
		if (vgpu->vslices[i].gpu != last)
			printf(", gpu%u", vgpu->vslices[i].gpu);
		last = vgpu->vslices[i].gpu;
	}
	putchar('\n');
}

static int print_vgpu(const struct cli *cli, const struct find *found)
{
	print_place(found);
	print_attrs(found->vgpu, pool_vgpu_attrs);
	if (found->vgpu->mdev) {
		print_attrs(found->vgpu, pool_mdev_attrs);
		print_attrs(found->vgpu, pool_composition_attrs);
		print_attrs(found->vgpu, pool_stats_attrs);
		print_displays(found->vgpu);
	}
	if (found->vgpu->node) {
		print_attrs(found->vgpu, pool_mdev_attrs);
		print_attrs(found->vgpu, pool_node_attrs);
	}
	return found->vgpu->vslice_count ? print_vslices(cli, found->vgpu) : CLI_OK;
}

static int print_found(const struct cli *cli, const struct pool *pool, const struct find *found)
{
	int status = CLI_OK;

	if (found->slice) {
		printf("gpu%u/slice%u\n", found->gpu->index, found->slice->index);
		print_attrs(found->slice, pool_slice_attrs);
	} else if (found->vgpu) {
		status = print_vgpu(cli, found);
	} else {
		printf("gpu%u\n", found->gpu->index);
		print_attrs(found->gpu, pool_gpu_attrs);
		picture_print(pool, found->gpu);
	}
	return status ? status : cli_flush(cli);
}

static struct json_object *found_json(const struct find *found)
{
	if (found->slice)
		return pool_slice_json(found->gpu, found->slice, POOL_ALL);
	if (found->vgpu)
		return pool_vgpu_json(found->gpu, found->vgpu);
	return pool_gpu_json(found->gpu, POOL_BUSY);
}

static int show(const struct cli *cli, const struct pool *pool, const char *name)
{
	struct pool_slice slice;
	struct find found;
	int status = find_object(cli, pool, name, &found);

	if (status)
		return status;
	if (found.slice) {
		slice = *found.slice;
		pool_read_counters(cli->sysfs, found.gpu, &slice);
		found.slice = &slice;
	}
	return cli->json ? cli_print_json(cli, found_json(&found)) : print_found(cli, pool, &found);
}

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	return find_run(cli, cmd, argc, argv, "the name of one vGPU, GPU or slice is required",
			show);
}

const struct cli_command cmd_show = {
	.name = "show",
	.summary = "show all values of one vGPU, GPU or slice",
	.help = "usage: tesseractl show NAME|gpuN|gpuN/NAME|gpuN/sliceM [--json]\n"
		"Prints all values of a vGPU, a GPU or a slice. The NAME of a vGPU can be\n"
		"abbreviated to a unique prefix.\n"
		"\n" CLI_COMMON_HELP,
	.run = run,
};
