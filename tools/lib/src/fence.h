/* SPDX-License-Identifier: MIT */
#ifndef TESS_LIB_FENCE_H
#define TESS_LIB_FENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "error.h"
#include "tessera.h"

struct tess_slot;

/**
 * struct tess_fence - an operation; all protected by tess_device::lock
 * @link: in tess_device::fences
 * @dev: device
 * @concurrent: it does not depend on operations before it
 * @held: somebody may still ask for the result
 * @pending: jobs whose results were not collected
 * @slices: slices that have jobs of it
 * @point: per slice: the last job's point of the slice's timeline
 * @status: 0, or the first failure
 * @text: of the failure
 * @counters: sum over the jobs so far
 * @times: from the first begin to the last end of the jobs so far
 */
struct tess_fence {
	LIST_ENTRY(tess_fence) link;
	struct tess_device *dev;
	bool concurrent;
	bool held;
	unsigned int pending;
	uint64_t slices;
	uint64_t point[TESS_MAX_SLICES];
	int status;
	char text[TESS_ERROR_MAX];
	struct tess_counters counters;
	struct tess_times times;
};

/* How long waits may spin: $TESSERA_SPIN_US, or a default. */
void tess_fence_spin_init(struct tess_device *dev);

/* A new fence that is held; NULL without memory. */
struct tess_fence *tess_fence_new_locked(struct tess_device *dev);

/* Nobody will ask any more: it goes away with its last job. */
void tess_fence_release_locked(struct tess_fence *fence);
void tess_fence_free_locked(struct tess_fence *fence);

/* What queues report about a fence's jobs. The last one may free it. */
void tess_fence_add_job_locked(struct tess_fence *fence, unsigned int slice, uint64_t point);
void tess_fence_finish_job_locked(struct tess_fence *fence, const struct tess_slot *slot);
void tess_fence_fail_job_locked(struct tess_fence *fence, int status, const char *text);

/* The operation failed while other jobs of it were on their way. */
void tess_fence_fail_locked(struct tess_fence *fence, int status, const char *text);

#endif
