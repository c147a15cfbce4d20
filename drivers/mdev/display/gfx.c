// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: the picture
 *
 * What a VMM needs to show head 0 to somebody, as linux/vfio.h has it for mediated devices:
 *
 * - *the plane* (VFIO_DEVICE_QUERY_GFX_PLANE): size and format, and the region where it is;
 * - *the picture region*, whose page at offset n is that of VRAM at the address of the head plus
 *   n. VMMs map it once and expect the picture at its start, so a flip takes the mapping away
 *   (mmap.c). They can only read it;
 * - *the EDID region*: what the VMM's window is like, and whether somebody looks (monitor.c).
 *
 * VFIO knows one head of a device. Viewers of all heads have a file of their own (view.c).
 */
#include <linux/string.h>
#include <linux/uaccess.h>
#include <drm/drm_plane.h>
#include <tessera/memory.h>
#include "base/mdev.h"
#include "base/region.h"
#include "base/vram.h"
#include "gfx.h"
#include "monitor.h"

/* Subtype of the picture region; its type is our PCI vendor ID */
#define PICTURE_SUBTYPE		1

/* Without a picture all is zero */
static void fill_plane(struct tess_mdev *tm, struct vfio_device_gfx_plane_info *info)
{
	const struct tess_mdev_plane *picture;

	guard(rwsem_read)(&tm->map_lock);
	picture = tess_mdev_picture(tm, 0);
	if (!picture)
		return;
	info->drm_format = picture->format;
	info->width = picture->width;
	info->height = picture->height;
	info->stride = picture->pitch;
	info->size = tess_mdev_picture_size(picture);
	info->region_index = TESS_MDEV_PICTURE_REGION;
}

long tess_mdev_query_plane(struct tess_mdev *tm, void __user *arg)
{
	const size_t minsz = offsetofend(struct vfio_device_gfx_plane_info, region_index);
	struct vfio_device_gfx_plane_info in, out = {};

	if (!READ_ONCE(tm->display.present))
		return -ENOTTY;
	if (copy_from_user(&in, arg, minsz))
		return -EFAULT;
	if (in.argsz < minsz)
		return -EINVAL;
	if (in.flags == (VFIO_GFX_PLANE_TYPE_PROBE | VFIO_GFX_PLANE_TYPE_REGION))
		return 0;
	if (in.flags != VFIO_GFX_PLANE_TYPE_REGION)
		return -EINVAL;
	out.argsz = in.argsz;
	out.flags = in.flags;
	out.drm_plane_type = in.drm_plane_type;
	out.x_hot = U32_MAX;
	out.y_hot = U32_MAX;
	if (in.drm_plane_type != DRM_PLANE_TYPE_CURSOR)
		fill_plane(tm, &out);
	return copy_to_user(arg, &out, minsz) ? -EFAULT : 0;
}

int tess_mdev_gfx_region_info(struct tess_mdev *tm, struct vfio_region_info *info,
			      struct vfio_info_cap *caps)
{
	struct vfio_region_info_cap_type type = {
		.header.id = VFIO_REGION_INFO_CAP_TYPE,
		.header.version = 1,
	};

	if (info->index == TESS_MDEV_PICTURE_REGION) {
		info->flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_MMAP;
		type.type = VFIO_REGION_TYPE_PCI_VENDOR_TYPE | TESS_PCI_VENDOR_ID;
		type.subtype = PICTURE_SUBTYPE;
	} else {
		info->flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
		type.type = VFIO_REGION_TYPE_GFX;
		type.subtype = VFIO_REGION_SUBTYPE_GFX_EDID;
	}
	return vfio_info_add_capability(caps, &type.header, sizeof(type));
}

/* ---- the EDID region ---- */

static void edid_regs(const struct tess_mdev *tm, struct vfio_region_gfx_edid *regs)
{
	const struct tess_mdev_display *display = &tm->display;

	memset(regs, 0, sizeof(*regs));
	regs->edid_offset = TESS_MDEV_EDID_OFFSET;
	regs->edid_max_size = TESS_EDID_MAX;
	regs->edid_size = display->monitor[0].next.size;
	tess_mdev_max_resolution(tm->vram ? tm->vram->size : 0, 1, &regs->max_xres,
				 &regs->max_yres);
	regs->link_state = display->monitor[0].link ? VFIO_DEVICE_GFX_LINK_STATE_UP :
					   VFIO_DEVICE_GFX_LINK_STATE_DOWN;
}

void tess_mdev_edid_read(struct tess_mdev *tm, u32 off, void *buf, unsigned int len)
{
	struct vfio_region_gfx_edid regs;

	guard(rwsem_read)(&tm->map_lock);
	memset(buf, 0, len);
	edid_regs(tm, &regs);
	if (off + len <= sizeof(regs))
		memcpy(buf, (u8 *)&regs + off, len);
	else if (off >= TESS_MDEV_EDID_OFFSET)
		memcpy(buf, tm->display.monitor[0].next.blob + off - TESS_MDEV_EDID_OFFSET, len);
}

static int edid_set_size(struct tess_mdev *tm, u32 size)
{
	if (size > TESS_EDID_MAX || size % 128)
		return -EINVAL;
	tm->display.monitor[0].next.size = size;
	return 0;
}

static int edid_set_link(struct tess_mdev *tm, u32 state)
{
	if (state != VFIO_DEVICE_GFX_LINK_STATE_UP && state != VFIO_DEVICE_GFX_LINK_STATE_DOWN)
		return -EINVAL;
	tess_mdev_set_link(tm, 0, state == VFIO_DEVICE_GFX_LINK_STATE_UP);
	return 0;
}

int tess_mdev_edid_write(struct tess_mdev *tm, u32 off, const void *buf, unsigned int len)
{
	u32 val;

	guard(rwsem_write)(&tm->map_lock);
	if (off >= TESS_MDEV_EDID_OFFSET) {
		memcpy(tm->display.monitor[0].next.blob + off - TESS_MDEV_EDID_OFFSET, buf, len);
		return 0;
	}
	if (len != sizeof(val))
		return -EINVAL;
	memcpy(&val, buf, sizeof(val));
	switch (off) {
	case offsetof(struct vfio_region_gfx_edid, edid_size):
		return edid_set_size(tm, val);
	case offsetof(struct vfio_region_gfx_edid, link_state):
		return edid_set_link(tm, val);
	default:
		return -EINVAL;
	}
}
