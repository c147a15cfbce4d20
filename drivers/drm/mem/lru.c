// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order in which BOs of VRAM were used, as far as it is known (evict.c).
 */
#include <linux/list.h>
#include <linux/timekeeping.h>
#include "base/device.h"
#include "gem.h"
#include "lru.h"

static struct tess_bo *to_lru_bo(struct rb_node *node)
{
	return rb_entry(node, struct tess_bo, lru.node);
}

static bool tess_lru_less(u64 used, u64 serial, const struct tess_lru_node *other)
{
	return used < other->used || (used == other->used && serial < other->serial);
}

static bool tess_lru_node_less(struct rb_node *a, const struct rb_node *b)
{
	const struct tess_lru_node *left = rb_entry(a, struct tess_lru_node, node);

	return tess_lru_less(left->used, left->serial, rb_entry(b, struct tess_lru_node, node));
}

/**
 * tess_lru_add() - a BO may be evicted from now on
 * @bo: BO in VRAM that others can find, or whose reservation is held
 */
void tess_lru_add(struct tess_bo *bo)
{
	struct tess_device *tdev = to_tess_device(bo->shmem.base.dev);

	if (bo->is_contiguous || bo->is_import)
		return;
	spin_lock(&tdev->lru_lock);
	bo->lru.used = READ_ONCE(bo->used);
	bo->lru.serial = tdev->lru_serial++;
	rb_add_cached(&bo->lru.node, &tdev->lru, tess_lru_node_less);
	spin_unlock(&tdev->lru_lock);
}

/**
 * tess_lru_remove() - a BO cannot be evicted any more
 * @bo: BO, in the order or not
 */
void tess_lru_remove(struct tess_bo *bo)
{
	struct tess_device *tdev = to_tess_device(bo->shmem.base.dev);

	spin_lock(&tdev->lru_lock);
	if (!RB_EMPTY_NODE(&bo->lru.node)) {
		rb_erase_cached(&bo->lru.node, &tdev->lru);
		RB_CLEAR_NODE(&bo->lru.node);
	}
	spin_unlock(&tdev->lru_lock);
}

/**
 * tess_lru_update() - a BO was used since
 * @bo: BO, in the order or not
 * @used: when
 *
 * Return: false: it is where it belongs, or not there any more.
 */
bool tess_lru_update(struct tess_bo *bo, u64 used)
{
	struct tess_device *tdev = to_tess_device(bo->shmem.base.dev);
	bool later;

	spin_lock(&tdev->lru_lock);
	later = !RB_EMPTY_NODE(&bo->lru.node) && bo->lru.used < used;
	if (later) {
		rb_erase_cached(&bo->lru.node, &tdev->lru);
		bo->lru.used = used;
		rb_add_cached(&bo->lru.node, &tdev->lru, tess_lru_node_less);
	}
	spin_unlock(&tdev->lru_lock);
	return later;
}

/**
 * tess_lru_find_locked() - the next BO in the order
 * @tdev: device, its lru_lock is held
 * @used: of the one before
 * @serial: of the one before
 *
 * Return: BO, or NULL.
 */
struct tess_bo *tess_lru_find_locked(struct tess_device *tdev, u64 used, u64 serial)
{
	struct rb_node *node = tdev->lru.rb_root.rb_node;
	struct tess_bo *found = NULL;

	lockdep_assert_held(&tdev->lru_lock);
	while (node) {
		struct tess_bo *bo = to_lru_bo(node);

		if (tess_lru_less(used, serial, &bo->lru)) {
			found = bo;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

/**
 * tess_bo_enlist() - from now on a BO is evicted, and given back when the GPU goes
 * @tdev: device
 * @bo: complete BO that nobody else knows
 */
void tess_bo_enlist(struct tess_device *tdev, struct tess_bo *bo)
{
	mutex_lock(&tdev->bo_lock);
	list_add_tail(&bo->link, &tdev->bos);
	mutex_unlock(&tdev->bo_lock);
	bo->used = ktime_get_ns();
	if (bo->vram)
		tess_lru_add(bo);
}
