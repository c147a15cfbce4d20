// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: regions
 *
 * What a VMM reads and writes through the file of the device: configuration space,
 * registers, MSI-X table, and VRAM for VMMs that do not map it. Accesses are cut into
 * naturally aligned pieces of at most 8 bytes, as a bus would do, and each piece goes
 * to the region's handler under &tess_mdev.lock. A device whose GPU is gone reads as
 * all ones, which is what a PCI function that was pulled out does.
 *
 * The composition page exists twice. The host keeps one that only it sees and answers
 * from it; the other is mapped into the guest. A mapping that is read-only would make
 * a stray store of the guest fatal for the VM, so that page is writable: what a guest
 * stores there only deceives itself, until the next change or reset.
 */
#include <linux/bitfield.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <tessera/inject.h>
#include "device.h"
#include "mmap.h"

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

/*
 * Publish the composition to the guest, seqlock-style. The sequence number comes from
 * the host's copy: the guest's can hold anything.
 */
static void publish_locked(struct tess_mdev_bars *bars)
{
	struct tess_composition *page = page_address(bars->comp_page);
	u64 seq = le64_to_cpu(bars->comp->seq);

	lockdep_assert_held(&bars->comp_lock);
	bars->comp->seq = cpu_to_le64(seq + 1);
	WRITE_ONCE(page->seq, bars->comp->seq);
	smp_wmb(); /* odd before the contents, for readers in the guest */
	memcpy(page, bars->comp, sizeof(*page));
	smp_wmb(); /* contents before even */
	bars->comp->seq = cpu_to_le64(seq + 2);
	WRITE_ONCE(page->seq, bars->comp->seq);
}

static void fill_locked(struct tess_mdev *tm)
{
	struct tess_mdev_bars *bars = &tm->bars;

	lockdep_assert_held(&bars->comp_lock);
	bars->comp->generation = cpu_to_le64(1);
	tess_mdev_parts_composition(&tm->parts, bars->scratch, bars->comp);
	/* It grows as long as there is the device, whatever it is made of */
	le64_add_cpu(&bars->comp->generation, bars->base);
}

bool tess_mdev_bars_refresh(struct tess_mdev *tm)
{
	struct tess_mdev_bars *bars = &tm->bars;

	guard(mutex)(&bars->comp_lock);
	if (!bars->held)
		fill_locked(tm);
	publish_locked(bars);
	return !bars->held;
}

void tess_mdev_bars_hold(struct tess_mdev *tm)
{
	guard(mutex)(&tm->bars.comp_lock);
	tm->bars.held = true;
}

bool tess_mdev_bars_release(struct tess_mdev *tm, const struct tess_blueprint *bp)
{
	struct tess_mdev_bars *bars = &tm->bars;
	u64 before, now;

	guard(mutex)(&bars->comp_lock);
	bars->held = false;
	if (bp)
		tm->parts.blueprint = *bp;
	before = le64_to_cpu(bars->comp->generation);
	fill_locked(tm);
	now = le64_to_cpu(bars->comp->generation);
	if (now == before)
		return false;
	/* One more, however many parts are others */
	bars->base -= now - before - 1;
	bars->comp->generation = cpu_to_le64(before + 1);
	publish_locked(bars);
	return true;
}

u64 tess_mdev_bars_generation(struct tess_mdev *tm)
{
	guard(mutex)(&tm->bars.comp_lock);
	return le64_to_cpu(tm->bars.comp->generation);
}

u32 tess_mdev_bars_heads(struct tess_mdev *tm)
{
	guard(mutex)(&tm->bars.comp_lock);
	return le32_to_cpu(tm->bars.comp->heads);
}

void tess_mdev_bars_exchange(struct tess_mdev *tm, struct tess_mdev_parts *parts)
{
	struct tess_mdev_bars *bars = &tm->bars;

	mutex_lock(&bars->comp_lock);
	swap(tm->parts, *parts);
	bars->base = le64_to_cpu(bars->comp->generation);
	memset(bars->comp, 0, sizeof(*bars->comp));
	mutex_unlock(&bars->comp_lock);
}

void tess_mdev_bars_continue(struct tess_mdev *tm, struct tess_mdev_parts *parts)
{
	guard(mutex)(&tm->bars.comp_lock);
	swap(tm->parts, *parts);
}

int tess_mdev_bars_init(struct tess_mdev *tm)
{
	struct tess_mdev_bars *bars = &tm->bars;

	BUILD_BUG_ON(sizeof(struct tess_composition) > TESS_PAGE_SIZE);
	bars->comp = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	bars->scratch = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	bars->comp_page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!bars->comp || !bars->scratch || !bars->comp_page) {
		tess_mdev_bars_fini(tm);
		return -ENOMEM;
	}
	return 0;
}

void tess_mdev_bars_fini(struct tess_mdev *tm)
{
	if (tm->bars.comp_page)
		__free_page(tm->bars.comp_page);
	free_page((unsigned long)tm->bars.scratch);
	free_page((unsigned long)tm->bars.comp);
	tm->bars.comp_page = NULL;
	tm->bars.scratch = NULL;
	tm->bars.comp = NULL;
}

void tess_mdev_bars_reset(struct tess_mdev *tm)
{
	struct tess_mdev_bars *bars = &tm->bars;

	bars->event_low = 0;
	memset(bars->low, 0, sizeof(bars->low));
	atomic64_set(&bars->event_pending, 0);
	atomic64_set(&bars->fault_pending, 0);
	memset(page_address(bars->comp_page), 0, PAGE_SIZE);
	tess_mdev_bars_refresh(tm);
}

void tess_mdev_msix_reset(struct tess_mdev *tm)
{
	u8 *table = tm->bars.msix;
	unsigned int i;

	memset(table, 0, TESS_MDEV_MSIX_TABLE_SIZE);
	for (i = 0; i < TESS_IRQ_COUNT; i++)
		table[i * PCI_MSIX_ENTRY_SIZE + PCI_MSIX_ENTRY_VECTOR_CTRL] =
			PCI_MSIX_ENTRY_CTRL_MASKBIT;
}

static void msix_read(struct tess_mdev *tm, u32 off, void *buf, unsigned int len)
{
	u64 pending = tess_mdev_irqs_pending(tm);

	memset(buf, 0, len);
	if (off + len <= TESS_MDEV_MSIX_TABLE_SIZE)
		memcpy(buf, tm->bars.msix + off, len);
	else if (off >= TESS_MDEV_PBA_OFFSET && off + len <= TESS_MDEV_PBA_OFFSET + 8)
		memcpy(buf, (u8 *)&pending + off - TESS_MDEV_PBA_OFFSET, len);
}

static void msix_write(struct tess_mdev *tm, u32 off, const void *buf, unsigned int len)
{
	if (off + len <= TESS_MDEV_MSIX_TABLE_SIZE)
		memcpy(tm->bars.msix + off, buf, len);
}

static void access_mapped(void __iomem *map, void *buf, unsigned int len, bool write)
{
	if (write)
		memcpy_toio(map, buf, len);
	else
		memcpy_fromio(buf, map, len);
}

/*
 * The vGPU's lock keeps its memory where it is, but its GPU can go at any time. die() takes
 * map_lock before the device loses its driver.
 */
static void vram_access(struct tess_mdev *tm, u64 off, void *buf, unsigned int len, bool write)
{
	void __iomem *map;
	phys_addr_t phys;
	u64 avail;

	lockdep_assert_held(&tm->lock);
	if (!write)
		memset(buf, 0, len);
	phys = tess_mdev_vram_phys(tm, off, &avail);
	map = phys ? ioremap_wc(phys, len) : NULL;
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
	iounmap(map);
}

static void picture_read(struct tess_mdev *tm, u64 off, void *buf, unsigned int len)
{
	u64 address = U64_MAX;

	scoped_guard(rwsem_read, &tm->map_lock) {
		const struct tess_mdev_plane *picture = tess_mdev_picture(tm);

		if (picture)
			address = picture->address + off;
	}
	/* Nothing is there where there is no VRAM */
	vram_access(tm, address, buf, len, false);
}

static void region_read(struct tess_mdev *tm, unsigned int index, u64 off, void *buf,
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
		vram_access(tm, off, buf, len, false);
		break;
	case VFIO_PCI_BAR0_REGION_INDEX + TESS_BAR_MSIX:
		msix_read(tm, off, buf, len);
		break;
	case TESS_MDEV_PICTURE_REGION:
		picture_read(tm, off, buf, len);
		break;
	case TESS_MDEV_EDID_REGION:
		tess_mdev_edid_read(tm, off, buf, len);
		break;
	}
}

static int region_write(struct tess_mdev *tm, unsigned int index, u64 off, void *buf,
			unsigned int len)
{
	u64 val = 0;

	lockdep_assert_held(&tm->lock);
	if (READ_ONCE(tm->dead))
		return 0;
	switch (index) {
	case VFIO_PCI_CONFIG_REGION_INDEX:
		tess_mdev_config_write(tm, off, buf, len);
		break;
	case VFIO_PCI_BAR0_REGION_INDEX + TESS_BAR_REGS:
		memcpy(&val, buf, len);
		tess_mdev_regs_write(tm, off, len, val);
		break;
	case VFIO_PCI_BAR0_REGION_INDEX + TESS_BAR_VRAM:
		vram_access(tm, off, buf, len, true);
		break;
	case VFIO_PCI_BAR0_REGION_INDEX + TESS_BAR_MSIX:
		msix_write(tm, off, buf, len);
		break;
	case TESS_MDEV_PICTURE_REGION:
		return -EINVAL;
	case TESS_MDEV_EDID_REGION:
		return tess_mdev_edid_write(tm, off, buf, len);
	}
	return 0;
}

/* Largest aligned piece at @off that is in [off, off + count) */
static unsigned int piece(u64 off, size_t count)
{
	unsigned int len = 8;

	while (len > count || off & (len - 1))
		len >>= 1;
	return len;
}

/* Bytes from a file position to the end of its region; 0: no such region */
static size_t clamp_count(const struct tess_mdev *tm, loff_t pos, size_t count)
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

	count = clamp_count(tm, *ppos, count);
	if (!count)
		return -EINVAL;
	while (done < count) {
		unsigned int len = piece(off + done, count - done);
		u8 val[8];

		mutex_lock(&tm->lock);
		region_read(tm, index, off + done, val, len);
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

	count = clamp_count(tm, *ppos, count);
	if (!count)
		return -EINVAL;
	while (done < count) {
		unsigned int len = piece(off + done, count - done);
		u8 val[8];

		if (copy_from_user(val, buf + done, len))
			return -EFAULT;
		mutex_lock(&tm->lock);
		ret = region_write(tm, index, off + done, val, len);
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
