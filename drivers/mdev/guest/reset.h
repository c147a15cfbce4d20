/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_RESET_H_
#define _TESS_MDEV_RESET_H_

struct tess_mdev;

/* All of these hold @tm->lock; after the two last, tess_mdev_dma_follow() is called without it */
void tess_mdev_bars_reset(struct tess_mdev *tm);
void tess_mdev_reset_gpu(struct tess_mdev *tm);
void tess_mdev_reset_function(struct tess_mdev *tm);

#endif
