/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work without end for a vslice, all of it checked: random jobs in its bank of VRAM, whose
 * results are known, and numbered jobs, which count their work-items and pass their number
 * through VRAM to memory.
 */
#ifndef TESS_SELFTESTS_COMPOSE_STREAM_H
#define TESS_SELFTESTS_COMPOSE_STREAM_H

#include "client.h"
#include "job.h"

#define STREAM_JOBS 4u
/* What a vslice needs of its bank */
#define STREAM_BANK (2ULL << 20)

/**
 * struct stream_jobs - random jobs and their results
 * @job: of every client, at BANK_VA
 * @want: job_digest() after each
 */
struct stream_jobs {
	struct job job[STREAM_JOBS];
	uint64_t want[STREAM_JOBS];
};

/**
 * struct stream - work of a vslice
 * @c: client
 * @jobs: random jobs
 * @bank: the client's bank, mapped
 * @job: random job that is in the ring
 * @job_seq: FENCE behind it; 0: none is
 * @turn: jobs of both sorts that were put
 * @checked: FENCE up to which numbers were checked
 * @dispatches: that were put
 * @done: random jobs that were checked
 * @mismatches: results and numbers that were wrong
 */
struct stream {
	struct client *c;
	const struct stream_jobs *jobs;
	uint8_t *bank;
	unsigned int job;
	uint64_t job_seq;
	uint64_t turn;
	uint64_t checked;
	uint64_t dispatches;
	unsigned long done;
	unsigned long mismatches;
};

/* Make the jobs and find their results, on a vGPU with a slice to itself: 0, -errno */
int stream_jobs_make(struct stream_jobs *jobs, uint64_t seed);
void stream_init(struct stream *s, struct client *c, const struct stream_jobs *jobs, uint8_t *bank);
/* Check what is done; with @more, queue so much that there is always something to do */
void stream_pump(struct stream *s, bool more);
/* Wait for all of it, and check it: -ETIME, -EFAULT */
int stream_finish(struct stream *s);
/*
 * Dispatches that were lost or run twice, by the counter of the hardware and by what the
 * work-items left in memory; after stream_finish()
 */
unsigned long stream_lost(const struct stream *s);

#endif
