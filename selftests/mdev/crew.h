/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A guest that works on all vslices, and sees what is lost, done twice or wrong. */
#ifndef TESS_SELFTESTS_MDEV_CREW_H
#define TESS_SELFTESTS_MDEV_CREW_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "vgpu.h"

#define CREW_MAX 8

/**
 * struct worker - a vslice's user
 * @r: its ring
 * @bank: its memory, in VRAM if there is any, client-physical
 * @jobs: jobs that were done and were right
 * @stop: set to end it
 * @wrong: what was wrong, NULL: nothing
 * @thread: it
 */
struct worker {
	struct ring r;
	uint64_t bank;
	unsigned int jobs;
	bool stop;
	const char *wrong;
	pthread_t thread;
};

/**
 * struct crew - the users of all vslices of a vGPU
 * @v: vGPU, open
 * @w: as many as it has vslices
 */
struct crew {
	struct vgpu *v;
	struct worker w[CREW_MAX];
};

/* One for each vslice, at most CREW_MAX: 0, negative errno */
int crew_start(struct crew *c, struct vgpu *v);
/* Does each get something done from now on? */
bool crew_goes_on(struct crew *c);
void crew_stop(struct crew *c);
/* Stop, and look back: the first thing that was wrong, with any of them; NULL: nothing */
const char *crew_end(struct crew *c);
/* Jobs of all of them */
unsigned int crew_jobs(const struct crew *c);

#endif
