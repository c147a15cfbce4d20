// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is told that the composition of a vGPU is another: its guest, and user space.
 */
#include <linux/bitmap.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <tessera/gpu.h>
#include "base/irq.h"
#include "base/mdev.h"
#include "base/page.h"
#include "display/head.h"
#include "map/doorbell.h"
#include "parent.h"
#include "tell.h"

void tess_mdev_shape_changed(struct tess_mdev *tm)
{
	char generation[sizeof("TESSERA_GENERATION=") + 20];
	char event[] = "TESSERA_EVENT=composition";
	char *env[3] = { event, generation };

	snprintf(generation, sizeof(generation), "TESSERA_GENERATION=%llu",
		 tess_mdev_page_generation(tm));
	kobject_uevent_env(&tm->vdev.dev->kobj, KOBJ_CHANGE, env);
}

void tess_mdev_instances_changed(struct tess_mdev *tm)
{
	DECLARE_BITMAP(gpus, TESS_MAX_GPUS) = {};

	tess_mdev_touched(tm, gpus);
	tess_mdev_parents_changed(tm->type->parent->frontend, gpus);
}

void tess_mdev_announce(struct tess_mdev *tm)
{
	atomic64_or(1, &tm->bars.event_pending);
	tess_mdev_irq_signal(tm, TESS_IRQ_EVENT);
	tess_mdev_shape_changed(tm);
	tess_mdev_instances_changed(tm);
}

void tess_mdev_tell(struct tess_mdev *tm)
{
	tess_mdev_heads_follow(tm);
	tess_mdev_doorbells_zap(tm);
	tess_mdev_announce(tm);
}
