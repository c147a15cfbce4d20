// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: buffer objects
 *
 * A BO lies in system memory (drm_gem_shmem, cached) or in VRAM. System memory is pinned
 * from the first VM_BIND until the BO goes. A BO in VRAM may be evicted (gem_move.c), unless
 * a display head can show it.
 *
 * When the GPU goes away the backing goes with it, while handles stay: DMA mappings and
 * VRAM must not outlive the driver that gave them. drm_dev_unplug() takes the CPU's
 * mappings away, also those made through a dma-buf.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <drm/drm_drv.h>
#include <drm/drm_print.h>
#include <drm/tessera_drm.h>
#include "account.h"
#include "base/device.h"
#include "base/usage.h"
#include "evict.h"
#include "gem.h"
#include "import.h"
#include "lru.h"
#include "vm.h"

/* Lines begin where a cache line does */
#define TESS_DUMB_ALIGN		64

#define TESS_BO_FLAGS		(DRM_TESSERA_BO_VRAM | DRM_TESSERA_BO_CONTIGUOUS | \
				 DRM_TESSERA_BO_WRITE_COMBINED)

/*
 * The memory of a BO counts from the time when there are pages: it is bound or mapped. It counts
 * until the BO goes, also if the CPU unmaps it before.
 */
static int tess_bo_charge_locked(struct tess_bo *bo)
{
	struct drm_gem_object *obj = &bo->shmem.base;
	unsigned long pages = obj->size >> PAGE_SHIFT;
	int ret;

	dma_resv_assert_held(obj->resv);
	if (bo->system_pages || !bo->usage)
		return 0;
	ret = tess_account_system(bo->usage, pages);
	if (!ret)
		bo->system_pages = pages;
	else
		drm_dbg(obj->dev, "no %zu bytes for a buffer: see system_percent and client_percent\n",
			obj->size);
	return ret;
}

static void tess_bo_uncharge(struct tess_bo *bo)
{
	if (bo->system_pages)
		tess_unaccount_system(bo->usage, bo->system_pages);
	bo->system_pages = 0;
	if (bo->usage)
		tess_usage_put(bo->usage);
	bo->usage = NULL;
}

static void tess_bo_unmap_dma(struct tess_bo *bo)
{
	struct drm_gem_object *obj = &bo->shmem.base;

	if (bo->is_vram || !bo->sgt)
		return;
	dma_unmap_sgtable(obj->dev->dev, bo->sgt, DMA_BIDIRECTIONAL, 0);
	sg_free_table(bo->sgt);
	kfree(bo->sgt);
	bo->sgt = NULL;
	drm_gem_shmem_unpin(&bo->shmem);
}

static void tess_bo_release_import(struct tess_bo *bo)
{
	if (!bo->attach || !bo->shmem.sgt)
		return;
	dma_buf_unmap_attachment_unlocked(bo->attach, bo->shmem.sgt, DMA_BIDIRECTIONAL);
	bo->shmem.sgt = NULL;
}

static void tess_bo_release_backing(struct tess_device *tdev, struct tess_bo *bo)
{
	lockdep_assert_held(&tdev->bo_lock);

	tess_bo_release_import(bo);
	tess_bo_unmap_dma(bo);
	tess_bo_free_vram(bo);
	tess_bo_unmap_pages(bo);
}

/**
 * tess_bo_free() - the last reference to a BO is gone
 * @obj: of the BO
 */
void tess_bo_free(struct drm_gem_object *obj)
{
	struct tess_device *tdev = to_tess_device(obj->dev);
	struct tess_bo *bo = to_tess_bo(obj);
	struct drm_gem_object *vm_root = bo->vm_root;

	mutex_lock(&tdev->bo_lock);
	list_del(&bo->link);
	tess_bo_release_backing(tdev, bo);
	mutex_unlock(&tdev->bo_lock);

	tess_bo_free_pages(bo);
	tess_bo_uncharge(bo);
	if (bo->is_vram) {
		drm_gem_object_release(obj);
		kfree(bo);
	} else {
		drm_gem_shmem_free(&bo->shmem);
	}
	/* The last one that locks it was the release of the pages */
	if (vm_root)
		drm_gem_object_put(vm_root);
}

/**
 * tess_bo_release_all() - give back all that BOs hold of a GPU that goes away
 * @tdev: unplugged device without VMs' page tables
 */
void tess_bo_release_all(struct tess_device *tdev)
{
	struct tess_bo *bo;

	mutex_lock(&tdev->bo_lock);
	list_for_each_entry(bo, &tdev->bos, link) {
		/* The kernel's console may draw into it until then */
		if (bo->is_contiguous)
			dma_resv_lock(bo->shmem.base.resv, NULL);
		tess_bo_release_backing(tdev, bo);
		if (bo->is_contiguous)
			dma_resv_unlock(bo->shmem.base.resv);
	}
	mutex_unlock(&tdev->bo_lock);
}

/**
 * tess_bo_status() - where a BO is, for statistics
 * @obj: of the BO
 *
 * Return: DRM_GEM_OBJECT_*.
 */
enum drm_gem_object_status tess_bo_status(struct drm_gem_object *obj)
{
	struct tess_bo *bo = to_tess_bo(obj);

	return READ_ONCE(bo->vram) || bo->attach || READ_ONCE(bo->sgt) ? DRM_GEM_OBJECT_RESIDENT :
									 0;
}

static int tess_system_pin(struct drm_gem_object *obj)
{
	return tess_bo_charge_locked(to_tess_bo(obj)) ?: drm_gem_shmem_object_pin(obj);
}

static int tess_system_vmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	return tess_bo_charge_locked(to_tess_bo(obj)) ?: drm_gem_shmem_object_vmap(obj, map);
}

static int tess_system_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	int ret;

	dma_resv_lock(obj->resv, NULL);
	ret = tess_bo_charge_locked(to_tess_bo(obj));
	dma_resv_unlock(obj->resv);
	return ret ?: drm_gem_shmem_object_mmap(obj, vma);
}

static const struct drm_gem_object_funcs tess_system_funcs = {
	.free = tess_bo_free,
	.print_info = drm_gem_shmem_object_print_info,
	.export = tess_bo_export,
	.pin = tess_system_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = tess_system_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = tess_system_mmap,
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
	RB_CLEAR_NODE(&bo->lru.node);
	return &bo->shmem.base;
}

static const struct drm_gem_object_funcs tess_vram_funcs = {
	.free = tess_bo_free,
	.export = tess_bo_export,
	.pin = tess_vram_pin,
	.unpin = tess_vram_unpin,
	.get_sg_table = tess_vram_get_sg_table,
	.vmap = tess_vram_vmap,
	.vunmap = tess_vram_vunmap,
	.mmap = tess_vram_mmap,
	.status = tess_bo_status,
	.vm_ops = &tess_vram_vm_ops,
};

static struct tess_bo *tess_bo_create_system(struct tess_device *tdev, struct tess_usage *usage,
					     u64 size, bool write_combined)
{
	struct drm_gem_shmem_object *shmem;
	struct tess_bo *bo;

	if (size > tess_account_system_limit())
		return ERR_PTR(-ENOMEM);

	shmem = drm_gem_shmem_create(tdev->drm, size);
	if (IS_ERR(shmem))
		return ERR_CAST(shmem);
	shmem->map_wc = write_combined;
	bo = to_tess_bo(&shmem->base);
	bo->usage = tess_usage_get(usage);
	return bo;
}

/* -ENOSPC is the limit of the file or of the control group, -EBUSY that of the GPU */
static int tess_bo_alloc_vram(struct tess_bo *bo)
{
	struct tess_device *tdev = to_tess_device(bo->shmem.base.dev);
	u64 size = bo->shmem.base.size;
	struct tess_vram *vram;
	int ret;

	ret = tess_account_vram(tdev, bo->usage, size, &bo->dmem);
	if (ret)
		return ret;
	vram = tess_evict_alloc(tdev, size, bo->near, bo->is_contiguous);
	if (!IS_ERR(vram)) {
		bo->vram = vram;
		return 0;
	}
	tess_unaccount_vram(bo->usage, size, bo->dmem);
	bo->dmem = NULL;
	return vram == ERR_PTR(-ENOSPC) ? -EBUSY : PTR_ERR(vram);
}

static struct tess_bo *tess_bo_create_vram(struct tess_device *tdev, struct tess_usage *usage,
					   u64 size, u32 near_slice, bool contiguous)
{
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
	bo->near = near_slice < tdev->lane_count ? (int)near_slice : -1;
	obj->funcs = &tess_vram_funcs;
	drm_gem_private_object_init(tdev->drm, obj, size);

	bo->usage = tess_usage_get(usage);
	ret = drm_gem_create_mmap_offset(obj);
	if (!ret)
		ret = tess_bo_alloc_vram(bo);
	if (ret == -EBUSY && !contiguous)
		ret = tess_bo_alloc_pages(bo, true);
	if (!ret)
		return bo;

	tess_bo_uncharge(bo);
	drm_gem_object_release(obj);
	kfree(bo);
	return ERR_PTR(ret == -EBUSY ? -ENOSPC : ret);
}

/**
 * tess_bo_pin_locked() - make the memory of a BO usable by the GPU
 * @bo: BO, whose reservation is held
 *
 * It stays so until the BO or the GPU goes.
 *
 * Return: 0, -ENOMEM, also if it is more than there may be, -ENODEV what was imported is gone,
 * -ESTALE the vGPU whose memory it is has it no more, or what the DMA mapping failed with.
 */
int tess_bo_pin_locked(struct tess_bo *bo)
{
	struct drm_gem_object *obj = &bo->shmem.base;
	struct sg_table *sgt;
	int ret;

	dma_resv_assert_held(obj->resv);
	if (bo->is_vram || bo->sgt)
		return tess_import_check_locked(bo);
	if (bo->attach)
		return bo->shmem.sgt ? 0 : -ENODEV;

	ret = tess_bo_charge_locked(bo);
	if (ret)
		return ret;
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

static int tess_bo_publish(struct tess_device *tdev, struct drm_file *file, struct tess_bo *bo,
			   u32 *handle)
{
	int ret;

	tess_bo_enlist(tdev, bo);
	ret = drm_gem_handle_create(file, &bo->shmem.base, handle);
	drm_gem_object_put(&bo->shmem.base);
	return ret;
}

/* All BOs of a VM have one lock: fewer are taken for what uses the VM */
static void tess_bo_make_private(struct tess_bo *bo, struct tess_vm *vm)
{
	bo->vm_root = drm_gpuvm_resv_obj(&vm->base);
	drm_gem_object_get(bo->vm_root);
	bo->shmem.base.resv = bo->vm_root->resv;
}

/**
 * tess_bo_create_scratch() - memory that has no handle
 * @usage: of the file that pays
 * @vm: VM that it is for
 * @size: bytes
 *
 * Inside drm_dev_enter().
 *
 * Return: BO, or error pointer -ENOMEM.
 */
struct tess_bo *tess_bo_create_scratch(struct tess_usage *usage, struct tess_vm *vm, u64 size)
{
	struct tess_device *tdev = to_tess_device(vm->base.drm);
	struct tess_bo *bo;

	bo = tess_bo_create_system(tdev, usage, size, false);
	if (IS_ERR(bo))
		return bo;
	tess_bo_make_private(bo, vm);
	tess_bo_enlist(tdev, bo);
	return bo;
}

static struct tess_bo *tess_bo_create_backing(struct tess_device *tdev, struct tess_usage *usage,
					      const struct drm_tessera_bo_create *args)
{
	if (args->flags & DRM_TESSERA_BO_VRAM)
		return tess_bo_create_vram(tdev, usage, args->size, args->near_slice,
					   args->flags & DRM_TESSERA_BO_CONTIGUOUS);
	return tess_bo_create_system(tdev, usage, args->size,
				     args->flags & DRM_TESSERA_BO_WRITE_COMBINED);
}

static int tess_bo_create(struct tess_device *tdev, struct drm_file *file,
			  struct drm_tessera_bo_create *args)
{
	struct tess_file *tfile = to_tess_file(file);
	struct tess_vm *vm = NULL;
	struct tess_bo *bo;
	int ret;

	if (args->vm) {
		vm = tess_vm_lookup(tfile, args->vm);
		if (!vm)
			return -ENOENT;
	}
	bo = tess_bo_create_backing(tdev, tfile->usage, args);
	ret = PTR_ERR_OR_ZERO(bo);
	if (!ret) {
		if (vm)
			tess_bo_make_private(bo, vm);
		ret = tess_bo_publish(tdev, file, bo, &args->handle);
	}
	tess_vm_put(vm);
	return ret;
}

/**
 * tess_bo_create_ioctl() - DRM_IOCTL_TESSERA_BO_CREATE
 * @drm: device
 * @data: struct drm_tessera_bo_create
 * @file: open file
 *
 * Return: 0; -EINVAL no or too large a size, flags; -ENOENT no such VM; -ENOSPC no such VRAM is
 * left, or this file has what it may; -ENOMEM; -ENODEV.
 */
int tess_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_bo_create *args = data;
	int idx, ret;

	if (args->flags & ~TESS_BO_FLAGS)
		return -EINVAL;
	if ((args->flags & DRM_TESSERA_BO_CONTIGUOUS) && !(args->flags & DRM_TESSERA_BO_VRAM))
		return -EINVAL;
	/* What no VM could map is no sensible size; rounding it up cannot wrap then. */
	if (!args->size || args->size > to_tess_device(drm)->info.va_end)
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
 * Return: 0; -EINVAL flags, memory of a vGPU; -ENOENT no such handle; -ENOMEM.
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
	ret = to_tess_bo(obj)->is_import ? -EINVAL : drm_gem_create_mmap_offset(obj);
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
	bo = tess_bo_create_vram(tdev, to_tess_file(file)->usage, args->size, U32_MAX, true);
	ret = PTR_ERR_OR_ZERO(bo);
	if (!ret)
		ret = tess_bo_publish(tdev, file, bo, &args->handle);
	drm_dev_exit(idx);
	return ret;
}
