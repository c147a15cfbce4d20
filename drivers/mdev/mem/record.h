/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_RECORD_H_
#define _TESS_MDEV_RECORD_H_

#include <linux/types.h>

struct tess_mdev;
struct tess_vgpu;

/* The client may have written TESS_SREG_COMPLETION; holds @tm->lock */
void tess_mdev_record_update(struct tess_mdev *tm, unsigned int vslice);
/* Pin those that are wanted, without locks */
void tess_mdev_records_pin(struct tess_mdev *tm);
/* All of these hold @tm->dma.lock */
void tess_mdev_records_restore(struct tess_mdev *tm, u64 first, u64 last);
bool tess_mdev_records_unmap(struct tess_mdev *tm, u64 first, u64 last);
void tess_mdev_records_drop(struct tess_mdev *tm);
/* As tess_mdev_dma_commit() */
void tess_mdev_records_commit(struct tess_mdev *tm, struct tess_vgpu *before);

#endif
