// SPDX-License-Identifier: MIT
/*
 * Arithmetic that compilers call for integers of 128 bits, which printf needs for doubles. No
 * kernel's speed depends on it.
 */
#include <stdint.h>

typedef unsigned __int128 u128;

u128 __udivmodti4(u128 a, u128 b, u128 *rest);
u128 __udivti3(u128 a, u128 b);
u128 __umodti3(u128 a, u128 b);
u128 __fixunsdfti(double x);
double __floatuntidf(u128 a);

static unsigned int bits(u128 a)
{
	uint64_t high = (uint64_t)(a >> 64), low = (uint64_t)a;

	if (high)
		return 128 - (unsigned int)__builtin_clzll(high);
	return low ? 64 - (unsigned int)__builtin_clzll(low) : 0;
}

u128 __udivmodti4(u128 a, u128 b, u128 *rest)
{
	unsigned int shift;
	u128 quotient = 0;

	if (b && a >= b) {
		shift = bits(a) - bits(b);
		for (b <<= shift;; b >>= 1) {
			quotient <<= 1;
			if (a >= b) {
				a -= b;
				quotient |= 1;
			}
			if (!shift--)
				break;
		}
	}
	if (rest)
		*rest = a;
	return quotient;
}

u128 __udivti3(u128 a, u128 b)
{
	return __udivmodti4(a, b, 0);
}

u128 __umodti3(u128 a, u128 b)
{
	u128 rest;

	__udivmodti4(a, b, &rest);
	return rest;
}

/* Of no more than 2^128; what is negative or no number becomes 0. */
u128 __fixunsdfti(double x)
{
	double high;

	if (!(x >= 1))
		return 0;
	high = x / 0x1p64;
	if (high >= 0x1p64)
		return ~(u128)0;
	return (u128)(uint64_t)high << 64 | (uint64_t)(x - (double)(uint64_t)high * 0x1p64);
}

double __floatuntidf(u128 a)
{
	unsigned int n = bits(a), drop = n > 64 ? n - 64 : 0;
	uint64_t top = (uint64_t)(a >> drop);

	/* The conversion rounds to nearest; a bit that was dropped must break ties. */
	if (drop && a & (((u128)1 << drop) - 1))
		top |= 1;
	return (double)top * (double)(1ull << drop % 64) * (drop / 64 ? 0x1p64 : 1);
}
