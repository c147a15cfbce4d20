/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_LRU_H_
#define _TESSERA_DRM_LRU_H_

#include <linux/rbtree.h>
#include <linux/types.h>

struct tess_bo;
struct tess_device;

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
bool tess_lru_update(struct tess_bo *bo, u64 used);
struct tess_bo *tess_lru_find_locked(struct tess_device *tdev, u64 used, u64 serial);
void tess_bo_enlist(struct tess_device *tdev, struct tess_bo *bo);

#endif
