/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_ALIVE_H_
#define _TESSERA_CHIP_ALIVE_H_

#include <linux/types.h>

struct tess_chip;

/* tess_chip_is_alive() and tess_chip_bury() are in tessera/chip.h */
bool tess_chip_answers(struct tess_chip *chip);
bool tess_chip_is_absent(struct tess_chip *chip);
void tess_chip_invalidate(struct tess_chip *chip, u64 slices);

#endif
