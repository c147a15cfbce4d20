// SPDX-License-Identifier: GPL-2.0-or-later
/* c = a * b, n by n singles; one element of c per work-item. */
#include "kernel.h"

struct args {
	const float *a;
	const float *b;
	float *c;
	u64 n;
};

KERNEL void sgemm(const struct args *args)
{
	u64 n = args->n, x = global_id_x(), y = global_id_y();
	const float *a = args->a + y * n;
	const float *b = args->b + x;
	float sum = 0;

	for (u64 k = 0; k < n; k++, b += n)
		sum += a[k] * *b;
	args->c[y * n + x] = sum;
}
