/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_EVICT_H_
#define _TESSERA_DRM_EVICT_H_

#include <linux/types.h>

struct tess_device;
struct tess_vram;

struct tess_vram *tess_evict_alloc(struct tess_device *tdev, u64 size, int near, bool contiguous);
u64 tess_evict_for_vgpu(struct tess_device *tdev, u64 bytes);
void tess_evict_for(struct tess_device *tdev, u64 size, u64 before);

#endif
