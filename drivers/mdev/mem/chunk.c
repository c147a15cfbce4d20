// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: chunks
 *
 * What was pinned together is a chunk: it is mapped for DMA and into stage 2 together, and goes
 * together. First stage 2 is cleared and the GPU's translation caches with it, then the DMA
 * mapping goes, then the pin (pin.c).
 *
 * A vGPU with parts on several GPUs has as many stage 2 and DMA mappings of each chunk: what one
 * part faults on is mapped for all, as whatever is split over slices is touched by all. Its
 * chunks go when the first of these GPUs does, and none comes after that: no device loses its
 * driver before its mappings are gone.
 *
 * When the client goes to another GPU, what is pinned stays pinned, and is mapped for the
 * device of that one, too, before anything else happens; the mappings for the first go when
 * its stage 2 was emptied. VFIO cannot take memory away in between, as it needs the lock.
 */
#include <linux/bitmap.h>
#include <linux/dma-mapping.h>
#include <linux/slab.h>
#include <tessera/gpu.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/memory.h>
#include "base/mdev.h"
#include "base/parts.h"
#include "chunk.h"
#include "log.h"
#include "record.h"

/*
 * Processors, other vGPUs of the virtual machine, and other GPUs are at work in the same memory all
 * the time: it does not pass from one to another
 */
#define CHUNK_ATTRS	DMA_ATTR_SKIP_CPU_SYNC

/* What the VMM mapped read-only stays so where only an IOMMU is in the way, too */
static enum dma_data_direction chunk_direction(const struct tess_mdev_chunk *chunk)
{
	return chunk->prot & TESS_AS_WRITE ? DMA_BIDIRECTIONAL : DMA_TO_DEVICE;
}

static void chunk_unmap_dma(const struct tess_mdev_chunk *chunk, struct device *dev,
			    struct sg_table *sgt)
{
	dma_unmap_sgtable(dev, sgt, chunk_direction(chunk), CHUNK_ATTRS);
	sg_free_table(sgt);
}

/* Of the first @n parts */
static void chunk_unmap_parts(struct tess_mdev *tm, struct tess_mdev_chunk *chunk, unsigned int n)
{
	while (n--)
		chunk_unmap_dma(chunk, tm->parts.part[n]->dev, &chunk->sgt[n]);
}

static void chunk_leave_part(const struct tess_mdev_part *part, const struct tess_mdev_chunk *chunk)
{
	u64 gpa = chunk->pin.first << PAGE_SHIFT, size = (u64)chunk->pin.npages << PAGE_SHIFT;
	DECLARE_BITMAP(dirty, TESS_MDEV_CHUNK_PAGES) = {};
	int ret;

	ret = tess_as_unmap_dirty(part->as, gpa, size, dirty);
	tess_mdev_log_left(part->tm, chunk, ret ? NULL : dirty);
}

static void chunk_leave_stage2(struct tess_mdev *tm, const struct tess_mdev_chunk *chunk,
			       unsigned int n)
{
	while (n--)
		chunk_leave_part(tm->parts.part[n], chunk);
}

/* ---- mapping ---- */

static int chunk_enter_segment(const struct tess_mdev_part *part, u64 gpa, dma_addr_t addr,
			       u64 size, u32 prot)
{
	if (addr + size > tess_gpu_info(tess_vgpu_gpu(part->vgpu))->vram_base)
		return -ERANGE;
	return tess_as_map(part->as, gpa, addr, size, prot | tess_mdev_log_prot(part->tm));
}

/* Segments that follow each other are entered as one, for large leaves */
static int chunk_enter_stage2(const struct tess_mdev_part *part,
			      const struct tess_mdev_chunk *chunk, const struct sg_table *sgt)
{
	u64 gpa = chunk->pin.first << PAGE_SHIFT, size = 0;
	struct scatterlist *sg;
	dma_addr_t addr = 0;
	unsigned int i;
	int ret;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		if (size && sg_dma_address(sg) == addr + size) {
			size += sg_dma_len(sg);
			continue;
		}
		ret = size ? chunk_enter_segment(part, gpa, addr, size, chunk->prot) : 0;
		if (ret)
			goto err_unmap;
		gpa += size;
		addr = sg_dma_address(sg);
		size = sg_dma_len(sg);
	}
	ret = chunk_enter_segment(part, gpa, addr, size, chunk->prot);
	if (ret)
		goto err_unmap;
	return 0;

err_unmap:
	chunk_leave_part(part, chunk);
	return ret;
}

static int chunk_map_dma(const struct tess_mdev_chunk *chunk, struct page **pages,
			 struct device *dev, struct sg_table *sgt)
{
	int ret;

	ret = sg_alloc_table_from_pages_segment(sgt, pages, chunk->pin.npages, 0,
						(unsigned long)chunk->pin.npages << PAGE_SHIFT,
						dma_get_max_seg_size(dev), GFP_KERNEL);
	if (ret)
		return ret;
	ret = dma_map_sgtable(dev, sgt, chunk_direction(chunk), CHUNK_ATTRS);
	if (ret)
		sg_free_table(sgt);
	return ret;
}

/* For each part; all or nothing */
static int chunk_map_parts(struct tess_mdev *tm, struct tess_mdev_chunk *chunk, struct page **pages)
{
	unsigned int i;
	int ret;

	for (i = 0; i < chunk->count; i++) {
		ret = chunk_map_dma(chunk, pages, tm->parts.part[i]->dev, &chunk->sgt[i]);
		if (ret) {
			chunk_unmap_parts(tm, chunk, i);
			return ret;
		}
	}
	return 0;
}

/* The same for stage 2 */
static int chunk_enter_parts(struct tess_mdev *tm, const struct tess_mdev_chunk *chunk)
{
	unsigned int i;
	int ret;

	for (i = 0; i < chunk->count; i++) {
		ret = chunk_enter_stage2(tm->parts.part[i], chunk, &chunk->sgt[i]);
		if (ret) {
			chunk_leave_stage2(tm, chunk, i);
			return ret;
		}
	}
	return 0;
}

int tess_mdev_chunk_map(struct tess_mdev *tm, struct tess_mdev_chunk *chunk, struct page **pages)
{
	int ret;

	lockdep_assert_held(&tm->dma.lock);
	ret = chunk_map_parts(tm, chunk, pages);
	if (ret)
		return ret;
	ret = chunk_enter_parts(tm, chunk);
	if (ret)
		chunk_unmap_parts(tm, chunk, chunk->count);
	return ret;
}

void tess_mdev_chunk_leave(struct tess_mdev *tm, const struct tess_mdev_chunk *chunk)
{
	lockdep_assert_held(&tm->dma.lock);
	chunk_leave_stage2(tm, chunk, chunk->count);
}

void tess_mdev_chunk_unmap(struct tess_mdev *tm, struct tess_mdev_chunk *chunk)
{
	lockdep_assert_held(&tm->dma.lock);
	chunk_unmap_parts(tm, chunk, chunk->count);
}

/* ---- another GPU ---- */

/* What is pinned stays pinned; the other device needs a mapping of its own. @pages: scratch */
static int chunk_prepare(struct tess_mdev_chunk *chunk, struct tess_mdev_part *next,
			 struct page **pages)
{
	struct sg_table sgt = {};
	struct sg_page_iter it;
	unsigned int n = 0;
	int ret;

	for_each_sgtable_page(&chunk->sgt[0], &it, 0)
		pages[n++] = sg_page_iter_page(&it);
	ret = chunk_map_dma(chunk, pages, next->dev, &sgt);
	if (ret)
		return ret;
	ret = chunk_enter_stage2(next, chunk, &sgt);
	if (ret)
		chunk_unmap_dma(chunk, next->dev, &sgt);
	else
		chunk->next = sgt;
	return ret;
}

static int chunk_prepare_all(struct tess_mdev *tm, struct tess_mdev_part *next, struct page **pages)
{
	struct tess_mdev_chunk *chunk;
	unsigned long index = 0;
	int ret = 0;

	mt_for_each(&tm->dma.chunks, chunk, index, ULONG_MAX) {
		ret = chunk_prepare(chunk, next, pages);
		if (ret)
			break;
	}
	return ret;
}

int tess_mdev_dma_prepare(struct tess_mdev *tm, struct tess_mdev_part *next)
{
	struct page **pages;
	int ret;

	lockdep_assert_held(&tm->dma.lock);
	pages = kvcalloc(TESS_MDEV_CHUNK_PAGES, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	ret = chunk_prepare_all(tm, next, pages);
	if (ret)
		tess_mdev_dma_cancel(tm, next);
	kvfree(pages);
	return ret;
}

void tess_mdev_dma_cancel(struct tess_mdev *tm, struct tess_mdev_part *next)
{
	struct tess_mdev_chunk *chunk;
	unsigned long index = 0;

	lockdep_assert_held(&tm->dma.lock);
	mt_for_each(&tm->dma.chunks, chunk, index, ULONG_MAX) {
		if (!chunk->next.sgl)
			continue;
		tess_as_unmap(next->as, chunk->pin.first << PAGE_SHIFT,
			      (u64)chunk->pin.npages << PAGE_SHIFT);
		chunk_unmap_dma(chunk, next->dev, &chunk->next);
		chunk->next = (struct sg_table){};
	}
}

void tess_mdev_dma_commit(struct tess_mdev *tm, struct tess_mdev_part *before)
{
	struct tess_mdev_chunk *chunk;
	unsigned long index = 0;

	lockdep_assert_held(&tm->dma.lock);
	tess_mdev_records_commit(tm, before->vgpu);
	/* It is frozen for good; all the same it keeps nothing that it could reach */
	tess_as_unmap(before->as, 0, TESS_PA_VRAM);
	mt_for_each(&tm->dma.chunks, chunk, index, ULONG_MAX) {
		chunk_unmap_dma(chunk, before->dev, &chunk->sgt[0]);
		chunk->sgt[0] = chunk->next;
		chunk->next = (struct sg_table){};
	}
}
