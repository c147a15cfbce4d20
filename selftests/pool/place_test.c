// SPDX-License-Identifier: GPL-2.0-or-later
/* Placement is a pure function: the kernel's source, compiled here. */
#include "../../drivers/core/algo/place.c"
#include "../../drivers/core/algo/place_search.c"
#include "../../drivers/core/algo/place_share.c"

#include "harness.h"

#define C TESS_KIND_COMPUTE
#define R TESS_KIND_RENDER
#define M TESS_KIND_MIXED

/* The default GPU */
static const u32 kinds[16] = { C, C, C, C, C, C, R, R, R, R, R, R, M, M, M, M };

static struct tess_place gpu_with(u64 free)
{
	return (struct tess_place){ .count = 16, .free = free, .kind = kinds };
}

static u64 choose_near(u64 free, u32 kind, unsigned int n, u32 topology)
{
	struct tess_place_request req = { .n = n, .kind = kind, .topology = topology };
	struct tess_place place = gpu_with(free);
	u8 chosen[TESS_MAX_SLICES];
	unsigned int i;
	u64 mask = 0;

	if (tess_place_choose(&place, &req, chosen))
		return 0;
	for (i = 0; i < n; i++)
		mask |= BIT_ULL(chosen[i]);
	return mask;
}

static u64 choose(u64 free, u32 kind, unsigned int n)
{
	return choose_near(free, kind, n, TESS_TOPOLOGY_NONE);
}

TEST(kind)
{
	EXPECT_EQ(choose(0xffff, C, 1), 0x0001ULL);
	EXPECT_EQ(choose(0xffff, R, 1), 0x0040ULL);
	EXPECT_EQ(choose(0xffff, M, 4), 0xf000ULL);
	EXPECT_EQ(choose(0xffff, C, 6), 0x003fULL);
}

TEST(not_enough)
{
	EXPECT_EQ(choose(0xffff, C, 7), 0ULL);
	EXPECT_EQ(choose(0xffff, TESS_KIND_NONE, 17), 0ULL);
	EXPECT_EQ(choose(0xffff, TESS_KIND_NONE, TESS_MAX_SLICES), 0ULL);
	EXPECT_EQ(choose(0, TESS_KIND_NONE, 1), 0ULL);
}

TEST(count)
{
	struct tess_place place = gpu_with(0x1043);

	EXPECT_EQ(tess_place_free(&place, C), 2U);
	EXPECT_EQ(tess_place_free(&place, R), 1U);
	EXPECT_EQ(tess_place_free(&place, M), 1U);
	EXPECT_EQ(tess_place_free(&place, TESS_KIND_NONE), 4U);
}

/* A slice that is too slow is not chosen, not even if the vGPU has it now */
TEST(unfit)
{
	struct tess_place_request req = { .n = 2, .keep = 0x0003 };
	struct tess_place place = gpu_with(0xf0c0);
	u8 chosen[TESS_MAX_SLICES];

	place.unfit = 0x003f;
	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	EXPECT_EQ(tess_place_mask(chosen, 2) & place.unfit, 0ULL);
	EXPECT_EQ(tess_place_free(&place, TESS_KIND_NONE), 6U);
	place.unfit = 0xf03f;
	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	EXPECT_EQ(tess_place_mask(chosen, 2), 0x00c0ULL);
	place.unfit = 0xf07f;
	EXPECT_EQ(tess_place_choose(&place, &req, chosen), -ENOSPC);
}

TEST(near_each_other)
{
	u32 topology;

	for (topology = TESS_TOPOLOGY_CHAIN; topology <= TESS_TOPOLOGY_MESH; topology++) {
		/* 0 and 5 are far from each other, 3 and 5 are nearer */
		EXPECT_EQ(choose_near(0x0029, C, 2, topology), 0x0028ULL);
		/* no two neighbours: the three with the smallest span */
		EXPECT_EQ(choose_near(0x0035, C, 3, topology), 0x0034ULL);
		/* the fabric is a ring */
		EXPECT_EQ(choose_near(0x8021, TESS_KIND_NONE, 2, topology), 0x0021ULL);
		EXPECT_EQ(choose_near(0xe003, TESS_KIND_NONE, 5, topology), 0xe003ULL);
	}
	/* without links it does not matter: what is good for nothing else goes first */
	EXPECT_EQ(choose(0x001d, C, 1), 0x0001ULL);
	EXPECT_EQ(choose(0x0035, C, 2), 0x0005ULL);
}

TEST(best_fit)
{
	/* runs of two (0, 1) and three (3, 4, 5): two go to the run of two */
	EXPECT_EQ(choose(0x003b, C, 2), 0x0003ULL);
	/* runs of three (0, 1, 2) and two (4, 5) */
	EXPECT_EQ(choose(0x0037, C, 2), 0x0030ULL);
	/* one goes to the run of one */
	EXPECT_EQ(choose(0x0017, C, 1), 0x0010ULL);
	/* and to the start of a run, which stays whole */
	EXPECT_EQ(choose(0x003e, C, 1), 0x0002ULL);
}

TEST(runs_end_at_other_kinds)
{
	/* 5 is free beside 6, which is another kind: a run of one */
	EXPECT_EQ(choose(0x0066, C, 1), 0x0020ULL);
}

TEST(any_kind)
{
	/* the kind with the fewest free slices that are enough */
	EXPECT_EQ(choose(0xffff, TESS_KIND_NONE, 4), 0xf000ULL);
	EXPECT_EQ(choose(0xffff, TESS_KIND_NONE, 5), 0x001fULL);
	/* more than any kind has: mixed, and all of it */
	EXPECT_EQ(choose(0xffff, TESS_KIND_NONE, 16), 0xffffULL);
	EXPECT_EQ(choose(0xffff, TESS_KIND_NONE, 7), 0x1fc0ULL);
	EXPECT_EQ(choose_near(0xffff, TESS_KIND_NONE, 7, TESS_TOPOLOGY_RING), 0x1fc0ULL);
}

/* Whether it can be met depends on the number only, and the answer is what was asked for */
TEST(every_mask)
{
	unsigned int n;
	u32 kind;
	u64 free;

	for (free = 0; free <= 0xffff; free++) {
		struct tess_place place = gpu_with(free);

		for (kind = TESS_KIND_NONE; kind <= M; kind++) {
			unsigned int have = tess_place_free(&place, kind);

			for (n = 1; n <= 4; n++) {
				u64 mask = choose(free, kind, n);

				ASSERT_EQ(!!mask, n <= have);
				if (!mask)
					continue;
				ASSERT_EQ(hweight64(mask), n);
				ASSERT_EQ(mask & ~free, 0ULL);
				place.free = mask;
				ASSERT_EQ(tess_place_free(&place, kind), n);
				place.free = free;
			}
		}
	}
}

TEST(many_slices)
{
	struct tess_place_request req = { .n = TESS_MAX_SLICES, .kind = R };
	u32 many[TESS_MAX_SLICES];
	struct tess_place place = { .count = TESS_MAX_SLICES, .free = ~0ULL, .kind = many };
	u8 chosen[TESS_MAX_SLICES];
	unsigned int i;

	for (i = 0; i < TESS_MAX_SLICES; i++)
		many[i] = R;
	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	for (i = 0; i < TESS_MAX_SLICES; i++)
		EXPECT_EQ(chosen[i], i);
	place.free = BIT_ULL(63);
	req.n = 1;
	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	EXPECT_EQ(chosen[0], 63);
}

/* Its own slices count as free, staying is preferred, and who stays keeps its slice */
TEST(stay_in_order)
{
	static const u8 now[] = { 3, 1, 2 };
	struct tess_place_request req = {
		.n = 3,
		.kind = C,
		.topology = TESS_TOPOLOGY_CHAIN,
		.keep = 0x0e,
		.now = now,
		.nr_now = 3,
	};
	struct tess_place place = gpu_with(0x0000);
	u8 chosen[TESS_MAX_SLICES];
	unsigned int i;

	/* 3, 2, 1 is one link shorter, but two would move */
	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(chosen[i], now[i]);
	EXPECT_EQ(tess_place_cost(&place, &req, chosen), (3ULL << 16) + 9);
	req.now = NULL;
	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(chosen[i], i + 1);
	EXPECT_EQ(tess_place_cost(&place, &req, chosen), (2ULL << 16) + 9);
}

TEST(stay)
{
	static const u8 now[] = { 4, 3, 1 };
	struct tess_place_request req = {
		.n = 2, .kind = C, .keep = 0x1a, .now = now, .nr_now = 3
	};
	struct tess_place place = gpu_with(0x0000);
	u8 chosen[TESS_MAX_SLICES];

	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	EXPECT_EQ(chosen[0], 4);
	EXPECT_EQ(chosen[1], 3);
	req.n = 4;
	EXPECT_EQ(tess_place_choose(&place, &req, chosen), -ENOSPC);
	place.free = 0x0004;
	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	EXPECT_EQ(chosen[0], 4);
	EXPECT_EQ(chosen[1], 3);
	EXPECT_EQ(chosen[2], 1);
	EXPECT_EQ(chosen[3], 2);
	/* any kind: the one that it has */
	place.free = 0xffff;
	req.kind = TESS_KIND_NONE;
	req.n = 1;
	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	EXPECT_EQ(chosen[0], 4);
}

/* ---- heads ---- */

/* Of render and mixed slices; those of compute copy as well as the others */
#define SHOWS 0xffc0
#define COPIES 0xffff

/* Frames are where slices show them, or copy them, and near these when the vGPU changes */
TEST(heads)
{
	static const u8 at_8[] = { 8, 0 }, at_1[] = { 1, 0 };
	static const struct {
		u64 free, heads;
		unsigned int n, shown;
		const u8 *bank;
		u8 first, second;
	} cases[] = {
		/* the scarcest kind, or the scarcest that serves them */
		{ 0xffc3, SHOWS, 1, 0, NULL, 0, 0 },
		{ 0xffc3, SHOWS, 1, 1, NULL, 12, 0 },
		{ 0xffc3, COPIES, 1, 1, NULL, 0, 0 },
		{ 0x0003, SHOWS, 1, 1, NULL, 0, 0 },
		/* kinds are mixed: the first vslice, in whose memory they are, is the one that serves */
		{ 0x0060, SHOWS, 2, 0, NULL, 5, 6 },
		{ 0x0060, SHOWS, 2, 2, NULL, 6, 5 },
		{ 0x0060, COPIES, 2, 2, NULL, 5, 6 },
		/* memory is somewhere: what serves is near, though the vslice could be nearer */
		{ 0x0402, SHOWS, 1, 1, at_8, 10, 0 },
		{ 0x0041, SHOWS, 2, 1, at_1, 6, 0 },
		{ 0x8100, COPIES, 1, 4, at_8, 8, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tess_place_request req = {
			.n = cases[i].n,
			.heads = cases[i].shown,
			.bank = cases[i].bank,
		};
		struct tess_place place = gpu_with(cases[i].free);
		u8 chosen[TESS_MAX_SLICES] = { 0 };

		place.heads = cases[i].heads;
		ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
		if (chosen[0] != cases[i].first || chosen[1] != cases[i].second)
			TH_LOG("case %zu: %u %u", i, chosen[0], chosen[1]);
		EXPECT_EQ(chosen[0], cases[i].first);
		EXPECT_EQ(chosen[1], cases[i].second);
	}
}

/* Each head costs the way of its frame, and all around if no slice serves it */
TEST(heads_cost)
{
	static const u8 bank[] = { 9, 2 };
	struct tess_place_request req = { .n = 2, .heads = 3, .bank = bank };
	struct tess_place place = gpu_with(0x0024);
	const u8 chosen[] = { 5, 2 };
	u64 lost = tess_place_lost(&place, 0x0024, 0x0024);

	place.heads = 0x0024;
	EXPECT_EQ(tess_place_cost(&place, &req, chosen), ((4ULL + 3 * 4) << 16) + lost);
	place.heads = 0x0004;
	EXPECT_EQ(tess_place_cost(&place, &req, chosen), ((4ULL + 3 * 7) << 16) + lost);
	req.frame = 1;
	EXPECT_EQ(tess_place_cost(&place, &req, chosen), (4ULL << 16) + lost);
	place.heads = 0x8000;
	EXPECT_EQ(tess_place_cost(&place, &req, chosen), ((4ULL + 3 * 16) << 16) + lost);
}

/* ---- growth ---- */

/* Slices that vslices get one after the other, the first of which are chosen */
static u64 likely(u64 free, u32 kind, unsigned int n, unsigned int max, u8 *chosen)
{
	struct tess_place_request req = { .n = n, .kind = kind, .topology = TESS_TOPOLOGY_MESH };
	struct tess_place place = gpu_with(free);

	if (tess_place_choose(&place, &req, chosen))
		return 0;
	tess_place_likely(&place, &req, max, chosen);
	return tess_place_mask(chosen, max);
}

TEST(memory_of_all)
{
	u8 chosen[TESS_MAX_SLICES], again[TESS_MAX_SLICES];
	unsigned int n, i;

	for (n = 1; n <= 4; n++) {
		ASSERT_EQ(likely(0xffff, C, n, 4, chosen), 0x000fULL);
		/* what has a slice now has its memory there */
		ASSERT_NE(likely(0xffff, C, n, n, again), 0ULL);
		for (i = 0; i < n; i++)
			ASSERT_EQ(chosen[i], again[i]);
	}
	/* the first is not at the end of what is free: both sides */
	ASSERT_EQ(likely(0x001e, C, 2, 4, chosen), 0x001eULL);
	/* three of four can be had now: the fourth shares the bank of the first */
	ASSERT_EQ(likely(0x0038, C, 1, 4, chosen), 0x0038ULL);
	EXPECT_EQ(chosen[3], chosen[0]);
	/* none but the chosen ones */
	ASSERT_EQ(likely(0x0003, C, 2, 5, chosen), 0x0003ULL);
	for (i = 2; i < 5; i++)
		EXPECT_EQ(chosen[i], chosen[i - 2]);
	ASSERT_EQ(likely(0xffff, TESS_KIND_NONE, 2, 16, chosen), 0xffffULL);
}

TEST(grows_to_memory)
{
	static const u8 now[] = { 1, 2 };
	u8 bank[] = { 1, 2, 0, 3 }, chosen[TESS_MAX_SLICES];
	struct tess_place_request req = {
		.n = 4,
		.kind = C,
		.topology = TESS_TOPOLOGY_MESH,
		.keep = 0x0006,
		.now = now,
		.nr_now = 2,
		.bank = bank,
	};
	struct tess_place place = gpu_with(0x0039);
	unsigned int i;

	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(chosen[i], bank[i]);
	EXPECT_EQ(tess_place_cost(&place, &req, chosen), (10ULL << 16) + 36 - 4);
	/* the slice of one bank is somebody else's: what is nearest to it */
	place.free = 0x0031;
	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	EXPECT_EQ(chosen[2], 0);
	EXPECT_EQ(chosen[3], 4);
	/* no links: the memory alone says where */
	place.free = 0x003f;
	bank[2] = 5;
	req.topology = TESS_TOPOLOGY_NONE;
	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(chosen[i], bank[i]);
	/* slices of another kind, as near as there are */
	req.n = 2;
	req.kind = M;
	place.free = 0xffff;
	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	EXPECT_EQ(tess_place_mask(chosen, 2), 0xc000ULL);
}

/* Where others have memory to grow into nobody goes without need */
TEST(leave_room)
{
	struct tess_place_request req = { .n = 2, .kind = C, .topology = TESS_TOPOLOGY_MESH };
	struct tess_place place = gpu_with(0x003c);
	u8 chosen[TESS_MAX_SLICES];

	place.avoid = 0x000c;
	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	EXPECT_EQ(tess_place_mask(chosen, 2), 0x0030ULL);
	req.n = 4;
	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	EXPECT_EQ(tess_place_mask(chosen, 4), 0x003cULL);
	/* but who is there stays */
	req.n = 2;
	req.keep = 0x000c;
	ASSERT_EQ(tess_place_choose(&place, &req, chosen), 0);
	EXPECT_EQ(tess_place_mask(chosen, 2), 0x000cULL);
}

/* ---- shared ---- */

static struct tess_place_shared shared_gpu(u64 open)
{
	return (struct tess_place_shared){ .count = 16, .open = open, .kind = kinds };
}

static u64 share(struct tess_place_shared *place, u32 kind, unsigned int n, u32 weight)
{
	u8 chosen[TESS_MAX_SLICES];
	unsigned int i;
	u64 mask = 0;

	if (tess_place_share(place, kind, n, weight, chosen))
		return 0;
	for (i = 0; i < n; i++)
		mask |= BIT_ULL(chosen[i]);
	return hweight64(mask) == n ? mask : 0;
}

TEST(share_least_loaded)
{
	struct tess_place_shared place = shared_gpu(0xffff);

	/* free ones first, then those with the smallest sum of weights */
	EXPECT_EQ(share(&place, M, 1, 300), 0x1000ULL);
	EXPECT_EQ(share(&place, M, 2, 100), 0x6000ULL);
	EXPECT_EQ(share(&place, M, 1, 50), 0x8000ULL);
	EXPECT_EQ(share(&place, M, 1, 100), 0x8000ULL);
	EXPECT_EQ(share(&place, M, 2, 100), 0x6000ULL);
	EXPECT_EQ(share(&place, M, 1, 1), 0x8000ULL);
	EXPECT_EQ(place.members[12], 1);
	EXPECT_EQ(place.load[12], 300U);
	/* equal sums: the one with fewer members */
	place.load[12] = place.load[15];
	EXPECT_EQ(share(&place, M, 1, 1), 0x1000ULL);
}

TEST(share_limits)
{
	struct tess_place_shared place = shared_gpu(0x5000);
	unsigned int i;

	EXPECT_EQ(share(&place, M, 3, 1), 0ULL);
	EXPECT_EQ(share(&place, C, 1, 1), 0ULL);
	EXPECT_EQ(place.members[12] + place.members[14], 0);
	for (i = 0; i < 16; i++)
		EXPECT_NE(share(&place, TESS_KIND_NONE, 1, 1), 0ULL);
	EXPECT_EQ(share(&place, TESS_KIND_NONE, 1, 1), 0ULL);
	/* what is left, not what there would be elsewhere, decides about two at a time */
	place = shared_gpu(0xf000);
	place.members[12] = place.members[13] = place.members[14] = 8;
	EXPECT_EQ(share(&place, M, 2, 1), 0ULL);
	EXPECT_EQ(share(&place, M, 1, 1), 0x8000ULL);
}

/* The number that is promised is what can be placed, and not one more */
TEST(share_count)
{
	struct tess_place_shared place, copy;
	unsigned int i, k, n, count;
	u32 seed = 1;

	for (k = 0; k < 2000; k++) {
		place = shared_gpu(seed >> 8);
		for (i = 0; i < 16; i++) {
			seed = seed * 1664525 + 1013904223;
			place.members[i] = (seed >> 16) % 9;
			place.load[i] = place.members[i] * 100;
		}
		n = 1 + k % 4;
		copy = place;
		count = tess_place_share_count(&copy, k % 3, n, 100);
		for (i = 0; i < count; i++)
			ASSERT_NE(share(&place, k % 3, n, 100), 0ULL);
		ASSERT_EQ(share(&place, k % 3, n, 100), 0ULL);
	}
	place = shared_gpu(0xffff);
	EXPECT_EQ(tess_place_share_count(&place, TESS_KIND_NONE, 1, 100), 128U);
	place = shared_gpu(0xffff);
	EXPECT_EQ(tess_place_share_count(&place, C, 4, 100), 12U);
}

TEST_HARNESS_MAIN
