/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_DMABUF_H_
#define _TESS_MDEV_DMABUF_H_

#include <linux/types.h>

struct tess_mdev;
struct tess_mdev_numbered;

void tess_mdev_dmabufs_close(struct tess_mdev *tm);
void tess_mdev_dmabufs_closed(struct tess_mdev *tm);
int tess_mdev_offer_dmabufs(struct tess_mdev *tm, bool offered);
u32 tess_mdev_dmabuf_number(struct tess_mdev *tm, struct tess_mdev_numbered *plane);
long tess_mdev_get_dmabuf(struct tess_mdev *tm, const u32 __user *arg);

#endif
