// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: hostile code
 *
 * Random words, random valid instructions and random code that writes itself,
 * with holes in memory, random registers and random scheduling state. Nothing
 * is expected but order: no crash (ASan and UBSan watch), the budget kept, and
 * faults that describe the hart they stopped.
 */
#include "tap.h"
#include "isa/internal.h"
#include "isa_random.h"

/* Run what is there in pieces; after a fault let the hart skip or leave. */
static bool run_pieces(struct isa_env *env)
{
	for (unsigned int k = 0; k < 40; k++) {
		uint64_t budget = pick(3000);
		enum isa_stop stop = env_run(env, budget);
		struct isa_hart h;

		if (env->retired > budget)
			return false;
		if (stop == ISA_STOP_DONE)
			return true;
		if (stop == ISA_STOP_BUDGET) {
			if (env->retired != budget)
				return false;
			continue;
		}
		if (isa_hart_get(env->g, env->fault.hart, &h) || h.pc != env->fault.pc ||
		    h.state != ISA_HART_RUNNING || env->fault.cause > ISA_CAUSE_STORE_PAGE)
			return false;
		h.pc = pick(4) ? h.pc + isa_insn_len(env->fault.insn) : interesting();
		isa_hart_set(env->g, env->fault.hart, &h);
	}
	return true;
}

static bool feed(struct isa_env *env, enum diet diet, unsigned int rounds)
{
	for (unsigned int n = 0; n < rounds; n++) {
		random_program(env, diet);
		if (!run_pieces(env))
			return false;
	}
	return true;
}

/* All words with each opcode, and many random ones, decode and disassemble. */
static bool decode_everything(void)
{
	char text[80];

	for (unsigned int n = 0; n < 2000000; n++) {
		uint32_t word = n < 65536 ? n << 16 | (n & 0xffff) : (uint32_t)env_random();
		struct isa_insn i;

		isa_decode(word, &i);
		if (i.op >= ISA_NR_OPS || i.rd > ISA_X_SINK || i.rs1 > 31 || i.rs2 > 31 ||
		    i.rs3 > 31)
			return false;
		if (n % 16 == 0 && !isa_disasm(n, word, text, sizeof(text)))
			return false;
	}
	return true;
}

int main(void)
{
	struct isa_env *env = env_new();

	ok(decode_everything(), "2,000,000 words decode");
	for (unsigned int k = 0; k < 4; k++) {
		ok(feed(env, ANY_WORDS, 2000), "random words, part %u", k);
		ok(feed(env, VALID_WORDS, 2000), "random instructions, part %u", k);
		ok(feed(env, SELF_MODIFYING, 2000), "code that writes itself, part %u", k);
	}
	env_free(env);
	return done();
}
