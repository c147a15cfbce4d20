// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults and hangs: what the queue says, what its other jobs and other queues see */
#include <fcntl.h>

#include "harness.h"
#include "tess_ctx.h"
#include "tess_feed.h"

#define HANG_MS_PATH "/sys/module/tessera_drm/parameters/hang_ms"

FIXTURE(fault)
{
	struct tess_ctx ctx;
};

FIXTURE_SETUP(fault)
{
	tess_ctx_open(&self->ctx);
}

FIXTURE_TEARDOWN(fault)
{
	tess_ctx_close(&self->ctx);
}

/* The command buffer faults at @packet with @cause; gives the whole record */
static void expect_fault(struct __test_metadata *_metadata, struct tess_ctx *ctx, uint32_t cause,
			 uint32_t packet, struct drm_tessera_queue_state *state)
{
	uint8_t type = ctx->cmd[packet * DRM_TESSERA_PKT_SIZE];

	ASSERT_EQ(-EFAULT, tess_ctx_run(ctx));
	ASSERT_EQ(0, __tess_queue_state(ctx->fd, ctx->queue, state));
	EXPECT_EQ(DRM_TESSERA_QUEUE_FAULTED, state->flags);
	EXPECT_EQ(cause, state->cause);
	EXPECT_EQ(packet, state->packet);
	EXPECT_EQ(type, state->info & 0xff);
	EXPECT_NE(0u, state->info & 0x100);
	EXPECT_EQ(-EIO, __tess_ctx_submit(ctx));

	/* A new queue works on the same slice and VM. */
	tess_ctx_new_queue(ctx);
	tess_begin(ctx);
	tess_fill(ctx, TESS_DATA_VA + 0x1000, 4, 0x600d);
	EXPECT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(0x600du, *(uint32_t *)(ctx->data + 0x1000));
	EXPECT_EQ(0u, tess_queue_flags(ctx->fd, ctx->queue));
}

TEST_F(fault, unknown_packet)
{
	struct drm_tessera_queue_state state;

	tess_nop(&self->ctx);
	tess_packet(&self->ctx, 0x7f);
	expect_fault(_metadata, &self->ctx, DRM_TESSERA_CAUSE_ILLEGAL_PACKET, 1, &state);
	EXPECT_EQ(TESS_CMD_VA + DRM_TESSERA_PKT_SIZE, state.addr);
}

TEST_F(fault, says_which_submit)
{
	struct drm_tessera_queue_state state;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		tess_begin(&self->ctx);
		tess_nop(&self->ctx);
		ASSERT_EQ(0, tess_ctx_run(&self->ctx));
	}
	ASSERT_EQ(0, __tess_queue_state(self->ctx.fd, self->ctx.queue, &state));
	EXPECT_EQ(0u, state.submit);
	tess_begin(&self->ctx);
	tess_packet(&self->ctx, 0x7f);
	expect_fault(_metadata, &self->ctx, DRM_TESSERA_CAUSE_ILLEGAL_PACKET, 0, &state);
	EXPECT_EQ(4u, state.submit);
	/* A new queue counts anew */
	tess_begin(&self->ctx);
	tess_packet(&self->ctx, 0x7f);
	expect_fault(_metadata, &self->ctx, DRM_TESSERA_CAUSE_ILLEGAL_PACKET, 0, &state);
	EXPECT_EQ(2u, state.submit);
}

TEST_F(fault, reserved_field)
{
	struct drm_tessera_queue_state state;
	struct tess_pkt_signal *packet;

	tess_signal(&self->ctx, TESS_DATA_VA, DRM_TESSERA_SIGNAL_SET, 1);
	packet = (struct tess_pkt_signal *)self->ctx.cmd;
	packet->reserved1[4] = 1;
	expect_fault(_metadata, &self->ctx, DRM_TESSERA_CAUSE_ILLEGAL_PACKET, 0, &state);
	EXPECT_EQ(0u, *(uint64_t *)self->ctx.data);
}

TEST_F(fault, privileged_packets)
{
	static const uint16_t types[] = { DRM_TESSERA_PKT_SET_VM, DRM_TESSERA_PKT_INDIRECT,
					  DRM_TESSERA_PKT_FENCE };
	struct drm_tessera_queue_state state;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		tess_begin(&self->ctx);
		tess_packet(&self->ctx, types[i]);
		expect_fault(_metadata, &self->ctx, DRM_TESSERA_CAUSE_PRIVILEGED_PACKET, 0, &state);
	}
}

TEST_F(fault, engine_that_is_not_there)
{
	struct drm_tessera_queue_state state;
	struct drm_tessera_query_gpu gpu;
	struct tess_pkt_draw *draw;

	tess_query_gpu(self->ctx.fd, &gpu);
	if (gpu.caps & 8)
		SKIP(return, "this GPU draws");
	draw = tess_packet(&self->ctx, DRM_TESSERA_PKT_DRAW);
	draw->count = 3;
	draw->state = TESS_DATA_VA;
	draw->vertices = TESS_DATA_VA;
	expect_fault(_metadata, &self->ctx, DRM_TESSERA_CAUSE_ENGINE_DISABLED, 0, &state);
}

TEST_F(fault, fill_without_memory)
{
	struct drm_tessera_queue_state state;

	tess_fill(&self->ctx, TESS_FREE_VA + 0x128, 4, 1);
	expect_fault(_metadata, &self->ctx, DRM_TESSERA_CAUSE_STORE_PAGE, 0, &state);
	EXPECT_EQ(TESS_FREE_VA + 0x128, state.addr);
	EXPECT_EQ(0u, state.info & 0x200);
	EXPECT_EQ(2u, state.info >> 10 & 3);
}

TEST_F(fault, copy_without_memory)
{
	struct drm_tessera_queue_state state;

	tess_copy(&self->ctx, TESS_DATA_VA, TESS_FREE_VA, 64);
	expect_fault(_metadata, &self->ctx, DRM_TESSERA_CAUSE_LOAD_PAGE, 0, &state);
	EXPECT_EQ(TESS_FREE_VA, state.addr);
	EXPECT_EQ(1u, state.info >> 10 & 3);
}

TEST_F(fault, address_beyond_the_space)
{
	struct drm_tessera_queue_state state;

	tess_fill(&self->ctx, 1ull << 38, 4, 1);
	expect_fault(_metadata, &self->ctx, DRM_TESSERA_CAUSE_STORE_PAGE, 0, &state);
	tess_begin(&self->ctx);
	tess_fill(&self->ctx, ~0xfffull, 4, 1);
	expect_fault(_metadata, &self->ctx, DRM_TESSERA_CAUSE_STORE_PAGE, 0, &state);
}

TEST_F(fault, commands_without_memory)
{
	struct tess_ctx *ctx = &self->ctx;
	struct drm_tessera_sync out = { .handle = ctx->done };
	struct drm_tessera_queue_state state;

	ASSERT_EQ(0, __tess_submit_at(ctx, TESS_FREE_VA, 1, NULL, 0, &out, 1));
	EXPECT_EQ(-EFAULT, tess_ctx_wait(ctx));
	ASSERT_EQ(0, __tess_queue_state(ctx->fd, ctx->queue, &state));
	EXPECT_EQ(DRM_TESSERA_QUEUE_FAULTED, state.flags);
	EXPECT_EQ(DRM_TESSERA_CAUSE_LOAD_PAGE, state.cause);
	EXPECT_EQ(TESS_FREE_VA, state.addr);
}

TEST_F(fault, kernels)
{
	static const struct {
		enum tess_kernel kernel;
		uint64_t arg;
		uint32_t cause;
		uint32_t insn; /* offset of the instruction that faults */
		bool addr; /* the argument is the address that faults */
	} cases[] = {
		{ TESS_K_LOAD, TESS_FREE_VA + 8, DRM_TESSERA_CAUSE_LOAD_PAGE, 4, true },
		{ TESS_K_STORE, TESS_FREE_VA + 12, DRM_TESSERA_CAUSE_STORE_PAGE, 4, true },
		{ TESS_K_ADD, TESS_FREE_VA, DRM_TESSERA_CAUSE_STORE_PAGE, 8, true },
		{ TESS_K_ADD, TESS_DATA_VA + 4, DRM_TESSERA_CAUSE_STORE_MISALIGNED, 8, true },
		{ TESS_K_LR, TESS_DATA_VA + 4, DRM_TESSERA_CAUSE_LOAD_MISALIGNED, 4, true },
		{ TESS_K_ILLEGAL, 0, DRM_TESSERA_CAUSE_ILLEGAL_INSN, 0, false },
		{ TESS_K_BREAK, 0, DRM_TESSERA_CAUSE_BREAKPOINT, 0, false },
		{ TESS_K_ECALL, 0, DRM_TESSERA_CAUSE_ECALL, 0, false },
	};
	struct drm_tessera_queue_state state;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		TH_LOG("kernel %u", cases[i].kernel);
		tess_begin(&self->ctx);
		tess_nop(&self->ctx);
		tess_dispatch(&self->ctx, cases[i].kernel, 4, 32, cases[i].arg, 0);
		expect_fault(_metadata, &self->ctx, cases[i].cause, 1, &state);
		EXPECT_NE(0u, state.info & 0x200);
		EXPECT_EQ(TESS_CODE_VA + cases[i].kernel * TESS_K_BYTES + cases[i].insn, state.pc);
		if (cases[i].addr)
			EXPECT_EQ(cases[i].arg, state.addr);
	}
}

TEST_F(fault, jump_into_nowhere)
{
	struct drm_tessera_queue_state state;

	tess_dispatch(&self->ctx, TESS_K_JUMP, 1, 1, TESS_FREE_VA, 0);
	expect_fault(_metadata, &self->ctx, DRM_TESSERA_CAUSE_FETCH_PAGE, 0, &state);
	EXPECT_EQ(TESS_FREE_VA, state.addr);
	EXPECT_EQ(TESS_FREE_VA, state.pc);
	EXPECT_EQ(0u, state.info >> 10 & 3);
}

TEST_F(fault, dispatch_with_nonsense)
{
	struct drm_tessera_queue_state state;
	struct tess_pkt_dispatch *dispatch;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		TH_LOG("nonsense %u", i);
		tess_begin(&self->ctx);
		tess_dispatch(&self->ctx, TESS_K_IDS, 1, 8, TESS_DATA_VA, 0);
		dispatch = (struct tess_pkt_dispatch *)self->ctx.cmd;
		switch (i) {
		case 0:
			dispatch->wg_size[0] = 257;
			break;
		case 1:
			dispatch->wg_size[0] = 0;
			break;
		case 2:
			dispatch->setup = 4;
			break;
		case 3:
			dispatch->group_segment_size = 65537;
			break;
		case 4:
			dispatch->private_segment_size = 8;
			break;
		case 5:
			dispatch->reserved0 = 1;
			break;
		}
		expect_fault(_metadata, &self->ctx, DRM_TESSERA_CAUSE_ILLEGAL_PACKET, 0, &state);
	}
}

TEST_F(fault, use_after_unmap)
{
	struct drm_tessera_queue_state state;
	struct tess_ctx *ctx = &self->ctx;

	tess_fill(ctx, TESS_DATA_VA, 64, 1);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	tess_vm_unmap(ctx->fd, ctx->vm, TESS_DATA_VA, TESS_PAGE);
	tess_begin(ctx);
	tess_fill(ctx, TESS_DATA_VA, 64, 2);
	expect_fault(_metadata, ctx, DRM_TESSERA_CAUSE_STORE_PAGE, 0, &state);
	EXPECT_EQ(1u, *(uint32_t *)ctx->data);
}

TEST_F(fault, unmap_while_running)
{
	struct drm_tessera_queue_state state;
	struct tess_ctx *ctx = &self->ctx;

	/* The loop itself goes: the next fetch faults. */
	tess_dispatch(ctx, TESS_K_LOOP, 1, 1, 0, 0);
	tess_ctx_submit(ctx);
	EXPECT_EQ(-ETIME, __tess_syncobj_wait(ctx->fd, ctx->done, 0, 200));
	tess_vm_unmap(ctx->fd, ctx->vm, TESS_CODE_VA, TESS_PAGE);
	EXPECT_EQ(-EFAULT, tess_ctx_wait(ctx));
	ASSERT_EQ(0, __tess_queue_state(ctx->fd, ctx->queue, &state));
	EXPECT_EQ(DRM_TESSERA_CAUSE_FETCH_PAGE, state.cause);
}

/* Jobs of two queues of one slice on the ring behind one that is going to fail */
static void others_after_failure(struct __test_metadata *_metadata, struct tess_ctx *ctx, int error)
{
	struct drm_tessera_queue_state state;
	struct drm_tessera_sync out[4] = {};
	struct tess_ctx other;
	unsigned int i;

	tess_ctx_open_on(&other, ctx->fd, ctx->slice);
	for (i = 0; i < 4; i++)
		out[i].handle = tess_syncobj_create(ctx->fd);
	ASSERT_EQ(0, __tess_submit(ctx, NULL, 0, &out[0], 1));
	/* Its successors, from another place in the command buffer */
	for (i = 1; i < 3; i++) {
		ctx->count = 64;
		tess_fill(ctx, TESS_DATA_VA + TESS_PAGE, 4, 0xbad);
		ASSERT_EQ(0, __tess_submit_at(ctx, TESS_CMD_VA + 64 * DRM_TESSERA_PKT_SIZE, 1, NULL,
					      0, &out[i], 1));
	}
	tess_fill(&other, TESS_DATA_VA, 4, 0x600d);
	ASSERT_EQ(0, __tess_submit(&other, NULL, 0, &out[3], 1));
	usleep(100000);
	*(volatile uint64_t *)ctx->data = 1;

	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, __tess_syncobj_wait(ctx->fd, out[i].handle, 0, TESS_WAIT_MS));
	EXPECT_EQ(error, tess_syncobj_status(ctx->fd, out[0].handle));
	EXPECT_EQ(-ECANCELED, tess_syncobj_status(ctx->fd, out[1].handle));
	EXPECT_EQ(-ECANCELED, tess_syncobj_status(ctx->fd, out[2].handle));
	EXPECT_EQ(0, tess_syncobj_status(ctx->fd, out[3].handle));
	EXPECT_EQ(0u, *(uint32_t *)(ctx->data + TESS_PAGE));
	EXPECT_EQ(0x600du, *(uint32_t *)other.data);
	EXPECT_EQ(0u, tess_queue_flags(other.fd, other.queue));
	ASSERT_EQ(0, __tess_queue_state(ctx->fd, ctx->queue, &state));
	EXPECT_EQ(1u, state.submit);
	tess_ctx_close(&other);
}

TEST_F(fault, successors_are_cancelled_others_run)
{
	tess_wait(&self->ctx, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
	tess_packet(&self->ctx, 0x7f);
	others_after_failure(_metadata, &self->ctx, -EFAULT);
}

/* As a driver asks that has to tell its program whether it lost its context, and by whose fault */
static struct drm_tessera_query_vm vm_status(int fd, uint32_t vm)
{
	struct drm_tessera_query_vm status = {};
	struct drm_tessera_query query = {
		.type = DRM_TESSERA_QUERY_VM,
		.size = sizeof(status),
		.data = (uintptr_t)&status,
		.arg = vm,
	};
	int rc = tess_ioctl(fd, DRM_IOCTL_TESSERA_QUERY, &query);

	if (rc)
		tess_die("status of a VM: %s", strerror(-rc));
	return status;
}

TEST_F(fault, status_of_vms)
{
	struct tess_ctx *ctx = &self->ctx, same, other;
	struct drm_tessera_query query = { .type = DRM_TESSERA_QUERY_VM, .arg = 63 };

	tess_ctx_open_on(&same, ctx->fd, ctx->slice);
	tess_ctx_open(&other);
	tess_packet(ctx, 0x7f);
	EXPECT_EQ(-EFAULT, tess_ctx_run(ctx));
	tess_fill(&same, TESS_DATA_VA, 4, 1);
	EXPECT_EQ(0, tess_ctx_run(&same));
	EXPECT_EQ(1u, vm_status(ctx->fd, ctx->vm).faulted);
	EXPECT_EQ(0u, vm_status(ctx->fd, ctx->vm).lost);
	EXPECT_EQ(DRM_TESSERA_VM_GUILTY, vm_status(ctx->fd, ctx->vm).flags);
	EXPECT_EQ(0u, vm_status(ctx->fd, same.vm).flags);
	EXPECT_EQ(0u, vm_status(other.fd, other.vm).flags);
	/* It outlives the queue */
	tess_ctx_new_queue(ctx);
	EXPECT_EQ(DRM_TESSERA_VM_GUILTY, vm_status(ctx->fd, ctx->vm).flags);
	EXPECT_EQ(-ENOENT, tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_QUERY, &query));
	query.arg = 0;
	EXPECT_EQ(-ENOENT, tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_QUERY, &query));
	tess_ctx_close(&other);
	tess_ctx_close(&same);
}

#define BAN_HANGS_PATH "/sys/module/tessera_drm/parameters/ban_hangs"

static void parameter_read(struct __test_metadata *_metadata, const char *path, char value[16])
{
	int fd = open(path, O_RDONLY);
	ssize_t n;

	ASSERT_LE(0, fd);
	n = read(fd, value, 15);
	ASSERT_LT(0, n);
	value[n] = '\0';
	close(fd);
}

static void parameter_write(struct __test_metadata *_metadata, const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);

	ASSERT_LE(0, fd);
	ASSERT_EQ((ssize_t)strlen(value), write(fd, value, strlen(value)));
	close(fd);
}

/* Its own process may end at an ASSERT, hence the fixture: the parameters come back */
FIXTURE(hang)
{
	struct tess_ctx ctx;
	char hang_ms[16];
	char ban_hangs[16];
};

FIXTURE_SETUP(hang)
{
	int fd = tess_open();
	bool turns = tess_takes_turns(fd);

	close(fd);
	if (turns)
		SKIP(return,
			   "no job is too long where jobs take turns: drm/turns, sched/processes");
	parameter_read(_metadata, HANG_MS_PATH, self->hang_ms);
	parameter_read(_metadata, BAN_HANGS_PATH, self->ban_hangs);
	parameter_write(_metadata, HANG_MS_PATH, "300");
	tess_ctx_open(&self->ctx);
}

FIXTURE_TEARDOWN(hang)
{
	tess_ctx_close(&self->ctx);
	parameter_write(_metadata, HANG_MS_PATH, self->hang_ms);
	parameter_write(_metadata, BAN_HANGS_PATH, self->ban_hangs);
}

TEST_F(hang, endless_kernel)
{
	struct drm_tessera_queue_state state;

	tess_nop(&self->ctx);
	ASSERT_EQ(0, tess_ctx_run(&self->ctx));
	tess_begin(&self->ctx);
	tess_dispatch(&self->ctx, TESS_K_LOOP, 1, 1, 0, 0);
	EXPECT_EQ(-ETIME, tess_ctx_run(&self->ctx));
	EXPECT_EQ(DRM_TESSERA_QUEUE_HUNG, tess_queue_flags(self->ctx.fd, self->ctx.queue));
	ASSERT_EQ(0, __tess_queue_state(self->ctx.fd, self->ctx.queue, &state));
	EXPECT_EQ(2u, state.submit);
	EXPECT_EQ(1u, vm_status(self->ctx.fd, self->ctx.vm).hung);
	EXPECT_EQ(DRM_TESSERA_VM_GUILTY, vm_status(self->ctx.fd, self->ctx.vm).flags);
	EXPECT_EQ(-EIO, __tess_ctx_submit(&self->ctx));
	tess_ctx_new_queue(&self->ctx);
	tess_begin(&self->ctx);
	tess_fill(&self->ctx, TESS_DATA_VA, 4, 3);
	EXPECT_EQ(0, tess_ctx_run(&self->ctx));
	EXPECT_EQ(3u, *(uint32_t *)self->ctx.data);
}

TEST_F(hang, wait_that_never_ends)
{
	tess_wait(&self->ctx, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
	EXPECT_EQ(-ETIME, tess_ctx_run(&self->ctx));
	EXPECT_EQ(DRM_TESSERA_QUEUE_HUNG, tess_queue_flags(self->ctx.fd, self->ctx.queue));
}

TEST_F(hang, successors_are_cancelled_others_run)
{
	tess_dispatch(&self->ctx, TESS_K_LOOP, 1, 1, 0, 0);
	others_after_failure(_metadata, &self->ctx, -ETIME);
}

TEST_F(hang, again_and_again_is_banned)
{
	struct tess_ctx *ctx = &self->ctx;
	struct tess_ctx bystander, same;
	int i, rc[2], created;
	uint32_t id;

	tess_ctx_open(&bystander);
	tess_ctx_open_on(&same, ctx->fd, ctx->slice);
	parameter_write(_metadata, HANG_MS_PATH, "60");
	parameter_write(_metadata, BAN_HANGS_PATH, "2");
	for (i = 0; i < 2; i++) {
		if (i)
			tess_ctx_new_queue(ctx);
		tess_begin(ctx);
		tess_dispatch(ctx, TESS_K_LOOP, 1, 1, 0, 0);
		rc[i] = tess_ctx_run(ctx);
	}
	created = __tess_queue_create(ctx->fd, ctx->vm, ctx->slice, 0, &id);
	tess_fill(&same, TESS_DATA_VA, 4, 1);
	EXPECT_EQ(-EIO, __tess_ctx_submit(&same));
	EXPECT_EQ(DRM_TESSERA_QUEUE_BANNED, tess_queue_flags(same.fd, same.queue));
	EXPECT_EQ(DRM_TESSERA_QUEUE_BANNED | DRM_TESSERA_QUEUE_HUNG,
		  tess_queue_flags(ctx->fd, ctx->queue));
	/* Neither others nor what the process opens next */
	tess_fill(&bystander, TESS_DATA_VA, 4, 1);
	EXPECT_EQ(0, tess_ctx_run(&bystander));
	tess_ctx_close(&bystander);
	tess_ctx_open(&bystander);
	tess_fill(&bystander, TESS_DATA_VA, 4, 1);
	EXPECT_EQ(0, tess_ctx_run(&bystander));
	tess_ctx_close(&bystander);
	tess_ctx_close(&same);
	EXPECT_EQ(-ETIME, rc[0]);
	EXPECT_EQ(-ETIME, rc[1]);
	EXPECT_EQ(-EACCES, created);
}

TEST_F(hang, many_short_jobs_are_none)
{
	uint64_t *data = (uint64_t *)self->ctx.data;
	unsigned int i;

	/* More GPU time in all than one job may take */
	tess_dispatch(&self->ctx, TESS_K_DELAY, 1, 1, TESS_DATA_VA, 100000);
	for (i = 0; i < 40; i++)
		tess_ctx_submit(&self->ctx);
	EXPECT_EQ(0, tess_ctx_wait(&self->ctx));
	EXPECT_EQ(40u, data[0]);
}

TEST_HARNESS_MAIN
