/* SPDX-License-Identifier: MIT */
/*
 * A device driver for PoCL: OpenCL on Tessera GPUs and vGPUs, through libtessera. See
 * Documentation/opencl.rst.
 *
 * Each file has a part of the operations that PoCL calls (struct pocl_device_ops) and puts its
 * own into the table; main.c collects them.
 */
#ifndef TESS_CL_DRIVER_H
#define TESS_CL_DRIVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "pocl_cl.h"
#include "tessera.h"

#define TESS_CL_NAME "tessera"
/* Commands of one device that are under way at the same time */
#define TESS_CL_WORKERS 4

struct tess_cl_worker;

/**
 * struct tess_cl_device - a GPU; cl_device_id::data, also of its sub-devices
 * @tess: handle, NULL while PoCL has the device released
 * @info: constant: what it was when it was opened
 * @available: for PoCL
 * @long_name: constant
 * @mem: memory that it has in the eyes of PoCL
 * @memory_lock: protects @memory
 * @memory: shared and device memory that programs allocated, by address
 * @lock: protects all below
 * @work: there is a command, or the workers shall end
 * @first: commands that are ready, in the order in which they became so
 * @last: the last of them
 * @stop: the workers shall end
 * @workers: threads that run commands; the first @worker_count of them exist
 * @worker_count: how many there are
 */
struct tess_cl_device {
	struct tess_device *tess;
	struct tess_info info;
	cl_bool available;
	char long_name[96];
	pocl_global_mem_t mem;
	pthread_mutex_t memory_lock;
	LIST_HEAD(, tess_cl_memory) memory;
	pthread_mutex_t lock;
	pthread_cond_t work;
	_cl_command_node *first;
	_cl_command_node *last;
	bool stop;
	struct tess_cl_worker *workers[TESS_CL_WORKERS];
	unsigned int worker_count;
};

/* ---- info.c: what the device is ---- */

/* Fill in what programs ask for; @d->tess is open. */
cl_int tess_cl_describe(cl_device_id device, struct tess_cl_device *d);

/* ---- command.c: queues and events ---- */

void tess_cl_command_ops(struct pocl_device_ops *ops);
cl_int tess_cl_workers_start(struct tess_cl_device *d);
void tess_cl_workers_stop(struct tess_cl_device *d);

/* ---- memory.c: buffers ---- */

void tess_cl_memory_ops(struct pocl_device_ops *ops);

/* Free what programs have left. */
void tess_cl_memory_fini(struct tess_cl_device *d);

/* ---- image.c: images ---- */

void tess_cl_image_ops(struct pocl_device_ops *ops);

/* ---- compile.c: from bitcode to a program that libtessera loads ---- */

/**
 * tess_cl_compile() - make the program of a kernel, if it is not in PoCL's cache
 * @cmd: command, of which the shape of a work-group counts
 * @kernel: kernel
 * @device: device
 * @specialize: for the shape of @cmd only
 * @path: out: the file, POCL_MAX_PATHNAME_LENGTH bytes
 *
 * Returns 0 or a negative OpenCL error.
 */
int tess_cl_compile(_cl_command_node *cmd, cl_kernel kernel, cl_device_id device, int specialize,
		    char *path);
void tess_cl_compile_ops(struct pocl_device_ops *ops);

/* ---- binary.c: programs on the GPU ---- */

/**
 * struct tess_cl_binary - a kernel for one shape of work-groups, ready to run
 * @link: in struct tess_cl_program
 * @path: constant: file that it was loaded from
 * @prog: constant
 * @entry: constant: what the shader cores start with
 * @launcher: constant: address of the function that runs a work-group
 * @stack: constant: bytes that all functions of it together put on the stack
 * @prints: constant: it calls printf
 */
struct tess_cl_binary {
	LIST_ENTRY(tess_cl_binary) link;
	char *path;
	struct tess_program *prog;
	const struct tess_kernel *entry;
	uint64_t launcher;
	uint64_t stack;
	bool prints;
};

/**
 * tess_cl_binary_get() - a kernel on the GPU, compiled and loaded if it is not yet
 * @d: device
 * @cmd: command
 * @out: out; stays until the cl_program is freed
 *
 * Returns 0 or a negative OpenCL error.
 */
int tess_cl_binary_get(struct tess_cl_device *d, _cl_command_node *cmd,
		       struct tess_cl_binary **out);
int tess_cl_free_program(cl_device_id device, cl_program program, unsigned int program_device_i);

/* ---- launch.c: kernels ---- */

/**
 * struct tess_cl_times - when a kernel ran
 * @known: they are
 * @start: on the clock of PoCL, ns
 * @duration: on the GPU, ns
 */
struct tess_cl_times {
	bool known;
	uint64_t start;
	uint64_t duration;
};

/**
 * struct tess_cl_record - memory in which a launch finds what it needs
 * @buf: memory, at one address for both sides
 * @prints: where work-groups print to, or NULL
 */
struct tess_cl_record {
	struct tess_buffer *buf;
	struct tess_buffer *prints;
};

int tess_cl_record_init(struct tess_cl_device *d, struct tess_cl_record *r);
void tess_cl_record_fini(struct tess_cl_record *r);

/**
 * tess_cl_launch() - run the kernel of a command
 * @d: device
 * @cmd: command
 * @r: memory for this launch
 * @times: out
 *
 * Returns 0 or a negative OpenCL error, after it was reported.
 */
int tess_cl_launch(struct tess_cl_device *d, _cl_command_node *cmd, struct tess_cl_record *r,
		   struct tess_cl_times *times);

/* ---- main.c ---- */

/* Tell the user what went wrong, as one line on standard error. */
void tess_cl_report(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
