// SPDX-License-Identifier: MIT
#include <errno.h>

#include "split.h"

/* Would one more unit load worker @a less, for its weight, than worker @b? Ties: lower index. */
static int less_loaded(uint64_t count_a, uint32_t weight_a, uint64_t count_b, uint32_t weight_b)
{
	return (unsigned __int128)(count_a + 1) * weight_b <
	       (unsigned __int128)(count_b + 1) * weight_a;
}

static unsigned int next_worker(const uint32_t *weight, unsigned int n, const uint64_t *count)
{
	unsigned int i, best = n;

	for (i = 0; i < n; i++) {
		if (!weight[i])
			continue;
		if (best == n || less_loaded(count[i], weight[i], count[best], weight[best]))
			best = i;
	}
	return best;
}

int tess_split(uint64_t total, const uint32_t *weight, unsigned int n, uint64_t *count)
{
	uint64_t sum = 0, given = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		sum += weight[i];
	if (total && !sum)
		return -EINVAL;
	for (i = 0; i < n; i++) {
		count[i] = sum ? (uint64_t)((unsigned __int128)total * weight[i] / sum) : 0;
		given += count[i];
	}
	/* Rounding down left fewer units than there are workers. */
	for (; given < total; given++)
		count[next_worker(weight, n, count)]++;
	return 0;
}
