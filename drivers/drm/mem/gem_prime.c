// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: BOs that are shared with other drivers
 *
 * What other drivers export is mapped where it is. System memory of ours is pinned while another
 * driver has it, and so are pages of a BO of VRAM: it is evicted when another driver, or another
 * GPU, attaches itself, or maps it for the kernel, and stays so until the last one is gone. Files
 * of the same GPU share the BO, wherever it is.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/iosys-map.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/vmalloc.h>
#include <drm/drm_drv.h>
#include <drm/drm_prime.h>
#include <tessera/gpu.h>
#include <tessera/memory.h>
#include "base/device.h"
#include "gem.h"
#include "lru.h"
#include "vm.h"

/* How long an importer waits for jobs that use the BO where it is */
#define TESS_PIN_PATIENCE	HZ

/**
 * tess_bo_export() - make a dma-buf of a BO
 * @obj: of the BO
 * @flags: of the file
 *
 * A BO of one VM has its lock from there, which nobody else can wait for or keep. Memory of a vGPU
 * has the dma-buf that it came with.
 *
 * Return: dma-buf, or error pointer -EINVAL, -ENOMEM.
 */
struct dma_buf *tess_bo_export(struct drm_gem_object *obj, int flags)
{
	if (to_tess_bo(obj)->vm_root || to_tess_bo(obj)->is_import)
		return ERR_PTR(-EINVAL);
	return drm_gem_prime_export(obj, flags);
}

static int tess_vram_pin_entered(struct tess_bo *bo)
{
	long left;

	if (bo->vram) {
		left = dma_resv_wait_timeout(bo->shmem.base.resv, DMA_RESV_USAGE_BOOKKEEP, true,
					     TESS_PIN_PATIENCE);
		if (left <= 0)
			return left ?: -EBUSY;
		left = tess_bo_evict_locked(bo);
		if (left)
			return left;
	}
	bo->pins++;
	return 0;
}

/**
 * tess_vram_pin() - keep a BO of VRAM in pages of the system
 * @obj: of the BO, whose reservation is held
 *
 * Return: 0; -EINVAL a display head may show it, so it stays in VRAM; -EBUSY jobs use it for long;
 * -EINTR; -ENOMEM, also if the file may have no more; -ENODEV.
 */
int tess_vram_pin(struct drm_gem_object *obj)
{
	struct tess_bo *bo = to_tess_bo(obj);
	int idx, ret;

	dma_resv_assert_held(obj->resv);
	if (bo->is_contiguous)
		return -EINVAL;
	if (!drm_dev_enter(obj->dev, &idx))
		return -ENODEV;
	ret = tess_vram_pin_entered(bo);
	drm_dev_exit(idx);
	return ret;
}

/**
 * tess_vram_unpin() - a BO may come back to VRAM
 * @obj: of the BO, whose reservation is held
 */
void tess_vram_unpin(struct drm_gem_object *obj)
{
	struct tess_bo *bo = to_tess_bo(obj);
	struct drm_gpuvm_bo *vm_bo;

	dma_resv_assert_held(obj->resv);
	if (--bo->pins)
		return;
	drm_gem_for_each_gpuvm_bo(vm_bo, obj)
		atomic64_add(obj->size, &to_tess_vm(vm_bo->vm)->evicted);
}

/**
 * tess_vram_get_sg_table() - pages of a pinned BO
 * @obj: of the BO
 *
 * Return: table that is not mapped yet, or error pointer.
 */
struct sg_table *tess_vram_get_sg_table(struct drm_gem_object *obj)
{
	struct tess_bo *bo = to_tess_bo(obj);

	if (!bo->pages)
		return ERR_PTR(-ENODEV);
	return drm_prime_pages_to_sg(obj->dev, bo->pages, obj->size >> PAGE_SHIFT);
}

/*
 * What a head may show stays in VRAM, in one piece. There is none of it any more when the GPU is
 * gone, but the kernel's console may still draw: nobody sees that.
 */
static int tess_vram_map_shown(struct tess_bo *bo, struct iosys_map *map)
{
	struct drm_gem_object *obj = &bo->shmem.base;
	const struct tess_device *tdev = to_tess_device(obj->dev);
	void *nowhere;
	int idx;

	if (drm_dev_enter(obj->dev, &idx)) {
		iosys_map_set_vaddr_iomem(map, tdev->info.vram + bo->vram->extent[0].offset);
		drm_dev_exit(idx);
		return 0;
	}
	nowhere = vzalloc(obj->size);
	if (!nowhere)
		return -ENOMEM;
	iosys_map_set_vaddr(map, nowhere);
	return 0;
}

/**
 * tess_vram_vmap() - map a BO of VRAM for the kernel
 * @obj: of the BO, whose reservation is held
 * @map: set to the mapping
 *
 * A BO that a head may show is mapped only as long as its reservation is held. Other drivers, which
 * would keep a mapping, cannot attach themselves to it.
 *
 * Return: as tess_vram_pin(), but for BOs that a head may show 0 or -ENOMEM.
 */
int tess_vram_vmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	struct tess_bo *bo = to_tess_bo(obj);
	void *at;
	int ret;

	if (bo->is_contiguous)
		return tess_vram_map_shown(bo, map);
	ret = tess_vram_pin(obj);
	if (ret)
		return ret;
	at = vmap(bo->pages, obj->size >> PAGE_SHIFT, VM_MAP, PAGE_KERNEL);
	if (!at) {
		tess_vram_unpin(obj);
		return -ENOMEM;
	}
	iosys_map_set_vaddr(map, at);
	return 0;
}

/**
 * tess_vram_vunmap() - end a mapping for the kernel
 * @obj: of the BO, whose reservation is held
 * @map: from tess_vram_vmap()
 */
void tess_vram_vunmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	if (map->is_iomem)
		return;
	if (to_tess_bo(obj)->is_contiguous) {
		vfree(map->vaddr);
		return;
	}
	vunmap(map->vaddr);
	tess_vram_unpin(obj);
}

/* The GPU's page tables map whole pages */
static bool tess_import_fits(struct sg_table *sgt)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(sgt, sg, i)
		if (!PAGE_ALIGNED(sg_dma_address(sg) | sg_dma_len(sg)))
			return false;
	return true;
}

static struct drm_gem_object *tess_bo_import_entered(struct drm_device *drm,
						     struct dma_buf_attachment *attach,
						     struct sg_table *sgt)
{
	struct drm_gem_object *obj;

	if (!tess_import_fits(sgt))
		return ERR_PTR(-EINVAL);
	obj = drm_gem_shmem_prime_import_sg_table(drm, attach, sgt);
	if (IS_ERR(obj))
		return obj;
	to_tess_bo(obj)->attach = attach;
	tess_bo_enlist(to_tess_device(drm), to_tess_bo(obj));
	return obj;
}

/**
 * tess_bo_import() - make a BO of the memory of another driver
 * @drm: device
 * @attach: to its dma-buf
 * @sgt: where it is for the GPU; it stays there
 *
 * Return: GEM object, or error pointer: -EINVAL not whole pages; -ENOMEM; -ENODEV.
 */
struct drm_gem_object *tess_bo_import(struct drm_device *drm, struct dma_buf_attachment *attach,
				      struct sg_table *sgt)
{
	struct drm_gem_object *obj;
	int idx;

	if (!drm_dev_enter(drm, &idx))
		return ERR_PTR(-ENODEV);
	obj = tess_bo_import_entered(drm, attach, sgt);
	drm_dev_exit(idx);
	return obj;
}
