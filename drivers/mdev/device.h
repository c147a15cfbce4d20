/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_DEVICE_H_
#define _TESS_MDEV_DEVICE_H_

struct mdev_device;

int tess_mdev_probe(struct mdev_device *mdev);
void tess_mdev_remove(struct mdev_device *mdev);

#endif
