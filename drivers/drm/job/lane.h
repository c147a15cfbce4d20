/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_LANE_H_
#define _TESSERA_DRM_LANE_H_

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <drm/gpu_scheduler.h>

struct tess_device;
struct tess_lanes;
struct tess_ring;
struct tess_usage;
struct tess_vgpu;

/* Jobs on a ring: enough to hide the way of a completion to the CPU and back */
#define TESS_LANE_JOBS		16

/**
 * struct tess_lane - a ring, and what feeds it
 * @ref: held by queues; of a lane that all open files share also by @lanes
 * @tdev: device
 * @lanes: the lanes of the same slice
 * @link: in @lanes
 * @usage: open file whose lane it is, referenced; NULL: all of them share it
 * @priority: DRM_TESSERA_PRIORITY_* of its queues, if @usage
 * @name: of @sched
 * @sched: decides which queue is next
 * @ended: @sched is no more. Under tess_lanes::make
 * @mutex: serializes what changes or recovers @ring. Outside of @lock
 * @lock: protects what follows up to @running. Taken in hard interrupts
 * @ring: where jobs run; NULL: somebody else has the slice, it is gone, or a recovery left no ring
 *	and the next one is being made. Changes under @mutex and @lock, to a ring only under
 *	tess_lanes::make and tess_lanes::mutex as well
 * @pending: struct tess_submit on the ring, in order
 * @fence_context: of the hardware fences
 * @fence_seqno: last one
 * @running: jobs between run_job() and free_job()
 * @fault_work: looks at a fault
 * @watchdog: looks at the first of @pending now and then
 * @watched: sequence number of the first of @pending, 0: none. Only for the watchdog
 * @watched_since: client's cycle counter when it was first seen. Only for the watchdog
 */
struct tess_lane {
	struct kref ref;
	struct tess_device *tdev;
	struct tess_lanes *lanes;
	struct list_head link;
	struct tess_usage *usage;
	u32 priority;
	char name[16];
	struct drm_gpu_scheduler sched;
	bool ended;

	struct mutex mutex;
	spinlock_t lock;
	struct tess_ring *ring;
	struct list_head pending;
	u64 fence_context;
	u64 fence_seqno;

	atomic_t running;

	struct work_struct fault_work;
	struct delayed_work watchdog;
	u64 watched;
	u64 watched_since;
};

/**
 * struct tess_lanes - the lanes of a slice
 * @tdev: device
 * @vslice: number of the slice
 * @make: lanes and their rings are made, and lanes are ended, under it. Outside of @mutex. Memory
 *	may be allocated under this one, not under the following
 * @mutex: protects @list and @present for those that end jobs. Outside of tess_lane::mutex
 * @list: &struct tess_lane. Changes under @make and @mutex
 * @restart: makes rings where a recovery left none
 * @lock: protects what follows up to @kind. Inside of tess_lane::lock
 * @present: this device has the slice. Changes under @mutex and @lock, as the following
 * @stopped: for good: the GPU is gone, or this driver leaves it
 * @closing: no new submissions, the slice is to be given back
 * @close_at: jiffies when jobs are dropped, if @closing
 * @withdrawn: no new submissions, the host of this GPU took the slice away. What is queued
 *	runs on
 * @kind: enum tess_slice_kind of the slice, the last one if it is withdrawn
 * @queued: jobs between submission and their end
 * @drained: @queued or tess_lane::running of one of them is 0
 */
struct tess_lanes {
	struct tess_device *tdev;
	unsigned int vslice;
	struct mutex make;
	struct mutex mutex;
	struct list_head list;
	struct work_struct restart;

	spinlock_t lock;
	bool present;
	bool stopped;
	bool closing;
	unsigned long close_at;
	bool withdrawn;
	u32 kind;

	atomic_t queued;
	wait_queue_head_t drained;
};

struct tess_lane *tess_lane_get(struct tess_lanes *lanes, struct tess_usage *usage, u32 priority);
void tess_lane_put(struct tess_lane *lane);
struct tess_lane *tess_lane_create(struct tess_lanes *lanes, struct tess_usage *usage,
				   u32 priority);
void tess_lane_end(struct tess_lane *lane);

#endif
