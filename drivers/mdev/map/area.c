// SPDX-License-Identifier: GPL-2.0-only
/*
 * What of a vGPU can be mapped, and how it is withdrawn (mmap.c).
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/vfio.h>
#include <tessera/compat.h>
#include <tessera/memory.h>
#include "area.h"
#include "base/mdev.h"
#include "base/parts.h"
#include "base/region.h"
#include "base/viewer.h"
#include "base/vram.h"

/* Pages that a page fault inserts of what is shown */
#define AREA_AROUND	16

/* What the composition that there is has to map, which another may replace at any time */
void tess_mdev_get_areas(const struct tess_mdev *tm,
			 struct tess_mdev_area areas[TESS_MDEV_AREA_COUNT])
{
	lockdep_assert_held(&tm->map_lock);
	areas[TESS_MDEV_AREA_COMPOSITION] = (struct tess_mdev_area) {
		.index = TESS_BAR_REGS,
		.off = TESS_COMPOSITION_PAGE,
		.size = TESS_PAGE_SIZE,
	};
	areas[TESS_MDEV_AREA_DOORBELLS] = (struct tess_mdev_area) {
		.index = TESS_BAR_REGS,
		.off = TESS_DOORBELL_PAGE(0),
		.size = tm->vslices * TESS_PAGE_SIZE,
	};
	areas[TESS_MDEV_AREA_VRAM] = (struct tess_mdev_area) {
		.index = TESS_BAR_VRAM,
		.size = tm->vram ? tm->vram->size : 0,
	};
	areas[TESS_MDEV_AREA_PICTURE] = (struct tess_mdev_area) {
		.index = TESS_MDEV_PICTURE_REGION,
		.size = tess_mdev_region_size(tm, TESS_MDEV_PICTURE_REGION),
	};
}

int tess_mdev_region_areas(struct tess_mdev *tm, struct vfio_region_info *info,
			   struct vfio_info_cap *caps)
{
	DEFINE_RAW_FLEX(struct vfio_region_info_cap_sparse_mmap, sparse, areas,
			TESS_MDEV_AREA_COUNT);
	struct tess_mdev_area areas[TESS_MDEV_AREA_COUNT];
	unsigned int i, n = 0;

	scoped_guard(rwsem_read, &tm->map_lock)
		tess_mdev_get_areas(tm, areas);
	for (i = 0; i < TESS_MDEV_AREA_COUNT; i++) {
		if (areas[i].index != info->index || !areas[i].size)
			continue;
		sparse->areas[n].offset = areas[i].off;
		sparse->areas[n++].size = areas[i].size;
	}
	if (!n)
		return 0;
	info->flags |= VFIO_REGION_INFO_FLAG_MMAP;
	sparse->header.id = VFIO_REGION_INFO_CAP_SPARSE_MMAP;
	sparse->header.version = 1;
	sparse->nr_areas = n;
	return vfio_info_add_capability(caps, &sparse->header, struct_size(sparse, areas, n));
}

vm_fault_t tess_mdev_insert(struct vm_area_struct *vma, unsigned long addr, phys_addr_t phys)
{
	return vmf_insert_mixed(vma, addr, tess_pfn_arg(PHYS_PFN(phys)));
}

vm_fault_t tess_mdev_insert_vram(struct tess_mdev *tm, struct vm_area_struct *vma,
				 unsigned long addr, phys_addr_t phys)
{
	return tess_mdev_insert(vma, addr, phys ?: page_to_phys(tm->parking));
}

static vm_fault_t insert_part(struct tess_mdev *tm, struct vm_area_struct *vma, unsigned long addr,
			      const struct tess_mdev_range *range, u64 off)
{
	u64 len;

	return tess_mdev_insert_vram(tm, vma, addr,
				     off < range->size ?
				     tess_mdev_vram_phys(tm, range->address + off, &len) : 0);
}

vm_fault_t tess_mdev_insert_around(struct tess_mdev *tm, struct vm_fault *vmf,
				   const struct tess_mdev_range *range, u64 off)
{
	unsigned long addr = vmf->address & PAGE_MASK;
	unsigned long end = min(vmf->vma->vm_end, addr + AREA_AROUND * PAGE_SIZE);
	vm_fault_t ret;

	lockdep_assert_held(&tm->map_lock);
	atomic64_inc(&tm->stats.mmap_faults);
	ret = insert_part(tm, vmf->vma, addr, range, off);
	while (ret == VM_FAULT_NOPAGE && addr + PAGE_SIZE < end) {
		addr += PAGE_SIZE;
		off += PAGE_SIZE;
		/* Where memory is missing, they have faults of their own */
		if (insert_part(tm, vmf->vma, addr, range, off) != VM_FAULT_NOPAGE)
			break;
	}
	return ret;
}

/* ---- withdrawing ---- */

static void area_zap(struct tess_mdev *tm, const struct tess_mdev_area *area)
{
	if (area->size)
		unmap_mapping_range(tm->vdev.inode->i_mapping,
				    TESS_MDEV_REGION_OFFSET(area->index) + area->off,
				    area->size, true);
}

void tess_mdev_zap_viewer(struct tess_mdev_viewer *viewer, unsigned int n)
{
	/* A page fault sets it before it inserts something, with map_lock for reading */
	if (test_and_clear_bit(n, &viewer->mapped))
		unmap_mapping_range(viewer->mapping, TESS_MDEV_VIEW_OFFSET(n), TESS_MDEV_VIEW_SIZE,
				    true);
}

void tess_mdev_zap_dmabuf(struct tess_mdev_dmabuf *dmabuf)
{
	/* Set by page faults, as above */
	if (test_and_clear_bit(0, &dmabuf->mapped))
		unmap_mapping_range(dmabuf->mapping, 0, dmabuf->size, true);
}

static void zap_viewers(struct tess_mdev *tm, unsigned int n)
{
	struct tess_mdev_viewer *viewer;

	lockdep_assert_held_write(&tm->map_lock);
	list_for_each_entry(viewer, &tm->display.viewers, link)
		tess_mdev_zap_viewer(viewer, n);
}

void tess_mdev_zap(struct tess_mdev *tm)
{
	struct tess_mdev_area areas[TESS_MDEV_AREA_COUNT];
	struct tess_mdev_dmabuf *dmabuf;
	unsigned int i;

	tess_mdev_get_areas(tm, areas);
	for (i = 0; i < TESS_MDEV_AREA_COUNT; i++)
		area_zap(tm, &areas[i]);
	for (i = 0; i < TESS_HEADS_MAX; i++)
		zap_viewers(tm, i);
	list_for_each_entry(dmabuf, &tm->display.dmabufs.files, link)
		tess_mdev_zap_dmabuf(dmabuf);
}

void tess_mdev_zap_picture(struct tess_mdev *tm, unsigned int n)
{
	struct tess_mdev_area areas[TESS_MDEV_AREA_COUNT];

	zap_viewers(tm, n);
	/* VFIO knows one head */
	if (n)
		return;
	tess_mdev_get_areas(tm, areas);
	area_zap(tm, &areas[TESS_MDEV_AREA_PICTURE]);
}

void tess_mdev_set_dead(struct tess_mdev *tm)
{
	lockdep_assert_held_write(&tm->map_lock);
	tess_mdev_viewers_lose(tm);
	guard(mutex)(&tm->doorbell_lock);
	WRITE_ONCE(tm->dead, true);
	tess_mdev_zap(tm);
}

/* ---- what may have been written to ---- */

void tess_mdev_touch(struct tess_mdev *tm, u64 off, u64 size)
{
	struct tess_mdev_part *part = tm->parts.part[0];
	unsigned int who;
	u64 block;

	lockdep_assert_held(&tm->map_lock);
	for (block = off / TESS_VRAM_BLOCK; block <= (off + size - 1) / TESS_VRAM_BLOCK; block++) {
		set_bit(block, part->touched);
		for (who = 0; who < TESS_MDEV_GATHERERS; who++)
			set_bit(block, part->fresh[who]);
	}
}

/* @part->blocks were written to by others than CPUs */
static void gather_blocks(struct tess_mdev_part *part, unsigned int count)
{
	unsigned int who;

	for (who = 0; who < TESS_MDEV_GATHERERS; who++)
		bitmap_or(part->fresh[who], part->fresh[who], part->blocks, count);
}

int tess_mdev_gather(struct tess_mdev *tm, enum tess_mdev_gatherer who, unsigned long *blocks)
{
	struct tess_mdev_part *part = tm->parts.part[0];
	struct tess_mdev_area areas[TESS_MDEV_AREA_COUNT];
	unsigned int count;
	int ret;

	lockdep_assert_held(&tm->lock);
	lockdep_assert_held_write(&tm->map_lock);
	if (!tm->vram)
		return 0;
	count = TESS_VRAM_BLOCKS(tm->vram);
	bitmap_zero(part->blocks, count);
	ret = tess_vgpu_written(part->vgpu, part->blocks);
	/* The GPU does not tell of them again: a reset has to know them, and whoever else asks */
	bitmap_or(part->touched, part->touched, part->blocks, count);
	gather_blocks(part, count);
	if (ret || bitmap_empty(part->fresh[who], count))
		return ret;
	/* A CPU that stores again faults first */
	tess_mdev_get_areas(tm, areas);
	area_zap(tm, &areas[TESS_MDEV_AREA_VRAM]);
	bitmap_or(blocks, blocks, part->fresh[who], count);
	bitmap_zero(part->fresh[who], count);
	return 0;
}

void tess_mdev_take_touched(struct tess_mdev *tm, struct tess_mdev_part *part)
{
	const struct tess_vram *vram = tess_vgpu_vram(part->vgpu);
	struct tess_mdev_area areas[TESS_MDEV_AREA_COUNT];
	unsigned int count;

	if (!vram)
		return;
	count = TESS_VRAM_BLOCKS(vram);
	guard(rwsem_write)(&tm->map_lock);
	bitmap_copy(part->blocks, part->touched, count);
	if (bitmap_empty(part->touched, count))
		return;
	tess_mdev_get_areas(tm, areas);
	area_zap(tm, &areas[TESS_MDEV_AREA_VRAM]);
	bitmap_zero(part->touched, count);
}

void tess_mdev_zeroed(struct tess_mdev *tm, struct tess_mdev_part *part)
{
	const struct tess_vram *vram = tess_vgpu_vram(part->vgpu);

	guard(rwsem_write)(&tm->map_lock);
	if (vram)
		gather_blocks(part, TESS_VRAM_BLOCKS(vram));
}
