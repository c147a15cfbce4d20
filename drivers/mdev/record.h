/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_RECORD_H_
#define _TESS_MDEV_RECORD_H_

#include <linux/types.h>

struct page;
struct tess_mdev;
struct tess_vgpu;

/**
 * struct tess_mdev_record - where a vslice reports completions
 * @gpa: client-physical address, 0: none
 * @page: page of the guest that is pinned for it; NULL if it is VRAM
 * @map: its mapping in the kernel; NULL: the memory is not there (any more)
 * @next: mapping of the same VRAM on another GPU, while the client is about to go there
 */
struct tess_mdev_record {
	u64 gpa;
	struct page *page;
	void *map;
	void *next;
};

/* The client may have written TESS_SREG_COMPLETION; holds @tm->lock */
void tess_mdev_record_update(struct tess_mdev *tm, unsigned int vslice);
/* All of these hold @tm->dma.lock */
void tess_mdev_records_restore(struct tess_mdev *tm, u64 first, u64 last);
bool tess_mdev_records_unmap(struct tess_mdev *tm, u64 first, u64 last);
void tess_mdev_records_drop(struct tess_mdev *tm);
/* As tess_mdev_dma_prepare(), _cancel(), _commit() */
int tess_mdev_records_prepare(struct tess_mdev *tm, const struct tess_vgpu *next);
void tess_mdev_records_cancel(struct tess_mdev *tm);
void tess_mdev_records_commit(struct tess_mdev *tm, struct tess_vgpu *before);

#endif
