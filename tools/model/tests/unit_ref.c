// SPDX-License-Identifier: GPL-2.0-or-later
/* The reference of unit_ref.h. */
#include <math.h>
#include <string.h>

#include "unit_ref.h"

typedef __float128 quad;

uint32_t ref_bits(float f)
{
	uint32_t bits;

	if (isnan(f))
		return 0x7fc00000;
	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* ---- textures ---- */

static uint32_t bytes_at(const uint8_t *p, unsigned int n)
{
	uint32_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

static float fraction(uint32_t value, unsigned int bits)
{
	uint32_t most = (1u << bits) - 1;

	return (float)((quad)(value & most) / (quad)most);
}

static float half(uint32_t h)
{
	unsigned int exponent = h >> 10 & 31, low = h & 1023;
	double v = exponent == 31 ? (low ? NAN : INFINITY) :
		   exponent	  ? ldexp(1024 + low, (int)exponent - 25) :
				    ldexp(low, -24);

	return (float)(h >> 15 ? -v : v);
}

static const unsigned int texel_bytes[] = { 0, 4, 1, 2, 8, 4 };

static void texel(const uint8_t *p, unsigned int format, float out[4])
{
	uint32_t v = bytes_at(p, format == 4 ? 4 : texel_bytes[format]);

	out[0] = out[1] = out[2] = 0;
	out[3] = 1;
	switch (format) {
	case 1:
		for (unsigned int k = 0; k < 4; k++)
			out[k] = fraction(v >> 8 * k, 8);
		break;
	case 2:
		out[0] = fraction(v, 8);
		break;
	case 3:
		out[0] = fraction(v >> 11, 5);
		out[1] = fraction(v >> 5, 6);
		out[2] = fraction(v, 5);
		break;
	case 4:
		for (unsigned int k = 0; k < 4; k++)
			out[k] = half(bytes_at(p + 2 * k, 2));
		break;
	default:
		memcpy(out, &v, 4);
	}
}

static int level_of(float lod, uint32_t levels)
{
	int last = (int)levels - 1;

	if (!(lod > 0))
		return 0;
	if (lod >= (float)last)
		return last;
	return (int)(float)((quad)lod + (quad)0.5);
}

/* Whole texels to the left of @s, in [-2^30, 2^30] */
static int64_t whole(float s)
{
	if (!(s > -1073741824.0f))
		return -1073741824;
	return s < 1073741824.0f ? (int64_t)floor(s) : 1073741824;
}

static float rest(float s)
{
	if (!(s > -1073741824.0f) || s >= 1073741824.0f)
		return 0;
	return (float)((quad)s - (quad)floor(s));
}

/* -1: border */
static int64_t place(int64_t i, int64_t n, unsigned int mode)
{
	if (i >= 0 && i < n)
		return i;
	if (mode == 0)
		return i - n * (int64_t)floorl((long double)i / n);
	if (mode == 1)
		return i < 0 ? 0 : n - 1;
	return -1;
}

static float between(float a, float b, float f)
{
	float d = (float)((quad)b - (quad)a);

	d = (float)((quad)f * (quad)d);
	return (float)((quad)a + (quad)d);
}

unsigned int ref_tex(const uint8_t *mem, const struct ref_texture *t, const float at[3],
		     float out[4])
{
	uint64_t base = t->address, pitch = t->pitch;
	int64_t size[2] = { t->size[0], t->size[1] }, first[2];
	float f[2], four[4][4];
	unsigned int n = 0, taps = t->filter ? 4 : 1;

	for (int level = level_of(at[2], t->levels); level; level--) {
		base += pitch * (uint64_t)size[1];
		for (int k = 0; k < 2; k++)
			size[k] -= size[k] > 1 ? (size[k] + 1) / 2 : 0;
		pitch = (uint64_t)((size[0] * texel_bytes[t->format] + 7) / 8 * 8);
	}
	for (int k = 0; k < 2; k++) {
		float s = (float)((quad)at[k] * (quad)size[k]);

		if (t->filter)
			s = (float)((quad)s - (quad)0.5);
		first[k] = whole(s);
		f[k] = rest(s);
	}
	for (unsigned int k = 0; k < taps; k++) {
		int64_t x = place(first[0] + k % 2, size[0], t->wrap[0]);
		int64_t y = place(first[1] + k / 2, size[1], t->wrap[1]);

		if (x < 0 || y < 0) {
			memcpy(four[k], t->border, sizeof(four[k]));
			continue;
		}
		texel(mem + base + (uint64_t)y * pitch + (uint64_t)x * texel_bytes[t->format],
		      t->format, four[k]);
		n++;
	}
	for (unsigned int k = 0; k < 4; k++)
		out[k] = taps == 1 ? four[0][k] :
				     between(between(four[0][k], four[1][k], f[0]),
					     between(four[2][k], four[3][k], f[0]), f[1]);
	return n;
}

/* ---- raster output ---- */

uint8_t ref_pack(float v)
{
	int level = 0;

	/* The level of which v is less than half a step above */
	while (level < 255 && (quad)v * 255 >= (quad)level + (quad)0.5)
		level++;
	return (uint8_t)level;
}

static int factor_of(unsigned int code, int s, int d, int sa, int da)
{
	int value = code < 2 ? 0 : code < 4 ? s : code < 6 ? sa : code < 8 ? d : da;

	return code % 2 ? 255 - value : value;
}

static bool visible(unsigned int func, float z, float old)
{
	/* less, equal, greater */
	static const uint8_t when[8] = { 7, 1, 3, 2, 6, 4, 5, 7 };

	if (isnan(z) || isnan(old))
		return func == 0 || func >= 6;
	return when[func] >> (z < old ? 0 : z == old ? 1 : 2) & 1;
}

bool ref_rop(uint8_t *mem, const struct ref_target *t, unsigned int x, unsigned int y,
	     const uint8_t rgba[4], float z)
{
	uint8_t *c = mem + t->color + (uint64_t)y * t->color_pitch + 4 * x;
	uint8_t *d = mem + t->depth + (uint64_t)y * t->depth_pitch + 4 * x, old[4];
	static const uint8_t where[2][4] = { { 0, 1, 2, 3 }, { 2, 1, 0, 3 } };
	const uint8_t *at = where[t->format - 1];
	float before;

	if (x >= t->width || y >= t->height)
		return false;
	if (t->func) {
		memcpy(&before, d, 4);
		if (!visible(t->func, z, before))
			return false;
	}
	memcpy(old, c, 4);
	for (unsigned int k = 0; k < 4; k++) {
		int s = rgba[k], o = old[at[k]], sa = rgba[3], oa = old[3];
		int sum = s * factor_of(t->src, s, o, sa, oa) + o * factor_of(t->dst, s, o, sa, oa);
		long v = lround((double)sum / 255.0);

		if (t->write >> k & 1)
			c[at[k]] = (uint8_t)(v > 255 ? 255 : v);
	}
	if (t->func && t->write & 16)
		memcpy(d, &z, 4);
	return true;
}

/* ---- rays ---- */

static float sub(float a, float b)
{
	return (float)((quad)a - (quad)b);
}

static float mul(float a, float b)
{
	return (float)((quad)a * (quad)b);
}

static float quotient(float a, float b)
{
	return (float)((quad)a / (quad)b);
}

float ref_box(const float low[3], const float high[3], const float ray[8])
{
	float in[3], out[3], from = ray[6], to = ray[7];
	unsigned int n = 0;

	for (unsigned int k = 0; k < 3; k++) {
		float o = ray[k], d = ray[3 + k], a, b;

		if (d == 0) {
			if (isnan(low[k]) || isnan(high[k]) || isnan(o) || low[k] > o ||
			    high[k] < o)
				return INFINITY;
			continue;
		}
		a = quotient(sub(low[k], o), d);
		b = quotient(sub(high[k], o), d);
		if (isnan(a) || isnan(b))
			return INFINITY;
		in[n] = a < b ? a : b;
		out[n++] = a < b ? b : a;
	}
	if (isnan(from) || isnan(to))
		return INFINITY;
	/* The last entry has to come before the first exit. */
	for (unsigned int k = 0; k < n; k++) {
		from = in[k] > from ? in[k] : from;
		to = out[k] < to ? out[k] : to;
	}
	return from > to ? INFINITY : from;
}

static double narrow(quad v)
{
	return (double)v;
}

void ref_tri(const float corner[3][3], const float ray[8], float out[3])
{
	const float *o = ray, *d = ray + 3;
	unsigned int z = 0;
	float p[3][3];
	double e[3], sum, t;
	int negative = 0, positive = 0;

	out[0] = INFINITY;
	out[1] = out[2] = 0;
	for (unsigned int k = 1; k < 3; k++)
		if (fabsf(d[k]) > fabsf(d[z]))
			z = k;
	for (unsigned int k = 0; k < 3; k++) {
		float deep = sub(corner[k][z], o[z]);

		for (unsigned int a = 0; a < 2; a++) {
			unsigned int axis = (z + 1 + a) % 3;

			p[k][a] = sub(sub(corner[k][axis], o[axis]),
				      mul(quotient(d[axis], d[z]), deep));
		}
		p[k][2] = mul(quotient(1, d[z]), deep);
	}
	for (unsigned int k = 0; k < 3; k++) {
		const float *a = p[(k + 1) % 3], *b = p[(k + 2) % 3];

		e[k] = narrow((quad)a[0] * b[1] - (quad)a[1] * b[0]);
		negative += e[k] < 0;
		positive += e[k] > 0;
	}
	sum = narrow((quad)narrow((quad)e[0] + e[1]) + e[2]);
	if ((negative && positive) || sum == 0 || isnan(sum))
		return;
	t = narrow((quad)e[0] * p[0][2]);
	for (unsigned int k = 1; k < 3; k++)
		t = narrow((quad)t + narrow((quad)e[k] * p[k][2]));
	t = (float)narrow((quad)t / sum);
	if (isnan(t) || isnan(ray[6]) || isnan(ray[7]) || t < ray[6] || t > ray[7])
		return;
	out[0] = (float)t;
	out[1] = (float)narrow((quad)e[1] / sum);
	out[2] = (float)narrow((quad)e[2] / sum);
}
