/* SPDX-License-Identifier: MIT */
#ifndef TESS_LIB_DEVICE_H
#define TESS_LIB_DEVICE_H

#include <pthread.h>
#include <stdint.h>
#include <sys/queue.h>
#include <drm/tessera_drm.h>

#include "error.h"
#include "tessera.h"
#include "va.h"

struct tess_kmd;
struct tess_queue;

/**
 * struct tess_device - an open GPU
 * @error: has its own lock
 * @order: held while an operation is started, also while that waits for the GPU; taken first
 * @lock: protects everything below that changes after tess_open(); nobody waits for the GPU
 *	with it held
 * @kmd: constant
 * @id: constant: how it was found
 * @vm: constant: the kernel's address space, 0 once it is gone
 * @limits: constant: the first answer about the GPU, for what does not change
 * @gpu: last answer about the GPU, for what does
 * @slices: last answer about the slices
 * @va: addresses in use
 * @queues: per slice, made at first use, kept until the device is closed
 * @buffers: all of them
 * @programs: all of them
 * @fences: all of them, destroyed ones with work in flight too
 * @lost_error: first error of an operation whose fence nobody has
 * @lost_text: its text
 * @spin_ns: how long waits look at memory before they sleep
 * @spin_max_ns: constant: limit of it
 * @hint_operations: what tess_hint() was told that the kernel does not know yet
 * @hint_frames: the same
 * @priority: of kernel queues, DRM_TESSERA_PRIORITY_*
 */
struct tess_device {
	struct tess_error_state error;
	pthread_mutex_t order;
	pthread_mutex_t lock;
	struct tess_kmd *kmd;
	struct tess_node id;
	uint32_t vm;
	struct drm_tessera_query_gpu limits;
	struct drm_tessera_query_gpu gpu;
	struct drm_tessera_query_slice slices[TESS_MAX_SLICES];
	struct tess_va va;
	struct tess_queue *queues[TESS_MAX_SLICES];
	LIST_HEAD(, tess_buffer) buffers;
	LIST_HEAD(, tess_program) programs;
	LIST_HEAD(, tess_fence) fences;
	int lost_error;
	char lost_text[TESS_ERROR_MAX];
	int64_t spin_ns;
	int64_t spin_max_ns;
	uint64_t hint_operations;
	uint32_t hint_frames;
	uint32_t priority;
};

/* Ask the kernel for @dev->gpu and @dev->slices again. */
int tess_device_refresh_locked(struct tess_device *dev);

/* TESS_UNIT_* that the GPU knows of: in its caps from bit 7 on, in their order. */
static inline uint32_t tess_known_units(const struct tess_device *dev)
{
	return dev->gpu.caps >> 7 & 7;
}

/* A request to the kernel failed: "cannot @what: reason". Returns @err. */
int tess_device_fail(struct tess_device *dev, int err, const char *what);

/* Absolute CLOCK_MONOTONIC time of a relative timeout as in tess_fence_wait(). */
int64_t tess_deadline(int64_t timeout_ns);

#endif
