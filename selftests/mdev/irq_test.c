// SPDX-License-Identifier: GPL-2.0-or-later
/* VFIO_DEVICE_SET_IRQS and completions */
#include <sys/eventfd.h>
#include <sys/ioctl.h>

#include "harness.h"
#include "vgpu.h"

#define MSIX VFIO_PCI_MSIX_IRQ_INDEX
#define TRIGGER VFIO_IRQ_SET_ACTION_TRIGGER
#define NONE VFIO_IRQ_SET_DATA_NONE
#define BOOL VFIO_IRQ_SET_DATA_BOOL
#define EVENTFD VFIO_IRQ_SET_DATA_EVENTFD

FIXTURE(irq)
{
	struct vgpu v;
	char uuid[37];
	int fds[TESS_IRQ_COUNT];
};

FIXTURE_SETUP(irq)
{
	unsigned int i;

	mdev_remove_all();
	ASSERT_EQ(0, mdev_create("M1", self->uuid));
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
	for (i = 0; i < TESS_IRQ_COUNT; i++) {
		self->fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		ASSERT_LE(0, self->fds[i]);
	}
	ASSERT_EQ(0, vgpu_irq(&self->v, MSIX, EVENTFD | TRIGGER, 0, TESS_IRQ_COUNT, self->fds,
			      sizeof(self->fds)));
}

FIXTURE_TEARDOWN(irq)
{
	vgpu_close(&self->v);
	EXPECT_EQ(0, mdev_remove(self->uuid));
}

TEST_F(irq, info)
{
	struct vfio_irq_info info = { .argsz = sizeof(info) };
	uint32_t i;

	for (i = 0; i < VFIO_PCI_NUM_IRQS; i++) {
		info.index = i;
		if (i == VFIO_PCI_ERR_IRQ_INDEX) {
			EXPECT_ERRNO(EINVAL,
				     ioctl(self->v.device, VFIO_DEVICE_GET_IRQ_INFO, &info));
			continue;
		}
		ASSERT_EQ(0, ioctl(self->v.device, VFIO_DEVICE_GET_IRQ_INFO, &info));
		EXPECT_EQ(i == MSIX ? TESS_IRQ_COUNT : i == VFIO_PCI_REQ_IRQ_INDEX, info.count);
	}
	info.index = VFIO_PCI_NUM_IRQS;
	EXPECT_ERRNO(EINVAL, ioctl(self->v.device, VFIO_DEVICE_GET_IRQ_INFO, &info));
}

TEST_F(irq, loopback)
{
	uint8_t bools[4] = { 1, 0, 0, 1 };

	ASSERT_EQ(0, vgpu_irq(&self->v, MSIX, NONE | TRIGGER, 1, 2, NULL, 0));
	EXPECT_EQ(0, eventfd_wait(self->fds[0], 0));
	EXPECT_EQ(1, eventfd_wait(self->fds[1], 0));
	EXPECT_EQ(1, eventfd_wait(self->fds[2], 0));
	EXPECT_EQ(0, eventfd_wait(self->fds[3], 0));
	ASSERT_EQ(0, vgpu_irq(&self->v, MSIX, BOOL | TRIGGER, 0, 4, bools, 4));
	EXPECT_EQ(1, eventfd_wait(self->fds[0], 0));
	EXPECT_EQ(0, eventfd_wait(self->fds[1], 0));
	EXPECT_EQ(1, eventfd_wait(self->fds[3], 0));
}

TEST_F(irq, masks)
{
	uint64_t pba = 0;

	ASSERT_EQ(0, vgpu_irq(&self->v, MSIX, NONE | VFIO_IRQ_SET_ACTION_MASK, 0, 1, NULL, 0));
	ASSERT_EQ(0, vgpu_irq(&self->v, MSIX, NONE | TRIGGER, 0, 2, NULL, 0));
	EXPECT_EQ(0, eventfd_wait(self->fds[0], 0));
	EXPECT_EQ(1, eventfd_wait(self->fds[1], 0));
	EXPECT_EQ(8, region_read(&self->v, TESS_BAR_MSIX, 0x800, &pba, 8));
	EXPECT_EQ(1, pba);
	ASSERT_EQ(0, vgpu_irq(&self->v, MSIX, NONE | VFIO_IRQ_SET_ACTION_UNMASK, 0, 1, NULL, 0));
	EXPECT_EQ(1, eventfd_wait(self->fds[0], 0));
	EXPECT_EQ(8, region_read(&self->v, TESS_BAR_MSIX, 0x800, &pba, 8));
	EXPECT_EQ(0, pba);
	EXPECT_EQ(-ENOTTY, vgpu_irq(&self->v, MSIX, EVENTFD | VFIO_IRQ_SET_ACTION_UNMASK, 0, 1,
				    self->fds, 4));
}

TEST_F(irq, replace)
{
	int other = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), none = -1, bad[2] = { other, 9999 };

	ASSERT_EQ(0, vgpu_irq(&self->v, MSIX, EVENTFD | TRIGGER, 1, 1, &other, 4));
	ASSERT_EQ(0, vgpu_irq(&self->v, MSIX, EVENTFD | TRIGGER, 2, 1, &none, 4));
	/* All or nothing: vector 0 keeps its own */
	EXPECT_EQ(-EBADF, vgpu_irq(&self->v, MSIX, EVENTFD | TRIGGER, 0, 2, bad, sizeof(bad)));
	ASSERT_EQ(0, vgpu_irq(&self->v, MSIX, NONE | TRIGGER, 0, 4, NULL, 0));
	EXPECT_EQ(1, eventfd_wait(self->fds[0], 0));
	EXPECT_EQ(0, eventfd_wait(self->fds[1], 0));
	EXPECT_EQ(1, eventfd_wait(other, 0));
	EXPECT_EQ(0, eventfd_wait(self->fds[2], 0));
	EXPECT_EQ(1, eventfd_wait(self->fds[3], 0));
	/* Disable all */
	ASSERT_EQ(0, vgpu_irq(&self->v, MSIX, NONE | TRIGGER, 0, 0, NULL, 0));
	ASSERT_EQ(0, vgpu_irq(&self->v, MSIX, NONE | TRIGGER, 0, 4, NULL, 0));
	EXPECT_EQ(0, eventfd_wait(self->fds[0], 0));
	EXPECT_EQ(0, eventfd_wait(self->fds[3], 0));
}

TEST_F(irq, arguments)
{
	const uint32_t both = VFIO_IRQ_SET_ACTION_MASK | VFIO_IRQ_SET_ACTION_UNMASK;
	int fd = self->fds[0], file = self->v.container;
	struct vfio_irq_set set = { .argsz = 8 };

	EXPECT_EQ(-EINVAL, vgpu_irq(&self->v, MSIX, EVENTFD | TRIGGER, 4, 1, &fd, 4));
	EXPECT_EQ(-EINVAL, vgpu_irq(&self->v, MSIX, EVENTFD | TRIGGER, 0xffffffff, 2, &fd, 4));
	EXPECT_EQ(-EINVAL, vgpu_irq(&self->v, MSIX, NONE | EVENTFD | TRIGGER, 0, 1, &fd, 4));
	EXPECT_EQ(-EINVAL, vgpu_irq(&self->v, MSIX, TRIGGER, 0, 1, &fd, 4));
	EXPECT_EQ(-EINVAL, vgpu_irq(&self->v, MSIX, EVENTFD | TRIGGER, 0, 4, &fd, 4));
	EXPECT_EQ(-EINVAL,
		  vgpu_irq(&self->v, VFIO_PCI_INTX_IRQ_INDEX, NONE | TRIGGER, 0, 1, NULL, 0));
	EXPECT_EQ(-EINVAL, vgpu_irq(&self->v, VFIO_PCI_NUM_IRQS, NONE | TRIGGER, 0, 1, NULL, 0));
	/* No action, and two of them: neither is the other one */
	EXPECT_EQ(0, vgpu_irq(&self->v, MSIX, NONE | VFIO_IRQ_SET_ACTION_MASK, 0, 1, NULL, 0));
	EXPECT_EQ(0, vgpu_irq(&self->v, MSIX, NONE | TRIGGER, 0, 1, NULL, 0));
	EXPECT_EQ(-ENOTTY, vgpu_irq(&self->v, MSIX, NONE, 0, 1, NULL, 0));
	EXPECT_EQ(-ENOTTY, vgpu_irq(&self->v, MSIX, NONE | both, 0, 1, NULL, 0));
	EXPECT_EQ(0, eventfd_wait(fd, 0));
	EXPECT_EQ(0, vgpu_irq(&self->v, MSIX, NONE | VFIO_IRQ_SET_ACTION_UNMASK, 0, 1, NULL, 0));
	EXPECT_EQ(1, eventfd_wait(fd, 0));
	/* A descriptor that is no eventfd */
	EXPECT_EQ(-EINVAL, vgpu_irq(&self->v, MSIX, EVENTFD | TRIGGER, 0, 1, &file, 4));
	EXPECT_ERRNO(EINVAL, ioctl(self->v.device, VFIO_DEVICE_SET_IRQS, &set));
	EXPECT_EQ(0, vgpu_irq(&self->v, VFIO_PCI_REQ_IRQ_INDEX, EVENTFD | TRIGGER, 0, 1, &fd, 4));
	EXPECT_EQ(0, vgpu_irq(&self->v, VFIO_PCI_REQ_IRQ_INDEX, NONE | TRIGGER, 0, 1, NULL, 0));
	EXPECT_EQ(1, eventfd_wait(fd, 0));
}

/* The interrupt comes when the event index is passed, and only then */
TEST_F(irq, completion)
{
	struct ring r;
	uint64_t n;

	ring_start(&r, &self->v, 0);
	r.rec->event = 3;
	for (n = 1; n <= 5; n++) {
		ring_fence(&r, true);
		ASSERT_EQ(0, ring_wait(&r));
		EXPECT_EQ(n == 3, eventfd_wait(self->fds[0], n == 3 ? 5000 : 50));
	}
	r.rec->event = 6;
	ring_fence(&r, false);
	ASSERT_EQ(0, ring_wait(&r));
	EXPECT_EQ(0, eventfd_wait(self->fds[0], 50));
	r.rec->event = 7;
	ring_fence(&r, true);
	EXPECT_EQ(1, eventfd_wait(self->fds[0], 5000));
	EXPECT_LE(2, mdev_stat(self->uuid, "completions"));
}

/* Many in a row: none is lost */
TEST_F(irq, completions_in_a_row)
{
	struct ring r;
	unsigned int n;

	ring_start(&r, &self->v, 0);
	for (n = 0; n < 500; n++) {
		r.rec->event = r.seq + 1;
		ring_fence(&r, true);
		ASSERT_LE(1, eventfd_wait(self->fds[0], 5000));
		ASSERT_EQ(r.seq, r.rec->seq);
	}
}

/* A record in VRAM is written to, but nobody's interrupt waits until the host has read it */
TEST_F(irq, record_in_vram_is_silent)
{
	struct tess_completion_record *rec;
	uint64_t off = 3 * PAGE + 5 * TESS_COMPLETION_RECORD_SIZE;
	struct ring r;
	uint8_t *vram = vgpu_mmap(&self->v, TESS_BAR_VRAM, 0, 4 * PAGE);

	ASSERT_NE((void *)-1, vram);
	rec = (void *)(vram + off);
	ring_start(&r, &self->v, 0);
	client_reg32_write(&self->v, 0, TESS_SREG_CONTROL, 0);
	client_reg64_write(&self->v, 0, TESS_SREG_COMPLETION, VRAM(off));
	client_reg32_write(&self->v, 0, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
	r.rec = rec;
	rec->event = 1;
	ring_fence(&r, true);
	EXPECT_EQ(0, ring_wait(&r));
	EXPECT_EQ(1, rec->seq);
	/* In memory it is told of: of this one, and of none before */
	client_reg32_write(&self->v, 0, TESS_SREG_CONTROL, 0);
	client_reg64_write(&self->v, 0, TESS_SREG_COMPLETION, RECORD_GPA(0));
	client_reg32_write(&self->v, 0, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
	r.rec = ram_at(&self->v, RECORD_GPA(0));
	r.rec->event = r.seq + 1;
	ring_fence(&r, true);
	EXPECT_EQ(0, ring_wait(&r));
	EXPECT_EQ(1, eventfd_wait(self->fds[0], 5000));
}

TEST_HARNESS_MAIN
