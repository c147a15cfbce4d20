/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_IMPORT_H_
#define _TESSERA_DRM_IMPORT_H_

struct dma_buf;
struct drm_device;
struct drm_gem_object;
struct tess_bo;
struct tess_device;

struct drm_gem_object *tess_bo_prime_import(struct drm_device *drm, struct dma_buf *buf);
int tess_import_check_locked(struct tess_bo *bo);
void tess_imports_leave(struct tess_device *tdev);

#endif
