// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moving a vslice to another slice of its GPU.
 *
 * DOC: Moves
 *
 * The vslice is parked and goes on with the same context where it is moved to; its
 * memory stays. Both slices are locked meanwhile, the one with the lower number first:
 * to its client it is on the one or on the other, and its home changes in one step: never
 * is it without. One that takes turns leaves the one run queue and joins the other, and runs
 * when it is its turn there. One that has a slice of its own gets the other, and its former
 * slice is free. Vslices that are at home on a dedicated slice move together.
 *
 * A slice need not be of the same kind, but must have the engines that the vslice had
 * from the start: work that uses one may be in progress, and the client was told that it
 * is there.
 */
#include <linux/err.h>
#include <tessera/compat.h>
#include <tessera/vgpu.h>

#include "base/context.h"
#include "base/gpu.h"
#include "compose.h"
#include "elastic.h"
#include "move.h"
#include "run/run.h"
#include "shape.h"
#include "share.h"
#include "slice/fault.h"
#include "slice/look.h"
#include "slice/note.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

bool tess_vgpu_is_parkable(const struct tess_vgpu *vgpu)
{
	return vgpu->gpu->can_switch && !vgpu->elastic && vgpu->ops->parked && vgpu->ops->resumed;
}

/* compose keeps the answer true, but for slices that turn out to be faulty */
static int move_check(const struct tess_vslice *vs, const struct tess_slice *to)
{
	struct tess_gpu *gpu = to->gpu;
	int rc = 0;

	lockdep_assert_held(&gpu->compose);
	spin_lock(&gpu->lock);
	if (tess_slice_can_be_had(to))
		rc = 0;
	else if (to->out || !vs->vgpu->blueprint.shared || !tess_slice_is_shared(to, vs->vgpu))
		rc = -EBUSY;
	else if (to->rq.policy.count >= TESS_SHARE_MAX)
		rc = -ENOSPC;
	spin_unlock(&gpu->lock);
	if (rc || !(vs->setup.engines & ~to->info.engines))
		return rc;
	dev_info_ratelimited(&gpu->dev, "\"%s\": slice %u has not all engines of vslice %u\n",
			     vs->vgpu->name, to->index, vs->index);
	return -EOPNOTSUPP;
}

/**
 * tess_move_park() - take a vslice from its slice
 * @from: its home, the hw mutex is held, inside tess_gpu_enter()
 * @vs: vslice with a context, resident or not
 *
 * A client that does not stop has lost its packet, and is parked all the same.
 *
 * Return: 0, -ENODEV.
 */
int tess_move_park(struct tess_slice *from, struct tess_vslice *vs)
{
	int rc;

	if (!tess_vslice_is_resident(vs))
		return 0;
	rc = tess_switch(from, NULL, TESS_OUT_MOVE);
	return tess_vslice_is_resident(vs) ? rc : 0;
}

/* A move was made; inside tess_gpu_enter() */
static void move_note(struct tess_vslice *vs, struct tess_slice *from, enum tess_move_reason reason)
{
	struct tess_slice *to = vs->slice;
	struct tess_gpu *gpu = to->gpu;

	from->rq.moves_out++;
	to->rq.moves_in++;
	vs->sched.moves++;
	trace_tess_move(vs->vgpu, vs->index, tess_gpu_ops(gpu)->time(gpu->be), from->index,
			to->index, reason);
}

static int move_member_locked(struct tess_vslice *vs, struct tess_slice *from,
			      struct tess_slice *to)
{
	bool runs = tess_vslice_is_resident(vs);
	int rc;

	if (!tess_slice_is_shared(to, vs->vgpu))
		return -EBUSY;
	if (to->rq.policy.count >= TESS_SHARE_MAX)
		return -ENOSPC;
	rc = tess_move_park(from, vs);
	if (!rc)
		rc = tess_share_add(to, vs);
	if (rc)
		return rc;
	tess_vslice_relink(vs);
	/* It stands still until somebody looks. A client that is there is not waited for here */
	if (!tess_slice_resident(to))
		tess_sched_look_at(to, runs ? from->rq.now : 0);
	return 0;
}

static int move_member(struct tess_vslice *vs, struct tess_slice *to, enum tess_move_reason reason)
{
	struct tess_slice *from = vs->slice;
	int idx, rc;

	if (!tess_gpu_enter(to->gpu, &idx))
		return -ENODEV;
	tess_slice_lock_two(from, to);
	rc = move_member_locked(vs, from, to);
	tess_slice_unlock_two(from, to);
	/* Pairs with the one in tess_vslice_wake() */
	smp_mb();
	tess_slice_look(from);
	tess_slice_look(to);
	/* It may have been parked with a fault that its client has to be told of */
	tess_fault_queue(to);
	if (!rc)
		move_note(vs, from, reason);
	tess_gpu_exit(to->gpu, idx);
	return rc;
}

/* Who finds no room waits until others have left. @steps: they can be made to fail */
static int move_members(struct tess_vgpu *vgpu, const u8 *homes, enum tess_move_reason reason,
			bool steps)
{
	unsigned int i;
	bool progress;
	int rc, full;

	do {
		progress = false;
		full = 0;
		for (i = 0; i < vgpu->nr_vslices; i++) {
			struct tess_vslice *vs = &vgpu->vslices[i];

			if (vs->slice->index == homes[i])
				continue;
			rc = steps ? tess_compose_step() : 0;
			if (!rc)
				rc = move_member(vs, &vgpu->gpu->slices[homes[i]], reason);
			if (rc && rc != -ENOSPC)
				return rc;
			full = full ?: rc;
			progress |= !rc;
		}
	} while (full && progress);
	return full;
}

/**
 * tess_move_members() - give the vslices of a vGPU other homes
 * @vgpu: vGPU that takes turns; compose is held
 * @homes: slice of each vslice, all open to it (tess_share_open())
 * @reason: who wants it
 *
 * Whole or not at all, but if the GPU goes. Slices that were left stay open.
 *
 * Return: 0; -ENOSPC too many share a slice; -EIO, -ENOMEM, -ENODEV.
 */
int tess_move_members(struct tess_vgpu *vgpu, const u8 *homes, enum tess_move_reason reason)
{
	u8 before[TESS_MAX_SLICES];
	unsigned int i;
	int rc;

	lockdep_assert_held(&vgpu->gpu->compose);
	for (i = 0; i < vgpu->nr_vslices; i++)
		before[i] = vgpu->vslices[i].slice->index;
	rc = move_members(vgpu, homes, reason, reason == TESS_MOVE_COMPOSE);
	if (rc)
		move_members(vgpu, before, reason, false);
	return rc;
}

static int move_shared(struct tess_vslice *vs, struct tess_slice *to, enum tess_move_reason reason)
{
	struct tess_slice *from = vs->slice;
	int rc;

	rc = tess_share_open(to, vs->vgpu);
	if (!rc)
		rc = move_member(vs, to, reason);
	tess_share_close(to);
	tess_share_close(from);
	return rc;
}

/* All that are at home there; withheld ones follow the one that is given */
static int move_dedicated(struct tess_vslice *vs, struct tess_slice *to,
			  enum tess_move_reason reason)
{
	struct tess_vgpu *vgpu = vs->vgpu;
	struct tess_slice *from = vs->slice;
	u8 homes[TESS_MAX_SLICES];
	unsigned int i;
	int rc;

	if (!tess_vslice_is_given(vs))
		return -EOPNOTSUPP;
	for (i = 0; i < vgpu->nr_vslices; i++) {
		const struct tess_slice *home = vgpu->vslices[i].slice;

		homes[i] = home == from ? to->index : home->index;
	}
	rc = tess_share_open(to, vgpu);
	if (!rc)
		rc = tess_move_members(vgpu, homes, reason);
	tess_share_close(to);
	tess_share_close(from);
	return rc;
}

/* It has a slice of its own: this one */
static void move_set_home(struct tess_vslice *vs, struct tess_slice *slice)
{
	struct tess_gpu *gpu = slice->gpu;

	lockdep_assert_held(&slice->hw);
	spin_lock(&gpu->lock);
	slice->state = TESS_SLICE_USED;
	WRITE_ONCE(vs->slice, slice);
	gpu->generation++;
	spin_unlock(&gpu->lock);
	tess_vslice_relink(vs);
}

/* The slice from which it comes is free afterwards, or the one to which it was to go */
static int move_exclusive_locked(struct tess_vslice *vs, struct tess_slice *from,
				 struct tess_slice *to)
{
	int rc;

	if (to->state != TESS_SLICE_FREE)
		return -EBUSY;
	rc = tess_slice_reset(to);
	if (!rc)
		rc = tess_move_park(from, vs);
	if (rc)
		return rc;
	move_set_home(vs, to);
	rc = tess_switch(to, vs, TESS_OUT_MOVE);
	if (!rc) {
		tess_slice_vacate(from);
		return 0;
	}
	move_set_home(vs, from);
	if (rc == -ENODEV)
		return rc;
	if (tess_switch(from, vs, TESS_OUT_MOVE))
		tess_slice_give_up(from);
	tess_slice_vacate(to);
	return -EIO;
}

/**
 * tess_move_exclusive() - give a vslice another slice of its own
 * @vs: vslice of a vGPU that takes no turns; compose is held
 * @to: slice that can be had
 * @reason: who wants it
 *
 * Return: 0; -EBUSY it is not free; -EOPNOTSUPP, -EIO, -ENOMEM, -ENODEV.
 */
int tess_move_exclusive(struct tess_vslice *vs, struct tess_slice *to, enum tess_move_reason reason)
{
	struct tess_slice *from = vs->slice;
	struct tess_context *ctx;
	int idx, rc;

	lockdep_assert_held(&to->gpu->compose);
	tess_slice_reclaim(to);
	ctx = tess_context_create(from->gpu);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	rc = -ENODEV;
	if (!tess_gpu_enter(from->gpu, &idx))
		goto out_free;
	tess_slice_lock_two(from, to);
	vs->context = ctx;
	rc = move_exclusive_locked(vs, from, to);
	/* Nobody can park it before it is moved again */
	vs->context = NULL;
	tess_slice_unlock_two(from, to);
	if (!rc)
		move_note(vs, from, reason);
	tess_gpu_exit(from->gpu, idx);
out_free:
	tess_context_destroy(ctx);
	return rc;
}

static void move_publish(struct tess_vgpu *vgpu)
{
	spin_lock(&vgpu->gpu->lock);
	vgpu->generation++;
	spin_unlock(&vgpu->gpu->lock);
}

static int move_locked(struct tess_vslice *vs, struct tess_slice *to, enum tess_move_reason reason)
{
	struct tess_vgpu *vgpu = vs->vgpu;
	int rc;

	lockdep_assert_held(&to->gpu->compose);
	if (!vs->slice)
		return -ENODEV;
	if (vs->slice == to)
		return 0;
	rc = move_check(vs, to);
	if (rc)
		return rc;
	if (vgpu->dedicated)
		rc = move_dedicated(vs, to, reason);
	else if (vgpu->blueprint.shared)
		rc = move_shared(vs, to, reason);
	else
		rc = tess_move_exclusive(vs, to, reason);
	if (!rc) {
		move_publish(vgpu);
		tess_vgpu_tell(vgpu);
	}
	tess_elastic_fill(to->gpu);
	return rc;
}

/**
 * tess_sched_move() - move a vslice to another slice
 * @vgpu: vGPU
 * @vslice: index
 * @slice: number of the slice
 * @reason: who wants it
 *
 * Return: as tess_vslice_move().
 */
int tess_sched_move(struct tess_vgpu *vgpu, unsigned int vslice, unsigned int slice,
		    enum tess_move_reason reason)
{
	struct tess_gpu *gpu = vgpu->gpu;
	int rc = -ENODEV;

	if (vslice >= vgpu->nr_vslices || slice >= gpu->info.slice_count)
		return -EINVAL;
	if (!tess_vgpu_is_parkable(vgpu))
		return -EOPNOTSUPP;
	mutex_lock(&gpu->compose);
	if (vgpu->frozen || gpu->asleep)
		rc = -EBUSY;
	else if (!READ_ONCE(gpu->gone))
		rc = move_locked(&vgpu->vslices[vslice], &gpu->slices[slice], reason);
	mutex_unlock(&gpu->compose);
	return rc;
}

int tess_vslice_move(struct tess_vgpu *vgpu, unsigned int vslice, unsigned int slice)
{
	return tess_sched_move(vgpu, vslice, slice, TESS_MOVE_CLIENT);
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_move, TESS_NS);

int tess_vgpu_set_automatic(struct tess_vgpu *vgpu, bool automatic)
{
	if (automatic && (vgpu->part || !tess_vgpu_is_parkable(vgpu)))
		return -EOPNOTSUPP;
	spin_lock(&vgpu->gpu->lock);
	vgpu->blueprint.automatic = automatic;
	spin_unlock(&vgpu->gpu->lock);
	if (automatic) {
		tess_swapper_note(vgpu);
		tess_adapt_note(vgpu);
	}
	return 0;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_set_automatic, TESS_NS);
