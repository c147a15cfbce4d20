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
		  create(self->fd, (struct drm_tessera_bo_create){ .size = 1, .flags = 8 }));
	EXPECT_EQ(-EINVAL,
		  create(self->fd, (struct drm_tessera_bo_create){ .size = 1, .flags = 1u << 31 }));
	EXPECT_EQ(-ENOENT, create(self->fd, (struct drm_tessera_bo_create){ .size = 1, .vm = 1 }));
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

#define PARAMETERS "/sys/module/tessera_drm/parameters/"

/* The last value of a parameter of the module, which gets another one */
static unsigned int set_parameter(const char *path, unsigned int value)
{
	unsigned int last = 0;
	FILE *f = fopen(path, "r+");

	if (!f || fscanf(f, "%u", &last) != 1)
		tess_die("%s: %s", path, strerror(errno));
	rewind(f);
	fprintf(f, "%u", value);
	if (fclose(f))
		tess_die("%s: %s", path, strerror(errno));
	return last;
}

/* Bind buffers of the system until there are no more, each @size: how many, and why no more */
static int bind_some(int fd, uint64_t size, int max, int *rc)
{
	uint32_t vm = tess_vm_create(fd);
	uint32_t handle;
	int n;

	*rc = 0;
	for (n = 0; n < max; n++) {
		*rc = __tess_bo_create(fd, size, 0, &handle);
		if (*rc)
			tess_die("a buffer costs nothing yet: %s", strerror(-*rc));
		*rc = __tess_vm_map(fd, vm, handle, 0, TESS_FREE_VA + n * size, size, 0);
		if (*rc)
			break;
	}
	return n;
}

/*
 * System memory of buffers is not reclaimed, so there is an end before that of the machine, and
 * one for each file before that of all. It counts when there are pages.
 */
TEST_F(memory, system_memory_is_limited)
{
	unsigned int all = set_parameter(PARAMETERS "system_percent", 10);
	unsigned int one = set_parameter(PARAMETERS "client_percent", 50);
	uint64_t limit = (uint64_t)sysconf(_SC_PHYS_PAGES) / 10 / 2 * TESS_PAGE;
	uint64_t size = limit / 4 & ~(TESS_PAGE - 1);
	struct drm_tessera_query_memory memory;
	int second = tess_open(), third = tess_open();
	uint32_t handles[16];
	int rc, i;

	EXPECT_EQ(-ENOMEM, create(self->fd, (struct drm_tessera_bo_create){ .size = 1ull << 37 }));
	EXPECT_EQ(-ENOMEM, create(self->fd, (struct drm_tessera_bo_create){ .size = limit * 2 }));
	/* More than there may be, but nothing of it is there */
	for (i = 0; i < 16; i++)
		handles[i] = tess_bo_create(self->fd, size, 0);
	__tess_query(self->fd, DRM_TESSERA_QUERY_MEMORY, &memory, sizeof(memory));
	EXPECT_EQ(0u, memory.system_used);

	EXPECT_EQ(4, bind_some(self->fd, size, 8, &rc));
	EXPECT_EQ(-ENOMEM, rc);
	EXPECT_EQ(MAP_FAILED, __tess_bo_mmap(self->fd, handles[0], size));
	__tess_query(self->fd, DRM_TESSERA_QUERY_MEMORY, &memory, sizeof(memory));
	EXPECT_EQ(4 * size, memory.system_used);
	EXPECT_LE(memory.system_used, memory.system_limit);
	EXPECT_GT(memory.system_used + size, memory.system_limit);

	/* Another one has its share all the same; what is left for the third is less than that */
	EXPECT_EQ(4, bind_some(second, size, 8, &rc));
	EXPECT_EQ(-ENOMEM, rc);
	EXPECT_EQ(0, bind_some(third, size, 1, &rc));
	EXPECT_EQ(-ENOMEM, rc);

	/* It comes back */
	close(second);
	EXPECT_EQ(1, bind_some(third, size, 1, &rc));
	close(self->fd);
	self->fd = tess_open();
	EXPECT_NE(MAP_FAILED, __tess_bo_mmap(self->fd, tess_bo_create(self->fd, size, 0), size));
	set_parameter(PARAMETERS "system_percent", all);
	set_parameter(PARAMETERS "client_percent", one);
	close(third);
}

TEST_F(memory, vram_of_a_file_is_limited)
{
	unsigned int last = set_parameter(PARAMETERS "client_vram_percent", 25);
	struct drm_tessera_query_memory memory;
	struct drm_tessera_query_gpu gpu;
	int other = tess_open();
	uint32_t handle = 0, first;
	uint64_t sum = 0;
	int rc = 0;

	tess_query_gpu(self->fd, &gpu);
	first = tess_bo_create(self->fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	for (sum = TESS_2M; !rc && sum <= gpu.vram_size; sum += rc ? 0 : TESS_2M)
		rc = __tess_bo_create(self->fd, TESS_2M, DRM_TESSERA_BO_VRAM, &handle);
	EXPECT_EQ(-ENOSPC, rc);
	__tess_query(self->fd, DRM_TESSERA_QUERY_MEMORY, &memory, sizeof(memory));
	EXPECT_EQ(sum, memory.vram_used);
	EXPECT_EQ(gpu.vram_size / 4, memory.vram_limit);
	EXPECT_LE(sum, gpu.vram_size / 4);
	EXPECT_GT(sum + TESS_2M, gpu.vram_size / 4);
	/* Another file has a share of its own; what is closed can be had again */
	EXPECT_EQ(0, __tess_bo_create(other, TESS_2M, DRM_TESSERA_BO_VRAM, &handle));
	EXPECT_EQ(0, __tess_bo_close(self->fd, first));
	EXPECT_EQ(0, __tess_bo_create(self->fd, TESS_2M, DRM_TESSERA_BO_VRAM, &handle));
	set_parameter(PARAMETERS "client_vram_percent", last);
	close(other);
}

/* What a head can show: one address in VRAM for all of it */
TEST_F(memory, contiguous)
{
	struct drm_tessera_bo_create args = {
		.size = 3 * TESS_2M + TESS_PAGE,
		.flags = DRM_TESSERA_BO_VRAM | DRM_TESSERA_BO_CONTIGUOUS,
		.near_slice = ~0u,
	};
	struct drm_tessera_query_gpu gpu;

	EXPECT_EQ(0, create(self->fd, args));
	args.flags = DRM_TESSERA_BO_CONTIGUOUS;
	EXPECT_EQ(-EINVAL, create(self->fd, args));
	/* More than a piece can be, though there may be as much in pieces */
	tess_query_gpu(self->fd, &gpu);
	args.flags |= DRM_TESSERA_BO_VRAM;
	args.size = gpu.vram_size;
	EXPECT_EQ(-ENOSPC, create(self->fd, args));
}

TEST_F(memory, of_one_vm)
{
	struct drm_tessera_bo_create args = { .size = TESS_PAGE, .vm = tess_vm_create(self->fd) };
	struct drm_prime_handle export = { .flags = DRM_CLOEXEC };
	uint32_t other = tess_vm_create(self->fd);
	uint32_t *p;

	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_TESSERA_BO_CREATE, &args));
	EXPECT_EQ(0, __tess_vm_map(self->fd, args.vm, args.handle, 0, TESS_FREE_VA, TESS_PAGE, 0));
	EXPECT_EQ(-EINVAL,
		  __tess_vm_map(self->fd, other, args.handle, 0, TESS_FREE_VA, TESS_PAGE, 0));
	export.handle = args.handle;
	EXPECT_EQ(-EINVAL, tess_ioctl(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &export));
	p = tess_bo_mmap(self->fd, args.handle, TESS_PAGE);
	p[0] = 1;
	/* It goes after the VM */
	EXPECT_EQ(0, __tess_vm_destroy(self->fd, args.vm));
	EXPECT_EQ(-ENOENT, create(self->fd, args));
	args.flags = DRM_TESSERA_BO_VRAM;
	args.vm = other;
	EXPECT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_TESSERA_BO_CREATE, &args));
	EXPECT_EQ(0, __tess_vm_map(self->fd, other, args.handle, 0, TESS_FREE_VA, TESS_PAGE, 0));
	EXPECT_EQ(1u, p[0]);
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

/* Of memory of any sort, with any rectangle that begins before it ends */
TEST_F(memory, damage_errors)
{
	uint32_t a = tess_bo_create(self->fd, TESS_PAGE, 0);
	uint32_t b = tess_bo_create(self->fd, TESS_PAGE, DRM_TESSERA_BO_VRAM);
	const struct {
		struct drm_tessera_bo_damage args;
		int rc;
	} cases[] = {
		{ { .handle = a }, 0 },
		{ { .handle = b, .previous = a, .x2 = 5, .y2 = 7 }, 0 },
		{ { .handle = a, .previous = b, .x1 = 5, .y1 = 7, .x2 = 5, .y2 = 7 }, 0 },
		{ { .handle = a, .previous = a, .x2 = 5, .y2 = 7 }, 0 },
		{ { .handle = a, .previous = b, .x1 = ~0u, .x2 = ~0u, .y2 = ~0u }, 0 },
		{ { .handle = a, .previous = b, .x1 = 6, .x2 = 5 }, -EINVAL },
		{ { .handle = a, .previous = b, .y1 = 8, .y2 = 7 }, -EINVAL },
		{ { .handle = a, .y1 = ~0u, .y2 = ~0u - 1 }, -EINVAL },
		{ { .handle = a, .flags = 1 }, -EINVAL },
		{ { .handle = a, .flags = 1u << 31 }, -EINVAL },
		{ { .handle = a, .pad = 1 }, -EINVAL },
		{ { .handle = 0 }, -ENOENT },
		{ { .handle = 0, .previous = a }, -ENOENT },
		{ { .handle = a + b + 100 }, -ENOENT },
		{ { .handle = a, .previous = a + b + 100 }, -ENOENT },
		{ { .handle = ~0u, .previous = ~0u }, -ENOENT },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct drm_tessera_bo_damage args = cases[i].args;
		int rc = tess_ioctl(self->fd, DRM_IOCTL_TESSERA_BO_DAMAGE, &args);

		if (rc != cases[i].rc)
			TH_LOG("case %zu", i);
		EXPECT_EQ(cases[i].rc, rc);
	}
	/* A handle that is closed is none */
	EXPECT_EQ(0, __tess_bo_close(self->fd, b));
	EXPECT_EQ(-ENOENT,
		  tess_ioctl(self->fd, DRM_IOCTL_TESSERA_BO_DAMAGE,
			     &(struct drm_tessera_bo_damage){ .handle = a, .previous = b }));
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

TEST_F(memory, mmap_write_combined)
{
	mmap_both_ways(_metadata, self->fd, DRM_TESSERA_BO_WRITE_COMBINED);
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

TEST_HARNESS_MAIN
