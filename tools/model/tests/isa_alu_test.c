// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: integer instructions against reference functions, for all pairs of
 * interesting operands, in full and in partial waves, with every aliasing of
 * destination and sources, and x0 as destination and as source.
 */
#include "tap.h"
#include "isa_env.h"
#include "rv.h"

static const uint64_t values[] = {
	0,
	1,
	2,
	7,
	31,
	32,
	33,
	63,
	64,
	0x7f,
	0x80,
	0xff,
	0x7fff,
	0x8000,
	0xffff,
	0x7fffffff,
	0x80000000,
	0x80000001,
	0xffffffff,
	0x100000000,
	0x100000001,
	0x0123456789abcdef,
	0xfedcba9876543210,
	0x7fffffffffffffff,
	0x8000000000000000,
	0x8000000000000001,
	0xffffffff80000000,
	0xffffffff7fffffff,
	0xfffffffffffffffe,
	0xffffffffffffffff,
	0x00ff00000100807f,
	0xaaaaaaaaaaaaaaaa,
};
#define NR_VALUES (sizeof(values) / sizeof(values[0]))

/* References: bit by bit or by another route than the engine's. */

static int bit(uint64_t v, unsigned int n)
{
	return v >> n & 1;
}

static uint64_t sx(uint64_t v, unsigned int from)
{
	uint64_t sign = 1ull << (from - 1);

	v &= sign * 2 - 1;
	return (v ^ sign) - sign;
}

/* Signed order without signed arithmetic. */
static int less(uint64_t a, uint64_t b)
{
	if (bit(a, 63) != bit(b, 63))
		return bit(a, 63);
	return a < b;
}

/* Schoolbook multiplication by 32-bit pieces: the upper 64 bits. */
static uint64_t umulh(uint64_t a, uint64_t b)
{
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t m1 = ah * bl, m2 = al * bh;
	uint64_t carry = ((al * bl >> 32) + (uint32_t)m1 + (uint32_t)m2) >> 32;

	return ah * bh + (m1 >> 32) + (m2 >> 32) + carry;
}

static uint64_t neg(uint64_t v)
{
	return ~v + 1;
}

static uint64_t mag(uint64_t v)
{
	return bit(v, 63) ? neg(v) : v;
}

/* Upper half of a product whose sign is given, from magnitudes. */
static uint64_t signed_high(uint64_t a, uint64_t b, int negative)
{
	uint64_t high = umulh(a, b), low = a * b;

	if (!negative)
		return high;
	return ~high + (low == 0);
}

/* Shift-subtract division. */
static void divide(uint64_t a, uint64_t b, uint64_t *q, uint64_t *r)
{
	*q = 0;
	*r = 0;
	for (int n = 63; n >= 0; n--) {
		int carry = bit(*r, 63);

		*r = *r << 1 | (uint64_t)bit(a, (unsigned int)n);
		if (carry || *r >= b) {
			*r -= b;
			*q |= 1ull << n;
		}
	}
}

static uint64_t quotient(uint64_t a, uint64_t b)
{
	uint64_t q, r;

	divide(mag(a), mag(b), &q, &r);
	return bit(a, 63) != bit(b, 63) ? neg(q) : q;
}

static uint64_t remainder_of(uint64_t a, uint64_t b)
{
	uint64_t q, r;

	divide(mag(a), mag(b), &q, &r);
	return bit(a, 63) ? neg(r) : r;
}

static uint64_t shift_right(uint64_t v, unsigned int n, unsigned int width, int fill)
{
	uint64_t out = 0;

	for (unsigned int k = 0; k < width; k++)
		out |= (uint64_t)(k + n < width ? bit(v, k + n) : fill) << k;
	return out;
}

static uint64_t shift_left(uint64_t v, unsigned int n, unsigned int width)
{
	uint64_t out = 0;

	for (unsigned int k = n; k < width; k++)
		out |= (uint64_t)bit(v, k - n) << k;
	return out;
}

static uint64_t rotate_right(uint64_t v, unsigned int n, unsigned int width)
{
	uint64_t out = 0;

	for (unsigned int k = 0; k < width; k++)
		out |= (uint64_t)bit(v, (k + n) % width) << k;
	return out;
}

static uint64_t count(uint64_t v, unsigned int width)
{
	uint64_t n = 0;

	for (unsigned int k = 0; k < width; k++)
		n += (uint64_t)bit(v, k);
	return n;
}

static uint64_t leading(uint64_t v, unsigned int width)
{
	uint64_t n = 0;

	while (n < width && !bit(v, width - 1 - (unsigned int)n))
		n++;
	return n;
}

static uint64_t trailing(uint64_t v, unsigned int width)
{
	uint64_t n = 0;

	while (n < width && !bit(v, (unsigned int)n))
		n++;
	return n;
}

static uint64_t bytes(uint64_t v, int reverse)
{
	uint64_t out = 0;

	for (unsigned int k = 0; k < 8; k++) {
		uint64_t b = v >> 8 * k & 0xff;

		out |= reverse ? b << (56 - 8 * k) : (b ? 0xffull : 0) << 8 * k;
	}
	return out;
}

#define REF2(name, expr)                                   \
	static uint64_t ref_##name(uint64_t a, uint64_t b) \
	{                                                  \
		(void)b;                                   \
		return (expr);                             \
	}
REF2(add, a - neg(b))
REF2(sub, a + neg(b))
REF2(sll, shift_left(a, b % 64, 64))
REF2(srl, shift_right(a, b % 64, 64, 0))
REF2(sra, shift_right(a, b % 64, 64, bit(a, 63)))
REF2(slt, (uint64_t)less(a, b))
REF2(sltu, (uint64_t)(a < b))
REF2(xor, (a | b) - (a & b))
REF2(or, ~(~a & ~b))
REF2(and, ~(~a | ~b))
REF2(addw, sx(a + b, 32))
REF2(subw, sx(a - b, 32))
REF2(sllw, sx(shift_left(a, b % 32, 32), 32))
REF2(srlw, sx(shift_right(a, b % 32, 32, 0), 32))
REF2(sraw, sx(shift_right(a, b % 32, 32, bit(a, 31)), 32))
REF2(mul, neg(neg(a) * b))
REF2(mulh, signed_high(mag(a), mag(b), bit(a, 63) != bit(b, 63)))
REF2(mulhu, umulh(a, b))
REF2(mulhsu, signed_high(mag(a), b, bit(a, 63)))
REF2(div, b ? quotient(a, b) : ~0ull)
REF2(rem, b ? remainder_of(a, b) : a)
REF2(mulw, sx(a *b, 32))
REF2(divw, sx(b << 32 ? quotient(sx(a, 32), sx(b, 32)) : ~0ull, 32))
REF2(remw, sx(b << 32 ? remainder_of(sx(a, 32), sx(b, 32)) : a, 32))
REF2(add_uw, a % (1ull << 32) + b)
REF2(sh1add, a * 2 + b)
REF2(sh2add, a * 4 + b)
REF2(sh3add, a * 8 + b)
REF2(sh1add_uw, a % (1ull << 32) * 2 + b)
REF2(sh2add_uw, a % (1ull << 32) * 4 + b)
REF2(sh3add_uw, a % (1ull << 32) * 8 + b)
REF2(slli_uw, shift_left(a % (1ull << 32), b % 64, 64))
REF2(andn, a - (a & b))
REF2(orn, ~(~a &b))
REF2(xnor, (a & b) | (~a & ~b))
REF2(clz, leading(a, 64))
REF2(ctz, trailing(a, 64))
REF2(cpop, count(a, 64))
REF2(clzw, leading(a, 32))
REF2(ctzw, trailing(a, 32))
REF2(cpopw, count(a, 32))
REF2(max, less(a, b) ? b : a)
REF2(min, less(a, b) ? a : b)
REF2(maxu, a < b ? b : a)
REF2(minu, a < b ? a : b)
REF2(sext_b, sx(a, 8))
REF2(sext_h, sx(a, 16))
REF2(zext_h, a % 65536)
REF2(rol, rotate_right(a, 64 - b % 64, 64))
REF2(ror, rotate_right(a, b % 64, 64))
REF2(rolw, sx(rotate_right(a, 32 - b % 32, 32), 32))
REF2(rorw, sx(rotate_right(a, b % 32, 32), 32))
REF2(orc_b, bytes(a, 0))
REF2(rev8, bytes(a, 1))
REF2(bclr, a - ((uint64_t)bit(a, b % 64) << b % 64))
REF2(bset, a + ((uint64_t)!bit(a, b % 64) << b % 64))
REF2(binv, bit(a, b % 64) ? a - (1ull << b % 64) : a + (1ull << b % 64))
REF2(bext, (uint64_t)bit(a, b % 64))

static uint64_t ref_divu(uint64_t a, uint64_t b)
{
	uint64_t q, r;

	divide(a, b, &q, &r);
	return b ? q : ~0ull;
}

static uint64_t ref_remu(uint64_t a, uint64_t b)
{
	uint64_t q, r;

	divide(a, b, &q, &r);
	return b ? r : a;
}

static uint64_t ref_divuw(uint64_t a, uint64_t b)
{
	return sx(ref_divu((uint32_t)a, (uint32_t)b), 32);
}

static uint64_t ref_remuw(uint64_t a, uint64_t b)
{
	return sx(ref_remu((uint32_t)a, (uint32_t)b), 32);
}

enum kind { RR, R1, IMM, SH6, SH5 };

/* opcode, funct3 and funct7 (for R1: imm[11:0]; for shifts: upper bits). */
struct op {
	const char *name;
	enum kind kind;
	uint32_t opcode, f3, f7;
	uint64_t (*ref)(uint64_t a, uint64_t b);
};

static const struct op ops[] = {
	{ "add", RR, 0x33, 0, 0, ref_add },
	{ "sub", RR, 0x33, 0, 32, ref_sub },
	{ "sll", RR, 0x33, 1, 0, ref_sll },
	{ "slt", RR, 0x33, 2, 0, ref_slt },
	{ "sltu", RR, 0x33, 3, 0, ref_sltu },
	{ "xor", RR, 0x33, 4, 0, ref_xor },
	{ "srl", RR, 0x33, 5, 0, ref_srl },
	{ "sra", RR, 0x33, 5, 32, ref_sra },
	{ "or", RR, 0x33, 6, 0, ref_or },
	{ "and", RR, 0x33, 7, 0, ref_and },
	{ "addw", RR, 0x3b, 0, 0, ref_addw },
	{ "subw", RR, 0x3b, 0, 32, ref_subw },
	{ "sllw", RR, 0x3b, 1, 0, ref_sllw },
	{ "srlw", RR, 0x3b, 5, 0, ref_srlw },
	{ "sraw", RR, 0x3b, 5, 32, ref_sraw },
	{ "addi", IMM, 0x13, 0, 0, ref_add },
	{ "slti", IMM, 0x13, 2, 0, ref_slt },
	{ "sltiu", IMM, 0x13, 3, 0, ref_sltu },
	{ "xori", IMM, 0x13, 4, 0, ref_xor },
	{ "ori", IMM, 0x13, 6, 0, ref_or },
	{ "andi", IMM, 0x13, 7, 0, ref_and },
	{ "addiw", IMM, 0x1b, 0, 0, ref_addw },
	{ "slli", SH6, 0x13, 1, 0x000, ref_sll },
	{ "srli", SH6, 0x13, 5, 0x000, ref_srl },
	{ "srai", SH6, 0x13, 5, 0x400, ref_sra },
	{ "slliw", SH5, 0x1b, 1, 0x000, ref_sllw },
	{ "srliw", SH5, 0x1b, 5, 0x000, ref_srlw },
	{ "sraiw", SH5, 0x1b, 5, 0x400, ref_sraw },
	{ "mul", RR, 0x33, 0, 1, ref_mul },
	{ "mulh", RR, 0x33, 1, 1, ref_mulh },
	{ "mulhsu", RR, 0x33, 2, 1, ref_mulhsu },
	{ "mulhu", RR, 0x33, 3, 1, ref_mulhu },
	{ "div", RR, 0x33, 4, 1, ref_div },
	{ "divu", RR, 0x33, 5, 1, ref_divu },
	{ "rem", RR, 0x33, 6, 1, ref_rem },
	{ "remu", RR, 0x33, 7, 1, ref_remu },
	{ "mulw", RR, 0x3b, 0, 1, ref_mulw },
	{ "divw", RR, 0x3b, 4, 1, ref_divw },
	{ "divuw", RR, 0x3b, 5, 1, ref_divuw },
	{ "remw", RR, 0x3b, 6, 1, ref_remw },
	{ "remuw", RR, 0x3b, 7, 1, ref_remuw },
	{ "add.uw", RR, 0x3b, 0, 4, ref_add_uw },
	{ "sh1add", RR, 0x33, 2, 16, ref_sh1add },
	{ "sh2add", RR, 0x33, 4, 16, ref_sh2add },
	{ "sh3add", RR, 0x33, 6, 16, ref_sh3add },
	{ "sh1add.uw", RR, 0x3b, 2, 16, ref_sh1add_uw },
	{ "sh2add.uw", RR, 0x3b, 4, 16, ref_sh2add_uw },
	{ "sh3add.uw", RR, 0x3b, 6, 16, ref_sh3add_uw },
	{ "slli.uw", SH6, 0x1b, 1, 0x080, ref_slli_uw },
	{ "andn", RR, 0x33, 7, 32, ref_andn },
	{ "orn", RR, 0x33, 6, 32, ref_orn },
	{ "xnor", RR, 0x33, 4, 32, ref_xnor },
	{ "clz", R1, 0x13, 1, 0x600, ref_clz },
	{ "ctz", R1, 0x13, 1, 0x601, ref_ctz },
	{ "cpop", R1, 0x13, 1, 0x602, ref_cpop },
	{ "clzw", R1, 0x1b, 1, 0x600, ref_clzw },
	{ "ctzw", R1, 0x1b, 1, 0x601, ref_ctzw },
	{ "cpopw", R1, 0x1b, 1, 0x602, ref_cpopw },
	{ "max", RR, 0x33, 6, 5, ref_max },
	{ "maxu", RR, 0x33, 7, 5, ref_maxu },
	{ "min", RR, 0x33, 4, 5, ref_min },
	{ "minu", RR, 0x33, 5, 5, ref_minu },
	{ "sext.b", R1, 0x13, 1, 0x604, ref_sext_b },
	{ "sext.h", R1, 0x13, 1, 0x605, ref_sext_h },
	{ "zext.h", R1, 0x3b, 4, 0x080, ref_zext_h },
	{ "rol", RR, 0x33, 1, 48, ref_rol },
	{ "ror", RR, 0x33, 5, 48, ref_ror },
	{ "rori", SH6, 0x13, 5, 0x600, ref_ror },
	{ "rolw", RR, 0x3b, 1, 48, ref_rolw },
	{ "rorw", RR, 0x3b, 5, 48, ref_rorw },
	{ "roriw", SH5, 0x1b, 5, 0x600, ref_rorw },
	{ "orc.b", R1, 0x13, 5, 0x287, ref_orc_b },
	{ "rev8", R1, 0x13, 5, 0x6b8, ref_rev8 },
	{ "bclr", RR, 0x33, 1, 36, ref_bclr },
	{ "bclri", SH6, 0x13, 1, 0x480, ref_bclr },
	{ "bext", RR, 0x33, 5, 36, ref_bext },
	{ "bexti", SH6, 0x13, 5, 0x480, ref_bext },
	{ "binv", RR, 0x33, 1, 52, ref_binv },
	{ "binvi", SH6, 0x13, 1, 0x680, ref_binv },
	{ "bset", RR, 0x33, 1, 20, ref_bset },
	{ "bseti", SH6, 0x13, 1, 0x280, ref_bset },
};
#define NR_OPS (sizeof(ops) / sizeof(ops[0]))

/* The second operand that an instruction can hold of a value. */
static uint64_t second(const struct op *op, uint64_t v)
{
	switch (op->kind) {
	case IMM:
		return sx(v, 12);
	case SH6:
		return v % 64;
	case SH5:
		return v % 32;
	default:
		return v;
	}
}

static uint32_t encode(const struct op *op, uint32_t rd, uint32_t rs1, uint32_t rs2, uint64_t b)
{
	switch (op->kind) {
	case RR:
		return rv_r(op->opcode, op->f3, op->f7, rd, rs1, rs2);
	case R1:
		return rv_i(op->opcode, op->f3, rd, rs1, (int32_t)op->f7);
	case IMM:
		return rv_i(op->opcode, op->f3, rd, rs1, (int32_t)sx(b, 12));
	default:
		return rv_i(op->opcode, op->f3, rd, rs1, (int32_t)(op->f7 | (uint32_t)b));
	}
}

static bool mismatch(const struct op *op, uint64_t a, uint64_t b, uint64_t got, uint64_t want)
{
	printf("# %s %#llx, %#llx: got %#llx, want %#llx\n", op->name, (unsigned long long)a,
	       (unsigned long long)b, (unsigned long long)got, (unsigned long long)want);
	return false;
}

/* All first operands against one second operand, @lanes at a time. */
static bool run_second(struct isa_env *env, const struct op *op, uint64_t b, unsigned int lanes)
{
	/* rd, rs1, rs2: distinct, rd = rs1, rd = rs2, into x0 */
	ENV_CODE_OF(env, ADDI(A3, A0, 0), ADDI(A4, A1, 0), encode(op, A2, A0, A1, b),
		    encode(op, A3, A3, A1, b), encode(op, A4, A0, A4, b), encode(op, X0, A0, A1, b),
		    ADDI(A5, X0, 0), EXIT);
	for (unsigned int k = 0; k < NR_VALUES; k += lanes) {
		env_group(env, lanes);
		for (unsigned int l = 0; l < lanes; l++) {
			env_set_x(env, l, A0, values[(k + l) % NR_VALUES]);
			env_set_x(env, l, A1, b);
		}
		if (env_run(env, 1000) != ISA_STOP_DONE)
			return mismatch(op, k, b, env->fault.cause, 0);
		for (unsigned int l = 0; l < lanes; l++) {
			uint64_t a = values[(k + l) % NR_VALUES];
			uint64_t want = op->ref(a, second(op, b));

			for (unsigned int rd = A2; rd <= A4; rd++)
				if (env_x(env, l, rd) != want)
					return mismatch(op, a, b, env_x(env, l, rd), want);
			if (env_x(env, l, A5) || env_x(env, l, A0) != a)
				return mismatch(op, a, b, env_x(env, l, A5), 0);
		}
	}
	return true;
}

static bool check_op(struct isa_env *env, const struct op *op)
{
	for (unsigned int k = 0; k < NR_VALUES; k++) {
		uint64_t b = values[k];

		if (op->kind != RR)
			b = second(op, op->kind == IMM ? b : k * 2);
		if (!run_second(env, op, b, ISA_LANES) || !run_second(env, op, b, 5))
			return false;
	}
	return true;
}

static void check_upper(struct isa_env *env)
{
	ENV_CODE_OF(env, LUI(A0, 0x80000), LUI(A1, 0x7ffff), AUIPC(A2, 0xfffff), AUIPC(A3, 1),
		    LUI(X0, 5), AUIPC(X0, 5), ADDI(A4, X0, 3), EXIT);
	env_group(env, 20);
	ok(env_run(env, 1000) == ISA_STOP_DONE && env_x(env, 19, A0) == 0xffffffff80000000 &&
		   env_x(env, 0, A1) == 0x7ffff000,
	   "lui");
	ok(env_x(env, 19, A2) == ENV_CODE + 8 - 0x1000 &&
		   env_x(env, 3, A3) == ENV_CODE + 12 + 0x1000,
	   "auipc");
	ok(env_x(env, 19, A4) == 3, "x0 stays zero");
}

int main(void)
{
	struct isa_env *env = env_new();

	for (unsigned int k = 0; k < NR_OPS; k++)
		ok(check_op(env, &ops[k]), "%s", ops[k].name);
	check_upper(env);
	env_free(env);
	return done();
}
