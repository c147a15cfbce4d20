// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a slice takes jobs.
 */
#include <linux/module.h>
#include <linux/spinlock.h>
#include <tessera/gpu.h>
#include <tessera/hw/tess_regs.h>
#include "base/device.h"
#include "gate.h"
#include "lane.h"

static unsigned int reclaim_ms = 200;
module_param(reclaim_ms, uint, 0644);
MODULE_PARM_DESC(reclaim_ms, "time that jobs get to finish when somebody else needs their slice, ms");

static bool tess_lanes_available_locked(const struct tess_lanes *lanes)
{
	lockdep_assert_held(&lanes->lock);
	return lanes->present && !lanes->closing && !lanes->withdrawn;
}

/**
 * tess_lanes_available() - may jobs be sent to a slice?
 * @lanes: its lanes
 *
 * Return: false if the slice is not there, or is about to be given back.
 */
bool tess_lanes_available(struct tess_lanes *lanes)
{
	bool available;

	spin_lock_irq(&lanes->lock);
	available = tess_lanes_available_locked(lanes);
	spin_unlock_irq(&lanes->lock);
	return available;
}

/**
 * tess_lane_admit_locked() - count a job that will be pushed
 * @lane: lane, its lock is held
 *
 * In one step with the question: tess_lanes_reclaim() either waits for it, or was first and
 * it is refused.
 *
 * Return: false: the slice takes none.
 */
bool tess_lane_admit_locked(struct tess_lane *lane)
{
	struct tess_lanes *lanes = lane->lanes;
	bool admitted;

	lockdep_assert_held(&lane->lock);

	spin_lock(&lanes->lock);
	admitted = lane->ring && tess_lanes_available_locked(lanes);
	if (admitted)
		atomic_inc(&lanes->queued);
	spin_unlock(&lanes->lock);
	return admitted;
}

/**
 * tess_lane_job_over() - a job is about to be freed
 * @lane: its lane
 * @began: run_job() was called for it
 * @pushed: it was counted by tess_lane_admit_locked()
 *
 * Any context. The job's queue keeps the lane.
 */
void tess_lane_job_over(struct tess_lane *lane, bool began, bool pushed)
{
	if (began)
		atomic_dec(&lane->running);
	if (pushed)
		atomic_dec(&lane->lanes->queued);
	wake_up_all(&lane->lanes->drained);
}

/**
 * tess_lanes_update() - the slice may have become another
 * @lanes: its lanes
 *
 * Reads under the lock, so that of two callers the later one has the last word.
 */
void tess_lanes_update(struct tess_lanes *lanes)
{
	const struct tess_slice_info *info = tess_gpu_slice_info(lanes->tdev->gpu, lanes->vslice);
	u32 kind;

	spin_lock_irq(&lanes->lock);
	kind = READ_ONCE(info->kind);
	lanes->withdrawn = kind == TESS_KIND_NONE;
	if (!lanes->withdrawn)
		lanes->kind = kind;
	spin_unlock_irq(&lanes->lock);
}

/**
 * tess_lanes_close() - the slice will have to be given back
 * @lanes: its lanes
 *
 * Takes no new jobs from now on, and gives those that are there reclaim_ms to finish.
 */
void tess_lanes_close(struct tess_lanes *lanes)
{
	spin_lock_irq(&lanes->lock);
	if (!lanes->closing) {
		lanes->closing = true;
		lanes->close_at = jiffies + msecs_to_jiffies(READ_ONCE(reclaim_ms));
	}
	spin_unlock_irq(&lanes->lock);
}

/**
 * tess_lanes_restart() - let rings be made for lanes that have none
 * @lanes: lanes of a slice; any context
 *
 * A work item makes the rings: the caller may be about to end jobs, a ring takes memory, and memory
 * management may wait for jobs. The workqueue that ends jobs does not run it for the same reason.
 */
void tess_lanes_restart(struct tess_lanes *lanes)
{
	schedule_work(&lanes->restart);
}
