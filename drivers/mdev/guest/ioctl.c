// SPDX-License-Identifier: GPL-2.0-only
/*
 * VFIO ioctls of a vGPU: one function each. All of them follow linux/vfio.h; -EINVAL
 * also for an argsz that is too small.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <tessera/compat.h>
#include "base/irq.h"
#include "base/mdev.h"
#include "base/region.h"
#include "display/dmabuf.h"
#include "display/gfx.h"
#include "ioctl.h"
#include "map/area.h"
#include "mem/dma.h"
#include "reset.h"

static long ioctl_get_info(struct tess_mdev *tm, void __user *arg)
{
	const size_t minsz = offsetofend(struct vfio_device_info, num_irqs);
	struct vfio_device_info info;

	if (copy_from_user(&info, arg, minsz))
		return -EFAULT;
	if (info.argsz < minsz)
		return -EINVAL;
	info.flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET;
	info.num_regions = tm->display.present ? TESS_MDEV_NUM_REGIONS : VFIO_PCI_NUM_REGIONS;
	info.num_irqs = VFIO_PCI_NUM_IRQS;
	return copy_to_user(arg, &info, minsz) ? -EFAULT : 0;
}

/**
 * tess_mdev_region_info() - describe a region
 * @vdev: device
 * @info: index is given, the rest is filled in
 * @caps: gets the areas that can be mapped
 *
 * Return: 0, -EINVAL no such index, -ENOMEM.
 */
int tess_mdev_region_info(struct vfio_device *vdev, struct vfio_region_info *info,
			  struct vfio_info_cap *caps)
{
	struct tess_mdev *tm = to_tess_mdev(vdev);

	if (info->index >= (tm->display.present ? TESS_MDEV_NUM_REGIONS : VFIO_PCI_NUM_REGIONS))
		return -EINVAL;
	info->offset = TESS_MDEV_REGION_OFFSET(info->index);
	info->size = tess_mdev_region_size(tm, info->index);
	info->flags = 0;
	if (!info->size)
		return 0;
	if (info->index >= VFIO_PCI_NUM_REGIONS)
		return tess_mdev_gfx_region_info(tm, info, caps);
	info->flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	return tess_mdev_region_areas(tm, info, caps);
}

#ifdef TESS_VFIO_REGION_INFO_IOCTL
/* Puts the capabilities behind the structure if there is room, else says how much it takes */
static long put_caps(struct vfio_region_info *info, struct vfio_info_cap *caps, void __user *arg)
{
	if (!caps->size)
		return 0;
	info->flags |= VFIO_REGION_INFO_FLAG_CAPS;
	if (info->argsz < sizeof(*info) + caps->size) {
		info->argsz = sizeof(*info) + caps->size;
		info->cap_offset = 0;
		return 0;
	}
	vfio_info_cap_shift(caps, sizeof(*info));
	if (copy_to_user(arg + sizeof(*info), caps->buf, caps->size))
		return -EFAULT;
	info->cap_offset = sizeof(*info);
	return 0;
}

static long ioctl_get_region_info(struct tess_mdev *tm, void __user *arg)
{
	const size_t minsz = offsetofend(struct vfio_region_info, offset);
	struct vfio_info_cap caps = {};
	struct vfio_region_info info;
	long ret;

	if (copy_from_user(&info, arg, minsz))
		return -EFAULT;
	if (info.argsz < minsz)
		return -EINVAL;
	info.cap_offset = 0;
	ret = tess_mdev_region_info(&tm->vdev, &info, &caps);
	if (!ret)
		ret = put_caps(&info, &caps, arg);
	kfree(caps.buf);
	if (!ret && copy_to_user(arg, &info, minsz))
		ret = -EFAULT;
	return ret;
}
#endif

static long ioctl_get_irq_info(struct tess_mdev *tm, void __user *arg)
{
	const size_t minsz = offsetofend(struct vfio_irq_info, count);
	struct vfio_irq_info info;

	if (copy_from_user(&info, arg, minsz))
		return -EFAULT;
	/* Refused as vfio-pci does it where there is no error interrupt, see irq.c */
	if (info.argsz < minsz || info.index >= VFIO_PCI_NUM_IRQS ||
	    info.index == VFIO_PCI_ERR_IRQ_INDEX)
		return -EINVAL;
	info.count = tess_mdev_irq_count(info.index);
	info.flags = tess_mdev_irq_flags(info.index);
	return copy_to_user(arg, &info, minsz) ? -EFAULT : 0;
}

static long ioctl_set_irqs(struct tess_mdev *tm, void __user *arg)
{
	const size_t minsz = offsetofend(struct vfio_irq_set, count);
	struct vfio_irq_set hdr;
	void *data = NULL;
	size_t size = 0;
	long ret;

	if (copy_from_user(&hdr, arg, minsz))
		return -EFAULT;
	ret = vfio_set_irqs_validate_and_prepare(&hdr, tess_mdev_irq_count(hdr.index),
						 VFIO_PCI_NUM_IRQS, &size);
	if (ret)
		return ret;
	if (size) {
		data = memdup_user(arg + minsz, size);
		if (IS_ERR(data))
			return PTR_ERR(data);
	}
	mutex_lock(&tm->lock);
	ret = tess_mdev_set_irqs(tm, &hdr, data);
	mutex_unlock(&tm->lock);
	kfree(data);
	return ret;
}

static long ioctl_reset(struct tess_mdev *tm)
{
	mutex_lock(&tm->lock);
	tess_mdev_reset_function(tm);
	mutex_unlock(&tm->lock);
	tess_mdev_dma_follow(tm);
	return READ_ONCE(tm->dead) ? -ENODEV : 0;
}

/**
 * tess_mdev_ioctl() - ioctls of the device file
 * @vdev: device
 * @cmd: VFIO_DEVICE_*
 * @arg: user pointer
 *
 * Return: 0, or a file; -ENOTTY not supported; -EFAULT; -EINVAL; -ENODEV a reset after the GPU is
 * gone; -ENOENT a plane that is shown no more; -EMFILE; -ENOMEM.
 */
long tess_mdev_ioctl(struct vfio_device *vdev, unsigned int cmd, unsigned long arg)
{
	struct tess_mdev *tm = to_tess_mdev(vdev);
	void __user *uarg = (void __user *)arg;

	switch (cmd) {
	case VFIO_DEVICE_GET_INFO:
		return ioctl_get_info(tm, uarg);
#ifdef TESS_VFIO_REGION_INFO_IOCTL
	case VFIO_DEVICE_GET_REGION_INFO:
		return ioctl_get_region_info(tm, uarg);
#endif
	case VFIO_DEVICE_GET_IRQ_INFO:
		return ioctl_get_irq_info(tm, uarg);
	case VFIO_DEVICE_SET_IRQS:
		return ioctl_set_irqs(tm, uarg);
	case VFIO_DEVICE_QUERY_GFX_PLANE:
		return tess_mdev_query_plane(tm, uarg);
	case VFIO_DEVICE_GET_GFX_DMABUF:
		return tess_mdev_get_dmabuf(tm, uarg);
	case VFIO_DEVICE_RESET:
		return ioctl_reset(tm);
	default:
		return -ENOTTY;
	}
}
