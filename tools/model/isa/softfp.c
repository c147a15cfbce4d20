// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: floating point in integers
 *
 * Slow and exact: used for the rounding modes and cases that the host's unit
 * does not do as RISC-V wants, and to find out which lane raised a flag.
 *
 * One set of functions serves both formats, described by struct format. A
 * finite number is unpacked to sign, exponent and a 64-bit significand whose
 * top bit is set: its value is sig / 2^63 * 2^exp. All arithmetic ends in
 * round_pack(), which gets such a number with everything below the last bit
 * or-ed into it ("jammed"). Addition and multiplication are special cases of
 * the fused multiply-add.
 */
#include "softfp.h"

typedef unsigned __int128 u128;

enum rounding { RNE, RTZ, RDN, RUP, RMM };

struct format {
	int bits; /* of the whole number */
	int sig_bits; /* of the significand, with the hidden one */
	int emax; /* largest exponent; the smallest is 1 - emax */
};

static const struct format f32 = { 32, 24, 127 };
static const struct format f64 = { 64, 53, 1023 };

enum kind { ZERO, FINITE, INFINITE, QNAN, SNAN };

struct num {
	enum kind kind;
	bool sign;
	int exp;
	uint64_t sig;
};

static uint64_t sign_bit(const struct format *f)
{
	return 1ull << (f->bits - 1);
}

static uint64_t inf_bits(const struct format *f)
{
	return (uint64_t)(2 * f->emax + 1) << (f->sig_bits - 1);
}

static uint64_t nan_bits(const struct format *f)
{
	return inf_bits(f) | 1ull << (f->sig_bits - 2);
}

static uint64_t with_sign(const struct format *f, bool sign, uint64_t v)
{
	return sign ? v | sign_bit(f) : v;
}

static struct num unpack(const struct format *f, uint64_t v)
{
	uint64_t frac = v & ((1ull << (f->sig_bits - 1)) - 1);
	int biased = (int)(v >> (f->sig_bits - 1)) & (2 * f->emax + 1);
	struct num n = { .sign = v & sign_bit(f) };
	int shift;

	if (biased == 2 * f->emax + 1) {
		if (!frac)
			n.kind = INFINITE;
		else
			n.kind = frac >> (f->sig_bits - 2) ? QNAN : SNAN;
		return n;
	}
	if (!biased && !frac) {
		n.kind = ZERO;
		return n;
	}
	n.kind = FINITE;
	if (biased) {
		n.sig = (frac | 1ull << (f->sig_bits - 1)) << (64 - f->sig_bits);
		n.exp = biased - f->emax;
		return n;
	}
	shift = __builtin_clzll(frac);
	n.sig = frac << shift;
	n.exp = 1 - f->emax - (shift - (64 - f->sig_bits));
	return n;
}

/* Shift right, or-ing the bits that fall out into the last one. */
static uint64_t shift_jam(uint64_t v, int n)
{
	if (!n)
		return v;
	if (n > 63)
		return v != 0;
	return v >> n | (v << (64 - n) != 0);
}

static u128 shift_jam128(u128 v, int n)
{
	if (!n)
		return v;
	if (n > 127)
		return v != 0;
	return v >> n | (v << (128 - n) != 0);
}

/* Does rounding away @drop low bits of @sig go up in magnitude? */
static bool round_up(uint64_t sig, int drop, bool sign, uint8_t rm)
{
	uint64_t rest = sig & ((1ull << drop) - 1);
	uint64_t half = 1ull << (drop - 1);

	switch (rm) {
	case RNE:
		return rest > half || (rest == half && sig >> drop & 1);
	case RDN:
		return rest && sign;
	case RUP:
		return rest && !sign;
	case RMM:
		return rest >= half;
	default:
		return false;
	}
}

static uint64_t overflow(const struct format *f, bool sign, struct sf_env *env)
{
	bool to_inf = env->rm == RNE || env->rm == RMM || env->rm == (sign ? RDN : RUP);

	env->flags |= SF_OF | SF_NX;
	return with_sign(f, sign, inf_bits(f) - !to_inf);
}

/* Would @sig round up to the next power of two with unlimited exponents? */
static bool rounds_to_power(const struct format *f, bool sign, uint64_t sig, uint8_t rm)
{
	int drop = 64 - f->sig_bits;

	return sig >> drop == (1ull << f->sig_bits) - 1 && round_up(sig, drop, sign, rm);
}

/* @sig has its top bit set and is not zero. */
static uint64_t round_pack(const struct format *f, bool sign, int exp, uint64_t sig,
			   struct sf_env *env)
{
	int emin = 1 - f->emax;
	int drop = 64 - f->sig_bits;
	bool tiny = exp < emin;
	int biased = exp + f->emax;
	uint64_t out;

	if (exp > f->emax)
		return overflow(f, sign, env);
	if (tiny) {
		if (exp == emin - 1 && rounds_to_power(f, sign, sig, env->rm))
			tiny = false;
		sig = shift_jam(sig, emin - exp);
		biased = 1;
	}
	out = sig >> drop;
	if (sig & ((1ull << drop) - 1)) {
		out += round_up(sig, drop, sign, env->rm);
		env->flags |= SF_NX;
		if (tiny)
			env->flags |= SF_UF;
	}
	/* The hidden bit adds one to the exponent field, a carry another. */
	out += (uint64_t)(biased - 1) << (f->sig_bits - 1);
	if (out >= inf_bits(f))
		return overflow(f, sign, env);
	return with_sign(f, sign, out);
}

static uint64_t invalid(const struct format *f, struct sf_env *env)
{
	env->flags |= SF_NV;
	return nan_bits(f);
}

/* The result when at least one operand is a NaN. */
static uint64_t nan_result(const struct format *f, enum kind a, enum kind b, enum kind c,
			   struct sf_env *env)
{
	if (a == SNAN || b == SNAN || c == SNAN)
		env->flags |= SF_NV;
	return nan_bits(f);
}

static bool is_nan(const struct num *n)
{
	return n->kind >= QNAN;
}

/* Zero as a sum of opposite numbers is negative only when rounding down. */
static uint64_t zero_sum(const struct format *f, bool a, bool b, uint8_t rm)
{
	return with_sign(f, a == b ? a : rm == RDN, 0);
}

/*
 * Sum of two finite numbers with 128-bit significands whose bit 125 is the top
 * one. Jamming the smaller one is exact enough: bits are lost only when it is
 * so much smaller that at most one bit cancels, far above the jammed one.
 */
static uint64_t add_sigs(const struct format *f, bool sa, int ea, u128 a, bool sb, int eb, u128 b,
			 struct sf_env *env)
{
	bool sign = sa;
	uint64_t top;
	int exp, shift;
	u128 sum;

	if (ea >= eb) {
		exp = ea;
		b = shift_jam128(b, ea - eb);
	} else {
		exp = eb;
		a = shift_jam128(a, eb - ea);
	}
	if (sa == sb) {
		sum = a + b;
	} else if (a >= b) {
		sum = a - b;
	} else {
		sum = b - a;
		sign = sb;
	}
	if (!sum)
		return zero_sum(f, false, true, env->rm);
	top = (uint64_t)(sum >> 64);
	shift = top ? __builtin_clzll(top) : 64 + __builtin_clzll((uint64_t)sum);
	sum <<= shift;
	exp += 2 - shift;
	return round_pack(f, sign, exp, (uint64_t)(sum >> 64) | ((uint64_t)sum != 0), env);
}

static uint64_t fma_bits(const struct format *f, uint64_t va, uint64_t vb, uint64_t vc,
			 struct sf_env *env)
{
	struct num a = unpack(f, va), b = unpack(f, vb), c = unpack(f, vc);
	bool sign = a.sign != b.sign;
	int exp = a.exp + b.exp;
	u128 p;

	if ((a.kind == INFINITE && b.kind == ZERO) || (a.kind == ZERO && b.kind == INFINITE))
		return invalid(f, env);
	if (is_nan(&a) || is_nan(&b) || is_nan(&c))
		return nan_result(f, a.kind, b.kind, c.kind, env);
	if (a.kind == INFINITE || b.kind == INFINITE) {
		if (c.kind == INFINITE && c.sign != sign)
			return invalid(f, env);
		return with_sign(f, sign, inf_bits(f));
	}
	if (c.kind == INFINITE)
		return vc;
	if (a.kind == ZERO || b.kind == ZERO)
		return c.kind == ZERO ? zero_sum(f, sign, c.sign, env->rm) : vc;
	/* The product has its top bit at 126 or 127; make it 125. */
	p = (u128)a.sig * b.sig;
	if (p >> 127) {
		p = shift_jam128(p, 2);
		exp++;
	} else {
		p = shift_jam128(p, 1);
	}
	if (c.kind == ZERO)
		return add_sigs(f, sign, exp, p, sign, exp, 0, env);
	return add_sigs(f, sign, exp, p, c.sign, c.exp, (u128)c.sig << 62, env);
}

static uint64_t one_bits(const struct format *f)
{
	return (uint64_t)f->emax << (f->sig_bits - 1);
}

static uint64_t add_bits(const struct format *f, uint64_t a, uint64_t b, struct sf_env *env)
{
	return fma_bits(f, a, one_bits(f), b, env);
}

/* Adding a zero of the product's own sign changes nothing. */
static uint64_t mul_bits(const struct format *f, uint64_t a, uint64_t b, struct sf_env *env)
{
	return fma_bits(f, a, b, (a ^ b) & sign_bit(f), env);
}

static uint64_t div_bits(const struct format *f, uint64_t va, uint64_t vb, struct sf_env *env)
{
	struct num a = unpack(f, va), b = unpack(f, vb);
	bool sign = a.sign != b.sign;
	int exp = a.exp - b.exp;
	uint64_t q;
	u128 n;

	if (is_nan(&a) || is_nan(&b))
		return nan_result(f, a.kind, b.kind, ZERO, env);
	if (a.kind == b.kind && a.kind != FINITE)
		return invalid(f, env);
	if (a.kind == INFINITE)
		return with_sign(f, sign, inf_bits(f));
	if (a.kind == ZERO || b.kind == INFINITE)
		return with_sign(f, sign, 0);
	if (b.kind == ZERO) {
		env->flags |= SF_DZ;
		return with_sign(f, sign, inf_bits(f));
	}
	/* Make the quotient at least 1, so that its top bit is bit 63. */
	n = (u128)a.sig << 63;
	if (a.sig < b.sig) {
		n <<= 1;
		exp--;
	}
	q = (uint64_t)(n / b.sig);
	return round_pack(f, sign, exp, q | (n % b.sig != 0), env);
}

/*
 * Integer square roots by division, from that of the upper half to that of the whole (P.
 * Zimmermann, Karatsuba Square Root, INRIA RR-3805): with v = high * B^2 + mid * B + low and the
 * root s and the remainder r of high, (r * B + mid) / 2s is the lower half of the root, or one
 * too many. One of the two upper bits of each number is set.
 */
static uint32_t isqrt16(uint32_t v, uint32_t *rem)
{
	uint32_t r = 0, root = 0;

	for (int n = 7; n >= 0; n--) {
		r = r << 2 | (v >> (2 * n) & 3);
		root <<= 1;
		if (r > root << 1) {
			r -= root << 1 | 1;
			root |= 1;
		}
	}
	*rem = r;
	return root;
}

static uint64_t isqrt_double(uint64_t high_root, uint64_t high_rem, uint64_t mid, uint64_t low,
			     unsigned int bits, uint64_t *rem)
{
	uint64_t n = high_rem << bits | mid, q = n / (2 * high_root);
	uint64_t root = (high_root << bits) + q;
	int64_t left = (int64_t)((n % (2 * high_root)) << bits | low) - (int64_t)(q * q);

	if (left < 0) {
		left += (int64_t)(2 * root - 1);
		root--;
	}
	*rem = (uint64_t)left;
	return root;
}

static uint64_t isqrt64(uint64_t v, uint64_t *rem)
{
	uint32_t r;
	uint64_t root = isqrt16((uint32_t)(v >> 48), &r);

	root = isqrt_double(root, r, v >> 40 & 0xff, v >> 32 & 0xff, 8, rem);
	return isqrt_double(root, *rem, v >> 16 & 0xffff, v & 0xffff, 16, rem);
}

/* Of a number with bit 127 or 126 set. */
static uint64_t isqrt(u128 v, bool *exact)
{
	uint64_t high = v >> 64, part, rem;
	u128 n, root;
	__int128 left;

	part = isqrt64(high, &rem);
	n = (u128)rem << 32 | (uint32_t)(v >> 32);
	root = ((u128)part << 32) + n / (2 * part);
	left = (__int128)((n % (2 * part)) << 32 | (uint32_t)v);
	n /= 2 * part;
	left -= (__int128)(n * n);
	if (left < 0) {
		left += (__int128)(2 * root - 1);
		root--;
	}
	*exact = !left;
	return (uint64_t)root;
}

static uint64_t sqrt_bits(const struct format *f, uint64_t va, struct sf_env *env)
{
	struct num a = unpack(f, va);
	uint64_t root;
	bool exact;
	u128 v;

	if (is_nan(&a))
		return nan_result(f, a.kind, ZERO, ZERO, env);
	if (a.kind == ZERO)
		return va;
	if (a.sign)
		return invalid(f, env);
	if (a.kind == INFINITE)
		return va;
	/* An even exponent: 2^exp * v / 2^126 with v in [2^126, 2^128). */
	v = (u128)a.sig << 63;
	if (a.exp & 1) {
		v <<= 1;
		a.exp--;
	}
	root = isqrt(v, &exact);
	return round_pack(f, false, a.exp / 2, root | !exact, env);
}

/* Maps non-NaN numbers to integers in the same order; zeros are equal. */
static int64_t order(const struct format *f, uint64_t v)
{
	int64_t mag = (int64_t)(v & ~sign_bit(f));

	return v & sign_bit(f) ? -mag : mag;
}

static bool bits_are_nan(const struct format *f, uint64_t v)
{
	return (v & ~sign_bit(f)) > inf_bits(f);
}

static bool bits_are_snan(const struct format *f, uint64_t v)
{
	return bits_are_nan(f, v) && !(v >> (f->sig_bits - 2) & 1);
}

/* Minimum or maximum (@max); a NaN loses against a number, -0 is below +0. */
static uint64_t min_max(const struct format *f, uint64_t a, uint64_t b, bool max,
			struct sf_env *env)
{
	bool less;

	if (bits_are_snan(f, a) || bits_are_snan(f, b))
		env->flags |= SF_NV;
	if (bits_are_nan(f, a))
		return bits_are_nan(f, b) ? nan_bits(f) : b;
	if (bits_are_nan(f, b))
		return a;
	less = order(f, a) < order(f, b) || (order(f, a) == order(f, b) && (a & sign_bit(f)));
	return less != max ? a : b;
}

static bool unordered(const struct format *f, uint64_t a, uint64_t b, bool quiet,
		      struct sf_env *env)
{
	if (!bits_are_nan(f, a) && !bits_are_nan(f, b))
		return false;
	if (!quiet || bits_are_snan(f, a) || bits_are_snan(f, b))
		env->flags |= SF_NV;
	return true;
}

static uint64_t class_bits(const struct format *f, uint64_t v)
{
	struct num n = unpack(f, v);
	bool subnormal = n.exp < 1 - f->emax;

	switch (n.kind) {
	case SNAN:
		return 1u << 8;
	case QNAN:
		return 1u << 9;
	case INFINITE:
		return n.sign ? 1u << 0 : 1u << 7;
	case ZERO:
		return n.sign ? 1u << 3 : 1u << 4;
	default:
		if (n.sign)
			return subnormal ? 1u << 2 : 1u << 1;
		return subnormal ? 1u << 5 : 1u << 6;
	}
}

struct int_type {
	bool is_signed;
	uint64_t max; /* largest positive value */
	uint64_t min_mag; /* magnitude of the most negative value */
};

static const struct int_type type_i32 = { true, INT32_MAX, 1ull << 31 };
static const struct int_type type_u32 = { false, UINT32_MAX, 0 };
static const struct int_type type_i64 = { true, INT64_MAX, 1ull << 63 };
static const struct int_type type_u64 = { false, UINT64_MAX, 0 };

static uint64_t saturate(const struct int_type *t, bool negative, struct sf_env *env)
{
	env->flags |= SF_NV;
	return negative ? 0 - t->min_mag : t->max;
}

/* Two's complement result in 64 bits, NaN converts like +infinity. */
static uint64_t to_int(const struct format *f, uint64_t v, const struct int_type *t,
		       struct sf_env *env)
{
	struct num n = unpack(f, v);
	uint64_t mag = 0, limit = n.sign ? t->min_mag : t->max;
	uint64_t rest = n.sig;
	bool inexact, up;

	if (n.kind == ZERO)
		return 0;
	if (n.kind != FINITE)
		return saturate(t, n.kind == INFINITE && n.sign, env);
	if (n.exp > 63)
		return saturate(t, n.sign, env);
	/* Keep 62 fraction bits and a jammed one; one bit of integer part. */
	if (n.exp >= 0) {
		mag = n.sig >> (63 - n.exp);
		rest = n.exp == 63 ? 0 : n.sig << n.exp << 1;
	} else {
		rest = shift_jam(n.sig, -n.exp - 1);
	}
	inexact = rest;
	rest = shift_jam(rest, 2) | (mag & 1) << 62;
	up = inexact && round_up(rest, 62, n.sign, env->rm);
	if (mag > limit || (up && mag == limit))
		return saturate(t, n.sign, env);
	mag += up;
	if (inexact)
		env->flags |= SF_NX;
	return n.sign ? 0 - mag : mag;
}

static uint64_t from_mag(const struct format *f, bool sign, uint64_t mag, struct sf_env *env)
{
	int shift;

	if (!mag)
		return 0;
	shift = __builtin_clzll(mag);
	return round_pack(f, sign, 63 - shift, mag << shift, env);
}

static uint64_t from_signed(const struct format *f, int64_t v, struct sf_env *env)
{
	return from_mag(f, v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, env);
}

static uint64_t convert(const struct format *to, const struct format *from, uint64_t v,
			struct sf_env *env)
{
	struct num n = unpack(from, v);

	switch (n.kind) {
	case FINITE:
		return round_pack(to, n.sign, n.exp, n.sig, env);
	case ZERO:
		return with_sign(to, n.sign, 0);
	case INFINITE:
		return with_sign(to, n.sign, inf_bits(to));
	default:
		return nan_result(to, n.kind, ZERO, ZERO, env);
	}
}

uint32_t sf64_to_32(uint64_t a, struct sf_env *env)
{
	return (uint32_t)convert(&f32, &f64, a, env);
}

uint64_t sf32_to_64(uint32_t a, struct sf_env *env)
{
	return convert(&f64, &f32, a, env);
}

static uint64_t sext32(uint64_t v)
{
	return (uint64_t)(int64_t)(int32_t)v;
}

#define BINARY(bits, name, expr)                                                                 \
	uint##bits##_t sf##bits##_##name(uint##bits##_t a, uint##bits##_t b, struct sf_env *env) \
	{                                                                                        \
		return (uint##bits##_t)(expr);                                                   \
	}
#define COMPARE(bits, name, quiet, cmp)                                                          \
	bool sf##bits##_##name(uint##bits##_t a, uint##bits##_t b, struct sf_env *env)           \
	{                                                                                        \
		return !unordered(&f##bits, a, b, quiet, env) && order(&f##bits, a)              \
									 cmp order(&f##bits, b); \
	}
#define TO_INT(bits, type, post)                                            \
	uint64_t sf##bits##_to_##type(uint##bits##_t a, struct sf_env *env) \
	{                                                                   \
		return post(to_int(&f##bits, a, &type_##type, env));        \
	}
#define FROM_INT(bits, type, expr)                                            \
	uint##bits##_t sf##bits##_from_##type(uint64_t v, struct sf_env *env) \
	{                                                                     \
		return (uint##bits##_t)(expr);                                \
	}
#define DEFINE(bits)                                                                        \
	BINARY(bits, add, add_bits(&f##bits, a, b, env))                                    \
	BINARY(bits, sub, add_bits(&f##bits, a, b ^ sign_bit(&f##bits), env))               \
	BINARY(bits, mul, mul_bits(&f##bits, a, b, env))                                    \
	BINARY(bits, div, div_bits(&f##bits, a, b, env))                                    \
	BINARY(bits, min, min_max(&f##bits, a, b, false, env))                              \
	BINARY(bits, max, min_max(&f##bits, a, b, true, env))                               \
	COMPARE(bits, eq, true, ==)                                                         \
	COMPARE(bits, lt, false, <)                                                         \
	COMPARE(bits, le, false, <=)                                                        \
	TO_INT(bits, i32, sext32)                                                           \
	TO_INT(bits, u32, sext32)                                                           \
	TO_INT(bits, i64, )                                                                 \
	TO_INT(bits, u64, )                                                                 \
	FROM_INT(bits, i32, from_signed(&f##bits, (int32_t)v, env))                         \
	FROM_INT(bits, u32, from_mag(&f##bits, false, (uint32_t)v, env))                    \
	FROM_INT(bits, i64, from_signed(&f##bits, (int64_t)v, env))                         \
	FROM_INT(bits, u64, from_mag(&f##bits, false, v, env))                              \
	uint##bits##_t sf##bits##_sqrt(uint##bits##_t a, struct sf_env *env)                \
	{                                                                                   \
		return (uint##bits##_t)sqrt_bits(&f##bits, a, env);                         \
	}                                                                                   \
	uint##bits##_t sf##bits##_fma(uint##bits##_t a, uint##bits##_t b, uint##bits##_t c, \
				      struct sf_env *env)                                   \
	{                                                                                   \
		return (uint##bits##_t)fma_bits(&f##bits, a, b, c, env);                    \
	}                                                                                   \
	uint64_t sf##bits##_class(uint##bits##_t a)                                         \
	{                                                                                   \
		return class_bits(&f##bits, a);                                             \
	}

DEFINE(32)
DEFINE(64)
