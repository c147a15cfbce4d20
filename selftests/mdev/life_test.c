// SPDX-License-Identifier: GPL-2.0-or-later
/* Ends of all sorts: VMMs that are killed, removal in use, a GPU that goes away */
#include <fcntl.h>
#include <limits.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "driver.h"
#include "harness.h"
#include "vmm.h"

TEST_TIMEOUT(killed_vmm, 120)
{
	long long pins = pins_held();
	int avail, round;
	char uuid[37];

	mdev_remove_all();
	avail = mdev_available("M1");
	for (round = 0; round < 5; round++) {
		struct vgpu v;
		struct ring r;
		pid_t pid;

		ASSERT_EQ(0, mdev_create("M2", uuid));
		pid = vmm_start(uuid);
		ASSERT_LT(0, pid);
		EXPECT_LT(0, mdev_stat(uuid, "pinned_pages"));
		vmm_kill(pid);
		ASSERT_EQ(0, vmm_open_again(&v, uuid));
		vgpu_close(&v);
		EXPECT_EQ(0, mdev_stat(uuid, "pinned_pages"));
		/* The same vGPU is as new */
		ASSERT_EQ(0, vgpu_open(&v, uuid));
		EXPECT_EQ(0, client_reg32(&v, 0, TESS_SREG_CONTROL));
		ring_start(&r, &v, 1);
		EXPECT_EQ(0, ring_finish(&r));
		vgpu_close(&v);
		ASSERT_EQ(0, mdev_remove(uuid));
		EXPECT_EQ(avail, mdev_available("M1"));
	}
	EXPECT_EQ(pins, pins_held());
}

/* remove asks the VMM to let go, waits for it, and then succeeds */
TEST(remove_in_use)
{
	int avail, req = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), status;
	char uuid[37];
	struct vgpu v;
	pid_t pid;

	mdev_remove_all();
	avail = mdev_available("C4");
	ASSERT_EQ(0, mdev_create("C4", uuid));
	ASSERT_EQ(0, vgpu_open(&v, uuid));
	ASSERT_EQ(0, vgpu_irq(&v, VFIO_PCI_REQ_IRQ_INDEX,
			      VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER, 0, 1, &req,
			      sizeof(req)));
	vmm_hang(&v);
	pid = fork();
	if (!pid) {
		/* Do not hold the device open ourselves */
		vgpu_close(&v);
		_exit(mdev_remove(uuid) ? 1 : 0);
	}
	EXPECT_LE(1, eventfd_wait(req, 5000));
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	EXPECT_EQ(TESS_ID_VALUE, reg32(&v, TESS_REG_ID));
	vgpu_close(&v);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(avail, mdev_available("C4"));
}

static int unbind(const char *gpu)
{
	return file_write(gpu_driver_file("unbind"), gpu);
}

static bool types_come(void)
{
	long end = now_ms() + 10000;

	while (mdev_available("C1") < 0) {
		if (now_ms() > end)
			return false;
		usleep(10000);
	}
	return true;
}

static int rebind(const char *gpu)
{
	int ret = file_write(gpu_driver_file("bind"), gpu);

	if (!ret)
		types_come();
	return ret;
}

/* The GPU goes in mid-work: bounded time, no crash, the VMM reads all ones and goes on */
TEST_TIMEOUT(gpu_goes_away, 120)
{
	int req = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), status, avail;
	const char *gpu = gpu_name();
	uint8_t *vram;
	char uuid[37];
	struct vgpu v;
	uint64_t size;
	pid_t pid;
	long start;

	ASSERT_TRUE(gpu);
	mdev_remove_all();
	avail = mdev_available("C1");
	ASSERT_EQ(0, mdev_create("C2", uuid));
	ASSERT_EQ(0, vgpu_open(&v, uuid));
	ASSERT_EQ(0, vgpu_irq(&v, VFIO_PCI_REQ_IRQ_INDEX,
			      VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER, 0, 1, &req,
			      sizeof(req)));
	size = reg64(&v, TESS_REG_VRAM_SIZE);
	vram = vgpu_mmap(&v, TESS_BAR_VRAM, 0, size);
	ASSERT_NE(MAP_FAILED, vram);
	memset(vram, 1, size);
	vmm_hang(&v);
	start = now_ms();
	pid = fork();
	if (!pid) {
		vgpu_close(&v);
		_exit(unbind(gpu) ? 1 : 0);
	}
	EXPECT_LE(1, eventfd_wait(req, 10000));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_LT(now_ms() - start, 30000 * patience());
	/* What was mapped can still be touched, and means nothing */
	memset(vram, 2, size);
	*(volatile uint64_t *)v.doorbells = 1;
	EXPECT_EQ(0xffffffff, reg32(&v, TESS_REG_ID));
	EXPECT_EQ(~0ULL, reg64(&v, TESS_REG_TIME));
	reg32_write(&v, TESS_REG_RESET, TESS_RESET_KEY);
	EXPECT_ERRNO(ENODEV, ioctl(v.device, VFIO_DEVICE_RESET));
	EXPECT_EQ(0, vgpu_unmap(&v, RAM_GPA, RAM_SIZE));
	/* Bound again, the GPU has no types until this vGPU is closed */
	vgpu_close(&v);
	usleep(200000);
	ASSERT_EQ(0, rebind(gpu));
	EXPECT_EQ(avail, mdev_available("C1"));
	ASSERT_EQ(0, mdev_create("C2", uuid));
	ASSERT_EQ(0, vgpu_open(&v, uuid));
	vgpu_close(&v);
	EXPECT_EQ(0, mdev_remove(uuid));
}

/* Bound again while a VMM still has a vGPU of before: the types come when it is closed */
TEST_TIMEOUT(rebind_while_open, 120)
{
	const char *gpu = gpu_name();
	char uuid[37];
	struct vgpu v;
	pid_t pid;
	int status;

	ASSERT_TRUE(gpu);
	mdev_remove_all();
	ASSERT_EQ(0, mdev_create("C1", uuid));
	ASSERT_EQ(0, vgpu_open(&v, uuid));
	pid = fork();
	if (!pid) {
		vgpu_close(&v);
		_exit(unbind(gpu) || file_write(gpu_driver_file("bind"), gpu) ? 1 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0xffffffff, reg32(&v, TESS_REG_ID));
	EXPECT_GT(0, mdev_available("C1"));
	vgpu_close(&v);
	EXPECT_TRUE(types_come());
	EXPECT_LT(0, mdev_available("C1"));
	/* Gone once more while it waits, and then there */
	ASSERT_EQ(0, mdev_create("C1", uuid));
	ASSERT_EQ(0, vgpu_open(&v, uuid));
	pid = fork();
	if (!pid) {
		vgpu_close(&v);
		_exit(unbind(gpu) || file_write(gpu_driver_file("bind"), gpu) || unbind(gpu) ||
		      file_write(gpu_driver_file("bind"), gpu));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	vgpu_close(&v);
	EXPECT_TRUE(types_come());
	ASSERT_EQ(0, mdev_create("C1", uuid));
	EXPECT_EQ(0, mdev_remove(uuid));
}

/* Creating and removing all the time, with another process that opens what it finds */
TEST_TIMEOUT(create_remove_race, 120)
{
	int avail, i, status;
	char uuid[37];
	pid_t pid;

	mdev_remove_all();
	avail = mdev_available("R1");
	ASSERT_EQ(0, mdev_create("R1", uuid));
	pid = fork();
	if (!pid) {
		long end = now_ms() + 5000;

		while (now_ms() < end) {
			struct vgpu v;

			if (!vgpu_open(&v, uuid))
				vgpu_close(&v);
		}
		_exit(0);
	}
	for (i = 0; i < 40; i++) {
		char other[37];

		ASSERT_EQ(0, mdev_create("R2", other));
		ASSERT_EQ(0, mdev_remove(other));
	}
	ASSERT_EQ(0, mdev_remove(uuid));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(avail, mdev_available("R1"));
}

TEST_HARNESS_MAIN
