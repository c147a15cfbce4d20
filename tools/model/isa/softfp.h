/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IEEE 754 arithmetic in integers, with RISC-V's choices: canonical NaNs,
 * tininess after rounding, saturating conversions, all five rounding modes.
 *
 * Operands and results are bit patterns. @rm is 0..4. Flags are or-ed into
 * *@flags in fflags format.
 */
#ifndef TESS_MODEL_ISA_SOFTFP_H
#define TESS_MODEL_ISA_SOFTFP_H

#include <stdbool.h>
#include <stdint.h>

#define SF_NX 0x01u
#define SF_UF 0x02u
#define SF_OF 0x04u
#define SF_DZ 0x08u
#define SF_NV 0x10u

#define SF_NAN32 0x7fc00000u
#define SF_NAN64 0x7ff8000000000000ull

struct sf_env {
	uint8_t rm;
	uint8_t flags;
};

#define SF_DECLARE(bits)                                                                       \
	uint##bits##_t sf##bits##_add(uint##bits##_t a, uint##bits##_t b, struct sf_env *env); \
	uint##bits##_t sf##bits##_sub(uint##bits##_t a, uint##bits##_t b, struct sf_env *env); \
	uint##bits##_t sf##bits##_mul(uint##bits##_t a, uint##bits##_t b, struct sf_env *env); \
	uint##bits##_t sf##bits##_div(uint##bits##_t a, uint##bits##_t b, struct sf_env *env); \
	uint##bits##_t sf##bits##_sqrt(uint##bits##_t a, struct sf_env *env);                  \
	/* a * b + c with one rounding */                                                      \
	uint##bits##_t sf##bits##_fma(uint##bits##_t a, uint##bits##_t b, uint##bits##_t c,    \
				      struct sf_env *env);                                     \
	uint##bits##_t sf##bits##_min(uint##bits##_t a, uint##bits##_t b, struct sf_env *env); \
	uint##bits##_t sf##bits##_max(uint##bits##_t a, uint##bits##_t b, struct sf_env *env); \
	bool sf##bits##_eq(uint##bits##_t a, uint##bits##_t b, struct sf_env *env);            \
	bool sf##bits##_lt(uint##bits##_t a, uint##bits##_t b, struct sf_env *env);            \
	bool sf##bits##_le(uint##bits##_t a, uint##bits##_t b, struct sf_env *env);            \
	/* The ten classes of fclass, one bit */                                               \
	uint64_t sf##bits##_class(uint##bits##_t a);                                           \
	/* To integers; 32-bit results are sign-extended */                                    \
	uint64_t sf##bits##_to_i32(uint##bits##_t a, struct sf_env *env);                      \
	uint64_t sf##bits##_to_u32(uint##bits##_t a, struct sf_env *env);                      \
	uint64_t sf##bits##_to_i64(uint##bits##_t a, struct sf_env *env);                      \
	uint64_t sf##bits##_to_u64(uint##bits##_t a, struct sf_env *env);                      \
	/* From integers: the low bits of a register */                                        \
	uint##bits##_t sf##bits##_from_i32(uint64_t v, struct sf_env *env);                    \
	uint##bits##_t sf##bits##_from_u32(uint64_t v, struct sf_env *env);                    \
	uint##bits##_t sf##bits##_from_i64(uint64_t v, struct sf_env *env);                    \
	uint##bits##_t sf##bits##_from_u64(uint64_t v, struct sf_env *env);

SF_DECLARE(32)
SF_DECLARE(64)

uint32_t sf64_to_32(uint64_t a, struct sf_env *env);
uint64_t sf32_to_64(uint32_t a, struct sf_env *env);

#endif
