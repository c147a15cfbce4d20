// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: Back-ends that register
 *
 * The core calls what is mandatory without a look, so a back-end that lacks it is refused when it
 * registers, with the name of what is missing, and not by a crash later.
 */
#include <linux/device.h>
#include <linux/stddef.h>
#include <tessera/backend.h>
#include <tessera/hw/tess_mem.h>

#include "backend.h"

/**
 * struct backend_op - a function pointer in a table of ops
 * @offset: in the table
 * @name: for messages
 */
struct backend_op {
	size_t offset;
	const char *name;
};

#define BACKEND_OP(member)	{ offsetof(struct tess_backend_ops, member), #member }
#define SWITCH_OP(member)	{ offsetof(struct tess_switch_ops, member), "switching." #member }
#define REG_OP(member)		{ offsetof(struct tess_reg_ops, member), "regs." #member }
#define DISPLAY_OP(member)	{ offsetof(struct tess_display_ops, member), "display." #member }

static const struct backend_op backend_mandatory[] = {
	BACKEND_OP(time), BACKEND_OP(rates), BACKEND_OP(slice_reset), BACKEND_OP(cut),
	BACKEND_OP(client_get), BACKEND_OP(counters), BACKEND_OP(fault_pending),
	BACKEND_OP(fault_read), BACKEND_OP(as_create), BACKEND_OP(as_destroy),
	BACKEND_OP(as_map), BACKEND_OP(as_unmap), BACKEND_OP(ring_alloc), BACKEND_OP(ring_start),
	BACKEND_OP(ring_destroy), BACKEND_OP(ring_submit), BACKEND_OP(ring_kick),
	BACKEND_OP(ring_completed), BACKEND_OP(ring_arm), BACKEND_OP(ring_job),
	BACKEND_OP(ring_recover), BACKEND_OP(ring_spent), BACKEND_OP(ring_usage),
};

/* Of a GPU with memory */
static const struct backend_op backend_vram[] = {
	BACKEND_OP(vram_alloc), BACKEND_OP(vram_free), BACKEND_OP(vram_clear),
	BACKEND_OP(vram_zero), BACKEND_OP(vram_read), BACKEND_OP(vram_write),
	BACKEND_OP(vram_free_bytes),
};

/* A GPU with a second stage has its faults, and clients that drive registers */
static const struct backend_op backend_stage2[] = {
	BACKEND_OP(slice_stage2), BACKEND_OP(host_fault_pending), BACKEND_OP(host_fault_read),
	BACKEND_OP(host_fault_ack), BACKEND_OP(regs),
};

/* Clients that drive registers store to doorbells */
static const struct backend_op backend_doorbells[] = {
	BACKEND_OP(kick), BACKEND_OP(doorbell),
};

static const struct backend_op backend_regs[] = {
	REG_OP(role), REG_OP(read), REG_OP(write), REG_OP(reset),
};

static const struct backend_op backend_saved_regs[] = {
	REG_OP(read_saved),
};

static const struct backend_op backend_switching[] = {
	SWITCH_OP(alloc), SWITCH_OP(free), SWITCH_OP(clear), SWITCH_OP(copy), SWITCH_OP(pack),
	SWITCH_OP(unpack), SWITCH_OP(get), SWITCH_OP(counters), SWITCH_OP(fault),
	SWITCH_OP(capture), SWITCH_OP(lose), SWITCH_OP(forget), SWITCH_OP(exchange),
	SWITCH_OP(notify),
};

static const struct backend_op backend_display[] = {
	DISPLAY_OP(heads), DISPLAY_OP(status), DISPLAY_OP(edid), DISPLAY_OP(show),
	DISPLAY_OP(listen), DISPLAY_OP(events), DISPLAY_OP(frame_age),
};

static const char *backend_missing(const void *table, const struct backend_op *ops, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!*(void *const *)(table + ops[i].offset))
			return ops[i].name;
	return NULL;
}

static const char *backend_missing_op(const struct tess_backend_ops *ops, bool has_vram)
{
	const char *name;

	name = backend_missing(ops, backend_mandatory, ARRAY_SIZE(backend_mandatory));
	if (!name && has_vram)
		name = backend_missing(ops, backend_vram, ARRAY_SIZE(backend_vram));
	if (!name && ops->slice_stage2)
		name = backend_missing(ops, backend_stage2, ARRAY_SIZE(backend_stage2));
	if (!name && ops->regs)
		name = backend_missing(ops, backend_doorbells, ARRAY_SIZE(backend_doorbells));
	if (!name && ops->regs)
		name = backend_missing(ops->regs, backend_regs, ARRAY_SIZE(backend_regs));
	if (!name && ops->regs && ops->switching)
		name = backend_missing(ops->regs, backend_saved_regs,
				       ARRAY_SIZE(backend_saved_regs));
	if (!name && ops->switching)
		name = backend_missing(ops->switching, backend_switching,
				       ARRAY_SIZE(backend_switching));
	if (!name && ops->display)
		name = backend_missing(ops->display, backend_display,
				       ARRAY_SIZE(backend_display));
	return name;
}

static const char *backend_wrong_info(const struct tess_gpu_info *info)
{
	if (info->slice_count < 1 || info->slice_count > TESS_MAX_SLICES)
		return "slice_count";
	if (!info->clock_khz)
		return "clock_khz";
	if (info->vram_size > TESS_PA_END - TESS_PA_VRAM || !IS_ALIGNED(info->vram_size, SZ_4K))
		return "vram_size";
	if (info->bank_size > info->vram_size)
		return "bank_size";
	if (!info->va_end || !IS_ALIGNED(info->va_end, SZ_4K))
		return "va_end";
	if (!info->vram_base || !IS_ALIGNED(info->vram_base, SZ_2M) ||
	    info->vram_base > U64_MAX - info->vram_size)
		return "vram_base";
	return NULL;
}

/**
 * tess_backend_check() - can the core use what a back-end registers?
 * @be: back-end
 * @info: of its GPU
 *
 * Return: 0; -EINVAL no, the kernel log says what is wrong.
 */
int tess_backend_check(const struct tess_backend *be, const struct tess_gpu_info *info)
{
	const char *name = backend_missing_op(be->ops, info->vram_size);

	if (name) {
		dev_err(be->dev, "the back-end lacks %s()\n", name);
		return -EINVAL;
	}
	name = backend_wrong_info(info);
	if (name) {
		dev_err(be->dev, "the back-end registers a GPU with an invalid %s\n", name);
		return -EINVAL;
	}
	return 0;
}
