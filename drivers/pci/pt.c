// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables: Sv39 and Sv39x4.
 *
 * DOC: Page tables
 *
 * Tables are pages of coherent memory, with a shadow that holds what the GPU does not
 * need: pointers to the next level and the number of entries in use. The shadow makes
 * walks independent of what is in the tables, which the GPU writes to (A and D bits),
 * and frees a table as soon as its last entry goes.
 *
 * A and D are set from the start: nothing reads them so far, and the GPU is spared the
 * writes.
 *
 * Mapping has two passes over the range. The first allocates tables and refuses what is
 * mapped already, the second writes leaves and cannot fail: all or nothing without a way
 * back. Both go from one block of 2 MiB to the next, which is a leaf of level 1 if it is
 * covered whole, by memory with the same alignment, and if it had no table before.
 *
 * Unmapping clears entries, collects tables that became empty, invalidates the slices
 * that may have used the address space, and only then frees the tables: a walk that is
 * under way may still read them until then. The two leaves of 2 MiB that may go beyond the
 * range are split before the first entry is cleared: nothing after that needs memory, and an
 * unmap that fails has changed no translation.
 *
 * Which slices those are is in &tess_pci_as.slices. A slice's bit is set before the slice
 * is told to use the address space, and cleared after it has stopped using it and has
 * dropped its translations. So an unmap that runs while a slice is switched finds the
 * bit, or it has cleared the entries before the slice begins to look: the bit is set and
 * then, behind a full barrier, the slice told; entries are cleared and then, behind a
 * full barrier, the bit is read. Invalidating a slice that has left meanwhile costs its
 * present client some fills, and nothing else.
 */
#include <linux/bitfield.h>
#include <linux/dma-mapping.h>
#include <linux/dmapool.h>
#include <linux/err.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "hw.h"
#include "pt.h"
#include "tess_pci.h"

#define ASID_MIN	1
#define ASID_MAX	U16_MAX

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
		pte |= TESS_PTE_W | TESS_PTE_D;
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

static struct pt_table *pt_alloc(struct tess_pci *tp, int level)
{
	struct pt_table *table;

	table = kzalloc(struct_size(table, child, level ? TESS_PT_ENTRIES : 0),
			GFP_KERNEL_ACCOUNT);
	if (!table)
		return NULL;
	table->count = TESS_PT_ENTRIES;
	table->entries = dma_pool_zalloc(tp->tables, GFP_KERNEL_ACCOUNT, &table->dma);
	if (!table->entries) {
		kfree(table);
		return NULL;
	}
	return table;
}

static void pt_free(struct tess_pci *tp, struct pt_table *table)
{
	dma_pool_free(tp->tables, table->entries, table->dma);
	kfree(table);
}

static size_t pt_root_size(const struct pt_table *root)
{
	return root->count * sizeof(*root->entries);
}

/* The root of stage 2 has four pages and is aligned to its size, as all such memory is */
static struct pt_table *pt_alloc_root(struct tess_pci *tp, enum tess_as_stage stage)
{
	unsigned int count = stage == TESS_AS_STAGE2 ? TESS_PT_ROOT2_ENTRIES : TESS_PT_ENTRIES;
	struct pt_table *root;

	root = kvzalloc(struct_size(root, child, count), GFP_KERNEL_ACCOUNT);
	if (!root)
		return NULL;
	root->count = count;
	root->entries = dma_alloc_coherent(tp->be.dev, pt_root_size(root), &root->dma, GFP_KERNEL);
	if (!root->entries) {
		kvfree(root);
		return NULL;
	}
	return root;
}

static void pt_free_root(struct tess_pci *tp, struct pt_table *root)
{
	dma_free_coherent(tp->be.dev, pt_root_size(root), root->entries, root->dma);
	kvfree(root);
}

static void pt_link(struct pt_table *parent, unsigned int i, struct pt_table *table)
{
	parent->child[i] = table;
	/* The table's contents are there before the entry that leads to it */
	dma_wmb();
	pt_set(parent, i, TESS_PTE_V | FIELD_PREP(TESS_PTE_PPN, table->dma >> 12));
}

static struct pt_table *pt_child(struct tess_pci *tp, struct pt_table *parent, unsigned int i,
				 int level)
{
	struct pt_table *table = parent->child[i];

	if (table)
		return table;
	table = pt_alloc(tp, level);
	if (table)
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

static int pt_map_pages(struct tess_pci *tp, struct pt_table *t1, const struct pt_range *r)
{
	unsigned int i, i1 = pt_index(r->va, 1, t1), n = r->size / SZ_4K;
	struct pt_table *t0;

	if (t1->entries[i1] && !t1->child[i1])
		return -EEXIST;
	t0 = pt_child(tp, t1, i1, 0);
	if (!t0)
		return -ENOMEM;
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
static int pt_map_block(struct tess_pci_as *as, const struct pt_range *r)
{
	struct tess_pci *tp = to_tess_pci(as->hw.be);
	struct pt_table *t1;
	unsigned int i1;

	t1 = pt_child(tp, as->root, pt_index(r->va, 2, as->root), 1);
	if (!t1)
		return -ENOMEM;
	i1 = pt_index(r->va, 1, t1);
	if (r->size != SZ_2M || r->pa % SZ_2M || t1->child[i1])
		return pt_map_pages(tp, t1, r);
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

static int pt_map_pass(struct tess_pci_as *as, u64 va, u64 pa, u64 size, u32 prot, bool commit)
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

int tess_pci_as_map(struct tess_hw_as *hw, u64 va, u64 pa, u64 size, u32 prot)
{
	struct tess_pci_as *as = to_tess_pci_as(hw);
	int rc;

	rc = pt_map_pass(as, va, pa, size, prot, false);
	if (!rc)
		rc = pt_map_pass(as, va, pa, size, prot, true);
	/* Visible to the GPU before anybody tells it to look */
	dma_wmb();
	return rc;
}

/* ---- unmapping ---- */

/* A leaf of 2 MiB becomes a table with the same translations */
static int pt_split(struct tess_pci *tp, struct pt_table *t1, unsigned int i1)
{
	u64 pte = le64_to_cpu(t1->entries[i1]);
	struct pt_table *t0;
	unsigned int i;

	t0 = pt_alloc(tp, 0);
	if (!t0)
		return -ENOMEM;
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

/* So that @va can be a border: only a leaf of 2 MiB that goes beyond it is in the way */
static int pt_split_at(struct tess_pci_as *as, u64 va)
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
	return pt_split(to_tess_pci(as->hw.be), t1, i1);
}

static void pt_unmap_block(struct tess_pci_as *as, u64 va, u64 size, struct list_head *empty)
{
	unsigned int i2 = pt_index(va, 2, as->root), i1, i, n;
	struct pt_table *t1 = as->root->child[i2], *t0;

	if (!t1)
		return;
	i1 = pt_index(va, 1, t1);
	if (!t1->child[i1])
		pt_set(t1, i1, 0);
	t0 = t1->child[i1];
	if (t0) {
		i = pt_index(va, 0, t0);
		for (n = i + size / SZ_4K; i < n; i++)
			pt_set(t0, i, 0);
		pt_unlink_if_empty(t1, i1, empty);
	}
	pt_unlink_if_empty(as->root, i2, empty);
}

/* Bytes from va that a missing table of level 1 leaves out, or those of the block */
static u64 unmap_step(const struct tess_pci_as *as, u64 va, u64 size)
{
	if (!as->root->child[pt_index(va, 2, as->root)])
		return min_t(u64, size, SZ_1G - va % SZ_1G);
	return block_part(va, size);
}

int tess_pci_as_unmap(struct tess_hw_as *hw, u64 va, u64 size)
{
	struct tess_pci_as *as = to_tess_pci_as(hw);
	struct tess_pci *tp = to_tess_pci(hw->be);
	struct pt_table *table, *next;
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

		pt_unmap_block(as, va, step, &empty);
		va += step;
		size -= step;
		cond_resched();
	}
	/* Out of the tables before the slices are told to look again: tess_pci_stage2_begin() */
	mb();
	tess_pci_invalidate(tp, atomic64_read(&as->slices));
	list_for_each_entry_safe(table, next, &empty, link)
		pt_free(tp, table);
	return 0;
}

/* ---- address spaces ---- */

struct tess_hw_as *tess_pci_as_create(struct tess_backend *be, enum tess_as_stage stage)
{
	struct tess_pci *tp = to_tess_pci(be);
	struct tess_pci_as *as;
	int rc;

	as = kzalloc(sizeof(*as), GFP_KERNEL_ACCOUNT);
	if (!as)
		return ERR_PTR(-ENOMEM);
	as->hw.be = be;
	as->hw.stage = stage;
	atomic64_set(&as->stale, -1);
	if (stage == TESS_AS_STAGE1) {
		rc = ida_alloc_range(&tp->asids, ASID_MIN, ASID_MAX, GFP_KERNEL);
		if (rc < 0)
			goto err_free;
		as->asid = rc;
	}
	as->root = pt_alloc_root(tp, stage);
	if (!as->root) {
		rc = -ENOMEM;
		goto err_asid;
	}
	return &as->hw;

err_asid:
	if (as->asid)
		ida_free(&tp->asids, as->asid);
err_free:
	kfree(as);
	return ERR_PTR(rc);
}

static void pt_destroy(struct tess_pci *tp, struct pt_table *table, int level)
{
	unsigned int i;

	for (i = 0; level && i < table->count; i++)
		if (table->child[i]) {
			pt_destroy(tp, table->child[i], level - 1);
			pt_free(tp, table->child[i]);
		}
	cond_resched();
}

/* ---- slices of stage 2 ---- */

/**
 * tess_pci_stage2_begin() - a slice is about to use another stage 2
 * @tp: device
 * @slice: number; its calls are serialized
 * @as: what it will use, NULL: none
 *
 * From here on, unmapping invalidates the slice.
 */
void tess_pci_stage2_begin(struct tess_pci *tp, unsigned int slice, struct tess_pci_as *as)
{
	spin_lock(&tp->stage2_lock);
	tp->stage2[slice].next = as;
	if (as)
		atomic64_or(BIT_ULL(slice), &as->slices);
	spin_unlock(&tp->stage2_lock);
	/* Pairs with tess_pci_as_unmap() */
	mb();
}

static void stage2_leave(unsigned int slice, struct tess_pci_as *as, struct tess_pci_as *stay)
{
	if (as && as != stay)
		atomic64_andnot(BIT_ULL(slice), &as->slices);
}

/**
 * tess_pci_stage2_end() - a slice uses this stage 2 and no other any more
 * @tp: device
 * @slice: number; its calls are serialized. It has dropped other translations
 * @as: what it uses, NULL: none
 */
void tess_pci_stage2_end(struct tess_pci *tp, unsigned int slice, struct tess_pci_as *as)
{
	struct tess_pci_stage2 *s2 = &tp->stage2[slice];

	spin_lock(&tp->stage2_lock);
	stage2_leave(slice, s2->now, as);
	stage2_leave(slice, s2->next, as);
	s2->now = as;
	s2->next = NULL;
	spin_unlock(&tp->stage2_lock);
}

/**
 * tess_pci_stage2_cancel() - a slice stays with what it uses
 * @tp: device
 * @slice: number; its calls are serialized. It has not used what was begun
 */
void tess_pci_stage2_cancel(struct tess_pci *tp, unsigned int slice)
{
	struct tess_pci_stage2 *s2 = &tp->stage2[slice];

	spin_lock(&tp->stage2_lock);
	stage2_leave(slice, s2->next, s2->now);
	s2->next = NULL;
	spin_unlock(&tp->stage2_lock);
}

/* Nobody uses it: but a GPU that is gone was not told so */
static void stage2_forget(struct tess_pci *tp, const struct tess_pci_as *as)
{
	unsigned int i;

	spin_lock(&tp->stage2_lock);
	for (i = 0; i < TESS_MAX_SLICES; i++) {
		if (tp->stage2[i].now == as)
			tp->stage2[i].now = NULL;
		if (tp->stage2[i].next == as)
			tp->stage2[i].next = NULL;
	}
	spin_unlock(&tp->stage2_lock);
}

void tess_pci_as_destroy(struct tess_hw_as *hw)
{
	struct tess_pci_as *as = to_tess_pci_as(hw);
	struct tess_pci *tp = to_tess_pci(hw->be);

	stage2_forget(tp, as);
	pt_destroy(tp, as->root, TESS_PT_LEVELS - 1);
	pt_free_root(tp, as->root);
	if (as->asid)
		ida_free(&tp->asids, as->asid);
	kfree(as);
}

/* Bus address of the root table */
dma_addr_t tess_pci_as_root(const struct tess_pci_as *as)
{
	return as->root->dma;
}
