// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stopping a slice: work that is halted and resumed at random points, by host and
 * by client, leaves the same memory and the same counters as work that is not.
 */
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "rv.h"
#include "tap.h"

#define CODE 0x10000ULL
#define OUT 0x100000ULL
#define CODE_PA RIG_DATA
#define WORK_PA (RIG_SYS + (1ULL << 20))
#define WORK_SIZE 0x20000
#define ROUNDS 40

static uint64_t seed = 1;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(seed >> 33) % n;
}

/* Barriers, divergence (odd items go round more often), atomics, private memory. */
static void put_kernel(struct rig *r)
{
	const uint32_t code[] = {
		CSRRS(T0, 0xcd3, X0),  SLLI(T1, T0, 3),	 ADD(T1, T1, A0),
		ANDI(T2, T0, 7),       ADDI(T2, T2, 20), SD(T0, -8, SP),
		LD(S0, -8, SP),	       ADD(S1, S1, S0),	 ADDI(T2, T2, -1),
		BNE(T2, X0, -12),      BARRIER,		 LUI(A1, 0x110),
		AMO(0, 3, A2, S1, A1), SD(S1, 0, T1),	 RET,
	};

	memcpy(rig_mem(r, CODE_PA), code, sizeof(code));
}

static void push_work(struct rig *r, unsigned int n, uint64_t root)
{
	struct tess_pkt_set_vm vm = pkt_set_vm(root, 1, 0);
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, OUT, 1500, 64);
	struct tess_pkt_copy c = pkt_copy(OUT + 0x8001, OUT, 9999);
	struct tess_pkt_indirect i = pkt_indirect(OUT + 0x18000, 2);
	struct tess_pkt_fence f = pkt_fence(9, 0);
	uint8_t *buffer = rig_mem(r, WORK_PA + 0x18000);

	d.private_segment_size = 32;
	d.scratch_address = OUT + 0x40000;
	memcpy(buffer, &c, sizeof(c));
	memcpy(buffer + DRM_TESSERA_PKT_SIZE, &d, sizeof(d));
	rig_push(r, n, &vm);
	rig_push(r, n, &d);
	rig_push(r, n, &c);
	rig_push(r, n, &i);
	rig_push(r, n, &f);
	rig_doorbell(r, n);
}

static uint64_t set_up(struct rig *r)
{
	uint64_t root = rig_table(r, 1);

	put_kernel(r);
	rig_map_range(r, root, CODE, CODE_PA, 1);
	rig_map_range(r, root, OUT, WORK_PA, WORK_SIZE / TESS_PAGE_SIZE);
	rig_map_range(r, root, OUT + 0x40000, WORK_PA + 0x40000, 8 * 64 * 32 / TESS_PAGE_SIZE);
	return root;
}

/* A halt of one kind or the other, some time in which others would run, and back. */
static void interrupt(struct rig *r, unsigned int n)
{
	bool host = random_below(2);

	if (host)
		hreg_write(r, n, TESS_HREG_CONTROL, 0);
	else
		sreg_write(r, n, TESS_SREG_CONTROL, 0);
	for (uint32_t i = random_below(4); i > 0; i--)
		gpu_step(r->gpu, 1 + random_below(1000));
	if (host)
		hreg_write(r, n, TESS_HREG_CONTROL, TESS_HCONTROL_RUN);
	else
		sreg_write(r, n, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
}

struct result {
	uint8_t memory[WORK_SIZE];
	uint64_t seq;
	uint64_t counters[TESS_COUNTER_COUNT];
};

/**
 * run() - do the work once
 * @n: slice
 * @halts: interrupt it in one of so many steps, 0: never
 * @fixed: steps of 512 cycles; otherwise of random size
 * @res: what came out
 */
static void run(unsigned int n, uint32_t halts, bool fixed, struct result *res)
{
	struct rig *r = rig_new();
	uint64_t root = set_up(r);

	push_work(r, n, root);
	while (gpu_get_state(r->gpu) == GPU_RUNNING) {
		gpu_step(r->gpu, fixed ? GPU_STEP_CYCLES : 1 + random_below(2000));
		if (halts && !random_below(halts))
			interrupt(r, n);
	}
	memcpy(res->memory, rig_mem(r, WORK_PA), WORK_SIZE);
	res->seq = rig_read64(r, RIG_RECORD(n));
	for (unsigned int i = 0; i < TESS_COUNTER_COUNT; i++)
		res->counters[i] = counter(r, n, i * 8);
	rig_free(r);
}

int main(void)
{
	static struct result whole, cut;
	unsigned int same_all = 0, same_memory = 0, i;

	for (unsigned int n = 0; n < 3; n++) {
		run(n, 0, true, &whole);
		ok(whole.seq == 9, "slice %u: the work is done", n);
		for (i = 0, same_all = 0, same_memory = 0; i < ROUNDS; i++) {
			run(n, 1 + random_below(8), true, &cut);
			same_all += !memcmp(&cut, &whole, sizeof(cut));
			run(n, 1 + random_below(8), false, &cut);
			same_memory += !memcmp(cut.memory, whole.memory, WORK_SIZE) &&
				       cut.seq == 9 &&
				       cut.counters[TESS_COUNTER_INSTRUCTIONS / 8] ==
					       whole.counters[TESS_COUNTER_INSTRUCTIONS / 8];
		}
		ok(same_all == ROUNDS, "slice %u: halted between steps: all is the same (%u)", n,
		   same_all);
		ok(same_memory == ROUNDS,
		   "slice %u: halted anywhere: memory and instructions are the same (%u)", n,
		   same_memory);
	}
	return done();
}
