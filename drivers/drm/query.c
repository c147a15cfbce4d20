// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: queries
 *
 * Each query builds the whole answer; the user gets as much of it as it has room for,
 * so that answers can grow at their end. User memory, which may take for ever to come, is
 * written after drm_dev_exit(): an unplug waits for what is inside.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <drm/drm_drv.h>
#include <drm/tessera_drm.h>
#include "account.h"
#include "args.h"
#include "device.h"
#include "query.h"
#include "sched.h"

/**
 * struct tess_answer - what a query found
 * @gpu: DRM_TESSERA_QUERY_GPU
 * @memory: DRM_TESSERA_QUERY_MEMORY
 * @slices: DRM_TESSERA_QUERY_SLICES: elements as far apart as the user wants them, or NULL
 * @data: the one that was asked for
 * @size: bytes
 */
struct tess_answer {
	struct drm_tessera_query_gpu gpu;
	struct drm_tessera_query_memory memory;
	void *slices;
	const void *data;
	u32 size;
};

static int tess_query_gpu(struct tess_device *tdev, struct tess_answer *answer)
{
	struct drm_tessera_query_gpu *gpu = &answer->gpu;
	unsigned int i;

	*gpu = (struct drm_tessera_query_gpu){
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
	/* Read first: a user that sees this number and later the same one missed no change */
	gpu->generation = atomic64_read_acquire(&tdev->generation);
	for (i = 0; i < tdev->lane_count; i++)
		if (tess_lane_available(&tdev->lanes[i]))
			gpu->slice_mask |= BIT_ULL(i);
	answer->data = gpu;
	answer->size = sizeof(*gpu);
	return 0;
}

static void tess_query_slice(struct tess_device *tdev, unsigned int i,
			     struct drm_tessera_query_slice *slice)
{
	const struct tess_slice_info *info = tess_gpu_slice_info(tdev->gpu, i);

	*slice = (struct drm_tessera_query_slice){
		.kind = info->kind,
		.cores = info->cores,
		.engines = info->engines,
	};
	if (tess_lane_available(&tdev->lanes[i]))
		slice->flags = DRM_TESSERA_SLICE_AVAILABLE;
}

static int tess_query_slices(struct tess_device *tdev, u32 stride, struct tess_answer *answer)
{
	struct drm_tessera_query_slice slice;
	unsigned int i;

	if (stride < offsetofend(typeof(slice), flags) || stride > TESS_MAX_STRIDE)
		return -EINVAL;
	answer->slices = kvcalloc(tdev->lane_count, stride, GFP_KERNEL);
	if (!answer->slices)
		return -ENOMEM;

	for (i = 0; i < tdev->lane_count; i++) {
		tess_query_slice(tdev, i, &slice);
		memcpy(answer->slices + (size_t)i * stride, &slice,
		       min_t(size_t, stride, sizeof(slice)));
	}
	answer->data = answer->slices;
	answer->size = tdev->lane_count * stride;
	return 0;
}

static int tess_query_memory(struct tess_device *tdev, const struct tess_usage *usage,
			     struct tess_answer *answer)
{
	answer->memory = (struct drm_tessera_query_memory){
		.vram_total = tdev->info.vram_size,
		.vram_free = tess_gpu_vram_free(tdev->gpu),
		.vram_limit = tess_account_vram_limit(tdev),
		.vram_used = (u64)atomic_long_read(&usage->vram_pages) << PAGE_SHIFT,
		.system_limit = tess_account_system_limit(),
		.system_used = (u64)atomic_long_read(&usage->system_pages) << PAGE_SHIFT,
		.system_total_limit = tess_account_system_total_limit(),
		.system_total_used = tess_account_system_used(),
	};
	answer->data = &answer->memory;
	answer->size = sizeof(answer->memory);
	return 0;
}

static int tess_query(struct tess_device *tdev, struct drm_file *file,
		      const struct drm_tessera_query *args, struct tess_answer *answer)
{
	if (args->arg || (args->stride && args->type != DRM_TESSERA_QUERY_SLICES))
		return -EINVAL;

	switch (args->type) {
	case DRM_TESSERA_QUERY_GPU:
		return tess_query_gpu(tdev, answer);
	case DRM_TESSERA_QUERY_SLICES:
		return tess_query_slices(tdev, args->stride, answer);
	case DRM_TESSERA_QUERY_MEMORY:
		return tess_query_memory(tdev, to_tess_file(file)->usage, answer);
	default:
		return -EINVAL;
	}
}

static int tess_query_copy(struct drm_tessera_query *args, const struct tess_answer *answer)
{
	u32 room = args->size;

	args->size = answer->size;
	if (room && copy_to_user(u64_to_user_ptr(args->data), answer->data,
				 min(room, answer->size)))
		return -EFAULT;
	return 0;
}

/**
 * tess_query_ioctl() - DRM_IOCTL_TESSERA_QUERY
 * @drm: device
 * @data: struct drm_tessera_query
 * @file: open file
 *
 * Return: 0; -EINVAL unknown type, stride, argument; -EFAULT; -ENOMEM; -ENODEV.
 */
int tess_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_query *args = data;
	struct tess_answer answer = {};
	int idx, ret;

	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	ret = tess_query(to_tess_device(drm), file, args, &answer);
	drm_dev_exit(idx);
	if (!ret)
		ret = tess_query_copy(args, &answer);
	kvfree(answer.slices);
	return ret;
}
