// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: rounds
 *
 * VRAM is sent while the vGPU runs, and what was written to meanwhile is sent again, round after
 * round, the last one when it stands still. What may have been written to is known by blocks of
 * 2 MiB (tess_mdev_gather()): by the GPU, whose large pages have one D bit, by CPUs that had a
 * block mapped, by resets. So each page of such a block is compared with what was sent of it, by a
 * hash of 64 bits for each page of 4 KiB. The hash has a key that nobody knows: a guest cannot look
 * for pages that have the same one, and would harm only itself.
 *
 * A page that was never anything but zero is not sent, so that zero has the hash 0, and no other
 * page has.
 *
 * What is read while slices and CPUs write may be half old and half new. It is sent all the same,
 * and its block is found by the next round, as it is read after the writes of the round before were
 * gathered.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <tessera/memory.h>
#include <tessera/vgpu.h>
#include "base/format.h"
#include "base/mdev.h"
#include "base/parts.h"
#include "map/area.h"
#include "rounds.h"

#define ROUNDS_PAGE	TESS_MIG_VRAM_PAGE
#define PAGES_AT_ONCE	(TESS_MIG_VRAM_BYTES / ROUNDS_PAGE)
#define PAGES_OF_BLOCK	((unsigned int)(TESS_VRAM_BLOCK / ROUNDS_PAGE))

/**
 * struct tess_mdev_rounds - what is to be sent of VRAM
 * @key: of the hashes
 * @pages: number of pages
 * @sent: hash of each as it was sent; 0: of one that was not, and is zero at the other end
 * @differs: pages that have another one
 * @left: number of them
 * @next: where to look for the next one
 * @blocks: blocks that may have been written to, and were not looked at since
 * @after_first: all was looked at, and all that was found was sent
 * @buf: for TESS_MIG_VRAM_BYTES that are looked at
 */
struct tess_mdev_rounds {
	siphash_key_t key;
	unsigned int pages;
	u64 *sent;
	unsigned long *differs;
	unsigned int left;
	unsigned int next;
	unsigned long *blocks;
	bool after_first;
	void *buf;
};

static bool rounds_alloc(struct tess_mdev_rounds *r)
{
	r->sent = kvcalloc(r->pages, sizeof(*r->sent), GFP_KERNEL_ACCOUNT);
	r->differs = kvcalloc(BITS_TO_LONGS(r->pages), sizeof(long), GFP_KERNEL_ACCOUNT);
	r->blocks = kvcalloc(BITS_TO_LONGS(r->pages / PAGES_OF_BLOCK), sizeof(long),
			     GFP_KERNEL_ACCOUNT);
	r->buf = kvmalloc(TESS_MIG_VRAM_BYTES, GFP_KERNEL_ACCOUNT);
	return r->sent && r->differs && r->blocks && r->buf;
}

struct tess_mdev_rounds *tess_mdev_rounds_begin(struct tess_mdev *tm)
{
	struct tess_mdev_rounds *r;
	int ret = -ENOMEM;

	r = kzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);
	if (!r)
		return ERR_PTR(-ENOMEM);
	get_random_bytes(&r->key, sizeof(r->key));
	r->pages = tm->vram ? tm->vram->size / ROUNDS_PAGE : 0;
	if (!r->pages || rounds_alloc(r))
		ret = tess_mdev_rounds_gather(tm, r);
	if (ret) {
		tess_mdev_rounds_free(r);
		return ERR_PTR(ret);
	}
	/* What was written to before is of no interest: all of it is */
	if (r->pages)
		bitmap_fill(r->blocks, r->pages / PAGES_OF_BLOCK);
	return r;
}

void tess_mdev_rounds_free(struct tess_mdev_rounds *r)
{
	if (!r)
		return;
	kvfree(r->sent);
	kvfree(r->differs);
	kvfree(r->blocks);
	kvfree(r->buf);
	kfree(r);
}

int tess_mdev_rounds_gather(struct tess_mdev *tm, struct tess_mdev_rounds *r)
{
	guard(rwsem_write)(&tm->map_lock);
	return tess_mdev_gather(tm, TESS_MDEV_FOR_FILE, r->blocks);
}

static u64 rounds_hash(const struct tess_mdev_rounds *r, const void *page)
{
	if (!memchr_inv(page, 0, ROUNDS_PAGE))
		return 0;
	return siphash(page, ROUNDS_PAGE, &r->key) ?: 1;
}

static int rounds_read(struct tess_mdev *tm, unsigned int page, void *buf, unsigned int count)
{
	return tess_vram_read(tess_vgpu_gpu(tess_mdev_first(&tm->parts)), tm->vram,
			      (u64)page * ROUNDS_PAGE, buf, (u64)count * ROUNDS_PAGE);
}

static void rounds_judge(struct tess_mdev_rounds *r, unsigned int page, const void *contents)
{
	bool differs = rounds_hash(r, contents) != r->sent[page];

	r->left += differs;
	r->left -= test_bit(page, r->differs);
	__assign_bit(page, r->differs, differs);
}

static int rounds_look_at(struct tess_mdev *tm, struct tess_mdev_rounds *r, unsigned int first)
{
	unsigned int i;
	int ret;

	ret = rounds_read(tm, first, r->buf, PAGES_AT_ONCE);
	for (i = 0; !ret && i < PAGES_AT_ONCE; i++)
		rounds_judge(r, first + i, r->buf + i * ROUNDS_PAGE);
	return ret;
}

int tess_mdev_rounds_look(struct tess_mdev *tm, struct tess_mdev_rounds *r)
{
	unsigned int count = r->pages / PAGES_OF_BLOCK, block, page;
	int ret = 0;

	lockdep_assert_held(&tm->lock);
	block = r->pages ? find_first_bit(r->blocks, count) : count;
	if (block == count && !r->left)
		r->after_first = true;
	if (block == count)
		return 0;
	page = block * PAGES_OF_BLOCK;
	for (count = PAGES_OF_BLOCK; !ret && count; count -= PAGES_AT_ONCE, page += PAGES_AT_ONCE)
		ret = rounds_look_at(tm, r, page);
	if (ret)
		return ret;
	__clear_bit(block, r->blocks);
	return 1;
}

/* How many of those that differ follow each other */
static unsigned int rounds_run(const struct tess_mdev_rounds *r, unsigned int first)
{
	unsigned int most = min(r->pages, first + PAGES_AT_ONCE);

	return find_next_zero_bit(r->differs, most, first) - first;
}

ssize_t tess_mdev_rounds_take(struct tess_mdev *tm, struct tess_mdev_rounds *r, void *buf,
			      u64 *off)
{
	unsigned int first, count, i;
	int ret;

	lockdep_assert_held(&tm->lock);
	if (!r->left)
		return 0;
	first = find_next_bit_wrap(r->differs, r->pages, r->next);
	count = rounds_run(r, first);
	ret = rounds_read(tm, first, buf, count);
	if (ret)
		return ret;
	for (i = 0; i < count; i++)
		r->sent[first + i] = rounds_hash(r, buf + i * ROUNDS_PAGE);
	bitmap_clear(r->differs, first, count);
	r->left -= count;
	r->next = first + count;
	*off = (u64)first * ROUNDS_PAGE;
	return (size_t)count * ROUNDS_PAGE;
}

u64 tess_mdev_rounds_bytes(const struct tess_mdev_rounds *r)
{
	unsigned int blocks = r->pages / PAGES_OF_BLOCK;
	u64 pages = r->left;

	if (blocks)
		pages += (u64)bitmap_weight(r->blocks, blocks) * PAGES_OF_BLOCK;
	return pages * (ROUNDS_PAGE + sizeof(struct tess_mig_record));
}

bool tess_mdev_rounds_first(const struct tess_mdev_rounds *r)
{
	return !r->after_first;
}
