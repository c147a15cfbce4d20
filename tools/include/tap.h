/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tiny TAP producer for the model's native tests.
 *
 * Call ok() for each check, skip() for one that cannot run here, and end main()
 * with "return done();". plan() is optional: without it done() prints the plan.
 */
#ifndef TESS_MODEL_TAP_H
#define TESS_MODEL_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static struct {
	int planned;
	int run;
	int failed;
} tap;

/** plan() - say beforehand how many checks will run; fewer or more fail done() */
static inline void plan(int nr)
{
	tap.planned = nr;
	printf("1..%d\n", nr);
}

__attribute__((format(printf, 5, 6))) static inline bool
tap_ok(bool cond, const char *file, int line, const char *text, const char *name, ...)
{
	va_list args;

	printf("%sok %d - ", cond ? "" : "not ", ++tap.run);
	va_start(args, name);
	vprintf(name, args);
	va_end(args);
	printf("\n");
	if (!cond) {
		tap.failed++;
		printf("# %s:%d: failed: %s\n", file, line, text);
	}
	fflush(stdout);
	return cond;
}

/** ok() - one check, named like printf(); returns the condition */
#define ok(cond, ...) tap_ok((cond), __FILE__, __LINE__, #cond, __VA_ARGS__)

/** skip() - a check that cannot run here; say why */
static inline void skip(const char *why)
{
	printf("ok %d # SKIP %s\n", ++tap.run, why);
}

/** done() - the exit status of the program */
static inline int done(void)
{
	if (!tap.planned)
		plan(tap.run);
	else if (tap.planned != tap.run)
		printf("# planned %d, ran %d\n", tap.planned, tap.run);
	return tap.failed || tap.planned != tap.run || !tap.run;
}

#endif /* TESS_MODEL_TAP_H */
