// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TIMER, NOTIFY and EVENTS: when they happen, to the cycle, and when not. Slices
 * that do not come to a halt.
 */
#include <string.h>

#include "ctx_rig.h"
#include "rv.h"
#include "tap.h"

#define FLAG (RIG_SYS + (4ULL << 20))
#define CODE (FLAG + 0x2000)

static unsigned int event_irqs(struct rig *r)
{
	return r->irqs[TESS_IRQ_EVENT];
}

static uint64_t events(struct rig *r, unsigned int n)
{
	return hreg(r, n, TESS_HREG_EVENTS);
}

static void clear(struct rig *r, unsigned int n)
{
	gpu_reg_write(r->gpu, TESS_REG_EVENT_PENDING, ~0ULL, 8);
	hreg_write(r, n, TESS_HREG_EVENTS, ~0U);
}

/* Steps as the main loop makes them, until the timer of @n has run out. Returns the time it took. */
static uint64_t run_timer(struct rig *r, unsigned int n)
{
	uint64_t start = gpu_time(r->gpu);

	for (unsigned int i = 0; i < 100000 && !(events(r, n) & TESS_EVENTS_TIMER); i++)
		gpu_step(r->gpu, gpu_step_cycles(r->gpu));
	return gpu_time(r->gpu) - start;
}

static void push_endless(struct rig *r, unsigned int n)
{
	const uint32_t loop[] = { JAL(X0, 0) };
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, 0, 64, 16);
	uint64_t root = rig_table(r, 1);

	memcpy(rig_mem(r, CODE), loop, sizeof(loop));
	rig_map(r, root, FLAG, FLAG, PTE_ALL, 1);
	rig_set_vm(r, n, root);
	rig_push(r, n, &d);
	rig_doorbell(r, n);
	gpu_step(r->gpu, 512);
}

static void test_timer(void)
{
	static const uint64_t times[] = { 1, 2, 100, 511, 512, 513, 8000, 123457 };
	struct rig *r = rig_new();
	unsigned int irqs = event_irqs(r);

	ok(gpu_get_state(r->gpu) == GPU_IDLE, "nothing to do");
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		uint64_t took;

		hreg_write64(r, 2, TESS_HREG_TIMER, times[i]);
		took = run_timer(r, 2);
		ok(took == times[i] && !hreg64(r, 2, TESS_HREG_TIMER),
		   "a timer of %llu cycles (%llu)", (unsigned long long)times[i],
		   (unsigned long long)took);
		ok(greg64(r, TESS_REG_EVENT_PENDING) == 4 && event_irqs(r) == ++irqs,
		   "one event, one interrupt");
		clear(r, 2);
	}
	gpu_step(r->gpu, GPU_STEP_MAX);
	ok(!events(r, 2) && event_irqs(r) == irqs && gpu_get_state(r->gpu) == GPU_IDLE,
	   "it does not start again");
	hreg_write64(r, 2, TESS_HREG_TIMER, 1000);
	ok(gpu_get_state(r->gpu) == GPU_WAITING, "it needs time, though nothing runs");
	gpu_step(r->gpu, 400);
	ok(hreg64(r, 2, TESS_HREG_TIMER) == 600, "it shows what is left");
	hreg_write64(r, 2, TESS_HREG_TIMER, 0);
	ok(gpu_get_state(r->gpu) == GPU_IDLE, "0 turns it off");
	gpu_step(r->gpu, 1000);
	ok(!events(r, 2), "and nothing comes");
	hreg_write64(r, 2, TESS_HREG_TIMER, 10);
	gpu_step(r->gpu, 1000);
	ok(events(r, 2) == TESS_EVENTS_TIMER, "a longer step: at its end");
	clear(r, 2);
	hreg_write64(r, 2, TESS_HREG_TIMER, 1000);
	hreg_write(r, 2, TESS_HREG_NOTIFY, 0);
	hreg_write(r, 2, TESS_HREG_RESET, 1);
	ok(!hreg64(r, 2, TESS_HREG_TIMER) && gpu_get_state(r->gpu) == GPU_IDLE,
	   "a host RESET turns it off");
	rig_free(r);
}

/* It counts whatever the slice does, but while BUSY. */
static void test_timer_counts(void)
{
	struct rig *r = rig_new();

	push_endless(r, 0);
	hreg_write64(r, 0, TESS_HREG_TIMER, 3000);
	ok(run_timer(r, 0) == 3000, "while the slice runs");
	clear(r, 0);
	ctx_halt(r, 0);
	hreg_write64(r, 0, TESS_HREG_TIMER, 3000);
	ok(run_timer(r, 0) == 3000, "while it is halted");
	clear(r, 0);
	hreg_write64(r, 0, TESS_HREG_TIMER, 3000);
	ctx_op(r, 0, TESS_CTX_SAVE);
	ok(hreg64(r, 0, TESS_HREG_TIMER) == 3000, "not while BUSY");
	ok(run_timer(r, 0) == 3000 && events(r, 0) == (TESS_EVENTS_CONTEXT | TESS_EVENTS_TIMER),
	   "then it does");
	ctx_op(r, 0, TESS_CTX_RESTORE);
	sreg_write(r, 0, TESS_SREG_RESET, 1);
	clear(r, 0);
	hreg_write64(r, 0, TESS_HREG_TIMER, 300);
	sreg_write(r, 0, TESS_SREG_RESET, 1);
	ok(run_timer(r, 0) == 300, "a client RESET does not touch it");
	/* The timer of another slice that runs does not disturb. */
	hreg_write64(r, 1, TESS_HREG_TIMER, 777);
	hreg_write64(r, 3, TESS_HREG_TIMER, 333);
	clear(r, 1);
	ok(run_timer(r, 3) == 333 && run_timer(r, 1) == 444 &&
		   greg64(r, TESS_REG_EVENT_PENDING) == 10,
	   "two timers");
	rig_free(r);
}

/* Arm; true if it does not happen at once. */
static bool armed(struct rig *r, unsigned int n)
{
	clear(r, n);
	hreg_write(r, n, TESS_HREG_NOTIFY, TESS_NOTIFY_IDLE);
	return hreg(r, n, TESS_HREG_NOTIFY) == TESS_NOTIFY_IDLE && !events(r, n);
}

/* Has it happened, once? */
static bool told(struct rig *r, unsigned int n, unsigned int irqs)
{
	return !hreg(r, n, TESS_HREG_NOTIFY) && events(r, n) == TESS_EVENTS_IDLE &&
	       greg64(r, TESS_REG_EVENT_PENDING) == 1ULL << n && event_irqs(r) == irqs + 1;
}

static void test_notify_ring(void)
{
	struct tess_pkt_fill f = pkt_fill(FLAG, 4096, 1);
	struct rig *r = rig_new();
	unsigned int irqs = event_irqs(r);

	hreg_write(r, 1, TESS_HREG_NOTIFY, ~0U);
	ok(told(r, 1, irqs), "an idle slice: at once");
	rig_push(r, 1, &f);
	rig_doorbell(r, 1);
	irqs = event_irqs(r);
	ok(armed(r, 1), "a slice with work: not yet");
	gpu_step(r->gpu, 100);
	ok(!events(r, 1), "nor while it works");
	gpu_step(r->gpu, 400);
	ok(told(r, 1, irqs), "when the ring is empty: yes");
	gpu_step(r->gpu, 400);
	ok(event_irqs(r) == irqs + 1, "and not again");
	clear(r, 1);
	rig_do(r, 1, &f);
	ok(!events(r, 1), "nor with the next work, without NOTIFY");
	rig_push(r, 1, &f);
	rig_doorbell(r, 1);
	ok(armed(r, 1), "armed");
	hreg_write(r, 1, TESS_HREG_NOTIFY, 0);
	rig_run(r, 100);
	ok(!events(r, 1), "and disarmed");
	rig_free(r);
}

static void test_notify_stops(void)
{
	struct tess_pkt_wait w = pkt_wait(FLAG, DRM_TESSERA_WAIT_EQ, 7);
	struct rig *r = rig_new();
	unsigned int irqs;

	rig_push(r, 0, &w);
	rig_doorbell(r, 0);
	gpu_step(r->gpu, 512);
	irqs = event_irqs(r);
	ok(armed(r, 0), "a WAIT is not idle");
	gpu_step(r->gpu, 5000);
	ok(!events(r, 0), "however long it lasts");
	sreg_write(r, 0, TESS_SREG_CONTROL, 0);
	ok(told(r, 0, irqs), "disabled: without a step");
	sreg_write(r, 0, TESS_SREG_CONTROL, 1);
	ctx_halt(r, 0);
	irqs = event_irqs(r);
	ok(armed(r, 0), "halted with work is not idle");
	sreg_write(r, 0, TESS_SREG_RESET, 1);
	ok(told(r, 0, irqs), "a client RESET makes it so");
	rig_ring(r, 0);
	irqs = event_irqs(r);
	clear(r, 0);
	hreg_write(r, 0, TESS_HREG_NOTIFY, TESS_NOTIFY_IDLE);
	ok(told(r, 0, irqs), "halted without work is idle");
	rig_free(r);
}

static void test_notify_faults(void)
{
	struct tess_pkt_fill f = pkt_fill(FLAG, 4096, 1);
	struct rig *r = rig_new();
	uint64_t root2 = rig_stage2(r, 0), pte;
	unsigned int irqs;

	/* The 2 MiB of FLAG are not there. */
	pte = (rig_read64(r, root2) >> 10 << 12) + (FLAG >> 21 & 511) * 8;
	rig_write64(r, pte, 0);
	hreg_write(r, 0, TESS_HREG_TLB_INVALIDATE, 1);
	rig_push(r, 0, &f);
	rig_doorbell(r, 0);
	irqs = event_irqs(r);
	ok(armed(r, 0), "armed");
	gpu_step(r->gpu, 1000);
	ok(hreg(r, 0, TESS_HREG_STATUS) & TESS_HSTATUS_FAULTED && !events(r, 0),
	   "a host fault is not idle");
	hreg_write(r, 0, TESS_HREG_HFAULT_ACK, TESS_HFAULT_ACK_REFUSE);
	ok(told(r, 0, irqs) && rig_fault(r, 0), "the client fault that it becomes is");
	sreg_write(r, 0, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_RESUME);
	irqs = event_irqs(r);
	ok(armed(r, 0), "RESUME: there is work again");
	gpu_reg_write(r->gpu, TESS_DOORBELL_PAGE(0), 1ULL << 40, 8);
	hreg_write(r, 0, TESS_HREG_CONTROL, TESS_HCONTROL_RUN);
	gpu_step(r->gpu, 1000);
	ok(rig_fault(r, 0) && told(r, 0, irqs), "a client fault in a step");
	rig_free(r);
}

/* A host of revision 1.1 clears EVENT_PENDING alone. */
static void test_old_host(void)
{
	struct rig *r = rig_new();
	unsigned int irqs = event_irqs(r);

	ctx_halt(r, 0);
	for (unsigned int i = 0; i < 3; i++) {
		ctx_op(r, 0, TESS_CTX_SAVE);
		ok(greg64(r, TESS_REG_EVENT_PENDING) == 1 && event_irqs(r) == ++irqs,
		   "a bit that is set already raises the vector too");
		gpu_reg_write(r->gpu, TESS_REG_EVENT_PENDING, 1, 8);
	}
	ok(events(r, 0) == TESS_EVENTS_CONTEXT, "EVENTS is another register");
	hreg_write64(r, 0, TESS_HREG_TIMER, 5);
	gpu_step(r->gpu, 5);
	hreg_write(r, 0, TESS_HREG_EVENTS, TESS_EVENTS_CONTEXT);
	ok(events(r, 0) == TESS_EVENTS_TIMER && greg64(r, TESS_REG_EVENT_PENDING) == 1,
	   "each bit is cleared by itself");
	rig_free(r);
}

/* Does slice @n come to a halt, and run again? */
static bool halts(struct rig *r, unsigned int n)
{
	bool halted;

	ctx_halt(r, n);
	gpu_step(r->gpu, 5000);
	halted = hreg(r, n, TESS_HREG_STATUS) & TESS_HSTATUS_HALTED;
	ctx_go(r, n);
	return halted;
}

static void test_stuck(uint32_t times)
{
	struct rig *r = rig_new_faulty(RIG_STUCK, 1, times);
	struct tess_ctx_switch d = ctx_desc(TESS_CTX_SWITCH_SAVE);
	uint64_t before;

	ok(halts(r, 1), "before a DISPATCH it halts");
	push_endless(r, 0);
	push_endless(r, 1);
	ok(halts(r, 0), "the others always do");
	before = counter(r, 1, TESS_COUNTER_INSTRUCTIONS);
	ok(!halts(r, 1) && counter(r, 1, TESS_COUNTER_INSTRUCTIONS) > before,
	   "after it does not, and goes on");
	ctx_halt(r, 1);
	ok(ctx_op(r, 1, TESS_CTX_SAVE) == TESS_CTX_ERR_STATE &&
		   ctx_op(r, 1, TESS_CTX_RESTORE) == TESS_CTX_ERR_STATE,
	   "SAVE and RESTORE: STATE");
	ctx_go(r, 1);
	ctx_switch_start(r, 1, &d);
	gpu_step(r->gpu, GPU_STEP_MAX);
	hreg_write(r, 1, TESS_HREG_CTX_OP, TESS_CTX_SWITCH);
	ok(hreg(r, 1, TESS_HREG_STATUS) == TESS_HSTATUS_BUSY &&
		   hreg(r, 1, TESS_HREG_CTX_STATUS) == TESS_CTX_BUSY && !ctx_result(r)->status,
	   "SWITCH: BUSY");
	sreg_write(r, 0, TESS_SREG_RESET, 1);
	sreg_write(r, 1, TESS_SREG_RESET, 1);
	ok(gpu_get_state(r->gpu) == GPU_WAITING, "even without work: time passes for who waits");
	hreg_write(r, 1, TESS_HREG_RESET, 1);
	rig_ring(r, 1);
	ok(!hreg(r, 1, TESS_HREG_STATUS) && gpu_get_state(r->gpu) == GPU_IDLE && halts(r, 1),
	   "a host RESET ends it");
	push_endless(r, 1);
	ok(halts(r, 1) == (times == 1), "%s", times == 1 ? "for good" : "until the next DISPATCH");
	gpu_reset(r->gpu);
	ok(halts(r, 1), "a reset of the GPU ends it");
	rig_free(r);
}

/* A DISPATCH that comes with a context sticks too. */
static void test_stuck_moved(void)
{
	struct rig *r = rig_new_faulty(RIG_STUCK, 2, UINT32_MAX);

	push_endless(r, 0);
	ok(ctx_switch_move(r, 0, 2) && gpu_get_state(r->gpu) == GPU_RUNNING, "a kernel is moved");
	gpu_step(r->gpu, 512);
	ok(!halts(r, 2), "the slice that continues it is stuck");
	rig_free(r);
}

/* Only what holds a packet in progress is damaged, as often as was asked for. */
static void test_damage(void)
{
	struct rig *r = rig_new_faulty(RIG_DAMAGE, 1, 1);

	ok(ctx_switch_move(r, 1, 1), "an idle context is saved as ever");
	push_endless(r, 1);
	gpu_step(r->gpu, 5000);
	ctx_halt(r, 1);
	ok(ctx_op(r, 1, TESS_CTX_SAVE) == TESS_CTX_DONE &&
		   ctx_op(r, 1, TESS_CTX_RESTORE) == TESS_CTX_ERR_CHECKSUM,
	   "one with work is damaged: RESTORE refuses it");
	ok(ctx_op(r, 1, TESS_CTX_SAVE) == TESS_CTX_DONE &&
		   ctx_op(r, 1, TESS_CTX_RESTORE) == TESS_CTX_DONE,
	   "the next one is good");
	rig_free(r);
}

/* A slice that has worked ignores a reset, as often as was asked for; the GPU's does it. */
static void test_refuse(void)
{
	struct rig *r = rig_new_faulty(RIG_REFUSE, 1, 2);
	uint64_t before;

	hreg_write(r, 1, TESS_HREG_RESET, 1);
	ok(!hreg(r, 1, TESS_HREG_STATUS), "before a DISPATCH it is reset");
	rig_ring(r, 1);
	push_endless(r, 1);
	before = counter(r, 1, TESS_COUNTER_INSTRUCTIONS);
	hreg_write(r, 1, TESS_HREG_RESET, 1);
	gpu_step(r->gpu, 5000);
	ok(hreg(r, 1, TESS_HREG_STATUS) == TESS_HSTATUS_BUSY &&
		   counter(r, 1, TESS_COUNTER_INSTRUCTIONS) > before,
	   "after it is BUSY, and goes on");
	gpu_reset(r->gpu);
	rig_ring(r, 1);
	ok(!hreg(r, 1, TESS_HREG_STATUS), "a reset of the GPU resets it");
	push_endless(r, 1);
	hreg_write(r, 1, TESS_HREG_RESET, 1);
	ok(hreg(r, 1, TESS_HREG_STATUS) == TESS_HSTATUS_BUSY, "the next DISPATCH arms it again");
	hreg_write(r, 1, TESS_HREG_RESET, 1);
	ok(!hreg(r, 1, TESS_HREG_STATUS), "that often only");
	rig_free(r);
}

int main(void)
{
	test_timer();
	test_timer_counts();
	test_notify_ring();
	test_notify_stops();
	test_notify_faults();
	test_old_host();
	test_stuck(1);
	test_stuck(UINT32_MAX);
	test_stuck_moved();
	test_damage();
	test_refuse();
	return done();
}
