// SPDX-License-Identifier: GPL-2.0-or-later
/* tesseractl trace: what the scheduler and the swapper do, as it happens. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attr.h"
#include "find.h"
#include "signals.h"
#include "trace_event.h"
#include "tracefs.h"

enum { OPT_VGPU = CLI_OPT_OWN, OPT_SLICE, OPT_SECONDS };

#define SECONDS_MAX 86400.0

/**
 * struct trace - options and state
 * @cli: options of all commands
 * @vgpu: only this one, as typed; NULL: all
 * @slice: only this one, as typed; NULL: all
 * @ms: end after this time; negative: never
 * @only: what is meant by @vgpu and @slice
 * @name: of that vGPU
 * @line: beginning of a line that has not arrived in full
 * @len: of it
 * @cut: the rest of the line is dropped: it is too long
 */
struct trace {
	struct cli *cli;
	const char *vgpu, *slice;
	int ms;
	struct find only;
	char name[POOL_NAME];
	char line[TRACE_LINE];
	size_t len;
	bool cut;
};

static bool wanted(const struct trace *trace, const struct trace_event *event)
{
	const struct find *only = &trace->only;

	/* A GPU of the same number is meant too: names are not the same on all of them */
	if (trace->vgpu && !(trace_has_vgpu(event, trace->name) &&
			     num_is(trace_num(event, "gpu"), only->gpu->index)))
		return false;
	return !trace->slice || trace_has_slice(event, only->gpu->index, only->slice->index);
}

static int print_lost(const struct trace *trace, const struct trace_event *event)
{
	struct json_object *obj;
	char lost[NUM_TEXT];

	if (!trace->cli->json) {
		printf("%s events were lost: they arrived faster than they could be read\n",
		       num_text(lost, event->pid));
		return CLI_OK;
	}
	obj = json_object_new_object();
	json_object_object_add(obj, "lost", num_json(event->pid, 1));
	json_object_object_add(obj, "cpu", num_json(event->cpu, 1));
	return cli_print_json(trace->cli, obj);
}

static int take_line(const struct trace *trace)
{
	struct trace_event event;
	char words[TRACE_LINE];

	switch (trace_parse(trace->line, &event)) {
	case TRACE_LOST_LINE:
		return print_lost(trace, &event);
	case TRACE_OTHER_LINE:
		return CLI_OK;
	case TRACE_EVENT_LINE:
		break;
	}
	if (!wanted(trace, &event))
		return CLI_OK;
	if (trace->cli->json)
		return cli_print_json(trace->cli, trace_json(&event));
	puts(trace_words(words, &event));
	return CLI_OK;
}

static int take_text(struct trace *trace, const char *text, size_t len)
{
	int status = CLI_OK;
	size_t i;

	for (i = 0; !status && i < len; i++) {
		if (text[i] == '\n') {
			trace->line[trace->len] = '\0';
			status = trace->cut ? CLI_OK : take_line(trace);
			trace->len = 0;
			trace->cut = false;
		} else if (trace->len < sizeof(trace->line) - 1) {
			trace->line[trace->len++] = text[i];
		} else {
			trace->cut = true;
		}
	}
	return status ? status : cli_flush(trace->cli);
}

/* Everything that is there now; *@end is set behind the last event for good */
static int read_events(struct trace *trace, int pipe, bool *end)
{
	char text[ATTR_MAX];
	int status = CLI_OK;
	ssize_t got;

	while (!status && (got = read(pipe, text, sizeof(text))) > 0)
		status = take_text(trace, text, (size_t)got);
	if (status || got > 0)
		return status;
	if (got < 0 && errno != EAGAIN && errno != EINTR)
		return cli_error(trace->cli, "cannot read trace_pipe: %s", strerror(errno));
	*end = !got;
	return CLI_OK;
}

static int follow(struct trace *trace, const struct tracefs *tracefs, int signals)
{
	long long end = signals_clock_ms() + trace->ms, left = trace->ms;
	int why, status = CLI_OK;
	bool eof = false;

	do {
		why = signals_wait(signals, tracefs->pipe, trace->ms < 0 ? -1 : (int)left);
		status = read_events(trace, tracefs->pipe, &eof);
		left = end - signals_clock_ms();
	} while (!status && !eof && why != WAIT_SIGNAL && (trace->ms < 0 || left > 0));
	return status;
}

static int trace_all(struct trace *trace)
{
	struct tracefs tracefs;
	int signals = signals_open(), status;

	if (signals < 0)
		return cli_error(trace->cli, "signalfd: %s", strerror(-signals));
	status = tracefs_open(trace->cli, &tracefs);
	if (!status) {
		status = follow(trace, &tracefs, signals);
		tracefs_close(&tracefs);
	}
	close(signals);
	return status;
}

static int find_slice(const struct trace *trace, const struct pool *pool, struct find *found)
{
	int status = find_object(trace->cli, pool, trace->slice, found);

	if (!status && !found->slice)
		return cli_error(trace->cli, "--slice %s is not a slice; use gpuN/sliceM",
				 trace->slice);
	return status;
}

static int find_only(struct trace *trace, const struct pool *pool)
{
	struct find slice;
	int status = CLI_OK;

	if (trace->vgpu)
		status = find_vgpu(trace->cli, pool, trace->vgpu, &trace->only);
	if (status)
		return status;
	if (trace->vgpu)
		snprintf(trace->name, sizeof(trace->name), "%s", trace->only.vgpu->name);
	if (!trace->slice)
		return CLI_OK;
	status = find_slice(trace, pool, &slice);
	if (status)
		return status;
	if (trace->vgpu && trace->only.gpu != slice.gpu)
		return cli_error(trace->cli, "vGPU %s is on gpu%u, and %s is not", trace->name,
				 trace->only.gpu->index, trace->slice);
	trace->only.gpu = slice.gpu;
	trace->only.slice = slice.slice;
	return CLI_OK;
}

static bool take_option(struct cli *cli, int opt, const char *arg, void *ctx)
{
	struct trace *trace = ctx;
	char *end;
	double s;

	switch (opt) {
	case OPT_VGPU:
		trace->vgpu = arg;
		return true;
	case OPT_SLICE:
		trace->slice = arg;
		return true;
	}
	s = strtod(arg, &end);
	if (end == arg || *end || !(s > 0 && s <= SECONDS_MAX)) {
		cli_usage(cli, &cmd_trace, "--seconds %s: a number up to %.0f", arg, SECONDS_MAX);
		return false;
	}
	trace->ms = s * 1000 < 1 ? 1 : (int)(s * 1000);
	return true;
}

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		CLI_COMMON_OPTIONS,
		{ "vgpu", required_argument, NULL, OPT_VGPU },
		{ "slice", required_argument, NULL, OPT_SLICE },
		{ "seconds", required_argument, NULL, OPT_SECONDS },
		{ 0 },
	};
	struct trace trace = { .cli = cli, .ms = -1 };
	const struct cli_parse parse = { .options = options, .own = take_option, .ctx = &trace };
	struct pool pool;
	int at, status;

	at = cli_parse(cli, cmd, &parse, argc, argv, &status);
	if (at < 0)
		return status;
	if (at != argc)
		return cli_usage(cli, cmd, "a name requires --vgpu or --slice");
	/* A GPU is only needed where one is named: to trace how it appears is fine */
	if (!trace.vgpu && !trace.slice)
		return trace_all(&trace);
	status = find_pool(cli, POOL_STATE, &pool);
	if (status)
		return status;
	status = find_only(&trace, &pool);
	if (!status)
		status = trace_all(&trace);
	pool_free(&pool);
	return status;
}

const struct cli_command cmd_trace = {
	.name = "trace",
	.summary = "print switches, saves, moves and completions as they happen",
	.help = "usage: tesseractl trace [--vgpu NAME] [--slice gpuN/sliceM] [--seconds S] [--json]\n"
		"Prints the kernel's events of scheduling in plain words, until it is\n"
		"interrupted. Requires root and a mounted tracefs.\n"
		"\n"
		"  --vgpu NAME     only events of this vGPU\n"
		"  --slice S       only events of this slice, and moves from and to it\n"
		"  --seconds S     end after this time\n"
		"  --tracefs DIR   root of tracefs; default: its usual place\n" CLI_COMMON_HELP "\n"
		"With --json each event is an object on a line of its own.\n",
	.run = run,
};
