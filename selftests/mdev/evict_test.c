// SPDX-License-Identifier: GPL-2.0-or-later
/* A vGPU that is composed while processes of the host have all VRAM */
#include <sys/mman.h>

#include "gpus.h"
#include "harness.h"
#include "tess_ctx.h"
#include "vgpu.h"

#define BO_VA 0x100000000ULL
#define BOS_MAX 512
#define MEMORY "64M"
#define MEMORY_BYTES (64ULL << 20)

FIXTURE(evict)
{
	struct tess_ctx ctx;
	uint32_t handle[BOS_MAX];
	unsigned int count;
	char uuid[37];
};

FIXTURE_SETUP(evict)
{
	if (gpu_value(1, "slices_total") >= 0)
		SKIP(return, "another GPU has room");
	mdev_remove_all();
	tess_ctx_open(&self->ctx);
	while (self->count < BOS_MAX && tess_vram_free(self->ctx.fd) >= TESS_2M) {
		uint32_t flags = DRM_TESSERA_BO_VRAM;

		ASSERT_EQ(0, __tess_bo_create(self->ctx.fd, TESS_2M, flags,
					      &self->handle[self->count]));
		self->count++;
	}
	ASSERT_LT(MEMORY_BYTES / TESS_2M, self->count);
	ASSERT_GT(TESS_2M, tess_vram_free(self->ctx.fd));
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
}

FIXTURE_TEARDOWN(evict)
{
	mdev_remove_all();
	tess_ctx_close(&self->ctx);
}

static uint64_t evicted(int fd)
{
	struct drm_tessera_query_memory memory = {};

	__tess_query(fd, DRM_TESSERA_QUERY_MEMORY, &memory, sizeof(memory));
	return memory.vram_evicted;
}

/* A word of each page; each buffer has its own */
static void write_buffers(struct tess_ctx *ctx, const uint32_t *handle, unsigned int count)
{
	unsigned int i;
	uint64_t at;

	for (i = 0; i < count; i++) {
		uint8_t *p = tess_bo_mmap(ctx->fd, handle[i], TESS_2M);

		for (at = 0; at < TESS_2M; at += TESS_PAGE)
			*(volatile uint32_t *)(p + at) = i << 16 | (uint32_t)(at / TESS_PAGE);
		munmap(p, TESS_2M);
	}
}

static unsigned int wrong_words(struct tess_ctx *ctx, const uint32_t *handle, unsigned int count)
{
	unsigned int i, wrong = 0;
	uint64_t at;

	for (i = 0; i < count; i++) {
		uint8_t *p = tess_bo_mmap(ctx->fd, handle[i], TESS_2M);

		for (at = 0; at < TESS_2M; at += TESS_PAGE)
			wrong += *(volatile uint32_t *)(p + at) !=
				 (i << 16 | (uint32_t)(at / TESS_PAGE));
		munmap(p, TESS_2M);
	}
	return wrong;
}

static int compose(const char *uuid)
{
	return mdev_attr_write(uuid, "blueprint", "slices=1 kind=compute memory=" MEMORY);
}

/* The vGPU gets its memory, which is zero, and the process keeps its data */
TEST_F(evict, buffers_make_room_for_a_vgpu)
{
	struct tess_ctx *ctx = &self->ctx;
	struct vgpu v;
	uint8_t *vram;

	write_buffers(ctx, self->handle, self->count);
	ASSERT_EQ(0, compose(self->uuid));
	EXPECT_LE(MEMORY_BYTES, evicted(ctx->fd));
	EXPECT_EQ(0u, wrong_words(ctx, self->handle, self->count));

	ASSERT_EQ(0, vgpu_open(&v, self->uuid));
	vram = vgpu_mmap(&v, TESS_BAR_VRAM, 0, MEMORY_BYTES);
	ASSERT_NE(MAP_FAILED, (void *)vram);
	EXPECT_EQ(-1, zero_check(vram, MEMORY_BYTES));
	memset(vram, 0xa5, MEMORY_BYTES);
	EXPECT_EQ(0u, wrong_words(ctx, self->handle, self->count));
	vgpu_close(&v);
}

/* No more goes than the vGPU needs */
TEST_F(evict, the_rest_stays)
{
	struct tess_ctx *ctx = &self->ctx;

	ASSERT_EQ(0, compose(self->uuid));
	EXPECT_GE(MEMORY_BYTES + 2 * TESS_2M, evicted(ctx->fd));
}

/* A job may use all that its VM maps: the vGPU is refused, and composed when the job is over */
TEST_F(evict, what_a_job_uses_stays)
{
	struct tess_ctx *ctx = &self->ctx;
	unsigned int i;

	for (i = 0; i < self->count; i++)
		tess_vm_map(ctx->fd, ctx->vm, self->handle[i], 0, BO_VA + i * TESS_2M, TESS_2M);
	tess_wait(ctx, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
	for (i = 0; i < self->count; i++)
		tess_fill(ctx, BO_VA + i * TESS_2M, 64, 0x1000 + i);
	tess_ctx_submit(ctx);

	EXPECT_EQ(-ENOSPC, compose(self->uuid));
	EXPECT_NE(NULL, strstr(mdev_attr(self->uuid, "last_error"), "insufficient VRAM"));
	EXPECT_EQ(0u, evicted(ctx->fd));

	*(volatile uint64_t *)ctx->data = 1;
	ASSERT_EQ(0, tess_ctx_wait(ctx));
	EXPECT_EQ(0, compose(self->uuid));
	for (i = 0; i < self->count; i++) {
		uint8_t *p = tess_bo_mmap(ctx->fd, self->handle[i], TESS_2M);

		EXPECT_EQ(0x1000 + i, *(volatile uint32_t *)p);
		munmap(p, TESS_2M);
	}
}

/* Slices that are not there are no reason to evict anything */
TEST_F(evict, nothing_goes_for_want_of_slices)
{
	struct tess_ctx *ctx = &self->ctx;

	EXPECT_EQ(-ENOSPC,
		  mdev_attr_write(self->uuid, "blueprint", "slices=60 kind=any memory=2M"));
	EXPECT_EQ(0u, evicted(ctx->fd));
}

TEST_HARNESS_MAIN
