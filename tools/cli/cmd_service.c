// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: tesseractl drain, clear, reset
 *
 * Slices out of service and back, and resets of what nobody has. All names are looked up before the
 * first slice changes. A slice that has an owner is never taken from it: it drains.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attr.h"
#include "cli.h"
#include "find.h"
#include "write.h"

enum { OPT_FORCE = CLI_OPT_OWN };

/* ---- slices ---- */

static int write_service(const struct cli *cli, const struct find *found, const char *word)
{
	int dir = write_open(cli, found), rc;

	if (dir >= 0) {
		rc = attr_write(dir, "service", word);
		close(dir);
	} else {
		rc = dir;
	}
	if (!rc)
		return CLI_OK;
	return cli_error(cli, "gpu%u/slice%u: %s", found->gpu->index, found->slice->index,
			 write_error(rc, "service"));
}

/**
 * struct change - what is done to each slice
 * @word: is written to its file "service"
 * @slices: JSON of those that changed; NULL: text is printed
 */
struct change {
	const char *word;
	struct json_object *slices;
};

static void print_slice(const struct cli *cli, const struct pool_gpu *gpu, unsigned int index,
			struct change *change)
{
	struct find found = { .gpu = gpu, .slice = pool_slice(gpu, num(index)) };
	char service[POOL_TEXT] = "", state[POOL_TEXT] = "", owner[POOL_NAME] = "", name[64];
	int dir = write_open(cli, &found);
	struct json_object *obj;

	if (dir >= 0) {
		attr_text(dir, "service", service, sizeof(service));
		attr_text(dir, "state", state, sizeof(state));
		attr_text(dir, "owner", owner, sizeof(owner));
		close(dir);
	}
	snprintf(name, sizeof(name), "gpu%u/slice%u", gpu->index, index);
	if (!change->slices) {
		printf("%s: %s, %s%s%s\n", name, service, state, *owner ? " by " : "", owner);
		return;
	}
	obj = json_object_new_object();
	json_object_object_add(obj, "name", json_object_new_string(name));
	json_object_object_add(obj, "service", json_object_new_string(service));
	json_object_object_add(obj, "state", json_object_new_string(state));
	json_object_object_add(obj, "owner", *owner ? json_object_new_string(owner) : NULL);
	json_object_array_add(change->slices, obj);
}

static int change_slice(const struct cli *cli, const struct pool_gpu *gpu,
			const struct pool_slice *slice, struct change *change)
{
	const struct find found = { .gpu = gpu, .slice = slice };
	int status = write_service(cli, &found, change->word);

	if (!status)
		print_slice(cli, gpu, slice->index, change);
	return status;
}

/* A slice, or all of a GPU */
static int change_found(const struct cli *cli, const struct find *found, struct change *change)
{
	unsigned int i;
	int status = CLI_OK;

	if (found->slice)
		return change_slice(cli, found->gpu, found->slice, change);
	for (i = 0; !status && i < found->gpu->slice_count; i++)
		status = change_slice(cli, found->gpu, &found->gpu->slices[i], change);
	return status;
}

static int find_slices(const struct cli *cli, const struct cli_command *cmd,
		       const struct pool *pool, const char *name, struct find *found)
{
	int status = find_object(cli, pool, name, found);

	if (!status && found->vgpu)
		return cli_usage(cli, cmd,
				 "%s is a vGPU; give slices, or a GPU for all of its slices", name);
	return status;
}

static int change_all(const struct cli *cli, const struct cli_command *cmd, const struct pool *pool,
		      char **names, int count, struct change *change)
{
	struct json_object *obj = NULL;
	struct find found;
	int i, status = CLI_OK;

	for (i = 0; !status && i < count; i++)
		status = find_slices(cli, cmd, pool, names[i], &found);
	if (status)
		return status;
	if (cli->json) {
		obj = json_object_new_object();
		change->slices = json_object_new_array();
		json_object_object_add(obj, "slices", change->slices);
	}
	for (i = 0; !status && i < count; i++) {
		status = find_object(cli, pool, names[i], &found);
		if (!status)
			status = change_found(cli, &found, change);
	}
	if (obj && !status)
		return cli_print_json(cli, obj);
	json_object_put(obj);
	return status ? status : cli_flush(cli);
}

static int run_change(struct cli *cli, const struct cli_command *cmd, int argc, char **argv,
		      const char *word)
{
	struct change change = { .word = word };
	struct pool pool;
	int at, status;

	at = cli_parse_common(cli, cmd, argc, argv, &status);
	if (at < 0)
		return status;
	if (at == argc)
		return cli_usage(cli, cmd, "a slice or a GPU is required");
	status = find_pool(cli, POOL_STATE, &pool);
	if (status)
		return status;
	status = change_all(cli, cmd, &pool, argv + at, argc - at, &change);
	pool_free(&pool);
	return status;
}

static int run_drain(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	return run_change(cli, cmd, argc, argv, "out");
}

static int run_clear(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	return run_change(cli, cmd, argc, argv, "in");
}

const struct cli_command cmd_drain = {
	.name = "drain",
	.summary = "take slices out of service: they get no new owner",
	.help = "usage: tesseractl drain gpuN/sliceM|gpuN... [--json]\n"
		"Takes slices, or all slices of a GPU, out of service. A vGPU that has one keeps it\n"
		"and works on; nobody gets it afterwards. \"clear\" ends that.\n"
		"\n" CLI_COMMON_HELP,
	.run = run_drain,
};

const struct cli_command cmd_clear = {
	.name = "clear",
	.summary = "put slices into service again, also faulty ones",
	.help = "usage: tesseractl clear gpuN/sliceM|gpuN... [--json]\n"
		"Puts slices, or all slices of a GPU, into service again. One that nobody has is\n"
		"reset; one that was faulty can be used again if it answers.\n"
		"\n" CLI_COMMON_HELP,
	.run = run_clear,
};

/* ---- reset ---- */

static bool is_somebodys(const struct pool_slice *slice)
{
	return !strcmp(slice->state, "used") || !strcmp(slice->state, "shared");
}

/* Both ways reset it; what was out of service stays out */
static int reset_slice(const struct cli *cli, const struct find *found)
{
	bool out = !strcmp(found->slice->service, "out");
	int status;

	if (is_somebodys(found->slice))
		return cli_error(cli,
				 "gpu%u/slice%u belongs to %s: a reset would stop its work; move "
				 "the vGPU, or drain the slice and wait",
				 found->gpu->index, found->slice->index,
				 found->slice->owner[0] ? found->slice->owner :
							  "vGPUs that share it");
	status = write_service(cli, found, out ? "in" : "out");
	return status ? status : write_service(cli, found, out ? "out" : "in");
}

static unsigned int vgpus_of(const struct pool_gpu *gpu)
{
	unsigned int i, n = 0;

	for (i = 0; i < gpu->vgpu_count; i++)
		n += strcmp(gpu->vgpus[i].share, "elastic") && gpu->vgpus[i].vslice_count;
	return n;
}

static int reset_gpu(const struct cli *cli, const struct find *found, bool force)
{
	unsigned int n = vgpus_of(found->gpu);
	int dir, rc;

	if (n && !force)
		return cli_error(cli,
				 "gpu%u has %u vGPU%s, which would lose %s work: move or remove "
				 "them, or use --force",
				 found->gpu->index, n, n == 1 ? "" : "s", n == 1 ? "its" : "their");
	dir = write_open(cli, found);
	rc = dir < 0 ? dir : attr_write(dir, "device/reset", "1");
	if (dir >= 0)
		close(dir);
	if (rc == -ENOENT)
		return cli_error(cli, "gpu%u cannot be reset: its bus has no such function",
				 found->gpu->index);
	if (rc)
		return cli_error(cli, "cannot reset gpu%u: %s", found->gpu->index,
				 write_error(rc, "reset"));
	return CLI_OK;
}

static int reset_named(const struct cli *cli, const struct cli_command *cmd,
		       const struct pool *pool, const char *name, bool force)
{
	struct json_object *obj;
	struct find found;
	int status = find_slices(cli, cmd, pool, name, &found);

	if (!status)
		status = found.slice ? reset_slice(cli, &found) : reset_gpu(cli, &found, force);
	if (status)
		return status;
	if (!cli->json) {
		printf("%s: reset\n", name);
		return cli_flush(cli);
	}
	obj = json_object_new_object();
	json_object_object_add(obj, "reset", json_object_new_string(name));
	return cli_print_json(cli, obj);
}

static bool take_force(struct cli *cli, int opt, const char *arg, void *ctx)
{
	(void)cli;
	(void)opt;
	(void)arg;
	*(bool *)ctx = true;
	return true;
}

static int run_reset(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		CLI_COMMON_OPTIONS,
		{ "force", no_argument, NULL, OPT_FORCE },
		{ 0 },
	};
	bool force = false;
	const struct cli_parse parse = { .options = options, .own = take_force, .ctx = &force };
	struct pool pool;
	int at, status;

	at = cli_parse(cli, cmd, &parse, argc, argv, &status);
	if (at < 0)
		return status;
	if (at + 1 != argc)
		return cli_usage(cli, cmd, "one GPU or slice is required");
	status = find_pool(cli, POOL_STATE, &pool);
	if (status)
		return status;
	status = reset_named(cli, cmd, &pool, argv[at], force);
	pool_free(&pool);
	return status;
}

const struct cli_command cmd_reset = {
	.name = "reset",
	.summary = "reset a GPU, or a slice that no vGPU has",
	.help = "usage: tesseractl reset gpuN [--force] [--json]\n"
		"       tesseractl reset gpuN/sliceM [--json]\n"
		"Resets a slice that no vGPU has, or a whole GPU: all of its slices are in service\n"
		"afterwards, with default settings, and processes of the host that use it lose\n"
		"their work.\n"
		"\n"
		"  --force         also if vGPUs have slices of the GPU; they lose it\n" CLI_COMMON_HELP,
	.run = run_reset,
};
