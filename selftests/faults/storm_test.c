// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A client that causes page faults without end, on the slice of one that works: in its own
 * page tables, beyond the memory that its VMM gave it, and in memory that the host has to pin
 * each time. The other one keeps its half of the slice and loses nothing.
 *
 * TESS_WINDOW_MS is the length of a measurement in GPU time.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "harness.h"
#include "books.h"
#include "load.h"

#define JOB_US 10000
#define DEPTH 24
#define TURNS 40
/* Half, less what two percent of it are */
#define HALF 0.49

/* VAs beyond all that client_open() maps; the last two are leaves of these addresses */
#define NOWHERE_VA (256ULL << 20)
#define BEYOND_VA (320ULL << 20)
#define BEYOND_GPA 0x700000000ULL
#define FRESH_VA (384ULL << 20)
#define FRESH_GPA 0x500000000ULL
#define FRESH_BYTES (256ULL << 10)

FIXTURE(storm)
{
	struct books books;
	struct client good, evil;
	struct load load;
	uint8_t *fresh;
	atomic_bool stop;
	unsigned long acts, pinned;
	pthread_t thread;
};

/* Two more leaves in the tables that client_open() made */
static void map_traps(struct client *c)
{
	uint64_t *middle = ram_at(&c->v, TABLES_GPA(0) + PAGE);
	uint64_t bits = TESS_PTE_V | TESS_PTE_R | TESS_PTE_W | TESS_PTE_X | TESS_PTE_U |
			TESS_PTE_A | TESS_PTE_D;

	middle[BEYOND_VA >> 21] = BEYOND_GPA >> 12 << 10 | bits;
	middle[FRESH_VA >> 21] = FRESH_GPA >> 12 << 10 | bits;
}

FIXTURE_SETUP(storm)
{
	fresh_start();
	books_open(&self->books);
	ASSERT_EQ(0, client_open(&self->good, "C1S"));
	ASSERT_EQ(0, client_open(&self->evil, "C1S"));
	if (client_slice(&self->evil) != client_slice(&self->good))
		ASSERT_EQ(0, client_move(&self->evil, client_slice(&self->good)));
	load_init(&self->load, &self->good, JOB_US, DEPTH);
	map_traps(&self->evil);
	self->fresh =
		mmap(NULL, FRESH_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->fresh);
	ASSERT_EQ(0, client_warm(&self->good));
	ASSERT_EQ(0, client_warm(&self->evil));
}

FIXTURE_TEARDOWN(storm)
{
	client_close(&self->good);
	client_close(&self->evil);
	EXPECT_EQ(0, books_unclosed(&self->books));
}

static void access_kernel(struct client *c, enum tess_kernel k, uint64_t va)
{
	uint64_t args[2] = { va, 0 };

	client_dispatch(c, CODE_GPA + k * TESS_K_BYTES, 8, 256, args, sizeof(args));
	client_fence(c);
	wait_fault(&c->v, 0);
	ring_reset(&c->r);
	client_start(c);
}

/* Memory that has to be pinned for each page anew; then it is taken away */
static void touch_fresh(struct __fixture_storm *self)
{
	struct client *c = &self->evil;

	if (vgpu_map(&c->v, self->fresh, FRESH_GPA, FRESH_BYTES, true))
		return;
	ring_fill(&c->r, FRESH_VA, FRESH_BYTES, self->acts);
	client_fence(c);
	if (!client_wait(c) && *(uint32_t *)self->fresh == (uint32_t)self->acts)
		self->pinned++;
	vgpu_unmap(&c->v, FRESH_GPA, FRESH_BYTES);
}

static void *storm(void *arg)
{
	struct __fixture_storm *self = arg;
	struct client *c = &self->evil;

	for (; !atomic_load(&self->stop); self->acts++) {
		switch (self->acts % 5) {
		case 0:
			access_kernel(c, TESS_K_LOAD, NOWHERE_VA + self->acts * PAGE);
			break;
		case 1:
			access_kernel(c, TESS_K_STORE, BEYOND_VA + self->acts % 512 * PAGE);
			break;
		case 2:
			access_kernel(c, TESS_K_JUMP, BEYOND_VA);
			break;
		case 3:
			access_kernel(c, TESS_K_ADD, NOWHERE_VA);
			break;
		default:
			touch_fresh(self);
		}
	}
	return NULL;
}

TEST_F_TIMEOUT(storm, neighbour_keeps_its_half, 150)
{
	unsigned int ms = setting("TESS_WINDOW_MS", 1500);
	struct window w;

	ASSERT_EQ(0, load_settle(&self->load, 1, 50));
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, storm, self));
	ASSERT_EQ(0, load_settle(&self->load, 1, 100));
	ASSERT_EQ(0, load_window(&self->load, 1, 1, ms, TURNS, &w));
	atomic_store(&self->stop, true);
	pthread_join(self->thread, NULL);
	printf("# share %.4f, meanwhile %lu faults, %lu times memory was pinned\n",
	       window_share(&w, 0), self->acts - self->acts / 5, self->pinned);
	EXPECT_TRUE(window_share(&w, 0) >= HALF);
	EXPECT_LE(5, self->acts);
	EXPECT_LT(0, self->pinned);
	EXPECT_EQ(0, load_finish(&self->load, 1));
	EXPECT_EQ(0, client_reg32(&self->good.v, 0, TESS_SREG_FAULT_CAUSE));
	EXPECT_EQ(0, client_value(&self->good, "vslice0/lost"));
	/* And it can still do better */
	client_delay(&self->evil, 1, 16, 10);
	client_fence(&self->evil);
	EXPECT_EQ(0, client_wait(&self->evil));
	EXPECT_TRUE(client_counted(&self->evil));
}

TEST_HARNESS_MAIN
