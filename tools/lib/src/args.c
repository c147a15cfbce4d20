// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "program.h"
#include "tessera.h"

#define LOCAL_BASE 0xffffffffffff0000ull
#define LOCAL_MAX 65536u
#define LOCAL_ALIGN 16u

struct tess_args {
	size_t size;
	uint32_t local_bytes;
	uint8_t data[TESS_MAX_ARGS] __attribute__((aligned(16)));
};

struct tess_args *tess_args_create(void)
{
	struct tess_args *args = calloc(1, sizeof(*args));

	if (!args)
		tess_fail(NULL, -ENOMEM, "out of memory");
	return args;
}

void tess_args_destroy(struct tess_args *args)
{
	free(args);
}

int tess_args_add(struct tess_args *args, const void *value, size_t size, size_t align)
{
	size_t at;

	if (!size || !align || align > 16 || (align & (align - 1)))
		return tess_fail(NULL, -EINVAL, "an argument of %zu bytes, aligned to %zu", size,
				 align);
	at = (args->size + align - 1) & ~(align - 1);
	if (size > TESS_MAX_ARGS || at > TESS_MAX_ARGS - size)
		return tess_fail(NULL, -E2BIG, "more than %u bytes of arguments", TESS_MAX_ARGS);
	memcpy(args->data + at, value, size);
	args->size = at + size;
	return 0;
}

int tess_args_add_u32(struct tess_args *args, uint32_t value)
{
	return tess_args_add(args, &value, sizeof(value), sizeof(value));
}

int tess_args_add_u64(struct tess_args *args, uint64_t value)
{
	return tess_args_add(args, &value, sizeof(value), sizeof(value));
}

int tess_args_add_f32(struct tess_args *args, float value)
{
	return tess_args_add(args, &value, sizeof(value), sizeof(value));
}

int tess_args_add_f64(struct tess_args *args, double value)
{
	return tess_args_add(args, &value, sizeof(value), sizeof(value));
}

int tess_args_add_buffer(struct tess_args *args, const struct tess_buffer *buf)
{
	return tess_args_add_u64(args, tess_buffer_va(buf));
}

int tess_args_add_local(struct tess_args *args, const struct tess_kernel *kernel, uint32_t bytes)
{
	/* @local_bytes counts from the end of what the kernel declares, wherever that is. */
	uint32_t start = kernel->local_bytes + args->local_bytes;
	int ret;

	start = (start + LOCAL_ALIGN - 1) & ~(LOCAL_ALIGN - 1);
	if (!bytes || start > LOCAL_MAX || bytes > LOCAL_MAX - start)
		return tess_fail(NULL, -EINVAL,
				 "%u bytes of local memory at offset %u: a work-group "
				 "has %u",
				 bytes, start, LOCAL_MAX);
	ret = tess_args_add_u64(args, LOCAL_BASE + start);
	if (!ret)
		args->local_bytes = start + bytes - kernel->local_bytes;
	return ret;
}

const void *tess_args_data(const struct tess_args *args)
{
	return args->data;
}

size_t tess_args_size(const struct tess_args *args)
{
	return args->size;
}

uint32_t tess_args_local_bytes(const struct tess_args *args)
{
	return args->local_bytes;
}
