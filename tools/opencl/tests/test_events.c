// SPDX-License-Identifier: GPL-2.0-or-later
/* Events: order, times, commands that wait for each other, queues without order. */
#include <stdlib.h>
#include <string.h>

#include "cl.h"
#include "tap.h"

static struct cl c;

static const char advance_source[] = "kernel void advance(global uint *p, uint mul, uint add)\n"
				     "{\n"
				     "	p[get_global_id(0)] = p[get_global_id(0)] * mul + add;\n"
				     "}\n"
				     "kernel void count(global uint *p, uint n)\n"
				     "{\n"
				     "	uint x = p[0];\n"
				     "	for (uint i = 0; i < n; i++)\n"
				     "		x = x * 1664525 + 1013904223;\n"
				     "	p[0] = x;\n"
				     "}\n";

static void set_advance(cl_kernel kernel, cl_mem mem, cl_uint mul, cl_uint add)
{
	cl_arg_mem(kernel, 0, mem);
	cl_arg(kernel, 1, sizeof(mul), &mul);
	cl_arg(kernel, 2, sizeof(add), &add);
}

static cl_ulong time_of(cl_event event, cl_profiling_info what)
{
	cl_ulong ns = 0;

	cl_must(clGetEventProfilingInfo(event, what, sizeof(ns), &ns, NULL),
		"clGetEventProfilingInfo");
	return ns;
}

/* Runs a loop of @rounds and returns how long the GPU took, in ns; 0 if times are out of order. */
static cl_ulong timed(cl_kernel kernel, cl_uint rounds)
{
	cl_ulong queued, submitted, start, end;
	const size_t one = 1;
	cl_event event;

	cl_arg(kernel, 1, sizeof(rounds), &rounds);
	cl_must(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event),
		"clEnqueueNDRangeKernel");
	if (cl_status(event))
		return 0;
	queued = time_of(event, CL_PROFILING_COMMAND_QUEUED);
	submitted = time_of(event, CL_PROFILING_COMMAND_SUBMIT);
	start = time_of(event, CL_PROFILING_COMMAND_START);
	end = time_of(event, CL_PROFILING_COMMAND_END);
	clReleaseEvent(event);
	return queued <= submitted && submitted <= start && start <= end ? end - start : 0;
}

/* Time is that of the GPU: ten times the work takes ten times as long, whatever the CPU does. */
static void test_profiling(void)
{
	cl_program program = cl_build(&c, advance_source, NULL);
	cl_kernel kernel = clCreateKernel(program, "count", NULL);
	cl_mem mem = cl_buffer(&c, 4, NULL);
	cl_ulong few, many;

	cl_arg_mem(kernel, 0, mem);
	timed(kernel, 1);
	few = timed(kernel, 20000);
	many = timed(kernel, 200000);
	ok(few && many, "queued, submitted, started, ended in this order");
	ok(many > few * 7 && many < few * 14, "%llu ns for 20000 rounds, %llu for 200000",
	   (unsigned long long)few, (unsigned long long)many);
	clReleaseMemObject(mem);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
}

static void test_in_order(void)
{
	enum { ITEMS = 256, STEPS = 40 };
	cl_program program = cl_build(&c, advance_source, NULL);
	cl_kernel kernel = clCreateKernel(program, "advance", NULL);
	cl_mem mem = cl_buffer(&c, ITEMS * 4, NULL);
	const size_t items = ITEMS;
	cl_uint got[ITEMS], want = 0, i, wrong = 0;

	for (i = 0; i < STEPS; i++) {
		set_advance(kernel, mem, 3, i);
		want = want * 3 + i;
		cl_must(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &items, NULL, 0, NULL,
					       NULL),
			"clEnqueueNDRangeKernel");
	}
	cl_must(clFinish(c.queue), "clFinish");
	cl_get(&c, mem, got, sizeof(got));
	for (i = 0; i < ITEMS; i++)
		wrong += got[i] != want;
	ok(!wrong, "%d kernels one after the other: %u wrong", STEPS, wrong);
	clReleaseMemObject(mem);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
}

/* A diamond of commands in a queue without order, which a user event starts */
static void test_out_of_order(void)
{
	const cl_queue_properties props[] = { CL_QUEUE_PROPERTIES,
					      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0 };
	cl_program program = cl_build(&c, advance_source, NULL);
	cl_kernel kernel = clCreateKernel(program, "advance", NULL);
	cl_command_queue queue;
	cl_event go, first, sides[2], last;
	cl_mem mem[2];
	const size_t one = 1;
	cl_uint got[2] = { 0 }, i;
	cl_int err, status = 0;

	queue = clCreateCommandQueueWithProperties(c.context, c.device, props, &err);
	cl_must(err, "a queue without order");
	mem[0] = cl_buffer(&c, 4, NULL);
	mem[1] = cl_buffer(&c, 4, NULL);
	go = clCreateUserEvent(c.context, &err);
	cl_must(err, "clCreateUserEvent");
	set_advance(kernel, mem[0], 1, 5);
	cl_must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 1, &go, &first),
		"the first");
	cl_must(clEnqueueCopyBuffer(queue, mem[0], mem[1], 0, 0, 4, 1, &first, &sides[0]),
		"a copy");
	set_advance(kernel, mem[0], 10, 0);
	cl_must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 1, &sides[0], &sides[1]),
		"the second");
	set_advance(kernel, mem[1], 1, 1);
	cl_must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 2, sides, &last),
		"the last");
	clFlush(queue);
	clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL);
	ok(status > CL_COMPLETE, "nothing runs before the user says so");
	clSetUserEventStatus(go, CL_COMPLETE);
	ok(!cl_status(last), "then everything does");
	for (i = 0; i < 2; i++)
		cl_get(&c, mem[i], &got[i], 4);
	ok(got[0] == 50 && got[1] == 6, "in the order of the events: %u, %u", got[0], got[1]);
	clReleaseEvent(go);
	clReleaseEvent(first);
	clReleaseEvent(sides[0]);
	clReleaseEvent(sides[1]);
	clReleaseEvent(last);
	clReleaseMemObject(mem[0]);
	clReleaseMemObject(mem[1]);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
}

int main(void)
{
	cl_start(&c);
	test_profiling();
	test_in_order();
	test_out_of_order();
	cl_stop(&c);
	return done();
}
