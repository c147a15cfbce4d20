// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Register access
 *
 * One path for every page: find the page, find the register, check the width,
 * call its hook. 64-bit registers can be accessed in two halves; the low half of
 * a write is kept until the high half of the same register comes.
 *
 * The composition page is not a table: it is memory that the model fills.
 */
#include "regs.h"

#include <string.h>

#include "events.h"
#include "gpu_priv.h"
#include "log.h"

/* Counters of both pages lie at the same offset and are found the same way. */
_Static_assert(TESS_SREG_COUNTERS == TESS_HREG_COUNTERS, "counters differ");

/* The page that @off of BAR0 lies in and its slice, NULL if there is none. */
static const struct reg_page *page_find(const struct gpu *g, uint32_t off, unsigned int *n)
{
	static const struct {
		uint32_t base;
		const struct reg_page *page;
	} ranges[] = {
		{ TESS_CLIENT_PAGE(0), &reg_page_client },
		{ TESS_DOORBELL_PAGE(0), &reg_page_doorbell },
		{ TESS_HOST_PAGE(0), &reg_page_host },
	};

	*n = 0;
	if (off < TESS_PAGE_SIZE)
		return &reg_page_global;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (off < ranges[i].base)
			continue;
		*n = (off - ranges[i].base) / TESS_PAGE_SIZE;
		if (*n < g->desc.nr_slices)
			return ranges[i].page;
	}
	return NULL;
}

static const struct reg *reg_find(const struct reg_page *page, uint32_t off)
{
	for (size_t i = 0; i < page->nr; i++) {
		const struct reg *r = &page->regs[i];

		if (off >= r->offset && off < r->offset + (uint32_t)r->width)
			return r;
	}
	return NULL;
}

static bool access_valid(const struct reg *r, uint32_t off, unsigned int size)
{
	if (size == r->width)
		return off == r->offset;
	return r->width == 8 && size == 4 && !(off & 3);
}

/* A 64-bit value or one of its halves. */
static uint64_t half_of(uint64_t val, uint32_t off, unsigned int size)
{
	if (size == 8)
		return val;
	return off & 4 ? val >> 32 : (uint32_t)val;
}

static uint64_t composition_read(const struct gpu *g, uint32_t off, unsigned int size)
{
	uint64_t val = 0;

	if ((size == 4 || size == 8) && off + size <= sizeof(g->composition))
		memcpy(&val, (const uint8_t *)&g->composition + off, size);
	return val;
}

static uint64_t counter_read(struct gpu *g, const struct reg_page *page, unsigned int n,
			     uint32_t off, unsigned int size)
{
	unsigned int i = (off - TESS_SREG_COUNTERS) / 8;

	if (size != 4 && size != 8)
		return 0;
	/* Cycles that passed while nothing ran count too. */
	gpu_read_time(g);
	return i < page->nr_counters ? half_of(page->counters(g, n, i), off, size) : 0;
}

uint64_t gpu_reg_read(struct gpu *g, uint32_t off, unsigned int size)
{
	const struct reg_page *page;
	const struct reg *r;
	unsigned int n;
	uint64_t val;

	if (size > 8 || off & (size - 1) || off >= TESS_REGS_SIZE)
		return 0;
	if (off / TESS_PAGE_SIZE == TESS_COMPOSITION_PAGE / TESS_PAGE_SIZE)
		return composition_read(g, off % TESS_PAGE_SIZE, size);
	page = page_find(g, off, &n);
	if (!page)
		return 0;
	off %= TESS_PAGE_SIZE;
	if (page->counters && off >= TESS_SREG_COUNTERS)
		return counter_read(g, page, n, off, size);
	r = reg_find(page, off);
	if (!r || !access_valid(r, off, size) || !r->read)
		return 0;
	val = half_of(r->read(g, n), off, r->width == size ? 8 : size);
	log_event(g->desc.log, LOG_DEBUG, "%s %u: %s -> 0x%llx", page->name, n, r->name,
		  (unsigned long long)val);
	return val;
}

/* Where the low half of a register is kept. */
static uint32_t *latch_of(struct gpu *g, const struct reg_page *page, unsigned int n,
			  const struct reg *r)
{
	unsigned int i = r->offset / 8;

	if (page == &reg_page_global)
		return &g->latch[i];
	if (page == &reg_page_client)
		return &g->slices[n].latch[LATCH_CLIENT][i];
	if (page == &reg_page_doorbell)
		return &g->slices[n].latch[LATCH_DOORBELL][i];
	return &g->slices[n].latch[LATCH_HOST][i];
}

void gpu_reg_write(struct gpu *g, uint32_t off, uint64_t val, unsigned int size)
{
	const struct reg_page *page;
	const struct reg *r;
	unsigned int n;

	if (size > 8 || off & (size - 1) || off >= TESS_REGS_SIZE)
		return;
	page = page_find(g, off, &n);
	off %= TESS_PAGE_SIZE;
	r = page ? reg_find(page, off) : NULL;
	if (!r || r->access == REG_RO || !access_valid(r, off, size))
		return;
	if (size < 8)
		val = (uint32_t)val;
	if (r->width == 8 && size == 4) {
		uint32_t *latch = latch_of(g, page, n, r);

		if (off == r->offset) {
			*latch = (uint32_t)val;
			return;
		}
		val = val << 32 | *latch;
	}
	log_event(g->desc.log, LOG_DEBUG, "%s %u: %s <- 0x%llx", page->name, n, r->name,
		  (unsigned long long)val);
	/* Idle time that has passed comes before the write, not after it. */
	gpu_read_time(g);
	r->write(g, n, val);
	if (page != &reg_page_global)
		events_notify(&g->slices[n]);
	gpu_raise_irqs(g);
}
