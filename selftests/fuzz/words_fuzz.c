// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Blueprints and profiles
 *
 * The kernel's parser, compiled here. Whatever is accepted has a canonical text that says the
 * same; whatever is refused leaves the result alone and says why, and where; whatever is
 * generated from a profile lies within its bounds and is a blueprint.
 */
#include "../../drivers/core/algo/words.c"
#include "../../drivers/core/algo/blueprint.c"
#include "../../drivers/core/algo/generate.c"

#include <stdlib.h>

#include "fuzz.h"

#define POISON 0x5a

static const struct tess_blueprint bases[] = {
	{ .slices = 0 },
	{ .slices = 2, .kind = TESS_KIND_COMPUTE },
	{ .slices = 4, .min = 2, .max = 8, .automatic = true },
	{ .slices = 2, .shared = true, .weight = 300, .cap = 50 },
};

static bool is_poison(const void *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (((const unsigned char *)p)[i] != POISON)
			return false;
	return true;
}

/* The place that a reason names lies in the text, or right behind it */
static void check_reason(const struct tess_reason *reason, const char *text)
{
	unsigned int line = 1, column = 0;

	FUZZ_CHECK(reason->text[0] && strnlen(reason->text, TESS_REASON_MAX) < TESS_REASON_MAX);
	for (const char *c = reason->text; *c; c++)
		FUZZ_CHECK((unsigned char)*c >= ' ', "reason \"%s\"", reason->text);
	if (sscanf(reason->text, "line %u, column %u", &line, &column) == 2 ||
	    sscanf(reason->text, "column %u", &column) == 1)
		FUZZ_CHECK(line >= 1 && column >= 1 && column <= strlen(text) + 1, "%s",
			   reason->text);
}

static void check_blueprint(const struct tess_blueprint *bp, const char *how)
{
	char text[TESS_BLUEPRINT_MAX], again[TESS_BLUEPRINT_MAX];
	struct tess_reason reason = { "" };
	struct tess_blueprint same;
	int len = tess_blueprint_format(bp, text, sizeof(text));

	FUZZ_CHECK(len > 0 && (size_t)len == strlen(text) && (size_t)len < sizeof(text), "%s", how);
	FUZZ_CHECK(!tess_blueprint_parse(text, &bases[0], &same, &reason), "%s: \"%s\": %s", how,
		   text, reason.text);
	FUZZ_CHECK(tess_blueprint_is_same(bp, &same), "%s: \"%s\"", how, text);
	tess_blueprint_format(&same, again, sizeof(again));
	FUZZ_CHECK(!strcmp(text, again), "%s: \"%s\", then \"%s\"", how, text, again);
}

static void try_blueprint(const char *text, const struct tess_blueprint *base)
{
	struct tess_reason reason = { "" };
	struct tess_blueprint bp;
	int rc;

	memset(&bp, POISON, sizeof(bp));
	rc = tess_blueprint_parse(text, base, &bp, &reason);
	FUZZ_CHECK(!rc || rc == -EINVAL);
	if (rc) {
		FUZZ_CHECK(is_poison(&bp, sizeof(bp)));
		check_reason(&reason, text);
		return;
	}
	FUZZ_CHECK(!reason.text[0]);
	FUZZ_CHECK(bp.min >= 1 && bp.min <= bp.slices && bp.slices <= bp.max &&
		   bp.max <= TESS_MAX_SLICES);
	check_blueprint(&bp, "read");
}

static void check_generated(const struct tess_profile *profile, const struct tess_blueprint *base)
{
	char text[TESS_BLUEPRINT_MAX];
	struct tess_blueprint bp, bounds;

	/* Bounds as the kernel has them: a blueprint that was accepted */
	tess_blueprint_format(base, text, sizeof(text));
	if (tess_blueprint_parse(text, &bases[0], &bounds, NULL))
		return;
	tess_blueprint_generate(profile, &bounds, &bp);
	FUZZ_CHECK(bp.slices >= bounds.min && bp.slices <= bounds.max, "%u slices", bp.slices);
	check_blueprint(&bp, "generated");
}

static void try_profile(const char *text, const struct tess_blueprint *base)
{
	char out[TESS_BLUEPRINT_MAX];
	struct tess_reason reason = { "" };
	struct tess_profile p, same;
	int rc, len;

	memset(&p, POISON, sizeof(p));
	rc = tess_profile_parse(text, &p, &reason);
	FUZZ_CHECK(!rc || rc == -EINVAL);
	if (rc) {
		FUZZ_CHECK(is_poison(&p, sizeof(p)));
		check_reason(&reason, text);
		return;
	}
	len = tess_profile_format(&p, out, sizeof(out));
	FUZZ_CHECK(len > 0 && (size_t)len == strlen(out) && (size_t)len < sizeof(out));
	memset(&same, POISON, sizeof(same));
	FUZZ_CHECK(!tess_profile_parse(out, &same, &reason), "\"%s\": %s", out, reason.text);
	tess_profile_format(&same, (char[TESS_BLUEPRINT_MAX]){ 0 }, TESS_BLUEPRINT_MAX);
	check_generated(&p, base);
	check_generated(&same, base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tess_blueprint *base;
	char *text;

	if (!size)
		return 0;
	base = &bases[data[0] >> 1 & 3];
	/* Exactly as long as it is, for the sanitizer to see what is read behind its end */
	text = malloc(size);
	if (size > 1)
		memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;
	if (data[0] & 1)
		try_profile(text, base);
	else
		try_blueprint(text, base);
	free(text);
	return 0;
}
