// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement: the search for the best slices.
 *
 * DOC: Search of placements
 *
 * Proposed are all windows of neighbouring candidates, where the vGPU is and what is
 * nearest to that, or to its memory, and what loses the fewest pairs of free slices (exactly,
 * by dynamic programming); the best of them is improved by exchanging slices, one for
 * another, while that helps.
 */
#include <linux/bitops.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <tessera/hw/tess_mem.h>

#include "place.h"

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

/* Of the first @count of @n vslices, whose wish was chosen gets it */
static void place_settle(const u8 *wish, unsigned int count, unsigned int n, u8 *chosen)
{
	unsigned int i, k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < n && chosen[k] != wish[i]; k++)
			;
		if (k < n)
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

/* Does it matter which vslice gets which slice, but for the topology? */
static bool place_is_ordered(const struct tess_place_request *req)
{
	return req->now || req->bank || req->heads;
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
	const struct tess_place_request *req = s->req;
	u8 chosen[TESS_MAX_SLICES];

	place_along(s->place, list, req->n, chosen);
	if (!place_is_ordered(req)) {
		place_try(s, chosen);
		return;
	}
	place_turn(s, chosen);
	if (req->bank) {
		place_settle(req->bank, req->n, req->n, chosen);
		place_try(s, chosen);
	}
	if (req->now) {
		place_settle(req->now, min(req->n, req->nr_now), req->n, chosen);
		place_try(s, chosen);
	}
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

/* Which of a list, which is not empty, is nearest to some slices together? */
static u8 place_nearest(const struct place_search *s, const u8 *list, unsigned int len,
			const u8 *have, unsigned int n)
{
	unsigned int i, k, sum, best = UINT_MAX;
	u8 nearest = list[0];

	for (i = 0; i < len; i++) {
		for (k = 0, sum = 0; k < n; k++)
			sum += tess_place_distance(s->place->count, list[i], have[k]);
		if (sum < best) {
			best = sum;
			nearest = list[i];
		}
	}
	return nearest;
}

/* Where it is, and one by one what is nearest to that */
static void place_near(struct place_search *s)
{
	unsigned int n = hweight64(s->stay), len;
	u8 have[TESS_MAX_SLICES], list[TESS_MAX_SLICES];

	place_list(s->stay, have);
	for (; n < s->req->n; n++) {
		len = place_list(s->mask & ~tess_place_mask(have, n), list);
		have[n] = place_nearest(s, list, len, have, n);
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
	u8 in[TESS_MAX_SLICES], out[TESS_MAX_SLICES], chosen[TESS_MAX_SLICES];

	memcpy(in, s->best, n);
	len = place_list(s->mask & ~set, out);
	for (i = 0; i < n; i++) {
		for (k = 0; k < len; k++) {
			place_propose_mask(s, set ^ BIT_ULL(in[i]) ^ BIT_ULL(out[k]));
			if (!s->req->bank && !s->req->heads)
				continue;
			memcpy(chosen, in, n);
			chosen[i] = out[k];
			place_try(s, chosen);
		}
	}
	return s->cost < cost;
}

/* The slice of one vslice becomes that of another one, and those between move up */
static void place_shift(struct place_search *s, unsigned int from, unsigned int to)
{
	u8 chosen[TESS_MAX_SLICES];
	int step = from < to ? 1 : -1;

	memcpy(chosen, s->best, s->req->n);
	for (; from != to; from += step)
		swap(chosen[from], chosen[from + step]);
	place_try(s, chosen);
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
			if (!s->req->heads)
				continue;
			place_shift(s, i, k);
			place_shift(s, k, i);
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
		if (place_is_ordered(s->req))
			better |= place_reorder(s);
	}
}

/* Each vslice stays, or gets what is left nearest to its memory */
static void propose_memory(struct place_search *s)
{
	const struct tess_place_request *req = s->req;
	u8 chosen[TESS_MAX_SLICES], list[TESS_MAX_SLICES];
	u64 mask = req->now ? s->mask & ~s->stay : s->mask;
	unsigned int i, len;

	for (i = 0; i < req->n; i++) {
		if (req->now && i < req->nr_now && (s->stay & BIT_ULL(req->now[i]))) {
			chosen[i] = req->now[i];
			continue;
		}
		len = place_list(mask, list);
		chosen[i] = place_nearest(s, list, len, &req->bank[i], 1);
		mask &= ~BIT_ULL(chosen[i]);
	}
	place_try(s, chosen);
}

/* As if there were nothing yet */
static void propose_anew(struct place_search *s)
{
	place_windows(s, s->mask);
	if (!s->stay)
		place_scatter(s);
}

/* Where it is */
static void propose_stay(struct place_search *s)
{
	if (hweight64(s->stay) > s->req->n) {
		place_windows(s, s->stay);
	} else {
		place_scatter(s);
		place_near(s);
	}
}

/* What becomes of some proposals, if that is better than what there is */
static void place_begin(struct place_search *s, void (*propose)(struct place_search *))
{
	struct place_search again = *s;

	again.cost = U64_MAX;
	propose(&again);
	place_improve(&again);
	if (again.cost < s->cost)
		*s = again;
}

/**
 * tess_place_search() - look for the slices that cost least
 * @place: what there is
 * @req: what is wanted
 * @mask: slices that can be chosen, @req->n at least
 * @stay: of them, those that it is good to stay on
 * @chosen: result: a slice for each vslice
 */
void tess_place_search(const struct tess_place *place, const struct tess_place_request *req,
		       u64 mask, u64 stay, u8 *chosen)
{
	struct place_search s = {
		.place = place, .req = req, .mask = mask, .stay = stay, .cost = U64_MAX,
	};

	place_begin(&s, propose_anew);
	if (stay)
		place_begin(&s, propose_stay);
	if (req->bank)
		place_begin(&s, propose_memory);
	memcpy(chosen, s.best, req->n);
}
