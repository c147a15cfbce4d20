// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: tesseractl remove
 *
 * All names are looked up before the first vGPU goes. The kernel waits until nobody has a
 * vGPU open, which a virtual machine may take long for: after a moment a child says so,
 * as the write itself cannot be watched.
 */
#include <errno.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask.h"
#include "cli.h"
#include "find.h"
#include "node.h"
#include "write.h"

enum { OPT_DRY_RUN = CLI_OPT_OWN };

#define PATIENCE_S 3

static pid_t start_reminder(const char *name)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sleep(PATIENCE_S);
	fprintf(stderr, "tesseractl: %s is in use; waiting until its virtual machine closes it\n",
		name);
	_exit(0);
}

static void end_reminder(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* A mediated device has a file for it, a node is named in that of all nodes */
static struct ask_step step_of(char *path, const struct find *found)
{
	if (found->vgpu->node)
		return (struct ask_step){ node_path(path, found->gpu, NULL), "remove",
					  found->vgpu->dir };
	return (struct ask_step){ mdev_path_of(path, found->gpu, found->vgpu), "remove", "1" };
}

static int remove_one(const struct cli *cli, const struct find *found)
{
	char path[MDEV_PATH];
	struct ask_step step = step_of(path, found);
	pid_t reminder = start_reminder(found->vgpu->name);
	int rc = mdev_write(cli, step.dir, step.file, step.text);

	end_reminder(reminder);
	if (rc)
		return cli_error(cli, "cannot remove %s: %s", found->vgpu->name,
				 write_error(rc, "remove"));
	if (!cli->json)
		printf("%s on gpu%u: removed\n", found->vgpu->name, found->gpu->index);
	return CLI_OK;
}

static int print_removed(const struct cli *cli, const struct find *found, int count)
{
	struct json_object *obj, *list;
	int i;

	if (!cli->json)
		return cli_flush(cli);
	obj = json_object_new_object();
	list = json_object_new_array();
	for (i = 0; i < count; i++)
		json_object_array_add(list, json_object_new_string(found[i].vgpu->name));
	json_object_object_add(obj, "removed", list);
	return cli_print_json(cli, obj);
}

static int print_steps(const struct cli *cli, const struct find *found, int count)
{
	struct ask_step *steps = calloc((size_t)count, sizeof(*steps));
	char(*paths)[MDEV_PATH] = calloc((size_t)count, sizeof(*paths));
	int i, status;

	for (i = 0; steps && paths && i < count; i++)
		steps[i] = step_of(paths[i], &found[i]);
	status = steps && paths ? ask_print_steps(cli, steps, count) :
				  cli_error(cli, "out of memory");
	free(paths);
	free(steps);
	return status;
}

static int remove_all(const struct cli *cli, const struct find *found, int count)
{
	int i, status = CLI_OK;

	for (i = 0; !status && i < count; i++)
		status = remove_one(cli, &found[i]);
	return status ? status : print_removed(cli, found, count);
}

static int find_all(const struct cli *cli, const struct pool *pool, char **names, int count,
		    struct find *found)
{
	int i, j, status;

	for (i = 0; i < count; i++) {
		status = find_made(cli, pool, names[i], &found[i]);
		if (status)
			return status;
		for (j = 0; j < i; j++)
			if (found[j].vgpu == found[i].vgpu)
				return cli_error(cli, "%s is given twice", found[i].vgpu->name);
	}
	return CLI_OK;
}

static int remove_names(const struct cli *cli, char **names, int count, bool dry_run)
{
	struct find *found = calloc((size_t)count, sizeof(*found));
	struct pool pool;
	int status;

	if (!found)
		return cli_error(cli, "out of memory");
	status = find_pool(cli, POOL_STATE, &pool);
	if (!status) {
		status = find_all(cli, &pool, names, count, found);
		if (!status)
			status = dry_run ? print_steps(cli, found, count) :
					   remove_all(cli, found, count);
		pool_free(&pool);
	}
	free(found);
	return status;
}

static bool take_option(struct cli *cli, int opt, const char *arg, void *ctx)
{
	bool *dry_run = ctx;

	(void)cli;
	(void)arg;
	*dry_run = opt == OPT_DRY_RUN;
	return true;
}

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		CLI_COMMON_OPTIONS,
		{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
		{ 0 },
	};
	bool dry_run = false;
	const struct cli_parse parse = { .options = options, .own = take_option, .ctx = &dry_run };
	int at, status;

	at = cli_parse(cli, cmd, &parse, argc, argv, &status);
	if (at < 0)
		return status;
	if (at == argc)
		return cli_usage(cli, cmd, "NAME is required");
	return remove_names(cli, argv + at, argc - at, dry_run);
}

const struct cli_command cmd_remove = {
	.name = "remove",
	.summary = "remove vGPUs",
	.help = "usage: tesseractl remove NAME... [--dry-run] [--json]\n"
		"Removes vGPUs that are mediated devices or render nodes and frees their slices and\n"
		"their memory. Waits until no virtual machine has them open; programs that use a\n"
		"render node find that it is gone.\n"
		"\n"
		"  --dry-run       print what would be written to which file\n" CLI_COMMON_HELP,
	.run = run,
};
