/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_SWITCH_H_
#define _TESSERA_CHIP_SWITCH_H_

#include <tessera/backend.h>

struct tess_chip;

int tess_chip_switcher_init(struct tess_chip *chip);
void tess_chip_switcher_fini(struct tess_chip *chip);
void tess_chip_switch_irq(struct tess_chip *chip);
void tess_chip_switch_reset(struct tess_chip *chip, unsigned int slice);
bool tess_chip_switch_came_late(struct tess_chip *chip, unsigned int slice);

int tess_chip_context_switch(struct tess_backend *be, unsigned int slice,
			     struct tess_hw_switch *sw);
void tess_chip_slice_notify(struct tess_backend *be, unsigned int slice, u64 timer, bool idle);

#endif
