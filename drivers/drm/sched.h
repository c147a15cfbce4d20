/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_SCHED_H_
#define _TESSERA_DRM_SCHED_H_

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <drm/gpu_scheduler.h>

struct tess_device;
struct tess_ring;
struct tess_queue;
struct tess_submit;
struct tess_usage;
struct tess_vgpu;

/**
 * struct tess_lane - what stands behind a vslice
 * @tdev: device
 * @vslice: index
 * @name: of @sched
 * @sched: decides which queue is next
 * @mutex: serializes making, recovering and destroying @ring. Outside of @lock
 * @lock: protects what follows up to @running. Taken in hard interrupts
 * @ring: where jobs run; NULL: somebody else has the slice, or it is gone. Changes
 *	under @mutex and @lock
 * @stopped: for good: the GPU is gone, or this driver leaves it. Changes under @mutex and @lock
 * @closing: no new submissions, the slice is to be given back
 * @close_at: jiffies when jobs are dropped, if @closing
 * @withdrawn: no new submissions, the host of this GPU took the slice away. What is queued
 *	runs on
 * @kind: enum tess_slice_kind of the slice, the last one if it is withdrawn
 * @pending: struct tess_submit on the ring, in order
 * @fence_context: of the hardware fences
 * @fence_seqno: last one
 * @queued: jobs between submission and their end
 * @running: jobs between run_job() and free_job()
 * @drained: @queued or @running is 0
 * @watchdog: looks at the first of @pending once a second
 * @watched: its sequence number, 0: none. Only for the watchdog
 * @watched_since: client's cycle counter when it was first seen. Only for the watchdog
 */
struct tess_lane {
	struct tess_device *tdev;
	unsigned int vslice;
	char name[16];
	struct drm_gpu_scheduler sched;

	struct mutex mutex;
	spinlock_t lock;
	struct tess_ring *ring;
	bool stopped;
	bool closing;
	unsigned long close_at;
	bool withdrawn;
	u32 kind;
	struct list_head pending;
	u64 fence_context;
	u64 fence_seqno;

	atomic_t queued;
	atomic_t running;
	wait_queue_head_t drained;

	struct delayed_work watchdog;
	u64 watched;
	u64 watched_since;
};

int tess_lane_init(struct tess_lane *lane, struct tess_device *tdev, unsigned int vslice);
void tess_lane_fini(struct tess_lane *lane);
int tess_lane_start(struct tess_lane *lane, struct tess_vgpu *vgpu);
void tess_lane_stop(struct tess_lane *lane);
bool tess_lane_available(struct tess_lane *lane);
bool tess_lane_available_locked(const struct tess_lane *lane);
void tess_lane_update(struct tess_lane *lane);

bool tess_usage_is_banned(const struct tess_usage *usage);
bool tess_queue_is_dead_locked(struct tess_queue *queue);
void tess_lane_reap(struct tess_lane *lane);
void tess_lane_fault(struct tess_lane *lane);
void tess_lane_close(struct tess_lane *lane);
void tess_lane_reclaim(struct tess_lane *lane);

#endif
