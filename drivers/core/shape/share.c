// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared slices: who shares which.
 *
 * DOC: Shared slices
 *
 * A slice is shared from when its first member joins until its last one leaves; in
 * between it belongs to nobody, and the scheduler decides who is resident. All vGPUs
 * that share slices are equal in this; one that has slices of its own shares none. But if
 * it has more vslices than slices, or may have, it shares its own slices with itself: they
 * are dedicated to it (tess_slice.owner), nobody else joins.
 *
 * Members come without a state on the slice: their first access to a register, or their
 * first doorbell, makes them want to run. A member that leaves while it is resident
 * leaves the slice reset, so that nothing of it is there when the next one comes.
 */
#include <linux/err.h>
#include <tessera/compat.h>

#include "algo/place.h"
#include "base/context.h"
#include "base/gpu.h"
#include "check.h"
#include "elastic.h"
#include "run/run.h"
#include "share.h"
#include "slice/fault.h"
#include "slice/look.h"
#include "slice/slice.h"
#include "slice/trace.h"
#include "slice/vgpu.h"

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
	struct tess_policy_entity *e;
	u32 load = 0;

	lockdep_assert_held(&slice->gpu->lock);
	tess_policy_for_each(e, p)
		load += to_tess_vslice(e)->vgpu->blueprint.weight;
	return load;
}

/**
 * tess_share_open_slices() - what placement of those that share has to choose from
 * @gpu: GPU
 * @bp: what they are for
 * @kinds: for @place, one for each slice
 * @place: result
 */
void tess_share_open_slices(struct tess_gpu *gpu, const struct tess_blueprint *bp, u32 *kinds,
			    struct tess_place_shared *place)
{
	unsigned int i;

	*place = (struct tess_place_shared){
		.count = gpu->info.slice_count,
		.kind = kinds,
		.unfit = tess_blueprint_unfit(gpu, bp),
	};
	spin_lock(&gpu->lock);
	for (i = 0; i < gpu->info.slice_count; i++) {
		const struct tess_slice *slice = &gpu->slices[i];

		kinds[i] = slice->info.kind;
		if (slice->out || place->unfit & BIT_ULL(i))
			continue;
		if ((slice->state != TESS_SLICE_SHARED || slice->owner) &&
		    !tess_slice_can_be_had(slice))
			continue;
		place->open |= BIT_ULL(i);
		place->members[i] = slice->rq.policy.count;
		place->load[i] = slice_load(slice);
	}
	spin_unlock(&gpu->lock);
}

/**
 * tess_share_choose() - choose slices with room for all vslices
 * @place: what there is; who is placed is added if there is room
 * @bp: resolved blueprint that shares
 * @n: how many slices, of @bp->slices
 * @count: vslices of the vGPU
 * @slices: result
 *
 * The vslices that are withheld are members of the slices, too.
 *
 * Return: 0, -ENOSPC.
 */
int tess_share_choose(struct tess_place_shared *place, const struct tess_blueprint *bp,
		      unsigned int n, unsigned int count, u8 *slices)
{
	unsigned int i, each = DIV_ROUND_UP(count, bp->slices);
	int rc;

	for (i = 0; i < place->count; i++)
		if (place->members[i] + each > TESS_SHARE_MAX)
			place->open &= ~BIT_ULL(i);
	rc = tess_place_share(place, bp->kind, n, bp->weight, slices);
	for (i = 0; !rc && i < n; i++) {
		place->members[slices[i]] += each - 1;
		place->load[slices[i]] += (each - 1) * bp->weight;
	}
	return rc;
}

/**
 * tess_share_count() - slices that have room
 * @place: what there is, after tess_share_choose()
 * @kind: enum tess_slice_kind; TESS_KIND_NONE: any
 *
 * Return: their number.
 */
unsigned int tess_share_count(const struct tess_place_shared *place, u32 kind)
{
	unsigned int i, n = 0;

	for (i = 0; i < place->count; i++)
		n += (place->open & BIT_ULL(i)) && place->members[i] < TESS_SHARE_MAX &&
		     (!kind || place->kind[i] == kind);
	return n;
}

/**
 * tess_share_place() - choose slices for a vGPU that shares
 * @vgpu: vGPU; compose is held
 * @slices: result
 * @reason: filled if there are not enough; may be NULL
 *
 * Return: 0, -ENOSPC.
 */
int tess_share_place(struct tess_vgpu *vgpu, u8 *slices, struct tess_reason *reason)
{
	const struct tess_blueprint *bp = &vgpu->blueprint;
	struct tess_place_shared place;
	u32 kinds[TESS_MAX_SLICES];

	tess_share_open_slices(vgpu->gpu, bp, kinds, &place);
	if (!tess_share_choose(&place, bp, bp->slices, vgpu->nr_vslices, slices))
		return 0;
	return tess_refuse_slices(vgpu, bp, tess_share_count(&place, bp->kind), reason);
}

/**
 * tess_share_available() - how many vGPUs have room?
 * @gpu: GPU
 * @bp: valid and resolved blueprint that shares; its memory is not looked at
 *
 * Return: their number.
 */
unsigned int tess_share_available(struct tess_gpu *gpu, const struct tess_blueprint *bp)
{
	struct tess_place_shared place;
	u32 kinds[TESS_MAX_SLICES];
	u8 slices[TESS_MAX_SLICES];
	unsigned int n = 0;

	tess_share_open_slices(gpu, bp, kinds, &place);
	while (!tess_share_choose(&place, bp, bp->slices, bp->max, slices))
		n++;
	return n;
}

/* ---- members ---- */

/**
 * tess_share_add() - a vslice has its home on a shared slice from now on
 * @slice: slice, its hw mutex is held
 * @vs: vslice with a context, not resident; the hw mutex of its home is held if it has one
 *
 * It leaves the one and joins the other in one section of tess_gpu.lock, so that it is never
 * without a home.
 *
 * Return: 0; -ENOSPC too many share it.
 */
int tess_share_add(struct tess_slice *slice, struct tess_vslice *vs)
{
	struct tess_gpu *gpu = slice->gpu;
	int rc = -ENOSPC;

	lockdep_assert_held(&slice->hw);
	spin_lock(&gpu->lock);
	if (slice->rq.policy.count < TESS_SHARE_MAX) {
		if (vs->slice)
			tess_policy_leave(&vs->slice->rq.policy, &vs->sched.policy);
		tess_policy_join(&slice->rq.policy, &vs->sched.policy);
		WRITE_ONCE(vs->parked, true);
		WRITE_ONCE(vs->slice, slice);
		gpu->generation++;
		rc = 0;
	}
	spin_unlock(&gpu->lock);
	return rc;
}

/**
 * tess_share_open() - let vslices of a vGPU come to a slice
 * @slice: slice that can be had, or that is shared; compose is held
 * @vgpu: vGPU that takes turns
 *
 * tess_share_close() has to follow if none comes.
 *
 * Return: 0; -EIO the slice is faulty now; -EBUSY it is another's; -ENODEV.
 */
int tess_share_open(struct tess_slice *slice, struct tess_vgpu *vgpu)
{
	int rc = 0;

	lockdep_assert_held(&slice->gpu->compose);
	tess_slice_reclaim(slice);
	mutex_lock(&slice->hw);
	if (slice->state == TESS_SLICE_FREE)
		rc = tess_slice_share(slice, vgpu->dedicated ? vgpu : NULL);
	else if (!tess_slice_is_shared(slice, vgpu))
		rc = slice->state == TESS_SLICE_FAULTY ? -EIO : -EBUSY;
	mutex_unlock(&slice->hw);
	return rc;
}

/**
 * tess_share_close() - a slice that is nobody's home is free
 * @slice: slice, shared or not; compose is held
 */
void tess_share_close(struct tess_slice *slice)
{
	lockdep_assert_held(&slice->gpu->compose);
	mutex_lock(&slice->hw);
	if (slice->state == TESS_SLICE_SHARED && !slice->rq.policy.count)
		tess_slice_vacate(slice);
	mutex_unlock(&slice->hw);
}

/**
 * tess_share_join() - give a vslice its share of a slice
 * @slice: slice that can be had, or that is shared; compose is held
 * @vs: vslice with a context
 *
 * Return: 0; -EIO the slice is faulty now; -EBUSY, -ENOSPC, -ENODEV.
 */
int tess_share_join(struct tess_slice *slice, struct tess_vslice *vs)
{
	int rc;

	rc = tess_share_open(slice, vs->vgpu);
	if (rc)
		return rc;
	mutex_lock(&slice->hw);
	rc = tess_share_add(slice, vs);
	mutex_unlock(&slice->hw);
	if (rc)
		tess_share_close(slice);
	return rc;
}

/* The resident vslice of a slice of its own becomes its only member */
static void share_adopt(struct tess_vslice *vs)
{
	struct tess_slice *slice = vs->slice;
	struct tess_gpu *gpu = slice->gpu;
	struct tess_runq *rq = &slice->rq;
	int idx;

	mutex_lock(&slice->hw);
	if (tess_gpu_enter(gpu, &idx)) {
		tess_sched_settle(slice);
		tess_gpu_exit(gpu, idx);
	}
	spin_lock(&gpu->lock);
	tess_policy_join(&rq->policy, &vs->sched.policy);
	slice->state = TESS_SLICE_SHARED;
	slice->owner = vs->vgpu;
	gpu->generation++;
	spin_unlock(&gpu->lock);
	tess_policy_start(&rq->policy, &vs->sched.policy);
	rq->turn_start = rq->now;
	rq->contested = false;
	rq->armed = false;
	mutex_unlock(&slice->hw);
}

/**
 * tess_share_dedicate() - a vGPU's own slices become dedicated ones
 * @vgpu: vGPU with a slice for each vslice; compose is held
 *
 * Its vslices stay resident and notice nothing.
 *
 * Return: 0, -ENOMEM, -ENODEV.
 */
int tess_share_dedicate(struct tess_vgpu *vgpu)
{
	unsigned int i;
	int rc;

	rc = tess_share_alloc(vgpu);
	if (rc) {
		tess_share_free(vgpu);
		return rc;
	}
	for (i = 0; i < vgpu->nr_vslices; i++)
		share_adopt(&vgpu->vslices[i]);
	vgpu->dedicated = true;
	return 0;
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
	tess_slice_set_resident(slice, NULL);
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
	tess_fault_drop(vs);
	tess_turn_cancel(vs, -ENXIO);
	if (!slice->rq.policy.count)
		tess_slice_vacate(slice);
	mutex_unlock(&slice->hw);
	tess_slice_look(slice);
}
