/* SPDX-License-Identifier: MIT */
#ifndef TESS_LIB_QUEUE_H
#define TESS_LIB_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <drm/tessera_drm.h>

#include "tessera.h"

#define TESS_QUEUE_SLOTS 64
#define TESS_SLOT_PACKETS 8

struct tess_again;
struct tess_buffer;
struct tess_device;
struct tess_fence;

/**
 * struct tess_slot - memory of a job, read and written by the GPU too
 * @packets: the command buffer
 * @before: counters before the work
 * @after: counters after the work; @after.time stays TESS_SLOT_UNDONE if it failed
 * @spare: unused
 * @args: kernel arguments
 */
struct tess_slot {
	uint8_t packets[TESS_SLOT_PACKETS][DRM_TESSERA_PKT_SIZE];
	struct tess_counter_block before;
	struct tess_counter_block after;
	uint8_t spare[384];
	uint8_t args[TESS_MAX_ARGS];
};

#define TESS_SLOT_UNDONE (~0ull)

/**
 * struct tess_queue - the way to one slice; all protected by tess_device::lock
 * @dev: device
 * @slice: number of the slice
 * @id: kernel's queue, 0: none at the moment
 * @dead: a job failed: the kernel's queue takes no more
 * @dead_told: the operation that failed knows why
 * @sync: timeline; job n signals point n
 * @submitted: point of the last job
 * @collected: up to this point, results were taken from the slots
 * @wanted: up to where they must be before the next job can be prepared, after -EAGAIN
 * @again: jobs that were cancelled by a failure that does not concern them
 * @repeats: how often such jobs were sent again
 * @cmd: memory of the slots
 * @scratch: private memory of work-items, or NULL
 * @fences: of the jobs in the slots; job n is in slot n % TESS_QUEUE_SLOTS
 */
struct tess_queue {
	struct tess_device *dev;
	unsigned int slice;
	uint32_t id;
	bool dead;
	bool dead_told;
	uint32_t sync;
	uint64_t submitted;
	uint64_t collected;
	uint64_t wanted;
	STAILQ_HEAD(, tess_again) again;
	unsigned int repeats;
	struct tess_buffer *cmd;
	struct tess_buffer *scratch;
	struct tess_fence *fences[TESS_QUEUE_SLOTS];
};

/*
 * The three that follow prepare a job; the GPU knows nothing of it. They never wait for the GPU:
 * -EAGAIN (without an error text) says that the timeline must reach tess_queue::wanted, and its
 * jobs be collected, before all of it is repeated.
 */

/*
 * The queue of a slice, ready to take a job. -ENXIO (without an error text): the
 * slice is not available.
 */
int tess_queue_get_locked(struct tess_device *dev, unsigned int slice, struct tess_queue **queue);

/* Give the kernel's queue back; @q may be NULL, here and below. */
void tess_queue_stop_locked(struct tess_queue *q);
void tess_queue_free_locked(struct tess_queue *q);

/* The slot of the next job, cleared, and its VA. */
int tess_queue_slot_locked(struct tess_queue *q, struct tess_slot **slot, uint64_t *va);

/* VA of at least @bytes of private memory for the next job. */
int tess_queue_scratch_locked(struct tess_queue *q, uint64_t bytes, uint64_t *va);

/*
 * Send the @packets of the next slot. The job starts after the points @deps of the
 * other slices' queues. -EIO: the queue is dead, get it again; -ENXIO: the slice is
 * not available (both without an error text).
 */
int tess_queue_submit_locked(struct tess_queue *q, unsigned int packets, const uint64_t *deps,
			     struct tess_fence *fence);

/*
 * Did the GPU write what job @point cost? Then its work is done and visible. No lock is
 * needed as long as the queue exists: a slot in use again says "no", or "yes" for a later
 * job, behind which this one can't be.
 */
bool tess_queue_job_done(const struct tess_queue *q, uint64_t point);

/* Take the results of all jobs up to @point, which has been reached. */
void tess_queue_collect_locked(struct tess_queue *q, uint64_t point);

/* Wait until all work so far is over, whatever became of it. Returns 0 or -ETIME. */
int tess_device_wait(struct tess_device *dev, int64_t deadline);

#endif
