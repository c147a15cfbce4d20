// SPDX-License-Identifier: MIT
/*
 * SHA-256 (FIPS 180-4), a file per work-item: a hash is sequential, many of them are
 * not. Files come in pieces, the state is kept in memory between dispatches, so that
 * no dispatch takes long, however large the files are.
 */
#include <tessera_device.h>

#include "sha256.h"

static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

/* One instruction each: rorw of Zbb */
static inline uint32_t rotr(uint32_t x, unsigned int n)
{
	return x >> n | x << (32 - n);
}

static void block(uint32_t *state, const uint8_t *data)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
	uint32_t w[16];

	/* The schedule is a ring of 16 words: with all indices known it stays in registers. */
#pragma clang loop unroll(full)
	for (unsigned int i = 0; i < 64; i++) {
		uint32_t t1, t2, word;

		if (i < 16) {
			__builtin_memcpy(&word, data + 4 * i, 4);
			w[i] = __builtin_bswap32(word);
		} else {
			uint32_t x = w[(i - 15) % 16], y = w[(i - 2) % 16];

			w[i % 16] += (rotr(x, 7) ^ rotr(x, 18) ^ x >> 3) + w[(i - 7) % 16] +
				     (rotr(y, 17) ^ rotr(y, 19) ^ y >> 10);
		}
		t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + (g ^ (e & (f ^ g))) + k[i] +
		     w[i % 16];
		t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) | (c & (a | b)));
		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

/* The rest of the last piece, a 1 bit, zeroes, and the length in bits */
static void finish(uint32_t *state, const uint8_t *rest, uint32_t size, uint64_t total)
{
	uint8_t tail[128] = { 0 };
	uint32_t blocks = size < 56 ? 1 : 2;
	uint64_t bits = __builtin_bswap64(total * 8);

	__builtin_memcpy(tail, rest, size);
	tail[size] = 0x80;
	__builtin_memcpy(tail + 64 * blocks - 8, &bits, 8);
	for (uint32_t i = 0; i < blocks; i++)
		block(state, tail + 64 * i);
}

TESS_KERNEL(sha256)
void sha256(const struct sha256_args *args)
{
	uint32_t i = tess_get_global_id(0);
	struct sha256_file *f = &args->files[i];
	const uint8_t *data;
	uint32_t state[8];
	uint64_t at;

	if (i >= args->count)
		return;
	data = args->data + f->data;
	__builtin_memcpy(state, f->state, sizeof(state));
	for (at = 0; at + 64 <= f->size; at += 64)
		block(state, data + at);
	if (f->last)
		finish(state, data + at, f->size - at, f->total);
	__builtin_memcpy(f->state, state, sizeof(state));
}
