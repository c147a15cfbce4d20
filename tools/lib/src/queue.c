// SPDX-License-Identifier: MIT
/**
 * DOC: queues
 *
 * Each slice has a queue of jobs, made when it is first used. A job's command buffer
 * is bracketed by two TIMESTAMP packets that write the slice's counters into the job's
 * slot: what the job cost is their difference, and a second block that was not written
 * is how a failed job shows without asking the kernel after each success.
 *
 * Job n of a queue signals point n of the queue's timeline, so that one object per
 * slice tells everything, and waiting for an old point is harmless.
 *
 * A failed job kills its queue in the kernel. The jobs behind it end with an error
 * too; then the kernel's queue is replaced, the timeline and the slots go on. Operations that
 * do not depend on others (TESS_OP_CONCURRENT) notice nothing: their jobs are sent again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "device.h"
#include "fault.h"
#include "fence.h"
#include "kmd.h"
#include "queue.h"

/**
 * struct tess_again - a job that a failed one before it has cancelled
 * @link: in tess_queue::again
 * @fence: of its operation, which does not depend on others
 * @va: where its slot was
 * @slot: what was in it
 */
struct tess_again {
	STAILQ_ENTRY(tess_again) link;
	struct tess_fence *fence;
	uint64_t va;
	struct tess_slot slot;
};

static struct tess_slot *slot_of(const struct tess_queue *q, uint64_t point)
{
	return (struct tess_slot *)q->cmd->map + point % TESS_QUEUE_SLOTS;
}

bool tess_queue_job_done(const struct tess_queue *q, uint64_t point)
{
	const struct tess_slot *slot =
		(const struct tess_slot *)q->cmd->map + point % TESS_QUEUE_SLOTS;

	return __atomic_load_n(&slot->after.time, __ATOMIC_ACQUIRE) != TESS_SLOT_UNDONE;
}

/* Nothing but results of jobs up to @point may be missing. */
static int need_locked(struct tess_queue *q, uint64_t point)
{
	if (q->collected >= point)
		return 0;
	q->wanted = point;
	return -EAGAIN;
}

static int create(struct tess_device *dev, unsigned int slice, struct tess_queue **out)
{
	struct tess_queue *q = calloc(1, sizeof(*q));
	int ret;

	if (!q)
		return tess_fail(dev, -ENOMEM, "out of memory");
	q->dev = dev;
	q->slice = slice;
	STAILQ_INIT(&q->again);
	ret = tess_buffer_create_locked(dev, TESS_QUEUE_SLOTS * sizeof(struct tess_slot),
					TESS_BUFFER_SYSTEM, 0, NULL, 0, &q->cmd);
	if (ret)
		goto err_free;
	ret = tess_buffer_map_locked(q->cmd);
	if (ret)
		goto err_cmd;
	ret = tess_kmd_sync_create(dev->kmd, &q->sync);
	if (ret) {
		tess_device_fail(dev, ret, "create a timeline");
		goto err_cmd;
	}
	*out = q;
	return 0;

err_cmd:
	tess_buffer_destroy_locked(q->cmd);
err_free:
	free(q);
	return ret;
}

static void destroy_kernel_queue(struct tess_queue *q)
{
	struct drm_tessera_queue_destroy req = { .id = q->id };

	if (q->id)
		tess_kmd_ioctl(q->dev->kmd, DRM_IOCTL_TESSERA_QUEUE_DESTROY, &req);
	q->id = 0;
	q->dead = false;
	q->dead_told = false;
}

static int create_kernel_queue(struct tess_queue *q)
{
	struct drm_tessera_queue_create req = { .vm = q->dev->vm,
						.slices = 1ull << q->slice,
						.priority = q->dev->priority };
	int ret;

	ret = tess_kmd_ioctl(q->dev->kmd, DRM_IOCTL_TESSERA_QUEUE_CREATE, &req);
	if (ret && ret != -ENXIO)
		return tess_device_fail(q->dev, ret, "create a queue");
	q->id = req.id;
	return ret;
}

int tess_queue_get_locked(struct tess_device *dev, unsigned int slice, struct tess_queue **out)
{
	struct tess_queue *q;
	int ret;

	if (!dev->queues[slice]) {
		ret = create(dev, slice, &dev->queues[slice]);
		if (ret)
			return ret;
	}
	q = dev->queues[slice];
	if (q->dead) {
		/* Its jobs are over or about to be cancelled. */
		ret = need_locked(q, q->submitted);
		if (ret)
			return ret;
		destroy_kernel_queue(q);
	}
	if (!q->id) {
		ret = create_kernel_queue(q);
		if (ret)
			return ret;
	}
	*out = q;
	return 0;
}

void tess_queue_stop_locked(struct tess_queue *q)
{
	if (q)
		destroy_kernel_queue(q);
}

void tess_queue_free_locked(struct tess_queue *q)
{
	if (!q)
		return;
	q->dev->queues[q->slice] = NULL;
	tess_kmd_sync_destroy(q->dev->kmd, q->sync);
	if (q->scratch)
		tess_buffer_destroy_locked(q->scratch);
	tess_buffer_destroy_locked(q->cmd);
	free(q);
}

static uint64_t slot_va(const struct tess_queue *q, const struct tess_slot *slot)
{
	return q->cmd->va + (uint64_t)((const uint8_t *)slot - (const uint8_t *)q->cmd->map);
}

int tess_queue_slot_locked(struct tess_queue *q, struct tess_slot **slot, uint64_t *va)
{
	uint64_t point = q->submitted + 1;
	int ret;

	if (point > TESS_QUEUE_SLOTS) {
		ret = need_locked(q, point - TESS_QUEUE_SLOTS);
		if (ret)
			return ret;
	}
	*slot = slot_of(q, point);
	*va = slot_va(q, *slot);
	memset(*slot, 0, sizeof(**slot));
	(*slot)->after.time = TESS_SLOT_UNDONE;
	return 0;
}

int tess_queue_scratch_locked(struct tess_queue *q, uint64_t bytes, uint64_t *va)
{
	struct tess_buffer *old = q->scratch;
	int ret;

	if (!old || old->size < bytes) {
		if (old) {
			/* Jobs that use it may be running. */
			ret = need_locked(q, q->submitted);
			if (ret)
				return ret;
			tess_buffer_destroy_locked(old);
			q->scratch = NULL;
		}
		ret = tess_buffer_create_locked(q->dev, bytes, TESS_BUFFER_VRAM, q->slice, NULL, 0,
						&q->scratch);
		if (ret == -ENOSPC)
			ret = tess_buffer_create_locked(q->dev, bytes, TESS_BUFFER_SYSTEM, 0, NULL,
							0, &q->scratch);
		if (ret)
			return ret;
	}
	*va = q->scratch->va;
	return 0;
}

static unsigned int gather_deps(struct tess_queue *q, const uint64_t *deps,
				struct drm_tessera_sync *syncs)
{
	unsigned int i, n = 0;

	for (i = 0; i < TESS_MAX_SLICES; i++) {
		struct tess_queue *other = q->dev->queues[i];

		/* The queue itself keeps order; what was collected is over. */
		if (!other || other == q || deps[i] <= other->collected)
			continue;
		syncs[n].handle = other->sync;
		syncs[n].flags = 0;
		syncs[n].point = deps[i];
		n++;
	}
	return n;
}

int tess_queue_submit_locked(struct tess_queue *q, unsigned int packets, const uint64_t *deps,
			     struct tess_fence *fence)
{
	struct drm_tessera_sync in[TESS_MAX_SLICES];
	struct drm_tessera_sync out = { .handle = q->sync, .point = q->submitted + 1 };
	struct drm_tessera_cmd cmd = { .va = slot_va(q, slot_of(q, out.point)), .count = packets };
	struct drm_tessera_submit req = {
		.queue = q->id,
		.cmds = { sizeof(cmd), 1, (uintptr_t)&cmd },
		.in_syncs = { sizeof(in[0]), gather_deps(q, deps, in), (uintptr_t)in },
		.out_syncs = { sizeof(out), 1, (uintptr_t)&out },
		.operations = q->dev->hint_operations,
		.frames = q->dev->hint_frames,
	};
	int ret;

	ret = tess_kmd_ioctl(q->dev->kmd, DRM_IOCTL_TESSERA_SUBMIT, &req);
	/* Refused because its slice went: the kernel's queue works again when it is back. */
	if (ret == -ENXIO)
		return ret;
	if (ret == -EIO) {
		q->dead = true;
		return ret;
	}
	if (ret)
		return tess_device_fail(q->dev, ret, "send work to the GPU");
	q->dev->hint_operations = 0;
	q->dev->hint_frames = 0;
	q->submitted++;
	q->fences[q->submitted % TESS_QUEUE_SLOTS] = fence;
	tess_fence_add_job_locked(fence, q->slice, q->submitted);
	return 0;
}

static int ask_why(struct tess_queue *q, char *text, size_t size)
{
	struct drm_tessera_queue_state state = { .id = q->id };
	int ret;

	ret = tess_kmd_ioctl(q->dev->kmd, DRM_IOCTL_TESSERA_QUEUE_STATE, &state);
	if (!ret)
		return tess_fault_describe_locked(q, &state, text, size);
	snprintf(text, size, "slice %u: %s", q->slice,
		 ret == -ENODEV ? "the GPU is gone" : "the driver does not say why a job failed");
	return ret;
}

/* ---- jobs that are sent again ---- */

static bool keep(struct tess_queue *q, const struct tess_slot *slot, struct tess_fence *fence)
{
	struct tess_again *a = malloc(sizeof(*a));

	if (!a)
		return false;
	a->fence = fence;
	a->va = slot_va(q, slot);
	a->slot = *slot;
	fence->point[q->slice] = q->submitted;
	STAILQ_INSERT_TAIL(&q->again, a, link);
	return true;
}

/* What refers to the slot itself */
static void move_slot(struct tess_slot *slot, uint64_t from, uint64_t to)
{
	struct tess_pkt_timestamp *before = (struct tess_pkt_timestamp *)slot->packets[0];
	struct tess_pkt_dispatch *work = (struct tess_pkt_dispatch *)slot->packets[1];
	struct tess_pkt_timestamp *after = (struct tess_pkt_timestamp *)slot->packets[2];

	before->address += to - from;
	after->address += to - from;
	if ((work->header & DRM_TESSERA_PKT_TYPE_MASK) == DRM_TESSERA_PKT_DISPATCH_RANGE)
		work->kernarg_address += to - from;
}

static int send_again(struct tess_queue *q, const struct tess_again *a)
{
	static const uint64_t none[TESS_MAX_SLICES];
	struct tess_slot *slot;
	uint64_t va;
	int ret;

	ret = tess_queue_get_locked(q->dev, q->slice, &q);
	if (!ret)
		ret = tess_queue_slot_locked(q, &slot, &va);
	if (ret)
		return ret;
	memcpy(slot->packets, a->slot.packets, sizeof(slot->packets));
	memcpy(slot->args, a->slot.args, sizeof(slot->args));
	move_slot(slot, a->va, va);
	ret = tess_queue_submit_locked(q, 3, none, a->fence);
	/* It was pending all the time */
	if (!ret)
		a->fence->pending--;
	return ret;
}

/* All jobs of the queue are over. If one of these fails at once, the others wait for its end. */
static void repeat(struct tess_queue *q)
{
	uint64_t before = q->submitted;
	struct tess_again *a;
	char text[80];
	int ret;

	while ((a = STAILQ_FIRST(&q->again))) {
		ret = send_again(q, a);
		if (ret == -EIO && q->submitted != before)
			break;
		STAILQ_REMOVE_HEAD(&q->again, link);
		if (ret) {
			snprintf(text, sizeof(text), "slice %u takes no work: %s", q->slice,
				 strerror(-ret));
			tess_fence_fail_job_locked(a->fence, ret == -EIO ? -ECANCELED : ret, text);
		}
		free(a);
	}
	STAILQ_FOREACH(a, &q->again, link)
	a->fence->point[q->slice] = q->submitted;
	q->repeats++;
}

/* ---- taking results ---- */

/*
 * The first failure of a queue says why; the jobs behind it only suffer from it. Those that do not
 * depend on it are sent again: nothing of them has run.
 */
static void fail_job(struct tess_queue *q, const struct tess_slot *slot, struct tess_fence *fence)
{
	char text[TESS_ERROR_MAX];
	int status;

	if (q->dead_told) {
		if (!fence->concurrent || !keep(q, slot, fence))
			tess_fence_fail_job_locked(
				fence, -ECANCELED,
				"cancelled: an earlier operation on the slice failed");
		return;
	}
	status = ask_why(q, text, sizeof(text));
	tess_fence_fail_job_locked(fence, status, text);
	q->dead = true;
	q->dead_told = true;
}

void tess_queue_collect_locked(struct tess_queue *q, uint64_t point)
{
	while (q->collected < point) {
		struct tess_slot *slot = slot_of(q, ++q->collected);
		struct tess_fence *fence = q->fences[q->collected % TESS_QUEUE_SLOTS];

		if (tess_queue_job_done(q, q->collected))
			tess_fence_finish_job_locked(fence, slot);
		else
			fail_job(q, slot, fence);
	}
	if (q->collected == q->submitted && !STAILQ_EMPTY(&q->again))
		repeat(q);
}

/* Points that all queues have reached when all work is done */
static unsigned int gather_points(struct tess_device *dev, uint32_t *handles, uint64_t *points)
{
	unsigned int i, n = 0;

	for (i = 0; i < TESS_MAX_SLICES; i++) {
		struct tess_queue *q = dev->queues[i];

		if (q && q->collected < q->submitted) {
			handles[n] = q->sync;
			points[n++] = q->submitted;
		}
	}
	return n;
}

static unsigned int count_repeats(const struct tess_device *dev)
{
	unsigned int i, n = 0;

	for (i = 0; i < TESS_MAX_SLICES; i++)
		n += dev->queues[i] ? dev->queues[i]->repeats : 0;
	return n;
}

/* Returns 1 if jobs were sent again meanwhile. */
static int wait_once(struct tess_device *dev, int64_t deadline)
{
	uint32_t handles[TESS_MAX_SLICES];
	uint64_t points[TESS_MAX_SLICES];
	uint64_t reached[TESS_MAX_SLICES] = { 0 };
	unsigned int i, n, repeats;
	int ret = 0;

	pthread_mutex_lock(&dev->lock);
	n = gather_points(dev, handles, points);
	for (i = 0; i < TESS_MAX_SLICES; i++)
		reached[i] = dev->queues[i] ? dev->queues[i]->submitted : 0;
	pthread_mutex_unlock(&dev->lock);
	if (n)
		ret = tess_kmd_sync_wait(dev->kmd, handles, points, n, deadline);
	if (ret)
		return ret;
	pthread_mutex_lock(&dev->lock);
	repeats = count_repeats(dev);
	for (i = 0; i < TESS_MAX_SLICES; i++) {
		if (dev->queues[i])
			tess_queue_collect_locked(dev->queues[i], reached[i]);
	}
	ret = count_repeats(dev) != repeats;
	pthread_mutex_unlock(&dev->lock);
	return ret;
}

int tess_device_wait(struct tess_device *dev, int64_t deadline)
{
	int ret;

	do
		ret = wait_once(dev, deadline);
	while (ret > 0);
	return ret;
}
