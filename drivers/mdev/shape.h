/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_SHAPE_H_
#define _TESS_MDEV_SHAPE_H_

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <tessera/blueprint.h>

struct tess_gpu;
struct tess_mdev;

/**
 * struct tess_mdev_shape - what a vGPU is made of, and who may change it
 * @lock: serializes changes of the shape as a whole with each other and with open and
 *	close; outermost
 * @open: a VMM has it: its frame stays the same. Under @lock
 * @asked: what was asked for by words or by the type, with nothing of what was made from a profile.
 *	Under @lock; of no meaning while the vGPU is blank
 * @error_lock: protects the following; innermost
 * @error: how the last change ended that was asked for: 0 or negative errno
 * @reason: why
 */
struct tess_mdev_shape {
	struct mutex lock;
	bool open;
	struct tess_blueprint asked;
	struct mutex error_lock;
	int error;
	struct tess_reason reason;
};

/**
 * struct tess_mdev_relocation - the core wants another GPU for a vGPU
 * @work: moves it
 * @gpu: number of the GPU in the pool; the last one that was wanted counts
 */
struct tess_mdev_relocation {
	struct work_struct work;
	unsigned int gpu;
};

void tess_mdev_shape_init(struct tess_mdev *tm);
/* Work of &tess_mdev.relocation: it goes to the GPU that the core wants for it */
void tess_mdev_relocation_init(struct tess_mdev *tm);
/* Before the vGPU goes */
void tess_mdev_relocation_stop(struct tess_mdev *tm);

/* What is written to the attributes; 0 or negative errno, and last_error */
int tess_mdev_write_blueprint(struct tess_mdev *tm, const char *text);
int tess_mdev_write_profile(struct tess_mdev *tm, const char *text);
int tess_mdev_write_gpu(struct tess_mdev *tm, const char *text);
/* Number of the GPU that carries it or a part of it; -ENXIO: there is no such part */
int tess_mdev_gpu(struct tess_mdev *tm, unsigned int part);
/* Its blueprint now; false: it is blank */
bool tess_mdev_blueprint(struct tess_mdev *tm, struct tess_blueprint *bp);
/* Its measured profile; -ENXIO: it is blank, -ENODEV */
int tess_mdev_profile(struct tess_mdev *tm, struct tess_profile *profile);
/* Text of last_error, with newline */
ssize_t tess_mdev_show_error(struct tess_mdev *tm, char *buf);

#endif
