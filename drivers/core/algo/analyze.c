// SPDX-License-Identifier: GPL-2.0-only
/*
 * Workload analyzer: averages of what a vslice does.
 *
 * DOC: Workload analyzer
 *
 * Pure arithmetic over a vslice's counters: no locks, no devices, no clock but the GPU
 * time that it is given. analyzer.c says when samples are taken.
 *
 * An average is exponentially weighted with a half-life in cycles. Samples come when they
 * cost nothing, not at regular times, so each has the weight of the time that it covers:
 *
 *	average = sample + (average - sample) * 2^-(covered / half-life)
 *
 * which does not depend on how a time is cut into samples. For utilization, demand and
 * queue depth that is GPU time: they fall while the vslice idles. For the intensities
 * it is busy time: they say what its work is like, whenever there is any. What a client says of
 * its work is counted in GPU time, too, from the first time on that it says something.
 *
 * Samples that cover less than a 64th of the half-life are put off, so that the rounding
 * of many small steps does not add up: the next sample covers their time too.
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "analyze.h"

/* Averages have 10 bits behind the point, weights 16; 1 permille of a rate is 1 */
#define AVG_SHIFT	10
#define WEIGHT_SHIFT	16
#define WEIGHT_ONE	65536u
#define PERMILLE	1000u
/* More packets do not fit in a ring */
#define QUEUE_MAX	65536ull
#define SHORT_SHIFT	6
/* Of hints, which a client may make up: no more of them count in a sample */
#define FRAMES_MAX	1000000ull
#define OPERATIONS_MAX	1000000000000000ull
#define FRAMES_TIME	1000000000000ull
#define OPERATIONS_TIME	1000ull
#define HINT_RATE_MAX	100000000000000ull
/* Half-life of hints, in that of other averages: about a second, as pictures are rare */
#define HINT_HALF_LIFE	32
/* A fused multiply-add is two */
#define FLOPS_PER_CYCLE	2
/* What an instruction of a unit does: a filter's samples, a quarter of a block */
#define TEXELS_PER_STEP	4
#define PIXELS_PER_STEP	4

/*
 * 2^-(covered / half_life): a shift for the whole half-lives, and for the rest the cubic
 * with the true slope at 0 and the true values at 0, 1/2 and 1, less than 0.05 % off.
 */
static u32 weight_left(u64 covered, u64 half_life)
{
	u64 whole = div64_u64(covered, half_life), rest, square, cube;

	if (whole > WEIGHT_SHIFT)
		return 0;
	rest = div64_u64((covered - whole * half_life) << WEIGHT_SHIFT, half_life);
	square = (rest * rest) >> WEIGHT_SHIFT;
	cube = (square * rest) >> WEIGHT_SHIFT;
	return (WEIGHT_ONE - ((45426 * rest - 15486 * square + 2828 * cube) >> WEIGHT_SHIFT)) >>
	       whole;
}

static u64 average_raw(u64 old, u64 sample, u32 left)
{
	if (sample >= old)
		return sample - (((sample - old) * left) >> WEIGHT_SHIFT);
	return sample + (((old - sample) * left) >> WEIGHT_SHIFT);
}

static u64 average(u64 old, u64 sample, u32 left)
{
	return average_raw(old, sample << AVG_SHIFT, left);
}

/* How much a hint grew, in @time cycles; of numbers that start again, all of it is new */
static u64 hint_rate(u64 seen, u64 now, u64 most, u64 time, u64 covered)
{
	u64 grown = min(now >= seen ? now - seen : now, most);

	return min(div64_u64(grown * time, covered), HINT_RATE_MAX);
}

/* part / whole, at most 1000: what is more is an error of the device's */
static u64 permille(u64 part, u64 whole)
{
	if (part >= whole)
		return whole ? PERMILLE : 0;
	while (part >> 54) {
		part >>= 1;
		whole >>= 1;
	}
	return div64_u64(part * PERMILLE, whole);
}

/* a * b, or the largest number */
static u64 times(u64 a, u32 b)
{
	return a && b > div64_u64(~0ull, a) ? ~0ull : a * b;
}

/* A client reset makes counters start again; then all of what they show is new */
static void analysis_forget_reset(struct tess_analysis *an, const u64 *counters)
{
	unsigned int i;

	for (i = 0; i < TESS_COUNTS; i++)
		if (counters[i] < an->seen[i])
			break;
	if (i < TESS_COUNTS)
		memset(an->seen, 0, sizeof(an->seen));
}

static u64 analysis_delta(const struct tess_analysis *an, const u64 *counters, enum tess_count what)
{
	return counters[what] - an->seen[what];
}

static u64 plus(u64 a, u64 b)
{
	return a + min(b, ~a);
}

/* Memory that others have to share with it: private memory is in the bank of whoever uses it */
static u64 analysis_bytes(const struct tess_analysis *an, const struct tess_sample *sample,
			  const u64 *counters)
{
	u64 copies = analysis_delta(an, counters, TESS_COUNT_BYTES);
	enum tess_count rest = sample->traffic ? TESS_COUNT_GLOBAL_BYTES : TESS_COUNT_LINK_BYTES;

	return plus(copies, analysis_delta(an, counters, rest));
}

/*
 * Instructions of units say what they draw, not what they compute. How many there were follows
 * from what they did at most.
 */
static u64 analysis_instructions(const struct tess_analysis *an, const u64 *counters)
{
	u64 all = analysis_delta(an, counters, TESS_COUNT_INSTRUCTIONS);
	u64 units = analysis_delta(an, counters, TESS_COUNT_TEXELS) / TEXELS_PER_STEP;

	units = plus(units, analysis_delta(an, counters, TESS_COUNT_PIXELS) / PIXELS_PER_STEP);
	units = plus(units, analysis_delta(an, counters, TESS_COUNT_RAYS));
	return all - min(all, units);
}

static void analysis_intensity(struct tess_analysis *an, const struct tess_sample *sample,
			       const u64 *counters, u64 busy)
{
	u64 cores = times(busy, sample->cores);
	u32 left;

	if (!busy)
		return;
	left = an->worked ? weight_left(busy, sample->half_life) : 0;
	an->shader = average(an->shader, permille(analysis_instructions(an, counters), cores),
			     left);
	an->flop = average(an->flop, permille(analysis_delta(an, counters, TESS_COUNT_FLOPS),
					      times(cores, FLOPS_PER_CYCLE)), left);
	an->stall = average(an->stall, permille(analysis_delta(an, counters, TESS_COUNT_STALL),
						cores), left);
	an->texture = average(an->texture,
			      permille(analysis_delta(an, counters, TESS_COUNT_TEXELS),
				       times(busy, sample->texels_per_cycle)), left);
	an->pixel = average(an->pixel,
			    permille(analysis_delta(an, counters, TESS_COUNT_PIXELS),
				     times(busy, sample->pixels_per_cycle)), left);
	an->ray = average(an->ray, permille(analysis_delta(an, counters, TESS_COUNT_RAYS),
					    times(busy, sample->rays_per_cycle)), left);
	an->units = average(an->units,
			    permille(analysis_delta(an, counters, TESS_COUNT_UNIT_CYCLES), busy),
			    left);
	an->memory = average(an->memory, permille(analysis_bytes(an, sample, counters),
						  times(busy, sample->bytes_per_cycle)), left);
	an->worked = true;
}

static void analysis_load(struct tess_analysis *an, const struct tess_sample *sample, u64 covered,
			  u64 busy)
{
	u64 waited = sample->waited - min(an->waited, sample->waited);
	u64 wanted = busy + min(waited, ~busy);
	u32 left = weight_left(covered, sample->half_life);

	an->utilization = average(an->utilization, permille(busy, covered), left);
	an->demand = average(an->demand, permille(wanted, covered), left);
	an->queue_depth = average(an->queue_depth,
				  min(sample->queue, QUEUE_MAX) * PERMILLE, left);
}

/* From the sample before the first hint on */
static void analysis_hints(struct tess_analysis *an, const struct tess_sample *sample, u64 covered)
{
	const struct tess_hints *now = sample->hints ?: &an->hints;
	u32 left = weight_left(covered, sample->half_life * HINT_HALF_LIFE);
	u64 frames = hint_rate(an->hints.frames, now->frames, FRAMES_MAX, FRAMES_TIME, covered);
	u64 operations = hint_rate(an->hints.operations, now->operations, OPERATIONS_MAX,
				   OPERATIONS_TIME, covered);

	if (!an->told && !frames && !operations)
		return;
	if (!an->told)
		an->before = WEIGHT_ONE;
	an->frames = average_raw(an->frames, frames, left);
	an->operations = average_raw(an->operations, operations, left);
	an->before = ((u64)an->before * left) >> WEIGHT_SHIFT;
	an->told = an->frames || an->operations || an->before;
}

/* Of averages that have zeroes for the time before the first hint */
static u64 since_told(const struct tess_analysis *an, u64 value)
{
	u32 known = WEIGHT_ONE - an->before;

	if (!an->told || !known)
		return 0;
	return min(div_u64(value << WEIGHT_SHIFT, known), HINT_RATE_MAX);
}

/**
 * tess_analysis_update() - take a sample
 * @an: of the vslice
 * @sample: what is known of it now
 *
 * The first sample is where counting starts. A time before the last one's is ignored.
 *
 * Return: true if the averages are new.
 */
bool tess_analysis_update(struct tess_analysis *an, const struct tess_sample *sample)
{
	const u64 *counters = sample->counters ?: an->seen;
	u64 covered = sample->time - an->time, busy;
	bool first = !an->started;

	if (!first && (sample->time <= an->time || covered <= sample->half_life >> SHORT_SHIFT))
		return false;
	if (!first) {
		analysis_forget_reset(an, counters);
		busy = analysis_delta(an, counters, TESS_COUNT_BUSY);
		analysis_intensity(an, sample, counters, busy);
		analysis_load(an, sample, covered, busy);
		analysis_hints(an, sample, covered);
	}
	memmove(an->seen, counters, sizeof(an->seen));
	if (sample->hints)
		an->hints = *sample->hints;
	an->waited = sample->waited;
	an->time = sample->time;
	an->started = true;
	return !first;
}

static u32 whole(u64 value)
{
	return (value + (1u << (AVG_SHIFT - 1))) >> AVG_SHIFT;
}

/**
 * tess_analysis_load() - the averages
 * @an: of the vslice
 * @load: result; all zeroes if there was no work yet
 */
void tess_analysis_load(const struct tess_analysis *an, struct tess_load *load)
{
	load->utilization = whole(an->utilization);
	load->demand = whole(an->demand);
	load->queue_depth = whole(an->queue_depth);
	load->shader = whole(an->shader);
	load->flop = whole(an->flop);
	load->stall = whole(an->stall);
	load->texture = whole(an->texture);
	load->pixel = whole(an->pixel);
	load->ray = whole(an->ray);
	load->units = whole(an->units);
	load->memory = whole(an->memory);
	load->frames = since_told(an, an->frames);
	load->operations = since_told(an, an->operations);
}

/**
 * tess_analysis_fps() - pictures a second
 * @frames: sum of &tess_load.frames
 * @clock_khz: clock of the GPU
 *
 * Return: thousandths.
 */
u32 tess_analysis_fps(u64 frames, u32 clock_khz)
{
	u64 product = min(frames, 1ull << 40) * min(clock_khz, 1u << 23);

	return min_t(u64, div_u64(product, 1000000), U32_MAX);
}

/**
 * tess_analysis_frame_ops() - operations for a picture
 * @operations: sum of &tess_load.operations
 * @frames: sum of &tess_load.frames
 *
 * Return: thousands; 0 if there are no pictures.
 */
u32 tess_analysis_frame_ops(u64 operations, u64 frames)
{
	u64 product = min(operations, 1ull << 44) * 1000000;

	return frames ? min_t(u64, div64_u64(product, frames), U32_MAX) : 0;
}
