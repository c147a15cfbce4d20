// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: BOs that are shared with other drivers
 *
 * What other drivers export is mapped where it is. System memory of ours is pinned while another
 * driver has it.
 */
#include <linux/dma-buf.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <drm/drm_drv.h>
#include <drm/drm_prime.h>
#include "device.h"
#include "gem.h"

/**
 * tess_bo_export() - make a dma-buf of a BO
 * @obj: of the BO
 * @flags: of the file
 *
 * A BO of one VM has its lock from there, which nobody else can wait for or keep.
 *
 * Return: dma-buf, or error pointer -EINVAL, -ENOMEM.
 */
struct dma_buf *tess_bo_export(struct drm_gem_object *obj, int flags)
{
	if (to_tess_bo(obj)->vm_root)
		return ERR_PTR(-EINVAL);
	return drm_gem_prime_export(obj, flags);
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
