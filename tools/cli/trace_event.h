/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of trace_pipe, and events in words. */
#ifndef CLI_TRACE_EVENT_H
#define CLI_TRACE_EVENT_H

#include <stddef.h>

#include "value.h"

struct json_object;

#define TRACE_LINE 1024
#define TRACE_FIELDS 24

/**
 * struct trace_field - key=value of an event
 * @key: name
 * @value: text of it
 */
struct trace_field {
	const char *key;
	const char *value;
};

/**
 * struct trace_event - an event
 * @text: the line it was made from, cut up
 * @process: who was running
 * @pid: of that
 * @cpu: processor
 * @us: time in microseconds
 * @name: tess_...
 * @fields: its values
 * @field_count: of them
 */
struct trace_event {
	char text[TRACE_LINE];
	const char *process;
	struct num pid, cpu, us;
	const char *name;
	struct trace_field fields[TRACE_FIELDS];
	unsigned int field_count;
};

/* What a line is */
enum trace_kind {
	TRACE_EVENT_LINE,
	TRACE_LOST_LINE, /* events were lost; their number is @pid */
	TRACE_OTHER_LINE,
};

/**
 * trace_parse() - take a line of trace_pipe apart
 * @line: without its newline
 * @event: set
 *
 * Return: what it is.
 */
enum trace_kind trace_parse(const char *line, struct trace_event *event);

/* Value of a field, NULL if the event has none of that name. */
const char *trace_value(const struct trace_event *event, const char *key);

/* A field as a number. */
struct num trace_num(const struct trace_event *event, const char *key);

/* Is it about that vGPU? */
bool trace_has_vgpu(const struct trace_event *event, const char *vgpu);

/* Is it about that slice, or about a move from or to it? */
bool trace_has_slice(const struct trace_event *event, unsigned int gpu, unsigned int slice);

/* The event in words. Returns @buf of TRACE_LINE bytes. */
const char *trace_words(char *buf, const struct trace_event *event);

/* The event as an object. */
struct json_object *trace_json(const struct trace_event *event);

#endif
