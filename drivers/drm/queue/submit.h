/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_SUBMIT_H_
#define _TESSERA_DRM_SUBMIT_H_

#define TESS_MAX_CMDS		64

struct drm_device;
struct drm_file;

int tess_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
