// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: regions
 *
 * What a VMM reads and writes through the file of the device: configuration space,
 * registers, MSI-X table, and VRAM for VMMs that do not map it. Accesses are cut into
 * naturally aligned pieces of at most 8 bytes, as a bus would do, and each piece goes
 * to the region's handler under &tess_mdev.lock. A device whose GPU is gone reads as
 * all ones, which is what a PCI function that was pulled out does.
 */
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <tessera/inject.h>
#include "access.h"
#include "base/mdev.h"
#include "base/region.h"
#include "base/vram.h"
#include "config.h"
#include "display/gfx.h"
#include "map/area.h"
#include "mem/dma.h"
#include "msix.h"
#include "regs.h"
#include "reset.h"

/* NULL: it cannot be mapped. Memory of the host is mapped already */
static void __iomem *access_map(phys_addr_t phys, unsigned int len)
{
	if (pfn_valid(PHYS_PFN(phys)))
		return (void __iomem *)phys_to_virt(phys);
	return ioremap_wc(phys, len);
}

static void access_unmap(void __iomem *map, phys_addr_t phys)
{
	if (!pfn_valid(PHYS_PFN(phys)))
		iounmap(map);
}

static void access_mapped(void __iomem *map, void *buf, unsigned int len, bool write)
{
	if (write)
		memcpy_toio(map, buf, len);
	else
		memcpy_fromio(buf, map, len);
}

/*
 * The vGPU's lock keeps its memory where it is, but its GPU can go at any time. tess_mdev_gone()
 * takes map_lock before the device loses its driver.
 */
static void access_vram(struct tess_mdev *tm, u64 off, void *buf, unsigned int len, bool write)
{
	void __iomem *map;
	phys_addr_t phys;
	u64 avail;

	lockdep_assert_held(&tm->lock);
	if (!write)
		memset(buf, 0, len);
	phys = tess_mdev_vram_phys(tm, off, &avail);
	map = phys ? access_map(phys, len) : NULL;
	if (!map)
		return;
	tess_hold(TESS_HOLD_BAR);
	scoped_guard(rwsem_read, &tm->map_lock) {
		if (!tm->dead && write)
			tess_mdev_touch(tm, off, len);
		if (!tm->dead)
			access_mapped(map, buf, len, write);
		else if (!write)
			memset(buf, 0xff, len);
	}
	access_unmap(map, phys);
}

static void access_picture(struct tess_mdev *tm, u64 off, void *buf, unsigned int len)
{
	u64 address = U64_MAX;

	scoped_guard(rwsem_read, &tm->map_lock) {
		const struct tess_mdev_plane *picture = tess_mdev_picture(tm, 0);

		if (picture)
			address = picture->address + off;
	}
	/* Nothing is there where there is no VRAM */
	access_vram(tm, address, buf, len, false);
}

static void access_read(struct tess_mdev *tm, unsigned int index, u64 off, void *buf,
			unsigned int len)
{
	u64 val;

	lockdep_assert_held(&tm->lock);
	if (READ_ONCE(tm->dead)) {
		memset(buf, 0xff, len);
		return;
	}
	switch (index) {
	case VFIO_PCI_CONFIG_REGION_INDEX:
		tess_mdev_config_read(tm, off, buf, len);
		break;
	case VFIO_PCI_BAR0_REGION_INDEX + TESS_BAR_REGS:
		val = tess_mdev_regs_read(tm, off, len);
		memcpy(buf, &val, len);
		break;
	case VFIO_PCI_BAR0_REGION_INDEX + TESS_BAR_VRAM:
		access_vram(tm, off, buf, len, false);
		break;
	case VFIO_PCI_BAR0_REGION_INDEX + TESS_BAR_MSIX:
		tess_mdev_msix_read(tm, off, buf, len);
		break;
	case TESS_MDEV_PICTURE_REGION:
		access_picture(tm, off, buf, len);
		break;
	case TESS_MDEV_EDID_REGION:
		tess_mdev_edid_read(tm, off, buf, len);
		break;
	}
}

static int access_write(struct tess_mdev *tm, unsigned int index, u64 off, void *buf,
			unsigned int len)
{
	u64 val = 0;

	lockdep_assert_held(&tm->lock);
	if (READ_ONCE(tm->dead))
		return 0;
	switch (index) {
	case VFIO_PCI_CONFIG_REGION_INDEX:
		if (tess_mdev_config_write(tm, off, buf, len))
			tess_mdev_reset_function(tm);
		break;
	case VFIO_PCI_BAR0_REGION_INDEX + TESS_BAR_REGS:
		memcpy(&val, buf, len);
		if (!tm->migration.stopped)
			tess_mdev_regs_write(tm, off, len, val);
		break;
	case VFIO_PCI_BAR0_REGION_INDEX + TESS_BAR_VRAM:
		access_vram(tm, off, buf, len, true);
		break;
	case VFIO_PCI_BAR0_REGION_INDEX + TESS_BAR_MSIX:
		tess_mdev_msix_write(tm, off, buf, len);
		break;
	case TESS_MDEV_PICTURE_REGION:
		return -EINVAL;
	case TESS_MDEV_EDID_REGION:
		return tess_mdev_edid_write(tm, off, buf, len);
	}
	return 0;
}

/* Largest aligned piece at @off that is in [off, off + count) */
static unsigned int access_piece(u64 off, size_t count)
{
	unsigned int len = 8;

	while (len > count || off & (len - 1))
		len >>= 1;
	return len;
}

/* Bytes from a file position to the end of its region; 0: no such region */
static size_t access_clamp(const struct tess_mdev *tm, loff_t pos, size_t count)
{
	u64 size = tess_mdev_region_size(tm, (u64)pos >> TESS_MDEV_REGION_SHIFT);
	u64 off = pos & TESS_MDEV_REGION_MASK;

	return off < size ? min_t(u64, count, size - off) : 0;
}

ssize_t tess_mdev_read(struct vfio_device *vdev, char __user *buf, size_t count, loff_t *ppos)
{
	struct tess_mdev *tm = to_tess_mdev(vdev);
	unsigned int index = (u64)*ppos >> TESS_MDEV_REGION_SHIFT;
	u64 off = *ppos & TESS_MDEV_REGION_MASK;
	size_t done = 0;

	count = access_clamp(tm, *ppos, count);
	if (!count)
		return -EINVAL;
	while (done < count) {
		unsigned int len = access_piece(off + done, count - done);
		u8 val[8];

		mutex_lock(&tm->lock);
		access_read(tm, index, off + done, val, len);
		mutex_unlock(&tm->lock);
		if (copy_to_user(buf + done, val, len))
			return -EFAULT;
		done += len;
		if (fatal_signal_pending(current))
			break;
	}
	*ppos += done;
	return done;
}

ssize_t tess_mdev_write(struct vfio_device *vdev, const char __user *buf, size_t count,
			loff_t *ppos)
{
	struct tess_mdev *tm = to_tess_mdev(vdev);
	unsigned int index = (u64)*ppos >> TESS_MDEV_REGION_SHIFT;
	u64 off = *ppos & TESS_MDEV_REGION_MASK;
	size_t done = 0;
	int ret;

	count = access_clamp(tm, *ppos, count);
	if (!count)
		return -EINVAL;
	while (done < count) {
		unsigned int len = access_piece(off + done, count - done);
		u8 val[8];

		if (copy_from_user(val, buf + done, len))
			return -EFAULT;
		mutex_lock(&tm->lock);
		ret = access_write(tm, index, off + done, val, len);
		mutex_unlock(&tm->lock);
		/* A reset, or another completion record */
		tess_mdev_dma_follow(tm);
		if (ret)
			return ret;
		done += len;
		if (fatal_signal_pending(current))
			break;
	}
	*ppos += done;
	return done;
}
