// SPDX-License-Identifier: GPL-2.0-or-later
/* Buffers: creation, mappings of the CPU, sharing */
#include <fcntl.h>
#include <sys/mman.h>

#include "harness.h"
#include "tess_ctx.h"

FIXTURE(memory)
{
	int fd;
};

FIXTURE_SETUP(memory)
{
	self->fd = tess_open();
}

FIXTURE_TEARDOWN(memory)
{
	close(self->fd);
}

static int create(int fd, struct drm_tessera_bo_create args)
{
	return tess_ioctl(fd, DRM_IOCTL_TESSERA_BO_CREATE, &args);
}

TEST_F(memory, create_einval)
{
	EXPECT_EQ(-EINVAL, create(self->fd, (struct drm_tessera_bo_create){ .size = 0 }));
	EXPECT_EQ(-EINVAL, create(self->fd, (struct drm_tessera_bo_create){ .size = ~0ull }));
	EXPECT_EQ(-EINVAL,
		  create(self->fd, (struct drm_tessera_bo_create){ .size = (1ull << 38) + 1 }));
	EXPECT_EQ(-EINVAL,
		  create(self->fd, (struct drm_tessera_bo_create){ .size = 1, .flags = 2 }));
	EXPECT_EQ(-EINVAL,
		  create(self->fd, (struct drm_tessera_bo_create){ .size = 1, .flags = 1u << 31 }));
	EXPECT_EQ(-EINVAL, create(self->fd, (struct drm_tessera_bo_create){ .size = 1, .vm = 1 }));
	EXPECT_EQ(-EFAULT, tess_ioctl(self->fd, DRM_IOCTL_TESSERA_BO_CREATE, (void *)8));
}

TEST_F(memory, create_rounds_up)
{
	struct drm_tessera_bo_create args = { .size = 1 };

	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_TESSERA_BO_CREATE, &args));
	EXPECT_EQ(TESS_PAGE, args.size);
	EXPECT_NE(0u, args.handle);
	args = (struct drm_tessera_bo_create){
		.size = TESS_PAGE + 1,
		.flags = DRM_TESSERA_BO_VRAM,
		.near_slice = ~0u,
	};
	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_TESSERA_BO_CREATE, &args));
	EXPECT_EQ(2 * TESS_PAGE, args.size);
}

/* System memory of buffers is not reclaimed, so there is an end before that of the machine */
TEST_F(memory, create_enomem)
{
	struct drm_tessera_bo_create args = { .size = 64ull << 20 };
	uint64_t limit = (uint64_t)sysconf(_SC_PHYS_PAGES) * TESS_PAGE / 2, sum = 0;
	uint32_t handles[1024];
	unsigned int n = 0;
	int ret;

	EXPECT_EQ(-ENOMEM, create(self->fd, (struct drm_tessera_bo_create){ .size = 1ull << 37 }));
	while (!(ret = tess_ioctl(self->fd, DRM_IOCTL_TESSERA_BO_CREATE, &args)) && n < 1024) {
		handles[n++] = args.handle;
		sum += args.size;
	}
	EXPECT_EQ(-ENOMEM, ret);
	EXPECT_LE(sum, limit);
	EXPECT_GT(sum + 2 * args.size, limit);
	/* One goes, one comes */
	ASSERT_LT(0u, n);
	EXPECT_EQ(0, __tess_bo_close(self->fd, handles[n - 1]));
	EXPECT_EQ(0, create(self->fd, args));
	EXPECT_EQ(-ENOMEM, create(self->fd, args));
	close(self->fd);
	self->fd = tess_open();
	EXPECT_EQ(0, create(self->fd, args));
}

TEST_F(memory, create_enospc)
{
	struct drm_tessera_query_gpu gpu;
	uint32_t handle;
	unsigned int n;
	int rc = 0;

	tess_query_gpu(self->fd, &gpu);
	EXPECT_EQ(-ENOSPC,
		  __tess_bo_create(self->fd, gpu.vram_size + 1, DRM_TESSERA_BO_VRAM, &handle));
	for (n = 0; !rc && n <= gpu.vram_size / TESS_2M; n++)
		rc = __tess_bo_create(self->fd, TESS_2M, DRM_TESSERA_BO_VRAM, &handle);
	EXPECT_EQ(-ENOSPC, rc);
	EXPECT_GT(TESS_2M, tess_vram_free(self->fd));
}

TEST_F(memory, vram_comes_back)
{
	uint64_t before = tess_vram_free(self->fd);
	uint32_t handle = tess_bo_create(self->fd, 3 * TESS_2M, DRM_TESSERA_BO_VRAM);
	int other = tess_open();

	EXPECT_EQ(before - 3 * TESS_2M, tess_vram_free(self->fd));
	EXPECT_EQ(0, __tess_bo_close(self->fd, handle));
	EXPECT_EQ(before, tess_vram_free(self->fd));
	tess_bo_create(other, 5 * TESS_PAGE, DRM_TESSERA_BO_VRAM);
	EXPECT_GT(before, tess_vram_free(self->fd));
	close(other);
	EXPECT_EQ(before, tess_vram_free(self->fd));
}

TEST_F(memory, mmap_offset_errors)
{
	uint32_t handle = tess_bo_create(self->fd, TESS_PAGE, 0);
	struct drm_tessera_bo_mmap_offset args = { .handle = handle, .flags = 1 };

	EXPECT_EQ(-EINVAL, tess_ioctl(self->fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &args));
	args = (struct drm_tessera_bo_mmap_offset){ .handle = handle + 1 };
	EXPECT_EQ(-ENOENT, tess_ioctl(self->fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &args));
	args.handle = 0;
	EXPECT_EQ(-ENOENT, tess_ioctl(self->fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &args));
}

static void mmap_both_ways(struct __test_metadata *_metadata, int fd, uint32_t flags)
{
	uint64_t size = TESS_2M + 3 * TESS_PAGE, i;
	uint32_t handle = tess_bo_create(fd, size, flags);
	uint8_t *a = tess_bo_mmap(fd, handle, size);
	uint8_t *b;

	for (i = 0; i < size; i += 8)
		ASSERT_EQ(0u, *(volatile uint64_t *)(a + i));
	for (i = 0; i < size; i += 8)
		*(volatile uint64_t *)(a + i) = i * 0x9e3779b97f4a7c15ull;
	b = tess_bo_mmap(fd, handle, size);
	EXPECT_NE(a, b);
	munmap(a, size);
	/* A mapping keeps the memory. */
	EXPECT_EQ(0, __tess_bo_close(fd, handle));
	for (i = 0; i < size; i += 8)
		ASSERT_EQ(i * 0x9e3779b97f4a7c15ull, *(volatile uint64_t *)(b + i));
	munmap(b, size);
}

TEST_F(memory, mmap_system)
{
	mmap_both_ways(_metadata, self->fd, 0);
}

TEST_F(memory, mmap_vram)
{
	mmap_both_ways(_metadata, self->fd, DRM_TESSERA_BO_VRAM);
}

TEST_F(memory, mmap_limits)
{
	uint32_t handle = tess_bo_create(self->fd, TESS_PAGE, DRM_TESSERA_BO_VRAM);
	struct drm_tessera_bo_mmap_offset args = { .handle = handle };
	int other = tess_open();

	EXPECT_EQ(MAP_FAILED, __tess_bo_mmap(self->fd, handle, 2 * TESS_PAGE));
	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &args));
	/* Copy on write of PFNs cannot be. */
	EXPECT_EQ(MAP_FAILED, mmap(NULL, TESS_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, self->fd,
				   args.offset));
	EXPECT_EQ(EINVAL, errno);
	/* Who has no handle may not map it. */
	EXPECT_EQ(MAP_FAILED, mmap(NULL, TESS_PAGE, PROT_READ, MAP_SHARED, other, args.offset));
	EXPECT_EQ(EACCES, errno);
	close(other);
}

TEST_F(memory, vram_is_scrubbed)
{
	uint64_t size = tess_vram_free(self->fd) / 2 & ~(TESS_2M - 1), i;
	unsigned int round;

	if (size > 16 * TESS_2M)
		size = 16 * TESS_2M;
	for (round = 0; round < 3; round++) {
		uint32_t handle = tess_bo_create(self->fd, size, DRM_TESSERA_BO_VRAM);
		uint64_t *p = tess_bo_mmap(self->fd, handle, size);

		for (i = 0; i < size / 8; i += 16)
			ASSERT_EQ(0u, p[i]);
		memset(p, 0x5a, size);
		munmap(p, size);
		EXPECT_EQ(0, __tess_bo_close(self->fd, handle));
	}
}

TEST_F(memory, double_close_is_einval)
{
	uint32_t handle = tess_bo_create(self->fd, TESS_PAGE, DRM_TESSERA_BO_VRAM);

	EXPECT_EQ(0, __tess_bo_close(self->fd, handle));
	EXPECT_EQ(-EINVAL, __tess_bo_close(self->fd, handle));
	EXPECT_EQ(-EINVAL, __tess_bo_close(self->fd, 0));
}

TEST_F(memory, fork_shares_mappings)
{
	uint32_t handle = tess_bo_create(self->fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	volatile uint32_t *p = tess_bo_mmap(self->fd, handle, TESS_2M);
	int status;
	pid_t pid;

	p[0] = 1;
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		/* One page was mapped before the fork, the other one is touched first here. */
		p[0] += 41;
		p[TESS_2M / 4 - 1] = 43;
		close(self->fd);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(42u, p[0]);
	EXPECT_EQ(43u, p[TESS_2M / 4 - 1]);
	EXPECT_EQ(0, __tess_bo_close(self->fd, handle));
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

TEST_F(memory, share_system)
{
	share(_metadata, self->fd, 0);
}

TEST_F(memory, share_vram)
{
	share(_metadata, self->fd, DRM_TESSERA_BO_VRAM);
}

TEST_F(memory, mmap_of_dmabuf)
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

TEST_F(memory, foreign_dmabuf_is_einval)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 64, .bpp = 32 };
	uint32_t handle;
	int fd, dmabuf;

	if (system("modprobe vgem 2>/dev/null"))
		SKIP(return, "no vgem");
	fd = open_card("vgem");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, tess_ioctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb));
	dmabuf = export_bo(fd, dumb.handle);
	ASSERT_LE(0, dmabuf);
	EXPECT_EQ(-EINVAL, import_bo(self->fd, dmabuf, &handle));
	close(dmabuf);
	close(fd);
}

TEST_HARNESS_MAIN
