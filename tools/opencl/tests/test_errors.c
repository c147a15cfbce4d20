// SPDX-License-Identifier: GPL-2.0-or-later
/* What goes wrong is told as OpenCL tells it, and the next command works. */
#include <stdlib.h>
#include <string.h>

#include <tessera.h>

#include "cl.h"
#include "tap.h"

static struct cl c;

static void test_build(void)
{
	const char *source = "kernel void broken(global int *p) { p[0] = no_such_thing; }";
	const char *undefined = "void f(int); kernel void calls(int a) { f(a); }";
	cl_program program = clCreateProgramWithSource(c.context, 1, &source, NULL, NULL);
	char log[4096] = "";

	ok(clBuildProgram(program, 1, &c.device, NULL, NULL, NULL) == CL_BUILD_PROGRAM_FAILURE,
	   "a kernel that does not compile");
	clGetProgramBuildInfo(program, c.device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
	ok(strstr(log, "no_such_thing"), "the log says why");
	clReleaseProgram(program);
	program = clCreateProgramWithSource(c.context, 1, &undefined, NULL, NULL);
	ok(clBuildProgram(program, 1, &c.device, NULL, NULL, NULL) < 0,
	   "a function that does not exist");
	clReleaseProgram(program);
}

static const char poke_source[] = "kernel void poke(global int *p, long at)\n"
				  "{\n"
				  "	p[at] = 5;\n"
				  "}\n";

static cl_int poke(cl_kernel kernel, cl_long at)
{
	cl_arg(kernel, 1, sizeof(at), &at);
	return cl_run(&c, kernel, 1, 1);
}

static void test_fault(void)
{
	cl_kernel kernel = cl_kernel_of(&c, poke_source, "poke");
	cl_mem mem = cl_buffer(&c, 4096, NULL);
	cl_event events[2];
	const cl_long far = 1 << 30, near = 3;
	const size_t one = 1;
	cl_int got[4] = { 0 };

	cl_arg_mem(kernel, 0, mem);
	ok(!poke(kernel, 2), "a store");
	cl_listen();
	ok(poke(kernel, far) < 0, "a store far outside of the buffer: the event says so");
	ok(cl_said("\"poke\"") && cl_said("store to an unmapped") && cl_said("VA 0x") &&
		   cl_said("poke"),
	   "and a message names kernel and address");
	ok(!poke(kernel, near), "the next one works");
	cl_listen();
	cl_arg(kernel, 1, sizeof(far), &far);
	cl_must(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &one, NULL, 0, NULL, &events[0]),
		"clEnqueueNDRangeKernel");
	cl_arg(kernel, 1, sizeof(near), &near);
	cl_must(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &one, NULL, 1, &events[0],
				       &events[1]),
		"clEnqueueNDRangeKernel");
	ok(cl_status(events[0]) < 0 && cl_status(events[1]) < 0,
	   "what waits for a command that failed fails too");
	ok(cl_said("tessera: "), "with a message");
	clReleaseEvent(events[1]);
	cl_must(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &one, NULL, 1, &events[0],
				       &events[1]),
		"clEnqueueNDRangeKernel");
	ok(cl_status(events[1]) < 0, "also what begins to wait for it later");
	clReleaseEvent(events[0]);
	clReleaseEvent(events[1]);
	cl_get(&c, mem, got, sizeof(got));
	ok(got[2] == 5 && got[3] == 5, "the buffer is as it was");
	clReleaseMemObject(mem);
	cl_done(kernel);
}

static void test_sizes(void)
{
	cl_kernel kernel = cl_kernel_of(&c, poke_source, "poke");
	const size_t huge[3] = { 1ul << 24, 1ul << 24, 1 }, group[3] = { 1, 1, 1 };
	const size_t wrapped[2] = { 1ul << 32, 1ul << 32 }, large = 1ul << 20;
	cl_mem mem = cl_buffer(&c, 4096, NULL), all;
	const cl_long at = 0;
	cl_ulong memory = 0;
	cl_event event;
	cl_int err;

	cl_arg_mem(kernel, 0, mem);
	cl_arg(kernel, 1, sizeof(at), &at);
	ok(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &large, &large, 0, NULL, NULL) ==
		   CL_INVALID_WORK_GROUP_SIZE,
	   "a group that is too large");
	cl_listen();
	err = clEnqueueNDRangeKernel(c.queue, kernel, 2, NULL, huge, group, 0, NULL, &event);
	ok(err || cl_status(event) < 0, "2^48 groups");
	cl_said("");
	if (!err)
		clReleaseEvent(event);
	cl_listen();
	err = clEnqueueNDRangeKernel(c.queue, kernel, 2, NULL, wrapped, group, 0, NULL, &event);
	ok(err || cl_status(event) < 0, "2^64 groups, which no counter takes");
	cl_said("");
	if (!err)
		clReleaseEvent(event);
	clGetDeviceInfo(c.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(memory), &memory, NULL);
	all = clCreateBuffer(c.context, 0, memory * 4, NULL, &err);
	ok(!all && err == CL_INVALID_BUFFER_SIZE, "a buffer of more memory than there is");
	ok(!cl_run(&c, kernel, 1, 1), "the next kernel works");
	clReleaseMemObject(mem);
	cl_done(kernel);
}

/* A buffer gets its memory when it is used first. */
static cl_int take(size_t bytes, cl_mem *mem)
{
	const cl_uint one = 1;
	cl_int err;

	*mem = clCreateBuffer(c.context, CL_MEM_READ_WRITE, bytes, NULL, &err);
	if (*mem)
		err = clEnqueueWriteBuffer(c.queue, *mem, CL_TRUE, 0, sizeof(one), &one, 0, NULL,
					   NULL);
	if (*mem && err) {
		clReleaseMemObject(*mem);
		*mem = NULL;
	}
	return err;
}

/* Buffers of one program until there is no memory, and again when it gave them back. */
static void test_budget(void)
{
	cl_ulong memory = 0, each = 0;
	cl_mem mems[64];
	cl_int err = CL_SUCCESS;
	cl_uint n = 0;

	clGetDeviceInfo(c.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(memory), &memory, NULL);
	clGetDeviceInfo(c.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(each), &each, NULL);
	cl_listen();
	while (n < 64 && !err) {
		err = take(each, &mems[n]);
		n += !err;
	}
	cl_said("");
	ok(n && n * each <= memory &&
		   (err == CL_MEM_OBJECT_ALLOCATION_FAILURE || err == CL_OUT_OF_RESOURCES),
	   "%u buffers of %llu bytes, the next one: %d", n, (unsigned long long)each, err);
	while (n)
		clReleaseMemObject(mems[--n]);
	err = take(each, &mems[0]);
	ok(!err, "released, their memory can be had again: %d", err);
	if (!err)
		clReleaseMemObject(mems[0]);
}

static bool is_vgpu(void)
{
	struct tess_info info = { 0 };
	struct tess_device *dev;
	bool yes;

	if (tess_open(NULL, &dev))
		return false;
	yes = !tess_get_info(dev, &info) && info.is_vgpu;
	tess_close(dev);
	return yes;
}

static void test_endless(void)
{
	const char *source = "kernel void endless(volatile global int *p, long at)\n"
			     "{\n"
			     "	while (p[at] < 2)\n"
			     "		p[at] ^= 1;\n"
			     "}\n";
	cl_kernel kernel;
	cl_mem mem;

	if (!is_vgpu()) {
		skip("a kernel without an end: none is stopped on the host's own device");
		return;
	}
	kernel = cl_kernel_of(&c, source, "endless");
	mem = cl_buffer(&c, 4096, NULL);
	cl_arg_mem(kernel, 0, mem);
	cl_listen();
	ok(poke(kernel, 0) < 0, "a kernel without an end is stopped: the event says so");
	ok(cl_said("\"endless\""), "and a message names it");
	cl_done(kernel);
	kernel = cl_kernel_of(&c, poke_source, "poke");
	cl_arg_mem(kernel, 0, mem);
	ok(!poke(kernel, 1), "the next one works");
	clReleaseMemObject(mem);
	cl_done(kernel);
}

int main(void)
{
	cl_start(&c);
	test_build();
	test_fault();
	test_sizes();
	test_budget();
	test_endless();
	cl_stop(&c);
	return done();
}
