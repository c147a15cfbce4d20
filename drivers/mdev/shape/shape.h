/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_SHAPE_H_
#define _TESS_MDEV_SHAPE_H_

#include <linux/types.h>

struct tess_blueprint;
struct tess_mdev;
struct tess_profile;

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
