/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers as tables. A page of BAR0 is an array of struct reg; an access is
 * looked up by offset, checked against width and access, and handed to a hook.
 */
#ifndef TESS_MODEL_REGS_H
#define TESS_MODEL_REGS_H

#include <stddef.h>
#include <stdint.h>

struct gpu;

/**
 * enum reg_access - what software may do
 * @REG_RO: read; writes are ignored
 * @REG_RW: read and write
 * @REG_WO: write; reads as zero
 * @REG_W1C: read; a write clears the bits that are one in it
 */
enum reg_access {
	REG_RO,
	REG_RW,
	REG_WO,
	REG_W1C,
};

/**
 * struct reg - a register
 * @name: as in tess_regs.h, without its prefix
 * @offset: in the page
 * @width: bytes, 4 or 8
 * @access: what software may do
 * @reset: value after power-on, for registers that are not found out at run time
 * @read: value of the register in page @n (a slice); NULL: zero
 * @write: take over @val. For REG_W1C: clear the bits of @val
 */
struct reg {
	const char *name;
	uint16_t offset;
	uint8_t width;
	uint8_t access;
	uint64_t reset;
	uint64_t (*read)(struct gpu *g, unsigned int n);
	void (*write)(struct gpu *g, unsigned int n, uint64_t val);
};

/**
 * struct reg_page - a kind of page
 * @name: for messages
 * @regs: registers by ascending offset
 * @nr: number of them
 * @counters: value of counter @i; NULL if the page has none. They lie at
 *	TESS_SREG_COUNTERS, which is TESS_HREG_COUNTERS
 * @nr_counters: number of them
 */
struct reg_page {
	const char *name;
	const struct reg *regs;
	size_t nr;
	uint64_t (*counters)(struct gpu *g, unsigned int n, unsigned int i);
	unsigned int nr_counters;
};

extern const struct reg_page reg_page_global;
extern const struct reg_page reg_page_client;
extern const struct reg_page reg_page_host;
extern const struct reg_page reg_page_doorbell;

#endif /* TESS_MODEL_REGS_H */
