// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: damage
 *
 * A GPU that can use it is told with each picture what of it differs from the picture before. There
 * are two who say it. Programs that know KMS well set FB_DAMAGE_CLIPS, or call DIRTYFB, which DRM's
 * helpers make the same of. Mesa draws and leaves the flip to its program, which says nothing, so
 * Mesa tells it of the buffers (BO_DAMAGE). What is told gives the picture in a buffer a serial
 * number, and remembers that of the picture it was compared with. A head keeps the serial number of
 * what it shows, so it is known at a flip whether the new picture was compared with that one; if
 * not, all of it is damaged. Numbers are never used again, so nothing has to be forgotten when a
 * buffer goes.
 *
 * Nothing here has to be right for the kernel's sake: what is told wrongly is seen late.
 */
#include <drm/drm_atomic.h>
#include <drm/drm_damage_helper.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_gem.h>
#include <drm/drm_rect.h>
#include <drm/tessera_drm.h>
#include <tessera/compat.h>
#include "base/device.h"
#include "damage.h"
#include "kms.h"
#include "mem/gem.h"

static u16 damage_clamp(u32 pixels)
{
	return min_t(u32, pixels, TESS_DISPLAY_SIZE_MAX);
}

/* @previous: NULL, or what @bo was compared with */
static void damage_tell(struct tess_device *tdev, struct tess_bo *bo, struct tess_bo *previous,
			const struct drm_tessera_bo_damage *args)
{
	struct tess_bo_picture picture = {
		.damage.x1 = damage_clamp(args->x1),
		.damage.y1 = damage_clamp(args->y1),
		.damage.x2 = damage_clamp(args->x2),
		.damage.y2 = damage_clamp(args->y2),
	};

	spin_lock(&tdev->damage_lock);
	picture.serial = ++tdev->damage_serial;
	/* A picture that the buffer itself had is not there any more */
	if (previous && previous != bo)
		picture.previous = previous->picture.serial;
	bo->picture = picture;
	spin_unlock(&tdev->damage_lock);
}

/**
 * tess_bo_damage_ioctl() - DRM_IOCTL_TESSERA_BO_DAMAGE
 * @drm: device
 * @data: struct drm_tessera_bo_damage
 * @file: open file
 *
 * Return: 0; -EINVAL flags, padding, a rectangle that ends before it begins; -ENOENT no such
 * handle.
 */
int tess_bo_damage_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_tessera_bo_damage *args = data;
	struct drm_gem_object *obj, *previous = NULL;
	int ret = 0;

	if (args->flags || args->pad || args->x1 > args->x2 || args->y1 > args->y2)
		return -EINVAL;
	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;
	if (args->previous) {
		previous = drm_gem_object_lookup(file, args->previous);
		if (!previous)
			ret = -ENOENT;
	}
	if (!ret)
		damage_tell(to_tess_device(drm), to_tess_bo(obj),
			    previous ? to_tess_bo(previous) : NULL, args);
	if (previous)
		drm_gem_object_put(previous);
	drm_gem_object_put(obj);
	return ret;
}

static struct tess_bo_picture damage_told(struct tess_device *tdev, const struct tess_bo *bo)
{
	struct tess_bo_picture picture;

	spin_lock(&tdev->damage_lock);
	picture = bo->picture;
	spin_unlock(&tdev->damage_lock);
	return picture;
}

/* Pixels of both are in the same places */
static bool damage_is_alike(const struct drm_plane_state *old, const struct drm_plane_state *new)
{
	return old->fb && old->visible && drm_rect_equals(&old->src, &new->src) &&
	       old->fb->format == new->fb->format &&
	       old->fb->pitches[0] == new->fb->pitches[0] &&
	       old->fb->offsets[0] == new->fb->offsets[0];
}

/* Beyond all of it */
static struct tess_head_rect damage_nothing(unsigned int width, unsigned int height)
{
	return (struct tess_head_rect){ width, height, width + 1, height + 1 };
}

/* From pixels of the framebuffer to those that the head shows of it */
static struct tess_head_rect damage_shown(const struct drm_plane_state *state,
					  const struct drm_rect *damage)
{
	int x = state->src.x1 >> 16, y = state->src.y1 >> 16;
	int width = drm_rect_width(&state->dst), height = drm_rect_height(&state->dst);
	struct drm_rect shown = DRM_RECT_INIT(x, y, width, height);

	if (!drm_rect_intersect(&shown, damage))
		return damage_nothing(width, height);
	return (struct tess_head_rect){ shown.x1 - x, shown.y1 - y, shown.x2 - x, shown.y2 - y };
}

/**
 * tess_damage_find() - what differs from the picture that a head shows
 * @out: output, whose picture_lock is held. It is to show the new picture
 * @commit: what is committed, with or without its plane: perhaps it is about the cursor
 *
 * Return: for the GPU; empty: perhaps all of it.
 */
struct tess_head_rect tess_damage_find(struct tess_output *out, struct tess_atomic_commit *commit)
{
	const struct drm_plane_state *old = drm_atomic_get_old_plane_state(commit, &out->plane);
	struct drm_plane_state *new = drm_atomic_get_new_plane_state(commit, &out->plane);
	struct drm_rect damage = {};
	struct tess_bo_picture told;
	u64 serial = out->serial;

	lockdep_assert_held(&out->picture_lock);
	if (!old || !new)
		return out->refused ? (struct tess_head_rect){} :
				      damage_nothing(out->picture.width, out->picture.height);
	told = damage_told(out->tdev, to_tess_bo(new->fb->obj[0]));
	out->serial = told.serial;
	if (out->refused)
		return (struct tess_head_rect){};
	if (new->fb_damage_clips)
		drm_atomic_helper_damage_merged(old, new, &damage);
	else if (told.previous && told.previous == serial && damage_is_alike(old, new))
		drm_rect_init(&damage, told.damage.x1, told.damage.y1,
			      told.damage.x2 - told.damage.x1, told.damage.y2 - told.damage.y1);
	else
		return (struct tess_head_rect){};
	return damage_shown(new, &damage);
}
