// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: tesseractl dmon
 *
 * What top shows as lines that never end, for a log or another program: of slices, or of vGPUs. Each
 * line is whole: what it is about is not said by lines before it.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "find.h"
#include "follow.h"
#include "top.h"

enum { OPT_VGPUS = CLI_OPT_OWN, OPT_INTERVAL, OPT_COUNT, OPT_FORMAT };

#define TEXT_MAX (POOL_NAME + 32)

/* Lines between two heads */
#define HEAD_EVERY 24

/**
 * struct line - what a line is of
 * @time: as text
 * @slice: set if it is a slice
 * @vgpu: set if it is a vGPU
 */
struct line {
	const char *time;
	const struct slice_rates *slice;
	const struct vgpu_rates *vgpu;
};

/**
 * struct column - a value of each line
 * @name: in CSV
 * @title: in the aligned head
 * @width: letters there
 * @text: the value; empty if it is not known. Returns a text that may be in @buf of TEXT_MAX bytes
 */
struct column {
	const char *name, *title;
	int width;
	const char *(*text)(char *buf, const struct line *line);
};

/**
 * struct dmon - options and state
 * @cli: those of all commands
 * @csv: rows of values
 * @vgpus: lines are of vGPUs
 * @interval_ms: time between two samples
 * @count: end after so many
 * @names: what to show, as typed
 * @name_count: of them; 0: all
 * @lines: that were printed
 */
struct dmon {
	const struct cli *cli;
	bool csv, vgpus;
	int interval_ms;
	unsigned int count;
	char **names;
	int name_count;
	unsigned int lines;
};

/* ---- values ---- */

static const char *num_or_empty(char *buf, struct num n)
{
	return n.known ? num_text(buf, n) : "";
}

/* From permille */
static const char *percent(char *buf, struct num n)
{
	return n.known ? num_tenths(buf, n, "") : "";
}

/* From thousandths */
static const char *from_milli(char *buf, struct num n)
{
	n.v /= 100;
	return percent(buf, n);
}

static const char *line_time(char *buf, const struct line *line)
{
	(void)buf;
	return line->time;
}

static const char *slice_name(char *buf, const struct line *line)
{
	snprintf(buf, TEXT_MAX, "gpu%u/slice%u", line->slice->gpu->index,
		 line->slice->slice->index);
	return buf;
}

static const char *slice_kind(char *buf, const struct line *line)
{
	(void)buf;
	return line->slice->slice->kind;
}

static const char *slice_state(char *buf, const struct line *line)
{
	(void)buf;
	return line->slice->slice->state;
}

static const char *slice_owner(char *buf, const struct line *line)
{
	(void)buf;
	return line->slice->slice->owner;
}

static const char *slice_members(char *buf, const struct line *line)
{
	return num_or_empty(buf, line->slice->slice->members);
}

static const char *slice_utilization(char *buf, const struct line *line)
{
	return percent(buf, line->slice->utilization);
}

static const char *slice_switches(char *buf, const struct line *line)
{
	return from_milli(buf, line->slice->switches);
}

static const char *vgpu_name(char *buf, const struct line *line)
{
	(void)buf;
	return line->vgpu->vgpu->name;
}

static const char *vgpu_gpu(char *buf, const struct line *line)
{
	snprintf(buf, TEXT_MAX, "gpu%u", line->vgpu->gpu->index);
	return buf;
}

static const char *vgpu_share(char *buf, const struct line *line)
{
	(void)buf;
	return line->vgpu->vgpu->share;
}

static const char *vgpu_utilization(char *buf, const struct line *line)
{
	return percent(buf, line->vgpu->utilization);
}

static const char *vgpu_run(char *buf, const struct line *line)
{
	return percent(buf, line->vgpu->run);
}

static const char *vgpu_wait(char *buf, const struct line *line)
{
	return percent(buf, line->vgpu->wait);
}

static const char *vgpu_queue(char *buf, const struct line *line)
{
	return from_milli(buf, line->vgpu->queue);
}

static const char *vgpu_shader(char *buf, const struct line *line)
{
	return percent(buf, line->vgpu->shader);
}

static const char *vgpu_memory(char *buf, const struct line *line)
{
	return percent(buf, line->vgpu->memory);
}

static const char *vgpu_switches(char *buf, const struct line *line)
{
	return from_milli(buf, line->vgpu->switches);
}

static const char *vgpu_moves(char *buf, const struct line *line)
{
	return num_or_empty(buf, line->vgpu->moves);
}

/* clang-format off */
static const struct column slice_columns[] = {
	{ "time", "TIME", -19, line_time },
	{ "slice", "SLICE", -12, slice_name },
	{ "kind", "KIND", -7, slice_kind },
	{ "state", "STATE", -7, slice_state },
	{ "owner", "OWNER", -36, slice_owner },
	{ "members", "MEMBERS", 7, slice_members },
	{ "utilization_percent", "UTIL%", 6, slice_utilization },
	{ "switches_per_second", "SW/s", 8, slice_switches },
	{ 0 },
};

static const struct column vgpu_columns[] = {
	{ "time", "TIME", -19, line_time },
	{ "vgpu", "VGPU", -36, vgpu_name },
	{ "gpu", "GPU", -5, vgpu_gpu },
	{ "share", "SHARE", -9, vgpu_share },
	{ "utilization_percent", "UTIL%", 6, vgpu_utilization },
	{ "run_percent", "RUN%", 6, vgpu_run },
	{ "wait_percent", "WAIT%", 6, vgpu_wait },
	{ "queue_depth", "QUEUE", 6, vgpu_queue },
	{ "shader_percent", "SHDR%", 6, vgpu_shader },
	{ "memory_percent", "MEM%", 6, vgpu_memory },
	{ "switches_per_second", "SW/s", 8, vgpu_switches },
	{ "moves", "MOVES", 6, vgpu_moves },
	{ 0 },
};
/* clang-format on */

static const struct column *columns_of(const struct dmon *dmon)
{
	return dmon->vgpus ? vgpu_columns : slice_columns;
}

/* ---- lines ---- */

/* The last one is not filled up; what is aligned left has a negative width */
static void print_cell(const struct dmon *dmon, const struct column *column, const char *text)
{
	bool last = !column[1].name;

	if (dmon->csv)
		printf("%s%s", text, last ? "\n" : ",");
	else
		printf("%*s%s", column->width, *text ? text : "-", last ? "\n" : " ");
}

static void print_head(struct dmon *dmon)
{
	const struct column *column;

	if (dmon->csv ? dmon->lines : dmon->lines % HEAD_EVERY)
		return;
	for (column = columns_of(dmon); column->name; column++)
		print_cell(dmon, column, dmon->csv ? column->name : column->title);
}

static void print_line(struct dmon *dmon, const struct line *line)
{
	const struct column *column;
	char buf[TEXT_MAX];

	print_head(dmon);
	dmon->lines++;
	for (column = columns_of(dmon); column->name; column++)
		print_cell(dmon, column, column->text(buf, line));
}

/* A vGPU's can be cut, and begin with its GPU */
static bool names_vgpu(const char *name, const struct vgpu_rates *rates)
{
	char gpu[32];
	size_t len = (size_t)snprintf(gpu, sizeof(gpu), "gpu%u/", rates->gpu->index);

	if (!strncmp(name, gpu, len))
		name += len;
	return !strncmp(rates->vgpu->name, name, strlen(name));
}

/* A GPU stands for its slices */
static bool names_slice(const char *name, const char *slice)
{
	size_t len = strlen(name);

	return !strncmp(slice, name, len) && (!slice[len] || slice[len] == '/');
}

static bool is_wanted(const struct dmon *dmon, const struct line *line)
{
	char buf[TEXT_MAX];
	int i;

	for (i = 0; i < dmon->name_count; i++)
		if (line->vgpu ? names_vgpu(dmon->names[i], line->vgpu) :
				 names_slice(dmon->names[i], slice_name(buf, line)))
			return true;
	return !dmon->name_count;
}

static void print_rates(struct dmon *dmon, const struct rates *rates, const char *time)
{
	struct line line = { .time = time };
	unsigned int i;

	for (i = 0; dmon->vgpus && i < rates->vgpu_count; i++) {
		line.vgpu = &rates->vgpus[i];
		if (is_wanted(dmon, &line))
			print_line(dmon, &line);
	}
	for (i = 0; !dmon->vgpus && i < rates->slice_count; i++) {
		line.slice = &rates->slices[i];
		if (is_wanted(dmon, &line))
			print_line(dmon, &line);
	}
}

static int show(const struct sample *now, const struct sample *before, void *ctx)
{
	struct dmon *dmon = ctx;
	struct rates rates;
	time_t t = time(NULL);
	char text[32] = "";
	struct tm tm;

	if (sample_rates(now, before, SORT_NAME, &rates))
		return cli_error(dmon->cli, "out of memory");
	if (localtime_r(&t, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	print_rates(dmon, &rates, text);
	rates_free(&rates);
	return cli_flush(dmon->cli);
}

/* ---- command line ---- */

/* All of one sort, and there now: what does not exist is a mistake */
static int check_names(struct dmon *dmon)
{
	int i, status = CLI_OK, vgpus = 0;
	struct find found;
	struct pool pool;

	if (!dmon->name_count)
		return CLI_OK;
	status = find_pool(dmon->cli, POOL_STATE, &pool);
	if (status)
		return status;
	for (i = 0; !status && i < dmon->name_count; i++) {
		status = find_object(dmon->cli, &pool, dmon->names[i], &found);
		vgpus += !status && found.vgpu;
	}
	pool_free(&pool);
	if (!status && (vgpus ? vgpus != dmon->name_count : dmon->vgpus))
		return cli_usage(dmon->cli, &cmd_dmon, "names have to be all of vGPUs, or none");
	dmon->vgpus |= vgpus;
	return status;
}

static bool take_count(struct cli *cli, const char *arg, struct dmon *dmon)
{
	struct num n = num_parse(arg);

	if (n.known && n.v > 0 && n.v <= 1000000000) {
		dmon->count = (unsigned int)n.v;
		return true;
	}
	cli_usage(cli, &cmd_dmon, "--count %s: not a number of samples", arg);
	return false;
}

static bool take_format(struct cli *cli, const char *arg, struct dmon *dmon)
{
	dmon->csv = !strcmp(arg, "csv");
	if (dmon->csv || !strcmp(arg, "text"))
		return true;
	cli_usage(cli, &cmd_dmon, "--format %s: csv or text", arg);
	return false;
}

static bool take_option(struct cli *cli, int opt, const char *arg, void *ctx)
{
	struct dmon *dmon = ctx;

	switch (opt) {
	case OPT_VGPUS:
		dmon->vgpus = true;
		return true;
	case OPT_COUNT:
		return take_count(cli, arg, dmon);
	case OPT_FORMAT:
		return take_format(cli, arg, dmon);
	default:
		dmon->interval_ms = follow_interval(arg);
		if (!dmon->interval_ms)
			cli_usage(cli, &cmd_dmon, "--interval %s: from 0.05 to 3600 seconds", arg);
		return dmon->interval_ms;
	}
}

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		CLI_COMMON_OPTIONS,
		{ "vgpus", no_argument, NULL, OPT_VGPUS },
		{ "interval", required_argument, NULL, OPT_INTERVAL },
		{ "count", required_argument, NULL, OPT_COUNT },
		{ "format", required_argument, NULL, OPT_FORMAT },
		{ 0 },
	};
	struct dmon dmon = { .cli = cli, .interval_ms = FOLLOW_MS_DEFAULT };
	const struct cli_parse parse = { .options = options, .own = take_option, .ctx = &dmon };
	int at, status;

	at = cli_parse(cli, cmd, &parse, argc, argv, &status);
	if (at < 0)
		return status;
	if (cli->json)
		return cli_usage(cli, cmd, "dmon prints lines; top --json has JSON");
	dmon.names = argv + at;
	dmon.name_count = argc - at;
	status = check_names(&dmon);
	return status ? status : follow(cli, dmon.interval_ms, dmon.count, show, &dmon);
}

const struct cli_command cmd_dmon = {
	.name = "dmon",
	.summary = "print lines about slices or vGPUs, one after the other",
	.help = "usage: tesseractl dmon [NAME...] [--vgpus] [--interval S] [--count N] [--format FORMAT]\n"
		"Prints a line for each slice, or with --vgpus for each vGPU, again and again. Names\n"
		"of GPUs, slices or vGPUs say of which.\n"
		"\n"
		"  --vgpus         lines about vGPUs\n"
		"  --interval S    seconds between two samples (1)\n"
		"  --count N       end after N samples\n"
		"  --format FORMAT text, which is aligned (the default), or csv\n"
		"  --sysfs DIR     root of sysfs, instead of /sys\n"
		"  -h, --help      print this\n",
	.run = run,
};
