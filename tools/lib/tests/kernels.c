// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernels for the library's tests. */
#include <tessera_device.h>

#include "kernels.h"

TESS_KERNEL(ids)
void ids(const struct ids_args *args)
{
	uint32_t sx = tess_get_global_size(0), sy = tess_get_global_size(1);
	uint64_t index =
		tess_get_global_id(0) +
		(uint64_t)sx * (tess_get_global_id(1) + (uint64_t)sy * tess_get_global_id(2));
	struct ids *out = (struct ids *)args->out + index;

	for (unsigned int d = 0; d < 3; d++) {
		out->global[d] = tess_get_global_id(d);
		out->local[d] = tess_get_local_id(d);
		out->group[d] = tess_get_group_id(d);
		out->local_size[d] = tess_get_local_size(d);
		out->enqueued_size[d] = tess_get_enqueued_local_size(d);
		out->global_size[d] = tess_get_global_size(d);
		out->num_groups[d] = tess_get_num_groups(d);
	}
	out->linear = tess_get_local_linear_id();
	out->visits++;
}

TESS_KERNEL(saxpy)
void saxpy(const struct saxpy_args *args)
{
	const float *x = (const float *)args->x;
	float *y = (float *)args->y;
	uint32_t i = tess_get_global_id(0);

	if (i < args->n)
		y[i] += args->a * x[i];
}

/* Each work-item reads what its neighbour wrote before the barrier. */
struct rotate {
	uint32_t value[256];
};

TESS_KERNEL(rotate, sizeof(struct rotate))
void rotate(const struct ids_args *args)
{
	struct rotate *l = tess_local_memory();
	uint32_t n = tess_get_local_size(0), i = tess_get_local_id(0);
	uint32_t *out = (uint32_t *)args->out;

	l->value[i] = tess_get_global_id(0);
	tess_barrier();
	out[tess_get_global_id(0)] = l->value[(i + 1) % n];
}

TESS_KERNEL(poke)
void poke(const struct poke_args *args)
{
	if (tess_get_global_id(0) != args->item)
		return;
	switch (args->what) {
	case 0:
		(void)*(volatile uint32_t *)args->addr;
		break;
	case 1:
		*(volatile uint32_t *)args->addr = 1;
		break;
	case 2:
		((void (*)(void))args->addr)();
		break;
	case 3:
		__asm__ volatile("ebreak");
		break;
	case 4:
		for (;;)
			__asm__ volatile("");
	}
}

static uint32_t numbers[3] = { 10, 20, 30 };
static uint32_t *volatile pointers[3] = { &numbers[2], &numbers[1], &numbers[0] };

static uint64_t fibonacci(unsigned int n)
{
	volatile uint64_t keep[16] = { n };

	return n < 2 ? keep[0] : fibonacci(n - 1) + fibonacci(n - 2);
}

/* Relocated data, run-time functions, atomics, dynamic local memory, deep stack */
TESS_KERNEL(mix, 32, 8000)
void mix(const struct mix_args *args)
{
	uint32_t *out = (uint32_t *)args->out;
	volatile unsigned char a[100], b[100];
	uint32_t sum = 0;

	for (unsigned int i = 0; i < 3; i++)
		sum = sum * 100 + *pointers[i];
	out[0] = sum;
	__builtin_memset((void *)a, 7, sizeof(a));
	__builtin_memcpy((void *)b, (void *)a, sizeof(b));
	b[50] = 9;
	__builtin_memmove((void *)(b + 1), (void *)b, 99);
	out[1] = b[51] + (uint32_t)b[99];
	out[2] = __builtin_memcmp((void *)a, (void *)b, 100) < 0;
	tess_atomic_add_u32(&out[3], 1);
	tess_atomic_max_u32(&out[4], tess_get_global_id(0));
	tess_atomic_add_f32((float *)&out[5], 0.5f);
	((uint64_t *)args->local)[1] = args->local;
	out[6] = (uint32_t)((uint64_t *)args->local)[1];
	out[7] = tess_get_local_bytes();
	out[8] = (uint32_t)fibonacci(12);
}

/* Not declared with TESS_KERNEL(), but kept: callable by name. */
__attribute__((used, retain)) void plain(uint32_t *const *args)
{
	(*args)[tess_get_global_id(0)] = 77;
}
