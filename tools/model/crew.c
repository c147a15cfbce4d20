// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Crew
 *
 * An item is done by one thread at a time, and whoever has nothing to do takes the one
 * that is the least far of those that nobody has. With as many threads as items each keeps its item,
 * otherwise a thread gives it back after a few steps, so that all go on side by side.
 *
 * All items do the same number of steps, but how many that is may be found out on the way: until
 * the limit, or until somebody asks that they meet. Then they stop where the one that is
 * furthest is; no step is ever interrupted. Limit and furthest step are one word, so that no item
 * can begin a step behind a limit that was just lowered.
 *
 * The owner's thread works as the others do. It never waits for a thread to wake up: one that comes
 * late finds nothing to do. A thread that has nothing to do looks for a while before it sleeps, for
 * the next run mostly follows within some microseconds.
 */
#define _GNU_SOURCE
#include "crew.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 8 /* steps of an item, while others wait for a thread */
#define LOOK_NS 20000 /* that a thread looks before it sleeps */
#define LOOKS 16 /* before it looks at the clock, too */
#define MEET_NS 50000 /* that the owner sleeps before it asks again whether it is enough */
#define CACHE_LINE 64

/* Words of struct crew::gate: is a run open, how many threads are in it, and which one is it? */
#define GATE_OPEN 1u
#define GATE_INSIDE 2u
#define GATE_INSIDE_MASK 0xfeu
#define GATE_RUN 0x100u

/**
 * struct item - one item of a run
 * @taken: a thread has it
 * @done: its steps, written by who has it
 */
struct item {
	_Alignas(CACHE_LINE) atomic_bool taken;
	atomic_uint done;
};

/**
 * struct crew - threads and their run
 * @gate: GATE_*; threads sleep on it
 * @sleepers: threads that sleep or are about to
 * @moved: changes when a thread gives an item back; the owner sleeps on it
 * @waiting: the owner sleeps, or is about to
 * @bounds: limit of steps << 32 | steps that the furthest item has begun
 * @ending: the threads shall end
 * @ops: of the run
 * @opaque: of the run
 * @nr_items: of the run
 * @nr_threads: without the owner's
 * @items: of the run
 * @threads: all but the owner's
 */
struct crew {
	_Alignas(CACHE_LINE) atomic_uint gate;
	atomic_uint sleepers;
	_Alignas(CACHE_LINE) atomic_uint moved;
	atomic_bool waiting;
	_Alignas(CACHE_LINE) atomic_uint_least64_t bounds;
	atomic_bool ending;
	const struct crew_ops *ops;
	void *opaque;
	unsigned int nr_items;
	unsigned int nr_threads;
	struct item items[CREW_ITEMS_MAX];
	pthread_t threads[CREW_THREADS_MAX];
};

static void crew_sleep(atomic_uint *word, unsigned int seen, const struct timespec *most)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, most, NULL, 0);
}

static void crew_wake(atomic_uint *word, int threads)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

static void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Look for a while whether something is so, which it mostly is soon. */
static bool soon(struct crew *c, bool (*is_so)(struct crew *c, unsigned int seen),
		 unsigned int seen)
{
	int64_t end = now_ns() + LOOK_NS;

	do {
		for (unsigned int n = 0; n < LOOKS; n++) {
			if (is_so(c, seen))
				return true;
			pause_a_little();
		}
	} while (now_ns() < end);
	return false;
}

/* ---- steps ---- */

static uint64_t bounds_of(unsigned int limit, unsigned int furthest)
{
	return (uint64_t)limit << 32 | furthest;
}

static unsigned int bounds_limit(uint64_t b)
{
	return (unsigned int)(b >> 32);
}

static unsigned int bounds_furthest(uint64_t b)
{
	return (unsigned int)b;
}

/* May an item that did @done steps do another one? */
static bool may_step(struct crew *c, unsigned int done)
{
	uint64_t b = atomic_load(&c->bounds);

	for (;;) {
		if (done < bounds_furthest(b))
			return true;
		if (done >= bounds_limit(b))
			return false;
		if (atomic_compare_exchange_weak(&c->bounds, &b,
						 bounds_of(bounds_limit(b), done + 1)))
			return true;
	}
}

/* The items meet where the furthest one is. */
static void meet(struct crew *c)
{
	uint64_t b = atomic_load(&c->bounds);

	while (bounds_limit(b) != bounds_furthest(b) &&
	       !atomic_compare_exchange_weak(&c->bounds, &b,
					     bounds_of(bounds_furthest(b), bounds_furthest(b))))
		;
}

static void meet_if_enough(struct crew *c)
{
	if (c->ops->enough && c->ops->enough(c->opaque, bounds_furthest(atomic_load(&c->bounds))))
		meet(c);
}

/* Take the item that is the least far of those that are free; -1: there is none to go on with. */
static int take_item(struct crew *c)
{
	for (;;) {
		unsigned int least = bounds_limit(atomic_load(&c->bounds));
		int best = -1;

		for (unsigned int i = 0; i < c->nr_items; i++) {
			unsigned int done = atomic_load(&c->items[i].done);

			if (done < least && !atomic_load(&c->items[i].taken)) {
				least = done;
				best = (int)i;
			}
		}
		if (best < 0 || !atomic_exchange(&c->items[best].taken, true))
			return best;
	}
}

static void give_back(struct crew *c, struct item *it)
{
	atomic_store(&it->taken, false);
	atomic_fetch_add(&c->moved, 1);
	if (atomic_load(&c->waiting))
		crew_wake(&c->moved, 1);
}

static void run_item(struct crew *c, unsigned int i, bool owner)
{
	unsigned int most = c->nr_items > c->nr_threads + 1 ? CHUNK : UINT_MAX;
	struct item *it = &c->items[i];
	unsigned int done = atomic_load(&it->done);

	for (; most && may_step(c, done); most--) {
		if (c->ops->step(c->opaque, i, done))
			meet(c);
		atomic_store(&it->done, ++done);
		if (owner)
			meet_if_enough(c);
	}
	give_back(c, it);
}

static bool work(struct crew *c, bool owner)
{
	bool any = false;
	int i;

	while ((i = take_item(c)) >= 0) {
		run_item(c, (unsigned int)i, owner);
		any = true;
	}
	return any;
}

/* ---- threads ---- */

static bool is_new_run(unsigned int gate, unsigned int seen)
{
	return gate & GATE_OPEN && gate / GATE_RUN != seen;
}

/* Enter the run if one is open that this thread did not see the end of. */
static bool enter(struct crew *c, unsigned int *seen)
{
	unsigned int gate = atomic_load(&c->gate);

	while (is_new_run(gate, *seen)) {
		if (atomic_compare_exchange_weak(&c->gate, &gate, gate + GATE_INSIDE)) {
			*seen = gate / GATE_RUN;
			return true;
		}
	}
	return false;
}

static void leave(struct crew *c)
{
	atomic_fetch_sub(&c->gate, GATE_INSIDE);
	atomic_fetch_add(&c->moved, 1);
	if (atomic_load(&c->waiting))
		crew_wake(&c->moved, 1);
}

static bool has_work(struct crew *c, unsigned int seen)
{
	return is_new_run(atomic_load(&c->gate), seen) || atomic_load(&c->ending);
}

static void wait_for_run(struct crew *c, unsigned int seen)
{
	unsigned int gate;

	if (soon(c, has_work, seen))
		return;
	atomic_fetch_add(&c->sleepers, 1);
	gate = atomic_load(&c->gate);
	if (!is_new_run(gate, seen) && !atomic_load(&c->ending))
		crew_sleep(&c->gate, gate, NULL);
	atomic_fetch_sub(&c->sleepers, 1);
}

static void *crew_thread(void *arg)
{
	struct crew *c = arg;
	unsigned int seen = 0;

	while (!atomic_load(&c->ending)) {
		if (!enter(c, &seen)) {
			wait_for_run(c, seen);
			continue;
		}
		work(c, false);
		leave(c);
	}
	return NULL;
}

static void gate_open(struct crew *c)
{
	unsigned int run = (atomic_load(&c->gate) / GATE_RUN + 1) * GATE_RUN;
	unsigned int more = c->nr_items - 1 < c->nr_threads ? c->nr_items - 1 : c->nr_threads;

	/* Runs are told apart from the one that a thread saw last; 0 is none. */
	atomic_store(&c->gate, (run ? run : GATE_RUN) | GATE_OPEN);
	if (atomic_load(&c->sleepers))
		crew_wake(&c->gate, (int)more);
}

static bool all_done(struct crew *c)
{
	unsigned int limit = bounds_limit(atomic_load(&c->bounds));

	for (unsigned int i = 0; i < c->nr_items; i++)
		if (atomic_load(&c->items[i].done) < limit)
			return false;
	return true;
}

static bool has_moved(struct crew *c, unsigned int seen)
{
	return atomic_load(&c->moved) != seen;
}

/* Wait until another thread gave an item back, or left; not long. */
static void wait_for_move(struct crew *c, unsigned int seen)
{
	const struct timespec most = { .tv_nsec = MEET_NS };

	if (soon(c, has_moved, seen))
		return;
	atomic_store(&c->waiting, true);
	if (!has_moved(c, seen))
		crew_sleep(&c->moved, seen, &most);
	atomic_store(&c->waiting, false);
}

/* Nobody enters any more; wait for those who are inside. */
static void gate_close(struct crew *c)
{
	unsigned int seen = atomic_load(&c->moved);

	atomic_fetch_and(&c->gate, ~GATE_OPEN);
	while (atomic_load(&c->gate) & GATE_INSIDE_MASK) {
		wait_for_move(c, seen);
		seen = atomic_load(&c->moved);
	}
}

unsigned int crew_run(struct crew *c, unsigned int items, unsigned int limit,
		      const struct crew_ops *ops, void *opaque)
{
	c->ops = ops;
	c->opaque = opaque;
	c->nr_items = items;
	for (unsigned int i = 0; i < items; i++)
		atomic_store_explicit(&c->items[i].done, 0, memory_order_relaxed);
	atomic_store(&c->bounds, bounds_of(limit, 0));
	gate_open(c);
	for (;;) {
		unsigned int seen = atomic_load(&c->moved);

		if (work(c, true))
			continue;
		if (all_done(c))
			break;
		meet_if_enough(c);
		wait_for_move(c, seen);
	}
	gate_close(c);
	return bounds_limit(atomic_load(&c->bounds));
}

static unsigned int start_threads(struct crew *c, unsigned int threads)
{
	sigset_t all, old;
	unsigned int n = 0;

	/* Signals are for the owner, but SIGBUS is for whoever caused it. */
	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (n < threads && !pthread_create(&c->threads[n], NULL, crew_thread, c))
		n++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return n;
}

struct crew *crew_new(unsigned int threads)
{
	struct crew *c = aligned_alloc(CACHE_LINE, sizeof(*c));

	if (!c)
		return NULL;
	*c = (struct crew){ 0 };
	c->nr_threads = start_threads(c, threads - 1);
	if (c->nr_threads == threads - 1)
		return c;
	crew_free(c);
	return NULL;
}

void crew_free(struct crew *c)
{
	if (!c)
		return;
	atomic_store(&c->ending, true);
	/* Not the value that a thread is about to sleep on */
	atomic_fetch_add(&c->gate, GATE_RUN);
	crew_wake(&c->gate, INT_MAX);
	for (unsigned int i = 0; i < c->nr_threads; i++)
		pthread_join(c->threads[i], NULL);
	free(c);
}
