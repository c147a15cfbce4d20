/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SCHED_H_
#define _TESSERA_CORE_SCHED_H_

#include <linux/types.h>

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

void tess_sched_init_slice(struct tess_slice *slice);
void tess_sched_init_vslice(struct tess_vslice *vs);
void tess_sched_stop(struct tess_gpu *gpu);

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
