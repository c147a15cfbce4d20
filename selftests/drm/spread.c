// SPDX-License-Identifier: GPL-2.0-or-later
/* Queues of several slices: where their jobs run, in which order, and several at the same time */
#include "harness.h"
#include "tess_ctx.h"

#define PARTS_MAX 4
/* Words of the data that parts say something in, and that they wait for */
#define SAYS_VA(i) (TESS_DATA_VA + 8ull * (i))
#define GO_VA (TESS_DATA_VA + 0x1000)

/**
 * FIXTURE(spread)
 * @ctx: context whose queue has all slices
 * @slices: mask of those that are available
 * @count: number of them
 */
FIXTURE(spread)
{
	struct tess_ctx ctx;
	uint64_t slices;
	unsigned int count;
};

static int create(struct tess_ctx *ctx, uint64_t slices, uint32_t *id)
{
	struct drm_tessera_queue_create args = { .vm = ctx->vm, .slices = slices };
	int rc = tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_QUEUE_CREATE, &args);

	*id = args.id;
	return rc;
}

FIXTURE_SETUP(spread)
{
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_query_gpu gpu;

	tess_ctx_open(ctx);
	tess_query_gpu(ctx->fd, &gpu);
	self->slices = gpu.slice_mask;
	self->count = __builtin_popcountll(self->slices);
	__tess_queue_destroy(ctx->fd, ctx->queue);
	ASSERT_EQ(0, create(ctx, self->slices, &ctx->queue));
}

FIXTURE_TEARDOWN(spread)
{
	tess_ctx_close(&self->ctx);
}

static uint64_t word(struct tess_ctx *ctx, uint64_t va)
{
	return __atomic_load_n((uint64_t *)(ctx->data + (va - TESS_DATA_VA)), __ATOMIC_ACQUIRE);
}

static void let_go(struct tess_ctx *ctx)
{
	__atomic_store_n((uint64_t *)(ctx->data + (GO_VA - TESS_DATA_VA)), 1, __ATOMIC_RELEASE);
}

/* What was added to the command buffer since packet @from */
static struct drm_tessera_cmd since(struct tess_ctx *ctx, unsigned int from)
{
	return (struct drm_tessera_cmd){
		.va = TESS_CMD_VA + (uint64_t)from * DRM_TESSERA_PKT_SIZE,
		.count = ctx->count - from,
	};
}

static struct drm_tessera_cmd fill_part(struct tess_ctx *ctx, uint64_t va, uint32_t value)
{
	unsigned int from = ctx->count;

	tess_fill(ctx, va, 4, value);
	return since(ctx, from);
}

static struct drm_tessera_cmd wait_part(struct tess_ctx *ctx, unsigned int i)
{
	unsigned int from = ctx->count;

	tess_fill(ctx, SAYS_VA(i), 4, 1);
	tess_wait(ctx, GO_VA, DRM_TESSERA_WAIT_EQ, 1);
	return since(ctx, from);
}

static int submit(struct tess_ctx *ctx, const struct drm_tessera_cmd *cmds, unsigned int count,
		  uint32_t flags, uint64_t slices, uint32_t done)
{
	struct drm_tessera_sync out = { .handle = done };
	struct drm_tessera_submit args = {
		.queue = ctx->queue,
		.flags = flags,
		.slices = slices,
		.cmds = TESS_ARRAY(cmds, count),
		.out_syncs = TESS_ARRAY(&out, 1),
	};

	return tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_SUBMIT, &args);
}

/* Parts that say where they stand and wait; returns with all of them at work */
static void start_parts(struct __test_metadata *_metadata, struct __fixture_spread *self,
			unsigned int count)
{
	struct drm_tessera_cmd cmds[PARTS_MAX];
	struct tess_ctx *ctx = &self->ctx;
	unsigned int i, ms;

	for (i = 0; i < count; i++)
		cmds[i] = wait_part(ctx, i);
	ASSERT_EQ(0, submit(ctx, cmds, count, DRM_TESSERA_SUBMIT_PARALLEL, 0, ctx->done));
	for (i = 0; i < count; i++) {
		for (ms = 0; !word(ctx, SAYS_VA(i)) && ms < TESS_WAIT_MS; ms++)
			usleep(1000);
		ASSERT_NE(0u, word(ctx, SAYS_VA(i)));
	}
}

TEST_F(spread, masks)
{
	struct tess_ctx *ctx = &self->ctx;
	uint64_t first = self->slices & -self->slices, others = self->slices & ~first;
	struct drm_tessera_cmd cmd = fill_part(ctx, SAYS_VA(0), 1);
	struct drm_tessera_cmd placed = cmd;
	struct drm_tessera_query_gpu gpu;
	uint32_t id, all = ctx->queue;

	if (self->count < 2)
		SKIP(return, "one slice is available");
	tess_query_gpu(ctx->fd, &gpu);
	EXPECT_EQ(-EINVAL, create(ctx, 0, &id));
	EXPECT_EQ(-EINVAL, create(ctx, ~0ull, &id));
	EXPECT_EQ(-EINVAL, create(ctx, self->slices | 1ull << gpu.slice_count, &id));
	ASSERT_EQ(0, create(ctx, others, &ctx->queue));
	EXPECT_EQ(-EINVAL, submit(ctx, &cmd, 1, 0, first, ctx->done));
	EXPECT_EQ(-EINVAL, submit(ctx, &cmd, 1, 0, self->slices, ctx->done));
	EXPECT_EQ(-EINVAL, submit(ctx, &cmd, 1, 2, 0, ctx->done));
	placed.slices = others;
	EXPECT_EQ(-EINVAL, submit(ctx, &placed, 1, 0, 0, ctx->done));
	placed.slices = first;
	EXPECT_EQ(-EINVAL, submit(ctx, &placed, 1, DRM_TESSERA_SUBMIT_PARALLEL, 0, ctx->done));
	placed.slices = others;
	EXPECT_EQ(0, submit(ctx, &placed, 1, DRM_TESSERA_SUBMIT_PARALLEL, 0, ctx->done));
	EXPECT_EQ(0, tess_ctx_wait(ctx));
	ctx->queue = all;
	EXPECT_EQ(0, submit(ctx, &cmd, 1, 0, first, ctx->done));
	EXPECT_EQ(0, tess_ctx_wait(ctx));
}

/* A slice that works is not chosen while there are others */
TEST_F(spread, goes_where_room_is)
{
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_cmd cmd;
	uint32_t waits[PARTS_MAX];
	unsigned int i, n = self->count < PARTS_MAX ? self->count : PARTS_MAX;

	if (n < 2)
		SKIP(return, "one slice is available");
	for (i = 0; i < n - 1; i++) {
		waits[i] = tess_syncobj_create(ctx->fd);
		cmd = wait_part(ctx, i);
		ASSERT_EQ(0, submit(ctx, &cmd, 1, 0, 0, waits[i]));
		ASSERT_EQ(0, create(ctx, self->slices, &ctx->queue));
	}
	cmd = fill_part(ctx, SAYS_VA(n), 5);
	ASSERT_EQ(0, submit(ctx, &cmd, 1, 0, 0, ctx->done));
	EXPECT_EQ(0, tess_ctx_wait(ctx));
	EXPECT_EQ(5u, word(ctx, SAYS_VA(n)));
	let_go(ctx);
	for (i = 0; i < n - 1; i++)
		EXPECT_EQ(0, __tess_syncobj_wait(ctx->fd, waits[i], 0, TESS_WAIT_MS));
}

/* Each job notes how many were before it. Some take long, and none is told to wait for another one */
TEST_F(spread, keeps_its_order)
{
	enum { JOBS = 200 };
	struct tess_ctx *ctx = &self->ctx;
	uint64_t left = self->slices, one;
	struct drm_tessera_cmd cmd;
	unsigned int i, from;

	for (i = 0; i < JOBS; i++) {
		/* One slice after the other, and now and then any */
		one = i % 5 ? left & -left : 0;
		left &= left - 1;
		left = left ?: self->slices;
		from = ctx->count;
		if (i % 3 == 0)
			tess_fill(ctx, TESS_DATA_VA + TESS_DATA_BYTES / 2, TESS_DATA_BYTES / 2, i);
		tess_copy(ctx, SAYS_VA(i + 1), SAYS_VA(0), 8);
		tess_signal(ctx, SAYS_VA(0), DRM_TESSERA_SIGNAL_ADD, 1);
		cmd = since(ctx, from);
		ASSERT_EQ(0, submit(ctx, &cmd, 1, 0, one, ctx->done));
	}
	EXPECT_EQ(0, tess_ctx_wait(ctx));
	for (i = 0; i < JOBS; i++)
		ASSERT_EQ(i, word(ctx, SAYS_VA(i + 1)));
}

/* All parts are at work at the same time, and the job is over when the last one is */
TEST_F(spread, parallel)
{
	unsigned int n = self->count < PARTS_MAX ? self->count : PARTS_MAX;
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_cmd cmd;

	start_parts(_metadata, self, n);
	EXPECT_EQ(-ETIME, __tess_syncobj_wait(ctx->fd, ctx->done, 0, 50));
	/* What comes next, wherever it runs, comes after all of it */
	cmd = fill_part(ctx, SAYS_VA(n), 7);
	ASSERT_EQ(0, submit(ctx, &cmd, 1, 0, 0, tess_syncobj_create(ctx->fd)));
	usleep(50000);
	EXPECT_EQ(0u, word(ctx, SAYS_VA(n)));
	let_go(ctx);
	EXPECT_EQ(0, tess_ctx_wait(ctx));
	tess_begin(ctx);
	cmd = fill_part(ctx, SAYS_VA(n + 1), 8);
	ASSERT_EQ(0, submit(ctx, &cmd, 1, 0, 0, ctx->done));
	EXPECT_EQ(0, tess_ctx_wait(ctx));
	EXPECT_EQ(7u, word(ctx, SAYS_VA(n)));
	EXPECT_EQ(8u, word(ctx, SAYS_VA(n + 1)));
}

/* More parts than slices */
TEST_F(spread, parts_share_slices)
{
	enum { PARTS = 64 };
	struct drm_tessera_cmd cmds[PARTS];
	struct tess_ctx *ctx = &self->ctx;
	unsigned int i;

	for (i = 0; i < PARTS; i++)
		cmds[i] = fill_part(ctx, SAYS_VA(i), i + 1);
	ASSERT_EQ(0, submit(ctx, cmds, PARTS, DRM_TESSERA_SUBMIT_PARALLEL, 0, ctx->done));
	EXPECT_EQ(0, tess_ctx_wait(ctx));
	for (i = 0; i < PARTS; i++)
		EXPECT_EQ(i + 1, word(ctx, SAYS_VA(i)));
}

/* One part faults: those at work end as they would have, and the job says why it failed */
TEST_F(spread, part_that_faults)
{
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_queue_state state;
	struct drm_tessera_cmd cmds[3];
	uint64_t left = self->slices & (self->slices - 1);
	unsigned int from;

	if (self->count < 2)
		SKIP(return, "one slice is available");
	cmds[0] = wait_part(ctx, 0);
	cmds[0].slices = self->slices & -self->slices;
	/* What has not begun when another one faults is not begun any more */
	from = ctx->count;
	tess_wait(ctx, SAYS_VA(0), DRM_TESSERA_WAIT_EQ, 1);
	tess_fill(ctx, TESS_FREE_VA, 4, 1);
	cmds[1] = since(ctx, from);
	cmds[1].slices = left & -left;
	cmds[2] = fill_part(ctx, SAYS_VA(2), 3);
	cmds[2].slices = cmds[0].slices;
	ASSERT_EQ(0, submit(ctx, cmds, 3, DRM_TESSERA_SUBMIT_PARALLEL, 0, ctx->done));
	while (!tess_queue_flags(ctx->fd, ctx->queue))
		usleep(1000);
	EXPECT_EQ(-ETIME, __tess_syncobj_wait(ctx->fd, ctx->done, 0, 50));
	let_go(ctx);
	EXPECT_EQ(-EFAULT, tess_ctx_wait(ctx));
	EXPECT_EQ(1u, word(ctx, SAYS_VA(0)));
	ASSERT_EQ(0, __tess_queue_state(ctx->fd, ctx->queue, &state));
	EXPECT_EQ(DRM_TESSERA_QUEUE_FAULTED, state.flags);
	EXPECT_EQ(TESS_FREE_VA, state.addr);
	EXPECT_EQ(1u, state.cmd);
	EXPECT_EQ(__builtin_ctzll(cmds[1].slices), state.slice);
	EXPECT_EQ(-EIO, submit(ctx, &cmds[2], 1, DRM_TESSERA_SUBMIT_PARALLEL, 0, ctx->done));
}

/* Parts at work, parts that wait for them, and a queue that goes: all fences end */
TEST_F(spread, destroyed_in_mid_work)
{
	unsigned int i, n = self->count < PARTS_MAX ? self->count : PARTS_MAX;
	struct drm_tessera_cmd cmds[PARTS_MAX];
	struct tess_ctx *ctx = &self->ctx;
	uint32_t last = tess_syncobj_create(ctx->fd);

	start_parts(_metadata, self, n);
	for (i = 0; i < n; i++)
		cmds[i] = fill_part(ctx, SAYS_VA(n + i), 1);
	ASSERT_EQ(0, submit(ctx, cmds, n, DRM_TESSERA_SUBMIT_PARALLEL, 0, last));
	EXPECT_EQ(0, __tess_queue_destroy(ctx->fd, ctx->queue));
	EXPECT_EQ(-ETIME, __tess_syncobj_wait(ctx->fd, ctx->done, 0, 20));
	let_go(ctx);
	EXPECT_EQ(0, tess_ctx_wait(ctx));
	EXPECT_EQ(0, __tess_syncobj_wait(ctx->fd, last, 0, TESS_WAIT_MS));
	EXPECT_EQ(-ESRCH, tess_syncobj_status(ctx->fd, last));
	for (i = 0; i < n; i++)
		EXPECT_EQ(0u, word(ctx, SAYS_VA(n + i)));
}

TEST_HARNESS_MAIN
