// SPDX-License-Identifier: GPL-2.0-only
/* What the swapper decides, one rule after the other; selftests/pool has random pools. */
#include <kunit/test.h>

#include "source.h"
#include "../core/algo/swap.c"

/**
 * struct swap_world - two slices and two vslices on the first of them
 * @pool: snapshot
 * @slices: of it
 * @members: of it
 */
struct swap_world {
	struct tess_swap_pool pool;
	struct tess_swap_slice slices[2];
	struct tess_swap_member members[2];
};

static int swap_init(struct kunit *test)
{
	struct swap_world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	test->priv = w;
	w->pool = (struct tess_swap_pool){ 2, w->slices, 2, w->members };
	for (i = 0; i < 2; i++) {
		w->slices[i] = (struct tess_swap_slice){
			.kind = TESS_KIND_COMPUTE,
			.cores = 4,
			.engines = TESS_ENGINE_COMPUTE,
			.use = i ? TESS_SWAP_FREE : TESS_SWAP_SHARED,
			.room = 4,
		};
		w->members[i] = (struct tess_swap_member){
			.owner = i,
			.demand = 1000,
			.kind = TESS_KIND_COMPUTE,
			.engines = TESS_ENGINE_COMPUTE,
			.automatic = true,
			.avoid = { -1, -1, -1, -1 },
		};
	}
	return 0;
}

/* What is decided once it has been like this for long; no reason if that contradicts itself */
static struct tess_swap_decision swap_decide(struct swap_world *w)
{
	struct tess_swap_decision d;
	bool moves, somewhere;
	unsigned int i;

	for (i = 0; i < TESS_SWAP_PATIENCE; i++)
		tess_swap_look(&w->pool);
	moves = tess_swap_decide(&w->pool, &d);
	somewhere = d.to >= 0;
	if (moves != somewhere)
		d.reason = -1;
	return d;
}

/* Off a crowded slice, once, and there it stays */
static void swap_crowded_test(struct kunit *test)
{
	struct swap_world *w = test->priv;
	struct tess_swap_decision d;

	tess_swap_look(&w->pool);
	KUNIT_EXPECT_FALSE(test, tess_swap_decide(&w->pool, &d));
	KUNIT_EXPECT_EQ(test, d.reason, TESS_SWAP_HELD);
	tess_swap_look(&w->pool);
	KUNIT_ASSERT_TRUE(test, tess_swap_decide(&w->pool, &d));
	KUNIT_EXPECT_EQ(test, d.reason, TESS_SWAP_CROWDED);
	KUNIT_EXPECT_EQ(test, d.to, 1);
	KUNIT_EXPECT_EQ(test, d.gain, 1000);
	tess_swap_apply(&w->pool, &d);
	KUNIT_EXPECT_EQ(test, w->members[d.member].slice, 1);
	KUNIT_EXPECT_EQ(test, swap_decide(w).reason, TESS_SWAP_BALANCED);
}

/* Only who may move, and only where it can be */
static void swap_nowhere_test(struct kunit *test)
{
	struct swap_world *w = test->priv;

	w->members[0].automatic = false;
	KUNIT_EXPECT_EQ(test, swap_decide(w).member, 1);
	w->slices[1].kind = TESS_KIND_RENDER;
	KUNIT_EXPECT_EQ(test, swap_decide(w).reason, TESS_SWAP_NOWHERE);
	w->slices[1].kind = TESS_KIND_COMPUTE;
	w->slices[1].engines = 0;
	KUNIT_EXPECT_EQ(test, swap_decide(w).reason, TESS_SWAP_NOWHERE);
	w->slices[1].engines = TESS_ENGINE_COMPUTE;
	w->slices[1].use = TESS_SWAP_OTHER;
	KUNIT_EXPECT_EQ(test, swap_decide(w).reason, TESS_SWAP_NOWHERE);
	w->slices[1].use = TESS_SWAP_SHARED;
	w->slices[1].room = 0;
	KUNIT_EXPECT_EQ(test, swap_decide(w).reason, TESS_SWAP_NOWHERE);
}

static void swap_gain_test(struct kunit *test)
{
	struct swap_world *w = test->priv;

	w->members[0].demand = 550;
	w->members[1].demand = 549;
	KUNIT_EXPECT_EQ(test, swap_decide(w).reason, TESS_SWAP_GAIN);
	w->members[1].demand = 550;
	KUNIT_EXPECT_EQ(test, swap_decide(w).reason, TESS_SWAP_CROWDED);
	w->members[1].demand = 0;
	KUNIT_EXPECT_EQ(test, swap_decide(w).reason, TESS_SWAP_BALANCED);
}

/* After a move it is held, twice as long after another, and does not return for longer */
static void swap_memory_test(struct kunit *test)
{
	struct tess_swap_memory memory = {};
	struct tess_swap_member m;

	tess_swap_recall(&memory, 1, &m);
	KUNIT_EXPECT_FALSE(test, m.held);
	KUNIT_EXPECT_EQ(test, m.avoid[0], -1);
	tess_swap_remember(&memory, 5, 3);
	tess_swap_recall(&memory, 5 + TESS_SWAP_HOLD - 1, &m);
	KUNIT_EXPECT_TRUE(test, m.held);
	tess_swap_recall(&memory, 5 + TESS_SWAP_HOLD, &m);
	KUNIT_EXPECT_FALSE(test, m.held);
	KUNIT_EXPECT_EQ(test, m.avoid[0], 3);
	tess_swap_remember(&memory, 20, 4);
	tess_swap_recall(&memory, 20 + 2 * TESS_SWAP_HOLD - 1, &m);
	KUNIT_EXPECT_TRUE(test, m.held);
	KUNIT_EXPECT_EQ(test, m.avoid[0], 4);
	KUNIT_EXPECT_EQ(test, m.avoid[1], 3);
	tess_swap_recall(&memory, 20 + TESS_SWAP_AVOID, &m);
	KUNIT_EXPECT_EQ(test, m.avoid[0], -1);
}

static struct kunit_case swap_cases[] = {
	KUNIT_CASE(swap_crowded_test),
	KUNIT_CASE(swap_nowhere_test),
	KUNIT_CASE(swap_gain_test),
	KUNIT_CASE(swap_memory_test),
	{}
};

static struct kunit_suite swap_suite = {
	.name = "tessera_swap",
	.init = swap_init,
	.test_cases = swap_cases,
};

kunit_test_suite(swap_suite);
