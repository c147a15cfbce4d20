// SPDX-License-Identifier: GPL-2.0-only
/*
 * vGPUs: compositions of slices and memory for one client.
 *
 * DOC: vGPUs
 *
 * A vGPU belongs to a front-end, from creation to destruction, also when its GPU goes
 * away in between: then it is a shell for which all calls fail. The elastic vGPU, with
 * which the host itself uses what nobody else asked for, differs from the others only in
 * that it gets and loses slices while it lives, so that the host needs no second way
 * through the core.
 *
 * Call-backs count in tess_vgpu.active, so that destroying a vGPU can wait for them
 * without a lock that a call-back would hold: call-backs may call the core.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <tessera/compat.h>

#include "algo/blueprint.h"
#include "auto/adapt.h"
#include "base/gpu.h"
#include "compose.h"
#include "pool/vgpu_sysfs.h"
#include "room.h"
#include "run/sched.h"
#include "run/turn.h"
#include "slice/fault.h"
#include "slice/slice.h"
#include "slice/vgpu.h"
#include "transfer.h"

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

/* From here on it is told when the GPU goes; too late if it is gone already */
static int vgpu_publish(struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = vgpu->gpu;
	int rc = -ENODEV;

	spin_lock(&gpu->lock);
	if (!gpu->gone) {
		list_add_tail(&vgpu->link, &gpu->vgpus);
		vgpu->published = true;
		vgpu->generation = 1;
		rc = 0;
	}
	spin_unlock(&gpu->lock);
	return rc;
}

static void vgpu_init_vslices(struct tess_vgpu *vgpu)
{
	unsigned int i;

	for (i = 0; i < vgpu->nr_vslices; i++) {
		struct tess_vslice *vs = &vgpu->vslices[i];

		vs->vgpu = vgpu;
		vs->index = i;
		tess_fault_init_vslice(vs);
		tess_sched_init_vslice(vs);
	}
}

static struct tess_vgpu *vgpu_alloc(struct tess_gpu *gpu, const struct tess_vgpu_params *params,
				    const struct tess_blueprint *bp)
{
	unsigned int n = params->elastic ? gpu->info.slice_count : bp->max;
	struct tess_vgpu *vgpu;

	vgpu = kzalloc(struct_size(vgpu, vslices, n), GFP_KERNEL);
	if (!vgpu)
		return NULL;
	vgpu->nr_vslices = n;
	vgpu->name = kstrdup(params->name, GFP_KERNEL);
	if (!vgpu->name) {
		kfree(vgpu);
		return NULL;
	}
	INIT_LIST_HEAD(&vgpu->link);
	init_waitqueue_head(&vgpu->idle);
	vgpu->gpu = gpu;
	vgpu->elastic = params->elastic;
	vgpu->part = params->part;
	vgpu->blueprint = *bp;
	vgpu->ops = params->ops;
	vgpu->priv = params->priv;
	vgpu->owner = params->elastic ? NULL : params->owner;
	vgpu->continues = params->continues;
	vgpu->frozen = params->continues;
	vgpu_init_vslices(vgpu);
	get_device(&gpu->dev);
	return vgpu;
}

static void vgpu_free(struct tess_vgpu *vgpu)
{
	put_device(&vgpu->gpu->dev);
	kfree(vgpu->name);
	kfree(vgpu);
}

static int params_check(struct tess_gpu *gpu, const struct tess_vgpu_params *params,
			const struct tess_blueprint *bp)
{
	const struct tess_client_ops *ops = params->ops;
	int rc;

	if (!params->name || !ops || !ops->gone || (!params->elastic && !ops->fault))
		return -EINVAL;
	if (params->replaces && params->replaces->gpu != gpu)
		return -EINVAL;
	if (params->elastic)
		return 0;
	rc = tess_blueprint_check(gpu, params->name, bp, bp->max, params->reason);
	if (!rc && params->continues)
		rc = tess_transfer_check(gpu, params->continues, bp, params->reason);
	if (rc || (ops->parked && ops->resumed))
		return rc;
	return bp->shared || bp->automatic || bp->min < bp->max ? -EINVAL : 0;
}

static int vgpu_begin(struct tess_vgpu *vgpu, struct tess_reason *reason)
{
	struct tess_gpu *gpu = vgpu->gpu;
	int rc;

	mutex_lock(&gpu->compose);
	rc = gpu->leaving || READ_ONCE(gpu->gone) ? -ENODEV : tess_vgpu_compose(vgpu, reason);
	if (!rc && !vgpu->elastic)
		rc = tess_compose_step();
	if (!rc)
		rc = vgpu_publish(vgpu);
	if (rc) {
		tess_vgpu_decompose(vgpu);
		tess_elastic_fill(gpu);
	} else {
		tess_adapt_note(vgpu);
	}
	mutex_unlock(&gpu->compose);
	return rc;
}

struct tess_vgpu *tess_vgpu_create(struct tess_gpu *gpu, const struct tess_vgpu_params *params)
{
	struct tess_blueprint bp = { 0 };
	struct tess_vgpu *vgpu;
	int rc;

	if (!params->elastic)
		bp = params->blueprint;
	tess_blueprint_resolve(&bp);
	rc = params_check(gpu, params, &bp);
	if (rc)
		return ERR_PTR(rc);
	vgpu = vgpu_alloc(gpu, params, &bp);
	if (!vgpu)
		return ERR_PTR(-ENOMEM);
	if (!vgpu->elastic) {
		rc = tess_gpu_hold(gpu, &vgpu->backend);
		if (rc)
			goto err_free;
	}
	if (!try_module_get(vgpu->owner)) {
		rc = -ENODEV;
		goto err_backend;
	}
	rc = vgpu_begin(vgpu, params->reason);
	if (rc == -ENOSPC && vgpu->lacks_memory) {
		tess_vgpu_make_room(vgpu);
		rc = vgpu_begin(vgpu, params->reason);
	}
	if (rc)
		goto err_module;
	tess_vgpu_clear_memory(vgpu);
	rc = vgpu->continues ? 0 : tess_vgpu_sysfs_add(vgpu, params->replaces);
	if (rc) {
		tess_vgpu_destroy(vgpu);
		return ERR_PTR(rc);
	}
	return vgpu;

err_module:
	module_put(vgpu->owner);
err_backend:
	module_put(vgpu->backend);
err_free:
	vgpu_free(vgpu);
	return ERR_PTR(rc);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_create, TESS_NS);

void tess_vgpu_destroy(struct tess_vgpu *vgpu)
{
	struct module *owner = vgpu->owner, *backend = vgpu->backend;
	struct tess_gpu *gpu = vgpu->gpu;
	unsigned int i;

	/* Waits for those who use its files */
	tess_vgpu_sysfs_remove(vgpu);
	spin_lock(&gpu->lock);
	vgpu->dying = true;
	spin_unlock(&gpu->lock);
	for (i = 0; i < vgpu->nr_vslices; i++)
		tess_turn_cancel(&vgpu->vslices[i], -ENXIO);
	tess_vgpu_wait_idle(vgpu);

	mutex_lock(&gpu->compose);
	tess_vgpu_decompose(vgpu);
	spin_lock(&gpu->lock);
	list_del(&vgpu->link);
	spin_unlock(&gpu->lock);
	tess_elastic_fill(gpu);
	mutex_unlock(&gpu->compose);

	vgpu_free(vgpu);
	module_put(owner);
	module_put(backend);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_destroy, TESS_NS);

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
