// SPDX-License-Identifier: GPL-2.0-or-later
/* VRAM that is full: who is evicted, what is in it afterwards, and how it comes back */
#include <fcntl.h>
#include <sys/mman.h>

#include "harness.h"
#include "tess_ctx.h"

#define BO_VA 0x100000000ull
/* Between the looks of a VM for room: a second, and something */
#define RETURN_US 1200000

FIXTURE(evict)
{
	struct tess_ctx ctx;
	uint64_t vram;
};

FIXTURE_SETUP(evict)
{
	struct drm_tessera_query_gpu gpu;

	tess_ctx_open(&self->ctx);
	tess_query_gpu(self->ctx.fd, &gpu);
	self->vram = gpu.vram_size;
}

FIXTURE_TEARDOWN(evict)
{
	tess_ctx_close(&self->ctx);
}

static struct drm_tessera_query_memory memory_of(int fd)
{
	struct drm_tessera_query_memory memory = {};

	__tess_query(fd, DRM_TESSERA_QUERY_MEMORY, &memory, sizeof(memory));
	return memory;
}

/* Another file takes all VRAM that is free and @more of it: the file */
static int take_vram(uint64_t more)
{
	int fd = tess_open();
	uint64_t left = tess_vram_free(fd) / TESS_2M * TESS_2M + more;
	uint32_t handle;

	while (left) {
		uint64_t size = left < 16 * TESS_2M ? left : 16 * TESS_2M;
		int rc = __tess_bo_create(fd, size, DRM_TESSERA_BO_VRAM, &handle);

		if (rc)
			tess_die("no VRAM for another file: %s", strerror(-rc));
		left -= size;
	}
	return fd;
}

/* The same with buffers that stay there, whoever wants their place */
static int keep_vram(uint64_t more)
{
	struct drm_tessera_bo_create args = {
		.size = TESS_2M,
		.flags = DRM_TESSERA_BO_VRAM | DRM_TESSERA_BO_CONTIGUOUS,
		.near_slice = ~0u,
	};
	int fd = tess_open(), rc = 0;
	uint64_t left = tess_vram_free(fd) / TESS_2M * TESS_2M + more;

	for (; !rc && left; left -= TESS_2M)
		rc = tess_ioctl(fd, DRM_IOCTL_TESSERA_BO_CREATE, &args);
	if (rc)
		tess_die("no contiguous VRAM for another file: %s", strerror(-rc));
	return fd;
}

static uint32_t value_at(uint32_t seed, uint64_t offset)
{
	return (seed << 24) ^ (uint32_t)(offset / 64 * 2654435761u);
}

/* One word of each page, or of each cache line of a few */
static void write_pattern(uint8_t *p, uint64_t size, uint32_t seed)
{
	uint64_t i;

	for (i = 0; i < size; i += i % TESS_2M < 4 * TESS_PAGE ? 64 : TESS_PAGE)
		*(volatile uint32_t *)(p + i) = value_at(seed, i);
}

static uint64_t count_wrong(const uint8_t *p, uint64_t size, uint32_t seed)
{
	uint64_t i, wrong = 0;

	for (i = 0; i < size; i += i % TESS_2M < 4 * TESS_PAGE ? 64 : TESS_PAGE)
		wrong += *(const volatile uint32_t *)(p + i) != value_at(seed, i);
	return wrong;
}

/* Another file has a buffer of 2 MiB in VRAM that it never used in a job */
struct other {
	int fd;
	uint32_t handle;
	uint8_t *p;
};

static struct other other_open(uint32_t seed)
{
	struct other other = { .fd = tess_open() };

	other.handle = tess_bo_create(other.fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	other.p = tess_bo_mmap(other.fd, other.handle, TESS_2M);
	write_pattern(other.p, TESS_2M, seed);
	return other;
}

static void other_close(struct other *other)
{
	munmap(other->p, TESS_2M);
	close(other->fd);
}

/* The first that goes is the one that was used least recently, by the CPU or by a job */
TEST_F(evict, least_recently_used_first)
{
	struct tess_ctx *ctx = &self->ctx;
	struct other a = other_open(1), b = other_open(2), c = other_open(3);
	uint32_t handle = tess_bo_create(ctx->fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	int full, one, two;

	tess_vm_map(ctx->fd, ctx->vm, handle, 0, BO_VA, TESS_2M);
	/* a is looked at again, and so is ours, which is in a VM that runs a job */
	munmap(a.p, TESS_2M);
	a.p = tess_bo_mmap(a.fd, a.handle, TESS_2M);
	EXPECT_EQ(0u, count_wrong(a.p, TESS_2M, 1));
	full = take_vram(0);
	tess_fill(ctx, BO_VA, TESS_2M, 0x77);
	ASSERT_EQ(0, tess_ctx_run(ctx));

	one = take_vram(TESS_2M);
	EXPECT_EQ(TESS_2M, memory_of(b.fd).vram_evicted);
	EXPECT_EQ(0u, memory_of(b.fd).vram_used);
	EXPECT_EQ(TESS_2M, memory_of(b.fd).system_used);
	EXPECT_EQ(0u, memory_of(a.fd).vram_evicted);
	EXPECT_EQ(0u, memory_of(c.fd).vram_evicted);
	two = take_vram(2 * TESS_2M);
	EXPECT_EQ(TESS_2M, memory_of(c.fd).vram_evicted);
	EXPECT_EQ(TESS_2M, memory_of(a.fd).vram_evicted);
	EXPECT_EQ(0u, memory_of(ctx->fd).vram_evicted);
	EXPECT_EQ(0u, count_wrong(a.p, TESS_2M, 1));
	EXPECT_EQ(0u, count_wrong(b.p, TESS_2M, 2));
	EXPECT_EQ(0u, count_wrong(c.p, TESS_2M, 3));
	close(full);
	close(one);
	close(two);
	other_close(&a);
	other_close(&b);
	other_close(&c);
}

/* CPU and GPU read and write a buffer wherever it is, and it comes back when there is room */
TEST_F(evict, there_and_back)
{
	struct tess_ctx *ctx = &self->ctx;
	uint64_t size = 3 * TESS_2M + 5 * TESS_PAGE;
	uint32_t handle = tess_bo_create(ctx->fd, size, DRM_TESSERA_BO_VRAM);
	uint8_t *p = tess_bo_mmap(ctx->fd, handle, size);
	int other, rest;

	write_pattern(p, size, 9);
	tess_vm_map(ctx->fd, ctx->vm, handle, 0, BO_VA, size);
	tess_fill(ctx, BO_VA + 2 * TESS_PAGE + 4, 4, 0xabc);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	other = keep_vram(2 * TESS_2M);
	EXPECT_EQ(size, memory_of(ctx->fd).vram_evicted);
	rest = keep_vram(0);

	EXPECT_EQ(0u, count_wrong(p, size, 9));
	EXPECT_EQ(0xabcu, *(uint32_t *)(p + 2 * TESS_PAGE + 4));
	*(volatile uint32_t *)(p + size - 8) = 0x1234;
	tess_begin(ctx);
	tess_copy(ctx, TESS_DATA_VA, BO_VA + size - 8, 4);
	tess_fill(ctx, BO_VA + size - 16, 4, 0x5678);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(0x1234u, *(uint32_t *)ctx->data);
	EXPECT_EQ(0x5678u, *(volatile uint32_t *)(p + size - 16));
	EXPECT_EQ(size, memory_of(ctx->fd).vram_evicted);

	close(other);
	close(rest);
	usleep(RETURN_US);
	tess_begin(ctx);
	tess_copy(ctx, TESS_DATA_VA + 64, BO_VA + size - 16, 4);
	tess_fill(ctx, BO_VA + size - 24, 4, 0x9abc);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(0x5678u, *(uint32_t *)(ctx->data + 64));
	EXPECT_EQ(0u, memory_of(ctx->fd).vram_evicted);
	EXPECT_EQ(size, memory_of(ctx->fd).vram_used);
	EXPECT_EQ(0x9abcu, *(volatile uint32_t *)(p + size - 24));
	EXPECT_EQ(0u, count_wrong(p, size, 9));
	munmap(p, size);
}

/* Others that did not use theirs for a second make room for who works */
TEST_F(evict, comes_back_to_the_place_of_idle_buffers)
{
	struct tess_ctx *ctx = &self->ctx;
	uint32_t handle = tess_bo_create(ctx->fd, 2 * TESS_2M, DRM_TESSERA_BO_VRAM);
	int other;

	tess_vm_map(ctx->fd, ctx->vm, handle, 0, BO_VA, 2 * TESS_2M);
	tess_fill(ctx, BO_VA, 2 * TESS_2M, 0xeeee);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	other = take_vram(2 * TESS_2M);
	EXPECT_EQ(2 * TESS_2M, memory_of(ctx->fd).vram_evicted);
	usleep(RETURN_US);
	tess_begin(ctx);
	tess_copy(ctx, TESS_DATA_VA, BO_VA + 2 * TESS_2M - 4, 4);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(0u, memory_of(ctx->fd).vram_evicted);
	EXPECT_LT(0u, memory_of(other).vram_evicted);
	EXPECT_EQ(0xeeeeu, *(uint32_t *)ctx->data);
	close(other);
}

/* A buffer that a job may use stays where it is, and the job is not disturbed */
TEST_F(evict, in_use)
{
	struct tess_ctx *ctx = &self->ctx;
	uint32_t handle = tess_bo_create(ctx->fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	uint8_t *p = tess_bo_mmap(ctx->fd, handle, TESS_2M);
	int other;

	tess_vm_map(ctx->fd, ctx->vm, handle, 0, BO_VA, TESS_2M);
	tess_wait(ctx, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
	tess_fill(ctx, BO_VA, TESS_2M, 0x1001);
	tess_ctx_submit(ctx);
	other = take_vram(TESS_2M);
	EXPECT_EQ(0u, memory_of(ctx->fd).vram_evicted);
	/* Something of the other one had to go, or was never in VRAM */
	EXPECT_LE(TESS_2M, memory_of(other).vram_evicted);
	*(volatile uint64_t *)ctx->data = 1;
	EXPECT_EQ(0, tess_ctx_wait(ctx));
	EXPECT_EQ(0x1001u, *(uint32_t *)(p + TESS_2M - 4));
	close(other);
	munmap(p, TESS_2M);
}

/* What was bound while a job runs belongs to that job, too */
TEST_F(evict, bound_under_a_job)
{
	uint32_t loop = tess_bo_create(self->ctx.fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	struct tess_ctx *ctx = &self->ctx;
	int other;

	tess_wait(ctx, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
	tess_fill(ctx, BO_VA, TESS_2M, 7);
	tess_ctx_submit(ctx);
	tess_vm_map(ctx->fd, ctx->vm, loop, 0, BO_VA, TESS_2M);
	other = take_vram(TESS_2M);
	EXPECT_EQ(0u, memory_of(ctx->fd).vram_evicted);
	*(volatile uint64_t *)ctx->data = 1;
	EXPECT_EQ(0, tess_ctx_wait(ctx));
	close(other);
}

/* Mappings are changed, split and made while the buffer is evicted */
TEST_F(evict, bind_meanwhile)
{
	struct tess_ctx *ctx = &self->ctx;
	uint32_t handle = tess_bo_create(ctx->fd, 2 * TESS_2M, DRM_TESSERA_BO_VRAM);
	uint8_t *p = tess_bo_mmap(ctx->fd, handle, 2 * TESS_2M);
	uint32_t vm = tess_vm_create(ctx->fd);
	int other;

	write_pattern(p, 2 * TESS_2M, 4);
	tess_vm_map(ctx->fd, ctx->vm, handle, 0, BO_VA, 2 * TESS_2M);
	tess_vm_map(ctx->fd, vm, handle, 0, BO_VA, 2 * TESS_2M);
	other = take_vram(TESS_2M);
	ASSERT_EQ(2 * TESS_2M, memory_of(ctx->fd).vram_evicted);
	/* A hole in the middle, and the second half again elsewhere */
	tess_vm_unmap(ctx->fd, ctx->vm, BO_VA + TESS_2M - TESS_PAGE, 2 * TESS_PAGE);
	tess_vm_map(ctx->fd, ctx->vm, handle, TESS_2M, BO_VA + 4 * TESS_2M, TESS_2M);
	EXPECT_EQ(0, __tess_vm_destroy(ctx->fd, vm));
	tess_copy(ctx, TESS_DATA_VA, BO_VA, 4);
	tess_copy(ctx, TESS_DATA_VA + 4, BO_VA + TESS_2M + TESS_PAGE, 4);
	tess_copy(ctx, TESS_DATA_VA + 8, BO_VA + 4 * TESS_2M, 4);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(value_at(4, 0), *(uint32_t *)ctx->data);
	EXPECT_EQ(value_at(4, TESS_2M + TESS_PAGE), *(uint32_t *)(ctx->data + 4));
	EXPECT_EQ(value_at(4, TESS_2M), *(uint32_t *)(ctx->data + 8));
	close(other);
	usleep(RETURN_US);
	tess_begin(ctx);
	tess_copy(ctx, TESS_DATA_VA + 16, BO_VA + 2 * TESS_2M - TESS_PAGE, 4);
	tess_copy(ctx, TESS_DATA_VA + 20, BO_VA + 5 * TESS_2M - TESS_PAGE, 4);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(0u, memory_of(ctx->fd).vram_evicted);
	EXPECT_EQ(value_at(4, 2 * TESS_2M - TESS_PAGE), *(uint32_t *)(ctx->data + 16));
	EXPECT_EQ(value_at(4, 2 * TESS_2M - TESS_PAGE), *(uint32_t *)(ctx->data + 20));
	/* The hole is one */
	tess_begin(ctx);
	tess_copy(ctx, TESS_DATA_VA, BO_VA + TESS_2M, 4);
	EXPECT_EQ(-EFAULT, tess_ctx_run(ctx));
	munmap(p, 2 * TESS_2M);
}

/* What a head may show does not move */
TEST_F(evict, contiguous_stays)
{
	struct drm_tessera_bo_create args = {
		.size = TESS_2M,
		.flags = DRM_TESSERA_BO_VRAM | DRM_TESSERA_BO_CONTIGUOUS,
		.near_slice = ~0u,
	};
	int fd = tess_open(), other;

	ASSERT_EQ(0, tess_ioctl(fd, DRM_IOCTL_TESSERA_BO_CREATE, &args));
	other = take_vram(TESS_2M);
	EXPECT_EQ(0u, memory_of(fd).vram_evicted);
	EXPECT_EQ(TESS_2M, memory_of(fd).vram_used);
	/* For another one of that sort something has to go */
	args.size = 4 * TESS_2M;
	EXPECT_EQ(0, tess_ioctl(fd, DRM_IOCTL_TESSERA_BO_CREATE, &args));
	EXPECT_EQ(5 * TESS_2M, memory_of(fd).vram_used);
	close(fd);
	close(other);
}

/* Evicted memory is the system's: its limits hold, and who has what it may keeps its VRAM */
TEST_F(evict, system_limits_hold)
{
	const char *path = "/sys/module/tessera_drm/parameters/system_percent";
	struct other a = other_open(5);
	FILE *f = fopen(path, "r+");
	unsigned int last = 0;
	uint32_t handle;
	int other, rc;

	ASSERT_NE(NULL, f);
	ASSERT_EQ(1, fscanf(f, "%u", &last));
	other = take_vram(0);
	rewind(f);
	fprintf(f, "0");
	fflush(f);
	rc = __tess_bo_create(self->ctx.fd, TESS_2M, DRM_TESSERA_BO_VRAM, &handle);
	rewind(f);
	fprintf(f, "%u", last);
	fclose(f);
	EXPECT_EQ(-ENOMEM, rc);
	EXPECT_EQ(0u, memory_of(a.fd).vram_evicted);
	EXPECT_EQ(0u, count_wrong(a.p, TESS_2M, 5));
	close(other);
	other_close(&a);
}

/* Two processes that each work on three quarters of the VRAM: both go on, with right results */
static int work(uint64_t vram, uint32_t seed)
{
	uint64_t size = vram / 8, count = 6, i, round;
	struct tess_ctx ctx;
	uint32_t handles[6];
	int rc = 0;

	tess_ctx_open(&ctx);
	for (i = 0; i < count; i++) {
		handles[i] = tess_bo_create(ctx.fd, size, DRM_TESSERA_BO_VRAM);
		tess_vm_map(ctx.fd, ctx.vm, handles[i], 0, BO_VA + i * size, size);
	}
	for (round = 0; !rc && round < 12; round++) {
		tess_begin(&ctx);
		for (i = 0; i < count; i++) {
			uint64_t va = BO_VA + i * size, at = TESS_DATA_VA + i * 8;

			/* What the last round left, then what this one leaves */
			tess_copy(&ctx, at, va + round * TESS_PAGE, 4);
			tess_copy(&ctx, at + 4, va + size - 4, 4);
			tess_fill(&ctx, va + (round + 1) * TESS_PAGE, 4, seed + round + 1 + i);
			tess_fill(&ctx, va + size - 4, 4, seed * 2 + round + 1 + i);
		}
		rc = tess_ctx_run(&ctx);
		for (i = 0; !rc && round && i < count; i++) {
			uint32_t *data = (uint32_t *)(ctx.data + i * 8);

			if (data[0] != seed + round + i || data[1] != seed * 2 + round + i)
				rc = -EBADMSG;
		}
		usleep(250000);
	}
	tess_ctx_close(&ctx);
	return rc ? 1 : 0;
}

TEST_F_TIMEOUT(evict, two_processes_work, 300)
{
	int status[2], i;
	pid_t pid[2];

	for (i = 0; i < 2; i++) {
		pid[i] = fork();
		ASSERT_LE(0, pid[i]);
		if (!pid[i])
			_exit(work(self->vram, 0x1000 + i * 0x100000));
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status[i], 0));
		EXPECT_EQ(0, status[i]);
	}
}

/* A buffer of two files is evicted from both, and comes back to both */
TEST_F(evict, shared)
{
	struct drm_prime_handle share = { .flags = DRM_CLOEXEC | DRM_RDWR };
	struct tess_ctx *ctx = &self->ctx, second;
	int other;

	tess_ctx_open(&second);
	share.handle = tess_bo_create(ctx->fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	tess_vm_map(ctx->fd, ctx->vm, share.handle, 0, BO_VA, TESS_2M);
	ASSERT_EQ(0, tess_ioctl(ctx->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &share));
	ASSERT_EQ(0, tess_ioctl(second.fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &share));
	tess_vm_map(second.fd, second.vm, share.handle, 0, BO_VA, TESS_2M);
	other = take_vram(TESS_2M);
	EXPECT_EQ(TESS_2M, memory_of(ctx->fd).vram_evicted);
	EXPECT_EQ(0u, memory_of(second.fd).vram_evicted);
	tess_fill(ctx, BO_VA, 4, 0x51);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	tess_copy(&second, TESS_DATA_VA, BO_VA, 4);
	ASSERT_EQ(0, tess_ctx_run(&second));
	EXPECT_EQ(0x51u, *(uint32_t *)second.data);
	close(other);
	usleep(RETURN_US);
	tess_begin(&second);
	tess_fill(&second, BO_VA, 4, 0x52);
	ASSERT_EQ(0, tess_ctx_run(&second));
	EXPECT_EQ(0u, memory_of(ctx->fd).vram_evicted);
	tess_begin(ctx);
	tess_copy(ctx, TESS_DATA_VA, BO_VA, 4);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	EXPECT_EQ(0x52u, *(uint32_t *)ctx->data);
	close(share.fd);
	tess_ctx_close(&second);
}

TEST_HARNESS_MAIN
