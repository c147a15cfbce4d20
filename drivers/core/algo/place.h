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
 * @avoid: slices that others would rather have: their memory is there
 * @unfit: slices that are too slow for what is asked, whoever has them
 * @heads: slices that have what the path of heads needs: the engine display, or one that copies
 */
struct tess_place {
	unsigned int count;
	u64 free;
	const u32 *kind;
	u64 avoid;
	u64 unfit;
	u64 heads;
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
 * @bank: for each vslice the slice in whose bank its memory is; NULL: nowhere yet
 * @heads: display heads
 * @frame: vslice in whose memory their frames are, one of @bank if that is known
 */
struct tess_place_request {
	unsigned int n;
	u32 kind;
	u32 topology;
	u64 keep;
	const u8 *now;
	unsigned int nr_now;
	const u8 *bank;
	unsigned int heads;
	unsigned int frame;
};

/**
 * struct tess_place_spot - a slice of the pool
 * @gpu: number of the GPU
 * @slice: number of the slice there
 */
struct tess_place_spot {
	u8 gpu;
	u8 slice;
};

/**
 * struct tess_place_span - what is to be placed on one or several GPUs
 * @n: number of slices, at least 1
 * @kind: enum tess_slice_kind of all of them; TESS_KIND_NONE: any
 * @topology: enum tess_topology of the vslices
 * @gpus: number of GPUs that the slices are to come from; 0: one
 * @may_span: if no GPU alone has so many, take them from as few as have; only with one
 * @keep: for each GPU the slices that the vGPU has now, they count as free; NULL: none
 * @limit: most slices that each GPU may give, if all of them are to give some; NULL: what it has
 */
struct tess_place_span {
	unsigned int n;
	u32 kind;
	u32 topology;
	unsigned int gpus;
	bool may_span;
	const u64 *keep;
	const u8 *limit;
};

/**
 * struct tess_place_shared - what placement of those that share slices has to choose from
 * @count: number of slices, at most TESS_MAX_SLICES
 * @open: slices that are shared or can be had
 * @kind: enum tess_slice_kind of each slice
 * @members: how many share each slice
 * @load: sum of their weights
 * @unfit: slices that are too slow for what is asked, not in @open
 */
struct tess_place_shared {
	unsigned int count;
	u64 open;
	const u32 *kind;
	u8 members[TESS_MAX_SLICES];
	u32 load[TESS_MAX_SLICES];
	u64 unfit;
};

int tess_place_share(struct tess_place_shared *place, u32 kind, unsigned int n, u32 weight,
		     u8 *chosen);
unsigned int tess_place_share_count(struct tess_place_shared *place, u32 kind, unsigned int n,
				    u32 weight);
unsigned int tess_place_free(const struct tess_place *place, u32 kind);
unsigned int tess_place_distance(unsigned int count, unsigned int a, unsigned int b);
u64 tess_place_mask(const u8 *chosen, unsigned int n);
unsigned int tess_place_lost(const struct tess_place *place, u64 free, u64 taken);
u64 tess_place_cost(const struct tess_place *place, const struct tess_place_request *req,
		    const u8 *chosen);
void tess_place_search(const struct tess_place *place, const struct tess_place_request *req,
		       u64 mask, u64 stay, u8 *chosen);
int tess_place_choose(const struct tess_place *place, const struct tess_place_request *req,
		      u8 *chosen);
void tess_place_likely(const struct tess_place *place, const struct tess_place_request *req,
		       unsigned int max, u8 *chosen);

u64 tess_place_pool_cost(const struct tess_place *gpus, unsigned int count,
			 const struct tess_place_span *req, const struct tess_place_spot *chosen);
bool tess_place_pool_can(const struct tess_place *gpus, unsigned int count,
			 const struct tess_place_span *req);
int tess_place_pool(const struct tess_place *gpus, unsigned int count,
		    const struct tess_place_span *req, struct tess_place_spot *chosen);

#endif
