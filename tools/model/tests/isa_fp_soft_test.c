// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host's floating-point unit against softfp.c: every arithmetic instruction in every rounding
 * mode, fixed in the instruction, the same in frm of all harts, or another one in each, with all
 * lanes of a wave and with some, must give the same bits and the same flags.
 */
#include <stdio.h>

#include "tap.h"
#include "isa/internal.h"
#include "isa/softfp.h"
#include "isa_env.h"
#include "rv.h"

#define FOREVER (1ull << 40)
#define BOX 0xffffffff00000000ull
#define RM_DYN 7u
#define RM_MIXED 8u /* in frm, each hart its own */
#define MODES 5u
#define CASES 2048u

enum arith { ADD_, SUB_, MUL_, DIV_, SQRT_, MADD, MSUB, NMSUB, NMADD };

static const char *const names[] = { "fadd",  "fsub",  "fmul",	 "fdiv",  "fsqrt",
				     "fmadd", "fmsub", "fnmsub", "fnmadd" };

/* Of all classes; near exponents and few bits, so that sums cancel and results lie halfway. */
static uint64_t random_fp(bool wide)
{
	unsigned int frac_bits = wide ? 52 : 23, top = wide ? 0x7ff : 0xff;
	uint64_t r = env_random(), frac = env_random() & ((1ull << frac_bits) - 1), exp;

	switch (r & 7) {
	case 0:
		frac = 0;
		break;
	case 1:
		frac &= frac << 1 & ~0ull << frac_bits / 2;
		break;
	case 2:
		frac = (1ull << frac_bits) - 1 - (frac & 3);
		break;
	case 3:
		frac &= 3;
		break;
	default:
		break;
	}
	switch (r >> 8 & 7) {
	case 0:
		exp = 0;
		break;
	case 1:
		exp = top - (r >> 16 & 1);
		break;
	case 2:
		exp = (r >> 16) % (top + 1);
		break;
	case 3:
		exp = (r >> 16) % (2 * frac_bits);
		break;
	case 4:
		exp = top - (r >> 16) % (2 * frac_bits);
		break;
	default:
		exp = top / 2 - 2 + (r >> 16) % 5;
		break;
	}
	return (frac | exp << frac_bits | (r >> 63) << (wide ? 63 : 31)) | (wide ? 0 : BOX);
}

static uint64_t soft32(enum arith op, const uint64_t v[3], struct sf_env *env)
{
	uint32_t a = (uint32_t)v[0], b = (uint32_t)v[1], c = (uint32_t)v[2];
	uint32_t na = op >= NMSUB ? 1u << 31 : 0;
	uint32_t nc = op == MSUB || op == NMADD ? 1u << 31 : 0;

	switch (op) {
	case ADD_:
		return BOX | sf32_add(a, b, env);
	case SUB_:
		return BOX | sf32_sub(a, b, env);
	case MUL_:
		return BOX | sf32_mul(a, b, env);
	case DIV_:
		return BOX | sf32_div(a, b, env);
	case SQRT_:
		return BOX | sf32_sqrt(a, env);
	default:
		return BOX | sf32_fma(a ^ na, b, c ^ nc, env);
	}
}

static uint64_t soft64(enum arith op, const uint64_t v[3], struct sf_env *env)
{
	uint64_t na = op >= NMSUB ? 1ull << 63 : 0;
	uint64_t nc = op == MSUB || op == NMADD ? 1ull << 63 : 0;

	switch (op) {
	case ADD_:
		return sf64_add(v[0], v[1], env);
	case SUB_:
		return sf64_sub(v[0], v[1], env);
	case MUL_:
		return sf64_mul(v[0], v[1], env);
	case DIV_:
		return sf64_div(v[0], v[1], env);
	case SQRT_:
		return sf64_sqrt(v[0], env);
	default:
		return sf64_fma(v[0] ^ na, v[1], v[2] ^ nc, env);
	}
}

static uint32_t arith_word(enum arith op, bool wide, unsigned int rm)
{
	static const uint32_t f7[] = { 0x00, 0x04, 0x08, 0x0c, 0x2c };
	static const uint32_t opcode[] = { 0x43, 0x47, 0x4b, 0x4f };

	if (op < MADD)
		return rv_r(0x53, rm, f7[op] | wide, 0, 1, op == SQRT_ ? 0 : 2);
	return rv_r(opcode[op - MADD], rm, 3 << 2 | wide, 0, 1, 2);
}

/* Twice the instruction, with nothing between: the second one finds what the first left behind. */
static bool run_wave(struct isa_env *env, enum arith op, bool wide, unsigned int field,
		     unsigned int frm, unsigned int lanes)
{
	uint64_t in[ISA_LANES][3];
	uint8_t fcsr[ISA_LANES];
	uint32_t word = arith_word(op, wide, field);
	struct isa_hart h;

	ENV_CODE_OF(env, word, word, EXIT);
	env_group(env, lanes);
	for (unsigned int l = 0; l < lanes; l++) {
		unsigned int mode = frm == RM_MIXED ? (unsigned int)(env_random() >> 20) % MODES :
						      frm;

		isa_hart_get(env->g, l, &h);
		for (unsigned int k = 0; k < 3; k++)
			h.f[1 + k] = in[l][k] = random_fp(wide);
		fcsr[l] = (uint8_t)(mode << 5 | (env_random() >> 40 & 31));
		if (env_random() & 1)
			fcsr[l] &= 0xe0;
		h.fcsr = fcsr[l];
		isa_hart_set(env->g, l, &h);
	}
	if (env_run(env, FOREVER) != ISA_STOP_DONE)
		return false;
	for (unsigned int l = 0; l < lanes; l++) {
		struct sf_env e = { .rm = (uint8_t)(field == RM_DYN ? fcsr[l] >> 5 : field) };
		uint64_t want = wide ? soft64(op, in[l], &e) : soft32(op, in[l], &e);

		isa_hart_get(env->g, l, &h);
		if (h.f[0] == want && h.fcsr == (fcsr[l] | e.flags))
			continue;
		printf("# %s.%c mode %u lane %u of %u: %#llx %#llx %#llx, fcsr %#x: "
		       "got %#llx %#x, want %#llx %#x\n",
		       names[op], wide ? 'd' : 's', e.rm, l, lanes, (unsigned long long)in[l][0],
		       (unsigned long long)in[l][1], (unsigned long long)in[l][2], fcsr[l],
		       (unsigned long long)h.f[0], h.fcsr, (unsigned long long)want, e.flags);
		return false;
	}
	return true;
}

static bool check(struct isa_env *env, enum arith op, bool wide, unsigned int field,
		  unsigned int frm)
{
	for (unsigned int n = 0; n < CASES; n += ISA_LANES)
		if (!run_wave(env, op, wide, field, frm, n / ISA_LANES % 4 ? ISA_LANES : 5))
			return false;
	return true;
}

/* frm is another one than the mode of the instruction, which must not be taken for it. */
static void check_all(struct isa_env *env, const char *how)
{
	for (enum arith op = ADD_; op <= NMADD; op++) {
		for (unsigned int wide = 0; wide < 2; wide++) {
			bool good = check(env, op, wide, RM_DYN, RM_MIXED);

			for (unsigned int rm = 0; good && rm < MODES; rm++)
				good = check(env, op, wide, rm, (rm + 1) % MODES) &&
				       check(env, op, wide, rm, RM_MIXED) &&
				       check(env, op, wide, RM_DYN, rm);
			ok(good, "%s.%c in all modes%s", names[op], wide ? 'd' : 's', how);
		}
	}
}

int main(void)
{
	struct isa_env *env = env_new();

	check_all(env, "");
	if (env->e->use_fma) {
		env->e->use_fma = false;
		check_all(env, ", without the host's fused multiply-add");
	}
	env_free(env);
	return done();
}
