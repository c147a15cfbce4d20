/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_COMPOSITION_H_
#define _TESSERA_CHIP_COMPOSITION_H_

struct tess_chip;

int tess_chip_composition_read(struct tess_chip *chip);
void tess_chip_composition_changed(struct tess_chip *chip);

#endif
