// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long a vGPU stands still while it goes to another GPU, with all of its memory. A kernel on
 * each vslice looks at the clock all the time, and a thread looks at their last looks each 100
 * us: wall time, as the two GPUs have clocks of their own. The memory is full, as zeros are not
 * copied, and is not written to during a move. Needs a host with two GPUs.
 *
 * TESS_TRANSFERS says how many moves are measured.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "harness.h"
#include "tenant.h"

#define LOOK_US 100
#define QUANTUM_US 2000.0
#define VSLICES 2u
#define SMALL (2ULL << 20)
#define LARGE (8ULL << 20)
#define ALL (32ULL << 20)
#define MOVE_ROUNDS "/sys/module/tessera_mdev/parameters/move_rounds"
#define MAX_SAMPLES 1000

FIXTURE(across)
{
	struct tenant g;
	bool open;
	pthread_t thread;
	_Atomic bool stop;
	_Atomic double us; /* longest time without a look since it was set to 0 */
	_Atomic unsigned int looks;
	double samples[MAX_SAMPLES];
};

/* Only what is seen to stand still counts: who is late here takes the time for shorter */
static void *look(void *arg)
{
	struct timespec pause = { .tv_nsec = LOOK_US * 1000 };
	uint64_t beat[VSLICES] = { 0 };
	struct __fixture_across *self = arg;
	double at[VSLICES] = { 0 };
	unsigned int i;

	while (!atomic_load(&self->stop)) {
		double now = now_us();

		for (i = 0; i < VSLICES; i++) {
			uint64_t seen = tenant_watch(&self->g, i)->beat;

			if (!at[i] || seen != beat[i])
				at[i] = now;
			else if (now - at[i] > atomic_load(&self->us))
				atomic_store(&self->us, now - at[i]);
			beat[i] = seen;
		}
		atomic_fetch_add(&self->looks, 1);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

FIXTURE_SETUP(across)
{
	fresh_start();
	if (access("/sys/class/tessera/gpu1", F_OK))
		SKIP(return, "needs two GPUs");
}

FIXTURE_TEARDOWN(across)
{
	file_write(MOVE_ROUNDS, "4");
	atomic_store(&self->stop, true);
	if (self->thread)
		pthread_join(self->thread, NULL);
	if (self->open)
		tenant_close(&self->g);
}

static void begin(struct __test_metadata *_metadata, struct __fixture_across *self, uint64_t memory)
{
	struct shape shape = {
		.slices = VSLICES,
		.max = VSLICES,
		.memory = memory,
		.kind = TESS_KIND_COMPUTE,
	};
	unsigned int i;

	ASSERT_EQ(0, tenant_open(&self->g, &shape));
	self->open = true;
	pattern_fill(self->g.vram, VSLICES * memory, memory);
	for (i = 0; i < VSLICES; i++) {
		uint64_t args[2] = { VA(MARK_GPA(i)), 0 };

		client_dispatch(&self->g.c[i], CODE_GPA + TESS_K_WATCH * TESS_K_BYTES, 1, 1, args,
				sizeof(args));
		client_fence(&self->g.c[i]);
	}
	atomic_store(&self->stop, false);
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, look, self));
}

static void end(struct __test_metadata *_metadata, struct __fixture_across *self, uint64_t memory)
{
	unsigned int i;

	atomic_store(&self->stop, true);
	ASSERT_EQ(0, pthread_join(self->thread, NULL));
	self->thread = 0;
	for (i = 0; i < VSLICES; i++) {
		tenant_watch(&self->g, i)->stop = 1;
		ASSERT_EQ(0, client_wait(&self->g.c[i]));
	}
	EXPECT_EQ(-1, pattern_check(self->g.vram, VSLICES * memory, memory));
	tenant_close(&self->g);
	self->open = false;
}

/* All have looked, and were seen, since it was called */
static void all_look(struct __test_metadata *_metadata, struct __fixture_across *self)
{
	unsigned int looks = atomic_load(&self->looks), i;
	long end = now_ms() + CLIENT_WAIT_MS;

	for (i = 0; i < VSLICES; i++) {
		uint64_t beat = tenant_watch(&self->g, i)->beat;

		while (tenant_watch(&self->g, i)->beat == beat) {
			ASSERT_LT(now_ms(), end);
			sleep_ms(1);
		}
	}
	while (atomic_load(&self->looks) - looks < 3)
		sleep_ms(1);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* To the one of the two that it is not on */
static int move(const char *uuid)
{
	return mdev_attr_write(uuid, "gpu", strcmp(mdev_attr(uuid, "gpu"), "gpu0") ? "0" : "1");
}

/* Sorted samples */
static void measure(struct __test_metadata *_metadata, struct __fixture_across *self,
		    uint64_t memory, unsigned int want)
{
	unsigned int n;

	begin(_metadata, self, memory);
	for (n = 0; n < want; n++) {
		all_look(_metadata, self);
		atomic_store(&self->us, 0);
		ASSERT_EQ(0, move(self->g.c[0].v.uuid));
		all_look(_metadata, self);
		self->samples[n] = atomic_load(&self->us);
	}
	end(_metadata, self, memory);
	qsort(self->samples, want, sizeof(*self->samples), compare);
}

TEST_F_TIMEOUT(across, of_moves, 400)
{
	unsigned int want = setting("TESS_TRANSFERS", 10);
	double p50;

	ASSERT_LE(want, MAX_SAMPLES);
	measure(_metadata, self, SMALL, want);
	p50 = self->samples[want / 2];
	figure("transfers", 2 * want);
	figure("transfer_us_p50", p50);
	figure("transfer_us_max", self->samples[want - 1]);
	figure("transfer_quanta_p50", p50 / QUANTUM_US);
	measure(_metadata, self, LARGE, want);
	figure("transfer_us_per_mib",
	       (self->samples[want / 2] - p50) * (1 << 20) / (VSLICES * (LARGE - SMALL)));
	EXPECT_LT(0, p50);
}

/* All of the memory while it stands still, and before that: the standstill is another one */
TEST_F_TIMEOUT(across, ahead_of_moves, 400)
{
	unsigned int want = setting("TESS_TRANSFERS", 10) / 4 + 1;
	double before;

	ASSERT_LE(want, MAX_SAMPLES);
	ASSERT_EQ(0, file_write(MOVE_ROUNDS, "0"));
	measure(_metadata, self, ALL, want);
	before = self->samples[want / 2];
	ASSERT_EQ(0, file_write(MOVE_ROUNDS, "4"));
	measure(_metadata, self, ALL, want);
	figure("move_blackout_before_us", before);
	figure("move_blackout_over_before", self->samples[want / 2] / before);
}

TEST_HARNESS_MAIN
