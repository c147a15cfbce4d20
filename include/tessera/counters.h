/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What slices count, as the core and front-ends know it. A back-end brings its own counters in this
 * order, and leaves what it does not count at 0.
 */
#ifndef _TESSERA_COUNTERS_H_
#define _TESSERA_COUNTERS_H_

/**
 * enum tess_count - index in an array of counters
 * @TESS_COUNT_CYCLES: cycles in which a client was enabled and did not stand at a fault
 * @TESS_COUNT_BUSY: those in which a packet was in progress. Clients are charged for them
 * @TESS_COUNT_STALL: cycles that shader cores lost to translation and to links
 * @TESS_COUNT_INSTRUCTIONS: of shaders
 * @TESS_COUNT_FLOPS: floating-point operations of shaders
 * @TESS_COUNT_TEXELS: texels read
 * @TESS_COUNT_PIXELS: pixels written
 * @TESS_COUNT_BYTES: bytes that the copy engine wrote
 * @TESS_COUNT_LINK_BYTES: bytes that went over links between slices
 * @TESS_COUNT_LINK_HOPS: links that they went over
 * @TESS_COUNT_GROUPS: complete work-groups
 * @TESS_COUNT_PACKETS: complete packets
 * @TESS_COUNT_DISPATCHES: complete dispatches
 * @TESS_COUNT_SWITCHES: how often a client came in
 * @TESS_COUNT_FAULTS: of clients and of the host
 * @TESS_COUNT_RAYS: intersections of rays
 * @TESS_COUNT_GLOBAL_BYTES: bytes that shaders loaded and stored, but for those of private and of
 *	local memory
 * @TESS_COUNT_PRIVATE_BYTES: the same, in private memory
 * @TESS_COUNT_UNIT_CYCLES: BUSY cycles of dispatches that asked for units, also of those that got
 *	none
 * @TESS_COUNTS: number of counters
 */
enum tess_count {
	TESS_COUNT_CYCLES,
	TESS_COUNT_BUSY,
	TESS_COUNT_STALL,
	TESS_COUNT_INSTRUCTIONS,
	TESS_COUNT_FLOPS,
	TESS_COUNT_TEXELS,
	TESS_COUNT_PIXELS,
	TESS_COUNT_BYTES,
	TESS_COUNT_LINK_BYTES,
	TESS_COUNT_LINK_HOPS,
	TESS_COUNT_GROUPS,
	TESS_COUNT_PACKETS,
	TESS_COUNT_DISPATCHES,
	TESS_COUNT_SWITCHES,
	TESS_COUNT_FAULTS,
	TESS_COUNT_RAYS,
	TESS_COUNT_GLOBAL_BYTES,
	TESS_COUNT_PRIVATE_BYTES,
	TESS_COUNT_UNIT_CYCLES,
	TESS_COUNTS
};

#endif
