/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers that may be unknown, and text that cannot be trusted. */
#ifndef CLI_VALUE_H
#define CLI_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* Room for a number or "-" */
#define NUM_TEXT 32

/**
 * struct num - a number, or that it is not known
 * @known: @v says something
 * @v: the number, 0 if unknown
 */
struct num {
	bool known;
	int64_t v;
};

#define NUM_UNKNOWN ((struct num){ 0 })

static inline struct num num(int64_t v)
{
	return (struct num){ .known = true, .v = v };
}

/* Is it known and @v? */
static inline bool num_is(struct num n, int64_t v)
{
	return n.known && n.v == v;
}

/* Decimal or 0x... and nothing else but a newline at its end; else unknown. */
struct num num_parse(const char *text);

/* Sum; an unknown one counts as nothing unless both are. */
struct num num_add(struct num a, struct num b);

/* What came on top of @before; unknown if one is, or if it shrank. */
struct num num_since(struct num now, struct num before);

/* @a * @scale / @b, limited to @max; unknown if one is, @a < 0 or @b <= 0. */
struct num num_ratio(struct num a, int64_t scale, struct num b, int64_t max);

/* Text of a number, or "-". Returns @buf of NUM_TEXT bytes. */
const char *num_text(char *buf, struct num n);

/* Text of @n / 10 with one digit after the point and @unit, e.g. of permille. */
const char *num_tenths(char *buf, struct num n, const char *unit);

/* JSON of it: null if unknown. With @divisor above 1 a fraction. */
struct json_object *num_json(struct num n, int64_t divisor);

/* Replace everything but printable ASCII, so that it is safe on a terminal. */
void text_clean(char *text);

#endif
