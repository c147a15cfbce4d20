// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Throughput follows the slices: the same mix of matrix products on one slice, two, three and
 * four, of one vGPU that is recomposed in between, in instructions per GPU cycle. The private
 * memory of the work-items, which they use all the time, is in the bank of their vslice, as
 * libtessera has it, and more than a translation cache holds: so memory has to be near the
 * slices that the vGPU gets later.
 *
 * TESS_WINDOW_MS is the length of a measurement in GPU time.
 */
#include <stdlib.h>

#include "harness.h"
#include "load.h"
#include "product.h"
#include "shape.h"

#define VSLICES 4
#define SIZES 4
#define QUEUED 10 /* products of each vslice */
#define WINDOWS 5u
#define BANK (2u << 20)
#define BANK_PRIVATE (BANK / PRODUCT_FLIGHT)
/* Memory of a vslice: the matrices of all sizes, then other private memory */
#define MATRICES 0x40000u
#define AREA (MATRICES + PRODUCT_SCRATCH(PRODUCT_PRIVATE))
#define AREA_GPA(vslice) (WORK_GPA + (vslice) * (uint64_t)AREA)

static const unsigned int sizes[SIZES] = { 64, 48, 80, 56 };

_Static_assert(PRODUCT_BYTES(64) + PRODUCT_BYTES(48) + PRODUCT_BYTES(80) + PRODUCT_BYTES(56) <=
		       MATRICES,
	       "the matrices of a vslice have room");
_Static_assert(WORK_GPA - RAM_GPA + VSLICES * AREA <= RAM_SIZE, "so have those of all");

FIXTURE(scale)
{
	struct client c[VSLICES];
	struct load l[VSLICES];
	struct shape shape;
	bool open;
};

static uint64_t product_gpa(unsigned int vslice, unsigned int which)
{
	uint64_t gpa = AREA_GPA(vslice);
	unsigned int i;

	for (i = 0; i < which; i++)
		gpa += PRODUCT_BYTES(sizes[i]);
	return gpa;
}

/* Each vslice begins with another size */
static void put_next(const struct load *l)
{
	unsigned int vslice = l->c->r.vslice, which = (l->c->r.seq + vslice) % SIZES;

	product_put(l->c, product_gpa(vslice, which), BANK_VA, BANK_PRIVATE, sizes[which]);
}

/* The same without a bank, which is far away from a vslice that is withheld */
static void put_near(const struct load *l)
{
	unsigned int vslice = l->c->r.vslice, which = (l->c->r.seq + vslice) % SIZES;

	product_put(l->c, product_gpa(vslice, which), VA(AREA_GPA(vslice) + MATRICES),
		    PRODUCT_PRIVATE, sizes[which]);
}

FIXTURE_SETUP(scale)
{
	char uuid[SHAPE_UUID];
	unsigned int i, k;

	fresh_start();
	self->shape = (struct shape){
		.slices = 1,
		.max = VSLICES,
		.memory = BANK,
		.kind = TESS_KIND_COMPUTE,
		.topology = TESS_TOPOLOGY_MESH,
	};
	ASSERT_EQ(0, shape_create(&self->shape, uuid));
	ASSERT_EQ(0, client_open_uuid(&self->c[0], uuid));
	self->open = true;
	product_code(&self->c[0]);
	for (i = 0; i < VSLICES; i++) {
		if (i)
			client_sibling(&self->c[i], &self->c[0], i);
		self->l[i] = (struct load){ &self->c[i], put_next, 0, QUEUED };
		for (k = 0; k < SIZES; k++)
			product_fill(&self->c[i], product_gpa(i, k), sizes[k]);
	}
}

FIXTURE_TEARDOWN(scale)
{
	if (self->open)
		client_close(&self->c[0]);
}

/* Wait for all work, and compare its results */
static void drain(struct __test_metadata *_metadata, struct __fixture_scale *self, unsigned int n)
{
	unsigned int i, k, wrong = 0;

	for (i = 0; i < n; i++)
		ASSERT_EQ(0, client_wait(&self->c[i]));
	for (i = 0; i < n; i++)
		for (k = 0; k < SIZES; k++)
			wrong += product_wrong(&self->c[i], product_gpa(i, k), sizes[k]);
	EXPECT_EQ(0, wrong);
}

static int by_rate(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Instructions per cycle of @n vslices at work on @slices slices. The median of some
 * windows: a host that stood still during one says nothing about the GPU
 */
static double rate(struct __test_metadata *_metadata, struct __fixture_scale *self,
		   unsigned int slices, unsigned int n)
{
	unsigned int ms = setting("TESS_WINDOW_MS", 400), i;
	double rates[WINDOWS];
	struct window w;

	self->shape.slices = slices;
	ASSERT_EQ(0, shape_write(self->c[0].v.uuid, &self->shape));
	/* The first products also wait for memory that the host has yet to map */
	ASSERT_EQ(0, load_settle(self->l, n, 50));
	for (i = 0; i < WINDOWS; i++) {
		ASSERT_EQ(0, load_window(self->l, n, n, ms, 0, &w));
		rates[i] = window_rate(&w, n);
	}
	drain(_metadata, self, n);
	qsort(rates, WINDOWS, sizeof(rates[0]), by_rate);
	printf("# %u vslices on %u slices: %.3f instructions per cycle (%.3f to %.3f)\n", n, slices,
	       rates[WINDOWS / 2], rates[0], rates[WINDOWS - 1]);
	return rates[WINDOWS / 2];
}

TEST_F_TIMEOUT(scale, with_slices, 240)
{
	double one = rate(_metadata, self, 1, 1), ratio[VSLICES], ignoring;
	unsigned int i, n;

	for (n = 2; n <= VSLICES; n++) {
		ratio[n - 1] = rate(_metadata, self, n, n) / one;
		EXPECT_TRUE(ratio[n - 1] >= 0.9 * n);
	}
	/* All four at work though there is one slice: in turns, with what switches cost */
	for (i = 0; i < VSLICES; i++)
		self->l[i].put = put_near;
	one = rate(_metadata, self, 1, 1);
	ignoring = rate(_metadata, self, 1, VSLICES) / one;
	figure("scale_4_over_1", ratio[VSLICES - 1]);
	figure("scale_ignored", ignoring);
	EXPECT_TRUE(ignoring >= 0.9);
}

TEST_HARNESS_MAIN
