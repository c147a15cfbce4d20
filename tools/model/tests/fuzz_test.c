// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hostile client: random registers, rings, packets, page tables and code, with a
 * bias to what is nearly good. The sanitizers watch the model. Behind stage 2 the
 * client has one MiB: not a byte elsewhere may change.
 *
 * The seed is fixed, TESSERA_FUZZ_SEED and TESSERA_FUZZ_ROUNDS change it and the length.
 */
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "rv.h"
#include "tap.h"

#define CLIENT (RIG_SYS + (2ULL << 20)) /* the client's memory ... */
#define CLIENT_SIZE (1ULL << 20)
#define GPA 0x200000ULL /* ... as it sees it */
#define ROOT 0xf0000ULL /* offset of a good root table, as long as it lasts */
#define RINGS 64 /* pages at the start that mostly hold packets */
#define ROUNDS 200000

static uint64_t seed = 0x7e55e4a;

static uint64_t rnd(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return seed >> 16 ^ seed << 32;
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)(rnd() >> 20) % n;
}

/* A value near to what fields want: small, an address, a power of two, or anything. */
static uint64_t value(void)
{
	switch (below(8)) {
	case 0:
		return below(16);
	case 1:
		return GPA + below(CLIENT_SIZE);
	case 2:
		return GPA + (below(CLIENT_SIZE) & ~63U);
	case 3:
		return GPA + (below(CLIENT_SIZE) & ~4095U);
	case 4:
		return 1ULL << below(64);
	case 5:
		return TESS_PA_VRAM + below(RIG_SLICES * RIG_BANK);
	case 6:
		return ~0ULL - below(16);
	default:
		return rnd();
	}
}

static uint8_t packet_type(void)
{
	static const uint8_t types[] = {
		DRM_TESSERA_PKT_DISPATCH, DRM_TESSERA_PKT_NOP,	     DRM_TESSERA_PKT_SET_VM,
		DRM_TESSERA_PKT_INDIRECT, DRM_TESSERA_PKT_COPY,	     DRM_TESSERA_PKT_FILL,
		DRM_TESSERA_PKT_FENCE,	  DRM_TESSERA_PKT_WAIT,	     DRM_TESSERA_PKT_SIGNAL,
		DRM_TESSERA_PKT_DRAW,	  DRM_TESSERA_PKT_TIMESTAMP, DRM_TESSERA_PKT_DISPATCH_RANGE,
	};

	return below(20) ? types[below(sizeof(types))] : (uint8_t)rnd();
}

/* A good packet with addresses of the client's, one field of which may be spoiled. */
static void make_packet(uint8_t *p)
{
	union {
		struct tess_pkt_dispatch dispatch;
		struct tess_pkt_copy copy;
		struct tess_pkt_fill fill;
		struct tess_pkt_set_vm set_vm;
		struct tess_pkt_indirect indirect;
		struct tess_pkt_signal signal;
		uint8_t bytes[DRM_TESSERA_PKT_SIZE];
	} u;

	memset(&u, 0, sizeof(u));
	switch (below(8)) {
	case 0:
		u.dispatch = pkt_dispatch(value() & ~1ULL, value(), 1 + below(600),
					  (uint16_t)(1 + below(256)));
		break;
	case 1:
		u.copy = pkt_copy(value(), value(), 1 + below(9000));
		u.copy.rows = 1 + below(4);
		u.copy.src_pitch = value();
		u.copy.dst_pitch = value();
		break;
	case 2:
		u.fill = pkt_fill(value() & ~3ULL, 4 + (below(9000) & ~3U), (uint32_t)rnd());
		break;
	case 3:
		u.set_vm =
			pkt_set_vm(below(8) ? GPA + ROOT : value() & ~4095ULL & (TESS_PA_END - 1),
				   (uint16_t)below(4), (uint16_t)below(2));
		break;
	case 4:
		u.indirect = pkt_indirect(value() & ~63ULL, 1 + below(8));
		break;
	case 5:
		u.signal = pkt_signal(value() & ~7ULL, (uint16_t)below(3), rnd());
		break;
	default:
		u.bytes[0] = packet_type();
		for (unsigned int i = below(6); i > 0; i--)
			memcpy(u.bytes + 8 * (1 + below(7)), &(uint64_t){ value() }, 8);
	}
	if (!below(4))
		memcpy(u.bytes + 2 + below(DRM_TESSERA_PKT_SIZE - 10), &(uint64_t){ value() },
		       1U << below(4));
	memcpy(p, &u, sizeof(u));
}

/* Code that runs for a while and reaches for memory. */
static uint32_t make_insn(void)
{
	static const uint8_t opcodes[] = { 0x03, 0x23, 0x2f, 0x13, 0x33, 0x63, 0x73, 0x0b, 0x53 };

	switch (below(6)) {
	case 0:
		return LD(below(32), (int32_t)below(2048), below(32));
	case 1:
		return SD(below(32), (int32_t)below(2048), below(32));
	case 2:
		return LUI(below(32), below(1 << 20));
	case 3:
		return (uint32_t)rnd();
	default:
		return ((uint32_t)rnd() & ~127U) | opcodes[below(sizeof(opcodes))];
	}
}

/* Put something into a random page of the client: packets, PTEs, code, noise. */
static void scribble(struct rig *r)
{
	unsigned int page_nr = below(CLIENT_SIZE / TESS_PAGE_SIZE);
	uint8_t *page = rig_mem(r, CLIENT + page_nr * TESS_PAGE_SIZE);
	unsigned int what = page_nr < RINGS && below(8) ? 0 : 3 + below(5);

	for (unsigned int off = 0; off < TESS_PAGE_SIZE; off += DRM_TESSERA_PKT_SIZE) {
		uint64_t *words = (uint64_t *)(page + off);

		for (unsigned int i = 0; i < DRM_TESSERA_PKT_SIZE / 8; i++) {
			if (what < 3)
				make_packet(page + off);
			else if (what < 6)
				words[i] = value() >> 12 << 10 |
					   (below(4) ? 0xdf | below(2) << 5 : 1);
			else if (what == 6)
				words[i] = make_insn() | (uint64_t)make_insn() << 32;
			else
				words[i] = rnd();
			if (what < 3)
				break;
		}
	}
}

/* An address space in which the client's memory is where it is, as one 2 MiB page. */
static void make_vm(struct rig *r)
{
	rig_write64(r, CLIENT + ROOT, (GPA + ROOT + TESS_PAGE_SIZE) >> 12 << 10 | TESS_PTE_V);
	rig_write64(r, CLIENT + ROOT + TESS_PAGE_SIZE + 8, GPA >> 12 << 10 | PTE_ALL);
}

static void set_ring(struct rig *r, unsigned int n)
{
	sreg_write(r, n, TESS_SREG_FAULT_ACK, 1 + below(2));
	sreg_write(r, n, TESS_SREG_CONTROL, 0);
	sreg_write64(r, n, TESS_SREG_RING_BASE,
		     below(8) ? GPA + below(RINGS) * TESS_PAGE_SIZE : value());
	sreg_write(r, n, TESS_SREG_RING_LOG2, below(4) ? 4 + below(10) : below(20));
	sreg_write64(r, n, TESS_SREG_COMPLETION, below(8) ? GPA + below(CLIENT_SIZE) : value());
	sreg_write64(r, n, TESS_SREG_RPTR, value());
	sreg_write64(r, n, TESS_SREG_WPTR, sreg64(r, n, TESS_SREG_RPTR));
	sreg_write(r, n, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
}

/* Skip a packet that faulted, then let some more run. */
static void go_on(struct rig *r, unsigned int n)
{
	uint64_t rptr = sreg64(r, n, TESS_SREG_RPTR);

	if (sreg(r, n, TESS_SREG_STATUS) & (TESS_STATUS_FAULTED | TESS_STATUS_WAITING) ||
	    !below(20)) {
		sreg_write(r, n, TESS_SREG_FAULT_ACK, below(4) ? 2 : 1);
		sreg_write(r, n, TESS_SREG_CONTROL, 0);
		sreg_write64(r, n, TESS_SREG_RPTR, ++rptr);
		sreg_write64(r, n, TESS_SREG_WPTR, rptr);
		sreg_write(r, n, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
	}
	gpu_reg_write(r->gpu, TESS_DOORBELL_PAGE(n), rptr + below(17), 8);
}

static void client_act(struct rig *r, unsigned int n)
{
	static const unsigned int sizes[] = { 1, 2, 4, 8 };

	switch (below(24)) {
	case 0:
		gpu_reg_write(r->gpu, TESS_CLIENT_PAGE(n) + below(0x180), value(), sizes[below(4)]);
		break;
	case 1:
		gpu_reg_read(r->gpu, TESS_CLIENT_PAGE(n) + below(0x1000), sizes[below(4)]);
		break;
	case 2:
		gpu_reg_write(r->gpu, TESS_DOORBELL_PAGE(n), value(), 8);
		break;
	case 3:
		set_ring(r, n);
		break;
	case 4:
		scribble(r);
		make_vm(r);
		break;
	default:
		go_on(r, n);
		break;
	}
}

static void host_act(struct rig *r, unsigned int n)
{
	hreg_write(r, n, TESS_HREG_HFAULT_ACK, below(4) ? 2 : 1);
	if (!below(50))
		sreg_write(r, n, TESS_SREG_RESET, 1);
	if (!below(200))
		gpu_flush(r->gpu);
}

/* Stage 2 of one MiB; A and D are set beforehand, so that its tables stay as they are. */
static void confine(struct rig *r, unsigned int n)
{
	uint64_t root = rig_table(r, 4), flags = PTE_ALL | TESS_PTE_A | TESS_PTE_D;

	for (uint64_t off = 0; off < CLIENT_SIZE; off += TESS_PAGE_SIZE)
		rig_map(r, root, GPA + off, CLIENT + off, flags, 0);
	hreg_write64(r, n, TESS_HREG_STAGE2_ROOT, root);
	hreg_write(r, n, TESS_HREG_CONTROL, TESS_HCONTROL_RUN | TESS_HCONTROL_STAGE2);
}

static bool same_outside(struct rig *r, const uint8_t *sys, const uint8_t *vram)
{
	uint64_t before = CLIENT - RIG_SYS, after = before + CLIENT_SIZE;

	return !memcmp(r->sys, sys, before) &&
	       !memcmp(r->sys + after, sys + after, RIG_SYS_SIZE - after) &&
	       !memcmp(r->vram, vram, RIG_SLICES * RIG_BANK);
}

static void test_confined(unsigned long rounds)
{
	struct rig *r = rig_new();
	uint8_t *sys = malloc(RIG_SYS_SIZE), *vram = malloc(RIG_SLICES * RIG_BANK);
	uint64_t packets = 0, faults = 0, insns = 0;
	bool same = true;

	for (unsigned int n = 0; n < RIG_SLICES; n++)
		confine(r, n);
	for (uint64_t i = 0; i < RIG_SLICES * RIG_BANK; i++)
		r->vram[i] = (uint8_t)rnd();
	for (unsigned int i = 0; i < 256; i++)
		scribble(r);
	memcpy(sys, r->sys, RIG_SYS_SIZE);
	memcpy(vram, r->vram, RIG_SLICES * RIG_BANK);
	for (unsigned long i = 0; i < rounds && same; i++) {
		unsigned int n = below(RIG_SLICES);

		client_act(r, n);
		if (below(3))
			host_act(r, n);
		gpu_step(r->gpu, 1 + below(GPU_STEP_CYCLES));
		if (i % 5000 == 0)
			same = same_outside(r, sys, vram);
	}
	ok(same && same_outside(r, sys, vram), "behind stage 2: nothing outside has changed");
	for (unsigned int n = 0; n < RIG_SLICES; n++) {
		insns += hreg64(r, n, TESS_HREG_COUNTERS + TESS_COUNTER_INSTRUCTIONS);
		packets += hreg64(r, n, TESS_HREG_COUNTERS + TESS_COUNTER_PACKETS);
		faults += hreg64(r, n, TESS_HREG_COUNTERS + TESS_COUNTER_FAULTS);
	}
	ok(packets > rounds / 50 && faults > rounds / 10 && insns > rounds,
	   "%llu packets, %llu faults, %llu instructions", (unsigned long long)packets,
	   (unsigned long long)faults, (unsigned long long)insns);
	free(sys);
	free(vram);
	rig_free(r);
}

/* Everything is random, the host's registers too: nothing may break. */
static void test_wild(unsigned long rounds)
{
	static const unsigned int sizes[] = { 1, 2, 4, 8, 3, 16 };
	struct rig *r = rig_new();
	uint64_t insns = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		unsigned int n = below(RIG_SLICES);

		switch (below(6)) {
		case 0:
			gpu_reg_write(r->gpu, (uint32_t)rnd(), value(), sizes[below(6)]);
			break;
		case 1:
			gpu_reg_read(r->gpu, (uint32_t)rnd() & 0xfffff, sizes[below(6)]);
			break;
		case 2:
			gpu_reg_write(r->gpu, TESS_HOST_PAGE(n) + below(0x80), value(),
				      sizes[below(4)]);
			break;
		case 3:
			scribble(r);
			r->no_dma = !below(20);
			break;
		default:
			client_act(r, n);
		}
		gpu_step(r->gpu, 1 + below(GPU_STEP_CYCLES));
	}
	gpu_reset(r->gpu);
	r->no_dma = false;
	rig_ring(r, 0);
	ok(!rig_do(r, 0,
		   &(struct tess_pkt_signal){ .header = DRM_TESSERA_PKT_SIGNAL,
					      .address = RIG_DATA }),
	   "after anything a reset makes it work again");
	for (unsigned int n = 0; n < RIG_SLICES; n++)
		insns += hreg64(r, n, TESS_HREG_COUNTERS + TESS_COUNTER_INSTRUCTIONS);
	ok(!insns, "and nothing is left");
	rig_free(r);
}

int main(void)
{
	const char *s = getenv("TESSERA_FUZZ_SEED"), *n = getenv("TESSERA_FUZZ_ROUNDS");
	unsigned long rounds = n ? strtoul(n, NULL, 0) : ROUNDS;

	if (s)
		seed = strtoull(s, NULL, 0);
	test_confined(rounds);
	test_wild(rounds);
	return done();
}
