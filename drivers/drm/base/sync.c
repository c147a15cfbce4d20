// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: syncs
 *
 * What an ioctl waits for and signals: syncobjs, binary or at a point of a timeline. All that
 * can fail is done before there is a fence to put into them.
 */
#include <linux/dma-fence-chain.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>
#include <drm/tessera_drm.h>
#include "args.h"
#include "sync.h"

/**
 * tess_syncs_copy() - copy what user space names to wait for, or to signal
 * @arr: array of struct drm_tessera_sync
 *
 * Return: for kvfree(), NULL if there are none, or an error pointer: -EINVAL flags; those of
 * tess_args_copy().
 */
struct drm_tessera_sync *tess_syncs_copy(const struct drm_tessera_array *arr)
{
	struct drm_tessera_sync *syncs;
	u32 i;

	syncs = tess_args_array(arr, TESS_MAX_SYNCS, struct drm_tessera_sync, point);
	if (IS_ERR(syncs))
		return syncs;
	for (i = 0; i < arr->count; i++) {
		if (syncs[i].flags) {
			kvfree(syncs);
			return ERR_PTR(-EINVAL);
		}
	}
	return syncs;
}

/**
 * tess_syncs_wait() - wait here and now
 * @file: open file
 * @syncs: what to wait for
 * @count: number of them
 *
 * Return: 0; -ENOENT no such syncobj; -EINVAL it has no fence; -ERESTARTSYS a signal came.
 */
int tess_syncs_wait(struct drm_file *file, const struct drm_tessera_sync *syncs, u32 count)
{
	struct dma_fence *fence;
	long ret;
	u32 i;

	for (i = 0; i < count; i++) {
		ret = drm_syncobj_find_fence(file, syncs[i].handle, syncs[i].point, 0, &fence);
		if (ret)
			return ret;
		ret = dma_fence_wait(fence, true);
		dma_fence_put(fence);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * tess_outs_free() - free what is to be signalled
 * @outs: from tess_outs_create(), or NULL
 * @count: number of them
 */
void tess_outs_free(struct tess_out *outs, u32 count)
{
	u32 i;

	for (i = 0; outs && i < count; i++) {
		dma_fence_chain_free(outs[i].chain);
		if (outs[i].syncobj)
			drm_syncobj_put(outs[i].syncobj);
	}
	kfree(outs);
}

/**
 * tess_outs_create() - look up what is to be signalled
 * @file: open file
 * @syncs: what user space named
 * @count: number of them
 *
 * Return: as many, ready for tess_outs_attach(), or error pointer: -ENOENT no such syncobj;
 * -ENOMEM.
 */
struct tess_out *tess_outs_create(struct drm_file *file, const struct drm_tessera_sync *syncs,
				  u32 count)
{
	struct tess_out *outs;
	int ret = -ENOMEM;
	u32 i;

	outs = kcalloc(count, sizeof(*outs), GFP_KERNEL);
	if (!outs)
		return ERR_PTR(-ENOMEM);

	for (i = 0; i < count; i++) {
		ret = -ENOENT;
		outs[i].syncobj = drm_syncobj_find(file, syncs[i].handle);
		if (!outs[i].syncobj)
			goto err_free;
		outs[i].point = syncs[i].point;
		if (!outs[i].point)
			continue;
		ret = -ENOMEM;
		outs[i].chain = dma_fence_chain_alloc();
		if (!outs[i].chain)
			goto err_free;
	}
	return outs;

err_free:
	tess_outs_free(outs, count);
	return ERR_PTR(ret);
}

/**
 * tess_outs_attach() - give syncobjs a fence
 * @outs: from tess_outs_create()
 * @count: number of them
 * @fence: fence
 */
void tess_outs_attach(struct tess_out *outs, u32 count, struct dma_fence *fence)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (outs[i].chain)
			drm_syncobj_add_point(outs[i].syncobj, outs[i].chain, fence,
					      outs[i].point);
		else
			drm_syncobj_replace_fence(outs[i].syncobj, fence);
		outs[i].chain = NULL;
	}
}
