// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement: which slices a new vGPU gets.
 *
 * DOC: Placement
 *
 * A pure function of what is free: no locks, no devices, nothing remembered. What counts,
 * in this order:
 *
 * 1. Kind. "Any" takes one kind for all if one suffices: with heads one that has what their path
 *    needs, then the one that the vGPU has most slices of, then the one with the fewest free
 *    slices; else all kinds mixed.
 * 2. Room for others. Slices in whose banks other vGPUs have memory to grow into are only
 *    taken if there are not enough without them.
 * 3. Way. The slices of a GPU form a ring; each link of the topology costs the distance of
 *    its ends in it, and each vslice whose memory lies somewhere that to its bank, so that
 *    a vGPU grows towards its memory. Each head costs the distance from the bank of its frame to
 *    the nearest slice of the vGPU that shows it, or copies it for a viewer elsewhere. To take a
 *    vslice away from the slice that it has costs as much as PLACE_MOVE links, so that small
 *    gains move nobody.
 * 4. Fragmentation. What counts is how many pairs of free slices of one kind lie in one run
 *    without a gap; the fewer are lost, the more useful is the rest. So the shortest run
 *    that suffices is taken, and from its end.
 *
 * place_search.c looks for the choice that costs least.
 *
 * A vGPU may have fewer slices than vslices, and more later. Where its memory lies does not
 * change any more then, so that of each vslice is put where its slice is likely to be: what
 * would be chosen now if there were to be a slice for each.
 *
 * Whether a request can be met never depends on where things lie, so that
 * tess_gpu_available() can be exact by counting.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <tessera/hw/tess_mem.h>

#include "place.h"

static u64 place_candidates(const struct tess_place *place, u64 free, u32 kind)
{
	u64 mask = 0;
	unsigned int i;

	free &= ~place->unfit;
	for (i = 0; i < place->count; i++)
		if ((free & BIT_ULL(i)) && (kind == TESS_KIND_NONE || place->kind[i] == kind))
			mask |= BIT_ULL(i);
	return mask;
}

/**
 * tess_place_free() - slices that can be had
 * @place: what there is
 * @kind: enum tess_slice_kind; TESS_KIND_NONE: any
 *
 * Return: their number.
 */
unsigned int tess_place_free(const struct tess_place *place, u32 kind)
{
	return hweight64(place_candidates(place, place->free, kind));
}

/* ---- cost ---- */

/* A vslice that moves counts as so many links */
#define PLACE_MOVE	4
/* Way before fragmentation: of n slices there are n * n pairs at most */
#define PLACE_WAY_SHIFT	16

/**
 * tess_place_distance() - links between two slices of a GPU
 * @count: slices of the GPU
 * @a: a slice
 * @b: a slice
 *
 * Return: their number on the shorter way.
 */
unsigned int tess_place_distance(unsigned int count, unsigned int a, unsigned int b)
{
	unsigned int d = a > b ? a - b : b - a;

	return min(d, count - d);
}

static unsigned int place_way(const struct tess_place *place, u32 topology, const u8 *chosen,
			      unsigned int n)
{
	unsigned int i, k, sum = 0;

	if (topology == TESS_TOPOLOGY_NONE)
		return 0;
	if (topology == TESS_TOPOLOGY_MESH) {
		for (i = 0; i < n; i++)
			for (k = 0; k < i; k++)
				sum += tess_place_distance(place->count, chosen[i], chosen[k]);
		return sum;
	}
	for (i = 1; i < n; i++)
		sum += tess_place_distance(place->count, chosen[i - 1], chosen[i]);
	if (topology == TESS_TOPOLOGY_RING && n > 2)
		sum += tess_place_distance(place->count, chosen[n - 1], chosen[0]);
	return sum;
}

/* Pairs of slices of a mask that lie in one run of a kind, counted twice, and each with itself */
static unsigned int place_pairs(const struct tess_place *place, u64 mask)
{
	unsigned int i, run = 0, first = 0, sum = 0, last = place->count - 1;

	for (i = 0; i < place->count; i++) {
		if (run && (!(mask & BIT_ULL(i)) || place->kind[i] != place->kind[i - 1])) {
			if (run == i)
				first = run;
			sum += run * run;
			run = 0;
		}
		if (mask & BIT_ULL(i))
			run++;
	}
	sum += run * run;
	/* The last run goes on at the beginning */
	if (place->kind[0] == place->kind[last])
		sum += 2 * run * first;
	return sum;
}

/**
 * tess_place_mask() - a list of slices as a mask
 * @chosen: slices
 * @n: their number
 *
 * Return: the mask.
 */
u64 tess_place_mask(const u8 *chosen, unsigned int n)
{
	u64 mask = 0;

	while (n--)
		mask |= BIT_ULL(chosen[n]);
	return mask;
}

static unsigned int place_moved(const struct tess_place_request *req, const u8 *chosen)
{
	unsigned int i, moved = 0;
	u64 stay;

	if (!req->now) {
		stay = req->keep & tess_place_mask(chosen, req->n);
		return min_t(unsigned int, req->n, hweight64(req->keep)) - hweight64(stay);
	}
	for (i = 0; i < req->n && i < req->nr_now; i++)
		moved += chosen[i] != req->now[i];
	return moved;
}

/**
 * tess_place_lost() - how much less useful are the free slices if some are taken?
 * @place: what there is
 * @free: slices that are free
 * @taken: some of them
 *
 * Return: pairs of slices that do not lie in one run any more, 4096 at most.
 */
unsigned int tess_place_lost(const struct tess_place *place, u64 free, u64 taken)
{
	return place_pairs(place, free) - place_pairs(place, free & ~taken);
}

/* From each vslice to its memory */
static unsigned int place_bank_way(const struct tess_place *place,
				   const struct tess_place_request *req, const u8 *chosen)
{
	unsigned int i, sum = 0;

	for (i = 0; req->bank && i < req->n; i++)
		sum += tess_place_distance(place->count, chosen[i], req->bank[i]);
	return sum;
}

/* From the bank of the frames to the slice that shows or copies them; all around if none does */
static unsigned int place_head_way(const struct tess_place *place,
				   const struct tess_place_request *req, const u8 *chosen)
{
	unsigned int i, bank, way = place->count;

	if (!req->heads)
		return 0;
	/* Memory that is nowhere yet will be where its vslice is */
	bank = req->bank ? req->bank[req->frame] : chosen[min(req->frame, req->n - 1)];
	for (i = 0; i < req->n; i++)
		if (place->heads & BIT_ULL(chosen[i]))
			way = min(way, tess_place_distance(place->count, chosen[i], bank));
	return way * req->heads;
}

/**
 * tess_place_cost() - what a choice costs
 * @place: what there is
 * @req: what is wanted
 * @chosen: a slice for each vslice
 *
 * 65536 times (sum of the distances over all links of the topology, from the vslices to their
 * memory, and for each head from its frame to the nearest slice that serves it + 4 for each vslice
 * that leaves its slice) + pairs of free slices that do not lie in one run any more.
 *
 * Return: the cost.
 */
u64 tess_place_cost(const struct tess_place *place, const struct tess_place_request *req,
		    const u8 *chosen)
{
	u64 free = place->free | req->keep;
	u64 way = place_way(place, req->topology, chosen, req->n) +
		  place_bank_way(place, req, chosen) + place_head_way(place, req, chosen) +
		  PLACE_MOVE * place_moved(req, chosen);

	return (way << PLACE_WAY_SHIFT) +
	       tess_place_lost(place, free, tess_place_mask(chosen, req->n));
}

/* ---- choice ---- */

/* Slices that it is good to stay on: those of vslices that it will have, too */
static u64 place_stay(const struct tess_place_request *req)
{
	if (!req->now)
		return req->keep;
	return tess_place_mask(req->now, min(req->n, req->nr_now));
}

/* It serves the heads, has what stays, has the fewest free slices; TESS_KIND_NONE: mixed */
static u32 place_any_kind(const struct tess_place *place, const struct tess_place_request *req,
			  u64 free, u64 stay)
{
	u32 kind, found = TESS_KIND_NONE;
	unsigned int rate, best = UINT_MAX;

	for (kind = TESS_KIND_COMPUTE; kind <= TESS_KIND_MIXED; kind++) {
		u64 mask = place_candidates(place, free, kind);

		if (hweight64(mask) < req->n)
			continue;
		rate = (TESS_MAX_SLICES - hweight64(mask & stay)) << 8 | hweight64(mask);
		if (req->heads && !(mask & place->heads))
			rate |= 1 << 16;
		if (rate < best) {
			best = rate;
			found = kind;
		}
	}
	return found;
}

/**
 * tess_place_choose() - choose slices
 * @place: what there is
 * @req: what is wanted
 * @chosen: result: a slice for each vslice
 *
 * Return: 0 or -ENOSPC.
 */
int tess_place_choose(const struct tess_place *place, const struct tess_place_request *req,
		      u8 *chosen)
{
	u64 free = place->free | req->keep, stay = place_stay(req);
	u64 mask = place_candidates(place, free, req->kind), rest;

	if (hweight64(mask) < req->n)
		return -ENOSPC;
	if (req->kind == TESS_KIND_NONE)
		mask = place_candidates(place, free, place_any_kind(place, req, free, stay));
	rest = mask & (~place->avoid | req->keep);
	if (hweight64(rest) >= req->n)
		mask = rest;
	tess_place_search(place, req, mask, stay & mask, chosen);
	return 0;
}

/**
 * tess_place_likely() - where would the other vslices be if they had slices?
 * @place: what there is; what was chosen is free or not
 * @req: of what was chosen
 * @max: number of vslices, at least @req->n
 * @chosen: a slice for each of the first @req->n vslices; result: one near which each of
 *	the others is to have its memory
 *
 * If there are not enough slices now, some of them have to do for several.
 */
void tess_place_likely(const struct tess_place *place, const struct tess_place_request *req,
		       unsigned int max, u8 *chosen)
{
	u64 had = tess_place_mask(chosen, req->n);
	struct tess_place all_free = *place;
	struct tess_place_request all = *req;
	u8 likely[TESS_MAX_SLICES];
	unsigned int i;

	all_free.free |= had;
	all.n = min(max, tess_place_free(&all_free, req->kind));
	all.keep |= had;
	all.now = chosen;
	all.nr_now = req->n;
	all.bank = NULL;
	if (tess_place_choose(&all_free, &all, likely))
		all.n = 0;
	for (i = req->n; i < max; i++)
		chosen[i] = i < all.n ? likely[i] : chosen[i % max(req->n, all.n)];
}
