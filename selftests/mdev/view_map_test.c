// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What viewers have mapped of heads: flips, and heads, VMMs, GPUs and mdevs that go while files are
 * open and mapped.
 */
#include <fcntl.h>
#include <linux/vfio.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"
#include "gpus.h"
#include "harness.h"
#include "heads.h"
#include "vgpu.h"
#include "views.h"

#define WIDTH 640
#define HEIGHT 480
#define PITCH (WIDTH * 4)
#define SIZE (PITCH * HEIGHT)
#define SECOND (2ULL << 20)

static const struct head_plane picture = { XRGB8888, WIDTH, HEIGHT, PITCH, 0 };

FIXTURE(view_map)
{
	struct vgpu v;
	char uuid[37];
	uint8_t *vram;
	int fd;
};

static void open_vgpu(struct __test_metadata *_metadata, struct __fixture_view_map *self)
{
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
	self->vram = vgpu_mmap(&self->v, TESS_BAR_VRAM, 0, SECOND + SIZE);
	ASSERT_NE(MAP_FAILED, self->vram);
}

FIXTURE_SETUP(view_map)
{
	mdev_remove_all();
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=1 kind=render heads=2"));
	open_vgpu(_metadata, self);
	self->fd = view_open(self->uuid);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(view_map)
{
	close(self->fd);
	vgpu_close(&self->v);
	mdev_remove_all();
}

TEST_F(view_map, flips_withdraw)
{
	const struct head_plane second = { XRGB8888, WIDTH, HEIGHT, PITCH, SECOND };
	const struct head_plane half = { XRGB8888, WIDTH, HEIGHT / 2, PITCH, SECOND };
	const uint8_t *seen = view_map(self->fd, 0, SIZE), *other = view_map(self->fd, 1, SIZE);
	long long faults;

	ASSERT_NE(MAP_FAILED, (void *)seen);
	ASSERT_NE(MAP_FAILED, (void *)other);
	pattern_fill(self->vram, SIZE, 1);
	pattern_fill(self->vram + SECOND, SIZE, 2);
	EXPECT_EQ(-1, zero_check(seen, SIZE));
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	ASSERT_EQ(0, head_show(&self->v, 1, &second, NULL));
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 1));
	EXPECT_EQ(-1, pattern_check(other, SIZE, 2));
	/* No page of it is faulted in twice, and some at a time */
	faults = mdev_stat(self->uuid, "mmap_faults");
	EXPECT_EQ(-1, pattern_check(other, SIZE, 2));
	EXPECT_EQ(faults, mdev_stat(self->uuid, "mmap_faults"));
	ASSERT_EQ(0, head_show(&self->v, 0, &second, NULL));
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 2));
	EXPECT_LT(faults, mdev_stat(self->uuid, "mmap_faults"));
	EXPECT_GE(faults + SIZE / PAGE / 8, mdev_stat(self->uuid, "mmap_faults"));
	/* Each head for itself */
	faults = mdev_stat(self->uuid, "mmap_faults");
	EXPECT_EQ(-1, pattern_check(other, SIZE, 2));
	EXPECT_EQ(faults, mdev_stat(self->uuid, "mmap_faults"));
	/* What is drawn where it is shown stays mapped, and no more than that is */
	pattern_fill(self->vram + SECOND, SIZE, 5);
	faults = mdev_stat(self->uuid, "mmap_faults");
	ASSERT_EQ(0, head_show(&self->v, 0, &second, NULL));
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 5));
	EXPECT_EQ(faults, mdev_stat(self->uuid, "mmap_faults"));
	ASSERT_EQ(0, head_show(&self->v, 0, &half, NULL));
	EXPECT_EQ(-1, pattern_check(seen, SIZE / 2, 5));
	EXPECT_EQ(-1, zero_check(seen + SIZE / 2, SIZE / 2));
	pattern_fill(self->vram + SECOND, SIZE, 2);
	ASSERT_EQ(0, head_show(&self->v, 0, &second, NULL));
	ASSERT_EQ(0, head_show(&self->v, 1, &picture, NULL));
	EXPECT_EQ(-1, pattern_check(other, SIZE, 1));
	head_disable(&self->v, 1);
	EXPECT_EQ(-1, zero_check(other, SIZE));
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 2));
	ASSERT_EQ(0, ioctl(self->v.device, VFIO_DEVICE_RESET));
	EXPECT_EQ(-1, zero_check(seen, SIZE));
	pattern_fill(self->vram, SIZE, 3);
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 3));
	vgpu_close(&self->v);
	EXPECT_EQ(-1, zero_check(seen, SIZE));
	open_vgpu(_metadata, self);
	pattern_fill(self->vram, SIZE, 4);
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 4));
}

/* What a child inherits, and what was moved, is withdrawn like the rest */
TEST_F(view_map, fork_and_mremap)
{
	const struct head_plane second = { XRGB8888, WIDTH, HEIGHT, PITCH, SECOND };
	const uint8_t *seen = view_map(self->fd, 0, SIZE), *moved;
	struct iovec part = { .iov_len = PAGE };
	int go[2], come[2], status, ends[2];
	char c = 0;
	void *to;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, (void *)seen);
	ASSERT_EQ(0, pipe(go) | pipe(come) | pipe(ends));
	pattern_fill(self->vram, SIZE, 1);
	pattern_fill(self->vram + SECOND, SIZE, 2);
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 1));
	pid = fork();
	if (!pid) {
		status = pattern_check(seen, SIZE, 1) != -1;
		if (write(come[1], &c, 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(2);
		_exit(status || pattern_check(seen, SIZE, 2) != -1);
	}
	ASSERT_EQ(1, read(come[0], &c, 1));
	ASSERT_EQ(0, head_show(&self->v, 0, &second, NULL));
	ASSERT_EQ(1, write(go[1], &c, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 2));
	EXPECT_EQ(MAP_FAILED, mremap((void *)seen, SIZE, SIZE + PAGE, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	to = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	moved = mremap((void *)seen, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	ASSERT_EQ((void *)moved, to);
	EXPECT_EQ(-1, pattern_check(moved, SIZE, 2));
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	EXPECT_EQ(-1, pattern_check(moved, SIZE, 1));
	/* Nobody gets hold of a page itself */
	part.iov_base = (void *)moved;
	EXPECT_ERRNO(EFAULT, vmsplice(ends[1], &part, 1, 0));
}

/* ---- the vGPU changes, or goes ---- */

TEST_F(view_map, recomposed)
{
	const struct head_plane second = { XRGB8888, WIDTH, HEIGHT, PITCH, SECOND };
	const uint8_t *seen = view_map(self->fd, 0, SIZE), *other = view_map(self->fd, 1, SIZE);
	struct tessera_view_look l;

	ASSERT_NE(MAP_FAILED, (void *)seen);
	ASSERT_NE(MAP_FAILED, (void *)other);
	pattern_fill(self->vram, SIZE, 1);
	pattern_fill(self->vram + SECOND, SIZE, 2);
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	ASSERT_EQ(0, head_show(&self->v, 1, &second, NULL));
	EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 0, &l));
	EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 1, &l));
	EXPECT_EQ(0, view_look(self->fd, 2, &l));
	EXPECT_EQ(-1, pattern_check(other, SIZE, 2));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "heads=1"));
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_EQ(0, view_look(self->fd, 1, &l));
	EXPECT_EQ(2, l.serial);
	EXPECT_EQ(-1, zero_check(other, SIZE));
	EXPECT_EQ(0, view_polled(self->fd));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "heads=3"));
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_EQ(VIEW_CONNECTED, view_look(self->fd, 1, &l));
	EXPECT_EQ(2, l.serial);
	EXPECT_EQ(VIEW_CONNECTED, view_look(self->fd, 2, &l));
	EXPECT_EQ(0, view_polled(self->fd));
	ASSERT_EQ(0, head_show(&self->v, 2, &second, NULL));
	EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 2, &l));
	/* Nothing of it concerns head 0 */
	EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 0, &l));
	EXPECT_EQ(1, l.serial);
	EXPECT_EQ(0, l.x2 | l.y2);
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 1));
	/* While it is not open, its heads can be any; the file stays */
	vgpu_close(&self->v);
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "none"));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=1 kind=render heads=1"));
	open_vgpu(_metadata, self);
	pattern_fill(self->vram, SIZE, 3);
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 0, &l));
	EXPECT_EQ(3, l.serial);
	EXPECT_EQ(WIDTH, l.x2);
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 3));
}

/* Waits without a limit for the end of the vGPU */
static void *wait_for_end(void *arg)
{
	struct pollfd p = { .fd = *(int *)arg, .events = POLLIN };

	return poll(&p, 1, -1) == 1 && p.revents == (POLLHUP | POLLERR) ? arg : NULL;
}

/* How a process ends that reads there */
static int end_of_reader(const uint8_t *at)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(*(volatile const uint8_t *)at & 0);
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static int create_as(const char *uuid)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/mdev_supported_types/%s-blank/create", gpu_dir(),
		 gpu_driver());
	return file_write(path, uuid);
}

TEST_F(view_map, removed)
{
	const uint8_t *seen = view_map(self->fd, 0, SIZE);
	int event = eventfd(0, EFD_CLOEXEC), fd;
	struct tessera_view_look l;
	pthread_t thread;
	void *good;

	ASSERT_NE(MAP_FAILED, (void *)seen);
	ASSERT_EQ(0, view_event(self->fd, 0, event));
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	vgpu_close(&self->v);
	EXPECT_EQ(-1, zero_check(seen, SIZE));
	EXPECT_EQ(0, view_look(self->fd, 0, &l));
	EXPECT_EQ(0, eventfd_wait(event, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_end, &self->fd));
	EXPECT_EQ(0, end_of_reader(seen));
	usleep(100000);
	ASSERT_EQ(0, mdev_remove(self->uuid));
	ASSERT_EQ(0, pthread_join(thread, &good));
	EXPECT_NE(NULL, good);
	EXPECT_EQ(POLLHUP | POLLERR, view_polled(self->fd));
	EXPECT_EQ(1, eventfd_wait(event, 0));
	EXPECT_EQ(SIGBUS, WTERMSIG(end_of_reader(seen)));
	EXPECT_EQ(SIGBUS, WTERMSIG(end_of_reader(seen + SIZE - 1)));
	EXPECT_ERRNO(ENODEV, ioctl(self->fd, TESSERA_VIEW_LOOK, &(struct tessera_view_look){ 0 }));
	EXPECT_ERRNO(ENODEV, view_event(self->fd, 1, event));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_ERRNO(ENOENT, view_open(self->uuid));
	/* The next one of the name is another, whatever is open */
	ASSERT_EQ(0, create_as(self->uuid));
	fd = view_open(self->uuid);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, view_look(fd, 0, &l));
	EXPECT_EQ(0, l.serial);
	EXPECT_ERRNO(ENODEV, ioctl(self->fd, TESSERA_VIEW_LOOK, &(struct tessera_view_look){ 0 }));
	close(fd);
	close(event);
}

TEST_F(view_map, moved_to_another_gpu)
{
	const uint8_t *seen = view_map(self->fd, 1, SIZE);
	struct tessera_view_look l;
	unsigned int i, gpu = home_gpu();

	if (gpu_value(1, "slices_total") < 0)
		SKIP(return, "needs two GPUs");
	ASSERT_NE(MAP_FAILED, (void *)seen);
	pattern_fill(self->vram, SIZE, 1);
	ASSERT_EQ(0, head_show(&self->v, 1, &picture, NULL));
	EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 1, &l));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-1, pattern_check(seen, SIZE, 1 + i));
		gpu = !gpu;
		ASSERT_EQ(0, mdev_attr_write(self->uuid, "gpu", gpu_name_of(gpu)));
		/* The same picture, which needs no look; it is the memory there */
		EXPECT_EQ(0, view_polled(self->fd));
		EXPECT_EQ(-1, pattern_check(seen, SIZE, 1 + i));
		pattern_fill(self->vram, SIZE, 2 + i);
		EXPECT_EQ(-1, pattern_check(seen, SIZE, 2 + i));
		EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 1, &l));
		EXPECT_EQ(1, l.serial);
		EXPECT_EQ(0, l.x2 | l.y2);
	}
}

TEST_F(view_map, gpu_pulled)
{
	const uint8_t *seen = view_map(self->fd, 1, SIZE);
	unsigned int away = !home_gpu();
	struct tessera_view_look l;
	char pci[32];

	if (gpu_value(1, "slices_total") < 0)
		SKIP(return, "needs two GPUs");
	ASSERT_NE(MAP_FAILED, (void *)seen);
	ASSERT_EQ(0, gpu_text(away, "name", pci, sizeof(pci)));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "gpu", gpu_name_of(away)));
	pattern_fill(self->vram, SIZE, 1);
	ASSERT_EQ(0, head_show(&self->v, 1, &picture, NULL));
	EXPECT_EQ(VIEW_CONNECTED, view_look(self->fd, 0, &l));
	EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 1, &l));
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 1));
	gpu_answers(pci, false);
	ASSERT_EQ(0, gpu_unbind(pci));
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_EQ(0, view_look(self->fd, 0, &l));
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_EQ(0, view_look(self->fd, 1, &l));
	EXPECT_EQ(2, l.serial);
	EXPECT_EQ(-1, zero_check(seen, SIZE));
	vgpu_close(&self->v);
	EXPECT_EQ(0, view_look(self->fd, 1, &l));
	EXPECT_EQ(2, l.serial);
	ASSERT_EQ(0, gpu_answers(pci, true));
	ASSERT_EQ(0, gpu_bind(pci));
}

TEST_F(view_map, wrong_mappings)
{
	const uint64_t last = (0xffffffffULL & ~(PAGE - 1)) - PAGE;
	int fd = view_open_as(self->uuid, O_RDWR);
	void *seen;

	ASSERT_LE(0, fd);
#define EXPECT_NO_MAP(error, size, prot, flags, fd, at)                                \
	do {                                                                           \
		EXPECT_EQ(MAP_FAILED, mmap(NULL, size, prot, flags, fd, (off_t)(at))); \
		EXPECT_EQ(error, errno);                                               \
	} while (0)
	EXPECT_NO_MAP(EACCES, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	EXPECT_NO_MAP(EACCES, PAGE, PROT_WRITE, MAP_SHARED, fd, 0);
	EXPECT_NO_MAP(EACCES, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0);
	EXPECT_NO_MAP(EINVAL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	EXPECT_NO_MAP(EINVAL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	EXPECT_NO_MAP(EINVAL, PAGE, PROT_READ, MAP_SHARED, fd, 4ULL << 32);
	EXPECT_NO_MAP(EINVAL, PAGE, PROT_READ, MAP_SHARED, fd, 1ULL << 62);
	/* Not from one head to the next */
	EXPECT_NO_MAP(EINVAL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, last);
	EXPECT_NO_MAP(EINVAL, PAGE, PROT_READ, MAP_SHARED, fd, last + PAGE);
	EXPECT_NO_MAP(EINVAL, 1ULL << 33, PROT_READ, MAP_SHARED, fd, 0);
	seen = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, (off_t)(3ULL << 32 | last));
	ASSERT_NE(MAP_FAILED, seen);
	EXPECT_EQ(-1, zero_check(seen, PAGE));
	EXPECT_ERRNO(EACCES, mprotect(seen, PAGE, PROT_READ | PROT_WRITE));
	munmap(seen, PAGE);
	/* A mapping keeps its file, and what that waits for */
	seen = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	memset(self->vram, 7, PAGE);
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	EXPECT_EQ(7, *(uint8_t *)seen);
	munmap(seen, PAGE);
}

TEST_HARNESS_MAIN
