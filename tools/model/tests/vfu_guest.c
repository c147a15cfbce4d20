// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: drives the demonstration device from inside a VM
 *
 * Runs as root in a VM with an IOMMU, with vfio-pci bound to the device. Uses
 * plain VFIO, so that everything a driver needs (BARs, MSI-X, DMA, FLR) is
 * exercised with stock code on the guest's side.
 *
 * usage: vfu_guest DOMAIN:BUS:SLOT.FN GROUP VRAM-MIB
 */
#include "tap.h"
#include "vfu_demo.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define NR_MSIX 4
#define PAGE 4096ul

struct device {
	int container;
	int fd;
	volatile uint8_t *regs;
	volatile uint8_t *vram;
	uint64_t vram_size;
	int efd[NR_MSIX];
};

static struct vfio_region_info region_info(int fd, uint32_t index)
{
	struct vfio_region_info info = { .argsz = sizeof(info), .index = index };

	ioctl(fd, VFIO_DEVICE_GET_REGION_INFO, &info);
	return info;
}

static volatile uint8_t *map_bar(int fd, uint32_t index, uint64_t size)
{
	struct vfio_region_info info = region_info(fd, index);
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, info.offset);

	return p == MAP_FAILED ? NULL : p;
}

static void config(int fd, uint64_t off, void *val, size_t len, bool write)
{
	off += region_info(fd, VFIO_PCI_CONFIG_REGION_INDEX).offset;
	if (write)
		pwrite(fd, val, len, off);
	else
		pread(fd, val, len, off);
}

static void set_command(int fd, uint16_t bits, bool on)
{
	uint16_t cmd = 0;

	config(fd, PCI_COMMAND, &cmd, sizeof(cmd), false);
	cmd = on ? cmd | bits : cmd & ~bits;
	config(fd, PCI_COMMAND, &cmd, sizeof(cmd), true);
}

static volatile uint32_t *reg32(struct device *d, unsigned int off)
{
	return (volatile uint32_t *)(d->regs + off);
}

static volatile uint64_t *reg64(struct device *d, unsigned int off)
{
	return (volatile uint64_t *)(d->regs + off);
}

static int open_device(struct device *d, const char *bdf, const char *group_name)
{
	char path[64];
	int group;

	snprintf(path, sizeof(path), "/dev/vfio/%s", group_name);
	d->container = open("/dev/vfio/vfio", O_RDWR);
	group = open(path, O_RDWR);
	if (d->container < 0 || group < 0 ||
	    ioctl(group, VFIO_GROUP_SET_CONTAINER, &d->container) ||
	    ioctl(d->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU))
		return -1;
	return ioctl(group, VFIO_GROUP_GET_DEVICE_FD, bdf);
}

static void test_bars(struct device *d)
{
	uint64_t i, bad = 0;

	ok(region_info(d->fd, 0).size == 1 << 20 && region_info(d->fd, 2).size >= d->vram_size &&
		   region_info(d->fd, 4).size == 4096,
	   "BAR sizes");
	*reg32(d, 0x10) = 0x12345678;
	*reg64(d, 0x18) = 0x1122334455667788;
	d->regs[0x13] = 0x9a;
	ok(*reg32(d, 0x10) == 0x9a345678 && *reg64(d, 0x18) == 0x1122334455667788 &&
		   *(volatile uint16_t *)(d->regs + 0x1a) == 0x5566,
	   "registers: 8, 16, 32 and 64 bits");
	ok(!*reg32(d, 0xff000), "a register that does not exist reads as zero");
	for (i = 0; i < d->vram_size; i += 4096)
		*(volatile uint64_t *)(d->vram + i) = i ^ 0x5aa5;
	for (i = 0; i < d->vram_size; i += 4096)
		bad += *(volatile uint64_t *)(d->vram + i) != (i ^ 0x5aa5);
	ok(!bad, "every page of VRAM");
}

static bool wait_irq(struct device *d, unsigned int vector)
{
	struct pollfd pfd = { .fd = d->efd[vector], .events = POLLIN };
	uint64_t n;

	return poll(&pfd, 1, 5000) == 1 && read(d->efd[vector], &n, sizeof(n)) == sizeof(n) &&
	       n == 1;
}

static bool quiet(struct device *d, unsigned int vector)
{
	struct pollfd pfd = { .fd = d->efd[vector], .events = POLLIN };

	return !poll(&pfd, 1, 100);
}

static bool enable_msix(struct device *d)
{
	uint8_t buf[sizeof(struct vfio_irq_set) + sizeof(d->efd)];
	struct vfio_irq_set *set = (void *)buf;

	set->argsz = sizeof(buf);
	set->flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	set->index = VFIO_PCI_MSIX_IRQ_INDEX;
	set->start = 0;
	set->count = NR_MSIX;
	memcpy(set->data, d->efd, sizeof(d->efd));
	return !ioctl(d->fd, VFIO_DEVICE_SET_IRQS, set);
}

static void test_irqs(struct device *d)
{
	struct vfio_irq_info info = { .argsz = sizeof(info), .index = VFIO_PCI_MSIX_IRQ_INDEX };
	unsigned int i, bad = 0;

	ok(!ioctl(d->fd, VFIO_DEVICE_GET_IRQ_INFO, &info) && info.count == NR_MSIX,
	   "4 MSI-X vectors");
	*reg32(d, DEMO_IRQ) = 3;
	ok(enable_msix(d), "MSI-X can be enabled");
	ok(wait_irq(d, 3), "an interrupt raised before is delivered now");
	for (i = 0; i < 100; i++) {
		*reg32(d, DEMO_IRQ) = i % NR_MSIX;
		bad += !wait_irq(d, i % NR_MSIX);
	}
	ok(!bad, "100 interrupts, none lost");
	*reg32(d, DEMO_IRQ) = NR_MSIX;
	ok(quiet(d, 0) && quiet(d, 3), "a vector that does not exist");
}

static bool dma_map(struct device *d, void *p, uint64_t iova, uint64_t size)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.vaddr = (uintptr_t)p,
		.iova = iova,
		.size = size,
	};

	return !ioctl(d->container, VFIO_IOMMU_MAP_DMA, &map);
}

static bool dma_unmap(struct device *d, uint64_t iova, uint64_t size)
{
	struct vfio_iommu_type1_dma_unmap unmap = { .argsz = sizeof(unmap),
						    .iova = iova,
						    .size = size };

	return !ioctl(d->container, VFIO_IOMMU_UNMAP_DMA, &unmap);
}

/* Copy and wait for the interrupt; returns how many errors that added. */
static int copy(struct device *d, uint64_t dst, uint64_t src, uint32_t len)
{
	uint32_t before = *reg32(d, DEMO_DMA_ERRORS);

	*reg64(d, DEMO_DMA_SRC) = src;
	*reg64(d, DEMO_DMA_DST) = dst;
	*reg32(d, DEMO_DMA_LEN) = len;
	*reg32(d, DEMO_DMA_GO) = 0;
	return wait_irq(d, 0) ? (int)(*reg32(d, DEMO_DMA_ERRORS) - before) : -1;
}

#define SRC 0x100000ul
#define DST 0x40000000ul
#define FAR (1ul << 40)

static void test_dma(struct device *d)
{
	uint8_t *src =
		mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *dst =
		mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i, bad = 0;

	for (i = 0; i < 16 * PAGE; i++)
		src[i] = i * 7 + i / PAGE;
	ok(dma_map(d, src, SRC, 16 * PAGE) && dma_map(d, dst, DST, 16 * PAGE), "map for DMA");
	for (i = 0; i < 16; i++)
		bad += !!copy(d, DST + i * PAGE, SRC + i * PAGE, PAGE);
	ok(!bad && !memcmp(src, dst, 16 * PAGE), "DMA of 16 pages in guest memory");
	ok(copy(d, DST, 0x30000000, PAGE) == 1, "DMA where nothing is mapped");
	ok(dma_map(d, src, FAR, PAGE) && copy(d, DST, FAR, 16) == 1 && dma_unmap(d, FAR, PAGE),
	   "DMA beyond 40 bits");
	memset(dst, 0, PAGE);
	set_command(d->fd, PCI_COMMAND_MASTER, false);
	*reg64(d, DEMO_DMA_SRC) = SRC;
	*reg32(d, DEMO_DMA_GO) = 0;
	ok(!dst[1] && quiet(d, 0), "no DMA and no interrupt without bus mastering");
	set_command(d->fd, PCI_COMMAND_MASTER, true);
	ok(wait_irq(d, 0), "the interrupt comes when bus mastering is on again");
	ok(dma_unmap(d, SRC, 16 * PAGE) && copy(d, DST, SRC, PAGE) == 1,
	   "unmapped memory cannot be reached any more");
	for (i = 0; i < 50 && !bad; i++)
		bad += !dma_map(d, src, SRC, 16 * PAGE) || copy(d, DST, SRC + PAGE, PAGE) ||
		       memcmp(dst, src + PAGE, PAGE) || !dma_unmap(d, SRC, 16 * PAGE);
	ok(!bad, "50 times map, copy, unmap");
	dma_unmap(d, DST, 16 * PAGE);
}

static void test_reset(struct device *d)
{
	uint32_t resets = *reg32(d, DEMO_RESETS);

	*reg32(d, 0) = 0xdead;
	ok(!ioctl(d->fd, VFIO_DEVICE_RESET), "function level reset");
	set_command(d->fd, PCI_COMMAND_MASTER | PCI_COMMAND_MEMORY, true);
	ok(!*reg32(d, 0) && *reg32(d, DEMO_RESETS) == resets + 1 && !d->vram[0],
	   "registers and VRAM are as at power-on (resets: %u, then %u)", resets,
	   *reg32(d, DEMO_RESETS));
	ok(enable_msix(d), "MSI-X can be enabled again");
	*reg32(d, DEMO_IRQ) = 1;
	ok(wait_irq(d, 1), "and works");
}

int main(int argc, char **argv)
{
	struct device d;
	unsigned int i;

	if (argc != 4)
		return 2;
	d.fd = open_device(&d, argv[1], argv[2]);
	if (!ok(d.fd >= 0, "open %s through VFIO", argv[1]))
		return done();
	d.vram_size = strtoull(argv[3], NULL, 0) << 20;
	set_command(d.fd, PCI_COMMAND_MASTER | PCI_COMMAND_MEMORY, true);
	d.regs = map_bar(d.fd, 0, 1 << 20);
	d.vram = map_bar(d.fd, 2, d.vram_size);
	if (!ok(d.regs && d.vram, "BAR0 and BAR2 can be mapped"))
		return done();
	for (i = 0; i < NR_MSIX; i++)
		d.efd[i] = eventfd(0, EFD_CLOEXEC);
	test_bars(&d);
	test_irqs(&d);
	test_dma(&d);
	test_reset(&d);
	return done();
}
