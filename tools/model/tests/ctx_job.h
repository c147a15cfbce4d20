/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random work that is the same on each slice, however it is interrupted: kernels
 * with integers, floating point, barriers, atomics, local and private memory and
 * branches that diverge, then a COPY, then a FENCE.
 */
#ifndef TESS_MODEL_TESTS_CTX_JOB_H
#define TESS_MODEL_TESTS_CTX_JOB_H

#include "program.h"
#include "rig.h"

#define JOB_MAX 4 /* jobs side by side on a rig */
#define JOB_MEMORY 0xd0000ULL /* bytes that a job leaves behind */
#define JOB_COUNTERS 7
#define JOB_SEQ 5

/**
 * struct job - what runs
 * @p: the kernel
 * @items: of the grid
 * @group: items of a group
 * @inner: loops of the inner loop
 * @range: DISPATCH_RANGE without the first and last group
 * @indirect: from an indirect buffer
 */
struct job {
	struct program p;
	uint32_t items;
	uint16_t group;
	int inner;
	bool range;
	bool indirect;
};

/**
 * struct job_result - what came out
 * @memory: all that the job could write
 * @seq: of its FENCE, JOB_SEQ when it is done
 * @counters: of work, not of time
 */
struct job_result {
	uint8_t memory[JOB_MEMORY];
	uint64_t seq;
	uint64_t counters[JOB_COUNTERS];
};

/* A random kernel for the job. */
void job_random(struct job *j);

/* Start it on slice @n, with ring, completion record and memory number @n. */
void job_start(struct rig *r, const struct job *j, unsigned int n);

/* The result of job number @n, which is on @slice now. */
void job_finish(struct rig *r, unsigned int n, unsigned int slice, struct job_result *res);

/* Run it undisturbed on a rig of its own; false if it does not come to its end. */
bool job_whole(const struct job *j, struct job_result *res);

/* Let a slice retire @k more instructions, about (cores act together), or end its work. */
void job_run_on(struct rig *r, unsigned int slice, uint64_t k);

#endif
