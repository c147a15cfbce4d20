// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: tesseractl apply, save
 *
 * Settings of slices in a file, so that they outlive a boot. A line has the name of a GPU on its bus,
 * which is the same after the next boot, "slices=" and settings. vGPUs are not among them: mdevctl
 * keeps those. All lines are checked before the first file is written; what the kernel refuses is
 * told, and does not keep the other settings from their slices.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attr.h"
#include "cli.h"
#include "find.h"
#include "knob.h"
#include "write.h"

enum { OPT_DRY_RUN = CLI_OPT_OWN, OPT_GPU };

#define BLANKS " \t\r\n"

static const struct knob service_knobs[] = {
	{ .name = "service", .words = { "in", "out" } },
	{ 0 },
};

/* ---- save ---- */

static void print_settings(const struct pool_gpu *gpu, unsigned int first, unsigned int last)
{
	const struct pool_slice *slice = &gpu->slices[first];
	char number[NUM_TEXT];

	printf("%s slices=%u", gpu->name, slice->index);
	if (first != last)
		printf("-%u", gpu->slices[last].index);
	if (slice->policy[0])
		printf(" policy=%s", slice->policy);
	if (slice->quantum_us.known)
		printf(" quantum_us=%s", num_text(number, slice->quantum_us));
	if (slice->preempt_timeout_us.known)
		printf(" preempt_timeout_us=%s", num_text(number, slice->preempt_timeout_us));
	if (slice->service[0])
		printf(" service=%s", strcmp(slice->service, "in") ? "out" : "in");
	putchar('\n');
}

static bool is_same(struct num a, struct num b)
{
	return a.known == b.known && a.v == b.v;
}

/* One that drains is to be out of service as one that is */
static bool are_alike(const struct pool_slice *a, const struct pool_slice *b)
{
	return !strcmp(a->policy, b->policy) && is_same(a->quantum_us, b->quantum_us) &&
	       is_same(a->preempt_timeout_us, b->preempt_timeout_us) &&
	       !strcmp(a->service, "in") == !strcmp(b->service, "in") && b->index == a->index + 1;
}

static void save_gpu(const struct pool_gpu *gpu)
{
	unsigned int first, last;

	for (first = 0; first < gpu->slice_count; first = last + 1) {
		last = first;
		while (last + 1 < gpu->slice_count &&
		       are_alike(&gpu->slices[last], &gpu->slices[last + 1]))
			last++;
		print_settings(gpu, first, last);
	}
}

static int run_save(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	struct pool pool;
	unsigned int i;
	int at, status;

	at = cli_parse_common(cli, cmd, argc, argv, &status);
	if (at < 0)
		return status;
	if (at != argc || cli->json)
		return cli_usage(cli, cmd, "save accepts no name, and prints no JSON");
	status = find_pool(cli, POOL_STATE, &pool);
	if (status)
		return status;
	puts("# Settings of slices, for \"tesseractl apply\"");
	for (i = 0; i < pool.gpu_count; i++)
		save_gpu(&pool.gpus[i]);
	pool_free(&pool);
	return cli_flush(cli);
}

const struct cli_command cmd_save = {
	.name = "save",
	.summary = "print the settings of slices, for apply",
	.help = "usage: tesseractl save >FILE\n"
		"Prints how the slices are set, and which are out of service, for \"apply\".\n"
		"\n"
		"  --sysfs DIR     root of sysfs, instead of /sys\n"
		"  -h, --help      print this\n",
	.run = run_save,
};

/* ---- apply: the file ---- */

/**
 * struct item - a value for a slice
 * @gpu: its GPU
 * @slice: slice
 * @knob: what is set
 * @value: to what
 */
struct item {
	const struct pool_gpu *gpu;
	const struct pool_slice *slice;
	const struct knob *knob;
	char value[KNOB_VALUE];
};

/**
 * struct apply - a file, and what comes of it
 * @cli: those of all commands
 * @file: name, for messages
 * @gpu: as typed, NULL: all
 * @only: lines of other GPUs are passed over; NULL: none is
 * @dry_run: nothing is written
 * @line: number of the present line
 * @items: in the order of the file
 * @count: of them
 * @failed: something could not be set
 * @changes: JSON of what changed; NULL: text is printed
 */
struct apply {
	const struct cli *cli;
	const char *file, *gpu;
	const struct pool_gpu *only;
	bool dry_run;
	unsigned int line;
	struct item *items;
	unsigned int count;
	bool failed;
	struct json_object *changes;
};

static int add_item(struct apply *a, const struct item *item)
{
	struct item *items = reallocarray(a->items, a->count + 1, sizeof(*items));

	if (!items)
		return cli_error(a->cli, "out of memory");
	a->items = items;
	a->items[a->count++] = *item;
	return CLI_OK;
}

static const struct pool_gpu *gpu_of(const struct pool *pool, const char *name)
{
	unsigned int i;

	for (i = 0; i < pool->gpu_count; i++)
		if (!strcmp(pool->gpus[i].name, name))
			return &pool->gpus[i];
	return NULL;
}

/* "3", "0-5": the first and the last number; false: it is neither */
static bool parse_range(const char *text, struct num *first, struct num *last)
{
	char copy[KNOB_VALUE], *dash;

	if (strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	dash = strchr(copy, '-');
	if (dash)
		*dash++ = '\0';
	*first = num_parse(copy);
	*last = num_parse(dash ? dash : copy);
	return first->known && last->known && first->v >= 0 && first->v <= last->v;
}

static int take_setting(struct apply *a, const struct pool_gpu *gpu, struct num first,
			struct num last, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : 0;
	struct item item = { .gpu = gpu };
	char allowed[KNOB_ALLOWED];
	int status = CLI_OK;
	int64_t i;

	item.knob = knob_find(knobs_of_slices, word, len);
	if (!item.knob)
		item.knob = knob_find(service_knobs, word, len);
	if (!item.knob)
		return cli_error(a->cli,
				 "%s:%u: no setting %s; there are policy, quantum_us, "
				 "preempt_timeout_us and service",
				 a->file, a->line, word);
	if (!knob_fits(item.knob, equals + 1))
		return cli_error(a->cli, "%s:%u: %s; allowed: %s", a->file, a->line, word,
				 knob_allowed(allowed, item.knob));
	snprintf(item.value, sizeof(item.value), "%s", equals + 1);
	for (i = first.v; !status && i <= last.v; i++) {
		item.slice = pool_slice(gpu, num(i));
		if (!item.slice)
			return cli_error(a->cli, "%s:%u: %s has no slice %d", a->file, a->line,
					 gpu->name, (int)i);
		status = add_item(a, &item);
	}
	return status;
}

/* A GPU that is not there now is no mistake of the file, but it is told */
static bool is_passed_over(struct apply *a, const struct pool_gpu *gpu, const char *name)
{
	if (!gpu && !a->only) {
		cli_error(a->cli, "%s:%u: there is no GPU %s now", a->file, a->line, name);
		a->failed = true;
	}
	return !gpu || (a->only && a->only != gpu);
}

static int take_line(struct apply *a, const struct pool *pool, char *text)
{
	const struct pool_gpu *gpu;
	struct num first, last;
	char *rest, *word;
	int status = CLI_OK;

	text[strcspn(text, "#")] = '\0';
	word = strtok_r(text, BLANKS, &rest);
	if (!word)
		return CLI_OK;
	gpu = gpu_of(pool, word);
	if (is_passed_over(a, gpu, word))
		return CLI_OK;
	word = strtok_r(NULL, BLANKS, &rest);
	if (!word || strncmp(word, "slices=", 7) || !parse_range(word + 7, &first, &last))
		return cli_error(a->cli, "%s:%u: slices=N or slices=N-M has to follow the GPU",
				 a->file, a->line);
	while (!status && (word = strtok_r(NULL, BLANKS, &rest)))
		status = take_setting(a, gpu, first, last, word);
	return status;
}

static int take_lines(struct apply *a, const struct pool *pool, FILE *file)
{
	char *text = NULL;
	size_t size = 0;
	int status = CLI_OK;

	while (!status && getline(&text, &size, file) >= 0) {
		a->line++;
		status = take_line(a, pool, text);
	}
	free(text);
	if (!status && ferror(file))
		status = cli_error(a->cli, "cannot read %s: %s", a->file, strerror(errno));
	return status;
}

static int take_file(struct apply *a, const struct pool *pool)
{
	FILE *file = strcmp(a->file, "-") ? fopen(a->file, "re") : stdin;
	int status;

	if (!file)
		return cli_error(a->cli, "cannot read %s: %s", a->file, strerror(errno));
	status = take_lines(a, pool, file);
	if (file != stdin)
		fclose(file);
	return status;
}

/* ---- apply: the slices ---- */

static void print_change(struct apply *a, const struct item *item, const char *from)
{
	struct json_object *obj;
	char name[64];

	snprintf(name, sizeof(name), "gpu%u/slice%u", item->gpu->index, item->slice->index);
	if (!a->changes) {
		printf("%s: %s %s -> %s\n", name, item->knob->name, *from ? from : "-",
		       item->value);
		return;
	}
	obj = json_object_new_object();
	json_object_object_add(obj, "name", json_object_new_string(name));
	json_object_object_add(obj, "setting", json_object_new_string(item->knob->name));
	json_object_object_add(obj, "from", json_object_new_string(from));
	json_object_object_add(obj, "to", json_object_new_string(item->value));
	json_object_array_add(a->changes, obj);
}

static void set_item(struct apply *a, const struct item *item)
{
	const struct find found = { .gpu = item->gpu, .slice = item->slice };
	char from[POOL_TEXT] = "";
	int dir = write_open(a->cli, &found), rc = dir < 0 ? dir : 0;

	if (!rc)
		attr_text(dir, item->knob->name, from, sizeof(from));
	if (!strcmp(from, "draining"))
		strcpy(from, "out");
	if (!rc && strcmp(from, item->value)) {
		rc = a->dry_run ? 0 : attr_write(dir, item->knob->name, item->value);
		if (!rc)
			print_change(a, item, from);
	}
	if (dir >= 0)
		close(dir);
	if (!rc)
		return;
	cli_error(a->cli, "cannot set %s of gpu%u/slice%u to %s: %s", item->knob->name,
		  item->gpu->index, item->slice->index, item->value,
		  write_error(rc, item->knob->name));
	a->failed = true;
}

static int apply_pool(struct apply *a, const struct pool *pool)
{
	struct json_object *obj = NULL;
	unsigned int i;
	int status = take_file(a, pool);

	if (status)
		return status;
	if (a->cli->json) {
		obj = json_object_new_object();
		a->changes = json_object_new_array();
		json_object_object_add(obj, "changes", a->changes);
	}
	for (i = 0; i < a->count; i++)
		set_item(a, &a->items[i]);
	if (obj && !a->failed)
		return cli_print_json(a->cli, obj);
	json_object_put(obj);
	status = cli_flush(a->cli);
	return a->failed ? CLI_FAILED : status;
}

static bool take_option(struct cli *cli, int opt, const char *arg, void *ctx)
{
	(void)cli;
	if (opt == OPT_DRY_RUN)
		((struct apply *)ctx)->dry_run = true;
	else
		((struct apply *)ctx)->gpu = arg;
	return true;
}

static int run_apply(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		CLI_COMMON_OPTIONS,
		{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
		{ "gpu", required_argument, NULL, OPT_GPU },
		{ 0 },
	};
	struct apply a = { .cli = cli };
	const struct cli_parse parse = { .options = options, .own = take_option, .ctx = &a };
	struct find found = { 0 };
	struct pool pool;
	int at, status;

	at = cli_parse(cli, cmd, &parse, argc, argv, &status);
	if (at < 0)
		return status;
	if (at + 1 != argc)
		return cli_usage(cli, cmd, "one FILE is required");
	a.file = argv[at];
	status = find_pool(cli, POOL_STATE, &pool);
	if (status)
		return status;
	if (a.gpu)
		status = find_object(cli, &pool, a.gpu, &found);
	if (!status && (found.slice || found.vgpu))
		status = cli_usage(cli, cmd, "--gpu %s is not a GPU", a.gpu);
	a.only = found.gpu;
	if (!status)
		status = apply_pool(&a, &pool);
	free(a.items);
	pool_free(&pool);
	return status;
}

const struct cli_command cmd_apply = {
	.name = "apply",
	.summary = "set slices as a file says",
	.help = "usage: tesseractl apply FILE [--gpu gpuN] [--dry-run] [--json]\n"
		"Sets slices as \"tesseractl save\" printed them; - is standard input. Nothing is\n"
		"written if the file has a mistake; what the kernel refuses is told, and the rest is\n"
		"set.\n"
		"\n"
		"  --gpu gpuN      only settings of this GPU\n"
		"  --dry-run       print what would change\n"
		"\n" CLI_COMMON_HELP,
	.run = run_apply,
};
