// SPDX-License-Identifier: MIT
/*
 * C = A * B for n x n matrices of floats, row by row.
 *
 * Work-item (x, y) computes element (row y, column x) of C. All work-items of a group
 * need the same rows of A and columns of B: the group loads them together, one tile
 * after the other, into local memory, so that each element comes from global memory
 * once per group and not once per work-item.
 */
#include <tessera_device.h>

#include "sgemm.h"

struct tiles {
	float a[SGEMM_TILE][SGEMM_TILE];
	float b[SGEMM_TILE][SGEMM_TILE];
};

TESS_KERNEL(sgemm, sizeof(struct tiles))
void sgemm(const struct sgemm_args *args)
{
	struct tiles *t = tess_local_memory();
	const float *a = args->a, *b = args->b; /* a barrier would make us read them again */
	uint32_t n = args->n;
	uint32_t x = tess_get_local_id(0), y = tess_get_local_id(1);
	uint32_t column = tess_get_group_id(0) * SGEMM_TILE + x;
	uint32_t row = tess_get_group_id(1) * SGEMM_TILE + y;
	float sum = 0.0f;

	for (uint32_t k = 0; k < n; k += SGEMM_TILE) {
		/* Beyond the edges, zeroes do not change the sum. */
		t->a[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0.0f;
		t->b[y][x] = column < n && k + y < n ? b[(k + y) * n + column] : 0.0f;
		tess_barrier(); /* the tiles are complete */
		for (uint32_t i = 0; i < SGEMM_TILE; i++)
			sum = __builtin_fmaf(t->a[y][i], t->b[i][x], sum);
		tess_barrier(); /* nobody needs them any more */
	}
	if (row < n && column < n)
		args->c[row * n + column] = sum;
}
