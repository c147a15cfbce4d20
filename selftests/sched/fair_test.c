// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who gets how much of a shared slice, in GPU cycles: by the counters of the clients
 * themselves, which the scheduler does not make.
 *
 * TESS_WINDOW_MS is the length of a measurement in GPU time.
 */
#include <math.h>

#include "harness.h"
#include "load.h"

#define JOB_US 25000
#define QUEUED_JOBS 24u /* of all clients together: the test may be late by that much */
#define SETTLE_MS 50
#define ROUNDS 5u /* measurements for each figure */

FIXTURE(fair)
{
	struct client c[8];
	struct load l[8];
	unsigned int n;
	unsigned int ms;
	int slice;
};

FIXTURE_SETUP(fair)
{
	fresh_start();
	self->ms = setting("TESS_WINDOW_MS", 1500);
}

FIXTURE_TEARDOWN(fair)
{
	while (self->n)
		client_close(&self->c[--self->n]);
}

/* @n clients on one slice */
static void together(struct __test_metadata *_metadata, struct __fixture_fair *self, unsigned int n)
{
	for (; self->n < n; self->n++) {
		ASSERT_EQ(0, client_open(&self->c[self->n], "C1S"));
		load_init(&self->l[self->n], &self->c[self->n], JOB_US, QUEUED_JOBS / n);
		ASSERT_EQ(0, client_warm(&self->c[self->n]));
	}
	self->slice = clients_together(self->c, n);
	ASSERT_LE(0, self->slice);
	ASSERT_EQ(n, slice_value(&self->c[0], self->slice, "members"));
}

static void print_shares(const struct window *w, unsigned int n)
{
	unsigned int i;

	printf("# %.1f ms of GPU time, shares:", w->of[0].cycles / 4000.0);
	for (i = 0; i < n; i++)
		printf(" %.4f", window_share(w, i));
	printf("\n");
	fflush(stdout);
}

/* The first @active clients work, the others have nothing to do */
static void measure(struct __test_metadata *_metadata, struct __fixture_fair *self,
		    unsigned int active, unsigned int ms, unsigned int turns, struct window *w)
{
	memset(w, 0, sizeof(*w));
	ASSERT_EQ(0, load_settle(self->l, active, SETTLE_MS));
	ASSERT_EQ(0, load_window(self->l, self->n, active, ms, turns, w));
	print_shares(w, self->n);
}

/* So many times; @ms and @turns are all of them together */
static void measure_all(struct __test_metadata *_metadata, struct __fixture_fair *self,
			unsigned int active, unsigned int ms, unsigned int turns, struct window *w)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		measure(_metadata, self, active, ms / ROUNDS, turns / ROUNDS, &w[i]);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* What @value says of most of them: a host that stands still for a moment spoils one */
static double median(const struct window *w,
		     double (*value)(const struct window *w, unsigned int n, const double *arg),
		     unsigned int n, const double *arg)
{
	double all[ROUNDS];
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		all[i] = value(&w[i], n, arg);
	qsort(all, ROUNDS, sizeof(*all), by_value);
	printf("# %.5g to %.5g, median %.5g\n", all[0], all[ROUNDS - 1], all[ROUNDS / 2]);
	return all[ROUNDS / 2];
}

static double jain(const struct window *w, unsigned int n, const double *arg)
{
	return window_jain(w, n);
}

static double total(const struct window *w, unsigned int n, const double *arg)
{
	double sum = 0;

	while (n--)
		sum += window_share(w, n);
	return sum;
}

/* How far parts of the time that all used are off @want, in percent of that */
static double parts_error(const struct window *w, unsigned int n, const double *want)
{
	double worst = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		worst = fmax(worst, 100 * fabs(window_part(w, i, n) / want[i] - 1));
	return worst;
}

/* How far shares of the slice are off @want, in percent of that */
static double shares_error(const struct window *w, unsigned int n, const double *want)
{
	double worst = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		worst = fmax(worst, 100 * fabs(window_share(w, i) / want[i] - 1));
	return worst;
}

/* No work is lost, and the scheduler knows to the cycle what each has had */
static void all_done(struct __test_metadata *_metadata, struct __fixture_fair *self)
{
	unsigned int i;

	EXPECT_EQ(0, load_finish(self->l, self->n));
	for (i = 0; i < self->n; i++)
		EXPECT_EQ(client_counter(&self->c[i], TESS_COUNTER_BUSY),
			  client_value(&self->c[i], "vslice0/run_cycles"));
}

/* Nobody else wants the slice: it is left where it is */
TEST_F(fair, alone)
{
	long long switches, before;
	struct window w;

	together(_metadata, self, 1);
	before = slice_value(&self->c[0], self->slice, "switches");
	measure(_metadata, self, 1, self->ms, 0, &w);
	all_done(_metadata, self);
	switches = slice_value(&self->c[0], self->slice, "switches") - before;
	figure("switches_alone", switches);
	EXPECT_EQ(0, switches);
	EXPECT_TRUE(window_share(&w, 0) >= 0.98);
}

/* Another client is there, has worked before, and wants nothing now */
TEST_F(fair, idle_neighbour)
{
	long long before, switches;
	struct window w;

	together(_metadata, self, 2);
	load_pump(&self->l[1]);
	ASSERT_EQ(0, load_finish(self->l, 2));
	ASSERT_EQ(0, load_settle(self->l, 1, SETTLE_MS));
	before = slice_value(&self->c[0], self->slice, "switches");
	measure(_metadata, self, 1, self->ms, 0, &w);
	switches = slice_value(&self->c[0], self->slice, "switches") - before;
	printf("# %lld switches\n", switches);
	figure("idle_neighbour_share_pct", 100 * window_share(&w, 0));
	EXPECT_TRUE(window_share(&w, 0) >= 0.98);
	EXPECT_EQ(0, switches);
	EXPECT_EQ(0, w.of[1].busy);
	all_done(_metadata, self);
}

static void equal(struct __test_metadata *_metadata, struct __fixture_fair *self, unsigned int n)
{
	struct window w[ROUNDS];
	double index;
	char name[16];

	together(_metadata, self, n);
	measure_all(_metadata, self, n, self->ms, 100, w);
	snprintf(name, sizeof(name), "jain_%u", n);
	index = median(w, jain, n, NULL);
	figure(name, index);
	EXPECT_TRUE(index >= 0.99);
	/* Fair, and not because all get little */
	EXPECT_TRUE(median(w, total, n, NULL) >= 0.95);
	all_done(_metadata, self);
}

TEST_F(fair, equal_2)
{
	equal(_metadata, self, 2);
}

TEST_F(fair, equal_4)
{
	equal(_metadata, self, 4);
}

TEST_F_TIMEOUT(fair, equal_8, 120)
{
	equal(_metadata, self, 8);
}

/*
 * A turn that is too long because the host stands still is made up for by later ones, if they
 * are in the measurement, too: one long measurement, of which a turn is a small part.
 */
TEST_F_TIMEOUT(fair, weights, 240)
{
	static const double want[] = { 1 / 7.0, 2 / 7.0, 4 / 7.0 };
	unsigned int i;
	struct window w;
	double error;

	together(_metadata, self, 3);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, client_set_value(&self->c[i], "weight", 100 << i));
	measure(_metadata, self, 3, 4 * self->ms, 250, &w);
	error = parts_error(&w, 3, want);
	figure("weights_error_pct", error);
	EXPECT_TRUE(error <= 2);
	all_done(_metadata, self);
}

/* Weights that change while all work count from then on, and no work is lost */
TEST_F_TIMEOUT(fair, weights_live, 120)
{
	static const double half[] = { 0.5, 0.5 }, quarter[] = { 0.75, 0.25 };
	struct window w[ROUNDS];

	together(_metadata, self, 2);
	measure_all(_metadata, self, 2, self->ms, 100, w);
	EXPECT_TRUE(median(w, parts_error, 2, half) <= 5);
	ASSERT_EQ(0, client_set_value(&self->c[0], "weight", 300));
	measure_all(_metadata, self, 2, self->ms, 100, w);
	EXPECT_TRUE(median(w, parts_error, 2, quarter) <= 5);
	all_done(_metadata, self);
}

/*
 * Budgets are exact in the long run. What one takes too much while the host stands still it has
 * to give back, and that can take a while: one long measurement. Nobody gets back more than four
 * periods of 16 quanta, so quanta are longer than the emulated host is late as a rule. A budget
 * is taken in one piece in each period; so there are whole periods in a measurement.
 */
#define BUDGET_QUANTUM_US "10000"
#define BUDGET_PERIOD_MS 160u

static void measure_budgets(struct __test_metadata *_metadata, struct __fixture_fair *self,
			    unsigned int active, unsigned int ms, struct window *w)
{
	/* What there is at the beginning is used up */
	ASSERT_EQ(0, load_settle(self->l, active, 2 * BUDGET_PERIOD_MS));
	memset(w, 0, sizeof(*w));
	ASSERT_EQ(0, load_periods(self->l, self->n, active, ms / BUDGET_PERIOD_MS + 1,
				  BUDGET_PERIOD_MS, w));
	print_shares(w, self->n);
}

/* Each gets its share and no more, whether the others use theirs or not */
TEST_F_TIMEOUT(fair, fixed_share, 240)
{
	static const double shares[] = { 0.40, 0.25, 0.15 }, fifth = 0.20;
	struct window w;
	double busy, idle;
	unsigned int i;

	together(_metadata, self, 3);
	ASSERT_EQ(0, slice_set(&self->c[0], self->slice, "policy", "fixed"));
	ASSERT_EQ(0, slice_set(&self->c[0], self->slice, "quantum_us", BUDGET_QUANTUM_US));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, client_set_value(&self->c[i], "cap", 100 * shares[i] + 0.5));
	measure_budgets(_metadata, self, 3, 5 * self->ms, &w);
	busy = shares_error(&w, 3, shares);
	all_done(_metadata, self);
	ASSERT_EQ(0, client_set_value(&self->c[0], "cap", 20));
	measure_budgets(_metadata, self, 1, 3 * self->ms, &w);
	idle = shares_error(&w, 1, &fifth);
	printf("# error %.2f %% all busy, %.2f %% alone\n", busy, idle);
	figure("fixed_error_pct", fmax(busy, idle));
	EXPECT_TRUE(fmax(busy, idle) <= 2);
	all_done(_metadata, self);
}

/* A cap holds although the slice has time left; who has none gets the rest */
TEST_F_TIMEOUT(fair, cap, 240)
{
	struct window w[ROUNDS];

	together(_metadata, self, 2);
	ASSERT_EQ(0, slice_set(&self->c[0], self->slice, "quantum_us", BUDGET_QUANTUM_US));
	ASSERT_EQ(0, client_set_value(&self->c[0], "cap", 25));
	measure_budgets(_metadata, self, 1, 3 * self->ms, w);
	EXPECT_TRUE(fabs(window_share(w, 0) - 0.25) <= 0.01);
	measure_budgets(_metadata, self, 2, 3 * self->ms, w);
	EXPECT_TRUE(fabs(window_share(w, 0) - 0.25) <= 0.01);
	EXPECT_TRUE(window_share(w, 1) >= 0.70);
	ASSERT_EQ(0, client_set_value(&self->c[0], "cap", 0));
	measure_all(_metadata, self, 2, self->ms, 100, w);
	EXPECT_TRUE(median(w, jain, 2, NULL) >= 0.99);
	all_done(_metadata, self);
}

/* One after the other, weights and caps do not matter */
TEST_F_TIMEOUT(fair, best_effort, 120)
{
	struct window w[ROUNDS];

	together(_metadata, self, 3);
	ASSERT_EQ(0, client_set_value(&self->c[0], "weight", 1000));
	ASSERT_EQ(0, client_set_value(&self->c[1], "cap", 5));
	ASSERT_EQ(0, slice_set(&self->c[0], self->slice, "policy", "besteffort"));
	measure_all(_metadata, self, 3, self->ms, 100, w);
	EXPECT_TRUE(median(w, jain, 3, NULL) >= 0.98);
	all_done(_metadata, self);
}

TEST_HARNESS_MAIN
