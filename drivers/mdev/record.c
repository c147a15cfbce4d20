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
#include <linux/vmalloc.h>
#include "device.h"

static void *map_guest(struct tess_mdev *tm, struct tess_mdev_record *rec)
{
	void *map;

	if (!tm->dma.open ||
	    vfio_pin_pages(&tm->vdev, rec->gpa & PAGE_MASK, 1, IOMMU_READ | IOMMU_WRITE,
			   &rec->page) != 1) {
		rec->page = NULL;
		return NULL;
	}
	map = vmap(&rec->page, 1, VM_MAP, PAGE_KERNEL);
	if (!map) {
		vfio_unpin_pages(&tm->vdev, rec->gpa & PAGE_MASK, 1);
		rec->page = NULL;
		return NULL;
	}
	atomic64_inc(&tm->stats.pinned_pages);
	return map;
}

/* The GPU writes to it; it is only not looked at */
static bool is_refused(const struct tess_mdev_record *rec)
{
	return rec->gpa >= TESS_PA_VRAM;
}

static void attach(struct tess_mdev *tm, unsigned int vslice)
{
	const struct tess_mdev_vslice vs = tess_mdev_find(&tm->parts, vslice);
	struct tess_mdev_record *rec = &tm->records[vslice];

	lockdep_assert_held(&tm->dma.lock);
	rec->map = is_refused(rec) ? NULL : map_guest(tm, rec);
	if (rec->map)
		tess_vslice_set_record(vs.vgpu, vs.index, rec->map + offset_in_page(rec->gpa));
}

static void detach(struct tess_mdev *tm, unsigned int vslice)
{
	const struct tess_mdev_vslice vs = tess_mdev_find(&tm->parts, vslice);
	struct tess_mdev_record *rec = &tm->records[vslice];

	lockdep_assert_held(&tm->dma.lock);
	if (!rec->map)
		return;
	tess_vslice_set_record(vs.vgpu, vs.index, NULL);
	vunmap(rec->map);
	vfio_unpin_pages(&tm->vdev, rec->gpa & PAGE_MASK, 1);
	atomic64_dec(&tm->stats.pinned_pages);
	rec->page = NULL;
	rec->map = NULL;
}

/**
 * tess_mdev_record_update() - follow TESS_SREG_COMPLETION of a vslice
 * @tm: vGPU
 * @vslice: index
 *
 * Asks the register, which knows whether it took the write. An address where there is no
 * memory is no error here: the FENCE that writes to it faults.
 */
void tess_mdev_record_update(struct tess_mdev *tm, unsigned int vslice)
{
	const struct tess_mdev_vslice vs = tess_mdev_find(&tm->parts, vslice);
	struct tess_mdev_record *rec = &tm->records[vslice];
	u64 gpa;

	lockdep_assert_held(&tm->lock);
	if (tess_vslice_reg_read(vs.vgpu, vs.index, TESS_SREG_COMPLETION, 8, &gpa))
		return;
	if (gpa == rec->gpa && (!gpa || rec->map))
		return;
	if (!IS_ALIGNED(gpa, TESS_COMPLETION_RECORD_SIZE))
		gpa = 0;
	tess_mdev_dma_settle(tm);
	mutex_lock(&tm->dma.lock);
	detach(tm, vslice);
	rec->gpa = gpa;
	if (gpa && !READ_ONCE(tm->dead))
		attach(tm, vslice);
	mutex_unlock(&tm->dma.lock);
}

static bool in_guest_range(const struct tess_mdev_record *rec, u64 first, u64 last)
{
	u64 pfn = rec->gpa >> PAGE_SHIFT;

	return rec->gpa && !is_refused(rec) && pfn >= first && pfn <= last;
}

/**
 * tess_mdev_records_restore() - pin records again that were unmapped
 * @tm: vGPU
 * @first: page number
 * @last: page number; there is memory from @first to @last
 */
void tess_mdev_records_restore(struct tess_mdev *tm, u64 first, u64 last)
{
	unsigned int i;

	for (i = 0; i < tm->vslices; i++) {
		if (!tm->records[i].map && in_guest_range(&tm->records[i], first, last))
			attach(tm, i);
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
		if (tm->records[i].map && in_guest_range(&tm->records[i], first, last)) {
			detach(tm, i);
			found = true;
		}
	}
	return found;
}

void tess_mdev_records_drop(struct tess_mdev *tm)
{
	unsigned int i;

	for (i = 0; i < tm->vslices; i++) {
		detach(tm, i);
		tm->records[i].gpa = 0;
	}
}

/* ---- another GPU ---- */

/* Memory of the guest is where it was: only who looks at it is another */
static void follow(struct tess_mdev *tm, unsigned int vslice, struct tess_vgpu *before)
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
			follow(tm, i, before);
}
