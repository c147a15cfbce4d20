// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: the composition page
 *
 * The composition page exists twice. The host keeps one that only it sees and answers
 * from it; the other is mapped into the guest. A mapping that is read-only would make
 * a stray store of the guest fatal for the VM, so that page is writable: what a guest
 * stores there only deceives itself, until the next change or reset.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <tessera/hw/tess_mem.h>
#include "mdev.h"
#include "page.h"
#include "parts.h"

/*
 * Publish the composition to the guest, seqlock-style. The sequence number comes from
 * the host's copy: the guest's can hold anything.
 */
static void page_publish_locked(struct tess_mdev_page *page)
{
	struct tess_composition *mapped = page_address(page->mapped);
	u64 seq = le64_to_cpu(page->comp->seq);

	lockdep_assert_held(&page->lock);
	page->comp->seq = cpu_to_le64(seq + 1);
	WRITE_ONCE(mapped->seq, page->comp->seq);
	smp_wmb(); /* odd before the contents, for readers in the guest */
	memcpy(mapped, page->comp, sizeof(*mapped));
	smp_wmb(); /* contents before even */
	page->comp->seq = cpu_to_le64(seq + 2);
	WRITE_ONCE(mapped->seq, page->comp->seq);
}

static void page_fill_locked(struct tess_mdev *tm)
{
	struct tess_mdev_page *page = &tm->page;

	lockdep_assert_held(&page->lock);
	page->comp->generation = cpu_to_le64(1);
	tess_mdev_parts_composition(&tm->parts, page->scratch, page->comp);
	/* It grows as long as there is the device, whatever it is made of */
	le64_add_cpu(&page->comp->generation, page->base);
}

bool tess_mdev_page_refresh(struct tess_mdev *tm)
{
	struct tess_mdev_page *page = &tm->page;

	guard(mutex)(&page->lock);
	if (!page->held)
		page_fill_locked(tm);
	page_publish_locked(page);
	return !page->held;
}

void tess_mdev_page_hold(struct tess_mdev *tm)
{
	guard(mutex)(&tm->page.lock);
	tm->page.held = true;
}

bool tess_mdev_page_release(struct tess_mdev *tm, const struct tess_blueprint *bp)
{
	struct tess_mdev_page *page = &tm->page;
	u64 before, now;

	guard(mutex)(&page->lock);
	page->held = false;
	if (bp)
		tm->parts.blueprint = *bp;
	before = le64_to_cpu(page->comp->generation);
	page_fill_locked(tm);
	now = le64_to_cpu(page->comp->generation);
	if (now == before)
		return false;
	/* One more, however many parts are others */
	page->base -= now - before - 1;
	page->comp->generation = cpu_to_le64(before + 1);
	page_publish_locked(page);
	return true;
}

void tess_mdev_page_arrive(struct tess_mdev *tm, u64 generation)
{
	struct tess_mdev_page *page = &tm->page;

	guard(mutex)(&page->lock);
	page->base += generation + 1 - le64_to_cpu(page->comp->generation);
	if (!page->held)
		page_fill_locked(tm);
	page_publish_locked(page);
}

u64 tess_mdev_page_generation(struct tess_mdev *tm)
{
	guard(mutex)(&tm->page.lock);
	return le64_to_cpu(tm->page.comp->generation);
}

u32 tess_mdev_page_heads(struct tess_mdev *tm)
{
	guard(mutex)(&tm->page.lock);
	return le32_to_cpu(tm->page.comp->heads);
}

void tess_mdev_page_exchange(struct tess_mdev *tm, struct tess_mdev_parts *parts)
{
	struct tess_mdev_page *page = &tm->page;

	mutex_lock(&page->lock);
	swap(tm->parts, *parts);
	page->base = le64_to_cpu(page->comp->generation);
	memset(page->comp, 0, sizeof(*page->comp));
	mutex_unlock(&page->lock);
}

void tess_mdev_page_continue(struct tess_mdev *tm, struct tess_mdev_parts *parts)
{
	guard(mutex)(&tm->page.lock);
	swap(tm->parts, *parts);
}

int tess_mdev_page_init(struct tess_mdev *tm)
{
	struct tess_mdev_page *page = &tm->page;

	BUILD_BUG_ON(sizeof(struct tess_composition) > TESS_PAGE_SIZE);
	mutex_init(&page->lock);
	page->comp = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	page->scratch = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	page->mapped = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!page->comp || !page->scratch || !page->mapped) {
		tess_mdev_page_fini(tm);
		return -ENOMEM;
	}
	return 0;
}

void tess_mdev_page_fini(struct tess_mdev *tm)
{
	if (tm->page.mapped)
		__free_page(tm->page.mapped);
	free_page((unsigned long)tm->page.scratch);
	free_page((unsigned long)tm->page.comp);
	tm->page.mapped = NULL;
	tm->page.scratch = NULL;
	tm->page.comp = NULL;
}

void tess_mdev_page_reset(struct tess_mdev *tm)
{
	memset(page_address(tm->page.mapped), 0, PAGE_SIZE);
	tess_mdev_page_refresh(tm);
}
