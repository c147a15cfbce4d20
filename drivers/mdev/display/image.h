/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_IMAGE_H_
#define _TESS_MDEV_IMAGE_H_

struct tess_mdev;
struct tess_mig_head;

/* A head as bytes, for another machine, and back: 0, -EINVAL this head cannot show that */
void tess_mdev_head_save(struct tess_mdev *tm, unsigned int n, struct tess_mig_head *out);
int tess_mdev_head_load(struct tess_mdev *tm, unsigned int n, const struct tess_mig_head *in);

#endif
