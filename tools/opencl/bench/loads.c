// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Loads
 *
 * The same work on every device, with results that are verified. Programs are compiled and buffers
 * made once: what is measured is a command in the steady state.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static cl_int enqueue(struct bench *b, cl_kernel kernel, cl_uint dims, size_t items, size_t group,
		      cl_event *event)
{
	const size_t global[2] = { items, items }, local[2] = { group, group };

	return clEnqueueNDRangeKernel(b->cl.queue, kernel, dims, NULL, global, local, 0, NULL,
				      event);
}

/* ---- nothing but one more ----------------------------------------------------- */

static const char launch_source[] = "kernel void one_more(global uint *p)\n"
				    "{\n"
				    "	p[0]++;\n"
				    "}\n";
static cl_kernel launch_kernel;
static cl_mem launch_word;
static cl_uint launched;

static void launch_setup(struct bench *b)
{
	launch_kernel = cl_kernel_of(&b->cl, launch_source, "one_more");
	launch_word = cl_buffer(&b->cl, sizeof(launched), NULL);
	cl_arg_mem(launch_kernel, 0, launch_word);
}

static cl_int launch_start(struct bench *b, cl_event *event)
{
	launched++;
	return enqueue(b, launch_kernel, 1, 1, 1, event);
}

/* How many did not run, or ran twice, since the program started; the queue is in order */
static unsigned long launch_check(struct bench *b)
{
	cl_uint word = 0;

	cl_get(&b->cl, launch_word, &word, sizeof(word));
	return (unsigned long)labs((long)launched - (long)word);
}

/* ---- a million instructions ---------------------------------------------------- */

#define WORK_ITEMS 16
/* Four instructions each: 16 x 15,625 x 4 is a million */
#define WORK_ROUNDS 15625u

static const char work_source[] = "kernel void work(global uint *p, uint rounds)\n"
				  "{\n"
				  "	uint x = get_global_id(0);\n"
				  "	while (rounds--)\n"
				  "		x = x * 1664525 + 1013904223;\n"
				  "	p[get_global_id(0)] = x;\n"
				  "}\n";
static cl_kernel work_kernel;
static cl_mem work_words;

static void work_setup(struct bench *b)
{
	const cl_uint rounds = WORK_ROUNDS;

	work_kernel = cl_kernel_of(&b->cl, work_source, "work");
	work_words = cl_buffer(&b->cl, WORK_ITEMS * sizeof(cl_uint), NULL);
	cl_arg_mem(work_kernel, 0, work_words);
	cl_arg(work_kernel, 1, sizeof(rounds), &rounds);
}

static cl_int work_start(struct bench *b, cl_event *event)
{
	return enqueue(b, work_kernel, 1, WORK_ITEMS, WORK_ITEMS, event);
}

static unsigned long work_check(struct bench *b)
{
	cl_uint got[WORK_ITEMS], i, n, x;
	unsigned long bad = 0;

	cl_get(&b->cl, work_words, got, sizeof(got));
	for (i = 0; i < WORK_ITEMS; i++) {
		for (x = i, n = 0; n < WORK_ROUNDS; n++)
			x = x * 1664525 + 1013904223;
		bad += got[i] != x;
	}
	return bad;
}

/* ---- transfers: to the device, and verified by reading back ---------------------- */

/**
 * struct copy - a transfer
 * @mem: buffer of the device
 * @data: what is written; the first word says how often
 * @size: bytes
 */
struct copy {
	cl_mem mem;
	cl_uint *data;
	size_t size;
};

static struct copy copy_small = { .size = 64 << 10 }, copy_large = { .size = 4 << 20 };

static void copy_setup(struct bench *b, struct copy *c)
{
	size_t i;

	c->data = calloc(1, c->size);
	c->mem = cl_buffer(&b->cl, c->size, NULL);
	if (!c->data)
		abort();
	for (i = 1; i < c->size / sizeof(*c->data); i++)
		c->data[i] = (cl_uint)i * 2654435761u;
}

static cl_int copy_start(struct bench *b, struct copy *c, cl_event *event)
{
	return clEnqueueWriteBuffer(b->cl.queue, c->mem, CL_FALSE, 0, c->size, c->data, 0, NULL,
				    event);
}

static unsigned long copy_check(struct bench *b, struct copy *c)
{
	cl_uint *got = calloc(1, c->size);
	unsigned long bad;

	if (!got)
		abort();
	cl_get(&b->cl, c->mem, got, c->size);
	bad = memcmp(got, c->data, c->size) != 0;
	free(got);
	/* The next ones write something else */
	c->data[0]++;
	return bad;
}

static void small_setup(struct bench *b)
{
	copy_setup(b, &copy_small);
}

static cl_int small_start(struct bench *b, cl_event *event)
{
	return copy_start(b, &copy_small, event);
}

static unsigned long small_check(struct bench *b)
{
	return copy_check(b, &copy_small);
}

static void large_setup(struct bench *b)
{
	copy_setup(b, &copy_large);
}

static cl_int large_start(struct bench *b, cl_event *event)
{
	return copy_start(b, &copy_large, event);
}

static unsigned long large_check(struct bench *b)
{
	return copy_check(b, &copy_large);
}

/* ---- SGEMM, as tessera-bench and examples/sgemm_kernel.c do it ----------------------------------- */

#define SGEMM_N 64
#define SGEMM_TILE 16

static const char sgemm_source[] =
	"kernel void sgemm(global const float *a, global const float *b, global float *c, uint n)\n"
	"{\n"
	"	local float ta[16][16], tb[16][16];\n"
	"	uint x = get_local_id(0), y = get_local_id(1);\n"
	"	uint column = get_global_id(0), row = get_global_id(1);\n"
	"	float sum = 0.0f;\n"
	"	for (uint k = 0; k < n; k += 16) {\n"
	"		ta[y][x] = a[row * n + k + x];\n"
	"		tb[y][x] = b[(k + y) * n + column];\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		for (uint i = 0; i < 16; i++)\n"
	"			sum = fma(ta[y][i], tb[i][x], sum);\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	}\n"
	"	c[row * n + column] = sum;\n"
	"}\n";
static cl_kernel sgemm_kernel;
static cl_mem sgemm_mem[3];
static float sgemm_data[2][SGEMM_N * SGEMM_N];

static void sgemm_setup(struct bench *b)
{
	const cl_uint n = SGEMM_N;
	cl_uint i;

	for (i = 0; i < SGEMM_N * SGEMM_N; i++) {
		sgemm_data[0][i] = (float)(i % 251) / 256.0f - 0.5f;
		sgemm_data[1][i] = (float)(i % 239) / 256.0f - 0.5f;
	}
	sgemm_kernel = cl_kernel_of(&b->cl, sgemm_source, "sgemm");
	for (i = 0; i < COUNT(sgemm_mem); i++) {
		sgemm_mem[i] =
			cl_buffer(&b->cl, sizeof(sgemm_data[0]), i < 2 ? sgemm_data[i] : NULL);
		cl_arg_mem(sgemm_kernel, i, sgemm_mem[i]);
	}
	cl_arg(sgemm_kernel, 3, sizeof(n), &n);
}

static cl_int sgemm_start(struct bench *b, cl_event *event)
{
	return enqueue(b, sgemm_kernel, 2, SGEMM_N, SGEMM_TILE, event);
}

static unsigned long sgemm_check(struct bench *b)
{
	static float got[SGEMM_N * SGEMM_N];
	unsigned long bad = 0;
	unsigned int row, col, k;

	cl_get(&b->cl, sgemm_mem[2], got, sizeof(got));
	for (row = 0; row < SGEMM_N; row++) {
		for (col = 0; col < SGEMM_N; col++) {
			float sum = 0.0f;

			for (k = 0; k < SGEMM_N; k++)
				sum = fmaf(sgemm_data[0][row * SGEMM_N + k],
					   sgemm_data[1][k * SGEMM_N + col], sum);
			bad += !(got[row * SGEMM_N + col] == sum);
		}
	}
	return bad;
}

/* ---- all of them ------------------------------------------------------------------ */

static struct load all_loads[] = {
	{ "launch", 0, launch_setup, launch_start, launch_check, false },
	{ "work", 0, work_setup, work_start, work_check, false },
	{ "copy_64k", 64 << 10, small_setup, small_start, small_check, false },
	{ "copy_4m", 4 << 20, large_setup, large_start, large_check, false },
	{ "sgemm", 0, sgemm_setup, sgemm_start, sgemm_check, false },
};

const struct load *load_get(struct bench *b, const char *name)
{
	unsigned int i;

	for (i = 0; i < COUNT(all_loads); i++) {
		struct load *l = &all_loads[i];

		if (strcmp(name, l->name))
			continue;
		if (!l->ready)
			l->setup(b);
		l->ready = true;
		return l;
	}
	return NULL;
}
