/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NaN boxing and per-lane rounding, shared by the floating-point handlers. */
#ifndef TESS_MODEL_ISA_FP_H
#define TESS_MODEL_ISA_FP_H

#include <string.h>

#include "internal.h"
#include "softfp.h"

#define FP_BOX 0xffffffff00000000ull

ISA_INLINE uint64_t fp_box(uint32_t v)
{
	return FP_BOX | v;
}

/* A single that is not properly boxed reads as the canonical NaN. */
ISA_INLINE uint32_t fp_unbox(uint64_t v)
{
	return v >= FP_BOX ? (uint32_t)v : SF_NAN32;
}

ISA_INLINE float fp_to_float(uint32_t v)
{
	float f;

	memcpy(&f, &v, sizeof(f));
	return f;
}

ISA_INLINE uint32_t fp_from_float(float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

ISA_INLINE double fp_to_double(uint64_t v)
{
	double f;

	memcpy(&f, &v, sizeof(f));
	return f;
}

ISA_INLINE uint64_t fp_from_double(double f)
{
	uint64_t v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

/* Rounding mode of a lane; above ISA_RM_RMM it is illegal. */
ISA_INLINE uint8_t fp_lane_rm(const struct isa_ctx *c, const struct isa_insn *i, unsigned int lane)
{
	if (i->rm != ISA_RM_DYN)
		return i->rm;
	return c->w->fcsr[lane] >> ISA_FRM_SHIFT;
}

#endif
