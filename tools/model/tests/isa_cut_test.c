// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: a run may be cut anywhere
 *
 * Random programs with branches, loops, barriers, floating point, atomics on
 * shared words, units and reads of the cycle counter run undisturbed once, then in
 * pieces: with each of many budgets, with the group moved to a new engine
 * between pieces, with faults in between. All registers, all memory and all
 * counters must come out the same.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "isa_env.h"
#include "program.h"
#include "rv.h"
#include "unit_ref.h"

#define INNER 20 /* loops of that */
#define SHARED (ENV_DATA + 0x20000u)
#define HARTS 37u /* two full waves and a partial one */
/* For units: a target of 8x8 pixels per hart, the rest is common to all. */
#define COLORS (ENV_DATA + 0x21000u)
#define DEPTHS (ENV_DATA + 0x24000u)
#define TEXELS (ENV_DATA + 0x27000u)
#define TARGETS (ENV_DATA + 0x2b000u)
#define RECORD (ENV_DATA + 0x2d000u)
#define TEXTURE (ENV_DATA + 0x2e000u)

/*
 * Two nested loops around the random part: the inner one (s2) outlasts a turn
 * of the scheduler, the outer one (t0) is longer for some harts than others.
 */
static void random_program(struct program *p)
{
	p->n = 0;
	program_emit(p, CSRRS(A1, 0xcd1, X0));
	program_emit(p, SLLI(S0, A1, 8));
	program_emit(p, ADD(S0, S0, A0));
	program_emit(p, LUI(S1, SHARED >> 12));
	program_emit(p, ANDI(T0, A1, 3));
	program_emit(p, ADDI(T0, T0, 1));
	program_emit(p, LUI(PROGRAM_S3, TEXTURE >> 12));
	program_emit(p, LUI(PROGRAM_S4, TARGETS >> 12));
	program_emit(p, SLLI(T1, A1, 6));
	program_emit(p, ADD(PROGRAM_S4, PROGRAM_S4, T1));
	program_emit(p, LUI(PROGRAM_S5, RECORD >> 12));
	/* All of a block at 1, 2 */
	program_emit(p, ADDI(PROGRAM_S6, X0, -1));
	program_emit(p, SRLI(PROGRAM_S6, PROGRAM_S6, 48));
	program_emit(p, SLLI(PROGRAM_S6, PROGRAM_S6, 15));
	program_emit(p, ADDI(PROGRAM_S6, PROGRAM_S6, 1));
	program_emit(p, SLLI(PROGRAM_S6, PROGRAM_S6, 17));
	program_emit(p, ADDI(PROGRAM_S6, PROGRAM_S6, 1));
	program_emit(p, CSRRWI(X0, 0x002, program_pick(4) ? 0 : program_pick(5)));
	program_emit(p, ADDI(PROGRAM_S2, X0, INNER));
	program_body(p);
	program_emit(p, ADDI(PROGRAM_S2, PROGRAM_S2, -1));
	program_emit(p, BNE(PROGRAM_S2, X0, -4 * (int32_t)(PROGRAM_BODY + 1)));
	program_emit(p, BARRIER);
	program_emit(p, ADDI(T0, T0, -1));
	program_emit(p, BNE(T0, X0, -4 * (int32_t)(PROGRAM_BODY + 5)));
	program_emit(p, program_pick(2) ? RET : EXIT);
}

static void unit_memory(uint8_t *mem)
{
	struct ref_texture texture = {
		.address = TEXELS,
		.format = (uint8_t)(1 + program_pick(5)),
		.filter = (uint8_t)program_pick(2),
		.wrap = { (uint8_t)program_pick(3), (uint8_t)program_pick(3) },
		.size = { 30, 40 },
		.levels = 5,
		.pitch = 240,
	};

	memcpy(mem + TEXTURE, &texture, sizeof(texture));
	for (unsigned int n = 0; n < HARTS; n++) {
		struct ref_target target = {
			.color = COLORS + 256 * n,
			.depth = DEPTHS + 256 * n,
			.width = 8,
			.height = 8,
			.color_pitch = 32,
			.depth_pitch = 32,
			.format = (uint8_t)(1 + program_pick(2)),
			.func = (uint8_t)program_pick(8),
			.write = (uint8_t)program_pick(32),
			.src = (uint8_t)program_pick(10),
			.dst = (uint8_t)program_pick(10),
		};

		memcpy(mem + TARGETS + 64 * n, &target, sizeof(target));
	}
}

static void random_memory(uint8_t *mem)
{
	for (unsigned int k = 0; k < 0x30000; k += 8) {
		uint64_t v = env_random();

		memcpy(mem + ENV_DATA + k, &v, 8);
	}
	unit_memory(mem);
}

struct outcome {
	uint8_t *mem;
	struct isa_group *g;
	struct isa_counters sum;
};

static void start(struct isa_env *env, const struct program *p, const uint8_t *mem)
{
	memcpy(env->mem, mem, ENV_SIZE);
	env_code(env, p->words, p->n);
	env_group(env, HARTS);
	*isa_engine_counters(env->e) = (struct isa_counters){ 0 };
}

static bool same(const struct isa_env *env, const struct outcome *ref)
{
	return !memcmp(env->mem, ref->mem, ENV_SIZE) && env_same_group(env->g, ref->g) &&
	       !memcmp(isa_engine_counters(env->e), &ref->sum, sizeof(ref->sum));
}

/* @budget 0: a random one each time. Checks that each stop is exact. */
static bool run_cut(struct isa_env *env, uint64_t budget)
{
	enum isa_stop stop;
	uint64_t b;

	do {
		b = budget ? budget : program_pick(200);
		stop = env_run(env, b);
		if (stop == ISA_STOP_FAULT || (stop == ISA_STOP_BUDGET && env->retired != b) ||
		    env->retired > b)
			return false;
	} while (stop != ISA_STOP_DONE);
	return true;
}

/* Move the harts to zeroed memory, one by one, and use a new engine. */
static void move(struct isa_env *env, struct isa_env *other, bool keep_order)
{
	struct isa_sched sched = { 0 };
	struct isa_hart hart;

	memcpy(other->mem, env->mem, ENV_SIZE);
	env_group(other, HARTS);
	for (unsigned int n = 0; n < HARTS; n++) {
		isa_hart_get(env->g, n, &hart);
		isa_hart_set(other->g, n, &hart);
	}
	other->g->sched = keep_order ? env->g->sched : sched;
	other->g->cycle = env->g->cycle;
	other->g->instret = env->g->instret;
	*isa_engine_counters(other->e) = *isa_engine_counters(env->e);
	isa_tlb_flush(other->e);
}

static bool run_moving(struct isa_env *a, struct isa_env *b, bool keep_order, struct isa_env **last)
{
	struct isa_env *env = a, *other = b, *t;
	enum isa_stop stop;

	while ((stop = env_run(env, 1 + program_pick(1000))) == ISA_STOP_BUDGET) {
		move(env, other, keep_order);
		t = env;
		env = other;
		other = t;
	}
	*last = env;
	return stop == ISA_STOP_DONE;
}

/*
 * Pages of the data are missing at first and come one per fault; the private
 * page of a fault must be one that is missing.
 */
static bool run_faulting(struct isa_env *env)
{
	enum isa_stop stop;

	for (unsigned int k = 0; k < 0x30; k++)
		env->prot[ENV_DATA / ISA_PAGE_SIZE + k] = 0;
	env->prot[ENV_CODE / ISA_PAGE_SIZE] = 0;
	isa_tlb_flush(env->e);
	while ((stop = env_run(env, 1 + program_pick(5000))) != ISA_STOP_DONE) {
		uint64_t page = env->fault.va / ISA_PAGE_SIZE;

		if (stop == ISA_STOP_BUDGET)
			continue;
		if (page >= ENV_PAGES || env->prot[page] ||
		    env_pc(env, env->fault.hart) != env->fault.pc)
			return false;
		env->prot[page] = ENV_R | ENV_W | ENV_X;
		/* Where a move would also lose the engine. */
		if (program_pick(2))
			isa_tlb_flush(env->e);
	}
	return true;
}

struct scene {
	struct isa_env *env, *other;
	struct program p;
	struct outcome ref;
	uint8_t *mem; /* at the start */
};

static bool check_pieces(struct scene *s)
{
	static const uint64_t budgets[] = { 1, 2, 3, 7, 15, 16, 17, 33, 100, 1000, 4097, 0, 0 };

	for (unsigned int k = 0; k < sizeof(budgets) / sizeof(budgets[0]); k++) {
		start(s->env, &s->p, s->mem);
		if (run_cut(s->env, budgets[k]) && same(s->env, &s->ref))
			continue;
		printf("# budget %llu differs\n", (unsigned long long)budgets[k]);
		return false;
	}
	return true;
}

static bool check_moves(struct scene *s, bool keep_order)
{
	struct isa_env *last;

	start(s->env, &s->p, s->mem);
	if (!run_moving(s->env, s->other, keep_order, &last))
		return false;
	if (!keep_order)
		last->g->sched = s->ref.g->sched;
	if (same(last, &s->ref))
		return true;
	printf("# moved, keep_order %d: differs\n", keep_order);
	return false;
}

static bool check_faults(struct scene *s)
{
	bool good;

	start(s->env, &s->p, s->mem);
	good = run_faulting(s->env) && same(s->env, &s->ref);
	memset(s->env->prot, ENV_R | ENV_W | ENV_X, sizeof(s->env->prot));
	isa_tlb_flush(s->env->e);
	if (!good)
		printf("# with faults differs\n");
	return good;
}

static bool run_undisturbed(struct scene *s)
{
	start(s->env, &s->p, s->mem);
	if (env_run(s->env, 1ull << 40) != ISA_STOP_DONE) {
		printf("# fault %u at %#llx, insn %#x\n", s->env->fault.cause,
		       (unsigned long long)s->env->fault.pc, s->env->fault.insn);
		return false;
	}
	memcpy(s->ref.mem, s->env->mem, ENV_SIZE);
	memcpy(s->ref.g, s->env->g, isa_group_size(HARTS));
	s->ref.sum = *isa_engine_counters(s->env->e);
	return true;
}

static bool check_program(struct isa_env *env, struct isa_env *other, unsigned int nr)
{
	struct scene s = {
		.env = env,
		.other = other,
		.p.apart = nr % 2,
		.p.units = nr % 5 > 1,
		.ref = { malloc(ENV_SIZE), env_group_memory(HARTS), { 0 } },
		.mem = calloc(1, ENV_SIZE),
	};
	bool good;

	random_program(&s.p);
	random_memory(s.mem);
	good = run_undisturbed(&s) && check_pieces(&s) && check_moves(&s, true) &&
	       (!s.p.apart || check_moves(&s, false)) && check_faults(&s);
	if (!good)
		printf("# program %u\n", nr);
	free(s.mem);
	free(s.ref.mem);
	free(s.ref.g);
	return good;
}

int main(void)
{
	struct isa_env *env = env_new(), *other = env_new();

	for (unsigned int group = 0; group < 20; group++) {
		bool good = true;

		for (unsigned int n = 0; good && n < 5; n++)
			good = check_program(env, other, group * 5 + n);
		ok(good, "programs %u to %u: pieces, moves and faults change nothing", group * 5,
		   group * 5 + 4);
	}
	env_free(env);
	env_free(other);
	return done();
}
