/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the processes of a soak share. */
#ifndef TESS_SELFTESTS_SOAK_SOAK_H
#define TESS_SELFTESTS_SOAK_SOAK_H

#include <stdatomic.h>
#include <sys/types.h>

#include "books.h"
#include "stream.h"

#define VM_SEATS 8u
#define DRM_SEATS 2u
#define SEATS (VM_SEATS + DRM_SEATS)

/* How a life ended, the status of its process */
enum end {
	END_WELL,
	END_WRONG, /* a result, an interrupt or an answer was wrong */
	END_REFUSED, /* not enough of something, or a failure was injected */
	END_GONE, /* with the GPU */
};

/**
 * struct seat - who lives there now, and what it has done so far
 * @uuid: its vGPU, empty: none
 * @shape: of the vGPU
 * @working: the vGPU is open and can be recomposed
 * @operations: jobs whose results were checked, resets, faults that were answered as they have to be
 * @faults: that it caused
 * @wrong: results that were wrong, and work that was lost or done twice
 * @lost_irqs: completions without their interrupt
 */
struct seat {
	char uuid[SHAPE_UUID];
	struct shape shape;
	_Atomic bool working;
	_Atomic unsigned long operations;
	_Atomic unsigned long faults;
	_Atomic unsigned long wrong;
	_Atomic unsigned long lost_irqs;
};

/**
 * struct board - in memory that all processes share
 * @epoch: how often the GPU was taken away
 * @stop: everybody is to come to an end
 * @jobs: random jobs and their results
 * @seat: by number
 */
struct board {
	_Atomic unsigned int epoch;
	_Atomic bool stop;
	struct stream_jobs jobs;
	struct seat seat[SEATS];
};

/**
 * struct life - a process that has or is a client
 * @board: of all
 * @seat: its own
 * @epoch: in which it began
 * @end_ms: when it has had enough, as now_ms()
 */
struct life {
	struct board *board;
	struct seat *seat;
	unsigned int epoch;
	long end_ms;
};

/* Is there a reason to end now? */
bool life_is_over(const struct life *l);
/* The lives: they return an enum end */
int life_of_vm(struct life *l);
int life_of_process(struct life *l);

/**
 * struct chaos - what was done to them
 * @recompositions: that were made
 * @refusals: of recompositions, for want of something
 * @injected: recompositions that were made to fail
 * @moves: vslices moved
 * @takes: times the GPU was taken from its driver, reset, or unplugged
 * @unplugs: times that it was unplugged
 */
struct chaos {
	unsigned long recompositions;
	unsigned long refusals;
	unsigned long injected;
	unsigned long moves;
	unsigned long takes;
	unsigned long unplugs;
};

/* Something happens to a vGPU at random */
void chaos_act(struct board *b, struct chaos *c);
/* Take the GPU away while all work, by @end_all let them end, and bring it back: 0, -errno */
int chaos_take(struct board *b, struct chaos *c, void (*end_all)(void));

#endif
