// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: jobs
 *
 * The GPU scheduler of a lane picks the next job, and run_job() puts it on the ring.
 *
 * The scheduler has nothing to reset: every job that it gives away comes back through its fence.
 * What is done to that end, here, in jobs.c, in hang.c and where lanes are stopped, allocates no
 * memory that has to be waited for, nor takes a lock under which others do: memory management may
 * wait for the fence. It is between dma_fence_begin_signalling() and dma_fence_end_signalling(), by
 * which lockdep checks that.
 */
#include <linux/dma-fence.h>
#include <linux/slab.h>
#include <drm/tessera_drm.h>
#include <tessera/gpu.h>
#include <tessera/ring.h>
#include "base/device.h"
#include "fence.h"
#include "hang.h"
#include "jobs.h"
#include "lane.h"
#include "mem/vm.h"
#include "queue_state.h"
#include "sched.h"

static int tess_lane_give_locked(struct tess_lane *lane, struct tess_submit *submit)
{
	struct tess_queue *queue = submit->queue;
	int ret;

	if (tess_queue_is_dead(queue))
		return -ECANCELED;
	if (lane->ring)
		ret = tess_ring_submit(lane->ring, &submit->job, &submit->seq);
	else
		ret = READ_ONCE(lane->lanes->stopped) ? -ENODEV : -ENXIO;
	if (ret) {
		tess_queue_fail(queue, DRM_TESSERA_QUEUE_LOST);
		atomic64_inc(&queue->vm->lost);
	}
	return ret;
}

static struct tess_submit *tess_lane_last_locked(struct tess_lane *lane,
						 const struct tess_queue *queue)
{
	struct tess_submit *submit;

	list_for_each_entry_reverse(submit, &lane->pending, link)
		if (submit->queue == queue)
			return submit;
	return NULL;
}

/*
 * A job that does not get to the ring ends with the last one of its queue that did, which the
 * GPU may still work on: its end says to all who wait that what came before it is over, too.
 */
static int tess_lane_run_locked(struct tess_lane *lane, struct tess_submit *submit)
{
	struct tess_submit *last = NULL;
	int ret;

	lockdep_assert_held(&lane->lock);

	ret = tess_lane_give_locked(lane, submit);
	if (ret) {
		last = tess_lane_last_locked(lane, submit->queue);
		if (!last)
			return ret;
		submit->follows = true;
		submit->error = ret;
		submit->seq = last->seq;
		/* Others' jobs that are on the ring behind end later */
		tess_fence_init(submit->fence, dma_fence_context_alloc(1), 1);
	} else {
		tess_fence_init(submit->fence, lane->fence_context, ++lane->fence_seqno);
	}
	submit->started = true;
	dma_fence_get(&submit->fence->base);
	list_add(&submit->link, last ? &last->link : lane->pending.prev);
	return 0;
}

static struct dma_fence *tess_lane_run(struct tess_lane *lane, struct tess_submit *submit)
{
	struct dma_fence *fence;
	unsigned long flags;
	LIST_HEAD(done);
	bool idle;
	int ret;

	spin_lock_irqsave(&lane->lock, flags);
	idle = list_empty(&lane->pending);
	ret = tess_lane_run_locked(lane, submit);
	fence = ret ? ERR_PTR(ret) : dma_fence_get(&submit->fence->base);
	if (!ret && idle)
		tess_lane_collect_locked(lane, &done);
	spin_unlock_irqrestore(&lane->lock, flags);

	tess_lane_signal(&done);
	if (!ret && idle)
		tess_lane_watch_soon(lane);
	return fence;
}

static struct dma_fence *tess_sched_run_job(struct drm_sched_job *job)
{
	bool signalling = dma_fence_begin_signalling();
	struct tess_submit *submit = to_tess_submit(job);
	struct tess_lane *lane = submit->lane;
	struct dma_fence *fence;

	/* Not inside drm_dev_enter(): the lane's ring says if there is a GPU */
	submit->began = true;
	atomic_inc(&lane->running);
	fence = tess_lane_run(lane, submit);
	dma_fence_end_signalling(signalling);
	return fence;
}

static void tess_sched_free_job(struct drm_sched_job *job)
{
	struct tess_submit *submit = to_tess_submit(job);

	drm_sched_job_cleanup(job);
	tess_submit_free(submit);
}

static const struct drm_sched_backend_ops tess_sched_ops = {
	.run_job = tess_sched_run_job,
	.free_job = tess_sched_free_job,
};

/**
 * tess_lane_sched_init() - make the scheduler of a lane
 * @lane: lane
 *
 * drm_sched_fini() ends it.
 *
 * Return: 0, -ENOMEM.
 */
#ifdef TESS_DRM_SCHED_INIT_PLAIN
int tess_lane_sched_init(struct tess_lane *lane)
{
	return drm_sched_init(&lane->sched, &tess_sched_ops, lane->tdev->wq,
			      DRM_SCHED_PRIORITY_COUNT, TESS_LANE_JOBS, 0, MAX_SCHEDULE_TIMEOUT,
			      NULL, NULL, lane->name, tess_gpu_dev(lane->tdev->gpu));
}
#else
int tess_lane_sched_init(struct tess_lane *lane)
{
	const struct drm_sched_init_args args = {
		.ops = &tess_sched_ops,
		.submit_wq = lane->tdev->wq,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = TESS_LANE_JOBS,
		.timeout = MAX_SCHEDULE_TIMEOUT,
		.name = lane->name,
		.dev = tess_gpu_dev(lane->tdev->gpu),
	};

	return drm_sched_init(&lane->sched, &args);
}
#endif
