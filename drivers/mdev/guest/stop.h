/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_STOP_H_
#define _TESS_MDEV_STOP_H_

struct tess_mdev;
struct tess_reason;

/* All hold @tm->lock. Can it be stopped? -EOPNOTSUPP, -ENODEV */
int tess_mdev_can_stop(const struct tess_mdev *tm, struct tess_reason *reason);
/* Nothing runs until the next; as the former, -EBUSY, -ENOMEM */
int tess_mdev_stop(struct tess_mdev *tm, struct tess_reason *reason);
void tess_mdev_run(struct tess_mdev *tm);
/* It runs, whatever it was: no file reads or writes what it is any more */
void tess_mdev_go(struct tess_mdev *tm);

#endif
