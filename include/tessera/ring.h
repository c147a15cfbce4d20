/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core interface for front-ends whose clients are in the kernel (DRM): rings of an elastic vGPU.
 *
 * What gpu.h says of contexts, of lifetime and of error pointers holds here, too.
 */
#ifndef _TESSERA_RING_H_
#define _TESSERA_RING_H_

#include <linux/types.h>
#include <tessera/counters.h>

struct tess_as;
struct tess_fault;
struct tess_gpu;
struct tess_ring;
struct tess_vgpu;

/**
 * struct tess_job - what a ring runs
 * @as: stage-1 address space of the process, kept until the job is complete
 * @cmd: VA of the packets
 * @count: number of packets, 1 to DRM_TESSERA_MAX_INDIRECT
 * @frames: hint: pictures that are complete with it
 * @operations: hint: operations that its client asked for, as that counts them
 */
struct tess_job {
	struct tess_as *as;
	u64 cmd;
	u32 count;
	u32 frames;
	u64 operations;
};

/**
 * struct tess_ring_ops - call-backs of the core to the owner of a ring
 * @complete: the job that tess_ring_arm() asked for is complete; also once in a while without
 *	need. Hard interrupt context, at most a few microseconds
 * @fault: the ring stands, or may stand, at a fault: tess_ring_fault() tells, and it stands until
 *	tess_ring_recover(). Process context, tess_slice.hw is held: it calls nothing of the
 *	core, and takes no lock under which the core is called
 *
 * Neither runs, or comes, when tess_ring_destroy() has returned.
 */
struct tess_ring_ops {
	void (*complete)(void *priv);
	void (*fault)(void *priv);
};

/**
 * struct tess_ring_params - arguments of tess_ring_create()
 * @weight: of those that take turns on the slice, 1 to TESS_WEIGHT_MAX
 * @ops: call-backs
 * @priv: for them
 */
struct tess_ring_params {
	u32 weight;
	const struct tess_ring_ops *ops;
	void *priv;
};

/**
 * tess_gpu_can_switch() - do rings take turns?
 * @gpu: GPU
 *
 * Any context.
 *
 * Return: true: a vslice can have any number of rings, of which each gets its share of GPU time by
 * weight, and no job keeps others waiting; false: it has one.
 */
bool tess_gpu_can_switch(const struct tess_gpu *gpu);

/**
 * tess_ring_create() - make a ring for a vslice and enable it
 * @vgpu: elastic vGPU
 * @vslice: index
 * @params: what is wanted, copied
 *
 * Allocates memory, so no fence may wait for the caller or for a lock that it holds.
 *
 * Return: ring or error pointer: -EOPNOTSUPP not elastic, -EBUSY has one and the GPU can not
 * switch, -ENXIO the vslice has no slice now, -ENOMEM, -ENODEV.
 */
struct tess_ring *tess_ring_create(struct tess_vgpu *vgpu, unsigned int vslice,
				   const struct tess_ring_params *params);

/**
 * tess_ring_destroy() - stop a ring and free it
 * @ring: ring; jobs that are not complete are dropped. Others on the slice are not affected
 */
void tess_ring_destroy(struct tess_ring *ring);

/**
 * tess_ring_capacity() - jobs that fit in a ring
 * @ring: ring
 *
 * Any context.
 *
 * Return: their number.
 */
unsigned int tess_ring_capacity(const struct tess_ring *ring);

/**
 * tess_ring_submit() - queue a job
 * @ring: ring
 * @job: copied
 * @seq: its sequence number, from 1 without gaps
 *
 * Allocates nothing, does not sleep: fit for drm_sched's run_job(). The caller keeps
 * at most tess_ring_capacity() jobs in flight.
 *
 * Return: 0, -EINVAL nonsense in the job, -ENOSPC ring full, -ENODEV; or what the back-end says of
 * a job that it does not take. @seq is set on 0 only.
 */
int tess_ring_submit(struct tess_ring *ring, const struct tess_job *job, u64 *seq);

/**
 * tess_ring_completed() - how far is a ring?
 * @ring: ring
 *
 * Any context.
 *
 * Return: highest completed sequence number; what its job and earlier ones
 * wrote is visible.
 */
u64 tess_ring_completed(struct tess_ring *ring);

/**
 * tess_ring_arm() - ask for complete() when a job is complete
 * @ring: ring
 * @seq: its sequence number; replaces the one that was asked for before
 *
 * Any context.
 *
 * Return: true if it is complete already, complete() may not come then.
 */
bool tess_ring_arm(struct tess_ring *ring, u64 seq);

/**
 * tess_ring_recover() - drop a job and go on with the next
 * @ring: ring that faulted or hangs
 * @seq: job to drop; nothing is dropped if it is complete by now
 * @cancel: asked for each job behind @seq, with the ring stopped, whether it is to
 *	do nothing (its INDIRECT becomes a NOP): the later jobs of the queue that
 *	failed. Must not sleep. NULL: none
 * @data: for @cancel
 *
 * The dropped job's sequence number counts as completed. Jobs behind it run, except
 * for those that @cancel named, which complete without having done anything.
 *
 * Return: 0; -EALREADY the work of @seq was complete, the ring goes on; -EINVAL no such
 * job; -ENODEV.
 */
int tess_ring_recover(struct tess_ring *ring, u64 seq, bool (*cancel)(void *data, u64 seq),
		      void *data);

/**
 * tess_ring_fault() - the fault at which a ring stands
 * @ring: ring that nobody recovers or destroys meanwhile
 * @fault: filled
 * @seq: job that faulted
 *
 * What fault() brought may be over by the time that its owner has the ring for itself. A ring that
 * did not make room for others in time stands at DRM_TESSERA_CAUSE_NOT_PREEMPTED. One whose state
 * was lost (DRM_TESSERA_CAUSE_CONTEXT_LOST) goes on at once if no job was in progress.
 *
 * Return: 0; -ENOENT it stands at none; -ENODEV.
 */
int tess_ring_fault(struct tess_ring *ring, struct tess_fault *fault, u64 *seq);

/**
 * tess_ring_spent() - GPU cycles that a job took so far
 * @ring: ring that nobody recovers or destroys meanwhile
 * @seq: job at which the ring stands
 *
 * Return: cycles that it kept its vslice busy; 0: it has not begun, or the GPU is gone.
 */
u64 tess_ring_spent(struct tess_ring *ring, u64 seq);

/**
 * tess_ring_usage() - GPU cycles that a job kept its vslice busy
 * @ring: ring
 * @seq: completed job, among the last tess_ring_capacity() ones
 *
 * From counter blocks that the ring writes around the job (TIMESTAMP packets to host
 * memory), so that accounting costs no register access. Any context.
 *
 * Return: cycles; 0 for a job that did nothing, or is not among those.
 */
u64 tess_ring_usage(struct tess_ring *ring, u64 seq);

/**
 * tess_ring_counters() - what a slice did for a ring so far
 * @ring: ring that nobody destroys meanwhile
 * @counters: TESS_COUNT_* in order
 *
 * Return: 0, -ENODEV.
 */
int tess_ring_counters(struct tess_ring *ring, u64 counters[TESS_COUNTS]);

#endif
