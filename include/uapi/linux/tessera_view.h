/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Pictures of the display heads of a vGPU, for viewers: /dev/tessera/view/UUID, one for each mediated
 * device of tessera_mdev, of mode 0600. A viewer neither keeps the vGPU nor slows it:
 * heads come, go and change while files are open, and so do VMMs. When the mediated device is
 * removed, ioctls fail with ENODEV, poll() says EPOLLHUP, and an access to what is mapped raises
 * SIGBUS.
 *
 *	open -> LOOK (head 0..3) -> mmap once for each head -> copy what LOOK said is damaged
 *	        ^                                                           |
 *	        +-------- poll (POLLIN: a head changed since its LOOK) <----+
 *
 * A picture can be replaced while it is copied. Then the file is readable again and the next
 * LOOK's damage has what differs, so what a viewer has is exact after the last LOOK that changes
 * nothing.
 *
 * poll() is about the heads, and the cursors, that this file has looked at: nothing is readable before
 * the first LOOK, and a viewer of one head is not told of others.
 *
 * A head may have a cursor on top of its picture, which is not in it: CURSOR tells where, and copies
 * its image. A file that never asked for the cursor of a head is not told that it changed.
 *
 * Mappings are shared and can only be read, each within one head: where there is no picture, or
 * beyond its end, they read as a page without contents. Their size does not have to be that of the
 * picture, which may become larger later.
 */
#ifndef _UAPI_LINUX_TESSERA_VIEW_H
#define _UAPI_LINUX_TESSERA_VIEW_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define TESSERA_VIEW_HEADS		4
#define TESSERA_VIEW_CURSOR_SIZE	64	/* pixels of an edge of a cursor */

/* tessera_view_look::state */
#define TESSERA_VIEW_GIVEN		0x1	/* the vGPU has this head, and a VMM has the vGPU */
#define TESSERA_VIEW_CONNECTED		0x2	/* a monitor is plugged in */
#define TESSERA_VIEW_SHOWN		0x4	/* there is a picture */

/**
 * struct tessera_view_look - what a head shows
 * @head: in: number, below TESSERA_VIEW_HEADS
 * @state: TESSERA_VIEW_*. Without TESSERA_VIEW_SHOWN all that follows is 0, but @serial and @offset
 * @serial: of the picture; each flip, and a head that goes dark, counts it up
 * @format: DRM_FORMAT_*, as of a framebuffer
 * @width: pixels
 * @height: pixels
 * @pitch: bytes from line to line
 * @offset: for mmap(), of the picture's first page; the same for a head at any time. Pages are those
 *	of what is shown when they are touched: a flip to other memory takes all away
 * @size: bytes of the picture, whole pages
 * @shown_ns: CLOCK_MONOTONIC when it was shown
 * @period_ns: between two frames of the head
 * @x1: damage, in pixels: what may differ from what this file's last LOOK at this head told;
 *	all of it after the first LOOK, another size, format or pitch. Empty (x1 = x2): nothing
 * @y1: damage
 * @x2: damage, exclusive
 * @y2: damage, exclusive
 * @pad: in: 0
 */
struct tessera_view_look {
	__u32 head;
	__u32 state;
	__u64 serial;
	__u32 format;
	__u32 width;
	__u32 height;
	__u32 pitch;
	__u64 offset;
	__u64 size;
	__u64 shown_ns;
	__u32 period_ns;
	__u32 x1;
	__u32 y1;
	__u32 x2;
	__u32 y2;
	__u32 pad;
};

/**
 * struct tessera_view_event - have an eventfd told of changes
 * @heads: mask of heads
 * @fd: eventfd, which counts one up for each change of one of @heads, looked at or not, and once
 *	when the mediated device is removed; -1: none, which ends it
 *
 * A file has one; another call replaces it.
 */
struct tessera_view_event {
	__u32 heads;
	__s32 fd;
};

/* tessera_view_cursor::state */
#define TESSERA_VIEW_CURSOR_SHOWN	0x1	/* there is a cursor */
#define TESSERA_VIEW_CURSOR_COPIED	0x2	/* its image was copied to @pixels */

/**
 * struct tessera_view_cursor - what a head shows on top of its picture
 * @head: in: number, below TESSERA_VIEW_HEADS
 * @state: TESSERA_VIEW_CURSOR_*
 * @serial: in: of the image that the caller has, or 0; out: of the one that is shown now. Each image
 *	that the guest sets, and a cursor that goes, counts it up, a move does not
 * @x: column of the picture where the image begins; may be left of it
 * @y: line, the same
 * @hot_x: column of the image that points
 * @hot_y: line
 * @pixels: in: 0, or the address of TESSERA_VIEW_CURSOR_SIZE lines of as many pixels of 32 bits,
 *	where the image is copied to if it is not the one that the caller has: ARGB8888, colours
 *	multiplied by alpha
 */
struct tessera_view_cursor {
	__u32 head;
	__u32 state;
	__u64 serial;
	__s32 x;
	__s32 y;
	__u32 hot_x;
	__u32 hot_y;
	__u64 pixels;
};

/*
 * Look at a head. Fails with
 *
 * EINVAL: no such head, or pad is not 0
 * ENODEV: the mediated device was removed
 * EFAULT: the argument cannot be read or written
 */
#define TESSERA_VIEW_LOOK		_IOWR('T', 0x60, struct tessera_view_look)

/*
 * Set or remove the eventfd. Fails with
 *
 * EINVAL: no such heads, or the file is no eventfd
 * EBADF: no file
 * ENODEV: the mediated device was removed
 * EFAULT: the argument cannot be read
 */
#define TESSERA_VIEW_EVENT		_IOW('T', 0x61, struct tessera_view_event)

/*
 * Look at the cursor of a head. Fails with
 *
 * EINVAL: no such head
 * ENODEV: the mediated device was removed, or its GPU is gone
 * EFAULT: the argument, or what @pixels is the address of, cannot be read or written
 * ENOMEM
 */
#define TESSERA_VIEW_CURSOR		_IOWR('T', 0x62, struct tessera_view_cursor)

#define TESSERA_VIEW_EDID_MAX		512

/**
 * struct tessera_view_monitor - plug a monitor into a head, or out
 * @head: number, below TESSERA_VIEW_HEADS
 * @edid_size: bytes, a multiple of 128, at most TESSERA_VIEW_EDID_MAX; 0: none is plugged in any more
 * @edid: address of them. The guest reads them as they are
 *
 * It stays until another one is plugged in, or the head or the VMM goes, also if the file is closed.
 */
struct tessera_view_monitor {
	__u32 head;
	__u32 edid_size;
	__u64 edid;
};

/*
 * Plug in, or out. Fails with
 *
 * EINVAL: no such head, or not such a size
 * ENXIO: the vGPU does not have the head, or no VMM has the vGPU
 * EBUSY: the monitor of head 0 is the VMM's, unless the blueprint has path=remote
 * EBADF: the file was not opened to be written
 * ENODEV: the mediated device was removed
 * EFAULT: the argument, or the EDID, cannot be read
 */
#define TESSERA_VIEW_MONITOR		_IOW('T', 0x63, struct tessera_view_monitor)

/* tessera_view_export::flags */
#define TESSERA_VIEW_EXPORT_FD		0x1	/* return a dma-buf */

/**
 * struct tessera_view_export - memory of the picture that a head shows, for jobs of the host
 * @head: in: number, below TESSERA_VIEW_HEADS
 * @flags: in: TESSERA_VIEW_EXPORT_*
 * @fd: a dma-buf with TESSERA_VIEW_EXPORT_FD, closed on exec; else -1
 * @pad: in: 0
 * @serial: of the picture, as of LOOK
 * @memory: number of the memory that the picture is in, of this vGPU. It becomes another when the
 *	vGPU gets other memory: it moved, or was composed anew
 * @address: of the picture in that memory, in bytes
 * @size: bytes of the picture, whole pages, as of LOOK; with the rest of the last page
 *
 * The dma-buf is @size bytes of memory from @address, and does not follow the head: another picture
 * may be drawn there, and this one be shown again. So what was imported is of use again whenever
 * @memory, @address and @size are what they were; look at them after each LOOK, before a job reads.
 *
 * Only tessera_drm can import it (DRM_IOCTL_PRIME_FD_TO_HANDLE), by a DRM device of the GPU that the
 * vGPU is on, since version 1.8 of its interface, and only to be read: VM_BIND needs
 * DRM_TESSERA_BIND_READONLY. It cannot be mapped by the CPU, nor attached by other drivers.
 *
 * The vGPU does not wait for those who read. When it leaves the memory, jobs that read it have a
 * tenth of a second to end; then an access faults, and SUBMIT of a VM that maps it fails with ESTALE
 * already before. What they read until then is what the vGPU left there: it is no other client's
 * before.
 */
struct tessera_view_export {
	__u32 head;
	__u32 flags;
	__s32 fd;
	__u32 pad;
	__u64 serial;
	__u64 memory;
	__u64 address;
	__u64 size;
};

/*
 * Look where the picture is, or export it. Fails with
 *
 * EINVAL: no such head or flags, or pad is not 0
 * ENXIO: the head shows nothing
 * EMFILE: the process has too many open files
 * ENODEV: the mediated device was removed
 * EFAULT: the argument cannot be read or written
 * ENOMEM
 */
#define TESSERA_VIEW_EXPORT		_IOWR('T', 0x64, struct tessera_view_export)

#endif
