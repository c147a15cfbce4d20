/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_QUERY_H_
#define _TESSERA_DRM_QUERY_H_

struct drm_device;
struct drm_file;

int tess_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
