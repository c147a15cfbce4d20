// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generation: a blueprint from what a workload does and how its machine is displayed.
 *
 * DOC: Generation of blueprints
 *
 * Pure functions. A profile is what the analyzer measured or what somebody wrote down; the
 * base says within which bounds (min, max) and everything that a profile does not. A caller that
 * passes what was generated before as the base gets more memory each time; so front-ends
 * remember what was asked for, and the policy "auto", which passes the blueprint that there
 * is, takes the number of slices and nothing else from the result. The kind that a client would be
 * faster on than on that of its slices is another question (tess_adapt_kind()).
 *
 * More utilization, and more packets that wait, never give fewer slices. The rules are a
 * table in Documentation/blueprint.rst. The result is a blueprint that
 * tess_blueprint_parse() would take, if the base is one.
 */
#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sprintf.h>
#include <linux/string.h>
#include <tessera/compat.h>

#include "blueprint.h"
#include "generate.h"
#include "words.h"

/* ---- text ---- */

enum profile_word {
	UTILIZATION,
	QUEUE,
	SHADER,
	TEXTURE,
	PIXEL,
	RAY,
	UNITS,
	MEMORY_TRAFFIC,
	FRAME_RATE,
	FRAME_OPERATIONS,
	MEASURED_SLICES,
	DISPLAYS,
	PATH,
	NEEDED_ENGINES,
	PROFILE_WORDS,
};

static const char *const profile_words[PROFILE_WORDS] = {
	[UTILIZATION] = "utilization",
	[QUEUE] = "queue",
	[SHADER] = "shader",
	[TEXTURE] = "texture",
	[PIXEL] = "pixel",
	[RAY] = "ray",
	[UNITS] = "units",
	[MEMORY_TRAFFIC] = "memory",
	[FRAME_RATE] = "fps",
	[FRAME_OPERATIONS] = "ops",
	[MEASURED_SLICES] = "slices",
	[DISPLAYS] = "displays",
	[PATH] = "path",
	[NEEDED_ENGINES] = "engines",
};

static const char *const paths[] = { "local", "remote" };

#define PERMILLE	1000

/* What a display is if only the number is known */
#define WIDTH_DEFAULT	1920
#define HEIGHT_DEFAULT	1080
#define REFRESH_DEFAULT	60

static int profile_number(struct tess_words *words, enum profile_word word, u64 max, u32 *number)
{
	const struct tess_words_range range = { profile_words[word], 0, max };

	if (!tess_words_has(words, word))
		return 0;
	return tess_words_number(words, &words->value[word], &range, number);
}

static int profile_drawing(struct tess_words *words, struct tess_profile *p)
{
	int rc;

	rc = profile_number(words, TEXTURE, PERMILLE, &p->texture);
	if (!rc)
		rc = profile_number(words, PIXEL, PERMILLE, &p->pixel);
	if (!rc)
		rc = profile_number(words, RAY, PERMILLE, &p->ray);
	if (!rc)
		rc = profile_number(words, UNITS, PERMILLE, &p->units);
	return rc;
}

static int profile_frames(struct tess_words *words, struct tess_profile *p)
{
	int rc = profile_number(words, FRAME_RATE, U32_MAX, &p->fps);

	return rc ?: profile_number(words, FRAME_OPERATIONS, U32_MAX, &p->ops);
}

static int profile_load(struct tess_words *words, struct tess_profile *p)
{
	int rc;

	rc = profile_number(words, UTILIZATION, PERMILLE, &p->utilization);
	if (!rc)
		rc = profile_number(words, QUEUE, U32_MAX, &p->queue_milli);
	if (!rc)
		rc = profile_number(words, SHADER, PERMILLE, &p->shader);
	if (!rc)
		rc = profile_drawing(words, p);
	if (!rc)
		rc = profile_number(words, MEMORY_TRAFFIC, PERMILLE, &p->memory);
	if (!rc)
		rc = profile_frames(words, p);
	if (!rc)
		rc = profile_number(words, MEASURED_SLICES, TESS_MAX_SLICES, &p->slices);
	return rc;
}

static int profile_displays(struct tess_words *words, struct tess_profile *p)
{
	if (!tess_words_has(words, DISPLAYS))
		return 0;
	return tess_words_displays(words, &words->value[DISPLAYS], &p->heads, &p->mode);
}

static int profile_path(struct tess_words *words, struct tess_profile *p)
{
	u32 remote = 0;
	int rc = 0;

	if (tess_words_has(words, PATH))
		rc = tess_words_choice(words, &words->value[PATH], paths, ARRAY_SIZE(paths),
				       &remote);
	p->remote = remote;
	return rc;
}

int tess_profile_parse(const char *text, struct tess_profile *profile, struct tess_reason *reason)
{
	struct tess_words words = { .at = text, .is_file = true, .reason = reason };
	struct tess_profile next = { 0 };
	int rc;

	rc = tess_words_read(&words, profile_words, PROFILE_WORDS);
	if (!rc)
		rc = profile_load(&words, &next);
	if (!rc)
		rc = profile_displays(&words, &next);
	if (!rc)
		rc = profile_path(&words, &next);
	if (!rc && tess_words_has(&words, NEEDED_ENGINES))
		rc = tess_words_engines(&words, &words.value[NEEDED_ENGINES], &next.engines);
	if (!rc)
		*profile = next;
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_profile_parse, TESS_NS);

int tess_profile_format(const struct tess_profile *profile, char *buf, size_t size)
{
	const struct tess_profile *p = profile;
	int len;

	len = scnprintf(buf, size, "utilization=%u queue=%u shader=%u texture=%u",
			min_t(u32, p->utilization, PERMILLE), p->queue_milli,
			min_t(u32, p->shader, PERMILLE), min_t(u32, p->texture, PERMILLE));
	len += scnprintf(buf + len, size - len, " pixel=%u ray=%u",
			 min_t(u32, p->pixel, PERMILLE), min_t(u32, p->ray, PERMILLE));
	len += scnprintf(buf + len, size - len, " units=%u memory=%u",
			 min_t(u32, p->units, PERMILLE), min_t(u32, p->memory, PERMILLE));
	len += scnprintf(buf + len, size - len, " fps=%u ops=%u slices=%u", p->fps, p->ops,
			 min_t(u32, p->slices, TESS_MAX_SLICES));
	len += tess_words_put_displays(p->heads, &p->mode, buf + len, size - len);
	len += scnprintf(buf + len, size - len, " path=%s", paths[p->remote]);
	if (p->engines & TESS_ENGINE_ALL) {
		len += scnprintf(buf + len, size - len, " engines=");
		len += tess_words_put_engines(p->engines, buf + len, size - len);
	}
	return len;
}
EXPORT_SYMBOL_NS_GPL(tess_profile_format, TESS_NS);

/* ---- rules ---- */

/* A core that draws does one of them at a time */
static u32 drawing(const struct tess_profile *p)
{
	return min_t(u32, p->texture, PERMILLE) + min_t(u32, p->pixel, PERMILLE) +
	       min_t(u32, p->ray, PERMILLE);
}

/*
 * Measured where there are no units, by a client that computes what they would do: how much it
 * draws is not known.
 */
static bool would_draw(const struct tess_profile *p)
{
	return p->units >= TESS_ADAPT_ASKS && !drawing(p);
}

/*
 * By copies, or by loads and stores, of which all cores do as much as the copy engine. Units move
 * more than that and do not wait for it, so what counts for work that draws are their own rates.
 * Who draws for longer than this has no time left to copy so much.
 */
static bool is_bound(const struct tess_profile *p)
{
	return p->memory >= TESS_GENERATE_BOUND && drawing(p) <= PERMILLE - TESS_GENERATE_BOUND;
}

/* Frames are shown by the GPU, not copied to somebody else who shows them */
static bool is_local(const struct tess_profile *p)
{
	return p->heads && !p->remote;
}

/* So many as would be used for TESS_GENERATE_AIM of their time */
static u32 fewer_slices(const struct tess_profile *p)
{
	u32 busy = p->utilization * p->slices;

	return max(1u, (busy + TESS_GENERATE_AIM - 1) / TESS_GENERATE_AIM);
}

static u32 more_slices(const struct tess_profile *p)
{
	if (p->queue_milli >= TESS_GENERATE_WAIT_LONG)
		return 2 * p->slices;
	return p->slices + (p->slices + 1) / 2;
}

/*
 * A program that draws waits for its picture before it begins the next but one, so its queue does
 * not tell that it is held back; that its displays could show more does.
 */
static u32 slices_for_displays(const struct tess_profile *p)
{
	u64 wanted = (u64)min_t(u32, p->mode.refresh ?: REFRESH_DEFAULT, TESS_WORDS_REFRESH_MAX) *
		     1000;

	if (!p->heads || !p->fps || p->fps >= wanted || p->utilization <= TESS_GENERATE_BUSY)
		return 0;
	return min(div_u64(p->slices * wanted + p->fps - 1, p->fps), 2ULL * p->slices);
}

static u32 generate_slices(const struct tess_profile *profile, const struct tess_blueprint *base)
{
	struct tess_profile p = *profile;
	u32 n;

	if (!p.slices)
		return base->slices;
	p.slices = min_t(u32, p.slices, TESS_MAX_SLICES);
	p.utilization = min_t(u32, p.utilization, PERMILLE);
	n = p.slices;
	if (p.queue_milli < TESS_GENERATE_WAITS) {
		if (p.utilization < TESS_GENERATE_IDLE)
			n = fewer_slices(&p);
	} else if (p.utilization > TESS_GENERATE_BUSY) {
		n = more_slices(&p);
	}
	n = max(n, slices_for_displays(&p));
	/* One more brings one more bank */
	if (is_bound(&p) && p.utilization >= TESS_GENERATE_AIM)
		n = max(n, p.slices + 1);
	return clamp(n, base->min, base->max);
}

/* Engines that there must be, whatever else */
static u32 needed_engines(const struct tess_profile *p)
{
	u32 engines = p->engines & TESS_ENGINE_ALL;

	if (p->shader)
		engines |= TESS_ENGINE_COMPUTE;
	if (drawing(p) || would_draw(p))
		engines |= TESS_ENGINE_RASTER;
	if (is_local(p))
		engines |= TESS_ENGINE_DISPLAY;
	if (p->heads && p->remote)
		engines |= TESS_ENGINE_COPY;
	return engines;
}

static u32 generate_kind(const struct tess_profile *p, const struct tess_blueprint *base)
{
	bool shades = p->shader >= TESS_GENERATE_HIGH;

	if (would_draw(p))
		return TESS_KIND_MIXED;
	if (drawing(p) >= TESS_GENERATE_HIGH)
		return shades ? TESS_KIND_MIXED : TESS_KIND_RENDER;
	if (needed_engines(p) & ~tess_kind_engines(TESS_KIND_COMPUTE)) {
		/* Not much is drawn, but something; those that were asked for can do it */
		if (base->kind > TESS_KIND_COMPUTE && !shades)
			return base->kind;
		return shades ? TESS_KIND_MIXED : TESS_KIND_RENDER;
	}
	return p->shader ? TESS_KIND_COMPUTE : base->kind;
}

static u32 generate_engines(const struct tess_profile *p, const struct tess_blueprint *base,
			    u32 kind)
{
	u32 has = tess_kind_engines(kind);
	u32 engines = p->engines & TESS_ENGINE_ALL ? 0 : base->engines;

	if (engines == TESS_ENGINE_ALL)
		return engines;
	engines = (engines | needed_engines(p)) & has;
	return engines ?: has;
}

/**
 * tess_profile_frame_bytes() - memory for the frames of all displays
 * @profile: profile
 *
 * Two frame buffers each, three if it is fast, one more if frames are copied for a remote
 * viewer; 4 bytes a pixel; what a display has is a multiple of 2 MiB.
 *
 * Return: bytes.
 */
u64 tess_profile_frame_bytes(const struct tess_profile *profile)
{
	u64 width = min_t(u32, profile->mode.width ?: WIDTH_DEFAULT, TESS_WORDS_PIXELS_MAX);
	u64 height = min_t(u32, profile->mode.height ?: HEIGHT_DEFAULT, TESS_WORDS_PIXELS_MAX);
	u32 buffers = profile->mode.refresh > TESS_GENERATE_FAST ? 3 : 2;
	u64 bytes = width * height * 4 * (buffers + profile->remote);

	bytes = (bytes + TESS_MEMORY_GRANULE - 1) & ~(TESS_MEMORY_GRANULE - 1);
	return bytes * min_t(u32, profile->heads, TESS_HEADS_MAX);
}

/* Of each vslice; all that there will ever be have it from the start */
static u64 generate_memory(const struct tess_profile *p, const struct tess_blueprint *base,
			   u32 topology)
{
	u64 work = base->memory, frames = tess_profile_frame_bytes(p);

	if (is_bound(p))
		work = work ? 2 * work : TESS_GENERATE_MEMORY;
	/* Where vslices reach each other's memory it does not matter in whose the frames are */
	if (topology != TESS_TOPOLOGY_NONE)
		frames = div_u64(frames + base->max * TESS_MEMORY_GRANULE - 1, base->max) &
			 ~(TESS_MEMORY_GRANULE - 1);
	return min(work + frames, TESS_MEMORY_MAX);
}

void tess_blueprint_generate(const struct tess_profile *profile,
			     const struct tess_blueprint *base, struct tess_blueprint *bp)
{
	struct tess_blueprint b = *base, next;
	struct tess_profile p = *profile;

	tess_blueprint_resolve(&b);
	p.remote |= !p.heads && b.remote;
	p.heads = min_t(u32, p.heads ?: b.heads, TESS_HEADS_MAX);
	next = b;
	next.slices = generate_slices(&p, &b);
	next.kind = generate_kind(&p, &b);
	next.engines = generate_engines(&p, &b, next.kind);
	next.heads = p.heads;
	next.remote = p.heads && p.remote;
	next.shown = (struct tess_shown){ 0 };
	if (is_bound(&p) && b.max > 1 && b.topology == TESS_TOPOLOGY_NONE)
		next.topology = TESS_TOPOLOGY_MESH;
	next.memory = generate_memory(&p, &b, next.topology);
	*bp = next;
}
EXPORT_SYMBOL_NS_GPL(tess_blueprint_generate, TESS_NS);

/**
 * tess_adapt_kind() - the kind of slices that is fastest for what a client does
 * @profile: measured
 * @kind: enum tess_slice_kind of the slices that it was measured on; TESS_KIND_NONE: of several
 *
 * Compute slices do not show how much a client would draw, so from there it goes to mixed slices
 * first. It does not go back there: it was told that it has the raster engine, and a slice must
 * have what a vslice had (move.c).
 *
 * Return: enum tess_slice_kind; @kind if no other one is clearly faster.
 */
u32 tess_adapt_kind(const struct tess_profile *profile, u32 kind)
{
	u32 draws = drawing(profile);

	bool computes = draws < TESS_ADAPT_COMPUTES && profile->shader >= TESS_ADAPT_CORES;

	switch (kind) {
	case TESS_KIND_COMPUTE:
		return profile->units >= TESS_ADAPT_ASKS ? TESS_KIND_MIXED : kind;
	case TESS_KIND_MIXED:
		return draws >= TESS_ADAPT_DRAWS ? TESS_KIND_RENDER : kind;
	case TESS_KIND_RENDER:
		return computes ? TESS_KIND_MIXED : kind;
	default:
		return kind;
	}
}

/* ---- hysteresis ---- */

/* More slices both, or fewer both, and nothing else that differs */
static bool is_same_way(const struct tess_blueprint *now, const struct tess_blueprint *a,
			const struct tess_blueprint *b)
{
	struct tess_blueprint like = *a;

	like.slices = b->slices;
	return tess_blueprint_is_same(&like, b) &&
	       (a->slices > now->slices) == (b->slices > now->slices) &&
	       (a->slices < now->slices) == (b->slices < now->slices);
}

/**
 * tess_adapt_propose() - is it time for a change?
 * @adapt: what was proposed before; its @wanted is what to make
 * @now: resolved blueprint of what there is
 * @wanted: resolved blueprint of what would be better
 * @patience: how often a change must be proposed in a row, at least 1
 *
 * A load near a threshold wants now so many slices more, now so many. That is the same change,
 * and the smallest of them is made. After a change the counting begins anew, also if the change
 * fails: it is not tried again at once.
 *
 * Return: true if @adapt->wanted is to be made now.
 */
bool tess_adapt_propose(struct tess_adapt *adapt, const struct tess_blueprint *now,
			const struct tess_blueprint *wanted, unsigned int patience)
{
	if (tess_blueprint_is_same(now, wanted)) {
		adapt->count = 0;
		return false;
	}
	if (!adapt->count || !is_same_way(now, &adapt->wanted, wanted)) {
		adapt->wanted = *wanted;
		adapt->count = 0;
	} else if (wanted->slices > now->slices) {
		adapt->wanted.slices = min(adapt->wanted.slices, wanted->slices);
	} else {
		adapt->wanted.slices = max(adapt->wanted.slices, wanted->slices);
	}
	if (++adapt->count < patience)
		return false;
	adapt->count = 0;
	return true;
}
