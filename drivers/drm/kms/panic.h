/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_PANIC_H_
#define _TESSERA_DRM_PANIC_H_

struct drm_plane;
struct drm_scanout_buffer;

int tess_panic_get_buffer(struct drm_plane *plane, struct drm_scanout_buffer *sb);
void tess_panic_flush(struct drm_plane *plane);

#endif
