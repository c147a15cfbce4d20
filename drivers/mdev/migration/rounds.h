/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_ROUNDS_H_
#define _TESS_MDEV_ROUNDS_H_

#include <linux/types.h>

struct tess_mdev;
struct tess_mdev_rounds;

/* VRAM that is to be sent, first all of it; holds @tm->lock, as most that follow. Error pointer */
struct tess_mdev_rounds *tess_mdev_rounds_begin(struct tess_mdev *tm);
void tess_mdev_rounds_free(struct tess_mdev_rounds *r);
/* Begin the next round: what may have been written to is to be looked at. 0, -ENODEV */
int tess_mdev_rounds_gather(struct tess_mdev *tm, struct tess_mdev_rounds *r);
/* Look at a bit of it: 1 there is more, 0 there is none, or a negative errno */
int tess_mdev_rounds_look(struct tess_mdev *tm, struct tess_mdev_rounds *r);
/*
 * Read pages that follow each other and are to be sent, at most TESS_MIG_VRAM_BYTES, from @off on:
 * bytes of them, 0 if none was found by looking, or a negative errno
 */
ssize_t tess_mdev_rounds_take(struct tess_mdev *tm, struct tess_mdev_rounds *r, void *buf,
			      u64 *off);
/* Bytes of the stream that are to be sent for what was found, and for what was not looked at */
u64 tess_mdev_rounds_bytes(const struct tess_mdev_rounds *r);
/* Is it still about what was there at first? */
bool tess_mdev_rounds_first(const struct tess_mdev_rounds *r);

#endif
