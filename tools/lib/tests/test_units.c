// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What device/tessera_units.h computes without units is what units compute, bit by bit: the same
 * random cases run on slices with units and without. And who gets units at all.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

#define TESS_UNITS_SOFT
#include "kernel_units.h"
#include "sim.h"
#include "tap.h"

#define CASES 4000u
#define PIXELS (UNITS_SIZE * UNITS_SIZE * 4)
#define TEXELS 0x8000u

/**
 * struct bench - buffers on the GPU
 * @dev: device
 * @prog: kernels
 * @cases: input
 * @results: output
 * @pixels: colours, then depths, of each case
 * @texels: random bytes, of all cases
 */
struct bench {
	struct tess_device *dev;
	struct tess_program *prog;
	struct tess_buffer *cases;
	struct tess_buffer *results;
	struct tess_buffer *pixels;
	struct tess_buffer *texels;
};

static uint64_t state = 88172645463325252ull;

static uint32_t pick(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % n;
}

static float any_float(void)
{
	static const float special[] = { 0,	   -0.0f,    1,		-1,  0.5f, 0x1p-140f,
					 0x1p127f, INFINITY, -INFINITY, NAN, 1e-6f };
	uint32_t bits = pick(1u << 16) << 16 | pick(1u << 16);
	float f;

	if (!pick(4))
		return special[pick(sizeof(special) / sizeof(special[0]))];
	if (pick(3))
		return (float)((double)(int32_t)bits * 0x1p-30);
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static float unit_float(void)
{
	return pick(4) ? (float)(pick(4097) / 4096.0) : any_float();
}

static void random_texture(struct tess_texture *t, uint64_t texels)
{
	t->format = (uint8_t)(1 + pick(5));
	t->filter = (uint8_t)pick(2);
	t->wrap_u = (uint8_t)pick(3);
	t->wrap_v = (uint8_t)pick(3);
	t->width = 1 + pick(40);
	t->height = 1 + pick(40);
	t->levels = 1;
	while ((t->width | t->height) >> t->levels && pick(3))
		t->levels++;
	t->pitch = (t->width * 8 + 7) & ~7u;
	t->address = texels + 8 * pick(512);
	for (unsigned int k = 0; k < 4; k++)
		t->border[k] = any_float();
}

static void random_target(struct tess_target *t, uint64_t pixels)
{
	t->color = pixels;
	t->depth = pixels + PIXELS;
	t->width = 1 + pick(UNITS_SIZE);
	t->height = 1 + pick(UNITS_SIZE);
	t->color_pitch = t->depth_pitch = 4 * UNITS_SIZE;
	t->format = (uint8_t)(1 + pick(2));
	t->depth_func = (uint8_t)pick(8);
	t->write = pick(2) ? 0x1f : (uint8_t)pick(32);
	t->src_factor = (uint8_t)pick(10);
	t->dst_factor = (uint8_t)pick(10);
}

/* Few values, so that edges and corners are hit */
static float small_float(int exact)
{
	return exact ? (float)((int)pick(7) - 3) : any_float();
}

static void random_geometry(struct units_case *c)
{
	int exact = (int)pick(2);

	for (unsigned int k = 0; k < 3; k++) {
		c->ray.origin[k] = small_float(exact);
		c->ray.direction[k] = small_float(exact);
		c->box.low[k] = small_float(exact);
		c->box.high[k] = small_float(exact);
		for (unsigned int n = 0; n < 3; n++)
			c->triangle.corner[n][k] = small_float(exact);
	}
	c->ray.t_min = pick(8) ? 0 : any_float();
	c->ray.t_max = pick(4) ? INFINITY : any_float();
}

static void fill_cases(struct bench *b)
{
	struct units_case *c = tess_buffer_map(b->cases);

	memset(c, 0, CASES * sizeof(*c));
	for (unsigned int i = 0; i < CASES; i++, c++) {
		random_texture(&c->texture, tess_buffer_va(b->texels));
		random_target(&c->target, tess_buffer_va(b->pixels) + 2ull * PIXELS * i);
		random_geometry(c);
		for (unsigned int k = 0; k < 16; k++) {
			for (unsigned int n = 0; n < 4; n++)
				c->block.color[k][n] = (uint8_t)pick(256);
			c->block.depth[k] = unit_float();
		}
		c->color = (struct tess_rgba){ unit_float(), unit_float(), unit_float(),
					       unit_float() };
		c->z = unit_float();
		c->x = pick(c->target.width + 2);
		c->y = pick(c->target.height + 2);
		c->covered = pick(1u << 16);
		c->u = pick(2) ? (float)((int)pick(200) - 50) / (float)(2 * c->texture.width) :
				 any_float();
		c->v = pick(2) ? (float)((int)pick(200) - 50) / (float)(2 * c->texture.height) :
				 any_float();
		c->level = pick(2) ? (float)pick(24) / 4 : any_float();
	}
}

/* What is there before: the same for each run */
static void fill_memory(struct bench *b)
{
	uint8_t *texels = tess_buffer_map(b->texels);
	float *pixels = tess_buffer_map(b->pixels);

	state = 1;
	for (unsigned int k = 0; k < TEXELS; k++)
		texels[k] = (uint8_t)pick(256);
	for (unsigned int k = 0; k < CASES * PIXELS / 2; k++)
		pixels[k] = unit_float();
	memset(tess_buffer_map(b->results), 0xee, CASES * sizeof(struct units_result));
}

static int run(struct bench *b, const char *kernel, unsigned int n)
{
	struct units_args args = { tess_buffer_va(b->cases), tess_buffer_va(b->results), n };
	struct tess_dispatch d = {
		.kernel = tess_program_kernel(b->prog, kernel),
		.grid = { n },
		.group = { 64 },
		.args = &args,
		.args_size = sizeof(args),
	};

	fill_memory(b);
	return tess_run(b->dev, &d, NULL);
}

static uint32_t units_of(struct bench *b)
{
	const struct units_result *r = tess_buffer_map(b->results);

	return r[0].units;
}

static struct tess_buffer *buffer(struct bench *b, uint64_t size)
{
	struct tess_buffer *buf;

	if (tess_buffer_create(b->dev, size, TESS_BUFFER_SYSTEM, 0, &buf) || !tess_buffer_map(buf))
		exit(1);
	return buf;
}

static void start(struct bench *b, const char *dir)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/kernel_units.elf", dir);
	if (tess_open(NULL, &b->dev) || tess_program_load_file(b->dev, path, &b->prog)) {
		exit(tap_bail("%s", tess_strerror(b->dev)));
	}
	b->cases = buffer(b, CASES * sizeof(struct units_case));
	b->results = buffer(b, CASES * sizeof(struct units_result));
	b->pixels = buffer(b, (uint64_t)CASES * 2 * PIXELS);
	b->texels = buffer(b, TEXELS);
}

static void set_engines(struct bench *b, uint32_t engines)
{
	uint64_t generation;

	for (unsigned int i = 0; i < SIM_SLICES; i++)
		sim.engines[i] = engines;
	sim_compose(sim.slice_mask);
	tess_changed(b->dev, &generation);
}

#define PLAIN (TESS_HAS_COMPUTE | TESS_HAS_COPY)

static bool interesting(const struct units_result *r)
{
	unsigned int texels = 0, pixels = 0, blocks = 0, boxes = 0, hits = 0;

	for (unsigned int i = 0; i < CASES; i++, r++) {
		texels += r->color[0] != r->color[1];
		pixels += r->pixel;
		blocks += r->block != 0;
		boxes += r->enter != 0x7f800000;
		hits += r->hit[0] != 0x7f800000;
	}
	printf("# %u samples with a colour, %u pixels, %u blocks, %u boxes, %u triangles\n", texels,
	       pixels, blocks, boxes, hits);
	return texels > 1000 && pixels > 500 && blocks > 500 && boxes > 100 && hits > 50;
}

/* Textures where the host has them, on the host */
static unsigned int differ_on_host(struct bench *b)
{
	const struct units_result *r = tess_buffer_map(b->results);
	const struct units_case *c = tess_buffer_map(b->cases);
	unsigned int differ = 0;

	for (unsigned int i = 0; i < CASES; i++) {
		struct tess_texture t = c[i].texture;
		struct tess_rgba color;

		t.address += (uintptr_t)tess_buffer_map(b->texels) - tess_buffer_va(b->texels);
		color = tess_sample_soft(&t, c[i].u, c[i].v, c[i].level);
		differ += !!memcmp(&color, r[i].color, sizeof(color));
	}
	return differ;
}

static uint32_t units_in_info(struct bench *b)
{
	struct tess_info info;

	return tess_get_info(b->dev, &info) ? UINT32_MAX : info.units;
}

static void test_same(struct bench *b)
{
	size_t results = CASES * sizeof(struct units_result), pixels = (size_t)CASES * 2 * PIXELS;
	struct units_result *want = malloc(results), *got = tess_buffer_map(b->results);
	void *want_pixels = malloc(pixels);
	bool same = true;

	fill_cases(b);
	set_engines(b, PLAIN | TESS_HAS_RASTER);
	ok(!run(b, "with", CASES) && units_of(b) == 7, "with units");
	memcpy(want, got, results);
	memcpy(want_pixels, tess_buffer_map(b->pixels), pixels);
	ok(interesting(want), "cases are worth it");
	ok(!differ_on_host(b), "the host samples the same");
	ok(units_in_info(b) == 7, "programs are told of units");
	set_engines(b, PLAIN);
	ok(!units_in_info(b), "and that there are none");
	ok(!run(b, "with", CASES) && units_of(b) == 0, "without units");
	for (unsigned int i = 0; i < CASES; i++) {
		got[i].units = want[i].units;
		if (same && memcmp(&got[i], &want[i], sizeof(got[i]))) {
			const uint32_t *x = (const uint32_t *)&got[i];
			const uint32_t *y = (const uint32_t *)&want[i];

			same = false;
			for (unsigned int k = 0; k < sizeof(got[i]) / 4; k++)
				printf("# case %u: %08x %08x\n", i, x[k], y[k]);
		}
	}
	ok(same, "%u cases: the same results", CASES);
	ok(!memcmp(want_pixels, tess_buffer_map(b->pixels), pixels), "the same pictures");
	free(want);
	free(want_pixels);
}

static void test_asking(struct bench *b)
{
	fill_cases(b);
	set_engines(b, PLAIN | TESS_HAS_RASTER);
	ok(!run(b, "some", 64) && units_of(b) == TESS_UNIT_ROP && sim.setup == 0x203,
	   "a kernel gets what it declares");
	ok(!run(b, "without", 64) && units_of(b) == 0 && sim.setup == 3, "and nothing else");
	ok(run(b, "wrong", 64) == -EFAULT, "a unit that it has not is an illegal instruction");
}

/* A GPU without the CAPS bit refuses packets that ask. */
static void test_older_gpu(const char *dir)
{
	struct bench b;

	sim_reset();
	sim.caps = 1 | TESS_UNIT_RAY << 7;
	start(&b, dir);
	fill_cases(&b);
	set_engines(&b, PLAIN | TESS_HAS_RASTER);
	ok(units_in_info(&b) == TESS_UNIT_RAY, "programs are told of those that the GPU knows");
	ok(!run(&b, "with", 64) && sim.setup == 0x403 && units_of(&b) == TESS_UNIT_RAY,
	   "a GPU is asked for units that it knows");
	tess_close(b.dev);
	ok(!sim.leaks, "nothing is left in the kernel");
}

int main(int argc, char **argv)
{
	struct bench b;

	if (argc < 2)
		return 2;
	sim_reset();
	start(&b, argv[1]);
	test_same(&b);
	test_asking(&b);
	tess_close(b.dev);
	test_older_gpu(argv[1]);
	return done();
}
