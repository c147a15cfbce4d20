// SPDX-License-Identifier: GPL-2.0-only
/*
 * Blueprints: text to structure and back.
 *
 * DOC: Blueprints
 *
 * Pure functions, without locks or memory of their own. What a text does not say is taken
 * from a base (the type of a mediated device, or what a vGPU is now), so that "slices=4" is
 * enough to change one thing. The result is complete, what follows from other words is
 * resolved, and its canonical text says everything: reading that gives the same again,
 * whatever the base.
 *
 * Refused is what can be seen to be wrong without knowing any GPU. Whether a GPU can give it
 * is decided later, by composition.
 */
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sprintf.h>
#include <tessera/compat.h>

#include "blueprint.h"
#include "words.h"

/* In the order of the canonical text */
enum blueprint_word {
	SLICES,
	MIN,
	MAX,
	KIND,
	MEMORY,
	TOPOLOGY,
	ENGINES,
	HEADS,
	SHARE,
	WEIGHT,
	CAP,
	POLICY,
	GPUS,
	TEXELS,
	PIXELS,
	SHOWN_DISPLAYS,
	SHOWN_PATH,
	WORDS,
};

static const char *const words_of[WORDS] = {
	[SLICES] = "slices",
	[MIN] = "min",
	[MAX] = "max",
	[KIND] = "kind",
	[MEMORY] = "memory",
	[TOPOLOGY] = "topology",
	[ENGINES] = "engines",
	[HEADS] = "heads",
	[SHARE] = "share",
	[WEIGHT] = "weight",
	[CAP] = "cap",
	[POLICY] = "policy",
	[GPUS] = "gpus",
	[TEXELS] = "texels",
	[PIXELS] = "pixels",
	[SHOWN_DISPLAYS] = "displays",
	[SHOWN_PATH] = "path",
};

static const char *const kinds[] = { "any", "compute", "render", "mixed" };
static const char *const topologies[] = { "none", "chain", "ring", "mesh" };
static const char *const shares[] = { "exclusive", "shared" };
static const char *const policies[] = { "manual", "auto" };
static const char *const blueprint_paths[] = { "local", "remote" };

/**
 * tess_kind_engines() - engines that slices of a kind have
 * @kind: enum tess_slice_kind; TESS_KIND_NONE: any
 *
 * Return: TESS_ENGINE_*.
 */
u32 tess_kind_engines(u32 kind)
{
	return kind == TESS_KIND_COMPUTE ? TESS_ENGINE_COMPUTE | TESS_ENGINE_COPY : TESS_ENGINE_ALL;
}

/* A number from the text if it is there */
static int read_number(struct tess_words *words, enum blueprint_word word, u64 min, u64 max,
		       u32 *number)
{
	const struct tess_words_range range = { words_of[word], min, max };

	if (!tess_words_has(words, word))
		return 0;
	return tess_words_number(words, &words->value[word], &range, number);
}

static int read_choice(struct tess_words *words, enum blueprint_word word,
		       const char *const *names, unsigned int count, u32 *choice)
{
	if (!tess_words_has(words, word))
		return 0;
	return tess_words_choice(words, &words->value[word], names, count, choice);
}

static int read_flag(struct tess_words *words, enum blueprint_word word,
		     const char *const names[2], bool *flag)
{
	u32 choice = *flag;
	int rc = read_choice(words, word, names, 2, &choice);

	*flag = choice;
	return rc;
}

static int read_memory(struct tess_words *words, u64 *memory)
{
	static const struct tess_words_range range = {
		"memory", TESS_MEMORY_GRANULE, TESS_MEMORY_MAX,
	};

	if (!tess_words_has(words, MEMORY))
		return 0;
	return tess_words_bytes(words, &words->value[MEMORY], &range, memory);
}

static int read_engines(struct tess_words *words, u32 *engines)
{
	if (!tess_words_has(words, ENGINES))
		return 0;
	return tess_words_engines(words, &words->value[ENGINES], engines);
}

static int read_shape(struct tess_words *words, struct tess_blueprint *bp)
{
	int rc;

	rc = read_number(words, SLICES, 1, TESS_MAX_SLICES, &bp->slices);
	if (!rc)
		rc = read_number(words, MIN, 1, TESS_MAX_SLICES, &bp->min);
	if (!rc)
		rc = read_number(words, MAX, 1, TESS_MAX_SLICES, &bp->max);
	if (!rc)
		rc = read_choice(words, KIND, kinds, ARRAY_SIZE(kinds), &bp->kind);
	if (!rc)
		rc = read_memory(words, &bp->memory);
	if (!rc)
		rc = read_choice(words, TOPOLOGY, topologies, ARRAY_SIZE(topologies),
				 &bp->topology);
	if (!rc)
		rc = read_engines(words, &bp->engines);
	if (!rc)
		rc = read_number(words, HEADS, 0, TESS_HEADS_MAX, &bp->heads);
	return rc;
}

/* Two ways to say the number of heads, which have to agree */
static int read_displays(struct tess_words *words, struct tess_blueprint *bp)
{
	u32 number;
	int rc;

	if (tess_words_has(words, HEADS)) {
		bp->displays = (struct tess_display_mode){ 0 };
		bp->remote = false;
	}
	if (!tess_words_has(words, SHOWN_DISPLAYS))
		return 0;
	rc = tess_words_displays(words, &words->value[SHOWN_DISPLAYS], &number, &bp->displays);
	if (!rc && tess_words_has(words, HEADS) && number != bp->heads)
		rc = tess_words_refuse(words, &words->name[SHOWN_DISPLAYS],
				       "displays=%u, but heads=%u", number, bp->heads);
	if (!rc)
		bp->heads = number;
	return rc;
}

/* A text that names the kind, or heads, says all about them: a canonical text is complete */
static int read_rates(struct tess_words *words, struct tess_blueprint *bp)
{
	int rc;

	if (tess_words_has(words, KIND)) {
		bp->texels = 0;
		bp->pixels = 0;
	}
	rc = read_number(words, TEXELS, 0, TESS_RATE_MAX, &bp->texels);
	if (!rc)
		rc = read_number(words, PIXELS, 0, TESS_RATE_MAX, &bp->pixels);
	if (!rc)
		rc = read_displays(words, bp);
	if (!rc)
		rc = read_flag(words, SHOWN_PATH, blueprint_paths, &bp->remote);
	return rc;
}

static int read_sharing(struct tess_words *words, struct tess_blueprint *bp)
{
	int rc;

	rc = read_flag(words, SHARE, shares, &bp->shared);
	if (!rc)
		rc = read_number(words, WEIGHT, 1, TESS_WEIGHT_MAX, &bp->weight);
	if (!rc)
		rc = read_number(words, CAP, 0, TESS_CAP_MAX, &bp->cap);
	if (!rc)
		rc = read_flag(words, POLICY, policies, &bp->automatic);
	if (!rc)
		rc = read_number(words, GPUS, 1, TESS_POOL_GPUS_MAX, &bp->gpus);
	return rc;
}

/* A range that is none is not kept when the number of slices changes */
static void forget_range(struct tess_blueprint *bp)
{
	u32 n = bp->slices ?: bp->min ?: bp->max;

	if ((bp->min && bp->min != n) || (bp->max && bp->max != n))
		return;
	bp->min = 0;
	bp->max = 0;
}

/**
 * tess_blueprint_resolve() - write out what follows from something else
 * @bp: blueprint
 */
void tess_blueprint_resolve(struct tess_blueprint *bp)
{
	bp->min = bp->min ?: bp->slices;
	bp->max = bp->max ?: bp->slices;
	bp->engines = bp->engines ?: TESS_ENGINE_ALL;
	bp->gpus = bp->gpus ?: 1;
	if (!bp->shared) {
		bp->weight = 0;
		bp->cap = 0;
	}
	bp->weight = bp->weight ?: TESS_WEIGHT_DEFAULT;
	/* Heads that are gone show nothing to anybody */
	if (!bp->heads) {
		bp->displays = (struct tess_display_mode){ 0 };
		bp->remote = false;
		bp->shown = (struct tess_shown){ 0 };
	}
	if (bp->kind != TESS_KIND_NONE)
		bp->leans = TESS_KIND_NONE;
}

/* Two words contradict each other: where the second one in the text stands */
static const struct tess_span *later(const struct tess_words *words, enum blueprint_word a,
				     enum blueprint_word b)
{
	const struct tess_span *first = &words->name[a], *second = &words->name[b];

	if (!first->column && !second->column)
		return NULL;
	return first->text > second->text ? first : second;
}

/* A blueprint that is not resolved yet: where there are no heads nothing is remote */
static int check_heads(struct tess_words *words, const struct tess_blueprint *bp)
{
	if (!bp->remote || bp->heads || !tess_words_has(words, SHOWN_PATH))
		return 0;
	return tess_words_refuse(words, later(words, SHOWN_PATH, HEADS),
				 "path=remote without heads");
}

static int check_range(struct tess_words *words, const struct tess_blueprint *bp)
{
	if (!bp->slices)
		return tess_words_refuse(words, NULL, "slices=N is missing");
	if (bp->min > bp->slices)
		return tess_words_refuse(words, later(words, MIN, SLICES),
					 "min=%u is more than slices=%u", bp->min, bp->slices);
	if (bp->max < bp->slices)
		return tess_words_refuse(words, later(words, MAX, SLICES),
					 "max=%u is less than slices=%u", bp->max, bp->slices);
	if (bp->gpus > bp->min)
		return tess_words_refuse(words, later(words, GPUS, MIN),
					 "gpus=%u is more than min=%u", bp->gpus, bp->min);
	return 0;
}

static int check_engines(struct tess_words *words, const struct tess_blueprint *bp)
{
	u32 lacks = bp->engines & ~tess_kind_engines(bp->kind);
	char list[32];

	tess_words_put_engines(lacks, list, sizeof(list));
	if (lacks && bp->engines != TESS_ENGINE_ALL)
		return tess_words_refuse(words, later(words, KIND, ENGINES),
					 "slices of kind %s have no engine %s", kinds[bp->kind],
					 list);
	return 0;
}

/* Which word says that there are heads, or what becomes of their pictures? */
static enum blueprint_word heads_word(const struct tess_words *words)
{
	if (tess_words_has(words, SHOWN_PATH))
		return SHOWN_PATH;
	return tess_words_has(words, HEADS) ? HEADS : SHOWN_DISPLAYS;
}

/* A remote viewer needs a copy of what is shown, and no engine that shows it here */
static int check_path(struct tess_words *words, const struct tess_blueprint *bp)
{
	enum blueprint_word word = heads_word(words);

	if (!bp->heads)
		return 0;
	if (bp->remote && !(bp->engines & TESS_ENGINES_CAPTURE))
		return tess_words_refuse(words, later(words, word, ENGINES),
					 "path=remote without the engine copy or compute");
	if (bp->remote)
		return 0;
	if (!(tess_kind_engines(bp->kind) & TESS_ENGINE_DISPLAY))
		return tess_words_refuse(words, later(words, word, KIND),
					 "slices of kind %s have no heads", kinds[bp->kind]);
	if (!(bp->engines & TESS_ENGINE_DISPLAY))
		return tess_words_refuse(words, later(words, word, ENGINES),
					 "heads=%u without the engine display", bp->heads);
	return 0;
}

static int check_sharing(struct tess_words *words, const struct tess_blueprint *bp)
{
	enum blueprint_word word = tess_words_has(words, WEIGHT) ? WEIGHT : CAP;

	if (bp->shared || !tess_words_has(words, word))
		return 0;
	return tess_words_refuse(words, later(words, word, SHARE), "%s without share=shared",
				 words_of[word]);
}

int tess_blueprint_parse(const char *text, const struct tess_blueprint *base,
			 struct tess_blueprint *bp, struct tess_reason *reason)
{
	struct tess_words words = { .at = text, .reason = reason };
	struct tess_blueprint next = *base;
	int rc;

	next.leans = TESS_KIND_NONE;
	next.shown = (struct tess_shown){ 0 };
	forget_range(&next);
	rc = tess_words_read(&words, words_of, WORDS);
	if (!rc)
		rc = read_shape(&words, &next);
	if (!rc)
		rc = read_sharing(&words, &next);
	if (!rc)
		rc = read_rates(&words, &next);
	if (!rc)
		rc = check_heads(&words, &next);
	if (rc)
		return rc;
	tess_blueprint_resolve(&next);
	rc = check_range(&words, &next);
	if (!rc)
		rc = check_engines(&words, &next);
	if (!rc)
		rc = check_path(&words, &next);
	if (!rc)
		rc = check_sharing(&words, &next);
	if (!rc)
		*bp = next;
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_blueprint_parse, TESS_NS);

static int put_memory(u64 memory, char *buf, size_t size)
{
	if (memory && !(memory & ((1ULL << 30) - 1)))
		return scnprintf(buf, size, " memory=%lluG", memory >> 30);
	return scnprintf(buf, size, " memory=%llu%s", memory >> 20, memory ? "M" : "");
}

int tess_blueprint_format(const struct tess_blueprint *bp, char *buf, size_t size)
{
	struct tess_blueprint b = *bp;
	int len;

	tess_blueprint_resolve(&b);
	len = scnprintf(buf, size, "slices=%u min=%u max=%u kind=%s", b.slices, b.min, b.max,
			kinds[b.kind]);
	len += put_memory(b.memory, buf + len, size - len);
	len += scnprintf(buf + len, size - len, " topology=%s engines=", topologies[b.topology]);
	len += tess_words_put_engines(b.engines, buf + len, size - len);
	len += scnprintf(buf + len, size - len, " heads=%u share=%s", b.heads, shares[b.shared]);
	if (b.shared)
		len += scnprintf(buf + len, size - len, " weight=%u cap=%u", b.weight, b.cap);
	len += scnprintf(buf + len, size - len, " policy=%s gpus=%u", policies[b.automatic],
			 b.gpus);
	if (b.texels)
		len += scnprintf(buf + len, size - len, " texels=%u", b.texels);
	if (b.pixels)
		len += scnprintf(buf + len, size - len, " pixels=%u", b.pixels);
	if (b.displays.width)
		len += tess_words_put_displays(b.heads, &b.displays, buf + len, size - len);
	if (b.remote)
		len += scnprintf(buf + len, size - len, " path=%s", blueprint_paths[b.remote]);
	return len;
}
EXPORT_SYMBOL_NS_GPL(tess_blueprint_format, TESS_NS);

static bool mode_is_same(const struct tess_display_mode *a, const struct tess_display_mode *b)
{
	return a->width == b->width && a->height == b->height && a->refresh == b->refresh;
}

static bool shown_is_same(const struct tess_shown *a, const struct tess_shown *b)
{
	return a->heads == b->heads && mode_is_same(&a->mode, &b->mode) &&
	       a->vslice == b->vslice && a->remote == b->remote;
}

/**
 * tess_blueprint_is_same() - do two ask for the same?
 * @a: resolved blueprint
 * @b: resolved blueprint
 *
 * Return: true if they do.
 */
bool tess_blueprint_is_same(const struct tess_blueprint *a, const struct tess_blueprint *b)
{
	return a->slices == b->slices && a->min == b->min && a->max == b->max &&
	       a->kind == b->kind && a->engines == b->engines && a->topology == b->topology &&
	       a->heads == b->heads && a->gpus == b->gpus && a->memory == b->memory &&
	       a->shared == b->shared && a->automatic == b->automatic &&
	       a->weight == b->weight && a->cap == b->cap && a->leans == b->leans &&
	       a->texels == b->texels && a->pixels == b->pixels &&
	       mode_is_same(&a->displays, &b->displays) && a->remote == b->remote &&
	       shown_is_same(&a->shown, &b->shown);
}

static u64 each_of(u64 all, u32 slices)
{
	return div_u64(all + slices - 1, slices);
}

/* Four heads with what tess_words_displays() reads at most, and 1000 Hz, are 2^40 */
static u64 pixels_of(const struct tess_display_mode *mode, u32 heads)
{
	return (u64)mode->width * mode->height * heads * (mode->refresh ?: TESS_REFRESH_DEFAULT);
}

/**
 * tess_blueprint_is_remote() - are frames copied for a viewer elsewhere?
 * @bp: resolved blueprint
 *
 * Return: true if that was asked for, or if there is one.
 */
bool tess_blueprint_is_remote(const struct tess_blueprint *bp)
{
	return bp->remote || bp->shown.remote;
}

/**
 * tess_blueprint_display_bytes() - what its displays need of memory
 * @bp: resolved blueprint
 *
 * Frames are read to be shown. If their path is remote they are read once more, and a copy is
 * written. What counts is the larger one of what was asked for and what is shown.
 *
 * Return: bytes per second, of all slices together; 0: nothing is asked for.
 */
u64 tess_blueprint_display_bytes(const struct tess_blueprint *bp)
{
	u64 pixels = max(pixels_of(&bp->displays, bp->heads),
			 pixels_of(&bp->shown.mode, bp->shown.heads));

	return pixels * TESS_BYTES_PER_PIXEL *
	       (tess_blueprint_is_remote(bp) ? TESS_REMOTE_PASSES : 1);
}

/**
 * tess_blueprint_display_slices() - how many slices have the memory bandwidth for its displays?
 * @bp: resolved blueprint
 * @bandwidth: bytes per second of a slice
 *
 * Return: their number, at least 1; more than TESS_MAX_SLICES: no number has it.
 */
u32 tess_blueprint_display_slices(const struct tess_blueprint *bp, u64 bandwidth)
{
	u64 bytes = tess_blueprint_display_bytes(bp);

	if (!bytes)
		return 1;
	if (!bandwidth)
		return TESS_MAX_SLICES + 1;
	return min_t(u64, div64_u64(bytes - 1, bandwidth), TESS_MAX_SLICES) + 1;
}

/**
 * tess_blueprint_demand() - what each of its slices has to be able to do
 * @bp: resolved blueprint
 *
 * Work is divided evenly, so a slice that does less than its part delays all. Heads are filled
 * anew for each frame, and frames are in the memory of all slices.
 *
 * Return: units per second; 0: nothing is asked for.
 */
struct tess_demand tess_blueprint_demand(const struct tess_blueprint *bp)
{
	/* What is shown need not be drawn anew for each frame */
	u64 fill = pixels_of(&bp->displays, bp->heads);

	return (struct tess_demand){
		.texels = each_of((u64)bp->texels * 1000000, bp->slices),
		.pixels = each_of(max((u64)bp->pixels * 1000000, fill), bp->slices),
		.bytes = each_of(tess_blueprint_display_bytes(bp), bp->slices),
	};
}
