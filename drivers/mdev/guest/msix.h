/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_MSIX_H_
#define _TESS_MDEV_MSIX_H_

#include <linux/types.h>

struct tess_mdev;

/* All of these hold @tm->lock; @off + @len has to be inside the BAR, @off aligned to @len */
void tess_mdev_msix_reset(struct tess_mdev *tm);
void tess_mdev_msix_read(struct tess_mdev *tm, u32 off, void *buf, unsigned int len);
void tess_mdev_msix_write(struct tess_mdev *tm, u32 off, const void *buf, unsigned int len);

#endif
