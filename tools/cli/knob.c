// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "knob.h"
#include "value.h"

const struct knob knobs_of_vgpus[] = {
	{ .name = "weight", .min = 1, .max = 10000 },
	{ .name = "cap", .min = 0, .max = 100 },
	{ .name = "policy", .words = { "manual", "auto" } },
	{ 0 },
};

const struct knob knobs_of_slices[] = {
	{ .name = "policy", .words = { "fair", "fixed", "besteffort" } },
	{ .name = "quantum_us", .min = 100, .max = 1000000 },
	{ .name = "preempt_timeout_us", .min = 1000, .max = 10000000 },
	{ 0 },
};

const struct knob *knob_find(const struct knob *knob, const char *name, size_t len)
{
	for (; knob->name; knob++)
		if (strlen(knob->name) == len && !strncmp(knob->name, name, len))
			return knob;
	return NULL;
}

bool knob_fits(const struct knob *knob, const char *value)
{
	const char *const *word = knob->words;
	struct num n = num_parse(value);

	if (strlen(value) >= KNOB_VALUE || strchr(value, '\n'))
		return false;
	if (!*word)
		return n.known && n.v >= knob->min && n.v <= knob->max;
	while (*word && strcmp(*word, value))
		word++;
	return *word;
}

const char *knob_allowed(char *buf, const struct knob *knob)
{
	unsigned int i;
	size_t len = 0;

	buf[0] = '\0';
	if (!knob->words[0])
		snprintf(buf, KNOB_ALLOWED, "%" PRId64 " to %" PRId64, knob->min, knob->max);
	for (i = 0; knob->words[i]; i++)
		len += (size_t)snprintf(buf + len, KNOB_ALLOWED - len, "%s%s", i ? ", " : "",
					knob->words[i]);
	return buf;
}
