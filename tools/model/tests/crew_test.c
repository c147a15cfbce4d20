// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that share steps: every item does the same steps, each once and in order, whoever does
 * them. What the steps count is plain memory, so that TSan sees a step that began too early.
 */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "crew.h"
#include "tap.h"

#define NO_LIMIT (1U << 30) /* of steps */

/**
 * struct bench - what the steps do
 * @done: by item
 * @wrong: by item: steps out of order
 * @sum: by item: depends on the order of its steps
 * @uneven: item 0 takes much longer than the others
 * @meet_at: step of item 1 after which the items shall meet, or -1
 * @enough_at: steps after which it is enough, or 0
 * @asked: how often that was asked
 */
struct bench {
	unsigned int done[CREW_ITEMS_MAX];
	unsigned int wrong[CREW_ITEMS_MAX];
	uint64_t sum[CREW_ITEMS_MAX];
	bool uneven;
	int meet_at;
	unsigned int enough_at;
	unsigned int asked;
};

static uint64_t mix(uint64_t sum, unsigned int nr)
{
	return (sum ^ nr) * 0x9e3779b97f4a7c15ULL + 1;
}

static bool step(void *opaque, unsigned int item, unsigned int nr)
{
	unsigned int work;
	struct bench *b = opaque;

	work = b->uneven && !item ? 3000 : 10;
	b->wrong[item] += nr != b->done[item];
	b->done[item] = nr + 1;
	for (unsigned int i = 0; i < work; i++)
		b->sum[item] = mix(b->sum[item], nr);
	return item == 1 && (int)nr == b->meet_at;
}

static bool enough(void *opaque, unsigned int steps)
{
	struct bench *b = opaque;

	b->asked++;
	return b->enough_at && steps >= b->enough_at;
}

static const struct crew_ops ops = { .step = step, .enough = enough };

static uint64_t sum_of(const struct bench *b, unsigned int item, unsigned int steps)
{
	unsigned int work = b->uneven && !item ? 3000 : 10;
	uint64_t sum = 0;

	for (unsigned int nr = 0; nr < steps; nr++)
		for (unsigned int i = 0; i < work; i++)
			sum = mix(sum, nr);
	return sum;
}

/* Did all items do @steps steps, and none of those that are not there any? */
static bool did(const struct bench *b, unsigned int items, unsigned int steps)
{
	for (unsigned int i = 0; i < CREW_ITEMS_MAX; i++) {
		unsigned int expected = i < items ? steps : 0;

		if (b->done[i] != expected || b->wrong[i] || b->sum[i] != sum_of(b, i, expected))
			return false;
	}
	return true;
}

static void test_all_steps(struct crew *c, unsigned int threads)
{
	static const unsigned int items[] = { 1, 2, 3, 5, 17, CREW_ITEMS_MAX };
	static const unsigned int limits[] = { 1, 2, 7, 128 };
	bool good = true;

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		for (size_t l = 0; l < sizeof(limits) / sizeof(limits[0]); l++) {
			struct bench b = { .meet_at = -1, .uneven = i & 1 };
			unsigned int n = crew_run(c, items[i], limits[l], &ops, &b);

			good &= n == limits[l] && did(&b, items[i], n);
		}
	}
	ok(good, "%u threads: all steps of all items, once, in order", threads);
}

/* Whoever is further than the one that asks is caught up with. */
static void test_meet(struct crew *c, unsigned int threads)
{
	bool good = true, early = false;

	for (int at = 0; at < 200; at++) {
		struct bench b = { .meet_at = at, .uneven = at & 1 };
		unsigned int items = 2 + (unsigned int)at % 7;
		unsigned int n = crew_run(c, items, 400, &ops, &b);

		good &= n > (unsigned int)at && n <= 400 && did(&b, items, n);
		early |= n < 400;
	}
	ok(good, "%u threads: items meet when one asks, and not before it", threads);
	ok(early, "%u threads: and before the limit", threads);
}

static void test_enough(struct crew *c, unsigned int threads)
{
	bool good = true;

	for (unsigned int at = 1; at < 60; at++) {
		struct bench b = { .meet_at = -1, .enough_at = at };
		unsigned int n = crew_run(c, 3, NO_LIMIT, &ops, &b);

		good &= n >= at && n < NO_LIMIT && b.asked && did(&b, 3, n);
	}
	ok(good, "%u threads: items meet when their owner says that it is enough", threads);
}

/* Threads sleep when nothing comes, and come back. */
static void test_pauses(struct crew *c, unsigned int threads)
{
	bool good = true;

	for (unsigned int i = 0; i < 300; i++) {
		struct bench b = { .meet_at = -1 };

		if (i % 3 == 0)
			usleep(i % 2 ? 1000 : 20);
		good &= crew_run(c, 4, 9, &ops, &b) == 9 && did(&b, 4, 9);
	}
	ok(good, "%u threads: runs with pauses between them", threads);
}

static void test_lives(void)
{
	bool good = true;

	crew_free(NULL);
	for (unsigned int i = 0; i < 100; i++) {
		struct crew *c = crew_new(2 + i % 6);
		struct bench b = { .meet_at = -1 };

		if (i % 2 && c)
			good &= crew_run(c, 2, 3, &ops, &b) == 3 && did(&b, 2, 3);
		good &= !!c;
		crew_free(c);
	}
	ok(good, "crews come and go, used or not");
}

int main(void)
{
	static const unsigned int threads[] = { 2, 3, 8 };

	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		struct crew *c = crew_new(threads[i]);

		if (!ok(c, "%u threads", threads[i]))
			return 1;
		test_all_steps(c, threads[i]);
		test_meet(c, threads[i]);
		test_enough(c, threads[i]);
		test_pauses(c, threads[i]);
		crew_free(c);
	}
	test_lives();
	return done();
}
