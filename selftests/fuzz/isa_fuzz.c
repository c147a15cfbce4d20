// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Shader programs
 *
 * The same program runs three times: in one piece, in small pieces, and in pieces of single
 * instructions of single harts, where each lane is executed alone by the handlers for some
 * lanes instead of the vectorised ones for all. Registers, memory, counters and faults have to
 * be the same, and each run has to keep to its budget. Code is read-only then; when it is not,
 * and writes itself, only order is asked for: pieces may see other versions of it.
 */
#include <string.h>

#include "fuzz.h"
#include "isa/insn.h"
#include "isa/internal.h"
#include "isa_env.h"
#include "rv.h"

#define HARTS_MAX 36u
#define WORDS_MAX 256u
#define BUDGET 3000u
/* Memory that there is: data, and private memory of the harts */
#define WINDOW 0x10000u
#define FAULTS_MAX 32u

/**
 * struct setup - head of the input
 * @harts: number of harts
 * @piece: budget of the second run
 * @flags: SELF_MODIFYING, HOLES, SPREAD
 * @frm: rounding mode
 * @seed: of registers and memory
 */
struct setup {
	uint8_t harts;
	uint8_t piece;
	uint8_t flags;
	uint8_t frm;
	uint32_t seed;
};

#define SELF_MODIFYING 1u
#define HOLES 2u /* pages of the data are missing */
#define SPREAD 4u /* harts start at different instructions */

/**
 * struct outcome - of a run
 * @g: harts
 * @mem: data and private memory
 * @local: local memory
 * @sum: counters
 * @faults: what stopped it, one after the other
 */
struct outcome {
	struct isa_group *g;
	uint8_t mem[2][WINDOW];
	uint8_t local[ENV_LOCAL];
	struct isa_counters sum;
	struct isa_fault faults[FAULTS_MAX];
	unsigned int nr_faults;
};

static struct isa_env *env;
static struct outcome whole, pieces;

static void set_pages(const struct setup *s)
{
	uint64_t state = s->seed + 1;

	memset(env->prot, 0, sizeof(env->prot));
	memset(env->nocache, 0, sizeof(env->nocache));
	for (unsigned int p = 0; p < 2; p++)
		env->prot[ENV_CODE / ISA_PAGE_SIZE + p] = ENV_R | ENV_X |
							  (s->flags & SELF_MODIFYING ? ENV_W : 0);
	for (unsigned int i = 0; i < 2 * WINDOW / ISA_PAGE_SIZE; i++) {
		unsigned int half = WINDOW / ISA_PAGE_SIZE;
		unsigned int p = i < half ? ENV_DATA / ISA_PAGE_SIZE + i :
					    ENV_PRIVATE / ISA_PAGE_SIZE + i - half;

		/* Data is no code: it changes */
		env->prot[p] = s->flags & SELF_MODIFYING ? ENV_R | ENV_W | ENV_X : ENV_R | ENV_W;
		if (s->flags & HOLES && !fuzz_below(&state, 4))
			env->prot[p] = (uint8_t)fuzz_below(&state, 2);
		env->nocache[p] = !fuzz_below(&state, 8);
	}
}

static void set_harts(const struct setup *s, unsigned int words)
{
	static const uint64_t base[] = { ENV_DATA,	 ENV_DATA + ISA_PAGE_SIZE - 8,
					 ISA_LOCAL_BASE, ENV_PRIVATE,
					 ENV_CODE,	 ISA_LOCAL_BASE + ENV_LOCAL - 8 };
	uint64_t state = s->seed * 3ULL + 1;
	struct isa_hart h;

	env_group(env, 1 + s->harts % HARTS_MAX);
	for (unsigned int n = 0; n < env->g->nr_harts; n++) {
		isa_hart_get(env->g, n, &h);
		for (unsigned int r = 1; r < 32; r++) {
			h.x[r] = fuzz_below(&state, 3) ? base[fuzz_below(&state, 6)] + n * 8 :
							 fuzz_value(&state, base, 6);
			h.f[r] = fuzz_random(&state) |
				 (fuzz_below(&state, 2) ? 0xffffffffULL << 32 : 0);
		}
		h.fcsr = (uint32_t)(s->frm & 7) << 5;
		if (s->flags & SPREAD)
			h.pc = ENV_CODE + 2 * fuzz_below(&state, words * 2 + 1);
		isa_hart_set(env->g, n, &h);
	}
}

static void start(const struct setup *s, const uint8_t *code, size_t size)
{
	uint64_t state = s->seed * 5ULL + 1;

	memset(env->mem + ENV_CODE, 0, 2 * ISA_PAGE_SIZE);
	memset(env->mem + ENV_DATA, 0, WINDOW);
	memset(env->mem + ENV_PRIVATE, 0, WINDOW);
	memset(env->local, 0, sizeof(env->local));
	for (unsigned int off = 0; off < 2 * ISA_PAGE_SIZE; off += 8)
		env_write64(env, ENV_DATA + off, fuzz_random(&state));
	memcpy(env->mem + ENV_CODE, code, size);
	isa_tlb_flush(env->e);
	set_pages(s);
	set_harts(s, (unsigned int)(size / 4));
	*isa_engine_counters(env->e) = (struct isa_counters){ 0 };
}

/* A page that was missing comes; returns false if the fault has another reason */
static bool repair(void)
{
	uint64_t va = env->fault.va, page = va / ISA_PAGE_SIZE;
	uint8_t need = env->fault.cause == ISA_CAUSE_STORE_PAGE ? ENV_R | ENV_W : ENV_R;

	if ((env->fault.cause != ISA_CAUSE_LOAD_PAGE && env->fault.cause != ISA_CAUSE_STORE_PAGE) ||
	    (va - ENV_DATA >= WINDOW && va - ENV_PRIVATE >= WINDOW) ||
	    (env->prot[page] & need) == need)
		return false;
	env->prot[page] |= need;
	return true;
}

/* The hart goes on behind the instruction, or ends if there is none */
static void skip(void)
{
	struct isa_hart h;

	isa_hart_get(env->g, env->fault.hart, &h);
	if (env->fault.insn)
		h.pc += isa_insn_len(env->fault.insn);
	else
		h.state = ISA_HART_DONE;
	isa_hart_set(env->g, env->fault.hart, &h);
}

/*
 * Note a fault; can the run go on? A client's fault ends it, as in the GPU, unless code is
 * anything: a skipped instruction is another legal order.
 */
static bool handle_fault(struct outcome *o, const struct setup *s)
{
	struct isa_hart h;

	FUZZ_CHECK(!isa_hart_get(env->g, env->fault.hart, &h));
	FUZZ_CHECK(h.pc == env->fault.pc && h.state == ISA_HART_RUNNING);
	if (o->nr_faults == FAULTS_MAX)
		return false;
	o->faults[o->nr_faults++] = env->fault;
	if (repair())
		return true;
	if (s->flags & SELF_MODIFYING)
		skip();
	return s->flags & SELF_MODIFYING;
}

/* Retire BUDGET instructions, @piece at a time (0: all at once) */
static void run(struct outcome *o, const struct setup *s, unsigned int piece)
{
	uint64_t left = BUDGET;
	enum isa_stop stop;

	o->nr_faults = 0;
	do {
		uint64_t budget = piece && piece < left ? piece : left;

		stop = env_run(env, budget);
		FUZZ_CHECK(env->retired <= budget);
		FUZZ_CHECK(stop != ISA_STOP_BUDGET || env->retired == budget);
		left -= env->retired;
		if (stop == ISA_STOP_FAULT && !handle_fault(o, s))
			break;
	} while (stop != ISA_STOP_DONE && left);
	memcpy(o->g, env->g, isa_group_size(ISA_MAX_HARTS));
	memcpy(o->mem[0], env->mem + ENV_DATA, WINDOW);
	memcpy(o->mem[1], env->mem + ENV_PRIVATE, WINDOW);
	memcpy(o->local, env->local, sizeof(o->local));
	o->sum = *isa_engine_counters(env->e);
}

static void check_same(unsigned int piece)
{
	const struct outcome *a = &whole, *b = &pieces;

	FUZZ_CHECK(a->nr_faults == b->nr_faults, "pieces of %u", piece);
	for (unsigned int i = 0; i < a->nr_faults; i++)
		FUZZ_CHECK(a->faults[i].pc == b->faults[i].pc &&
				   a->faults[i].va == b->faults[i].va &&
				   a->faults[i].cause == b->faults[i].cause &&
				   a->faults[i].hart == b->faults[i].hart &&
				   a->faults[i].insn == b->faults[i].insn,
			   "pieces of %u, fault %u", piece, i);
	FUZZ_CHECK(env_same_group(a->g, b->g), "pieces of %u", piece);
	FUZZ_CHECK(!memcmp(a->mem, b->mem, sizeof(a->mem)), "pieces of %u", piece);
	FUZZ_CHECK(!memcmp(a->local, b->local, sizeof(a->local)), "pieces of %u", piece);
	FUZZ_CHECK(!memcmp(&a->sum, &b->sum, sizeof(a->sum)), "pieces of %u", piece);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	struct setup s = { 0 };
	const void *head = fuzz_record(&in, sizeof(s));
	size_t code = in.left < WORDS_MAX * 4 ? in.left & ~(size_t)3 : WORDS_MAX * 4;

	if (!head || !code)
		return 0;
	if (!env) {
		env = env_new();
		whole.g = __builtin_calloc(1, isa_group_size(ISA_MAX_HARTS));
		pieces.g = __builtin_calloc(1, isa_group_size(ISA_MAX_HARTS));
	}
	memcpy(&s, head, sizeof(s));
	start(&s, in.at, code);
	run(&whole, &s, 0);
	start(&s, in.at, code);
	run(&pieces, &s, 2 + s.piece);
	if (s.flags & SELF_MODIFYING)
		return 0;
	check_same(2 + s.piece);
	start(&s, in.at, code);
	run(&pieces, &s, 1);
	check_same(1);
	return 0;
}

/* An instruction word: opcode of the table, operands random, branches and jumps short */
static void make_word(uint8_t *record, uint64_t *state)
{
	const struct isa_insn_info *info = &isa_insn_info[fuzz_below(state, ISA_NR_OPS)];
	uint32_t word = info->match | ((uint32_t)fuzz_random(state) & ~info->mask);

	if ((word & 127) == 0x63)
		word = rv_b(word >> 12 & 7, word >> 15 & 31, word >> 20 & 31,
			    (int32_t)fuzz_below(state, 24) * 4 - 32);
	else if ((word & 127) == 0x6f)
		word = rv_jal(word >> 7 & 31, (int32_t)fuzz_below(state, 24) * 4 - 32);
	/* A static rounding mode that exists */
	if (info->attr & ISA_A_RM && fuzz_below(state, 8))
		word = (word & ~0x7000U) | (fuzz_below(state, 2) ? 7 : fuzz_below(state, 5)) << 12;
	if (!fuzz_below(state, 16))
		word = BARRIER;
	memcpy(record, &word, sizeof(word));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	static const struct fuzz_grammar g = {
		.head = sizeof(struct setup),
		.record = 4,
		.make = make_word,
	};

	return fuzz_mutate(&g, data, size, max_size, seed);
}
