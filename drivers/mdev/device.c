// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: vGPU devices
 *
 * What a vGPU consists of is taken from the pool when its mdev is created, or when a
 * blueprint is written to it (shape.c), and given back when it is removed, so that a VM that
 * starts cannot find its GPU gone; between two VMMs that open it, it is reset and its memory
 * zeroed.
 *
 *	created --open--> open --close--> created --remove--> (pool)
 *	   |               | FLR, VFIO_DEVICE_RESET, RESET register: same state
 *	   +---- gone() ---+---> dead --close, remove--> (nothing left to give back)
 *	   +- failed reset +
 *
 * A device of which a reset failed (reset.c) is dead, as one whose GPU has gone. It reads as
 * all ones, ignores writes and has parking pages mapped, until the VMM closes it. No VMM can open
 * it again before it was composed anew.
 */
#include <linux/bitmap.h>
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/mdev.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <tessera/compat.h>
#include <tessera/gpu.h>
#include "base/irq.h"
#include "base/mdev.h"
#include "base/page.h"
#include "device.h"
#include "display/dmabuf.h"
#include "display/head.h"
#include "display/view.h"
#include "guest/access.h"
#include "guest/config.h"
#include "guest/ioctl.h"
#include "guest/msix.h"
#include "guest/reset.h"
#include "guest/stop.h"
#include "map/doorbell.h"
#include "map/mmap.h"
#include "mem/dma.h"
#include "migration/fsm.h"
#include "shape/change.h"
#include "shape/parent.h"
#include "shape/shape.h"
#include "shape/tell.h"
#include "shape/types.h"

static int tess_mdev_open(struct vfio_device *vdev)
{
	struct tess_mdev *tm = to_tess_mdev(vdev);

	guard(mutex)(&tm->shape.lock);
	if (!tm->parts.count) {
		dev_notice_ratelimited(vdev->dev, "is blank, it needs a blueprint before it is used\n");
		return -ENXIO;
	}
	if (READ_ONCE(tm->dead))
		return -ENODEV;
	tm->shape.open = true;
	mutex_lock(&tm->lock);
	tess_mdev_config_reset(tm);
	tess_mdev_msix_reset(tm);
	tess_mdev_bars_reset(tm);
	tess_mdev_heads_open(tm);
	tm->migration.state = VFIO_DEVICE_STATE_RUNNING;
	mutex_unlock(&tm->lock);
	tess_mdev_dma_open(tm);
	return 0;
}

static void device_close_locked(struct tess_mdev *tm)
{
	/* A change of the composition ends first */
	guard(mutex)(&tm->shape.lock);
	guard(mutex)(&tm->lock);
	tess_mdev_reset_gpu(tm);
	tm->migration.arrived = false;
	tess_mdev_go(tm);
	tess_mdev_heads_close(tm);
	tess_mdev_dmabufs_close(tm);
	tess_mdev_dma_close(tm);
	tess_mdev_irqs_reset(tm, true);
	clear_highpage(tm->parking);
	tess_mdev_doorbells_reset(tm);
}

static void tess_mdev_close(struct vfio_device *vdev)
{
	struct tess_mdev *tm = to_tess_mdev(vdev);

	device_close_locked(tm);
	/* Takes as long as VFIO does. Until it is over the VMM has it open */
	tess_mdev_dma_closed(tm);
	guard(mutex)(&tm->shape.lock);
	tess_mdev_dmabufs_closed(tm);
	tm->shape.open = false;
}

static void tess_mdev_request(struct vfio_device *vdev, unsigned int count)
{
	if (!tess_mdev_irq_request(to_tess_mdev(vdev)) && !count)
		dev_notice(vdev->dev, "is to be removed but its user does not listen\n");
}

static int tess_mdev_init_dev(struct vfio_device *vdev)
{
	struct tess_mdev *tm = to_tess_mdev(vdev);

	mutex_init(&tm->lock);
	init_rwsem(&tm->map_lock);
	mutex_init(&tm->doorbell_lock);
	tess_mdev_shape_init(tm);
	tess_mdev_relocation_init(tm);
	tess_mdev_irqs_init(tm);
	tess_mdev_heads_init(tm);
	tess_mdev_dma_init(tm);
	tess_mdev_migration_init(tm);
	tm->parking = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!tm->parking)
		return -ENOMEM;
	if (tess_mdev_page_init(tm)) {
		__free_page(tm->parking);
		return -ENOMEM;
	}
	return 0;
}

static void tess_mdev_release_dev(struct vfio_device *vdev)
{
	struct tess_mdev *tm = to_tess_mdev(vdev);
	s64 pinned = atomic64_read(&tm->stats.pinned_pages);

	if (pinned)
		dev_err(vdev->dev, "%lld pages of a guest are left pinned\n", pinned);
	tess_mdev_dma_fini(tm);
	tess_mdev_page_fini(tm);
	tess_mdev_doorbells_trim(tm, 0);
	__free_page(tm->parking);
}

static const struct vfio_device_ops tess_mdev_vfio_ops = {
	.name = "vfio-tessera",
	.init = tess_mdev_init_dev,
	.release = tess_mdev_release_dev,
	.open_device = tess_mdev_open,
	.close_device = tess_mdev_close,
	.read = tess_mdev_read,
	.write = tess_mdev_write,
	.ioctl = tess_mdev_ioctl,
#ifndef TESS_VFIO_REGION_INFO_IOCTL
	.get_region_info_caps = tess_mdev_region_info,
#endif
	.mmap = tess_mdev_mmap,
	.request = tess_mdev_request,
	.dma_unmap = tess_mdev_dma_unmap,
	.bind_iommufd = vfio_iommufd_emulated_bind,
	.unbind_iommufd = vfio_iommufd_emulated_unbind,
	.attach_ioas = vfio_iommufd_emulated_attach_ioas,
	.detach_ioas = vfio_iommufd_emulated_detach_ioas,
};

static void device_join(struct tess_mdev *tm)
{
	struct tess_mdev_frontend *frontend = tm->type->parent->frontend;

	guard(mutex)(&frontend->mdevs_lock);
	list_add_tail(&tm->link, &frontend->mdevs);
}

static void device_leave(struct tess_mdev *tm)
{
	struct tess_mdev_frontend *frontend = tm->type->parent->frontend;

	guard(mutex)(&frontend->mdevs_lock);
	list_del(&tm->link);
}

/**
 * tess_mdev_probe() - make a vGPU for a new mdev
 * @mdev: mdev
 *
 * Return: 0; -ENOSPC not enough free slices or VRAM, the kernel log says what was
 * missing; -ENODEV the GPU goes away; -ENOMEM.
 */
int tess_mdev_probe(struct mdev_device *mdev)
{
	struct tess_mdev_type *type = to_tess_mdev_type(mdev->type);
	struct tess_mdev *tm;
	int ret;

	tm = vfio_alloc_device(tess_mdev, vdev, &mdev->dev, &tess_mdev_vfio_ops);
	if (IS_ERR(tm))
		return PTR_ERR(tm);
	tm->type = type;
	tm->wq = type->parent->frontend->wq;
	ret = tess_mdev_shape_create(tm);
	if (ret)
		goto err_put;
	dev_set_drvdata(&mdev->dev, tm);
	ret = tess_mdev_view_add(tm);
	if (ret)
		goto err_destroy;
	ret = vfio_register_emulated_iommu_dev(&tm->vdev);
	if (ret)
		goto err_view_remove;
	device_join(tm);
	tess_mdev_instances_changed(tm);
	return 0;

err_view_remove:
	tess_mdev_view_remove(tm);
err_destroy:
	tess_mdev_relocation_stop(tm);
	tess_mdev_shape_destroy(tm);
err_put:
	vfio_put_device(&tm->vdev);
	return ret;
}

/**
 * tess_mdev_remove() - give a vGPU back to the pool
 * @mdev: mdev; waits until nobody has it open
 */
void tess_mdev_remove(struct mdev_device *mdev)
{
	struct tess_mdev *tm = dev_get_drvdata(&mdev->dev);
	struct tess_mdev_frontend *frontend = tm->type->parent->frontend;
	DECLARE_BITMAP(gpus, TESS_MAX_GPUS) = {};

	vfio_unregister_group_dev(&tm->vdev);
	tess_mdev_view_remove(tm);
	device_leave(tm);
	tess_mdev_relocation_stop(tm);
	tess_mdev_touched(tm, gpus);
	tess_mdev_shape_destroy(tm);
	vfio_put_device(&tm->vdev);
	tess_mdev_parents_changed(frontend, gpus);
}
