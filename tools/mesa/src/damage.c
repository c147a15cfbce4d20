// SPDX-License-Identifier: MIT
/*
 * Buffers of a display are those of a DRM device that a program has opened, not libtessera's.
 */
#include <stdbool.h>
#include <string.h>

#include <drm/tessera_drm.h>
#include <xf86drm.h>

#include "module.h"

static bool is_ours(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);
	bool ours = version && !strcmp(version->name, "tessera");

	drmFreeVersion(version);
	return ours;
}

/* It is a hint: an older driver does without */
void tess_gl_damage(int fd, const struct lp_offload_damage *damage)
{
	struct drm_tessera_bo_damage args = {
		.handle = damage->handle,
		.previous = damage->previous,
		.x1 = damage->x,
		.y1 = damage->y,
		.x2 = damage->x + damage->width,
		.y2 = damage->y + damage->height,
	};

	if (is_ours(fd))
		drmIoctl(fd, DRM_IOCTL_TESSERA_BO_DAMAGE, &args);
}
