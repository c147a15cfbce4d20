/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tesseractl top: what its parts share. */
#ifndef CLI_TOP_H
#define CLI_TOP_H

#include "cli.h"
#include "sample.h"
#include "table.h"

struct json_object;

/**
 * struct top - options
 * @cli: those of all commands
 * @batch: print text, not to a screen
 * @refreshes: end after so many; 0: never
 * @interval_ms: time between two
 * @sort: order of the vGPUs
 */
struct top {
	const struct cli *cli;
	bool batch;
	unsigned int refreshes;
	int interval_ms;
	enum sample_sort sort;
};

/**
 * top_slices() - a table of slices
 * @pool: for short names
 * @rates: what they do
 * @all: also those that nobody has
 * @bar: width of the bar of utilization, 0: none
 *
 * Return: NULL without memory.
 */
struct table *top_slices(const struct pool *pool, const struct rates *rates, bool all,
			 unsigned int bar);

/* A table of vGPUs, with names cut where that is not ambiguous if @cut. */
struct table *top_vgpus(const struct pool *pool, const struct rates *rates, bool cut);

/* A refresh as an object. */
struct json_object *top_json(const struct sample *now, const struct sample *before,
			     const struct rates *rates);

/* Live, on the terminal. Returns an exit status. */
int top_screen(const struct top *top);

#endif
