// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Units on slices: who gets them, what they count and cost, their faults, and contexts that have
 * them and move. isa_unit_test.c has what they compute.
 */
#include <string.h>

#include "ctx_rig.h"
#include "rig.h"
#include "rv.h"
#include "tap.h"
#include "unit_ref.h"

#define CODE 0x10000ULL
#define DATA 0x100000ULL
#define DATA_PAGES 16
#define CODE_PA RIG_DATA
#define DATA_PA (RIG_SYS + (4ULL << 20)) /* in 2 MiB of its own */
/* In the data: results, descriptors and a record, texels, colours */
#define OUT 0
#define DESC 0x1000
#define TEXELS 0x2000
#define COLORS 0x4000
#define ITEMS 24U
#define ALL DRM_TESSERA_SETUP_UNITS
#define KERNEL_INSNS 32
#define UNIT_INSNS 5

#define FCVT(fd, rs1) rv_r(0x53, 7, 0x68, fd, rs1, 2)
#define FDIV(fd, f1, f2) rv_r(0x53, 7, 0x0c, fd, f1, f2)
#define FMV(fd, f1) rv_r(0x53, 0, 0x10, fd, f1, f1)
#define FSW(fs, imm, rs1) rv_s(0x27, 2, rs1, fs, imm)

static uint8_t *data_of(struct rig *r)
{
	return rig_mem(r, DATA_PA);
}

static void put_code(struct rig *r, const uint32_t *code, size_t size)
{
	memcpy(rig_mem(r, CODE_PA), code, size);
	for (unsigned int n = 0; n < RIG_SLICES; n++)
		sreg_write(r, n, TESS_SREG_TLB_INVALIDATE, 1);
}

/* Four texels, two colours each loaded and stored, a box, a triangle, six words */
#define KERNEL_BYTES (4 * 4 + 2 * 8 + 32 + 64 + 6 * 4)

/* Each item samples, writes its pixel twice, casts two rays, and tells what came out. */
static void put_kernel(struct rig *r)
{
	const uint32_t kernel[] = {
		CSRRS(T0, 0xcd3, X0), SLLI(T1, T0, 5),	ADD(T1, T1, A0),     LUI(T2, DESC >> 12),
		ADD(S1, A0, T2),      ADDI(A1, S1, 64), ADDI(A4, S1, 128),   FCVT(9, T0),
		ADDI(A2, X0, 7),      FCVT(1, A2),	FDIV(9, 9, 1),	     FMV(10, 9),
		FMV(11, 1),	      FMV(12, 9),	FMV(13, 1),	     FMV(14, 9),
		FMV(15, 9),	      FMV(16, 1),	TEX(21, S1, 9),	     FSW(21, 0, T1),
		FSW(24, 4, T1),	      ANDI(A2, T0, 7),	ROP(A3, A1, A2, 21), ROP(A5, A1, A2, 21),
		ADD(A3, A3, A5),      SW(A3, 8, T1),	RAY_BOX(26, A4, 9),  FSW(26, 12, T1),
		RAY_TRI(27, A4, 9),   FSW(27, 16, T1),	FSW(28, 20, T1),     EXIT,
	};

	_Static_assert(sizeof(kernel) == KERNEL_INSNS * 4, "instructions");
	put_code(r, kernel, sizeof(kernel));
}

static void put_data(struct rig *r)
{
	struct ref_texture t = { .address = DATA + TEXELS,
				 .format = 1,
				 .filter = 1,
				 .size = { 13, 9 },
				 .levels = 1,
				 .pitch = 56 };
	struct ref_target p = { .color = DATA + COLORS,
				.width = 8,
				.height = 1,
				.color_pitch = 32,
				.format = 1,
				.write = 15,
				.src = 1,
				.dst = 1 };
	const float box[12] = { -1, -1, -1, 0, 1, 1, 1, 0, -1, 2, 1, 0 };
	uint8_t *data = data_of(r);

	memset(data, 0, DATA_PAGES * TESS_PAGE_SIZE);
	memcpy(data + DESC, &t, sizeof(t));
	memcpy(data + DESC + 64, &p, sizeof(p));
	memcpy(data + DESC + 128, box, sizeof(box));
	for (unsigned int k = 0; k < 0x1000; k++)
		data[TEXELS + k] = (uint8_t)(k * k * 7 + k / 3);
}

static struct rig *set_up(void)
{
	struct rig *r = rig_new();
	uint64_t root = rig_table(r, 1);

	rig_map_range(r, root, CODE, CODE_PA, 1);
	rig_map_range(r, root, DATA, DATA_PA, DATA_PAGES);
	for (unsigned int n = 0; n < RIG_SLICES; n++)
		rig_set_vm(r, n, root);
	put_kernel(r);
	put_data(r);
	return r;
}

static struct tess_pkt_dispatch packet(uint16_t units)
{
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, DATA, ITEMS, 3);

	d.setup |= units;
	return d;
}

/* Units that a dispatch finds in priv_bytes */
static uint64_t granted(struct rig *r, unsigned int n, uint16_t asked)
{
	const uint32_t code[] = { CSRRS(A1, 0xcd2, X0), SD(A1, 0, A0), RET };
	struct tess_pkt_dispatch d = packet(asked);
	uint64_t got = 99;

	put_code(r, code, sizeof(code));
	d.grid_size[0] = 1;
	if (!rig_do(r, n, &d))
		memcpy(&got, data_of(r), sizeof(got));
	put_kernel(r);
	return got >> 32;
}

static void test_grant(struct rig *r)
{
	static const uint64_t has[RIG_SLICES] = { 0, 7, 7, 0 };
	bool good = true;

	for (unsigned int n = 0; n < RIG_SLICES; n++)
		for (uint16_t units = 0; units < 8; units++)
			good &= granted(r, n, (uint16_t)(units << 8)) == (units & has[n]);
	ok(good, "a dispatch gets what it asks for and the slice has: none, all, all, none");
	hreg_write(r, 1, TESS_HREG_ENGINE_MASK, TESS_ENGINE_ALL & ~TESS_ENGINE_RASTER);
	ok(granted(r, 1, ALL) == 0, "none without the raster engine");
	hreg_write(r, 1, TESS_HREG_ENGINE_MASK, TESS_ENGINE_ALL);
}

static void test_packets(struct rig *r)
{
	static const uint16_t bad[] = { 0, 4, 0x80, 0x700, 0x704, 0x0801, 0x8001 };
	bool good = true;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct tess_pkt_dispatch d = packet(0);

		d.setup = bad[i];
		good &= rig_try(r, 1, &d) == FAULT(ILLEGAL_PACKET) &&
			rig_try(r, 0, &d) == FAULT(ILLEGAL_PACKET);
	}
	ok(good, "setup has dimensions and units, no more");
}

static void test_missing(struct rig *r)
{
	struct tess_pkt_dispatch d = packet(ALL & ~DRM_TESSERA_SETUP_TEX);

	ok(rig_do(r, 1, &d) == FAULT(ILLEGAL_INSN) &&
		   sreg64(r, 1, TESS_SREG_FAULT_ADDR) == TEX(21, S1, 9) &&
		   sreg64(r, 1, TESS_SREG_FAULT_PC) == CODE + 18 * 4 &&
		   sreg(r, 1, TESS_SREG_FAULT_INFO) & TESS_FAULT_INFO_HART,
	   "a unit that was not asked for is illegal");
	rig_recover(r, 1);
	d = packet(ALL);
	ok(rig_do(r, 0, &d) == FAULT(ILLEGAL_INSN), "one that the slice has not, too");
	rig_recover(r, 0);
}

static void test_counters(struct rig *r)
{
	for (unsigned int n = 1; n < 3; n++) {
		struct tess_pkt_dispatch d = packet(ALL);
		uint64_t rays = hreg64(r, n, TESS_HREG_COUNTERS + TESS_COUNTER_RAYS);
		uint64_t bytes = hreg64(r, n, TESS_HREG_COUNTERS + TESS_COUNTER_GLOBAL_BYTES);

		sreg_write(r, n, TESS_SREG_RESET, 1);
		rig_ring(r, n);
		rig_set_vm(r, n, RIG_TABLES);
		ok(!rig_do(r, n, &d) && counter(r, n, TESS_COUNTER_TEXELS) == 4 * ITEMS &&
			   counter(r, n, TESS_COUNTER_PIXELS) == 2 * ITEMS &&
			   counter(r, n, TESS_COUNTER_INSTRUCTIONS) == KERNEL_INSNS * ITEMS,
		   "slice %u: TEXELS, PIXELS", n);
		ok(hreg64(r, n, TESS_HREG_COUNTERS + TESS_COUNTER_RAYS) == rays + 2 * ITEMS &&
			   !counter(r, n, TESS_COUNTER_RAYS),
		   "RAYS, on the host page only");
		ok(hreg64(r, n, TESS_HREG_COUNTERS + TESS_COUNTER_GLOBAL_BYTES) ==
				   bytes + KERNEL_BYTES * ITEMS &&
			   !hreg64(r, n, TESS_HREG_COUNTERS + TESS_COUNTER_PRIVATE_BYTES),
		   "GLOBAL_BYTES: texels, colours and records, not descriptors");
		hreg_write(r, n, TESS_HREG_RESET, 1);
		ok(!hreg64(r, n, TESS_HREG_COUNTERS + TESS_COUNTER_RAYS), "reset");
		rig_ring(r, n);
		rig_set_vm(r, n, RIG_TABLES);
	}
}

/* The second of two runs, which needs no fills */
static uint64_t cycles(struct rig *r, unsigned int n)
{
	struct tess_pkt_timestamp a = pkt_timestamp(DATA + 0x800, 0);
	struct tess_pkt_timestamp b = pkt_timestamp(DATA + 0x808, 0);
	struct tess_pkt_dispatch d = packet(ALL);
	uint64_t t[2];

	/* As many groups as cores */
	d.grid_size[0] = 3 * (uint32_t)sreg(r, n, TESS_SREG_CORES);
	rig_push(r, n, &d);
	rig_push(r, n, &a);
	rig_push(r, n, &d);
	rig_push(r, n, &b);
	rig_doorbell(r, n);
	rig_run(r, 100000);
	t[0] = rig_read64(r, DATA_PA + 0x800);
	t[1] = rig_read64(r, DATA_PA + 0x808);
	return t[1] - t[0] - 2 * 16 - 32;
}

static void test_cycles(struct rig *r)
{
	/* tess.ray.tri has two steps, all others of the kernel have one. */
	const uint64_t steps = UNIT_INSNS + 1;
	uint64_t render, mixed;

	for (unsigned int n = 1; n < 3; n++)
		rig_set_vm(r, n, RIG_TABLES);
	render = cycles(r, 1);
	mixed = cycles(r, 2);
	ok(render == 3 * (KERNEL_INSNS - UNIT_INSNS + steps), "render: a cycle a step (%llu)",
	   (unsigned long long)render);
	ok(mixed == 3 * (KERNEL_INSNS - UNIT_INSNS + 4 * steps), "mixed: 4 cycles a step (%llu)",
	   (unsigned long long)mixed);
}

/* Take the page at @va of the data away, and give it back when the slice stops for it. */
static void test_page(struct rig *r, uint64_t va, uint32_t cause, uint32_t access, const char *name)
{
	struct tess_pkt_dispatch d = packet(ALL);
	uint64_t pte = rig_map(r, RIG_TABLES, va & ~0xfffULL, DATA_PA + (va & ~0xfffULL) - DATA,
			       cause == DRM_TESSERA_CAUSE_STORE_PAGE ? PTE_ALL & ~TESS_PTE_W : 0,
			       0);
	uint64_t good = pte ? (((DATA_PA + (va & ~0xfffULL) - DATA) >> 12) << 10 | PTE_ALL) : 0;

	put_data(r);
	sreg_write(r, 1, TESS_SREG_TLB_INVALIDATE, 1);
	ok(rig_do(r, 1, &d) == cause + 1 && sreg64(r, 1, TESS_SREG_FAULT_ADDR) == va &&
		   FIELD_GET(TESS_FAULT_INFO_ACCESS, sreg(r, 1, TESS_SREG_FAULT_INFO)) == access,
	   "%s: client fault", name);
	rig_write64(r, pte, good);
	sreg_write(r, 1, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_RESUME);
	rig_run(r, 100000);
	ok(!rig_fault(r, 1), "and resumed");
}

struct result {
	uint8_t data[DATA_PAGES * TESS_PAGE_SIZE];
	uint64_t texels, pixels;
};

static void take_result(struct rig *r, unsigned int n, struct result *res)
{
	memcpy(res->data, data_of(r), sizeof(res->data));
	res->texels = counter(r, n, TESS_COUNTER_TEXELS);
	res->pixels = counter(r, n, TESS_COUNTER_PIXELS);
}

static void run_whole(struct result *res)
{
	struct rig *r = set_up();
	struct tess_pkt_dispatch d = packet(ALL);

	ok(!rig_do(r, 1, &d), "undisturbed");
	take_result(r, 1, res);
	rig_free(r);
}

static void test_faults(const struct result *whole)
{
	struct rig *r = set_up();

	test_page(r, DATA + DESC, DRM_TESSERA_CAUSE_LOAD_PAGE, 1, "descriptor");
	/* The first item reads the last texel first. */
	test_page(r, DATA + TEXELS + 8 * 56 + 12 * 4, DRM_TESSERA_CAUSE_LOAD_PAGE, 1, "texels");
	test_page(r, DATA + COLORS, DRM_TESSERA_CAUSE_STORE_PAGE, 2, "pixels");
	ok(!memcmp(data_of(r), whole->data, sizeof(whole->data)), "nothing was done twice");
	rig_free(r);
}

/* Stage 2 lacks the page: the host hears of it, the client does not. */
static void test_host_fault(const struct result *whole)
{
	struct rig *r = set_up();
	uint64_t stage2 = rig_stage2(r, 1), pte;
	struct tess_pkt_dispatch d = packet(ALL);

	pte = rig_map(r, stage2, DATA_PA, DATA_PA, 0, 1);
	hreg_write(r, 1, TESS_HREG_TLB_INVALIDATE, 1);
	rig_do(r, 1, &d);
	ok(hreg(r, 1, TESS_HREG_HFAULT_CAUSE) == DRM_TESSERA_CAUSE_LOAD_GUEST_PAGE &&
		   hreg64(r, 1, TESS_HREG_HFAULT_VA) == DATA + DESC && !rig_fault(r, 1),
	   "host fault of a descriptor");
	rig_write64(r, pte, DATA_PA >> 12 << 10 | PTE_ALL);
	hreg_write(r, 1, TESS_HREG_HFAULT_ACK, TESS_HFAULT_ACK_RESUME);
	rig_run(r, 100000);
	ok(!rig_fault(r, 1) && !memcmp(data_of(r), whole->data, sizeof(whole->data)),
	   "and the host's page makes it go on");
	rig_free(r);
}

/* After each @k cycles to the other slice that has units; returns the moves. */
static unsigned int run_moving(unsigned int k, struct result *res)
{
	struct rig *r = set_up();
	struct tess_pkt_dispatch d = packet(ALL);
	unsigned int n = 1, moves = 0;

	rig_push(r, n, &d);
	rig_doorbell(r, n);
	for (;;) {
		gpu_step(r->gpu, k);
		if (gpu_get_state(r->gpu) != GPU_RUNNING)
			break;
		if (!(moves & 1 ? ctx_move(r, n, 3 - n) : ctx_switch_move(r, n, 3 - n))) {
			moves = 0;
			break;
		}
		moves++;
		n = 3 - n;
	}
	take_result(r, n, res);
	rig_free(r);
	return moves;
}

static void test_moves(const struct result *whole)
{
	static const unsigned int k[] = { 1, 2, 3, 7, 50 };
	static struct result moved;

	for (size_t i = 0; i < sizeof(k) / sizeof(k[0]); i++) {
		unsigned int moves = run_moving(k[i], &moved);

		ok(moves && !memcmp(&moved, whole, sizeof(moved)),
		   "every %u cycles from render to mixed or back: %u moves", k[i], moves);
	}
}

/* Run until the first item has sampled, and save. */
static void save_half(struct rig *r, unsigned int n, uint16_t units)
{
	const uint32_t loop[] = { CSRRS(A1, 0xcd2, X0), BEQ(X0, X0, -4) };
	struct tess_pkt_dispatch d = packet(units);

	put_code(r, loop, sizeof(loop));
	rig_push(r, n, &d);
	rig_doorbell(r, n);
	gpu_step(r->gpu, 500);
	ctx_halt(r, n);
	ctx_op(r, n, TESS_CTX_SAVE);
}

static uint64_t saved_a1(struct rig *r)
{
	const struct tess_ctx_group *g = ctx_section(r, TESS_CTX_GROUP, 0);

	return g ? g->item[0].x[10] : ~0ULL;
}

static void test_restore(void)
{
	struct rig *r = set_up();

	save_half(r, 1, ALL);
	ok(saved_a1(r) >> 32 == 7, "a context with units");
	ctx_halt(r, 0);
	ok(ctx_op(r, 0, TESS_CTX_RESTORE) == TESS_CTX_ERR_ENGINE, "not on compute: ENGINE");
	ctx_halt(r, 2);
	hreg_write(r, 2, TESS_HREG_ENGINE_MASK, TESS_ENGINE_COMPUTE | TESS_ENGINE_COPY);
	ok(ctx_op(r, 2, TESS_CTX_RESTORE) == TESS_CTX_ERR_ENGINE, "not without raster: ENGINE");
	hreg_write(r, 2, TESS_HREG_ENGINE_MASK, TESS_ENGINE_ALL);
	ok(ctx_op(r, 2, TESS_CTX_RESTORE) == TESS_CTX_DONE, "on mixed");
	rig_free(r);

	r = set_up();
	save_half(r, 1, 0);
	ctx_halt(r, 0);
	ok(ctx_op(r, 0, TESS_CTX_RESTORE) == TESS_CTX_DONE, "one that asked for none: anywhere");
	rig_free(r);

	r = set_up();
	save_half(r, 0, ALL);
	ok(saved_a1(r) >> 32 == 0, "a context that got none");
	ctx_halt(r, 1);
	ok(ctx_op(r, 1, TESS_CTX_RESTORE) == TESS_CTX_DONE, "moves to render");
	ctx_go(r, 1);
	gpu_step(r->gpu, 500);
	ctx_halt(r, 1);
	ok(ctx_op(r, 1, TESS_CTX_SAVE) == TESS_CTX_DONE && saved_a1(r) >> 32 == 0,
	   "and has none there");
	rig_free(r);
}

static uint64_t unit_cycles(struct rig *r, unsigned int n)
{
	return hreg64(r, n, TESS_HREG_COUNTERS + TESS_COUNTER_UNIT_CYCLES);
}

/* Of packets that ask, whatever they get; less than BUSY, which includes the fetch of the packet */
static void test_unit_cycles(struct rig *r)
{
	bool good = true;

	for (unsigned int n = 0; n < RIG_SLICES; n++) {
		uint64_t before = unit_cycles(r, n), asked, busy;

		granted(r, n, 0);
		good &= unit_cycles(r, n) == before;
		busy = counter(r, n, TESS_COUNTER_BUSY);
		granted(r, n, DRM_TESSERA_SETUP_ROP);
		asked = unit_cycles(r, n) - before;
		busy = counter(r, n, TESS_COUNTER_BUSY) - busy;
		good &= asked && asked <= busy && 2 * asked > busy;
		granted(r, n, 0);
		good &= unit_cycles(r, n) == before + asked;
	}
	ok(good, "UNIT_CYCLES, on slices of all kinds");
}

int main(void)
{
	static struct result whole;
	struct rig *r = set_up();

	test_grant(r);
	test_packets(r);
	test_missing(r);
	test_counters(r);
	test_unit_cycles(r);
	test_cycles(r);
	rig_free(r);
	run_whole(&whole);
	test_faults(&whole);
	test_host_fault(&whole);
	test_moves(&whole);
	test_restore();
	return done();
}
