/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_VRAM_H_
#define _TESS_MDEV_VRAM_H_

#include <linux/types.h>

struct tess_mdev;
struct tess_mdev_plane;

/* Physical address of an offset in the client's VRAM, and how much follows; 0: none */
phys_addr_t tess_mdev_vram_phys(const struct tess_mdev *tm, u64 off, u64 *len);
/* What head @n shows; NULL: nothing. Holds @tm->map_lock */
const struct tess_mdev_plane *tess_mdev_picture(const struct tess_mdev *tm, unsigned int n);
/* Bytes of it, whole pages */
u64 tess_mdev_picture_size(const struct tess_mdev_plane *picture);
/* Physical address of an offset from its start; 0: none. Holds @tm->map_lock */
phys_addr_t tess_mdev_picture_phys(const struct tess_mdev *tm, unsigned int n, u64 off);
/* Time of its GPU as it goes on for the client; 0: it is gone. Holds @tm->map_lock */
u64 tess_mdev_time(const struct tess_mdev *tm);

#endif
