// SPDX-License-Identifier: GPL-2.0-only
/*
 * vGPUs: call-backs of their owners, and what can be asked of them.
 *
 * DOC: References to vGPUs
 *
 * Call-backs count in tess_vgpu.active, so that destroying a vGPU can wait for them
 * without a lock that a call-back would hold: call-backs may call the core.
 */
#include <linux/wait.h>
#include <tessera/compat.h>

#include "base/gpu.h"
#include "slice.h"
#include "vgpu.h"

/* ---- call-backs and their end ---- */

/**
 * tess_vgpu_get() - count a call-back
 * @vgpu: vGPU that cannot be freed now
 *
 * Return: false if no call-back may start; else tess_vgpu_put_client() has to follow.
 */
bool tess_vgpu_get(struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = vgpu->gpu;
	bool alive;

	spin_lock(&gpu->lock);
	alive = !vgpu->dying && !gpu->gone;
	if (alive)
		vgpu->active++;
	spin_unlock(&gpu->lock);
	return alive;
}

void tess_vgpu_put_client(struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = vgpu->gpu;

	/* Wake under the lock: who waits may free the vGPU as soon as it is released */
	spin_lock(&gpu->lock);
	if (!--vgpu->active)
		wake_up_all(&vgpu->idle);
	spin_unlock(&gpu->lock);
}

static bool vgpu_is_idle(struct tess_vgpu *vgpu)
{
	bool idle;

	spin_lock(&vgpu->gpu->lock);
	idle = !vgpu->active;
	spin_unlock(&vgpu->gpu->lock);
	return idle;
}

/**
 * tess_vgpu_wait_idle() - wait for call-backs that run
 * @vgpu: vGPU
 */
void tess_vgpu_wait_idle(struct tess_vgpu *vgpu)
{
	wait_event(vgpu->idle, vgpu_is_idle(vgpu));
}

/**
 * tess_vgpu_tell() - the composition is another
 * @vgpu: vGPU; compose is held
 */
void tess_vgpu_tell(struct tess_vgpu *vgpu)
{
	if (!vgpu->ops->config || !tess_vgpu_get(vgpu))
		return;
	vgpu->ops->config(vgpu);
	tess_vgpu_put_client(vgpu);
}

/* Next vGPU that was not told; in the list until it is destroyed */
static struct tess_vgpu *vgpu_next_to_tell(struct tess_gpu *gpu)
{
	struct tess_vgpu *vgpu, *found = NULL;

	spin_lock(&gpu->lock);
	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		if (vgpu->dying || vgpu->told_gone)
			continue;
		vgpu->told_gone = true;
		vgpu->active++;
		found = vgpu;
		break;
	}
	spin_unlock(&gpu->lock);
	return found;
}

/**
 * tess_vgpus_tell_gone() - gone() for all vGPUs of a GPU
 * @gpu: GPU, marked as gone
 */
void tess_vgpus_tell_gone(struct tess_gpu *gpu)
{
	struct tess_vgpu *vgpu;

	/* No reclaim() or restore() after gone() */
	mutex_lock(&gpu->compose);
	while ((vgpu = vgpu_next_to_tell(gpu))) {
		vgpu->ops->gone(vgpu);
		tess_vgpu_put_client(vgpu);
	}
	mutex_unlock(&gpu->compose);
}

/* ---- questions ---- */

bool tess_gpu_in_use(struct tess_gpu *gpu)
{
	struct tess_vgpu *vgpu;
	bool used = false;

	spin_lock(&gpu->lock);
	list_for_each_entry(vgpu, &gpu->vgpus, link)
		used |= !vgpu->elastic;
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
