// SPDX-License-Identifier: GPL-2.0-or-later
/* Each work-item goes its own way through 16 pieces of code, as interpreters do. */
#include "kernel.h"

struct args {
	u64 *out;
	u64 rounds;
};

#define WAY(n)                                             \
	way_##n : v = v * 6364136223846793005 + 2 * n + 1; \
	if (!--rounds)                                     \
		goto end;                                  \
	goto *ways[v >> 60];

KERNEL void divergent(const struct args *args)
{
	static const void *const ways[] = {
		&&way_0, &&way_1, &&way_2,  &&way_3,  &&way_4,	&&way_5,  &&way_6,  &&way_7,
		&&way_8, &&way_9, &&way_10, &&way_11, &&way_12, &&way_13, &&way_14, &&way_15,
	};
	u64 id = global_id_x(), v = id, rounds = args->rounds;

	goto *ways[id % 16];
	WAY(0)
	WAY(1)
	WAY(2)
	WAY(3)
	WAY(4)
	WAY(5)
	WAY(6)
	WAY(7)
	WAY(8)
	WAY(9)
	WAY(10)
	WAY(11)
	WAY(12)
	WAY(13)
	WAY(14)
	WAY(15)
end:
	args->out[id] = v;
}
