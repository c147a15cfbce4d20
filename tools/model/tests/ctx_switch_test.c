// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SWITCH: results and time, settings that come with it, and that it does all or
 * nothing, whatever is wrong with the descriptor, the buffers or the image.
 */
#include <stddef.h>
#include <string.h>

#include "ctx_rig.h"
#include "rv.h"
#include "tap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SAVE TESS_CTX_SWITCH_SAVE
#define RESTORE TESS_CTX_SWITCH_RESTORE
#define RUN TESS_CTX_SWITCH_RUN
#define STAGE2 TESS_CTX_SWITCH_STAGE2
#define FLAG (RIG_SYS + (4ULL << 20))
#define CODE (FLAG + 0x2000)

/* The registers that a SWITCH sets, and all that the client page shows. */
struct state {
	uint64_t host[9];
	uint64_t page[32];
	uint64_t counters[TESS_COUNTER_COUNT];
};

static struct state state_of(struct rig *r, unsigned int n)
{
	struct state s;

	s.host[0] = hreg(r, n, TESS_HREG_CONTROL);
	s.host[1] = hreg(r, n, TESS_HREG_STATUS);
	s.host[2] = hreg64(r, n, TESS_HREG_STAGE2_ROOT);
	s.host[3] = hreg(r, n, TESS_HREG_ENGINE_MASK);
	s.host[4] = hreg(r, n, TESS_HREG_THROTTLE);
	s.host[5] = hreg64(r, n, TESS_HREG_LINK_MASK);
	s.host[6] = hreg64(r, n, TESS_HREG_TIMER);
	s.host[7] = hreg(r, n, TESS_HREG_NOTIFY);
	s.host[8] = hreg(r, n, TESS_HREG_HFAULT_CAUSE);
	for (unsigned int i = 0; i < ARRAY_SIZE(s.page); i++)
		s.page[i] = sreg(r, n, i * 8) | sreg(r, n, i * 8 + 4) << 32;
	for (unsigned int i = 0; i < TESS_COUNTER_COUNT; i++)
		s.counters[i] = counter(r, n, i * 8);
	return s;
}

static bool same(const struct state *a, const struct state *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* An endless kernel on slice @n, in which stack and counters of items grow. */
static void push_kernel(struct rig *r, unsigned int n, uint16_t items)
{
	const uint32_t loop[] = { ADDI(T0, T0, 1), ADDI(T1, T1, 2), JAL(X0, -8) };
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, 0, items * 4U, items);
	uint64_t root = rig_table(r, 1);

	memcpy(rig_mem(r, CODE), loop, sizeof(loop));
	rig_map(r, root, CODE & ~0x1fffffULL, CODE & ~0x1fffffULL, PTE_ALL, 1);
	rig_set_vm(r, n, root);
	rig_push(r, n, &d);
	rig_doorbell(r, n);
	gpu_step(r->gpu, 1000);
}

/* Size of the image of a kernel of push_kernel(). */
static uint64_t kernel_bytes(uint64_t items)
{
	return TESS_CTX_IDLE_SIZE + 144 + 4 * (72 + items * 520);
}

static void test_both(struct rig *r)
{
	struct tess_ctx_switch d = ctx_desc(SAVE | RESTORE | RUN), *res = ctx_result(r);
	struct tess_pkt_fence f = pkt_fence(3, 0);
	uint64_t bytes = kernel_bytes(100), cycles = 16 + (bytes + 32767) / 32768 + 16 + 1, now;
	unsigned int irqs;

	/* The next client: it has a FENCE to run. */
	rig_push(r, 1, &f);
	rig_doorbell(r, 1);
	ctx_halt(r, 1);
	ctx_op(r, 1, TESS_CTX_SAVE);
	push_kernel(r, 0, 100);
	gpu_reg_write(r->gpu, TESS_REG_EVENT_PENDING, ~0ULL, 8);
	hreg_write(r, 0, TESS_HREG_EVENTS, ~0U);
	irqs = r->irqs[TESS_IRQ_EVENT];
	now = gpu_time(r->gpu);
	d.timer = 5000;
	ctx_switch_start(r, 0, &d);
	ok(hreg(r, 0, TESS_HREG_STATUS) == TESS_HSTATUS_BUSY &&
		   hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_BUSY &&
		   sreg64(r, 0, TESS_SREG_WPTR) == 1 && counter(r, 0, TESS_COUNTER_SWITCHES) == 1,
	   "BUSY, and the next client is in the registers");
	gpu_step(r->gpu, (unsigned int)cycles - 1);
	ok(hreg(r, 0, TESS_HREG_STATUS) == TESS_HSTATUS_BUSY && !res->status &&
		   hreg64(r, 0, TESS_HREG_TIMER) == 5000 && r->irqs[TESS_IRQ_EVENT] == irqs &&
		   sreg64(r, 0, TESS_SREG_RPTR) == 0,
	   "it stands still for 16 cycles twice and those of the images");
	gpu_step(r->gpu, 1);
	ok(hreg(r, 0, TESS_HREG_STATUS) == 0 && res->status == TESS_CTX_DONE &&
		   res->used == bytes && res->time == now + cycles,
	   "after %llu cycles: status, used, time", (unsigned long long)cycles);
	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_DONE &&
		   hreg64(r, 0, TESS_HREG_CTX_USED) == bytes,
	   "CTX_STATUS and CTX_USED say the same");
	ok(hreg(r, 0, TESS_HREG_EVENTS) == TESS_EVENTS_CONTEXT &&
		   greg64(r, TESS_REG_EVENT_PENDING) == 1 && r->irqs[TESS_IRQ_EVENT] == irqs + 1,
	   "one event");
	gpu_step(r->gpu, 512);
	ok(rig_read64(r, RIG_RECORD(1)) == 3 && hreg64(r, 0, TESS_HREG_TIMER) == 5000 - 512,
	   "the next client runs, and the timer");
	/* And back: the kernel goes on. */
	memcpy(ctx_image(r), rig_mem(r, CTX_SAVED), bytes);
	now = counter(r, 0, TESS_COUNTER_INSTRUCTIONS);
	ok(ctx_switch(r, 0, &d) == TESS_CTX_DONE && res->used == TESS_CTX_IDLE_SIZE,
	   "the other way");
	now = counter(r, 0, TESS_COUNTER_INSTRUCTIONS);
	gpu_step(r->gpu, 512);
	ok(counter(r, 0, TESS_COUNTER_INSTRUCTIONS) > now, "the kernel goes on");
	hreg_write(r, 0, TESS_HREG_RESET, 1);
	hreg_write(r, 1, TESS_HREG_RESET, 1);
	rig_ring(r, 0);
	rig_ring(r, 1);
}

static void test_settings(struct rig *r)
{
	struct tess_ctx_switch d = ctx_desc(STAGE2);
	uint64_t now = gpu_time(r->gpu);

	d.engines = TESS_ENGINE_COPY;
	d.throttle = 77;
	d.links = 5;
	d.stage2_root = 0x123400000;
	d.timer = 99;
	d.notify = TESS_NOTIFY_IDLE;
	ctx_switch_start(r, 2, &d);
	ok(hreg(r, 2, TESS_HREG_STATUS) == (TESS_HSTATUS_BUSY | TESS_HSTATUS_HALTED) &&
		   hreg(r, 2, TESS_HREG_CONTROL) == TESS_HCONTROL_STAGE2 &&
		   hreg(r, 2, TESS_HREG_ENGINE_MASK) == TESS_ENGINE_COPY &&
		   hreg(r, 2, TESS_HREG_THROTTLE) == 77 && hreg64(r, 2, TESS_HREG_LINK_MASK) == 5 &&
		   hreg64(r, 2, TESS_HREG_STAGE2_ROOT) == 0x123400000 &&
		   hreg64(r, 2, TESS_HREG_TIMER) == 99 && hreg(r, 2, TESS_HREG_NOTIFY) == 1,
	   "settings are those of the descriptor");
	ok(sreg(r, 2, TESS_SREG_CONTROL) == 0 && sreg64(r, 2, TESS_SREG_RING_BASE) == 0 &&
		   counter(r, 2, TESS_COUNTER_SWITCHES) == 0,
	   "no RESTORE: no client");
	ok(!(hreg(r, 2, TESS_HREG_EVENTS) & TESS_EVENTS_IDLE), "NOTIFY waits for the end");
	ok(ctx_wait(r, 2) == TESS_CTX_DONE && ctx_result(r)->used == 0 &&
		   ctx_result(r)->time == now + 16,
	   "neither SAVE nor RESTORE: 16 cycles");
	ok(hreg(r, 2, TESS_HREG_EVENTS) == (TESS_EVENTS_CONTEXT | TESS_EVENTS_IDLE) &&
		   !hreg(r, 2, TESS_HREG_NOTIFY),
	   "no client is idle");
	ok(hreg(r, 2, TESS_HREG_STATUS) == TESS_HSTATUS_HALTED, "no RUN: halted");
	hreg_write(r, 2, TESS_HREG_RESET, 1);
	rig_ring(r, 2);
}

/* What a host writes while BUSY counts. */
static void test_writes_while_busy(struct rig *r)
{
	struct tess_ctx_switch d = ctx_desc(RUN), *res = ctx_result(r);

	hreg_write64(r, 2, TESS_HREG_TIMER, 1);
	hreg_write(r, 2, TESS_HREG_NOTIFY, TESS_NOTIFY_IDLE);
	gpu_step(r->gpu, 1);
	ok(hreg(r, 2, TESS_HREG_EVENTS) == (TESS_EVENTS_TIMER | TESS_EVENTS_IDLE),
	   "events of the former client");
	d.timer = 1000;
	ctx_switch_start(r, 2, &d);
	ok(!hreg(r, 2, TESS_HREG_EVENTS), "are gone");
	hreg_write(r, 2, TESS_HREG_CTX_OP, TESS_CTX_SWITCH);
	hreg_write64(r, 2, TESS_HREG_CTX_ADDR, 0);
	hreg_write64(r, 2, TESS_HREG_TIMER, 0);
	ctx_halt(r, 2);
	ok(ctx_wait(r, 2) == TESS_CTX_DONE && res->status == TESS_CTX_DONE,
	   "CTX_OP and CTX_ADDR while BUSY change nothing");
	ok(hreg(r, 2, TESS_HREG_STATUS) == TESS_HSTATUS_HALTED && !hreg64(r, 2, TESS_HREG_TIMER),
	   "RUN and TIMER do");
	ctx_switch_start(r, 2, &d);
	res->status = 0;
	hreg_write(r, 2, TESS_HREG_RESET, 1);
	gpu_step(r->gpu, 512);
	ok(!res->status && !hreg(r, 2, TESS_HREG_EVENTS), "a host RESET ends it without an event");
	rig_ring(r, 2);
}

/* The descriptor may lie in VRAM, and on two pages. */
static void test_places(struct rig *r)
{
	static const uint64_t places[] = { RIG_VRAM(3) + 0x40, RIG_DATA + 0xfc0,
					   RIG_VRAM(0) + RIG_BANK - 64 };
	struct tess_ctx_switch d = ctx_desc(RUN), back;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		memcpy(rig_mem(r, places[i]), &d, sizeof(d));
		hreg_write64(r, 2, TESS_HREG_CTX_ADDR, places[i]);
		hreg_write(r, 2, TESS_HREG_CTX_OP, TESS_CTX_SWITCH);
		ctx_wait(r, 2);
		memcpy(&back, rig_mem(r, places[i]), sizeof(back));
		ok(back.status == TESS_CTX_DONE && back.time == gpu_time(r->gpu) &&
			   !memcmp(&back, &d, offsetof(struct tess_ctx_switch, status)),
		   "descriptor at 0x%llx", (unsigned long long)places[i]);
	}
	hreg_write(r, 2, TESS_HREG_RESET, 1);
	rig_ring(r, 2);
}

#define BAD(field, value, status, used)                         \
	{ #field,                                               \
	  offsetof(struct tess_ctx_switch, field),              \
	  sizeof(((struct tess_ctx_switch *)0)->field) > 8 ?    \
		  8 :                                           \
		  sizeof(((struct tess_ctx_switch *)0)->field), \
	  value,                                                \
	  TESS_CTX_ERR_##status,                                \
	  used }

static const struct {
	const char *name;
	size_t offset;
	size_t size;
	uint64_t value;
	uint32_t status;
	uint64_t used;
} damages[] = {
	BAD(flags, SAVE | RESTORE | 0x40, CONTENT, 0),
	BAD(flags, SAVE | RESTORE | 1U << 31, CONTENT, 0),
	BAD(engines, 0x1f, CONTENT, 0),
	BAD(throttle, 0, CONTENT, 0),
	BAD(throttle, 1025, CONTENT, 0),
	BAD(notify, 2, CONTENT, 0),
	BAD(stage2_root, 0x1000, CONTENT, 0),
	BAD(stage2_root, 1ULL << 41, CONTENT, 0),
	BAD(unit_cycles, 1, CONTENT, 0),
	BAD(reserved1, 1, CONTENT, 0),
	BAD(counts, 1ULL << 63, CONTENT, 0),
	BAD(counts[2], 1, CONTENT, 0),
	BAD(save_size, 0, SPACE, TESS_CTX_IDLE_SIZE + 144 + 4 * (72 + 20 * 520)),
	BAD(save_size, 512 + 144 + 4 * (72 + 20 * 520) - 1, SPACE, 512 + 144 + 4 * (72 + 20 * 520)),
	BAD(save_addr, CTX_SAVED + 64, ADDRESS, 0),
	BAD(save_addr, RIG_SYS - 0x1000, ADDRESS, 0),
	/* The last page of it is not there. */
	BAD(save_addr, RIG_SYS + RIG_SYS_SIZE - 0x2000, ADDRESS, 0),
	BAD(save_addr, ~0xfffULL, ADDRESS, 0),
	BAD(restore_size, 63, SPACE, 64),
	BAD(restore_size, TESS_CTX_IDLE_SIZE - 8, SPACE, TESS_CTX_IDLE_SIZE),
	BAD(restore_addr, CTX_BUFFER + 8, ADDRESS, 0),
	BAD(restore_addr, RIG_VRAM(RIG_SLICES), ADDRESS, 0),
	BAD(restore_addr, RIG_DATA, MAGIC, 0),
};

/* Does the SWITCH fail as it should, at once, and leave everything as it was? */
static bool fails(struct rig *r, const struct tess_ctx_switch *d, uint32_t status, uint64_t used)
{
	struct state before = state_of(r, 0), after;
	uint64_t now = gpu_time(r->gpu), retired = counter(r, 0, TESS_COUNTER_INSTRUCTIONS);
	unsigned int irqs = r->irqs[TESS_IRQ_EVENT];
	const struct tess_ctx_switch *res = ctx_result(r);

	memset(rig_mem(r, CTX_SAVED), 0x5a, 64);
	hreg_write(r, 0, TESS_HREG_EVENTS, ~0U);
	ctx_switch_start(r, 0, d);
	after = state_of(r, 0);
	if (!same(&before, &after) || hreg(r, 0, TESS_HREG_CTX_STATUS) != status ||
	    hreg64(r, 0, TESS_HREG_CTX_USED) != used ||
	    hreg(r, 0, TESS_HREG_EVENTS) != TESS_EVENTS_CONTEXT ||
	    r->irqs[TESS_IRQ_EVENT] != irqs + 1)
		return false;
	if (res->status != status || res->used != used || res->time != now ||
	    rig_read64(r, CTX_SAVED) != 0x5a5a5a5a5a5a5a5aULL)
		return false;
	gpu_step(r->gpu, 100);
	retired = counter(r, 0, TESS_COUNTER_INSTRUCTIONS) - retired;
	return retired > 380 && retired <= 400;
}

/* A kernel on slice 0, an idle client's image in the buffer. */
static struct rig *scene(void)
{
	struct rig *r = rig_new();

	ctx_halt(r, 3);
	ctx_op(r, 3, TESS_CTX_SAVE);
	push_kernel(r, 0, 20);
	hreg_write64(r, 0, TESS_HREG_TIMER, 0);
	return r;
}

static void test_damage(void)
{
	struct rig *r = scene();
	struct tess_ctx_switch d;

	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		d = ctx_desc(SAVE | RESTORE | RUN);
		d.timer = 55;
		d.throttle = 1000;
		memcpy((uint8_t *)&d + damages[i].offset, &damages[i].value, damages[i].size);
		ok(fails(r, &d, damages[i].status, damages[i].used),
		   "%s = 0x%llx: refused, nothing has changed", damages[i].name,
		   (unsigned long long)damages[i].value);
	}
	d = ctx_desc(SAVE | RESTORE | RUN);
	ok(ctx_switch(r, 0, &d) == TESS_CTX_DONE, "without damage it is done");
	rig_free(r);
}

/* A descriptor that is no memory, or cannot be written. */
static void test_no_descriptor(void)
{
	struct rig *r = scene();
	struct tess_ctx_switch d = ctx_desc(SAVE | RESTORE | RUN);
	struct state before = state_of(r, 0), after;

	ctx_switch_start(r, 1, &d);
	hreg_write64(r, 0, TESS_HREG_CTX_ADDR, 0);
	hreg_write(r, 0, TESS_HREG_CTX_OP, TESS_CTX_SWITCH);
	after = state_of(r, 0);
	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_ERR_ADDRESS && same(&before, &after),
	   "no descriptor: ADDRESS");
	*ctx_result(r) = d;
	hreg_write64(r, 0, TESS_HREG_CTX_ADDR, CTX_DESC);
	r->read_only = true;
	hreg_write(r, 0, TESS_HREG_CTX_OP, TESS_CTX_SWITCH);
	r->read_only = false;
	after = state_of(r, 0);
	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_ERR_ADDRESS && same(&before, &after) &&
		   !ctx_result(r)->status,
	   "a descriptor that cannot be written: ADDRESS");
	hreg_write64(r, 0, TESS_HREG_CTX_ADDR, RIG_SYS + RIG_SYS_SIZE - 64);
	hreg_write(r, 0, TESS_HREG_CTX_OP, TESS_CTX_SWITCH);
	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_ERR_ADDRESS, "half a descriptor: ADDRESS");
	/* It goes away while the operation is in progress: the registers still tell. */
	ctx_switch_start(r, 0, &d);
	r->no_dma = true;
	ctx_wait(r, 0);
	r->no_dma = false;
	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_DONE && !ctx_result(r)->status,
	   "a descriptor that goes away");
	rig_free(r);
}

/* Each bit of an image, flipped, and each length, with a client that stays. */
static void test_bad_images(void)
{
	struct rig *r = scene();
	struct tess_ctx_switch d = ctx_desc(SAVE | RESTORE | RUN);
	uint8_t *image = ctx_image(r);
	struct state before, after;
	unsigned int refused = 0;

	before = state_of(r, 0);
	for (unsigned int bit = 0; bit < 8 * TESS_CTX_IDLE_SIZE; bit++) {
		image[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ctx_switch_start(r, 0, &d);
		image[bit / 8] ^= (uint8_t)(1 << bit % 8);
		refused += hreg(r, 0, TESS_HREG_CTX_STATUS) >= TESS_CTX_ERR_SPACE;
	}
	after = state_of(r, 0);
	ok(refused == 8 * TESS_CTX_IDLE_SIZE && same(&before, &after),
	   "%u flipped bits: all refused, nothing has changed", refused);
	rig_free(r);
}

/* Words of a descriptor are replaced by others that are nearly good. */
static void forge(struct tess_ctx_switch *d)
{
	static const uint64_t values[] = {
		0,	    1,		4,	     15,
		64,	    512,	0x4000,	     CTX_BUFFER,
		CTX_SAVED,  RIG_DATA,	RIG_VRAM(1), RIG_VRAM(4),
		1ULL << 40, 1ULL << 41, ~0ULL,	     CTX_DESC & ~0xfffULL
	};
	uint8_t *bytes = (uint8_t *)d;

	for (uint32_t n = 1 + ctx_random(3); n > 0; n--) {
		uint64_t v = values[ctx_random(ARRAY_SIZE(values))];

		if (ctx_random(2))
			memcpy(bytes + ctx_random(sizeof(*d) / 8) * 8, &v, 8);
		else
			memcpy(bytes + ctx_random(sizeof(*d) / 4) * 4, &v, 4);
	}
}

static void test_forged(void)
{
	struct rig *r = scene();
	static uint8_t idle[TESS_CTX_IDLE_SIZE], kernel[CTX_SPACE];
	unsigned int done_nr = 0, refused = 0, rounds = 4000;
	struct state before, after;
	bool fine = true;

	memcpy(idle, ctx_image(r), sizeof(idle));
	ctx_halt(r, 0);
	ctx_op(r, 0, TESS_CTX_SAVE);
	memcpy(kernel, ctx_image(r), sizeof(kernel));
	for (unsigned int i = 0; i < rounds; i++) {
		struct tess_ctx_switch d = ctx_desc(ctx_random(8));

		memcpy(ctx_image(r), idle, sizeof(idle));
		forge(&d);
		before = state_of(r, 0);
		ctx_switch_start(r, 0, &d);
		after = state_of(r, 0);
		if (!(hreg(r, 0, TESS_HREG_STATUS) & TESS_HSTATUS_BUSY)) {
			fine &= same(&before, &after);
			refused++;
			continue;
		}
		fine &= ctx_wait(r, 0) == TESS_CTX_DONE;
		done_nr++;
		hreg_write(r, 0, TESS_HREG_RESET, 1);
		ctx_halt(r, 0);
		memcpy(ctx_image(r), kernel, sizeof(kernel));
		fine &= ctx_op(r, 0, TESS_CTX_RESTORE) == TESS_CTX_DONE;
		hreg_write64(r, 0, TESS_HREG_TIMER, 1 + ctx_random(1000));
		ctx_go(r, 0);
	}
	ok(fine && done_nr > rounds / 20 && refused > rounds / 20,
	   "%u forged descriptors: %u refused without a trace, %u done", rounds, refused, done_nr);
	rig_free(r);
}

/* A COPY in progress needs the copy engine of the descriptor, not the slice's of now. */
static void test_engine(void)
{
	struct rig *r = scene();
	struct tess_pkt_copy c = pkt_copy(RIG_DATA, RIG_DATA + 0x10000, 0x8000);
	struct tess_ctx_switch d = ctx_desc(SAVE | RESTORE | RUN);

	rig_push(r, 2, &c);
	rig_doorbell(r, 2);
	gpu_step(r->gpu, 100);
	ctx_halt(r, 2);
	ctx_op(r, 2, TESS_CTX_SAVE);
	d.engines = TESS_ENGINE_COMPUTE;
	ok(fails(r, &d, TESS_CTX_ERR_ENGINE, 0), "without the engine: ENGINE");
	hreg_write(r, 0, TESS_HREG_ENGINE_MASK, TESS_ENGINE_COMPUTE);
	d.engines = TESS_ENGINE_ALL;
	ok(ctx_switch(r, 0, &d) == TESS_CTX_DONE, "with it: DONE");
	rig_run(r, 1000);
	ok(counter(r, 0, TESS_COUNTER_BYTES) == 0x8000, "and the COPY completes");
	rig_free(r);
}

/* The image that is saved is the one that SAVE writes. */
static void test_same_image(void)
{
	struct rig *r = scene();
	struct tess_ctx_switch d = ctx_desc(SAVE | RUN);
	struct tess_ctx_header *a = ctx_image(r), *b = rig_mem(r, CTX_SAVED);
	uint64_t used;

	ctx_halt(r, 0);
	ctx_op(r, 0, TESS_CTX_SAVE);
	used = hreg64(r, 0, TESS_HREG_CTX_USED);
	ok(ctx_switch(r, 0, &d) == TESS_CTX_DONE && ctx_result(r)->used == used, "SWITCH saves");
	a->time = b->time;
	ctx_sign(a);
	ok(!memcmp(a, b, used), "what SAVE does");
	rig_free(r);
}

/* A kernel that has all that a slice can have. */
static void push_largest(struct rig *r, unsigned int n)
{
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, 0, 256 * 8, 256);
	uint64_t root = rig_table(r, 1);

	d.group_segment_size = DRM_TESSERA_MAX_LOCAL_BYTES;
	rig_map(r, root, CODE & ~0x1fffffULL, CODE & ~0x1fffffULL, PTE_ALL, 1);
	rig_write64(r, CODE, JAL(X0, 0));
	rig_set_vm(r, n, root);
	rig_push(r, n, &d);
	rig_doorbell(r, n);
	gpu_step(r->gpu, 1000);
}

/* What an exchange costs at worst, of a quantum of 2 ms. */
static void test_largest(void)
{
	const uint64_t quantum = 2 * GPU_CLOCK_KHZ;
	struct tess_ctx_switch d = ctx_desc(SAVE | RESTORE | RUN);
	struct rig *r = rig_new();
	uint64_t start;

	push_largest(r, 3);
	ctx_halt(r, 3);
	ctx_op(r, 3, TESS_CTX_SAVE);
	push_largest(r, 0);
	start = gpu_time(r->gpu);
	ok(ctx_switch(r, 0, &d) == TESS_CTX_DONE && ctx_result(r)->used == 1590480,
	   "two full slices are exchanged");
	start = ctx_result(r)->time - start;
	ok(start == 2 * (16 + 49) && start * 100 <= quantum * 2, "in %llu cycles",
	   (unsigned long long)start);
	rig_free(r);
}

/* A word of the stack is stored and loaded; one word goes to other memory, atomically. */
static void push_traffic(struct rig *r, unsigned int n)
{
	const uint32_t code[] = { SD(A1, -8, SP), LW(A1, -8, SP), AMO(0, 3, A1, A0, A0), EXIT };
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, CODE + 0x1000, 30, 10);
	uint64_t root = rig_table(r, 1);

	d.private_segment_size = 16;
	d.scratch_address = CODE + 0x2000;
	d.setup |= DRM_TESSERA_SETUP_TEX;
	memcpy(rig_mem(r, CODE), code, sizeof(code));
	rig_map(r, root, CODE & ~0x1fffffULL, CODE & ~0x1fffffULL, PTE_ALL, 1);
	rig_set_vm(r, n, root);
	ok(!rig_do(r, n, &d), "traffic");
}

static bool has_counts(struct rig *r, uint64_t rays, uint64_t global, uint64_t private)
{
	const struct tess_ctx_switch *res = ctx_result(r);

	return res->counts[0] == rays && res->counts[1] == global && res->counts[2] == private;
}

/* Counters that no context has come with the client that leaves, on request. */
static void test_counts(struct rig *r)
{
	struct tess_ctx_switch d = ctx_desc(SAVE | RUN);

	push_traffic(r, 3);
	ok(hreg64(r, 3, TESS_HREG_COUNTERS + TESS_COUNTER_GLOBAL_BYTES) == 30 * 16 &&
		   hreg64(r, 3, TESS_HREG_COUNTERS + TESS_COUNTER_PRIVATE_BYTES) == 30 * 12 &&
		   !counter(r, 3, TESS_COUNTER_GLOBAL_BYTES),
	   "GLOBAL_BYTES and PRIVATE_BYTES, on the host page only");
	ok(ctx_switch(r, 3, &d) == TESS_CTX_DONE && has_counts(r, 0, 0, 0),
	   "no counts that nobody asked for");
	d.flags |= TESS_CTX_SWITCH_COUNTS;
	d.counts[0] = 7;
	ok(ctx_switch(r, 3, &d) == TESS_CTX_DONE && has_counts(r, 0, 30 * 16, 30 * 12),
	   "counts over all clients");
	ok(!ctx_result(r)->unit_cycles, "but UNIT_CYCLES");
	d.flags |= TESS_CTX_SWITCH_UNIT_CYCLES;
	ok(ctx_switch(r, 3, &d) == TESS_CTX_DONE && ctx_result(r)->unit_cycles &&
		   ctx_result(r)->unit_cycles ==
			   hreg64(r, 3, TESS_HREG_COUNTERS + TESS_COUNTER_UNIT_CYCLES),
	   "UNIT_CYCLES, too");
	hreg_write(r, 3, TESS_HREG_RESET, 1);
	ok(ctx_switch(r, 3, &d) == TESS_CTX_DONE && has_counts(r, 0, 0, 0) &&
		   !ctx_result(r)->unit_cycles,
	   "none after a reset");
	d.save_size = 0;
	d.counts[2] = 9;
	ok(ctx_switch(r, 3, &d) == TESS_CTX_ERR_SPACE && has_counts(r, 0, 0, 0),
	   "also of one that fails");
	hreg_write(r, 3, TESS_HREG_RESET, 1);
	rig_ring(r, 3);
}

int main(void)
{
	struct rig *r = rig_new();

	test_both(r);
	test_settings(r);
	test_writes_while_busy(r);
	test_places(r);
	test_counts(r);
	rig_free(r);
	test_damage();
	test_no_descriptor();
	test_bad_images();
	test_forged();
	test_engine();
	test_same_image();
	test_largest();
	return done();
}
