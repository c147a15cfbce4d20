// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: queries
 *
 * Each query builds the whole answer; the user gets as much of it as it has room for,
 * so that answers can grow at their end.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <drm/drm_drv.h>
#include <drm/tessera_drm.h>
#include "device.h"
#include "query.h"
#include "sched.h"

static int tess_query_copy(struct drm_tessera_query *args, const void *answer, u32 size)
{
	u32 room = args->size;

	args->size = size;
	if (room && copy_to_user(u64_to_user_ptr(args->data), answer, min(room, size)))
		return -EFAULT;
	return 0;
}

static int tess_query_gpu(struct tess_device *tdev, struct drm_tessera_query *args)
{
	struct drm_tessera_query_gpu gpu = {
		.vram_size = tdev->info.vram_size,
		.bank_size = tdev->info.bank_size,
		.va_end = TESS_VA_END,
		.slice_count = tdev->lane_count,
		.clock_khz = tdev->info.clock_khz,
		.caps = tdev->info.caps,
		.group_slots = tdev->info.group_slots,
		.max_group_items = DRM_TESSERA_MAX_GROUP_ITEMS,
		.max_local_bytes = DRM_TESSERA_MAX_LOCAL_BYTES,
		.max_submit_packets = DRM_TESSERA_MAX_INDIRECT,
	};
	unsigned int i;

	/* Read first: who sees this number and later the same one missed no change. */
	gpu.generation = atomic64_read_acquire(&tdev->generation);
	for (i = 0; i < tdev->lane_count; i++)
		if (tess_lane_available(&tdev->lanes[i]))
			gpu.slice_mask |= BIT_ULL(i);
	return tess_query_copy(args, &gpu, sizeof(gpu));
}

static int tess_query_slices(struct tess_device *tdev, struct drm_tessera_query *args)
{
	struct drm_tessera_query_slice *slices;
	unsigned int i;
	int ret;

	slices = kcalloc(tdev->lane_count, sizeof(*slices), GFP_KERNEL);
	if (!slices)
		return -ENOMEM;

	for (i = 0; i < tdev->lane_count; i++) {
		const struct tess_slice_info *info = tess_gpu_slice_info(tdev->gpu, i);

		slices[i].kind = info->kind;
		slices[i].cores = info->cores;
		slices[i].engines = info->engines;
		if (tess_lane_available(&tdev->lanes[i]))
			slices[i].flags = DRM_TESSERA_SLICE_AVAILABLE;
	}
	ret = tess_query_copy(args, slices, tdev->lane_count * sizeof(*slices));
	kfree(slices);
	return ret;
}

static int tess_query_memory(struct tess_device *tdev, struct drm_tessera_query *args)
{
	const struct drm_tessera_query_memory memory = {
		.vram_total = tdev->info.vram_size,
		.vram_free = tess_gpu_vram_free(tdev->gpu),
	};

	return tess_query_copy(args, &memory, sizeof(memory));
}

static int tess_query(struct tess_device *tdev, struct drm_tessera_query *args)
{
	switch (args->type) {
	case DRM_TESSERA_QUERY_GPU:
		return tess_query_gpu(tdev, args);
	case DRM_TESSERA_QUERY_SLICES:
		return tess_query_slices(tdev, args);
	case DRM_TESSERA_QUERY_MEMORY:
		return tess_query_memory(tdev, args);
	default:
		return -EINVAL;
	}
}

/**
 * tess_query_ioctl() - DRM_IOCTL_TESSERA_QUERY
 * @drm: device
 * @data: struct drm_tessera_query
 * @file: open file
 *
 * Return: 0; -EINVAL unknown type; -EFAULT; -ENOMEM; -ENODEV.
 */
int tess_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	int idx, ret;

	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	ret = tess_query(to_tess_device(drm), data);
	drm_dev_exit(idx);
	return ret;
}
