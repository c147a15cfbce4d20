/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_SAVE_H_
#define _TESS_MDEV_SAVE_H_

#include <linux/types.h>

struct file;
struct tess_mdev;

/* Both hold @tm->lock. A file from which is read what it is, which stands still; error pointer */
struct file *tess_mdev_save_begin(struct tess_mdev *tm);
/* Bytes that would be read of it, at most */
u64 tess_mdev_save_size(struct tess_mdev *tm);

#endif
