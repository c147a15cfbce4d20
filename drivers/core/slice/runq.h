/* SPDX-License-Identifier: GPL-2.0-only */
/* What a slice and its vslices keep for the scheduler, which is in run/ */
#ifndef _TESSERA_CORE_RUNQ_H_
#define _TESSERA_CORE_RUNQ_H_

#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "algo/policy.h"

/**
 * struct tess_runq - the vslices that share a slice
 * @policy: who is next. Under tess_slice.hw; its members also under tess_gpu.lock, either
 *	is enough to read them
 * @quantum_us: length of a turn, in GPU time. Under tess_slice.hw
 * @timeout_us: in which a client must have stopped, in GPU time. Under tess_slice.hw
 * @work: the scheduler
 * @turn_start: GPU time at which the turn of the resident vslice began. Under tess_slice.hw
 * @now: GPU time when it was last asked for. Under tess_slice.hw
 * @charged_at: GPU time up to which it is charged. Under tess_slice.hw
 * @contested: somebody else wants to run since then. Under tess_slice.hw
 * @armed: the slice reports an event some time. Under tess_slice.hw
 * @failures: switches in a row that failed. Under tess_slice.hw
 * @switches: vslices that came in. Written under tess_slice.hw, as the following
 * @preemptions: turns that ended before the work did
 * @timeouts: clients that did not stop in time
 * @moves_in: vslices that came from another slice. Written under tess_gpu.compose
 * @moves_out: vslices that went to another slice. Written under tess_gpu.compose
 */
struct tess_runq {
	struct tess_policy policy;
	u32 quantum_us;
	u32 timeout_us;
	struct work_struct work;
	u64 turn_start;
	u64 now;
	u64 charged_at;
	bool contested;
	bool armed;
	unsigned int failures;
	u64 switches;
	u64 preemptions;
	u64 timeouts;
	u64 moves_in;
	u64 moves_out;
};

/**
 * struct tess_sched_entity - a vslice as the scheduler sees it
 * @policy: its place in the order. Under tess_slice.hw of the home slice, as the
 *	following unless they say otherwise
 * @has_work: its context says so
 * @woken: its client stored to a doorbell. Any context; cleared when it comes in
 * @kicked: @kick is to be stored to the doorbell when it comes in
 * @kick: write index
 * @writes: registers to write when it comes in: &struct tess_turn. Under tess_gpu.lock
 * @busy: its BUSY counter up to which it is charged
 * @wait_since: GPU time since when it is runnable and not resident; 0: it is not
 * @run_cycles: busy cycles
 * @wait_cycles: GPU time for which it was runnable and not resident
 * @in_cycles: @run_cycles when its residence began
 * @switches: how often it came in
 * @wakeups: how often it was woken while it had nothing to do
 * @moves: how often its home changed. Written under tess_gpu.compose
 * @lost: contexts that were dropped
 */
struct tess_sched_entity {
	struct tess_policy_entity policy;
	bool has_work;
	bool woken;
	bool kicked;
	u64 kick;
	struct list_head writes;
	u64 busy;
	u64 wait_since;
	u64 run_cycles;
	u64 wait_cycles;
	u64 in_cycles;
	u64 switches;
	u64 wakeups;
	u64 moves;
	u64 lost;
};

#endif
