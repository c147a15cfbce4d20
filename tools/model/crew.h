/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that share the steps of several items. Knows nothing of GPUs: an item is a number.
 */
#ifndef TESS_MODEL_CREW_H
#define TESS_MODEL_CREW_H

#include <stdbool.h>

#define CREW_ITEMS_MAX 64
#define CREW_THREADS_MAX 64

struct crew;

/**
 * struct crew_ops - what the threads do
 * @step: do step @nr of @item; steps of an item come in their order, one at a time, each in
 *	any thread and after all that the step before it has done. Returns true if the items
 *	shall meet as soon as possible
 * @enough: shall the items meet? Called in the owner's thread only, after @steps of the
 *	furthest item, or NULL
 */
struct crew_ops {
	bool (*step)(void *opaque, unsigned int item, unsigned int nr);
	bool (*enough)(void *opaque, unsigned int steps);
};

/** crew_new() - @threads (2 to CREW_THREADS_MAX), the caller's one among them; NULL: no resources */
struct crew *crew_new(unsigned int threads);

/** crew_free() - end the threads; NULL is nothing */
void crew_free(struct crew *c);

/**
 * crew_run() - do steps of @items (1 to CREW_ITEMS_MAX) items, each the same number
 * @limit: of steps, at least 1
 *
 * All has happened before it returns. Context: one thread at a time, not from @ops.
 *
 * Returns: number of steps that each item did, 1 to @limit.
 */
unsigned int crew_run(struct crew *c, unsigned int items, unsigned int limit,
		      const struct crew_ops *ops, void *opaque);

#endif /* TESS_MODEL_CREW_H */
