// SPDX-License-Identifier: GPL-2.0-or-later
/* Square roots and sums that do not round to nearest. */
#include "kernel.h"

struct args {
	double *out;
	u64 rounds;
};

KERNEL void rounding(const struct args *args)
{
	u64 id = global_id_x();
	double v = (double)id + 2;

	for (u64 round = 0; round < args->rounds; round++)
		__asm__ volatile("fsqrt.d %0, %0, rtz\n\tfadd.d %0, %0, %1, rup"
				 : "+f"(v)
				 : "f"(1.0));
	args->out[id] = v;
}
