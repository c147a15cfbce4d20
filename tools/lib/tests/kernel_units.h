/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What test_units.c and its kernels share. */
#ifndef TESS_LIB_TESTS_KERNEL_UNITS_H
#define TESS_LIB_TESTS_KERNEL_UNITS_H

#include "tessera_units.h"

#define UNITS_SIZE 24 /* rows and columns of each item's target */

/**
 * struct units_case - what a work-item does
 * @texture: to sample, at @u, @v, @level
 * @target: of its own
 * @block: to write there
 * @box: to intersect
 * @triangle: to intersect
 * @ray: with this
 * @color: of a pixel
 * @z: its depth
 * @x: column of pixel and block
 * @y: row of them
 * @covered: pixels of the block
 * @u: coordinate
 * @v: coordinate
 * @level: of the texture
 */
struct units_case {
	struct tess_texture texture;
	struct tess_target target;
	struct tess_block block;
	struct tess_box box;
	struct tess_triangle triangle;
	struct tess_ray ray;
	struct tess_rgba color;
	float z;
	uint32_t x;
	uint32_t y;
	uint32_t covered;
	float u;
	float v;
	float level;
};

/* What comes out, as bits */
struct units_result {
	uint32_t units;
	uint32_t color[4];
	uint32_t pixel;
	uint32_t block;
	uint32_t enter;
	uint32_t hit[3];
};

struct units_args {
	uint64_t cases;
	uint64_t results;
	uint32_t n;
};

#endif
