/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_MEM_STATE_H_
#define _TESSERA_CHIP_MEM_STATE_H_

#include <linux/gpu_buddy.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct tess_chip_as;

/**
 * struct tess_chip_stage2 - stage 2 of a slice
 * @now: that it uses, or NULL
 * @next: that it may use instead, while that is uncertain, or NULL
 */
struct tess_chip_stage2 {
	struct tess_chip_as *now;
	struct tess_chip_as *next;
};

/**
 * struct tess_chip_vram - allocator of VRAM
 * @lock: protects the buddy allocator and the numbers below. Innermost
 * @buddy: free and allocated blocks; knows which free ones are zero
 * @used: allocated 4 KiB pages of each block of 2 MiB; one more for what is left behind the last
 * @stained: bitmap of the same: somebody had it, and it may not be zero although it is free
 * @chunks: blocks of 2 MiB
 * @chunks_free: those in which nothing is allocated
 * @bytes_free: not allocated
 * @dirty: blocks that are free for everybody but @buddy, and not zero
 * @cleaning: the one that @cleaner is at, or NULL
 * @hurry: somebody waits for @cleaning, zero or not
 * @paused: @cleaner does nothing for now
 * @cleaned: woken when @cleaning changes
 * @cleaner: zeroes what is in @dirty
 * @wq: where it does so
 */
struct tess_chip_vram {
	struct mutex lock;
	struct gpu_buddy buddy;
	u16 *used;
	unsigned long *stained;
	u64 chunks;
	u64 chunks_free;
	u64 bytes_free;
	struct list_head dirty;
	struct gpu_buddy_block *cleaning;
	bool hurry;
	bool paused;
	wait_queue_head_t cleaned;
	struct work_struct cleaner;
	struct workqueue_struct *wq;
};

#endif
