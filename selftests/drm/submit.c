// SPDX-License-Identifier: GPL-2.0-or-later
/* SUBMIT: every error, and every packet that a program may send */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"
#include "tess_ctx.h"

FIXTURE(submit)
{
	struct tess_ctx ctx;
};

FIXTURE_SETUP(submit)
{
	tess_ctx_open(&self->ctx);
}

FIXTURE_TEARDOWN(submit)
{
	tess_ctx_close(&self->ctx);
}

static int submit(struct tess_ctx *ctx, struct drm_tessera_submit args)
{
	return tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_SUBMIT, &args);
}

TEST_F(submit, errors)
{
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_cmd cmds[2] = {
		{ .va = TESS_CMD_VA, .count = 1 },
		{ .va = TESS_CMD_VA, .count = 1 },
	};
	const struct drm_tessera_submit good = {
		.queue = ctx->queue,
		.cmds = TESS_ARRAY(cmds, 1),
	};
	struct drm_tessera_submit args;

	tess_nop(ctx);
	EXPECT_EQ(0, submit(ctx, good));
#define WITH(field, value)            \
	do {                          \
		args = good;          \
		args.field = (value); \
	} while (0)
	WITH(queue, 0);
	EXPECT_EQ(-ENOENT, submit(ctx, args));
	WITH(queue, ctx->queue + 1);
	EXPECT_EQ(-ENOENT, submit(ctx, args));
	WITH(flags, 2);
	EXPECT_EQ(-EINVAL, submit(ctx, args));
	WITH(slices, 2ull << ctx->slice);
	EXPECT_EQ(-EINVAL, submit(ctx, args));
	WITH(pad, 1);
	EXPECT_EQ(-EINVAL, submit(ctx, args));
	WITH(cmds.count, 0);
	EXPECT_EQ(-EINVAL, submit(ctx, args));
	WITH(cmds.count, 65);
	EXPECT_EQ(-EINVAL, submit(ctx, args));
	WITH(cmds.array, 8);
	EXPECT_EQ(-EFAULT, submit(ctx, args));
	WITH(cmds.stride, sizeof(cmds[0]) - 1);
	EXPECT_EQ(-EINVAL, submit(ctx, args));
	WITH(cmds.stride, 4097);
	EXPECT_EQ(-EINVAL, submit(ctx, args));
	EXPECT_EQ(-EFAULT, tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_SUBMIT, (void *)8));
#undef WITH
	/* None of that was the queue's fault. */
	EXPECT_EQ(0u, tess_queue_flags(ctx->fd, ctx->queue));
	EXPECT_EQ(0, tess_ctx_run(ctx));
}

static int submit_cmd(struct tess_ctx *ctx, struct drm_tessera_cmd cmd)
{
	return submit(ctx, (struct drm_tessera_submit){
				   .queue = ctx->queue,
				   .cmds = TESS_ARRAY(&cmd, 1),
			   });
}

TEST_F(submit, command_buffer_errors)
{
	const struct drm_tessera_cmd good = { .va = TESS_CMD_VA, .count = 1 };
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_cmd cmd;

	tess_nop(ctx);
	EXPECT_EQ(0, submit_cmd(ctx, good));
#define WITH(field, value)           \
	do {                         \
		cmd = good;          \
		cmd.field = (value); \
	} while (0)
	WITH(flags, 2);
	EXPECT_EQ(-EINVAL, submit_cmd(ctx, cmd));
	WITH(slices, 2ull << ctx->slice);
	EXPECT_EQ(-EINVAL, submit_cmd(ctx, cmd));
	WITH(count, 0);
	EXPECT_EQ(-EINVAL, submit_cmd(ctx, cmd));
	WITH(count, 65537);
	EXPECT_EQ(-EINVAL, submit_cmd(ctx, cmd));
	WITH(va, TESS_CMD_VA + 32);
	EXPECT_EQ(-EINVAL, submit_cmd(ctx, cmd));
	WITH(va, 1ull << 38);
	EXPECT_EQ(-EINVAL, submit_cmd(ctx, cmd));
	WITH(va, ~63ull);
	EXPECT_EQ(-EINVAL, submit_cmd(ctx, cmd));
	WITH(va, (1ull << 38) - 64);
	cmd.count = 2;
	EXPECT_EQ(-EINVAL, submit_cmd(ctx, cmd));
#undef WITH
}

TEST_F(submit, sync_errors)
{
	struct drm_tessera_sync bad_flags = { .handle = self->ctx.done, .flags = 1 };
	struct drm_tessera_sync bad_handle = { .handle = 4711 };
	struct drm_tessera_sync empty = { .handle = self->ctx.done };
	struct drm_tessera_sync empty_point = { .handle = self->ctx.done, .point = 3 };
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_sync *bad = (struct drm_tessera_sync *)16;

	tess_nop(ctx);
	EXPECT_EQ(-EINVAL, __tess_submit(ctx, bad, 65, NULL, 0));
	EXPECT_EQ(-EINVAL, __tess_submit(ctx, NULL, 0, bad, 65));
	EXPECT_EQ(-EFAULT, __tess_submit(ctx, bad, 1, NULL, 0));
	EXPECT_EQ(-EFAULT, __tess_submit(ctx, NULL, 0, bad, 1));
	EXPECT_EQ(-EINVAL, __tess_submit(ctx, &bad_flags, 1, NULL, 0));
	EXPECT_EQ(-EINVAL, __tess_submit(ctx, NULL, 0, &bad_flags, 1));
	EXPECT_EQ(-ENOENT, __tess_submit(ctx, &bad_handle, 1, NULL, 0));
	EXPECT_EQ(-ENOENT, __tess_submit(ctx, NULL, 0, &bad_handle, 1));
	/* Nothing was ever submitted that could signal it. */
	EXPECT_EQ(-EINVAL, __tess_submit(ctx, &empty, 1, NULL, 0));
	EXPECT_EQ(-EINVAL, __tess_submit(ctx, &empty_point, 1, NULL, 0));
	EXPECT_EQ(0u, tess_queue_flags(ctx->fd, ctx->queue));
	EXPECT_EQ(0, tess_ctx_run(ctx));
}

/* Elements of a program that is newer than the driver */
TEST_F(submit, elements_that_grew)
{
	struct {
		struct drm_tessera_cmd known;
		uint64_t unknown;
	} cmd = { .known = { .va = TESS_CMD_VA, .count = 1 } };
	struct {
		struct drm_tessera_sync known;
		uint64_t unknown[2];
	} out[2] = { { .known.handle = self->ctx.done } };
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_submit args = {
		.queue = ctx->queue,
		.cmds = TESS_ARRAY(&cmd, 1),
		.out_syncs = TESS_ARRAY(out, 2),
	};

	out[1].known.handle = tess_syncobj_create(ctx->fd);
	tess_fill(ctx, TESS_DATA_VA, 4, 0x77);
	cmd.unknown = 1;
	EXPECT_EQ(-E2BIG, submit(ctx, args));
	cmd.unknown = 0;
	out[1].unknown[1] = 1ull << 63;
	EXPECT_EQ(-E2BIG, submit(ctx, args));
	out[1].unknown[1] = 0;
	ASSERT_EQ(0, submit(ctx, args));
	EXPECT_EQ(0, tess_ctx_wait(ctx));
	EXPECT_EQ(0, __tess_syncobj_wait(ctx->fd, out[1].known.handle, 0, TESS_WAIT_MS));
	EXPECT_EQ(0x77u, *(uint32_t *)ctx->data);
}

TEST_F(submit, nop)
{
	tess_nop(&self->ctx);
	EXPECT_EQ(0, tess_ctx_run(&self->ctx));
}

TEST_F(submit, fill)
{
	uint32_t *data = (uint32_t *)self->ctx.data;
	unsigned int i;

	tess_fill(&self->ctx, TESS_DATA_VA + 4, 40000, 0xdeadbeef);
	ASSERT_EQ(0, tess_ctx_run(&self->ctx));
	EXPECT_EQ(0u, data[0]);
	for (i = 1; i <= 10000; i++)
		ASSERT_EQ(0xdeadbeefu, data[i]);
	EXPECT_EQ(0u, data[10001]);
}

TEST_F(submit, copy_through_vram)
{
	struct tess_ctx *ctx = &self->ctx;
	uint32_t handle = tess_bo_create(ctx->fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	unsigned int i;

	tess_vm_map(ctx->fd, ctx->vm, handle, 0, TESS_FREE_VA, TESS_2M);
	for (i = 0; i < 100003; i++)
		ctx->data[i] = i * 167 + (i >> 8);
	tess_copy(ctx, TESS_FREE_VA + 5, TESS_DATA_VA, 100003);
	tess_copy(ctx, TESS_DATA_VA + 500001, TESS_FREE_VA + 5, 100003);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(0, memcmp(ctx->data, ctx->data + 500001, 100003));
	EXPECT_EQ(0, ctx->data[500000]);
	EXPECT_EQ(0, ctx->data[600004]);
}

TEST_F(submit, timestamp)
{
	uint64_t *data = (uint64_t *)self->ctx.data;
	struct tess_counter_block *block = (void *)(self->ctx.data + 64);
	struct tess_ctx *ctx = &self->ctx;

	tess_timestamp(ctx, TESS_DATA_VA, 0);
	tess_fill(ctx, TESS_DATA_VA + TESS_PAGE, 65536, 1);
	tess_timestamp(ctx, TESS_DATA_VA + 8, 0);
	tess_timestamp(ctx, TESS_DATA_VA + 64, DRM_TESSERA_TIMESTAMP_COUNTERS);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	EXPECT_NE(0u, data[0]);
	EXPECT_LT(data[0], data[1]);
	EXPECT_LE(data[1], block->time);
	EXPECT_LE(65536u, block->bytes);
	EXPECT_LT(0u, block->busy);
	EXPECT_LE(block->time, tess_sysfs_value("time_cycles"));
}

TEST_F(submit, signal_and_wait)
{
	volatile uint64_t *data = (uint64_t *)self->ctx.data;
	struct tess_ctx *ctx = &self->ctx;

	data[0] = 5;
	tess_signal(ctx, TESS_DATA_VA, DRM_TESSERA_SIGNAL_ADD, 10);
	tess_wait(ctx, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 15);
	tess_signal(ctx, TESS_DATA_VA + 8, DRM_TESSERA_SIGNAL_SET, 1);
	tess_wait(ctx, TESS_DATA_VA + 16, DRM_TESSERA_WAIT_GE, 100);
	tess_signal(ctx, TESS_DATA_VA + 24, DRM_TESSERA_SIGNAL_OR, 0x30);
	tess_ctx_submit(ctx);
	EXPECT_EQ(-ETIME, __tess_syncobj_wait(ctx->fd, ctx->done, 0, 300));
	EXPECT_EQ(15u, data[0]);
	EXPECT_EQ(1u, data[1]);
	EXPECT_EQ(0u, data[3]);
	data[2] = 101;
	EXPECT_EQ(0, tess_ctx_wait(ctx));
	EXPECT_EQ(0x30u, data[3]);
}

TEST_F(submit, dispatch)
{
	uint32_t *data = (uint32_t *)self->ctx.data;
	unsigned int i;

	tess_dispatch(&self->ctx, TESS_K_IDS, 33, 64, TESS_DATA_VA, 0);
	ASSERT_EQ(0, tess_ctx_run(&self->ctx));
	for (i = 0; i < 33 * 64; i++)
		ASSERT_EQ(3 * i, data[i]);
	EXPECT_EQ(0u, data[i]);
}

TEST_F(submit, dispatch_completion_signal)
{
	volatile uint64_t *signal = (uint64_t *)(self->ctx.data + TESS_PAGE);
	struct tess_pkt_dispatch *dispatch;
	struct tess_ctx *ctx = &self->ctx;

	*signal = 2;
	tess_dispatch(ctx, TESS_K_IDS, 1, 8, TESS_DATA_VA, 0);
	dispatch = (struct tess_pkt_dispatch *)ctx->cmd;
	dispatch->completion_signal = TESS_DATA_VA + TESS_PAGE;
	ASSERT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(1u, *signal);
}

TEST_F(submit, dispatch_range)
{
	struct tess_pkt_dispatch *dispatch;
	struct tess_ctx *ctx = &self->ctx;
	uint32_t *data = (uint32_t *)ctx->data;
	unsigned int i;

	tess_dispatch(ctx, TESS_K_IDS, 10, 16, TESS_DATA_VA, 0);
	dispatch = (struct tess_pkt_dispatch *)ctx->cmd;
	dispatch->header = DRM_TESSERA_PKT_DISPATCH_RANGE | DRM_TESSERA_PKT_ACQUIRE_SYSTEM;
	dispatch->completion_signal = DRM_TESSERA_DISPATCH_RANGE(3, 4);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	for (i = 0; i < 160; i++)
		EXPECT_EQ(i >= 48 && i < 112 ? 3 * i : 0, data[i]);
}

TEST_F(submit, all_slices_at_once)
{
	struct drm_tessera_query_gpu gpu;
	struct drm_tessera_sync out[64];
	unsigned int i, n = 0;
	int fd = tess_open();
	struct tess_ctx *ctx = calloc(64, sizeof(*ctx));

	ASSERT_NE(NULL, ctx);
	tess_query_gpu(fd, &gpu);
	for (i = 0; i < gpu.slice_count; i++) {
		if (!(gpu.slice_mask >> i & 1))
			continue;
		tess_ctx_open_on(&ctx[n], fd, i);
		tess_dispatch(&ctx[n], TESS_K_IDS, 16, 64, TESS_DATA_VA, 0);
		out[n] = (struct drm_tessera_sync){ .handle = ctx[n].done };
		ASSERT_EQ(0, __tess_submit(&ctx[n], NULL, 0, &out[n], 1));
		n++;
	}
	for (i = 0; i < n; i++) {
		EXPECT_EQ(0, tess_ctx_wait(&ctx[i]));
		EXPECT_EQ(3u * 1023, ((uint32_t *)ctx[i].data)[1023]);
	}
	EXPECT_LT(0u, n);
	free(ctx);
	close(fd);
}

TEST_F(submit, many_jobs_in_order)
{
	uint64_t *data = (uint64_t *)self->ctx.data;
	struct tess_ctx *ctx = &self->ctx;
	unsigned int i;

	/* Each job takes the number that its predecessor left, and adds one. */
	tess_dispatch(ctx, TESS_K_ADD, 1, 1, TESS_DATA_VA, 0);
	tess_copy(ctx, TESS_DATA_VA + 8, TESS_DATA_VA, 8);
	for (i = 0; i < 500; i++)
		tess_ctx_submit(ctx);
	ASSERT_EQ(0, tess_ctx_wait(ctx));
	EXPECT_EQ(500u, data[0]);
	EXPECT_EQ(500u, data[1]);
}

/* Thousandths of a frame per second, as the vGPU of the node has them */
static long frame_rate(const struct tess_ctx *ctx)
{
	char path[400], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/vgpus/drm/vslice%u/frame_rate", tess_sysfs_dir(),
		 ctx->slice);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	return text[0] ? atol(text) : -EIO;
}

/* They are counted, and any numbers are taken */
TEST_F(submit, hints)
{
	static const struct {
		uint32_t frames;
		uint64_t operations;
	} hints[] = { { 1, 1000 }, { UINT32_MAX, UINT64_MAX }, { 0, 1ull << 63 }, { 7, 0 } };
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_sync out = { .handle = ctx->done };
	struct drm_tessera_cmd cmds[2] = {
		{ .va = TESS_CMD_VA, .count = 1 },
		{ .va = TESS_CMD_VA, .count = 1 },
	};
	long rate = frame_rate(ctx);
	unsigned int i;

	ASSERT_LE(0, rate);
	tess_nop(ctx);
	for (i = 0; i < 400 && (rate <= 0 || i < 8); i++) {
		ASSERT_EQ(0, submit(ctx, (struct drm_tessera_submit){
						 .queue = ctx->queue,
						 .cmds = TESS_ARRAY(cmds, 2),
						 .out_syncs = TESS_ARRAY(&out, 1),
						 .frames = hints[i % 4].frames,
						 .operations = hints[i % 4].operations,
					 }));
		ASSERT_EQ(0, tess_ctx_wait(ctx));
		usleep(10000);
		rate = frame_rate(ctx);
		ASSERT_LE(0, rate);
	}
	EXPECT_LT(0, rate);
}

/* Each command buffer counts on from what the one before it left */
TEST_F(submit, several_command_buffers)
{
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_sync out = { .handle = ctx->done };
	struct drm_tessera_cmd cmds[64];
	uint64_t *data = (uint64_t *)ctx->data;
	unsigned int i;

	for (i = 0; i < 64; i++) {
		tess_copy(ctx, TESS_DATA_VA + 8 * (i + 1), TESS_DATA_VA + 8 * i, 8);
		tess_signal(ctx, TESS_DATA_VA + 8 * (i + 1), DRM_TESSERA_SIGNAL_ADD, 1);
		cmds[i] = (struct drm_tessera_cmd){
			.va = TESS_CMD_VA + 2ull * i * DRM_TESSERA_PKT_SIZE,
			.count = 2,
		};
	}
	ASSERT_EQ(0, submit(ctx, (struct drm_tessera_submit){
					 .queue = ctx->queue,
					 .cmds = TESS_ARRAY(cmds, 64),
					 .out_syncs = TESS_ARRAY(&out, 1),
				 }));
	ASSERT_EQ(0, tess_ctx_wait(ctx));
	for (i = 0; i <= 64; i++)
		EXPECT_EQ(i, data[i]);
}

TEST_F(submit, all_command_buffers_or_none)
{
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_cmd cmds[3];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		tess_signal(ctx, TESS_DATA_VA, DRM_TESSERA_SIGNAL_ADD, 1);
		cmds[i] = (struct drm_tessera_cmd){
			.va = TESS_CMD_VA + (uint64_t)i * DRM_TESSERA_PKT_SIZE,
			.count = i < 2,
		};
	}
	EXPECT_EQ(-EINVAL, submit(ctx, (struct drm_tessera_submit){
					       .queue = ctx->queue,
					       .cmds = TESS_ARRAY(cmds, 3),
				       }));
	tess_begin(ctx);
	tess_nop(ctx);
	EXPECT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(0u, *(uint64_t *)ctx->data);
}

/* The second of three faults: the job says that, and which it was */
TEST_F(submit, one_of_several_faults)
{
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_sync out = { .handle = ctx->done };
	struct drm_tessera_queue_state state;
	struct drm_tessera_cmd cmds[3];
	uint32_t *data = (uint32_t *)ctx->data;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		tess_fill(ctx, i == 1 ? TESS_FREE_VA : TESS_DATA_VA + 4 * i, 4, 1);
		cmds[i] = (struct drm_tessera_cmd){
			.va = TESS_CMD_VA + (uint64_t)i * DRM_TESSERA_PKT_SIZE,
			.count = 1,
		};
	}
	ASSERT_EQ(0, submit(ctx, (struct drm_tessera_submit){
					 .queue = ctx->queue,
					 .cmds = TESS_ARRAY(cmds, 3),
					 .out_syncs = TESS_ARRAY(&out, 1),
				 }));
	EXPECT_EQ(-EFAULT, tess_ctx_wait(ctx));
	ASSERT_EQ(0, __tess_queue_state(ctx->fd, ctx->queue, &state));
	EXPECT_EQ(DRM_TESSERA_QUEUE_FAULTED, state.flags);
	EXPECT_EQ(1u, state.cmd);
	EXPECT_EQ(0u, state.packet);
	EXPECT_EQ(1u, data[0]);
	EXPECT_EQ(0u, data[2]);
}

TEST_F(submit, long_command_buffer)
{
	uint64_t *data = (uint64_t *)self->ctx.data;
	struct tess_ctx *ctx = &self->ctx;
	unsigned int i;

	for (i = 0; i < 900; i++)
		tess_signal(ctx, TESS_DATA_VA, DRM_TESSERA_SIGNAL_ADD, 1);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(900u, data[0]);
}

TEST_F(submit, biggest_command_buffer)
{
	const uint32_t count = 65536;
	struct tess_ctx *ctx = &self->ctx;
	uint64_t size = (uint64_t)count * DRM_TESSERA_PKT_SIZE;
	uint32_t handle = tess_bo_create(ctx->fd, size, 0), i;
	uint8_t *cmd = tess_bo_mmap(ctx->fd, handle, size);
	struct drm_tessera_sync out = { .handle = ctx->done };
	struct tess_pkt_fill *last;

	for (i = 0; i < count; i++)
		cmd[i * DRM_TESSERA_PKT_SIZE] = DRM_TESSERA_PKT_NOP;
	last = (struct tess_pkt_fill *)(cmd + (count - 1) * DRM_TESSERA_PKT_SIZE);
	last->header = DRM_TESSERA_PKT_FILL;
	last->rows = 1;
	last->dst = TESS_DATA_VA;
	last->row_bytes = 4;
	last->pattern = 99;
	tess_vm_map(ctx->fd, ctx->vm, handle, 0, TESS_FREE_VA, size);
	ASSERT_EQ(0, __tess_submit_at(ctx, TESS_FREE_VA, count, NULL, 0, &out, 1));
	ASSERT_EQ(0, tess_ctx_wait(ctx));
	EXPECT_EQ(99u, *(uint32_t *)ctx->data);
}

TEST_HARNESS_MAIN
