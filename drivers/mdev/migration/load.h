/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_LOAD_H_
#define _TESS_MDEV_LOAD_H_

struct file;
struct tess_mdev;

/* A file to which is written what it is to be; holds @tm->lock. Error pointer */
struct file *tess_mdev_load_begin(struct tess_mdev *tm);

#endif
