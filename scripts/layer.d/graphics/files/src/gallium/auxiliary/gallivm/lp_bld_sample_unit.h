/* SPDX-License-Identifier: MIT */
/*
 * The function by which neutral code samples textures that the texture units of a GPU know. Whoever
 * compiles neutral code adds it: for the GPU with its unit, for the CPU with the same arithmetic.
 *
 *	void lp_sample_quad(const void *texels, uint32_t pitch, uint32_t width, uint32_t height,
 *			    uint32_t mode, const float coords[8], float colors[16]);
 *
 * texels: of one level; pitch: bytes from row to row; mode: LP_SAMPLE_*; coords: s of four pixels,
 * then t of them, normalized; colors: out: the first component of the four pixels, then the second one...
 */
#ifndef LP_BLD_SAMPLE_UNIT_H
#define LP_BLD_SAMPLE_UNIT_H

#define LP_SAMPLE_QUAD "lp_sample_quad"

enum lp_sample_mode {
	/* Formats: bytes from 0 to 1, halves, floats. What is missing is 0, and 1 for the last one */
	LP_SAMPLE_RGBA8 = 1,
	LP_SAMPLE_R8 = 2,
	LP_SAMPLE_RGB565 = 3,
	LP_SAMPLE_RGBA16F = 4,
	LP_SAMPLE_R32F = 5,
	LP_SAMPLE_FORMAT = 0xf,
	/* Else the nearest texel */
	LP_SAMPLE_LINEAR = 0x10,
	/* Else it repeats */
	LP_SAMPLE_CLAMP_S = 0x20,
	LP_SAMPLE_CLAMP_T = 0x40,
};

#endif
