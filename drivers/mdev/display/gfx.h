/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_GFX_H_
#define _TESS_MDEV_GFX_H_

#include <linux/types.h>

struct tess_mdev;
struct vfio_info_cap;
struct vfio_region_info;

/* VFIO_DEVICE_QUERY_GFX_PLANE */
long tess_mdev_query_plane(struct tess_mdev *tm, void __user *arg);
/* Flags and capabilities of the two regions; its index and size are filled in */
int tess_mdev_gfx_region_info(struct tess_mdev *tm, struct vfio_region_info *info,
			      struct vfio_info_cap *caps);
/* The EDID region; @off is aligned to @len, a power of two */
void tess_mdev_edid_read(struct tess_mdev *tm, u32 off, void *buf, unsigned int len);
int tess_mdev_edid_write(struct tess_mdev *tm, u32 off, const void *buf, unsigned int len);

#endif
