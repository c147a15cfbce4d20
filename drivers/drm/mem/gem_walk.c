// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the pieces of a BO are.
 */
#include <linux/minmax.h>
#include <linux/scatterlist.h>
#include <tessera/memory.h>
#include "base/device.h"
#include "gem.h"

/* State of a walk: @skip bytes until its start, @left bytes until its end */
struct tess_bo_cursor {
	u64 skip;
	u64 left;
	u64 offset;
	tess_bo_walk_fn fn;
	void *priv;
};

static int tess_bo_cursor_piece(struct tess_bo_cursor *cur, u64 pa, u64 size)
{
	int ret;

	if (cur->skip >= size) {
		cur->skip -= size;
		return 0;
	}
	pa += cur->skip;
	size = min(size - cur->skip, cur->left);
	cur->skip = 0;

	ret = cur->fn(cur->priv, pa, cur->offset, size);
	cur->offset += size;
	cur->left -= size;
	return ret;
}

/**
 * tess_bo_walk() - go over the physically contiguous pieces of a BO
 * @bo: pinned BO
 * @start: offset of the first byte
 * @size: bytes, inside the BO
 * @fn: called for each piece
 * @priv: for @fn
 *
 * Return: 0, or what @fn stopped with.
 */
int tess_bo_walk(struct tess_bo *bo, u64 start, u64 size, tess_bo_walk_fn fn, void *priv)
{
	struct tess_bo_cursor cur = { .skip = start, .left = size, .fn = fn, .priv = priv };
	struct scatterlist *sg;
	struct sg_table *sgt;
	unsigned int i;
	int ret = 0;
	u64 base;

	if (bo->vram) {
		base = to_tess_device(bo->shmem.base.dev)->info.vram_base;
		for (i = 0; i < bo->vram->count && cur.left && !ret; i++)
			ret = tess_bo_cursor_piece(&cur, base + bo->vram->extent[i].offset,
						   bo->vram->extent[i].size);
		return ret;
	}

	sgt = bo->attach ? bo->shmem.sgt : bo->sgt;
	for_each_sgtable_dma_sg(sgt, sg, i) {
		ret = tess_bo_cursor_piece(&cur, sg_dma_address(sg), sg_dma_len(sg));
		if (ret || !cur.left)
			break;
	}
	return ret;
}
