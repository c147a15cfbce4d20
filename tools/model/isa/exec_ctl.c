// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: control transfer, system instructions and CSRs
 *
 * Branches decide for the whole mask: if all lanes go the same way the engine
 * continues with the next block without touching their program counters.
 */
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "csr.h"
#include "internal.h"

enum isa_next isa_raise_illegal(struct isa_ctx *c, const struct isa_insn *i)
{
	return isa_raise(c, (unsigned int)__builtin_ctz(c->mask), ISA_CAUSE_ILLEGAL, i->bits);
}

static inline bool cond_eq(uint64_t a, uint64_t b)
{
	return a == b;
}

static inline bool cond_ne(uint64_t a, uint64_t b)
{
	return a != b;
}

static inline bool cond_lt(uint64_t a, uint64_t b)
{
	return (int64_t)a < (int64_t)b;
}

static inline bool cond_ge(uint64_t a, uint64_t b)
{
	return (int64_t)a >= (int64_t)b;
}

static inline bool cond_ltu(uint64_t a, uint64_t b)
{
	return a < b;
}

static inline bool cond_geu(uint64_t a, uint64_t b)
{
	return a >= b;
}

static enum isa_next jump(struct isa_ctx *c, uint64_t target)
{
	c->next_pc = target;
	return ISA_JUMP;
}

/* Bit n: is @met[n], which is 0 or all ones, true? */
ISA_INLINE uint32_t lane_bits(const uint64_t *met)
{
	uint32_t bits = 0;

#ifdef __AVX2__
	for (unsigned int l = 0; l < ISA_LANES; l += 4) {
		__m256d four = _mm256_loadu_pd((const double *)(met + l));

		bits |= (uint32_t)_mm256_movemask_pd(four) << l;
	}
#else
	for (unsigned int l = 0; l < ISA_LANES; l++)
		bits |= (uint32_t)(met[l] & 1) << l;
#endif
	return bits;
}

ISA_INLINE enum isa_next exec_branch(struct isa_ctx *c, const struct isa_insn *i,
				     bool (*cond)(uint64_t, uint64_t), bool full)
{
	const uint64_t *a = c->w->x[i->rs1];
	const uint64_t *b = c->w->x[i->rs2];
	uint64_t pc = isa_insn_pc(c, i);
	uint64_t target = pc + (uint64_t)(int64_t)i->imm;
	uint64_t next = pc + isa_insn_len(i->bits);
	uint32_t taken = 0;

	if (full || ISA_HAVE_VECTORS) {
		uint64_t met[ISA_LANES];

		/* Lanes that do not execute have registers, too */
		ISA_FOR_ALL(l)
			met[l] = 0 - (uint64_t)cond(a[l], b[l]);
		taken = lane_bits(met) & c->mask;
	} else {
		ISA_FOR_MASK(l, c->mask)
			taken |= (uint32_t)cond(a[l], b[l]) << l;
	}
	if (likely(taken == c->mask))
		return jump(c, target);
	if (!taken)
		return jump(c, next);
	isa_set_pc(c->w, taken, target);
	isa_set_pc(c->w, c->mask & ~taken, next);
	return ISA_SPLIT;
}

static enum isa_next exec_jal(struct isa_ctx *c, const struct isa_insn *i)
{
	uint64_t pc = isa_insn_pc(c, i);
	uint64_t *d = c->w->x[i->rd];

	ISA_FOR_MASK(l, c->mask)
		d[l] = pc + isa_insn_len(i->bits);
	return jump(c, pc + (uint64_t)(int64_t)i->imm);
}

ISA_INLINE enum isa_next exec_jalr(struct isa_ctx *c, const struct isa_insn *i, bool full)
{
	uint64_t link = isa_insn_pc(c, i) + isa_insn_len(i->bits);
	const uint64_t *a = c->w->x[i->rs1];
	uint64_t *d = c->w->x[i->rd];
	uint64_t imm = (uint64_t)(int64_t)i->imm;
	uint64_t target[ISA_LANES], first, differ = 0;

	/* Lanes that do not execute have registers, too */
	ISA_FOR_ALL(l)
		target[l] = (a[l] + imm) & ~1ull;
	first = (a[c->lane] + imm) & ~1ull;
	ISA_FOR_LANES(c, full, true, d, link);
	if (full) {
		ISA_FOR_ALL(l)
			differ |= target[l] ^ first;
	} else if (ISA_HAVE_VECTORS) {
		ISA_FOR_ALL(l)
			differ |= (target[l] ^ first) & c->pick[l];
	} else {
		ISA_FOR_MASK(l, c->mask)
			differ |= target[l] ^ first;
	}
	if (!differ)
		return jump(c, first);
	ISA_FOR_LANES(c, full, true, c->w->pc, target[l]);
	return ISA_SPLIT;
}

static enum isa_next exec_fence(struct isa_ctx *c, const struct isa_insn *i)
{
	(void)c;
	(void)i;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return ISA_NEXT;
}

/* A hint that the hart waits for another one: its wave's turn is over. */
static enum isa_next exec_pause(struct isa_ctx *c, const struct isa_insn *i)
{
	c->g->sched.quantum = 0;
	return jump(c, isa_insn_pc(c, i) + isa_insn_len(i->bits));
}

/* The insn itself may be forgotten, so everything is read before the flush. */
static enum isa_next exec_fence_i(struct isa_ctx *c, const struct isa_insn *i)
{
	uint64_t next = isa_insn_pc(c, i) + isa_insn_len(i->bits);

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	isa_code_flush(c->e);
	return jump(c, next);
}

static enum isa_next exec_ecall(struct isa_ctx *c, const struct isa_insn *i)
{
	(void)i;
	return isa_raise(c, (unsigned int)__builtin_ctz(c->mask), ISA_CAUSE_ECALL, 0);
}

static enum isa_next exec_ebreak(struct isa_ctx *c, const struct isa_insn *i)
{
	return isa_raise(c, (unsigned int)__builtin_ctz(c->mask), ISA_CAUSE_BREAKPOINT,
			 isa_insn_pc(c, i));
}

static enum isa_next exec_illegal(struct isa_ctx *c, const struct isa_insn *i)
{
	return isa_raise_illegal(c, i);
}

/* All lanes of the mask leave the wave's running set, at the next pc. */
static enum isa_next stop_lanes(struct isa_ctx *c, const struct isa_insn *i)
{
	uint64_t next = isa_insn_pc(c, i) + isa_insn_len(i->bits);

	isa_set_pc(c->w, c->mask, next);
	c->w->running &= (uint16_t)~c->mask;
	return ISA_SPLIT;
}

static enum isa_next exec_barrier(struct isa_ctx *c, const struct isa_insn *i)
{
	c->w->barrier |= (uint16_t)c->mask;
	return stop_lanes(c, i);
}

static enum isa_next exec_exit(struct isa_ctx *c, const struct isa_insn *i)
{
	return stop_lanes(c, i);
}

static uint32_t local_id(const struct isa_group *g, unsigned int flat, unsigned int dim)
{
	uint32_t nx = g->d.group_size[0], ny = g->d.group_size[1];

	if (dim == 0)
		return flat % nx;
	if (dim == 1)
		return flat / nx % ny;
	return flat / nx / ny;
}

static uint64_t read_id(const struct isa_group *g, unsigned int flat, unsigned int csr)
{
	const struct isa_dispatch *d = &g->d;
	unsigned int dim = (csr - CSR_LOCAL_ID) % 3;

	switch (csr) {
	case CSR_LOCAL_ID ... CSR_LOCAL_ID + 2:
		return local_id(g, flat, dim);
	case CSR_GROUP_ID ... CSR_GROUP_ID + 2:
		return d->group_id[dim];
	case CSR_GROUP_SIZE ... CSR_GROUP_SIZE + 2:
		return d->group_size[dim];
	case CSR_ENQUEUED_SIZE ... CSR_ENQUEUED_SIZE + 2:
		return d->enqueued_size[dim];
	case CSR_GRID_SIZE ... CSR_GRID_SIZE + 2:
		return d->grid_size[dim];
	case CSR_KERNARG:
		return d->kernarg;
	case CSR_LOCAL_BYTES:
		return d->local_bytes;
	case CSR_FLAT_ID:
		return flat;
	case CSR_PRIVATE_BYTES:
		return d->private_bytes | (uint64_t)d->units << 32;
	case CSR_GLOBAL_ID ... CSR_GLOBAL_ID + 2:
		dim = csr - CSR_GLOBAL_ID;
		return (uint64_t)d->global_base[dim] + local_id(g, flat, dim);
	default:
		return d->num_groups[csr - CSR_NUM_GROUPS];
	}
}

/* @position: how many lanes of the mask execute before this one. */
static uint64_t csr_read(const struct isa_ctx *c, unsigned int lane, unsigned int position,
			 unsigned int csr)
{
	uint8_t fcsr = c->w->fcsr[lane];
	unsigned int wave = (unsigned int)(c->w - c->g->waves);

	switch (csr) {
	case CSR_FFLAGS:
		return fcsr & ISA_FFLAGS_MASK;
	case CSR_FRM:
		return fcsr >> ISA_FRM_SHIFT;
	case CSR_FCSR:
		return fcsr;
	case CSR_CYCLE:
		return c->g->cycle + c->retired + position;
	case CSR_TIME:
		return c->g->time;
	case CSR_INSTRET:
		return c->g->instret + c->retired + position;
	default:
		return read_id(c->g, wave * ISA_LANES + lane, csr);
	}
}

/* Only the floating-point CSRs can be written, see isa_csr_allowed(). */
static uint8_t fcsr_merge(uint8_t fcsr, unsigned int csr, uint64_t value)
{
	uint8_t v = (uint8_t)value;

	if (csr == CSR_FFLAGS)
		return (uint8_t)((fcsr & ~ISA_FFLAGS_MASK) | (v & ISA_FFLAGS_MASK));
	if (csr == CSR_FRM)
		return (uint8_t)((fcsr & ISA_FFLAGS_MASK) | v << ISA_FRM_SHIFT);
	return v;
}

static bool csr_is_write(const struct isa_insn *i)
{
	return i->op == ISA_OP_csrrw || i->op == ISA_OP_csrrwi || i->rs1;
}

static uint64_t csr_new_value(const struct isa_insn *i, uint64_t old, uint64_t arg)
{
	switch (i->op) {
	case ISA_OP_csrrs:
	case ISA_OP_csrrsi:
		return old | arg;
	case ISA_OP_csrrc:
	case ISA_OP_csrrci:
		return old & ~arg;
	default:
		return arg;
	}
}

static enum isa_next exec_csr(struct isa_ctx *c, const struct isa_insn *i)
{
	bool immediate = i->op >= ISA_OP_csrrwi && i->op <= ISA_OP_csrrci;
	unsigned int csr = (unsigned int)i->imm;
	struct isa_wave *w = c->w;
	unsigned int position = 0;

	ISA_FOR_MASK(l, c->mask) {
		uint64_t old = csr_read(c, l, position++, csr);
		uint64_t arg = immediate ? i->rs1 : w->x[i->rs1][l];

		if (csr_is_write(i))
			w->fcsr[l] = fcsr_merge(w->fcsr[l], csr, csr_new_value(i, old, arg));
		w->x[i->rd][l] = old;
	}
	if (csr_is_write(i)) {
		isa_fp_changed(c);
		isa_fp_setup(c);
	}
	return ISA_NEXT;
}

#define GEN_BRANCH(id, name)                                                                  \
	enum isa_next ISA_FULL(id)(struct isa_ctx * c, const struct isa_insn *i)              \
	{                                                                                     \
		return exec_branch(c, i, cond_##name, true);                                  \
	}                                                                                     \
	enum isa_next ISA_SOME(id)(struct isa_ctx * c, const struct isa_insn *i)              \
	{                                                                                     \
		return exec_branch(c, i, cond_##name, false);                                 \
	}                                                                                     \
	enum isa_next ISA_ONE(id)(struct isa_ctx * c, const struct isa_insn *i)               \
	{                                                                                     \
		bool taken = cond_##name(c->w->x[i->rs1][c->lane], c->w->x[i->rs2][c->lane]); \
		int64_t step = taken ? i->imm : (int64_t)isa_insn_len(i->bits);               \
                                                                                              \
		return jump(c, isa_insn_pc(c, i) + (uint64_t)step);                           \
	}
#define GEN_JALR(id, name)                                                           \
	ISA_LANE_HANDLERS(id, exec_jalr(c, i, full))                                 \
	enum isa_next ISA_ONE(id)(struct isa_ctx * c, const struct isa_insn *i)      \
	{                                                                            \
		uint64_t to = c->w->x[i->rs1][c->lane] + (uint64_t)(int64_t)i->imm;  \
                                                                                     \
		c->w->x[i->rd][c->lane] = isa_insn_pc(c, i) + isa_insn_len(i->bits); \
		return jump(c, to & ~1ull);                                          \
	}
#define GEN_CTL(id, name) ISA_SAME_HANDLERS(id, exec_##name(c, i))
#define X(id, mnemonic, match, mask, format, generator, semantics, attr) \
	GEN_##generator(id, semantics)
ISA_INSN_CTL(X)
