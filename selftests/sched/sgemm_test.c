// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What switching costs: several vGPUs multiply matrices on one slice at the default
 * quantum, and what is left of the time that there was is the overhead.
 *
 * TESS_WINDOW_MS is the length of the measurement in GPU time.
 */
#include <math.h>

#include "harness.h"
#include "load.h"
#include "product.h"

#define CLIENTS 4
#define QUEUED 12 /* products of each client */
#define WINDOWS 5
#define LIMIT 0.02
#define SCRATCH_GPA (WORK_GPA + (4 << 20))

static const unsigned int sizes[CLIENTS] = { 64, 48, 80, 56 };

FIXTURE(sgemm)
{
	struct client c[CLIENTS];
	struct load l[CLIENTS];
	unsigned int n;
	int slice;
};

FIXTURE_SETUP(sgemm)
{
	unsigned int i;

	fresh_start();
	for (i = 0; i < CLIENTS; i++) {
		ASSERT_EQ(0, client_open(&self->c[i], "C1S"));
		self->n++;
		product_code(&self->c[i]);
	}
	self->slice = clients_together(self->c, CLIENTS);
	ASSERT_LE(0, self->slice);
}

FIXTURE_TEARDOWN(sgemm)
{
	while (self->n)
		client_close(&self->c[--self->n]);
}

static void put_product(const struct load *l)
{
	product_put(l->c, WORK_GPA, VA(SCRATCH_GPA), PRODUCT_PRIVATE, l->size);
}

/* Once, alone: busy cycles per instruction */
static double product(struct __test_metadata *_metadata, struct load *l)
{
	uint64_t busy = client_counter(l->c, TESS_COUNTER_BUSY);
	uint64_t instructions = client_counter(l->c, TESS_COUNTER_INSTRUCTIONS);

	l->put(l);
	client_fence(l->c);
	ASSERT_EQ(0, client_wait(l->c));
	busy = client_counter(l->c, TESS_COUNTER_BUSY) - busy;
	instructions = client_counter(l->c, TESS_COUNTER_INSTRUCTIONS) - instructions;
	return (double)busy / instructions;
}

static void prepare(struct __test_metadata *_metadata, struct __fixture_sgemm *self, double *alone)
{
	unsigned int i;

	for (i = 0; i < CLIENTS; i++) {
		struct load *l = &self->l[i];

		*l = (struct load){ &self->c[i], put_product, sizes[i], QUEUED };
		product_fill(l->c, WORK_GPA, sizes[i]);
		/* The first one also waits for memory that the host has yet to map */
		product(_metadata, l);
		alone[i] = product(_metadata, l);
		EXPECT_EQ(0, product_wrong(l->c, WORK_GPA, l->size));
	}
}

/* Cycles that the work took, to those that it takes undisturbed */
static double slowdown(const struct window *w, const double *alone)
{
	double busy = 0, undisturbed = 0;
	unsigned int i;

	for (i = 0; i < CLIENTS; i++) {
		busy += w->of[i].busy;
		undisturbed += w->of[i].instructions * alone[i];
	}
	return busy / undisturbed;
}

/* Cycles of one switch, and the greater part of two that it costs */
static double window_overhead(struct __test_metadata *_metadata, struct __fixture_sgemm *self,
			      const double *alone)
{
	unsigned int ms = setting("TESS_WINDOW_MS", 1500), i;
	double used = 0, whole, each, quantum;
	long long switches;
	struct window w;

	EXPECT_EQ(0, load_settle(self->l, CLIENTS, 100));
	switches = slice_value(&self->c[0], self->slice, "switches");
	EXPECT_EQ(0, load_window(self->l, CLIENTS, CLIENTS, 2 * ms, 20, &w));
	switches = slice_value(&self->c[0], self->slice, "switches") - switches;
	EXPECT_LT(20, switches);
	for (i = 0; i < CLIENTS; i++)
		used += window_share(&w, i);
	quantum = slice_value(&self->c[0], self->slice, "quantum_us") *
		  (reg32(&self->c[0].v, TESS_REG_CLOCK_KHZ) / 1000.0);
	whole = 1 - used;
	each = whole * w.of[0].cycles / switches;
	printf("# %lld switches, one in %.0f cycles; %.3f %% of the time without a client\n",
	       switches, (double)w.of[0].cycles / switches, 100 * whole);
	printf("# that is %.1f cycles for each; translations were filled again: %.3f %% more work\n",
	       each, 100 * (slowdown(&w, alone) - 1));
	return fmax(whole, each / (quantum + each));
}

/*
 * The host is late by some time at the end of a quantum, which makes switches rarer than
 * the quantum says, and would make the overhead look smaller. So it is that of a switch
 * in each quantum that counts. A host or a test that stands still while the slice has nothing to
 * do makes it look larger, so that it is measured again.
 */
TEST_F_TIMEOUT(sgemm, switch_overhead, 300)
{
	double alone[CLIENTS], least = 1;
	unsigned int i;

	prepare(_metadata, self, alone);
	EXPECT_EQ(2000, slice_value(&self->c[0], self->slice, "quantum_us"));
	for (i = 0; i < WINDOWS && least > LIMIT; i++)
		least = fmin(least, window_overhead(_metadata, self, alone));
	figure("switch_overhead_pct", 100 * least);
	EXPECT_LE(least, LIMIT);
	for (i = 0; i < CLIENTS; i++) {
		ASSERT_EQ(0, client_wait(&self->c[i]));
		EXPECT_EQ(0, product_wrong(&self->c[i], WORK_GPA, sizes[i]));
	}
}

TEST_HARNESS_MAIN
