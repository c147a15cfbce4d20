/* SPDX-License-Identifier: MIT */
#ifndef REDUCE_H
#define REDUCE_H

#include "gpu_ptr.h"

#define REDUCE_GROUP 64

struct reduce_args {
	GPU_PTR(const uint32_t) in;
	GPU_PTR(uint64_t) sums; /* one per work-group */
	uint64_t count;
};

struct finish_args {
	GPU_PTR(const uint64_t) in;
	GPU_PTR(uint64_t) sum;
	uint64_t count;
};

#endif
