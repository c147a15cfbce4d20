/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_DAMAGE_H_
#define _TESSERA_DRM_DAMAGE_H_

#include <tessera/compat.h>
#include <tessera/display.h>

struct drm_device;
struct drm_file;
struct tess_atomic_commit;
struct tess_output;

int tess_bo_damage_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
struct tess_head_rect tess_damage_find(struct tess_output *out, struct tess_atomic_commit *commit);

#endif
