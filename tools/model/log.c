// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Log
 *
 * One line per message: seconds since the start, level, text. Debug lines are
 * not limited: whoever asks for a register trace wants all of it. Slices log in any thread.
 */
#include "log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOG_EVENTS_PER_SECOND 100

struct log {
	FILE *file;
	pthread_mutex_t lock;
	enum log_level level;
	bool owned;
	double start;
	int64_t second;
	unsigned int events;
	unsigned int dropped;
};

static const char *const level_names[] = {
	[LOG_ERROR] = "error",
	[LOG_WARN] = "warn",
	[LOG_INFO] = "info",
	[LOG_DEBUG] = "debug",
};

static double log_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

struct log *log_open(const char *path, enum log_level level)
{
	struct log *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	pthread_mutex_init(&l->lock, NULL);
	l->level = level;
	l->start = log_clock();
	l->file = stderr;
	if (path && strcmp(path, "-")) {
		l->file = fopen(path, "a");
		l->owned = true;
	}
	if (!l->file) {
		free(l);
		return NULL;
	}
	setvbuf(l->file, NULL, _IOLBF, 0);
	return l;
}

void log_close(struct log *l)
{
	if (!l)
		return;
	if (l->owned)
		fclose(l->file);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

int log_level_parse(const char *name)
{
	for (size_t i = 0; i < sizeof(level_names) / sizeof(level_names[0]); i++)
		if (!strcmp(name, level_names[i]))
			return (int)i;
	return -1;
}

int log_enabled(const struct log *l, enum log_level level)
{
	return l && level <= l->level;
}

static void log_write(struct log *l, enum log_level level, double now, const char *fmt, va_list ap)
{
	fprintf(l->file, "%10.6f %s: ", now, level_names[level]);
	vfprintf(l->file, fmt, ap);
	fputc('\n', l->file);
}

void log_msg(struct log *l, enum log_level level, const char *fmt, ...)
{
	va_list ap;

	if (!log_enabled(l, level))
		return;
	va_start(ap, fmt);
	pthread_mutex_lock(&l->lock);
	log_write(l, level, log_clock() - l->start, fmt, ap);
	pthread_mutex_unlock(&l->lock);
	va_end(ap);
}

/* Count an event; false if this second has had enough of them. */
static bool log_admit(struct log *l, double now)
{
	if ((int64_t)now != l->second) {
		if (l->dropped)
			fprintf(l->file, "%10.6f %s: %u events not shown\n", now,
				level_names[LOG_WARN], l->dropped);
		l->second = (int64_t)now;
		l->events = 0;
		l->dropped = 0;
	}
	if (l->events < LOG_EVENTS_PER_SECOND) {
		l->events++;
		return true;
	}
	l->dropped++;
	return false;
}

void log_event(struct log *l, enum log_level level, const char *fmt, ...)
{
	va_list ap;
	double now;

	if (!log_enabled(l, level))
		return;
	now = log_clock() - l->start;
	va_start(ap, fmt);
	pthread_mutex_lock(&l->lock);
	if (level == LOG_DEBUG || l->level == LOG_DEBUG || log_admit(l, now))
		log_write(l, level, now, fmt, ap);
	pthread_mutex_unlock(&l->lock);
	va_end(ap);
}
