// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The shared library on a real GPU or vGPU: what the simulation cannot show. Argument:
 * the directory of the kernels.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tessera.h>
#include <time.h>
#include <unistd.h>

#include "kernels.h"
#include "tap.h"

#define ITEMS 4096

static struct tess_device *dev;
static struct tess_program *prog;
static struct tess_info info;

static void failed(int ret, int want, const char *word)
{
	const char *text = tess_strerror(dev);

	ok(ret == want && strstr(text, word), "%s", text);
}

static int run(const char *kernel, uint32_t grid, uint32_t group, const void *args, uint32_t size,
	       uint64_t slice_mask, struct tess_counters *c)
{
	struct tess_dispatch d = {
		.kernel = tess_program_kernel(prog, kernel),
		.grid = { grid },
		.group = { group },
		.args = args,
		.args_size = size,
		.slice_mask = slice_mask,
	};

	return tess_run(dev, &d, c);
}

static unsigned int wrong_ids(const struct ids *ids)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < ITEMS; i++)
		wrong += ids[i].global[0] != i || ids[i].visits != 1;
	return wrong;
}

/* Each slice alone, then all of them */
static void test_slices(void)
{
	struct tess_counters c = { 0 };
	struct ids_args args;
	struct tess_buffer *buf;
	struct ids *ids;
	uint64_t mask;
	uint32_t i;
	int ret;

	ok(!tess_buffer_create(dev, ITEMS * sizeof(*ids), TESS_BUFFER_VRAM, TESS_NEAR_ANY, &buf),
	   "a buffer in VRAM");
	ids = tess_buffer_map(buf);
	args.out = tess_buffer_va(buf);
	for (i = 0; i < info.slice_count; i++) {
		mask = 1ull << i;
		if (!(info.slice_mask & mask))
			continue;
		memset(ids, 0, ITEMS * sizeof(*ids));
		ret = run("ids", ITEMS, 64, &args, sizeof(args), mask, &c);
		ok(!ret && !wrong_ids(ids) && c.slices == 1 && c.groups == ITEMS / 64,
		   "slice %u: %llu cycles", i, (unsigned long long)c.cycles);
	}
	memset(ids, 0, ITEMS * sizeof(*ids));
	ret = run("ids", ITEMS, 16, &args, sizeof(args), 0, &c);
	ok(!ret && !wrong_ids(ids) && c.groups == ITEMS / 16,
	   "all slices: %u took part, %llu cycles", c.slices, (unsigned long long)c.cycles);
	tess_buffer_destroy(buf);
}

/* Memory of both kinds at the same address for CPU and GPU, and when a kernel ran */
static void test_same(void)
{
	static const unsigned int kinds[] = { TESS_BUFFER_VRAM, TESS_BUFFER_SYSTEM };
	struct tess_time before = { 0 }, after = { 0 };
	struct tess_dispatch d = {
		.kernel = tess_program_kernel(prog, "ids"),
		.grid = { ITEMS },
		.group = { 64 },
		.args_size = sizeof(struct ids_args),
	};
	struct tess_times t = { 0 };
	struct tess_buffer *buf;
	struct tess_fence *fence;
	struct ids_args args;
	unsigned int i;
	int ret;

	for (i = 0; i < 2; i++) {
		ret = tess_buffer_create(dev, ITEMS * sizeof(struct ids),
					 kinds[i] | TESS_BUFFER_SAME, TESS_NEAR_ANY, &buf);
		ok(!ret && (uintptr_t)tess_buffer_map(buf) == tess_buffer_va(buf),
		   "one address for CPU and GPU");
		args.out = (uintptr_t)tess_buffer_map(buf);
		d.args = &args;
		ret = tess_get_time(dev, &before);
		ret = ret ? ret : tess_dispatch(dev, &d, &fence);
		ret = ret ? ret : tess_fence_wait(fence, -1, NULL);
		ret = ret ? ret : tess_fence_times(fence, &t);
		ret = ret ? ret : tess_get_time(dev, &after);
		ok(!ret && !wrong_ids((struct ids *)(uintptr_t)args.out), "the GPU writes there");
		ok(before.gpu_cycles <= t.begin && t.begin < t.end && t.end <= after.gpu_cycles,
		   "from %llu to %llu, asked at %llu and %llu", (unsigned long long)t.begin,
		   (unsigned long long)t.end, (unsigned long long)before.gpu_cycles,
		   (unsigned long long)after.gpu_cycles);
		tess_fence_destroy(fence);
		tess_buffer_destroy(buf);
	}
}

static int poke(uint32_t what, uint64_t addr)
{
	struct poke_args args = { .addr = addr, .what = what, .item = 5 };

	return run("poke", 64, 8, &args, sizeof(args), 0, NULL);
}

static int works(void)
{
	struct saxpy_args args = { .n = 0 };

	return !run("saxpy", 64, 8, &args, sizeof(args), 0, NULL);
}

static void test_faults(void)
{
	struct tess_buffer *ro, *code;

	ok(!tess_buffer_create(dev, 4096, TESS_BUFFER_READONLY, 0, &ro), "a read-only buffer");
	failed(poke(0, 0), -EFAULT, "load");
	ok(works(), "the next operation works");
	failed(poke(1, tess_buffer_va(ro) + 4096 + 4), -EFAULT, "4 bytes after the end");
	ok(works(), "the next operation works");
	ok(!poke(0, tess_buffer_va(ro)), "a read-only buffer can be read");
	failed(poke(1, tess_buffer_va(ro)), -EFAULT, "store");
	failed(poke(2, tess_buffer_va(ro)), -EFAULT, "not code");
	failed(poke(3, 0), -EFAULT, "poke+");
	ok(!tess_buffer_create(dev, 4096, TESS_BUFFER_CODE, 0, &code), "a buffer for code");
	*(uint32_t *)tess_buffer_map(code) = 0x00008067; /* ret */
	ok(!poke(2, tess_buffer_va(code)), "code that the program wrote");
	tess_buffer_destroy(code);
	failed(poke(1, 0xfffffffffffffff0ull), -EFAULT, "store");
	ok(works(), "the next operation works");
	tess_buffer_destroy(ro);
}

/* Operations that depend on nothing run, once each, whatever becomes of those before them. */
static void test_independent(void)
{
	struct poke_args poke_args = { .addr = 8, .what = 1, .item = 5 };
	struct tess_dispatch good = {
		.kernel = tess_program_kernel(prog, "ids"),
		.grid = { ITEMS },
		.group = { 64 },
		.flags = TESS_OP_CONCURRENT,
		.args_size = sizeof(struct ids_args),
	};
	struct tess_dispatch bad = {
		.kernel = tess_program_kernel(prog, "poke"),
		.grid = { 64 },
		.group = { 8 },
		.flags = TESS_OP_CONCURRENT,
		.args = &poke_args,
		.args_size = sizeof(poke_args),
	};
	struct tess_fence *fence[20];
	struct ids_args args;
	struct tess_buffer *buf;
	unsigned int i, wrong = 0, faults = 0;
	int ret = 0;

	tess_buffer_create(dev, ITEMS * sizeof(struct ids), TESS_BUFFER_VRAM, 0, &buf);
	args.out = tess_buffer_va(buf);
	good.args = &args;
	for (i = 0; i < 20; i++)
		ret = ret ? ret : tess_dispatch(dev, i % 4 ? &good : &bad, &fence[i]);
	ok(!ret, "5 operations that fault, and 15 others");
	for (i = 0; i < 20; i++) {
		ret = tess_fence_wait(fence[i], -1, NULL);
		faults += i % 4 == 0 && ret == -EFAULT;
		wrong += i % 4 && ret;
		tess_fence_destroy(fence[i]);
	}
	ok(faults == 5 && !wrong, "%u of 5 fault, %u of 15 fail", faults, wrong);
	for (i = 0; i < ITEMS; i++)
		wrong += ((struct ids *)tess_buffer_map(buf))[i].visits != 15;
	ok(!wrong, "each work-item ran 15 times: %u did not", wrong);
	tess_buffer_destroy(buf);
}

#define HANG_MS "/sys/module/tessera_drm/parameters/hang_ms"

static int set_hang_ms(unsigned int ms)
{
	FILE *f = fopen(HANG_MS, "w");
	int bad;

	if (!f)
		return -1;
	bad = fprintf(f, "%u", ms) < 0;
	bad |= fclose(f) != 0;
	return bad ? -1 : 0;
}

/* An endless loop: stopped after the driver's limit, which is GPU time */
static void test_hang(void)
{
	unsigned int before = 0;
	FILE *f;

	if (!info.is_vgpu) {
		skip("an endless loop: the host stops none, jobs take turns");
		return;
	}
	f = fopen(HANG_MS, "r");
	if (!f || fscanf(f, "%u", &before) != 1 || set_hang_ms(200)) {
		skip("an endless loop: cannot set " HANG_MS);
	} else {
		failed(poke(4, 0), -ETIMEDOUT, "too long");
		ok(works(), "the next operation works");
		set_hang_ms(before);
	}
	if (f)
		fclose(f);
}

/* A thousand small operations in order, through all queues */
static void test_order(void)
{
	struct tess_buffer *buf;
	struct tess_transfer t = { .bytes = 4, .slice_count = 1 };
	unsigned int i, bad = 0;
	uint32_t *p;

	tess_buffer_create(dev, 4096, TESS_BUFFER_SYSTEM, 0, &buf);
	p = tess_buffer_map(buf);
	t.dst = buf;
	for (i = 1; i <= 1000; i++) {
		t.pattern = i;
		do
			t.slice_mask = 1ull << rand() % 64;
		while (!(info.slice_mask & t.slice_mask));
		bad += !!tess_transfer(dev, &t, NULL);
	}
	bad += !!tess_finish(dev, 60000000000);
	ok(!bad && p[0] == 1000, "1000 fills of one word on random slices end in order: %u", p[0]);
	tess_buffer_destroy(buf);
}

static void *add(void *arg)
{
	struct saxpy_args *args = arg;
	intptr_t bad = 0;

	for (int i = 0; i < 20; i++)
		bad += !!run("saxpy", args->n, 16, args, sizeof(*args), 0, NULL);
	return (void *)bad;
}

static void test_threads(void)
{
	struct saxpy_args args[4];
	struct tess_buffer *x, *y[4];
	pthread_t thread[4];
	unsigned int i, k, wrong = 0;
	void *bad;

	tess_buffer_create(dev, 1024, 0, 0, &x);
	for (i = 0; i < 256; i++)
		((float *)tess_buffer_map(x))[i] = (float)i;
	for (k = 0; k < 4; k++) {
		tess_buffer_create(dev, 1024, TESS_BUFFER_VRAM, TESS_NEAR_ANY, &y[k]);
		args[k] = (struct saxpy_args){ .x = tess_buffer_va(x),
					       .y = tess_buffer_va(y[k]),
					       .a = (float)(k + 1),
					       .n = 256 };
		pthread_create(&thread[k], NULL, add, &args[k]);
	}
	for (k = 0; k < 4; k++) {
		pthread_join(thread[k], &bad);
		wrong += (unsigned int)(intptr_t)bad;
		for (i = 0; i < 256; i++)
			wrong += ((float *)tess_buffer_map(y[k]))[i] !=
				 20.0f * (float)(k + 1) * (float)i;
	}
	ok(!wrong, "four threads share a device");
	for (k = 0; k < 4; k++)
		tess_buffer_destroy(y[k]);
	tess_buffer_destroy(x);
}

static bool has_gpu_open(void)
{
	char path[32], to[64];
	int fd, length;

	for (fd = 0; fd < 256; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = (int)readlink(path, to, sizeof(to) - 1);
		if (length > 0 && !strncmp(to, "/dev/dri/", 9))
			return true;
	}
	return false;
}

/* A child has neither file nor memory, and its parent works on */
static void test_abandon(void)
{
	struct tess_transfer t = { .bytes = 4096, .pattern = 7 };
	struct tess_buffer *buf;
	unsigned char in_core;
	int status = -1;
	uint32_t *p;
	pid_t pid;

	tess_buffer_create(dev, 4096, 0, 0, &buf);
	p = tess_buffer_map(buf);
	t.dst = buf;
	tess_transfer(dev, &t, NULL);
	tess_finish(dev, -1);
	pid = fork();
	if (!pid) {
		status = has_gpu_open() ? 0 : 2;
		tess_abandon(dev);
		_exit(status | has_gpu_open() | !mincore(p, 4096, &in_core) << 2);
	}
	ok(waitpid(pid, &status, 0) == pid && !status, "a child abandons its parent's device");
	t.pattern = 8;
	tess_transfer(dev, &t, NULL);
	ok(!tess_finish(dev, -1) && *p == 8, "which works on");
	tess_buffer_destroy(buf);
}

/* The kernel may free what a closed device had a little later. */
static void test_returned(void)
{
	struct tess_info after = { 0 };
	unsigned int i;

	for (i = 0; i < 100 && after.vram_free < info.vram_free; i++) {
		if (i)
			nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
		if (tess_open(NULL, &dev) || tess_get_info(dev, &after))
			break;
		tess_close(dev);
	}
	ok(after.vram_free >= info.vram_free, "all VRAM is free again (looked %u times)", i);
}

int main(int argc, char **argv)
{
	char path[4096];

	tap_begin();
	snprintf(path, sizeof(path), "%s/kernels.elf", argv[argc - 1]);
	if (tess_open(NULL, &dev) || tess_get_info(dev, &info) ||
	    tess_program_load_file(dev, path, &prog))
		return tap_bail("%s", tess_strerror(dev));
	test_slices();
	test_same();
	test_faults();
	test_independent();
	test_hang();
	test_order();
	test_threads();
	test_abandon();
	tess_close(dev);
	test_returned();
	return done();
}
