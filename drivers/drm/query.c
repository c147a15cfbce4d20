// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: queries
 *
 * Each query builds the whole answer; the user gets as much of it as it has room for,
 * so that answers can grow at their end. User memory, which may take for ever to come, is
 * written after drm_dev_exit(): an unplug waits for what is inside.
 */
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/time.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <drm/drm_drv.h>
#include <drm/tessera_drm.h>
#include <tessera/gpu.h>
#include <tessera/memory.h>
#include "base/args.h"
#include "base/device.h"
#include "base/sync.h"
#include "base/usage.h"
#include "job/gate.h"
#include "job/lane.h"
#include "mem/account.h"
#include "mem/bind.h"
#include "mem/vm.h"
#include "query.h"
#include "queue/queue.h"
#include "queue/submit.h"

/* Documentation/hw/isa.rst */
#define TESS_WAVE_ITEMS		16
#define TESS_ISA \
	(DRM_TESSERA_ISA_I | DRM_TESSERA_ISA_M | DRM_TESSERA_ISA_A | DRM_TESSERA_ISA_F | \
	 DRM_TESSERA_ISA_D | DRM_TESSERA_ISA_C | DRM_TESSERA_ISA_ZICSR | \
	 DRM_TESSERA_ISA_ZIFENCEI | DRM_TESSERA_ISA_ZIHINTPAUSE | DRM_TESSERA_ISA_ZBA | \
	 DRM_TESSERA_ISA_ZBB | DRM_TESSERA_ISA_ZBS)

/**
 * struct tess_answer - what a query found
 * @gpu: DRM_TESSERA_QUERY_GPU
 * @memory: DRM_TESSERA_QUERY_MEMORY
 * @limits: DRM_TESSERA_QUERY_LIMITS
 * @time: DRM_TESSERA_QUERY_TIME
 * @vm: DRM_TESSERA_QUERY_VM
 * @slices: DRM_TESSERA_QUERY_SLICES: elements as far apart as the user wants them, or NULL
 * @data: the one that was asked for
 * @size: bytes
 */
struct tess_answer {
	struct drm_tessera_query_gpu gpu;
	struct drm_tessera_query_memory memory;
	struct drm_tessera_query_limits limits;
	struct drm_tessera_query_time time;
	struct drm_tessera_query_vm vm;
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
		.va_end = tdev->info.va_end,
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
		if (tess_lanes_available(&tdev->lanes[i]))
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
	if (tess_lanes_available(&tdev->lanes[i]))
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
		.vram_total = tess_vgpu_vram_size(tdev->vgpu),
		.vram_free = tess_vgpu_vram_free(tdev->vgpu),
		.vram_limit = tess_account_vram_limit(tdev),
		.vram_used = (u64)atomic_long_read(&usage->vram_pages) << PAGE_SHIFT,
		.system_limit = tess_account_system_limit(),
		.system_used = (u64)atomic_long_read(&usage->system_pages) << PAGE_SHIFT,
		.system_total_limit = tess_account_system_total_limit(),
		.system_total_used = tess_account_system_used(),
		.vram_evicted = (u64)atomic_long_read(&usage->evicted_pages) << PAGE_SHIFT,
	};
	answer->data = &answer->memory;
	answer->size = sizeof(answer->memory);
	return 0;
}

static int tess_query_limits(struct drm_file *file, struct tess_answer *answer)
{
	u32 priority;

	answer->limits = (struct drm_tessera_query_limits){
		.isa = TESS_ISA,
		.xlen = 64,
		.wave_items = TESS_WAVE_ITEMS,
		.page_size = SZ_4K,
		.big_page_size = SZ_2M,
		.max_vms = TESS_MAX_VMS,
		.max_queues = TESS_MAX_QUEUES,
		.max_bind_ops = TESS_MAX_BIND_OPS,
		.max_cmds = TESS_MAX_CMDS,
		.max_syncs = TESS_MAX_SYNCS,
	};
	for (priority = 0; priority <= DRM_TESSERA_PRIORITY_HIGH; priority++)
		if (!tess_queue_may(file, priority))
			answer->limits.priorities |= BIT(priority);
	answer->data = &answer->limits;
	answer->size = sizeof(answer->limits);
	return 0;
}

/* The clocks that the CPU reads without a lock that others may hold for long */
static int tess_query_clock(u32 clock, u64 *ns)
{
	switch (clock) {
	case CLOCK_REALTIME:
		*ns = ktime_get_real_ns();
		return 0;
	case CLOCK_MONOTONIC:
		*ns = ktime_get_ns();
		return 0;
	case CLOCK_MONOTONIC_RAW:
		*ns = ktime_get_raw_ns();
		return 0;
	case CLOCK_BOOTTIME:
		*ns = ktime_get_boottime_ns();
		return 0;
	case CLOCK_TAI:
		*ns = ktime_get_clocktai_ns();
		return 0;
	default:
		return -EINVAL;
	}
}

static int tess_query_time(struct tess_device *tdev, u32 clock, struct tess_answer *answer)
{
	struct drm_tessera_query_time *time = &answer->time;
	u64 before, after;
	int ret;

	*time = (struct drm_tessera_query_time){ .clock_khz = tdev->info.clock_khz };
	/* Nothing comes between the reads but what no driver can keep away */
	preempt_disable();
	ret = tess_query_clock(clock, &time->cpu_ns);
	before = ktime_get_raw_ns();
	time->gpu_cycles = tess_gpu_time(tdev->gpu);
	after = ktime_get_raw_ns();
	preempt_enable();
	time->span_ns = after - before;
	answer->data = time;
	answer->size = sizeof(*time);
	return ret;
}

static int tess_query_vm(struct tess_file *tfile, u32 id, struct tess_answer *answer)
{
	struct drm_tessera_query_vm *status = &answer->vm;
	struct tess_vm *vm = tess_vm_lookup(tfile, id);

	if (!vm)
		return -ENOENT;
	*status = (struct drm_tessera_query_vm){
		.faulted = atomic64_read(&vm->faulted),
		.hung = atomic64_read(&vm->hung),
		.lost = atomic64_read(&vm->lost),
	};
	if (status->faulted || status->hung)
		status->flags |= DRM_TESSERA_VM_GUILTY;
	if (status->lost)
		status->flags |= DRM_TESSERA_VM_INNOCENT;
	if (tess_usage_is_banned(tfile->usage))
		status->flags |= DRM_TESSERA_VM_BANNED;
	tess_vm_put(vm);
	answer->data = status;
	answer->size = sizeof(*status);
	return 0;
}

/* Only some know what to do with an argument, or a stride */
static bool tess_query_valid(const struct drm_tessera_query *args)
{
	if (args->arg && args->type != DRM_TESSERA_QUERY_TIME &&
	    args->type != DRM_TESSERA_QUERY_VM)
		return false;
	return !args->stride || args->type == DRM_TESSERA_QUERY_SLICES;
}

static int tess_query(struct tess_device *tdev, struct drm_file *file,
		      const struct drm_tessera_query *args, struct tess_answer *answer)
{
	if (!tess_query_valid(args))
		return -EINVAL;

	switch (args->type) {
	case DRM_TESSERA_QUERY_GPU:
		return tess_query_gpu(tdev, answer);
	case DRM_TESSERA_QUERY_SLICES:
		return tess_query_slices(tdev, args->stride, answer);
	case DRM_TESSERA_QUERY_MEMORY:
		return tess_query_memory(tdev, to_tess_file(file)->usage, answer);
	case DRM_TESSERA_QUERY_LIMITS:
		return tess_query_limits(file, answer);
	case DRM_TESSERA_QUERY_TIME:
		return tess_query_time(tdev, args->arg, answer);
	case DRM_TESSERA_QUERY_VM:
		return tess_query_vm(to_tess_file(file), args->arg, answer);
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
 * Return: 0; -EINVAL unknown type, stride, argument; -ENOENT no such VM; -EFAULT; -ENOMEM;
 * -ENODEV.
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
