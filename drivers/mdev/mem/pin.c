// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: pins
 *
 * VFIO pins and unpins memory of the guest, and takes as long for it as the VMM likes: the memory
 * may be a file of a file system that the VMM serves itself, and two threads of a VMM can hold
 * VFIO's locks against each other for ever. Nobody but the VMM's own threads, and work for its own
 * vslices, may wait for that. So no lock of the vGPU is held while VFIO is called. Each pin goes
 * through three steps instead:
 *
 * 1. *Reserve*, under &tess_mdev_dma.lock: it is entered in &tess_mdev_dma.busy.
 * 2. *Pin*, without a lock.
 * 3. *Publish*, under the lock again, unless the pages were taken away meanwhile
 *    (&tess_mdev_pin.stale): then it is unpinned, and only then leaves the list.
 *
 * Whoever takes pages away recalls those that are coming, and makes what was published unreachable
 * under the lock. It is *dropped* by that: unpinned by whoever has no lock next. That is the VMM's
 * thread that made the reset, closes the device or unmaps the memory; when a GPU is gone it is a
 * work item. The VMM's call to unmap, and close, return when nothing of what they took away is
 * pinned any more.
 */
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vfio.h>
#include <linux/wait.h>
#include "base/mdev.h"
#include "pin.h"

#define QUIET		msecs_to_jiffies(20)

/**
 * tess_mdev_pins_ended() - those who wait for a change look again
 * @dma: guest memory
 */
void tess_mdev_pins_ended(struct tess_mdev_dma *dma)
{
	lockdep_assert_held(&dma->lock);
	WRITE_ONCE(dma->ended, dma->ended + 1);
	wake_up_all(&dma->wait);
}

/**
 * tess_mdev_pin_begin() - VFIO is about to be called
 * @tm: vGPU
 * @pin: pages
 */
void tess_mdev_pin_begin(struct tess_mdev *tm, struct tess_mdev_pin *pin)
{
	lockdep_assert_held(&tm->dma.lock);
	list_add_tail(&pin->link, &tm->dma.busy);
}

/**
 * tess_mdev_pin_end() - VFIO has done it
 * @tm: vGPU
 * @pin: pages
 */
void tess_mdev_pin_end(struct tess_mdev *tm, struct tess_mdev_pin *pin)
{
	lockdep_assert_held(&tm->dma.lock);
	list_del_init(&pin->link);
	tess_mdev_pins_ended(&tm->dma);
}

/**
 * tess_mdev_pin_drop() - leave pages to tess_mdev_pins_give_back()
 * @tm: vGPU
 * @pin: pages that nobody reaches any more; freed with them
 */
void tess_mdev_pin_drop(struct tess_mdev *tm, struct tess_mdev_pin *pin)
{
	lockdep_assert_held(&tm->dma.lock);
	list_add_tail(&pin->link, &tm->dma.dropped);
	WRITE_ONCE(tm->dma.owed, true);
}

/**
 * tess_mdev_pins_recall() - nobody may use pages that are coming
 * @tm: vGPU
 * @first: page number
 * @last: page number
 *
 * Return: true if there are some.
 */
bool tess_mdev_pins_recall(struct tess_mdev *tm, u64 first, u64 last)
{
	struct tess_mdev_pin *pin;
	bool found = false;

	lockdep_assert_held(&tm->dma.lock);
	list_for_each_entry(pin, &tm->dma.busy, link) {
		if (!tess_mdev_pin_overlaps(pin, first, last))
			continue;
		pin->stale = true;
		found = true;
	}
	return found;
}

long tess_mdev_pins_wait(struct tess_mdev_dma *dma, long timeout)
{
	unsigned int ended = dma->ended;

	lockdep_assert_held(&dma->lock);
	mutex_unlock(&dma->lock);
	timeout = wait_event_timeout(dma->wait, READ_ONCE(dma->ended) != ended, timeout);
	mutex_lock(&dma->lock);
	return timeout;
}

/**
 * tess_mdev_pins_pause() - no memory is pinned for a short time
 * @dma: guest memory
 *
 * While VFIO removes a mapping it drops its lock to have the pages unpinned, and repeats
 * that if it finds pins again; after a few times it takes that for a bug and stops the
 * kernel. A GPU that keeps touching the memory must not make new pins that fast: after
 * an unmap there is a short time without.
 */
void tess_mdev_pins_pause(struct tess_mdev_dma *dma)
{
	lockdep_assert_held(&dma->lock);
	WRITE_ONCE(dma->quiet_until, jiffies + QUIET);
}

/**
 * tess_mdev_pins_paused() - how long is no memory to be pinned?
 * @dma: guest memory
 *
 * Return: jiffies, 0: it can be pinned.
 */
unsigned long tess_mdev_pins_paused(const struct tess_mdev_dma *dma)
{
	unsigned long left = READ_ONCE(dma->quiet_until) - jiffies;

	return left <= QUIET ? left : 0;
}

/**
 * tess_mdev_pins_settle() - wait until memory can be pinned
 * @tm: vGPU
 */
void tess_mdev_pins_settle(struct tess_mdev *tm)
{
	unsigned long left = tess_mdev_pins_paused(&tm->dma);

	if (left)
		schedule_timeout_uninterruptible(left);
}

static void pin_assert_unlocked(const struct tess_mdev *tm)
{
	lockdep_assert_not_held(&tm->shape.lock);
	lockdep_assert_not_held(&tm->lock);
	lockdep_assert_not_held(&tm->dma.lock);
}

/**
 * tess_mdev_pin() - have pages pinned, all or nothing
 * @tm: vGPU
 * @pin: pages, in tess_mdev_dma.busy
 * @prot: IOMMU_READ, IOMMU_WRITE
 * @pages: result
 *
 * Return: 0; what vfio_pin_pages() returns; -EFAULT not all are there.
 */
int tess_mdev_pin(struct tess_mdev *tm, struct tess_mdev_pin *pin, int prot, struct page **pages)
{
	u64 iova = pin->first << PAGE_SHIFT;
	int ret;

	pin_assert_unlocked(tm);
	ret = vfio_pin_pages(&tm->vdev, iova, pin->npages, prot, pages);
	if (ret == pin->npages) {
		atomic64_add(ret, &tm->stats.pinned_pages);
		return 0;
	}
	if (ret > 0)
		vfio_unpin_pages(&tm->vdev, iova, ret);
	return ret < 0 ? ret : -EFAULT;
}

/**
 * tess_mdev_unpin() - the contrary of tess_mdev_pin()
 * @tm: vGPU
 * @pin: pages, in tess_mdev_dma.busy
 */
void tess_mdev_unpin(struct tess_mdev *tm, struct tess_mdev_pin *pin)
{
	pin_assert_unlocked(tm);
	vfio_unpin_pages(&tm->vdev, pin->first << PAGE_SHIFT, pin->npages);
	atomic64_sub(pin->npages, &tm->stats.pinned_pages);
}

static struct tess_mdev_pin *pin_take_dropped(struct tess_mdev *tm)
{
	struct tess_mdev_pin *pin;

	guard(mutex)(&tm->dma.lock);
	pin = list_first_entry_or_null(&tm->dma.dropped, struct tess_mdev_pin, link);
	if (pin)
		list_move_tail(&pin->link, &tm->dma.busy);
	return pin;
}

/**
 * tess_mdev_pins_give_back() - unpin what was dropped
 * @tm: vGPU
 */
void tess_mdev_pins_give_back(struct tess_mdev *tm)
{
	struct tess_mdev_pin *pin;

	while ((pin = pin_take_dropped(tm))) {
		tess_mdev_unpin(tm, pin);
		scoped_guard(mutex, &tm->dma.lock)
			tess_mdev_pin_end(tm, pin);
		kfree(pin);
	}
}

static bool pin_is_busy(const struct tess_mdev_dma *dma, u64 first, u64 last)
{
	const struct tess_mdev_pin *pin;

	list_for_each_entry(pin, &dma->busy, link)
		if (tess_mdev_pin_overlaps(pin, first, last))
			return true;
	return false;
}

/**
 * tess_mdev_pins_finish() - unpin what was dropped, and wait for others that do
 * @tm: vGPU
 * @first: page number
 * @last: page number; all between them were recalled or dropped
 */
void tess_mdev_pins_finish(struct tess_mdev *tm, u64 first, u64 last)
{
	struct tess_mdev_dma *dma = &tm->dma;

	tess_mdev_pins_give_back(tm);
	guard(mutex)(&dma->lock);
	while (pin_is_busy(dma, first, last))
		tess_mdev_pins_wait(dma, MAX_SCHEDULE_TIMEOUT);
}
