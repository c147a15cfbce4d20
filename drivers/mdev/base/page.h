/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_PAGE_H_
#define _TESS_MDEV_PAGE_H_

#include <linux/mutex.h>
#include <linux/types.h>

struct page;
struct tess_blueprint;
struct tess_composition;
struct tess_mdev;
struct tess_mdev_parts;

/**
 * struct tess_mdev_page - the composition page
 * @lock: protects all; innermost
 * @base: generation of the compositions before this one
 * @held: parts change one after the other: what is told is still what was before
 * @comp: composition, what registers tell of it
 * @scratch: for that of a part
 * @mapped: the client's copy, which it can map and write
 */
struct tess_mdev_page {
	struct mutex lock;
	u64 base;
	bool held;
	struct tess_composition *comp;
	struct tess_composition *scratch;
	struct page *mapped;
};

int tess_mdev_page_init(struct tess_mdev *tm);
void tess_mdev_page_fini(struct tess_mdev *tm);
/* The client's copy as the host's */
void tess_mdev_page_reset(struct tess_mdev *tm);
/* The composition changed; false: it is told later, by tess_mdev_page_release() */
bool tess_mdev_page_refresh(struct tess_mdev *tm);
/* Parts are about to change together: tell nothing of it until that is over */
void tess_mdev_page_hold(struct tess_mdev *tm);
/* It is; @bp: blueprint of all of them now, NULL: as before. False: nothing is to be told */
bool tess_mdev_page_release(struct tess_mdev *tm, const struct tess_blueprint *bp);
/* Exchange tm->parts and *@parts; tess_mdev_page_reset() follows */
void tess_mdev_page_exchange(struct tess_mdev *tm, struct tess_mdev_parts *parts);
/* The same, but *@parts continue it, also its generations; tess_mdev_page_refresh() follows */
void tess_mdev_page_continue(struct tess_mdev *tm, struct tess_mdev_parts *parts);
/* It comes from where its generation was this: tell of one more */
void tess_mdev_page_arrive(struct tess_mdev *tm, u64 generation);
u64 tess_mdev_page_generation(struct tess_mdev *tm);
/* Display heads of the composition, a mask */
u32 tess_mdev_page_heads(struct tess_mdev *tm);

#endif
