/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command processor: fetches, checks and runs packets in order. */
#ifndef TESS_MODEL_CP_H
#define TESS_MODEL_CP_H

#include <stdint.h>

#include "mmu.h"

struct slice;

/**
 * enum cp_result - of a packet's execution
 * @CP_DONE: complete
 * @CP_MORE: the time is used up, or it faulted: call again
 */
enum cp_result {
	CP_DONE,
	CP_MORE,
};

/** cp_run() - run packets until the command processor's time reaches @until */
void cp_run(struct slice *s, uint64_t until);

/**
 * cp_check_again() - check the packet in progress as when it was fetched
 *
 * For a packet that comes from a context image. Changes nothing; returns a cause
 * or 0.
 */
int cp_check_again(struct slice *s);

/** cp_mode() - rights of the packet in progress */
enum mmu_mode cp_mode(const struct slice *s);

/**
 * cp_ptr() - host address for an access of the packet in progress
 *
 * The access must not cross a page. Returns NULL after the slice was stopped
 * with a fault.
 */
void *cp_ptr(struct slice *s, uint64_t va, enum mmu_mode mode, enum isa_access access);

#endif /* TESS_MODEL_CP_H */
