// SPDX-License-Identifier: GPL-2.0-or-later
/* Argument structs that are built member by member. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "program.h"
#include "tap.h"
#include "tessera.h"

struct example {
	uint8_t byte;
	uint32_t word;
	uint16_t half;
	double real;
	float single;
	uint64_t local[2];
};

static void test_layout(void)
{
	static const struct tess_kernel kernel = { .local_bytes = 20 };
	struct tess_args *args = tess_args_create();
	const struct example *e = tess_args_data(args);
	uint8_t byte = 0x12;
	uint16_t half = 0x3456;
	int ret = 0;

	ret |= tess_args_add(args, &byte, 1, 1);
	ret |= tess_args_add_u32(args, 0x789abcde);
	ret |= tess_args_add(args, &half, 2, 2);
	ret |= tess_args_add_f64(args, 1.5);
	ret |= tess_args_add_f32(args, -2.5f);
	ret |= tess_args_add_local(args, &kernel, 10);
	ret |= tess_args_add_local(args, &kernel, 64);
	ok(!ret, "seven members");
	ok(tess_args_size(args) == sizeof(*e), "the struct has the compiler's size");
	ok(e->byte == byte && e->word == 0x789abcde && e->half == half && e->real == 1.5 &&
		   e->single == -2.5f,
	   "and its layout");
	ok(e->local[0] == 0xffffffffffff0000ull + 32, "local memory after the kernel's own");
	ok(e->local[1] == 0xffffffffffff0000ull + 48, "then after what was added before");
	ok(tess_args_local_bytes(args) == 48 + 64 - 20, "what the dispatch must add");
	tess_args_destroy(args);
}

static void test_limits(void)
{
	static const struct tess_kernel kernel = { .local_bytes = 65530 };
	static const uint8_t block[TESS_MAX_ARGS + 1];
	struct tess_args *args = tess_args_create();

	ok(tess_args_add(args, block, TESS_MAX_ARGS + 1, 1) == -E2BIG, "too large at once");
	ok(strstr(tess_strerror(NULL), "1024"), "the message has the limit: %s",
	   tess_strerror(NULL));
	ok(tess_args_add(args, block, (size_t)-8, 1) == -E2BIG, "a size that would wrap");
	ok(tess_args_add(args, block, 0, 1) == -EINVAL, "nothing");
	ok(tess_args_add(args, block, 4, 3) == -EINVAL, "a strange alignment");
	ok(tess_args_add_local(args, &kernel, 1) == -EINVAL, "no local memory is left");
	ok(tess_args_add_local(args, &kernel, 0) == -EINVAL, "no bytes of local memory");
	ok(!tess_args_size(args), "failures add nothing");
	ok(!tess_args_add(args, block, TESS_MAX_ARGS - 4, 1), "nearly full");
	ok(tess_args_add_u64(args, 1) == -E2BIG, "no room for eight bytes");
	ok(!tess_args_add_u32(args, 1), "room for four");
	ok(tess_args_add(args, block, 1, 1) == -E2BIG, "full");
	tess_args_destroy(args);
}

int main(void)
{
	test_layout();
	test_limits();
	return done();
}
