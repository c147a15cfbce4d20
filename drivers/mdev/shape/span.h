/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_SPAN_H_
#define _TESS_MDEV_SPAN_H_

struct tess_blueprint;
struct tess_gpu;
struct tess_mdev;
struct tess_mdev_parts;
struct tess_reason;

int tess_mdev_compose_span(struct tess_mdev *tm, struct tess_gpu *gpu,
			   const struct tess_blueprint *bp, struct tess_mdev_parts *out,
			   struct tess_reason *reason);
int tess_mdev_recompose_span(struct tess_mdev *tm, const struct tess_blueprint *bp,
			     struct tess_reason *reason);

#endif
