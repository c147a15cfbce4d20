/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_CHUNK_H_
#define _TESS_MDEV_CHUNK_H_

#include <linux/scatterlist.h>
#include <linux/types.h>
#include "pin.h"

/* At most; also what VFIO pins in one call */
#define TESS_MDEV_CHUNK_PAGES	512

struct page;
struct tess_mdev;
struct tess_mdev_part;

/**
 * struct tess_mdev_chunk - guest memory that was pinned together
 * @pin: its pages
 * @prot: TESS_AS_*
 * @coming: the pages are being pinned: they are not mapped yet. Under tess_mdev_dma.lock
 * @next: DMA mapping for another GPU, while the client is about to go there
 * @count: number of parts of the vGPU
 * @sgt: DMA mapping for each
 */
struct tess_mdev_chunk {
	struct tess_mdev_pin pin;
	u32 prot;
	bool coming;
	struct sg_table next;
	unsigned int count;
	struct sg_table sgt[] __counted_by(count);
};

/* All of these hold @tm->dma.lock */

/* For DMA and in stage 2 of all parts, or of none; 0 or negative errno */
int tess_mdev_chunk_map(struct tess_mdev *tm, struct tess_mdev_chunk *chunk, struct page **pages);
/* First out of stage 2, of all chunks that go together, then no DMA */
void tess_mdev_chunk_leave(struct tess_mdev *tm, const struct tess_mdev_chunk *chunk);
void tess_mdev_chunk_unmap(struct tess_mdev *tm, struct tess_mdev_chunk *chunk);

/*
 * The client goes on with @next, of another GPU, instead of its only part: let that GPU reach
 * what this one does. Then either take it back, or, when @next is the vGPU's, take from @before
 * what it has, with its stage 2. All hold @tm->dma.lock.
 */
int tess_mdev_dma_prepare(struct tess_mdev *tm, struct tess_mdev_part *next);
void tess_mdev_dma_cancel(struct tess_mdev *tm, struct tess_mdev_part *next);
void tess_mdev_dma_commit(struct tess_mdev *tm, struct tess_mdev_part *before);

#endif
