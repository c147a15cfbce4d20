// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: speed of the shader ISA engine
 *
 * Runs SGEMM and SHA-256 kernels, compiled by a stock clang, on one engine and
 * one host core, through page tables as simple as possible (one array). Checks
 * what they computed, then reports the best of several runs in millions of
 * retired instructions per second.
 *
 *	isa-bench SGEMM.bin SHA256.bin OUT.json
 */
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
#define RUNS 7
#define TARGET 350.0

struct bench {
	const char *name;
	const char *image;
	void (*setup)(uint8_t *mem, struct isa_dispatch *d);
	bool (*check)(const uint8_t *mem);
	unsigned int groups;
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

#define SGEMM_N 128u

struct sgemm_args {
	uint64_t a, b, c, n;
};

static float sgemm_input(unsigned int k)
{
	return (float)(int32_t)(k * 2654435761u) * 0x1p-31f;
}

static void sgemm_setup(uint8_t *mem, struct isa_dispatch *d)
{
	const uint32_t bytes = SGEMM_N * SGEMM_N * 4;
	struct sgemm_args args = { DATA_VA, DATA_VA + bytes, DATA_VA + 2 * bytes, SGEMM_N };
	float *data = (float *)(mem + DATA_VA);

	for (unsigned int k = 0; k < 2 * SGEMM_N * SGEMM_N; k++)
		data[k] = sgemm_input(k);
	memcpy(mem + ARGS_VA, &args, sizeof(args));
	d->group_size[0] = d->enqueued_size[0] = SGEMM_N;
	d->group_size[1] = d->enqueued_size[1] = GROUP / SGEMM_N;
}

static bool sgemm_check(const uint8_t *mem)
{
	const float *a = (const float *)(mem + DATA_VA);
	const float *b = a + SGEMM_N * SGEMM_N;
	const float *c = b + SGEMM_N * SGEMM_N;

	for (unsigned int y = 0; y < SGEMM_N; y++) {
		for (unsigned int x = 0; x < SGEMM_N; x++) {
			float sum = 0;

			for (unsigned int k = 0; k < SGEMM_N; k++)
				sum = fmaf(a[y * SGEMM_N + k], b[k * SGEMM_N + x], sum);
			if (memcmp(&sum, &c[y * SGEMM_N + x], sizeof(sum)))
				return false;
		}
	}
	return true;
}

#define SHA_LENGTH 1024u
#define SHA_GROUPS 8u

struct sha_args {
	uint64_t messages, digests, length;
};

static void sha_setup(uint8_t *mem, struct isa_dispatch *d)
{
	const uint32_t bytes = SHA_GROUPS * GROUP * SHA_LENGTH;
	struct sha_args args = { DATA_VA, DATA_VA + bytes, SHA_LENGTH };

	memset(mem + DATA_VA, 'a', bytes);
	memcpy(mem + ARGS_VA, &args, sizeof(args));
	d->group_size[0] = d->enqueued_size[0] = GROUP;
	d->group_size[1] = d->enqueued_size[1] = 1;
}

/* SHA-256 of 1024 times 'a', from sha256sum. */
static bool sha_check(const uint8_t *mem)
{
	static const uint32_t expected[8] = {
		0x2edc9868, 0x47e209b4, 0x016e141a, 0x6dc8716d,
		0x3207350f, 0x41696938, 0x2d431539, 0xbf292e4a,
	};
	const uint32_t *digest =
		(const uint32_t *)(mem + DATA_VA + SHA_GROUPS * GROUP * SHA_LENGTH);

	for (unsigned int k = 0; k < SHA_GROUPS * GROUP; k++)
		if (memcmp(digest + 8 * k, expected, sizeof(expected)))
			return false;
	return true;
}

static bool load_image(const char *path, uint8_t *mem)
{
	FILE *f = fopen(path, "rb");
	size_t n;

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
	};
	uint64_t retired = 0;
	double start;

	d.group_size[2] = d.enqueued_size[2] = 1;
	b->setup(mem, &d);
	start = now();
	for (unsigned int n = 0; n < b->groups; n++) {
		unsigned int dim = d.group_size[1] > 1;

		d.group_id[dim] = n;
		d.global_base[dim] = n * d.group_size[dim];
		if (!run_group(e, g, &d, &retired))
			return 0;
	}
	start = now() - start;
	if (!b->check(mem)) {
		fprintf(stderr, "%s: wrong result\n", b->name);
		return 0;
	}
	return (double)retired / start * 1e-6;
}

static double best_of(const struct bench *b, uint8_t *mem)
{
	static const struct isa_ops ops = { .translate = translate };
	struct isa_engine *e = isa_engine_new(&ops, mem);
	struct isa_group *g = aligned_alloc(64, (isa_group_size(GROUP) + 63) & ~(size_t)63);
	double best = 0;

	if (e && g && load_image(b->image, mem)) {
		for (int n = 0; n < RUNS; n++) {
			double v = measure(b, mem, e, g);

			if (!v) {
				best = 0;
				break;
			}
			best = v > best ? v : best;
		}
	}
	free(g);
	isa_engine_free(e);
	return best;
}

int main(int argc, char **argv)
{
	struct bench benches[] = {
		{ "mips_sgemm", argv[1], sgemm_setup, sgemm_check, SGEMM_N * SGEMM_N / GROUP },
		{ "mips_sha256", argv[2], sha_setup, sha_check, SHA_GROUPS },
	};
	uint8_t *mem = aligned_alloc(ISA_PAGE_SIZE, MEM_SIZE);
	bool all_ok = true;
	FILE *out;

	if (argc != 4 || !mem) {
		fprintf(stderr, "usage: isa-bench SGEMM.bin SHA256.bin OUT\n");
		return 2;
	}
	memset(mem, 0, MEM_SIZE);
	out = fopen(argv[3], "w");
	if (!out) {
		perror(argv[3]);
		return 2;
	}
	printf("%-16s %12s %8s %10s  %s\n", "name", "value", "unit", "target", "ok");
	fprintf(out, "[\n");
	for (unsigned int k = 0; k < 2; k++) {
		double v = best_of(&benches[k], mem);
		bool good = v >= TARGET;

		printf("%-16s %12.1f %8s %10.0f  %s\n", benches[k].name, v, "MIPS", TARGET,
		       good ? "yes" : "NO");
		fprintf(out,
			"  {\"name\": \"%s\", \"value\": %.1f, "
			"\"unit\": \"MIPS\", \"target\": %.0f, \"ok\": %s}%s\n",
			benches[k].name, v, TARGET, good ? "true" : "false", k ? "" : ",");
		all_ok &= good;
	}
	fprintf(out, "]\n");
	fclose(out);
	free(mem);
	return !all_ok;
}
