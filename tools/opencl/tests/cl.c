// SPDX-License-Identifier: GPL-2.0-or-later
#include "cl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

void cl_must(cl_int err, const char *what)
{
	if (err == CL_SUCCESS)
		return;
	printf("Bail out! %s: error %d\n", what, err);
	exit(1);
}

static bool is_ours(cl_device_id device)
{
	char vendor[64] = "";

	clGetDeviceInfo(device, CL_DEVICE_VENDOR, sizeof(vendor), vendor, NULL);
	return !strcmp(vendor, "Tessera");
}

static bool find(struct cl *c)
{
	cl_platform_id platforms[8];
	cl_device_id devices[8];
	cl_uint n = 0, m, i, k;

	clGetPlatformIDs(8, platforms, &n);
	for (i = 0; i < n && i < 8; i++) {
		m = 0;
		clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 8, devices, &m);
		for (k = 0; k < m && k < 8; k++) {
			if (!is_ours(devices[k]))
				continue;
			c->platform = platforms[i];
			c->device = devices[k];
			return true;
		}
	}
	return false;
}

void cl_start(struct cl *c)
{
	const cl_queue_properties props[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 };
	cl_int err;

	if (!find(c)) {
		printf("Bail out! no Tessera GPU offers OpenCL\n");
		exit(1);
	}
	c->context = clCreateContext(NULL, 1, &c->device, NULL, NULL, &err);
	cl_must(err, "clCreateContext");
	c->queue = clCreateCommandQueueWithProperties(c->context, c->device, props, &err);
	cl_must(err, "clCreateCommandQueueWithProperties");
}

void cl_stop(struct cl *c)
{
	clReleaseCommandQueue(c->queue);
	clReleaseContext(c->context);
}

cl_program cl_build(struct cl *c, const char *source, const char *options)
{
	cl_program program;
	static char log[16384];
	cl_int err;

	program = clCreateProgramWithSource(c->context, 1, &source, NULL, &err);
	cl_must(err, "clCreateProgramWithSource");
	err = clBuildProgram(program, 1, &c->device, options, NULL, NULL);
	if (err) {
		clGetProgramBuildInfo(program, c->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log,
				      NULL);
		printf("%s\n", log);
	}
	cl_must(err, "clBuildProgram");
	return program;
}

cl_kernel cl_kernel_of(struct cl *c, const char *source, const char *name)
{
	cl_program program = cl_build(c, source, NULL);
	cl_kernel kernel;
	cl_int err;

	kernel = clCreateKernel(program, name, &err);
	cl_must(err, name);
	return kernel;
}

void cl_done(cl_kernel kernel)
{
	cl_program program;

	clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(program), &program, NULL);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
}

cl_mem cl_buffer(struct cl *c, size_t bytes, const void *content)
{
	const cl_uchar zero = 0;
	cl_mem mem;
	cl_int err;

	mem = clCreateBuffer(c->context, CL_MEM_READ_WRITE, bytes, NULL, &err);
	cl_must(err, "clCreateBuffer");
	if (content)
		err = clEnqueueWriteBuffer(c->queue, mem, CL_TRUE, 0, bytes, content, 0, NULL,
					   NULL);
	else
		err = clEnqueueFillBuffer(c->queue, mem, &zero, 1, 0, bytes, 0, NULL, NULL);
	cl_must(err, "fill a buffer");
	return mem;
}

void cl_get(struct cl *c, cl_mem mem, void *to, size_t bytes)
{
	cl_must(clEnqueueReadBuffer(c->queue, mem, CL_TRUE, 0, bytes, to, 0, NULL, NULL),
		"clEnqueueReadBuffer");
}

void cl_arg(cl_kernel kernel, cl_uint i, size_t size, const void *value)
{
	cl_must(clSetKernelArg(kernel, i, size, value), "clSetKernelArg");
}

void cl_arg_mem(cl_kernel kernel, cl_uint i, cl_mem mem)
{
	cl_arg(kernel, i, sizeof(mem), &mem);
}

cl_int cl_run(struct cl *c, cl_kernel kernel, size_t items, size_t group)
{
	cl_event event;
	cl_int err;

	err = clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &items, group ? &group : NULL, 0,
				     NULL, &event);
	if (err)
		return err;
	err = cl_status(event);
	clReleaseEvent(event);
	return err;
}

cl_int cl_status(cl_event event)
{
	cl_int status = CL_QUEUED;

	clWaitForEvents(1, &event);
	cl_must(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
			       NULL),
		"clGetEventInfo");
	return status;
}

static FILE *heard;
static int standard_error = -1;

void cl_listen(void)
{
	heard = tmpfile();
	standard_error = dup(2);
	dup2(fileno(heard), 2);
}

bool cl_said(const char *word)
{
	static char text[4096];
	size_t n;

	if (heard) {
		dup2(standard_error, 2);
		close(standard_error);
		rewind(heard);
		n = fread(text, 1, sizeof(text) - 1, heard);
		text[n] = 0;
		fclose(heard);
		heard = NULL;
	}
	return strstr(text, word);
}
