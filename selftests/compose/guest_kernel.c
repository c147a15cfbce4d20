// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel of guest_work.c: every dispatch leaves its mark in every cell. */
#include <tessera_device.h>

#include "guest_work.h"

TESS_KERNEL(mark)
void mark(const struct work_args *args)
{
	uint32_t i = tess_get_global_id(0);
	struct cell *cell = (struct cell *)args->cells + i;

	for (uint64_t n = 0; n < args->spin; n++)
		__asm__ volatile("");
	cell->count++;
	cell->chain = chain_step(cell->chain, args->number, i);
}
