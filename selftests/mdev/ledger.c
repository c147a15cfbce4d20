// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keeps books in a guest whose machine goes somewhere else meanwhile: what each dispatch added,
 * and what the GPU wrote to each page of guest memory and of VRAM, since the beginning.
 *
 *	ledger STOP
 *
 * Works on all slices that are there at first until the file STOP is there. Prints "rounds N" as
 * it goes on, and at the end "ledger" and what it did, as JSON; exit status 0: all was right.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tess_ctx.h"

#define BOOKS 4
#define PAGES 100
/* Where pages begin, of all that the GPU writes: in guest memory, back there from VRAM, in VRAM */
#define FIRST (TESS_DATA_VA + TESS_PAGE)
#define BACK (FIRST + PAGES * TESS_PAGE)
#define VRAM_VA (TESS_DATA_VA + TESS_2M)
#define VRAM_BYTES ((PAGES + 1) * TESS_PAGE)
#define GROUPS 2
#define ITEMS 8
/* About as long as all the rest of a round */
#define DELAY 20000
#define LOOK_BACK 8

/**
 * struct book - of one slice
 * @ctx: queue and memory
 * @vram: of PAGES pages, and one with a sum
 * @rounds: that were done
 */
struct book {
	struct tess_ctx ctx;
	uint8_t *vram;
	uint64_t rounds;
};

static void open_book(struct book *b, int fd, uint32_t slice)
{
	uint32_t handle = tess_bo_create(fd, VRAM_BYTES, DRM_TESSERA_BO_VRAM);

	tess_ctx_open_on(&b->ctx, fd, slice);
	tess_vm_map(fd, b->ctx.vm, handle, 0, VRAM_VA, VRAM_BYTES);
	b->vram = tess_bo_mmap(fd, handle, VRAM_BYTES);
	b->rounds = 0;
	tess_begin(&b->ctx);
	tess_fill(&b->ctx, VRAM_VA + PAGES * TESS_PAGE, TESS_PAGE, 0);
	if (tess_ctx_run(&b->ctx))
		tess_die("cannot begin");
}

/* What page @n has after @rounds rounds: the number of the last one that wrote to it */
static uint32_t entry(uint64_t rounds, unsigned int n)
{
	return n < rounds ? rounds - (rounds - 1 - n) % PAGES : 0;
}

/* Its slice is not there any more, but what was sent to it is done */
static void change_slice(struct tess_ctx *ctx)
{
	int slice;

	__tess_queue_destroy(ctx->fd, ctx->queue);
	do {
		slice = tess_find_slice(ctx->fd, 0);
	} while (slice < 0 || __tess_queue_create(ctx->fd, ctx->vm, slice,
						  DRM_TESSERA_PRIORITY_NORMAL, &ctx->queue));
	ctx->slice = slice;
}

static void submit(struct tess_ctx *ctx)
{
	int ret;

	while ((ret = __tess_ctx_submit(ctx)) == -ENXIO)
		change_slice(ctx);
	if (ret)
		tess_die("submit: %d", ret);
}

static void begin_round(struct book *b)
{
	struct tess_ctx *ctx = &b->ctx;
	uint64_t page = b->rounds % PAGES * TESS_PAGE, old = (b->rounds + 1) % PAGES * TESS_PAGE;

	tess_begin(ctx);
	tess_dispatch(ctx, TESS_K_ADD, GROUPS, ITEMS, TESS_DATA_VA, 0);
	tess_dispatch(ctx, TESS_K_DELAY, 1, 1, VRAM_VA + PAGES * TESS_PAGE, DELAY);
	tess_fill(ctx, FIRST + page, TESS_PAGE, b->rounds + 1);
	tess_copy(ctx, VRAM_VA + page, FIRST + page, TESS_PAGE);
	/* What is longest in VRAM */
	tess_copy(ctx, BACK + old, VRAM_VA + old, TESS_PAGE);
	submit(ctx);
}

static unsigned int wrong_page(const void *at, uint32_t want)
{
	const volatile uint32_t *word = at;
	unsigned int i;

	for (i = 0; i < TESS_PAGE / 4; i++)
		if (word[i] != want)
			return 1;
	return 0;
}

/* Pages that do not hold what they should */
static unsigned int look_back(const struct book *b)
{
	const uint8_t *first = b->ctx.data + (FIRST - TESS_DATA_VA);
	unsigned int n, wrong = 0;

	for (n = 0; n < PAGES; n++) {
		wrong += wrong_page(first + n * TESS_PAGE, entry(b->rounds, n));
		if (n < b->rounds)
			wrong += wrong_page(b->vram + n * TESS_PAGE, entry(b->rounds, n));
	}
	return wrong;
}

/* What was found wrong after a round */
static unsigned int end_round(struct book *b)
{
	const uint8_t *back = b->ctx.data + (BACK - TESS_DATA_VA);
	unsigned int old = (b->rounds + 1) % PAGES;
	uint64_t ram, vram;
	int ret;

	ret = tess_ctx_wait(&b->ctx);
	if (ret)
		tess_die("round %llu: %d", (unsigned long long)b->rounds, ret);
	b->rounds++;
	ram = *(volatile uint64_t *)b->ctx.data;
	vram = *(volatile uint64_t *)(b->vram + PAGES * TESS_PAGE);
	if (ram != b->rounds * GROUPS * ITEMS || vram != b->rounds) {
		printf("wrong: slice %u, %llu rounds, %llu and %llu added\n", b->ctx.slice,
		       (unsigned long long)b->rounds, (unsigned long long)ram,
		       (unsigned long long)vram);
		return 1;
	}
	if (b->rounds > PAGES && wrong_page(back + old * TESS_PAGE, b->rounds - PAGES + 1)) {
		printf("wrong: slice %u, page %u of VRAM in round %llu\n", b->ctx.slice, old,
		       (unsigned long long)b->rounds);
		return 1;
	}
	return b->rounds % LOOK_BACK ? 0 : look_back(b);
}

static unsigned int open_books(struct book *books)
{
	int fd = tess_open();
	struct drm_tessera_query_gpu gpu;
	unsigned int n = 0;
	uint32_t slice;

	tess_query_gpu(fd, &gpu);
	for (slice = 0; slice < 64 && n < BOOKS; slice++)
		if (gpu.slice_mask >> slice & 1)
			open_book(&books[n++], fd, slice);
	return n;
}

int main(int argc, char **argv)
{
	static struct book books[BOOKS];
	unsigned int n, i, wrong = 0;

	if (argc != 2)
		tess_die("usage: ledger STOP");
	n = open_books(books);
	while (access(argv[1], F_OK) && !wrong) {
		for (i = 0; i < n; i++)
			begin_round(&books[i]);
		for (i = 0; i < n; i++)
			wrong += end_round(&books[i]);
		printf("rounds %llu\n", (unsigned long long)books[0].rounds);
		fflush(stdout);
	}
	for (i = 0; i < n; i++)
		wrong += look_back(&books[i]);
	printf("ledger {\"slices\": %u, \"rounds\": %llu, \"dispatches\": %llu, \"wrong\": %u}\n",
	       n, (unsigned long long)books[0].rounds, 2ull * n * books[0].rounds, wrong);
	return wrong || !n;
}
