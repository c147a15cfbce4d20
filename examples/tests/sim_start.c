// SPDX-License-Identifier: GPL-2.0-or-later
/* Puts a simulated GPU into a program that knows nothing of it. */
#include "sim.h"

__attribute__((constructor)) static void start(void)
{
	sim_reset();
}
