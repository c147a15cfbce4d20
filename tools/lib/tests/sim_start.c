// SPDX-License-Identifier: GPL-2.0-or-later
/* The simulated GPU is there when a program starts. TESSERA_SIM_VRAM: its memory in MiB. */
#include <stdlib.h>

#include "sim.h"

__attribute__((constructor)) static void start(void)
{
	const char *vram = getenv("TESSERA_SIM_VRAM");

	sim_reset();
	if (vram) {
		sim.vram_size = strtoull(vram, NULL, 10) << 20;
		sim.vram_free = sim.vram_size;
	}
	sim.patient = true;
}
