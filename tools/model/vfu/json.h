/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON that version negotiation needs: numbers and booleans by path. */
#ifndef TESS_MODEL_VFU_JSON_H
#define TESS_MODEL_VFU_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * enum json_kind - what a member's value is
 * @JSON_NUMBER: a whole number from 0 to UINT64_MAX
 * @JSON_BOOL: true or false
 * @JSON_OTHER: anything else, objects and arrays included
 */
enum json_kind {
	JSON_NUMBER,
	JSON_BOOL,
	JSON_OTHER,
};

/**
 * struct json_member - one member, as json_parse() reports it
 * @path: names from the outermost object to the member, joined by '.'
 * @kind: type of the value
 * @value: of a number or boolean
 */
struct json_member {
	const char *path;
	enum json_kind kind;
	uint64_t value;
};

/**
 * json_parse() - parse an object, report its members
 * @text: UTF-8, does not need a NUL
 * @len: bytes
 * @member: called for every member of every object outside arrays; stops
 *	parsing with its own value if that is not 0
 * @opaque: passed to @member
 *
 * Returns 0, -EINVAL if @text is not one JSON object, -E2BIG if it is nested
 * too deeply or has too long names, or what @member returned.
 */
int json_parse(const char *text, size_t len,
	       int (*member)(void *opaque, const struct json_member *m), void *opaque);

#endif /* TESS_MODEL_VFU_JSON_H */
