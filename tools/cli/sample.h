/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rates, from the pool read twice. */
#ifndef CLI_SAMPLE_H
#define CLI_SAMPLE_H

#include "pool.h"

/**
 * struct sample - the pool at a time
 * @pool: as read
 * @us: microseconds of a clock that only goes forward
 */
struct sample {
	struct pool pool;
	int64_t us;
};

/**
 * struct slice_rates - what a slice did between two samples
 * @gpu: of the later one
 * @slice: of the later one
 * @utilization: permille of GPU time that it was busy
 * @switches: per 1000 seconds
 */
struct slice_rates {
	const struct pool_gpu *gpu;
	const struct pool_slice *slice;
	struct num utilization;
	struct num switches;
};

/**
 * struct vgpu_rates - what a vGPU did between two samples
 * @gpu: of the later one
 * @vgpu: of the later one
 * @utilization: permille, as the kernel averages it; without that, of its slices
 * @run: permille of its slices' time that it had
 * @wait: permille of their time that it waited for them
 * @shader: permille, mean of its vslices
 * @memory: likewise
 * @queue: thousandths of a packet, mean of its vslices
 * @switches: per 1000 seconds
 * @moves: since it was created
 */
struct vgpu_rates {
	const struct pool_gpu *gpu;
	const struct pool_vgpu *vgpu;
	struct num utilization, run, wait;
	struct num shader, memory, queue;
	struct num switches, moves;
};

/* Read the pool of @sysfs. Returns 0 or what pool_read() does, and nothing to free then. */
int sample_read(const char *sysfs, struct sample *sample);

enum sample_sort {
	SORT_NAME,
	SORT_UTILIZATION,
	SORT_WEIGHT,
	SORT_QUEUE,
	SORT_SWITCHES,
	SORT_MOVES,
	SORT_COUNT,
};

/**
 * struct rates - all of them
 * @slices: in the order of the pool
 * @slice_count: of them
 * @vgpus: sorted
 * @vgpu_count: of them
 */
struct rates {
	struct slice_rates *slices;
	unsigned int slice_count;
	struct vgpu_rates *vgpus;
	unsigned int vgpu_count;
};

/**
 * sample_rates() - rates between two samples
 * @now: the later one; must outlive @rates
 * @before: the earlier one
 * @sort: order of the vGPUs: by name, or the largest first
 * @rates: set; rates_free() it
 *
 * What came or was counted from 0 again between the samples has no rates.
 *
 * Return: 0 or -ENOMEM.
 */
int sample_rates(const struct sample *now, const struct sample *before, enum sample_sort sort,
		 struct rates *rates);

void rates_free(struct rates *rates);

/* Names of the orders; NULL behind the last. */
const char *sample_sort_name(enum sample_sort sort);

#endif
