// SPDX-License-Identifier: GPL-2.0-only
/*
 * VRAM.
 *
 * DOC: VRAM
 *
 * gpu_buddy manages VRAM in blocks of 4 KiB and up. A request is first tried in the
 * bank of the slice that it should be near to, then anywhere.
 *
 * Memory is zeroed by the CPU: every client gets zeroes. That takes long, and
 * a process that unmaps a buffer, or the lock under which vGPUs are made and removed, is no place
 * for it. So what is freed goes on a list, and a worker zeroes it, block by block, before it is
 * the buddy allocator's again, which keeps what is known to be zero apart from the rest. Who
 * allocates memory that is not zero zeroes it, as far as it was given such blocks
 * (tess_chip_vram_clear()), outside of all locks.
 *
 * What is on the list counts as free. A request that can not be met without it gets blocks of the
 * list as they are; the worker lets go of the one that it is at. What is left of such blocks may
 * not be zero any more while it is free: it is zeroed when it is allocated, or when the driver
 * leaves the GPU, which somebody else may have next. After start-up nothing is known to be zero.
 *
 * While the system sleeps the worker is disabled, not frozen: the GPU may be taken from the pool
 * meanwhile, and who does that has to be able to wait for the worker. A GPU that may be without
 * power is not written to; its memory is zero when it comes back.
 *
 * How many blocks of 2 MiB are free is counted on the side: vGPUs need memory in such
 * blocks, "can it be had?" must be answered exactly, and the number of free bytes does
 * not tell.
 *
 * A vGPU may have no VRAM: then there is nothing to manage, and the core asks for none.
 */
#include <linux/bitmap.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <tessera/compat.h>

#include "base/chip.h"
#include "vram.h"

#define PAGES_PER_CHUNK	(SZ_2M / SZ_4K)

/**
 * struct tess_chip_vram_object - an allocation
 * @hw: for the core
 * @blocks: of the buddy allocator
 */
struct tess_chip_vram_object {
	struct tess_hw_vram hw;
	struct list_head blocks;
};

static struct tess_chip_vram_object *to_object(struct tess_hw_vram *hw)
{
	return container_of(hw, struct tess_chip_vram_object, hw);
}

/* Keep count of what is allocated in each chunk that a block touches */
static void vram_account(struct tess_chip *chip, struct gpu_buddy_block *block, bool alloc)
{
	struct tess_chip_vram *mm = &chip->mm;
	u64 page = gpu_buddy_block_offset(block) / SZ_4K;
	u64 end = page + gpu_buddy_block_size(&mm->buddy, block) / SZ_4K;

	lockdep_assert_held(&mm->lock);
	if (alloc)
		WRITE_ONCE(mm->bytes_free, mm->bytes_free - (end - page) * SZ_4K);
	else
		WRITE_ONCE(mm->bytes_free, mm->bytes_free + (end - page) * SZ_4K);
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

static bool vram_block_is_in(struct tess_chip *chip, struct gpu_buddy_block *block, u64 start,
			     u64 end)
{
	u64 off = gpu_buddy_block_offset(block);

	return off < end && off + gpu_buddy_block_size(&chip->mm.buddy, block) > start;
}

/* It is free, but not zero */
static void vram_stain(struct tess_chip *chip, struct gpu_buddy_block *block)
{
	u64 off = gpu_buddy_block_offset(block);
	u64 last = off + gpu_buddy_block_size(&chip->mm.buddy, block) - 1;

	bitmap_set(chip->mm.stained, off / SZ_2M, last / SZ_2M - off / SZ_2M + 1);
}

/* Give a dirty block of a range to the buddy allocator as it is; false: there is none */
static bool vram_return_dirty(struct tess_chip *chip, u64 start, u64 end)
{
	struct tess_chip_vram *mm = &chip->mm;
	struct gpu_buddy_block *block;
	LIST_HEAD(found);

	lockdep_assert_held(&mm->lock);
	list_for_each_entry(block, &mm->dirty, link) {
		if (!vram_block_is_in(chip, block, start, end))
			continue;
		vram_stain(chip, block);
		list_move(&block->link, &found);
		gpu_buddy_free_list(&mm->buddy, &found, 0);
		return true;
	}
	block = mm->cleaning;
	if (!block || !vram_block_is_in(chip, block, start, end))
		return false;
	WRITE_ONCE(mm->hurry, true);
	mutex_unlock(&mm->lock);
	wait_event(mm->cleaned, READ_ONCE(mm->cleaning) != block);
	mutex_lock(&mm->lock);
	return true;
}

static int vram_take_blocks(struct tess_chip *chip, u64 start, u64 end, u64 size,
			    unsigned long flags, struct list_head *blocks)
{
	u64 granule = size % SZ_2M ? SZ_4K : SZ_2M;
	int rc;

	do {
		rc = gpu_buddy_alloc_blocks(&chip->mm.buddy, start, end, size, granule, blocks,
					    flags);
	} while (rc && vram_return_dirty(chip, start, end));
	return rc;
}

static int vram_alloc_blocks(struct tess_chip *chip, u64 size, int near_slice, bool contiguous,
			     struct list_head *blocks)
{
	unsigned long flags = GPU_BUDDY_CLEAR_ALLOCATION |
			      (contiguous ? GPU_BUDDY_CONTIGUOUS_ALLOCATION : 0);
	u64 start = near_slice * chip->info.bank_size, end = chip->info.vram_size;
	struct tess_chip_vram *mm = &chip->mm;
	struct gpu_buddy_block *block;
	int rc = -ENOSPC;

	/* Nobody can zero it */
	if (READ_ONCE(chip->be.asleep))
		return -EBUSY;
	mutex_lock(&mm->lock);
	if (!contiguous && near_slice >= 0 && start < end)
		rc = vram_take_blocks(chip, start, min(start + chip->info.bank_size, end), size,
				      GPU_BUDDY_RANGE_ALLOCATION | flags, blocks);
	if (rc)
		rc = vram_take_blocks(chip, 0, end, size, flags, blocks);
	if (!rc)
		list_for_each_entry(block, blocks, link)
			vram_account(chip, block, true);
	mutex_unlock(&mm->lock);
	return rc;
}

static void vram_free_blocks(struct tess_chip *chip, struct list_head *blocks)
{
	struct tess_chip_vram *mm = &chip->mm;
	struct gpu_buddy_block *block;

	mutex_lock(&mm->lock);
	list_for_each_entry(block, blocks, link)
		vram_account(chip, block, false);
	list_splice_tail_init(blocks, &mm->dirty);
	mutex_unlock(&mm->lock);
	queue_work(mm->wq, &mm->cleaner);
}

/* 0: it can be accessed */
static int vram_access_error(const struct tess_chip *chip)
{
	if (READ_ONCE(chip->dead))
		return -ENODEV;
	return READ_ONCE(chip->be.asleep) ? -EBUSY : 0;
}

/* -EAGAIN: @hurry was set meanwhile. On an error not all of it is zero */
static int vram_zero_range(struct tess_chip *chip, u64 off, u64 left, const bool *hurry)
{
	while (left) {
		u64 n = min_t(u64, left, SZ_2M);
		int rc = vram_access_error(chip);

		if (!rc && hurry && READ_ONCE(*hurry))
			rc = -EAGAIN;
		if (rc)
			return rc;
		memset_io(chip->params.vram + off, 0, n);
		off += n;
		left -= n;
		cond_resched();
	}
	/* Write-combined: out of the CPU before anybody is told */
	wmb();
	return 0;
}

static int vram_zero_block(struct tess_chip *chip, struct gpu_buddy_block *block,
			   const bool *hurry)
{
	return vram_zero_range(chip, gpu_buddy_block_offset(block),
			       gpu_buddy_block_size(&chip->mm.buddy, block), hurry);
}

static struct gpu_buddy_block *vram_next_dirty(struct tess_chip_vram *mm)
{
	lockdep_assert_held(&mm->lock);
	if (mm->paused)
		return NULL;
	return list_first_entry_or_null(&mm->dirty, struct gpu_buddy_block, link);
}

static void vram_clean(struct tess_chip *chip)
{
	struct tess_chip_vram *mm = &chip->mm;
	struct gpu_buddy_block *block;
	LIST_HEAD(done);
	bool zeroed;

	mutex_lock(&mm->lock);
	while ((block = vram_next_dirty(mm))) {
		list_del(&block->link);
		mm->cleaning = block;
		mm->hurry = false;
		mutex_unlock(&mm->lock);
		zeroed = !vram_zero_block(chip, block, &mm->hurry);
		mutex_lock(&mm->lock);
		if (!zeroed)
			vram_stain(chip, block);
		list_add(&block->link, &done);
		gpu_buddy_free_list(&mm->buddy, &done, zeroed ? GPU_BUDDY_CLEARED : 0);
		WRITE_ONCE(mm->cleaning, NULL);
		wake_up_all(&mm->cleaned);
	}
	mutex_unlock(&mm->lock);
}

static void vram_clean_work(struct work_struct *work)
{
	vram_clean(container_of(work, struct tess_chip, mm.cleaner));
}

void tess_chip_pause(struct tess_chip *chip)
{
	struct tess_chip_vram *mm = &chip->mm;

	if (!chip->info.vram_size)
		return;
	mutex_lock(&mm->lock);
	mm->paused = true;
	WRITE_ONCE(mm->hurry, true);
	mutex_unlock(&mm->lock);
	disable_work_sync(&mm->cleaner);
}
EXPORT_SYMBOL_NS_GPL(tess_chip_pause, TESS_NS);

void tess_chip_continue(struct tess_chip *chip)
{
	struct tess_chip_vram *mm = &chip->mm;

	if (!chip->info.vram_size)
		return;
	mutex_lock(&mm->lock);
	mm->paused = false;
	mutex_unlock(&mm->lock);
	enable_work(&mm->cleaner);
	queue_work(mm->wq, &mm->cleaner);
}
EXPORT_SYMBOL_NS_GPL(tess_chip_continue, TESS_NS);

/* Neighbouring blocks make one extent */
static int vram_describe(struct tess_chip *chip, struct tess_chip_vram_object *obj)
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
		u64 size = gpu_buddy_block_size(&chip->mm.buddy, block);
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

struct tess_hw_vram *tess_chip_vram_alloc(struct tess_backend *be, u64 size, int near_slice,
					  bool contiguous)
{
	struct tess_chip *chip = to_tess_chip(be);
	struct tess_chip_vram_object *obj;
	int rc;

	obj = kzalloc(sizeof(*obj), GFP_KERNEL);
	if (!obj)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&obj->blocks);
	rc = vram_alloc_blocks(chip, size, near_slice, contiguous, &obj->blocks);
	if (rc)
		goto err_free;
	rc = vram_describe(chip, obj);
	if (rc)
		goto err_blocks;
	if (contiguous && obj->hw.vram.count > 1) {
		rc = -ENOSPC;
		goto err_extents;
	}
	return &obj->hw;

err_extents:
	kvfree(obj->hw.vram.extent);
err_blocks:
	vram_free_blocks(chip, &obj->blocks);
err_free:
	kfree(obj);
	return ERR_PTR(rc);
}

void tess_chip_vram_free(struct tess_backend *be, struct tess_hw_vram *hw)
{
	struct tess_chip_vram_object *obj = to_object(hw);

	vram_free_blocks(to_tess_chip(be), &obj->blocks);
	kvfree(obj->hw.vram.extent);
	kfree(obj);
}

int tess_chip_vram_clear(struct tess_backend *be, struct tess_hw_vram *hw)
{
	struct tess_chip *chip = to_tess_chip(be);
	struct gpu_buddy_block *block;
	int rc;

	list_for_each_entry(block, &to_object(hw)->blocks, link) {
		rc = gpu_buddy_block_is_clear(block) ? 0 : vram_zero_block(chip, block, NULL);
		if (rc)
			return rc;
	}
	return 0;
}

int tess_chip_vram_zero(struct tess_backend *be, u64 offset, u64 size)
{
	return vram_zero_range(to_tess_chip(be), offset, size, NULL);
}

int tess_chip_vram_read(struct tess_backend *be, u64 offset, void *buf, size_t len)
{
	struct tess_chip *chip = to_tess_chip(be);
	int rc = vram_access_error(chip);

	if (rc)
		return rc;
	memcpy_fromio(buf, chip->params.vram + offset, len);
	/* All ones may be what was there */
	return tess_chip_is_alive(chip) ? 0 : -ENODEV;
}

int tess_chip_vram_write(struct tess_backend *be, u64 offset, const void *buf, size_t len)
{
	struct tess_chip *chip = to_tess_chip(be);
	int rc = vram_access_error(chip);

	if (rc)
		return rc;
	memcpy_toio(chip->params.vram + offset, buf, len);
	/* Write-combined: out of the CPU before anybody is told */
	wmb();
	return 0;
}

u64 tess_chip_vram_free_bytes(struct tess_backend *be, u64 granule)
{
	struct tess_chip_vram *mm = &to_tess_chip(be)->mm;

	if (granule == SZ_2M)
		return READ_ONCE(mm->chunks_free) * SZ_2M;
	return READ_ONCE(mm->bytes_free);
}

/**
 * tess_chip_vram_is_used() - may somebody have this memory?
 * @chip: device
 * @off: in VRAM
 *
 * Return: false if the block of 2 MiB that it is in is free.
 */
bool tess_chip_vram_is_used(struct tess_chip *chip, u64 off)
{
	struct tess_chip_vram *mm = &chip->mm;
	u64 chunk = off / SZ_2M;

	/* What is behind the last block is not counted */
	return chunk >= mm->chunks || READ_ONCE(mm->used[chunk]);
}

static int vram_init_buddy(struct tess_chip *chip)
{
	struct tess_chip_vram *mm = &chip->mm;
	int rc = -ENOMEM;

	/* One for a rest that is smaller than a chunk */
	mm->used = kvcalloc(mm->chunks + 1, sizeof(*mm->used), GFP_KERNEL);
	mm->stained = kvcalloc(BITS_TO_LONGS(mm->chunks + 1), sizeof(*mm->stained), GFP_KERNEL);
	if (mm->used && mm->stained)
		rc = gpu_buddy_init(&mm->buddy, chip->info.vram_size, SZ_4K);
	if (rc) {
		kvfree(mm->stained);
		kvfree(mm->used);
	}
	return rc;
}

int tess_chip_vram_init(struct tess_chip *chip)
{
	struct tess_chip_vram *mm = &chip->mm;
	int rc;

	mutex_init(&mm->lock);
	if (!chip->info.vram_size)
		return 0;
	INIT_LIST_HEAD(&mm->dirty);
	mm->paused = false;
	INIT_WORK(&mm->cleaner, vram_clean_work);
	init_waitqueue_head(&mm->cleaned);
	mm->chunks = chip->info.vram_size / SZ_2M;
	mm->chunks_free = mm->chunks;
	mm->bytes_free = chip->info.vram_size;
	/* Not freezable: tess_chip_vram_fini() waits for it, also while the system sleeps */
	mm->wq = alloc_workqueue("tessera_vram", WQ_UNBOUND, 1);
	if (!mm->wq)
		return -ENOMEM;
	rc = vram_init_buddy(chip);
	if (rc)
		destroy_workqueue(mm->wq);
	return rc;
}

/* Nothing of former owners is left for whoever has the GPU next */
static void vram_zero_stained(struct tess_chip *chip)
{
	struct tess_chip_vram *mm = &chip->mm;
	u64 size = chip->info.vram_size;
	unsigned long chunk;

	for_each_set_bit(chunk, mm->stained, mm->chunks + 1) {
		u64 off = (u64)chunk * SZ_2M;

		if (!mm->used[chunk] && off < size)
			vram_zero_range(chip, off, min_t(u64, size - off, SZ_2M), NULL);
	}
}

void tess_chip_vram_fini(struct tess_chip *chip)
{
	struct tess_chip_vram *mm = &chip->mm;

	if (!chip->info.vram_size)
		return;
	disable_work_sync(&mm->cleaner);
	destroy_workqueue(mm->wq);
	mm->paused = false;
	vram_clean(chip);
	vram_zero_stained(chip);
	if (mm->chunks_free != mm->chunks)
		dev_err(chip->be.dev, "%llu blocks of VRAM leaked\n", mm->chunks - mm->chunks_free);
	gpu_buddy_fini(&mm->buddy);
	kvfree(mm->stained);
	kvfree(mm->used);
}
