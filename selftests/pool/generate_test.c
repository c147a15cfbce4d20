// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles and what is generated from them: the kernel's source, with sanitizers. */
#include "../../drivers/core/algo/words.c"
#include "../../drivers/core/algo/blueprint.c"
#include "../../drivers/core/algo/generate.c"

#include "harness.h"
#include "random.h"

static const struct tess_blueprint blank;

static struct tess_blueprint blueprint(const char *text)
{
	struct tess_blueprint bp = blank;
	struct tess_reason reason;

	if (tess_blueprint_parse(text, &blank, &bp, &reason)) {
		ksft_print_msg("\"%s\": %s\n", text, reason.text);
		exit(KSFT_FAIL);
	}
	return bp;
}

/* ---- text ---- */

struct sample {
	const char *text, *answer;
};

static const struct sample given[] = {
	{ "",
	  "utilization=0 queue=0 shader=0 texture=0 pixel=0 ray=0 units=0 memory=0 fps=0 ops=0 slices=0 displays=0 path=local" },
	{ "# a desktop\n"
	  "utilization=950 queue=1500\t# busy\n"
	  "displays=2@2560x1440@144 path=remote\n\n"
	  "engines=raster,compute#all\nshader=1 texture=2 ray=8 memory=3 units=7 slices=4 pixel=9\n"
	  "ops=12 fps=59940",
	  "utilization=950 queue=1500 shader=1 texture=2 pixel=9 ray=8 units=7 memory=3 fps=59940 ops=12 slices=4 "
	  "displays=2@2560x1440@144 path=remote engines=compute,raster" },
	{ "displays=4@1x16384 queue=4294967295 engines=all",
	  "utilization=0 queue=4294967295 shader=0 texture=0 pixel=0 ray=0 units=0 memory=0 fps=0 ops=0 slices=0 "
	  "displays=4@1x16384 path=local engines=all" },
	{ "displays=1",
	  "utilization=0 queue=0 shader=0 texture=0 pixel=0 ray=0 units=0 memory=0 fps=0 ops=0 slices=0 displays=1 path=local" },
};

static const struct sample refused[] = {
	{ "slices=2\n  uttilization=5", "line 2, column 3: unknown word \"uttilization\"" },
	{ "# slices=2\nslices=2 slices=3", "line 2, column 10: repeated word \"slices\"" },
	{ "slices=#2", "line 1, column 1: \"slices\" has no value" },
	{ "utilization=1001", "line 1, column 13: utilization: 1001 is not from 0 to 1000" },
	{ "queue=4294967296", "line 1, column 7: queue: 4294967296 is not from 0 to 4294967295" },
	{ "slices=65", "line 1, column 8: slices: 65 is not from 0 to 64" },
	{ "ray=1001", "line 1, column 5: ray: 1001 is not from 0 to 1000" },
	{ "fps=4294967296", "line 1, column 5: fps: 4294967296 is not from 0 to 4294967295" },
	{ "ops=-1", "line 1, column 5: ops: \"-1\" is no number" },
	{ "units=1001", "line 1, column 7: units: 1001 is not from 0 to 1000" },
	{ "shader=0.5", "line 1, column 8: shader: \"0.5\" is no number" },
	{ "displays=5", "line 1, column 10: displays: 5 is not from 0 to 4" },
	{ "displays=@800x600", "line 1, column 10: displays: \"\" is no number" },
	{ "displays=1@", "line 1, column 12: width: \"\" is no number" },
	{ "displays=1@800", "line 1, column 12: displays: width without height" },
	{ "displays=1@800x", "line 1, column 16: height: \"\" is no number" },
	{ "displays=1@0x600", "line 1, column 12: width: 0 is not from 1 to 16384" },
	{ "displays=1@800x16385", "line 1, column 16: height: 16385 is not from 1 to 16384" },
	{ "displays=1@800x600x2", "line 1, column 16: height: \"600x2\" is no number" },
	{ "displays=1@800x600@", "line 1, column 20: refresh: \"\" is no number" },
	{ "displays=1@800x600@0", "line 1, column 20: refresh: 0 is not from 1 to 1000" },
	{ "displays=1@800x600@60@1", "line 1, column 20: refresh: \"60@1\" is no number" },
	{ "displays=0@800x600", "line 1, column 12: displays: 0 have no resolution" },
	{ "\npath=near", "line 2, column 6: \"near\" is none of local, remote" },
	{ "engines=none", "line 1, column 9: \"none\" is none of compute, copy, raster, display" },
};

TEST(profile_given)
{
	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		char buf[TESS_BLUEPRINT_MAX] = "", again[TESS_BLUEPRINT_MAX];
		struct tess_reason reason = { 0 };
		struct tess_profile p;

		ASSERT_EQ(tess_profile_parse(given[i].text, &p, &reason), 0);
		ASSERT_EQ(tess_profile_format(&p, buf, sizeof(buf)), (int)strlen(buf));
		if (strcmp(buf, given[i].answer))
			TH_LOG("\"%s\"", buf);
		EXPECT_EQ(strcmp(buf, given[i].answer), 0);
		ASSERT_EQ(tess_profile_parse(buf, &p, &reason), 0);
		tess_profile_format(&p, again, sizeof(again));
		EXPECT_EQ(strcmp(buf, again), 0);
	}
}

TEST(profile_refused)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct tess_profile p = { .slices = 77 };
		struct tess_reason reason = { 0 };

		ASSERT_EQ(tess_profile_parse(refused[i].text, &p, &reason), -EINVAL);
		if (strcmp(reason.text, refused[i].answer))
			TH_LOG("\"%s\": %s", refused[i].text, reason.text);
		EXPECT_EQ(strcmp(reason.text, refused[i].answer), 0);
		EXPECT_EQ(p.slices, 77U);
		EXPECT_EQ(tess_profile_parse(refused[i].text, &p, NULL), -EINVAL);
	}
}

/* What was measured may be too much by a rounding; it can be read all the same */
TEST(profile_clamped)
{
	struct tess_profile p, worst;
	char buf[TESS_BLUEPRINT_MAX];

	memset(&worst, 0xff, sizeof(worst));
	worst.remote = true;
	ASSERT_LT(tess_profile_format(&worst, buf, sizeof(buf)), TESS_BLUEPRINT_MAX - 1);
	ASSERT_EQ(tess_profile_parse(buf, &p, NULL), 0);
	EXPECT_EQ(p.utilization, 1000U);
	EXPECT_EQ(p.slices, 64U);
	EXPECT_EQ(p.heads, 4U);
	EXPECT_EQ(p.mode.width, 16384U);
	EXPECT_EQ(p.engines, (u32)TESS_ENGINE_ALL);
}

TEST(profile_garbage)
{
	static const char *const pieces[] = {
		"\n",		"#",	" ", "@", "x", "displays=1@", "path=", "remote",
		"engines=copy", "1000", "=",
	};
	struct random r = { 1122 };
	unsigned int taken = 0;

	for (unsigned int i = 0; i < 200000; i++) {
		unsigned int n = random_below(&r, 12);
		struct tess_reason reason = { 0 };
		struct tess_profile p;
		char buf[512] = "", *text;

		while (n--) {
			size_t len = strlen(buf);

			switch (random_below(&r, 3)) {
			case 0:
				snprintf(buf + len, sizeof(buf) - len, " %s=%u ",
					 profile_words[random_below(&r, PROFILE_WORDS)],
					 random_below(&r, 70));
				break;
			case 1:
				buf[len] = (char)random_from(&r, 1, 255);
				break;
			default:
				snprintf(buf + len, sizeof(buf) - len, "%s",
					 pieces[random_below(&r, ARRAY_SIZE(pieces))]);
			}
		}
		text = strdup(buf);
		if (!tess_profile_parse(text, &p, &reason))
			taken++;
		else
			ASSERT_EQ(strncmp(reason.text, "line ", 5), 0);
		free(text);
	}
	EXPECT_GT(taken, 1000U);
}

/* ---- rules ---- */

struct rule {
	const char *profile, *base, *wanted;
};

#define REST(heads) " heads=" heads " share=exclusive policy=auto gpus=1"
#define BASE "slices=4 min=2 max=8 kind=any memory=16M topology=ring policy=auto"
#define SAME(n, kind) \
	"slices=" n " min=2 max=8 kind=" kind " memory=16M topology=ring engines=all" REST("0")

static const struct rule rules[] = {
	/* nothing is known: the base */
	{ "", BASE, SAME("4", "any") },
	/* number of slices: busy and packets wait */
	{ "slices=4 utilization=901 queue=1000", BASE, SAME("6", "any") },
	{ "slices=3 utilization=1000 queue=1000", BASE, SAME("5", "any") },
	{ "slices=4 utilization=901 queue=4000", BASE, SAME("8", "any") },
	{ "slices=2 utilization=901 queue=4000", BASE, SAME("4", "any") },
	{ "slices=6 utilization=901 queue=9000", BASE, SAME("8", "any") },
	/* ... one without the other is not enough */
	{ "slices=4 utilization=900 queue=9000", BASE, SAME("4", "any") },
	{ "slices=4 utilization=1000 queue=999", BASE, SAME("4", "any") },
	/* ... idle: so many that they are used for 600 permille */
	{ "slices=8 utilization=299", BASE, SAME("4", "any") },
	{ "slices=8 utilization=226", BASE, SAME("4", "any") },
	{ "slices=8 utilization=225", BASE, SAME("3", "any") },
	{ "slices=8 utilization=0", BASE, SAME("2", "any") },
	{ "slices=8 utilization=300", BASE, SAME("8", "any") },
	{ "slices=8 utilization=100 queue=1000", BASE, SAME("8", "any") },
	/* ... busy, and displays could show more: 60 pictures a second if nobody says how many */
	{ "slices=4 utilization=901 displays=1@64x64 path=remote fps=45000", BASE,
	  "slices=6 min=2 max=8 kind=any memory=18M topology=ring engines=all" REST(
		  "1") " path=remote" },
	{ "slices=4 utilization=901 displays=1@64x64@30 path=remote fps=29000", BASE,
	  "slices=5 min=2 max=8 kind=any memory=18M topology=ring engines=all" REST(
		  "1") " path=remote" },
	{ "slices=3 utilization=901 displays=1@64x64 path=remote fps=1000", BASE,
	  "slices=6 min=2 max=8 kind=any memory=18M topology=ring engines=all" REST(
		  "1") " path=remote" },
	{ "slices=4 utilization=901 displays=1@64x64 path=remote fps=60000", BASE,
	  "slices=4 min=2 max=8 kind=any memory=18M topology=ring engines=all" REST(
		  "1") " path=remote" },
	{ "slices=4 utilization=900 displays=1@64x64 path=remote fps=45000", BASE,
	  "slices=4 min=2 max=8 kind=any memory=18M topology=ring engines=all" REST(
		  "1") " path=remote" },
	{ "slices=4 utilization=901 fps=45000", BASE, SAME("4", "any") },
	/* ... and never beyond the bounds */
	{ "slices=1 utilization=500", BASE, SAME("2", "any") },
	{ "slices=64 utilization=500", BASE, SAME("8", "any") },
	/* kind */
	{ "slices=4 utilization=500 shader=900", BASE, SAME("4", "compute") },
	{ "slices=4 utilization=500 shader=1", BASE, SAME("4", "compute") },
	{ "slices=4 utilization=500 texture=400", BASE, SAME("4", "render") },
	{ "slices=4 utilization=500 texture=400 shader=399", BASE, SAME("4", "render") },
	{ "slices=4 utilization=500 texture=400 shader=400", BASE, SAME("4", "mixed") },
	{ "slices=4 utilization=500 texture=399 shader=400", BASE, SAME("4", "mixed") },
	{ "slices=4 utilization=500 texture=1", BASE, SAME("4", "render") },
	/* ... texture, pixel and ray together */
	{ "slices=4 utilization=500 pixel=400 shader=399", BASE, SAME("4", "render") },
	{ "slices=4 utilization=500 ray=400 shader=400", BASE, SAME("4", "mixed") },
	{ "slices=4 utilization=500 texture=134 pixel=133 ray=133", BASE, SAME("4", "render") },
	{ "slices=2 texture=133 pixel=133 ray=134",
	  "slices=2 max=2 kind=mixed memory=16M policy=auto",
	  "slices=2 min=2 max=2 kind=render memory=16M topology=none engines=all" REST("0") },
	{ "slices=2 texture=133 pixel=133 ray=133",
	  "slices=2 max=2 kind=mixed memory=16M policy=auto",
	  "slices=2 min=2 max=2 kind=mixed memory=16M topology=none engines=all" REST("0") },
	{ "slices=4 utilization=500 ray=1", BASE, SAME("4", "render") },
	/* Measured where there are no units: how much it draws is not known, and nothing is if it does */
	{ "slices=4 utilization=500 units=500 shader=900", BASE, SAME("4", "mixed") },
	{ "slices=4 utilization=500 units=499 shader=900", BASE, SAME("4", "compute") },
	{ "slices=4 utilization=500 units=1000 ray=400", BASE, SAME("4", "render") },
	{ "slices=4 utilization=500 pixel=1 shader=900", BASE, SAME("4", "mixed") },
	{ "slices=2 ray=1", "slices=2 kind=compute engines=compute policy=auto",
	  "slices=2 min=2 max=2 kind=render memory=0 topology=none "
	  "engines=compute,raster" REST("0") },
	{ "slices=2 texture=1", "slices=2 kind=mixed",
	  "slices=2 min=2 max=2 kind=mixed memory=0 topology=none engines=all heads=0 "
	  "share=exclusive policy=manual gpus=1" },
	/* bound by memory: more of it, one more bank, and a way to it */
	{ "slices=4 utilization=600 memory=700", BASE,
	  "slices=5 min=2 max=8 kind=any memory=32M topology=ring engines=all" REST("0") },
	{ "slices=4 utilization=599 memory=700", BASE,
	  "slices=4 min=2 max=8 kind=any memory=32M topology=ring engines=all" REST("0") },
	{ "slices=4 utilization=901 queue=4000 memory=1000", BASE,
	  "slices=8 min=2 max=8 kind=any memory=32M topology=ring engines=all" REST("0") },
	{ "slices=4 utilization=600 memory=699", BASE, SAME("4", "any") },
	{ "memory=700", "slices=1 max=2 policy=auto",
	  "slices=1 min=1 max=2 kind=any memory=16M topology=mesh engines=all" REST("0") },
	{ "memory=700", "slices=1 policy=auto",
	  "slices=1 min=1 max=1 kind=any memory=16M topology=none engines=all" REST("0") },
	/* ... but not by what units move, up to 300 of them */
	{ "slices=4 utilization=600 memory=1000 texture=301", BASE, SAME("4", "render") },
	{ "slices=4 utilization=600 memory=1000 texture=100 pixel=101 ray=100", BASE,
	  SAME("4", "render") },
	{ "slices=4 utilization=600 memory=700 texture=100 pixel=100 ray=100", BASE,
	  "slices=5 min=2 max=8 kind=render memory=32M topology=ring engines=all" REST("0") },
	{ "slices=4 utilization=901 queue=1000 memory=1000 pixel=1000", BASE, SAME("6", "render") },
	{ "memory=1000 ray=1000", "slices=1 max=2 policy=auto",
	  "slices=1 min=1 max=2 kind=render memory=0 topology=none engines=all" REST("0") },
	/* engines */
	{ "engines=copy", BASE,
	  "slices=4 min=2 max=8 kind=any memory=16M topology=ring engines=copy" REST("0") },
	{ "engines=copy shader=5", BASE,
	  "slices=4 min=2 max=8 kind=compute memory=16M topology=ring engines=compute,copy" REST(
		  "0") },
	{ "engines=raster shader=5", BASE,
	  "slices=4 min=2 max=8 kind=render memory=16M topology=ring engines=compute,raster" REST(
		  "0") },
	{ "texture=500", "slices=2 kind=compute engines=compute,copy policy=auto",
	  "slices=2 min=2 max=2 kind=render memory=0 topology=none "
	  "engines=compute,copy,raster" REST("0") },
	{ "shader=500", "slices=2 kind=render engines=raster policy=auto",
	  "slices=2 min=2 max=2 kind=compute memory=0 topology=none engines=compute" REST("0") },
	/* displays: two frame buffers of 1920 x 1080 x 4 are 15.8 MiB, 16 in whole pieces */
	{ "displays=1@1920x1080@60", "slices=1 memory=4M policy=auto",
	  "slices=1 min=1 max=1 kind=render memory=20M topology=none engines=all" REST("1") },
	{ "displays=1", "slices=1 memory=4M policy=auto",
	  "slices=1 min=1 max=1 kind=render memory=20M topology=none engines=all" REST("1") },
	/* ... not divided where vslices cannot reach each other's, divided by max elsewhere */
	{ "displays=2@1920x1080", "slices=1 max=4 memory=4M policy=auto",
	  "slices=1 min=1 max=4 kind=render memory=36M topology=none engines=all" REST("2") },
	{ "displays=2@1920x1080", "slices=1 max=4 memory=4M topology=mesh policy=auto",
	  "slices=1 min=1 max=4 kind=render memory=12M topology=mesh engines=all" REST("2") },
	{ "displays=1@640x480", "slices=3 memory=4M topology=mesh policy=auto",
	  "slices=3 min=3 max=3 kind=render memory=6M topology=mesh engines=all" REST("1") },
	/* ... a third buffer above 75 Hz, another one for a remote viewer, and no engine to show it */
	{ "displays=1@1920x1080@75", "slices=1 policy=auto",
	  "slices=1 min=1 max=1 kind=render memory=16M topology=none engines=all" REST("1") },
	{ "displays=1@1920x1080@76", "slices=1 policy=auto",
	  "slices=1 min=1 max=1 kind=render memory=24M topology=none engines=all" REST("1") },
	{ "displays=1@1920x1080 path=remote", "slices=1 policy=auto",
	  "slices=1 min=1 max=1 kind=any memory=24M topology=none engines=all" REST(
		  "1") " path=remote" },
	{ "displays=1@1920x1080@144 path=remote engines=compute shader=9", "slices=1 policy=auto",
	  "slices=1 min=1 max=1 kind=compute memory=32M topology=none engines=compute,copy" REST(
		  "1") " path=remote" },
	{ "displays=1@640x480 engines=compute shader=900", "slices=1 policy=auto",
	  "slices=1 min=1 max=1 kind=mixed memory=4M topology=none engines=compute,display" REST(
		  "1") },
	/* ... heads that were asked for, and their path, are not forgotten for want of a profile */
	{ "shader=500 slices=1 utilization=500", "slices=1 heads=1 path=remote policy=auto",
	  "slices=1 min=1 max=1 kind=compute memory=24M topology=none engines=all" REST(
		  "1") " path=remote" },
	{ "displays=1@64x64", "slices=1 displays=2@64x64 path=remote policy=auto",
	  "slices=1 min=1 max=1 kind=render memory=2M topology=none engines=all" REST(
		  "1") " displays=1@64x64" },
	{ "shader=500 slices=1 utilization=500", "slices=1 heads=1 policy=auto",
	  "slices=1 min=1 max=1 kind=mixed memory=16M topology=none engines=all" REST("1") },
};

TEST(every_rule)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		struct tess_blueprint base = blueprint(rules[i].base), bp;
		char buf[TESS_BLUEPRINT_MAX];
		struct tess_profile p;

		ASSERT_EQ(tess_profile_parse(rules[i].profile, &p, NULL), 0);
		tess_blueprint_generate(&p, &base, &bp);
		tess_blueprint_format(&bp, buf, sizeof(buf));
		if (strcmp(buf, rules[i].wanted))
			TH_LOG("\"%s\" on \"%s\": \"%s\"", rules[i].profile, rules[i].base, buf);
		EXPECT_EQ(strcmp(buf, rules[i].wanted), 0);
	}
}

static u32 random_permille(struct random *r)
{
	return random_below(r, 4) ? random_below(r, 1001) : random_below(r, 2) * 1000;
}

static struct tess_profile random_profile(struct random *r)
{
	return (struct tess_profile){
		.utilization = random_permille(r),
		.queue_milli = random_below(r, 3) ? random_below(r, 6000) : 0,
		.shader = random_permille(r),
		.texture = random_below(r, 2) ? random_permille(r) : 0,
		.pixel = random_below(r, 2) ? random_permille(r) : 0,
		.ray = random_below(r, 3) ? 0 : random_permille(r),
		.memory = random_permille(r),
		.fps = random_below(r, 2) ? random_below(r, 200000) : 0,
		.slices = random_below(r, 20),
		.heads = random_below(r, TESS_HEADS_MAX + 1),
		.mode = { random_below(r, 2) ? random_from(r, 1, TESS_WORDS_PIXELS_MAX) : 0,
			  random_below(r, 2) ? random_from(r, 1, TESS_WORDS_PIXELS_MAX) : 0,
			  random_below(r, 200) },
		.remote = random_below(r, 2),
		.engines = random_below(r, 16),
	};
}

/* Bases that can be parsed, also such that leave things open */
static struct tess_blueprint random_base(struct random *r)
{
	for (;;) {
		struct tess_blueprint got, bp = {
			.slices = random_from(r, 1, 16),
			.min = random_below(r, 4),
			.max = random_below(r, 2) ? random_from(r, 1, 64) : 0,
			.kind = random_below(r, 4),
			.engines = random_below(r, 16),
			.topology = random_below(r, 4),
			.heads = random_below(r, 3),
			.gpus = random_below(r, 3),
			.memory = random_below(r, 64) * TESS_MEMORY_GRANULE,
			.shared = random_below(r, 2),
			.automatic = true,
		};

		if (!tess_blueprint_parse("", &bp, &got, NULL))
			return bp;
	}
}

/* Whatever is known: what is generated is within the bounds, and is a blueprint */
TEST(always_valid)
{
	char buf[TESS_BLUEPRINT_MAX];
	struct random r = { 7 };

	for (unsigned int i = 0; i < 100000; i++) {
		struct tess_blueprint base = random_base(&r), bp, again;
		struct tess_profile p = random_profile(&r);
		struct tess_reason reason = { 0 };

		tess_blueprint_generate(&p, &base, &bp);
		tess_blueprint_resolve(&base);
		ASSERT_EQ(bp.min, base.min);
		ASSERT_EQ(bp.max, base.max);
		ASSERT_LE(base.min, bp.slices);
		ASSERT_LE(bp.slices, base.max);
		ASSERT_LE(base.memory, bp.memory);
		tess_blueprint_format(&bp, buf, sizeof(buf));
		if (tess_blueprint_parse(buf, &blank, &again, &reason))
			TH_LOG("\"%s\": %s", buf, reason.text);
		ASSERT_EQ(tess_blueprint_parse(buf, &blank, &again, NULL), 0);
		ASSERT_TRUE(tess_blueprint_is_same(&bp, &again));
		/* what the application needs is there */
		ASSERT_EQ(p.engines & ~(bp.engines & tess_kind_engines(bp.kind)), 0U);
	}
}

static u32 slices_for(const struct tess_profile *p, const struct tess_blueprint *base)
{
	struct tess_blueprint bp;

	tess_blueprint_generate(p, base, &bp);
	return bp.slices;
}

/* More to do never gives fewer slices, and more pixels never less memory */
TEST(monotonic)
{
	struct random r = { 99 };
	unsigned int differ = 0;

	for (unsigned int i = 0; i < 100000; i++) {
		struct tess_blueprint base = random_base(&r);
		struct tess_profile p = random_profile(&r), more = p;
		u64 frames;

		more.utilization = random_from(&r, p.utilization, 1000);
		ASSERT_LE(slices_for(&p, &base), slices_for(&more, &base));
		more.queue_milli = p.queue_milli + random_below(&r, 5000);
		ASSERT_LE(slices_for(&p, &base), slices_for(&more, &base));
		more.memory = random_from(&r, p.memory, 1000);
		ASSERT_LE(slices_for(&p, &base), slices_for(&more, &base));
		differ += slices_for(&p, &base) < slices_for(&more, &base);

		p.mode.width = random_from(&r, 1, 8192);
		frames = tess_profile_frame_bytes(&p);
		p.mode.width += random_below(&r, 8192);
		ASSERT_LE(frames, tess_profile_frame_bytes(&p));
	}
	EXPECT_GT(differ, 1000U);
}

/* The same profile gives the same also if the result is written and read in between */
TEST(settles)
{
	struct tess_blueprint base = blueprint(BASE), bp;
	struct tess_profile p = { .slices = 4, .utilization = 950, .queue_milli = 4000 };
	unsigned int i;

	/* a load that four slices bear for 600 permille: no way back and forth */
	for (i = 0; i < 10; i++) {
		tess_blueprint_generate(&p, &base, &bp);
		if (bp.slices == p.slices)
			break;
		p.utilization = min(1000u, 2400 / bp.slices);
		p.queue_milli = p.utilization > 900 ? 4000 : 0;
		p.slices = bp.slices;
	}
	EXPECT_LT(i, 10U);
}

/* ---- kind ---- */

static const struct lean {
	u32 kind;
	u32 texture;
	u32 pixel;
	u32 ray;
	u32 shader;
	u32 units;
	u32 wanted;
} leans[] = {
	/* nothing else than one of the units, or all of them by turns */
	{ TESS_KIND_MIXED, 800, 0, 0, 100, 0, TESS_KIND_RENDER },
	{ TESS_KIND_MIXED, 0, 900, 0, 0, 0, TESS_KIND_RENDER },
	{ TESS_KIND_MIXED, 0, 0, 1000, 0, 0, TESS_KIND_RENDER },
	{ TESS_KIND_MIXED, 300, 250, 250, 200, 0, TESS_KIND_RENDER },
	{ TESS_KIND_MIXED, 799, 0, 0, 100, 0, TESS_KIND_MIXED },
	{ TESS_KIND_MIXED, 0, 0, 0, 900, 0, TESS_KIND_MIXED },
	{ TESS_KIND_MIXED, 0, 0, 0, 0, 0, TESS_KIND_MIXED },
	/* hardly any of it */
	{ TESS_KIND_RENDER, 0, 0, 0, 900, 0, TESS_KIND_MIXED },
	{ TESS_KIND_RENDER, 20, 20, 9, 600, 0, TESS_KIND_MIXED },
	{ TESS_KIND_RENDER, 20, 20, 10, 900, 0, TESS_KIND_RENDER },
	{ TESS_KIND_RENDER, 0, 0, 0, 599, 0, TESS_KIND_RENDER },
	{ TESS_KIND_RENDER, 1000, 0, 0, 0, 0, TESS_KIND_RENDER },
	/* where only can be seen that it would draw; wherever that shows, it says no more */
	{ TESS_KIND_COMPUTE, 0, 0, 0, 1000, 0, TESS_KIND_COMPUTE },
	{ TESS_KIND_COMPUTE, 1000, 0, 0, 0, 0, TESS_KIND_COMPUTE },
	{ TESS_KIND_COMPUTE, 0, 0, 0, 1000, 499, TESS_KIND_COMPUTE },
	{ TESS_KIND_COMPUTE, 0, 0, 0, 1000, 500, TESS_KIND_MIXED },
	{ TESS_KIND_MIXED, 0, 0, 0, 1000, 1000, TESS_KIND_MIXED },
	{ TESS_KIND_RENDER, 0, 0, 0, 900, 1000, TESS_KIND_MIXED },
	/* where several differ */
	{ TESS_KIND_NONE, 1000, 0, 0, 0, 0, TESS_KIND_NONE },
	{ TESS_KIND_NONE, 0, 0, 0, 1000, 0, TESS_KIND_NONE },
};

TEST(leans)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(leans); i++) {
		const struct lean *l = &leans[i];
		struct tess_profile p = {
			.texture = l->texture,
			.pixel = l->pixel,
			.ray = l->ray,
			.shader = l->shader,
			.units = l->units,
		};

		if (tess_adapt_kind(&p, l->kind) != l->wanted)
			TH_LOG("line %zu", i);
		EXPECT_EQ(tess_adapt_kind(&p, l->kind), l->wanted);
	}
}

/*
 * What is measured of the same work on both kinds, as hw/units.rst says: a tenth of an
 * instruction of the cores, up to 100 of them, for each one of a unit, which does all that it can
 * or a quarter, with work for one core to all. No work is wanted on either kind in turns.
 */
static struct tess_profile measured(u32 kind, unsigned int tenths, unsigned int quarters,
				    unsigned int items)
{
	unsigned int cores = kind == TESS_KIND_MIXED ? 4 : 2, busy = items < cores ? items : cores;
	unsigned int cycles = 10 * (kind == TESS_KIND_MIXED ? 4 : 1) + tenths;
	/* Of an instruction of a unit for each cycle of a core, in thousandths */
	unsigned int rate = 10 * 1000 / cycles;

	return (struct tess_profile){
		.utilization = 1000,
		.texture = rate * quarters * busy / (kind == TESS_KIND_MIXED ? 4 : 8),
		.shader = (rate * tenths / 10 + rate * (4 - quarters) / 4) * busy / cores,
	};
}

TEST(no_kind_in_turns)
{
	unsigned int tenths, quarters, items, moved = 0;

	for (tenths = 0; tenths <= 1000; tenths++) {
		for (quarters = 1; quarters <= 4; quarters += 3) {
			for (items = 1; items <= 4; items++) {
				struct tess_profile mixed, render;
				bool there, back;

				mixed = measured(TESS_KIND_MIXED, tenths, quarters, items);
				render = measured(TESS_KIND_RENDER, tenths, quarters, items);
				there = tess_adapt_kind(&mixed, TESS_KIND_MIXED) ==
					TESS_KIND_RENDER;
				back = tess_adapt_kind(&render, TESS_KIND_RENDER) ==
				       TESS_KIND_MIXED;
				ASSERT_FALSE(there && back);
				ASSERT_FALSE(items == 1 && (there || back));
				/* Whoever has work for all cores is not slower there */
				ASSERT_TRUE(!there || tenths < 20);
				ASSERT_TRUE(!back || items < 4 || tenths > 20);
				moved += there + 10000 * back;
			}
		}
	}
	EXPECT_GT(moved % 10000, 0U);
	EXPECT_GT(moved / 10000, 0U);
}

/* ---- hysteresis ---- */

TEST(patience_of_lists)
{
	struct tess_blueprint now = blueprint(BASE), more = now, most = now, fewer = now,
			      least = now, other = now;
	struct tess_adapt adapt = { 0 };

	more.slices = 6;
	most.slices = 8;
	fewer.slices = 3;
	least.slices = 2;
	other.slices = 6;
	other.topology = TESS_TOPOLOGY_CHAIN;
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &more, 3));
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &more, 3));
	EXPECT_TRUE(tess_adapt_propose(&adapt, &now, &more, 3));
	/* it was not made: from the beginning */
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &more, 3));
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &more, 3));
	/* still more is the same change, of which the smallest is made */
	EXPECT_TRUE(tess_adapt_propose(&adapt, &now, &most, 3));
	EXPECT_EQ(6u, adapt.wanted.slices);
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &most, 3));
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &more, 3));
	EXPECT_TRUE(tess_adapt_propose(&adapt, &now, &most, 3));
	EXPECT_EQ(6u, adapt.wanted.slices);
	/* fewer is another one, and so is what differs in something else */
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &more, 3));
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &more, 3));
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &fewer, 3));
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &least, 3));
	EXPECT_TRUE(tess_adapt_propose(&adapt, &now, &least, 3));
	EXPECT_EQ(3u, adapt.wanted.slices);
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &more, 3));
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &more, 3));
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &other, 3));
	/* all is well in between */
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &now, 3));
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &more, 3));
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &more, 3));
	EXPECT_TRUE(tess_adapt_propose(&adapt, &now, &more, 3));
	/* to lean elsewhere is a change of its own */
	other = now;
	other.leans = TESS_KIND_RENDER;
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &other, 3));
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &other, 3));
	EXPECT_TRUE(tess_adapt_propose(&adapt, &now, &other, 3));
	EXPECT_EQ((u32)TESS_KIND_RENDER, adapt.wanted.leans);
	EXPECT_TRUE(tess_adapt_propose(&adapt, &now, &most, 1));
	EXPECT_FALSE(tess_adapt_propose(&adapt, &now, &now, 1));
}

TEST_HARNESS_MAIN
