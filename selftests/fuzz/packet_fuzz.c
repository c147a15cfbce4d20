// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Packets
 *
 * A client behind stage 2 with one MiB of memory: its packets of all types go through rings
 * and indirect buffers, its code runs, its registers are written, while the host acknowledges
 * faults, resets, restricts engines and moves its context to another slice. Whatever it does,
 * the GPU asks the bus for nothing but the client's memory, stage-2 tables (to read) and the
 * host's context buffers, VRAM that is not its own stays as it is, and after a reset the GPU
 * works.
 */
#include <string.h>
#include <sys/mman.h>

#include "ctx_rig.h"
#include "fuzz.h"
#include "rig.h"
#include "rv.h"

#define CLIENT (RIG_SYS + (2ULL << 20))
#define CLIENT_SIZE (1ULL << 20)
#define GPA 0x200000ULL
#define RINGS 0ULL /* offsets in the client's memory */
#define RECORDS 0x8000ULL
#define CODE 0x10000ULL
#define DATA 0x20000ULL
#define ROOT 0xf0000ULL
#define OWN_VRAM 0x10000ULL /* of bank 0, mapped at its own address */
#define RING_LOG2 7
#define STEPS_MAX 48

enum op { PUSH, MEMORY, REGISTER, STEP, HOST, READ, OPS };

/**
 * struct action - a record of the input
 * @op: enum op
 * @slice: number
 * @arg: what it means depends on @op
 * @val: the same
 * @data: a packet, or 64 bytes of memory
 */
struct action {
	uint8_t op;
	uint8_t slice;
	uint16_t arg;
	uint32_t val;
	uint8_t data[DRM_TESSERA_PKT_SIZE];
};

static const uint64_t near[] = {
	GPA + DATA,  GPA + CODE, GPA + ROOT,	    GPA + CLIENT_SIZE,
	GPA,	     0,		 TESS_PA_VRAM,	    TESS_PA_VRAM + OWN_VRAM,
	TESS_PA_END, 4096,	 TESS_PAGE_SIZE * 2
};

static struct rig *rig;
static uint8_t zeros[RIG_BANK];

/* No client comes anywhere else, whatever it writes where */
static void on_dma(struct rig *r, uint64_t addr, bool write)
{
	bool client = addr >= CLIENT && addr < CLIENT + CLIENT_SIZE;
	bool tables = addr >= RIG_TABLES && addr < r->tables;
	bool host = (addr >= CTX_SAVED && addr < CTX_SAVED + CTX_SPACE) ||
		    (addr & ~4095ULL) == (CTX_DESC & ~4095ULL);

	FUZZ_CHECK(client || host || (tables && !write), "DMA to %#llx, write %d",
		   (unsigned long long)addr, write);
}

/* Stage 2: the client's memory and a page of VRAM. A and D are set, so nobody writes tables */
static uint64_t make_stage2(struct rig *r)
{
	uint64_t root = rig_table(r, 4), flags = PTE_ALL | TESS_PTE_A | TESS_PTE_D;

	for (uint64_t off = 0; off < CLIENT_SIZE; off += TESS_PAGE_SIZE)
		rig_map(r, root, GPA + off, CLIENT + off, flags, 0);
	rig_map(r, root, TESS_PA_VRAM + OWN_VRAM, TESS_PA_VRAM + OWN_VRAM, flags, 0);
	return root;
}

static void start_ring(struct rig *r, unsigned int n)
{
	r->wptr[n] = 0;
	sreg_write64(r, n, TESS_SREG_RING_BASE, GPA + RINGS + n * 0x2000ULL);
	sreg_write(r, n, TESS_SREG_RING_LOG2, RING_LOG2);
	sreg_write64(r, n, TESS_SREG_COMPLETION, GPA + RECORDS + n * 64ULL);
	sreg_write(r, n, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
}

/* An address space in which the client's memory is where it is, as one 2 MiB page */
static void make_vm(struct rig *r)
{
	uint64_t low = GPA + ROOT + TESS_PAGE_SIZE;

	rig_write64(r, CLIENT + ROOT, low >> 12 << 10 | TESS_PTE_V);
	rig_write64(r, CLIENT + ROOT + TESS_PAGE_SIZE + 8, GPA >> 12 << 10 | PTE_ALL);
}

static void begin(struct rig *r, uint64_t root)
{
	gpu_reset(r->gpu);
	madvise(r->sys + (CLIENT - RIG_SYS), CLIENT_SIZE, MADV_DONTNEED);
	make_vm(r);
	for (unsigned int n = 0; n < RIG_SLICES; n++) {
		hreg_write64(r, n, TESS_HREG_STAGE2_ROOT, root);
		hreg_write(r, n, TESS_HREG_CONTROL, TESS_HCONTROL_RUN | TESS_HCONTROL_STAGE2);
		start_ring(r, n);
	}
}

static void push(struct rig *r, unsigned int n, const struct action *a)
{
	uint64_t slot = r->wptr[n]++ & ((1U << RING_LOG2) - 1);

	memcpy(rig_mem(r, CLIENT + RINGS + n * 0x2000ULL + slot * DRM_TESSERA_PKT_SIZE), a->data,
	       DRM_TESSERA_PKT_SIZE);
	if (a->arg & 1)
		rig_doorbell(r, n);
}

static void write_register(struct rig *r, unsigned int n, const struct action *a)
{
	uint32_t off = a->val % TESS_PAGE_SIZE;
	uint64_t val;

	memcpy(&val, a->data, sizeof(val));
	if (a->arg & 8)
		gpu_reg_write(r->gpu, TESS_DOORBELL_PAGE(n), val, 8);
	else
		gpu_reg_write(r->gpu, TESS_CLIENT_PAGE(n) + off, val, 1U << (a->arg & 3));
}

/* Move what is on a slice to another one, with one SWITCH each; either may be refused */
static void move(struct rig *r, unsigned int from, unsigned int to, uint64_t root)
{
	struct tess_ctx_switch d = ctx_desc(TESS_CTX_SWITCH_SAVE);

	d.stage2_root = root;
	d.flags |= TESS_CTX_SWITCH_STAGE2 | TESS_CTX_SWITCH_RUN;
	if (ctx_switch(r, from, &d) != TESS_CTX_DONE)
		return;
	d.flags = TESS_CTX_SWITCH_RESTORE | TESS_CTX_SWITCH_RUN | TESS_CTX_SWITCH_STAGE2;
	d.restore_addr = CTX_SAVED;
	FUZZ_CHECK(ctx_switch(r, to, &d) == TESS_CTX_DONE, "what was saved is restored");
}

static void host(struct rig *r, unsigned int n, const struct action *a, uint64_t root)
{
	switch (a->arg % 10) {
	case 0:
		hreg_write(r, n, TESS_HREG_HFAULT_ACK, 1 + (a->val & 1));
		break;
	case 1:
		sreg_write(r, n, TESS_SREG_FAULT_ACK, 1 + (a->val & 1));
		sreg_write(r, n, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
		break;
	case 2:
		rig_recover(r, n);
		break;
	case 3:
		sreg_write(r, n, TESS_SREG_RESET, 1);
		start_ring(r, n);
		break;
	case 4:
		hreg_write(r, n, TESS_HREG_ENGINE_MASK, a->val);
		break;
	case 5:
		hreg_write(r, n, TESS_HREG_THROTTLE, a->val % 1025);
		break;
	case 6:
		hreg_write64(r, n, TESS_HREG_LINK_MASK, a->val);
		break;
	case 7:
		hreg_write(r, n, TESS_HREG_TIMER, a->val);
		hreg_write(r, n, TESS_HREG_NOTIFY, a->val >> 16);
		break;
	case 8:
		gpu_flush(r->gpu);
		break;
	default:
		move(r, n, a->val % RIG_SLICES, root);
	}
}

static unsigned int act(struct rig *r, const struct action *a, uint64_t root)
{
	unsigned int n = a->slice % RIG_SLICES, steps = 0;

	switch (a->op % OPS) {
	case PUSH:
		push(r, n, a);
		break;
	case MEMORY:
		memcpy(rig_mem(r, CLIENT + a->arg * 64ULL % CLIENT_SIZE), a->data, 64);
		break;
	case REGISTER:
		write_register(r, n, a);
		break;
	case STEP:
		for (; steps < 1U + a->arg % 8; steps++)
			gpu_step(r->gpu, 1 + a->val % GPU_STEP_CYCLES);
		break;
	case HOST:
		host(r, n, a, root);
		break;
	default:
		gpu_reg_read(r->gpu, a->val % TESS_REGS_SIZE, 1U << (a->arg & 3));
	}
	return steps;
}

/* Behind the client's back nothing has happened; its page of VRAM is in bank 0 */
static void check_vram(struct rig *r)
{
	uint64_t after = OWN_VRAM + TESS_PAGE_SIZE;

	FUZZ_CHECK(!memcmp(r->vram, zeros, OWN_VRAM) &&
		   !memcmp(r->vram + after, zeros, RIG_BANK - after) &&
		   !memcmp(r->vram + RIG_BANK, zeros, RIG_BANK));
}

/* Each slice is as good as new after the host has reset it */
static void check_reset(struct rig *r, uint64_t root)
{
	struct tess_pkt_signal p = pkt_signal(GPA + DATA, DRM_TESSERA_SIGNAL_SET, 0x600d);

	for (unsigned int n = 0; n < RIG_SLICES; n++) {
		hreg_write(r, n, TESS_HREG_RESET, 1);
		hreg_write64(r, n, TESS_HREG_STAGE2_ROOT, root);
		hreg_write(r, n, TESS_HREG_CONTROL, TESS_HCONTROL_RUN | TESS_HCONTROL_STAGE2);
		start_ring(r, n);
		rig_write64(r, CLIENT + DATA, 0);
		memcpy(rig_mem(r, CLIENT + RINGS + n * 0x2000ULL), &p, sizeof(p));
		r->wptr[n] = 1;
		rig_doorbell(r, n);
		gpu_step(r->gpu, GPU_STEP_CYCLES);
		FUZZ_CHECK(rig_read64(r, CLIENT + DATA) == 0x600d, "slice %u", n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t root;
	struct fuzz_in in = { data, size };
	struct action a;
	const void *rec;
	unsigned int steps = 0;

	if (!rig) {
		rig = rig_new();
		root = make_stage2(rig);
		rig->on_dma = on_dma;
	}
	begin(rig, root);
	while ((rec = fuzz_record(&in, sizeof(a))) && steps < STEPS_MAX) {
		memcpy(&a, rec, sizeof(a));
		steps += act(rig, &a, root);
	}
	for (; steps < STEPS_MAX && gpu_get_state(rig->gpu) == GPU_RUNNING; steps++)
		gpu_step(rig->gpu, GPU_STEP_CYCLES);
	check_vram(rig);
	check_reset(rig, root);
	return 0;
}

static void make_dispatch(uint8_t *p, uint64_t *state)
{
	struct tess_pkt_dispatch d = pkt_dispatch(GPA + CODE + fuzz_below(state, 64) * 4,
						  GPA + DATA, 1 + fuzz_below(state, 300),
						  (uint16_t)(1 + fuzz_below(state, 256)));

	d.group_segment_size = fuzz_below(state, 2) ? 0 : fuzz_below(state, 70000);
	if (fuzz_below(state, 2)) {
		d.private_segment_size = fuzz_below(state, 4096);
		d.scratch_address = GPA + DATA;
	}
	if (!fuzz_below(state, 4)) {
		d.header = DRM_TESSERA_PKT_DISPATCH_RANGE;
		d.completion_signal =
			DRM_TESSERA_DISPATCH_RANGE(fuzz_below(state, 4), fuzz_below(state, 4));
	}
	memcpy(p, &d, sizeof(d));
}

static void make_packet(uint8_t *p, uint64_t *state)
{
	static const uint8_t types[] = {
		DRM_TESSERA_PKT_NOP,	   DRM_TESSERA_PKT_FENCE, DRM_TESSERA_PKT_WAIT,
		DRM_TESSERA_PKT_TIMESTAMP, DRM_TESSERA_PKT_DRAW,
	};
	uint64_t at = GPA + DATA + fuzz_below(state, 0x10000);
	union {
		struct tess_pkt_copy copy;
		struct tess_pkt_fill fill;
		struct tess_pkt_set_vm set_vm;
		struct tess_pkt_indirect indirect;
		struct tess_pkt_signal signal;
		uint8_t bytes[DRM_TESSERA_PKT_SIZE];
	} u = { 0 };

	switch (fuzz_below(state, 8)) {
	case 0:
		make_dispatch(u.bytes, state);
		break;
	case 1:
		u.copy = pkt_copy(at, GPA + DATA, 1 + fuzz_below(state, 9000));
		u.copy.rows = 1 + fuzz_below(state, 4);
		break;
	case 2:
		u.fill = pkt_fill(at & ~3ULL, 4 + (fuzz_below(state, 9000) & ~3U), 0x5a5a5a5a);
		break;
	case 3:
	case 4:
		u.set_vm = pkt_set_vm(fuzz_below(state, 4) ? GPA + ROOT : 0,
				      (uint16_t)fuzz_below(state, 4),
				      (uint16_t)fuzz_below(state, 2));
		break;
	case 5:
		u.indirect = pkt_indirect(GPA + RINGS + fuzz_below(state, 256) * 64,
					  1 + fuzz_below(state, 8));
		break;
	case 6:
		u.signal = pkt_signal(at & ~7ULL, (uint16_t)fuzz_below(state, 3), 1);
		break;
	default:
		u.bytes[0] = types[fuzz_below(state, sizeof(types))];
	}
	memcpy(p, &u, sizeof(u));
}

/* Something that runs, and reaches for memory */
static void make_code(uint8_t *p, uint64_t *state)
{
	static const uint8_t opcodes[] = { 0x03, 0x23, 0x2f, 0x13, 0x33, 0x63, 0x73, 0x0b, 0x53 };
	uint32_t words[16];

	for (unsigned int i = 0; i < 16; i++) {
		switch (fuzz_below(state, 4)) {
		case 0:
			words[i] = LD(fuzz_below(state, 32), (int32_t)fuzz_below(state, 2048), A0);
			break;
		case 1:
			words[i] = SD(fuzz_below(state, 32), (int32_t)fuzz_below(state, 2048), A0);
			break;
		default:
			words[i] = ((uint32_t)fuzz_random(state) & ~127U) |
				   opcodes[fuzz_below(state, sizeof(opcodes))];
		}
	}
	memcpy(p, words, sizeof(words));
}

static void make_action(uint8_t *record, uint64_t *state)
{
	struct action a = { .op = (uint8_t)fuzz_below(state, OPS),
			    .slice = (uint8_t)fuzz_below(state, RIG_SLICES),
			    .arg = (uint16_t)fuzz_random(state),
			    .val = (uint32_t)fuzz_value(state, NULL, 0) };

	switch (fuzz_below(state, 4)) {
	case 0:
		a.op = MEMORY;
		a.arg = (uint16_t)(CODE / 64 + fuzz_below(state, 4));
		make_code(a.data, state);
		break;
	case 1:
		break;
	default:
		a.op = PUSH;
		a.arg = 1;
		make_packet(a.data, state);
	}
	memcpy(record, &a, sizeof(a));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	static const struct fuzz_grammar g = { .record = sizeof(struct action),
					       .make = make_action,
					       .near = near,
					       .nr_near = sizeof(near) / sizeof(near[0]) };

	return fuzz_mutate(&g, data, size, max_size, seed);
}
