// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: VRAM and the CPU
 *
 * The CPU maps VRAM through the BAR, and a BO that is evicted where it is. A fault inserts the
 * 2 MiB around it at once: under nested paging the first touch page by page costs a hundred times
 * more.
 */
#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/timekeeping.h>
#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <tessera/gpu.h>
#include <tessera/memory.h>
#include "base/device.h"
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

/* Page frame at an offset, and how many bytes follow it in one piece */
static bool tess_vram_lookup(const struct tess_bo *bo, u64 offset, unsigned long *pfn, u64 *left)
{
	const struct tess_device *tdev = to_tess_device(bo->shmem.base.dev);
	unsigned int i;

	if (offset >= bo->shmem.base.size)
		return false;
	if (bo->pages) {
		*pfn = page_to_pfn(bo->pages[offset >> PAGE_SHIFT]);
		*left = PAGE_SIZE;
		return true;
	}
	for (i = 0; bo->vram && i < bo->vram->count; i++) {
		const struct tess_vram_extent *extent = &bo->vram->extent[i];

		if (offset < extent->size) {
			*left = extent->size - offset;
			*pfn = PHYS_PFN(tess_vram_phys(&tdev->info, extent->offset + offset,
						       left));
			return true;
		}
		offset -= extent->size;
	}
	return false;
}

static vm_fault_t tess_vram_insert(struct vm_fault *vmf, struct tess_bo *bo)
{
	struct drm_gem_object *obj = &bo->shmem.base;
	struct vm_area_struct *vma = vmf->vma;
	/* Pages of the system are mapped as the kernel does; VRAM as the VMA says */
	pgprot_t prot = bo->pages ? vm_get_page_prot(vma->vm_flags) : vma->vm_page_prot;
	unsigned long addr = vmf->address & PAGE_MASK;
	pgoff_t first = drm_vma_node_start(&obj->vma_node);
	unsigned long end = min(vma->vm_end, ALIGN(addr + 1, TESS_FAULT_AROUND));
	vm_fault_t ret = VM_FAULT_SIGBUS;
	unsigned long pos, pfn;
	u64 offset, left = 0;

	dma_resv_assert_held(obj->resv);
	if (vmf->pgoff < first)
		return ret;
	offset = (u64)(vmf->pgoff - first) << PAGE_SHIFT;

	for (pos = addr; pos < end; pos += PAGE_SIZE) {
		vm_fault_t err;

		if (!left && !tess_vram_lookup(bo, offset + (pos - addr), &pfn, &left))
			break;
		err = vmf_insert_pfn_prot(vma, pos, pfn++, prot);
		left -= PAGE_SIZE;
		if (pos == addr)
			ret = err;
		if (err != VM_FAULT_NOPAGE)
			break;
	}
	return ret;
}

/* The reservation keeps the BO where it is, until it is mapped: whoever moves it finds that */
static vm_fault_t tess_vram_fault_entered(struct vm_fault *vmf, struct tess_bo *bo)
{
	struct dma_resv *resv = bo->shmem.base.resv;
	vm_fault_t ret;

	/* A signal: the access is repeated, or the process is gone */
	if (dma_resv_lock_interruptible(resv, NULL))
		return VM_FAULT_NOPAGE;
	WRITE_ONCE(bo->used, ktime_get_ns());
	ret = tess_vram_insert(vmf, bo);
	dma_resv_unlock(resv);
	return ret;
}

static vm_fault_t tess_vram_fault(struct vm_fault *vmf)
{
	struct drm_gem_object *obj = vmf->vma->vm_private_data;
	vm_fault_t ret;
	int idx;

	if (!drm_dev_enter(obj->dev, &idx))
		return VM_FAULT_SIGBUS;
	ret = tess_vram_fault_entered(vmf, to_tess_bo(obj));
	drm_dev_exit(idx);
	return ret;
}

const struct vm_operations_struct tess_vram_vm_ops = {
	.fault = tess_vram_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};
