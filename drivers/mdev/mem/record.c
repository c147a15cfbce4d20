// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: completion records
 *
 * The core finds out whose work is complete by looking at the completion records of all
 * clients, in memory, when the GPU interrupts. Those of a vGPU are in the memory of its
 * guest: when the guest tells a slice where its record is, the host pins and maps that
 * page too. It is pinned on its own, besides what the GPU touches, so that the life
 * times are independent.
 *
 * A record in VRAM is refused: the core looks at all records in the interrupt that all clients
 * share, and would make them wait for a read over the bus. FENCEs write to it, and raise no
 * interrupt for the guest.
 *
 * A VMM may unmap the page while it is in use, for instance to remap guest memory. The
 * record is then withdrawn from the core, its address remembered, and the page pinned
 * again when the GPU next writes to it and faults.
 */
#include <linux/iommu.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/vslice.h>
#include "base/mdev.h"
#include "base/parts.h"
#include "pin.h"
#include "record.h"

/**
 * struct record_page - page of the guest with a completion record
 * @pin: the page
 * @page: itself, once it is pinned
 */
struct record_page {
	struct tess_mdev_pin pin;
	struct page *page;
};

/* The GPU writes to it; it is only not looked at */
static bool record_is_refused(const struct tess_mdev_record *rec)
{
	return rec->gpa >= TESS_PA_VRAM;
}

/* By tess_mdev_records_pin() */
static void record_want(struct tess_mdev *tm, struct tess_mdev_record *rec)
{
	lockdep_assert_held(&tm->dma.lock);
	rec->wanted = rec->gpa && !record_is_refused(rec);
	if (rec->wanted)
		WRITE_ONCE(tm->dma.owed, true);
}

static void record_detach(struct tess_mdev *tm, unsigned int vslice)
{
	const struct tess_mdev_vslice vs = tess_mdev_find(&tm->parts, vslice);
	struct tess_mdev_record *rec = &tm->records[vslice];

	lockdep_assert_held(&tm->dma.lock);
	if (!rec->map)
		return;
	tess_vslice_set_record(vs.vgpu, vs.index, NULL);
	vunmap(rec->map);
	tess_mdev_pin_drop(tm, rec->pin);
	rec->pin = NULL;
	rec->map = NULL;
}

/**
 * tess_mdev_record_update() - follow TESS_SREG_COMPLETION of a vslice
 * @tm: vGPU
 * @vslice: index
 *
 * Asks the register, which knows whether it took the write. An address where there is no
 * memory is no error here: the FENCE that writes to it faults. The page is pinned when @tm->lock
 * was released, by tess_mdev_dma_follow().
 */
void tess_mdev_record_update(struct tess_mdev *tm, unsigned int vslice)
{
	const struct tess_mdev_vslice vs = tess_mdev_find(&tm->parts, vslice);
	struct tess_mdev_record *rec = &tm->records[vslice];
	u64 gpa;

	lockdep_assert_held(&tm->lock);
	if (tess_vslice_reg_read(vs.vgpu, vs.index, TESS_SREG_COMPLETION, 8, &gpa))
		return;
	guard(mutex)(&tm->dma.lock);
	if (gpa == rec->gpa && (!gpa || rec->map))
		return;
	record_detach(tm, vslice);
	rec->gpa = IS_ALIGNED(gpa, TESS_COMPLETION_RECORD_SIZE) ? gpa : 0;
	record_want(tm, rec);
}

/* ---- pinning ---- */

static struct record_page *record_begin_page(struct tess_mdev *tm, struct tess_mdev_record *rec)
{
	struct record_page *rp;

	guard(mutex)(&tm->dma.lock);
	if (!rec->wanted)
		return NULL;
	rec->wanted = false;
	if (!tm->dma.open || READ_ONCE(tm->dead))
		return NULL;
	rp = kzalloc_obj(*rp);
	if (!rp)
		return NULL;
	rp->pin.first = rec->gpa >> PAGE_SHIFT;
	rp->pin.npages = 1;
	tess_mdev_pin_begin(tm, &rp->pin);
	return rp;
}

/* False: it is of no use any more, as the page was taken away or the record is elsewhere by now */
static bool record_attach(struct tess_mdev *tm, unsigned int vslice, struct record_page *rp,
			  void *map)
{
	struct tess_mdev_record *rec = &tm->records[vslice];
	struct tess_mdev_vslice vs;

	guard(mutex)(&tm->dma.lock);
	if (rp->pin.stale || rec->map || rec->gpa >> PAGE_SHIFT != rp->pin.first ||
	    !tm->dma.open || READ_ONCE(tm->dead))
		return false;
	tess_mdev_pin_end(tm, &rp->pin);
	rec->pin = &rp->pin;
	rec->map = map;
	vs = tess_mdev_find(&tm->parts, vslice);
	tess_vslice_set_record(vs.vgpu, vs.index, map + offset_in_page(rec->gpa));
	return true;
}

static bool record_pin_page(struct tess_mdev *tm, unsigned int vslice, struct record_page *rp)
{
	void *map;

	if (tess_mdev_pin(tm, &rp->pin, IOMMU_READ | IOMMU_WRITE, &rp->page))
		return false;
	map = vmap(&rp->page, 1, VM_MAP, PAGE_KERNEL);
	if (map && record_attach(tm, vslice, rp, map))
		return true;
	vunmap(map);
	tess_mdev_unpin(tm, &rp->pin);
	return false;
}

static void record_pin(struct tess_mdev *tm, unsigned int vslice)
{
	struct record_page *rp = record_begin_page(tm, &tm->records[vslice]);

	if (!rp || record_pin_page(tm, vslice, rp))
		return;
	scoped_guard(mutex, &tm->dma.lock)
		tess_mdev_pin_end(tm, &rp->pin);
	kfree(rp);
}

/**
 * tess_mdev_records_pin() - pin the pages of records that are wanted
 * @tm: vGPU, of which no lock is held
 */
void tess_mdev_records_pin(struct tess_mdev *tm)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tm->records); i++) {
		if (!READ_ONCE(tm->records[i].wanted))
			continue;
		tess_mdev_pins_settle(tm);
		record_pin(tm, i);
	}
}

/* ---- guest memory that goes and comes ---- */

static bool record_is_in_range(const struct tess_mdev_record *rec, u64 first, u64 last)
{
	u64 pfn = rec->gpa >> PAGE_SHIFT;

	return rec->gpa && !record_is_refused(rec) && pfn >= first && pfn <= last;
}

/**
 * tess_mdev_records_restore() - have records pinned again that were unmapped
 * @tm: vGPU
 * @first: page number
 * @last: page number; there is memory from @first to @last
 */
void tess_mdev_records_restore(struct tess_mdev *tm, u64 first, u64 last)
{
	unsigned int i;

	for (i = 0; i < tm->vslices; i++) {
		if (!tm->records[i].map && record_is_in_range(&tm->records[i], first, last))
			record_want(tm, &tm->records[i]);
	}
}

/**
 * tess_mdev_records_unmap() - give pages of records back but keep their addresses
 * @tm: vGPU
 * @first: page number
 * @last: page number
 *
 * Return: true if there was one.
 */
bool tess_mdev_records_unmap(struct tess_mdev *tm, u64 first, u64 last)
{
	bool found = false;
	unsigned int i;

	for (i = 0; i < tm->vslices; i++) {
		if (tm->records[i].map && record_is_in_range(&tm->records[i], first, last)) {
			record_detach(tm, i);
			found = true;
		}
	}
	return found;
}

void tess_mdev_records_drop(struct tess_mdev *tm)
{
	unsigned int i;

	for (i = 0; i < tm->vslices; i++) {
		record_detach(tm, i);
		tm->records[i].gpa = 0;
		tm->records[i].wanted = false;
	}
}

/* ---- another GPU ---- */

/* Memory of the guest is where it was: only who looks at it is another */
static void record_follow(struct tess_mdev *tm, unsigned int vslice, struct tess_vgpu *before)
{
	struct tess_mdev_record *rec = &tm->records[vslice];

	tess_vslice_set_record(before, vslice, NULL);
	tess_vslice_set_record(tess_mdev_first(&tm->parts), vslice,
			       rec->map + offset_in_page(rec->gpa));
}

void tess_mdev_records_commit(struct tess_mdev *tm, struct tess_vgpu *before)
{
	unsigned int i;

	lockdep_assert_held(&tm->dma.lock);
	for (i = 0; i < tm->vslices; i++)
		if (tm->records[i].map)
			record_follow(tm, i, before);
}
