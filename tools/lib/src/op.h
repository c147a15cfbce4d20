/* SPDX-License-Identifier: MIT */
#ifndef TESS_LIB_OP_H
#define TESS_LIB_OP_H

#include <stddef.h>
#include <stdint.h>

struct tess_device;
struct tess_fence;
struct tess_queue;
struct tess_slot;

/**
 * struct tess_op - an operation that is split over slices
 * @engine: TESS_HAS_*: what a slice needs to take part
 * @by_cores: shader cores count, else all slices are equal
 * @units: work, in pieces that cannot be split
 * @min_units: not worth another slice with less than that many
 * @slice_mask: slices to use, 0 for all
 * @slice_count: how many of them at most, 0 for all
 * @flags: TESS_OP_*
 * @args: copied into each job
 * @args_size: at most TESS_MAX_ARGS
 * @emit: writes the packet for the units [first, first + count); @slot_va is the
 *	address of the job's struct tess_slot. Returns 0 or an error with a text
 * @data: for @emit
 */
struct tess_op {
	uint32_t engine;
	int by_cores;
	uint64_t units;
	uint64_t min_units;
	uint64_t slice_mask;
	uint32_t slice_count;
	uint32_t flags;
	const void *args;
	size_t args_size;
	int (*emit)(const struct tess_op *op, struct tess_queue *q, void *packet, uint64_t slot_va,
		    uint64_t first, uint64_t count);
	const void *data;
};

/* Start an operation; errors and @fence as in tess_dispatch(). */
int tess_op_start(struct tess_device *dev, const struct tess_op *op, struct tess_fence **fence);

#endif
