/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What guest_work.c and its kernel share. */
#ifndef SELFTESTS_COMPOSE_GUEST_WORK_H
#define SELFTESTS_COMPOSE_GUEST_WORK_H

#include <stdint.h>

/**
 * struct cell - what a work-item leaves behind
 * @count: dispatches that ran it
 * @chain: of their numbers, in the order in which they ran
 */
struct cell {
	uint64_t count;
	uint64_t chain;
};

/**
 * struct work_args - arguments of the kernel
 * @cells: struct cell of each work-item
 * @number: of the dispatch
 * @spin: loops, to take time
 */
struct work_args {
	uint64_t cells;
	uint64_t number;
	uint64_t spin;
};

/* Not commutative: a dispatch that is lost, repeated or out of order shows for good */
static inline uint64_t chain_step(uint64_t chain, uint64_t number, uint64_t item)
{
	return (chain ^ (number * 2654435761u + item)) * 0x9e3779b97f4a7c15ull + 1;
}

#endif
