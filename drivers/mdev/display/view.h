/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_VIEW_H_
#define _TESS_MDEV_VIEW_H_

struct tess_mdev;

/* The device that viewers of a vGPU open comes and goes */
int tess_mdev_view_add(struct tess_mdev *tm);
void tess_mdev_view_remove(struct tess_mdev *tm);

/* Of the module */
int tess_mdev_view_init(void);
void tess_mdev_view_exit(void);

#endif
