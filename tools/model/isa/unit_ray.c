// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: ray unit
 *
 * The box test intersects the ray with three slabs. The triangle test moves the
 * triangle to where the ray is the z axis and looks on which side of each edge
 * the axis is, in double precision: the signs are exact, so that the two
 * triangles of an edge agree on it and nothing gets between them.
 *
 * Whatever is not a number misses.
 */
#include <math.h>
#include <string.h>

#include "unit.h"

struct box {
	float low[3];
	uint32_t unused0;
	float high[3];
	uint32_t unused1;
};

struct triangle {
	float corner[4][4]; /* the last row, and the last column, mean nothing */
};

_Static_assert(sizeof(struct box) == 32 && sizeof(struct triangle) == 64, "never across pages");

/* A ray as it is in registers */
enum { ORIGIN, DIRECTION = 3, T_MIN = 6, T_MAX = 7 };

static float enter_box(const struct box *b, const float ray[8])
{
	float from = ray[T_MIN], to = ray[T_MAX];

	for (unsigned int k = 0; k < 3; k++) {
		float o = ray[ORIGIN + k], d = ray[DIRECTION + k];
		float t0 = b->low[k] - o, t1 = b->high[k] - o, near, far;

		if (d == 0.0f) {
			if (!(b->low[k] <= o && o <= b->high[k]))
				return INFINITY;
			continue;
		}
		t0 = t0 / d;
		t1 = t1 / d;
		near = t0 < t1 ? t0 : t1;
		far = t0 < t1 ? t1 : t0;
		if (!(near <= far))
			return INFINITY;
		from = near > from ? near : from;
		to = far < to ? far : to;
	}
	return from <= to ? from : INFINITY;
}

bool unit_ray_box(struct unit *u, uint64_t box, const float ray[8], float *t)
{
	const void *p = unit_ptr(u, box, sizeof(struct box), ISA_LOAD);
	struct box b;

	if (!p)
		return false;
	unit_count(u, box, sizeof(b), 0);
	memcpy(&b, p, sizeof(b));
	*t = enter_box(&b, ray);
	u->rays = 1;
	u->steps = 1;
	return true;
}

static unsigned int longest(const float d[3])
{
	unsigned int k = fabsf(d[1]) > fabsf(d[0]) ? 1 : 0;

	return fabsf(d[2]) > fabsf(d[k]) ? 2 : k;
}

/* Twice the area between the axis and the edge from @a to @b: products are exact. */
static double edge(const float a[3], const float b[3])
{
	double left = (double)a[0] * b[1], right = (double)a[1] * b[0];

	return left - right;
}

static bool hit_triangle(const struct triangle *tri, const float ray[8], float out[3])
{
	const float *o = &ray[ORIGIN], *d = &ray[DIRECTION];
	unsigned int z = longest(d), x = (z + 1) % 3, y = (z + 2) % 3;
	float shear_x = d[x] / d[z], shear_y = d[y] / d[z], scale = 1.0f / d[z], c[3][3];
	double w[3], sum, t, part;

	for (unsigned int k = 0; k < 3; k++) {
		float dx = tri->corner[k][x] - o[x], dy = tri->corner[k][y] - o[y];
		float dz = tri->corner[k][z] - o[z], by;

		by = shear_x * dz;
		c[k][0] = dx - by;
		by = shear_y * dz;
		c[k][1] = dy - by;
		c[k][2] = scale * dz;
	}
	for (unsigned int k = 0; k < 3; k++)
		w[k] = edge(c[(k + 1) % 3], c[(k + 2) % 3]);
	if ((w[0] < 0 || w[1] < 0 || w[2] < 0) && (w[0] > 0 || w[1] > 0 || w[2] > 0))
		return false;
	sum = w[0] + w[1];
	sum = sum + w[2];
	if (!(sum < 0) && !(sum > 0))
		return false;
	t = w[0] * c[0][2];
	part = w[1] * c[1][2];
	t = t + part;
	part = w[2] * c[2][2];
	t = t + part;
	out[0] = (float)(t / sum);
	out[1] = (float)(w[1] / sum);
	out[2] = (float)(w[2] / sum);
	return out[0] >= ray[T_MIN] && out[0] <= ray[T_MAX];
}

bool unit_ray_tri(struct unit *u, uint64_t tri, const float ray[8], float out[3])
{
	const void *p = unit_ptr(u, tri, sizeof(struct triangle), ISA_LOAD);
	struct triangle t;

	if (!p)
		return false;
	unit_count(u, tri, sizeof(t), 0);
	memcpy(&t, p, sizeof(t));
	if (!hit_triangle(&t, ray, out)) {
		out[0] = INFINITY;
		out[1] = out[2] = 0.0f;
	}
	u->rays = 1;
	u->steps = 2;
	return true;
}
