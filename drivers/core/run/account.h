/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_ACCOUNT_H_
#define _TESSERA_CORE_ACCOUNT_H_

#include <linux/types.h>

struct tess_gpu;
struct tess_slice;
struct tess_vgpu;
struct tess_vslice;

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

u64 tess_sched_cycles(const struct tess_gpu *gpu, u32 us);
void tess_sched_init_vslice(struct tess_vslice *vs);
bool tess_sched_wants(const struct tess_vslice *vs);

void tess_sched_charge(struct tess_slice *slice, struct tess_vslice *vs, u64 now, u64 busy,
		       bool idle);
bool tess_sched_charge_resident(struct tess_slice *slice, struct tess_vslice *cur);
void tess_sched_ask_time(struct tess_slice *slice);
void tess_sched_settle(struct tess_slice *slice);
void tess_sched_restarted(struct tess_slice *slice, struct tess_vslice *vs);

int tess_sched_stats(struct tess_vgpu *vgpu, unsigned int vslice, struct tess_sched_stats *stats);
int tess_sched_home(struct tess_vgpu *vgpu, unsigned int vslice);

#endif
