/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_CURSOR_H_
#define _TESS_MDEV_CURSOR_H_

#include <linux/types.h>

struct tess_mdev;
struct tess_mdev_display;
struct tess_mdev_numbered;
struct tess_mdev_viewer;
struct tess_mig_cursor;
struct tessera_view_cursor;
struct vfio_device_gfx_plane_info;

/* Does anybody show a cursor of head @n? Holds map_lock */
bool tess_mdev_cursor_is_shown(const struct tess_mdev_display *display, unsigned int n);
/*
 * Registers, as those of struct tess_mdev_head. False: it is none of these; else *@val is set. They
 * hold @tm->map_lock, for writing to write.
 */
bool tess_mdev_cursor_read(const struct tess_mdev *tm, unsigned int n, u32 off, unsigned int len,
			   u64 *val);
bool tess_mdev_cursor_write(struct tess_mdev *tm, unsigned int n, u32 off, unsigned int len,
			    u64 val);
/* What a viewer sees of it, as TESSERA_VIEW_CURSOR; holds @tm->map_lock for writing */
void tess_mdev_cursor_look(struct tess_mdev *tm, struct tess_mdev_viewer *viewer,
			   struct tessera_view_cursor *look);
/* The same for a VMM, as a plane but for its number; false: none is shown. Holds @tm->map_lock */
bool tess_mdev_cursor_plane(const struct tess_mdev *tm, unsigned int n,
			    struct tess_mdev_numbered *plane,
			    struct vfio_device_gfx_plane_info *info);
/* Its image, TESS_CURSOR_BYTES; holds @tm->map_lock. 0 or negative errno */
int tess_mdev_cursor_image(struct tess_mdev *tm, unsigned int n, void *pixels);

/* To and from another machine. False: there is nothing to save */
bool tess_mdev_cursor_save(struct tess_mdev *tm, unsigned int n, struct tess_mig_cursor *out);
/* After the head; 0, -EINVAL it cannot be shown */
int tess_mdev_cursor_load(struct tess_mdev *tm, unsigned int n, const struct tess_mig_cursor *in);

#endif
