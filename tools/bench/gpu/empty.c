// SPDX-License-Identifier: GPL-2.0-or-later
/* Nothing: what remains is the cost of submitting it. */
#include <tessera_device.h>

struct empty_args {
	uint32_t unused;
};

TESS_KERNEL(empty)
void empty(const struct empty_args *args)
{
	(void)args;
}
