/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_VRAM_H_
#define _TESSERA_CHIP_VRAM_H_

#include <linux/types.h>

struct tess_backend;
struct tess_hw_vram;
struct tess_chip;

int tess_chip_vram_init(struct tess_chip *chip);
void tess_chip_vram_fini(struct tess_chip *chip);
bool tess_chip_vram_is_used(struct tess_chip *chip, u64 off);

struct tess_hw_vram *tess_chip_vram_alloc(struct tess_backend *be, u64 size, int near_slice,
					  bool contiguous);
void tess_chip_vram_free(struct tess_backend *be, struct tess_hw_vram *hw);
int tess_chip_vram_clear(struct tess_backend *be, struct tess_hw_vram *hw);
int tess_chip_vram_zero(struct tess_backend *be, u64 offset, u64 size);
int tess_chip_vram_read(struct tess_backend *be, u64 offset, void *buf, size_t len);
int tess_chip_vram_write(struct tess_backend *be, u64 offset, const void *buf, size_t len);
u64 tess_chip_vram_free_bytes(struct tess_backend *be, u64 granule);

#endif
