// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DISPATCH that runs: ids, partial groups, ranges, private and local memory,
 * completion signals, faults of work-items, resume, several cores.
 */
#include <string.h>

#include "rig.h"
#include "rv.h"
#include "tap.h"

#define CODE 0x10000ULL
#define OUT 0x100000ULL
#define OUT_PAGES 64
#define CODE_PA RIG_DATA
#define OUT_PA (RIG_SYS + (1ULL << 20))

#define CSR_LOCAL_ID 0xcc0
#define CSR_GROUP_ID 0xcc3
#define CSR_GLOBAL_ID 0xcd3
#define CSR_LOCAL_BYTES 0xcd0

#define PUT_CODE(r, ...)                                                \
	do {                                                            \
		const uint32_t code_[] = { __VA_ARGS__ };               \
		memcpy(rig_mem(r, CODE_PA), code_, sizeof(code_));      \
		for (unsigned int n_ = 0; n_ < RIG_SLICES; n_++)        \
			sreg_write(r, n_, TESS_SREG_TLB_INVALIDATE, 1); \
	} while (0)

static uint64_t *out_of(struct rig *r)
{
	return rig_mem(r, OUT_PA);
}

static void clear_out(struct rig *r)
{
	memset(rig_mem(r, OUT_PA), 0, OUT_PAGES * TESS_PAGE_SIZE);
}

static struct rig *set_up(uint64_t *root)
{
	struct rig *r = rig_new();

	*root = rig_table(r, 1);
	rig_map_range(r, *root, CODE, CODE_PA, 2);
	rig_map_range(r, *root, OUT, OUT_PA, OUT_PAGES);
	for (unsigned int n = 0; n < RIG_SLICES; n++)
		rig_set_vm(r, n, *root);
	return r;
}

/* out[global id] = global id + (group id << 32) */
static void put_id_kernel(struct rig *r)
{
	PUT_CODE(r, CSRRS(T0, CSR_GLOBAL_ID, X0), SLLI(T1, T0, 3), ADD(T1, T1, A0),
		 CSRRS(T2, CSR_GROUP_ID, X0), SLLI(T2, T2, 32), ADD(T0, T0, T2), SD(T0, 0, T1),
		 RET);
}

static bool ids_good(struct rig *r, uint32_t from, uint32_t to, uint32_t group)
{
	const uint64_t *out = out_of(r);

	for (uint32_t i = 0; i < 4096; i++) {
		uint64_t want = i + ((uint64_t)(i / group) << 32);

		if (out[i] != (i >= from && i < to ? want : 0))
			return false;
	}
	return true;
}

static void test_grids(struct rig *r)
{
	static const struct {
		uint32_t grid;
		uint16_t group;
	} cases[] = { { 1, 1 },	    { 16, 16 },	   { 17, 16 }, { 256, 256 },
		      { 1000, 64 }, { 4096, 256 }, { 7, 256 }, { 333, 7 } };

	for (unsigned int n = 0; n < RIG_SLICES; n++) {
		put_id_kernel(r);
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct tess_pkt_dispatch p =
				pkt_dispatch(CODE, OUT, cases[i].grid, cases[i].group);
			uint64_t groups = counter(r, n, TESS_COUNTER_GROUPS);
			uint64_t insns = counter(r, n, TESS_COUNTER_INSTRUCTIONS);

			clear_out(r);
			ok(!rig_do(r, n, &p) && ids_good(r, 1, cases[i].grid, cases[i].group),
			   "slice %u: grid %u, group %u", n, cases[i].grid, cases[i].group);
			groups = counter(r, n, TESS_COUNTER_GROUPS) - groups;
			insns = counter(r, n, TESS_COUNTER_INSTRUCTIONS) - insns;
			ok(groups == (cases[i].grid + cases[i].group - 1U) / cases[i].group &&
				   insns == cases[i].grid * 8ULL,
			   "GROUPS and INSTRUCTIONS");
		}
	}
	ok(counter(r, 0, TESS_COUNTER_DISPATCHES) == sizeof(cases) / sizeof(cases[0]),
	   "DISPATCHES");
}

static void test_3d(struct rig *r)
{
	struct tess_pkt_dispatch p = pkt_dispatch(CODE, OUT, 5, 2);
	const uint64_t *out = out_of(r);
	bool good = true;

	/* out[x + 16 y + 256 z] = 1 */
	PUT_CODE(r, CSRRS(T0, CSR_GLOBAL_ID, X0), CSRRS(T1, CSR_GLOBAL_ID + 1, X0), SLLI(T1, T1, 4),
		 ADD(T0, T0, T1), CSRRS(T1, CSR_GLOBAL_ID + 2, X0), SLLI(T1, T1, 8),
		 ADD(T0, T0, T1), SLLI(T0, T0, 3), ADD(T0, T0, A0), ADDI(T1, X0, 1), SD(T1, 0, T0),
		 RET);
	p.setup = 3;
	p.grid_size[1] = 7;
	p.grid_size[2] = 3;
	p.wg_size[1] = 4;
	p.wg_size[2] = 2;
	clear_out(r);
	ok(!rig_do(r, 2, &p), "three dimensions");
	for (unsigned int z = 0; z < 16; z++)
		for (unsigned int y = 0; y < 16; y++)
			for (unsigned int x = 0; x < 16; x++)
				good &= out[x + 16 * y + 256 * z] == (x < 5 && y < 7 && z < 3);
	ok(good, "each item once, partial groups at all edges");
}

static void test_range(struct rig *r)
{
	struct tess_pkt_dispatch p = pkt_dispatch(CODE, OUT, 1000, 64);

	put_id_kernel(r);
	p.header = DRM_TESSERA_PKT_DISPATCH_RANGE;
	p.completion_signal = DRM_TESSERA_DISPATCH_RANGE(3, 2);
	clear_out(r);
	ok(!rig_do(r, 0, &p) && ids_good(r, 192, 320, 64), "DISPATCH_RANGE: groups 3 and 4");
	p.completion_signal = DRM_TESSERA_DISPATCH_RANGE(15, 1);
	clear_out(r);
	ok(!rig_do(r, 0, &p) && ids_good(r, 960, 1000, 64), "the last, partial one");
}

static void test_completion_signal(struct rig *r)
{
	struct tess_pkt_dispatch p = pkt_dispatch(CODE, OUT, 100, 10);

	put_id_kernel(r);
	p.completion_signal = OUT + 0x8000;
	rig_write64(r, OUT_PA + 0x8000, 3);
	ok(!rig_do(r, 0, &p) && rig_read64(r, OUT_PA + 0x8000) == 2, "decremented once");
	p.completion_signal = 0x8000;
	ok(rig_try(r, 0, &p) == FAULT(STORE_PAGE), "signal without a page");
}

/* Each item's stack is its own and lies in the slot's part of the scratch memory. */
static void test_private(struct rig *r)
{
	struct tess_pkt_dispatch p = pkt_dispatch(CODE, OUT, 2000, 50);
	const uint64_t *out = out_of(r);
	uint64_t scratch = OUT + 0x8000, size = 8 * 50 * 64;
	bool good = true;

	p.private_segment_size = 64;
	p.scratch_address = scratch;
	/* Store the id on the stack, wait a bit, load it, out[id] = id; out[] + sp kept too */
	PUT_CODE(r, CSRRS(T0, CSR_GLOBAL_ID, X0), SD(T0, -8, SP), SD(SP, -64, SP), NOP, NOP,
		 LD(T1, -8, SP), SUB(T2, T1, T0), SLLI(T0, T0, 3), ADD(T0, T0, A0), SUB(T1, SP, T2),
		 SD(T1, 0, T0), RET);
	clear_out(r);
	ok(!rig_do(r, 0, &p), "private memory");
	for (unsigned int i = 0; i < 2000; i++) {
		uint64_t off = out[i] - scratch - 64;

		good &= off < size && off % 64 == 0 && off / 64 % 50 == i % 50;
	}
	ok(good, "sp is the top of the item's part");
	ok(rig_read64(r, OUT_PA + 0x8000 + size) == 0, "nothing beyond the slots");
}

static void test_local(struct rig *r)
{
	struct tess_pkt_dispatch p = pkt_dispatch(CODE, OUT, 320, 32);
	const uint64_t *out = out_of(r);
	bool good = true;

	p.group_segment_size = 32 * 8 + 8;
	/*
	 * local[id] = global id; barrier; out[global] = local[31 - id] + local[32], and
	 * local[32] is never written: it has to be zero.
	 */
	PUT_CODE(r, LUI(T2, 0xffff0), CSRRS(T0, CSR_LOCAL_ID, X0), CSRRS(T1, CSR_GLOBAL_ID, X0),
		 SLLI(S0, T0, 3), ADD(S0, S0, T2), SD(T1, 0, S0), BARRIER, ADDI(S1, X0, 31),
		 SUB(S1, S1, T0), SLLI(S1, S1, 3), ADD(S1, S1, T2), LD(S1, 0, S1), LD(A1, 256, T2),
		 ADD(S1, S1, A1), SLLI(T1, T1, 3), ADD(T1, T1, A0), SD(S1, 0, T1), RET);
	clear_out(r);
	ok(!rig_do(r, 0, &p), "local memory and barrier");
	for (unsigned int i = 0; i < 320; i++)
		good &= out[i] == i / 32 * 32 + 31 - i % 32;
	ok(good, "items see each other's words; fresh memory is zero");
}

static void test_hart_faults(struct rig *r, uint64_t root)
{
	static const struct {
		const char *name;
		uint32_t insn;
		unsigned int fault;
	} cases[] = {
		{ "zero", 0, FAULT(ILLEGAL_INSN) },
		{ "a privileged instruction", 0x30200073, FAULT(ILLEGAL_INSN) },
		{ "ebreak", EBREAK, FAULT(BREAKPOINT) },
		{ "ecall", ECALL, FAULT(ECALL) },
	};
	struct tess_pkt_dispatch p = pkt_dispatch(CODE, OUT, 64, 16);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		PUT_CODE(r, NOP, NOP, cases[i].insn, RET);
		ok(rig_do(r, 0, &p) == cases[i].fault &&
			   sreg64(r, 0, TESS_SREG_FAULT_PC) == CODE + 8 &&
			   sreg(r, 0, TESS_SREG_FAULT_INFO) & TESS_FAULT_INFO_HART,
		   "%s", cases[i].name);
		rig_recover(r, 0);
	}
	PUT_CODE(r, LUI(T0, 0x200), NOP, LD(T1, 16, T0), RET);
	ok(rig_do(r, 0, &p) == FAULT(LOAD_PAGE) && sreg64(r, 0, TESS_SREG_FAULT_ADDR) == 0x200010 &&
		   FIELD_GET(TESS_FAULT_INFO_ACCESS, sreg(r, 0, TESS_SREG_FAULT_INFO)) == 1,
	   "load without a page");
	rig_map(r, root, 0x200000, OUT_PA, PTE_ALL, 0);
	sreg_write(r, 0, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_RESUME);
	rig_run(r, 1000);
	ok(!rig_fault(r, 0) && sreg64(r, 0, TESS_SREG_RPTR) == r->wptr[0],
	   "RESUME with the page: it goes on");
	PUT_CODE(r, LUI(T0, 0x200), SD(T1, 4, T0), AMO(0, 3, T1, T1, T0), ADDI(T0, T0, 4),
		 AMO(0, 3, T1, T1, T0), RET);
	ok(rig_do(r, 0, &p) == FAULT(STORE_MISALIGNED) &&
		   sreg64(r, 0, TESS_SREG_FAULT_ADDR) == 0x200004,
	   "misaligned amo; a misaligned store is no fault");
	rig_recover(r, 0);
	PUT_CODE(r, LUI(T0, 0xc0000), LD(T1, 0, T0), RET);
	ok(rig_try(r, 0, &p) == FAULT(LOAD_PAGE) || rig_try(r, 0, &p) == FAULT(LOAD_ACCESS),
	   "load from an address above the windows");
}

static void test_endless(struct rig *r)
{
	struct tess_pkt_dispatch p = pkt_dispatch(CODE, OUT, 4096, 256);
	struct tess_pkt_fence f = pkt_fence(3, 0);
	uint64_t insns, t;

	PUT_CODE(r, JAL(X0, 0));
	rig_push(r, 0, &p);
	rig_doorbell(r, 0);
	insns = counter(r, 0, TESS_COUNTER_INSTRUCTIONS);
	t = greg64(r, TESS_REG_TIME);
	rig_run(r, 200);
	ok(counter(r, 0, TESS_COUNTER_INSTRUCTIONS) - insns <= 8 * (greg64(r, TESS_REG_TIME) - t),
	   "endless loops take one cycle per instruction and core");
	ok(!rig_do(r, 1, &f) && rig_read64(r, RIG_RECORD(1)) == 3, "another slice works");
	rig_recover(r, 0);
	sreg_write(r, 0, TESS_SREG_CONTROL, 0);
	sreg_write64(r, 0, TESS_SREG_RPTR, r->wptr[0]);
	sreg_write(r, 0, TESS_SREG_CONTROL, 1);
	ok(gpu_get_state(r->gpu) == GPU_IDLE, "dropping the packet ends it");
	put_id_kernel(r);
	clear_out(r);
	ok(!rig_do(r, 0, &p) && ids_good(r, 1, 4096, 256), "the slice is as good as new");
}

/* Items of all groups, on all cores, count with an amo. */
static void test_atomics(struct rig *r)
{
	struct tess_pkt_dispatch p = pkt_dispatch(CODE, OUT, 10000, 100);

	PUT_CODE(r, ADDI(T0, X0, 1), AMO(0, 3, X0, T0, A0), RET);
	clear_out(r);
	ok(!rig_do(r, 0, &p) && rig_read64(r, OUT_PA) == 10000, "10000 atomic additions");
}

/* Code that was changed is seen after an acquire, an invalidation or a fence.i. */
static void test_new_code(struct rig *r)
{
	const uint32_t one[] = { ADDI(T0, X0, 1), SD(T0, 0, A0), RET };
	const uint32_t two = ADDI(T0, X0, 2), other[] = { FENCE_I, RET };
	struct tess_pkt_dispatch p = pkt_dispatch(CODE, OUT, 1, 1);

	memcpy(rig_mem(r, CODE_PA), one, sizeof(one));
	sreg_write(r, 0, TESS_SREG_TLB_INVALIDATE, 1);
	rig_do(r, 0, &p);
	ok(rig_read64(r, OUT_PA) == 1, "code");
	memcpy(rig_mem(r, CODE_PA), &two, sizeof(two));
	p.header |= DRM_TESSERA_PKT_ACQUIRE_SYSTEM;
	rig_do(r, 0, &p);
	ok(rig_read64(r, OUT_PA) == 2, "changed code after an acquire");
	memcpy(rig_mem(r, CODE_PA), one, sizeof(one));
	p.header = DRM_TESSERA_PKT_DISPATCH;
	sreg_write(r, 0, TESS_SREG_TLB_INVALIDATE, 1);
	rig_do(r, 0, &p);
	ok(rig_read64(r, OUT_PA) == 1, "and after TLB_INVALIDATE");
	memcpy(rig_mem(r, CODE_PA), &two, sizeof(two));
	memcpy(rig_mem(r, CODE_PA + 256), other, sizeof(other));
	p.kernel_object = CODE + 256;
	rig_do(r, 0, &p);
	p.kernel_object = CODE;
	rig_do(r, 0, &p);
	ok(rig_read64(r, OUT_PA) == 2, "and after a fence.i of another group");
}

/* A host fault in the middle of a kernel: the access is repeated exactly once. */
static void test_host_fault(struct rig *r)
{
	struct tess_pkt_dispatch p = pkt_dispatch(CODE, OUT, 512, 64);
	uint64_t root2 = rig_stage2(r, 0), big = OUT_PA & ~0x1fffffULL, old;

	PUT_CODE(r, ADDI(T0, X0, 1), AMO(0, 3, X0, T0, A0), RET);
	clear_out(r);
	/* Move the page of OUT out of reach of stage 2's big leaf: take the leaf away. */
	old = rig_read64(r, (rig_read64(r, root2) >> 10 << 12) + (big >> 21 & 511) * 8);
	rig_map(r, root2, big, 0, 0, 1);
	hreg_write(r, 0, TESS_HREG_TLB_INVALIDATE, 1);
	rig_do(r, 0, &p);
	ok(hreg(r, 0, TESS_HREG_STATUS) & TESS_HSTATUS_FAULTED, "stage 2 has no page");
	rig_write64(r, (rig_read64(r, root2) >> 10 << 12) + (big >> 21 & 511) * 8, old);
	for (unsigned int i = 0; i < 20; i++) {
		hreg_write(r, 0, TESS_HREG_HFAULT_ACK, TESS_HFAULT_ACK_RESUME);
		rig_run(r, 1000);
	}
	ok(!rig_fault(r, 0) && rig_read64(r, OUT_PA) == 512, "512 atomic additions, none twice");
	hreg_write(r, 0, TESS_HREG_CONTROL, TESS_HCONTROL_RUN);
}

int main(void)
{
	uint64_t root;
	struct rig *r = set_up(&root);

	test_grids(r);
	test_3d(r);
	test_range(r);
	test_completion_signal(r);
	test_private(r);
	test_local(r);
	test_hart_faults(r, root);
	test_endless(r);
	test_atomics(r);
	test_new_code(r);
	test_host_fault(r);
	rig_free(r);
	return done();
}
