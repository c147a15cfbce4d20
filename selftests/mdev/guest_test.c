// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inside a guest, without drivers: a vGPU through its PCI resources, as an attacker with
 * root rights has it. The guest's own memory is reached at its physical addresses, which
 * are those of the GPU's client. GUEST_SLICES says how many slices there have to be.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include <drm/tessera_packet.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/hw/tess_regs.h>

#include "harness.h"

#define HUGE (2UL << 20)
#define RING 0
#define RECORD 0x1000
#define DATA 0x2000

FIXTURE(guest)
{
	volatile uint8_t *regs;
	uint8_t *vram;
	uint64_t vram_size;
	uint8_t *mem;
	uint64_t gpa;
	uint64_t wptr;
	uint64_t seq;
};

static char *find_gpu(void)
{
	static char path[PATH_MAX];
	struct dirent *e;
	DIR *d = opendir("/sys/bus/pci/devices");

	while (d && (e = readdir(d))) {
		char id[16] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.32s/device", e->d_name);
		f = fopen(path, "re");
		if (f && !fgets(id, sizeof(id), f))
			*id = 0;
		if (f)
			fclose(f);
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.32s", e->d_name);
		if (!strncmp(id, "0x7e55", 6))
			break;
		*path = 0;
	}
	if (d)
		closedir(d);
	return path;
}

static void *map_resource(const char *gpu, int bar, size_t size)
{
	char path[PATH_MAX + 16];
	void *p = MAP_FAILED;
	int fd;

	snprintf(path, sizeof(path), "%s/resource%d", gpu, bar);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
	}
	return p == MAP_FAILED ? NULL : p;
}

static int write_file(const char *dir, const char *file, const char *text)
{
	char path[PATH_MAX + 32];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ret = write(fd, text, strlen(text)) < 0 ? -1 : 0;
	close(fd);
	return ret;
}

static uint64_t physical(const void *p)
{
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || pread(fd, &entry, 8, (uintptr_t)p / 4096 * 8) != 8)
		entry = 0;
	if (fd >= 0)
		close(fd);
	return (entry & ((1ULL << 55) - 1)) << 12;
}

static uint32_t reg32(struct __fixture_guest *self, uint32_t off)
{
	return *(volatile uint32_t *)(self->regs + off);
}

static uint64_t reg64(struct __fixture_guest *self, uint32_t off)
{
	return *(volatile uint64_t *)(self->regs + off);
}

static void reg32_write(struct __fixture_guest *self, uint32_t off, uint32_t val)
{
	*(volatile uint32_t *)(self->regs + off) = val;
}

static void reg64_write(struct __fixture_guest *self, uint32_t off, uint64_t val)
{
	*(volatile uint64_t *)(self->regs + off) = val;
}

#define SREG(name) (TESS_CLIENT_PAGE(0) + TESS_SREG_##name)

static void start(struct __fixture_guest *self)
{
	reg32_write(self, SREG(RESET), 1);
	memset(self->mem + RECORD, 0, 64);
	self->wptr = self->seq = 0;
	reg64_write(self, SREG(RING_BASE), self->gpa + RING);
	reg32_write(self, SREG(RING_LOG2), 6);
	reg64_write(self, SREG(COMPLETION), self->gpa + RECORD);
	reg32_write(self, SREG(CONTROL), TESS_CONTROL_ENABLE);
}

static void put(struct __fixture_guest *self, const void *pkt)
{
	memcpy(self->mem + RING + self->wptr++ % 64 * 64, pkt, 64);
}

static void kick(struct __fixture_guest *self)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	reg64_write(self, TESS_DOORBELL_PAGE(0), self->wptr);
}

static void fill(struct __fixture_guest *self, uint64_t dst, uint64_t bytes, uint32_t pattern)
{
	struct tess_pkt_fill pkt = { .header = DRM_TESSERA_PKT_FILL,
				     .rows = 1,
				     .dst = dst,
				     .row_bytes = bytes,
				     .dst_pitch = bytes,
				     .pattern = pattern };

	put(self, &pkt);
}

static void copy(struct __fixture_guest *self, uint64_t dst, uint64_t src, uint64_t bytes)
{
	struct tess_pkt_copy pkt = { .header = DRM_TESSERA_PKT_COPY,
				     .rows = 1,
				     .src = src,
				     .dst = dst,
				     .row_bytes = bytes,
				     .src_pitch = bytes,
				     .dst_pitch = bytes };

	put(self, &pkt);
}

static void fence(struct __fixture_guest *self)
{
	struct tess_pkt_fence pkt = { .header = DRM_TESSERA_PKT_FENCE, .seq = ++self->seq };

	put(self, &pkt);
	kick(self);
}

/* -1: complete; else the cause of the fault; -2: neither */
static int result(struct __fixture_guest *self)
{
	volatile struct tess_completion_record *rec = (void *)(self->mem + RECORD);
	time_t end = time(NULL) + 20;

	while (time(NULL) < end) {
		if (rec->seq == self->seq)
			return -1;
		if (reg32(self, SREG(STATUS)) & TESS_STATUS_FAULTED)
			return reg32(self, SREG(FAULT_CAUSE));
		usleep(500);
	}
	return -2;
}

FIXTURE_SETUP(guest)
{
	const char *gpu = find_gpu();

	ASSERT_TRUE(*gpu);
	ASSERT_EQ(0, write_file(gpu, "enable", "1"));
	self->regs = map_resource(gpu, 0, TESS_REGS_SIZE);
	ASSERT_TRUE(self->regs);
	self->vram_size = reg64(self, TESS_REG_VRAM_SIZE);
	self->vram = map_resource(gpu, 2, self->vram_size);
	ASSERT_TRUE(self->vram);
	write_file("/proc/sys/vm", "nr_hugepages", "4");
	self->mem = mmap(NULL, HUGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, self->mem);
	self->gpa = physical(self->mem);
	ASSERT_NE(0, self->gpa);
	reg32_write(self, TESS_REG_RESET, TESS_RESET_KEY);
	start(self);
}

FIXTURE_TEARDOWN(guest)
{
	reg32_write(self, TESS_REG_RESET, TESS_RESET_KEY);
}

TEST_F(guest, identity)
{
	const char *slices = getenv("GUEST_SLICES");
	unsigned int n = slices ? atoi(slices) : 1;

	EXPECT_EQ(TESS_ID_VALUE, reg32(self, TESS_REG_ID));
	EXPECT_NE(0, reg32(self, TESS_REG_CAPS) & TESS_CAPS_VGPU);
	EXPECT_EQ(0, reg32(self, TESS_REG_CAPS) & TESS_CAPS_STAGE2);
	EXPECT_EQ(n, reg32(self, TESS_REG_SLICE_COUNT));
	EXPECT_EQ((1ULL << n) - 1, reg64(self, TESS_REG_SLICE_MASK));
	EXPECT_EQ(0, reg32(self, TESS_HOST_PAGE(0) + TESS_HREG_CONTROL));
	EXPECT_EQ(TESS_COMPOSITION_MAGIC, reg32(self, TESS_COMPOSITION_PAGE));
}

TEST_F(guest, own_memory)
{
	fill(self, self->gpa + DATA, HUGE - DATA, 0x600dd00d);
	copy(self, TESS_PA_VRAM, self->gpa + DATA, 65536);
	fence(self);
	ASSERT_EQ(-1, result(self));
	EXPECT_EQ(0x600dd00d, *(uint32_t *)(self->mem + HUGE - 4));
	EXPECT_EQ(0x600dd00d, *(uint32_t *)(self->vram + 65532));
}

TEST_F(guest, vram)
{
	uint32_t *v = (uint32_t *)self->vram;
	size_t i, bad = 0;

	for (i = 0; i < self->vram_size / 4; i++)
		v[i] = i * 2654435761U;
	for (i = 0; i < self->vram_size / 4; i++)
		bad += v[i] != (uint32_t)(i * 2654435761U);
	EXPECT_EQ(0, bad);
	copy(self, self->gpa + DATA, TESS_PA_VRAM + self->vram_size - 4096, 4096);
	fence(self);
	ASSERT_EQ(-1, result(self));
	EXPECT_EQ(0, memcmp(self->mem + DATA, self->vram + self->vram_size - 4096, 4096));
}

/* Everything that is not memory of this guest, in steps over the whole address space */
TEST_F_TIMEOUT(guest, beyond_own_memory, 200)
{
	const uint64_t targets[] = {
		TESS_PA_VRAM + self->vram_size,
		TESS_PA_VRAM + self->vram_size + (16 << 20),
		TESS_PA_VRAM + (64ULL << 20),
		TESS_PA_VRAM + (255ULL << 20),
		TESS_PA_VRAM + (256ULL << 20),
		TESS_PA_END - 4096,
		0xfee00000ULL,
		0xfed00000ULL,
		1ULL << 33,
		1ULL << 34,
		1ULL << 36,
		(1ULL << 39) + 4096,
	};
	unsigned int i;

	for (i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		int cause;

		fill(self, targets[i], 64, 0xbad0bad0);
		fence(self);
		cause = result(self);
		if (cause != DRM_TESSERA_CAUSE_STORE_ACCESS)
			TH_LOG("store to %#llx: %d", (unsigned long long)targets[i], cause);
		EXPECT_EQ(DRM_TESSERA_CAUSE_STORE_ACCESS, cause);
		start(self);
		copy(self, self->gpa + DATA, targets[i], 64);
		fence(self);
		cause = result(self);
		if (cause != DRM_TESSERA_CAUSE_LOAD_ACCESS)
			TH_LOG("load from %#llx: %d", (unsigned long long)targets[i], cause);
		EXPECT_EQ(DRM_TESSERA_CAUSE_LOAD_ACCESS, cause);
		start(self);
	}
}

static uint64_t random64(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/*
 * The composition page and the doorbells included. The page is the guest's copy: stores
 * change nothing else, and a reset brings it back.
 */
TEST_F_TIMEOUT(guest, wrong_registers, 200)
{
	uint64_t seed = 0x452821e638d01377ULL;
	unsigned int n;

	for (n = 0; n < 2000; n++) {
		const uint32_t pages[] = { TESS_GLOBAL_PAGE,	  TESS_COMPOSITION_PAGE,
					   TESS_CLIENT_PAGE(0),	  TESS_CLIENT_PAGE(40),
					   TESS_DOORBELL_PAGE(0), TESS_HOST_PAGE(0) };
		uint32_t off = pages[random64(&seed) % 6] + (random64(&seed) % 0x180 & ~7U);

		reg64_write(self, off, random64(&seed) >> random64(&seed) % 64);
	}
	reg32_write(self, TESS_REG_RESET, TESS_RESET_KEY);
	EXPECT_EQ(TESS_COMPOSITION_MAGIC, reg32(self, TESS_COMPOSITION_PAGE));
	start(self);
	fill(self, self->gpa + DATA, 4096, 0x12344321);
	fence(self);
	EXPECT_EQ(-1, result(self));
	EXPECT_EQ(0x12344321, *(uint32_t *)(self->mem + DATA));
}

TEST_F_TIMEOUT(guest, wrong_packets, 200)
{
	uint64_t seed = 0xbe5466cf34e90c6cULL;
	unsigned int n, i;

	for (n = 0; n < 100; n++) {
		uint64_t pkt[8];

		for (i = 0; i < 8; i++)
			pkt[i] = random64(&seed) >> random64(&seed) % 64;
		pkt[0] = (pkt[0] & ~0xffULL) | (n & 1 ? 0x80 + n % 20 : n);
		put(self, pkt);
		kick(self);
		usleep(1000);
		start(self);
	}
	fill(self, self->gpa + DATA, 4096, 0x77);
	fence(self);
	EXPECT_EQ(-1, result(self));
}

TEST_HARNESS_MAIN
