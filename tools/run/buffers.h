/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files and buffers of tessera-run. */
#ifndef RUN_BUFFERS_H
#define RUN_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#include "spec.h"

struct tess_args;
struct tess_buffer;
struct tess_device;
struct tess_kernel;

/**
 * struct run_buffer - memory behind an argument
 * @buf: buffer, NULL if the argument needs none
 * @size: bytes that count; the buffer may be larger
 * @initial: INOUT: content at the start, so that each repetition starts with it
 */
struct run_buffer {
	struct tess_buffer *buf;
	uint64_t size;
	void *initial;
};

/*
 * Make the buffers for @n arguments, read the files and build what the kernel gets.
 * Returns 0, or -1 after a message on stderr.
 */
int run_buffers_make(struct tess_device *dev, const struct tess_kernel *kernel,
		     const struct spec_arg *specs, unsigned int n, int in_system_memory,
		     struct run_buffer *bufs, struct tess_args *args);

/* Contents as before the first run */
void run_buffers_reset(const struct spec_arg *specs, unsigned int n, struct run_buffer *bufs);

/* Write the files of OUT and INOUT. Returns 0, or -1 after a message. */
int run_buffers_write(const struct spec_arg *specs, unsigned int n, struct run_buffer *bufs);

void run_buffers_free(struct run_buffer *bufs, unsigned int n);

#endif
