/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_CURSOR_H_
#define _TESSERA_DRM_CURSOR_H_

#include <linux/types.h>
#include <drm/drm_plane.h>
#include <tessera/display.h>

struct tess_output;

/**
 * struct tess_cursor - the cursor of a head; all but @plane and @possible under
 *	&tess_output.picture_lock
 * @plane: as DRM sees it
 * @possible: whoever looks at the head shows it; TESS_DSTATUS_CURSOR, as it was told last
 * @shown: it is to be shown, whatever the GPU does
 * @image: it
 * @x: where
 * @y: the same
 */
struct tess_cursor {
	struct drm_plane plane;
	bool possible;
	bool shown;
	struct tess_head_cursor image;
	s16 x;
	s16 y;
};

int tess_cursor_init(struct tess_output *out);
void tess_cursor_restore(struct tess_output *out, u32 status);
void tess_cursor_hide(struct tess_output *out);

#endif
