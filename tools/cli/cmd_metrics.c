// SPDX-License-Identifier: GPL-2.0-or-later
/* tesseractl metrics: the pool for monitoring systems. */
#include "cli.h"
#include "find.h"
#include "metrics.h"

enum { OPT_COUNTERS = CLI_OPT_OWN };

static bool take_option(struct cli *cli, int opt, const char *arg, void *ctx)
{
	enum pool_depth *depth = ctx;

	(void)cli;
	(void)opt;
	(void)arg;
	*depth = POOL_ALL;
	return true;
}

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		CLI_COMMON_OPTIONS,
		{ "counters", no_argument, NULL, OPT_COUNTERS },
		{ 0 },
	};
	enum pool_depth depth = POOL_WORK;
	const struct cli_parse parse = { .options = options, .own = take_option, .ctx = &depth };
	struct pool pool;
	int at, status;

	at = cli_parse(cli, cmd, &parse, argc, argv, &status);
	if (at < 0)
		return status;
	if (at != argc)
		return cli_usage(cli, cmd, "metrics accepts no name");
	if (cli->json)
		return cli_usage(cli, cmd, "metrics prints OpenMetrics text; list has JSON");
	status = find_pool(cli, depth, &pool);
	if (status)
		return status;
	metrics_print(&pool, depth);
	pool_free(&pool);
	return cli_flush(cli);
}

const struct cli_command cmd_metrics = {
	.name = "metrics",
	.summary = "print metrics of GPUs, slices and vGPUs as OpenMetrics text",
	.help = "usage: tesseractl metrics [--counters]\n"
		"Prints what is known of GPUs, slices and vGPUs as OpenMetrics text, for Prometheus\n"
		"and others. The GPU is read for its time, and for slices in use.\n"
		"\n"
		"  --counters      all counters of all slices, too, which takes longer\n"
		"  --sysfs DIR     root of sysfs, instead of /sys\n"
		"  -h, --help      print this\n",
	.run = run,
};
