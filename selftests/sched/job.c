// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: random jobs
 *
 * The body is a random program of the model's tests, in two loops around barriers and an
 * exchange through local memory. Harts of a group show their order to each other, which is
 * part of a context; groups show nothing to each other but sums, for how many run at a
 * time is the slice's choice.
 */
#include "job.h"

#include <string.h>

#include "program.h"
#include "rv.h"

/* 256 bytes an item, then a page a group, then the sum */
#define SHARED 0x80000u
#define SUM 0xc0000u
#define SCRATCH JOB_RESULT_BYTES
#define CODE 0xf0000u
#define PRIVATE 64u
#define LOCAL_BYTES_ITEM 8u

static void load_address(struct program *p, uint32_t reg, uint64_t va)
{
	program_emit(p, LUI(reg, va >> 12));
}

/* Neighbours' values through local memory, and what is left on the stack */
static void exchange(struct program *p, uint64_t base)
{
	program_emit(p, CSRRS(T1, 0xcd1, X0)); /* flat id */
	program_emit(p, SLLI(T1, T1, 3));
	program_emit(p, LUI(T2, 0xffff0)); /* local memory */
	program_emit(p, ADD(T1, T1, T2));
	program_emit(p, LD(A5, 0, T1));
	program_emit(p, ADD(A3, A3, A5));
	program_emit(p, SD(A3, 0, T1));
	program_emit(p, BARRIER);
	program_emit(p, LD(A4, 0, T2));
	program_emit(p, AMO(4, 3, A5, A3, T2)); /* amoxor */
	program_emit(p, SD(A4, 240, S0));
	program_emit(p, SD(A5, 248, S0));
	program_emit(p, LD(A6, -16, SP));
	program_emit(p, ADD(A6, A6, A4));
	program_emit(p, SD(A6, -16, SP));
	load_address(p, T2, base + SUM);
	program_emit(p, AMO(0, 3, X0, A4, T2)); /* amoadd */
}

static void begin(struct program *p, uint64_t base)
{
	program_emit(p, CSRRS(A1, 0xcd3, X0)); /* global id */
	program_emit(p, SLLI(S0, A1, 8));
	program_emit(p, ADD(S0, S0, A0));
	program_emit(p, CSRRS(A2, 0xcc3, X0)); /* group */
	program_emit(p, SLLI(A2, A2, 12));
	load_address(p, S1, base + SHARED);
	program_emit(p, ADD(S1, S1, A2));
	program_emit(p, SD(X0, -16, SP));
	program_emit(p, ANDI(T0, A1, 1)); /* rounds: 1 or 2 */
	program_emit(p, ADDI(T0, T0, 1));
	program_emit(p, CSRRWI(X0, 0x002, program_pick(5))); /* rounding mode */
}

static void make_code(struct program *p, uint64_t base, unsigned int inner_loops)
{
	unsigned int outer, inner;

	p->timeless = true;
	begin(p, base);
	outer = p->n;
	program_emit(p, ADDI(PROGRAM_S2, X0, inner_loops));
	inner = p->n;
	program_body(p);
	program_emit(p, ADDI(PROGRAM_S2, PROGRAM_S2, -1));
	program_emit(p, BNE(PROGRAM_S2, X0, 4 * ((int32_t)inner - (int32_t)p->n)));
	program_emit(p, BARRIER);
	exchange(p, base);
	program_emit(p, ADDI(T0, T0, -1));
	program_emit(p, BNE(T0, X0, 4 * ((int32_t)outer - (int32_t)p->n)));
	program_emit(p, program_pick(2) ? RET : EXIT);
}

void job_make(struct job *j, uint64_t seed, uint64_t base, unsigned int inner)
{
	/* More groups than slots, and partial waves and groups, or not */
	static const uint16_t group_sizes[] = { 37, 16, 64, 5 };
	struct program p = { 0 };
	uint16_t group;

	program_seed(seed * 0x9e3779b97f4a7c15ULL + 1);
	make_code(&p, base, inner);
	group = group_sizes[program_pick(4)];
	*j = (struct job){
		.base = base,
		.seed = seed,
		.code_bytes = p.n * sizeof(p.words[0]),
		.pkt = {
			.header = DRM_TESSERA_PKT_DISPATCH | DRM_TESSERA_PKT_ACQUIRE_SYSTEM,
			.setup = 1,
			.wg_size = { group, 1, 1 },
			.grid_size = { group * (group == 5 ? 40 : 10) + 3, 1, 1 },
			.private_segment_size = PRIVATE,
			.group_segment_size = group * LOCAL_BYTES_ITEM,
			.kernel_object = base + CODE,
			.kernarg_address = base,
			.scratch_address = base + SCRATCH,
		},
	};
	memcpy(j->code, p.words, j->code_bytes);
}

void job_load(const struct job *j, void *mem)
{
	uint64_t *words = mem, i;

	for (i = 0; i < JOB_RESULT_BYTES / 8; i++)
		words[i] = (i + j->seed) * 0x9e3779b97f4a7c15ULL;
	memcpy((char *)mem + CODE, j->code, j->code_bytes);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

uint64_t job_digest(const void *mem)
{
	const uint64_t *words = mem;
	uint64_t hash = 0xcbf29ce484222325ULL;
	size_t i;

	for (i = 0; i < JOB_RESULT_BYTES / 8; i++)
		hash = (hash ^ words[i]) * 0x100000001b3ULL;
	return hash;
}
