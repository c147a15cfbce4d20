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
 * struct tess_place_request - what is to be placed
 * @n: number of slices, at least 1
 * @kind: enum tess_slice_kind of all of them; TESS_KIND_NONE: any
 * @topology: enum tess_topology of the vslices: vslice i gets the i-th chosen slice
 * @keep: slices that the vGPU has now, they count as free
 * @now: slices of its vslices now, all in @keep, each once; NULL: not known, which of
 *	@keep is whose does not matter
 * @nr_now: entries of @now
 */
struct tess_place_request {
	unsigned int n;
	u32 kind;
	u32 topology;
	u64 keep;
	const u8 *now;
	unsigned int nr_now;
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
int tess_place_choose(const struct tess_place *place, const struct tess_place_request *req,
		      u8 *chosen);

#endif
