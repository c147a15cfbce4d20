/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_FRAME_H_
#define _TESS_MDEV_FRAME_H_

struct tess_mdev;
struct tess_mdev_parts;

/* After tess_mdev.parts has changed; holds map_lock for writing */
void tess_mdev_fill_frame(struct tess_mdev *tm);
/* A composition becomes the vGPU's; 0 or -ENODEV */
int tess_mdev_install(struct tess_mdev *tm, struct tess_mdev_parts *composed);

#endif
