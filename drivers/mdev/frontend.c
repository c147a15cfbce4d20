// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: parents
 *
 * The parent of the vGPUs is the PCI device of the GPU, which is what libvirt, KubeVirt
 * and Nova know. A GPU that is a vGPU itself gives none: its slices belong to somebody.
 *
 * When a GPU is about to go, other GPUs get the vGPUs that it carries and that they have room
 * for (migrate.c). But the mdevs below it go with it, wherever they are carried: their VMMs are
 * asked for them, and until they are given back their guests can go on.
 *
 * When a GPU goes away, its vGPUs have to go as well, but a VMM may take its time to
 * close one, or never do it; VFIO waits for that without limit. The driver of the GPU
 * must not: it could not be unbound, nor a GPU be unplugged, against the will of a
 * guest. So the end of the registration runs as work; gpu_remove() waits for a few
 * seconds, which is enough for every VMM that reacts to the device request, and then
 * leaves the parent to the work. What lingers has no GPU any more (&tess_mdev.dead) and
 * goes when the file is closed. Until then the same device, bound again, can carry vGPUs of
 * other parents, and has none of its own: it is offered when the last one of before is gone.
 */
#include <linux/cleanup.h>
#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <tessera/gpu.h>
#include "base/mdev.h"
#include "frontend.h"
#include "shape/migrate.h"
#include "shape/parent.h"
#include "shape/types.h"

#define TESS_MDEV_REMOVE_TIMEOUT	(5 * HZ)

static struct tess_mdev_frontend *to_tess_mdev_frontend(struct tess_frontend *fe)
{
	return container_of(fe, struct tess_mdev_frontend, base);
}

/* Another one of the same device; one that the mdev core has, or one that has a GPU */
static struct tess_mdev_parent *frontend_find_twin(const struct tess_mdev_parent *parent,
						   bool offered)
{
	struct tess_mdev_parent *other;

	lockdep_assert_held(&parent->frontend->lock);
	list_for_each_entry(other, &parent->frontend->parents, link) {
		if (other != parent && other->dev == parent->dev &&
		    (offered ? other->offered : !!other->gpu))
			return other;
	}
	return NULL;
}

static bool frontend_claim_offer(struct tess_mdev_parent *parent)
{
	guard(mutex)(&parent->frontend->lock);
	if (!parent->gpu || parent->offered || frontend_find_twin(parent, true))
		return false;
	parent->offered = true;
	return true;
}

/* 1: not now, one that lingers has to go first */
static int frontend_offer(struct tess_mdev_parent *parent)
{
	int ret;

	if (!frontend_claim_offer(parent))
		return 1;
	ret = mdev_register_parent(&parent->base, parent->dev, parent->frontend->driver,
				   parent->list, parent->nr_types);
	if (!ret)
		return 0;
	mutex_lock(&parent->frontend->lock);
	parent->offered = false;
	mutex_unlock(&parent->frontend->lock);
	return ret;
}

static void tess_mdev_parent_offer(struct work_struct *work)
{
	struct tess_mdev_parent *parent = container_of(work, struct tess_mdev_parent, offer);
	int ret = frontend_offer(parent);

	if (ret < 0)
		dev_warn(parent->dev, "offers no vGPUs: %d\n", ret);
}

static void tess_mdev_parent_link(struct tess_mdev_parent *parent)
{
	mutex_lock(&parent->frontend->lock);
	list_add_tail(&parent->link, &parent->frontend->parents);
	mutex_unlock(&parent->frontend->lock);
}

/* Somebody may have waited for that */
static void tess_mdev_parent_unlink(struct tess_mdev_parent *parent)
{
	struct tess_mdev_frontend *frontend = parent->frontend;
	struct tess_mdev_parent *next;

	guard(mutex)(&frontend->lock);
	list_del(&parent->link);
	next = frontend_find_twin(parent, false);
	/* It is there until it has no GPU, and then its work is disabled first */
	if (next)
		queue_work(frontend->wq, &next->offer);
}

static void tess_mdev_parent_unregister(struct work_struct *work)
{
	struct tess_mdev_parent *parent =
		container_of(work, struct tess_mdev_parent, unregister);

	if (parent->offered)
		mdev_unregister_parent(&parent->base);
	tess_mdev_parent_unlink(parent);
	complete_all(&parent->done);
	tess_mdev_parent_put(parent);
}

static struct tess_mdev_parent *tess_mdev_parent_alloc(struct tess_mdev_frontend *frontend,
						       struct tess_gpu *gpu)
{
	struct tess_mdev_parent *parent;

	parent = kzalloc_obj(*parent);
	if (!parent)
		return NULL;
	kref_init(&parent->ref);
	parent->frontend = frontend;
	parent->dev = get_device(tess_gpu_dev(gpu));
	parent->gpu = gpu;
	init_rwsem(&parent->lock);
	init_completion(&parent->done);
	INIT_WORK(&parent->offer, tess_mdev_parent_offer);
	INIT_WORK(&parent->unregister, tess_mdev_parent_unregister);
	tess_mdev_types_init(parent, gpu);
	return parent;
}

/**
 * tess_mdev_gpu_add() - offer vGPUs of a GPU
 * @fe: front-end
 * @gpu: GPU
 *
 * Not at once if a VMM still has a vGPU from the last time that the device was here.
 *
 * Return: 0; -EOPNOTSUPP the GPU is a vGPU, has no stage 2, or no slice or VRAM to give; -ENOMEM;
 * what mdev_register_parent() returns.
 */
int tess_mdev_gpu_add(struct tess_frontend *fe, struct tess_gpu *gpu)
{
	struct tess_mdev_frontend *frontend = to_tess_mdev_frontend(fe);
	struct tess_mdev_parent *parent;
	int ret;

	if (tess_gpu_info(gpu)->is_vgpu)
		return -EOPNOTSUPP;
	if (!(tess_gpu_info(gpu)->caps & TESS_CAPS_STAGE2)) {
		dev_notice(tess_gpu_dev(gpu), "no vGPUs for virtual machines: the GPU has no stage 2\n");
		return -EOPNOTSUPP;
	}
	parent = tess_mdev_parent_alloc(frontend, gpu);
	if (!parent)
		return -ENOMEM;
	if (!parent->nr_types) {
		tess_mdev_parent_put(parent);
		return -EOPNOTSUPP;
	}
	tess_mdev_parent_link(parent);
	ret = frontend_offer(parent);
	if (ret > 0)
		dev_notice(parent->dev,
			   "a vGPU of the former binding is still open, none offered until it is closed\n");
	if (ret >= 0)
		return 0;
	tess_mdev_parent_unlink(parent);
	tess_mdev_parent_put(parent);
	return ret;
}

/**
 * tess_mdev_gpu_drain() - let other GPUs have the vGPUs of one that is about to go
 * @fe: front-end
 * @gpu: GPU; it works
 */
void tess_mdev_gpu_drain(struct tess_frontend *fe, struct tess_gpu *gpu)
{
	struct tess_mdev_frontend *frontend = to_tess_mdev_frontend(fe);
	struct tess_mdev *tm;

	guard(mutex)(&frontend->mdevs_lock);
	list_for_each_entry(tm, &frontend->mdevs, link)
		tess_mdev_leave(tm, gpu);
}

/**
 * tess_mdev_gpu_remove() - take back what was offered
 * @fe: front-end
 * @gpu: GPU; its vGPUs were told that it is gone
 */
void tess_mdev_gpu_remove(struct tess_frontend *fe, struct tess_gpu *gpu)
{
	struct tess_mdev_frontend *frontend = to_tess_mdev_frontend(fe);
	struct tess_mdev_parent *parent = tess_mdev_parent_find(frontend, gpu);

	if (!parent)
		return;
	down_write(&parent->lock);
	mutex_lock(&frontend->lock);
	parent->gpu = NULL;
	mutex_unlock(&frontend->lock);
	up_write(&parent->lock);

	disable_work_sync(&parent->offer);
	queue_work(frontend->wq, &parent->unregister);
	if (!wait_for_completion_timeout(&parent->done, TESS_MDEV_REMOVE_TIMEOUT))
		dev_notice(parent->dev, "a vGPU stays open without its GPU\n");
	tess_mdev_parent_put(parent);
}
