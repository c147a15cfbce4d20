// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How good placement is, and how fast: compared with trying everything, on small pools. What
 * is compared with, cost and search, is written anew here and shares nothing with the kernel.
 */
#include "../../drivers/core/algo/place.c"
#include "../../drivers/core/algo/place_search.c"
#include "../../drivers/core/algo/place_pool.c"

#include <time.h>

#include "harness.h"
#include "random.h"

#define WORST_PERCENT 5

/* ---- the cost, from its description ---- */

static unsigned int distance(unsigned int n, unsigned int a, unsigned int b)
{
	unsigned int up = (a + n - b) % n, down = (b + n - a) % n;

	return up < down ? up : down;
}

static bool is_linked(u32 topology, unsigned int n, unsigned int a, unsigned int b)
{
	switch (topology) {
	case TESS_TOPOLOGY_CHAIN:
		return b == a + 1;
	case TESS_TOPOLOGY_RING:
		return b == a + 1 || (a == 0 && b == n - 1 && n > 2);
	case TESS_TOPOLOGY_MESH:
		return a < b;
	default:
		return false;
	}
}

/* Is slice b free and of the same kind, and all between it and a in one of the directions? */
static bool is_one_run(const struct tess_place *place, u64 mask, unsigned int a, unsigned int b)
{
	unsigned int i, n = place->count;

	for (i = a; mask >> i & 1 && place->kind[i] == place->kind[a]; i = (i + 1) % n) {
		if (i == b)
			return true;
		if ((i + 1) % n == a)
			break;
	}
	for (i = a; mask >> i & 1 && place->kind[i] == place->kind[a]; i = (i + n - 1) % n) {
		if (i == b)
			return true;
		if ((i + n - 1) % n == a)
			break;
	}
	return false;
}

static unsigned int pairs(const struct tess_place *place, u64 mask)
{
	unsigned int a, b, sum = 0;

	for (a = 0; a < place->count; a++)
		for (b = 0; b < place->count; b++)
			sum += is_one_run(place, mask, a, b);
	return sum;
}

/* To the nearest slice that serves heads, or all around */
static unsigned int head_way(const struct tess_place *place, const struct tess_place_request *req,
			     const u8 *chosen)
{
	unsigned int i, d, best = place->count;
	unsigned int from = req->bank ? req->bank[req->frame] : chosen[0];

	for (i = 0; i < req->n; i++) {
		d = distance(place->count, chosen[i], from);
		if (place->heads >> chosen[i] & 1 && d < best)
			best = d;
	}
	return best;
}

static u64 true_cost(const struct tess_place *place, const struct tess_place_request *req,
		     const u8 *chosen)
{
	u64 free = place->free | req->keep, left = free;
	unsigned int i, k, way = 0, stay = 0, had;

	for (i = 0; i < req->n; i++) {
		left &= ~(1ULL << chosen[i]);
		for (k = 0; k < req->n; k++)
			if (is_linked(req->topology, req->n, i, k))
				way += distance(place->count, chosen[i], chosen[k]);
		if (!req->now)
			stay += req->keep >> chosen[i] & 1;
		else if (i < req->nr_now)
			stay += chosen[i] == req->now[i];
	}
	had = req->now ? req->nr_now : (unsigned int)__builtin_popcountll(req->keep);
	way += 4 * ((had < req->n ? had : req->n) - stay);
	for (i = 0; req->bank && i < req->n; i++)
		way += distance(place->count, chosen[i], req->bank[i]);
	way += req->heads * head_way(place, req, chosen);
	return ((u64)way << 16) + pairs(place, free) - pairs(place, left);
}

/* ---- trying everything ---- */

struct trial {
	const struct tess_place *place;
	const struct tess_place_request *req;
	u64 allowed;
	u64 best;
	bool ordered;
	u8 chosen[TESS_MAX_SLICES];
};

/* Which slices are allowed when any kind is: that of the rule, written anew */
static u64 allowed_kind(const struct tess_place *place, const struct tess_place_request *req)
{
	u64 free = place->free | req->keep, of[4] = { 0 }, stay = 0;
	unsigned int best = 0, kind, i;

	for (i = 0; i < place->count; i++)
		of[place->kind[i]] |= free & 1ULL << i;
	if (req->kind)
		return of[req->kind];
	for (i = 0; req->now && i < req->n && i < req->nr_now; i++)
		stay |= 1ULL << req->now[i];
	if (!req->now)
		stay = req->keep;
	for (kind = 1; kind <= 3; kind++) {
		int has = __builtin_popcountll(of[kind]),
		    stays = __builtin_popcountll(of[kind] & stay);
		int best_has = __builtin_popcountll(of[best]);
		int best_stays = __builtin_popcountll(of[best] & stay);

		if (has < (int)req->n)
			continue;
		if (best && req->heads &&
		    !(of[kind] & place->heads) != !(of[best] & place->heads)) {
			if (of[kind] & place->heads)
				best = kind;
			continue;
		}
		if (!best || stays > best_stays || (stays == best_stays && has < best_has))
			best = kind;
	}
	return best ? of[best] : free;
}

/* Others are left room if there is enough without that */
static u64 allowed(const struct tess_place *place, const struct tess_place_request *req)
{
	u64 kind = allowed_kind(place, req), rest = kind & ~(place->avoid & ~req->keep);

	return __builtin_popcountll(rest) < (int)req->n ? kind : rest;
}

static void try_all(struct trial *t, unsigned int n, unsigned int from)
{
	unsigned int i;
	u64 cost;

	if (n == t->req->n) {
		cost = true_cost(t->place, t->req, t->chosen);
		if (cost < t->best)
			t->best = cost;
		return;
	}
	for (i = from; i < t->place->count; i++) {
		if (!(t->allowed >> i & 1))
			continue;
		t->allowed &= ~(1ULL << i);
		t->chosen[n] = (u8)i;
		try_all(t, n + 1, t->ordered ? 0 : i + 1);
		t->allowed |= 1ULL << i;
	}
}

struct tally {
	unsigned int cases, refused, worse;
	double worst;
};

static void compare(struct __test_metadata *_metadata, const struct tess_place *place,
		    const struct tess_place_request *req, bool ordered, struct tally *tally)
{
	struct trial t = {
		.place = place,
		.req = req,
		.allowed = allowed(place, req),
		.best = ~0ULL,
		.ordered = ordered,
	};
	u8 chosen[TESS_MAX_SLICES];
	double excess;
	u64 cost;
	int rc = tess_place_choose(place, req, chosen);

	tally->cases++;
	ASSERT_EQ(rc, __builtin_popcountll(t.allowed) < (int)req->n ? -ENOSPC : 0);
	if (rc) {
		tally->refused++;
		return;
	}
	cost = true_cost(place, req, chosen);
	ASSERT_EQ(cost, tess_place_cost(place, req, chosen));
	for (unsigned int i = 0; i < req->n; i++)
		ASSERT_TRUE(t.allowed >> chosen[i] & 1);
	ASSERT_EQ(hweight64(tess_place_mask(chosen, req->n)), req->n);
	try_all(&t, 0, 0);
	ASSERT_LE(t.best, cost);
	excess = t.best ? 100.0 * (double)(cost - t.best) / (double)t.best : cost ? 100 : 0;
	tally->worse += cost > t.best;
	if (excess > WORST_PERCENT)
		TH_LOG("%.1f %%: n %u kind %u topology %u free %llx keep %llx avoid %llx now %d bank %d",
		       excess, req->n, req->kind, req->topology, place->free, req->keep,
		       place->avoid, !!req->now, !!req->bank);
	if (excess > tally->worst)
		tally->worst = excess;
}

/* Of all tests, each of which is a process */
static double *worst_of_all;

static __attribute__((constructor)) void share_worst(void)
{
	worst_of_all = mmap(NULL, sizeof(*worst_of_all), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (worst_of_all == MAP_FAILED)
		abort();
	*worst_of_all = -1;
}

static void tell(struct __test_metadata *_metadata, const struct tally *tally)
{
	if (tally->worst > *worst_of_all)
		*worst_of_all = tally->worst;

	TH_LOG("%u cases, %u refused, %u not the best, worst excess %.3f %%", tally->cases,
	       tally->refused, tally->worse, tally->worst);
	EXPECT_LE(tally->worst, WORST_PERCENT);
	EXPECT_GT(tally->cases / 2, tally->refused);
}

/* Some of the free ones that a vGPU has now, in any order; and a few more that are not free */
static unsigned int random_keep(struct random *r, const struct tess_place *place, unsigned int most,
				u8 *now)
{
	unsigned int n = random_below(r, most + 1), i, k, count = 0;

	for (k = 0; k < n; k++) {
		u8 slice = (u8)random_below(r, place->count);

		for (i = 0; i < count && now[i] != slice; i++)
			;
		if (i == count)
			now[count++] = slice;
	}
	return count;
}

static void random_place(struct random *r, struct tess_place *place, u32 *kind, unsigned int count)
{
	unsigned int i, kinds = random_from(r, 1, 3);

	for (i = 0; i < count; i++)
		kind[i] = 1 + i * kinds / count;
	if (!random_below(r, 4))
		for (i = 0; i < count; i++)
			kind[i] = random_from(r, 1, 3);
	*place = (struct tess_place){ .count = count, .kind = kind };
	place->free = (random_next(r) | (random_below(r, 2) ? random_next(r) : 0)) &
		      ((1ULL << count) - 1);
}

static void run_random(struct __test_metadata *_metadata, u64 seed, unsigned int cases,
		       unsigned int slices, unsigned int most, bool ordered, struct tally *tally)
{
	struct random r = { seed }, memory = { ~seed }, shows = { seed + 99 };
	u32 kind[TESS_MAX_SLICES];
	struct tess_place place;

	while (cases--) {
		struct tess_place_request req = { .topology = random_below(&r, 4) };
		u8 now[TESS_MAX_SLICES], bank[TESS_MAX_SLICES];

		random_place(&r, &place, kind, random_from(&r, 2, slices));
		req.n = random_from(&r, 1, most);
		req.kind = random_below(&r, 2) ? 0 : random_from(&r, 1, 3);
		if (random_below(&r, 2)) {
			req.nr_now = random_keep(&r, &place, most, now);
			req.keep = tess_place_mask(now, req.nr_now);
			req.now = ordered && random_below(&r, 2) ? now : NULL;
		}
		place.free &= ~req.keep;
		for (unsigned int i = 0; i < req.n; i++)
			bank[i] = (u8)random_below(&memory, place.count);
		req.bank = ordered && random_below(&memory, 2) ? bank : NULL;
		place.avoid = random_below(&memory, 3) ? 0 : random_next(&memory);
		/* They are in memory, which is somewhere if the vGPU has slices */
		if (ordered && (req.bank || !req.keep))
			req.heads = random_below(&shows, 5);
		req.frame = req.bank ? random_below(&shows, req.n) : 0;
		place.heads = random_next(&shows);
		compare(_metadata, &place, &req, ordered, tally);
	}
}

/* Every subset in every order */
TEST_TIMEOUT(all_orders, 120)
{
	struct tally tally = { 0 };

	run_random(_metadata, 1, 6000, 8, 4, true, &tally);
	run_random(_metadata, 2, 600, 8, 5, true, &tally);
	run_random(_metadata, 3, 200, 16, 3, true, &tally);
	tell(_metadata, &tally);
}

/* Larger ones: who gets which does not matter in a mesh, and nothing is linked without */
TEST_TIMEOUT(all_subsets, 120)
{
	struct tally tally = { 0 };
	struct random r = { 77 };
	u32 kind[16];

	for (unsigned int i = 0; i < 1500; i++) {
		struct tess_place place;
		struct tess_place_request req = {
			.n = random_from(&r, 2, 9),
			.topology = random_below(&r, 2) ? TESS_TOPOLOGY_MESH : TESS_TOPOLOGY_NONE,
		};

		random_place(&r, &place, kind, 14);
		if (random_below(&r, 2))
			req.keep = random_next(&r) & random_next(&r) & 0x3fff;
		compare(_metadata, &place, &req, false, &tally);
	}
	tell(_metadata, &tally);
}

/* Any number of slices is served, and nothing depends on there being more than one */
TEST(extremes)
{
	struct random r = { 5 };
	u32 kind[TESS_MAX_SLICES];

	for (unsigned int i = 0; i < TESS_MAX_SLICES; i++)
		kind[i] = 1 + i / 24;
	for (unsigned int count = 1; count <= TESS_MAX_SLICES; count++) {
		struct tess_place place = { .count = count,
					    .kind = kind,
					    .free = ~0ULL >> (64 - count) };
		struct tess_place_request req = { .n = random_from(&r, 1, count),
						  .topology = count % 4 };
		u8 chosen[TESS_MAX_SLICES];

		ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
		ASSERT_EQ(hweight64(tess_place_mask(chosen, req.n)), req.n);
		ASSERT_EQ(tess_place_cost(&place, &req, chosen), true_cost(&place, &req, chosen));
		req.n = count;
		ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
		ASSERT_EQ(tess_place_mask(chosen, count), place.free);
	}
}

/* ---- several GPUs ---- */

#define POOL_GPUS 3

struct pool_trial {
	const struct tess_place *gpus;
	const struct tess_place_span *req;
	unsigned int wanted; /* GPUs */
	u64 allowed[POOL_GPUS];
	unsigned int best_uneven;
	u64 best;
	struct tess_place_spot chosen[8];
};

static u64 true_pool_cost(const struct tess_place *gpus, const struct tess_place_span *req,
			  const struct tess_place_spot *c)
{
	unsigned int way = 0, had = 0, stay = 0, lost = 0, g, i, k;

	for (i = 0; i < req->n; i++)
		for (k = i + 1; k < req->n; k++)
			if (is_linked(req->topology, req->n, i, k))
				way += c[i].gpu != c[k].gpu ? 64 :
							      distance(gpus[c[i].gpu].count,
								       c[i].slice, c[k].slice);
	for (g = 0; g < POOL_GPUS; g++) {
		u64 free = gpus[g].free | req->keep[g], left = free;

		had += (unsigned int)__builtin_popcountll(req->keep[g]);
		for (i = 0; i < req->n; i++) {
			if (c[i].gpu != g)
				continue;
			left &= ~(1ULL << c[i].slice);
			stay += req->keep[g] >> c[i].slice & 1;
		}
		lost += pairs(&gpus[g], free) - pairs(&gpus[g], left);
	}
	return ((u64)(way + 4 * ((had < req->n ? had : req->n) - stay)) << 16) + lost;
}

/* Sum of the squares of the shares: least if they are even. 0: not as wanted */
static unsigned int uneven(const struct pool_trial *t, const struct tess_place_spot *c)
{
	unsigned int share[POOL_GPUS] = { 0 }, i, used = 0, sum = 0;

	for (i = 0; i < t->req->n; i++)
		share[c[i].gpu]++;
	for (i = 0; i < POOL_GPUS; i++) {
		if (t->req->limit && share[i] > t->req->limit[i])
			return 0;
		used += !!share[i];
		sum += share[i] * share[i];
	}
	return used == t->wanted ? sum : 0;
}

static void try_pool(struct pool_trial *t, unsigned int n)
{
	unsigned int g, i, odd;

	if (n == t->req->n) {
		u64 cost = true_pool_cost(t->gpus, t->req, t->chosen);

		odd = uneven(t, t->chosen);
		if (!odd || odd > t->best_uneven || (odd == t->best_uneven && cost >= t->best))
			return;
		t->best_uneven = odd;
		t->best = cost;
		return;
	}
	for (g = 0; g < POOL_GPUS; g++) {
		for (i = 0; i < t->gpus[g].count; i++) {
			if (!(t->allowed[g] >> i & 1))
				continue;
			t->allowed[g] &= ~(1ULL << i);
			t->chosen[n] = (struct tess_place_spot){ (u8)g, (u8)i };
			try_pool(t, n + 1);
			t->allowed[g] |= 1ULL << i;
		}
	}
}

/* Fewest GPUs that do it; 0: none, by trying everything */
static unsigned int fewest(struct pool_trial *t)
{
	unsigned int asked = t->req->gpus ? t->req->gpus : 1;

	for (t->wanted = asked; t->wanted <= POOL_GPUS; t->wanted++) {
		t->best = ~0ULL;
		t->best_uneven = ~0U;
		try_pool(t, 0);
		if (t->best != ~0ULL)
			return t->wanted;
		if (asked > 1 || !t->req->may_span)
			break;
	}
	return 0;
}

static void compare_pool(struct __test_metadata *_metadata, const struct tess_place *gpus,
			 const struct tess_place_span *req, struct tally *tally)
{
	struct pool_trial t = { .gpus = gpus, .req = req };
	struct tess_place_spot chosen[8];
	unsigned int g, i, k;
	double excess;
	u64 cost;
	int rc = tess_place_pool(gpus, POOL_GPUS, req, chosen);

	for (g = 0; g < POOL_GPUS; g++)
		for (i = 0; i < gpus[g].count; i++)
			if ((gpus[g].free | req->keep[g]) >> i & 1 && gpus[g].kind[i] == req->kind)
				t.allowed[g] |= 1ULL << i;
	tally->cases++;
	ASSERT_EQ(rc, fewest(&t) ? 0 : -ENOSPC);
	ASSERT_EQ(!rc, tess_place_pool_can(gpus, POOL_GPUS, req));
	if (rc) {
		tally->refused++;
		return;
	}
	for (i = 0; i < req->n; i++) {
		ASSERT_TRUE(t.allowed[chosen[i].gpu] >> chosen[i].slice & 1);
		for (k = 0; k < i; k++)
			ASSERT_NE(memcmp(&chosen[i], &chosen[k], sizeof(chosen[i])), 0);
	}
	ASSERT_EQ(uneven(&t, chosen), t.best_uneven);
	cost = true_pool_cost(gpus, req, chosen);
	ASSERT_EQ(cost, tess_place_pool_cost(gpus, POOL_GPUS, req, chosen));
	ASSERT_LE(t.best, cost);
	excess = t.best ? 100.0 * (double)(cost - t.best) / (double)t.best : cost ? 100 : 0;
	tally->worse += cost > t.best;
	if (excess > WORST_PERCENT)
		TH_LOG("%.1f %%: n %u gpus %u topology %u", excess, req->n, req->gpus,
		       req->topology);
	if (excess > tally->worst)
		tally->worst = excess;
}

TEST_TIMEOUT(pool_all, 120)
{
	struct tally tally = { 0 };
	struct random r = { 31 };

	for (unsigned int i = 0; i < 4000; i++) {
		struct tess_place gpus[POOL_GPUS];
		u32 kind[POOL_GPUS][8];
		u64 keep[POOL_GPUS] = { 0 };
		u8 limit[POOL_GPUS];
		struct tess_place_span req = {
			.n = random_from(&r, 1, 4),
			.kind = TESS_KIND_COMPUTE,
			.topology = random_below(&r, 4),
			.gpus = random_below(&r, 4),
			.may_span = random_below(&r, 2),
			.keep = keep,
		};

		req.limit = req.gpus == POOL_GPUS ? limit : NULL;
		for (unsigned int g = 0; g < POOL_GPUS; g++) {
			limit[g] = req.limit ? random_from(&r, 1, 3) : 0;
			random_place(&r, &gpus[g], kind[g], random_from(&r, 2, 5));
			for (unsigned int k = 0; random_below(&r, 3) && k < gpus[g].count; k++)
				kind[g][k] = TESS_KIND_COMPUTE;
			if (!random_below(&r, 3))
				keep[g] = gpus[g].free & random_next(&r) & random_next(&r);
			gpus[g].free &= ~keep[g];
		}
		compare_pool(_metadata, gpus, &req, &tally);
	}
	tell(_metadata, &tally);
	EXPECT_GT(tally.cases - tally.refused, 300U);
}

/* Any kind: one for all if one suffices, even if that takes one more GPU */
TEST(pool_of_any_kind)
{
	static const u32 half[4] = { TESS_KIND_COMPUTE, TESS_KIND_COMPUTE, TESS_KIND_RENDER,
				     TESS_KIND_RENDER };
	struct tess_place gpus[2] = { { 4, 0xf, half, 0, 0, 0 }, { 4, 0x7, half, 0, 0, 0 } };
	struct tess_place_span req = { .n = 2 };
	struct tess_place_spot c[8];

	/* render is scarcer, and only the first one has two of it */
	ASSERT_EQ(tess_place_pool(gpus, 2, &req, c), 0);
	EXPECT_EQ(c[0].gpu, 0);
	EXPECT_EQ(c[0].slice, 2);
	EXPECT_EQ(c[1].slice, 3);
	req.n = 3;
	ASSERT_EQ(tess_place_pool(gpus, 2, &req, c), 0);
	EXPECT_EQ(c[0].gpu, c[2].gpu);
	req.may_span = true;
	ASSERT_EQ(tess_place_pool(gpus, 2, &req, c), 0);
	EXPECT_EQ(c[0].gpu, 0);
	EXPECT_EQ(c[2].gpu, 1);
	EXPECT_EQ(half[c[0].slice], half[c[1].slice]);
	EXPECT_EQ(half[c[0].slice], half[c[2].slice]);
	req.n = 8;
	EXPECT_EQ(tess_place_pool(gpus, 2, &req, c), -ENOSPC);
	EXPECT_FALSE(tess_place_pool_can(gpus, 2, &req));
}

/* ---- time ---- */

#define TIMED 200

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median for 64 GPUs of 16 slices, half of which are used: told, not judged */
TEST(time_64x16)
{
	static struct tess_place gpus[TESS_POOL_GPUS_MAX];
	static u32 kind[TESS_POOL_GPUS_MAX][16];
	struct tess_place_spot c[16];
	struct random r = { 6416 };
	double us[TIMED];

	for (unsigned int i = 0; i < TIMED; i++) {
		struct tess_place_span req = {
			.n = random_from(&r, 1, 6),
			.kind = TESS_KIND_COMPUTE,
			.topology = i % 4,
		};
		double start;

		for (unsigned int g = 0; g < TESS_POOL_GPUS_MAX; g++) {
			for (unsigned int k = 0; k < 16; k++)
				kind[g][k] = 1 + (k >= 8) + (k >= 12);
			gpus[g] = (struct tess_place){ 16, random_next(&r) & 0xffff, kind[g], 0, 0,
						       0 };
		}
		start = now_us();
		ASSERT_EQ(tess_place_pool(gpus, TESS_POOL_GPUS_MAX, &req, c), 0);
		us[i] = now_us() - start;
	}
	qsort(us, TIMED, sizeof(us[0]), compare_double);
	printf("# figure place_us_64x16 %.1f\n", us[TIMED / 2]);
	EXPECT_GT(us[TIMED / 2], 0);
}

TEST(figure)
{
	if (*worst_of_all < 0)
		SKIP(return, "no test that compares was run");
	printf("# figure placement_worst_excess_pct %.3f\n", *worst_of_all);
}

TEST_HARNESS_MAIN
