// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings of clients in the kernel.
 *
 * DOC: Rings
 *
 * The back-end writes packets; the core numbers jobs and asks which are complete. Jobs
 * complete in order, so one number says it all, which the GPU writes to host memory: asking
 * costs no access to the device and works in interrupt context. To submit a job and to charge for
 * it the back-end is asked only if what the core knows already is not enough.
 *
 * tess_ring.lock is a spinlock because the DRM scheduler and fence call-backs submit,
 * ask and arm from contexts that must not sleep. Recovery does not hold it: in a guest each
 * register access of a parked vslice waits for the vslice's turn. What is submitted while
 * the ring is stopped and rewritten is put behind, and the GPU is told when that is over.
 *
 * If the GPU can exchange clients, rings of an elastic vGPU take turns on a slice as vslices of
 * vGPUs do: each ring is a vslice of its own, with a context, and a member of the slice's run
 * queue. A job that comes to a parked ring wakes it, as a doorbell would; a ring that stands at a
 * fault and was parked since is recovered in its context, without a turn. Else a slice has
 * one ring, which is on it all the time.
 */
#include <drm/tessera_packet.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <tessera/compat.h>
#include <tessera/memory.h>
#include <tessera/ring.h>

#include "base/context.h"
#include "base/gpu.h"
#include "base/mem.h"
#include "base/object.h"
#include "ring.h"
#include "run.h"
#include "slice/access.h"
#include "slice/complete.h"
#include "slice/fault.h"
#include "slice/look.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

/**
 * struct tess_ring - shell of a ring
 * @obj: object
 * @vs: what the scheduler, faults and completions know of it. Its slice is @slice, or NULL when
 *	the ring has left it
 * @slice: slice that runs it
 * @capacity: jobs that fit
 * @lock: protects the following fields
 * @hw: ring of the back-end; NULL after it was stopped for good
 * @recovering: the GPU is not told of new jobs now
 * @submitted: number of the last job
 * @completed: highest number that is known to be complete
 */
struct tess_ring {
	struct tess_object obj;
	struct tess_vslice vs;
	struct tess_slice *slice;
	unsigned int capacity;
	spinlock_t lock;
	struct tess_hw_ring *hw;
	bool recovering;
	u64 submitted;
	u64 completed;
};

/* ---- turns ---- */

/**
 * tess_ring_parked() - a ring leaves its slice
 * @ring: ring; the hw mutex of its slice is held
 *
 * On return no doorbell of the slice is stored to for the ring.
 */
void tess_ring_parked(struct tess_ring *ring)
{
	lockdep_assert_held(&ring->slice->hw);
	spin_lock_irq(&ring->lock);
	if (ring->hw)
		ring->hw->parked = true;
	spin_unlock_irq(&ring->lock);
}

/* True: the slice has to be told by tess_slice_look() */
static bool ring_kick_locked(struct tess_ring *ring)
{
	struct tess_gpu *gpu = ring->obj.gpu;

	lockdep_assert_held(&ring->lock);
	if (ring->hw->parked) {
		WRITE_ONCE(ring->vs.sched.woken, true);
		return true;
	}
	tess_gpu_ops(gpu)->ring_kick(gpu->be, ring->hw, ring->submitted);
	return false;
}

/**
 * tess_ring_resumed() - a ring is on its slice
 * @ring: ring; the hw mutex of its slice is held, inside tess_gpu_enter()
 *
 * Tells the GPU of what was submitted since it left.
 */
void tess_ring_resumed(struct tess_ring *ring)
{
	lockdep_assert_held(&ring->slice->hw);
	spin_lock_irq(&ring->lock);
	if (ring->hw) {
		ring->hw->parked = false;
		if (ring->submitted)
			ring_kick_locked(ring);
	}
	spin_unlock_irq(&ring->lock);
}

/* ---- life ---- */

static void ring_destroy(struct tess_object *obj)
{
	struct tess_ring *ring = container_of(obj, struct tess_ring, obj);
	struct tess_hw_ring *hw;

	/* When a GPU goes, so do vGPUs whose rings are still objects of it */
	tess_route_detach(obj->gpu, &ring->vs);
	spin_lock_irq(&ring->lock);
	hw = ring->hw;
	ring->hw = NULL;
	spin_unlock_irq(&ring->lock);
	tess_gpu_ops(obj->gpu)->ring_destroy(obj->gpu->be, hw);
}

static void ring_shell_free(struct tess_object *obj)
{
	kfree(container_of(obj, struct tess_ring, obj));
}

static const struct tess_object_ops ring_ops = {
	.destroy = ring_destroy,
	.free = ring_shell_free,
};

/* The back-end's part, which is an object from now on */
static int ring_alloc_hw(struct tess_ring *ring, struct tess_gpu *gpu)
{
	struct tess_hw_ring *hw;
	int idx;

	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	hw = tess_gpu_ops(gpu)->ring_alloc(gpu->be);
	if (!IS_ERR(hw)) {
		ring->hw = hw;
		ring->capacity = hw->capacity;
		tess_object_add(&ring->obj, gpu, &ring_ops);
	}
	tess_gpu_exit(gpu, idx);
	return PTR_ERR_OR_ZERO(hw);
}

/* On no slice */
static void ring_free(struct tess_ring *ring)
{
	tess_context_destroy(ring->vs.context);
	tess_object_put(&ring->obj);
}

/* All that a ring needs to start: fences may wait for tess_slice.hw */
static struct tess_ring *ring_alloc(struct tess_vgpu *vgpu, unsigned int vslice,
				    const struct tess_ring_params *params)
{
	struct tess_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	struct tess_context *ctx;
	int rc;

	if (!ring)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&ring->lock);
	ring->vs.vgpu = vgpu;
	ring->vs.index = vslice;
	ring->vs.ring = ring;
	ring->vs.ring_ops = params->ops;
	ring->vs.ring_priv = params->priv;
	tess_fault_init_vslice(&ring->vs);
	tess_sched_init_vslice(&ring->vs);
	ring->vs.sched.policy.weight = params->weight;
	rc = ring_alloc_hw(ring, vgpu->gpu);
	if (rc) {
		kfree(ring);
		return ERR_PTR(rc);
	}
	if (!vgpu->gpu->can_switch)
		return ring;
	ctx = tess_context_create(vgpu->gpu);
	if (IS_ERR(ctx)) {
		ring_free(ring);
		return ERR_CAST(ctx);
	}
	ring->vs.context = ctx;
	return ring;
}

/* It waits for its turn, or is on the slice from now on */
static void ring_join(struct tess_ring *ring)
{
	struct tess_slice *slice = ring->slice;
	struct tess_vslice *vs = &ring->vs;
	struct tess_gpu *gpu = slice->gpu;

	vs->setup.engines = slice->info.engines;
	vs->setup.links = U64_MAX;
	spin_lock(&gpu->lock);
	WRITE_ONCE(vs->slice, slice);
	vs->parked = vs->context;
	if (vs->context)
		tess_policy_join(&slice->rq.policy, &vs->sched.policy);
	else
		tess_slice_set_resident(slice, vs);
	spin_unlock(&gpu->lock);
}

static int ring_start(struct tess_ring *ring)
{
	struct tess_slice *slice = ring->slice;
	struct tess_vslice *vs = &ring->vs;
	struct tess_gpu *gpu = slice->gpu;
	int rc;

	lockdep_assert_held(&slice->hw);
	if (READ_ONCE(slice->leaving))
		return -ENXIO;
	if (!vs->context && tess_slice_resident(slice))
		return -EBUSY;
	rc = tess_gpu_ops(gpu)->ring_start(gpu->be, ring->hw, slice->index,
					   vs->context ? tess_context_hw(vs->context) : NULL);
	if (rc)
		return rc;
	ring->hw->parked = vs->context;
	ring_join(ring);
	if (!vs->context)
		tess_fault_forget(slice);
	/* Numbers start at 0 */
	tess_route_attach(slice, vs, &(struct tess_route_source){ .ring = ring->hw }, 0);
	return 0;
}

struct tess_ring *tess_ring_create(struct tess_vgpu *vgpu, unsigned int vslice,
				   const struct tess_ring_params *params)
{
	struct tess_slice *slice;
	struct tess_ring *ring;
	int idx, rc;

	if (!vgpu->elastic)
		return ERR_PTR(-EOPNOTSUPP);
	ring = ring_alloc(vgpu, vslice, params);
	if (IS_ERR(ring))
		return ring;
	slice = tess_vslice_begin(vgpu, vslice, &idx);
	rc = PTR_ERR_OR_ZERO(slice);
	if (!rc) {
		ring->slice = slice;
		rc = ring_start(ring);
		tess_vslice_end(slice, idx);
	}
	if (rc) {
		ring_free(ring);
		return ERR_PTR(rc);
	}
	return ring;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_create, TESS_NS);

/* What the scheduler knows of a ring is not forgotten with it; tess_slice.hw is held */
static void ring_add_up(const struct tess_ring *ring)
{
	struct tess_sched_entity *sum = &ring->vs.vgpu->vslices[ring->vs.index].sched;
	const struct tess_sched_entity *se = &ring->vs.sched;

	sum->run_cycles += se->run_cycles;
	sum->wait_cycles += se->wait_cycles;
	sum->switches += se->switches;
	sum->wakeups += se->wakeups;
	sum->lost += se->lost;
}

/* On return the slice makes no access for the ring, and no call-back comes */
static void ring_leave(struct tess_ring *ring)
{
	struct tess_slice *slice = ring->slice;
	struct tess_vslice *vs = &ring->vs;
	struct tess_gpu *gpu = slice->gpu;
	bool resident = tess_vslice_is_resident(vs);
	int idx;

	lockdep_assert_held(&slice->hw);
	if (!vs->slice)
		return;
	if (resident && tess_gpu_enter(gpu, &idx)) {
		tess_sched_settle(slice);
		tess_gpu_exit(gpu, idx);
	}
	ring_add_up(ring);
	tess_object_release(&ring->obj);
	spin_lock(&gpu->lock);
	if (resident)
		tess_slice_set_resident(slice, NULL);
	if (vs->context)
		tess_policy_leave(&slice->rq.policy, &vs->sched.policy);
	WRITE_ONCE(vs->slice, NULL);
	spin_unlock(&gpu->lock);
	if (resident)
		tess_fault_forget(slice);
}

/**
 * tess_ring_drop() - stop a ring that its front-end left behind
 * @ring: ring; the hw mutex of its slice is held
 */
void tess_ring_drop(struct tess_ring *ring)
{
	ring_leave(ring);
}

void tess_ring_destroy(struct tess_ring *ring)
{
	struct tess_slice *slice = ring->slice;

	mutex_lock(&slice->hw);
	ring_leave(ring);
	mutex_unlock(&slice->hw);
	tess_slice_look(slice);
	ring_free(ring);
}
EXPORT_SYMBOL_NS_GPL(tess_ring_destroy, TESS_NS);

unsigned int tess_ring_capacity(const struct tess_ring *ring)
{
	return ring->capacity;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_capacity, TESS_NS);

/* ---- jobs ---- */

/* The GPU may only say what is possible; numbers never go back */
static void ring_note_locked(struct tess_ring *ring, u64 seq)
{
	lockdep_assert_held(&ring->lock);
	if (seq > ring->completed && seq <= ring->submitted)
		ring->completed = seq;
}

static u64 ring_completed_locked(struct tess_ring *ring)
{
	lockdep_assert_held(&ring->lock);
	if (ring->hw)
		ring_note_locked(ring, tess_gpu_ops(ring->obj.gpu)->ring_completed(ring->hw));
	return ring->completed;
}

static bool ring_has_completed_locked(struct tess_ring *ring, u64 seq)
{
	lockdep_assert_held(&ring->lock);
	return seq <= ring->completed || seq <= ring_completed_locked(ring);
}

static bool ring_is_full_locked(struct tess_ring *ring)
{
	lockdep_assert_held(&ring->lock);
	return ring->submitted - ring->completed >= ring->capacity &&
	       ring->submitted - ring_completed_locked(ring) >= ring->capacity;
}

/* For the host of this machine, if that gave the GPU to it, and for the profile of the vGPU here */
static void ring_hint_locked(struct tess_ring *ring, const struct tess_job *job)
{
	const struct tess_backend_ops *ops = tess_gpu_ops(ring->obj.gpu);
	struct tess_vslice *vs;

	lockdep_assert_held(&ring->lock);
	if (!job->frames && !job->operations)
		return;
	vs = &ring->vs.vgpu->vslices[ring->vs.index];
	atomic64_add(job->frames, &vs->frames);
	atomic64_add(job->operations, &vs->operations);
	if (ops->ring_hint)
		ops->ring_hint(ring->hw, job->frames, job->operations);
}

static int ring_submit_locked(struct tess_ring *ring, const struct tess_job *job, u64 *seq,
			      bool *wake)
{
	struct tess_gpu *gpu = ring->obj.gpu;
	int rc;

	lockdep_assert_held(&ring->lock);
	if (!ring->hw)
		return -ENODEV;
	if (ring_is_full_locked(ring))
		return -ENOSPC;
	rc = tess_gpu_ops(gpu)->ring_submit(gpu->be, ring->hw, ring->submitted + 1,
					    tess_as_hw(job->as), job->cmd, job->count);
	if (rc)
		return rc;
	*seq = ++ring->submitted;
	ring_hint_locked(ring, job);
	*wake = !ring->recovering && ring_kick_locked(ring);
	return 0;
}

int tess_ring_submit(struct tess_ring *ring, const struct tess_job *job, u64 *seq)
{
	struct tess_gpu *gpu = ring->obj.gpu;
	unsigned long flags;
	bool wake = false;
	int idx, rc;

	if (tess_as_gpu(job->as) != gpu || tess_as_stage(job->as) != TESS_AS_STAGE1 ||
	    !job->count || job->count > DRM_TESSERA_MAX_INDIRECT)
		return -EINVAL;
	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	spin_lock_irqsave(&ring->lock, flags);
	rc = ring_submit_locked(ring, job, seq, &wake);
	spin_unlock_irqrestore(&ring->lock, flags);
	if (wake)
		tess_slice_look(ring->slice);
	tess_gpu_exit(gpu, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_submit, TESS_NS);

u64 tess_ring_completed(struct tess_ring *ring)
{
	unsigned long flags;
	u64 seq;

	spin_lock_irqsave(&ring->lock, flags);
	seq = ring_completed_locked(ring);
	spin_unlock_irqrestore(&ring->lock, flags);
	return seq;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_completed, TESS_NS);

bool tess_ring_arm(struct tess_ring *ring, u64 seq)
{
	unsigned long flags;
	bool reached;

	spin_lock_irqsave(&ring->lock, flags);
	if (ring->hw) {
		/* For the router, which reads the completed number before it */
		WRITE_ONCE(ring->hw->event, seq);
		ring_note_locked(ring, tess_gpu_ops(ring->obj.gpu)->ring_arm(ring->hw, seq));
	}
	reached = ring->completed >= seq;
	spin_unlock_irqrestore(&ring->lock, flags);
	return reached;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_arm, TESS_NS);

/* ---- recovery ---- */

/* False: @seq is none that can be dropped */
static bool ring_recover_begin(struct tess_ring *ring, u64 seq, u64 *last)
{
	bool can;

	spin_lock_irq(&ring->lock);
	can = ring->hw && seq <= ring->submitted;
	ring->recovering = can;
	*last = ring->submitted;
	spin_unlock_irq(&ring->lock);
	return can;
}

static void ring_recover_end(struct tess_ring *ring, u64 seq, u64 last, int rc)
{
	spin_lock_irq(&ring->lock);
	ring->recovering = false;
	/* Its FENCE is next, if the ring stood at this very job: it counts from now on */
	if (!rc && seq && ring_completed_locked(ring) == seq - 1)
		ring->completed = seq;
	if (ring->submitted != last)
		ring_kick_locked(ring);
	spin_unlock_irq(&ring->lock);
}

/*
 * The slice's hw mutex keeps the ring of the back-end. @saved: its context, if it is parked.
 * @seq: 0: nothing is dropped
 */
static int ring_recover(struct tess_ring *ring, u64 seq, struct tess_hw_context *saved,
			bool (*cancel)(void *data, u64 seq), void *data)
{
	struct tess_gpu *gpu = ring->obj.gpu;
	u64 last;
	int rc;

	lockdep_assert_held(&ring->slice->hw);
	if (!ring_recover_begin(ring, seq, &last))
		return -EINVAL;
	rc = tess_gpu_ops(gpu)->ring_recover(gpu->be, ring->hw, saved, seq, last, cancel, data);
	ring_recover_end(ring, seq, last, rc);
	return rc;
}

/* The hw mutex of the slice is held, if it has the ring still */
static bool ring_begin(struct tess_ring *ring, int *idx)
{
	struct tess_slice *slice = ring->slice;

	if (!tess_gpu_enter(slice->gpu, idx))
		return false;
	mutex_lock(&slice->hw);
	if (ring->vs.slice)
		return true;
	tess_vslice_end(slice, *idx);
	return false;
}

/* What it had was not lost by being parked, and it may have work again */
static int ring_recover_parked(struct tess_ring *ring, u64 seq,
			       bool (*cancel)(void *data, u64 seq), void *data)
{
	struct tess_vslice *vs = &ring->vs;
	int rc;

	rc = ring_recover(ring, seq, tess_context_hw(vs->context), cancel, data);
	tess_fault_acked_parked(ring->slice, vs);
	vs->sched.has_work = tess_context_has_work(vs->context);
	tess_slice_look(ring->slice);
	return rc;
}

/* @seq as ring_recover() */
static int ring_recover_any(struct tess_ring *ring, u64 seq,
			    bool (*cancel)(void *data, u64 seq), void *data)
{
	int rc;

	if (!tess_vslice_is_resident(&ring->vs))
		return ring_recover_parked(ring, seq, cancel, data);
	rc = ring_recover(ring, seq, NULL, cancel, data);
	tess_fault_acked(ring->slice);
	return rc;
}

int tess_ring_recover(struct tess_ring *ring, u64 seq, bool (*cancel)(void *data, u64 seq),
		      void *data)
{
	int idx, rc;

	if (!seq)
		return -EINVAL;
	if (!ring_begin(ring, &idx))
		return -ENODEV;
	rc = ring_recover_any(ring, seq, cancel, data);
	tess_vslice_end(ring->slice, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_recover, TESS_NS);

static bool ring_read_fault(struct tess_ring *ring, struct tess_fault *fault)
{
	struct tess_gpu *gpu = ring->obj.gpu;

	if (!tess_vslice_is_resident(&ring->vs))
		return tess_context_fault(ring->vs.context, fault);
	return tess_gpu_ops(gpu)->fault_read(gpu->be, ring->slice->index, fault);
}

/*
 * Nobody knows where the ring stood, but what is complete is, and if the job behind that has begun.
 * If not, nothing was lost: the ring goes on there.
 */
static int ring_lost(struct tess_ring *ring, u64 *seq)
{
	struct tess_gpu *gpu = ring->obj.gpu;

	*seq = tess_ring_completed(ring) + 1;
	if (*seq <= READ_ONCE(ring->submitted) &&
	    tess_gpu_ops(gpu)->ring_spent(ring->hw, *seq, U64_MAX))
		return 0;
	return ring_recover_any(ring, 0, NULL, NULL) ?: -ENOENT;
}

int tess_ring_fault(struct tess_ring *ring, struct tess_fault *fault, u64 *seq)
{
	struct tess_slice *slice = ring->slice;
	int idx, rc = -ENOENT;

	if (!ring_begin(ring, &idx))
		return -ENODEV;
	if (ring_read_fault(ring, fault)) {
		*seq = tess_gpu_ops(slice->gpu)->ring_job(ring->hw, fault->packet);
		rc = fault->cause == DRM_TESSERA_CAUSE_CONTEXT_LOST ? ring_lost(ring, seq) : 0;
	}
	tess_vslice_end(slice, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_fault, TESS_NS);

/* ---- counters ---- */

static int ring_counters(struct tess_ring *ring, u64 counters[TESS_COUNTS])
{
	struct tess_gpu *gpu = ring->obj.gpu;

	if (!tess_vslice_is_resident(&ring->vs))
		return tess_context_counters(ring->vs.context, counters);
	return tess_gpu_ops(gpu)->counters(gpu->be, ring->slice->index, false, counters);
}

int tess_ring_counters(struct tess_ring *ring, u64 counters[TESS_COUNTS])
{
	int idx, rc;

	if (!ring_begin(ring, &idx))
		return -ENODEV;
	rc = ring_counters(ring, counters);
	tess_vslice_end(ring->slice, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_counters, TESS_NS);

u64 tess_ring_spent(struct tess_ring *ring, u64 seq)
{
	struct tess_gpu *gpu = ring->obj.gpu;
	u64 counters[TESS_COUNTS];
	u64 cycles = 0;
	int idx;

	if (!ring_begin(ring, &idx))
		return 0;
	if (seq && seq <= READ_ONCE(ring->submitted) && !ring_counters(ring, counters))
		cycles = tess_gpu_ops(gpu)->ring_spent(ring->hw, seq,
						       counters[TESS_COUNT_BUSY]);
	tess_vslice_end(ring->slice, idx);
	return cycles;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_spent, TESS_NS);

u64 tess_ring_usage(struct tess_ring *ring, u64 seq)
{
	struct tess_gpu *gpu = ring->obj.gpu;
	unsigned long flags;
	u64 cycles = 0;

	spin_lock_irqsave(&ring->lock, flags);
	if (ring->hw && seq && ring_has_completed_locked(ring, seq) &&
	    ring->submitted - seq < ring->capacity)
		cycles = tess_gpu_ops(gpu)->ring_usage(gpu->be, ring->hw, seq);
	spin_unlock_irqrestore(&ring->lock, flags);
	return cycles;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_usage, TESS_NS);
