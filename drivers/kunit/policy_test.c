// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduling policy: turns of a slice whose clients always have work. Sleepers, bursts and
 * late timers are simulated by selftests/pool.
 */
#include <kunit/test.h>

#include "source.h"
#include "../core/algo/policy.c"

#define QUANTUM 8000ULL

/**
 * struct shared_slice - a slice and who shares it
 * @p: policy
 * @e: those who share it
 * @busy: cycles that each had
 * @now: GPU time
 */
struct shared_slice {
	struct tess_policy p;
	struct tess_policy_entity e[3];
	u64 busy[3];
	u64 now;
};

static struct shared_slice *slice_start(struct kunit *test, enum tess_policy_kind kind,
					const u32 weight[3], const u32 cap[3])
{
	struct shared_slice *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	tess_policy_set(&s->p, kind, QUANTUM);
	tess_policy_refill(&s->p, s->now);
	for (i = 0; i < 3; i++) {
		s->e[i].weight = weight[i];
		s->e[i].cap = cap[i];
		tess_policy_join(&s->p, &s->e[i]);
		tess_policy_wake(&s->p, &s->e[i]);
	}
	return s;
}

/* One turn: until the timer says so, as the scheduler does it */
static void slice_turn(struct kunit *test, struct shared_slice *s)
{
	struct tess_policy_entity *e;
	u64 timer;

	tess_policy_refill(&s->p, s->now);
	e = tess_policy_pick(&s->p);
	if (e)
		tess_policy_start(&s->p, e);
	timer = tess_policy_timer(&s->p, e, 0, s->now);
	KUNIT_ASSERT_GT(test, timer, 0);
	s->now += timer;
	if (!e)
		return;
	s->busy[e - s->e] += timer;
	tess_policy_charge(&s->p, e, timer);
}

static void slice_run(struct kunit *test, struct shared_slice *s, u64 cycles)
{
	u64 end = s->now + cycles;

	while (s->now < end)
		slice_turn(test, s);
}

/* Is a share, in percent of all that passed, within one percent? */
static void expect_share(struct kunit *test, const struct shared_slice *s, unsigned int i,
			 u64 percent)
{
	u64 share = div64_u64(s->busy[i] * 1000, s->now);

	KUNIT_EXPECT_GE(test, share, 10 * percent - 10);
	KUNIT_EXPECT_LE(test, share, 10 * percent + 10);
}

static void policy_weights_test(struct kunit *test)
{
	static const u32 weight[] = { 100, 300, 600 }, cap[3];
	struct shared_slice *s = slice_start(test, TESS_POLICY_FAIR, weight, cap);

	slice_run(test, s, 2000 * QUANTUM);
	expect_share(test, s, 0, 10);
	expect_share(test, s, 1, 30);
	expect_share(test, s, 2, 60);
}

/* What a cap leaves goes to the others; caps of all leave the slice idle */
static void policy_caps_test(struct kunit *test)
{
	static const u32 weight[] = { 100, 100, 100 }, one[] = { 10, 0, 0 },
		all[] = { 10, 20, 30 };
	struct shared_slice *s = slice_start(test, TESS_POLICY_FAIR, weight, one);

	slice_run(test, s, 4000 * QUANTUM);
	expect_share(test, s, 0, 10);
	expect_share(test, s, 1, 45);
	expect_share(test, s, 2, 45);

	s = slice_start(test, TESS_POLICY_FAIR, weight, all);
	slice_run(test, s, 4000 * QUANTUM);
	expect_share(test, s, 0, 10);
	expect_share(test, s, 1, 20);
	expect_share(test, s, 2, 30);
}

static void policy_best_effort_test(struct kunit *test)
{
	static const u32 weight[] = { 1, 100, 10000 }, cap[3];
	struct shared_slice *s = slice_start(test, TESS_POLICY_BESTEFFORT, weight, cap);

	slice_run(test, s, 300 * QUANTUM);
	expect_share(test, s, 0, 33);
	expect_share(test, s, 1, 33);
	expect_share(test, s, 2, 33);
}

/* Without a budget nobody runs, except who is needed for a moment */
static void policy_urgent_test(struct kunit *test)
{
	static const u32 weight[] = { 100, 100, 100 }, cap[] = { 10, 10, 10 };
	struct shared_slice *s = slice_start(test, TESS_POLICY_FIXED, weight, cap);
	unsigned int i;

	for (i = 0; i < 3; i++)
		tess_policy_charge(&s->p, &s->e[i], 100 * QUANTUM);
	KUNIT_EXPECT_NULL(test, tess_policy_pick(&s->p));
	s->e[1].urgent = true;
	KUNIT_EXPECT_PTR_EQ(test, tess_policy_pick(&s->p), &s->e[1]);
	KUNIT_EXPECT_FALSE(test, tess_policy_preempt(&s->p, &s->e[1], 0));
	s->e[1].urgent = false;
	KUNIT_EXPECT_TRUE(test, tess_policy_preempt(&s->p, &s->e[1], 0));
}

/* Alone: no timer, no preemption; gone: nothing is left of it */
static void policy_members_test(struct kunit *test)
{
	static const u32 weight[] = { 100, 100, 100 }, cap[3];
	struct shared_slice *s = slice_start(test, TESS_POLICY_FAIR, weight, cap);
	struct tess_policy_entity extra[17] = {};
	unsigned int i;

	tess_policy_sleep(&s->p, &s->e[0]);
	tess_policy_sleep(&s->p, &s->e[2]);
	KUNIT_EXPECT_PTR_EQ(test, tess_policy_pick(&s->p), &s->e[1]);
	KUNIT_EXPECT_EQ(test, tess_policy_timer(&s->p, &s->e[1], 0, s->now), 0);
	KUNIT_EXPECT_FALSE(test, tess_policy_preempt(&s->p, &s->e[1], 9 * QUANTUM));
	for (i = 0; i < ARRAY_SIZE(extra); i++) {
		extra[i].weight = 1;
		tess_policy_join(&s->p, &extra[i]);
	}
	tess_policy_leave(&s->p, &s->e[1]);
	KUNIT_EXPECT_NULL(test, tess_policy_pick(&s->p));
	KUNIT_EXPECT_EQ(test, s->p.count, 2 + ARRAY_SIZE(extra));
}

static struct kunit_case policy_cases[] = {
	KUNIT_CASE(policy_weights_test),
	KUNIT_CASE(policy_caps_test),
	KUNIT_CASE(policy_best_effort_test),
	KUNIT_CASE(policy_urgent_test),
	KUNIT_CASE(policy_members_test),
	{}
};

static struct kunit_suite policy_suite = {
	.name = "tessera_policy",
	.test_cases = policy_cases,
};

kunit_test_suite(policy_suite);
