/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that writes blueprints to a vGPU, one after the other, whatever else is done with it. */
#ifndef TESS_SELFTESTS_MDEV_WRITER_H
#define TESS_SELFTESTS_MDEV_WRITER_H

#include <pthread.h>
#include <stdbool.h>

/* Milliseconds: until writer_stop() */
#define WRITE_ON (60l * 60 * 1000)

/**
 * struct writer - one of them
 * @uuid: vGPU
 * @shapes: what it chooses from, up to NULL
 * @may: negative errnos that it may get, up to 0; with -ENOENT or -ENODEV it ends
 * @seed: of its choices
 * @done: number of changes
 * @unexpected: an errno that it may not get, 0
 * @end: in ms, as now_ms()
 * @thread: itself
 */
struct writer {
	const char *uuid;
	const char *const *shapes;
	const int *may;
	unsigned int seed;
	unsigned int done;
	int unexpected;
	long end;
	pthread_t thread;
};

/* Let it write for so long: 0, negative errno */
int writer_start(struct writer *w, long ms);
/* Wait for it: 0, or what was unexpected */
int writer_end(struct writer *w);
/* Wait until it has changed something, however slow the host is: false, it has not */
bool writer_goes(struct writer *w);
/* The end of one that may write WRITE_ON: 0, or what was unexpected */
int writer_stop(struct writer *w);

#endif
