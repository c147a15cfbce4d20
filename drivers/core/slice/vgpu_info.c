// SPDX-License-Identifier: GPL-2.0-only
/*
 * vGPUs: what can be asked of them.
 */
#include <linux/err.h>
#include <tessera/compat.h>
#include <tessera/memory.h>
#include <tessera/vgpu.h>

#include "base/export.h"
#include "base/gpu.h"
#include "slice.h"
#include "vgpu.h"

bool tess_gpu_in_use(struct tess_gpu *gpu)
{
	struct tess_vgpu *vgpu;
	bool used = false;

	spin_lock(&gpu->lock);
	list_for_each_entry(vgpu, &gpu->vgpus, link)
		used |= !vgpu->elastic || vgpu->claims;
	spin_unlock(&gpu->lock);
	return used;
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_in_use, TESS_NS);

void *tess_vgpu_priv(const struct tess_vgpu *vgpu)
{
	return vgpu->priv;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_priv, TESS_NS);

struct tess_gpu *tess_vgpu_gpu(const struct tess_vgpu *vgpu)
{
	return vgpu->gpu;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_gpu, TESS_NS);

bool tess_vgpu_is_gone(const struct tess_vgpu *vgpu)
{
	return READ_ONCE(vgpu->gpu->gone);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_is_gone, TESS_NS);

unsigned int tess_vgpu_vslices(const struct tess_vgpu *vgpu)
{
	return vgpu->nr_vslices;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_vslices, TESS_NS);

const struct tess_vram *tess_vgpu_vram(const struct tess_vgpu *vgpu)
{
	return vgpu->vram.count ? &vgpu->vram : NULL;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_vram, TESS_NS);

struct tess_vram_export *tess_vgpu_export(struct tess_vgpu *vgpu, u64 offset, u64 size)
{
	if (!vgpu->banks)
		return ERR_PTR(-EINVAL);
	return tess_vram_export_of(vgpu->gpu, &vgpu->vram, vgpu->banks, vgpu->nr_vslices, offset,
				   size);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_export, TESS_NS);

static struct tess_vram_quota *vgpu_quota(struct tess_vgpu *vgpu)
{
	return vgpu->claims ? &vgpu->quota : NULL;
}

struct tess_vram *tess_vram_reserve(struct tess_vgpu *vgpu, u64 size, int near_slice,
				    bool contiguous)
{
	return tess_vram_reserve_of(vgpu->gpu, vgpu_quota(vgpu), size, near_slice, contiguous);
}
EXPORT_SYMBOL_NS_GPL(tess_vram_reserve, TESS_NS);

struct tess_vram *tess_vram_alloc(struct tess_vgpu *vgpu, u64 size, int near_slice,
				  bool contiguous)
{
	struct tess_vram *vram = tess_vram_reserve(vgpu, size, near_slice, contiguous);

	if (IS_ERR(vram))
		return vram;
	/* Of a GPU that is gone nobody reads it */
	if (tess_vram_clear(vram) != -EBUSY)
		return vram;
	tess_vram_free(vgpu->gpu, vram);
	return ERR_PTR(-EBUSY);
}
EXPORT_SYMBOL_NS_GPL(tess_vram_alloc, TESS_NS);

u64 tess_vgpu_vram_size(struct tess_vgpu *vgpu)
{
	return vgpu->claims ? READ_ONCE(vgpu->quota.limit) : vgpu->gpu->info.vram_size;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_vram_size, TESS_NS);

u64 tess_vgpu_vram_free(struct tess_vgpu *vgpu)
{
	if (vgpu->claims)
		return tess_vram_quota_left(vgpu->gpu, &vgpu->quota);
	return tess_gpu_vram_free(vgpu->gpu);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_vram_free, TESS_NS);

void tess_vgpu_blueprint(const struct tess_vgpu *vgpu, struct tess_blueprint *bp)
{
	spin_lock(&vgpu->gpu->lock);
	*bp = vgpu->blueprint;
	spin_unlock(&vgpu->gpu->lock);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_blueprint, TESS_NS);

u64 tess_vgpu_slice_mask(const struct tess_vgpu *vgpu)
{
	const struct tess_slice *slice;
	u64 mask = 0;
	unsigned int i;

	spin_lock(&vgpu->gpu->lock);
	for (i = 0; i < vgpu->nr_vslices; i++) {
		slice = vgpu->vslices[i].slice;
		if (slice && !slice->leaving && !tess_slice_is_withdrawn(slice) &&
		    tess_vslice_is_given(&vgpu->vslices[i]))
			mask |= BIT_ULL(i);
	}
	spin_unlock(&vgpu->gpu->lock);
	return mask;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_slice_mask, TESS_NS);

int tess_vgpu_slice(const struct tess_vgpu *vgpu, unsigned int vslice)
{
	const struct tess_slice *slice;
	int index = -ENXIO;

	if (vslice >= vgpu->nr_vslices)
		return -EINVAL;
	spin_lock(&vgpu->gpu->lock);
	slice = vgpu->vslices[vslice].slice;
	if (slice)
		index = slice->index;
	spin_unlock(&vgpu->gpu->lock);
	return index;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_slice, TESS_NS);
