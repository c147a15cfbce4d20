// SPDX-License-Identifier: GPL-2.0-or-later
/* Syncobjs in and out, binary and timelines, across queues and slices */
#include "harness.h"
#include "tess_ctx.h"

/* Two contexts of one file, on different slices if there are two */
FIXTURE(sync)
{
	int fd;
	struct tess_ctx a, b;
};

FIXTURE_SETUP(sync)
{
	struct drm_tessera_query_gpu gpu;
	int first, second;

	self->fd = tess_open();
	tess_query_gpu(self->fd, &gpu);
	ASSERT_NE(0u, gpu.slice_mask);
	first = __builtin_ctzll(gpu.slice_mask);
	second = 63 - __builtin_clzll(gpu.slice_mask);
	tess_ctx_open_on(&self->a, self->fd, first);
	tess_ctx_open_on(&self->b, self->fd, second);
	/* Both see the data of the first one. */
	tess_vm_map(self->fd, self->b.vm, self->a.data_bo, 0, TESS_DATA_VA, TESS_DATA_BYTES);
}

FIXTURE_TEARDOWN(sync)
{
	close(self->fd);
}

static struct drm_tessera_sync sync_at(uint32_t handle, uint64_t point)
{
	return (struct drm_tessera_sync){ .handle = handle, .point = point };
}

/* @a waits for a word to change, @b for @a */
static void chain(struct __test_metadata *_metadata, struct tess_ctx *a, struct tess_ctx *b,
		  uint64_t point)
{
	volatile uint64_t *word = (uint64_t *)a->data;
	uint32_t handle = tess_syncobj_create(a->fd);
	struct drm_tessera_sync link = sync_at(handle, point);
	struct drm_tessera_sync out = sync_at(b->done, 0);

	tess_wait(a, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
	tess_signal(a, TESS_DATA_VA + 8, DRM_TESSERA_SIGNAL_SET, 11);
	tess_copy(b, TESS_DATA_VA + 16, TESS_DATA_VA + 8, 8);
	ASSERT_EQ(0, __tess_submit(a, NULL, 0, &link, 1));
	ASSERT_EQ(0, __tess_submit(b, &link, 1, &out, 1));
	EXPECT_EQ(-ETIME, __tess_syncobj_wait(b->fd, b->done, 0, 300));
	EXPECT_EQ(0u, word[2]);
	*word = 1;
	EXPECT_EQ(0, tess_ctx_wait(b));
	EXPECT_EQ(11u, word[2]);
	EXPECT_EQ(0, tess_syncobj_status(a->fd, handle));
}

TEST_F(sync, binary_between_slices)
{
	chain(_metadata, &self->a, &self->b, 0);
}

TEST_F(sync, timeline_between_slices)
{
	chain(_metadata, &self->a, &self->b, 42);
}

TEST_F(sync, between_queues_of_a_slice)
{
	struct tess_ctx c;

	tess_ctx_open_on(&c, self->fd, self->a.slice);
	tess_vm_map(self->fd, c.vm, self->a.data_bo, 0, TESS_DATA_VA, TESS_DATA_BYTES);
	chain(_metadata, &self->a, &c, 7);
}

TEST_F(sync, timeline_points)
{
	uint32_t handle = tess_syncobj_create(self->fd), i;
	volatile uint64_t *word = (uint64_t *)self->a.data;
	struct drm_tessera_sync out;

	for (i = 1; i <= 8; i++) {
		tess_begin(&self->a);
		self->a.count = 0;
		out = sync_at(handle, i * 10);
		/* Each job has its own place in the command buffer. */
		self->a.count = (i - 1) * 2;
		tess_wait(&self->a, TESS_DATA_VA, DRM_TESSERA_WAIT_GE, i);
		tess_signal(&self->a, TESS_DATA_VA + 8, DRM_TESSERA_SIGNAL_ADD, 1);
		ASSERT_EQ(0, __tess_submit_at(&self->a,
					      TESS_CMD_VA + (i - 1) * 2 * DRM_TESSERA_PKT_SIZE, 2,
					      NULL, 0, &out, 1));
	}
	EXPECT_EQ(0u, tess_syncobj_point(self->fd, handle));
	for (i = 1; i <= 8; i++) {
		*word = i;
		EXPECT_EQ(0, __tess_syncobj_wait(self->fd, handle, i * 10, TESS_WAIT_MS));
		EXPECT_EQ(i, word[1]);
		EXPECT_EQ(i * 10, tess_syncobj_point(self->fd, handle));
	}
}

TEST_F(sync, many_in_and_out)
{
	struct drm_tessera_sync in[64], out[64];
	int i;

	for (i = 0; i < 64; i++) {
		in[i] = sync_at(tess_syncobj_create(self->fd), 0);
		out[i] = sync_at(tess_syncobj_create(self->fd), i % 2 ? 5 : 0);
		tess_syncobj_signal(self->fd, in[i].handle);
	}
	tess_nop(&self->a);
	ASSERT_EQ(0, __tess_submit(&self->a, in, 64, out, 64));
	for (i = 0; i < 64; i++)
		EXPECT_EQ(0,
			  __tess_syncobj_wait(self->fd, out[i].handle, out[i].point, TESS_WAIT_MS));
}

TEST_F(sync, long_chain)
{
	uint32_t handle = tess_syncobj_create(self->fd);
	uint64_t *data = (uint64_t *)self->a.data;
	unsigned int i;

	/* To and fro between two slices: point n waits for point n - 1. */
	tess_dispatch(&self->a, TESS_K_ADD, 1, 1, TESS_DATA_VA, 0);
	tess_dispatch(&self->b, TESS_K_ADD, 1, 1, TESS_DATA_VA, 0);
	for (i = 1; i <= 200; i++) {
		struct drm_tessera_sync in = sync_at(handle, i - 1), out = sync_at(handle, i);

		ASSERT_EQ(0, __tess_submit(i % 2 ? &self->a : &self->b, &in, i > 1, &out, 1));
	}
	EXPECT_EQ(0, __tess_syncobj_wait(self->fd, handle, 200, TESS_WAIT_MS));
	EXPECT_EQ(200u, data[0]);
}

TEST_F(sync, shared_with_another_file)
{
	struct drm_syncobj_handle share = { .handle = self->a.done, .fd = -1 };
	volatile uint64_t *word = (uint64_t *)self->a.data;
	int other = tess_open();
	struct drm_tessera_sync in = {}, out;
	struct tess_ctx ctx;

	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &share));
	ASSERT_EQ(0, tess_ioctl(other, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &share));
	in.handle = share.handle;
	tess_ctx_open_on(&ctx, other, self->b.slice);
	out = sync_at(ctx.done, 0);
	tess_wait(&self->a, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
	tess_ctx_submit(&self->a);
	tess_nop(&ctx);
	ASSERT_EQ(0, __tess_submit(&ctx, &in, 1, &out, 1));
	EXPECT_EQ(-ETIME, __tess_syncobj_wait(other, ctx.done, 0, 200));
	*word = 1;
	EXPECT_EQ(0, tess_ctx_wait(&ctx));
	close(share.fd);
	close(other);
}

TEST_HARNESS_MAIN
