// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: execution
 *
 * A set of lanes (sched.c) runs block after block until it splits, meets other
 * lanes, ends its turn, faults or has used the budget. One decoded instruction
 * is executed for all lanes of the set before the next one, so the cost of
 * decoding and dispatch is shared by up to 16 harts.
 *
 * Only whole instructions of the whole set are executed that way. Where the
 * budget ends or a lane faults in the middle, the lanes that are behind are
 * noted in sched.pending and go first when the group continues.
 */
#include <string.h>

#include "hostfp.h"
#include "internal.h"
#include "sched.h"

static enum isa_next end_of_block(struct isa_ctx *c, const struct isa_insn *i)
{
	(void)c;
	(void)i;
	return ISA_NEXT;
}

const isa_handler isa_full_handlers[ISA_NR_OPS + 1] = {
#define X(id, mnemonic, match, mask, format, generator, semantics, attr) \
	[ISA_OP_##id] = ISA_FULL(id),
	ISA_INSN(X)
#undef X
		[ISA_OP_END] = end_of_block,
};

const isa_handler isa_some_handlers[ISA_NR_OPS + 1] = {
#define X(id, mnemonic, match, mask, format, generator, semantics, attr) \
	[ISA_OP_##id] = ISA_SOME(id),
	ISA_INSN(X)
#undef X
		[ISA_OP_END] = end_of_block,
};

const isa_handler isa_one_handlers[ISA_NR_OPS + 1] = {
#define X(id, mnemonic, match, mask, format, generator, semantics, attr) \
	[ISA_OP_##id] = ISA_ONE(id),
	ISA_INSN(X)
#undef X
		[ISA_OP_END] = end_of_block,
};

static uint32_t lowest_lanes(uint32_t mask, uint64_t n)
{
#if defined(__AVX2__) && defined(__BMI2__)
	return _pdep_u32((1u << n) - 1, mask);
#else
	uint32_t out = 0;

	while (n--) {
		out |= mask & -mask;
		mask &= mask - 1;
	}
	return out;
#endif
}

static uint64_t pc_after(const struct isa_block *b, unsigned int n)
{
	return b->pc + (n == b->nr ? b->size : 2u * b->insn[n].off);
}

static void account_one(struct isa_ctx *c, const struct isa_insn *i, unsigned int lanes)
{
	struct isa_counters *sum = &c->e->counters;
	uint32_t attr = isa_insn_info[i->op].attr;

	c->retired += lanes;
	sum->flops += (uint64_t)ISA_ATTR_FLOPS(attr) * lanes;
	sum->load_bytes += (uint64_t)ISA_ATTR_LOAD(attr) * lanes;
	sum->store_bytes += (uint64_t)ISA_ATTR_STORE(attr) * lanes;
}

/* The first @n instructions of @b were executed by @lanes harts each. */
static __attribute__((noinline)) void account_part(struct isa_ctx *c, const struct isa_block *b,
						   unsigned int n, unsigned int lanes)
{
	for (unsigned int k = 0; k < n; k++)
		account_one(c, &b->insn[k], lanes);
}

ISA_INLINE void account(struct isa_ctx *c, const struct isa_block *b, unsigned int n,
			unsigned int lanes)
{
	struct isa_counters *sum = &c->e->counters;

	if (unlikely(n != b->nr)) {
		account_part(c, b, n, lanes);
		return;
	}
	c->retired += (uint64_t)n * lanes;
	sum->flops += b->sum.flops * lanes;
	sum->load_bytes += b->sum.load_bytes * lanes;
	sum->store_bytes += b->sum.store_bytes * lanes;
}

static void use_quantum(struct isa_group *g, uint64_t n)
{
	uint64_t left = (uint64_t)g->sched.quantum;

	g->sched.quantum = (int32_t)(left > n ? left - n : 0);
}

/* Harts that jumped to the exit address are done. */
static void retire_exited(struct isa_wave *w, uint32_t mask)
{
	w->running &= (uint16_t)~(isa_lanes_at(w, ISA_EXIT_ADDR) & mask);
}

static void fill_fault(const struct isa_ctx *c, uint64_t pc, uint32_t bits, struct isa_fault *f)
{
	unsigned int wave = (unsigned int)(c->w - c->g->waves);

	f->pc = pc;
	f->va = c->fault_va;
	f->cause = c->fault_cause;
	f->hart = wave * ISA_LANES + c->fault_lane;
	f->insn = bits;
}

static struct isa_block *follow(struct isa_ctx *c, struct isa_block *prev, uint64_t pc)
{
	uint32_t gen = c->e->code_gen;
	struct isa_block **link = NULL;
	struct isa_block *b;
	unsigned int cause;

	if (prev) {
		link = &prev->link[pc != prev->pc + prev->size];
		if (likely(*link && (*link)->pc == pc))
			return *link;
	}
	b = isa_block_get(c->e, pc, &cause, &c->fault_va);
	if (!b) {
		c->fault_cause = cause;
		return NULL;
	}
	if (link && gen == c->e->code_gen)
		*link = b;
	return b;
}

/* Instructions of @b that the set may execute before it meets @limit. */
static unsigned int steps_to(const struct isa_block *b, uint64_t limit)
{
	unsigned int n;

	if (likely(limit >= b->pc + b->size))
		return b->nr;
	for (n = 1; n < b->nr; n++)
		if (b->pc + 2u * b->insn[n].off >= limit)
			break;
	return n;
}

/* Who executes: c->mask is new. */
static void use_lanes(struct isa_ctx *c, uint32_t mask)
{
	c->mask = mask;
	c->lane = (uint32_t)__builtin_ctz(mask);
	if (mask == ISA_ALL_LANES) {
		c->handlers = isa_full_handlers;
		return;
	}
	if (!(mask & (mask - 1))) {
		c->handlers = isa_one_handlers;
		return;
	}
	c->handlers = isa_some_handlers;
	if (!ISA_HAVE_VECTORS)
		return;
	ISA_FOR_ALL(l)
		c->pick[l] = 0 - (uint64_t)(mask >> l & 1);
}

/* The first @n instructions of @b, and no more: as a block of their own */
static __attribute__((noinline)) enum isa_next
exec_part(struct isa_ctx *c, const struct isa_block *b, unsigned int n, unsigned int *at)
{
	struct isa_insn part[ISA_BLOCK_MAX];
	enum isa_next next;

	memcpy(part, b->insn, n * sizeof(*part));
	part[n].op = ISA_OP_END;
	next = c->handlers[part->op](c, part);
	*at = next == ISA_FAULT ? (unsigned int)(c->at - part) : n;
	return next;
}

/* *@at: how many instructions before one that faulted */
ISA_INLINE enum isa_next exec(struct isa_ctx *c, const struct isa_block *b, unsigned int n,
			      unsigned int *at)
{
	enum isa_next next;

	c->block_pc = b->pc;
	if (b->hostfp && c->fp_mask != c->mask)
		isa_fp_setup(c);
	if (unlikely(n < b->nr))
		return exec_part(c, b, n, at);
	next = c->handlers[b->insn->op](c, b->insn);
	*at = next == ISA_FAULT ? (unsigned int)(c->at - b->insn) : n;
	return next;
}

/*
 * Lane c->fault_lane cannot execute the instruction behind @before others; note which lanes are
 * through, and which lanes wait.
 */
static void stop_at_fault(struct isa_ctx *c, const struct isa_block *b, unsigned int before,
			  uint32_t set_mask, struct isa_fault *fault)
{
	uint32_t through = c->mask & ((1u << c->fault_lane) - 1);
	const struct isa_insn *i = &b->insn[before];
	uint64_t pc = isa_insn_pc(c, i);

	account(c, b, before, (unsigned int)__builtin_popcount(c->mask));
	account_one(c, i, (unsigned int)__builtin_popcount(through));
	isa_set_pc(c->w, set_mask, pc);
	isa_set_pc(c->w, through, pc + isa_insn_len(i->bits));
	c->g->sched.pending = (uint16_t)(set_mask & ~through);
	fill_fault(c, pc, i->bits, fault);
}

/* What became of a set after some instructions. */
enum outcome {
	SET_GOES_ON,
	SET_ENDS, /* choose again */
	SET_FAULTED,
};

/*
 * The budget allows only some of the lanes to execute one more instruction, or
 * the set is the rest of such a step: do one instruction with c->mask, leave
 * the rest of the set pending.
 */
static enum outcome step_some(struct isa_ctx *c, const struct isa_block *b,
			      const struct isa_set *set, struct isa_fault *fault)
{
	unsigned int lanes = (unsigned int)__builtin_popcount(c->mask);
	const struct isa_insn *i = b->insn;
	uint64_t before = c->retired, pc = 0;
	enum isa_next next;
	unsigned int at;
	bool ctl;

	isa_set_pc(c->w, set->mask, set->pc);
	next = exec(c, b, 1, &at);
	if (next == ISA_FAULT) {
		stop_at_fault(c, b, 0, set->mask, fault);
		use_quantum(c->g, c->retired - before);
		return SET_FAULTED;
	}
	ctl = isa_insn_info[i->op].attr & ISA_A_CTL;
	account_one(c, i, lanes);
	use_quantum(c->g, lanes);
	if (next != ISA_SPLIT) {
		pc = next == ISA_JUMP ? c->next_pc : set->pc + isa_insn_len(i->bits);
		isa_set_pc(c->w, c->mask, pc);
	}
	if (next == ISA_SPLIT || pc == ISA_EXIT_ADDR)
		retire_exited(c->w, c->mask);
	c->g->sched.pending = (uint16_t)(set->mask & ~c->mask);
	if (ctl && !c->g->sched.pending && !c->g->sched.quantum)
		isa_sched_rotate(c->g);
	return SET_ENDS;
}

/* The set executed @n instructions of @b; where is it now? */
static enum outcome after_steps(struct isa_ctx *c, struct isa_set *set, const struct isa_block *b,
				unsigned int n, enum isa_next next)
{
	bool ctl = b->ctl && n == b->nr;

	if (next == ISA_SPLIT) {
		retire_exited(c->w, set->mask);
		if (!c->g->sched.quantum)
			isa_sched_rotate(c->g);
		return SET_ENDS;
	}
	set->pc = next == ISA_JUMP ? c->next_pc : pc_after(b, n);
	if (likely(set->pc != ISA_EXIT_ADDR && !(ctl && !c->g->sched.quantum))) {
		if (set->pc < set->limit && (set->alone || !ctl))
			return SET_GOES_ON;
		isa_set_pc(c->w, set->mask, set->pc);
		return SET_ENDS;
	}
	isa_set_pc(c->w, set->mask, set->pc);
	retire_exited(c->w, set->mask);
	if (ctl && !c->g->sched.quantum)
		isa_sched_rotate(c->g);
	return SET_ENDS;
}

/* Run the chosen set of lanes for as long as it stays one. */
static enum outcome run_set(struct isa_ctx *c, struct isa_set *set, uint64_t budget,
			    struct isa_fault *fault)
{
	unsigned int lanes = (unsigned int)__builtin_popcount(set->mask);
	struct isa_block *b = NULL;
	enum outcome outcome = SET_GOES_ON;
	uint32_t gen;

	use_lanes(c, set->mask);
	while (outcome == SET_GOES_ON) {
		uint64_t left = budget - c->retired, before = c->retired;
		enum isa_next next;
		unsigned int n, at;

		if (!left) {
			isa_set_pc(c->w, set->mask, set->pc);
			return SET_ENDS;
		}
		b = follow(c, b, set->pc);
		if (unlikely(!b)) {
			isa_set_pc(c->w, set->mask, set->pc);
			c->g->sched.pending = (uint16_t)set->mask;
			c->fault_lane = (uint32_t)__builtin_ctz(set->mask);
			fill_fault(c, set->pc, 0, fault);
			return SET_FAULTED;
		}
		n = steps_to(b, set->limit);
		if (unlikely((uint64_t)n * lanes > left))
			n = (unsigned int)(left / lanes);
		if (unlikely(!n || set->once)) {
			if (left < lanes)
				use_lanes(c, lowest_lanes(set->mask, left));
			return step_some(c, b, set, fault);
		}
		gen = c->e->code_gen;
		next = exec(c, b, n, &at);
		if (unlikely(next == ISA_FAULT)) {
			stop_at_fault(c, b, at, set->mask, fault);
			use_quantum(c->g, c->retired - before);
			return SET_FAULTED;
		}
		account(c, b, n, lanes);
		use_quantum(c->g, c->retired - before);
		outcome = after_steps(c, set, b, n, next);
		if (unlikely(gen != c->e->code_gen))
			b = NULL;
	}
	return outcome;
}

static void use_wave(struct isa_ctx *c, struct isa_wave *w)
{
	if (c->w == w)
		return;
	c->w = w;
	isa_fp_changed(c);
}

static enum isa_stop run_group(struct isa_ctx *c, uint64_t budget, struct isa_fault *fault)
{
	struct isa_group *g = c->g;
	struct isa_set set;

	isa_sched_check(g);
	for (;;) {
		if (!isa_sched_wave(g))
			return ISA_STOP_DONE;
		if (c->retired == budget)
			return ISA_STOP_BUDGET;
		use_wave(c, &g->waves[g->sched.wave]);
		isa_sched_set(g, &set);
		if (run_set(c, &set, budget, fault) == SET_FAULTED)
			return ISA_STOP_FAULT;
	}
}

static void find_private(struct isa_ctx *c)
{
	const struct isa_dispatch *d = &c->g->d;
	uint64_t end = d->private_base + (uint64_t)d->private_stride * c->g->nr_harts;

	c->private_base = 0;
	c->private_size = 0;
	c->private_page = 0;
	c->private_pages = 0;
	if (end <= d->private_base)
		return;
	c->private_base = d->private_base;
	c->private_size = end - d->private_base;
	c->private_page = d->private_base & ISA_PAGE_MASK;
	c->private_pages = ((end + ISA_PAGE_SIZE - 1) & ISA_PAGE_MASK) - c->private_page;
}

/* What is not set here is set before it is read; runs are short. */
static void begin(struct isa_ctx *c, struct isa_engine *e, struct isa_group *g)
{
	c->e = e;
	c->g = g;
	c->w = NULL;
	c->retired = 0;
	c->private_bytes = 0;
	c->local_bytes = 0;
	find_private(c);
}

enum isa_stop ISA_NAME(isa_run)(struct isa_engine *e, struct isa_group *g, uint64_t budget,
				uint64_t *retired, struct isa_fault *fault)
{
	struct isa_ctx c;
	uint32_t host = isa_hostfp_enter();
	enum isa_stop stop;

	begin(&c, e, g);
	stop = run_group(&c, budget, fault);
	isa_hostfp_leave(host);
	g->cycle += c.retired;
	g->instret += c.retired;
	e->counters.instructions += c.retired;
	e->counters.private_bytes += c.private_bytes;
	e->counters.local_bytes += c.local_bytes;
	*retired = c.retired;
	return stop;
}
