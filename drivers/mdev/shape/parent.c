// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parents are found, and vGPUs are counted where they have slices.
 */
#include <linux/bitmap.h>
#include <linux/cleanup.h>
#include <linux/device.h>
#include <linux/slab.h>
#include <tessera/vgpu.h>
#include "base/mdev.h"
#include "base/parts.h"
#include "parent.h"

static void tess_mdev_parent_release(struct kref *ref)
{
	struct tess_mdev_parent *parent = container_of(ref, struct tess_mdev_parent, ref);

	put_device(parent->dev);
	kfree(parent);
}

struct tess_mdev_parent *tess_mdev_parent_find(struct tess_mdev_frontend *frontend,
					       struct tess_gpu *gpu)
{
	struct tess_mdev_parent *parent, *found = NULL;

	mutex_lock(&frontend->lock);
	list_for_each_entry(parent, &frontend->parents, link) {
		if (parent->gpu == gpu)
			found = parent;
	}
	if (found)
		kref_get(&found->ref);
	mutex_unlock(&frontend->lock);
	return found;
}

struct tess_mdev_parent *tess_mdev_parent_of(struct tess_mdev *tm)
{
	struct tess_mdev_parent *own = tm->type->parent, *parent = NULL;

	lockdep_assert_held(&tm->shape.lock);
	if (tm->parts.count)
		parent = tess_mdev_parent_find(own->frontend,
					       tess_vgpu_gpu(tess_mdev_first(&tm->parts)));
	if (parent)
		return parent;
	kref_get(&own->ref);
	return own;
}

struct tess_mdev_parent *tess_mdev_parent_by_index(struct tess_mdev_frontend *frontend,
						   unsigned int index)
{
	struct tess_mdev_parent *parent;

	guard(mutex)(&frontend->lock);
	list_for_each_entry(parent, &frontend->parents, link) {
		if (parent->gpu && tess_gpu_info(parent->gpu)->index == index) {
			kref_get(&parent->ref);
			return parent;
		}
	}
	return NULL;
}

struct tess_mdev_parent *tess_mdev_parent_for(struct tess_mdev_frontend *frontend,
					      unsigned long *tried,
					      const struct tess_blueprint *bp)
{
	struct tess_mdev_parent *parent, *found = NULL;
	unsigned int n, most = 0;

	guard(mutex)(&frontend->lock);
	list_for_each_entry(parent, &frontend->parents, link) {
		/* The GPU stays: gpu_remove() needs the lock first */
		if (!parent->gpu || test_bit(tess_gpu_info(parent->gpu)->index, tried))
			continue;
		n = tess_gpu_room(parent->gpu, bp);
		if (n <= most)
			continue;
		most = n;
		found = parent;
	}
	if (!found)
		return NULL;
	__set_bit(tess_gpu_info(found->gpu)->index, tried);
	kref_get(&found->ref);
	return found;
}

void tess_mdev_parent_put(struct tess_mdev_parent *parent)
{
	kref_put(&parent->ref, tess_mdev_parent_release);
}

/* Blank ones are counted where they were made */
void tess_mdev_touched(struct tess_mdev *tm, unsigned long *gpus)
{
	const struct tess_mdev_parent *own = tm->type->parent;

	scoped_guard(mutex, &tm->page.lock) {
		tess_mdev_parts_gpus(&tm->parts, gpus);
		if (tm->parts.count)
			return;
	}
	guard(mutex)(&own->frontend->lock);
	if (own->gpu)
		__set_bit(tess_gpu_info(own->gpu)->index, gpus);
}

void tess_mdev_parents_changed(struct tess_mdev_frontend *frontend, const unsigned long *gpus)
{
	struct tess_mdev_parent *parent;
	unsigned int i;

	for_each_set_bit(i, gpus, TESS_MAX_GPUS) {
		parent = tess_mdev_parent_by_index(frontend, i);
		if (!parent)
			continue;
		kobject_uevent(&parent->dev->kobj, KOBJ_CHANGE);
		tess_mdev_parent_put(parent);
	}
}
