// SPDX-License-Identifier: GPL-2.0-or-later
/* Integer work and table look-ups, for groups that do not fill their waves. */
#include "kernel.h"

#define TABLE 1024

struct args {
	const u32 *table;
	u64 *out;
	u64 rounds;
};

KERNEL void partial(const struct args *args)
{
	u64 id = global_id_x(), v = id * 0x9e3779b97f4a7c15 + 1;

	for (u64 round = 0; round < args->rounds; round++) {
		v ^= v << 13;
		v ^= v >> 7;
		v ^= v << 17;
		v += args->table[v % TABLE];
	}
	args->out[id] = v;
}
