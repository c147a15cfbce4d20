// SPDX-License-Identifier: MIT
/**
 * DOC: waiting
 *
 * The GPU writes what a job cost into the job's slot, in memory that this process has
 * mapped: whoever looks there knows that the job is done, without the kernel. A wait
 * looks for a short time and then sleeps in the kernel until an interrupt. It never
 * sleeps with a look as its only way to wake up, so nothing can be lost between the two:
 * the kernel looks again after it armed the event index (drivers/drm/job/jobs.c).
 *
 * How long to look adapts to what waits took, as KVM's halt polling does. Waits that end
 * soon after the look make it longer, up to a limit; long ones make it shorter, down to
 * nothing. Looking is thus cheap where it does not help: a program that waits for long
 * kernels sleeps at once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
	fence->times.begin = UINT64_MAX;
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

	if (b->time < fence->times.begin)
		fence->times.begin = b->time;
	if (a->time > fence->times.end)
		fence->times.end = a->time;
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

void tess_fence_fail_locked(struct tess_fence *fence, int status, const char *text)
{
	/* A cause is worth more than a consequence. */
	if (!fence->status || (fence->status == -ECANCELED && status != -ECANCELED)) {
		fence->status = status;
		snprintf(fence->text, sizeof(fence->text), "%s", text);
	}
}

void tess_fence_fail_job_locked(struct tess_fence *fence, int status, const char *text)
{
	tess_fence_fail_locked(fence, status, text);
	fence->counters.jobs++;
	fence->pending--;
	put_locked(fence);
}

/* A few times what it costs to sleep and to be woken; $TESSERA_SPIN_US changes it */
#define SPIN_MAX_NS 500000
#define SPIN_MIN_NS 5000
#define SPIN_LIMIT_US 10000

/**
 * struct wait - jobs to wait for, the last one of each slice
 * @n: number of them
 * @handles: timelines
 * @points: points of them
 * @queues: whose they are
 */
struct wait {
	unsigned int n;
	uint32_t handles[TESS_MAX_SLICES];
	uint64_t points[TESS_MAX_SLICES];
	const struct tess_queue *queues[TESS_MAX_SLICES];
};

static void gather_points(struct tess_fence *fence, struct wait *w)
{
	unsigned int i;

	for (i = 0; i < TESS_MAX_SLICES; i++) {
		if (fence->slices >> i & 1) {
			w->queues[w->n] = fence->dev->queues[i];
			w->handles[w->n] = fence->dev->queues[i]->sync;
			w->points[w->n++] = fence->point[i];
		}
	}
}

void tess_fence_spin_init(struct tess_device *dev)
{
	const char *text = getenv("TESSERA_SPIN_US");
	char *end;
	long us;

	dev->spin_max_ns = SPIN_MAX_NS;
	if (!text || !*text)
		return;
	us = strtol(text, &end, 10);
	if (!*end && us >= 0 && us <= SPIN_LIMIT_US)
		dev->spin_max_ns = us * 1000;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool all_done(const struct wait *w)
{
	unsigned int i;

	for (i = 0; i < w->n; i++) {
		if (!tess_queue_job_done(w->queues[i], w->points[i]))
			return false;
	}
	return true;
}

/* Look until @end; at least once */
static bool spin(const struct wait *w, int64_t end)
{
	while (!all_done(w)) {
		if (now_ns() >= end)
			return false;
#if defined(__x86_64__)
		__builtin_ia32_pause();
#endif
	}
	return true;
}

/* A wait took @took in all, and looked for @spun in vain */
static void adapt(struct tess_device *dev, int64_t spun, int64_t took)
{
	int64_t next = spun / 2;

	if (took <= dev->spin_max_ns) {
		next = spun * 2 > SPIN_MIN_NS ? spun * 2 : SPIN_MIN_NS;
		next = next < dev->spin_max_ns ? next : dev->spin_max_ns;
	} else if (next < SPIN_MIN_NS) {
		next = 0;
	}
	__atomic_store_n(&dev->spin_ns, next, __ATOMIC_RELAXED);
}

static int wait_jobs(struct tess_device *dev, struct wait *w, int64_t timeout_ns)
{
	int64_t budget = __atomic_load_n(&dev->spin_ns, __ATOMIC_RELAXED);
	int64_t start = now_ns(), deadline = tess_deadline(timeout_ns);
	int ret;

	if (timeout_ns >= 0 && timeout_ns < budget)
		budget = timeout_ns;
	if (spin(w, start + budget))
		return 0;
	ret = tess_kmd_sync_wait(dev->kmd, w->handles, w->points, w->n, deadline);
	if (timeout_ns)
		adapt(dev, budget, now_ns() - start);
	return ret;
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

/* Wait for what is pending now, and take its results. */
static int wait_pending(struct tess_fence *fence, int64_t timeout_ns)
{
	struct tess_device *dev = fence->dev;
	struct wait w;
	int ret = 0;

	w.n = 0;
	pthread_mutex_lock(&dev->lock);
	if (fence->pending)
		gather_points(fence, &w);
	pthread_mutex_unlock(&dev->lock);
	if (w.n)
		ret = wait_jobs(dev, &w, timeout_ns);
	if (ret == -ETIME)
		return tess_fail(dev, ret, "the operation is not complete yet");
	if (ret)
		return tess_device_fail(dev, ret, "wait for the GPU");
	pthread_mutex_lock(&dev->lock);
	collect_locked(fence);
	ret = fence->pending > 0;
	pthread_mutex_unlock(&dev->lock);
	return ret;
}

int tess_fence_wait(struct tess_fence *fence, int64_t timeout_ns, struct tess_counters *counters)
{
	struct tess_device *dev = fence->dev;
	int64_t deadline = tess_deadline(timeout_ns);
	int ret;

	/* Jobs that others cancelled are pending again. */
	while ((ret = wait_pending(fence, timeout_ns)) > 0) {
		if (timeout_ns > 0)
			timeout_ns = deadline > now_ns() ? deadline - now_ns() : 0;
	}
	if (ret)
		return ret;
	pthread_mutex_lock(&dev->lock);
	ret = fence->status;
	if (counters)
		*counters = fence->counters;
	if (ret)
		tess_fail(dev, ret, "%s", fence->text);
	pthread_mutex_unlock(&dev->lock);
	return ret;
}

int tess_fence_times(struct tess_fence *fence, struct tess_times *times)
{
	struct tess_device *dev = fence->dev;
	bool known;

	pthread_mutex_lock(&dev->lock);
	known = !fence->pending && !fence->status;
	*times = fence->times;
	pthread_mutex_unlock(&dev->lock);
	return known ? 0 : tess_fail(dev, -EINVAL, "the operation has no times");
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
