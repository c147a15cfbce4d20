/* SPDX-License-Identifier: MIT */
#ifndef SGEMM_H
#define SGEMM_H

#include "gpu_ptr.h"

/* A work-group computes a square of that many rows and columns of C. */
#define SGEMM_TILE 16

struct sgemm_args {
	GPU_PTR(const float) a;
	GPU_PTR(const float) b;
	GPU_PTR(float) c;
	uint32_t n;
};

#endif
