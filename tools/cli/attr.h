/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of sysfs: bounded reads of what may be anything, writes, directories. */
#ifndef CLI_ATTR_H
#define CLI_ATTR_H

#include <stddef.h>

#include "value.h"

/* A page: the most that a file of sysfs can have */
#define ATTR_MAX 4096

/**
 * attr_read() - content of a file
 * @dir: directory
 * @name: file in it
 * @buf: text, always ended; cut at @size - 1 bytes or at a NUL
 * @size: of @buf
 *
 * Never blocks.
 *
 * Return: 0 or negative errno, with an empty @buf.
 */
int attr_read(int dir, const char *name, char *buf, size_t size);

/* First line, made printable; empty if it cannot be read. */
void attr_text(int dir, const char *name, char *buf, size_t size);

/* A number; unknown if it cannot be read or is none. */
struct num attr_num(int dir, const char *name);

/* Write @text and a newline in one go. Returns 0 or negative errno. */
int attr_write(int dir, const char *name, const char *text);

/* Open a directory below @dir (or AT_FDCWD). Descriptor or negative errno. */
int attr_dir(int dir, const char *name);

/**
 * attr_each() - call a function for each directory in a directory, sorted by name
 * @dir: directory
 * @func: gets each name; an error ends the loop
 * @ctx: for @func
 *
 * Return: 0, what @func returned, or another negative errno.
 */
int attr_each(int dir, int (*func)(int dir, const char *name, void *ctx), void *ctx);

/* Number behind a prefix ("gpu12"), -1 if @name is not exactly that. */
int attr_index(const char *name, const char *prefix);

#endif
