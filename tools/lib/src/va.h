/* SPDX-License-Identifier: MIT */
#ifndef TESS_LIB_VA_H
#define TESS_LIB_VA_H

#include <stdint.h>

struct tess_va_block;

/**
 * struct tess_va - allocator of GPU addresses
 * @start: first usable address
 * @end: after the last one
 * @first: allocated blocks in ascending order
 */
struct tess_va {
	uint64_t start;
	uint64_t end;
	struct tess_va_block *first;
};

void tess_va_init(struct tess_va *va, uint64_t start, uint64_t end);
void tess_va_fini(struct tess_va *va);

/*
 * Allocate @size bytes (a multiple of the page size) at a multiple of @align, a
 * power of two. At least one page stays free between any two blocks. Returns 0,
 * -EINVAL, -ENOSPC or -ENOMEM.
 */
int tess_va_alloc(struct tess_va *va, uint64_t size, uint64_t align, uint64_t *addr);

/* The same, at @from or above. */
int tess_va_alloc_from(struct tess_va *va, uint64_t from, uint64_t size, uint64_t align,
		       uint64_t *addr);

/* @addr is one that tess_va_alloc() returned; anything else is ignored. */
void tess_va_free(struct tess_va *va, uint64_t addr);

#endif
