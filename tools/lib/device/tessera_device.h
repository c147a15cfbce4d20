/* SPDX-License-Identifier: MIT */
/*
 * For kernels: C code that the shader cores of a Tessera GPU run.
 *
 *	#include <tessera_device.h>
 *
 *	struct saxpy_args {
 *		const float *x;
 *		float *y;
 *		float a;
 *		uint32_t n;
 *	};
 *
 *	TESS_KERNEL(saxpy)
 *	void saxpy(const struct saxpy_args *args)
 *	{
 *		uint32_t i = tess_get_global_id(0);
 *
 *		if (i < args->n)
 *			args->y[i] += args->a * args->x[i];
 *	}
 *
 * Each work-item runs the kernel once, as a hart of its own with its own stack. The
 * only parameter points to the arguments. Compile with tessera-cc;
 * Documentation/kernel-authors-guide.rst has the plain clang command and the ABI.
 *
 * Mathematics: + - * / and sqrt, fabs, fma, copysign, fmin, fmax (as __builtin_sqrtf()
 * and so on) are instructions, correctly rounded as IEEE 754 says. There is no libm:
 * sin, exp, floor and the like must come with the kernel.
 */
#ifndef TESSERA_DEVICE_H
#define TESSERA_DEVICE_H

#if !defined(__riscv) || __riscv_xlen != 64
#error "tessera_device.h is for kernels: compile with tessera-cc (clang --target=riscv64)"
#endif

#include <stddef.h>
#include <stdint.h>

#include "tessera_units.h"

/**
 * TESS_KERNEL() - declare the function of this name a kernel
 * @name: function, defined with external linkage: void name(const struct args *)
 *
 * Optional, as integer constants: bytes of local memory that a work-group needs (0 if
 * left out), then bytes of private memory (stack) that a work-item needs (0: 1024), then
 * TESS_UNIT_* that it can use where a slice has them (tessera_units.h).
 *
 *	TESS_KERNEL(sum, sizeof(struct tile))
 *	TESS_KERNEL(deep, 0, 8192)
 *	TESS_KERNEL(paint, 0, 0, TESS_UNIT_TEX)
 */
#define TESS_KERNEL(...) TESS_KERNEL_PICK_(__VA_ARGS__, 0, 0, 0, 0)
#define TESS_KERNEL_PICK_(name, local_bytes, private_bytes, units, ...) \
	TESS_KERNEL_NOTE_(name, local_bytes, private_bytes, units)

/* An ELF note; tools/lib/src/note.h has the layout. The function holds its operands. */
#define TESS_KERNEL_NOTE_(name, local_bytes, private_bytes, units)                      \
	__attribute__((used, noinline)) static void tess_note_##name(void)              \
	{                                                                               \
		__asm__ volatile(".pushsection .note.tessera." #name ", \"a\", @note\n" \
				 ".balign 4\n"                                          \
				 ".word 8, 2f - 1f, 1\n"                                \
				 ".asciz \"Tessera\"\n"                                 \
				 "1: .word " #name " - 1b\n"                            \
				 ".word %0, %1, %2\n"                                   \
				 ".asciz \"" #name "\"\n"                               \
				 "2: .balign 4\n"                                       \
				 ".popsection\n" ::"i"(private_bytes),                  \
				 "i"(local_bytes), "i"(units));                         \
	}

#define TESS_READ_CSR_(csr)                                    \
	__extension__({                                        \
		uint64_t tess_value_;                          \
		__asm__("csrr %0, " #csr : "=r"(tess_value_)); \
		(uint32_t)tess_value_;                         \
	})

/* An id per dimension: 0 (x), 1 (y), 2 (z); 0 for any other one. */
#define TESS_ID_FUNCTION_(name, x, y, z)              \
	static inline uint32_t name(unsigned int dim) \
	{                                             \
		switch (dim) {                        \
		case 0:                               \
			return TESS_READ_CSR_(x);     \
		case 1:                               \
			return TESS_READ_CSR_(y);     \
		case 2:                               \
			return TESS_READ_CSR_(z);     \
		default:                              \
			return 0;                     \
		}                                     \
	}

/* Position of the work-item in its work-group */
TESS_ID_FUNCTION_(tess_get_local_id, 0xcc0, 0xcc1, 0xcc2)
/* Position of the work-group in the grid, in groups */
TESS_ID_FUNCTION_(tess_get_group_id, 0xcc3, 0xcc4, 0xcc5)
/* Work-items of this work-group: fewer than of others at the edge of the grid */
TESS_ID_FUNCTION_(tess_get_local_size, 0xcc6, 0xcc7, 0xcc8)
/* Work-items of a full work-group */
TESS_ID_FUNCTION_(tess_get_enqueued_local_size, 0xcc9, 0xcca, 0xccb)
/* Work-items of the grid */
TESS_ID_FUNCTION_(tess_get_global_size, 0xccc, 0xccd, 0xcce)
/* Position of the work-item in the grid */
TESS_ID_FUNCTION_(tess_get_global_id, 0xcd3, 0xcd4, 0xcd5)
/* Work-groups of the grid */
TESS_ID_FUNCTION_(tess_get_num_groups, 0xcd6, 0xcd7, 0xcd8)

/* Number of the work-item in its work-group: x fastest, from 0 */
static inline uint32_t tess_get_local_linear_id(void)
{
	return TESS_READ_CSR_(0xcd1);
}

/* Bytes of local memory that this dispatch has */
static inline uint32_t tess_get_local_bytes(void)
{
	return TESS_READ_CSR_(0xcd0);
}

/* Clock cycles, from an unspecified start */
static inline uint64_t tess_get_cycles(void)
{
	uint64_t value;

	__asm__ volatile("rdcycle %0" : "=r"(value));
	return value;
}

/*
 * Wait until all work-items of the work-group that have not returned are here.
 * What each of them wrote before is visible to all of them after it.
 */
static inline void tess_barrier(void)
{
	__asm__ volatile(".insn r 0x0b, 0, 0, x0, x0, x0" ::: "memory");
}

/* End this work-item, from any depth of calls. */
__attribute__((noreturn)) static inline void tess_exit(void)
{
	__asm__ volatile(".insn r 0x0b, 1, 0, x0, x0, x0" ::: "memory");
	__builtin_unreachable();
}

/*
 * Local memory: shared by the work-items of a group, zero at its start. First
 * comes what TESS_KERNEL() declares, then what the host adds for one dispatch.
 */
#define TESS_LOCAL_BASE 0xffffffffffff0000ull

static inline void *tess_local_memory(void)
{
	return (void *)TESS_LOCAL_BASE;
}

/*
 * Atomic operations on global and local memory, sequentially consistent; each returns
 * the old value. Any other one is there as __atomic_*() of the compiler.
 */
static inline uint32_t tess_atomic_add_u32(uint32_t *p, uint32_t value)
{
	return __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST);
}

static inline uint64_t tess_atomic_add_u64(uint64_t *p, uint64_t value)
{
	return __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST);
}

static inline uint32_t tess_atomic_max_u32(uint32_t *p, uint32_t value)
{
	uint32_t old;

	__asm__ volatile("amomaxu.w.aqrl %0, %2, %1" : "=r"(old), "+A"(*p) : "r"(value) : "memory");
	return old;
}

static inline uint32_t tess_atomic_min_u32(uint32_t *p, uint32_t value)
{
	uint32_t old;

	__asm__ volatile("amominu.w.aqrl %0, %2, %1" : "=r"(old), "+A"(*p) : "r"(value) : "memory");
	return old;
}

static inline uint32_t tess_atomic_or_u32(uint32_t *p, uint32_t value)
{
	return __atomic_fetch_or(p, value, __ATOMIC_SEQ_CST);
}

static inline uint32_t tess_atomic_exchange_u32(uint32_t *p, uint32_t value)
{
	return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);
}

/* Store @desired if *@p is @expected; returns what was there. */
static inline uint32_t tess_atomic_cmpxchg_u32(uint32_t *p, uint32_t expected, uint32_t desired)
{
	__atomic_compare_exchange_n(p, &expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return expected;
}

/* The order of additions, so the rounding, differs from run to run. */
static inline float tess_atomic_add_f32(float *p, float value)
{
	uint32_t *word = (uint32_t *)(void *)p;
	uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
	uint32_t old;
	float sum;

	do {
		old = seen;
		__builtin_memcpy(&sum, &old, sizeof(sum));
		sum += value;
		__builtin_memcpy(&seen, &sum, sizeof(seen));
		seen = tess_atomic_cmpxchg_u32(word, old, seen);
	} while (seen != old);
	__builtin_memcpy(&sum, &old, sizeof(sum));
	return sum;
}

#endif
