// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: lanes
 *
 * A lane is a ring on a slice, and a GPU scheduler that feeds it: up to TESS_LANE_JOBS jobs of its
 * queues are on the ring, and run back to back.
 *
 * If the GPU can exchange the client of a slice, each open file has lanes of its own, one for each
 * slice and priority that it has queues for. The rings of a slice take turns, by weight: so what
 * a process gets of a slice depends neither on how many jobs others send nor on how long these
 * are, and no job is stopped because it is long. A lane is made with the first queue that needs
 * it, because each ring takes memory for its saved context, and ends with the last one.
 *
 * Else, as in a guest, whose host decides who runs, a slice has one lane, which all open files
 * share: jobs run in the order in which the GPU scheduler takes them.
 */
#include <linux/dma-fence.h>
#include <linux/slab.h>
#include <drm/drm_print.h>
#include <drm/tessera_drm.h>
#include <tessera/ring.h>
#include "base/device.h"
#include "base/usage.h"
#include "gate.h"
#include "hang.h"
#include "lane.h"
#include "lane_ring.h"
#include "sched.h"

/**
 * tess_lane_create() - make a lane without a ring
 * @lanes: of the slice, @make is held
 * @usage: open file; NULL: all share it
 * @priority: DRM_TESSERA_PRIORITY_*
 *
 * Return: lane with a reference, or error pointer: -ENOMEM.
 */
struct tess_lane *tess_lane_create(struct tess_lanes *lanes, struct tess_usage *usage,
				   u32 priority)
{
	struct tess_lane *lane;
	int ret;

	lockdep_assert_held(&lanes->make);

	lane = kzalloc(sizeof(*lane), GFP_KERNEL_ACCOUNT);
	if (!lane)
		return ERR_PTR(-ENOMEM);
	kref_init(&lane->ref);
	lane->tdev = lanes->tdev;
	lane->lanes = lanes;
	lane->priority = priority;
	snprintf(lane->name, sizeof(lane->name), "slice-%u", lanes->vslice);
	mutex_init(&lane->mutex);
	spin_lock_init(&lane->lock);
	INIT_LIST_HEAD(&lane->pending);
	lane->fence_context = dma_fence_context_alloc(1);
	INIT_WORK(&lane->fault_work, tess_lane_fault_work);
	INIT_DELAYED_WORK(&lane->watchdog, tess_lane_watchdog);
	ret = tess_lane_sched_init(lane);
	if (ret) {
		mutex_destroy(&lane->mutex);
		kfree(lane);
		return ERR_PTR(ret);
	}
	if (usage)
		lane->usage = tess_usage_get(usage);
	mutex_lock(&lanes->mutex);
	list_add_tail(&lane->link, &lanes->list);
	mutex_unlock(&lanes->mutex);
	return lane;
}

/**
 * tess_lane_end() - run nothing more, and leave the scheduler
 * @lane: lane whose queues are killed; tess_lanes::make is held
 */
void tess_lane_end(struct tess_lane *lane)
{
	lockdep_assert_held(&lane->lanes->make);

	if (lane->ended)
		return;
	lane->ended = true;
	/* Nobody signals a fence from here on while the scheduler is taken apart */
	tess_lane_stop(lane, -ENODEV);
	cancel_work_sync(&lane->fault_work);
	cancel_delayed_work_sync(&lane->watchdog);
	/* Fences are signalled, so that what ran is freed soon. */
	wait_event(lane->lanes->drained, !atomic_read(&lane->running));
	drm_sched_fini(&lane->sched);
}

static void tess_lane_free(struct tess_lane *lane)
{
	tess_lane_end(lane);
	mutex_lock(&lane->lanes->mutex);
	list_del(&lane->link);
	mutex_unlock(&lane->lanes->mutex);
	if (lane->usage)
		tess_usage_put(lane->usage);
	mutex_destroy(&lane->mutex);
	kfree(lane);
}

static void tess_lane_release(struct kref *ref)
{
	struct tess_lane *lane = container_of(ref, struct tess_lane, ref);
	struct tess_lanes *lanes = lane->lanes;

	tess_lane_free(lane);
	mutex_unlock(&lanes->make);
}

/**
 * tess_lane_put() - drop a reference
 * @lane: lane that the caller has no queue or job of any more; may sleep
 */
void tess_lane_put(struct tess_lane *lane)
{
	kref_put_mutex(&lane->ref, tess_lane_release, &lane->lanes->make);
}

static struct tess_lane *tess_lane_find(struct tess_lanes *lanes, const struct tess_usage *usage,
					u32 priority)
{
	struct tess_lane *lane;

	lockdep_assert_held(&lanes->make);

	list_for_each_entry(lane, &lanes->list, link)
		if (!lane->usage || (lane->usage == usage && lane->priority == priority))
			return lane;
	return NULL;
}

static struct tess_lane *tess_lane_get_locked(struct tess_lanes *lanes, struct tess_usage *usage,
					      u32 priority)
{
	struct tess_lane *lane;
	int ret;

	if (!tess_lanes_available(lanes))
		return ERR_PTR(-ENXIO);
	lane = tess_lane_find(lanes, usage, priority);
	if (lane) {
		kref_get(&lane->ref);
		return lane;
	}
	lane = tess_lane_create(lanes, usage, priority);
	if (IS_ERR(lane))
		return lane;
	ret = tess_lane_start(lane);
	if (ret) {
		tess_lane_free(lane);
		return ERR_PTR(ret);
	}
	return lane;
}

/**
 * tess_lane_get() - the lane for queues of an open file
 * @lanes: of the slice
 * @usage: open file
 * @priority: DRM_TESSERA_PRIORITY_*
 *
 * Return: lane with a reference, or error pointer: -ENXIO the slice is not available, -ENOMEM,
 * -ENODEV.
 */
struct tess_lane *tess_lane_get(struct tess_lanes *lanes, struct tess_usage *usage, u32 priority)
{
	struct tess_lane *lane;

	mutex_lock(&lanes->make);
	lane = tess_lane_get_locked(lanes, usage, priority);
	mutex_unlock(&lanes->make);
	return lane;
}
