// SPDX-License-Identifier: GPL-2.0-only
/*
 * vGPUs: compositions of slices and memory for one client.
 *
 * DOC: vGPUs
 *
 * A vGPU belongs to a front-end, from creation to destruction, also when its GPU goes
 * away in between: then it is a shell for which all calls fail. Elastic vGPUs, with which
 * processes of the host use what nobody else asked for, or what was put aside for them
 * (claim.c), differ from the others only in that they get and lose slices while they live, so
 * that the host needs no second way through the core.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <tessera/compat.h>
#include <tessera/gpu.h>

#include "algo/blueprint.h"
#include "base/gpu.h"
#include "base/mem.h"
#include "base/refuse.h"
#include "check.h"
#include "claim.h"
#include "compose.h"
#include "elastic.h"
#include "room.h"
#include "run/run.h"
#include "shape.h"
#include "slice/fault.h"
#include "slice/note.h"
#include "slice/vgpu.h"
#include "transfer.h"

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
	vgpu->claims = params->elastic && bp->slices;
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
		return bp->slices ? tess_claim_check(gpu, params->name, bp, params->reason) : 0;
	rc = tess_blueprint_check(gpu, params->name, bp, bp->max, params->reason);
	if (!rc && params->continues)
		rc = tess_transfer_check(gpu, params->continues, bp, params->reason);
	if (rc || (ops->parked && ops->resumed))
		return rc;
	return bp->shared || bp->automatic || bp->min < bp->max ? -EINVAL : 0;
}

static int vgpu_begin_locked(struct tess_vgpu *vgpu, struct tess_reason *reason)
{
	struct tess_gpu *gpu = vgpu->gpu;

	lockdep_assert_held(&gpu->compose);
	if (gpu->leaving || READ_ONCE(gpu->gone))
		return -ENODEV;
	if (gpu->asleep)
		return tess_refuse(gpu, vgpu->name, reason, -EBUSY, "the GPU is asleep");
	return tess_vgpu_compose(vgpu, reason);
}

static int vgpu_begin(struct tess_vgpu *vgpu, struct tess_reason *reason)
{
	struct tess_gpu *gpu = vgpu->gpu;
	int rc;

	mutex_lock(&gpu->compose);
	rc = vgpu_begin_locked(vgpu, reason);
	if (!rc && (!vgpu->elastic || vgpu->claims))
		rc = tess_compose_step();
	if (!rc)
		rc = vgpu_publish(vgpu);
	if (rc) {
		tess_vgpu_decompose(vgpu);
		tess_elastic_fill(gpu);
	} else {
		if (vgpu->elastic)
			tess_elastic_begin(vgpu);
		tess_adapt_note(vgpu);
	}
	mutex_unlock(&gpu->compose);
	return rc;
}

/**
 * tess_vgpu_make() - compose a vGPU
 * @gpu: GPU
 * @params: what it is to be
 *
 * Return: as tess_vgpu_create().
 */
struct tess_vgpu *tess_vgpu_make(struct tess_gpu *gpu, const struct tess_vgpu_params *params)
{
	struct tess_blueprint bp = params->blueprint;
	struct tess_vgpu *vgpu;
	int rc;

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
	rc = vgpu->claims ? tess_claim_memory(vgpu, &bp, params->reason) : 0;
	if (rc)
		goto err_module;
	rc = vgpu_begin(vgpu, params->reason);
	if (rc == -ENOSPC && vgpu->lacks_memory) {
		tess_gpu_make_room(gpu, bp.memory * vgpu->nr_vslices);
		rc = vgpu_begin(vgpu, params->reason);
	}
	if (rc)
		goto err_quota;
	if (vgpu->claims)
		tess_claim_settle(vgpu, &bp);
	if (tess_vgpu_clear_memory(vgpu) != -EBUSY)
		return vgpu;
	tess_vgpu_unmake(vgpu);
	return ERR_PTR(-EBUSY);

err_quota:
	tess_vram_quota_settle(gpu, &vgpu->quota, 0);
err_module:
	module_put(vgpu->owner);
err_backend:
	module_put(vgpu->backend);
err_free:
	vgpu_free(vgpu);
	return ERR_PTR(rc);
}

/**
 * tess_vgpu_unmake() - end a vGPU
 * @vgpu: vGPU that nobody but its call-backs uses any more
 */
void tess_vgpu_unmake(struct tess_vgpu *vgpu)
{
	struct module *owner = vgpu->owner, *backend = vgpu->backend;
	struct tess_gpu *gpu = vgpu->gpu;
	unsigned int i;

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
	tess_vram_quota_settle(gpu, &vgpu->quota, 0);

	vgpu_free(vgpu);
	module_put(owner);
	module_put(backend);
}
