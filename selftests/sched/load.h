/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clients that always have work, and what they get of a slice meanwhile. */
#ifndef TESS_SELFTESTS_SCHED_LOAD_H
#define TESS_SELFTESTS_SCHED_LOAD_H

#include "client.h"

#define LOAD_MAX 64u

/**
 * struct load - jobs of one size, kept queued
 * @c: client; SUM_GPA counts its work
 * @groups: of a job
 * @items: of a group
 * @count: of client_delay()
 * @depth: jobs that are queued, at most
 */
struct load {
	struct client *c;
	uint32_t groups;
	uint32_t items;
	uint64_t count;
	unsigned int depth;
};

/* Jobs of about @us of GPU time on a compute slice, 100 or more, for @depth of them */
void load_init(struct load *l, struct client *c, unsigned int us, unsigned int depth);
/* Queue jobs until there are enough */
void load_pump(struct load *l);

/**
 * struct part - what a client got in a stretch of GPU time
 * @cycles: its length
 * @busy: cycles in which it had the slice and used it, by its own counter
 * @instructions: that it executed
 * @jobs: that it completed
 * @charged: @busy as the scheduler counts it
 * @charged_cycles: length of the stretch of that, which begins a little later
 */
struct part {
	uint64_t cycles;
	uint64_t busy;
	uint64_t instructions;
	uint64_t jobs;
	uint64_t charged;
	uint64_t charged_cycles;
};

/**
 * struct window - what clients got meanwhile
 * @of: each client
 */
struct window {
	struct part of[LOAD_MAX];
};

/* Let @n loads of different clients run for @ms of GPU time: -ETIME if it stands still */
int load_window(struct load *l, unsigned int n, unsigned int ms, struct window *w);
/* As load_window(), where only the first @active of them are kept at work */
int load_window_some(struct load *l, unsigned int n, unsigned int active, unsigned int ms,
		     struct window *w);
/* Queue for that long and measure nothing: what came before has no effect any more */
int load_settle(struct load *l, unsigned int n, unsigned int ms);
/* Wait for all jobs and check their counts: -ETIME, or -EIO if work was lost or doubled */
int load_finish(struct load *l, unsigned int n);

/* Of the time that there was */
double window_share(const struct window *w, unsigned int i);
/* Of the time that all clients used together */
double window_part(const struct window *w, unsigned int i, unsigned int n);
double window_jain(const struct window *w, unsigned int n);
/* Instructions of all clients, for each cycle */
double window_rate(const struct window *w, unsigned int n);
/* Largest difference between a client's share and what the scheduler believes it is */
double window_disagreement(const struct window *w, unsigned int n);

#endif
