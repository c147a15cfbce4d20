// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement: which slices a new vGPU gets.
 *
 * DOC: Placement
 *
 * A pure function of what is free: no locks, no devices, nothing remembered. The
 * slices of a vGPU should be near each other in the fabric, whose links join slices
 * with neighbouring numbers, and the rest should stay useful for the next vGPU:
 *
 * 1. Of the candidates (free, of the kind asked for), every window of n in ascending
 *    order is looked at. The one with the smallest span wins: its slices are nearest
 *    to each other.
 * 2. Among equals, the one in the shortest run of free slices wins (best fit), and in
 *    a run the window at its start: large runs stay whole.
 *
 * A vGPU that is placed again prefers to stay: its own slices count as free, among windows
 * of equal span the one with most of them wins, and a vslice whose slice was chosen keeps
 * it.
 *
 * "Any kind" first tries each kind alone, the one that it has most slices of first, then
 * the one with the fewest free slices that suffice, then all kinds mixed.
 * Whether a request can be met never depends on where things lie, so that
 * tess_gpu_available() can be exact by counting.
 *
 * vGPUs that share slices go where the sum of weights is least: to free slices first,
 * then to those where they get most. The slices of one vGPU differ. How many fit follows
 * from placing them one after the other.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "place.h"
#include "policy.h"

static u64 place_candidates(const struct tess_place *place, u64 free, u32 kind)
{
	u64 mask = 0;
	unsigned int i;

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

/* Length of the run of candidates without a gap around slice i */
static unsigned int place_run(u64 mask, unsigned int count, unsigned int i)
{
	unsigned int first = i, end = i;

	while (first > 0 && (mask & BIT_ULL(first - 1)))
		first--;
	while (end < count && (mask & BIT_ULL(end)))
		end++;
	return end - first;
}

/* Slices that it is good to stay on: those of vslices that it will have, too */
static u64 place_stay(const struct tess_place_request *req)
{
	u64 mask = 0;
	unsigned int i;

	if (!req->now)
		return req->keep;
	for (i = 0; i < req->n && i < req->nr_now; i++)
		mask |= BIT_ULL(req->now[i]);
	return mask;
}

/* The better of two windows has the lower number */
static u64 place_rate(const struct tess_place *place, u64 mask, u64 stay, const u8 *list,
		      unsigned int n)
{
	unsigned int i, moved = n;

	for (i = 0; i < n; i++)
		moved -= !!(stay & BIT_ULL(list[i]));
	return (u64)(list[n - 1] - list[0]) << 32 | moved << 16 |
	       place_run(mask, place->count, list[0]);
}

static void place_window(const struct tess_place *place, u64 mask, u64 stay, unsigned int n,
			 u8 *chosen)
{
	u8 list[TESS_MAX_SLICES];
	unsigned int i, len = 0, best = 0;
	u64 rate, best_rate = U64_MAX;

	for (i = 0; i < place->count; i++)
		if (mask & BIT_ULL(i))
			list[len++] = i;

	for (i = 0; i + n <= len; i++) {
		rate = place_rate(place, mask, stay, &list[i], n);
		if (rate >= best_rate)
			continue;
		best_rate = rate;
		best = i;
	}
	for (i = 0; i < n; i++)
		chosen[i] = list[best + i];
}

/* A vslice whose slice was chosen keeps it */
static void place_settle(const struct tess_place_request *req, u8 *chosen)
{
	unsigned int i, k;

	if (!req->now)
		return;
	for (i = 0; i < req->n && i < req->nr_now; i++) {
		for (k = 0; k < req->n && chosen[k] != req->now[i]; k++)
			;
		if (k < req->n)
			swap(chosen[i], chosen[k]);
	}
}

/* The kind that it stays on, or the one with the fewest free slices; TESS_KIND_NONE: mixed */
static u32 place_any_kind(const struct tess_place *place, u64 free, u64 stay, unsigned int n)
{
	u32 kind, found = TESS_KIND_NONE;
	unsigned int rate, best = UINT_MAX;

	for (kind = TESS_KIND_COMPUTE; kind <= TESS_KIND_MIXED; kind++) {
		u64 mask = place_candidates(place, free, kind);

		if (hweight64(mask) < n)
			continue;
		rate = (TESS_MAX_SLICES - hweight64(mask & stay)) << 8 | hweight64(mask);
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
	u64 free = place->free | req->keep;
	u64 stay = place_stay(req);
	u32 kind = req->kind;

	if (hweight64(place_candidates(place, free, kind)) < req->n)
		return -ENOSPC;
	if (kind == TESS_KIND_NONE)
		kind = place_any_kind(place, free, stay, req->n);
	place_window(place, place_candidates(place, free, kind), stay, req->n, chosen);
	place_settle(req, chosen);
	return 0;
}

static bool place_can_share(const struct tess_place_shared *place, u32 kind, unsigned int i)
{
	return (place->open & BIT_ULL(i)) && place->members[i] < TESS_POLICY_MAX &&
	       (kind == TESS_KIND_NONE || place->kind[i] == kind);
}

static bool place_is_emptier(const struct tess_place_shared *place, unsigned int a, unsigned int b)
{
	if (place->load[a] != place->load[b])
		return place->load[a] < place->load[b];
	return place->members[a] < place->members[b];
}

/* The slice with the least load that is not in @taken; @place->count if there is none */
static unsigned int place_emptiest(const struct tess_place_shared *place, u32 kind, u64 taken)
{
	unsigned int i, best = place->count;

	for (i = 0; i < place->count; i++)
		if (!(taken & BIT_ULL(i)) && place_can_share(place, kind, i) &&
		    (best == place->count || place_is_emptier(place, i, best)))
			best = i;
	return best;
}

/**
 * tess_place_share() - choose slices to be shared
 * @place: what there is; who is placed is added if there is room
 * @kind: enum tess_slice_kind of all of them; TESS_KIND_NONE: any
 * @n: how many, at least 1
 * @weight: of the one that is placed
 * @chosen: result: @n slice numbers, ascending
 *
 * Return: 0 or -ENOSPC.
 */
int tess_place_share(struct tess_place_shared *place, u32 kind, unsigned int n, u32 weight,
		     u8 *chosen)
{
	unsigned int i, k;
	u64 taken = 0;

	for (k = 0; k < n; k++) {
		i = place_emptiest(place, kind, taken);
		if (i == place->count)
			return -ENOSPC;
		taken |= BIT_ULL(i);
	}
	for (i = 0, k = 0; i < place->count; i++) {
		if (!(taken & BIT_ULL(i)))
			continue;
		chosen[k++] = i;
		place->members[i]++;
		place->load[i] += weight;
	}
	return 0;
}

/**
 * tess_place_share_count() - how often can slices be chosen?
 * @place: what there is; it is used up
 * @kind: as in tess_place_share()
 * @n: as in tess_place_share()
 * @weight: as in tess_place_share()
 *
 * Return: the number.
 */
unsigned int tess_place_share_count(struct tess_place_shared *place, u32 kind, unsigned int n,
				    u32 weight)
{
	u8 chosen[TESS_MAX_SLICES];
	unsigned int count = 0;

	while (!tess_place_share(place, kind, n, weight, chosen))
		count++;
	return count;
}
