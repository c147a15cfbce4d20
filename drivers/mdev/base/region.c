// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regions of the file of the device: how large they are.
 */
#include "mdev.h"
#include "region.h"

u64 tess_mdev_region_size(const struct tess_mdev *tm, unsigned int index)
{
	switch (index) {
	case VFIO_PCI_BAR0_REGION_INDEX + TESS_BAR_REGS:
		return TESS_REGS_SIZE;
	case VFIO_PCI_BAR0_REGION_INDEX + TESS_BAR_VRAM:
		return tm->ident.bar_size;
	case VFIO_PCI_BAR0_REGION_INDEX + TESS_BAR_MSIX:
		return TESS_MDEV_MSIX_SIZE;
	case VFIO_PCI_CONFIG_REGION_INDEX:
		return TESS_MDEV_CONFIG_SIZE;
	case TESS_MDEV_PICTURE_REGION:
		return tm->display.present ? tm->ident.bar_size : 0;
	case TESS_MDEV_EDID_REGION:
		return tm->display.present ? TESS_MDEV_EDID_REGION_SIZE : 0;
	default:
		return 0;
	}
}
