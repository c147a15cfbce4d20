// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults, hangs and lost slices: what the caller learns, and that work goes on after. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "kernels.h"
#include "sim.h"
#include "tap.h"
#include "tessera.h"

#define PAGE 4096

static struct tess_device *dev;
static struct tess_program *prog;
static struct tess_buffer *buf;

static int poke(uint32_t what, uint64_t addr, uint32_t slices, struct tess_fence **fence)
{
	struct poke_args args = { .addr = addr, .what = what, .item = 5 };
	struct tess_dispatch d = {
		.kernel = tess_program_kernel(prog, "poke"),
		.grid = { 64 },
		.group = { 8 },
		.args = &args,
		.args_size = sizeof(args),
		.slice_count = slices,
	};

	return fence ? tess_dispatch(dev, &d, fence) : tess_run(dev, &d, NULL);
}

static int works(void)
{
	struct saxpy_args args = { .n = 0 };
	struct tess_dispatch d = {
		.kernel = tess_program_kernel(prog, "saxpy"),
		.grid = { 64 },
		.group = { 8 },
		.args = &args,
		.args_size = sizeof(args),
	};

	return !tess_run(dev, &d, NULL);
}

static void refused(int ret, int want, const char *word)
{
	const char *text = tess_strerror(dev);

	ok(ret == want && strstr(text, word), "%s", text);
}

static void expect(int ret, int want, const char *const *words)
{
	const char *text = tess_strerror(dev);
	bool good = ret == want;

	for (; *words; words++)
		good &= !!strstr(text, *words);
	ok(good, "%s", text);
	ok(works(), "the next operation works");
}

static void test_words(void)
{
	uint64_t va = tess_buffer_va(buf);

	expect(poke(0, 0, 0, NULL), -EFAULT,
	       (const char *[]){ "load", "VA 0x0", "poke+", "kernels.elf", "slice 0", NULL });
	expect(poke(1, va + PAGE + 4, 0, NULL), -EFAULT,
	       (const char *[]){ "store", "4 bytes after the end of the buffer", "4096", NULL });
	expect(poke(1, va - 8, 0, NULL), -EFAULT,
	       (const char *[]){ "store", "8 bytes before the buffer", NULL });
	expect(poke(2, va, 0, NULL), -EFAULT, (const char *[]){ "jump", "not code", NULL });
	expect(poke(3, 0, 0, NULL), -EFAULT, (const char *[]){ "breakpoint", "poke+", NULL });
	expect(poke(0, 0xffffffffffff0100ull, 0, NULL), -EFAULT,
	       (const char *[]){ "local memory + 0x100", NULL });
	expect(poke(1, tess_buffer_va(buf) & 0, 1, NULL), -EFAULT,
	       (const char *[]){ "store", NULL });
	sim.hang_after = 100000;
	expect(poke(4, 0, 0, NULL), -ETIMEDOUT, (const char *[]){ "too long", "slice 0", NULL });
}

static void test_readonly(void)
{
	struct tess_buffer *ro;

	tess_buffer_create(dev, PAGE, TESS_BUFFER_READONLY, 0, &ro);
	ok(!poke(0, tess_buffer_va(ro), 0, NULL), "a read-only buffer can be read");
	expect(poke(1, tess_buffer_va(ro), 0, NULL), -EFAULT,
	       (const char *[]){ "store", "read-only", "in the buffer", NULL });
	tess_buffer_destroy(ro);
}

/* The operations behind a fault on the same slice are cancelled, others are not. */
static void test_pipeline(void)
{
	struct tess_fence *bad, *same, *other;
	struct tess_transfer t = { .dst = buf, .bytes = 4, .slice_count = 1, .slice_mask = 1 };

	sim.stuck = true;
	ok(!poke(0, 0, 1, &bad), "a kernel that will fault");
	ok(!tess_transfer(dev, &t, &same), "work behind it on the same slice");
	t.slice_mask = 2;
	ok(!tess_transfer(dev, &t, &other), "and on another one");
	refused(tess_fence_wait(bad, 0, NULL), -ETIME, "not complete");
	sim_unstick();
	refused(tess_fence_wait(same, -1, NULL), -ECANCELED, "cancelled");
	refused(tess_fence_wait(bad, -1, NULL), -EFAULT, "load");
	refused(tess_fence_wait(bad, -1, NULL), -EFAULT, "load");
	ok(!tess_fence_wait(other, -1, NULL), "the other slice was not disturbed");
	tess_fence_destroy(bad);
	tess_fence_destroy(same);
	tess_fence_destroy(other);
	ok(!tess_finish(dev, -1), "failures that were seen are not reported again");
}

/* An operation that depends on nothing runs all the same, once, wherever it was. */
static void test_independent(void)
{
	struct ids_args args;
	struct tess_dispatch d = {
		.kernel = tess_program_kernel(prog, "ids"),
		.grid = { 64 },
		.group = { 8 },
		.flags = TESS_OP_CONCURRENT,
		.args = &args,
		.args_size = sizeof(args),
	};
	struct tess_fence *bad[2], *good[3];
	struct tess_buffer *out;
	struct tess_counters c;
	unsigned int i, wrong = 0;
	struct ids *ids;

	tess_buffer_create(dev, 64 * sizeof(*ids), 0, 0, &out);
	args.out = tess_buffer_va(out);
	ids = tess_buffer_map(out);
	sim.stuck = true;
	ok(!tess_dispatch(dev, &d, &good[0]), "a kernel that depends on nothing");
	for (i = 0; i < 2; i++)
		ok(!poke(0, 0, 1, &bad[i]) && !tess_dispatch(dev, &d, &good[i + 1]),
		   "one that will fault, and another one behind it");
	sim_unstick();
	for (i = 0; i < 3; i++)
		ok(!tess_fence_wait(good[2 - i], -1, &c) && c.groups == 8, "kernel %u runs", 2 - i);
	for (i = 0; i < 64; i++)
		wrong += ids[i].global[0] != i || ids[i].visits != 3;
	ok(!wrong, "each work-item once: %u wrong", wrong);
	refused(tess_fence_wait(bad[0], -1, NULL), -EFAULT, "load");
	refused(tess_fence_wait(bad[1], -1, NULL), -ECANCELED, "cancelled");
	for (i = 0; i < 2; i++)
		tess_fence_destroy(bad[i]);
	for (i = 0; i < 3; i++)
		tess_fence_destroy(good[i]);
	tess_buffer_destroy(out);
	ok(works(), "the next operation works");
}

static void test_unseen(void)
{
	struct tess_fence *fence;
	struct tess_transfer t = { .dst = buf, .bytes = 4 };

	sim.stuck = true;
	poke(0, 0, 1, &fence);
	tess_fence_destroy(fence);
	sim_unstick();
	/* The kernel refuses this one first: the library replaces the queue and goes on. */
	ok(!tess_transfer(dev, &t, NULL), "work after a fault that nobody saw yet");
	refused(tess_finish(dev, -1), -EFAULT, "load");
	ok(!tess_finish(dev, -1), "once");
}

int main(int argc, char **argv)
{
	size_t size;
	unsigned char *elf = read_file(argv[argc - 1], "kernels.elf", &size);

	sim_reset();
	if (tess_open(NULL, &dev) || tess_program_load(dev, "kernels.elf", elf, size, &prog) ||
	    tess_buffer_create(dev, PAGE, 0, 0, &buf))
		return 1;
	/* Neighbours, so that distances are measured to the right buffer */
	test_words();
	test_readonly();
	test_pipeline();
	test_independent();
	test_unseen();
	tess_close(dev);
	ok(!sim.leaks, "nothing is left in the kernel (%u objects)", sim.leaks);
	free(elf);
	return done();
}
