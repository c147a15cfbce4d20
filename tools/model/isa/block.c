// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: decoded blocks
 *
 * A block is a run of decoded instructions that starts where somebody jumped
 * (or resumed), ends with a control transfer, at the end of the page or after
 * ISA_BLOCK_MAX instructions. Blocks are found by virtual pc, belong to the
 * current mappings and are never changed: when the pool is full, or code or
 * mappings change, all of them are forgotten at once, which costs nothing. That
 * keeps links between blocks trivially safe.
 */
#include <string.h>

#include "internal.h"

void isa_code_flush(struct isa_engine *e)
{
	e->nr_blocks = 0;
	e->nr_insns = 0;
	e->code_gen++;
}

/* Fetch up to 4 bytes at @pc. Returns 0 or a cause for address *@va. */
static unsigned int fetch(struct isa_engine *e, uint64_t pc, uint32_t *bits, uint64_t *va)
{
	uint16_t half;
	unsigned int cause;
	const void *p;

	*va = pc;
	p = isa_page(e, pc, 2, ISA_FETCH, &cause);
	if (!p)
		return cause;
	memcpy(&half, p, sizeof(half));
	*bits = half;
	if ((half & 3) != 3)
		return 0;
	*va = pc + 2;
	p = isa_page(e, pc + 2, 2, ISA_FETCH, &cause);
	if (!p)
		return cause;
	memcpy(&half, p, sizeof(half));
	*bits |= (uint32_t)half << 16;
	return 0;
}

static bool solo(const struct isa_insn *i)
{
	return i->op >= ISA_OP_csrrw && i->op <= ISA_OP_csrrci &&
	       isa_csr_counts((unsigned int)i->imm);
}

static void add_insn(struct isa_block *b, struct isa_insn *i)
{
	uint32_t attr = isa_insn_info[i->op].attr;

	i->off = (uint8_t)(b->size / 2);
	b->size += isa_insn_len(i->bits);
	b->nr++;
	b->ctl = !!(attr & ISA_A_CTL);
	b->hostfp |= !!(attr & ISA_A_HOSTFP);
	b->sum.flops += ISA_ATTR_FLOPS(attr);
	b->sum.load_bytes += ISA_ATTR_LOAD(attr);
	b->sum.store_bytes += ISA_ATTR_STORE(attr);
}

/* Decode from b->pc until the block is complete; a fault later on ends it. */
static unsigned int fill_block(struct isa_engine *e, struct isa_block *b, uint64_t *va)
{
	uint64_t pc = b->pc;
	unsigned int cause;
	uint32_t bits = 0;

	/* Not pc < end: behind the last page there is 0. */
	while (b->nr < ISA_BLOCK_MAX && (pc & ISA_PAGE_MASK) == (b->pc & ISA_PAGE_MASK)) {
		struct isa_insn *i = &b->insn[b->nr];

		cause = fetch(e, pc, &bits, va);
		if (cause)
			return b->nr ? 0 : cause;
		isa_decode(bits, i);
		if (solo(i) && b->nr)
			return 0;
		add_insn(b, i);
		if (b->ctl || solo(i))
			return 0;
		pc = b->pc + b->size;
	}
	return 0;
}

struct isa_block *isa_block_get(struct isa_engine *e, uint64_t pc, unsigned int *cause,
				uint64_t *va)
{
	uint16_t *slot = &e->hash[pc / 2 % ISA_BLOCK_HASH];
	struct isa_block *b = &e->blocks[*slot];
	unsigned int ret;

	if (likely(*slot < e->nr_blocks && b->pc == pc))
		return b;
	if (pc & 1) {
		*cause = ISA_CAUSE_FETCH_MISALIGNED;
		*va = pc;
		return NULL;
	}
	if (e->nr_blocks == ISA_NR_BLOCKS || e->nr_insns + ISA_BLOCK_MAX + 1 > ISA_NR_INSNS)
		isa_code_flush(e);
	b = &e->blocks[e->nr_blocks];
	memset(b, 0, sizeof(*b));
	b->pc = pc;
	b->insn = &e->insns[e->nr_insns];
	ret = fill_block(e, b, va);
	if (ret) {
		*cause = ret;
		return NULL;
	}
	b->insn[b->nr].op = ISA_OP_END;
	*slot = (uint16_t)e->nr_blocks++;
	e->nr_insns += b->nr + 1u;
	return b;
}
