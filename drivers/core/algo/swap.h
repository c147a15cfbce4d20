/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SWAP_H_
#define _TESSERA_CORE_SWAP_H_

#include <linux/types.h>

/* A slice must have been crowded so many looks in a row before a vslice leaves it */
#define TESS_SWAP_PATIENCE	2u
/* For so many periods a vslice stays where it is after a move, twice as many after another */
#define TESS_SWAP_HOLD		10
/* For so many it does not return to a slice that it left */
#define TESS_SWAP_AVOID		128
/* Moves that fit in that time */
#define TESS_SWAP_MOVES		4

/**
 * enum tess_swap_reason - why the swapper moves a vslice, or nothing
 * @TESS_SWAP_CROWDED: moved, its slice is asked for more than it can do and the other can
 *	do more than it is asked for
 * @TESS_SWAP_REBALANCE: moved, all slices have too much to do, but one less than another
 * @TESS_SWAP_BALANCED: no move, no slice with vslices that may be moved is crowded
 * @TESS_SWAP_HELD: no move, those that would gain were moved a short time ago, or their
 *	slice has not been crowded for long enough
 * @TESS_SWAP_GAIN: no move, the gain is too small
 * @TESS_SWAP_NOWHERE: no move, there is no other slice for those that may be moved
 */
enum tess_swap_reason {
	TESS_SWAP_CROWDED,
	TESS_SWAP_REBALANCE,
	TESS_SWAP_BALANCED,
	TESS_SWAP_HELD,
	TESS_SWAP_GAIN,
	TESS_SWAP_NOWHERE,
};

/**
 * enum tess_swap_use - who has a slice; of equally good ones the first here is taken
 * @TESS_SWAP_FREE: nobody
 * @TESS_SWAP_SHARED: vslices that share it
 * @TESS_SWAP_ELASTIC: the host itself, which gives it back
 * @TESS_SWAP_OTHER: somebody alone, or it does not work
 */
enum tess_swap_use {
	TESS_SWAP_FREE,
	TESS_SWAP_SHARED,
	TESS_SWAP_ELASTIC,
	TESS_SWAP_OTHER,
};

/**
 * struct tess_swap_slice - a slice of the pool
 * @gpu: number of its GPU
 * @kind: enum tess_slice_kind
 * @cores: shader cores
 * @engines: TESS_ENGINE_* that it has
 * @use: who has it
 * @room: vslices that may come
 * @looks: for how many looks in a row it has been crowded
 * @load: sum of the demands of those that are on it, permille. From tess_swap_look()
 */
struct tess_swap_slice {
	unsigned int gpu;
	u32 kind;
	u32 cores;
	u32 engines;
	enum tess_swap_use use;
	unsigned int room;
	unsigned int looks;
	u32 load;
};

/**
 * struct tess_swap_member - a vslice that shares its slice
 * @slice: its slice, an index in the pool
 * @owner: number of its vGPU
 * @demand: what it would use of its slice if it were alone there, permille
 * @kind: enum tess_slice_kind that it must have; TESS_KIND_NONE: any
 * @engines: TESS_ENGINE_* that it may use
 * @automatic: it may be moved
 * @roams: also to another GPU
 * @held: it was moved a short time ago
 * @avoid: slices that it left a short time ago, indices in the pool, -1 none
 */
struct tess_swap_member {
	unsigned int slice;
	unsigned int owner;
	u32 demand;
	u32 kind;
	u32 engines;
	bool automatic;
	bool roams;
	bool held;
	int avoid[TESS_SWAP_MOVES];
};

/**
 * struct tess_swap_pool - what the swapper decides on
 * @nr_slices: entries of @slices
 * @slices: all slices
 * @nr_members: entries of @members
 * @members: all vslices that share
 */
struct tess_swap_pool {
	unsigned int nr_slices;
	struct tess_swap_slice *slices;
	unsigned int nr_members;
	struct tess_swap_member *members;
};

/**
 * struct tess_swap_decision - what to do
 * @reason: why, or why nothing
 * @member: who moves, or whom the reason is about; -1 nobody
 * @to: where; -1 nowhere
 * @gain: what is gained, permille of a slice
 */
struct tess_swap_decision {
	enum tess_swap_reason reason;
	int member;
	int to;
	u32 gain;
};

/**
 * struct tess_swap_memory - what the swapper remembers of a vslice; all zeroes: nothing
 * @moved: periods in which it was moved, the last move first; 0: it was not
 * @from: slices that it left then, indices in the pool
 */
struct tess_swap_memory {
	u64 moved[TESS_SWAP_MOVES];
	unsigned int from[TESS_SWAP_MOVES];
};

void tess_swap_look(struct tess_swap_pool *pool);
bool tess_swap_decide(const struct tess_swap_pool *pool, struct tess_swap_decision *decision);
void tess_swap_apply(struct tess_swap_pool *pool, const struct tess_swap_decision *decision);
void tess_swap_remember(struct tess_swap_memory *memory, u64 period, unsigned int from);
void tess_swap_recall(const struct tess_swap_memory *memory, u64 period,
		      struct tess_swap_member *member);

#endif
