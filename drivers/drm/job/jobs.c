// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: completion
 *
 * The ring's event index is armed for the first job that is not complete.
 * Whoever collects completed jobs (the interrupt, or run_job() for the first job of an
 * idle ring) arms for the next and looks again if that one is complete already, so no
 * wake-up is lost and no interrupt is taken for a job that was seen before it.
 */
#include <linux/dma-fence.h>
#include <linux/slab.h>
#include <drm/tessera_drm.h>
#include <tessera/ring.h>
#include "base/device.h"
#include "fence.h"
#include "gate.h"
#include "jobs.h"
#include "lane.h"
#include "mem/vm.h"
#include "queue_state.h"

/**
 * tess_lane_first_locked() - the job at which the ring stands
 * @lane: lane, its lock is held
 * @seq: its sequence number; 0: none
 *
 * Return: the job, or NULL.
 */
struct tess_submit *tess_lane_first_locked(struct tess_lane *lane, u64 *seq)
{
	struct tess_submit *submit;

	lockdep_assert_held(&lane->lock);

	submit = list_first_entry_or_null(&lane->pending, struct tess_submit, link);
	*seq = submit ? submit->seq : 0;
	return submit;
}

/**
 * tess_lane_charge() - add GPU time to what an open file used
 * @lane: lane, its lock is held
 * @submit: job of the file
 * @cycles: time
 */
void tess_lane_charge(struct tess_lane *lane, const struct tess_submit *submit, u64 cycles)
{
	struct tess_usage *usage = submit->queue->usage;
	u32 kind = READ_ONCE(lane->lanes->kind);

	if (kind < ARRAY_SIZE(usage->cycles))
		atomic64_add(cycles, &usage->cycles[kind]);
}

static void tess_lane_account(struct tess_lane *lane, const struct tess_submit *submit)
{
	if (!submit->follows)
		tess_lane_charge(lane, submit, tess_ring_usage(lane->ring, submit->seq));
}

/**
 * tess_lane_collect_locked() - take completed jobs from a lane, and arm for the next one
 * @lane: lane, its lock is held
 * @done: where they go, for tess_lane_signal()
 *
 * The bound is for a ring that contradicts itself.
 */
void tess_lane_collect_locked(struct tess_lane *lane, struct list_head *done)
{
	struct tess_submit *submit;
	unsigned int i;
	u64 completed, seq;

	lockdep_assert_held(&lane->lock);

	for (i = 0; lane->ring && i <= TESS_LANE_JOBS; i++) {
		completed = tess_ring_completed(lane->ring);
		while ((submit = tess_lane_first_locked(lane, &seq)) && seq <= completed) {
			tess_lane_account(lane, submit);
			list_move_tail(&submit->link, done);
		}
		if (!submit || !tess_ring_arm(lane->ring, seq))
			break;
	}
}

/**
 * tess_lane_fail_locked() - take all jobs from a lane
 * @lane: lane without ring, its lock is held
 * @error: of those that have none
 * @done: where they go, for tess_lane_signal()
 */
void tess_lane_fail_locked(struct tess_lane *lane, int error, struct list_head *done)
{
	struct tess_submit *submit;

	lockdep_assert_held(&lane->lock);

	list_for_each_entry(submit, &lane->pending, link) {
		if (!submit->error)
			atomic64_inc(&submit->queue->vm->lost);
		submit->error = submit->error ?: error;
		tess_queue_fail(submit->queue, DRM_TESSERA_QUEUE_LOST);
	}
	list_splice_tail_init(&lane->pending, done);
}

/**
 * tess_lane_signal() - end jobs
 * @done: jobs that are over; any context
 *
 * A job may be freed as soon as its fence is signalled.
 */
void tess_lane_signal(struct list_head *done)
{
	struct tess_submit *submit, *next;

	list_for_each_entry_safe(submit, next, done, link) {
		struct dma_fence *fence = &submit->fence->base;

		list_del_init(&submit->link);
		if (submit->error)
			dma_fence_set_error(fence, submit->error);
		dma_fence_signal(fence);
		dma_fence_put(fence);
	}
}

/**
 * tess_lane_reap() - end the jobs that are complete
 * @lane: lane; any context
 */
void tess_lane_reap(struct tess_lane *lane)
{
	bool signalling = dma_fence_begin_signalling();
	unsigned long flags;
	LIST_HEAD(done);

	spin_lock_irqsave(&lane->lock, flags);
	tess_lane_collect_locked(lane, &done);
	spin_unlock_irqrestore(&lane->lock, flags);
	tess_lane_signal(&done);
	dma_fence_end_signalling(signalling);
}

/**
 * tess_submit_free() - free a job
 * @submit: job; its part for the scheduler is cleaned up already
 */
void tess_submit_free(struct tess_submit *submit)
{
	struct tess_queue *queue = submit->queue;

	tess_lane_job_over(submit->lane, submit->began, submit->pushed);
	/* The fences keep the module, whose exit waits for queues that are being released */
	tess_queue_put(queue);
	if (submit->started)
		dma_fence_put(&submit->fence->base);
	else
		tess_fence_free(submit->fence);
	kfree(submit);
}
