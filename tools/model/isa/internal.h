/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the ISA engine; not for its users. */
#ifndef TESS_MODEL_ISA_INTERNAL_H
#define TESS_MODEL_ISA_INTERNAL_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "insn.h"
#include "isa.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define ISA_INLINE static inline __attribute__((always_inline))

/*
 * What executes is compiled for x86-64-v3, too (isa.mk), and isa_run() takes the best that the
 * host has. Names of such files, as they are linked:
 */
#define ISA_PASTE(name, variant) name##_##variant
#define ISA_EXPAND(name, variant) ISA_PASTE(name, variant)
#ifdef ISA_VARIANT
#define ISA_NAME(name) ISA_EXPAND(name, ISA_VARIANT)
#else
#define ISA_NAME(name) name
#endif

#ifdef __AVX2__
#define ISA_HAVE_VECTORS true /* of 64 bits, with all operations */
#else
#define ISA_HAVE_VECTORS false
#endif

#define ISA_PAGE_MASK (~(uint64_t)(ISA_PAGE_SIZE - 1))
#define ISA_X_SINK 32 /* row of isa_wave.x that stands for rd = x0 */
#define ISA_ALL_LANES 0xffffu

/* Rounding modes as encoded in frm and in instructions. */
enum isa_rm {
	ISA_RM_RNE = 0,
	ISA_RM_RTZ = 1,
	ISA_RM_RDN = 2,
	ISA_RM_RUP = 3,
	ISA_RM_RMM = 4,
	ISA_RM_DYN = 7,
};

#define ISA_FFLAGS_MASK 0x1fu
#define ISA_FRM_SHIFT 5

/*
 * A decoded instruction. @off is the distance from the start of its block in
 * half-words; @bits are the fetched bits (16 for a compressed instruction).
 */
struct isa_insn {
	uint16_t op;
	uint8_t rd;
	uint8_t rs1;
	uint8_t rs2;
	uint8_t rs3;
	uint8_t rm;
	uint8_t off;
	int32_t imm;
	uint32_t bits;
};

#define ISA_BLOCK_MAX 64u /* instructions; @off must fit in 8 bits */

/* Counters that the instructions of a block alone determine */
struct isa_static_sum {
	uint32_t flops;
	uint32_t load_bytes;
	uint32_t store_bytes;
};

struct isa_block {
	uint64_t pc;
	struct isa_insn *insn;
	/* Blocks that followed last: fall-through and taken, if still valid. */
	struct isa_block *link[2];
	uint32_t size; /* bytes of code */
	uint16_t nr; /* instructions */
	uint8_t ctl; /* the last one is a control transfer */
	uint8_t hostfp; /* one of them uses host FP */
	struct isa_static_sum sum; /* of one lane that runs all of it */
};

#define ISA_TLB_BITS 8
#define ISA_TLB_SIZE (1u << ISA_TLB_BITS)
#define ISA_TLB_EMPTY (~0ull) /* no page address, no masked access */

/* @host + va is the host address, for a va of the page. */
struct isa_tlb_entry {
	uint64_t tag[3]; /* by enum isa_access */
	uintptr_t host;
};

#define ISA_NR_BLOCKS 2048u
#define ISA_OP_END ISA_NR_OPS /* behind the last instruction of a block */
#define ISA_NR_INSNS 16384u
#define ISA_BLOCK_HASH 2048u

struct isa_engine {
	struct isa_tlb_entry tlb[ISA_TLB_SIZE];
	const struct isa_ops *ops;
	void *opaque;
	struct isa_counters counters;
	uint32_t unit_cycles;
	/* Counts flushes: a block pointer is valid while it stays the same. */
	uint32_t code_gen;
	uint32_t nr_blocks;
	uint32_t nr_insns;
	bool use_fma; /* the host has fused multiply-add */
	/* isa_run() as compiled for this host */
	enum isa_stop (*run)(struct isa_engine *e, struct isa_group *g, uint64_t budget,
			     uint64_t *retired, struct isa_fault *fault);
	/*
	 * Block numbers by pc. An entry may be of an earlier generation: it is
	 * good if it names a block in use that starts at the pc sought.
	 */
	uint16_t hash[ISA_BLOCK_HASH];
	struct isa_block blocks[ISA_NR_BLOCKS];
	struct isa_insn insns[ISA_NR_INSNS];
};

_Static_assert(sizeof(struct isa_engine) <= 512 * 1024, "one engine per slice");

/* What a handler returns. */
enum isa_next {
	ISA_NEXT, /* go on with the following instruction */
	ISA_JUMP, /* all lanes of the mask go to next_pc */
	ISA_SPLIT, /* lanes went separate ways, wave->pc is up to date */
	ISA_FAULT, /* see struct isa_ctx fault fields */
};

struct isa_ctx;
typedef enum isa_next (*isa_handler)(struct isa_ctx *c, const struct isa_insn *i);

/*
 * State of one isa_run(). Between handlers wave->pc of the lanes in @mask is
 * stale: they are all at the instruction being executed.
 */
struct isa_ctx {
	struct isa_wave *w;
	struct isa_engine *e;
	struct isa_group *g;
	uint64_t retired; /* by this run, before the current block */
	uint64_t block_pc;
	uint64_t next_pc; /* for ISA_JUMP */
	uint32_t mask; /* lanes that execute */
	uint32_t lane; /* the first of them */
	const isa_handler *handlers; /* of the kind for them */
	uint64_t pick[ISA_LANES]; /* all ones for each of some of them, with ISA_HAVE_VECTORS */
	const struct isa_insn *at; /* which instruction did not return ISA_NEXT */
	uint8_t frm; /* that of all lanes of @fp_mask, ISA_RM_DYN if they differ */
	/*
	 * Sticky flags of the host's FP unit. They are flags that all lanes of
	 * @fp_mask have set in their fcsr, so a new one means work to do.
	 */
	uint32_t fp_sticky;
	uint32_t fp_mask;
	/* Valid after ISA_FAULT; lanes of @mask below fault_lane are through. */
	uint32_t fault_lane;
	uint32_t fault_cause;
	uint64_t fault_va;
	/* Private memory of the group, and the pages that it has a part of */
	uint64_t private_base;
	uint64_t private_size;
	uint64_t private_page;
	uint64_t private_pages; /* bytes of them */
	/* As in struct isa_counters, by this run */
	uint64_t private_bytes;
	uint64_t local_bytes;
};

/*
 * Three handlers per instruction: all 16 lanes, those in c->mask, or the only one of the mask,
 * which is c->lane. Each calls the handler of the next instruction by itself, and so executes
 * the rest of its block.
 */
#define X(id, mnemonic, match, mask, format, generator, semantics, attr)          \
	enum isa_next ISA_FULL(id)(struct isa_ctx * c, const struct isa_insn *i); \
	enum isa_next ISA_SOME(id)(struct isa_ctx * c, const struct isa_insn *i); \
	enum isa_next ISA_ONE(id)(struct isa_ctx * c, const struct isa_insn *i);
#define ISA_FULL(id) ISA_NAME(isa_full_##id)
#define ISA_SOME(id) ISA_NAME(isa_some_##id)
#define ISA_ONE(id) ISA_NAME(isa_one_##id)
ISA_INSN(X)
#undef X

/*
 * Loops over lanes. ISA_FOR_ALL has a constant trip count and no carried
 * dependence (register rows are the same or disjoint), so it vectorises.
 */
#define ISA_FOR_ALL(l) _Pragma("GCC ivdep") for (unsigned int l = 0; l < ISA_LANES; l++)
#define ISA_FOR_MASK(l, m)                                                                       \
	for (uint32_t l##_left = (m), l; l##_left && (l = (uint32_t)__builtin_ctz(l##_left), 1); \
	     l##_left &= l##_left - 1)

/*
 * Lanes that are not in the mask keep what they have. A vector unit does all and picks, which is
 * faster than one by one as soon as there are two; but not for what it has no operation for.
 */
#define ISA_FOR_LANES(c, full, vector, d, value)                                      \
	do {                                                                          \
		if (full) {                                                           \
			ISA_FOR_ALL(l)                                                \
				(d)[l] = (value);                                     \
		} else if (ISA_HAVE_VECTORS && (vector)) {                            \
			const uint64_t *pick_ = (c)->pick;                            \
                                                                                      \
			ISA_FOR_ALL(l)                                                \
				(d)[l] = ((value) & pick_[l]) | ((d)[l] & ~pick_[l]); \
		} else {                                                              \
			ISA_FOR_MASK(l, (c)->mask)                                    \
				(d)[l] = (value);                                     \
		}                                                                     \
	} while (0)

/* By operation; what stands behind the last instruction of a block, ISA_OP_END, ends it. */
#define isa_full_handlers ISA_NAME(isa_full_handlers)
#define isa_some_handlers ISA_NAME(isa_some_handlers)
#define isa_one_handlers ISA_NAME(isa_one_handlers)
extern const isa_handler isa_full_handlers[ISA_NR_OPS + 1];
extern const isa_handler isa_some_handlers[ISA_NR_OPS + 1];
extern const isa_handler isa_one_handlers[ISA_NR_OPS + 1];

/* What a handler ends with; @handlers are of its own kind. */
ISA_INLINE enum isa_next isa_chain(struct isa_ctx *c, const struct isa_insn *i, enum isa_next next,
				   const isa_handler *handlers)
{
	if (unlikely(next != ISA_NEXT)) {
		c->at = i;
		return next;
	}
	i++;
	return handlers[i->op](c, i);
}

/* A handler that executes @call, which may depend on "full", and then the rest of the block */
#define ISA_HANDLER(name, handlers, is_full, call)                      \
	enum isa_next name(struct isa_ctx *c, const struct isa_insn *i) \
	{                                                               \
		const bool full = is_full;                              \
                                                                        \
		(void)full;                                             \
		return isa_chain(c, i, call, handlers);                 \
	}
#define ISA_LANE_HANDLERS(id, call)                              \
	ISA_HANDLER(ISA_FULL(id), isa_full_handlers, true, call) \
	ISA_HANDLER(ISA_SOME(id), isa_some_handlers, false, call)
/* One lane as the mask that it is */
#define ISA_HANDLERS(id, call)      \
	ISA_LANE_HANDLERS(id, call) \
	ISA_HANDLER(ISA_ONE(id), isa_one_handlers, false, call)
/* Where lanes take turns anyway, there is one function for all kinds. */
#define ISA_SAME_HANDLERS(id, call)                                                        \
	static __attribute__((noinline)) enum isa_next same_##id(struct isa_ctx *c,        \
								 const struct isa_insn *i) \
	{                                                                                  \
		return call;                                                               \
	}                                                                                  \
	ISA_HANDLERS(id, same_##id(c, i))

/*
 * Program counters are read and written as vectors where there are some: a vector that is read has
 * to wait until single words of it are written to the cache.
 */
#ifdef __AVX2__
#define ISA_VECTOR_LANES 4
#define ISA_VECTORS (ISA_LANES / ISA_VECTOR_LANES)

ISA_INLINE __m256i isa_pc_vector(const struct isa_wave *w, unsigned int n)
{
	return _mm256_loadu_si256((const __m256i *)(w->pc + ISA_VECTOR_LANES * n));
}

/* Lanes of the wave that are at @pc, running or not */
ISA_INLINE uint32_t isa_lanes_at(const struct isa_wave *w, uint64_t pc)
{
	__m256i at = _mm256_set1_epi64x((long long)pc);
	uint32_t lanes = 0;

	for (unsigned int n = 0; n < ISA_VECTORS; n++) {
		__m256i same = _mm256_cmpeq_epi64(isa_pc_vector(w, n), at);

		lanes |= (uint32_t)_mm256_movemask_pd((__m256d)same) << ISA_VECTOR_LANES * n;
	}
	return lanes;
}

ISA_INLINE void isa_set_pc(struct isa_wave *w, uint32_t mask, uint64_t pc)
{
	const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
	__m256i to = _mm256_set1_epi64x((long long)pc);

	for (unsigned int n = 0; n < ISA_VECTORS; n++) {
		__m256i part = _mm256_set1_epi64x(mask >> ISA_VECTOR_LANES * n);
		__m256i in = _mm256_cmpeq_epi64(_mm256_and_si256(part, bit), bit);

		if (!(mask >> ISA_VECTOR_LANES * n & ((1u << ISA_VECTOR_LANES) - 1)))
			continue;
		_mm256_storeu_si256((__m256i *)(w->pc + ISA_VECTOR_LANES * n),
				    _mm256_blendv_epi8(isa_pc_vector(w, n), to, in));
	}
}
#else
ISA_INLINE uint32_t isa_lanes_at(const struct isa_wave *w, uint64_t pc)
{
	uint32_t lanes = 0;

	for (unsigned int l = 0; l < ISA_LANES; l++)
		lanes |= (uint32_t)(w->pc[l] == pc) << l;
	return lanes;
}

ISA_INLINE void isa_set_pc(struct isa_wave *w, uint32_t mask, uint64_t pc)
{
	ISA_FOR_MASK(l, mask)
		w->pc[l] = pc;
}
#endif

ISA_INLINE enum isa_next isa_raise(struct isa_ctx *c, unsigned int lane, unsigned int cause,
				   uint64_t va)
{
	c->fault_lane = lane;
	c->fault_cause = cause;
	c->fault_va = va;
	return ISA_FAULT;
}

/* The first lane of the mask raises an illegal instruction exception. */
#define isa_raise_illegal ISA_NAME(isa_raise_illegal)
enum isa_next isa_raise_illegal(struct isa_ctx *c, const struct isa_insn *i);

ISA_INLINE unsigned int isa_insn_len(uint32_t bits)
{
	return (bits & 3) == 3 ? 4 : 2;
}

ISA_INLINE uint64_t isa_insn_pc(const struct isa_ctx *c, const struct isa_insn *i)
{
	return c->block_pc + 2u * i->off;
}

ISA_INLINE bool isa_is_private(const struct isa_ctx *c, uint64_t va)
{
	return va - c->private_base < c->private_size;
}

/* An access of @bytes that did not fault: count them apart if they are not global. */
ISA_INLINE void isa_count_apart(struct isa_ctx *c, uint64_t va, unsigned int bytes)
{
	if (isa_is_private(c, va))
		c->private_bytes += bytes;
	else if (va >= ISA_LOCAL_BASE)
		c->local_bytes += bytes;
}

/* run.c, as compiled for each kind of host. */
enum isa_stop isa_run_base(struct isa_engine *e, struct isa_group *g, uint64_t budget,
			   uint64_t *retired, struct isa_fault *fault);
enum isa_stop isa_run_v3(struct isa_engine *e, struct isa_group *g, uint64_t budget,
			 uint64_t *retired, struct isa_fault *fault);

/* decode.c. Fills all of @out but @off; what is unknown is ISA_OP_illegal. */
void isa_decode(uint32_t bits, struct isa_insn *out);
bool isa_csr_allowed(unsigned int csr, bool write);
/* The CSR counts instructions, so its reader needs an exact count. */
bool isa_csr_counts(unsigned int csr);

struct isa_insn_info {
	const char *mnemonic;
	uint32_t match;
	uint32_t mask;
	uint32_t attr;
	enum isa_format format;
};

extern const struct isa_insn_info isa_insn_info[ISA_NR_OPS];

/* rvc.c: the 32-bit instruction that @bits stand for, 0 if there is none. */
uint32_t isa_expand(uint16_t bits);

/* block.c: NULL with *@cause and *@va set if the first fetch faults. */
struct isa_block *isa_block_get(struct isa_engine *e, uint64_t pc, unsigned int *cause,
				uint64_t *va);

/* mem.c; accesses of @size <= 8 bytes at any alignment, 0 or a cause. */
void *isa_page(struct isa_engine *e, uint64_t va, unsigned int size, enum isa_access access,
	       unsigned int *cause);
unsigned int isa_load_slow(struct isa_ctx *c, uint64_t va, unsigned int size, uint64_t *value,
			   uint64_t *fault_va);
unsigned int isa_store_slow(struct isa_ctx *c, uint64_t va, unsigned int size, uint64_t value,
			    uint64_t *fault_va);
/* Host address of an aligned object for an atomic access, or NULL. */
void *isa_atomic_ptr(struct isa_ctx *c, uint64_t va, unsigned int size, enum isa_access access,
		     unsigned int *cause);

ISA_INLINE struct isa_tlb_entry *isa_tlb_slot(struct isa_engine *e, uint64_t va)
{
	/* Fold, so that private memories a power of two apart do not collide. */
	uint64_t vpn = va >> 12;

	return &e->tlb[(vpn ^ (vpn >> ISA_TLB_BITS) ^ (vpn >> (2 * ISA_TLB_BITS))) &
		       (ISA_TLB_SIZE - 1)];
}

/*
 * exec_fp.c. fcsr of some lane, or the wave, changed: forget what is known of
 * them. Before host FP is used for c->mask, isa_fp_setup().
 */
#define isa_fp_changed ISA_NAME(isa_fp_changed)
#define isa_fp_setup ISA_NAME(isa_fp_setup)
void isa_fp_changed(struct isa_ctx *c);
void isa_fp_setup(struct isa_ctx *c);

#endif
