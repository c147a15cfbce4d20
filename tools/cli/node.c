// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: nodes
 *
 * A node has a directory in gpuN/nodes with what its vGPU does not say: the file in /dev/dri, its
 * VRAM, and a blueprint that can be written. Its vGPU has a vslice for each slice of the GPU; here
 * it has those only that have a slice, as other vGPUs.
 */
#include <stdio.h>
#include <unistd.h>

#include "attr.h"
#include "find.h"
#include "node.h"

const char *node_path(char *buf, const struct pool_gpu *gpu, const char *name)
{
	snprintf(buf, MDEV_PATH, "class/tessera/gpu%u/nodes%s%s", gpu->index, name ? "/" : "",
		 name ? name : "");
	return buf;
}

const char *node_made_path(char *buf, const struct pool_gpu *gpu, const struct pool_vgpu *vgpu)
{
	return vgpu->node ? node_path(buf, gpu, vgpu->dir) : mdev_path_of(buf, gpu, vgpu);
}

static void drop_empty_vslices(struct pool_vgpu *vgpu)
{
	unsigned int i, n = 0;

	for (i = 0; i < vgpu->vslice_count; i++)
		if (vgpu->vslices[i].on)
			vgpu->vslices[n++] = vgpu->vslices[i];
	vgpu->vslice_count = n;
	vgpu->own_count = n;
}

static void read_vgpu(int root, const struct pool_gpu *gpu, struct pool_vgpu *vgpu)
{
	const struct find object = { .gpu = gpu, .vgpu = vgpu };
	char path[FIND_PATH];
	int dir = attr_dir(root, find_path(path, &object));

	if (dir < 0)
		return;
	vgpu->generation = attr_num(dir, "generation");
	vgpu->given = attr_num(dir, "given");
	close(dir);
}

static void read_node(int root, const struct pool_gpu *gpu, struct pool_vgpu *vgpu)
{
	char path[MDEV_PATH];
	int dir = attr_dir(root, node_path(path, gpu, vgpu->dir));

	if (dir < 0)
		return;
	vgpu->node = true;
	pool_read_attrs(dir, pool_mdev_attrs, POOL_STATE, vgpu);
	pool_read_attrs(dir, pool_node_attrs, POOL_STATE, vgpu);
	close(dir);
	vgpu->memory = vgpu->vram_total;
	read_vgpu(root, gpu, vgpu);
	drop_empty_vslices(vgpu);
}

void node_read_all(int root, struct pool *pool)
{
	unsigned int i, j;

	for (i = 0; i < pool->gpu_count; i++)
		for (j = 0; j < pool->gpus[i].vgpu_count; j++)
			if (!pool->gpus[i].vgpus[j].mdev)
				read_node(root, &pool->gpus[i], &pool->gpus[i].vgpus[j]);
}
