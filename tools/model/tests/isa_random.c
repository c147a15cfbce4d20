// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "isa/internal.h"
#include "isa_random.h"
#include "rv.h"

#define WORDS 1024u

uint32_t pick(uint32_t n)
{
	return (uint32_t)(env_random() >> 33) % n;
}

/* A word that decodes: opcode fixed, operands random. */
static uint32_t valid_word(void)
{
	const struct isa_insn_info *info = &isa_insn_info[pick(ISA_NR_OPS)];

	return info->match | ((uint32_t)env_random() & ~info->mask);
}

uint64_t interesting(void)
{
	static const uint64_t base[] = {
		ENV_CODE,
		ENV_DATA,
		ENV_DATA + ISA_PAGE_SIZE - 4,
		ISA_LOCAL_BASE,
		ISA_EXIT_ADDR,
		ISA_LOCAL_BASE + ENV_LOCAL,
		ISA_VA_LIMIT,
		0,
		ENV_PRIVATE,
		~0ull,
		ENV_SIZE,
	};

	if (pick(4) == 0)
		return env_random();
	return base[pick(sizeof(base) / sizeof(base[0]))] + pick(64) - 32;
}

static void random_harts(struct isa_env *env)
{
	struct isa_hart h;

	env_group(env, 1 + pick(40));
	for (unsigned int n = 0; n < env->g->nr_harts; n++) {
		isa_hart_get(env->g, n, &h);
		for (unsigned int r = 1; r < 32; r++) {
			h.x[r] = interesting();
			h.f[r] = env_random() | (pick(2) ? 0xffffffffull << 32 : 0);
		}
		h.fcsr = pick(4) ? 0 : pick(256);
		h.pc = ENV_CODE + 2 * pick(64);
		h.state = pick(8) ? 0 : pick(3);
		isa_hart_set(env->g, n, &h);
	}
	for (unsigned int k = 0; k < sizeof(env->g->sched); k++)
		((uint8_t *)&env->g->sched)[k] = (uint8_t)pick(256);
}

static void random_pages(struct isa_env *env)
{
	for (unsigned int p = 0; p < ENV_PAGES; p++) {
		env->prot[p] = pick(8) ? ENV_R | ENV_W | ENV_X : (uint8_t)pick(8);
		env->nocache[p] = !pick(16);
	}
	env->prot[ENV_CODE / ISA_PAGE_SIZE] = ENV_R | ENV_W | ENV_X;
	isa_tlb_flush(env->e);
}

void random_program(struct isa_env *env, enum diet diet)
{
	uint32_t words[WORDS];

	for (unsigned int k = 0; k < WORDS; k++)
		words[k] = diet == ANY_WORDS || pick(16) == 0 ? (uint32_t)env_random() :
								valid_word();
	if (diet == SELF_MODIFYING)
		for (unsigned int k = 0; k < WORDS; k += 4) {
			words[k] = rv_s(0x23, pick(4), GP, pick(32), (int32_t)pick(4096));
			words[k + 1 + pick(3)] = FENCE_I;
		}
	env_code(env, words, WORDS);
	random_pages(env);
	random_harts(env);
	if (diet == SELF_MODIFYING)
		for (unsigned int k = 0; k < env->g->nr_harts; k++)
			env_set_x(env, k, GP, ENV_CODE + pick(2048));
}
