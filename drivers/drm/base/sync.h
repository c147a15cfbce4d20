/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_SYNC_H_
#define _TESSERA_DRM_SYNC_H_

#include <linux/types.h>

#define TESS_MAX_SYNCS		64

struct dma_fence;
struct dma_fence_chain;
struct drm_file;
struct drm_syncobj;
struct drm_tessera_array;
struct drm_tessera_sync;

/**
 * struct tess_out - a syncobj to signal
 * @syncobj: referenced
 * @chain: allocated for a timeline point, until it is used
 * @point: timeline point
 */
struct tess_out {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
	u64 point;
};

struct drm_tessera_sync *tess_syncs_copy(const struct drm_tessera_array *arr);
int tess_syncs_wait(struct drm_file *file, const struct drm_tessera_sync *syncs, u32 count);

struct tess_out *tess_outs_create(struct drm_file *file, const struct drm_tessera_sync *syncs,
				  u32 count);
void tess_outs_attach(struct tess_out *outs, u32 count, struct dma_fence *fence);
void tess_outs_free(struct tess_out *outs, u32 count);

#endif
