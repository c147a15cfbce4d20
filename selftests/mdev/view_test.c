// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Viewers of all heads: what they are told and see, which damage each has not looked at yet, how
 * they wait, and what is refused.
 */
#include <fcntl.h>
#include <linux/vfio.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "heads.h"
#include "vgpu.h"
#include "views.h"

#define WIDTH 640
#define HEIGHT 480
#define PITCH (WIDTH * 4)
#define SIZE (PITCH * HEIGHT)
#define SECOND (2ULL << 20)
#define FILES 16

_Static_assert(sizeof(struct tessera_view_look) == 80, "layout of struct tessera_view_look");
_Static_assert(offsetof(struct tessera_view_look, offset) == 32, "the same");
_Static_assert(offsetof(struct tessera_view_look, pad) == 76, "the same");
_Static_assert(sizeof(struct tessera_view_event) == 8, "layout of struct tessera_view_event");

static const struct head_plane picture = { XRGB8888, WIDTH, HEIGHT, PITCH, 0 };
static const struct head_rect whole = { 0, 0, WIDTH, HEIGHT };
static const struct head_rect nothing = { 0, 0, 0, 0 };

FIXTURE(view)
{
	struct vgpu v;
	char uuid[37];
	uint8_t *vram;
	int fd;
};

static void open_vgpu(struct __test_metadata *_metadata, struct __fixture_view *self)
{
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
	self->vram = vgpu_mmap(&self->v, TESS_BAR_VRAM, 0, SECOND + SIZE);
	ASSERT_NE(MAP_FAILED, self->vram);
}

FIXTURE_SETUP(view)
{
	mdev_remove_all();
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=1 kind=render heads=2"));
	open_vgpu(_metadata, self);
	self->fd = view_open(self->uuid);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(view)
{
	close(self->fd);
	vgpu_close(&self->v);
	mdev_remove_all();
}

/* What LOOK of a file says is damaged, which is then looked at */
static void expect_damage(struct __test_metadata *_metadata, int fd, unsigned int n,
			  struct head_rect r)
{
	struct tessera_view_look l;

	ASSERT_NE(~0U, view_look(fd, n, &l));
	EXPECT_EQ(r.x1, l.x1);
	EXPECT_EQ(r.y1, l.y1);
	EXPECT_EQ(r.x2, l.x2);
	EXPECT_EQ(r.y2, l.y2);
}

/* ---- what there is ---- */

TEST_F(view, device)
{
	char path[256], text[32], dev[32];
	struct stat st;
	int status;
	pid_t pid;

	ASSERT_EQ(0, fstat(self->fd, &st));
	EXPECT_EQ(S_IFCHR | 0600, st.st_mode);
	EXPECT_EQ(0, st.st_uid);
	snprintf(path, sizeof(path), "/sys/bus/mdev/devices/%s/tessera_view/%s/dev", self->uuid,
		 self->uuid);
	ASSERT_EQ(0, file_read(path, text, sizeof(text)));
	snprintf(dev, sizeof(dev), "%u:%u\n", major(st.st_rdev), minor(st.st_rdev));
	EXPECT_STREQ(dev, text);
	EXPECT_TRUE(strstr(mdev_attr(self->uuid, "features"), " view"));
	pid = fork();
	if (!pid)
		_exit(setuid(65534) || view_open(self->uuid) >= 0 || errno != EACCES);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	vgpu_close(&self->v);
	ASSERT_EQ(0, mdev_remove(self->uuid));
	EXPECT_ERRNO(ENOENT, view_open(self->uuid));
}

/* Whether a VMM has it or not, as it is first when there is nothing yet */
TEST_F(view, with_and_without_a_vmm)
{
	struct tessera_view_look l;
	char uuid[37];
	unsigned int n;
	int fd;

	ASSERT_EQ(0, mdev_create("blank", uuid));
	fd = view_open(uuid);
	ASSERT_LE(0, fd);
	for (n = 0; n < TESSERA_VIEW_HEADS; n++) {
		EXPECT_EQ(0, view_look(fd, n, &l));
		EXPECT_EQ(n, l.head);
		EXPECT_EQ((uint64_t)n << 32, l.offset);
		EXPECT_EQ(0, l.serial | l.format | l.width | l.height | l.pitch | l.size);
		EXPECT_EQ(0, l.shown_ns | l.period_ns | l.x1 | l.y1 | l.x2 | l.y2 | l.pad);
	}
	close(fd);
	for (n = 0; n < TESSERA_VIEW_HEADS; n++)
		EXPECT_EQ(n < 2 ? VIEW_CONNECTED : 0, view_look(self->fd, n, &l));
	ASSERT_EQ(0, head_show(&self->v, 1, &picture, NULL));
	EXPECT_EQ(VIEW_CONNECTED, view_look(self->fd, 0, &l));
	EXPECT_EQ(0, l.serial);
	EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 1, &l));
	EXPECT_EQ(1, l.serial);
	vgpu_close(&self->v);
	EXPECT_EQ(0, view_look(self->fd, 1, &l));
	EXPECT_EQ(2, l.serial);
	/* The other one showed nothing, but is gone, too */
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_EQ(1ULL << 32, l.offset);
	EXPECT_EQ(0, l.format | l.width | l.height | l.pitch | l.size | l.shown_ns);
	EXPECT_EQ(0, view_look(self->fd, 0, &l));
	EXPECT_EQ(0, view_polled(self->fd));
	open_vgpu(_metadata, self);
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_EQ(VIEW_CONNECTED, view_look(self->fd, 0, &l));
	EXPECT_EQ(VIEW_CONNECTED, view_look(self->fd, 1, &l));
	EXPECT_EQ(2, l.serial);
	ASSERT_EQ(0, head_show(&self->v, 1, &picture, &(struct head_rect){ 1, 2, 3, 4 }));
	EXPECT_EQ(3, view_serial(self->fd, 1));
	ASSERT_EQ(0, ioctl(self->v.device, VFIO_DEVICE_RESET));
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_EQ(VIEW_CONNECTED, view_look(self->fd, 1, &l));
	EXPECT_EQ(4, l.serial);
	/* Nothing was shown since then */
	ASSERT_EQ(0, ioctl(self->v.device, VFIO_DEVICE_RESET));
	head_disable(&self->v, 1);
	EXPECT_EQ(0, view_polled(self->fd));
	EXPECT_EQ(4, view_serial(self->fd, 1));
	ASSERT_EQ(0, head_show(&self->v, 1, &picture, &(struct head_rect){ 1, 2, 3, 4 }));
	expect_damage(_metadata, self->fd, 1, whole);
}

static uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Pixel by pixel */
TEST_F(view, two_heads)
{
	const struct head_plane small = { RGB565, 200, 100, 512, SECOND };
	struct tessera_view_look l[2];
	const uint8_t *seen[2];
	uint64_t start;
	unsigned int x, y, wrong = 0;

	pattern_fill(self->vram, SIZE, 1);
	memset(self->vram + SECOND, 0x5a, SIZE);
	for (y = 0; y < 100; y++)
		for (x = 0; x < 200; x++)
			((uint16_t *)(self->vram + SECOND + y * 512))[x] = (uint16_t)(y << 8 | x);
	start = monotonic_ns();
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	head_write(&self->v, 1, TESS_DREG_PERIOD, 20000000);
	ASSERT_EQ(0, head_show(&self->v, 1, &small, NULL));
	ASSERT_EQ(VIEW_SHOWN, view_look(self->fd, 0, &l[0]));
	ASSERT_EQ(VIEW_SHOWN, view_look(self->fd, 1, &l[1]));
	EXPECT_EQ(XRGB8888, l[0].format);
	EXPECT_EQ(RGB565, l[1].format);
	EXPECT_EQ(WIDTH, l[0].width);
	EXPECT_EQ(200, l[1].width);
	EXPECT_EQ(HEIGHT, l[0].height);
	EXPECT_EQ(100, l[1].height);
	EXPECT_EQ(PITCH, l[0].pitch);
	EXPECT_EQ(512, l[1].pitch);
	EXPECT_EQ(SIZE, l[0].size);
	EXPECT_EQ(13 * PAGE, l[1].size);
	EXPECT_EQ(1000000000 / 60, l[0].period_ns);
	EXPECT_EQ(20000000, l[1].period_ns);
	EXPECT_LE(start, l[0].shown_ns);
	EXPECT_LE(l[0].shown_ns, l[1].shown_ns);
	EXPECT_LE(l[1].shown_ns, monotonic_ns());
	seen[0] = mmap(NULL, l[0].size, PROT_READ, MAP_SHARED, self->fd, (off_t)l[0].offset);
	seen[1] = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, self->fd, (off_t)l[1].offset);
	ASSERT_NE(MAP_FAILED, (void *)seen[0]);
	ASSERT_NE(MAP_FAILED, (void *)seen[1]);
	EXPECT_EQ(-1, pattern_check(seen[0], SIZE, 1));
	for (y = 0; y < 100; y++)
		for (x = 0; x < 200; x++)
			wrong += ((uint16_t *)(seen[1] + y * l[1].pitch))[x] != (y << 8 | x);
	EXPECT_EQ(0, wrong);
	/* What follows it in VRAM is not shown, nor does it come with a page that is */
	EXPECT_EQ(0x5a, seen[1][13 * PAGE - 1]);
	EXPECT_EQ(-1, zero_check(seen[1] + 13 * PAGE, SIZE - 13 * PAGE));
	/* They are the memory itself */
	pattern_fill(self->vram, SIZE, 2);
	EXPECT_EQ(-1, pattern_check(seen[0], SIZE, 2));
	/* A part of a head can be mapped, too */
	seen[0] = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->fd, (off_t)l[0].offset + 5 * PAGE);
	ASSERT_NE(MAP_FAILED, (void *)seen[0]);
	EXPECT_EQ(0, memcmp(seen[0], self->vram + 5 * PAGE, PAGE));
}

/* ---- damage ---- */

TEST_F(view, damage)
{
	struct head_plane p = picture;
	int other = view_open(self->uuid);

	ASSERT_LE(0, other);
	ASSERT_EQ(0, head_show(&self->v, 0, &p, NULL));
	expect_damage(_metadata, self->fd, 0, whole);
	expect_damage(_metadata, self->fd, 0, nothing);
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ 10, 20, 30, 40 }));
	expect_damage(_metadata, self->fd, 0, (struct head_rect){ 10, 20, 30, 40 });
	/* Of several pictures, the rectangle around theirs; of another head nothing */
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ 100, 50, 110, 60 }));
	ASSERT_EQ(0, head_show(&self->v, 1, &p, &(struct head_rect){ 0, 0, 5, 5 }));
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ 90, 70, 100, 80 }));
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ WIDTH, 0, WIDTH + 1, 1 }));
	expect_damage(_metadata, self->fd, 0, (struct head_rect){ 90, 50, 110, 80 });
	/* It has a picture of its own to go by */
	expect_damage(_metadata, other, 0, whole);
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ 1, 2, 3, 4 }));
	expect_damage(_metadata, other, 0, (struct head_rect){ 1, 2, 3, 4 });
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ 5, 6, 7, 8 }));
	expect_damage(_metadata, other, 0, (struct head_rect){ 5, 6, 7, 8 });
	expect_damage(_metadata, self->fd, 0, (struct head_rect){ 1, 2, 7, 8 });
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ WIDTH, 0, WIDTH + 1, 1 }));
	EXPECT_EQ(POLLIN, view_polled(other));
	expect_damage(_metadata, other, 0, nothing);
	/* A guest that does not say */
	ASSERT_EQ(0, head_show(&self->v, 0, &p, NULL));
	expect_damage(_metadata, other, 0, whole);
	/* Of a smaller picture nothing is damaged beyond its edges */
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ 600, 400, 640, 480 }));
	p.width = 100;
	p.height = 50;
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ 1, 2, 3, 4 }));
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ 2, 2, 4, 4 }));
	expect_damage(_metadata, other, 0, (struct head_rect){ 0, 0, 100, 50 });
	expect_damage(_metadata, other, 0, nothing);
	p.format = ARGB8888;
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ 1, 2, 3, 4 }));
	expect_damage(_metadata, other, 0, (struct head_rect){ 0, 0, 100, 50 });
	p.pitch += 4;
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ 1, 2, 3, 4 }));
	expect_damage(_metadata, other, 0, (struct head_rect){ 0, 0, 100, 50 });
	/* Nothing of a dark head, looked at or not, and all of it when it is back */
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ 1, 2, 3, 4 }));
	head_disable(&self->v, 0);
	expect_damage(_metadata, other, 0, nothing);
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ 1, 2, 3, 4 }));
	expect_damage(_metadata, other, 0, (struct head_rect){ 0, 0, 100, 50 });
	head_disable(&self->v, 0);
	ASSERT_EQ(0, head_show(&self->v, 0, &p, &(struct head_rect){ 1, 2, 3, 4 }));
	expect_damage(_metadata, other, 0, (struct head_rect){ 0, 0, 100, 50 });
	expect_damage(_metadata, self->fd, 0, (struct head_rect){ 0, 0, 100, 50 });
	expect_damage(_metadata, self->fd, 1, whole);
	close(other);
}

/**
 * struct watcher - a viewer in a thread
 * @fd: file
 * @seen: mapping
 * @copy: what it has of head 0
 * @done: no picture will come
 * @looks: how often it looked
 */
struct watcher {
	int fd;
	const uint32_t *seen;
	uint32_t *copy;
	volatile bool done;
	unsigned long looks;
};

/* Copies what is damaged, until all pictures were shown and nothing is damaged */
static void *watch(void *arg)
{
	struct tessera_view_look l;
	struct watcher *w = arg;
	bool last;
	uint32_t y;

	do {
		last = w->done;
		if (view_look(w->fd, 0, &l) == ~0U)
			return NULL;
		for (y = l.y1; y < l.y2; y++)
			memcpy(w->copy + y * WIDTH + l.x1, w->seen + y * WIDTH + l.x1,
			       4 * (l.x2 - l.x1));
		w->looks++;
	} while (!last || l.x2);
	return w;
}

static void draw(uint32_t *pixels, const struct head_rect *r, uint32_t value)
{
	unsigned int x, y;

	for (y = r->y1; y < r->y2; y++)
		for (x = r->x1; x < r->x2; x++)
			pixels[y * WIDTH + x] = value;
}

/* Whenever it looks, a viewer that copies nothing but damage has the last picture in the end */
TEST_F_TIMEOUT(view, copies_are_exact, 120)
{
	uint32_t *buffers[] = { (void *)self->vram, (void *)(self->vram + SECOND) };
	struct head_rect before = whole, r;
	struct head_plane p = picture;
	struct watcher w[3] = {};
	pthread_t thread[3];
	unsigned int i, seed = 5;
	void *good;

	ASSERT_EQ(0, head_show(&self->v, 0, &p, NULL));
	for (i = 0; i < 3; i++) {
		w[i].fd = view_open(self->uuid);
		w[i].seen = (const void *)view_map(w[i].fd, 0, SIZE);
		w[i].copy = calloc(1, SIZE);
		ASSERT_NE(MAP_FAILED, (void *)w[i].seen);
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, watch, &w[i]));
	}
	for (i = 1; i <= 150; i++) {
		uint32_t *back = buffers[i % 2];

		r.x1 = (unsigned int)rand_r(&seed) % (WIDTH - 64);
		r.y1 = (unsigned int)rand_r(&seed) % (HEIGHT - 64);
		r.x2 = r.x1 + 1 + (unsigned int)rand_r(&seed) % 63;
		r.y2 = r.y1 + 1 + (unsigned int)rand_r(&seed) % 63;
		/* It lacks what the picture has that is shown */
		draw(back, &before, i - 1);
		draw(back, &r, i);
		p.address = i % 2 ? SECOND : 0;
		ASSERT_EQ(0, head_show(&self->v, 0, &p, i == 1 ? NULL : &r));
		before = r;
	}
	for (i = 0; i < 3; i++)
		w[i].done = true;
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pthread_join(thread[i], &good));
		EXPECT_NE(NULL, good);
		EXPECT_EQ(0, memcmp(w[i].copy, buffers[0], SIZE));
		TH_LOG("%lu looks", w[i].looks);
		free(w[i].copy);
		munmap((void *)w[i].seen, SIZE);
		close(w[i].fd);
	}
}

/* ---- waiting ---- */

TEST_F(view, poll)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	struct tessera_view_look l;
	struct vfio_region_info edid = { .argsz = sizeof(edid), .index = VFIO_PCI_NUM_REGIONS + 1 };
	uint32_t link = VFIO_DEVICE_GFX_LINK_STATE_DOWN;

	/* Of what it has not looked at, it waits for nothing */
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	EXPECT_EQ(0, view_polled(self->fd));
	EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 0, &l));
	EXPECT_EQ(0, view_polled(self->fd));
	ASSERT_EQ(0, head_show(&self->v, 1, &picture, NULL));
	EXPECT_EQ(0, view_polled(self->fd));
	EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 1, &l));
	ASSERT_EQ(0, head_show(&self->v, 1, &picture, NULL));
	ASSERT_EQ(0, head_show(&self->v, 1, &picture, NULL));
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 0, &l));
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 1, &l));
	EXPECT_EQ(3, l.serial);
	EXPECT_EQ(0, view_polled(self->fd));
	/* A COMMIT that is refused shows nothing, and one that waits not yet */
	EXPECT_EQ(TESS_DISPLAY_ERR_FORMAT,
		  head_commit(&self->v, 1, &(struct head_plane){ YUYV, 1, 1, 4, 0 }));
	EXPECT_EQ(0, view_polled(self->fd));
	/* The frame that shows it wakes up who waits */
	ASSERT_EQ(0, head_commit(&self->v, 1, &picture));
	ASSERT_EQ(1, poll(&p, 1, -1));
	EXPECT_EQ(POLLIN, p.revents);
	EXPECT_EQ(4, view_serial(self->fd, 1));
	/* The monitor is part of it */
	ASSERT_EQ(0, ioctl(self->v.device, VFIO_DEVICE_GET_REGION_INFO, &edid));
	edid.offset += offsetof(struct vfio_region_gfx_edid, link_state);
	ASSERT_EQ(4, pwrite(self->v.device, &link, 4, (off_t)edid.offset));
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_EQ(VIEW_GIVEN | TESSERA_VIEW_SHOWN, view_look(self->fd, 0, &l));
	EXPECT_EQ(1, l.serial);
	ASSERT_EQ(4, pwrite(self->v.device, &link, 4, (off_t)edid.offset));
	EXPECT_EQ(0, view_polled(self->fd));
	link = VFIO_DEVICE_GFX_LINK_STATE_UP;
	ASSERT_EQ(4, pwrite(self->v.device, &link, 4, (off_t)edid.offset));
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 0, &l));
	/* Up again is another EDID, perhaps, but nothing that viewers are told */
	ASSERT_EQ(4, pwrite(self->v.device, &link, 4, (off_t)edid.offset));
	EXPECT_EQ(0, view_polled(self->fd));
	head_disable(&self->v, 0);
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_EQ(VIEW_CONNECTED, view_look(self->fd, 0, &l));
	EXPECT_EQ(2, l.serial);
}

TEST_F(view, events)
{
	int first = eventfd(0, EFD_CLOEXEC), second = eventfd(0, EFD_CLOEXEC), i;

	ASSERT_EQ(0, view_event(self->fd, 2, first));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, head_show(&self->v, 1, &picture, NULL));
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	EXPECT_EQ(3, eventfd_wait(first, 0));
	ASSERT_EQ(0, view_event(self->fd, 3, second));
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	head_disable(&self->v, 1);
	head_disable(&self->v, 1);
	EXPECT_EQ(0, eventfd_wait(first, 0));
	EXPECT_EQ(2, eventfd_wait(second, 0));
	/* One head goes dark, then both are nobody's; then they are given again */
	vgpu_close(&self->v);
	EXPECT_EQ(3, eventfd_wait(second, 0));
	open_vgpu(_metadata, self);
	EXPECT_EQ(2, eventfd_wait(second, 0));
	ASSERT_EQ(0, view_event(self->fd, 3, -1));
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	EXPECT_EQ(0, eventfd_wait(second, 0));
	/* Nobody looked */
	EXPECT_EQ(0, view_polled(self->fd));
	close(first);
	close(second);
}

/* ---- what is refused ---- */

TEST_F(view, files_are_limited)
{
	int fds[FILES], other, i;
	char uuid[37];

	ASSERT_EQ(0, mdev_create("blank", uuid));
	for (i = 0; i < FILES - 1; i++) {
		fds[i] = view_open(self->uuid);
		ASSERT_LE(0, fds[i]);
	}
	EXPECT_ERRNO(EBUSY, view_open(self->uuid));
	other = view_open(uuid);
	EXPECT_LE(0, other);
	close(other);
	close(fds[3]);
	fds[3] = view_open(self->uuid);
	EXPECT_LE(0, fds[3]);
	EXPECT_ERRNO(EBUSY, view_open(self->uuid));
	/* All of them are told */
	for (i = 0; i < FILES - 1; i++)
		view_serial(fds[i], 0);
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	for (i = 0; i < FILES - 1; i++) {
		EXPECT_EQ(POLLIN, view_polled(fds[i]));
		EXPECT_EQ(1, view_serial(fds[i], 0));
		close(fds[i]);
	}
}

TEST_F(view, wrong_arguments)
{
	struct tessera_view_look l = { .head = TESSERA_VIEW_HEADS };
	int fd = view_open_as(self->uuid, O_RDWR);
	char byte = 0;

	ASSERT_LE(0, fd);
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, TESSERA_VIEW_LOOK, &l));
	l.head = ~0U;
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, TESSERA_VIEW_LOOK, &l));
	l.head = 0;
	l.pad = 1;
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, TESSERA_VIEW_LOOK, &l));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, TESSERA_VIEW_LOOK, NULL));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, TESSERA_VIEW_EVENT, NULL));
	EXPECT_ERRNO(ENOTTY, ioctl(self->fd, _IO('T', 0x60), &l));
	EXPECT_ERRNO(ENOTTY, ioctl(self->fd, _IOWR('T', 0x62, l), &l));
	EXPECT_ERRNO(EINVAL, view_event(self->fd, 1 << TESSERA_VIEW_HEADS, -1));
	EXPECT_ERRNO(EINVAL, view_event(self->fd, 1, self->fd));
	EXPECT_ERRNO(EBADF, view_event(self->fd, 1, 1000));
	EXPECT_ERRNO(EBADF, view_event(self->fd, 1, -2));
	EXPECT_EQ(0, view_event(self->fd, 0, -1));
	EXPECT_ERRNO(EINVAL, read(self->fd, &byte, 1));
	/* None of these was a look */
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	EXPECT_EQ(0, view_polled(self->fd));
	EXPECT_ERRNO(EINVAL, write(fd, &byte, 1));
	close(fd);
}

TEST_HARNESS_MAIN
