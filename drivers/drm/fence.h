/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_FENCE_H_
#define _TESSERA_DRM_FENCE_H_

#include <linux/dma-fence.h>
#include <linux/spinlock.h>

/**
 * struct tess_fence - a fence of this driver
 * @base: valid after tess_fence_init_hw() or tess_fence_init_out()
 * @lock: of @base
 * @cb: an out fence's, at the fence that it follows
 * @before: an out fence's: that of the part of the same SUBMIT before it, whose error counts
 */
struct tess_fence {
	struct dma_fence base;
	spinlock_t lock;
	struct dma_fence_cb cb;
	struct dma_fence *before;
};

struct tess_fence *tess_fence_alloc(void);
void tess_fence_free(struct tess_fence *fence);
void tess_fence_init_hw(struct tess_fence *fence, u64 context, u64 seqno);
void tess_fence_init_out(struct tess_fence *fence, u64 context, u64 seqno,
			 struct dma_fence *source, struct dma_fence *before);

#endif
