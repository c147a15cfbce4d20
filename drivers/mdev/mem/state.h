/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_MEM_STATE_H_
#define _TESS_MDEV_MEM_STATE_H_

#include <linux/list.h>
#include <linux/maple_tree.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

struct tess_mdev_pin;

/**
 * struct tess_mdev_log - which pages of the guest did the GPU write to?
 * @on: somebody asks. Under &tess_mdev_dma.lock
 * @all: it is not known any more: all of them, until nobody asks
 * @pages: those that were written to and were not told yet, in groups (log.c)
 */
struct tess_mdev_log {
	bool on;
	bool all;
	struct xarray pages;
};

/**
 * struct tess_mdev_dma - what the GPU reaches for a vGPU
 * @lock: protects all, the records, the stage 2 of the parts and the DMA mappings of @chunks;
 *	never held over a call of VFIO
 * @open: guest memory can be pinned
 * @owed: there is something for tess_mdev_dma_follow(), who asks without the lock
 * @faults: call-backs that bring memory just now, or wait for memory that another one brings
 * @chunks: struct tess_mdev_chunk by page number, ranges that do not overlap
 * @busy: struct tess_mdev_pin for which VFIO is called just now
 * @dropped: struct tess_mdev_pin that are to be unpinned by whoever has no lock next
 * @wait: those who wait for a call of VFIO, or a call-back, to end
 * @ended: how many did
 * @quiet_until: jiffies before which nothing is pinned, see tess_mdev_pins_paused()
 * @log: for who copies guest memory while the GPU runs
 * @give_back: unpins what a GPU that is gone has left
 */
struct tess_mdev_dma {
	struct mutex lock;
	bool open;
	bool owed;
	unsigned int faults;
	struct maple_tree chunks;
	struct list_head busy;
	struct list_head dropped;
	wait_queue_head_t wait;
	unsigned int ended;
	unsigned long quiet_until;
	struct tess_mdev_log log;
	struct work_struct give_back;
};

/**
 * struct tess_mdev_record - where a vslice reports completions
 * @gpa: client-physical address, 0: none
 * @wanted: its page is to be pinned by tess_mdev_records_pin()
 * @pin: page of the guest that is pinned for it
 * @map: its mapping in the kernel; NULL: the memory is not there (any more), or is VRAM
 */
struct tess_mdev_record {
	u64 gpa;
	bool wanted;
	struct tess_mdev_pin *pin;
	void *map;
};

#endif
