/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Packets of the Tessera GPU.
 *
 * A ring, and an indirect buffer, is an array of 64-byte packets. All fields are
 * little endian; fields named "reserved" must be zero, a packet in which one is
 * not faults with DRM_TESSERA_CAUSE_ILLEGAL_PACKET. Packets of a ring run strictly in
 * order: each one starts when its predecessor is complete, so that the barrier
 * bit of the header needs no action. Documentation/hw/packets.rst is the
 * authority on what each packet does.
 *
 * The DISPATCH layout is that of the kernel-dispatch packet of the HSA Platform
 * System Architecture Specification 1.2 (AQL), with its second reserved
 * quadword in use as @scratch_address.
 */
#ifndef _UAPI_TESSERA_PACKET_H_
#define _UAPI_TESSERA_PACKET_H_

#include <linux/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define DRM_TESSERA_PKT_SIZE			64

/* header: type, barrier, acquire and release scopes as in AQL */
#define DRM_TESSERA_PKT_TYPE_MASK		0x00ff
#define DRM_TESSERA_PKT_BARRIER			0x0100
#define DRM_TESSERA_PKT_ACQUIRE_MASK		0x0600 /* not 0: decoded instructions are dropped first */
#define DRM_TESSERA_PKT_ACQUIRE_SYSTEM		0x0400
#define DRM_TESSERA_PKT_RELEASE_MASK		0x1800 /* accepted; memory is always coherent */
#define DRM_TESSERA_PKT_RELEASE_SYSTEM		0x1000
#define DRM_TESSERA_PKT_HEADER_RESERVED		0xe000

/**
 * enum tess_pkt_type - packet types
 * @DRM_TESSERA_PKT_DISPATCH: run a grid of work-groups (AQL layout)
 * @DRM_TESSERA_PKT_NOP: nothing
 * @DRM_TESSERA_PKT_SET_VM: choose the address space of what follows; ring only
 * @DRM_TESSERA_PKT_INDIRECT: run the packets of a buffer, unprivileged; ring only
 * @DRM_TESSERA_PKT_COPY: copy memory, linear or in rows
 * @DRM_TESSERA_PKT_FILL: fill memory with a 32-bit pattern
 * @DRM_TESSERA_PKT_FENCE: write a sequence number to the completion record; ring only
 * @DRM_TESSERA_PKT_WAIT: wait until a 64-bit word in memory fulfils a condition
 * @DRM_TESSERA_PKT_SIGNAL: change a 64-bit word in memory
 * @DRM_TESSERA_PKT_TIMESTAMP: write the time, or a block of counters, to memory
 * @DRM_TESSERA_PKT_DISPATCH_RANGE: run a part of the work-groups of a grid
 * @DRM_TESSERA_PKT_DRAW: draw triangles; needs the raster engine
 *
 * Types that are not named here fault with DRM_TESSERA_CAUSE_ILLEGAL_PACKET.
 */
enum tess_pkt_type {
	DRM_TESSERA_PKT_DISPATCH = 0x02,
	DRM_TESSERA_PKT_NOP = 0x80,
	DRM_TESSERA_PKT_SET_VM = 0x81,
	DRM_TESSERA_PKT_INDIRECT = 0x82,
	DRM_TESSERA_PKT_COPY = 0x83,
	DRM_TESSERA_PKT_FILL = 0x84,
	DRM_TESSERA_PKT_FENCE = 0x85,
	DRM_TESSERA_PKT_WAIT = 0x86,
	DRM_TESSERA_PKT_SIGNAL = 0x87,
	DRM_TESSERA_PKT_TIMESTAMP = 0x88,
	DRM_TESSERA_PKT_DISPATCH_RANGE = 0x89,
	DRM_TESSERA_PKT_DRAW = 0x90,
};

/**
 * struct tess_pkt_dispatch - DRM_TESSERA_PKT_DISPATCH and DRM_TESSERA_PKT_DISPATCH_RANGE
 * @header: type and scopes
 * @setup: number of dimensions, 1 to 3; unused ones must have size 1. Or-ed with
 *	DRM_TESSERA_SETUP_*: units that the kernel can use, if the slice has them
 * @wg_size: work-items of a work-group in x, y, z; product 1 to DRM_TESSERA_MAX_GROUP_ITEMS
 * @reserved0: zero
 * @grid_size: work-items of the grid in x, y, z; groups at the edge are partial
 * @private_segment_size: bytes of private memory (stack) per work-item, a multiple of 16
 * @group_segment_size: bytes of local memory per work-group, at most DRM_TESSERA_MAX_LOCAL_BYTES
 * @kernel_object: VA of the first instruction of the kernel
 * @kernarg_address: VA that every work-item finds in a0
 * @scratch_address: VA of DRM_TESSERA_GROUP_SLOTS * items of a group * @private_segment_size
 *	bytes for private memory, 16-byte aligned; 0 if @private_segment_size is 0
 * @completion_signal: DISPATCH: VA of a 64-bit word that is decremented by one when
 *	the grid is complete, 0 for none. DISPATCH_RANGE: see @first_group
 * @first_group: DISPATCH_RANGE only: the low half of @completion_signal: linear index
 *	(x fastest) of the first work-group to run
 * @group_count: DISPATCH_RANGE only: the high half: number of work-groups to run, at
 *	least 1, the range inside the grid
 *
 * A work-group runs on one shader core; work-items see ids of the whole grid in
 * both packets (Documentation/hw/isa.rst).
 */
struct tess_pkt_dispatch {
	__le16 header;
	__le16 setup;
	__le16 wg_size[3];
	__le16 reserved0;
	__le32 grid_size[3];
	__le32 private_segment_size;
	__le32 group_segment_size;
	__le64 kernel_object;
	__le64 kernarg_address;
	__le64 scratch_address;
	__le64 completion_signal;
};

/*
 * In struct tess_pkt_dispatch::setup (Documentation/hw/units.rst). A GPU that lacks the bit in
 * TESS_REG_CAPS faults with DRM_TESSERA_CAUSE_ILLEGAL_PACKET.
 */
#define DRM_TESSERA_SETUP_TEX			0x0100
#define DRM_TESSERA_SETUP_ROP			0x0200
#define DRM_TESSERA_SETUP_RAY			0x0400
#define DRM_TESSERA_SETUP_UNITS			0x0700

/* In struct tess_pkt_dispatch::completion_signal of a DISPATCH_RANGE */
#define DRM_TESSERA_DISPATCH_RANGE(first, count) \
	((__u64)(__u32)(first) | (__u64)(__u32)(count) << 32)

/**
 * struct tess_pkt_set_vm - DRM_TESSERA_PKT_SET_VM, ring only
 * @header: type
 * @flags: DRM_TESSERA_SET_VM_FLUSH
 * @asid: address space id; entries of other ids may stay in the translation cache
 * @reserved0: zero
 * @root: client-physical address of the Sv39 root table, 4 KiB aligned; 0: none,
 *	addresses in ring packets are client-physical and INDIRECT faults
 * @reserved1: zero
 */
struct tess_pkt_set_vm {
	__le16 header;
	__le16 flags;
	__le16 asid;
	__le16 reserved0;
	__le64 root;
	__le64 reserved1[6];
};

#define DRM_TESSERA_SET_VM_FLUSH		0x0001 /* drop the stage-1 translations of @asid first */

/**
 * struct tess_pkt_indirect - DRM_TESSERA_PKT_INDIRECT, ring only
 * @header: type
 * @reserved0: zero
 * @count: number of packets, 1 to DRM_TESSERA_MAX_INDIRECT
 * @address: VA of the first packet, 64-byte aligned
 * @reserved1: zero
 *
 * The packets are fetched and run with the rights of a shader (pages need the U
 * bit). SET_VM, INDIRECT and FENCE in the buffer fault with
 * DRM_TESSERA_CAUSE_PRIVILEGED_PACKET.
 */
struct tess_pkt_indirect {
	__le16 header;
	__le16 reserved0;
	__le32 count;
	__le64 address;
	__le64 reserved1[6];
};

#define DRM_TESSERA_MAX_INDIRECT		65536

/**
 * struct tess_pkt_copy - DRM_TESSERA_PKT_COPY, copy engine
 * @header: type
 * @reserved0: zero
 * @rows: number of rows, at least 1
 * @src: VA of the first source byte
 * @dst: VA of the first destination byte
 * @row_bytes: bytes of a row, 1 to 2^32
 * @src_pitch: bytes from a source row to the next
 * @dst_pitch: bytes from a destination row to the next
 * @reserved1: zero
 *
 * Rows are copied in order, each in ascending addresses; overlap gives the result
 * of that order. On a fault, what was copied stays; a resumed copy goes on where
 * it stopped.
 */
struct tess_pkt_copy {
	__le16 header;
	__le16 reserved0;
	__le32 rows;
	__le64 src;
	__le64 dst;
	__le64 row_bytes;
	__le64 src_pitch;
	__le64 dst_pitch;
	__le64 reserved1[2];
};

/**
 * struct tess_pkt_fill - DRM_TESSERA_PKT_FILL, copy engine
 * @header: type
 * @reserved0: zero
 * @rows: number of rows, at least 1
 * @dst: VA, 4-byte aligned
 * @row_bytes: bytes of a row, a multiple of 4, 4 to 2^32
 * @dst_pitch: bytes from a row to the next, a multiple of 4
 * @pattern: value of every 32-bit word
 * @reserved1: zero
 * @reserved2: zero
 */
struct tess_pkt_fill {
	__le16 header;
	__le16 reserved0;
	__le32 rows;
	__le64 dst;
	__le64 row_bytes;
	__le64 dst_pitch;
	__le32 pattern;
	__le32 reserved1;
	__le64 reserved2[3];
};

/**
 * struct tess_pkt_fence - DRM_TESSERA_PKT_FENCE, ring only
 * @header: type
 * @flags: DRM_TESSERA_FENCE_IRQ
 * @reserved0: zero
 * @seq: sequence number; unsigned and growing, by any step
 * @reserved1: zero
 *
 * All earlier packets are complete and their writes visible before the record is
 * written (struct tess_completion_record).
 */
struct tess_pkt_fence {
	__le16 header;
	__le16 flags;
	__le32 reserved0;
	__le64 seq;
	__le64 reserved1[6];
};

#define DRM_TESSERA_FENCE_IRQ			0x0001 /* raise the completion vector if the event index is passed */

/**
 * enum tess_wait_op - conditions of DRM_TESSERA_PKT_WAIT on (word & mask) and value
 * @DRM_TESSERA_WAIT_EQ: equal
 * @DRM_TESSERA_WAIT_NE: not equal
 * @DRM_TESSERA_WAIT_GE: greater or equal, unsigned
 * @DRM_TESSERA_WAIT_LT: less, unsigned
 */
enum tess_wait_op {
	DRM_TESSERA_WAIT_EQ = 0,
	DRM_TESSERA_WAIT_NE = 1,
	DRM_TESSERA_WAIT_GE = 2,
	DRM_TESSERA_WAIT_LT = 3,
};

/**
 * struct tess_pkt_wait - DRM_TESSERA_PKT_WAIT
 * @header: type
 * @op: enum tess_wait_op
 * @reserved0: zero
 * @address: VA of a 64-bit word, 8-byte aligned
 * @value: compared with
 * @mask: applied to the word first
 * @reserved1: zero
 */
struct tess_pkt_wait {
	__le16 header;
	__le16 op;
	__le32 reserved0;
	__le64 address;
	__le64 value;
	__le64 mask;
	__le64 reserved1[4];
};

/**
 * enum tess_signal_op - operations of DRM_TESSERA_PKT_SIGNAL, each one atomic
 * @DRM_TESSERA_SIGNAL_SET: word = value
 * @DRM_TESSERA_SIGNAL_ADD: word += value
 * @DRM_TESSERA_SIGNAL_OR: word |= value
 */
enum tess_signal_op {
	DRM_TESSERA_SIGNAL_SET = 0,
	DRM_TESSERA_SIGNAL_ADD = 1,
	DRM_TESSERA_SIGNAL_OR = 2,
};

/**
 * struct tess_pkt_signal - DRM_TESSERA_PKT_SIGNAL
 * @header: type
 * @op: enum tess_signal_op
 * @reserved0: zero
 * @address: VA of a 64-bit word, 8-byte aligned
 * @value: operand
 * @reserved1: zero
 */
struct tess_pkt_signal {
	__le16 header;
	__le16 op;
	__le32 reserved0;
	__le64 address;
	__le64 value;
	__le64 reserved1[5];
};

/**
 * struct tess_pkt_timestamp - DRM_TESSERA_PKT_TIMESTAMP
 * @header: type
 * @flags: 0: the 64-bit GPU time in cycles is written.
 *	DRM_TESSERA_TIMESTAMP_COUNTERS: a struct tess_counter_block is written
 * @reserved0: zero
 * @address: VA, 8-byte aligned
 * @reserved1: zero
 */
struct tess_pkt_timestamp {
	__le16 header;
	__le16 flags;
	__le32 reserved0;
	__le64 address;
	__le64 reserved1[6];
};

#define DRM_TESSERA_TIMESTAMP_COUNTERS		0x0001

/**
 * struct tess_counter_block - what DRM_TESSERA_TIMESTAMP_COUNTERS writes
 * @time: GPU time in cycles
 * @busy: cycles in which this vslice ran a packet
 * @stall: core cycles lost to translation and link fills
 * @instructions: instructions retired by all shader cores
 * @flops: floating-point operations (a fused multiply-add counts two)
 * @bytes: bytes moved by the copy engine
 * @link_bytes: bytes that crossed a fabric link
 * @groups: work-groups completed
 *
 * All but @time count from the last reset of the slice and wrap at 2^64.
 */
struct tess_counter_block {
	__le64 time;
	__le64 busy;
	__le64 stall;
	__le64 instructions;
	__le64 flops;
	__le64 bytes;
	__le64 link_bytes;
	__le64 groups;
};

/**
 * struct tess_pkt_draw - DRM_TESSERA_PKT_DRAW, raster engine
 * @header: type
 * @flags: zero
 * @count: number of vertices, a multiple of 3
 * @state: VA of the draw state (Documentation/hw/packets.rst)
 * @vertices: VA of the first vertex
 * @reserved1: zero
 *
 * A GPU whose TESS_REG_CAPS lacks TESS_CAPS_DRAW faults with
 * DRM_TESSERA_CAUSE_ENGINE_DISABLED.
 */
struct tess_pkt_draw {
	__le16 header;
	__le16 flags;
	__le32 count;
	__le64 state;
	__le64 vertices;
	__le64 reserved1[5];
};

/* Limits of the architecture */
#define DRM_TESSERA_MAX_GROUP_ITEMS		256	/* work-items of a work-group */
#define DRM_TESSERA_MAX_LOCAL_BYTES		65536	/* local memory of a work-group */
#define DRM_TESSERA_GROUP_SLOTS			8	/* work-groups in flight on a vslice */

/**
 * enum tess_cause - why a slice stopped
 *
 * 0 to 23 are exception codes of the RISC-V privileged specification, 24 and
 * above (its "custom use" range) belong to this GPU.
 *
 * @DRM_TESSERA_CAUSE_FETCH_MISALIGNED: instruction address misaligned
 * @DRM_TESSERA_CAUSE_FETCH_ACCESS: instruction access fault (no memory there)
 * @DRM_TESSERA_CAUSE_ILLEGAL_INSN: illegal instruction
 * @DRM_TESSERA_CAUSE_BREAKPOINT: ebreak
 * @DRM_TESSERA_CAUSE_LOAD_MISALIGNED: misaligned lr, or descriptor of a unit
 * @DRM_TESSERA_CAUSE_LOAD_ACCESS: load access fault (no memory there), or bad field of a
 *	descriptor
 * @DRM_TESSERA_CAUSE_STORE_MISALIGNED: misaligned sc or amo
 * @DRM_TESSERA_CAUSE_STORE_ACCESS: store access fault (no memory there)
 * @DRM_TESSERA_CAUSE_ECALL: ecall
 * @DRM_TESSERA_CAUSE_FETCH_PAGE: instruction page fault of stage 1
 * @DRM_TESSERA_CAUSE_LOAD_PAGE: load page fault of stage 1
 * @DRM_TESSERA_CAUSE_STORE_PAGE: store page fault of stage 1
 * @DRM_TESSERA_CAUSE_FETCH_GUEST_PAGE: instruction page fault of stage 2 (to the host)
 * @DRM_TESSERA_CAUSE_LOAD_GUEST_PAGE: load page fault of stage 2 (to the host)
 * @DRM_TESSERA_CAUSE_STORE_GUEST_PAGE: store page fault of stage 2 (to the host)
 * @DRM_TESSERA_CAUSE_ILLEGAL_PACKET: unknown type, bad field, reserved field not zero
 * @DRM_TESSERA_CAUSE_PRIVILEGED_PACKET: a ring packet in an indirect buffer
 * @DRM_TESSERA_CAUSE_ENGINE_DISABLED: the packet needs an engine that was not given
 * @DRM_TESSERA_CAUSE_LINK_DISABLED: access to a VRAM bank without a fabric link to it
 * @DRM_TESSERA_CAUSE_DOORBELL: write index outside [read index, read index + ring size]
 * @DRM_TESSERA_CAUSE_NO_COMPLETION: FENCE without a completion record address
 * @DRM_TESSERA_CAUSE_NOT_PREEMPTED: the host dropped the work: it did not stop in time for
 *	another client
 * @DRM_TESSERA_CAUSE_CONTEXT_LOST: the host dropped the work: its state was lost, because what
 *	was saved of it is damaged, or because the GPU forgot it
 */
enum tess_cause {
	DRM_TESSERA_CAUSE_FETCH_MISALIGNED = 0,
	DRM_TESSERA_CAUSE_FETCH_ACCESS = 1,
	DRM_TESSERA_CAUSE_ILLEGAL_INSN = 2,
	DRM_TESSERA_CAUSE_BREAKPOINT = 3,
	DRM_TESSERA_CAUSE_LOAD_MISALIGNED = 4,
	DRM_TESSERA_CAUSE_LOAD_ACCESS = 5,
	DRM_TESSERA_CAUSE_STORE_MISALIGNED = 6,
	DRM_TESSERA_CAUSE_STORE_ACCESS = 7,
	DRM_TESSERA_CAUSE_ECALL = 8,
	DRM_TESSERA_CAUSE_FETCH_PAGE = 12,
	DRM_TESSERA_CAUSE_LOAD_PAGE = 13,
	DRM_TESSERA_CAUSE_STORE_PAGE = 15,
	DRM_TESSERA_CAUSE_FETCH_GUEST_PAGE = 20,
	DRM_TESSERA_CAUSE_LOAD_GUEST_PAGE = 21,
	DRM_TESSERA_CAUSE_STORE_GUEST_PAGE = 23,
	DRM_TESSERA_CAUSE_ILLEGAL_PACKET = 24,
	DRM_TESSERA_CAUSE_PRIVILEGED_PACKET = 25,
	DRM_TESSERA_CAUSE_ENGINE_DISABLED = 26,
	DRM_TESSERA_CAUSE_LINK_DISABLED = 27,
	DRM_TESSERA_CAUSE_DOORBELL = 28,
	DRM_TESSERA_CAUSE_NO_COMPLETION = 29,
	DRM_TESSERA_CAUSE_NOT_PREEMPTED = 30,
	DRM_TESSERA_CAUSE_CONTEXT_LOST = 31,
};

#if defined(__cplusplus)
}
#endif

#endif
