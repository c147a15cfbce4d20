// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cursors of heads: which heads have one, what is refused, and what viewers are told of it while
 * heads and compositions change.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/vfio.h>

#include "harness.h"
#include "heads.h"
#include "vgpu.h"
#include "views.h"

#define LOCAL "slices=1 kind=mixed memory=4M heads=2"
#define REMOTE LOCAL " path=remote"
#define VRAM_BYTES (4U << 20)
#define IMAGE 0x2000
#define PIXELS (TESSERA_VIEW_CURSOR_SIZE * TESSERA_VIEW_CURSOR_SIZE)

_Static_assert(sizeof(struct tessera_view_cursor) == 40, "layout of struct tessera_view_cursor");
_Static_assert(offsetof(struct tessera_view_cursor, pixels) == 32, "the same");

FIXTURE(cursor)
{
	struct vgpu v;
	char uuid[37];
	uint32_t *image;
	int fd;
};

FIXTURE_SETUP(cursor)
{
	uint8_t *vram;
	unsigned int i;

	mdev_remove_all();
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", REMOTE));
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
	vram = vgpu_mmap(&self->v, TESS_BAR_VRAM, 0, VRAM_BYTES);
	ASSERT_NE(MAP_FAILED, vram);
	self->image = (uint32_t *)(vram + IMAGE);
	for (i = 0; i < PIXELS; i++)
		self->image[i] = i * 0x01020305;
	self->fd = view_open(self->uuid);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(cursor)
{
	close(self->fd);
	vgpu_close(&self->v);
	mdev_remove_all();
}

/* ---- what a guest has ---- */

TEST_F(cursor, registers)
{
	struct vgpu *v = &self->v;

	EXPECT_TRUE(reg32(v, TESS_REG_CAPS) & TESS_CAPS_HEAD_CURSOR);
	head_write(v, 0, TESS_DREG_CURSOR_CONTROL, ~0U);
	EXPECT_EQ(TESS_DCURSOR_ENABLE, head32(v, 0, TESS_DREG_CURSOR_CONTROL));
	head_write(v, 0, TESS_DREG_CURSOR_HOT, 0x12345678);
	EXPECT_EQ(0x12345678, head32(v, 0, TESS_DREG_CURSOR_HOT));
	head_move_cursor(v, 0, -3, 7);
	EXPECT_EQ(0x0007fffd, head32(v, 0, TESS_DREG_CURSOR_POSITION));
	head_write(v, 0, TESS_DREG_CURSOR_ADDRESS, 0x1000);
	EXPECT_EQ(0, head64(v, 0, TESS_DREG_CURSOR_ADDRESS));
	head_write(v, 0, TESS_DREG_CURSOR_ADDRESS + 4, 2);
	EXPECT_EQ(0x200001000, head64(v, 0, TESS_DREG_CURSOR_ADDRESS));
	EXPECT_EQ(2, head32(v, 0, TESS_DREG_CURSOR_ADDRESS + 4));
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_CURSOR_COMMIT));
	/* Of 32 bits */
	reg64_write(v, TESS_HEAD_PAGE(0) + TESS_DREG_CURSOR_POSITION, ~0ULL);
	EXPECT_EQ(0x0007fffd, head32(v, 0, TESS_DREG_CURSOR_POSITION));
	EXPECT_EQ(0, ioctl(v->device, VFIO_DEVICE_RESET));
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_CURSOR_CONTROL) | head32(v, 0, TESS_DREG_CURSOR_HOT) |
			     head32(v, 0, TESS_DREG_CURSOR_POSITION));
	EXPECT_EQ(0, head64(v, 0, TESS_DREG_CURSOR_ADDRESS));
}

/* The others are for viewers, so somebody shows their cursors, whatever the path */
TEST_F(cursor, by_the_path)
{
	struct vgpu *v = &self->v;

	EXPECT_TRUE(head32(v, 0, TESS_DREG_STATUS) & TESS_DSTATUS_CURSOR);
	EXPECT_TRUE(head32(v, 1, TESS_DREG_STATUS) & TESS_DSTATUS_CURSOR);
	EXPECT_FALSE(head32(v, 2, TESS_DREG_STATUS) & TESS_DSTATUS_CURSOR);
	EXPECT_EQ(TESS_DISPLAY_OK, head_cursor(v, 0, IMAGE, 0, 0));
	head_write(v, 0, TESS_DREG_EVENTS, ~0U);
	head_write(v, 1, TESS_DREG_EVENTS, ~0U);
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", LOCAL));
	EXPECT_TRUE(head_wait(v, 0, TESS_DEVENT_LINK));
	EXPECT_EQ(0, head32(v, 1, TESS_DREG_EVENTS));
	EXPECT_FALSE(head32(v, 0, TESS_DREG_STATUS) & TESS_DSTATUS_CURSOR);
	EXPECT_TRUE(head32(v, 1, TESS_DREG_STATUS) & TESS_DSTATUS_CURSOR);
	EXPECT_EQ(TESS_DISPLAY_ERR_CURSOR, head_cursor(v, 0, IMAGE, 0, 0));
	EXPECT_EQ(TESS_DISPLAY_OK, head_cursor(v, 1, IMAGE, 0, 0));
	EXPECT_EQ(TESS_DISPLAY_OK, head_no_cursor(v, 0));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", REMOTE));
	EXPECT_TRUE(head_wait(v, 0, TESS_DEVENT_LINK));
	EXPECT_EQ(TESS_DISPLAY_OK, head_cursor(v, 0, IMAGE, 0, 0));
}

TEST_F(cursor, refused)
{
	struct tessera_view_cursor c;
	struct vgpu *v = &self->v;

	EXPECT_EQ(TESS_DISPLAY_OK, head_cursor(v, 0, IMAGE, 63, 63));
	EXPECT_EQ(TESS_DISPLAY_ERR_CURSOR, head_cursor(v, 0, IMAGE, 64, 0));
	EXPECT_EQ(TESS_DISPLAY_ERR_CURSOR, head_cursor(v, 0, IMAGE, 0, 64));
	EXPECT_EQ(TESS_DISPLAY_ERR_ADDRESS, head_cursor(v, 0, IMAGE + 4, 0, 0));
	EXPECT_EQ(TESS_DISPLAY_ERR_ADDRESS, head_cursor(v, 0, VRAM_BYTES, 0, 0));
	EXPECT_EQ(TESS_DISPLAY_ERR_ADDRESS, head_cursor(v, 0, VRAM_BYTES - 0x3000, 0, 0));
	EXPECT_EQ(TESS_DISPLAY_ERR_ADDRESS, head_cursor(v, 0, ~0xfffULL, 0, 0));
	EXPECT_EQ(TESS_DISPLAY_ERR_HEAD, head_cursor(v, 2, IMAGE, 0, 0));
	/* What was there stays */
	EXPECT_EQ(TESSERA_VIEW_CURSOR_SHOWN, view_cursor(self->fd, 0, 0, NULL, &c));
	EXPECT_EQ(63, c.hot_x);
	EXPECT_EQ(63, c.hot_y);
	EXPECT_EQ(TESS_DISPLAY_OK, head_cursor(v, 0, VRAM_BYTES - 0x4000, 0, 0));
	/* Nothing else counts of one that goes */
	head_write(v, 0, TESS_DREG_CURSOR_HOT, ~0U);
	EXPECT_EQ(TESS_DISPLAY_OK, head_no_cursor(v, 0));
	EXPECT_EQ(0, view_cursor(self->fd, 0, 0, NULL, &c));
}

/* ---- what viewers see ---- */

TEST_F(cursor, image)
{
	const uint32_t both = TESSERA_VIEW_CURSOR_SHOWN | TESSERA_VIEW_CURSOR_COPIED;
	static uint32_t pixels[PIXELS];
	struct tessera_view_cursor c;
	struct vgpu *v = &self->v;

	EXPECT_EQ(0, view_cursor(self->fd, 0, 0, pixels, &c));
	EXPECT_EQ(0, c.serial);
	head_move_cursor(v, 0, -20, 300);
	ASSERT_EQ(TESS_DISPLAY_OK, head_cursor(v, 0, IMAGE, 5, 6));
	ASSERT_EQ(both, view_cursor(self->fd, 0, 0, pixels, &c));
	EXPECT_EQ(1, c.serial);
	EXPECT_EQ(-20, c.x);
	EXPECT_EQ(300, c.y);
	EXPECT_EQ(5, c.hot_x);
	EXPECT_EQ(6, c.hot_y);
	EXPECT_EQ(0, memcmp(pixels, self->image, sizeof(pixels)));
	/* It has that one; the image is another one only if the guest says so */
	memset(pixels, 0, sizeof(pixels));
	self->image[7] ^= 1;
	EXPECT_EQ(TESSERA_VIEW_CURSOR_SHOWN, view_cursor(self->fd, 0, 1, pixels, &c));
	EXPECT_EQ(0, pixels[8]);
	ASSERT_EQ(TESS_DISPLAY_OK, head_cursor(v, 0, IMAGE, 5, 6));
	EXPECT_EQ(both, view_cursor(self->fd, 0, 1, pixels, &c));
	EXPECT_EQ(0, memcmp(pixels, self->image, sizeof(pixels)));
	EXPECT_EQ(TESSERA_VIEW_CURSOR_SHOWN, view_cursor(self->fd, 0, 0, NULL, &c));
	EXPECT_EQ(0, view_cursor(self->fd, 1, 0, pixels, &c));
}

TEST_F(cursor, bad_questions)
{
	struct tessera_view_cursor c;

	ASSERT_EQ(TESS_DISPLAY_OK, head_cursor(&self->v, 0, IMAGE, 0, 0));
	EXPECT_EQ(~0U, view_cursor(self->fd, TESSERA_VIEW_HEADS, 0, NULL, &c));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(~0U, view_cursor(self->fd, 0, 0, (uint32_t *)8, &c));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, TESSERA_VIEW_CURSOR, 8));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", REMOTE));
	vgpu_close(&self->v);
	EXPECT_EQ(0, view_cursor(self->fd, 0, 0, NULL, &c));
	ASSERT_EQ(0, mdev_remove(self->uuid));
	EXPECT_EQ(~0U, view_cursor(self->fd, 0, 0, NULL, &c));
	EXPECT_EQ(ENODEV, errno);
}

/* Of what it asked for, and of nothing that is as it was */
TEST_F(cursor, waiting)
{
	struct tessera_view_cursor c;
	struct tessera_view_look l;
	struct vgpu *v = &self->v;
	int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	uint64_t count;

	ASSERT_EQ(0, view_event(self->fd, 1, event));
	view_look(self->fd, 0, &l);
	ASSERT_EQ(TESS_DISPLAY_OK, head_cursor(v, 0, IMAGE, 0, 0));
	EXPECT_EQ(0, view_polled(self->fd));
	EXPECT_ERRNO(EAGAIN, read(event, &count, sizeof(count)));
	EXPECT_NE(~0U, view_cursor(self->fd, 0, 0, NULL, &c));
	EXPECT_EQ(0, view_polled(self->fd));
	head_move_cursor(v, 0, 1, 1);
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_EQ(8, read(event, &count, sizeof(count)));
	/* LOOK is about the picture */
	view_look(self->fd, 0, &l);
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_NE(~0U, view_cursor(self->fd, 0, 0, NULL, &c));
	EXPECT_EQ(0, view_polled(self->fd));
	head_move_cursor(v, 0, 1, 1);
	head_cursor(v, 1, IMAGE, 0, 0);
	EXPECT_EQ(0, view_polled(self->fd));
	ASSERT_EQ(TESS_DISPLAY_OK, head_no_cursor(v, 0));
	EXPECT_EQ(POLLIN, view_polled(self->fd));
	EXPECT_EQ(0, view_cursor(self->fd, 0, 0, NULL, &c));
	/* Nothing is to be seen of one that moves and is not there */
	head_move_cursor(v, 0, 2, 2);
	ASSERT_EQ(TESS_DISPLAY_OK, head_no_cursor(v, 0));
	EXPECT_EQ(0, view_polled(self->fd));
	close(event);
}

/* It goes with its head, with a reset, and with its VMM */
TEST_F(cursor, goes)
{
	struct tessera_view_cursor c;
	struct vgpu *v = &self->v;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(TESS_DISPLAY_OK, head_cursor(v, 1, IMAGE, 0, 0));
		ASSERT_EQ(TESSERA_VIEW_CURSOR_SHOWN, view_cursor(self->fd, 1, 0, NULL, &c));
		if (i == 0)
			ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "heads=1"));
		else if (i == 1)
			ASSERT_EQ(0, ioctl(v->device, VFIO_DEVICE_RESET));
		else
			vgpu_close(v);
		EXPECT_EQ(POLLIN, view_polled(self->fd));
		EXPECT_EQ(0, view_cursor(self->fd, 1, 0, NULL, &c));
		EXPECT_EQ(2 * (i + 1), c.serial);
		ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "heads=2"));
	}
}

TEST_HARNESS_MAIN
