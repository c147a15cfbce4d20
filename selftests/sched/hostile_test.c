// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A well-behaved client and one that does its worst, on one slice. The first keeps its
 * half of the time and loses nothing; and nobody finds anything of anybody else's.
 *
 * TESS_WINDOW_MS is the length of a measurement in GPU time.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "harness.h"
#include "load.h"
#include "rv.h"

#define JOB_US 10000
#define DEPTH 24
/* Half, less two percent of it; or five, if the attack keeps a processor of this host busy, too */
#define HALF 0.49
#define HALF_BESIDE_FLOOD 0.475
#define CYCLES_US 4

FIXTURE(hostile)
{
	struct client good, evil;
	struct load load;
	unsigned int ms;
	int slice;
	atomic_bool stop;
	unsigned long acts;
	pthread_t thread;
};

FIXTURE_SETUP(hostile)
{
	fresh_start();
	self->ms = setting("TESS_WINDOW_MS", 1000);
	ASSERT_EQ(0, client_open(&self->good, "C1S"));
	ASSERT_EQ(0, client_open(&self->evil, "C1S"));
	self->slice = client_slice(&self->good);
	if (client_slice(&self->evil) != self->slice)
		ASSERT_EQ(0, client_move(&self->evil, self->slice));
	load_init(&self->load, &self->good, JOB_US, DEPTH);
	ASSERT_EQ(0, client_warm(&self->good));
	ASSERT_EQ(0, client_warm(&self->evil));
}

FIXTURE_TEARDOWN(hostile)
{
	client_close(&self->good);
	client_close(&self->evil);
}

#define WINDOWS 3u

static int by_share(const void *a, const void *b)
{
	double x = window_share(a, 0), y = window_share(b, 0);

	return (x > y) - (x < y);
}

/* A host that is late makes one turn long, at an end of one of the windows: most of them count */
static int typical_window(struct __fixture_hostile *self, struct window *typical)
{
	struct window w[WINDOWS];
	unsigned int i;

	for (i = 0; i < WINDOWS; i++)
		if (load_window(&self->load, 1, 1, self->ms, 40, &w[i]))
			return -1;
	qsort(w, WINDOWS, sizeof(w[0]), by_share);
	*typical = w[WINDOWS / 2];
	return 0;
}

/* What the good one gets while @act does evil, again and again, in a thread */
static void withstand(struct __test_metadata *_metadata, struct __fixture_hostile *self,
		      void *(*act)(void *))
{
	double half = act ? HALF_BESIDE_FLOOD : HALF;
	struct window w;

	ASSERT_EQ(0, load_settle(&self->load, 1, 50));
	if (act)
		ASSERT_EQ(0, pthread_create(&self->thread, NULL, act, self));
	ASSERT_EQ(0, load_settle(&self->load, 1, 100));
	ASSERT_EQ(0, typical_window(self, &w));
	atomic_store(&self->stop, true);
	if (act)
		pthread_join(self->thread, NULL);
	printf("# share %.4f with %llu jobs of %u us, meanwhile %lu attacks\n", window_share(&w, 0),
	       (unsigned long long)w.of[0].jobs, JOB_US, self->acts);
	EXPECT_TRUE(window_share(&w, 0) >= half);
	/* Its completions go on as well */
	EXPECT_TRUE(w.of[0].jobs * JOB_US >= 0.9 * half * w.of[0].cycles / CYCLES_US);
	EXPECT_EQ(0, load_finish(&self->load, 1));
	EXPECT_EQ(0, client_reg32(&self->good.v, 0, TESS_SREG_FAULT_CAUSE));
}

TEST_F_TIMEOUT(hostile, endless_kernel, 180)
{
	struct client *evil = &self->evil;
	uint64_t busy;

	client_kernel(evil, TESS_K_LOOP, 8, 256);
	client_fence(evil);
	busy = client_counter(evil, TESS_COUNTER_BUSY);
	withstand(_metadata, self, NULL);
	busy = client_counter(evil, TESS_COUNTER_BUSY) - busy;
	printf("# the endless one had %.1f ms\n", busy / 4000.0);
	/* It has its half too, and is not told anything */
	EXPECT_LT(self->ms * 4000 * 2 / 5, busy);
	EXPECT_EQ(TESS_STATUS_ENABLED | TESS_STATUS_BUSY,
		  client_reg32(&evil->v, 0, TESS_SREG_STATUS));
	EXPECT_FALSE(client_idle(evil));
}

/* Waiting is not work, but it holds the slice */
TEST_F_TIMEOUT(hostile, endless_wait, 180)
{
	ring_await(&self->evil.r, VA(SUM_GPA(0)));
	client_fence(&self->evil);
	withstand(_metadata, self, NULL);
	EXPECT_FALSE(client_idle(&self->evil));
	/* What it waited for comes at last */
	*(volatile uint64_t *)ram_at(&self->evil.v, SUM_GPA(0)) = 1;
	EXPECT_EQ(0, client_wait(&self->evil));
}

static void *flood(void *arg)
{
	struct __fixture_hostile *self = arg;

	for (; !atomic_load(&self->stop); self->acts++)
		ring_kick(&self->evil.r);
	return NULL;
}

TEST_F_TIMEOUT(hostile, doorbell_flood, 180)
{
	withstand(_metadata, self, flood);
}

static void *flood_with_work(void *arg)
{
	struct __fixture_hostile *self = arg;
	struct client *c = &self->evil;
	uint8_t nop[DRM_TESSERA_PKT_SIZE] = { DRM_TESSERA_PKT_NOP };

	for (; !atomic_load(&self->stop); self->acts++) {
		if (client_room(c, 1)) {
			ring_put(&c->r, nop);
			client_fence(c);
		}
		ring_kick(&c->r);
	}
	return NULL;
}

/* Tiny jobs: the slice is wanted and given back all the time */
TEST_F_TIMEOUT(hostile, flood_of_tiny_jobs, 180)
{
	withstand(_metadata, self, flood_with_work);
	EXPECT_EQ(0, client_wait(&self->evil));
}

/* Drop whatever there is and start again, as often as a client may */
static void restart(struct client *c)
{
	ring_reset(&c->r);
	client_start(c);
}

static void *fault_storm(void *arg)
{
	struct __fixture_hostile *self = arg;
	struct client *c = &self->evil;
	enum tess_kernel k[] = { TESS_K_ILLEGAL, TESS_K_BREAK, TESS_K_ECALL };

	for (; !atomic_load(&self->stop); self->acts++) {
		client_kernel(c, k[self->acts % 3], 8, 256);
		client_fence(c);
		wait_fault(&c->v, 0);
		restart(c);
	}
	return NULL;
}

TEST_F_TIMEOUT(hostile, fault_storm, 180)
{
	withstand(_metadata, self, fault_storm);
	EXPECT_LT(10, self->acts);
	/* And it can still do better */
	client_delay(&self->evil, 1, 16, 10);
	client_fence(&self->evil);
	EXPECT_EQ(0, client_wait(&self->evil));
	EXPECT_TRUE(client_counted(&self->evil));
}

static void garbage_ring(struct client *c, unsigned int *seed)
{
	unsigned int i;

	for (i = 0; i < PAGE; i++)
		c->r.pkts[i] = rand_r(seed);
	/* Types that exist, now and then, so that not all fail at the first look */
	for (i = 0; i < PAGE; i += DRM_TESSERA_PKT_SIZE) {
		if (rand_r(seed) % 4)
			memset(c->r.pkts + i + 2, 0, DRM_TESSERA_PKT_SIZE - 2);
		c->r.pkts[i] = 0x80 + rand_r(seed) % 11;
		c->r.pkts[i + 1] = 0;
	}
}

static void garbage_registers(struct client *c, unsigned int *seed)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		uint32_t reg = rand_r(seed) % 64 * 4;
		uint32_t val = rand_r(seed) % 2 ? rand_r(seed) : rand_r(seed) % 4;

		client_reg32_write(&c->v, 0, reg, val);
	}
}

static void *garbage(void *arg)
{
	struct __fixture_hostile *self = arg;
	struct client *c = &self->evil;
	unsigned int seed = 1;

	for (; !atomic_load(&self->stop); self->acts++) {
		restart(c);
		garbage_ring(c, &seed);
		c->r.wptr = rand_r(&seed) % 100;
		ring_kick(&c->r);
		garbage_registers(c, &seed);
		sleep_ms(1);
	}
	return NULL;
}

TEST_F_TIMEOUT(hostile, ring_and_register_garbage, 180)
{
	withstand(_metadata, self, garbage);
	EXPECT_LT(10, self->acts);
	restart(&self->evil);
	client_delay(&self->evil, 1, 16, 10);
	client_fence(&self->evil);
	EXPECT_EQ(0, client_wait(&self->evil));
}

/* ---- what a client finds where another one was ---- */

#define SECRET 0x5ec2e75ec2e75ec2ULL
#define DUMP_ITEMS 128u
#define DUMP_BYTES 1024u /* of an item: registers, then its part of local memory */
#define DUMP_LOCAL 512u
#define DUMP_GROUP 16u
#define FMV_D_X(fd, rs) rv_r(0x53, 0, 0x79, fd, rs, 0)
#define FSD(fs, imm, rs) rv_s(0x27, 3, rs, fs, imm)

/* Fill all registers and local memory with the secret; then never end */
static size_t secret_code(uint32_t *w)
{
	unsigned int n = 0, i;

	w[n++] = LD(T0, 0, A0);
	w[n++] = CSRRS(T1, 0xcd1, X0);
	w[n++] = SLLI(T1, T1, 9);
	w[n++] = LUI(T2, 0xffff0);
	w[n++] = ADD(T1, T1, T2);
	for (i = 0; i < DUMP_LOCAL; i += 8)
		w[n++] = SD(T0, i, T1);
	for (i = 0; i < 32; i++)
		w[n++] = FMV_D_X(i, T0);
	for (i = 1; i < 32; i++)
		w[n++] = ADDI(i, T0, 0);
	w[n++] = JAL(X0, 0);
	return n * sizeof(*w);
}

/* Store what is in registers and local memory at the start; @temp is not known then */
static size_t dump_code(uint32_t *w, unsigned int temp)
{
	unsigned int n = 0, i;

	w[n++] = CSRRS(temp, 0xcd3, X0);
	w[n++] = SLLI(temp, temp, 10);
	w[n++] = ADD(temp, temp, A0);
	for (i = 1; i < 32; i++)
		w[n++] = SD(i == temp ? X0 : i, i * 8, temp);
	for (i = 0; i < 32; i++)
		w[n++] = FSD(i, 256 + i * 8, temp);
	w[n++] = CSRRS(T1, 0xcd1, X0);
	w[n++] = SLLI(T1, T1, 9);
	w[n++] = LUI(T2, 0xffff0);
	w[n++] = ADD(T1, T1, T2);
	for (i = 0; i < DUMP_LOCAL; i += 8) {
		w[n++] = LD(T2, i, T1);
		w[n++] = SD(T2, DUMP_LOCAL + i, temp);
	}
	w[n++] = EXIT;
	return n * sizeof(*w);
}

static void scrub_dispatch(struct client *c, const void *args, size_t size)
{
	struct tess_pkt_dispatch pkt = {
		.header = DRM_TESSERA_PKT_DISPATCH | DRM_TESSERA_PKT_ACQUIRE_SYSTEM,
		.setup = 1,
		.wg_size = { DUMP_GROUP, 1, 1 },
		.grid_size = { DUMP_ITEMS, 1, 1 },
		.group_segment_size = DUMP_GROUP * DUMP_LOCAL,
		.kernel_object = VA(CODE_FREE_GPA),
	};

	if (args) {
		client_dispatch_packet(c, &pkt, args, size);
	} else {
		pkt.kernarg_address = VA(WORK_GPA);
		ring_put(&c->r, &pkt);
	}
	client_fence(c);
}

/* One dump into WORK_GPA; words of it that are the secret */
static unsigned int dump(struct __test_metadata *_metadata, struct client *c)
{
	uint64_t *out = ram_at(&c->v, WORK_GPA);
	unsigned int i, found = 0;

	memset(out, 0xff, DUMP_ITEMS * DUMP_BYTES);
	scrub_dispatch(c, NULL, 0);
	ASSERT_EQ(0, client_wait(c));
	for (i = 0; i < DUMP_ITEMS * DUMP_BYTES / 8; i++)
		found += out[i] == SECRET;
	return found;
}

TEST_F_TIMEOUT(hostile, nothing_of_others_to_see, 120)
{
	struct client *spy = &self->evil, *owner = &self->good;
	static uint8_t clean[DUMP_ITEMS * DUMP_BYTES];
	uint64_t secret = SECRET, switches;
	unsigned int round;

	secret_code(ram_at(&owner->v, CODE_FREE_GPA));
	switches = client_counter(spy, TESS_COUNTER_SWITCHES);
	for (round = 0; round < 40; round++) {
		dump_code(ram_at(&spy->v, CODE_FREE_GPA), round % 2 ? A1 : A2);
		if (round >= 2) {
			EXPECT_EQ(0, dump(_metadata, spy));
			/* As if nobody else had ever been there */
			if (round % 2)
				EXPECT_EQ(0,
					  memcmp(clean, ram_at(&spy->v, WORK_GPA), sizeof(clean)));
			continue;
		}
		EXPECT_EQ(0, dump(_metadata, spy));
		memcpy(clean, ram_at(&spy->v, WORK_GPA), sizeof(clean));
		if (round == 1)
			scrub_dispatch(owner, &secret, sizeof(secret));
	}
	switches = client_counter(spy, TESS_COUNTER_SWITCHES) - switches;
	printf("# the spy looked %u times, came to the slice %llu times\n", round,
	       (unsigned long long)switches);
	EXPECT_LE(10, switches);
	/* The secret was there to be found: its owner still runs */
	EXPECT_FALSE(client_idle(owner));
	EXPECT_EQ(0, client_reg32(&owner->v, 0, TESS_SREG_FAULT_CAUSE));
}

/* A newcomer's registers are those of a slice after RESET, whoever runs there */
TEST_F_TIMEOUT(hostile, newcomer_finds_reset_registers, 180)
{
	struct client *busy = &self->good;
	char uuid[37];
	struct vgpu v;
	uint32_t reg;

	client_kernel(busy, TESS_K_LOOP, 8, 256);
	client_fence(busy);
	ASSERT_EQ(0, load_settle(&self->load, 0, 20));
	ASSERT_EQ(0, mdev_create("C1S", uuid));
	ASSERT_EQ(0, vgpu_open(&v, uuid));
	for (reg = TESS_SREG_STATUS; reg < 0x100; reg += 4)
		EXPECT_EQ(reg == TESS_SREG_RING_LOG2 ? TESS_RING_LOG2_MIN : 0,
			  client_reg32(&v, 0, reg));
	for (reg = 0; reg < 8 * TESS_COUNTER_COUNT; reg += 8)
		EXPECT_EQ(0, client_reg64(&v, 0, TESS_SREG_COUNTERS + reg));
	vgpu_close(&v);
	EXPECT_EQ(0, mdev_remove(uuid));
}

TEST_HARNESS_MAIN
