// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: the JSON parser against the grammar of RFC 8259, and against garbage.
 */
#include "tap.h"
#include "vfu/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char seen[512];

static int note(void *opaque, const struct json_member *m)
{
	char item[320];

	(void)opaque;
	snprintf(item, sizeof(item), "%s=%d:%llu ", m->path, m->kind,
		 m->kind == JSON_OTHER ? 0 : (unsigned long long)m->value);
	strncat(seen, item, sizeof(seen) - strlen(seen) - 1);
	return strcmp(m->path, "stop") ? 0 : 42;
}

/* Parse from a block of exactly that size, so that a sanitizer sees a read beyond it. */
static int parse(const char *text, size_t len)
{
	char *copy = malloc(len ? len : 1);
	int ret;

	memcpy(copy, text, len);
	seen[0] = '\0';
	ret = json_parse(copy, len, note, NULL);
	free(copy);
	return ret;
}

static void test_good(void)
{
	static const struct {
		const char *text;
		const char *members;
	} good[] = {
		{ "{}", "" },
		{ " \t\r\n{ } \n", "" },
		{ "{\"a\":1}", "a=0:1 " },
		{ "{\"a\":0,\"b\":18446744073709551615}", "a=0:0 b=0:18446744073709551615 " },
		{ "{\"a\":18446744073709551616}", "a=2:0 " },
		{ "{\"a\":-1,\"b\":1.0,\"c\":1e3,\"d\":-0.5E-7}", "a=2:0 b=2:0 c=2:0 d=2:0 " },
		{ "{\"a\":true,\"b\":false,\"c\":null}", "a=1:1 b=1:0 c=2:0 " },
		{ "{\"a\":\"x\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"}", "a=2:0 " },
		{ "{\"a\":{\"b\":{\"c\":7}}}", "a.b.c=0:7 a.b=2:0 a=2:0 " },
		{ "{\"a\":[1,{\"b\":2},[]],\"c\":3}", "a=2:0 c=0:3 " },
		{ "{\"\\u0061\":1}", "\\u0061=0:1 " },
	};
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ok(!parse(good[i].text, strlen(good[i].text)) && !strcmp(seen, good[i].members),
		   "%zu: members '%s'", i, seen);
}

static void test_bad(void)
{
	static const char *const bad[] = {
		"",
		" ",
		"1",
		"[]",
		"null",
		"{",
		"}",
		"{]",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\":1",
		"{\"a\":1,}",
		"{,}",
		"{a:1}",
		"{'a':1}",
		"{\"a\":01}",
		"{\"a\":-}",
		"{\"a\":1.}",
		"{\"a\":.5}",
		"{\"a\":1e}",
		"{\"a\":+1}",
		"{\"a\":tru}",
		"{\"a\":True}",
		"{\"a\":\"}",
		"{\"a\":\"\n\"}",
		"{\"a\":\"\\x\"}",
		"{\"a\":\"\\u12g4\"}",
		"{\"a\":\"\\u12\"}",
		"{\"a\":[1,]}",
		"{\"a\":[1}",
		"{\"a\":1}{}",
		"{\"a\":1} x",
		"{\"a\" 1}",
		"{\"a\":1 \"b\":2}",
	};
	char deep[64];
	char name[400];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(parse(bad[i], strlen(bad[i])) == -EINVAL, "refused: %zu", i);
	ok(parse("{\"a\":1\0}", 8) == -EINVAL, "refused: a NUL inside");
	memset(deep, '[', sizeof(deep));
	memcpy(deep, "{\"a\":", 5);
	ok(parse(deep, sizeof(deep)) == -E2BIG, "nested too deeply");
	memset(name, 'n', sizeof(name));
	memcpy(name, "{\"", 2);
	memcpy(name + sizeof(name) - 4, "\":1}", 4);
	ok(parse(name, sizeof(name)) == -E2BIG, "a name that is too long");
	ok(parse("{\"stop\":1,\"b\":2}", 16) == 42 && !strcmp(seen, "stop=0:1 "),
	   "the callback can stop it");
}

/* Every prefix and every changed byte of a valid text: an answer, and no read beyond the end. */
static void test_mutations(void)
{
	static const char text[] =
		"{\"capabilities\":{\"max_msg_fds\":8,\"x\":[1.5e-3,\"\\u0041\"]}}";
	size_t len = sizeof(text) - 1, i;
	unsigned int c, good = 0, bad = 0;
	char copy[sizeof(text)];

	for (i = 0; i < len; i++)
		bad += parse(text, i) == 0;
	ok(!bad, "no prefix is valid");
	for (i = 0; i < len; i++) {
		for (c = 0; c < 256; c++) {
			memcpy(copy, text, sizeof(text));
			copy[i] = c;
			good += !parse(copy, len);
		}
	}
	ok(good > len, "every byte changed to every value: %u are still valid", good);
}

int main(void)
{
	test_good();
	test_bad();
	test_mutations();
	return done();
}
