/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_PLACE_H_
#define _TESSERA_CORE_PLACE_H_

#include <linux/types.h>

/**
 * struct tess_place - what placement has to choose from
 * @count: number of slices, at most TESS_MAX_SLICES
 * @free: slices that can be had
 * @kind: enum tess_slice_kind of each slice
 */
struct tess_place {
	unsigned int count;
	u64 free;
	const u32 *kind;
};

unsigned int tess_place_free(const struct tess_place *place, u32 kind);
int tess_place_choose(const struct tess_place *place, u32 kind, unsigned int n, u8 *chosen);

#endif
