// SPDX-License-Identifier: MIT
/*
 * The sum of an array. Each work-item adds up its share of the elements; then the
 * group adds its sums pairwise in local memory, with half as many work-items in each
 * step. The second kernel does the same with the groups' sums, in one group.
 */
#include <tessera_device.h>

#include "reduce.h"

struct partial {
	uint64_t sum[REDUCE_GROUP];
};

/* Returns the sum of all work-items' @value to all of them. */
static uint64_t group_sum(uint64_t value)
{
	struct partial *p = tess_local_memory();
	uint32_t i = tess_get_local_id(0);

	p->sum[i] = value;
	tess_barrier();
	for (uint32_t half = REDUCE_GROUP / 2; half; half /= 2) {
		if (i < half)
			p->sum[i] += p->sum[i + half];
		tess_barrier();
	}
	return p->sum[0];
}

TESS_KERNEL(reduce, sizeof(struct partial))
void reduce(const struct reduce_args *args)
{
	uint64_t sum = 0;

	/* Neighbouring work-items read neighbouring elements. */
	for (uint64_t i = tess_get_global_id(0); i < args->count; i += tess_get_global_size(0))
		sum += args->in[i];
	sum = group_sum(sum);
	if (tess_get_local_id(0) == 0)
		args->sums[tess_get_group_id(0)] = sum;
}

TESS_KERNEL(finish, sizeof(struct partial))
void finish(const struct finish_args *args)
{
	uint64_t sum = 0;

	for (uint64_t i = tess_get_local_id(0); i < args->count; i += REDUCE_GROUP)
		sum += args->in[i];
	sum = group_sum(sum);
	if (tess_get_local_id(0) == 0)
		*args->sum = sum;
}
