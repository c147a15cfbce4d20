// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets in progress are moved, with SAVE and RESTORE, then again with SWITCH: COPY and FILL in the middle of a row, INDIRECT
 * between and inside packets, WAIT, SIGNAL, FENCE and TIMESTAMP, with client and
 * host faults pending, with the ring overwritten meanwhile.
 */
#include <string.h>

#include "ctx_rig.h"
#include "rv.h"
#include "tap.h"

#define SRC RIG_DATA
#define DST (RIG_SYS + (2ULL << 20))
#define FLAG (RIG_SYS + (4ULL << 20))
#define BUFFER (FLAG + 0x1000) /* indirect packets */
#define CODE (FLAG + 0x2000)
#define WORK_SIZE 0x40000ULL

static uint64_t moves;
static bool use_switch;

static uint64_t carry(struct rig *r, unsigned int from, unsigned int to)
{
	return use_switch ? ctx_switch_move(r, from, to) : ctx_move(r, from, to);
}

/* Run steps of @step cycles, moving after each, until nothing runs. Returns the slice, -1: failed. */
static int run_moving(struct rig *r, unsigned int n, unsigned int step)
{
	while (gpu_get_state(r->gpu) == GPU_RUNNING) {
		unsigned int to = ctx_random(RIG_SLICES);

		gpu_step(r->gpu, step ? step : 1 + ctx_random(700));
		if (gpu_get_state(r->gpu) != GPU_RUNNING)
			break;
		if (!carry(r, n, to))
			return -1;
		n = to;
		moves++;
	}
	return (int)n;
}

static void fill_source(struct rig *r)
{
	uint8_t *p = rig_mem(r, SRC);

	for (uint64_t i = 0; i < WORK_SIZE; i++)
		p[i] = (uint8_t)(i * 7 + (i >> 8));
	memset(rig_mem(r, DST), 0, WORK_SIZE);
}

static void push_copies(struct rig *r)
{
	struct tess_pkt_copy c = pkt_copy(DST + 3, SRC + 1, 5000);
	struct tess_pkt_copy overlap = pkt_copy(DST + 0x20001, DST + 0x20000, 3000);
	struct tess_pkt_fill f = pkt_fill(DST + 0x10004, 8192, 0xdeadbeef);
	struct tess_pkt_copy vram = pkt_copy(RIG_VRAM(1), SRC, 20000);
	struct tess_pkt_copy back = pkt_copy(DST + 0x30000, RIG_VRAM(1), 20000);
	struct tess_pkt_fence e = pkt_fence(77, 0);

	c.rows = 9;
	c.src_pitch = 5003;
	c.dst_pitch = 6001;
	f.rows = 3;
	f.dst_pitch = 12004;
	rig_push(r, 0, &c);
	rig_push(r, 0, &f);
	rig_push(r, 0, &overlap);
	rig_push(r, 0, &vram);
	rig_push(r, 0, &back);
	rig_push(r, 0, &e);
	rig_doorbell(r, 0);
}

/* One run; returns the bytes that the copy engine counted, 0 if it failed. */
static uint64_t copies(unsigned int step, bool move, uint8_t *out)
{
	struct rig *r = rig_new();
	uint64_t bytes = 0;
	int n = 0;

	fill_source(r);
	((uint8_t *)rig_mem(r, DST))[0x20000] = 0x5a;
	push_copies(r);
	if (move)
		n = run_moving(r, 0, step);
	else
		rig_run(r, 100000);
	if (n >= 0 && rig_read64(r, RIG_RECORD(0)) == 77)
		bytes = counter(r, (unsigned int)n, TESS_COUNTER_BYTES);
	memcpy(out, rig_mem(r, DST), WORK_SIZE);
	rig_free(r);
	return bytes;
}

static void test_copies(void)
{
	static const unsigned int steps[] = { 1, 2, 3, 7, 64, 333, 0, 0 };
	static uint8_t whole[WORK_SIZE], cut[WORK_SIZE];
	uint64_t bytes = copies(0, false, whole), got;

	ok(bytes == 9 * 5000 + 3 * 8192 + 3000 + 2 * 20000, "COPY and FILL undisturbed");
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		moves = 0;
		got = copies(steps[i], true, cut);
		ok(got == bytes && !memcmp(cut, whole, WORK_SIZE) && moves > 8,
		   "moved every %u cycles, %llu times: the same", steps[i],
		   (unsigned long long)moves);
	}
}

/* Slice 0 with a VM that maps all of the test's memory at its own address. */
static struct rig *rig_with_vm(uint64_t *root_out)
{
	struct rig *r = rig_new();
	uint64_t root = rig_table(r, 1);

	*root_out = root;
	for (uint64_t off = 0; off < 8ULL << 20; off += 2ULL << 20)
		rig_map(r, root, RIG_SYS + off, RIG_SYS + off, PTE_ALL, 1);
	for (unsigned int n = 0; n < RIG_SLICES; n++)
		rig_set_vm(r, n, root);
	return r;
}

/* Cycles that 10 NOPs take in steps of one. */
static uint64_t nop_cycles(bool move)
{
	struct rig *r = rig_new();
	uint8_t nop[DRM_TESSERA_PKT_SIZE] = { DRM_TESSERA_PKT_NOP };
	uint64_t cycles;
	int n = 0;

	for (unsigned int i = 0; i < 10; i++)
		rig_push(r, 0, nop);
	rig_doorbell(r, 0);
	if (move)
		n = run_moving(r, 0, 1);
	while (gpu_get_state(r->gpu) == GPU_RUNNING)
		gpu_step(r->gpu, 1);
	cycles = n < 0 ? 0 : counter(r, (unsigned int)n, TESS_COUNTER_CYCLES);
	rig_free(r);
	return cycles;
}

static void test_time(void)
{
	uint64_t cycles = nop_cycles(true);

	ok(cycles == nop_cycles(false) && cycles >= 160,
	   "10 NOPs moved each cycle take no more or less");
}

static void test_indirect(void)
{
	uint64_t root;
	struct rig *r = rig_with_vm(&root);
	struct tess_pkt_indirect p = pkt_indirect(BUFFER, 20);
	struct tess_pkt_signal s = pkt_signal(FLAG, DRM_TESSERA_SIGNAL_ADD, 3);
	struct tess_pkt_fence f = pkt_fence(8, 0);
	uint64_t before = counter(r, 0, TESS_COUNTER_PACKETS);
	int n;

	for (unsigned int i = 0; i < 20; i++)
		memcpy(rig_mem(r, BUFFER + i * DRM_TESSERA_PKT_SIZE), &s, sizeof(s));
	rig_push(r, 0, &p);
	rig_push(r, 0, &f);
	rig_doorbell(r, 0);
	moves = 0;
	n = run_moving(r, 0, 1);
	ok(n >= 0 && rig_read64(r, FLAG) == 60 && rig_read64(r, RIG_RECORD(0)) == 8 && moves > 300,
	   "INDIRECT with 20 SIGNALs, moved %llu times", (unsigned long long)moves);
	ok(counter(r, (unsigned int)n, TESS_COUNTER_PACKETS) - before == 22, "PACKETS");
	rig_free(r);
}

static void test_wait(void)
{
	struct rig *r = rig_new();
	struct tess_pkt_wait w = pkt_wait(FLAG, DRM_TESSERA_WAIT_EQ, 5);
	struct tess_pkt_fence f = pkt_fence(9, DRM_TESSERA_FENCE_IRQ);
	unsigned int irqs;

	rig_write64(r, RIG_RECORD(0) + 8, 9);
	rig_push(r, 0, &w);
	rig_push(r, 0, &f);
	rig_doorbell(r, 0);
	rig_run(r, 10);
	ok(sreg(r, 0, TESS_SREG_STATUS) ==
		   (TESS_STATUS_ENABLED | TESS_STATUS_BUSY | TESS_STATUS_WAITING),
	   "a slice waits");
	/* The client takes the packet back from the ring: it is carried, not fetched again. */
	memset(rig_mem(r, RIG_RING(0)), 0xff, DRM_TESSERA_PKT_SIZE);
	ok(carry(r, 0, 1) == TESS_CTX_IDLE_SIZE + sizeof(struct tess_ctx_packet), "it is moved");
	ok(sreg(r, 1, TESS_SREG_STATUS) ==
			   (TESS_STATUS_ENABLED | TESS_STATUS_BUSY | TESS_STATUS_WAITING) &&
		   gpu_get_state(r->gpu) == GPU_WAITING,
	   "it waits there");
	gpu_step(r->gpu, 512);
	ok(rig_read64(r, RIG_RECORD(0)) == 0 && carry(r, 1, 2), "and is moved again");
	rig_write64(r, FLAG, 5);
	irqs = r->irqs[TESS_IRQ_COMPLETION];
	gpu_step(r->gpu, 512);
	ok(rig_read64(r, RIG_RECORD(0)) == 9 && r->irqs[TESS_IRQ_COMPLETION] == irqs + 1 &&
		   sreg64(r, 2, TESS_SREG_FENCE_SEQ) == 9,
	   "fulfilled where it is then; the FENCE raises its vector");
	rig_free(r);
}

/* A COPY's client fault is still there after a move, and RESUME goes on. */
static void test_client_fault(void)
{
	uint64_t root;
	struct rig *r = rig_with_vm(&root);
	uint64_t hole = 0x40000000;
	struct tess_pkt_copy c = pkt_copy(hole + 0xf00, SRC, 0x1000);
	uint64_t info, addr, packet;
	unsigned int irqs;

	fill_source(r);
	rig_map(r, root, hole, DST, PTE_ALL, 0);
	ok(rig_do(r, 0, &c) == FAULT(STORE_PAGE) &&
		   sreg64(r, 0, TESS_SREG_FAULT_ADDR) == hole + 0x1000,
	   "a COPY faults in the middle");
	info = sreg(r, 0, TESS_SREG_FAULT_INFO);
	addr = sreg64(r, 0, TESS_SREG_FAULT_ADDR);
	packet = sreg64(r, 0, TESS_SREG_FAULT_PACKET);
	irqs = r->irqs[TESS_IRQ_FAULT];
	ok(carry(r, 0, 2), "it is moved");
	ok(rig_fault(r, 2) == FAULT(STORE_PAGE) && sreg(r, 2, TESS_SREG_FAULT_INFO) == info &&
		   sreg64(r, 2, TESS_SREG_FAULT_ADDR) == addr &&
		   sreg64(r, 2, TESS_SREG_FAULT_PACKET) == packet &&
		   sreg(r, 2, TESS_SREG_IRQ_STATUS) & TESS_IRQ_STATUS_FAULT &&
		   greg64(r, TESS_REG_FAULT_PENDING) == 4 && r->irqs[TESS_IRQ_FAULT] == irqs + 1,
	   "the fault is there, and reported again");
	rig_map(r, root, hole + 0x1000, DST + 0x1000, PTE_ALL, 0);
	sreg_write(r, 2, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_RESUME);
	rig_run(r, 1000);
	ok(!rig_fault(r, 2) && !memcmp(rig_mem(r, DST + 0xf00), rig_mem(r, SRC), 0x1000),
	   "RESUME completes it");
	rig_free(r);
}

static uint64_t *stage2_leaf(struct rig *r, uint64_t root2, uint64_t pa)
{
	uint64_t table = rig_read64(r, root2) >> 10 << 12;

	return rig_mem(r, table + (pa >> 21 & 511) * 8);
}

static bool hfault_reads(struct rig *r, unsigned int n, uint64_t pa)
{
	return hreg(r, n, TESS_HREG_STATUS) & TESS_HSTATUS_FAULTED &&
	       greg64(r, TESS_REG_HFAULT_PENDING) == 1ULL << n &&
	       hreg(r, n, TESS_HREG_HFAULT_CAUSE) == DRM_TESSERA_CAUSE_STORE_GUEST_PAGE &&
	       hreg(r, n, TESS_HREG_HFAULT_ACCESS) == 2 &&
	       hreg64(r, n, TESS_HREG_HFAULT_GPA) == pa && hreg64(r, n, TESS_HREG_HFAULT_VA) == pa;
}

/* The same in two operations. */
static bool switch_stage2(struct rig *r, unsigned int from, unsigned int to, uint64_t root2)
{
	struct tess_ctx_switch d = ctx_desc(TESS_CTX_SWITCH_SAVE);

	d.save_addr = CTX_BUFFER;
	if (ctx_switch(r, from, &d) != TESS_CTX_DONE ||
	    hreg(r, from, TESS_HREG_STATUS) & TESS_HSTATUS_FAULTED)
		return false;
	d = ctx_desc(TESS_CTX_SWITCH_RESTORE | TESS_CTX_SWITCH_RUN | TESS_CTX_SWITCH_STAGE2);
	d.stage2_root = root2;
	return ctx_switch(r, to, &d) == TESS_CTX_DONE;
}

/* Move to @to and turn stage 2 on there before it runs. */
static bool move_stage2(struct rig *r, unsigned int from, unsigned int to, uint64_t root2)
{
	if (use_switch)
		return switch_stage2(r, from, to, root2);
	ctx_halt(r, from);
	if (ctx_op(r, from, TESS_CTX_SAVE) != TESS_CTX_DONE)
		return false;
	hreg_write(r, from, TESS_HREG_RESET, 1);
	hreg_write(r, to, TESS_HREG_RESET, 1);
	hreg_write64(r, to, TESS_HREG_STAGE2_ROOT, root2);
	hreg_write(r, to, TESS_HREG_CONTROL, TESS_HCONTROL_STAGE2);
	if (ctx_op(r, to, TESS_CTX_RESTORE) != TESS_CTX_DONE)
		return false;
	ctx_go(r, to);
	return true;
}

/* Work-items on several cores fault in stage 2; the context is moved with the fault. */
static void test_host_fault(bool refuse)
{
	uint64_t root;
	struct rig *r = rig_with_vm(&root);
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, DST, 512, 64);
	const uint32_t code[] = { ADDI(T0, X0, 1), AMO(0, 3, X0, T0, A0), RET };
	uint64_t root2 = rig_stage2(r, 0), old;
	unsigned int irqs, n = 1;

	memcpy(rig_mem(r, CODE), code, sizeof(code));
	rig_write64(r, DST, 0);
	old = *stage2_leaf(r, root2, DST);
	*stage2_leaf(r, root2, DST) = 0;
	hreg_write(r, 0, TESS_HREG_TLB_INVALIDATE, 1);
	rig_do(r, 0, &d);
	ok(hfault_reads(r, 0, DST), "a kernel has a host fault");
	irqs = r->irqs[TESS_IRQ_FAULT];
	ok(move_stage2(r, 0, 1, root2) && hfault_reads(r, 1, DST) &&
		   r->irqs[TESS_IRQ_FAULT] == irqs + 1,
	   "it is moved: the fault is there, and reported again");
	if (refuse) {
		hreg_write(r, 1, TESS_HREG_HFAULT_ACK, TESS_HFAULT_ACK_REFUSE);
		ok(rig_fault(r, 1) == FAULT(STORE_ACCESS) &&
			   sreg64(r, 1, TESS_SREG_FAULT_ADDR) == DST &&
			   sreg64(r, 1, TESS_SREG_FAULT_PC) == CODE + 4 &&
			   sreg(r, 1, TESS_SREG_FAULT_INFO) ==
				   (DRM_TESSERA_PKT_DISPATCH | TESS_FAULT_INFO_HART |
				    FIELD_PREP(TESS_FAULT_INFO_ACCESS, 2)),
		   "REFUSE makes it the client's fault");
		rig_free(r);
		return;
	}
	*stage2_leaf(r, root2, DST) = old;
	for (unsigned int i = 0; i < 30; i++) {
		unsigned int to = ctx_random(RIG_SLICES);

		hreg_write(r, n, TESS_HREG_HFAULT_ACK, TESS_HFAULT_ACK_RESUME);
		gpu_step(r->gpu, 20);
		if (!move_stage2(r, n, to, root2))
			break;
		n = to;
	}
	hreg_write(r, n, TESS_HREG_HFAULT_ACK, TESS_HFAULT_ACK_RESUME);
	rig_run(r, 1000);
	ok(rig_read64(r, DST) == 512 && !rig_fault(r, n), "512 additions, none lost or twice");
	rig_free(r);
}

/*
 * Eight groups meet at a barrier across groups: each adds one, then spins until all
 * have. On the slice that started them they all run. On one with two cores they
 * have to take turns: of their own, or because they are moved before a turn ends.
 */
static void test_progress(bool move)
{
	uint64_t root;
	struct rig *r = rig_with_vm(&root);
	const uint32_t meet[] = {
		ADDI(T0, X0, 1), AMO(0, 3, X0, T0, A0), LD(T1, 8, A0),
		BEQ(T1, X0, -4), AMO(0, 3, X0, T0, A0), ADDI(T2, X0, 16),
		LD(T1, 0, A0),	 BNE(T1, T2, -4),	RET,
	};
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, FLAG, 8, 1);
	bool moved = true;

	memcpy(rig_mem(r, CODE), meet, sizeof(meet));
	rig_push(r, 0, &d);
	rig_doorbell(r, 0);
	gpu_step(r->gpu, 2000);
	ok(rig_read64(r, FLAG) == 8, "eight groups are in flight");
	ok(carry(r, 0, 1), "they are moved to two cores");
	rig_write64(r, FLAG + 8, 1);
	for (unsigned int i = 0; i < 20 && gpu_get_state(r->gpu) == GPU_RUNNING; i++) {
		gpu_step(r->gpu, 6000);
		if (move)
			moved &= carry(r, 1, 1) > 0;
	}
	ok(moved && rig_read64(r, FLAG) == 16 && counter(r, 1, TESS_COUNTER_GROUPS) == 8 &&
		   sreg64(r, 1, TESS_SREG_RPTR) == r->wptr[1],
	   move ? "they meet, though they are moved before a turn ends" : "they meet");
	rig_free(r);
}

/* What a core has yet to wait for is not forgiven. */
static void test_stall(void)
{
	uint64_t root;
	struct rig *r = rig_with_vm(&root);
	const uint32_t code[] = { ADDI(T0, X0, 50), LD(T1, 0, A0), ADDI(T0, T0, -1),
				  BNE(T0, X0, -8), RET };
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, FLAG, 1, 1);
	uint64_t cycles = counter(r, 0, TESS_COUNTER_CYCLES), want;
	int n;

	memcpy(rig_mem(r, CODE), code, sizeof(code));
	rig_push(r, 0, &d);
	rig_doorbell(r, 0);
	n = run_moving(r, 0, 1);
	ok(n >= 0, "a work-item is moved each cycle");
	want = 16 + 32 + counter(r, (unsigned int)n, TESS_COUNTER_INSTRUCTIONS) +
	       counter(r, (unsigned int)n, TESS_COUNTER_STALL);
	cycles = counter(r, (unsigned int)n, TESS_COUNTER_CYCLES) - cycles;
	ok(cycles >= want && cycles <= want + 2, "it takes %llu cycles, with all stalls %llu",
	   (unsigned long long)cycles, (unsigned long long)want);
	rig_free(r);
}

/* lr and sc: a reservation is lost by a move, the loop around it is not. */
static void test_reservation(void)
{
	uint64_t root;
	struct rig *r = rig_with_vm(&root);
	const uint32_t code[] = { LR(3, T0, A0), ADDI(T0, T0, 1), SC(3, T1, T0, A0),
				  BNE(T1, X0, -12), RET };
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, FLAG, 200, 16);
	int n;

	memcpy(rig_mem(r, CODE), code, sizeof(code));
	rig_push(r, 0, &d);
	rig_doorbell(r, 0);
	moves = 0;
	n = run_moving(r, 0, 50);
	ok(n >= 0 && rig_read64(r, FLAG) == 200 && moves > 20, "200 lr/sc additions, %llu moves",
	   (unsigned long long)moves);
	rig_free(r);
}

static void put32(uint8_t *page, uint32_t reg, uint32_t val)
{
	memcpy(page + reg, &val, sizeof(val));
}

/*
 * The host drops what does not stop: it resets the slice and makes an image of
 * what the client page said, with the fault, and without the packet and the VM.
 */
static bool drop_work(struct rig *r, unsigned int from, unsigned int to)
{
	struct tess_ctx_header *h = ctx_image(r);
	struct tess_ctx_processor *p;
	uint8_t *page;

	ctx_halt(r, from);
	if (ctx_op(r, from, TESS_CTX_SAVE) != TESS_CTX_DONE)
		return false;
	hreg_write(r, from, TESS_HREG_RESET, 1);
	page = ((struct tess_ctx_client *)ctx_section(r, TESS_CTX_CLIENT, 0))->page;
	put32(page, TESS_SREG_STATUS, TESS_STATUS_FAULTED | TESS_STATUS_BUSY);
	put32(page, TESS_SREG_CONTROL, 0);
	put32(page, TESS_SREG_IRQ_STATUS, TESS_IRQ_STATUS_FAULT);
	put32(page, TESS_SREG_FAULT_CAUSE, DRM_TESSERA_CAUSE_NOT_PREEMPTED);
	memcpy(page + TESS_SREG_FAULT_PACKET, page + TESS_SREG_RPTR, 8);
	p = ctx_section(r, TESS_CTX_PROCESSOR, 0);
	memset((uint8_t *)p + sizeof(p->section), 0, sizeof(*p) - sizeof(p->section));
	h->size = TESS_CTX_IDLE_SIZE;
	h->sections = 3;
	ctx_sign(h);
	ctx_halt(r, to);
	if (ctx_op(r, to, TESS_CTX_RESTORE) != TESS_CTX_DONE)
		return false;
	ctx_go(r, to);
	return true;
}

/* The client finds the fault and goes on with what is left in its ring. */
static void test_not_preempted(bool abort)
{
	uint64_t root;
	struct rig *r = rig_with_vm(&root);
	const uint32_t loop[] = { JAL(X0, 0) };
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, 0, 64, 16);
	struct tess_pkt_set_vm vm = pkt_set_vm(root, 1, DRM_TESSERA_SET_VM_FLUSH);
	struct tess_pkt_signal s = pkt_signal(FLAG, DRM_TESSERA_SIGNAL_ADD, 1);
	struct tess_pkt_fence f = pkt_fence(31, 0);
	uint64_t rptr = r->wptr[0];
	unsigned int irqs;

	memcpy(rig_mem(r, CODE), loop, sizeof(loop));
	rig_push(r, 0, &d);
	rig_push(r, 0, &vm);
	rig_push(r, 0, &s);
	rig_push(r, 0, &f);
	rig_doorbell(r, 0);
	gpu_step(r->gpu, 3000);
	irqs = r->irqs[TESS_IRQ_FAULT];
	ok(drop_work(r, 0, 1) && rig_fault(r, 1) == FAULT(NOT_PREEMPTED) &&
		   sreg64(r, 1, TESS_SREG_FAULT_PACKET) == rptr &&
		   greg64(r, TESS_REG_FAULT_PENDING) == 2 && r->irqs[TESS_IRQ_FAULT] == irqs + 1,
	   "an image without the work is accepted: NOT_PREEMPTED");
	ok(carry(r, 1, 2) && rig_fault(r, 2) == FAULT(NOT_PREEMPTED),
	   "it can be moved as any other");
	sreg_write(r, 2, TESS_SREG_FAULT_ACK, abort ? TESS_FAULT_ACK_ABORT : TESS_FAULT_ACK_RESUME);
	gpu_step(r->gpu, 5000);
	ok(!rig_fault(r, 2) && sreg64(r, 2, TESS_SREG_RPTR) == rptr &&
		   sreg(r, 2, TESS_SREG_STATUS) == TESS_STATUS_BUSY,
	   "acknowledged: nothing runs before ENABLE");
	if (!abort) {
		sreg_write(r, 2, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
		rig_run(r, 10);
		ok(rig_fault(r, 2) == FAULT(ILLEGAL_PACKET), "then the packet misses its VM");
		sreg_write(r, 2, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_ABORT);
	}
	sreg_write64(r, 2, TESS_SREG_RPTR, rptr + 1);
	sreg_write(r, 2, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
	rig_run(r, 1000);
	ok(!rig_fault(r, 2) && rig_read64(r, FLAG) == 1 && rig_read64(r, RIG_RECORD(0)) == 31,
	   "from SET_VM on what is left runs");
	rig_free(r);
}

static void test_all(void)
{
	test_copies();
	test_time();
	test_indirect();
	test_wait();
	test_client_fault();
	test_host_fault(false);
	test_host_fault(true);
	test_progress(false);
	test_progress(true);
	test_stall();
	test_reservation();
	test_not_preempted(false);
	test_not_preempted(true);
}

int main(void)
{
	test_all();
	use_switch = true;
	test_all();
	return done();
}
