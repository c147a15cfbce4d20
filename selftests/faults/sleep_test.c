// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host falls asleep (suspend to idle) under a virtual machine and a process that work.
 *
 * The file system of a host VM's tree does not survive that: this program has to be run from
 * another one, and nothing can be read from the tree afterwards (run.sh does it like this).
 */
#include "harness.h"
#include "books.h"
#include "bystander.h"
#include "tess_ctx.h"

#define POWER "/sys/power/"
#define ASLEEP_S "2"

FIXTURE(sleep)
{
	struct books books;
	struct bystander by;
};

FIXTURE_SETUP(sleep)
{
	fresh_start();
	books_open(&self->books);
	ASSERT_EQ(0, bystander_start(&self->by));
	ASSERT_TRUE(bystander_goes_on(&self->by, 1));
}

FIXTURE_TEARDOWN(sleep)
{
	EXPECT_TRUE(bystander_goes_on(&self->by, 2));
	EXPECT_EQ(0, bystander_end(&self->by));
	EXPECT_EQ(0, books_unclosed(&self->books));
}

/*
 * Suspend to idle, with all that the kernel does to devices and interrupts; pm_test wakes the
 * system up, which the clock of an emulated machine cannot do.
 */
static int sleep_system(void)
{
	int ret = file_write("/sys/module/suspend/parameters/pm_test_delay", ASLEEP_S);

	if (!ret)
		ret = file_write(POWER "pm_test", "platform");
	if (!ret)
		ret = file_write(POWER "state", "freeze");
	file_write(POWER "pm_test", "none");
	return ret;
}

/* A job of a process that is in the ring when the system falls asleep */
static void long_job(struct tess_ctx *ctx)
{
	*(uint64_t *)ctx->data = 0;
	tess_begin(ctx);
	tess_dispatch(ctx, TESS_K_DELAY, 1, 1, TESS_DATA_VA, 200000);
	tess_ctx_submit(ctx);
}

/* Nothing is lost: work in rings, completions that come meanwhile, memory, the composition */
TEST_F_TIMEOUT(sleep, to_idle, 150)
{
	unsigned int round;
	struct tess_ctx ctx;

	if (access(POWER "pm_test", W_OK))
		SKIP(return, "this kernel has no pm_test");
	tess_ctx_open(&ctx);
	for (round = 0; round < 3; round++) {
		long_job(&ctx);
		ASSERT_EQ(0, sleep_system());
		EXPECT_EQ(0, tess_ctx_wait(&ctx));
		EXPECT_EQ(1, *(uint64_t *)ctx.data);
		EXPECT_EQ(0u, tess_queue_flags(ctx.fd, ctx.queue));
		EXPECT_TRUE(bystander_goes_on(&self->by, 2));
	}
	tess_ctx_close(&ctx);
}

TEST_HARNESS_MAIN
