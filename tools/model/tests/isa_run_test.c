// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: what a kernel sees: start state, id CSRs, barriers, exits, control
 * transfer, forward progress, budgets, self-modifying code, system
 * instructions and counters.
 */
#include <errno.h>
#include <string.h>

#include "tap.h"
#include "isa_env.h"
#include "rv.h"

#define FOREVER (1ull << 40)

static void test_start(struct isa_env *env)
{
	bool zero = true;
	struct isa_hart h;

	env_group(env, 256);
	isa_hart_get(env->g, 255, &h);
	for (unsigned int r = 0; r < 32; r++)
		zero &= !h.f[r] && (r == RA || r == SP || r == A0 || !h.x[r]);
	ok(h.pc == ENV_CODE && h.x[RA] == ISA_EXIT_ADDR && h.x[A0] == ENV_DATA && !h.fcsr && zero,
	   "pc, ra, a0 at the start, all else zero");
	ok(h.x[SP] == ENV_PRIVATE + 256 * 1024, "sp is the top of the private memory");
	env->g->d.private_bytes = 1000;
	ok(!isa_group_init(env->g,
			   &(struct isa_dispatch){ .private_bytes = 1001,
						   .group_size = { 1, 1, 1 } },
			   NULL) &&
		   env_x(env, 0, SP) == 992,
	   "sp is aligned to 16 bytes");
	ok(isa_group_init(env->g, &(struct isa_dispatch){ .group_size = { 257, 1, 1 } }, NULL) ==
			   -EINVAL &&
		   isa_group_init(env->g, &(struct isa_dispatch){ .group_size = { 16, 16, 2 } },
				  NULL) == -EINVAL &&
		   isa_group_init(env->g, &(struct isa_dispatch){ .group_size = { 1, 0, 1 } },
				  NULL) == -EINVAL &&
		   isa_group_init(env->g,
				  &(struct isa_dispatch){ .group_size = { 65536, 65536, 65536 } },
				  NULL) == -EINVAL &&
		   isa_group_init(env->g,
				  &(struct isa_dispatch){ .group_size = { 1, 1, 1 },
							  .local_bytes = 65537 },
				  NULL) == -EINVAL,
	   "sizes out of range are refused");
}

static const struct isa_dispatch grid = {
	.entry = ENV_CODE,
	.kernarg = 0x123456789,
	.private_base = ENV_PRIVATE,
	.private_stride = 64,
	.private_bytes = 32,
	.local_bytes = 512,
	.group_id = { 7, 8, 9 },
	.group_size = { 3, 4, 5 },
	.enqueued_size = { 13, 14, 15 },
	.grid_size = { 100, 0xffffffff, 102 },
	.num_groups = { 20, 21, 22 },
	.global_base = { 1000, 0xffffffff, 3000 },
};

static uint64_t read_csr(struct isa_env *env, uint32_t csr, unsigned int hart)
{
	ENV_CODE_OF(env, CSRRS(A0, csr, X0), EXIT);
	if (isa_group_init(env->g, &grid, env->local) || env_run(env, FOREVER) != ISA_STOP_DONE)
		return 0xdeadbeef;
	return env_x(env, hart, A0);
}

static void test_id_csrs(struct isa_env *env)
{
	/* Of hart 59, the last, and of hart 31 = (1, 2, 2). */
	static const struct {
		uint32_t csr;
		uint64_t last, middle;
	} csrs[] = {
		{ 0xcc0, 2, 1 },
		{ 0xcc1, 3, 2 },
		{ 0xcc2, 4, 2 },
		{ 0xcc3, 7, 7 },
		{ 0xcc4, 8, 8 },
		{ 0xcc5, 9, 9 },
		{ 0xcc6, 3, 3 },
		{ 0xcc7, 4, 4 },
		{ 0xcc8, 5, 5 },
		{ 0xcc9, 13, 13 },
		{ 0xcca, 14, 14 },
		{ 0xccb, 15, 15 },
		{ 0xccc, 100, 100 },
		{ 0xccd, 0xffffffff, 0xffffffff },
		{ 0xcce, 102, 102 },
		{ 0xccf, 0x123456789, 0x123456789 },
		{ 0xcd0, 512, 512 },
		{ 0xcd1, 59, 31 },
		{ 0xcd2, 32, 32 },
		{ 0xcd3, 1002, 1001 },
		{ 0xcd4, 0x100000002, 0x100000001 },
		{ 0xcd5, 3004, 3002 },
		{ 0xcd6, 20, 20 },
		{ 0xcd7, 21, 21 },
		{ 0xcd8, 22, 22 },
	};

	for (unsigned int k = 0; k < sizeof(csrs) / sizeof(csrs[0]); k++)
		ok(read_csr(env, csrs[k].csr, 59) == csrs[k].last &&
			   read_csr(env, csrs[k].csr, 31) == csrs[k].middle,
		   "CSR %#x", csrs[k].csr);
}

static bool illegal(struct isa_env *env, uint32_t word)
{
	ENV_CODE_OF(env, NOP, word, EXIT);
	env_group(env, 3);
	return env_run(env, FOREVER) == ISA_STOP_FAULT && env->fault.cause == ISA_CAUSE_ILLEGAL &&
	       env->fault.pc == ENV_CODE + 4 && env->fault.insn == word && env->fault.va == word &&
	       env->fault.hart == 0 && env->retired == 3 && env_pc(env, 0) == ENV_CODE + 4;
}

static void test_csr_access(struct isa_env *env)
{
	ok(illegal(env, CSRRS(A0, 0xcbf, X0)) && illegal(env, CSRRS(A0, 0xcd9, X0)) &&
		   illegal(env, CSRRS(A0, 0x000, X0)) && illegal(env, CSRRS(A0, 0x004, X0)) &&
		   illegal(env, CSRRS(A0, 0xc03, X0)) && illegal(env, CSRRS(A0, 0x300, X0)) &&
		   illegal(env, CSRRS(A0, 0x100, X0)) && illegal(env, CSRRS(A0, 0xfff, X0)),
	   "unknown CSRs are illegal");
	ok(illegal(env, CSRRW(X0, 0xcc0, X0)) && illegal(env, CSRRS(A0, 0xcc0, A1)) &&
		   illegal(env, CSRRC(A0, 0xc00, A1)) && illegal(env, CSRRWI(X0, 0xc01, 0)) &&
		   illegal(env, CSRRSI(A0, 0xc02, 1)) && illegal(env, CSRRCI(A0, 0xcd8, 31)),
	   "writes to read-only CSRs are illegal");
	ENV_CODE_OF(env, CSRRSI(A0, 0xcd1, 0), CSRRCI(A1, 0xcd1, 0), CSRRC(A2, 0xcd1, X0), EXIT);
	env_group(env, 9);
	ok(env_run(env, FOREVER) == ISA_STOP_DONE && env_x(env, 8, A0) == 8 &&
		   env_x(env, 8, A1) == 8 && env_x(env, 8, A2) == 8,
	   "set and clear of nothing only read");
}

static void test_fcsr(struct isa_env *env)
{
	struct isa_hart h;

	ENV_CODE_OF(env, ADDI(A1, X0, -1), CSRRW(A0, 0x003, A1), CSRRS(A2, 0x003, X0),
		    CSRRS(A3, 0x001, X0), CSRRS(A4, 0x002, X0), CSRRCI(A5, 0x001, 0x0a),
		    CSRRWI(A6, 0x002, 3), CSRRSI(A7, 0x001, 2), EXIT);
	env_group(env, 17);
	ok(env_run(env, FOREVER) == ISA_STOP_DONE, "fcsr program ends");
	isa_hart_get(env->g, 16, &h);
	ok(!h.x[A0] && h.x[A2] == 0xff && h.x[A3] == 0x1f && h.x[A4] == 7,
	   "fcsr holds frm and fflags and nothing else");
	ok(h.x[A5] == 0x1f && h.x[A6] == 7 && h.x[A7] == 0x15 && h.fcsr == 0x77,
	   "fflags and frm are windows on fcsr");
}

static void test_counter_csrs(struct isa_env *env)
{
	ENV_CODE_OF(env, NOP, CSRRS(A0, 0xc00, X0), CSRRS(A1, 0xc02, X0), CSRRS(A2, 0xc01, X0),
		    CSRRS(A3, 0xc00, X0), EXIT);
	env_group(env, 4);
	env->g->cycle = 1000;
	env->g->time = 77;
	ok(env_run(env, FOREVER) == ISA_STOP_DONE, "counter program ends");
	ok(env_x(env, 0, A0) == 1004 && env_x(env, 3, A0) == 1007, "cycle counts as harts retire");
	ok(env_x(env, 0, A1) == 8 && env_x(env, 2, A1) == 10, "instret counts from zero");
	ok(env_x(env, 1, A2) == 77, "time is the owner's");
	ok(env_x(env, 3, A3) == 1019 && env->g->cycle == 1024 && env->g->instret == 24,
	   "the counters grow with the run");
}

/* Each hart stores its id to local memory, reads its neighbour's behind it. */
static void test_barrier(struct isa_env *env)
{
	bool good = true;

	ENV_CODE_OF(env, CSRRS(A1, 0xcd1, X0), LUI(A2, 0xffff0), SLLI(A3, A1, 3), ADD(A2, A2, A3),
		    /* Harts wait here for different times. */
		    ADDI(A4, A1, 1), ADDI(A4, A4, -1), BNE(A4, X0, -4), SD(A1, 0, A2), BARRIER,
		    LD(A5, 8, A2), BARRIER, ADDI(A5, A5, 1), EXIT);
	env_group(env, 100);
	memset(env->local, 0, sizeof(env->local));
	ok(env_run(env, FOREVER) == ISA_STOP_DONE, "barriers with divergence end");
	for (unsigned int n = 0; n < 100; n++)
		good &= env_x(env, n, A5) == (n == 99 ? 1 : n + 2);
	ok(good, "all stores before the barrier are seen behind it");
}

static void test_barrier_and_exit(struct isa_env *env)
{
	struct isa_hart h;

	/* Odd harts leave, hart 0 loops, the others wait. */
	ENV_CODE_OF(env, CSRRS(A1, 0xcd1, X0), ANDI(A2, A1, 1), BEQ(A2, X0, 8), EXIT,
		    BNE(A1, X0, 12), ADDI(A3, A3, 1), BLT(A3, A4, -4), BARRIER, ADDI(A5, X0, 9),
		    RET);
	env_group(env, 40);
	env_set_x(env, 0, A4, 30000);
	ok(env_run(env, 20000) == ISA_STOP_BUDGET, "one hart keeps the others at the barrier");
	isa_hart_get(env->g, 38, &h);
	ok(h.state == ISA_HART_AT_BARRIER && h.pc == ENV_CODE + 32, "a hart at a barrier");
	isa_hart_get(env->g, 39, &h);
	ok(h.state == ISA_HART_DONE, "a hart that left");
	isa_hart_get(env->g, 0, &h);
	ok(h.state == ISA_HART_RUNNING && h.x[A3], "a running hart");
	ok(env_run(env, FOREVER) == ISA_STOP_DONE && env_x(env, 38, A5) == 9 &&
		   env_x(env, 0, A5) == 9 && !env_x(env, 1, A5),
	   "the barrier opens when all that are not done are there");
	isa_hart_get(env->g, 38, &h);
	ok(h.state == ISA_HART_DONE && h.pc == ISA_EXIT_ADDR, "ret ends the hart");
	ok(env_run(env, 5) == ISA_STOP_DONE && !env->retired, "a done group stays done");
}

static void test_exit_ways(struct isa_env *env)
{
	ENV_CODE_OF(env, RET);
	env_group(env, 33);
	ok(env_run(env, 33) == ISA_STOP_DONE && env->retired == 33,
	   "done wins over an exhausted budget");
	ENV_CODE_OF(env, ADDI(RA, RA, 1), RET);
	env_group(env, 2);
	ok(env_run(env, 100) == ISA_STOP_DONE, "jumps ignore bit 0 of the address");
	ENV_CODE_OF(env, ADDI(RA, RA, 2), RET);
	env_group(env, 2);
	ok(env_run(env, 100) == ISA_STOP_FAULT && env->fault.cause == ISA_CAUSE_FETCH_ACCESS &&
		   env->fault.va == ISA_EXIT_ADDR + 2 && env->fault.pc == ISA_EXIT_ADDR + 2,
	   "next to the exit address is an access fault");
	ENV_CODE_OF(env, EXIT);
	env_group(env, 1);
	ok(env_run(env, 0) == ISA_STOP_BUDGET && !env->retired, "a budget of zero does nothing");
	ok(env_run(env, 1) == ISA_STOP_DONE && env->retired == 1, "exit is an instruction");
}

static void test_jumps(struct isa_env *env)
{
	ENV_CODE_OF(env, JAL(T0, 12), ADDI(A1, A1, 1), EXIT, ADDI(A2, X0, 5), JALR(T0, T0, 0),
		    EXIT);
	env_group(env, 18);
	ok(env_run(env, FOREVER) == ISA_STOP_DONE && env_x(env, 17, A2) == 5 &&
		   env_x(env, 17, A1) == 1 && env_x(env, 17, T0) == ENV_CODE + 20,
	   "jal and jalr link, also when the link register holds the target");
	/* Each hart jumps to its own place. */
	ENV_CODE_OF(env, CSRRS(A1, 0xcd1, X0), ANDI(A1, A1, 3), SLLI(A1, A1, 3), AUIPC(A2, 0),
		    ADD(A2, A2, A1), JALR(X0, A2, 12), ADDI(A3, X0, 10), EXIT, ADDI(A3, X0, 11),
		    EXIT, ADDI(A3, X0, 12), EXIT, ADDI(A3, X0, 13), EXIT);
	env_group(env, 64);
	ok(env_run(env, FOREVER) == ISA_STOP_DONE && env_x(env, 0, A3) == 10 &&
		   env_x(env, 5, A3) == 11 && env_x(env, 18, A3) == 12 &&
		   env_x(env, 63, A3) == 13 && env->retired == 64 * 8,
	   "indirect jumps to different targets");
}

static void test_branches(struct isa_env *env)
{
	static const uint64_t v[] = { 0, 1, ~0ull, 1ull << 63, (1ull << 63) - 1 };

	for (uint32_t f3 = 0; f3 < 8; f3++) {
		bool good = true;

		if (f3 == 2 || f3 == 3) {
			ok(illegal(env, rv_b(f3, A1, A2, 8)), "branch funct3 %u is illegal", f3);
			continue;
		}
		ENV_CODE_OF(env, rv_b(f3, A1, A2, 8), EXIT, ADDI(A3, X0, 1), EXIT);
		env_group(env, 25);
		for (unsigned int k = 0; k < 25; k++) {
			env_set_x(env, k, A1, v[k / 5]);
			env_set_x(env, k, A2, v[k % 5]);
		}
		good &= env_run(env, FOREVER) == ISA_STOP_DONE;
		for (unsigned int k = 0; k < 25; k++) {
			uint64_t a = v[k / 5], b = v[k % 5], flip = 1ull << 63;
			bool want = f3 < 2 ? a == b : f3 < 6 ? (a ^ flip) < (b ^ flip) : a < b;

			good &= env_x(env, k, A3) == (want != (f3 & 1));
		}
		ok(good, "branch funct3 %u", f3);
	}
}

/* A lock that all harts take, inside and across waves. */
static void test_lock(struct isa_env *env, uint32_t wait, const char *name)
{
	ENV_CODE_OF(env, ADDI(A1, X0, 1),
		    /* a0: lock, a0 + 8: counter, not atomic */
		    AMO(1, 2, A2, A1, A0), BEQ(A2, X0, 12), wait, JAL(X0, -12), LD(A3, 8, A0),
		    ADDI(A3, A3, 1), SD(A3, 8, A0), AMO(1, 2, X0, X0, A0), EXIT);
	env_group(env, 100);
	memset(env->mem + ENV_DATA, 0, 16);
	ok(env_run(env, 50000000) == ISA_STOP_DONE && env_read64(env, ENV_DATA + 8) == 100, "%s",
	   name);
}

/* Hart 0 waits in a loop for the last hart, which waits for hart 0. */
static void test_progress(struct isa_env *env)
{
	test_lock(env, NOP, "a spin lock among all harts of a group");
	test_lock(env, PAUSE, "a spin lock with pause");
	for (unsigned int n = 2; n <= 256; n *= 2) {
		ENV_CODE_OF(env, CSRRS(A1, 0xcd1, X0), ADDI(A2, X0, 1), BEQ(A1, X0, 20),
			    /* others: wait for hart 0's word, then count */
			    LD(A3, 0, A0), BEQ(A3, X0, -4), AMO(0, 3, X0, A2, A4), EXIT,
			    /* hart 0: set the word, wait for all others */
			    SD(A2, 0, A0), ADDI(A5, A6, 0), LD(A3, 8, A0), BNE(A3, A5, -4), EXIT);
		env_group(env, n);
		for (unsigned int k = 0; k < n; k++) {
			env_set_x(env, k, A4, ENV_DATA + 8);
			env_set_x(env, k, A6, n - 1);
		}
		memset(env->mem + ENV_DATA, 0, 16);
		ok(env_run(env, 50000000) == ISA_STOP_DONE, "%u harts wait for each other", n);
	}
}

static void test_endless(struct isa_env *env)
{
	ENV_CODE_OF(env, JAL(X0, 0));
	env_group(env, 256);
	ok(env_run(env, 1000001) == ISA_STOP_BUDGET && env->retired == 1000001,
	   "an endless loop stops at the budget");
	ENV_CODE_OF(env, BEQ(X0, X0, 0));
	env_group(env, 5);
	ok(env_run(env, 777) == ISA_STOP_BUDGET && env->retired == 777 &&
		   env_run(env, 1) == ISA_STOP_BUDGET && env->retired == 1,
	   "a branch to itself too");
	/* All of memory is zero or nop: runs into unmapped space. */
	ENV_CODE_OF(env, BARRIER, JAL(X0, -4));
	env_group(env, 256);
	ok(env_run(env, 100000) == ISA_STOP_BUDGET && env->retired == 100000,
	   "endless barriers stop at the budget");
}

static void test_self_modifying(struct isa_env *env)
{
	/* Replaces the addi at +24 by one that adds 100, twice through it. */
	ENV_CODE_OF(env, AUIPC(A1, 0), LW(A2, 40, A1), ADDI(A4, X0, 2), JAL(X0, 12), SW(A2, 24, A1),
		    FENCE_I, ADDI(A3, A3, 1), ADDI(A4, A4, -1), BNE(A4, X0, -16), EXIT,
		    ADDI(A3, A3, 100));
	env_group(env, 16);
	ok(env_run(env, FOREVER) == ISA_STOP_DONE && env_x(env, 0, A3) == 101 &&
		   env_x(env, 15, A3) == 101,
	   "code written before fence.i is executed");
	ENV_CODE_OF(env, AUIPC(A1, 0), LW(A2, 40, A1), ADDI(A4, X0, 2), JAL(X0, 12), SW(A2, 24, A1),
		    NOP, ADDI(A3, A3, 1), ADDI(A4, A4, -1), BNE(A4, X0, -16), EXIT,
		    ADDI(A3, A3, 100));
	env_group(env, 20);
	ok(env_run(env, FOREVER) == ISA_STOP_DONE &&
		   (env_x(env, 0, A3) == 101 || env_x(env, 0, A3) == 2),
	   "without it either version is");
	ENV_CODE_OF(env, ADDI(A3, X0, 1), EXIT);
	env_group(env, 1);
	env_run(env, FOREVER);
	((uint32_t *)(env->mem + ENV_CODE))[0] = ADDI(A3, X0, 2);
	isa_code_flush(env->e);
	env_group(env, 1);
	env_run(env, FOREVER);
	ok(env_x(env, 0, A3) == 2, "isa_code_flush() makes the engine read code again");
}

/* Blocks and instructions beyond what the engine can keep, three times. */
static void test_much_code(struct isa_env *env)
{
	enum { WORDS = 40000 };
	uint32_t *code = (uint32_t *)(env->mem + ENV_CODE);

	for (unsigned int k = 0; k < WORDS; k++)
		code[k] = k % 4 == 3 && k < WORDS / 2 ? JAL(X0, 4) : ADDI(A1, A1, 1);
	code[WORDS] = ADDI(A2, A2, -1);
	code[WORDS + 1] = BEQ(A2, X0, 8);
	code[WORDS + 2] = JALR(X0, A3, 0);
	code[WORDS + 3] = EXIT;
	isa_code_flush(env->e);
	env_group(env, 19);
	for (unsigned int k = 0; k < 19; k++) {
		env_set_x(env, k, A2, 3);
		env_set_x(env, k, A3, ENV_CODE);
	}
	ok(env_run(env, FOREVER) == ISA_STOP_DONE && env_x(env, 0, A1) == 3 * (WORDS - WORDS / 8) &&
		   env_x(env, 18, A1) == 3 * (WORDS - WORDS / 8),
	   "more code than the engine keeps");
}

static void test_system(struct isa_env *env)
{
	ENV_CODE_OF(env, NOP, ECALL);
	env_group(env, 2);
	ok(env_run(env, 100) == ISA_STOP_FAULT && env->fault.cause == ISA_CAUSE_ECALL &&
		   env->fault.pc == ENV_CODE + 4,
	   "ecall");
	ENV_CODE_OF(env, NOP, EBREAK);
	env_group(env, 2);
	ok(env_run(env, 100) == ISA_STOP_FAULT && env->fault.cause == ISA_CAUSE_BREAKPOINT &&
		   env->fault.va == ENV_CODE + 4,
	   "ebreak");
	ok(illegal(env, 0x30200073) && illegal(env, 0x10500073) && illegal(env, 0x12000073),
	   "privileged instructions are illegal");
	ENV_CODE_OF(env, FENCE, 0x8330000f, PAUSE, 0x0000000f, ADDI(A1, X0, 1), EXIT);
	env_group(env, 16);
	ok(env_run(env, 1000) == ISA_STOP_DONE && env_x(env, 15, A1) == 1 && env->retired == 96,
	   "fences of all kinds and pause");
	ok(illegal(env, BARRIER | A0 << 7) && illegal(env, BARRIER | A0 << 15) &&
		   illegal(env, BARRIER | A0 << 20) && illegal(env, EXIT | 1u << 25) &&
		   illegal(env, EXIT | A0 << 7) && illegal(env, 0x0000200b) &&
		   illegal(env, 0x0000700b),
	   "custom-0 with anything else is illegal");
	ok(illegal(env, 0x0000502b) && illegal(env, 0x0000702b),
	   "custom-1 with anything but units is illegal");
	ok(illegal(env, 0x0000005b) && illegal(env, 0x0000007b) && illegal(env, 0x00000057) &&
		   illegal(env, 0xffffffff) && illegal(env, 0x0000006b),
	   "unused major opcodes are illegal");
}

static void test_harts(struct isa_env *env)
{
	struct isa_hart h = { .state = 3 };

	env_group(env, 20);
	ok(isa_hart_set(env->g, 0, &h) == -EINVAL && isa_hart_set(env->g, 20, &h) == -EINVAL &&
		   isa_hart_get(env->g, 20, &h) == -EINVAL,
	   "hart states and numbers are checked");
	isa_hart_get(env->g, 19, &h);
	h.x[0] = 5;
	h.pc = ENV_CODE + 1;
	ok(!isa_hart_set(env->g, 19, &h) && !env_x(env, 19, 0), "x0 cannot be set");
	ENV_CODE_OF(env, EXIT);
	ok(env_run(env, 100) == ISA_STOP_FAULT && env->fault.cause == ISA_CAUSE_FETCH_MISALIGNED &&
		   env->fault.hart == 19 && env->fault.va == ENV_CODE + 1,
	   "an odd pc is a misaligned fetch");
	env_group(env, 20);
	memset(&env->g->sched, 0xff, sizeof(env->g->sched));
	ok(env_run(env, 100) == ISA_STOP_DONE && env->retired == 20,
	   "any contents of the scheduling state are safe");
	env_group(env, 20);
	memset(&env->g->sched, 0, sizeof(env->g->sched));
	ok(env_run(env, 100) == ISA_STOP_DONE && env->retired == 20, "zero scheduling state works");
}

static void test_counters(struct isa_env *env)
{
	struct isa_counters *sum = isa_engine_counters(env->e);

	/* fmadd.s, fadd.d, lw, ld, sb, amoadd.d */
	ENV_CODE_OF(env, 0x00000043, 0x02000053, LW(A1, 0, A0), LD(A1, 0, A0), SB(A1, 0, A0),
		    AMO(0, 3, A1, A2, A0), EXIT);
	*sum = (struct isa_counters){ 0 };
	env_group(env, 21);
	env_run(env, FOREVER);
	ok(sum->instructions == 21 * 7 && sum->flops == 21 * 3 && sum->load_bytes == 21 * 20 &&
		   sum->store_bytes == 21 * 9,
	   "instructions, flops and bytes are counted");
}

int main(void)
{
	struct isa_env *env = env_new();

	test_start(env);
	test_id_csrs(env);
	test_csr_access(env);
	test_fcsr(env);
	test_counter_csrs(env);
	test_barrier(env);
	test_barrier_and_exit(env);
	test_exit_ways(env);
	test_jumps(env);
	test_branches(env);
	test_progress(env);
	test_endless(env);
	test_self_modifying(env);
	test_much_code(env);
	test_system(env);
	test_harts(env);
	test_counters(env);
	env_free(env);
	return done();
}
