/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages and JSON of the tools in this directory. */
#ifndef RUN_REPORT_H
#define RUN_REPORT_H

#include <stdbool.h>

/* Errors are JSON on stdout if @json, else "@program: message" on stderr. */
void report_start(const char *program, bool json);

/* Report an error; returns -1. */
int report_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print a JSON string, with its quotes, to stdout. */
void report_string(const char *text);

#endif
