/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why the kernel refused a blueprint or a profile. */
#ifndef CLI_REFUSAL_H
#define CLI_REFUSAL_H

#include "cli.h"

#define REFUSAL_TEXT 512

/**
 * struct refusal - why something was refused
 * @rc: negative errno
 * @reason: text of the kernel, or what the errno means
 * @line: of what was written, from 1
 * @column: of that line, from 1, where it is wrong; 0: nowhere
 */
struct refusal {
	int rc;
	char reason[REFUSAL_TEXT];
	unsigned int line, column;
};

/**
 * refusal_read() - find out why
 * @refusal: filled
 * @cli: for the root of sysfs
 * @path: of the mediated device, from there on
 * @file: that was written: "blueprint" or "profile"
 * @rc: negative errno of the attempt
 */
void refusal_read(struct refusal *refusal, const struct cli *cli, const char *path,
		  const char *file, int rc);

/**
 * refusal_print() - print it, with a mark below the column
 * @cli: how
 * @refusal: what
 * @text: that was written
 * @what: "cannot ..."
 *
 * Return: CLI_FAILED.
 */
int refusal_print(const struct cli *cli, const struct refusal *refusal, const char *text,
		  const char *what);

#endif
