// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How operations start: all of them or none when something is missing, and nobody but other
 * operations waits for one that waits for room in a queue.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "kernels.h"
#include "sim.h"
#include "tap.h"
#include "tessera.h"

#define ITEMS 320u
#define SLOTS 64u
#define SLICES 2u
#define THREADS 4u
#define ROUNDS 100u
#define HANGS_S 120 /* a library that waits under its lock never ends */

static unsigned char *elf;
static size_t elf_size;

/**
 * struct setup - an open device and a kernel that counts its calls for each work-item
 * @dev: device
 * @buf: counts
 * @ids: the same for the CPU
 * @args: of the kernel
 * @d: dispatch of all work-items
 */
struct setup {
	struct tess_device *dev;
	struct tess_buffer *buf;
	struct ids *ids;
	struct ids_args args;
	struct tess_dispatch d;
};

static void start(struct setup *s)
{
	struct tess_program *prog;

	memset(s, 0, sizeof(*s));
	sim_reset();
	if (tess_open(NULL, &s->dev) ||
	    tess_program_load(s->dev, "kernels.elf", elf, elf_size, &prog) ||
	    tess_buffer_create(s->dev, ITEMS * sizeof(*s->ids), 0, 0, &s->buf))
		exit(tap_bail("%s", tess_strerror(s->dev)));
	s->ids = tess_buffer_map(s->buf);
	s->args.out = tess_buffer_va(s->buf);
	s->d = (struct tess_dispatch){ .kernel = tess_program_kernel(prog, "ids"),
				       .grid = { ITEMS },
				       .group = { 4 },
				       .args = &s->args,
				       .args_size = sizeof(s->args) };
}

static void stop(struct setup *s)
{
	tess_buffer_destroy(s->buf);
	tess_close(s->dev);
	ok(!sim.leaks, "nothing is left in the kernel (%u objects)", sim.leaks);
}

static unsigned int wrong_items(const struct setup *s, unsigned int visits)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < ITEMS; i++)
		wrong += s->ids[i].visits != visits;
	return wrong;
}

/* Each allocation of a first dispatch fails in turn; the slices are eight. */
static void test_out_of_memory(void)
{
	struct setup s;
	unsigned int n, refusals = 0, bad = 0;
	int ret;

	for (n = 1;; n++) {
		start(&s);
		sim.deny_bo_at = sim.bos + n;
		ret = tess_run(s.dev, &s.d, NULL);
		if (!ret)
			break;
		refusals++;
		bad += ret != -ENOMEM || sim.submits || wrong_items(&s, 0);
		bad += !!tess_run(s.dev, &s.d, NULL) || wrong_items(&s, 1);
		tess_buffer_destroy(s.buf);
		tess_close(s.dev);
		bad += sim.leaks;
	}
	ok(refusals >= SIM_SLICES && !bad,
	   "%u allocations that fail: no slice runs anything, the next try runs all", refusals);
	stop(&s);
}

/* All slices go after two jobs were sent: the operation has begun, its fence tells. */
static void test_begun(void)
{
	struct tess_fence *fence = NULL;
	struct setup s;

	start(&s);
	sim.revoke_at = sim.submits + 3;
	sim.revoke = 0xff;
	ok(!tess_dispatch(s.dev, &s.d, &fence) && sim.submits == 3,
	   "a dispatch that loses all slices after two jobs has begun");
	ok(tess_fence_wait(fence, -1, NULL) == -ENXIO &&
		   strstr(tess_strerror(s.dev), "no slice can run this"),
	   "its fence: %s", tess_strerror(s.dev));
	ok(tess_fence_wait(fence, 0, NULL) == -ENXIO, "the answer stays");
	tess_fence_destroy(fence);
	sim_compose(0xff);
	sim.revoke_at = sim.submits + 3;
	ok(!tess_dispatch(s.dev, &s.d, NULL) && tess_finish(s.dev, -1) == -ENXIO &&
		   !tess_finish(s.dev, -1),
	   "without a fence tess_finish() tells, once");
	sim.revoke_at = 0;
	sim_compose(0xff);
	memset(s.ids, 0, ITEMS * sizeof(*s.ids));
	ok(!tess_run(s.dev, &s.d, NULL) && !wrong_items(&s, 1), "and the device works on");
	stop(&s);
}

struct worker {
	struct setup *s;
	unsigned int ops;
	unsigned int bad;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned int i;

	for (i = 0; i < w->ops; i++)
		w->bad += !!tess_dispatch(w->s->dev, &w->s->d, NULL);
	return NULL;
}

/* A thread waits for room in a full queue: others ask, look and allocate as if it did not. */
static void test_full_queue(void)
{
	struct worker w = { .ops = 1 };
	struct tess_buffer *other = NULL;
	struct tess_fence *fence = NULL;
	struct tess_info info;
	struct setup s;
	pthread_t thread;
	unsigned int i, bad = 0;

	start(&s);
	w.s = &s;
	s.d.slice_mask = 1;
	sim.stuck = true;
	sim.patient = true;
	bad += !!tess_dispatch(s.dev, &s.d, &fence);
	for (i = 1; i < SLOTS; i++)
		bad += !!tess_dispatch(s.dev, &s.d, NULL);
	ok(!bad && sim.submits == SLOTS, "a queue that is full");
	pthread_create(&thread, NULL, work, &w);
	while (!sim_waiters())
		sched_yield();
	ok(tess_fence_wait(fence, 0, NULL) == -ETIME && sim_waiters() == 1,
	   "a thread waits for room in it, a look at a fence does not");
	ok(!tess_get_info(s.dev, &info) && !tess_buffer_create(s.dev, 4096, 0, 0, &other) &&
		   tess_finish(s.dev, 0) == -ETIME && sim_waiters() == 1,
	   "nor do questions and new buffers");
	sim_unstick();
	pthread_join(thread, NULL);
	ok(!w.bad && !tess_fence_wait(fence, -1, NULL) && !tess_finish(s.dev, -1) &&
		   !wrong_items(&s, SLOTS + 1),
	   "with room all of them run, each once");
	tess_fence_destroy(fence);
	tess_buffer_destroy(other);
	stop(&s);
}

/* Several threads want into the same full queues, while another one looks at a fence. */
static void test_blocked_threads(void)
{
	struct worker w[THREADS];
	struct tess_fence *fence = NULL;
	pthread_t thread[THREADS];
	unsigned int i, looks, bad = 0;
	struct setup s;

	start(&s);
	s.d.slice_count = SLICES;
	sim.stuck = true;
	sim.patient = true;
	bad += !!tess_dispatch(s.dev, &s.d, &fence);
	for (i = 0; i < THREADS; i++) {
		w[i] = (struct worker){ .s = &s, .ops = ROUNDS };
		pthread_create(&thread[i], NULL, work, &w[i]);
	}
	while (!sim_waiters())
		sched_yield();
	for (looks = 0; looks < 1000; looks++)
		bad += tess_fence_wait(fence, 0, NULL) != -ETIME;
	ok(!bad && sim.submits == SLICES * SLOTS,
	   "%u threads fill the queues; %u looks at a fence meanwhile", THREADS, looks);
	sim_unstick();
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		bad += w[i].bad;
	}
	ok(!bad && !tess_finish(s.dev, -1) && !wrong_items(&s, THREADS * ROUNDS + 1),
	   "all %u dispatches ran, each once", THREADS * ROUNDS + 1);
	tess_fence_destroy(fence);
	stop(&s);
}

int main(int argc, char **argv)
{
	elf = read_file(argv[argc - 1], "kernels.elf", &elf_size);
	alarm(HANGS_S);
	test_out_of_memory();
	test_begun();
	test_full_queue();
	test_blocked_threads();
	free(elf);
	return done();
}
