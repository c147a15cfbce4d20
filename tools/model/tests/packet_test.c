// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets: each type does what the specification says, and faults for nonsense
 * in each field. DISPATCH that runs is in dispatch_test.c; here are its checks.
 */
#include <stddef.h>
#include <string.h>

#include "rig.h"
#include "tap.h"

#define DATA RIG_DATA
#define VA 0x4000000ULL /* of 16 pages at DATA, when a VM is set */
#define VA_PAGES 16
#define INDIRECT (DATA + 0x8000)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t set_up_vm(struct rig *r, unsigned int n)
{
	uint64_t root = rig_table(r, 1);

	rig_map_range(r, root, VA, DATA, VA_PAGES);
	rig_set_vm(r, n, root);
	return root;
}

/**
 * struct nonsense - a field with a bad value
 * @offset: in the packet
 * @size: bytes
 * @value: put there
 * @cause: fault that it makes, plus 1
 */
struct nonsense {
	unsigned int offset;
	unsigned int size;
	uint64_t value;
	unsigned int cause;
};

#define BAD(type, field, val)                                                   \
	{ offsetof(struct type, field), sizeof(((struct type *)0)->field), val, \
	  FAULT(ILLEGAL_PACKET) }

static const struct nonsense bad_set_vm[] = {
	BAD(tess_pkt_set_vm, flags, 2),		BAD(tess_pkt_set_vm, flags, 0x8000),
	BAD(tess_pkt_set_vm, reserved0, 1),	BAD(tess_pkt_set_vm, root, 0x800),
	BAD(tess_pkt_set_vm, root, 1ULL << 41), BAD(tess_pkt_set_vm, root, ~0xfffULL),
	BAD(tess_pkt_set_vm, reserved1[0], 1),	BAD(tess_pkt_set_vm, reserved1[5], 1ULL << 63),
};

static const struct nonsense bad_indirect[] = {
	BAD(tess_pkt_indirect, reserved0, 1),	  BAD(tess_pkt_indirect, count, 0),
	BAD(tess_pkt_indirect, count, 65537),	  BAD(tess_pkt_indirect, count, ~0U),
	BAD(tess_pkt_indirect, address, VA + 32), BAD(tess_pkt_indirect, address, VA + 1),
	BAD(tess_pkt_indirect, reserved1[0], 1),  BAD(tess_pkt_indirect, reserved1[5], 1),
};

static const struct nonsense bad_copy[] = {
	BAD(tess_pkt_copy, reserved0, 1),     BAD(tess_pkt_copy, rows, 0),
	BAD(tess_pkt_copy, row_bytes, 0),     BAD(tess_pkt_copy, row_bytes, (1ULL << 32) + 1),
	BAD(tess_pkt_copy, row_bytes, ~0ULL), BAD(tess_pkt_copy, reserved1[0], 1),
	BAD(tess_pkt_copy, reserved1[1], 1),
};

static const struct nonsense bad_fill[] = {
	BAD(tess_pkt_fill, reserved0, 1),
	BAD(tess_pkt_fill, rows, 0),
	BAD(tess_pkt_fill, dst, VA + 2),
	BAD(tess_pkt_fill, dst, VA + 1),
	BAD(tess_pkt_fill, row_bytes, 0),
	BAD(tess_pkt_fill, row_bytes, 6),
	BAD(tess_pkt_fill, row_bytes, (1ULL << 32) + 4),
	BAD(tess_pkt_fill, dst_pitch, 2),
	BAD(tess_pkt_fill, reserved1, 1),
	BAD(tess_pkt_fill, reserved2[0], 1),
	BAD(tess_pkt_fill, reserved2[2], 1),
};

static const struct nonsense bad_fence[] = {
	BAD(tess_pkt_fence, flags, 2),
	BAD(tess_pkt_fence, reserved0, 1),
	BAD(tess_pkt_fence, reserved1[0], 1),
	BAD(tess_pkt_fence, reserved1[5], 1),
};

static const struct nonsense bad_wait[] = {
	BAD(tess_pkt_wait, op, 4),	     BAD(tess_pkt_wait, op, 0xffff),
	BAD(tess_pkt_wait, reserved0, 1),    BAD(tess_pkt_wait, address, VA + 4),
	BAD(tess_pkt_wait, address, VA + 1), BAD(tess_pkt_wait, reserved1[0], 1),
	BAD(tess_pkt_wait, reserved1[3], 1),
};

static const struct nonsense bad_signal[] = {
	BAD(tess_pkt_signal, op, 3),	       BAD(tess_pkt_signal, reserved0, 1),
	BAD(tess_pkt_signal, address, VA + 4), BAD(tess_pkt_signal, reserved1[0], 1),
	BAD(tess_pkt_signal, reserved1[4], 1),
};

static const struct nonsense bad_timestamp[] = {
	BAD(tess_pkt_timestamp, flags, 2),	  BAD(tess_pkt_timestamp, reserved0, 1),
	BAD(tess_pkt_timestamp, address, VA + 4), BAD(tess_pkt_timestamp, reserved1[0], 1),
	BAD(tess_pkt_timestamp, reserved1[5], 1),
};

static const struct nonsense bad_dispatch[] = {
	BAD(tess_pkt_dispatch, setup, 0),
	BAD(tess_pkt_dispatch, setup, 4),
	BAD(tess_pkt_dispatch, setup, 5),
	BAD(tess_pkt_dispatch, setup, 0x701 | 0x800),
	BAD(tess_pkt_dispatch, setup, 0x8001),
	BAD(tess_pkt_dispatch, setup, DRM_TESSERA_SETUP_UNITS),
	BAD(tess_pkt_dispatch, wg_size[0], 0),
	BAD(tess_pkt_dispatch, wg_size[0], 257),
	BAD(tess_pkt_dispatch, wg_size[0], 0xffff),
	BAD(tess_pkt_dispatch, wg_size[1], 0),
	BAD(tess_pkt_dispatch, wg_size[1], 2),
	BAD(tess_pkt_dispatch, wg_size[2], 2),
	BAD(tess_pkt_dispatch, reserved0, 1),
	BAD(tess_pkt_dispatch, grid_size[0], 0),
	BAD(tess_pkt_dispatch, grid_size[1], 2),
	BAD(tess_pkt_dispatch, grid_size[2], 0),
	BAD(tess_pkt_dispatch, private_segment_size, 8),
	BAD(tess_pkt_dispatch, private_segment_size, 16),
	BAD(tess_pkt_dispatch, group_segment_size, 65537),
	BAD(tess_pkt_dispatch, group_segment_size, ~0U),
	BAD(tess_pkt_dispatch, kernel_object, VA + 1),
	BAD(tess_pkt_dispatch, scratch_address, 0x1000),
	BAD(tess_pkt_dispatch, completion_signal, VA + 4),
};

static void check_nonsense(struct rig *r, const char *name, const void *good,
			   const struct nonsense *bad, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t rptr = sreg64(r, 0, TESS_SREG_RPTR);
		uint8_t pkt[DRM_TESSERA_PKT_SIZE];
		unsigned int fault;

		memcpy(pkt, good, sizeof(pkt));
		memcpy(pkt + bad[i].offset, &bad[i].value, bad[i].size);
		fault = rig_do(r, 0, pkt);
		ok(fault == bad[i].cause && sreg64(r, 0, TESS_SREG_RPTR) == rptr &&
			   sreg64(r, 0, TESS_SREG_FAULT_PACKET) == rptr &&
			   (sreg(r, 0, TESS_SREG_FAULT_INFO) & 0xff) == pkt[0] &&
			   sreg64(r, 0, TESS_SREG_FAULT_ADDR) ==
				   RIG_RING(0) + (rptr & 127) * DRM_TESSERA_PKT_SIZE,
		   "%s: 0x%llx at %u", name, (unsigned long long)bad[i].value, bad[i].offset);
		rig_recover(r, 0);
	}
}

static void test_nonsense(void)
{
	struct rig *r = rig_new();
	uint64_t root = set_up_vm(r, 0);
	struct tess_pkt_set_vm set_vm = pkt_set_vm(root, 1, 0);
	struct tess_pkt_indirect indirect = pkt_indirect(VA, 1);
	struct tess_pkt_copy copy = pkt_copy(VA, VA + 0x1000, 64);
	struct tess_pkt_fill fill = pkt_fill(VA, 64, 1);
	struct tess_pkt_fence fence = pkt_fence(1, 0);
	struct tess_pkt_wait wait = pkt_wait(VA, DRM_TESSERA_WAIT_GE, 0);
	struct tess_pkt_signal sig = pkt_signal(VA, DRM_TESSERA_SIGNAL_ADD, 0);
	struct tess_pkt_timestamp stamp = pkt_timestamp(VA, 0);
	struct tess_pkt_dispatch dispatch = pkt_dispatch(VA, 0, 16, 16);

	check_nonsense(r, "SET_VM", &set_vm, bad_set_vm, ARRAY_SIZE(bad_set_vm));
	check_nonsense(r, "INDIRECT", &indirect, bad_indirect, ARRAY_SIZE(bad_indirect));
	check_nonsense(r, "COPY", &copy, bad_copy, ARRAY_SIZE(bad_copy));
	check_nonsense(r, "FILL", &fill, bad_fill, ARRAY_SIZE(bad_fill));
	check_nonsense(r, "FENCE", &fence, bad_fence, ARRAY_SIZE(bad_fence));
	check_nonsense(r, "WAIT", &wait, bad_wait, ARRAY_SIZE(bad_wait));
	check_nonsense(r, "SIGNAL", &sig, bad_signal, ARRAY_SIZE(bad_signal));
	check_nonsense(r, "TIMESTAMP", &stamp, bad_timestamp, ARRAY_SIZE(bad_timestamp));
	check_nonsense(r, "DISPATCH", &dispatch, bad_dispatch, ARRAY_SIZE(bad_dispatch));
	rig_free(r);
}

/* The grid has to be countable in 32 bits, private memory to lie in the address space. */
static void test_dispatch_limits(struct rig *r)
{
	struct tess_pkt_dispatch p = pkt_dispatch(VA, 0, 1, 1);

	p.setup = 3;
	p.grid_size[0] = p.grid_size[1] = 0x10000;
	ok(rig_try(r, 0, &p) == FAULT(ILLEGAL_PACKET), "DISPATCH: 2^32 groups");
	p.grid_size[0] = p.grid_size[1] = p.grid_size[2] = ~0U;
	ok(rig_try(r, 0, &p) == FAULT(ILLEGAL_PACKET), "DISPATCH: 2^96 groups");
	p = pkt_dispatch(VA, 0, 16, 16);
	p.private_segment_size = 0xfffffff0;
	p.scratch_address = 0x1000;
	ok(rig_try(r, 0, &p) == FAULT(ILLEGAL_PACKET), "DISPATCH: 512 GiB of private memory");
	p.private_segment_size = 16;
	p.scratch_address = TESS_VA_END - 16 * 16 * 8 + 16;
	ok(rig_try(r, 0, &p) == FAULT(ILLEGAL_PACKET), "DISPATCH: private memory at the end");
	p.scratch_address = ~0xfULL;
	ok(rig_try(r, 0, &p) == FAULT(ILLEGAL_PACKET), "DISPATCH: private memory wraps");
	p.scratch_address = 0x1008;
	ok(rig_try(r, 0, &p) == FAULT(ILLEGAL_PACKET), "DISPATCH: private memory unaligned");
	p = pkt_dispatch(VA, 0, 64, 16);
	p.header = DRM_TESSERA_PKT_DISPATCH_RANGE;
	p.completion_signal = DRM_TESSERA_DISPATCH_RANGE(0, 0);
	ok(rig_try(r, 0, &p) == FAULT(ILLEGAL_PACKET), "DISPATCH_RANGE: no group");
	p.completion_signal = DRM_TESSERA_DISPATCH_RANGE(1, 4);
	ok(rig_try(r, 0, &p) == FAULT(ILLEGAL_PACKET), "DISPATCH_RANGE: beyond the grid");
	p.completion_signal = DRM_TESSERA_DISPATCH_RANGE(~0U, ~0U);
	ok(rig_try(r, 0, &p) == FAULT(ILLEGAL_PACKET), "DISPATCH_RANGE: wraps");
	rig_set_vm(r, 0, 0);
	p = pkt_dispatch(VA, 0, 64, 16);
	ok(rig_try(r, 0, &p) == FAULT(ILLEGAL_PACKET), "DISPATCH: no VM");
}

/* Zero is a good value of all fields of a few types; nothing lies at address 0. */
static unsigned int expect_of_zeroes(unsigned int type)
{
	switch (type) {
	case DRM_TESSERA_PKT_NOP:
	case DRM_TESSERA_PKT_SET_VM:
	case DRM_TESSERA_PKT_FENCE:
		return 0;
	case DRM_TESSERA_PKT_WAIT:
		return FAULT(LOAD_ACCESS);
	case DRM_TESSERA_PKT_SIGNAL:
	case DRM_TESSERA_PKT_TIMESTAMP:
		return FAULT(STORE_ACCESS);
	default:
		return FAULT(ILLEGAL_PACKET);
	}
}

static void test_headers(struct rig *r)
{
	uint8_t pkt[DRM_TESSERA_PKT_SIZE] = { 0 };
	unsigned int good = 0;

	for (unsigned int type = 0; type < 256; type++) {
		unsigned int fault;

		pkt[0] = (uint8_t)type;
		fault = rig_try(r, 0, pkt);
		if (type == DRM_TESSERA_PKT_DRAW)
			ok(fault == FAULT(ENGINE_DISABLED), "DRAW: no engine");
		else if (fault == expect_of_zeroes(type))
			good++;
	}
	ok(good == 255, "packets of zeroes of all types");
	for (unsigned int type = 0; type < 256; type += 3) {
		pkt[0] = (uint8_t)type;
		pkt[1] = 0x20;
		good -= rig_try(r, 0, pkt) == FAULT(ILLEGAL_PACKET);
	}
	ok(good == 255 - 86, "reserved header bits");
	pkt[0] = DRM_TESSERA_PKT_NOP;
	pkt[1] = 0x1f;
	ok(!rig_try(r, 0, pkt), "barrier and all scopes are accepted");
	for (unsigned int i = 2; i < DRM_TESSERA_PKT_SIZE; i++) {
		pkt[i] = 1;
		good -= rig_try(r, 0, pkt) == FAULT(ILLEGAL_PACKET);
		pkt[i] = 0;
	}
	ok(good == 255 - 86 - 62, "NOP: each byte has to be zero");
}

static void test_fill_copy(struct rig *r)
{
	uint8_t *data = rig_mem(r, DATA);
	struct tess_pkt_fill f = pkt_fill(DATA + 4, 8188, 0x11223344);
	struct tess_pkt_copy c = pkt_copy(DATA + 0x5003, DATA + 1, 5000);
	uint64_t bytes = counter(r, 0, TESS_COUNTER_BYTES);
	bool good = true;

	memset(data, 0xee, 0x10000);
	ok(!rig_do(r, 0, &f), "FILL over pages");
	ok(data[3] == 0xee && data[4] == 0x44 && data[7] == 0x11 && data[8191] == 0x11 &&
		   data[8192] == 0xee,
	   "fills what it should");
	ok(!rig_do(r, 0, &c) && !memcmp(data + 0x5003, data + 1, 5000) && data[0x5002] == 0xee &&
		   data[0x5003 + 5000] == 0xee,
	   "COPY, unaligned, over pages");
	ok(counter(r, 0, TESS_COUNTER_BYTES) - bytes == 8188 + 5000, "BYTES counts both");

	f = pkt_fill(DATA, 8, 0xabababab);
	f.rows = 5;
	f.dst_pitch = 4096 - 4;
	memset(data, 0, 0x10000);
	ok(!rig_do(r, 0, &f), "FILL in rows");
	for (unsigned int i = 0; i < 5; i++)
		good &= data[i * 4092] == 0xab && data[i * 4092 + 7] == 0xab && !data[i * 4092 + 8];
	ok(good, "each row is filled");

	for (unsigned int i = 0; i < 0x1000; i++)
		data[i] = (uint8_t)(i * 7);
	c = pkt_copy(DATA + 0x2000, DATA, 10);
	c.rows = 20;
	c.src_pitch = 100;
	c.dst_pitch = 13;
	ok(!rig_do(r, 0, &c), "COPY in rows");
	for (unsigned int i = 0; i < 20; i++)
		good &= !memcmp(data + 0x2000 + i * 13, data + i * 100, 10);
	ok(good, "each row is copied");
	c = pkt_copy(DATA + 3, DATA, 4000);
	rig_do(r, 0, &c);
	for (unsigned int i = 0; i < 4000; i++)
		good &= data[i + 3] == (uint8_t)(i % 3 * 7);
	ok(good, "COPY onto itself, ascending: the first bytes repeat");
	memset(data, 1, 100);
	data[100] = 9;
	c = pkt_copy(DATA, DATA + 1, 100);
	rig_do(r, 0, &c);
	ok(data[99] == 9 && data[98] == 1, "COPY onto itself, downwards");
	c = pkt_copy(DATA, DATA + 0x1000, 64);
	c.rows = 3;
	c.src_pitch = (uint64_t)-64;
	memset(data + 0x1000 - 128, 0x33, 128 + 64);
	ok(!rig_do(r, 0, &c) && data[63] == 0x33, "COPY with a pitch below zero");
}

/* Without a VM ring packets use client-physical addresses: VRAM too. */
static void test_vram(struct rig *r)
{
	struct tess_pkt_fill f = pkt_fill(RIG_VRAM(0), 4096, 0x5a5a5a5a);
	struct tess_pkt_copy c = pkt_copy(DATA, RIG_VRAM(2) + 100, 300);

	ok(!rig_do(r, 0, &f) && r->vram[0] == 0x5a && r->vram[4095] == 0x5a && !r->vram[4096],
	   "FILL of VRAM");
	memset(r->vram + 2 * RIG_BANK + 100, 0x77, 300);
	ok(!rig_do(r, 0, &c) && ((uint8_t *)rig_mem(r, DATA))[299] == 0x77,
	   "COPY from another bank");
	f.dst = RIG_VRAM(RIG_SLICES);
	ok(rig_try(r, 0, &f) == FAULT(STORE_ACCESS), "VRAM beyond its size");
	f.dst = RIG_VRAM(RIG_SLICES) - 64;
	ok(rig_do(r, 0, &f) == FAULT(STORE_ACCESS) && r->vram[RIG_SLICES * RIG_BANK - 1] == 0x5a &&
		   sreg64(r, 0, TESS_SREG_FAULT_ADDR) == RIG_VRAM(RIG_SLICES),
	   "what lies before the end is filled");
	rig_recover(r, 0);
	f.dst = TESS_PA_END;
	ok(rig_try(r, 0, &f) == FAULT(STORE_ACCESS), "beyond the physical addresses");
	f.dst = ~3ULL;
	ok(rig_try(r, 0, &f) == FAULT(STORE_ACCESS), "end of 64 bits");
	c.src = 0x1000;
	ok(rig_try(r, 0, &c) == FAULT(LOAD_ACCESS), "bus address without memory");
}

static void test_signal(struct rig *r)
{
	struct tess_pkt_signal p =
		pkt_signal(DATA + 8, DRM_TESSERA_SIGNAL_SET, 0x123456789abcdef0ULL);

	ok(!rig_do(r, 0, &p) && rig_read64(r, DATA + 8) == 0x123456789abcdef0ULL, "SIGNAL SET");
	p = pkt_signal(DATA + 8, DRM_TESSERA_SIGNAL_ADD, ~0ULL);
	ok(!rig_do(r, 0, &p) && rig_read64(r, DATA + 8) == 0x123456789abcdeefULL,
	   "SIGNAL ADD of -1");
	p = pkt_signal(DATA + 8, DRM_TESSERA_SIGNAL_OR, 0xf00000000000000fULL);
	ok(!rig_do(r, 0, &p) && rig_read64(r, DATA + 8) == 0xf23456789abcdeefULL, "SIGNAL OR");
}

static void test_wait(struct rig *r)
{
	static const struct {
		uint16_t op;
		uint64_t word;
		uint64_t value;
		bool fulfilled;
	} cases[] = {
		{ DRM_TESSERA_WAIT_EQ, 5, 5, true },	 { DRM_TESSERA_WAIT_EQ, 5, 6, false },
		{ DRM_TESSERA_WAIT_NE, 5, 6, true },	 { DRM_TESSERA_WAIT_NE, 5, 5, false },
		{ DRM_TESSERA_WAIT_GE, 5, 5, true },	 { DRM_TESSERA_WAIT_GE, 4, 5, false },
		{ DRM_TESSERA_WAIT_GE, ~0ULL, 5, true }, { DRM_TESSERA_WAIT_LT, 4, 5, true },
		{ DRM_TESSERA_WAIT_LT, 5, 5, false },	 { DRM_TESSERA_WAIT_LT, ~0ULL, 5, false },
	};
	struct tess_pkt_wait p;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		p = pkt_wait(DATA, cases[i].op, cases[i].value);
		rig_write64(r, DATA, cases[i].word);
		rig_do(r, 0, &p);
		ok(!(sreg(r, 0, TESS_SREG_STATUS) & TESS_STATUS_WAITING) == cases[i].fulfilled,
		   "WAIT op %u: %llu, %llu", cases[i].op, (unsigned long long)cases[i].word,
		   (unsigned long long)cases[i].value);
		rig_recover(r, 0);
	}
	p = pkt_wait(DATA, DRM_TESSERA_WAIT_EQ, 0x30);
	p.mask = 0xf0;
	rig_write64(r, DATA, 0xabcd3f);
	ok(!rig_do(r, 0, &p) && !(sreg(r, 0, TESS_SREG_STATUS) & TESS_STATUS_BUSY),
	   "WAIT applies the mask");
	p = pkt_wait(DATA, DRM_TESSERA_WAIT_EQ, 1);
	rig_do(r, 0, &p);
	ok(gpu_get_state(r->gpu) == GPU_WAITING, "a GPU whose slices wait says so");
	rig_write64(r, DATA, 1);
	gpu_step(r->gpu, GPU_STEP_CYCLES);
	ok(gpu_get_state(r->gpu) == GPU_IDLE, "and goes on when the word has changed");
}

static void test_timestamp(struct rig *r)
{
	struct tess_pkt_timestamp p = pkt_timestamp(DATA, 0);
	uint64_t before = greg64(r, TESS_REG_TIME);

	ok(!rig_do(r, 0, &p) && rig_read64(r, DATA) == before + 16, "TIMESTAMP: 16 cycles later");
	p = pkt_timestamp(DATA + 0xff0, DRM_TESSERA_TIMESTAMP_COUNTERS);
	before = greg64(r, TESS_REG_TIME);
	ok(!rig_do(r, 0, &p), "TIMESTAMP with counters over a page's end");
	ok(rig_read64(r, DATA + 0xff0) == before + 16 &&
		   rig_read64(r, DATA + 0xff8) == counter(r, 0, TESS_COUNTER_BUSY) &&
		   rig_read64(r, DATA + 0x1010) == counter(r, 0, TESS_COUNTER_FLOPS) &&
		   rig_read64(r, DATA + 0x1018) == counter(r, 0, TESS_COUNTER_BYTES) &&
		   rig_read64(r, DATA + 0x1028) == counter(r, 0, TESS_COUNTER_GROUPS),
	   "words are the counters");
	p = pkt_timestamp(0x1000, DRM_TESSERA_TIMESTAMP_COUNTERS);
	ok(rig_try(r, 0, &p) == FAULT(STORE_ACCESS), "TIMESTAMP to no memory");
}

static void test_engines(struct rig *r)
{
	struct tess_pkt_fill f = pkt_fill(DATA, 64, 1);
	struct tess_pkt_copy c = pkt_copy(DATA, DATA + 64, 64);
	struct tess_pkt_dispatch d = pkt_dispatch(VA, 0, 1, 1);
	struct tess_pkt_signal s = pkt_signal(DATA, DRM_TESSERA_SIGNAL_SET, 1);

	hreg_write(r, 0, TESS_HREG_ENGINE_MASK, TESS_ENGINE_COMPUTE);
	ok(sreg(r, 0, TESS_SREG_ENGINES) == TESS_ENGINE_COMPUTE, "ENGINES follows the mask");
	ok(rig_try(r, 0, &f) == FAULT(ENGINE_DISABLED), "FILL without the copy engine");
	ok(rig_try(r, 0, &c) == FAULT(ENGINE_DISABLED), "COPY without the copy engine");
	ok(!rig_try(r, 0, &s), "SIGNAL needs no engine");
	hreg_write(r, 0, TESS_HREG_ENGINE_MASK, TESS_ENGINE_COPY);
	ok(rig_try(r, 0, &d) == FAULT(ENGINE_DISABLED), "DISPATCH without the compute engine");
	ok(!rig_try(r, 0, &f), "FILL with it");
	hreg_write(r, 0, TESS_HREG_ENGINE_MASK, 0);
	ok((greg64(r, TESS_REG_SLICE_MASK) & 1) && rig_try(r, 0, &f) == FAULT(ENGINE_DISABLED),
	   "no engine at all");
	hreg_write(r, 0, TESS_HREG_ENGINE_MASK, TESS_ENGINE_ALL);
}

static void put_indirect(struct rig *r, unsigned int i, const void *pkt)
{
	memcpy(rig_mem(r, INDIRECT + i * DRM_TESSERA_PKT_SIZE), pkt, DRM_TESSERA_PKT_SIZE);
}

static void test_indirect_good(struct rig *r)
{
	struct tess_pkt_indirect p = pkt_indirect(VA + 0x8000, 3);
	struct tess_pkt_fill f = pkt_fill(VA, 64, 0x01010101);
	struct tess_pkt_signal s = pkt_signal(VA + 64, DRM_TESSERA_SIGNAL_ADD, 5);
	struct tess_pkt_copy c = pkt_copy(VA + 128, VA, 64);
	uint64_t packets = counter(r, 0, TESS_COUNTER_PACKETS);

	put_indirect(r, 0, &f);
	put_indirect(r, 1, &s);
	put_indirect(r, 2, &c);
	rig_write64(r, DATA + 64, 0);
	ok(!rig_do(r, 0, &p), "INDIRECT of three");
	ok(rig_read64(r, DATA) == 0x0101010101010101ULL && rig_read64(r, DATA + 64) == 5 &&
		   rig_read64(r, DATA + 128) == 0x0101010101010101ULL,
	   "all of them ran");
	ok(counter(r, 0, TESS_COUNTER_PACKETS) - packets == 4, "PACKETS counts all four");
	ok(sreg64(r, 0, TESS_SREG_RPTR) == r->wptr[0], "RPTR counts one");
}

static void test_indirect_faults(struct rig *r)
{
	static const uint8_t privileged[] = { DRM_TESSERA_PKT_SET_VM, DRM_TESSERA_PKT_INDIRECT,
					      DRM_TESSERA_PKT_FENCE };
	struct tess_pkt_indirect p = pkt_indirect(VA + 0x8000, 2);
	struct tess_pkt_signal s = pkt_signal(VA + 64, DRM_TESSERA_SIGNAL_ADD, 5);
	struct tess_pkt_fence f = pkt_fence(77, 1);
	uint32_t info;

	put_indirect(r, 0, &s);
	for (size_t i = 0; i < ARRAY_SIZE(privileged); i++) {
		f.header = privileged[i];
		put_indirect(r, 1, &f);
		ok(rig_do(r, 0, &p) == FAULT(PRIVILEGED_PACKET), "type 0x%x in INDIRECT",
		   privileged[i]);
		info = (uint32_t)sreg(r, 0, TESS_SREG_FAULT_INFO);
		ok(sreg(r, 0, TESS_SREG_FAULT_INDIRECT) == 1 &&
			   info == (privileged[i] | TESS_FAULT_INFO_INDIRECT) &&
			   sreg64(r, 0, TESS_SREG_FAULT_ADDR) == VA + 0x8040 &&
			   sreg(r, 0, TESS_SREG_FAULT_ASID) == 1,
		   "and where");
		rig_recover(r, 0);
	}
	ok(sreg64(r, 0, TESS_SREG_FENCE_SEQ) != 77, "no FENCE happened");
	p = pkt_indirect(VA + VA_PAGES * 4096ULL, 1);
	ok(rig_do(r, 0, &p) == FAULT(LOAD_PAGE), "INDIRECT to no page");
	ok(sreg(r, 0, TESS_SREG_FAULT_INFO) ==
		   (TESS_FAULT_INFO_INDIRECT | FIELD_PREP(TESS_FAULT_INFO_ACCESS, 1)),
	   "a packet that cannot be read has no type");
	rig_recover(r, 0);
}

/* Ring packets reach pages without U; indirect ones, and their buffer, do not. */
static void test_indirect_rights(struct rig *r, uint64_t root)
{
	struct tess_pkt_indirect p = pkt_indirect(VA + 0x8000, 1);
	struct tess_pkt_signal s = pkt_signal(VA + 0x100000, DRM_TESSERA_SIGNAL_ADD, 5);

	rig_map(r, root, VA + 0x100000, DATA, PTE_ALL & ~TESS_PTE_U, 0);
	ok(!rig_do(r, 0, &s), "a ring packet may use a page without U");
	put_indirect(r, 0, &s);
	ok(rig_try(r, 0, &p) == FAULT(STORE_PAGE), "an indirect one may not");
	rig_map(r, root, VA + 0x200000, INDIRECT, PTE_ALL & ~TESS_PTE_U, 0);
	p = pkt_indirect(VA + 0x200000, 1);
	ok(rig_try(r, 0, &p) == FAULT(LOAD_PAGE), "nor may the buffer lie in one");
	rig_set_vm(r, 0, 0);
	p = pkt_indirect(VA + 0x8000, 1);
	ok(rig_try(r, 0, &p) == FAULT(ILLEGAL_PACKET), "INDIRECT without a VM");
	rig_set_vm(r, 0, root);
}

/* What the client does to a packet after its fetch changes nothing. */
static void test_fetched_once(struct rig *r)
{
	struct tess_pkt_copy c = pkt_copy(DATA + 0x4000, DATA, 0x4000);
	struct tess_pkt_copy *ring;

	memset(rig_mem(r, DATA), 0x42, 0x4000);
	memset(rig_mem(r, DATA + 0x4000), 0, 0x4000);
	ring = rig_mem(r, RIG_RING(0) + (r->wptr[0] & 127) * DRM_TESSERA_PKT_SIZE);
	rig_push(r, 0, &c);
	rig_doorbell(r, 0);
	gpu_step(r->gpu, 64);
	ok(sreg(r, 0, TESS_SREG_STATUS) & TESS_STATUS_BUSY, "COPY is in progress");
	memset(ring, 0xff, sizeof(*ring));
	rig_run(r, 10000);
	ok(!rig_fault(r, 0) && !memcmp(rig_mem(r, DATA), rig_mem(r, DATA + 0x4000), 0x4000),
	   "and goes on as fetched");
}

/* Endless work takes no more than its share of a step. */
static void test_huge(struct rig *r)
{
	struct tess_pkt_fill f = pkt_fill(DATA, 1ULL << 32, 1);
	struct tess_pkt_copy c = pkt_copy(DATA, DATA, 1);
	struct tess_pkt_fence fence = pkt_fence(5, 0);
	uint64_t bytes;

	ok(rig_try(r, 0, &f) == FAULT(STORE_ACCESS), "FILL of 4 GiB ends where memory does");
	c.rows = ~0U;
	rig_push(r, 0, &c);
	rig_doorbell(r, 0);
	bytes = counter(r, 0, TESS_COUNTER_BYTES);
	for (unsigned int i = 0; i < 100; i++)
		gpu_step(r->gpu, GPU_STEP_CYCLES);
	bytes = counter(r, 0, TESS_COUNTER_BYTES) - bytes;
	ok(bytes > 0 && bytes <= 100 * GPU_STEP_CYCLES, "4 G rows: at most one per cycle");
	ok(rig_do(r, 1, &fence) == 0 && rig_read64(r, RIG_RECORD(1)) == 5,
	   "the next slice runs on");
	sreg_write(r, 0, TESS_SREG_RESET, 1);
	rig_ring(r, 0);
}

int main(void)
{
	struct rig *r = rig_new();
	uint64_t root;

	test_nonsense();
	test_headers(r);
	test_fill_copy(r);
	test_vram(r);
	test_signal(r);
	test_wait(r);
	test_timestamp(r);
	test_fetched_once(r);
	test_engines(r);
	test_huge(r);
	root = set_up_vm(r, 0);
	test_indirect_good(r);
	test_indirect_faults(r);
	test_indirect_rights(r, root);
	test_dispatch_limits(r);
	rig_free(r);
	return done();
}
