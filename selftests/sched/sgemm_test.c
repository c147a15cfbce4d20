// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What switching costs: several vGPUs multiply matrices on one slice at the default
 * quantum. All work is queued beforehand, and packets note the GPU time at which it begins
 * and ends, so that the figures are exact whatever the host does meanwhile.
 */
#include <math.h>

#include "harness.h"
#include "client.h"

#include "../../examples/sgemm.h"

#define CLIENTS 4
#define ROUNDS_MAX 20
#define PRIVATE 1024 /* more than the stack of the kernel */
#define SCRATCH_GPA (WORK_GPA + (4 << 20))

/* The kernel of examples/sgemm, position-independent, its entry first */
__asm__(".pushsection .rodata\n.balign 8\nsgemm_code:\n.incbin \"sgemm.bin\"\n"
	"sgemm_code_end:\n.popsection\n");
extern const char sgemm_code[], sgemm_code_end[];

static const unsigned int sizes[CLIENTS] = { 128, 96, 80, 112 };

FIXTURE(sgemm)
{
	struct client c[CLIENTS];
	unsigned int n;
	int slice;
};

FIXTURE_SETUP(sgemm)
{
	unsigned int i;

	fresh_start();
	for (i = 0; i < CLIENTS; i++) {
		ASSERT_EQ(0, client_open(&self->c[i], "C1S"));
		self->n++;
		memcpy(ram_at(&self->c[i].v, CODE_FREE_GPA), sgemm_code,
		       sgemm_code_end - sgemm_code);
	}
	self->slice = clients_together(self->c, CLIENTS);
	ASSERT_LE(0, self->slice);
}

FIXTURE_TEARDOWN(sgemm)
{
	while (self->n)
		client_close(&self->c[--self->n]);
}

/* Matrices A, B and one C after the other */
static uint64_t matrix_gpa(unsigned int size, unsigned int i)
{
	return WORK_GPA + (uint64_t)i * size * size * sizeof(float);
}

static void fill_matrices(struct client *c, unsigned int size)
{
	float *a = ram_at(&c->v, matrix_gpa(size, 0));
	unsigned int i;

	for (i = 0; i < 2 * size * size; i++)
		a[i] = (float)(int)(i * 2654435761U >> 20) / 512 - 4;
}

static void put_stamp(struct client *c)
{
	struct tess_pkt_timestamp stamp = {
		.header = TESS_PKT_TIMESTAMP,
		.address = VA(STAMP_GPA),
	};

	ring_put(&c->r, &stamp);
}

static void put_product(struct client *c, unsigned int size)
{
	struct sgemm_args args = {
		.a = VA(matrix_gpa(size, 0)),
		.b = VA(matrix_gpa(size, 1)),
		.c = VA(matrix_gpa(size, 2)),
		.n = size,
	};
	uint32_t grid = (size + SGEMM_TILE - 1) / SGEMM_TILE * SGEMM_TILE;
	struct tess_pkt_dispatch pkt = {
		.header = TESS_PKT_DISPATCH | TESS_PKT_ACQUIRE_SYSTEM,
		.setup = 2,
		.wg_size = { SGEMM_TILE, SGEMM_TILE, 1 },
		.grid_size = { grid, grid, 1 },
		.private_segment_size = PRIVATE,
		.scratch_address = VA(SCRATCH_GPA),
		.group_segment_size = 2 * SGEMM_TILE * SGEMM_TILE * sizeof(float),
		.kernel_object = VA(CODE_FREE_GPA),
	};

	client_dispatch_packet(c, &pkt, &args, sizeof(args));
}

/* Elements that are not what the CPU gets in the same order of operations */
static unsigned int wrong_elements(struct client *c, unsigned int size)
{
	const float *a = ram_at(&c->v, matrix_gpa(size, 0));
	const float *b = ram_at(&c->v, matrix_gpa(size, 1));
	const float *got = ram_at(&c->v, matrix_gpa(size, 2));
	unsigned int row, column, k, wrong = 0;

	for (row = 0; row < size; row++) {
		for (column = 0; column < size; column++) {
			float sum = 0;

			for (k = 0; k < size; k++)
				sum = fmaf(a[row * size + k], b[k * size + column], sum);
			wrong += memcmp(&sum, &got[row * size + column], sizeof(sum)) != 0;
		}
	}
	return wrong;
}

struct run {
	uint64_t first, last; /* GPU time */
	uint64_t busy;
};

/* Give clients [from, to) their work at once and wait for all of it */
static void run_mix(struct __test_metadata *_metadata, struct __fixture_sgemm *self,
		    unsigned int from, unsigned int to, unsigned int rounds, struct run *run)
{
	uint64_t busy = 0;
	unsigned int i, k;

	*run = (struct run){ .first = ~0ULL };
	for (i = from; i < to; i++) {
		struct client *c = &self->c[i];

		busy += client_counter(c, TESS_COUNTER_BUSY);
		put_stamp(c);
		for (k = 0; k < rounds; k++)
			put_product(c, sizes[i]);
	}
	for (i = from; i < to; i++)
		client_fence(&self->c[i]);
	for (i = from; i < to; i++) {
		struct client *c = &self->c[i];
		uint64_t first;

		ASSERT_EQ(0, client_wait(c));
		memcpy(&first, ram_at(&c->v, STAMP_GPA), sizeof(first));
		run->first = first < run->first ? first : run->first;
		run->last = c->r.rec->time > run->last ? c->r.rec->time : run->last;
		run->busy += client_counter(c, TESS_COUNTER_BUSY);
	}
	run->busy -= busy;
}

TEST_F_TIMEOUT(sgemm, switch_overhead, 180)
{
	unsigned int rounds = setting("TESS_SGEMM_ROUNDS", 2), i;
	struct run alone, all = { 0 }, shared;
	double lost, quantum, whole, each;
	long long switches;

	ASSERT_LE(rounds, ROUNDS_MAX);
	for (i = 0; i < CLIENTS; i++)
		fill_matrices(&self->c[i], sizes[i]);
	/* The first run also pays for memory that the host has yet to map */
	for (i = 0; i < CLIENTS; i++) {
		run_mix(_metadata, self, i, i + 1, 1, &alone);
		run_mix(_metadata, self, i, i + 1, 1, &alone);
		all.busy += alone.busy * rounds;
		EXPECT_EQ(0, wrong_elements(&self->c[i], sizes[i]));
		memset(ram_at(&self->c[i].v, matrix_gpa(sizes[i], 2)), 0xff,
		       sizes[i] * sizes[i] * sizeof(float));
	}
	switches = slice_value(&self->c[0], self->slice, "switches");
	run_mix(_metadata, self, 0, CLIENTS, rounds, &shared);
	switches = slice_value(&self->c[0], self->slice, "switches") - switches;
	for (i = 0; i < CLIENTS; i++)
		EXPECT_EQ(0, wrong_elements(&self->c[i], sizes[i]));

	/*
	 * The host is late by some time at the end of a quantum, which makes switches rarer
	 * than the quantum says. The figure is for a host that is not.
	 */
	quantum = slice_value(&self->c[0], self->slice, "quantum_us") *
		  (reg32(&self->c[0].v, TESS_REG_CLOCK_KHZ) / 1000.0);
	lost = (double)(shared.last - shared.first) - shared.busy;
	each = lost / (switches ?: 1);
	whole = 100 * lost / (shared.last - shared.first);
	printf("# %lld switches in %llu cycles, one per %.0f; %.0f cycles without a client\n",
	       switches, (unsigned long long)(shared.last - shared.first),
	       (double)(shared.last - shared.first) / (switches ?: 1), lost);
	printf("# per switch %.1f cycles, that is %.3f %% of the time\n", each, whole);
	printf("# translations filled again: %.3f %% more work than undisturbed\n",
	       100 * ((double)shared.busy / all.busy - 1));
	figure("switch_overhead_pct", fmax(whole, 100 * each / (quantum + each)));
	EXPECT_LT(20, switches);
	EXPECT_EQ(2000, slice_value(&self->c[0], self->slice, "quantum_us"));
	EXPECT_TRUE(whole <= 2 && 100 * each / (quantum + each) <= 2);
}

TEST_HARNESS_MAIN
