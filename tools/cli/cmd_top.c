// SPDX-License-Identifier: GPL-2.0-or-later
/* tesseractl top: options, and output that is not a screen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "follow.h"
#include "top.h"

enum { OPT_BATCH = CLI_OPT_OWN, OPT_INTERVAL, OPT_SORT };

static int print_tables(const struct cli *cli, const struct pool *pool, const struct rates *rates)
{
	struct table *slices = top_slices(pool, rates, true, 0);
	struct table *vgpus = top_vgpus(pool, rates, false);
	bool ok = slices && vgpus && table_ok(slices) && table_ok(vgpus);

	if (ok) {
		table_print(slices, "");
		putchar('\n');
		table_print(vgpus, "");
		putchar('\n');
	}
	table_free(slices);
	table_free(vgpus);
	return ok ? cli_flush(cli) : cli_error(cli, "out of memory");
}

static int print_refresh(const struct sample *now, const struct sample *before, void *ctx)
{
	const struct top *top = ctx;
	struct rates rates;
	int status;

	if (sample_rates(now, before, top->sort, &rates))
		return cli_error(top->cli, "out of memory");
	if (top->cli->json)
		status = cli_print_json(top->cli, top_json(now, before, &rates));
	else
		status = print_tables(top->cli, &now->pool, &rates);
	rates_free(&rates);
	return status;
}

static bool take_count(struct cli *cli, const char *arg, struct top *top)
{
	struct num n = num_parse(arg);

	if (!n.known || n.v < 0 || n.v > 1000000000) {
		cli_usage(cli, &cmd_top, "--batch %s: not a number of refreshes (0: no end)", arg);
		return false;
	}
	top->batch = true;
	top->refreshes = (unsigned int)n.v;
	return true;
}

static bool take_interval(struct cli *cli, const char *arg, struct top *top)
{
	top->interval_ms = follow_interval(arg);
	if (!top->interval_ms)
		cli_usage(cli, &cmd_top, "--interval %s: from 0.05 to 3600 seconds", arg);
	return top->interval_ms;
}

static bool take_sort(struct cli *cli, const char *arg, struct top *top)
{
	enum sample_sort sort;

	for (sort = 0; sample_sort_name(sort); sort++)
		if (!strcmp(sample_sort_name(sort), arg)) {
			top->sort = sort;
			return true;
		}
	cli_usage(cli, &cmd_top, "--sort %s: name, utilization, weight, queue, switches or moves",
		  arg);
	return false;
}

static bool take_option(struct cli *cli, int opt, const char *arg, void *ctx)
{
	switch (opt) {
	case OPT_BATCH:
		return take_count(cli, arg, ctx);
	case OPT_INTERVAL:
		return take_interval(cli, arg, ctx);
	default:
		return take_sort(cli, arg, ctx);
	}
}

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		CLI_COMMON_OPTIONS,
		{ "batch", required_argument, NULL, OPT_BATCH },
		{ "interval", required_argument, NULL, OPT_INTERVAL },
		{ "sort", required_argument, NULL, OPT_SORT },
		{ 0 },
	};
	struct top top = { .cli = cli, .interval_ms = FOLLOW_MS_DEFAULT };
	const struct cli_parse parse = { .options = options, .own = take_option, .ctx = &top };
	int at, status;

	at = cli_parse(cli, cmd, &parse, argc, argv, &status);
	if (at < 0)
		return status;
	if (at != argc)
		return cli_usage(cli, cmd, "top accepts no name");
	if (top.batch || cli->json)
		return follow(cli, top.interval_ms, top.refreshes, print_refresh, &top);
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return cli_error(cli, "the output is not a terminal: use --batch N or --json");
	return top_screen(&top);
}

const struct cli_command cmd_top = {
	.name = "top",
	.summary = "show live utilization, switches and moves",
	.help = "usage: tesseractl top [--interval SECONDS] [--sort KEY] [--batch N] [--json]\n"
		"Shows the activity of slices and vGPUs. Press h for the keys.\n"
		"\n"
		"  --interval S    seconds between two refreshes (1)\n"
		"  --sort KEY      order of vGPUs: name, utilization, weight, queue, switches, moves\n"
		"  --batch N       print N refreshes as text and end; 0: do not end\n" CLI_COMMON_HELP
		"\n"
		"With --json each refresh is an object on a line of its own.\n",
	.run = run,
};
