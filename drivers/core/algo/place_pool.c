// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement in a pool of several GPUs.
 *
 * DOC: Placement in a pool
 *
 * Pure functions, as in place.c, which chooses the slices within each GPU. What counts, in
 * this order:
 *
 * 1. Kind, as within a GPU: "any" is one kind for all if one suffices.
 * 2. GPUs. One, if one has enough; so many as are asked for; as few as have enough, if the
 *    request says that they may be several.
 * 3. Even shares, so that several GPUs have as much of the work as of the memory: they
 *    differ by one slice at most, or as little as what is free allows.
 * 4. The cost within the GPUs, and POOL_CROSS for each link between two of them.
 *
 * The vslices of a GPU follow each other, so that a chain leaves each GPU once.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <tessera/blueprint.h>
#include <tessera/hw/tess_mem.h>

#include "place.h"

/* A link to another GPU is longer than any within one */
#define POOL_CROSS	64
/* As in tess_place_cost() */
#define POOL_MOVE	4
#define POOL_WAY_SHIFT	16
/* More than any cost; two of it are no overflow */
#define POOL_CANNOT	(U64_MAX / 4)

/**
 * struct pool_search - what is looked for, and where it would go
 * @gpus: GPUs
 * @count: their number
 * @req: what is wanted
 * @kind: kind that is tried
 * @topology: of the vslices within a GPU
 * @have: how many slices of that kind each GPU has, and may give
 * @share: how many slices of each GPU are taken
 */
struct pool_search {
	const struct tess_place *gpus;
	unsigned int count;
	const struct tess_place_span *req;
	u32 kind;
	u32 topology;
	u8 have[TESS_POOL_GPUS_MAX];
	u8 share[TESS_POOL_GPUS_MAX];
};

static u64 pool_keep(const struct tess_place_span *req, unsigned int gpu)
{
	return req->keep ? req->keep[gpu] : 0;
}

/* Number of slices of a kind that can be taken */
static unsigned int pool_count(struct pool_search *s, u32 kind)
{
	unsigned int g, sum = 0;

	s->kind = kind;
	for (g = 0; g < s->count; g++) {
		struct tess_place place = s->gpus[g];

		place.free |= pool_keep(s->req, g);
		s->have[g] = tess_place_free(&place, kind);
		if (s->req->limit)
			s->have[g] = min(s->have[g], s->req->limit[g]);
		sum += s->have[g];
	}
	return sum;
}

/* ---- cost ---- */

static bool pool_linked(u32 topology, unsigned int n, unsigned int a, unsigned int b)
{
	switch (topology) {
	case TESS_TOPOLOGY_MESH:
		return true;
	case TESS_TOPOLOGY_RING:
		return b == a + 1 || (!a && b == n - 1);
	case TESS_TOPOLOGY_CHAIN:
		return b == a + 1;
	default:
		return false;
	}
}

static u64 pool_way(const struct tess_place *gpus, const struct tess_place_span *req,
		    const struct tess_place_spot *chosen)
{
	unsigned int a, b;
	u64 sum = 0;

	for (a = 0; a < req->n; a++) {
		for (b = a + 1; b < req->n; b++) {
			if (!pool_linked(req->topology, req->n, a, b))
				continue;
			if (chosen[a].gpu == chosen[b].gpu)
				sum += tess_place_distance(gpus[chosen[a].gpu].count,
							   chosen[a].slice, chosen[b].slice);
			else
				sum += POOL_CROSS;
		}
	}
	return sum;
}

static u64 pool_mask(const struct tess_place_span *req, const struct tess_place_spot *chosen,
		     unsigned int gpu)
{
	unsigned int i;
	u64 mask = 0;

	for (i = 0; i < req->n; i++)
		if (chosen[i].gpu == gpu)
			mask |= BIT_ULL(chosen[i].slice);
	return mask;
}

/**
 * tess_place_pool_cost() - what a choice costs
 * @gpus: GPUs
 * @count: their number
 * @req: what is wanted
 * @chosen: a slice for each vslice
 *
 * As tess_place_cost(), with 64 for each link between two GPUs; memory is nowhere yet.
 *
 * Return: the cost.
 */
u64 tess_place_pool_cost(const struct tess_place *gpus, unsigned int count,
			 const struct tess_place_span *req, const struct tess_place_spot *chosen)
{
	unsigned int g, had = 0, stay = 0, lost = 0;

	for (g = 0; g < count; g++) {
		u64 mask = pool_mask(req, chosen, g);

		had += hweight64(pool_keep(req, g));
		stay += hweight64(pool_keep(req, g) & mask);
		if (mask)
			lost += tess_place_lost(&gpus[g], gpus[g].free | pool_keep(req, g), mask);
	}
	return ((pool_way(gpus, req, chosen) + POOL_MOVE * (min(had, req->n) - stay))
		<< POOL_WAY_SHIFT) + lost;
}

/* ---- shares ---- */

static unsigned int pool_biggest(const struct pool_search *s, const u8 *taken)
{
	unsigned int g, most = 0, best = s->count;

	for (g = 0; g < s->count; g++) {
		if (taken[g] || s->have[g] <= most)
			continue;
		most = s->have[g];
		best = g;
	}
	return best;
}

/* Fewest GPUs that have enough, at least @gpus; 0: there are not so many */
static unsigned int pool_spread(const struct pool_search *s, unsigned int gpus)
{
	u8 taken[TESS_POOL_GPUS_MAX] = { 0 };
	unsigned int g, used = 0, sum = 0;

	while (sum < s->req->n || used < gpus) {
		g = pool_biggest(s, taken);
		if (g == s->count)
			return 0;
		taken[g] = 1;
		sum += s->have[g];
		used++;
	}
	return used;
}

/* Number of GPUs to take: 0 if the request cannot be met with slices of this kind */
static unsigned int pool_gpus(const struct pool_search *s)
{
	unsigned int asked = max(s->req->gpus, 1u);
	unsigned int used = asked <= s->req->n ? pool_spread(s, asked) : 0;

	return used == asked || (asked == 1 && s->req->may_span) ? used : 0;
}

/* What a GPU costs that gives so many; POOL_CANNOT if it does not */
static u64 pool_one(const struct pool_search *s, unsigned int gpu, unsigned int n, u8 *chosen)
{
	u64 keep = pool_keep(s->req, gpu);
	unsigned int moved;
	struct tess_place_request one = {
		.n = n, .kind = s->kind, .topology = s->topology, .keep = keep,
	};

	if (n > s->have[gpu] || tess_place_choose(&s->gpus[gpu], &one, chosen))
		return POOL_CANNOT;
	/* Not only who could stay on this GPU has moved if he is not there any more */
	moved = s->req->n - min_t(unsigned int, n, hweight64(keep));
	return tess_place_cost(&s->gpus[gpu], &one, chosen) +
	       ((u64)POOL_MOVE * moved << POOL_WAY_SHIFT);
}

/**
 * struct pool_costs - what equal shares cost
 * @less: the smaller one of the two shares, slices
 * @cost: of each GPU with @less slices, and with one more; POOL_CANNOT
 */
struct pool_costs {
	unsigned int less;
	u64 cost[2][TESS_POOL_GPUS_MAX];
};

static void pool_costs_init(const struct pool_search *s, struct pool_costs *costs,
			    unsigned int gpus)
{
	u8 chosen[TESS_MAX_SLICES];
	unsigned int g, k;

	costs->less = s->req->n / gpus;
	for (k = 0; k < 2; k++) {
		if (k && !(s->req->n % gpus))
			break;
		for (g = 0; g < s->count; g++)
			costs->cost[k][g] = pool_one(s, g, costs->less + k, chosen);
	}
}

/* Without @costs it is found out now */
static u64 pool_share_cost(const struct pool_search *s, const struct pool_costs *costs,
			   unsigned int gpu, unsigned int share)
{
	u8 chosen[TESS_MAX_SLICES];

	if (!share)
		return 0;
	if (costs)
		return costs->cost[share - costs->less][gpu];
	return pool_one(s, gpu, share, chosen);
}

/* The GPU that has no share yet and gives one for least; @count if there is none */
static unsigned int pool_cheapest(const struct pool_search *s, const struct pool_costs *costs,
				  unsigned int share)
{
	unsigned int g, best = s->count;
	u64 cost, least = POOL_CANNOT;

	for (g = 0; g < s->count; g++) {
		cost = pool_share_cost(s, costs, g, share);
		if (s->share[g] || cost >= least)
			continue;
		least = cost;
		best = g;
	}
	return best;
}

/* Two GPUs change shares if that costs less; one of them may have none */
static bool pool_change(struct pool_search *s, const struct pool_costs *costs, unsigned int a,
			unsigned int b)
{
	u8 x = s->share[a], y = s->share[b];

	if (pool_share_cost(s, costs, a, y) + pool_share_cost(s, costs, b, x) >=
	    pool_share_cost(s, costs, a, x) + pool_share_cost(s, costs, b, y))
		return false;
	s->share[a] = y;
	s->share[b] = x;
	return true;
}

static void pool_improve(struct pool_search *s, const struct pool_costs *costs)
{
	unsigned int a, b, rounds = s->count;
	bool better = true;

	while (better && rounds--) {
		better = false;
		for (a = 0; a < s->count; a++)
			for (b = 0; b < a; b++)
				if (s->share[a] != s->share[b])
					better |= pool_change(s, costs, a, b);
	}
}

/* Equal shares, the greater ones first; false: what is free does not allow it */
static bool pool_share_evenly(struct pool_search *s, unsigned int gpus)
{
	struct pool_costs costs;
	unsigned int k, g, n;

	pool_costs_init(s, &costs, gpus);
	for (k = 0; k < gpus; k++) {
		n = costs.less + (k < s->req->n % gpus);
		g = pool_cheapest(s, &costs, n);
		if (g == s->count)
			return false;
		s->share[g] = n;
	}
	if (gpus > 1)
		pool_improve(s, &costs);
	return true;
}

/* The biggest GPUs; one by one, from who gives least and has more */
static void pool_share_biggest(struct pool_search *s, unsigned int gpus)
{
	u8 taken[TESS_POOL_GPUS_MAX] = { 0 };
	unsigned int g, k, n;

	memset(s->share, 0, sizeof(s->share));
	for (k = 0; k < gpus; k++)
		taken[pool_biggest(s, taken)] = 1;
	for (n = 0; n < s->req->n; n++) {
		unsigned int least = s->count;

		for (g = 0; g < s->count; g++)
			if (taken[g] && s->share[g] < s->have[g] &&
			    (least == s->count || s->share[g] < s->share[least]))
				least = g;
		s->share[least]++;
	}
	/* Of those that are as big, others may be better */
	pool_improve(s, NULL);
}

/* ---- choice ---- */

static unsigned int pool_stays(const struct pool_search *s, u32 kind)
{
	unsigned int g, sum = 0;

	for (g = 0; g < s->count; g++) {
		struct tess_place place = s->gpus[g];

		place.free = pool_keep(s->req, g);
		sum += tess_place_free(&place, kind);
	}
	return min_t(unsigned int, sum, TESS_MAX_SLICES);
}

/* The kind that suffices with fewest GPUs, that it has most of, that is scarcest; or mixed */
static u32 pool_any_kind(struct pool_search *s)
{
	unsigned int gpus, rate, total, best = UINT_MAX;
	u32 kind, found = TESS_KIND_NONE;

	for (kind = TESS_KIND_COMPUTE; kind <= TESS_KIND_MIXED; kind++) {
		total = pool_count(s, kind);
		gpus = pool_gpus(s);
		rate = gpus << 24 | (TESS_MAX_SLICES - pool_stays(s, kind)) << 16 | total;
		if (!gpus || rate >= best)
			continue;
		best = rate;
		found = kind;
	}
	return found;
}

/* How many GPUs, and which kind? 0: the request cannot be met */
static unsigned int pool_plan(struct pool_search *s)
{
	unsigned int gpus;

	pool_count(s, s->req->kind == TESS_KIND_NONE ? pool_any_kind(s) : s->req->kind);
	gpus = pool_gpus(s);
	/* A ring over several is a chain in each */
	s->topology = s->req->topology;
	if (gpus > 1 && s->topology == TESS_TOPOLOGY_RING)
		s->topology = TESS_TOPOLOGY_CHAIN;
	return gpus;
}

/**
 * tess_place_pool_can() - can a request be met?
 * @gpus: GPUs
 * @count: their number, at most TESS_POOL_GPUS_MAX
 * @req: what is wanted
 *
 * Return: true if tess_place_pool() would find slices.
 */
bool tess_place_pool_can(const struct tess_place *gpus, unsigned int count,
			 const struct tess_place_span *req)
{
	struct pool_search s = { .gpus = gpus, .count = count, .req = req };

	return pool_plan(&s);
}

static void pool_fill(const struct pool_search *s, struct tess_place_spot *chosen)
{
	u8 list[TESS_MAX_SLICES];
	unsigned int g, i, at = 0;

	for (g = 0; g < s->count; g++) {
		if (!s->share[g])
			continue;
		pool_one(s, g, s->share[g], list);
		for (i = 0; i < s->share[g]; i++)
			chosen[at++] = (struct tess_place_spot){ .gpu = g, .slice = list[i] };
	}
}

/**
 * tess_place_pool() - choose slices of one or several GPUs
 * @gpus: GPUs
 * @count: their number, at most TESS_POOL_GPUS_MAX
 * @req: what is wanted
 * @chosen: result: a slice for each vslice
 *
 * Return: 0 or -ENOSPC.
 */
int tess_place_pool(const struct tess_place *gpus, unsigned int count,
		    const struct tess_place_span *req, struct tess_place_spot *chosen)
{
	struct pool_search s = { .gpus = gpus, .count = count, .req = req };
	unsigned int used = pool_plan(&s);

	if (!used)
		return -ENOSPC;
	if (!pool_share_evenly(&s, used))
		pool_share_biggest(&s, used);
	pool_fill(&s, chosen);
	return 0;
}
