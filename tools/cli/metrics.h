/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pool as text for monitoring systems. */
#ifndef CLI_METRICS_H
#define CLI_METRICS_H

#include <stdio.h>

#include "pool.h"

enum metrics_format {
	METRICS_OPEN, /* OpenMetrics */
	METRICS_PROMETHEUS, /* the older format of Prometheus: what is no counter is a gauge */
};

/**
 * metrics_print() - print all that is known of a pool
 * @file: where to
 * @format: as what
 * @pool: as read with @depth
 * @depth: POOL_WORK, or POOL_ALL: all counters of slices, too
 */
void metrics_print(FILE *file, enum metrics_format format, const struct pool *pool,
		   enum pool_depth depth);

#endif
