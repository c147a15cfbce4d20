// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The GPU through a real VMM and a real kernel, without a driver: root in a host VM
 * maps its BARs and lets it work. Run it with "scripts/vm host --bare".
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <drm/tessera_packet.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/hw/tess_regs.h>

#include "tap.h"

#define SYSFS "/sys/bus/pci/devices"
#define VRAM_MAP (1 << 20)
#define RECORD 0x8000
#define DATA 0x10000
#define PM_PFN ((1ULL << 55) - 1)

static char device[300];
static volatile uint8_t *regs;
static uint8_t *vram;

static long sysfs_number(const char *dir, const char *file)
{
	char path[600], text[64] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	if (fd >= 0)
		close(fd);
	return strtol(text, NULL, 0);
}

static bool sysfs_write(const char *file, const char *text)
{
	char path[600];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", device, file);
	fd = open(path, O_WRONLY);
	n = fd < 0 ? -1 : write(fd, text, strlen(text));
	if (fd >= 0)
		close(fd);
	return n > 0;
}

static bool find_device(void)
{
	DIR *dir = opendir(SYSFS);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		snprintf(device, sizeof(device), SYSFS "/%s", e->d_name);
		if (sysfs_number(device, "vendor") == TESS_PCI_VENDOR_ID &&
		    sysfs_number(device, "device") == TESS_PCI_DEVICE_ID)
			break;
		device[0] = '\0';
	}
	if (dir)
		closedir(dir);
	return device[0];
}

static void *map_bar(unsigned int bar, size_t size)
{
	char path[600];
	void *p;
	int fd;

	snprintf(path, sizeof(path), "%s/resource%u", device, bar);
	fd = open(path, O_RDWR | O_SYNC);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p;
}

/* Memory space and bus mastering. */
static bool enable_device(void)
{
	const uint16_t command = 6;
	char path[600];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/config", device);
	fd = open(path, O_RDWR);
	n = pwrite(fd, &command, sizeof(command), 4);
	close(fd);
	return n == sizeof(command);
}

static uint32_t rd32(uint32_t off)
{
	return *(volatile uint32_t *)(regs + off);
}

static uint64_t rd64(uint32_t off)
{
	return *(volatile uint64_t *)(regs + off);
}

static void wr32(uint32_t off, uint32_t val)
{
	*(volatile uint32_t *)(regs + off) = val;
}

static void wr64(uint32_t off, uint64_t val)
{
	*(volatile uint64_t *)(regs + off) = val;
}

static void test_identity(void)
{
	bool good = true;

	ok(sysfs_number(device, "class") == TESS_PCI_CLASS &&
		   sysfs_number(device, "revision") == TESS_PCI_REVISION,
	   "class and revision in sysfs");
	ok(rd32(TESS_REG_ID) == TESS_ID_VALUE && rd32(TESS_REG_VERSION) == 0x10003, "ID, VERSION");
	ok(rd32(TESS_REG_SLICE_COUNT) == 16 && rd64(TESS_REG_SLICE_MASK) == 0xffff, "16 slices");
	ok(rd64(TESS_REG_VRAM_SIZE) == 256 << 20 && rd64(TESS_REG_BANK_SIZE) == 16 << 20, "VRAM");
	for (unsigned int n = 0; n < 16; n++)
		good &= rd32(TESS_CLIENT_PAGE(n) + TESS_SREG_CORES) == (n < 6  ? 8u :
									n < 12 ? 2u :
										 4u);
	ok(good, "cores of each");
	ok(rd32(TESS_COMPOSITION_PAGE) == TESS_COMPOSITION_MAGIC, "composition page");
	ok(rd32(TESS_CLIENT_PAGE(16)) == 0 && rd32(0x3f000) == 0, "nothing where nothing is");
}

static void set_ring(unsigned int n, uint64_t base, uint64_t record)
{
	uint32_t page = TESS_CLIENT_PAGE(n);

	wr32(page + TESS_SREG_RESET, 1);
	wr64(page + TESS_SREG_RING_BASE, base);
	wr32(page + TESS_SREG_RING_LOG2, 4);
	wr64(page + TESS_SREG_COMPLETION, record);
	wr32(page + TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
}

static bool fence_comes(const void *record, uint64_t seq)
{
	const volatile uint64_t *p = record;

	for (unsigned int i = 0; i < 5000; i++) {
		if (*p == seq)
			return true;
		usleep(1000);
	}
	return false;
}

/* FILL and FENCE with everything in VRAM, then a round of fences, one doorbell each. */
static void test_vram_ring(void)
{
	struct tess_pkt_fill fill = { .header = DRM_TESSERA_PKT_FILL,
				      .rows = 1,
				      .dst = TESS_PA_VRAM + DATA,
				      .row_bytes = 4096,
				      .pattern = 0xdeadbeef };
	struct tess_pkt_fence fence = { .header = DRM_TESSERA_PKT_FENCE, .seq = 1 };
	struct timespec a, b;
	bool good = true;

	set_ring(0, TESS_PA_VRAM, TESS_PA_VRAM + RECORD);
	memcpy(vram, &fill, sizeof(fill));
	memcpy(vram + DRM_TESSERA_PKT_SIZE, &fence, sizeof(fence));
	wr64(TESS_DOORBELL_PAGE(0), 2);
	ok(fence_comes(vram + RECORD, 1) && *(uint32_t *)(vram + DATA + 4092) == 0xdeadbeef,
	   "FILL and FENCE in VRAM");
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (uint64_t i = 2; i < 102; i++) {
		const volatile uint64_t *seq = (void *)(vram + RECORD);

		fence.seq = i;
		memcpy(vram + i % 16 * DRM_TESSERA_PKT_SIZE, &fence, sizeof(fence));
		wr64(TESS_DOORBELL_PAGE(0), i + 1);
		for (unsigned int k = 0; k < 100000000 && *seq != i; k++)
			;
		good &= *seq == i;
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	ok(good, "100 fences, %ld us each",
	   ((b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000) / 100);
}

/* Bus address of a page of this process; 0 if it has none. */
static uint64_t bus_address(const void *page)
{
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	if (fd >= 0 && pread(fd, &entry, 8, (off_t)((uintptr_t)page / 4096 * 8)) != 8)
		entry = 0;
	close(fd);
	return (entry & PM_PFN) * 4096;
}

static void test_system_memory(void)
{
	struct tess_pkt_copy copy = { .header = DRM_TESSERA_PKT_COPY, .rows = 1, .row_bytes = 512 };
	struct tess_pkt_fence fence = { .header = DRM_TESSERA_PKT_FENCE, .seq = 9 };
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0);
	uint64_t bus;

	page[0] = 0;
	bus = bus_address(page);
	if (!bus) {
		skip("no physical addresses in pagemap");
		return;
	}
	copy.src = TESS_PA_VRAM + DATA;
	copy.dst = bus + 2048;
	memcpy(page, &copy, sizeof(copy));
	memcpy(page + DRM_TESSERA_PKT_SIZE, &fence, sizeof(fence));
	set_ring(7, bus, bus + 1024);
	wr64(TESS_DOORBELL_PAGE(7), 2);
	ok(fence_comes(page + 1024, 9) && !memcmp(page + 2048, vram + DATA, 512),
	   "ring, record and COPY in system memory");
	munmap(page, 4096);
}

static void test_fault(void)
{
	uint8_t junk[DRM_TESSERA_PKT_SIZE];
	uint32_t page = TESS_CLIENT_PAGE(3);

	memset(junk, 0xff, sizeof(junk));
	memcpy(vram, junk, sizeof(junk));
	set_ring(3, TESS_PA_VRAM, 0);
	wr64(TESS_DOORBELL_PAGE(3), 1);
	usleep(20000);
	ok(rd32(page + TESS_SREG_STATUS) & TESS_STATUS_FAULTED &&
		   rd32(page + TESS_SREG_FAULT_CAUSE) == DRM_TESSERA_CAUSE_ILLEGAL_PACKET &&
		   rd64(TESS_REG_FAULT_PENDING) == 1 << 3,
	   "a bad packet is a fault of its slice");
}

static void test_flr(void)
{
	ok(sysfs_write("reset", "1"), "function level reset");
	ok(enable_device() && rd64(TESS_REG_FAULT_PENDING) == 0 &&
		   rd64(TESS_CLIENT_PAGE(0) + TESS_SREG_RING_BASE) == 0 && rd64(TESS_REG_TIME) == 0,
	   "all registers are reset");
	ok(*(uint32_t *)(vram + DATA) == 0, "VRAM is zero");
}

int main(void)
{
	if (!find_device()) {
		skip("no GPU");
		return done();
	}
	ok(sysfs_write("enable", "1") && enable_device(), "%s", device);
	regs = map_bar(TESS_BAR_REGS, TESS_REGS_SIZE);
	vram = map_bar(TESS_BAR_VRAM, VRAM_MAP);
	if (!ok((void *)regs != MAP_FAILED && vram != MAP_FAILED, "BAR0 and BAR2 can be mapped"))
		return done();
	test_identity();
	test_vram_ring();
	test_system_memory();
	test_fault();
	test_flr();
	return done();
}
