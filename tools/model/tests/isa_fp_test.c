// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: floating point, bit for bit and flag for flag
 *
 * Every instruction, format and rounding mode is run with special and with
 * nasty random operands in all lanes of a wave, each lane with other operands
 * and other flags set before. Expected values come from the host's FP unit
 * under fesetround() and fetestexcept(), and from 128-bit floating point where
 * the host has no such operation (round to nearest, ties away; conversions).
 */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "tap.h"
#include "isa/internal.h"
#include "isa_env.h"
#include "rv.h"

#define FOREVER (1ull << 40)
#define BOX 0xffffffff00000000ull
#define NAN32 0x7fc00000u
#define NAN64 0x7ff8000000000000ull

enum { RNE, RTZ, RDN, RUP, RMM, DYN = 7 };
enum { NX = 1, UF = 2, OF = 4, DZ = 8, NV = 16 };

struct result {
	uint64_t v; /* register */
	uint32_t flags;
	bool unknown; /* no reference for this case */
};

static const uint32_t special32[] = {
	0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40000000,
	0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x00000001, 0x80000001,
	0x00000002, 0x00000003, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001,
	0x01000000, 0x7f7fffff, 0xff7fffff, 0x7f7ffffe, 0x7f000000, 0x7f800000, 0xff800000,
	0x7fc00000, 0xffc00000, 0x7f800001, 0xffbfffff, 0x7fffffff, 0x4effffff, 0x4f000000,
	0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000,
	0x5f7fffff, 0x5f800000, 0xbf7fffff, 0x4b000001, 0x33800000, 0x34000000, 0x0c800000,
};
#define NR_SPECIAL32 (sizeof(special32) / sizeof(special32[0]))

static const uint64_t special64[] = {
	0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
	0x3ff0000000000001, 0x3fefffffffffffff, 0x4000000000000000, 0x3fe0000000000000,
	0xbfe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000,
	0x0000000000000001, 0x8000000000000001, 0x0000000000000003, 0x000fffffffffffff,
	0x0010000000000000, 0x8010000000000000, 0x0020000000000000, 0x7fefffffffffffff,
	0xffefffffffffffff, 0x7fe0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
	0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0xfff7ffffffffffff,
	0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000,
	0xc1e0000000100000, 0x41efffffffe00000, 0x41f0000000000000, 0x43dfffffffffffff,
	0x43e0000000000000, 0xc3e0000000000000, 0xc3e0000000000001, 0x43efffffffffffff,
	0x43f0000000000000, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001,
	0x380fffffffffffff, 0x380fffffe0000000, 0x380fffffdfffffff, 0x47efffffe0000000,
	0x47efffffefffffff, 0x47effffff0000000, 0x3ca0000000000000, 0x1e60000000000000,
};
#define NR_SPECIAL64 (sizeof(special64) / sizeof(special64[0]))

/* Significands with few or many bits and near exponents make ties and carries. */
static uint64_t random_fp(bool wide)
{
	unsigned int frac_bits = wide ? 52 : 23;
	uint64_t frac_mask = (1ull << frac_bits) - 1, r = env_random(), frac = env_random();
	uint64_t bias = wide ? 1023 : 127, exp;

	if (r % 8 == 0)
		return wide ? special64[r / 8 % NR_SPECIAL64] : special32[r / 8 % NR_SPECIAL32];
	switch (r >> 8 & 7) {
	case 0:
		frac = 0;
		break;
	case 1:
		frac = 1ull << frac % frac_bits;
		break;
	case 2:
		frac = ~(1ull << frac % frac_bits);
		break;
	case 3:
		frac = ~0ull << frac % frac_bits;
		break;
	case 4:
		frac &= 0xff;
		break;
	default:
		break;
	}
	switch (r >> 16 & 3) {
	case 0:
		exp = bias - 30 + (r >> 24) % 60;
		break;
	case 1:
		exp = (r >> 24) % (2 * bias + 2);
		break;
	case 2:
		exp = (r >> 24) % 64;
		break;
	default:
		exp = bias - 2 + (r >> 24) % 4;
		break;
	}
	return (frac & frac_mask) | exp << frac_bits | (r >> 63) << (wide ? 63 : 31);
}

static float to_f(uint64_t v)
{
	uint32_t u = (uint32_t)v;
	float f;

	memcpy(&f, &u, 4);
	return f;
}

static double to_d(uint64_t v)
{
	double f;

	memcpy(&f, &v, 8);
	return f;
}

static uint64_t from_f(float f)
{
	uint32_t u;

	memcpy(&u, &f, 4);
	return BOX | (f != f ? NAN32 : u);
}

static uint64_t from_d(double f)
{
	uint64_t u;

	memcpy(&u, &f, 8);
	return f != f ? NAN64 : u;
}

static void host_start(unsigned int rm)
{
	static const int mode[] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };

	feclearexcept(FE_ALL_EXCEPT);
	fesetround(mode[rm]);
}

static uint32_t host_end(void)
{
	int e = fetestexcept(FE_ALL_EXCEPT);

	fesetround(FE_TONEAREST);
	return (e & FE_INEXACT ? NX : 0) | (e & FE_UNDERFLOW ? UF : 0) |
	       (e & FE_OVERFLOW ? OF : 0) | (e & FE_DIVBYZERO ? DZ : 0) | (e & FE_INVALID ? NV : 0);
}

enum arith { ADD_, SUB_, MUL_, DIV_, SQRT_, MADD, MSUB, NMSUB, NMADD };

static __attribute__((noinline)) float host_f(enum arith op, float a, float b, float c)
{
	volatile float va = a, vb = b, vc = c, r;

	switch (op) {
	case ADD_:
		r = va + vb;
		break;
	case SUB_:
		r = va - vb;
		break;
	case MUL_:
		r = va * vb;
		break;
	case DIV_:
		r = va / vb;
		break;
	case SQRT_:
		r = sqrtf(va);
		break;
	case MADD:
		r = fmaf(va, vb, vc);
		break;
	case MSUB:
		r = fmaf(va, vb, -vc);
		break;
	case NMSUB:
		r = fmaf(-va, vb, vc);
		break;
	default:
		r = fmaf(-va, vb, -vc);
		break;
	}
	return r;
}

static __attribute__((noinline)) double host_d(enum arith op, double a, double b, double c)
{
	volatile double va = a, vb = b, vc = c, r;

	switch (op) {
	case ADD_:
		r = va + vb;
		break;
	case SUB_:
		r = va - vb;
		break;
	case MUL_:
		r = va * vb;
		break;
	case DIV_:
		r = va / vb;
		break;
	case SQRT_:
		r = sqrt(va);
		break;
	case MADD:
		r = fma(va, vb, vc);
		break;
	case MSUB:
		r = fma(va, vb, -vc);
		break;
	case NMSUB:
		r = fma(-va, vb, vc);
		break;
	default:
		r = fma(-va, vb, -vc);
		break;
	}
	return r;
}

/* Infinity times zero is invalid even if a quiet NaN is added: RISC-V's choice. */
static bool inf_times_zero(bool wide, uint64_t a, uint64_t b)
{
	double x = wide ? to_d(a) : (double)to_f(a), y = wide ? to_d(b) : (double)to_f(b);

	return (isinf(x) && y == 0) || (x == 0 && isinf(y));
}

static struct result host_arith(enum arith op, bool wide, const uint64_t v[3], unsigned int rm)
{
	struct result r = { 0 };

	host_start(rm);
	if (wide)
		r.v = from_d(host_d(op, to_d(v[0]), to_d(v[1]), to_d(v[2])));
	else
		r.v = from_f(host_f(op, to_f(v[0]), to_f(v[1]), to_f(v[2])));
	r.flags = host_end();
	if (op >= MADD && inf_times_zero(wide, v[0], v[1]))
		r.flags |= NV;
	return r;
}

/* The exact result, if 113 bits hold it. */
static bool exact_quad(enum arith op, __float128 a, __float128 b, __float128 c, __float128 *out)
{
	__float128 p = a * b;

	switch (op) {
	case SUB_:
		b = -b;
		__attribute__((fallthrough));
	case ADD_:
		*out = a + b;
		return *out - a == b && *out - b == a;
	case MUL_:
		*out = p;
		return true;
	case MSUB:
		c = -c;
		break;
	case NMSUB:
		p = -p;
		break;
	case NMADD:
		p = -p;
		c = -c;
		break;
	default:
		break;
	}
	*out = p + c;
	return *out - p == c && *out - c == p;
}

/*
 * Ties away from zero: between the two neighbours toward and away from zero
 * the nearer one, or the farther from zero. Normal results only; an inexact
 * result whose neighbours are the host's directed roundings.
 */
static struct result ref_rmm(enum arith op, bool wide, const uint64_t v[3])
{
	struct result zero = host_arith(op, wide, v, RTZ);
	struct result near = host_arith(op, wide, v, RNE);
	struct result away;
	__float128 x, lo, hi;
	bool negative = zero.v >> (wide ? 63 : 31) & 1;

	if (zero.flags & near.flags & OF || !(zero.flags & NX))
		return near;
	away = host_arith(op, wide, v, negative ? RDN : RUP);
	if ((zero.flags | near.flags | away.flags) & (OF | UF)) {
		near.unknown = true;
		return near;
	}
	/* Ties are impossible in quotients and roots. */
	if (op == DIV_ || op == SQRT_)
		return near;
	if (wide) {
		near.unknown = !exact_quad(op, to_d(v[0]), to_d(v[1]), to_d(v[2]), &x);
		lo = to_d(zero.v);
		hi = to_d(away.v);
	} else {
		near.unknown = !exact_quad(op, to_f(v[0]), to_f(v[1]), to_f(v[2]), &x);
		lo = to_f(zero.v);
		hi = to_f(away.v);
	}
	if (negative) {
		x = -x;
		lo = -lo;
		hi = -hi;
	}
	near.v = x - lo < hi - x ? zero.v : away.v;
	return near;
}

static struct result ref_arith(enum arith op, bool wide, const uint64_t v[3], unsigned int rm)
{
	return rm == RMM ? ref_rmm(op, wide, v) : host_arith(op, wide, v, rm);
}

/* Set up @n harts, run one instruction with given operands, compare each. */
struct lane_case {
	uint64_t in[3]; /* f1, f2, f3 or, for conversions, x11 */
	uint8_t fcsr;
	struct result want;
};

static bool run_lanes(struct isa_env *env, uint32_t word, struct lane_case *cases, unsigned int n,
		      bool x_result)
{
	struct isa_hart h;

	ENV_CODE_OF(env, word, EXIT);
	env_group(env, n);
	for (unsigned int l = 0; l < n; l++) {
		isa_hart_get(env->g, l, &h);
		for (unsigned int k = 0; k < 3; k++)
			h.f[1 + k] = cases[l].in[k];
		h.x[A1] = cases[l].in[0];
		h.fcsr = cases[l].fcsr;
		isa_hart_set(env->g, l, &h);
	}
	if (env_run(env, FOREVER) != ISA_STOP_DONE) {
		printf("# insn %#x: fault %u\n", word, env->fault.cause);
		return false;
	}
	for (unsigned int l = 0; l < n; l++) {
		const struct lane_case *c = &cases[l];
		uint64_t got;

		isa_hart_get(env->g, l, &h);
		got = x_result ? h.x[A0] : h.f[0];
		if (c->want.unknown || (got == c->want.v && h.fcsr == (c->fcsr | c->want.flags)))
			continue;
		printf("# insn %#x lane %u of %u: %#llx %#llx %#llx, fcsr %#x: got %#llx %#x, "
		       "want %#llx %#x\n",
		       word, l, n, (unsigned long long)c->in[0], (unsigned long long)c->in[1],
		       (unsigned long long)c->in[2], c->fcsr, (unsigned long long)got, h.fcsr,
		       (unsigned long long)c->want.v, c->want.flags);
		return false;
	}
	return true;
}

static uint32_t arith_word(enum arith op, bool wide, unsigned int rm)
{
	static const uint32_t f7[] = { 0x00, 0x04, 0x08, 0x0c, 0x2c };
	static const uint32_t opcode[] = { 0x43, 0x47, 0x4b, 0x4f };

	if (op < MADD)
		return rv_r(0x53, rm, f7[op] | wide, 0, 1, op == SQRT_ ? 0 : 2);
	return rv_r(opcode[op - MADD], rm, 3 << 2 | wide, 0, 1, 2);
}

/* Operands of the @nr-th case: pairs of specials first, then random ones. */
static void operands(bool wide, unsigned int nr, uint64_t v[3])
{
	unsigned int specials = wide ? NR_SPECIAL64 : NR_SPECIAL32;

	for (unsigned int k = 0; k < 3; k++)
		v[k] = random_fp(wide);
	if (nr < specials * specials) {
		v[0] = wide ? special64[nr / specials] : special32[nr / specials];
		v[1] = wide ? special64[nr % specials] : special32[nr % specials];
		if (nr % 4 == 1)
			v[2] = wide ? NAN64 : NAN32;
	}
	for (unsigned int k = 0; k < 3 && !wide; k++)
		v[k] |= BOX;
}

/* @dyn: the rounding mode comes from frm. */
static bool check_arith(struct isa_env *env, enum arith op, bool wide, unsigned int rm, bool dyn,
			unsigned int lanes)
{
	struct lane_case cases[ISA_LANES];
	unsigned int nr;

	for (nr = 0; nr < 6000; nr += lanes) {
		for (unsigned int l = 0; l < lanes; l++) {
			struct lane_case *c = &cases[l];

			operands(wide, nr + l, c->in);
			/* Few flags set at first, more later. */
			c->fcsr = (uint8_t)(env_random() >> 32) & 31 & (nr & 64 ? 31 : 1);
			if (dyn)
				c->fcsr |= (uint8_t)(rm << 5);
			c->want = ref_arith(op, wide, c->in, rm);
		}
		if (!run_lanes(env, arith_word(op, wide, dyn ? DYN : rm), cases, lanes, false))
			return false;
	}
	return true;
}

static void test_arith(struct isa_env *env)
{
	static const char *const name[] = { "fadd",  "fsub",  "fmul",	"fdiv",	 "fsqrt",
					    "fmadd", "fmsub", "fnmsub", "fnmadd" };
	static const char *const mode[] = { "rne", "rtz", "rdn", "rup", "rmm" };

	for (enum arith op = ADD_; op <= NMADD; op++) {
		for (unsigned int wide = 0; wide < 2; wide++) {
			for (unsigned int rm = RNE; rm <= RMM; rm++) {
				bool good = check_arith(env, op, wide, rm, false, 16) &&
					    check_arith(env, op, wide, rm, true, 16) &&
					    check_arith(env, op, wide, rm, rm & 1, 5);

				ok(good, "%s.%c %s", name[op], wide ? 'd' : 's', mode[rm]);
			}
		}
	}
}

/* The ways that a host without fused multiply-add takes. */
static void test_without_fma(struct isa_env *env)
{
	bool had = env->e->use_fma;

	env->e->use_fma = false;
	for (enum arith op = MADD; op <= NMADD; op++)
		ok(check_arith(env, op, false, RNE, false, 16) &&
			   check_arith(env, op, false, RNE, true, 16) &&
			   check_arith(env, op, false, RNE, false, 5) &&
			   check_arith(env, op, true, RNE, false, 16),
		   "fused multiply-add %d without the host's", op - MADD);
	env->e->use_fma = had;
}

static bool is_nan(uint64_t v, bool wide)
{
	return wide ? to_d(v) != to_d(v) : to_f(v) != to_f(v);
}

static bool is_snan(uint64_t v, bool wide)
{
	return is_nan(v, wide) && !(v >> (wide ? 51 : 22) & 1);
}

static uint64_t unboxed(uint64_t v, bool wide)
{
	return wide || v >> 32 == 0xffffffff ? v : BOX | NAN32;
}

/* min 0, max 1 */
static struct result ref_minmax(const uint64_t v[3], bool wide, bool max)
{
	uint64_t nan = wide ? NAN64 : BOX | NAN32;
	bool nan_a = is_nan(v[0], wide), nan_b = is_nan(v[1], wide);
	double a = wide ? to_d(v[0]) : (double)to_f(v[0]);
	double b = wide ? to_d(v[1]) : (double)to_f(v[1]);
	struct result r = { 0 };

	if (is_snan(v[0], wide) || is_snan(v[1], wide))
		r.flags = NV;
	if (nan_a || nan_b)
		r.v = nan_a && nan_b ? nan : nan_a ? v[1] : v[0];
	else if (a == b)
		r.v = (signbit(a) != 0) == max ? v[1] : v[0];
	else
		r.v = (a < b) == max ? v[1] : v[0];
	return r;
}

/* le 0, lt 1, eq 2 */
static struct result ref_compare(const uint64_t v[3], bool wide, unsigned int f3)
{
	double a = wide ? to_d(v[0]) : (double)to_f(v[0]);
	double b = wide ? to_d(v[1]) : (double)to_f(v[1]);
	bool nan = is_nan(v[0], wide) || is_nan(v[1], wide);
	struct result r = { 0 };

	if (is_snan(v[0], wide) || is_snan(v[1], wide) || (nan && f3 < 2))
		r.flags = NV;
	if (!nan)
		r.v = f3 == 0 ? a <= b : f3 == 1 ? a < b : a == b;
	return r;
}

static struct result ref_sgnj(const uint64_t v[3], bool wide, unsigned int f3)
{
	unsigned int sign = wide ? 63 : 31;
	uint64_t s = v[1] >> sign & 1;

	s = f3 == 0 ? s : f3 == 1 ? !s : s ^ (v[0] >> sign & 1);
	return (struct result){ .v = (v[0] & ~(1ull << sign)) | s << sign };
}

static struct result ref_class(uint64_t v, bool wide)
{
	double d = wide ? to_d(v) : (double)to_f(v);
	bool neg = v >> (wide ? 63 : 31) & 1;
	int class = wide ? fpclassify(to_d(v)) : fpclassify(to_f(v));
	unsigned int n;

	if (is_nan(v, wide))
		n = is_snan(v, wide) ? 8 : 9;
	else if (isinf(d))
		n = neg ? 0 : 7;
	else if (class == FP_NORMAL)
		n = neg ? 1 : 6;
	else if (class == FP_SUBNORMAL)
		n = neg ? 2 : 5;
	else
		n = neg ? 3 : 4;
	return (struct result){ .v = 1ull << n };
}

enum two { SGNJ, MINMAX, COMPARE, CLASS };

static bool check_two(struct isa_env *env, enum two kind, bool wide, unsigned int f3,
		      unsigned int lanes)
{
	static const uint32_t f7[] = { 0x10, 0x14, 0x50, 0x70 };
	struct lane_case cases[ISA_LANES];
	bool x_result = kind >= COMPARE;
	uint32_t word =
		rv_r(0x53, f3, f7[kind] | wide, x_result ? A0 : 0, 1, kind == CLASS ? 0 : 2);

	for (unsigned int nr = 0; nr < 6000; nr += lanes) {
		for (unsigned int l = 0; l < lanes; l++) {
			struct lane_case *c = &cases[l];
			uint64_t v[3];

			operands(wide, nr + l, c->in);
			if (!wide && nr % 5 == 4)
				c->in[l & 1] ^= 1ull << (32 + l);
			for (unsigned int k = 0; k < 3; k++)
				v[k] = unboxed(c->in[k], wide);
			c->fcsr = (uint8_t)(env_random() >> 40);
			c->want = kind == SGNJ	  ? ref_sgnj(v, wide, f3) :
				  kind == MINMAX  ? ref_minmax(v, wide, f3) :
				  kind == COMPARE ? ref_compare(v, wide, f3) :
						    ref_class(v[0], wide);
		}
		if (!run_lanes(env, word, cases, lanes, x_result))
			return false;
	}
	return true;
}

static void test_two(struct isa_env *env)
{
	static const struct {
		const char *name;
		enum two kind;
		unsigned int f3;
	} ops[] = {
		{ "fsgnj", SGNJ, 0 },  { "fsgnjn", SGNJ, 1 }, { "fsgnjx", SGNJ, 2 },
		{ "fmin", MINMAX, 0 }, { "fmax", MINMAX, 1 }, { "fle", COMPARE, 0 },
		{ "flt", COMPARE, 1 }, { "feq", COMPARE, 2 }, { "fclass", CLASS, 1 },
	};

	for (unsigned int k = 0; k < sizeof(ops) / sizeof(ops[0]); k++)
		for (unsigned int wide = 0; wide < 2; wide++)
			ok(check_two(env, ops[k].kind, wide, ops[k].f3, 16) &&
				   check_two(env, ops[k].kind, wide, ops[k].f3, 7),
			   "%s.%c", ops[k].name, wide ? 'd' : 's');
}

/* Integer types in the encoding's order: w, wu, l, lu. */
static __float128 int_min(unsigned int type)
{
	return type & 1 ? 0 : type == 0 ? -0x1p31q : -0x1p63q;
}

static __float128 int_max(unsigned int type)
{
	static const uint64_t max[] = { INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX };

	return max[type];
}

static __float128 round_quad(__float128 x, unsigned int rm)
{
	__float128 t = (__float128)(__int128)x, frac = x - t, half = 0.5q;
	__float128 away = x < 0 ? t - 1 : t + 1;

	if (frac < 0)
		frac = -frac;
	if (frac == 0)
		return t;
	switch (rm) {
	case RTZ:
		return t;
	case RDN:
		return x < 0 ? away : t;
	case RUP:
		return x < 0 ? t : away;
	case RMM:
		return frac >= half ? away : t;
	default:
		if (frac == half)
			return (__int128)t % 2 ? away : t;
		return frac > half ? away : t;
	}
}

static struct result ref_to_int(uint64_t v, bool wide, unsigned int type, unsigned int rm)
{
	__float128 x = wide ? to_d(v) : (double)to_f(v), r;
	struct result out = { 0 };
	__float128 limit = 0x1p100q;

	if (is_nan(v, wide) || x >= limit)
		r = int_max(type) + 1;
	else if (x <= -limit)
		r = int_min(type) - 1;
	else
		r = round_quad(x, rm);
	if (r > int_max(type) || r < int_min(type)) {
		out.flags = NV;
		r = r > 0 ? int_max(type) : int_min(type);
	} else if (r != x) {
		out.flags = NX;
	}
	out.v = (uint64_t)(__int128)r;
	if (type < 2)
		out.v = (uint64_t)(int64_t)(int32_t)out.v;
	return out;
}

/* Conversion of an exact 128-bit value by libgcc, which obeys the host's mode. */
static struct result ref_round(__float128 x, bool wide, unsigned int rm)
{
	volatile __float128 vx = x;
	struct result r = { 0 };
	struct result zero, away;
	__float128 lo, hi;

	if (rm != RMM) {
		host_start(rm);
		r.v = wide ? from_d((double)vx) : from_f((float)vx);
		r.flags = host_end();
		return r;
	}
	zero = ref_round(x, wide, RTZ);
	away = ref_round(x, wide, x < 0 ? RDN : RUP);
	r = ref_round(x, wide, RNE);
	if (!(r.flags & NX))
		return r;
	if ((zero.flags | away.flags | r.flags) & (OF | UF)) {
		r.unknown = true;
		return r;
	}
	lo = wide ? to_d(zero.v) : (double)to_f(zero.v);
	hi = wide ? to_d(away.v) : (double)to_f(away.v);
	lo = x - lo;
	hi = hi - x;
	r.v = (lo < 0 ? -lo : lo) < (hi < 0 ? -hi : hi) ? zero.v : away.v;
	return r;
}

static uint64_t random_int(void)
{
	uint64_t r = env_random(), v = env_random();

	switch (r & 7) {
	case 0:
		return v % 5 - 2;
	case 1:
		return 1ull << v % 64;
	case 2:
		return (1ull << v % 64) - 1;
	case 3:
		return ~0ull << v % 64;
	case 4:
		return (uint32_t)v;
	case 5:
		return (1ull << v % 64) + (1ull << (v >> 8) % 64);
	default:
		return v >> (r >> 8) % 64;
	}
}

enum conv { TO_INT, FROM_INT, BETWEEN };

static bool check_conv(struct isa_env *env, enum conv kind, bool wide, unsigned int type,
		       unsigned int rm, bool dyn)
{
	struct lane_case cases[ISA_LANES];
	unsigned int field = dyn ? DYN : rm;
	uint32_t word = kind == TO_INT	 ? rv_r(0x53, field, 0x60 | wide, A0, 1, type) :
			kind == FROM_INT ? rv_r(0x53, field, 0x68 | wide, 0, A1, type) :
					   rv_r(0x53, field, 0x20 | !wide, 0, 1, wide);

	for (unsigned int nr = 0; nr < 8000; nr += ISA_LANES) {
		for (unsigned int l = 0; l < ISA_LANES; l++) {
			struct lane_case *c = &cases[l];
			uint64_t v;

			operands(wide, (nr + l) * (wide ? NR_SPECIAL64 : NR_SPECIAL32), c->in);
			c->fcsr = (uint8_t)(env_random() >> 40) & 31;
			if (dyn)
				c->fcsr |= (uint8_t)(rm << 5);
			if (kind == FROM_INT)
				c->in[0] = random_int();
			else if (!wide && env_random() % 16 == 0)
				c->in[0] ^= 1ull << 40;
			v = c->in[0];
			if (kind == FROM_INT)
				c->want = ref_round(type == 0 ? (int32_t)v :
						    type == 1 ? (uint32_t)v :
						    type == 2 ? (__float128)(int64_t)v :
								(__float128)v,
						    wide, rm);
			else if (kind == TO_INT)
				c->want = ref_to_int(unboxed(v, wide), wide, type, rm);
			else if (is_nan(unboxed(v, wide), wide))
				c->want = (struct result){
					.v = wide ? BOX | NAN32 : NAN64,
					.flags = is_snan(unboxed(v, wide), wide) ? NV : 0,
				};
			else
				c->want = ref_round(wide ? to_d(v) : (double)to_f(v), !wide, rm);
		}
		if (!run_lanes(env, word, cases, ISA_LANES, kind == TO_INT))
			return false;
	}
	return true;
}

static bool check_conv_modes(struct isa_env *env, enum conv kind, bool wide, unsigned int type)
{
	for (unsigned int rm = RNE; rm <= RMM; rm++)
		if (!check_conv(env, kind, wide, type, rm, false) ||
		    !check_conv(env, kind, wide, type, rm, true))
			return false;
	return true;
}

static void test_conversions(struct isa_env *env)
{
	static const char *const type[] = { "w", "wu", "l", "lu" };

	for (unsigned int wide = 0; wide < 2; wide++) {
		char fmt = wide ? 'd' : 's';

		for (unsigned int t = 0; t < 4; t++) {
			ok(check_conv_modes(env, TO_INT, wide, t), "fcvt.%s.%c", type[t], fmt);
			ok(check_conv_modes(env, FROM_INT, wide, t), "fcvt.%c.%s", fmt, type[t]);
		}
		ok(check_conv_modes(env, BETWEEN, wide, 0), "fcvt.%c.%c", wide ? 's' : 'd', fmt);
	}
}

static void test_moves(struct isa_env *env)
{
	struct lane_case c[3] = { { .in = { 0x123456789abcdef0 } },
				  { .in = { 0xffffffff7fa00000 } },
				  { .in = { 0x0000000080000001 } } };
	static const uint64_t x_w[] = { 0xffffffff9abcdef0, 0x7fa00000, 0xffffffff80000001 };

	for (unsigned int n = 0; n < 3; n++)
		c[n].want.v = x_w[n];
	ok(run_lanes(env, rv_r(0x53, 0, 0x70, A0, 1, 0), c, 3, true), "fmv.x.w ignores boxes");
	for (unsigned int n = 0; n < 3; n++)
		c[n].want.v = BOX | c[n].in[0];
	ok(run_lanes(env, rv_r(0x53, 0, 0x78, 0, A1, 0), c, 3, false), "fmv.w.x boxes");
	for (unsigned int n = 0; n < 3; n++)
		c[n].want.v = c[n].in[0];
	ok(run_lanes(env, rv_r(0x53, 0, 0x71, A0, 1, 0), c, 3, true), "fmv.x.d");
	ok(run_lanes(env, rv_r(0x53, 0, 0x79, 0, A1, 0), c, 3, false), "fmv.d.x");
}

/* Each operand of single arithmetic without its box is a quiet NaN. */
static void test_boxing(struct isa_env *env)
{
	bool good = true;

	for (enum arith op = ADD_; op <= NMADD; op++) {
		unsigned int operands_of = op == SQRT_ ? 1 : op < MADD ? 2 : 3;

		for (unsigned int bad = 0; bad < operands_of; bad++) {
			struct lane_case c[ISA_LANES];

			for (unsigned int l = 0; l < ISA_LANES; l++) {
				for (unsigned int k = 0; k < 3; k++)
					c[l].in[k] = BOX | 0x3f800000;
				c[l].in[bad] ^= 1ull << (32 + 2 * l);
				c[l].fcsr = 0;
				c[l].want = (struct result){ .v = BOX | NAN32 };
			}
			good &= run_lanes(env, arith_word(op, false, RNE), c, ISA_LANES, false);
		}
	}
	ok(good, "singles that are not boxed are NaN");
}

static bool bad_rm(struct isa_env *env, uint32_t word, uint8_t frm, unsigned int lane)
{
	struct isa_hart h;

	ENV_CODE_OF(env, word, EXIT);
	env_group(env, 16);
	isa_hart_get(env->g, lane, &h);
	h.fcsr = (uint32_t)frm << 5;
	isa_hart_set(env->g, lane, &h);
	return env_run(env, FOREVER) == ISA_STOP_FAULT && env->fault.cause == ISA_CAUSE_ILLEGAL &&
	       env->fault.hart == lane && env->retired == lane && env->fault.insn == word;
}

static void test_rounding_modes(struct isa_env *env)
{
	bool fixed = true, dynamic = true;

	for (unsigned int rm = 5; rm <= 7; rm++) {
		for (enum arith op = ADD_; op <= NMADD; op++) {
			if (rm < 7)
				fixed &= bad_rm(env, arith_word(op, op & 1, rm), 0, 0);
			dynamic &= bad_rm(env, arith_word(op, op & 1, DYN), (uint8_t)rm, 5);
		}
		if (rm < 7)
			fixed &= bad_rm(env, rv_r(0x53, rm, 0x60, A0, 1, 0), 0, 0) &&
				 bad_rm(env, rv_r(0x53, rm, 0x69, 1, A0, 3), 0, 0);
		dynamic &= bad_rm(env, rv_r(0x53, DYN, 0x61, A0, 1, 2), (uint8_t)rm, 15);
	}
	ok(fixed, "reserved rounding modes are illegal");
	ok(dynamic, "reserved modes in frm are illegal, in that hart");
}

/* Flags of different harts do not mix, through many operations and masks. */
static void test_flags_apart(struct isa_env *env)
{
	bool good = true;

	/* f0 = a1 / a2; harts with an odd id also overflow, then flags are read. */
	ENV_CODE_OF(env, CSRRS(A3, 0xcd1, X0), rv_r(0x53, 7, 0x68, 0, A1, 0),
		    rv_r(0x53, 7, 0x68, 1, A2, 0), rv_r(0x53, 7, 0x0c, 2, 0, 1), ANDI(A3, A3, 1),
		    BEQ(A3, X0, 16), LUI(A4, 0x7f000), rv_r(0x53, 0, 0x78, 3, A4, 0),
		    rv_r(0x53, 7, 0x08, 3, 3, 3), CSRRS(A0, 0x001, X0), CSRRWI(X0, 0x001, 0),
		    rv_r(0x53, 7, 0x0c, 2, 0, 1), CSRRS(A5, 0x001, X0), EXIT);
	env_group(env, 48);
	for (unsigned int k = 0; k < 48; k++) {
		env_set_x(env, k, A1, k % 3);
		env_set_x(env, k, A2, k / 3 % 4);
	}
	good &= env_run(env, FOREVER) == ISA_STOP_DONE;
	for (unsigned int k = 0; k < 48; k++) {
		unsigned int a = k % 3, b = k / 3 % 4;
		uint32_t want = !b ? (a ? DZ : NV) : a % b && b == 3 ? NX : 0;

		good &= env_x(env, k, A5) == want;
		good &= env_x(env, k, A0) == (want | (k & 1 ? OF | NX : 0));
	}
	ok(good, "each hart has its own flags");
}

int main(void)
{
	struct isa_env *env = env_new();

	test_arith(env);
	test_without_fma(env);
	test_two(env);
	test_conversions(env);
	test_moves(env);
	test_boxing(env);
	test_rounding_modes(env);
	test_flags_apart(env);
	env_free(env);
	return done();
}
