// SPDX-License-Identifier: MIT
/*
 * The first function on the shader cores: each hart runs one work-group of OpenCL, whose
 * work-items PoCL's compiler has turned into loops. It is linked to every kernel.
 */
#include <tessera_device.h>

#include "launch.h"

typedef void (*group_function)(const void *args, const struct tess_cl_context *context, uint64_t x,
			       uint64_t y, uint64_t z);

/* Append what a group has printed, as a whole; what there is no room for is lost. */
static void flush(struct tess_cl_prints *out, const char *text, uint32_t bytes)
{
	uint32_t at = tess_atomic_add_u32(&out->used, bytes);
	uint32_t i;

	for (i = 0; i < bytes && at + i < out->size; i++)
		out->text[at + i] = text[i];
}

static __attribute__((noinline)) void run_printing(const struct tess_cl_launch_args *l, uint64_t x,
						   uint64_t y, uint64_t z)
{
	struct tess_cl_context context = l->context;
	char text[TESS_CL_PRINT_GROUP];
	uint32_t position = 0;

	context.printf_buffer = (uint64_t)text;
	context.printf_position = (uint64_t)&position;
	context.printf_capacity = sizeof(text);
	((group_function)l->function)((const void *)l->args, &context, x, y, z);
	flush((struct tess_cl_prints *)l->prints, text, position);
}

TESS_KERNEL(tess_cl_entry)
void tess_cl_entry(const struct tess_cl_launch_args *l)
{
	uint64_t id = tess_get_global_id(0);
	uint64_t x, y, z;

	if (id >= l->groups)
		return;
	x = id % l->context.num_groups[0];
	id /= l->context.num_groups[0];
	y = id % l->context.num_groups[1];
	z = id / l->context.num_groups[1];
	if (l->prints)
		run_printing(l, x, y, z);
	else
		((group_function)l->function)((const void *)l->args, &l->context, x, y, z);
}
