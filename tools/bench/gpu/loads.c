// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Loads
 *
 * All run on one slice of one kind, so that they cost the same number of GPU cycles
 * wherever that slice is. Buffers and kernels are made once: what is measured is an
 * operation in the steady state.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../examples/sgemm.h"
#include "../../../examples/sha256.h"
#include "../../../examples/sha256_cpu.h"
#include "loads.h"
#include "work.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Work-items of a group; they run in lockstep */
#define LOCKSTEP 16

static const struct tess_kernel *kernel(struct bench *b, const char *dir, const char *prefix,
					const char *name)
{
	const struct tess_kernel *k = NULL;
	struct tess_program *prog;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s%s.elf", dir, prefix, name);
	if (!tess_program_load_file(b->dev, path, &prog))
		k = tess_program_kernel(prog, name);
	if (!k)
		fprintf(stderr, "%s: %s\n", path, tess_strerror(b->dev));
	return k;
}

static void *buffer(struct bench *b, uint64_t size, unsigned int flags, struct tess_buffer **buf)
{
	void *map = NULL;

	if (!tess_buffer_create(b->dev, size, flags, b->slice, buf))
		map = tess_buffer_map(*buf);
	if (!map)
		fprintf(stderr, "%s\n", tess_strerror(b->dev));
	return map;
}

static int dispatch(struct bench *b, struct tess_dispatch *d, struct tess_fence **fence)
{
	d->slice_mask = 1ull << b->slice;
	return tess_dispatch(b->dev, d, fence);
}

/* ---- nothing ---------------------------------------------------------------- */

static struct tess_dispatch empty_dispatch;

static int empty_setup(struct bench *b)
{
	static const uint32_t args;

	empty_dispatch.kernel = kernel(b, b->kernels, "bench-", "empty");
	empty_dispatch.args = &args;
	empty_dispatch.args_size = sizeof(args);
	return empty_dispatch.kernel ? 0 : -1;
}

static int empty_start(struct bench *b, struct tess_fence **fence)
{
	return dispatch(b, &empty_dispatch, fence);
}

/* ---- one more ---------------------------------------------------------------- */

static struct count_args count_args;
static struct tess_dispatch count_dispatch;
static uint32_t *count_map;
static uint32_t count_started;

static int count_setup(struct bench *b)
{
	struct tess_buffer *buf;

	count_dispatch.kernel = kernel(b, b->kernels, "bench-", "count");
	if (!count_dispatch.kernel)
		return -1;
	count_map = buffer(b, sizeof(*count_map), TESS_BUFFER_VRAM, &buf);
	if (!count_map)
		return -1;
	count_args.word = tess_buffer_va(buf);
	count_dispatch.args = &count_args;
	count_dispatch.args_size = sizeof(count_args);
	return 0;
}

static int count_start(struct bench *b, struct tess_fence **fence)
{
	count_started++;
	return dispatch(b, &count_dispatch, fence);
}

/* How many were lost, or ran twice, since the program started */
static unsigned long count_check(struct bench *b)
{
	int32_t missing = (int32_t)(count_started - *(volatile uint32_t *)count_map);

	(void)b;
	return (unsigned long)labs(missing);
}

/* ---- a number of instructions ----------------------------------------------- */

#define WORK_INSTRUCTIONS 100000

static struct work_args work_args;
static struct tess_dispatch work_dispatch;

static int work_cost(struct bench *b, uint32_t rounds, uint64_t *instructions)
{
	struct tess_counters c;

	work_args.rounds = rounds;
	if (tess_run(b->dev, &work_dispatch, &c)) {
		fprintf(stderr, "%s\n", tess_strerror(b->dev));
		return -1;
	}
	*instructions = c.instructions;
	return 0;
}

/* What a round costs, and what comes on top, depends on the compiler: look */
static int work_setup(struct bench *b)
{
	uint64_t few, more, each;

	work_dispatch.kernel = kernel(b, b->kernels, "bench-", "work");
	if (!work_dispatch.kernel)
		return -1;
	work_dispatch.grid[0] = b->cores * LOCKSTEP;
	work_dispatch.group[0] = LOCKSTEP;
	work_dispatch.args = &work_args;
	work_dispatch.args_size = sizeof(work_args);
	work_dispatch.slice_mask = 1ull << b->slice;
	if (work_cost(b, 1, &few) || work_cost(b, 2, &more))
		return -1;
	each = more - few;
	if (more <= few || few > WORK_INSTRUCTIONS) {
		fprintf(stderr, "work: %llu, then %llu instructions\n", (unsigned long long)few,
			(unsigned long long)more);
		return -1;
	}
	work_args.rounds = 1 + (uint32_t)((WORK_INSTRUCTIONS - few + each - 1) / each);
	return 0;
}

static int work_start(struct bench *b, struct tess_fence **fence)
{
	return dispatch(b, &work_dispatch, fence);
}

/* ---- SGEMM ------------------------------------------------------------------ */

#define SGEMM_N 64u

static struct sgemm_args sgemm_args = { .n = SGEMM_N };
static struct tess_dispatch sgemm_dispatch;
static float *sgemm_map[3];

static int sgemm_setup(struct bench *b)
{
	struct tess_buffer *buf[3];

	sgemm_dispatch.kernel = kernel(b, b->examples, "", "sgemm");
	if (!sgemm_dispatch.kernel)
		return -1;
	for (unsigned int i = 0; i < COUNT(buf); i++) {
		sgemm_map[i] =
			buffer(b, SGEMM_N * SGEMM_N * sizeof(float), TESS_BUFFER_VRAM, &buf[i]);
		if (!sgemm_map[i])
			return -1;
	}
	for (unsigned int i = 0; i < SGEMM_N * SGEMM_N; i++) {
		sgemm_map[0][i] = (float)(i % 251) / 256.0f - 0.5f;
		sgemm_map[1][i] = (float)(i % 239) / 256.0f - 0.5f;
	}
	sgemm_args.a = tess_buffer_va(buf[0]);
	sgemm_args.b = tess_buffer_va(buf[1]);
	sgemm_args.c = tess_buffer_va(buf[2]);
	sgemm_dispatch.grid[0] = SGEMM_N;
	sgemm_dispatch.grid[1] = SGEMM_N;
	sgemm_dispatch.group[0] = SGEMM_TILE;
	sgemm_dispatch.group[1] = SGEMM_TILE;
	sgemm_dispatch.args = &sgemm_args;
	sgemm_dispatch.args_size = sizeof(sgemm_args);
	return 0;
}

static int sgemm_start(struct bench *b, struct tess_fence **fence)
{
	return dispatch(b, &sgemm_dispatch, fence);
}

static unsigned long sgemm_check(struct bench *b)
{
	unsigned long bad = 0;

	(void)b;
	for (unsigned int row = 0; row < SGEMM_N; row++) {
		for (unsigned int col = 0; col < SGEMM_N; col++) {
			float sum = 0.0f;

			for (unsigned int k = 0; k < SGEMM_N; k++)
				sum = fmaf(sgemm_map[0][row * SGEMM_N + k],
					   sgemm_map[1][k * SGEMM_N + col], sum);
			bad += !(sgemm_map[2][row * SGEMM_N + col] == sum);
		}
	}
	memset(sgemm_map[2], 0, SGEMM_N * SGEMM_N * sizeof(float));
	return bad;
}

/* ---- SHA-256 ---------------------------------------------------------------- */

#define SHA_BYTES 512u
#define SHA_FILES_MAX 256u

static struct sha256_args sha_args;
static struct tess_dispatch sha_dispatch;
static struct sha256_file *sha_files;
static uint8_t *sha_data;

/* A piece that is the last leaves the hash in the state: start again each time */
static void sha_rewind(void)
{
	struct sha256_cpu cpu;

	sha256_cpu_init(&cpu);
	for (unsigned int i = 0; i < sha_args.count; i++) {
		struct sha256_file *f = &sha_files[i];

		memcpy(f->state, cpu.h, sizeof(f->state));
		f->data = (uint64_t)i * SHA_BYTES;
		f->size = SHA_BYTES;
		f->total = SHA_BYTES;
		f->last = 0;
	}
}

static int sha_setup(struct bench *b)
{
	struct tess_buffer *files, *data;

	sha_args.count = b->cores * LOCKSTEP;
	if (sha_args.count > SHA_FILES_MAX)
		sha_args.count = SHA_FILES_MAX;
	sha_dispatch.kernel = kernel(b, b->examples, "", "sha256");
	if (!sha_dispatch.kernel)
		return -1;
	sha_files = buffer(b, sha_args.count * sizeof(*sha_files), TESS_BUFFER_VRAM, &files);
	sha_data = buffer(b, (uint64_t)sha_args.count * SHA_BYTES, TESS_BUFFER_VRAM, &data);
	if (!sha_files || !sha_data)
		return -1;
	for (unsigned int i = 0; i < sha_args.count * SHA_BYTES; i++)
		sha_data[i] = (uint8_t)(i * 7 + i / 251);
	sha_args.files = tess_buffer_va(files);
	sha_args.data = tess_buffer_va(data);
	sha_dispatch.grid[0] = sha_args.count;
	sha_dispatch.group[0] = LOCKSTEP;
	sha_dispatch.args = &sha_args;
	sha_dispatch.args_size = sizeof(sha_args);
	sha_rewind();
	return 0;
}

/* A state that goes on from the last time costs as much as a fresh one */
static int sha_start(struct bench *b, struct tess_fence **fence)
{
	return dispatch(b, &sha_dispatch, fence);
}

/* One more time from the start, then compare */
static unsigned long sha_check(struct bench *b)
{
	unsigned long bad = 0;
	struct sha256_cpu cpu;

	sha_rewind();
	if (tess_run(b->dev, &sha_dispatch, NULL))
		return sha_args.count;
	for (unsigned int i = 0; i < sha_args.count; i++) {
		sha256_cpu_init(&cpu);
		sha256_cpu_update(&cpu, sha_data + (size_t)i * SHA_BYTES, SHA_BYTES);
		bad += !!memcmp(cpu.h, sha_files[i].state, sizeof(cpu.h));
	}
	return bad;
}

/* ---- copies ----------------------------------------------------------------- */

#define COPY_BYTES (1u << 20)

static struct tess_buffer *copy_buf[4];
static uint32_t *copy_map[4];

static int copy_setup(struct bench *b)
{
	if (copy_map[0])
		return 0;
	for (unsigned int i = 0; i < COUNT(copy_buf); i++) {
		copy_map[i] = buffer(b, COPY_BYTES, i < 2 ? TESS_BUFFER_SYSTEM : TESS_BUFFER_VRAM,
				     &copy_buf[i]);
		if (!copy_map[i])
			return -1;
		for (unsigned int n = 0; n < COPY_BYTES / 4; n++)
			copy_map[i][n] = n * 2654435761u + i;
	}
	return 0;
}

static int copy(struct bench *b, unsigned int dst, unsigned int src, struct tess_fence **fence)
{
	struct tess_transfer t = {
		.dst = copy_buf[dst],
		.src = copy_buf[src],
		.bytes = COPY_BYTES,
		.slice_mask = 1ull << b->slice,
	};

	return tess_transfer(b->dev, &t, fence);
}

/* What is in a destination must be what was in the source, and not from before */
static unsigned long copy_check(unsigned int dst, unsigned int src)
{
	unsigned long bad = !!memcmp(copy_map[dst], copy_map[src], COPY_BYTES);

	memset(copy_map[dst], 0x55, COPY_BYTES);
	return bad;
}

static int to_vram_start(struct bench *b, struct tess_fence **fence)
{
	return copy(b, 2, 0, fence);
}

static unsigned long to_vram_check(struct bench *b)
{
	(void)b;
	return copy_check(2, 0);
}

static int to_system_start(struct bench *b, struct tess_fence **fence)
{
	return copy(b, 1, 3, fence);
}

static unsigned long to_system_check(struct bench *b)
{
	(void)b;
	return copy_check(1, 3);
}

static int vram_start(struct bench *b, struct tess_fence **fence)
{
	return copy(b, 2, 3, fence);
}

static unsigned long vram_check(struct bench *b)
{
	(void)b;
	return copy_check(2, 3);
}

/* ----------------------------------------------------------------------------- */

static const struct load loads[] = {
	{ "empty", empty_setup, empty_start, NULL },
	{ "count", count_setup, count_start, count_check },
	{ "work", work_setup, work_start, NULL },
	{ "sgemm", sgemm_setup, sgemm_start, sgemm_check },
	{ "sha256", sha_setup, sha_start, sha_check },
	{ "copy_to_vram", copy_setup, to_vram_start, to_vram_check },
	{ "copy_to_system", copy_setup, to_system_start, to_system_check },
	{ "copy_vram", copy_setup, vram_start, vram_check },
};

const struct load *load_get(struct bench *b, const char *name)
{
	static unsigned int ready;

	for (unsigned int i = 0; i < COUNT(loads); i++) {
		if (strcmp(loads[i].name, name))
			continue;
		if (!(ready >> i & 1) && loads[i].setup(b))
			return NULL;
		ready |= 1u << i;
		return &loads[i];
	}
	fprintf(stderr, "unknown load %s\n", name);
	return NULL;
}
