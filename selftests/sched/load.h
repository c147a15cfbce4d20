/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clients that always have work, and what they get of a slice meanwhile. */
#ifndef TESS_SELFTESTS_SCHED_LOAD_H
#define TESS_SELFTESTS_SCHED_LOAD_H

#include "client.h"

#define LOAD_MAX 64u

/**
 * struct load - jobs, kept queued
 * @c: client
 * @put: puts a job in its ring
 * @size: of a job, for @put
 * @depth: jobs that are queued, at most
 */
struct load {
	struct client *c;
	void (*put)(const struct load *l);
	uint64_t size;
	unsigned int depth;
};

/* Jobs of about @us of GPU time on a compute slice that count themselves in SUM_GPA */
void load_init(struct load *l, struct client *c, unsigned int us, unsigned int depth);
/* Queue jobs until there are enough */
void load_pump(struct load *l);

/**
 * struct part - what a client got in a stretch of GPU time
 * @cycles: its length
 * @busy: cycles in which it had the slice and used it, by its own counter
 * @instructions: that it executed
 * @jobs: that it completed
 */
struct part {
	uint64_t cycles;
	uint64_t busy;
	uint64_t instructions;
	uint64_t jobs;
};

/**
 * struct window - what clients got meanwhile
 * @of: each client
 */
struct window {
	struct part of[LOAD_MAX];
};

/*
 * Let @n loads of different clients run for @ms of GPU time, and longer until each of the
 * first @active of them has had the slice @turns times; only those are kept at work.
 * -ETIME if the GPU's time stands still.
 */
int load_window(struct load *l, unsigned int n, unsigned int active, unsigned int ms,
		unsigned int turns, struct window *w);
/* The same for so many periods of @period_ms, or a few more: no part of one, but for 1 ms */
int load_periods(struct load *l, unsigned int n, unsigned int active, unsigned int periods,
		 unsigned int period_ms, struct window *w);
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

#endif
