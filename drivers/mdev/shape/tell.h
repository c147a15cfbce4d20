/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_TELL_H_
#define _TESS_MDEV_TELL_H_

struct tess_mdev;

/* User space learns that the composition changed */
void tess_mdev_shape_changed(struct tess_mdev *tm);
/* The same of the counts of available instances, of all GPUs that it has slices of */
void tess_mdev_instances_changed(struct tess_mdev *tm);
/* The composition is another: tell the guest and user space */
void tess_mdev_announce(struct tess_mdev *tm);
/* The same, of one whose vslices were moved: their doorbells are others */
void tess_mdev_tell(struct tess_mdev *tm);

#endif
