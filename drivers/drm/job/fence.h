/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_FENCE_H_
#define _TESSERA_DRM_FENCE_H_

#include <linux/atomic.h>
#include <linux/dma-fence.h>
#include <linux/spinlock.h>

/**
 * struct tess_fence - a hardware fence
 * @base: valid after tess_fence_init()
 * @lock: of @base
 */
struct tess_fence {
	struct dma_fence base;
	spinlock_t lock;
};

struct tess_out_fence;

/**
 * struct tess_out_part - one of the fences that an out fence waits for
 * @cb: at that fence
 * @out: out fence
 */
struct tess_out_part {
	struct dma_fence_cb cb;
	struct tess_out_fence *out;
};

/**
 * struct tess_out_fence - the fence of a SUBMIT
 * @base: valid after tess_out_fence_init()
 * @lock: of @base
 * @left: parts that have not ended
 * @error: of the first part that failed by itself; 0: none did
 * @cancelled: a part was cancelled because another one failed
 * @count: entries of @parts
 * @parts: one for each job
 */
struct tess_out_fence {
	struct dma_fence base;
	spinlock_t lock;
	atomic_t left;
	int error;
	bool cancelled;
	unsigned int count;
	struct tess_out_part parts[] __counted_by(count);
};

struct tess_fence *tess_fence_alloc(void);
void tess_fence_free(struct tess_fence *fence);
void tess_fence_init(struct tess_fence *hw, u64 context, u64 seqno);

struct tess_out_fence *tess_out_fence_alloc(unsigned int count);
void tess_out_fence_free(struct tess_out_fence *out);
void tess_out_fence_init(struct tess_out_fence *out, u64 context, u64 seqno);
void tess_out_fence_follow(struct tess_out_fence *out, unsigned int part,
			   struct dma_fence *source);

#endif
