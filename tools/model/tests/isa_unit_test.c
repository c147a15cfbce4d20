// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: units
 *
 * Random instructions of units against unit_ref.c, bit for bit, with operands that favour edges:
 * zeros, infinities, NaNs, subnormals, texel borders, equal depths, rays in planes and through
 * corners. Then what they must refuse, and that a refused one has no effect.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "isa_env.h"
#include "rv.h"
#include "unit_ref.h"

#define FOREVER (1ull << 40)
#define HARTS 16u
#define DESC ENV_DATA /* a descriptor per hart, 64 bytes each */
#define RECORD (ENV_DATA + 0x1000u) /* 128 bytes each */
#define IMAGE (ENV_DATA + 0x4000u)
#define IMAGE_SIZE 0x20000u
/* Registers: runs are apart from each other and at odd places. */
#define IN 9u
#define OUT 21u

static uint32_t pick(uint32_t n)
{
	return (uint32_t)(env_random() >> 33) % n;
}

static float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static float any_float(void)
{
	static const float special[] = { 0.0f,	    -0.0f,    1.0f,  -1.0f,    0.5f,	  0x1p-149f,
					 0x1p-126f, 0x1p127f, 1e-6f, INFINITY, -INFINITY, NAN };

	switch (pick(4)) {
	case 0:
		return special[pick(sizeof(special) / sizeof(special[0]))];
	case 1:
		return float_of((uint32_t)env_random());
	default:
		return (float)((double)(int32_t)env_random() * 0x1p-30);
	}
}

static void set_run(struct isa_env *env, unsigned int hart, unsigned int reg, const float *v,
		    unsigned int n)
{
	struct isa_hart h;

	isa_hart_get(env->g, hart, &h);
	for (unsigned int k = 0; k < n; k++) {
		uint32_t bits;

		memcpy(&bits, &v[k], sizeof(bits));
		h.f[reg + k] = 0xffffffffull << 32 | bits;
	}
	/* Neither rounding mode nor flags matter to a unit. */
	h.fcsr = pick(256) & ~0x80u;
	isa_hart_set(env->g, hart, &h);
}

/* A register holds @f, boxed. */
static bool holds(const struct isa_env *env, unsigned int hart, unsigned int reg, float f)
{
	struct isa_hart h;

	isa_hart_get(env->g, hart, &h);
	return h.f[reg] == (0xffffffffull << 32 | ref_bits(f));
}

static void random_bytes(uint8_t *p, unsigned int n)
{
	for (unsigned int k = 0; k < n; k += 8) {
		uint64_t v = env_random();

		memcpy(p + k, &v, 8);
	}
}

/* ---- against the reference ---- */

static void random_texture(struct ref_texture *t)
{
	static const unsigned int bytes[] = { 0, 4, 1, 2, 8, 4 };
	uint32_t most;

	memset(t, 0, sizeof(*t));
	t->format = (uint8_t)(1 + pick(5));
	t->filter = (uint8_t)pick(2);
	for (unsigned int k = 0; k < 2; k++) {
		t->wrap[k] = (uint8_t)pick(3);
		t->size[k] = 1 + pick(pick(2) ? 5 : 60);
	}
	most = t->size[0] > t->size[1] ? t->size[0] : t->size[1];
	t->levels = 1;
	while (most >> t->levels && pick(4))
		t->levels++;
	t->pitch = (t->size[0] * bytes[t->format] + 7) / 8 * 8 + 8 * pick(3);
	t->address = IMAGE + 8 * pick(1000);
	for (unsigned int k = 0; k < 4; k++)
		t->border[k] = any_float();
}

static float coordinate(uint32_t size)
{
	switch (pick(3)) {
	case 0:
		return any_float();
	case 1:
		/* On the border of texels, or in the middle of one */
		return (float)((double)((int32_t)pick(4 * size + 8) - (int32_t)size) * 0.5 / size);
	default:
		return (float)((double)(int32_t)env_random() * 0x1p-30);
	}
}

static bool tex_round(struct isa_env *env, uint64_t *texels)
{
	struct ref_texture t[HARTS];
	float at[HARTS][3], want[4];

	ENV_CODE_OF(env, TEX(OUT, A1, IN), EXIT);
	env_group(env, HARTS);
	for (unsigned int n = 0; n < HARTS; n++) {
		random_texture(&t[n]);
		memcpy(env->mem + DESC + 64 * n, &t[n], sizeof(t[n]));
		at[n][0] = coordinate(t[n].size[0]);
		at[n][1] = coordinate(t[n].size[1]);
		at[n][2] = pick(2) ? (float)pick(40) * 0.25f - 1 : any_float();
		set_run(env, n, IN, at[n], 3);
		env_set_x(env, n, A1, DESC + 64 * n);
	}
	if (env_run(env, FOREVER) != ISA_STOP_DONE)
		return false;
	for (unsigned int n = 0; n < HARTS; n++) {
		*texels += ref_tex(env->mem, &t[n], at[n], want);
		for (unsigned int k = 0; k < 4; k++)
			if (!holds(env, n, OUT + k, want[k]))
				return false;
	}
	return true;
}

static void random_target(struct ref_target *t)
{
	memset(t, 0, sizeof(*t));
	t->width = 1 + pick(20);
	t->height = 1 + pick(20);
	t->color_pitch = 4 * (t->width + pick(3));
	t->depth_pitch = 4 * (t->width + pick(3));
	t->color = IMAGE + 4 * pick(1000);
	t->depth = IMAGE + 0x8000 + 4 * pick(1000);
	t->format = (uint8_t)(1 + pick(2));
	t->func = (uint8_t)pick(8);
	t->write = pick(2) ? 0x1f : (uint8_t)pick(32);
	t->src = (uint8_t)pick(10);
	t->dst = (uint8_t)pick(10);
}

static float depth_near(const uint8_t *mem, const struct ref_target *t, unsigned int x,
			unsigned int y)
{
	float old;

	if (x >= t->width || y >= t->height || pick(2))
		return any_float();
	memcpy(&old, mem + t->depth + (uint64_t)y * t->depth_pitch + 4 * x, 4);
	return old;
}

/* Depths that occur */
static void random_depths(uint8_t *mem)
{
	for (unsigned int k = 0; k < 0x2000; k += 4) {
		float z = any_float();

		memcpy(mem + IMAGE + 0x8000 + k, &z, 4);
	}
}

struct twin {
	struct isa_env *env;
	uint8_t *mem; /* for the reference */
	uint64_t count;
};

static void twin_start(struct twin *w)
{
	random_bytes(w->env->mem + IMAGE, 0x4000);
	random_depths(w->env->mem);
	env_group(w->env, HARTS);
}

static bool rop_round(struct twin *w)
{
	struct ref_target t;
	struct isa_env *env = w->env;
	unsigned int x[HARTS], y[HARTS];
	float in[HARTS][5];
	uint8_t rgba[4];

	twin_start(w);
	random_target(&t);
	memcpy(env->mem + DESC, &t, sizeof(t));
	ENV_CODE_OF(env, ROP(A3, A1, A2, IN), EXIT);
	for (unsigned int n = 0; n < HARTS; n++) {
		x[n] = pick(t.width + 2);
		y[n] = pick(t.height + 2);
		for (unsigned int k = 0; k < 4; k++)
			in[n][k] = pick(2) ? any_float() : (float)(pick(511) / 510.0);
		in[n][4] = depth_near(env->mem, &t, x[n], y[n]);
		set_run(env, n, IN, in[n], 5);
		env_set_x(env, n, A1, DESC);
		env_set_x(env, n, A2, x[n] | y[n] << 16 | env_random() << 32);
	}
	memcpy(w->mem, env->mem, ENV_SIZE);
	if (env_run(env, FOREVER) != ISA_STOP_DONE)
		return false;
	for (unsigned int n = 0; n < HARTS; n++) {
		bool done;

		for (unsigned int k = 0; k < 4; k++)
			rgba[k] = ref_pack(in[n][k]);
		done = ref_rop(w->mem, &t, x[n], y[n], rgba, in[n][4]);
		w->count += done;
		if (env_x(env, n, A3) != done)
			return false;
	}
	return !memcmp(w->mem, env->mem, ENV_SIZE);
}

/* Block @n: pixels of @mem and the mask that is expected */
static uint32_t ref_block(uint8_t *mem, const struct ref_target *t, uint64_t at, uint64_t record)
{
	uint32_t out = 0;
	float z;

	for (unsigned int k = 0; k < 16; k++) {
		if (!(at >> (32 + k) & 1))
			continue;
		memcpy(&z, mem + record + 64 + 4 * k, 4);
		out |= (uint32_t)ref_rop(mem, t, (at & 0xffff) + k % 4, (at >> 16 & 0xffff) + k / 4,
					 mem + record + 4 * k, z)
		       << k;
	}
	return out;
}

static bool block_round(struct twin *w)
{
	struct isa_env *env = w->env;
	uint64_t at[HARTS];
	struct ref_target t;

	twin_start(w);
	random_target(&t);
	memcpy(env->mem + DESC, &t, sizeof(t));
	ENV_CODE_OF(env, ROP_BLK(A3, A1, A2, A4), EXIT);
	for (unsigned int n = 0; n < HARTS; n++) {
		uint64_t x = pick(t.width + 2), y = pick(t.height + 2), covered = env_random();
		float z;

		covered = pick(2) ? 0xffff : covered & 0xffff;
		at[n] = x | y << 16 | covered << 32 | env_random() << 48;
		random_bytes(env->mem + RECORD + 128 * n, 64);
		for (unsigned int k = 0; k < 16; k++) {
			z = depth_near(env->mem, &t, (unsigned int)x + k % 4,
				       (unsigned int)y + k / 4);
			memcpy(env->mem + RECORD + 128 * n + 64 + 4 * k, &z, 4);
		}
		env_set_x(env, n, A1, DESC);
		env_set_x(env, n, A2, at[n]);
		env_set_x(env, n, A4, RECORD + 128 * n);
	}
	memcpy(w->mem, env->mem, ENV_SIZE);
	if (env_run(env, FOREVER) != ISA_STOP_DONE)
		return false;
	for (unsigned int n = 0; n < HARTS; n++) {
		uint32_t want = ref_block(w->mem, &t, at[n], RECORD + 128 * n);

		w->count += (unsigned int)__builtin_popcount(want);
		if (env_x(env, n, A3) != want)
			return false;
	}
	return !memcmp(w->mem, env->mem, ENV_SIZE);
}

/* Few values, so that rays lie in planes and meet corners and edges */
static float small(void)
{
	return (float)((int)pick(9) - 4) * (pick(4) ? 1.0f : 0.25f);
}

static void random_ray(float ray[8], unsigned int style)
{
	for (unsigned int k = 0; k < 6; k++)
		ray[k] = style == 0 ? small() :
			 style == 1 ? any_float() :
				      (float)((double)(int32_t)env_random() * 0x1p-29);
	ray[6] = pick(8) ? 0 : any_float();
	ray[7] = pick(4) ? INFINITY : any_float();
}

static void random_corners(float (*corner)[3], unsigned int n, unsigned int style)
{
	for (unsigned int k = 0; k < n; k++)
		for (unsigned int a = 0; a < 3; a++)
			corner[k][a] =
				style == 0 ? small() :
				style == 1 ? any_float() :
					     (float)((double)(int32_t)env_random() * 0x1p-30);
}

static bool box_round(struct isa_env *env, uint64_t *hits)
{
	float ray[HARTS][8], corner[HARTS][2][3];

	ENV_CODE_OF(env, RAY_BOX(OUT, A1, IN), EXIT);
	env_group(env, HARTS);
	for (unsigned int n = 0; n < HARTS; n++) {
		unsigned int style = pick(3);

		random_ray(ray[n], style);
		random_corners(corner[n], 2, style);
		random_bytes(env->mem + RECORD + 32 * n, 32);
		for (unsigned int k = 0; k < 2; k++)
			memcpy(env->mem + RECORD + 32 * n + 16 * k, corner[n][k], 12);
		set_run(env, n, IN, ray[n], 8);
		env_set_x(env, n, A1, RECORD + 32 * n);
	}
	if (env_run(env, FOREVER) != ISA_STOP_DONE)
		return false;
	for (unsigned int n = 0; n < HARTS; n++) {
		float want = ref_box(corner[n][0], corner[n][1], ray[n]);

		*hits += want < INFINITY;
		if (!holds(env, n, OUT, want))
			return false;
	}
	return true;
}

/* Let the ray go to a point of the triangle, of its edge or of its corner. */
static void aim(float ray[8], float corner[3][3])
{
	float w[3] = { (float)pick(3), (float)pick(3), (float)pick(3) };
	float sum = w[0] + w[1] + w[2];

	if (sum == 0)
		return;
	for (unsigned int a = 0; a < 3; a++)
		ray[3 + a] =
			(w[0] * corner[0][a] + w[1] * corner[1][a] + w[2] * corner[2][a]) / sum -
			ray[a];
}

static bool tri_round(struct isa_env *env, uint64_t *hits)
{
	float ray[HARTS][8], corner[HARTS][3][3], want[3];

	ENV_CODE_OF(env, RAY_TRI(OUT, A1, IN), EXIT);
	env_group(env, HARTS);
	for (unsigned int n = 0; n < HARTS; n++) {
		unsigned int style = pick(3);

		random_ray(ray[n], style);
		random_corners(corner[n], 3, style);
		if (pick(2))
			aim(ray[n], corner[n]);
		random_bytes(env->mem + RECORD + 64 * n, 64);
		for (unsigned int k = 0; k < 3; k++)
			memcpy(env->mem + RECORD + 64 * n + 16 * k, corner[n][k], 12);
		set_run(env, n, IN, ray[n], 8);
		env_set_x(env, n, A1, RECORD + 64 * n);
	}
	if (env_run(env, FOREVER) != ISA_STOP_DONE)
		return false;
	for (unsigned int n = 0; n < HARTS; n++) {
		ref_tri((const float(*)[3])corner[n], ray[n], want);
		*hits += want[0] < INFINITY;
		for (unsigned int k = 0; k < 3; k++)
			if (!holds(env, n, OUT + k, want[k]))
				return false;
	}
	return true;
}

static bool flags_untouched(const struct isa_env *env)
{
	struct isa_hart h;

	isa_hart_get(env->g, 0, &h);
	return h.fcsr == 0x40;
}

static void test_reference(struct isa_env *env)
{
	struct twin w = { .env = env, .mem = malloc(ENV_SIZE) };
	struct isa_counters *n = isa_engine_counters(env->e);
	uint64_t texels = 0, boxes = 0, triangles = 0;
	bool good = w.mem;

	random_bytes(env->mem + IMAGE, IMAGE_SIZE);
	*n = (struct isa_counters){ 0 };
	for (unsigned int k = 0; good && k < 3000; k++)
		good = tex_round(env, &texels);
	ok(good && n->texels == texels, "48,000 samples, %llu texels", (unsigned long long)texels);
	for (unsigned int k = 0; good && k < 600; k++)
		good = rop_round(&w);
	ok(good && n->pixels == w.count && w.count > 3000, "9,600 pixels, %llu written",
	   (unsigned long long)w.count);
	for (unsigned int k = 0; good && k < 600; k++)
		good = block_round(&w);
	ok(good && n->pixels == w.count && w.count > 30000, "9,600 blocks, %llu pixels written",
	   (unsigned long long)w.count);
	for (unsigned int k = 0; good && k < 3000; k++)
		good = box_round(env, &boxes);
	ok(good && boxes > 2000, "48,000 rays and boxes, %llu hits", (unsigned long long)boxes);
	for (unsigned int k = 0; good && k < 3000; k++)
		good = tri_round(env, &triangles);
	ok(good && n->rays == 96000 && triangles > 5000, "48,000 rays and triangles, %llu hits",
	   (unsigned long long)triangles);
	free(w.mem);
}

/*
 * From inside a closed surface nothing gets out: rays to corners, to points of edges and to
 * anywhere else hit one of the triangles.
 */
static bool watertight(struct isa_env *env)
{
	static const uint8_t face[8][3] = { { 0, 2, 4 }, { 2, 1, 4 }, { 1, 3, 4 }, { 3, 0, 4 },
					    { 2, 0, 5 }, { 1, 2, 5 }, { 3, 1, 5 }, { 0, 3, 5 } };
	float corner[6][3], ray[8] = { 0 };
	unsigned int hits = 0;

	for (unsigned int k = 0; k < 6; k++)
		for (unsigned int a = 0; a < 3; a++)
			corner[k][a] = (a == k / 2 ? (k % 2 ? -1.0f : 1.0f) : 0.0f) +
				       (float)((double)(int32_t)env_random() * 0x1p-34);
	for (unsigned int a = 0; a < 3; a++)
		ray[a] = (float)((double)(int32_t)env_random() * 0x1p-34);
	aim(ray, (float[3][3]){ { corner[0][0], corner[0][1], corner[0][2] },
				{ corner[2][0], corner[2][1], corner[2][2] },
				{ corner[5][0], corner[5][1], corner[5][2] } });
	ray[7] = INFINITY;
	ENV_CODE_OF(env, RAY_TRI(OUT, A1, IN), EXIT);
	env_group(env, 8);
	for (unsigned int n = 0; n < 8; n++) {
		for (unsigned int k = 0; k < 3; k++)
			memcpy(env->mem + RECORD + 64 * n + 16 * k, corner[face[n][k]], 12);
		set_run(env, n, IN, ray, 8);
		env_set_x(env, n, A1, RECORD + 64 * n);
	}
	if (env_run(env, FOREVER) != ISA_STOP_DONE)
		return false;
	for (unsigned int n = 0; n < 8; n++)
		hits += !holds(env, n, OUT, INFINITY);
	return hits || (ray[3] == 0 && ray[4] == 0 && ray[5] == 0);
}

static void test_watertight(struct isa_env *env)
{
	bool good = true;

	for (unsigned int k = 0; good && k < 5000; k++)
		good = watertight(env);
	ok(good, "5,000 rays through corners and edges of a closed surface do not get out");
}

/* ---- what registers and modes do not matter ---- */

static void test_environment(struct isa_env *env)
{
	const float at[3] = { 0.3f, 0.7f, 0 };
	struct ref_texture t = { .address = IMAGE,
				 .format = 1,
				 .filter = 1,
				 .size = { 7, 7 },
				 .levels = 1,
				 .pitch = 32 };
	float want[4];
	bool good = true;

	memcpy(env->mem + DESC, &t, sizeof(t));
	ref_tex(env->mem, &t, at, want);
	for (uint32_t rm = 0; rm < 5; rm++) {
		ENV_CODE_OF(env, CSRRWI(X0, 0x002, rm), TEX(IN, A1, IN), TEX(OUT, A1, OUT),
			    CSRRS(A2, 0x003, X0), EXIT);
		env_group(env, 1);
		set_run(env, 0, IN, at, 3);
		set_run(env, 0, OUT, at, 3);
		env_set_x(env, 0, A1, DESC);
		good &= env_run(env, FOREVER) == ISA_STOP_DONE;
		for (unsigned int k = 0; k < 4; k++)
			good &= holds(env, 0, OUT + k, want[k]) && holds(env, 0, IN + k, want[k]);
	}
	ok(good, "results may replace operands, and no rounding mode changes them");
	ENV_CODE_OF(env, CSRRWI(X0, 0x003, 0), CSRRWI(X0, 0x002, 2), TEX(OUT, A1, IN), EXIT);
	env_group(env, 1);
	set_run(env, 0, IN, at, 3);
	env_set_x(env, 0, A1, DESC);
	ok(env_run(env, FOREVER) == ISA_STOP_DONE && flags_untouched(env), "no flags");
	/* An addition that is exact, and one that rounds up, of the hart, behind the unit's. */
	ENV_CODE_OF(env, CSRRWI(X0, 0x003, 0), rv_r(0x53, 7, 0, 1, 2, 2), TEX(OUT, A1, IN),
		    rv_r(0x53, 7, 0, 1, 2, 2), CSRRS(A2, 0x001, X0), CSRRWI(X0, 0x002, 3),
		    TEX(OUT, A1, IN), rv_r(0x53, 7, 0, 3, 2, 3), EXIT);
	env_group(env, 1);
	set_run(env, 0, IN, at, 3);
	set_run(env, 0, 2, (const float[]){ 1.0f, 0x1p-60f }, 2);
	env_set_x(env, 0, A1, DESC);
	ok(env_run(env, FOREVER) == ISA_STOP_DONE && env_x(env, 0, A2) == 0 &&
		   holds(env, 0, 3, 1.0f + 0x1p-23f),
	   "flags and rounding of the hart go on as before");
}

static void test_cost(struct isa_env *env)
{
	struct isa_counters *n = isa_engine_counters(env->e);
	static const uint8_t steps[] = { 1, 1, 4, 1, 2 };
	struct ref_texture t = {
		.address = IMAGE, .format = 1, .size = { 7, 7 }, .levels = 1, .pitch = 32
	};
	struct ref_target r = { .color = IMAGE,
				.width = 4,
				.height = 4,
				.color_pitch = 16,
				.format = 1,
				.write = 15,
				.src = 1 };
	bool good = true;

	memcpy(env->mem + DESC, &t, sizeof(t));
	memcpy(env->mem + DESC + 64, &r, sizeof(r));
	for (unsigned int k = 0; k < 5; k++) {
		const uint32_t insn[] = { TEX(OUT, A1, IN), ROP(A3, A2, X0, IN),
					  ROP_BLK(A3, A2, X0, A4), RAY_BOX(OUT, A4, IN),
					  RAY_TRI(OUT, A4, IN) };

		for (uint32_t cycles = 1; cycles < 5; cycles += 3) {
			ENV_CODE_OF(env, insn[k], EXIT);
			env_group(env, 3);
			for (unsigned int h = 0; h < 3; h++) {
				env_set_x(env, h, A1, DESC);
				env_set_x(env, h, A2, DESC + 64);
				env_set_x(env, h, A4, RECORD);
			}
			isa_engine_set_unit_cycles(env->e, cycles);
			n->unit_wait = 0;
			good &= env_run(env, FOREVER) == ISA_STOP_DONE && env->retired == 6 &&
				n->unit_wait == 3 * (steps[k] * cycles - 1);
		}
	}
	isa_engine_set_unit_cycles(env->e, 1);
	ok(good, "cycles: steps of each instruction times those of the slice");
}

/* ---- what is refused ---- */

/* All 2^27 words of each instruction are too many: each field has its turn. */
static bool illegal(struct isa_env *env, uint32_t word)
{
	ENV_CODE_OF(env, word, EXIT);
	env_group(env, 1);
	env_set_x(env, 0, A1, DESC);
	return env_run(env, FOREVER) == ISA_STOP_FAULT && env->fault.cause == ISA_CAUSE_ILLEGAL &&
	       env->fault.va == word && env->fault.pc == ENV_CODE;
}

static void test_encoding(struct isa_env *env)
{
	bool good = true;

	for (unsigned int r = 0; r < 32; r++) {
		good &= r <= 28 || illegal(env, TEX(r, A1, 0));
		good &= r <= 29 || illegal(env, TEX(0, A1, r));
		good &= r <= 27 || illegal(env, ROP(A1, A1, A1, r));
		good &= r <= 24 || illegal(env, RAY_BOX(0, A1, r));
		good &= r <= 24 || illegal(env, RAY_TRI(0, A1, r));
		good &= r <= 29 || illegal(env, RAY_TRI(r, A1, 0));
	}
	ok(good, "runs of registers that end behind f31 are illegal");
	good = true;
	for (unsigned int f7 = 1; f7 < 128; f7++)
		good &= illegal(env, rv_r(0x2b, 0, f7, 0, A1, 0)) &&
			illegal(env, rv_r(0x2b, 3, f7, 0, A1, 0)) &&
			illegal(env, rv_r(0x2b, 4, f7, 0, A1, 0));
	for (unsigned int f2 = 1; f2 < 4; f2++)
		good &= illegal(env, rv_r(0x2b, 1, f2, 0, A1, 0)) &&
			illegal(env, rv_r(0x2b, 2, f2, 0, A1, 0));
	for (unsigned int f3 = 5; f3 < 8; f3++)
		good &= illegal(env, rv_r(0x2b, f3, 0, 0, A1, 0));
	ok(good, "other values of funct3, funct2 and funct7 are illegal");
}

static void test_missing(struct isa_env *env)
{
	const uint32_t insn[] = { TEX(OUT, A1, IN), ROP(A3, A1, A2, IN), ROP_BLK(A3, A1, A2, A4),
				  RAY_BOX(OUT, A1, IN), RAY_TRI(OUT, A1, IN) };
	static const uint32_t unit[] = { ISA_UNIT_TEX, ISA_UNIT_ROP, ISA_UNIT_ROP, ISA_UNIT_RAY,
					 ISA_UNIT_RAY };
	bool good = true;

	for (unsigned int k = 0; k < 5; k++) {
		ENV_CODE_OF(env, insn[k], EXIT);
		env_group(env, 20);
		env->g->d.units = ISA_UNIT_ALL & ~unit[k];
		good &= env_run(env, FOREVER) == ISA_STOP_FAULT &&
			env->fault.cause == ISA_CAUSE_ILLEGAL && env->fault.va == insn[k] &&
			env->fault.hart == 0 && env->retired == 0;
	}
	ok(good, "illegal without the unit");
	ENV_CODE_OF(env, CSRRS(A2, 0xcd2, X0), EXIT);
	env_group(env, 1);
	env->g->d.units = ISA_UNIT_ROP;
	ok(env_run(env, FOREVER) == ISA_STOP_DONE && env_x(env, 0, A2) == (2ull << 32 | 1024),
	   "units are in the upper half of priv_bytes");
}

/* The fault of @word, and nothing has changed */
static bool faults(struct isa_env *env, uint32_t word, uint32_t cause, uint64_t va)
{
	size_t size = isa_group_size(1);
	struct isa_group *before = env_group_memory(1);
	uint8_t *mem = malloc(ENV_SIZE);
	bool good = mem;

	if (good) {
		ENV_CODE_OF(env, word, EXIT);
		memcpy(before, env->g, size);
		memcpy(mem, env->mem, ENV_SIZE);
		isa_tlb_flush(env->e);
		good = env_run(env, FOREVER) == ISA_STOP_FAULT && env->fault.cause == cause &&
		       env->fault.va == va && env->retired == 0;
		before->sched = env->g->sched; /* with the lanes that are behind */
		good = good && env_same_group(before, env->g) && !memcmp(mem, env->mem, ENV_SIZE);
	}
	if (!good)
		printf("# insn %#x: cause %u at %#llx, not %u at %#llx\n", word, env->fault.cause,
		       (unsigned long long)env->fault.va, cause, (unsigned long long)va);
	free(before);
	free(mem);
	return good;
}

struct field {
	const char *name;
	size_t at;
	uint64_t value;
	unsigned int size;
};

/* With each bad value the fault is at its field. */
static void test_fields(struct isa_env *env, uint32_t word, const void *desc,
			const struct field *field, unsigned int n)
{
	for (unsigned int k = 0; k < n; k++) {
		env_group(env, 1);
		env_set_x(env, 0, A1, DESC);
		env_set_x(env, 0, A4, RECORD);
		memcpy(env->mem + DESC, desc, 64);
		memcpy(env->mem + DESC + field[k].at, &field[k].value, field[k].size);
		ok(faults(env, word, ISA_CAUSE_LOAD_ACCESS, DESC + field[k].at),
		   "%s %llu: fault at the field", field[k].name,
		   (unsigned long long)field[k].value);
	}
}

static const struct ref_texture good_texture = {
	.address = IMAGE,
	.format = 1,
	.filter = 1,
	.size = { 8, 4 },
	.levels = 4,
	.pitch = 32,
};

static const struct ref_target good_target = {
	.color = IMAGE,
	.depth = IMAGE + 0x8000,
	.width = 8,
	.height = 4,
	.color_pitch = 32,
	.depth_pitch = 32,
	.format = 1,
	.func = 7,
	.write = 31,
	.src = 1,
};

#define FIELD(type, field, v) \
	{ #field, offsetof(struct type, field), v, sizeof(((struct type *)0)->field) }

static void test_descriptors(struct isa_env *env)
{
	static const struct field texture[] = {
		FIELD(ref_texture, address, IMAGE + 4), FIELD(ref_texture, format, 0),
		FIELD(ref_texture, format, 6),		FIELD(ref_texture, filter, 2),
		FIELD(ref_texture, wrap[0], 3),		FIELD(ref_texture, wrap[1], 255),
		FIELD(ref_texture, size[0], 0),		FIELD(ref_texture, size[0], 16385),
		FIELD(ref_texture, size[1], 0),		FIELD(ref_texture, size[1], 1u << 31),
		FIELD(ref_texture, levels, 0),		FIELD(ref_texture, levels, 5),
		FIELD(ref_texture, pitch, 24),		FIELD(ref_texture, pitch, 36),
		FIELD(ref_texture, zero0, 1),		FIELD(ref_texture, zero1[0], 1ull << 63),
		FIELD(ref_texture, zero1[1], 1),
	};
	static const struct field target[] = {
		FIELD(ref_target, color, IMAGE + 2), FIELD(ref_target, depth, IMAGE + 1),
		FIELD(ref_target, width, 0),	     FIELD(ref_target, width, 16385),
		FIELD(ref_target, height, 0),	     FIELD(ref_target, height, 16385),
		FIELD(ref_target, color_pitch, 28),  FIELD(ref_target, color_pitch, 34),
		FIELD(ref_target, depth_pitch, 28),  FIELD(ref_target, depth_pitch, 33),
		FIELD(ref_target, format, 0),	     FIELD(ref_target, format, 3),
		FIELD(ref_target, func, 8),	     FIELD(ref_target, write, 32),
		FIELD(ref_target, src, 10),	     FIELD(ref_target, dst, 10),
		FIELD(ref_target, zero0[0], 1),	     FIELD(ref_target, zero1[0], 1),
	};
	static const size_t last[] = { offsetof(struct ref_target, zero0) + 2,
				       offsetof(struct ref_target, zero1) + 23 };
	const unsigned int n = sizeof(target) / sizeof(target[0]);

	test_fields(env, TEX(OUT, A1, IN), &good_texture, texture,
		    sizeof(texture) / sizeof(texture[0]));
	test_fields(env, ROP(A3, A1, A2, IN), &good_target, target, n);
	test_fields(env, ROP_BLK(A3, A1, A2, A4), &good_target, target, n);
	for (unsigned int k = 0; k < 2; k++) {
		memcpy(env->mem + DESC, &good_target, 64);
		env->mem[DESC + last[k]] = 1;
		env_group(env, 1);
		env_set_x(env, 0, A1, DESC);
		ok(faults(env, ROP(A3, A1, A2, IN), ISA_CAUSE_LOAD_ACCESS,
			  k ? DESC + offsetof(struct ref_target, zero1) :
			      DESC + offsetof(struct ref_target, zero0)),
		   "last reserved byte: fault at the field");
	}
}

struct place {
	const char *name;
	uint64_t va;
	uint32_t cause;
};

/* Descriptors and records that cannot be read */
static void test_places(struct isa_env *env)
{
	static const struct place place[] = {
		{ "misaligned", DESC + 4, ISA_CAUSE_LOAD_MISALIGNED },
		{ "of half alignment", DESC + 16, ISA_CAUSE_LOAD_MISALIGNED },
		{ "behind memory", ISA_VA_LIMIT, ISA_CAUSE_LOAD_ACCESS },
		{ "behind local memory", ISA_LOCAL_BASE + ENV_LOCAL, ISA_CAUSE_LOAD_ACCESS },
		{ "without a page", ENV_SIZE, ISA_CAUSE_LOAD_PAGE },
	};
	const uint32_t insn[] = { TEX(OUT, A5, IN),	   ROP(A3, A5, A2, IN),
				  ROP_BLK(A3, A5, A2, A4), ROP_BLK(A3, A1, A2, A5),
				  RAY_BOX(OUT, A5, IN),	   RAY_TRI(OUT, A5, IN) };

	memcpy(env->mem + DESC, &good_target, 64);
	for (unsigned int k = 0; k < sizeof(place) / sizeof(place[0]); k++) {
		bool good = true;

		for (unsigned int n = 0; n < 6; n++) {
			env_group(env, 1);
			env_set_x(env, 0, A1, DESC);
			env_set_x(env, 0, A4, RECORD);
			env_set_x(env, 0, A5, place[k].va);
			good &= faults(env, insn[n], place[k].cause, place[k].va);
		}
		ok(good, "descriptors and records %s", place[k].name);
	}
}

static void protect(struct isa_env *env, uint64_t va, uint8_t prot)
{
	env->prot[va / ISA_PAGE_SIZE] = prot;
	isa_tlb_flush(env->e);
}

/* Four texels in four pages: each is missing once, and the first missing one is reported. */
static void test_texel_faults(struct isa_env *env)
{
	struct ref_texture t = { .address = IMAGE,
				 .format = 5,
				 .filter = 1,
				 .wrap = { 1, 1 },
				 .size = { 1024 + 1, 2 },
				 .levels = 1,
				 .pitch = 8192 };
	const float at[3] = { 1024.0f / 1025.0f, 0.5f, 0 };
	static const uint32_t offset[] = { 4092, 4096, 8192 + 4092, 8192 + 4096 };
	bool good = true;

	memcpy(env->mem + DESC, &t, sizeof(t));
	for (unsigned int missing = 1; missing < 16; missing++) {
		for (unsigned int k = 0; k < 4; k++)
			protect(env, IMAGE + offset[k], missing >> k & 1 ? 0 : ENV_R);
		env_group(env, 1);
		set_run(env, 0, IN, at, 3);
		env_set_x(env, 0, A1, DESC);
		good &= faults(env, TEX(OUT, A1, IN), ISA_CAUSE_LOAD_PAGE,
			       IMAGE + offset[__builtin_ctz(missing)]);
	}
	for (unsigned int k = 0; k < 4; k++)
		protect(env, IMAGE + offset[k], ENV_R | ENV_W);
	ok(good && env_run(env, FOREVER) == ISA_STOP_DONE, "texels that fault, in their order");
}

/*
 * A block across pages with a page for each row of colour and of depth. The first access that is
 * not permitted is reported, nothing is stored, and the repeated instruction stores all.
 */
static void test_block_faults(struct isa_env *env)
{
	struct ref_target t = { .color = IMAGE,
				.depth = IMAGE + 0x8000,
				.width = 4,
				.height = 4,
				.color_pitch = 4096,
				.depth_pitch = 4096,
				.format = 1,
				.func = 1,
				.write = 31,
				.src = 1,
				.dst = 1 };
	uint8_t *mem = malloc(ENV_SIZE);
	const float far = 1.0f, near = 0.5f;
	bool good = mem;

	for (unsigned int k = 0; k < 16; k++)
		memcpy(env->mem + RECORD + 64 + 4 * k, &near, 4);
	for (unsigned int page = 0; good && page < 8; page++)
		for (unsigned int prot = 0; prot <= ENV_R; prot += ENV_R) {
			bool depth = page >= 4;
			uint64_t va = (depth ? t.depth : t.color) + 4096 * (page % 4);

			for (unsigned int k = 0; k < 16; k++)
				memcpy(env->mem + t.depth + 4096 * (k / 4) + 4 * (k % 4), &far, 4);
			memcpy(env->mem + DESC, &t, sizeof(t));
			protect(env, va, (uint8_t)prot);
			env_group(env, 1);
			env_set_x(env, 0, A1, DESC);
			env_set_x(env, 0, A2, 0xffffull << 32);
			env_set_x(env, 0, A4, RECORD);
			good &= faults(env, ROP_BLK(A3, A1, A2, A4),
				       depth && !prot ? ISA_CAUSE_LOAD_PAGE : ISA_CAUSE_STORE_PAGE,
				       va);
			protect(env, va, ENV_R | ENV_W);
			memcpy(mem, env->mem, ENV_SIZE);
			good &= ref_block(mem, &t, 0xffffull << 32, RECORD) == 0xffff &&
				env_run(env, FOREVER) == ISA_STOP_DONE &&
				env_x(env, 0, A3) == 0xffff && !memcmp(mem, env->mem, ENV_SIZE);
		}
	ok(good, "a block that faults anywhere stores nothing, repeated it stores all once");
	free(mem);
}

/* Where the depth test fails nothing is stored, and no permission to store is needed. */
static void test_hidden(struct isa_env *env)
{
	struct ref_target t = { .color = 0x1000000,
				.depth = IMAGE,
				.width = 4,
				.height = 4,
				.color_pitch = 16,
				.depth_pitch = 16,
				.format = 1,
				.func = 1,
				.write = 31,
				.src = 1 };

	memset(env->mem + IMAGE, 0, 64);
	memcpy(env->mem + DESC, &t, sizeof(t));
	protect(env, IMAGE, ENV_R);
	ENV_CODE_OF(env, ROP(A3, A1, A2, IN), EXIT);
	env_group(env, 1);
	env_set_x(env, 0, A1, DESC);
	env_set_x(env, 0, A3, 7);
	ok(env_run(env, FOREVER) == ISA_STOP_DONE && env_x(env, 0, A3) == 0,
	   "hidden pixels are not accessed");
	protect(env, IMAGE, ENV_R | ENV_W);
}

/* A fault in the middle of a wave: those before are through, those behind are not. */
static void test_lanes(struct isa_env *env)
{
	struct isa_counters *n = isa_engine_counters(env->e);
	uint64_t before;
	bool good = true;

	memcpy(env->mem + DESC, &good_target, 64);
	ENV_CODE_OF(env, ROP(A3, A1, A2, IN), EXIT);
	env_group(env, 16);
	for (unsigned int k = 0; k < 16; k++) {
		env_set_x(env, k, A1, k == 9 ? DESC + 8 : DESC);
		env_set_x(env, k, A2, k % 8 | (k / 8) << 16);
	}
	before = n->pixels;
	good &= env_run(env, FOREVER) == ISA_STOP_FAULT && env->fault.hart == 9 &&
		env->retired == 9 && n->pixels == before + 9;
	env_set_x(env, 9, A1, DESC);
	good &= env_run(env, FOREVER) == ISA_STOP_DONE && n->pixels == before + 16;
	ok(good, "each hart is counted once, whatever faults");
}

/* Textures, targets, descriptors and records may lie in local memory. */
static void test_local(struct isa_env *env)
{
	struct ref_target t = good_target;
	const float white[5] = { 1, 1, 1, 1, 0 };

	t.func = 0;
	t.color = ISA_LOCAL_BASE + 128;
	memcpy(env->local, &t, sizeof(t));
	memset(env->local + 128, 0, 256);
	ENV_CODE_OF(env, ROP(A3, A1, A2, IN), EXIT);
	env_group(env, 1);
	set_run(env, 0, IN, white, 5);
	env_set_x(env, 0, A1, ISA_LOCAL_BASE);
	ok(env_run(env, FOREVER) == ISA_STOP_DONE && env_x(env, 0, A3) == 1 &&
		   !memcmp(env->local + 128, "\xff\xff\xff\xff\0\0\0\0", 8),
	   "descriptor and target in local memory");
}

int main(void)
{
	struct isa_env *env = env_new();

	test_reference(env);
	test_watertight(env);
	test_environment(env);
	test_cost(env);
	test_encoding(env);
	test_missing(env);
	test_descriptors(env);
	test_places(env);
	test_texel_faults(env);
	test_block_faults(env);
	test_hidden(env);
	test_lanes(env);
	test_local(env);
	env_free(env);
	return done();
}
