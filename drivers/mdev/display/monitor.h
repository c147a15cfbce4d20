/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_MONITOR_H_
#define _TESS_MDEV_MONITOR_H_

#include <linux/types.h>

struct tess_mdev;
struct tess_mdev_display;
struct tess_mdev_edid;
struct tess_mig_monitor;

/* All hold map_lock, for writing if they change anything */

/* Has a head that was given a monitor? */
bool tess_mdev_monitor_is_connected(const struct tess_mdev_display *display, unsigned int n);
/* Bytes of its EDID, and the word at @off */
u32 tess_mdev_monitor_size(const struct tess_mdev_display *display, unsigned int n);
u32 tess_mdev_monitor_read(const struct tess_mdev_display *display, unsigned int n, u32 off);
/* The one that is there if nobody says anything */
void tess_mdev_monitor_default(struct tess_mdev_display *display, unsigned int n);
/* The monitor of a head comes, as its next one, or goes */
void tess_mdev_set_link(struct tess_mdev *tm, unsigned int n, bool up);
/*
 * A viewer plugs a monitor in, or out (NULL). 0; -ENXIO the head was not given; -EBUSY its monitor
 * is the VMM's
 */
int tess_mdev_monitor_plug(struct tess_mdev *tm, unsigned int n, const struct tess_mdev_edid *edid);
/* Usual sizes of pictures, the largest first. False: there is no number @i */
bool tess_mdev_usual_size(unsigned int i, u32 *width, u32 *height);
/* Can each of @heads have two pictures of that size in @memory? */
bool tess_mdev_pictures_fit(u64 memory, unsigned int heads, u32 width, u32 height);
/* Largest usual picture of which each of @heads can have two in @memory */
void tess_mdev_max_resolution(u64 memory, unsigned int heads, u32 *width, u32 *height);

/* To and from another machine; of heads behind the first. False: there is nothing to save */
bool tess_mdev_monitor_save(const struct tess_mdev_display *display, unsigned int n,
			    struct tess_mig_monitor *out);
/* 0, -EINVAL */
int tess_mdev_monitor_load(struct tess_mdev_display *display, unsigned int n,
			   const struct tess_mig_monitor *in);

#endif
