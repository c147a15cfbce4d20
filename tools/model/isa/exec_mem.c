// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: loads, stores and atomics
 *
 * Lanes access memory one after the other, lowest first; a lane that faults
 * leaves those below it done and those above it untouched, and run.c continues
 * from there. An aligned access whose page is in the TLB takes one comparison:
 * the mask keeps the low bits that must be zero, so that a misaligned address
 * never matches a tag.
 */
#include <string.h>

#include "internal.h"

ISA_INLINE void *tlb_find(struct isa_engine *e, uint64_t va, unsigned int size,
			  enum isa_access access)
{
	struct isa_tlb_entry *t = isa_tlb_slot(e, va);

	if (likely(t->tag[access] == (va & (ISA_PAGE_MASK | (size - 1)))))
		return (void *)(t->host + (uintptr_t)va);
	return NULL;
}

/*
 * Host address of @imm past lane 0's base, less that base, if the aligned
 * accesses of all lanes go to one page that is in the TLB: neighbouring lanes
 * mostly do. Lanes 0 and 15 tell cheaply when they do not.
 */
ISA_INLINE uintptr_t one_page(struct isa_engine *e, const uint64_t *base, uint64_t imm,
			      unsigned int size, enum isa_access access)
{
	uint64_t first = base[0] + imm;
	uint64_t far = (base[ISA_LANES - 1] + imm) ^ first;
	uint64_t low = 0;
	struct isa_tlb_entry *t;

	if (far & ISA_PAGE_MASK)
		return 0;
	ISA_FOR_ALL(l) {
		far |= (base[l] + imm) ^ first;
		low |= base[l] + imm;
	}
	if ((far & ISA_PAGE_MASK) || (low & (size - 1)))
		return 0;
	t = isa_tlb_slot(e, first);
	if (t->tag[access] != (first & ISA_PAGE_MASK))
		return 0;
	return t->host + (uintptr_t)imm;
}

/* Loads of each type, sign- or zero-extended to a register. */
#define DEFINE_GET(type)                              \
	ISA_INLINE uint64_t get_##type(const void *p) \
	{                                             \
		type v;                               \
                                                      \
		memcpy(&v, p, sizeof(v));             \
		return (uint64_t)(int64_t)v;          \
	}
DEFINE_GET(int8_t)
DEFINE_GET(int16_t)
DEFINE_GET(int32_t)
DEFINE_GET(int64_t)
DEFINE_GET(uint8_t)
DEFINE_GET(uint16_t)
DEFINE_GET(uint32_t)
DEFINE_GET(uint64_t)

ISA_INLINE bool load_lane(struct isa_ctx *c, unsigned int lane, uint64_t va, unsigned int size,
			  uint64_t (*get)(const void *), uint64_t *value)
{
	const void *p = tlb_find(c->e, va, size, ISA_LOAD);
	uint64_t raw, fault_va;
	unsigned int cause;

	if (likely(p)) {
		*value = get(p);
		return true;
	}
	cause = isa_load_slow(c, va, size, &raw, &fault_va);
	if (unlikely(cause)) {
		isa_raise(c, lane, cause, fault_va);
		return false;
	}
	*value = get(&raw);
	return true;
}

/* @box is or-ed in: the NaN box of a 32-bit floating-point load. */
ISA_INLINE enum isa_next exec_load(struct isa_ctx *c, const struct isa_insn *i, uint64_t *d,
				   unsigned int size, uint64_t (*get)(const void *), uint64_t box,
				   bool full)
{
	const uint64_t *a = c->w->x[i->rs1];
	uint64_t imm = (uint64_t)(int64_t)i->imm;
	uintptr_t host;
	uint64_t v;

	if (full) {
		host = one_page(c->e, a, imm, size, ISA_LOAD);
		if (likely(host)) {
			for (unsigned int l = 0; l < ISA_LANES; l++)
				d[l] = get((void *)(host + a[l])) | box;
			return ISA_NEXT;
		}
		for (unsigned int l = 0; l < ISA_LANES; l++) {
			if (!load_lane(c, l, a[l] + imm, size, get, &v))
				return ISA_FAULT;
			d[l] = v | box;
		}
	} else {
		ISA_FOR_MASK(l, c->mask) {
			if (!load_lane(c, l, a[l] + imm, size, get, &v))
				return ISA_FAULT;
			d[l] = v | box;
		}
	}
	return ISA_NEXT;
}

ISA_INLINE bool store_lane(struct isa_ctx *c, unsigned int lane, uint64_t va, unsigned int size,
			   uint64_t value)
{
	void *p = tlb_find(c->e, va, size, ISA_STORE);
	uint64_t fault_va;
	unsigned int cause;

	if (likely(p)) {
		memcpy(p, &value, size);
		return true;
	}
	cause = isa_store_slow(c, va, size, value, &fault_va);
	if (unlikely(cause)) {
		isa_raise(c, lane, cause, fault_va);
		return false;
	}
	return true;
}

ISA_INLINE enum isa_next exec_store(struct isa_ctx *c, const struct isa_insn *i, const uint64_t *s,
				    unsigned int size, bool full)
{
	const uint64_t *a = c->w->x[i->rs1];
	uint64_t imm = (uint64_t)(int64_t)i->imm;
	uintptr_t host;

	if (full) {
		host = one_page(c->e, a, imm, size, ISA_STORE);
		if (likely(host)) {
			for (unsigned int l = 0; l < ISA_LANES; l++)
				memcpy((void *)(host + a[l]), &s[l], size);
			return ISA_NEXT;
		}
		for (unsigned int l = 0; l < ISA_LANES; l++)
			if (!store_lane(c, l, a[l] + imm, size, s[l]))
				return ISA_FAULT;
	} else {
		ISA_FOR_MASK(l, c->mask)
			if (!store_lane(c, l, a[l] + imm, size, s[l]))
				return ISA_FAULT;
	}
	return ISA_NEXT;
}

#define DEFINE_AMO(bits)                                                                   \
	static uint64_t amo_swap_##bits(void *p, uint64_t v)                               \
	{                                                                                  \
		return (uint64_t)__atomic_exchange_n((int##bits##_t *)p, (int##bits##_t)v, \
						     __ATOMIC_SEQ_CST);                    \
	}                                                                                  \
	DEFINE_AMO_OP(add, bits)                                                           \
	DEFINE_AMO_OP(xor, bits)                                                           \
	DEFINE_AMO_OP(and, bits)                                                           \
	DEFINE_AMO_OP(or, bits)                                                            \
	DEFINE_AMO_PICK(min, <, int##bits##_t, bits)                                       \
	DEFINE_AMO_PICK(max, >, int##bits##_t, bits)                                       \
	DEFINE_AMO_PICK(minu, <, uint##bits##_t, bits)                                     \
	DEFINE_AMO_PICK(maxu, >, uint##bits##_t, bits)

/* On unsigned objects, where additions wrap. */
#define DEFINE_AMO_OP(op, bits)                                                    \
	static uint64_t amo_##op##_##bits(void *p, uint64_t v)                     \
	{                                                                          \
		return (uint64_t)(int##bits##_t)__atomic_fetch_##op(               \
			(uint##bits##_t *)p, (uint##bits##_t)v, __ATOMIC_SEQ_CST); \
	}

#define DEFINE_AMO_PICK(name, cmp, type, bits)                                                \
	static uint64_t amo_##name##_##bits(void *p, uint64_t v)                              \
	{                                                                                     \
		type *obj = p;                                                                \
		type old = __atomic_load_n(obj, __ATOMIC_RELAXED);                            \
		type arg = (type)v;                                                           \
		type new;                                                                     \
                                                                                              \
		do {                                                                          \
			new = arg cmp old ? arg : old;                                        \
		} while (!__atomic_compare_exchange_n(obj, &old, new, true, __ATOMIC_SEQ_CST, \
						      __ATOMIC_RELAXED));                     \
		return (uint64_t)(int##bits##_t)old;                                          \
	}

DEFINE_AMO(32)
DEFINE_AMO(64)

ISA_INLINE enum isa_next exec_amo(struct isa_ctx *c, const struct isa_insn *i, unsigned int size,
				  uint64_t (*amo)(void *, uint64_t))
{
	const uint64_t *a = c->w->x[i->rs1];
	const uint64_t *b = c->w->x[i->rs2];
	uint64_t *d = c->w->x[i->rd];
	unsigned int cause;

	ISA_FOR_MASK(l, c->mask) {
		void *p = isa_atomic_ptr(c, a[l], size, ISA_STORE, &cause);

		if (unlikely(!p))
			return isa_raise(c, l, cause, a[l]);
		d[l] = amo(p, b[l]);
	}
	return ISA_NEXT;
}

ISA_INLINE enum isa_next exec_lr(struct isa_ctx *c, const struct isa_insn *i, unsigned int size)
{
	const uint64_t *a = c->w->x[i->rs1];
	struct isa_wave *w = c->w;
	unsigned int cause;

	ISA_FOR_MASK(l, c->mask) {
		uint64_t va = a[l];
		void *p = isa_atomic_ptr(c, va, size, ISA_LOAD, &cause);
		uint64_t v;

		if (unlikely(!p))
			return isa_raise(c, l, cause, va);
		if (size == 4)
			v = (uint64_t)__atomic_load_n((int32_t *)p, __ATOMIC_SEQ_CST);
		else
			v = __atomic_load_n((uint64_t *)p, __ATOMIC_SEQ_CST);
		/* The low bits, zero in an aligned address, tell the size. */
		w->resv_addr[l] = va | (size == 4);
		w->resv_value[l] = v;
		w->resv_valid |= (uint16_t)(1u << l);
		w->x[i->rd][l] = v;
	}
	return ISA_NEXT;
}

static bool cas_32(void *p, uint64_t old, uint64_t value)
{
	uint32_t expected = (uint32_t)old;

	return __atomic_compare_exchange_n((uint32_t *)p, &expected, (uint32_t)value, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static bool cas_64(void *p, uint64_t old, uint64_t value)
{
	return __atomic_compare_exchange_n((uint64_t *)p, &old, value, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

/*
 * Succeeds if the reservation is for this address and size and memory still
 * holds the value that LR read. A failing SC needs no access rights, but a
 * misaligned one always faults.
 */
ISA_INLINE enum isa_next exec_sc(struct isa_ctx *c, const struct isa_insn *i, unsigned int size,
				 bool (*cas)(void *, uint64_t, uint64_t))
{
	const uint64_t *a = c->w->x[i->rs1];
	const uint64_t *b = c->w->x[i->rs2];
	struct isa_wave *w = c->w;
	unsigned int cause;

	ISA_FOR_MASK(l, c->mask) {
		bool done = false;

		if (unlikely(a[l] & (size - 1)))
			return isa_raise(c, l, ISA_CAUSE_STORE_MISALIGNED, a[l]);
		if ((w->resv_valid >> l & 1) && w->resv_addr[l] == (a[l] | (size == 4))) {
			void *p = isa_atomic_ptr(c, a[l], size, ISA_STORE, &cause);

			if (unlikely(!p))
				return isa_raise(c, l, cause, a[l]);
			done = cas(p, w->resv_value[l], b[l]);
		}
		w->resv_valid &= (uint16_t)~(1u << l);
		w->x[i->rd][l] = !done;
	}
	return ISA_NEXT;
}

#define GEN(id, call)                                                            \
	enum isa_next isa_full_##id(struct isa_ctx *c, const struct isa_insn *i) \
	{                                                                        \
		const bool full = true;                                          \
                                                                                 \
		return call;                                                     \
	}                                                                        \
	enum isa_next isa_some_##id(struct isa_ctx *c, const struct isa_insn *i) \
	{                                                                        \
		const bool full = false;                                         \
                                                                                 \
		return call;                                                     \
	}
#define GEN_LOAD(id, type) \
	GEN(id, exec_load(c, i, c->w->x[i->rd], sizeof(type), get_##type, 0, full))
#define GEN_FLOAD(id, type)                                               \
	GEN(id, exec_load(c, i, c->w->f[i->rd], sizeof(type), get_##type, \
			  sizeof(type) == 4 ? 0xffffffffull << 32 : 0, full))
#define GEN_STORE(id, type) GEN(id, exec_store(c, i, c->w->x[i->rs2], sizeof(type), full))
#define GEN_FSTORE(id, type) GEN(id, exec_store(c, i, c->w->f[i->rs2], sizeof(type), full))

/* Lanes take turns anyway: one handler serves both. */
#define GEN_ONE(id, call)                                                        \
	enum isa_next isa_some_##id(struct isa_ctx *c, const struct isa_insn *i) \
	{                                                                        \
		return call;                                                     \
	}                                                                        \
	enum isa_next isa_full_##id(struct isa_ctx *c, const struct isa_insn *i) \
	{                                                                        \
		return isa_some_##id(c, i);                                      \
	}
#define CAS_FOR_int32_t cas_32
#define CAS_FOR_int64_t cas_64
#define GEN_LR(id, type) GEN_ONE(id, exec_lr(c, i, sizeof(type)))
#define GEN_SC(id, type) GEN_ONE(id, exec_sc(c, i, sizeof(type), CAS_FOR_##type))
#define GEN_AMO(id, op) GEN_ONE(id, exec_amo(c, i, ISA_AMO_SIZE(id), amo_##op))
#define ISA_AMO_SIZE(id) ISA_ATTR_STORE(isa_insn_info[ISA_OP_##id].attr)
#define X(id, mnemonic, match, mask, format, generator, semantics, attr) \
	GEN_##generator(id, semantics)
ISA_INSN_MEM(X)
