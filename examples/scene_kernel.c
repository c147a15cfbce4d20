// SPDX-License-Identifier: MIT
/*
 * One scene in two ways. draw: a work-item per 4x4 pixels goes through the triangles and lets the
 * raster output decide what is in front. trace: a work-item per pixel follows a ray to what it
 * hits, from there to the sun, and from mirrors once more.
 *
 * Each exists twice: with the units that its slice has, and without.
 */
#include <tessera_device.h>

#include "scene.h"

#define AMBIENT 0.25f
#define BIAS 0.001f /* how far from a surface a ray starts that leaves it */

static float weigh(const float *value, const float *weight)
{
	return value[0] * weight[0] + value[1] * weight[1] + value[2] * weight[2];
}

/* Weights of the corners at the middle of a pixel; false if it is outside */
static int inside(const struct scene_plane *p, int32_t x, int32_t y, float *weight)
{
	float px = (float)x + 0.5f, py = (float)y + 0.5f;

	for (unsigned int k = 0; k < 3; k++) {
		weight[k] = p->edge[k][0] * px + p->edge[k][1] * py + p->edge[k][2];
		if (weight[k] < 0)
			return 0;
	}
	return 1;
}

/* The level of a texture of which a texel is about as large as a pixel */
static float level_of(const struct tess_texture *t, const struct scene_plane *p,
		      const float *weight, float u)
{
	float next[3], step, level = 0;

	for (unsigned int k = 0; k < 3; k++)
		next[k] = weight[k] + p->edge[k][0];
	step = __builtin_fabsf(weigh(p->u, next) / weigh(p->depth, next) - u) * (float)t->width;
	for (; step > 1.5f; step *= 0.5f)
		level += 1;
	return level;
}

static uint8_t byte(float v)
{
	return v >= 1 ? 255 : (uint8_t)(v * 255.0f + 0.5f);
}

static void shade(const struct scene_args *args, const struct scene_plane *p, const float *weight,
		  uint8_t *color)
{
	const struct tess_texture *t = &args->textures[p->texture];
	float depth = weigh(p->depth, weight);
	float u = weigh(p->u, weight) / depth, v = weigh(p->v, weight) / depth;
	struct tess_rgba c = tess_sample(t, u, v, level_of(t, p, weight, u));

	color[0] = byte(c.r * p->light);
	color[1] = byte(c.g * p->light);
	color[2] = byte(c.b * p->light);
	color[3] = byte(p->alpha);
}

static void draw_plane(const struct scene_args *args, const struct scene_plane *p, int32_t x,
		       int32_t y)
{
	struct tess_block block;
	uint32_t covered = 0;
	float weight[3];

	for (int32_t k = 0; k < 16; k++) {
		if (!inside(p, x + k % 4, y + k / 4, weight))
			continue;
		covered |= 1u << k;
		block.depth[k] = 1.0f - weigh(p->depth, weight);
		shade(args, p, weight, block.color[k]);
	}
	if (covered)
		tess_write_block(p->alpha < 1 ? args->glass : args->solid, (uint32_t)x, (uint32_t)y,
				 covered, &block);
}

static void draw_all(const struct scene_args *args)
{
	int32_t x = 4 * (int32_t)tess_get_global_id(0), y = 4 * (int32_t)tess_get_global_id(1);

	if (x >= (int32_t)args->width || y >= (int32_t)args->height)
		return;
	for (uint32_t i = 0; i < args->nr_planes; i++) {
		const struct scene_plane *p = &args->planes[i];

		if (x < p->right && x + 4 > p->left && y < p->bottom && y + 4 > p->top)
			draw_plane(args, p, x, y);
	}
}

TESS_KERNEL(draw, 0, 2048, TESS_UNIT_TEX | TESS_UNIT_ROP)
void draw(const struct scene_args *args)
{
	draw_all(args);
}

TESS_KERNEL(draw_plain, 0, 2048)
void draw_plain(const struct scene_args *args)
{
	draw_all(args);
}

static float dot(const float *a, const float *b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Across the triangle, on the side that the ray comes from; length 1 */
static void normal_of(const struct tess_triangle *t, const float *direction, float *n)
{
	float a[3], b[3], length;

	for (unsigned int k = 0; k < 3; k++) {
		a[k] = t->corner[1][k] - t->corner[0][k];
		b[k] = t->corner[2][k] - t->corner[0][k];
	}
	n[0] = a[1] * b[2] - a[2] * b[1];
	n[1] = a[2] * b[0] - a[0] * b[2];
	n[2] = a[0] * b[1] - a[1] * b[0];
	length = __builtin_sqrtf(dot(n, n));
	if (dot(n, direction) > 0)
		length = -length;
	for (unsigned int k = 0; k < 3; k++)
		n[k] /= length;
}

/* Nearest triangle of all objects, NULL if there is none; with @any, one of those that are hit */
static const struct tess_triangle *find(const struct scene_args *args, struct tess_ray *ray,
					int any, struct tess_hit *hit)
{
	const struct tess_triangle *found = NULL;

	for (uint32_t i = 0; i < args->nr_boxes && !(any && found); i++) {
		const struct tess_box *box = &args->boxes[i];

		if (tess_ray_box(ray, box) > ray->t_max)
			continue;
		for (uint32_t k = box->tag0; k < box->tag0 + box->tag1; k++) {
			struct tess_hit h = tess_ray_triangle(ray, &args->triangles[k]);

			if (h.t > ray->t_max)
				continue;
			found = &args->triangles[k];
			*hit = h;
			ray->t_max = h.t;
		}
	}
	return found;
}

static float as_float(uint32_t bits)
{
	float f;

	__builtin_memcpy(&f, &bits, sizeof(f));
	return f;
}

static struct tess_rgba color_of(const struct scene_args *args, const struct tess_triangle *t,
				 const struct tess_hit *hit)
{
	float w[3] = { 1 - hit->u - hit->v, hit->u, hit->v };
	float u = w[0] * t->corner[0][3] + w[1] * t->corner[1][3] + w[2] * t->corner[2][3];
	float v = w[0] * as_float(t->tag[0]) + w[1] * as_float(t->tag[1]) +
		  w[2] * as_float(t->tag[2]);

	return tess_sample(&args->textures[t->tag[3] & 0xff], u, v, 0);
}

#define FAR 1000.0f

static void start_ray(struct tess_ray *ray, const float *from, float t, const float *n)
{
	for (unsigned int k = 0; k < 3; k++)
		ray->origin[k] = from[k] + t * ray->direction[k] + BIAS * n[k];
	ray->t_min = 0;
	ray->t_max = FAR;
}

/* Light that a surface gets from the sun, if nothing is in between */
static float light_at(const struct scene_args *args, const struct tess_ray *ray, float t,
		      const float *n)
{
	float slope = dot(n, args->sun);
	struct tess_ray shadow = *ray;
	struct tess_hit hit;

	if (slope <= 0)
		return AMBIENT;
	start_ray(&shadow, ray->origin, t, n);
	__builtin_memcpy(shadow.direction, args->sun, sizeof(shadow.direction));
	return find(args, &shadow, 1, &hit) ? AMBIENT : AMBIENT + (1 - AMBIENT) * slope;
}

/* Colour that comes along @ray, and what is left of the next one if it comes from a mirror */
static float follow(const struct scene_args *args, struct tess_ray *ray, float part, float *sum)
{
	const struct tess_triangle *t;
	float n[3], light, rest, up;
	struct tess_rgba c;
	struct tess_hit hit;

	t = find(args, ray, 0, &hit);
	if (!t) {
		up = ray->direction[1] / __builtin_sqrtf(dot(ray->direction, ray->direction));
		up = up > 0 ? up : 0;
		sum[0] += part * (0.6f - 0.4f * up);
		sum[1] += part * (0.75f - 0.35f * up);
		sum[2] += part * (0.95f - 0.25f * up);
		return 0;
	}
	normal_of(t, ray->direction, n);
	light = light_at(args, ray, hit.t, n);
	c = color_of(args, t, &hit);
	rest = t->tag[3] & SCENE_MIRROR ? 0.4f * part : 0;
	sum[0] += (part - rest) * c.r * light;
	sum[1] += (part - rest) * c.g * light;
	sum[2] += (part - rest) * c.b * light;
	start_ray(ray, ray->origin, hit.t, n);
	up = 2 * dot(n, ray->direction);
	for (unsigned int k = 0; k < 3; k++)
		ray->direction[k] -= up * n[k];
	return rest;
}

static void trace_all(const struct scene_args *args)
{
	uint32_t x = tess_get_global_id(0), y = tess_get_global_id(1);
	struct tess_ray ray = { .t_max = FAR };
	float sum[3] = { 0, 0, 0 }, part = 1;

	if (x >= args->width || y >= args->height)
		return;
	ray.direction[0] = ((float)x + 0.5f - 0.5f * (float)args->width) / args->focus;
	ray.direction[1] = (0.5f * (float)args->height - ((float)y + 0.5f)) / args->focus;
	ray.direction[2] = 1;
	for (unsigned int k = 0; k < 3 && part > 0; k++)
		part = follow(args, &ray, part, sum);
	tess_write_pixel(args->solid, x, y, (struct tess_rgba){ sum[0], sum[1], sum[2], 1 }, 0);
}

TESS_KERNEL(trace, 0, 2048, TESS_UNIT_TEX | TESS_UNIT_ROP | TESS_UNIT_RAY)
void trace(const struct scene_args *args)
{
	trace_all(args);
}

TESS_KERNEL(trace_plain, 0, 2048)
void trace_plain(const struct scene_args *args)
{
	trace_all(args);
}
