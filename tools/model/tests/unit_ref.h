/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the units have to compute, written from Documentation/hw/units.rst: each step in 113 bits
 * and then rounded, integers where the page has integers. Memory is the test's, without page
 * tables: addresses are offsets into it.
 */
#ifndef TESS_MODEL_TESTS_UNIT_REF_H
#define TESS_MODEL_TESTS_UNIT_REF_H

#include <stdbool.h>
#include <stdint.h>

struct ref_texture {
	uint64_t address;
	uint8_t format, filter, wrap[2];
	uint32_t size[2];
	uint32_t levels;
	uint32_t pitch;
	uint32_t zero0;
	float border[4];
	uint64_t zero1[2];
};

struct ref_target {
	uint64_t color, depth;
	uint32_t width, height;
	uint32_t color_pitch, depth_pitch;
	uint8_t format, func, write, src, dst;
	uint8_t zero0[3];
	uint64_t zero1[3];
};

/* Bits of a single; NaNs are the canonical one. */
uint32_t ref_bits(float f);

/* Returns the texels that are read. */
unsigned int ref_tex(const uint8_t *mem, const struct ref_texture *t, const float at[3],
		     float out[4]);

/* @rgba and @z for a pixel; was it written? */
bool ref_rop(uint8_t *mem, const struct ref_target *t, unsigned int x, unsigned int y,
	     const uint8_t rgba[4], float z);
uint8_t ref_pack(float v);

float ref_box(const float low[3], const float high[3], const float ray[8]);
void ref_tri(const float corner[3][3], const float ray[8], float out[3]);

#endif
