/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asked for: words of a blueprint, or a profile in a file. */
#ifndef CLI_ASK_H
#define CLI_ASK_H

#include "attr.h"
#include "cli.h"

/* The words of a blueprint, for the end of a command's help */
/* clang-format off */
#define ASK_WORDS_HELP                                                                               \
	"Words of a blueprint:\n"                                                                    \
	"  slices=N                      number of slices\n"                                         \
	"  min=N max=N                   bounds for later changes; max is fixed while it is open\n"  \
	"  kind=any|compute|render|mixed\n"                                                          \
	"  memory=BYTES[K|M|G]           VRAM for each of max vslices\n"                             \
	"  topology=none|chain|ring|mesh links between slices\n"                                     \
	"  engines=all|LIST              of compute, copy, raster, display\n"                        \
	"  heads=N                       display heads, at most 4\n"                                 \
	"  share=exclusive|shared        with weight=N and cap=PERCENT\n"                            \
	"  policy=manual|auto            whether the host may change it by itself\n"                 \
	"  gpus=N                        number of GPUs that give the slices\n"                      \
	"  texels=N pixels=N             millions per second that its slices can do together\n"      \
	"  displays=N[@WxH[@HZ]]         heads, and the pixels for their frames\n"                    \
	"  path=local|remote             remote: frames are copied for a viewer elsewhere\n"
/* clang-format on */

/**
 * struct ask - what is written where
 * @file: of the mediated device: "blueprint" or "profile"
 * @text: as it is written
 */
struct ask {
	const char *file;
	char text[ATTR_MAX];
};

/**
 * ask_take() - take a blueprint from the command line, or a profile from a file
 * @cli: for messages
 * @cmd: for messages
 * @profile: name of the file, "-" for standard input; NULL: @words are a blueprint
 * @words: WORD=VALUE
 * @count: of them
 * @ask: filled
 *
 * What the words mean is the kernel's to judge; here they only have to look like some.
 *
 * Return: exit status.
 */
int ask_take(const struct cli *cli, const struct cli_command *cmd, const char *profile,
	     char **words, int count, struct ask *ask);

/**
 * struct ask_step - something that would be written
 * @dir: from the root of sysfs on
 * @file: in it
 * @text: what
 */
struct ask_step {
	const char *dir, *file, *text;
};

/* For --dry-run: print steps. Returns an exit status. */
int ask_print_steps(const struct cli *cli, const struct ask_step *steps, int count);

#endif
