/* SPDX-License-Identifier: GPL-2.0-only */
/* What other rooms may use of run/ */
#ifndef _TESSERA_CORE_RUN_H_
#define _TESSERA_CORE_RUN_H_

#include <linux/types.h>

#include "algo/analyze.h"
#include "algo/policy.h"
#include "slice/trace.h"

struct tess_blueprint;
struct tess_gpu;
struct tess_ring;
struct tess_slice;
struct tess_vgpu;
struct tess_vslice;

/* ---- scheduler ---- */

#define TESS_QUANTUM_US_DEFAULT		2000
#define TESS_QUANTUM_US_MIN		100
#define TESS_QUANTUM_US_MAX		1000000
#define TESS_TIMEOUT_US_DEFAULT		10000
#define TESS_TIMEOUT_US_MIN		1000
#define TESS_TIMEOUT_US_MAX		10000000

void tess_sched_init_slice(struct tess_slice *slice);
void tess_sched_init_vslice(struct tess_vslice *vs);
void tess_sched_stop(struct tess_gpu *gpu);
void tess_sched_look_at(struct tess_slice *slice, u64 now);

int tess_sched_set_policy(struct tess_slice *slice, enum tess_policy_kind kind);
int tess_sched_set_quantum(struct tess_slice *slice, u32 us);
int tess_sched_set_timeout(struct tess_slice *slice, u32 us);
int tess_sched_share_changed(struct tess_vgpu *vgpu);

int tess_switch(struct tess_slice *slice, struct tess_vslice *next, enum tess_out_reason reason);
void tess_switch_forget(struct tess_slice *slice);
void tess_turn_cancel(struct tess_vslice *vs, int rc);
void tess_ring_drop(struct tess_ring *ring);

/* ---- accounts ---- */

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

void tess_sched_settle(struct tess_slice *slice);
int tess_sched_stats(struct tess_vgpu *vgpu, unsigned int vslice, struct tess_sched_stats *stats);
int tess_sched_home(struct tess_vgpu *vgpu, unsigned int vslice);

/**
 * enum tess_analyze_who - for whom averages are
 * @TESS_ANALYZE_DECIDE: the swapper or the policy "auto"; the resident vslice is charged, too
 * @TESS_ANALYZE_OBSERVE: a reader, who changes nothing that anybody decides by
 */
enum tess_analyze_who {
	TESS_ANALYZE_DECIDE,
	TESS_ANALYZE_OBSERVE,
};

int tess_analyze_read(struct tess_vgpu *vgpu, unsigned int vslice, enum tess_analyze_who who,
		      struct tess_load *load);

/* ---- what a vslice reaches ---- */

u64 tess_topology_reach(const struct tess_blueprint *bp, unsigned int vslice, unsigned int count);
void tess_vslice_relink(struct tess_vslice *vs);
int tess_vslice_setup(struct tess_vslice *vs, u32 engines);

#endif
