/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_ACCESS_H_
#define _TESS_MDEV_ACCESS_H_

#include <linux/types.h>

struct vfio_device;

/* read() and write() of the VFIO device */
ssize_t tess_mdev_read(struct vfio_device *vdev, char __user *buf, size_t count, loff_t *ppos);
ssize_t tess_mdev_write(struct vfio_device *vdev, const char __user *buf, size_t count,
			loff_t *ppos);

#endif
