// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>

#include "say.h"
#include "stats.h"
#include "viewer.h"

static void print(FILE *file, const struct viewer *v)
{
	struct clients c = clients_totals(&v->clients);

	fprintf(file,
		"{\"vgpu\": \"%s\", \"head\": %u, \"width\": %u, \"height\": %u,\n"
		" \"clients\": %u, \"accepted\": %" PRIu64 ", \"refused\": %" PRIu64 ",\n"
		" \"looks\": %" PRIu64 ", \"whole_looks\": %" PRIu64 ",\n"
		" \"damaged_pixels\": %" PRIu64 ", \"different_pixels\": %" PRIu64 ",\n"
		" \"compared_tiles\": %" PRIu64 ", \"skipped_tiles\": %" PRIu64 ",\n"
		" \"cursor_changes\": %" PRIu64 ",\n"
		" \"capture\": \"%s\", \"vram_bytes_read\": %" PRIu64 ",\n"
		" \"gpu_jobs\": %" PRIu64 ", \"gpu_tiles\": %" PRIu64
		", \"gpu_tiles_taken\": %" PRIu64 ",\n"
		" \"gpu_cycles\": %" PRIu64 ", \"gpu_failures\": %" PRIu64 ",\n"
		" \"frames\": %" PRIu64 ", \"sent_bytes\": %" PRIu64
		", \"received_bytes\": %" PRIu64 "}\n",
		v->source.uuid, v->source.head, v->shadow.width, v->shadow.height,
		clients_count(&v->clients, false), c.accepted, c.refused, v->counters.looks,
		v->counters.whole, v->counters.damaged, v->shadow.different, v->shadow.compared,
		v->counters.skipped, v->counters.cursors, v->source.by_gpu ? "gpu" : "cpu",
		v->source.read, v->source.gpu.jobs, v->source.gpu.tiles, v->source.gpu.changed,
		v->source.gpu.cycles, v->source.gpu.failures, c.frames, c.sent, c.received);
}

/* A reader of the file sees all of one state */
bool stats_write(const struct viewer *v)
{
	const char *path = v->options->stats;
	char next[4096];
	bool failed;
	FILE *file;

	if (!path)
		return true;
	snprintf(next, sizeof(next), "%s.new", path);
	file = fopen(next, "we");
	if (file) {
		print(file, v);
		failed = ferror(file);
		if (!fclose(file) && !failed && !rename(next, path))
			return true;
	}
	say("--stats %s: %m", path);
	return false;
}
