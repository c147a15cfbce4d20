/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_HW_H_
#define _TESSERA_CHIP_HW_H_

#include <linux/types.h>

struct tess_backend_ops;
struct tess_chip;

extern const struct tess_backend_ops tess_chip_gpu_ops;
extern const struct tess_backend_ops tess_chip_switch_ops;
extern const struct tess_backend_ops tess_chip_vgpu_ops;
extern const struct tess_backend_ops tess_chip_head_ops;

bool tess_chip_answers(struct tess_chip *chip);
int tess_chip_identify(struct tess_chip *chip);
void tess_chip_invalidate(struct tess_chip *chip, u64 slices);

#endif
