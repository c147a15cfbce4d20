/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_FSM_H_
#define _TESS_MDEV_FSM_H_

struct tess_mdev;

void tess_mdev_migration_init(struct tess_mdev *tm);

#endif
