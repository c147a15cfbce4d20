/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers that look random and are the same in every run (xorshift64*). */
#ifndef TESS_SELFTESTS_POOL_RANDOM_H
#define TESS_SELFTESTS_POOL_RANDOM_H

#include <linux/types.h>

struct random {
	u64 state;
};

static inline u64 random_next(struct random *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * 0x2545f4914f6cdd1dULL;
}

/* 0 to n - 1 */
static inline unsigned int random_below(struct random *r, unsigned int n)
{
	return (unsigned int)((random_next(r) >> 32) % n);
}

/* a to b */
static inline unsigned int random_from(struct random *r, unsigned int a, unsigned int b)
{
	return a + random_below(r, b - a + 1);
}

#endif
