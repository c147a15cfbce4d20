// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: JSON for version negotiation
 *
 * A recursive-descent parser over the whole of RFC 8259's grammar that builds
 * no tree: it reports members to a callback and forgets the rest. A library
 * would be one more dependency of a program that needs nothing but libc, for
 * six numbers in one message; depth and name length are bounded, and the
 * server's tests feed it garbage.
 */
#include "json.h"

#include <errno.h>
#include <string.h>

#define JSON_MAX_DEPTH 16
#define JSON_MAX_PATH 256

struct json {
	const char *p;
	const char *end;
	unsigned int depth;
	unsigned int arrays;
	char path[JSON_MAX_PATH];
	size_t path_len;
	int (*member)(void *opaque, const struct json_member *m);
	void *opaque;
};

static int parse_value(struct json *j, struct json_member *m);

static void skip_space(struct json *j)
{
	while (j->p < j->end && memchr(" \t\r\n", *j->p, 4))
		j->p++;
}

static bool take(struct json *j, char c)
{
	skip_space(j);
	if (j->p == j->end || *j->p != c)
		return false;
	j->p++;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int parse_escape(struct json *j)
{
	unsigned int i;

	if (j->p == j->end || !*j->p || !strchr("\"\\/bfnrtu", *j->p))
		return -EINVAL;
	if (*j->p++ != 'u')
		return 0;
	for (i = 0; i < 4; i++) {
		if (j->p == j->end || !is_hex(*j->p++))
			return -EINVAL;
	}
	return 0;
}

/* Leaves [*start, *start + *len): the raw text; names with escapes match nothing. */
static int parse_string(struct json *j, const char **start, size_t *len)
{
	if (!take(j, '"'))
		return -EINVAL;
	*start = j->p;
	while (j->p < j->end) {
		char c = *j->p++;

		if (c == '"') {
			*len = j->p - 1 - *start;
			return 0;
		}
		if ((unsigned char)c < 0x20)
			return -EINVAL;
		if (c == '\\' && parse_escape(j))
			return -EINVAL;
	}
	return -EINVAL;
}

static int skip_digits(struct json *j)
{
	if (j->p == j->end || !is_digit(*j->p))
		return -EINVAL;
	while (j->p < j->end && is_digit(*j->p))
		j->p++;
	return 0;
}

/* The part after the integer; *whole becomes false if there is any. */
static int parse_fraction(struct json *j, bool *whole)
{
	if (j->p < j->end && *j->p == '.') {
		j->p++;
		*whole = false;
		if (skip_digits(j))
			return -EINVAL;
	}
	if (j->p < j->end && (*j->p == 'e' || *j->p == 'E')) {
		j->p++;
		*whole = false;
		if (j->p < j->end && (*j->p == '+' || *j->p == '-'))
			j->p++;
		return skip_digits(j);
	}
	return 0;
}

static int parse_number(struct json *j, struct json_member *m)
{
	bool whole = true;
	const char *digit;

	if (*j->p == '-') {
		j->p++;
		whole = false;
	}
	digit = j->p;
	if (skip_digits(j) || (*digit == '0' && j->p - digit > 1))
		return -EINVAL;
	m->value = 0;
	for (; digit < j->p; digit++) {
		if (__builtin_mul_overflow(m->value, 10, &m->value) ||
		    __builtin_add_overflow(m->value, *digit - '0', &m->value))
			whole = false;
	}
	if (parse_fraction(j, &whole))
		return -EINVAL;
	m->kind = whole ? JSON_NUMBER : JSON_OTHER;
	return 0;
}

static int parse_word(struct json *j, struct json_member *m)
{
	static const struct {
		const char *text;
		enum json_kind kind;
		uint64_t value;
	} words[] = {
		{ "true", JSON_BOOL, 1 },
		{ "false", JSON_BOOL, 0 },
		{ "null", JSON_OTHER, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i].text);

		if ((size_t)(j->end - j->p) < len || memcmp(j->p, words[i].text, len))
			continue;
		j->p += len;
		m->kind = words[i].kind;
		m->value = words[i].value;
		return 0;
	}
	return -EINVAL;
}

static int push_name(struct json *j, const char *name, size_t len)
{
	size_t dot = j->path_len ? 1 : 0;

	if (len + dot >= sizeof(j->path) - j->path_len)
		return -E2BIG;
	if (dot)
		j->path[j->path_len] = '.';
	memcpy(j->path + j->path_len + dot, name, len);
	j->path_len += len + dot;
	j->path[j->path_len] = '\0';
	return 0;
}

static int parse_member(struct json *j)
{
	size_t old_len = j->path_len;
	struct json_member m = { .kind = JSON_OTHER };
	const char *name;
	size_t len;
	int ret;

	if (parse_string(j, &name, &len))
		return -EINVAL;
	ret = push_name(j, name, len);
	if (ret)
		return ret;
	if (!take(j, ':'))
		return -EINVAL;
	ret = parse_value(j, &m);
	m.path = j->path;
	if (!ret && !j->arrays)
		ret = j->member(j->opaque, &m);
	j->path_len = old_len;
	j->path[old_len] = '\0';
	return ret;
}

static int parse_object(struct json *j)
{
	int ret;

	if (take(j, '}'))
		return 0;
	do {
		ret = parse_member(j);
		if (ret)
			return ret;
	} while (take(j, ','));
	return take(j, '}') ? 0 : -EINVAL;
}

static int parse_array(struct json *j)
{
	struct json_member m;
	int ret;

	if (take(j, ']'))
		return 0;
	do {
		ret = parse_value(j, &m);
		if (ret)
			return ret;
	} while (take(j, ','));
	return take(j, ']') ? 0 : -EINVAL;
}

static int parse_nested(struct json *j, bool array)
{
	int ret;

	if (j->depth == JSON_MAX_DEPTH)
		return -E2BIG;
	j->p++;
	j->depth++;
	j->arrays += array;
	ret = array ? parse_array(j) : parse_object(j);
	j->arrays -= array;
	j->depth--;
	return ret;
}

static int parse_value(struct json *j, struct json_member *m)
{
	const char *start;
	size_t len;

	m->kind = JSON_OTHER;
	skip_space(j);
	if (j->p == j->end)
		return -EINVAL;
	if (*j->p == '{' || *j->p == '[')
		return parse_nested(j, *j->p == '[');
	if (*j->p == '"')
		return parse_string(j, &start, &len);
	if (*j->p == '-' || is_digit(*j->p))
		return parse_number(j, m);
	return parse_word(j, m);
}

int json_parse(const char *text, size_t len,
	       int (*member)(void *opaque, const struct json_member *m), void *opaque)
{
	struct json j = { .p = text, .end = text + len, .member = member, .opaque = opaque };
	struct json_member m;
	int ret;

	skip_space(&j);
	if (j.p == j.end || *j.p != '{')
		return -EINVAL;
	ret = parse_value(&j, &m);
	if (ret)
		return ret;
	skip_space(&j);
	return j.p == j.end ? 0 : -EINVAL;
}
