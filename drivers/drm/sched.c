// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: lanes
 *
 * A lane is a vslice as this driver uses it: a GPU scheduler that picks the next job,
 * and a ring that runs up to TESS_LANE_JOBS of them back to back.
 *
 * Completion: the ring's event index is armed for the first job that is not complete.
 * Whoever collects completed jobs (the interrupt, or run_job() for the first job of an
 * idle ring) arms for the next and looks again if that one is complete already, so no
 * wake-up is lost and no interrupt is taken for a job that was seen before it.
 *
 * Failure: the job at which the ring stands is guilty, because a ring runs in order.
 * Its queue is dead from that moment; jobs of that queue that are on the ring already
 * are turned into nothing by the recovery, all others run. A job that comes to a dead queue
 * ends with the last one of that queue that is on the ring, not before: a fence says that
 * all earlier work of its queue is over.
 *
 * Hangs are found by a watchdog, not by the timeout of the GPU scheduler: that one
 * counts wall time from the moment of submission, but a vslice of a guest may be parked
 * for any time, and a slow host is no reason to kill a job. The watchdog counts cycles
 * in which the ring was enabled and its first job did not change. It costs no register
 * access while jobs are shorter than its period. It also collects what is complete, so that
 * a GPU that forgets an interrupt is slow and not stuck; with hang_ms=0 it does neither. An
 * open file whose jobs hang again and again is banned: its queues are dead and it gets no new
 * ones, so that others do not wait for its next hang on each slice.
 *
 * A slice can leave a lane in two ways. Another vGPU of this host needs it: what is queued
 * gets reclaim_ms, then it is dropped and the ring is gone. Or the GPU is a vGPU itself and
 * its host withdraws the slice: then the lane takes no new jobs, but keeps its ring, and
 * those that it has run to their end, in turns with others on whatever slice the host has
 * for them. There is no limit: how long that takes is up to the host, and a job without an
 * end is the watchdog's business. Nothing is dropped, and nothing waits.
 *
 * The scheduler has thus nothing to reset: every job that it gives away comes back
 * through its fence.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_print.h>
#include <drm/tessera_drm.h>
#include "device.h"
#include "fence.h"
#include "queue.h"
#include "sched.h"
#include "submit.h"

/* Jobs on a ring: enough to hide the way of a completion to the CPU and back */
#define TESS_LANE_JOBS		16
#define TESS_WATCH_MS_MIN	50
#define TESS_WATCH_MS_MAX	1000
#define TESS_WATCH_NO_CYCLES	U64_MAX

static unsigned int hang_ms = 60000;
module_param(hang_ms, uint, 0644);
MODULE_PARM_DESC(hang_ms, "GPU time after which a job that is not complete is stopped, ms; 0: never, and interrupts are relied upon");

static unsigned int reclaim_ms = 200;
module_param(reclaim_ms, uint, 0644);
MODULE_PARM_DESC(reclaim_ms, "time that jobs get to finish when somebody else needs their slice, ms");

static unsigned int ban_hangs = 8;
module_param(ban_hangs, uint, 0644);
MODULE_PARM_DESC(ban_hangs, "hangs after which an open file gets no more GPU time; 0: never");

/* What a recovery has to drop: @seq, and @seq + n for each bit n of @cancel */
struct tess_recovery {
	u64 seq;
	u64 cancel;
};

static_assert(TESS_LANE_JOBS <= 64, "a bit of cancel for each job");

static struct tess_submit *tess_lane_first(struct tess_lane *lane)
{
	return list_first_entry_or_null(&lane->pending, struct tess_submit, link);
}

static void tess_lane_charge(struct tess_lane *lane, const struct tess_submit *submit, u64 cycles)
{
	struct tess_usage *usage = submit->queue->usage;

	if (lane->kind < ARRAY_SIZE(usage->cycles))
		atomic64_add(cycles, &usage->cycles[lane->kind]);
}

static void tess_lane_account(struct tess_lane *lane, const struct tess_submit *submit)
{
	if (!submit->follows)
		tess_lane_charge(lane, submit, tess_ring_usage(lane->ring, submit->seq));
}

/*
 * Move completed jobs to @done and arm for the next one. The bound is for a ring that
 * contradicts itself.
 */
static void tess_lane_collect_locked(struct tess_lane *lane, struct list_head *done)
{
	struct tess_submit *submit;
	unsigned int i;
	u64 completed;

	lockdep_assert_held(&lane->lock);

	for (i = 0; lane->ring && i <= TESS_LANE_JOBS; i++) {
		completed = tess_ring_completed(lane->ring);
		while ((submit = tess_lane_first(lane)) && submit->seq <= completed) {
			tess_lane_account(lane, submit);
			list_move_tail(&submit->link, done);
		}
		if (!submit || !tess_ring_arm(lane->ring, submit->seq))
			break;
	}
}

static void tess_lane_fail_locked(struct tess_lane *lane, int error, struct list_head *done)
{
	struct tess_submit *submit;

	lockdep_assert_held(&lane->lock);

	list_for_each_entry(submit, &lane->pending, link) {
		submit->error = submit->error ?: error;
		submit->queue->flags |= DRM_TESSERA_QUEUE_LOST;
	}
	list_splice_tail_init(&lane->pending, done);
}

/* A job may be freed as soon as its fence is signalled */
static void tess_lane_signal(struct list_head *done)
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
	unsigned long flags;
	LIST_HEAD(done);

	spin_lock_irqsave(&lane->lock, flags);
	tess_lane_collect_locked(lane, &done);
	spin_unlock_irqrestore(&lane->lock, flags);
	tess_lane_signal(&done);
}

/**
 * tess_usage_is_banned() - did jobs of an open file hang again and again?
 * @usage: of the file
 *
 * Return: true: it gets no more GPU time, unless the parameter is changed.
 */
bool tess_usage_is_banned(const struct tess_usage *usage)
{
	unsigned int limit = READ_ONCE(ban_hangs);

	return limit && atomic_read(&usage->hangs) >= limit;
}

/**
 * tess_queue_is_dead_locked() - does a queue take no more jobs?
 * @queue: queue, the lock of its lane is held
 *
 * Return: true: DRM_TESSERA_QUEUE_* in its flags says why.
 */
bool tess_queue_is_dead_locked(struct tess_queue *queue)
{
	lockdep_assert_held(&queue->lane->lock);
	if (tess_usage_is_banned(queue->usage))
		queue->flags |= DRM_TESSERA_QUEUE_BANNED;
	return queue->flags;
}

static int tess_lane_give_locked(struct tess_lane *lane, struct tess_submit *submit)
{
	struct tess_queue *queue = submit->queue;
	int ret;

	if (tess_queue_is_dead_locked(queue))
		return -ECANCELED;
	if (lane->ring)
		ret = tess_ring_submit(lane->ring, &submit->job, &submit->seq);
	else
		ret = lane->stopped ? -ENODEV : -ENXIO;
	if (ret)
		queue->flags |= DRM_TESSERA_QUEUE_LOST;
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
		tess_fence_init_hw(submit->fence, dma_fence_context_alloc(1), 1);
	} else {
		tess_fence_init_hw(submit->fence, lane->fence_context, ++lane->fence_seqno);
	}
	submit->started = true;
	dma_fence_get(&submit->fence->base);
	list_add(&submit->link, last ? &last->link : lane->pending.prev);
	return 0;
}

static unsigned long tess_watch_period(void)
{
	/* 0 means never, and is looked at from time to time only because it may change */
	unsigned int ms = READ_ONCE(hang_ms) ?: UINT_MAX;

	return msecs_to_jiffies(clamp(ms / 4, TESS_WATCH_MS_MIN, TESS_WATCH_MS_MAX));
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
		queue_delayed_work(lane->tdev->wq, &lane->watchdog, tess_watch_period());
	return fence;
}

static struct dma_fence *tess_sched_run_job(struct drm_sched_job *job)
{
	struct tess_submit *submit = to_tess_submit(job);
	struct tess_lane *lane = submit->queue->lane;

	/* Not inside drm_dev_enter(): the lane's ring says if there is a GPU */
	submit->began = true;
	atomic_inc(&lane->running);
	return tess_lane_run(lane, submit);
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
 * tess_lane_available_locked() - may jobs be sent?
 * @lane: lane, its lock is held
 *
 * Return: false if the slice is not there, or is about to be given back.
 */
bool tess_lane_available_locked(const struct tess_lane *lane)
{
	lockdep_assert_held(&lane->lock);
	return lane->ring && !lane->closing && !lane->withdrawn;
}

/**
 * tess_lane_available() - may jobs be sent?
 * @lane: lane
 *
 * Return: as tess_lane_available_locked().
 */
bool tess_lane_available(struct tess_lane *lane)
{
	bool available;

	spin_lock_irq(&lane->lock);
	available = tess_lane_available_locked(lane);
	spin_unlock_irq(&lane->lock);
	return available;
}

/**
 * tess_lane_update() - the slice may have become another
 * @lane: lane
 *
 * Reads under the lock, so that of two callers the later one has the last word.
 */
void tess_lane_update(struct tess_lane *lane)
{
	const struct tess_slice_info *info = tess_gpu_slice_info(lane->tdev->gpu, lane->vslice);
	u32 kind;

	spin_lock_irq(&lane->lock);
	kind = READ_ONCE(info->kind);
	lane->withdrawn = kind == TESS_KIND_NONE;
	if (!lane->withdrawn)
		lane->kind = kind;
	spin_unlock_irq(&lane->lock);
}

static void tess_lane_stop_locked(struct tess_lane *lane, int error)
{
	struct tess_submit *first;
	struct tess_ring *ring;
	LIST_HEAD(done);
	u64 seq = 0, spent = 0;

	lockdep_assert_held(&lane->mutex);

	spin_lock_irq(&lane->lock);
	tess_lane_collect_locked(lane, &done);
	ring = lane->ring;
	lane->ring = NULL;
	first = tess_lane_first(lane);
	if (first)
		seq = first->seq;
	spin_unlock_irq(&lane->lock);

	/* No job is called over while the GPU may still work on it. */
	if (ring) {
		spent = tess_ring_spent(ring, seq);
		tess_ring_destroy(ring);
	}

	/* Without a ring, nobody takes a job from the list meanwhile */
	spin_lock_irq(&lane->lock);
	if (first)
		tess_lane_charge(lane, first, spent);
	tess_lane_fail_locked(lane, error, &done);
	spin_unlock_irq(&lane->lock);
	tess_lane_signal(&done);
}

/**
 * tess_lane_stop() - run nothing more, for good
 * @lane: lane, started or not
 *
 * A slice that comes back later is not taken.
 */
void tess_lane_stop(struct tess_lane *lane)
{
	mutex_lock(&lane->mutex);
	spin_lock_irq(&lane->lock);
	lane->stopped = true;
	spin_unlock_irq(&lane->lock);
	tess_lane_stop_locked(lane, -ENODEV);
	mutex_unlock(&lane->mutex);
}

static int tess_lane_start_locked(struct tess_lane *lane, struct tess_vgpu *vgpu)
{
	struct tess_ring *ring;

	lockdep_assert_held(&lane->mutex);

	if (lane->stopped)
		return -ENODEV;
	ring = tess_ring_create(vgpu, lane->vslice);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	if (tess_ring_capacity(ring) < TESS_LANE_JOBS) {
		tess_ring_destroy(ring);
		return -ENOSPC;
	}
	spin_lock_irq(&lane->lock);
	lane->ring = ring;
	lane->closing = false;
	spin_unlock_irq(&lane->lock);
	return 0;
}

/**
 * tess_lane_start() - run jobs
 * @lane: lane, started or not
 * @vgpu: vGPU
 *
 * Return: 0; -ENODEV it was stopped; or what tess_ring_create() returned.
 */
int tess_lane_start(struct tess_lane *lane, struct tess_vgpu *vgpu)
{
	int ret = 0;

	mutex_lock(&lane->mutex);
	if (!lane->ring)
		ret = tess_lane_start_locked(lane, vgpu);
	mutex_unlock(&lane->mutex);
	return ret;
}

/**
 * tess_lane_close() - the slice will have to be given back
 * @lane: lane
 *
 * Takes no new jobs from now on, and gives those that are there reclaim_ms to finish.
 */
void tess_lane_close(struct tess_lane *lane)
{
	spin_lock_irq(&lane->lock);
	if (!lane->closing) {
		lane->closing = true;
		lane->close_at = jiffies + msecs_to_jiffies(READ_ONCE(reclaim_ms));
	}
	spin_unlock_irq(&lane->lock);
}

/**
 * tess_lane_reclaim() - give the slice back
 * @lane: lane, closed or not
 *
 * Waits for what is left of the time that jobs have to finish, and drops what is left of them
 * then. Of lanes that were closed together, the first one waits for all.
 */
void tess_lane_reclaim(struct tess_lane *lane)
{
	long left;

	tess_lane_close(lane);
	left = (long)(READ_ONCE(lane->close_at) - jiffies);
	if (left > 0)
		wait_event_timeout(lane->drained, !atomic_read(&lane->queued), left);
	mutex_lock(&lane->mutex);
	tess_lane_stop_locked(lane, -ENXIO);
	mutex_unlock(&lane->mutex);
}

/*
 * Note what failed: the guilty job, and the later ones of its queue. The recovery asks
 * for sequence numbers while it holds locks of the ring, hence the bit mask.
 */
static void tess_lane_blame_locked(struct tess_lane *lane, struct tess_submit *guilty, int error,
				   struct tess_recovery *rec)
{
	struct tess_submit *submit = guilty;

	lockdep_assert_held(&lane->lock);

	guilty->error = error;
	rec->seq = guilty->seq;
	list_for_each_entry_continue(submit, &lane->pending, link) {
		if (submit->queue != guilty->queue)
			continue;
		submit->error = -ECANCELED;
		rec->cancel |= BIT_ULL(submit->seq - guilty->seq);
	}
}

static bool tess_recovery_cancel(void *data, u64 seq)
{
	const struct tess_recovery *rec = data;
	u64 distance = seq - rec->seq;

	return distance < BITS_PER_TYPE(rec->cancel) && (rec->cancel & BIT_ULL(distance));
}

static void tess_lane_recover(struct tess_lane *lane, struct tess_recovery *rec)
{
	int ret;

	lockdep_assert_held(&lane->mutex);

	ret = tess_ring_recover(lane->ring, rec->seq, tess_recovery_cancel, rec);
	if (!ret || ret == -EALREADY) {
		tess_lane_reap(lane);
		return;
	}
	/* No job to blame, or no answer: the ring is of no use any more. */
	tess_lane_stop_locked(lane, -ENODEV);
	ret = tess_lane_start_locked(lane, lane->tdev->vgpu);
	if (ret && ret != -ENODEV)
		drm_err(lane->tdev->drm, "slice %u: no new ring after a fault: %d\n", lane->vslice,
			ret);
}

static struct tess_submit *tess_lane_find_locked(struct tess_lane *lane, u64 seq)
{
	struct tess_submit *submit;

	list_for_each_entry(submit, &lane->pending, link)
		if (submit->seq == seq)
			return submit;
	return NULL;
}

static void tess_lane_fault_locked(struct tess_lane *lane, const struct tess_fault *fault, u64 seq)
{
	struct tess_recovery rec = {};
	struct tess_submit *guilty;
	LIST_HEAD(done);

	lockdep_assert_held(&lane->mutex);

	spin_lock_irq(&lane->lock);
	tess_lane_collect_locked(lane, &done);
	guilty = tess_lane_find_locked(lane, seq);
	if (guilty) {
		guilty->queue->flags |= DRM_TESSERA_QUEUE_FAULTED;
		guilty->queue->fault = *fault;
		guilty->queue->fault_cmd = guilty->cmd;
		tess_lane_blame_locked(lane, guilty, -EFAULT, &rec);
	}
	spin_unlock_irq(&lane->lock);
	tess_lane_signal(&done);

	drm_dbg_driver(lane->tdev->drm, "slice %u: fault %u at %#llx, pc %#llx, packet %u\n",
		       lane->vslice, fault->cause, fault->addr, fault->pc, fault->indirect);
	tess_lane_recover(lane, &rec);
}

/**
 * tess_lane_fault() - the ring stands, perhaps, because of a fault
 * @lane: lane
 *
 * Which fault, and of which job, is asked for here: what was reported may belong to a job that
 * was dropped, or to a ring that was destroyed, before @mutex was free.
 */
void tess_lane_fault(struct tess_lane *lane)
{
	struct tess_fault fault;
	u64 seq;

	mutex_lock(&lane->mutex);
	if (lane->ring && !tess_ring_fault(lane->ring, &fault, &seq))
		tess_lane_fault_locked(lane, &fault, seq);
	mutex_unlock(&lane->mutex);
}

static void tess_lane_count_hang(struct tess_lane *lane, struct tess_usage *usage)
{
	unsigned int hangs = atomic_inc_return(&usage->hangs);

	if (hangs == READ_ONCE(ban_hangs))
		drm_notice(lane->tdev->drm, "%s (%d) is banned: %u of its jobs hung\n",
			   usage->comm, usage->pid, hangs);
}

static void tess_lane_hang(struct tess_lane *lane, u64 seq)
{
	struct tess_recovery rec = {};
	struct tess_submit *guilty;
	LIST_HEAD(done);

	spin_lock_irq(&lane->lock);
	tess_lane_collect_locked(lane, &done);
	guilty = tess_lane_first(lane);
	if (guilty && guilty->seq == seq) {
		guilty->queue->flags |= DRM_TESSERA_QUEUE_HUNG;
		tess_lane_count_hang(lane, guilty->queue->usage);
		tess_lane_blame_locked(lane, guilty, -ETIME, &rec);
	}
	spin_unlock_irq(&lane->lock);
	tess_lane_signal(&done);

	if (rec.seq)
		tess_lane_recover(lane, &rec);
}

/* Did the watched job use up its time? */
static bool tess_lane_overdue(struct tess_lane *lane)
{
	u64 limit = (u64)READ_ONCE(hang_ms) * lane->tdev->info.clock_khz;
	u64 counters[TESS_COUNTER_COUNT];
	u64 cycles;

	if (!limit || tess_vslice_counters(lane->tdev->vgpu, lane->vslice, counters))
		return false;

	/* Smaller after a reset of the slice: start again. */
	cycles = counters[TESS_COUNTER_CYCLES / sizeof(u64)];
	if (lane->watched_since == TESS_WATCH_NO_CYCLES || cycles < lane->watched_since) {
		lane->watched_since = cycles;
		return false;
	}
	return cycles - lane->watched_since >= limit;
}

static bool tess_lane_watch(struct tess_lane *lane)
{
	struct tess_submit *first;
	LIST_HEAD(done);
	u64 seq;

	lockdep_assert_held(&lane->mutex);

	spin_lock_irq(&lane->lock);
	if (READ_ONCE(hang_ms))
		tess_lane_collect_locked(lane, &done);
	first = tess_lane_first(lane);
	seq = first ? first->seq : 0;
	spin_unlock_irq(&lane->lock);
	tess_lane_signal(&done);

	if (seq != lane->watched) {
		lane->watched = seq;
		lane->watched_since = TESS_WATCH_NO_CYCLES;
	} else if (seq && tess_lane_overdue(lane)) {
		tess_lane_hang(lane, seq);
	}
	return seq;
}

static void tess_lane_watchdog(struct work_struct *work)
{
	struct tess_lane *lane = container_of(work, struct tess_lane, watchdog.work);
	bool again;
	int idx;

	if (!drm_dev_enter(lane->tdev->drm, &idx))
		return;
	mutex_lock(&lane->mutex);
	again = tess_lane_watch(lane);
	mutex_unlock(&lane->mutex);
	drm_dev_exit(idx);

	if (again)
		queue_delayed_work(lane->tdev->wq, &lane->watchdog, tess_watch_period());
}

#ifdef TESS_DRM_SCHED_INIT_PLAIN
static int lane_sched_init(struct tess_lane *lane)
{
	return drm_sched_init(&lane->sched, &tess_sched_ops, lane->tdev->wq,
			      DRM_SCHED_PRIORITY_COUNT, TESS_LANE_JOBS, 0, MAX_SCHEDULE_TIMEOUT,
			      NULL, NULL, lane->name, tess_gpu_dev(lane->tdev->gpu));
}
#else
static int lane_sched_init(struct tess_lane *lane)
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

/**
 * tess_lane_init() - make a lane without a ring
 * @lane: lane, zeroed
 * @tdev: device, with @wq
 * @vslice: index
 *
 * Return: 0, -ENOMEM.
 */
int tess_lane_init(struct tess_lane *lane, struct tess_device *tdev, unsigned int vslice)
{
	lane->tdev = tdev;
	lane->vslice = vslice;
	snprintf(lane->name, sizeof(lane->name), "slice-%u", vslice);
	mutex_init(&lane->mutex);
	spin_lock_init(&lane->lock);
	INIT_LIST_HEAD(&lane->pending);
	lane->fence_context = dma_fence_context_alloc(1);
	init_waitqueue_head(&lane->drained);
	INIT_DELAYED_WORK(&lane->watchdog, tess_lane_watchdog);
	return lane_sched_init(lane);
}

/**
 * tess_lane_fini() - end a lane
 * @lane: stopped lane, whose queues are killed
 */
void tess_lane_fini(struct tess_lane *lane)
{
	/* Fences are signalled, so that what ran is freed soon. */
	wait_event(lane->drained, !atomic_read(&lane->running));
	cancel_delayed_work_sync(&lane->watchdog);
	drm_sched_fini(&lane->sched);
	mutex_destroy(&lane->mutex);
}
