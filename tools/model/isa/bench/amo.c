// SPDX-License-Identifier: GPL-2.0-or-later
/* All work-items draw tickets from one counter. */
#include "kernel.h"

struct args {
	u32 *counter;
	u64 *out;
	u64 rounds;
};

KERNEL void amo(const struct args *args)
{
	u64 sum = 0;

	for (u64 round = 0; round < args->rounds; round++)
		for (unsigned int k = 0; k < 4; k++)
			sum += __atomic_fetch_add(args->counter, 1, __ATOMIC_RELAXED);
	args->out[global_id_x()] = sum;
}
