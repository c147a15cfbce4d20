// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: doorbells
 *
 * The doorbell page of a vslice is that of the slice that runs it, mapped into the
 * guest. While no slice does, it is a *parking page*: memory of the host, one page for
 * each vslice, or it would be a channel between guests. It is faulted in at the first
 * access, which is how the host learns that a parked vslice has work. Later stores go
 * to the page without anybody's help and each replaces the one before, as it would in
 * the register. When the vslice is on a slice again, the page is withdrawn and what it
 * holds is forwarded.
 *
 * What is mapped must change together with who runs where. A store of this guest that
 * reached a slice after it was given to another client would move that client's ring.
 * The core publishes the answer of tess_vslice_doorbell_phys() before it calls back, and
 * the page fault asks for it and inserts what it says in one section that holds
 * &tess_mdev.doorbell_lock; the call-backs take the same lock, under that of a slice, which others
 * share. So nothing is allocated under it: a page fault makes the page table first. Of each page
 * fault one of three is true:
 *
 * - It began after the call-back had the lock: it sees the new answer.
 * - It ended before that and inserted what was right before: the call-back withdraws
 *   it, with all TLBs flushed, before it returns, which is before the core goes on.
 * - It did not insert anything.
 *
 * It follows that no doorbell of a slice is mapped when parked() returns, and no parking
 * page when resumed() has zapped. Therefore resumed() zaps first and reads the parking
 * page then: what was stored until the zap is in the page, and what is stored later
 * faults, and finds the slice. It finds it when resumed() has let the lock go, and that is
 * after the value of the page was forwarded: it must not overwrite a newer one.
 *
 * Nor is anything lost between the store and the core's knowledge of it: wherever a
 * parking page was mapped, the core was told in the same section, so that resumed()
 * follows. The one exception is a page that is mapped after the core's answer changed and
 * before parked() has the lock: that mapping goes, but what was stored through it does
 * not, and parked() tells the core.
 *
 * Zero stands for "nothing was stored": the register reads as zero, and a store of zero
 * to the doorbell of a ring says nothing new. It has to be one store of 64 bits, as
 * Documentation/hw/registers.rst has it; halves around a zap would be taken for two
 * values.
 *
 * Parking pages outlive all resets that the guest can cause, but not what is in them: a
 * value that was stored before a reset must not reach the ring that is set up after it.
 */
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <tessera/inject.h>
#include <tessera/vgpu.h>
#include <tessera/vslice.h>
#include "area.h"
#include "base/mdev.h"
#include "base/parts.h"
#include "base/region.h"
#include "doorbell.h"

static u64 *doorbell_parked_value(const struct tess_mdev *tm, unsigned int vslice)
{
	return page_address(tm->doorbells[vslice].parking) + TESS_DOORBELL_WPTR;
}

u64 tess_mdev_doorbell_parked(const struct tess_mdev *tm, unsigned int vslice)
{
	return le64_to_cpu((__force __le64)READ_ONCE(*doorbell_parked_value(tm, vslice)));
}

/* ---- mappings ---- */

static void doorbell_zap_locked(struct tess_mdev *tm, unsigned int vslice)
{
	struct tess_mdev_doorbell *db = &tm->doorbells[vslice];

	lockdep_assert_held(&tm->doorbell_lock);
	if (!db->mapped)
		return;
	unmap_mapping_range(tm->vdev.inode->i_mapping,
			    TESS_MDEV_REGION_OFFSET(TESS_BAR_REGS) + TESS_DOORBELL_PAGE(vslice),
			    TESS_PAGE_SIZE, true);
	db->mapped = false;
}

static void doorbell_zap_all_locked(struct tess_mdev *tm)
{
	unsigned int i;

	for (i = 0; i < tm->nr_doorbells; i++)
		doorbell_zap_locked(tm, i);
}

void tess_mdev_doorbells_zap(struct tess_mdev *tm)
{
	mutex_lock(&tm->doorbell_lock);
	doorbell_zap_all_locked(tm);
	mutex_unlock(&tm->doorbell_lock);
}

static vm_fault_t doorbell_fault_locked(struct tess_mdev *tm, struct vm_area_struct *vma,
					unsigned long addr, unsigned int vslice)
{
	const struct tess_mdev_vslice vs = tess_mdev_find(&tm->parts, vslice);
	struct tess_mdev_doorbell *db = &tm->doorbells[vslice];
	phys_addr_t phys;
	vm_fault_t ret;

	lockdep_assert_held(&tm->doorbell_lock);
	db->mapped = true;
	phys = tm->dead ? 0 : tess_vslice_doorbell_phys(vs.vgpu, vs.index);
	if (phys)
		return tess_mdev_insert(vma, addr, phys);
	ret = tess_mdev_insert(vma, addr, page_to_phys(db->parking));
	if (!tm->dead)
		tess_vslice_wake(vs.vgpu, vs.index);
	return ret;
}

/* Charged to the VMM, which can be out of memory: nobody else is to wait for it */
static int doorbell_make_table(struct vm_fault *vmf, unsigned long addr)
{
	tess_hold(TESS_HOLD_TABLE);
	if (!pmd_none(*vmf->pmd))
		return 0;
	return apply_to_page_range(vmf->vma->vm_mm, addr, PAGE_SIZE, NULL, NULL);
}

vm_fault_t tess_mdev_doorbell_fault(struct tess_mdev *tm, struct vm_fault *vmf,
				    unsigned int vslice)
{
	unsigned long addr = vmf->address & PAGE_MASK;
	struct vm_area_struct *vma = vmf->vma;

	if (doorbell_make_table(vmf, addr))
		return VM_FAULT_OOM;
	guard(mutex)(&tm->doorbell_lock);
	return doorbell_fault_locked(tm, vma, addr, vslice);
}

/* ---- call-backs of the core ---- */

void tess_mdev_parked(struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_mdev_part *part = tess_vgpu_priv(vgpu);
	struct tess_mdev *tm = part->tm;

	mutex_lock(&tm->doorbell_lock);
	doorbell_zap_locked(tm, part->first + vslice);
	mutex_unlock(&tm->doorbell_lock);
	if (tess_mdev_doorbell_parked(tm, part->first + vslice))
		tess_vslice_wake(vgpu, vslice);
}

bool tess_mdev_resumed(struct tess_vgpu *vgpu, unsigned int vslice, u64 *wptr)
{
	struct tess_mdev_part *part = tess_vgpu_priv(vgpu);
	struct tess_mdev *tm = part->tm;
	u64 *value, parked;

	mutex_lock(&tm->doorbell_lock);
	doorbell_zap_locked(tm, part->first + vslice);
	value = doorbell_parked_value(tm, part->first + vslice);
	parked = le64_to_cpu((__force __le64)xchg(value, 0));
	if (parked)
		tess_vslice_forward(vgpu, vslice, parked);
	mutex_unlock(&tm->doorbell_lock);
	return false;
}

void tess_mdev_doorbells_follow(struct tess_mdev *tm)
{
	struct tess_mdev_vslice vs;
	unsigned int i;

	lockdep_assert_held(&tm->doorbell_lock);
	/* Stores to what stayed mapped would reach a page that nobody looks at any more */
	doorbell_zap_all_locked(tm);
	for (i = 0; i < tm->vslices; i++) {
		if (!tess_mdev_doorbell_parked(tm, i))
			continue;
		vs = tess_mdev_find(&tm->parts, i);
		tess_vslice_wake(vs.vgpu, vs.index);
	}
}

/* ---- resets ---- */

void tess_mdev_doorbell_forget(struct tess_mdev *tm, unsigned int vslice)
{
	mutex_lock(&tm->doorbell_lock);
	doorbell_zap_locked(tm, vslice);
	WRITE_ONCE(*doorbell_parked_value(tm, vslice), 0);
	mutex_unlock(&tm->doorbell_lock);
}

void tess_mdev_doorbell_store(struct tess_mdev *tm, unsigned int vslice, u64 value)
{
	const struct tess_mdev_vslice vs = tess_mdev_find(&tm->parts, vslice);

	mutex_lock(&tm->doorbell_lock);
	WRITE_ONCE(*doorbell_parked_value(tm, vslice), (__force u64)cpu_to_le64(value));
	mutex_unlock(&tm->doorbell_lock);
	if (value)
		tess_vslice_wake(vs.vgpu, vs.index);
}

void tess_mdev_doorbells_reset(struct tess_mdev *tm)
{
	unsigned int i;

	mutex_lock(&tm->doorbell_lock);
	doorbell_zap_all_locked(tm);
	for (i = 0; i < tm->nr_doorbells; i++)
		clear_highpage(tm->doorbells[i].parking);
	mutex_unlock(&tm->doorbell_lock);
}

/* ---- life ---- */

static void doorbell_add_page(struct tess_mdev *tm, struct page *page)
{
	mutex_lock(&tm->doorbell_lock);
	tm->doorbells[tm->nr_doorbells++].parking = page;
	mutex_unlock(&tm->doorbell_lock);
}

int tess_mdev_doorbells_grow(struct tess_mdev *tm, unsigned int count)
{
	if (count > TESS_MAX_SLICES)
		return -EINVAL;
	while (tm->nr_doorbells < count) {
		struct page *page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);

		if (!page)
			return -ENOMEM;
		doorbell_add_page(tm, page);
	}
	return 0;
}

/* No vGPU has a vslice there, and none of the pages is mapped */
void tess_mdev_doorbells_trim(struct tess_mdev *tm, unsigned int count)
{
	mutex_lock(&tm->doorbell_lock);
	while (tm->nr_doorbells > count)
		__free_page(tm->doorbells[--tm->nr_doorbells].parking);
	mutex_unlock(&tm->doorbell_lock);
}
