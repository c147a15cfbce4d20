// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slices in several threads: the work of each takes the same cycles and has the same results as
 * in one thread, to the bit, whatever the others do meanwhile; slices that wait for each
 * other, interrupts, timers and context operations.
 */
#include <stddef.h>
#include <string.h>

#include "ctx_job.h"
#include "ctx_rig.h"
#include "tap.h"

#define ROUNDS 20
#define LONG 60 /* of some_job() */
#define RUNS_MAX 1000000
#define FLAG (RIG_SYS + (9ULL << 20))
#define STAMPS (FLAG + 0x1000)

static bool never(void *opaque, uint64_t now)
{
	(void)opaque;
	(void)now;
	return false;
}

/* As the main loop of a GPU without a clock does */
static void run(struct rig *r)
{
	for (unsigned int i = 0; i < RUNS_MAX && gpu_get_state(r->gpu) == GPU_RUNNING; i++)
		gpu_run(r->gpu, never, NULL);
}

/* Work of some thousand cycles for each @inner on a compute slice */
static void some_job(struct job *j, int inner)
{
	*j = (struct job){
		.items = 100 + ctx_random(300),
		.group = 37,
		.inner = inner,
		.indirect = ctx_random(2),
	};
	job_random(j);
}

/* All begin at the same time: job_start() alone lets slices run until they are done. */
static void start_jobs(struct rig *r, const struct job *jobs, unsigned int from, unsigned int to)
{
	for (unsigned int n = from; n < to; n++) {
		ctx_halt(r, n);
		job_start(r, &jobs[n], n);
	}
	for (unsigned int n = from; n < to; n++)
		ctx_go(r, n);
}

/**
 * struct outcome - of jobs on all slices
 * @job: by slice
 * @time: of the FENCE, by slice
 * @busy: cycles of the dispatches, by slice
 * @stall: cycles of translations, by slice
 */
struct outcome {
	struct job_result job[RIG_SLICES];
	uint64_t time[RIG_SLICES];
	uint64_t busy[RIG_SLICES];
	uint64_t stall[RIG_SLICES];
};

static void do_jobs(struct rig *r, const struct job *jobs, struct outcome *o)
{
	memset(o, 0, sizeof(*o));
	start_jobs(r, jobs, 0, RIG_SLICES);
	run(r);
	for (unsigned int n = 0; n < RIG_SLICES; n++) {
		job_finish(r, n, n, &o->job[n]);
		o->time[n] = rig_read64(r, RIG_RECORD(n) +
						   offsetof(struct tess_completion_record, time));
		o->busy[n] = counter(r, n, TESS_COUNTER_BUSY);
		o->stall[n] = counter(r, n, TESS_COUNTER_STALL);
	}
}

static void test_same(unsigned int threads)
{
	static struct outcome one, many;
	static struct job jobs[RIG_SLICES];
	unsigned int differ = 0, ended = 0;
	uint64_t cycles = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct rig *a = rig_new_threads(1), *b = rig_new_threads(threads);

		for (unsigned int n = 0; n < RIG_SLICES; n++)
			some_job(&jobs[n], 3 + (int)ctx_random(9));
		do_jobs(a, jobs, &one);
		do_jobs(b, jobs, &many);
		differ += !!memcmp(&one, &many, sizeof(one));
		for (unsigned int n = 0; n < RIG_SLICES; n++) {
			ended += many.job[n].seq == JOB_SEQ;
			cycles += many.busy[n];
		}
		rig_free(a);
		rig_free(b);
	}
	ok(ended == ROUNDS * RIG_SLICES, "%u threads: all jobs end", threads);
	ok(!differ, "%u threads: results, counters and cycles as in one (%u of %u rounds differ)",
	   threads, differ, ROUNDS);
	ok(cycles > 1000000, "in %llu cycles", (unsigned long long)cycles);
}

/* An interrupt comes when the work is done, and no work behind that is waited for. */
static void test_irqs(unsigned int threads)
{
	static struct job jobs[RIG_SLICES];
	struct rig *r = rig_new_threads(threads);
	unsigned int raised = 0, runs = 0, seen = 0;

	for (unsigned int n = 0; n < RIG_SLICES; n++) {
		some_job(&jobs[n], LONG);
		rig_write64(r, RIG_RECORD(n) + offsetof(struct tess_completion_record, event),
			    JOB_SEQ - 1);
	}
	start_jobs(r, jobs, 0, RIG_SLICES);
	while (runs++ < RUNS_MAX && gpu_get_state(r->gpu) == GPU_RUNNING) {
		unsigned int ended = 0;

		gpu_run(r->gpu, never, NULL);
		for (unsigned int n = 0; n < RIG_SLICES; n++)
			ended += rig_read64(r, RIG_RECORD(n)) == JOB_SEQ;
		if (ended != seen && r->irqs[TESS_IRQ_COMPLETION] > raised)
			seen = ended;
		raised = r->irqs[TESS_IRQ_COMPLETION];
	}
	ok(seen == RIG_SLICES && raised >= 1 && raised <= RIG_SLICES,
	   "%u threads: each completion raises an interrupt when slices meet (%u)", threads,
	   raised);
	rig_free(r);
}

/* Slices hand a word round, each waits for the one before it. */
static void test_relay(unsigned int threads)
{
	struct rig *r = rig_new_threads(threads);
	uint64_t last = 0;
	bool ordered = true;

	for (unsigned int turn = 0; turn < 12; turn++) {
		unsigned int n = turn % RIG_SLICES;
		struct tess_pkt_wait w = pkt_wait(FLAG, DRM_TESSERA_WAIT_EQ, turn);
		struct tess_pkt_timestamp t = pkt_timestamp(STAMPS + turn * 8ULL, 0);
		struct tess_pkt_signal s = pkt_signal(FLAG, DRM_TESSERA_SIGNAL_SET, turn + 1);

		rig_push(r, n, &w);
		rig_push(r, n, &t);
		rig_push(r, n, &s);
	}
	for (unsigned int n = RIG_SLICES; n-- > 0;)
		rig_doorbell(r, n);
	for (unsigned int i = 0; i < 1000 && gpu_get_state(r->gpu) != GPU_IDLE; i++)
		gpu_run(r->gpu, never, NULL);
	for (unsigned int turn = 0; turn < 12; turn++) {
		uint64_t at = rig_read64(r, STAMPS + turn * 8ULL);

		/* Within a step the order of slices is free. */
		ordered &= at + GPU_STEP_CYCLES > last && at < last + 4 * GPU_STEP_CYCLES;
		last = at;
	}
	ok(rig_read64(r, FLAG) == 12 && ordered,
	   "%u threads: a slice that waits for a word goes on within a few steps", threads);
	rig_free(r);
}

/* A timer of one slice ends to the cycle while the others work. */
static void test_timer(unsigned int threads)
{
	static const uint64_t times[] = { 1, 511, 513, 5000, 8191, 8193, 30000 };
	static struct job jobs[RIG_SLICES];
	struct rig *r = rig_new_threads(threads);
	bool exact = true;

	for (unsigned int n = 1; n < RIG_SLICES; n++)
		some_job(&jobs[n], LONG);
	start_jobs(r, jobs, 1, RIG_SLICES);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		uint64_t begin = gpu_time(r->gpu);

		hreg_write64(r, 0, TESS_HREG_TIMER, times[i]);
		for (unsigned int k = 0;
		     k < RUNS_MAX && !(hreg(r, 0, TESS_HREG_EVENTS) & TESS_EVENTS_TIMER); k++)
			gpu_run(r->gpu, never, NULL);
		exact &= gpu_time(r->gpu) - begin == times[i];
		hreg_write(r, 0, TESS_HREG_EVENTS, ~0U);
	}
	ok(exact, "%u threads: timers are exact", threads);
	rig_free(r);
}

/* A job goes from slice to slice while others work there. */
static void test_moves(unsigned int threads)
{
	static struct job_result whole, moved;
	unsigned int wrong = 0, moves = 0;
	struct job jobs[2];

	for (int i = 0; i < ROUNDS / 2; i++) {
		struct rig *r = rig_new_threads(threads);
		unsigned int at = 0;

		some_job(&jobs[0], LONG);
		some_job(&jobs[1], LONG);
		if (!job_whole(&jobs[0], &whole))
			wrong++;
		start_jobs(r, jobs, 0, 2);
		for (unsigned int k = 0; k < 20 && gpu_get_state(r->gpu) == GPU_RUNNING; k++) {
			unsigned int to = at ? 0 : 2;

			gpu_run(r->gpu, never, NULL);
			if (!(sreg(r, at, TESS_SREG_STATUS) & TESS_STATUS_BUSY))
				break;
			if (!ctx_move(r, at, to))
				wrong++;
			at = to;
			moves++;
		}
		run(r);
		job_finish(r, 0, at, &moved);
		wrong += moved.seq != JOB_SEQ || memcmp(moved.memory, whole.memory, JOB_MEMORY);
		rig_free(r);
	}
	ok(!wrong && moves > ROUNDS / 2,
	   "%u threads: jobs move while others work (%u moves, %u wrong)", threads, moves, wrong);
}

static bool at_once(void *opaque, uint64_t now)
{
	(void)now;
	++*(unsigned int *)opaque;
	return true;
}

static void test_enough(unsigned int threads)
{
	static struct job jobs[RIG_SLICES];
	struct rig *r = rig_new_threads(threads);
	unsigned int asked = 0, runs = 0;

	for (unsigned int n = 0; n < RIG_SLICES; n++)
		some_job(&jobs[n], LONG);
	start_jobs(r, jobs, 0, RIG_SLICES);
	for (; runs < RUNS_MAX && gpu_get_state(r->gpu) == GPU_RUNNING; runs++)
		gpu_run(r->gpu, at_once, &asked);
	ok(asked && runs > 10,
	   "%u threads: the owner is asked how long to go on (%u times in %u runs)", threads, asked,
	   runs);
	rig_free(r);
}

int main(void)
{
	static const unsigned int threads[] = { 2, 3, 4, 7 };

	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		test_same(threads[i]);
		test_irqs(threads[i]);
		test_relay(threads[i]);
		test_timer(threads[i]);
		test_moves(threads[i]);
		test_enough(threads[i]);
	}
	return done();
}
