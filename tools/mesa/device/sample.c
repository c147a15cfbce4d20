// SPDX-License-Identifier: MIT
/*
 * lp_sample_quad() (lp_bld_sample_unit.h), for shader cores and, with the same results, for the CPU. It is
 * compiled to LLVM's bitcode, which is in the module, and becomes a part of shaders that call it.
 */
#define TESS_UNITS_SOFT
#include <tessera_units.h>

#include "lp_bld_sample_unit.h"

_Static_assert((int)LP_SAMPLE_RGBA8 == TESS_TEX_RGBA8 && (int)LP_SAMPLE_R8 == TESS_TEX_R8 &&
		       (int)LP_SAMPLE_RGB565 == TESS_TEX_RGB565 &&
		       (int)LP_SAMPLE_RGBA16F == TESS_TEX_RGBA16F &&
		       (int)LP_SAMPLE_R32F == TESS_TEX_R32F,
	       "formats have the numbers of the unit");

#define PIXELS 4

static inline void give(float colors[4 * PIXELS], unsigned int pixel, struct tess_rgba c)
{
	colors[pixel] = c.r;
	colors[PIXELS + pixel] = c.g;
	colors[2 * PIXELS + pixel] = c.b;
	colors[3 * PIXELS + pixel] = c.a;
}

/* The unit wants texels and rows at multiples of 8, which imported buffers may not have. */
static inline int unit_can(const struct tess_texture *t)
{
#ifdef __riscv
	return tess_units() & TESS_UNIT_TEX && !((t->address | t->pitch) & 7);
#else
	(void)t;
	return 0;
#endif
}

static inline struct tess_rgba by_unit(const struct tess_texture *t, const float *coords)
{
#ifdef __riscv
	return tess_sample_unit(t, coords[0], coords[PIXELS], 0);
#else
	return tess_sample_soft(t, coords[0], coords[PIXELS], 0);
#endif
}

__attribute__((always_inline)) void lp_sample_quad(const void *texels, uint32_t pitch,
						   uint32_t width, uint32_t height, uint32_t mode,
						   const float coords[2 * PIXELS],
						   float colors[4 * PIXELS])
{
	struct tess_texture t __attribute__((aligned(64)));
	unsigned int i;

	/* No border, so that field is left as it is */
	t.address = (uintptr_t)texels;
	t.format = mode & LP_SAMPLE_FORMAT;
	t.filter = mode & LP_SAMPLE_LINEAR ? TESS_TEX_LINEAR : TESS_TEX_NEAREST;
	t.wrap_u = mode & LP_SAMPLE_CLAMP_S ? TESS_TEX_CLAMP : TESS_TEX_REPEAT;
	t.wrap_v = mode & LP_SAMPLE_CLAMP_T ? TESS_TEX_CLAMP : TESS_TEX_REPEAT;
	t.width = width;
	t.height = height;
	t.levels = 1;
	t.pitch = pitch;
	t.reserved0 = 0;
	t.reserved1[0] = t.reserved1[1] = 0;
	if (unit_can(&t))
		for (i = 0; i < PIXELS; i++)
			give(colors, i, by_unit(&t, coords + i));
	else
		for (i = 0; i < PIXELS; i++)
			give(colors, i, tess_sample_soft(&t, coords[i], coords[PIXELS + i], 0));
}
