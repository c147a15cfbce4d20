// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernels compute what they should, whatever the shape of grid, groups and arguments. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cl.h"
#include "tap.h"

static struct cl c;

static const char add_source[] = "kernel void add(global const float *a, global const float *b,\n"
				 "                global float *sum)\n"
				 "{\n"
				 "	size_t i = get_global_id(0);\n"
				 "	sum[i] = a[i] + b[i];\n"
				 "}\n";

static void add(cl_kernel kernel, size_t items, size_t group)
{
	float *a = calloc(items, 4), *b = calloc(items, 4), *sum = calloc(items, 4);
	cl_mem ma, mb, ms;
	size_t i, wrong = 0;
	cl_int err;

	for (i = 0; i < items; i++) {
		a[i] = (float)i;
		b[i] = 0.5f;
	}
	ma = cl_buffer(&c, items * 4, a);
	mb = cl_buffer(&c, items * 4, b);
	ms = cl_buffer(&c, items * 4, NULL);
	cl_arg_mem(kernel, 0, ma);
	cl_arg_mem(kernel, 1, mb);
	cl_arg_mem(kernel, 2, ms);
	err = cl_run(&c, kernel, items, group);
	cl_get(&c, ms, sum, items * 4);
	for (i = 0; i < items; i++)
		wrong += sum[i] != (float)i + 0.5f;
	ok(!err && !wrong, "%zu sums in groups of %zu: %zu wrong", items, group, wrong);
	clReleaseMemObject(ma);
	clReleaseMemObject(mb);
	clReleaseMemObject(ms);
	free(a);
	free(b);
	free(sum);
}

static void test_add(void)
{
	cl_kernel kernel = cl_kernel_of(&c, add_source, "add");

	add(kernel, 1, 1);
	add(kernel, 1024, 64);
	add(kernel, 1000, 0);
	add(kernel, 4096, 1024);
	add(kernel, 65536, 16);
	cl_done(kernel);
}

static const char ids_source[] =
	"kernel void ids(global uint *out)\n"
	"{\n"
	"	size_t w = get_global_size(0), h = get_global_size(1);\n"
	"	size_t x = get_global_id(0) - get_global_offset(0);\n"
	"	size_t y = get_global_id(1) - get_global_offset(1);\n"
	"	size_t z = get_global_id(2) - get_global_offset(2);\n"
	"	size_t lx = get_group_id(0) * get_local_size(0) + get_local_id(0);\n"
	"	size_t ly = get_group_id(1) * get_local_size(1) + get_local_id(1);\n"
	"	size_t lz = get_group_id(2) * get_local_size(2) + get_local_id(2);\n"
	"	uint good = lx == x && ly == y && lz == z && get_work_dim() == 3 &&\n"
	"		    get_num_groups(0) * get_local_size(0) == w;\n"
	"	out[(z * h + y) * w + x] += good ? (uint)get_global_id(0) + 1 : 0;\n"
	"}\n";

static void test_ids(void)
{
	const size_t offset[3] = { 7, 0, 3 }, size[3] = { 24, 10, 6 }, group[3] = { 4, 5, 2 };
	const size_t items = size[0] * size[1] * size[2];
	cl_kernel kernel = cl_kernel_of(&c, ids_source, "ids");
	cl_mem mem = cl_buffer(&c, items * 4, NULL);
	cl_uint *out = calloc(items, 4);
	size_t i, wrong = 0;

	cl_arg_mem(kernel, 0, mem);
	cl_must(clEnqueueNDRangeKernel(c.queue, kernel, 3, offset, size, group, 0, NULL, NULL),
		"clEnqueueNDRangeKernel");
	cl_get(&c, mem, out, items * 4);
	for (i = 0; i < items; i++)
		wrong += out[i] != i % size[0] + offset[0] + 1;
	ok(!wrong, "ids in three dimensions, with offsets: %zu wrong", wrong);
	clReleaseMemObject(mem);
	cl_done(kernel);
	free(out);
}

static const char reduce_source[] =
	"kernel void reduce(global const uint *in, global uint *out, local uint *tmp)\n"
	"{\n"
	"	local uint total;\n"
	"	size_t l = get_local_id(0), n = get_local_size(0);\n"
	"	tmp[l] = in[get_global_id(0)];\n"
	"	if (!l)\n"
	"		total = 0;\n"
	"	for (size_t s = n / 2; s; s /= 2) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		if (l < s)\n"
	"			tmp[l] += tmp[l + s];\n"
	"	}\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	atomic_add(&total, 1);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	if (!l) {\n"
	"		atomic_add(out, tmp[0]);\n"
	"		atomic_add(out + 1, total);\n"
	"	}\n"
	"}\n";

/* Local memory of both sorts, barriers, atomics of groups and of all */
static void test_local(void)
{
	enum { ITEMS = 8192, GROUP = 128 };
	cl_kernel kernel = cl_kernel_of(&c, reduce_source, "reduce");
	cl_uint *in = malloc(ITEMS * 4), out[2] = { 0 }, sum = 0, i;
	cl_mem min, mout;
	cl_int err;

	for (i = 0; i < ITEMS; i++) {
		in[i] = i * 2654435761u;
		sum += in[i];
	}
	min = cl_buffer(&c, ITEMS * 4, in);
	mout = cl_buffer(&c, sizeof(out), NULL);
	cl_arg_mem(kernel, 0, min);
	cl_arg_mem(kernel, 1, mout);
	cl_arg(kernel, 2, GROUP * 4, NULL);
	err = cl_run(&c, kernel, ITEMS, GROUP);
	cl_get(&c, mout, out, sizeof(out));
	ok(!err && out[0] == sum && out[1] == ITEMS, "a sum by halves in local memory: %u", out[0]);
	cl_arg(kernel, 2, 65537, NULL);
	ok(cl_run(&c, kernel, ITEMS, GROUP) < 0, "more local memory than there is");
	clReleaseMemObject(min);
	clReleaseMemObject(mout);
	cl_done(kernel);
	free(in);
}

static const char args_source[] =
	"struct pair { char c; double d; };\n"
	"kernel void args(char a, float3 v, struct pair p, long b, global double *out, uchar16 u,\n"
	"                 constant int *k)\n"
	"{\n"
	"	out[0] = a;\n"
	"	out[1] = v.x + v.y * 10 + v.z * 100;\n"
	"	out[2] = p.c + p.d;\n"
	"	out[3] = b;\n"
	"	out[4] = u.s0 + u.sf * 256;\n"
	"	out[5] = k[2];\n"
	"}\n";

static void test_args(void)
{
	cl_kernel kernel = cl_kernel_of(&c, args_source, "args");
	const struct {
		cl_char c;
		cl_double d;
	} pair = { 3, 0.25 };
	const cl_int k[3] = { 0, 0, -77 };
	const cl_float3 v = { { 1, 2, 3 } };
	const cl_uchar16 u = { { 5, [15] = 9 } };
	const cl_char a = -4;
	const cl_long b = 1l << 40;
	const double want[6] = { -4, 321, 3.25, (double)(1l << 40), 5 + 9 * 256, -77 };
	cl_mem out = cl_buffer(&c, sizeof(want), NULL), mk = cl_buffer(&c, sizeof(k), k);
	double got[6] = { 0 };
	cl_int err;

	cl_arg(kernel, 0, sizeof(a), &a);
	cl_arg(kernel, 1, sizeof(v), &v);
	cl_arg(kernel, 2, sizeof(pair), &pair);
	cl_arg(kernel, 3, sizeof(b), &b);
	cl_arg_mem(kernel, 4, out);
	cl_arg(kernel, 5, sizeof(u), &u);
	cl_arg_mem(kernel, 6, mk);
	err = cl_run(&c, kernel, 1, 1);
	cl_get(&c, out, got, sizeof(got));
	ok(!err && !memcmp(got, want, sizeof(want)), "arguments of all sizes: %g %g %g %g %g %g",
	   got[0], got[1], got[2], got[3], got[4], got[5]);
	clReleaseMemObject(out);
	clReleaseMemObject(mk);
	cl_done(kernel);
}

/* What follows a vector of three is where one of four would end. */
static const char threes_source[] =
	"kernel void threes(long3 v, global long *out, char3 c, char d)\n"
	"{\n"
	"	out[0] = v.x + v.y * 10 + v.z * 100;\n"
	"	out[1] = c.x + c.y * 10 + c.z * 100 + d * 1000;\n"
	"}\n";

static void test_threes(void)
{
	cl_kernel kernel = cl_kernel_of(&c, threes_source, "threes");
	const cl_long3 v = { { 1, 2, 3, 9 } };
	const cl_char3 small = { { 4, 5, 6, 9 } };
	const cl_char d = 7;
	cl_mem out = cl_buffer(&c, 2 * sizeof(cl_long), NULL);
	cl_long got[2] = { 0 };
	cl_int err;

	cl_arg(kernel, 0, sizeof(v), &v);
	cl_arg_mem(kernel, 1, out);
	cl_arg(kernel, 2, sizeof(small), &small);
	cl_arg(kernel, 3, sizeof(d), &d);
	err = cl_run(&c, kernel, 1, 1);
	cl_get(&c, out, got, sizeof(got));
	ok(!err && got[0] == 321 && got[1] == 7654, "vectors of three as arguments: %ld %ld",
	   (long)got[0], (long)got[1]);
	clReleaseMemObject(out);
	cl_done(kernel);
}

static const char math_source[] =
	"kernel void math(global double *out, float x)\n"
	"{\n"
	"	out[0] = sin(x) + sqrt((double)x) + pow(x, 3.5f);\n"
	"	out[1] = fma((double)x, 2.0, 1.0) + native_exp(x) + log2(x);\n"
	"	out[2] = convert_double(rint(x * 4.3f)) + popcount(0xff00u);\n"
	"	out[3] = dot((float4)(x, 2, 3, 4), (float4)(1, 2, 3, 4));\n"
	"	out[4] = mul_hi(1 << 30, 64) + clz(1u) + rotate(0x80000001u, 1u);\n"
	"}\n";

static void test_math(void)
{
	cl_kernel kernel = cl_kernel_of(&c, math_source, "math");
	cl_mem out = cl_buffer(&c, 40, NULL);
	const float x = 1.75f;
	const double want[5] = {
		sin(x) + sqrt(x) + pow(x, 3.5),
		fma(x, 2.0, 1.0) + exp(x) + log2(x),
		rint(x * 4.3) + 8,
		x + 4 + 9 + 16,
		16 + 31 + 3,
	};
	double got[5] = { 0 };
	unsigned int i;
	cl_int err;

	cl_arg_mem(kernel, 0, out);
	cl_arg(kernel, 1, sizeof(x), &x);
	err = cl_run(&c, kernel, 1, 1);
	cl_get(&c, out, got, sizeof(got));
	for (i = 0; i < 5; i++)
		ok(!err && fabs(got[i] - want[i]) < 1e-5,
		   "builtin functions %u: %.7f, on a CPU "
		   "%.7f",
		   i, got[i], want[i]);
	clReleaseMemObject(out);
	cl_done(kernel);
}

static const char private_source[] = "kernel void churn(global uint *out, uint rounds)\n"
				     "{\n"
				     "	uint a[64];\n"
				     "	for (uint i = 0; i < 64; i++)\n"
				     "		a[i] = get_global_id(0) + i;\n"
				     "	for (uint r = 0; r < rounds; r++) {\n"
				     "		barrier(CLK_GLOBAL_MEM_FENCE);\n"
				     "		for (uint i = 0; i < 64; i++)\n"
				     "			a[i] = a[i] * 3 + a[(i + r) % 64];\n"
				     "	}\n"
				     "	uint sum = 0;\n"
				     "	for (uint i = 0; i < 64; i++)\n"
				     "		sum += a[i];\n"
				     "	out[get_global_id(0)] = sum;\n"
				     "}\n";

static cl_uint churn(cl_uint id, cl_uint rounds)
{
	cl_uint a[64], i, r, sum = 0;

	for (i = 0; i < 64; i++)
		a[i] = id + i;
	for (r = 0; r < rounds; r++) {
		for (i = 0; i < 64; i++)
			a[i] = a[i] * 3 + a[(i + r) % 64];
	}
	for (i = 0; i < 64; i++)
		sum += a[i];
	return sum;
}

/* 256 bytes of each work-item live across barriers: the stack must be large enough. */
static void test_private(void)
{
	enum { ITEMS = 2048, GROUP = 512 };
	cl_kernel kernel = cl_kernel_of(&c, private_source, "churn");
	cl_mem out = cl_buffer(&c, ITEMS * 4, NULL);
	cl_uint *got = calloc(ITEMS, 4), i, wrong = 0;
	const cl_uint rounds = 5;
	cl_int err;

	cl_arg_mem(kernel, 0, out);
	cl_arg(kernel, 1, sizeof(rounds), &rounds);
	err = cl_run(&c, kernel, ITEMS, GROUP);
	cl_get(&c, out, got, ITEMS * 4);
	for (i = 0; i < ITEMS; i++)
		wrong += got[i] != churn(i, rounds);
	ok(!err && !wrong, "private arrays across barriers: %u wrong", wrong);
	clReleaseMemObject(out);
	cl_done(kernel);
	free(got);
}

int main(void)
{
	cl_start(&c);
	test_add();
	test_ids();
	test_local();
	test_args();
	test_threes();
	test_math();
	test_private();
	cl_stop(&c);
	return done();
}
