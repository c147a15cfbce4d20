// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings of a GPU that does nothing: a job is complete when it is kicked.
 *
 * DOC: Jobs that are complete
 *
 * ring_submit() would write packets, and ring_kick() tell the GPU of them. The GPU's part, which is
 * here, too, is to make the number of the last completed job known and, if that passed the one
 * that ring_arm() asked for, to raise the completion interrupt.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "skeleton.h"

#define RING_JOBS	128

/**
 * struct skeleton_ring - a ring
 * @hw: for the core
 * @done: number of the last job that is complete
 * @armed: number at which the interrupt is raised
 */
struct skeleton_ring {
	struct tess_hw_ring hw;
	u64 done;
	u64 armed;
};

static struct skeleton_ring *to_ring(struct tess_hw_ring *hw)
{
	return container_of(hw, struct skeleton_ring, hw);
}

struct tess_hw_ring *skeleton_ring_alloc(struct tess_backend *be)
{
	struct skeleton_ring *ring;

	ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->hw.capacity = RING_JOBS;
	ring->hw.parked = true;
	return &ring->hw;
}

int skeleton_ring_start(struct tess_backend *be, struct tess_hw_ring *hw, unsigned int slice,
			struct tess_hw_context *ctx)
{
	hw->slice = slice;
	return 0;
}

void skeleton_ring_destroy(struct tess_backend *be, struct tess_hw_ring *hw)
{
	kfree(to_ring(hw));
}

int skeleton_ring_submit(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq,
			 struct tess_hw_as *as, u64 cmd, u32 count)
{
	return 0;
}

void skeleton_ring_kick(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq)
{
	struct skeleton_ring *ring = to_ring(hw);
	u64 armed, old = ring->done;

	WRITE_ONCE(ring->done, seq);
	/* Pairs with skeleton_ring_arm() */
	smp_mb();
	armed = READ_ONCE(ring->armed);
	if (old < armed && armed <= seq)
		irq_work_queue(&to_skeleton(be)->irq);
}

u64 skeleton_ring_completed(const struct tess_hw_ring *hw)
{
	const struct skeleton_ring *ring = container_of_const(hw, struct skeleton_ring, hw);

	/* A GPU wrote something before that is read afterwards */
	return smp_load_acquire(&ring->done);
}

u64 skeleton_ring_arm(struct tess_hw_ring *hw, u64 seq)
{
	WRITE_ONCE(to_ring(hw)->armed, seq);
	/* Pairs with skeleton_ring_kick() */
	smp_mb();
	return skeleton_ring_completed(hw);
}

/* A job is one packet */
u64 skeleton_ring_job(const struct tess_hw_ring *hw, u64 packet)
{
	return packet + 1;
}

int skeleton_ring_recover(struct tess_backend *be, struct tess_hw_ring *hw,
			  struct tess_hw_context *saved, u64 seq, u64 last,
			  bool (*cancel)(void *data, u64 seq), void *data)
{
	return -EALREADY;
}

u64 skeleton_ring_spent(const struct tess_hw_ring *hw, u64 seq, u64 busy)
{
	return 0;
}

u64 skeleton_ring_usage(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq)
{
	return 0;
}
