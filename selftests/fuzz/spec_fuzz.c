// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Texts of user-space programs
 *
 * Arguments of tessera-run and the JSON of the VERSION command. Numbers are within their
 * bounds, what is refused has a reason, nothing leaks.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "spec.h"
#include "vfu/json.h"

static void try_numbers(const char *text)
{
	const char *why = NULL;
	uint32_t dims[3];
	uint64_t val;

	if (spec_parse_size(text, &val, &why))
		FUZZ_CHECK(why && why[0]);
	why = NULL;
	if (spec_parse_number(text, 1000, &val, &why))
		FUZZ_CHECK(why && why[0]);
	else
		FUZZ_CHECK(val <= 1000);
	why = NULL;
	if (spec_parse_dims(text, 256, dims, &why))
		FUZZ_CHECK(why && why[0]);
	else
		for (unsigned int i = 0; i < 3; i++)
			FUZZ_CHECK(dims[i] >= 1 && dims[i] <= 256);
}

static void try_arg(const char *text)
{
	const char *why = NULL;
	struct spec_arg arg;

	if (spec_parse_arg(text, &arg, &why)) {
		FUZZ_CHECK(why && why[0]);
		return;
	}
	FUZZ_CHECK(arg.kind <= SPEC_VALUE);
	if (arg.kind == SPEC_VALUE)
		FUZZ_CHECK(arg.size >= 1 && arg.size <= sizeof(arg.value));
	spec_free_arg(&arg);
}

static int note_member(void *opaque, const struct json_member *m)
{
	unsigned int *members = opaque;

	FUZZ_CHECK(m->path && m->kind <= JSON_OTHER);
	FUZZ_CHECK(m->kind != JSON_BOOL || m->value <= 1);
	(*members)++;
	return 0;
}

static void try_json(const char *text, size_t len)
{
	unsigned int members = 0;
	int rc = json_parse(text, len, note_member, &members);

	FUZZ_CHECK(rc <= 0 && members <= len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = malloc(size);
	if (size > 1)
		memcpy(text, data + 1, size - 1);
	switch (data[0] % 3) {
	case 0:
		/* Not terminated: it does not need to be */
		try_json(text, size - 1);
		break;
	case 1:
		text[size - 1] = 0;
		try_numbers(text);
		break;
	default:
		text[size - 1] = 0;
		try_arg(text);
	}
	free(text);
	return 0;
}
