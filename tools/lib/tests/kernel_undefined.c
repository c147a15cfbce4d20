// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls a function that no linker can find. */
#include <tessera_device.h>

extern double sin(double x);

double (*volatile function)(double) = sin;

TESS_KERNEL(wave)
void wave(double *out)
{
	*out = function(*out);
}
