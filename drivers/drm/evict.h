/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_EVICT_H_
#define _TESSERA_DRM_EVICT_H_

#include <linux/rbtree.h>
#include <linux/types.h>

struct tess_bo;
struct tess_device;
struct tess_vm;
struct tess_vram;

/**
 * struct tess_lru_node - a BO in the order of use
 * @node: in tess_device::lru, empty if the BO is not to be evicted
 * @used: when it was used, as far as the order knows; it may have been used since
 * @serial: which one of those that were used together
 */
struct tess_lru_node {
	struct rb_node node;
	u64 used;
	u64 serial;
};

void tess_lru_add(struct tess_bo *bo);
void tess_lru_remove(struct tess_bo *bo);

struct tess_vram *tess_evict_alloc(struct tess_device *tdev, u64 size, int near, bool contiguous);
u64 tess_evict_for_vgpu(struct tess_device *tdev, u64 bytes);
void tess_evict_for(struct tess_device *tdev, u64 size, u64 before);

#endif
