/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_CONFIG_H_
#define _TESS_MDEV_CONFIG_H_

#include <linux/types.h>

struct tess_mdev;

/* Both hold @tm->lock once the device is registered */
void tess_mdev_config_init(struct tess_mdev *tm);
void tess_mdev_config_reset(struct tess_mdev *tm);
/* @off + @len has to be inside the space; both hold @tm->lock */
void tess_mdev_config_read(struct tess_mdev *tm, u32 off, void *buf, unsigned int len);
/* True: a function level reset was asked for */
bool tess_mdev_config_write(struct tess_mdev *tm, u32 off, const void *buf, unsigned int len);

#endif
