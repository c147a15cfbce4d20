// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: the function on its socket: regions, register access rules, the effect of
 * memory decoding and bus mastering, interrupts that are held back, resets.
 */
#include "tap.h"
#include "pci_dev.h"
#include "vfu/vfu.h"
#include "vfu_client.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#define RW (VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE)
#define SET_FD (VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER)
#define VRAM_SIZE (3ull << 20)
#define CONFIG VFIO_PCI_CONFIG_REGION_INDEX

struct gpu {
	char logged[64];
	unsigned int reads, writes, resets, invalidates;
	uint32_t off;
	uint64_t val;
	unsigned int size;
	enum pci_reset how;
};

static struct gpu gpu;
static struct pci_dev *pci;
static struct client cl;
static struct reply rep;

/* Only its path and poll are used: the client is the same, the server is the function's. */
static struct dev dev;

static int poll_function(struct dev *d, int timeout_ms)
{
	(void)d;
	return pci_dev_poll(pci, timeout_ms);
}

static uint64_t reg_read(void *opaque, uint32_t off, unsigned int size)
{
	struct gpu *g = opaque;

	g->reads++;
	g->off = off;
	g->size = size;
	return 0x1122334455667788;
}

static void reg_write(void *opaque, uint32_t off, uint64_t val, unsigned int size)
{
	struct gpu *g = opaque;

	g->writes++;
	g->off = off;
	g->val = val;
	g->size = size;
}

static void reset(void *opaque, enum pci_reset how)
{
	struct gpu *g = opaque;

	g->resets++;
	g->how = how;
}

static void dma_invalidate(void *opaque, uint64_t addr, uint64_t size)
{
	struct gpu *g = opaque;

	(void)addr;
	(void)size;
	g->invalidates++;
}

static void report(void *opaque, const char *msg)
{
	struct gpu *g = opaque;

	snprintf(g->logged, sizeof(g->logged), "%s", msg);
}

static const struct pci_dev_ops ops = {
	.reg_read = reg_read,
	.reg_write = reg_write,
	.reset = reset,
	.dma_invalidate = dma_invalidate,
};

static int rd(uint32_t region, uint64_t offset, uint32_t count)
{
	struct vfu_msg_region_access m = { .offset = offset, .region = region, .count = count };

	return client_call(&dev, &cl, VFU_CMD_REGION_READ, &m, sizeof(m), NULL, 0, &rep);
}

static int wr(uint32_t region, uint64_t offset, uint32_t count, uint64_t val)
{
	struct vfu_msg_region_access m = { .offset = offset, .region = region, .count = count };
	uint8_t payload[sizeof(m) + 16] = { 0 };

	memcpy(payload, &m, sizeof(m));
	memcpy(payload + sizeof(m), &val, sizeof(val));
	return client_call(&dev, &cl, VFU_CMD_REGION_WRITE, payload, sizeof(m) + count, NULL, 0,
			   &rep);
}

static uint64_t value(void)
{
	uint64_t val = 0;

	memcpy(&val, rep.data + 16, rep.len < 24 ? rep.len - 16 : 8);
	return val;
}

static struct vfio_region_info region(uint32_t index)
{
	struct vfio_region_info info = { .argsz = 64, .index = index };

	client_call(&dev, &cl, VFU_CMD_GET_REGION_INFO, &info, sizeof(info), NULL, 0, &rep);
	memcpy(&info, rep.data, sizeof(info));
	return info;
}

static void test_regions(void)
{
	struct vfio_region_info_cap_sparse_mmap *cap = (void *)(rep.data + 32);
	struct vfio_region_info vram;

	ok(region(0).size == 1 << 20 && !(region(0).flags & VFIO_REGION_INFO_FLAG_MMAP),
	   "BAR0: 1 MiB, trapped");
	ok(region(4).size == 4096 && region(CONFIG).size == 4096, "BAR4 and config: 4 KiB");
	ok(!region(1).size && !region(3).size && !region(5).size && !region(6).size &&
		   !region(8).size,
	   "no other region");
	vram = region(2);
	ok(vram.size == 4 << 20 && (vram.flags & VFIO_REGION_INFO_FLAG_MMAP) && rep.len == 64 &&
		   cap->nr_areas == 1 && cap->areas[0].size == VRAM_SIZE,
	   "BAR2: 3 MiB of VRAM in 4 MiB");
	ok(!wr(2, VRAM_SIZE - 8, 8, 0x42) && !rd(2, VRAM_SIZE - 8, 8) && value() == 0x42,
	   "the end of the VRAM");
	wr(CONFIG, 4, 2, 2);
	ok(!wr(2, VRAM_SIZE, 8, 0x42) && !rd(2, VRAM_SIZE, 8) && !value() &&
		   !rd(2, VRAM_SIZE - 4, 8) && !value(),
	   "beyond it there is nothing");
	wr(CONFIG, 4, 2, 0);
}

static void test_registers(void)
{
	unsigned int size;

	ok(!rd(0, 0, 4) && value() == UINT32_MAX && !wr(0, 0, 4, 1) && !gpu.reads && !gpu.writes,
	   "without memory decoding registers are not reached");
	ok(!rd(4, 0, 8) && value() == UINT64_MAX, "nor is the MSI-X table");
	wr(CONFIG, 4, 2, 2);
	for (size = 1; size <= 8; size *= 2)
		ok(!rd(0, 0x40, size) && gpu.off == 0x40 && gpu.size == size &&
			   value() == 0x1122334455667788u << (64 - 8 * size) >> (64 - 8 * size) &&
			   !wr(0, 0x48, size, UINT64_MAX) && gpu.off == 0x48 && gpu.size == size &&
			   gpu.val == UINT64_MAX >> (64 - 8 * size),
		   "%u bytes", size);
	gpu.reads = 0;
	gpu.writes = 0;
	ok(!rd(0, 2, 4) && !value() && !rd(0, 0, 3) && !value() && !rd(0, 0, 16) && !value() &&
		   !wr(0, 4, 8, 1) && !wr(0, 1, 2, 1) && !wr(0, 0, 5, 1) && !gpu.reads &&
		   !gpu.writes,
	   "anything else reads as zero or is ignored");
	ok(rd(0, 0xffffc, 8) == EINVAL && !rd(0, 0xffff8, 8), "the end of BAR0");
}

static void test_config(void)
{
	ok(!rd(CONFIG, 0, 4) && value() == 0x7e551234, "identity");
	ok(!rd(CONFIG, 0, 4096) && rep.len == 16 + 4096 && rep.data[16 + 0x41] == 0x50,
	   "all of configuration space at once");
	ok(rd(CONFIG, 4095, 2) == EINVAL, "not beyond its end");
}

static void test_dma(void)
{
	int fd = make_file(0x10000);
	unsigned int before = gpu.invalidates;

	client_map(&dev, &cl, 0x10000, 0x10000, RW, fd, 0);
	client_map(&dev, &cl, (1ull << 40) - 0x1000, 0x2000, RW, fd, 0);
	ok(!pci_dev_bus_master(pci) && !pci_dev_dma_ptr(pci, 0x10000, 4, PROT_READ),
	   "no DMA without bus mastering");
	wr(CONFIG, 4, 2, 6);
	ok(pci_dev_bus_master(pci) && pci_dev_dma_ptr(pci, 0x10000, 4, PROT_READ) &&
		   gpu.invalidates == before,
	   "DMA with it");
	ok(pci_dev_dma_ptr(pci, (1ull << 40) - 8, 8, PROT_WRITE) &&
		   !pci_dev_dma_ptr(pci, (1ull << 40) - 8, 9, PROT_WRITE) &&
		   !pci_dev_dma_ptr(pci, 1ull << 40, 8, PROT_WRITE) &&
		   !pci_dev_dma_ptr(pci, 0, UINT64_MAX, PROT_WRITE),
	   "40-bit addresses");
	wr(CONFIG, 4, 2, 2);
	ok(gpu.invalidates == before + 1 && !pci_dev_dma_ptr(pci, 0x10000, 4, PROT_READ),
	   "bus mastering off: the GPU forgets its pointers");
	wr(CONFIG, 4, 2, 6);
	wr(CONFIG, 0x44, 2, 3);
	ok(gpu.invalidates == before + 2 && !pci_dev_dma_ptr(pci, 0x10000, 4, PROT_READ),
	   "the same in D3hot");
	wr(CONFIG, 0x44, 2, 0);
	client_unmap(&dev, &cl, 0, 1ull << 41);
	ok(gpu.invalidates == before + 3 && !pci_dev_dma_ptr(pci, 0x10000, 4, PROT_READ),
	   "unmapped");
	close(fd);
}

static int efd[4];

static uint64_t signals(unsigned int vector)
{
	uint64_t n = 0;

	return read(efd[vector], &n, sizeof(n)) == sizeof(n) ? n : 0;
}

static void test_irqs(void)
{
	client_set_irqs(&dev, &cl, SET_FD, 0, 4, efd, 4);
	pci_dev_irq_raise(pci, 1);
	ok(!signals(1) && !rd(4, 0x800, 8) && value() == 2, "MSI-X off: pending");
	wr(CONFIG, 0x92, 2, 0xc000);
	ok(!signals(1), "function mask: pending");
	wr(CONFIG, 0x92, 2, 0x8000);
	ok(signals(1) == 1 && !rd(4, 0x800, 8) && !value(), "on: sent, once");
	pci_dev_irq_raise(pci, 3);
	ok(signals(3) == 1, "sent at once when on");
	wr(CONFIG, 4, 2, 2);
	pci_dev_irq_raise(pci, 0);
	pci_dev_irq_raise(pci, 0);
	ok(!signals(0), "bus mastering off: pending");
	wr(CONFIG, 4, 2, 6);
	ok(signals(0) == 1, "on again: sent, once");
	pci_dev_irq_raise(pci, 4);
	pci_dev_irq_raise(pci, UINT32_MAX);
	ok(!signals(0) && !signals(3) && !rd(4, 0x800, 8) && !value(), "no such vector");
	client_set_irqs(&dev, &cl, VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_MASK, 2, 1, NULL,
			0);
	pci_dev_irq_raise(pci, 2);
	ok(!wr(4, 0x28, 4, 0x42) && !rd(4, 0x28, 4) && value() == 0x42 && wr(4, 1, 4, 0) == EINVAL,
	   "the table can be written");
	ok(!rd(4, 0x800, 8) && value() == 4, "a vector that the VMM masks is pending in the PBA");
}

static void test_resets(void)
{
	struct pollfd pfd = { .fd = pci_dev_fd(pci), .events = POLLIN };
	unsigned int before = gpu.resets;

	wr(CONFIG, 0x58, 2, 0x8000);
	ok(gpu.resets == before + 1 && gpu.how == PCI_RESET_FLR && !pci_dev_bus_master(pci), "FLR");
	wr(CONFIG, 4, 2, 6);
	ok(!rd(4, 0x800, 8) && !value(), "nothing is pending after it");
	pci_dev_irq_raise(pci, 0);
	ok(!client_call(&dev, &cl, VFU_CMD_DEVICE_RESET, NULL, 0, NULL, 0, &rep) &&
		   gpu.resets == before + 2 && gpu.how == PCI_RESET_BUS && !pci_dev_bus_master(pci),
	   "reset by the VMM");
	wr(CONFIG, 4, 2, 6);
	wr(CONFIG, 0x92, 2, 0x8000);
	ok(!signals(0), "nothing is pending after it");
	close(cl.fd);
	ok(poll(&pfd, 1, 0) == 1, "the descriptor tells when there is something to do");
	while (pci_dev_connected(pci))
		pci_dev_poll(pci, 10);
	ok(gpu.resets == before + 3 && gpu.how == PCI_RESET_GONE && !pci_dev_bus_master(pci) &&
		   !strcmp(gpu.logged, "VMM gone"),
	   "the VMM goes away");
}

static void test_create(struct pci_dev_desc *desc)
{
	struct pci_dev_desc bad = *desc;

	ok(!pci_dev_create(desc, &ops, &gpu) && errno == EADDRINUSE, "the socket is in use");
	bad.vram_size = 0;
	ok(!pci_dev_create(&bad, &ops, &gpu) && errno == EINVAL, "no VRAM");
	bad.vram_size = 4097;
	ok(!pci_dev_create(&bad, &ops, &gpu) && errno == EINVAL, "VRAM not in pages");
	bad.vram_size = 2ull << 40;
	ok(!pci_dev_create(&bad, &ops, &gpu) && errno == EINVAL, "too much VRAM");
}

int main(void)
{
	unsigned int i, fds = count_fds();
	struct pci_dev_desc desc = { .vram_size = VRAM_SIZE, .serial = 1, .log = report };

	for (i = 0; i < 4; i++)
		efd[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	snprintf(dev.path, sizeof(dev.path), "/tmp/pci-test-%d.sock", getpid());
	desc.socket = dev.path;
	desc.vram_fd = vfu_memfd("vram", VRAM_SIZE, &desc.vram);
	pci = pci_dev_create(&desc, &ops, &gpu);
	if (!ok(pci && !pci_dev_connected(pci) && !pci_dev_bus_master(pci), "create"))
		return done();
	dev.poll = poll_function;
	test_create(&desc);
	client_start(&dev, &cl);
	ok(pci_dev_connected(pci) && !strcmp(gpu.logged, "VMM attached"), "a VMM attaches");
	test_regions();
	test_registers();
	test_config();
	test_dma();
	test_irqs();
	test_resets();
	pci_dev_destroy(pci);
	munmap(desc.vram, VRAM_SIZE);
	close(desc.vram_fd);
	for (i = 0; i < 4; i++)
		close(efd[i]);
	ok(count_fds() == fds, "no descriptor is left");
	return done();
}
