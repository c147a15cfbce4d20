/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random jobs: kernels with integer and floating-point arithmetic, loads and stores,
 * atomics, branches that diverge, barriers, local and private memory. What a job leaves
 * in its memory depends on its number alone, however often it is interrupted, wherever it
 * runs.
 */
#ifndef TESS_SELFTESTS_SCHED_JOB_H
#define TESS_SELFTESTS_SCHED_JOB_H

#include <stddef.h>
#include <stdint.h>

#include <drm/tessera_packet.h>

/* Memory of a job: what it works on, then private memory, then its code */
#define JOB_BYTES 0x100000u
#define JOB_RESULT_BYTES 0xd0000u

/**
 * struct job - a random job
 * @base: VA of its memory, a multiple of 4096 below 2 GiB
 * @pkt: dispatch
 * @code: instructions
 * @code_bytes: of them
 * @seed: what the memory begins with
 */
struct job {
	uint64_t base;
	struct tess_pkt_dispatch pkt;
	uint32_t code[256];
	size_t code_bytes;
	uint64_t seed;
};

/* Job number @seed at @base; @inner loops, about 50,000 instructions each */
void job_make(struct job *j, uint64_t seed, uint64_t base, unsigned int inner);
/* Put code and data in the memory of the job, which is at @mem */
void job_load(const struct job *j, void *mem);
/* Of the results, FNV-1a of words */
uint64_t job_digest(const void *mem);

#endif
