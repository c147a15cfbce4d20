// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random kernels that are preempted at the shortest quantum and moved between slices of
 * all kinds leave the same memory as on an exclusive slice where nobody disturbs them.
 *
 * TESS_SEED repeats a run, TESS_PREEMPTIONS says how many have to be reached.
 */
#include <time.h>

#include "harness.h"
#include "client.h"
#include "job.h"

#define CLIENTS 3
#define JOBS 8
#define INNER 30
#define WALL_MS 100000

FIXTURE(random)
{
	struct client c[CLIENTS + 1];
	unsigned int n;
	uint64_t seed;
	struct job jobs[JOBS];
	uint64_t want[JOBS];
	unsigned long moves, done, mismatches;
	int spots[3];
};

/* The last slice of a kind, which is the last to be given to anybody */
static int slice_of_kind(const struct client *c, const char *kind)
{
	int n = slice_count(c), i;
	char text[32];

	for (i = n - 1; i >= 0; i--) {
		if (!slice_string(c, i, "kind", text, sizeof(text)) && !strcmp(text, kind))
			return i;
	}
	return -1;
}

static void start_job(struct client *c, const struct job *j)
{
	struct tess_pkt_dispatch pkt = j->pkt;

	job_load(j, ram_at(&c->v, RAM_GPA + j->base));
	ring_put(&c->r, &pkt);
	client_fence(c);
}

/* What each job leaves behind if nobody disturbs it, on an exclusive vGPU */
static void references(struct __test_metadata *_metadata, struct __fixture_random *self)
{
	struct client *c = &self->c[0];
	unsigned int i;

	ASSERT_EQ(0, client_open(c, "C1"));
	self->n = 1;
	for (i = 0; i < JOBS; i++) {
		job_make(&self->jobs[i], self->seed + i, VA(WORK_GPA), INNER);
		start_job(c, &self->jobs[i]);
		ASSERT_EQ(0, client_wait(c));
		self->want[i] = job_digest(ram_at(&c->v, WORK_GPA));
	}
	ASSERT_EQ(0, client_counter(c, TESS_COUNTER_SWITCHES));
	/* Twice the same */
	start_job(c, &self->jobs[0]);
	ASSERT_EQ(0, client_wait(c));
	ASSERT_EQ(self->want[0], job_digest(ram_at(&c->v, WORK_GPA)));
	ASSERT_NE(self->want[0], self->want[1]);
}

FIXTURE_SETUP(random)
{
	fresh_start();
	self->seed = setting("TESS_SEED", time(NULL));
	printf("# TESS_SEED=%llu\n", (unsigned long long)self->seed);
	references(_metadata, self);
	self->spots[0] = client_slice(&self->c[0]);
	self->spots[1] = slice_of_kind(&self->c[0], "render");
	self->spots[2] = slice_of_kind(&self->c[0], "mixed");
	ASSERT_LE(0, self->spots[1]);
	ASSERT_LE(0, self->spots[2]);
}

FIXTURE_TEARDOWN(random)
{
	while (self->n)
		client_close(&self->c[--self->n]);
}

/* Judge the job that client @c has finished and give it the next one */
static void turn(struct __fixture_random *self, struct client *c, unsigned int *job)
{
	if (*job < JOBS) {
		uint64_t got = job_digest(ram_at(&c->v, WORK_GPA));

		self->done++;
		if (got != self->want[*job]) {
			self->mismatches++;
			printf("# job %llu differs on slice %d\n",
			       (unsigned long long)self->seed + *job, client_slice(c));
		}
	}
	*job = (*job + 1) % JOBS;
	start_job(c, &self->jobs[*job]);
}

static uint64_t restores(struct __fixture_random *self)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < self->n; i++)
		sum += client_counter(&self->c[i], TESS_COUNTER_SWITCHES);
	return sum;
}

/* Keep all clients in @from to @self->n at random jobs and move them about */
static uint64_t torment(struct __test_metadata *_metadata, struct __fixture_random *self,
			unsigned int from, uint64_t target)
{
	unsigned int job[CLIENTS + 1] = { ~0U, ~0U, ~0U, ~0U }, i, round;
	long end = now_ms() + WALL_MS * patience();
	uint64_t count = 0;

	srandom(self->seed);
	for (round = 0; count < target && now_ms() < end; round++) {
		for (i = from; i < self->n; i++) {
			if (client_idle(&self->c[i]))
				turn(self, &self->c[i], &job[i]);
		}
		if (round % 4 == 0) {
			i = from + random() % (self->n - from);
			self->moves += !client_move(
				&self->c[i],
				self->spots[(client_slice(&self->c[i]) == self->spots[0]) +
					    random() % 2]);
		}
		sleep_ms(5);
		count = restores(self);
	}
	for (i = from; i < self->n; i++) {
		ASSERT_EQ(0, client_wait(&self->c[i]));
		turn(self, &self->c[i], &job[i]);
		ASSERT_EQ(0, client_wait(&self->c[i]));
		turn(self, &self->c[i], &job[i]);
	}
	return restores(self);
}

static void set_quanta(struct __test_metadata *_metadata, struct __fixture_random *self,
		       const char *us)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, slice_set(&self->c[0], self->spots[i], "quantum_us", us));
}

/* Three clients, three slices of different kinds, a quantum of 100 us */
TEST_F_TIMEOUT(random, shared_and_moved, 240)
{
	uint64_t target = setting("TESS_PREEMPTIONS", 600), count;

	client_close(&self->c[--self->n]);
	while (self->n < CLIENTS) {
		ASSERT_EQ(0, client_open(&self->c[self->n], "C1S"));
		self->n++;
	}
	self->spots[0] = clients_together(self->c, CLIENTS);
	ASSERT_LE(0, self->spots[0]);
	set_quanta(_metadata, self, "100");
	count = torment(_metadata, self, 0, target);
	set_quanta(_metadata, self, "2000");
	printf("# %lu jobs, %lu moves\n", self->done, self->moves);
	figure("preemptions", count);
	figure("preemption_mismatches", self->mismatches);
	EXPECT_EQ(0, self->mismatches);
	EXPECT_LE(target / 2, count);
	EXPECT_LE(20, self->done);
	EXPECT_LE(10, self->moves);
}

/* An exclusive vGPU can be moved as well */
TEST_F_TIMEOUT(random, exclusive_and_moved, 240)
{
	uint64_t target = setting("TESS_PREEMPTIONS", 600) / 10, count;

	count = torment(_metadata, self, 0, target);
	printf("# %lu jobs, %lu moves, %llu contexts restored, %lu mismatches\n", self->done,
	       self->moves, (unsigned long long)count, self->mismatches);
	EXPECT_EQ(0, self->mismatches);
	EXPECT_LE(target / 2, count);
	EXPECT_LE(10, self->moves);
}

TEST_HARNESS_MAIN
