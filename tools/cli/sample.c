// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: rates
 *
 * Times are GPU time: utilization is right whatever the machine was doing meanwhile. While all is
 * idle that may stand still; what was not busy has a utilization of 0 then. Only switches per second
 * are of the clock on the wall.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sample.h"

#define PERMILLE 1000
#define MILLIS_PER_US 1000000000

int sample_read(const char *sysfs, struct sample *sample)
{
	struct timespec ts;
	int rc = pool_read(sysfs, POOL_BUSY, &sample->pool);

	if (rc)
		pool_free(&sample->pool);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	sample->us = ts.tv_sec * 1000000LL + ts.tv_nsec / 1000;
	return rc;
}

static const char *const sort_names[] = {
	[SORT_NAME] = "name",	[SORT_UTILIZATION] = "utilization", [SORT_WEIGHT] = "weight",
	[SORT_QUEUE] = "queue", [SORT_SWITCHES] = "switches",	    [SORT_MOVES] = "moves",
};

const char *sample_sort_name(enum sample_sort sort)
{
	return sort < SORT_COUNT ? sort_names[sort] : NULL;
}

/* Two samples and the GPU in both of them */
struct span {
	const struct sample *now, *before;
	const struct pool_gpu *gpu, *old;
};

/* By its place on the bus too: another GPU may have got the number */
static const struct pool_gpu *same_gpu(const struct pool *pool, const struct pool_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < pool->gpu_count; i++)
		if (pool->gpus[i].index == gpu->index && !strcmp(pool->gpus[i].name, gpu->name))
			return &pool->gpus[i];
	return NULL;
}

static struct num gpu_time(const struct span *span)
{
	return span->old ? num_since(span->gpu->time_cycles, span->old->time_cycles) : NUM_UNKNOWN;
}

static struct num per_second(const struct span *span, struct num count)
{
	return num_ratio(count, MILLIS_PER_US, num(span->now->us - span->before->us), INT64_MAX);
}

static struct num permille(struct num cycles, struct num time)
{
	if (num_is(cycles, 0) && num_is(time, 0))
		return num(0);
	return num_ratio(cycles, PERMILLE, time, PERMILLE);
}

static struct num busy_permille(const struct span *span, const struct pool_slice *slice)
{
	const struct pool_slice *old = span->old ? pool_slice(span->old, num(slice->index)) : NULL;

	if (!old)
		return NUM_UNKNOWN;
	return permille(num_since(slice->busy_cycles, old->busy_cycles), gpu_time(span));
}

static void rate_slice(const struct span *span, const struct pool_slice *slice,
		       struct slice_rates *rates)
{
	const struct pool_slice *old = span->old ? pool_slice(span->old, num(slice->index)) : NULL;

	*rates = (struct slice_rates){
		.gpu = span->gpu,
		.slice = slice,
		.utilization = busy_permille(span, slice),
	};
	if (old)
		rates->switches = per_second(span, num_since(slice->switches, old->switches));
}

/* How much a counter of all vslices grew */
static struct num grown(const struct pool_vgpu *vgpu, const struct pool_vgpu *old, size_t member)
{
	return num_since(pool_vgpu_sum(vgpu, member), pool_vgpu_sum(old, member));
}

/* Of the time that all its slices had */
static struct num time_permille(const struct span *span, const struct pool_vgpu *vgpu,
				struct num cycles)
{
	struct num time = gpu_time(span);

	if (__builtin_mul_overflow(time.v, (int64_t)vgpu->vslice_count, &time.v))
		return NUM_UNKNOWN;
	return permille(cycles, time);
}

/* An older kernel: what is busy on an exclusive slice is its owner */
static struct num owned_permille(const struct span *span, const struct pool_vgpu *vgpu)
{
	struct num sum = NUM_UNKNOWN;
	unsigned int i, n = 0;

	for (i = 0; i < vgpu->vslice_count; i++) {
		const struct pool_slice *slice = pool_slice(span->gpu, vgpu->vslices[i].slice);
		struct num busy = slice ? busy_permille(span, slice) : NUM_UNKNOWN;

		sum = num_add(sum, busy);
		n += busy.known;
	}
	return n ? num(sum.v / n) : NUM_UNKNOWN;
}

#define MEMBER(name) offsetof(struct pool_vslice, name)

static void rate_vgpu(const struct span *span, const struct pool_vgpu *vgpu,
		      struct vgpu_rates *rates)
{
	const struct pool_vgpu *old = span->old ? pool_vgpu(span->old, vgpu->dir) : NULL;

	*rates = (struct vgpu_rates){
		.gpu = span->gpu,
		.vgpu = vgpu,
		.utilization = pool_vgpu_mean(vgpu, MEMBER(utilization)),
		.shader = pool_vgpu_mean(vgpu, MEMBER(shader_intensity)),
		.memory = pool_vgpu_mean(vgpu, MEMBER(memory_intensity)),
		.queue = pool_vgpu_mean(vgpu, MEMBER(queue_depth)),
		.moves = pool_vgpu_sum(vgpu, MEMBER(moves)),
	};
	if (!rates->utilization.known && strcmp(vgpu->share, "shared"))
		rates->utilization = owned_permille(span, vgpu);
	if (!old)
		return;
	rates->run = time_permille(span, vgpu, grown(vgpu, old, MEMBER(run_cycles)));
	rates->wait = time_permille(span, vgpu, grown(vgpu, old, MEMBER(wait_cycles)));
	rates->switches = per_second(span, grown(vgpu, old, MEMBER(switches)));
}

static int by_name(const struct vgpu_rates *a, const struct vgpu_rates *b)
{
	int diff = strcmp(a->vgpu->dir, b->vgpu->dir);

	return diff ? diff : (a->gpu->index > b->gpu->index) - (a->gpu->index < b->gpu->index);
}

static struct num sort_key(const struct vgpu_rates *rates, enum sample_sort sort)
{
	switch (sort) {
	case SORT_UTILIZATION:
		return rates->utilization;
	case SORT_WEIGHT:
		return rates->vgpu->weight;
	case SORT_QUEUE:
		return rates->queue;
	case SORT_SWITCHES:
		return rates->switches;
	case SORT_MOVES:
		return rates->moves;
	case SORT_NAME:
	case SORT_COUNT:
		break;
	}
	return NUM_UNKNOWN;
}

static int compare(const void *first, const void *second, void *ctx)
{
	const struct vgpu_rates *a = first, *b = second;
	struct num key_a = sort_key(a, *(enum sample_sort *)ctx);
	struct num key_b = sort_key(b, *(enum sample_sort *)ctx);

	if (key_a.known != key_b.known)
		return key_a.known ? -1 : 1;
	if (key_a.v != key_b.v)
		return key_a.v > key_b.v ? -1 : 1;
	return by_name(a, b);
}

static int allocate(const struct pool *pool, struct rates *rates)
{
	size_t slices = 0, vgpus = 0;
	unsigned int i;

	for (i = 0; i < pool->gpu_count; i++) {
		slices += pool->gpus[i].slice_count;
		vgpus += pool->gpus[i].vgpu_count;
	}
	*rates = (struct rates){
		.slices = calloc(slices + 1, sizeof(*rates->slices)),
		.vgpus = calloc(vgpus + 1, sizeof(*rates->vgpus)),
	};
	return rates->slices && rates->vgpus ? 0 : -ENOMEM;
}

static void rate_gpu(const struct span *span, struct rates *rates)
{
	unsigned int i;

	for (i = 0; i < span->gpu->slice_count; i++)
		rate_slice(span, &span->gpu->slices[i], &rates->slices[rates->slice_count++]);
	for (i = 0; i < span->gpu->vgpu_count; i++)
		rate_vgpu(span, &span->gpu->vgpus[i], &rates->vgpus[rates->vgpu_count++]);
}

int sample_rates(const struct sample *now, const struct sample *before, enum sample_sort sort,
		 struct rates *rates)
{
	unsigned int i;
	int rc = allocate(&now->pool, rates);

	for (i = 0; !rc && i < now->pool.gpu_count; i++) {
		struct span span = { .now = now, .before = before, .gpu = &now->pool.gpus[i] };

		span.old = same_gpu(&before->pool, span.gpu);
		rate_gpu(&span, rates);
	}
	if (rc)
		rates_free(rates);
	else
		qsort_r(rates->vgpus, rates->vgpu_count, sizeof(*rates->vgpus), compare, &sort);
	return rc;
}

void rates_free(struct rates *rates)
{
	free(rates->slices);
	free(rates->vgpus);
	*rates = (struct rates){ 0 };
}
