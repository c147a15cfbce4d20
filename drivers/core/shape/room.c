// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: Room for a new vGPU
 *
 * Processes may use all VRAM that no vGPU has, and the DRM front-end evicts buffers of one for
 * another. A vGPU has its memory for life, so a composition that finds none asks the elastic vGPU
 * for it, once, and is tried again. No lock is held meanwhile: to copy VRAM to system memory takes
 * long, and other compositions go on.
 */
#include <tessera/vgpu.h>

#include "algo/blueprint.h"
#include "base/gpu.h"
#include "base/mem.h"
#include "room.h"
#include "slice/vgpu.h"

/* The elastic vGPU, which is not destroyed until tess_vgpu_put_client(), or NULL */
static struct tess_vgpu *room_get_elastic(struct tess_gpu *gpu)
{
	struct tess_vgpu *elastic;

	spin_lock(&gpu->lock);
	elastic = gpu->elastic;
	if (elastic && (elastic->dying || gpu->gone || !elastic->ops->evict))
		elastic = NULL;
	if (elastic)
		elastic->active++;
	spin_unlock(&gpu->lock);
	return elastic;
}

/**
 * tess_gpu_make_room() - have VRAM evicted
 * @gpu: GPU; no lock is held
 * @want: bytes that are to be free
 *
 * As much is evicted as the GPU has, at most: what processes take again meanwhile is not asked for
 * again and again. What is free on return may be less than @want.
 */
void tess_gpu_make_room(struct tess_gpu *gpu, u64 want)
{
	u64 have, freed = 1, total = 0;
	struct tess_vgpu *elastic;

	elastic = want <= gpu->info.vram_size ? room_get_elastic(gpu) : NULL;
	if (!elastic)
		return;
	have = tess_vram_available(gpu, TESS_MEMORY_GRANULE);
	while (have < want && freed && total < gpu->info.vram_size) {
		freed = elastic->ops->evict(elastic, want - have);
		total += freed;
		have = tess_vram_available(gpu, TESS_MEMORY_GRANULE);
	}
	tess_vgpu_put_client(elastic);
}
