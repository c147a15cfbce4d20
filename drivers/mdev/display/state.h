/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_DISPLAY_STATE_H_
#define _TESS_MDEV_DISPLAY_STATE_H_

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <tessera/blueprint.h>
#include <tessera/display.h>
#include <tessera/hw/tess_regs.h>

struct address_space;
struct eventfd_ctx;
struct tess_mdev_sight;
struct tess_mdev_view;
struct tess_vram_export;

/**
 * struct tess_mdev_plane - what a head shows, or is to show
 * @control: TESS_DCONTROL_*
 * @format: DRM fourcc
 * @width: pixels
 * @height: lines
 * @pitch: bytes from line to line
 * @address: in the client's VRAM
 * @period: ns from frame to frame, or 0
 * @damage: what of it differs from the plane before; within it, or empty
 */
struct tess_mdev_plane {
	u32 control;
	u32 format;
	u32 width;
	u32 height;
	u32 pitch;
	u64 address;
	u32 period;
	struct tess_head_rect damage;
};

/**
 * struct tess_mdev_cursor - what a head shows on top of its picture, or is to show
 * @control: TESS_DCURSOR_*
 * @hot: pixel of the image that points, TESS_CURSOR_*
 * @address: of the image, in the client's VRAM
 */
struct tess_mdev_cursor {
	u32 control;
	u32 hot;
	u64 address;
};

/**
 * struct tess_mdev_head - a display head
 * @set: what is in the registers, but for the damage
 * @next: what was committed and waits for the next frame, if @waits
 * @shown: what is shown, checked
 * @waits: @next is to be shown
 * @damage_start: what is in the register
 * @damage_end: the same
 * @address_low: low half that was written to TESS_DREG_ADDRESS
 * @error: enum tess_display_error of the last COMMIT
 * @events: TESS_DEVENT_*
 * @event_mask: those that raise the vector
 * @frames: shown since it was enabled
 * @frame_time: GPU time of the last one
 * @frame_began: when it began, in ns of CLOCK_MONOTONIC
 * @shown_at: when @shown became what it is, in ns of CLOCK_MONOTONIC
 * @cursor_set: what is in the registers of the cursor
 * @cursor: what is shown, checked
 * @cursor_position: where, TESS_CURSOR_*
 * @cursor_low: low half that was written to TESS_DREG_CURSOR_ADDRESS
 */
struct tess_mdev_head {
	struct tess_mdev_plane set;
	struct tess_mdev_plane next;
	struct tess_mdev_plane shown;
	bool waits;
	u32 damage_start;
	u32 damage_end;
	u32 address_low;
	u32 error;
	u32 events;
	u32 event_mask;
	u64 frames;
	u64 frame_time;
	u64 frame_began;
	u64 shown_at;
	struct tess_mdev_cursor cursor_set;
	struct tess_mdev_cursor cursor;
	u32 cursor_position;
	u32 cursor_low;
};

/**
 * struct tess_mdev_totals - what a head showed since the vGPU exists
 * @shown: pictures
 * @damaged: pixels of them that differed from the picture before
 * @last: what of the last one did
 * @serial: pictures, and times that it showed none any more
 * @cursor_serial: images of its cursor, and times that it showed none any more
 */
struct tess_mdev_totals {
	u64 shown;
	u64 damaged;
	struct tess_head_rect last;
	u64 serial;
	u64 cursor_serial;
};

/**
 * struct tess_mdev_viewer - an open file of a viewer; all but @mapped under &tess_mdev.map_lock
 * @link: in &tess_mdev_display.viewers, until the vGPU is removed
 * @view: of the vGPU
 * @mapping: of the file, which pages of pictures are withdrawn from
 * @mapped: heads that pages may be mapped of; set by page faults, with map_lock for reading
 * @wait: for @changed, in poll()
 * @looked: heads that were looked at
 * @changed: those of @looked that something changed of since then. poll() reads it without a lock
 * @cursor_looked: the same of their cursors
 * @cursor_changed: the same
 * @damage: of each head, what changed since then
 * @event: eventfd, or NULL
 * @event_heads: heads that it is told of
 */
struct tess_mdev_viewer {
	struct list_head link;
	struct tess_mdev_view *view;
	struct address_space *mapping;
	unsigned long mapped;
	wait_queue_head_t wait;
	u32 looked;
	u32 changed;
	u32 cursor_looked;
	u32 cursor_changed;
	struct tess_head_rect damage[TESS_HEADS_MAX];
	struct eventfd_ctx *event;
	u32 event_heads;
};

/**
 * struct tess_mdev_clock - the frames of a head
 * @tm: vGPU
 * @timer: queues @frame while somebody waits for it
 * @frame: shows a frame
 * @period: ns from frame to frame, of what is shown; written under &tess_mdev.map_lock
 * @began: of a frame, in ns of CLOCK_MONOTONIC: all begin a multiple of @period before or after it.
 *	@timer writes it, others while that does not run
 */
struct tess_mdev_clock {
	struct tess_mdev *tm;
	struct hrtimer timer;
	struct work_struct frame;
	u32 period;
	u64 began;
};

/**
 * struct tess_mdev_edid - what a monitor says of itself
 * @size: bytes, a multiple of 128
 * @blob: all of it
 */
struct tess_mdev_edid {
	u32 size;
	u8 blob[TESS_EDID_MAX];
};

/**
 * struct tess_mdev_monitor - what is plugged into a head
 * @link: is it?
 * @edid: that the guest reads
 * @next: taken over when the link comes up
 */
struct tess_mdev_monitor {
	bool link;
	struct tess_mdev_edid edid;
	struct tess_mdev_edid next;
};

/* Planes that a VMM's numbers stand for; QEMU keeps seven at most */
#define TESS_MDEV_PLANES	8

/**
 * struct tess_mdev_numbered - a plane that the VMM was told the number of
 * @id: number, 0: none
 * @memory: &tess_mdev.vram_number
 * @address: in VRAM
 * @size: bytes, whole pages
 * @format: DRM fourcc
 * @width: pixels
 * @height: lines
 * @pitch: bytes from line to line
 */
struct tess_mdev_numbered {
	u32 id;
	u64 memory;
	u64 address;
	u64 size;
	u32 format;
	u32 width;
	u32 height;
	u32 pitch;
};

/**
 * struct tess_mdev_dmabuf - the file of a plane
 * @link: in &tess_mdev_dmabufs.files, until the VMM lets the vGPU go
 * @sight: which vGPU it is of
 * @export: what is imported; the dma-buf has a reference
 * @mapping: of the file, which its pages are withdrawn from
 * @mapped: bit 0: there may be some. Set by page faults, with map_lock for reading
 * @address: of the plane in VRAM
 * @size: bytes
 */
struct tess_mdev_dmabuf {
	struct list_head link;
	struct tess_mdev_sight *sight;
	struct tess_vram_export *export;
	struct address_space *mapping;
	unsigned long mapped;
	u64 address;
	u64 size;
};

/**
 * struct tess_mdev_dmabufs - planes of head 0 as dma-bufs (dmabuf.c)
 * @offered: they are; changes while no VMM has the vGPU
 * @numbered: what the last numbers stand for, in no order
 * @last: number that was given last
 * @sight: of the dma-bufs of the VMM that has the vGPU; NULL: it has had none
 * @files: those that are open
 * @count: number of them
 */
struct tess_mdev_dmabufs {
	bool offered;
	struct tess_mdev_numbered numbered[TESS_MDEV_PLANES];
	u32 last;
	struct tess_mdev_sight *sight;
	struct list_head files;
	unsigned int count;
};

/**
 * struct tess_mdev_display - the heads of a vGPU; all under &tess_mdev.map_lock
 * @present: it had heads when it was opened, TESS_CAPS_DISPLAY
 * @given: heads of the composition, a mask
 * @remote: nobody looks at head 0 through the VMM, by the composition
 * @monitor: of each head. The VMM describes that of head 0, unless nobody looks at it there;
 *	viewers describe the others
 * @head: heads, given or not
 * @totals: of each head
 * @watched: mappings of viewers elsewhere, for whom frames are copied
 * @told: what the core was told that heads show
 * @clock: of each head
 * @view: device that viewers open; written before it is there and after it is gone
 * @viewers: its open files
 * @dmabufs: planes for the VMM
 */
struct tess_mdev_display {
	bool present;
	u32 given;
	bool remote;
	struct tess_mdev_monitor monitor[TESS_HEADS_MAX];
	struct tess_mdev_head head[TESS_HEADS_MAX];
	struct tess_mdev_totals totals[TESS_HEADS_MAX];
	unsigned int watched;
	struct tess_shown told;
	struct tess_mdev_clock clock[TESS_HEADS_MAX];
	struct tess_mdev_view *view;
	struct list_head viewers;
	struct tess_mdev_dmabufs dmabufs;
};

#endif
