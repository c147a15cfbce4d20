// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings of a GPU that does nothing: a job is complete when it is kicked.
 *
 * DOC: Jobs that are complete
 *
 * ring_submit() would write packets, and ring_kick() tell the GPU of them. The GPU's part, which is
 * here, too, is to write the number of the last completed job to the completion record and, if
 * that passed the event index, to raise the completion interrupt.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <tessera/hw/tess_mem.h>

#include "skeleton.h"

#define RING_JOBS	128

/**
 * struct skeleton_ring - a ring
 * @hw: for the core
 * @rec: completion record
 */
struct skeleton_ring {
	struct tess_hw_ring hw;
	struct tess_completion_record rec;
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
	ring->hw.rec = &ring->rec;
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

void skeleton_ring_submit(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq,
			  struct tess_hw_as *as, u64 cmd, u32 count)
{
}

void skeleton_ring_kick(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq)
{
	struct tess_completion_record *rec = &to_ring(hw)->rec;
	struct skeleton *sk = to_skeleton(be);
	u64 old = le64_to_cpu(READ_ONCE(rec->seq));

	WRITE_ONCE(rec->seq, cpu_to_le64(seq));
	/* Pairs with tess_ring_arm(), which writes the event index, then reads the number */
	smp_mb();
	if (seq - le64_to_cpu(READ_ONCE(rec->event)) >= seq - old)
		return;
	irq_work_queue(&sk->irq);
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
