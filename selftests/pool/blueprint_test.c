// SPDX-License-Identifier: GPL-2.0-or-later
/* Blueprints: the kernel's parser, compiled here with sanitizers. */
#include "../../drivers/core/algo/words.c"
#include "../../drivers/core/algo/blueprint.c"

#include "harness.h"
#include "random.h"

static const struct tess_blueprint blank;
static const struct tess_blueprint two = { .slices = 2, .kind = TESS_KIND_COMPUTE };
static const struct tess_blueprint range = { .slices = 4, .min = 2, .max = 8 };
static const struct tess_blueprint sharing = { .slices = 2,
					       .shared = true,
					       .weight = 300,
					       .cap = 50 };
static const struct tess_blueprint drawing = { .slices = 2,
					       .heads = 1,
					       .texels = 64,
					       .pixels = 32,
					       .displays = { 800, 600, 75 } };
static const struct tess_blueprint watched = { .slices = 2,
					       .kind = TESS_KIND_COMPUTE,
					       .heads = 1,
					       .displays = { 800, 600, 75 },
					       .remote = true };

/* The canonical text of what was read, or the reason why it was not */
static const char *answer(const char *text, const struct tess_blueprint *base)
{
	static char buf[TESS_BLUEPRINT_MAX];
	static struct tess_reason reason;
	struct tess_blueprint bp;

	memset(&bp, 0x5a, sizeof(bp));
	memset(&reason, 0, sizeof(reason));
	if (!tess_blueprint_parse(text, base, &bp, &reason)) {
		if (reason.text[0])
			return "a reason although it was not refused";
		tess_blueprint_format(&bp, buf, sizeof(buf));
		return buf;
	}
	for (size_t i = 0; i < sizeof(bp); i++)
		if (((const char *)&bp)[i] != 0x5a)
			return "the result was touched";
	return reason.text;
}

struct sample {
	const struct tess_blueprint *base;
	const char *text, *answer;
};

static const struct sample given[] = {
	{ &blank, "slices=1",
	  "slices=1 min=1 max=1 kind=any memory=0 topology=none engines=all heads=0 "
	  "share=exclusive policy=manual gpus=1" },
	/* the example of the issue, in another order and with odd white space */
	{ &blank,
	  "\tgpus=1  policy=auto\nmax=8 min=2 weight=100 share=shared heads=1 "
	  "engines=display,compute,copy topology=ring memory=16M kind=mixed slices=4\n",
	  "slices=4 min=2 max=8 kind=mixed memory=16M topology=ring "
	  "engines=compute,copy,display heads=1 share=shared weight=100 cap=0 policy=auto gpus=1" },
	{ &blank, "slices=64 memory=1024G engines=raster,copy,compute,display",
	  "slices=64 min=64 max=64 kind=any memory=1024G topology=none engines=all heads=0 "
	  "share=exclusive policy=manual gpus=1" },
	{ &blank, "slices=1 memory=4096K",
	  "slices=1 min=1 max=1 kind=any memory=4M topology=none engines=all heads=0 "
	  "share=exclusive policy=manual gpus=1" },
	{ &blank, "slices=1 memory=1073741824",
	  "slices=1 min=1 max=1 kind=any memory=1G topology=none engines=all heads=0 "
	  "share=exclusive policy=manual gpus=1" },
	/* nothing asked: the base; its range follows only if it is none */
	{ &two, "",
	  "slices=2 min=2 max=2 kind=compute memory=0 topology=none engines=all heads=0 "
	  "share=exclusive policy=manual gpus=1" },
	{ &two, "slices=04",
	  "slices=4 min=4 max=4 kind=compute memory=0 topology=none engines=all heads=0 "
	  "share=exclusive policy=manual gpus=1" },
	{ &two, "max=3",
	  "slices=2 min=2 max=3 kind=compute memory=0 topology=none engines=all heads=0 "
	  "share=exclusive policy=manual gpus=1" },
	{ &range, "slices=8 topology=mesh",
	  "slices=8 min=2 max=8 kind=any memory=0 topology=mesh engines=all heads=0 "
	  "share=exclusive policy=manual gpus=1" },
	{ &range, "gpus=2",
	  "slices=4 min=2 max=8 kind=any memory=0 topology=none engines=all heads=0 "
	  "share=exclusive policy=manual gpus=2" },
	/* what only a shared one has is forgotten */
	{ &sharing, "slices=1",
	  "slices=1 min=1 max=1 kind=any memory=0 topology=none engines=all heads=0 "
	  "share=shared weight=300 cap=50 policy=manual gpus=1" },
	{ &sharing, "share=exclusive",
	  "slices=2 min=2 max=2 kind=any memory=0 topology=none engines=all heads=0 "
	  "share=exclusive policy=manual gpus=1" },
	/* rates and displays; they stay, but for who says anew what slices or heads are to be */
	{ &blank, "slices=2 displays=2@1920x1080@60 pixels=1000000 texels=1",
	  "slices=2 min=2 max=2 kind=any memory=0 topology=none engines=all heads=2 "
	  "share=exclusive policy=manual gpus=1 texels=1 pixels=1000000 displays=2@1920x1080@60" },
	{ &blank, "slices=1 displays=3",
	  "slices=1 min=1 max=1 kind=any memory=0 topology=none engines=all heads=3 "
	  "share=exclusive policy=manual gpus=1" },
	{ &drawing, "slices=3",
	  "slices=3 min=3 max=3 kind=any memory=0 topology=none engines=all heads=1 "
	  "share=exclusive policy=manual gpus=1 texels=64 pixels=32 displays=1@800x600@75" },
	{ &drawing, "displays=1@640x480 texels=0",
	  "slices=2 min=2 max=2 kind=any memory=0 topology=none engines=all heads=1 "
	  "share=exclusive policy=manual gpus=1 pixels=32 displays=1@640x480" },
	{ &drawing, "kind=render heads=2",
	  "slices=2 min=2 max=2 kind=render memory=0 topology=none engines=all heads=2 "
	  "share=exclusive policy=manual gpus=1" },
	/* a viewer elsewhere; the path goes with the heads, and needs no engine that shows */
	{ &blank, "path=remote slices=1 heads=2",
	  "slices=1 min=1 max=1 kind=any memory=0 topology=none engines=all heads=2 "
	  "share=exclusive policy=manual gpus=1 path=remote" },
	{ &blank, "slices=1 path=local",
	  "slices=1 min=1 max=1 kind=any memory=0 topology=none engines=all heads=0 "
	  "share=exclusive policy=manual gpus=1" },
	{ &two, "heads=1 path=remote engines=copy",
	  "slices=2 min=2 max=2 kind=compute memory=0 topology=none engines=copy heads=1 "
	  "share=exclusive policy=manual gpus=1 path=remote" },
	{ &drawing, "path=remote",
	  "slices=2 min=2 max=2 kind=any memory=0 topology=none engines=all heads=1 "
	  "share=exclusive policy=manual gpus=1 texels=64 pixels=32 displays=1@800x600@75 "
	  "path=remote" },
	{ &watched, "slices=3",
	  "slices=3 min=3 max=3 kind=compute memory=0 topology=none engines=all heads=1 "
	  "share=exclusive policy=manual gpus=1 displays=1@800x600@75 path=remote" },
	{ &watched, "displays=2@640x480",
	  "slices=2 min=2 max=2 kind=compute memory=0 topology=none engines=all heads=2 "
	  "share=exclusive policy=manual gpus=1 displays=2@640x480 path=remote" },
	{ &watched, "kind=mixed path=local",
	  "slices=2 min=2 max=2 kind=mixed memory=0 topology=none engines=all heads=1 "
	  "share=exclusive policy=manual gpus=1 displays=1@800x600@75" },
	{ &watched, "heads=2 kind=any",
	  "slices=2 min=2 max=2 kind=any memory=0 topology=none engines=all heads=2 "
	  "share=exclusive policy=manual gpus=1" },
	{ &watched, "displays=0",
	  "slices=2 min=2 max=2 kind=compute memory=0 topology=none engines=all heads=0 "
	  "share=exclusive policy=manual gpus=1" },
	{ &drawing, "displays=0",
	  "slices=2 min=2 max=2 kind=any memory=0 topology=none engines=all heads=0 "
	  "share=exclusive policy=manual gpus=1 texels=64 pixels=32" },
};

static const struct sample refused[] = {
	/* words */
	{ &two, "kind=any slcies=4", "column 10: unknown word \"slcies\"" },
	{ &two, "slices", "column 1: \"slices\" has no value" },
	{ &two, "slices= 4", "column 1: \"slices\" has no value" },
	{ &two, "slices =4", "column 1: \"slices\" has no value" },
	{ &two, "=4", "column 1: unknown word \"\"" },
	{ &two, "Slices=4", "column 1: unknown word \"Slices\"" },
	{ &two, "# slices=4", "column 1: unknown word \"#\"" },
	{ &two, "none", "column 1: unknown word \"none\"" },
	{ &two, "slices=4 min=2 slices=4", "column 16: repeated word \"slices\"" },
	{ &two, "\033[2Jslices=4", "column 1: unknown word \"?[2Jslices\"" },
	{ &two, "a-word-that-is-very-long-indeed=1",
	  "column 1: unknown word \"a-word-that-is-very-long...\"" },
	/* numbers */
	{ &two, "slices=four", "column 8: slices: \"four\" is no number" },
	{ &two, "slices=4x", "column 8: slices: \"4x\" is no number" },
	{ &two, "slices=0x4", "column 8: slices: \"0x4\" is no number" },
	{ &two, "slices=-1", "column 8: slices: \"-1\" is no number" },
	{ &two, "slices=+1", "column 8: slices: \"+1\" is no number" },
	{ &two, "slices=4,5", "column 8: slices: \"4,5\" is no number" },
	{ &two, "slices=1=2", "column 8: slices: \"1=2\" is no number" },
	{ &two, "slices=1K", "column 8: slices: \"1K\" is no number" },
	{ &two, "slices=0", "column 8: slices: 0 is not from 1 to 64" },
	{ &two, "slices=65", "column 8: slices: 65 is not from 1 to 64" },
	{ &two, "slices=4294967297", "column 8: slices: 4294967297 is not from 1 to 64" },
	{ &two, "slices=18446744073709551617",
	  "column 8: slices: 18446744073709551617 is not from 1 to 64" },
	{ &two, "slices=99999999999999999999999999",
	  "column 8: slices: 999999999999999999999999... is not from 1 to 64" },
	{ &two, "min=0", "column 5: min: 0 is not from 1 to 64" },
	{ &two, "max=65", "column 5: max: 65 is not from 1 to 64" },
	{ &two, "heads=5", "column 7: heads: 5 is not from 0 to 4" },
	{ &two, "share=shared weight=0", "column 21: weight: 0 is not from 1 to 10000" },
	{ &two, "share=shared weight=10001", "column 21: weight: 10001 is not from 1 to 10000" },
	{ &two, "share=shared cap=101", "column 18: cap: 101 is not from 0 to 100" },
	{ &two, "share=shared cap=50%", "column 18: cap: \"50%\" is no number" },
	{ &two, "gpus=0", "column 6: gpus: 0 is not from 1 to 64" },
	{ &two, "texels=1000001", "column 8: texels: 1000001 is not from 0 to 1000000" },
	{ &two, "pixels=1M", "column 8: pixels: \"1M\" is no number" },
	{ &two, "displays=5", "column 10: displays: 5 is not from 0 to 4" },
	{ &two, "displays=1@800", "column 12: displays: width without height" },
	{ &two, "displays=0@800x600", "column 12: displays: 0 have no resolution" },
	/* bytes */
	{ &two, "memory=M", "column 8: memory: \"M\" is no number of bytes" },
	{ &two, "memory=16MB", "column 8: memory: \"16MB\" is no number of bytes" },
	{ &two, "memory=16m", "column 8: memory: \"16m\" is no number of bytes" },
	{ &two, "memory=1.5G", "column 8: memory: \"1.5G\" is no number of bytes" },
	{ &two, "memory=3M", "column 8: memory: 3M is no multiple of 2M" },
	{ &two, "memory=2097153", "column 8: memory: 2097153 is no multiple of 2M" },
	{ &two, "memory=1025G", "column 8: memory: 1025G is more than 1024G" },
	{ &two, "memory=17179869184G", "column 8: memory: 17179869184G is more than 1024G" },
	{ &two, "memory=18446744073709551616",
	  "column 8: memory: 18446744073709551616 is more than 1024G" },
	/* names */
	{ &two, "kind=fast", "column 6: \"fast\" is none of any, compute, render, mixed" },
	{ &two, "kind=comput", "column 6: \"comput\" is none of any, compute, render, mixed" },
	{ &two, "topology=star", "column 10: \"star\" is none of none, chain, ring, mesh" },
	{ &two, "share=yes", "column 7: \"yes\" is none of exclusive, shared" },
	{ &two, "policy=automatic", "column 8: \"automatic\" is none of manual, auto" },
	{ &two, "engines=compute,cpoy",
	  "column 17: \"cpoy\" is none of compute, copy, raster, display" },
	{ &two, "engines=compute,", "column 17: \"\" is none of compute, copy, raster, display" },
	{ &two, "engines=,copy", "column 9: \"\" is none of compute, copy, raster, display" },
	{ &two, "engines=copy,all",
	  "column 14: \"all\" is none of compute, copy, raster, display" },
	{ &two, "engines=copy,compute,copy", "column 22: repeated engine \"copy\"" },
	/* contradictions: where the second word stands */
	{ &blank, "", "column 1: slices=N is missing" },
	{ &blank, "kind=compute", "column 1: slices=N is missing" },
	{ &blank, "min=3 slices=2", "column 7: min=3 is more than slices=2" },
	{ &blank, "slices=2 min=3", "column 10: min=3 is more than slices=2" },
	{ &blank, "slices=2 max=1", "column 10: max=1 is less than slices=2" },
	{ &two, "max=1", "column 1: max=1 is less than slices=2" },
	{ &range, "slices=1", "column 1: min=2 is more than slices=1" },
	{ &range, "kind=any slices=9", "column 10: max=8 is less than slices=9" },
	{ &range, "gpus=3", "column 1: gpus=3 is more than min=2" },
	{ &two, "gpus=3", "column 1: gpus=3 is more than min=2" },
	{ &two, "weight=100", "column 1: weight without share=shared" },
	{ &two, "cap=0", "column 1: cap without share=shared" },
	{ &sharing, "cap=1 share=exclusive", "column 7: cap without share=shared" },
	{ &two, "engines=compute,raster",
	  "column 1: slices of kind compute have no engine raster" },
	{ &blank, "slices=1 engines=raster,display kind=compute",
	  "column 33: slices of kind compute have no engine raster,display" },
	{ &two, "heads=1", "column 1: slices of kind compute have no heads" },
	{ &blank, "slices=1 displays=2@800x600 heads=1", "column 10: displays=2, but heads=1" },
	{ &two, "kind=any engines=compute heads=2",
	  "column 26: heads=2 without the engine display" },
	{ &two, "path=far", "column 6: \"far\" is none of local, remote" },
	{ &two, "path=remote", "column 1: path=remote without heads" },
	{ &two, "path=remote heads=0", "column 13: path=remote without heads" },
	{ &watched, "displays=0 path=remote", "column 12: path=remote without heads" },
	{ &watched, "path=local", "column 1: slices of kind compute have no heads" },
	{ &watched, "heads=1", "column 1: slices of kind compute have no heads" },
	{ &drawing, "engines=raster,display path=remote",
	  "column 24: path=remote without the engine copy or compute" },
	{ &watched, "kind=any engines=raster",
	  "column 10: path=remote without the engine copy or compute" },
	{ &watched, "kind=any engines=copy path=local",
	  "column 23: heads=1 without the engine display" },
};

static void try_samples(struct __test_metadata *_metadata, const struct sample *s, size_t n)
{
	for (; n--; s++) {
		const char *got = answer(s->text, s->base);

		if (strcmp(got, s->answer))
			TH_LOG("\"%s\": \"%s\"", s->text, got);
		EXPECT_EQ(strcmp(got, s->answer), 0);
	}
}

TEST(all_given)
{
	try_samples(_metadata, given, ARRAY_SIZE(given));
}

TEST(all_refused)
{
	try_samples(_metadata, refused, ARRAY_SIZE(refused));
}

/* Nobody need ask for the reason */
TEST(no_reason)
{
	struct tess_blueprint bp;

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		EXPECT_EQ(tess_blueprint_parse(refused[i].text, refused[i].base, &bp, NULL),
			  -EINVAL);
}

static u32 random_engines(struct random *r, u32 kind, u32 heads, bool remote)
{
	u32 engines = random_below(r, 2) ? TESS_ENGINE_ALL : random_from(r, 1, 14);

	if (engines == TESS_ENGINE_ALL)
		return engines;
	engines &= tess_kind_engines(kind);
	if (heads)
		engines |= remote ? TESS_ENGINE_COPY : TESS_ENGINE_DISPLAY;
	return engines ?: TESS_ENGINE_ALL;
}

static struct tess_blueprint random_blueprint(struct random *r)
{
	struct tess_blueprint bp = {
		.slices = random_from(r, 1, 64),
		.kind = random_below(r, 4),
		.topology = random_below(r, 4),
		.memory = (random_next(r) & 0x7ffff) * TESS_MEMORY_GRANULE,
		.shared = random_below(r, 2),
		.automatic = random_below(r, 2),
		.weight = TESS_WEIGHT_DEFAULT,
	};

	bp.min = random_from(r, 1, bp.slices);
	bp.max = random_from(r, bp.slices, 64);
	bp.gpus = random_from(r, 1, bp.min);
	bp.heads = random_below(r, TESS_HEADS_MAX + 1);
	bp.remote = bp.heads && (bp.kind == TESS_KIND_COMPUTE || random_below(r, 2));
	bp.engines = random_engines(r, bp.kind, bp.heads, bp.remote);
	bp.texels = random_below(r, 2) * random_from(r, 1, TESS_RATE_MAX);
	bp.pixels = random_below(r, 2) * random_from(r, 1, TESS_RATE_MAX);
	if (bp.heads && random_below(r, 2)) {
		bp.displays.width = random_from(r, 1, TESS_WORDS_PIXELS_MAX);
		bp.displays.height = random_from(r, 1, TESS_WORDS_PIXELS_MAX);
		bp.displays.refresh = random_below(r, TESS_WORDS_REFRESH_MAX + 1);
	}
	if (bp.shared) {
		bp.weight = random_from(r, 1, TESS_WEIGHT_MAX);
		bp.cap = random_below(r, TESS_CAP_MAX + 1);
	}
	return bp;
}

/* What was written is read back, whatever the base, and then written the same */
TEST(round_trip)
{
	char text[TESS_BLUEPRINT_MAX], again[TESS_BLUEPRINT_MAX];
	struct random r = { 4711 };

	for (unsigned int i = 0; i < 100000; i++) {
		struct tess_blueprint bp = random_blueprint(&r), base = random_blueprint(&r), got;
		struct tess_reason reason = { 0 };
		int rc, len = tess_blueprint_format(&bp, text, sizeof(text));

		ASSERT_EQ(len, (int)strlen(text));
		ASSERT_LT(len, TESS_BLUEPRINT_MAX - 1);
		rc = tess_blueprint_parse(text, i % 2 ? &base : &blank, &got, &reason);
		if (rc)
			TH_LOG("\"%s\": %s", text, reason.text);
		ASSERT_EQ(rc, 0);
		ASSERT_TRUE(tess_blueprint_is_same(&bp, &got));
		tess_blueprint_format(&got, again, sizeof(again));
		ASSERT_EQ(strcmp(text, again), 0);
	}
}

/* Each slice does its part, rounded up; frames of all heads are filled anew */
TEST(demand)
{
	struct tess_blueprint bp = { .slices = 3, .texels = 64, .pixels = 1 };
	struct tess_demand d = tess_blueprint_demand(&bp);

	EXPECT_EQ(d.texels, 21333334ULL);
	EXPECT_EQ(d.pixels, 333334ULL);
	bp.heads = 2;
	bp.displays = (struct tess_display_mode){ 1920, 1080, 0 };
	d = tess_blueprint_demand(&bp);
	EXPECT_EQ(d.pixels, 2ULL * 1920 * 1080 * 60 / 3);
	bp.displays.refresh = 240;
	bp.slices = 1;
	d = tess_blueprint_demand(&bp);
	EXPECT_EQ(d.pixels, 2ULL * 1920 * 1080 * 240);
	bp = (struct tess_blueprint){ .slices = 1 };
	d = tess_blueprint_demand(&bp);
	EXPECT_EQ(d.texels | d.pixels | d.bytes, 0ULL);
}

/* Frames are read to be shown, a remote path reads them once more and writes a copy */
TEST(display_bytes)
{
	static const struct {
		u32 slices, heads;
		struct tess_display_mode mode;
		bool remote;
		u64 all, each;
	} cases[] = {
		{ 1, 1, { 1920, 1080, 60 }, false, 497664000, 497664000 },
		{ 4, 1, { 1920, 1080, 60 }, false, 497664000, 124416000 },
		{ 1, 1, { 1920, 1080, 0 }, true, 1492992000, 1492992000 },
		{ 7, 2, { 800, 600, 75 }, false, 288000000, 41142858 },
		{ 1, 0, { 1920, 1080, 60 }, true, 0, 0 },
		{ 3, 2, { 0, 0, 0 }, true, 0, 0 },
		{ 1, 4, { 16384, 16384, 250 }, true, 3221225472000, 3221225472000 },
		{ 1, 4, { 16384, 16384, 1000 }, true, 12884901888000, 12884901888000 },
		{ 64, 4, { 16384, 16384, 1000 }, false, 4294967296000, 67108864000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tess_blueprint bp = {
			.slices = cases[i].slices,
			.heads = cases[i].heads,
			.displays = cases[i].mode,
			.remote = cases[i].remote,
		};

		EXPECT_EQ(tess_blueprint_display_bytes(&bp), cases[i].all);
		EXPECT_EQ(tess_blueprint_demand(&bp).bytes, cases[i].each);
	}
}

/* Who says what a vGPU is to be does not know what the host chose for it */
TEST(leans)
{
	struct tess_blueprint bp = { .slices = 2, .automatic = true, .leans = TESS_KIND_RENDER };
	struct tess_blueprint next, kind = bp;

	tess_blueprint_resolve(&bp);
	EXPECT_EQ(bp.leans, (u32)TESS_KIND_RENDER);
	ASSERT_EQ(tess_blueprint_parse("slices=3", &bp, &next, NULL), 0);
	EXPECT_EQ(next.leans, (u32)TESS_KIND_NONE);
	next = bp;
	EXPECT_TRUE(tess_blueprint_is_same(&bp, &next));
	next.leans = TESS_KIND_MIXED;
	EXPECT_FALSE(tess_blueprint_is_same(&bp, &next));
	kind.kind = TESS_KIND_MIXED;
	tess_blueprint_resolve(&kind);
	EXPECT_EQ(kind.leans, (u32)TESS_KIND_NONE);
}

/* A buffer that is too small is filled and not more */
TEST(small_buffer)
{
	char text[TESS_BLUEPRINT_MAX], cut[TESS_BLUEPRINT_MAX];
	struct random r = { 1 };
	struct tess_blueprint bp = random_blueprint(&r);
	int len = tess_blueprint_format(&bp, text, sizeof(text));

	for (int size = 1; size <= len; size++) {
		char *heap = malloc(size);

		ASSERT_EQ(tess_blueprint_format(&bp, heap, size), size - 1);
		snprintf(cut, size, "%s", text);
		EXPECT_EQ(strcmp(heap, cut), 0);
		free(heap);
	}
}

/* ---- hostile texts ---- */

static void add(char *text, size_t size, const char *piece)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s", piece);
}

/* Pieces of the grammar and bytes, in any order */
static void random_text(struct random *r, char *text, size_t size)
{
	static const char *const pieces[] = {
		" ",	   "=",	     ",",	"\n",
		"none",	   "64",     "2M",	"99999999999999999999",
		"compute", "copy",   "shared",	"exclusive",
		"auto",	   "ring",   "4096K",	"1024G",
		"slices=", "min=",   "memory=", "engines=",
		"heads=1", "share=", "weight=", "cap=0 ",
		"path=",   "remote", "display", "local ",
	};
	unsigned int n = random_below(r, 24);

	text[0] = 0;
	while (n--) {
		char raw[2] = { (char)random_from(r, 1, 255), 0 };
		unsigned int what = random_below(r, 4);

		if (what == 0)
			add(text, size, raw);
		else if (what == 1)
			add(text, size, words_of[random_below(r, WORDS)]);
		else
			add(text, size, pieces[random_below(r, ARRAY_SIZE(pieces))]);
	}
}

/* A good text with a few bytes changed, put in, or cut off */
static void damage(struct random *r, char *text)
{
	unsigned int n = random_from(r, 1, 4);

	while (n--) {
		size_t len = strlen(text), at = random_below(r, (unsigned int)len + 1);

		if (random_below(r, 8) == 0)
			text[at] = 0;
		else if (at < len)
			text[at] = (char)random_from(r, 1, 255);
	}
}

/* Whatever comes: refused with a reason of one printable line, or it can be written again */
static bool is_sound(const char *text, const struct tess_blueprint *base)
{
	char buf[TESS_BLUEPRINT_MAX];
	struct tess_reason reason = { 0 };
	struct tess_blueprint bp, again;
	const char *c;

	/* sanitizers see what is read or written beyond */
	if (!tess_blueprint_parse(text, base, &bp, &reason)) {
		if (tess_blueprint_format(&bp, buf, sizeof(buf)) >= (int)sizeof(buf) - 1)
			return false;
		return !tess_blueprint_parse(buf, &blank, &again, &reason) &&
		       tess_blueprint_is_same(&bp, &again);
	}
	for (c = reason.text; *c; c++)
		if (*c < ' ' || *c > '~')
			return false;
	return !strncmp(reason.text, "column ", 7) && strlen(reason.text) < TESS_REASON_MAX - 1;
}

TEST(garbage)
{
	static const struct tess_blueprint *const bases[] = { &blank, &two, &range, &sharing };
	struct random r = { 20261122 };
	unsigned int taken = 0;

	for (unsigned int i = 0; i < 200000; i++) {
		struct tess_blueprint bp = random_blueprint(&r), out;
		char buf[1024], *text;

		if (i % 2) {
			random_text(&r, buf, sizeof(buf));
		} else {
			tess_blueprint_format(&bp, buf, sizeof(buf));
			damage(&r, buf);
		}
		text = strdup(buf);
		if (!is_sound(text, bases[i % 4]))
			TH_LOG("\"%s\"", text);
		ASSERT_TRUE(is_sound(text, bases[i % 4]));
		taken += !tess_blueprint_parse(text, bases[i % 4], &out, NULL);
		free(text);
	}
	/* the test is of use only if both happen */
	EXPECT_GT(taken, 1000U);
	EXPECT_LT(taken, 150000U);
}

/* As much as sysfs ever hands over, without any white space */
TEST(long_text)
{
	static char text[65536];
	struct tess_reason reason;
	struct tess_blueprint bp;

	memset(text, 'x', sizeof(text) - 1);
	EXPECT_EQ(tess_blueprint_parse(text, &two, &bp, &reason), -EINVAL);
	EXPECT_EQ(strcmp(reason.text, "column 1: unknown word \"xxxxxxxxxxxxxxxxxxxxxxxx...\""), 0);
	memcpy(text, "slices=", 7);
	EXPECT_EQ(tess_blueprint_parse(text, &two, &bp, &reason), -EINVAL);
	memset(text, ' ', sizeof(text) - 1);
	EXPECT_EQ(tess_blueprint_parse(text, &two, &bp, &reason), 0);
	text[sizeof(text) - 2] = 'x';
	EXPECT_EQ(tess_blueprint_parse(text, &two, &bp, &reason), -EINVAL);
	EXPECT_EQ(strcmp(reason.text, "column 65535: unknown word \"x\""), 0);
}

TEST_HARNESS_MAIN
