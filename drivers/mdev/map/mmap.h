/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_MMAP_H_
#define _TESS_MDEV_MMAP_H_

struct vfio_device;
struct vm_area_struct;

int tess_mdev_mmap(struct vfio_device *vdev, struct vm_area_struct *vma);

#endif
