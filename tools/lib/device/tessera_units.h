/* SPDX-License-Identifier: MIT */
/*
 * Textures, pixels and rays: descriptors for host and kernel, and for kernels functions that use
 * the units of render and mixed slices (Documentation/hw/units.rst). Without the unit they
 * compute the same, bit by bit, with instructions that every slice has, in the default rounding
 * mode. Only the unit checks descriptors.
 *
 * A kernel gets the units that it names in TESS_KERNEL():
 *
 *	TESS_KERNEL(scene, 0, 4096, TESS_UNIT_TEX | TESS_UNIT_ROP)
 *
 * Host programs include this file for the structures; buffers of the host hold them. Those in C that
 * define TESS_UNITS_SOFT before have tess_sample_soft(), too, for pictures that equal the GPU's.
 */
#ifndef TESSERA_UNITS_H
#define TESSERA_UNITS_H

#include <stdint.h>

#define TESS_UNIT_TEX 1 /* tess_sample() */
#define TESS_UNIT_ROP 2 /* tess_write_pixel(), tess_write_block() */
#define TESS_UNIT_RAY 4 /* tess_ray_box(), tess_ray_triangle() */

/**
 * enum tess_texture_format - texels
 * @TESS_TEX_RGBA8: 4 bytes red, green, blue, alpha, from 0 to 1
 * @TESS_TEX_R8: a byte red, from 0 to 1
 * @TESS_TEX_RGB565: 16 bits, blue in the lowest five
 * @TESS_TEX_RGBA16F: 4 halves
 * @TESS_TEX_R32F: a float
 */
enum tess_texture_format {
	TESS_TEX_RGBA8 = 1,
	TESS_TEX_R8 = 2,
	TESS_TEX_RGB565 = 3,
	TESS_TEX_RGBA16F = 4,
	TESS_TEX_R32F = 5,
};

/** enum tess_texture_filter - the nearest texel, or the mean of four, by distance */
enum tess_texture_filter { TESS_TEX_NEAREST, TESS_TEX_LINEAR };

/** enum tess_texture_wrap - outside: again, the nearest texel, or the border's colour */
enum tess_texture_wrap { TESS_TEX_REPEAT, TESS_TEX_CLAMP, TESS_TEX_BORDER };

/**
 * struct tess_texture - a texture
 * @address: of the first texel, a multiple of 8; smaller levels follow
 * @format: enum tess_texture_format
 * @filter: enum tess_texture_filter
 * @wrap_u: enum tess_texture_wrap
 * @wrap_v: likewise
 * @width: in texels, 1 to 16384
 * @height: likewise
 * @levels: 1 without smaller ones
 * @pitch: bytes from a row to the next, a multiple of 8
 * @reserved0: zero
 * @border: red, green, blue, alpha
 * @reserved1: zero
 */
struct tess_texture {
	uint64_t address;
	uint8_t format;
	uint8_t filter;
	uint8_t wrap_u;
	uint8_t wrap_v;
	uint32_t width;
	uint32_t height;
	uint32_t levels;
	uint32_t pitch;
	uint32_t reserved0;
	float border[4];
	uint64_t reserved1[2];
} __attribute__((aligned(64)));

/** enum tess_target_format - order of the bytes of a pixel */
enum tess_target_format { TESS_ROP_RGBA8 = 1, TESS_ROP_BGRA8 = 2 };

/** enum tess_depth_func - a pixel is written if its depth is that, compared with the present one */
enum tess_depth_func {
	TESS_DEPTH_OFF,
	TESS_DEPTH_LESS,
	TESS_DEPTH_LEQUAL,
	TESS_DEPTH_EQUAL,
	TESS_DEPTH_GEQUAL,
	TESS_DEPTH_GREATER,
	TESS_DEPTH_NOTEQUAL,
	TESS_DEPTH_ALWAYS,
};

/** enum tess_factor - what colours are multiplied with before they are added; INV: 1 - that */
enum tess_factor {
	TESS_FACTOR_ZERO,
	TESS_FACTOR_ONE,
	TESS_FACTOR_SRC_COLOR,
	TESS_FACTOR_INV_SRC_COLOR,
	TESS_FACTOR_SRC_ALPHA,
	TESS_FACTOR_INV_SRC_ALPHA,
	TESS_FACTOR_DST_COLOR,
	TESS_FACTOR_INV_DST_COLOR,
	TESS_FACTOR_DST_ALPHA,
	TESS_FACTOR_INV_DST_ALPHA,
};

#define TESS_WRITE_COLOR 0x0f /* red, green, blue, alpha: bits 0 to 3 */
#define TESS_WRITE_DEPTH 0x10

/**
 * struct tess_target - where pixels go
 * @color: address of the first colour, a multiple of 4
 * @depth: address of the first depth, a float, a multiple of 4
 * @width: in pixels, 1 to 16384
 * @height: likewise
 * @color_pitch: bytes from a row to the next, a multiple of 4
 * @depth_pitch: likewise
 * @format: enum tess_target_format
 * @depth_func: enum tess_depth_func
 * @write: TESS_WRITE_*
 * @src_factor: enum tess_factor of new colours
 * @dst_factor: enum tess_factor of the present ones
 * @reserved: zero
 */
struct tess_target {
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
	uint8_t reserved[27];
} __attribute__((aligned(64)));

/**
 * struct tess_block - 4 rows of 4 pixels
 * @color: red, green, blue, alpha of each
 * @depth: of each
 */
struct tess_block {
	uint8_t color[16][4];
	float depth[16];
} __attribute__((aligned(128)));

/**
 * struct tess_box - a box with edges along the axes
 * @low: corner of the least coordinates
 * @tag0: the program's
 * @high: the opposite corner
 * @tag1: the program's
 */
struct tess_box {
	float low[3];
	uint32_t tag0;
	float high[3];
	uint32_t tag1;
} __attribute__((aligned(32)));

/**
 * struct tess_triangle - a triangle
 * @corner: three coordinates each, the last number is the program's
 * @tag: the program's
 */
struct tess_triangle {
	float corner[3][4];
	uint32_t tag[4];
} __attribute__((aligned(64)));

/**
 * struct tess_ray - a ray
 * @origin: where it starts
 * @direction: of any length
 * @t_min: least distance, in lengths of @direction
 * @t_max: greatest distance
 */
struct tess_ray {
	float origin[3];
	float direction[3];
	float t_min;
	float t_max;
};

/** struct tess_rgba - a colour */
struct tess_rgba {
	float r, g, b, a;
};

/**
 * struct tess_hit - where a ray hits a triangle
 * @t: distance, infinity: it does not
 * @u: weight of corner 1
 * @v: weight of corner 2; that of corner 0 is what lacks to 1
 */
struct tess_hit {
	float t, u, v;
};

#ifdef __riscv

/**
 * tess_units() - units that this work-item has
 *
 * Return: TESS_UNIT_*, the same until the kernel ends.
 */
static inline uint32_t tess_units(void)
{
	uint64_t value;

	__asm__("csrr %0, 0xcd2" : "=r"(value));
	return (uint32_t)(value >> 32);
}

#endif

#if defined(__riscv) || defined(TESS_UNITS_SOFT)

/* ---- arithmetic that no compiler may join ---- */

/* A floating-point register, for inline assembly */
#if defined(__x86_64__)
#define TESS_FLOAT_ "+x"
#elif defined(__aarch64__)
#define TESS_FLOAT_ "+w"
#else
#define TESS_FLOAT_ "+f"
#endif

static inline float tess_mul_(float a, float b)
{
	float product = a * b;

	__asm__("" : TESS_FLOAT_(product));
	return product;
}

static inline double tess_muld_(double a, double b)
{
	double product = a * b;

	__asm__("" : TESS_FLOAT_(product));
	return product;
}

static inline float tess_float_(uint32_t bits)
{
	float f;

	__builtin_memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline float tess_no_payload_(float f)
{
	return f != f ? tess_float_(0x7fc00000) : f;
}

#define TESS_INFINITY_ tess_float_(0x7f800000)

/* ---- textures ---- */

static inline uint32_t tess_texel_bytes_(uint32_t format)
{
	return format == TESS_TEX_RGBA16F ? 8 :
	       format == TESS_TEX_R8	  ? 1 :
	       format == TESS_TEX_RGB565  ? 2 :
					    4;
}

static inline float tess_half_(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, low = h & 0x3ff;

	if (!exponent)
		return tess_float_(sign | 0x3f800000) * ((float)low * 0x1p-24f);
	return tess_float_(sign | (exponent == 31 ? 255 : exponent + 112) << 23 | low << 13);
}

static inline struct tess_rgba tess_texel_(uint32_t format, const void *p)
{
	struct tess_rgba c = { 0, 0, 0, 1 };
	const uint8_t *b = p;
	const uint16_t *h = p;

	switch (format) {
	case TESS_TEX_R8:
		c.r = (float)b[0] / 255.0f;
		return c;
	case TESS_TEX_RGB565:
		c.r = (float)(*h >> 11) / 31.0f;
		c.g = (float)(*h >> 5 & 63) / 63.0f;
		c.b = (float)(*h & 31) / 31.0f;
		return c;
	case TESS_TEX_RGBA16F:
		return (struct tess_rgba){ tess_half_(h[0]), tess_half_(h[1]), tess_half_(h[2]),
					   tess_half_(h[3]) };
	case TESS_TEX_R32F:
		c.r = *(const float *)p;
		return c;
	default:
		return (struct tess_rgba){ (float)b[0] / 255.0f, (float)b[1] / 255.0f,
					   (float)b[2] / 255.0f, (float)b[3] / 255.0f };
	}
}

/* Column or row of an index, -1: the border */
static inline int32_t tess_wrap_(int32_t i, int32_t n, uint32_t mode)
{
	if (i >= 0 && i < n)
		return i;
	if (mode == TESS_TEX_REPEAT) {
		i %= n;
		return i < 0 ? i + n : i;
	}
	if (mode == TESS_TEX_CLAMP)
		return i < 0 ? 0 : n - 1;
	return -1;
}

static inline struct tess_rgba tess_fetch_(const struct tess_texture *t, int32_t i, int32_t j)
{
	int32_t x = tess_wrap_(i, (int32_t)t->width, t->wrap_u);
	int32_t y = tess_wrap_(j, (int32_t)t->height, t->wrap_v);

	if (x < 0 || y < 0)
		return (struct tess_rgba){ t->border[0], t->border[1], t->border[2], t->border[3] };
	return tess_texel_(t->format, (const char *)(uintptr_t)t->address +
					      (uint64_t)t->pitch * (uint32_t)y +
					      tess_texel_bytes_(t->format) * (uint32_t)x);
}

/* A coordinate in texels, rounded down; *@rest is what is left */
static inline int32_t tess_round_down_(float s, float *rest)
{
	int32_t i;

	s = s > -0x1p30f ? s : -0x1p30f;
	s = s < 0x1p30f ? s : 0x1p30f;
	i = (int32_t)s;
	i -= (float)i > s;
	*rest = s - (float)i;
	return i;
}

static inline float tess_mix1_(float a, float b, float f)
{
	return a + tess_mul_(f, b - a);
}

static inline struct tess_rgba tess_mix_(struct tess_rgba a, struct tess_rgba b, float f)
{
	return (struct tess_rgba){ tess_mix1_(a.r, b.r, f), tess_mix1_(a.g, b.g, f),
				   tess_mix1_(a.b, b.b, f), tess_mix1_(a.a, b.a, f) };
}

/* Make @t the texture that the level is. */
static inline void tess_choose_level_(struct tess_texture *t, float level)
{
	float last = (float)(t->levels - 1), l = level > 0 ? level : 0;

	l = l < last ? l : last;
	for (uint32_t n = (uint32_t)(l + 0.5f); n; n--) {
		t->address += (uint64_t)t->pitch * t->height;
		t->width = t->width > 1 ? t->width / 2 : 1;
		t->height = t->height > 1 ? t->height / 2 : 1;
		t->pitch = (t->width * tess_texel_bytes_(t->format) + 7) & ~7u;
	}
}

/** tess_sample_soft() - tess_sample() without the unit */
__attribute__((noinline, unused)) static struct tess_rgba
tess_sample_soft(const struct tess_texture *texture, float u, float v, float level)
{
	struct tess_texture t = *texture;
	struct tess_rgba c;
	float f, g, s, r;
	int32_t i, j;

	tess_choose_level_(&t, level);
	s = tess_mul_(u, (float)t.width);
	r = tess_mul_(v, (float)t.height);
	if (t.filter == TESS_TEX_NEAREST) {
		i = tess_round_down_(s, &f);
		j = tess_round_down_(r, &g);
		c = tess_fetch_(&t, i, j);
	} else {
		i = tess_round_down_(s - 0.5f, &f);
		j = tess_round_down_(r - 0.5f, &g);
		c = tess_mix_(
			tess_mix_(tess_fetch_(&t, i, j), tess_fetch_(&t, i + 1, j), f),
			tess_mix_(tess_fetch_(&t, i, j + 1), tess_fetch_(&t, i + 1, j + 1), f), g);
	}
	return (struct tess_rgba){ tess_no_payload_(c.r), tess_no_payload_(c.g),
				   tess_no_payload_(c.b), tess_no_payload_(c.a) };
}

#endif

#ifdef __riscv

/** tess_sample_unit() - tess_sample() with the unit; illegal where it is missing */
static inline struct tess_rgba tess_sample_unit(const struct tess_texture *texture, float u,
						float v, float level)
{
	register float r __asm__("fa0") = u;
	register float g __asm__("fa1") = v;
	register float b __asm__("fa2") = level;
	register float a __asm__("fa3");

	__asm__ volatile(".insn r 0x2b, 0, 0, %0, %4, %0"
			 : "+f"(r), "+f"(g), "+f"(b), "=f"(a)
			 : "r"(texture)
			 : "memory");
	return (struct tess_rgba){ r, g, b, a };
}

/**
 * tess_sample() - sample a texture
 * @texture: what to sample
 * @u: coordinate, from 0 to 1 over the width
 * @v: coordinate, from 0 to 1 over the height
 * @level: of the texture, 0: as large as it is
 *
 * Return: the colour.
 */
static inline struct tess_rgba tess_sample(const struct tess_texture *texture, float u, float v,
					   float level)
{
	return tess_units() & TESS_UNIT_TEX ? tess_sample_unit(texture, u, v, level) :
					      tess_sample_soft(texture, u, v, level);
}

/* ---- pixels ---- */

static inline uint8_t tess_pack_(float v)
{
	if (!(v > 0))
		return 0;
	/* Exact, in one instruction or in two */
	return v < 1 ? (uint8_t)((double)v * 255.0 + 0.5) : 255;
}

static inline int tess_depth_passes_(uint32_t func, float z, float old)
{
	switch (func) {
	case TESS_DEPTH_LESS:
		return z < old;
	case TESS_DEPTH_LEQUAL:
		return z <= old;
	case TESS_DEPTH_EQUAL:
		return z == old;
	case TESS_DEPTH_GEQUAL:
		return z >= old;
	case TESS_DEPTH_GREATER:
		return z > old;
	case TESS_DEPTH_NOTEQUAL:
		return z != old;
	default:
		return 1;
	}
}

static inline uint32_t tess_factor_(uint32_t f, uint32_t s, uint32_t d, uint32_t sa, uint32_t da)
{
	uint32_t v = f < 2 ? 0 : f < 4 ? s : f < 6 ? sa : f < 8 ? d : da;

	return f & 1 ? 255 - v : v;
}

static inline uint32_t tess_blend_(const struct tess_target *t, uint32_t src, uint32_t dst)
{
	uint32_t out = 0;

	for (uint32_t k = 0; k < 32; k += 8) {
		uint32_t s = src >> k & 255, d = dst >> k & 255;
		uint32_t v = s * tess_factor_(t->src_factor, s, d, src >> 24, dst >> 24) +
			     d * tess_factor_(t->dst_factor, s, d, src >> 24, dst >> 24);

		v = (v + 127) / 255;
		v = v < 255 ? v : 255;
		out |= (t->write >> k / 8 & 1 ? v : d) << k;
	}
	return out;
}

static inline uint32_t tess_swap_(uint32_t format, uint32_t c)
{
	return format == TESS_ROP_BGRA8 ? (c & 0xff00ff00) | (c & 255) << 16 | (c >> 16 & 255) : c;
}

static inline uint32_t tess_pixel_(const struct tess_target *t, uint32_t x, uint32_t y,
				   uint32_t src, float z)
{
	uint32_t *color =
		(uint32_t *)(uintptr_t)(t->color + (uint64_t)t->color_pitch * y + 4ull * x);
	float *depth = (float *)(uintptr_t)(t->depth + (uint64_t)t->depth_pitch * y + 4ull * x);

	if (x >= t->width || y >= t->height)
		return 0;
	if (t->depth_func && !tess_depth_passes_(t->depth_func, z, *depth))
		return 0;
	if (t->write & TESS_WRITE_COLOR)
		*color = tess_swap_(t->format, tess_blend_(t, src, tess_swap_(t->format, *color)));
	if (t->depth_func && t->write & TESS_WRITE_DEPTH)
		*depth = z;
	return 1;
}

/** tess_write_pixel_soft() - tess_write_pixel() without the unit */
__attribute__((noinline, unused)) static uint32_t
tess_write_pixel_soft(const struct tess_target *target, uint32_t x, uint32_t y,
		      struct tess_rgba color, float z)
{
	uint32_t src = tess_pack_(color.r) | (uint32_t)tess_pack_(color.g) << 8 |
		       (uint32_t)tess_pack_(color.b) << 16 | (uint32_t)tess_pack_(color.a) << 24;

	return tess_pixel_(target, x & 0xffff, y & 0xffff, src, z);
}

/** tess_write_pixel_unit() - tess_write_pixel() with the unit; illegal where it is missing */
static inline uint32_t tess_write_pixel_unit(const struct tess_target *target, uint32_t x,
					     uint32_t y, struct tess_rgba color, float z)
{
	register float r __asm__("fa0") = color.r;
	register float g __asm__("fa1") = color.g;
	register float b __asm__("fa2") = color.b;
	register float a __asm__("fa3") = color.a;
	register float depth __asm__("fa4") = z;
	uint64_t done;

	__asm__ volatile(".insn r4 0x2b, 1, 0, %0, %1, %2, %3"
			 : "=r"(done)
			 : "r"(target), "r"((uint64_t)(x & 0xffff) | (uint64_t)(y & 0xffff) << 16),
			   "f"(r), "f"(g), "f"(b), "f"(a), "f"(depth)
			 : "memory");
	return (uint32_t)done;
}

/**
 * tess_write_pixel() - test the depth of a pixel, blend and store it
 * @target: where
 * @x: column, [15:0]
 * @y: row, [15:0]
 * @color: from 0 to 1 each
 * @z: depth
 *
 * Return: 1 if it was written, 0 if it is outside or hidden.
 */
static inline uint32_t tess_write_pixel(const struct tess_target *target, uint32_t x, uint32_t y,
					struct tess_rgba color, float z)
{
	return tess_units() & TESS_UNIT_ROP ? tess_write_pixel_unit(target, x, y, color, z) :
					      tess_write_pixel_soft(target, x, y, color, z);
}

/** tess_write_block_soft() - tess_write_block() without the unit */
__attribute__((noinline, unused)) static uint32_t
tess_write_block_soft(const struct tess_target *target, uint32_t x, uint32_t y, uint32_t covered,
		      const struct tess_block *block)
{
	uint32_t done = 0, src;

	for (uint32_t k = 0; k < 16; k++) {
		if (!(covered >> k & 1))
			continue;
		__builtin_memcpy(&src, block->color[k], sizeof(src));
		done |= tess_pixel_(target, (x & 0xffff) + k % 4, (y & 0xffff) + k / 4, src,
				    block->depth[k])
			<< k;
	}
	return done;
}

/** tess_write_block_unit() - tess_write_block() with the unit; illegal where it is missing */
static inline uint32_t tess_write_block_unit(const struct tess_target *target, uint32_t x,
					     uint32_t y, uint32_t covered,
					     const struct tess_block *block)
{
	uint64_t at = (uint64_t)(x & 0xffff) | (uint64_t)(y & 0xffff) << 16 |
		      (uint64_t)(covered & 0xffff) << 32;
	uint64_t done;

	__asm__ volatile(".insn r4 0x2b, 2, 0, %0, %1, %2, %3"
			 : "=r"(done)
			 : "r"(target), "r"(at), "r"(block)
			 : "memory");
	return (uint32_t)done;
}

/**
 * tess_write_block() - the same for 4x4 pixels
 * @target: where
 * @x: first column, [15:0]
 * @y: first row, [15:0]
 * @covered: pixels to write: bit 4 * row + column
 * @block: colours and depths
 *
 * Return: pixels that were written, as @covered.
 */
static inline uint32_t tess_write_block(const struct tess_target *target, uint32_t x, uint32_t y,
					uint32_t covered, const struct tess_block *block)
{
	return tess_units() & TESS_UNIT_ROP ? tess_write_block_unit(target, x, y, covered, block) :
					      tess_write_block_soft(target, x, y, covered, block);
}

/* ---- rays ---- */

/** tess_ray_box_soft() - tess_ray_box() without the unit */
__attribute__((noinline, unused)) static float tess_ray_box_soft(const struct tess_ray *ray,
								 const struct tess_box *box)
{
	float from = ray->t_min, to = ray->t_max;

	for (unsigned int k = 0; k < 3; k++) {
		float o = ray->origin[k], d = ray->direction[k];
		float t0 = box->low[k] - o, t1 = box->high[k] - o, near, far;

		if (d == 0) {
			if (!(box->low[k] <= o && o <= box->high[k]))
				return TESS_INFINITY_;
			continue;
		}
		t0 = t0 / d;
		t1 = t1 / d;
		near = t0 < t1 ? t0 : t1;
		far = t0 < t1 ? t1 : t0;
		if (!(near <= far))
			return TESS_INFINITY_;
		from = near > from ? near : from;
		to = far < to ? far : to;
	}
	return from <= to ? from : TESS_INFINITY_;
}

#define TESS_RAY_REGISTERS_(ray)                                 \
	register float ox_ __asm__("fa0") = (ray)->origin[0];    \
	register float oy_ __asm__("fa1") = (ray)->origin[1];    \
	register float oz_ __asm__("fa2") = (ray)->origin[2];    \
	register float dx_ __asm__("fa3") = (ray)->direction[0]; \
	register float dy_ __asm__("fa4") = (ray)->direction[1]; \
	register float dz_ __asm__("fa5") = (ray)->direction[2]; \
	register float min_ __asm__("fa6") = (ray)->t_min;       \
	register float max_ __asm__("fa7") = (ray)->t_max

/** tess_ray_box_unit() - tess_ray_box() with the unit; illegal where it is missing */
static inline float tess_ray_box_unit(const struct tess_ray *ray, const struct tess_box *box)
{
	TESS_RAY_REGISTERS_(ray);

	__asm__ volatile(".insn r 0x2b, 3, 0, %0, %1, %0"
			 : "+f"(ox_)
			 : "r"(box), "f"(oy_), "f"(oz_), "f"(dx_), "f"(dy_), "f"(dz_), "f"(min_),
			   "f"(max_)
			 : "memory");
	return ox_;
}

/**
 * tess_ray_box() - where does a ray enter a box?
 * @ray: the ray
 * @box: the box
 *
 * Return: the distance, at least that where the ray starts; infinity if it misses.
 */
static inline float tess_ray_box(const struct tess_ray *ray, const struct tess_box *box)
{
	return tess_units() & TESS_UNIT_RAY ? tess_ray_box_unit(ray, box) :
					      tess_ray_box_soft(ray, box);
}

/* Which side of the edge from @a to @b is the axis on? Products are exact. */
static inline double tess_edge_(const float a[3], const float b[3])
{
	return tess_muld_(a[0], b[1]) - tess_muld_(a[1], b[0]);
}

/** tess_ray_triangle_soft() - tess_ray_triangle() without the unit */
__attribute__((noinline, unused)) static struct tess_hit
tess_ray_triangle_soft(const struct tess_ray *ray, const struct tess_triangle *triangle)
{
	const struct tess_hit miss = { TESS_INFINITY_, 0, 0 };
	const float *o = ray->origin, *d = ray->direction;
	unsigned int z = __builtin_fabsf(d[1]) > __builtin_fabsf(d[0]), x, y;
	float mx, my, mz, c[3][3];
	double w0, w1, w2, sum, t;
	struct tess_hit hit;

	z = __builtin_fabsf(d[2]) > __builtin_fabsf(d[z]) ? 2 : z;
	x = (z + 1) % 3;
	y = (z + 2) % 3;
	mx = d[x] / d[z];
	my = d[y] / d[z];
	mz = 1.0f / d[z];
	for (unsigned int k = 0; k < 3; k++) {
		const float *corner = triangle->corner[k];
		float e = corner[z] - o[z];

		c[k][0] = (corner[x] - o[x]) - tess_mul_(mx, e);
		c[k][1] = (corner[y] - o[y]) - tess_mul_(my, e);
		c[k][2] = tess_mul_(mz, e);
	}
	w0 = tess_edge_(c[1], c[2]);
	w1 = tess_edge_(c[2], c[0]);
	w2 = tess_edge_(c[0], c[1]);
	if ((w0 < 0 || w1 < 0 || w2 < 0) && (w0 > 0 || w1 > 0 || w2 > 0))
		return miss;
	sum = (w0 + w1) + w2;
	if (!(sum < 0) && !(sum > 0))
		return miss;
	t = (tess_muld_(w0, c[0][2]) + tess_muld_(w1, c[1][2])) + tess_muld_(w2, c[2][2]);
	hit = (struct tess_hit){ (float)(t / sum), (float)(w1 / sum), (float)(w2 / sum) };
	return hit.t >= ray->t_min && hit.t <= ray->t_max ? hit : miss;
}

/** tess_ray_triangle_unit() - tess_ray_triangle() with the unit; illegal where it is missing */
static inline struct tess_hit tess_ray_triangle_unit(const struct tess_ray *ray,
						     const struct tess_triangle *triangle)
{
	TESS_RAY_REGISTERS_(ray);

	__asm__ volatile(".insn r 0x2b, 4, 0, %0, %3, %0"
			 : "+f"(ox_), "+f"(oy_), "+f"(oz_)
			 : "r"(triangle), "f"(dx_), "f"(dy_), "f"(dz_), "f"(min_), "f"(max_)
			 : "memory");
	return (struct tess_hit){ ox_, oy_, oz_ };
}

/**
 * tess_ray_triangle() - where does a ray hit a triangle?
 * @ray: the ray
 * @triangle: the triangle; both of its sides count
 *
 * Nothing gets between triangles that have an edge in common.
 *
 * Return: distance and weights; distance infinity if it misses.
 */
static inline struct tess_hit tess_ray_triangle(const struct tess_ray *ray,
						const struct tess_triangle *triangle)
{
	return tess_units() & TESS_UNIT_RAY ? tess_ray_triangle_unit(ray, triangle) :
					      tess_ray_triangle_soft(ray, triangle);
}

#endif /* __riscv */

#endif
