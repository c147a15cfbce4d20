// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: log of writes
 *
 * Who migrates a virtual machine copies its memory while it runs, and asks again and again which
 * pages were written to since (VFIO_DEVICE_FEATURE_DMA_LOGGING). For what the GPU writes the
 * answer is in the D bits of stage 2. They are gathered from all chunks in the range that is asked
 * for, and from each chunk as it leaves stage 2, into groups of pages that are kept until somebody
 * asks for them. While it logs, guest memory is mapped by pages of 4 KiB, and larger leaves
 * that are there are split.
 *
 * VFIO gives bitmaps of user space, which can be slow to come, so that they are filled in under
 * no lock. Where gathering fails, for want of memory or because a GPU went or does not tell, all
 * pages count as written to until the log ends: copying takes longer then, and nothing is missed.
 *
 * The ranges that are given when the log begins are not looked at. All is logged, and what is asked
 * for is told.
 */
#include <linux/bitmap.h>
#include <linux/iova_bitmap.h>
#include <linux/vfio.h>
#include <tessera/memory.h>
#include "base/mdev.h"
#include "base/parts.h"
#include "chunk.h"
#include "log.h"

/* Pages of an entry: a power of two of bits that a value of an xarray has */
#define LOG_GROUP 32

static void log_mark_group(struct tess_mdev_log *log, unsigned long group, u32 bits)
{
	void *entry = xa_load(&log->pages, group);
	unsigned long had = entry ? xa_to_value(entry) : 0;

	if ((had | bits) == had)
		return;
	entry = xa_store(&log->pages, group, xa_mk_value(had | bits), GFP_KERNEL_ACCOUNT);
	if (xa_is_err(entry))
		log->all = true;
}

/* @pages: bits of @count pages from page @first on */
static void log_mark(struct tess_mdev_log *log, u64 first, const unsigned long *pages,
		     unsigned int count)
{
	unsigned long group = first / LOG_GROUP, of;
	unsigned int bit;
	u32 bits = 0;

	for_each_set_bit(bit, pages, count) {
		of = (first + bit) / LOG_GROUP;
		if (of != group) {
			log_mark_group(log, group, bits);
			group = of;
			bits = 0;
		}
		bits |= BIT((first + bit) % LOG_GROUP);
	}
	log_mark_group(log, group, bits);
}

/* ---- gathering ---- */

/* True: bits were found, and are no more in stage 2 */
static bool log_gather_chunk(const struct tess_mdev_part *part, const struct tess_mdev_chunk *chunk)
{
	u64 gpa = chunk->pin.first << PAGE_SHIFT, size = (u64)chunk->pin.npages << PAGE_SHIFT;
	DECLARE_BITMAP(dirty, TESS_MDEV_CHUNK_PAGES) = {};
	struct tess_mdev_log *log = &part->tm->dma.log;

	if (chunk->coming || !(chunk->prot & TESS_AS_WRITE))
		return false;
	if (tess_as_dirty(part->as, gpa, size, dirty))
		log->all = true;
	if (bitmap_empty(dirty, chunk->pin.npages))
		return false;
	log_mark(log, chunk->pin.first, dirty, chunk->pin.npages);
	return true;
}

static void log_gather_part(struct tess_mdev *tm, const struct tess_mdev_part *part, u64 first,
			    u64 last)
{
	struct tess_mdev_chunk *chunk;
	unsigned long index = first;
	bool found = false;

	mt_for_each(&tm->dma.chunks, chunk, index, last)
		found |= log_gather_chunk(part, chunk);
	if (found && tess_as_dirty_end(part->as))
		tm->dma.log.all = true;
}

/* From chunks with pages from @first to @last */
static void log_gather(struct tess_mdev *tm, u64 first, u64 last)
{
	unsigned int i;

	lockdep_assert_held(&tm->dma.lock);
	for (i = 0; i < tm->parts.count; i++)
		log_gather_part(tm, tm->parts.part[i], first, last);
}

u32 tess_mdev_log_prot(const struct tess_mdev *tm)
{
	lockdep_assert_held(&tm->dma.lock);
	return tm->dma.log.on ? TESS_AS_CLEAN : 0;
}

void tess_mdev_log_left(struct tess_mdev *tm, const struct tess_mdev_chunk *chunk,
			const unsigned long *dirty)
{
	DECLARE_BITMAP(all, TESS_MDEV_CHUNK_PAGES);

	lockdep_assert_held(&tm->dma.lock);
	if (!tm->dma.log.on || !(chunk->prot & TESS_AS_WRITE))
		return;
	bitmap_fill(all, TESS_MDEV_CHUNK_PAGES);
	log_mark(&tm->dma.log, chunk->pin.first, dirty ?: all, chunk->pin.npages);
}

void tess_mdev_log_move(struct tess_mdev *tm)
{
	lockdep_assert_held(&tm->dma.lock);
	if (tm->dma.log.on)
		log_gather(tm, 0, ULONG_MAX);
}

/* ---- telling ---- */

/* Of pages from @first to @last, those of a group; what is beyond stays for another call */
static u32 log_take_group(struct tess_mdev *tm, unsigned long group, u64 first, u64 last)
{
	struct tess_mdev_log *log = &tm->dma.log;
	u32 mask = ~0, bits;
	void *entry;

	guard(mutex)(&tm->dma.lock);
	entry = xa_load(&log->pages, group);
	if (!entry)
		return 0;
	if (group == first / LOG_GROUP)
		mask &= GENMASK(LOG_GROUP - 1, first % LOG_GROUP);
	if (group == last / LOG_GROUP)
		mask &= GENMASK(last % LOG_GROUP, 0);
	bits = xa_to_value(entry);
	if (!(bits & ~mask))
		xa_erase(&log->pages, group);
	else if (xa_is_err(xa_store(&log->pages, group, xa_mk_value(bits & ~mask),
				    GFP_KERNEL_ACCOUNT)))
		log->all = true;
	return bits & mask;
}

static void log_tell_group(struct iova_bitmap *dirty, unsigned long group, u32 bits)
{
	unsigned long map = bits, start, end;

	for_each_set_bitrange(start, end, &map, LOG_GROUP)
		iova_bitmap_set(dirty, (group * LOG_GROUP + start) << PAGE_SHIFT,
				(end - start) << PAGE_SHIFT);
}

static void log_tell(struct tess_mdev *tm, u64 first, u64 last, struct iova_bitmap *dirty)
{
	unsigned long group, end = last / LOG_GROUP;
	void *entry;
	u32 bits;

	xa_for_each_range(&tm->dma.log.pages, group, entry, first / LOG_GROUP, end) {
		bits = log_take_group(tm, group, first, last);
		if (bits)
			log_tell_group(dirty, group, bits);
		cond_resched();
	}
}

/* ---- what VFIO asks ---- */

static int log_start(struct vfio_device *vdev, struct rb_root_cached *ranges, u32 nodes,
		     u64 *page_size)
{
	struct tess_mdev *tm = to_tess_mdev(vdev);
	struct tess_mdev_log *log = &tm->dma.log;

	guard(mutex)(&tm->dma.lock);
	if (log->on)
		return -EINVAL;
	*page_size = PAGE_SIZE;
	log->on = true;
	/* What was written before is nobody's business */
	log_gather(tm, 0, ULONG_MAX);
	xa_destroy(&log->pages);
	return 0;
}

static int log_stop(struct vfio_device *vdev)
{
	tess_mdev_log_end(to_tess_mdev(vdev));
	return 0;
}

static int log_read_and_clear(struct vfio_device *vdev, unsigned long iova, unsigned long length,
			      struct iova_bitmap *dirty)
{
	u64 first = iova >> PAGE_SHIFT, last = (iova + length - 1) >> PAGE_SHIFT;
	struct tess_mdev *tm = to_tess_mdev(vdev);
	bool all;

	scoped_guard(mutex, &tm->dma.lock)
	{
		if (!tm->dma.log.on)
			return -EINVAL;
		log_gather(tm, first, last);
		all = tm->dma.log.all;
	}
	if (all)
		iova_bitmap_set(dirty, first << PAGE_SHIFT, (last - first + 1) << PAGE_SHIFT);
	else
		log_tell(tm, first, last, dirty);
	return 0;
}

static const struct vfio_log_ops tess_mdev_log_ops = {
	.log_start = log_start,
	.log_stop = log_stop,
	.log_read_and_clear = log_read_and_clear,
};

void tess_mdev_log_init(struct tess_mdev *tm)
{
	xa_init(&tm->dma.log.pages);
	/* VFIO has no bitmaps to tell it with otherwise */
	if (IS_ENABLED(CONFIG_IOMMUFD_DRIVER))
		tm->vdev.log_ops = &tess_mdev_log_ops;
}

void tess_mdev_log_fini(struct tess_mdev *tm)
{
	xa_destroy(&tm->dma.log.pages);
}

void tess_mdev_log_end(struct tess_mdev *tm)
{
	struct tess_mdev_log *log = &tm->dma.log;

	guard(mutex)(&tm->dma.lock);
	log->on = false;
	log->all = false;
	xa_destroy(&log->pages);
}
