// SPDX-License-Identifier: GPL-2.0-or-later
/* What a hostile container runs: it ends when somebody stores to its word, which nobody does */
#include <tessera_device.h>

struct endless_args {
	const volatile uint32_t *word;
};

TESS_KERNEL(endless, 0)
void endless(const struct endless_args *args)
{
	while (!*args->word)
		;
}
