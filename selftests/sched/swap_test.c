// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The swapper: who is crowded and may be moved is moved to where there is room, once, and
 * nobody else is.
 *
 * TESS_SWAP_PERIOD_MS is the period of the swapper for these tests.
 */
#include "harness.h"
#include "load.h"

#define PERIOD_FILE "/sys/module/tessera/parameters/swap_period_ms"
#define CLIENTS_MAX 4
#define JOB_US 25000
#define DEPTH 16

FIXTURE(swap)
{
	struct client c[CLIENTS_MAX];
	struct load l[CLIENTS_MAX];
	unsigned int n;
	unsigned int period;
	int home;
};

static void set_period(struct __test_metadata *_metadata, struct __fixture_swap *self,
		       unsigned int ms)
{
	char text[16];

	self->period = ms;
	snprintf(text, sizeof(text), "%u", ms);
	ASSERT_EQ(0, file_write(PERIOD_FILE, text));
}

FIXTURE_SETUP(swap)
{
	fresh_start();
	set_period(_metadata, self, setting("TESS_SWAP_PERIOD_MS", 100));
}

FIXTURE_TEARDOWN(swap)
{
	while (self->n)
		client_close(&self->c[--self->n]);
	file_write(PERIOD_FILE, "100");
}

/* @n clients on one slice that have been at work for a while */
static void crowd(struct __test_metadata *_metadata, struct __fixture_swap *self, unsigned int n)
{
	for (; self->n < n; self->n++) {
		ASSERT_EQ(0, client_open(&self->c[self->n], "C1S"));
		load_init(&self->l[self->n], &self->c[self->n], JOB_US, DEPTH);
		ASSERT_EQ(0, client_warm(&self->c[self->n]));
		ASSERT_EQ(0, client_set(&self->c[self->n], "policy", "manual"));
	}
	self->home = clients_together(self->c, n);
	ASSERT_LE(0, self->home);
}

static long long moves(struct __fixture_swap *self)
{
	long long sum = 0;
	unsigned int i;

	for (i = 0; i < self->n; i++)
		sum += client_value(&self->c[i], "vslice0/moves");
	return sum;
}

static void set_policy(struct __test_metadata *_metadata, struct __fixture_swap *self,
		       const char *policy)
{
	unsigned int i;

	for (i = 0; i < self->n; i++)
		ASSERT_EQ(0, client_set(&self->c[i], "policy", policy));
}

/* Until there are @want moves more than @before; periods that it took, -1: too many */
static double periods_until(struct __fixture_swap *self, long long before, long long want,
			    unsigned int limit)
{
	uint64_t start = client_time(&self->c[0]), cycles;
	double per_period = self->period * (double)reg32(&self->c[0].v, TESS_REG_CLOCK_KHZ);

	do {
		if (load_settle(self->l, self->n, 2))
			return -1;
		cycles = client_time(&self->c[0]) - start;
		if (moves(self) - before >= want)
			return cycles / per_period;
	} while (cycles / per_period < limit);
	return -1;
}

TEST_F_TIMEOUT(swap, to_a_free_slice, 200)
{
	long long before, after;
	struct window together, apart;
	double periods, ratio;

	crowd(_metadata, self, 2);
	/* Who is not to be moved is not */
	before = moves(self);
	ASSERT_EQ(0, load_settle(self->l, 2, 2 * self->period));
	ASSERT_EQ(0, load_window(self->l, 2, 2, 8 * self->period, 20, &together));
	EXPECT_EQ(before, moves(self));

	/* In periods that are long beside what a busy machine delays a work item */
	set_period(_metadata, self, 4 * self->period);
	set_policy(_metadata, self, "auto");
	periods = periods_until(self, before, 1, 20);
	printf("# moved after %.2f periods of %u ms, slices %d and %d\n", periods, self->period,
	       client_slice(&self->c[0]), client_slice(&self->c[1]));
	EXPECT_TRUE(periods >= 0 && periods <= 3);
	EXPECT_NE(client_slice(&self->c[0]), client_slice(&self->c[1]));

	set_period(_metadata, self, self->period / 4);
	ASSERT_EQ(0, load_window(self->l, 2, 2, 100 * self->period, 0, &apart));
	after = moves(self) - before;
	ratio = window_rate(&apart, 2) / window_rate(&together, 2);
	printf("# %.3f instructions per cycle together, %.3f apart\n", window_rate(&together, 2),
	       window_rate(&apart, 2));
	figure("swap_moves_100_periods", after);
	figure("swap_throughput_ratio", ratio);
	EXPECT_EQ(1, after);
	EXPECT_TRUE(ratio >= 1.9);
	EXPECT_EQ(0, load_finish(self->l, 2));
}

/* Four on one slice: spread out, one after the other, and then left alone */
TEST_F_TIMEOUT(swap, spreads_a_crowd, 200)
{
	unsigned int i, k, equal = 0;
	struct window w;
	long long before, settled;

	crowd(_metadata, self, 4);
	before = moves(self);
	ASSERT_EQ(0, load_settle(self->l, 4, 2 * self->period));
	set_policy(_metadata, self, "auto");
	printf("# 3 moves after %.2f periods\n", periods_until(self, before, 3, 40));
	for (i = 0; i < 4; i++)
		for (k = 0; k < i; k++)
			equal += client_slice(&self->c[i]) == client_slice(&self->c[k]);
	EXPECT_EQ(0, equal);
	settled = moves(self);
	EXPECT_EQ(3, settled - before);
	ASSERT_EQ(0, load_window(self->l, 4, 4, 20 * self->period, 0, &w));
	EXPECT_EQ(settled, moves(self));
	for (i = 0; i < 4; i++) {
		printf("# slice %d: share %.4f\n", client_slice(&self->c[i]), window_share(&w, i));
		EXPECT_TRUE(window_share(&w, i) >= 0.95);
	}
	EXPECT_EQ(0, load_finish(self->l, 4));
}

/* Nobody starves: an idle neighbour is no reason to move anybody */
TEST_F_TIMEOUT(swap, leaves_the_idle_alone, 120)
{
	struct window w;
	long long before;

	crowd(_metadata, self, 2);
	set_policy(_metadata, self, "auto");
	before = moves(self);
	ASSERT_EQ(0, load_window(self->l, 2, 1, 20 * self->period, 0, &w));
	printf("# %lld moves in 20 periods beside an idle one\n", moves(self) - before);
	EXPECT_EQ(before, moves(self));
	EXPECT_EQ(0, load_finish(self->l, 2));
}

/* Only who may be moved */
TEST_F_TIMEOUT(swap, moves_only_who_may, 120)
{
	long long fixed, free;

	crowd(_metadata, self, 2);
	ASSERT_EQ(0, load_settle(self->l, 2, 2 * self->period));
	fixed = client_value(&self->c[0], "vslice0/moves");
	free = client_value(&self->c[1], "vslice0/moves");
	ASSERT_EQ(0, client_set(&self->c[1], "policy", "auto"));
	EXPECT_TRUE(periods_until(self, fixed + free, 1, 20) >= 0);
	EXPECT_EQ(fixed, client_value(&self->c[0], "vslice0/moves"));
	EXPECT_EQ(free + 1, client_value(&self->c[1], "vslice0/moves"));
	EXPECT_EQ(0, load_finish(self->l, 2));
}

TEST_HARNESS_MAIN
