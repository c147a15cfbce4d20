// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: names
 *
 * UUIDs are long: any beginning that fits only one vGPU will do. "drm" may be on each
 * GPU; "gpu1/drm" says which.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "find.h"
#include "near.h"

#define UUID_LENGTH 36
#define UUID_SHORT 8
#define NAMES_MAX 1024

int find_pool_error(const struct cli *cli, int rc)
{
	if (rc == -ENOENT)
		return cli_error(cli,
				 "%s/class/tessera does not exist: load the module for your GPU "
				 "(modprobe tessera_pci), or mount sysfs",
				 cli->sysfs);
	if (rc == -ENODEV)
		return cli_error(cli,
				 "the module tessera is loaded, but there is no GPU: is one "
				 "plugged in, and is its driver tessera_pci loaded and bound?");
	return cli_error(cli, "cannot read %s/class/tessera: %s", cli->sysfs, strerror(-rc));
}

int find_pool(const struct cli *cli, enum pool_depth depth, struct pool *pool)
{
	int rc = pool_read(cli->sysfs, depth, pool);

	if (!rc)
		return CLI_OK;
	pool_free(pool);
	return find_pool_error(cli, rc);
}

int find_run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv,
	     const char *usage,
	     int (*act)(const struct cli *cli, const struct pool *pool, const char *name))
{
	struct pool pool;
	int at, status;

	at = cli_parse_common(cli, cmd, argc, argv, &status);
	if (at < 0)
		return status;
	if (at + 1 != argc)
		return cli_usage(cli, cmd, "%s", usage);
	status = find_pool(cli, POOL_BUSY, &pool);
	if (status)
		return status;
	status = act(cli, &pool, argv[at]);
	pool_free(&pool);
	return status;
}

/* Append to a list of names in @buf; "..." ends one that is full */
static void append_name(char *buf, const char *prefix, const char *name)
{
	size_t len = strlen(buf);

	if (len + strlen(prefix) + strlen(name) + 8 < NAMES_MAX)
		sprintf(buf + len, "%s%s%s", len ? ", " : "", prefix, name);
	else if (len + 8 < NAMES_MAX && strcmp(buf + len - 3, "..."))
		strcpy(buf + len, ", ...");
}

static int no_vgpu(const struct cli *cli, const struct pool *pool, const char *name)
{
	struct near near = near_to(name);
	char names[NAMES_MAX] = "", gpu[32];
	unsigned int i, j;

	for (i = 0; i < pool->gpu_count; i++) {
		snprintf(gpu, sizeof(gpu), "gpu%u/", pool->gpus[i].index);
		for (j = 0; j < pool->gpus[i].vgpu_count; j++) {
			append_name(names, pool->gpu_count > 1 ? gpu : "",
				    pool->gpus[i].vgpus[j].name);
			near_offer_prefix(&near, pool->gpus[i].vgpus[j].name);
		}
	}
	if (!names[0])
		return cli_error(cli, "no vGPU %s; there are none", name);
	/* One that is the same is on another GPU */
	if (near.best && near.distance)
		return cli_error(cli, "no vGPU %s; did you mean %s? There are: %s", name, near.best,
				 names);
	return cli_error(cli, "no vGPU %s; there are: %s", name, names);
}

static int no_gpu(const struct cli *cli, const struct pool *pool, const char *name)
{
	char names[NAMES_MAX] = "", gpu[32];
	unsigned int i;

	for (i = 0; i < pool->gpu_count; i++) {
		snprintf(gpu, sizeof(gpu), "gpu%u", pool->gpus[i].index);
		append_name(names, "", gpu);
	}
	return cli_error(cli, "no GPU %s; there are: %s", name, names);
}

static int find_slice(const struct cli *cli, int index, struct find *found)
{
	const struct pool_gpu *gpu = found->gpu;

	found->slice = pool_slice(gpu, num(index));
	if (found->slice)
		return CLI_OK;
	if (!gpu->slice_count)
		return cli_error(cli, "gpu%u has no slices now", gpu->index);
	return cli_error(cli, "gpu%u has no slice%d; there are slice%u to slice%u", gpu->index,
			 index, gpu->slices[0].index, gpu->slices[gpu->slice_count - 1].index);
}

/* 2: it is that one; 1: it starts like that; 0: neither */
static int name_fits(const char *dir, const char *name)
{
	return !strcmp(dir, name) ? 2 : !strncmp(dir, name, strlen(name));
}

/* The vGPUs of one GPU, or of all. An exact name beats one that was cut. */
static int match_vgpu(const struct cli *cli, const struct pool *pool, const struct pool_gpu *only,
		      const char *name, struct find *found)
{
	unsigned int i, j, count = 0;
	int best = 1;

	for (i = 0; i < pool->gpu_count; i++) {
		const struct pool_gpu *gpu = &pool->gpus[i];

		for (j = 0; (!only || gpu == only) && j < gpu->vgpu_count; j++) {
			int fit = name_fits(gpu->vgpus[j].dir, name);

			/* One of several GPUs is found on the first, unless another is named */
			if (fit < best || (!only && gpu->vgpus[j].part))
				continue;
			count = fit > best ? 1 : count + 1;
			best = fit;
			found->gpu = gpu;
			found->vgpu = &gpu->vgpus[j];
		}
	}
	if (count == 1)
		return CLI_OK;
	if (!count || !*name)
		return no_vgpu(cli, pool, name);
	return cli_error(cli,
			 best == 2 ? "%u GPUs have a vGPU %s; use gpuN/%s" :
				     "the names of %u vGPUs start with %s; give more of it than %s",
			 count, name, name);
}

int find_object(const struct cli *cli, const struct pool *pool, const char *name,
		struct find *found)
{
	const char *rest = strchr(name, '/');
	char head[32];
	int index;

	*found = (struct find){ 0 };
	snprintf(head, sizeof(head), "%.*s", rest ? (int)(rest - name) : (int)strlen(name), name);
	index = attr_index(head, "gpu");
	if (index < 0)
		return match_vgpu(cli, pool, NULL, name, found);
	found->gpu = pool_gpu(pool, (unsigned int)index);
	if (!found->gpu)
		return no_gpu(cli, pool, head);
	if (!rest)
		return CLI_OK;
	index = attr_index(rest + 1, "slice");
	if (index >= 0)
		return find_slice(cli, index, found);
	return match_vgpu(cli, pool, found->gpu, rest + 1, found);
}

int find_vgpu(const struct cli *cli, const struct pool *pool, const char *name, struct find *found)
{
	int status = find_object(cli, pool, name, found);

	if (!status && !found->vgpu)
		return no_vgpu(cli, pool, name);
	return status;
}

int find_made(const struct cli *cli, const struct pool *pool, const char *name, struct find *found)
{
	int status = find_vgpu(cli, pool, name, found);

	if (status || found->vgpu->mdev || found->vgpu->node)
		return status;
	return cli_error(cli,
			 "%s is not a mediated device: it belongs to a driver of the host, "
			 "which takes and returns slices by itself",
			 found->vgpu->name);
}

int find_mdev(const struct cli *cli, const struct pool *pool, const char *name, struct find *found)
{
	int status = find_made(cli, pool, name, found);

	if (!status && found->vgpu->node)
		return cli_error(cli, "%s is a render node, which stays on its GPU",
				 found->vgpu->name);
	return status;
}

const char *find_short_name(char *buf, const struct pool *pool, const char *name)
{
	unsigned int i, j, count = 0;

	snprintf(buf, POOL_NAME, "%s", *name ? name : "-");
	if (strlen(name) != UUID_LENGTH || name[UUID_SHORT] != '-')
		return buf;
	for (i = 0; i < pool->gpu_count; i++)
		for (j = 0; j < pool->gpus[i].vgpu_count; j++)
			count += !pool->gpus[i].vgpus[j].part &&
				 !strncmp(pool->gpus[i].vgpus[j].name, name, UUID_SHORT);
	if (count <= 1)
		buf[UUID_SHORT] = '\0';
	return buf;
}

const char *find_path(char *buf, const struct find *object)
{
	int len = snprintf(buf, FIND_PATH, "class/tessera/gpu%u", object->gpu->index);

	if (object->slice)
		snprintf(buf + len, FIND_PATH - (size_t)len, "/slices/slice%u",
			 object->slice->index);
	else if (object->vgpu)
		snprintf(buf + len, FIND_PATH - (size_t)len, "/vgpus/%s", object->vgpu->dir);
	return buf;
}
