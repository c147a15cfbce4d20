// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec.h"

static int refuse(const char **why, const char *reason)
{
	*why = reason;
	return -1;
}

int spec_parse_number(const char *text, uint64_t max, uint64_t *value, const char **why)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	/* strtoull() takes signs and blanks */
	if (*text < '0' || *text > '9' || *end)
		return refuse(why, "not a number");
	if (errno || *value > max)
		return refuse(why, "the number is too large");
	return 0;
}

int spec_parse_size(const char *text, uint64_t *size, const char **why)
{
	size_t n = strlen(text);
	unsigned int shift = 0;
	char digits[32];

	if (!n || n >= sizeof(digits))
		return refuse(why, "not a number of bytes");
	memcpy(digits, text, n + 1);
	switch (digits[n - 1]) {
	case 'G':
		shift += 10;
		/* fall through */
	case 'M':
		shift += 10;
		/* fall through */
	case 'K':
		shift += 10;
		digits[n - 1] = '\0';
	}
	if (spec_parse_number(digits, UINT64_MAX >> shift, size, why))
		return -1;
	*size <<= shift;
	return *size ? 0 : refuse(why, "the size is 0");
}

int spec_parse_dims(const char *text, uint64_t max, uint32_t dims[3], const char **why)
{
	const char *comma;
	uint64_t value;
	char part[24];
	unsigned int i;
	size_t n;

	dims[0] = dims[1] = dims[2] = 1;
	for (i = 0; i < 3; i++) {
		comma = strchr(text, ',');
		n = comma ? (size_t)(comma - text) : strlen(text);
		if (n >= sizeof(part))
			return refuse(why, "not a number");
		memcpy(part, text, n);
		part[n] = '\0';
		if (spec_parse_number(part, max, &value, why))
			return -1;
		if (!value)
			return refuse(why, "a dimension is 0");
		dims[i] = (uint32_t)value;
		if (!comma)
			return 0;
		text = comma + 1;
	}
	return refuse(why, "more than three dimensions");
}

/* ---- values ---- */

static int parse_integer(const char *text, unsigned int bits, int is_signed, int64_t *value,
			 const char **why)
{
	int negative = is_signed && *text == '-';
	uint64_t max = is_signed ? (1ull << (bits - 1)) - !negative : UINT64_MAX >> (64 - bits);
	uint64_t magnitude;

	if (spec_parse_number(text + negative, max, &magnitude, why))
		return -1;
	*value = (int64_t)(negative ? 0 - magnitude : magnitude);
	return 0;
}

static int take_integer(const char *text, unsigned int bits, int is_signed, struct spec_arg *arg,
			const char **why)
{
	int64_t value;

	if (parse_integer(text, bits, is_signed, &value, why))
		return -1;
	/* Little endian: the low bytes come first. */
	memcpy(arg->value, &value, sizeof(value));
	arg->size = bits / 8;
	return 0;
}

static int take_float(const char *text, unsigned int bits, struct spec_arg *arg, const char **why)
{
	double d;
	float f;
	char *end;

	if (bits == 32) {
		f = strtof(text, &end);
		memcpy(arg->value, &f, sizeof(f));
	} else {
		d = strtod(text, &end);
		memcpy(arg->value, &d, sizeof(d));
	}
	if (end == text || *end)
		return refuse(why, "not a floating-point number");
	arg->size = bits / 8;
	return 0;
}

/**
 * struct type - a kind of argument that is a value
 * @name: before the colon
 * @bits: size
 * @form: 'u' unsigned, 'i' signed, 'f' floating point
 */
static const struct type {
	const char *name;
	unsigned int bits;
	char form;
} types[] = {
	{ "u8", 8, 'u' },   { "u16", 16, 'u' }, { "u32", 32, 'u' }, { "u64", 64, 'u' },
	{ "i8", 8, 'i' },   { "i16", 16, 'i' }, { "i32", 32, 'i' }, { "i64", 64, 'i' },
	{ "f32", 32, 'f' }, { "f64", 64, 'f' },
};

static int take_value(const char *name, size_t n, const char *text, struct spec_arg *arg,
		      const char **why)
{
	unsigned int i;

	arg->kind = SPEC_VALUE;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct type *t = &types[i];

		if (strlen(t->name) != n || memcmp(t->name, name, n))
			continue;
		if (t->form == 'f')
			return take_float(text, t->bits, arg, why);
		return take_integer(text, t->bits, t->form == 'i', arg, why);
	}
	return refuse(why, "unknown kind; there are in:FILE, out:FILE:SIZE, inout:FILE, zero:SIZE, "
			   "local:SIZE and u8 to u64, i8 to i64, f32, f64:VALUE");
}

/* ---- memory ---- */

static int take_file(const char *text, size_t n, struct spec_arg *arg, const char **why)
{
	if (!n)
		return refuse(why, "the file has no name");
	arg->file = strndup(text, n);
	return arg->file ? 0 : refuse(why, "out of memory");
}

/* FILE:SIZE: the last colon counts, names may have others */
static int take_out(const char *text, struct spec_arg *arg, const char **why)
{
	const char *colon = strrchr(text, ':');

	if (!colon)
		return refuse(why, "needs a size: out:FILE:SIZE");
	if (spec_parse_size(colon + 1, &arg->size, why))
		return -1;
	return take_file(text, (size_t)(colon - text), arg, why);
}

static int is(const char *name, size_t n, const char *want)
{
	return strlen(want) == n && !memcmp(name, want, n);
}

int spec_parse_arg(const char *text, struct spec_arg *arg, const char **why)
{
	const char *colon = strchr(text, ':'), *rest;
	size_t n;

	memset(arg, 0, sizeof(*arg));
	if (!colon)
		return refuse(why, "an argument is KIND:VALUE, for example u32:5 or in:FILE");
	n = (size_t)(colon - text);
	rest = colon + 1;
	if (is(text, n, "in")) {
		arg->kind = SPEC_IN;
		return take_file(rest, strlen(rest), arg, why);
	}
	if (is(text, n, "inout")) {
		arg->kind = SPEC_INOUT;
		return take_file(rest, strlen(rest), arg, why);
	}
	if (is(text, n, "out")) {
		arg->kind = SPEC_OUT;
		return take_out(rest, arg, why);
	}
	if (is(text, n, "zero")) {
		arg->kind = SPEC_ZERO;
		return spec_parse_size(rest, &arg->size, why);
	}
	if (is(text, n, "local")) {
		arg->kind = SPEC_LOCAL;
		return spec_parse_size(rest, &arg->size, why);
	}
	return take_value(text, n, rest, arg, why);
}

void spec_free_arg(struct spec_arg *arg)
{
	free(arg->file);
	arg->file = NULL;
}
