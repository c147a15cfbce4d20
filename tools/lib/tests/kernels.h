/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments that the tests and their kernels share. */
#ifndef TESS_LIB_TESTS_KERNELS_H
#define TESS_LIB_TESTS_KERNELS_H

#include <stdint.h>

struct ids_args {
	uint64_t out; /* struct ids of each work-item, x fastest */
};

struct ids {
	uint32_t global[3];
	uint32_t local[3];
	uint32_t group[3];
	uint32_t local_size[3];
	uint32_t enqueued_size[3];
	uint32_t global_size[3];
	uint32_t num_groups[3];
	uint32_t linear;
	uint32_t visits;
};

struct saxpy_args {
	uint64_t x;
	uint64_t y;
	float a;
	uint32_t n;
};

struct poke_args {
	uint64_t addr;
	uint32_t what; /* 0 load, 1 store, 2 jump, 3 ebreak, 4 endless loop */
	uint32_t item; /* only this work-item does it */
};

struct mix_args {
	uint64_t out;
	uint64_t local; /* 16 bytes in local memory, from the host */
};

#endif
