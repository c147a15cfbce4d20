/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that make, change and remove vGPUs at random, in rounds. */
#ifndef TESS_SELFTESTS_COMPOSE_WRITER_H
#define TESS_SELFTESTS_COMPOSE_WRITER_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "shape.h"

#define WRITERS 4u
#define COMMON 3u /* vGPUs that all writers change */

/* How a transaction ended */
enum {
	RESULT_DONE,
	RESULT_REFUSED, /* not enough of something, or in use */
	RESULT_IMPOSSIBLE, /* as it has to be */
	RESULT_FAILED, /* made to fail */
	RESULT_RACED, /* another writer was there before */
	RESULTS,
};

/**
 * struct table - what the writers and the one who audits share
 * @barrier: of all of them: a round begins, a round is over
 * @life: of common vGPUs: held to make or remove one. A removal that meets a creation would take
 *	the file "remove" away and fail (remove_store() of the kernel's mdev_sysfs.c), so that the
 *	vGPU could not be removed any more
 * @last: there are no more rounds
 * @common: names of the common vGPUs
 * @results: transactions by how they ended
 * @killed: owners of open vGPUs that were killed
 * @wrong: results that must not be
 */
struct table {
	pthread_barrier_t barrier;
	pthread_mutex_t life;
	_Atomic bool last;
	char common[COMMON][SHAPE_UUID];
	_Atomic unsigned int results[RESULTS];
	_Atomic unsigned int killed;
	_Atomic unsigned int wrong;
};

/* In memory that processes share */
struct table *table_create(void);
/* Let each writer make a transaction, and wait for all; with @last let them end */
void table_round(struct table *t, bool last);
/* A process that takes part; ends with status 0 */
pid_t writer_start(struct table *t, unsigned int number, long seed);

#endif
