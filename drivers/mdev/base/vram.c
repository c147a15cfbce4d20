// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the client has of its GPU while it is there: where its VRAM is, what it shows of it, and
 * the time.
 */
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <tessera/gpu.h>
#include <tessera/memory.h>
#include <tessera/vgpu.h>
#include "mdev.h"
#include "parts.h"
#include "vram.h"

phys_addr_t tess_mdev_vram_phys(const struct tess_mdev *tm, u64 off, u64 *len)
{
	const struct tess_vram *vram = tm->vram;
	unsigned int i;

	for (i = 0; vram && i < vram->count; i++) {
		const struct tess_vram_extent *extent = &vram->extent[i];

		if (off < extent->size) {
			*len = extent->size - off;
			return tess_vram_phys(tm->gpu_info, extent->offset + off, len);
		}
		off -= extent->size;
	}
	return 0;
}

const struct tess_mdev_plane *tess_mdev_picture(const struct tess_mdev *tm, unsigned int n)
{
	const struct tess_mdev_plane *shown = &tm->display.head[n].shown;

	lockdep_assert_held(&tm->map_lock);
	return !tm->dead && shown->control & TESS_DCONTROL_ENABLE ? shown : NULL;
}

u64 tess_mdev_picture_size(const struct tess_mdev_plane *picture)
{
	/* No overflow: COMMIT refuses what is larger than TESS_DISPLAY_BYTES_MAX */
	return PAGE_ALIGN((u64)picture->pitch * picture->height);
}

phys_addr_t tess_mdev_picture_phys(const struct tess_mdev *tm, unsigned int n, u64 off)
{
	const struct tess_mdev_plane *picture = tess_mdev_picture(tm, n);
	u64 len;

	return picture ? tess_mdev_vram_phys(tm, picture->address + off, &len) : 0;
}

u64 tess_mdev_time(const struct tess_mdev *tm)
{
	lockdep_assert_held(&tm->map_lock);
	/* The GPU cannot go while @dead is kept from changing */
	if (tm->dead)
		return 0;
	return tm->time_base + tess_gpu_time(tess_vgpu_gpu(tess_mdev_first(&tm->parts)));
}
