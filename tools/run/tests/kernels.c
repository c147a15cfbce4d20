// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernels for the tests of tessera-run: each argument kind, and ways to fail. */
#include <tessera_device.h>

/* As --arg in:A --arg out:B --arg inout:C --arg u32:N --arg f32:F --arg f64:D --arg i64:I */
struct all_args {
	const uint32_t *in;
	uint32_t *out;
	uint32_t *inout;
	uint32_t n;
	float f;
	double d;
	int64_t i;
};

TESS_KERNEL(all)
void all(const struct all_args *args)
{
	uint32_t id = tess_get_global_id(0);

	if (id >= args->n)
		return;
	args->out[id] = args->in[id] + (uint32_t)(args->f * 2.0f) + (uint32_t)(args->d * 4.0) +
			(uint32_t)(0 - args->i);
	args->inout[id]++;
}

/* As --arg out:A --arg local:64 --arg zero:64 */
struct memory_args {
	uint64_t *out;
	uint32_t *local;
	uint32_t *zero;
};

TESS_KERNEL(memory, 16)
void memory(const struct memory_args *args)
{
	uint32_t id = tess_get_local_id(0);

	args->local[id] = id;
	tess_barrier();
	if (id == 0) {
		args->out[0] = (uint64_t)args->local;
		args->out[1] = tess_get_local_bytes();
		args->out[2] = args->local[15];
		args->out[3] = args->zero[0];
	}
}

TESS_KERNEL(wild)
void wild(const void *args)
{
	(void)args;
	*(volatile uint32_t *)64 = 1;
}
