/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's floating-point unit, where it does what RISC-V specifies: x86-64
 * SSE rounds in four of the five modes, sets the five sticky flags and detects
 * tininess after rounding. Elsewhere softfp.c does all the work.
 */
#ifndef TESS_MODEL_ISA_HOSTFP_H
#define TESS_MODEL_ISA_HOSTFP_H

#include <stdint.h>

#include "softfp.h"

#ifdef __x86_64__
#define ISA_HAVE_HOSTFP 1

/* MXCSR: exceptions masked, round to nearest, no flush to zero. */
#define ISA_MXCSR_DEFAULT 0x1f80u
#define ISA_MXCSR_IE 0x01u
#define ISA_MXCSR_ZE 0x04u
#define ISA_MXCSR_OE 0x08u
#define ISA_MXCSR_UE 0x10u
#define ISA_MXCSR_PE 0x20u
#define ISA_MXCSR_FLAGS (ISA_MXCSR_IE | ISA_MXCSR_ZE | ISA_MXCSR_OE | ISA_MXCSR_UE | ISA_MXCSR_PE)

static inline uint32_t isa_hostfp_read(void)
{
	uint32_t v;

	__asm__ volatile("stmxcsr %0" : "=m"(v) : : "memory");
	return v;
}

static inline void isa_hostfp_write(uint32_t v)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(v) : "memory");
}

static inline uint32_t isa_hostfp_enter(void)
{
	uint32_t v = isa_hostfp_read();

	isa_hostfp_write(ISA_MXCSR_DEFAULT);
	return v;
}

static inline void isa_hostfp_leave(uint32_t v)
{
	isa_hostfp_write(v);
}

/* The two orders of the flags are mirror images, but for DE in MXCSR. */
static inline uint32_t isa_hostfp_to_fflags(uint32_t v)
{
	return (v & ISA_MXCSR_IE ? SF_NV : 0) | (v & ISA_MXCSR_ZE ? SF_DZ : 0) |
	       (v & ISA_MXCSR_OE ? SF_OF : 0) | (v & ISA_MXCSR_UE ? SF_UF : 0) |
	       (v & ISA_MXCSR_PE ? SF_NX : 0);
}

static inline uint32_t isa_hostfp_from_fflags(uint32_t f)
{
	return (f & SF_NV ? ISA_MXCSR_IE : 0) | (f & SF_DZ ? ISA_MXCSR_ZE : 0) |
	       (f & SF_OF ? ISA_MXCSR_OE : 0) | (f & SF_UF ? ISA_MXCSR_UE : 0) |
	       (f & SF_NX ? ISA_MXCSR_PE : 0);
}

/* Bits of MXCSR for ISA_RM_RNE, RTZ, RDN, RUP */
static inline uint32_t isa_hostfp_from_rm(uint8_t rm)
{
	return (uint32_t)(0x9cu >> 2 * rm & 3) << 13;
}

#else
#define ISA_HAVE_HOSTFP 0
#define ISA_MXCSR_DEFAULT 0u
#define ISA_MXCSR_FLAGS 0u

static inline uint32_t isa_hostfp_read(void)
{
	return 0;
}

static inline void isa_hostfp_write(uint32_t v)
{
	(void)v;
}

static inline uint32_t isa_hostfp_enter(void)
{
	return 0;
}

static inline void isa_hostfp_leave(uint32_t v)
{
	(void)v;
}

static inline uint32_t isa_hostfp_to_fflags(uint32_t v)
{
	return v;
}

static inline uint32_t isa_hostfp_from_fflags(uint32_t f)
{
	return f;
}

static inline uint32_t isa_hostfp_from_rm(uint8_t rm)
{
	(void)rm;
	return 0;
}
#endif

#endif
