// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring of a lane.
 */
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/list.h>
#include <drm/tessera_drm.h>
#include <tessera/blueprint.h>
#include <tessera/ring.h>
#include "base/device.h"
#include "jobs.h"
#include "lane.h"
#include "lane_ring.h"

/* Of rings that take turns: what a queue of each priority gets beside others */
static const u32 tess_lane_weights[] = {
	[DRM_TESSERA_PRIORITY_NORMAL] = TESS_WEIGHT_DEFAULT,
	[DRM_TESSERA_PRIORITY_LOW] = TESS_WEIGHT_DEFAULT / 10,
	[DRM_TESSERA_PRIORITY_HIGH] = TESS_WEIGHT_DEFAULT * 10,
};

/**
 * tess_lane_takes_turns() - is the lane one of several on its slice?
 * @lane: lane
 *
 * Return: true: others run while a job of it does not end.
 */
bool tess_lane_takes_turns(const struct tess_lane *lane)
{
	return lane->usage;
}

static void tess_lane_complete(void *priv)
{
	tess_lane_reap(priv);
}

static void tess_lane_stands(void *priv)
{
	struct tess_lane *lane = priv;

	queue_work(lane->tdev->wq, &lane->fault_work);
}

static const struct tess_ring_ops tess_lane_ring_ops = {
	.complete = tess_lane_complete,
	.fault = tess_lane_stands,
};

static struct tess_ring *tess_lane_make_ring(struct tess_lane *lane)
{
	const struct tess_ring_params params = {
		.weight = tess_lane_weights[lane->priority],
		.ops = &tess_lane_ring_ops,
		.priv = lane,
	};
	struct tess_ring *ring;

	ring = tess_ring_create(lane->tdev->vgpu, lane->lanes->vslice, &params);
	if (IS_ERR(ring) || tess_ring_capacity(ring) >= TESS_LANE_JOBS)
		return ring;
	tess_ring_destroy(ring);
	return ERR_PTR(-ENOSPC);
}

/* On return a ring that was there is destroyed */
static bool tess_lane_has_ring(struct tess_lane *lane)
{
	bool has;

	mutex_lock(&lane->mutex);
	has = lane->ring;
	mutex_unlock(&lane->mutex);
	return has;
}

static int tess_lane_set_ring(struct tess_lane *lane, struct tess_ring *ring)
{
	struct tess_lanes *lanes = lane->lanes;
	int ret = 0;

	mutex_lock(&lanes->mutex);
	if (lanes->stopped)
		ret = -ENODEV;
	else if (!lanes->present)
		ret = -ENXIO;
	if (!ret) {
		mutex_lock(&lane->mutex);
		spin_lock_irq(&lane->lock);
		lane->ring = ring;
		spin_unlock_irq(&lane->lock);
		mutex_unlock(&lane->mutex);
	}
	mutex_unlock(&lanes->mutex);
	return ret;
}

/**
 * tess_lane_start() - make a ring, if there is none
 * @lane: lane; tess_lanes::make is held
 *
 * The ring is made before the locks are taken under which jobs are ended.
 *
 * Return: 0; -ENODEV the lanes were stopped; -ENXIO the slice is not there; or what
 * tess_ring_create() returned.
 */
int tess_lane_start(struct tess_lane *lane)
{
	struct tess_ring *ring;
	int ret;

	lockdep_assert_held(&lane->lanes->make);
	if (tess_lane_has_ring(lane))
		return 0;
	if (READ_ONCE(lane->lanes->stopped))
		return -ENODEV;
	ring = tess_lane_make_ring(lane);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	ret = tess_lane_set_ring(lane, ring);
	if (ret)
		tess_ring_destroy(ring);
	return ret;
}

/**
 * tess_lane_stop_locked() - destroy the ring, and fail what is on it
 * @lane: lane, with or without ring, its mutex is held
 * @error: of jobs that are not complete
 */
void tess_lane_stop_locked(struct tess_lane *lane, int error)
{
	struct tess_submit *first;
	struct tess_ring *ring;
	LIST_HEAD(done);
	u64 seq, spent = 0;

	lockdep_assert_held(&lane->mutex);

	spin_lock_irq(&lane->lock);
	tess_lane_collect_locked(lane, &done);
	ring = lane->ring;
	lane->ring = NULL;
	first = tess_lane_first_locked(lane, &seq);
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
 * tess_lane_stop() - as tess_lane_stop_locked()
 * @lane: lane
 * @error: of jobs that are not complete
 */
void tess_lane_stop(struct tess_lane *lane, int error)
{
	bool signalling = dma_fence_begin_signalling();

	mutex_lock(&lane->mutex);
	tess_lane_stop_locked(lane, error);
	mutex_unlock(&lane->mutex);
	dma_fence_end_signalling(signalling);
}
