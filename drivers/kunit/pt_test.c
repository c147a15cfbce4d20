// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables: read back by a walker of the test's own, from the memory that the GPU would
 * read, with a mock of the device that counts tables and can be short of memory.
 */
#include <kunit/device.h>
#include <kunit/test.h>
#include <linux/dma-direct.h>
#include <linux/prandom.h>
#include <tessera/memory.h>

#include "source.h"

/* What the mock knows; tests run one at a time */
static unsigned int pt_tables;
static int pt_tables_left;
static u64 pt_invalidated;
static unsigned int pt_tables_then;

static void *mock_alloc(struct device *dev, size_t size, dma_addr_t *dma, gfp_t gfp,
			unsigned long attrs)
{
	void *table;

	if (!pt_tables_left)
		return NULL;
	table = dma_alloc_attrs(dev, size, dma, gfp, attrs);
	if (table) {
		pt_tables_left--;
		pt_tables++;
	}
	return table;
}

static void mock_free(struct device *dev, size_t size, void *table, dma_addr_t dma,
		      unsigned long attrs)
{
	pt_tables--;
	dma_free_attrs(dev, size, table, dma, attrs);
}

#define dma_alloc_attrs mock_alloc
#define dma_free_attrs mock_free
#include "../chip/mem/as.c"
#include "../chip/mem/pt.c"

void tess_chip_invalidate(struct tess_chip *chip, u64 slices)
{
	pt_invalidated = slices;
	pt_tables_then = pt_tables;
}

static int pt_init(struct kunit *test)
{
	struct tess_chip *chip = kunit_kzalloc(test, sizeof(*chip), GFP_KERNEL);
	struct device *dev = kunit_device_register(test, "tessera_pt");

	if (!chip || IS_ERR(dev))
		return -ENOMEM;
	dev->dma_mask = &dev->coherent_dma_mask;
	if (dma_set_mask_and_coherent(dev, DMA_BIT_MASK(64)))
		return -EIO;
	chip->be.dev = dev;
	ida_init(&chip->asids);
	spin_lock_init(&chip->stage2_lock);
	pt_tables = 0;
	pt_tables_left = INT_MAX;
	test->priv = chip;
	return 0;
}

static void pt_exit(struct kunit *test)
{
	struct tess_chip *chip = test->priv;

	if (!chip)
		return;
	KUNIT_EXPECT_EQ(test, pt_tables, 0);
	KUNIT_EXPECT_TRUE(test, ida_is_empty(&chip->asids));
}

static struct tess_hw_as *pt_create(struct kunit *test, enum tess_as_stage stage)
{
	struct tess_chip *chip = test->priv;
	struct tess_hw_as *hw = tess_chip_as_create(&chip->be, stage);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, hw);
	return hw;
}

/* Where the leaf for an address is, as the specification says; NULL: none. @size: what it maps */
static __le64 *pt_find(struct kunit *test, struct tess_hw_as *hw, u64 va, u64 *size)
{
	struct tess_chip *chip = test->priv;
	dma_addr_t dma = tess_chip_as_root(to_tess_chip_as(hw));
	unsigned int bits = hw->stage == TESS_AS_STAGE2 ? 11 : 9;
	int shift;
	u64 pte;

	for (shift = 30; shift >= 12; shift -= 9, bits = 9) {
		__le64 *table = phys_to_virt(dma_to_phys(chip->be.dev, dma));

		table += (va >> shift) & ((1 << bits) - 1);
		pte = le64_to_cpu(*table);
		*size = 1ULL << shift;
		if (!(pte & BIT_ULL(0)))
			return NULL;
		if (pte & (BIT_ULL(1) | BIT_ULL(2) | BIT_ULL(3)))
			return table;
		dma = FIELD_GET(GENMASK_ULL(53, 10), pte) << 12;
	}
	KUNIT_FAIL(test, "the last level leads to another one");
	return NULL;
}

/* What it is; 0: none */
static u64 pt_walk(struct kunit *test, struct tess_hw_as *hw, u64 va, u64 *size)
{
	const __le64 *leaf = pt_find(test, hw, va, size);

	return leaf ? le64_to_cpu(*leaf) : 0;
}

/* The address that one is translated to; ~0: none */
static u64 pt_translate(struct kunit *test, struct tess_hw_as *hw, u64 va)
{
	u64 size, pte = pt_walk(test, hw, va, &size);

	return pte ? (FIELD_GET(GENMASK_ULL(53, 10), pte) << 12) | (va & (size - 1)) : ~0ULL;
}

static void pt_pages_test(struct kunit *test)
{
	struct tess_hw_as *hw = pt_create(test, TESS_AS_STAGE1);
	const u64 va = 0x3fffff000, pa = 0x123457000;
	u64 size;

	/* Over the edge of tables of both levels */
	KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, va, pa, 2 * SZ_4K, TESS_AS_READ), 0);
	KUNIT_EXPECT_EQ(test, pt_translate(test, hw, va + 8), pa + 8);
	KUNIT_EXPECT_EQ(test, pt_translate(test, hw, va + SZ_4K), pa + SZ_4K);
	KUNIT_EXPECT_EQ(test, pt_translate(test, hw, va - 1), ~0ULL);
	KUNIT_EXPECT_EQ(test, pt_translate(test, hw, va + 2 * SZ_4K), ~0ULL);
	KUNIT_EXPECT_EQ(test, pt_tables, 4);
	/* V, R, U, A; then also W, D; then also X */
	KUNIT_EXPECT_EQ(test, pt_walk(test, hw, va, &size) & 0x3ff, 0x053);
	KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, 0, pa, SZ_4K, TESS_AS_READ | TESS_AS_WRITE), 0);
	KUNIT_EXPECT_EQ(test, pt_walk(test, hw, 0, &size) & 0x3ff, 0x0d7);
	KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, SZ_4K, pa, SZ_4K, TESS_AS_READ | TESS_AS_EXEC),
			0);
	KUNIT_EXPECT_EQ(test, pt_walk(test, hw, SZ_4K, &size) & 0x3ff, 0x05b);
	tess_chip_as_destroy(hw);
}

/* Blocks of 2 MiB are leaves where everything is aligned, and pages where not */
static void pt_blocks_test(struct kunit *test)
{
	struct tess_hw_as *hw = pt_create(test, TESS_AS_STAGE2);
	const u64 va = 0x1ffc0000000;
	u64 size;

	KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, va, SZ_1G, SZ_4M, TESS_AS_READ), 0);
	KUNIT_EXPECT_EQ(test, pt_tables, 1);
	KUNIT_EXPECT_NE(test, pt_walk(test, hw, va, &size), 0);
	KUNIT_EXPECT_EQ(test, size, SZ_2M);
	KUNIT_EXPECT_EQ(test, pt_translate(test, hw, va + SZ_4M - 1), SZ_1G + SZ_4M - 1);
	KUNIT_EXPECT_EQ(test, pt_translate(test, hw, va + SZ_4M), ~0ULL);
	KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, 0, SZ_1M, SZ_2M, TESS_AS_READ), 0);
	KUNIT_EXPECT_NE(test, pt_walk(test, hw, 0, &size), 0);
	KUNIT_EXPECT_EQ(test, size, SZ_4K);
	KUNIT_EXPECT_EQ(test, pt_translate(test, hw, SZ_2M - 1), SZ_1M + SZ_2M - 1);
	tess_chip_as_destroy(hw);
}

/* What is mapped already refuses all of a mapping, wherever in it that is */
static void pt_overlap_test(struct kunit *test)
{
	struct tess_hw_as *hw = pt_create(test, TESS_AS_STAGE1);

	KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, SZ_4M, SZ_1G, SZ_2M, TESS_AS_READ), 0);
	KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, SZ_16M, SZ_2G, SZ_4K, TESS_AS_READ), 0);
	KUNIT_EXPECT_EQ(test, tess_chip_as_map(hw, 0, 0, SZ_8M, TESS_AS_READ), -EEXIST);
	KUNIT_EXPECT_EQ(test, tess_chip_as_map(hw, SZ_4M + SZ_4K, 0, SZ_4K, TESS_AS_READ), -EEXIST);
	KUNIT_EXPECT_EQ(test, tess_chip_as_map(hw, SZ_8M, 0, SZ_16M, TESS_AS_READ), -EEXIST);
	KUNIT_EXPECT_EQ(test, pt_translate(test, hw, 0), ~0ULL);
	KUNIT_EXPECT_EQ(test, pt_translate(test, hw, SZ_8M), ~0ULL);
	KUNIT_EXPECT_EQ(test, pt_translate(test, hw, SZ_4M), SZ_1G);
	KUNIT_EXPECT_EQ(test, pt_translate(test, hw, SZ_16M), SZ_2G);
	tess_chip_as_destroy(hw);
}

/* A hole in a block leaves the rest of it */
static void pt_split_test(struct kunit *test)
{
	struct tess_hw_as *hw = pt_create(test, TESS_AS_STAGE1);
	u64 va, size, leaf;

	KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, SZ_2M, SZ_1G, SZ_2M,
					       TESS_AS_READ | TESS_AS_WRITE), 0);
	leaf = pt_walk(test, hw, SZ_2M, &size) & 0x3ff;
	KUNIT_ASSERT_EQ(test, tess_chip_as_unmap(hw, SZ_2M + SZ_1M, SZ_4K, NULL), 0);
	for (va = SZ_2M; va < SZ_4M; va += SZ_4K) {
		if (va == SZ_2M + SZ_1M) {
			KUNIT_EXPECT_EQ(test, pt_translate(test, hw, va), ~0ULL);
			continue;
		}
		KUNIT_EXPECT_EQ(test, pt_translate(test, hw, va), SZ_1G - SZ_2M + va);
		KUNIT_EXPECT_EQ(test, pt_walk(test, hw, va, &size) & 0x3ff, leaf);
	}
	/* Without memory for the split all of it stays */
	KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, SZ_8M, SZ_1G, SZ_2M, TESS_AS_READ), 0);
	pt_tables_left = 0;
	KUNIT_EXPECT_EQ(test, tess_chip_as_unmap(hw, SZ_8M, SZ_4K, NULL), -ENOMEM);
	KUNIT_EXPECT_EQ(test, pt_translate(test, hw, SZ_8M), SZ_1G);
	tess_chip_as_destroy(hw);
}

/* Without memory for the split at the far end, what lies before it stays, too */
static void pt_unmap_whole_or_not_test(struct kunit *test)
{
	struct tess_hw_as *hw = pt_create(test, TESS_AS_STAGE1);
	const u64 va = SZ_2M + SZ_4K, size = SZ_4M;
	u64 at;

	KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, SZ_2M, SZ_1G, SZ_2M + SZ_4M, TESS_AS_READ), 0);
	pt_tables_left = 1;
	KUNIT_EXPECT_EQ(test, tess_chip_as_unmap(hw, va, size, NULL), -ENOMEM);
	for (at = SZ_2M; at < SZ_8M; at += SZ_4K)
		KUNIT_ASSERT_EQ(test, pt_translate(test, hw, at), SZ_1G - SZ_2M + at);
	pt_tables_left = INT_MAX;
	KUNIT_EXPECT_EQ(test, tess_chip_as_unmap(hw, va, size, NULL), 0);
	for (at = SZ_2M; at < SZ_8M; at += SZ_4K)
		KUNIT_ASSERT_EQ(test, pt_translate(test, hw, at),
				at >= va && at < va + size ? ~0ULL : SZ_1G - SZ_2M + at);
	tess_chip_as_destroy(hw);
}

/* Slices look again after entries are gone and before tables are */
static void pt_invalidate_test(struct kunit *test)
{
	struct tess_hw_as *hw = pt_create(test, TESS_AS_STAGE2);

	atomic64_set(&to_tess_chip_as(hw)->slices, 0x15);
	KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, SZ_4K, 0, SZ_4K, TESS_AS_READ), 0);
	pt_invalidated = 0;
	KUNIT_ASSERT_EQ(test, tess_chip_as_unmap(hw, 0, 4ULL * SZ_1G, NULL), 0);
	KUNIT_EXPECT_EQ(test, pt_invalidated, 0x15);
	KUNIT_EXPECT_EQ(test, pt_tables_then, 2);
	KUNIT_EXPECT_EQ(test, pt_tables, 0);
	tess_chip_as_destroy(hw);
}

/* With memory for none, one, ... of its tables a mapping fails as a whole, until it does not */
static void pt_nomem_test(struct kunit *test)
{
	struct tess_hw_as *hw = pt_create(test, TESS_AS_STAGE1);
	const u64 va = SZ_1G - SZ_2M, size = SZ_4M + SZ_4K;
	int n, rc = -ENOMEM;
	u64 at;

	for (n = 0; n < 16 && rc; n++) {
		pt_tables_left = n;
		rc = tess_chip_as_map(hw, va, SZ_4K, size, TESS_AS_READ);
		for (at = va; rc && at < va + size; at += SZ_4K)
			KUNIT_ASSERT_EQ(test, pt_translate(test, hw, at), ~0ULL);
		pt_tables_left = INT_MAX;
		if (!rc)
			break;
		KUNIT_ASSERT_EQ(test, rc, -ENOMEM);
		/* Those that it had got are no loss */
		KUNIT_ASSERT_EQ(test, pt_tables, 0);
	}
	/* Two tables of level 1, three of level 0 */
	KUNIT_EXPECT_EQ(test, n, 5);
	KUNIT_EXPECT_EQ(test, pt_translate(test, hw, va + size - SZ_4K), size);
	tess_chip_as_destroy(hw);
}

/* Random mappings of 16 MiB against an array */
static void pt_random_test(struct kunit *test)
{
	const unsigned int pages = SZ_16M / SZ_4K;
	const u64 base = SZ_1G - SZ_8M;
	struct tess_hw_as *hw = pt_create(test, TESS_AS_STAGE1);
	u64 *pa = kunit_kmalloc_array(test, pages, sizeof(*pa), GFP_KERNEL);
	struct rnd_state random;
	unsigned int i, k, first, n;

	KUNIT_ASSERT_NOT_NULL(test, pa);
	memset64(pa, ~0ULL, pages);
	prandom_seed_state(&random, 6);
	for (i = 0; i < 200; i++) {
		bool free = true, block = prandom_u32_state(&random) % 2;
		u64 to;

		first = prandom_u32_state(&random) % pages;
		n = 1 + prandom_u32_state(&random) % (2 * SZ_2M / SZ_4K);
		if (block) {
			first = round_down(first, SZ_2M / SZ_4K);
			n = round_up(n, SZ_2M / SZ_4K);
		}
		n = min(n, pages - first);
		to = (u64)(prandom_u32_state(&random) % 1024) * SZ_2M + (block ? 0 : SZ_4K);
		for (k = first; k < first + n; k++)
			free &= pa[k] == ~0ULL;
		if (prandom_u32_state(&random) % 3) {
			KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, base + first * SZ_4K, to,
							       n * SZ_4K, TESS_AS_READ),
					free ? 0 : -EEXIST);
			for (k = 0; free && k < n; k++)
				pa[first + k] = to + k * SZ_4K;
		} else {
			KUNIT_ASSERT_EQ(test, tess_chip_as_unmap(hw, base + first * SZ_4K,
								 n * SZ_4K, NULL), 0);
			memset64(pa + first, ~0ULL, n);
		}
		for (k = 0; k < pages; k += 1 + i % 7)
			KUNIT_ASSERT_EQ(test, pt_translate(test, hw, base + k * SZ_4K), pa[k]);
	}
	KUNIT_ASSERT_EQ(test, tess_chip_as_unmap(hw, base, SZ_16M, NULL), 0);
	KUNIT_EXPECT_EQ(test, pt_tables, 0);
	tess_chip_as_destroy(hw);
}

/* What the GPU does when it writes there */
static void pt_store(struct kunit *test, struct tess_hw_as *hw, u64 va)
{
	u64 size;
	__le64 *leaf = pt_find(test, hw, va, &size);

	KUNIT_ASSERT_NOT_NULL(test, leaf);
	*leaf |= cpu_to_le64(TESS_PTE_D);
}

/* Which pages were written to: those of a block that was one leaf, too, from its second time on */
static void pt_dirty_test(struct kunit *test)
{
	const u32 prot = TESS_AS_READ | TESS_AS_WRITE;
	struct tess_hw_as *hw = pt_create(test, TESS_AS_STAGE2);
	DECLARE_BITMAP(pages, 1024) = {};
	u64 size;

	KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, SZ_2M, SZ_1G, SZ_2M, prot), 0);
	KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, SZ_4M, SZ_2G, SZ_2M, prot | TESS_AS_CLEAN), 0);
	pt_walk(test, hw, SZ_2M, &size);
	KUNIT_EXPECT_EQ(test, size, SZ_2M);
	pt_walk(test, hw, SZ_4M, &size);
	KUNIT_EXPECT_EQ(test, size, SZ_4K);
	/* What was mapped as clean is clean */
	tess_chip_as_dirty(hw, SZ_2M, SZ_4M, pages);
	KUNIT_EXPECT_EQ(test, bitmap_weight(pages, 1024), 512);
	KUNIT_EXPECT_EQ(test, find_first_bit(pages, 1024), 0);
	pt_walk(test, hw, SZ_2M, &size);
	KUNIT_EXPECT_EQ(test, size, SZ_4K);
	KUNIT_EXPECT_EQ(test, pt_translate(test, hw, SZ_2M + SZ_1M), SZ_1G + SZ_1M);
	bitmap_zero(pages, 1024);
	tess_chip_as_dirty(hw, SZ_2M, SZ_4M, pages);
	KUNIT_EXPECT_EQ(test, bitmap_weight(pages, 1024), 0);
	pt_store(test, hw, SZ_2M + 3 * SZ_4K);
	pt_store(test, hw, SZ_4M + 5 * SZ_4K);
	/* From the middle of a block to the middle of the next one */
	bitmap_zero(pages, 1024);
	tess_chip_as_dirty(hw, SZ_2M + 2 * SZ_4K, SZ_2M, pages);
	KUNIT_EXPECT_EQ(test, bitmap_weight(pages, 1024), 1);
	KUNIT_EXPECT_TRUE(test, test_bit(1, pages));
	bitmap_zero(pages, 1024);
	KUNIT_ASSERT_EQ(test, tess_chip_as_unmap(hw, SZ_4M, SZ_2M, pages), 0);
	KUNIT_EXPECT_EQ(test, bitmap_weight(pages, 1024), 1);
	KUNIT_EXPECT_TRUE(test, test_bit(5, pages));
	/* Without memory for the split all of the block counts, each time */
	KUNIT_ASSERT_EQ(test, tess_chip_as_map(hw, SZ_8M, SZ_1G, SZ_2M, prot), 0);
	pt_tables_left = 0;
	bitmap_zero(pages, 1024);
	tess_chip_as_dirty(hw, SZ_8M + SZ_4K, SZ_4K, pages);
	KUNIT_EXPECT_EQ(test, bitmap_weight(pages, 1024), 1);
	tess_chip_as_dirty(hw, SZ_8M, SZ_2M, pages);
	KUNIT_EXPECT_EQ(test, bitmap_weight(pages, 1024), 512);
	bitmap_zero(pages, 1024);
	tess_chip_as_dirty(hw, SZ_8M, SZ_2M, pages);
	KUNIT_EXPECT_EQ(test, bitmap_weight(pages, 1024), 0);
	pt_store(test, hw, SZ_8M);
	tess_chip_as_dirty(hw, SZ_8M, SZ_2M, pages);
	KUNIT_EXPECT_EQ(test, bitmap_weight(pages, 1024), 512);
	pt_tables_left = INT_MAX;
	tess_chip_as_destroy(hw);
}

/* Ids of stage 1 are different, from 1, and come again; stage 2 has none and is aligned */
static void pt_asid_test(struct kunit *test)
{
	struct tess_hw_as *a = pt_create(test, TESS_AS_STAGE1);
	struct tess_hw_as *b = pt_create(test, TESS_AS_STAGE1);
	struct tess_hw_as *c = pt_create(test, TESS_AS_STAGE2);

	KUNIT_EXPECT_EQ(test, to_tess_chip_as(a)->asid, 1);
	KUNIT_EXPECT_EQ(test, to_tess_chip_as(b)->asid, 2);
	KUNIT_EXPECT_EQ(test, to_tess_chip_as(c)->asid, 0);
	KUNIT_EXPECT_EQ(test, tess_chip_as_root(to_tess_chip_as(c)) % SZ_16K, 0);
	tess_chip_as_destroy(a);
	a = pt_create(test, TESS_AS_STAGE1);
	KUNIT_EXPECT_EQ(test, to_tess_chip_as(a)->asid, 1);
	tess_chip_as_destroy(a);
	tess_chip_as_destroy(b);
	tess_chip_as_destroy(c);
}

/* A client has so many tables and no more, and those of a mapping that is refused come back */
static void pt_budget_test(struct kunit *test)
{
	struct tess_hw_as *a = pt_create(test, TESS_AS_STAGE1);
	struct tess_hw_as *b = pt_create(test, TESS_AS_STAGE1);
	struct tess_as_budget budget = { .left = ATOMIC_INIT(4) };

	a->budget = &budget;
	b->budget = &budget;
	KUNIT_EXPECT_EQ(test, tess_chip_as_map(a, 0, SZ_4K, SZ_2M, TESS_AS_READ), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&budget.left), 2);
	/* Three: one of level 1, two of level 0 */
	KUNIT_EXPECT_EQ(test, tess_chip_as_map(b, 0, SZ_4K, SZ_4M, TESS_AS_READ), -EDQUOT);
	KUNIT_EXPECT_EQ(test, atomic_read(&budget.left), 2);
	KUNIT_EXPECT_EQ(test, pt_tables, 2);
	KUNIT_EXPECT_EQ(test, pt_translate(test, b, 0), ~0ULL);
	KUNIT_EXPECT_EQ(test, tess_chip_as_map(b, 0, SZ_2M, SZ_2M, TESS_AS_READ), 0);
	KUNIT_EXPECT_EQ(test, tess_chip_as_map(a, SZ_2M, SZ_4K, SZ_4K, TESS_AS_READ), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&budget.left), 0);
	/* A block that has to be split has no table for that */
	KUNIT_EXPECT_EQ(test, tess_chip_as_unmap(b, SZ_1M, SZ_4K, NULL), -EDQUOT);
	KUNIT_EXPECT_EQ(test, pt_translate(test, b, SZ_1M), SZ_2M + SZ_1M);
	KUNIT_EXPECT_EQ(test, tess_chip_as_unmap(a, 0, SZ_4M, NULL), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&budget.left), 3);
	tess_chip_as_destroy(a);
	tess_chip_as_destroy(b);
	KUNIT_EXPECT_EQ(test, atomic_read(&budget.left), 4);
}

/* When all ids are taken there is one for everybody else, with a flush before each job */
static void pt_asid_shared_test(struct kunit *test)
{
	struct tess_chip *chip = test->priv;
	struct tess_hw_as *own = pt_create(test, TESS_AS_STAGE1), *a, *b;

	while (ida_alloc_range(&chip->asids, ASID_MIN, ASID_MAX, GFP_KERNEL) >= 0)
		cond_resched();
	a = pt_create(test, TESS_AS_STAGE1);
	b = pt_create(test, TESS_AS_STAGE1);
	KUNIT_EXPECT_EQ(test, to_tess_chip_as(own)->asid, 1);
	KUNIT_EXPECT_EQ(test, to_tess_chip_as(a)->asid, U16_MAX);
	KUNIT_EXPECT_EQ(test, to_tess_chip_as(b)->asid, U16_MAX);
	KUNIT_EXPECT_TRUE(test, tess_chip_as_use(to_tess_chip_as(own), 5));
	KUNIT_EXPECT_FALSE(test, tess_chip_as_use(to_tess_chip_as(own), 5));
	KUNIT_EXPECT_TRUE(test, tess_chip_as_use(to_tess_chip_as(a), 5));
	KUNIT_EXPECT_TRUE(test, tess_chip_as_use(to_tess_chip_as(a), 5));
	KUNIT_EXPECT_EQ(test, atomic64_read(&to_tess_chip_as(a)->slices), BIT_ULL(5));
	tess_chip_as_destroy(a);
	tess_chip_as_destroy(b);
	tess_chip_as_destroy(own);
	ida_destroy(&chip->asids);
}

/* Whoever may have translations of an address space is told, nobody else */
static void pt_stage2_test(struct kunit *test)
{
	struct tess_chip *chip = test->priv;
	struct tess_hw_as *ha = pt_create(test, TESS_AS_STAGE2);
	struct tess_hw_as *hb = pt_create(test, TESS_AS_STAGE2);
	struct tess_chip_as *a = to_tess_chip_as(ha), *b = to_tess_chip_as(hb);

	tess_chip_stage2_begin(chip, 3, a);
	tess_chip_stage2_end(chip, 3, a);
	tess_chip_stage2_begin(chip, 3, b);
	KUNIT_EXPECT_EQ(test, atomic64_read(&a->slices), BIT_ULL(3));
	KUNIT_EXPECT_EQ(test, atomic64_read(&b->slices), BIT_ULL(3));
	tess_chip_stage2_cancel(chip, 3);
	KUNIT_EXPECT_EQ(test, atomic64_read(&b->slices), 0);
	tess_chip_stage2_begin(chip, 3, b);
	tess_chip_stage2_end(chip, 3, b);
	KUNIT_EXPECT_EQ(test, atomic64_read(&a->slices), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&b->slices), BIT_ULL(3));
	/* A GPU that is gone was not told; nobody may look at it later */
	tess_chip_as_destroy(hb);
	KUNIT_EXPECT_NULL(test, chip->stage2[3].now);
	tess_chip_stage2_end(chip, 3, a);
	tess_chip_as_destroy(ha);
}

static struct kunit_case pt_cases[] = {
	KUNIT_CASE(pt_pages_test),
	KUNIT_CASE(pt_blocks_test),
	KUNIT_CASE(pt_overlap_test),
	KUNIT_CASE(pt_split_test),
	KUNIT_CASE(pt_unmap_whole_or_not_test),
	KUNIT_CASE(pt_dirty_test),
	KUNIT_CASE(pt_invalidate_test),
	KUNIT_CASE(pt_nomem_test),
	KUNIT_CASE(pt_random_test),
	KUNIT_CASE(pt_asid_test),
	KUNIT_CASE(pt_asid_shared_test),
	KUNIT_CASE(pt_budget_test),
	KUNIT_CASE(pt_stage2_test),
	{}
};

static struct kunit_suite pt_suite = {
	.name = "tessera_pt",
	.init = pt_init,
	.exit = pt_exit,
	.test_cases = pt_cases,
};

kunit_test_suite(pt_suite);
