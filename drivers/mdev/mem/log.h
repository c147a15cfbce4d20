/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_LOG_H_
#define _TESS_MDEV_LOG_H_

#include <linux/types.h>

struct tess_mdev;
struct tess_mdev_chunk;

/* Before the device is registered */
void tess_mdev_log_init(struct tess_mdev *tm);
void tess_mdev_log_fini(struct tess_mdev *tm);
/* Nobody asks any more */
void tess_mdev_log_end(struct tess_mdev *tm);

/* All of these hold @tm->dma.lock. With what are pages mapped just now? TESS_AS_CLEAN or 0 */
u32 tess_mdev_log_prot(const struct tess_mdev *tm);
/* A chunk left stage 2 of a part; @dirty: bits of its pages, NULL: not known */
void tess_mdev_log_left(struct tess_mdev *tm, const struct tess_mdev_chunk *chunk,
			const unsigned long *dirty);
/* All chunks are about to leave it with the client, which goes to another GPU and stands still */
void tess_mdev_log_move(struct tess_mdev *tm);

#endif
