/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SCHED_H_
#define _TESSERA_CORE_SCHED_H_

#include <linux/types.h>
#include <linux/workqueue.h>

#include "algo/policy.h"

struct tess_gpu;
struct tess_slice;
struct tess_vgpu;
struct tess_vslice;

#define TESS_QUANTUM_US_DEFAULT		2000
#define TESS_QUANTUM_US_MIN		100
#define TESS_QUANTUM_US_MAX		1000000
#define TESS_TIMEOUT_US_DEFAULT		10000
#define TESS_TIMEOUT_US_MIN		1000
#define TESS_TIMEOUT_US_MAX		10000000

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

/**
 * struct tess_sched_stats - what the scheduler knows of a vslice
 * @slice: number of its home; -1: none
 * @resident: it is on its slice
 * @runnable: it has something to do
 * @run_cycles: busy cycles of its slices for it
 * @wait_cycles: GPU time for which it was runnable and not resident
 * @switches: how often it came in
 * @wakeups: how often it was woken while it had nothing to do
 * @moves: how often its home changed
 * @lost: contexts that were dropped
 * @queue: packets in its ring
 */
struct tess_sched_stats {
	int slice;
	bool resident;
	bool runnable;
	u64 run_cycles;
	u64 wait_cycles;
	u64 switches;
	u64 wakeups;
	u64 moves;
	u64 lost;
	u64 queue;
};

int tess_sched_init(void);
void tess_sched_exit(void);
void tess_sched_init_slice(struct tess_slice *slice);
void tess_sched_init_vslice(struct tess_vslice *vs);
void tess_sched_stop(struct tess_gpu *gpu);

void tess_sched_queue(struct tess_slice *slice);
void tess_sched_charge(struct tess_slice *slice, struct tess_vslice *vs, u64 now, u64 busy,
		       bool idle);
void tess_sched_settle(struct tess_slice *slice);
void tess_sched_restarted(struct tess_slice *slice, struct tess_vslice *vs);
bool tess_sched_wants(const struct tess_vslice *vs);
u64 tess_sched_cycles(const struct tess_gpu *gpu, u32 us);

int tess_sched_set_policy(struct tess_slice *slice, enum tess_policy_kind kind);
int tess_sched_set_quantum(struct tess_slice *slice, u32 us);
int tess_sched_set_timeout(struct tess_slice *slice, u32 us);

int tess_sched_share_changed(struct tess_vgpu *vgpu);
int tess_sched_stats(struct tess_vgpu *vgpu, unsigned int vslice, struct tess_sched_stats *stats);
int tess_sched_home(struct tess_vgpu *vgpu, unsigned int vslice);

#endif
