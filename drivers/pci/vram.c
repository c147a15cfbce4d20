// SPDX-License-Identifier: GPL-2.0-only
/*
 * VRAM.
 *
 * DOC: VRAM
 *
 * gpu_buddy manages VRAM in blocks of 4 KiB and up. A request is first tried in the
 * bank of the slice that it should be near to, then anywhere.
 *
 * Memory is zeroed through the BAR, by the CPU: every client gets zeroes, and nothing of
 * a former one survives in memory that is not in use. What was zeroed when it was freed
 * is not zeroed again (the buddy allocator keeps the two sorts apart); after start-up
 * nothing is known to be zero. Zeroing happens outside the lock, on blocks that count as
 * allocated.
 *
 * How many blocks of 2 MiB are free is counted on the side: vGPUs need memory in such
 * blocks, "can it be had?" must be answered exactly, and the number of free bytes does
 * not tell.
 *
 * A vGPU may have no VRAM: then there is nothing to manage, and the core asks for none.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "hw.h"
#include "tess_pci.h"

#define PAGES_PER_CHUNK	(SZ_2M / SZ_4K)

/**
 * struct tess_pci_vram_object - an allocation
 * @hw: for the core
 * @blocks: of the buddy allocator
 * @size: bytes; the core takes @hw.vram over
 */
struct tess_pci_vram_object {
	struct tess_hw_vram hw;
	struct list_head blocks;
	u64 size;
};

static struct tess_pci_vram_object *to_object(struct tess_hw_vram *hw)
{
	return container_of(hw, struct tess_pci_vram_object, hw);
}

/* Keep count of what is allocated in each chunk that a block touches */
static void vram_account(struct tess_pci *tp, struct gpu_buddy_block *block, bool alloc)
{
	struct tess_pci_vram *mm = &tp->mm;
	u64 page = gpu_buddy_block_offset(block) / SZ_4K;
	u64 end = page + gpu_buddy_block_size(&mm->buddy, block) / SZ_4K;

	lockdep_assert_held(&mm->lock);
	while (page < end) {
		u64 chunk = page / PAGES_PER_CHUNK;
		u64 next = min_t(u64, end, (chunk + 1) * PAGES_PER_CHUNK);

		if (chunk < mm->chunks) {
			mm->chunks_free -= !mm->used[chunk];
			if (alloc)
				mm->used[chunk] += next - page;
			else
				mm->used[chunk] -= next - page;
			mm->chunks_free += !mm->used[chunk];
		}
		page = next;
	}
}

static int vram_alloc_blocks(struct tess_pci *tp, u64 size, int near_slice, bool contiguous,
			     struct list_head *blocks)
{
	unsigned long flags = GPU_BUDDY_CLEAR_ALLOCATION |
			      (contiguous ? GPU_BUDDY_CONTIGUOUS_ALLOCATION : 0);
	u64 granule = size % SZ_2M ? SZ_4K : SZ_2M;
	u64 start = near_slice * tp->info.bank_size;
	struct tess_pci_vram *mm = &tp->mm;
	struct gpu_buddy_block *block;
	int rc = -ENOSPC;

	mutex_lock(&mm->lock);
	if (!contiguous && near_slice >= 0 && start < tp->info.vram_size)
		rc = gpu_buddy_alloc_blocks(&mm->buddy, start,
					    min(start + tp->info.bank_size, tp->info.vram_size),
					    size, granule, blocks,
					    GPU_BUDDY_RANGE_ALLOCATION | flags);
	if (rc)
		rc = gpu_buddy_alloc_blocks(&mm->buddy, 0, tp->info.vram_size, size, granule,
					    blocks, flags);
	if (!rc)
		list_for_each_entry(block, blocks, link)
			vram_account(tp, block, true);
	mutex_unlock(&mm->lock);
	return rc;
}

static void vram_free_blocks(struct tess_pci *tp, struct list_head *blocks, bool zeroed)
{
	struct tess_pci_vram *mm = &tp->mm;
	struct gpu_buddy_block *block;

	mutex_lock(&mm->lock);
	list_for_each_entry(block, blocks, link)
		vram_account(tp, block, false);
	gpu_buddy_free_list(&mm->buddy, blocks, zeroed ? GPU_BUDDY_CLEARED : 0);
	mutex_unlock(&mm->lock);
}

static void vram_zero(struct tess_pci *tp, struct list_head *blocks, bool all)
{
	struct gpu_buddy_block *block;

	list_for_each_entry(block, blocks, link) {
		u64 left = gpu_buddy_block_size(&tp->mm.buddy, block);
		u64 off = gpu_buddy_block_offset(block);

		if (!all && gpu_buddy_block_is_clear(block))
			continue;
		while (left && !READ_ONCE(tp->dead)) {
			u64 n = min_t(u64, left, SZ_2M);

			memset_io(tp->vram_bar + off, 0, n);
			off += n;
			left -= n;
			cond_resched();
		}
	}
	/* Write-combined: out of the CPU before anybody is told */
	wmb();
}

/* Neighbouring blocks make one extent */
static int vram_describe(struct tess_pci *tp, struct tess_pci_vram_object *obj)
{
	struct tess_vram *vram = &obj->hw.vram;
	struct gpu_buddy_block *block;
	unsigned int count = 0;

	list_for_each_entry(block, &obj->blocks, link)
		count++;
	vram->extent = kvmalloc_array(count, sizeof(*vram->extent), GFP_KERNEL);
	if (!vram->extent)
		return -ENOMEM;
	list_for_each_entry(block, &obj->blocks, link) {
		u64 size = gpu_buddy_block_size(&tp->mm.buddy, block);
		u64 off = gpu_buddy_block_offset(block);
		struct tess_vram_extent *last = &vram->extent[vram->count] - 1;

		if (vram->count && last->offset + last->size == off)
			last->size += size;
		else
			vram->extent[vram->count++] = (struct tess_vram_extent){ off, size };
		vram->size += size;
	}
	return 0;
}

struct tess_hw_vram *tess_pci_vram_alloc(struct tess_backend *be, u64 size, int near_slice,
					 bool contiguous)
{
	struct tess_pci *tp = to_tess_pci(be);
	struct tess_pci_vram_object *obj;
	int rc;

	obj = kzalloc(sizeof(*obj), GFP_KERNEL);
	if (!obj)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&obj->blocks);
	obj->size = size;
	rc = vram_alloc_blocks(tp, size, near_slice, contiguous, &obj->blocks);
	if (rc)
		goto err_free;
	rc = vram_describe(tp, obj);
	if (rc)
		goto err_blocks;
	if (contiguous && obj->hw.vram.count > 1) {
		rc = -ENOSPC;
		goto err_extents;
	}
	vram_zero(tp, &obj->blocks, false);
	return &obj->hw;

err_extents:
	kvfree(obj->hw.vram.extent);
err_blocks:
	vram_free_blocks(tp, &obj->blocks, false);
err_free:
	kfree(obj);
	return ERR_PTR(rc);
}

void tess_pci_vram_free(struct tess_backend *be, struct tess_hw_vram *hw)
{
	struct tess_pci_vram_object *obj = to_object(hw);
	struct tess_pci *tp = to_tess_pci(be);

	vram_zero(tp, &obj->blocks, true);
	vram_free_blocks(tp, &obj->blocks, true);
	kfree(obj);
}

void tess_pci_vram_clear(struct tess_backend *be, struct tess_hw_vram *hw)
{
	vram_zero(to_tess_pci(be), &to_object(hw)->blocks, true);
}

int tess_pci_vram_read(struct tess_backend *be, u64 offset, void *buf, size_t len)
{
	struct tess_pci *tp = to_tess_pci(be);

	if (READ_ONCE(tp->dead))
		return -ENODEV;
	memcpy_fromio(buf, tp->vram_bar + offset, len);
	/* All ones may be what was there */
	return tess_pci_is_alive(tp) ? 0 : -ENODEV;
}

int tess_pci_vram_write(struct tess_backend *be, u64 offset, const void *buf, size_t len)
{
	struct tess_pci *tp = to_tess_pci(be);

	if (READ_ONCE(tp->dead))
		return -ENODEV;
	memcpy_toio(tp->vram_bar + offset, buf, len);
	/* Write-combined: out of the CPU before anybody is told */
	wmb();
	return 0;
}

u64 tess_pci_vram_free_bytes(struct tess_backend *be, u64 granule)
{
	struct tess_pci_vram *mm = &to_tess_pci(be)->mm;

	if (granule == SZ_2M)
		return READ_ONCE(mm->chunks_free) * SZ_2M;
	return READ_ONCE(mm->buddy.avail);
}

int tess_pci_vram_init(struct tess_pci *tp)
{
	struct tess_pci_vram *mm = &tp->mm;
	int rc;

	mutex_init(&mm->lock);
	if (!tp->info.vram_size)
		return 0;
	mm->chunks = tp->info.vram_size / SZ_2M;
	mm->chunks_free = mm->chunks;
	mm->used = kvcalloc(mm->chunks + 1, sizeof(*mm->used), GFP_KERNEL);
	if (!mm->used)
		return -ENOMEM;
	rc = gpu_buddy_init(&mm->buddy, tp->info.vram_size, SZ_4K);
	if (rc)
		kvfree(mm->used);
	return rc;
}

void tess_pci_vram_fini(struct tess_pci *tp)
{
	if (!tp->info.vram_size)
		return;
	if (tp->mm.chunks_free != tp->mm.chunks)
		dev_err(tp->be.dev, "%llu blocks of VRAM leaked\n",
			tp->mm.chunks - tp->mm.chunks_free);
	gpu_buddy_fini(&tp->mm.buddy);
	kvfree(tp->mm.used);
}
