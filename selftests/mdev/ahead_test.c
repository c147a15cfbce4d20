// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A vGPU that goes to another GPU takes its VRAM along while its guest works: what is left to be
 * copied when it stands still is what was written to last, by whomever. Needs a host with two GPUs.
 */
#include <pthread.h>
#include <string.h>

#include "gpus.h"
#include "harness.h"

#define ROUNDS "/sys/module/tessera_mdev/parameters/move_rounds"
#define MEGA (1ULL << 20)
#define BLOCK (2 * MEGA)
#define VRAM_SIZE (16 * MEGA)
#define VSLICES 2
#define MOVES 6

FIXTURE(ahead)
{
	struct pair p;
	uint8_t *vram;
};

FIXTURE_SETUP(ahead)
{
	int ret = pair_begin(&self->p);

	if (ret == -ENODEV)
		SKIP(return, "needs two GPUs");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, mdev_create("blank", self->p.uuid));
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "blueprint", "slices=2 kind=compute memory=8M"));
	ASSERT_EQ(0, pair_open(&self->p));
	self->vram = vgpu_mmap(&self->p.v, TESS_BAR_VRAM, 0, VRAM_SIZE);
	ASSERT_NE(MAP_FAILED, (void *)self->vram);
	pattern_fill(self->vram, VRAM_SIZE, 3);
}

FIXTURE_TEARDOWN(ahead)
{
	hold("none");
	EXPECT_EQ(0, file_write(ROUNDS, "4"));
	EXPECT_TRUE(pair_end(&self->p));
}

/* To the other one: blocks that were copied while it stood still */
static long long move(struct __fixture_ahead *self)
{
	const char *uuid = self->p.uuid;
	const char *to = strcmp(mdev_attr(uuid, "gpu"), "gpu0") ? "gpu0" : "gpu1";
	long long before = mdev_stat(uuid, "still_bytes");

	if (mdev_attr_write(uuid, "gpu", to))
		return -1;
	return (mdev_stat(uuid, "still_bytes") - before) / (long long)BLOCK;
}

TEST_F_TIMEOUT(ahead, nothing_is_left, 60)
{
	EXPECT_EQ(0, move(self));
	EXPECT_EQ(-1, pattern_check(self->vram, VRAM_SIZE, 3));
	/* It is known of the other GPU's memory, too, who wrote to it */
	EXPECT_EQ(0, move(self));
	EXPECT_EQ(-1, pattern_check(self->vram, VRAM_SIZE, 3));
}

TEST_F_TIMEOUT(ahead, not_at_all, 60)
{
	ASSERT_EQ(0, file_write(ROUNDS, "0"));
	EXPECT_EQ(VRAM_SIZE / BLOCK, move(self));
	EXPECT_EQ(-1, pattern_check(self->vram, VRAM_SIZE, 3));
}

static void *move_in_thread(void *arg)
{
	return (void *)(long)move(arg);
}

/* By a CPU, when slices stand still already */
TEST_F_TIMEOUT(ahead, written_last, 60)
{
	pthread_t thread;
	void *blocks;
	int ret;

	ret = hold("move");
	if (ret == -ENOENT)
		SKIP(return, "modules that are not built for tests");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, pthread_create(&thread, NULL, move_in_thread, self));
	ASSERT_TRUE(hold_taken());
	pattern_fill(self->vram + BLOCK, PAGE, 4);
	/* And what is zero again, where the other GPU has a pattern by now */
	memset(self->vram + 3 * BLOCK, 0, PAGE);
	ASSERT_EQ(0, hold("none"));
	ASSERT_EQ(0, pthread_join(thread, &blocks));
	EXPECT_EQ(2, (long)blocks);
	EXPECT_EQ(-1, pattern_check(self->vram + BLOCK, PAGE, 4));
	EXPECT_EQ(-1, zero_check(self->vram + 3 * BLOCK, PAGE));
	EXPECT_EQ(-1, pattern_check(self->vram, BLOCK, 3));
}

/* Slices write all the time; at the end each block has what was written to it last */
TEST_F_TIMEOUT(ahead, at_work, 120)
{
	struct ring r[VSLICES];
	unsigned int i, n, block, wrong = 0;
	long long left = 0;

	for (i = 0; i < VSLICES; i++)
		ring_start(&r[i], &self->p.v, i);
	for (n = 0; n < MOVES; n++) {
		for (i = 0; i < VSLICES; i++) {
			for (block = i; block < VRAM_SIZE / BLOCK; block += VSLICES)
				ring_fill(&r[i], VRAM(block * BLOCK), BLOCK, 100 * n + block);
			ring_fence(&r[i], true);
		}
		left += move(self);
		for (i = 0; i < VSLICES; i++)
			ASSERT_EQ(0, ring_wait(&r[i]));
		for (block = 0; block < VRAM_SIZE / BLOCK; block++) {
			const uint32_t *words = (void *)(self->vram + block * BLOCK);

			for (i = 0; i < BLOCK / 4; i += 61)
				wrong += words[i] != 100 * n + block;
		}
	}
	EXPECT_EQ(0, wrong);
	TH_LOG("%lld of %llu blocks were copied when it stood still", left,
	       MOVES * VRAM_SIZE / BLOCK);
	EXPECT_EQ(0, mdev_stat(self->p.uuid, "client_faults"));
}

/* The register RESET zeroes what slices wrote, though a move that failed had asked for it before */
TEST_F_TIMEOUT(ahead, reset_afterwards, 120)
{
	unsigned int step, failed = 0;
	char text[16];
	struct ring r;

	if (compose_fail("0"))
		SKIP(return, "modules that are not built for tests");
	for (step = 1; failed == step - 1; step++) {
		ring_start(&r, &self->p.v, 1);
		ring_fill(&r, VRAM(5 * BLOCK), PAGE, 9);
		ASSERT_EQ(0, ring_finish(&r));
		snprintf(text, sizeof(text), "%u", step);
		ASSERT_EQ(0, compose_fail(text));
		failed += move(self) < 0;
		ASSERT_EQ(0, compose_fail("0"));
		reg32_write(&self->p.v, TESS_REG_RESET, TESS_RESET_KEY);
		ASSERT_EQ(-1, zero_check(self->vram, VRAM_SIZE));
	}
	TH_LOG("%u steps failed", failed);
	EXPECT_LT(5, failed);
}

TEST_HARNESS_MAIN
