/* SPDX-License-Identifier: MIT */
#ifndef TESS_LIB_PROGRAM_H
#define TESS_LIB_PROGRAM_H

#include <stdint.h>
#include <sys/queue.h>

#include "image.h"

struct tess_buffer;
struct tess_device;
struct tess_program;

/**
 * struct tess_kernel - an entry point of a program
 * @prog: constant
 * @entry: constant: VA of its first instruction
 * @private_bytes: constant
 * @local_bytes: constant
 * @units: constant: that it can use
 * @name: constant
 * @next: kernels that are not declared were looked up by name
 */
struct tess_kernel {
	struct tess_program *prog;
	uint64_t entry;
	uint32_t private_bytes;
	uint32_t local_bytes;
	uint32_t units;
	const char *name;
	struct tess_kernel *next;
};

/**
 * struct tess_program - a loaded program
 * @link: in tess_device::programs
 * @dev: constant
 * @name: constant: for messages
 * @data: constant: copy of the file, names point into it
 * @image: constant
 * @code: constant: memory that it runs from
 * @kernels: constant: declared ones, as many as @image has
 * @found: others, protected by tess_device::lock
 */
struct tess_program {
	LIST_ENTRY(tess_program) link;
	struct tess_device *dev;
	char *name;
	void *data;
	struct tess_image image;
	struct tess_buffer *code;
	struct tess_kernel *kernels;
	struct tess_kernel *found;
};

/* No work uses the program. */
void tess_program_free_locked(struct tess_program *prog);

/* The program that is loaded at @va, or NULL. */
struct tess_program *tess_program_at_locked(struct tess_device *dev, uint64_t va);

#endif
