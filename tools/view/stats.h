/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters as JSON */
#ifndef VIEW_STATS_H
#define VIEW_STATS_H

#include <stdbool.h>

struct viewer;

/* Write those of --stats, if it was given. Returns false after it said why it cannot. */
bool stats_write(const struct viewer *viewer);

#endif
