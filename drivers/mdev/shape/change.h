/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_CHANGE_H_
#define _TESS_MDEV_CHANGE_H_

struct tess_blueprint;
struct tess_gpu;
struct tess_mdev;
struct tess_reason;

/* First composition of a new mdev, or none if its type is blank */
int tess_mdev_shape_create(struct tess_mdev *tm);
/* Give back to the pool what it has; nobody has it open any more */
void tess_mdev_shape_destroy(struct tess_mdev *tm);
/* These hold shape.lock, and @gpu, which carries it, is in use */
int tess_mdev_change(struct tess_mdev *tm, struct tess_gpu *gpu, const struct tess_blueprint *bp,
		     struct tess_reason *reason);
int tess_mdev_make_blank(struct tess_mdev *tm, struct tess_gpu *gpu, struct tess_reason *reason);

#endif
