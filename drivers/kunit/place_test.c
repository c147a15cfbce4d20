// SPDX-License-Identifier: GPL-2.0-only
/* Placement: that nobody gets what is not there; selftests/pool asks for the best choice. */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "source.h"
#include "../core/algo/place.c"
#include "../core/algo/place_search.c"
#include "../core/algo/place_share.c"
#include "../core/algo/place_pool.c"

#define C TESS_KIND_COMPUTE
#define R TESS_KIND_RENDER
#define M TESS_KIND_MIXED

/* The default GPU */
static const u32 kinds[16] = { C, C, C, C, C, C, R, R, R, R, R, R, M, M, M, M };

/* What a choice of one GPU has to be */
static void expect_valid(struct kunit *test, const struct tess_place *place,
			 const struct tess_place_request *req, const u8 *chosen)
{
	u64 mask = tess_place_mask(chosen, req->n);
	unsigned int i;

	KUNIT_EXPECT_EQ(test, hweight64(mask), req->n);
	KUNIT_EXPECT_EQ(test, mask & ~(place->free | req->keep), 0);
	for (i = 0; req->kind && i < req->n; i++)
		KUNIT_EXPECT_EQ(test, place->kind[chosen[i]], req->kind);
}

/* Whatever is free: given if it is there, of one kind, each slice once; refused if not */
static void place_valid_test(struct kunit *test)
{
	u8 chosen[TESS_MAX_SLICES];
	struct rnd_state random;
	unsigned int i, enough;

	prandom_seed_state(&random, 6);
	for (i = 0; i < 3000; i++) {
		u32 bits = prandom_u32_state(&random);
		struct tess_place place = { .count = 16, .free = bits & 0xffff, .kind = kinds };
		struct tess_place_request req = {
			.n = 1 + (bits >> 16) % 6,
			.kind = C + (bits >> 20) % 3,
			.topology = (bits >> 24) % 4,
		};

		enough = tess_place_free(&place, req.kind) >= req.n;
		KUNIT_ASSERT_EQ(test, tess_place_choose(&place, &req, chosen),
				enough ? 0 : -ENOSPC);
		if (enough)
			expect_valid(test, &place, &req, chosen);
	}
}

/* Who has slices keeps them, in their order */
static void place_keep_test(struct kunit *test)
{
	static const u8 now[] = { 4, 3, 1 };
	struct tess_place place = { .count = 16, .free = 0x0004, .kind = kinds };
	struct tess_place_request req = {
		.n = 4, .kind = C, .keep = 0x1a, .now = now, .nr_now = ARRAY_SIZE(now),
	};
	u8 chosen[TESS_MAX_SLICES];

	KUNIT_ASSERT_EQ(test, tess_place_choose(&place, &req, chosen), 0);
	KUNIT_EXPECT_MEMEQ(test, chosen, now, sizeof(now));
	KUNIT_EXPECT_EQ(test, chosen[3], 2);
	req.n = 5;
	KUNIT_EXPECT_EQ(test, tess_place_choose(&place, &req, chosen), -ENOSPC);
}

/* Slices are shared by so many and no more; members and loads are what was placed */
static void place_share_test(struct kunit *test)
{
	struct tess_place_shared place = { .count = 16, .open = 0xf000, .kind = kinds };
	unsigned int i, members = 0, load = 0;
	u8 chosen[TESS_MAX_SLICES];

	for (i = 0; i < 4 * TESS_SHARE_MAX; i++)
		KUNIT_ASSERT_EQ(test, tess_place_share(&place, M, 1, 10, chosen), 0);
	KUNIT_EXPECT_NE(test, tess_place_share(&place, M, 1, 10, chosen), 0);
	KUNIT_EXPECT_NE(test, tess_place_share(&place, C, 1, 10, chosen), 0);
	for (i = 0; i < 16; i++) {
		members += place.members[i];
		load += place.load[i];
	}
	KUNIT_EXPECT_EQ(test, members, 4 * TESS_SHARE_MAX);
	KUNIT_EXPECT_EQ(test, load, 10 * members);
}

/* On several GPUs: only what is free there, from as many GPUs as asked for */
static void place_pool_test(struct kunit *test)
{
	struct tess_place gpus[] = {
		{ .count = 16, .free = 0x0003, .kind = kinds },
		{ .count = 16, .free = 0x0030, .kind = kinds },
	};
	struct tess_place_span req = { .n = 4, .kind = C };
	static const u8 limit[] = { 1, 2 };
	struct tess_place_spot chosen[TESS_MAX_SLICES];
	u64 taken[2] = {};
	unsigned int i;

	KUNIT_EXPECT_FALSE(test, tess_place_pool_can(gpus, 2, &req));
	KUNIT_EXPECT_EQ(test, tess_place_pool(gpus, 2, &req, chosen), -ENOSPC);
	req.gpus = 2;
	KUNIT_EXPECT_TRUE(test, tess_place_pool_can(gpus, 2, &req));
	KUNIT_ASSERT_EQ(test, tess_place_pool(gpus, 2, &req, chosen), 0);
	for (i = 0; i < req.n; i++) {
		KUNIT_ASSERT_LT(test, chosen[i].gpu, 2);
		taken[chosen[i].gpu] |= BIT_ULL(chosen[i].slice);
	}
	KUNIT_EXPECT_EQ(test, taken[0], 0x0003);
	KUNIT_EXPECT_EQ(test, taken[1], 0x0030);
	req.limit = limit;
	KUNIT_EXPECT_EQ(test, tess_place_pool(gpus, 2, &req, chosen), -ENOSPC);
	req.n = 3;
	KUNIT_ASSERT_EQ(test, tess_place_pool(gpus, 2, &req, chosen), 0);
	KUNIT_EXPECT_EQ(test, chosen[0].gpu, 0);
	KUNIT_EXPECT_EQ(test, chosen[1].gpu, 1);
	KUNIT_EXPECT_EQ(test, chosen[2].gpu, 1);
}

static struct kunit_case place_cases[] = {
	KUNIT_CASE(place_valid_test),
	KUNIT_CASE(place_keep_test),
	KUNIT_CASE(place_share_test),
	KUNIT_CASE(place_pool_test),
	{}
};

static struct kunit_suite place_suite = {
	.name = "tessera_place",
	.test_cases = place_cases,
};

kunit_test_suite(place_suite);
