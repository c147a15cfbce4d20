// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: direct mappings
 *
 * Three things of a vGPU are mapped into the VMM and from there into the guest: the
 * doorbell pages, the composition page, and VRAM; a fourth only into the VMM, to be read: the
 * VRAM that display head 0 shows. They are faulted in, not mapped in
 * mmap(), because what is behind them changes: a vslice moves, a GPU goes away. VRAM is
 * mapped 2 MiB at a time where the addresses allow.
 *
 * A fault handler must not fail with SIGBUS, which would stop the VM for something that
 * only concerns its GPU. Where there is nothing to map, be it a vslice without a slice
 * (doorbell.c) or a GPU that is gone, it maps a page of ordinary memory (parking page).
 * Each vGPU has its own, or it would be a channel between VMs.
 *
 * What is mapped is withdrawn when it becomes somebody else's, from page tables, and by that from a
 * guest. It could not be withdrawn from an IOMMU: VFIO's type1 container maps VM_PFNMAP memory
 * for an assigned device that is in the same VM, and is told of no change. So the mappings are
 * VM_MIXEDMAP, of which it takes pages only, and with VM_IO none of these. The VMM is told that
 * they cannot be mapped, and goes on: no assigned device reaches a vGPU's BARs.
 *
 * KVM does not take a page fault: it looks for an entry, has it made by fixup_user_fault() if there
 * is none, and looks again. An entry that was withdrawn in between is an error for it (EFAULT),
 * and for a VMM the end of its machine; and a doorbell is withdrawn right after it was asked for,
 * because asking is what gives its vslice a turn. KVM begins anew, however often, if the handler
 * let go of the lock of the address space. So it does, for such callers.
 */
#include <linux/mm.h>
#include <linux/pfn.h>
#include <tessera/compat.h>
#include "area.h"
#include "base/mdev.h"
#include "base/region.h"
#include "base/vram.h"
#include "doorbell.h"
#include "mmap.h"

static u64 region_offset(const struct vm_area_struct *vma, unsigned long addr)
{
	u64 off = ((u64)vma->vm_pgoff << PAGE_SHIFT) + (addr - vma->vm_start);

	return off & TESS_MDEV_REGION_MASK;
}

static unsigned int region_index(const struct vm_area_struct *vma)
{
	return (u64)vma->vm_pgoff >> (TESS_MDEV_REGION_SHIFT - PAGE_SHIFT);
}

static vm_fault_t mmap_composition_fault(struct tess_mdev *tm, struct vm_area_struct *vma,
					 unsigned long addr)
{
	return tess_mdev_insert(vma, addr,
				page_to_phys(tm->dead ? tm->parking : tm->page.mapped));
}

/* What to return for an entry that was made; see above */
static vm_fault_t mmap_made(struct vm_fault *vmf, vm_fault_t ret)
{
	if (ret != VM_FAULT_NOPAGE || !fault_flag_allow_retry_first(vmf->flags) ||
	    vmf->flags & (FAULT_FLAG_USER | FAULT_FLAG_RETRY_NOWAIT))
		return ret;
	release_fault_lock(vmf);
	return VM_FAULT_RETRY;
}

static vm_fault_t mmap_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct tess_mdev *tm = vma->vm_private_data;
	unsigned long addr = vmf->address & PAGE_MASK;
	u64 off = region_offset(vma, addr), len;
	phys_addr_t phys;

	atomic64_inc(&tm->stats.mmap_faults);
	/* What can't be mapped was refused by mmap() */
	if (region_index(vma) == TESS_BAR_REGS && off != TESS_COMPOSITION_PAGE)
		return tess_mdev_doorbell_fault(tm, vmf, (off - TESS_DOORBELL_PAGE(0)) /
							 TESS_PAGE_SIZE);
	guard(rwsem_read)(&tm->map_lock);
	switch (region_index(vma)) {
	case TESS_BAR_VRAM:
		phys = tm->dead ? 0 : tess_mdev_vram_phys(tm, off, &len);
		/* Also for a load: a store that follows does not fault */
		if (phys)
			tess_mdev_touch(tm, off, PAGE_SIZE);
		return tess_mdev_insert_vram(tm, vma, addr, phys);
	case TESS_MDEV_PICTURE_REGION:
		return tess_mdev_insert_vram(tm, vma, addr, tess_mdev_picture_phys(tm, 0, off));
	default:
		return mmap_composition_fault(tm, vma, addr);
	}
}

static vm_fault_t tess_mdev_fault(struct vm_fault *vmf)
{
	return mmap_made(vmf, mmap_fault(vmf));
}

#ifdef CONFIG_ARCH_SUPPORTS_PMD_PFNMAP
static vm_fault_t mmap_huge_fault(struct vm_fault *vmf, unsigned int order)
{
	struct vm_area_struct *vma = vmf->vma;
	struct tess_mdev *tm = vma->vm_private_data;
	unsigned long addr = vmf->address & PMD_MASK;
	vm_fault_t ret = VM_FAULT_FALLBACK;
	u64 off, len;
	phys_addr_t phys;

	if (order != PMD_ORDER || region_index(vma) != TESS_BAR_VRAM || addr < vma->vm_start ||
	    addr + PMD_SIZE > vma->vm_end)
		return VM_FAULT_FALLBACK;
	off = region_offset(vma, addr);
	down_read(&tm->map_lock);
	phys = tm->dead ? 0 : tess_mdev_vram_phys(tm, off, &len);
	/* Memory of the host has no such entries in mixed mappings */
	if (phys && !pfn_valid(PHYS_PFN(phys)) && IS_ALIGNED(phys, PMD_SIZE) && len >= PMD_SIZE) {
		atomic64_inc(&tm->stats.mmap_faults);
		tess_mdev_touch(tm, off, PMD_SIZE);
		ret = vmf_insert_pfn_pmd(vmf, tess_pfn_arg(PHYS_PFN(phys)),
					 vmf->flags & FAULT_FLAG_WRITE);
	}
	up_read(&tm->map_lock);
	return ret;
}

static vm_fault_t tess_mdev_huge_fault(struct vm_fault *vmf, unsigned int order)
{
	return mmap_made(vmf, mmap_huge_fault(vmf, order));
}
#endif

static const struct vm_operations_struct tess_mdev_vm_ops = {
	.fault = tess_mdev_fault,
#ifdef CONFIG_ARCH_SUPPORTS_PMD_PFNMAP
	.huge_fault = tess_mdev_huge_fault,
#endif
};

static bool area_covers(const struct tess_mdev_area *area, unsigned int index, u64 off, u64 size)
{
	return index == area->index && off >= area->off && size <= area->size &&
	       off - area->off <= area->size - size;
}

/* Of memory of the device; x86 maps a parking page as the memory that it is all the same */
static pgprot_t area_prot(unsigned int area, pgprot_t prot)
{
	switch (area) {
	case TESS_MDEV_AREA_VRAM:
	case TESS_MDEV_AREA_PICTURE:
		return pgprot_writecombine(prot);
	case TESS_MDEV_AREA_DOORBELLS:
		return pgprot_noncached(prot);
	default:
		return prot;
	}
}

/**
 * tess_mdev_mmap() - map a part of the device
 * @vdev: device
 * @vma: VMA
 *
 * Return: 0; -EINVAL not a part of one area that can be mapped, a private mapping, or one of the
 * picture that could be written.
 */
int tess_mdev_mmap(struct vfio_device *vdev, struct vm_area_struct *vma)
{
	struct tess_mdev *tm = to_tess_mdev(vdev);
	u64 off = region_offset(vma, vma->vm_start), size = vma->vm_end - vma->vm_start;
	struct tess_mdev_area areas[TESS_MDEV_AREA_COUNT];
	unsigned int i;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	scoped_guard(rwsem_read, &tm->map_lock)
		tess_mdev_get_areas(tm, areas);
	for (i = 0; i < TESS_MDEV_AREA_COUNT; i++) {
		if (area_covers(&areas[i], region_index(vma), off, size))
			break;
	}
	if (i == TESS_MDEV_AREA_COUNT)
		return -EINVAL;
	if (i == TESS_MDEV_AREA_PICTURE) {
		if (vma->vm_flags & VM_WRITE)
			return -EINVAL;
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	vma->vm_page_prot = area_prot(i, vma->vm_page_prot);
	vm_flags_set(vma, VM_IO | VM_MIXEDMAP | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_private_data = tm;
	vma->vm_ops = &tess_mdev_vm_ops;
	return 0;
}
