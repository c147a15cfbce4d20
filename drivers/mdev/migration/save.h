/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_SAVE_H_
#define _TESS_MDEV_SAVE_H_

#include <linux/types.h>

struct file;
struct tess_mdev;

/* A file from which is read what it is; error pointer. Holds @tm->lock */
struct file *tess_mdev_save_begin(struct tess_mdev *tm);
/* Bytes that would have to be read if it were stopped now, at most: 0, -ENODEV, -EINTR */
int tess_mdev_save_size(struct tess_mdev *tm, u64 *size);

#endif
