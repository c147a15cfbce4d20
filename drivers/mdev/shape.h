/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_SHAPE_H_
#define _TESS_MDEV_SHAPE_H_

#include <linux/mutex.h>
#include <linux/types.h>
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

/* After tess_mdev.parts has changed; holds map_lock for writing */
void tess_mdev_fill_frame(struct tess_mdev *tm);

void tess_mdev_shape_init(struct tess_mdev *tm);
/* First composition of a new mdev, or none if its type is blank */
int tess_mdev_shape_create(struct tess_mdev *tm);
/* Give back to the pool what it has; nobody has it open any more */
void tess_mdev_shape_destroy(struct tess_mdev *tm);

/* What is written to the attributes; 0 or negative errno, and last_error */
int tess_mdev_write_blueprint(struct tess_mdev *tm, const char *text);
int tess_mdev_write_profile(struct tess_mdev *tm, const char *text);
int tess_mdev_write_gpu(struct tess_mdev *tm, const char *text);
/* The same, because the core wants it, which is told when it is over */
void tess_mdev_apply_gpu(struct tess_mdev *tm, const char *text);
/* Number of the GPU that carries it or a part of it; -ENXIO: there is no such part */
int tess_mdev_gpu(struct tess_mdev *tm, unsigned int part);
/* Its blueprint now; false: it is blank */
bool tess_mdev_blueprint(struct tess_mdev *tm, struct tess_blueprint *bp);
/* Its measured profile; -ENXIO: it is blank, -ENODEV */
int tess_mdev_profile(struct tess_mdev *tm, struct tess_profile *profile);
/* Text of last_error, with newline */
ssize_t tess_mdev_show_error(struct tess_mdev *tm, char *buf);
/* User space learns that the composition changed */
void tess_mdev_shape_changed(struct tess_mdev *tm);

#endif
