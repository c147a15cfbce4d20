// SPDX-License-Identifier: GPL-2.0-or-later
/* SHA-256 of one message per work-item; lengths are multiples of 64 bytes. */
#include "kernel.h"

struct args {
	const u8 *messages;
	u32 *digests;
	u64 length;
};

static const u32 round_constant[64] = {
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

static inline u32 ror(u32 v, unsigned int n)
{
	return v >> n | v << (32 - n);
}

static inline u32 big_endian(const u8 *p)
{
	return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];
}

static void block(u32 *state, const u8 *data)
{
	u32 w[64], s[8];

	for (int t = 0; t < 16; t++)
		w[t] = big_endian(data + 4 * t);
	for (int t = 16; t < 64; t++) {
		u32 a = w[t - 15], b = w[t - 2];

		w[t] = w[t - 16] + w[t - 7] + (ror(a, 7) ^ ror(a, 18) ^ a >> 3) +
		       (ror(b, 17) ^ ror(b, 19) ^ b >> 10);
	}
	for (int k = 0; k < 8; k++)
		s[k] = state[k];
	for (int t = 0; t < 64; t++) {
		u32 e = s[4], a = s[0];
		u32 t1 = s[7] + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + ((e & s[5]) ^ (~e & s[6])) +
			 round_constant[t] + w[t];
		u32 t2 = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) +
			 ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

		s[7] = s[6];
		s[6] = s[5];
		s[5] = e;
		s[4] = s[3] + t1;
		s[3] = s[2];
		s[2] = s[1];
		s[1] = a;
		s[0] = t1 + t2;
	}
	for (int k = 0; k < 8; k++)
		state[k] += s[k];
}

KERNEL void sha256(const struct args *args)
{
	u64 id = global_id_x(), length = args->length;
	const u8 *data = args->messages + id * length;
	u32 state[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};
	u8 last[64];

	for (u64 pos = 0; pos < length; pos += 64)
		block(state, data + pos);
	for (int k = 0; k < 56; k++)
		last[k] = k ? 0 : 0x80;
	for (int k = 0; k < 8; k++)
		last[56 + k] = (u8)(length * 8 >> (56 - 8 * k));
	block(state, last);
	for (int k = 0; k < 8; k++)
		args->digests[id * 8 + (u64)k] = state[k];
}
