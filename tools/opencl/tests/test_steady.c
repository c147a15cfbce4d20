// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernels for a minute after the first one, every result verified: test_steady [SECONDS]. It says
 * when the first one was right; something else changes the vGPU, or ends the server, meanwhile.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cl.h"
#include "tap.h"

#define ITEMS 16384

static struct cl c;

static const char source[] = "kernel void turn(global uint *p, uint rounds)\n"
			     "{\n"
			     "	uint x = p[get_global_id(0)];\n"
			     "	for (uint i = 0; i < rounds; i++)\n"
			     "		x = x * 1664525 + 1013904223 + get_global_id(0);\n"
			     "	p[get_global_id(0)] = x;\n"
			     "}\n";

static cl_uint turn(cl_uint x, cl_uint id, cl_uint rounds)
{
	while (rounds--)
		x = x * 1664525 + 1013904223 + id;
	return x;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = 0, duration = argc > 1 ? atof(argv[1]) : 60;
	cl_uint *want = calloc(ITEMS, 4), *got = calloc(ITEMS, 4);
	unsigned int launches = 0, failed = 0, wrong = 0;
	const cl_uint rounds = 64;
	cl_kernel kernel;
	cl_mem mem;

	cl_start(&c);
	kernel = cl_kernel_of(&c, source, "turn");
	mem = cl_buffer(&c, ITEMS * 4, NULL);
	cl_arg_mem(kernel, 0, mem);
	cl_arg(kernel, 1, sizeof(rounds), &rounds);
	do {
		cl_uint i;

		failed += cl_run(&c, kernel, ITEMS, 64) != CL_SUCCESS;
		launches++;
		cl_get(&c, mem, got, ITEMS * 4);
		for (i = 0; i < ITEMS; i++) {
			want[i] = turn(want[i], i, rounds);
			wrong += got[i] != want[i];
		}
		if (launches > 1)
			continue;
		/* Compiling it took as long as it takes here. */
		end = seconds() + duration;
		if (!failed && !wrong) {
			printf("# computes\n");
			fflush(stdout);
		}
	} while (seconds() < end);
	ok(launches && !failed && !wrong, "%u launches: %u failed, %u values are wrong", launches,
	   failed, wrong);
	clReleaseMemObject(mem);
	cl_done(kernel);
	cl_stop(&c);
	free(want);
	free(got);
	return done();
}
