/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a vGPU is between two machines: Documentation/migration.rst is the authority. All is little
 * endian.
 */
#ifndef _TESS_MDEV_FORMAT_H_
#define _TESS_MDEV_FORMAT_H_

#include <linux/types.h>
#include <tessera/hw/tess_regs.h>

#define TESS_MIG_MAGIC		0x474d5354	/* "TSMG" */
#define TESS_MIG_VERSION	2

/**
 * enum tess_mig_tag - what a record is
 * @TESS_MIG_HEADER: struct tess_mig_header; the first one
 * @TESS_MIG_CONFIG: PCI configuration space, 256 bytes
 * @TESS_MIG_REGS: struct tess_mig_regs
 * @TESS_MIG_DOORBELLS: struct tess_mig_doorbell of each vslice
 * @TESS_MIG_CONTEXT: struct tess_vslice_state and what follows; arg: number of the vslice
 * @TESS_MIG_HEAD: struct tess_mig_head; arg: number of the head
 * @TESS_MIG_EDID: of the monitor of head 0; arg: 1 it is plugged in
 * @TESS_MIG_VRAM: pages of VRAM; arg: offset. The last that came of a page counts; what is not
 *	sent is zero
 * @TESS_MIG_TRAILER: struct tess_mig_trailer; the last one
 * @TESS_MIG_CURSOR: struct tess_mig_cursor, after the heads; arg: number of the head. None if all
 *	of it is zero
 * @TESS_MIG_MONITOR: struct tess_mig_monitor; arg: number of the head, not 0. None of a head with
 *	the usual one
 */
enum tess_mig_tag {
	TESS_MIG_HEADER = 1,
	TESS_MIG_CONFIG = 2,
	TESS_MIG_REGS = 3,
	TESS_MIG_DOORBELLS = 4,
	TESS_MIG_CONTEXT = 5,
	TESS_MIG_HEAD = 6,
	TESS_MIG_EDID = 7,
	TESS_MIG_VRAM = 8,
	TESS_MIG_TRAILER = 9,
	TESS_MIG_CURSOR = 10,
	TESS_MIG_MONITOR = 11,
};

#define TESS_MIG_OPTIONAL	0x1	/* a reader that does not know the tag can go on */

/* Bytes of a record that a reader leaves out */
#define TESS_MIG_OPTIONAL_MAX	0x100000
/* Offset and size of a record of VRAM are multiples of the one, and the size at most the other */
#define TESS_MIG_VRAM_PAGE	0x1000
#define TESS_MIG_VRAM_BYTES	0x10000

/**
 * struct tess_mig_record - start of a record
 * @size: bytes that follow
 * @flags: TESS_MIG_OPTIONAL
 * @tag: enum tess_mig_tag
 * @arg: by the tag, else zero
 */
struct tess_mig_record {
	__le64 size;
	__le32 flags;
	__le32 tag;
	__le64 arg;
};

/**
 * struct tess_mig_header - what the destination has to be like
 * @magic: TESS_MIG_MAGIC
 * @version: TESS_MIG_VERSION
 * @caps: register CAPS, but for what tells of heads
 * @clock_khz: register CLOCK_KHZ
 * @limits: register LIMITS
 * @vslices: number of vslices
 * @heads: heads that can be there: 0, or TESS_HEADS_MAX
 * @reserved: zero
 * @vram: bytes of VRAM
 * @bank: register BANK_SIZE
 * @bar: bytes of BAR2
 */
struct tess_mig_header {
	__le32 magic;
	__le32 version;
	__le32 caps;
	__le32 clock_khz;
	__le32 limits;
	__le32 vslices;
	__le32 heads;
	__le32 reserved;
	__le64 vram;
	__le64 bank;
	__le64 bar;
};

/**
 * struct tess_mig_regs - registers that the host has
 * @generation: of the composition
 * @time: register TIME when it was saved
 * @fault_pending: vslices that faulted and were not acknowledged
 * @event_low: low half that was written to EVENT_PENDING
 * @reserved: zero
 * @msix: table of MSI-X
 */
struct tess_mig_regs {
	__le64 generation;
	__le64 time;
	__le64 fault_pending;
	__le32 event_low;
	__le32 reserved;
	__u8 msix[16 * TESS_IRQ_COUNT];
};

#define TESS_MIG_LOW_HALVES	5

/**
 * struct tess_mig_doorbell - registers of a vslice that the host has
 * @stored: value of a doorbell that was stored while no slice ran it; 0: none
 * @low: low halves that were written to RING_BASE, RPTR, WPTR, COMPLETION, and the doorbell
 * @reserved: zero
 */
struct tess_mig_doorbell {
	__le64 stored;
	__le32 low[TESS_MIG_LOW_HALVES];
	__le32 reserved;
};

/**
 * struct tess_mig_plane - what a head shows
 * @control: register CONTROL, as all that follow
 * @format: FORMAT
 * @width: WIDTH
 * @height: HEIGHT
 * @pitch: PITCH
 * @period: PERIOD
 * @address: ADDRESS
 */
struct tess_mig_plane {
	__le32 control;
	__le32 format;
	__le32 width;
	__le32 height;
	__le32 pitch;
	__le32 period;
	__le64 address;
};

/**
 * struct tess_mig_head - a display head
 * @set: what is in the registers
 * @next: what was committed and waits for a frame
 * @shown: what is shown
 * @waits: @next waits
 * @damage_start: register DAMAGE_START
 * @damage_end: DAMAGE_END
 * @address_low: low half that was written to ADDRESS
 * @error: ERROR
 * @events: EVENTS
 * @event_mask: EVENT_MASK
 * @reserved: zero
 * @frames: FRAMES
 * @frame_time: FRAME_TIME
 */
struct tess_mig_head {
	struct tess_mig_plane set;
	struct tess_mig_plane next;
	struct tess_mig_plane shown;
	__le32 waits;
	__le32 damage_start;
	__le32 damage_end;
	__le32 address_low;
	__le32 error;
	__le32 events;
	__le32 event_mask;
	__le32 reserved;
	__le64 frames;
	__le64 frame_time;
};

/**
 * struct tess_mig_cursor_image - what a head shows on top of its picture
 * @control: register CURSOR_CONTROL, as what follows
 * @hot: CURSOR_HOT
 * @address: CURSOR_ADDRESS
 */
struct tess_mig_cursor_image {
	__le32 control;
	__le32 hot;
	__le64 address;
};

/**
 * struct tess_mig_cursor - the cursor of a display head
 * @set: what is in the registers
 * @shown: what is shown
 * @position: register CURSOR_POSITION
 * @address_low: low half that was written to CURSOR_ADDRESS
 */
struct tess_mig_cursor {
	struct tess_mig_cursor_image set;
	struct tess_mig_cursor_image shown;
	__le32 position;
	__le32 address_low;
};

/**
 * struct tess_mig_monitor - the monitor of a head behind the first
 * @link: 1: it is plugged in
 * @size: bytes of its EDID, a multiple of 128
 * @edid: it
 */
struct tess_mig_monitor {
	__le32 link;
	__le32 size;
	__u8 edid[TESS_EDID_MAX];
};

/**
 * struct tess_mig_trailer - the stream is complete
 * @records: number of records, this one included
 * @checksum: CRC-32C of all bytes before this record
 * @reserved: zero
 */
struct tess_mig_trailer {
	__le64 records;
	__le32 checksum;
	__le32 reserved;
};

#endif
