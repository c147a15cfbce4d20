// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: cursors
 *
 * An image that a head shows on top of its picture, at a place that the guest changes with a single
 * register. The host composes nothing: viewers (view.c) get the picture, the image and the place,
 * and so does a VMM that takes planes as dma-bufs (dmabuf.c). With the region, QEMU does not look
 * at the plane that VFIO has for the cursor. So head 0 shows a cursor with dma-bufs, or if no VMM
 * looks at it, which is what path=remote in the blueprint says; the others, which VFIO does not
 * know, always do. STATUS.CURSOR tells the guest, which draws the cursor into the picture where it
 * is 0.
 *
 * The image is read when a viewer asks for it. It is checked when it is committed, as a picture is,
 * and VRAM does not change its size while a VMM has it open.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/string.h>
#include <linux/vfio.h>
#include <linux/wordpart.h>
#include <drm/drm_fourcc.h>
#include <tessera/memory.h>
#include <tessera/vgpu.h>
#include <uapi/linux/tessera_view.h>
#include "base/format.h"
#include "base/mdev.h"
#include "base/parts.h"
#include "base/viewer.h"
#include "base/vram.h"
#include "cursor.h"

static_assert(TESSERA_VIEW_CURSOR_SIZE == TESS_CURSOR_SIZE);

bool tess_mdev_cursor_is_shown(const struct tess_mdev_display *display, unsigned int n)
{
	return display->given & BIT(n) && (n || display->remote || display->dmabufs.offered);
}

static enum tess_display_error cursor_check(const struct tess_mdev *tm, unsigned int n,
					    const struct tess_mdev_cursor *cursor)
{
	u64 size = tm->vram ? tm->vram->size : 0;

	if (!(tm->display.given & BIT(n)))
		return TESS_DISPLAY_ERR_HEAD;
	if (!(cursor->control & TESS_DCURSOR_ENABLE))
		return TESS_DISPLAY_OK;
	if (FIELD_GET(TESS_CURSOR_X, cursor->hot) >= TESS_CURSOR_SIZE ||
	    FIELD_GET(TESS_CURSOR_Y, cursor->hot) >= TESS_CURSOR_SIZE)
		return TESS_DISPLAY_ERR_CURSOR;
	if (!IS_ALIGNED(cursor->address, TESS_PAGE_SIZE) || size < TESS_CURSOR_BYTES ||
	    cursor->address > size - TESS_CURSOR_BYTES)
		return TESS_DISPLAY_ERR_ADDRESS;
	return TESS_DISPLAY_OK;
}

static bool is_enabled(const struct tess_mdev_cursor *cursor)
{
	return cursor->control & TESS_DCURSOR_ENABLE;
}

static void cursor_set(struct tess_mdev *tm, unsigned int n, const struct tess_mdev_cursor *cursor)
{
	struct tess_mdev_head *head = &tm->display.head[n];
	bool was = is_enabled(&head->cursor);

	head->cursor = *cursor;
	if (!was && !is_enabled(cursor))
		return;
	tm->display.totals[n].cursor_serial++;
	tess_mdev_viewers_tell_cursor(tm, n);
}

static void cursor_commit(struct tess_mdev *tm, unsigned int n)
{
	struct tess_mdev_head *head = &tm->display.head[n];
	const struct tess_mdev_cursor *cursor = &head->cursor_set;

	head->error = cursor_check(tm, n, cursor);
	if (!head->error && is_enabled(cursor) && !tess_mdev_cursor_is_shown(&tm->display, n))
		head->error = TESS_DISPLAY_ERR_CURSOR;
	if (!head->error)
		cursor_set(tm, n, cursor);
}

static void cursor_move(struct tess_mdev *tm, unsigned int n, u32 position)
{
	struct tess_mdev_head *head = &tm->display.head[n];

	if (head->cursor_position == position)
		return;
	head->cursor_position = position;
	if (is_enabled(&head->cursor))
		tess_mdev_viewers_tell_cursor(tm, n);
}

/* ---- registers ---- */

static bool is_address(u32 off)
{
	return (off & ~4) == TESS_DREG_CURSOR_ADDRESS;
}

bool tess_mdev_cursor_read(const struct tess_mdev *tm, unsigned int n, u32 off, unsigned int len,
			   u64 *val)
{
	const struct tess_mdev_head *head = &tm->display.head[n];
	u64 address = head->cursor_set.address;

	if (is_address(off)) {
		*val = len == 8 ? address : off & 4 ? upper_32_bits(address) :
						      lower_32_bits(address);
		return true;
	}
	if (len != 4)
		return false;
	switch (off) {
	case TESS_DREG_CURSOR_CONTROL:
		*val = head->cursor_set.control;
		return true;
	case TESS_DREG_CURSOR_HOT:
		*val = head->cursor_set.hot;
		return true;
	case TESS_DREG_CURSOR_POSITION:
		*val = head->cursor_position;
		return true;
	default:
		return false;
	}
}

static void write_address(struct tess_mdev_head *head, u32 off, unsigned int len, u64 val)
{
	if (len == 8)
		head->cursor_set.address = val;
	else if (off & 4)
		head->cursor_set.address = val << 32 | head->cursor_low;
	else
		head->cursor_low = val;
}

bool tess_mdev_cursor_write(struct tess_mdev *tm, unsigned int n, u32 off, unsigned int len,
			    u64 val)
{
	struct tess_mdev_head *head = &tm->display.head[n];

	lockdep_assert_held_write(&tm->map_lock);
	if (is_address(off)) {
		write_address(head, off, len, val);
		return true;
	}
	if (len != 4)
		return false;
	switch (off) {
	case TESS_DREG_CURSOR_CONTROL:
		head->cursor_set.control = val & TESS_DCURSOR_ENABLE;
		return true;
	case TESS_DREG_CURSOR_HOT:
		head->cursor_set.hot = val;
		return true;
	case TESS_DREG_CURSOR_COMMIT:
		if (val == 1)
			cursor_commit(tm, n);
		return true;
	case TESS_DREG_CURSOR_POSITION:
		cursor_move(tm, n, val);
		return true;
	default:
		return false;
	}
}

/* ---- viewers ---- */

void tess_mdev_cursor_look(struct tess_mdev *tm, struct tess_mdev_viewer *viewer,
			   struct tessera_view_cursor *look)
{
	const struct tess_mdev_head *head = &tm->display.head[look->head];

	lockdep_assert_held_write(&tm->map_lock);
	look->serial = tm->display.totals[look->head].cursor_serial;
	if (!tm->dead && is_enabled(&head->cursor)) {
		look->state = TESSERA_VIEW_CURSOR_SHOWN;
		look->x = (s16)FIELD_GET(TESS_CURSOR_X, head->cursor_position);
		look->y = (s16)FIELD_GET(TESS_CURSOR_Y, head->cursor_position);
		look->hot_x = FIELD_GET(TESS_CURSOR_X, head->cursor.hot);
		look->hot_y = FIELD_GET(TESS_CURSOR_Y, head->cursor.hot);
	}
	viewer->cursor_looked |= BIT(look->head);
	WRITE_ONCE(viewer->cursor_changed, viewer->cursor_changed & ~BIT(look->head));
}

bool tess_mdev_cursor_plane(const struct tess_mdev *tm, unsigned int n,
			    struct tess_mdev_numbered *plane,
			    struct vfio_device_gfx_plane_info *info)
{
	const struct tess_mdev_head *head = &tm->display.head[n];

	if (tm->dead || !is_enabled(&head->cursor))
		return false;
	plane->address = head->cursor.address;
	plane->size = TESS_CURSOR_BYTES;
	plane->format = DRM_FORMAT_ARGB8888;
	plane->width = TESS_CURSOR_SIZE;
	plane->height = TESS_CURSOR_SIZE;
	plane->pitch = TESS_CURSOR_BYTES / TESS_CURSOR_SIZE;
	/* Negative if part of it is outside of the picture, as QEMU has it */
	info->x_pos = (s16)FIELD_GET(TESS_CURSOR_X, head->cursor_position);
	info->y_pos = (s16)FIELD_GET(TESS_CURSOR_Y, head->cursor_position);
	info->x_hot = FIELD_GET(TESS_CURSOR_X, head->cursor.hot);
	info->y_hot = FIELD_GET(TESS_CURSOR_Y, head->cursor.hot);
	return true;
}

int tess_mdev_cursor_image(struct tess_mdev *tm, unsigned int n, void *pixels)
{
	struct tess_vgpu *vgpu = tess_mdev_first(&tm->parts);

	if (!vgpu || !tm->vram)
		return -ENODEV;
	return tess_vram_read(tess_vgpu_gpu(vgpu), tm->vram, tm->display.head[n].cursor.address,
			      pixels, TESS_CURSOR_BYTES);
}

/* ---- migration ---- */

static void save_one(const struct tess_mdev_cursor *cursor, struct tess_mig_cursor_image *out)
{
	out->control = cpu_to_le32(cursor->control);
	out->hot = cpu_to_le32(cursor->hot);
	out->address = cpu_to_le64(cursor->address);
}

static void load_one(const struct tess_mig_cursor_image *in, struct tess_mdev_cursor *cursor)
{
	cursor->control = le32_to_cpu(in->control) & TESS_DCURSOR_ENABLE;
	cursor->hot = le32_to_cpu(in->hot);
	cursor->address = le64_to_cpu(in->address);
}

bool tess_mdev_cursor_save(struct tess_mdev *tm, unsigned int n, struct tess_mig_cursor *out)
{
	const struct tess_mdev_head *head = &tm->display.head[n];

	guard(rwsem_read)(&tm->map_lock);
	save_one(&head->cursor_set, &out->set);
	save_one(&head->cursor, &out->shown);
	out->position = cpu_to_le32(head->cursor_position);
	out->address_low = cpu_to_le32(head->cursor_low);
	return memchr_inv(out, 0, sizeof(*out));
}

/* It stays what it was, also if nobody shows it here: then the guest is told by an event */
int tess_mdev_cursor_load(struct tess_mdev *tm, unsigned int n, const struct tess_mig_cursor *in)
{
	struct tess_mdev_head *head = &tm->display.head[n];
	struct tess_mdev_cursor shown;

	load_one(&in->shown, &shown);
	guard(rwsem_write)(&tm->map_lock);
	/* It was taken on the way, with all that it showed */
	if (!(tm->display.given & BIT(n)))
		return 0;
	if (cursor_check(tm, n, &shown) != TESS_DISPLAY_OK)
		return -EINVAL;
	load_one(&in->set, &head->cursor_set);
	head->cursor_position = le32_to_cpu(in->position);
	head->cursor_low = le32_to_cpu(in->address_low);
	cursor_set(tm, n, &shown);
	if (is_enabled(&shown) && !tess_mdev_cursor_is_shown(&tm->display, n))
		head->events |= TESS_DEVENT_LINK;
	return 0;
}
