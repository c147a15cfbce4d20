/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_EXPORT_H_
#define _TESS_MDEV_EXPORT_H_

struct tess_mdev;
struct tess_vram_export;
struct tessera_view_export;

struct tess_vram_export *tess_mdev_export_picture(struct tess_mdev *tm,
						  struct tessera_view_export *out);
int tess_mdev_export_file(struct tess_vram_export *export, struct tessera_view_export __user *arg,
			  struct tessera_view_export *out);

#endif
