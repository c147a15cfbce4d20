// SPDX-License-Identifier: GPL-2.0-or-later
/* Render nodes with slices and VRAM of their own: what they have, how that changes, how they go */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "tess_ctx.h"

#define NODE "selftest"
#define MIB (1ull << 20)
#define COMPUTE 1u
#define NEEDED 4u /* slices for compute */

static int write_to(const char *file, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/nodes/%s", tess_sysfs_dir(), file);
	return tess_put(path, text);
}

static const char *read_from(const char *file)
{
	static char text[512];
	char path[PATH_MAX];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/nodes/%s", tess_sysfs_dir(), file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n - (text[n - 1] == '\n') : 0] = '\0';
	return text;
}

static int node_open(void)
{
	char path[PATH_MAX];
	int fd, tries;

	snprintf(path, sizeof(path), "/dev/dri/%.32s", read_from(NODE "/device"));
	/* udev may still be at work */
	for (tries = 0; (fd = open(path, O_RDWR | O_CLOEXEC)) < 0 && tries < 100; tries++)
		usleep(50000);
	return fd;
}

static struct drm_tessera_query_memory memory_of(int fd)
{
	struct drm_tessera_query_memory memory = {};

	__tess_query(fd, DRM_TESSERA_QUERY_MEMORY, &memory, sizeof(memory));
	return memory;
}

static uint64_t mask_of(int fd)
{
	struct drm_tessera_query_gpu gpu;

	tess_query_gpu(fd, &gpu);
	return gpu.slice_mask;
}

static unsigned int count_of(uint64_t mask)
{
	return __builtin_popcountll(mask);
}

FIXTURE(nodes)
{
	int gpu;
	int fd;
	uint64_t all;
	uint64_t vram_free;
	unsigned int compute;
};

FIXTURE_SETUP(nodes)
{
	struct drm_tessera_query_slice slices[64] = {};
	unsigned int i;

	self->fd = -1;
	self->gpu = tess_open();
	self->all = mask_of(self->gpu);
	self->vram_free = tess_sysfs_value("vram_free");
	__tess_query(self->gpu, DRM_TESSERA_QUERY_SLICES, slices, sizeof(slices));
	for (i = 0; i < 64; i++)
		self->compute += slices[i].kind == COMPUTE && self->all >> i & 1;
	if (self->compute < NEEDED || self->vram_free < 64 * MIB)
		SKIP(return, "needs %u free slices for compute and 64 MiB of VRAM", NEEDED);
	ASSERT_EQ(0, write_to("create", NODE " slices=2 kind=compute memory=8M"));
	self->fd = node_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(nodes)
{
	if (self->fd >= 0)
		close(self->fd);
	write_to("remove", NODE);
	EXPECT_EQ(self->all, mask_of(self->gpu));
	EXPECT_EQ(self->vram_free, tess_sysfs_wait("vram_free", self->vram_free, 10));
	close(self->gpu);
}

TEST_F(nodes, has_what_its_blueprint_says)
{
	uint64_t mine = mask_of(self->fd), others = mask_of(self->gpu);
	struct drm_tessera_query_memory memory = memory_of(self->fd);
	struct tess_ctx ctx;

	EXPECT_EQ(2u, count_of(mine));
	EXPECT_EQ(0u, mine & others);
	EXPECT_EQ(self->all, mine | others);
	EXPECT_EQ(16 * MIB, memory.vram_total);
	EXPECT_EQ(16 * MIB, memory.vram_free);
	EXPECT_EQ(self->vram_free - 16 * MIB, tess_sysfs_value("vram_free"));
	EXPECT_EQ(count_of(self->all) - 2, tess_sysfs_value("slices_free"));
	tess_ctx_open_on(&ctx, self->fd, __builtin_ctzll(mine));
	tess_fill(&ctx, TESS_DATA_VA, 4, 77);
	EXPECT_EQ(0, tess_ctx_run(&ctx));
	EXPECT_EQ(77u, *(uint32_t *)ctx.data);
}

TEST_F(nodes, its_slices_are_nobody_elses)
{
	uint32_t vm = tess_vm_create(self->gpu), id;
	char text[128];

	EXPECT_EQ(-ENXIO,
		  __tess_queue_create(self->gpu, vm, __builtin_ctzll(mask_of(self->fd)), 0, &id));
	snprintf(text, sizeof(text), "greedy slices=%u kind=compute memory=2M", self->compute - 1);
	EXPECT_EQ(-ENOSPC, write_to("create", text));
	snprintf(text, sizeof(text),
		 "ENOSPC: insufficient slices of kind compute: %u free, %u asked",
		 self->compute - 2, self->compute - 1);
	EXPECT_STREQ(text, read_from("last_error"));
}

/* Buffers that cannot be evicted: there is as much as was promised, whatever others take */
TEST_F(nodes, its_vram_is_kept)
{
	uint32_t flags = DRM_TESSERA_BO_VRAM | DRM_TESSERA_BO_CONTIGUOUS, handle;
	int others = tess_open();
	unsigned int i;

	for (i = 0; __tess_bo_create(others, MIB, flags, &handle) == 0; i++)
		;
	EXPECT_LT(0u, i);
	EXPECT_GT(MIB, tess_sysfs_value("vram_free"));
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, __tess_bo_create(self->fd, 2 * MIB, DRM_TESSERA_BO_VRAM, &handle));
	EXPECT_EQ(16 * MIB, memory_of(self->fd).vram_used);
	EXPECT_EQ(0u, memory_of(self->fd).vram_free);
	close(others);
}

TEST_F(nodes, it_gets_no_more_vram)
{
	uint32_t flags = DRM_TESSERA_BO_VRAM | DRM_TESSERA_BO_CONTIGUOUS, handle;
	unsigned int i;

	for (i = 0; i < 16; i++)
		EXPECT_EQ(0, __tess_bo_create(self->fd, MIB, flags, &handle));
	EXPECT_EQ(-ENOSPC, __tess_bo_create(self->fd, TESS_PAGE, flags, &handle));
	EXPECT_EQ(-ENOSPC, __tess_bo_create(self->fd, TESS_PAGE, DRM_TESSERA_BO_VRAM, &handle));
	EXPECT_EQ(16 * MIB, memory_of(self->fd).vram_used);
	EXPECT_EQ(self->vram_free - 16 * MIB, tess_sysfs_value("vram_free"));
}

/* A queue of all slices that there may be takes no notice */
TEST_F(nodes, changes_while_it_works)
{
	static const char *const shapes[] = {
		"slices=4",
		"slices=1",
		"slices=3 memory=2M",
		"slices=2 kind=any memory=4M",
		"slices=1 kind=compute",
		"slices=4",
	};
	struct drm_tessera_queue_create args = { .slices = self->all };
	uint32_t *word;
	struct tess_ctx ctx;
	unsigned int i;

	tess_ctx_open_on(&ctx, self->fd, __builtin_ctzll(mask_of(self->fd)));
	word = (uint32_t *)ctx.data;
	args.vm = ctx.vm;
	ASSERT_EQ(0, tess_ioctl(ctx.fd, DRM_IOCTL_TESSERA_QUEUE_CREATE, &args));
	ctx.queue = args.id;
	for (i = 0; i < 60; i++) {
		tess_begin(&ctx);
		tess_dispatch(&ctx, TESS_K_DELAY, 1, 1, TESS_DATA_VA + 64, 2000);
		tess_fill(&ctx, TESS_DATA_VA, 4, i);
		ASSERT_EQ(0, __tess_ctx_submit(&ctx));
		if (i % 10 == 5)
			EXPECT_EQ(0, write_to(NODE "/blueprint", shapes[i / 10]));
		EXPECT_EQ(0, tess_ctx_wait(&ctx));
		EXPECT_EQ(i, word[0]);
	}
	EXPECT_EQ(4u, count_of(mask_of(self->fd)));
	EXPECT_EQ(self->all, mask_of(self->fd) | mask_of(self->gpu));
}

TEST_F(nodes, gives_up_vram)
{
	uint32_t handle = tess_bo_create(self->fd, 12 * MIB, DRM_TESSERA_BO_VRAM), other;
	uint32_t *word = tess_bo_mmap(self->fd, handle, 12 * MIB);
	size_t i, wrong = 0;

	for (i = 0; i < 3 * MIB; i += 1024)
		word[i] = i;
	/* That one has to leave VRAM, and keeps what is in it */
	EXPECT_EQ(0, write_to(NODE "/blueprint", "memory=2M"));
	EXPECT_EQ(4 * MIB, memory_of(self->fd).vram_total);
	EXPECT_EQ(12 * MIB, memory_of(self->fd).vram_evicted);
	for (i = 0; i < 3 * MIB; i += 1024)
		wrong += word[i] != i;
	EXPECT_EQ(0u, wrong);
	EXPECT_EQ(self->vram_free - 4 * MIB, tess_sysfs_value("vram_free"));

	/* This one cannot */
	EXPECT_EQ(0, __tess_bo_create(self->fd, 3 * MIB,
				      DRM_TESSERA_BO_VRAM | DRM_TESSERA_BO_CONTIGUOUS, &other));
	EXPECT_EQ(-EBUSY, write_to(NODE "/blueprint", "slices=1"));
	EXPECT_NE(NULL, strstr(read_from(NODE "/last_error"), "are in use"));
	EXPECT_EQ(4 * MIB, memory_of(self->fd).vram_total);
	EXPECT_EQ(2u, count_of(mask_of(self->fd)));
	EXPECT_EQ(0, __tess_bo_close(self->fd, other));
	EXPECT_EQ(0, write_to(NODE "/blueprint", "slices=1"));
}

TEST_F(nodes, goes_while_it_is_open)
{
	struct drm_tessera_query_gpu gpu;
	struct tess_ctx ctx;

	tess_ctx_open_on(&ctx, self->fd, __builtin_ctzll(mask_of(self->fd)));
	tess_dispatch(&ctx, TESS_K_DELAY, 1, 1, TESS_DATA_VA, 20000);
	ASSERT_EQ(0, __tess_ctx_submit(&ctx));
	EXPECT_EQ(0, write_to("remove", NODE));
	EXPECT_EQ(-ENODEV, __tess_query(self->fd, DRM_TESSERA_QUERY_GPU, &gpu, sizeof(gpu)));
	EXPECT_EQ(self->all, mask_of(self->gpu));
	EXPECT_STREQ("", read_from(NODE "/device"));
	EXPECT_EQ(-ENOENT, write_to("remove", NODE));
}

TEST_F(nodes, says_what_is_wrong)
{
	static const struct {
		const char *text;
		int error;
	} cases[] = {
		{ " \n", -EINVAL },
		{ "a/b slices=1 memory=2M", -EINVAL },
		{ ".hidden slices=1 memory=2M", -EINVAL },
		{ "a$b slices=1 memory=2M", -EINVAL },
		{ "0123456789012345678901234567890123456789012345678901234567890123 slices=1 memory=2M",
		  -EINVAL },
		{ NODE " slices=1 memory=2M", -EEXIST },
		{ "drm slices=1 memory=2M", -EEXIST },
		{ "other slices=1", -EOPNOTSUPP },
		{ "other slices=1 memory=2M share=shared", -EOPNOTSUPP },
		{ "other slices=2 min=1 max=3 memory=2M", -EOPNOTSUPP },
		{ "other slices=1 memory=2M gpus=2", -EINVAL },
		{ "other slices=1 kind=mixed memory=2M heads=1", -EOPNOTSUPP },
		{ "other slices=1 memory=2M engines=copy", -EOPNOTSUPP },
		{ "other slices=1 kind=compute memory=2M texels=1", -ENOSPC },
		{ "other slices=65 memory=2M", -EINVAL },
		{ "other slices=1 memory=3000G", -EINVAL },
		{ "other slices=1 memory=2M colour=blue", -EINVAL },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		TH_LOG("case %u: \"%s\"", i, cases[i].text);
		EXPECT_EQ(cases[i].error, write_to("create", cases[i].text));
		EXPECT_NE(0, strcmp("none", read_from("last_error")));
	}
	EXPECT_EQ(0, write_to("create", "other slices=1 memory=2M"));
	EXPECT_STREQ("none", read_from("last_error"));
	EXPECT_EQ(0, write_to("remove", "other"));
}

TEST_HARNESS_MAIN
