// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slices side by side: signals between them, and that nothing which one of them
 * does, suffers or is denied changes what another computes, or when.
 */
#include <string.h>

#include "rig.h"
#include "rv.h"
#include "tap.h"

#define CODE 0x10000ULL
#define OUT 0x100000ULL
#define CODE_PA RIG_DATA
#define WORK_PA (RIG_SYS + (1ULL << 20))
#define WORK_SIZE 0x20000

static void put_kernel(struct rig *r)
{
	/* A walk over memory: out[id] = out[id] * 3 + id, 200 times */
	const uint32_t code[] = {
		CSRRS(T0, 0xcd3, X0), SLLI(T1, T0, 3),	ADD(T1, T1, A0),  ADDI(T2, X0, 200),
		ADDI(S1, X0, 3),      LD(S0, 0, T1),	MUL(S0, S0, S1),  ADD(S0, S0, T0),
		SD(S0, 0, T1),	      ADDI(T2, T2, -1), BNE(T2, X0, -20), RET,
	};

	memcpy(rig_mem(r, CODE_PA), code, sizeof(code));
}

static uint64_t put_tables(struct rig *r)
{
	uint64_t root = rig_table(r, 1);

	rig_map_range(r, root, CODE, CODE_PA, 1);
	rig_map_range(r, root, OUT, WORK_PA, WORK_SIZE / TESS_PAGE_SIZE);
	return root;
}

/* Slice 3's work: kernels, copies, fences with times. */
static void push_work(struct rig *r, unsigned int n, uint64_t root)
{
	struct tess_pkt_set_vm vm = pkt_set_vm(root, 1, 0);
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, OUT, 2000, 100);
	struct tess_pkt_copy c = pkt_copy(OUT + 0x8000, OUT, 16000);
	struct tess_pkt_timestamp t = pkt_timestamp(OUT + 0x18000, DRM_TESSERA_TIMESTAMP_COUNTERS);
	struct tess_pkt_fence f = pkt_fence(1, DRM_TESSERA_FENCE_IRQ);

	rig_push(r, n, &vm);
	for (unsigned int i = 0; i < 4; i++) {
		rig_push(r, n, &d);
		rig_push(r, n, &c);
		t.address += 64;
		rig_push(r, n, &t);
		f.seq++;
		rig_push(r, n, &f);
	}
	rig_doorbell(r, n);
}

/**
 * struct result - of slice 3's work
 * @memory: all that it wrote, times included
 * @record: its completion record
 * @counters: its counters
 */
struct result {
	uint8_t memory[WORK_SIZE];
	uint64_t record[4];
	uint64_t counters[TESS_COUNTER_COUNT];
};

static void get_result(struct rig *r, unsigned int n, struct result *res)
{
	memcpy(res->memory, rig_mem(r, WORK_PA), WORK_SIZE);
	memcpy(res->record, rig_mem(r, RIG_RECORD(n)), sizeof(res->record));
	for (unsigned int i = 0; i < TESS_COUNTER_COUNT; i++)
		res->counters[i] = counter(r, n, i * 8);
}

static unsigned int steps_of_work;

/* Run slice 3's work beside what @trouble does on the others. */
static void run_beside(void (*trouble)(struct rig *r), struct result *res)
{
	struct rig *r = rig_new();
	uint64_t root = put_tables(r);
	unsigned int steps = 0;

	put_kernel(r);
	if (trouble)
		trouble(r);
	push_work(r, 3, root);
	while (steps < 5000 && sreg64(r, 3, TESS_SREG_RPTR) != r->wptr[3]) {
		gpu_step(r->gpu, GPU_STEP_CYCLES);
		steps++;
	}
	steps_of_work = steps;
	get_result(r, 3, res);
	rig_free(r);
}

static void trouble_faults(struct rig *r)
{
	struct tess_pkt_signal s = pkt_signal(0x1000, DRM_TESSERA_SIGNAL_SET, 1);
	uint8_t junk[DRM_TESSERA_PKT_SIZE];

	memset(junk, 0xff, sizeof(junk));
	rig_push(r, 0, &s);
	rig_push(r, 1, junk);
	rig_doorbell(r, 0);
	rig_doorbell(r, 1);
	gpu_reg_write(r->gpu, TESS_DOORBELL_PAGE(2), ~0ULL, 8);
}

static void trouble_endless(struct rig *r)
{
	const uint32_t loop[] = { JAL(X0, 0) };
	uint64_t root = rig_table(r, 1), code = RIG_DATA + 0x4000;
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, OUT, 2048, 256);
	struct tess_pkt_set_vm vm = pkt_set_vm(root, 1, 0);
	struct tess_pkt_fill f = pkt_fill(RIG_VRAM(0), 4, 1);
	struct tess_pkt_wait w = pkt_wait(RIG_DATA + 0x8000, DRM_TESSERA_WAIT_EQ, 1);

	memcpy(rig_mem(r, code), loop, sizeof(loop));
	rig_map(r, root, CODE, code, PTE_ALL, 0);
	f.rows = ~0U;
	rig_push(r, 0, &vm);
	rig_push(r, 0, &d);
	rig_push(r, 1, &f);
	rig_push(r, 2, &w);
	for (unsigned int n = 0; n < 3; n++)
		rig_doorbell(r, n);
}

static void trouble_host(struct rig *r)
{
	struct tess_pkt_fill f = pkt_fill(RIG_VRAM(0), 4096, 1);

	for (unsigned int n = 0; n < 3; n++) {
		hreg_write64(r, n, TESS_HREG_STAGE2_ROOT, rig_table(r, 4));
		hreg_write(r, n, TESS_HREG_CONTROL, TESS_HCONTROL_RUN | TESS_HCONTROL_STAGE2);
		rig_push(r, n, &f);
		rig_doorbell(r, n);
	}
	hreg_write(r, 0, TESS_HREG_RESET, 1);
	hreg_write(r, 1, TESS_HREG_SCRUB, 1);
	hreg_write(r, 2, TESS_HREG_CTX_OP, TESS_CTX_SAVE);
}

/* A kernel that writes wherever it can, and its own code. */
static void trouble_wild(struct rig *r)
{
	const uint32_t wild[] = { SD(T0, 0, T1), ADDI(T1, T1, 2047), SLLI(T1, T1, 1),
				  JAL(X0, -12) };
	const uint32_t self[] = { SW(X0, 8, A0), FENCE_I, NOP, NOP };
	uint64_t root = rig_table(r, 1), code = RIG_DATA + 0x4000;
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, CODE, 64, 16);
	struct tess_pkt_set_vm vm = pkt_set_vm(root, 1, 0);

	rig_map(r, root, CODE, code, PTE_ALL, 0);
	rig_map(r, root, CODE + 0x1000, code + 0x1000, PTE_ALL, 0);
	memcpy(rig_mem(r, code), self, sizeof(self));
	memcpy(rig_mem(r, code + 0x1000), wild, sizeof(wild));
	for (unsigned int n = 0; n < 3; n++) {
		rig_push(r, n, &vm);
		rig_push(r, n, &d);
		rig_doorbell(r, n);
		d.kernel_object = CODE + 0x1000;
	}
}

static void test_contained(void)
{
	static const struct {
		const char *name;
		void (*trouble)(struct rig *r);
	} cases[] = {
		{ "client faults", trouble_faults },
		{ "endless loop, endless FILL, endless WAIT", trouble_endless },
		{ "host faults, reset, scrub", trouble_host },
		{ "wild stores, self-modifying code", trouble_wild },
	};
	static struct result alone, beside;
	unsigned int steps;

	run_beside(NULL, &alone);
	steps = steps_of_work;
	ok(alone.record[0] == 5 && alone.counters[TESS_COUNTER_GROUPS / 8] == 80,
	   "the work is done in %u steps", steps);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		run_beside(cases[i].trouble, &beside);
		ok(!memcmp(&alone, &beside, sizeof(alone)) && steps == steps_of_work,
		   "beside %s: same memory, same cycles", cases[i].name);
	}
}

/* A chain over all slices: each waits for the one before it. */
static void test_chain(struct rig *r)
{
	uint64_t word = RIG_VRAM(1) + 0x100;

	for (unsigned int lap = 0; lap < 3; lap++) {
		for (int n = RIG_SLICES - 1; n >= 0; n--) {
			struct tess_pkt_wait w = pkt_wait(word, DRM_TESSERA_WAIT_EQ,
							  lap * RIG_SLICES + (unsigned int)n);
			struct tess_pkt_signal s = pkt_signal(word, DRM_TESSERA_SIGNAL_ADD, 1);

			rig_push(r, (unsigned int)n, &w);
			rig_push(r, (unsigned int)n, &s);
			rig_doorbell(r, (unsigned int)n);
		}
	}
	for (unsigned int i = 0; i < 50; i++)
		gpu_step(r->gpu, GPU_STEP_CYCLES);
	ok(rig_read64(r, word) == 3 * RIG_SLICES && gpu_get_state(r->gpu) == GPU_IDLE,
	   "WAIT and SIGNAL around all slices, three times");
}

static void test_wait_is_not_busy(struct rig *r)
{
	struct tess_pkt_wait w = pkt_wait(RIG_DATA, DRM_TESSERA_WAIT_EQ, 1);
	uint64_t busy = counter(r, 0, TESS_COUNTER_BUSY);
	uint64_t cycles = counter(r, 0, TESS_COUNTER_CYCLES);

	rig_do(r, 0, &w);
	for (unsigned int i = 0; i < 9; i++)
		gpu_step(r->gpu, GPU_STEP_CYCLES);
	ok(counter(r, 0, TESS_COUNTER_BUSY) - busy == 16 &&
		   counter(r, 0, TESS_COUNTER_CYCLES) - cycles == 10 * GPU_STEP_CYCLES,
	   "waiting is not BUSY");
	hreg_write(r, 0, TESS_HREG_CONTROL, 0);
	ok(gpu_get_state(r->gpu) == GPU_IDLE, "a halted slice does not wait");
	hreg_write(r, 0, TESS_HREG_CONTROL, TESS_HCONTROL_RUN);
	rig_recover(r, 0);
}

int main(void)
{
	struct rig *r = rig_new();

	test_contained();
	test_chain(r);
	test_wait_is_not_busy(r);
	rig_free(r);
	return done();
}
