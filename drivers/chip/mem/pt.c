// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables: Sv39 and Sv39x4.
 *
 * DOC: Page tables
 *
 * Each table is a page of coherent memory of its own, with a shadow that holds what the GPU
 * does not need: pointers to the next level and the number of entries in use. The shadow
 * makes walks independent of what is in the tables, which the GPU writes to (A and D bits),
 * and frees a table as soon as its last entry goes; the page goes back to the system then.
 * Tables are charged to the memory cgroup of who maps, count as SecPageTables in
 * /proc/meminfo, and are taken from the client's budget if it has one: one page that is
 * mapped in each block of 2 MiB costs as much for tables as for itself.
 *
 * A and D are set from the start, and the GPU is spared the writes. A is read by nobody. D of
 * stage 2 is read and cleared, for the VRAM of a client (tess_chip_as_written()) and for its memory
 * (tess_chip_as_dirty()): the next store sets it again. The client's slices may run meanwhile: the
 * GPU writes to no entry in which D is set, so that nothing is lost between reading such an entry
 * and clearing D in it.
 *
 * Mapping has two passes over the range. The first allocates tables and refuses what is
 * mapped already, the second writes leaves and cannot fail: all or nothing without a way
 * back. If the first fails, tables that it leaves empty are freed again. Both go from one
 * block of 2 MiB to the next, which is a leaf of level 1 if it is covered whole, by memory
 * with the same alignment, and if it had no table before.
 *
 * Unmapping clears entries, collects tables that became empty, invalidates the slices
 * that may have used the address space (as.c), and only then frees the tables: a walk that is
 * under way may still read them until then. The two leaves of 2 MiB that may go beyond the
 * range are split before the first entry is cleared: nothing after that needs memory, and an
 * unmap that fails has changed no translation.
 */
#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmstat.h>
#include <tessera/hw/tess_mem.h>

#include "as.h"
#include "base/alive.h"
#include "base/chip.h"
#include "pt.h"

/**
 * struct pt_table - a table
 * @entries: what the GPU reads
 * @dma: where it reads it
 * @count: number of entries
 * @used: valid ones
 * @link: tables to be freed
 * @child: tables of the next level; levels 2 and 1 only
 */
struct pt_table {
	__le64 *entries;
	dma_addr_t dma;
	unsigned int count;
	unsigned int used;
	struct list_head link;
	struct pt_table *child[];
};

static unsigned int pt_index(u64 va, int level, const struct pt_table *table)
{
	return (va >> TESS_PT_SHIFT(level)) & (table->count - 1);
}

static u64 pt_leaf(u64 pa, u32 prot)
{
	u64 pte = TESS_PTE_V | TESS_PTE_R | TESS_PTE_U | TESS_PTE_A |
		  FIELD_PREP(TESS_PTE_PPN, pa >> 12);

	if (prot & TESS_AS_WRITE)
		pte |= TESS_PTE_W | (prot & TESS_AS_CLEAN ? 0 : TESS_PTE_D);
	if (prot & TESS_AS_EXEC)
		pte |= TESS_PTE_X;
	return pte;
}

static void pt_set(struct pt_table *table, unsigned int i, u64 pte)
{
	bool was = table->entries[i];

	table->used += !!pte - was;
	WRITE_ONCE(table->entries[i], cpu_to_le64(pte));
}

/* ---- tables ---- */

static size_t pt_size(const struct pt_table *table)
{
	return table->count * sizeof(*table->entries);
}

static void pt_account(struct tess_chip *chip, long bytes)
{
	int node = dev_to_node(chip->be.dev);

	if (node == NUMA_NO_NODE || !node_online(node))
		node = first_online_node;
	mod_node_page_state(NODE_DATA(node), NR_SECONDARY_PAGETABLE, bytes / (long)PAGE_SIZE);
}

/* Without a mapping in the kernel of its own: it is one page */
static struct pt_table *pt_alloc_page(struct tess_chip *chip, int level)
{
	struct pt_table *table;

	table = kzalloc(struct_size(table, child, level ? TESS_PT_ENTRIES : 0),
			GFP_KERNEL_ACCOUNT);
	if (!table)
		return ERR_PTR(-ENOMEM);
	table->count = TESS_PT_ENTRIES;
	table->entries = dma_alloc_attrs(chip->be.dev, pt_size(table), &table->dma,
					 GFP_KERNEL_ACCOUNT, DMA_ATTR_FORCE_CONTIGUOUS);
	if (!table->entries) {
		kfree(table);
		return ERR_PTR(-ENOMEM);
	}
	pt_account(chip, pt_size(table));
	return table;
}

static struct pt_table *pt_alloc(struct tess_chip_as *as, int level)
{
	struct pt_table *table;

	if (!tess_as_budget_take(as->hw.budget))
		return ERR_PTR(-EDQUOT);
	table = pt_alloc_page(to_tess_chip(as->hw.be), level);
	if (IS_ERR(table))
		tess_as_budget_give(as->hw.budget);
	return table;
}

static void pt_free(struct tess_chip_as *as, struct pt_table *table)
{
	struct tess_chip *chip = to_tess_chip(as->hw.be);

	pt_account(chip, -(long)pt_size(table));
	dma_free_attrs(chip->be.dev, pt_size(table), table->entries, table->dma,
		       DMA_ATTR_FORCE_CONTIGUOUS);
	kfree(table);
	tess_as_budget_give(as->hw.budget);
}

static void pt_link(struct pt_table *parent, unsigned int i, struct pt_table *table)
{
	parent->child[i] = table;
	/* The table's contents are there before the entry that leads to it */
	dma_wmb();
	pt_set(parent, i, TESS_PTE_V | FIELD_PREP(TESS_PTE_PPN, table->dma >> 12));
}

static struct pt_table *pt_child(struct tess_chip_as *as, struct pt_table *parent, unsigned int i,
				 int level)
{
	struct pt_table *table = parent->child[i];

	if (table)
		return table;
	table = pt_alloc(as, level);
	if (!IS_ERR(table))
		pt_link(parent, i, table);
	return table;
}

/* ---- mapping ---- */

/**
 * struct pt_range - what is to be mapped
 * @va: from here
 * @pa: to here
 * @size: bytes
 * @prot: TESS_AS_*
 * @commit: second pass
 */
struct pt_range {
	u64 va;
	u64 pa;
	u64 size;
	u32 prot;
	bool commit;
};

static int pt_map_pages(struct tess_chip_as *as, struct pt_table *t1, const struct pt_range *r)
{
	unsigned int i, i1 = pt_index(r->va, 1, t1), n = r->size / SZ_4K;
	struct pt_table *t0;

	if (t1->entries[i1] && !t1->child[i1])
		return -EEXIST;
	t0 = pt_child(as, t1, i1, 0);
	if (IS_ERR(t0))
		return PTR_ERR(t0);
	i = pt_index(r->va, 0, t0);
	for (n += i; i < n; i++) {
		if (r->commit)
			pt_set(t0, i, pt_leaf(r->pa + (r->va & ~(SZ_2M - 1ULL)) + i * SZ_4K - r->va,
					      r->prot));
		else if (t0->entries[i])
			return -EEXIST;
	}
	return 0;
}

/* All of it in one block of 2 MiB */
static int pt_map_block(struct tess_chip_as *as, const struct pt_range *r)
{
	struct pt_table *t1;
	unsigned int i1;

	t1 = pt_child(as, as->root, pt_index(r->va, 2, as->root), 1);
	if (IS_ERR(t1))
		return PTR_ERR(t1);
	i1 = pt_index(r->va, 1, t1);
	/* TESS_AS_CLEAN asks for D bits of pages, which a large leaf does not have */
	if (r->size != SZ_2M || r->pa % SZ_2M || t1->child[i1] || r->prot & TESS_AS_CLEAN)
		return pt_map_pages(as, t1, r);
	if (r->commit)
		pt_set(t1, i1, pt_leaf(r->pa, r->prot));
	else if (t1->entries[i1])
		return -EEXIST;
	return 0;
}

static u64 block_part(u64 va, u64 size)
{
	return min_t(u64, size, SZ_2M - va % SZ_2M);
}

static int pt_map_pass(struct tess_chip_as *as, u64 va, u64 pa, u64 size, u32 prot, bool commit)
{
	int rc = 0;

	while (size && !rc) {
		struct pt_range r = { va, pa, block_part(va, size), prot, commit };

		rc = pt_map_block(as, &r);
		va += r.size;
		pa += r.size;
		size -= r.size;
		cond_resched();
	}
	return rc;
}

/* ---- unmapping ---- */

/* A leaf of 2 MiB becomes a table with the same translations */
static int pt_split(struct tess_chip_as *as, struct pt_table *t1, unsigned int i1)
{
	u64 pte = le64_to_cpu(t1->entries[i1]);
	struct pt_table *t0;
	unsigned int i;

	t0 = pt_alloc(as, 0);
	if (IS_ERR(t0))
		return PTR_ERR(t0);
	for (i = 0; i < t0->count; i++)
		pt_set(t0, i, pte + FIELD_PREP(TESS_PTE_PPN, i));
	pt_link(t1, i1, t0);
	return 0;
}

static void pt_unlink_if_empty(struct pt_table *parent, unsigned int i, struct list_head *empty)
{
	struct pt_table *table = parent->child[i];

	if (table->used)
		return;
	pt_set(parent, i, 0);
	parent->child[i] = NULL;
	list_add(&table->link, empty);
}

/* Tables of a block of 2 MiB that hold nothing */
static void pt_prune_block(struct tess_chip_as *as, u64 va, struct list_head *empty)
{
	unsigned int i2 = pt_index(va, 2, as->root), i1;
	struct pt_table *t1 = as->root->child[i2];

	if (!t1)
		return;
	i1 = pt_index(va, 1, t1);
	if (t1->child[i1])
		pt_unlink_if_empty(t1, i1, empty);
	pt_unlink_if_empty(as->root, i2, empty);
}

/* So that @va can be a border: only a leaf of 2 MiB that goes beyond it is in the way */
static int pt_split_at(struct tess_chip_as *as, u64 va)
{
	struct pt_table *t1;
	unsigned int i1;

	if (IS_ALIGNED(va, SZ_2M))
		return 0;
	t1 = as->root->child[pt_index(va, 2, as->root)];
	if (!t1)
		return 0;
	i1 = pt_index(va, 1, t1);
	if (t1->child[i1] || !t1->entries[i1])
		return 0;
	return pt_split(as, t1, i1);
}

/* At once, so that the GPU sets D before or not at all. Was it set? */
static bool pt_clear(struct pt_table *table, unsigned int i)
{
	u64 pte = le64_to_cpu(xchg(&table->entries[i], 0));

	table->used -= !!pte;
	return pte & TESS_PTE_D;
}

/* @dirty: bits of pages from @first on, or NULL */
static void pt_unmap_block(struct tess_chip_as *as, u64 va, u64 size, struct list_head *empty,
			   unsigned long *dirty, unsigned int first)
{
	struct pt_table *t1 = as->root->child[pt_index(va, 2, as->root)], *t0;
	unsigned int i1, i0, i, n = size / SZ_4K;

	if (!t1)
		return;
	i1 = pt_index(va, 1, t1);
	t0 = t1->child[i1];
	if (!t0 && pt_clear(t1, i1) && dirty)
		bitmap_set(dirty, first, n);
	i0 = t0 ? pt_index(va, 0, t0) : 0;
	for (i = 0; t0 && i < n; i++) {
		if (pt_clear(t0, i0 + i) && dirty)
			__set_bit(first + i, dirty);
	}
	pt_prune_block(as, va, empty);
}

/* Bytes from va that a missing table of level 1 leaves out, or those of the block */
static u64 unmap_step(const struct tess_chip_as *as, u64 va, u64 size)
{
	if (!as->root->child[pt_index(va, 2, as->root)])
		return min_t(u64, size, SZ_1G - va % SZ_1G);
	return block_part(va, size);
}

/* What left the tables is not used any more; tables that became empty go */
static void pt_invalidate(struct tess_chip_as *as, struct list_head *empty)
{
	struct pt_table *table, *next;

	/* Out of the tables before the slices are told to look again: tess_chip_stage2_begin() */
	mb();
	tess_chip_invalidate(to_tess_chip(as->hw.be), atomic64_read(&as->slices));
	list_for_each_entry_safe(table, next, empty, link)
		pt_free(as, table);
}

int tess_chip_as_unmap(struct tess_hw_as *hw, u64 va, u64 size, unsigned long *dirty)
{
	struct tess_chip_as *as = to_tess_chip_as(hw);
	unsigned int first = 0;
	LIST_HEAD(empty);
	int rc;

	/* All that takes memory comes before anything changes */
	rc = pt_split_at(as, va);
	if (!rc)
		rc = pt_split_at(as, va + size);
	if (rc)
		return rc;

	while (size) {
		u64 step = unmap_step(as, va, size);

		pt_unmap_block(as, va, step, &empty, dirty, first);
		first += step / SZ_4K;
		va += step;
		size -= step;
		cond_resched();
	}
	pt_invalidate(as, &empty);
	return 0;
}

/* Clear D of an entry; was it set? */
static bool pt_take_dirty(struct pt_table *table, unsigned int i)
{
	u64 pte = le64_to_cpu(READ_ONCE(table->entries[i]));

	if (!(pte & TESS_PTE_D))
		return false;
	pt_set(table, i, pte & ~(u64)TESS_PTE_D);
	return true;
}

/* Of a part of a block of 2 MiB */
static bool pt_take_block(struct tess_chip_as *as, u64 va, u64 size)
{
	struct pt_table *t1 = as->root->child[pt_index(va, 2, as->root)], *t0;
	unsigned int i1, i, n = size / SZ_4K;
	bool dirty = false;

	if (!t1)
		return false;
	i1 = pt_index(va, 1, t1);
	t0 = t1->child[i1];
	if (!t0)
		return pt_take_dirty(t1, i1);
	i = pt_index(va, 0, t0);
	for (n += i; i < n; i++)
		dirty |= pt_take_dirty(t0, i);
	return dirty;
}

void tess_chip_as_written(struct tess_hw_as *hw, u64 va, u64 size, unsigned long *blocks)
{
	struct tess_chip_as *as = to_tess_chip_as(hw);
	LIST_HEAD(none);
	unsigned int i;
	u64 step;

	for (i = 0; size; i++, va += step, size -= step) {
		step = block_part(va, size);
		if (pt_take_block(as, va, step))
			__set_bit(i, blocks);
		cond_resched();
	}
	/* A translation that is kept lets stores pass without setting D */
	pt_invalidate(as, &none);
}

/*
 * Of a part of a block of 2 MiB: bits of its pages from @first on. A leaf that was written to is
 * split, which is safe because the GPU changes nothing in it. Without memory for that it stays, and
 * counts as a whole.
 */
static void pt_take_pages(struct tess_chip_as *as, u64 va, u64 size, unsigned long *pages,
			  unsigned int first)
{
	struct pt_table *t1 = as->root->child[pt_index(va, 2, as->root)], *t0;
	unsigned int i1, i0, i, n = size / SZ_4K;

	if (!t1)
		return;
	i1 = pt_index(va, 1, t1);
	if (!t1->child[i1] && le64_to_cpu(READ_ONCE(t1->entries[i1])) & TESS_PTE_D &&
	    pt_split(as, t1, i1)) {
		bitmap_set(pages, first, n);
		if (size == SZ_2M)
			pt_take_dirty(t1, i1);
	}
	t0 = t1->child[i1];
	i0 = t0 ? pt_index(va, 0, t0) : 0;
	for (i = 0; t0 && i < n; i++) {
		if (pt_take_dirty(t0, i0 + i))
			__set_bit(first + i, pages);
	}
}

void tess_chip_as_dirty(struct tess_hw_as *hw, u64 va, u64 size, unsigned long *pages)
{
	struct tess_chip_as *as = to_tess_chip_as(hw);
	unsigned int first;
	u64 step;

	for (first = 0; size; first += step / SZ_4K, va += step, size -= step) {
		step = block_part(va, size);
		pt_take_pages(as, va, step, pages, first);
		cond_resched();
	}
}

void tess_chip_as_dirty_end(struct tess_hw_as *hw)
{
	LIST_HEAD(none);

	pt_invalidate(to_tess_chip_as(hw), &none);
}

/* Tables for a mapping that was refused */
static void pt_prune(struct tess_chip_as *as, u64 va, u64 size)
{
	LIST_HEAD(empty);
	u64 step;

	for (; size; va += step, size -= step) {
		step = unmap_step(as, va, size);
		pt_prune_block(as, va, &empty);
		cond_resched();
	}
	if (!list_empty(&empty))
		pt_invalidate(as, &empty);
}

int tess_chip_as_map(struct tess_hw_as *hw, u64 va, u64 pa, u64 size, u32 prot)
{
	struct tess_chip_as *as = to_tess_chip_as(hw);
	int rc;

	rc = pt_map_pass(as, va, pa, size, prot, false);
	if (rc) {
		pt_prune(as, va, size);
		return rc;
	}
	rc = pt_map_pass(as, va, pa, size, prot, true);
	/* Visible to the GPU before anybody tells it to look */
	dma_wmb();
	return rc;
}

/* ---- trees ---- */

/**
 * tess_chip_pt_alloc() - a root table, with nothing below it
 * @chip: device
 * @stage: that of stage 2 has four pages and is aligned to its size, as all such memory is
 *
 * Return: table, NULL without memory.
 */
struct pt_table *tess_chip_pt_alloc(struct tess_chip *chip, enum tess_as_stage stage)
{
	unsigned int count = stage == TESS_AS_STAGE2 ? TESS_PT_ROOT2_ENTRIES : TESS_PT_ENTRIES;
	struct pt_table *root;

	root = kvzalloc(struct_size(root, child, count), GFP_KERNEL_ACCOUNT);
	if (!root)
		return NULL;
	root->count = count;
	root->entries = dma_alloc_coherent(chip->be.dev, pt_size(root), &root->dma,
					   GFP_KERNEL_ACCOUNT);
	if (!root->entries) {
		kvfree(root);
		return NULL;
	}
	pt_account(chip, pt_size(root));
	return root;
}

static void pt_destroy(struct tess_chip_as *as, struct pt_table *table, int level)
{
	unsigned int i;

	for (i = 0; level && i < table->count; i++)
		if (table->child[i]) {
			pt_destroy(as, table->child[i], level - 1);
			pt_free(as, table->child[i]);
		}
	cond_resched();
}

/**
 * tess_chip_pt_free() - free all tables of an address space
 * @as: nothing uses it, nor will
 */
void tess_chip_pt_free(struct tess_chip_as *as)
{
	struct tess_chip *chip = to_tess_chip(as->hw.be);
	struct pt_table *root = as->root;

	pt_destroy(as, root, TESS_PT_LEVELS - 1);
	pt_account(chip, -(long)pt_size(root));
	dma_free_coherent(chip->be.dev, pt_size(root), root->entries, root->dma);
	kvfree(root);
}

/* Bus address of the root table */
dma_addr_t tess_chip_as_root(const struct tess_chip_as *as)
{
	return as->root->dma;
}
