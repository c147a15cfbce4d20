// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: resets
 *
 * A reset stops the slices, zeroes what was written of VRAM, and forgets guest memory, registers
 * and what was stored to doorbells. One that fails leaves slices that may still run and VRAM with
 * what was in it, so that the device is dead then, as if its GPU had gone.
 */
#include <linux/string.h>
#include <tessera/vgpu.h>
#include "base/irq.h"
#include "base/mdev.h"
#include "base/page.h"
#include "base/parts.h"
#include "config.h"
#include "display/head.h"
#include "map/area.h"
#include "map/doorbell.h"
#include "mem/dma.h"
#include "msix.h"
#include "reset.h"
#include "stop.h"

/**
 * tess_mdev_bars_reset() - registers of the host's, and the composition page
 * @tm: vGPU
 */
void tess_mdev_bars_reset(struct tess_mdev *tm)
{
	struct tess_mdev_bars *bars = &tm->bars;

	bars->event_low = 0;
	memset(bars->low, 0, sizeof(bars->low));
	atomic64_set(&bars->event_pending, 0);
	atomic64_set(&bars->fault_pending, 0);
	tess_mdev_page_reset(tm);
}

static int reset_scrub_part(struct tess_mdev *tm, struct tess_mdev_part *part)
{
	u64 zeroed;
	int ret;

	tess_mdev_take_touched(tm, part);
	ret = tess_vgpu_scrub(part->vgpu, part->blocks, &zeroed);
	atomic64_add(zeroed, &tm->stats.zeroed_bytes);
	tess_mdev_zeroed(tm, part);
	return ret;
}

/* False: there is no telling what its slices do, and what its VRAM holds */
static bool reset_scrub_parts(struct tess_mdev *tm)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < tm->parts.count; i++)
		if (reset_scrub_part(tm, tm->parts.part[i]))
			good = false;
	return good;
}

/**
 * tess_mdev_reset_gpu() - what the RESET register does
 * @tm: vGPU
 *
 * Everything behind BAR0, and VRAM, is as after power-on; but not the GPU's time, which
 * goes on for others. If that fails it is dead afterwards.
 */
void tess_mdev_reset_gpu(struct tess_mdev *tm)
{
	lockdep_assert_held(&tm->lock);
	/* First: what is parked there belongs to the time before */
	tess_mdev_doorbells_reset(tm);
	/* Stops the slices. A fault of before may still pin memory: it is recalled then */
	if (!reset_scrub_parts(tm)) {
		dev_dbg(tm->vdev.dev, "cannot be reset: dead from now on\n");
		scoped_guard(rwsem_write, &tm->map_lock)
			tess_mdev_set_dead(tm);
	}
	tess_mdev_dma_release(tm);
	tess_mdev_heads_reset(tm);
	tess_mdev_bars_reset(tm);
}

/**
 * tess_mdev_reset_function() - what a function level reset does
 * @tm: vGPU
 */
void tess_mdev_reset_function(struct tess_mdev *tm)
{
	tess_mdev_reset_gpu(tm);
	tess_mdev_irqs_reset(tm, false);
	tess_mdev_config_reset(tm);
	tess_mdev_msix_reset(tm);
	tm->migration.arrived = false;
	tess_mdev_go(tm);
}
