// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Four processes make, recompose and remove vGPUs at random and at the same time, their own and
 * common ones, with requests that cannot be met, steps that are made to fail, and clients that
 * are killed in the middle. After each round of one transaction each the books of the pool
 * have to balance; at the end nothing is left.
 *
 * TESS_TRANSACTIONS says how many there are, TESS_SEED repeats a run (but for the order in which
 * the writers meet).
 */
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "harness.h"
#include "books.h"
#include "tenant.h"
#include "writer.h"

#define WALL_MS_EACH 500 /* of a transaction */

FIXTURE(transact)
{
	struct books books;
	struct table *t;
	pid_t pid[WRITERS];
	long seed;
};

FIXTURE_SETUP(transact)
{
	fresh_start();
	ASSERT_EQ(0, inject_failure(0));
	self->seed = setting("TESS_SEED", time(NULL));
	printf("# TESS_SEED=%ld\n", self->seed);
	books_open(&self->books);
	self->t = table_create();
	ASSERT_NE(NULL, self->t);
}

FIXTURE_TEARDOWN(transact)
{
	inject_failure(0);
	mdev_remove_all();
}

static void report(const struct table *t, unsigned int rounds)
{
	static const char *const names[] = { "done", "refused", "impossible", "failed", "raced" };
	unsigned int i;

	printf("# %u rounds, %u owners killed", rounds, atomic_load(&t->killed));
	for (i = 0; i < RESULTS; i++)
		printf(", %u %s", atomic_load(&t->results[i]), names[i]);
	printf("\n");
}

TEST_F_TIMEOUT(transact, books_balance, 600)
{
	unsigned int want = setting("TESS_TRANSACTIONS", 250), rounds = want / WRITERS, i, k;
	unsigned int wrong = 0;
	long end = now_ms() + want * WALL_MS_EACH * patience();
	int status;

	for (i = 0; i < WRITERS; i++)
		self->pid[i] = writer_start(self->t, i, self->seed + i);
	for (i = 0; i < rounds && !wrong && !atomic_load(&self->t->wrong) && now_ms() < end; i++) {
		table_round(self->t, false);
		wrong = books_wrong(&self->books);
		if (wrong)
			printf("# in round %u\n", i);
	}
	table_round(self->t, true);
	for (k = 0; k < WRITERS; k++) {
		ASSERT_EQ(self->pid[k], waitpid(self->pid[k], &status, 0));
		EXPECT_EQ(0, status);
	}
	report(self->t, i);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(rounds, i);
	EXPECT_EQ(0, atomic_load(&self->t->wrong));
	/* All kinds of endings were met */
	for (k = 0; k < RESULTS; k++)
		EXPECT_LT(0, atomic_load(&self->t->results[k]));
	EXPECT_LT(0, atomic_load(&self->t->killed));
	figure("transactions", i * WRITERS);
	figure("transaction_errors", wrong + atomic_load(&self->t->wrong));
	ASSERT_EQ(0, inject_failure(0));
	mdev_remove_all();
	EXPECT_EQ(0, books_unclosed(&self->books));
}

TEST_HARNESS_MAIN
