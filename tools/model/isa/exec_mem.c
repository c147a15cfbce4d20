// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: loads, stores and atomics
 *
 * Lanes access memory one after the other, lowest first; a lane that faults
 * leaves those below it done and those above it untouched, and run.c continues
 * from there. An aligned access whose page is in the TLB takes one comparison:
 * the mask keeps the low bits that must be zero, so that a misaligned address
 * never matches a tag.
 *
 * How many bytes move is known from the instructions alone (run.c). Those that are private are
 * counted here, where addresses are known: a row of lanes in one page, as most are, by a look at
 * the page. What is in local memory is never in the TLB, and counted in mem.c.
 *
 * Nobody can tell whether lanes whose addresses are one row, or all the same, went one after the
 * other: their values move at once. Atomics of all lanes on one address become one, of what all
 * of them do together.
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

/* How the addresses of 16 lanes lie */
enum spread {
	SPREAD_FAR, /* in several pages, or in one that is not in the TLB */
	SPREAD_PAGE, /* all in one */
	SPREAD_ROW, /* one behind the other, as an array */
	SPREAD_ONE, /* all the same */
};

/* Bytes of accesses of @size by @mask that are private */
ISA_INLINE uint64_t private_part(const struct isa_ctx *c, const uint64_t *base, uint64_t imm,
				 unsigned int size, uint32_t mask)
{
	uint64_t n = 0;

	if (mask == ISA_ALL_LANES) {
		ISA_FOR_ALL(l)
			n += isa_is_private(c, base[l] + imm);
	} else {
		ISA_FOR_MASK(l, mask)
			n += isa_is_private(c, base[l] + imm);
	}
	return n * size;
}

static __attribute__((noinline, cold)) void
uncount(struct isa_ctx *c, const uint64_t *base, uint64_t imm, unsigned int size, unsigned int lane)
{
	c->private_bytes -= private_part(c, base, imm, size, ISA_ALL_LANES & -(1u << lane));
}

static __attribute__((noinline)) void count_row(struct isa_ctx *c, const uint64_t *base,
						uint64_t imm, unsigned int size)
{
	c->private_bytes += private_part(c, base, imm, size, c->mask);
}

/*
 * If the aligned accesses of all lanes go to one page that is in the TLB, @host + base is where:
 * neighbouring lanes mostly do. Lanes 0 and 15 tell cheaply when they do not.
 */
ISA_INLINE enum spread find_spread(struct isa_ctx *c, const uint64_t *base, uint64_t imm,
				   unsigned int size, enum isa_access access, uintptr_t *host)
{
	uint64_t first = base[0] + imm;
	uint64_t far = (base[ISA_LANES - 1] + imm) ^ first;
	uint64_t low = 0, gaps = 0;
	struct isa_tlb_entry *t;

	if (far & ISA_PAGE_MASK)
		return SPREAD_FAR;
	ISA_FOR_ALL(l) {
		far |= (base[l] + imm) ^ first;
		low |= base[l] + imm;
		gaps |= (base[l] - base[0]) ^ (uint64_t)l * size;
	}
	if ((far & ISA_PAGE_MASK) || (low & (size - 1)))
		return SPREAD_FAR;
	t = isa_tlb_slot(c->e, first);
	if (t->tag[access] != (first & ISA_PAGE_MASK))
		return SPREAD_FAR;
	if (unlikely(first - c->private_page < c->private_pages))
		count_row(c, base, imm, size);
	*host = t->host + (uintptr_t)imm;
	return !far ? SPREAD_ONE : !gaps ? SPREAD_ROW : SPREAD_PAGE;
}

/*
 * A load of each lane from an address in one page. A row that is stored word by word would have
 * to be in the cache before it is read as vectors.
 */
ISA_INLINE void load_page(struct isa_ctx *c, uint64_t *d, const uint64_t *base, uintptr_t host,
			  uint64_t (*get)(const void *), uint64_t box, bool full)
{
#ifdef __AVX2__
	for (unsigned int l = 0; l < ISA_LANES; l += ISA_VECTOR_LANES) {
		__m256i *row = (__m256i *)(d + l);
		__m256i v = _mm256_set_epi64x((long long)get((void *)(host + base[l + 3])),
					      (long long)get((void *)(host + base[l + 2])),
					      (long long)get((void *)(host + base[l + 1])),
					      (long long)get((void *)(host + base[l])));

		v = _mm256_or_si256(v, _mm256_set1_epi64x((long long)box));
		if (!full)
			v = _mm256_blendv_epi8(_mm256_loadu_si256(row), v,
					       _mm256_loadu_si256((__m256i *)(c->pick + l)));
		_mm256_storeu_si256(row, v);
	}
#else
	ISA_FOR_LANES(c, full, false, d, get((void *)(host + base[l])) | box);
#endif
}

/* Loads of each type, sign- or zero-extended to a register. */
#define DEFINE_GET(type)                                                     \
	ISA_INLINE uint64_t get_##type(const void *p)                        \
	{                                                                    \
		type v;                                                      \
                                                                             \
		memcpy(&v, p, sizeof(v));                                    \
		return (uint64_t)(int64_t)v;                                 \
	}                                                                    \
	ISA_INLINE void row_##type(uint64_t *d, const void *p, uint64_t box) \
	{                                                                    \
		type v[ISA_LANES];                                           \
                                                                             \
		memcpy(v, p, sizeof(v));                                     \
		ISA_FOR_ALL(l)                                               \
			d[l] = (uint64_t)(int64_t)v[l] | box;                \
	}                                                                    \
	ISA_INLINE void put_row_##type(void *p, const uint64_t *s)           \
	{                                                                    \
		type v[ISA_LANES];                                           \
                                                                             \
		ISA_FOR_ALL(l)                                               \
			v[l] = (type)s[l];                                   \
		memcpy(p, v, sizeof(v));                                     \
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

ISA_INLINE void count_lane(struct isa_ctx *c, uint64_t va, unsigned int size)
{
	if (unlikely(isa_is_private(c, va)))
		c->private_bytes += size;
}

/* @box is or-ed in: the NaN box of a 32-bit floating-point load. */
ISA_INLINE enum isa_next exec_load(struct isa_ctx *c, const struct isa_insn *i, uint64_t *d,
				   unsigned int size, uint64_t (*get)(const void *),
				   void (*row)(uint64_t *, const void *, uint64_t), uint64_t box,
				   bool full)
{
	const uint64_t *a = c->w->x[i->rs1];
	uint64_t imm = (uint64_t)(int64_t)i->imm;
	uint64_t base[ISA_LANES];
	uintptr_t host;
	uint64_t v;

	if (!full && ISA_HAVE_VECTORS) {
		/* Lanes that do not execute load what the first one loads, and keep what they have. */
		ISA_FOR_ALL(l)
			base[l] = (a[l] & c->pick[l]) | (a[c->lane] & ~c->pick[l]);
		a = base;
	}
	if (full || ISA_HAVE_VECTORS) {
		switch (find_spread(c, a, imm, size, ISA_LOAD, &host)) {
		case SPREAD_ONE:
			v = get((void *)(host + a[0])) | box;
			ISA_FOR_LANES(c, full, true, d, v);
			return ISA_NEXT;
		case SPREAD_ROW:
			if (full) {
				row(d, (void *)(host + a[0]), box);
				return ISA_NEXT;
			}
			/* fall through */
		case SPREAD_PAGE:
			load_page(c, d, a, host, get, box, full);
			return ISA_NEXT;
		default:
			break;
		}
	}
	if (full) {
		/* First: what is loaded may replace the address. */
		c->private_bytes += private_part(c, a, imm, size, ISA_ALL_LANES);
		for (unsigned int l = 0; l < ISA_LANES; l++) {
			if (!load_lane(c, l, a[l] + imm, size, get, &v)) {
				uncount(c, a, imm, size, l);
				return ISA_FAULT;
			}
			d[l] = v | box;
		}
	} else {
		ISA_FOR_MASK(l, c->mask) {
			uint64_t va = a[l] + imm;

			if (!load_lane(c, l, va, size, get, &v))
				return ISA_FAULT;
			count_lane(c, va, size);
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
				    unsigned int size, void (*put_row)(void *, const uint64_t *),
				    bool full)
{
	const uint64_t *a = c->w->x[i->rs1];
	uint64_t imm = (uint64_t)(int64_t)i->imm;
	uintptr_t host;

	if (full) {
		switch (find_spread(c, a, imm, size, ISA_STORE, &host)) {
		case SPREAD_ROW:
			put_row((void *)(host + a[0]), s);
			return ISA_NEXT;
		case SPREAD_ONE:
		case SPREAD_PAGE:
			for (unsigned int l = 0; l < ISA_LANES; l++)
				memcpy((void *)(host + a[l]), &s[l], size);
			return ISA_NEXT;
		default:
			break;
		}
		c->private_bytes += private_part(c, a, imm, size, ISA_ALL_LANES);
		for (unsigned int l = 0; l < ISA_LANES; l++) {
			if (!store_lane(c, l, a[l] + imm, size, s[l])) {
				uncount(c, a, imm, size, l);
				return ISA_FAULT;
			}
		}
	} else {
		ISA_FOR_MASK(l, c->mask) {
			if (!store_lane(c, l, a[l] + imm, size, s[l]))
				return ISA_FAULT;
			count_lane(c, a[l] + imm, size);
		}
	}
	return ISA_NEXT;
}

/*
 * join_NAME(a, b) is one operand that does what first @a and then @b do, and what is in memory
 * after @b came to @a. On unsigned objects, where additions wrap; results are sign-extended.
 */
#define DEFINE_AMO(bits)                                                                   \
	ISA_INLINE uint64_t join_swap_##bits(uint64_t a, uint64_t b)                       \
	{                                                                                  \
		(void)a;                                                                   \
		return (uint64_t)(int##bits##_t)b;                                         \
	}                                                                                  \
	ISA_INLINE uint64_t amo_swap_##bits(void *p, uint64_t v)                           \
	{                                                                                  \
		return (uint64_t)__atomic_exchange_n((int##bits##_t *)p, (int##bits##_t)v, \
						     __ATOMIC_SEQ_CST);                    \
	}                                                                                  \
	DEFINE_AMO_OP(add, +, bits)                                                        \
	DEFINE_AMO_OP(xor, ^, bits)                                                        \
	DEFINE_AMO_OP(and, &, bits)                                                        \
	DEFINE_AMO_OP(or, |, bits)                                                         \
	DEFINE_AMO_PICK(min, <, int##bits##_t, bits)                                       \
	DEFINE_AMO_PICK(max, >, int##bits##_t, bits)                                       \
	DEFINE_AMO_PICK(minu, <, uint##bits##_t, bits)                                     \
	DEFINE_AMO_PICK(maxu, >, uint##bits##_t, bits)

#define DEFINE_AMO_OP(name, op, bits)                                              \
	ISA_INLINE uint64_t join_##name##_##bits(uint64_t a, uint64_t b)           \
	{                                                                          \
		return (uint64_t)(int##bits##_t)(a op b);                          \
	}                                                                          \
	ISA_INLINE uint64_t amo_##name##_##bits(void *p, uint64_t v)               \
	{                                                                          \
		return (uint64_t)(int##bits##_t)__atomic_fetch_##name(             \
			(uint##bits##_t *)p, (uint##bits##_t)v, __ATOMIC_SEQ_CST); \
	}

#define DEFINE_AMO_PICK(name, cmp, type, bits)                                                \
	ISA_INLINE uint64_t join_##name##_##bits(uint64_t a, uint64_t b)                      \
	{                                                                                     \
		return (uint64_t)(int##bits##_t)((type)b cmp(type) a ? b : a);                \
	}                                                                                     \
	ISA_INLINE uint64_t amo_##name##_##bits(void *p, uint64_t v)                          \
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

ISA_INLINE bool all_same(const uint64_t *a, uint32_t mask)
{
	uint64_t first = a[__builtin_ctz(mask)], differ = 0;

	if (mask == ISA_ALL_LANES) {
		ISA_FOR_ALL(l)
			differ |= a[l] ^ first;
	} else {
		ISA_FOR_MASK(l, mask)
			differ |= a[l] ^ first;
	}
	return !differ;
}

/* A lane finds @now in memory. Returns what it leaves there. @d may be where @b comes from. */
ISA_INLINE uint64_t amo_lane(uint64_t *d, uint64_t now, uint64_t b,
			     uint64_t (*join)(uint64_t, uint64_t))
{
	*d = now;
	return join(now, b);
}

/* All lanes have one address: what they do to it one after the other is done at once. */
ISA_INLINE enum isa_next amo_together(struct isa_ctx *c, const struct isa_insn *i,
				      unsigned int size, uint64_t (*amo)(void *, uint64_t),
				      uint64_t (*join)(uint64_t, uint64_t))
{
	unsigned int first = (unsigned int)__builtin_ctz(c->mask);
	const uint64_t *b = c->w->x[i->rs2];
	uint64_t va = c->w->x[i->rs1][first];
	uint64_t *d = c->w->x[i->rd];
	uint64_t all = b[first], now;
	unsigned int cause;
	void *p = isa_atomic_ptr(c, va, size, ISA_STORE, &cause);

	if (unlikely(!p))
		return isa_raise(c, first, cause, va);
	isa_count_apart(c, va, 2 * size * (unsigned int)__builtin_popcount(c->mask));
	if (c->mask == ISA_ALL_LANES) {
		for (unsigned int l = 1; l < ISA_LANES; l++)
			all = join(all, b[l]);
		now = amo(p, all);
		for (unsigned int l = 0; l < ISA_LANES; l++)
			now = amo_lane(&d[l], now, b[l], join);
		return ISA_NEXT;
	}
	ISA_FOR_MASK(l, c->mask & (c->mask - 1))
		all = join(all, b[l]);
	now = amo(p, all);
	ISA_FOR_MASK(l, c->mask)
		now = amo_lane(&d[l], now, b[l], join);
	return ISA_NEXT;
}

ISA_INLINE enum isa_next exec_amo(struct isa_ctx *c, const struct isa_insn *i, unsigned int size,
				  uint64_t (*amo)(void *, uint64_t),
				  uint64_t (*join)(uint64_t, uint64_t))
{
	const uint64_t *a = c->w->x[i->rs1];
	const uint64_t *b = c->w->x[i->rs2];
	uint64_t *d = c->w->x[i->rd];
	unsigned int cause;

	if (all_same(a, c->mask))
		return amo_together(c, i, size, amo, join);
	ISA_FOR_MASK(l, c->mask) {
		void *p = isa_atomic_ptr(c, a[l], size, ISA_STORE, &cause);

		if (unlikely(!p))
			return isa_raise(c, l, cause, a[l]);
		isa_count_apart(c, a[l], 2 * size);
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
		isa_count_apart(c, va, size);
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
		isa_count_apart(c, a[l], size);
		w->resv_valid &= (uint16_t)~(1u << l);
		w->x[i->rd][l] = !done;
	}
	return ISA_NEXT;
}

#define GEN_LOAD(id, type)                                                              \
	ISA_LANE_HANDLERS(id, exec_load(c, i, c->w->x[i->rd], sizeof(type), get_##type, \
					row_##type, 0, full))                           \
	GEN_LOAD_ONE(id, c->w->x[i->rd], type, 0)
#define BOX(type) (sizeof(type) == 4 ? 0xffffffffull << 32 : 0)
#define GEN_FLOAD(id, type)                                                             \
	ISA_LANE_HANDLERS(id, exec_load(c, i, c->w->f[i->rd], sizeof(type), get_##type, \
					row_##type, BOX(type), full))                   \
	GEN_LOAD_ONE(id, c->w->f[i->rd], type, BOX(type))
#define GEN_LOAD_ONE(id, d, type, box)                                              \
	enum isa_next ISA_ONE(id)(struct isa_ctx * c, const struct isa_insn *i)     \
	{                                                                           \
		uint64_t va = c->w->x[i->rs1][c->lane] + (uint64_t)(int64_t)i->imm; \
		uint64_t v;                                                         \
                                                                                    \
		if (!load_lane(c, c->lane, va, sizeof(type), get_##type, &v))       \
			return isa_chain(c, i, ISA_FAULT, isa_one_handlers);        \
		count_lane(c, va, sizeof(type));                                    \
		(d)[c->lane] = v | (box);                                           \
		return isa_chain(c, i, ISA_NEXT, isa_one_handlers);                 \
	}
#define GEN_STORE(id, type)                                                                      \
	ISA_LANE_HANDLERS(id,                                                                    \
			  exec_store(c, i, c->w->x[i->rs2], sizeof(type), put_row_##type, full)) \
	GEN_STORE_ONE(id, c->w->x[i->rs2], type)
#define GEN_FSTORE(id, type)                                                                     \
	ISA_LANE_HANDLERS(id,                                                                    \
			  exec_store(c, i, c->w->f[i->rs2], sizeof(type), put_row_##type, full)) \
	GEN_STORE_ONE(id, c->w->f[i->rs2], type)
#define GEN_STORE_ONE(id, s, type)                                                  \
	enum isa_next ISA_ONE(id)(struct isa_ctx * c, const struct isa_insn *i)     \
	{                                                                           \
		uint64_t va = c->w->x[i->rs1][c->lane] + (uint64_t)(int64_t)i->imm; \
                                                                                    \
		if (!store_lane(c, c->lane, va, sizeof(type), (s)[c->lane]))        \
			return isa_chain(c, i, ISA_FAULT, isa_one_handlers);        \
		count_lane(c, va, sizeof(type));                                    \
		return isa_chain(c, i, ISA_NEXT, isa_one_handlers);                 \
	}

#define CAS_FOR_int32_t cas_32
#define CAS_FOR_int64_t cas_64
#define GEN_LR(id, type) ISA_SAME_HANDLERS(id, exec_lr(c, i, sizeof(type)))
#define GEN_SC(id, type) ISA_SAME_HANDLERS(id, exec_sc(c, i, sizeof(type), CAS_FOR_##type))
#define GEN_AMO(id, op) ISA_SAME_HANDLERS(id, exec_amo(c, i, ISA_AMO_SIZE(id), amo_##op, join_##op))
#define ISA_AMO_SIZE(id) ISA_ATTR_STORE(isa_insn_info[ISA_OP_##id].attr)
#define X(id, mnemonic, match, mask, format, generator, semantics, attr) \
	GEN_##generator(id, semantics)
ISA_INSN_MEM(X)
