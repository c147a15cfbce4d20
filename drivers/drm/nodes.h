/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_NODES_H_
#define _TESSERA_DRM_NODES_H_

struct drm_driver;
struct tess_device;

int tess_nodes_init(struct tess_device *tdev, const struct drm_driver *driver);
void tess_nodes_fini(struct tess_device *tdev);
void tess_nodes_each(struct tess_device *tdev, void (*tell)(struct tess_device *tdev));

#endif
