/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the subcommands of tesseractl share: options, messages, the table of commands. */
#ifndef CLI_H
#define CLI_H

#include <getopt.h>
#include <stdbool.h>

struct json_object;

/* Number in each object that is printed as JSON. It grows when a member changes its meaning or
 * goes, not when one is added. */
#define CLI_JSON_VERSION 1

/* Exit status */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/**
 * struct cli - what holds for all subcommands
 * @sysfs: root of sysfs
 * @tracefs: root of tracefs, NULL: where it usually is
 * @json: print JSON, errors too
 */
struct cli {
	const char *sysfs;
	const char *tracefs;
	bool json;
};

/**
 * struct cli_command - a subcommand
 * @name: as typed
 * @summary: a line for "tesseractl --help"; NULL: it is not for users and not in there
 * @help: what "tesseractl NAME --help" prints
 * @run: gets its name in argv[0]; returns an exit status
 */
struct cli_command {
	const char *name;
	const char *summary;
	const char *help;
	int (*run)(struct cli *cli, const struct cli_command *cmd, int argc, char **argv);
};

extern const struct cli_command cmd_list;
extern const struct cli_command cmd_show;
extern const struct cli_command cmd_create;
extern const struct cli_command cmd_compose;
extern const struct cli_command cmd_remove;
extern const struct cli_command cmd_profile;
extern const struct cli_command cmd_set;
extern const struct cli_command cmd_apply;
extern const struct cli_command cmd_save;
extern const struct cli_command cmd_move;
extern const struct cli_command cmd_metrics;
extern const struct cli_command cmd_drain;
extern const struct cli_command cmd_clear;
extern const struct cli_command cmd_reset;
extern const struct cli_command cmd_top;
extern const struct cli_command cmd_dmon;
extern const struct cli_command cmd_watch;
extern const struct cli_command cmd_trace;
extern const struct cli_command cmd_complete;

/* All of them, ended by NULL */
extern const struct cli_command *const cli_commands[];

/* Options that all commands take; those of a command are numbered from CLI_OPT_OWN */
enum { CLI_OPT_JSON = 'j', CLI_OPT_HELP = 'h', CLI_OPT_SYSFS = 256, CLI_OPT_TRACEFS, CLI_OPT_OWN };

/* Text about them for the end of a command's help */
#define CLI_COMMON_HELP                                      \
	"  -j, --json      print JSON, also for errors\n"    \
	"  --sysfs DIR     root of sysfs, instead of /sys\n" \
	"  -h, --help      print this\n"

/* A command without options of its own, and the common entries of any other */
/* clang-format off */
#define CLI_COMMON_OPTIONS                                          \
	{ "json", no_argument, NULL, CLI_OPT_JSON },                 \
	{ "help", no_argument, NULL, CLI_OPT_HELP },                 \
	{ "sysfs", required_argument, NULL, CLI_OPT_SYSFS },         \
	{ "tracefs", required_argument, NULL, CLI_OPT_TRACEFS }
/* clang-format on */

/**
 * struct cli_parse - the options of a command
 * @options: all of them, with CLI_COMMON_OPTIONS
 * @own: called for those of the command; false: the value is no good and a message was
 *	printed. NULL: there are none
 * @ctx: for @own
 */
struct cli_parse {
	const struct option *options;
	bool (*own)(struct cli *cli, int opt, const char *arg, void *ctx);
	void *ctx;
};

/**
 * cli_parse() - read the options of a command
 * @cli: updated with the common ones
 * @cmd: command
 * @parse: its options
 * @argc: as for main()
 * @argv: permuted: operands last
 * @status: set if the command is to end at once
 *
 * Return: index of the first operand, or -1: end with *@status.
 */
int cli_parse(struct cli *cli, const struct cli_command *cmd, const struct cli_parse *parse,
	      int argc, char **argv, int *status);

/* As cli_parse() for a command that has no options of its own. */
int cli_parse_common(struct cli *cli, const struct cli_command *cmd, int argc, char **argv,
		     int *status);

/* Print an error; returns CLI_FAILED. */
int cli_error(const struct cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print what is wrong with the command line; returns CLI_USAGE. */
int cli_usage(const struct cli *cli, const struct cli_command *cmd, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * cli_print_json() - print an object, with its version, on a line of its own and drop it
 * @cli: for errors
 * @obj: object, NULL if memory ran out
 *
 * Return: exit status; CLI_FAILED if it could not be written.
 */
int cli_print_json(const struct cli *cli, struct json_object *obj);

/* End of output: CLI_FAILED, with a message, if it could not be written. */
int cli_flush(const struct cli *cli);

#endif
