// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Copy engine
 *
 * A row is moved in beats of 64 bytes, counted from the row's start. A beat
 * costs 1 cycle plus what the distance of its pages costs. The model moves as
 * many beats at once as pages and time allow, and accounts for each as if it
 * were alone, so that time does not depend on how the work is cut.
 *
 * Progress is (row, offset) in struct client: a fault or a halt leaves it there
 * and execution goes on from it. One call moves at most a step's worth: no size
 * or number of rows keeps the model from its other work.
 */
#include "copy.h"

#include <endian.h>
#include <string.h>

#include "slice.h"

#define MAX_ROW_BYTES (1ULL << 32)

/*
 * A run of beats inside one source and one destination page.
 * @left: bytes that the pages and the row allow
 * @cost: cycles of a beat
 * @src_page: where from; all zero for FILL
 * @dst_page: where to
 */
struct piece {
	uint64_t left;
	uint64_t cost;
	struct mmu_page src_page;
	struct mmu_page dst_page;
};

static uint64_t page_left(uint64_t va)
{
	return TESS_PAGE_SIZE - (va & (TESS_PAGE_SIZE - 1));
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t page_cost(const struct mmu_page *p)
{
	return p->system ? COPY_COST_SYSTEM : p->hops;
}

int copy_check(struct slice *s)
{
	const struct tess_pkt_copy *p = (const void *)s->client.packet;
	uint64_t row = le64toh(p->row_bytes);

	if (p->reserved0 || p->reserved1[0] || p->reserved1[1])
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	if (!p->rows || !row || row > MAX_ROW_BYTES)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	return 0;
}

int fill_check(struct slice *s)
{
	const struct tess_pkt_fill *p = (const void *)s->client.packet;
	uint64_t row = le64toh(p->row_bytes);

	if (p->reserved0 || p->reserved1 || p->reserved2[0] || p->reserved2[1] || p->reserved2[2])
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	if (!p->rows || !row || row > MAX_ROW_BYTES)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	if ((row | le64toh(p->dst) | le64toh(p->dst_pitch)) & 3)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	return 0;
}

void copy_begin(struct slice *s)
{
	s->client.row = 0;
	s->client.offset = 0;
}

bool copy_progress_valid(const struct slice *s)
{
	const struct tess_pkt_copy *copy = (const void *)s->client.packet;
	const struct tess_pkt_fill *fill = (const void *)s->client.packet;
	const struct client *c = &s->client;

	switch (s->client.packet[0]) {
	case DRM_TESSERA_PKT_COPY:
		return c->row < le32toh(copy->rows) && c->offset < le64toh(copy->row_bytes);
	case DRM_TESSERA_PKT_FILL:
		return c->row < le32toh(fill->rows) && c->offset < le64toh(fill->row_bytes) &&
		       c->offset % sizeof(fill->pattern) == 0;
	default:
		return true;
	}
}

/* Translate one side of a piece; a fill of the cache takes time. */
static bool piece_page(struct slice *s, uint64_t va, enum isa_access access, struct mmu_page *page)
{
	struct mmu_fault f;
	bool filled;

	if (mmu_lookup(s, va, cp_mode(s), access, page, &filled, &f)) {
		slice_access_fault(s, &f);
		return false;
	}
	if (filled)
		s->client.ahead += CYCLES_FILL;
	return true;
}

/* Beats that start in [off, off + n). */
static uint64_t beats(uint64_t off, uint64_t n)
{
	return (off + n + COPY_BEAT - 1) / COPY_BEAT - (off + COPY_BEAT - 1) / COPY_BEAT;
}

static void count_link(struct slice *s, const struct mmu_page *p, uint64_t bytes, uint64_t nr_beats)
{
	if (!p->hops)
		return;
	slice_count(s, COUNTER(LINK_BYTES), bytes);
	slice_count(s, COUNTER(LINK_HOPS), nr_beats * p->hops);
}

/*
 * How much of a piece can start before @until: the beat that @off is inside of
 * is paid for already, so at least its rest.
 */
static uint64_t piece_size(const struct slice *s, const struct piece *p, uint64_t off,
			   uint64_t until)
{
	uint64_t time = until > s->client.ahead ? until - s->client.ahead : 0;
	uint64_t nr_beats = (time + p->cost - 1) / p->cost;
	uint64_t paid = (off + COPY_BEAT - 1) / COPY_BEAT * COPY_BEAT;

	/*
	 * If the fills have used up the time: one beat all the same, or moving the
	 * context each time before the first beat would end all progress.
	 */
	if (paid + nr_beats * COPY_BEAT == off)
		nr_beats = 1;
	return min_u64(p->left, paid + nr_beats * COPY_BEAT - off);
}

/* Account for @n bytes and go to the next row at the end of one. */
static void piece_done(struct slice *s, const struct piece *p, uint64_t n, uint64_t row_bytes)
{
	struct client *c = &s->client;
	uint64_t nr_beats = beats(c->offset, n);

	c->ahead += nr_beats * p->cost;
	slice_count(s, COUNTER(BYTES), n);
	count_link(s, &p->src_page, n, nr_beats);
	count_link(s, &p->dst_page, n, nr_beats);
	c->offset += n;
	if (c->offset == row_bytes) {
		c->offset = 0;
		c->row++;
	}
}

/* Byte by byte in ascending order, which memmove() is not if the ranges overlap. */
static void copy_ascending(uint8_t *dst, const uint8_t *src, uint64_t n)
{
	if (dst > src && dst < src + n) {
		for (uint64_t i = 0; i < n; i++)
			dst[i] = src[i];
	} else {
		memmove(dst, src, n);
	}
}

enum cp_result copy_exec(struct slice *s, uint64_t until)
{
	const struct tess_pkt_copy *pkt = (const void *)s->client.packet;
	uint64_t row_bytes = le64toh(pkt->row_bytes);
	struct client *c = &s->client;

	while (c->row < le32toh(pkt->rows)) {
		uint64_t src = le64toh(pkt->src) + c->row * le64toh(pkt->src_pitch) + c->offset;
		uint64_t dst = le64toh(pkt->dst) + c->row * le64toh(pkt->dst_pitch) + c->offset;
		struct piece p = { 0 };
		uint64_t n;

		if (c->ahead >= until)
			return CP_MORE;
		if (!piece_page(s, src, ISA_LOAD, &p.src_page) ||
		    !piece_page(s, dst, ISA_STORE, &p.dst_page))
			return CP_MORE;
		p.cost = 1 + page_cost(&p.src_page) + page_cost(&p.dst_page);
		p.left = min_u64(min_u64(page_left(src), page_left(dst)), row_bytes - c->offset);
		n = piece_size(s, &p, c->offset, until);
		copy_ascending(p.dst_page.host + (dst & (TESS_PAGE_SIZE - 1)),
			       p.src_page.host + (src & (TESS_PAGE_SIZE - 1)), n);
		piece_done(s, &p, n, row_bytes);
	}
	return CP_DONE;
}

/* Words are whole: address, size and progress are multiples of four. */
static void fill_words(uint8_t *dst, __le32 pattern, uint64_t n)
{
	for (uint64_t i = 0; i < n; i += sizeof(pattern))
		memcpy(dst + i, &pattern, sizeof(pattern));
}

enum cp_result fill_exec(struct slice *s, uint64_t until)
{
	const struct tess_pkt_fill *pkt = (const void *)s->client.packet;
	uint64_t row_bytes = le64toh(pkt->row_bytes);
	struct client *c = &s->client;

	while (c->row < le32toh(pkt->rows)) {
		uint64_t dst = le64toh(pkt->dst) + c->row * le64toh(pkt->dst_pitch) + c->offset;
		struct piece p = { 0 };
		uint64_t n;

		if (c->ahead >= until)
			return CP_MORE;
		if (!piece_page(s, dst, ISA_STORE, &p.dst_page))
			return CP_MORE;
		p.cost = 1 + page_cost(&p.dst_page);
		p.left = min_u64(page_left(dst), row_bytes - c->offset);
		n = piece_size(s, &p, c->offset, until);
		fill_words(p.dst_page.host + (dst & (TESS_PAGE_SIZE - 1)), pkt->pattern, n);
		piece_done(s, &p, n, row_bytes);
	}
	return CP_DONE;
}
