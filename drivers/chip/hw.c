// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the GPU: identification, slices, faults.
 *
 * DOC: Hardware access
 *
 * A vGPU shows the registers of a GPU with fewer slices and without host pages, so one
 * set of functions serves both. What needs a host page is missing in the table of
 * operations for vGPUs, and resetting or invalidating a slice goes through its client
 * page there. A GPU that cannot exchange clients by itself has a table without the
 * operations for it. Which table applies is decided once, when the GPU is identified.
 */
#include <linux/bitfield.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/iopoll.h>
#include <linux/math64.h>
#include <linux/sizes.h>
#include <tessera/compat.h>
#include <tessera/hw/tess_mem.h>

#include "base/alive.h"
#include "base/chip.h"
#include "client/capture.h"
#include "client/client.h"
#include "client/context.h"
#include "client/counters.h"
#include "client/pack.h"
#include "client/ring.h"
#include "client/switch.h"
#include "composition.h"
#include "display.h"
#include "hw.h"
#include "mem/as.h"
#include "mem/pt.h"
#include "mem/vram.h"

#define HW_VERSION_MAJOR	1
#define HW_RESET_TIMEOUT_US	500000
#define HW_COPY_BYTES_PER_CYCLE	64
/* What a step of a unit has at most: samples of a filter, a quarter of a block */
#define HW_TEXELS_PER_STEP	4
#define HW_PIXELS_PER_STEP	4
/* Cores of a mixed slice share what each core of another one has to itself */
#define HW_MIXED_STEP_CYCLES	4

void tess_chip_reset(struct tess_chip *chip)
{
	tess_chip_write32(chip, TESS_GLOBAL_PAGE, TESS_REG_RESET, TESS_RESET_KEY);
	tess_chip_is_alive(chip);
}
EXPORT_SYMBOL_NS_GPL(tess_chip_reset, TESS_NS);

static void read_slices(struct tess_chip *chip)
{
	u64 mask = tess_chip_read64(chip, TESS_GLOBAL_PAGE, TESS_REG_SLICE_MASK);
	unsigned int i;

	for (i = 0; i < chip->info.slice_count; i++) {
		struct tess_slice_info *s = &chip->slices[i];

		*s = (struct tess_slice_info){ .kind = TESS_KIND_NONE };
		if (!(mask & BIT_ULL(i)))
			continue;
		s->kind = tess_chip_read32(chip, TESS_CLIENT_PAGE(i), TESS_SREG_KIND);
		s->cores = tess_chip_read32(chip, TESS_CLIENT_PAGE(i), TESS_SREG_CORES);
		s->engines = tess_chip_read32(chip, TESS_CLIENT_PAGE(i), TESS_SREG_ENGINES) &
			     TESS_ENGINE_ALL;
		if (s->kind > TESS_KIND_MIXED)
			s->kind = TESS_KIND_NONE;
	}
}

/* Those of a GPU never change; those of a vGPU may while they are read */
static int identify_slices(struct tess_chip *chip)
{
	int rc;

	if (!chip->info.is_vgpu) {
		read_slices(chip);
		return 0;
	}
	rc = tess_chip_composition_read(chip);
	return rc ? dev_err_probe(chip->be.dev, rc, "composition\n") : 0;
}

static int identify_limits(struct tess_chip *chip)
{
	struct tess_gpu_info *info = &chip->info;
	u64 mapped = chip->params.vram_size;

	if (!info->slice_count || info->slice_count > TESS_MAX_SLICES)
		return dev_err_probe(chip->be.dev, -EINVAL, "%u slices\n", info->slice_count);
	if (info->vram_size > mapped || info->vram_size % SZ_4K || info->bank_size % SZ_4K ||
	    info->bank_size > info->vram_size || (info->vram_size && !info->bank_size))
		return dev_err_probe(chip->be.dev, -EINVAL,
				     "%llu bytes of VRAM in banks of %llu, %llu are mapped\n",
				     info->vram_size, info->bank_size, mapped);
	/* One of several GPUs works in the memory of its guest */
	if (!info->vram_size && !info->is_vgpu)
		return dev_err_probe(chip->be.dev, -ENODEV, "no VRAM\n");
	return 0;
}

/**
 * tess_chip_identify() - what GPU is it?
 * @chip: device; fills @chip->info, @chip->slices and chooses the operations
 *
 * Return: 0 or negative errno.
 */
int tess_chip_identify(struct tess_chip *chip)
{
	struct tess_gpu_info *info = &chip->info;
	u32 id, version, limits;
	int rc;

	id = tess_chip_read32(chip, TESS_GLOBAL_PAGE, TESS_REG_ID);
	if (id != TESS_ID_VALUE)
		return dev_err_probe(chip->be.dev, -ENODEV, "unknown id %#x\n", id);
	version = tess_chip_read32(chip, TESS_GLOBAL_PAGE, TESS_REG_VERSION);
	if (FIELD_GET(TESS_VERSION_MAJOR, version) != HW_VERSION_MAJOR)
		return dev_err_probe(chip->be.dev, -ENODEV, "unknown version %lu.%lu\n",
				     FIELD_GET(TESS_VERSION_MAJOR, version),
				     FIELD_GET(TESS_VERSION_MINOR, version));
	limits = tess_chip_read32(chip, TESS_GLOBAL_PAGE, TESS_REG_LIMITS);
	*info = (struct tess_gpu_info){
		.slice_count = tess_chip_read32(chip, TESS_GLOBAL_PAGE, TESS_REG_SLICE_COUNT),
		.caps = tess_chip_read32(chip, TESS_GLOBAL_PAGE, TESS_REG_CAPS),
		.clock_khz = tess_chip_read32(chip, TESS_GLOBAL_PAGE, TESS_REG_CLOCK_KHZ),
		.vram_size = tess_chip_read64(chip, TESS_GLOBAL_PAGE, TESS_REG_VRAM_SIZE),
		.bank_size = tess_chip_read64(chip, TESS_GLOBAL_PAGE, TESS_REG_BANK_SIZE),
		.va_end = TESS_VA_END,
		.vram_base = TESS_PA_VRAM,
		.vram_phys = chip->params.vram_phys,
		.vram = chip->params.vram,
		.vram_chunks = chip->params.vram_chunks,
		.group_slots = FIELD_GET(TESS_LIMITS_GROUP_SLOTS, limits),
	};
	info->is_vgpu = info->caps & TESS_CAPS_VGPU;
	rc = identify_limits(chip);
	if (rc)
		return rc;
	rc = identify_slices(chip);
	if (rc)
		return rc;
	if (info->is_vgpu)
		chip->be.ops = info->caps & TESS_CAPS_DISPLAY ? &tess_chip_head_ops :
							      &tess_chip_vgpu_ops;
	else if (info->caps & TESS_CAPS_SWITCH)
		chip->be.ops = &tess_chip_switch_ops;
	else
		chip->be.ops = &tess_chip_gpu_ops;
	return tess_chip_is_alive(chip) ? 0 : -ENODEV;
}

/* ---- the whole GPU ---- */

static u64 hw_time(struct tess_backend *be)
{
	struct tess_chip *chip = to_tess_chip(be);
	u64 time;

	if (READ_ONCE(chip->dead))
		return 0;
	if (READ_ONCE(chip->be.asleep))
		return READ_ONCE(chip->slept_at);
	if (chip->params.io->time)
		return chip->params.io->time(chip);
	time = tess_chip_read64(chip, TESS_GLOBAL_PAGE, TESS_REG_TIME);
	return time == U64_MAX && !tess_chip_is_alive(chip) ? 0 : time;
}

static void hw_rates(struct tess_backend *be, unsigned int slice, struct tess_slice_rates *rates)
{
	struct tess_chip *chip = to_tess_chip(be);
	const struct tess_slice_info *info = &chip->slices[slice];
	u64 hz = chip->info.clock_khz * 1000ULL;
	u64 steps = info->cores * hz;

	*rates = (struct tess_slice_rates){ .instructions = steps };
	if (info->engines & TESS_ENGINE_COPY)
		rates->bandwidth = HW_COPY_BYTES_PER_CYCLE * hz;
	if (!(info->engines & TESS_ENGINE_RASTER))
		return;
	if (info->kind == TESS_KIND_MIXED)
		steps = div_u64(steps, HW_MIXED_STEP_CYCLES);
	if (chip->info.caps & TESS_CAPS_TEX)
		rates->texels = HW_TEXELS_PER_STEP * steps;
	if (chip->info.caps & TESS_CAPS_ROP)
		rates->pixels = HW_PIXELS_PER_STEP * steps;
	if (chip->info.caps & TESS_CAPS_RAY)
		rates->rays = steps;
}

/* It keeps answering */
static void hw_cut(struct tess_backend *be)
{
	struct tess_chip *chip = to_tess_chip(be);

	chip->params.io->silence(chip);
}

/* ---- slices ---- */

static void hw_kick(struct tess_backend *be, unsigned int slice, u64 wptr)
{
	struct tess_chip *chip = to_tess_chip(be);

	if (READ_ONCE(chip->dead))
		return;
	if (chip->params.io->kick)
		chip->params.io->kick(chip, slice, wptr);
	else
		tess_chip_write64(chip, TESS_DOORBELL_PAGE(slice), TESS_DOORBELL_WPTR, wptr);
}

static phys_addr_t hw_doorbell(struct tess_backend *be, unsigned int slice)
{
	struct tess_chip *chip = to_tess_chip(be);

	if (chip->params.io->doorbell)
		return chip->params.io->doorbell(chip, slice);
	return chip->params.doorbell_phys + slice * TESS_PAGE_SIZE;
}

static int hw_slice_reset(struct tess_backend *be, unsigned int slice)
{
	struct tess_chip *chip = to_tess_chip(be);
	u32 status;
	int rc;

	if (READ_ONCE(chip->dead))
		return -ENODEV;
	/* It is, and its power-on will be the next one */
	if (READ_ONCE(be->asleep))
		return 0;
	tess_chip_write32(chip, TESS_HOST_PAGE(slice), TESS_HREG_RESET, 1);
	rc = read_poll_timeout(tess_chip_read32, status, !status || status == U32_MAX, 100,
			       HW_RESET_TIMEOUT_US, false, chip, TESS_HOST_PAGE(slice),
			       TESS_HREG_STATUS);
	if (!tess_chip_is_alive(chip))
		return -ENODEV;
	if (rc || status)
		return -EIO;
	tess_chip_switch_reset(chip, slice);
	return 0;
}

static int hw_vslice_reset(struct tess_backend *be, unsigned int slice)
{
	struct tess_chip *chip = to_tess_chip(be);
	u32 status;

	if (READ_ONCE(chip->dead))
		return -ENODEV;
	tess_chip_write32(chip, TESS_CLIENT_PAGE(slice), TESS_SREG_RESET, 1);
	tess_chip_write32(chip, TESS_CLIENT_PAGE(slice), TESS_SREG_TLB_INVALIDATE, 1);
	status = tess_chip_read32(chip, TESS_CLIENT_PAGE(slice), TESS_SREG_STATUS);
	if (!tess_chip_is_alive(chip))
		return -ENODEV;
	return status & TESS_STATUS_ENABLED ? -EIO : 0;
}

static int hw_slice_setup(struct tess_backend *be, unsigned int slice,
			  const struct tess_slice_setup *setup)
{
	struct tess_chip *chip = to_tess_chip(be);

	if (READ_ONCE(chip->dead))
		return -ENODEV;
	tess_chip_write32(chip, TESS_HOST_PAGE(slice), TESS_HREG_ENGINE_MASK, setup->engines);
	tess_chip_write64(chip, TESS_HOST_PAGE(slice), TESS_HREG_LINK_MASK, setup->links);
	return 0;
}

static int hw_slice_stage2(struct tess_backend *be, unsigned int slice, struct tess_hw_as *hw)
{
	struct tess_chip_as *as = hw ? to_tess_chip_as(hw) : NULL;
	struct tess_chip *chip = to_tess_chip(be);
	u32 control = TESS_HCONTROL_RUN;
	u64 root = 0;

	if (READ_ONCE(chip->dead))
		return -ENODEV;
	tess_chip_stage2_begin(chip, slice, as);
	if (as) {
		root = tess_chip_as_root(as);
		control |= TESS_HCONTROL_STAGE2;
	}
	tess_chip_write64(chip, TESS_HOST_PAGE(slice), TESS_HREG_STAGE2_ROOT, root);
	tess_chip_write32(chip, TESS_HOST_PAGE(slice), TESS_HREG_CONTROL, control);
	tess_chip_invalidate(chip, BIT_ULL(slice));
	if (READ_ONCE(chip->dead))
		return -ENODEV;
	tess_chip_stage2_end(chip, slice, as);
	return 0;
}

/* ---- faults ---- */

static u64 hw_pending(struct tess_chip *chip, u32 reg)
{
	u64 mask;

	if (READ_ONCE(chip->dead))
		return 0;
	mask = tess_chip_read64(chip, TESS_GLOBAL_PAGE, reg);
	if (mask == U64_MAX && !tess_chip_is_alive(chip))
		return 0;
	return mask;
}

static u64 hw_fault_pending(struct tess_backend *be)
{
	return hw_pending(to_tess_chip(be), TESS_REG_FAULT_PENDING);
}

static u64 hw_host_fault_pending(struct tess_backend *be)
{
	return hw_pending(to_tess_chip(be), TESS_REG_HFAULT_PENDING);
}

static bool hw_fault_read(struct tess_backend *be, unsigned int slice, struct tess_fault *fault)
{
	struct tess_chip *chip = to_tess_chip(be);
	u32 page = TESS_CLIENT_PAGE(slice);

	if (READ_ONCE(chip->dead) ||
	    !(tess_chip_read32(chip, page, TESS_SREG_STATUS) & TESS_STATUS_FAULTED))
		return false;
	*fault = (struct tess_fault){
		.cause = tess_chip_read32(chip, page, TESS_SREG_FAULT_CAUSE),
		.info = tess_chip_read32(chip, page, TESS_SREG_FAULT_INFO),
		.addr = tess_chip_read64(chip, page, TESS_SREG_FAULT_ADDR),
		.pc = tess_chip_read64(chip, page, TESS_SREG_FAULT_PC),
		.packet = tess_chip_read64(chip, page, TESS_SREG_FAULT_PACKET),
		.indirect = tess_chip_read32(chip, page, TESS_SREG_FAULT_INDIRECT),
		.asid = tess_chip_read32(chip, page, TESS_SREG_FAULT_ASID),
	};
	return tess_chip_is_alive(chip);
}

static bool hw_host_fault_read(struct tess_backend *be, unsigned int slice,
			       struct tess_host_fault *hf)
{
	struct tess_chip *chip = to_tess_chip(be);
	u32 page = TESS_HOST_PAGE(slice);

	if (READ_ONCE(chip->dead) ||
	    !(tess_chip_read32(chip, page, TESS_HREG_STATUS) & TESS_HSTATUS_FAULTED))
		return false;
	*hf = (struct tess_host_fault){
		.cause = tess_chip_read32(chip, page, TESS_HREG_HFAULT_CAUSE),
		.access = tess_chip_read32(chip, page, TESS_HREG_HFAULT_ACCESS),
		.gpa = tess_chip_read64(chip, page, TESS_HREG_HFAULT_GPA),
	};
	return hf->gpa != U64_MAX || tess_chip_is_alive(chip);
}

static void hw_host_fault_ack(struct tess_backend *be, unsigned int slice, bool resume)
{
	struct tess_chip *chip = to_tess_chip(be);

	if (!READ_ONCE(chip->dead))
		tess_chip_write32(chip, TESS_HOST_PAGE(slice), TESS_HREG_HFAULT_ACK,
				  resume ? TESS_HFAULT_ACK_RESUME : TESS_HFAULT_ACK_REFUSE);
}

static bool hw_completion_take(struct tess_backend *be, unsigned int slice)
{
	struct tess_chip *chip = to_tess_chip(be);
	u32 page = TESS_CLIENT_PAGE(slice);

	if (READ_ONCE(chip->dead) ||
	    !(tess_chip_read32(chip, page, TESS_SREG_IRQ_STATUS) & TESS_IRQ_STATUS_COMPLETION))
		return false;
	tess_chip_write32(chip, page, TESS_SREG_IRQ_STATUS, TESS_IRQ_STATUS_COMPLETION);
	return true;
}

static void hw_lost(struct tess_backend *be)
{
	struct tess_chip *chip = to_tess_chip(be);

	chip->params.io->lost(chip);
}

/* ---- operations ---- */

#define HW_COMMON_OPS						\
	.time = hw_time,					\
	.rates = hw_rates,					\
	.cut = hw_cut,						\
	.lost = hw_lost,					\
	.client_get = tess_chip_client_get,			\
	.kick = hw_kick,					\
	.doorbell = hw_doorbell,				\
	.completion_take = hw_completion_take,			\
	.fault_pending = hw_fault_pending,			\
	.fault_read = hw_fault_read,				\
	.vram_alloc = tess_chip_vram_alloc,			\
	.vram_free = tess_chip_vram_free,			\
	.vram_clear = tess_chip_vram_clear,			\
	.vram_zero = tess_chip_vram_zero,			\
	.vram_read = tess_chip_vram_read,			\
	.vram_write = tess_chip_vram_write,			\
	.vram_free_bytes = tess_chip_vram_free_bytes,		\
	.as_create = tess_chip_as_create,			\
	.as_destroy = tess_chip_as_destroy,			\
	.as_map = tess_chip_as_map,				\
	.as_unmap = tess_chip_as_unmap,				\
	.ring_alloc = tess_chip_ring_alloc,			\
	.ring_start = tess_chip_ring_start,			\
	.ring_destroy = tess_chip_ring_destroy,			\
	.ring_submit = tess_chip_ring_submit,			\
	.ring_hint = tess_chip_ring_hint,			\
	.ring_kick = tess_chip_ring_kick,			\
	.ring_completed = tess_chip_ring_completed,		\
	.ring_arm = tess_chip_ring_arm,				\
	.ring_job = tess_chip_ring_job,				\
	.ring_recover = tess_chip_ring_recover,			\
	.ring_spent = tess_chip_ring_spent,			\
	.ring_usage = tess_chip_ring_usage

#define HW_GPU_OPS						\
	HW_COMMON_OPS,						\
	.slice_reset = hw_slice_reset,				\
	.slice_setup = hw_slice_setup,				\
	.slice_stage2 = hw_slice_stage2,			\
	.regs = &tess_chip_reg_ops,				\
	.as_written = tess_chip_as_written,			\
	.as_dirty = tess_chip_as_dirty,				\
	.as_dirty_end = tess_chip_as_dirty_end,			\
	.host_fault_pending = hw_host_fault_pending,		\
	.host_fault_read = hw_host_fault_read,			\
	.host_fault_ack = hw_host_fault_ack,			\
	.counters = tess_chip_counters

const struct tess_backend_ops tess_chip_gpu_ops = {
	HW_GPU_OPS,
};

static const struct tess_switch_ops hw_switching = {
	.alloc = tess_chip_context_alloc,
	.free = tess_chip_context_free,
	.clear = tess_chip_context_clear,
	.copy = tess_chip_context_copy,
	.pack = tess_chip_context_pack,
	.unpack = tess_chip_context_unpack,
	.get = tess_chip_context_get,
	.counters = tess_chip_context_counters,
	.fault = tess_chip_context_fault,
	.capture = tess_chip_context_capture,
	.lose = tess_chip_context_lose,
	.forget = tess_chip_context_forget,
	.exchange = tess_chip_context_switch,
	.notify = tess_chip_slice_notify,
};

const struct tess_backend_ops tess_chip_switch_ops = {
	HW_GPU_OPS,
	.switching = &hw_switching,
};

#define HW_VGPU_OPS						\
	HW_COMMON_OPS,						\
	.slice_reset = hw_vslice_reset,				\
	.counters = tess_chip_vgpu_counters

const struct tess_backend_ops tess_chip_vgpu_ops = {
	HW_VGPU_OPS,
};

const struct tess_backend_ops tess_chip_head_ops = {
	HW_VGPU_OPS,
	.display = &tess_chip_display_ops,
};
