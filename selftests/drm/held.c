// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A race that hardly anybody wins: a work item of the driver is held before it begins (parameter
 * "hold" of modules that are built for tests) while others do all that they do.
 */
#include <fcntl.h>
#include <limits.h>
#include <time.h>

#include "harness.h"
#include "tess_ctx.h"

#define HOLD "/sys/module/tessera/parameters/hold"
#define UUID "5e1ec7ed-0000-4000-8000-000000000002"
#define MDEV "/sys/bus/mdev/devices/" UUID
#define TAKEN_MS 20000
/* Some 2 seconds at the nominal clock */
#define LONG_LOOPS 4000000

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

/* Is somebody held now, or in a while? */
static bool hold_taken(void)
{
	unsigned int left = TAKEN_MS * patience() / 10;
	char text[32];
	ssize_t n;
	int fd;

	for (; left; left--, pause_ms(10)) {
		fd = open(HOLD, O_RDONLY | O_CLOEXEC);
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
		text[n > 0 ? n : 0] = 0;
		if (strstr(text, " held"))
			return true;
	}
	return false;
}

FIXTURE(held)
{
	int unused;
};

FIXTURE_SETUP(held)
{
	int ret = tess_put(HOLD, "none");

	if (ret == -ENOENT)
		SKIP(return, "modules that are not built for tests");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(held)
{
	tess_put(HOLD, "none");
	tess_put(MDEV "/remove", "1");
}

static int take_slice(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/device/mdev_supported_types/tessera_pci-C1/create",
		 tess_sysfs_dir());
	return tess_put(path, UUID);
}

/* The one that a vGPU gets; -1: none, or several */
static int slice_of_next_vgpu(int fd)
{
	struct drm_tessera_query_gpu before, after;
	uint64_t lost;

	tess_query_gpu(fd, &before);
	if (take_slice())
		return -1;
	tess_query_gpu(fd, &after);
	lost = before.slice_mask & ~after.slice_mask;
	if (tess_put(MDEV "/remove", "1") || !lost || lost & (lost - 1))
		return -1;
	return __builtin_ctzll(lost);
}

/* On a new queue, as the first job of a new ring; returns when the GPU is in the middle of it */
static void start_job(struct tess_ctx *ctx)
{
	volatile uint32_t *begun = (volatile uint32_t *)(ctx->data + TESS_PAGE);

	ctx->queue = tess_queue_create(ctx->fd, ctx->vm, ctx->slice);
	*(uint64_t *)ctx->data = 0;
	*begun = 0;
	tess_begin(ctx);
	tess_fill(ctx, TESS_DATA_VA + TESS_PAGE, 4, 1);
	tess_dispatch(ctx, TESS_K_DELAY, 1, 1, TESS_DATA_VA, LONG_LOOPS);
	tess_ctx_submit(ctx);
	while (!*begun)
		pause_ms(5);
}

/*
 * A job faults. Before the driver looks whose fault it is, the slice is taken for a vGPU, so that the
 * job and its ring are no more, and comes back: on the new ring a job with the same number runs,
 * which did nothing
 */
TEST_F(held, old_fault_kills_no_new_job)
{
	struct drm_tessera_query_gpu gpu;
	struct tess_ctx ctx;
	int fd = tess_open();
	int slice = slice_of_next_vgpu(fd);

	if (slice < 0)
		SKIP(return, "no mdev front-end is loaded");
	tess_ctx_open_on(&ctx, fd, (uint32_t)slice);
	ASSERT_EQ(0, tess_put(HOLD, "fault"));
	tess_dispatch(&ctx, TESS_K_ILLEGAL, 1, 1, 0, 0);
	tess_ctx_submit(&ctx);
	ASSERT_TRUE(hold_taken());
	ASSERT_EQ(0, take_slice());
	tess_query_gpu(fd, &gpu);
	ASSERT_EQ(0u, gpu.slice_mask >> slice & 1);
	EXPECT_EQ(-ENXIO, tess_ctx_wait(&ctx));
	ASSERT_EQ(0, tess_put(MDEV "/remove", "1"));

	start_job(&ctx);
	ASSERT_EQ(0, tess_put(HOLD, "none"));
	EXPECT_EQ(0, tess_ctx_wait(&ctx));
	EXPECT_EQ(1u, *(uint64_t *)ctx.data);
	EXPECT_EQ(0u, tess_queue_flags(fd, ctx.queue));
	close(fd);
}

TEST_HARNESS_MAIN
