// SPDX-License-Identifier: GPL-2.0-or-later
/* tesseractl complete: what the completion of shells calls. */
#include "cli.h"
#include "complete.h"

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	int at, status;

	at = cli_parse_common(cli, cmd, argc, argv, &status);
	if (at < 0)
		return status;
	if (at == argc)
		return cli_usage(cli, cmd, "WORD is required");
	if (cli->json)
		return cli_usage(cli, cmd, "complete has no JSON");
	complete_print(cli, cli_commands, argv + at, argc - at);
	return cli_flush(cli);
}

const struct cli_command cmd_complete = {
	.name = "complete",
	.help = "usage: tesseractl complete -- WORD...\n"
		"Prints what the last WORD of a command line of tesseractl can be, for shells: a line\n"
		"for each word, with a description behind a tab. It may be empty, and the name of\n"
		"the program is not among the words. \":files\" and \":directories\" stand for those.\n"
		"\n"
		"  --sysfs DIR     root of sysfs, instead of /sys\n"
		"  -h, --help      print this\n",
	.run = run,
};
