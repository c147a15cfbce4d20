/* SPDX-License-Identifier: MIT */
/* SHA-256 on the CPU, written independently of the kernel, to compare with it. */
#ifndef SHA256_CPU_H
#define SHA256_CPU_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct sha256_cpu - a hash in work
 * @h: state
 * @block: bytes that do not fill a block yet
 * @total: bytes so far
 */
struct sha256_cpu {
	uint32_t h[8];
	uint8_t block[64];
	uint64_t total;
};

void sha256_cpu_init(struct sha256_cpu *s);
void sha256_cpu_update(struct sha256_cpu *s, const uint8_t *data, size_t size);
void sha256_cpu_final(struct sha256_cpu *s, uint32_t digest[8]);

#endif
