/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The little that the benchmark kernels need of the device's ABI. */
#ifndef TESS_MODEL_ISA_BENCH_KERNEL_H
#define TESS_MODEL_ISA_BENCH_KERNEL_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;

#define KERNEL __attribute__((section(".text.entry"), used))

static inline u64 global_id_x(void)
{
	u64 v;

	__asm__("csrr %0, 0xcd3" : "=r"(v));
	return v;
}

static inline u64 global_id_y(void)
{
	u64 v;

	__asm__("csrr %0, 0xcd4" : "=r"(v));
	return v;
}

#endif
