/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_DAMAGE_H_
#define _TESS_MDEV_DAMAGE_H_

#include <linux/types.h>

struct tess_mdev;
struct tess_mdev_head;
struct tess_mdev_plane;

/* Of what a COMMIT that was checked takes over, from the registers */
void tess_mdev_damage_take(struct tess_mdev_head *head, struct tess_mdev_plane *plane);
/* Head @n shows something else now */
void tess_mdev_damage_count(struct tess_mdev *tm, unsigned int n);
/* For sysfs: a line for each head that was given */
ssize_t tess_mdev_damage_format(struct tess_mdev *tm, char *buf);

#endif
