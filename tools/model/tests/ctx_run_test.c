// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: a context may be moved at any instruction
 *
 * Random kernels (integer, floating point, barriers, atomics, local memory,
 * branches that diverge, private memory) run undisturbed once. Then they are
 * preempted each time that about k more instructions have retired, for many k,
 * and moved to a random slice of any kind, their own included. Results and all
 * counters of work must come out the same.
 *
 * What harts of one group do to each other depends on their order, and shows. What
 * groups do to each other does not: how many run at a time is the slice's choice.
 */
#include <stdlib.h>
#include <string.h>

#include "ctx_rig.h"
#include "program.h"
#include "rv.h"
#include "tap.h"

#define CODE 0x10000ULL
#define DATA 0x100000ULL /* 256 bytes an item, then a page a group, then the sum */
#define SHARED 0x180000ULL
#define SUM 0x1c0000ULL
#define SCRATCH 0x1d0000ULL
#define CODE_PA RIG_DATA
#define DATA_PA (RIG_SYS + (2ULL << 20))
#define DATA_SIZE 0x100000ULL
#define PRIVATE 64u

/**
 * struct job - what runs
 * @p: the kernel
 * @items: of the grid
 * @group: items of a group
 * @inner: loops of the inner loop
 * @range: DISPATCH_RANGE without the first and last group
 * @indirect: from an indirect buffer
 */
struct job {
	struct program p;
	uint32_t items;
	uint16_t group;
	int inner;
	bool range;
	bool indirect;
};

static uint64_t preemptions, largest;

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

static void random_kernel(struct job *j)
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
		d.header = TESS_PKT_DISPATCH_RANGE;
		d.completion_signal = TESS_DISPATCH_RANGE(1, groups - 2);
	}
	return d;
}

static void push_job(struct rig *r, const struct job *j)
{
	struct tess_pkt_dispatch d = job_packet(j);
	struct tess_pkt_indirect i = pkt_indirect(SUM + 0x1000, 2);
	struct tess_pkt_copy c = pkt_copy(SUM + 0x2000, DATA, 0x1001);
	struct tess_pkt_fence f = pkt_fence(5, TESS_FENCE_IRQ);
	uint8_t *buffer = rig_mem(r, DATA_PA + (SUM - DATA) + 0x1000);

	memcpy(buffer, &d, sizeof(d));
	memcpy(buffer + TESS_PKT_SIZE, &c, sizeof(c));
	if (j->indirect) {
		rig_push(r, 0, &i);
	} else {
		rig_push(r, 0, &d);
		rig_push(r, 0, &c);
	}
	rig_push(r, 0, &f);
	rig_doorbell(r, 0);
}

static struct rig *start(const struct job *j)
{
	struct rig *r = rig_new();
	uint64_t root = rig_table(r, 1), *data = rig_mem(r, DATA_PA);

	rig_map_range(r, root, CODE, CODE_PA, 1);
	rig_map_range(r, root, DATA, DATA_PA, DATA_SIZE / TESS_PAGE_SIZE);
	memcpy(rig_mem(r, CODE_PA), j->p.words, j->p.n * sizeof(j->p.words[0]));
	for (uint64_t i = 0; i < (SUM - DATA) / 8; i++)
		data[i] = i * 0x9e3779b97f4a7c15ull;
	rig_set_vm(r, 0, root);
	push_job(r, j);
	return r;
}

/* Counters of work, not of time. */
static const uint8_t work[] = { TESS_COUNTER_INSTRUCTIONS, TESS_COUNTER_FLOPS,
				TESS_COUNTER_BYTES,	   TESS_COUNTER_GROUPS,
				TESS_COUNTER_PACKETS,	   TESS_COUNTER_DISPATCHES,
				TESS_COUNTER_FAULTS };

struct result {
	uint8_t memory[SCRATCH - DATA];
	uint64_t seq;
	uint64_t counters[sizeof(work)];
};

static void finish(struct rig *r, unsigned int n, struct result *res)
{
	memcpy(res->memory, rig_mem(r, DATA_PA), sizeof(res->memory));
	res->seq = rig_read64(r, RIG_RECORD(0));
	for (size_t i = 0; i < sizeof(work); i++)
		res->counters[i] = counter(r, n, work[i]);
	rig_free(r);
}

static bool run_whole(const struct job *j, struct result *res)
{
	struct rig *r = start(j);

	rig_run(r, 1000000);
	finish(r, 0, res);
	return res->seq == 5;
}

/* Let the slice retire @k more instructions, about: cores act together. */
static void run_on(struct rig *r, unsigned int n, uint64_t k)
{
	uint64_t want = counter(r, n, TESS_COUNTER_INSTRUCTIONS) + k;
	unsigned int step = k < 16 ? 1 : k < 4096 ? (unsigned int)k / 16 : 256;

	while (gpu_get_state(r->gpu) == GPU_RUNNING &&
	       counter(r, n, TESS_COUNTER_INSTRUCTIONS) < want)
		gpu_step(r->gpu, step);
}

/* @k 0: a random number each time. Returns the moves, 0 if one failed. */
static uint64_t run_moving(const struct job *j, uint64_t k, struct result *res)
{
	struct rig *r = start(j);
	uint64_t moves = 0, used;
	unsigned int n = 0, to;

	for (;;) {
		run_on(r, n, k ? k : 1 + ctx_random(2000));
		if (gpu_get_state(r->gpu) != GPU_RUNNING)
			break;
		to = ctx_random(RIG_SLICES);
		used = ctx_move(r, n, to);
		if (!used || counter(r, to, TESS_COUNTER_SWITCHES) != ++moves) {
			rig_free(r);
			return 0;
		}
		largest = used > largest ? used : largest;
		n = to;
	}
	finish(r, n, res);
	preemptions += moves;
	return moves;
}

static void check(const struct job *j, const uint64_t *k, unsigned int nr, const char *name)
{
	static struct result whole, moved;
	uint64_t before = preemptions;
	bool good = run_whole(j, &whole);

	for (unsigned int i = 0; good && i < nr; i++) {
		good = run_moving(j, k[i], &moved) && !memcmp(&moved, &whole, sizeof(whole));
		if (!good)
			printf("# every %llu instructions: differs\n", (unsigned long long)k[i]);
	}
	ok(good, "%s: %llu preemptions change nothing", name,
	   (unsigned long long)(preemptions - before));
}

/* Few items, so that each instruction's turn comes. */
static void test_small(void)
{
	static const uint64_t k[] = { 1, 2, 3, 5, 7, 11, 16, 17, 31 };
	char name[64];

	for (unsigned int i = 0; i < 24; i++) {
		struct job j = { .items = 5 + i % 8, .group = 3, .inner = 1 };

		j.p.apart = i % 4 == 3;
		j.indirect = i & 1;
		random_kernel(&j);
		snprintf(name, sizeof(name), "small kernel %u", i);
		check(&j, k, sizeof(k) / sizeof(k[0]), name);
	}
}

/* More groups than slots, partial waves and groups. */
static void test_large(void)
{
	static const uint64_t k[] = { 997, 4099, 20011, 0 };
	char name[64];

	for (unsigned int i = 0; i < 8; i++) {
		struct job j = { .items = 410, .group = 37, .inner = 6 };

		j.range = i & 1;
		j.indirect = i & 2;
		random_kernel(&j);
		snprintf(name, sizeof(name), "large kernel %u", i);
		check(&j, k, sizeof(k) / sizeof(k[0]), name);
	}
}

/* Loops that outlast turns of the waves, in divergence: who leads them is state too. */
static void test_long(void)
{
	static const uint64_t k[] = { 1009, 0 };
	char name[64];

	for (unsigned int i = 0; i < 24; i++) {
		struct job j = { .items = 111, .group = 37, .inner = 25 };

		random_kernel(&j);
		snprintf(name, sizeof(name), "long kernel %u", i);
		check(&j, k, sizeof(k) / sizeof(k[0]), name);
	}
}

int main(void)
{
	test_small();
	test_large();
	test_long();
	ok(preemptions >= 5000, "%llu preemptions", (unsigned long long)preemptions);
	ok(largest > 100000, "images of up to %llu bytes", (unsigned long long)largest);
	return done();
}
