/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_PIN_H_
#define _TESS_MDEV_PIN_H_

#include <linux/list.h>
#include <linux/types.h>

struct page;
struct tess_mdev;
struct tess_mdev_dma;

/**
 * struct tess_mdev_pin - pages of the guest that are pinned together
 * @link: in tess_mdev_dma.busy while VFIO is called for it, or in tess_mdev_dma.dropped; empty
 *	while the pages are in use. Under tess_mdev_dma.lock
 * @first: page number in the guest
 * @npages: number of pages
 * @stale: the VMM or a reset took the pages away while they were being pinned. Under
 *	tess_mdev_dma.lock
 *
 * Is the first member of what is freed with it, by kfree().
 */
struct tess_mdev_pin {
	struct list_head link;
	u64 first;
	unsigned int npages;
	bool stale;
};

static inline u64 tess_mdev_pin_last(const struct tess_mdev_pin *pin)
{
	return pin->first + pin->npages - 1;
}

static inline bool tess_mdev_pin_overlaps(const struct tess_mdev_pin *pin, u64 first, u64 last)
{
	return pin->first <= last && tess_mdev_pin_last(pin) >= first;
}

/* All of these hold @tm->dma.lock */
void tess_mdev_pins_ended(struct tess_mdev_dma *dma);
void tess_mdev_pins_pause(struct tess_mdev_dma *dma);
void tess_mdev_pin_begin(struct tess_mdev *tm, struct tess_mdev_pin *pin);
void tess_mdev_pin_end(struct tess_mdev *tm, struct tess_mdev_pin *pin);
void tess_mdev_pin_drop(struct tess_mdev *tm, struct tess_mdev_pin *pin);
bool tess_mdev_pins_recall(struct tess_mdev *tm, u64 first, u64 last);
/* Drops @dma->lock until something has ended; what is left of @timeout, in jiffies */
long tess_mdev_pins_wait(struct tess_mdev_dma *dma, long timeout);

unsigned long tess_mdev_pins_paused(const struct tess_mdev_dma *dma);

/* No lock of the vGPU is held in these */
void tess_mdev_pins_settle(struct tess_mdev *tm);
int tess_mdev_pin(struct tess_mdev *tm, struct tess_mdev_pin *pin, int prot, struct page **pages);
void tess_mdev_unpin(struct tess_mdev *tm, struct tess_mdev_pin *pin);
void tess_mdev_pins_give_back(struct tess_mdev *tm);
void tess_mdev_pins_finish(struct tess_mdev *tm, u64 first, u64 last);

#endif
