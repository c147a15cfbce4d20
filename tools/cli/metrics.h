/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pool as OpenMetrics text. */
#ifndef CLI_METRICS_H
#define CLI_METRICS_H

#include "pool.h"

/**
 * metrics_print() - print all that is known of a pool
 * @pool: as read with @depth
 * @depth: POOL_WORK, or POOL_ALL: all counters of slices, too
 */
void metrics_print(const struct pool *pool, enum pool_depth depth);

#endif
