/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Somebody who works beside a fault and must not notice it: a vGPU all of whose results are known. */
#ifndef TESS_SELFTESTS_FAULTS_BYSTANDER_H
#define TESS_SELFTESTS_FAULTS_BYSTANDER_H

#include "tenant.h"

/**
 * struct bystander - a vGPU at work
 * @jobs: random jobs and their results
 * @g: vGPU and its work
 */
struct bystander {
	struct stream_jobs jobs;
	struct tenant g;
};

/* Make a vGPU of slices of its own and put it to work: 0, -errno */
int bystander_start(struct bystander *b);
/* Jobs that it has checked so far */
unsigned long bystander_done(const struct bystander *b);
/* Wait until it has checked @more; false: it does not get on */
bool bystander_goes_on(const struct bystander *b, unsigned long more);
/* Let it end and count what was wrong: results, dispatches lost or run twice, faults */
unsigned long bystander_end(struct bystander *b);

#endif
