/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_AS_H_
#define _TESSERA_CHIP_AS_H_

#include <linux/atomic.h>
#include <tessera/backend.h>

struct pt_table;
struct tess_chip;

/**
 * struct tess_chip_as - page tables of an address space
 * @hw: for the core
 * @root: level 2
 * @number: which one of all that there ever were
 * @asid: stage 1: its id, its own or one that it shares with others
 * @slices: slices that may hold translations of it
 * @stale: stage 1: slices that may hold translations of a former owner of @asid
 */
struct tess_chip_as {
	struct tess_hw_as hw;
	struct pt_table *root;
	u64 number;
	u16 asid;
	atomic64_t slices;
	atomic64_t stale;
};

static inline struct tess_chip_as *to_tess_chip_as(struct tess_hw_as *hw)
{
	return container_of(hw, struct tess_chip_as, hw);
}

struct tess_hw_as *tess_chip_as_create(struct tess_backend *be, enum tess_as_stage stage);
void tess_chip_as_destroy(struct tess_hw_as *hw);
bool tess_chip_as_use(struct tess_chip_as *as, unsigned int slice);

void tess_chip_stage2_begin(struct tess_chip *chip, unsigned int slice, struct tess_chip_as *as);
void tess_chip_stage2_end(struct tess_chip *chip, unsigned int slice, struct tess_chip_as *as);
void tess_chip_stage2_cancel(struct tess_chip *chip, unsigned int slice);

#endif
