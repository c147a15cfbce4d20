// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: Room for a new vGPU
 *
 * Processes may use all VRAM that no vGPU has, and the DRM front-end evicts buffers of one for
 * another. A vGPU has its memory for life, so a composition that finds none asks the elastic vGPU
 * for it, once, and is tried again. No lock is held meanwhile: to copy VRAM to system memory takes
 * long, and other compositions go on.
 *
 * What a vGPU gave back, or its front-end offers no more, may still be read by processes
 * (base/export.c). A work item has them leave it. A composition that finds no memory waits for it.
 */
#include <linux/workqueue.h>
#include <linux/workqueue.h>
#include <tessera/compat.h>
#include <tessera/memory.h>
#include <tessera/vgpu.h>

#include "algo/blueprint.h"
#include "base/export.h"
#include "base/gpu.h"
#include "base/mem.h"
#include "room.h"
#include "shape.h"
#include "slice/vgpu.h"

static bool room_imports(struct tess_vgpu *vgpu)
{
	return vgpu->elastic && vgpu->ops->revoked;
}

static void room_tell(struct tess_vgpu *vgpu)
{
	vgpu->ops->revoked(vgpu);
}

static void room_revoke_work(struct work_struct *work)
{
	tess_vgpus_each(container_of(work, struct tess_gpu, revoke_work), room_imports, room_tell);
}

/**
 * tess_room_revoked() - memory that its vGPU gave back is still read
 * @gpu: GPU
 *
 * Importers are told soon, without a lock.
 */
void tess_room_revoked(struct tess_gpu *gpu)
{
	schedule_work(&gpu->revoke_work);
}

void tess_vram_export_revoke(struct tess_vram_export *export)
{
	struct tess_gpu *gpu = tess_vram_export_end(export);

	if (gpu)
		tess_room_revoked(gpu);
}
EXPORT_SYMBOL_NS_GPL(tess_vram_export_revoke, TESS_NS);

void tess_vgpu_await_revoked(struct tess_vgpu *vgpu)
{
	flush_work(&vgpu->gpu->revoke_work);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_await_revoked, TESS_NS);

/**
 * tess_room_init() - nothing was revoked yet
 * @gpu: new GPU
 */
void tess_room_init(struct tess_gpu *gpu)
{
	INIT_WORK(&gpu->revoke_work, room_revoke_work);
}

/**
 * tess_room_stop() - importers are told no more
 * @gpu: GPU that is gone; its front-ends end all imports when they leave it
 */
void tess_room_stop(struct tess_gpu *gpu)
{
	disable_work_sync(&gpu->revoke_work);
}

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

	flush_work(&gpu->revoke_work);
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
