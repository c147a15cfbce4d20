/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_STATS_H_
#define _TESS_MDEV_STATS_H_

#include <linux/atomic.h>

/**
 * struct tess_mdev_stats - counters of a vGPU, shown in sysfs
 * @pinned_pages: pages of guest memory that are pinned now
 * @stage2_faults: host faults answered with a mapping
 * @stage2_refused: host faults that became access faults of the client
 * @client_faults: faults of the client
 * @completions: completion interrupts
 * @traps: accesses to trapped registers
 * @mmap_faults: page faults on directly mapped pages
 * @zeroed_bytes: VRAM that was zeroed by resets
 * @still_bytes: VRAM that was copied to another GPU while the vGPU stood still
 */
struct tess_mdev_stats {
	atomic64_t pinned_pages;
	atomic64_t stage2_faults;
	atomic64_t stage2_refused;
	atomic64_t client_faults;
	atomic64_t completions;
	atomic64_t traps;
	atomic64_t mmap_faults;
	atomic64_t zeroed_bytes;
	atomic64_t still_bytes;
};

#endif
