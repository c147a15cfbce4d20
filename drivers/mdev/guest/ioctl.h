/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_IOCTL_H_
#define _TESS_MDEV_IOCTL_H_

struct vfio_device;
struct vfio_info_cap;
struct vfio_region_info;

long tess_mdev_ioctl(struct vfio_device *vdev, unsigned int cmd, unsigned long arg);
int tess_mdev_region_info(struct vfio_device *vdev, struct vfio_region_info *info,
			  struct vfio_info_cap *caps);

#endif
