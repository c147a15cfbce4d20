// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: floating-point arithmetic
 *
 * Add, subtract, multiply, divide, square root and fused multiply-add run on
 * the host's vector unit. Where an instruction rounds other than to nearest
 * even the host is told so around it. What the host cannot do, or not for all
 * lanes at once, is done by softfp.c: round to nearest with ties away from zero
 * (but for roots, which have no ties), and lanes with different modes in frm.
 *
 * fflags are per hart, the host's sticky flags are not. So the host's flags
 * are kept at what *all* active lanes have in their fcsr already. An operation
 * that raises another one is repeated in softfp.c for the lanes that lack it,
 * to learn whose it was. Most programs set "inexact" once in each lane, then
 * the check is one read of the host's register per 16 operations.
 */
#include "fp.h"
#include "hostfp.h"

typedef uint64_t (*soft_op)(uint64_t a, uint64_t b, uint64_t c, struct sf_env *env);

void isa_fp_changed(struct isa_ctx *c)
{
	c->fp_mask = 0;
}

void isa_fp_setup(struct isa_ctx *c)
{
	uint8_t all = 0xff, any = 0;

	ISA_FOR_ALL(l) {
		uint8_t in = c->mask >> l & 1 ? 0xff : 0;

		all &= (uint8_t)(c->w->fcsr[l] | ~in);
		any |= c->w->fcsr[l] & in;
	}
	c->frm = (all ^ any) >> ISA_FRM_SHIFT ? ISA_RM_DYN : all >> ISA_FRM_SHIFT;
	c->fp_sticky = isa_hostfp_from_fflags(all & ISA_FFLAGS_MASK);
	c->fp_mask = c->mask;
	isa_hostfp_write(ISA_MXCSR_DEFAULT | c->fp_sticky);
}

/* All lanes of the mask, one by one, with any rounding mode. */
static enum isa_next soft_lanes(struct isa_ctx *c, const struct isa_insn *i, soft_op op)
{
	struct isa_wave *w = c->w;

	ISA_FOR_MASK(l, c->mask) {
		struct sf_env env = { .rm = fp_lane_rm(c, i, l) };

		if (env.rm > ISA_RM_RMM)
			return isa_raise(c, l, ISA_CAUSE_ILLEGAL, i->bits);
		w->f[i->rd][l] = op(w->f[i->rs1][l], w->f[i->rs2][l], w->f[i->rs3][l], &env);
		w->fcsr[l] |= env.flags;
	}
	return ISA_NEXT;
}

/* The host raised flags that some lanes lack; operands are still in place. */
static void attribute_flags(struct isa_ctx *c, const struct isa_insn *i, uint8_t rm,
			    uint32_t raised, soft_op op)
{
	uint32_t flags = isa_hostfp_to_fflags(raised);
	struct isa_wave *w = c->w;

	ISA_FOR_MASK(l, c->mask) {
		struct sf_env env = { .rm = rm };

		if (!(flags & ~w->fcsr[l]))
			continue;
		op(w->f[i->rs1][l], w->f[i->rs2][l], w->f[i->rs3][l], &env);
		w->fcsr[l] |= env.flags;
	}
	isa_fp_setup(c);
}

/*
 * Rounding mode in which the host can do @i for all active lanes; above ISA_RM_RUP: none.
 * @ties: the exact result may lie halfway between two numbers.
 */
ISA_INLINE uint8_t host_rm(const struct isa_ctx *c, const struct isa_insn *i, bool ties)
{
	uint8_t rm = i->rm == ISA_RM_DYN ? c->frm : i->rm;

	if (!ISA_HAVE_HOSTFP)
		return ISA_RM_DYN;
	return rm == ISA_RM_RMM && !ties ? ISA_RM_RNE : rm;
}

/* Operands are read after this, the compiler keeps to that: it may change memory. */
ISA_INLINE void host_begin(const struct isa_ctx *c, uint8_t rm)
{
	if (unlikely(rm != ISA_RM_RNE))
		isa_hostfp_write(ISA_MXCSR_DEFAULT | isa_hostfp_from_rm(rm) | c->fp_sticky);
}

/* @out makes the compiler finish the operation before flags are read. */
#define HOST_END(c, i, rm, out, op)                                              \
	do {                                                                     \
		uint32_t raised_;                                                \
                                                                                 \
		__asm__ volatile("" : "+m"(out));                                \
		raised_ = isa_hostfp_read() & ISA_MXCSR_FLAGS & ~(c)->fp_sticky; \
		if (unlikely(raised_))                                           \
			attribute_flags(c, i, rm, raised_, op);                  \
		else if (unlikely((rm) != ISA_RM_RNE))                           \
			isa_hostfp_write(ISA_MXCSR_DEFAULT | (c)->fp_sticky);    \
	} while (0)

/* Are all active lanes of a register proper singles? */
ISA_INLINE bool boxed(const uint64_t *r, uint32_t mask, bool full)
{
	uint64_t all = ~0ull;

	if (full) {
		ISA_FOR_ALL(l)
			all &= r[l];
	} else {
		ISA_FOR_MASK(l, mask)
			all &= r[l];
	}
	return all >= FP_BOX;
}

ISA_INLINE uint32_t canonical32(float r)
{
	return r == r ? fp_from_float(r) : SF_NAN32;
}

ISA_INLINE uint64_t canonical64(double r)
{
	return r == r ? fp_from_double(r) : SF_NAN64;
}

struct lanes32 {
	uint32_t v[ISA_LANES];
};

struct lanes64 {
	uint64_t v[ISA_LANES];
};

ISA_INLINE void put32(struct isa_ctx *c, uint64_t *d, const struct lanes32 *out, bool full)
{
	if (full) {
		ISA_FOR_ALL(l)
			d[l] = fp_box(out->v[l]);
	} else {
		ISA_FOR_MASK(l, c->mask)
			d[l] = fp_box(out->v[l]);
	}
}

ISA_INLINE void put64(struct isa_ctx *c, uint64_t *d, const struct lanes64 *out, bool full)
{
	if (full) {
		ISA_FOR_ALL(l)
			d[l] = out->v[l];
	} else {
		ISA_FOR_MASK(l, c->mask)
			d[l] = out->v[l];
	}
}

ISA_INLINE enum isa_next exec_fp32(struct isa_ctx *c, const struct isa_insn *i,
				   float (*op)(float, float), bool ties, soft_op soft, bool full)
{
	const uint64_t *a = c->w->f[i->rs1];
	const uint64_t *b = c->w->f[i->rs2];
	uint8_t rm = host_rm(c, i, ties);
	struct lanes32 out = { { 0 } };

	if (unlikely(rm > ISA_RM_RUP || !boxed(a, c->mask, full) || !boxed(b, c->mask, full)))
		return soft_lanes(c, i, soft);
	host_begin(c, rm);
	if (full) {
		ISA_FOR_ALL(l)
			out.v[l] = canonical32(
				op(fp_to_float((uint32_t)a[l]), fp_to_float((uint32_t)b[l])));
	} else {
		ISA_FOR_MASK(l, c->mask)
			out.v[l] = canonical32(
				op(fp_to_float((uint32_t)a[l]), fp_to_float((uint32_t)b[l])));
	}
	HOST_END(c, i, rm, out, soft);
	put32(c, c->w->f[i->rd], &out, full);
	return ISA_NEXT;
}

ISA_INLINE enum isa_next exec_fp64(struct isa_ctx *c, const struct isa_insn *i,
				   double (*op)(double, double), bool ties, soft_op soft, bool full)
{
	const uint64_t *a = c->w->f[i->rs1];
	const uint64_t *b = c->w->f[i->rs2];
	uint8_t rm = host_rm(c, i, ties);
	struct lanes64 out = { { 0 } };

	if (unlikely(rm > ISA_RM_RUP))
		return soft_lanes(c, i, soft);
	host_begin(c, rm);
	if (full) {
		ISA_FOR_ALL(l)
			out.v[l] = canonical64(op(fp_to_double(a[l]), fp_to_double(b[l])));
	} else {
		ISA_FOR_MASK(l, c->mask)
			out.v[l] = canonical64(op(fp_to_double(a[l]), fp_to_double(b[l])));
	}
	HOST_END(c, i, rm, out, soft);
	put64(c, c->w->f[i->rd], &out, full);
	return ISA_NEXT;
}

/* Signs that make the four fused multiply-adds from one. */
struct fma_signs {
	bool product;
	bool addend;
};

static const struct fma_signs signs_madd = { false, false };
static const struct fma_signs signs_msub = { false, true };
static const struct fma_signs signs_nmsub = { true, false };
static const struct fma_signs signs_nmadd = { true, true };

#ifdef __x86_64__
__attribute__((target("avx2,fma"), noinline)) static void
fma32_host(struct lanes32 *out, const uint64_t *a, const uint64_t *b, const uint64_t *addend,
	   struct fma_signs s, uint32_t mask)
{
	uint32_t na = s.product ? 1u << 31 : 0;
	uint32_t nc = s.addend ? 1u << 31 : 0;

	if (mask == ISA_ALL_LANES) {
		ISA_FOR_ALL(l)
			out->v[l] = canonical32(__builtin_fmaf(
				fp_to_float((uint32_t)a[l] ^ na), fp_to_float((uint32_t)b[l]),
				fp_to_float((uint32_t)addend[l] ^ nc)));
		return;
	}
	ISA_FOR_MASK(l, mask)
		out->v[l] = canonical32(__builtin_fmaf(fp_to_float((uint32_t)a[l] ^ na),
						       fp_to_float((uint32_t)b[l]),
						       fp_to_float((uint32_t)addend[l] ^ nc)));
}

__attribute__((target("avx2,fma"), noinline)) static void
fma64_host(struct lanes64 *out, const uint64_t *a, const uint64_t *b, const uint64_t *addend,
	   struct fma_signs s, uint32_t mask)
{
	uint64_t na = s.product ? 1ull << 63 : 0;
	uint64_t nc = s.addend ? 1ull << 63 : 0;

	if (mask == ISA_ALL_LANES) {
		ISA_FOR_ALL(l)
			out->v[l] = canonical64(__builtin_fma(fp_to_double(a[l] ^ na),
							      fp_to_double(b[l]),
							      fp_to_double(addend[l] ^ nc)));
		return;
	}
	ISA_FOR_MASK(l, mask)
		out->v[l] = canonical64(__builtin_fma(fp_to_double(a[l] ^ na), fp_to_double(b[l]),
						      fp_to_double(addend[l] ^ nc)));
}
#else
/* Never called: host_rounds() is false. */
static void fma32_host(struct lanes32 *out, const uint64_t *a, const uint64_t *b,
		       const uint64_t *addend, struct fma_signs s, uint32_t mask)
{
	(void)out, (void)a, (void)b, (void)addend, (void)s, (void)mask;
}

static void fma64_host(struct lanes64 *out, const uint64_t *a, const uint64_t *b,
		       const uint64_t *addend, struct fma_signs s, uint32_t mask)
{
	(void)out, (void)a, (void)b, (void)addend, (void)s, (void)mask;
}
#endif

struct lanes_double {
	double v[ISA_LANES];
};

/*
 * Would rounding the double @bits again, to a single, go wrong? @bits is an
 * exact product of singles plus a single, rounded once. It is wrong only if,
 * to nearest,
 * the first rounding ended halfway between two singles, or if the single is
 * subnormal (halfway is elsewhere then).
 */
ISA_INLINE uint32_t rounds_twice(uint64_t bits)
{
	uint32_t low = (uint32_t)bits & 0x1fffffff;
	uint32_t mag = (uint32_t)(bits >> 32) & 0x7fffffff;

	/* Zero wraps and is fine; a nonzero sum has a nonzero upper half. */
	return (low == 0x10000000) | (mag - 1 < 0x38200000 - 1);
}

/*
 * Fused multiply-add of singles on a host without it: in double the product is
 * exact. Lanes that rounds_twice() names get their result from softfp.c. The
 * flags that the host raises on the way to the sum are right for all lanes.
 */
ISA_INLINE void fma32_double(struct isa_ctx *c, const struct isa_insn *i, uint8_t rm,
			     struct lanes32 *out, struct fma_signs s, soft_op soft, bool full)
{
	const uint64_t *a = c->w->f[i->rs1];
	const uint64_t *b = c->w->f[i->rs2];
	const uint64_t *addend = c->w->f[i->rs3];
	uint32_t na = s.product ? 1u << 31 : 0;
	uint32_t nc = s.addend ? 1u << 31 : 0;
	struct lanes_double sum;
	uint32_t twice = 0;

	if (full) {
		ISA_FOR_ALL(l) {
			double p = (double)fp_to_float((uint32_t)a[l] ^ na) *
				   (double)fp_to_float((uint32_t)b[l]);

			sum.v[l] = p + (double)fp_to_float((uint32_t)addend[l] ^ nc);
		}
		ISA_FOR_ALL(l)
			twice |= rounds_twice(fp_from_double(sum.v[l]));
		if (likely(!twice)) {
			ISA_FOR_ALL(l)
				out->v[l] = canonical32((float)sum.v[l]);
			return;
		}
	}
	ISA_FOR_MASK(l, c->mask) {
		struct sf_env env = { .rm = rm };
		double p = (double)fp_to_float((uint32_t)a[l] ^ na) *
			   (double)fp_to_float((uint32_t)b[l]);
		double v = p + (double)fp_to_float((uint32_t)addend[l] ^ nc);

		if (likely(!rounds_twice(fp_from_double(v)))) {
			out->v[l] = canonical32((float)v);
			continue;
		}
		out->v[l] = (uint32_t)soft(a[l], b[l], addend[l], &env);
		c->w->fcsr[l] |= env.flags;
	}
}

/*
 * Infinity times zero plus a quiet NaN raises "invalid" in RISC-V, but not on
 * the host: look again at all lanes whose result is a NaN.
 */
static void recheck_nans(struct isa_ctx *c, const struct isa_insn *i, uint8_t rm, uint32_t lanes,
			 soft_op op)
{
	struct isa_wave *w = c->w;

	ISA_FOR_MASK(l, lanes) {
		struct sf_env env = { .rm = rm };

		op(w->f[i->rs1][l], w->f[i->rs2][l], w->f[i->rs3][l], &env);
		w->fcsr[l] |= env.flags;
	}
}

ISA_INLINE uint32_t nan_lanes32(const struct lanes32 *out, uint32_t mask)
{
	uint32_t any = 0, lanes = 0;

	ISA_FOR_ALL(l)
		any |= out->v[l] == SF_NAN32;
	if (likely(!any))
		return 0;
	ISA_FOR_MASK(l, mask)
		lanes |= (uint32_t)(out->v[l] == SF_NAN32) << l;
	return lanes;
}

ISA_INLINE uint32_t nan_lanes64(const struct lanes64 *out, uint32_t mask)
{
	uint32_t lanes = 0;

	ISA_FOR_MASK(l, mask)
		lanes |= (uint32_t)(out->v[l] == SF_NAN64) << l;
	return lanes;
}

ISA_INLINE enum isa_next exec_fma32(struct isa_ctx *c, const struct isa_insn *i, struct fma_signs s,
				    soft_op soft, bool full)
{
	const uint64_t *a = c->w->f[i->rs1];
	const uint64_t *b = c->w->f[i->rs2];
	const uint64_t *addend = c->w->f[i->rs3];
	uint8_t rm = host_rm(c, i, true);
	struct lanes32 out = { { 0 } };

	if (unlikely(rm > ISA_RM_RUP || !boxed(a, c->mask, full) || !boxed(b, c->mask, full) ||
		     !boxed(addend, c->mask, full)))
		return soft_lanes(c, i, soft);
	host_begin(c, rm);
	if (c->e->use_fma)
		fma32_host(&out, a, b, addend, s, c->mask);
	else
		fma32_double(c, i, rm, &out, s, soft, full);
	HOST_END(c, i, rm, out, soft);
	recheck_nans(c, i, rm, nan_lanes32(&out, c->mask), soft);
	put32(c, c->w->f[i->rd], &out, full);
	return ISA_NEXT;
}

ISA_INLINE enum isa_next exec_fma64(struct isa_ctx *c, const struct isa_insn *i, struct fma_signs s,
				    soft_op soft, bool full)
{
	uint8_t rm = host_rm(c, i, true);
	struct lanes64 out = { { 0 } };

	if (unlikely(rm > ISA_RM_RUP || !c->e->use_fma))
		return soft_lanes(c, i, soft);
	host_begin(c, rm);
	fma64_host(&out, c->w->f[i->rs1], c->w->f[i->rs2], c->w->f[i->rs3], s, c->mask);
	HOST_END(c, i, rm, out, soft);
	recheck_nans(c, i, rm, nan_lanes64(&out, c->mask), soft);
	put64(c, c->w->f[i->rd], &out, full);
	return ISA_NEXT;
}

#define HOST_BINARY(name, expr)                                                               \
	ISA_INLINE float host32_##name(float a, float b)                                      \
	{                                                                                     \
		return expr;                                                                  \
	}                                                                                     \
	ISA_INLINE double host64_##name(double a, double b)                                   \
	{                                                                                     \
		return expr;                                                                  \
	}                                                                                     \
	static uint64_t soft32_##name(uint64_t a, uint64_t b, uint64_t c, struct sf_env *env) \
	{                                                                                     \
		(void)c;                                                                      \
		return fp_box(sf32_##name(fp_unbox(a), fp_unbox(b), env));                    \
	}                                                                                     \
	static uint64_t soft64_##name(uint64_t a, uint64_t b, uint64_t c, struct sf_env *env) \
	{                                                                                     \
		(void)c;                                                                      \
		return sf64_##name(a, b, env);                                                \
	}
HOST_BINARY(add, a + b)
HOST_BINARY(sub, a - b)
HOST_BINARY(mul, a *b)
HOST_BINARY(div, a / b)

/* Can the exact result lie halfway? The root of a number cannot: its square has more bits. */
static const bool ties_add = true;
static const bool ties_sub = true;
static const bool ties_mul = true;
static const bool ties_div = true;
static const bool ties_sqrt = false;

/* The decoder sets rs2 = rs1 for instructions of one operand. */
ISA_INLINE float host32_sqrt(float a, float b)
{
	(void)b;
	return __builtin_sqrtf(a);
}

ISA_INLINE double host64_sqrt(double a, double b)
{
	(void)b;
	return __builtin_sqrt(a);
}

static uint64_t soft32_sqrt(uint64_t a, uint64_t b, uint64_t c, struct sf_env *env)
{
	(void)b;
	(void)c;
	return fp_box(sf32_sqrt(fp_unbox(a), env));
}

static uint64_t soft64_sqrt(uint64_t a, uint64_t b, uint64_t c, struct sf_env *env)
{
	(void)b;
	(void)c;
	return sf64_sqrt(a, env);
}

#define SOFT_FMA(name, product, addend)                                                         \
	static uint64_t soft32_##name(uint64_t a, uint64_t b, uint64_t c, struct sf_env *env)   \
	{                                                                                       \
		return fp_box(sf32_fma(fp_unbox(a) ^ (product) << 31, fp_unbox(b),              \
				       fp_unbox(c) ^ (addend) << 31, env));                     \
	}                                                                                       \
	static uint64_t soft64_##name(uint64_t a, uint64_t b, uint64_t c, struct sf_env *env)   \
	{                                                                                       \
		return sf64_fma(a ^ (uint64_t)(product) << 63, b, c ^ (uint64_t)(addend) << 63, \
				env);                                                           \
	}
SOFT_FMA(madd, 0u, 0u)
SOFT_FMA(msub, 0u, 1u)
SOFT_FMA(nmsub, 1u, 0u)
SOFT_FMA(nmadd, 1u, 1u)

#define GEN_FP32(id, op) \
	ISA_HANDLERS(id, exec_fp32(c, i, host32_##op, ties_##op, soft32_##op, full))
#define GEN_FP64(id, op) \
	ISA_HANDLERS(id, exec_fp64(c, i, host64_##op, ties_##op, soft64_##op, full))
#define GEN_FMA32(id, op) ISA_HANDLERS(id, exec_fma32(c, i, signs_##op, soft32_##op, full))
#define GEN_FMA64(id, op) ISA_HANDLERS(id, exec_fma64(c, i, signs_##op, soft64_##op, full))
#define X(id, mnemonic, match, mask, format, generator, semantics, attr) \
	GEN_##generator(id, semantics)
ISA_INSN_FPARITH(X)
