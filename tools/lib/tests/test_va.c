// SPDX-License-Identifier: GPL-2.0-or-later
/* The address allocator: fits, alignment, guards, reuse, limits; then at random. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "va.h"

#define START 0x100000ull
#define END 0x1000000ull
#define PAGE 4096ull
#define BLOCKS 64

static void test_simple(void)
{
	struct tess_va va;
	uint64_t a, b, c;

	tess_va_init(&va, START, END);
	ok(!tess_va_alloc(&va, PAGE, PAGE, &a) && a == START, "the first block is at the start");
	ok(!tess_va_alloc(&va, 2 * PAGE, PAGE, &b) && b == a + 2 * PAGE, "a guard page follows");
	ok(!tess_va_alloc(&va, 0x200000, 0x200000, &c) && c == 0x200000, "alignment is kept");
	tess_va_free(&va, b);
	ok(!tess_va_alloc(&va, PAGE, PAGE, &b) && b == a + 2 * PAGE, "a hole is used again");
	tess_va_free(&va, a);
	ok(!tess_va_alloc(&va, PAGE, PAGE, &a) && a == START, "so is the first block");
	tess_va_free(&va, 12345);
	ok(tess_va_alloc(&va, END, PAGE, &c) == -ENOSPC, "larger than everything");
	ok(tess_va_alloc(&va, END - START - PAGE, PAGE, &c) == -ENOSPC, "larger than the rest");
	ok(tess_va_alloc(&va, 0, PAGE, &c) == -EINVAL, "size 0");
	ok(tess_va_alloc(&va, 100, PAGE, &c) == -EINVAL, "not whole pages");
	ok(tess_va_alloc(&va, PAGE, 3 * PAGE, &c) == -EINVAL, "alignment not a power of two");
	tess_va_fini(&va);
}

static void test_exact(void)
{
	struct tess_va va;
	uint64_t a, b;

	tess_va_init(&va, START, START + 3 * PAGE);
	ok(!tess_va_alloc(&va, 3 * PAGE, PAGE, &a), "everything at once");
	ok(tess_va_alloc(&va, PAGE, PAGE, &b) == -ENOSPC, "then nothing is left");
	tess_va_free(&va, a);
	ok(!tess_va_alloc(&va, PAGE, PAGE, &a) && !tess_va_alloc(&va, PAGE, PAGE, &b) &&
		   b == a + 2 * PAGE,
	   "two pages and a guard fill three pages");
	tess_va_fini(&va);
}

struct block {
	uint64_t addr;
	uint64_t size;
};

static bool clash(const struct block *x, const struct block *y)
{
	return x->addr < y->addr + y->size + PAGE && y->addr < x->addr + x->size + PAGE;
}

static void test_random(void)
{
	struct block blocks[BLOCKS] = { 0 };
	struct tess_va va;
	unsigned int round, i, bad = 0, full = 0;

	srand(1);
	tess_va_init(&va, START, END);
	for (round = 0; round < 20000; round++) {
		struct block *b = &blocks[rand() % BLOCKS];
		uint64_t align = PAGE << rand() % 6;

		if (b->size) {
			tess_va_free(&va, b->addr);
			b->size = 0;
			continue;
		}
		b->size = PAGE * (1 + (uint64_t)rand() % 200);
		if (tess_va_alloc(&va, b->size, align, &b->addr)) {
			b->size = 0;
			full++;
			continue;
		}
		bad += b->addr % align || b->addr < START || b->addr + b->size > END;
		for (i = 0; i < BLOCKS; i++)
			bad += &blocks[i] != b && blocks[i].size && clash(&blocks[i], b);
	}
	ok(!bad, "20000 random steps: no overlap, all aligned, all inside (%u times full)", full);
	for (i = 0; i < BLOCKS; i++)
		tess_va_free(&va, blocks[i].addr);
	ok(!tess_va_alloc(&va, END - START, PAGE, &blocks[0].addr), "all was given back");
	tess_va_fini(&va);
}

int main(void)
{
	test_simple();
	test_exact();
	test_random();
	return done();
}
