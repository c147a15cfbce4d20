// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a head is to show of a framebuffer, in the words of the GPU.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <drm/drm_device.h>
#include <drm/drm_fourcc.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_modes.h>
#include <drm/drm_plane.h>
#include <drm/drm_print.h>
#include <drm/drm_rect.h>
#include <tessera/memory.h>
#include "mem/gem.h"
#include "picture.h"

/**
 * tess_picture_period() - from frame to frame of a mode
 * @mode: mode
 *
 * Return: ns; 0 of a mode without a clock.
 */
u32 tess_picture_period(const struct drm_display_mode *mode)
{
	u64 pixels = (u64)mode->htotal * mode->vtotal;

	if (mode->flags & DRM_MODE_FLAG_DBLSCAN)
		pixels *= 2;
	if (mode->vscan > 1)
		pixels *= mode->vscan;
	if (mode->flags & DRM_MODE_FLAG_INTERLACE)
		pixels /= 2;
	if (!mode->clock)
		return 0;
	return min_t(u64, div_u64(pixels * 1000000, mode->clock), U32_MAX);
}

/**
 * tess_picture_find() - what of a framebuffer is to be shown
 * @state: of a plane that is visible, whose device is there
 * @mode: of its CRTC
 * @picture: set but for its damage
 *
 * Any context.
 *
 * Return: 0; -EINVAL it does not begin with a page; -ENOSPC it is not within the buffer.
 */
int tess_picture_find(const struct drm_plane_state *state, const struct drm_display_mode *mode,
		      struct tess_head_picture *picture)
{
	const struct drm_framebuffer *fb = state->fb;
	const struct tess_bo *bo = to_tess_bo(fb->obj[0]);
	u32 width = drm_rect_width(&state->dst), height = drm_rect_height(&state->dst);
	u64 off = fb->offsets[0] + (u64)(state->src.y1 >> 16) * fb->pitches[0] +
		  (u64)(state->src.x1 >> 16) * fb->format->cpp[0];
	u64 size = (u64)(height - 1) * fb->pitches[0] + (u64)width * fb->format->cpp[0];

	if (off % SZ_4K) {
		drm_dbg_kms(fb->dev, "a picture begins with a page, not at %llu\n", off);
		return -EINVAL;
	}
	if (off + size > bo->shmem.base.size) {
		drm_dbg_kms(fb->dev, "%llu bytes at %llu are not in the buffer\n", size, off);
		return -ENOSPC;
	}
	*picture = (struct tess_head_picture){
		.format = fb->format->format,
		.width = width,
		.height = height,
		.pitch = fb->pitches[0],
		.address = bo->vram->extent[0].offset + off,
		.period = tess_picture_period(mode),
	};
	return 0;
}
