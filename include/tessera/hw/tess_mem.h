/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Memory of the Tessera GPU: physical address map, page tables, the completion
 * page and the composition page. Documentation/hw/memory.rst is the authority.
 *
 * Translation follows the RISC-V privileged specification: stage 1 is Sv39 (39-bit
 * VA, lower half only: [0, 2^38)), stage 2 is Sv39x4 (41-bit client-physical
 * address, root table of 16 KiB). PTEs have the specified format; leaves are 4 KiB
 * or 2 MiB (a 1 GiB leaf is a page fault), A and D are set by the GPU (Svadu).
 * Shader accesses, indirect buffers and what they name need U=1 in stage 1 (stage 2
 * always needs U=1, as specified); ring packets may use pages with or without it.
 */
#ifndef _TESSERA_HW_MEM_H_
#define _TESSERA_HW_MEM_H_

#include <linux/bits.h>
#include <linux/types.h>

/*
 * Physical (and client-physical) address map, 41 bits: below TESS_PA_VRAM is the
 * bus (system memory), from it on VRAM, offset 0 first. Addresses at or above
 * TESS_PA_END, and VRAM beyond its size, are access faults.
 */
#define TESS_PA_BITS			41
#define TESS_PA_VRAM			(1ULL << 40)
#define TESS_PA_END			(1ULL << 41)
#define TESS_BUS_BITS			40

#define TESS_VA_BITS			38
#define TESS_VA_END			(1ULL << TESS_VA_BITS)

/* PTE of both stages */
#define TESS_PTE_V			BIT_ULL(0)
#define TESS_PTE_R			BIT_ULL(1)
#define TESS_PTE_W			BIT_ULL(2)
#define TESS_PTE_X			BIT_ULL(3)
#define TESS_PTE_U			BIT_ULL(4)
#define TESS_PTE_G			BIT_ULL(5)
#define TESS_PTE_A			BIT_ULL(6)
#define TESS_PTE_D			BIT_ULL(7)
#define TESS_PTE_PPN			GENMASK_ULL(53, 10)
#define TESS_PTE_RESERVED		GENMASK_ULL(63, 54)

#define TESS_PT_LEVELS			3	/* level 2 is the root */
#define TESS_PT_SHIFT(level)		(12 + 9 * (level))
#define TESS_PT_ENTRIES			512
#define TESS_PT_ROOT2_ENTRIES		2048	/* stage-2 root */

/**
 * struct tess_completion_record - where FENCE reports, 64 bytes, 64-byte aligned
 * @seq: last completed sequence number (written by the GPU)
 * @event: the client's event index (written by the client)
 * @rptr: ring packets completed, the FENCE included (GPU)
 * @time: GPU time in cycles of the FENCE (GPU)
 * @frames: pictures that the client completed (client, the GPU does not access it)
 * @operations: operations that it asked for, as it counts them (the same)
 * @reserved: zero
 *
 * The GPU writes @rptr and @time, then @seq, then, after a full barrier, reads
 * @event. It raises TESS_IRQ_COMPLETION if the FENCE has DRM_TESSERA_FENCE_IRQ and the
 * step from the old to the new @seq passed the event index: old < event <= new as
 * in (u64)(new - event) < (u64)(new - old), where old is the slice's last sequence
 * number (FENCE_SEQ), never read back from the page. A client that writes @event
 * must then, after a full barrier, read @seq again: the completion that it waits
 * for may be there already.
 *
 * The records of the vslices of one client lie in one page, vslice n at 64 * n.
 */
struct tess_completion_record {
	__le64 seq;
	__le64 event;
	__le64 rptr;
	__le64 time;
	__le64 frames;
	__le64 operations;
	__le64 reserved[2];
};

#define TESS_COMPLETION_RECORD_SIZE	64

/**
 * enum tess_topology - links between the slices of a composition
 * @TESS_TOPOLOGY_NONE: no links
 * @TESS_TOPOLOGY_CHAIN: each slice to its neighbours
 * @TESS_TOPOLOGY_RING: a chain whose ends meet
 * @TESS_TOPOLOGY_MESH: all to all
 */
enum tess_topology {
	TESS_TOPOLOGY_NONE = 0,
	TESS_TOPOLOGY_CHAIN = 1,
	TESS_TOPOLOGY_RING = 2,
	TESS_TOPOLOGY_MESH = 3,
};

/**
 * struct tess_composition_slice - a slice in the composition page
 * @id: of the physical slice
 * @kind: enum tess_slice_kind
 * @cores: shader cores
 * @engines: TESS_ENGINE_* that can be used
 * @bank_offset: of the VRAM that is nearest to this slice, in the client's VRAM
 * @bank_size: bytes
 * @links: client's slice numbers whose banks can be reached
 * @flags: TESS_COMPOSITION_SHARED
 * @gpu: number of the GPU that the slice is part of
 */
struct tess_composition_slice {
	__le32 id;
	__le32 kind;
	__le32 cores;
	__le32 engines;
	__le64 bank_offset;
	__le64 bank_size;
	__le64 links;
	__le32 flags;
	__le32 gpu;
};

#define TESS_COMPOSITION_SHARED		BIT(0)

/**
 * struct tess_composition - the composition page
 * @magic: TESS_COMPOSITION_MAGIC
 * @version: 1
 * @seq: odd while the page changes; read before and after (seqlock)
 * @generation: grows with each change, from 1; equals TESS_REG_GENERATION
 * @slice_mask: slices that can be used
 * @vram_size: bytes
 * @slice_count: entries of @slice that are valid
 * @topology: enum tess_topology
 * @engines: union over the slices
 * @heads: display heads, a mask
 * @reserved: zero
 * @slice: by slice number as the client sees it
 */
struct tess_composition {
	__le32 magic;
	__le32 version;
	__le64 seq;
	__le64 generation;
	__le64 slice_mask;
	__le64 vram_size;
	__le32 slice_count;
	__le32 topology;
	__le32 engines;
	__le32 heads;
	__le64 reserved[9];
	struct tess_composition_slice slice[64];
};

#define TESS_COMPOSITION_MAGIC		0x504d4354

#endif
