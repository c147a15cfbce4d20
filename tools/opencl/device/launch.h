/* SPDX-License-Identifier: MIT */
/* What the driver and the first function on the shader cores agree on. */
#ifndef TESS_CL_LAUNCH_H
#define TESS_CL_LAUNCH_H

#include <stdint.h>

/* The first function on the shader cores, as TESS_KERNEL() declares it */
#define TESS_CL_ENTRY "tess_cl_entry"

/* Bytes that one work-group can print */
#define TESS_CL_PRINT_GROUP 16384

/**
 * struct tess_cl_context - struct pocl_context of a device with 64-bit addresses
 *
 * What the code of PoCL's compiler takes from it is fixed there (Workgroup.cc).
 */
struct tess_cl_context {
	uint64_t num_groups[3];
	uint64_t global_offset[3];
	uint64_t local_size[3];
	uint64_t printf_buffer;
	uint64_t printf_position;
	uint32_t printf_capacity;
	uint32_t pad0;
	uint64_t global_vars;
	uint32_t work_dim;
	uint32_t pad1;
};

/**
 * struct tess_cl_prints - where work-groups print to
 * @used: bytes that were asked for, which may be more than there are
 * @size: bytes at @text
 * @text: what the groups have printed
 */
struct tess_cl_prints {
	uint32_t used;
	uint32_t size;
	char text[];
};

/**
 * struct tess_cl_launch_args - arguments of the first function
 * @function: runs a work-group: (arguments, context, group ids)
 * @args: address of the kernel's arguments
 * @prints: address of a struct tess_cl_prints, or 0
 * @context: copied by every hart, as each prints to its own memory
 * @groups: number of work-groups
 */
struct tess_cl_launch_args {
	uint64_t function;
	uint64_t args;
	uint64_t prints;
	uint64_t groups;
	struct tess_cl_context context;
};

#endif
