// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers that look random, and such that fields may want */
#include "fuzz.h"

uint64_t fuzz_random(uint64_t *state)
{
	/* xorshift64* */
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

uint32_t fuzz_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)(fuzz_random(state) >> 33) % n;
}

uint64_t fuzz_value(uint64_t *state, const uint64_t *near, unsigned int nr_near)
{
	switch (fuzz_below(state, 8)) {
	case 0:
		return fuzz_below(state, 16);
	case 1:
		return 1ULL << fuzz_below(state, 64);
	case 2:
		return ~0ULL - fuzz_below(state, 16);
	case 3:
		return fuzz_random(state);
	default:
		if (!nr_near)
			return fuzz_below(state, 65536);
		return near[fuzz_below(state, nr_near)] + fuzz_below(state, 3) * 64 - 64 +
		       (fuzz_below(state, 4) ? 0 : fuzz_below(state, 8192));
	}
}
