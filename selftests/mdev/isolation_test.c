// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A client reaches nothing that is not its own, shown by trying. There is a victim: a
 * second vGPU of the same GPU with a pattern in its VRAM and in its memory, and memory
 * of this process that is mapped for nobody. The attacker names all kinds of addresses
 * in all places where an address can stand.
 */
#include <sys/mman.h>

#include "harness.h"
#include "vgpu.h"

#define VICTIM_SEED 0x71c71
#define PTE(pa, flags) ((pa) >> 12 << 10 | (flags) | TESS_PTE_V)
#define LEAF (TESS_PTE_R | TESS_PTE_W | TESS_PTE_X | TESS_PTE_U | TESS_PTE_A | TESS_PTE_D)

FIXTURE(isolation)
{
	struct vgpu me, victim;
	struct ring r;
	uint64_t vram, victim_vram;
	uint8_t *victim_map;
	uint8_t *bystander;
	char uuid[2][37];
};

FIXTURE_SETUP(isolation)
{
	mdev_remove_all();
	ASSERT_EQ(0, mdev_create("C1", self->uuid[0]));
	ASSERT_EQ(0, mdev_create("C2", self->uuid[1]));
	ASSERT_EQ(0, vgpu_open(&self->me, self->uuid[0]));
	ASSERT_EQ(0, vgpu_open(&self->victim, self->uuid[1]));
	self->vram = reg64(&self->me, TESS_REG_VRAM_SIZE);
	self->victim_vram = reg64(&self->victim, TESS_REG_VRAM_SIZE);
	self->victim_map = vgpu_mmap(&self->victim, TESS_BAR_VRAM, 0, self->victim_vram);
	ASSERT_NE(MAP_FAILED, self->victim_map);
	pattern_fill(self->victim_map, self->victim_vram, VICTIM_SEED);
	pattern_fill(self->victim.ram, RAM_SIZE, VICTIM_SEED + 1);
	self->bystander = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, self->bystander);
	pattern_fill(self->bystander, RAM_SIZE, VICTIM_SEED + 2);
	ring_start(&self->r, &self->me, 0);
}

FIXTURE_TEARDOWN(isolation)
{
	/* Whatever was tried */
	EXPECT_EQ(-1, pattern_check(self->victim_map, self->victim_vram, VICTIM_SEED));
	EXPECT_EQ(-1, pattern_check(self->victim.ram, RAM_SIZE, VICTIM_SEED + 1));
	EXPECT_EQ(-1, pattern_check(self->bystander, RAM_SIZE, VICTIM_SEED + 2));
	EXPECT_EQ(0, client_reg32(&self->victim, 0, TESS_SREG_STATUS));
	vgpu_close(&self->me);
	vgpu_close(&self->victim);
	EXPECT_EQ(0, mdev_remove(self->uuid[0]));
	EXPECT_EQ(0, mdev_remove(self->uuid[1]));
}

/* Addresses of the host that must mean nothing: real ones of others, edges, wild ones */
static size_t targets(struct __fixture_isolation *self, uint64_t *t)
{
	const uint64_t fixed[] = {
		0,
		0x1000,
		0xfee00000, /* interrupt controller */
		RAM_GPA + RAM_SIZE, /* just behind our memory */
		RAM_GPA - 64,
		TESS_PA_VRAM + self->vram, /* just behind our VRAM */
		TESS_PA_VRAM + self->vram + PAGE,
		TESS_PA_VRAM + (64ULL << 20), /* banks of others */
		TESS_PA_VRAM + (128ULL << 20),
		TESS_PA_VRAM + (255ULL << 20),
		TESS_PA_VRAM + (256ULL << 20), /* behind all VRAM */
		TESS_PA_END - 4096,
		TESS_PA_END,
		~0ULL << 12,
		TESS_PA_VRAM - 4096,
	};
	size_t n = 0, i;

	for (i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		t[n++] = fixed[i];
	/* The physical addresses of memory of the victim and of the bystander */
	for (i = 0; i < 16; i++) {
		t[n++] = physical(self->bystander + i * (RAM_SIZE / 16));
		t[n++] = physical(self->victim.ram + i * (RAM_SIZE / 16));
	}
	return n;
}

#define MAX_TARGETS 64

static bool is_access_fault(int cause)
{
	return cause == DRM_TESSERA_CAUSE_STORE_ACCESS || cause == DRM_TESSERA_CAUSE_LOAD_ACCESS ||
	       cause == DRM_TESSERA_CAUSE_FETCH_ACCESS;
}

/* The packet in the ring is to fault, whatever it does besides */
static void expect_refused(struct __test_metadata *_metadata, struct __fixture_isolation *self,
			   const char *what, uint64_t target)
{
	int cause;

	ring_fence(&self->r, false);
	cause = wait_fault(&self->me, 0);
	if (!is_access_fault(cause)) {
		TH_LOG("%s %#llx: cause %d", what, (unsigned long long)target, cause);
		_metadata->exit_code = KSFT_FAIL;
	}
	ring_reset(&self->r);
	ring_start(&self->r, &self->me, 0);
}

TEST_F_TIMEOUT(isolation, store, 120)
{
	uint64_t t[MAX_TARGETS];
	size_t n = targets(self, t), i;

	for (i = 0; i < n; i++) {
		ring_fill(&self->r, t[i], 64, 0xdeadbeef);
		expect_refused(_metadata, self, "store", t[i]);
	}
	EXPECT_LT(0, mdev_stat(self->uuid[0], "stage2_refused"));
}

TEST_F_TIMEOUT(isolation, load, 120)
{
	uint64_t t[MAX_TARGETS];
	size_t n = targets(self, t), i;
	uint32_t *out = ram_at(&self->me, DATA_GPA);

	for (i = 0; i < n; i++) {
		memset(out, 0xa5, 64);
		ring_copy(&self->r, DATA_GPA, t[i], 64);
		expect_refused(_metadata, self, "load", t[i]);
		EXPECT_EQ(0xa5a5a5a5, *out);
	}
}

/* The last good byte and the first bad one: what is ours is written, no more */
TEST_F(isolation, across_the_end_of_vram)
{
	uint8_t *vram = vgpu_mmap(&self->me, TESS_BAR_VRAM, 0, self->vram);

	ASSERT_NE(MAP_FAILED, vram);
	ring_fill(&self->r, VRAM(self->vram - 4096), 8192, 0x12121212);
	expect_refused(_metadata, self, "store", VRAM(self->vram));
	EXPECT_EQ(0x12121212, *(uint32_t *)(vram + self->vram - 4));
}

/* The ring itself, and the completion record */
TEST_F_TIMEOUT(isolation, ring_and_record, 120)
{
	uint64_t t[MAX_TARGETS];
	size_t n = targets(self, t), i;
	struct vgpu *v = &self->me;

	for (i = 0; i < n; i++) {
		int cause;

		ring_reset(&self->r);
		ring_start(&self->r, v, 0);
		client_reg32_write(v, 0, TESS_SREG_CONTROL, 0);
		client_reg64_write(v, 0, TESS_SREG_RING_BASE, t[i] & ~(PAGE - 1));
		client_reg32_write(v, 0, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
		self->r.wptr = 1;
		ring_kick(&self->r);
		cause = wait_fault(v, 0);
		if (!is_access_fault(cause))
			TH_LOG("ring at %#llx: cause %d", (unsigned long long)t[i], cause);
		EXPECT_TRUE(is_access_fault(cause));

		ring_reset(&self->r);
		ring_start(&self->r, v, 0);
		client_reg32_write(v, 0, TESS_SREG_CONTROL, 0);
		client_reg64_write(v, 0, TESS_SREG_COMPLETION, t[i] & ~63ULL);
		client_reg32_write(v, 0, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
		ring_fence(&self->r, true);
		cause = wait_fault(v, 0);
		/* Address 0 means that there is no record */
		if (!is_access_fault(cause) && cause != DRM_TESSERA_CAUSE_NO_COMPLETION)
			TH_LOG("record at %#llx: cause %d", (unsigned long long)t[i], cause);
		EXPECT_TRUE(is_access_fault(cause) || cause == DRM_TESSERA_CAUSE_NO_COMPLETION);
	}
	ring_reset(&self->r);
	ring_start(&self->r, v, 0);
}

/* Three levels of tables of which one maps VA 1 GiB to @pa */
static uint64_t tables(struct vgpu *v, uint64_t pa)
{
	uint64_t gpa = DATA_GPA + 16 * PAGE, *root = ram_at(v, gpa);
	uint64_t *mid = ram_at(v, gpa + PAGE), *low = ram_at(v, gpa + 2 * PAGE);

	memset(root, 0, 3 * PAGE);
	root[1] = PTE(gpa + PAGE, 0);
	mid[0] = PTE(gpa + 2 * PAGE, 0);
	low[0] = PTE(pa & ~(PAGE - 1), LEAF);
	return gpa;
}

/* Stage 1 belongs to the client and can name anything: stage 2 decides */
TEST_F_TIMEOUT(isolation, page_tables, 120)
{
	uint64_t t[MAX_TARGETS], va = 1ULL << 30;
	size_t n = targets(self, t), i;
	struct vgpu *v = &self->me;

	/* They work at all */
	ring_set_vm(&self->r, tables(v, DATA_GPA));
	ring_fill(&self->r, va, 64, 0x600d600d);
	ring_set_vm(&self->r, 0);
	ASSERT_EQ(0, ring_finish(&self->r));
	EXPECT_EQ(0x600d600d, *(uint32_t *)ram_at(v, DATA_GPA));
	for (i = 0; i < n; i++) {
		if (t[i] >= TESS_PA_END)
			continue;
		/* As a leaf */
		ring_set_vm(&self->r, tables(v, t[i]));
		ring_fill(&self->r, va, 64, 0xbadbad00);
		expect_refused(_metadata, self, "leaf", t[i]);
		/* As the root: reading a table from there must fail as well */
		ring_set_vm(&self->r, t[i] & ~(PAGE - 1) ?: PAGE);
		ring_fill(&self->r, va, 64, 0xbadbad01);
		expect_refused(_metadata, self, "root", t[i]);
	}
}

/* The CPU's way: the mapping of VRAM ends where the client's memory ends */
TEST_F(isolation, bar)
{
	uint64_t bar = self->me.region[TESS_BAR_VRAM].size;
	uint8_t buf[64];

	EXPECT_EQ(MAP_FAILED, vgpu_mmap(&self->me, TESS_BAR_VRAM, self->vram, PAGE));
	EXPECT_EQ(-EINVAL, region_read(&self->me, TESS_BAR_VRAM, bar, buf, 64));
	EXPECT_EQ(-EINVAL, region_write(&self->me, TESS_BAR_VRAM, bar, buf, 64));
	if (bar > self->vram) {
		memset(buf, 0xee, sizeof(buf));
		EXPECT_EQ(64, region_read(&self->me, TESS_BAR_VRAM, self->vram, buf, 64));
		EXPECT_EQ(-1, zero_check(buf, 64));
	}
}

/* A doorbell and the registers of one vGPU do not move another one */
TEST_F(isolation, neighbours_work_undisturbed)
{
	struct ring good;
	uint8_t bad[DRM_TESSERA_PKT_SIZE] = { 0x99 };
	unsigned int n;

	pattern_fill(self->victim.ram, RAM_SIZE, 0);
	ring_start(&good, &self->victim, 1);
	for (n = 0; n < 50; n++) {
		ring_put(&self->r, bad);
		ring_kick(&self->r);
		ring_fill(&good, DATA_GPA, PAGE, n);
		ASSERT_EQ(0, ring_finish(&good));
		EXPECT_EQ(n, *(uint32_t *)ram_at(&self->victim, DATA_GPA));
		EXPECT_EQ(DRM_TESSERA_CAUSE_ILLEGAL_PACKET, wait_fault(&self->me, 0));
		EXPECT_EQ(0, reg64(&self->victim, TESS_REG_FAULT_PENDING));
		ring_reset(&self->r);
		ring_start(&self->r, &self->me, 0);
	}
	ring_reset(&good);
	pattern_fill(self->victim.ram, RAM_SIZE, VICTIM_SEED + 1);
}

TEST_HARNESS_MAIN
