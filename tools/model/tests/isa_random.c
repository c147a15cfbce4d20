// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "isa/internal.h"
#include "isa_random.h"
#include "rv.h"
#include "unit_ref.h"

#define WORDS 1024u
/* Descriptors and records of units, 16 textures, 16 targets and 32 others */
#define UNIT_THINGS (ENV_DATA + ISA_PAGE_SIZE)
#define UNITS_OF_EACH 16u

uint32_t pick(uint32_t n)
{
	return (uint32_t)(env_random() >> 33) % n;
}

/* A word that decodes: opcode fixed, operands random. */
static uint32_t valid_word(void)
{
	const unsigned int units = ISA_NR_OPS - ISA_OP_tex;
	const struct isa_insn_info *info =
		&isa_insn_info[pick(16) ? pick(ISA_NR_OPS) : ISA_OP_tex + pick(units)];

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
	if (pick(4) == 0)
		return UNIT_THINGS + 64 * pick(UNITS_OF_EACH * 4);
	return base[pick(sizeof(base) / sizeof(base[0]))] + pick(64) - 32;
}

static void random_harts(struct isa_env *env)
{
	struct isa_hart h;

	env_group(env, 1 + pick(40));
	env->g->d.units = pick(4) ? ISA_UNIT_ALL : pick(8);
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

/* Mostly good, and good enough to get far with */
static void random_units(struct isa_env *env)
{
	for (unsigned int k = 0; k < UNITS_OF_EACH; k++) {
		struct ref_texture texture = {
			.address = ENV_DATA + 8 * pick(2048),
			.format = (uint8_t)pick(6),
			.filter = (uint8_t)pick(2),
			.wrap = { (uint8_t)pick(3), (uint8_t)pick(3) },
			.size = { 1 + pick(64), 1 + pick(64) },
			.levels = 1,
			.pitch = 512,
		};
		struct ref_target target = {
			.color = ENV_DATA + 4 * pick(4096),
			.depth = ENV_DATA + 4 * pick(4096),
			.width = pick(2) ? 64 : 16384,
			.height = pick(2) ? 64 : 16384,
			.color_pitch = 1 << 16,
			.depth_pitch = 1 << 16,
			.format = (uint8_t)pick(3),
			.func = (uint8_t)pick(8),
			.write = (uint8_t)pick(32),
			.src = (uint8_t)pick(10),
			.dst = (uint8_t)pick(10),
		};

		memcpy(env->mem + UNIT_THINGS + 64 * k, &texture, sizeof(texture));
		memcpy(env->mem + UNIT_THINGS + 64 * (UNITS_OF_EACH + k), &target, sizeof(target));
	}
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
	random_units(env);
	random_pages(env);
	random_harts(env);
	if (diet == SELF_MODIFYING)
		for (unsigned int k = 0; k < env->g->nr_harts; k++)
			env_set_x(env, k, GP, ENV_CODE + pick(2048));
}
