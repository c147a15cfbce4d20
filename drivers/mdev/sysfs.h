/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_SYSFS_H_
#define _TESS_MDEV_SYSFS_H_

struct attribute_group;

extern const struct attribute_group *tess_mdev_groups[];

#endif
