/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which lanes of a group execute next. */
#ifndef TESS_MODEL_ISA_SCHED_H
#define TESS_MODEL_ISA_SCHED_H

#include "internal.h"

/* Hart-instructions of a wave's turn, while other waves can run. */
#define ISA_QUANTUM 8192

/*
 * Lanes of one wave that are at the same pc.
 * @limit: nearest pc above, where other lanes of the wave wait to join
 * @alone: @limit bounds jumps too: going below it, no other lane is met
 * @once:  rest of an instruction that other lanes have executed already
 */
struct isa_set {
	uint64_t pc;
	uint64_t limit;
	uint32_t mask;
	bool alone;
	bool once;
};

#define isa_sched_check ISA_NAME(isa_sched_check)
#define isa_sched_wave ISA_NAME(isa_sched_wave)
#define isa_sched_set ISA_NAME(isa_sched_set)
#define isa_sched_rotate ISA_NAME(isa_sched_rotate)

/* Make any contents of g->sched safe to use. */
void isa_sched_check(struct isa_group *g);

/*
 * Point g->sched.wave at a wave with running lanes, open the barrier if all
 * wait there. Returns false if all harts are done.
 */
bool isa_sched_wave(struct isa_group *g);

/* Choose the lanes of the current wave, which has running ones. */
void isa_sched_set(struct isa_group *g, struct isa_set *set);

/* The wave's turn is over after a control transfer; wave->pc is up to date. */
void isa_sched_rotate(struct isa_group *g);

#endif
