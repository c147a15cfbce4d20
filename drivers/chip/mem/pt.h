/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_PT_H_
#define _TESSERA_CHIP_PT_H_

#include <tessera/backend.h>

struct pt_table;
struct tess_chip;
struct tess_chip_as;

struct pt_table *tess_chip_pt_alloc(struct tess_chip *chip, enum tess_as_stage stage);
void tess_chip_pt_free(struct tess_chip_as *as);

int tess_chip_as_map(struct tess_hw_as *hw, u64 va, u64 pa, u64 size, u32 prot);
int tess_chip_as_unmap(struct tess_hw_as *hw, u64 va, u64 size, unsigned long *dirty);
void tess_chip_as_dirty(struct tess_hw_as *hw, u64 va, u64 size, unsigned long *pages);
void tess_chip_as_dirty_end(struct tess_hw_as *hw);
void tess_chip_as_written(struct tess_hw_as *hw, u64 va, u64 size, unsigned long *blocks);
dma_addr_t tess_chip_as_root(const struct tess_chip_as *as);

#endif
