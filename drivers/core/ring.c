// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings of clients in the kernel.
 *
 * DOC: Rings
 *
 * The back-end writes packets; the core numbers jobs and knows which are complete. Jobs
 * complete in order, so one number says it all: the completion record's, which the GPU
 * writes to host memory. Asking costs no access to the device and works in interrupt
 * context.
 *
 * tess_ring.lock is a spinlock because the DRM scheduler and fence call-backs submit,
 * ask and arm from contexts that must not sleep. Recovery does not hold it: in a guest each
 * register access of a parked vslice waits for the vslice's turn. What is submitted while
 * the ring is stopped and rewritten is put behind, and the GPU is told when that is over.
 */
#include <drm/tessera_packet.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <tessera/compat.h>

#include "complete.h"
#include "fault.h"
#include "gpu.h"
#include "mem.h"
#include "object.h"
#include "ring.h"
#include "slice.h"
#include "vgpu.h"
#include "vslice.h"

/**
 * struct tess_ring - shell of a ring
 * @obj: object
 * @vgpu: vGPU
 * @vslice: index
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
	struct tess_vgpu *vgpu;
	unsigned int vslice;
	struct tess_slice *slice;
	unsigned int capacity;
	spinlock_t lock;
	struct tess_hw_ring *hw;
	bool recovering;
	u64 submitted;
	u64 completed;
};

static void ring_destroy(struct tess_object *obj)
{
	struct tess_ring *ring = container_of(obj, struct tess_ring, obj);
	struct tess_hw_ring *hw;

	tess_route_drop(ring->slice, ring->vgpu);
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

static int ring_start(struct tess_ring *ring)
{
	struct tess_vgpu *vgpu = ring->vgpu;
	struct tess_slice *slice = ring->slice;
	struct tess_gpu *gpu = vgpu->gpu;
	struct tess_hw_ring *hw;

	lockdep_assert_held(&slice->hw);
	if (READ_ONCE(slice->leaving))
		return -ENXIO;
	if (vgpu->vslices[ring->vslice].ring)
		return -EBUSY;
	hw = tess_gpu_ops(gpu)->ring_create(gpu->be, slice->index);
	if (IS_ERR(hw))
		return PTR_ERR(hw);
	ring->hw = hw;
	ring->capacity = hw->capacity;
	tess_fault_forget(slice);
	tess_object_add(&ring->obj, gpu, &ring_ops);
	vgpu->vslices[ring->vslice].ring = ring;
	/* A ring starts with number 0, in the record and in the slice */
	if (vgpu->ops->complete)
		tess_route_set(slice, vgpu, ring->vslice, hw->rec, 0);
	return 0;
}

struct tess_ring *tess_ring_create(struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_slice *slice;
	struct tess_ring *ring;
	int idx, rc;

	if (tess_vgpu_takes_turns(vgpu))
		return ERR_PTR(-EOPNOTSUPP);
	ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&ring->lock);
	ring->vgpu = vgpu;
	ring->vslice = vslice;
	slice = tess_vslice_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice)) {
		kfree(ring);
		return ERR_CAST(slice);
	}
	ring->slice = slice;
	rc = ring_start(ring);
	tess_vslice_end(slice, idx);
	if (rc) {
		kfree(ring);
		return ERR_PTR(rc);
	}
	return ring;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_create, TESS_NS);

/**
 * tess_ring_drop() - stop a ring that its front-end left behind
 * @ring: ring; the hw mutex of its slice is held
 */
void tess_ring_drop(struct tess_ring *ring)
{
	lockdep_assert_held(&ring->slice->hw);
	tess_object_release(&ring->obj);
}

void tess_ring_destroy(struct tess_ring *ring)
{
	struct tess_vslice *vs = &ring->vgpu->vslices[ring->vslice];
	struct tess_slice *slice = ring->slice;

	mutex_lock(&slice->hw);
	if (vs->ring == ring)
		vs->ring = NULL;
	tess_object_release(&ring->obj);
	tess_fault_forget(slice);
	mutex_unlock(&slice->hw);
	tess_object_put(&ring->obj);
}
EXPORT_SYMBOL_NS_GPL(tess_ring_destroy, TESS_NS);

unsigned int tess_ring_capacity(const struct tess_ring *ring)
{
	return ring->capacity;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_capacity, TESS_NS);

/* The record may only say what is possible; numbers never go back */
static u64 ring_completed_locked(struct tess_ring *ring)
{
	u64 seq;

	lockdep_assert_held(&ring->lock);
	if (!ring->hw)
		return ring->completed;
	seq = le64_to_cpu(READ_ONCE(ring->hw->rec->seq));
	/* What the job wrote is read after its number */
	virt_rmb();
	if (seq > ring->completed && seq <= ring->submitted)
		ring->completed = seq;
	return ring->completed;
}

static int ring_submit_locked(struct tess_ring *ring, const struct tess_job *job, u64 *seq)
{
	struct tess_gpu *gpu = ring->obj.gpu;

	lockdep_assert_held(&ring->lock);
	if (!ring->hw)
		return -ENODEV;
	if (ring->submitted - ring_completed_locked(ring) >= ring->capacity)
		return -ENOSPC;
	*seq = ++ring->submitted;
	tess_gpu_ops(gpu)->ring_submit(gpu->be, ring->hw, *seq, tess_as_hw(job->as), job->cmd,
				       job->count);
	if (!ring->recovering)
		tess_gpu_ops(gpu)->ring_kick(gpu->be, ring->hw, *seq);
	return 0;
}

int tess_ring_submit(struct tess_ring *ring, const struct tess_job *job, u64 *seq)
{
	struct tess_gpu *gpu = ring->obj.gpu;
	unsigned long flags;
	int idx, rc;

	if (tess_as_gpu(job->as) != gpu || tess_as_stage(job->as) != TESS_AS_STAGE1 ||
	    !job->count || job->count > DRM_TESSERA_MAX_INDIRECT)
		return -EINVAL;
	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	spin_lock_irqsave(&ring->lock, flags);
	rc = ring_submit_locked(ring, job, seq);
	spin_unlock_irqrestore(&ring->lock, flags);
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
		WRITE_ONCE(ring->hw->rec->event, cpu_to_le64(seq));
		/* Pairs with the GPU, which writes seq, then reads event */
		virt_mb();
	}
	reached = ring_completed_locked(ring) >= seq;
	spin_unlock_irqrestore(&ring->lock, flags);
	return reached;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_arm, TESS_NS);

/* Number of the last job, 0: @seq is none that can be dropped */
static u64 ring_recover_begin(struct tess_ring *ring, u64 seq)
{
	u64 last = 0;

	spin_lock_irq(&ring->lock);
	if (ring->hw && seq && seq <= ring->submitted) {
		ring->recovering = true;
		last = ring->submitted;
	}
	spin_unlock_irq(&ring->lock);
	return last;
}

static void ring_recover_end(struct tess_ring *ring, u64 seq, u64 last, int rc)
{
	struct tess_gpu *gpu = ring->obj.gpu;

	spin_lock_irq(&ring->lock);
	ring->recovering = false;
	/* Its FENCE is next, if the ring stood at this very job: it counts from now on */
	if (!rc && ring_completed_locked(ring) == seq - 1)
		ring->completed = seq;
	if (ring->submitted != last)
		tess_gpu_ops(gpu)->ring_kick(gpu->be, ring->hw, ring->submitted);
	spin_unlock_irq(&ring->lock);
}

/* The slice's hw mutex keeps the ring of the back-end */
static int ring_recover(struct tess_ring *ring, u64 seq, bool (*cancel)(void *data, u64 seq),
			void *data)
{
	struct tess_gpu *gpu = ring->obj.gpu;
	u64 last;
	int rc;

	lockdep_assert_held(&ring->slice->hw);
	last = ring_recover_begin(ring, seq);
	if (!last)
		return -EINVAL;
	rc = tess_gpu_ops(gpu)->ring_recover(gpu->be, ring->hw, seq, last, cancel, data);
	ring_recover_end(ring, seq, last, rc);
	return rc;
}

/* The slice that runs the ring, its hw mutex held; another one may have the vslice now */
static struct tess_slice *ring_begin(struct tess_ring *ring, int *idx)
{
	struct tess_slice *slice = tess_vslice_begin(ring->vgpu, ring->vslice, idx);

	if (IS_ERR(slice))
		return slice;
	if (ring->vgpu->vslices[ring->vslice].ring == ring)
		return slice;
	tess_vslice_end(slice, *idx);
	return ERR_PTR(-ENODEV);
}

int tess_ring_recover(struct tess_ring *ring, u64 seq, bool (*cancel)(void *data, u64 seq),
		      void *data)
{
	struct tess_slice *slice;
	int idx, rc;

	slice = ring_begin(ring, &idx);
	if (IS_ERR(slice))
		return -ENODEV;
	rc = ring_recover(ring, seq, cancel, data);
	tess_fault_acked(slice);
	tess_vslice_end(slice, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_recover, TESS_NS);

int tess_ring_fault(struct tess_ring *ring, struct tess_fault *fault, u64 *seq)
{
	struct tess_slice *slice;
	int idx, rc = -ENOENT;

	slice = ring_begin(ring, &idx);
	if (IS_ERR(slice))
		return -ENODEV;
	if (tess_gpu_ops(slice->gpu)->fault_read(slice->gpu->be, slice->index, fault)) {
		*seq = tess_gpu_ops(slice->gpu)->ring_job(ring->hw, fault->packet);
		rc = 0;
	}
	tess_vslice_end(slice, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_fault, TESS_NS);

u64 tess_ring_spent(struct tess_ring *ring, u64 seq)
{
	struct tess_slice *slice;
	u64 cycles = 0;
	int idx;

	slice = ring_begin(ring, &idx);
	if (IS_ERR(slice))
		return 0;
	if (seq && seq <= READ_ONCE(ring->submitted))
		cycles = tess_gpu_ops(slice->gpu)->ring_spent(slice->gpu->be, ring->hw, seq);
	tess_vslice_end(slice, idx);
	return cycles;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_spent, TESS_NS);

u64 tess_ring_usage(struct tess_ring *ring, u64 seq)
{
	struct tess_gpu *gpu = ring->obj.gpu;
	unsigned long flags;
	u64 cycles = 0;

	spin_lock_irqsave(&ring->lock, flags);
	if (ring->hw && seq && seq <= ring_completed_locked(ring) &&
	    ring->submitted - seq < ring->capacity)
		cycles = tess_gpu_ops(gpu)->ring_usage(gpu->be, ring->hw, seq);
	spin_unlock_irqrestore(&ring->lock, flags);
	return cycles;
}
EXPORT_SYMBOL_NS_GPL(tess_ring_usage, TESS_NS);
