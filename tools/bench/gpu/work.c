// SPDX-License-Identifier: GPL-2.0-or-later
/* A given number of instructions and no memory: two for each round. */
#include <tessera_device.h>

#include "work.h"

TESS_KERNEL(work)
void work(const struct work_args *args)
{
	uint64_t n = args->rounds;

	__asm__ volatile("1: addi %0, %0, -1\n"
			 "bnez %0, 1b\n"
			 : "+r"(n));
}
