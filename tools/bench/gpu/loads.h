/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be measured: operations of the GPU that can be started again and again */
#ifndef BENCH_GPU_LOADS_H
#define BENCH_GPU_LOADS_H

#include <stdint.h>
#include <tessera.h>

/**
 * struct bench - an open GPU
 * @dev: device
 * @slice: slice that everything runs on
 * @cores: its shader cores
 * @kernels: directory of bench-empty.elf and the like
 * @examples: directory of sgemm.elf, sha256.elf
 */
struct bench {
	struct tess_device *dev;
	unsigned int slice;
	unsigned int cores;
	const char *kernels;
	const char *examples;
};

/**
 * struct load - something to measure
 * @name: as asked for
 * @setup: once, before the first start; 0 or -1 with a message
 * @start: start it; errors of libtessera
 * @check: are the results right? Number of wrong ones. NULL: there are none
 */
struct load {
	const char *name;
	int (*setup)(struct bench *b);
	int (*start)(struct bench *b, struct tess_fence **fence);
	unsigned long (*check)(struct bench *b);
};

/* By name, set up; NULL with a message */
const struct load *load_get(struct bench *b, const char *name);

#endif
