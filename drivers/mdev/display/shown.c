// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: what heads show
 *
 * The core composes for what it is told of: how many heads of a vGPU show something, the mode of
 * the one that is read most, in whose memory the frame of that one is, and whether a viewer
 * elsewhere looks. The front-end tells it when one of these is another, not at each flip. What the
 * guest sets can be anything that a COMMIT takes, as often as the guest likes, and costs no more
 * than a note to work that looks a few times a second.
 */
#include <linux/bitops.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <tessera/memory.h>
#include <tessera/vgpu.h>
#include "base/mdev.h"
#include "base/parts.h"
#include "shown.h"

#define REFRESH_DEFAULT	60

static u32 shown_refresh(const struct tess_mdev_plane *plane)
{
	return plane->period ? DIV_ROUND_CLOSEST(NSEC_PER_SEC, plane->period) : REFRESH_DEFAULT;
}

/* Memory of all vslices follows each other; a plane that is shown is within it */
static u32 shown_vslice(const struct tess_mdev *tm, const struct tess_mdev_plane *plane)
{
	u64 each = div_u64(tm->vram->size, tm->vslices);

	return min_t(u64, div64_u64(plane->address, each), tm->vslices - 1);
}

static void shown_sum(const struct tess_mdev *tm, struct tess_shown *shown)
{
	const struct tess_mdev_display *display = &tm->display;
	u64 pixels, most = 0;
	unsigned int n;

	memset(shown, 0, sizeof(*shown));
	shown->remote = display->given && display->watched;
	for (n = 0; n < TESS_HEADS_MAX; n++) {
		const struct tess_mdev_plane *plane = &display->head[n].shown;

		if (!(display->given & BIT(n)) || !(plane->control & TESS_DCONTROL_ENABLE))
			continue;
		shown->heads++;
		pixels = (u64)plane->width * plane->height * shown_refresh(plane);
		if (pixels <= most)
			continue;
		most = pixels;
		shown->mode.width = plane->width;
		shown->mode.height = plane->height;
		shown->mode.refresh = shown_refresh(plane);
		shown->vslice = shown_vslice(tm, plane);
	}
}

/**
 * tess_mdev_shown_tell() - tell the core what heads show if it is not what they showed
 * @tm: vGPU; map_lock is held for writing
 * @anew: it may have another composition, which was told nothing yet
 */
void tess_mdev_shown_tell(struct tess_mdev *tm, bool anew)
{
	struct tess_vgpu *vgpu = tess_mdev_first(&tm->parts);
	struct tess_shown shown;

	lockdep_assert_held_write(&tm->map_lock);
	shown_sum(tm, &shown);
	if (!anew && !memcmp(&shown, &tm->display.told, sizeof(shown)))
		return;
	tm->display.told = shown;
	if (vgpu)
		tess_vgpu_set_shown(vgpu, &shown);
}

/**
 * tess_mdev_watch() - a mapping of a viewer elsewhere came or went
 * @tm: vGPU; map_lock is held for writing
 * @change: 1 or -1
 */
void tess_mdev_watch(struct tess_mdev *tm, int change)
{
	lockdep_assert_held_write(&tm->map_lock);
	tm->display.watched += change;
	tess_mdev_shown_tell(tm, false);
}
