// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Jobs of ctx_job.h. What work-items of one group do to each other depends on
 * their order, and shows. What groups do to each other does not: how many run at
 * a time is the slice's choice.
 */
#include "ctx_job.h"

#include <string.h>

#include "rv.h"

#define CODE 0x10000ULL
#define DATA 0x100000ULL /* 256 bytes an item, then a page a group, then the sum */
#define SHARED 0x180000ULL
#define SUM 0x1c0000ULL
#define SCRATCH (DATA + JOB_MEMORY)
#define CODE_PA(n) (RIG_DATA + (n) * (uint64_t)TESS_PAGE_SIZE)
#define DATA_PA(n) (RIG_SYS + ((2ULL + (n)) << 20))
#define DATA_SIZE 0x100000ULL
#define PRIVATE 64u

static void local_exchange(struct program *p)
{
	program_emit(p, CSRRS(T1, 0xcd1, X0));
	program_emit(p, SLLI(T1, T1, 3));
	program_emit(p, LUI(T2, 0xffff0));
	program_emit(p, ADD(T1, T1, T2));
	program_emit(p, LD(A5, 0, T1));
	program_emit(p, ADD(A3, A3, A5));
	program_emit(p, SD(A3, 0, T1));
	program_emit(p, BARRIER);
	program_emit(p, LD(A4, 0, T2));
	program_emit(p, AMO(4, 3, A5, A3, T2));
	program_emit(p, SD(A4, 240, S0));
	program_emit(p, SD(A5, 248, S0));
	/* The stack: what one round leaves the next one finds. */
	program_emit(p, LD(A6, -16, SP));
	program_emit(p, ADD(A6, A6, A4));
	program_emit(p, SD(A6, -16, SP));
	program_emit(p, LUI(T2, SUM >> 12));
	program_emit(p, AMO(0, 3, X0, A4, T2));
}

void job_random(struct job *j)
{
	struct program *p = &j->p;
	unsigned int outer, inner;

	p->n = 0;
	p->timeless = true;
	program_emit(p, CSRRS(A1, 0xcd3, X0));
	program_emit(p, SLLI(S0, A1, 8));
	program_emit(p, ADD(S0, S0, A0));
	program_emit(p, CSRRS(A2, 0xcc3, X0));
	program_emit(p, SLLI(A2, A2, 12));
	program_emit(p, LUI(S1, SHARED >> 12));
	program_emit(p, ADD(S1, S1, A2));
	program_emit(p, SD(X0, -16, SP));
	program_emit(p, ANDI(T0, A1, 1));
	program_emit(p, ADDI(T0, T0, 1));
	program_emit(p, CSRRWI(X0, 0x002, program_pick(4) ? 0 : program_pick(5)));
	outer = p->n;
	program_emit(p, ADDI(PROGRAM_S2, X0, j->inner));
	inner = p->n;
	program_body(p);
	program_emit(p, ADDI(PROGRAM_S2, PROGRAM_S2, -1));
	program_emit(p, BNE(PROGRAM_S2, X0, 4 * ((int32_t)inner - (int32_t)p->n)));
	program_emit(p, BARRIER);
	local_exchange(p);
	program_emit(p, ADDI(T0, T0, -1));
	program_emit(p, BNE(T0, X0, 4 * ((int32_t)outer - (int32_t)p->n)));
	program_emit(p, program_pick(2) ? RET : EXIT);
}

static struct tess_pkt_dispatch job_packet(const struct job *j)
{
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, DATA, j->items, j->group);
	uint32_t groups = (j->items + j->group - 1) / j->group;

	d.private_segment_size = PRIVATE;
	d.scratch_address = SCRATCH;
	d.group_segment_size = j->group * 8U + 4;
	if (j->range) {
		d.header = DRM_TESSERA_PKT_DISPATCH_RANGE;
		d.completion_signal = DRM_TESSERA_DISPATCH_RANGE(1, groups - 2);
	}
	return d;
}

static void push_job(struct rig *r, const struct job *j, unsigned int n)
{
	struct tess_pkt_dispatch d = job_packet(j);
	struct tess_pkt_indirect i = pkt_indirect(SUM + 0x1000, 2);
	struct tess_pkt_copy c = pkt_copy(SUM + 0x2000, DATA, 0x1001);
	struct tess_pkt_fence f = pkt_fence(JOB_SEQ, DRM_TESSERA_FENCE_IRQ);
	uint8_t *buffer = rig_mem(r, DATA_PA(n) + (SUM - DATA) + 0x1000);

	memcpy(buffer, &d, sizeof(d));
	memcpy(buffer + DRM_TESSERA_PKT_SIZE, &c, sizeof(c));
	if (j->indirect) {
		rig_push(r, n, &i);
	} else {
		rig_push(r, n, &d);
		rig_push(r, n, &c);
	}
	rig_push(r, n, &f);
	rig_doorbell(r, n);
}

void job_start(struct rig *r, const struct job *j, unsigned int n)
{
	uint64_t root = rig_table(r, 1), *data = rig_mem(r, DATA_PA(n));

	rig_map_range(r, root, CODE, CODE_PA(n), 1);
	rig_map_range(r, root, DATA, DATA_PA(n), DATA_SIZE / TESS_PAGE_SIZE);
	memcpy(rig_mem(r, CODE_PA(n)), j->p.words, j->p.n * sizeof(j->p.words[0]));
	for (uint64_t i = 0; i < (SUM - DATA) / 8; i++)
		data[i] = i * 0x9e3779b97f4a7c15ull;
	rig_set_vm(r, n, root);
	push_job(r, j, n);
}

/* Counters of work, not of time. */
static const uint8_t work[JOB_COUNTERS] = { TESS_COUNTER_INSTRUCTIONS, TESS_COUNTER_FLOPS,
					    TESS_COUNTER_BYTES,	       TESS_COUNTER_GROUPS,
					    TESS_COUNTER_PACKETS,      TESS_COUNTER_DISPATCHES,
					    TESS_COUNTER_FAULTS };

void job_finish(struct rig *r, unsigned int n, unsigned int slice, struct job_result *res)
{
	memcpy(res->memory, rig_mem(r, DATA_PA(n)), sizeof(res->memory));
	res->seq = rig_read64(r, RIG_RECORD(n));
	for (size_t i = 0; i < JOB_COUNTERS; i++)
		res->counters[i] = counter(r, slice, work[i]);
}

bool job_whole(const struct job *j, struct job_result *res)
{
	struct rig *r = rig_new();

	job_start(r, j, 0);
	rig_run(r, 1000000);
	job_finish(r, 0, 0, res);
	rig_free(r);
	return res->seq == JOB_SEQ;
}

void job_run_on(struct rig *r, unsigned int slice, uint64_t k)
{
	uint64_t want = counter(r, slice, TESS_COUNTER_INSTRUCTIONS) + k;
	unsigned int step = k < 16 ? 1 : k < 4096 ? (unsigned int)k / 16 : 256;

	while (gpu_get_state(r->gpu) == GPU_RUNNING &&
	       sreg(r, slice, TESS_SREG_STATUS) & TESS_STATUS_BUSY &&
	       counter(r, slice, TESS_COUNTER_INSTRUCTIONS) < want)
		gpu_step(r->gpu, step);
}
