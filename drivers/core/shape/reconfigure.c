// SPDX-License-Identifier: GPL-2.0-only
/*
 * A GPU whose slices change, because it is a vGPU itself.
 *
 * DOC: Reconfiguration
 *
 * In a guest, the host composes the GPU anew while it is in use. What was there keeps its
 * registers and its ring: the host runs the work that is left on a slice that it withdrew
 * in turns with that of another. So a slice that vanishes is not taken from its owner.
 * Nobody else can get it, the owner is told by config() to send nothing new, and what it
 * has sent before runs to its end, however long that takes. When the slice comes back
 * config() says that, too, and all goes on with the same ring. A slice that appears for the
 * first time is free, and goes to the elastic vGPU.
 *
 * The other way would be to take the slice away when its ring is empty. Somebody would have
 * to wait for that, and the only place to do it in order is here, under tess_gpu.compose:
 * one job without an end would keep the next composition from ever being used. An idle ring
 * costs some memory.
 *
 * A slice that becomes one of another kind changes nothing for the work that is on it: the
 * host moved it with all its state.
 */
#include <linux/string.h>
#include <tessera/compat.h>

#include "base/gpu.h"
#include "elastic.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

static void slice_set_info(struct tess_slice *slice, const struct tess_slice_info *info)
{
	struct tess_gpu *gpu = slice->gpu;
	bool absent = info->kind == TESS_KIND_NONE;

	spin_lock(&gpu->lock);
	slice->info = *info;
	if (slice->state == TESS_SLICE_FREE && absent)
		slice->state = TESS_SLICE_ABSENT;
	else if (slice->state == TESS_SLICE_ABSENT && !absent)
		slice->state = TESS_SLICE_FREE;
	gpu->generation++;
	spin_unlock(&gpu->lock);
}

static void slice_reconfigure(struct tess_slice *slice, const struct tess_slice_info *info)
{
	if (memcmp(&slice->info, info, sizeof(*info)))
		slice_set_info(slice, info);
}

static bool reconfigure_renew(struct tess_vgpu *vgpu)
{
	vgpu->generation++;
	return true;
}

static void reconfigure_tell(struct tess_vgpu *vgpu)
{
	if (vgpu->ops->config)
		vgpu->ops->config(vgpu);
}

void tess_gpu_reconfigure(struct tess_gpu *gpu, const struct tess_slice_info *slices)
{
	unsigned int i;

	mutex_lock(&gpu->compose);
	if (!READ_ONCE(gpu->gone)) {
		for (i = 0; i < gpu->info.slice_count; i++)
			slice_reconfigure(&gpu->slices[i], &slices[i]);
		tess_elastic_fill(gpu);
		tess_vgpus_each(gpu, reconfigure_renew, reconfigure_tell);
	}
	mutex_unlock(&gpu->compose);
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_reconfigure, TESS_NS);
