// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A guest falls asleep and takes the power of its vGPU, in the middle of a process's work: the
 * process loses the vGPU, in bounded time, and a new one is there. Runs in a guest (guests.py).
 *
 * The file system of the tree does not survive that, see sleep_test.c.
 */
#include <sys/mman.h>

#include "harness.h"
#include "client.h"
#include "tess_ctx.h"

#define POWER "/sys/power/"
#define LOOPS 2000000000
#define NODE_MS 60000

/* Devices are stopped and started. A guest need not know whether a task sleeps. */
static int doze(void)
{
	int ret = file_write(POWER "mem_sleep", "deep");

	if (!ret)
		ret = file_write(POWER "pm_test", "devices");
	if (!ret)
		ret = file_write(POWER "state", "mem");
	file_write(POWER "pm_test", "none");
	return ret;
}

static int wait_for_node(void)
{
	long end = now_ms() + NODE_MS;
	int fd;

	while ((fd = __tess_open()) < 0 && now_ms() < end)
		sleep_ms(20);
	return fd;
}

/* Memory that it has and memory that it just gave back are both zeroed by the driver that leaves */
TEST_TIMEOUT(a_process_finds_a_new_vgpu, 150)
{
	struct drm_tessera_query_gpu gpu;
	struct tess_ctx ctx;
	uint32_t handle;
	int fd;

	tess_ctx_open(&ctx);
	tess_query_gpu(ctx.fd, &gpu);
	if (!(gpu.caps & TESS_CAPS_VGPU))
		SKIP(return, "this is no guest");
	tess_bo_create(ctx.fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	ASSERT_EQ(0, __tess_bo_create(ctx.fd, TESS_2M, DRM_TESSERA_BO_VRAM, &handle));
	tess_begin(&ctx);
	tess_dispatch(&ctx, TESS_K_DELAY, 1, 1, TESS_DATA_VA, LOOPS);
	tess_ctx_submit(&ctx);
	ASSERT_EQ(0, __tess_bo_close(ctx.fd, handle));
	ASSERT_EQ(0, doze());
	EXPECT_GT(0, tess_ctx_wait(&ctx));
	EXPECT_EQ(-ENODEV, __tess_query(ctx.fd, DRM_TESSERA_QUERY_GPU, &gpu, sizeof(gpu)));
	tess_ctx_close(&ctx);

	fd = wait_for_node();
	ASSERT_LE(0, fd);
	tess_ctx_open_on(&ctx, fd, tess_find_slice(fd, 0));
	tess_dispatch(&ctx, TESS_K_IDS, 1, 64, TESS_DATA_VA, 0);
	EXPECT_EQ(0, tess_ctx_run(&ctx));
	EXPECT_EQ(189u, ((uint32_t *)ctx.data)[63]);
	close(fd);
}

TEST_HARNESS_MAIN
