// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: memory as harts see it: widths and extension, alignment, page
 * crossings, permissions, access order to the owner's translation (accessed
 * and dirty bits), windows, atomics, reservations, and faults in any lane.
 */
#include <string.h>

#include "tap.h"
#include "isa_env.h"
#include "rv.h"

#define FOREVER (1ull << 40)
#define PAGE ISA_PAGE_SIZE

static void pattern(struct isa_env *env)
{
	for (unsigned int k = 0; k < 4 * PAGE; k++)
		env->mem[ENV_DATA + k] = (uint8_t)(k * 37 + k / 256 * 11 + 0x80);
}

/* Little-endian bytes, sign- or zero-extended. */
static uint64_t expect_load(const struct isa_env *env, uint64_t va, uint32_t f3)
{
	unsigned int size = 1u << (f3 & 3);
	uint64_t v = 0;

	for (unsigned int k = 0; k < size; k++)
		v |= (uint64_t)env->mem[va + k] << 8 * k;
	if (!(f3 & 4) && size < 8 && v >> (8 * size - 1))
		v |= ~0ull << 8 * size;
	return v;
}

/* @n harts at consecutive addresses from @va on, so at all alignments. */
static bool loads_from(struct isa_env *env, uint32_t f3, uint64_t va, unsigned int n)
{
	ENV_CODE_OF(env, rv_i(0x03, f3, A2, A1, -5), rv_i(0x03, f3, A3, A3, 3), EXIT);
	env_group(env, n);
	for (unsigned int k = 0; k < n; k++) {
		env_set_x(env, k, A1, va + k + 5);
		env_set_x(env, k, A3, va + k - 3);
	}
	if (env_run(env, FOREVER) != ISA_STOP_DONE)
		return false;
	for (unsigned int k = 0; k < n; k++)
		if (env_x(env, k, A2) != expect_load(env, va + k, f3) ||
		    env_x(env, k, A3) != env_x(env, k, A2))
			return false;
	return true;
}

static void test_loads(struct isa_env *env)
{
	static const char *const name[] = { "lb", "lh", "lw", "ld", "lbu", "lhu", "lwu" };

	pattern(env);
	for (uint32_t f3 = 0; f3 < 7; f3++)
		ok(loads_from(env, f3, ENV_DATA + 64, 16) &&
			   loads_from(env, f3, ENV_DATA + PAGE - 8, 16) &&
			   loads_from(env, f3, ENV_DATA + PAGE - 4, 9),
		   "%s, aligned, misaligned, across pages", name[f3]);
}

static bool stores_to(struct isa_env *env, uint32_t f3, uint64_t va)
{
	unsigned int size = 1u << f3;
	uint8_t want[64];

	ENV_CODE_OF(env, rv_s(0x23, f3, A1, A2, -7), EXIT);
	for (unsigned int off = 0; off < 16; off++) {
		pattern(env);
		memcpy(want, env->mem + va - 16, sizeof(want));
		for (unsigned int k = 0; k < size; k++)
			want[16 + off + k] = (uint8_t)(0xf1 - 16 * k);
		env_group(env, 1);
		env_set_x(env, 0, A1, va + off + 7);
		env_set_x(env, 0, A2, 0x8191a1b1c1d1e1f1);
		if (env_run(env, FOREVER) != ISA_STOP_DONE ||
		    memcmp(want, env->mem + va - 16, sizeof(want)))
			return false;
	}
	return true;
}

static void test_stores(struct isa_env *env)
{
	static const char *const name[] = { "sb", "sh", "sw", "sd" };

	for (uint32_t f3 = 0; f3 < 4; f3++)
		ok(stores_to(env, f3, ENV_DATA + 64) && stores_to(env, f3, ENV_DATA + PAGE - 8),
		   "%s, aligned, misaligned, across pages", name[f3]);
}

static void test_fp_memory(struct isa_env *env)
{
	struct isa_hart h;

	pattern(env);
	/* flw f1, fld f2, fsw f2 (its low word), fsd f1 (with its box) */
	ENV_CODE_OF(env, rv_i(0x07, 2, 1, A0, 3), rv_i(0x07, 3, 2, A0, 16),
		    rv_s(0x27, 2, A0, 2, 64), rv_s(0x27, 3, A0, 1, 129), EXIT);
	env_group(env, 18);
	ok(env_run(env, FOREVER) == ISA_STOP_DONE, "FP loads and stores end");
	isa_hart_get(env->g, 17, &h);
	ok(h.f[1] == (0xffffffffull << 32 | env_read32(env, ENV_DATA + 3)), "flw boxes");
	ok(h.f[2] == env_read64(env, ENV_DATA + 16), "fld");
	ok(env_read32(env, ENV_DATA + 64) == (uint32_t)h.f[2], "fsw stores the low word");
	ok(env_read64(env, ENV_DATA + 129) == h.f[1], "fsd stores all bits");
}

static bool faults(struct isa_env *env, uint32_t cause, uint64_t va, unsigned int hart)
{
	return env_run(env, FOREVER) == ISA_STOP_FAULT && env->fault.cause == cause &&
	       env->fault.va == va && env->fault.hart == hart && env->fault.pc == env_pc(env, hart);
}

/* One hart in @n has an address without permission; then it gets it. */
static bool fault_in_lane(struct isa_env *env, unsigned int n, unsigned int bad, bool store)
{
	uint64_t page = ENV_DATA / PAGE + 20;
	bool good = true;

	ENV_CODE_OF(env, ADDI(A2, X0, 7), store ? SD(A2, 0, A1) : LD(A2, 0, A1), ADDI(A3, A3, 1),
		    EXIT);
	env_group(env, n);
	env->prot[page] = store ? ENV_R : 0;
	isa_tlb_flush(env->e);
	memset(env->mem + ENV_DATA, 1, 8 * 256);
	memset(env->mem + page * PAGE, 2, 8);
	for (unsigned int k = 0; k < n; k++)
		env_set_x(env, k, A1, k == bad ? page * PAGE : ENV_DATA + 8 * k);
	good &= faults(env, store ? ISA_CAUSE_STORE_PAGE : ISA_CAUSE_LOAD_PAGE, page * PAGE, bad);
	good &= env->fault.pc == ENV_CODE + 4 && env_x(env, bad, A2) == 7 &&
		env->mem[page * PAGE] == 2;
	/* It faults again, and nothing else happens. */
	good &= faults(env, store ? ISA_CAUSE_STORE_PAGE : ISA_CAUSE_LOAD_PAGE, page * PAGE, bad) &&
		!env->retired;
	env->prot[page] = ENV_R | ENV_W | ENV_X;
	good &= env_run(env, FOREVER) == ISA_STOP_DONE && env->g->instret == 4ull * n;
	for (unsigned int k = 0; k < n; k++)
		good &= env_x(env, k, A3) == 1 &&
			(store ? env_read64(env, k == bad ? page * PAGE : ENV_DATA + 8 * k) == 7 :
				 env_x(env, k, A2) == 0x0101010101010101 * (k == bad ? 2 : 1));
	return good;
}

static void test_fault_lanes(struct isa_env *env)
{
	bool loads = true, stores = true;

	for (unsigned int bad = 0; bad < 16; bad++) {
		loads &= fault_in_lane(env, 16, bad, false);
		stores &= fault_in_lane(env, 16, bad, true);
	}
	loads &= fault_in_lane(env, 7, 3, false) && fault_in_lane(env, 100, 55, false);
	stores &= fault_in_lane(env, 7, 3, true) && fault_in_lane(env, 100, 55, true);
	ok(loads, "a load fault in each lane is exact and can be retried");
	ok(stores, "a store fault in each lane is exact and can be retried");
}

static void one_access(struct isa_env *env, uint32_t word, uint64_t va)
{
	ENV_CODE_OF(env, word, EXIT);
	env_group(env, 1);
	env_set_x(env, 0, A1, va);
	env_set_x(env, 0, A2, 0x1122334455667788);
}

static void test_crossing_faults(struct isa_env *env)
{
	uint64_t edge = ENV_DATA + 9 * PAGE;

	env->prot[edge / PAGE] = ENV_X;
	isa_tlb_flush(env->e);
	pattern(env);
	one_access(env, LD(A2, 0, A1), edge - 3);
	ok(faults(env, ISA_CAUSE_LOAD_PAGE, edge, 0), "a load fault of the second page names it");
	memset(env->mem + edge - 8, 3, 8);
	one_access(env, SD(A2, 0, A1), edge - 3);
	ok(faults(env, ISA_CAUSE_STORE_PAGE, edge, 0) &&
		   env_read64(env, edge - 8) == 0x0303030303030303,
	   "a store fault of the second page stores nothing");
	one_access(env, SD(A2, 0, A1), edge + PAGE - 5);
	ok(faults(env, ISA_CAUSE_STORE_PAGE, edge + PAGE - 5, 0),
	   "a store fault of the first page names the address");
	env->prot[edge / PAGE] = ENV_R | ENV_W;
	isa_tlb_flush(env->e);
}

static void test_fetch(struct isa_env *env)
{
	uint64_t edge = ENV_CODE + PAGE;
	uint32_t word = ADDI(A3, A3, 5);

	/* An instruction across the edge of a page that is not there. */
	for (unsigned int k = 0; k < PAGE; k += 4)
		memcpy(env->mem + ENV_CODE + k, &(uint32_t){ NOP }, 4);
	memcpy(env->mem + edge - 2, &word, 4);
	memcpy(env->mem + edge + 2, &(uint32_t){ EXIT }, 4);
	memcpy(env->mem + edge - 6, &(uint32_t){ ADDI(A4, A4, 1) }, 4);
	env->prot[edge / PAGE] = ENV_R | ENV_W;
	isa_tlb_flush(env->e);
	env_group(env, 20);
	for (unsigned int k = 0; k < 20; k++) {
		struct isa_hart h;

		isa_hart_get(env->g, k, &h);
		h.pc = edge - 6;
		isa_hart_set(env->g, k, &h);
	}
	ok(faults(env, ISA_CAUSE_FETCH_PAGE, edge, 0) && env->fault.pc == edge - 2 &&
		   env->retired == 16 && env_x(env, 0, A4) == 1 && !env->fault.insn,
	   "a fetch fault of the second half names its page, after what is before it");
	env->prot[edge / PAGE] = ENV_X;
	ok(env_run(env, FOREVER) == ISA_STOP_DONE && env_x(env, 19, A3) == 5 &&
		   env_x(env, 0, A4) == 1,
	   "and can be retried; execute permission is enough");
	env->prot[edge / PAGE] = ENV_R | ENV_W | ENV_X;
	ENV_CODE_OF(env, JALR(X0, A1, 0));
	env_group(env, 1);
	env_set_x(env, 0, A1, ISA_LOCAL_BASE);
	ok(faults(env, ISA_CAUSE_FETCH_ACCESS, ISA_LOCAL_BASE, 0), "no fetch from local memory");
	env_group(env, 1);
	env_set_x(env, 0, A1, ISA_VA_LIMIT);
	ok(faults(env, ISA_CAUSE_FETCH_ACCESS, ISA_VA_LIMIT, 0), "no fetch above the limit");
	env_group(env, 1);
	env_set_x(env, 0, A1, -(uint64_t)PAGE);
	ok(faults(env, ISA_CAUSE_FETCH_ACCESS, -(uint64_t)PAGE, 0) && env->retired == 1,
	   "no fetch from the last page");
	env_group(env, 1);
	env_set_x(env, 0, A1, ISA_VA_LIMIT - 4);
	ok(faults(env, ISA_CAUSE_FETCH_PAGE, ISA_VA_LIMIT - 4, 0), "a fetch page fault");
}

static void test_limits(struct isa_env *env)
{
	static const uint64_t outside[] = {
		ISA_VA_LIMIT,
		ISA_VA_LIMIT + 8,
		1ull << 63,
		ISA_LOCAL_BASE - 8,
		ISA_LOCAL_BASE + ENV_LOCAL,
		ISA_EXIT_ADDR,
		ISA_LOCAL_BASE - 1,
		~0ull - 7,
		~0ull - 3,
		~0ull,
		ISA_LOCAL_BASE + ENV_LOCAL - 7,
	};
	bool loads = true, stores = true, amos = true;

	for (unsigned int k = 0; k < sizeof(outside) / sizeof(outside[0]); k++) {
		uint64_t va = outside[k];

		one_access(env, LD(A2, 0, A1), va);
		loads &= faults(env, ISA_CAUSE_LOAD_ACCESS, va, 0);
		one_access(env, SD(A2, 0, A1), va);
		stores &= faults(env, ISA_CAUSE_STORE_ACCESS, va, 0);
		va &= ~7ull;
		if (va - ISA_LOCAL_BASE < ENV_LOCAL)
			continue;
		one_access(env, AMO(0, 3, A3, A2, A1), va);
		amos &= faults(env, ISA_CAUSE_STORE_ACCESS, va, 0);
	}
	ok(loads, "loads outside client memory and windows");
	ok(stores, "stores outside client memory and windows");
	ok(amos, "atomics outside client memory and windows");
	one_access(env, LD(A2, 0, A1), ISA_VA_LIMIT - 8);
	ok(faults(env, ISA_CAUSE_LOAD_PAGE, ISA_VA_LIMIT - 8, 0), "the last client address");
	one_access(env, LD(A2, 0, A1), ISA_VA_LIMIT - 4);
	ok(faults(env, ISA_CAUSE_LOAD_PAGE, ISA_VA_LIMIT - 4, 0), "an access across the limit");
}

static void test_local(struct isa_env *env)
{
	memset(env->local, 0, sizeof(env->local));
	memset(env->mem, 0, PAGE);
	one_access(env, SD(A2, 0, A1), ISA_LOCAL_BASE + 8);
	ok(env_run(env, 10) == ISA_STOP_DONE && env->local[8] == 0x88 && env->local[15] == 0x11,
	   "a store to local memory");
	one_access(env, LW(A2, 0, A1), ISA_LOCAL_BASE + 11);
	ok(env_run(env, 10) == ISA_STOP_DONE && env_x(env, 0, A2) == 0x22334455,
	   "a misaligned load from it");
	one_access(env, LD(A2, 0, A1), ISA_LOCAL_BASE + ENV_LOCAL - 8);
	ok(env_run(env, 10) == ISA_STOP_DONE && !env_x(env, 0, A2), "its last bytes");
	one_access(env, AMO(0, 3, A3, A2, A1), ISA_LOCAL_BASE + 8);
	ok(env_run(env, 10) == ISA_STOP_DONE && env_x(env, 0, A3) == 0x1122334455667788 &&
		   env->local[8] == 0x10,
	   "an atomic on it");
	one_access(env, LBU(A2, 0, A1), ISA_LOCAL_BASE);
	env->g->d.local_bytes = 0;
	ok(faults(env, ISA_CAUSE_LOAD_ACCESS, ISA_LOCAL_BASE, 0), "none is an access fault");
}

static void test_tlb(struct isa_env *env)
{
	uint32_t before;

	env->dirty_bits = true;
	isa_tlb_flush(env->e);
	memset(env->calls, 0, sizeof(env->calls));
	ENV_CODE_OF(env, LD(A2, 0, A0), LD(A2, 8, A0), SD(A2, 0, A0), SD(A2, 8, A0), LD(A2, 0, A0),
		    EXIT);
	env_group(env, 256);
	ok(env_run(env, FOREVER) == ISA_STOP_DONE && env->calls[ISA_LOAD] == 1 &&
		   env->calls[ISA_STORE] == 1,
	   "one translation for the first load, one for the first store");
	before = env->calls[ISA_FETCH];
	env_group(env, 256);
	env_run(env, FOREVER);
	ok(env->calls[ISA_LOAD] == 1 && env->calls[ISA_STORE] == 1 &&
		   env->calls[ISA_FETCH] == before,
	   "none after that");
	isa_tlb_flush(env->e);
	env_group(env, 256);
	env_run(env, FOREVER);
	ok(env->calls[ISA_LOAD] == 2 && env->calls[ISA_STORE] == 2 &&
		   env->calls[ISA_FETCH] > before,
	   "again after a flush, for code too");
	env->dirty_bits = false;
	env->nocache[ENV_DATA / PAGE] = true;
	isa_tlb_flush(env->e);
	memset(env->calls, 0, sizeof(env->calls));
	env_group(env, 40);
	ok(env_run(env, FOREVER) == ISA_STOP_DONE && env->calls[ISA_LOAD] == 120 &&
		   env->calls[ISA_STORE] == 80,
	   "an uncached page is translated for each access");
	env->nocache[ENV_DATA / PAGE] = false;
	isa_tlb_flush(env->e);
}

/* Pages whose TLB slots collide must not be mixed up. */
static void test_tlb_collisions(struct isa_env *env)
{
	bool good = true;

	for (unsigned int page = 64; page < ENV_PAGES; page++)
		env_write64(env, page * PAGE, page);
	ENV_CODE_OF(env, ADDI(A3, X0, 3), LD(A2, 0, A1), SD(A2, 8, A1), ADDI(A3, A3, -1),
		    BNE(A3, X0, -12), EXIT);
	for (unsigned int round = 0; round < 2; round++) {
		env_group(env, 192);
		for (unsigned int k = 0; k < 192; k++)
			env_set_x(env, k, A1, (64 + (k * 7 + round) % 192) * PAGE);
		good &= env_run(env, FOREVER) == ISA_STOP_DONE;
	}
	for (unsigned int page = 64; page < ENV_PAGES; page++)
		good &= env_read64(env, page * PAGE + 8) == page;
	ok(good, "many pages at once");
}

struct amo {
	const char *name;
	uint32_t f5;
	uint64_t (*ref)(uint64_t old, uint64_t arg, bool word);
};

static uint64_t widen(uint64_t v, bool word)
{
	return word ? (uint64_t)(int64_t)(int32_t)v : v;
}

static uint64_t flip(uint64_t v, bool word)
{
	return word ? (uint32_t)v ^ 1u << 31 : v ^ 1ull << 63;
}

static uint64_t plain(uint64_t v, bool word)
{
	return word ? (uint32_t)v : v;
}

#define AMO_REF(name, expr)                                        \
	static uint64_t amo_##name(uint64_t o, uint64_t a, bool w) \
	{                                                          \
		(void)o;                                           \
		(void)a;                                           \
		(void)w;                                           \
		return expr;                                       \
	}
AMO_REF(swap, a)
AMO_REF(add, o - (0 - a))
AMO_REF(xor, (o | a) & ~(o &a))
AMO_REF(and, ~(~o | ~a))
AMO_REF(or, ~(~o & ~a))
AMO_REF(min, flip(o, w) < flip(a, w) ? o : a)
AMO_REF(max, flip(o, w) > flip(a, w) ? o : a)
AMO_REF(minu, plain(o, w) < plain(a, w) ? o : a)
AMO_REF(maxu, plain(o, w) > plain(a, w) ? o : a)

static const struct amo amos[] = {
	{ "amoswap", 1, amo_swap }, { "amoadd", 0, amo_add },	 { "amoxor", 4, amo_xor },
	{ "amoand", 12, amo_and },  { "amoor", 8, amo_or },	 { "amomin", 16, amo_min },
	{ "amomax", 20, amo_max },  { "amominu", 24, amo_minu }, { "amomaxu", 28, amo_maxu },
};

/* 18 harts one after the other on the same word: lowest first. */
static bool check_amo(struct isa_env *env, const struct amo *amo, bool word)
{
	static const uint64_t args[] = {
		0, 1, ~0ull, 1ull << 31, 1ull << 63, 0x7fffffff, 0x123456789abcdef0, 0x80000001, 5
	};
	uint64_t value = 0x4444444466666666;
	uint64_t old;

	ENV_CODE_OF(env, AMO(amo->f5, word ? 2 : 3, A2, A1, A0), EXIT);
	env_group(env, 18);
	env_write64(env, ENV_DATA, value);
	for (unsigned int k = 0; k < 18; k++)
		env_set_x(env, k, A1, args[k % 9]);
	if (env_run(env, FOREVER) != ISA_STOP_DONE)
		return false;
	for (unsigned int k = 0; k < 18; k++) {
		old = value;
		value = amo->ref(old, args[k % 9], word);
		if (word)
			value = (old & ~0xffffffffull) | (uint32_t)value;
		if (env_x(env, k, A2) != widen(old, word))
			return false;
	}
	return env_read64(env, ENV_DATA) == value;
}

static void test_atomics(struct isa_env *env)
{
	for (unsigned int k = 0; k < sizeof(amos) / sizeof(amos[0]); k++) {
		ok(check_amo(env, &amos[k], true), "%s.w", amos[k].name);
		ok(check_amo(env, &amos[k], false), "%s.d", amos[k].name);
	}
	one_access(env, AMO(0, 3, A2, A2, A1), ENV_DATA + 4);
	ok(faults(env, ISA_CAUSE_STORE_MISALIGNED, ENV_DATA + 4, 0), "a misaligned AMO faults");
	one_access(env, AMO(0, 2, A2, A2, A1), ENV_DATA + 4);
	ok(env_run(env, 10) == ISA_STOP_DONE, "a word at 4 is aligned");
	one_access(env, AMO(0, 2, A2, A2, A1), ISA_LOCAL_BASE + 2);
	ok(faults(env, ISA_CAUSE_STORE_MISALIGNED, ISA_LOCAL_BASE + 2, 0),
	   "in local memory as well");
	env->prot[ENV_DATA / PAGE] = ENV_R;
	isa_tlb_flush(env->e);
	one_access(env, AMO(0, 2, A2, A2, A1), ENV_DATA);
	ok(faults(env, ISA_CAUSE_STORE_PAGE, ENV_DATA, 0), "an AMO needs write permission");
	env->prot[ENV_DATA / PAGE] = ENV_R | ENV_W;
}

static bool sc_result(struct isa_env *env, uint64_t sc_va, uint32_t lr_size, uint32_t sc_size)
{
	ENV_CODE_OF(env, LR(lr_size, A2, A0), SC(sc_size, A3, A4, A1), EXIT);
	env_group(env, 1);
	env_set_x(env, 0, A1, sc_va);
	env_set_x(env, 0, A4, 42);
	env_write64(env, ENV_DATA, 0xfffffffe);
	return env_run(env, 10) == ISA_STOP_DONE && !env_x(env, 0, A3);
}

static void test_reservations(struct isa_env *env)
{
	ok(sc_result(env, ENV_DATA, 2, 2) && env_read64(env, ENV_DATA) == 42 &&
		   env_x(env, 0, A2) == ~1ull,
	   "lr.w and sc.w");
	ok(sc_result(env, ENV_DATA, 3, 3) && env_x(env, 0, A2) == 0xfffffffe, "lr.d and sc.d");
	ok(!sc_result(env, ENV_DATA + 8, 3, 3) && env_read64(env, ENV_DATA) == 0xfffffffe,
	   "sc elsewhere fails");
	ok(!sc_result(env, ENV_DATA, 3, 2) && !sc_result(env, ENV_DATA, 2, 3),
	   "sc of another size fails");
	ENV_CODE_OF(env, LR(3, A2, A0), SC(3, A3, A4, A0), SC(3, A5, A4, A0), EXIT);
	env_group(env, 1);
	ok(env_run(env, 10) == ISA_STOP_DONE && !env_x(env, 0, A3) && env_x(env, 0, A5) == 1,
	   "a reservation serves once");
	/* All harts add one in a loop of lr and sc. */
	ENV_CODE_OF(env, LR(3, A2, A0), ADDI(A2, A2, 1), SC(3, A3, A2, A0), BNE(A3, X0, -12), EXIT);
	env_group(env, 200);
	env_write64(env, ENV_DATA, 0);
	ok(env_run(env, 10000000) == ISA_STOP_DONE && env_read64(env, ENV_DATA) == 200,
	   "200 harts count with lr and sc");
	one_access(env, LR(3, A2, A1), ENV_DATA + 4);
	ok(faults(env, ISA_CAUSE_LOAD_MISALIGNED, ENV_DATA + 4, 0), "a misaligned lr faults");
	one_access(env, SC(2, A2, A2, A1), ENV_DATA + 2);
	ok(faults(env, ISA_CAUSE_STORE_MISALIGNED, ENV_DATA + 2, 0), "a misaligned sc faults");
	/* Moving a hart drops it. */
	ENV_CODE_OF(env, LR(3, A2, A0), SC(3, A3, A2, A0), EXIT);
	env_group(env, 1);
	env_run(env, 1);
	env_set_x(env, 0, A4, 1);
	ok(env_run(env, 10) == ISA_STOP_DONE && env_x(env, 0, A3) == 1,
	   "setting a hart drops its reservation");
}

int main(void)
{
	struct isa_env *env = env_new();

	test_loads(env);
	test_stores(env);
	test_fp_memory(env);
	test_fault_lanes(env);
	test_crossing_faults(env);
	test_fetch(env);
	test_limits(env);
	test_local(env);
	test_tlb(env);
	test_tlb_collisions(env);
	test_atomics(env);
	test_reservations(env);
	env_free(env);
	return done();
}
