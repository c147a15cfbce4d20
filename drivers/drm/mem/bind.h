/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_BIND_H_
#define _TESSERA_DRM_BIND_H_

#define TESS_MAX_BIND_OPS	1024

struct drm_device;
struct drm_file;

int tess_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
