// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs as binaries, what they print, and parts of the device. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cl.h"
#include "tap.h"

static struct cl c;

static const char square_source[] = "constant int bias[4] = { 1, 2, 3, 4 };\n"
				    "kernel void square(global int *p)\n"
				    "{\n"
				    "	int i = get_global_id(0);\n"
				    "	p[i] = i * i + bias[i % 4];\n"
				    "}\n";

static unsigned int wrong_squares(cl_program program)
{
	enum { ITEMS = 300 };
	cl_kernel kernel = clCreateKernel(program, "square", NULL);
	cl_mem mem = cl_buffer(&c, ITEMS * 4, NULL);
	cl_int got[ITEMS];
	unsigned int i, wrong = 0;

	cl_arg_mem(kernel, 0, mem);
	cl_must(cl_run(&c, kernel, ITEMS, 30), "square");
	cl_get(&c, mem, got, sizeof(got));
	for (i = 0; i < ITEMS; i++)
		wrong += got[i] != (int)(i * i + i % 4 + 1);
	clReleaseMemObject(mem);
	clReleaseKernel(kernel);
	return wrong;
}

static void test_binary(void)
{
	cl_program program = cl_build(&c, square_source, NULL), again;
	const unsigned char *loaded;
	unsigned char *binary;
	size_t size = 0;
	cl_int err, status = -1;

	ok(!wrong_squares(program), "a program from source");
	clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL);
	binary = calloc(1, size + 1);
	err = clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL);
	ok(!err && size, "its binary has %zu bytes", size);
	clReleaseProgram(program);
	loaded = binary;
	again = clCreateProgramWithBinary(c.context, 1, &c.device, &size, &loaded, &status, &err);
	ok(!err && !status && !clBuildProgram(again, 1, &c.device, NULL, NULL, NULL) &&
		   !wrong_squares(again),
	   "a program from the binary");
	clReleaseProgram(again);
	memset(binary, 0x5a, size / 2);
	again = clCreateProgramWithBinary(c.context, 1, &c.device, &size, &loaded, &status, &err);
	ok(!again && err == CL_INVALID_BINARY, "nothing is made of a damaged one");
	free(binary);
}

static const char print_source[] =
	"kernel void say(int n)\n"
	"{\n"
	"	printf(\"item %d of %d: %4.2f %s %v4hld\\n\", (int)get_global_id(0), n, 1.5f, \"and\",\n"
	"	       (int4)(1, 2, 3, 4));\n"
	"}\n";

/* Each line is whole, though all work-groups print at the same time. */
static void test_print(void)
{
	enum { ITEMS = 200 };
	static char text[65536], want[64];
	cl_kernel kernel = cl_kernel_of(&c, print_source, "say");
	const cl_int n = ITEMS;
	FILE *f = tmpfile();
	int out = dup(1), i, found = 0;
	size_t size;
	cl_int err;

	cl_arg(kernel, 0, sizeof(n), &n);
	fflush(stdout);
	dup2(fileno(f), 1);
	err = cl_run(&c, kernel, ITEMS, 4);
	fflush(stdout);
	dup2(out, 1);
	close(out);
	rewind(f);
	size = fread(text, 1, sizeof(text) - 1, f);
	text[size] = 0;
	fclose(f);
	for (i = 0; i < ITEMS; i++) {
		snprintf(want, sizeof(want), "item %d of %d: 1.50 and 1,2,3,4\n", i, n);
		found += strstr(text, want) != NULL;
	}
	ok(!err && found == ITEMS, "%d of %d lines are printed, %zu bytes", found, ITEMS, size);
	cl_done(kernel);
}

/* Half of the shader cores each */
static void test_parts(void)
{
	cl_uint units = 0, n = 0, i, part_units = 0;
	cl_device_partition_property props[3] = { CL_DEVICE_PARTITION_EQUALLY, 0, 0 };
	cl_device_id parts[16], whole = c.device;
	struct cl sub = c;

	clGetDeviceInfo(whole, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL);
	if (units < 2) {
		skip("one shader core cannot be divided");
		return;
	}
	props[1] = units / 2;
	cl_must(clCreateSubDevices(whole, props, 16, parts, &n), "clCreateSubDevices");
	ok(n == units / (units / 2), "%u devices of %u of %u units", n, units / 2, units);
	for (i = 0; i < n && i < 2; i++) {
		cl_program program;
		cl_int err;

		clGetDeviceInfo(parts[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(part_units),
				&part_units, NULL);
		sub.device = parts[i];
		sub.context = clCreateContext(NULL, 1, &parts[i], NULL, NULL, &err);
		cl_must(err, "clCreateContext");
		sub.queue = clCreateCommandQueueWithProperties(sub.context, parts[i], NULL, &err);
		cl_must(err, "clCreateCommandQueueWithProperties");
		program = cl_build(&sub, square_source, NULL);
		c = sub;
		ok(part_units == units / 2 && !wrong_squares(program), "part %u computes", i);
		clReleaseProgram(program);
		cl_stop(&sub);
		clReleaseDevice(parts[i]);
	}
}

int main(void)
{
	cl_start(&c);
	test_binary();
	test_print();
	test_parts();
	return done();
}
