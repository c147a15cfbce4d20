/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_PLACE_H_
#define _TESSERA_CORE_PLACE_H_

#include <linux/types.h>
#include <tessera/hw/tess_regs.h>

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

/**
 * struct tess_place_shared - what placement of those that share slices has to choose from
 * @count: number of slices, at most TESS_MAX_SLICES
 * @open: slices that are shared or can be had
 * @kind: enum tess_slice_kind of each slice
 * @members: how many share each slice
 * @load: sum of their weights
 */
struct tess_place_shared {
	unsigned int count;
	u64 open;
	const u32 *kind;
	u8 members[TESS_MAX_SLICES];
	u32 load[TESS_MAX_SLICES];
};

int tess_place_share(struct tess_place_shared *place, u32 kind, unsigned int n, u32 weight,
		     u8 *chosen);
unsigned int tess_place_share_count(struct tess_place_shared *place, u32 kind, unsigned int n,
				    u32 weight);
unsigned int tess_place_free(const struct tess_place *place, u32 kind);
int tess_place_choose(const struct tess_place *place, u32 kind, unsigned int n, u8 *chosen);

#endif
