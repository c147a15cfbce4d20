/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_COMPOSE_H_
#define _TESS_MDEV_COMPOSE_H_

struct tess_blueprint;
struct tess_gpu;
struct tess_mdev;
struct tess_mdev_parts;
struct tess_reason;
struct tess_vgpu;

int tess_mdev_compose(struct tess_mdev *tm, struct tess_gpu *gpu, const struct tess_blueprint *bp,
		      struct tess_vgpu *continues, struct tess_mdev_parts *out,
		      struct tess_reason *reason);
int tess_mdev_add_part(struct tess_mdev *tm, struct tess_gpu *gpu, const struct tess_blueprint *bp,
		       struct tess_vgpu *continues, struct tess_mdev_parts *out,
		       struct tess_reason *reason);
void tess_mdev_decompose(struct tess_mdev_parts *parts);

#endif
