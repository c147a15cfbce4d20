// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: places
 *
 * On which of its slices a queue's next job runs. A queue runs in order, so what it sends goes
 * where its last job is, as long as that is not over: elsewhere it would have to wait for the end
 * of that job and the way of its interrupt. Else it goes to the slice with the fewest jobs.
 *
 * The choice is made when a job is submitted, as the GPU scheduler does for an entity that it may
 * move. It is made here because that one knows no slices that come and go.
 */
#include <linux/bitops.h>
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <drm/tessera_drm.h>
#include "base/device.h"
#include "job/gate.h"
#include "job/lane.h"
#include "job/queue_state.h"
#include "place.h"
#include "queue.h"

/* Those of a higher number run first */
static const enum drm_sched_priority tess_queue_priorities[TESS_PRIORITY_COUNT] = {
	[DRM_TESSERA_PRIORITY_NORMAL] = DRM_SCHED_PRIORITY_NORMAL,
	[DRM_TESSERA_PRIORITY_LOW] = DRM_SCHED_PRIORITY_LOW,
	[DRM_TESSERA_PRIORITY_HIGH] = DRM_SCHED_PRIORITY_HIGH,
};

static struct tess_entity *tess_entity_create(struct tess_queue *queue, unsigned int vslice)
{
	struct drm_gpu_scheduler *sched;
	struct tess_entity *entity;
	int ret;

	entity = kzalloc(sizeof(*entity), GFP_KERNEL_ACCOUNT);
	if (!entity)
		return ERR_PTR(-ENOMEM);
	entity->lane = tess_lane_get(&queue->tdev->lanes[vslice], queue->usage, queue->priority);
	if (IS_ERR(entity->lane)) {
		ret = PTR_ERR(entity->lane);
		goto err_free;
	}
	sched = &entity->lane->sched;
	ret = drm_sched_entity_init(&entity->base, tess_queue_priorities[queue->priority], &sched,
				    1, NULL);
	if (ret)
		goto err_put_lane;
	return entity;

err_put_lane:
	tess_lane_put(entity->lane);
err_free:
	kfree(entity);
	return ERR_PTR(ret);
}

/*
 * A queue on one of its slices, which stays as long as the queue. -ENXIO: it was not there, and the
 * slice is not available
 */
static struct tess_entity *tess_queue_entity(struct tess_queue *queue, unsigned int vslice)
{
	struct tess_entity *entity = queue->entities[vslice];

	lockdep_assert_held(&queue->lock);
	if (entity)
		return entity;
	entity = tess_entity_create(queue, vslice);
	if (!IS_ERR(entity))
		queue->entities[vslice] = entity;
	return entity;
}

/* -1: none of them takes jobs */
static int tess_place_least(struct tess_device *tdev, u64 slices, const u8 *taken)
{
	unsigned int load, least = UINT_MAX, i;
	int best = -1;

	for (i = 0; i < tdev->lane_count; i++) {
		struct tess_lanes *lanes = &tdev->lanes[i];

		if (!(slices & BIT_ULL(i)) || !tess_lanes_available(lanes))
			continue;
		load = atomic_read(&lanes->queued) + (taken ? taken[i] : 0);
		if (load < least) {
			least = load;
			best = i;
		}
	}
	return best;
}

static bool tess_place_stays(struct tess_queue *queue, u64 slices)
{
	struct tess_lanes *lanes;

	if (!queue->last_entity || dma_fence_is_signaled(queue->last))
		return false;
	lanes = queue->last_entity->lane->lanes;
	return (slices & BIT_ULL(lanes->vslice)) && tess_lanes_available(lanes);
}

/**
 * tess_queue_place() - choose the slice for a job
 * @queue: queue that is not killed, its lock is held
 * @slices: mask to choose from
 * @taken: jobs that the same SUBMIT sends beside it, by slice; NULL: none
 *
 * Return: entity, or error pointer: -ENXIO none of the slices is available, -ENOMEM, -ENODEV.
 */
struct tess_entity *tess_queue_place(struct tess_queue *queue, u64 slices, const u8 *taken)
{
	struct tess_entity *entity;
	int vslice;

	lockdep_assert_held(&queue->lock);
	if (!taken && tess_place_stays(queue, slices))
		return queue->last_entity;
	while ((vslice = tess_place_least(queue->tdev, slices, taken)) >= 0) {
		entity = tess_queue_entity(queue, vslice);
		if (entity != ERR_PTR(-ENXIO))
			return entity;
		slices &= ~BIT_ULL(vslice);
	}
	return ERR_PTR(-ENXIO);
}
