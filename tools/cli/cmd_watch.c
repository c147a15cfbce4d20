// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: tesseractl watch
 *
 * The kernel announces each GPU, vGPU and change of a composition. What an event itself
 * does not say is read from sysfs when it comes: the state of that moment, which can be
 * newer than the event, but is never older.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attr.h"
#include "cli.h"
#include "find.h"
#include "mdev.h"
#include "pool_json.h"
#include "shape.h"
#include "signals.h"
#include "uevent.h"

enum { OPT_COUNT = CLI_OPT_OWN, OPT_SECONDS };

#define COUNT_MAX 1000000000L
#define SECONDS_MAX 86400.0
#define KNOWN_MAX 64

/**
 * struct watch - options and state
 * @cli: how to print
 * @count: events to print, 0: no limit
 * @ms: time, negative: no limit
 * @known: names of GPUs that were seen, to know vGPUs of one that has gone
 * @known_count: of them
 */
struct watch {
	const struct cli *cli;
	long count;
	int ms;
	char known[KNOWN_MAX][POOL_TEXT];
	unsigned int known_count;
};

/**
 * struct change - a line of output
 * @what: "created", "composed", "changed", "removed", "added"
 * @uuid: of the vGPU, empty: it is about the GPU
 * @parent: bus name of the GPU, empty if it is not known
 * @class: name of the GPU in the class, empty if it is not known
 * @generation: from the event
 * @gpu: as it is now, NULL if it is gone
 * @vgpu: likewise
 */
struct change {
	const char *what;
	char uuid[MDEV_UUID], parent[POOL_TEXT], class[32];
	struct num generation;
	const struct pool_gpu *gpu;
	const struct pool_vgpu *vgpu;
};

static bool is_known(const struct watch *watch, const char *name)
{
	unsigned int i;

	for (i = 0; i < watch->known_count; i++)
		if (!strcmp(watch->known[i], name))
			return true;
	return false;
}

static void learn(struct watch *watch, const struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < pool->gpu_count; i++)
		if (!is_known(watch, pool->gpus[i].name) && watch->known_count < KNOWN_MAX)
			snprintf(watch->known[watch->known_count++], POOL_TEXT, "%s",
				 pool->gpus[i].name);
}

/* ---- what an event means ---- */

/* Part number @back of a path from its end, 0 the last */
static void path_part(char *buf, size_t size, const char *path, unsigned int back)
{
	const char *end = path + strlen(path), *start;

	for (;; back--) {
		for (start = end; start > path && start[-1] != '/';)
			start--;
		if (!back || start == path)
			break;
		end = start - 1;
	}
	snprintf(buf, size, "%.*s", back ? 0 : (int)(end - start), start);
}

static const char *mdev_change(const struct uevent *event)
{
	/* Before "bind" it has no files, and after "unbind" none */
	if (!strcmp(event->action, "bind"))
		return "created";
	if (!strcmp(event->action, "remove"))
		return "removed";
	if (strcmp(event->action, "change"))
		return NULL;
	return strcmp(event->tessera, "composition") ? "changed" : "composed";
}

static const char *gpu_change(const struct uevent *event)
{
	if (!strcmp(event->action, "add"))
		return "added";
	if (!strcmp(event->action, "remove"))
		return "removed";
	return strcmp(event->action, "change") ? NULL : "changed";
}

/* False if it is none of ours */
static bool understand(const struct watch *watch, const struct uevent *event, struct change *change)
{
	char last[POOL_NAME];

	*change = (struct change){ .generation = event->generation };
	path_part(last, sizeof(last), event->devpath, 0);
	if (!strcmp(event->subsystem, "tessera")) {
		change->what = gpu_change(event);
		snprintf(change->class, sizeof(change->class), "%.31s", last);
		return change->what && attr_index(last, "gpu") >= 0;
	}
	if (strcmp(event->subsystem, "mdev") || !mdev_is_uuid(last))
		return false;
	change->what = mdev_change(event);
	snprintf(change->uuid, sizeof(change->uuid), "%.36s", last);
	path_part(change->parent, sizeof(change->parent), event->devpath, 1);
	return change->what && is_known(watch, change->parent);
}

/* Find what it is about in the pool as it is now */
static void look_up(struct change *change, const struct pool *pool)
{
	unsigned int i;
	char name[32];

	for (i = 0; i < pool->gpu_count; i++) {
		const struct pool_gpu *gpu = &pool->gpus[i];

		snprintf(name, sizeof(name), "gpu%u", gpu->index);
		if (change->uuid[0] ? strcmp(gpu->name, change->parent) :
				      strcmp(name, change->class))
			continue;
		snprintf(change->class, sizeof(change->class), "%s", name);
		change->gpu = gpu;
		if (change->uuid[0] && strcmp(change->what, "removed"))
			change->vgpu = pool_vgpu(gpu, change->uuid);
	}
}

/* ---- output ---- */

static double seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static struct json_object *time_json(double now)
{
	struct json_object *obj = json_object_new_double(now);

	json_object_set_serializer(obj, json_object_double_to_json_string, (void *)"%.3f", NULL);
	return obj;
}

static struct json_object *change_json(const struct change *change, double now)
{
	struct json_object *obj = json_object_new_object();

	json_object_object_add(obj, "time", time_json(now));
	json_object_object_add(obj, "event", json_object_new_string(change->what));
	json_object_object_add(obj, "gpu", pool_text_json(change->class));
	json_object_object_add(obj, "slices_free",
			       num_json(change->gpu ? change->gpu->slices_free : NUM_UNKNOWN, 1));
	if (!change->uuid[0])
		return obj;
	json_object_object_add(obj, "vgpu", json_object_new_string(change->uuid));
	if (change->vgpu)
		shape_add_json(obj, change->vgpu);
	if (change->generation.known)
		json_object_object_add(obj, "generation", num_json(change->generation, 1));
	return obj;
}

static void print_vgpu(const struct change *change)
{
	char text[SHAPE_TEXT];

	if (change->generation.known)
		printf("  generation %s", num_text(text, change->generation));
	if (!change->vgpu)
		return;
	printf("  given %s", shape_count(text, change->vgpu));
	printf(" (%s)", shape_kinds(text, change->vgpu));
	printf("  slices %s", shape_slices(text, change->vgpu));
}

static void print_text(const struct change *change, double now)
{
	time_t seconds = (time_t)now;
	char text[32] = "-", number[2][NUM_TEXT];
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
	printf("%s.%03d  %s%s%s  %-8s", text, (int)((now - (double)seconds) * 1000),
	       change->class[0] ? change->class : "-", change->uuid[0] ? "/" : "", change->uuid,
	       change->what);
	print_vgpu(change);
	if (change->gpu)
		printf("  %s of %s slices available", num_text(number[0], change->gpu->slices_free),
		       num_text(number[1], change->gpu->slices_total));
	putchar('\n');
}

static int print_change(const struct cli *cli, const struct change *change)
{
	double now = seconds_now();

	if (cli->json)
		return cli_print_json(cli, change_json(change, now));
	print_text(change, now);
	return cli_flush(cli);
}

static int print_lost(const struct cli *cli)
{
	struct json_object *obj;

	if (!cli->json) {
		puts("events arrived faster than they could be read; some were lost");
		return cli_flush(cli);
	}
	obj = json_object_new_object();
	json_object_object_add(obj, "time", time_json(seconds_now()));
	json_object_object_add(obj, "event", json_object_new_string("lost"));
	return cli_print_json(cli, obj);
}

/* ---- the loop ---- */

/* *@printed: was it one to be printed? */
static int take_event(struct watch *watch, const struct uevent *event, bool *printed)
{
	struct change change;
	struct pool pool;
	bool have = false;
	int status = CLI_OK;

	*printed = false;
	if (strcmp(event->subsystem, "mdev") && strcmp(event->subsystem, "tessera"))
		return CLI_OK;
	/* A GPU that came since the last time */
	have = !pool_read(watch->cli->sysfs, POOL_STATE, &pool);
	learn(watch, &pool);
	if (understand(watch, event, &change)) {
		if (have)
			look_up(&change, &pool);
		*printed = true;
		status = print_change(watch->cli, &change);
	}
	pool_free(&pool);
	return status;
}

/* All that has come */
static int take_events(struct watch *watch, int fd, long *seen)
{
	struct uevent *event = malloc(sizeof(*event));
	int rc = 1, status = CLI_OK;
	bool printed;

	if (!event)
		return cli_error(watch->cli, "out of memory");
	while (!status && rc && !(watch->count && *seen >= watch->count)) {
		rc = uevent_read(fd, event);
		if (rc == 1) {
			status = take_event(watch, event, &printed);
			*seen += printed;
		} else if (rc == -ENOBUFS) {
			status = print_lost(watch->cli);
		} else if (rc) {
			status = cli_error(watch->cli, "cannot read events: %s", strerror(-rc));
		}
	}
	free(event);
	return status;
}

static int follow(struct watch *watch, int fd, int signals)
{
	long long end = signals_clock_ms() + watch->ms;
	int status = CLI_OK, left = watch->ms;
	long seen = 0;

	while (!status && !(watch->count && seen >= watch->count)) {
		if (watch->ms >= 0) {
			left = (int)(end - signals_clock_ms());
			if (left <= 0)
				break;
		}
		switch (signals_wait(signals, fd, left)) {
		case WAIT_SIGNAL:
			return CLI_OK;
		case WAIT_INPUT:
			status = take_events(watch, fd, &seen);
			break;
		}
	}
	return status;
}

static int watch_events(struct watch *watch)
{
	const struct cli *cli = watch->cli;
	struct pool pool;
	int fd, rc, signals, status;

	signals = signals_open();
	if (signals < 0)
		return cli_error(cli, "cannot wait for signals: %s", strerror(-signals));
	fd = uevent_open();
	if (fd < 0) {
		close(signals);
		return cli_error(cli, "cannot listen to the kernel's events: %s", strerror(-fd));
	}
	/* What is there is read after listening began: nothing falls in between. That there
	 * is no GPU yet is what one may want to watch. */
	rc = pool_read(cli->sysfs, POOL_STATE, &pool);
	learn(watch, &pool);
	pool_free(&pool);
	status = rc && rc != -ENODEV ? find_pool_error(cli, rc) : follow(watch, fd, signals);
	close(fd);
	close(signals);
	return status;
}

static bool take_option(struct cli *cli, int opt, const char *arg, void *ctx)
{
	struct watch *watch = ctx;
	char *end;
	double s;

	if (opt == OPT_COUNT) {
		struct num n = num_parse(arg);

		if (n.known && n.v > 0 && n.v <= COUNT_MAX) {
			watch->count = (long)n.v;
			return true;
		}
		cli_usage(cli, &cmd_watch, "--count %s: a number from 1", arg);
		return false;
	}
	s = strtod(arg, &end);
	if (end == arg || *end || !(s > 0 && s <= SECONDS_MAX)) {
		cli_usage(cli, &cmd_watch, "--seconds %s: a number up to %.0f", arg, SECONDS_MAX);
		return false;
	}
	watch->ms = s * 1000 < 1 ? 1 : (int)(s * 1000);
	return true;
}

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		CLI_COMMON_OPTIONS,
		{ "count", required_argument, NULL, OPT_COUNT },
		{ "seconds", required_argument, NULL, OPT_SECONDS },
		{ 0 },
	};
	struct watch watch = { .cli = cli, .ms = -1 };
	const struct cli_parse parse = { .options = options, .own = take_option, .ctx = &watch };
	int at, status;

	at = cli_parse(cli, cmd, &parse, argc, argv, &status);
	if (at < 0)
		return status;
	if (at != argc)
		return cli_usage(cli, cmd, "watch accepts no name: %s", argv[at]);
	return watch_events(&watch);
}

const struct cli_command cmd_watch = {
	.name = "watch",
	.summary = "print changes of GPUs and vGPUs as they happen",
	.help = "usage: tesseractl watch [--count N] [--seconds S] [--json]\n"
		"Prints a line for each GPU and vGPU that is added, recomposed or removed, until it\n"
		"is interrupted.\n"
		"\n"
		"  --count N       end after N lines\n"
		"  --seconds S     end after this time\n" CLI_COMMON_HELP "\n"
		"With --json each event is an object on a line of its own.\n",
	.run = run,
};
