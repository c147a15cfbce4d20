// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement: which slices a new vGPU gets.
 *
 * DOC: Placement
 *
 * A pure function of what is free: no locks, no devices, nothing remembered. What counts,
 * in this order:
 *
 * 1. Kind. "Any" takes one kind for all if one suffices: the one that the vGPU has most
 *    slices of, then the one with the fewest free slices; else all kinds mixed.
 * 2. Way. The slices of a GPU form a ring; each link of the topology costs the distance of
 *    its ends in it. To take a vslice away from the slice that it has costs as much as
 *    PLACE_MOVE links, so that small gains move nobody.
 * 3. Fragmentation. What counts is how many pairs of free slices of one kind lie in one run
 *    without a gap; the fewer are lost, the more useful is the rest. So the shortest run
 *    that suffices is taken, and from its end.
 *
 * Proposed are all windows of neighbouring candidates, where it is and what is nearest to
 * that, and what costs least of the third kind only (exactly, by dynamic programming); the
 * best of them is improved by exchanging slices, one for another, while that helps.
 *
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
#include <linux/string.h>
#include <tessera/hw/tess_mem.h>

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

/**
 * tess_place_cost() - what a choice costs
 * @place: what there is
 * @req: what is wanted
 * @chosen: a slice for each vslice
 *
 * 65536 times (sum of the distances over all links of the topology + 4 for each vslice that
 * leaves its slice) + pairs of free slices that do not lie in one run any more.
 *
 * Return: the cost.
 */
u64 tess_place_cost(const struct tess_place *place, const struct tess_place_request *req,
		    const u8 *chosen)
{
	u64 free = place->free | req->keep;
	u64 way = place_way(place, req->topology, chosen, req->n) +
		  PLACE_MOVE * place_moved(req, chosen);

	return (way << PLACE_WAY_SHIFT) +
	       tess_place_lost(place, free, tess_place_mask(chosen, req->n));
}

/* ---- search ---- */

/**
 * struct place_search - the best choice so far
 * @place: what there is
 * @req: what is wanted
 * @mask: slices that can be chosen
 * @stay: of them, those that it is good to stay on
 * @cost: of @best
 * @best: a slice for each vslice
 */
struct place_search {
	const struct tess_place *place;
	const struct tess_place_request *req;
	u64 mask;
	u64 stay;
	u64 cost;
	u8 best[TESS_MAX_SLICES];
};

/* Slices that it is good to stay on: those of vslices that it will have, too */
static u64 place_stay(const struct tess_place_request *req)
{
	if (!req->now)
		return req->keep;
	return tess_place_mask(req->now, min(req->n, req->nr_now));
}

static unsigned int place_list(u64 mask, u8 *list)
{
	unsigned int n = 0;

	for (; mask; mask &= mask - 1)
		list[n++] = __ffs64(mask);
	return n;
}

static void place_try(struct place_search *s, const u8 *chosen)
{
	u64 cost = tess_place_cost(s->place, s->req, chosen);

	if (cost >= s->cost)
		return;
	s->cost = cost;
	memcpy(s->best, chosen, s->req->n);
}

/* A vslice whose slice was chosen keeps it */
static void place_settle(const struct tess_place_request *req, u8 *chosen)
{
	unsigned int i, k;

	for (i = 0; i < req->n && i < req->nr_now; i++) {
		for (k = 0; k < req->n && chosen[k] != req->now[i]; k++)
			;
		if (k < req->n)
			swap(chosen[i], chosen[k]);
	}
}

/* Along the fabric, the widest gap is where it begins: nothing shorter joins them */
static void place_along(const struct tess_place *place, const u8 *list, unsigned int n, u8 *chosen)
{
	unsigned int i, gap, widest = 0, begin = 0, before = list[n - 1];

	for (i = 0; i < n; i++, before = list[i - 1]) {
		gap = list[i] + (i ? 0 : place->count) - before;
		if (gap > widest) {
			widest = gap;
			begin = i;
		}
	}
	for (i = 0; i < n; i++)
		chosen[i] = list[(begin + i) % n];
}

/* The same way in the other direction and, in a ring, from each of its slices */
static void place_turn(struct place_search *s, const u8 *along)
{
	unsigned int i, k, n = s->req->n;
	u8 turned[TESS_MAX_SLICES];

	for (k = 0; k < (s->req->topology == TESS_TOPOLOGY_RING ? n : 1); k++) {
		for (i = 0; i < n; i++)
			turned[i] = along[(i + k) % n];
		place_try(s, turned);
		for (i = 0; i < n; i++)
			turned[i] = along[(2 * n - 1 - i - k) % n];
		place_try(s, turned);
	}
}

/* A set of slices: who gets which? */
static void place_propose(struct place_search *s, const u8 *list)
{
	u8 chosen[TESS_MAX_SLICES];

	place_along(s->place, list, s->req->n, chosen);
	if (!s->req->now) {
		place_try(s, chosen);
		return;
	}
	place_turn(s, chosen);
	place_settle(s->req, chosen);
	place_try(s, chosen);
}

static void place_propose_mask(struct place_search *s, u64 mask)
{
	u8 list[TESS_MAX_SLICES];

	place_list(mask, list);
	place_propose(s, list);
}

/* All windows of a list whose end meets its beginning */
static void place_windows(struct place_search *s, u64 mask)
{
	unsigned int first, len;
	u8 list[TESS_MAX_SLICES];
	u64 window = 0;

	len = place_list(mask, list);
	for (first = 0; first < s->req->n; first++)
		window |= BIT_ULL(list[first]);
	for (first = 0; first < len; first++) {
		place_propose_mask(s, window);
		if (len == s->req->n)
			return;
		window ^= BIT_ULL(list[first]) | BIT_ULL(list[(first + s->req->n) % len]);
	}
}

/* Where it is, and one by one what is nearest to that */
static void place_near(struct place_search *s)
{
	unsigned int n = hweight64(s->stay), i, k, sum, best, next = 0;
	u8 have[TESS_MAX_SLICES], list[TESS_MAX_SLICES], len;

	place_list(s->stay, have);
	for (; n < s->req->n; n++) {
		best = UINT_MAX;
		len = place_list(s->mask & ~tess_place_mask(have, n), list);
		for (i = 0; i < len; i++) {
			for (k = 0, sum = 0; k < n; k++)
				sum += tess_place_distance(s->place->count, list[i], have[k]);
			if (sum < best) {
				best = sum;
				next = list[i];
			}
		}
		have[n] = next;
	}
	place_propose_mask(s, tess_place_mask(have, n));
}

/**
 * struct place_scatter - what is lost at least if so many slices are taken
 * @lost: pairs
 * @taken: the slices
 */
struct place_scatter {
	u16 lost[TESS_MAX_SLICES + 1];
	u64 taken[TESS_MAX_SLICES + 1];
};

/* Some of the slices of a run are taken, in one piece from its beginning, or none */
static void place_scatter_run(struct place_scatter *sc, const u8 *run, unsigned int len,
			      unsigned int n)
{
	unsigned int t, m, lost;

	for (t = n; t; t--) {
		for (m = 1; m <= len && m <= t; m++) {
			lost = sc->lost[t - m] + m * (2 * len - m);
			if (sc->lost[t - m] == U16_MAX || lost >= sc->lost[t])
				continue;
			sc->lost[t] = lost;
			sc->taken[t] = sc->taken[t - m] | tess_place_mask(run, m);
		}
	}
}

/* The next run of candidates from slice @i on, which begins one */
static unsigned int place_run(const struct place_search *s, u64 mask, unsigned int i, u8 *run)
{
	unsigned int count = s->place->count, len = 0;

	do {
		run[len++] = i;
		i = (i + 1) % count;
	} while (len < count && (mask & BIT_ULL(i)) &&
		 s->place->kind[i] == s->place->kind[run[0]]);
	return len;
}

static bool place_begins(const struct place_search *s, u64 mask, unsigned int i)
{
	unsigned int before = (i + s->place->count - 1) % s->place->count;

	return (mask & BIT_ULL(i)) && (!(mask & BIT_ULL(before)) ||
				       s->place->kind[i] != s->place->kind[before]);
}

/* What it has, and the rest so that least is lost, wherever it is */
static void place_scatter(struct place_search *s)
{
	unsigned int i, n = s->req->n - hweight64(s->stay);
	u64 mask = s->mask & ~s->stay, begins = 0;
	struct place_scatter sc;
	u8 run[TESS_MAX_SLICES];

	for (i = 0; i <= n; i++)
		sc.lost[i] = i ? U16_MAX : 0;
	sc.taken[0] = s->stay;
	for (i = 0; i < s->place->count; i++)
		if (place_begins(s, mask, i))
			begins |= BIT_ULL(i);
	/* One run all around */
	if (!begins && mask)
		begins = 1;
	for (; begins; begins &= begins - 1)
		place_scatter_run(&sc, run, place_run(s, mask, __ffs64(begins), run), n);
	place_propose_mask(s, sc.taken[n]);
}

/* One slice for another, while that helps */
static bool place_exchange(struct place_search *s)
{
	unsigned int i, k, len, n = s->req->n;
	u64 set = tess_place_mask(s->best, n), cost = s->cost;
	u8 in[TESS_MAX_SLICES], out[TESS_MAX_SLICES];

	place_list(set, in);
	len = place_list(s->mask & ~set, out);
	for (i = 0; i < n; i++)
		for (k = 0; k < len; k++)
			place_propose_mask(s, set ^ BIT_ULL(in[i]) ^ BIT_ULL(out[k]));
	return s->cost < cost;
}

/* Two vslices change places, while that helps */
static bool place_reorder(struct place_search *s)
{
	unsigned int i, k, n = s->req->n;
	u8 chosen[TESS_MAX_SLICES];
	u64 cost = s->cost;

	for (i = 0; i < n; i++) {
		for (k = 0; k < i; k++) {
			memcpy(chosen, s->best, n);
			swap(chosen[i], chosen[k]);
			place_try(s, chosen);
		}
	}
	return s->cost < cost;
}

static void place_improve(struct place_search *s)
{
	unsigned int rounds = s->req->n;
	bool better = true;

	while (better && rounds--) {
		better = place_exchange(s);
		if (s->req->now)
			better |= place_reorder(s);
	}
}

/* From where nothing is, and from where it is: the better of the two */
static void place_search(struct place_search *s)
{
	struct place_search again = *s;

	s->cost = U64_MAX;
	place_windows(s, s->mask);
	if (!s->stay)
		place_scatter(s);
	place_improve(s);
	if (!s->stay)
		return;

	again.cost = U64_MAX;
	if (hweight64(s->stay) > s->req->n) {
		place_windows(&again, s->stay);
	} else {
		place_scatter(&again);
		place_near(&again);
	}
	place_improve(&again);
	if (again.cost < s->cost)
		*s = again;
}

/* ---- choice ---- */

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
	struct place_search s = { .place = place, .req = req, .stay = place_stay(req) };
	u32 kind = req->kind;

	s.mask = place_candidates(place, free, kind);
	if (hweight64(s.mask) < req->n)
		return -ENOSPC;
	if (kind == TESS_KIND_NONE)
		s.mask = place_candidates(place, free, place_any_kind(place, free, s.stay, req->n));
	s.stay &= s.mask;
	place_search(&s);
	memcpy(chosen, s.best, req->n);
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
