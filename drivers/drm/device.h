/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_DEVICE_CREATE_H_
#define _TESSERA_DRM_DEVICE_CREATE_H_

#include <tessera/blueprint.h>

struct drm_driver;
struct tess_device;
struct tess_gpu;

/**
 * struct tess_device_params - arguments of tess_device_create()
 * @driver: DRM's part
 * @name: of its vGPU
 * @region: name of its VRAM for control groups
 * @blueprint: what it claims; no slices: it has what nobody else has
 * @heads: it has the display heads of the GPU
 * @reason: filled if it is refused; may be NULL
 */
struct tess_device_params {
	const struct drm_driver *driver;
	const char *name;
	const char *region;
	struct tess_blueprint blueprint;
	bool heads;
	struct tess_reason *reason;
};

struct tess_device *tess_device_create(struct tess_gpu *gpu,
				       const struct tess_device_params *params);
void tess_device_destroy(struct tess_device *tdev);
void tess_device_changed(struct tess_device *tdev);

#endif
