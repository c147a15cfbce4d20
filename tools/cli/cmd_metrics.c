// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: tesseractl metrics
 *
 * A file is written beside its name and then takes its place, so that whoever reads it gets the old or
 * the new one. What node_exporter's collector of text files reads is the older format.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "find.h"
#include "metrics.h"

enum { OPT_COUNTERS = CLI_OPT_OWN, OPT_FORMAT, OPT_OUTPUT };

#define PATH_SIZE 4096

/**
 * struct options - of the command line
 * @depth: which counters
 * @format: of the text
 * @output: file, NULL: standard output
 */
struct options {
	enum pool_depth depth;
	enum metrics_format format;
	const char *output;
};

static bool take_format(struct cli *cli, const char *arg, struct options *o)
{
	o->format = strcmp(arg, "prometheus") ? METRICS_OPEN : METRICS_PROMETHEUS;
	if (o->format == METRICS_PROMETHEUS || !strcmp(arg, "openmetrics"))
		return true;
	cli_usage(cli, &cmd_metrics, "--format %s: openmetrics or prometheus", arg);
	return false;
}

static bool take_option(struct cli *cli, int opt, const char *arg, void *ctx)
{
	struct options *o = ctx;

	switch (opt) {
	case OPT_COUNTERS:
		o->depth = POOL_ALL;
		return true;
	case OPT_FORMAT:
		return take_format(cli, arg, o);
	default:
		o->output = arg;
		return true;
	}
}

static int write_error_of(const struct cli *cli, const struct options *o, int error)
{
	return cli_error(cli, "cannot write %s: %s", o->output, strerror(error));
}

/* Everybody may read it, as the collector is not root */
static int write_to(const struct options *o, const struct pool *pool, int fd)
{
	FILE *file = fdopen(fd, "w");
	int rc;

	if (!file) {
		rc = errno;
		close(fd);
		return rc;
	}
	metrics_print(file, o->format, pool, o->depth);
	rc = fflush(file) || ferror(file) || fchmod(fd, 0644) ? errno : 0;
	if (fclose(file) && !rc)
		rc = errno;
	return rc;
}

static int write_file(const struct cli *cli, const struct options *o, const struct pool *pool)
{
	char path[PATH_SIZE];
	struct stat st;
	int fd, rc;

	/* A device or a pipe would be replaced by a file */
	if (!stat(o->output, &st) && !S_ISREG(st.st_mode))
		return cli_error(cli, "%s is not a regular file", o->output);
	if (snprintf(path, sizeof(path), "%s.XXXXXX", o->output) >= (int)sizeof(path))
		return write_error_of(cli, o, ENAMETOOLONG);
	fd = mkstemp(path);
	if (fd < 0)
		return write_error_of(cli, o, errno);
	rc = write_to(o, pool, fd);
	if (!rc && rename(path, o->output))
		rc = errno;
	if (!rc)
		return CLI_OK;
	unlink(path);
	return write_error_of(cli, o, rc);
}

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		CLI_COMMON_OPTIONS,
		{ "counters", no_argument, NULL, OPT_COUNTERS },
		{ "format", required_argument, NULL, OPT_FORMAT },
		{ "output", required_argument, NULL, OPT_OUTPUT },
		{ 0 },
	};
	struct options o = { .depth = POOL_WORK };
	const struct cli_parse parse = { .options = options, .own = take_option, .ctx = &o };
	struct pool pool;
	int at, status;

	at = cli_parse(cli, cmd, &parse, argc, argv, &status);
	if (at < 0)
		return status;
	if (at != argc)
		return cli_usage(cli, cmd, "metrics accepts no name");
	if (cli->json)
		return cli_usage(cli, cmd, "metrics prints OpenMetrics text; list has JSON");
	status = find_pool(cli, o.depth, &pool);
	if (status)
		return status;
	if (o.output)
		status = write_file(cli, &o, &pool);
	else
		metrics_print(stdout, o.format, &pool, o.depth);
	pool_free(&pool);
	return status ? status : cli_flush(cli);
}

const struct cli_command cmd_metrics = {
	.name = "metrics",
	.summary = "print metrics of GPUs, slices and vGPUs as OpenMetrics text",
	.help = "usage: tesseractl metrics [--counters] [--format FORMAT] [--output FILE]\n"
		"Prints what is known of GPUs, slices and vGPUs as OpenMetrics text, for Prometheus\n"
		"and others. The GPU is read for its time, and for slices in use.\n"
		"\n"
		"  --counters      all counters of all slices, too, which takes longer\n"
		"  --format FORMAT openmetrics (the default), or prometheus, the older format\n"
		"  --output FILE   write FILE, at once and as a whole\n"
		"  --sysfs DIR     root of sysfs, instead of /sys\n"
		"  -h, --help      print this\n",
	.run = run,
};
