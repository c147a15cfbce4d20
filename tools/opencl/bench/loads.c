// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Loads
 *
 * The same work on every device, with results that are verified. Programs are compiled and buffers
 * made once: what is measured is a command in the steady state.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../examples/sha256_cpu.h"
#include "bench.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static cl_int enqueue(struct bench *b, cl_kernel kernel, cl_uint dims, size_t items, size_t group,
		      cl_event *event)
{
	const size_t global[2] = { items, items }, local[2] = { group, group };

	return clEnqueueNDRangeKernel(b->cl.queue, kernel, dims, NULL, global, local, 0, NULL,
				      event);
}

/* ---- nothing but one more ----------------------------------------------------- */

static const char launch_source[] = "kernel void one_more(global uint *p)\n"
				    "{\n"
				    "	p[0]++;\n"
				    "}\n";
static cl_kernel launch_kernel;
static cl_mem launch_word;
static cl_uint launched;

static void launch_setup(struct bench *b)
{
	launch_kernel = cl_kernel_of(&b->cl, launch_source, "one_more");
	launch_word = cl_buffer(&b->cl, sizeof(launched), NULL);
	cl_arg_mem(launch_kernel, 0, launch_word);
}

static cl_int launch_start(struct bench *b, cl_event *event)
{
	launched++;
	return enqueue(b, launch_kernel, 1, 1, 1, event);
}

/* How many did not run, or ran twice, since the program started; the queue is in order */
static unsigned long launch_check(struct bench *b)
{
	cl_uint word = 0;

	cl_get(&b->cl, launch_word, &word, sizeof(word));
	return (unsigned long)labs((long)launched - (long)word);
}

/* ---- a million instructions ---------------------------------------------------- */

#define WORK_ITEMS 16
/* Four instructions each: 16 x 15,625 x 4 is a million */
#define WORK_ROUNDS 15625u

static const char work_source[] = "kernel void work(global uint *p, uint rounds)\n"
				  "{\n"
				  "	uint x = get_global_id(0);\n"
				  "	while (rounds--)\n"
				  "		x = x * 1664525 + 1013904223;\n"
				  "	p[get_global_id(0)] = x;\n"
				  "}\n";
static cl_kernel work_kernel;
static cl_mem work_words;

static void work_setup(struct bench *b)
{
	const cl_uint rounds = WORK_ROUNDS;

	work_kernel = cl_kernel_of(&b->cl, work_source, "work");
	work_words = cl_buffer(&b->cl, WORK_ITEMS * sizeof(cl_uint), NULL);
	cl_arg_mem(work_kernel, 0, work_words);
	cl_arg(work_kernel, 1, sizeof(rounds), &rounds);
}

static cl_int work_start(struct bench *b, cl_event *event)
{
	return enqueue(b, work_kernel, 1, WORK_ITEMS, WORK_ITEMS, event);
}

static unsigned long work_check(struct bench *b)
{
	cl_uint got[WORK_ITEMS], i, n, x;
	unsigned long bad = 0;

	cl_get(&b->cl, work_words, got, sizeof(got));
	for (i = 0; i < WORK_ITEMS; i++) {
		for (x = i, n = 0; n < WORK_ROUNDS; n++)
			x = x * 1664525 + 1013904223;
		bad += got[i] != x;
	}
	return bad;
}

/* ---- transfers: to the device, and verified by reading back ---------------------- */

/**
 * struct copy - a transfer
 * @mem: buffer of the device
 * @data: what is written; the first word says how often
 */
struct copy {
	cl_mem mem;
	cl_uint *data;
};

static void copy_setup(struct bench *b)
{
	struct load *l = b->load;
	struct copy *c = calloc(1, sizeof(*c));
	size_t i;

	if (c)
		c->data = calloc(1, l->bytes);
	if (!c || !c->data)
		abort();
	c->mem = cl_buffer(&b->cl, l->bytes, NULL);
	for (i = 1; i < l->bytes / sizeof(*c->data); i++)
		c->data[i] = (cl_uint)i * 2654435761u;
	l->state = c;
}

static cl_int copy_start(struct bench *b, cl_event *event)
{
	struct load *l = b->load;
	struct copy *c = l->state;

	return clEnqueueWriteBuffer(b->cl.queue, c->mem, CL_FALSE, 0, l->bytes, c->data, 0, NULL,
				    event);
}

static unsigned long copy_check(struct bench *b)
{
	struct load *l = b->load;
	struct copy *c = l->state;
	cl_uint *got = calloc(1, l->bytes);
	unsigned long bad;

	if (!got)
		abort();
	cl_get(&b->cl, c->mem, got, l->bytes);
	bad = memcmp(got, c->data, l->bytes) != 0;
	free(got);
	/* The next ones write something else */
	c->data[0]++;
	return bad;
}

/* ---- SGEMM, as tessera-bench and examples/sgemm_kernel.c do it ----------------------------------- */

#define SGEMM_N 64
#define SGEMM_TILE 16

static const char sgemm_source[] =
	"kernel void sgemm(global const float *a, global const float *b, global float *c, uint n)\n"
	"{\n"
	"	local float ta[16][16], tb[16][16];\n"
	"	uint x = get_local_id(0), y = get_local_id(1);\n"
	"	uint column = get_global_id(0), row = get_global_id(1);\n"
	"	float sum = 0.0f;\n"
	"	for (uint k = 0; k < n; k += 16) {\n"
	"		ta[y][x] = a[row * n + k + x];\n"
	"		tb[y][x] = b[(k + y) * n + column];\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		for (uint i = 0; i < 16; i++)\n"
	"			sum = fma(ta[y][i], tb[i][x], sum);\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	}\n"
	"	c[row * n + column] = sum;\n"
	"}\n";
static cl_kernel sgemm_kernel;
static cl_mem sgemm_mem[3];
static float sgemm_data[2][SGEMM_N * SGEMM_N];

static void sgemm_setup(struct bench *b)
{
	const cl_uint n = SGEMM_N;
	cl_uint i;

	for (i = 0; i < SGEMM_N * SGEMM_N; i++) {
		sgemm_data[0][i] = (float)(i % 251) / 256.0f - 0.5f;
		sgemm_data[1][i] = (float)(i % 239) / 256.0f - 0.5f;
	}
	sgemm_kernel = cl_kernel_of(&b->cl, sgemm_source, "sgemm");
	for (i = 0; i < COUNT(sgemm_mem); i++) {
		sgemm_mem[i] =
			cl_buffer(&b->cl, sizeof(sgemm_data[0]), i < 2 ? sgemm_data[i] : NULL);
		cl_arg_mem(sgemm_kernel, i, sgemm_mem[i]);
	}
	cl_arg(sgemm_kernel, 3, sizeof(n), &n);
}

static cl_int sgemm_start(struct bench *b, cl_event *event)
{
	return enqueue(b, sgemm_kernel, 2, SGEMM_N, SGEMM_TILE, event);
}

static unsigned long sgemm_check(struct bench *b)
{
	static float got[SGEMM_N * SGEMM_N];
	unsigned long bad = 0;
	unsigned int row, col, k;

	cl_get(&b->cl, sgemm_mem[2], got, sizeof(got));
	for (row = 0; row < SGEMM_N; row++) {
		for (col = 0; col < SGEMM_N; col++) {
			float sum = 0.0f;

			for (k = 0; k < SGEMM_N; k++)
				sum = fmaf(sgemm_data[0][row * SGEMM_N + k],
					   sgemm_data[1][k * SGEMM_N + col], sum);
			bad += !(got[row * SGEMM_N + col] == sum);
		}
	}
	return bad;
}

/* ---- SHA-256: messages to the device, hashed there, the hashes back ----------------- */

/* Groups of 16: as many as a slice has cores, so that a device with more of them has no advantage */
#define SHA_MESSAGES 128
#define SHA_GROUP 16
#define SHA_BYTES 512
#define SHA_WORDS 8

static const char sha_source[] =
	"constant uint k[64] = {\n"
	"	0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u,\n"
	"	0x923f82a4u, 0xab1c5ed5u, 0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u,\n"
	"	0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u, 0xe49b69c1u, 0xefbe4786u,\n"
	"	0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,\n"
	"	0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u,\n"
	"	0x06ca6351u, 0x14292967u, 0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u,\n"
	"	0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u, 0xa2bfe8a1u, 0xa81a664bu,\n"
	"	0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,\n"
	"	0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au,\n"
	"	0x5b9cca4fu, 0x682e6ff3u, 0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u,\n"
	"	0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u,\n"
	"};\n"
	"uint swap(uint x)\n"
	"{\n"
	"	return rotate(x & 0x00ff00ffu, 24u) | rotate(x & 0xff00ff00u, 8u);\n"
	"}\n"
	"kernel void sha256(global const uint *data, global uint *hash, uint words)\n"
	"{\n"
	"	uint item = get_global_id(0);\n"
	"	uint s[8] = { 0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,\n"
	"		      0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u };\n"
	"	uint w[16], v[8];\n"
	"	for (uint at = 0; at <= words; at += 16) {\n"
	"		for (uint i = 0; i < 8; i++)\n"
	"			v[i] = s[i];\n"
	"		for (uint i = 0; i < 64; i++) {\n"
	"			if (i >= 16) {\n"
	"				uint x = w[(i + 1) & 15], y = w[(i + 14) & 15];\n"
	"				w[i & 15] += w[(i + 9) & 15] +\n"
	"					(rotate(x, 25u) ^ rotate(x, 14u) ^ x >> 3) +\n"
	"					(rotate(y, 15u) ^ rotate(y, 13u) ^ y >> 10);\n"
	"			} else if (at < words) {\n"
	"				w[i] = swap(data[item * words + at + i]);\n"
	"			} else {\n"
	"				w[i] = i == 0 ? 0x80000000u : i == 15 ? words * 32 : 0;\n"
	"			}\n"
	"			uint e = v[4], a = v[0];\n"
	"			uint t = v[7] + k[i] + w[i & 15] + bitselect(v[6], v[5], e) +\n"
	"				(rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u));\n"
	"			uint u = ((a & v[1]) | (v[2] & (a | v[1]))) +\n"
	"				(rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u));\n"
	"			for (uint j = 7; j; j--)\n"
	"				v[j] = v[j - 1];\n"
	"			v[4] += t;\n"
	"			v[0] = t + u;\n"
	"		}\n"
	"		for (uint i = 0; i < 8; i++)\n"
	"			s[i] += v[i];\n"
	"	}\n"
	"	for (uint i = 0; i < 8; i++)\n"
	"		hash[item * 8 + i] = s[i];\n"
	"}\n";
static cl_kernel sha_kernel;
static cl_mem sha_data_mem, sha_hash_mem;
static uint8_t sha_data[SHA_MESSAGES][SHA_BYTES];
static cl_uint sha_hash[SHA_MESSAGES][SHA_WORDS];

static void sha_setup(struct bench *b)
{
	const cl_uint words = SHA_BYTES / sizeof(cl_uint);
	size_t i;

	for (i = 0; i < sizeof(sha_data); i++)
		sha_data[i / SHA_BYTES][i % SHA_BYTES] = (uint8_t)(i * 7 + i / 251);
	sha_kernel = cl_kernel_of(&b->cl, sha_source, "sha256");
	sha_data_mem = cl_buffer(&b->cl, sizeof(sha_data), NULL);
	sha_hash_mem = cl_buffer(&b->cl, sizeof(sha_hash), NULL);
	cl_arg_mem(sha_kernel, 0, sha_data_mem);
	cl_arg_mem(sha_kernel, 1, sha_hash_mem);
	cl_arg(sha_kernel, 2, sizeof(words), &words);
}

/* All three commands; the queue is in order, so the last one's event is that of all */
static cl_int sha_start(struct bench *b, cl_event *event)
{
	cl_int err;

	err = clEnqueueWriteBuffer(b->cl.queue, sha_data_mem, CL_FALSE, 0, sizeof(sha_data),
				   sha_data, 0, NULL, NULL);
	if (!err)
		err = enqueue(b, sha_kernel, 1, SHA_MESSAGES, SHA_GROUP, NULL);
	if (!err)
		err = clEnqueueReadBuffer(b->cl.queue, sha_hash_mem, CL_FALSE, 0, sizeof(sha_hash),
					  sha_hash, 0, NULL, event);
	return err;
}

static unsigned long sha_check(struct bench *b)
{
	cl_uint want[SHA_WORDS];
	unsigned long bad = 0;
	struct sha256_cpu cpu;
	unsigned int i;

	(void)b;
	for (i = 0; i < SHA_MESSAGES; i++) {
		sha256_cpu_init(&cpu);
		sha256_cpu_update(&cpu, sha_data[i], SHA_BYTES);
		sha256_cpu_final(&cpu, want);
		bad += memcmp(want, sha_hash[i], sizeof(want)) != 0;
		/* The next ones are others, and their hashes have to come anew */
		sha_data[i][i % SHA_BYTES]++;
	}
	memset(sha_hash, 0, sizeof(sha_hash));
	return bad;
}

/* ---- all of them ------------------------------------------------------------------ */

static struct load all_loads[] = {
	{ "launch", 0, launch_setup, launch_start, launch_check, NULL, false },
	{ "work", 0, work_setup, work_start, work_check, NULL, false },
	{ "copy_64k", 64 << 10, copy_setup, copy_start, copy_check, NULL, false },
	{ "copy_4m", 4 << 20, copy_setup, copy_start, copy_check, NULL, false },
	{ "sgemm", 0, sgemm_setup, sgemm_start, sgemm_check, NULL, false },
	{ "sha256", sizeof(sha_data) + sizeof(sha_hash), sha_setup, sha_start, sha_check, NULL,
	  false },
};

const struct load *load_get(struct bench *b, const char *name)
{
	unsigned int i;

	for (i = 0; i < COUNT(all_loads); i++) {
		struct load *l = &all_loads[i];

		if (strcmp(name, l->name))
			continue;
		b->load = l;
		if (!l->ready)
			l->setup(b);
		l->ready = true;
		return l;
	}
	return NULL;
}
