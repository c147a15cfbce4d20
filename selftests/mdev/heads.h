/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Display heads of a vGPU, as its guest has them, and what the host tells of them. */
#ifndef _MDEV_HEADS_H_
#define _MDEV_HEADS_H_

#include <stdbool.h>
#include <stdint.h>

struct vfio_device_gfx_plane_info;
struct vgpu;

#define XRGB8888 0x34325258
#define ARGB8888 0x34325241
#define RGB565 0x36314752
#define YUYV 0x56595559

/**
 * struct head_plane - what is committed
 * @format: fourcc
 * @width: pixels
 * @height: lines
 * @pitch: bytes
 * @address: in VRAM
 */
struct head_plane {
	uint32_t format, width, height, pitch;
	uint64_t address;
};

/**
 * struct head_rect - part of a picture
 * @x1: left edge, pixels
 * @y1: top edge
 * @x2: right edge
 * @y2: bottom edge
 */
struct head_rect {
	unsigned int x1, y1, x2, y2;
};

/**
 * struct head_totals - what the host tells of a head
 * @width: of what it shows
 * @height: the same
 * @shown: pictures so far
 * @damaged: pixels of them that changed
 * @last: where, in the last one
 */
struct head_totals {
	unsigned int width, height;
	unsigned long long shown, damaged;
	struct head_rect last;
};

uint32_t head32(struct vgpu *v, unsigned int n, uint32_t off);
uint64_t head64(struct vgpu *v, unsigned int n, uint32_t off);
void head_write(struct vgpu *v, unsigned int n, uint32_t off, uint32_t val);
/* Returns the error */
uint32_t head_commit(struct vgpu *v, unsigned int n, const struct head_plane *p);
/* The same, shown at once, with what is damaged of it, or nothing said of that */
uint32_t head_show(struct vgpu *v, unsigned int n, const struct head_plane *p,
		   const struct head_rect *damage);
void head_disable(struct vgpu *v, unsigned int n);
/* An image on top of it, with the pixel that points; returns the error */
uint32_t head_cursor(struct vgpu *v, unsigned int n, uint64_t address, unsigned int hot_x,
		     unsigned int hot_y);
/* The same: none */
uint32_t head_no_cursor(struct vgpu *v, unsigned int n);
void head_move_cursor(struct vgpu *v, unsigned int n, int x, int y);
/* Wait for an event of a head, and clear it */
bool head_wait(struct vgpu *v, unsigned int n, uint32_t event);
/* What is to be said with the next commit */
void head_write_damage(struct vgpu *v, unsigned int n, const struct head_rect *r);
/* From the attribute of the vGPU; false: it has no such head */
bool head_totals(const char *uuid, unsigned int n, struct head_totals *t);
/* What a VMM is told of a plane, DRM_PLANE_TYPE_*: as ioctl() */
int head_query(struct vgpu *v, uint32_t flags, uint32_t type,
	       struct vfio_device_gfx_plane_info *info);

#endif
