/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of the model. What a client can cause goes through log_event(),
 * which drops lines beyond a rate: a hostile client cannot fill a disk.
 */
#ifndef TESS_MODEL_LOG_H
#define TESS_MODEL_LOG_H

enum log_level {
	LOG_ERROR,
	LOG_WARN,
	LOG_INFO,
	LOG_DEBUG,
};

struct log;

/**
 * log_open() - open a log
 * @path: file to append to, "-" for standard error, NULL for standard error
 * @level: most verbose level that is written
 *
 * Returns NULL with errno set if the file cannot be opened.
 */
struct log *log_open(const char *path, enum log_level level);
void log_close(struct log *l);

/** log_level_parse() - level of a name, -1 if there is none */
int log_level_parse(const char *name);

/** log_enabled() - is @level written? A NULL log writes nothing */
int log_enabled(const struct log *l, enum log_level level);

/** log_msg() - a line for the person who runs the model */
void log_msg(struct log *l, enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** log_event() - the same, for what a client can cause; limited in rate below LOG_DEBUG */
void log_event(struct log *l, enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* TESS_MODEL_LOG_H */
