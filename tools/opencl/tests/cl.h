/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the OpenCL tests share: a device with a queue, and kernels from a string. */
#ifndef TESS_CL_TESTS_CL_H
#define TESS_CL_TESTS_CL_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct cl - the first Tessera GPU
 * @platform: PoCL's
 * @device: GPU
 * @context: with this device
 * @queue: in order, with profiling
 */
struct cl {
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
};

/* Ends the program, as a failure, if there is no such device. */
void cl_start(struct cl *c);
void cl_stop(struct cl *c);

/* Ends the program with the name of what failed. */
void cl_must(cl_int err, const char *what);

/* A program of @source; the build log is shown if there is an error that was not expected. */
cl_program cl_build(struct cl *c, const char *source, const char *options);

/* A kernel of a program of its own, @source; released with cl_done(). */
cl_kernel cl_kernel_of(struct cl *c, const char *source, const char *name);
void cl_done(cl_kernel kernel);

/* A buffer with @bytes of @content, or zeros if that is NULL. */
cl_mem cl_buffer(struct cl *c, size_t bytes, const void *content);
void cl_get(struct cl *c, cl_mem mem, void *to, size_t bytes);

/* Set argument @i. */
void cl_arg(cl_kernel kernel, cl_uint i, size_t size, const void *value);
void cl_arg_mem(cl_kernel kernel, cl_uint i, cl_mem mem);

/* Run @items of one dimension in groups of @group (0: whatever), and wait. */
cl_int cl_run(struct cl *c, cl_kernel kernel, size_t items, size_t group);

/* The status of the command behind @event when it is over. */
cl_int cl_status(cl_event event);

/* What the standard error says from now on; cl_said() is true if @word is in it. */
void cl_listen(void);
bool cl_said(const char *word);

#endif
