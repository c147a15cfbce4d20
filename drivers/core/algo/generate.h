/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_GENERATE_H_
#define _TESSERA_CORE_GENERATE_H_

#include <tessera/blueprint.h>

/* Permille of utilization above which more slices are wanted if packets wait */
#define TESS_GENERATE_BUSY	900u
/* Permille below which fewer do */
#define TESS_GENERATE_IDLE	300u
/* Permille that each slice is to be used after that */
#define TESS_GENERATE_AIM	600u
/* Permille of shader intensity, or of texture, pixel and ray, from which work is about it */
#define TESS_GENERATE_HIGH	400u
/* Permille of the memory traffic from which work is bound by it */
#define TESS_GENERATE_BOUND	700u
/* Thousandths of a packet: so many wait, one or many */
#define TESS_GENERATE_WAITS	1000u
#define TESS_GENERATE_WAIT_LONG	4000u
/* Bytes of memory per vslice for work that is bound by memory, if none was asked for */
#define TESS_GENERATE_MEMORY	(16ULL << 20)
/* Hz above which a display has a third frame buffer */
#define TESS_GENERATE_FAST	75u

/*
 * Permille of texture, pixel and ray together. A mixed slice shares one unit between four cores, a
 * render slice has one for each of its two cores (hw/units.rst). If each instruction of a unit
 * comes with n others, a mixed slice uses its units for 4 / (4 + n) of the time and a render slice
 * for 1 / (1 + n), and they are equally fast for n = 2. With 800 on a mixed slice, n is at most 1,
 * and a render slice is a quarter faster. With less than 50 on a render slice, n is at least 4,
 * and a mixed slice is a quarter faster, even if each instruction does only a quarter of what it
 * can, as with filter nearest. What the one slice is left for is far from what the other is.
 */
#define TESS_ADAPT_DRAWS	800u
#define TESS_ADAPT_COMPUTES	50u
/* Permille of shader intensity that needs more than one core of a render slice */
#define TESS_ADAPT_CORES	600u
/*
 * Permille of busy time in kernels that ask for units, from which a client on compute slices draws.
 * A unit does in one cycle, or in four of a mixed slice, what takes a program more than fifty
 * instructions.
 */
#define TESS_ADAPT_ASKS		500u

/**
 * struct tess_adapt - hysteresis of an automatic vGPU; all zeroes: nothing was proposed
 * @wanted: what was proposed last, with the number of slices that is nearest to what there was
 * @count: how often in a row
 */
struct tess_adapt {
	struct tess_blueprint wanted;
	unsigned int count;
};

u64 tess_profile_frame_bytes(const struct tess_profile *profile);
u32 tess_adapt_kind(const struct tess_profile *profile, u32 kind);
bool tess_adapt_propose(struct tess_adapt *adapt, const struct tess_blueprint *now,
			const struct tess_blueprint *wanted, unsigned int patience);

#endif
