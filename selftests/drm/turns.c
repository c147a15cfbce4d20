// SPDX-License-Identifier: GPL-2.0-or-later
/* Jobs of processes take turns on a slice: none is stopped for being long, and none delays others */
#include <fcntl.h>

#include "harness.h"
#include "tess_ctx.h"
#include "tess_feed.h"

#define HANG_MS "/sys/module/tessera_drm/parameters/hang_ms"

static void set_hang_ms(const char *value)
{
	FILE *f = fopen(HANG_MS, "w");

	if (!f || fputs(value, f) < 0 || fclose(f))
		tess_die("%s", HANG_MS);
}

/* @a and @b: two processes, as the driver sees it */
FIXTURE(turns)
{
	struct tess_ctx a, b;
};

FIXTURE_SETUP(turns)
{
	tess_ctx_open(&self->a);
	ASSERT_TRUE(tess_takes_turns(self->a.fd));
	tess_ctx_open_on(&self->b, tess_open(), self->a.slice);
	set_hang_ms("100");
}

FIXTURE_TEARDOWN(turns)
{
	set_hang_ms("60000");
	close(self->a.fd);
	close(self->b.fd);
}

static void loop(struct tess_ctx *ctx)
{
	tess_begin(ctx);
	tess_dispatch(ctx, TESS_K_LOOP, 1, 1, 0, 0);
	tess_ctx_submit(ctx);
}

/* Others' work is done meanwhile, and it ends as it should */
TEST_F(turns, long_job_survives)
{
	struct tess_ctx *a = &self->a, *b = &self->b;
	struct drm_tessera_query_gpu gpu;
	uint64_t cycles, limit;
	unsigned int i;

	tess_query_gpu(a->fd, &gpu);
	limit = 10 * 100ull * gpu.clock_khz;
	tess_wait(a, TESS_DATA_VA + 8, DRM_TESSERA_WAIT_EQ, 1);
	tess_dispatch(a, TESS_K_DELAY, 1, 1, TESS_DATA_VA, limit);
	tess_ctx_submit(a);
	for (i = 0; i < 20; i++) {
		tess_begin(b);
		tess_fill(b, TESS_DATA_VA, 4, i);
		EXPECT_EQ(0, tess_ctx_run(b));
		EXPECT_EQ(i, *(uint32_t *)b->data);
	}
	EXPECT_EQ(-ETIME, __tess_syncobj_wait(a->fd, a->done, 0, 0));
	((volatile uint64_t *)a->data)[1] = 1;
	EXPECT_EQ(0, tess_ctx_run(b));
	EXPECT_EQ(0, tess_ctx_wait(a));
	EXPECT_EQ(1u, *(uint64_t *)a->data);
	cycles = tess_file_cycles(a->fd);
	TH_LOG("%llu cycles, %llu would have been too many", (unsigned long long)cycles,
	       (unsigned long long)limit / 10);
	EXPECT_LE(limit, cycles);
	EXPECT_GE(limit, tess_file_cycles(b->fd));
}

/* A job that fails while it is off the slice fails as on it, and what follows runs */
TEST_F(turns, faults_of_those_that_wait)
{
	struct tess_ctx *a = &self->a, *b = &self->b;
	struct drm_tessera_queue_state state;
	unsigned int i;

	loop(b);
	for (i = 0; i < 20; i++) {
		struct tess_ctx next;

		tess_ctx_open_on(&next, a->fd, a->slice);
		loop(a);
		EXPECT_EQ(-ETIME, __tess_syncobj_wait(a->fd, a->done, 0, 20));
		tess_fill(&next, TESS_DATA_VA, 4, i);
		tess_ctx_submit(&next);
		tess_vm_unmap(a->fd, a->vm, TESS_CODE_VA, TESS_PAGE);
		EXPECT_EQ(-EFAULT, tess_ctx_wait(a));
		ASSERT_EQ(0, __tess_queue_state(a->fd, a->queue, &state));
		EXPECT_EQ(DRM_TESSERA_QUEUE_FAULTED, state.flags);
		EXPECT_EQ(DRM_TESSERA_CAUSE_FETCH_PAGE, state.cause);
		EXPECT_EQ(0, tess_ctx_wait(&next));
		EXPECT_EQ(i, *(uint32_t *)next.data);
		/* Its VM has no code any more */
		tess_ctx_close(&next);
		tess_ctx_open_on(a, a->fd, a->slice);
	}
	EXPECT_EQ(-ETIME, __tess_syncobj_wait(b->fd, b->done, 0, 0));
	EXPECT_EQ(0u, tess_queue_flags(b->fd, b->queue));
}

/* Cycles of the others are not those of a job, whether it ends or is dropped */
TEST_F(turns, cycles_are_ones_own)
{
	struct tess_ctx *a = &self->a, *b = &self->b;
	uint64_t from = tess_file_time(a->fd), time, of[2];

	loop(a);
	loop(b);
	sleep(1);
	tess_vm_unmap(a->fd, a->vm, TESS_CODE_VA, TESS_PAGE);
	tess_vm_unmap(b->fd, b->vm, TESS_CODE_VA, TESS_PAGE);
	EXPECT_EQ(-EFAULT, tess_ctx_wait(a));
	EXPECT_EQ(-EFAULT, tess_ctx_wait(b));
	time = tess_file_time(a->fd) - from;
	of[0] = tess_file_cycles(a->fd);
	of[1] = tess_file_cycles(b->fd);
	TH_LOG("%llu and %llu of %llu cycles", (unsigned long long)of[0], (unsigned long long)of[1],
	       (unsigned long long)time);
	EXPECT_GE(time, of[0] + of[1]);
	EXPECT_LE(time / 4, of[0]);
	EXPECT_LE(time / 4, of[1]);
}

static uint64_t busy_cycles(uint32_t slice)
{
	char name[64];

	snprintf(name, sizeof(name), "slices/slice%u/busy_cycles", slice);
	return tess_sysfs_value(name);
}

/* Nobody could stop it any more */
TEST_F(turns, endless_job_of_a_dead_process)
{
	unsigned int i, still = 0;
	struct tess_feed dead;
	uint64_t busy, before;

	tess_feed_start(&dead, self->a.slice, DRM_TESSERA_PRIORITY_NORMAL, 0);
	before = busy_cycles(self->a.slice);
	for (i = 0; i < 100 && busy_cycles(self->a.slice) == before; i++)
		usleep(50000);
	EXPECT_LT(before, busy_cycles(self->a.slice));
	tess_feed_stop(&dead);
	for (i = 0; i < 100 * patience() && still < 5; i++) {
		busy = busy_cycles(self->a.slice);
		usleep(100000);
		still = busy_cycles(self->a.slice) == busy ? still + 1 : 0;
	}
	EXPECT_EQ(5u, still);
	tess_fill(&self->a, TESS_DATA_VA, 4, 1);
	EXPECT_EQ(0, tess_ctx_run(&self->a));
}

/* What queues that come and go leave behind: nothing */
TEST_F(turns, queues_come_and_go)
{
	struct tess_ctx *a = &self->a;
	unsigned int i;
	uint32_t id;

	loop(&self->b);
	for (i = 0; i < 50; i++) {
		tess_ctx_new_queue(a);
		EXPECT_EQ(0, __tess_queue_create(a->fd, a->vm, a->slice, i % 3, &id));
		tess_begin(a);
		tess_fill(a, TESS_DATA_VA, 4, i);
		EXPECT_EQ(0, tess_ctx_run(a));
		EXPECT_EQ(i, *(uint32_t *)a->data);
		__tess_queue_destroy(a->fd, id);
	}
}

TEST_HARNESS_MAIN
