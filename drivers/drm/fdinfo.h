/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_FDINFO_H_
#define _TESSERA_DRM_FDINFO_H_

struct drm_file;
struct drm_printer;

void tess_fdinfo_show(struct drm_printer *p, struct drm_file *file);

#endif
