// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Automatic vGPUs: who starves gets more slices, who idles has fewer in the end, within what
 * the blueprint allows; no job is lost or done twice by it. With the policy "manual" nothing
 * happens.
 */
#include "harness.h"
#include "load.h"

#define PERIOD_FILE "/sys/module/tessera/parameters/adapt_period_ms"
#define VSLICES 4
#define JOB_US 20000
#define DEPTH 8
#define LIMIT_MS 30000
#define LOOKS 10

FIXTURE(adapt)
{
	struct client c[VSLICES];
	struct load l[VSLICES];
	char uuid[37];
	bool open;
};

FIXTURE_SETUP(adapt)
{
	unsigned int i;

	fresh_start();
	ASSERT_EQ(0, file_write(PERIOD_FILE, "100"));
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint",
				     "slices=1 min=1 max=4 kind=compute memory=16M topology=mesh"));
	ASSERT_EQ(0, client_open_uuid(&self->c[0], self->uuid));
	self->open = true;
	for (i = 1; i < VSLICES; i++)
		client_sibling(&self->c[i], &self->c[0], i);
	for (i = 0; i < VSLICES; i++) {
		load_init(&self->l[i], &self->c[i], JOB_US, DEPTH);
		ASSERT_EQ(0, client_warm(&self->c[i]));
	}
}

FIXTURE_TEARDOWN(adapt)
{
	if (self->open)
		client_close(&self->c[0]);
	file_write(PERIOD_FILE, "500");
}

/* Work on @busy vslices until @given slices are given: ms that it took, -1: too long */
static long given_after(struct __fixture_adapt *self, unsigned int busy, long long given)
{
	long start = now_ms();

	while (now_ms() - start < LIMIT_MS) {
		if (client_value(&self->c[0], "given") == given)
			return now_ms() - start;
		if (!busy)
			sleep_ms(50);
		else if (load_settle(self->l, busy, 50))
			return -1;
	}
	return -1;
}

TEST_F_TIMEOUT(adapt, follows_the_load, 200)
{
	long long generation;
	long grown, full, idle;

	generation = client_value(&self->c[0], "generation");
	/* Who is not to be changed is not */
	ASSERT_EQ(0, load_settle(self->l, 1, 3000));
	EXPECT_EQ(1, client_value(&self->c[0], "given"));
	EXPECT_EQ(generation, client_value(&self->c[0], "generation"));

	ASSERT_EQ(0, client_set(&self->c[0], "policy", "auto"));
	grown = given_after(self, 1, 2);
	EXPECT_LE(0, grown);
	/* One busy vslice has what it can use */
	ASSERT_EQ(0, load_settle(self->l, 1, 3000));
	EXPECT_EQ(2, client_value(&self->c[0], "given"));
	full = given_after(self, VSLICES, 4);
	EXPECT_LE(0, full);
	ASSERT_EQ(0, load_finish(self->l, VSLICES));
	idle = given_after(self, 0, 1);
	EXPECT_LE(0, idle);
	/* They can be used all the same */
	EXPECT_EQ(0, load_settle(self->l, VSLICES, 100));
	EXPECT_EQ(0, load_finish(self->l, VSLICES));
	printf("# 2 slices after %ld ms, 4 after %ld, 1 after %ld; %lld compositions\n", grown,
	       full, idle, client_value(&self->c[0], "generation") - generation);
}

/* Turns so short that the switches take a good part of the time: who waits for them is busy */
TEST_F_TIMEOUT(adapt, short_turns, 200)
{
	unsigned int permille, sum = 0;
	int i;

	for (i = 0; i < slice_count(&self->c[0]); i++)
		ASSERT_EQ(0, slice_set(&self->c[0], i, "quantum_us", "100"));
	ASSERT_EQ(0, load_settle(self->l, VSLICES, 2000));
	for (i = 0; i < LOOKS; i++) {
		ASSERT_EQ(0, load_settle(self->l, VSLICES, 100));
		ASSERT_EQ(1, sscanf(mdev_attr(self->uuid, "profile"), "utilization=%u", &permille));
		sum += permille;
	}
	EXPECT_LE(950, sum / LOOKS);
	EXPECT_EQ(0, load_finish(self->l, VSLICES));
	printf("# busy for %u permille\n", sum / LOOKS);
}

TEST_HARNESS_MAIN
