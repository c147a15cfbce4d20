// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "fence.h"
#include "kmd.h"
#include "queue.h"

struct tess_fence *tess_fence_new_locked(struct tess_device *dev)
{
	struct tess_fence *fence = calloc(1, sizeof(*fence));

	if (!fence)
		return NULL;
	fence->dev = dev;
	fence->held = true;
	LIST_INSERT_HEAD(&dev->fences, fence, link);
	return fence;
}

void tess_fence_free_locked(struct tess_fence *fence)
{
	LIST_REMOVE(fence, link);
	free(fence);
}

static void put_locked(struct tess_fence *fence)
{
	struct tess_device *dev = fence->dev;

	if (fence->held || fence->pending)
		return;
	if (fence->status && !dev->lost_error) {
		dev->lost_error = fence->status;
		memcpy(dev->lost_text, fence->text, sizeof(dev->lost_text));
	}
	tess_fence_free_locked(fence);
}

void tess_fence_release_locked(struct tess_fence *fence)
{
	fence->held = false;
	put_locked(fence);
}

void tess_fence_add_job_locked(struct tess_fence *fence, unsigned int slice, uint64_t point)
{
	fence->pending++;
	fence->slices |= 1ull << slice;
	fence->point[slice] = point;
}

void tess_fence_finish_job_locked(struct tess_fence *fence, const struct tess_slot *slot)
{
	const struct tess_counter_block *b = &slot->before;
	const struct tess_counter_block *a = &slot->after;
	struct tess_counters *c = &fence->counters;

	if (a->time - b->time > c->cycles)
		c->cycles = a->time - b->time;
	c->busy += a->busy - b->busy;
	c->stall += a->stall - b->stall;
	c->instructions += a->instructions - b->instructions;
	c->flops += a->flops - b->flops;
	c->bytes += a->bytes - b->bytes;
	c->link_bytes += a->link_bytes - b->link_bytes;
	c->groups += a->groups - b->groups;
	c->jobs++;
	fence->pending--;
	put_locked(fence);
}

void tess_fence_fail_job_locked(struct tess_fence *fence, int status, const char *text)
{
	/* A cause is worth more than a consequence. */
	if (!fence->status || (fence->status == -ECANCELED && status != -ECANCELED)) {
		fence->status = status;
		snprintf(fence->text, sizeof(fence->text), "%s", text);
	}
	fence->counters.jobs++;
	fence->pending--;
	put_locked(fence);
}

static unsigned int gather_points(struct tess_fence *fence, uint32_t *handles, uint64_t *points)
{
	unsigned int i, n = 0;

	for (i = 0; i < TESS_MAX_SLICES; i++) {
		if (fence->slices >> i & 1) {
			handles[n] = fence->dev->queues[i]->sync;
			points[n++] = fence->point[i];
		}
	}
	return n;
}

static void collect_locked(struct tess_fence *fence)
{
	unsigned int i;

	for (i = 0; i < TESS_MAX_SLICES; i++) {
		if (fence->slices >> i & 1)
			tess_queue_collect_locked(fence->dev->queues[i], fence->point[i]);
	}
	fence->counters.slices = (uint32_t)__builtin_popcountll(fence->slices);
}

int tess_fence_wait(struct tess_fence *fence, int64_t timeout_ns, struct tess_counters *counters)
{
	struct tess_device *dev = fence->dev;
	uint32_t handles[TESS_MAX_SLICES];
	uint64_t points[TESS_MAX_SLICES];
	unsigned int n = 0;
	int ret = 0;

	pthread_mutex_lock(&dev->lock);
	if (fence->pending)
		n = gather_points(fence, handles, points);
	pthread_mutex_unlock(&dev->lock);
	if (n)
		ret = tess_kmd_sync_wait(dev->kmd, handles, points, n, tess_deadline(timeout_ns));
	if (ret == -ETIME)
		return tess_fail(dev, ret, "the operation is not complete yet");
	if (ret)
		return tess_device_fail(dev, ret, "wait for the GPU");
	pthread_mutex_lock(&dev->lock);
	collect_locked(fence);
	ret = fence->status;
	if (counters)
		*counters = fence->counters;
	if (ret)
		tess_fail(dev, ret, "%s", fence->text);
	pthread_mutex_unlock(&dev->lock);
	return ret;
}

void tess_fence_destroy(struct tess_fence *fence)
{
	struct tess_device *dev;

	if (!fence)
		return;
	dev = fence->dev;
	pthread_mutex_lock(&dev->lock);
	/* Whoever saw the failure needs no second report from tess_finish(). */
	if (!fence->pending)
		tess_fence_free_locked(fence);
	else
		tess_fence_release_locked(fence);
	pthread_mutex_unlock(&dev->lock);
}

int tess_finish(struct tess_device *dev, int64_t timeout_ns)
{
	int ret;

	ret = tess_device_wait(dev, tess_deadline(timeout_ns));
	if (ret == -ETIME)
		return tess_fail(dev, ret, "work is not complete yet");
	if (ret)
		return tess_device_fail(dev, ret, "wait for the GPU");
	pthread_mutex_lock(&dev->lock);
	ret = dev->lost_error;
	if (ret)
		tess_fail(dev, ret, "%s", dev->lost_text);
	dev->lost_error = 0;
	pthread_mutex_unlock(&dev->lock);
	return ret;
}
