// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared slices: who shares which.
 *
 * DOC: Shared slices
 *
 * A slice is shared from when its first member joins until its last one leaves; in
 * between it belongs to nobody, and the scheduler decides who is resident. All vGPUs
 * that share slices are equal in this; one that has slices of its own shares none.
 *
 * Members come without a state on the slice: their first access to a register, or their
 * first doorbell, makes them want to run. A member that leaves while it is resident
 * leaves the slice reset, so that nothing of it is there when the next one comes.
 */
#include <linux/err.h>
#include <tessera/compat.h>

#include "context.h"
#include "gpu.h"
#include "place.h"
#include "sched.h"
#include "share.h"
#include "slice.h"
#include "trace.h"
#include "turn.h"
#include "vgpu.h"

static_assert(TESS_POLICY_MAX == TESS_SHARE_MAX);

/**
 * tess_share_alloc() - make contexts for the vslices of a vGPU
 * @vgpu: shared vGPU
 *
 * Return: 0, -ENOMEM, -ENODEV; tess_share_free() has to follow in any case.
 */
int tess_share_alloc(struct tess_vgpu *vgpu)
{
	struct tess_context *ctx;
	unsigned int i;

	for (i = 0; i < vgpu->nr_vslices; i++) {
		ctx = tess_context_create(vgpu->gpu);
		if (IS_ERR(ctx))
			return PTR_ERR(ctx);
		vgpu->vslices[i].context = ctx;
	}
	return 0;
}

/**
 * tess_share_free() - free the contexts of a vGPU
 * @vgpu: vGPU without slices
 */
void tess_share_free(struct tess_vgpu *vgpu)
{
	unsigned int i;

	for (i = 0; i < vgpu->nr_vslices; i++) {
		tess_context_destroy(vgpu->vslices[i].context);
		vgpu->vslices[i].context = NULL;
	}
}

/* ---- placement ---- */

static u32 slice_load(const struct tess_slice *slice)
{
	const struct tess_policy *p = &slice->rq.policy;
	unsigned int i;
	u32 load = 0;

	lockdep_assert_held(&slice->gpu->lock);
	for (i = 0; i < p->count; i++)
		load += to_tess_vslice(p->entity[i])->vgpu->blueprint.weight;
	return load;
}

static void gpu_open_slices(struct tess_gpu *gpu, u32 *kinds, struct tess_place_shared *place)
{
	unsigned int i;

	*place = (struct tess_place_shared){ .count = gpu->info.slice_count, .kind = kinds };
	spin_lock(&gpu->lock);
	for (i = 0; i < gpu->info.slice_count; i++) {
		const struct tess_slice *slice = &gpu->slices[i];

		kinds[i] = slice->info.kind;
		if (slice->state != TESS_SLICE_SHARED && !tess_slice_can_be_had(slice))
			continue;
		place->open |= BIT_ULL(i);
		place->members[i] = slice->rq.policy.count;
		place->load[i] = slice_load(slice);
	}
	spin_unlock(&gpu->lock);
}

/**
 * tess_share_place() - choose slices for a vGPU that shares
 * @vgpu: vGPU; compose is held
 * @slices: result
 *
 * Return: 0, -ENOSPC.
 */
int tess_share_place(struct tess_vgpu *vgpu, u8 *slices)
{
	const struct tess_blueprint *bp = &vgpu->blueprint;
	struct tess_place_shared place;
	u32 kinds[TESS_MAX_SLICES];

	gpu_open_slices(vgpu->gpu, kinds, &place);
	if (!tess_place_share(&place, bp->kind, bp->slices, bp->weight, slices))
		return 0;
	dev_info(&vgpu->gpu->dev, "\"%s\": insufficient slices%s%s to share, %u asked\n",
		 vgpu->name, bp->kind ? " of kind " : "",
		 bp->kind ? tess_kind_name(bp->kind) : "", bp->slices);
	return -ENOSPC;
}

/**
 * tess_share_available() - how many vGPUs have room?
 * @gpu: GPU
 * @bp: valid blueprint that shares; its memory is not looked at
 *
 * Return: their number.
 */
unsigned int tess_share_available(struct tess_gpu *gpu, const struct tess_blueprint *bp)
{
	struct tess_place_shared place;
	u32 kinds[TESS_MAX_SLICES];

	if (!gpu->can_switch)
		return 0;
	gpu_open_slices(gpu, kinds, &place);
	return tess_place_share_count(&place, bp->kind, bp->slices,
				      bp->weight ?: TESS_WEIGHT_DEFAULT);
}

/* ---- members ---- */

/**
 * tess_share_add() - a vslice without a slice gets one that is shared
 * @slice: slice, its hw mutex is held
 * @vs: vslice with a context
 *
 * Return: 0; -ENOSPC too many share it.
 */
int tess_share_add(struct tess_slice *slice, struct tess_vslice *vs)
{
	struct tess_gpu *gpu = slice->gpu;
	bool added;

	lockdep_assert_held(&slice->hw);
	spin_lock(&gpu->lock);
	added = tess_policy_join(&slice->rq.policy, &vs->sched.policy);
	if (added) {
		WRITE_ONCE(vs->parked, true);
		WRITE_ONCE(vs->slice, slice);
		gpu->generation++;
	}
	spin_unlock(&gpu->lock);
	return added ? 0 : -ENOSPC;
}

/**
 * tess_share_join() - give a vslice its share of a slice
 * @slice: slice that can be had, or that is shared; compose is held
 * @vs: vslice with a context
 *
 * Return: 0; -EIO the slice is faulty now; -ENOSPC, -ENODEV.
 */
int tess_share_join(struct tess_slice *slice, struct tess_vslice *vs)
{
	int rc = 0;

	lockdep_assert_held(&slice->gpu->compose);
	tess_slice_reclaim(slice);
	mutex_lock(&slice->hw);
	if (slice->state == TESS_SLICE_FREE)
		rc = tess_slice_share(slice);
	else if (slice->state != TESS_SLICE_SHARED)
		rc = -EIO;
	if (!rc)
		rc = tess_share_add(slice, vs);
	mutex_unlock(&slice->hw);
	return rc;
}

/* Nothing of it is on the slice afterwards */
static void share_evict(struct tess_slice *slice, struct tess_vslice *vs)
{
	struct tess_gpu *gpu = slice->gpu;
	int idx;

	if (tess_gpu_enter(gpu, &idx)) {
		tess_sched_settle(slice);
		trace_tess_sched_out(slice, vs->vgpu, vs->index, slice->rq.now,
				     vs->sched.run_cycles - vs->sched.in_cycles,
				     TESS_OUT_REMOVE);
		tess_gpu_exit(gpu, idx);
	}
	slice->rq.armed = false;
	if (tess_slice_reset(slice) == -EIO)
		tess_slice_give_up(slice);
	spin_lock(&gpu->lock);
	slice->client = NULL;
	slice->vslice = 0;
	spin_unlock(&gpu->lock);
}

/**
 * tess_share_leave() - take its share of a slice from a vslice
 * @slice: its slice; compose is held
 * @vs: vslice
 *
 * On return the GPU makes no access for it, and no call-back comes.
 */
void tess_share_leave(struct tess_slice *slice, struct tess_vslice *vs)
{
	struct tess_gpu *gpu = slice->gpu;

	lockdep_assert_held(&gpu->compose);
	mutex_lock(&slice->hw);
	if (tess_vslice_is_resident(vs))
		share_evict(slice, vs);
	spin_lock(&gpu->lock);
	tess_policy_leave(&slice->rq.policy, &vs->sched.policy);
	WRITE_ONCE(vs->slice, NULL);
	gpu->generation++;
	spin_unlock(&gpu->lock);
	tess_turn_cancel(vs, -ENXIO);
	if (!slice->rq.policy.count)
		tess_slice_unshare(slice);
	mutex_unlock(&slice->hw);
	tess_sched_queue(slice);
}
