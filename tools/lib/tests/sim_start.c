// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The simulated GPU is there when a program starts. TESSERA_SIM_VRAM: its memory in MiB;
 * TESSERA_SIM_SLICES: a mask of those of its slices that are available; TESSERA_SIM_HANG:
 * instructions after which a work-group is stopped.
 */
#include <stdlib.h>

#include "sim.h"

__attribute__((constructor)) static void start(void)
{
	const char *vram = getenv("TESSERA_SIM_VRAM"), *slices = getenv("TESSERA_SIM_SLICES");
	const char *hang = getenv("TESSERA_SIM_HANG");

	sim_reset();
	if (vram) {
		sim.vram_size = strtoull(vram, NULL, 10) << 20;
		sim.vram_free = sim.vram_size;
	}
	if (slices)
		sim_compose(strtoull(slices, NULL, 0));
	if (hang)
		sim.hang_after = strtoull(hang, NULL, 10);
	sim.patient = true;
}
