// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scheduling policy: the kernel's source, driven by a simulated slice. The simulation
 * is as unkind as a host: timers are served late, and a switch costs time.
 */
#include "../../drivers/core/algo/policy.c"

#include <stddef.h>

#include "harness.h"

#define QUANTUM 8000ULL
#define PERIOD (16 * QUANTUM)
#define CLIENTS 8
#define SWITCH_COST 40
#define LATE 600
#define FOREVER (~0ULL)

/**
 * struct client - a vslice and what it does
 * @e: entity
 * @on: cycles of work that arrive at a time; FOREVER: it never ends
 * @off: cycles between the end of work and the next
 * @left: cycles of work that are left
 * @next: time when work arrives
 * @busy: cycles that it ran
 * @turns: how often it came on
 * @delay: longest time from the arrival of work to its start
 */
struct client {
	struct tess_policy_entity e;
	u64 on, off, left, next, busy, turns, delay, arrived;
	bool started;
};

struct sim {
	struct tess_policy p;
	struct client client[CLIENTS];
	struct client *cur;
	u64 now, ran, switches, idle;
	u32 seed;
};

static struct client *to_client(struct tess_policy_entity *e)
{
	return e ? (struct client *)((char *)e - offsetof(struct client, e)) : NULL;
}

static u32 sim_random(struct sim *s, u32 below)
{
	s->seed = s->seed * 1664525 + 1013904223;
	return (s->seed >> 8) % below;
}

static void sim_init(struct sim *s, enum tess_policy_kind kind)
{
	memset(s, 0, sizeof(*s));
	s->seed = 1;
	s->now = 1000000;
	tess_policy_set(&s->p, kind, QUANTUM);
	tess_policy_refill(&s->p, s->now);
}

static struct client *sim_add(struct sim *s, u32 weight, u32 cap, u64 on, u64 off)
{
	struct client *c = &s->client[s->p.count];

	*c = (struct client){ .e = { .weight = weight, .cap = cap }, .on = on, .off = off };
	c->next = s->now;
	tess_policy_join(&s->p, &c->e);
	return c;
}

static u64 sim_arrivals(struct sim *s)
{
	u64 next = FOREVER;
	struct tess_policy_entity *e;

	tess_policy_for_each(e, &s->p) {
		struct client *c = to_client(e);

		if (!c->left && c->on && c->next <= s->now) {
			c->left = c->on;
			c->arrived = s->now;
			c->started = false;
			tess_policy_wake(&s->p, &c->e);
		}
		if (!c->left && c->on && c->next < next)
			next = c->next;
	}
	return next;
}

/* The decision that the scheduler makes at every event */
static void sim_decide(struct sim *s)
{
	struct client *next;

	tess_policy_refill(&s->p, s->now);
	if (s->cur && s->cur->e.runnable && !tess_policy_preempt(&s->p, &s->cur->e, s->ran)) {
		if (s->ran < s->p.quantum)
			return;
		tess_policy_start(&s->p, &s->cur->e);
		s->ran = 0;
		return;
	}
	next = to_client(tess_policy_pick(&s->p));
	if (next == s->cur)
		return;
	s->cur = next;
	s->ran = 0;
	if (!next)
		return;
	s->switches++;
	s->now += SWITCH_COST;
	next->turns++;
	if (!next->started && s->now - next->arrived > next->delay)
		next->delay = s->now - next->arrived;
	next->started = true;
	tess_policy_start(&s->p, &next->e);
}

static void sim_step(struct sim *s, u64 end)
{
	u64 arrival = sim_arrivals(s), timer, dt;
	struct client *c;

	sim_decide(s);
	c = s->cur;
	timer = tess_policy_timer(&s->p, c ? &c->e : NULL, s->ran, s->now);
	dt = (end > s->now ? end - s->now : 1);
	if (timer && timer + LATE < dt)
		dt = timer + sim_random(s, LATE);
	if (arrival != FOREVER && arrival > s->now && arrival - s->now < dt)
		dt = arrival - s->now;
	if (c && c->left != FOREVER && c->left < dt)
		dt = c->left;
	s->now += dt;
	if (!c) {
		s->idle += dt;
		return;
	}
	s->ran += dt;
	c->busy += dt;
	if (c->left != FOREVER)
		c->left -= dt;
	tess_policy_charge(&s->p, &c->e, dt);
	if (!c->left) {
		c->next = s->now + c->off;
		tess_policy_sleep(&s->p, &c->e);
	}
}

static void sim_run(struct sim *s, u64 cycles)
{
	u64 end = s->now + cycles;

	while (s->now < end)
		sim_step(s, end);
}

static void sim_clear(struct sim *s)
{
	unsigned int i;

	for (i = 0; i < CLIENTS; i++)
		s->client[i].busy = s->client[i].turns = s->client[i].delay = 0;
	s->switches = s->idle = 0;
}

static double jain(const struct sim *s, unsigned int n)
{
	double sum = 0, squares = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		sum += (double)s->client[i].busy;
		squares += (double)s->client[i].busy * (double)s->client[i].busy;
	}
	return sum * sum / (n * squares);
}

/* |a / b - 1| in percent */
static double off_by(double a, double b)
{
	double d = a / b - 1;

	return 100 * (d < 0 ? -d : d);
}

#define EXPECT_NEAR(what, wanted, percent)                                \
	do {                                                              \
		double _w = (double)(what), _v = (double)(wanted);        \
		if (off_by(_w, _v) > (percent))                           \
			TH_LOG("%s is %.1f, wanted %.1f", #what, _w, _v); \
		EXPECT_TRUE(off_by(_w, _v) <= (percent));                 \
	} while (0)

TEST(equal_weights)
{
	static const unsigned int counts[] = { 2, 4, 8 };
	unsigned int i, k;
	struct sim s;

	for (k = 0; k < 3; k++) {
		sim_init(&s, TESS_POLICY_FAIR);
		for (i = 0; i < counts[k]; i++)
			sim_add(&s, 100, 0, FOREVER, 0);
		sim_run(&s, 100 * QUANTUM * counts[k]);
		EXPECT_TRUE(jain(&s, counts[k]) >= 0.999);
		/* One switch per quantum, no more */
		EXPECT_TRUE(s.switches <= 101 * counts[k]);
	}
}

TEST(weights)
{
	static const u32 scale[] = { 1, 3, 100, 2500 };
	unsigned int k;
	struct sim s;

	for (k = 0; k < 4; k++) {
		sim_init(&s, TESS_POLICY_FAIR);
		sim_add(&s, 1 * scale[k], 0, FOREVER, 0);
		sim_add(&s, 2 * scale[k], 0, FOREVER, 0);
		sim_add(&s, 4 * scale[k], 0, FOREVER, 0);
		sim_run(&s, 700 * QUANTUM);
		EXPECT_NEAR(s.client[1].busy, 2 * s.client[0].busy, 2);
		EXPECT_NEAR(s.client[2].busy, 4 * s.client[0].busy, 2);
	}
}

/* The least and the largest weight, and rounding */
TEST(weights_far_apart)
{
	struct sim s;

	sim_init(&s, TESS_POLICY_FAIR);
	sim_add(&s, 1, 0, FOREVER, 0);
	sim_add(&s, 10000, 0, FOREVER, 0);
	sim_run(&s, 100000 * QUANTUM);
	EXPECT_NEAR(s.client[1].busy, 10000 * s.client[0].busy, 15);
	EXPECT_TRUE(s.client[0].turns >= 8);
}

/* No timer and no switch for one that is alone */
TEST(alone)
{
	struct client *c;
	struct sim s;

	sim_init(&s, TESS_POLICY_FAIR);
	c = sim_add(&s, 100, 0, FOREVER, 0);
	sim_add(&s, 100, 0, 0, 0);
	sim_run(&s, 1000 * QUANTUM);
	EXPECT_EQ(s.switches, 1ULL);
	EXPECT_EQ(tess_policy_timer(&s.p, &c->e, s.ran, s.now), 0ULL);
	EXPECT_TRUE(c->busy >= 1000 * QUANTUM - SWITCH_COST);
}

/* Who sleeps gets no credit for it; who was alone owes nothing for it */
TEST(no_credit)
{
	struct client *a, *b;
	struct sim s;

	sim_init(&s, TESS_POLICY_FAIR);
	a = sim_add(&s, 100, 0, FOREVER, 0);
	b = sim_add(&s, 100, 0, FOREVER, 0);
	b->next = s.now + 1000 * QUANTUM;
	sim_run(&s, 1000 * QUANTUM);
	sim_clear(&s);
	sim_run(&s, 20 * QUANTUM);
	EXPECT_NEAR(a->busy, b->busy, 15);
	sim_run(&s, 200 * QUANTUM);
	EXPECT_NEAR(a->busy, b->busy, 2);
}

/* Short work does not wait for the end of a turn, nor does it take more than its share */
TEST(sleepers)
{
	struct client *hog, *quick;
	struct sim s;

	sim_init(&s, TESS_POLICY_FAIR);
	hog = sim_add(&s, 100, 0, FOREVER, 0);
	quick = sim_add(&s, 100, 0, QUANTUM / 20, 3 * QUANTUM);
	sim_run(&s, 10 * QUANTUM);
	sim_clear(&s);
	sim_run(&s, 1000 * QUANTUM);
	EXPECT_TRUE(quick->delay <= QUANTUM / 2);
	EXPECT_TRUE(quick->turns >= 300);
	EXPECT_TRUE(hog->busy >= 970 * QUANTUM);

	sim_init(&s, TESS_POLICY_FAIR);
	hog = sim_add(&s, 100, 0, FOREVER, 0);
	quick = sim_add(&s, 100, 0, QUANTUM / 2, 1);
	sim_run(&s, 1000 * QUANTUM);
	EXPECT_TRUE(hog->busy >= 490 * QUANTUM);
}

TEST(idle_neighbour)
{
	struct client *busy;
	struct sim s;

	sim_init(&s, TESS_POLICY_FAIR);
	busy = sim_add(&s, 100, 0, FOREVER, 0);
	sim_add(&s, 100, 0, 100, 20 * QUANTUM);
	sim_run(&s, 1000 * QUANTUM);
	EXPECT_TRUE(busy->busy >= 98 * 10 * QUANTUM);
}

TEST(caps)
{
	struct client *a, *b;
	struct sim s;

	/* Alone, and with one that has no cap */
	sim_init(&s, TESS_POLICY_FAIR);
	a = sim_add(&s, 100, 30, FOREVER, 0);
	b = sim_add(&s, 100, 0, 0, 0);
	sim_run(&s, 100 * PERIOD);
	EXPECT_NEAR(a->busy, 30 * PERIOD, 2);
	b->on = FOREVER;
	b->next = s.now;
	sim_clear(&s);
	sim_run(&s, 100 * PERIOD);
	EXPECT_NEAR(a->busy, 30 * PERIOD, 2);
	EXPECT_TRUE(b->busy >= 69 * PERIOD);
	/* A cap is no share: half is less than 80 % */
	tess_policy_set_share(&s.p, &a->e, 100, 80);
	sim_run(&s, 2 * PERIOD);
	sim_clear(&s);
	sim_run(&s, 100 * PERIOD);
	EXPECT_NEAR(a->busy, b->busy, 2);
	/* What was under a cap does not catch up when it is gone */
	tess_policy_set_share(&s.p, &a->e, 100, 10);
	sim_run(&s, 100 * PERIOD);
	tess_policy_set_share(&s.p, &a->e, 100, 0);
	sim_clear(&s);
	sim_run(&s, 10 * PERIOD);
	EXPECT_NEAR(a->busy, b->busy, 3);
}

/* A newcomer beside one that is held back by its cap does not get all the time */
TEST(capped_holds_nobody_back)
{
	struct client *b, *c;
	struct sim s;

	sim_init(&s, TESS_POLICY_FAIR);
	sim_add(&s, 100, 5, FOREVER, 0);
	b = sim_add(&s, 100, 0, FOREVER, 0);
	sim_run(&s, 200 * PERIOD);
	c = sim_add(&s, 100, 0, FOREVER, 0);
	sim_clear(&s);
	sim_run(&s, 10 * PERIOD);
	EXPECT_NEAR(b->busy, c->busy, 3);
}

TEST(fixed_shares)
{
	static const u32 caps[] = { 10, 25, 40 };
	unsigned int i, k;
	struct sim s;

	/* All busy; then all but one idle, for each */
	sim_init(&s, TESS_POLICY_FIXED);
	for (i = 0; i < 3; i++)
		sim_add(&s, 100, caps[i], FOREVER, 0);
	sim_run(&s, 100 * PERIOD);
	for (i = 0; i < 3; i++)
		EXPECT_NEAR(s.client[i].busy, caps[i] * PERIOD, 2);
	for (k = 0; k < 3; k++) {
		sim_init(&s, TESS_POLICY_FIXED);
		for (i = 0; i < 3; i++)
			sim_add(&s, 100, caps[i], i == k ? FOREVER : 0, 0);
		sim_run(&s, 100 * PERIOD);
		EXPECT_NEAR(s.client[k].busy, caps[k] * PERIOD, 2);
	}
}

/* All is given away, or more than there is: nobody starves, proportions stay */
TEST(fixed_whole)
{
	struct sim s;

	sim_init(&s, TESS_POLICY_FIXED);
	sim_add(&s, 100, 25, FOREVER, 0);
	sim_add(&s, 100, 75, FOREVER, 0);
	sim_run(&s, 100 * PERIOD);
	EXPECT_NEAR(s.client[0].busy, 25 * PERIOD, 2);
	EXPECT_NEAR(s.client[1].busy, 75 * PERIOD, 2);

	sim_init(&s, TESS_POLICY_FIXED);
	sim_add(&s, 100, 100, FOREVER, 0);
	sim_add(&s, 100, 100, FOREVER, 0);
	sim_add(&s, 1, 0, FOREVER, 0);
	sim_run(&s, 100 * PERIOD);
	EXPECT_NEAR(s.client[0].busy, s.client[1].busy, 2);
	EXPECT_TRUE(s.client[2].busy > PERIOD / 4);
}

/* Without a cap: what is left, by weight */
TEST(fixed_rest)
{
	struct sim s;

	sim_init(&s, TESS_POLICY_FIXED);
	sim_add(&s, 100, 40, 0, 0);
	sim_add(&s, 100, 0, FOREVER, 0);
	sim_add(&s, 200, 0, FOREVER, 0);
	sim_run(&s, 100 * PERIOD);
	EXPECT_NEAR(s.client[1].busy, 20 * PERIOD, 2);
	EXPECT_NEAR(s.client[2].busy, 40 * PERIOD, 2);
}

/* One slice's turn far beyond the budget is paid back */
TEST(debt)
{
	struct client *a;
	struct sim s;

	sim_init(&s, TESS_POLICY_FIXED);
	a = sim_add(&s, 100, 10, FOREVER, 0);
	sim_add(&s, 100, 10, FOREVER, 0);
	sim_run(&s, PERIOD);
	tess_policy_charge(&s.p, &a->e, PERIOD);
	sim_clear(&s);
	sim_run(&s, 9 * PERIOD);
	EXPECT_EQ(a->busy, 0ULL);
	sim_run(&s, 91 * PERIOD);
	EXPECT_NEAR(a->busy + PERIOD, 10 * PERIOD, 3);
	/* And after a long sleep nothing is left of it */
	tess_policy_charge(&s.p, &a->e, 1ULL << 48);
	EXPECT_TRUE(a->e.budget < 0);
	tess_policy_sleep(&s.p, &a->e);
	tess_policy_refill(&s.p, s.now + (1ULL << 60));
	EXPECT_TRUE(a->e.budget > 0);
	EXPECT_TRUE(a->e.budget <= (s64)(PERIOD / 10));
}

TEST(best_effort)
{
	struct sim s;

	sim_init(&s, TESS_POLICY_BESTEFFORT);
	sim_add(&s, 1, 0, FOREVER, 0);
	sim_add(&s, 10000, 0, FOREVER, 0);
	sim_add(&s, 100, 5, FOREVER, 0);
	sim_add(&s, 100, 0, 0, 0);
	sim_run(&s, 300 * QUANTUM);
	EXPECT_NEAR(s.client[0].busy, 100 * QUANTUM, 2);
	EXPECT_NEAR(s.client[1].busy, 100 * QUANTUM, 2);
	EXPECT_NEAR(s.client[2].busy, 100 * QUANTUM, 2);
}

/* A share that changes while all are busy counts from then on */
TEST(live_weights)
{
	struct sim s;

	sim_init(&s, TESS_POLICY_FAIR);
	sim_add(&s, 100, 0, FOREVER, 0);
	sim_add(&s, 100, 0, FOREVER, 0);
	sim_run(&s, 100 * QUANTUM);
	tess_policy_set_share(&s.p, &s.client[0].e, 300, 0);
	sim_clear(&s);
	sim_run(&s, 400 * QUANTUM);
	EXPECT_NEAR(s.client[0].busy, 3 * s.client[1].busy, 2);
	tess_policy_set_share(&s.p, &s.client[0].e, 1, 0);
	tess_policy_set_share(&s.p, &s.client[1].e, 1, 0);
	sim_clear(&s);
	sim_run(&s, 400 * QUANTUM);
	EXPECT_NEAR(s.client[0].busy, s.client[1].busy, 2);
}

TEST(live_policies)
{
	static const enum tess_policy_kind kinds[] = { TESS_POLICY_FIXED, TESS_POLICY_BESTEFFORT,
						       TESS_POLICY_FAIR, TESS_POLICY_FIXED };
	unsigned int i;
	struct sim s;

	sim_init(&s, TESS_POLICY_FAIR);
	sim_add(&s, 100, 20, FOREVER, 0);
	sim_add(&s, 100, 40, FOREVER, 0);
	for (i = 0; i < 4; i++) {
		sim_run(&s, 50 * PERIOD);
		tess_policy_set(&s.p, kinds[i], QUANTUM >> i);
		tess_policy_refill(&s.p, s.now);
		sim_clear(&s);
		sim_run(&s, 100 * PERIOD);
		EXPECT_NEAR(s.client[0].busy,
			    (kinds[i] == TESS_POLICY_BESTEFFORT ? 50 : 20) * PERIOD, 2 + i);
		EXPECT_NEAR(s.client[1].busy,
			    (kinds[i] == TESS_POLICY_BESTEFFORT ? 50 : 40) * PERIOD, 2 + i);
	}
}

/* Urgent ones get a moment also without a budget */
TEST(urgent)
{
	struct client *a;
	struct sim s;

	sim_init(&s, TESS_POLICY_FIXED);
	a = sim_add(&s, 100, 10, 0, 0);
	tess_policy_charge(&s.p, &a->e, 5 * PERIOD);
	tess_policy_wake(&s.p, &a->e);
	EXPECT_TRUE(!tess_policy_pick(&s.p));
	a->e.urgent = true;
	EXPECT_TRUE(tess_policy_pick(&s.p) == &a->e);
	EXPECT_FALSE(tess_policy_preempt(&s.p, &a->e, 0));
	a->e.urgent = false;
	EXPECT_TRUE(tess_policy_preempt(&s.p, &a->e, 0));
	/* 5 periods' worth of debt at a tenth of a period each, less what it had */
	EXPECT_EQ(tess_policy_timer(&s.p, NULL, 0, s.p.period_end - 10), 10 + 49 * PERIOD);
}

TEST(members)
{
	struct tess_policy_entity extra = { .weight = 1 };
	struct sim s;
	unsigned int i;

	sim_init(&s, TESS_POLICY_FAIR);
	for (i = 0; i < CLIENTS; i++)
		sim_add(&s, 100, 0, FOREVER, 0);
	sim_run(&s, 8 * QUANTUM);
	for (i = 0; i < CLIENTS; i++)
		tess_policy_leave(&s.p, &s.client[i].e);
	EXPECT_EQ(s.p.count, 0U);
	EXPECT_TRUE(!tess_policy_pick(&s.p));
	EXPECT_EQ(tess_policy_timer(&s.p, NULL, 0, s.now), 0ULL);
	tess_policy_leave(&s.p, &extra);
	EXPECT_EQ(s.p.count, 0U);
	tess_policy_join(&s.p, &extra);
	EXPECT_EQ(s.p.count, 1U);
}

TEST(nonsense)
{
	struct tess_policy_entity zero = { 0 }, much = { .weight = ~0U, .cap = ~0U };
	struct tess_policy p = { 0 };

	tess_policy_set(&p, TESS_POLICY_FAIR, 0);
	EXPECT_EQ(p.quantum, 1ULL);
	tess_policy_set(&p, TESS_POLICY_FIXED, ~0ULL);
	tess_policy_join(&p, &zero);
	tess_policy_join(&p, &much);
	tess_policy_wake(&p, &zero);
	tess_policy_wake(&p, &much);
	tess_policy_charge(&p, &zero, ~0ULL);
	tess_policy_charge(&p, &much, ~0ULL);
	tess_policy_set_share(&p, &zero, 0, ~0U);
	tess_policy_set_share(&p, &much, ~0U, 0);
	tess_policy_refill(&p, ~0ULL);
	EXPECT_TRUE(tess_policy_pick(&p));
	EXPECT_TRUE(tess_policy_timer(&p, &zero, ~0ULL, ~0ULL));
}

/* Virtual run time, and the clock, go over the end of the numbers */
TEST(overflow)
{
	struct sim s;

	sim_init(&s, TESS_POLICY_FAIR);
	s.p.vruntime = ~0ULL - 5 * QUANTUM;
	sim_add(&s, 100, 0, FOREVER, 0);
	sim_add(&s, 200, 0, FOREVER, 0);
	sim_run(&s, 600 * QUANTUM);
	EXPECT_NEAR(s.client[1].busy, 2 * s.client[0].busy, 2);
	EXPECT_TRUE(s.p.vruntime < 1000 * QUANTUM);

	/* A clock that starts again, as that of a GPU that was reset */
	sim_init(&s, TESS_POLICY_FIXED);
	sim_add(&s, 100, 20, FOREVER, 0);
	s.now = 1ULL << 62;
	sim_run(&s, 10 * PERIOD);
	s.now = 5;
	sim_run(&s, 2 * PERIOD);
	sim_clear(&s);
	sim_run(&s, 100 * PERIOD);
	EXPECT_NEAR(s.client[0].busy, 20 * PERIOD, 2);
}

/* Random comings and goings: somebody runs whenever somebody can, and no share is exceeded */
TEST(random_work)
{
	static const enum tess_policy_kind kinds[] = { TESS_POLICY_FAIR, TESS_POLICY_FIXED,
						       TESS_POLICY_BESTEFFORT };
	unsigned int i, k, n;
	struct sim s;

	for (k = 0; k < 300; k++) {
		sim_init(&s, kinds[k % 3]);
		s.seed = k + 1;
		n = 1 + sim_random(&s, CLIENTS);
		for (i = 0; i < n; i++)
			sim_add(&s, 1 + sim_random(&s, 10000), sim_random(&s, 3) ? 0 : 12,
				1 + sim_random(&s, 3 * QUANTUM), sim_random(&s, 6 * QUANTUM));
		sim_run(&s, 100 * PERIOD);
		for (i = 0; i < n; i++) {
			ASSERT_TRUE(s.client[i].busy > 0);
			if (s.client[i].e.cap && kinds[k % 3] == TESS_POLICY_FAIR)
				ASSERT_TRUE(s.client[i].busy <= 1230 * PERIOD / 100);
		}
	}
}

TEST_HARNESS_MAIN
