// SPDX-License-Identifier: GPL-2.0-only
/*
 * Workload analyzer: when samples of vslices are taken.
 *
 * DOC: Sampling
 *
 * It has no timer and costs nothing while nobody works or asks. A vslice that shares its
 * slice is sampled whenever it leaves it: its counters are in the saved context then. One
 * that does not leave, because nobody else wants the slice or it has it alone, is sampled
 * when somebody asks: a reader of its files, or the swapper. What a parked one did since it
 * was sampled needs no counters: it waited or it idled. Of an elastic vGPU, whose rings come
 * and go, the counters are those of the slice, from the moment when it got it.
 *
 * Readers have averages of their own (tess_vslice.observed). Those that the swapper and the policy
 * "auto" decide by are renewed when vslices leave their slices and when these two look, and
 * never because somebody reads a file.
 *
 * What a client says of its work (pictures, operations) is read with a sample, from memory.
 */
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "analyzer.h"
#include "base/gpu.h"
#include "run.h"
#include "slice/access.h"
#include "slice/complete.h"
#include "slice/slice.h"
#include "slice/trace.h"
#include "slice/vgpu.h"

/* Long against a round of eight quanta, short against the swapper's period */
#define ANALYZE_HALF_LIFE_MS	32

static u64 analyze_half_life(const struct tess_gpu *gpu)
{
	return max((u64)gpu->info.clock_khz * ANALYZE_HALF_LIFE_MS, 1ULL);
}

static void analyze_update(struct tess_slice *slice, struct tess_vslice *vs,
			   struct tess_analysis *an, const struct tess_sample *sample)
{
	struct tess_load load;

	lockdep_assert_held(&slice->hw);
	if (!tess_analysis_update(an, sample) || !trace_tess_analyze_enabled())
		return;
	tess_analysis_load(an, &load);
	trace_tess_analyze(slice, vs->vgpu, vs->index, sample->time, &load);
}

static u32 analyze_per_cycle(const struct tess_gpu *gpu, u64 rate)
{
	if (!gpu->info.clock_khz)
		return 0;
	return min_t(u64, div64_u64(rate, (u64)gpu->info.clock_khz * 1000), U32_MAX);
}

static void analyze_describe(struct tess_slice *slice, struct tess_sample *sample)
{
	struct tess_slice_rates rates = { 0 };
	struct tess_gpu *gpu = slice->gpu;

	tess_gpu_ops(gpu)->rates(gpu->be, slice->index, &rates);
	sample->cores = slice->info.cores;
	sample->bytes_per_cycle = analyze_per_cycle(gpu, rates.bandwidth);
	sample->texels_per_cycle = analyze_per_cycle(gpu, rates.texels);
	sample->pixels_per_cycle = analyze_per_cycle(gpu, rates.pixels);
	sample->rays_per_cycle = analyze_per_cycle(gpu, rates.rays);
	sample->traffic = gpu->info.caps & TESS_CAPS_TRAFFIC;
	sample->half_life = analyze_half_life(gpu);
}

/* False: it does not say anything now */
static bool analyze_hints(struct tess_slice *slice, struct tess_vslice *vs,
			  struct tess_hints *hints)
{
	if (!vs->vgpu->elastic)
		return tess_route_hints(slice->gpu, vs, &hints->frames, &hints->operations);
	hints->frames = atomic64_read(&vs->frames);
	hints->operations = atomic64_read(&vs->operations);
	return true;
}

/**
 * tess_analyze_sample() - renew the averages of a vslice
 * @slice: home, its hw mutex held, inside tess_gpu_enter()
 * @vgpu: vGPU
 * @vslice: index
 * @time: GPU time
 * @counters: TESS_COUNT_* in order; NULL: they are as they were at the last sample
 * @waited: GPU time for which it was runnable and not resident, since it was made
 * @queue: packets in its ring
 */
void tess_analyze_sample(struct tess_slice *slice, struct tess_vgpu *vgpu, unsigned int vslice,
			 u64 time, const u64 *counters, u64 waited, u64 queue)
{
	struct tess_vslice *vs = &vgpu->vslices[vslice];
	struct tess_sample sample = {
		.time = time,
		.counters = counters,
		.waited = waited,
		.queue = queue,
	};
	struct tess_hints hints;

	analyze_describe(slice, &sample);
	if (analyze_hints(slice, vs, &hints))
		sample.hints = &hints;
	tess_analysis_update(&vs->observed, &sample);
	analyze_update(slice, vs, &vs->analysis, &sample);
}

/* The slice's hw mutex is held, inside tess_gpu_enter() */
static int analyze_now(struct tess_slice *slice, struct tess_vslice *vs, struct tess_analysis *an,
		       const struct tess_sched_stats *stats)
{
	struct tess_gpu *gpu = slice->gpu;
	const struct tess_backend_ops *ops = tess_gpu_ops(gpu);
	struct tess_sample sample = { .waited = stats->wait_cycles, .queue = stats->queue };
	u64 counters[TESS_COUNTS];
	struct tess_hints hints;
	int rc = 0;

	if (vs->vgpu->elastic) {
		rc = tess_slice_counters(slice, counters);
		sample.counters = counters;
	} else if (tess_vslice_is_resident(vs)) {
		rc = ops->counters(gpu->be, slice->index, false, counters);
		sample.counters = counters;
	}
	if (rc)
		return rc;
	sample.time = ops->time(gpu->be);
	analyze_describe(slice, &sample);
	if (analyze_hints(slice, vs, &hints))
		sample.hints = &hints;
	analyze_update(slice, vs, an, &sample);
	return 0;
}

/**
 * tess_analyze_read() - averages of a vslice up to now
 * @vgpu: vGPU
 * @vslice: index
 * @who: for whom they are
 * @load: result; all zeroes if it has no slice
 *
 * Process context, no lock held.
 *
 * Return: 0, -EINVAL no such vslice, -ENODEV.
 */
int tess_analyze_read(struct tess_vgpu *vgpu, unsigned int vslice, enum tess_analyze_who who,
		      struct tess_load *load)
{
	struct tess_sched_stats stats;
	struct tess_analysis *an;
	struct tess_slice *slice;
	struct tess_vslice *vs;
	int idx, rc;

	memset(load, 0, sizeof(*load));
	rc = tess_sched_stats(vgpu, vslice, &stats);
	if (rc)
		return rc;
	slice = tess_vslice_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice) == -ENXIO ? 0 : PTR_ERR(slice);
	vs = &vgpu->vslices[vslice];
	an = who == TESS_ANALYZE_DECIDE ? &vs->analysis : &vs->observed;
	if (who == TESS_ANALYZE_DECIDE && tess_vslice_is_resident(vs))
		tess_sched_settle(slice);
	rc = analyze_now(slice, vs, an, &stats);
	tess_analysis_load(an, load);
	tess_vslice_end(slice, idx);
	return rc;
}
