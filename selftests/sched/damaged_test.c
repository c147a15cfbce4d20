// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A slice that saves a context wrongly (option --damage-context of the model): it is refused,
 * its client is told and may start over, and all others go on.
 *
 * TESS_DAMAGED_SLICE is its number.
 */
#include "harness.h"
#include "load.h"

FIXTURE(damaged)
{
	struct client bad, good;
	struct load load;
	int slice;
};

static int open_on(struct client *c, int slice)
{
	int ret = client_open(c, "C1S");

	return ret || client_slice(c) == slice ? ret : client_move(c, slice);
}

FIXTURE_SETUP(damaged)
{
	fresh_start();
	self->slice = setting("TESS_DAMAGED_SLICE", -1);
	if (self->slice < 0)
		SKIP(return, "TESS_DAMAGED_SLICE is not set");
	ASSERT_EQ(0, open_on(&self->bad, self->slice));
	ASSERT_EQ(0, open_on(&self->good, self->slice));
	load_init(&self->load, &self->good, 400, 8);
}

FIXTURE_TEARDOWN(damaged)
{
	client_close(&self->bad);
	client_close(&self->good);
}

/* The first packet that is parked in mid-work is the endless one */
TEST_F_TIMEOUT(damaged, only_its_client_is_told, 120)
{
	struct client *bad = &self->bad;
	long long timeouts = slice_value(bad, self->slice, "timeouts");
	int fd = vgpu_eventfd(&bad->v, TESS_IRQ_FAULT);
	struct window w;

	ASSERT_LE(0, fd);
	client_kernel(bad, TESS_K_LOOP, 8, 16);
	client_fence(bad);
	while (!client_counter(bad, TESS_COUNTER_INSTRUCTIONS))
		sleep_ms(1);
	EXPECT_EQ(0, client_value(bad, "vslice0/lost"));
	load_pump(&self->load);
	EXPECT_LT(0, eventfd_wait(fd, 20000));
	EXPECT_EQ(DRM_TESSERA_CAUSE_CONTEXT_LOST, client_reg32(&bad->v, 0, TESS_SREG_FAULT_CAUSE));
	EXPECT_EQ(1, client_value(bad, "vslice0/lost"));
	EXPECT_EQ(timeouts, slice_value(bad, self->slice, "timeouts"));
	EXPECT_FALSE(client_idle(bad));
	ASSERT_EQ(0, load_window(&self->load, 1, 1, 100, 0, &w));
	ASSERT_EQ(0, load_finish(&self->load, 1));
	EXPECT_EQ(0, client_reg32(&self->good.v, 0, TESS_SREG_FAULT_CAUSE));
	EXPECT_EQ(0, client_value(&self->good, "vslice0/lost"));
	/* It may ask for its slice, which finds the fault, and it may start over */
	ring_kick(&bad->r);
	ASSERT_EQ(0, load_window(&self->load, 1, 1, 100, 0, &w));
	EXPECT_EQ(DRM_TESSERA_CAUSE_CONTEXT_LOST, client_reg32(&bad->v, 0, TESS_SREG_FAULT_CAUSE));
	EXPECT_EQ(1, client_value(bad, "vslice0/lost"));
	ASSERT_EQ(0, load_finish(&self->load, 1));
	EXPECT_EQ(0, client_starts_over(bad));
	close(fd);
}

TEST_HARNESS_MAIN
