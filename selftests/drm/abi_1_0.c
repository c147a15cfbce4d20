// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that was built when the interface was at version 1.0: abi_1_0/ has the headers as
 * they were then, which never change. It uses each ioctl, field and flag of that version, and
 * nothing of the other tests but their harness, so it passes on every later driver of major
 * version 1 or the driver broke programs.
 */
#include <fcntl.h>
#include <glob.h>
#include <sys/ioctl.h>
#include <time.h>

#include "abi_1_0/tessera_drm.h"
#include "harness.h"

#define PAGE 4096ull
#define CMD_VA 0x100000ull
#define DATA_VA 0x400000ull
#define HOLE_VA 0x10000000ull
#define DATA_BYTES (16 * PAGE)
#define ARRAY(p, n) { sizeof(*(p)), (n), (uintptr_t)(p) }

TEST(layout)
{
	EXPECT_EQ(16u, sizeof(struct drm_tessera_array));
	EXPECT_EQ(24u, sizeof(struct drm_tessera_query));
	EXPECT_EQ(72u, sizeof(struct drm_tessera_query_gpu));
	EXPECT_EQ(16u, sizeof(struct drm_tessera_query_slice));
	EXPECT_EQ(16u, sizeof(struct drm_tessera_query_memory));
	EXPECT_EQ(16u, sizeof(struct drm_tessera_sync));
	EXPECT_EQ(40u, sizeof(struct drm_tessera_vm_bind_op));
	EXPECT_EQ(24u, sizeof(struct drm_tessera_cmd));
	EXPECT_EQ(64u, sizeof(struct tess_pkt_dispatch));
	EXPECT_EQ(0xc0186440u, DRM_IOCTL_TESSERA_QUERY);
	EXPECT_EQ(0xc0186441u, DRM_IOCTL_TESSERA_BO_CREATE);
	EXPECT_EQ(0xc0106442u, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET);
	EXPECT_EQ(0xc0086443u, DRM_IOCTL_TESSERA_VM_CREATE);
	EXPECT_EQ(0xc0086444u, DRM_IOCTL_TESSERA_VM_DESTROY);
	EXPECT_EQ(0xc0406445u, DRM_IOCTL_TESSERA_VM_BIND);
	EXPECT_EQ(0xc0186446u, DRM_IOCTL_TESSERA_QUEUE_CREATE);
	EXPECT_EQ(0xc0086447u, DRM_IOCTL_TESSERA_QUEUE_DESTROY);
	EXPECT_EQ(0xc0306448u, DRM_IOCTL_TESSERA_QUEUE_STATE);
	EXPECT_EQ(0xc0406449u, DRM_IOCTL_TESSERA_SUBMIT);
}

static int request(int fd, unsigned long nr, void *arg)
{
	int rc;

	do {
		rc = ioctl(fd, nr, arg);
	} while (rc && errno == EINTR);
	return rc ? -errno : 0;
}

static bool is_tessera(int fd, int *major)
{
	char name[32] = "";
	struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };

	if (request(fd, DRM_IOCTL_VERSION, &version))
		return false;
	*major = version.version_major;
	return !strcmp(name, "tessera");
}

static int open_node(int *major)
{
	glob_t nodes;
	size_t i;
	int fd = -1;

	if (glob("/dev/dri/renderD*", 0, NULL, &nodes))
		return -1;
	for (i = 0; i < nodes.gl_pathc; i++) {
		fd = open(nodes.gl_pathv[i], O_RDWR | O_CLOEXEC);
		if (fd >= 0 && is_tessera(fd, major))
			break;
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	globfree(&nodes);
	return fd;
}

static int query(int fd, uint32_t type, uint32_t stride, void *data, uint32_t size)
{
	struct drm_tessera_query q = {
		.type = type,
		.size = size,
		.data = (uintptr_t)data,
		.stride = stride,
	};
	int rc = request(fd, DRM_IOCTL_TESSERA_QUERY, &q);

	return rc ? rc : (int)q.size;
}

/**
 * struct program - all that it has
 * @fd: render node
 * @vm: address space
 * @slice: that it uses
 * @queue: to @slice
 * @cmd: command buffer at CMD_VA
 * @sent: packets in it that were submitted
 * @count: packets behind them
 * @data: DATA_BYTES at DATA_VA
 * @data_bo: their handle
 * @done: syncobj of its jobs, a timeline
 * @point: last one
 */
struct program {
	int fd;
	uint32_t vm;
	uint32_t slice;
	uint32_t queue;
	uint8_t *cmd;
	uint32_t sent;
	uint32_t count;
	uint8_t *data;
	uint32_t data_bo;
	uint32_t done;
	uint64_t point;
};

static int bo(struct program *p, uint64_t size, uint32_t flags, uint32_t *handle, void **map)
{
	struct drm_tessera_bo_create create = {
		.size = size,
		.flags = flags,
		.near_slice = p->slice,
	};
	struct drm_tessera_bo_mmap_offset offset = {};
	int rc = request(p->fd, DRM_IOCTL_TESSERA_BO_CREATE, &create);

	if (rc)
		return rc;
	offset.handle = create.handle;
	rc = request(p->fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &offset);
	if (rc)
		return rc;
	*handle = create.handle;
	*map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, (off_t)offset.offset);
	return *map == MAP_FAILED ? -errno : 0;
}

static int bind(struct program *p, struct drm_tessera_vm_bind_op *ops, uint32_t count)
{
	struct drm_tessera_vm_bind args = { .vm = p->vm, .ops = ARRAY(ops, count) };
	int rc = request(p->fd, DRM_IOCTL_TESSERA_VM_BIND, &args);

	return rc ? rc : args.done == count ? 0 : -EPROTO;
}

static int new_queue(struct program *p, uint32_t priority)
{
	struct drm_tessera_queue_create create = {
		.vm = p->vm,
		.slices = 1ull << p->slice,
		.priority = priority,
	};
	int rc = request(p->fd, DRM_IOCTL_TESSERA_QUEUE_CREATE, &create);

	p->queue = create.id;
	return rc;
}

static int destroy_queue(struct program *p)
{
	struct drm_tessera_queue_destroy destroy = { .id = p->queue };

	return request(p->fd, DRM_IOCTL_TESSERA_QUEUE_DESTROY, &destroy);
}

static void fill(struct program *p, uint64_t va, uint64_t bytes, uint32_t pattern)
{
	struct tess_pkt_fill packet = {
		.header = DRM_TESSERA_PKT_FILL,
		.rows = 1,
		.dst = va,
		.row_bytes = bytes,
		.pattern = pattern,
	};

	memcpy(p->cmd + (size_t)(p->sent + p->count++) * DRM_TESSERA_PKT_SIZE, &packet,
	       sizeof(packet));
}

static int submit(struct program *p)
{
	struct drm_tessera_cmd cmd = {
		.va = CMD_VA + (uint64_t)p->sent * DRM_TESSERA_PKT_SIZE,
		.count = p->count,
	};
	/* What it waits for is over when it was the first one */
	struct drm_tessera_sync in = { .handle = p->done, .point = p->point };
	struct drm_tessera_sync out = { .handle = p->done, .point = p->point + 1 };
	struct drm_tessera_submit args = {
		.queue = p->queue,
		.cmds = ARRAY(&cmd, 1),
		.in_syncs = ARRAY(&in, p->point ? 1 : 0),
		.out_syncs = ARRAY(&out, 1),
	};
	int rc = request(p->fd, DRM_IOCTL_TESSERA_SUBMIT, &args);

	p->sent += p->count;
	p->count = 0;
	p->point += !rc;
	return rc;
}

static int wait_done(struct program *p)
{
	struct drm_syncobj_timeline_wait args = {
		.handles = (uintptr_t)&p->done,
		.points = (uintptr_t)&p->point,
		.count_handles = 1,
	};
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	args.timeout_nsec = (now.tv_sec + 20 * patience()) * 1000000000ll + now.tv_nsec;
	return request(p->fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

FIXTURE(abi)
{
	struct program p;
	int major;
};

FIXTURE_SETUP(abi)
{
	struct drm_tessera_vm_create vm = {};
	struct drm_syncobj_create sync = {};
	struct drm_tessera_query_gpu gpu;
	struct program *p = &self->p;
	uint32_t cmd_bo;

	p->fd = open_node(&self->major);
	ASSERT_LE(0, p->fd);
	ASSERT_LE((int)sizeof(gpu), query(p->fd, DRM_TESSERA_QUERY_GPU, 0, &gpu, sizeof(gpu)));
	ASSERT_NE(0u, gpu.slice_mask);
	p->slice = (uint32_t)__builtin_ctzll(gpu.slice_mask);
	ASSERT_EQ(0, request(p->fd, DRM_IOCTL_TESSERA_VM_CREATE, &vm));
	p->vm = vm.id;
	ASSERT_EQ(0, request(p->fd, DRM_IOCTL_SYNCOBJ_CREATE, &sync));
	p->done = sync.handle;
	ASSERT_EQ(0, bo(p, PAGE, 0, &cmd_bo, (void **)&p->cmd));
	ASSERT_EQ(0, bo(p, DATA_BYTES, 0, &p->data_bo, (void **)&p->data));
	struct drm_tessera_vm_bind_op ops[] = {
		{
			.op = DRM_TESSERA_BIND_MAP,
			.flags = DRM_TESSERA_BIND_READONLY | DRM_TESSERA_BIND_NOEXEC,
			.handle = cmd_bo,
			.va = CMD_VA,
			.size = PAGE,
		},
		{
			.op = DRM_TESSERA_BIND_MAP,
			.handle = p->data_bo,
			.va = DATA_VA,
			.size = DATA_BYTES,
		},
	};
	ASSERT_EQ(0, bind(p, ops, 2));
	ASSERT_EQ(0, new_queue(p, DRM_TESSERA_PRIORITY_NORMAL));
}

FIXTURE_TEARDOWN(abi)
{
	munmap(self->p.cmd, PAGE);
	munmap(self->p.data, DATA_BYTES);
	close(self->p.fd);
}

TEST_F(abi, version)
{
	EXPECT_EQ(1, self->major);
}

TEST_F(abi, queries)
{
	struct drm_tessera_query_slice slices[64];
	struct drm_tessera_query_memory memory;
	struct drm_tessera_query_gpu gpu;
	int fd = self->p.fd;

	/* Answers may have become longer */
	ASSERT_LE((int)sizeof(gpu), query(fd, DRM_TESSERA_QUERY_GPU, 0, &gpu, sizeof(gpu)));
	EXPECT_LE(1u, gpu.generation);
	EXPECT_EQ(1ull << 38, gpu.va_end);
	EXPECT_LE(gpu.bank_size, gpu.vram_size);
	EXPECT_LT(0u, gpu.clock_khz);
	EXPECT_EQ(0u, gpu.pad);
	ASSERT_LE(1u, gpu.slice_count);
	ASSERT_GE(64u, gpu.slice_count);
	/* An array has elements of the size that was asked for */
	ASSERT_EQ((int)(gpu.slice_count * sizeof(slices[0])),
		  query(fd, DRM_TESSERA_QUERY_SLICES, sizeof(slices[0]), slices, sizeof(slices)));
	EXPECT_TRUE(slices[self->p.slice].flags & DRM_TESSERA_SLICE_AVAILABLE);
	EXPECT_LT(0u, slices[self->p.slice].cores);
	ASSERT_LE((int)sizeof(memory),
		  query(fd, DRM_TESSERA_QUERY_MEMORY, 0, &memory, sizeof(memory)));
	EXPECT_EQ(gpu.vram_size, memory.vram_total);
	EXPECT_GE(memory.vram_total, memory.vram_free);
}

TEST_F(abi, computes)
{
	struct program *p = &self->p;
	uint32_t *data = (uint32_t *)p->data;
	unsigned int i;

	for (i = 1; i <= 20; i++) {
		fill(p, DATA_VA + 4 * i, 4, i);
		ASSERT_EQ(0, submit(p));
	}
	ASSERT_EQ(0, wait_done(p));
	for (i = 0; i <= 20; i++)
		EXPECT_EQ(i, data[i]);
	EXPECT_EQ(0, destroy_queue(p));
	EXPECT_EQ(-ENOENT, destroy_queue(p));
	ASSERT_EQ(0, new_queue(p, DRM_TESSERA_PRIORITY_LOW));
	fill(p, DATA_VA, PAGE, 0x10);
	ASSERT_EQ(0, submit(p));
	ASSERT_EQ(0, wait_done(p));
	EXPECT_EQ(0x10u, data[0]);
}

TEST_F(abi, video_memory)
{
	struct program *p = &self->p;
	uint32_t handle, *map;
	struct drm_gem_close gem = {};

	ASSERT_EQ(0, bo(p, 2 * PAGE, DRM_TESSERA_BO_VRAM, &handle, (void **)&map));
	struct drm_tessera_vm_bind_op op = {
		.op = DRM_TESSERA_BIND_MAP,
		.handle = handle,
		.offset = PAGE,
		.va = HOLE_VA,
		.size = PAGE,
	};
	ASSERT_EQ(0, bind(p, &op, 1));
	gem.handle = handle;
	EXPECT_EQ(0, request(p->fd, DRM_IOCTL_GEM_CLOSE, &gem));
	/* Mappings keep it */
	fill(p, HOLE_VA, PAGE, 0xcafe);
	ASSERT_EQ(0, submit(p));
	ASSERT_EQ(0, wait_done(p));
	EXPECT_EQ(0u, map[PAGE / 4 - 1]);
	EXPECT_EQ(0xcafeu, map[PAGE / 4]);
	munmap(map, 2 * PAGE);
}

TEST_F(abi, faults)
{
	struct program *p = &self->p;
	struct drm_tessera_queue_state state = { .id = p->queue };
	struct drm_tessera_vm_bind_op op = {
		.op = DRM_TESSERA_BIND_UNMAP,
		.va = DATA_VA + PAGE,
		.size = PAGE,
	};

	ASSERT_EQ(0, request(p->fd, DRM_IOCTL_TESSERA_QUEUE_STATE, &state));
	EXPECT_EQ(0u, state.flags);
	ASSERT_EQ(0, bind(p, &op, 1));
	fill(p, DATA_VA, 4, 1);
	fill(p, DATA_VA + PAGE, 4, 2);
	ASSERT_EQ(0, submit(p));
	ASSERT_EQ(0, wait_done(p));
	ASSERT_EQ(0, request(p->fd, DRM_IOCTL_TESSERA_QUEUE_STATE, &state));
	EXPECT_TRUE(state.flags & DRM_TESSERA_QUEUE_FAULTED);
	EXPECT_EQ(DRM_TESSERA_CAUSE_STORE_PAGE, state.cause);
	EXPECT_EQ(DATA_VA + PAGE, state.addr);
	EXPECT_EQ(1u, state.packet);
	EXPECT_EQ(0u, state.cmd);
	EXPECT_EQ(p->slice, state.slice);
	EXPECT_EQ(0u, state.pad);
	fill(p, DATA_VA, 4, 3);
	EXPECT_EQ(-EIO, submit(p));
	EXPECT_EQ(0, destroy_queue(p));
	ASSERT_EQ(0, new_queue(p, 0));
	fill(p, DATA_VA, 4, 4);
	ASSERT_EQ(0, submit(p));
	ASSERT_EQ(0, wait_done(p));
	EXPECT_EQ(4u, *(uint32_t *)p->data);
}

TEST_F(abi, errors)
{
	struct drm_tessera_vm_destroy destroy = { .id = self->p.vm };
	struct drm_tessera_vm_bind_op op = { .op = DRM_TESSERA_BIND_MAP, .size = PAGE };
	struct drm_tessera_bo_create none = {};
	struct program *p = &self->p;

	EXPECT_EQ(-EINVAL, request(p->fd, DRM_IOCTL_TESSERA_BO_CREATE, &none));
	EXPECT_EQ(-ENOENT, bind(p, &op, 1));
	op = (struct drm_tessera_vm_bind_op){ .op = DRM_TESSERA_BIND_UNMAP, .size = 1 };
	EXPECT_EQ(-EINVAL, bind(p, &op, 1));
	EXPECT_EQ(-EINVAL, submit(p));
	EXPECT_EQ(0, request(p->fd, DRM_IOCTL_TESSERA_VM_DESTROY, &destroy));
	EXPECT_EQ(-ENOENT, request(p->fd, DRM_IOCTL_TESSERA_VM_DESTROY, &destroy));
	/* The queue keeps what it needs */
	fill(p, DATA_VA, 4, 9);
	ASSERT_EQ(0, submit(p));
	ASSERT_EQ(0, wait_done(p));
	EXPECT_EQ(9u, *(uint32_t *)p->data);
}

TEST_HARNESS_MAIN
