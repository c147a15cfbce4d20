/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_VIEWER_H_
#define _TESS_MDEV_VIEWER_H_

struct tess_mdev;

/*
 * What is told of head @n is another: its viewers are to look at it. As those that follow, it holds
 * @tm->map_lock for writing.
 */
void tess_mdev_viewers_tell(struct tess_mdev *tm, unsigned int n);
/* The same of its cursor: another image, or elsewhere, or none */
void tess_mdev_viewers_tell_cursor(struct tess_mdev *tm, unsigned int n);
/* Its cursor is about to go, if there is one */
void tess_mdev_viewers_hide_cursor(struct tess_mdev *tm, unsigned int n);
/* Head @n shows another picture, or none any more */
void tess_mdev_viewers_flip(struct tess_mdev *tm, unsigned int n);
/* Head @n is about to come or to go, with what it shows */
void tess_mdev_viewers_change(struct tess_mdev *tm, unsigned int n);
/* No head of it shows anything from now on: it is about to be dead */
void tess_mdev_viewers_lose(struct tess_mdev *tm);

#endif
