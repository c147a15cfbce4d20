/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_FDINFO_H_
#define _TESSERA_DRM_FDINFO_H_

struct drm_file;
struct drm_printer;
struct tess_usage;

struct tess_usage *tess_usage_create(void);
struct tess_usage *tess_usage_get(struct tess_usage *usage);
void tess_usage_put(struct tess_usage *usage);

void tess_fdinfo_show(struct drm_printer *p, struct drm_file *file);

#endif
