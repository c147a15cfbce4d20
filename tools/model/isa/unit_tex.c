// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: texture unit
 *
 * A sample is one texel, or four and three interpolations. Which texels is
 * integer arithmetic once coordinates are scaled and rounded down.
 */
#include <string.h>

#include "unit.h"

#define FAR 1073741824.0f /* 2^30: coordinates end there, in texels */
#define MAX_LEVELS 15u

enum format { FORMAT_RGBA8 = 1, FORMAT_R8, FORMAT_RGB565, FORMAT_RGBA16F, FORMAT_R32F, FORMATS };
enum filter { FILTER_NEAREST, FILTER_LINEAR, FILTERS };
enum wrap { WRAP_REPEAT, WRAP_CLAMP, WRAP_BORDER, WRAPS };

struct texture {
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
};

_Static_assert(sizeof(struct texture) == 64, "never across pages");

static float unorm(unsigned int value, unsigned int max)
{
	return (float)value / (float)max;
}

static void decode_rgba8(const void *p, float out[4])
{
	const uint8_t *b = p;

	for (unsigned int k = 0; k < 4; k++)
		out[k] = unorm(b[k], 255);
}

static void decode_r8(const void *p, float out[4])
{
	out[0] = unorm(*(const uint8_t *)p, 255);
}

static void decode_rgb565(const void *p, float out[4])
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	out[0] = unorm(v >> 11, 31);
	out[1] = unorm(v >> 5 & 63, 63);
	out[2] = unorm(v & 31, 31);
}

/* A half is a single with other widths; subnormal ones are multiples of 2^-24. */
static float from_half(uint16_t h)
{
	uint32_t bits = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, low = h & 0x3ff;
	float f;

	if (!exponent) {
		f = (float)low * 0x1p-24f;
		return bits ? -f : f;
	}
	bits |= (exponent == 31 ? 255 : exponent + 112) << 23 | low << 13;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static void decode_rgba16f(const void *p, float out[4])
{
	uint16_t h[4];

	memcpy(h, p, sizeof(h));
	for (unsigned int k = 0; k < 4; k++)
		out[k] = from_half(h[k]);
}

static void decode_r32f(const void *p, float out[4])
{
	memcpy(out, p, sizeof(*out));
}

static const struct {
	unsigned int size;
	void (*decode)(const void *p, float out[4]);
} formats[FORMATS] = {
	[FORMAT_RGBA8] = { 4, decode_rgba8 },	[FORMAT_R8] = { 1, decode_r8 },
	[FORMAT_RGB565] = { 2, decode_rgb565 }, [FORMAT_RGBA16F] = { 8, decode_rgba16f },
	[FORMAT_R32F] = { 4, decode_r32f },
};

/* Levels until one has a single texel */
static uint32_t most_levels(const struct texture *t)
{
	return 32 - (uint32_t)__builtin_clz(t->width | t->height);
}

static bool check(struct unit *u, uint64_t desc, const struct texture *t)
{
	if (t->address & 7)
		return unit_bad_field(u, desc, offsetof(struct texture, address));
	if (!t->format || t->format >= FORMATS)
		return unit_bad_field(u, desc, offsetof(struct texture, format));
	if (t->filter >= FILTERS)
		return unit_bad_field(u, desc, offsetof(struct texture, filter));
	if (t->wrap_u >= WRAPS)
		return unit_bad_field(u, desc, offsetof(struct texture, wrap_u));
	if (t->wrap_v >= WRAPS)
		return unit_bad_field(u, desc, offsetof(struct texture, wrap_v));
	if (!t->width || t->width > UNIT_MAX_SIZE)
		return unit_bad_field(u, desc, offsetof(struct texture, width));
	if (!t->height || t->height > UNIT_MAX_SIZE)
		return unit_bad_field(u, desc, offsetof(struct texture, height));
	if (!t->levels || t->levels > most_levels(t))
		return unit_bad_field(u, desc, offsetof(struct texture, levels));
	if (t->pitch & 7 || t->pitch < t->width * formats[t->format].size)
		return unit_bad_field(u, desc, offsetof(struct texture, pitch));
	if (t->reserved0)
		return unit_bad_field(u, desc, offsetof(struct texture, reserved0));
	for (unsigned int k = 0; k < 2; k++)
		if (t->reserved1[k])
			return unit_bad_field(u, desc, offsetof(struct texture, reserved1[k]));
	return true;
}

/* Make @t the texture that its level for @lod is. */
static void choose_level(struct texture *t, float lod)
{
	float last = (float)(t->levels - 1);
	float level = lod > 0.0f ? lod : 0.0f;
	uint32_t n;

	level = level < last ? level : last;
	for (n = (uint32_t)(level + 0.5f); n; n--) {
		t->address += (uint64_t)t->pitch * t->height;
		t->width = t->width > 1 ? t->width / 2 : 1;
		t->height = t->height > 1 ? t->height / 2 : 1;
		t->pitch = (t->width * formats[t->format].size + 7) & ~7u;
	}
}

/* Round down: a coordinate in texels, and what is left of it. NaN is far to the left. */
static int32_t round_down(float s, float *rest)
{
	int32_t i;

	s = s > -FAR ? s : -FAR;
	s = s < FAR ? s : FAR;
	i = (int32_t)s;
	i -= (float)i > s;
	*rest = s - (float)i;
	return i;
}

/* Texel for index @i of @n, -1: border */
static int32_t wrap(int32_t i, int32_t n, enum wrap mode)
{
	switch (mode) {
	case WRAP_REPEAT:
		i %= n;
		return i < 0 ? i + n : i;
	case WRAP_CLAMP:
		return i < 0 ? 0 : i < n ? i : n - 1;
	default:
		return i < n ? i : -1;
	}
}

static bool fetch(struct unit *u, const struct texture *t, int32_t i, int32_t j, float out[4])
{
	unsigned int size = formats[t->format].size;
	int32_t x = wrap(i, (int32_t)t->width, t->wrap_u);
	int32_t y = wrap(j, (int32_t)t->height, t->wrap_v);
	uint64_t va = t->address + (uint64_t)t->pitch * (uint32_t)y + size * (uint32_t)x;
	const void *p;

	if (x < 0 || y < 0) {
		memcpy(out, t->border, sizeof(t->border));
		return true;
	}
	p = unit_ptr(u, va, size, ISA_LOAD);
	if (!p)
		return false;
	unit_count(u, va, size, 0);
	out[0] = out[1] = out[2] = 0.0f;
	out[3] = 1.0f;
	formats[t->format].decode(p, out);
	u->texels++;
	return true;
}

static float mix(float a, float b, float at)
{
	float d = b - a;

	d = at * d;
	return a + d;
}

static bool sample_linear(struct unit *u, const struct texture *t, float s, float r, float out[4])
{
	float at[2], texel[4][4], top, bottom;
	int32_t i = round_down(s - 0.5f, &at[0]);
	int32_t j = round_down(r - 0.5f, &at[1]);

	for (int32_t k = 0; k < 4; k++)
		if (!fetch(u, t, i + (k & 1), j + (k >> 1), texel[k]))
			return false;
	for (unsigned int k = 0; k < 4; k++) {
		top = mix(texel[0][k], texel[1][k], at[0]);
		bottom = mix(texel[2][k], texel[3][k], at[0]);
		out[k] = mix(top, bottom, at[1]);
	}
	return true;
}

static bool sample_nearest(struct unit *u, const struct texture *t, float s, float r, float out[4])
{
	float rest;
	int32_t i = round_down(s, &rest);
	int32_t j = round_down(r, &rest);

	return fetch(u, t, i, j, out);
}

bool unit_tex(struct unit *u, uint64_t desc, const float at[3], float out[4])
{
	const void *p = unit_ptr(u, desc, sizeof(struct texture), ISA_LOAD);
	struct texture t;
	float s, r;

	if (!p)
		return false;
	memcpy(&t, p, sizeof(t));
	if (!check(u, desc, &t))
		return false;
	choose_level(&t, at[2]);
	s = at[0] * (float)t.width;
	r = at[1] * (float)t.height;
	u->steps = 1;
	if (t.filter == FILTER_LINEAR)
		return sample_linear(u, &t, s, r, out);
	return sample_nearest(u, &t, s, r, out);
}
