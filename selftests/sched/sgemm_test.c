// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What switching costs: several vGPUs multiply matrices on one slice at the default
 * quantum, and what is left of the time that there was is the overhead.
 *
 * TESS_WINDOW_MS is the length of the measurement in GPU time.
 */
#include <math.h>

#include "harness.h"
#include "load.h"

#include "../../examples/sgemm.h"

#define CLIENTS 4
#define QUEUED 6 /* products of each client */
#define PRIVATE 1024 /* more than the stack of the kernel */
#define SCRATCH_GPA (WORK_GPA + (4 << 20))

/* The kernel of examples/sgemm, position-independent, its entry first */
__asm__(".pushsection .rodata\n.balign 8\nsgemm_code:\n.incbin \"sgemm.bin\"\n"
	"sgemm_code_end:\n.popsection\n");
extern const char sgemm_code[], sgemm_code_end[];

static const unsigned int sizes[CLIENTS] = { 64, 48, 80, 56 };

FIXTURE(sgemm)
{
	struct client c[CLIENTS];
	struct load l[CLIENTS];
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

static void put_product(const struct load *l)
{
	uint64_t size = l->size;
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

	client_dispatch_packet(l->c, &pkt, &args, sizeof(args));
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

/* Once, alone: busy cycles per instruction */
static double product(struct __test_metadata *_metadata, struct load *l)
{
	uint64_t busy = client_counter(l->c, TESS_COUNTER_BUSY);
	uint64_t instructions = client_counter(l->c, TESS_COUNTER_INSTRUCTIONS);

	l->put(l);
	client_fence(l->c);
	ASSERT_EQ(0, client_wait(l->c));
	busy = client_counter(l->c, TESS_COUNTER_BUSY) - busy;
	instructions = client_counter(l->c, TESS_COUNTER_INSTRUCTIONS) - instructions;
	return (double)busy / instructions;
}

static void check_and_spoil(struct __test_metadata *_metadata, struct load *l)
{
	EXPECT_EQ(0, wrong_elements(l->c, l->size));
	memset(ram_at(&l->c->v, matrix_gpa(l->size, 2)), 0xff, l->size * l->size * sizeof(float));
}

static void prepare(struct __test_metadata *_metadata, struct __fixture_sgemm *self, double *alone)
{
	unsigned int i;

	for (i = 0; i < CLIENTS; i++) {
		struct load *l = &self->l[i];

		*l = (struct load){ &self->c[i], put_product, sizes[i], QUEUED };
		fill_matrices(l->c, sizes[i]);
		/* The first one also waits for memory that the host has yet to map */
		product(_metadata, l);
		alone[i] = product(_metadata, l);
		check_and_spoil(_metadata, l);
	}
}

/* Cycles that the work took, to those that it takes undisturbed */
static double slowdown(const struct window *w, const double *alone)
{
	double busy = 0, undisturbed = 0;
	unsigned int i;

	for (i = 0; i < CLIENTS; i++) {
		busy += w->of[i].busy;
		undisturbed += w->of[i].instructions * alone[i];
	}
	return busy / undisturbed;
}

/*
 * The host is late by some time at the end of a quantum, which makes switches rarer than
 * the quantum says, and would make the overhead look smaller. So it is that of a switch
 * in each quantum that counts.
 */
TEST_F_TIMEOUT(sgemm, switch_overhead, 180)
{
	double alone[CLIENTS], used = 0, whole, each, overhead, quantum;
	unsigned int ms = setting("TESS_WINDOW_MS", 1500), i;
	long long switches;
	struct window w;

	prepare(_metadata, self, alone);
	ASSERT_EQ(0, load_settle(self->l, CLIENTS, 100));
	switches = slice_value(&self->c[0], self->slice, "switches");
	ASSERT_EQ(0, load_window(self->l, CLIENTS, CLIENTS, 2 * ms, 20, &w));
	switches = slice_value(&self->c[0], self->slice, "switches") - switches;
	for (i = 0; i < CLIENTS; i++) {
		used += window_share(&w, i);
		ASSERT_EQ(0, client_wait(&self->c[i]));
		check_and_spoil(_metadata, &self->l[i]);
	}
	quantum = slice_value(&self->c[0], self->slice, "quantum_us") *
		  (reg32(&self->c[0].v, TESS_REG_CLOCK_KHZ) / 1000.0);
	whole = 1 - used;
	each = whole * w.of[0].cycles / switches;
	overhead = each / (quantum + each);
	printf("# %lld switches, one in %.0f cycles; %.3f %% of the time without a client\n",
	       switches, (double)w.of[0].cycles / switches, 100 * whole);
	printf("# that is %.1f cycles for each; translations were filled again: %.3f %% more work\n",
	       each, 100 * (slowdown(&w, alone) - 1));
	figure("switch_overhead_pct", 100 * fmax(whole, overhead));
	EXPECT_LT(20, switches);
	EXPECT_EQ(2000, slice_value(&self->c[0], self->slice, "quantum_us"));
	EXPECT_TRUE(whole <= 0.02 && overhead <= 0.02);
}

TEST_HARNESS_MAIN
