// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: events in words
 *
 * A sentence per event, with {key} for the value of a field; [...] is left out if a field
 * in it is missing or says that there is nothing. Fields that no sentence mentions follow as key=value.
 */
#include <stdio.h>
#include <string.h>

#include "trace_event.h"

#define KEY_MAX 32

struct sentence {
	const char *event;
	const char *text;
};

/* Where something happens and to whom comes first, as the same for all */
static const char subject[] = "gpu{gpu}/slice{slice}: {vgpu} vslice {vslice} ";

/* Events that concern a vGPU as a whole */
static const char *const whole[] = { "tess_transfer", "tess_adapt" };

static const struct sentence sentences[] = {
	{ "tess_sched_in", "runs now[, after waiting for {waited} cycles]" },
	{ "tess_sched_out", "is parked after {ran} cycles: {reason!out}" },
	{ "tess_save", "is saved, {bytes} bytes" },
	{ "tess_restore", "is restored[, {bytes} bytes]" },
	{ "tess_move", "moved here[ from slice {from}]: {reason!move}" },
	{ "tess_transfer",
	  "moved here from gpu{from_gpu}: {slices} slices, {bytes} bytes, stood still for {us} us" },
	{ "tess_kick", "has new packets[, {wptr} so far][{parked!parked}]" },
	{ "tess_complete", "completed work[, up to number {seq}]" },
	{ "tess_swap_decision",
	  "{reason!swap}[; to slice {to}][ of gpu{to_gpu}][, gain {gain!permille}][; failed: {rc}]" },
	{ "tess_analyze", "utilization {utilization!permille}, demand {demand!permille}, queue "
			  "{queue_depth!milli}, shaders {shader!permille}, memory "
			  "{memory!permille}" },
};

/* Values in words, by the name behind the '!' */
static const struct {
	const char *what, *value, *words;
} words[] = {
	{ "out", "quantum", "its turn is over" },
	{ "out", "idle", "it has no work" },
	{ "out", "cap", "it has used up its cap" },
	{ "out", "move", "it moves to another slice" },
	{ "out", "remove", "its vGPU is removed" },
	{ "out", "timeout", "it did not stop in time and was reset" },
	{ "out", "fault", "it waits for memory from the host" },
	{ "move", "client", "its client requested it" },
	{ "move", "sysfs", "the administrator requested it" },
	{ "move", "swap", "the swapper decided it" },
	{ "swap", "crowded", "should move: its slice is crowded" },
	{ "swap", "rebalance", "should move: for balance" },
	{ "swap", "balanced", "should move: the load is balanced" },
	{ "swap", "held", "stays: it was moved, or its slice crowded, a short time ago" },
	{ "swap", "gain", "stays: the gain is too small" },
	{ "swap", "nowhere", "stays: there is no better slice" },
	{ "parked", "1", ", and is parked" },
};

/* Fields that are said by the subject, or are the same as the time of the line */
static const char *const said[] = { "gpu", "slice", "vgpu", "vslice", "time" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Text that grows in a buffer of TRACE_LINE bytes */
struct text {
	char *buf;
	size_t len;
	bool missing;
};

static void put(struct text *text, const char *what, size_t len)
{
	if (len > TRACE_LINE - 1 - text->len)
		len = TRACE_LINE - 1 - text->len;
	memcpy(text->buf + text->len, what, len);
	text->len += len;
	text->buf[text->len] = '\0';
}

static void put_value(struct text *text, const char *what, const char *value)
{
	struct num n = num_parse(value);
	char tenths[NUM_TEXT];
	unsigned int i;

	for (i = 0; i < COUNT(words); i++)
		if (!strcmp(words[i].what, what) && !strcmp(words[i].value, value))
			value = words[i].words;
	if (!strcmp(what, "permille"))
		value = num_tenths(tenths, n, "%");
	if (!strcmp(what, "milli"))
		value = num_tenths(tenths, n.known ? num(n.v / 100) : n, "");
	put(text, value, strlen(value));
}

/* No slice is -1, no GPU, too; of all else there is nothing if it is 0 */
static bool says_nothing(const char *key, const char *value)
{
	bool number = !strcmp(key, "from") || !strcmp(key, "to") || !strcmp(key, "to_gpu");

	return !strcmp(value, number ? "-1" : "0");
}

/* @key: "key" or "key!what" */
static void put_field(struct text *text, const struct trace_event *event, const char *key,
		      size_t len)
{
	char name[KEY_MAX];
	const char *value;
	char *what;

	snprintf(name, sizeof(name), "%.*s", (int)len, key);
	what = strchr(name, '!');
	if (what)
		*what++ = '\0';
	value = trace_value(event, name);
	if (!value || says_nothing(name, value))
		text->missing = true;
	put_value(text, what ? what : "", value ? value : "?");
}

static void put_sentence(struct text *text, const struct trace_event *event, const char *at)
{
	size_t optional = 0, len;

	for (; *at; at += len) {
		len = strcspn(at, "{[]");
		put(text, at, len);
		at += len;
		len = *at != '\0';
		if (*at == '{') {
			len = strcspn(at, "}") + 1;
			put_field(text, event, at + 1, len - 2);
		} else if (*at == '[') {
			optional = text->len;
			text->missing = false;
		} else if (*at == ']' && text->missing) {
			text->len = optional;
			text->buf[optional] = '\0';
		}
	}
}

static const char *sentence_of(const char *event)
{
	unsigned int i;

	for (i = 0; i < COUNT(sentences); i++)
		if (!strcmp(sentences[i].event, event))
			return sentences[i].text;
	return NULL;
}

static const char *subject_of(const struct trace_event *event)
{
	unsigned int i;

	/* The swapper may look at a GPU and find nobody to talk about */
	if (trace_has_vgpu(event, "-"))
		return "gpu{gpu}: no vslice ";
	for (i = 0; i < COUNT(whole); i++)
		if (!strcmp(whole[i], event->name))
			return "gpu{gpu}: {vgpu} ";
	return subject;
}

static bool mentioned(const char *sentence, const char *key)
{
	size_t len = strlen(key);
	const char *at;
	unsigned int i;

	for (i = 0; i < COUNT(said); i++)
		if (!strcmp(said[i], key))
			return true;
	for (at = strchr(sentence, '{'); at; at = strchr(at + 1, '{'))
		if (!strncmp(at + 1, key, len) && (at[1 + len] == '}' || at[1 + len] == '!'))
			return true;
	return false;
}

static void put_rest(struct text *text, const struct trace_event *event, const char *sentence)
{
	unsigned int i;

	for (i = 0; i < event->field_count; i++) {
		const struct trace_field *field = &event->fields[i];

		if (mentioned(sentence, field->key))
			continue;
		put(text, " ", 1);
		put(text, field->key, strlen(field->key));
		put(text, "=", 1);
		put(text, field->value, strlen(field->value));
	}
}

const char *trace_words(char *buf, const struct trace_event *event)
{
	const char *sentence = sentence_of(event->name);
	struct text text = { .buf = buf };
	size_t len;

	len = (size_t)snprintf(buf, TRACE_LINE, "%5lld.%06lld  ",
			       (long long)(event->us.v / 1000000),
			       (long long)(event->us.v % 1000000));
	text.len = len;
	put_sentence(&text, event, subject_of(event));
	put_sentence(&text, event, sentence ? sentence : "");
	if (!sentence)
		put(&text, event->name, strlen(event->name));
	put_rest(&text, event, sentence ? sentence : "");
	return buf;
}
