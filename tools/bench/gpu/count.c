// SPDX-License-Identifier: GPL-2.0-or-later
/* Adds one to a word: what ran once, what was lost and what ran twice can be told apart. */
#include <tessera_device.h>

#include "work.h"

TESS_KERNEL(count)
void count(const struct count_args *args)
{
	__atomic_fetch_add((uint32_t *)args->word, 1, __ATOMIC_RELAXED);
}
