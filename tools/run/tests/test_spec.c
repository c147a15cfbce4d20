// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts of the command line, right and wrong. */
#include <float.h>
#include <string.h>

#include "spec.h"
#include "tap.h"

static void test_sizes(void)
{
	static const struct {
		const char *text;
		uint64_t size; /* 0: refused */
	} cases[] = {
		{ "1", 1 },
		{ "4096", 4096 },
		{ "0x10", 16 },
		{ "3K", 3 << 10 },
		{ "2M", 2 << 20 },
		{ "1G", 1 << 30 },
		{ "17179869183G", 17179869183ull << 30 },
		{ "", 0 },
		{ "0", 0 },
		{ "K", 0 },
		{ "-1", 0 },
		{ "1 ", 0 },
		{ " 1", 0 },
		{ "+1", 0 },
		{ "1KK", 0 },
		{ "1T", 0 },
		{ "17179869184G", 0 },
		{ "99999999999999999999", 0 },
		{ "00000000000000000000000000000000001", 0 },
		{ "1.5", 0 },
	};
	const char *why;
	unsigned int i;
	uint64_t size;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int ret = spec_parse_size(cases[i].text, &size, &why);

		ok(cases[i].size ? !ret && size == cases[i].size : ret == -1, "size \"%s\"",
		   cases[i].text);
	}
}

static void test_dims(void)
{
	const char *why;
	uint32_t d[3];

	ok(!spec_parse_dims("5", 100, d, &why) && d[0] == 5 && d[1] == 1 && d[2] == 1, "one");
	ok(!spec_parse_dims("5,6", 100, d, &why) && d[0] == 5 && d[1] == 6 && d[2] == 1, "two");
	ok(!spec_parse_dims("5,6,7", 100, d, &why) && d[2] == 7, "three");
	ok(spec_parse_dims("5,6,7,8", 100, d, &why), "four: %s", why);
	ok(spec_parse_dims("5,,7", 100, d, &why), "nothing in the middle: %s", why);
	ok(spec_parse_dims("5,", 100, d, &why), "nothing at the end: %s", why);
	ok(spec_parse_dims("", 100, d, &why), "nothing: %s", why);
	ok(spec_parse_dims("0", 100, d, &why), "zero: %s", why);
	ok(spec_parse_dims("101", 100, d, &why), "too large: %s", why);
	ok(spec_parse_dims("1111111111111111111111111111", 100, d, &why), "much too large: %s",
	   why);
	ok(spec_parse_dims("4x4", 100, d, &why), "another separator: %s", why);
}

static bool value(const char *text, const void *want, uint64_t size)
{
	struct spec_arg a;
	const char *why;
	bool good = !spec_parse_arg(text, &a, &why) && a.kind == SPEC_VALUE && a.size == size &&
		    !memcmp(a.value, want, size);

	spec_free_arg(&a);
	return good;
}

static void test_values(void)
{
	ok(value("u32:4294967295", &(uint32_t){ UINT32_MAX }, 4), "u32");
	ok(value("u64:0xffffffffffffffff", &(uint64_t){ UINT64_MAX }, 8), "u64");
	ok(value("u8:255", &(uint8_t){ 255 }, 1), "u8");
	ok(value("u16:010", &(uint16_t){ 8 }, 2), "u16, octal");
	ok(value("i8:-128", &(int8_t){ -128 }, 1), "i8");
	ok(value("i16:-2", &(int16_t){ -2 }, 2), "i16");
	ok(value("i32:2147483647", &(int32_t){ INT32_MAX }, 4), "i32");
	ok(value("i64:-9223372036854775808", &(int64_t){ INT64_MIN }, 8), "i64");
	ok(value("f32:0x1.8p1", &(float){ 3.0f }, 4), "f32, hexadecimal");
	ok(value("f32:-1e-3", &(float){ -1e-3f }, 4), "f32");
	ok(value("f64:2.5", &(double){ 2.5 }, 8), "f64");
}

static void test_memory(void)
{
	struct spec_arg a;
	const char *why;

	ok(!spec_parse_arg("in:a:b", &a, &why) && a.kind == SPEC_IN && !strcmp(a.file, "a:b"),
	   "in, a colon in the name");
	spec_free_arg(&a);
	ok(!spec_parse_arg("out:a:b:2K", &a, &why) && a.kind == SPEC_OUT &&
		   !strcmp(a.file, "a:b") && a.size == 2048,
	   "out");
	spec_free_arg(&a);
	ok(!spec_parse_arg("inout:x", &a, &why) && a.kind == SPEC_INOUT && !strcmp(a.file, "x"),
	   "inout");
	spec_free_arg(&a);
	ok(!spec_parse_arg("zero:16", &a, &why) && a.kind == SPEC_ZERO && a.size == 16, "zero");
	ok(!spec_parse_arg("local:64", &a, &why) && a.kind == SPEC_LOCAL && a.size == 64, "local");
}

static void test_refused(void)
{
	static const char *const texts[] = {
		"",
		"u32",
		"u32:",
		"u32:-1",
		"u32:4294967296",
		"u32:1.0",
		"u8:256",
		"i8:128",
		"i8:-129",
		"i32:x",
		"f32:",
		"f32:1.0x",
		"f64:one",
		"f16:1",
		":5",
		"in:",
		"inout:",
		"out:x",
		"out::5",
		"out:x:",
		"out:x:0",
		"out:x:y",
		"zero:",
		"zero:0",
		"local:-5",
		"u64:18446744073709551616",
		"i64:9223372036854775808",
		"int:5",
	};
	struct spec_arg a;
	const char *why;
	unsigned int i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		why = NULL;
		ok(spec_parse_arg(texts[i], &a, &why) == -1 && why, "\"%s\" is refused", texts[i]);
		spec_free_arg(&a);
	}
}

int main(void)
{
	test_sizes();
	test_dims();
	test_values();
	test_memory();
	test_refused();
	return done();
}
