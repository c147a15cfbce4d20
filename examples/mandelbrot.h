/* SPDX-License-Identifier: MIT */
#ifndef MANDELBROT_H
#define MANDELBROT_H

#include "gpu_ptr.h"

struct mandelbrot_args {
	GPU_PTR(uint32_t) out; /* iterations of each pixel, row by row */
	double left;
	double top;
	double step; /* width and height of a pixel */
	uint32_t width;
	uint32_t height;
	uint32_t limit; /* most iterations */
};

/*
 * Iterations until z = z^2 + c leaves the circle of radius 2. One source for both
 * sides: compiled without contraction of a * b + c, IEEE 754 leaves no choice and the
 * results are equal to the last bit.
 */
static inline uint32_t mandelbrot_point(double cr, double ci, uint32_t limit)
{
	double r = 0.0, i = 0.0, rr = 0.0, ii = 0.0;
	uint32_t n;

	for (n = 0; n < limit && rr + ii <= 4.0; n++) {
		i = 2.0 * r * i + ci;
		r = rr - ii + cr;
		rr = r * r;
		ii = i * i;
	}
	return n;
}

#endif
