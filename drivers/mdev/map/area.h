/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_AREA_H_
#define _TESS_MDEV_AREA_H_

#include <linux/mm_types.h>
#include <linux/types.h>
#include "base/parts.h"

struct tess_mdev;
struct tess_mdev_dmabuf;
struct tess_mdev_viewer;
struct vfio_info_cap;
struct vfio_region_info;
struct vm_fault;

/**
 * struct tess_mdev_area - part of a region that can be mapped
 * @index: VFIO region
 * @off: in the region
 * @size: bytes
 */
struct tess_mdev_area {
	unsigned int index;
	u64 off;
	u64 size;
};

/**
 * struct tess_mdev_range - VRAM that is shown
 * @address: in VRAM, whole pages
 * @size: bytes, whole pages; 0: nothing
 */
struct tess_mdev_range {
	u64 address;
	u64 size;
};

enum {
	TESS_MDEV_AREA_COMPOSITION,
	TESS_MDEV_AREA_DOORBELLS,
	TESS_MDEV_AREA_VRAM,
	TESS_MDEV_AREA_PICTURE,
	TESS_MDEV_AREA_COUNT,
};

/* All of them; holds @tm->map_lock */
void tess_mdev_get_areas(const struct tess_mdev *tm,
			 struct tess_mdev_area areas[TESS_MDEV_AREA_COUNT]);
/* Which parts of a region can be mapped, as a capability; also sets the flags */
int tess_mdev_region_areas(struct tess_mdev *tm, struct vfio_region_info *info,
			   struct vfio_info_cap *caps);
/* Page fault at @addr: there is @phys, of a device or of a page of ours */
vm_fault_t tess_mdev_insert(struct vm_area_struct *vma, unsigned long addr, phys_addr_t phys);
/* The same of VRAM; @phys 0: there is none, but the parking page. Holds @tm->map_lock */
vm_fault_t tess_mdev_insert_vram(struct tess_mdev *tm, struct vm_area_struct *vma,
				 unsigned long addr, phys_addr_t phys);
/*
 * Page fault at @off of what is shown: VRAM, there and in some pages that follow, as it is read
 * line by line; behind it the parking page. Holds @tm->map_lock
 */
vm_fault_t tess_mdev_insert_around(struct tess_mdev *tm, struct vm_fault *vmf,
				   const struct tess_mdev_range *range, u64 off);
/* Withdraw all that is mapped; the next access faults it in again */
void tess_mdev_zap(struct tess_mdev *tm);
/* The same of what head @n shows */
void tess_mdev_zap_picture(struct tess_mdev *tm, unsigned int n);
/* The same of one viewer's file; holds map_lock for writing */
void tess_mdev_zap_viewer(struct tess_mdev_viewer *viewer, unsigned int n);
/* The same of a plane; holds map_lock for writing */
void tess_mdev_zap_dmabuf(struct tess_mdev_dmabuf *dmabuf);
/* The GPU is gone, or a reset failed: withdraw all for good. Holds @tm->map_lock for writing */
void tess_mdev_set_dead(struct tess_mdev *tm);
/* CPUs may write to a range of VRAM from now on; holds @tm->map_lock */
void tess_mdev_touch(struct tess_mdev *tm, u64 off, u64 size);
/*
 * Blocks of VRAM that may have been written to since @who asked for the last time join @blocks; the
 * first time, all. What is read after that has it. 0, -ENODEV. Holds @tm->lock, and @tm->map_lock
 * for writing
 */
int tess_mdev_gather(struct tess_mdev *tm, enum tess_mdev_gatherer who, unsigned long *blocks);
/* Nothing of VRAM is mapped any more: blocks of @part that CPUs may have written to until now */
void tess_mdev_take_touched(struct tess_mdev *tm, struct tess_mdev_part *part);
/* The blocks of @part that were taken, and those of slices, were zeroed */
void tess_mdev_zeroed(struct tess_mdev *tm, struct tess_mdev_part *part);

#endif
