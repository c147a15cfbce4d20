// SPDX-License-Identifier: GPL-2.0-or-later
/* tesseractl compose: give a vGPU another shape. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "cli.h"
#include "find.h"
#include "mdev.h"
#include "node.h"
#include "picture.h"
#include "refusal.h"
#include "shape.h"

enum { OPT_PROFILE = CLI_OPT_OWN, OPT_DRY_RUN };

/**
 * struct compose - options
 * @profile: file, NULL: words
 * @dry_run: change nothing
 * @ask: what is asked for
 */
struct compose {
	const char *profile;
	bool dry_run;
	struct ask ask;
};

static void print_change(const char *what, const char *from, const char *to)
{
	if (strcmp(from, to))
		printf("  %-11s %s -> %s\n", what, from, to);
	else
		printf("  %-11s %s\n", what, to);
}

static void print_changes(const struct find *before, const struct find *after)
{
	const struct pool_vgpu *old = before->vgpu, *new = after->vgpu;
	char from[SHAPE_TEXT], to[SHAPE_TEXT];

	print_change("generation", num_text(from, old->generation), num_text(to, new->generation));
	print_change("given", shape_count(from, old), shape_count(to, new));
	print_change("kinds", shape_kinds(from, old), shape_kinds(to, new));
	print_change("slices", shape_slices(from, old), shape_slices(to, new));
	if (strcmp(old->blueprint, new->blueprint))
		printf("  %-11s %s\n  %-11s -> %s\n", "blueprint",
		       old->blueprint[0] ? old->blueprint : "-", "", new->blueprint);
	else
		printf("  %-11s %s\n", "blueprint", new->blueprint);
}

static bool has_changed(const struct pool_vgpu *old, const struct pool_vgpu *new)
{
	return old->generation.known != new->generation.known ||
	       old->generation.v != new->generation.v || strcmp(old->blueprint, new->blueprint);
}

static struct json_object *change_json(const struct find *before, const struct find *after)
{
	struct json_object *obj = json_object_new_object(), *old = json_object_new_object(),
			   *new = json_object_new_object();
	char gpu[32];

	snprintf(gpu, sizeof(gpu), "gpu%u", after->gpu->index);
	shape_add_json(old, before->vgpu);
	shape_add_json(new, after->vgpu);
	json_object_object_add(obj, "vgpu", json_object_new_string(after->vgpu->name));
	json_object_object_add(obj, "gpu", json_object_new_string(gpu));
	json_object_object_add(obj, "changed",
			       json_object_new_boolean(has_changed(before->vgpu, after->vgpu)));
	json_object_object_add(obj, "before", old);
	json_object_object_add(obj, "after", new);
	return obj;
}

static int print_composed(const struct cli *cli, const struct pool *pool, const struct find *before,
			  const struct find *after)
{
	if (cli->json)
		return cli_print_json(cli, change_json(before, after));
	printf("%s on gpu%u: %s\n", after->vgpu->name, after->gpu->index,
	       has_changed(before->vgpu, after->vgpu) ? "composed" : "nothing changed");
	print_changes(before, after);
	putchar('\n');
	picture_gpu(pool, after->gpu);
	picture_legend();
	return cli_flush(cli);
}

static int compose(const struct cli *cli, const struct pool *pool, const char *name,
		   const struct compose *c)
{
	char path[MDEV_PATH], what[2 * POOL_NAME];
	struct find before, after;
	struct refusal refusal;
	struct pool now;
	int rc, status;

	status = find_made(cli, pool, name, &before);
	if (status)
		return status;
	if (!before.vgpu->blueprint[0])
		return cli_error(cli,
				 "%s has no blueprint: the module tessera_mdev is older than this "
				 "program",
				 before.vgpu->name);
	if (before.vgpu->node && c->profile)
		return cli_error(cli, "%s is a render node, which takes WORD=VALUE and no profile",
				 before.vgpu->name);
	node_made_path(path, before.gpu, before.vgpu);
	if (c->dry_run)
		return ask_print_steps(cli, &(struct ask_step){ path, c->ask.file, c->ask.text },
				       1);
	rc = mdev_write(cli, path, c->ask.file, c->ask.text);
	if (rc) {
		snprintf(what, sizeof(what), "cannot compose %s", before.vgpu->name);
		refusal_read(&refusal, cli, path, c->ask.file, rc);
		return refusal_print(cli, &refusal, c->ask.text, what);
	}
	status = find_pool(cli, POOL_STATE, &now);
	if (status)
		return status;
	/* A mediated device on any GPU: its own may have had no room */
	snprintf(what, sizeof(what), "gpu%u/%s", before.gpu->index, before.vgpu->dir);
	status = find_vgpu(cli, &now, before.vgpu->node ? what : before.vgpu->dir, &after);
	if (!status)
		status = print_composed(cli, &now, &before, &after);
	pool_free(&now);
	return status;
}

static bool take_option(struct cli *cli, int opt, const char *arg, void *ctx)
{
	struct compose *c = ctx;

	(void)cli;
	if (opt == OPT_PROFILE)
		c->profile = arg;
	else
		c->dry_run = true;
	return true;
}

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		CLI_COMMON_OPTIONS,
		{ "profile", required_argument, NULL, OPT_PROFILE },
		{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
		{ 0 },
	};
	struct compose c = { 0 };
	const struct cli_parse parse = { .options = options, .own = take_option, .ctx = &c };
	struct pool pool;
	int at, status;

	at = cli_parse(cli, cmd, &parse, argc, argv, &status);
	if (at < 0)
		return status;
	if (at == argc || (at + 1 == argc && !c.profile))
		return cli_usage(cli, cmd, "NAME, and WORD=VALUE or --profile FILE, are required");
	status = ask_take(cli, cmd, c.profile, argv + at + 1, argc - at - 1, &c.ask);
	if (!status)
		status = find_pool(cli, POOL_STATE, &pool);
	if (status)
		return status;
	status = compose(cli, &pool, argv[at], &c);
	pool_free(&pool);
	return status;
}

const struct cli_command cmd_compose = {
	.name = "compose",
	.summary = "recompose a vGPU while it works",
	.help = "usage: tesseractl compose NAME WORD=VALUE... [--dry-run] [--json]\n"
		"       tesseractl compose NAME --profile FILE [--dry-run] [--json]\n"
		"       tesseractl compose NAME none [--dry-run] [--json]\n"
		"Recomposes a vGPU while it works, as one transaction. Words that are not given\n"
		"keep their values. With --profile the kernel makes a blueprint for a workload;\n"
		"none releases all slices and all memory.\n"
		"\n"
		"  --profile FILE  profile as printed by \"tesseractl profile\", - for standard\n"
		"                  input\n"
		"  --dry-run       print what would be written to which file\n" CLI_COMMON_HELP
		"\n" ASK_WORDS_HELP,
	.run = run,
};
