// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: completion
 *
 * The shells have a few lines each, which ask the program: so all of them know the same, and it is
 * what the program knows. A table has the options of each command, with what their values are, and
 * its operands.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attr.h"
#include "complete.h"
#include "find.h"
#include "mdev.h"
#include "query.h"
#include "sample.h"

/* What a word can be */
enum kind {
	KIND_NOTHING, /* or something that nobody but the user knows */
	KIND_FLAG, /* of an option: it has no value */
	KIND_FILE,
	KIND_DIRECTORY,
	KIND_GPU,
	KIND_SLICE,
	KIND_VGPU,
	KIND_MDEV,
	KIND_OBJECT, /* a GPU, slice or vGPU */
	KIND_SHARED, /* a slice or vGPU */
	KIND_SLICES, /* a slice or GPU */
	KIND_TYPE,
	KIND_FIELDS,
	KIND_FORMAT,
	KIND_LINES, /* format of lines */
	KIND_METRICS, /* format of metrics */
	KIND_SORT,
	KIND_BLUEPRINT,
	KIND_SETTING,
	KIND_VSLICE, /* of the vGPU before, or a GPU */
	KIND_OTHER_SLICE, /* of the GPU of that vGPU */
};

struct option_kind {
	const char *name;
	enum kind value;
};

#define OPTIONS_MAX 8
#define OPERANDS_MAX 3

/**
 * struct grammar - a command
 * @name: of it
 * @options: its own
 * @operands: the last one can be repeated
 */
struct grammar {
	const char *name;
	struct option_kind options[OPTIONS_MAX];
	enum kind operands[OPERANDS_MAX];
};

static const struct option_kind common[] = {
	{ "--json", KIND_FLAG },	 { "--help", KIND_FLAG },    { "--sysfs", KIND_DIRECTORY },
	{ "--tracefs", KIND_DIRECTORY }, { "--version", KIND_FLAG }, { 0 },
};

/* Those behind the command, too, but for the last of them */
#define COMMON_OF_ALL 3

/* clang-format off */
static const struct grammar grammars[] = {
	{ "list", { { "--long", KIND_FLAG }, { "--query", KIND_FIELDS }, { "--format", KIND_FORMAT },
		    { "--list-fields", KIND_FLAG } }, { 0 } },
	{ "show", { { 0 } }, { KIND_OBJECT } },
	{ "create", { { "--gpu", KIND_GPU }, { "--uuid", KIND_NOTHING }, { "--type", KIND_TYPE },
		      { "--profile", KIND_FILE }, { "--render-node", KIND_NOTHING },
		      { "--dry-run", KIND_FLAG } },
	  { KIND_BLUEPRINT, KIND_BLUEPRINT, KIND_BLUEPRINT } },
	{ "compose", { { "--profile", KIND_FILE }, { "--dry-run", KIND_FLAG } },
	  { KIND_MDEV, KIND_BLUEPRINT, KIND_BLUEPRINT } },
	{ "remove", { { "--dry-run", KIND_FLAG } }, { KIND_MDEV, KIND_MDEV, KIND_MDEV } },
	{ "profile", { { 0 } }, { KIND_VGPU } },
	{ "set", { { 0 } }, { KIND_SHARED, KIND_SETTING, KIND_SETTING } },
	{ "apply", { { "--gpu", KIND_GPU }, { "--dry-run", KIND_FLAG } }, { KIND_FILE } },
	{ "save", { { 0 } }, { 0 } },
	{ "move", { { 0 } }, { KIND_VGPU, KIND_VSLICE, KIND_OTHER_SLICE } },
	{ "drain", { { 0 } }, { KIND_SLICES, KIND_SLICES, KIND_SLICES } },
	{ "clear", { { 0 } }, { KIND_SLICES, KIND_SLICES, KIND_SLICES } },
	{ "reset", { { "--force", KIND_FLAG } }, { KIND_SLICES } },
	{ "dmon", { { "--vgpus", KIND_FLAG }, { "--interval", KIND_NOTHING },
		    { "--count", KIND_NOTHING }, { "--format", KIND_LINES } },
	  { KIND_OBJECT, KIND_OBJECT, KIND_OBJECT } },
	{ "top", { { "--batch", KIND_NOTHING }, { "--interval", KIND_NOTHING },
		   { "--sort", KIND_SORT } }, { 0 } },
	{ "metrics", { { "--counters", KIND_FLAG }, { "--format", KIND_METRICS },
		       { "--output", KIND_FILE } }, { 0 } },
	{ "watch", { { "--count", KIND_NOTHING }, { "--seconds", KIND_NOTHING } }, { 0 } },
	{ "trace", { { "--vgpu", KIND_VGPU }, { "--slice", KIND_SLICE },
		     { "--seconds", KIND_NOTHING }, { "--tracefs", KIND_DIRECTORY } }, { 0 } },
};

static const char *const blueprint_words[] = {
	"slices=", "min=", "max=", "memory=", "weight=", "cap=", "heads=", "gpus=", "texels=",
	"pixels=", "displays=", "path=local", "path=remote",
	"kind=any", "kind=compute", "kind=render", "kind=mixed",
	"topology=none", "topology=chain", "topology=ring", "topology=mesh",
	"engines=all", "engines=compute", "engines=compute,copy", "engines=compute,copy,raster",
	"share=exclusive", "share=shared", "policy=manual", "policy=auto", NULL,
};

static const char *const slice_settings[] = {
	"policy=fair", "policy=fixed", "policy=besteffort", "quantum_us=", "preempt_timeout_us=", NULL,
};

static const char *const vgpu_settings[] = {
	"weight=", "cap=", "policy=manual", "policy=auto", NULL,
};

static const char *const formats[] = { "csv", "json", NULL };
static const char *const metrics_formats[] = { "openmetrics", "prometheus", NULL };
static const char *const line_formats[] = { "csv", "text", NULL };
/* clang-format on */

/**
 * struct line - the command line so far
 * @cli: where the pool is
 * @command: NULL: the word is one
 * @option: whose value the word is, NULL: none
 * @operands: before the word
 * @operand_count: of all before it
 * @whole: the word that is to be completed
 * @word: the part of it that is: what stands ahead of that is kept
 */
struct line {
	struct cli cli;
	const struct grammar *command;
	const struct option_kind *option;
	const char *operands[OPERANDS_MAX];
	unsigned int operand_count;
	const char *whole, *word;
};

/* ---- candidates ---- */

/* bash puts it on the line as it is: nothing that a shell would take for more than a word */
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,/=:+"

static void offer(const struct line *line, const char *word, const char *what)
{
	if (strncmp(word, line->word, strlen(line->word)) || word[strspn(word, LETTERS)])
		return;
	printf("%.*s%s%s%s\n", (int)(line->word - line->whole), line->whole, word,
	       *what ? "\t" : "", what);
}

static void offer_words(const struct line *line, const char *const *words)
{
	while (*words)
		offer(line, *words++, "");
}

static void offer_gpus(const struct line *line, const struct pool *pool)
{
	char name[32];
	unsigned int i;

	for (i = 0; i < pool->gpu_count; i++) {
		snprintf(name, sizeof(name), "gpu%u", pool->gpus[i].index);
		offer(line, name, pool->gpus[i].name);
	}
}

static void offer_slices(const struct line *line, const struct pool *pool,
			 const struct pool_gpu *only)
{
	char name[64], what[3 * POOL_TEXT];
	unsigned int i, j;

	for (i = 0; i < pool->gpu_count; i++) {
		const struct pool_gpu *gpu = &pool->gpus[i];

		for (j = 0; (!only || gpu == only) && j < gpu->slice_count; j++) {
			const struct pool_slice *slice = &gpu->slices[j];

			snprintf(name, sizeof(name), "gpu%u/slice%u", gpu->index, slice->index);
			snprintf(what, sizeof(what), "%s, %s", slice->kind, slice->state);
			offer(line, name, what);
		}
	}
}

/* The first GPU that has one of that name: the others do not offer it again */
static bool is_first(const struct pool *pool, const struct pool_gpu *gpu, const char *name)
{
	const struct pool_gpu *other;

	for (other = pool->gpus; other < gpu; other++)
		if (pool_vgpu(other, name))
			return false;
	return true;
}

static void offer_vgpus(const struct line *line, const struct pool *pool, bool mdev)
{
	char what[2 * POOL_TEXT];
	unsigned int i, j;

	for (i = 0; i < pool->gpu_count; i++) {
		const struct pool_gpu *gpu = &pool->gpus[i];

		for (j = 0; j < gpu->vgpu_count; j++) {
			const struct pool_vgpu *vgpu = &gpu->vgpus[j];

			if (!is_first(pool, gpu, vgpu->dir) || (mdev && !vgpu->mdev && !vgpu->node))
				continue;
			snprintf(what, sizeof(what), "gpu%u, %s", gpu->index, vgpu->share);
			offer(line, vgpu->name, what);
		}
	}
}

/* The vGPU of the first operand, if it is one alone */
static bool find_named(const struct line *line, const struct pool *pool, struct find *found)
{
	const char *name = line->operands[0];
	unsigned int i, j, count = 0;

	for (i = 0; i < pool->gpu_count; i++)
		for (j = 0; j < pool->gpus[i].vgpu_count; j++) {
			const struct pool_vgpu *vgpu = &pool->gpus[i].vgpus[j];

			if (vgpu->part || strncmp(vgpu->name, name, strlen(name)))
				continue;
			*found = (struct find){ .gpu = &pool->gpus[i], .vgpu = vgpu };
			count++;
		}
	return count == 1;
}

static void offer_vslices(const struct line *line, const struct pool *pool)
{
	char name[NUM_TEXT], what[64], on[NUM_TEXT];
	struct find found;
	unsigned int i;

	if (!find_named(line, pool, &found))
		return;
	for (i = 0; i < found.vgpu->vslice_count; i++) {
		snprintf(name, sizeof(name), "%u", found.vgpu->vslices[i].index);
		snprintf(what, sizeof(what), "vslice on slice %s",
			 num_text(on, found.vgpu->vslices[i].slice));
		offer(line, name, what);
	}
	offer_gpus(line, pool);
}

static void offer_other_slices(const struct line *line, const struct pool *pool)
{
	struct find found;

	if (find_named(line, pool, &found))
		offer_slices(line, pool, found.gpu);
}

static int offer_type(int dir, const char *name, void *ctx)
{
	const char *dash = strrchr(name, '-');

	(void)dir;
	offer(ctx, dash ? dash + 1 : name, "");
	return 0;
}

/* Those of the first GPU that has some: they are the same nearly everywhere */
static void offer_types(const struct line *line, const struct pool *pool)
{
	char path[MDEV_PATH];
	unsigned int i;
	int dir = -1;

	for (i = 0; dir < 0 && i < pool->gpu_count; i++)
		dir = mdev_open(&line->cli, mdev_types_path(path, &pool->gpus[i], NULL));
	if (dir < 0)
		return;
	attr_each(dir, offer_type, (void *)line);
	close(dir);
}

static void offer_field(const char *name, void *ctx)
{
	offer(ctx, name, "");
}

/* What stands before the last comma stays */
static void offer_fields(const struct line *line)
{
	const char *comma = strrchr(line->word, ',');
	struct line last = *line;

	if (comma)
		last.word = comma + 1;
	query_each_field(offer_field, &last);
}

static void offer_sorts(const struct line *line)
{
	enum sample_sort sort;

	for (sort = 0; sample_sort_name(sort); sort++)
		offer(line, sample_sort_name(sort), "");
}

static void offer_of_pool(const struct line *line, enum kind kind, const struct pool *pool)
{
	switch (kind) {
	case KIND_GPU:
		offer_gpus(line, pool);
		break;
	case KIND_SLICE:
		offer_slices(line, pool, NULL);
		break;
	case KIND_VGPU:
	case KIND_MDEV:
		offer_vgpus(line, pool, kind == KIND_MDEV);
		break;
	case KIND_OBJECT:
	case KIND_SHARED:
		offer_vgpus(line, pool, false);
		offer_slices(line, pool, NULL);
		if (kind == KIND_OBJECT)
			offer_gpus(line, pool);
		break;
	case KIND_SLICES:
		offer_slices(line, pool, NULL);
		offer_gpus(line, pool);
		break;
	case KIND_TYPE:
		offer_types(line, pool);
		break;
	case KIND_VSLICE:
		offer_vslices(line, pool);
		break;
	default:
		offer_other_slices(line, pool);
	}
}

/* A host without a GPU has nothing to offer, and a shell no place for a message */
static void offer_from_pool(const struct line *line, enum kind kind)
{
	struct pool pool;

	if (!pool_read(line->cli.sysfs, POOL_STATE, &pool))
		offer_of_pool(line, kind, &pool);
	pool_free(&pool);
}

static void offer_kind(const struct line *line, enum kind kind)
{
	switch (kind) {
	case KIND_NOTHING:
	case KIND_FLAG:
		break;
	case KIND_FILE:
		puts(":files");
		break;
	case KIND_DIRECTORY:
		puts(":directories");
		break;
	case KIND_FIELDS:
		offer_fields(line);
		break;
	case KIND_FORMAT:
		offer_words(line, formats);
		break;
	case KIND_LINES:
		offer_words(line, line_formats);
		break;
	case KIND_METRICS:
		offer_words(line, metrics_formats);
		break;
	case KIND_SORT:
		offer_sorts(line);
		break;
	case KIND_BLUEPRINT:
		offer_words(line, blueprint_words);
		break;
	case KIND_SETTING:
		offer_words(line,
			    strstr(line->operands[0], "/slice") ? slice_settings : vgpu_settings);
		break;
	default:
		offer_from_pool(line, kind);
	}
}

static void offer_options(const struct line *line)
{
	unsigned int i;

	for (i = 0; common[i].name; i++)
		if (!line->command || i < COMMON_OF_ALL)
			offer(line, common[i].name, "");
	for (i = 0; line->command && line->command->options[i].name; i++)
		offer(line, line->command->options[i].name, "");
}

/* ---- the line ---- */

static const struct option_kind *find_option(const struct option_kind *option, const char *name,
					     size_t len)
{
	for (; option->name; option++)
		if (strlen(option->name) == len && !strncmp(option->name, name, len))
			return option;
	return NULL;
}

static const struct option_kind *option_of(const struct line *line, const char *name, size_t len)
{
	const struct option_kind *option = find_option(common, name, len);

	return option || !line->command ? option : find_option(line->command->options, name, len);
}

static const struct grammar *grammar_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(grammars) / sizeof(grammars[0]); i++)
		if (!strcmp(grammars[i].name, name))
			return &grammars[i];
	return NULL;
}

static void take_value(struct line *line, const char *value)
{
	if (!strcmp(line->option->name, "--sysfs"))
		line->cli.sysfs = value;
	line->option = NULL;
}

/* One that lies before the word. Returns false if it is a command that does not exist. */
static bool take_word(struct line *line, const char *word)
{
	const char *equals = strchr(word, '=');

	if (line->option) {
		take_value(line, word);
	} else if (word[0] == '-') {
		line->option = option_of(line, word, strcspn(word, "="));
		if (line->option && line->option->value == KIND_FLAG)
			line->option = NULL;
		if (line->option && equals)
			take_value(line, equals + 1);
	} else if (!line->command) {
		line->command = grammar_of(word);
		return line->command;
	} else {
		if (line->operand_count < OPERANDS_MAX)
			line->operands[line->operand_count] = word;
		line->operand_count++;
	}
	return true;
}

static enum kind operand_kind(const struct line *line)
{
	const enum kind *operands = line->command->operands;
	unsigned int at = line->operand_count;

	if (at < OPERANDS_MAX)
		return operands[at];
	/* One that can be given again is there twice */
	return operands[OPERANDS_MAX - 1] == operands[OPERANDS_MAX - 2] ?
		       operands[OPERANDS_MAX - 1] :
		       KIND_NOTHING;
}

/* "--option=" and a value in one word */
static void offer_value(struct line *line)
{
	size_t len = strcspn(line->word, "=");
	const struct option_kind *option = option_of(line, line->word, len);

	if (!option)
		return;
	line->word += len + 1;
	offer_kind(line, option->value);
}

static void offer_commands(const struct line *line, const struct cli_command *const *command)
{
	for (; *command; command++)
		if ((*command)->summary)
			offer(line, (*command)->name, (*command)->summary);
}

void complete_print(const struct cli *cli, const struct cli_command *const *commands, char **words,
		    int count)
{
	struct line line = { .cli = *cli, .whole = words[count - 1] };
	int i;

	line.word = line.whole;
	for (i = 0; i < count - 1; i++)
		if (!take_word(&line, words[i]))
			return;
	if (line.option)
		offer_kind(&line, line.option->value);
	else if (line.word[0] == '-' && strchr(line.word, '='))
		offer_value(&line);
	else if (line.word[0] == '-')
		offer_options(&line);
	else if (line.command)
		offer_kind(&line, operand_kind(&line));
	else
		offer_commands(&line, commands);
}
