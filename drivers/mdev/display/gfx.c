// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: the picture
 *
 * What a VMM needs to show head 0 to somebody, as linux/vfio.h has it for mediated devices:
 *
 * - *the plane* (VFIO_DEVICE_QUERY_GFX_PLANE): size and format, and the region where it is;
 * - *the picture region*, whose page at offset n is that of VRAM at the address of the head plus
 *   n. VMMs map it once and expect the picture at its start, so a flip to another
 *   place takes the mapping away (mmap.c). They can only read it. Or planes are dma-bufs
 *   (dmabuf.c);
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
#include "cursor.h"
#include "dmabuf.h"
#include "gfx.h"
#include "monitor.h"

/* Subtype of the picture region; its type is our PCI vendor ID */
#define PICTURE_SUBTYPE		1

/* False: head 0 shows no picture */
static bool describe_picture(const struct tess_mdev *tm, struct tess_mdev_numbered *plane)
{
	const struct tess_mdev_plane *picture = tess_mdev_picture(tm, 0);

	if (!picture)
		return false;
	plane->address = picture->address;
	plane->size = tess_mdev_picture_size(picture);
	plane->format = picture->format;
	plane->width = picture->width;
	plane->height = picture->height;
	plane->pitch = picture->pitch;
	return true;
}

static void fill_plane(struct vfio_device_gfx_plane_info *info,
		       const struct tess_mdev_numbered *plane)
{
	info->drm_format = plane->format;
	info->width = plane->width;
	info->height = plane->height;
	info->stride = plane->pitch;
	info->size = plane->size;
}

/* Without a picture all is zero */
static void query_region(struct tess_mdev *tm, struct vfio_device_gfx_plane_info *info)
{
	struct tess_mdev_numbered plane = {};

	guard(rwsem_read)(&tm->map_lock);
	if (info->drm_plane_type == DRM_PLANE_TYPE_CURSOR || !describe_picture(tm, &plane))
		return;
	fill_plane(info, &plane);
	info->region_index = TESS_MDEV_PICTURE_REGION;
}

static void query_dmabuf(struct tess_mdev *tm, struct vfio_device_gfx_plane_info *info)
{
	struct tess_mdev_numbered plane = {};
	bool shown = false;

	guard(rwsem_write)(&tm->map_lock);
	if (info->drm_plane_type == DRM_PLANE_TYPE_PRIMARY)
		shown = describe_picture(tm, &plane);
	else if (info->drm_plane_type == DRM_PLANE_TYPE_CURSOR)
		shown = tess_mdev_cursor_plane(tm, 0, &plane, info);
	if (!shown)
		return;
	fill_plane(info, &plane);
	info->dmabuf_id = tess_mdev_dmabuf_number(tm, &plane);
}

long tess_mdev_query_plane(struct tess_mdev *tm, void __user *arg)
{
	const size_t minsz = offsetofend(struct vfio_device_gfx_plane_info, region_index);
	struct vfio_device_gfx_plane_info in, out = {};
	u32 type;

	if (!READ_ONCE(tm->display.present))
		return -ENOTTY;
	if (copy_from_user(&in, arg, minsz))
		return -EFAULT;
	if (in.argsz < minsz)
		return -EINVAL;
	type = in.flags & ~VFIO_GFX_PLANE_TYPE_PROBE;
	if (type != VFIO_GFX_PLANE_TYPE_REGION &&
	    (type != VFIO_GFX_PLANE_TYPE_DMABUF || !READ_ONCE(tm->display.dmabufs.offered)))
		return -EINVAL;
	if (in.flags != type)
		return 0;
	out.argsz = in.argsz;
	out.flags = in.flags;
	out.drm_plane_type = in.drm_plane_type;
	out.x_hot = U32_MAX;
	out.y_hot = U32_MAX;
	if (type == VFIO_GFX_PLANE_TYPE_DMABUF)
		query_dmabuf(tm, &out);
	else
		query_region(tm, &out);
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
