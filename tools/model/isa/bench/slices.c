// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: slices side by side
 *
 * Two compute slices of a GPU without a bus around it run kernels of the engine's benchmark; the
 * results of both are checked. Prints, from the shortest of several runs in turns:
 *
 *	threads_2_over_1	work per time of two busy slices in two threads, to one thread
 *	neighbour_wall_ratio	time that a slice takes beside one that runs the slowest code, to
 *				alone; two threads, the GPU follows its nominal clock
 *	neighbour_unclocked	the same without a clock, where slices that are fast wait for one
 *				that is slow, for all have one GPU time
 *
 *	slices-bench DIRECTORY	of the kernels' images
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu.h"
#include "tests/rig.h"

#define ROUNDS 5
#define CODE_VA 0x10000ULL
#define ARGS_VA 0x20000ULL
#define DATA_VA 0x100000ULL
#define CODE_PA(n) (RIG_SYS + ((2ULL + (n)) << 20))
#define CODE_SIZE (ARGS_VA - CODE_VA)
#define ARGS_PA(n) (CODE_PA(n) + CODE_SIZE)
#define DATA_PA(n) (ARGS_PA(n) + TESS_PAGE_SIZE)
#define DATA_SIZE 0x80000ULL
#define GROUP 256
#define ITEMS (8 * GROUP)
#define TABLE_BYTES 4096u
#define LOOK_NS 100000 /* how often the main loop of a GPU looks at its socket */

/* Compute slices of the rig */
enum { ONE = 0, OTHER = 3 };

/**
 * struct kernel - what a slice runs
 * @image: name of its image
 * @args: arguments; the results are at @out, 64 bits each
 * @out: offset in the data
 * @check: result of a work-item
 */
struct kernel {
	const char *image;
	uint64_t args[3];
	uint64_t out;
	uint64_t (*check)(const struct kernel *k, uint64_t id);
};

static uint64_t fast_result(const struct kernel *k, uint64_t id)
{
	uint64_t v = id * 0x9e3779b97f4a7c15ULL + 1;

	for (uint64_t round = 0; round < k->args[2]; round++) {
		v ^= v << 13;
		v ^= v >> 7;
		v ^= v << 17;
		/* The table is zero */
	}
	return v;
}

static uint64_t slow_result(const struct kernel *k, uint64_t id)
{
	uint64_t v = id, way = id % 16;

	for (uint64_t round = 0; round < k->args[1]; round++) {
		v = v * 6364136223846793005ULL + 2 * way + 1;
		way = v >> 60;
	}
	return v;
}

static struct kernel fast_kernel(uint64_t rounds)
{
	return (struct kernel){
		.image = "partial",
		.args = { DATA_VA, DATA_VA + TABLE_BYTES, rounds },
		.out = TABLE_BYTES,
		.check = fast_result,
	};
}

static struct kernel slow_kernel(uint64_t rounds)
{
	return (struct kernel){
		.image = "divergent",
		.args = { DATA_VA, rounds },
		.check = slow_result,
	};
}

static double wall(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void load(struct rig *r, unsigned int n, const struct kernel *k, const char *dir)
{
	uint64_t root = rig_table(r, 1);
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.bin", dir, k->image);
	f = fopen(path, "rb");
	if (!f || !fread(rig_mem(r, CODE_PA(n)), 1, CODE_SIZE, f)) {
		perror(path);
		exit(1);
	}
	fclose(f);
	memcpy(rig_mem(r, ARGS_PA(n)), k->args, sizeof(k->args));
	rig_map_range(r, root, CODE_VA, CODE_PA(n), CODE_SIZE / TESS_PAGE_SIZE);
	rig_map_range(r, root, ARGS_VA, ARGS_PA(n), 1);
	rig_map_range(r, root, DATA_VA, DATA_PA(n), DATA_SIZE / TESS_PAGE_SIZE);
	rig_set_vm(r, n, root);
}

static void start(struct rig *r, unsigned int n)
{
	struct tess_pkt_dispatch d = pkt_dispatch(CODE_VA, ARGS_VA, ITEMS, GROUP);
	struct tess_pkt_fence f = pkt_fence(1, 0);

	rig_push(r, n, &d);
	rig_push(r, n, &f);
	rig_doorbell(r, n);
}

static void check(struct rig *r, unsigned int n, const struct kernel *k)
{
	for (uint64_t id = 0; id < ITEMS; id += 101) {
		if (rig_read64(r, DATA_PA(n) + k->out + id * 8) == k->check(k, id))
			continue;
		fprintf(stderr, "%s: wrong result\n", k->image);
		exit(1);
	}
}

/**
 * struct loop - what the main loop of a GPU does
 * @begin: wall time at which it began
 * @looked: wall time of the last look at the socket
 * @clocked: the GPU follows its nominal clock
 */
struct loop {
	double begin;
	double looked;
	bool clocked;
};

/* For how long the GPU is ahead of its clock, in ns; negative: it is behind */
static double ahead(const struct loop *l, uint64_t now)
{
	return l->clocked ? (double)now * 1e6 / GPU_CLOCK_KHZ - (wall() - l->begin) * 1e9 : -1;
}

static bool enough(void *opaque, uint64_t now)
{
	const struct loop *l = opaque;

	return (wall() - l->looked) * 1e9 >= LOOK_NS || ahead(l, now) > 0;
}

static void step(struct rig *r, struct loop *l)
{
	double ns = ahead(l, gpu_time(r->gpu));

	if (ns > 0)
		nanosleep(&(struct timespec){ .tv_nsec = (long)ns }, NULL);
	l->looked = wall();
	gpu_run(r->gpu, enough, l);
}

/* Wall time that slice ONE takes for @k; OTHER works on @beside, if it is not NULL. */
static double measure(const char *dir, unsigned int threads, bool clocked, const struct kernel *k,
		      const struct kernel *beside)
{
	struct rig *r = rig_new_threads(threads);
	struct loop l = { .clocked = clocked };
	double time;

	load(r, ONE, k, dir);
	if (beside) {
		load(r, OTHER, beside, dir);
		start(r, OTHER);
	}
	gpu_reg_write(r->gpu, TESS_REG_TIME, 0, 8);
	start(r, ONE);
	l.begin = wall();
	while (rig_read64(r, RIG_RECORD(ONE)) != 1)
		step(r, &l);
	time = wall() - l.begin;
	while (beside && rig_read64(r, RIG_RECORD(OTHER)) != 1)
		step(r, &l);
	check(r, ONE, k);
	if (beside)
		check(r, OTHER, beside);
	rig_free(r);
	return time;
}

static void best(double *time, double now)
{
	if (!*time || now < *time)
		*time = now;
}

static double threads_ratio(const char *dir)
{
	struct kernel k = fast_kernel(4000);
	double one = 0, two = 0;

	for (int i = 0; i < ROUNDS; i++) {
		best(&one, measure(dir, 1, false, &k, &k));
		best(&two, measure(dir, 2, false, &k, &k));
	}
	return one / two;
}

static double neighbour_ratio(const char *dir, bool clocked)
{
	struct kernel k = fast_kernel(1000), slow = slow_kernel(1200);
	double alone = 0, beside = 0;

	for (int i = 0; i < ROUNDS; i++) {
		best(&alone, measure(dir, 2, clocked, &k, NULL));
		best(&beside, measure(dir, 2, clocked, &k, &slow));
	}
	return beside / alone;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: slices-bench DIRECTORY\n");
		return 2;
	}
	printf("threads_2_over_1 %.3f\n", threads_ratio(argv[1]));
	printf("neighbour_wall_ratio %.3f\n", neighbour_ratio(argv[1], true));
	printf("neighbour_unclocked %.3f\n", neighbour_ratio(argv[1], false));
	return 0;
}
