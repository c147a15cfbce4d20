// SPDX-License-Identifier: GPL-2.0-only
/*
 * The blueprint parser with the kernel's own printf() and strings. Texts end where their
 * memory ends, so that KASAN sees a look behind them; all words and refusals are tried by
 * selftests/pool.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "source.h"
#include "../core/algo/words.c"
#include "../core/algo/blueprint.c"

static const struct tess_blueprint base = { .slices = 2, .kind = TESS_KIND_COMPUTE };

/**
 * struct blueprint_sample - a text and what becomes of it
 * @text: what is read
 * @rc: what it returns
 * @answer: canonical text or reason
 */
struct blueprint_sample {
	const char *text;
	int rc;
	const char *answer;
};

#define EXCLUSIVE " topology=none engines=all heads=0 share=exclusive policy=manual gpus=1"
#define WATCHED " topology=none engines=all heads=1 share=exclusive policy=manual gpus=1"
#define SHARED " topology=ring engines=compute,display heads=1 share=shared weight=7 cap=0"

static const struct blueprint_sample samples[] = {
	{ "", 0, "slices=2 min=2 max=2 kind=compute memory=0" EXCLUSIVE },
	{ "memory=1099511627776", 0, "slices=2 min=2 max=2 kind=compute memory=1024G" EXCLUSIVE },
	/* In any order, with any white space */
	{ "gpus=1 policy=auto\nmax=8\tmin=2 memory=16M kind=mixed slices=4\n" SHARED, 0,
	  "slices=4 min=2 max=8 kind=mixed memory=16M" SHARED " policy=auto gpus=1" },
	{ "kind=any displays=1@800x600 path=remote", 0,
	  "slices=2 min=2 max=2 kind=any memory=0" WATCHED " displays=1@800x600 path=remote" },
	{ "path=remote", -EINVAL, "column 1: path=remote without heads" },
	{ "slcies=1", -EINVAL, "column 1: unknown word \"slcies\"" },
	{ "slices=18446744073709551617", -EINVAL,
	  "column 8: slices: 18446744073709551617 is not from 1 to 64" },
	{ "slices=", -EINVAL, "column 1: \"slices\" has no value" },
	{ "memory=3M", -EINVAL, "column 8: memory: 3M is no multiple of 2M" },
	{ "engines=compute,", -EINVAL,
	  "column 17: \"\" is none of compute, copy, raster, display" },
	{ "slices=2 min=3", -EINVAL, "column 10: min=3 is more than slices=2" },
	{ "weight=100", -EINVAL, "column 1: weight without share=shared" },
};

static void blueprint_name(const struct blueprint_sample *sample, char *name)
{
	strscpy(name, *sample->text ? sample->text : "nothing", KUNIT_PARAM_DESC_SIZE);
	strreplace(name, '\n', ' ');
}

KUNIT_ARRAY_PARAM(blueprint, samples, blueprint_name);

static void blueprint_sample_test(struct kunit *test)
{
	const struct blueprint_sample *sample = test->param_value;
	struct tess_blueprint bp, untouched;
	struct tess_reason reason = {};
	char buf[TESS_BLUEPRINT_MAX];
	char *text;

	memset(&bp, 0x5a, sizeof(bp));
	untouched = bp;
	text = kunit_kstrdup(test, sample->text, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_ASSERT_EQ(test, tess_blueprint_parse(text, &base, &bp, &reason), sample->rc);
	if (sample->rc) {
		KUNIT_EXPECT_STREQ(test, reason.text, sample->answer);
		KUNIT_EXPECT_MEMEQ(test, &bp, &untouched, sizeof(bp));
		return;
	}
	KUNIT_EXPECT_EQ(test, tess_blueprint_format(&bp, buf, sizeof(buf)),
			strlen(sample->answer));
	KUNIT_EXPECT_STREQ(test, buf, sample->answer);
	KUNIT_EXPECT_STREQ(test, reason.text, "");
}

/* A buffer of any size is filled up to its end and not beyond */
static void blueprint_small_buffer_test(struct kunit *test)
{
	struct tess_blueprint bp = base;
	char whole[TESS_BLUEPRINT_MAX];
	size_t size;

	tess_blueprint_format(&bp, whole, sizeof(whole));
	for (size = 1; size <= strlen(whole); size++) {
		char *buf = kunit_kmalloc(test, size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, buf);
		tess_blueprint_format(&bp, buf, size);
		KUNIT_EXPECT_EQ(test, strlen(buf), size - 1);
		KUNIT_EXPECT_MEMEQ(test, buf, whole, size - 1);
		kunit_kfree(test, buf);
	}
}

/* Random pieces of the grammar: what is taken reads the same again, all else has a reason */
static void blueprint_garbage_test(struct kunit *test)
{
	static const char *const pieces[] = {
		"slices", "min", "max", "kind", "memory", "engines", "share", "weight", "=", ",",
		" ", "1", "4", "64", "2M", "any", "all", "shared", "copy", "\n", "\377", "x",
	};
	char text[64], first[TESS_BLUEPRINT_MAX], second[TESS_BLUEPRINT_MAX];
	struct rnd_state random;
	unsigned int i, k;

	prandom_seed_state(&random, 6);
	for (i = 0; i < 5000; i++) {
		struct tess_reason reason = {};
		struct tess_blueprint bp;

		text[0] = '\0';
		for (k = prandom_u32_state(&random) % 10; k; k--)
			strlcat(text, pieces[prandom_u32_state(&random) % ARRAY_SIZE(pieces)],
				sizeof(text));
		if (tess_blueprint_parse(text, &base, &bp, &reason)) {
			KUNIT_EXPECT_NE(test, reason.text[0], '\0');
			continue;
		}
		tess_blueprint_format(&bp, first, sizeof(first));
		KUNIT_ASSERT_EQ(test, tess_blueprint_parse(first, &base, &bp, NULL), 0);
		tess_blueprint_format(&bp, second, sizeof(second));
		KUNIT_EXPECT_STREQ(test, first, second);
	}
}

static struct kunit_case blueprint_cases[] = {
	KUNIT_CASE_PARAM(blueprint_sample_test, blueprint_gen_params),
	KUNIT_CASE(blueprint_small_buffer_test),
	KUNIT_CASE(blueprint_garbage_test),
	{}
};

static struct kunit_suite blueprint_suite = {
	.name = "tessera_blueprint",
	.test_cases = blueprint_cases,
};

kunit_test_suite(blueprint_suite);
