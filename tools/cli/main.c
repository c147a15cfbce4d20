// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: tesseractl
 *
 * Shows and changes the pool of GPUs: a table of subcommands, one file each
 * (cmd_<name>.c). They read the pool through pool.h, which knows sysfs; nothing else of
 * the program does. Options before and after the subcommand mean the same.
 */
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "near.h"

const struct cli_command *const cli_commands[] = {
	&cmd_list,  &cmd_show,	  &cmd_create, &cmd_compose, &cmd_remove,   &cmd_profile, &cmd_set,
	&cmd_apply, &cmd_save,	  &cmd_move,   &cmd_drain,   &cmd_clear,    &cmd_reset,	  &cmd_top,
	&cmd_dmon,  &cmd_metrics, &cmd_watch,  &cmd_trace,   &cmd_complete, NULL,
};

static void print_help(void)
{
	const struct cli_command *const *cmd;

	puts("usage: tesseractl [--json] [--sysfs DIR] [--tracefs DIR] COMMAND [ARG...]\n"
	     "Shows and changes the Tessera GPUs of this machine, their slices and vGPUs.\n");
	for (cmd = cli_commands; *cmd; cmd++)
		if ((*cmd)->summary)
			printf("  %-8s %s\n", (*cmd)->name, (*cmd)->summary);
	puts("\n"
	     "  -j, --json      print JSON, also for errors\n"
	     "  --sysfs DIR     root of sysfs; default $TESSERA_SYSFS, then /sys\n"
	     "  --tracefs DIR   root of tracefs; default $TESSERA_TRACEFS, then its usual place\n"
	     "  --version, -h, --help\n"
	     "\n"
	     "tesseractl COMMAND --help describes a command.");
}

static int run_command(struct cli *cli, int argc, char **argv)
{
	struct near near = near_to(argv[0]);
	const struct cli_command *const *cmd;

	for (cmd = cli_commands; *cmd; cmd++) {
		if (!strcmp(argv[0], (*cmd)->name))
			return (*cmd)->run(cli, *cmd, argc, argv);
		if ((*cmd)->summary)
			near_offer(&near, (*cmd)->name);
	}
	if (near.best)
		return cli_usage(cli, NULL, "unknown command %s; did you mean %s?", argv[0],
				 near.best);
	return cli_usage(cli, NULL, "unknown command %s", argv[0]);
}

static const char *environment(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

/* Looked for first, so that what is wrong before it is said as JSON too */
static bool wants_json(char **argv)
{
	while (*++argv && strcmp(*argv, "--"))
		if (!strcmp(*argv, "--json") || !strcmp(*argv, "-j"))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		CLI_COMMON_OPTIONS,
		{ "version", no_argument, NULL, 'v' },
		{ 0 },
	};
	struct cli cli = {
		.sysfs = environment("TESSERA_SYSFS", "/sys"),
		.tracefs = environment("TESSERA_TRACEFS", NULL),
		.json = argc && wants_json(argv),
	};
	int opt;

	/* Whoever reads the output may go at any time: seen as EPIPE, with what to clean up */
	signal(SIGPIPE, SIG_IGN);
	opterr = 0;
	while ((opt = getopt_long(argc, argv, "+:jh", options, NULL)) != -1) {
		switch (opt) {
		case CLI_OPT_JSON:
			cli.json = true;
			break;
		case CLI_OPT_SYSFS:
			cli.sysfs = optarg;
			break;
		case CLI_OPT_TRACEFS:
			cli.tracefs = optarg;
			break;
		case CLI_OPT_HELP:
			print_help();
			return cli_flush(&cli);
		case 'v':
			puts("tesseractl " CLI_VERSION);
			return cli_flush(&cli);
		case ':':
			return cli_usage(&cli, NULL, "%s needs a value", argv[optind - 1]);
		default:
			return cli_usage(&cli, NULL, "unknown option %s", argv[optind - 1]);
		}
	}
	if (optind == argc)
		return cli_usage(&cli, NULL, "COMMAND is required");
	return run_command(&cli, argc - optind, argv + optind);
}
