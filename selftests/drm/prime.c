// SPDX-License-Identifier: GPL-2.0-or-later
/* Buffers that are shared: among files, with other drivers, and the fences in them */
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <poll.h>

#include "harness.h"
#include "tess_ctx.h"

FIXTURE(prime)
{
	int fd;
};

FIXTURE_SETUP(prime)
{
	self->fd = tess_open();
}

FIXTURE_TEARDOWN(prime)
{
	close(self->fd);
}

static int export_bo(int fd, uint32_t handle)
{
	struct drm_prime_handle args = { .handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	int rc = tess_ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	return rc ? rc : args.fd;
}

static int import_bo(int fd, int dmabuf, uint32_t *handle)
{
	struct drm_prime_handle args = { .fd = dmabuf };
	int rc = tess_ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	*handle = args.handle;
	return rc;
}

static void share(struct __test_metadata *_metadata, int fd, uint32_t flags)
{
	uint32_t handle = tess_bo_create(fd, TESS_PAGE, flags), same, theirs;
	volatile uint32_t *p, *q;
	int other = tess_open();
	int dmabuf = export_bo(fd, handle);

	ASSERT_LE(0, dmabuf);
	EXPECT_EQ(0, import_bo(fd, dmabuf, &same));
	EXPECT_EQ(handle, same);
	ASSERT_EQ(0, import_bo(other, dmabuf, &theirs));
	close(dmabuf);
	p = tess_bo_mmap(fd, handle, TESS_PAGE);
	q = tess_bo_mmap(other, theirs, TESS_PAGE);
	p[5] = 0x1234567;
	EXPECT_EQ(0x1234567u, q[5]);
	EXPECT_EQ(0, __tess_bo_close(fd, handle));
	q[6] = 7;
	EXPECT_EQ(7u, p[6]);
	close(other);
}

TEST_F(prime, share_system)
{
	share(_metadata, self->fd, 0);
}

TEST_F(prime, share_vram)
{
	share(_metadata, self->fd, DRM_TESSERA_BO_VRAM);
}

TEST_F(prime, mmap_of_dmabuf)
{
	uint32_t handle = tess_bo_create(self->fd, TESS_PAGE, DRM_TESSERA_BO_VRAM);
	volatile uint32_t *p = tess_bo_mmap(self->fd, handle, TESS_PAGE), *q;
	int dmabuf = export_bo(self->fd, handle);

	ASSERT_LE(0, dmabuf);
	q = mmap(NULL, TESS_PAGE, PROT_READ, MAP_SHARED, dmabuf, 0);
	ASSERT_NE(MAP_FAILED, q);
	p[1] = 0xabcdef;
	EXPECT_EQ(0xabcdefu, q[1]);
	close(dmabuf);
}

/* Card of this driver, or -1 */
static int open_card(const char *driver)
{
	char path[32];
	int fd, n;

	for (n = 0; n < 16; n++) {
		char name[32] = "";
		struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };

		snprintf(path, sizeof(path), "/dev/dri/card%d", n);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!tess_ioctl(fd, DRM_IOCTL_VERSION, &version) && !strcmp(name, driver))
			return fd;
		close(fd);
	}
	return -1;
}

#define VGEM_BYTES (64 * 64 * 4ull)

/* A buffer of another driver: its card, and the handle there; -1: there is no such driver */
static int vgem_buffer(uint32_t *handle)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 64, .bpp = 32 };
	int fd;

	if (system("modprobe vgem 2>/dev/null"))
		return -1;
	fd = open_card("vgem");
	if (fd < 0 || tess_ioctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb))
		tess_die("vgem has no buffer");
	*handle = dumb.handle;
	return fd;
}

static uint32_t *map_dumb(int fd, uint32_t handle)
{
	struct drm_mode_map_dumb args = { .handle = handle };

	if (tess_ioctl(fd, DRM_IOCTL_MODE_MAP_DUMB, &args))
		return MAP_FAILED;
	return mmap(NULL, VGEM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)args.offset);
}

/* The GPU computes in memory of another driver, which lasts as long as it is bound */
TEST_F(prime, import)
{
	uint32_t handle, theirs, *p, *q;
	struct tess_ctx ctx;
	int card, dmabuf;

	card = vgem_buffer(&theirs);
	if (card < 0)
		SKIP(return, "no vgem");
	dmabuf = export_bo(card, theirs);
	ASSERT_LE(0, dmabuf);
	tess_ctx_open(&ctx);
	ASSERT_EQ(0, import_bo(ctx.fd, dmabuf, &handle));
	tess_vm_map(ctx.fd, ctx.vm, handle, 0, TESS_FREE_VA, VGEM_BYTES);
	tess_fill(&ctx, TESS_FREE_VA, VGEM_BYTES, 0x1357);
	ASSERT_EQ(0, tess_ctx_run(&ctx));
	p = map_dumb(card, theirs);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(0x1357u, p[0]);
	EXPECT_EQ(0x1357u, p[VGEM_BYTES / 4 - 1]);
	/* Through the file of the GPU it is the same memory */
	q = tess_bo_mmap(ctx.fd, handle, VGEM_BYTES);
	p[1] = 0x2468;
	EXPECT_EQ(0x2468u, q[1]);
	/* Bound it stays, whoever closes it */
	EXPECT_EQ(0, __tess_bo_close(ctx.fd, handle));
	EXPECT_EQ(0, __tess_bo_close(card, theirs));
	close(dmabuf);
	tess_begin(&ctx);
	tess_copy(&ctx, TESS_DATA_VA, TESS_FREE_VA + 4, 4);
	ASSERT_EQ(0, tess_ctx_run(&ctx));
	EXPECT_EQ(0x2468u, *(uint32_t *)ctx.data);
	munmap(p, VGEM_BYTES);
	munmap(q, VGEM_BYTES);
	tess_ctx_close(&ctx);
	close(card);
}

/* Another driver takes system memory of ours, whose dma-buf shows what the GPU wrote */
TEST_F(prime, export)
{
	uint32_t theirs, handle;
	struct tess_ctx ctx;
	uint32_t *p;
	int card, dmabuf;

	card = vgem_buffer(&theirs);
	if (card < 0)
		SKIP(return, "no vgem");
	tess_ctx_open(&ctx);
	dmabuf = export_bo(ctx.fd, ctx.data_bo);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, import_bo(card, dmabuf, &theirs));
	tess_fill(&ctx, TESS_DATA_VA, TESS_PAGE, 0xace);
	ASSERT_EQ(0, tess_ctx_run(&ctx));
	p = mmap(NULL, VGEM_BYTES, PROT_READ, MAP_SHARED, dmabuf, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(0xaceu, p[7]);
	munmap(p, VGEM_BYTES);
	close(dmabuf);
	/* VRAM is for this driver alone */
	handle = tess_bo_create(ctx.fd, TESS_PAGE, DRM_TESSERA_BO_VRAM);
	dmabuf = export_bo(ctx.fd, handle);
	ASSERT_LE(0, dmabuf);
	EXPECT_GT(0, import_bo(card, dmabuf, &theirs));
	close(dmabuf);
	tess_ctx_close(&ctx);
	close(card);
}

/* The fence of a job, as a file */
static int fence_of(struct tess_ctx *ctx)
{
	struct drm_syncobj_handle args = {
		.handle = ctx->done,
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
	};

	if (tess_ioctl(ctx->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args))
		tess_die("no sync file");
	return args.fd;
}

static int readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms);
}

/* Users of a buffer wait for the job that writes it, as they do with other drivers */
TEST_F(prime, implicit_fences)
{
	struct dma_buf_import_sync_file in = { .flags = DMA_BUF_SYNC_WRITE };
	struct dma_buf_export_sync_file out = { .flags = DMA_BUF_SYNC_READ };
	struct drm_syncobj_handle import = {
		.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE
	};
	struct drm_tessera_sync wait, done;
	struct tess_ctx a, b;
	int dmabuf;

	tess_ctx_open(&a);
	tess_ctx_open(&b);
	dmabuf = export_bo(a.fd, a.data_bo);
	ASSERT_LE(0, dmabuf);
	EXPECT_EQ(1, readable(dmabuf, 0));
	tess_wait(&a, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
	tess_fill(&a, TESS_DATA_VA + 64, 4, 0xfe);
	tess_ctx_submit(&a);
	in.fd = fence_of(&a);
	ASSERT_EQ(0, tess_ioctl(dmabuf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &in));
	EXPECT_EQ(0, readable(dmabuf, 200));

	/* Another process waits for what is in the buffer before it reads it */
	ASSERT_EQ(0, tess_ioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &out));
	wait = (struct drm_tessera_sync){ .handle = tess_syncobj_create(b.fd) };
	done = (struct drm_tessera_sync){ .handle = b.done };
	import.handle = wait.handle;
	import.fd = out.fd;
	ASSERT_EQ(0, tess_ioctl(b.fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import));
	tess_fill(&b, TESS_DATA_VA, 4, 5);
	ASSERT_EQ(0, __tess_submit(&b, &wait, 1, &done, 1));
	EXPECT_EQ(-ETIME, __tess_syncobj_wait(b.fd, b.done, 0, 200));
	*(volatile uint64_t *)a.data = 1;
	EXPECT_EQ(0, tess_ctx_wait(&b));
	EXPECT_EQ(1, readable(dmabuf, 10000 * patience()));
	EXPECT_EQ(0xfeu, *(uint32_t *)(a.data + 64));
	close(in.fd);
	close(out.fd);
	close(dmabuf);
	tess_ctx_close(&a);
	tess_ctx_close(&b);
}

TEST_HARNESS_MAIN
