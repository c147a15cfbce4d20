// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times of Documentation/hw/timing.rst, each worked out by hand: two TIMESTAMPs
 * around a packet, whose own 16 cycles lie in the difference.
 */
#include <string.h>

#include "rig.h"
#include "rv.h"
#include "tap.h"

#define STAMPS (RIG_DATA + 0x8000)
#define PKT 16
#define FILL_8 8 /* a fill of the translation cache */
#define CODE 0x10000ULL
#define OUT 0x100000ULL

/* Cycles of a packet on slice @n with an empty translation cache, less its fetch. */
static uint64_t cycles(struct rig *r, unsigned int n, const void *pkt)
{
	struct tess_pkt_timestamp a = pkt_timestamp(STAMPS, 0), b = pkt_timestamp(STAMPS + 8, 0);

	sreg_write(r, n, TESS_SREG_TLB_INVALIDATE, 1);
	rig_push(r, n, &a);
	rig_push(r, n, pkt);
	rig_push(r, n, &b);
	rig_doorbell(r, n);
	rig_run(r, 1000000);
	return rig_read64(r, STAMPS + 8) - rig_read64(r, STAMPS) - 2 * PKT;
}

static void check_copy(struct rig *r, const char *name, struct tess_pkt_copy p, uint64_t want)
{
	uint64_t got = cycles(r, 0, &p);

	ok(got == want, "%s: %llu cycles (%llu)", name, (unsigned long long)want,
	   (unsigned long long)got);
}

static void check_fill(struct rig *r, const char *name, uint64_t dst, uint64_t bytes, uint64_t want)
{
	struct tess_pkt_fill p = pkt_fill(dst, bytes, 1);
	uint64_t got = cycles(r, 0, &p);

	ok(got == want, "%s: %llu cycles (%llu)", name, (unsigned long long)want,
	   (unsigned long long)got);
}

static void test_copy_engine(struct rig *r)
{
	struct tess_pkt_copy p;
	uint64_t link, hops;

	check_fill(r, "FILL 4 KiB, own bank", RIG_VRAM(0), 4096, FILL_8 + 64);
	check_fill(r, "FILL 4 KiB, system memory", RIG_DATA, 4096, FILL_8 + 64 * 4);
	check_fill(r, "FILL 4 KiB, one hop", RIG_VRAM(1), 4096, FILL_8 + 64 * 2);
	check_fill(r, "FILL 4 KiB, one hop the other way", RIG_VRAM(3), 4096, FILL_8 + 64 * 2);
	check_fill(r, "FILL 4 KiB, two hops", RIG_VRAM(2), 4096, FILL_8 + 64 * 3);
	check_fill(r, "FILL 4 bytes", RIG_VRAM(0), 4, FILL_8 + 1);
	check_fill(r, "FILL 68 bytes", RIG_VRAM(0) + 60, 68, FILL_8 + 2);
	check_fill(r, "FILL 64 KiB", RIG_VRAM(0), 65536, 16 * (FILL_8 + 64));
	check_copy(r, "COPY in the own bank", pkt_copy(RIG_VRAM(0), RIG_VRAM(0) + 0x1000, 4096),
		   2 * FILL_8 + 64);
	link = counter(r, 0, TESS_COUNTER_LINK_BYTES);
	hops = counter(r, 0, TESS_COUNTER_LINK_HOPS);
	check_copy(r, "COPY two hops to system memory", pkt_copy(RIG_DATA, RIG_VRAM(2), 4096),
		   2 * FILL_8 + 64 * (1 + 2 + 3));
	ok(counter(r, 0, TESS_COUNTER_LINK_BYTES) - link == 4096 &&
		   counter(r, 0, TESS_COUNTER_LINK_HOPS) - hops == 64 * 2,
	   "link bytes and hops of it");
	/* 65 bytes are two beats; the second page begins inside of a beat. */
	check_copy(r, "COPY over a page's end", pkt_copy(RIG_VRAM(0) + 4096 - 10, RIG_VRAM(0), 65),
		   3 * FILL_8 + 2);
	p = pkt_copy(RIG_VRAM(0), RIG_VRAM(0) + 0x1000, 65);
	p.rows = 3;
	p.src_pitch = p.dst_pitch = 100;
	check_copy(r, "COPY of 3 rows of 65 bytes", p, 2 * FILL_8 + 3 * 2);
}

static void test_packets(struct rig *r)
{
	struct tess_pkt_fence f = pkt_fence(1, 0);
	struct tess_pkt_signal s = pkt_signal(RIG_DATA, DRM_TESSERA_SIGNAL_ADD, 1);
	uint8_t nop[DRM_TESSERA_PKT_SIZE] = { DRM_TESSERA_PKT_NOP };

	ok(cycles(r, 0, nop) == 0 && cycles(r, 0, &f) == 0 && cycles(r, 0, &s) == 0,
	   "NOP, FENCE, SIGNAL: nothing but the packet");
}

static void test_busy(struct rig *r)
{
	struct tess_pkt_fill p = pkt_fill(RIG_VRAM(0), 4096, 1);
	uint64_t busy, total;

	sreg_write(r, 0, TESS_SREG_TLB_INVALIDATE, 1);
	busy = counter(r, 0, TESS_COUNTER_BUSY);
	total = counter(r, 0, TESS_COUNTER_CYCLES);
	rig_do(r, 0, &p);
	busy = counter(r, 0, TESS_COUNTER_BUSY) - busy;
	total = counter(r, 0, TESS_COUNTER_CYCLES) - total;
	ok(busy == PKT + FILL_8 + 64, "BUSY: %llu", (unsigned long long)busy);
	ok(total == GPU_STEP_CYCLES, "CYCLES: the whole step");
}

/* What a process needs again after packets without a VM is still translated. */
static void test_spaces(struct rig *r)
{
	struct tess_pkt_timestamp a = pkt_timestamp(STAMPS, 0), b = pkt_timestamp(STAMPS + 8, 0);
	struct tess_pkt_fill p = pkt_fill(STAMPS + 0x1000, 4096, 1);
	uint64_t root = rig_table(r, 1);
	struct tess_pkt_set_vm vm = pkt_set_vm(root, 3, 0), none = pkt_set_vm(0, 0, 0);

	rig_map_range(r, root, STAMPS, STAMPS, 2);
	for (unsigned int i = 0; i < 2; i++) {
		rig_push(r, 0, &vm);
		rig_push(r, 0, &a);
		rig_push(r, 0, &p);
		rig_push(r, 0, &b);
		rig_push(r, 0, &none);
		rig_doorbell(r, 0);
		rig_run(r, 1000);
		ok(rig_read64(r, STAMPS + 8) - rig_read64(r, STAMPS) ==
			   2 * PKT + 64 * 4 + (i ? 0 : FILL_8),
		   i ? "no fill the second time" : "a fill the first time");
	}
}

static void put_code(struct rig *r, const uint32_t *code, size_t size)
{
	memcpy(rig_mem(r, RIG_DATA), code, size);
}

static void check_dispatch(struct rig *r, unsigned int n, const char *name, uint32_t groups,
			   uint16_t items, uint64_t want)
{
	struct tess_pkt_dispatch p = pkt_dispatch(CODE, OUT, groups * items, items);
	uint64_t got = cycles(r, n, &p);

	ok(got == want, "%s: %llu cycles (%llu)", name, (unsigned long long)want,
	   (unsigned long long)got);
}

static void test_dispatch(struct rig *r, uint64_t root)
{
	const uint32_t five[] = { NOP, NOP, NOP, NOP, RET };
	const uint32_t load[] = { LD(T0, 0, A0), LD(T1, 8, A0), RET };
	uint64_t stall, link;

	put_code(r, five, sizeof(five));
	check_dispatch(r, 0, "a group of 1 item, 5 instructions", 1, 1, 32 + FILL_8 + 5);
	check_dispatch(r, 0, "a group of 16 items", 1, 16, 32 + FILL_8 + 5 * 16);
	check_dispatch(r, 0, "a group of 250 items", 1, 250, 32 + FILL_8 + 5 * 250);
	/* The first core pays for the fill of the code's page. */
	check_dispatch(r, 0, "8 groups on 8 cores", 8, 16, 32 + FILL_8 + 5 * 16);
	/* The ninth goes to the second core, free at 112; the first one is so at 120. */
	check_dispatch(r, 0, "9 groups on 8 cores", 9, 16, 2 * (32 + 5 * 16));
	check_dispatch(r, 1, "8 groups on 2 cores", 8, 16, 4 * (32 + 5 * 16) + FILL_8);
	check_dispatch(r, 2, "8 groups on 4 cores", 8, 16, 2 * (32 + 5 * 16) + FILL_8);

	put_code(r, load, sizeof(load));
	rig_map(r, root, OUT, RIG_VRAM(2), PTE_ALL, 0);
	stall = counter(r, 0, TESS_COUNTER_STALL);
	link = counter(r, 0, TESS_COUNTER_LINK_BYTES);
	check_dispatch(r, 0, "load from a bank two hops away", 1, 1,
		       32 + FILL_8 + (FILL_8 + 2 * 32) + 3);
	ok(counter(r, 0, TESS_COUNTER_STALL) - stall == FILL_8 + FILL_8 + 64, "STALL");
	ok(counter(r, 0, TESS_COUNTER_LINK_BYTES) - link == 4096, "a page crosses the link");
}

static void test_throttle(struct rig *r)
{
	const uint32_t five[] = { NOP, NOP, NOP, NOP, RET };
	struct tess_pkt_fill p = pkt_fill(RIG_VRAM(0), 4096, 1);

	put_code(r, five, sizeof(five));
	hreg_write(r, 0, TESS_HREG_THROTTLE, 512);
	check_dispatch(r, 0, "half throttle", 1, 16, 32 + 2 * (FILL_8 + 5 * 16));
	hreg_write(r, 0, TESS_HREG_THROTTLE, 1);
	check_dispatch(r, 0, "least throttle", 1, 1, 32 + 1024 * (FILL_8 + 5));
	hreg_write(r, 0, TESS_HREG_THROTTLE, 768);
	check_dispatch(r, 0, "three quarters, rounded down", 1, 1, 32 + (FILL_8 + 5) * 1024 / 768);
	rig_set_vm(r, 0, 0);
	ok(cycles(r, 0, &p) == FILL_8 + 64, "the copy engine is not throttled");
	hreg_write(r, 0, TESS_HREG_THROTTLE, 1024);
}

/* The end of a step changes no time: cut into steps of any size the sum is the same. */
static void test_step_sizes(struct rig *r)
{
	static const unsigned int steps[] = { 1, 7, 64, 100, 512, 65536 };
	struct tess_pkt_copy p = pkt_copy(RIG_DATA + 0x1003, RIG_VRAM(2), 3000);
	struct tess_pkt_timestamp a = pkt_timestamp(STAMPS, 0), b = pkt_timestamp(STAMPS + 8, 0);

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		sreg_write(r, 0, TESS_SREG_TLB_INVALIDATE, 1);
		rig_push(r, 0, &a);
		rig_push(r, 0, &p);
		rig_push(r, 0, &b);
		rig_doorbell(r, 0);
		while (gpu_get_state(r->gpu) == GPU_RUNNING)
			gpu_step(r->gpu, steps[i]);
		/* 47 beats; a destination page and a source page begin inside. */
		ok(rig_read64(r, STAMPS + 8) - rig_read64(r, STAMPS) ==
			   2 * PKT + 2 * FILL_8 + 47 * 6,
		   "steps of %u cycles", steps[i]);
	}
}

int main(void)
{
	struct rig *r = rig_new();
	uint64_t root = rig_table(r, 1);

	test_packets(r);
	test_copy_engine(r);
	test_busy(r);
	test_step_sizes(r);
	test_spaces(r);
	for (unsigned int n = 0; n < RIG_SLICES; n++)
		rig_set_vm(r, n, root);
	rig_map(r, root, CODE, RIG_DATA, PTE_ALL, 0);
	/* The stamps are written through the VM. */
	rig_map(r, root, STAMPS, STAMPS, PTE_ALL, 0);
	test_dispatch(r, root);
	test_throttle(r);
	rig_free(r);
	return done();
}
