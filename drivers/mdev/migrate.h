/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_MIGRATE_H_
#define _TESS_MDEV_MIGRATE_H_

#include <linux/workqueue.h>

struct tess_blueprint;
struct tess_gpu;
struct tess_mdev;
struct tess_reason;
struct tess_vgpu;

/**
 * struct tess_mdev_relocation - the core wants another GPU for a vGPU
 * @work: moves it
 * @gpu: number of the GPU in the pool; the last one that was wanted counts
 */
struct tess_mdev_relocation {
	struct work_struct work;
	unsigned int gpu;
};

void tess_mdev_relocation_init(struct tess_mdev *tm);
/* Before the vGPU goes */
void tess_mdev_relocation_stop(struct tess_mdev *tm);
/* Call-back of the core */
void tess_mdev_relocate(struct tess_vgpu *vgpu, unsigned int gpu);

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
