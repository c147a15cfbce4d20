// SPDX-License-Identifier: GPL-2.0-or-later
/* Queues: every error of their ioctls, and how long they keep things alive */
#include <linux/capability.h>
#include <sys/syscall.h>

#include "harness.h"
#include "tess_ctx.h"
#include "tess_feed.h"

FIXTURE(queue)
{
	struct tess_ctx ctx;
};

FIXTURE_SETUP(queue)
{
	tess_ctx_open(&self->ctx);
}

FIXTURE_TEARDOWN(queue)
{
	tess_ctx_close(&self->ctx);
}

TEST_F(queue, create_errors)
{
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_queue_create flags = { .vm = ctx->vm, .slices = 1, .flags = 1 };
	struct drm_tessera_queue_create none = { .vm = ctx->vm };
	struct drm_tessera_query_gpu gpu;
	uint32_t id;

	tess_query_gpu(ctx->fd, &gpu);
	EXPECT_EQ(-EINVAL, __tess_queue_create(ctx->fd, ctx->vm, gpu.slice_count, 0, &id));
	EXPECT_EQ(-EINVAL, __tess_queue_create(ctx->fd, ctx->vm, 63, 0, &id));
	EXPECT_EQ(-EINVAL, __tess_queue_create(ctx->fd, ctx->vm, ~0u, 0, &id));
	EXPECT_EQ(-EINVAL, __tess_queue_create(ctx->fd, ctx->vm, ctx->slice, 3, &id));
	EXPECT_EQ(-EINVAL, tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_QUEUE_CREATE, &flags));
	EXPECT_EQ(-EINVAL, tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_QUEUE_CREATE, &none));
	EXPECT_EQ(-ENOENT, __tess_queue_create(ctx->fd, 0, ctx->slice, 0, &id));
	EXPECT_EQ(-ENOENT, __tess_queue_create(ctx->fd, ctx->vm + 1, ctx->slice, 0, &id));
	EXPECT_EQ(0, __tess_queue_create(ctx->fd, ctx->vm, ctx->slice, 1, &id));
	EXPECT_NE(0u, id);
}

/* Each test is a process of its own, which need not get its rights back */
static void drop_rights(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = {};

	if (syscall(SYS_capset, &header, none))
		tess_die("capset: %s", strerror(errno));
}

TEST_F(queue, high_priority_is_a_right)
{
	struct tess_ctx *ctx = &self->ctx;
	uint32_t id;

	EXPECT_EQ(0, __tess_queue_create(ctx->fd, ctx->vm, ctx->slice, DRM_TESSERA_PRIORITY_HIGH,
					 &id));
	drop_rights();
	EXPECT_EQ(-EACCES, __tess_queue_create(ctx->fd, ctx->vm, ctx->slice,
					       DRM_TESSERA_PRIORITY_HIGH, &id));
	EXPECT_EQ(0,
		  __tess_queue_create(ctx->fd, ctx->vm, ctx->slice, DRM_TESSERA_PRIORITY_LOW, &id));
	EXPECT_EQ(0, __tess_queue_create(ctx->fd, ctx->vm, ctx->slice, DRM_TESSERA_PRIORITY_NORMAL,
					 &id));
}

/* Jobs wait behind more than a ring takes: what is chosen then tells the priorities */
TEST_F(queue, high_goes_first)
{
	enum { FRONT = 16 };
	struct tess_ctx *ctx = &self->ctx;
	volatile uint64_t *data = (uint64_t *)ctx->data;
	static const uint32_t prios[] = {
		DRM_TESSERA_PRIORITY_LOW,
		DRM_TESSERA_PRIORITY_NORMAL,
		DRM_TESSERA_PRIORITY_HIGH,
	};
	struct drm_tessera_sync out[3];
	uint64_t stamps[3];
	uint32_t queue;
	unsigned int i;

	if (tess_takes_turns(ctx->fd))
		SKIP(return, "priorities are shares where jobs take turns: sched/processes");
	/* The ring is full of jobs that wait for the test; all fences are those of the last ones */
	tess_wait(ctx, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
	for (i = 0; i < FRONT; i++)
		ASSERT_EQ(0, __tess_submit(ctx, NULL, 0, NULL, 0));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, __tess_queue_create(ctx->fd, ctx->vm, ctx->slice, prios[i], &queue));
		out[i] = (struct drm_tessera_sync){ .handle = tess_syncobj_create(ctx->fd) };
		tess_timestamp(ctx, TESS_DATA_VA + 8 + 8 * i, 0);
		ctx->queue = queue;
		ASSERT_EQ(0, __tess_submit_at(ctx, TESS_CMD_VA + (1 + i) * DRM_TESSERA_PKT_SIZE, 1,
					      NULL, 0, &out[i], 1));
	}
	data[0] = 1;
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, __tess_syncobj_wait(ctx->fd, out[i].handle, 0, TESS_WAIT_MS));
		EXPECT_EQ(0, tess_syncobj_status(ctx->fd, out[i].handle));
		stamps[i] = data[1 + i];
	}
	EXPECT_LT(stamps[2], stamps[1]);
	EXPECT_LT(stamps[1], stamps[0]);
}

TEST_F(queue, create_emfile)
{
	struct tess_ctx *ctx = &self->ctx;
	uint32_t id = 0, first = ctx->queue;
	unsigned int n;
	int rc = 0;

	for (n = 1; !rc && n <= 1024; n++)
		rc = __tess_queue_create(ctx->fd, ctx->vm, ctx->slice, 0, &id);
	EXPECT_EQ(-EMFILE, rc);
	EXPECT_EQ(1024u, n - 1);
	EXPECT_EQ(0, __tess_queue_destroy(ctx->fd, first));
	EXPECT_EQ(0, __tess_queue_create(ctx->fd, ctx->vm, ctx->slice, 0, &id));
}

TEST_F(queue, destroy_errors)
{
	struct drm_tessera_queue_destroy args = { .id = self->ctx.queue, .pad = 1 };
	struct tess_ctx *ctx = &self->ctx;

	EXPECT_EQ(-EINVAL, tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_QUEUE_DESTROY, &args));
	EXPECT_EQ(-ENOENT, __tess_queue_destroy(ctx->fd, 0));
	EXPECT_EQ(-ENOENT, __tess_queue_destroy(ctx->fd, ctx->queue + 1));
	EXPECT_EQ(0, __tess_queue_destroy(ctx->fd, ctx->queue));
	EXPECT_EQ(-ENOENT, __tess_queue_destroy(ctx->fd, ctx->queue));
}

TEST_F(queue, state_errors)
{
	struct drm_tessera_queue_state state = { .id = self->ctx.queue, .pad = 1 };
	struct tess_ctx *ctx = &self->ctx;

	EXPECT_EQ(-EINVAL, tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_QUEUE_STATE, &state));
	EXPECT_EQ(-ENOENT, __tess_queue_state(ctx->fd, 0, &state));
	EXPECT_EQ(-ENOENT, __tess_queue_state(ctx->fd, ctx->queue + 1, &state));
	EXPECT_EQ(0, __tess_queue_state(ctx->fd, ctx->queue, &state));
	EXPECT_EQ(ctx->queue, state.id);
	EXPECT_EQ(0u, state.flags | state.cause | state.info | state.packet);
	EXPECT_EQ(0u, state.addr | state.pc);
}

TEST_F(queue, keeps_its_vm)
{
	struct tess_ctx *ctx = &self->ctx;
	uint32_t id;

	ASSERT_EQ(0, __tess_vm_destroy(ctx->fd, ctx->vm));
	EXPECT_EQ(-ENOENT, __tess_queue_create(ctx->fd, ctx->vm, ctx->slice, 0, &id));
	tess_fill(ctx, TESS_DATA_VA, 64, 0xfeedface);
	EXPECT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(0xfeedfaceu, *(uint32_t *)ctx->data);
}

TEST_F(queue, destroyed_with_work_in_it)
{
	struct tess_ctx *ctx = &self->ctx;
	volatile uint64_t *word = (uint64_t *)ctx->data;
	struct drm_tessera_sync first, second;

	/* The first job waits on the GPU, the second one for the first in the scheduler. */
	first = (struct drm_tessera_sync){ .handle = tess_syncobj_create(ctx->fd) };
	second = (struct drm_tessera_sync){ .handle = tess_syncobj_create(ctx->fd) };
	tess_wait(ctx, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
	ASSERT_EQ(0, __tess_submit(ctx, NULL, 0, &first, 1));
	ctx->slice = (ctx->slice + 1) % 2;
	ctx->queue = tess_queue_create(ctx->fd, ctx->vm, ctx->slice);
	ASSERT_EQ(0, __tess_submit(ctx, &first, 1, &second, 1));
	ASSERT_EQ(0, __tess_queue_destroy(ctx->fd, ctx->queue));
	*word = 1;
	EXPECT_EQ(0, __tess_syncobj_wait(ctx->fd, first.handle, 0, TESS_WAIT_MS));
	EXPECT_EQ(0, tess_syncobj_status(ctx->fd, first.handle));
	EXPECT_EQ(0, __tess_syncobj_wait(ctx->fd, second.handle, 0, TESS_WAIT_MS));
	EXPECT_EQ(-ESRCH, tess_syncobj_status(ctx->fd, second.handle));
}

TEST_HARNESS_MAIN
