/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can come next on a command line, for the completion of shells. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include "cli.h"

/**
 * complete_print() - print what the last word of a command line can be
 * @cli: where the pool is, unless the line says otherwise
 * @commands: all commands, ended by NULL; those without a summary are not offered
 * @words: words behind the name of the program; the last one is cut or empty
 * @count: of them
 *
 * A line for each candidate: the word, and behind a tab what it is, if there is something to say.
 * One that ends with "=" goes on. Where names of files belong the line ":files" or ":directories"
 * is the only one.
 */
void complete_print(const struct cli *cli, const struct cli_command *const *commands, char **words,
		    int count);

#endif
