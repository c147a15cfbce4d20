// SPDX-License-Identifier: MIT
/*
 * What the copy engines move per GPU cycle: VRAM to VRAM, between system memory and
 * VRAM, and fills. Needs no kernel.
 */
#include <stdio.h>
#include <string.h>

#include "common.h"

static uint64_t size = 4 << 20;

static const struct option_def options[] = {
	{ "size", "bytes of each transfer, a multiple of 4 (default: 4M)", &size, NULL },
	{ 0 },
};

#define PATTERN 0x600dc0deu

enum place {
	SYSTEM_A,
	SYSTEM_B,
	VRAM_A,
	VRAM_B,
	PLACES,
};

/**
 * struct test - a transfer to measure
 * @name: for the table
 * @key: for JSON
 * @src: source, PLACES for a fill
 * @dst: destination
 */
struct test {
	const char *name;
	const char *key;
	enum place src;
	enum place dst;
};

static const struct test tests[] = {
	{ "system to VRAM", "system_to_vram", SYSTEM_A, VRAM_A },
	{ "VRAM to VRAM", "vram_to_vram", VRAM_A, VRAM_B },
	{ "VRAM to system", "vram_to_system", VRAM_B, SYSTEM_B },
	{ "fill VRAM", "fill_vram", PLACES, VRAM_A },
	{ "fill system", "fill_system", PLACES, SYSTEM_B },
};

struct memory {
	struct tess_buffer *buf[PLACES];
	uint32_t *map[PLACES];
};

static unsigned long compare(const struct memory *m, const struct test *t)
{
	unsigned long mismatches = 0;

	if (t->src != PLACES)
		return memcmp(m->map[t->src], m->map[t->dst], size) != 0;
	for (uint64_t i = 0; i < size / 4; i++)
		mismatches += m->map[t->dst][i] != PATTERN;
	return mismatches;
}

static unsigned long run(struct example *ex, const struct memory *m, const struct test *t)
{
	struct tess_transfer transfer = {
		.dst = m->buf[t->dst],
		.src = t->src == PLACES ? NULL : m->buf[t->src],
		.bytes = size,
		.pattern = PATTERN,
	};
	struct tess_counters c;
	double rate;

	/* What an earlier test left must not look like success. */
	memset(m->map[t->dst], 0x55, size);
	example_transfer(ex, &transfer, &c);
	rate = c.cycles ? (double)size / (double)c.cycles : 0.0;
	if (!ex->json)
		printf("%-16s %10llu bytes %10llu cycles %8.2f bytes/cycle %10llu over links\n",
		       t->name, (unsigned long long)size, (unsigned long long)c.cycles, rate,
		       (unsigned long long)c.link_bytes);
	example_extra(ex, "\"%s\": %.3f", t->key, rate);
	return ex->verify ? compare(m, t) : 0;
}

int main(int argc, char **argv)
{
	struct example ex = {
		.name = "bandwidth",
		.summary =
			"Measures copies and fills, in bytes per GPU cycle, and checks the contents.",
		.operands = "",
		.options = options,
	};
	unsigned long mismatches = 0;
	struct memory m;
	uint64_t seed = 1;

	example_start(&ex, argc, argv);
	if (size < 4 || size % 4 || size > 1ull << 30)
		example_die(&ex, 2, "--size must be a multiple of 4, at most 1024M");
	for (unsigned int i = 0; i < PLACES; i++)
		m.map[i] = example_buffer(
			&ex, size, i >= VRAM_A ? TESS_BUFFER_VRAM : TESS_BUFFER_SYSTEM, &m.buf[i]);
	for (uint64_t i = 0; i < size / 4; i++)
		m.map[SYSTEM_A][i] = example_random(&seed);
	for (unsigned int i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		mismatches += run(&ex, &m, &tests[i]);
	return example_finish(&ex, mismatches, false);
}
