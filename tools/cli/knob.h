/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be set, and to what. */
#ifndef CLI_KNOB_H
#define CLI_KNOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for a value, and for a text about all that are allowed */
#define KNOB_VALUE 32
#define KNOB_ALLOWED 128

/**
 * struct knob - something that can be set
 * @name: of the file
 * @words: allowed values, ended by NULL; if the first is, it is a number
 * @min: smallest number
 * @max: largest one
 */
struct knob {
	const char *name;
	const char *words[4];
	int64_t min, max;
};

/* Each ended by one without a name */
extern const struct knob knobs_of_vgpus[];
extern const struct knob knobs_of_slices[];

/* The one of a name of @len letters, NULL if there is none. */
const struct knob *knob_find(const struct knob *knobs, const char *name, size_t len);

/* Is the value one of those that are allowed? */
bool knob_fits(const struct knob *knob, const char *value);

/* The allowed values, for messages. Returns @buf of KNOB_ALLOWED bytes. */
const char *knob_allowed(char *buf, const struct knob *knob);

#endif
