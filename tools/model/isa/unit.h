/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fixed-function units: texture, raster output, ray. Documentation/hw/units.rst
 * specifies them; they keep no state.
 *
 * Their arithmetic is C's, so callers have the host's floating point in its
 * default state, and rounded step by step (-ffp-contract=off).
 */
#ifndef TESS_MODEL_ISA_UNIT_H
#define TESS_MODEL_ISA_UNIT_H

#include "internal.h"

#define UNIT_MAX_SIZE 16384u /* width and height of textures and targets */

/**
 * struct unit - an instruction of one hart
 * @c:      who executes
 * @texels: to count
 * @pixels: to count
 * @rays:   to count
 * @loaded: bytes to count, without those of the descriptor
 * @stored: the same
 * @private_bytes: those of both in private memory
 * @local_bytes: those of both in local memory
 * @steps:  of the unit's work
 * @cause:  of the fault
 * @va:     its address
 */
struct unit {
	struct isa_ctx *c;
	uint32_t texels;
	uint32_t pixels;
	uint32_t rays;
	uint32_t loaded;
	uint32_t stored;
	uint32_t private_bytes;
	uint32_t local_bytes;
	uint32_t steps;
	unsigned int cause;
	uint64_t va;
};

/* Functions below return false on a fault: nothing has happened then. */

/** unit_tex() - sample the texture of descriptor @desc at @at (u, v, lod) */
bool unit_tex(struct unit *u, uint64_t desc, const float at[3], float out[4]);

/**
 * unit_rop() - write pixel @at (x in bits 15:0, y in bits 31:16) of the target of @desc
 *
 * @in is red, green, blue, alpha, depth. @done: 1 if the pixel was written.
 */
bool unit_rop(struct unit *u, uint64_t desc, uint64_t at, const float in[5], uint64_t *done);

/** unit_rop_blk() - write those of 4x4 pixels that bits 47:32 of @at name; @done likewise */
bool unit_rop_blk(struct unit *u, uint64_t desc, uint64_t at, uint64_t block, uint64_t *done);

/** unit_ray_box() - where the ray enters the box at @box; +infinity: it does not */
bool unit_ray_box(struct unit *u, uint64_t box, const float ray[8], float *t);

/** unit_ray_tri() - where the ray hits the triangle at @tri: distance and two weights */
bool unit_ray_tri(struct unit *u, uint64_t tri, const float ray[8], float out[3]);

/* Host address of an aligned object of at most a page, or NULL and a fault. */
static inline void *unit_ptr(struct unit *u, uint64_t va, unsigned int size, enum isa_access access)
{
	void *p = isa_atomic_ptr(u->c, va, size, access, &u->cause);

	if (!p)
		u->va = va;
	return p;
}

/* What the instruction loads and stores at @va, if it does not fault */
static inline void unit_count(struct unit *u, uint64_t va, unsigned int loaded, unsigned int stored)
{
	u->loaded += loaded;
	u->stored += stored;
	if (isa_is_private(u->c, va))
		u->private_bytes += loaded + stored;
	else if (va >= ISA_LOCAL_BASE)
		u->local_bytes += loaded + stored;
}

/* A field at @offset of the descriptor at @desc has a bad value. */
static inline bool unit_bad_field(struct unit *u, uint64_t desc, size_t offset)
{
	u->cause = ISA_CAUSE_LOAD_ACCESS;
	u->va = desc + offset;
	return false;
}

#endif
