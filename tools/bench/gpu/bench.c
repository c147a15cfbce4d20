// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: tessera-bench
 *
 *	tessera-bench KERNELS EXAMPLES [FILE]
 *
 * Reads orders from FILE (a virtio port; else standard input), one a line,
 *
 *	LOAD COUNT DEPTH
 *
 * runs LOAD COUNT times with at most DEPTH in flight, and answers with a line of
 * JSON: wall time, GPU cycles, and quantiles of the time between a submission and
 * its completion seen by the program; and how many completion interrupts the machine
 * has had since it started. "cpu US 1" computes for US microseconds and leaves the GPU
 * alone, to tell what a machine costs anyway. "again" has it start over, at other
 * addresses: which of them are in each other's way in the caches of a processor, or of
 * an emulator, is chance, and lasts. "quit" ends it. It stays alive between orders, so
 * that several machines can be measured in turn, and reads without polling, so that those
 * that have nothing to do cost nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "loads.h"

#define DEPTH_MAX 64
#define COUNT_MAX 100000000

/**
 * struct flight - an operation that was started
 * @fence: to wait for
 * @start: when, ns
 */
struct flight {
	struct tess_fence *fence;
	int64_t start;
};

/**
 * struct result - of an order
 * @ns: wall time
 * @cpu_ns: CPU time of this process
 * @total: sums of what each operation cost
 * @latency: of each, ns
 * @seen: number of them
 * @bad: wrong results
 */
struct result {
	int64_t ns;
	int64_t cpu_ns;
	struct tess_counters total;
	int64_t *latency;
	unsigned long seen;
	unsigned long bad;
};

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int land(struct bench *b, struct flight *f, struct result *r)
{
	struct tess_counters c;

	if (tess_fence_wait(f->fence, -1, &c)) {
		fprintf(stderr, "tessera-bench: %s\n", tess_strerror(b->dev));
		return -1;
	}
	r->latency[r->seen++] = now(CLOCK_MONOTONIC) - f->start;
	tess_fence_destroy(f->fence);
	r->total.cycles += c.cycles;
	r->total.busy += c.busy;
	r->total.instructions += c.instructions;
	r->total.flops += c.flops;
	r->total.bytes += c.bytes;
	return 0;
}

static int run(struct bench *b, const struct load *load, unsigned long count, unsigned int depth,
	       struct result *r)
{
	int64_t start = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	struct flight flights[DEPTH_MAX];
	unsigned long i;

	for (i = 0; i < count + depth; i++) {
		struct flight *f = &flights[i % depth];

		if (i >= depth && i - depth < count && land(b, f, r))
			return -1;
		if (i >= count)
			continue;
		f->start = now(CLOCK_MONOTONIC);
		if (load->start(b, &f->fence)) {
			fprintf(stderr, "tessera-bench: %s\n", tess_strerror(b->dev));
			return -1;
		}
	}
	r->ns = now(CLOCK_MONOTONIC) - start;
	r->cpu_ns = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	r->bad = load->check ? load->check(b) : 0;
	return 0;
}

/* Of all processors and GPUs; lines look like "24:  17  0  PCI-MSIX-0000:00:03.0 0-edge  NAME" */
static unsigned long long interrupts(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	unsigned long long sum = 0;
	char line[4096], *at, *end;

	while (f && fgets(line, sizeof(line), f)) {
		at = strchr(line, ':');
		if (!at || !strstr(at, "tessera-completion"))
			continue;
		for (unsigned long long n = strtoull(++at, &end, 10); end != at;
		     n = strtoull(at = end, &end, 10))
			sum += n;
	}
	if (f)
		fclose(f);
	return sum;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static long long quantile(const struct result *r, unsigned int permille)
{
	return r->seen ? r->latency[(r->seen - 1) * permille / 1000] : 0;
}

static void answer(FILE *out, const char *name, unsigned int depth, struct result *r)
{
	const struct tess_counters *t = &r->total;

	qsort(r->latency, r->seen, sizeof(*r->latency), compare);
	fprintf(out,
		"{\"load\": \"%s\", \"depth\": %u, \"count\": %lu, \"ns\": %lld, \"cpu_ns\": %lld, "
		"\"cycles\": %llu, \"busy\": %llu, \"instructions\": %llu, \"flops\": %llu, "
		"\"bytes\": %llu, \"bad\": %lu, \"p50\": %lld, \"p90\": %lld, \"p99\": %lld, "
		"\"interrupts\": %llu}\n",
		name, depth, r->seen, (long long)r->ns, (long long)r->cpu_ns,
		(unsigned long long)t->cycles, (unsigned long long)t->busy,
		(unsigned long long)t->instructions, (unsigned long long)t->flops,
		(unsigned long long)t->bytes, r->bad, quantile(r, 500), quantile(r, 900),
		quantile(r, 990), interrupts());
	fflush(out);
}

static void burn(unsigned long us, struct result *r)
{
	int64_t start = now(CLOCK_MONOTONIC);

	while (now(CLOCK_MONOTONIC) - start < (int64_t)us * 1000)
		;
	r->ns = now(CLOCK_MONOTONIC) - start;
}

static int obey(struct bench *b, const char *line, FILE *out)
{
	const struct load *load;
	struct result r = { 0 };
	unsigned long count;
	unsigned int depth;
	char name[32];
	int rc;

	if (sscanf(line, "%31s %lu %u", name, &count, &depth) != 3 || !count || count > COUNT_MAX ||
	    !depth || depth > DEPTH_MAX) {
		fprintf(stderr, "tessera-bench: bad order: %s", line);
		return -1;
	}
	if (!strcmp(name, "cpu")) {
		burn(count, &r);
		answer(out, name, depth, &r);
		return 0;
	}
	load = load_get(b, name);
	if (!load)
		return -1;
	r.latency = calloc(count, sizeof(*r.latency));
	if (!r.latency)
		return -1;
	rc = run(b, load, count, depth, &r);
	if (!rc)
		answer(out, name, depth, &r);
	free(r.latency);
	return rc;
}

/* Everything runs on the first compute slice: there is one in each machine */
static int choose_slice(struct bench *b)
{
	struct tess_slice_info slice;
	struct tess_info info;

	if (tess_get_info(b->dev, &info))
		return -1;
	for (unsigned int i = 0; i < info.slice_count; i++) {
		if (tess_get_slice(b->dev, i, &slice) || !slice.available ||
		    slice.kind != TESS_KIND_COMPUTE)
			continue;
		b->slice = i;
		b->cores = slice.cores;
		return 0;
	}
	return -1;
}

static int serve(struct bench *b, FILE *in, FILE *out, bool *again)
{
	char line[128];

	fprintf(out, "{\"slice\": %u, \"cores\": %u}\n", b->slice, b->cores);
	fflush(out);
	while (fgets(line, sizeof(line), in) && strcmp(line, "quit\n")) {
		*again = !strcmp(line, "again\n");
		if (*again)
			break;
		if (!obey(b, line, out))
			continue;
		fprintf(out, "{\"error\": \"see the messages of the machine\"}\n");
		fflush(out);
		return 1;
	}
	return 0;
}

/* Streams of a port; two descriptors, for it can't be repositioned */
static int open_port(const char *path, FILE **in, FILE **out)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	*in = fd < 0 ? NULL : fdopen(fd, "r");
	*out = fd < 0 ? NULL : fdopen(fcntl(fd, F_DUPFD_CLOEXEC, 0), "w");
	return *in && *out ? 0 : -1;
}

int main(int argc, char **argv)
{
	FILE *in = stdin, *out = stdout;
	struct bench b = { 0 };
	bool again = false;
	int status;

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: tessera-bench KERNELS EXAMPLES [FILE]\n");
		return 2;
	}
	b.kernels = argv[1];
	b.examples = argv[2];
	if (argc > 3 && open_port(argv[3], &in, &out)) {
		fprintf(stderr, "tessera-bench: %s: %s\n", argv[3], strerror(errno));
		return 1;
	}
	if (tess_open(NULL, &b.dev)) {
		fprintf(stderr, "tessera-bench: %s\n", tess_strerror(NULL));
		return 1;
	}
	if (choose_slice(&b)) {
		fprintf(stderr, "tessera-bench: the GPU has no compute slice\n");
		return 1;
	}
	status = serve(&b, in, out, &again);
	tess_close(b.dev);
	if (!again)
		return status;
	execv("/proc/self/exe", argv);
	fprintf(stderr, "tessera-bench: exec: %s\n", strerror(errno));
	return 1;
}
