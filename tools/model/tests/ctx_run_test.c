// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: a context may be moved at any instruction
 *
 * Random jobs (ctx_job.h) run undisturbed once. Then they are preempted each time
 * that about k more instructions have retired, for many k, and moved to a random
 * slice of any kind, their own included: with SAVE, reset and RESTORE, or with
 * SWITCH. Results and all counters of work must come out the same.
 */
#include <stdlib.h>
#include <string.h>

#include "ctx_job.h"
#include "ctx_rig.h"
#include "tap.h"

static uint64_t preemptions, mismatches, largest;

/* @k 0: a random number each time. Returns the moves, 0 if one failed. */
static uint64_t run_moving(const struct job *j, uint64_t k, struct job_result *res)
{
	struct rig *r = rig_new();
	uint64_t moves = 0, used;
	unsigned int n = 0, to;

	job_start(r, j, 0);
	for (;;) {
		job_run_on(r, n, k ? k : 1 + ctx_random(2000));
		if (gpu_get_state(r->gpu) != GPU_RUNNING)
			break;
		to = ctx_random(RIG_SLICES);
		used = ctx_random(2) ? ctx_move(r, n, to) : ctx_switch_move(r, n, to);
		if (!used || counter(r, to, TESS_COUNTER_SWITCHES) != ++moves) {
			moves = 0;
			break;
		}
		largest = used > largest ? used : largest;
		n = to;
	}
	job_finish(r, 0, n, res);
	rig_free(r);
	preemptions += moves;
	return moves;
}

static void check(const struct job *j, const uint64_t *k, unsigned int nr, const char *name)
{
	static struct job_result whole, moved;
	uint64_t before = preemptions;
	bool good = job_whole(j, &whole);

	for (unsigned int i = 0; good && i < nr; i++) {
		good = run_moving(j, k[i], &moved) && !memcmp(&moved, &whole, sizeof(whole));
		mismatches += !good;
		if (!good)
			printf("# every %llu instructions: differs\n", (unsigned long long)k[i]);
	}
	ok(good, "%s: %llu preemptions change nothing", name,
	   (unsigned long long)(preemptions - before));
}

/* Few items, so that each instruction's turn comes. */
static void test_small(void)
{
	static const uint64_t k[] = { 1, 2, 3, 5, 7, 11, 16, 17, 31 };
	char name[64];

	for (unsigned int i = 0; i < 24; i++) {
		struct job j = { .items = 5 + i % 8, .group = 3, .inner = 1 };

		j.p.apart = i % 4 == 3;
		j.indirect = i & 1;
		job_random(&j);
		snprintf(name, sizeof(name), "small kernel %u", i);
		check(&j, k, sizeof(k) / sizeof(k[0]), name);
	}
}

/* More groups than slots, partial waves and groups. */
static void test_large(void)
{
	static const uint64_t k[] = { 997, 4099, 20011, 0 };
	char name[64];

	for (unsigned int i = 0; i < 8; i++) {
		struct job j = { .items = 410, .group = 37, .inner = 6 };

		j.range = i & 1;
		j.indirect = i & 2;
		job_random(&j);
		snprintf(name, sizeof(name), "large kernel %u", i);
		check(&j, k, sizeof(k) / sizeof(k[0]), name);
	}
}

/* Loops that outlast turns of the waves, in divergence: who leads them is state too. */
static void test_long(void)
{
	static const uint64_t k[] = { 1009, 0 };
	char name[64];

	for (unsigned int i = 0; i < 24; i++) {
		struct job j = { .items = 111, .group = 37, .inner = 25 };

		job_random(&j);
		snprintf(name, sizeof(name), "long kernel %u", i);
		check(&j, k, sizeof(k) / sizeof(k[0]), name);
	}
}

int main(void)
{
	test_small();
	test_large();
	test_long();
	printf("# preemptions %llu, mismatches %llu\n", (unsigned long long)preemptions,
	       (unsigned long long)mismatches);
	ok(preemptions >= 5000 && !mismatches, "%llu preemptions", (unsigned long long)preemptions);
	ok(largest > 100000, "images of up to %llu bytes", (unsigned long long)largest);
	return done();
}
