// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: cursors
 *
 * A head shows an image of 64x64 pixels on top of its picture, if whoever looks at it does: the
 * host says so, and it can change at any time. Where it does not, commits with a cursor are
 * refused, by the error that a CRTC without cursor has, and compositors draw it into the picture.
 * They are told of a change as of that of a monitor.
 *
 * A cursor takes effect at once, also within an atomic commit, whose picture comes with the next
 * frame. What moves alone is a register, and waits for nothing.
 *
 * The GPU shows the cursor where it was told, exactly, so programs do not have to say which pixel
 * of it points. Those that do, by the legacy ioctl or the properties HOTSPOT_X and HOTSPOT_Y, let
 * viewers know. DRIVER_CURSOR_HOTSPOT is for GPUs whose cursor follows the pointer of the host:
 * DRM would make the properties, and hide the plane from programs that do not know them.
 */
#include <linux/sizes.h>
#include <drm/drm_atomic.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_atomic_state_helper.h>
#include <drm/drm_drv.h>
#include <drm/drm_fourcc.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_modeset_helper_vtables.h>
#include <drm/drm_print.h>
#include <drm/drm_property.h>
#include <tessera/compat.h>
#include <tessera/memory.h>
#include "base/device.h"
#include "cursor.h"
#include "kms.h"
#include "mem/gem.h"

static const u32 cursor_formats[] = { DRM_FORMAT_ARGB8888 };

static const u64 cursor_modifiers[] = {
	DRM_FORMAT_MOD_LINEAR,
	DRM_FORMAT_MOD_INVALID,
};

static struct tess_output *plane_to_output(struct drm_plane *plane)
{
	return container_of(plane, struct tess_output, cursor.plane);
}

/* ---- what it is to be ---- */

/* The image is what a buffer begins with, which is as wide, and nothing else of it. */
static bool cursor_is_image(const struct drm_plane_state *state)
{
	const struct drm_framebuffer *fb = state->fb;
	const struct tess_bo *bo = to_tess_bo(fb->obj[0]);

	return fb->width == TESS_CURSOR_SIZE && fb->height >= TESS_CURSOR_SIZE &&
	       fb->pitches[0] == TESS_CURSOR_SIZE * sizeof(u32) && !(fb->offsets[0] % SZ_4K) &&
	       bo->shmem.base.size >= fb->offsets[0] + (u64)TESS_CURSOR_BYTES && !state->src_x &&
	       !state->src_y && state->src_w == TESS_CURSOR_SIZE << 16 &&
	       state->src_h == TESS_CURSOR_SIZE << 16;
}

static int cursor_check(struct drm_plane *plane, struct tess_atomic_commit *state)
{
	struct drm_plane_state *new = drm_atomic_get_new_plane_state(state, plane);
	struct tess_output *out = plane_to_output(plane);
	struct drm_crtc_state *crtc = NULL;
	int ret;

	if (new->crtc)
		crtc = drm_atomic_get_new_crtc_state(state, new->crtc);
	ret = drm_atomic_helper_check_plane_state(new, crtc, DRM_PLANE_NO_SCALING,
						  DRM_PLANE_NO_SCALING, true, true);
	if (ret || !new->visible)
		return ret;
	if (!READ_ONCE(out->cursor.possible)) {
		drm_dbg_kms(plane->dev, "nobody shows a cursor of head %u\n", out->index);
		return -ENXIO;
	}
	if (!cursor_is_image(new)) {
		drm_dbg_kms(plane->dev, "a cursor is the first %ux%u pixels of a buffer as wide\n",
			    TESS_CURSOR_SIZE, TESS_CURSOR_SIZE);
		return -EINVAL;
	}
	return 0;
}

static void cursor_describe(const struct drm_plane_state *state, struct tess_head_cursor *image)
{
	const struct drm_framebuffer *fb = state->fb;
	const struct tess_bo *bo = to_tess_bo(fb->obj[0]);

	*image = (struct tess_head_cursor){
		.address = bo->vram->extent[0].offset + fb->offsets[0],
		.hot_x = clamp(state->hotspot_x, 0, TESS_CURSOR_SIZE - 1),
		.hot_y = clamp(state->hotspot_y, 0, TESS_CURSOR_SIZE - 1),
	};
}

/* ---- telling the GPU ---- */

static void cursor_tell(struct tess_output *out)
{
	struct tess_cursor *cursor = &out->cursor;
	int ret;

	lockdep_assert_held(&out->picture_lock);
	tess_crc_set_cursor(out);
	ret = tess_head_set_cursor(out->tdev->gpu, out->index,
				   cursor->shown ? &cursor->image : NULL);
	if (ret)
		drm_dbg_kms(out->tdev->drm, "head %u shows no other cursor: %d\n", out->index, ret);
}

static void cursor_move(struct tess_output *out, int x, int y)
{
	struct tess_cursor *cursor = &out->cursor;

	lockdep_assert_held(&out->picture_lock);
	if (cursor->x == x && cursor->y == y)
		return;
	/* It is within the largest picture, or a size of it left of that */
	cursor->x = x;
	cursor->y = y;
	tess_crc_set_cursor(out);
	tess_head_move_cursor(out->tdev->gpu, out->index, x, y);
}

/* @anew: it is another image, or was not there */
static void cursor_show(struct tess_output *out, const struct drm_plane_state *state, bool anew)
{
	struct tess_cursor *cursor = &out->cursor;
	int idx;

	if (!drm_dev_enter(out->tdev->drm, &idx))
		return;
	mutex_lock(&out->picture_lock);
	if (state->visible)
		cursor_move(out, state->crtc_x, state->crtc_y);
	if (anew || cursor->shown != state->visible) {
		cursor->shown = state->visible;
		if (cursor->shown)
			cursor_describe(state, &cursor->image);
		cursor_tell(out);
	}
	mutex_unlock(&out->picture_lock);
	drm_dev_exit(idx);
}

static void cursor_update(struct drm_plane *plane, struct tess_atomic_commit *state)
{
	const struct drm_plane_state *old = drm_atomic_get_old_plane_state(state, plane);
	const struct drm_plane_state *new = drm_atomic_get_new_plane_state(state, plane);

	cursor_show(plane_to_output(plane), new, old->fb != new->fb);
}

static void cursor_disable(struct drm_plane *plane, struct tess_atomic_commit *state)
{
	static const struct drm_plane_state nothing;

	cursor_show(plane_to_output(plane), &nothing, false);
}

/* ---- without a frame ---- */

static int cursor_async_check(TESS_ASYNC_PARAMS)
{
	const struct drm_plane_state *old = drm_atomic_get_old_plane_state(state, plane);
	const struct drm_plane_state *new = drm_atomic_get_new_plane_state(state, plane);

	/* What comes or goes is for a commit, which checks all of it */
	return old->fb && new->fb && old->crtc == new->crtc ? cursor_check(plane, state) : -EINVAL;
}

static void cursor_async_update(struct drm_plane *plane, struct tess_atomic_commit *state)
{
	struct drm_plane_state *new = drm_atomic_get_new_plane_state(state, plane);
	struct drm_plane_state *now = plane->state;
	bool anew = now->fb != new->fb;

	now->src = new->src;
	now->dst = new->dst;
	now->visible = new->visible;
	now->crtc_x = new->crtc_x;
	now->crtc_y = new->crtc_y;
	now->hotspot_x = new->hotspot_x;
	now->hotspot_y = new->hotspot_y;
	/* The helper drops the one that @new has */
	swap(now->fb, new->fb);
	cursor_show(plane_to_output(plane), now, anew);
}

static const struct drm_plane_helper_funcs cursor_helpers = {
	.atomic_check = cursor_check,
	.atomic_update = cursor_update,
	.atomic_disable = cursor_disable,
	.atomic_async_check = cursor_async_check,
	.atomic_async_update = cursor_async_update,
};

static const struct drm_plane_funcs cursor_funcs = {
	.update_plane = drm_atomic_helper_update_plane,
	.disable_plane = drm_atomic_helper_disable_plane,
	.destroy = drm_plane_cleanup,
	.reset = drm_atomic_helper_plane_reset,
	.atomic_duplicate_state = drm_atomic_helper_plane_duplicate_state,
	.atomic_destroy_state = drm_atomic_helper_plane_destroy_state,
};

static struct drm_property *cursor_add_property(struct drm_plane *plane, const char *name)
{
	struct drm_property *property;

	property = drm_property_create_signed_range(plane->dev, 0, name, INT_MIN, INT_MAX);
	if (property)
		drm_object_attach_property(&plane->base, property, 0);
	return property;
}

/**
 * tess_cursor_init() - make the plane
 * @out: output of a GPU with TESS_CAPS_HEAD_CURSOR
 *
 * Return: 0 or negative errno.
 */
int tess_cursor_init(struct tess_output *out)
{
	struct drm_plane *plane = &out->cursor.plane;
	int ret;

	ret = drm_universal_plane_init(out->tdev->drm, plane, 0, &cursor_funcs, cursor_formats,
				       ARRAY_SIZE(cursor_formats), cursor_modifiers,
				       DRM_PLANE_TYPE_CURSOR, NULL);
	if (ret)
		return ret;
	drm_plane_helper_add(plane, &cursor_helpers);
	plane->hotspot_x_property = cursor_add_property(plane, "HOTSPOT_X");
	plane->hotspot_y_property = cursor_add_property(plane, "HOTSPOT_Y");
	return plane->hotspot_x_property && plane->hotspot_y_property ? 0 : -ENOMEM;
}

/**
 * tess_cursor_hide() - the head is about to show nothing
 * @out: output, whose picture_lock is held, of a device that is there
 */
void tess_cursor_hide(struct tess_output *out)
{
	lockdep_assert_held(&out->picture_lock);
	if (!out->cursor.shown)
		return;
	out->cursor.shown = false;
	cursor_tell(out);
}

/**
 * tess_cursor_restore() - the head may be another one, or looked at in another way
 * @out: output, whose picture_lock is held, of a device that is there
 * @status: TESS_DSTATUS_*
 */
void tess_cursor_restore(struct tess_output *out, u32 status)
{
	struct tess_cursor *cursor = &out->cursor;
	bool possible = status & TESS_DSTATUS_CURSOR;

	lockdep_assert_held(&out->picture_lock);
	if (possible && !cursor->possible && cursor->shown) {
		tess_head_move_cursor(out->tdev->gpu, out->index, cursor->x, cursor->y);
		cursor_tell(out);
	}
	WRITE_ONCE(cursor->possible, possible);
}
