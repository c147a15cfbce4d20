/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_STOP_H_
#define _TESS_MDEV_STOP_H_

struct tess_mdev;
struct tess_reason;

/* Both hold @tm->lock. Nothing runs until the other; -EOPNOTSUPP, -EBUSY, -ENOMEM, -ENODEV */
int tess_mdev_stop(struct tess_mdev *tm, struct tess_reason *reason);
/* It runs, whatever it was: no file reads or writes what it is any more */
void tess_mdev_go(struct tess_mdev *tm);

#endif
