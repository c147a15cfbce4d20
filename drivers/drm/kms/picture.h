/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_PICTURE_H_
#define _TESSERA_DRM_PICTURE_H_

#include <tessera/display.h>

struct drm_display_mode;
struct drm_plane_state;

u32 tess_picture_period(const struct drm_display_mode *mode);
int tess_picture_find(const struct drm_plane_state *state, const struct drm_display_mode *mode,
		      struct tess_head_picture *picture);

#endif
