// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recomposition: another shape for a vGPU that runs.
 *
 * DOC: Recomposition
 *
 * Under tess_gpu.compose, in steps, each of which can be undone as long as nothing is
 * published:
 *
 * 1. *Plan*: slices are chosen as for a new vGPU, but those that it has count as free,
 *    it stays on them where nothing is gained by a move, and those near its memory are
 *    better.
 * 2. *Reserve*: the slices that it does not have yet are taken, from the elastic vGPU if it
 *    holds them.
 * 3. *Move*: one vslice after the other is parked and gets its home, where it goes on when
 *    it is its turn (see "Moves"). Those that are withheld from now on are moved to a slice
 *    of one that is given, and run there what they have left; nobody waits for them to
 *    drain. The memory of all vslices stays.
 * 4. *Connect*: engines and links of the new blueprint. Until then links are those of both.
 * 5. *Publish*: the blueprint, weights, and one new generation; the client is told.
 * 6. *Release*: slices that are nobody's home are reset and free.
 *
 * A change can be held between 4 and 5, under tess_gpu.compose: parts of a vGPU on several
 * GPUs are changed together (span.c), all or none.
 *
 * A vGPU with a slice for each vslice, which the scheduler has nothing to do with, gets
 * dedicated slices as soon as it has to have fewer, or as soon as one of its vslices has to go
 * to a slice that another of them has: a dedicated slice can be the home of both for a moment,
 * so that any permutation of its slices can be made, in any order. It keeps them then, also with
 * as many slices as vslices again, or if the change fails later: what is alone on a slice is not
 * switched, so nothing would be gained by the way back.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <tessera/compat.h>
#include <tessera/vgpu.h>

#include "algo/blueprint.h"
#include "algo/place.h"
#include "base/gpu.h"
#include "base/refuse.h"
#include "check.h"
#include "compose.h"
#include "claim.h"
#include "elastic.h"
#include "move.h"
#include "recompose.h"
#include "run/run.h"
#include "share.h"
#include "slice/note.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

/**
 * struct recompose_plan - a change of a vGPU
 * @vgpu: vGPU
 * @old: its blueprint
 * @bp: the new one
 * @dedicate: its slices have to become dedicated ones
 * @slices: for the vslices that are given
 * @before: homes that the vslices have
 * @homes: homes that they get
 * @touched: slices that may be nobody's home afterwards
 * @old_reach: tess_vslice.reach of each
 * @reach: what it becomes
 * @reason: filled if it is refused; may be NULL
 */
struct recompose_plan {
	struct tess_vgpu *vgpu;
	struct tess_blueprint old;
	struct tess_blueprint bp;
	bool dedicate;
	u8 slices[TESS_MAX_SLICES];
	u8 before[TESS_MAX_SLICES];
	u8 homes[TESS_MAX_SLICES];
	u64 touched;
	u64 old_reach[TESS_MAX_SLICES];
	u64 reach[TESS_MAX_SLICES];
	struct tess_reason *reason;
};

/* ---- is it possible? ---- */

static int recompose_check(const struct recompose_plan *plan)
{
	const struct tess_blueprint *old = &plan->old, *bp = &plan->bp;
	const struct tess_vgpu *vgpu = plan->vgpu;
	struct tess_gpu *gpu = vgpu->gpu;
	int rc;

	rc = tess_blueprint_check(gpu, vgpu->name, bp, vgpu->nr_vslices, plan->reason);
	if (rc)
		return rc;
	if (bp->max > vgpu->nr_vslices)
		return tess_refuse(gpu, vgpu->name, plan->reason, -EBUSY,
				   "max=%u: it is in use and has %u vslices", bp->max,
				   vgpu->nr_vslices);
	if (bp->memory != old->memory)
		return tess_refuse(gpu, vgpu->name, plan->reason, -EBUSY,
				   "memory=%llu: it is in use and has %llu for a vslice",
				   bp->memory, old->memory);
	if (bp->shared != old->shared)
		return tess_refuse(gpu, vgpu->name, plan->reason, -EBUSY,
				   "share=%s: it is in use and is %s",
				   bp->shared ? "shared" : "exclusive",
				   old->shared ? "shared" : "exclusive");
	return 0;
}

/* ---- plan ---- */

static u64 plan_own_slices(const struct recompose_plan *plan)
{
	u64 mask = 0;
	unsigned int i;

	for (i = 0; i < plan->vgpu->nr_vslices; i++)
		mask |= BIT_ULL(plan->before[i]);
	return mask;
}

/* Where the memory is; NULL: there is none */
static const u8 *plan_banks(const struct recompose_plan *plan, u8 *bank)
{
	const struct tess_vgpu *vgpu = plan->vgpu;
	unsigned int i;

	if (!vgpu->banks)
		return NULL;
	for (i = 0; i < vgpu->nr_vslices; i++)
		bank[i] = tess_vslice_bank(&vgpu->vslices[i]);
	return bank;
}

static int plan_exclusive(struct recompose_plan *plan)
{
	const struct tess_blueprint *bp = &plan->bp;
	u8 bank[TESS_MAX_SLICES];
	const struct tess_place_request req = {
		.n = bp->slices,
		.kind = bp->kind,
		.topology = bp->topology,
		.keep = plan_own_slices(plan),
		.now = plan->before,
		.nr_now = plan->old.slices,
		.bank = plan_banks(plan, bank),
		.heads = bp->heads,
		.frame = min(bp->shown.vslice, plan->vgpu->nr_vslices - 1),
	};
	u32 kinds[TESS_MAX_SLICES];
	struct tess_place place;

	tess_vgpu_free_slices(plan->vgpu, bp, kinds, &place);
	if (!tess_place_choose(&place, &req, plan->slices))
		return 0;
	place.free |= req.keep;
	return tess_refuse_slices(plan->vgpu, bp, tess_place_free(&place, bp->kind),
				  plan->reason);
}

/* Its own vslices leave the slices that are not theirs afterwards, and do not count */
static void plan_forget_own(const struct recompose_plan *plan, struct tess_place_shared *place)
{
	unsigned int i, slice;

	for (i = 0; i < plan->vgpu->nr_vslices; i++) {
		slice = plan->before[i];
		place->members[slice] -= min(place->members[slice], 1);
		place->load[slice] -= min(place->load[slice], plan->old.weight);
	}
}

/* A vslice stays that is given before and afterwards, if its slice is good enough */
static u64 plan_stay(struct recompose_plan *plan, const struct tess_place_shared *place)
{
	const struct tess_blueprint *bp = &plan->bp;
	unsigned int i, slice, each = DIV_ROUND_UP(plan->vgpu->nr_vslices, bp->slices);
	u64 stay = 0;

	for (i = 0; i < min(bp->slices, plan->old.slices); i++) {
		slice = plan->before[i];
		if ((bp->kind && place->kind[slice] != bp->kind) || place->unfit & BIT_ULL(slice) ||
		    place->members[slice] + each > TESS_SHARE_MAX || (stay & BIT_ULL(slice)))
			continue;
		plan->slices[i] = slice;
		stay |= BIT_ULL(slice);
	}
	return stay;
}

static int plan_shared(struct recompose_plan *plan)
{
	const struct tess_blueprint *bp = &plan->bp;
	unsigned int i, k = 0, n = bp->slices;
	struct tess_place_shared place;
	u32 kinds[TESS_MAX_SLICES];
	u8 more[TESS_MAX_SLICES];
	u64 stay;

	tess_share_open_slices(plan->vgpu->gpu, bp, kinds, &place);
	plan_forget_own(plan, &place);
	stay = plan_stay(plan, &place);
	place.open &= ~stay;
	if (hweight64(stay) < n &&
	    tess_share_choose(&place, bp, n - hweight64(stay), plan->vgpu->nr_vslices, more))
		return tess_refuse_slices(plan->vgpu, bp,
					  hweight64(stay) + tess_share_count(&place, bp->kind),
					  plan->reason);
	for (i = 0; i < n; i++)
		if (i >= plan->old.slices || !(stay & BIT_ULL(plan->before[i])) ||
		    plan->slices[i] != plan->before[i])
			plan->slices[i] = more[k++];
	return 0;
}

/* Does a vslice go where another one is now? Nobody can have a slice of its own there then */
static bool plan_permutes(const struct recompose_plan *plan)
{
	u64 own = plan_own_slices(plan);
	unsigned int i;

	for (i = 0; i < plan->vgpu->nr_vslices; i++)
		if (plan->homes[i] != plan->before[i] && (own & BIT_ULL(plan->homes[i])))
			return true;
	return false;
}

static int plan_make(struct recompose_plan *plan)
{
	struct tess_vgpu *vgpu = plan->vgpu;
	unsigned int i;
	int rc;

	for (i = 0; i < vgpu->nr_vslices; i++)
		plan->before[i] = vgpu->vslices[i].slice->index;
	memset(plan->slices, 0xff, sizeof(plan->slices));
	rc = vgpu->blueprint.shared ? plan_shared(plan) : plan_exclusive(plan);
	if (rc)
		return rc;
	plan->touched = plan_own_slices(plan);
	for (i = 0; i < vgpu->nr_vslices; i++) {
		plan->homes[i] = plan->slices[i % plan->bp.slices];
		plan->touched |= BIT_ULL(plan->homes[i]);
		plan->old_reach[i] = vgpu->vslices[i].reach;
		plan->reach[i] = tess_topology_reach(&plan->bp, i, vgpu->nr_vslices);
		if (plan->bp.topology == plan->old.topology)
			plan->reach[i] |= plan->old_reach[i];
	}
	plan->dedicate = !tess_vgpu_takes_turns(vgpu) &&
			 (plan->bp.min < vgpu->nr_vslices || plan->bp.slices < vgpu->nr_vslices ||
			  plan_permutes(plan));
	return 0;
}

/* ---- steps ---- */

/* Those that it has are open already; of one that takes no turns they are free for a move */
static int recompose_reserve(struct recompose_plan *plan)
{
	struct tess_gpu *gpu = plan->vgpu->gpu;
	unsigned int i;
	int rc = 0;

	tess_slices_reclaim(gpu, plan->touched);
	for (i = 0; !rc && i < plan->bp.slices; i++) {
		rc = tess_compose_step();
		if (!rc && tess_vgpu_takes_turns(plan->vgpu))
			rc = tess_share_open(&gpu->slices[plan->slices[i]], plan->vgpu);
	}
	return rc;
}

static int recompose_move_exclusive(struct recompose_plan *plan)
{
	struct tess_vgpu *vgpu = plan->vgpu;
	struct tess_vslice *vs;
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < vgpu->nr_vslices; i++) {
		vs = &vgpu->vslices[i];
		if (vs->slice->index == plan->homes[i])
			continue;
		rc = tess_compose_step();
		if (!rc)
			rc = tess_move_exclusive(vs, &vgpu->gpu->slices[plan->homes[i]],
						 TESS_MOVE_COMPOSE);
	}
	return rc;
}

static void recompose_return(struct recompose_plan *plan)
{
	struct tess_vgpu *vgpu = plan->vgpu;
	struct tess_vslice *vs;
	unsigned int i;

	if (tess_vgpu_takes_turns(vgpu)) {
		tess_move_members(vgpu, plan->before, TESS_MOVE_RETURN);
		return;
	}
	/* No vslice came to a slice that another one had: each finds its own free */
	for (i = vgpu->nr_vslices; i--;) {
		vs = &vgpu->vslices[i];
		if (vs->slice->index != plan->before[i])
			tess_move_exclusive(vs, &vgpu->gpu->slices[plan->before[i]],
					    TESS_MOVE_RETURN);
	}
}

static int recompose_move(struct recompose_plan *plan)
{
	if (tess_vgpu_takes_turns(plan->vgpu))
		return tess_move_members(plan->vgpu, plan->homes, TESS_MOVE_COMPOSE);
	return recompose_move_exclusive(plan);
}

static void recompose_set_reach(struct recompose_plan *plan, const u64 *a, const u64 *b)
{
	struct tess_vgpu *vgpu = plan->vgpu;
	unsigned int i;

	spin_lock(&vgpu->gpu->lock);
	for (i = 0; i < vgpu->nr_vslices; i++)
		vgpu->vslices[i].reach = a[i] | b[i];
	spin_unlock(&vgpu->gpu->lock);
}

/* @steps: they can be made to fail */
static int recompose_connect(struct recompose_plan *plan, u32 engines, bool steps)
{
	struct tess_vgpu *vgpu = plan->vgpu;
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < vgpu->nr_vslices; i++) {
		rc = steps ? tess_compose_step() : 0;
		if (!rc)
			rc = tess_vslice_setup(&vgpu->vslices[i], engines);
	}
	return rc;
}

static void recompose_publish(struct recompose_plan *plan)
{
	struct tess_vgpu *vgpu = plan->vgpu;
	struct tess_gpu *gpu = vgpu->gpu;

	spin_lock(&gpu->lock);
	vgpu->blueprint = plan->bp;
	vgpu->generation++;
	gpu->generation++;
	spin_unlock(&gpu->lock);
	if (plan->bp.shared)
		tess_sched_share_changed(vgpu);
	tess_swapper_note(vgpu);
	tess_adapt_note(vgpu);
	tess_vgpu_tell(vgpu);
}

/* Nothing was published */
static void recompose_undo(struct recompose_plan *plan)
{
	recompose_set_reach(plan, plan->reach, plan->old_reach);
	recompose_return(plan);
	recompose_set_reach(plan, plan->old_reach, plan->old_reach);
	recompose_connect(plan, plan->old.engines, false);
}

static int recompose_change(struct recompose_plan *plan)
{
	int rc;

	recompose_set_reach(plan, plan->reach, plan->old_reach);
	rc = recompose_move(plan);
	if (!rc) {
		recompose_set_reach(plan, plan->reach, plan->reach);
		rc = recompose_connect(plan, plan->bp.engines, true);
	}
	if (!rc)
		rc = tess_compose_step();
	if (rc)
		recompose_undo(plan);
	return rc;
}

static int recompose_dedicate(struct recompose_plan *plan)
{
	int rc = plan->dedicate ? tess_compose_step() : 0;

	if (!rc && plan->dedicate)
		rc = tess_share_dedicate(plan->vgpu);
	return rc;
}

static void recompose_release(const struct recompose_plan *plan)
{
	struct tess_gpu *gpu = plan->vgpu->gpu;
	unsigned int i;

	for (i = 0; i < gpu->info.slice_count; i++)
		if (plan->touched & BIT_ULL(i))
			tess_share_close(&gpu->slices[i]);
}

/* -EAGAIN: a slice turned out to be faulty, choose again without it */
static int recompose_once(struct recompose_plan *plan)
{
	int rc;

	rc = plan_make(plan);
	if (rc)
		return rc;
	rc = recompose_dedicate(plan);
	if (!rc)
		rc = recompose_reserve(plan);
	if (rc == -EIO)
		rc = -EAGAIN;
	if (!rc)
		rc = recompose_change(plan);
	if (rc)
		recompose_release(plan);
	return rc;
}

/**
 * tess_recompose_alloc() - prepare for a change
 * @vgpu: vGPU
 * @bp: what it is to become
 * @reason: filled if it is refused; may be NULL
 *
 * Return: the change, for kfree(), or error pointer: -EOPNOTSUPP, -ENOMEM.
 */
struct recompose_plan *tess_recompose_alloc(struct tess_vgpu *vgpu, const struct tess_blueprint *bp,
					    struct tess_reason *reason)
{
	struct recompose_plan *plan;

	if (!tess_vgpu_is_parkable(vgpu))
		return ERR_PTR(tess_refuse(vgpu->gpu, vgpu->name, reason, -EOPNOTSUPP,
					   "its client or the GPU cannot be switched"));
	plan = kzalloc(sizeof(*plan), GFP_KERNEL);
	if (!plan)
		return ERR_PTR(-ENOMEM);
	plan->vgpu = vgpu;
	plan->bp = *bp;
	plan->reason = reason;
	tess_blueprint_resolve(&plan->bp);
	return plan;
}

/**
 * tess_recompose_begin() - make all of a change that can fail
 * @plan: change; compose is held, until it is ended
 *
 * If it succeeds tess_recompose_commit() or tess_recompose_cancel() has to follow, if not
 * everything is as it was.
 *
 * Return: as tess_vgpu_recompose().
 */
int tess_recompose_begin(struct recompose_plan *plan)
{
	struct tess_vgpu *vgpu = plan->vgpu;
	int rc;

	lockdep_assert_held(&vgpu->gpu->compose);
	if (READ_ONCE(vgpu->gpu->gone) || READ_ONCE(vgpu->dying))
		return -ENODEV;
	if (vgpu->frozen && !vgpu->settled)
		return tess_refuse(vgpu->gpu, vgpu->name, plan->reason, -EBUSY,
				   "it is on its way to another GPU");
	if (vgpu->gpu->asleep)
		return tess_refuse(vgpu->gpu, vgpu->name, plan->reason, -EBUSY,
				   "the GPU is asleep");
	tess_vgpu_blueprint(vgpu, &plan->old);
	rc = recompose_check(plan);
	if (rc)
		return rc;
	do {
		rc = recompose_once(plan);
	} while (rc == -EAGAIN);
	if (rc == -EIO || rc == -ENOMEM)
		tess_refuse(vgpu->gpu, vgpu->name, plan->reason, rc,
			    rc == -EIO ? "a slice does not answer" : "out of memory");
	return rc;
}

/**
 * tess_recompose_commit() - what was begun is the vGPU's composition
 * @plan: change
 */
void tess_recompose_commit(struct recompose_plan *plan)
{
	recompose_publish(plan);
	recompose_release(plan);
}

/**
 * tess_recompose_cancel() - undo what was begun
 * @plan: change
 */
void tess_recompose_cancel(struct recompose_plan *plan)
{
	recompose_undo(plan);
	recompose_release(plan);
}

int tess_vgpu_recompose(struct tess_vgpu *vgpu, const struct tess_blueprint *bp,
			struct tess_reason *reason)
{
	struct tess_gpu *gpu = vgpu->gpu;
	struct recompose_plan *plan;
	int rc;

	if (reason)
		reason->text[0] = '\0';
	if (vgpu->claims)
		return tess_claim_recompose(vgpu, bp, reason);
	plan = tess_recompose_alloc(vgpu, bp, reason);
	if (IS_ERR(plan))
		return PTR_ERR(plan);
	mutex_lock(&gpu->compose);
	rc = tess_recompose_begin(plan);
	if (!rc)
		tess_recompose_commit(plan);
	tess_elastic_fill(gpu);
	mutex_unlock(&gpu->compose);
	kfree(plan);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_recompose, TESS_NS);
