// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Fuzzing
 *
 * A target turns bytes into calls, and says what has to hold whatever the bytes are. Where
 * plain bytes would not come far (checksums, addresses, tables of records) a target has a
 * mutator that keeps the form and changes the content; half of the time libFuzzer changes
 * the bytes of one record, so that what coverage and comparisons teach it is used, too.
 */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_fail(const char *file, int line, const char *cond, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s:%d: does not hold: %s", file, line, cond);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

uint64_t fuzz_take(struct fuzz_in *in, unsigned int bytes)
{
	uint64_t val = 0;
	size_t n = bytes < in->left ? bytes : in->left;

	if (n)
		memcpy(&val, in->at, n);
	in->at += n;
	in->left -= n;
	return val;
}

const void *fuzz_record(struct fuzz_in *in, size_t size)
{
	const void *record = in->at;

	if (in->left < size)
		return NULL;
	in->at += size;
	in->left -= size;
	return record;
}

/* A value into a field of a record, at its natural alignment or not */
static void put_value(const struct fuzz_grammar *g, uint8_t *record, uint64_t *state)
{
	size_t width = 1U << fuzz_below(state, 4), at = fuzz_below(state, (uint32_t)g->record);
	uint64_t val = fuzz_value(state, g->near, g->nr_near);

	if (fuzz_below(state, 4))
		at &= ~(width - 1);
	if (at + width > g->record)
		width = g->record - at;
	memcpy(record + at, &val, width);
}

/* Open a gap of one record before number @at; returns the new number of records */
static size_t open_gap(const struct fuzz_grammar *g, uint8_t *records, size_t nr, size_t at)
{
	memmove(records + (at + 1) * g->record, records + at * g->record, (nr - at) * g->record);
	return nr + 1;
}

static size_t grow(const struct fuzz_grammar *g, uint8_t *records, size_t nr, uint64_t *state)
{
	size_t at = fuzz_below(state, (uint32_t)nr + 1);
	size_t from = nr ? fuzz_below(state, (uint32_t)nr) : 0;

	nr = open_gap(g, records, nr, at);
	if (nr == 1 || fuzz_below(state, 4))
		g->make(records + at * g->record, state);
	else
		memcpy(records + at * g->record, records + (from + (from >= at)) * g->record,
		       g->record);
	return nr;
}

static size_t shrink(const struct fuzz_grammar *g, uint8_t *records, size_t nr, uint64_t *state)
{
	size_t at = fuzz_below(state, (uint32_t)nr);

	memmove(records + at * g->record, records + (at + 1) * g->record,
		(nr - at - 1) * g->record);
	return nr - 1;
}

static void alter(const struct fuzz_grammar *g, uint8_t *records, size_t nr, uint64_t *state)
{
	uint8_t *record = records + fuzz_below(state, (uint32_t)nr) * g->record;

	switch (fuzz_below(state, 4)) {
	case 0:
		g->make(record, state);
		break;
	case 1:
		put_value(g, record, state);
		break;
	default:
		LLVMFuzzerMutate(record, g->record, g->record);
	}
}

size_t fuzz_mutate(const struct fuzz_grammar *g, uint8_t *data, size_t size, size_t max,
		   unsigned int seed)
{
	uint64_t state = seed * 2ULL + 1;
	size_t nr, most;

	if (max < g->head + g->record)
		return LLVMFuzzerMutate(data, size, max);
	if (size < g->head) {
		memset(data + size, 0, g->head - size);
		size = g->head;
	}
	nr = (size - g->head) / g->record;
	most = (max - g->head) / g->record;
	fuzz_random(&state);
	if (g->head && !fuzz_below(&state, 16))
		LLVMFuzzerMutate(data, g->head, g->head);
	else if (!nr || (nr < most && !fuzz_below(&state, 3)))
		nr = grow(g, data + g->head, nr, &state);
	else if (!fuzz_below(&state, 6))
		nr = shrink(g, data + g->head, nr, &state);
	else
		alter(g, data + g->head, nr, &state);
	return g->head + nr * g->record;
}
