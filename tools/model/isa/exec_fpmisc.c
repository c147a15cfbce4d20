// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: floating-point moves, comparisons and conversions
 *
 * These are integer work: sign injection and moves directly, the others in
 * softfp.c lane by lane, except for comparisons of numbers, which the host
 * does without touching a flag.
 */
#include "fp.h"

ISA_INLINE uint64_t sgnj32(uint64_t a, uint64_t sign)
{
	return fp_box((fp_unbox(a) & 0x7fffffff) | ((uint32_t)sign & 0x80000000));
}

ISA_INLINE uint64_t sgnj64(uint64_t a, uint64_t sign)
{
	return (a & ((1ull << 63) - 1)) | (sign & 1ull << 63);
}

/* FF: a register from two; these four need no flags. */
#define DEFINE_SGNJ(bits, get)                                                           \
	ISA_INLINE uint64_t ff##bits##_sgnj(uint64_t a, uint64_t b, struct sf_env *env)  \
	{                                                                                \
		(void)env;                                                               \
		return sgnj##bits(a, get(b));                                            \
	}                                                                                \
	ISA_INLINE uint64_t ff##bits##_sgnjn(uint64_t a, uint64_t b, struct sf_env *env) \
	{                                                                                \
		(void)env;                                                               \
		return sgnj##bits(a, ~(uint64_t)get(b));                                 \
	}                                                                                \
	ISA_INLINE uint64_t ff##bits##_sgnjx(uint64_t a, uint64_t b, struct sf_env *env) \
	{                                                                                \
		(void)env;                                                               \
		return sgnj##bits(a, get(a) ^ get(b));                                   \
	}
DEFINE_SGNJ(32, fp_unbox)
DEFINE_SGNJ(64, )

ISA_INLINE uint64_t ff32_min(uint64_t a, uint64_t b, struct sf_env *env)
{
	return fp_box(sf32_min(fp_unbox(a), fp_unbox(b), env));
}

ISA_INLINE uint64_t ff32_max(uint64_t a, uint64_t b, struct sf_env *env)
{
	return fp_box(sf32_max(fp_unbox(a), fp_unbox(b), env));
}

ISA_INLINE uint64_t ff64_min(uint64_t a, uint64_t b, struct sf_env *env)
{
	return sf64_min(a, b, env);
}

ISA_INLINE uint64_t ff64_max(uint64_t a, uint64_t b, struct sf_env *env)
{
	return sf64_max(a, b, env);
}

ISA_INLINE bool nan32(uint32_t v)
{
	return (v & 0x7fffffff) > 0x7f800000;
}

ISA_INLINE bool nan64(uint64_t v)
{
	return (v & ((1ull << 63) - 1)) > 0x7ffull << 52;
}

/* FX: an integer from two; numbers are compared by the host. */
#define DEFINE_FX(name, cmp)                                                        \
	ISA_INLINE uint64_t fx32_##name(uint64_t a, uint64_t b, struct sf_env *env) \
	{                                                                           \
		uint32_t va = fp_unbox(a), vb = fp_unbox(b);                        \
                                                                                    \
		if (unlikely(nan32(va) || nan32(vb)))                               \
			return sf32_##name(va, vb, env);                            \
		return fp_to_float(va) cmp fp_to_float(vb);                         \
	}                                                                           \
	ISA_INLINE uint64_t fx64_##name(uint64_t a, uint64_t b, struct sf_env *env) \
	{                                                                           \
		if (unlikely(nan64(a) || nan64(b)))                                 \
			return sf64_##name(a, b, env);                              \
		return fp_to_double(a) cmp fp_to_double(b);                         \
	}
DEFINE_FX(eq, ==)
DEFINE_FX(lt, <)
DEFINE_FX(le, <=)

ISA_INLINE uint64_t fx32_class(uint64_t a, uint64_t b, struct sf_env *env)
{
	(void)b;
	(void)env;
	return sf32_class(fp_unbox(a));
}

ISA_INLINE uint64_t fx64_class(uint64_t a, uint64_t b, struct sf_env *env)
{
	(void)b;
	(void)env;
	return sf64_class(a);
}

ISA_INLINE enum isa_next exec_two(struct isa_ctx *c, const struct isa_insn *i, uint64_t *d,
				  uint64_t (*op)(uint64_t, uint64_t, struct sf_env *), bool full)
{
	const uint64_t *a = c->w->f[i->rs1];
	const uint64_t *b = c->w->f[i->rs2];

	if (full) {
		ISA_FOR_ALL(l) {
			struct sf_env env = { 0 };

			d[l] = op(a[l], b[l], &env);
			if (env.flags)
				c->w->fcsr[l] |= env.flags;
		}
	} else {
		ISA_FOR_MASK(l, c->mask) {
			struct sf_env env = { 0 };

			d[l] = op(a[l], b[l], &env);
			c->w->fcsr[l] |= env.flags;
		}
	}
	return ISA_NEXT;
}

/* Conversions: one operand, any rounding mode. */
ISA_INLINE enum isa_next exec_convert(struct isa_ctx *c, const struct isa_insn *i,
				      const uint64_t *a, uint64_t *d,
				      uint64_t (*op)(uint64_t, struct sf_env *))
{
	ISA_FOR_MASK(l, c->mask) {
		struct sf_env env = { .rm = fp_lane_rm(c, i, l) };

		if (unlikely(env.rm > ISA_RM_RMM))
			return isa_raise(c, l, ISA_CAUSE_ILLEGAL, i->bits);
		d[l] = op(a[l], &env);
		c->w->fcsr[l] |= env.flags;
	}
	return ISA_NEXT;
}

#define DEFINE_CONVERT(type)                                            \
	ISA_INLINE uint64_t f32x_##type(uint64_t a, struct sf_env *env) \
	{                                                               \
		return sf32_to_##type(fp_unbox(a), env);                \
	}                                                               \
	ISA_INLINE uint64_t f64x_##type(uint64_t a, struct sf_env *env) \
	{                                                               \
		return sf64_to_##type(a, env);                          \
	}                                                               \
	ISA_INLINE uint64_t xf32_##type(uint64_t a, struct sf_env *env) \
	{                                                               \
		return fp_box(sf32_from_##type(a, env));                \
	}                                                               \
	ISA_INLINE uint64_t xf64_##type(uint64_t a, struct sf_env *env) \
	{                                                               \
		return sf64_from_##type(a, env);                        \
	}
DEFINE_CONVERT(i32)
DEFINE_CONVERT(u32)
DEFINE_CONVERT(i64)
DEFINE_CONVERT(u64)

ISA_INLINE uint64_t f64f32(uint64_t a, struct sf_env *env)
{
	return fp_box(sf64_to_32(a, env));
}

ISA_INLINE uint64_t f32f64(uint64_t a, struct sf_env *env)
{
	return sf32_to_64(fp_unbox(a), env);
}

ISA_INLINE uint64_t mv_bits(uint64_t v)
{
	return v;
}

ISA_INLINE uint64_t mv_sext32(uint64_t v)
{
	return (uint64_t)(int64_t)(int32_t)v;
}

ISA_INLINE uint64_t mv_box(uint64_t v)
{
	return fp_box((uint32_t)v);
}

ISA_INLINE enum isa_next exec_mv(struct isa_ctx *c, const uint64_t *a, uint64_t *d,
				 uint64_t (*mv)(uint64_t), bool full)
{
	if (full) {
		ISA_FOR_ALL(l)
			d[l] = mv(a[l]);
	} else {
		ISA_FOR_MASK(l, c->mask)
			d[l] = mv(a[l]);
	}
	return ISA_NEXT;
}

#define F_TO_X(c, i) (c)->w->f[(i)->rs1], (c)->w->x[(i)->rd]
#define X_TO_F(c, i) (c)->w->x[(i)->rs1], (c)->w->f[(i)->rd]
#define F_TO_F(c, i) (c)->w->f[(i)->rs1], (c)->w->f[(i)->rd]

#define GEN_FF32(id, op) ISA_HANDLERS(id, exec_two(c, i, c->w->f[i->rd], ff32_##op, full))
#define GEN_FF64(id, op) ISA_HANDLERS(id, exec_two(c, i, c->w->f[i->rd], ff64_##op, full))
#define GEN_FX32(id, op) ISA_HANDLERS(id, exec_two(c, i, c->w->x[i->rd], fx32_##op, full))
#define GEN_FX64(id, op) ISA_HANDLERS(id, exec_two(c, i, c->w->x[i->rd], fx64_##op, full))
#define GEN_F32X(id, t) ISA_SAME_HANDLERS(id, exec_convert(c, i, F_TO_X(c, i), f32x_##t))
#define GEN_F64X(id, t) ISA_SAME_HANDLERS(id, exec_convert(c, i, F_TO_X(c, i), f64x_##t))
#define GEN_XF32(id, t) ISA_SAME_HANDLERS(id, exec_convert(c, i, X_TO_F(c, i), xf32_##t))
#define GEN_XF64(id, t) ISA_SAME_HANDLERS(id, exec_convert(c, i, X_TO_F(c, i), xf64_##t))
#define GEN_F64F32(id, t) ISA_SAME_HANDLERS(id, exec_convert(c, i, F_TO_F(c, i), f64f32))
#define GEN_F32F64(id, t) ISA_SAME_HANDLERS(id, exec_convert(c, i, F_TO_F(c, i), f32f64))
#define MV_x_w(c, i) exec_mv(c, F_TO_X(c, i), mv_sext32, full)
#define MV_x_d(c, i) exec_mv(c, F_TO_X(c, i), mv_bits, full)
#define MV_w_x(c, i) exec_mv(c, X_TO_F(c, i), mv_box, full)
#define MV_d_x(c, i) exec_mv(c, X_TO_F(c, i), mv_bits, full)
#define GEN_MV(id, kind) ISA_HANDLERS(id, MV_##kind(c, i))
#define X(id, mnemonic, match, mask, format, generator, semantics, attr) \
	GEN_##generator(id, semantics)
ISA_INSN_FPMISC(X)
