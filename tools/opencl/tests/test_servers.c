// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One program on the devices of two servers (scripts/remote run --server … --server …), in one
 * context: test_servers [COMMAND]. COMMAND, for a shell, kills the server of the second device; it runs at
 * the end.
 */
#include <stdlib.h>
#include <string.h>

#include "cl.h"
#include "tap.h"

#define ITEMS 16384
#define BYTES (ITEMS * sizeof(cl_uint))
#define TURNS 6
#define MANY 16

static const char source[] = "kernel void turn(global uint *p, uint rounds)\n"
			     "{\n"
			     "	uint x = p[get_global_id(0)];\n"
			     "	for (uint i = 0; i < rounds; i++)\n"
			     "		x = x * 1664525 + 1013904223 + get_global_id(0);\n"
			     "	p[get_global_id(0)] = x;\n"
			     "}\n";
static const cl_uint rounds = 16;

/* Each server's device as struct cl, of one context, with a kernel of one program. */
static struct cl at[2];
static cl_kernel kernel;

static void start(void)
{
	cl_device_id devices[2];
	cl_program program;
	const char *text = source;
	cl_uint n = 0, i;
	cl_int err;

	cl_must(clGetPlatformIDs(1, &at[0].platform, NULL), "clGetPlatformIDs");
	clGetDeviceIDs(at[0].platform, CL_DEVICE_TYPE_GPU, 2, devices, &n);
	ok(n == 2, "%u devices, want one of each server", n);
	if (n != 2)
		exit(done());
	at[0].context = clCreateContext(NULL, 2, devices, NULL, NULL, &err);
	cl_must(err, "clCreateContext");
	for (i = 0; i < 2; i++) {
		at[i].context = at[0].context;
		at[i].device = devices[i];
		at[i].queue =
			clCreateCommandQueueWithProperties(at[0].context, devices[i], NULL, &err);
		cl_must(err, "clCreateCommandQueueWithProperties");
	}
	program = clCreateProgramWithSource(at[0].context, 1, &text, NULL, &err);
	cl_must(err, "clCreateProgramWithSource");
	cl_must(clBuildProgram(program, 2, devices, NULL, NULL, NULL), "clBuildProgram");
	kernel = clCreateKernel(program, "turn", &err);
	cl_must(err, "clCreateKernel");
	cl_arg(kernel, 1, sizeof(rounds), &rounds);
}

static void stop(void)
{
	cl_done(kernel);
	clReleaseCommandQueue(at[1].queue);
	clReleaseCommandQueue(at[0].queue);
	clReleaseContext(at[0].context);
}

static void turn(cl_uint *values, unsigned int times)
{
	cl_uint i, k;

	for (i = 0; i < ITEMS; i++)
		for (k = 0; k < rounds * times; k++)
			values[i] = values[i] * 1664525 + 1013904223 + i;
}

/* A launch on one of the servers; @event is that of this command. */
static cl_int launch(unsigned int server, cl_mem mem, const cl_event *after, cl_event *event)
{
	const size_t items = ITEMS, group = 64;

	cl_arg_mem(kernel, 0, mem);
	return clEnqueueNDRangeKernel(at[server].queue, kernel, 1, NULL, &items, &group, !!after,
				      after, event);
}

static unsigned int wrong(unsigned int server, cl_mem mem, unsigned int turns)
{
	static cl_uint want[ITEMS], got[ITEMS];
	unsigned int n = 0, i;

	memset(want, 0, sizeof(want));
	turn(want, turns);
	cl_get(&at[server], mem, got, BYTES);
	for (i = 0; i < ITEMS; i++)
		n += got[i] != want[i];
	return n;
}

/* The next command, of the other server, waits for the one before and finds what that wrote. */
static void test_wander(void)
{
	cl_mem mem = cl_buffer(&at[0], BYTES, NULL);
	cl_event before = NULL, event;
	unsigned int i, bad;

	for (i = 0; i < TURNS; i++) {
		cl_must(launch(i & 1, mem, before ? &before : NULL, &event), "launch");
		if (before)
			clReleaseEvent(before);
		before = event;
	}
	ok(cl_status(before) == CL_COMPLETE, "%u kernels, on one server and the other", TURNS);
	clReleaseEvent(before);
	bad = wrong(0, mem, TURNS);
	ok(!bad, "a buffer that both wrote in turn: %u values are wrong", bad);
	clReleaseMemObject(mem);
}

/* Kernels are in progress at both. */
static void test_both(void)
{
	cl_mem mem[2] = { cl_buffer(&at[0], BYTES, NULL), cl_buffer(&at[1], BYTES, NULL) };
	unsigned int i, bad;

	for (i = 0; i < 2 * MANY; i++)
		cl_must(launch(i & 1, mem[i & 1], NULL, NULL), "launch");
	cl_must(clFlush(at[0].queue), "clFlush");
	cl_must(clFlush(at[1].queue), "clFlush");
	for (i = 0; i < 2; i++) {
		bad = wrong(i, mem[i], MANY);
		ok(!bad, "server %u, beside the other one: %u values are wrong", i, bad);
		clReleaseMemObject(mem[i]);
	}
}

/* A launch after the other on a server, until there is an error. */
static cl_int launch_until(unsigned int server, cl_mem mem)
{
	cl_event event;
	cl_int err;

	do {
		err = launch(server, mem, NULL, &event);
		if (!err) {
			err = cl_status(event);
			clReleaseEvent(event);
		}
	} while (err == CL_COMPLETE);
	return err;
}

/*
 * One server is lost, and the other one with it, as it cannot know what commands there did for those
 * of its own: errors, and no end of waiting.
 */
static void test_lost(const char *command)
{
	cl_mem mem[2] = { cl_buffer(&at[0], BYTES, NULL), cl_buffer(&at[1], BYTES, NULL) };
	const cl_uint long_time = 4096;
	cl_event events[2];
	unsigned int i;
	cl_int err;

	cl_must(launch(1, mem[1], NULL, &events[0]), "launch");
	ok(cl_status(events[0]) == CL_COMPLETE, "the second server works");
	clReleaseEvent(events[0]);
	cl_arg(kernel, 1, sizeof(long_time), &long_time);
	for (i = 1; i < MANY; i++)
		cl_must(launch(1, mem[1], NULL, NULL), "launch");
	cl_must(launch(1, mem[1], NULL, &events[1]), "launch");
	cl_arg(kernel, 1, sizeof(rounds), &rounds);
	cl_must(launch(0, mem[0], &events[1], &events[0]), "launch");
	cl_must(clFlush(at[1].queue), "clFlush");
	cl_must(clFlush(at[0].queue), "clFlush");
	ok(!system(command), "and is killed in the middle of a kernel");
	err = cl_status(events[1]);
	ok(err < 0, "its last command fails: %d", err);
	err = cl_status(events[0]);
	ok(err < 0, "so does one of the first server that waits for it: %d", err);
	clReleaseEvent(events[0]);
	clReleaseEvent(events[1]);
	err = launch_until(1, mem[1]);
	ok(err < 0, "and what comes later: %d", err);
	err = launch_until(0, mem[0]);
	ok(err < 0, "and the first one is lost, too: %d", err);
	clReleaseMemObject(mem[0]);
	clReleaseMemObject(mem[1]);
}

int main(int argc, char **argv)
{
	start();
	test_wander();
	test_both();
	if (argc > 1)
		test_lost(argv[1]);
	stop();
	return done();
}
