// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: interrupts: eventfds, masking, what is pending, and hostile SET_IRQS.
 */
#include "tap.h"
#include "vfu_client.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define SET_FD (VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER)
#define TRIGGER (VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER)
#define MASK (VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_MASK)
#define UNMASK (VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_UNMASK)

static struct dev dev;
static struct client cl;
static struct reply rep;
static int efd[DEV_NR_MSIX];

/* How often the eventfd of @vector was signalled since the last look. */
static uint64_t signals(unsigned int vector)
{
	uint64_t n = 0;

	return read(efd[vector], &n, sizeof(n)) == sizeof(n) ? n : 0;
}

static int set(uint32_t flags, uint32_t start, uint32_t count)
{
	return client_set_irqs(&dev, &cl, flags, start, count, NULL, 0);
}

static void test_raise(void)
{
	ok(!vfu_irq_raise(dev.vfu, 1) && vfu_irq_pending(dev.vfu) == 2 &&
		   !vfu_irq_configured(dev.vfu, 1),
	   "without an eventfd a vector becomes pending");
	ok(!client_set_irqs(&dev, &cl, SET_FD, 0, DEV_NR_MSIX, efd, DEV_NR_MSIX) &&
		   vfu_irq_configured(dev.vfu, 0) && vfu_irq_configured(dev.vfu, 3),
	   "assign all");
	ok(signals(1) == 1 && !signals(0) && !vfu_irq_pending(dev.vfu),
	   "what was pending is sent, once");
	ok(vfu_irq_raise(dev.vfu, 2) && vfu_irq_raise(dev.vfu, 2) && signals(2) == 2,
	   "raise twice");
	ok(!vfu_irq_raise(dev.vfu, DEV_NR_MSIX) && !vfu_irq_raise(dev.vfu, 1000) &&
		   !vfu_irq_pending(dev.vfu) && !vfu_irq_configured(dev.vfu, 1000),
	   "vectors that do not exist");
}

static void test_mask(void)
{
	ok(!set(MASK, 1, 2) && !vfu_irq_raise(dev.vfu, 1) && !vfu_irq_raise(dev.vfu, 1) &&
		   vfu_irq_raise(dev.vfu, 0) && !signals(1) && signals(0) == 1,
	   "masked vectors are held back");
	ok(vfu_irq_pending(dev.vfu) == 2, "and pending");
	ok(!set(UNMASK, 0, 4) && signals(1) == 1 && !signals(2) && !vfu_irq_pending(dev.vfu),
	   "unmasking sends what is pending, once");
	set(MASK, 3, 1);
	vfu_irq_raise(dev.vfu, 3);
	vfu_irq_clear(dev.vfu);
	ok(!vfu_irq_pending(dev.vfu) && !set(UNMASK, 3, 1) && !signals(3),
	   "what is pending can be forgotten");
	set(MASK, 3, 1);
	vfu_irq_raise(dev.vfu, 3);
	ok(!client_call(&dev, &cl, VFU_CMD_DEVICE_RESET, NULL, 0, NULL, 0, &rep) &&
		   !set(UNMASK, 3, 1) && !signals(3),
	   "a device reset does so");
}

static void test_trigger(void)
{
	struct {
		struct vfu_msg_irq_set m;
		uint8_t bools[4];
	} msg = {
		.m = { .argsz = sizeof(msg),
		       .flags = VFIO_IRQ_SET_DATA_BOOL | VFIO_IRQ_SET_ACTION_TRIGGER,
		       .index = VFIO_PCI_MSIX_IRQ_INDEX,
		       .count = 4 },
		.bools = { 1, 0, 0, 255 },
	};

	ok(!set(TRIGGER, 2, 1) && signals(2) == 1 && !signals(1), "the client triggers a vector");
	ok(!client_call(&dev, &cl, VFU_CMD_SET_IRQS, &msg, sizeof(msg), NULL, 0, &rep) &&
		   signals(0) == 1 && !signals(1) && !signals(2) && signals(3) == 1,
	   "or those with a true boolean");
	ok(client_call(&dev, &cl, VFU_CMD_SET_IRQS, &msg, sizeof(msg) - 1, NULL, 0, &rep) == EINVAL,
	   "fewer booleans than vectors");
}

static void test_change(void)
{
	int other = eventfd(0, EFD_CLOEXEC);
	unsigned int fds = count_fds();
	uint64_t n = 0;

	ok(!client_set_irqs(&dev, &cl, SET_FD, 1, 1, &other, 1) && vfu_irq_raise(dev.vfu, 1) &&
		   !signals(1) && read(other, &n, sizeof(n)) == sizeof(n) && n == 1,
	   "replace one");
	ok(count_fds() == fds, "the old one is closed");
	ok(fcntl(other, F_GETFL) & O_NONBLOCK, "an eventfd that would block does not any more");
	ok(!set(SET_FD, 1, 2) && !vfu_irq_configured(dev.vfu, 1) &&
		   !vfu_irq_configured(dev.vfu, 2) && vfu_irq_configured(dev.vfu, 3),
	   "no descriptors: de-assign");
	ok(count_fds() == fds - 2, "they are closed");
	vfu_irq_raise(dev.vfu, 1);
	set(MASK, 0, 1);
	ok(!set(TRIGGER, 0, 0) && !vfu_irq_configured(dev.vfu, 0) &&
		   !vfu_irq_configured(dev.vfu, 3) && !vfu_irq_pending(dev.vfu),
	   "disable all");
	close(other);
	client_set_irqs(&dev, &cl, SET_FD, 0, DEV_NR_MSIX, efd, DEV_NR_MSIX);
	ok(!signals(1) && vfu_irq_raise(dev.vfu, 0) && signals(0) == 1,
	   "nothing pending or masked is left of before");
}

static void test_full(void)
{
	uint64_t max = UINT64_MAX - 1;

	ok(write(efd[0], &max, sizeof(max)) == sizeof(max) && vfu_irq_raise(dev.vfu, 0) &&
		   signals(0) == max,
	   "a full eventfd does not block the server");
}

static int set_index(uint32_t index, uint32_t flags, uint32_t start, uint32_t count)
{
	struct vfu_msg_irq_set m = {
		.argsz = sizeof(m), .flags = flags, .index = index, .start = start, .count = count
	};

	return client_call(&dev, &cl, VFU_CMD_SET_IRQS, &m, sizeof(m), NULL, 0, &rep);
}

/* Like an eventfd in every way that can be checked, but it cannot be signalled. */
static void test_impostor(void)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);

	ok(!client_set_irqs(&dev, &cl, SET_FD, 2, 1, &fd, 1) && vfu_irq_configured(dev.vfu, 2) &&
		   !vfu_irq_raise(dev.vfu, 2) && !vfu_irq_configured(dev.vfu, 2) &&
		   strstr(dev.logged, "eventfd"),
	   "a descriptor that fails is dropped, and that is logged: %s", dev.logged);
	close(fd);
	client_set_irqs(&dev, &cl, SET_FD, 2, 1, &efd[2], 1);
}

static void test_error_irq(void)
{
	struct vfu_msg_irq_set m = {
		.argsz = sizeof(m), .flags = SET_FD, .index = VFIO_PCI_ERR_IRQ_INDEX, .count = 1
	};
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	uint64_t n = 0;

	ok(!client_call(&dev, &cl, VFU_CMD_SET_IRQS, &m, sizeof(m), &fd, 1, &rep) &&
		   !set_index(VFIO_PCI_ERR_IRQ_INDEX, TRIGGER, 0, 1) &&
		   read(fd, &n, sizeof(n)) == sizeof(n) && n == 1,
	   "the error interrupt");
	ok(set_index(VFIO_PCI_ERR_IRQ_INDEX, MASK, 0, 1) == EINVAL &&
		   set_index(VFIO_PCI_ERR_IRQ_INDEX, TRIGGER, 1, 1) == EINVAL,
	   "there is one, and it cannot be masked");
	ok(!set_index(VFIO_PCI_ERR_IRQ_INDEX, TRIGGER, 0, 0) &&
		   !set_index(VFIO_PCI_ERR_IRQ_INDEX, TRIGGER, 0, 1) &&
		   read(fd, &n, sizeof(n)) < 0 && vfu_irq_configured(dev.vfu, 0),
	   "disabling it leaves MSI-X alone");
	close(fd);
}

static void test_bad(void)
{
	struct vfu_msg_irq_set m = { .argsz = sizeof(m) - 1, .flags = TRIGGER, .index = 2 };
	int wild[2], many[17], i;
	unsigned int fds;

	ok(set(0, 0, 1) == EINVAL && set(VFIO_IRQ_SET_DATA_NONE, 0, 1) == EINVAL &&
		   set(VFIO_IRQ_SET_ACTION_MASK, 0, 1) == EINVAL &&
		   set(MASK | UNMASK, 0, 1) == EINVAL &&
		   set(TRIGGER | VFIO_IRQ_SET_DATA_BOOL, 0, 1) == EINVAL &&
		   set(TRIGGER | 0x40, 0, 1) == EINVAL && set(UINT32_MAX, 0, 1) == EINVAL,
	   "flags that make no sense");
	ok(set(TRIGGER, 0, 5) == EINVAL && set(TRIGGER, 4, 1) == EINVAL &&
		   set(TRIGGER, UINT32_MAX, 2) == EINVAL && set(TRIGGER, 2, UINT32_MAX) == EINVAL &&
		   set(SET_FD, 3, 2) == EINVAL,
	   "vectors that do not exist");
	ok(set_index(0, TRIGGER, 0, 1) == EINVAL && set_index(5, TRIGGER, 0, 0) == EINVAL &&
		   set_index(UINT32_MAX, TRIGGER, 0, 1) == EINVAL && !set_index(1, TRIGGER, 0, 0),
	   "other interrupt types: there are none, but disabling them is fine");
	ok(vfu_irq_configured(dev.vfu, 0), "that did not disable MSI-X");
	ok(client_call(&dev, &cl, VFU_CMD_SET_IRQS, &m, sizeof(m), NULL, 0, &rep) == EINVAL,
	   "argsz too small");
	ok(set(VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_MASK, 0, 1) == EOPNOTSUPP,
	   "an eventfd for masking");
	ok(client_set_irqs(&dev, &cl, SET_FD, 0, 3, efd, 2) == EINVAL &&
		   client_set_irqs(&dev, &cl, SET_FD, 0, 1, efd, 2) == EINVAL,
	   "not as many descriptors as vectors");
	ok(client_set_irqs(&dev, &cl, TRIGGER, 0, 1, efd, 1) == EINVAL,
	   "a descriptor where none belongs");
	fds = count_fds();
	ok(!pipe(wild) && client_set_irqs(&dev, &cl, SET_FD, 0, 2, wild, 2) == EINVAL, "a pipe");
	close(wild[0]);
	close(wild[1]);
	ok(!socketpair(AF_UNIX, SOCK_STREAM, 0, wild) &&
		   client_set_irqs(&dev, &cl, SET_FD, 0, 2, wild, 2) == EINVAL,
	   "a socket");
	close(wild[0]);
	close(wild[1]);
	wild[0] = open("/dev/null", O_RDWR);
	ok(client_set_irqs(&dev, &cl, SET_FD, 0, 1, wild, 1) == EINVAL, "a device");
	close(wild[0]);
	for (i = 0; i < 17; i++)
		many[i] = efd[0];
	ok(client_set_irqs(&dev, &cl, SET_FD, 0, 1, many, 17) == EINVAL, "17 descriptors");
	ok(client_call(&dev, &cl, VFU_CMD_DEVICE_RESET, NULL, 0, efd, 1, &rep) == EINVAL,
	   "a descriptor with a command that takes none");
	ok(count_fds() == fds, "none of them is left open");
	ok(vfu_irq_raise(dev.vfu, 0) && signals(0) == 1, "and the vectors still work");
}

int main(void)
{
	unsigned int i, fds = count_fds();

	for (i = 0; i < DEV_NR_MSIX; i++)
		efd[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	dev_open(&dev);
	client_start(&dev, &cl);
	test_raise();
	test_mask();
	test_trigger();
	test_change();
	test_full();
	test_impostor();
	test_error_irq();
	test_bad();
	client_close(&dev, &cl);
	ok(!vfu_irq_configured(dev.vfu, 0) && !vfu_irq_raise(dev.vfu, 0) && !signals(0),
	   "a client that leaves takes its eventfds with it");
	dev_close(&dev);
	for (i = 0; i < DEV_NR_MSIX; i++)
		close(efd[i]);
	ok(count_fds() == fds, "no descriptor is left");
	return done();
}
