// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: raster output unit
 *
 * Pixels are prepared one after the other: depth test, blending, addresses to
 * store to. Only when all of them can be stored is any: a fault has no effect,
 * so the instruction can be repeated although it changes what it has read.
 *
 * Colours are integers of 8 bits from here on; blending them is exact but for
 * one division by 255 that rounds to the nearest.
 */
#include <string.h>

#include "unit.h"

enum format { FORMAT_RGBA8 = 1, FORMAT_BGRA8, FORMATS };

enum depth {
	DEPTH_OFF,
	DEPTH_LESS,
	DEPTH_LEQUAL,
	DEPTH_EQUAL,
	DEPTH_GEQUAL,
	DEPTH_GREATER,
	DEPTH_NOTEQUAL,
	DEPTH_ALWAYS,
	DEPTHS
};

enum factor {
	FACTOR_ZERO,
	FACTOR_ONE,
	FACTOR_SRC_COLOR,
	FACTOR_INV_SRC_COLOR,
	FACTOR_SRC_ALPHA,
	FACTOR_INV_SRC_ALPHA,
	FACTOR_DST_COLOR,
	FACTOR_INV_DST_COLOR,
	FACTOR_DST_ALPHA,
	FACTOR_INV_DST_ALPHA,
	FACTORS
};

#define WRITE_COLOR 0x0fu
#define WRITE_DEPTH 0x10u
#define BLOCK 16u /* pixels: 4 rows of 4 */
#define ALPHA 3u

struct target {
	uint64_t color;
	uint64_t depth;
	uint32_t width;
	uint32_t height;
	uint32_t color_pitch;
	uint32_t depth_pitch;
	uint8_t format;
	uint8_t depth_func;
	uint8_t write;
	uint8_t src_factor;
	uint8_t dst_factor;
	uint8_t reserved0[3];
	uint64_t reserved1[2];
	uint64_t reserved2;
};

struct block {
	uint8_t color[BLOCK][4];
	float depth[BLOCK];
};

_Static_assert(sizeof(struct target) == 64 && sizeof(struct block) == 128, "never across pages");

/* What will be stored, where there is an address */
struct pixel {
	void *color;
	void *depth;
	uint8_t rgba[4];
	float z;
};

static bool check(struct unit *u, uint64_t desc, const struct target *t)
{
	static const uint8_t zero[sizeof(t->reserved1)];

	if (t->color & 3)
		return unit_bad_field(u, desc, offsetof(struct target, color));
	if (t->depth & 3)
		return unit_bad_field(u, desc, offsetof(struct target, depth));
	if (!t->width || t->width > UNIT_MAX_SIZE)
		return unit_bad_field(u, desc, offsetof(struct target, width));
	if (!t->height || t->height > UNIT_MAX_SIZE)
		return unit_bad_field(u, desc, offsetof(struct target, height));
	if (t->color_pitch & 3 || t->color_pitch < 4 * t->width)
		return unit_bad_field(u, desc, offsetof(struct target, color_pitch));
	if (t->depth_pitch & 3 || (t->depth_func && t->depth_pitch < 4 * t->width))
		return unit_bad_field(u, desc, offsetof(struct target, depth_pitch));
	if (!t->format || t->format >= FORMATS)
		return unit_bad_field(u, desc, offsetof(struct target, format));
	if (t->depth_func >= DEPTHS)
		return unit_bad_field(u, desc, offsetof(struct target, depth_func));
	if (t->write & ~(WRITE_COLOR | WRITE_DEPTH))
		return unit_bad_field(u, desc, offsetof(struct target, write));
	if (t->src_factor >= FACTORS)
		return unit_bad_field(u, desc, offsetof(struct target, src_factor));
	if (t->dst_factor >= FACTORS)
		return unit_bad_field(u, desc, offsetof(struct target, dst_factor));
	if (memcmp(t->reserved0, zero, sizeof(t->reserved0)))
		return unit_bad_field(u, desc, offsetof(struct target, reserved0));
	if (memcmp(t->reserved1, zero, sizeof(t->reserved1)) || t->reserved2)
		return unit_bad_field(u, desc, offsetof(struct target, reserved1));
	return true;
}

static bool load_target(struct unit *u, uint64_t desc, struct target *t)
{
	const void *p = unit_ptr(u, desc, sizeof(*t), ISA_LOAD);

	if (!p)
		return false;
	memcpy(t, p, sizeof(*t));
	return check(u, desc, t);
}

/* The nearest of 256 levels; exact in double. NaN is dark. */
static uint8_t pack(float v)
{
	if (!(v > 0.0f))
		return 0;
	return v < 1.0f ? (uint8_t)((double)v * 255.0 + 0.5) : 255;
}

static bool depth_passes(enum depth func, float z, float old)
{
	switch (func) {
	case DEPTH_LESS:
		return z < old;
	case DEPTH_LEQUAL:
		return z <= old;
	case DEPTH_EQUAL:
		return z == old;
	case DEPTH_GEQUAL:
		return z >= old;
	case DEPTH_GREATER:
		return z > old;
	case DEPTH_NOTEQUAL:
		return z != old;
	default:
		return true;
	}
}

static unsigned int factor(enum factor f, const uint8_t src[4], const uint8_t dst[4],
			   unsigned int k)
{
	unsigned int value[FACTORS / 2] = { 0, src[k], src[ALPHA], dst[k], dst[ALPHA] };

	/* Each even one is followed by what it lacks to 255. */
	return f & 1 ? 255 - value[f / 2] : value[f / 2];
}

/* Replace what is in @dst by what will be. */
static void blend(const struct target *t, const uint8_t src[4], uint8_t dst[4])
{
	uint8_t old[4];

	memcpy(old, dst, sizeof(old));
	for (unsigned int k = 0; k < 4; k++) {
		unsigned int sum = src[k] * factor(t->src_factor, src, old, k) +
				   old[k] * factor(t->dst_factor, src, old, k);

		sum = (sum + 127) / 255;
		if (t->write >> k & 1)
			dst[k] = (uint8_t)(sum < 255 ? sum : 255);
	}
}

static void swap_red_blue(const struct target *t, uint8_t color[4])
{
	uint8_t red = color[0];

	if (t->format == FORMAT_BGRA8) {
		color[0] = color[2];
		color[2] = red;
	}
}

/*
 * @p has source colour and depth; find out what to do with the pixel at @x, @y. *@passed is
 * whether it is there and not hidden.
 */
static bool prepare(struct unit *u, const struct target *t, uint32_t x, uint32_t y, struct pixel *p,
		    bool *passed)
{
	uint64_t depth = t->depth + (uint64_t)t->depth_pitch * y + 4ull * x;
	uint64_t color = t->color + (uint64_t)t->color_pitch * y + 4ull * x;
	uint8_t dst[4];
	void *at;
	float old;

	*passed = false;
	if (x >= t->width || y >= t->height)
		return true;
	if (t->depth_func != DEPTH_OFF) {
		at = unit_ptr(u, depth, 4, ISA_LOAD);
		if (!at)
			return false;
		unit_count(u, depth, 4, 0);
		memcpy(&old, at, sizeof(old));
		if (!depth_passes(t->depth_func, p->z, old))
			return true;
		if (t->write & WRITE_DEPTH) {
			p->depth = unit_ptr(u, depth, 4, ISA_STORE);
			if (!p->depth)
				return false;
			unit_count(u, depth, 0, 4);
		}
	}
	*passed = true;
	if (!(t->write & WRITE_COLOR))
		return true;
	p->color = unit_ptr(u, color, 4, ISA_STORE);
	if (!p->color)
		return false;
	unit_count(u, color, 4, 4);
	memcpy(dst, p->color, sizeof(dst));
	swap_red_blue(t, dst);
	blend(t, p->rgba, dst);
	swap_red_blue(t, dst);
	memcpy(p->rgba, dst, sizeof(dst));
	return true;
}

static void store(const struct pixel *p)
{
	if (p->color)
		memcpy(p->color, p->rgba, 4);
	if (p->depth)
		memcpy(p->depth, &p->z, 4);
}

bool unit_rop(struct unit *u, uint64_t desc, uint64_t at, const float in[5], uint64_t *done)
{
	struct pixel p = { .z = in[4] };
	struct target t;
	bool passed;

	if (!load_target(u, desc, &t))
		return false;
	for (unsigned int k = 0; k < 4; k++)
		p.rgba[k] = pack(in[k]);
	if (!prepare(u, &t, at & 0xffff, at >> 16 & 0xffff, &p, &passed))
		return false;
	store(&p);
	*done = passed;
	u->pixels = passed;
	u->steps = 1;
	return true;
}

bool unit_rop_blk(struct unit *u, uint64_t desc, uint64_t at, uint64_t block, uint64_t *done)
{
	uint32_t x = at & 0xffff, y = at >> 16 & 0xffff, covered = at >> 32 & 0xffff, out = 0;
	struct pixel p[BLOCK] = { 0 };
	struct block b;
	struct target t;
	const void *from;
	bool passed;

	if (!load_target(u, desc, &t))
		return false;
	from = unit_ptr(u, block, sizeof(b), ISA_LOAD);
	if (!from)
		return false;
	unit_count(u, block, sizeof(b), 0);
	memcpy(&b, from, sizeof(b));
	ISA_FOR_MASK(k, covered) {
		memcpy(p[k].rgba, b.color[k], 4);
		p[k].z = b.depth[k];
		if (!prepare(u, &t, x + k % 4, y + k / 4, &p[k], &passed))
			return false;
		out |= (uint32_t)passed << k;
	}
	for (unsigned int k = 0; k < BLOCK; k++)
		store(&p[k]);
	*done = out;
	u->pixels = (uint32_t)__builtin_popcount(out);
	u->steps = 4;
	return true;
}
