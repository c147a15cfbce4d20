// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: fences
 *
 * Each job has two fences of this driver. The hardware fence says that the ring is done
 * with it. The out fence is what goes into syncobjs: it follows the scheduler's finished
 * fence, which also ends for jobs that never reach the ring.
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

static const struct dma_fence_ops tess_fence_hw_ops = {
	.get_driver_name = tess_fence_driver_name,
	.get_timeline_name = tess_fence_hw_timeline_name,
	.release = tess_fence_release,
};

static const struct dma_fence_ops tess_fence_out_ops = {
	.get_driver_name = tess_fence_driver_name,
	.get_timeline_name = tess_fence_out_timeline_name,
	.release = tess_fence_release,
};

/**
 * tess_fence_alloc() - allocate a fence
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
 * tess_fence_init_hw() - make a hardware fence
 * @fence: from tess_fence_alloc()
 * @context: of the lane
 * @seqno: of the job in it
 *
 * Any context. From now on dma_fence_put() frees it.
 */
void tess_fence_init_hw(struct tess_fence *fence, u64 context, u64 seqno)
{
	spin_lock_init(&fence->lock);
	dma_fence_init(&fence->base, &tess_fence_hw_ops, &fence->lock, context, seqno);
}

/* Of a part that failed, those behind it are only cancelled */
static int tess_fence_error(struct dma_fence *before)
{
	return before && dma_fence_is_signaled(before) ? before->error : 0;
}

static void tess_fence_follow(struct dma_fence *source, struct dma_fence_cb *cb)
{
	struct tess_fence *fence = container_of(cb, struct tess_fence, cb);

	int error = tess_fence_error(fence->before) ?: source->error;

	if (error)
		dma_fence_set_error(&fence->base, error);
	dma_fence_signal(&fence->base);
	dma_fence_put(fence->before);
	dma_fence_put(&fence->base);
}

/**
 * tess_fence_init_out() - make an out fence
 * @fence: from tess_fence_alloc()
 * @context: of the queue
 * @seqno: of the job in it
 * @source: fence whose end and error it takes over
 * @before: out fence of the part before it, with a reference that it takes, or NULL
 *
 * From now on dma_fence_put() frees it. Its lock has a class of its own, as it is taken
 * inside of the one of @source and that one inside of a hardware fence's.
 */
void tess_fence_init_out(struct tess_fence *fence, u64 context, u64 seqno,
			 struct dma_fence *source, struct dma_fence *before)
{
	spin_lock_init(&fence->lock);
	dma_fence_init(&fence->base, &tess_fence_out_ops, &fence->lock, context, seqno);
	fence->before = before;
	dma_fence_get(&fence->base);
	if (dma_fence_add_callback(source, &fence->cb, tess_fence_follow))
		tess_fence_follow(source, &fence->cb);
}
