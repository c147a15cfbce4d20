// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transfer: a client goes on with a vGPU of another GPU.
 *
 * DOC: Transfer
 *
 * What is bound to a GPU, and what a client has on it, is exactly a vGPU: slices, contexts,
 * VRAM, stage 2, routes, locks. So a vGPU never changes its GPU. Another one is composed
 * there, of the same frame, which *continues* it: it begins frozen and takes over, from one
 * that is frozen, too,
 *
 * - contexts, which are position-independent images (tess_vgpu_copy_state()), with what the
 *   scheduler and the fault handler know of their clients;
 * - memory (tess_vgpu_copy_memory()), most of it before the first is frozen.
 *
 * Then their owner exchanges the two. It is the only one who can: it knows what its client
 * has mapped, and serializes what its client does. All that can fail is before that, and
 * until then the first is as it was: thawed, it goes on, and the second is destroyed.
 *
 * One that is frozen for long, because its client stands still as a whole, is settled: it can be
 * composed anew and continued by another meanwhile. That begins frozen, and is settled or thawed.
 *
 * A frozen vGPU keeps its slices. Those that it does not share are dedicated ones from then
 * on, as after a recomposition with fewer slices: vslices that take turns have contexts, and
 * with nobody's turn ever coming they stay parked. Nothing but that makes it frozen; so it
 * needs no state of its own in the scheduler.
 *
 * The owner sees to it that nobody else calls the core for vslices of the two meanwhile. The
 * core itself does not either: who composes anew or moves vslices finds them frozen, and the
 * scheduler runs no client of theirs. Faults that were read before are told, and their
 * acknowledgment is dropped, as after any switch.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <tessera/compat.h>
#include <tessera/gpu.h>
#include <tessera/memory.h>
#include <tessera/transfer.h>
#include <tessera/vgpu.h>

#include "base/context.h"
#include "base/gpu.h"
#include "base/mem.h"
#include "base/refuse.h"
#include "compose.h"
#include "move.h"
#include "shape.h"
#include "share.h"
#include "slice/access.h"
#include "slice/fault.h"
#include "slice/look.h"
#include "slice/slice.h"
#include "slice/trace.h"
#include "slice/vgpu.h"
#include "transfer.h"

#define COPY_BYTES	SZ_256K

/* ---- is it possible? ---- */

/* Its client was told what a GPU of its sort can do */
static bool gpus_are_alike(const struct tess_gpu *a, const struct tess_gpu *b)
{
	return a->be->ops == b->be->ops && a->info.caps == b->info.caps &&
	       a->info.clock_khz == b->info.clock_khz &&
	       a->info.group_slots == b->info.group_slots;
}

/**
 * tess_transfer_alike() - can a client of one GPU continue on another?
 * @from: GPU
 * @to: another GPU
 *
 * Return: 0; -EOPNOTSUPP they are not alike; -ENODEV one is gone, or @to is about to go.
 */
int tess_transfer_alike(struct tess_gpu *from, struct tess_gpu *to)
{
	int idx[2], rc = -ENODEV;

	if (READ_ONCE(to->leaving) || !tess_gpu_enter(from, &idx[0]))
		return rc;
	if (tess_gpu_enter(to, &idx[1])) {
		rc = gpus_are_alike(from, to) ? 0 : -EOPNOTSUPP;
		tess_gpu_exit(to, idx[1]);
	}
	tess_gpu_exit(from, idx[0]);
	return rc;
}

/**
 * tess_transfer_check() - can a vGPU continue another?
 * @gpu: GPU that it is to be of
 * @from: the other
 * @bp: its blueprint, resolved
 * @reason: filled if not; may be NULL
 *
 * Return: 0, -EINVAL, -EBUSY, -EOPNOTSUPP, -ENODEV.
 */
int tess_transfer_check(struct tess_gpu *gpu, const struct tess_vgpu *from,
			const struct tess_blueprint *bp, struct tess_reason *reason)
{
	struct tess_blueprint now;
	int rc;

	if (from->gpu == gpu || from->elastic)
		return -EINVAL;
	if (!tess_vgpu_is_parkable(from))
		return tess_refuse(gpu, from->name, reason, -EOPNOTSUPP,
				   "its client or the GPU cannot be switched");
	rc = tess_transfer_alike(from->gpu, gpu);
	if (rc == -ENODEV)
		return rc;
	if (rc)
		return tess_refuse(gpu, from->name, reason, -EOPNOTSUPP,
				   "gpu%u is not like gpu%u, which its client knows",
				   gpu->info.index, from->gpu->info.index);
	tess_vgpu_blueprint(from, &now);
	if (bp->max != from->nr_vslices || bp->memory != now.memory || bp->shared != now.shared)
		return tess_refuse(gpu, from->name, reason, -EBUSY,
				   "another frame than that of the one that it is to continue");
	return 0;
}

/* ---- freezing ---- */

static int freeze_vslice(struct tess_vslice *vs)
{
	struct tess_slice *slice;
	int idx, rc;

	rc = tess_compose_step();
	if (rc)
		return rc;
	slice = tess_vslice_begin(vs->vgpu, vs->index, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	rc = tess_move_park(slice, vs);
	tess_vslice_end(slice, idx);
	/* Others may wait for the slice */
	tess_slice_look(slice);
	return rc;
}

static int freeze_locked(struct tess_vgpu *vgpu)
{
	unsigned int i;
	int rc = 0;

	lockdep_assert_held(&vgpu->gpu->compose);
	if (READ_ONCE(vgpu->gpu->gone) || READ_ONCE(vgpu->dying))
		return -ENODEV;
	if (vgpu->gpu->asleep)
		return -EBUSY;
	if (!tess_vgpu_takes_turns(vgpu)) {
		rc = tess_compose_step();
		if (!rc)
			rc = tess_share_dedicate(vgpu);
	}
	if (rc)
		return rc;
	vgpu->frozen_at = ktime_get();
	WRITE_ONCE(vgpu->frozen, true);
	for (i = 0; !rc && i < vgpu->nr_vslices; i++)
		rc = freeze_vslice(&vgpu->vslices[i]);
	return rc;
}

int tess_vgpu_can_freeze(const struct tess_vgpu *vgpu, struct tess_reason *reason)
{
	if (tess_vgpu_is_parkable(vgpu))
		return 0;
	return tess_refuse(vgpu->gpu, vgpu->name, reason, -EOPNOTSUPP,
			   "its client or the GPU cannot be switched");
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_can_freeze, TESS_NS);

int tess_vgpu_freeze(struct tess_vgpu *vgpu, struct tess_reason *reason)
{
	struct tess_gpu *gpu = vgpu->gpu;
	int rc;

	rc = tess_vgpu_can_freeze(vgpu, reason);
	if (rc)
		return rc;
	mutex_lock(&gpu->compose);
	if (vgpu->frozen) {
		mutex_unlock(&gpu->compose);
		return -EBUSY;
	}
	rc = freeze_locked(vgpu);
	mutex_unlock(&gpu->compose);
	if (rc)
		tess_transfer_thaw(vgpu);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_freeze, TESS_NS);

static void thaw_vslice(struct tess_vslice *vs)
{
	struct tess_slice *slice;
	int idx;

	slice = tess_vslice_begin(vs->vgpu, vs->index, &idx);
	if (IS_ERR(slice))
		return;
	/* It may have come with a fault that its client has to be told of */
	tess_fault_queue(slice);
	tess_vslice_end(slice, idx);
	tess_slice_look(slice);
}

/* Nobody saw it before */
static void thaw_first(struct tess_vgpu *vgpu)
{
	const struct tess_vgpu *from = vgpu->continues;

	if (trace_tess_transfer_enabled())
		trace_tess_transfer(vgpu, from, tess_gpu_time(vgpu->gpu),
				    ktime_us_delta(ktime_get(), from->frozen_at));
	vgpu->continues = NULL;
}

/**
 * tess_transfer_thaw() - a vGPU goes on
 * @vgpu: vGPU that is frozen
 */
void tess_transfer_thaw(struct tess_vgpu *vgpu)
{
	unsigned int i;

	mutex_lock(&vgpu->gpu->compose);
	WRITE_ONCE(vgpu->frozen, false);
	vgpu->settled = false;
	mutex_unlock(&vgpu->gpu->compose);
	for (i = 0; i < vgpu->nr_vslices; i++)
		thaw_vslice(&vgpu->vslices[i]);
	if (vgpu->continues)
		thaw_first(vgpu);
}

/**
 * tess_transfer_settle() - a vGPU stays frozen, and can be composed anew
 * @vgpu: vGPU that is frozen
 */
void tess_transfer_settle(struct tess_vgpu *vgpu)
{
	mutex_lock(&vgpu->gpu->compose);
	vgpu->settled = true;
	mutex_unlock(&vgpu->gpu->compose);
	if (vgpu->continues)
		thaw_first(vgpu);
}

/* ---- copying ---- */

static int copy_check_vslice(const struct tess_vslice *to, const struct tess_vslice *from,
			     struct tess_reason *reason)
{
	const struct tess_vgpu *vgpu = to->vgpu;
	u32 engines = from->setup.engines & vgpu->blueprint.engines;

	if (engines & ~to->setup.engines)
		return tess_refuse(vgpu->gpu, vgpu->name, reason, -EOPNOTSUPP,
				   "slice %u has not all engines of vslice %u", to->slice->index,
				   to->index);
	/* Links are those of the time when it was composed */
	if (vgpu->blueprint.topology == from->vgpu->blueprint.topology &&
	    (from->reach & ~to->reach))
		return tess_refuse(vgpu->gpu, vgpu->name, reason, -EBUSY,
				   "it was composed anew meanwhile");
	return 0;
}

/* Both are parked, and nobody but the caller does anything with their contexts */
static int copy_context(struct tess_vslice *to, const struct tess_vslice *from)
{
	struct tess_slice *slice;
	int idx, from_idx, rc;

	rc = tess_compose_step();
	if (rc)
		return rc;
	if (!tess_gpu_enter(from->vgpu->gpu, &from_idx))
		return -ENODEV;
	slice = tess_vslice_begin(to->vgpu, to->index, &idx);
	if (!IS_ERR(slice)) {
		tess_context_copy(to->context, from->context);
		tess_vslice_end(slice, idx);
	}
	tess_gpu_exit(from->vgpu->gpu, from_idx);
	return PTR_ERR_OR_ZERO(slice);
}

/* Accounts go on; what is counted in the time of a GPU begins anew */
static void copy_accounts(struct tess_vslice *to, const struct tess_vslice *from)
{
	const struct tess_sched_entity *a = &from->sched;
	struct tess_sched_entity *b = &to->sched;

	b->has_work = a->has_work;
	b->kicked = a->kicked;
	b->kick = a->kick;
	b->busy = a->busy;
	b->run_cycles = a->run_cycles;
	b->wait_cycles = a->wait_cycles;
	b->switches = a->switches;
	b->wakeups = a->wakeups;
	b->moves = a->moves + 1;
	b->lost = a->lost;
	to->analysis = from->analysis;
	to->analysis.started = false;
	to->observed = from->observed;
	to->observed.started = false;
	WRITE_ONCE(to->relocated, jiffies | 1);
}

static int copy_vslice(struct tess_vslice *to, struct tess_vslice *from)
{
	struct tess_slice *slice;
	bool told, owed;
	int idx;

	slice = tess_vslice_begin(from->vgpu, from->index, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	told = from->fault_told;
	owed = from->fault_owed;
	tess_vslice_end(slice, idx);
	slice = tess_vslice_begin(to->vgpu, to->index, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	/* It may be told once more than it has to be */
	to->fault_told = told;
	to->fault_owed = owed;
	copy_accounts(to, from);
	tess_vslice_end(slice, idx);
	return 0;
}

static bool copy_is_allowed(const struct tess_vgpu *to, const struct tess_vgpu *from)
{
	return to->continues == from && READ_ONCE(to->frozen) && READ_ONCE(from->frozen);
}

int tess_vgpu_copy_state(struct tess_vgpu *to, struct tess_vgpu *from, struct tess_reason *reason)
{
	unsigned int i;
	int rc = 0;

	if (!copy_is_allowed(to, from))
		return -EINVAL;
	for (i = 0; !rc && i < to->nr_vslices; i++)
		rc = copy_check_vslice(&to->vslices[i], &from->vslices[i], reason);
	for (i = 0; !rc && i < to->nr_vslices; i++)
		rc = copy_context(&to->vslices[i], &from->vslices[i]);
	for (i = 0; !rc && i < to->nr_vslices; i++)
		rc = copy_vslice(&to->vslices[i], &from->vslices[i]);
	if (rc)
		return rc;
	/* One more than before, to whoever follows it */
	spin_lock(&to->gpu->lock);
	to->generation = from->generation + 1;
	spin_unlock(&to->gpu->lock);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_copy_state, TESS_NS);

static int copy_piece(struct tess_vgpu *to, struct tess_vgpu *from, u64 off, void *buf, u64 len,
		      bool blank)
{
	int rc;

	rc = tess_vram_read(from->gpu, &from->vram, off, buf, len);
	if (rc || (blank && !memchr_inv(buf, 0, len)))
		return rc;
	return tess_vram_write(to->gpu, &to->vram, off, buf, len);
}

static int copy_block(struct tess_vgpu *to, struct tess_vgpu *from, unsigned int block, void *buf,
		      bool blank)
{
	u64 off = block * TESS_VRAM_BLOCK, end = min(off + TESS_VRAM_BLOCK, from->vram.size), len;
	int rc = 0;

	for (; !rc && off < end; off += len) {
		len = min_t(u64, end - off, COPY_BYTES);
		rc = copy_piece(to, from, off, buf, len, blank);
		cond_resched();
	}
	return rc;
}

/* By the CPU: it works between all GPUs, and for all memory that they have */
static int copy_blocks(struct tess_vgpu *to, struct tess_vgpu *from, unsigned long *blocks,
		       bool blank)
{
	unsigned int i;
	int rc = 0;
	void *buf;

	buf = kvmalloc(COPY_BYTES, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	for_each_set_bit(i, blocks, TESS_VRAM_BLOCKS(&from->vram)) {
		rc = copy_block(to, from, i, buf, blank);
		if (rc)
			break;
		__clear_bit(i, blocks);
	}
	kvfree(buf);
	return rc;
}

int tess_vgpu_copy_memory(struct tess_vgpu *to, struct tess_vgpu *from, unsigned long *blocks,
			  bool blank)
{
	int rc;

	if (to->continues != from || !READ_ONCE(to->frozen) || to->vram.size != from->vram.size)
		return -EINVAL;
	if (!from->vram.size)
		return 0;
	rc = tess_compose_step();
	return rc ?: copy_blocks(to, from, blocks, blank);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_copy_memory, TESS_NS);
