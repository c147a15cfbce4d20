// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: MMU
 *
 * Two-stage translation as in the RISC-V privileged specification: Sv39 owned
 * by the client, Sv39x4 owned by the host, both with hardware A and D bits.
 *
 * Tables lie in memory that the client or the host may change at any time, so
 * each PTE is read once and checked on the copy, and A and D are set with a
 * compare-exchange on the value that was checked. If somebody else changed it
 * meanwhile the walk starts again; a client that keeps changing it gets a page
 * fault instead of keeping the model busy.
 *
 * A walk ends in a host address. Translations are cached per 4 KiB page, also
 * for 2 MiB leaves: bus memory is contiguous in the host by pages only.
 */
#include "mmu.h"

#include <endian.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu_priv.h"

#define MMU_RETRIES 16
#define PTE_RWX (TESS_PTE_R | TESS_PTE_W | TESS_PTE_X)
#define PAGE_MASK_4K ((uint64_t)TESS_PAGE_SIZE - 1)
#define TAG_VALID BIT_ULL(63)

enum walk_result {
	WALK_OK,
	WALK_FAULT,
	WALK_AGAIN,
};

/*
 * A walk in progress.
 * @prot: rights that both stages give
 */
struct walk {
	struct slice *s;
	enum isa_access access;
	uint32_t prot;
	struct mmu_fault *fault;
};

static const uint8_t access_cause[] = {
	[ISA_FETCH] = DRM_TESSERA_CAUSE_FETCH_ACCESS,
	[ISA_LOAD] = DRM_TESSERA_CAUSE_LOAD_ACCESS,
	[ISA_STORE] = DRM_TESSERA_CAUSE_STORE_ACCESS,
};

static const uint8_t page_cause[] = {
	[ISA_FETCH] = DRM_TESSERA_CAUSE_FETCH_PAGE,
	[ISA_LOAD] = DRM_TESSERA_CAUSE_LOAD_PAGE,
	[ISA_STORE] = DRM_TESSERA_CAUSE_STORE_PAGE,
};

static const uint8_t guest_page_cause[] = {
	[ISA_FETCH] = DRM_TESSERA_CAUSE_FETCH_GUEST_PAGE,
	[ISA_LOAD] = DRM_TESSERA_CAUSE_LOAD_GUEST_PAGE,
	[ISA_STORE] = DRM_TESSERA_CAUSE_STORE_GUEST_PAGE,
};

static const uint64_t access_pte[] = {
	[ISA_FETCH] = TESS_PTE_X,
	[ISA_LOAD] = TESS_PTE_R,
	[ISA_STORE] = TESS_PTE_W,
};

static enum walk_result walk_fail(struct walk *w, uint32_t cause)
{
	w->fault->cause = cause;
	return WALK_FAULT;
}

static enum walk_result walk_no_memory(struct walk *w)
{
	return walk_fail(w, access_cause[w->access]);
}

static enum walk_result walk_host_fault(struct walk *w, uint64_t gpa, enum isa_access access)
{
	w->fault->host = true;
	w->fault->host_access = access;
	w->fault->gpa = gpa;
	return walk_fail(w, guest_page_cause[w->access]);
}

/* Links between the slice and a bank: the slices form a ring. */
static unsigned int bank_hops(const struct slice *s, unsigned int bank)
{
	unsigned int n = s->gpu->desc.nr_slices;
	unsigned int d = bank > s->id ? bank - s->id : s->id - bank;

	return d < n - d ? d : n - d;
}

static enum walk_result vram_page(struct walk *w, uint64_t off, bool fabric, struct mmu_page *out)
{
	const struct gpu_desc *d = &w->s->gpu->desc;
	unsigned int bank = (unsigned int)(off / d->bank_size);

	if (bank >= d->nr_slices)
		return walk_no_memory(w);
	if (fabric && bank != w->s->id && !(w->s->host.link_mask >> bank & 1))
		return walk_fail(w, DRM_TESSERA_CAUSE_LINK_DISABLED);
	out->host = (uint8_t *)d->vram + off;
	out->system = false;
	out->hops = (uint8_t)bank_hops(w->s, bank);
	return WALK_OK;
}

/*
 * Host address of the page at physical address @pa. Stage 2's tables do not
 * pass the fabric (@fabric is false): they are the host's, not the client's.
 */
static enum walk_result phys_page(struct walk *w, uint64_t pa, bool write, bool fabric,
				  struct mmu_page *out)
{
	const struct gpu_bus *bus = &w->s->gpu->desc.bus;

	pa &= ~PAGE_MASK_4K;
	if (pa >= TESS_PA_END)
		return walk_no_memory(w);
	if (pa >= TESS_PA_VRAM)
		return vram_page(w, pa - TESS_PA_VRAM, fabric, out);
	out->host = bus->dma_ptr(bus->opaque, pa, TESS_PAGE_SIZE,
				 write ? PROT_READ | PROT_WRITE : PROT_READ);
	out->system = true;
	out->hops = 0;
	return out->host ? WALK_OK : walk_no_memory(w);
}

/*
 * Is the leaf or pointer well-formed at this level? The specification's list,
 * plus: no 1 GiB leaves, reserved and extension bits have to be zero.
 */
static bool pte_valid(uint64_t pte, int level)
{
	if (!(pte & TESS_PTE_V) || pte & TESS_PTE_RESERVED)
		return false;
	if (!(pte & PTE_RWX))
		return level > 0 && !(pte & (TESS_PTE_A | TESS_PTE_D | TESS_PTE_U));
	if (pte & TESS_PTE_W && !(pte & TESS_PTE_R))
		return false;
	if (level > 1)
		return false;
	return level == 0 || !(FIELD_GET(TESS_PTE_PPN, pte) & (TESS_PT_ENTRIES - 1));
}

static uint64_t pte_target(uint64_t pte, int level, uint64_t addr)
{
	uint64_t in_page = (1ULL << TESS_PT_SHIFT(level)) - 1;

	return (uint64_t)FIELD_GET(TESS_PTE_PPN, pte) << 12 | (addr & in_page);
}

static uint64_t pte_load(const uint64_t *p)
{
	return le64toh(__atomic_load_n(p, __ATOMIC_ACQUIRE));
}

/* Replace @old by @new if it is still there. */
static enum walk_result pte_update(uint64_t *p, uint64_t old, uint64_t new)
{
	uint64_t expected = htole64(old);

	if (__atomic_compare_exchange_n(p, &expected, htole64(new), false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return WALK_OK;
	return WALK_AGAIN;
}

static uint64_t pte_used(uint64_t pte, enum isa_access access)
{
	return pte | TESS_PTE_A | (access == ISA_STORE ? TESS_PTE_D : 0);
}

static uint64_t *pte_host(const struct mmu_page *page, uint64_t addr)
{
	return (uint64_t *)(page->host + (addr & PAGE_MASK_4K));
}

static unsigned int pt_index(uint64_t addr, int level, unsigned int entries)
{
	return (unsigned int)(addr >> TESS_PT_SHIFT(level)) & (entries - 1);
}

/* Check and mark a stage-2 leaf at physical address @pte_pa. */
static enum walk_result stage2_leaf(struct walk *w, uint64_t gpa, enum isa_access access,
				    uint64_t pte, uint64_t pte_pa)
{
	uint64_t used = pte_used(pte, access);
	struct mmu_page page;
	enum walk_result r;

	if (!(pte & TESS_PTE_U) || !(pte & access_pte[access]))
		return walk_host_fault(w, gpa, access);
	if (used == pte)
		return WALK_OK;
	r = phys_page(w, pte_pa, true, false, &page);
	return r ? r : pte_update(pte_host(&page, pte_pa), pte, used);
}

static uint32_t pte_prot(uint64_t pte)
{
	return (pte & TESS_PTE_R ? ISA_PROT_READ : 0) | (pte & TESS_PTE_W ? ISA_PROT_WRITE : 0) |
	       (pte & TESS_PTE_X ? ISA_PROT_EXEC : 0);
}

/* Client-physical to physical. */
static enum walk_result stage2(struct walk *w, uint64_t gpa, enum isa_access access, uint64_t *pa,
			       uint32_t *prot)
{
	uint64_t table = w->s->host.stage2_root;
	unsigned int entries = TESS_PT_ROOT2_ENTRIES;

	*prot = ISA_PROT_READ | ISA_PROT_WRITE | ISA_PROT_EXEC;
	*pa = gpa;
	if (gpa >= TESS_PA_END)
		return walk_no_memory(w);
	if (!(w->s->host.control & TESS_HCONTROL_STAGE2))
		return WALK_OK;
	for (int level = TESS_PT_LEVELS - 1;; level--) {
		uint64_t pte_pa = table + pt_index(gpa, level, entries) * 8ULL;
		struct mmu_page page;
		enum walk_result r = phys_page(w, pte_pa, false, false, &page);
		uint64_t pte;

		if (r)
			return r;
		pte = pte_load(pte_host(&page, pte_pa));
		if (!pte_valid(pte, level))
			return walk_host_fault(w, gpa, access);
		if (pte & PTE_RWX) {
			*pa = pte_target(pte, level, gpa);
			*prot = pte_prot(pte);
			return stage2_leaf(w, gpa, access, pte, pte_pa);
		}
		table = pte_target(pte, 0, 0);
		entries = TESS_PT_ENTRIES;
	}
}

/* Host address of a stage-1 PTE. */
static enum walk_result stage1_pte(struct walk *w, uint64_t gpa, enum isa_access access,
				   uint64_t **p)
{
	struct mmu_page page;
	enum walk_result r;
	uint32_t prot;
	uint64_t pa;

	r = stage2(w, gpa, access, &pa, &prot);
	if (r)
		return r;
	r = phys_page(w, pa, access == ISA_STORE, true, &page);
	if (!r)
		*p = pte_host(&page, pa);
	return r;
}

static enum walk_result stage1_leaf(struct walk *w, uint64_t pte, uint64_t pte_gpa, bool user)
{
	uint64_t used = pte_used(pte, w->access);
	enum walk_result r;
	uint64_t *p;

	if (!(pte & access_pte[w->access]) || (user && !(pte & TESS_PTE_U)))
		return walk_fail(w, page_cause[w->access]);
	w->prot = pte_prot(pte);
	if (used == pte)
		return WALK_OK;
	r = stage1_pte(w, pte_gpa, ISA_STORE, &p);
	return r ? r : pte_update(p, pte, used);
}

/* VA to client-physical. */
static enum walk_result stage1(struct walk *w, uint64_t va, bool user, uint64_t *gpa)
{
	uint64_t table = w->s->client.vm_root;

	if (va >= TESS_VA_END)
		return walk_fail(w, page_cause[w->access]);
	for (int level = TESS_PT_LEVELS - 1;; level--) {
		uint64_t pte_gpa = table + pt_index(va, level, TESS_PT_ENTRIES) * 8ULL;
		enum walk_result r;
		uint64_t pte, *p;

		r = stage1_pte(w, pte_gpa, ISA_LOAD, &p);
		if (r)
			return r;
		pte = pte_load(p);
		if (!pte_valid(pte, level))
			return walk_fail(w, page_cause[w->access]);
		if (pte & PTE_RWX) {
			*gpa = pte_target(pte, level, va);
			return stage1_leaf(w, pte, pte_gpa, user);
		}
		table = pte_target(pte, 0, 0);
	}
}

/* No stage 1? */
static bool is_bare(const struct slice *s, enum mmu_mode mode)
{
	return mode == MMU_PHYS || (mode == MMU_PRIV && !s->client.vm_root);
}

static enum walk_result walk_once(struct walk *w, uint64_t va, enum mmu_mode mode,
				  struct mmu_page *out)
{
	enum walk_result r = WALK_OK;
	uint64_t gpa = va, pa;
	uint32_t prot2;

	w->prot = ISA_PROT_READ | ISA_PROT_WRITE | ISA_PROT_EXEC;
	if (!is_bare(w->s, mode))
		r = stage1(w, va, mode == MMU_USER, &gpa);
	if (!r)
		r = stage2(w, gpa, w->access, &pa, &prot2);
	if (!r)
		r = phys_page(w, pa, w->access == ISA_STORE, true, out);
	if (r)
		return r;
	/* [1] D is set by stores only, so only they may open the page for stores. */
	if (w->access != ISA_STORE)
		prot2 &= ~ISA_PROT_WRITE;
	out->prot = (uint8_t)(w->prot & prot2);
	return WALK_OK;
}

int mmu_walk(struct slice *s, uint64_t va, enum mmu_mode mode, enum isa_access access,
	     struct mmu_page *out, struct mmu_fault *fault)
{
	struct walk w = { .s = s, .access = access, .fault = fault };

	memset(fault, 0, sizeof(*fault));
	fault->va = va;
	fault->access = access;
	for (int i = 0; i < MMU_RETRIES; i++) {
		switch (walk_once(&w, va, mode, out)) {
		case WALK_OK:
			return 0;
		case WALK_FAULT:
			return (int)fault->cause;
		case WALK_AGAIN:
			break;
		}
	}
	fault->cause = page_cause[access];
	return (int)fault->cause;
}

int mmu_lookup(struct slice *s, uint64_t va, enum mmu_mode mode, enum isa_access access,
	       struct mmu_page *out, bool *filled, struct mmu_fault *fault)
{
	static const uint8_t need[] = {
		[ISA_FETCH] = ISA_PROT_EXEC,
		[ISA_LOAD] = ISA_PROT_READ,
		[ISA_STORE] = ISA_PROT_WRITE,
	};
	/* Translated in one stage it is good in each address space. */
	enum mmu_mode kind = is_bare(s, mode) ? MMU_PHYS : mode;
	uint64_t vpn = va >> 12;
	uint64_t tag = TAG_VALID | (uint64_t)kind << 60 | vpn;
	struct mmu_page *page = &s->tlb.entry[vpn % MMU_TLB_ENTRIES].page;
	uint64_t *have = &s->tlb.entry[vpn % MMU_TLB_ENTRIES].tag;
	int cause;

	if (filled)
		*filled = false;
	if (*have != tag || !(page->prot & need[access])) {
		cause = mmu_walk(s, va, mode, access, out, fault);
		if (cause)
			return cause;
		*have = tag;
		*page = *out;
		if (filled)
			*filled = true;
	}
	*out = *page;
	return 0;
}

void *mmu_phys(struct slice *s, uint64_t pa, bool write)
{
	struct mmu_fault f = { 0 };
	struct walk w = { .s = s, .access = write ? ISA_STORE : ISA_LOAD, .fault = &f };
	struct mmu_page page;

	return phys_page(&w, pa, write, false, &page) ? NULL : page.host;
}

void mmu_set_vm(struct slice *s, bool flush)
{
	const struct client *c = &s->client;
	bool same = s->tlb.root == c->vm_root && s->tlb.asid == c->vm_asid;

	if (flush || (c->vm_root && !same))
		mmu_flush(s);
	if (!c->vm_root)
		return;
	s->tlb.root = c->vm_root;
	s->tlb.asid = c->vm_asid;
}

void mmu_flush(struct slice *s)
{
	memset(&s->tlb, 0, sizeof(s->tlb));
	isa_tlb_flush(s->engine);
}
