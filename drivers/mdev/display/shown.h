/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_SHOWN_H_
#define _TESS_MDEV_SHOWN_H_

#include <linux/types.h>

struct tess_mdev;

void tess_mdev_shown_tell(struct tess_mdev *tm, bool anew);
void tess_mdev_watch(struct tess_mdev *tm, int change);

#endif
