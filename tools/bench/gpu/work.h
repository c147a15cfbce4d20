/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_GPU_WORK_H
#define BENCH_GPU_WORK_H

#include <stdint.h>

/**
 * struct work_args - arguments of the kernel "work"
 * @rounds: how often each work-item goes round, not 0
 */
struct work_args {
	uint32_t rounds;
};

/**
 * struct count_args - arguments of the kernel "count"
 * @word: address of the 32-bit word that each work-item adds one to
 */
struct count_args {
	uint64_t word;
};

#endif
