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
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <tessera/compat.h>
#include "device.h"
#include "mmap.h"

/**
 * struct tess_mdev_area - part of a region that can be mapped
 * @index: VFIO region
 * @off: in the region
 * @size: bytes
 */
struct tess_mdev_area {
	unsigned int index;
	u64 off;
	u64 size;
};

enum { AREA_COMPOSITION, AREA_DOORBELLS, AREA_VRAM, AREA_PICTURE, AREA_COUNT };

/* What the composition that there is has to map, which another may replace at any time */
static void get_areas(const struct tess_mdev *tm, struct tess_mdev_area areas[AREA_COUNT])
{
	lockdep_assert_held(&tm->map_lock);
	areas[AREA_COMPOSITION] = (struct tess_mdev_area) {
		.index = TESS_BAR_REGS,
		.off = TESS_COMPOSITION_PAGE,
		.size = TESS_PAGE_SIZE,
	};
	areas[AREA_DOORBELLS] = (struct tess_mdev_area) {
		.index = TESS_BAR_REGS,
		.off = TESS_DOORBELL_PAGE(0),
		.size = tm->vslices * TESS_PAGE_SIZE,
	};
	areas[AREA_VRAM] = (struct tess_mdev_area) {
		.index = TESS_BAR_VRAM,
		.size = tm->vram ? tm->vram->size : 0,
	};
	areas[AREA_PICTURE] = (struct tess_mdev_area) {
		.index = TESS_MDEV_PICTURE_REGION,
		.size = tess_mdev_region_size(tm, TESS_MDEV_PICTURE_REGION),
	};
}

int tess_mdev_region_areas(struct tess_mdev *tm, struct vfio_region_info *info,
			   struct vfio_info_cap *caps)
{
	DEFINE_RAW_FLEX(struct vfio_region_info_cap_sparse_mmap, sparse, areas, AREA_COUNT);
	struct tess_mdev_area areas[AREA_COUNT];
	unsigned int i, n = 0;

	scoped_guard(rwsem_read, &tm->map_lock)
		get_areas(tm, areas);
	for (i = 0; i < AREA_COUNT; i++) {
		if (areas[i].index != info->index || !areas[i].size)
			continue;
		sparse->areas[n].offset = areas[i].off;
		sparse->areas[n++].size = areas[i].size;
	}
	if (!n)
		return 0;
	info->flags |= VFIO_REGION_INFO_FLAG_MMAP;
	sparse->header.id = VFIO_REGION_INFO_CAP_SPARSE_MMAP;
	sparse->header.version = 1;
	sparse->nr_areas = n;
	return vfio_info_add_capability(caps, &sparse->header, struct_size(sparse, areas, n));
}

static u64 region_offset(const struct vm_area_struct *vma, unsigned long addr)
{
	u64 off = ((u64)vma->vm_pgoff << PAGE_SHIFT) + (addr - vma->vm_start);

	return off & TESS_MDEV_REGION_MASK;
}

static unsigned int region_index(const struct vm_area_struct *vma)
{
	return (u64)vma->vm_pgoff >> (TESS_MDEV_REGION_SHIFT - PAGE_SHIFT);
}

void tess_mdev_touch(struct tess_mdev *tm, u64 off, u64 size)
{
	unsigned long *touched = tm->parts.part[0]->touched;
	u64 block;

	lockdep_assert_held(&tm->map_lock);
	for (block = off / TESS_VRAM_BLOCK; block <= (off + size - 1) / TESS_VRAM_BLOCK; block++)
		set_bit(block, touched);
}

static phys_addr_t picture_phys(const struct tess_mdev *tm, u64 off)
{
	const struct tess_mdev_plane *picture = tess_mdev_picture(tm);
	u64 len;

	return picture ? tess_mdev_vram_phys(tm, picture->address + off, &len) : 0;
}

vm_fault_t tess_mdev_insert(struct vm_area_struct *vma, unsigned long addr, phys_addr_t phys)
{
	return vmf_insert_mixed(vma, addr, tess_pfn_arg(PHYS_PFN(phys)));
}

static vm_fault_t vram_fault(struct tess_mdev *tm, struct vm_area_struct *vma,
			     unsigned long addr, phys_addr_t phys)
{
	return tess_mdev_insert(vma, addr, phys ?: page_to_phys(tm->parking));
}

static vm_fault_t composition_fault(struct tess_mdev *tm, struct vm_area_struct *vma,
				    unsigned long addr)
{
	return tess_mdev_insert(vma, addr,
				page_to_phys(tm->dead ? tm->parking : tm->bars.comp_page));
}

/* What to return for an entry that was made; see above */
static vm_fault_t made(struct vm_fault *vmf, vm_fault_t ret)
{
	if (ret != VM_FAULT_NOPAGE || !fault_flag_allow_retry_first(vmf->flags) ||
	    vmf->flags & (FAULT_FLAG_USER | FAULT_FLAG_RETRY_NOWAIT))
		return ret;
	release_fault_lock(vmf);
	return VM_FAULT_RETRY;
}

static vm_fault_t fault(struct vm_fault *vmf)
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
		return vram_fault(tm, vma, addr, phys);
	case TESS_MDEV_PICTURE_REGION:
		return vram_fault(tm, vma, addr, picture_phys(tm, off));
	default:
		return composition_fault(tm, vma, addr);
	}
}

static vm_fault_t tess_mdev_fault(struct vm_fault *vmf)
{
	return made(vmf, fault(vmf));
}

#ifdef CONFIG_ARCH_SUPPORTS_PMD_PFNMAP
static vm_fault_t huge_fault(struct vm_fault *vmf, unsigned int order)
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
	if (phys && IS_ALIGNED(phys, PMD_SIZE) && len >= PMD_SIZE) {
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
	return made(vmf, huge_fault(vmf, order));
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
	case AREA_VRAM:
	case AREA_PICTURE:
		return pgprot_writecombine(prot);
	case AREA_DOORBELLS:
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
	struct tess_mdev_area areas[AREA_COUNT];
	unsigned int i;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	scoped_guard(rwsem_read, &tm->map_lock)
		get_areas(tm, areas);
	for (i = 0; i < AREA_COUNT; i++) {
		if (area_covers(&areas[i], region_index(vma), off, size))
			break;
	}
	if (i == AREA_COUNT)
		return -EINVAL;
	if (i == AREA_PICTURE) {
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

static void zap_area(struct tess_mdev *tm, const struct tess_mdev_area *area)
{
	if (area->size)
		unmap_mapping_range(tm->vdev.inode->i_mapping,
				    TESS_MDEV_REGION_OFFSET(area->index) + area->off,
				    area->size, true);
}

void tess_mdev_zap(struct tess_mdev *tm)
{
	struct tess_mdev_area areas[AREA_COUNT];
	unsigned int i;

	get_areas(tm, areas);
	for (i = 0; i < AREA_COUNT; i++)
		zap_area(tm, &areas[i]);
}

void tess_mdev_take_touched(struct tess_mdev *tm, struct tess_mdev_part *part)
{
	const struct tess_vram *vram = tess_vgpu_vram(part->vgpu);
	struct tess_mdev_area areas[AREA_COUNT];
	unsigned int count;

	if (!vram)
		return;
	count = TESS_VRAM_BLOCKS(vram);
	guard(rwsem_write)(&tm->map_lock);
	bitmap_copy(part->blocks, part->touched, count);
	if (bitmap_empty(part->touched, count))
		return;
	get_areas(tm, areas);
	zap_area(tm, &areas[AREA_VRAM]);
	bitmap_zero(part->touched, count);
}

void tess_mdev_zap_picture(struct tess_mdev *tm)
{
	struct tess_mdev_area areas[AREA_COUNT];

	get_areas(tm, areas);
	zap_area(tm, &areas[AREA_PICTURE]);
}
