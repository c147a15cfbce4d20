// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: buffer objects
 *
 * A BO lies in system memory (drm_gem_shmem, cached) or in VRAM. Its backing is pinned
 * from the first VM_BIND until the BO goes: nothing is ever moved, and a mapping of the
 * GPU needs no notifier. A shrinker would buy little for a GPU whose whole VRAM is
 * mapped by the CPU too.
 *
 * The CPU maps VRAM through the BAR. A fault inserts the 2 MiB around it at once: under
 * nested paging the first touch page by page costs a hundred times more.
 *
 * When the GPU goes away the backing goes with it, while handles stay: DMA mappings and
 * VRAM must not outlive the driver that gave them. drm_dev_unplug() takes the CPU's
 * mappings away, also those made through a dma-buf.
 */
#include <linux/atomic.h>
#include <linux/dma-mapping.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_print.h>
#include <drm/drm_prime.h>
#include <drm/tessera_drm.h>
#include "device.h"
#include "gem.h"

#define TESS_FAULT_AROUND	(2UL << 20)

/* Lines begin where a cache line does */
#define TESS_DUMB_ALIGN		64

/*
 * Memory of BOs cannot be reclaimed, and no process is charged for it when the machine runs out
 * of memory: somebody else would be killed. So all of them together may have this much, which
 * is counted when they are created. Half of the memory is also TTM's limit.
 */
static unsigned int system_percent = 50;
module_param(system_percent, uint, 0644);
MODULE_PARM_DESC(system_percent, "part of the machine's memory that buffer objects may have, percent");

static atomic_long_t tess_bo_system_pages;

static int tess_bo_charge(struct tess_bo *bo, u64 size)
{
	u64 limit = div_u64((u64)totalram_pages() * min(system_percent, 100U), 100);
	long pages = (long)(size >> PAGE_SHIFT);

	if (atomic_long_add_return(pages, &tess_bo_system_pages) > limit) {
		atomic_long_sub(pages, &tess_bo_system_pages);
		return -ENOMEM;
	}
	bo->system_pages = pages;
	return 0;
}

static void tess_bo_unmap_dma(struct tess_bo *bo)
{
	struct drm_gem_object *obj = &bo->shmem.base;

	if (!bo->sgt)
		return;
	dma_unmap_sgtable(obj->dev->dev, bo->sgt, DMA_BIDIRECTIONAL, 0);
	sg_free_table(bo->sgt);
	kfree(bo->sgt);
	bo->sgt = NULL;
	drm_gem_shmem_unpin(&bo->shmem);
}

static void tess_bo_release_backing(struct tess_device *tdev, struct tess_bo *bo)
{
	lockdep_assert_held(&tdev->bo_lock);

	tess_bo_unmap_dma(bo);
	if (bo->vram)
		tess_vram_free(tdev->gpu, bo->vram);
	bo->vram = NULL;
}

static void tess_bo_free(struct drm_gem_object *obj)
{
	struct tess_device *tdev = to_tess_device(obj->dev);
	struct tess_bo *bo = to_tess_bo(obj);

	mutex_lock(&tdev->bo_lock);
	list_del(&bo->link);
	tess_bo_release_backing(tdev, bo);
	mutex_unlock(&tdev->bo_lock);

	if (bo->is_vram) {
		drm_gem_object_release(obj);
		kfree(bo);
	} else {
		long pages = bo->system_pages;

		drm_gem_shmem_free(&bo->shmem);
		atomic_long_sub(pages, &tess_bo_system_pages);
	}
}

/**
 * tess_bo_release_all() - give back all that BOs hold of a GPU that goes away
 * @tdev: unplugged device without VMs' page tables
 */
void tess_bo_release_all(struct tess_device *tdev)
{
	struct tess_bo *bo;

	mutex_lock(&tdev->bo_lock);
	list_for_each_entry(bo, &tdev->bos, link)
		tess_bo_release_backing(tdev, bo);
	mutex_unlock(&tdev->bo_lock);
}

static enum drm_gem_object_status tess_bo_status(struct drm_gem_object *obj)
{
	struct tess_bo *bo = to_tess_bo(obj);

	return bo->is_vram || READ_ONCE(bo->sgt) ? DRM_GEM_OBJECT_RESIDENT : 0;
}

static const struct drm_gem_object_funcs tess_system_funcs = {
	.free = tess_bo_free,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = drm_gem_shmem_object_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = drm_gem_shmem_object_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = drm_gem_shmem_object_mmap,
	.status = tess_bo_status,
	.vm_ops = &drm_gem_shmem_vm_ops,
};

/**
 * tess_bo_create_object() - allocate a BO for drm_gem_shmem_create()
 * @drm: device
 * @size: bytes
 *
 * Return: its GEM object, or error pointer -ENOMEM.
 */
struct drm_gem_object *tess_bo_create_object(struct drm_device *drm, size_t size)
{
	struct tess_bo *bo;

	bo = kzalloc(sizeof(*bo), GFP_KERNEL);
	if (!bo)
		return ERR_PTR(-ENOMEM);
	bo->shmem.base.funcs = &tess_system_funcs;
	return &bo->shmem.base;
}

static int tess_vram_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
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

static const struct vm_operations_struct tess_vram_vm_ops = {
	.fault = tess_vram_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

static const struct drm_gem_object_funcs tess_vram_funcs = {
	.free = tess_bo_free,
	.mmap = tess_vram_mmap,
	.status = tess_bo_status,
	.vm_ops = &tess_vram_vm_ops,
};

static struct tess_bo *tess_bo_create_system(struct tess_device *tdev, u64 size)
{
	struct drm_gem_shmem_object *shmem;
	struct tess_bo *bo;
	int ret;

	shmem = drm_gem_shmem_create(tdev->drm, size);
	if (IS_ERR(shmem))
		return ERR_CAST(shmem);
	bo = to_tess_bo(&shmem->base);
	ret = tess_bo_charge(bo, size);
	if (ret) {
		drm_dbg(tdev->drm, "no %llu bytes for a buffer: see the parameter system_percent\n",
			size);
		drm_gem_shmem_free(shmem);
		return ERR_PTR(ret);
	}
	return bo;
}

static struct tess_bo *tess_bo_create_vram(struct tess_device *tdev, u64 size, u32 near_slice,
					   bool contiguous)
{
	int near = near_slice < tdev->lane_count ? (int)near_slice : -1;
	struct drm_gem_object *obj;
	struct tess_bo *bo;
	int ret;

	if (size > tdev->info.vram_size)
		return ERR_PTR(-ENOSPC);

	obj = tess_bo_create_object(tdev->drm, size);
	if (IS_ERR(obj))
		return ERR_CAST(obj);
	bo = to_tess_bo(obj);
	bo->is_vram = true;
	bo->is_contiguous = contiguous;
	obj->funcs = &tess_vram_funcs;
	drm_gem_private_object_init(tdev->drm, obj, size);

	ret = drm_gem_create_mmap_offset(obj);
	if (ret)
		goto err_release;
	bo->vram = tess_vram_alloc(tdev->gpu, size, near, contiguous);
	if (IS_ERR(bo->vram)) {
		ret = PTR_ERR(bo->vram);
		goto err_release;
	}
	return bo;

err_release:
	drm_gem_object_release(obj);
	kfree(bo);
	return ERR_PTR(ret);
}

/**
 * tess_bo_pin_locked() - make the memory of a BO usable by the GPU
 * @bo: BO, whose reservation is held
 *
 * It stays so until the BO or the GPU goes.
 *
 * Return: 0, -ENOMEM, or what the DMA mapping failed with.
 */
int tess_bo_pin_locked(struct tess_bo *bo)
{
	struct drm_gem_object *obj = &bo->shmem.base;
	struct sg_table *sgt;
	int ret;

	dma_resv_assert_held(obj->resv);
	if (bo->is_vram || bo->sgt)
		return 0;

	ret = drm_gem_shmem_pin_locked(&bo->shmem);
	if (ret)
		return ret;
	sgt = drm_gem_shmem_get_sg_table(&bo->shmem);
	if (IS_ERR(sgt)) {
		ret = PTR_ERR(sgt);
		goto err_unpin;
	}
	ret = dma_map_sgtable(obj->dev->dev, sgt, DMA_BIDIRECTIONAL, 0);
	if (ret)
		goto err_free;
	bo->sgt = sgt;
	return 0;

err_free:
	sg_free_table(sgt);
	kfree(sgt);
err_unpin:
	drm_gem_shmem_unpin_locked(&bo->shmem);
	return ret;
}

/* State of a walk: @skip bytes until its start, @left bytes until its end */
struct tess_bo_cursor {
	u64 skip;
	u64 left;
	u64 offset;
	tess_bo_walk_fn fn;
	void *priv;
};

static int tess_bo_cursor_piece(struct tess_bo_cursor *cur, u64 pa, u64 size)
{
	int ret;

	if (cur->skip >= size) {
		cur->skip -= size;
		return 0;
	}
	pa += cur->skip;
	size = min(size - cur->skip, cur->left);
	cur->skip = 0;

	ret = cur->fn(cur->priv, pa, cur->offset, size);
	cur->offset += size;
	cur->left -= size;
	return ret;
}

/**
 * tess_bo_walk() - go over the physically contiguous pieces of a BO
 * @bo: pinned BO
 * @start: offset of the first byte
 * @size: bytes, inside the BO
 * @fn: called for each piece
 * @priv: for @fn
 *
 * Return: 0, or what @fn stopped with.
 */
int tess_bo_walk(struct tess_bo *bo, u64 start, u64 size, tess_bo_walk_fn fn, void *priv)
{
	struct tess_bo_cursor cur = { .skip = start, .left = size, .fn = fn, .priv = priv };
	struct scatterlist *sg;
	unsigned int i;
	int ret = 0;

	if (bo->is_vram) {
		for (i = 0; i < bo->vram->count && cur.left && !ret; i++)
			ret = tess_bo_cursor_piece(&cur, TESS_PA_VRAM + bo->vram->extent[i].offset,
						   bo->vram->extent[i].size);
		return ret;
	}

	for_each_sgtable_dma_sg(bo->sgt, sg, i) {
		ret = tess_bo_cursor_piece(&cur, sg_dma_address(sg), sg_dma_len(sg));
		if (ret || !cur.left)
			break;
	}
	return ret;
}

static int tess_bo_publish(struct tess_device *tdev, struct drm_file *file, struct tess_bo *bo,
			   u32 *handle)
{
	int ret;

	mutex_lock(&tdev->bo_lock);
	list_add_tail(&bo->link, &tdev->bos);
	mutex_unlock(&tdev->bo_lock);

	ret = drm_gem_handle_create(file, &bo->shmem.base, handle);
	drm_gem_object_put(&bo->shmem.base);
	return ret;
}

static int tess_bo_create(struct tess_device *tdev, struct drm_file *file,
			  struct drm_tessera_bo_create *args)
{
	struct tess_bo *bo;

	if (args->flags & DRM_TESSERA_BO_VRAM)
		bo = tess_bo_create_vram(tdev, args->size, args->near_slice, false);
	else
		bo = tess_bo_create_system(tdev, args->size);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	return tess_bo_publish(tdev, file, bo, &args->handle);
}

/**
 * tess_bo_create_ioctl() - DRM_IOCTL_TESSERA_BO_CREATE
 * @drm: device
 * @data: struct drm_tessera_bo_create
 * @file: open file
 *
 * Return: 0; -EINVAL no or too large a size, unknown flags, a VM; -ENOSPC no such
 * VRAM is left; -ENOMEM, also if all BOs together would have too much system memory
 * (parameter system_percent); -ENODEV.
 */
int tess_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_bo_create *args = data;
	int idx, ret;

	if (args->vm || (args->flags & ~DRM_TESSERA_BO_VRAM))
		return -EINVAL;
	/* What no VM could map is no sensible size; rounding it up cannot wrap then. */
	if (!args->size || args->size > TESS_VA_END)
		return -EINVAL;
	args->size = PAGE_ALIGN(args->size);

	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	ret = tess_bo_create(to_tess_device(drm), file, args);
	drm_dev_exit(idx);
	return ret;
}

/**
 * tess_bo_mmap_offset_ioctl() - DRM_IOCTL_TESSERA_BO_MMAP_OFFSET
 * @drm: device
 * @data: struct drm_tessera_bo_mmap_offset
 * @file: open file
 *
 * Return: 0; -EINVAL flags; -ENOENT no such handle; -ENOMEM.
 */
int tess_bo_mmap_offset_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_bo_mmap_offset *args = data;
	struct drm_gem_object *obj;
	int ret;

	if (args->flags)
		return -EINVAL;

	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;
	ret = drm_gem_create_mmap_offset(obj);
	if (!ret)
		args->offset = drm_vma_node_offset_addr(&obj->vma_node);
	drm_gem_object_put(obj);
	return ret;
}

/**
 * tess_bo_create_dumb() - a BO that a display head can show
 * @file: open file
 * @drm: device with heads
 * @args: of DRM_IOCTL_MODE_CREATE_DUMB
 *
 * Return: 0; -EOPNOTSUPP no heads; -EINVAL too large a line; -ENOSPC no such VRAM is left;
 * -ENOMEM; -ENODEV.
 */
int tess_bo_create_dumb(struct drm_file *file, struct drm_device *drm,
			struct drm_mode_create_dumb *args)
{
	u64 pitch = ALIGN(DIV_ROUND_UP_ULL((u64)args->width * args->bpp, 8), TESS_DUMB_ALIGN);
	struct tess_device *tdev = to_tess_device(drm);
	struct tess_bo *bo;
	int idx, ret;

	if (!drm_core_check_feature(drm, DRIVER_MODESET))
		return -EOPNOTSUPP;
	if (pitch > U32_MAX)
		return -EINVAL;
	args->pitch = pitch;
	args->size = PAGE_ALIGN(pitch * args->height);

	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	bo = tess_bo_create_vram(tdev, args->size, U32_MAX, true);
	ret = PTR_ERR_OR_ZERO(bo);
	if (!ret)
		ret = tess_bo_publish(tdev, file, bo, &args->handle);
	drm_dev_exit(idx);
	return ret;
}
