/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Context image of the Tessera GPU, format version 1: what SAVE writes and RESTORE
 * reads. Documentation/hw/context.rst is the authority.
 *
 * An image is a header and sections in ascending order of their type, each a
 * multiple of 8 bytes. It is little endian; bytes without a meaning are zero. All
 * addresses in it are the client's.
 */
#ifndef _TESSERA_HW_CONTEXT_H_
#define _TESSERA_HW_CONTEXT_H_

#include <linux/types.h>

#define TESS_CTX_MAGIC			0x58544354	/* "TCTX" */
#define TESS_CTX_VERSION		1

/* Times in an image are below this. */
#define TESS_CTX_TIME_END		(1ULL << 40)

/* Bytes of an image without a packet in progress: header, CLIENT, COUNTERS, PROCESSOR. */
#define TESS_CTX_IDLE_SIZE		512
/* No image is larger: 8 groups of 256 work-items and 64 KiB of local memory. */
#define TESS_CTX_MAX_SIZE		0x185000

/**
 * struct tess_ctx_header - start of an image
 * @magic: TESS_CTX_MAGIC
 * @version: TESS_CTX_VERSION
 * @header_size: bytes of this header, where the first section is
 * @size: bytes of the whole image
 * @sections: number of sections
 * @kind: enum tess_slice_kind that was saved, for information
 * @time: GPU time of the SAVE, for information
 * @checksum: CRC-32C of the image with this field as zero
 * @reserved: zero
 */
struct tess_ctx_header {
	__le32 magic;
	__le16 version;
	__le16 header_size;
	__le64 size;
	__le32 sections;
	__le32 kind;
	__le64 time;
	__le32 checksum;
	__le32 reserved[7];
};

/**
 * enum tess_ctx_type - types of sections
 * @TESS_CTX_CLIENT: registers of the client page; always there
 * @TESS_CTX_COUNTERS: counters of the client page; always there
 * @TESS_CTX_PROCESSOR: address space and time; always there
 * @TESS_CTX_PACKET: a packet is in progress
 * @TESS_CTX_HFAULT: a host fault is not acknowledged
 * @TESS_CTX_GROUP: a work-group in flight; as many as there are
 */
enum tess_ctx_type {
	TESS_CTX_CLIENT = 1,
	TESS_CTX_COUNTERS = 2,
	TESS_CTX_PROCESSOR = 3,
	TESS_CTX_PACKET = 4,
	TESS_CTX_HFAULT = 5,
	TESS_CTX_GROUP = 6,
};

/**
 * struct tess_ctx_section - start of a section
 * @type: enum tess_ctx_type
 * @flags: zero
 * @size: bytes of the section, these 16 included
 */
struct tess_ctx_section {
	__le32 type;
	__le32 flags;
	__le64 size;
};

#define TESS_CTX_PAGE_BYTES		256

/**
 * struct tess_ctx_client - CLIENT section
 * @section: start
 * @page: offsets 0x000 to 0x0ff of the client page as they read; KIND, CORES and
 *	ENGINES are zero
 */
struct tess_ctx_client {
	struct tess_ctx_section section;
	__u8 page[TESS_CTX_PAGE_BYTES];
};

/**
 * struct tess_ctx_counters - COUNTERS section
 * @section: start
 * @counter: in the order of the client page
 */
struct tess_ctx_counters {
	struct tess_ctx_section section;
	__le64 counter[15];
};

/**
 * struct tess_ctx_processor - PROCESSOR section
 * @section: start
 * @root: of the last SET_VM, 0: none
 * @asid: of the last SET_VM
 * @reserved: zero
 * @ahead: cycles that the command processor has to wait before it goes on
 */
struct tess_ctx_processor {
	struct tess_ctx_section section;
	__le64 root;
	__le16 asid;
	__le16 reserved[3];
	__le64 ahead;
};

/**
 * enum tess_ctx_phase - of the packet in progress
 * @TESS_CTX_PHASE_NONE: between two packets of an indirect buffer
 * @TESS_CTX_PHASE_FETCHED: read, not checked
 * @TESS_CTX_PHASE_EXEC: checked; in execution
 */
enum tess_ctx_phase {
	TESS_CTX_PHASE_NONE = 0,
	TESS_CTX_PHASE_FETCHED = 1,
	TESS_CTX_PHASE_EXEC = 2,
};

/**
 * struct tess_ctx_packet - PACKET section
 * @section: start
 * @phase: enum tess_ctx_phase
 * @reserved0: zero
 * @packet: the packet as it was read; zero if there is none
 * @indirect_address: VA of the indirect buffer
 * @indirect_count: its packets; 0: the packet is in the ring
 * @indirect_index: packet in it
 * @row: COPY and FILL in execution: row in progress
 * @reserved1: zero
 * @offset: COPY and FILL in execution: bytes of the row that are done
 * @next_group: DISPATCH in execution: index of the next group to start
 * @end_group: DISPATCH in execution: index to stop before
 * @last_end: DISPATCH in execution: cycles until the last group that is complete is
 */
struct tess_ctx_packet {
	struct tess_ctx_section section;
	__le32 phase;
	__le32 reserved0;
	__u8 packet[64];
	__le64 indirect_address;
	__le32 indirect_count;
	__le32 indirect_index;
	__le32 row;
	__le32 reserved1;
	__le64 offset;
	__le64 next_group;
	__le64 end_group;
	__le64 last_end;
};

/**
 * struct tess_ctx_fault - FAULT registers
 *
 * Named as on the client page.
 */
struct tess_ctx_fault {
	__le32 cause;
	__le32 info;
	__le64 addr;
	__le64 pc;
	__le64 packet;
	__le32 indirect;
	__le32 asid;
};

/**
 * struct tess_ctx_hfault - HFAULT section
 * @section: start
 * @cause: HFAULT_CAUSE
 * @access: HFAULT_ACCESS
 * @gpa: HFAULT_GPA
 * @va: HFAULT_VA
 * @refused: the client fault that REFUSE makes of it
 */
struct tess_ctx_hfault {
	struct tess_ctx_section section;
	__le32 cause;
	__le32 access;
	__le64 gpa;
	__le64 va;
	struct tess_ctx_fault refused;
};

/**
 * struct tess_ctx_item - a work-item
 * @pc: next instruction
 * @x: x1 to x31
 * @f: f0 to f31
 * @fcsr: frm in bits 7:5, fflags in bits 4:0
 * @state: 0 running, 1 at a barrier, 2 done
 */
struct tess_ctx_item {
	__le64 pc;
	__le64 x[31];
	__le64 f[32];
	__le32 fcsr;
	__le32 state;
};

/**
 * struct tess_ctx_group - GROUP section
 * @section: start; its size includes items and local memory
 * @slot: of the group, 0 to 7
 * @index: of the group in the grid
 * @items: work-items
 * @local_bytes: local memory, after the items, padded with zeros to 8 bytes
 * @wave: order of execution: wave whose turn it is
 * @pending: lanes of it that are one instruction behind
 * @quantum: instructions left of its turn
 * @leader: per wave
 * @instret: instructions that the group has retired
 * @ahead: cycles that the group's core has to wait before it goes on
 * @item: work-items by flat local id
 */
struct tess_ctx_group {
	struct tess_ctx_section section;
	__le32 slot;
	__le32 index;
	__le32 items;
	__le32 local_bytes;
	__le16 wave;
	__le16 pending;
	__le32 quantum;
	__u8 leader[16];
	__le64 instret;
	__le64 ahead;
	struct tess_ctx_item item[];
};

/* tess_ctx_switch.flags */
#define TESS_CTX_SWITCH_SAVE		(1U << 0)	/* the present client's context */
#define TESS_CTX_SWITCH_RESTORE		(1U << 1)	/* else the slice has no client: as after a client RESET */
#define TESS_CTX_SWITCH_RUN		(1U << 2)	/* CONTROL.RUN afterwards, else halted */
#define TESS_CTX_SWITCH_STAGE2		(1U << 3)	/* CONTROL.STAGE2 afterwards */
#define TESS_CTX_SWITCH_COUNTS		(1U << 4)	/* with TESS_CAPS_TRAFFIC: write the counts */
#define TESS_CTX_SWITCH_UNIT_CYCLES	(1U << 5)	/* with TESS_CAPS_UNIT_CYCLES: write unit_cycles */
#define TESS_CTX_SWITCH_NR_COUNTS	3

/**
 * struct tess_ctx_switch - what a SWITCH does, 64-byte aligned in memory of the host
 * @flags: TESS_CTX_SWITCH_*, the rest zero
 * @engines: ENGINE_MASK afterwards; RESTORE is checked against it
 * @save_addr: SAVE: physical address of the buffer, 4 KiB aligned
 * @save_size: SAVE: its bytes
 * @restore_addr: RESTORE: physical address of the image, 4 KiB aligned
 * @restore_size: RESTORE: its bytes
 * @stage2_root: STAGE2_ROOT afterwards
 * @links: LINK_MASK afterwards
 * @timer: TIMER from the end of the operation on
 * @throttle: THROTTLE afterwards
 * @notify: NOTIFY from the end of the operation on
 * @unit_cycles: written with UNIT_CYCLES: counter 0x90 of the host page; zero without
 * @status: written last: TESS_CTX_DONE or TESS_CTX_ERR_*; the host puts TESS_CTX_IDLE there
 * @reserved1: zero
 * @used: written: bytes of the saved image, or what is needed after TESS_CTX_ERR_SPACE
 * @time: written: GPU time of the end
 * @counts: written with COUNTS: counters 0x78 to 0x88 of the host page; zero without
 *
 * One operation that halts, saves, restores, and runs: the slice stands still for its
 * cycles only, not for the time that a host takes to write registers. If it fails,
 * nothing has changed and the present client runs on.
 */
struct tess_ctx_switch {
	__le32 flags;
	__le32 engines;
	__le64 save_addr;
	__le64 save_size;
	__le64 restore_addr;
	__le64 restore_size;
	__le64 stage2_root;
	__le64 links;
	__le64 timer;
	__le32 throttle;
	__le32 notify;
	__le64 unit_cycles;
	__le32 status;
	__le32 reserved1;
	__le64 used;
	__le64 time;
	__le64 counts[TESS_CTX_SWITCH_NR_COUNTS];
};

#endif
