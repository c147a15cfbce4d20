// SPDX-License-Identifier: GPL-2.0-or-later
/* The analyzer's arithmetic is pure: the kernel's source, compiled here. */
#include "../../drivers/core/algo/analyze.c"

#include <linux/array_size.h>
#include <math.h>

#include "harness.h"

#define HALF_LIFE 128000
#define CORES 4
#define BYTES_PER_CYCLE 64

/**
 * struct work - a vslice as the analyzer sees it
 * @an: under test
 * @time: GPU time
 * @waited: GPU time that it waited
 * @counters: of the GPU
 * @queue: packets in its ring
 * @hints: what its client says
 */
struct work {
	struct tess_analysis an;
	u64 time;
	u64 waited;
	u64 counters[TESS_COUNTS];
	u64 queue;
	const struct tess_hints *hints;
};

static u64 *counter_of(struct work *w, enum tess_count what)
{
	return &w->counters[what];
}

static bool sample(struct work *w, bool resident)
{
	struct tess_sample s = {
		.time = w->time,
		.counters = resident ? w->counters : NULL,
		.waited = w->waited,
		.queue = w->queue,
		.hints = w->hints,
		.cores = CORES,
		.bytes_per_cycle = BYTES_PER_CYCLE,
		.half_life = HALF_LIFE,
	};

	return tess_analysis_update(&w->an, &s);
}

static struct tess_load load_of(const struct work *w)
{
	struct tess_load load;

	tess_analysis_load(&w->an, &load);
	return load;
}

/* @cycles pass, in which it is busy for @busy; intensities in permille */
static void pass(struct work *w, u64 cycles, u64 busy, u32 shader, u32 memory)
{
	w->time += cycles;
	*counter_of(w, TESS_COUNT_BUSY) += busy;
	*counter_of(w, TESS_COUNT_INSTRUCTIONS) += busy * CORES * shader / 1000;
	*counter_of(w, TESS_COUNT_BYTES) += busy * BYTES_PER_CYCLE * memory / 2000;
	*counter_of(w, TESS_COUNT_LINK_BYTES) += busy * BYTES_PER_CYCLE * memory / 2000;
}

static bool near(u64 a, u64 b, u64 by)
{
	return a > b ? a - b <= by : b - a <= by;
}

TEST(nothing_yet)
{
	struct work w = { .time = 12345 };

	EXPECT_EQ(sample(&w, true), false);
	EXPECT_EQ(load_of(&w).utilization, 0U);
	EXPECT_EQ(load_of(&w).shader, 0U);
	EXPECT_EQ(sample(&w, true), false); /* no time has passed */
}

TEST(large_numbers)
{
	EXPECT_EQ(permille(0, 0), 0ULL);
	EXPECT_EQ(permille(5, 0), 0ULL);
	EXPECT_EQ(permille(1, ~0ULL), 0ULL);
	EXPECT_EQ(permille(1ULL << 62, 1ULL << 63), 500ULL);
	EXPECT_EQ(permille(~0ULL - 1, ~0ULL), 1000ULL);
	EXPECT_EQ(permille(~0ULL, ~0ULL), 1000ULL);
	EXPECT_EQ(times(1ULL << 40, 1 << 20), 1ULL << 60);
	EXPECT_EQ(times(1ULL << 40, 1 << 24), ~0ULL);
	EXPECT_EQ(times(0, 7), 0ULL);
}

TEST(weights)
{
	unsigned int i;

	EXPECT_EQ(weight_left(0, HALF_LIFE), WEIGHT_ONE);
	EXPECT_EQ(weight_left(HALF_LIFE, HALF_LIFE), WEIGHT_ONE / 2);
	EXPECT_EQ(weight_left(16ULL * HALF_LIFE, HALF_LIFE), 1U);
	EXPECT_EQ(weight_left(~0ULL, HALF_LIFE), 0U);
	EXPECT_EQ(weight_left(~0ULL, 1), 0U);
	for (i = 0; i <= 4096; i++) {
		u64 covered = (u64)i * HALF_LIFE / 1024;
		double want = exp2(-(double)covered / HALF_LIFE) * WEIGHT_ONE;

		ASSERT_LE(fabs(want - weight_left(covered, HALF_LIFE)), want * 0.0005 + 1);
	}
}

TEST(converges)
{
	unsigned int busy, i;

	for (busy = 0; busy <= 1000; busy += 50) {
		struct work w = { .queue = 7 };

		sample(&w, true);
		for (i = 0; i < 1000; i++) {
			pass(&w, 8000, busy * 8, 800, 250);
			sample(&w, true);
		}
		EXPECT_EQ(near(load_of(&w).utilization, busy, 1), true);
		EXPECT_EQ(near(load_of(&w).demand, busy, 1), true);
		EXPECT_EQ(near(load_of(&w).queue_depth, 7000, 7), true);
		EXPECT_EQ(near(load_of(&w).shader, busy ? 800 : 0, 1), true);
		EXPECT_EQ(near(load_of(&w).memory, busy ? 250 : 0, 1), true);
	}
}

/* All idle averages fall to the half in the half-life, intensities stay as they are */
TEST(idle)
{
	struct work w = { .time = 1 };
	unsigned int i;

	sample(&w, true);
	pass(&w, 100 * HALF_LIFE, 100 * HALF_LIFE, 600, 300);
	EXPECT_EQ(sample(&w, true), true);
	EXPECT_EQ(load_of(&w).utilization, 1000U);
	for (i = 1; i < 8; i++) {
		pass(&w, HALF_LIFE, 0, 0, 0);
		sample(&w, i % 2); /* parked or not, it does nothing */
		EXPECT_EQ(near(load_of(&w).utilization, 1000 >> i, 1), true);
		EXPECT_EQ(load_of(&w).shader, 600U);
		EXPECT_EQ(load_of(&w).memory, 300U);
	}
}

/* Half of the time it runs, the other half it waits for its slice */
TEST(waiting)
{
	struct work w = { .time = 1 };
	unsigned int i;

	sample(&w, true);
	for (i = 0; i < 200; i++) {
		pass(&w, 8000, 8000, 500, 0);
		sample(&w, true);
		pass(&w, 8000, 0, 0, 0);
		w.waited += 8000;
		sample(&w, false);
	}
	EXPECT_EQ(near(load_of(&w).utilization, 500, 20), true);
	EXPECT_EQ(load_of(&w).demand, 1000U);
}

/* A time in two samples or in many: the same average */
TEST(cuts_do_not_matter)
{
	unsigned int round, i;

	srand(1);
	for (round = 0; round < 200; round++) {
		struct work a = { .time = 1, .queue = 3 }, b = a;
		u64 cycles = HALF_LIFE / 64 + 1 + rand() % HALF_LIFE;
		unsigned int n = 1 + rand() % 100, busy = rand() % 1001;

		sample(&a, true);
		sample(&b, true);
		for (i = 0; i < n; i++) {
			pass(&a, cycles, cycles * busy / 1000, 500, 500);
			sample(&a, true);
			pass(&b, cycles, cycles * busy / 1000, 500, 500);
		}
		sample(&b, true);
		ASSERT_EQ(near(load_of(&a).utilization, load_of(&b).utilization, 3), true);
		ASSERT_EQ(near(load_of(&a).queue_depth, load_of(&b).queue_depth, 6), true);
	}
}

/* Against the formula in floating point, over random lives */
TEST(as_the_formula)
{
	unsigned int round, i;

	srand(2);
	for (round = 0; round < 100; round++) {
		struct work w = { .time = 1 };
		double util = 0, demand = 0;

		sample(&w, true);
		for (i = 0; i < 300; i++) {
			u64 cycles = HALF_LIFE / 64 + 1 + rand() % (rand() % 2 ? 10000 : 500000);
			u64 busy = rand() % (cycles + 1), wait = rand() % (cycles - busy + 1);
			double left = exp2(-(double)cycles / HALF_LIFE);

			pass(&w, cycles, busy, 1000, 1000);
			w.waited += wait;
			ASSERT_EQ(sample(&w, true), true);
			util = 1000. * busy / cycles + (util - 1000. * busy / cycles) * left;
			demand = 1000. * (busy + wait) / cycles +
				 (demand - 1000. * (busy + wait) / cycles) * left;
			ASSERT_LE(fabs(util - load_of(&w).utilization), 1.5);
			ASSERT_LE(fabs(demand - load_of(&w).demand), 1.5);
		}
	}
}

/* Short times are put off, not lost */
TEST(short_samples)
{
	struct work w = { .time = 1 };
	unsigned int i, renewed = 0;

	sample(&w, true);
	for (i = 0; i < 100000; i++) {
		pass(&w, 100, 100, 1000, 0);
		renewed += sample(&w, true);
	}
	EXPECT_LE(renewed, 10000000U / (HALF_LIFE / 64));
	EXPECT_GE(renewed, 4000U);
	EXPECT_GE(load_of(&w).utilization, 999U);
}

TEST(client_reset)
{
	struct work w = { .time = 1 };
	unsigned int i;

	sample(&w, true);
	for (i = 0; i < 100; i++) {
		pass(&w, 10000, 5000, 400, 100);
		sample(&w, true);
		if (i % 3 == 0)
			memset(w.counters, 0, sizeof(w.counters));
	}
	EXPECT_EQ(near(load_of(&w).utilization, 500, 20), true);
	EXPECT_EQ(near(load_of(&w).shader, 400, 2), true);
}

/* Whatever a device that is out of order counts, averages stay in their range */
TEST(nonsense)
{
	struct work w = { .time = 1 };
	unsigned int round, i;
	struct tess_load load;
	struct tess_hints h;

	srand(3);
	sample(&w, true);
	for (round = 0; round < 100000; round++) {
		for (i = 0; i < TESS_COUNTS; i++)
			w.counters[i] = (u64)rand() << (rand() % 64);
		w.time = rand() % 4 ? w.time + rand() : (u64)rand() << (rand() % 64);
		w.waited = (u64)rand() << (rand() % 64);
		w.queue = (u64)rand() << (rand() % 64);
		h.frames = (u64)rand() << (rand() % 64);
		h.operations = (u64)rand() << (rand() % 64);
		w.hints = rand() % 4 ? &h : NULL;
		sample(&w, rand() % 2);
		load = load_of(&w);
		ASSERT_LE(load.frames, HINT_RATE_MAX);
		ASSERT_LE(load.operations, HINT_RATE_MAX);
		ASSERT_LE(load.utilization, 1000U);
		ASSERT_LE(load.demand, 1000U);
		ASSERT_LE(load.utilization, load.demand + 1);
		ASSERT_LE(load.queue_depth, 65536000U);
		ASSERT_LE(load.shader, 1000U);
		ASSERT_LE(load.memory, 1000U);
		ASSERT_LE(load.flop, 1000U);
		ASSERT_LE(load.stall, 1000U);
		ASSERT_LE(load.texture, 1000U);
		ASSERT_LE(load.pixel, 1000U);
		ASSERT_LE(load.ray, 1000U);
		ASSERT_LE(load.units, 1000U);
	}
}

/* What a slice counted in 1000 busy cycles, and its rates; 4 cores, 64 bytes a cycle */
struct kind_of_work {
	u64 instructions, flops, stall, texels, pixels, rays, copied, linked, global, private,
		units;
	bool draws, traffic;
	struct tess_load load;
};

static const struct kind_of_work kinds_of_work[] = {
	{ .instructions = 4000, .load = { .shader = 1000 } },
	{ .instructions = 2000,
	  .flops = 2000,
	  .stall = 1000,
	  .load = { .shader = 500, .flop = 250, .stall = 250 } },
	/* A filter of four samples in every fourth instruction of each core */
	{ .instructions = 4000,
	  .texels = 4000,
	  .draws = true,
	  .load = { .shader = 750, .texture = 250 } },
	{ .instructions = 4000,
	  .texels = 8000,
	  .pixels = 4000,
	  .rays = 1000,
	  .draws = true,
	  .load = { .shader = 0, .texture = 500, .pixel = 250, .ray = 250 } },
	/* More of units than there can be instructions */
	{ .instructions = 10, .rays = 1000, .draws = true, .load = { .ray = 250 } },
	/* A slice without units */
	{ .instructions = 4000, .texels = 4, .pixels = 4, .rays = 1, .load = { .shader = 999 } },
	{ .instructions = 4000, .units = 250, .load = { .shader = 1000, .units = 250 } },
	/* Private memory does not count, and links do where nothing else is known */
	{ .copied = 16000,
	  .linked = 16000,
	  .global = 32000,
	  .private = 64000,
	  .traffic = true,
	  .load = { .memory = 750 } },
	{ .copied = 16000, .linked = 16000, .load = { .memory = 500 } },
	{ .global = 100000, .traffic = true, .load = { .memory = 1000 } },
};

static void count(struct work *w, const struct kind_of_work *k)
{
	*counter_of(w, TESS_COUNT_BUSY) += 1000;
	*counter_of(w, TESS_COUNT_INSTRUCTIONS) += k->instructions;
	*counter_of(w, TESS_COUNT_FLOPS) += k->flops;
	*counter_of(w, TESS_COUNT_STALL) += k->stall;
	*counter_of(w, TESS_COUNT_TEXELS) += k->texels;
	*counter_of(w, TESS_COUNT_PIXELS) += k->pixels;
	*counter_of(w, TESS_COUNT_RAYS) += k->rays;
	*counter_of(w, TESS_COUNT_BYTES) += k->copied;
	*counter_of(w, TESS_COUNT_LINK_BYTES) += k->linked;
	*counter_of(w, TESS_COUNT_GLOBAL_BYTES) += k->global;
	*counter_of(w, TESS_COUNT_PRIVATE_BYTES) += k->private;
	*counter_of(w, TESS_COUNT_UNIT_CYCLES) += k->units;
	w->time += 1000;
}

static struct tess_load load_by(const struct kind_of_work *k)
{
	struct tess_sample s = {
		.cores = CORES,
		.bytes_per_cycle = BYTES_PER_CYCLE,
		.texels_per_cycle = k->draws ? 4 * CORES : 0,
		.pixels_per_cycle = k->draws ? 4 * CORES : 0,
		.rays_per_cycle = k->draws ? CORES : 0,
		.traffic = k->traffic,
		.half_life = 1000,
	};
	struct work w = { .time = 1 };

	for (unsigned int i = 0; i < 20; i++) {
		s.time = w.time;
		s.counters = w.counters;
		tess_analysis_update(&w.an, &s);
		count(&w, k);
	}
	return load_of(&w);
}

TEST(intensities)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds_of_work); i++) {
		struct tess_load load = load_by(&kinds_of_work[i]);
		const struct tess_load *want = &kinds_of_work[i].load;

		TH_LOG("work %zu", i);
		EXPECT_EQ(load.shader, want->shader);
		EXPECT_EQ(load.flop, want->flop);
		EXPECT_EQ(load.stall, want->stall);
		EXPECT_EQ(load.texture, want->texture);
		EXPECT_EQ(load.pixel, want->pixel);
		EXPECT_EQ(load.ray, want->ray);
		EXPECT_EQ(load.units, want->units);
		EXPECT_EQ(load.memory, want->memory);
	}
}

/* ---- what a client says ---- */

#define CLOCK_KHZ 4000
#define FRAME_CYCLES (CLOCK_KHZ * 1000 / 50)
#define FRAME_OPS 3000000

/* A picture, in the time of one of 50 a second */
static void draw(struct work *w, struct tess_hints *h)
{
	pass(w, FRAME_CYCLES, FRAME_CYCLES / 2, 0, 0);
	h->frames++;
	h->operations += FRAME_OPS;
	sample(w, true);
}

static u32 fps_of(const struct work *w)
{
	return tess_analysis_fps(load_of(w).frames, CLOCK_KHZ);
}

TEST(hints)
{
	struct tess_hints h = { .frames = 1000000 };
	struct work w = { .time = 1, .hints = &h };
	struct tess_load load;
	unsigned int i;

	sample(&w, true);
	EXPECT_EQ(fps_of(&w), 0U);
	for (i = 0; i < 2000; i++)
		draw(&w, &h);
	load = load_of(&w);
	EXPECT_TRUE(near(fps_of(&w), 50000, 50));
	EXPECT_TRUE(
		near(tess_analysis_frame_ops(load.operations, load.frames), FRAME_OPS / 1000, 5));
	/* Without a record nothing is new */
	w.hints = NULL;
	pass(&w, HINT_HALF_LIFE * HALF_LIFE, 0, 0, 0);
	sample(&w, true);
	EXPECT_TRUE(near(fps_of(&w), 25000, 50));
	/* One that starts again with few of them */
	h = (struct tess_hints){ 0 };
	w.hints = &h;
	for (i = 0; i < 2000; i++)
		draw(&w, &h);
	EXPECT_TRUE(near(fps_of(&w), 50000, 50));
	for (i = 0; i < 100; i++) {
		pass(&w, HINT_HALF_LIFE * HALF_LIFE, 0, 0, 0);
		sample(&w, true);
	}
	EXPECT_EQ(fps_of(&w), 0U);
	/* Right soon, however often somebody looks: one picture in 51 looks */
	h.frames++;
	sample(&w, true);
	for (i = 0; i < 51 * 50; i++) {
		pass(&w, FRAME_CYCLES / 51 + 1, 0, 0, 0);
		h.frames += i % 51 == 50;
		sample(&w, true);
	}
	EXPECT_TRUE(near(fps_of(&w), 50000, 1500));
	EXPECT_EQ(tess_analysis_frame_ops(0, 0), 0U);
	EXPECT_EQ(tess_analysis_fps(~0ULL, ~0U), U32_MAX);
	EXPECT_EQ(tess_analysis_frame_ops(~0ULL, 1), U32_MAX);
}

TEST_HARNESS_MAIN
