/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_JOBS_H_
#define _TESSERA_DRM_JOBS_H_

#include <linux/list.h>
#include <linux/types.h>
#include <drm/gpu_scheduler.h>
#include <tessera/ring.h>

struct tess_fence;
struct tess_lane;
struct tess_queue;

/**
 * struct tess_submit - a job
 * @base: for the scheduler
 * @queue: queue, referenced
 * @lane: where it runs, kept by @queue
 * @fence: hardware fence; referenced by the job if @started, else owned
 * @number: of the SUBMIT, counted by the queue from 1
 * @cmd: index of its command buffer in the SUBMIT
 * @job: for the ring
 * @link: in tess_lane::pending. Under tess_lane::lock
 * @seq: on the ring; of the job that it follows if @follows. Under tess_lane::lock
 * @follows: it does not run, and ends with another job of @queue. Under tess_lane::lock
 * @error: what @fence will be signalled with. Under tess_lane::lock
 * @pushed: counted in tess_lanes::queued
 * @began: run_job() was called; counted in tess_lane::running
 * @started: it was given to the ring, @fence is initialized
 */
struct tess_submit {
	struct drm_sched_job base;
	struct tess_queue *queue;
	struct tess_lane *lane;
	struct tess_fence *fence;
	u64 number;
	u32 cmd;
	struct tess_job job;
	struct list_head link;
	u64 seq;
	int error;
	bool follows;
	bool pushed;
	bool began;
	bool started;
};

static inline struct tess_submit *to_tess_submit(struct drm_sched_job *job)
{
	return container_of(job, struct tess_submit, base);
}

struct tess_submit *tess_lane_first_locked(struct tess_lane *lane, u64 *seq);
void tess_lane_charge(struct tess_lane *lane, const struct tess_submit *submit, u64 cycles);
void tess_lane_collect_locked(struct tess_lane *lane, struct list_head *done);
void tess_lane_fail_locked(struct tess_lane *lane, int error, struct list_head *done);
void tess_lane_signal(struct list_head *done);
void tess_lane_reap(struct tess_lane *lane);
void tess_submit_free(struct tess_submit *submit);

#endif
