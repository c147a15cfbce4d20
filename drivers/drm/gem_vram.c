// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: VRAM and the CPU
 *
 * The CPU maps VRAM through the BAR. A fault inserts the 2 MiB around it at once: under
 * nested paging the first touch page by page costs a hundred times more.
 */
#include <linux/mm.h>
#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include "device.h"
#include "gem.h"

#define TESS_FAULT_AROUND	(2UL << 20)

/**
 * tess_vram_mmap() - the CPU maps a BO in VRAM
 * @obj: of the BO
 * @vma: mapping
 *
 * Return: 0, -EINVAL it is private.
 */
int tess_vram_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	/* Copy on write needs pages. */
	if (is_cow_mapping(vma->vm_flags))
		return -EINVAL;

	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_page_prot = pgprot_writecombine(vm_get_page_prot(vma->vm_flags));
	return 0;
}

/* Physical address of a page of the BAR, and how many follow it */
static bool tess_vram_lookup(const struct tess_device *tdev, const struct tess_vram *vram,
			     u64 offset, phys_addr_t *phys, u64 *left)
{
	unsigned int i;

	for (i = 0; i < vram->count; i++) {
		const struct tess_vram_extent *extent = &vram->extent[i];

		if (offset < extent->size) {
			*phys = tdev->info.vram_phys + extent->offset + offset;
			*left = extent->size - offset;
			return true;
		}
		offset -= extent->size;
	}
	return false;
}

static vm_fault_t tess_vram_insert(struct vm_fault *vmf, struct tess_bo *bo)
{
	struct drm_gem_object *obj = &bo->shmem.base;
	struct tess_device *tdev = to_tess_device(obj->dev);
	struct vm_area_struct *vma = vmf->vma;
	unsigned long addr = vmf->address & PAGE_MASK;
	pgoff_t first = drm_vma_node_start(&obj->vma_node);
	vm_fault_t ret = VM_FAULT_SIGBUS;
	unsigned long end, pos;
	phys_addr_t phys;
	u64 left;

	if (vmf->pgoff < first || !bo->vram ||
	    !tess_vram_lookup(tdev, bo->vram, (u64)(vmf->pgoff - first) << PAGE_SHIFT, &phys,
			      &left))
		return ret;

	end = min(vma->vm_end, ALIGN(addr + 1, TESS_FAULT_AROUND));
	if (left < end - addr)
		end = addr + left;

	for (pos = addr; pos < end; pos += PAGE_SIZE) {
		vm_fault_t err = vmf_insert_pfn(vma, pos, PHYS_PFN(phys + (pos - addr)));

		if (pos == addr)
			ret = err;
		if (err != VM_FAULT_NOPAGE)
			break;
	}
	return ret;
}

static vm_fault_t tess_vram_fault(struct vm_fault *vmf)
{
	struct drm_gem_object *obj = vmf->vma->vm_private_data;
	vm_fault_t ret;
	int idx;

	if (!drm_dev_enter(obj->dev, &idx))
		return VM_FAULT_SIGBUS;
	ret = tess_vram_insert(vmf, to_tess_bo(obj));
	drm_dev_exit(idx);
	return ret;
}

const struct vm_operations_struct tess_vram_vm_ops = {
	.fault = tess_vram_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};
