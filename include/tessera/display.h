/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Display heads, for front-ends and back-ends: what of a head the core passes on.
 *
 * Only a vGPU has heads (TESS_CAPS_DISPLAY), so this is for guests. A head shows a picture that
 * lies in VRAM without holes. Which heads there are, and what is connected to them, can change
 * at any time; registers exist for TESS_HEADS_MAX of them.
 */
#ifndef _TESSERA_DISPLAY_H_
#define _TESSERA_DISPLAY_H_

#include <linux/types.h>
#include <tessera/hw/tess_regs.h>

struct tess_backend;
struct tess_gpu;

/**
 * struct tess_head_rect - part of a picture, in pixels
 * @x1: left column
 * @y1: top line
 * @x2: column right of it
 * @y2: line below it
 */
struct tess_head_rect {
	u16 x1;
	u16 y1;
	u16 x2;
	u16 y2;
};

/**
 * struct tess_head_picture - what a head shows
 * @format: DRM fourcc
 * @width: pixels
 * @height: lines
 * @pitch: bytes from line to line
 * @address: offset in VRAM, a multiple of 4 KiB
 * @period: ns from frame to frame; 0, or without TESS_CAPS_FRAME_PERIOD: 60 frames a second
 * @now: show it at once, with TESS_CAPS_FRAME_PERIOD; part of a frame has the picture before it
 * @damage: what of it differs from the picture before, with TESS_CAPS_HEAD_DAMAGE; empty: perhaps
 *	all of it; beyond the picture: nothing
 */
struct tess_head_picture {
	u32 format;
	u32 width;
	u32 height;
	u32 pitch;
	u64 address;
	u32 period;
	bool now;
	struct tess_head_rect damage;
};

/**
 * struct tess_head_cursor - what a head shows on top of its picture
 * @address: offset in VRAM of its image, a multiple of 4 KiB: TESS_CURSOR_SIZE lines of as many
 *	pixels, ARGB8888, premultiplied
 * @hot_x: column of the pixel that points, in the image
 * @hot_y: its line
 */
struct tess_head_cursor {
	u64 address;
	u16 hot_x;
	u16 hot_y;
};

/**
 * struct tess_display_client - who is told of a GPU's heads
 * @event: tess_head_events() of some head may have something. Hard interrupt context
 */
struct tess_display_client {
	void (*event)(struct tess_display_client *client);
};

/**
 * struct tess_display_ops - heads of a type of GPU
 *
 * All are mandatory. @head is below TESS_HEADS_MAX. Rules are those of struct
 * tess_backend_ops.
 *
 * @heads: as tess_display_heads()
 * @status: as tess_head_status()
 * @edid: as tess_head_edid()
 * @show: as tess_head_show(). The caller serializes calls for one head
 * @listen: as tess_head_listen(). Any context
 * @events: as tess_head_events(). Any context
 * @frame_age: as tess_head_frame_age(). Any context
 * @set_cursor: as tess_head_set_cursor(). As @show, with which the caller serializes it, too
 * @move_cursor: as tess_head_move_cursor()
 */
struct tess_display_ops {
	u32 (*heads)(struct tess_backend *be);
	u32 (*status)(struct tess_backend *be, unsigned int head);
	int (*edid)(struct tess_backend *be, unsigned int head, u32 off, void *buf, size_t len);
	int (*show)(struct tess_backend *be, unsigned int head,
		    const struct tess_head_picture *picture);
	void (*listen)(struct tess_backend *be, unsigned int head, u32 events);
	u32 (*events)(struct tess_backend *be, unsigned int head);
	u32 (*frame_age)(struct tess_backend *be, unsigned int head);
	int (*set_cursor)(struct tess_backend *be, unsigned int head,
			  const struct tess_head_cursor *cursor);
	void (*move_cursor)(struct tess_backend *be, unsigned int head, s16 x, s16 y);
};

/**
 * tess_gpu_display_irq() - the display vector was raised
 * @gpu: GPU
 *
 * For back-ends. Hard interrupt context.
 */
void tess_gpu_display_irq(struct tess_gpu *gpu);

/**
 * tess_display_attach() - be told of events of the heads
 * @gpu: GPU
 * @client: kept until tess_display_detach()
 *
 * Return: 0, -EOPNOTSUPP the GPU has no heads, -EBUSY somebody is told, -ENODEV.
 */
int tess_display_attach(struct tess_gpu *gpu, struct tess_display_client *client);

/**
 * tess_display_detach() - be told no more
 * @gpu: GPU, gone or not
 * @client: attached. On return event() does not run
 */
void tess_display_detach(struct tess_gpu *gpu, struct tess_display_client *client);

/**
 * tess_display_heads() - heads that were given
 * @gpu: GPU
 *
 * Return: a mask; 0 if the GPU is gone.
 */
u32 tess_display_heads(struct tess_gpu *gpu);

/**
 * tess_head_status() - state of a head
 * @gpu: GPU
 * @head: number
 *
 * Return: TESS_DSTATUS_*; 0 of a head that was not given, or if the GPU is gone.
 */
u32 tess_head_status(struct tess_gpu *gpu, unsigned int head);

/**
 * tess_head_edid() - read from a monitor's EDID
 * @gpu: GPU
 * @head: number
 * @off: first byte, a multiple of 4
 * @buf: for @len bytes
 * @len: a multiple of 4
 *
 * Return: 0, -EINVAL, -ENXIO the EDID is shorter, or there is none; -ENODEV.
 */
int tess_head_edid(struct tess_gpu *gpu, unsigned int head, u32 off, void *buf, size_t len);

/**
 * tess_head_show() - show a picture
 * @gpu: GPU
 * @head: number
 * @picture: what to show from the next frame on or now; NULL: nothing, and on return that is so
 *
 * TESS_DEVENT_FLIP says when a picture is shown. What was shown before stays if it is refused.
 *
 * Return: 0; -EINVAL not such a picture; -EFAULT not within VRAM; -ENXIO the head was not
 * given; -ETIME the head does not stop to show what it did; -ENODEV.
 */
int tess_head_show(struct tess_gpu *gpu, unsigned int head,
		   const struct tess_head_picture *picture);

/**
 * tess_head_listen() - which events raise the interrupt?
 * @gpu: GPU
 * @head: number
 * @events: TESS_DEVENT_*, in place of those before
 *
 * Any context.
 */
void tess_head_listen(struct tess_gpu *gpu, unsigned int head, u32 events);

/**
 * tess_head_events() - what happened since the last call
 * @gpu: GPU
 * @head: number
 *
 * Any context.
 *
 * Return: TESS_DEVENT_*.
 */
u32 tess_head_events(struct tess_gpu *gpu, unsigned int head);

/**
 * tess_head_frame_age() - how long ago did the last frame begin?
 * @gpu: GPU with TESS_CAPS_FRAME_PERIOD
 * @head: number
 *
 * The last one that was told with TESS_DEVENT_FRAME; if nobody listens to that, the last one that
 * would have been. Any context.
 *
 * Return: ns; 0 of a head that shows nothing, or if the GPU is gone.
 */
u32 tess_head_frame_age(struct tess_gpu *gpu, unsigned int head);

/**
 * tess_head_set_cursor() - show an image on top of the picture, at once
 * @gpu: GPU with TESS_CAPS_HEAD_CURSOR
 * @head: number
 * @cursor: what to show; NULL: nothing. Its image is read until another one is set
 *
 * What was shown before stays if it is refused. The caller serializes it with tess_head_show().
 *
 * Return: 0; -EOPNOTSUPP nobody shows a cursor of this head, TESS_DSTATUS_CURSOR tells; -EFAULT its
 * image is not within VRAM; -ENXIO the head was not given; -ENODEV.
 */
int tess_head_set_cursor(struct tess_gpu *gpu, unsigned int head,
			 const struct tess_head_cursor *cursor);

/**
 * tess_head_move_cursor() - where to show it, at once
 * @gpu: GPU with TESS_CAPS_HEAD_CURSOR
 * @head: number
 * @x: column of the picture where the image begins; may be left of the picture
 * @y: line, the same
 */
void tess_head_move_cursor(struct tess_gpu *gpu, unsigned int head, s16 x, s16 y);

#endif
