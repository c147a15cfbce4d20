// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: tesseractl create
 *
 * A vGPU of a named type is one write. One from a blueprint is a blank mediated device
 * that then gets the blueprint; if it is refused, the device goes again, so that the
 * command works as a whole or not at all. A render node of the host is one write of its
 * name and blueprint. Where several GPUs could be meant, they are asked in turn until one has
 * room.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "cli.h"
#include "find.h"
#include "mdev.h"
#include "near.h"
#include "node.h"
#include "picture.h"
#include "pool_json.h"
#include "refusal.h"
#include "shape.h"
#include "signals.h"
#include "write.h"

enum { OPT_GPU = CLI_OPT_OWN, OPT_UUID, OPT_TYPE, OPT_PROFILE, OPT_NODE, OPT_DRY_RUN };

#define BLANK "blank"
#define NAMES_MAX 1024
#define NODE_TEXT (ATTR_MAX + POOL_NAME)

/**
 * struct create - what is to be made
 * @gpu: as typed, NULL: any
 * @type: as typed, NULL: from a blueprint or profile
 * @profile: file, NULL: words
 * @node: name of a render node, NULL: a mediated device
 * @dry_run: change nothing
 * @uuid: of the vGPU
 * @ask: what is asked for, unless there is a type
 */
struct create {
	const char *gpu, *type, *profile, *node;
	bool dry_run;
	char uuid[MDEV_UUID];
	struct ask ask;
};

/**
 * struct place - where a vGPU could be made
 * @gpu: GPU
 * @path: of the type, or of the nodes, from the root of sysfs on
 * @mdev: of the vGPU once it is there, likewise
 */
struct place {
	const struct pool_gpu *gpu;
	char path[MDEV_PATH];
	char mdev[MDEV_PATH];
};

/* ---- types ---- */

/* What attr_each() needs to know */
struct type_search {
	const char *wanted;
	char found[POOL_NAME];
	char all[NAMES_MAX];
	char near[POOL_NAME];
};

/* "C4" of "tessera_pci-C4" */
static const char *short_type(const char *name)
{
	const char *dash = strrchr(name, '-');

	return dash ? dash + 1 : name;
}

static int look_at_type(int dir, const char *name, void *ctx)
{
	struct near near;
	struct type_search *search = ctx;
	size_t len = strlen(search->all);

	(void)dir;
	if (!strcmp(name, search->wanted) || !strcmp(short_type(name), search->wanted))
		snprintf(search->found, sizeof(search->found), "%s", name);
	snprintf(search->all + len, sizeof(search->all) - len, "%s%s", len ? ", " : "",
		 short_type(name));
	near = near_to(search->wanted);
	near_offer(&near, short_type(name));
	if (near.best && !search->near[0])
		snprintf(search->near, sizeof(search->near), "%s", near.best);
	return 0;
}

static int no_types(const struct cli *cli, const struct create *c, const struct pool_gpu *gpu,
		    int rc)
{
	if (rc == -ENOENT && c->node)
		return cli_error(cli,
				 "gpu%u does not support render nodes of vGPUs: load the module "
				 "tessera_drm (modprobe tessera_drm), or it is older than this "
				 "program",
				 gpu->index);
	if (rc != -ENOENT)
		return cli_error(cli, "cannot read the types of vGPUs of gpu%u: %s", gpu->index,
				 strerror(-rc));
	return cli_error(cli,
			 "gpu%u does not support vGPUs for virtual machines: load the module "
			 "tessera_mdev (modprobe tessera_mdev)%s",
			 gpu->index, strcmp(gpu->type, "vgpu") ? "" : "; a vGPU never does");
}

static int no_type(const struct cli *cli, const struct pool_gpu *gpu, struct type_search *search)
{
	if (!strcmp(search->wanted, BLANK))
		return cli_error(cli,
				 "gpu%u does not support blueprints: the module tessera_mdev is "
				 "older than this program; use --type with one of: %s",
				 gpu->index, search->all);
	text_clean(search->all);
	if (search->near[0])
		return cli_error(cli, "gpu%u has no type %s; did you mean %s? There are: %s",
				 gpu->index, search->wanted, search->near, search->all);
	return cli_error(cli, "gpu%u has no type %s; there are: %s", gpu->index, search->wanted,
			 search->all);
}

/* 0, -ENODATA if there are types but not this one, or negative errno */
static int find_place(const struct cli *cli, const struct create *c, struct place *place,
		      struct type_search *search)
{
	char path[MDEV_PATH];
	int dir, rc;

	*search = (struct type_search){ .wanted = c->type ? c->type : BLANK };
	dir = mdev_open(cli, c->node ? node_path(place->path, place->gpu, NULL) :
				       mdev_types_path(path, place->gpu, NULL));
	if (dir < 0)
		return dir;
	if (c->node) {
		close(dir);
		return 0;
	}
	rc = attr_each(dir, look_at_type, search);
	close(dir);
	if (rc)
		return rc;
	if (!search->found[0])
		return -ENODATA;
	mdev_types_path(place->path, place->gpu, search->found);
	mdev_path(place->mdev, place->gpu, c->uuid);
	return 0;
}

/* ---- making one ---- */

/* Name and blueprint, as the file "create" of nodes takes them */
static const char *node_text(char text[NODE_TEXT], const struct create *c)
{
	snprintf(text, NODE_TEXT, "%s %s", c->node, c->ask.text);
	return text;
}

static int make_node(const struct cli *cli, const struct create *c, const struct place *place,
		     struct refusal *refusal)
{
	char text[NODE_TEXT];
	int rc = mdev_write(cli, place->path, "create", node_text(text, c));

	if (rc)
		refusal_read(refusal, cli, place->path, "create", rc);
	return rc;
}

/* Whole or not at all: 0, or negative errno with the reason */
static int make(const struct cli *cli, const struct create *c, const struct place *place,
		struct refusal *refusal)
{
	int rc;

	if (c->node)
		return make_node(cli, c, place, refusal);
	rc = mdev_write(cli, place->path, "create", c->uuid);
	if (rc) {
		*refusal = (struct refusal){ .rc = rc };
		snprintf(refusal->reason, sizeof(refusal->reason), "%s", write_error(rc, "create"));
		return rc;
	}
	if (c->type)
		return 0;
	rc = mdev_write(cli, place->mdev, c->ask.file, c->ask.text);
	if (rc) {
		refusal_read(refusal, cli, place->mdev, c->ask.file, rc);
		mdev_write(cli, place->mdev, "remove", "1");
	}
	return rc;
}

static struct json_object *created_json(const struct pool_gpu *gpu, const struct pool_vgpu *vgpu)
{
	struct json_object *obj = json_object_new_object();
	char name[32];

	snprintf(name, sizeof(name), "gpu%u", gpu->index);
	json_object_object_add(obj, "vgpu", json_object_new_string(vgpu->name));
	json_object_object_add(obj, "gpu", json_object_new_string(name));
	json_object_object_add(obj, "device", pool_text_json(vgpu->device));
	shape_add_json(obj, vgpu);
	return obj;
}

static int print_created(const struct cli *cli, const struct pool *pool, const struct find *found)
{
	const struct pool_vgpu *vgpu = found->vgpu;
	char text[SHAPE_TEXT];

	if (cli->json)
		return cli_print_json(cli, created_json(found->gpu, vgpu));
	printf("%s on gpu%u: created\n", vgpu->name, found->gpu->index);
	printf("  %-11s %s\n", "given", shape_count(text, vgpu));
	printf("  %-11s %s\n", "kinds", shape_kinds(text, vgpu));
	printf("  %-11s %s\n", "slices", shape_slices(text, vgpu));
	if (vgpu->blueprint[0])
		printf("  %-11s %s\n", "blueprint", vgpu->blueprint);
	if (vgpu->device[0])
		printf("  %-11s /dev/dri/%s\n", "device", vgpu->device);
	putchar('\n');
	picture_gpu(pool, found->gpu);
	picture_legend();
	return cli_flush(cli);
}

static int show_created(const struct cli *cli, const struct create *c, const struct place *place)
{
	char name[32 + POOL_NAME];
	struct find found;
	struct pool pool;
	int status = find_pool(cli, POOL_STATE, &pool);

	if (status)
		return status;
	snprintf(name, sizeof(name), "gpu%u/%s", place->gpu->index, c->node ? c->node : c->uuid);
	status = find_vgpu(cli, &pool, name, &found);
	if (!status)
		status = print_created(cli, &pool, &found);
	pool_free(&pool);
	return status;
}

static int dry_run(const struct cli *cli, const struct create *c, const struct place *place)
{
	char text[NODE_TEXT];
	const struct ask_step steps[] = {
		{ place->path, "create", c->node ? node_text(text, c) : c->uuid },
		{ place->mdev, c->ask.file, c->ask.text },
	};

	return ask_print_steps(cli, steps, c->type || c->node ? 1 : 2);
}

/* ---- where ---- */

static const struct pool_gpu *next_gpu(const struct pool *pool, const struct pool_gpu *only,
				       unsigned int *at)
{
	const struct pool_gpu *gpu;

	while (*at < pool->gpu_count) {
		gpu = &pool->gpus[(*at)++];
		/* What is a vGPU itself has nothing to give, unless it is asked for by name */
		if (only ? gpu == only : strcmp(gpu->type, "vgpu") != 0)
			return gpu;
	}
	return NULL;
}

/**
 * struct without - a GPU that does not have the type
 * @gpu: GPU; NULL: there was none
 * @rc: of find_place()
 * @search: what it found
 */
struct without {
	const struct pool_gpu *gpu;
	int rc;
	struct type_search search;
};

static int no_place(const struct cli *cli, const struct create *c, struct without *none)
{
	if (!none->gpu)
		return cli_error(cli, "no GPU supports vGPUs for virtual machines");
	if (none->rc == -ENODATA)
		return no_type(cli, none->gpu, &none->search);
	return no_types(cli, c, none->gpu, none->rc);
}

/*
 * The GPUs in turn until one has room; the last refusal is the one that is told. If no GPU has
 * the type, it is what the first one has.
 */
static int create_somewhere(const struct cli *cli, const struct create *c, const struct pool *pool,
			    const struct pool_gpu *only)
{
	char what[2 * POOL_NAME];
	struct refusal refusal = { 0 };
	struct without none = { 0 };
	struct type_search search;
	struct place place = { 0 };
	unsigned int at = 0;
	int missing, rc = -ENOSPC;

	while (rc == -ENOSPC && (place.gpu = next_gpu(pool, only, &at))) {
		missing = find_place(cli, c, &place, &search);
		if (missing) {
			if (!none.gpu)
				none = (struct without){ place.gpu, missing, search };
			continue;
		}
		if (c->dry_run)
			return dry_run(cli, c, &place);
		rc = make(cli, c, &place, &refusal);
		if (!rc)
			return show_created(cli, c, &place);
		snprintf(what, sizeof(what), "cannot create a vGPU on gpu%u", place.gpu->index);
	}
	if (!refusal.rc)
		return no_place(cli, c, &none);
	return refusal_print(cli, &refusal, c->ask.text, what);
}

/* "0" or "gpu0" */
static int find_gpu(const struct cli *cli, const struct pool *pool, const char *text,
		    const struct pool_gpu **gpu)
{
	int index = text ? attr_index(text, "") : -1, status;
	struct find found = { 0 };
	char name[32];

	*gpu = NULL;
	if (!text)
		return CLI_OK;
	snprintf(name, sizeof(name), "gpu%d", index);
	status = find_object(cli, pool, index < 0 ? text : name, &found);
	if (!status && (found.slice || found.vgpu))
		return cli_error(cli, "--gpu %s is not a GPU; give its number", text);
	*gpu = found.gpu;
	return status;
}

static int create(const struct cli *cli, const struct create *c)
{
	const struct pool_gpu *only;
	struct pool pool;
	int signals, status = find_pool(cli, POOL_STATE, &pool);

	if (status)
		return status;
	status = find_gpu(cli, &pool, c->gpu, &only);
	/* What was begun is ended: no blank vGPU is left behind by a Ctrl-C */
	signals = signals_open();
	if (!status)
		status = create_somewhere(cli, c, &pool, only);
	if (signals >= 0)
		close(signals);
	pool_free(&pool);
	return status;
}

/* ---- command line ---- */

static bool take_uuid(const struct cli *cli, struct create *c, const char *text)
{
	unsigned int i;

	for (i = 0; text[i] && i < sizeof(c->uuid) - 1; i++)
		c->uuid[i] = text[i] >= 'A' && text[i] <= 'F' ? text[i] + 'a' - 'A' : text[i];
	if (!text[i] && mdev_is_uuid(c->uuid))
		return true;
	cli_usage(cli, &cmd_create,
		  "--uuid %s is not a UUID like 7f2c1a2b-0000-4000-8000-00000000000a", text);
	return false;
}

static bool take_option(struct cli *cli, int opt, const char *arg, void *ctx)
{
	struct create *c = ctx;

	switch (opt) {
	case OPT_GPU:
		c->gpu = arg;
		break;
	case OPT_UUID:
		return take_uuid(cli, c, arg);
	case OPT_TYPE:
		c->type = arg;
		break;
	case OPT_PROFILE:
		c->profile = arg;
		break;
	case OPT_NODE:
		c->node = arg;
		break;
	default:
		c->dry_run = true;
	}
	return true;
}

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		CLI_COMMON_OPTIONS,
		{ "gpu", required_argument, NULL, OPT_GPU },
		{ "uuid", required_argument, NULL, OPT_UUID },
		{ "type", required_argument, NULL, OPT_TYPE },
		{ "profile", required_argument, NULL, OPT_PROFILE },
		{ "render-node", required_argument, NULL, OPT_NODE },
		{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
		{ 0 },
	};
	struct create c = { 0 };
	const struct cli_parse parse = { .options = options, .own = take_option, .ctx = &c };
	int at, status;

	at = cli_parse(cli, cmd, &parse, argc, argv, &status);
	if (at < 0)
		return status;
	if (c.type && (c.profile || at != argc))
		return cli_usage(cli, cmd, "--type excludes WORD=VALUE and --profile");
	if (c.node && (c.type || c.profile || c.uuid[0]))
		return cli_usage(cli, cmd, "--render-node excludes --type, --profile and --uuid");
	if (!c.type && !c.profile && at == argc)
		return cli_usage(cli, cmd, "WORD=VALUE, --type TYPE or --profile FILE is required");
	if (!c.type) {
		status = ask_take(cli, cmd, c.profile, argv + at, argc - at, &c.ask);
		if (status)
			return status;
	}
	if (!c.uuid[0] && !mdev_random_uuid(c.uuid))
		return cli_error(cli, "cannot generate a UUID: %s; give one with --uuid",
				 strerror(errno));
	return create(cli, &c);
}

const struct cli_command cmd_create = {
	.name = "create",
	.summary = "create a vGPU for a virtual machine, or for processes",
	.help = "usage: tesseractl create [--gpu N] [--uuid UUID] WORD=VALUE... [--dry-run] [--json]\n"
		"       tesseractl create [--gpu N] [--uuid UUID] --type TYPE\n"
		"       tesseractl create [--gpu N] [--uuid UUID] --profile FILE\n"
		"       tesseractl create [--gpu N] --render-node NAME WORD=VALUE...\n"
		"Creates a mediated device from a blueprint, a type, or a profile of a workload, and\n"
		"prints its UUID, by which QEMU and libvirt attach it. On failure nothing remains.\n"
		"With --render-node the vGPU is a file in /dev/dri, for instance for a container.\n"
		"\n"
		"  --gpu N         GPU; default: the first one with sufficient resources\n"
		"  --uuid UUID     name of the vGPU; default: random\n"
		"  --type TYPE     type, such as C4; blank has no slices until it gets a blueprint\n"
		"  --profile FILE  profile as printed by \"tesseractl profile\", - for standard\n"
		"                  input\n"
		"  --render-node NAME\n"
		"                  make a render node with slices and VRAM of its own\n"
		"  --dry-run       print what would be written to which file\n" CLI_COMMON_HELP
		"\n" ASK_WORDS_HELP,
	.run = run,
};
