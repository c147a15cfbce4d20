// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: clients that share slices
 *
 * Several random jobs (ctx_job.h) share slices of all kinds. Each time that about
 * k more instructions have retired on a random slice a SWITCH there takes its
 * client away, brings another one that was parked, or both. All jobs must end with
 * what they would have had alone.
 */
#include <stdlib.h>
#include <string.h>

#include "ctx_job.h"
#include "ctx_rig.h"
#include "tap.h"

#define NONE (-1)
/* Images of the jobs, above the tables. */
#define IMAGE(n) (RIG_SYS + ((10ULL + (n)) << 20))
#define IMAGE_SIZE (1ULL << 20)

/**
 * struct share - jobs and slices
 * @r: the rig
 * @jobs: what runs
 * @nr: number of jobs
 * @slices: number of slices that they share
 * @on: job on each slice
 * @at: slice of each job; NONE: parked or done
 * @done: jobs that have come to their end
 * @results: theirs
 * @switches: SWITCH operations
 * @preemptions: those that took away a client that had work
 */
struct share {
	struct rig *r;
	struct job jobs[JOB_MAX];
	unsigned int nr;
	unsigned int slices;
	int on[RIG_SLICES];
	int at[JOB_MAX];
	bool done[JOB_MAX];
	struct job_result results[JOB_MAX];
	uint64_t switches;
	uint64_t preemptions;
};

static struct share share;
static uint64_t preemptions, mismatches, switches;

/* A job that waits for a slice; NONE: there is none. */
static int parked_job(const struct share *s)
{
	unsigned int start = ctx_random(s->nr);

	for (unsigned int i = 0; i < s->nr; i++) {
		unsigned int n = (start + i) % s->nr;

		if (!s->done[n] && s->at[n] == NONE)
			return (int)n;
	}
	return NONE;
}

/* Exchange the client of slice @n by job @in, or none; false if it did not work. */
static bool exchange(struct share *s, unsigned int n, int in)
{
	struct tess_ctx_switch d = ctx_desc(0);
	int out = s->on[n];
	bool work = sreg(s->r, n, TESS_SREG_STATUS) & TESS_STATUS_BUSY;

	if (out != NONE) {
		d.flags |= TESS_CTX_SWITCH_SAVE;
		d.save_addr = IMAGE(out);
		d.save_size = IMAGE_SIZE;
		s->at[out] = NONE;
		s->preemptions += work;
	}
	if (in != NONE) {
		d.flags |= TESS_CTX_SWITCH_RESTORE | TESS_CTX_SWITCH_RUN;
		d.restore_addr = IMAGE(in);
		d.restore_size = IMAGE_SIZE;
		s->at[in] = (int)n;
	}
	s->on[n] = in;
	s->switches++;
	return ctx_switch(s->r, n, &d) == TESS_CTX_DONE &&
	       ctx_result(s->r)->status == TESS_CTX_DONE &&
	       (out == NONE) == !ctx_result(s->r)->used;
}

/* Take the result of a job that has come to its end, and free its slice. */
static bool collect(struct share *s, unsigned int n)
{
	int job = s->on[n];

	if (job == NONE || sreg(s->r, n, TESS_SREG_STATUS) & TESS_STATUS_BUSY)
		return true;
	job_finish(s->r, (unsigned int)job, n, &s->results[job]);
	s->done[job] = true;
	return exchange(s, n, NONE);
}

static bool all_done(const struct share *s)
{
	for (unsigned int i = 0; i < s->nr; i++)
		if (!s->done[i])
			return false;
	return true;
}

static bool run_shared(struct share *s, uint64_t k)
{
	while (!all_done(s)) {
		unsigned int n = ctx_random(s->slices);
		int in = parked_job(s);

		/* Now and then a slice is left without a client. */
		if (s->on[n] != NONE && s->slices > 1 && !ctx_random(4))
			in = NONE;
		if ((s->on[n] != NONE || in != NONE) && !exchange(s, n, in))
			return false;
		job_run_on(s->r, n, k ? k : 1 + ctx_random(1000));
		for (n = 0; n < s->slices; n++)
			if (!collect(s, n))
				return false;
	}
	return true;
}

static void set_up(struct share *s, unsigned int nr, unsigned int slices)
{
	s->r = rig_new();
	s->nr = nr;
	s->slices = slices;
	s->switches = 0;
	s->preemptions = 0;
	memset(s->done, 0, sizeof(s->done));
	for (unsigned int i = 0; i < JOB_MAX; i++) {
		s->on[i] = NONE;
		s->at[i] = NONE;
	}
	/* All begin on slices of their own and are parked at once. */
	for (unsigned int i = 0; i < nr; i++) {
		job_start(s->r, &s->jobs[i], i);
		s->on[i] = (int)i;
		exchange(s, i, NONE);
	}
}

static void check(unsigned int nr, unsigned int slices, uint64_t k, const struct job *shape)
{
	static struct job_result whole;
	unsigned int wrong = 0;
	bool good;

	for (unsigned int i = 0; i < nr; i++) {
		share.jobs[i] = *shape;
		share.jobs[i].indirect = ctx_random(2);
		job_random(&share.jobs[i]);
	}
	set_up(&share, nr, slices);
	good = run_shared(&share, k);
	for (unsigned int i = 0; good && i < nr; i++)
		wrong += !job_whole(&share.jobs[i], &whole) ||
			 memcmp(&whole, &share.results[i], sizeof(whole));
	rig_free(share.r);
	preemptions += share.preemptions;
	switches += share.switches;
	mismatches += wrong;
	ok(good && !wrong, "%u jobs on %u slices, every %llu instructions: %llu preemptions", nr,
	   slices, (unsigned long long)k, (unsigned long long)share.preemptions);
}

static void test_small(void)
{
	static const uint64_t k[] = { 1, 2, 3, 5, 7, 13, 29, 61 };
	struct job shape = { .items = 9, .group = 3, .inner = 1 };

	for (size_t i = 0; i < sizeof(k) / sizeof(k[0]); i++) {
		check(2, 1, k[i], &shape);
		check(4, 1, k[i], &shape);
		check(4, 3, k[i], &shape);
		check(4, 4, k[i], &shape);
	}
}

static void test_large(void)
{
	static const uint64_t k[] = { 499, 2003, 0 };
	struct job shape = { .items = 410, .group = 37, .inner = 3 };

	for (size_t i = 0; i < sizeof(k) / sizeof(k[0]); i++) {
		check(4, 1, k[i], &shape);
		shape.range = true;
		check(4, 3, k[i], &shape);
		shape.range = false;
	}
}

int main(void)
{
	test_small();
	test_large();
	printf("# preemptions %llu, mismatches %llu\n", (unsigned long long)preemptions,
	       (unsigned long long)mismatches);
	ok(preemptions >= 5000 && !mismatches && switches > preemptions,
	   "%llu preemptions in %llu SWITCH operations", (unsigned long long)preemptions,
	   (unsigned long long)switches);
	return done();
}
