// SPDX-License-Identifier: GPL-2.0-or-later
/* Splitting of work in proportion to weights. */
#include <errno.h>
#include <stdlib.h>

#include "split.h"
#include "tap.h"

#define MAX 64

static uint64_t sum(const uint64_t *count, unsigned int n)
{
	uint64_t total = 0;

	while (n--)
		total += count[n];
	return total;
}

static void test_known(void)
{
	static const uint32_t equal[4] = { 1, 1, 1, 1 };
	static const uint32_t mixed[4] = { 4, 0, 2, 1 };
	uint64_t c[4];

	ok(!tess_split(8, equal, 4, c) && c[0] == 2 && c[1] == 2 && c[2] == 2 && c[3] == 2, "even");
	ok(!tess_split(2, equal, 4, c) && c[0] == 1 && c[1] == 1 && !c[2] && !c[3],
	   "fewer units than workers: the first ones");
	ok(!tess_split(7, mixed, 4, c) && c[0] == 4 && !c[1] && c[2] == 2 && c[3] == 1,
	   "in proportion, none for weight 0");
	ok(!tess_split(1, mixed, 4, c) && c[0] == 1, "one unit goes to the strongest");
	ok(!tess_split(0, mixed, 4, c) && !sum(c, 4), "no work");
	ok(tess_split(1, mixed + 1, 1, c) == -EINVAL, "work, but nobody to do it");
	ok(!tess_split(0xffffffffffffull, mixed, 4, c) && sum(c, 4) == 0xffffffffffffull,
	   "large numbers");
}

/* Moving a unit from the most loaded worker to any other one must not be better. */
static bool balanced(const uint32_t *w, const uint64_t *c, unsigned int n)
{
	unsigned int i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < n; j++) {
			if (c[i] && w[j] && (c[j] + 1) * w[i] < c[i] * w[j])
				return false;
		}
	}
	return true;
}

static void test_random(void)
{
	uint32_t w[MAX];
	uint64_t c[MAX], total;
	unsigned int round, i, n, lost = 0, uneven = 0, idle = 0;

	srand(2);
	for (round = 0; round < 5000; round++) {
		n = 1 + (unsigned int)rand() % MAX;
		for (i = 0; i < n; i++)
			w[i] = (uint32_t)rand() % 9;
		w[rand() % (int)n] = 1;
		total = (uint64_t)rand() % 2000;
		if (tess_split(total, w, n, c))
			lost++;
		lost += sum(c, n) != total;
		uneven += !balanced(w, c, n);
		for (i = 0; i < n; i++)
			idle += c[i] && !w[i];
	}
	ok(!lost, "5000 random splits lose nothing");
	ok(!idle, "none gives work to weight 0");
	ok(!uneven, "none could be improved by moving a unit");
}

int main(void)
{
	test_known();
	test_random();
	return done();
}
