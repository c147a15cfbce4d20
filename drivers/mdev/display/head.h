/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_HEAD_H_
#define _TESS_MDEV_HEAD_H_

#include <linux/types.h>
#include <tessera/hw/tess_regs.h>

struct tess_mdev;
struct tess_mdev_display;
struct tess_mdev_head;
struct tess_mdev_plane;

void tess_mdev_heads_init(struct tess_mdev *tm);
/* A VMM opens it; holds @tm->lock, as the two that follow */
void tess_mdev_heads_open(struct tess_mdev *tm);
/* Nothing is shown any more, no frame comes after it; the monitor stays */
void tess_mdev_heads_reset(struct tess_mdev *tm);
/* The VMM lets it go; after a reset */
void tess_mdev_heads_close(struct tess_mdev *tm);
/* The composition may have other heads now */
void tess_mdev_heads_follow(struct tess_mdev *tm);

/* Registers; @off is in the page of a head, and aligned to @len, 4 or 8 */
u64 tess_mdev_head_read(struct tess_mdev *tm, unsigned int n, u32 off, unsigned int len);
void tess_mdev_head_write(struct tess_mdev *tm, unsigned int n, u32 off, unsigned int len,
			  u64 val);

/* TESS_DEVENT_* of a head; holds @tm->map_lock for writing */
void tess_mdev_head_raise(struct tess_mdev *tm, struct tess_mdev_head *head, u32 events);
/* Can head @n show it? Holds @tm->map_lock */
enum tess_display_error tess_mdev_head_check(const struct tess_mdev *tm, unsigned int n,
					     const struct tess_mdev_plane *plane);
/* Head @n is what it was elsewhere, all of it checked; holds @tm->map_lock for writing */
void tess_mdev_head_install(struct tess_mdev *tm, unsigned int n,
			    const struct tess_mdev_head *head);
/* Frames come, or come no more, as @tm->migration has it; holds @tm->map_lock for writing */
void tess_mdev_heads_pace(struct tess_mdev *tm);

#endif
