/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_DISPLAY_H_
#define _TESSERA_CHIP_DISPLAY_H_

#include <tessera/display.h>

struct tess_chip;

extern const struct tess_display_ops tess_chip_display_ops;

void tess_chip_display_stop(struct tess_chip *chip);

#endif
