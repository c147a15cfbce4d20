// SPDX-License-Identifier: GPL-2.0-or-later
/* Guest memory: pinned as it is touched, taken away, limited, given back */
#include <inttypes.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include "harness.h"
#include "vgpu.h"

FIXTURE(memory)
{
	struct vgpu v;
	struct ring r;
	char uuid[37];
	long long pins;
};

FIXTURE_SETUP(memory)
{
	mdev_remove_all();
	self->pins = pins_held();
	ASSERT_EQ(0, mdev_create("C1", self->uuid));
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
	ring_start(&self->r, &self->v, 0);
}

FIXTURE_TEARDOWN(memory)
{
	vgpu_close(&self->v);
	EXPECT_EQ(0, mdev_stat(self->uuid, "pinned_pages"));
	EXPECT_EQ(0, mdev_remove(self->uuid));
	/* The kernel's own count agrees */
	EXPECT_EQ(self->pins, pins_held());
}

static void *anonymous(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

TEST_F(memory, pinned_on_demand)
{
	struct vgpu *v = &self->v;
	uint8_t *data = ram_at(v, DATA_GPA);

	/* The record; ring and data come with the first access */
	EXPECT_EQ(1, mdev_stat(self->uuid, "pinned_pages"));
	ring_fill(&self->r, DATA_GPA, DATA_SIZE, 0x01020304);
	ASSERT_EQ(0, ring_finish(&self->r));
	EXPECT_EQ(0x01020304, *(uint32_t *)data);
	EXPECT_EQ(0, memcmp(data, data + 4, DATA_SIZE - 4));
	/* Fault-around: far fewer faults than pages, and no more pins than memory */
	EXPECT_LT(mdev_stat(self->uuid, "stage2_faults"), DATA_SIZE / PAGE / 8);
	EXPECT_LE(DATA_SIZE / PAGE, mdev_stat(self->uuid, "pinned_pages"));
	EXPECT_GE(RAM_SIZE / PAGE + 1, mdev_stat(self->uuid, "pinned_pages"));
	EXPECT_EQ(0, mdev_stat(self->uuid, "stage2_refused"));
}

TEST_F(memory, round_trip)
{
	struct vgpu *v = &self->v;
	uint64_t size = 1 << 20;

	pattern_fill(ram_at(v, DATA_GPA), size, 42);
	ring_copy(&self->r, VRAM(64), DATA_GPA, size);
	ring_copy(&self->r, DATA_GPA + size + 4, VRAM(64), size);
	ASSERT_EQ(0, ring_finish(&self->r));
	EXPECT_EQ(-1, pattern_check(ram_at(v, DATA_GPA + size + 4), size, 42));
	EXPECT_EQ(0, *(uint32_t *)ram_at(v, DATA_GPA + size));
}

/* After an unmap the GPU reaches neither the old memory nor, before a map, any other */
TEST_F(memory, unmap_shoots_down)
{
	struct vgpu *v = &self->v;
	uint64_t gpa = 0x200000000ULL, size = 1 << 20;
	void *old = anonymous(size), *new = anonymous(size);

	ASSERT_TRUE(old && new);
	ASSERT_EQ(0, vgpu_map(v, old, gpa, size, true));
	ring_fill(&self->r, gpa, size, 0x11111111);
	ASSERT_EQ(0, ring_finish(&self->r));
	ASSERT_EQ(0, vgpu_unmap(v, gpa, size));
	pattern_fill(old, size, 1);
	ring_fill(&self->r, gpa, size, 0x22222222);
	ring_fence(&self->r, false);
	EXPECT_EQ(DRM_TESSERA_CAUSE_STORE_ACCESS, wait_fault(v, 0));
	EXPECT_EQ(gpa, client_reg64(v, 0, TESS_SREG_FAULT_ADDR));
	EXPECT_EQ(-1, pattern_check(old, size, 1));
	ring_reset(&self->r);

	ASSERT_EQ(0, vgpu_map(v, new, gpa, size, true));
	ring_start(&self->r, v, 0);
	ring_fill(&self->r, gpa, size, 0x33333333);
	ASSERT_EQ(0, ring_finish(&self->r));
	EXPECT_EQ(0x33333333, ((uint32_t *)new)[size / 4 - 1]);
	EXPECT_EQ(-1, pattern_check(old, size, 1));
	ASSERT_EQ(0, vgpu_unmap(v, gpa, size));
}

/* Ring and record go away under a vslice that works: it faults, and nothing is written */
TEST_F(memory, unmap_while_working)
{
	struct vgpu *v = &self->v;
	unsigned int n;

	for (n = 0; n < 20; n++) {
		ring_fill(&self->r, DATA_GPA, DATA_SIZE, n);
		ring_fence(&self->r, false);
		usleep(n * 500);
		ASSERT_EQ(0, vgpu_unmap(v, RAM_GPA, RAM_SIZE));
		EXPECT_EQ(0, mdev_stat(self->uuid, "pinned_pages"));
		pattern_fill(v->ram, RAM_SIZE, n);
		usleep(5000);
		ASSERT_EQ(-1, pattern_check(v->ram, RAM_SIZE, n));
		ring_reset(&self->r);
		ASSERT_EQ(0, vgpu_map(v, v->ram, RAM_GPA, RAM_SIZE, true));
		ring_start(&self->r, v, 0);
		ASSERT_EQ(0, ring_finish(&self->r));
	}
}

/* Memory comes and goes while the vslice only pauses: the record is found again */
TEST_F(memory, record_survives_remap)
{
	struct vgpu *v = &self->v;
	int fd = vgpu_eventfd(v, TESS_IRQ_COMPLETION);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_finish(&self->r));
	ASSERT_EQ(0, vgpu_unmap(v, RAM_GPA, RAM_SIZE));
	EXPECT_EQ(0, mdev_stat(self->uuid, "pinned_pages"));
	ASSERT_EQ(0, vgpu_map(v, v->ram, RAM_GPA, RAM_SIZE, true));
	/* This FENCE brings the page back, the next one has to interrupt */
	ASSERT_EQ(0, ring_finish(&self->r));
	self->r.rec->event = self->r.seq + 1;
	ring_fence(&self->r, true);
	EXPECT_LE(1, eventfd_wait(fd, 5000));
	close(fd);
}

/*
 * Which way a page is mapped for DMA, on a kernel that keeps books of that: the letters of the
 * direction; "": it is not mapped, or there are no such books
 */
static void dma_direction(const void *page, char direction[32])
{
	FILE *f = fopen("/sys/kernel/debug/dma-api/dump", "re");
	uint64_t phys = physical(page), at;
	const char *word;
	char line[512];

	*direction = 0;
	while (f && phys && fgets(line, sizeof(line), f)) {
		word = strstr(line, " P=");
		if (!word || sscanf(word, " P=%" SCNx64, &at) != 1 || at / PAGE != phys / PAGE)
			continue;
		word = strstr(line, "DMA_");
		if (word)
			sscanf(word, "%31[A-Z_]", direction);
	}
	if (f)
		fclose(f);
}

TEST_F(memory, read_only)
{
	char direction[32];

	struct vgpu *v = &self->v;
	uint64_t gpa = 0x300000000ULL, size = 1 << 16;
	void *rom = anonymous(size);

	ASSERT_TRUE(rom);
	pattern_fill(rom, size, 9);
	ASSERT_EQ(0, vgpu_map(v, rom, gpa, size, false));
	ring_copy(&self->r, DATA_GPA, gpa, size);
	ASSERT_EQ(0, ring_finish(&self->r));
	EXPECT_EQ(-1, pattern_check(ram_at(v, DATA_GPA), size, 9));
	/* Nor does an IOMMU let the GPU write there */
	dma_direction(ram_at(v, DATA_GPA), direction);
	TH_LOG("memory is mapped %s", *direction ? direction : "(unknown to this kernel)");
	if (*direction) {
		EXPECT_EQ(0, strcmp("DMA_BIDIRECTIONAL", direction));
		dma_direction(rom, direction);
		EXPECT_EQ(0, strcmp("DMA_TO_DEVICE", direction));
	}
	ring_fill(&self->r, gpa + 64, 64, 0);
	ring_fence(&self->r, false);
	EXPECT_EQ(DRM_TESSERA_CAUSE_STORE_ACCESS, wait_fault(v, 0));
	EXPECT_EQ(-1, pattern_check(rom, size, 9));
	ring_reset(&self->r);
	/* A first access that is a store is refused too */
	ASSERT_EQ(0, vgpu_unmap(v, gpa, size));
	ASSERT_EQ(0, vgpu_map(v, rom, gpa, size, false));
	ring_start(&self->r, v, 0);
	ring_fill(&self->r, gpa, 64, 0);
	ring_fence(&self->r, false);
	EXPECT_EQ(DRM_TESSERA_CAUSE_STORE_ACCESS, wait_fault(v, 0));
	EXPECT_EQ(-1, pattern_check(rom, size, 9));
}

/* Guest memory that ends within a fault-around window, and starts in the middle of one */
TEST_F(memory, edges)
{
	struct vgpu *v = &self->v;
	uint64_t gpa = 0x400000000ULL + 3 * PAGE, size = 5 * PAGE;
	uint8_t *mem = anonymous(size);

	ASSERT_TRUE(mem);
	ASSERT_EQ(0, vgpu_map(v, mem, gpa, size, true));
	ring_fill(&self->r, gpa, size, 0x77777777);
	ASSERT_EQ(0, ring_finish(&self->r));
	EXPECT_EQ(0x77777777, *(uint32_t *)(mem + size - 4));
	ring_fill(&self->r, gpa, size + 4, 0x88888888);
	ring_fence(&self->r, false);
	EXPECT_EQ(DRM_TESSERA_CAUSE_STORE_ACCESS, wait_fault(v, 0));
	EXPECT_EQ(gpa + size, client_reg64(v, 0, TESS_SREG_FAULT_ADDR));
	EXPECT_EQ(0x88888888, *(uint32_t *)(mem + size - 4));
}

static void check_refused(struct __test_metadata *_metadata, struct ring *r, uint64_t gpa)
{
	ring_fill(r, gpa, 64, 0x66666666);
	ring_fence(r, false);
	EXPECT_EQ(DRM_TESSERA_CAUSE_STORE_ACCESS, wait_fault(r->v, 0));
	EXPECT_EQ(gpa, client_reg64(r->v, 0, TESS_SREG_FAULT_ADDR));
	ring_reset(r);
	ring_start(r, r->v, 0);
}

/* VMMs map BARs there, too, which cannot be pinned: VRAM, and a page of the host's memory */
TEST_F(memory, of_a_device)
{
	uint64_t gpa = 0x500000000ULL;
	struct vgpu *v = &self->v;
	uint64_t *vram = vgpu_mmap(v, TESS_BAR_VRAM, 0, PAGE);
	struct tess_composition *comp = vgpu_mmap(v, TESS_BAR_REGS, TESS_COMPOSITION_PAGE, PAGE);

	ASSERT_NE(MAP_FAILED, vram);
	ASSERT_NE(MAP_FAILED, comp);
	*vram = 0x1111111111111111;
	ASSERT_EQ(0, vgpu_map(v, vram, gpa, PAGE, true));
	ASSERT_EQ(0, vgpu_map(v, comp, gpa + PAGE, PAGE, true));
	check_refused(_metadata, &self->r, gpa);
	check_refused(_metadata, &self->r, gpa + PAGE);
	EXPECT_EQ(0x1111111111111111, *vram);
	EXPECT_EQ(TESS_COMPOSITION_MAGIC, comp->magic);
	ASSERT_EQ(0, vgpu_unmap(v, gpa, PAGE));
	ASSERT_EQ(0, vgpu_unmap(v, gpa + PAGE, PAGE));
	/* Memory still is */
	ring_fill(&self->r, DATA_GPA, 64, 0x66666666);
	EXPECT_EQ(0, ring_finish(&self->r));
}

/* The VMM's limit of locked memory holds; over it the guest's client faults, no more */
TEST_F(memory, memlock_limit)
{
	struct vgpu *v = &self->v;
	struct vgpu other;

	vgpu_close(v);
	/* The limit counts when memory is mapped */
	ASSERT_EQ(0, limit_locked_memory(1 << 20));
	ASSERT_EQ(0, vgpu_open(&other, self->uuid));
	ring_start(&self->r, &other, 0);
	ring_fill(&self->r, DATA_GPA, DATA_SIZE, 0x44444444);
	ring_fence(&self->r, false);
	EXPECT_EQ(DRM_TESSERA_CAUSE_STORE_ACCESS, wait_fault(&other, 0));
	/* The page of the record is pinned twice and counts once */
	EXPECT_GE((1 << 20) / PAGE + 1, mdev_stat(self->uuid, "pinned_pages"));
	EXPECT_LE((1 << 20) / PAGE / 2, mdev_stat(self->uuid, "pinned_pages"));
	/* A reset gives the pages back and it works within the limit */
	ASSERT_EQ(0, ioctl(other.device, VFIO_DEVICE_RESET));
	ring_start(&self->r, &other, 0);
	ring_fill(&self->r, DATA_GPA, 1 << 16, 0x55555555);
	EXPECT_EQ(0, ring_finish(&self->r));
	vgpu_close(&other);
}

/* Nothing passes from one open to the next */
TEST_F(memory, scrubbed_between_opens)
{
	struct vgpu *v = &self->v;
	uint64_t size = reg64(v, TESS_REG_VRAM_SIZE);
	uint8_t *vram;

	ring_fill(&self->r, VRAM(0), size, 0x5ec2e700);
	ASSERT_EQ(0, ring_finish(&self->r));
	client_reg64_write(v, 0, TESS_SREG_WPTR, 99);
	vgpu_close(v);
	ASSERT_EQ(0, vgpu_open(v, self->uuid));
	EXPECT_EQ(0, client_reg32(v, 0, TESS_SREG_CONTROL));
	EXPECT_EQ(0, client_reg64(v, 0, TESS_SREG_RING_BASE));
	EXPECT_EQ(0, client_reg64(v, 0, TESS_SREG_COMPLETION));
	EXPECT_EQ(0, client_reg64(v, 0, TESS_SREG_RPTR));
	EXPECT_EQ(0, client_reg64(v, 0, TESS_SREG_WPTR));
	EXPECT_EQ(0, client_reg64(v, 0, TESS_SREG_FENCE_SEQ));
	EXPECT_EQ(0, client_reg64(v, 0, TESS_SREG_COUNTERS + TESS_COUNTER_PACKETS));
	vram = vgpu_mmap(v, TESS_BAR_VRAM, 0, size);
	ASSERT_NE(MAP_FAILED, vram);
	EXPECT_EQ(-1, zero_check(vram, size));
	ring_start(&self->r, v, 0);
	EXPECT_EQ(0, ring_finish(&self->r));
}

#define BLOCK (2ULL << 20)

/* Bytes that a reset had to zero */
static long long zeroed_by_reset(struct __fixture_memory *self)
{
	long long before = mdev_stat(self->uuid, "zeroed_bytes");

	reg32_write(&self->v, TESS_REG_RESET, TESS_RESET_KEY);
	return mdev_stat(self->uuid, "zeroed_bytes") - before;
}

/* A copy from VRAM to DATA_GPA, maybe after something was stored there */
static void work(struct __test_metadata *_metadata, struct __fixture_memory *self, bool store)
{
	ring_start(&self->r, &self->v, 0);
	if (store)
		ring_fill(&self->r, VRAM(BLOCK + 64), 64, 0x5ec2e700);
	ring_copy(&self->r, DATA_GPA, VRAM(BLOCK + 64), 64);
	ASSERT_EQ(0, ring_finish(&self->r));
}

/* A guest that resets its vGPU again and again makes no work with what nobody wrote */
TEST_F(memory, reset_zeroes_what_was_written)
{
	struct vgpu *v = &self->v;
	uint64_t size = reg64(v, TESS_REG_VRAM_SIZE), secret = 0x5ec2e75ec2e7;
	volatile uint64_t *vram = vgpu_mmap(v, TESS_BAR_VRAM, 0, size);
	unsigned int i;

	ASSERT_NE(MAP_FAILED, vram);
	ASSERT_LE(4 * BLOCK, size);
	/* Whatever the last one left */
	EXPECT_LE(0, zeroed_by_reset(self));
	for (i = 0; i < 50; i++)
		ASSERT_EQ(0, zeroed_by_reset(self));

	/* By a CPU, through a mapping of before and one that is there already, and trapped */
	for (i = 0; i < 3; i++) {
		vram[BLOCK / 8 + i] = secret;
		EXPECT_EQ(BLOCK, zeroed_by_reset(self));
		EXPECT_EQ(0, vram[BLOCK / 8 + i]);
		vram[BLOCK / 8 + i] = secret;
		EXPECT_EQ(BLOCK, zeroed_by_reset(self));
		EXPECT_EQ(0, zeroed_by_reset(self));
	}
	EXPECT_EQ(8, region_write(v, TESS_BAR_VRAM, 2 * BLOCK, &secret, 8));
	EXPECT_EQ(BLOCK, zeroed_by_reset(self));
	EXPECT_EQ(8, region_read(v, TESS_BAR_VRAM, 2 * BLOCK, &secret, 8));
	EXPECT_EQ(0, secret);
	EXPECT_EQ(0, zeroed_by_reset(self));

	/* By the GPU, whose translations of before are of no use */
	for (i = 0; i < 3; i++) {
		work(_metadata, self, true);
		EXPECT_EQ(0x5ec2e700, *(uint32_t *)ram_at(v, DATA_GPA));
		EXPECT_EQ(BLOCK, zeroed_by_reset(self));
		work(_metadata, self, false);
		EXPECT_EQ(0, *(uint32_t *)ram_at(v, DATA_GPA));
		EXPECT_EQ(0, zeroed_by_reset(self));
	}
	EXPECT_EQ(-1, zero_check((void *)vram, size));
}

/* Maps and unmaps of one range against a vslice that never stops touching it */
TEST_F_TIMEOUT(memory, unmap_storm, 120)
{
	struct vgpu *v = &self->v;
	uint64_t gpa = 0x500000000ULL, size = 1 << 18;
	struct timespec start, end;
	void *mem = anonymous(size);
	unsigned int n;

	ASSERT_TRUE(mem);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (n = 0; n < 100; n++) {
		unsigned int i;

		ASSERT_EQ(0, vgpu_map(v, mem, gpa, size, true));
		for (i = 0; i < 16; i++)
			ring_fill(&self->r, gpa + i * (size / 16), size / 16, n);
		ring_fence(&self->r, false);
		usleep(n % 7 * 300);
		ASSERT_EQ(0, vgpu_unmap(v, gpa, size));
		pattern_fill(mem, size, n);
		usleep(1000);
		ASSERT_EQ(-1, pattern_check(mem, size, n));
		ring_reset(&self->r);
		ring_start(&self->r, v, 0);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	TH_LOG("100 rounds in %ld ms",
	       (end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000);
}

TEST_HARNESS_MAIN
