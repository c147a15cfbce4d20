// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: failures
 *
 * The job at which the ring stands is guilty, because a ring runs in order.
 * Its queue is dead from that moment; jobs of that queue that are on the ring already
 * are turned into nothing by the recovery, all others run, also those of the same queue that run
 * beside it on other slices. A job that comes to a dead queue
 * ends with the last one of that queue that is on the ring, not before: a fence says that
 * all earlier work of its queue is over.
 *
 * Where lanes take turns a job may be as long as it likes. It hangs if the slice does not stop in
 * time for others: then it is lost, and its ring stands at a fault that says so.
 *
 * Where a slice has one lane, hangs are found by a watchdog, not by the timeout of the GPU
 * scheduler: that one counts wall time from the moment of submission, but a vslice of a guest may
 * be parked for any time, and a slow host is no reason to kill a job. The watchdog counts cycles
 * in which the ring was enabled and its first job did not change. It costs no register
 * access while jobs are shorter than its period.
 *
 * The watchdog also collects what is complete, so that a GPU that forgets an interrupt is slow and
 * not stuck; with hang_ms=0 it does neither.
 *
 * An open file whose jobs hang again and again is banned: its queues are dead and it gets no new
 * ones, so that others do not wait for its next hang on each slice.
 */
#include <linux/dma-fence.h>
#include <linux/module.h>
#include <drm/drm_drv.h>
#include <drm/drm_print.h>
#include <drm/tessera_drm.h>
#include <tessera/gpu.h>
#include <tessera/inject.h>
#include <tessera/ring.h>
#include "base/device.h"
#include "base/usage.h"
#include "coredump.h"
#include "gate.h"
#include "hang.h"
#include "jobs.h"
#include "lane.h"
#include "lane_ring.h"
#include "mem/vm.h"
#include "queue_state.h"

#define TESS_WATCH_MS_MIN	50
#define TESS_WATCH_MS_MAX	1000
#define TESS_WATCH_NO_CYCLES	U64_MAX

static unsigned int hang_ms = 60000;
module_param(hang_ms, uint, 0644);
MODULE_PARM_DESC(hang_ms, "GPU time after which a job that is not complete is stopped where slices are not taken in turns, ms; 0: never, and interrupts are relied upon");

/* What a recovery has to drop: @seq, and @seq + n for each bit n of @cancel */
struct tess_recovery {
	u64 seq;
	u64 cancel;
};

static_assert(TESS_LANE_JOBS <= 64, "a bit of cancel for each job");

/* ---- recovery ---- */

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
	tess_lanes_restart(lane->lanes);
}

static struct tess_submit *tess_lane_find_locked(struct tess_lane *lane, u64 seq)
{
	struct tess_submit *submit;

	list_for_each_entry(submit, &lane->pending, link)
		if (submit->seq == seq)
			return submit;
	return NULL;
}

/* ---- faults ---- */

static void tess_lane_count_hang(struct tess_lane *lane, const struct tess_submit *guilty)
{
	struct tess_queue *queue = guilty->queue;
	struct tess_usage *usage = queue->usage;
	unsigned int hangs = tess_usage_hung(usage);

	lockdep_assert_held(&lane->lock);

	tess_queue_hang(queue, guilty->number);
	atomic64_inc(&queue->vm->hung);
	if (hangs)
		drm_notice(lane->tdev->drm, "%s (%d) is banned: %u of its jobs hung\n",
			   usage->comm, usage->pid, hangs);
}

/* Gives the error of the job */
static int tess_lane_note_fault_locked(struct tess_lane *lane, struct tess_submit *guilty,
				       const struct tess_fault *fault)
{
	struct tess_queue *queue = guilty->queue;

	lockdep_assert_held(&lane->lock);

	tess_coredump_take(guilty, fault);
	if (fault->cause == DRM_TESSERA_CAUSE_NOT_PREEMPTED) {
		tess_lane_count_hang(lane, guilty);
		return -ETIME;
	}
	tess_queue_fault(queue, fault, guilty->number, guilty->cmd, lane->lanes->vslice);
	atomic64_inc(&queue->vm->faulted);
	return -EFAULT;
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
	if (guilty)
		tess_lane_blame_locked(lane, guilty,
				       tess_lane_note_fault_locked(lane, guilty, fault), &rec);
	spin_unlock_irq(&lane->lock);
	tess_lane_signal(&done);

	drm_dbg_driver(lane->tdev->drm, "slice %u: fault %u at %#llx, pc %#llx, packet %u\n",
		       lane->lanes->vslice, fault->cause, fault->addr, fault->pc, fault->indirect);
	tess_lane_recover(lane, &rec);
}

/**
 * tess_lane_fault_work() - the ring stands, perhaps, because of a fault
 * @work: of a lane
 *
 * Which fault, and of which job, is asked for here: what was reported may belong to a job that
 * was dropped, or to a ring that was destroyed, before the mutex was free.
 */
void tess_lane_fault_work(struct work_struct *work)
{
	struct tess_lane *lane = container_of(work, struct tess_lane, fault_work);
	struct tess_fault fault;
	bool signalling;
	u64 seq;

	tess_hold(TESS_HOLD_FAULT);
	signalling = dma_fence_begin_signalling();
	mutex_lock(&lane->mutex);
	if (lane->ring && !tess_ring_fault(lane->ring, &fault, &seq))
		tess_lane_fault_locked(lane, &fault, seq);
	mutex_unlock(&lane->mutex);
	dma_fence_end_signalling(signalling);
}

/* ---- watchdog ---- */

static unsigned long tess_watch_period(void)
{
	/* 0 means never, and is looked at from time to time only because it may change */
	unsigned int ms = READ_ONCE(hang_ms) ?: UINT_MAX;

	return msecs_to_jiffies(clamp(ms / 4, TESS_WATCH_MS_MIN, TESS_WATCH_MS_MAX));
}

/**
 * tess_lane_watch_soon() - the ring of a lane is not idle any more
 * @lane: lane; any context
 */
void tess_lane_watch_soon(struct tess_lane *lane)
{
	queue_delayed_work(lane->tdev->wq, &lane->watchdog, tess_watch_period());
}

static void tess_lane_hang(struct tess_lane *lane, u64 seq)
{
	struct tess_recovery rec = {};
	struct tess_submit *guilty;
	LIST_HEAD(done);
	u64 first;

	spin_lock_irq(&lane->lock);
	tess_lane_collect_locked(lane, &done);
	guilty = tess_lane_first_locked(lane, &first);
	if (guilty && first == seq) {
		tess_lane_count_hang(lane, guilty);
		tess_coredump_take(guilty, NULL);
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
	u64 counters[TESS_COUNTS];
	u64 cycles;

	if (!limit || tess_lane_takes_turns(lane) || !lane->ring ||
	    tess_ring_counters(lane->ring, counters))
		return false;

	/* Smaller after a reset of the slice: start again. */
	cycles = counters[TESS_COUNT_CYCLES];
	if (lane->watched_since == TESS_WATCH_NO_CYCLES || cycles < lane->watched_since) {
		lane->watched_since = cycles;
		return false;
	}
	return cycles - lane->watched_since >= limit;
}

static bool tess_lane_watch(struct tess_lane *lane)
{
	LIST_HEAD(done);
	u64 seq;

	lockdep_assert_held(&lane->mutex);

	spin_lock_irq(&lane->lock);
	if (READ_ONCE(hang_ms))
		tess_lane_collect_locked(lane, &done);
	tess_lane_first_locked(lane, &seq);
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

/**
 * tess_lane_watchdog() - look at a lane
 * @work: of the lane
 */
void tess_lane_watchdog(struct work_struct *work)
{
	struct tess_lane *lane = container_of(work, struct tess_lane, watchdog.work);
	bool again, signalling;
	int idx;

	if (!drm_dev_enter(lane->tdev->drm, &idx))
		return;
	signalling = dma_fence_begin_signalling();
	mutex_lock(&lane->mutex);
	again = tess_lane_watch(lane);
	mutex_unlock(&lane->mutex);
	dma_fence_end_signalling(signalling);
	drm_dev_exit(idx);

	if (again)
		tess_lane_watch_soon(lane);
}
