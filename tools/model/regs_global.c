// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Global page
 *
 * What concerns the whole GPU. Nearly all of it is read-only and found out from
 * the slices when it is read.
 */
#include <endian.h>

#include "gpu_priv.h"
#include "regs.h"

#define VERSION_MAJOR 1
#define VERSION_MINOR 3

static unsigned int log2_of(unsigned int n)
{
	unsigned int l = 0;

	while (n >>= 1)
		l++;
	return l;
}

static uint64_t read_id(struct gpu *g, unsigned int n)
{
	(void)g;
	(void)n;
	return TESS_ID_VALUE;
}

static uint64_t read_version(struct gpu *g, unsigned int n)
{
	(void)g;
	(void)n;
	return FIELD_PREP(TESS_VERSION_MAJOR, VERSION_MAJOR) |
	       FIELD_PREP(TESS_VERSION_MINOR, VERSION_MINOR);
}

static uint64_t read_caps(struct gpu *g, unsigned int n)
{
	(void)g;
	(void)n;
	return TESS_CAPS_STAGE2 | TESS_CAPS_CONTEXT | TESS_CAPS_FABRIC | TESS_CAPS_SWITCH |
	       TESS_CAPS_TEX | TESS_CAPS_ROP | TESS_CAPS_RAY | TESS_CAPS_TRAFFIC |
	       TESS_CAPS_INVALIDATE | TESS_CAPS_UNIT_CYCLES;
}

static uint64_t read_slice_count(struct gpu *g, unsigned int n)
{
	(void)n;
	return g->desc.nr_slices;
}

static uint64_t read_slice_mask(struct gpu *g, unsigned int n)
{
	(void)n;
	return le64toh(g->composition.slice_mask);
}

static uint64_t read_engine_mask(struct gpu *g, unsigned int n)
{
	uint32_t mask = 0;

	(void)n;
	for (unsigned int i = 0; i < g->desc.nr_slices; i++)
		mask |= slice_engines(&g->slices[i]);
	return mask;
}

static uint64_t read_vram_size(struct gpu *g, unsigned int n)
{
	(void)n;
	return g->desc.bank_size * g->desc.nr_slices;
}

static uint64_t read_bank_size(struct gpu *g, unsigned int n)
{
	(void)n;
	return g->desc.bank_size;
}

static uint64_t read_clock(struct gpu *g, unsigned int n)
{
	(void)g;
	(void)n;
	return GPU_CLOCK_KHZ;
}

static uint64_t read_limits(struct gpu *g, unsigned int n)
{
	(void)g;
	(void)n;
	return FIELD_PREP(TESS_LIMITS_GROUP_SLOTS, DRM_TESSERA_GROUP_SLOTS) |
	       FIELD_PREP(TESS_LIMITS_GROUP_ITEMS_LOG2, log2_of(DRM_TESSERA_MAX_GROUP_ITEMS)) |
	       FIELD_PREP(TESS_LIMITS_LOCAL_KIB, DRM_TESSERA_MAX_LOCAL_BYTES / 1024) |
	       FIELD_PREP(TESS_LIMITS_RING_LOG2, TESS_RING_LOG2_MAX);
}

static uint64_t read_time(struct gpu *g, unsigned int n)
{
	(void)n;
	return gpu_read_time(g);
}

static void write_time(struct gpu *g, unsigned int n, uint64_t val)
{
	(void)n;
	gpu_set_time(g, val & TESS_TIME_MASK);
}

static uint64_t read_generation(struct gpu *g, unsigned int n)
{
	(void)n;
	return le64toh(g->composition.generation);
}

static void write_reset(struct gpu *g, unsigned int n, uint64_t val)
{
	(void)n;
	if (val == TESS_RESET_KEY)
		gpu_reset(g);
}

static uint64_t read_fault_pending(struct gpu *g, unsigned int n)
{
	uint64_t mask = 0;

	(void)n;
	for (unsigned int i = 0; i < g->desc.nr_slices; i++)
		mask |= (uint64_t)g->slices[i].client.faulted << i;
	return mask;
}

static uint64_t read_hfault_pending(struct gpu *g, unsigned int n)
{
	uint64_t mask = 0;

	(void)n;
	for (unsigned int i = 0; i < g->desc.nr_slices; i++)
		mask |= (uint64_t)g->slices[i].hfault.pending << i;
	return mask;
}

static uint64_t read_event_pending(struct gpu *g, unsigned int n)
{
	(void)n;
	return g->event_pending;
}

static void clear_event_pending(struct gpu *g, unsigned int n, uint64_t val)
{
	(void)n;
	g->event_pending &= ~val;
}

static void invalidate(struct gpu *g, unsigned int first, uint64_t mask)
{
	for (unsigned int i = first; i < g->desc.nr_slices; i++)
		if (i - first < TESS_TLB_INVALIDATE_SLICES && mask >> (i - first) & 1)
			mmu_flush(&g->slices[i]);
}

static void write_invalidate_low(struct gpu *g, unsigned int n, uint64_t val)
{
	(void)n;
	invalidate(g, 0, val);
}

static void write_invalidate_high(struct gpu *g, unsigned int n, uint64_t val)
{
	(void)n;
	invalidate(g, TESS_TLB_INVALIDATE_SLICES, val);
}

static const struct reg regs[] = {
	{ "ID", TESS_REG_ID, 4, REG_RO, TESS_ID_VALUE, read_id, NULL },
	{ "VERSION", TESS_REG_VERSION, 4, REG_RO, VERSION_MAJOR << 16 | VERSION_MINOR, read_version,
	  NULL },
	{ "CAPS", TESS_REG_CAPS, 4, REG_RO, 0, read_caps, NULL },
	{ "SLICE_COUNT", TESS_REG_SLICE_COUNT, 4, REG_RO, 0, read_slice_count, NULL },
	{ "SLICE_MASK", TESS_REG_SLICE_MASK, 8, REG_RO, 0, read_slice_mask, NULL },
	{ "ENGINE_MASK", TESS_REG_ENGINE_MASK, 4, REG_RO, 0, read_engine_mask, NULL },
	{ "HEAD_MASK", TESS_REG_HEAD_MASK, 4, REG_RO, 0, NULL, NULL },
	{ "VRAM_SIZE", TESS_REG_VRAM_SIZE, 8, REG_RO, 0, read_vram_size, NULL },
	{ "BANK_SIZE", TESS_REG_BANK_SIZE, 8, REG_RO, 0, read_bank_size, NULL },
	{ "CLOCK_KHZ", TESS_REG_CLOCK_KHZ, 4, REG_RO, GPU_CLOCK_KHZ, read_clock, NULL },
	{ "LIMITS", TESS_REG_LIMITS, 4, REG_RO, 0, read_limits, NULL },
	{ "TIME", TESS_REG_TIME, 8, REG_RW, 0, read_time, write_time },
	{ "GENERATION", TESS_REG_GENERATION, 8, REG_RO, 1, read_generation, NULL },
	{ "RESET", TESS_REG_RESET, 4, REG_WO, 0, NULL, write_reset },
	{ "FAULT_PENDING", TESS_REG_FAULT_PENDING, 8, REG_RO, 0, read_fault_pending, NULL },
	{ "HFAULT_PENDING", TESS_REG_HFAULT_PENDING, 8, REG_RO, 0, read_hfault_pending, NULL },
	{ "EVENT_PENDING", TESS_REG_EVENT_PENDING, 8, REG_W1C, 0, read_event_pending,
	  clear_event_pending },
	{ "TLB_INVALIDATE0", TESS_REG_TLB_INVALIDATE(0), 4, REG_WO, 0, NULL, write_invalidate_low },
	{ "TLB_INVALIDATE1", TESS_REG_TLB_INVALIDATE(1), 4, REG_WO, 0, NULL,
	  write_invalidate_high },
};

const struct reg_page reg_page_global = {
	.name = "global",
	.regs = regs,
	.nr = sizeof(regs) / sizeof(regs[0]),
};
