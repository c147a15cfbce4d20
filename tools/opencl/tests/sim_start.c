// SPDX-License-Identifier: GPL-2.0-or-later
/* The simulated GPU is there when a program starts. */
#include "sim.h"

__attribute__((constructor)) static void start(void)
{
	sim_reset();
	sim.patient = true;
}
