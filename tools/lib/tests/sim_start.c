// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The simulated GPU is there when a program starts. TESSERA_SIM_VRAM: its memory in MiB;
 * TESSERA_SIM_SLICES: a mask of those of its slices that are available; TESSERA_SIM_HANG:
 * instructions after which a work-group is stopped; TESSERA_SIM_UNITS: a mask of slices with units.
 */
#include <stdlib.h>
#include <tessera.h>

#include "sim.h"

__attribute__((constructor)) static void start(void)
{
	const char *vram = getenv("TESSERA_SIM_VRAM"), *slices = getenv("TESSERA_SIM_SLICES");
	const char *hang = getenv("TESSERA_SIM_HANG"), *units = getenv("TESSERA_SIM_UNITS");

	sim_reset();
	if (vram) {
		sim.vram_size = strtoull(vram, NULL, 10) << 20;
		sim.vram_free = sim.vram_size;
	}
	if (slices)
		sim_compose(strtoull(slices, NULL, 0));
	for (unsigned int i = 0; units && i < SIM_SLICES; i++)
		if (strtoull(units, NULL, 0) >> i & 1)
			sim.engines[i] |= TESS_HAS_RASTER;
	if (hang)
		sim.hang_after = strtoull(hang, NULL, 10);
	sim.patient = true;
}
