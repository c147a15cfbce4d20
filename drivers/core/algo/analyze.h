/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_ANALYZE_H_
#define _TESSERA_CORE_ANALYZE_H_

#include <linux/types.h>
#include <tessera/counters.h>

/**
 * struct tess_load - what a vslice does, exponentially weighted averages
 * @utilization: share of the GPU time in which it ran packets, permille
 * @demand: as @utilization, but with the time for which it was runnable and not resident:
 *	what it would use of a slice of its own at most, permille
 * @queue_depth: packets in its ring, thousandths
 * @shader: instructions but those of units, per busy cycle and core, permille
 * @flop: floating-point operations, permille of two per busy cycle and core
 * @stall: cycles that cores lost to translation and to links, per busy cycle and core, permille
 * @texture: texels per busy cycle, permille of the nominal rate
 * @pixel: pixels, as @texture
 * @ray: rays, as @texture
 * @units: busy cycles of dispatches that asked for units, permille
 * @memory: bytes of copies and of global memory, or of links if the GPU does not count those,
 *	per busy cycle, permille of the nominal bandwidth
 * @frames: pictures that the client says it completed, in 10^12 cycles of GPU time
 * @operations: operations that it says it asked for, in 1000 cycles of GPU time
 */
struct tess_load {
	u32 utilization;
	u32 demand;
	u32 queue_depth;
	u32 shader;
	u32 flop;
	u32 stall;
	u32 texture;
	u32 pixel;
	u32 ray;
	u32 units;
	u32 memory;
	u64 frames;
	u64 operations;
};

/**
 * struct tess_hints - what a client says of its work, counted from some time on
 * @frames: pictures that are complete
 * @operations: operations that it asked for
 */
struct tess_hints {
	u64 frames;
	u64 operations;
};

/**
 * struct tess_analysis - the analyzer's memory of a vslice; all zeroes: a new one
 * @seen: counters at the last sample
 * @hints: the last ones
 * @told: there were some
 * @before: weight of the time before the first one, in averages of hints
 * @waited: &tess_sample.waited at the last sample
 * @time: GPU time of the last sample
 * @started: there was a sample
 * @worked: averages from @shader on have a value
 * @utilization: averages as in &struct tess_load, in fixed point
 * @demand: as above
 * @queue_depth: as above
 * @shader: as above
 * @flop: as above
 * @stall: as above
 * @texture: as above
 * @pixel: as above
 * @ray: as above
 * @units: as above
 * @memory: as above
 * @frames: as above, but not in fixed point
 * @operations: as @frames
 */
struct tess_analysis {
	u64 seen[TESS_COUNTS];
	struct tess_hints hints;
	bool told;
	u32 before;
	u64 waited;
	u64 time;
	bool started;
	bool worked;
	u64 utilization;
	u64 demand;
	u64 queue_depth;
	u64 shader;
	u64 flop;
	u64 stall;
	u64 texture;
	u64 pixel;
	u64 ray;
	u64 units;
	u64 memory;
	u64 frames;
	u64 operations;
};

/**
 * struct tess_sample - what the analyzer is told of a vslice
 * @time: GPU time
 * @counters: TESS_COUNT_* in order, since the client's reset; NULL: as in the last sample
 * @waited: GPU time for which it was runnable and not resident, since it was made
 * @queue: packets in its ring
 * @hints: what its client says. Numbers that are smaller than those of the last sample have started
 *	again. NULL: as in the last sample
 * @cores: shader cores of the slice that it was on
 * @bytes_per_cycle: nominal bandwidth of that slice
 * @texels_per_cycle: its nominal rate of textures; 0: it has no unit for them
 * @pixels_per_cycle: the same of pixels
 * @rays_per_cycle: the same of rays
 * @traffic: the GPU counts global memory
 * @half_life: GPU time after which a sample counts half, 1 to 2^40
 */
struct tess_sample {
	u64 time;
	const u64 *counters;
	u64 waited;
	u64 queue;
	const struct tess_hints *hints;
	u32 cores;
	u32 bytes_per_cycle;
	u32 texels_per_cycle;
	u32 pixels_per_cycle;
	u32 rays_per_cycle;
	bool traffic;
	u64 half_life;
};

bool tess_analysis_update(struct tess_analysis *an, const struct tess_sample *sample);
void tess_analysis_load(const struct tess_analysis *an, struct tess_load *load);
u32 tess_analysis_fps(u64 frames, u32 clock_khz);
u32 tess_analysis_frame_ops(u64 operations, u64 frames);

#endif
