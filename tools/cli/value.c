// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: values
 *
 * A file of sysfs may be missing (an older kernel, a GPU that goes) or hold nonsense (a
 * test, a bug). Such a value is unknown and shown as "-" or null, never as a number.
 */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value.h"

struct num num_parse(const char *text)
{
	const char *digits = *text == '-' ? text + 1 : text;
	bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	char *end;
	int64_t v;

	/* strtoll() would skip spaces and take a second sign */
	if (*digits < '0' || *digits > '9')
		return NUM_UNKNOWN;
	errno = 0;
	v = strtoll(text, &end, hex ? 16 : 10);
	if (*end == '\n')
		end++;
	return errno || *end ? NUM_UNKNOWN : num(v);
}

struct num num_add(struct num a, struct num b)
{
	int64_t v;

	if (!a.known || !b.known)
		return a.known ? a : b;
	return __builtin_add_overflow(a.v, b.v, &v) ? NUM_UNKNOWN : num(v);
}

struct num num_since(struct num now, struct num before)
{
	int64_t v;

	if (!now.known || !before.known || __builtin_sub_overflow(now.v, before.v, &v) || v < 0)
		return NUM_UNKNOWN;
	return num(v);
}

struct num num_ratio(struct num a, int64_t scale, struct num b, int64_t max)
{
	__int128 v;

	if (!a.known || !b.known || a.v < 0 || b.v <= 0)
		return NUM_UNKNOWN;
	v = (__int128)a.v * scale / b.v;
	return num(v > max ? max : (int64_t)v);
}

const char *num_text(char *buf, struct num n)
{
	snprintf(buf, NUM_TEXT, "-");
	if (n.known)
		snprintf(buf, NUM_TEXT, "%" PRId64, n.v);
	return buf;
}

const char *num_tenths(char *buf, struct num n, const char *unit)
{
	snprintf(buf, NUM_TEXT, "-");
	if (n.known)
		snprintf(buf, NUM_TEXT, "%s%" PRIu64 ".%u%s", n.v < 0 ? "-" : "",
			 (uint64_t)llabs(n.v / 10), (unsigned int)abs((int)(n.v % 10)), unit);
	return buf;
}

struct json_object *num_json(struct num n, int64_t divisor)
{
	struct json_object *obj;

	if (!n.known)
		return NULL;
	if (divisor <= 1)
		return json_object_new_int64(n.v);
	obj = json_object_new_double((double)n.v / (double)divisor);
	/* The default shows all 17 digits */
	json_object_set_serializer(obj, json_object_double_to_json_string, (void *)"%.3f", NULL);
	return obj;
}

void text_clean(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}
