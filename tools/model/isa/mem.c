// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: memory
 *
 * The handlers of exec_mem.c look into the software TLB themselves. What they
 * do not find comes here: the local memory window (never in the TLB, so that
 * groups can alternate on an engine), misaligned accesses, page crossings,
 * addresses outside all windows, and TLB misses.
 *
 * A TLB entry has one tag per kind of access, so that the owner sees the first
 * write to a page that was only read before, and can set its D bit.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static const uint8_t access_fault[] = {
	[ISA_FETCH] = ISA_CAUSE_FETCH_ACCESS,
	[ISA_LOAD] = ISA_CAUSE_LOAD_ACCESS,
	[ISA_STORE] = ISA_CAUSE_STORE_ACCESS,
};

static const uint8_t prot_bit[] = {
	[ISA_FETCH] = ISA_PROT_EXEC,
	[ISA_LOAD] = ISA_PROT_READ,
	[ISA_STORE] = ISA_PROT_WRITE,
};

static void tlb_fill(struct isa_engine *e, uint64_t va, const struct isa_xlat *x)
{
	struct isa_tlb_entry *t = isa_tlb_slot(e, va);
	uint64_t tag = va & ISA_PAGE_MASK;
	unsigned int a;

	t->host = (uintptr_t)x->page - (uintptr_t)tag;
	for (a = ISA_FETCH; a <= ISA_STORE; a++)
		t->tag[a] = x->prot & prot_bit[a] ? tag : ISA_TLB_EMPTY;
}

/*
 * Host address of @va, which is a client address whose access stays within its
 * page, or NULL and a cause.
 */
void *isa_page(struct isa_engine *e, uint64_t va, unsigned int size, enum isa_access access,
	       unsigned int *cause)
{
	struct isa_tlb_entry *t = isa_tlb_slot(e, va);
	struct isa_xlat x = { 0 };
	int ret;

	if (t->tag[access] == (va & ISA_PAGE_MASK))
		return (void *)(t->host + (uintptr_t)va);
	if (va >= ISA_VA_LIMIT) {
		*cause = access_fault[access];
		return NULL;
	}
	ret = e->ops->translate(e->opaque, va, size, access, &x);
	if (ret > 0) {
		*cause = (unsigned int)ret;
		return NULL;
	}
	if (ret < 0 || !x.page || !(x.prot & prot_bit[access])) {
		*cause = access_fault[access];
		return NULL;
	}
	if (!x.nocache)
		tlb_fill(e, va, &x);
	return (uint8_t *)x.page + (va & ~ISA_PAGE_MASK);
}

/* NULL unless all of the access is in the group's local memory. */
static uint8_t *local_ptr(const struct isa_group *g, uint64_t va, unsigned int size)
{
	uint64_t off = va - ISA_LOCAL_BASE;

	if (va < ISA_LOCAL_BASE || off + size > g->d.local_bytes)
		return NULL;
	return g->local + off;
}

/*
 * An access as one or two pieces of host memory: the second one begins at the
 * page boundary.
 */
struct pieces {
	uint8_t *ptr[2];
	unsigned int len[2];
};

static unsigned int find_pieces(struct isa_ctx *c, uint64_t va, unsigned int size,
				enum isa_access access, struct pieces *p, uint64_t *fault_va)
{
	uint64_t left = ISA_PAGE_SIZE - (va & ~ISA_PAGE_MASK);
	unsigned int cause = 0;

	*fault_va = va;
	p->len[0] = left < size ? (unsigned int)left : size;
	p->len[1] = size - p->len[0];
	p->ptr[1] = NULL;
	if (va >= ISA_LOCAL_BASE) {
		p->len[0] = size;
		p->len[1] = 0;
		p->ptr[0] = local_ptr(c->g, va, size);
		return p->ptr[0] ? 0 : access_fault[access];
	}
	p->ptr[0] = isa_page(c->e, va, p->len[0], access, &cause);
	if (!p->ptr[0])
		return cause;
	if (!p->len[1])
		return 0;
	*fault_va = va + p->len[0];
	p->ptr[1] = isa_page(c->e, *fault_va, p->len[1], access, &cause);
	return p->ptr[1] ? 0 : cause;
}

/* Whole objects are copied with one host access, so that they do not tear. */
static void copy(void *dst, const void *src, unsigned int size)
{
	switch (size) {
	case 8:
		memcpy(dst, src, 8);
		break;
	case 4:
		memcpy(dst, src, 4);
		break;
	case 2:
		memcpy(dst, src, 2);
		break;
	default:
		memcpy(dst, src, size);
		break;
	}
}

unsigned int isa_load_slow(struct isa_ctx *c, uint64_t va, unsigned int size, uint64_t *value,
			   uint64_t *fault_va)
{
	struct pieces p;
	unsigned int cause;

	cause = find_pieces(c, va, size, ISA_LOAD, &p, fault_va);
	if (cause)
		return cause;
	if (va >= ISA_LOCAL_BASE)
		c->local_bytes += size;
	*value = 0;
	copy(value, p.ptr[0], p.len[0]);
	if (p.len[1])
		copy((uint8_t *)value + p.len[0], p.ptr[1], p.len[1]);
	return 0;
}

unsigned int isa_store_slow(struct isa_ctx *c, uint64_t va, unsigned int size, uint64_t value,
			    uint64_t *fault_va)
{
	struct pieces p;
	unsigned int cause;

	cause = find_pieces(c, va, size, ISA_STORE, &p, fault_va);
	if (cause)
		return cause;
	if (va >= ISA_LOCAL_BASE)
		c->local_bytes += size;
	copy(p.ptr[0], &value, p.len[0]);
	if (p.len[1])
		copy(p.ptr[1], (uint8_t *)&value + p.len[0], p.len[1]);
	return 0;
}

void *isa_atomic_ptr(struct isa_ctx *c, uint64_t va, unsigned int size, enum isa_access access,
		     unsigned int *cause)
{
	void *p;

	if (va & (size - 1)) {
		*cause = access == ISA_LOAD ? ISA_CAUSE_LOAD_MISALIGNED :
					      ISA_CAUSE_STORE_MISALIGNED;
		return NULL;
	}
	if (va < ISA_LOCAL_BASE)
		return isa_page(c->e, va, size, access, cause);
	p = local_ptr(c->g, va, size);
	if (!p)
		*cause = access_fault[access];
	return p;
}

void isa_tlb_flush(struct isa_engine *e)
{
	memset(e->tlb, 0xff, sizeof(e->tlb));
	isa_code_flush(e);
}

#ifdef __x86_64__
static bool host_is_v3(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
	       __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("movbe") &&
	       __builtin_cpu_supports("f16c");
}
#endif

struct isa_engine *isa_engine_new_for(const struct isa_ops *ops, void *opaque, enum isa_host host)
{
	struct isa_engine *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->ops = ops;
	e->opaque = opaque;
	e->unit_cycles = 1;
	e->run = isa_run_base;
#ifdef __x86_64__
	if (host == ISA_HOST_BEST && host_is_v3())
		e->run = isa_run_v3;
	e->use_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
	(void)host;
#endif
	isa_tlb_flush(e);
	return e;
}

struct isa_engine *isa_engine_new(const struct isa_ops *ops, void *opaque)
{
	return isa_engine_new_for(ops, opaque, ISA_HOST_BEST);
}

enum isa_stop isa_run(struct isa_engine *e, struct isa_group *g, uint64_t budget, uint64_t *retired,
		      struct isa_fault *fault)
{
	return e->run(e, g, budget, retired, fault);
}

void isa_engine_free(struct isa_engine *e)
{
	free(e);
}

void isa_engine_set_unit_cycles(struct isa_engine *e, uint32_t cycles)
{
	e->unit_cycles = cycles;
}

struct isa_counters *isa_engine_counters(struct isa_engine *e)
{
	return &e->counters;
}
