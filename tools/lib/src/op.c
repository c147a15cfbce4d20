// SPDX-License-Identifier: MIT
/**
 * DOC: operations
 *
 * An operation is cut into one job per slice. First every job is prepared: its queue, its slot,
 * its private memory. Whatever can fail or has to wait for room does so then, when no slice runs
 * anything of the operation yet. Then the jobs are sent.
 *
 * The composition of a vGPU may change at any moment, so each operation looks at it first, and a
 * slice that goes away between that look and the submission only means that the rest is split
 * again: what the kernel took runs on, exactly once, wherever the host lets it run; what it
 * refused was not taken. A slice that refused is left out until the generation says that
 * something changed. If the rest then fails, the caller learns so from the fence, like the
 * failure of a job: the operation has begun.
 *
 * Operations start one after the other (tess_device::order). An operation that waits for room in a
 * queue makes those behind it wait, and nobody else: it does not hold tess_device::lock then.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "device.h"
#include "fence.h"
#include "kmd.h"
#include "op.h"
#include "queue.h"
#include "split.h"

/**
 * struct start - an operation that is being started
 * @dev: device
 * @op: operation
 * @fence: its fence
 * @deps: per slice: job that must be complete first
 * @excluded: slices that turned out to be unavailable
 * @generation: in which they were
 * @next: first unit that was not sent yet
 * @count: per slice: units of the job to send, 0: none
 * @replaced: slices whose queue had failed unnoticed and was replaced
 */
struct start {
	struct tess_device *dev;
	const struct tess_op *op;
	struct tess_fence *fence;
	uint64_t deps[TESS_MAX_SLICES];
	uint64_t excluded;
	uint64_t generation;
	uint64_t next;
	uint64_t count[TESS_MAX_SLICES];
	uint64_t replaced;
};

static unsigned int worthwhile(const struct tess_op *op, uint64_t units)
{
	uint64_t n = op->min_units ? units / op->min_units : TESS_MAX_SLICES;

	if (op->slice_count && n > op->slice_count)
		n = op->slice_count;
	return n < 1 ? 1 : n > TESS_MAX_SLICES ? TESS_MAX_SLICES : (unsigned int)n;
}

static unsigned int weigh_slices(const struct start *s, uint32_t *weight)
{
	const struct tess_op *op = s->op;
	uint64_t mask = s->dev->gpu.slice_mask & ~s->excluded;
	unsigned int i, n = 0, max = worthwhile(op, op->units - s->next);

	if (op->slice_mask)
		mask &= op->slice_mask;
	for (i = 0; i < TESS_MAX_SLICES; i++) {
		const struct drm_tessera_query_slice *info = &s->dev->slices[i];

		weight[i] = 0;
		if (n == max || !(mask >> i & 1) || !(info->engines & op->engine))
			continue;
		weight[i] = op->by_cores ? info->cores : 1;
		n += weight[i] != 0;
	}
	return n;
}

static void emit_timestamp(void *packet, uint64_t va)
{
	struct tess_pkt_timestamp pkt = {
		.header = DRM_TESSERA_PKT_TIMESTAMP | DRM_TESSERA_PKT_BARRIER,
		.flags = DRM_TESSERA_TIMESTAMP_COUNTERS,
		.address = va,
	};

	memcpy(packet, &pkt, sizeof(pkt));
}

static int fill_slot(const struct start *s, struct tess_queue *q, uint64_t first, uint64_t count)
{
	struct tess_slot *slot;
	uint64_t va;
	int ret;

	ret = tess_queue_slot_locked(q, &slot, &va);
	if (ret)
		return ret;
	if (s->op->args_size)
		memcpy(slot->args, s->op->args, s->op->args_size);
	emit_timestamp(slot->packets[0], va + offsetof(struct tess_slot, before));
	ret = s->op->emit(s->op, q, slot->packets[1], va, first, count);
	emit_timestamp(slot->packets[2], va + offsetof(struct tess_slot, after));
	return ret;
}

static int plan(struct start *s)
{
	uint32_t weight[TESS_MAX_SLICES];

	if (!weigh_slices(s, weight))
		return tess_fail(s->dev, -EHOSTDOWN,
				 "no slice can run this: the GPU has slices "
				 "0x%llx, 0x%llx were asked for",
				 (unsigned long long)s->dev->gpu.slice_mask,
				 (unsigned long long)(s->op->slice_mask ? s->op->slice_mask :
									  ~0ull));
	return tess_split(s->op->units - s->next, weight, TESS_MAX_SLICES, s->count);
}

/* Releases the lock of the device while it waits. */
static int wait_for_room(struct start *s, struct tess_queue *q)
{
	struct tess_device *dev = s->dev;
	uint64_t point = q->wanted;
	uint32_t sync = q->sync;
	int ret;

	pthread_mutex_unlock(&dev->lock);
	ret = tess_kmd_sync_wait(dev->kmd, &sync, &point, 1, INT64_MAX);
	pthread_mutex_lock(&dev->lock);
	if (ret)
		return tess_device_fail(dev, ret, "wait for room in a queue");
	tess_queue_collect_locked(q, point);
	return 0;
}

static int prepare_part(struct start *s, unsigned int slice, uint64_t first)
{
	struct tess_queue *q;
	int ret;

	do {
		ret = tess_queue_get_locked(s->dev, slice, &q);
		if (!ret)
			ret = fill_slot(s, q, first, s->count[slice]);
		if (ret != -EAGAIN)
			break;
		ret = wait_for_room(s, s->dev->queues[slice]);
	} while (!ret);
	if (ret == -ENXIO)
		s->excluded |= 1ull << slice;
	return ret;
}

/* Nothing of this is visible to the GPU: it can be done again, for other slices too. */
static int prepare(struct start *s)
{
	uint64_t first = s->next;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < TESS_MAX_SLICES && !ret; i++) {
		if (!s->count[i])
			continue;
		ret = prepare_part(s, i, first);
		first += s->count[i];
	}
	return ret;
}

static int send_part(struct start *s, unsigned int slice)
{
	int ret = tess_queue_submit_locked(s->dev->queues[slice], 3, s->deps, s->fence);

	if (!ret) {
		s->next += s->count[slice];
	} else if (ret == -ENXIO) {
		s->excluded |= 1ull << slice;
	} else if (ret == -EIO) {
		/* A queue whose earlier work failed unnoticed is replaced once. */
		if (s->replaced >> slice & 1)
			return tess_fail(s->dev, ret, "slice %u takes no work", slice);
		s->replaced |= 1ull << slice;
		ret = -ENXIO;
	}
	return ret;
}

/* Returns -ENXIO if a slice took nothing and there is a rest to split again. */
static int send_all(struct start *s)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < TESS_MAX_SLICES && !ret; i++) {
		if (s->count[i])
			ret = send_part(s, i);
	}
	return ret;
}

static int look_locked(struct start *s)
{
	int ret = tess_device_refresh_locked(s->dev);

	if (s->dev->gpu.generation != s->generation)
		s->excluded = 0;
	s->generation = s->dev->gpu.generation;
	return ret;
}

static int start_locked(struct start *s)
{
	unsigned int i;
	int ret;

	for (i = 0; i < TESS_MAX_SLICES; i++) {
		if (s->dev->queues[i] && !(s->op->flags & TESS_OP_CONCURRENT))
			s->deps[i] = s->dev->queues[i]->submitted;
	}
	do {
		ret = look_locked(s);
		if (!ret)
			ret = plan(s);
		if (!ret)
			ret = prepare(s);
		if (!ret)
			ret = send_all(s);
	} while (ret == -ENXIO);
	return ret == -EHOSTDOWN ? -ENXIO : ret;
}

/* What runs already cannot be taken back: its fence tells. */
static int begun(struct start *s, int err)
{
	if (!err || !s->next)
		return err;
	tess_fence_fail_locked(s->fence, err, tess_strerror(s->dev));
	return 0;
}

int tess_op_start(struct tess_device *dev, const struct tess_op *op, struct tess_fence **fence)
{
	struct start s = { .dev = dev, .op = op };
	int ret = -ENOMEM;

	pthread_mutex_lock(&dev->order);
	pthread_mutex_lock(&dev->lock);
	s.fence = tess_fence_new_locked(dev);
	if (s.fence)
		s.fence->concurrent = op->flags & TESS_OP_CONCURRENT;
	if (s.fence)
		ret = begun(&s, start_locked(&s));
	else
		tess_fail(dev, ret, "out of memory");
	if (!ret && fence)
		*fence = s.fence;
	else if (s.fence)
		tess_fence_release_locked(s.fence);
	pthread_mutex_unlock(&dev->lock);
	pthread_mutex_unlock(&dev->order);
	return ret;
}
