// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rings, doorbells and fences: sizes and wrap, bad write indices, the completion
 * record, the event index with its race rule, faults and their acknowledgement.
 */
#include <string.h>

#include "rig.h"
#include "tap.h"

#define DATA RIG_DATA
#define NOWHERE (RIG_SYS + RIG_SYS_SIZE)

static void enable(struct rig *r, unsigned int n, bool on)
{
	sreg_write(r, n, TESS_SREG_CONTROL, on ? TESS_CONTROL_ENABLE : 0);
}

static void doorbell(struct rig *r, unsigned int n, uint64_t wptr)
{
	gpu_reg_write(r->gpu, TESS_DOORBELL_PAGE(n), wptr, 8);
}

/* Many packets through a small ring: each slot is used again and again. */
static void test_wrap(struct rig *r)
{
	struct tess_pkt_signal p = pkt_signal(DATA, DRM_TESSERA_SIGNAL_ADD, 1);

	rig_write64(r, DATA, 0);
	for (unsigned int i = 0; i < 1000; i++) {
		p.value = i;
		rig_push(r, 0, &p);
		if (i % 100 == 99) {
			rig_doorbell(r, 0);
			rig_run(r, 1000);
		}
	}
	ok(rig_read64(r, DATA) == 999 * 500 && sreg64(r, 0, TESS_SREG_RPTR) == 1000,
	   "1000 packets through 128 slots");
	for (unsigned int i = 0; i < 128; i++)
		rig_push(r, 0, &p);
	rig_doorbell(r, 0);
	rig_run(r, 1000);
	ok(sreg64(r, 0, TESS_SREG_RPTR) == 1128 && !rig_fault(r, 0), "a full ring");
}

static void test_sizes(struct rig *r)
{
	for (unsigned int log2 = TESS_RING_LOG2_MIN; log2 <= TESS_RING_LOG2_MAX; log2 += 4) {
		uint64_t base = RIG_SYS + (4ULL << 20), n = 1ULL << log2;
		struct tess_pkt_signal *ring = rig_mem(r, base);

		for (uint64_t i = 0; i < n; i++)
			ring[i] = pkt_signal(DATA + 8, DRM_TESSERA_SIGNAL_ADD, 1);
		sreg_write(r, 1, TESS_SREG_RESET, 1);
		sreg_write64(r, 1, TESS_SREG_RING_BASE, base);
		sreg_write(r, 1, TESS_SREG_RING_LOG2, log2);
		sreg_write64(r, 1, TESS_SREG_RPTR, ~0ULL - 2);
		sreg_write64(r, 1, TESS_SREG_WPTR, ~0ULL - 2);
		enable(r, 1, true);
		rig_write64(r, DATA + 8, 0);
		doorbell(r, 1, ~0ULL - 2 + n);
		rig_run(r, 100000);
		ok(rig_read64(r, DATA + 8) == n && sreg64(r, 1, TESS_SREG_RPTR) == ~0ULL - 2 + n,
		   "2^%u packets, indices wrap at 2^64", log2);
	}
}

static void test_bad_doorbell(struct rig *r)
{
	uint64_t rptr = sreg64(r, 0, TESS_SREG_RPTR);
	struct tess_pkt_signal p = pkt_signal(DATA, DRM_TESSERA_SIGNAL_SET, 55);
	unsigned int irqs = r->irqs[TESS_IRQ_FAULT];

	doorbell(r, 0, rptr + 129);
	rig_run(r, 10);
	ok(rig_fault(r, 0) == FAULT(DOORBELL) && sreg64(r, 0, TESS_SREG_FAULT_ADDR) == rptr + 129 &&
		   sreg64(r, 0, TESS_SREG_FAULT_PACKET) == rptr,
	   "write index beyond the ring");
	ok(r->irqs[TESS_IRQ_FAULT] == irqs + 1 && greg64(r, TESS_REG_FAULT_PENDING) == 1 &&
		   sreg(r, 0, TESS_SREG_IRQ_STATUS) == TESS_IRQ_STATUS_FAULT,
	   "is reported");
	rig_push(r, 0, &p);
	rig_doorbell(r, 0);
	rig_run(r, 10);
	ok(rig_read64(r, DATA) != 55, "a faulted slice does nothing");
	sreg_write(r, 0, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_RESUME);
	rig_run(r, 10);
	ok(rig_read64(r, DATA) == 55 && !rig_fault(r, 0), "RESUME takes the new write index");
	sreg_write(r, 0, TESS_SREG_IRQ_STATUS, TESS_IRQ_STATUS_FAULT);
	ok(!sreg(r, 0, TESS_SREG_IRQ_STATUS), "IRQ_STATUS is cleared by one");
	doorbell(r, 0, sreg64(r, 0, TESS_SREG_RPTR) - 1);
	rig_run(r, 10);
	ok(rig_fault(r, 0) == FAULT(DOORBELL), "write index before the read index");
	rig_recover(r, 0);
	ok(!(sreg(r, 0, TESS_SREG_STATUS) & (TESS_STATUS_FAULTED | TESS_STATUS_BUSY)),
	   "ABORT and a new index");
}

static void test_disabled(struct rig *r)
{
	struct tess_pkt_signal p = pkt_signal(DATA, DRM_TESSERA_SIGNAL_ADD, 1);
	uint64_t before = rig_read64(r, DATA);

	enable(r, 0, false);
	rig_push(r, 0, &p);
	rig_doorbell(r, 0);
	rig_run(r, 10);
	ok(rig_read64(r, DATA) == before && sreg(r, 0, TESS_SREG_STATUS) == TESS_STATUS_BUSY,
	   "a disabled ring keeps its packets");
	ok(gpu_get_state(r->gpu) == GPU_IDLE, "and needs no time");
	enable(r, 0, true);
	rig_run(r, 10);
	ok(rig_read64(r, DATA) == before + 1, "until it is enabled");
	hreg_write(r, 0, TESS_HREG_CONTROL, 0);
	ok(hreg(r, 0, TESS_HREG_STATUS) == TESS_HSTATUS_HALTED, "the host halts it");
	rig_do(r, 0, &p);
	ok(rig_read64(r, DATA) == before + 1, "nothing runs");
	hreg_write(r, 0, TESS_HREG_CONTROL, TESS_HCONTROL_RUN);
	rig_run(r, 10);
	ok(rig_read64(r, DATA) == before + 2 && hreg(r, 0, TESS_HREG_STATUS) == 0, "it goes on");
}

static void fence(struct rig *r, uint64_t seq, uint16_t flags)
{
	struct tess_pkt_fence p = pkt_fence(seq, flags);

	rig_do(r, 2, &p);
}

static void set_event(struct rig *r, uint64_t event)
{
	rig_write64(r, RIG_RECORD(2) + 8, event);
}

static void test_fence(struct rig *r)
{
	uint64_t rec = RIG_RECORD(2), t = greg64(r, TESS_REG_TIME);
	unsigned int irqs = r->irqs[TESS_IRQ_COMPLETION];

	set_event(r, ~0ULL);
	fence(r, 10, 0);
	ok(rig_read64(r, rec) == 10 && rig_read64(r, rec + 16) == 1 &&
		   rig_read64(r, rec + 24) == t + 16 && rig_read64(r, rec + 32) == 0,
	   "the record: sequence, read index, time");
	ok(rig_read64(r, rec + 8) == ~0ULL, "the event index is the client's");
	ok(sreg64(r, 2, TESS_SREG_FENCE_SEQ) == 10, "FENCE_SEQ");
	set_event(r, 11);
	fence(r, 11, 0);
	ok(r->irqs[TESS_IRQ_COMPLETION] == irqs, "no interrupt without the flag");
}

/* [old, new], event and whether old < event <= new, in 64 bits that wrap. */
static void test_event_index(struct rig *r)
{
	static const struct {
		uint64_t old;
		uint64_t new;
		uint64_t event;
		bool irq;
	} cases[] = {
		{ 20, 21, 20, false },	    { 20, 21, 21, true },
		{ 20, 21, 22, false },	    { 20, 30, 20, false },
		{ 20, 30, 21, true },	    { 20, 30, 25, true },
		{ 20, 30, 30, true },	    { 20, 30, 31, false },
		{ 20, 30, 0, false },	    { ~0ULL - 1, 2, ~0ULL, true },
		{ ~0ULL - 1, 2, 0, true },  { ~0ULL - 1, 2, 2, true },
		{ ~0ULL - 1, 2, 3, false }, { ~0ULL - 1, 2, ~0ULL - 1, false },
		{ 5, 5, 5, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned int irqs = r->irqs[TESS_IRQ_COMPLETION];

		fence(r, cases[i].old, 0);
		sreg_write(r, 2, TESS_SREG_IRQ_STATUS, 3);
		set_event(r, cases[i].event);
		fence(r, cases[i].new, DRM_TESSERA_FENCE_IRQ);
		ok((r->irqs[TESS_IRQ_COMPLETION] == irqs + 1) == cases[i].irq &&
			   (sreg(r, 2, TESS_SREG_IRQ_STATUS) == 1) == cases[i].irq,
		   "from %lld to %lld, event %lld: %s", (long long)cases[i].old,
		   (long long)cases[i].new, (long long)cases[i].event,
		   cases[i].irq ? "interrupt" : "none");
	}
}

/*
 * The race rule: the old number is the slice's own. What a client writes to the
 * record's seq does not move it, and an event index that comes late is seen by
 * the client, which reads seq again.
 */
static void test_event_race(struct rig *r)
{
	unsigned int irqs;

	fence(r, 100, 0);
	irqs = r->irqs[TESS_IRQ_COMPLETION];
	rig_write64(r, RIG_RECORD(2), 5);
	set_event(r, 50);
	fence(r, 101, DRM_TESSERA_FENCE_IRQ);
	ok(r->irqs[TESS_IRQ_COMPLETION] == irqs, "seq is not read back from the record");
	set_event(r, 101);
	ok(rig_read64(r, RIG_RECORD(2)) == 101, "a late event index: seq is there already");
	fence(r, 102, DRM_TESSERA_FENCE_IRQ);
	ok(r->irqs[TESS_IRQ_COMPLETION] == irqs, "and no interrupt comes for it later");
}

/*
 * A FENCE faults on its record, the client sets COMPLETION to 0 and resumes: the FENCE writes
 * nowhere. With stage 2 there is memory at address 0.
 */
static void test_completion_taken_away(struct rig *r)
{
	struct tess_pkt_fence p = pkt_fence(2, 0);
	uint64_t root = rig_stage2(r, 1);

	rig_map(r, root, 0, DATA, PTE_ALL, 0);
	memset(rig_mem(r, DATA), 0xee, 64);
	enable(r, 1, false);
	sreg_write64(r, 1, TESS_SREG_COMPLETION, NOWHERE);
	enable(r, 1, true);
	rig_push(r, 1, &p);
	rig_doorbell(r, 1);
	rig_run(r, 10);
	hreg_write(r, 1, TESS_HREG_HFAULT_ACK, TESS_HFAULT_ACK_REFUSE);
	rig_run(r, 10);
	ok(rig_fault(r, 1) == FAULT(STORE_ACCESS), "FENCE whose record is nowhere");
	enable(r, 1, false);
	sreg_write64(r, 1, TESS_SREG_COMPLETION, 0);
	sreg_write(r, 1, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_RESUME);
	enable(r, 1, true);
	rig_run(r, 10);
	ok(rig_fault(r, 1) == FAULT(NO_COMPLETION), "its record is taken away: RESUME says so");
	ok(rig_read64(r, DATA) == 0xeeeeeeeeeeeeeeeeULL && sreg64(r, 1, TESS_SREG_FENCE_SEQ) == 1,
	   "and nothing is written to address 0");
	enable(r, 1, false);
	sreg_write64(r, 1, TESS_SREG_COMPLETION, RIG_RECORD(1));
	sreg_write(r, 1, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_RESUME);
	enable(r, 1, true);
	rig_run(r, 10);
	ok(!rig_fault(r, 1) && rig_read64(r, RIG_RECORD(1)) == 2, "it completes with a new record");
	hreg_write(r, 1, TESS_HREG_CONTROL, TESS_HCONTROL_RUN);
}

static void test_completion_address(struct rig *r)
{
	struct tess_pkt_fence p = pkt_fence(1, 0);

	enable(r, 1, false);
	sreg_write(r, 1, TESS_SREG_RESET, 1);
	rig_ring(r, 1);
	enable(r, 1, false);
	sreg_write64(r, 1, TESS_SREG_COMPLETION, 0);
	enable(r, 1, true);
	ok(rig_do(r, 1, &p) == FAULT(NO_COMPLETION), "FENCE without a record");
	enable(r, 1, false);
	sreg_write64(r, 1, TESS_SREG_COMPLETION, RIG_RECORD(1));
	sreg_write(r, 1, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_RESUME);
	ok(!rig_fault(r, 1) && rig_read64(r, RIG_RECORD(1)) == 0, "acknowledged while disabled");
	enable(r, 1, true);
	rig_run(r, 10);
	ok(rig_read64(r, RIG_RECORD(1)) == 1, "RESUME looks at the packet again");
	test_completion_taken_away(r);
	enable(r, 1, false);
	sreg_write64(r, 1, TESS_SREG_COMPLETION, 0x40);
	enable(r, 1, true);
	ok(rig_do(r, 1, &p) == FAULT(STORE_ACCESS) && sreg64(r, 1, TESS_SREG_FAULT_ADDR) == 0x40,
	   "record where no memory is");
	rig_recover(r, 1);
	enable(r, 1, false);
	sreg_write64(r, 1, TESS_SREG_COMPLETION, RIG_VRAM(1) + 0x40);
	enable(r, 1, true);
	ok(!rig_do(r, 1, &p) && r->vram[RIG_BANK + 0x40] == 1, "record in VRAM");
}

static void test_abort(struct rig *r)
{
	struct tess_pkt_signal s = pkt_signal(DATA + 4, DRM_TESSERA_SIGNAL_SET, 1);
	uint64_t rptr;

	rptr = sreg64(r, 0, TESS_SREG_RPTR);
	ok(rig_do(r, 0, &s) == FAULT(ILLEGAL_PACKET), "a bad packet");
	sreg_write(r, 0, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_RESUME);
	rig_run(r, 10);
	ok(rig_fault(r, 0) == FAULT(ILLEGAL_PACKET), "RESUME without a change: again");
	sreg_write(r, 0, TESS_SREG_FAULT_ACK, 3);
	ok(rig_fault(r, 0) == FAULT(ILLEGAL_PACKET), "unknown acknowledgement");
	sreg_write(r, 0, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_ABORT);
	ok(!rig_fault(r, 0) && !(sreg(r, 0, TESS_SREG_STATUS) & TESS_STATUS_ENABLED) &&
		   sreg64(r, 0, TESS_SREG_RPTR) == rptr,
	   "ABORT disables and leaves RPTR at the packet");
	s.address = DATA;
	memcpy(rig_mem(r, RIG_RING(0) + (rptr & 127) * DRM_TESSERA_PKT_SIZE), &s, sizeof(s));
	rig_write64(r, DATA, 0);
	enable(r, 0, true);
	rig_run(r, 10);
	ok(rig_read64(r, DATA) == 1, "the mended packet runs");
	s.op = 77;
	rig_do(r, 0, &s);
	sreg_write(r, 0, TESS_SREG_RESET, 1);
	ok(!sreg(r, 0, TESS_SREG_STATUS) && !sreg64(r, 0, TESS_SREG_WPTR) &&
		   !greg64(r, TESS_REG_FAULT_PENDING) && !counter(r, 0, TESS_COUNTER_PACKETS),
	   "RESET drops fault, ring and counters");
	ok(gpu_reg_read(r->gpu, TESS_HOST_PAGE(0) + TESS_HREG_COUNTERS + TESS_COUNTER_PACKETS, 8) >
		   0,
	   "but not the host's counters");
}

/* Writing RPTR drops the packet in progress. */
static void test_drop(struct rig *r)
{
	struct tess_pkt_wait w = pkt_wait(DATA, DRM_TESSERA_WAIT_EQ, 99);
	struct tess_pkt_signal s = pkt_signal(DATA + 8, DRM_TESSERA_SIGNAL_SET, 7);

	rig_ring(r, 0);
	rig_do(r, 0, &w);
	rig_do(r, 0, &s);
	ok(sreg(r, 0, TESS_SREG_STATUS) ==
		   (TESS_STATUS_ENABLED | TESS_STATUS_BUSY | TESS_STATUS_WAITING),
	   "a WAIT holds what follows");
	enable(r, 0, false);
	sreg_write64(r, 0, TESS_SREG_RPTR, 1);
	enable(r, 0, true);
	rig_run(r, 10);
	ok(rig_read64(r, DATA + 8) == 7 && sreg64(r, 0, TESS_SREG_RPTR) == 2, "RPTR skips it");
}

int main(void)
{
	struct rig *r = rig_new();

	test_wrap(r);
	test_sizes(r);
	test_bad_doorbell(r);
	test_disabled(r);
	test_fence(r);
	test_event_index(r);
	test_event_race(r);
	test_completion_address(r);
	test_abort(r);
	test_drop(r);
	rig_free(r);
	return done();
}
