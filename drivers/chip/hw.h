/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_HW_H_
#define _TESSERA_CHIP_HW_H_

struct tess_backend_ops;
struct tess_chip;

extern const struct tess_backend_ops tess_chip_gpu_ops;
extern const struct tess_backend_ops tess_chip_switch_ops;
extern const struct tess_backend_ops tess_chip_vgpu_ops;
extern const struct tess_backend_ops tess_chip_head_ops;

int tess_chip_identify(struct tess_chip *chip);

#endif
