/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_REGION_H_
#define _TESS_MDEV_REGION_H_

#include <linux/bits.h>
#include <linux/pci_regs.h>
#include <linux/types.h>
#include <linux/vfio.h>
#include <tessera/hw/tess_regs.h>

struct tess_mdev;

/* Regions in the file offset: index in the high bits, as vfio-pci does it */
#define TESS_MDEV_REGION_SHIFT		40
#define TESS_MDEV_REGION_MASK		(BIT_ULL(TESS_MDEV_REGION_SHIFT) - 1)
#define TESS_MDEV_REGION_OFFSET(index)	((u64)(index) << TESS_MDEV_REGION_SHIFT)

#define TESS_MDEV_CONFIG_SIZE		4096

/* BAR4, as on the GPU: the table, then the pending bits */
#define TESS_MDEV_MSIX_SIZE		0x1000
#define TESS_MDEV_PBA_OFFSET		0x800
#define TESS_MDEV_MSIX_TABLE_SIZE	(PCI_MSIX_ENTRY_SIZE * TESS_IRQ_COUNT)

/* Regions of a vGPU with heads, behind those of PCI */
#define TESS_MDEV_PICTURE_REGION	VFIO_PCI_NUM_REGIONS
#define TESS_MDEV_EDID_REGION		(VFIO_PCI_NUM_REGIONS + 1)
#define TESS_MDEV_NUM_REGIONS		(VFIO_PCI_NUM_REGIONS + 2)

/* struct vfio_region_gfx_edid, then the EDID */
#define TESS_MDEV_EDID_OFFSET		0x100
#define TESS_MDEV_EDID_REGION_SIZE	(TESS_MDEV_EDID_OFFSET + TESS_EDID_MAX)

/* Heads in the offset of a file of a viewer, which can map as much as a picture can have */
#define TESS_MDEV_VIEW_SHIFT		32
#define TESS_MDEV_VIEW_MASK		(BIT_ULL(TESS_MDEV_VIEW_SHIFT) - 1)
#define TESS_MDEV_VIEW_OFFSET(n)	((u64)(n) << TESS_MDEV_VIEW_SHIFT)
#define TESS_MDEV_VIEW_SIZE		TESS_DISPLAY_BYTES_MAX

/* Size of a region of VFIO; 0 if there is none */
u64 tess_mdev_region_size(const struct tess_mdev *tm, unsigned int index);

#endif
