/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be measured through OpenCL: commands that can be started again and again */
#ifndef TESS_CL_BENCH_H
#define TESS_CL_BENCH_H

#include "../tests/cl.h"

struct load;

/**
 * struct bench - an open device
 * @cl: device, context, queue
 * @load: at work
 */
struct bench {
	struct cl cl;
	struct load *load;
};

/**
 * struct load - something to measure
 * @name: as asked for
 * @bytes: that one of it moves
 * @setup: once, before the first start; ends the program if it cannot
 * @start: start it; OpenCL's error
 * @check: number of wrong results
 * @state: of loads that exist more than once
 * @ready: set up
 */
struct load {
	const char *name;
	unsigned long bytes;
	void (*setup)(struct bench *b);
	cl_int (*start)(struct bench *b, cl_event *event);
	unsigned long (*check)(struct bench *b);
	void *state;
	bool ready;
};

/* By name, set up, and at work; or NULL */
const struct load *load_get(struct bench *b, const char *name);

#endif
