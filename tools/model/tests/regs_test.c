// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Register map: every offset, width, access and reset value against numbers that
 * are written down here a second time, by hand, from Documentation/hw/registers.rst.
 */
#include <string.h>

#include "gpu_priv.h"
#include "regs.h"
#include "rig.h"
#include "tap.h"

enum access { RO, RW, WO, W1C };

/**
 * struct expect - a register as the specification has it
 * @header: what the header says, to compare
 * @reset: value of a slice's page 0 after power-on of the rig (ring not set up)
 * @mask: bits that can be written
 */
struct expect {
	const char *name;
	uint32_t header;
	uint32_t offset;
	unsigned int width;
	enum access access;
	uint64_t reset;
	uint64_t mask;
};

static const struct expect global[] = {
	{ "ID", TESS_REG_ID, 0x00, 4, RO, 0x53534554, 0 },
	{ "VERSION", TESS_REG_VERSION, 0x04, 4, RO, 0x00010003, 0 },
	{ "CAPS", TESS_REG_CAPS, 0x08, 4, RO, 0x1fe6, 0 },
	{ "SLICE_COUNT", TESS_REG_SLICE_COUNT, 0x0c, 4, RO, 4, 0 },
	{ "SLICE_MASK", TESS_REG_SLICE_MASK, 0x10, 8, RO, 0xf, 0 },
	{ "ENGINE_MASK", TESS_REG_ENGINE_MASK, 0x18, 4, RO, 0xf, 0 },
	{ "HEAD_MASK", TESS_REG_HEAD_MASK, 0x1c, 4, RO, 0, 0 },
	{ "VRAM_SIZE", TESS_REG_VRAM_SIZE, 0x20, 8, RO, 4 << 20, 0 },
	{ "BANK_SIZE", TESS_REG_BANK_SIZE, 0x28, 8, RO, 1 << 20, 0 },
	{ "CLOCK_KHZ", TESS_REG_CLOCK_KHZ, 0x30, 4, RO, 4000, 0 },
	{ "LIMITS", TESS_REG_LIMITS, 0x34, 4, RO, 0x10400808, 0 },
	{ "TIME", TESS_REG_TIME, 0x38, 8, RW, 0, 0x7fffffffffffffff },
	{ "GENERATION", TESS_REG_GENERATION, 0x40, 8, RO, 1, 0 },
	{ "RESET", TESS_REG_RESET, 0x48, 4, WO, 0, 0 },
	{ "FAULT_PENDING", TESS_REG_FAULT_PENDING, 0x50, 8, RO, 0, 0 },
	{ "HFAULT_PENDING", TESS_REG_HFAULT_PENDING, 0x58, 8, RO, 0, 0 },
	{ "EVENT_PENDING", TESS_REG_EVENT_PENDING, 0x60, 8, W1C, 0, 0 },
	{ "TLB_INVALIDATE0", TESS_REG_TLB_INVALIDATE(0), 0x68, 4, WO, 0, 0 },
	{ "TLB_INVALIDATE1", TESS_REG_TLB_INVALIDATE(1), 0x6c, 4, WO, 0, 0 },
};

static const struct expect client[] = {
	{ "KIND", TESS_SREG_KIND, 0x00, 4, RO, 1, 0 },
	{ "CORES", TESS_SREG_CORES, 0x04, 4, RO, 8, 0 },
	{ "ENGINES", TESS_SREG_ENGINES, 0x08, 4, RO, 3, 0 },
	{ "STATUS", TESS_SREG_STATUS, 0x0c, 4, RO, 0, 0 },
	{ "RESET", TESS_SREG_RESET, 0x14, 4, WO, 0, 0 },
	{ "RING_BASE", TESS_SREG_RING_BASE, 0x18, 8, RW, 0, 0x1fffffff000 },
	{ "IRQ_STATUS", TESS_SREG_IRQ_STATUS, 0x24, 4, W1C, 0, 0 },
	{ "RPTR", TESS_SREG_RPTR, 0x28, 8, RW, 0, ~0ULL },
	{ "WPTR", TESS_SREG_WPTR, 0x30, 8, RW, 0, ~0ULL },
	{ "COMPLETION", TESS_SREG_COMPLETION, 0x38, 8, RW, 0, 0x1ffffffffc0 },
	{ "FAULT_CAUSE", TESS_SREG_FAULT_CAUSE, 0x40, 4, RO, 0, 0 },
	{ "FAULT_INFO", TESS_SREG_FAULT_INFO, 0x44, 4, RO, 0, 0 },
	{ "FAULT_ADDR", TESS_SREG_FAULT_ADDR, 0x48, 8, RO, 0, 0 },
	{ "FAULT_PC", TESS_SREG_FAULT_PC, 0x50, 8, RO, 0, 0 },
	{ "FAULT_PACKET", TESS_SREG_FAULT_PACKET, 0x58, 8, RO, 0, 0 },
	{ "FAULT_INDIRECT", TESS_SREG_FAULT_INDIRECT, 0x60, 4, RO, 0, 0 },
	{ "FAULT_ASID", TESS_SREG_FAULT_ASID, 0x64, 4, RO, 0, 0 },
	{ "FAULT_ACK", TESS_SREG_FAULT_ACK, 0x68, 4, WO, 0, 0 },
	{ "TLB_INVALIDATE", TESS_SREG_TLB_INVALIDATE, 0x6c, 4, WO, 0, 0 },
	{ "FENCE_SEQ", TESS_SREG_FENCE_SEQ, 0x70, 8, RO, 0, 0 },
	{ "COUNTERS", TESS_SREG_COUNTERS, 0x100, 8, RO, 0, 0 },
	/* Last: it locks the ring set-up. */
	{ "CONTROL", TESS_SREG_CONTROL, 0x10, 4, RW, 0, 0x1 },
};

static const struct expect host[] = {
	{ "H_CONTROL", TESS_HREG_CONTROL, 0x00, 4, RW, 1, 0x3 },
	{ "H_STATUS", TESS_HREG_STATUS, 0x04, 4, RO, 0, 0 },
	{ "STAGE2_ROOT", TESS_HREG_STAGE2_ROOT, 0x08, 8, RW, 0, 0x1ffffffc000 },
	{ "ENGINE_MASK", TESS_HREG_ENGINE_MASK, 0x10, 4, RW, 0xf, 0xf },
	{ "LINK_MASK", TESS_HREG_LINK_MASK, 0x18, 8, RW, ~0ULL, ~0ULL },
	{ "TLB_INVALIDATE", TESS_HREG_TLB_INVALIDATE, 0x20, 4, WO, 0, 0 },
	{ "H_RESET", TESS_HREG_RESET, 0x24, 4, WO, 0, 0 },
	{ "SCRUB", TESS_HREG_SCRUB, 0x28, 4, WO, 0, 0 },
	{ "CTX_ADDR", TESS_HREG_CTX_ADDR, 0x30, 8, RW, 0, 0x1ffffffffc0 },
	{ "CTX_SIZE", TESS_HREG_CTX_SIZE, 0x38, 8, RW, 0, ~0ULL },
	{ "CTX_STATUS", TESS_HREG_CTX_STATUS, 0x44, 4, RO, 0, 0 },
	{ "CTX_USED", TESS_HREG_CTX_USED, 0x48, 8, RO, 0, 0 },
	{ "HFAULT_CAUSE", TESS_HREG_HFAULT_CAUSE, 0x50, 4, RO, 0, 0 },
	{ "HFAULT_ACCESS", TESS_HREG_HFAULT_ACCESS, 0x54, 4, RO, 0, 0 },
	{ "HFAULT_GPA", TESS_HREG_HFAULT_GPA, 0x58, 8, RO, 0, 0 },
	{ "HFAULT_VA", TESS_HREG_HFAULT_VA, 0x60, 8, RO, 0, 0 },
	{ "HFAULT_ACK", TESS_HREG_HFAULT_ACK, 0x68, 4, WO, 0, 0 },
	{ "TIMER", TESS_HREG_TIMER, 0x70, 8, RW, 0, ~0ULL },
	{ "EVENTS", TESS_HREG_EVENTS, 0x7c, 4, W1C, 0, 0 },
	{ "H_COUNTERS", TESS_HREG_COUNTERS, 0x100, 8, RO, 0, 0 },
};

static const struct {
	const char *name;
	uint32_t header;
	uint32_t offset;
} counters[] = {
	{ "CYCLES", TESS_COUNTER_CYCLES, 0x00 },
	{ "BUSY", TESS_COUNTER_BUSY, 0x08 },
	{ "STALL", TESS_COUNTER_STALL, 0x10 },
	{ "INSTRUCTIONS", TESS_COUNTER_INSTRUCTIONS, 0x18 },
	{ "FLOPS", TESS_COUNTER_FLOPS, 0x20 },
	{ "TEXELS", TESS_COUNTER_TEXELS, 0x28 },
	{ "PIXELS", TESS_COUNTER_PIXELS, 0x30 },
	{ "BYTES", TESS_COUNTER_BYTES, 0x38 },
	{ "LINK_BYTES", TESS_COUNTER_LINK_BYTES, 0x40 },
	{ "LINK_HOPS", TESS_COUNTER_LINK_HOPS, 0x48 },
	{ "GROUPS", TESS_COUNTER_GROUPS, 0x50 },
	{ "PACKETS", TESS_COUNTER_PACKETS, 0x58 },
	{ "DISPATCHES", TESS_COUNTER_DISPATCHES, 0x60 },
	{ "SWITCHES", TESS_COUNTER_SWITCHES, 0x68 },
	{ "FAULTS", TESS_COUNTER_FAULTS, 0x70 },
	{ "RAYS", TESS_COUNTER_RAYS, 0x78 },
	{ "GLOBAL_BYTES", TESS_COUNTER_GLOBAL_BYTES, 0x80 },
	{ "PRIVATE_BYTES", TESS_COUNTER_PRIVATE_BYTES, 0x88 },
	{ "UNIT_CYCLES", TESS_COUNTER_UNIT_CYCLES, 0x90 },
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t rd(struct rig *r, uint32_t off, unsigned int size)
{
	return gpu_reg_read(r->gpu, off, size);
}

static void wr(struct rig *r, uint32_t off, uint64_t val, unsigned int size)
{
	gpu_reg_write(r->gpu, off, val, size);
}

/* Accesses of a wrong width or to the middle read zero. */
static bool odd_accesses_are_zero(struct rig *r, uint32_t off, unsigned int width)
{
	static const unsigned int sizes[] = { 1, 2, 4, 8 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (uint32_t o = off; o < off + width; o += sizes[i]) {
			bool whole = sizes[i] == width && o == off;
			bool half = width == 8 && sizes[i] == 4;

			if (!whole && !half && !(o & (sizes[i] - 1)) && rd(r, o, sizes[i]))
				return false;
		}
	}
	return true;
}

static void check_written(struct rig *r, uint32_t page, const struct expect *e)
{
	static const uint64_t pattern = 0xa5a5a5a55a5a5a5bULL;
	uint64_t want = e->access == RW ? pattern & e->mask : e->reset;
	uint32_t off = page + e->offset;

	if (e->access == WO)
		return;
	if (e->width == 4)
		want = (uint32_t)want;
	wr(r, off, pattern, e->width);
	ok(rd(r, off, e->width) == want, "%s: %s", e->name,
	   e->access == RW ? "takes what its mask lets through" : "ignores writes");
	if (e->access != RW)
		return;
	if (e->width == 8) {
		wr(r, off, 0x89abcdef, 4);
		ok(rd(r, off, 8) == want, "%s: low half alone changes nothing", e->name);
		wr(r, off + 4, 0x01234567, 4);
		ok(rd(r, off, 8) == (0x0123456789abcdefULL & e->mask), "%s: high half takes over",
		   e->name);
	}
	wr(r, off, 0xff, 1);
	wr(r, off, 0xffff, 2);
	wr(r, off, e->reset, e->width);
	ok(rd(r, off, e->width) == e->reset, "%s: back to its reset value", e->name);
}

static void check_page(struct rig *r, uint32_t page, const struct expect *regs, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct expect *e = &regs[i];
		uint64_t halves;

		ok(e->header == e->offset, "%s: offset 0x%x", e->name, e->offset);
		ok(rd(r, page + e->offset, e->width) == e->reset, "%s: reset 0x%llx", e->name,
		   (unsigned long long)e->reset);
		ok(odd_accesses_are_zero(r, page + e->offset, e->width), "%s: odd accesses",
		   e->name);
		if (e->width == 8) {
			halves = rd(r, page + e->offset, 4) | rd(r, page + e->offset + 4, 4) << 32;
			ok(halves == e->reset, "%s: in halves", e->name);
		}
		check_written(r, page, e);
	}
}

static void test_map(struct rig *r)
{
	ok(TESS_CLIENT_PAGE(3) == 0x43000 && TESS_DOORBELL_PAGE(3) == 0x83000 &&
		   TESS_HOST_PAGE(3) == 0xc3000 && TESS_COMPOSITION_PAGE == 0x1000 &&
		   TESS_REGS_SIZE == 0x100000,
	   "pages");
	for (unsigned int n = 0; n < RIG_SLICES; n++)
		sreg_write(r, n, TESS_SREG_RESET, 1);
	check_page(r, 0, global, ARRAY_SIZE(global));
	check_page(r, 0x40000, client, ARRAY_SIZE(client));
	check_page(r, 0xc0000, host, ARRAY_SIZE(host));
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		ok(counters[i].header == counters[i].offset, "counter %s", counters[i].name);
	ok(TESS_HCOUNTER_COUNT == ARRAY_SIZE(counters), "number of counters");
}

/* The model's own tables: in order, and with the reset values that registers do have. */
static void test_tables(struct rig *r)
{
	static const struct reg_page *const pages[] = { &reg_page_global, &reg_page_client,
							&reg_page_host, &reg_page_doorbell };

	for (size_t p = 0; p < ARRAY_SIZE(pages); p++) {
		bool ordered = true, same = true;

		for (size_t i = 0; i < pages[p]->nr; i++) {
			const struct reg *reg = &pages[p]->regs[i];

			ordered &= !i || reg->offset >= reg[-1].offset + reg[-1].width;
			if (reg->access == REG_RW || reg->access == REG_W1C || reg->reset)
				same &= reg->read(r->gpu, 0) == reg->reset;
		}
		ok(ordered && same, "table %zu", p);
	}
}

static void test_special_values(struct rig *r)
{
	sreg_write(r, 0, TESS_SREG_RESET, 1);
	ok(sreg(r, 0, 0x20) == 4, "RING_LOG2: reset 4");
	sreg_write(r, 0, 0x20, 3);
	ok(sreg(r, 0, 0x20) == 4, "RING_LOG2: 3 is ignored");
	sreg_write(r, 0, 0x20, 17);
	ok(sreg(r, 0, 0x20) == 4, "RING_LOG2: 17 is ignored");
	sreg_write(r, 0, 0x20, 16);
	ok(sreg(r, 0, 0x20) == 16, "RING_LOG2: 16 is taken");
	ok(hreg(r, 0, 0x14) == 1024, "THROTTLE: reset 1024");
	hreg_write(r, 0, 0x14, 0);
	hreg_write(r, 0, 0x14, 1025);
	ok(hreg(r, 0, 0x14) == 1024, "THROTTLE: 0 and 1025 are ignored");
	hreg_write(r, 0, 0x14, 1);
	ok(hreg(r, 0, 0x14) == 1, "THROTTLE: 1 is taken");
	hreg_write(r, 0, 0x14, 1024);
	wr(r, 0x80000, 0x1234567890ULL, 8);
	ok(sreg64(r, 0, 0x30) == 0x1234567890ULL, "doorbell sets WPTR");
	ok(rd(r, 0x80000, 8) == 0, "doorbell reads as zero");
	wr(r, 0x80000, 7, 4);
	wr(r, 0x80004, 1, 4);
	ok(sreg64(r, 0, 0x30) == 0x100000007ULL, "doorbell in halves");
	wr(r, 0x80008, 5, 8);
	ok(sreg64(r, 0, 0x30) == 0x100000007ULL, "the rest of the doorbell page is empty");
	sreg_write64(r, 0, 0x30, 0);
}

/* Ring set-up cannot be changed while the ring is enabled. */
static void test_locked_while_enabled(struct rig *r)
{
	static const uint32_t regs[] = { TESS_SREG_RING_BASE, TESS_SREG_RPTR, TESS_SREG_WPTR,
					 TESS_SREG_COMPLETION };

	sreg_write(r, 0, TESS_SREG_CONTROL, 1);
	for (size_t i = 0; i < ARRAY_SIZE(regs); i++) {
		sreg_write64(r, 0, regs[i], 0x4000);
		ok(sreg64(r, 0, regs[i]) == 0, "0x%x is locked while enabled", regs[i]);
	}
	sreg_write(r, 0, TESS_SREG_RING_LOG2, 5);
	ok(sreg(r, 0, TESS_SREG_RING_LOG2) == 16, "RING_LOG2 is locked while enabled");
	ok(sreg(r, 0, TESS_SREG_STATUS) == TESS_STATUS_ENABLED, "STATUS says enabled");
}

static void test_absent(struct rig *r)
{
	bool zero = true;

	for (unsigned int n = RIG_SLICES; n < TESS_MAX_SLICES; n++) {
		for (uint32_t off = 0; off < 0x180; off += 4) {
			zero &= !rd(r, TESS_CLIENT_PAGE(n) + off, 4);
			zero &= !rd(r, TESS_HOST_PAGE(n) + off, 4);
			wr(r, TESS_CLIENT_PAGE(n) + off, 1, 4);
			wr(r, TESS_HOST_PAGE(n) + off, 1, 4);
		}
		wr(r, TESS_DOORBELL_PAGE(n), 1, 8);
	}
	ok(zero, "pages of absent slices are zero");
	zero = true;
	for (uint32_t off = 0x2000; off < 0x40000; off += 8)
		zero &= !rd(r, off, 8);
	ok(zero, "the hole after the composition page is zero");
	ok(!rd(r, TESS_REGS_SIZE, 4) && !rd(r, 0xffffffff, 1), "outside of the BAR");
	wr(r, TESS_REGS_SIZE, 1, 4);
	ok(!rd(r, 0x180, 8) && !rd(r, 0xffc, 4), "rest of the global page");
}

static void test_composition(struct rig *r)
{
	static const unsigned int cores[] = { 8, 2, 4, 8 };
	uint32_t base = 0x1000;
	bool good = true;

	ok(rd(r, base, 4) == 0x504d4354 && rd(r, base + 4, 4) == 1, "magic and version");
	ok(rd(r, base + 0x10, 8) == 1 && rd(r, base + 0x18, 8) == 0xf, "generation, slice mask");
	ok(rd(r, base + 0x20, 8) == 4 << 20 && rd(r, base + 0x28, 4) == 4, "VRAM, slice count");
	ok(rd(r, base + 0x2c, 4) == TESS_TOPOLOGY_MESH && rd(r, base + 0x30, 4) == 0xf,
	   "topology, engines");
	for (unsigned int n = 0; n < RIG_SLICES; n++) {
		uint32_t e = base + 0x80 + n * 48;

		good &= rd(r, e, 4) == n && rd(r, e + 8, 4) == cores[n];
		good &= rd(r, e + 16, 8) == n * RIG_BANK && rd(r, e + 24, 8) == RIG_BANK;
		good &= rd(r, e + 32, 8) == 0xf && rd(r, e + 40, 8) == 0;
	}
	ok(good, "slices");
	wr(r, base, 0, 4);
	ok(rd(r, base, 4) == 0x504d4354, "read-only");
	ok(sizeof(struct tess_composition) == 0x80 + 64 * 48 &&
		   sizeof(struct tess_composition) <= TESS_PAGE_SIZE,
	   "size");
}

static void test_context_event(struct rig *r)
{
	unsigned int irqs = r->irqs[TESS_IRQ_EVENT];

	hreg_write(r, 2, 0x40, TESS_CTX_SAVE);
	ok(hreg(r, 2, 0x44) == TESS_CTX_ERR_STATE, "SAVE of a running slice ends at once");
	ok(greg64(r, 0x60) == 4 && r->irqs[TESS_IRQ_EVENT] == irqs + 1, "and says so by event");
	wr(r, 0x60, 4, 4);
	ok(greg64(r, 0x60) == 4, "EVENT_PENDING: low half alone clears nothing");
	wr(r, 0x64, 0, 4);
	ok(greg64(r, 0x60) == 0, "EVENT_PENDING: one clears");
}

static void test_resets(struct rig *r)
{
	hreg_write(r, 1, TESS_HREG_THROTTLE, 5);
	sreg_write(r, 1, TESS_SREG_RESET, 2);
	sreg_write(r, 1, TESS_SREG_CONTROL, 0);
	sreg_write64(r, 1, TESS_SREG_RPTR, 9);
	sreg_write(r, 1, TESS_SREG_RESET, 1);
	ok(sreg64(r, 1, TESS_SREG_RPTR) == 0 && hreg(r, 1, TESS_HREG_THROTTLE) == 5,
	   "client RESET leaves the host's registers");
	sreg_write64(r, 1, TESS_SREG_RPTR, 9);
	hreg_write(r, 1, TESS_HREG_RESET, 1);
	ok(sreg64(r, 1, TESS_SREG_RPTR) == 0 && hreg(r, 1, TESS_HREG_THROTTLE) == 1024,
	   "host RESET resets both");
	r->vram[0] = r->vram[RIG_BANK] = r->vram[2 * RIG_BANK - 1] = r->vram[2 * RIG_BANK] = 1;
	hreg_write(r, 1, TESS_HREG_SCRUB, 1);
	ok(r->vram[0] && !r->vram[RIG_BANK] && !r->vram[2 * RIG_BANK - 1] && r->vram[2 * RIG_BANK],
	   "SCRUB zeroes its own bank only");
	sreg_write64(r, 2, TESS_SREG_RPTR, 9);
	wr(r, TESS_REG_RESET, 1, 4);
	ok(r->vram[0] == 1, "RESET needs its key");
	wr(r, TESS_REG_RESET, TESS_RESET_KEY, 4);
	ok(!sreg64(r, 2, TESS_SREG_RPTR) && !r->vram[0] && !greg64(r, TESS_REG_TIME),
	   "RESET resets slices, VRAM and time");
}

int main(void)
{
	struct rig *r = rig_new();

	test_map(r);
	test_tables(r);
	test_special_values(r);
	test_locked_while_enabled(r);
	test_absent(r);
	test_composition(r);
	test_context_event(r);
	test_resets(r);
	rig_free(r);
	return done();
}
