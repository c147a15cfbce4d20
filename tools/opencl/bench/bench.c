// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: opencl-bench
 *
 *	opencl-bench [FILE]
 *
 * The protocol of tessera-bench (tools/bench/gpu/bench.c) for an OpenCL program: reads orders
 * from FILE (a virtio port; else standard input), one a line,
 *
 *	LOAD COUNT DEPTH
 *
 * runs LOAD COUNT times with at most DEPTH in flight on the first Tessera GPU, its own or a
 * server's, and answers with a line of JSON: wall time, GPU time if the device has profiling, and
 * the number of wrong results. "again" has it start over, "quit" ends it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define DEPTH_MAX 64
#define COUNT_MAX 100000000
/* Shader cores of a slice of kind compute */
#define SLICE_CORES 8

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Of a command that is over; 0 if nobody measured it */
static cl_ulong gpu_ns(cl_event event)
{
	cl_ulong start = 0, end = 0;

	if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start,
				    NULL) ||
	    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL))
		return 0;
	return end - start;
}

static cl_ulong land(cl_event event)
{
	cl_ulong ns;

	cl_must(cl_status(event), "a command");
	ns = gpu_ns(event);
	clReleaseEvent(event);
	return ns;
}

static void run(struct bench *b, const struct load *load, unsigned long count, unsigned int depth,
		FILE *out)
{
	cl_event flights[DEPTH_MAX];
	long long start = now();
	unsigned long i, bad;
	cl_ulong gpu = 0;

	for (i = 0; i < count + depth; i++) {
		if (i >= depth && i - depth < count)
			gpu += land(flights[i % depth]);
		if (i >= count)
			continue;
		cl_must(load->start(b, &flights[i % depth]), load->name);
		clFlush(b->cl.queue);
	}
	start = now() - start;
	bad = load->check(b);
	fprintf(out,
		"{\"load\": \"%s\", \"depth\": %u, \"count\": %lu, \"ns\": %lld, \"gpu_ns\": %llu, "
		"\"bytes\": %lu, \"bad\": %lu}\n",
		load->name, depth, count, start, (unsigned long long)gpu, load->bytes * count, bad);
	fflush(out);
}

static int obey(struct bench *b, const char *line, FILE *out)
{
	const struct load *load;
	unsigned long count;
	unsigned int depth;
	char name[32];

	if (sscanf(line, "%31s %lu %u", name, &count, &depth) != 3 || !count || count > COUNT_MAX ||
	    !depth || depth > DEPTH_MAX) {
		fprintf(out, "{\"error\": \"bad order\"}\n");
		return -1;
	}
	load = load_get(b, name);
	if (!load) {
		fprintf(out, "{\"error\": \"no load of this name\"}\n");
		return -1;
	}
	run(b, load, count, depth, out);
	return 0;
}

/*
 * All loads run on the shader cores of one slice, the first of kind compute, as those of
 * tessera-bench do. The device of a server has no parts: it is used as a whole.
 */
static void narrow(struct cl *c)
{
	const cl_device_partition_property cores[] = { CL_DEVICE_PARTITION_BY_COUNTS, SLICE_CORES,
						       CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0 };
	const cl_queue_properties props[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 };
	cl_device_id part;
	cl_int err;

	if (clCreateSubDevices(c->device, cores, 1, &part, NULL))
		return;
	cl_stop(c);
	c->device = part;
	c->context = clCreateContext(NULL, 1, &part, NULL, NULL, &err);
	cl_must(err, "clCreateContext");
	c->queue = clCreateCommandQueueWithProperties(c->context, part, props, &err);
	cl_must(err, "clCreateCommandQueueWithProperties");
}

static void begin(struct bench *b, FILE *out)
{
	char name[128] = "";

	cl_start(&b->cl);
	narrow(&b->cl);
	clGetDeviceInfo(b->cl.device, CL_DEVICE_NAME, sizeof(name), name, NULL);
	fprintf(out, "{\"device\": \"%s\"}\n", name);
	fflush(out);
}

/* A virtio port is opened once, and cannot be repositioned: two streams of one descriptor */
static int open_port(const char *path, FILE **in, FILE **out)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	int other = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (other < 0)
		return -1;
	*in = fdopen(fd, "r");
	*out = fdopen(other, "w");
	return *in && *out ? 0 : -1;
}

int main(int argc, char **argv)
{
	FILE *in = stdin, *out = stdout;
	struct bench b = { 0 };
	char line[256];

	if (argc > 1 && open_port(argv[1], &in, &out)) {
		perror(argv[1]);
		return 1;
	}
	begin(&b, out);
	while (fgets(line, sizeof(line), in)) {
		if (!strcmp(line, "quit\n"))
			break;
		if (!strcmp(line, "again\n"))
			execv("/proc/self/exe", argv);
		if (obey(&b, line, out))
			return 1;
	}
	cl_stop(&b.cl);
	return 0;
}
