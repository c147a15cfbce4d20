// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that dies, in the middle of a kernel without an end, beside one that computes. On a GPU
 * that both have: not on the simulated one.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cl.h"
#include "tap.h"

#define ITEMS 4096
#define MOST 64
#define PATIENCE 240

static struct cl c;

static const char source[] = "kernel void add(global uint *p, uint n)\n"
			     "{\n"
			     "	p[get_global_id(0)] += get_global_id(0) * n;\n"
			     "}\n"
			     "kernel void endless(volatile global uint *p, uint n)\n"
			     "{\n"
			     "	while (p[0] < n)\n"
			     "		p[0] ^= 1;\n"
			     "}\n";

/* A buffer of the largest size, in use. */
static cl_int take(cl_mem *mem)
{
	const cl_uint zero = 0;
	cl_ulong bytes = 0;
	cl_int err;

	clGetDeviceInfo(c.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(bytes), &bytes, NULL);
	*mem = clCreateBuffer(c.context, CL_MEM_READ_WRITE, bytes, NULL, &err);
	if (*mem)
		err = clEnqueueWriteBuffer(c.queue, *mem, CL_TRUE, 0, sizeof(zero), &zero, 0, NULL,
					   NULL);
	if (*mem && err)
		clReleaseMemObject(*mem);
	return err;
}

/* How many such buffers there are. */
static unsigned int count(void)
{
	cl_mem mems[MOST];
	unsigned int n = 0, i;

	while (n < MOST && !take(&mems[n]))
		n++;
	for (i = 0; i < n; i++)
		clReleaseMemObject(mems[i]);
	return n;
}

/* The program that dies: it has memory, and its kernel runs when it says so. */
static int victim(void)
{
	const cl_uint never = 2;
	cl_int status = CL_QUEUED;
	const size_t one = 1;
	cl_kernel kernel;
	cl_event event;
	cl_mem mem;

	cl_start(&c);
	cl_must(take(&mem), "a buffer");
	kernel = cl_kernel_of(&c, source, "endless");
	cl_arg_mem(kernel, 0, mem);
	cl_arg(kernel, 1, sizeof(never), &never);
	cl_must(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &one, &one, 0, NULL, &event),
		"clEnqueueNDRangeKernel");
	cl_must(clFlush(c.queue), "clFlush");
	while (status == CL_QUEUED || status == CL_SUBMITTED) {
		usleep(10000);
		cl_must(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
				       &status, NULL),
			"clGetEventInfo");
	}
	if (write(STDOUT_FILENO, "\n", 1) != 1)
		return 1;
	cl_status(event);
	return 0;
}

static pid_t start_victim(void)
{
	pid_t pid;
	int ends[2];
	char byte;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl("/proc/self/exe", "test_clients", "victim", NULL);
		_exit(127);
	}
	close(ends[1]);
	/* Its other output would be "Bail out!" */
	if (pid > 0 && (read(ends[0], &byte, 1) != 1 || byte != '\n')) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ends[0]);
	return pid;
}

static unsigned int compute(cl_kernel kernel, unsigned int times)
{
	static cl_uint got[ITEMS];
	const cl_uint three = 3;
	unsigned int wrong = 0, i;
	cl_mem mem = cl_buffer(&c, sizeof(got), NULL);

	cl_arg_mem(kernel, 0, mem);
	cl_arg(kernel, 1, sizeof(three), &three);
	for (i = 0; i < times; i++)
		wrong += cl_run(&c, kernel, ITEMS, 64) != CL_SUCCESS;
	cl_get(&c, mem, got, sizeof(got));
	for (i = 0; i < ITEMS; i++)
		wrong += got[i] != i * three * times;
	clReleaseMemObject(mem);
	return wrong;
}

int main(int argc, char **argv)
{
	unsigned int before, after = 0, wrong, i;
	cl_kernel kernel;
	pid_t pid;

	if (argc > 1 && !strcmp(argv[1], "victim"))
		return victim();
	cl_start(&c);
	kernel = cl_kernel_of(&c, source, "add");
	before = count();
	ok(before, "%u of the largest buffers", before);
	pid = start_victim();
	ok(pid > 0, "another program, whose kernel does not end");
	wrong = compute(kernel, 8);
	ok(!wrong, "beside it: %u wrong", wrong);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	wrong = compute(kernel, 8);
	ok(!wrong, "when it was killed: %u wrong", wrong);
	/* Its kernel is stopped before its memory goes. */
	for (i = 0; i < PATIENCE && after < before; i++) {
		after = count();
		if (after < before)
			usleep(500000);
	}
	ok(after >= before, "its memory came back: %u buffers", after);
	cl_done(kernel);
	cl_stop(&c);
	return done();
}
