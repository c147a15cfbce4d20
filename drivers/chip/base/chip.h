/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_CHIP_H_
#define _TESSERA_CHIP_CHIP_H_

#include <linux/idr.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <tessera/backend.h>
#include <tessera/chip.h>

#include "client/state.h"
#include "mem/state.h"

/**
 * struct tess_chip - a GPU with the registers of Documentation/hw
 * @be: for the core
 * @params: how it is reached
 * @info: of the GPU
 * @slices: of the slices, as last read
 * @generation: vGPU: of the composition that @slices are from
 * @composition_lock: the core is told of compositions in the order of their reading.
 *	Outside of all others
 * @dead: it answered all ones; no access is made any more, and it makes none: it was silenced
 *	before. Written once
 * @slept_at: GPU time when the system went to sleep. Written by one at a time
 * @saved: copies of the pages of VRAM that are not zero, by number, while it is asleep
 * @mm: allocator of VRAM
 * @asids: address space ids in use, from 1
 * @stage2_lock: protects @stage2. Innermost
 * @stage2: by slice
 * @switcher: exchanges clients of slices
 */
struct tess_chip {
	struct tess_backend be;
	struct tess_chip_params params;
	struct tess_gpu_info info;
	struct tess_slice_info slices[TESS_MAX_SLICES];
	u64 generation;
	struct mutex composition_lock;
	bool dead;
	u64 slept_at;
	struct xarray saved;
	struct tess_chip_vram mm;
	struct ida asids;
	spinlock_t stage2_lock;
	struct tess_chip_stage2 stage2[TESS_MAX_SLICES];
	struct tess_chip_switcher switcher;
};

static inline struct tess_chip *to_tess_chip(struct tess_backend *be)
{
	return container_of(be, struct tess_chip, be);
}

static inline u32 tess_chip_read32(struct tess_chip *chip, u32 page, u32 reg)
{
	if (chip->params.regs)
		return readl(chip->params.regs + page + reg);
	return chip->params.io->read(chip, page + reg, 4);
}

static inline u64 tess_chip_read64(struct tess_chip *chip, u32 page, u32 reg)
{
	if (chip->params.regs)
		return readq(chip->params.regs + page + reg);
	return chip->params.io->read(chip, page + reg, 8);
}

static inline void tess_chip_write32(struct tess_chip *chip, u32 page, u32 reg, u32 val)
{
	if (chip->params.regs)
		writel(val, chip->params.regs + page + reg);
	else
		chip->params.io->write(chip, page + reg, val, 4);
}

static inline void tess_chip_write64(struct tess_chip *chip, u32 page, u32 reg, u64 val)
{
	if (chip->params.regs)
		writeq(val, chip->params.regs + page + reg);
	else
		chip->params.io->write(chip, page + reg, val, 8);
}

#endif
