// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "sha256_cpu.h"

static uint32_t k[64];
static uint32_t start[8];

/*
 * The constants are the first 32 bits of the fractional parts of the cube (square)
 * roots of the first 64 (8) primes: computed here, a wrong digit of a table in the
 * kernel cannot hide.
 */
static void make_constants(void)
{
	unsigned int n, d, count = 0;

	for (n = 2; count < 64; n++) {
		for (d = 2; d * d <= n && n % d; d++)
			;
		if (d * d <= n)
			continue;
		k[count] = (uint32_t)(uint64_t)((cbrtl(n) - floorl(cbrtl(n))) * 4294967296.0L);
		if (count < 8)
			start[count] =
				(uint32_t)(uint64_t)((sqrtl(n) - floorl(sqrtl(n))) * 4294967296.0L);
		count++;
	}
}

void sha256_cpu_init(struct sha256_cpu *s)
{
	if (!k[0])
		make_constants();
	memcpy(s->h, start, sizeof(s->h));
	s->total = 0;
}

static uint32_t ror(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void compress(uint32_t *h, const uint8_t *p)
{
	uint32_t w[64], v[8], s0, s1, ch, maj;
	int t, j;

	for (t = 0; t < 16; t++)
		w[t] = (uint32_t)p[4 * t] << 24 | (uint32_t)p[4 * t + 1] << 16 |
		       (uint32_t)p[4 * t + 2] << 8 | p[4 * t + 3];
	for (; t < 64; t++) {
		s0 = ror(w[t - 15], 7) ^ ror(w[t - 15], 18) ^ w[t - 15] >> 3;
		s1 = ror(w[t - 2], 17) ^ ror(w[t - 2], 19) ^ w[t - 2] >> 10;
		w[t] = w[t - 16] + s0 + w[t - 7] + s1;
	}
	memcpy(v, h, sizeof(v));
	for (t = 0; t < 64; t++) {
		s1 = ror(v[4], 6) ^ ror(v[4], 11) ^ ror(v[4], 25);
		ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
		s1 = v[7] + s1 + ch + k[t] + w[t];
		s0 = ror(v[0], 2) ^ ror(v[0], 13) ^ ror(v[0], 22);
		maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
		for (j = 7; j > 0; j--)
			v[j] = v[j - 1];
		v[4] += s1;
		v[0] = s1 + s0 + maj;
	}
	for (j = 0; j < 8; j++)
		h[j] += v[j];
}

void sha256_cpu_update(struct sha256_cpu *s, const uint8_t *data, size_t size)
{
	size_t used = s->total % 64, n;

	s->total += size;
	while (size) {
		if (!used && size >= 64) {
			n = 64;
			compress(s->h, data);
		} else {
			n = 64 - used < size ? 64 - used : size;
			memcpy(s->block + used, data, n);
			used = (used + n) % 64;
			if (!used)
				compress(s->h, s->block);
		}
		data += n;
		size -= n;
	}
}

void sha256_cpu_final(struct sha256_cpu *s, uint32_t digest[8])
{
	uint64_t bits = s->total * 8;
	uint8_t byte = 0x80;
	int i;

	sha256_cpu_update(s, &byte, 1);
	byte = 0;
	while (s->total % 64 != 56)
		sha256_cpu_update(s, &byte, 1);
	for (i = 56; i >= 0; i -= 8) {
		byte = (uint8_t)(bits >> i);
		sha256_cpu_update(s, &byte, 1);
	}
	memcpy(digest, s->h, sizeof(s->h));
}
