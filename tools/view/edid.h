/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a monitor says of itself. Pure. */
#ifndef VIEW_EDID_H
#define VIEW_EDID_H

#include <stdbool.h>
#include <stdint.h>

#define EDID_SIZE 128

/**
 * edid_make() - that of a monitor whose preferred mode has this size, at 60 Hz
 * @edid: filled
 * @width: pixels
 * @height: lines
 *
 * VESA E-EDID 1.4 with a detailed timing of CVT 1.2 with reduced blanking. Smaller modes are for
 * guests that cannot show this one, as the console of a kernel, whose picture does not grow.
 *
 * Return: false if an EDID cannot describe such a mode.
 */
bool edid_make(uint8_t edid[EDID_SIZE], unsigned int width, unsigned int height);

#endif
