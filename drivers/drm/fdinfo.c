// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: fdinfo
 *
 * What an open file uses, in the format of drm-usage-stats, so that stock tools show it.
 * An "engine" is a kind of slice, its capacity the number of slices of that kind. GPU
 * time is that of whole jobs: it is added when they complete or are dropped.
 */
#include <linux/math64.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_print.h>
#include <tessera/gpu.h>
#include <tessera/hw/tess_regs.h>
#include "base/device.h"
#include "fdinfo.h"
#include "mem/gem.h"

static const char *const tess_kind_names[] = {
	[TESS_KIND_COMPUTE] = "compute",
	[TESS_KIND_RENDER] = "render",
	[TESS_KIND_MIXED] = "mixed",
};

static void tess_fdinfo_engine(struct drm_printer *p, struct tess_device *tdev,
			       struct tess_usage *usage, u32 kind, u64 now)
{
	const char *name = tess_kind_names[kind];
	u64 cycles = atomic64_read(&usage->cycles[kind]);
	u32 khz = tdev->info.clock_khz;
	unsigned int i, capacity = 0;

	for (i = 0; i < tdev->lane_count; i++)
		capacity += tess_gpu_slice_info(tdev->gpu, i)->kind == kind;
	if (!capacity && !cycles)
		return;

	if (khz)
		drm_printf(p, "drm-engine-%s:\t%llu ns\n", name,
			   mul_u64_u64_div_u64(cycles, NSEC_PER_MSEC, khz));
	/* None: there were slices of the kind before the host took them away */
	if (capacity)
		drm_printf(p, "drm-engine-capacity-%s:\t%u\n", name, capacity);
	drm_printf(p, "drm-cycles-%s:\t%llu\n", name, cycles);
	drm_printf(p, "drm-total-cycles-%s:\t%llu\n", name, now);
	drm_printf(p, "drm-maxfreq-%s:\t%llu Hz\n", name, (u64)khz * 1000);
}

/* A BO counts where it was made; resident it is where it lies */
static void tess_fdinfo_add(struct drm_memory_stats *system, struct drm_memory_stats *vram,
			    struct drm_gem_object *obj)
{
	struct tess_bo *bo = to_tess_bo(obj);
	struct drm_memory_stats *made = bo->is_vram ? vram : system;

	if (drm_gem_object_is_shared_for_memory_stats(obj))
		made->shared += obj->size;
	else
		made->private += obj->size;
	if (!(obj->funcs->status(obj) & DRM_GEM_OBJECT_RESIDENT))
		return;
	if (READ_ONCE(bo->vram))
		vram->resident += obj->size;
	else
		system->resident += obj->size;
}

static void tess_fdinfo_memory(struct drm_printer *p, struct drm_file *file)
{
	struct drm_memory_stats system = {}, vram = {};
	struct drm_gem_object *obj;
	int id;

	spin_lock(&file->table_lock);
	idr_for_each_entry(&file->object_idr, obj, id)
		tess_fdinfo_add(&system, &vram, obj);
	spin_unlock(&file->table_lock);

	drm_print_memory_stats(p, &system, DRM_GEM_OBJECT_RESIDENT, "system");
	drm_print_memory_stats(p, &vram, DRM_GEM_OBJECT_RESIDENT, "vram");
}

/**
 * tess_fdinfo_show() - print the part of /proc/PID/fdinfo/FD that is the driver's
 * @p: printer
 * @file: open file
 */
void tess_fdinfo_show(struct drm_printer *p, struct drm_file *file)
{
	struct tess_device *tdev = to_tess_device(file->minor->dev);
	u32 kind;
	u64 now;
	int idx;

	if (!drm_dev_enter(tdev->drm, &idx))
		return;
	now = tess_gpu_time(tdev->gpu);
	for (kind = TESS_KIND_COMPUTE; kind < ARRAY_SIZE(tess_kind_names); kind++)
		tess_fdinfo_engine(p, tdev, to_tess_file(file)->usage, kind, now);
	drm_printf(p, "tessera-hangs:\t%d\n",
		   atomic_read(&to_tess_file(file)->usage->hangs));
	tess_fdinfo_memory(p, file);
	drm_dev_exit(idx);
}
