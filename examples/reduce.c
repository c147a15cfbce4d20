// SPDX-License-Identifier: MIT
/*
 * The sum of an array of integers, in two steps: work-group barriers, local memory,
 * and two dispatches of which the second one uses the results of the first one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "reduce.h"

EXAMPLE_KERNELS(reduce);

static uint64_t count = 1000 * 1000;

static const struct option_def options[] = {
	{ "count", "number of 32-bit integers (default: 1000000)", &count, NULL },
	{ 0 },
};

int main(int argc, char **argv)
{
	struct example ex = {
		.name = "reduce",
		.summary = "Adds up an array of integers and compares with the CPU.",
		.operands = "",
		.options = options,
		.elf = reduce_elf,
		.elf_end = reduce_elf_end,
	};
	struct tess_buffer *in_buf, *sums_buf;
	struct reduce_args args;
	struct finish_args last;
	uint64_t *sums, want = 0, seed = 1;
	uint32_t *in, groups;

	example_start(&ex, argc, argv);
	if (count < 1 || count > 64 << 20)
		example_die(&ex, 2, "--count must be 1 to 64M");
	/* Four groups per shader core: enough to keep each one busy until the end */
	groups = 4 * example_cores(&ex);
	in = example_buffer(&ex, count * sizeof(*in), TESS_BUFFER_VRAM, &in_buf);
	sums = example_buffer(&ex, (groups + 1) * sizeof(*sums), TESS_BUFFER_VRAM, &sums_buf);
	for (uint64_t i = 0; i < count; i++) {
		in[i] = example_random(&seed);
		want += in[i];
	}

	args.in = tess_buffer_va(in_buf);
	args.sums = tess_buffer_va(sums_buf);
	args.count = count;
	example_run(&ex,
		    &(struct tess_dispatch){
			    .kernel = example_kernel(&ex, "reduce"),
			    .grid = { groups * REDUCE_GROUP },
			    .group = { REDUCE_GROUP },
			    .args = &args,
			    .args_size = sizeof(args),
		    },
		    NULL);
	last.in = args.sums;
	last.sum = args.sums + groups * sizeof(*sums);
	last.count = groups;
	example_run(&ex,
		    &(struct tess_dispatch){
			    .kernel = example_kernel(&ex, "finish"),
			    .grid = { REDUCE_GROUP },
			    .group = { REDUCE_GROUP },
			    .args = &last,
			    .args_size = sizeof(last),
		    },
		    NULL);
	example_extra(&ex, "\"count\": %llu, \"sum\": %llu", (unsigned long long)count,
		      (unsigned long long)sums[groups]);
	return example_finish(&ex, ex.verify && sums[groups] != want, false);
}
