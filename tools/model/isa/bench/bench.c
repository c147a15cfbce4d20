// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: speed of the shader ISA engine
 *
 * Runs kernels, compiled by a stock clang, on one engine and one host core,
 * through page tables as simple as possible (one array). Checks what they
 * computed, then reports millions of retired instructions per second of each.
 * compare.py runs this program, and the same one with an older engine.
 *
 *	isa-bench DIRECTORY [NAME...]	of the kernels' images; those results only
 */
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isa/isa.h"

#define MEM_SIZE (8u << 20)
#define CODE_VA 0x10000u
#define ARGS_VA 0x20000u
#define DATA_VA 0x100000u
#define PRIVATE_VA 0x600000u
#define GROUP 256u
#define SLICE 512u /* instructions per isa_run(), the step of the GPU */

/**
 * struct bench - a kernel and its work
 * @name: of the result
 * @kernel: name of its image
 * @items: work-items of a group, if it has one dimension
 * @groups: number of them
 * @setup: fill the memory, with arguments at ARGS_VA, and what differs in the dispatch
 * @check: is it as it should be now?
 */
struct bench {
	const char *name;
	const char *kernel;
	unsigned int items;
	unsigned int groups;
	void (*setup)(const struct bench *b, uint8_t *mem, struct isa_dispatch *d);
	bool (*check)(const struct bench *b, const uint8_t *mem);
};

static int translate(void *opaque, uint64_t va, unsigned int size, enum isa_access access,
		     struct isa_xlat *out)
{
	uint8_t *mem = opaque;

	(void)size;
	if (va >= MEM_SIZE)
		return access == ISA_FETCH ? ISA_CAUSE_FETCH_PAGE :
		       access == ISA_LOAD  ? ISA_CAUSE_LOAD_PAGE :
					     ISA_CAUSE_STORE_PAGE;
	out->page = mem + (va & ~(uint64_t)(ISA_PAGE_SIZE - 1));
	out->prot = ISA_PROT_READ | ISA_PROT_WRITE | ISA_PROT_EXEC;
	return 0;
}

/* Time of this core: what other processes use of it does not count. */
static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static uint64_t items_of(const struct bench *b)
{
	return (uint64_t)b->items * b->groups;
}

/* Arguments of most: an input, an output, rounds; results are 64 bits for each work-item. */
struct args {
	uint64_t in, out, rounds;
};

#define IN_BYTES 4096u

static const uint64_t *results(const uint8_t *mem)
{
	return (const uint64_t *)(mem + DATA_VA + IN_BYTES);
}

/* ---- matrices ---- */

#define SGEMM_N 128u

struct sgemm_args {
	uint64_t a, b, c, n;
};

static float sgemm_input(unsigned int k)
{
	return (float)(int32_t)(k * 2654435761u) * 0x1p-31f;
}

static void sgemm_setup(const struct bench *b, uint8_t *mem, struct isa_dispatch *d)
{
	const uint32_t bytes = SGEMM_N * SGEMM_N * 4;
	struct sgemm_args args = { DATA_VA, DATA_VA + bytes, DATA_VA + 2 * bytes, SGEMM_N };
	float *data = (float *)(mem + DATA_VA);

	for (unsigned int k = 0; k < 2 * SGEMM_N * SGEMM_N; k++)
		data[k] = sgemm_input(k);
	memcpy(mem + ARGS_VA, &args, sizeof(args));
	d->group_size[0] = d->enqueued_size[0] = SGEMM_N;
	d->group_size[1] = d->enqueued_size[1] = b->items / SGEMM_N;
}

static bool sgemm_check(const struct bench *b, const uint8_t *mem)
{
	const float *a = (const float *)(mem + DATA_VA);
	const float *m = a + SGEMM_N * SGEMM_N;
	const float *c = m + SGEMM_N * SGEMM_N;

	(void)b;
	for (unsigned int y = 0; y < SGEMM_N; y++) {
		for (unsigned int x = 0; x < SGEMM_N; x++) {
			float sum = 0;

			for (unsigned int k = 0; k < SGEMM_N; k++)
				sum = fmaf(a[y * SGEMM_N + k], m[k * SGEMM_N + x], sum);
			if (memcmp(&sum, &c[y * SGEMM_N + x], sizeof(sum)))
				return false;
		}
	}
	return true;
}

/* ---- digests ---- */

#define SHA_LENGTH 1024u

struct sha_args {
	uint64_t messages, digests, length;
};

static void sha_setup(const struct bench *b, uint8_t *mem, struct isa_dispatch *d)
{
	const uint32_t bytes = (uint32_t)items_of(b) * SHA_LENGTH;
	struct sha_args args = { DATA_VA, DATA_VA + bytes, SHA_LENGTH };

	(void)d;
	memset(mem + DATA_VA, 'a', bytes);
	memcpy(mem + ARGS_VA, &args, sizeof(args));
}

/* SHA-256 of 1024 times 'a', from sha256sum. */
static bool sha_check(const struct bench *b, const uint8_t *mem)
{
	static const uint32_t expected[8] = {
		0x2edc9868, 0x47e209b4, 0x016e141a, 0x6dc8716d,
		0x3207350f, 0x41696938, 0x2d431539, 0xbf292e4a,
	};
	const uint32_t *digest = (const uint32_t *)(mem + DATA_VA + items_of(b) * SHA_LENGTH);

	for (unsigned int k = 0; k < items_of(b); k++)
		if (memcmp(digest + 8 * k, expected, sizeof(expected)))
			return false;
	return true;
}

/* ---- neighbours that go different ways ---- */

#define DIVERGENT_ROUNDS 256u

static void put_args(uint8_t *mem, const struct args *args)
{
	memcpy(mem + ARGS_VA, args, sizeof(*args));
}

/* It has no input */
static void divergent_setup(const struct bench *b, uint8_t *mem, struct isa_dispatch *d)
{
	(void)b;
	(void)d;
	put_args(mem, &(struct args){ DATA_VA + IN_BYTES, DIVERGENT_ROUNDS, 0 });
}

static bool divergent_check(const struct bench *b, const uint8_t *mem)
{
	for (uint64_t id = 0; id < items_of(b); id++) {
		uint64_t v = id, way = id % 16;

		for (unsigned int round = 0; round < DIVERGENT_ROUNDS; round++) {
			v = v * 6364136223846793005 + 2 * way + 1;
			way = v >> 60;
		}
		if (results(mem)[id] != v)
			return false;
	}
	return true;
}

/* ---- a counter for all ---- */

#define AMO_ROUNDS 64u /* of four each */

static void amo_setup(const struct bench *b, uint8_t *mem, struct isa_dispatch *d)
{
	(void)b;
	(void)d;
	memset(mem + DATA_VA, 0, 4);
	put_args(mem, &(struct args){ DATA_VA, DATA_VA + IN_BYTES, AMO_ROUNDS });
}

/* Each number was drawn once. */
static bool amo_check(const struct bench *b, const uint8_t *mem)
{
	uint64_t n = items_of(b) * AMO_ROUNDS * 4, sum = 0;
	uint32_t count;

	memcpy(&count, mem + DATA_VA, sizeof(count));
	for (uint64_t id = 0; id < items_of(b); id++)
		sum += results(mem)[id];
	return count == n && sum == n * (n - 1) / 2;
}

/* ---- rounding ---- */

#define ROUNDING_ROUNDS 32u

static void rounding_setup(const struct bench *b, uint8_t *mem, struct isa_dispatch *d)
{
	(void)b;
	(void)d;
	put_args(mem, &(struct args){ DATA_VA + IN_BYTES, ROUNDING_ROUNDS, 0 });
}

static bool rounding_check(const struct bench *b, const uint8_t *mem)
{
	bool good = true;

	for (uint64_t id = 0; id < items_of(b) && good; id++) {
		volatile double v = (double)id + 2;
		double is;

		for (unsigned int round = 0; round < ROUNDING_ROUNDS; round++) {
			fesetround(FE_TOWARDZERO);
			v = sqrt(v);
			fesetround(FE_UPWARD);
			v = v + 1.0;
			fesetround(FE_TONEAREST);
		}
		memcpy(&is, &results(mem)[id], sizeof(is));
		good = is == v;
	}
	return good;
}

/* ---- waves that are not full ---- */

#define PARTIAL_ROUNDS 256u
#define PARTIAL_TABLE 1024u

static uint32_t partial_input(unsigned int k)
{
	return k * 2654435761u;
}

static void partial_setup(const struct bench *b, uint8_t *mem, struct isa_dispatch *d)
{
	uint32_t *table = (uint32_t *)(mem + DATA_VA);

	(void)b;
	(void)d;
	for (unsigned int k = 0; k < PARTIAL_TABLE; k++)
		table[k] = partial_input(k);
	put_args(mem, &(struct args){ DATA_VA, DATA_VA + IN_BYTES, PARTIAL_ROUNDS });
}

static bool partial_check(const struct bench *b, const uint8_t *mem)
{
	for (uint64_t id = 0; id < items_of(b); id++) {
		uint64_t v = id * 0x9e3779b97f4a7c15 + 1;

		for (unsigned int round = 0; round < PARTIAL_ROUNDS; round++) {
			v ^= v << 13;
			v ^= v >> 7;
			v ^= v << 17;
			v += partial_input(v % PARTIAL_TABLE);
		}
		if (results(mem)[id] != v)
			return false;
	}
	return true;
}

/* ---- running them ---- */

static bool load_image(const char *dir, const char *kernel, uint8_t *mem)
{
	char path[4096];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s.bin", dir, kernel);
	f = fopen(path, "rb");
	if (!f) {
		perror(path);
		return false;
	}
	n = fread(mem + CODE_VA, 1, ARGS_VA - CODE_VA, f);
	fclose(f);
	return n > 0;
}

static bool run_group(struct isa_engine *e, struct isa_group *g, const struct isa_dispatch *d,
		      uint64_t *retired)
{
	struct isa_fault fault;
	enum isa_stop stop;
	uint64_t n;

	if (isa_group_init(g, d, NULL))
		return false;
	do {
		stop = isa_run(e, g, SLICE, &n, &fault);
		*retired += n;
	} while (stop == ISA_STOP_BUDGET);
	if (stop == ISA_STOP_FAULT)
		fprintf(stderr, "fault %u at %#" PRIx64 ", address %#" PRIx64 "\n", fault.cause,
			fault.pc, fault.va);
	return stop == ISA_STOP_DONE;
}

/* Millions of instructions per second, 0 if it did not work. */
static double measure(const struct bench *b, uint8_t *mem, struct isa_engine *e,
		      struct isa_group *g)
{
	struct isa_dispatch d = {
		.entry = CODE_VA,
		.kernarg = ARGS_VA,
		.private_base = PRIVATE_VA,
		.private_stride = 1024 + 64,
		.private_bytes = 1024,
		.group_size = { b->items, 1, 1 },
		.enqueued_size = { b->items, 1, 1 },
	};
	uint64_t retired = 0;
	double start;

	b->setup(b, mem, &d);
	start = now();
	for (unsigned int n = 0; n < b->groups; n++) {
		unsigned int dim = d.group_size[1] > 1;

		d.group_id[dim] = n;
		d.global_base[dim] = n * d.group_size[dim];
		if (!run_group(e, g, &d, &retired))
			return 0;
	}
	start = now() - start;
	if (!b->check(b, mem)) {
		fprintf(stderr, "%s: wrong result\n", b->name);
		return 0;
	}
	return (double)retired / start * 1e-6;
}

static const struct bench benches[] = {
	{ "sgemm", "sgemm", GROUP, SGEMM_N *SGEMM_N / GROUP, sgemm_setup, sgemm_check },
	{ "sha256", "sha256", GROUP, 8, sha_setup, sha_check },
	{ "divergent16", "divergent", GROUP, 4, divergent_setup, divergent_check },
	{ "amo_uniform", "amo", GROUP, 16, amo_setup, amo_check },
	{ "rounding", "rounding", GROUP, 1, rounding_setup, rounding_check },
	{ "partial_1", "partial", 1, 256, partial_setup, partial_check },
	{ "partial_15", "partial", 15, 64, partial_setup, partial_check },
	{ "partial_17", "partial", 17, 64, partial_setup, partial_check },
};

/* All results, or those that are named */
static bool is_wanted(const char *name, int argc, char **argv)
{
	for (int k = 2; k < argc; k++)
		if (!strcmp(argv[k], name))
			return true;
	return argc == 2;
}

int main(int argc, char **argv)
{
	static const struct isa_ops ops = { .translate = translate };
	uint8_t *mem = aligned_alloc(ISA_PAGE_SIZE, MEM_SIZE);
	struct isa_group *g = aligned_alloc(64, (isa_group_size(GROUP) + 63) & ~(size_t)63);
	bool good = true;

	if (argc < 2 || !mem || !g) {
		fprintf(stderr, "usage: isa-bench DIRECTORY [NAME...]\n");
		return 2;
	}
	for (unsigned int k = 0; k < sizeof(benches) / sizeof(benches[0]) && good; k++) {
		struct isa_engine *e;
		double mips = 0;

		if (!is_wanted(benches[k].name, argc, argv))
			continue;
		e = isa_engine_new(&ops, mem);
		memset(mem, 0, MEM_SIZE);
		if (e && load_image(argv[1], benches[k].kernel, mem))
			mips = measure(&benches[k], mem, e, g);
		isa_engine_free(e);
		printf("%s %.2f\n", benches[k].name, mips);
		good = mips > 0;
	}
	free(g);
	free(mem);
	return !good;
}
