/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_REGS_H_
#define _TESS_MDEV_REGS_H_

#include <linux/types.h>

struct tess_mdev;

/* All of these hold @tm->lock, @off is aligned to @len */
u64 tess_mdev_regs_read(struct tess_mdev *tm, u32 off, unsigned int len);
void tess_mdev_regs_write(struct tess_mdev *tm, u32 off, unsigned int len, u64 val);

#endif
