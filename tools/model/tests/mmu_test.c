// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Translation, seen from outside: SIGNAL stores, WAIT loads, a kernel fetches.
 * Each rule of Documentation/hw/memory.rst for stage 1, then for stage 2.
 */
#include <string.h>

#include "rig.h"
#include "rv.h"
#include "tap.h"

#define VA 0x4000000ULL
#define DATA RIG_DATA
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static unsigned int store(struct rig *r, uint64_t va)
{
	struct tess_pkt_signal p = pkt_signal(va, DRM_TESSERA_SIGNAL_ADD, 1);

	return rig_do(r, 0, &p);
}

static unsigned int load(struct rig *r, uint64_t va)
{
	struct tess_pkt_wait p = pkt_wait(va, DRM_TESSERA_WAIT_GE, 0);

	return rig_do(r, 0, &p);
}

static unsigned int try_store(struct rig *r, uint64_t va)
{
	unsigned int fault = store(r, va);

	if (fault)
		rig_recover(r, 0);
	return fault;
}

static unsigned int try_load(struct rig *r, uint64_t va)
{
	unsigned int fault = load(r, va);

	if (fault)
		rig_recover(r, 0);
	return fault;
}

static void invalidate(struct rig *r)
{
	sreg_write(r, 0, TESS_SREG_TLB_INVALIDATE, 1);
}

static void set_pte(struct rig *r, uint64_t pte, uint64_t val)
{
	rig_write64(r, pte, val);
	invalidate(r);
}

static uint64_t leaf(uint64_t pa, uint64_t flags)
{
	return pa >> 12 << 10 | flags;
}

static void test_stage1_walk(struct rig *r, uint64_t root)
{
	uint64_t pte = rig_map(r, root, VA, DATA, PTE_ALL, 0);

	invalidate(r);
	rig_write64(r, DATA + 8, 41);
	ok(!try_store(r, VA + 8) && rig_read64(r, DATA + 8) == 42, "4 KiB page");
	ok(rig_read64(r, pte) == (leaf(DATA, PTE_ALL) | TESS_PTE_A | TESS_PTE_D),
	   "A and D are set");
	set_pte(r, pte, leaf(DATA, PTE_ALL));
	ok(!try_load(r, VA) && rig_read64(r, pte) == (leaf(DATA, PTE_ALL) | TESS_PTE_A),
	   "a load sets A only");
	ok(!try_store(r, VA) && rig_read64(r, pte) & TESS_PTE_D, "a store after a load sets D");
	rig_map(r, root, TESS_VA_END - 4096, DATA + 0x1000, PTE_ALL, 0);
	ok(!try_store(r, TESS_VA_END - 8) && rig_read64(r, DATA + 0x1ff8) == 1, "last page");
	ok(try_store(r, TESS_VA_END) == FAULT(STORE_PAGE), "first address beyond");
	ok(try_load(r, ~7ULL) == FAULT(LOAD_PAGE), "upper half of Sv39");
	ok(try_load(r, 1ULL << 39 | VA) == FAULT(LOAD_PAGE), "bits above 39 are not ignored");
	ok(try_load(r, VA + 0x1000) == FAULT(LOAD_PAGE), "no leaf");
	ok(try_load(r, VA + (1 << 21)) == FAULT(LOAD_PAGE), "no table of level 0");
	ok(try_store(r, VA + (1ULL << 30)) == FAULT(STORE_PAGE), "no table of level 1");
}

static void test_stage1_superpage(struct rig *r, uint64_t root)
{
	uint64_t va = 0x40000000, base = RIG_SYS + (2ULL << 20);
	uint64_t pte = rig_map(r, root, va, base, PTE_ALL, 1);

	rig_write64(r, base + 0x123458, 6);
	ok(!try_store(r, va + 0x123458) && rig_read64(r, base + 0x123458) == 7, "2 MiB page");
	ok(rig_read64(r, pte) == (leaf(base, PTE_ALL) | TESS_PTE_A | TESS_PTE_D),
	   "A and D of the 2 MiB leaf");
	set_pte(r, pte, leaf(base + 0x1000, PTE_ALL));
	ok(try_load(r, va) == FAULT(LOAD_PAGE), "misaligned 2 MiB leaf");
	rig_map(r, root, 0x80000000, 0, PTE_ALL, 2);
	ok(try_load(r, 0x80000000 + DATA) == FAULT(LOAD_PAGE), "a 1 GiB leaf is a page fault");
	set_pte(r, root + 2 * 8, 0);
}

static void test_stage1_rights(struct rig *r, uint64_t root)
{
	static const struct {
		const char *name;
		uint64_t flags;
		unsigned int load;
		unsigned int store;
	} cases[] = {
		{ "not valid", PTE_ALL & ~TESS_PTE_V, FAULT(LOAD_PAGE), FAULT(STORE_PAGE) },
		{ "R", TESS_PTE_V | TESS_PTE_R, 0, FAULT(STORE_PAGE) },
		{ "R W", TESS_PTE_V | TESS_PTE_R | TESS_PTE_W, 0, 0 },
		{ "X", TESS_PTE_V | TESS_PTE_X, FAULT(LOAD_PAGE), FAULT(STORE_PAGE) },
		{ "R X", TESS_PTE_V | TESS_PTE_R | TESS_PTE_X, 0, FAULT(STORE_PAGE) },
		{ "W", TESS_PTE_V | TESS_PTE_W, FAULT(LOAD_PAGE), FAULT(STORE_PAGE) },
		{ "W X", TESS_PTE_V | TESS_PTE_W | TESS_PTE_X, FAULT(LOAD_PAGE),
		  FAULT(STORE_PAGE) },
		{ "bit 54", PTE_ALL | 1ULL << 54, FAULT(LOAD_PAGE), FAULT(STORE_PAGE) },
		{ "N", PTE_ALL | 1ULL << 63, FAULT(LOAD_PAGE), FAULT(STORE_PAGE) },
		{ "pointer at level 0", TESS_PTE_V, FAULT(LOAD_PAGE), FAULT(STORE_PAGE) },
		{ "software bits and G", PTE_ALL | 0x320, 0, 0 },
		{ "no memory there", PTE_ALL | 0x3ULL << 52, FAULT(LOAD_ACCESS),
		  FAULT(STORE_ACCESS) },
	};
	uint64_t pte = rig_map(r, root, VA, DATA, 0, 0), table = root, before;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		set_pte(r, pte, leaf(DATA, cases[i].flags));
		before = rig_read64(r, pte);
		ok(try_load(r, VA) == cases[i].load, "%s: load", cases[i].name);
		ok(try_store(r, VA) == cases[i].store, "%s: store", cases[i].name);
		if (cases[i].load == FAULT(LOAD_PAGE))
			ok(rig_read64(r, pte) == before, "%s: no A or D", cases[i].name);
	}
	set_pte(r, pte, leaf(DATA, PTE_ALL));
	for (unsigned int bit = 4; bit < 8; bit++) {
		if (bit == 5)
			continue;
		set_pte(r, table, rig_read64(r, table) | 1ULL << bit);
		ok(try_load(r, VA) == FAULT(LOAD_PAGE), "bit %u in a pointer", bit);
		set_pte(r, table, rig_read64(r, table) & ~(1ULL << bit));
	}
	ok(!try_load(r, VA), "and without");
}

static void test_stage1_tables(struct rig *r, uint64_t root)
{
	uint64_t old = rig_read64(r, root);

	set_pte(r, root, leaf(0x1000, TESS_PTE_V));
	ok(load(r, VA) == FAULT(LOAD_ACCESS) && sreg64(r, 0, TESS_SREG_FAULT_ADDR) == VA,
	   "a table where no memory is");
	rig_recover(r, 0);
	set_pte(r, root, leaf(TESS_PA_END, TESS_PTE_V));
	ok(try_store(r, VA) == FAULT(STORE_ACCESS), "a table beyond the physical addresses");
	set_pte(r, root, old);
	r->read_only = true;
	rig_map(r, root, VA, DATA, PTE_ALL, 0);
	invalidate(r);
	ok(try_load(r, VA) == FAULT(LOAD_ACCESS), "A cannot be set: access fault");
	r->read_only = false;
	r->no_dma = true;
	gpu_flush(r->gpu);
	rig_push(r, 0, &(struct tess_pkt_wait){ 0 });
	rig_doorbell(r, 0);
	rig_run(r, 100);
	ok(rig_fault(r, 0) == FAULT(LOAD_ACCESS) &&
		   sreg64(r, 0, TESS_SREG_FAULT_ADDR) == RIG_RING(0) + (r->wptr[0] - 1) % 128 * 64,
	   "bus mastering off: the ring cannot be read");
	r->no_dma = false;
	rig_recover(r, 0);
}

/* Translations stay until they are dropped; each way of dropping them. */
static void test_invalidation(struct rig *r, uint64_t root)
{
	/* The ring's page has the place of VA in the model's cache */
	const uint64_t va = VA + 0x8000;
	uint64_t pte = rig_map(r, root, va, DATA, PTE_ALL, 0);
	struct tess_pkt_set_vm vm = pkt_set_vm(root, 1, DRM_TESSERA_SET_VM_FLUSH);

	invalidate(r);
	try_store(r, va);
	rig_write64(r, pte, leaf(DATA + 0x1000, PTE_ALL));
	rig_write64(r, DATA + 0x1000, 100);
	invalidate(r);
	try_store(r, va);
	ok(rig_read64(r, DATA + 0x1000) == 101, "TLB_INVALIDATE");
	rig_write64(r, pte, leaf(DATA, PTE_ALL));
	rig_write64(r, DATA, 200);
	rig_do(r, 0, &vm);
	try_store(r, va);
	ok(rig_read64(r, DATA) == 201, "SET_VM with FLUSH");
	rig_write64(r, pte, leaf(DATA + 0x1000, PTE_ALL));
	hreg_write(r, 0, TESS_HREG_TLB_INVALIDATE, 1);
	try_store(r, va);
	ok(rig_read64(r, DATA + 0x1000) == 102, "host TLB_INVALIDATE");
	rig_write64(r, pte, leaf(DATA + 0x2000, PTE_ALL));
	rig_write64(r, DATA + 0x2000, 300);
	gpu_reg_write(r->gpu, TESS_REG_TLB_INVALIDATE(0), 0xfffffffe, 4);
	gpu_reg_write(r->gpu, TESS_REG_TLB_INVALIDATE(1), 0xffffffff, 4);
	try_store(r, va);
	ok(rig_read64(r, DATA + 0x1000) == 103 && rig_read64(r, DATA + 0x2000) == 300,
	   "global TLB_INVALIDATE of other slices");
	gpu_reg_write(r->gpu, TESS_REG_TLB_INVALIDATE(0), 1, 4);
	try_store(r, va);
	ok(rig_read64(r, DATA + 0x2000) == 301, "global TLB_INVALIDATE");
	rig_write64(r, pte, leaf(DATA, PTE_ALL));
	gpu_flush(r->gpu);
	try_store(r, va);
	ok(rig_read64(r, DATA) == 202, "the bus took memory away");
	vm = pkt_set_vm(rig_table(r, 1), 2, 0);
	rig_do(r, 0, &vm);
	ok(try_load(r, va) == FAULT(LOAD_PAGE), "another address space");
	ok(sreg(r, 0, TESS_SREG_FAULT_ASID) == 0, "FAULT_ASID is clear after the fault");
	vm = pkt_set_vm(root, 1, 0);
	rig_do(r, 0, &vm);
	ok(!try_load(r, va), "and back");
}

static void set_vm(struct rig *r, uint64_t root, uint16_t asid, uint16_t flags)
{
	struct tess_pkt_set_vm vm = pkt_set_vm(root, asid, flags);

	rig_do(r, 0, &vm);
}

/* An address space with a page at @va, and a kernel there. */
static uint64_t make_space(struct rig *r, uint64_t va, uint64_t pa, uint32_t insn)
{
	const uint32_t code[] = { insn, AMO(0, 3, X0, T0, A0), RET };
	uint64_t root = rig_table(r, 1);

	rig_map(r, root, va, pa, PTE_ALL, 0);
	memcpy(rig_mem(r, pa + 0x800), code, sizeof(code));
	return root;
}

/*
 * Packets of two address spaces, and of none, name the same addresses. The model
 * keeps translations while no VM is set, and those of one address space at a time.
 */
static void test_spaces(void)
{
	const uint64_t va = RIG_DATA; /* also where memory is */
	struct rig *r = rig_new();
	uint64_t a = make_space(r, va, RIG_DATA + 0x1000, ADDI(T0, X0, 100));
	uint64_t b = make_space(r, va, RIG_DATA + 0x2000, ADDI(T0, X0, 1000));
	struct tess_pkt_dispatch d = pkt_dispatch(va + 0x800, va, 1, 1);
	uint64_t pte;
	bool good = true;

	for (uint64_t i = 1; i <= 20; i++) {
		set_vm(r, a, 1, 0);
		good &= !rig_do(r, 0, &d) && !store(r, va);
		set_vm(r, 0, 0, 0);
		good &= !store(r, va);
		set_vm(r, i % 2 ? b : a, i % 2 ? 2 : 1, 0);
		good &= !rig_do(r, 0, &d) && !store(r, va);
		set_vm(r, 0, 0, 0);
		good &= rig_read64(r, va) == i && rig_read64(r, va + 0x1000) == (i + i / 2) * 101 &&
			rig_read64(r, va + 0x2000) == (i + 1) / 2 * 1001;
	}
	ok(good, "two address spaces and none in turn");
	set_vm(r, a, 1, 0);
	store(r, va);
	/* No VM in between: still there. Another root or asid: not taken for the old one. */
	pte = (rig_read64(r, a) >> 10 << 12) + (va >> 21 & 511) * 8;
	pte = (rig_read64(r, pte) >> 10 << 12) + (va >> 12 & 511) * 8;
	rig_write64(r, pte, leaf(RIG_DATA + 0x3000, PTE_ALL));
	set_vm(r, 0, 7, 0);
	store(r, va + 0x6000);
	set_vm(r, a, 1, 0);
	store(r, va);
	ok(rig_read64(r, va + 0x3000) == 0, "translations outlast packets without a VM");
	set_vm(r, 0, 0, DRM_TESSERA_SET_VM_FLUSH);
	set_vm(r, a, 1, 0);
	store(r, va);
	ok(rig_read64(r, va + 0x3000) == 1, "FLUSH of SET_VM without a VM");
	rig_write64(r, pte, leaf(RIG_DATA + 0x4000, PTE_ALL));
	set_vm(r, 0, 0, 0);
	set_vm(r, a, 2, 0);
	store(r, va);
	ok(rig_read64(r, va + 0x4000) == 1, "the same root with another asid");
	rig_write64(r, pte, leaf(RIG_DATA + 0x5000, PTE_ALL));
	set_vm(r, 0, 0, 0);
	invalidate(r);
	set_vm(r, a, 2, 0);
	store(r, va);
	ok(rig_read64(r, va + 0x5000) == 1, "TLB_INVALIDATE while there is none");
	rig_free(r);
}

static void test_links(struct rig *r, uint64_t root)
{
	rig_map(r, root, VA, RIG_VRAM(2), PTE_ALL, 0);
	invalidate(r);
	hreg_write64(r, 0, TESS_HREG_LINK_MASK, ~0ULL);
	ok(!try_store(r, VA), "another bank over a link");
	hreg_write64(r, 0, TESS_HREG_LINK_MASK, ~(1ULL << 2));
	ok(store(r, VA) == FAULT(LINK_DISABLED) && sreg64(r, 0, TESS_SREG_FAULT_ADDR) == VA,
	   "without the link, at once");
	rig_recover(r, 0);
	hreg_write64(r, 0, TESS_HREG_LINK_MASK, 0);
	rig_map(r, root, VA, RIG_VRAM(0), PTE_ALL, 0);
	invalidate(r);
	ok(!try_store(r, VA), "the own bank needs none");
	rig_map(r, root, VA, DATA, PTE_ALL, 0);
	invalidate(r);
	ok(!try_store(r, VA), "nor does system memory");
	hreg_write64(r, 0, TESS_HREG_LINK_MASK, ~0ULL);
}

static void put_kernel(struct rig *r, uint64_t pa, const uint32_t *code, size_t size)
{
	memcpy(rig_mem(r, pa), code, size);
}

static void test_fetch(struct rig *r, uint64_t root)
{
	const uint32_t code[] = { SD(A0, 0, A0), RET };
	struct tess_pkt_dispatch p = pkt_dispatch(VA, VA + 0x1000, 1, 1);
	uint64_t pte = rig_map(r, root, VA, DATA, PTE_ALL & ~TESS_PTE_W, 0);

	put_kernel(r, DATA, code, sizeof(code));
	rig_map(r, root, VA + 0x1000, DATA + 0x1000, PTE_ALL, 0);
	invalidate(r);
	ok(!rig_try(r, 0, &p) && rig_read64(r, DATA + 0x1000) == VA + 0x1000, "kernel in R X");
	ok(rig_read64(r, pte) & TESS_PTE_A && !(rig_read64(r, pte) & TESS_PTE_D), "fetch sets A");
	set_pte(r, pte, leaf(DATA, TESS_PTE_V | TESS_PTE_X | TESS_PTE_U));
	ok(!rig_try(r, 0, &p), "kernel in X only");
	set_pte(r, pte, leaf(DATA, PTE_ALL & ~TESS_PTE_X));
	ok(rig_do(r, 0, &p) == FAULT(FETCH_PAGE) && sreg64(r, 0, TESS_SREG_FAULT_PC) == VA &&
		   sreg64(r, 0, TESS_SREG_FAULT_ADDR) == VA &&
		   sreg(r, 0, TESS_SREG_FAULT_INFO) ==
			   (TESS_FAULT_INFO_HART | DRM_TESSERA_PKT_DISPATCH),
	   "kernel in a page without X");
	rig_recover(r, 0);
	set_pte(r, pte, leaf(DATA, PTE_ALL & ~TESS_PTE_U));
	ok(rig_try(r, 0, &p) == FAULT(FETCH_PAGE), "kernel in a page without U");
	set_pte(r, pte, leaf(DATA, PTE_ALL));
	rig_map(r, root, VA + 0x1000, DATA + 0x1000, PTE_ALL & ~TESS_PTE_U, 0);
	invalidate(r);
	ok(rig_do(r, 0, &p) == FAULT(STORE_PAGE) && sreg64(r, 0, TESS_SREG_FAULT_PC) == VA,
	   "a shader's store to a page without U");
	rig_recover(r, 0);
	set_pte(r, pte, leaf(0x1000, PTE_ALL));
	ok(rig_try(r, 0, &p) == FAULT(FETCH_ACCESS), "kernel where no memory is");
}

static bool host_faulted(struct rig *r, uint32_t cause, uint32_t access, uint64_t gpa, uint64_t va)
{
	return hreg(r, 0, TESS_HREG_STATUS) & TESS_HSTATUS_FAULTED &&
	       hreg(r, 0, TESS_HREG_HFAULT_CAUSE) == cause &&
	       hreg(r, 0, TESS_HREG_HFAULT_ACCESS) == access &&
	       hreg64(r, 0, TESS_HREG_HFAULT_GPA) == gpa &&
	       hreg64(r, 0, TESS_HREG_HFAULT_VA) == va && greg64(r, TESS_REG_HFAULT_PENDING) == 1 &&
	       !greg64(r, TESS_REG_FAULT_PENDING);
}

static void resume(struct rig *r)
{
	hreg_write(r, 0, TESS_HREG_HFAULT_ACK, TESS_HFAULT_ACK_RESUME);
	rig_run(r, 10000);
}

/* A store, then what stage 2 needs is mapped step by step: one fault each. */
static void test_host_faults(struct rig *r, uint64_t root)
{
	uint64_t root2 = rig_table(r, 4), ring = RIG_RING(0) & ~0xfffULL, pt[3], pte;
	unsigned int irqs = r->irqs[TESS_IRQ_FAULT];
	struct tess_pkt_signal p = pkt_signal(VA + 8, DRM_TESSERA_SIGNAL_SET, 0x77);

	pte = rig_map(r, root, VA, DATA, PTE_ALL, 0);
	pt[0] = root;
	pt[1] = rig_read64(r, root) >> 10 << 12;
	pt[2] = rig_read64(r, pt[1] + (VA >> 21 & 511) * 8) >> 10 << 12;
	hreg_write64(r, 0, TESS_HREG_STAGE2_ROOT, root2);
	hreg_write(r, 0, TESS_HREG_CONTROL, TESS_HCONTROL_RUN | TESS_HCONTROL_STAGE2);
	rig_push(r, 0, &p);
	ring = RIG_RING(0) + (r->wptr[0] - 1) % 128 * 64;
	rig_doorbell(r, 0);
	rig_run(r, 100);
	ok(host_faulted(r, DRM_TESSERA_CAUSE_LOAD_GUEST_PAGE, 1, ring, ring), "ring");
	ok(r->irqs[TESS_IRQ_FAULT] == irqs + 1, "raises the fault vector");
	ok(gpu_get_state(r->gpu) == GPU_IDLE, "and stops the slice");
	rig_map(r, root2, ring & ~0xfffULL, ring & ~0xfffULL, PTE_ALL & ~TESS_PTE_W, 0);
	resume(r);
	for (unsigned int i = 0; i < 3; i++) {
		uint64_t at = pt[i] + (VA >> TESS_PT_SHIFT(2 - i) & 511) * 8;

		ok(host_faulted(r, DRM_TESSERA_CAUSE_STORE_GUEST_PAGE, 1, at, VA + 8),
		   "stage-1 table of level %u: a load for a store", 2 - i);
		rig_map(r, root2, pt[i], pt[i], PTE_ALL & ~TESS_PTE_W, 0);
		resume(r);
	}
	ok(host_faulted(r, DRM_TESSERA_CAUSE_STORE_GUEST_PAGE, 2, pte, VA + 8),
	   "setting A and D is a store");
	rig_map(r, root2, pt[2], pt[2], PTE_ALL, 0);
	resume(r);
	ok(host_faulted(r, DRM_TESSERA_CAUSE_STORE_GUEST_PAGE, 2, DATA + 8, VA + 8), "the data");
	rig_map(r, root2, DATA, DATA + 0x3000, PTE_ALL & ~TESS_PTE_U, 0);
	resume(r);
	ok(host_faulted(r, DRM_TESSERA_CAUSE_STORE_GUEST_PAGE, 2, DATA + 8, VA + 8),
	   "stage 2 needs U");
	pte = rig_map(r, root2, DATA, DATA + 0x3000, PTE_ALL, 0);
	resume(r);
	ok(!rig_fault(r, 0) && rig_read64(r, DATA + 0x3008) == 0x77 &&
		   sreg64(r, 0, TESS_SREG_RPTR) == r->wptr[0],
	   "and then the store happens, where stage 2 says");
	ok((rig_read64(r, pte) & (TESS_PTE_A | TESS_PTE_D)) == (TESS_PTE_A | TESS_PTE_D),
	   "A and D of stage 2");
	ok(counter(r, 0, TESS_COUNTER_FAULTS) >= 7, "FAULTS counts them");
}

static void test_stage2_rules(void)
{
	static const struct {
		const char *name;
		uint64_t flags;
		bool load;
		bool store;
	} cases[] = {
		{ "not valid", PTE_ALL & ~TESS_PTE_V, false, false },
		{ "read-only", PTE_ALL & ~TESS_PTE_W, true, false },
		{ "execute-only", TESS_PTE_V | TESS_PTE_X | TESS_PTE_U, false, false },
		{ "write without read", TESS_PTE_V | TESS_PTE_W | TESS_PTE_U, false, false },
		{ "without U", PTE_ALL & ~TESS_PTE_U, false, false },
		{ "reserved bit", PTE_ALL | 1ULL << 60, false, false },
		{ "pointer", TESS_PTE_V, false, false },
		{ "all rights", PTE_ALL, true, true },
	};
	struct rig *q = rig_new();
	uint64_t root2 = rig_stage2(q, 0), gpa = 0x1ff00000000ULL, pte;

	pte = rig_map(q, root2, gpa, DATA, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		rig_write64(q, pte, leaf(DATA, cases[i].flags));
		hreg_write(q, 0, TESS_HREG_TLB_INVALIDATE, 1);
		load(q, gpa);
		ok(cases[i].load == !(hreg(q, 0, TESS_HREG_STATUS) & TESS_HSTATUS_FAULTED),
		   "stage 2 %s: load", cases[i].name);
		sreg_write(q, 0, TESS_SREG_RESET, 1);
		rig_ring(q, 0);
		store(q, gpa);
		ok(cases[i].store == !(hreg(q, 0, TESS_HREG_STATUS) & TESS_HSTATUS_FAULTED),
		   "stage 2 %s: store", cases[i].name);
		sreg_write(q, 0, TESS_SREG_RESET, 1);
		rig_ring(q, 0);
	}
	ok(try_load(q, TESS_PA_END) == FAULT(LOAD_ACCESS),
	   "beyond 41 bits: an access fault of the client");
	rig_map(q, root2, gpa, 0x1000, PTE_ALL, 0);
	hreg_write(q, 0, TESS_HREG_TLB_INVALIDATE, 1);
	ok(try_load(q, gpa) == FAULT(LOAD_ACCESS), "stage 2 leads to no memory");
	rig_map(q, root2, gpa, RIG_VRAM(3), PTE_ALL, 0);
	hreg_write64(q, 0, TESS_HREG_LINK_MASK, 7);
	ok(try_load(q, gpa) == FAULT(LINK_DISABLED), "stage 2 leads to a bank without a link");
	hreg_write64(q, 0, TESS_HREG_STAGE2_ROOT, 0);
	ok(try_load(q, gpa) == FAULT(LOAD_ACCESS), "no stage-2 tables where the root points");
	rig_free(q);
}

static void test_refuse(void)
{
	struct rig *r = rig_new();
	uint64_t gpa = RIG_SYS + (15ULL << 20), root2 = rig_stage2(r, 0);

	rig_map(r, root2, gpa & ~0x1fffffULL, 0, 0, 1);
	store(r, gpa);
	ok(host_faulted(r, DRM_TESSERA_CAUSE_STORE_GUEST_PAGE, 2, gpa, gpa),
	   "bare: VA is the address");
	hreg_write(r, 0, TESS_HREG_HFAULT_ACK, 7);
	ok(hreg(r, 0, TESS_HREG_STATUS) & TESS_HSTATUS_FAULTED, "unknown acknowledgement");
	hreg_write(r, 0, TESS_HREG_HFAULT_ACK, TESS_HFAULT_ACK_REFUSE);
	ok(rig_fault(r, 0) == FAULT(STORE_ACCESS) && sreg64(r, 0, TESS_SREG_FAULT_ADDR) == gpa &&
		   (sreg(r, 0, TESS_SREG_FAULT_INFO) & 0xff) == DRM_TESSERA_PKT_SIGNAL &&
		   !(hreg(r, 0, TESS_HREG_STATUS) & TESS_HSTATUS_FAULTED),
	   "refused: an access fault of the client");
	ok(sreg(r, 0, TESS_SREG_IRQ_STATUS) == TESS_IRQ_STATUS_FAULT &&
		   greg64(r, TESS_REG_FAULT_PENDING) == 1,
	   "that it can see");
	hreg_write(r, 0, TESS_HREG_HFAULT_ACK, TESS_HFAULT_ACK_RESUME);
	ok(rig_fault(r, 0) == FAULT(STORE_ACCESS), "a second acknowledgement is ignored");
	rig_free(r);
}

/* A table can be wiped out through its own mapping: nothing worse than a fault comes of it. */
static void test_self_modifying_table(struct rig *r, uint64_t root)
{
	struct tess_pkt_fill f = pkt_fill(VA, 4096, 0);
	uint64_t table, pte;

	rig_map(r, root, VA, DATA, PTE_ALL, 0);
	table = rig_read64(r, root) >> 10 << 12;
	table = rig_read64(r, table + (VA >> 21) * 8) >> 10 << 12;
	pte = rig_map(r, root, VA, table, PTE_ALL, 0);

	invalidate(r);
	ok(pte >> 12 == table >> 12, "a page maps its own table");
	rig_do(r, 0, &f);
	ok(rig_fault(r, 0) == 0 || rig_fault(r, 0) == FAULT(STORE_PAGE), "filling it ends");
	rig_recover(r, 0);
}

/* What software does to an entry between the moments at which the walk reads and marks it. */
static uint64_t raced_pte;
static unsigned int races;

static void race(struct rig *r, uint64_t addr, bool write)
{
	if (write && races && addr >> 12 == raced_pte >> 12) {
		races--;
		rig_write64(r, raced_pte, rig_read64(r, raced_pte) ^ 0x100);
	}
}

static void test_races(struct rig *r, uint64_t root)
{
	raced_pte = rig_map(r, root, VA, DATA, PTE_ALL, 0);
	r->on_dma = race;
	invalidate(r);
	races = 1;
	ok(!try_store(r, VA) && rig_read64(r, raced_pte) == (leaf(DATA, PTE_ALL) | 0x1c0),
	   "an entry changed under the walk: neither change is lost");
	rig_map(r, root, VA, DATA, PTE_ALL, 0);
	invalidate(r);
	races = ~0U;
	ok(try_store(r, VA) == FAULT(STORE_PAGE) && races == ~0U - 16,
	   "an entry that changes for ever: a page fault after 16 times");
	r->on_dma = NULL;
	ok(!try_store(r, VA), "and not afterwards");
}

int main(void)
{
	struct rig *r = rig_new();
	uint64_t root = rig_table(r, 1);

	rig_set_vm(r, 0, root);
	test_stage1_walk(r, root);
	test_stage1_superpage(r, root);
	test_stage1_rights(r, root);
	test_stage1_tables(r, root);
	test_invalidation(r, root);
	test_spaces();
	test_links(r, root);
	test_races(r, root);
	test_fetch(r, root);
	test_host_faults(r, root);
	test_stage2_rules();
	test_refuse();
	rig_free(r);

	r = rig_new();
	root = rig_table(r, 1);
	rig_set_vm(r, 0, root);
	test_self_modifying_table(r, root);
	rig_free(r);
	return done();
}
