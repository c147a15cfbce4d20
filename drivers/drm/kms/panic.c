// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: panic screen
 *
 * When the kernel panics, DRM draws why into what the heads show. VRAM is mapped as long as the GPU
 * is there, so nothing has to be allocated, and no lock is taken: other CPUs do not run any more.
 * One of them, or this one, may have been stopped between two registers of a picture; all of them
 * are written again, which also tells viewers that all of the picture changed.
 */
#include <linux/iosys-map.h>
#include <drm/drm_crtc.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_panic.h>
#include <drm/drm_plane.h>
#include "base/device.h"
#include "kms.h"
#include "panic.h"
#include "picture.h"

static bool panic_picture(const struct drm_plane *plane, struct tess_head_picture *picture)
{
	const struct drm_plane_state *state = plane->state;
	const struct drm_crtc_state *crtc;

	if (!state || !state->crtc || !state->fb || !state->visible)
		return false;
	crtc = state->crtc->state;
	return crtc && crtc->active && !tess_picture_find(state, &crtc->mode, picture);
}

/**
 * tess_panic_get_buffer() - where to draw, as drm_plane_helper_funcs.get_scanout_buffer()
 * @plane: of an output
 * @sb: set
 *
 * Panic context.
 *
 * Return: 0, -ENODEV the head shows nothing.
 */
int tess_panic_get_buffer(struct drm_plane *plane, struct drm_scanout_buffer *sb)
{
	const struct tess_output *out = container_of(plane, struct tess_output, plane);
	struct tess_head_picture picture;

	if (!panic_picture(plane, &picture))
		return -ENODEV;
	sb->format = plane->state->fb->format;
	sb->width = picture.width;
	sb->height = picture.height;
	sb->pitch[0] = picture.pitch;
	iosys_map_set_vaddr_iomem(&sb->map[0], out->tdev->info.vram + picture.address);
	return 0;
}

/**
 * tess_panic_flush() - show what was drawn, as drm_plane_helper_funcs.panic_flush()
 * @plane: of an output
 *
 * Panic context.
 */
void tess_panic_flush(struct drm_plane *plane)
{
	const struct tess_output *out = container_of(plane, struct tess_output, plane);
	struct tess_head_picture picture;

	if (!panic_picture(plane, &picture))
		return;
	picture.now = true;
	tess_head_show(out->tdev->gpu, out->index, &picture);
}
