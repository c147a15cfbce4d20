// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: lanes of a slice
 *
 * A slice can leave its lanes in two ways. Another vGPU of this host needs it: what is queued
 * gets reclaim_ms, then it is dropped and the rings are gone. Or the GPU is a vGPU itself and
 * its host withdraws the slice: then the lane takes no new jobs, but keeps its ring, and
 * those that it has run to their end, in turns with others on whatever slice the host has
 * for them. There is no limit: how long that takes is up to the host, and a job without an
 * end is the watchdog's business. Nothing is dropped, and nothing waits.
 */
#include <linux/dma-fence.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <drm/drm_print.h>
#include <drm/tessera_drm.h>
#include <tessera/inject.h>
#include <tessera/ring.h>
#include "base/device.h"
#include "job/gate.h"
#include "job/lane.h"
#include "job/lane_ring.h"
#include "lanes.h"

static void tess_lanes_set_present(struct tess_lanes *lanes, bool present)
{
	lockdep_assert_held(&lanes->mutex);

	spin_lock_irq(&lanes->lock);
	lanes->present = present;
	if (present)
		lanes->closing = false;
	spin_unlock_irq(&lanes->lock);
}

static int tess_lanes_make_rings(struct tess_lanes *lanes)
{
	struct tess_lane *lane;
	int ret = 0, rc;

	lockdep_assert_held(&lanes->make);
	list_for_each_entry(lane, &lanes->list, link) {
		rc = tess_lane_start(lane);
		ret = ret ?: rc;
	}
	return ret;
}

/**
 * tess_lanes_start() - the slice is there
 * @lanes: its lanes
 *
 * Return: 0; -ENODEV they were stopped; or the first error of tess_lane_start(), after all lanes
 * were tried.
 */
int tess_lanes_start(struct tess_lanes *lanes)
{
	int ret = 0;

	mutex_lock(&lanes->make);
	mutex_lock(&lanes->mutex);
	if (lanes->stopped)
		ret = -ENODEV;
	else
		tess_lanes_set_present(lanes, true);
	mutex_unlock(&lanes->mutex);
	if (!ret)
		ret = tess_lanes_make_rings(lanes);
	mutex_unlock(&lanes->make);
	return ret;
}

static void tess_lanes_restart_work(struct work_struct *work)
{
	struct tess_lanes *lanes = container_of(work, struct tess_lanes, restart);
	int ret;

	mutex_lock(&lanes->make);
	ret = tess_lanes_make_rings(lanes);
	mutex_unlock(&lanes->make);
	/* Of a slice that left meanwhile, its return makes them */
	if (ret && ret != -ENODEV && ret != -ENXIO)
		drm_err(lanes->tdev->drm, "slice %u: no new ring after a fault: %d\n",
			lanes->vslice, ret);
}

static void tess_lanes_drop(struct tess_lanes *lanes, int error, bool stopped)
{
	bool signalling = dma_fence_begin_signalling();
	struct tess_lane *lane;

	mutex_lock(&lanes->mutex);
	if (stopped)
		WRITE_ONCE(lanes->stopped, true);
	tess_lanes_set_present(lanes, false);
	list_for_each_entry(lane, &lanes->list, link)
		tess_lane_stop(lane, error);
	mutex_unlock(&lanes->mutex);
	dma_fence_end_signalling(signalling);
}

/**
 * tess_lanes_stop() - run nothing more on a slice, for good
 * @lanes: its lanes, started or not
 *
 * A slice that comes back later is not taken.
 */
void tess_lanes_stop(struct tess_lanes *lanes)
{
	tess_lanes_drop(lanes, -ENODEV, true);
}

/**
 * tess_lanes_reclaim() - give the slice back
 * @lanes: its lanes, closed or not
 *
 * Waits for what is left of the time that jobs have to finish, and drops what is left of them
 * then. Of slices that were closed together, the first one waits for all.
 */
void tess_lanes_reclaim(struct tess_lanes *lanes)
{
	long left;

	tess_lanes_close(lanes);
	left = (long)(READ_ONCE(lanes->close_at) - jiffies);
	if (left > 0)
		wait_event_timeout(lanes->drained, !atomic_read(&lanes->queued), left);
	tess_lanes_drop(lanes, -ENXIO, false);
}

/**
 * tess_lanes_init() - get ready for the lanes of a slice
 * @lanes: zeroed
 * @tdev: device, with @wq
 * @vslice: number
 *
 * Return: 0, -ENOMEM.
 */
int tess_lanes_init(struct tess_lanes *lanes, struct tess_device *tdev, unsigned int vslice)
{
	struct tess_lane *lane;

	lanes->tdev = tdev;
	lanes->vslice = vslice;
	mutex_init(&lanes->make);
	mutex_init(&lanes->mutex);
	spin_lock_init(&lanes->lock);
	INIT_LIST_HEAD(&lanes->list);
	INIT_WORK(&lanes->restart, tess_lanes_restart_work);
	init_waitqueue_head(&lanes->drained);
	if (tess_gpu_can_switch(tdev->gpu))
		return 0;

	mutex_lock(&lanes->make);
	lane = tess_lane_create(lanes, NULL, DRM_TESSERA_PRIORITY_NORMAL);
	mutex_unlock(&lanes->make);
	return PTR_ERR_OR_ZERO(lane);
}

/**
 * tess_lanes_fini() - end the lanes of a slice
 * @lanes: stopped, or never started; all queues are killed
 *
 * Queues that were killed may be there still, and with them lanes, of which nothing runs.
 */
void tess_lanes_fini(struct tess_lanes *lanes)
{
	struct tess_lane *lane, *shared = NULL;

	mutex_lock(&lanes->make);
	list_for_each_entry(lane, &lanes->list, link) {
		tess_lane_end(lane);
		if (!tess_lane_takes_turns(lane))
			shared = lane;
	}
	mutex_unlock(&lanes->make);
	tess_hold(TESS_HOLD_LANES);
	/* Nobody asks for it any more */
	cancel_work_sync(&lanes->restart);
	if (shared)
		tess_lane_put(shared);
}
