// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: fences
 *
 * Each job has a hardware fence, which says that the ring is done with it. Each SUBMIT has an out
 * fence, which is what goes into syncobjs: it follows the scheduler's finished fences of its jobs,
 * which also end for jobs that never reach the ring.
 *
 * Others may hold an out fence, in a syncobj or a sync file, long after the last file of
 * this driver is closed and the GPU is gone, and may still ask for its names. The
 * scheduler's own fences answer that by way of the scheduler, which is part of the
 * device (only newer kernels stop asking once a fence is signalled); hence an own fence.
 * It keeps the module loaded and refers to nothing else.
 *
 * Both are allocated when failing is still possible. The hardware fence is initialized
 * when the job is given to the ring: run_job() allocates nothing.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include "fence.h"

static const char *tess_fence_driver_name(struct dma_fence *fence)
{
	return "tessera";
}

static const char *tess_fence_hw_timeline_name(struct dma_fence *fence)
{
	return "ring";
}

static const char *tess_fence_out_timeline_name(struct dma_fence *fence)
{
	return "queue";
}

static void tess_fence_release(struct dma_fence *base)
{
	struct tess_fence *fence = container_of(base, struct tess_fence, base);

	kfree_rcu(fence, base.rcu);
	module_put(THIS_MODULE);
}

static void tess_out_fence_release(struct dma_fence *base)
{
	struct tess_out_fence *out = container_of(base, struct tess_out_fence, base);

	kfree_rcu(out, base.rcu);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops tess_fence_hw_ops = {
	.get_driver_name = tess_fence_driver_name,
	.get_timeline_name = tess_fence_hw_timeline_name,
	.release = tess_fence_release,
};

static const struct dma_fence_ops tess_fence_out_ops = {
	.get_driver_name = tess_fence_driver_name,
	.get_timeline_name = tess_fence_out_timeline_name,
	.release = tess_out_fence_release,
};

/**
 * tess_fence_alloc() - allocate a hardware fence
 *
 * Only from an ioctl, whose file keeps the module.
 *
 * Return: fence to initialize or to free with tess_fence_free(), NULL: no memory.
 */
struct tess_fence *tess_fence_alloc(void)
{
	struct tess_fence *fence;

	fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);
	if (fence)
		__module_get(THIS_MODULE);
	return fence;
}

/**
 * tess_fence_free() - free a fence that was not initialized
 * @fence: from tess_fence_alloc(), or NULL
 */
void tess_fence_free(struct tess_fence *fence)
{
	if (!fence)
		return;
	kfree(fence);
	module_put(THIS_MODULE);
}

/**
 * tess_fence_init() - make a hardware fence
 * @hw: from tess_fence_alloc()
 * @context: of the lane
 * @seqno: of the job in it
 *
 * Any context. From now on dma_fence_put() frees it. Lockdep names the lock by the argument here;
 * DRM has another one that is called &fence->lock.
 */
void tess_fence_init(struct tess_fence *hw, u64 context, u64 seqno)
{
	spin_lock_init(&hw->lock);
	dma_fence_init(&hw->base, &tess_fence_hw_ops, &hw->lock, context, seqno);
}

/**
 * tess_out_fence_alloc() - allocate an out fence
 * @count: jobs of the SUBMIT
 *
 * Only from an ioctl, whose file keeps the module.
 *
 * Return: fence to initialize or to free with tess_out_fence_free(), NULL: no memory.
 */
struct tess_out_fence *tess_out_fence_alloc(unsigned int count)
{
	struct tess_out_fence *out;

	out = kzalloc(struct_size(out, parts, count), GFP_KERNEL_ACCOUNT);
	if (!out)
		return NULL;
	out->count = count;
	atomic_set(&out->left, count);
	__module_get(THIS_MODULE);
	return out;
}

/**
 * tess_out_fence_free() - free a fence that was not initialized
 * @out: from tess_out_fence_alloc(), or NULL
 */
void tess_out_fence_free(struct tess_out_fence *out)
{
	if (!out)
		return;
	kfree(out);
	module_put(THIS_MODULE);
}

/**
 * tess_out_fence_init() - make an out fence
 * @out: from tess_out_fence_alloc()
 * @context: of the queue
 * @seqno: of the SUBMIT in it
 *
 * tess_out_fence_follow() has to be called for each of its parts, after which the caller's
 * reference is the only one that it has to drop. The lock has a class of its own, as it is taken
 * inside of that of a scheduler's fence and that one inside of a hardware fence's.
 */
void tess_out_fence_init(struct tess_out_fence *out, u64 context, u64 seqno)
{
	spin_lock_init(&out->lock);
	dma_fence_init(&out->base, &tess_fence_out_ops, &out->lock, context, seqno);
	/* Of all parts together */
	dma_fence_get(&out->base);
}

static void tess_out_fence_end(struct tess_out_fence *out)
{
	int error = READ_ONCE(out->error);

	if (!error && READ_ONCE(out->cancelled))
		error = -ECANCELED;
	if (error)
		dma_fence_set_error(&out->base, error);
	dma_fence_signal(&out->base);
	dma_fence_put(&out->base);
}

static void tess_out_fence_part_over(struct dma_fence *source, struct dma_fence_cb *cb)
{
	struct tess_out_fence *out = container_of(cb, struct tess_out_part, cb)->out;

	/* What failed says more than what could not run because of that */
	if (source->error == -ECANCELED)
		WRITE_ONCE(out->cancelled, true);
	else if (source->error)
		cmpxchg(&out->error, 0, source->error);
	if (atomic_dec_and_test(&out->left))
		tess_out_fence_end(out);
}

/**
 * tess_out_fence_follow() - wait for a part
 * @out: from tess_out_fence_init()
 * @part: index
 * @source: fence whose end and error count
 */
void tess_out_fence_follow(struct tess_out_fence *out, unsigned int part,
			   struct dma_fence *source)
{
	out->parts[part].out = out;
	if (dma_fence_add_callback(source, &out->parts[part].cb, tess_out_fence_part_over))
		tess_out_fence_part_over(source, &out->parts[part].cb);
}
