// SPDX-License-Identifier: MIT
/**
 * DOC: GPU addresses
 *
 * An address space has tens of buffers, not thousands: a sorted list, searched from
 * its start, is enough, and the lowest fit keeps page tables few. A free page
 * between buffers turns an overrun into a fault that names the buffer.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "va.h"

#define GUARD 4096ull

struct tess_va_block {
	uint64_t start;
	uint64_t size;
	struct tess_va_block *next;
};

void tess_va_init(struct tess_va *va, uint64_t start, uint64_t end)
{
	va->start = start;
	va->end = end;
	va->first = NULL;
}

void tess_va_fini(struct tess_va *va)
{
	struct tess_va_block *b;

	while ((b = va->first)) {
		va->first = b->next;
		free(b);
	}
}

/* Where a block of @size could begin in [from, to), which need not be a hole of a size. */
static bool fit(uint64_t from, uint64_t to, uint64_t size, uint64_t align, uint64_t *addr)
{
	uint64_t start = (from + align - 1) & ~(align - 1);

	if (start < from || start >= to || to - start < size)
		return false;
	*addr = start;
	return true;
}

int tess_va_alloc(struct tess_va *va, uint64_t size, uint64_t align, uint64_t *addr)
{
	return tess_va_alloc_from(va, va->start, size, align, addr);
}

int tess_va_alloc_from(struct tess_va *va, uint64_t from, uint64_t size, uint64_t align,
		       uint64_t *addr)
{
	struct tess_va_block **link, *b;

	if (!size || (size & (GUARD - 1)) || !align || (align & (align - 1)))
		return -EINVAL;
	if (size > va->end - va->start)
		return -ENOSPC;
	for (link = &va->first; *link; link = &(*link)->next) {
		uint64_t to = (*link)->start - GUARD, next = (*link)->start + (*link)->size + GUARD;

		if ((*link)->start > from + GUARD && fit(from, to, size, align, addr))
			break;
		from = next > from ? next : from;
	}
	if (!*link && !fit(from, va->end, size, align, addr))
		return -ENOSPC;
	b = malloc(sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->start = *addr;
	b->size = size;
	b->next = *link;
	*link = b;
	return 0;
}

void tess_va_free(struct tess_va *va, uint64_t addr)
{
	struct tess_va_block **link, *b;

	for (link = &va->first; (b = *link); link = &b->next) {
		if (b->start == addr) {
			*link = b->next;
			free(b);
			return;
		}
	}
}
