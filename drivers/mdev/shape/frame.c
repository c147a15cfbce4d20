// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a client finds follows from the parts of its vGPU. It is exchanged together with them.
 */
#include <linux/bitfield.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/sizes.h>
#include <drm/tessera_packet.h>
#include <tessera/gpu.h>
#include <tessera/memory.h>
#include <tessera/vgpu.h>
#include "base/mdev.h"
#include "base/page.h"
#include "base/parts.h"
#include "frame.h"
#include "guest/config.h"
#include "guest/reset.h"

static void frame_fill_ident(struct tess_mdev *tm, const struct tess_gpu_info *info)
{
	struct tess_mdev_ident *ident = &tm->ident;
	u64 vram = tm->vram ? tm->vram->size : 0;

	/* Of the capabilities, those that concern the client and need no host page */
	ident->caps = TESS_CAPS_VGPU | TESS_CAPS_INVALIDATE |
		      (info->caps & (TESS_CAPS_DRAW | TESS_CAPS_FABRIC | TESS_CAPS_TEX |
				     TESS_CAPS_ROP | TESS_CAPS_RAY));
	ident->clock_khz = info->clock_khz;
	ident->limits = FIELD_PREP(TESS_LIMITS_GROUP_SLOTS, info->group_slots) |
			FIELD_PREP(TESS_LIMITS_GROUP_ITEMS_LOG2,
				   ilog2(DRM_TESSERA_MAX_GROUP_ITEMS)) |
			FIELD_PREP(TESS_LIMITS_LOCAL_KIB, DRM_TESSERA_MAX_LOCAL_BYTES / SZ_1K) |
			FIELD_PREP(TESS_LIMITS_RING_LOG2, TESS_RING_LOG2_MAX);
	ident->bank_size = div_u64(vram, tm->vslices);
	ident->bar_size = roundup_pow_of_two(max_t(u64, vram, PAGE_SIZE));
}

/* What follows from tm->parts */
void tess_mdev_fill_frame(struct tess_mdev *tm)
{
	const struct tess_vgpu *first = tess_mdev_first(&tm->parts);
	const struct tess_vram *vram = first ? tess_vgpu_vram(first) : NULL;
	const struct tess_gpu_info *info;

	lockdep_assert_held_write(&tm->map_lock);
	lockdep_assert_held(&tm->doorbell_lock);
	tm->vslices = tess_mdev_parts_vslices(&tm->parts);
	if (vram != tm->vram)
		tm->vram_number++;
	tm->vram = vram;
	if (!first)
		return;
	/* There is VRAM only where there is one part, and GPUs of several are alike */
	info = tess_gpu_info(tess_vgpu_gpu(first));
	tm->gpu_info = info;
	frame_fill_ident(tm, info);
}

static int frame_exchange_locked(struct tess_mdev *tm, struct tess_mdev_parts *composed)
{
	lockdep_assert_held(&tm->dma.lock);
	lockdep_assert_held_write(&tm->map_lock);
	/* Its gone() may have been called when it was nobody's; if not, it finds it here */
	if (tess_mdev_parts_gone(composed))
		return -ENODEV;
	tess_mdev_page_exchange(tm, composed);
	tess_mdev_fill_frame(tm);
	tm->time_base = 0;
	WRITE_ONCE(tm->dead, false);
	return 0;
}

/*
 * Make a composition the vGPU's; @composed is then the one before. -ENODEV: a GPU went,
 * nothing was changed.
 */
int tess_mdev_install(struct tess_mdev *tm, struct tess_mdev_parts *composed)
{
	int ret;

	mutex_lock(&tm->lock);
	mutex_lock(&tm->dma.lock);
	down_write(&tm->map_lock);
	mutex_lock(&tm->doorbell_lock);
	ret = frame_exchange_locked(tm, composed);
	mutex_unlock(&tm->doorbell_lock);
	up_write(&tm->map_lock);
	mutex_unlock(&tm->dma.lock);
	if (!ret && tm->parts.count)
		tess_mdev_config_init(tm);
	if (!ret)
		tess_mdev_bars_reset(tm);
	mutex_unlock(&tm->lock);
	return ret;
}
