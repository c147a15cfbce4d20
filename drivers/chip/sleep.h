/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_SLEEP_H_
#define _TESSERA_CHIP_SLEEP_H_

struct tess_chip;

void tess_chip_sleep_forget(struct tess_chip *chip);

#endif
