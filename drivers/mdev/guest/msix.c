// SPDX-License-Identifier: GPL-2.0-only
/*
 * The BAR with the MSI-X table. The table is memory for VMMs that keep their state there: what
 * counts is VFIO_DEVICE_SET_IRQS (irq.c).
 */
#include <linux/string.h>
#include "base/irq.h"
#include "base/mdev.h"
#include "base/region.h"
#include "msix.h"

void tess_mdev_msix_reset(struct tess_mdev *tm)
{
	u8 *table = tm->bars.msix;
	unsigned int i;

	memset(table, 0, TESS_MDEV_MSIX_TABLE_SIZE);
	for (i = 0; i < TESS_IRQ_COUNT; i++)
		table[i * PCI_MSIX_ENTRY_SIZE + PCI_MSIX_ENTRY_VECTOR_CTRL] =
			PCI_MSIX_ENTRY_CTRL_MASKBIT;
}

void tess_mdev_msix_read(struct tess_mdev *tm, u32 off, void *buf, unsigned int len)
{
	u64 pending = tess_mdev_irqs_pending(tm);

	memset(buf, 0, len);
	if (off + len <= TESS_MDEV_MSIX_TABLE_SIZE)
		memcpy(buf, tm->bars.msix + off, len);
	else if (off >= TESS_MDEV_PBA_OFFSET && off + len <= TESS_MDEV_PBA_OFFSET + 8)
		memcpy(buf, (u8 *)&pending + off - TESS_MDEV_PBA_OFFSET, len);
}

void tess_mdev_msix_write(struct tess_mdev *tm, u32 off, const void *buf, unsigned int len)
{
	if (off + len <= TESS_MDEV_MSIX_TABLE_SIZE)
		memcpy(tm->bars.msix + off, buf, len);
}
