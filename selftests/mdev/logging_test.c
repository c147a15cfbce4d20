// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The log of what a vGPU writes to memory of its guest (DMA logging of VFIO): all that was written
 * to since the last question, and no more. Needs a kernel with CONFIG_IOMMUFD_DRIVER.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "gpus.h"
#include "harness.h"
#include "saved.h"
#include "tess_kernels.h"

#define PAGES (RAM_SIZE / PAGE)
#define DATA_PAGE ((DATA_GPA - RAM_GPA) / PAGE)

FIXTURE(logging)
{
	char uuid[37];
	struct vgpu v;
	struct ring r;
	uint64_t told[PAGES / 64];
};

FIXTURE_SETUP(logging)
{
	mdev_remove_all();
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=2 kind=compute memory=2M"));
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
	if (!mig_logs(&self->v))
		SKIP(return, "a kernel without CONFIG_IOMMUFD_DRIVER");
	ring_start(&self->r, &self->v, 0);
	ring_fill(&self->r, DATA_GPA, 16 * PAGE, 1);
	ASSERT_EQ(0, ring_finish(&self->r));
}

FIXTURE_TEARDOWN(logging)
{
	vgpu_close(&self->v);
	mdev_remove_all();
}

static bool told(const struct __fixture_logging *self, unsigned int page)
{
	return self->told[page / 64] >> page % 64 & 1;
}

/* How many pages of the data are told; what the ring and its record are in is not looked at */
static unsigned int ask(struct __test_metadata *_metadata, struct __fixture_logging *self)
{
	unsigned int page, n = 0;

	memset(self->told, 0, sizeof(self->told));
	EXPECT_EQ(0, mig_log_report(&self->v, RAM_GPA, RAM_SIZE, self->told));
	for (page = DATA_PAGE; page < PAGES; page++)
		n += told(self, page);
	return n;
}

static void fill(struct __test_metadata *_metadata, struct __fixture_logging *self,
		 unsigned int page, unsigned int count, uint32_t word)
{
	ring_fill(&self->r, DATA_GPA + page * PAGE, count * PAGE, word);
	ASSERT_EQ(0, ring_finish(&self->r));
}

TEST_F(logging, exact)
{
	ASSERT_EQ(0, mig_log_start(&self->v));
	/* What was written before is not */
	EXPECT_EQ(0, ask(_metadata, self));
	fill(_metadata, self, 3, 2, 5);
	/* A page that comes now */
	fill(_metadata, self, 200, 1, 5);
	EXPECT_EQ(3, ask(_metadata, self));
	EXPECT_TRUE(told(self, DATA_PAGE + 3) && told(self, DATA_PAGE + 4) &&
		    told(self, DATA_PAGE + 200));
	EXPECT_EQ(0, ask(_metadata, self));
	fill(_metadata, self, 4, 1, 5);
	EXPECT_EQ(1, ask(_metadata, self));
	/* The completion record */
	EXPECT_TRUE(told(self, 16));
	/* Read only */
	ring_copy(&self->r, VRAM(0), DATA_GPA, 16 * PAGE);
	ASSERT_EQ(0, ring_finish(&self->r));
	EXPECT_EQ(0, ask(_metadata, self));
	EXPECT_EQ(0, mig_log_stop(&self->v));
	EXPECT_GT(0, mig_log_report(&self->v, RAM_GPA, RAM_SIZE, self->told));
}

/* One part after the other, of any size */
TEST_F(logging, parts)
{
	uint64_t part[2] = {};

	ASSERT_EQ(0, mig_log_start(&self->v));
	fill(_metadata, self, 0, 16, 5);
	EXPECT_EQ(0, mig_log_report(&self->v, DATA_GPA + 5 * PAGE, 3 * PAGE, part));
	EXPECT_EQ(7, part[0] & 7);
	EXPECT_EQ(13, ask(_metadata, self));
}

/* Pages that the GPU does not reach any more when the question comes, and no other */
TEST_F(logging, given_back)
{
	ASSERT_EQ(0, mig_log_start(&self->v));
	fill(_metadata, self, 7, 1, 5);
	ASSERT_EQ(0, mig_reset(&self->v));
	EXPECT_EQ(0, mdev_stat(self->uuid, "pinned_pages"));
	EXPECT_EQ(1, ask(_metadata, self));
	EXPECT_TRUE(told(self, DATA_PAGE + 7));
	EXPECT_EQ(0, ask(_metadata, self));
}

/* The VMM takes memory away; what was written to before, is told after it */
TEST_F(logging, taken_away)
{
	uint64_t half = RAM_GPA + RAM_SIZE / 2, page = (half - DATA_GPA) / PAGE + 5;

	ASSERT_EQ(0, mig_log_start(&self->v));
	fill(_metadata, self, page, 3, 5);
	ASSERT_EQ(0, vgpu_unmap(&self->v, RAM_GPA, RAM_SIZE));
	ASSERT_EQ(0, vgpu_map(&self->v, self->v.ram, RAM_GPA, RAM_SIZE, true));
	EXPECT_EQ(3, ask(_metadata, self));
	fill(_metadata, self, page, 1, 6);
	EXPECT_EQ(1, ask(_metadata, self));
	EXPECT_TRUE(told(self, DATA_PAGE + page));
}

/* Other slices, and more of them */
TEST_F(logging, recomposed)
{
	struct ring other;

	ASSERT_EQ(0, mig_log_start(&self->v));
	fill(_metadata, self, 7, 1, 5);
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint",
				     "slices=1 max=2 kind=compute memory=2M"));
	fill(_metadata, self, 9, 1, 5);
	EXPECT_EQ(2, ask(_metadata, self));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=2 kind=compute memory=2M"));
	ring_start(&other, &self->v, 1);
	ring_fill(&other, DATA_GPA + 11 * PAGE, PAGE, 7);
	ASSERT_EQ(0, ring_finish(&other));
	EXPECT_EQ(1, ask(_metadata, self));
	EXPECT_TRUE(told(self, DATA_PAGE + 11));
}

/* Much at a time: blocks of 2 MiB, which are one leaf if our memory is made like that */
TEST_F(logging, blocks)
{
	ASSERT_EQ(0, file_write("/sys/module/tessera_mdev/parameters/fault_around", "512"));
	ASSERT_EQ(0, file_write("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "advise"));
	ASSERT_EQ(0, madvise(self->v.ram, RAM_SIZE, MADV_HUGEPAGE));
	ASSERT_EQ(0, mig_reset(&self->v));
	ring_start(&self->r, &self->v, 0);
	fill(_metadata, self, 1024, 1, 1);
	ASSERT_EQ(0, mig_log_start(&self->v));
	ASSERT_EQ(0, ask(_metadata, self));
	fill(_metadata, self, 1030, 2, 2);
	EXPECT_EQ(2, ask(_metadata, self));
	fill(_metadata, self, 1030, 1, 3);
	EXPECT_EQ(1, ask(_metadata, self));
	ASSERT_EQ(0, file_write("/sys/module/tessera_mdev/parameters/fault_around", "64"));
}

TEST_F(logging, moved)
{
	if (gpu_value(1, "slices_free") < 0)
		SKIP(return, "there is one GPU only");
	ASSERT_EQ(0, mig_log_start(&self->v));
	fill(_metadata, self, 7, 1, 5);
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "gpu", gpu_name_of(1 - home_gpu())));
	fill(_metadata, self, 9, 1, 5);
	ask(_metadata, self);
	EXPECT_TRUE(told(self, DATA_PAGE + 7) && told(self, DATA_PAGE + 9));
	ask(_metadata, self);
	fill(_metadata, self, 11, 1, 5);
	EXPECT_EQ(1, ask(_metadata, self));
}

/* Slices write all the time: what was not told yet is told by one of the questions */
TEST_F(logging, at_work)
{
	unsigned int n, page, wrong = 0;
	uint8_t copy[64 * PAGE];

	ASSERT_EQ(0, mig_log_start(&self->v));
	memcpy(copy, ram_at(&self->v, DATA_GPA), sizeof(copy));
	for (n = 0; n < 30; n++) {
		ring_fill(&self->r, DATA_GPA + n % 60 * PAGE, 4 * PAGE, n);
		ring_fence(&self->r, true);
		ask(_metadata, self);
		for (page = 0; page < 64; page++)
			if (told(self, DATA_PAGE + page))
				memcpy(copy + page * PAGE, ram_at(&self->v, DATA_GPA + page * PAGE),
				       PAGE);
		ASSERT_EQ(0, ring_wait(&self->r));
	}
	ask(_metadata, self);
	for (page = 0; page < 64; page++)
		if (told(self, DATA_PAGE + page))
			memcpy(copy + page * PAGE, ram_at(&self->v, DATA_GPA + page * PAGE), PAGE);
	for (page = 0; page < 64; page++)
		wrong += memcmp(copy + page * PAGE, ram_at(&self->v, DATA_GPA + page * PAGE),
				PAGE) != 0;
	EXPECT_EQ(0, wrong);
}

/* Ten questions a second of the GPU's nominal clock */
#define COST_MS 100
#define COST_ROUNDS 5

/* At the end of the data */
#define CODE_GPA (DATA_GPA + DATA_SIZE - PAGE)
#define ARGS_GPA (CODE_GPA - PAGE)
#define TABLES_GPA (ARGS_GPA - 2 * PAGE)
/* Pages that fit into the caches of translations, which each question empties */
#define STORED_BYTES (512U << 10)
#define ITEMS 64

static void fill_all(struct __fixture_logging *self, unsigned int n)
{
	ring_fill(&self->r, DATA_GPA, DATA_SIZE - 4 * PAGE, n);
}

/* Addresses of the machine's memory are what they are for the kernels, too. */
static void map_all(struct __fixture_logging *self)
{
	uint64_t *root = ram_at(&self->v, TABLES_GPA),
		 *middle = ram_at(&self->v, TABLES_GPA + PAGE);
	uint64_t gpa;

	memset(root, 0, 2 * PAGE);
	root[RAM_GPA >> 30] = (TABLES_GPA + PAGE) >> 12 << 10 | TESS_PTE_V;
	for (gpa = RAM_GPA; gpa < RAM_GPA + RAM_SIZE; gpa += 2 << 20)
		middle[gpa >> 21 & 511] = gpa >> 12 << 10 | TESS_PTE_V | TESS_PTE_R | TESS_PTE_W |
					  TESS_PTE_X | TESS_PTE_U | TESS_PTE_A | TESS_PTE_D;
	ring_set_vm(&self->r, TABLES_GPA);
}

/* A kernel whose work-items store a word each */
static void store_all(struct __fixture_logging *self, unsigned int n)
{
	struct tess_pkt_dispatch pkt = {
		.header = DRM_TESSERA_PKT_DISPATCH | DRM_TESSERA_PKT_ACQUIRE_SYSTEM,
		.setup = 1,
		.wg_size = { ITEMS, 1, 1 },
		.grid_size = { STORED_BYTES / 4, 1, 1 },
		.kernel_object = CODE_GPA + TESS_K_IDS * TESS_K_BYTES,
		.kernarg_address = ARGS_GPA,
	};

	(void)n;
	ring_put(&self->r, &pkt);
}

static const struct work {
	const char *name;
	void (*put)(struct __fixture_logging *self, unsigned int n);
} works[] = { { "copy engine", fill_all }, { "kernels", store_all } };

/* Cycles of so many rounds; a question comes in the middle of each, or none does */
static uint64_t cost(struct __test_metadata *_metadata, struct __fixture_logging *self,
		     const struct work *w, unsigned int rounds, unsigned int packets, bool asks)
{
	uint64_t before = reg64(&self->v, TESS_REG_TIME);
	unsigned int n, i;

	for (n = 0; n < rounds; n++) {
		for (i = 0; i < packets; i++)
			w->put(self, n);
		ring_fence(&self->r, true);
		if (asks)
			ask(_metadata, self);
		ASSERT_EQ(0, ring_wait(&self->r));
	}
	return reg64(&self->v, TESS_REG_TIME) - before;
}

/* Percent that the GPU takes longer for its work with the log */
static double overhead(struct __test_metadata *_metadata, struct __fixture_logging *self,
		       const struct work *w)
{
	unsigned int packets;
	double without, with;

	/* All is there after that */
	cost(_metadata, self, w, 1, 1, false);
	without = cost(_metadata, self, w, 1, 1, false);
	packets = 1 + COST_MS * reg32(&self->v, TESS_REG_CLOCK_KHZ) / without;
	/* One after the other without waiting: what fits into the ring */
	ASSERT_GT(1U << self->r.log2, packets);
	without = cost(_metadata, self, w, COST_ROUNDS, packets, false);
	ASSERT_EQ(0, mig_log_start(&self->v));
	with = cost(_metadata, self, w, COST_ROUNDS, packets, true);
	ASSERT_EQ(0, mig_log_stop(&self->v));
	printf("# %s: %u packets: %.0f cycles without the log, %.0f with it\n", w->name,
	       COST_ROUNDS * packets, without, with);
	return 100 * (with - without) / without;
}

/* It looks pages up again, and marks them */
TEST_F_TIMEOUT(logging, costs, 600)
{
	const uint64_t to = DATA_GPA;
	double worst = 0, now;
	unsigned int i;

	tess_kernels_write(ram_at(&self->v, CODE_GPA));
	memcpy(ram_at(&self->v, ARGS_GPA), &to, sizeof(to));
	map_all(self);
	for (i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		now = overhead(_metadata, self, &works[i]);
		worst = now > worst ? now : worst;
	}
	/* The kernels ran */
	EXPECT_EQ(3 * (STORED_BYTES / 4 - 1),
		  *(uint32_t *)ram_at(&self->v, DATA_GPA + STORED_BYTES - 4));
	printf("# figure logging_overhead_pct %g\n", worst);
	EXPECT_GE(3, worst);
}

TEST_F(logging, bad_questions)
{
	EXPECT_GT(0, mig_log_report(&self->v, RAM_GPA, RAM_SIZE, self->told));
	ASSERT_EQ(0, mig_log_start(&self->v));
	EXPECT_EQ(-EINVAL, mig_log_start(&self->v));
	EXPECT_EQ(0, mig_log_report(&self->v, 0, PAGE, self->told));
	EXPECT_EQ(0, self->told[0]);
}

TEST_HARNESS_MAIN
