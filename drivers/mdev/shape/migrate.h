/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_MIGRATE_H_
#define _TESS_MDEV_MIGRATE_H_

struct tess_blueprint;
struct tess_gpu;
struct tess_mdev;
struct tess_reason;

/* Its GPU is about to go: to another one, if one has room. Nobody changes the pool meanwhile */
void tess_mdev_leave(struct tess_mdev *tm, struct tess_gpu *gpu);

/* All hold shape.lock, and the parent of the vGPU's GPU is in use */

/* To the GPU that @text names */
int tess_mdev_move(struct tess_mdev *tm, struct tess_gpu *gpu, const char *text,
		   struct tess_reason *reason);
/* Its GPU has no room for a blueprint: to one that has; -ENOSPC, @reason as it was: none has */
int tess_mdev_recompose_elsewhere(struct tess_mdev *tm, const struct tess_blueprint *bp,
				  struct tess_reason *reason);

#endif
