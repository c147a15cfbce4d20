// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: BOs that are memory of a vGPU
 *
 * The host's programs may read what a vGPU shows: its front-end gives them a dma-buf of that
 * memory, which becomes a BO here. Jobs can read it, and nothing else: it is bound for reading
 * only, the CPU does not map it, it is never evicted, and no other dma-buf is made of it. It
 * counts for the vGPU and not for the file, as it is there in any case.
 *
 * When the vGPU gives the memory back, the BO is left without it, although it may be bound. Jobs
 * that were sent before have a moment to end; what reads there later faults. A VM with such a BO
 * takes no jobs until it is unbound: so a program learns of it before a job of it fails.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_gpuvm.h>
#include <drm/drm_prime.h>
#include <tessera/memory.h>
#include "base/device.h"
#include "gem.h"
#include "import.h"
#include "lru.h"
#include "vm.h"

/* How long jobs that read what is revoked may go on, all together */
#define TESS_REVOKE_PATIENCE	(HZ / 10)

static const struct drm_gem_object_funcs tess_import_funcs = {
	.free = tess_bo_free,
	.export = tess_bo_export,
	.status = tess_bo_status,
};

static struct drm_gem_object *tess_import_create(struct tess_device *tdev,
						 struct tess_vram_export *export)
{
	struct tess_vram *vram = tess_vram_export_memory(export);
	struct drm_gem_object *obj;
	struct tess_bo *bo;

	obj = tess_bo_create_object(tdev->drm, vram->size);
	if (IS_ERR(obj)) {
		tess_vram_import_end(export);
		return obj;
	}
	obj->funcs = &tess_import_funcs;
	drm_gem_private_object_init(tdev->drm, obj, vram->size);
	bo = to_tess_bo(obj);
	bo->is_vram = true;
	bo->is_import = true;
	bo->near = -1;
	bo->export = export;
	bo->vram = vram;
	tess_bo_enlist(tdev, bo);
	return obj;
}

/**
 * tess_bo_prime_import() - make a BO of a dma-buf
 * @drm: device
 * @buf: dma-buf, of this driver, of another one, or of memory of a vGPU
 *
 * Return: GEM object, or error pointer: -EXDEV memory of a vGPU of another GPU; -ESTALE memory that
 * its vGPU has given back; -EINVAL not whole pages; -ENOMEM; -ENODEV; others of the exporter.
 */
struct drm_gem_object *tess_bo_prime_import(struct drm_device *drm, struct dma_buf *buf)
{
	struct tess_device *tdev = to_tess_device(drm);
	struct tess_vram_export *export;
	struct drm_gem_object *obj;
	int idx;

	if (!drm_dev_enter(drm, &idx))
		return ERR_PTR(-ENODEV);
	export = tess_vram_import(tdev->gpu, buf);
	obj = IS_ERR_OR_NULL(export) ? ERR_CAST(export) : tess_import_create(tdev, export);
	drm_dev_exit(idx);
	return obj ?: drm_gem_prime_import(drm, buf);
}

/**
 * tess_import_check_locked() - does a vGPU still have the memory of a BO?
 * @bo: BO, whose reservation is held
 *
 * Return: 0, also if it is no memory of a vGPU; -ESTALE.
 */
int tess_import_check_locked(struct tess_bo *bo)
{
	dma_resv_assert_held(bo->shmem.base.resv);
	if (!bo->is_import || (bo->export && !tess_vram_export_is_revoked(bo->export)))
		return 0;
	return -ESTALE;
}

/* One that was revoked and is not left yet, with a reference. No other task looks for them */
static struct tess_bo *tess_import_next(struct tess_device *tdev)
{
	struct tess_bo *bo, *found = NULL;

	mutex_lock(&tdev->bo_lock);
	list_for_each_entry(bo, &tdev->bos, link) {
		if (!bo->export || bo->is_left || !tess_vram_export_is_revoked(bo->export) ||
		    !kref_get_unless_zero(&bo->shmem.base.refcount))
			continue;
		bo->is_left = true;
		found = bo;
		break;
	}
	mutex_unlock(&tdev->bo_lock);
	return found;
}

/* SUBMIT looks at it from now on, and refuses it */
static void tess_import_refuse(struct tess_bo *bo)
{
	struct drm_gem_object *obj = &bo->shmem.base;
	struct drm_gpuvm_bo *vm_bo;

	dma_resv_lock(obj->resv, NULL);
	drm_gem_for_each_gpuvm_bo(vm_bo, obj) {
		drm_gpuvm_bo_evict(vm_bo, true);
		WRITE_ONCE(to_tess_vm(vm_bo->vm)->moved, true);
	}
	dma_resv_unlock(obj->resv);
}

static long tess_import_leave(struct tess_bo *bo, long patience)
{
	struct dma_resv *resv = bo->shmem.base.resv;
	long left;

	tess_import_refuse(bo);
	left = dma_resv_wait_timeout(resv, DMA_RESV_USAGE_BOOKKEEP, false, patience);
	dma_resv_lock(resv, NULL);
	/* If it fails, for want of tables, it is kept until the BO goes */
	if (!tess_bo_withdraw(bo))
		tess_bo_free_vram(bo);
	dma_resv_unlock(resv);
	return max(left, 0L);
}

/**
 * tess_imports_leave() - give up memory that its vGPU has given back
 * @tdev: device
 *
 * Inside drm_dev_enter(), without a lock; one task at a time.
 */
void tess_imports_leave(struct tess_device *tdev)
{
	long patience = TESS_REVOKE_PATIENCE;
	struct tess_bo *bo;

	while ((bo = tess_import_next(tdev))) {
		patience = tess_import_leave(bo, patience);
		drm_gem_object_put(&bo->shmem.base);
	}
}
