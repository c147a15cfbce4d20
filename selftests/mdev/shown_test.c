// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Automatic vGPUs follow what their heads show: heads that come and go, other modes, and frames
 * that are copied for a viewer elsewhere take as many slices as have the memory for that, within
 * what the blueprint allows. With the policy "manual" nothing happens, but the profile tells.
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpus.h"
#include "harness.h"
#include "heads.h"
#include "vgpu.h"
#include "views.h"

#define PERIOD_FILE "/sys/module/tessera/parameters/adapt_period_ms"
#define LIMIT_MS 60000
#define LOOKS 10

#define WIDTH 1024
#define HEIGHT 768
#define PITCH (WIDTH * 4)
#define NS_PER_S 1000000000
/* Each slice gives 256 MB/s; 60 frames of this size are 189 MB, and three times that to copy */
#define HZ_OF_ONE 60
#define HZ_OF_TWO 120

FIXTURE(shown)
{
	char uuid[37];
	struct vgpu v;
	bool open;
};

static void open_shown(struct __test_metadata *_metadata, struct __fixture_shown *self,
		       const char *policy)
{
	char text[128];

	mdev_remove_all();
	ASSERT_EQ(0, file_write(PERIOD_FILE, "50"));
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	snprintf(text, sizeof(text), "slices=1 min=1 max=4 kind=render memory=4M heads=2 policy=%s",
		 policy);
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", text));
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
	self->open = true;
}

FIXTURE_SETUP(shown)
{
	open_shown(_metadata, self, "auto");
}

FIXTURE_TEARDOWN(shown)
{
	if (self->open)
		vgpu_close(&self->v);
	mdev_remove_all();
	file_write(PERIOD_FILE, "500");
}

/* Each head has a picture of its own */
static void show(struct __test_metadata *_metadata, struct vgpu *v, unsigned int n, unsigned int hz)
{
	const struct head_plane plane = { XRGB8888, WIDTH, HEIGHT, PITCH,
					  (uint64_t)n * PITCH * HEIGHT };

	head_write(v, n, TESS_DREG_PERIOD, NS_PER_S / hz);
	ASSERT_EQ(0, head_commit(v, n, &plane));
	head_wait(v, n, TESS_DEVENT_FLIP);
}

static unsigned int slices_of(const char *uuid)
{
	unsigned int n = 0;

	sscanf(mdev_attr(uuid, "blueprint"), "slices=%u", &n);
	return n;
}

static bool becomes(const char *uuid, unsigned int slices)
{
	unsigned int ms;

	for (ms = 0; ms < LIMIT_MS; ms += 50) {
		if (slices_of(uuid) == slices)
			return true;
		usleep(50000);
	}
	ksft_print_msg("%s\n", mdev_attr(uuid, "blueprint"));
	ksft_print_msg("%s\n", mdev_attr(uuid, "profile"));
	return false;
}

static bool profile_has(const char *uuid, const char *words)
{
	const char *is = mdev_attr(uuid, "profile");

	if (strstr(is, words))
		return true;
	ksft_print_msg("\"%s\" is not in \"%s\"\n", words, is);
	return false;
}

/* From then on it gets fewer slices, too */
static void work(struct __test_metadata *_metadata, struct vgpu *v)
{
	struct ring r;

	ring_start(&r, v, 0);
	ring_fill(&r, DATA_GPA, 4096, 0x5407);
	ASSERT_EQ(0, ring_finish(&r));
}

TEST_F_TIMEOUT(shown, heads, 400)
{
	struct vgpu *v = &self->v;

	EXPECT_TRUE(profile_has(self->uuid, " displays=2 path=local"));
	/* One that never worked gets more, and keeps them */
	show(_metadata, v, 0, HZ_OF_TWO);
	EXPECT_TRUE(becomes(self->uuid, 2));
	EXPECT_TRUE(profile_has(self->uuid, " displays=1@1024x768@120 path=local"));
	work(_metadata, v);
	show(_metadata, v, 0, HZ_OF_ONE);
	EXPECT_TRUE(becomes(self->uuid, 1));
	EXPECT_TRUE(profile_has(self->uuid, " displays=1@1024x768@60 path=local"));
	/* A head comes, and goes */
	show(_metadata, v, 1, HZ_OF_ONE);
	EXPECT_TRUE(becomes(self->uuid, 2));
	EXPECT_TRUE(profile_has(self->uuid, " displays=2@1024x768@60 path=local"));
	head_disable(v, 1);
	EXPECT_TRUE(becomes(self->uuid, 1));
	/* What was asked for is what was written */
	EXPECT_FALSE(strstr(mdev_attr(self->uuid, "blueprint"), "displays="));
}

TEST_F_TIMEOUT(shown, path, 400)
{
	struct vgpu *v = &self->v;

	work(_metadata, v);
	show(_metadata, v, 0, HZ_OF_ONE);
	EXPECT_TRUE(profile_has(self->uuid, " displays=1@1024x768@60 path=local"));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "path=remote"));
	EXPECT_TRUE(becomes(self->uuid, 3));
	EXPECT_TRUE(profile_has(self->uuid, " path=remote"));
	/* Not even four can copy so much: it gets these */
	show(_metadata, v, 0, 4 * HZ_OF_ONE);
	EXPECT_TRUE(becomes(self->uuid, 4));
	show(_metadata, v, 0, HZ_OF_ONE);
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "path=local"));
	EXPECT_TRUE(becomes(self->uuid, 1));
	EXPECT_STREQ("none", mdev_attr(self->uuid, "last_error"));
}

/* A viewer elsewhere has its frames copied, for as long as it has some of a head mapped */
TEST_F_TIMEOUT(shown, viewer, 400)
{
	const size_t size = 8 * (size_t)sysconf(_SC_PAGESIZE), page = size / 8;
	struct tessera_view_look look;
	struct vgpu *v = &self->v;
	uint8_t *map;
	int fd;

	work(_metadata, v);
	show(_metadata, v, 0, HZ_OF_ONE);
	EXPECT_TRUE(profile_has(self->uuid, " displays=1@1024x768@60 path=local"));
	fd = view_open(self->uuid);
	ASSERT_LE(0, fd);
	EXPECT_EQ(VIEW_SHOWN, view_look(fd, 0, &look));
	EXPECT_TRUE(profile_has(self->uuid, " path=local"));
	map = (uint8_t *)view_map(fd, 0, size);
	ASSERT_NE(MAP_FAILED, (void *)map);
	EXPECT_TRUE(profile_has(self->uuid, " path=remote"));
	EXPECT_TRUE(becomes(self->uuid, 3));
	/* Nobody asked for it */
	EXPECT_FALSE(strstr(mdev_attr(self->uuid, "blueprint"), "path="));
	/* A hole makes two of one */
	EXPECT_EQ(0, munmap(map + page, page));
	EXPECT_EQ(0, munmap(map, page));
	EXPECT_TRUE(profile_has(self->uuid, " path=remote"));
	EXPECT_EQ(0, munmap(map + 2 * page, size - 2 * page));
	EXPECT_TRUE(profile_has(self->uuid, " path=local"));
	EXPECT_TRUE(becomes(self->uuid, 1));
	close(fd);
}

/* What a child has mapped counts, too, and ends with it */
TEST_F_TIMEOUT(shown, child_of_viewer, 100)
{
	int fd, held[2];
	uint8_t *map;
	pid_t child;
	char c;

	fd = view_open(self->uuid);
	ASSERT_LE(0, fd);
	map = (uint8_t *)view_map(fd, 0, 4096);
	ASSERT_NE(MAP_FAILED, (void *)map);
	ASSERT_EQ(0, pipe(held));
	child = fork();
	if (!child) {
		close(held[1]);
		_exit(read(held[0], &c, 1));
	}
	ASSERT_LT(0, child);
	close(held[0]);
	munmap(map, 4096);
	close(fd);
	EXPECT_TRUE(profile_has(self->uuid, " path=remote"));
	close(held[1]);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	EXPECT_TRUE(profile_has(self->uuid, " path=local"));
}

TEST_F_TIMEOUT(shown, manual, 100)
{
	struct vgpu *v = &self->v;

	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "policy=manual"));
	work(_metadata, v);
	show(_metadata, v, 0, HZ_OF_TWO);
	show(_metadata, v, 1, HZ_OF_ONE);
	EXPECT_TRUE(profile_has(self->uuid, " displays=2@1024x768@120 path=local"));
	usleep(LOOKS * 50000);
	EXPECT_EQ(1, slices_of(self->uuid));
	/* A VMM that ends shows nothing */
	vgpu_close(v);
	self->open = false;
	EXPECT_TRUE(profile_has(self->uuid, " displays=2 path=local"));
}

TEST_HARNESS_MAIN
