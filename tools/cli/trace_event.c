// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: lines of trace_pipe
 *
 *             CPU-0-1234    [001] d.h1.    55.123456: tess_kick: gpu=0 slice=2 vgpu=...
 *
 * The name of a process may have anything in it, so it is taken for what it is by its
 * place: the kernel pads it to 16 characters. The values of an event are those of the
 * kernel module; unknown keys, of a newer one, are kept.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_event.h"

#define PROCESS_WIDTH 16
#define PREFIX "tess_"

/* Cut the next word that ends at @ends off; NULL if there is no such end */
static char *cut(char **at, const char *ends)
{
	char *word = *at + strspn(*at, " "), *end = strpbrk(word, ends);

	if (!end)
		return NULL;
	*end = '\0';
	*at = end + 1;
	return word;
}

/* "55.123456" to microseconds */
static struct num parse_time(const char *text)
{
	const char *point = strchr(text, '.');
	char digits[NUM_TEXT];

	if (!point || strlen(point + 1) != 6)
		return NUM_UNKNOWN;
	snprintf(digits, sizeof(digits), "%.*s%s", (int)(point - text), text, point + 1);
	return num_parse(digits);
}

/* What is between the process and the event; false if it does not look like that */
static bool parse_head(struct trace_event *event, char **at)
{
	char *pid, *cpu, *flags, *time;

	if (strlen(event->text) <= PROCESS_WIDTH || event->text[PROCESS_WIDTH] != '-')
		return false;
	event->text[PROCESS_WIDTH] = '\0';
	event->process = event->text + strspn(event->text, " ");
	*at = event->text + PROCESS_WIDTH + 1;
	pid = cut(at, " ");
	cpu = pid ? cut(at, "[") : NULL;
	cpu = cpu ? cut(at, "]") : NULL;
	flags = cpu ? cut(at, " ") : NULL;
	time = flags ? cut(at, ":") : NULL;
	if (!time)
		return false;
	event->pid = num_parse(pid);
	event->cpu = num_parse(cpu);
	event->us = parse_time(time);
	return event->pid.known && event->cpu.known && event->us.known;
}

static void parse_fields(struct trace_event *event, char *at)
{
	char *word, *rest = NULL, *equals;

	for (word = strtok_r(at, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		equals = strchr(word, '=');
		if (!equals || equals == word || event->field_count == TRACE_FIELDS)
			continue;
		*equals = '\0';
		event->fields[event->field_count++] = (struct trace_field){ word, equals + 1 };
	}
}

/* "CPU:1 [LOST 123 EVENTS]" */
static bool parse_lost(const char *line, struct trace_event *event)
{
	unsigned int cpu;
	unsigned long lost;

	if (sscanf(line, "CPU:%u [LOST %lu EVENTS]", &cpu, &lost) != 2)
		return false;
	event->cpu = num(cpu);
	event->pid = num((int64_t)lost);
	return true;
}

enum trace_kind trace_parse(const char *line, struct trace_event *event)
{
	char *at;

	memset(event, 0, sizeof(*event));
	if (parse_lost(line, event))
		return TRACE_LOST_LINE;
	snprintf(event->text, sizeof(event->text), "%s", line);
	text_clean(event->text);
	if (!parse_head(event, &at))
		return TRACE_OTHER_LINE;
	event->name = cut(&at, ":");
	if (!event->name || strncmp(event->name, PREFIX, strlen(PREFIX)))
		return TRACE_OTHER_LINE;
	parse_fields(event, at);
	return TRACE_EVENT_LINE;
}

const char *trace_value(const struct trace_event *event, const char *key)
{
	unsigned int i;

	for (i = 0; i < event->field_count; i++)
		if (!strcmp(event->fields[i].key, key))
			return event->fields[i].value;
	return NULL;
}

struct num trace_num(const struct trace_event *event, const char *key)
{
	const char *value = trace_value(event, key);

	return value ? num_parse(value) : NUM_UNKNOWN;
}

bool trace_has_vgpu(const struct trace_event *event, const char *vgpu)
{
	const char *value = trace_value(event, "vgpu");

	return value && !strcmp(value, vgpu);
}

bool trace_has_slice(const struct trace_event *event, unsigned int gpu, unsigned int slice)
{
	return num_is(trace_num(event, "gpu"), gpu) &&
	       (num_is(trace_num(event, "slice"), slice) ||
		num_is(trace_num(event, "from"), slice) || num_is(trace_num(event, "to"), slice));
}

struct json_object *trace_json(const struct trace_event *event)
{
	struct json_object *obj = json_object_new_object();
	unsigned int i;

	json_object_object_add(obj, "timestamp_us", num_json(event->us, 1));
	json_object_object_add(obj, "cpu", num_json(event->cpu, 1));
	json_object_object_add(obj, "process", json_object_new_string(event->process));
	json_object_object_add(obj, "pid", num_json(event->pid, 1));
	json_object_object_add(obj, "event", json_object_new_string(event->name));
	for (i = 0; i < event->field_count; i++) {
		const struct trace_field *field = &event->fields[i];
		struct num n = num_parse(field->value);

		/* A name is a name even if it is made of digits */
		if (!strcmp(field->key, "vgpu"))
			n.known = false;
		json_object_object_add(obj, field->key,
				       n.known ? num_json(n, 1) :
						 json_object_new_string(field->value));
	}
	return obj;
}
