/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pool again and again, until somebody ends it. */
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

#include "cli.h"
#include "sample.h"

#define FOLLOW_MS_DEFAULT 1000
#define FOLLOW_MS_MIN 50
#define FOLLOW_MS_MAX 3600000

/* Milliseconds of a number of seconds as it was typed; 0: it is none, or out of range. */
int follow_interval(const char *text);

/**
 * follow() - read the pool at intervals
 * @cli: where it is
 * @interval_ms: time between two samples
 * @refreshes: end after so many; 0: never
 * @show: gets each sample but the first, and the one before it; a status other than CLI_OK ends it
 * @ctx: for @show
 *
 * SIGINT, SIGTERM and SIGHUP end it, with CLI_OK.
 *
 * Return: exit status; of an error with a message.
 */
int follow(const struct cli *cli, int interval_ms, unsigned int refreshes,
	   int (*show)(const struct sample *now, const struct sample *before, void *ctx),
	   void *ctx);

#endif
