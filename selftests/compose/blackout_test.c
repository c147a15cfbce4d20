// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long a vGPU stands still while it is recomposed. A kernel on each vslice looks at the
 * clock all the time and keeps the longest time between two looks, in GPU cycles: that is what
 * the vslice lost, whatever the reason.
 *
 * Vslices that are about to be withheld are idle: for those that keep a slice the standstill
 * is the change alone, and not the turns of others.
 *
 * TESS_BLACKOUTS says how many recompositions are measured, TESS_SEED repeats a run.
 */
#include <time.h>

#include "harness.h"
#include "tenant.h"

#define QUANTUM_US 2000.0
#define MAX_SAMPLES 1000

FIXTURE(blackout)
{
	struct tenant g;
	struct shape shape;
	bool open;
	unsigned int watching;
	double per_quantum;
	unsigned int made, n; /* n of them moved a vslice */
	double cycles[MAX_SAMPLES], whole[MAX_SAMPLES], part[MAX_SAMPLES];
	double calm[MAX_SAMPLES]; /* of vslices that nobody touches, for as long */
};

FIXTURE_SETUP(blackout)
{
	long seed = setting("TESS_SEED", time(NULL));
	static const struct client nobody;

	printf("# TESS_SEED=%ld\n", seed);
	srandom(seed);
	fresh_start();
	self->shape = (struct shape){
		.slices = 2,
		.max = TENANT_VSLICES,
		.memory = STREAM_BANK,
		.kind = TESS_KIND_COMPUTE,
		.topology = TESS_TOPOLOGY_MESH,
	};
	ASSERT_EQ(0, tenant_open(&self->g, &self->shape));
	self->open = true;
	self->per_quantum = QUANTUM_US * reg32(&self->g.c[0].v, TESS_REG_CLOCK_KHZ) / 1000;
	ASSERT_EQ(QUANTUM_US, slice_value(&nobody, 0, "quantum_us"));
}

FIXTURE_TEARDOWN(blackout)
{
	if (self->open)
		tenant_close(&self->g);
}

static void watch_start(struct __test_metadata *_metadata, struct tenant *g, unsigned int i)
{
	uint64_t args[2] = { VA(MARK_GPA(i)), 0 };
	volatile struct tess_watch *w = tenant_watch(g, i);
	long end = now_ms() + CLIENT_WAIT_MS;

	w->stop = 0;
	w->beat = 0;
	client_dispatch(&g->c[i], CODE_GPA + TESS_K_WATCH * TESS_K_BYTES, 1, 1, args, sizeof(args));
	client_fence(&g->c[i]);
	while (!w->beat) {
		ASSERT_LT(now_ms(), end);
		sleep_ms(1);
	}
}

/* Let vslices 0 to n - 1 watch, and no others */
static void watch_set(struct __test_metadata *_metadata, struct __fixture_blackout *self,
		      unsigned int n)
{
	while (self->watching < n)
		watch_start(_metadata, &self->g, self->watching++);
	while (self->watching > n) {
		tenant_watch(&self->g, --self->watching)->stop = 1;
		ASSERT_EQ(0, client_wait(&self->g.c[self->watching]));
	}
}

/* Each watcher looked at the clock after this time */
static void beats_after(struct __test_metadata *_metadata, struct __fixture_blackout *self,
			uint64_t time)
{
	long end = now_ms() + CLIENT_WAIT_MS;
	unsigned int i;

	for (i = 0; i < self->watching; i++) {
		while (tenant_watch(&self->g, i)->beat <= time) {
			ASSERT_LT(now_ms(), end);
			sleep_ms(1);
		}
	}
}

/* Standstill of the vslice that stood still longest, of how much that took, and of all at once */
static void collect(struct __fixture_blackout *self, double took)
{
	double longest = 0, from = 0, to = 1e30;
	unsigned int i;

	for (i = 0; i < self->watching; i++) {
		volatile struct tess_watch *w = tenant_watch(&self->g, i);
		double begin = w->from, end = begin + w->longest;

		longest = end - begin > longest ? end - begin : longest;
		from = begin > from ? begin : from;
		to = end < to ? end : to;
	}
	self->cycles[self->n] = longest;
	self->whole[self->n] = to > from ? to - from : 0;
	self->part[self->n] = longest / took;
	self->n++;
}

static void forget_longest(struct __fixture_blackout *self)
{
	unsigned int i;

	for (i = 0; i < self->watching; i++)
		tenant_watch(&self->g, i)->longest = 0;
}

/* What the machine alone makes of the same vslices, in a time as long as a recomposition's */
static double calm_longest(struct __test_metadata *_metadata, struct __fixture_blackout *self,
			   uint64_t length)
{
	double longest = 0;
	unsigned int i;

	forget_longest(self);
	beats_after(_metadata, self, client_time(&self->g.c[0]) + length);
	for (i = 0; i < self->watching; i++) {
		double v = tenant_watch(&self->g, i)->longest;

		longest = v > longest ? v : longest;
	}
	return longest;
}

static uint64_t slices_of(struct tenant *g, unsigned int n)
{
	struct tess_composition page;
	uint64_t ids = 0;
	unsigned int i;

	tenant_page(g, &page);
	for (i = 0; i < n; i++)
		ids = ids << 8 | page.slice[i].id;
	return ids;
}

static void measure(struct __test_metadata *_metadata, struct __fixture_blackout *self)
{
	unsigned int keep = self->shape.slices;
	struct tenant *g = &self->g;
	uint64_t ids, begin, took;

	shape_random(&self->shape, &self->shape);
	keep = self->shape.slices < keep ? self->shape.slices : keep;
	watch_set(_metadata, self, keep);
	ids = slices_of(g, keep);
	forget_longest(self);
	beats_after(_metadata, self, client_time(&g->c[0]));
	begin = client_time(&g->c[0]);
	ASSERT_EQ(0, shape_write(g->c[0].v.uuid, &self->shape));
	took = client_time(&g->c[0]) - begin;
	beats_after(_metadata, self, client_time(&g->c[0]));
	/* Nothing stands still if only the numbers change: that is no sample */
	if (ids != slices_of(g, keep)) {
		collect(self, took);
		self->calm[self->n - 1] = calm_longest(_metadata, self, took);
	}
	self->made++;
	watch_set(_metadata, self, self->shape.slices);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v, unsigned int n)
{
	qsort(v, n, sizeof(*v), compare);
	return v[n / 2];
}

TEST_F_TIMEOUT(blackout, of_recompositions, 400)
{
	unsigned int want = setting("TESS_BLACKOUTS", 30), n;
	double p50, max;

	ASSERT_LE(want, MAX_SAMPLES);
	watch_set(_metadata, self, self->shape.slices);
	while (self->made < want)
		measure(_metadata, self);
	watch_set(_metadata, self, 0);
	n = self->n;
	printf("# %u recompositions, vslices changed their slices in %u of them\n", want, n);
	ASSERT_LT(want / 4, n);
	p50 = median(self->cycles, n) / self->per_quantum;
	max = self->cycles[n - 1] / self->per_quantum;
	printf("# a vslice stood still for %.0f cycles (median), %.0f (longest)\n",
	       self->cycles[n / 2], self->cycles[n - 1]);
	printf("# all at the same time for %.0f cycles (median)", median(self->whole, n));
	printf(", %.0f (longest)\n", self->whole[n - 1]);
	figure("blackout_quanta_p50", p50);
	figure("blackout_quanta_max", max);
	qsort(self->calm, n, sizeof(*self->calm), compare);
	figure("blackout_quanta_calm_max", self->calm[n - 1] / self->per_quantum);
	figure("blackout_part_p50", median(self->part, n));
	/*
	 * Work goes on for most of a recomposition. In quanta the limit is 1 on a calm machine; one that
	 * is busy with other things makes all of it longer, so nothing depends on that here.
	 */
	EXPECT_TRUE(median(self->part, n) <= 0.25);
}

TEST_HARNESS_MAIN
