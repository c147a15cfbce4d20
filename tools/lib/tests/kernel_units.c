// SPDX-License-Identifier: GPL-2.0-or-later
/* A kernel that uses all units, or does without. */
#include <tessera_device.h>

#include "kernel_units.h"

static uint32_t bits(float f)
{
	uint32_t u;

	__builtin_memcpy(&u, &f, sizeof(u));
	return u;
}

static void run(const struct units_args *args)
{
	uint32_t i = tess_get_global_id(0);
	const struct units_case *c = (const struct units_case *)args->cases + i;
	struct units_result *r = (struct units_result *)args->results + i;
	struct tess_rgba color;
	struct tess_hit hit;

	if (i >= args->n)
		return;
	r->units = tess_units();
	color = tess_sample(&c->texture, c->u, c->v, c->level);
	r->color[0] = bits(color.r);
	r->color[1] = bits(color.g);
	r->color[2] = bits(color.b);
	r->color[3] = bits(color.a);
	r->pixel = tess_write_pixel(&c->target, c->x, c->y, c->color, c->z);
	r->block = tess_write_block(&c->target, c->x, c->y, c->covered, &c->block);
	r->enter = bits(tess_ray_box(&c->ray, &c->box));
	hit = tess_ray_triangle(&c->ray, &c->triangle);
	r->hit[0] = bits(hit.t);
	r->hit[1] = bits(hit.u);
	r->hit[2] = bits(hit.v);
}

TESS_KERNEL(with, 0, 0, TESS_UNIT_TEX | TESS_UNIT_ROP | TESS_UNIT_RAY)
void with(const struct units_args *args)
{
	run(args);
}

TESS_KERNEL(some, 0, 0, TESS_UNIT_ROP)
void some(const struct units_args *args)
{
	run(args);
}

TESS_KERNEL(without)
void without(const struct units_args *args)
{
	run(args);
}

/* What is not asked for is not there. */
TESS_KERNEL(wrong)
void wrong(const struct units_args *args)
{
	const struct units_case *c = (const struct units_case *)args->cases;

	tess_sample_unit(&c->texture, 0, 0, 0);
}
