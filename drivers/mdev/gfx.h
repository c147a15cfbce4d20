/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_GFX_H_
#define _TESS_MDEV_GFX_H_

#include <linux/types.h>
#include <linux/vfio.h>
#include <tessera/hw/tess_regs.h>

struct tess_mdev;

/* Regions of a vGPU with heads, behind those of PCI */
#define TESS_MDEV_PICTURE_REGION	VFIO_PCI_NUM_REGIONS
#define TESS_MDEV_EDID_REGION		(VFIO_PCI_NUM_REGIONS + 1)
#define TESS_MDEV_NUM_REGIONS		(VFIO_PCI_NUM_REGIONS + 2)

/* struct vfio_region_gfx_edid, then the EDID */
#define TESS_MDEV_EDID_OFFSET		0x100
#define TESS_MDEV_EDID_REGION_SIZE	(TESS_MDEV_EDID_OFFSET + TESS_EDID_MAX)

/* VFIO_DEVICE_QUERY_GFX_PLANE */
long tess_mdev_query_plane(struct tess_mdev *tm, void __user *arg);
/* Flags and capabilities of the two regions; its index and size are filled in */
int tess_mdev_gfx_region_info(struct tess_mdev *tm, struct vfio_region_info *info,
			      struct vfio_info_cap *caps);
/* The EDID region; @off is aligned to @len, a power of two */
void tess_mdev_edid_read(struct tess_mdev *tm, u32 off, void *buf, unsigned int len);
int tess_mdev_edid_write(struct tess_mdev *tm, u32 off, const void *buf, unsigned int len);

#endif
