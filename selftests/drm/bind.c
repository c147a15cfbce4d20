// SPDX-License-Identifier: GPL-2.0-or-later
/* Address spaces: every error of their ioctls, replacing, splitting, rights */
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>

#include "harness.h"
#include "tess_ctx.h"

#define MANY_OPS 1024u
#define DATA_PAGES (TESS_DATA_BYTES / TESS_PAGE)

FIXTURE(bind)
{
	struct tess_ctx ctx;
};

FIXTURE_SETUP(bind)
{
	tess_ctx_open(&self->ctx);
}

FIXTURE_TEARDOWN(bind)
{
	tess_ctx_close(&self->ctx);
}

TEST_F(bind, vm_errors)
{
	struct drm_tessera_vm_create create = { .flags = 1 };
	struct drm_tessera_vm_destroy destroy = { .id = self->ctx.vm, .pad = 1 };
	int fd = self->ctx.fd;

	EXPECT_EQ(-EINVAL, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_CREATE, &create));
	EXPECT_EQ(-EINVAL, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_DESTROY, &destroy));
	EXPECT_EQ(-ENOENT, __tess_vm_destroy(fd, 0));
	EXPECT_EQ(-ENOENT, __tess_vm_destroy(fd, 65));
	EXPECT_EQ(0, __tess_vm_destroy(fd, self->ctx.vm));
	EXPECT_EQ(-ENOENT, __tess_vm_destroy(fd, self->ctx.vm));
}

TEST_F(bind, vm_emfile)
{
	uint32_t id;
	int n, rc = 0;

	for (n = 1; !rc && n <= 64; n++)
		rc = __tess_vm_create(self->ctx.fd, &id);
	EXPECT_EQ(-EMFILE, rc);
	EXPECT_EQ(64, n - 1);
}

TEST_F(bind, ioctl_errors)
{
	struct drm_tessera_vm_bind_op op = { .op = DRM_TESSERA_BIND_UNMAP, .size = TESS_PAGE };
	struct drm_tessera_sync bad = { .handle = 4711 }, never = { .handle = self->ctx.done };
	const struct drm_tessera_vm_bind good = {
		.vm = self->ctx.vm,
		.ops = TESS_ARRAY(&op, 1),
	};
	struct drm_tessera_vm_bind args;
	int fd = self->ctx.fd;

	args = good;
	EXPECT_EQ(0, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	EXPECT_EQ(1u, args.done);
#define WITH(field, value)            \
	do {                          \
		args = good;          \
		args.field = (value); \
	} while (0)
	WITH(flags, 1);
	EXPECT_EQ(-EINVAL, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	WITH(pad, 1);
	EXPECT_EQ(-EINVAL, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	WITH(done, 2);
	EXPECT_EQ(-EINVAL, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	WITH(ops.count, 0);
	EXPECT_EQ(-EINVAL, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	WITH(ops.count, 1025);
	EXPECT_EQ(-EINVAL, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	WITH(ops.stride, sizeof(op) - 1);
	EXPECT_EQ(-EINVAL, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	WITH(ops.stride, 4097);
	EXPECT_EQ(-EINVAL, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	WITH(in_syncs.count, 1);
	EXPECT_EQ(-EINVAL, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	WITH(out_syncs.count, 1);
	EXPECT_EQ(-EINVAL, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	WITH(in_syncs, TESS_ARRAY(&bad, 1));
	EXPECT_EQ(-ENOENT, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	WITH(out_syncs, TESS_ARRAY(&bad, 1));
	EXPECT_EQ(-ENOENT, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	WITH(in_syncs, TESS_ARRAY(&never, 1));
	EXPECT_EQ(-EINVAL, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	WITH(vm, 0);
	EXPECT_EQ(-ENOENT, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	WITH(ops.array, 16);
	EXPECT_EQ(-EFAULT, tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	EXPECT_EQ(0u, args.done);
#undef WITH
}

static int bind_one(struct tess_ctx *ctx, struct drm_tessera_vm_bind_op op)
{
	uint32_t count = 1;

	return __tess_vm_bind(ctx->fd, ctx->vm, &op, &count);
}

TEST_F(bind, map_errors)
{
	struct tess_ctx *ctx = &self->ctx;
	uint32_t handle = tess_bo_create(ctx->fd, 2 * TESS_PAGE, 0);
	const struct drm_tessera_vm_bind_op good = {
		.op = DRM_TESSERA_BIND_MAP,
		.handle = handle,
		.va = TESS_FREE_VA,
		.size = 2 * TESS_PAGE,
	};
	struct drm_tessera_vm_bind_op op;

	EXPECT_EQ(0, bind_one(ctx, good));
#define WITH(field, value)          \
	do {                        \
		op = good;          \
		op.field = (value); \
	} while (0)
	WITH(op, 2);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(flags, 8);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(flags, DRM_TESSERA_BIND_NULL);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(pad, 1);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(handle, 0);
	EXPECT_EQ(-ENOENT, bind_one(ctx, op));
	WITH(handle, 12345);
	EXPECT_EQ(-ENOENT, bind_one(ctx, op));
	WITH(size, 0);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(size, TESS_PAGE + 1);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(size, 3 * TESS_PAGE);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(size, ~0xfffull);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(offset, TESS_PAGE);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(offset, ~0xfffull);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(offset, 8);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(va, TESS_FREE_VA + 64);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(va, (1ull << 38) - TESS_PAGE);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(va, 1ull << 38);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(va, ~0xfffull);
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	WITH(va, (1ull << 38) - 2 * TESS_PAGE);
	EXPECT_EQ(0, bind_one(ctx, op));
	WITH(va, 0);
	EXPECT_EQ(0, bind_one(ctx, op));
#undef WITH
}

TEST_F(bind, unmap_errors)
{
	struct tess_ctx *ctx = &self->ctx;
	const struct drm_tessera_vm_bind_op good = {
		.op = DRM_TESSERA_BIND_UNMAP,
		.va = TESS_FREE_VA,
		.size = TESS_PAGE,
	};
	struct drm_tessera_vm_bind_op op;

	/* A hole is fine. */
	EXPECT_EQ(0, bind_one(ctx, good));
	op = good;
	op.flags = DRM_TESSERA_BIND_READONLY;
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	op = good;
	op.handle = ctx->data_bo;
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	op = good;
	op.offset = TESS_PAGE;
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	op = good;
	op.size = 1ull << 38;
	EXPECT_EQ(-EINVAL, bind_one(ctx, op));
	op.va = 0;
	EXPECT_EQ(0, bind_one(ctx, op));
}

TEST_F(bind, tells_how_far_it_came)
{
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_vm_bind_op ops[4] = {};
	uint32_t count = 4;
	int i;

	for (i = 0; i < 4; i++) {
		ops[i].op = DRM_TESSERA_BIND_MAP;
		ops[i].handle = i == 2 ? 999 : ctx->data_bo;
		ops[i].va = TESS_FREE_VA + i * TESS_PAGE;
		ops[i].size = TESS_PAGE;
	}
	EXPECT_EQ(-ENOENT, __tess_vm_bind(ctx->fd, ctx->vm, ops, &count));
	EXPECT_EQ(2u, count);
	tess_fill(ctx, TESS_FREE_VA, 2 * TESS_PAGE, 7);
	EXPECT_EQ(0, tess_ctx_run(ctx));
}

/* Operations of a program that is newer than the driver */
TEST_F(bind, operations_that_grew)
{
	struct tess_ctx *ctx = &self->ctx;
	struct {
		struct drm_tessera_vm_bind_op known;
		uint64_t unknown;
	} ops[3] = {};
	struct drm_tessera_vm_bind args = { .vm = ctx->vm, .ops = TESS_ARRAY(ops, 3) };
	int i;

	for (i = 0; i < 3; i++)
		ops[i].known = (struct drm_tessera_vm_bind_op){
			.op = DRM_TESSERA_BIND_MAP,
			.handle = ctx->data_bo,
			.offset = i * TESS_PAGE,
			.va = TESS_FREE_VA + i * TESS_PAGE,
			.size = TESS_PAGE,
		};
	ops[2].unknown = 1;
	EXPECT_EQ(-E2BIG, tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	EXPECT_EQ(0u, args.done);
	ops[2].unknown = 0;
	ASSERT_EQ(0, tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	EXPECT_EQ(3u, args.done);
	tess_fill(ctx, TESS_FREE_VA + 2 * TESS_PAGE, 4, 0x22);
	EXPECT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(0x22u, *(uint32_t *)(ctx->data + 2 * TESS_PAGE));
}

/* An interrupted call is repeated with the structure as it came back */
TEST_F(bind, goes_on_where_it_was)
{
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_vm_bind_op ops[3] = {};
	struct drm_tessera_vm_bind args = { .vm = ctx->vm, .ops = TESS_ARRAY(ops, 3) };
	int i;

	for (i = 0; i < 3; i++) {
		ops[i].op = DRM_TESSERA_BIND_MAP;
		ops[i].handle = i == 1 ? 999 : ctx->data_bo;
		ops[i].offset = i * TESS_PAGE;
		ops[i].va = TESS_FREE_VA + i * TESS_PAGE;
		ops[i].size = TESS_PAGE;
	}
	EXPECT_EQ(-ENOENT, tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	EXPECT_EQ(1u, args.done);
	/* What is done is not done again: the first operation would fail now. */
	ops[0].handle = 999;
	ops[1].handle = ctx->data_bo;
	ASSERT_EQ(0, tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	EXPECT_EQ(3u, args.done);
	for (i = 0; i < 3; i++)
		tess_fill(ctx, TESS_FREE_VA + i * TESS_PAGE, 4, 0x30 + i);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0x30u + i, *(uint32_t *)(ctx->data + i * TESS_PAGE));
}

static void nothing(int sig)
{
}

/* Page i of what is mapped is page i of the data, from its beginning again behind its end */
static void many_maps(struct tess_ctx *ctx, struct drm_tessera_vm_bind_op *ops)
{
	unsigned int i;

	for (i = 0; i < MANY_OPS; i++)
		ops[i] = (struct drm_tessera_vm_bind_op){
			.op = DRM_TESSERA_BIND_MAP,
			.handle = ctx->data_bo,
			.offset = i % DATA_PAGES * TESS_PAGE,
			.va = TESS_FREE_VA + i * TESS_PAGE,
			.size = TESS_PAGE,
		};
}

/*
 * Signals come more often than the operations of a call take. Nobody else is there for whom the
 * call would have to wait: it is interrupted between its operations, does at least one each time,
 * and what is repeated as it came back does what is left
 */
TEST_F(bind, goes_on_where_it_was_interrupted)
{
	const struct itimerspec often = { .it_interval.tv_nsec = 300000,
					  .it_value.tv_nsec = 300000 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct sigaction action = { .sa_handler = nothing };
	static struct drm_tessera_vm_bind_op ops[MANY_OPS];
	unsigned int interrupted = 0, i;
	struct drm_tessera_vm_bind args;
	struct tess_ctx *ctx = &self->ctx;
	uint32_t done = 0;
	timer_t timer;

	many_maps(ctx, ops);
	args = (struct drm_tessera_vm_bind){ .vm = ctx->vm, .ops = TESS_ARRAY(ops, MANY_OPS) };
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	ASSERT_EQ(0, timer_create(CLOCK_MONOTONIC, &event, &timer));
	ASSERT_EQ(0, timer_settime(timer, 0, &often, NULL));
	while (ioctl(ctx->fd, DRM_IOCTL_TESSERA_VM_BIND, &args)) {
		ASSERT_EQ(EINTR, errno);
		ASSERT_LT(done, args.done);
		ASSERT_GT(MANY_OPS, args.done);
		/* What is done is not looked at again */
		for (i = done; i < args.done; i++)
			ops[i].handle = 999;
		done = args.done;
		interrupted++;
	}
	timer_delete(timer);
	EXPECT_EQ(MANY_OPS, args.done);
	EXPECT_LT(0u, interrupted);
	TH_LOG("interrupted %u times", interrupted);
	for (i = MANY_OPS - DATA_PAGES; i < MANY_OPS; i++)
		tess_fill(ctx, TESS_FREE_VA + i * TESS_PAGE, 4, 0x1000 + i % DATA_PAGES);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	for (i = 0; i < DATA_PAGES; i++)
		EXPECT_EQ(0x1000u + i, *(uint32_t *)(ctx->data + i * TESS_PAGE));
}

TEST_F(bind, replaces)
{
	struct tess_ctx *ctx = &self->ctx;
	uint32_t a = tess_bo_create(ctx->fd, TESS_PAGE, 0);
	uint32_t b = tess_bo_create(ctx->fd, TESS_PAGE, DRM_TESSERA_BO_VRAM);
	volatile uint32_t *pa = tess_bo_mmap(ctx->fd, a, TESS_PAGE);
	volatile uint32_t *pb = tess_bo_mmap(ctx->fd, b, TESS_PAGE);

	tess_vm_map(ctx->fd, ctx->vm, a, 0, TESS_FREE_VA, TESS_PAGE);
	tess_fill(ctx, TESS_FREE_VA, 64, 0xaaaa);
	EXPECT_EQ(0, tess_ctx_run(ctx));
	tess_vm_map(ctx->fd, ctx->vm, b, 0, TESS_FREE_VA, TESS_PAGE);
	tess_begin(ctx);
	tess_fill(ctx, TESS_FREE_VA, 64, 0xbbbb);
	EXPECT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(0xaaaau, pa[0]);
	EXPECT_EQ(0xbbbbu, pb[0]);
}

/* Is there memory at @va? A queue that faulted is replaced. */
static bool mapped(struct tess_ctx *ctx, uint64_t va)
{
	int rc;

	tess_begin(ctx);
	tess_fill(ctx, va, 4, 1);
	rc = tess_ctx_run(ctx);
	if (rc)
		tess_ctx_new_queue(ctx);
	return !rc;
}

static void split(struct __test_metadata *_metadata, struct tess_ctx *ctx, uint32_t flags)
{
	const uint64_t va = 512 * TESS_2M, size = 2 * TESS_2M;
	uint32_t handle = tess_bo_create(ctx->fd, size, flags);
	volatile uint32_t *p = tess_bo_mmap(ctx->fd, handle, size);

	tess_vm_map(ctx->fd, ctx->vm, handle, 0, va, size);
	EXPECT_EQ(0, __tess_bo_close(ctx->fd, handle));
	tess_vm_unmap(ctx->fd, ctx->vm, va + 16 * TESS_PAGE, TESS_PAGE);
	EXPECT_TRUE(mapped(ctx, va));
	EXPECT_TRUE(mapped(ctx, va + 15 * TESS_PAGE));
	EXPECT_FALSE(mapped(ctx, va + 16 * TESS_PAGE));
	EXPECT_TRUE(mapped(ctx, va + 17 * TESS_PAGE));
	EXPECT_TRUE(mapped(ctx, va + size - TESS_PAGE));
	EXPECT_FALSE(mapped(ctx, va + size));
	EXPECT_EQ(1u, p[17 * TESS_PAGE / 4]);
	EXPECT_EQ(0u, p[16 * TESS_PAGE / 4]);
	/* Both ends of what is left, then all of it */
	tess_vm_unmap(ctx->fd, ctx->vm, va + 8 * TESS_PAGE, TESS_2M);
	EXPECT_TRUE(mapped(ctx, va + 7 * TESS_PAGE));
	EXPECT_FALSE(mapped(ctx, va + 8 * TESS_PAGE));
	EXPECT_TRUE(mapped(ctx, va + 8 * TESS_PAGE + TESS_2M));
	tess_vm_unmap(ctx->fd, ctx->vm, va, size);
	EXPECT_FALSE(mapped(ctx, va));
	EXPECT_FALSE(mapped(ctx, va + size - TESS_PAGE));
}

TEST_F(bind, splits_system)
{
	split(_metadata, &self->ctx, 0);
}

TEST_F(bind, splits_vram)
{
	split(_metadata, &self->ctx, DRM_TESSERA_BO_VRAM);
}

TEST_F(bind, replaces_the_middle)
{
	const uint64_t va = 512 * TESS_2M;
	struct tess_ctx *ctx = &self->ctx;
	uint32_t a = tess_bo_create(ctx->fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	uint32_t b = tess_bo_create(ctx->fd, TESS_PAGE, 0);
	volatile uint32_t *pa = tess_bo_mmap(ctx->fd, a, TESS_2M);
	volatile uint32_t *pb = tess_bo_mmap(ctx->fd, b, TESS_PAGE);

	tess_vm_map(ctx->fd, ctx->vm, a, 0, va, TESS_2M);
	tess_vm_map(ctx->fd, ctx->vm, b, 0, va + 5 * TESS_PAGE, TESS_PAGE);
	tess_fill(ctx, va, TESS_2M, 0x77);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(0x77u, pb[0]);
	EXPECT_EQ(0u, pa[5 * TESS_PAGE / 4]);
	EXPECT_EQ(0x77u, pa[6 * TESS_PAGE / 4]);
	EXPECT_EQ(0x77u, pa[TESS_2M / 4 - 1]);
}

TEST_F(bind, offsets_count)
{
	struct tess_ctx *ctx = &self->ctx;
	volatile uint32_t *data = (uint32_t *)ctx->data;

	/* The same page twice, in the other order */
	tess_vm_map(ctx->fd, ctx->vm, ctx->data_bo, 2 * TESS_PAGE, TESS_FREE_VA, TESS_PAGE);
	tess_vm_map(ctx->fd, ctx->vm, ctx->data_bo, TESS_PAGE, TESS_FREE_VA + TESS_PAGE, TESS_PAGE);
	tess_fill(ctx, TESS_FREE_VA, TESS_PAGE, 2);
	tess_fill(ctx, TESS_FREE_VA + TESS_PAGE, TESS_PAGE, 1);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(0u, data[0]);
	EXPECT_EQ(1u, data[1024]);
	EXPECT_EQ(2u, data[2048]);
	EXPECT_EQ(0u, data[3072]);
}

TEST_F(bind, readonly_and_noexec)
{
	struct drm_tessera_queue_state state;
	struct tess_ctx *ctx = &self->ctx;

	ASSERT_EQ(0, __tess_vm_map(ctx->fd, ctx->vm, ctx->data_bo, 0, TESS_FREE_VA, TESS_PAGE,
				   DRM_TESSERA_BIND_READONLY | DRM_TESSERA_BIND_NOEXEC));
	tess_copy(ctx, TESS_DATA_VA + TESS_PAGE, TESS_FREE_VA, 64);
	EXPECT_EQ(0, tess_ctx_run(ctx));

	EXPECT_FALSE(mapped(ctx, TESS_FREE_VA));

	tess_begin(ctx);
	tess_dispatch(ctx, TESS_K_JUMP, 1, 1, TESS_FREE_VA, 0);
	EXPECT_EQ(-EFAULT, tess_ctx_run(ctx));
	ASSERT_EQ(0, __tess_queue_state(ctx->fd, ctx->queue, &state));
	EXPECT_EQ(DRM_TESSERA_CAUSE_FETCH_PAGE, state.cause);
}

TEST_F(bind, vms_are_apart)
{
	struct tess_ctx other;
	volatile uint32_t *p = (uint32_t *)self->ctx.data, *q;

	tess_ctx_open_on(&other, self->ctx.fd, self->ctx.slice);
	q = (uint32_t *)other.data;
	tess_fill(&self->ctx, TESS_DATA_VA, 64, 1);
	tess_fill(&other, TESS_DATA_VA, 64, 2);
	tess_ctx_submit(&self->ctx);
	tess_ctx_submit(&other);
	EXPECT_EQ(0, tess_ctx_wait(&self->ctx));
	EXPECT_EQ(0, tess_ctx_wait(&other));
	EXPECT_EQ(1u, p[0]);
	EXPECT_EQ(2u, q[0]);
	tess_ctx_close(&other);
}

/* A mapping that waits for the job that uses the old one, and another job that waits for it */
TEST_F(bind, waits_and_signals)
{
	struct tess_ctx *ctx = &self->ctx;
	uint32_t bo = tess_bo_create(ctx->fd, TESS_PAGE, 0);
	volatile uint32_t *p = tess_bo_mmap(ctx->fd, bo, TESS_PAGE);
	struct drm_tessera_vm_bind_op op = {
		.op = DRM_TESSERA_BIND_MAP,
		.handle = bo,
		.va = TESS_FREE_VA,
		.size = TESS_PAGE,
	};
	struct drm_tessera_sync in = { .handle = ctx->done };
	struct drm_tessera_sync out = { .handle = tess_syncobj_create(ctx->fd), .point = 7 };
	struct drm_tessera_vm_bind args = {
		.vm = ctx->vm,
		.ops = TESS_ARRAY(&op, 1),
		.in_syncs = TESS_ARRAY(&in, 1),
		.out_syncs = TESS_ARRAY(&out, 1),
	};
	struct drm_tessera_sync last = { .handle = tess_syncobj_create(ctx->fd) };
	int status;
	pid_t pid;

	/* The first one writes to what it finds there when it is let go */
	tess_vm_map(ctx->fd, ctx->vm, ctx->data_bo, TESS_PAGE, TESS_FREE_VA, TESS_PAGE);
	tess_wait(ctx, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
	tess_fill(ctx, TESS_FREE_VA, 4, 0x11);
	tess_ctx_submit(ctx);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		usleep(200000);
		*(volatile uint64_t *)ctx->data = 1;
		_exit(0);
	}
	ASSERT_EQ(0, tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	EXPECT_EQ(1u, args.done);
	EXPECT_EQ(0, tess_syncobj_status(ctx->fd, ctx->done));
	EXPECT_EQ(0x11u, *(uint32_t *)(ctx->data + TESS_PAGE));
	EXPECT_EQ(7u, tess_syncobj_point(ctx->fd, out.handle));
	ctx->count = 8;
	tess_fill(ctx, TESS_FREE_VA, 4, 0x22);
	ASSERT_EQ(0, __tess_submit_at(ctx, TESS_CMD_VA + 8 * DRM_TESSERA_PKT_SIZE, 1, &out, 1,
				      &last, 1));
	EXPECT_EQ(0, __tess_syncobj_wait(ctx->fd, last.handle, 0, TESS_WAIT_MS));
	EXPECT_EQ(0x22u, p[0]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));

	/* What fails signals nothing */
	args.done = 0;
	out.point = 8;
	op.handle = 999;
	EXPECT_EQ(-ENOENT, tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_VM_BIND, &args));
	EXPECT_EQ(7u, tess_syncobj_point(ctx->fd, out.handle));
}

TEST_F(bind, null)
{
	const uint64_t va = 512 * TESS_2M, size = 8ull << 20;
	struct drm_tessera_vm_bind_op op = {
		.op = DRM_TESSERA_BIND_MAP,
		.flags = DRM_TESSERA_BIND_NULL,
		.va = va,
		.size = size,
	};
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_queue_state state;
	struct tess_ctx other;

	ASSERT_EQ(0, bind_one(ctx, op));
	/* Reads and writes anywhere in it are fine, and reach no buffer */
	tess_fill(ctx, va, size, 0xdead);
	tess_copy(ctx, TESS_DATA_VA, va + size - 64, 64);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	/* A part becomes a buffer, the rest stays */
	tess_vm_map(ctx->fd, ctx->vm, ctx->data_bo, 0, va + 5 * TESS_PAGE, TESS_PAGE);
	tess_begin(ctx);
	tess_fill(ctx, va + 4 * TESS_PAGE, 3 * TESS_PAGE, 0xbeef);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(0xbeefu, *(uint32_t *)ctx->data);
	EXPECT_EQ(0xbeefu, *(uint32_t *)(ctx->data + TESS_PAGE - 4));
	EXPECT_EQ(0u, *(uint32_t *)(ctx->data + TESS_PAGE));
	/* Nobody else sees what was written there */
	tess_ctx_open_on(&other, ctx->fd, ctx->slice);
	ASSERT_EQ(0, bind_one(&other, op));
	tess_copy(&other, TESS_DATA_VA, va, TESS_DATA_BYTES);
	ASSERT_EQ(0, tess_ctx_run(&other));
	for (unsigned int i = 0; i < TESS_DATA_BYTES / 4; i++)
		ASSERT_EQ(0u, ((uint32_t *)other.data)[i]);
	tess_ctx_close(&other);
	/* Rights count, and nothing is executed */
	op.flags |= DRM_TESSERA_BIND_READONLY;
	ASSERT_EQ(0, bind_one(ctx, op));
	tess_begin(ctx);
	tess_copy(ctx, TESS_DATA_VA, va, 64);
	EXPECT_EQ(0, tess_ctx_run(ctx));
	EXPECT_FALSE(mapped(ctx, va));
	tess_begin(ctx);
	tess_dispatch(ctx, TESS_K_JUMP, 1, 1, va, 0);
	EXPECT_EQ(-EFAULT, tess_ctx_run(ctx));
	ASSERT_EQ(0, __tess_queue_state(ctx->fd, ctx->queue, &state));
	EXPECT_EQ(DRM_TESSERA_CAUSE_FETCH_PAGE, state.cause);
	tess_ctx_new_queue(ctx);
	tess_vm_unmap(ctx->fd, ctx->vm, va, size);
	EXPECT_FALSE(mapped(ctx, va + size - TESS_PAGE));
}

/* Is there a mapping at @va, as debugfs tells the administrator? -1: no debugfs */
static int debugfs_knows(uint64_t va)
{
	char command[200];
	int rc;

	if (access("/sys/kernel/debug/dri", X_OK))
		return -1;
	snprintf(command, sizeof(command), "grep -qsi 0x0*%llx /sys/kernel/debug/dri/*/gpuvas",
		 (unsigned long long)va);
	rc = system(command);
	return WIFEXITED(rc) && !WEXITSTATUS(rc);
}

TEST_F(bind, debugfs)
{
	struct tess_ctx *ctx = &self->ctx;
	const uint64_t va = 0x1234567000ull;

	if (debugfs_knows(va) < 0)
		SKIP(return, "no debugfs");
	EXPECT_EQ(0, debugfs_knows(va));
	tess_vm_map(ctx->fd, ctx->vm, ctx->data_bo, 0, va, TESS_PAGE);
	EXPECT_EQ(1, debugfs_knows(va));
	tess_vm_unmap(ctx->fd, ctx->vm, va, TESS_PAGE);
	EXPECT_EQ(0, debugfs_knows(va));
}

TEST_F(bind, many_mappings)
{
	struct drm_tessera_vm_bind_op *ops = calloc(1024, sizeof(*ops));
	struct tess_ctx *ctx = &self->ctx;
	uint32_t count = 1024, i;

	ASSERT_NE(NULL, ops);
	for (i = 0; i < count; i++) {
		ops[i].op = DRM_TESSERA_BIND_MAP;
		ops[i].handle = ctx->data_bo;
		ops[i].offset = i % 256 * TESS_PAGE;
		ops[i].va = TESS_FREE_VA + (uint64_t)i * 33 * TESS_PAGE;
		ops[i].size = TESS_PAGE;
	}
	ASSERT_EQ(0, __tess_vm_bind(ctx->fd, ctx->vm, ops, &count));
	EXPECT_TRUE(mapped(ctx, TESS_FREE_VA + 1023ull * 33 * TESS_PAGE));
	tess_vm_unmap(ctx->fd, ctx->vm, TESS_FREE_VA, 1024ull * 33 * TESS_PAGE);
	EXPECT_FALSE(mapped(ctx, TESS_FREE_VA));
	free(ops);
}

/* ---- page tables ---- */

#define TABLES_PARAM "/sys/module/tessera_drm/parameters/page_tables"
#define TABLES_MIB 8
/* Of a process that is killed: much, compared with how exact the kernel is */
#define KILLED_MIB 16
#define BLOCK (2ull << 20)
#define BLOCK_BATCH 512

/* SecPageTables, in KiB */
static long tables_kib(void)
{
	char line[128];
	long kib = -1;
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && kib < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "SecPageTables: %ld", &kib);
	if (f)
		fclose(f);
	return kib;
}

static int tables_limit(unsigned int mib)
{
	FILE *f = fopen(TABLES_PARAM, "w");
	int rc = f && fprintf(f, "%u\n", mib) > 0 ? 0 : -1;

	return f && fclose(f) ? -1 : rc;
}

/* The same page in each block of 2 MiB from @first: how many until it is refused with @error */
static unsigned int sprinkle(int fd, uint32_t vm, uint32_t handle, unsigned int first, int *error)
{
	static struct drm_tessera_vm_bind_op ops[BLOCK_BATCH];
	unsigned int i, n = first;
	uint32_t done;

	do {
		for (i = 0; i < BLOCK_BATCH; i++)
			ops[i] = (struct drm_tessera_vm_bind_op){
				.op = DRM_TESSERA_BIND_MAP,
				.handle = handle,
				.va = (n + i) * BLOCK,
				.size = TESS_PAGE,
			};
		done = BLOCK_BATCH;
		*error = __tess_vm_bind(fd, vm, ops, &done);
		n += done;
	} while (!*error && n - first < 64 * BLOCK_BATCH);
	return n - first;
}

/* Page tables of a file are limited, all VMs together; what it does not need it has again */
TEST_F(bind, tables_are_limited)
{
	unsigned int n, limit = TABLES_MIB * (1u << 20) / TESS_PAGE;
	struct tess_ctx *other = &self->ctx;
	uint32_t vm[2], handle;
	int fd, error;

	ASSERT_EQ(0, tables_limit(TABLES_MIB));
	fd = tess_open();
	EXPECT_EQ(0, tables_limit(64));
	vm[0] = tess_vm_create(fd);
	vm[1] = tess_vm_create(fd);
	handle = tess_bo_create(fd, TESS_PAGE, 0);
	n = sprinkle(fd, vm[0], handle, 0, &error);
	EXPECT_EQ(-EDQUOT, error);
	/* One for each block, and one for each 512 of these */
	EXPECT_EQ(limit, n + (n + 511) / 512);
	EXPECT_EQ(-EDQUOT, __tess_vm_map(fd, vm[1], handle, 0, 0, TESS_PAGE, 0));
	/* Where there is a table already there is room, and others are not concerned */
	EXPECT_EQ(0, __tess_vm_map(fd, vm[0], handle, 0, TESS_PAGE, TESS_PAGE, 0));
	handle = tess_bo_create(other->fd, TESS_PAGE, 0);
	EXPECT_EQ(0, __tess_vm_map(other->fd, other->vm, handle, 0, TESS_FREE_VA, TESS_PAGE, 0));
	handle = tess_bo_create(fd, TESS_PAGE, 0);
	EXPECT_EQ(0, __tess_vm_unmap(fd, vm[0], 0, 2 * BLOCK));
	EXPECT_EQ(0, __tess_vm_map(fd, vm[1], handle, 0, 0, TESS_PAGE, 0));
	EXPECT_EQ(0, __tess_vm_unmap(fd, vm[1], 0, BLOCK));
	EXPECT_EQ(0, __tess_vm_unmap(fd, vm[0], 0, n * BLOCK));
	EXPECT_EQ(n, sprinkle(fd, vm[1], handle, 0, &error));
	close(fd);
}

/* A process that is killed leaves no page tables behind */
TEST_F(bind, tables_come_back)
{
	long before = tables_kib(), during;
	int pipes[2], status, i;
	pid_t pid;
	char c;

	ASSERT_LE(0, before);
	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, tables_limit(KILLED_MIB));
	pid = fork();
	if (!pid) {
		int fd = tess_open(), error;

		sprinkle(fd, tess_vm_create(fd), tess_bo_create(fd, TESS_PAGE, 0), 0, &error);
		if (write(pipes[1], "", error == -EDQUOT) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	ASSERT_LT(0, pid);
	ASSERT_EQ(1, read(pipes[0], &c, 1));
	EXPECT_EQ(0, tables_limit(64));
	during = tables_kib();
	EXPECT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	/* Nearly all of them; the kernel's figure lags behind by some pages for each processor */
	EXPECT_LT(before + (KILLED_MIB - 4) * 1024, during);
	for (i = 0; i < 3000 && tables_kib() > before + 4 * 1024; i++)
		usleep(10000);
	EXPECT_GE(before + 4 * 1024, tables_kib());
	close(pipes[0]);
	close(pipes[1]);
}

TEST_HARNESS_MAIN
