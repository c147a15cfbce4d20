// SPDX-License-Identifier: GPL-2.0-or-later
/* Buffers that are shared: among files, with other drivers, and the fences in them */
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <poll.h>
#include <sys/stat.h>

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

#define VGEM_BYTES (64 * 64 * 4ull)

/* A buffer of another driver: its card, and the handle there; -1: there is no such driver */
static int vgem_buffer(uint32_t *handle)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 64, .bpp = 32 };
	int fd;

	if (system("modprobe vgem 2>/dev/null"))
		return -1;
	fd = __tess_open_card("vgem");
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
	struct drm_tessera_bo_create args = {
		.flags = DRM_TESSERA_BO_VRAM | DRM_TESSERA_BO_CONTIGUOUS,
		.near_slice = ~0u,
	};
	struct tess_ctx ctx;
	uint32_t theirs, *p;
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
	/* What a head may show does not leave VRAM */
	args.size = TESS_PAGE;
	ASSERT_EQ(0, tess_ioctl(ctx.fd, DRM_IOCTL_TESSERA_BO_CREATE, &args));
	dmabuf = export_bo(ctx.fd, args.handle);
	ASSERT_LE(0, dmabuf);
	EXPECT_EQ(-EINVAL, import_bo(card, dmabuf, &theirs));
	close(dmabuf);
	tess_ctx_close(&ctx);
	close(card);
}

static uint64_t evicted(int fd)
{
	struct drm_tessera_query_memory memory = {};

	__tess_query(fd, DRM_TESSERA_QUERY_MEMORY, &memory, sizeof(memory));
	return memory.vram_evicted;
}

/* Another driver takes VRAM of ours: it is in the system as long, for all who map it */
TEST_F(prime, export_vram)
{
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW };
	uint32_t theirs, handle;
	volatile uint32_t *p, *q;
	struct tess_ctx ctx;
	int card, dmabuf;

	card = vgem_buffer(&theirs);
	if (card < 0)
		SKIP(return, "no vgem");
	tess_ctx_open(&ctx);
	handle = tess_bo_create(ctx.fd, VGEM_BYTES, DRM_TESSERA_BO_VRAM);
	p = tess_bo_mmap(ctx.fd, handle, VGEM_BYTES);
	tess_vm_map(ctx.fd, ctx.vm, handle, 0, TESS_FREE_VA, VGEM_BYTES);
	p[3] = 0x333;
	dmabuf = export_bo(ctx.fd, handle);
	ASSERT_LE(0, dmabuf);
	EXPECT_EQ(0u, evicted(ctx.fd));
	ASSERT_EQ(0, import_bo(card, dmabuf, &theirs));
	EXPECT_EQ(VGEM_BYTES, evicted(ctx.fd));
	EXPECT_EQ(0x333u, p[3]);
	tess_fill(&ctx, TESS_FREE_VA + 16, 4, 0x444);
	ASSERT_EQ(0, tess_ctx_run(&ctx));
	EXPECT_EQ(0x444u, p[4]);
	q = mmap(NULL, VGEM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	ASSERT_NE(MAP_FAILED, q);
	EXPECT_EQ(0, tess_ioctl(dmabuf, DMA_BUF_IOCTL_SYNC, &sync));
	EXPECT_EQ(0x444u, q[4]);
	q[5] = 0x555;
	sync.flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW;
	EXPECT_EQ(0, tess_ioctl(dmabuf, DMA_BUF_IOCTL_SYNC, &sync));
	/* It does not move before the other one lets it go */
	usleep(1200000);
	ASSERT_EQ(0, tess_ctx_run(&ctx));
	EXPECT_EQ(VGEM_BYTES, evicted(ctx.fd));
	EXPECT_EQ(0, __tess_bo_close(card, theirs));
	usleep(1200000);
	tess_begin(&ctx);
	tess_copy(&ctx, TESS_DATA_VA, TESS_FREE_VA + 20, 4);
	ASSERT_EQ(0, tess_ctx_run(&ctx));
	EXPECT_EQ(0u, evicted(ctx.fd));
	EXPECT_EQ(0x555u, *(uint32_t *)ctx.data);
	EXPECT_EQ(0x444u, q[4]);
	munmap((void *)p, VGEM_BYTES);
	munmap((void *)q, VGEM_BYTES);
	close(dmabuf);
	tess_ctx_close(&ctx);
	close(card);
}

/* A job that does not end keeps it where it is, and is not disturbed */
TEST_F(prime, export_vram_in_use)
{
	struct tess_ctx ctx;
	uint32_t theirs, handle;
	int card, dmabuf;

	card = vgem_buffer(&theirs);
	if (card < 0)
		SKIP(return, "no vgem");
	tess_ctx_open(&ctx);
	handle = tess_bo_create(ctx.fd, VGEM_BYTES, DRM_TESSERA_BO_VRAM);
	tess_vm_map(ctx.fd, ctx.vm, handle, 0, TESS_FREE_VA, VGEM_BYTES);
	dmabuf = export_bo(ctx.fd, handle);
	ASSERT_LE(0, dmabuf);
	tess_wait(&ctx, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
	tess_fill(&ctx, TESS_FREE_VA, 4, 1);
	tess_ctx_submit(&ctx);
	EXPECT_EQ(-EBUSY, import_bo(card, dmabuf, &theirs));
	*(volatile uint64_t *)ctx.data = 1;
	EXPECT_EQ(0, tess_ctx_wait(&ctx));
	EXPECT_EQ(0, import_bo(card, dmabuf, &theirs));
	close(dmabuf);
	tess_ctx_close(&ctx);
	close(card);
}

/* Render node of another GPU of this driver, or -1 */
static int open_other_gpu(int fd)
{
	struct stat own, st;
	int n, other;

	fstat(fd, &own);
	for (n = 128; n < 144; n++) {
		char path[32], name[32] = "";
		struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", n);
		other = open(path, O_RDWR | O_CLOEXEC);
		if (other < 0)
			continue;
		if (!fstat(other, &st) && st.st_rdev != own.st_rdev &&
		    !tess_ioctl(other, DRM_IOCTL_VERSION, &version) && !strcmp(name, "tessera"))
			return other;
		close(other);
	}
	return -1;
}

/* Two GPUs compute in one buffer, which was made in the VRAM of one of them */
TEST_F(prime, other_gpu)
{
	int other = open_other_gpu(self->fd), dmabuf;
	struct tess_ctx ctx, theirs;
	uint32_t handle, imported;

	if (other < 0)
		SKIP(return, "no second GPU");
	tess_ctx_open(&ctx);
	tess_ctx_open_on(&theirs, other, tess_find_slice(other, 0));
	handle = tess_bo_create(ctx.fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	tess_vm_map(ctx.fd, ctx.vm, handle, 0, TESS_FREE_VA, TESS_2M);
	tess_fill(&ctx, TESS_FREE_VA, TESS_2M, 0x61);
	ASSERT_EQ(0, tess_ctx_run(&ctx));
	dmabuf = export_bo(ctx.fd, handle);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, import_bo(other, dmabuf, &imported));
	close(dmabuf);
	EXPECT_EQ(TESS_2M, evicted(ctx.fd));
	tess_vm_map(other, theirs.vm, imported, 0, TESS_FREE_VA, TESS_2M);
	tess_copy(&theirs, TESS_DATA_VA, TESS_FREE_VA + TESS_2M - 4, 4);
	tess_fill(&theirs, TESS_FREE_VA + TESS_2M - 8, 4, 0x62);
	ASSERT_EQ(0, tess_ctx_run(&theirs));
	EXPECT_EQ(0x61u, *(uint32_t *)theirs.data);
	tess_begin(&ctx);
	tess_copy(&ctx, TESS_DATA_VA, TESS_FREE_VA + TESS_2M - 8, 4);
	ASSERT_EQ(0, tess_ctx_run(&ctx));
	EXPECT_EQ(0x62u, *(uint32_t *)ctx.data);
	tess_ctx_close(&theirs);
	tess_ctx_close(&ctx);
	close(other);
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
