// SPDX-License-Identifier: MIT
/*
 * Matrix multiplication: a work-group per tile of the result, local memory, barriers.
 *
 * The CPU does the same fused multiply-adds in the same order, so that the results
 * must be equal to the last bit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "sgemm.h"

EXAMPLE_KERNELS(sgemm);

static uint64_t n = 128;
static uint64_t repeat = 1;

static const struct option_def options[] = {
	{ "size", "rows and columns of the matrices (default: 128)", &n, NULL },
	{ "repeat", "do it so many times; the first is slower (default: 1)", &repeat, NULL },
	{ 0 },
};

/* Small multiples of 1/256 of both signs */
static void fill(float *m, uint64_t seed)
{
	for (uint64_t i = 0; i < n * n; i++)
		m[i] = (float)((int32_t)(example_random(&seed) & 1023) - 512) / 256.0f;
}

static unsigned long compare(const float *a, const float *b, const float *c)
{
	unsigned long mismatches = 0;

	for (uint64_t row = 0; row < n; row++) {
		for (uint64_t column = 0; column < n; column++) {
			float sum = 0.0f;

			for (uint64_t k = 0; k < n; k++)
				sum = fmaf(a[row * n + k], b[k * n + column], sum);
			mismatches += !(c[row * n + column] == sum);
		}
	}
	return mismatches;
}

static void multiply(struct example *ex, const struct sgemm_args *args,
		     struct tess_counters *counters)
{
	/* whole groups: all work-items of one take part in loading */
	uint32_t items = (uint32_t)(n + SGEMM_TILE - 1) / SGEMM_TILE * SGEMM_TILE;

	example_run(ex,
		    &(struct tess_dispatch){
			    .kernel = example_kernel(ex, "sgemm"),
			    .grid = { items, items },
			    .group = { SGEMM_TILE, SGEMM_TILE },
			    .args = args,
			    .args_size = sizeof(*args),
		    },
		    counters);
}

int main(int argc, char **argv)
{
	struct example ex = {
		.name = "sgemm",
		.summary = "Multiplies two matrices of floats and compares with the CPU.",
		.operands = "",
		.options = options,
		.elf = sgemm_elf,
		.elf_end = sgemm_elf_end,
	};
	struct tess_buffer *a_buf, *b_buf, *c_buf;
	struct tess_counters counters;
	struct sgemm_args args;
	uint64_t best = 0;
	float *a, *b, *c;

	example_start(&ex, argc, argv);
	if (n < 1 || n > 4096)
		example_die(&ex, 2, "--size must be 1 to 4096");
	if (repeat < 1)
		example_die(&ex, 2, "--repeat must be at least 1");
	a = example_buffer(&ex, n * n * sizeof(float), TESS_BUFFER_VRAM, &a_buf);
	b = example_buffer(&ex, n * n * sizeof(float), TESS_BUFFER_VRAM, &b_buf);
	c = example_buffer(&ex, n * n * sizeof(float), TESS_BUFFER_VRAM, &c_buf);
	fill(a, 1);
	fill(b, 2);

	args.a = tess_buffer_va(a_buf);
	args.b = tess_buffer_va(b_buf);
	args.c = tess_buffer_va(c_buf);
	args.n = (uint32_t)n;
	for (uint64_t i = 0; i < repeat; i++) {
		multiply(&ex, &args, &counters);
		if (!i || counters.cycles < best)
			best = counters.cycles;
	}
	example_extra(&ex, "\"size\": %llu, \"best_cycles\": %llu, \"flops_per_cycle\": %.3f",
		      (unsigned long long)n, (unsigned long long)best,
		      best ? (double)counters.flops / (double)best : 0.0);
	return example_finish(&ex, ex.verify ? compare(a, b, c) : 0, false);
}
