// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * No order of events loses a completion interrupt, or makes one up.
 *
 * All orders of the steps of four actors are explored: the GPU, which completes FENCEs
 * as packets.rst says; a client, which arms its event index, looks again and sleeps; the
 * router, which is drivers/core/slice/complete.c itself; and others, whose completions make it
 * run at any time, and who share the slice: once, between two packets, the client's
 * vslice is saved, and restored later if it has work left. Steps are accesses to memory that the others see. Stores of
 * GPU and client stay in a buffer until they leave it, at a time of their own or at a
 * barrier. Reads of the router that no barrier separates may be done early.
 *
 * An interrupt is lost if nothing is left to happen and the client sleeps although its
 * number was reached. It is made up if the client is called without an event that
 * passed since the last call. That the explorer would notice is shown by leaving out,
 * one at a time, each barrier and each rule that the argument in complete.c rests on.
 */
#include <setjmp.h>
#include <stdlib.h>

/* The shim has what these would declare */
#define _TESSERA_CORE_GPU_H_
#define _TESSERA_CORE_SLICE_H_
#define _TESSERA_CORE_VGPU_H_
#define _TESSERA_CORE_TRACE_H_
#include "shim/kernel.h"
#include "../../drivers/core/slice/complete.c"

#include "harness.h"

#define FENCES 4
#define OTHERS 2
#define TABLE_BITS 21
#define NONE 0xff

/**
 * struct broken - rules that are left out
 * @gpu_barrier: the GPU reads the event index before its seq is visible
 * @client_barrier: the client looks again before its event index is visible
 * @router_barrier: the router's reads can be done in the other order
 * @look_again: the client sleeps without another look
 * @run_again: an interrupt that comes while the router runs is dropped
 * @look_when_saved: nobody looks at the record of a vslice that was saved
 * @look_when_back: nor when it is back
 */
struct broken {
	bool gpu_barrier;
	bool client_barrier;
	bool router_barrier;
	bool look_again;
	bool run_again;
	bool look_when_saved;
	bool look_when_back;
};

enum gpu_at { GPU_STORE, GPU_BARRIER, GPU_LOAD, GPU_RAISE, GPU_DONE };
enum client_at { CLIENT_ARM, CLIENT_BARRIER, CLIENT_LOOK, CLIENT_SLEEP, CLIENT_DONE };
enum router_at { ROUTER_IDLE, ROUTER_STARTED, ROUTER_READ_ONE };

/* The vslice: who knows first that it is saved or back is the hardware, then the router */
enum place { ON, SAVED, LEAVING, PARKED, RESTORED, ARRIVING, BACK };
enum call { INTERRUPT, EXCHANGE_OUT, EXCHANGE_IN };

/**
 * struct state - of everything; numbers are offsets from the start, one byte each
 * @seq: record
 * @event: record
 * @seq_buf: GPU's store that nobody sees yet, or NONE
 * @event_buf: the same of the client
 * @gpu: where it is
 * @gpu_n: number of the FENCE
 * @client: where it is
 * @want: number that it waits for
 * @called: complete() was called and the client has not seen it yet
 * @router: where it is
 * @first: what it read first
 * @early: event index when it began: what a read done early sees
 * @seen: tess_slice.seen
 * @pending: interrupt
 * @others: completions of other clients to come
 * @passed: highest event index that was passed at the last call
 * @place: where the vslice is
 * @exchange_first: what the exchange read first
 * @unused: zero
 */
struct state {
	uint8_t seq;
	uint8_t event;
	uint8_t seq_buf;
	uint8_t event_buf;
	uint8_t gpu;
	uint8_t gpu_n;
	uint8_t client;
	uint8_t want;
	uint8_t called;
	uint8_t router;
	uint8_t first;
	uint8_t early;
	uint8_t seen;
	uint8_t pending;
	uint8_t others;
	uint8_t passed;
	uint8_t place;
	uint8_t exchange_first;
	uint8_t unused[6];
};

/**
 * struct explorer - a search through all states
 * @broken: rules that are left out
 * @base: number of the record at the start
 * @ahead: the client waits for so many completions at once
 * @table: states that were seen; all zeroes: an empty place
 * @stack: states to go on from
 * @depth: of @stack
 * @states: number of states
 * @lost: of them, those in which an interrupt is lost
 * @made_up: calls without reason
 */
struct explorer {
	struct broken broken;
	u64 base;
	unsigned int ahead;
	struct state *table;
	struct state *stack;
	size_t depth;
	unsigned long states;
	unsigned long lost;
	unsigned long made_up;
};

/* ---- the router, up to its next read ---- */

static struct {
	jmp_buf out;
	const void *rec;
	u64 feed[2];
	unsigned int have;
	unsigned int reads;
	bool separated;
	unsigned int calls;
} run;

u64 explored_read(const volatile void *addr, u64 now)
{
	if ((const char *)addr < (const char *)run.rec ||
	    (const char *)addr >= (const char *)run.rec + TESS_COMPLETION_RECORD_SIZE)
		return now;
	if (run.reads == run.have)
		longjmp(run.out, 1);
	return run.feed[run.reads++];
}

void explored_barrier(void)
{
	if (run.reads == run.have)
		run.separated = true;
}

static void called(struct tess_vgpu *vgpu, unsigned int vslice)
{
	(void)vgpu;
	(void)vslice;
	run.calls++;
}

static void make_call(enum call call, struct tess_slice *slice, struct tess_vslice *vs)
{
	if (call == EXCHANGE_OUT)
		tess_route_exchange(slice, vs, NULL);
	else if (call == EXCHANGE_IN)
		tess_route_exchange(slice, NULL, vs);
	else
		tess_gpu_completion_irq(slice->gpu);
}

/* Run it with the reads it has had; false: it stopped at another one */
static bool router_run(enum call call, bool routed, u64 *seen, const u64 *feed, unsigned int have)
{
	static const struct tess_client_ops ops = { .complete = called };
	static struct tess_completion_record rec;
	struct tess_vgpu vgpu = { .ops = &ops };
	struct tess_vslice vs = { .vgpu = &vgpu, .source.rec = &rec, .seen = *seen };
	struct tess_slice slice = { .route = &vs, .seen = *seen };
	struct tess_gpu gpu = { .info = { .slice_count = 1 }, .slices = &slice };

	slice.gpu = &gpu;
	slice.source.rec = routed ? &rec : NULL;
	memset(run.feed, 0, sizeof(run.feed));
	memcpy(run.feed, feed, have * sizeof(*feed));
	run.rec = &rec;
	run.have = have;
	run.reads = 0;
	run.calls = 0;
	run.separated = false;
	if (setjmp(run.out))
		return false;
	make_call(call, &slice, &vs);
	*seen = call == EXCHANGE_OUT ? vs.seen : slice.seen;
	return true;
}

/* ---- exploring ---- */

static size_t hash(const struct state *s)
{
	u64 words[3], h;

	_Static_assert(sizeof(*s) == sizeof(words), "three words");
	memcpy(words, s, sizeof(words));
	h = (words[0] ^ words[1] * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
	h = (h ^ h >> 32 ^ words[2]) * 0x94d049bb133111ebull;
	return (h ^ h >> 29) >> (64 - TABLE_BITS);
}

static void visit(struct explorer *x, const struct state *s)
{
	static const struct state empty;
	size_t i = hash(s);

	/* The state at the start is the only one of zeroes, and it is no successor */
	while (memcmp(&x->table[i], &empty, sizeof(empty))) {
		if (!memcmp(&x->table[i], s, sizeof(*s)))
			return;
		i = (i + 1) & ((1u << TABLE_BITS) - 1);
	}
	x->table[i] = *s;
	x->states++;
	x->stack[x->depth++] = *s;
}

static bool step_gpu(struct explorer *x, struct state *s)
{
	if (s->place >= SAVED && s->place <= PARKED)
		return false;
	switch (s->gpu) {
	case GPU_STORE:
		s->seq_buf = s->gpu_n;
		s->gpu = x->broken.gpu_barrier ? GPU_LOAD : GPU_BARRIER;
		return true;
	case GPU_BARRIER:
		if (s->seq_buf != NONE)
			return false;
		s->gpu = GPU_LOAD;
		return true;
	case GPU_LOAD:
		/* As packets.rst, around zero too; new - old is 1 */
		s->gpu = (x->base + s->gpu_n) - (x->base + s->event) < 1 ? GPU_RAISE : GPU_DONE;
		if (s->gpu == GPU_DONE && s->gpu_n < FENCES) {
			s->gpu_n++;
			s->gpu = GPU_STORE;
		}
		return true;
	case GPU_RAISE:
		s->pending = true;
		s->gpu = s->gpu_n < FENCES ? GPU_STORE : GPU_DONE;
		s->gpu_n += s->gpu == GPU_STORE;
		return true;
	default:
		return false;
	}
}

static void client_next(struct explorer *x, struct state *s, unsigned int reached)
{
	s->want = reached + x->ahead < FENCES ? reached + x->ahead : FENCES;
	s->client = reached < FENCES ? CLIENT_ARM : CLIENT_DONE;
}

static bool step_client(struct explorer *x, struct state *s)
{
	switch (s->client) {
	case CLIENT_ARM:
		s->event_buf = s->want;
		s->client = x->broken.look_again ? CLIENT_SLEEP : CLIENT_BARRIER;
		if (s->client == CLIENT_BARRIER && x->broken.client_barrier)
			s->client = CLIENT_LOOK;
		return true;
	case CLIENT_BARRIER:
		if (s->event_buf != NONE)
			return false;
		s->client = CLIENT_LOOK;
		return true;
	case CLIENT_LOOK:
		if (s->seq >= s->want)
			client_next(x, s, s->seq);
		else
			s->client = CLIENT_SLEEP;
		return true;
	case CLIENT_SLEEP:
		if (!s->called)
			return false;
		s->called = false;
		if (s->seq >= s->want)
			client_next(x, s, s->seq);
		else
			s->client = CLIENT_ARM;
		return true;
	default:
		return false;
	}
}

static bool step_others(struct explorer *x, struct state *s)
{
	(void)x;
	if (!s->others)
		return false;
	s->others--;
	s->pending = true;
	return true;
}

static bool step_seq_leaves(struct explorer *x, struct state *s)
{
	(void)x;
	if (s->seq_buf == NONE)
		return false;
	s->seq = s->seq_buf;
	s->seq_buf = NONE;
	return true;
}

static bool step_event_leaves(struct explorer *x, struct state *s)
{
	(void)x;
	if (s->event_buf == NONE)
		return false;
	s->event = s->event_buf;
	s->event_buf = NONE;
	return true;
}

/* The client is called: for an event index later than the last, and reached */
static void tell(struct explorer *x, struct state *s)
{
	if (!run.calls)
		return;
	if (run.calls > 1 || s->event <= s->passed || s->event > s->seq)
		x->made_up++;
	s->passed = s->event;
	s->called = true;
}

static void router_ends(struct explorer *x, struct state *s, u64 seen, bool routed)
{
	s->router = ROUTER_IDLE;
	if (routed)
		s->seen = (uint8_t)(seen - x->base);
	s->first = 0;
	s->early = 0;
	if (x->broken.run_again)
		s->pending = false;
	tell(x, s);
}

static bool is_routed(const struct state *s)
{
	return s->place == ON || s->place == SAVED || s->place == BACK;
}

/* The next read returns what is in memory now, or what was when it began */
static bool router_step(struct explorer *x, struct state *s, bool early)
{
	u64 seen = x->base + s->seen, feed[2] = { x->base + s->first };
	bool had = s->router == ROUTER_READ_ONE, routed = is_routed(s);

	if (s->router == ROUTER_IDLE) {
		if (!s->pending || early)
			return false;
		s->pending = x->broken.run_again;
		s->router = ROUTER_STARTED;
		s->early = s->event;
		return true;
	}
	/* The exchange has the lock */
	if (s->place == LEAVING || s->place == ARRIVING)
		return false;
	if (router_run(INTERRUPT, routed, &seen, feed, had)) {
		router_ends(x, s, seen, routed);
		return true;
	}
	if (early && (!had || (run.separated && !x->broken.router_barrier)))
		return false;
	feed[had] = x->base + (had ? (early ? s->early : s->event) : s->seq);
	if (router_run(INTERRUPT, routed, &seen, feed, had + 1)) {
		router_ends(x, s, seen, routed);
	} else {
		s->router = ROUTER_READ_ONE;
		s->first = s->seq;
	}
	return true;
}

/* Reads of the router under its lock, for a vslice that was saved or is back */
static bool exchange(struct explorer *x, struct state *s, enum call call, enum place reading,
		     enum place done)
{
	u64 seen = x->base + s->seen, feed[2] = { x->base + s->exchange_first };
	bool routed = call == EXCHANGE_OUT, had = s->place == reading;

	if (s->router == ROUTER_READ_ONE)
		return false;
	feed[had] = x->base + (had ? s->event : s->seq);
	if (!router_run(call, routed, &seen, feed, had + 1)) {
		s->place = reading;
		s->exchange_first = s->seq;
		return true;
	}
	s->place = done;
	s->exchange_first = 0;
	s->seen = (uint8_t)(seen - x->base);
	tell(x, s);
	return true;
}

static bool step_exchange(struct explorer *x, struct state *s)
{
	bool between = s->gpu == GPU_STORE || s->gpu == GPU_DONE;

	switch (s->place) {
	case ON:
		/* Saved between packets, with all its writes done */
		if (!between || s->seq_buf != NONE)
			return false;
		s->place = SAVED;
		return true;
	case SAVED:
		if (x->broken.look_when_saved && s->router != ROUTER_READ_ONE) {
			s->place = PARKED;
			return true;
		}
		return exchange(x, s, EXCHANGE_OUT, LEAVING, PARKED);
	case LEAVING:
		return exchange(x, s, EXCHANGE_OUT, LEAVING, PARKED);
	case PARKED:
		/* Who has nothing to do stays away */
		if (s->gpu == GPU_DONE)
			return false;
		s->place = RESTORED;
		return true;
	case RESTORED:
		if (x->broken.look_when_back && s->router != ROUTER_READ_ONE) {
			s->place = BACK;
			return true;
		}
		return exchange(x, s, EXCHANGE_IN, ARRIVING, BACK);
	case ARRIVING:
		return exchange(x, s, EXCHANGE_IN, ARRIVING, BACK);
	default:
		return false;
	}
}

static bool step_router(struct explorer *x, struct state *s)
{
	return router_step(x, s, false);
}

static bool step_router_early(struct explorer *x, struct state *s)
{
	return router_step(x, s, true);
}

static bool (*const steps[])(struct explorer *x, struct state *s) = {
	step_gpu,	   step_client, step_others,	   step_seq_leaves,
	step_event_leaves, step_router, step_router_early, step_exchange,
};

static void explore(struct explorer *x)
{
	struct state start = {
		.seq_buf = NONE,
		.event_buf = NONE,
		.gpu_n = 1,
		.others = OTHERS,
	};

	x->table = calloc(1u << TABLE_BITS, sizeof(*x->table));
	x->stack = calloc(1u << TABLE_BITS, sizeof(*x->stack));
	if (!x->table || !x->stack)
		exit(1);
	client_next(x, &start, 0);
	visit(x, &start);
	while (x->depth) {
		struct state from = x->stack[--x->depth], to;
		unsigned int moved = 0;

		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			to = from;
			if (!steps[i](x, &to))
				continue;
			moved++;
			visit(x, &to);
		}
		x->lost += !moved && from.client != CLIENT_DONE;
	}
	free(x->table);
	free(x->stack);
}

static struct explorer explored(struct broken broken, u64 base, unsigned int ahead)
{
	struct explorer x = { .broken = broken, .base = base, .ahead = ahead };

	explore(&x);
	printf("# %lu states, %lu lost, %lu made up\n", x.states, x.lost, x.made_up);
	return x;
}

TEST(none_lost)
{
	/* From 0, and across the end of the numbers */
	static const u64 bases[] = { 0, (u64)-1, (u64)-2 };

	for (unsigned int i = 0; i < 3; i++) {
		for (unsigned int ahead = 1; ahead <= 2; ahead++) {
			struct explorer x = explored((struct broken){ 0 }, bases[i], ahead);

			EXPECT_LT(10000UL, x.states);
			EXPECT_EQ(0UL, x.lost);
			EXPECT_EQ(0UL, x.made_up);
		}
	}
}

TEST(needs_gpu_barrier)
{
	struct explorer x = explored((struct broken){ .gpu_barrier = true }, 0, 1);

	EXPECT_LT(0UL, x.lost);
}

TEST(needs_client_barrier)
{
	struct explorer x = explored((struct broken){ .client_barrier = true }, 0, 1);

	EXPECT_LT(0UL, x.lost);
}

TEST(needs_router_barrier)
{
	struct explorer x = explored((struct broken){ .router_barrier = true }, 0, 1);

	EXPECT_LT(0UL, x.lost);
}

TEST(needs_another_look)
{
	struct explorer x = explored((struct broken){ .look_again = true }, 0, 1);

	EXPECT_LT(0UL, x.lost);
}

TEST(needs_another_run)
{
	struct explorer x = explored((struct broken){ .run_again = true }, 0, 1);

	EXPECT_LT(0UL, x.lost);
}

TEST(needs_a_look_when_saved)
{
	struct explorer x = explored((struct broken){ .look_when_saved = true }, 0, 1);

	EXPECT_LT(0UL, x.lost);
}

TEST(needs_a_look_when_back)
{
	struct explorer x = explored((struct broken){ .look_when_back = true }, 0, 1);

	EXPECT_LT(0UL, x.lost);
}

/* Whatever is in the record: one call at most, and nothing but seen changes */
TEST(garbage)
{
	u64 seen = 0, random = 1, calls = 0;

	for (unsigned int i = 0; i < 1000000; i++) {
		u64 feed[2];

		for (unsigned int n = 0; n < 2; n++) {
			random = random * 6364136223846793005ull + 1442695040888963407ull;
			feed[n] = random >> (random >> 60) * 4;
		}
		if (!(i % 7))
			feed[0] = seen;
		ASSERT_TRUE(router_run(INTERRUPT, true, &seen, feed, 2));
		ASSERT_GE(1U, run.calls);
		ASSERT_EQ(feed[0], seen);
		calls += run.calls;
	}
	EXPECT_LT(1000ULL, calls);
}

TEST_HARNESS_MAIN
