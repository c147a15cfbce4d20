/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of tests as TAP, for all test programs in C.
 *
 * A program calls ok() for each check, skip() for one that cannot run here, and ends main()
 * with "return done();". plan() is optional: without it done() prints the plan. tap_begin()
 * begins the output of a program whose runner does not. A harness that has names and results of
 * its own calls tap_result().
 */
#ifndef TESS_TAP_H
#define TESS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static struct {
	int planned;
	int run;
	int failed;
} tap;

/** tap_begin() - the first line */
static inline void tap_begin(void)
{
	printf("TAP version 13\n");
	fflush(stdout);
}

/** plan() - say beforehand how many checks will run; fewer or more fail done() */
static inline void plan(int nr)
{
	tap.planned = nr;
	printf("1..%d\n", nr);
	fflush(stdout);
}

static inline void tap_vresult(bool good, const char *why_skipped, const char *name, va_list args)
{
	tap.failed += !good;
	printf("%sok %d ", good ? "" : "not ", ++tap.run);
	vprintf(name, args);
	if (why_skipped)
		printf(" # SKIP %s", why_skipped);
	printf("\n");
}

/** tap_result() - one result, named like printf(); @why_skipped: NULL if it was not skipped */
__attribute__((format(printf, 3, 4))) static inline void
tap_result(bool good, const char *why_skipped, const char *name, ...)
{
	va_list args;

	va_start(args, name);
	tap_vresult(good, why_skipped, name, args);
	va_end(args);
	fflush(stdout);
}

__attribute__((format(printf, 5, 6))) static inline bool
tap_ok(bool cond, const char *file, int line, const char *text, const char *name, ...)
{
	va_list args;

	va_start(args, name);
	tap_vresult(cond, NULL, name, args);
	va_end(args);
	if (!cond)
		printf("# %s:%d: failed: %s\n", file, line, text);
	fflush(stdout);
	return cond;
}

/** ok() - one check, named like printf(); returns the condition */
#define ok(cond, ...) tap_ok((cond), __FILE__, __LINE__, #cond, __VA_ARGS__)

/** skip() - a check that cannot run here; say why */
#define skip(why) tap_result(true, why, "not here")

/** tap_bail() - nothing more can be tested; the exit status of the program */
__attribute__((format(printf, 1, 2))) static inline int tap_bail(const char *why, ...)
{
	va_list args;

	printf("Bail out! ");
	va_start(args, why);
	vprintf(why, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	return 1;
}

/** done() - the exit status of the program */
static inline int done(void)
{
	if (!tap.planned)
		plan(tap.run);
	else if (tap.planned != tap.run)
		printf("# planned %d, ran %d\n", tap.planned, tap.run);
	fflush(stdout);
	return tap.failed || tap.planned != tap.run || !tap.run;
}

#endif /* TESS_TAP_H */
