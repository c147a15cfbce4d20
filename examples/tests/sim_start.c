// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Puts a simulated GPU into a program that knows nothing of it. SIM_UNITS: which of its slices
 * have units, a mask; none otherwise.
 */
#include <stdlib.h>
#include <tessera.h>

#include "sim.h"

__attribute__((constructor)) static void start(void)
{
	const char *units = getenv("SIM_UNITS");
	unsigned long mask = units ? strtoul(units, NULL, 0) : 0;

	sim_reset();
	for (unsigned int i = 0; i < SIM_SLICES; i++)
		sim.engines[i] |= mask >> i & 1 ? TESS_HAS_RASTER : 0;
}
