// SPDX-License-Identifier: GPL-2.0-or-later
/* A process that does everything wrong does not disturb another one */
#include <sys/mman.h>
#include <sys/prctl.h>

#include "harness.h"
#include "tess_ctx.h"

/* In @report: rounds done, and whether all is well */
struct report {
	volatile uint32_t rounds;
	volatile uint32_t wrong;
	volatile uint32_t stop;
};

static struct report *new_report(void)
{
	return mmap(NULL, TESS_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* Work that notices any disturbance: fill, copy, dispatch, compare */
static void work(struct report *report, uint32_t slice)
{
	struct tess_ctx ctx;
	uint32_t round, i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	tess_ctx_open_on(&ctx, tess_open(), slice);
	for (round = 1; !report->stop; round++) {
		uint32_t *data = (uint32_t *)ctx.data;

		tess_begin(&ctx);
		tess_fill(&ctx, TESS_DATA_VA, 4096, round);
		tess_copy(&ctx, TESS_DATA_VA + 8192, TESS_DATA_VA, 4096);
		tess_dispatch(&ctx, TESS_K_IDS, 2, 64, TESS_DATA_VA + 16384, 0);
		if (tess_ctx_run(&ctx)) {
			report->wrong++;
			break;
		}
		for (i = 0; i < 1024; i++)
			report->wrong += data[2048 + i] != round;
		for (i = 0; i < 128; i++)
			report->wrong += data[4096 + i] != 3 * i;
		report->wrong += tess_queue_flags(ctx.fd, ctx.queue) != 0;
		memset(ctx.data, 0, 32768);
		report->rounds++;
	}
	_exit(0);
}

static pid_t start_work(struct __test_metadata *_metadata, struct report *report, uint32_t slice)
{
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid)
		work(report, slice);
	return pid;
}

static void one_fault(struct __test_metadata *_metadata, struct tess_ctx *ctx, unsigned int n)
{
	tess_begin(ctx);
	switch (n % 5) {
	case 0:
		tess_packet(ctx, 0x7f);
		break;
	case 1:
		tess_fill(ctx, TESS_FREE_VA, 64, 1);
		break;
	case 2:
		tess_dispatch(ctx, TESS_K_ILLEGAL, 8, 64, 0, 0);
		break;
	case 3:
		tess_dispatch(ctx, TESS_K_LOAD, 8, 64, TESS_FREE_VA, 0);
		break;
	case 4:
		tess_packet(ctx, DRM_TESSERA_PKT_FENCE);
		break;
	}
	ASSERT_EQ(-EFAULT, tess_ctx_run(ctx));
	tess_ctx_new_queue(ctx);
}

static void disturb(struct __test_metadata *_metadata, uint32_t theirs, uint32_t mine)
{
	struct report *report = new_report();
	unsigned int n, before;
	struct tess_ctx ctx;
	int status;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, report);
	pid = start_work(_metadata, report, theirs);
	tess_ctx_open_on(&ctx, tess_open(), mine);
	while (!report->rounds && !report->wrong)
		usleep(1000);
	before = report->rounds;
	for (n = 0; n < 60; n++)
		one_fault(_metadata, &ctx, n);
	EXPECT_LT(before, report->rounds);
	report->stop = 1;
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0u, report->wrong);
	TH_LOG("%u rounds beside 60 faults", report->rounds - before);
}

TEST(faults_on_another_slice)
{
	struct drm_tessera_query_gpu gpu;
	int fd = tess_open();

	tess_query_gpu(fd, &gpu);
	close(fd);
	if (__builtin_popcountll(gpu.slice_mask) < 2)
		SKIP(return, "needs two slices");
	disturb(_metadata, __builtin_ctzll(gpu.slice_mask), 63 - __builtin_clzll(gpu.slice_mask));
}

TEST(faults_on_the_same_slice)
{
	int fd = tess_open();
	int slice = tess_find_slice(fd, 0);

	close(fd);
	ASSERT_LE(0, slice);
	disturb(_metadata, slice, slice);
}

TEST(killed_in_mid_work)
{
	uint64_t vram = tess_sysfs_value("vram_free"), slices = tess_sysfs_value("slices_free");
	struct report *report = new_report();
	unsigned int before, n;
	int status, slice;
	pid_t worker, pid;
	int fd = tess_open();

	slice = tess_find_slice(fd, 0);
	ASSERT_LE(0, slice);
	close(fd);
	worker = start_work(_metadata, report, slice);
	for (n = 0; n < 10; n++) {
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			struct tess_ctx ctx;

			prctl(PR_SET_PDEATHSIG, SIGKILL);
			tess_ctx_open_on(&ctx, tess_open(), slice);
			tess_bo_create(ctx.fd, TESS_2M, DRM_TESSERA_BO_VRAM);
			tess_dispatch(&ctx, TESS_K_LOOP, 8, 64, 0, 0);
			tess_ctx_submit(&ctx);
			tess_ctx_submit(&ctx);
			pause();
		}
		usleep(150000);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
	}
	/* The loops of the dead are over and the worker goes on. */
	before = report->rounds;
	for (n = 0; n < 100 && report->rounds == before; n++)
		usleep(100000);
	EXPECT_LT(before, report->rounds);
	report->stop = 1;
	ASSERT_EQ(worker, waitpid(worker, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0u, report->wrong);
	EXPECT_EQ(vram, tess_sysfs_wait("vram_free", vram, 10));
	EXPECT_EQ(slices, tess_sysfs_wait("slices_free", slices, 10));
}

TEST(memory_of_others_is_out_of_reach)
{
	struct tess_ctx a, b;
	uint64_t va;

	tess_ctx_open(&a);
	tess_ctx_open(&b);
	tess_fill(&a, TESS_DATA_VA, TESS_DATA_BYTES, 0x5ec7e7);
	ASSERT_EQ(0, tess_ctx_run(&a));
	/* Nothing of the other process is mapped, wherever one looks. */
	for (va = 0; va < TESS_FREE_VA; va += 2 * TESS_2M) {
		if (va == TESS_DATA_VA)
			continue;
		tess_begin(&b);
		tess_copy(&b, TESS_DATA_VA, va, 4);
		EXPECT_EQ(-EFAULT, tess_ctx_run(&b));
		tess_ctx_new_queue(&b);
	}
	EXPECT_EQ(0u, *(uint32_t *)b.data);
	tess_ctx_close(&a);
	tess_ctx_close(&b);
}

TEST_HARNESS_MAIN
