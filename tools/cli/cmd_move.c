// SPDX-License-Identifier: GPL-2.0-or-later
/* tesseractl move: run a vslice on another slice, or all of a vGPU on another GPU. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attr.h"
#include "cli.h"
#include "find.h"
#include "mdev.h"
#include "refusal.h"
#include "write.h"

#define FILE_NAME 64

/**
 * struct move - what goes where
 * @found: the vGPU
 * @vslice: its vslice
 * @slice: slice of the same GPU
 */
struct move {
	struct find found;
	const struct pool_vslice *vslice;
	const struct pool_slice *slice;
};

/* "2" or "vslice2" */
static int index_of(const char *text, const char *prefix)
{
	int index = attr_index(text, prefix);

	return index < 0 ? attr_index(text, "") : index;
}

static int find_vslice(const struct cli *cli, const char *text, struct move *move)
{
	const struct pool_vgpu *vgpu = move->found.vgpu;
	int index = index_of(text, "vslice");

	move->vslice = index < 0 ? NULL : pool_vslice(vgpu, (unsigned int)index);
	if (move->vslice)
		return CLI_OK;
	if (!vgpu->vslice_count)
		return cli_error(cli, "vGPU %s has no vslices", vgpu->name);
	return cli_error(cli, "vGPU %s has no vslice %s; it has %u to %u", vgpu->name, text,
			 vgpu->vslices[0].index, vgpu->vslices[vgpu->vslice_count - 1].index);
}

/* "3", "slice3" or "gpu0/slice3" */
static int find_slice(const struct cli *cli, const struct pool *pool, const char *text,
		      struct move *move)
{
	const struct pool_gpu *gpu = move->found.gpu;
	int index = index_of(text, "slice"), status;
	struct find found = { .gpu = gpu };
	char name[64];

	snprintf(name, sizeof(name), "gpu%u/slice%d", gpu->index, index);
	status = find_object(cli, pool, index < 0 ? text : name, &found);
	if (status)
		return status;
	if (!found.slice)
		return cli_error(cli, "%s is not a slice; give its number", text);
	if (found.gpu != gpu)
		return cli_error(cli, "vGPU %s is on gpu%u, and %s is not", move->found.vgpu->name,
				 gpu->index, text);
	move->slice = found.slice;
	return CLI_OK;
}

static int write_slice(const struct cli *cli, const struct move *move)
{
	char name[FILE_NAME], value[FILE_NAME];
	int dir, rc;

	dir = write_open(cli, &move->found);
	if (dir < 0)
		return dir;
	snprintf(name, sizeof(name), "vslice%u/slice", move->vslice->index);
	snprintf(value, sizeof(value), "%u", move->slice->index);
	rc = attr_write(dir, name, value);
	close(dir);
	return rc;
}

static int print_move(const struct cli *cli, const struct move *move)
{
	char from[NUM_TEXT];
	struct json_object *obj;

	if (!cli->json) {
		printf("%s: vslice %u: slice %s -> %u\n", move->found.vgpu->name,
		       move->vslice->index, num_text(from, move->vslice->slice),
		       move->slice->index);
		return cli_flush(cli);
	}
	obj = json_object_new_object();
	json_object_object_add(obj, "vgpu", json_object_new_string(move->found.vgpu->name));
	json_object_object_add(obj, "vslice", json_object_new_int64(move->vslice->index));
	json_object_object_add(obj, "from", num_json(move->vslice->slice, 1));
	json_object_object_add(obj, "to", json_object_new_int64(move->slice->index));
	return cli_print_json(cli, obj);
}

static int move_vslice(const struct cli *cli, const struct pool *pool, char **argv)
{
	struct move move = { 0 };
	int rc, status;

	status = find_vgpu(cli, pool, argv[0], &move.found);
	if (!status)
		status = find_vslice(cli, argv[1], &move);
	if (!status)
		status = find_slice(cli, pool, argv[2], &move);
	if (status)
		return status;
	rc = write_slice(cli, &move);
	if (rc)
		return cli_error(cli, "cannot move vslice %u of %s to slice %u: %s",
				 move.vslice->index, move.found.vgpu->name, move.slice->index,
				 write_error(rc, "slice"));
	return print_move(cli, &move);
}

/* ---- to another GPU ---- */

static int print_gpu(const struct cli *cli, const struct find *found, const char *to)
{
	struct json_object *obj;
	char from[FILE_NAME];

	snprintf(from, sizeof(from), "gpu%u", found->gpu->index);
	if (!cli->json) {
		printf("%s: %s -> %s\n", found->vgpu->name, from, to);
		return cli_flush(cli);
	}
	obj = json_object_new_object();
	json_object_object_add(obj, "vgpu", json_object_new_string(found->vgpu->name));
	json_object_object_add(obj, "from", json_object_new_string(from));
	json_object_object_add(obj, "to", json_object_new_string(to));
	return cli_print_json(cli, obj);
}

static int move_vgpu(const struct cli *cli, const struct pool *pool, char **argv)
{
	char path[MDEV_PATH], to[FILE_NAME], what[2 * POOL_NAME];
	struct refusal refusal;
	struct find found;
	int rc, status, index = index_of(argv[1], "gpu");

	status = find_mdev(cli, pool, argv[0], &found);
	if (status)
		return status;
	if (index < 0)
		return cli_error(cli, "%s is not a GPU; give its number", argv[1]);
	snprintf(to, sizeof(to), "gpu%d", index);
	mdev_path_of(path, found.gpu, found.vgpu);
	rc = mdev_write(cli, path, "gpu", to);
	if (!rc)
		return print_gpu(cli, &found, to);
	snprintf(what, sizeof(what), "cannot move %s to %s", found.vgpu->name, to);
	refusal_read(&refusal, cli, path, "gpu", rc);
	return refusal_print(cli, &refusal, to, what);
}

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	struct pool pool;
	int at, status;

	at = cli_parse_common(cli, cmd, argc, argv, &status);
	if (at < 0)
		return status;
	if (argc - at != 2 && argc - at != 3)
		return cli_usage(cli, cmd, "NAME VSLICE SLICE, or NAME GPU, are required");
	status = find_pool(cli, POOL_STATE, &pool);
	if (status)
		return status;
	status = argc - at == 2 ? move_vgpu(cli, &pool, argv + at) :
				  move_vslice(cli, &pool, argv + at);
	pool_free(&pool);
	return status;
}

const struct cli_command cmd_move = {
	.name = "move",
	.summary = "move a vslice to another slice, or a vGPU to another GPU",
	.help = "usage: tesseractl move NAME VSLICE SLICE [--json]\n"
		"       tesseractl move NAME GPU [--json]\n"
		"Moves vslice number VSLICE of a vGPU with all its work to slice number SLICE of\n"
		"the same GPU, which has to be free, or shared if the vGPU is shared. The client\n"
		"does not notice.\n"
		"\n"
		"With a GPU, moves the whole vGPU to that GPU, with its memory, as one transaction.\n"
		"It stands still while the memory is copied.\n"
		"\n" CLI_COMMON_HELP,
	.run = run,
};
