/* SPDX-License-Identifier: MIT */
/*
 * What the code that a thread generates may rely on.
 */
#ifndef LP_BLD_TARGET_H
#define LP_BLD_TARGET_H

#include "util/u_cpu_detect.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of the vectors in neutral code. */
#define LP_NEUTRAL_VECTOR_WIDTH 128

/**
 * Caps of the CPU that the calling thread generates code for: of this one, or, while the code
 * is neutral, of one that has none, so that other processors can have the same code, too.
 */
const struct util_cpu_caps_t *lp_build_cpu_caps(void);

/** Bits of the vectors that the calling thread generates code for. */
unsigned lp_build_vector_width(void);

/** Does the calling thread generate neutral code? */
bool lp_build_is_neutral(void);

/**
 * Sets whether the code that the calling thread generates from now on is neutral, and whether it
 * samples textures by lp_sample_quad() where that is possible (lp_bld_sample_unit.h).
 */
void lp_build_set_neutral(bool neutral, bool texture_unit);

/** Does neutral code of the calling thread sample textures by lp_sample_quad()? */
bool lp_build_has_texture_unit(void);

#ifdef __cplusplus
}
#endif

#endif
