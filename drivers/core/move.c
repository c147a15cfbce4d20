// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moving a vslice to another slice of its GPU.
 *
 * DOC: Moves
 *
 * The vslice is parked and goes on with the same context where it is moved to; its
 * memory stays. Both slices are locked meanwhile, the one with the lower number first:
 * to its client it is on the one or on the other. One that shares its slice becomes a
 * member of the other's, and runs when it is its turn there. One that has a slice of its
 * own gets the other, and its former slice is free.
 *
 * A slice need not be of the same kind, but must have the engines that the vslice had
 * from the start: work that uses one may be in progress, and the client was told that it
 * is there.
 */
#include <linux/err.h>
#include <tessera/compat.h>

#include "compose.h"
#include "context.h"
#include "fault.h"
#include "gpu.h"
#include "move.h"
#include "sched.h"
#include "share.h"
#include "slice.h"
#include "swapper.h"
#include "switch.h"
#include "vgpu.h"

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
	else if (to->state != TESS_SLICE_SHARED || !vs->vgpu->blueprint.shared)
		rc = -EBUSY;
	else if (to->rq.policy.count >= TESS_POLICY_MAX)
		rc = -ENOSPC;
	spin_unlock(&gpu->lock);
	if (rc || !(vs->setup.engines & ~to->info.engines))
		return rc;
	dev_info_ratelimited(&gpu->dev, "\"%s\": slice %u has not all engines of vslice %u\n",
			     vs->vgpu->name, to->index, vs->index);
	return -EOPNOTSUPP;
}

static void move_lock(struct tess_slice *a, struct tess_slice *b)
{
	if (a->index > b->index)
		swap(a, b);
	mutex_lock(&a->hw);
	mutex_lock_nested(&b->hw, SINGLE_DEPTH_NESTING);
}

static void move_unlock(struct tess_slice *a, struct tess_slice *b)
{
	mutex_unlock(&a->hw);
	mutex_unlock(&b->hw);
}

/* A client that does not stop has lost its packet, and is parked all the same */
static int move_park(struct tess_slice *from, struct tess_vslice *vs)
{
	int rc;

	if (!tess_vslice_is_resident(vs))
		return 0;
	rc = tess_switch(from, NULL, TESS_OUT_MOVE);
	return tess_vslice_is_resident(vs) ? rc : 0;
}

static int move_open(struct tess_slice *to)
{
	lockdep_assert_held(&to->hw);
	if (to->state == TESS_SLICE_SHARED)
		return 0;
	return to->state == TESS_SLICE_FREE ? tess_slice_share(to) : -EBUSY;
}

static int move_shared_locked(struct tess_vslice *vs, struct tess_slice *from,
			      struct tess_slice *to)
{
	struct tess_gpu *gpu = from->gpu;
	int rc;

	rc = move_open(to);
	if (!rc)
		rc = move_park(from, vs);
	if (rc)
		goto out;
	spin_lock(&gpu->lock);
	tess_policy_leave(&from->rq.policy, &vs->sched.policy);
	spin_unlock(&gpu->lock);
	rc = tess_share_add(to, vs);
	tess_vslice_relink(vs);
out:
	if (to->state == TESS_SLICE_SHARED && !to->rq.policy.count)
		tess_slice_unshare(to);
	if (!from->rq.policy.count)
		tess_slice_unshare(from);
	return rc;
}

static int move_shared(struct tess_vslice *vs, struct tess_slice *from, struct tess_slice *to)
{
	int rc;

	move_lock(from, to);
	rc = move_shared_locked(vs, from, to);
	move_unlock(from, to);
	/* Pairs with the one in tess_vslice_wake() */
	smp_mb();
	tess_sched_queue(from);
	tess_sched_queue(to);
	/* It may have been parked with a fault that its client has to be told of */
	tess_fault_queue(to);
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
	if (vs->ring)
		return -EOPNOTSUPP;
	rc = tess_slice_reset(to);
	if (!rc)
		rc = move_park(from, vs);
	if (rc)
		return rc;
	move_set_home(vs, to);
	rc = tess_switch(to, vs, TESS_OUT_MOVE);
	if (!rc) {
		tess_slice_unshare(from);
		return 0;
	}
	move_set_home(vs, from);
	if (rc == -ENODEV)
		return rc;
	if (tess_switch(from, vs, TESS_OUT_MOVE))
		tess_slice_give_up(from);
	tess_slice_unshare(to);
	return -EIO;
}

static int move_exclusive(struct tess_vslice *vs, struct tess_slice *from, struct tess_slice *to)
{
	struct tess_context *ctx;
	int rc;

	ctx = tess_context_create(from->gpu);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	move_lock(from, to);
	vs->context = ctx;
	rc = move_exclusive_locked(vs, from, to);
	/* Nobody can park it before it is moved again */
	vs->context = NULL;
	move_unlock(from, to);
	tess_context_destroy(ctx);
	return rc;
}

static int move_between(struct tess_vslice *vs, struct tess_slice *from, struct tess_slice *to,
			enum tess_move_reason reason)
{
	struct tess_gpu *gpu = from->gpu;
	int idx, rc;

	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	if (vs->vgpu->blueprint.shared)
		rc = move_shared(vs, from, to);
	else
		rc = move_exclusive(vs, from, to);
	if (!rc) {
		from->rq.moves_out++;
		to->rq.moves_in++;
		vs->sched.moves++;
		trace_tess_move(vs->vgpu, vs->index, tess_gpu_ops(gpu)->time(gpu->be), from->index,
				to->index, reason);
	}
	tess_gpu_exit(gpu, idx);
	return rc;
}

static void move_tell(struct tess_vgpu *vgpu)
{
	spin_lock(&vgpu->gpu->lock);
	vgpu->generation++;
	spin_unlock(&vgpu->gpu->lock);
	if (!vgpu->ops->config || !tess_vgpu_get(vgpu))
		return;
	vgpu->ops->config(vgpu);
	tess_vgpu_put_client(vgpu);
}

static int move_locked(struct tess_vslice *vs, struct tess_slice *to, enum tess_move_reason reason)
{
	struct tess_slice *from = vs->slice;
	int rc;

	lockdep_assert_held(&to->gpu->compose);
	if (!from)
		return -ENODEV;
	if (from == to)
		return 0;
	rc = move_check(vs, to);
	if (rc)
		return rc;
	tess_slice_reclaim(to);
	rc = move_between(vs, from, to, reason);
	if (!rc)
		move_tell(vs->vgpu);
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
	if (!READ_ONCE(gpu->gone))
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
	if (automatic && !tess_vgpu_is_parkable(vgpu))
		return -EOPNOTSUPP;
	spin_lock(&vgpu->gpu->lock);
	vgpu->blueprint.automatic = automatic;
	spin_unlock(&vgpu->gpu->lock);
	if (automatic)
		tess_swapper_note(vgpu);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_set_automatic, TESS_NS);
