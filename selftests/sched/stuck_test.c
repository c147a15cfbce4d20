// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A slice that does not preempt (option --stuck-slice of the model): it is reset, only the
 * client that was on it is told, and all others go on, there and elsewhere.
 *
 * TESS_STUCK_SLICE is its number.
 */
#include "harness.h"
#include "load.h"

FIXTURE(stuck)
{
	struct client bad, good[2], far;
	struct load load[2], far_load;
	int slice;
};

FIXTURE_SETUP(stuck)
{
	unsigned int i;

	fresh_start();
	self->slice = setting("TESS_STUCK_SLICE", -1);
	if (self->slice < 0)
		SKIP(return, "TESS_STUCK_SLICE is not set");
	ASSERT_EQ(0, client_open(&self->bad, "C1S"));
	if (client_slice(&self->bad) != self->slice)
		ASSERT_EQ(0, client_move(&self->bad, self->slice));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, client_open(&self->good[i], "C1S"));
		if (client_slice(&self->good[i]) != self->slice)
			ASSERT_EQ(0, client_move(&self->good[i], self->slice));
		load_init(&self->load[i], &self->good[i], 400, 8);
	}
	ASSERT_EQ(0, client_open(&self->far, "M1S"));
	load_init(&self->far_load, &self->far, 10000, 8);
}

FIXTURE_TEARDOWN(stuck)
{
	client_close(&self->bad);
	client_close(&self->good[0]);
	client_close(&self->good[1]);
	client_close(&self->far);
}

/* The one that is on the slice when it sticks loses its work and learns so */
TEST_F_TIMEOUT(stuck, only_one_is_told, 120)
{
	struct client *bad = &self->bad;
	long long timeouts = slice_value(bad, self->slice, "timeouts");
	int fd = vgpu_eventfd(&bad->v, TESS_IRQ_FAULT), cause;
	struct window w;

	ASSERT_LE(0, fd);
	client_kernel(bad, TESS_K_LOOP, 8, 16);
	client_fence(bad);
	/* It is the one that runs when the slice sticks */
	while (!client_counter(bad, TESS_COUNTER_INSTRUCTIONS))
		sleep_ms(1);
	load_pump(&self->load[0]);
	load_pump(&self->far_load);
	EXPECT_LT(0, eventfd_wait(fd, 20000));
	cause = client_reg32(&bad->v, 0, TESS_SREG_FAULT_CAUSE);
	timeouts = slice_value(bad, self->slice, "timeouts") - timeouts;
	printf("# cause %d after %lld timeouts\n", cause, timeouts);
	EXPECT_EQ(DRM_TESSERA_CAUSE_NOT_PREEMPTED, cause);
	EXPECT_EQ(1, timeouts);
	EXPECT_EQ(1, client_value(bad, "vslice0/lost"));
	/* Those that end before their quantum does are never in the way */
	ASSERT_EQ(0, load_finish(&self->load[0], 1));
	ASSERT_EQ(0, load_window(&self->load[0], 1, 1, 200, 0, &w));
	ASSERT_EQ(0, load_finish(&self->load[0], 1));
	ASSERT_EQ(0, load_finish(&self->far_load, 1));
	EXPECT_EQ(0, client_reg32(&self->good[0].v, 0, TESS_SREG_FAULT_CAUSE));
	EXPECT_EQ(0, client_reg32(&self->far.v, 0, TESS_SREG_FAULT_CAUSE));
	EXPECT_EQ(0, client_value(&self->good[0], "vslice0/lost"));
	/* What the host made of it can be restored, as often as it asks for its slice */
	ring_kick(&bad->r);
	ASSERT_EQ(0, load_window(&self->load[0], 1, 1, 100, 0, &w));
	EXPECT_EQ(DRM_TESSERA_CAUSE_NOT_PREEMPTED, client_reg32(&bad->v, 0, TESS_SREG_FAULT_CAUSE));
	EXPECT_EQ(1, client_value(bad, "vslice0/lost"));
	ASSERT_EQ(0, load_finish(&self->load[0], 1));
	/* It may start over */
	EXPECT_EQ(0, client_starts_over(bad));
	close(fd);
}

TEST_HARNESS_MAIN
