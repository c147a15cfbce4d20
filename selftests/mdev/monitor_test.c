// SPDX-License-Identifier: GPL-2.0-or-later
/* Monitors that viewers plug into heads: whose they are, what the guest reads, what is refused. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/vfio.h>

#include "harness.h"
#include "heads.h"
#include "vgpu.h"
#include "views.h"

#define LOCAL "slices=1 kind=mixed memory=4M heads=2"
#define REMOTE LOCAL " path=remote"
#define EDID 256

_Static_assert(sizeof(struct tessera_view_monitor) == 16, "layout of struct tessera_view_monitor");

FIXTURE(monitor)
{
	struct vgpu v;
	char uuid[37];
	uint8_t edid[TESSERA_VIEW_EDID_MAX];
	int fd;
};

FIXTURE_SETUP(monitor)
{
	unsigned int i;

	mdev_remove_all();
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", LOCAL));
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
	self->fd = view_open_as(self->uuid, O_RDWR);
	ASSERT_LE(0, self->fd);
	/* The host looks at none of it */
	for (i = 0; i < sizeof(self->edid); i++)
		self->edid[i] = 7 * i + i / 100;
}

FIXTURE_TEARDOWN(monitor)
{
	close(self->fd);
	vgpu_close(&self->v);
	mdev_remove_all();
}

static bool reads(struct vgpu *v, unsigned int n, const uint8_t *edid, uint32_t size)
{
	uint32_t i, word;

	for (i = 0; i < TESSERA_VIEW_EDID_MAX; i += 4) {
		memcpy(&word, edid + i, 4);
		if (head32(v, n, TESS_DREG_EDID + i) != (i < size ? word : 0))
			return false;
	}
	return head32(v, n, TESS_DREG_EDID_SIZE) == size;
}

TEST_F(monitor, plugged_in_and_out)
{
	struct vgpu *v = &self->v;
	struct tessera_view_look l;

	head_write(v, 1, TESS_DREG_EVENTS, ~0U);
	ASSERT_EQ(0, view_monitor(self->fd, 1, self->edid, EDID));
	EXPECT_EQ(TESS_DEVENT_LINK, head32(v, 1, TESS_DREG_EVENTS));
	EXPECT_TRUE(reads(v, 1, self->edid, EDID));
	EXPECT_EQ(128, head32(v, 0, TESS_DREG_EDID_SIZE));
	EXPECT_EQ(VIEW_CONNECTED, view_look(self->fd, 1, &l));
	head_write(v, 1, TESS_DREG_EVENTS, ~0U);
	ASSERT_EQ(0, view_monitor(self->fd, 1, NULL, 0));
	EXPECT_EQ(TESS_DEVENT_LINK, head32(v, 1, TESS_DREG_EVENTS));
	EXPECT_FALSE(head32(v, 1, TESS_DREG_STATUS) & TESS_DSTATUS_CONNECTED);
	EXPECT_EQ(0, head32(v, 1, TESS_DREG_EDID_SIZE));
	EXPECT_EQ(VIEW_GIVEN, view_look(self->fd, 1, &l));
	head_write(v, 1, TESS_DREG_EVENTS, ~0U);
	/* None again is no news */
	ASSERT_EQ(0, view_monitor(self->fd, 1, NULL, 0));
	EXPECT_EQ(0, head32(v, 1, TESS_DREG_EVENTS));
	ASSERT_EQ(0, view_monitor(self->fd, 1, self->edid, sizeof(self->edid)));
	EXPECT_TRUE(reads(v, 1, self->edid, sizeof(self->edid)));
	/* It is the head's, not the file's; a reset does not unplug it, another VMM finds the usual one */
	close(self->fd);
	ASSERT_EQ(0, ioctl(v->device, VFIO_DEVICE_RESET));
	EXPECT_TRUE(reads(v, 1, self->edid, sizeof(self->edid)));
	vgpu_close(v);
	ASSERT_EQ(0, vgpu_open(v, self->uuid));
	EXPECT_EQ(128, head32(v, 1, TESS_DREG_EDID_SIZE));
	self->fd = view_open_as(self->uuid, O_RDWR);
}

/* That of head 0 is the VMM's, unless nobody looks at it there */
TEST_F(monitor, of_the_vmm)
{
	EXPECT_ERRNO(EBUSY, view_monitor(self->fd, 0, self->edid, EDID));
	EXPECT_ERRNO(EBUSY, view_monitor(self->fd, 0, NULL, 0));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", REMOTE));
	ASSERT_EQ(0, view_monitor(self->fd, 0, self->edid, EDID));
	EXPECT_TRUE(reads(&self->v, 0, self->edid, EDID));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", LOCAL));
	EXPECT_ERRNO(EBUSY, view_monitor(self->fd, 0, NULL, 0));
}

TEST_F(monitor, refused)
{
	int reader = view_open(self->uuid);

	ASSERT_LE(0, reader);
	EXPECT_ERRNO(EBADF, view_monitor(reader, 1, self->edid, EDID));
	close(reader);
	EXPECT_ERRNO(EINVAL, view_monitor(self->fd, TESSERA_VIEW_HEADS, self->edid, EDID));
	EXPECT_ERRNO(EINVAL, view_monitor(self->fd, 1, self->edid, 64));
	EXPECT_ERRNO(EINVAL, view_monitor(self->fd, 1, self->edid, 640));
	EXPECT_ERRNO(EINVAL, view_monitor(self->fd, 1, self->edid, ~127U));
	EXPECT_ERRNO(EFAULT, view_monitor(self->fd, 1, (void *)8, EDID));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, TESSERA_VIEW_MONITOR, 8));
	EXPECT_ERRNO(ENXIO, view_monitor(self->fd, 2, self->edid, EDID));
	EXPECT_EQ(128, head32(&self->v, 1, TESS_DREG_EDID_SIZE));
	vgpu_close(&self->v);
	EXPECT_ERRNO(ENXIO, view_monitor(self->fd, 1, self->edid, EDID));
	ASSERT_EQ(0, mdev_remove(self->uuid));
	EXPECT_ERRNO(ENODEV, view_monitor(self->fd, 1, self->edid, EDID));
}

/* With the head it goes */
TEST_F(monitor, of_a_head_that_goes)
{
	ASSERT_EQ(0, view_monitor(self->fd, 1, NULL, 0));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "heads=1"));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "heads=2"));
	EXPECT_TRUE(head32(&self->v, 1, TESS_DREG_STATUS) & TESS_DSTATUS_CONNECTED);
	EXPECT_EQ(128, head32(&self->v, 1, TESS_DREG_EDID_SIZE));
}

TEST_HARNESS_MAIN
