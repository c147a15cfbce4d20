// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Page tables
 *
 * Both stages of translation over random tables, against a second translator that is written
 * from Documentation/hw/memory.rst and shares nothing with the first. Result, fault, and every
 * A and D bit in memory have to be the same. Through the cache, what is found has to be what a
 * walk would find as long as tables are followed by an invalidation when they lose something.
 */
#include <string.h>
#include <sys/mman.h>

#include "fuzz.h"
#include "gpu_priv.h"
#include "mmu.h"
#include "rig.h"

#define TABLES RIG_SYS /* sixteen pages that all tables are made of */
#define NR_PAGES 16u
#define SLICE 1u
#define BANK (RIG_VRAM(SLICE))

enum op { ENTRY, LOOKUP, CONTROL, OPS };

/**
 * struct action - a record of the input
 * @op: enum op
 * @page: page of the tables; LOOKUP: mode and access
 * @index: entry of it
 * @val: the entry, the address, the setting
 */
struct action {
	uint8_t op;
	uint8_t page;
	uint16_t index;
	uint32_t pad;
	uint64_t val;
};

static struct rig *rig;
static struct slice *slice;

/* ---- the second translator ---- */

/**
 * struct answer - of the specification
 * @cause: 0 or the fault
 * @pa: physical address
 * @host: it is a fault of stage 2
 * @gpa: of that
 * @kind: what stage 2 was asked for
 */
struct answer {
	int cause;
	uint64_t pa;
	bool host;
	uint64_t gpa;
	enum isa_access kind;
};

static const int access_fault[] = { DRM_TESSERA_CAUSE_FETCH_ACCESS, DRM_TESSERA_CAUSE_LOAD_ACCESS,
				    DRM_TESSERA_CAUSE_STORE_ACCESS };
static const int page_fault[] = { DRM_TESSERA_CAUSE_FETCH_PAGE, DRM_TESSERA_CAUSE_LOAD_PAGE,
				  DRM_TESSERA_CAUSE_STORE_PAGE };
static const int guest_fault[] = { DRM_TESSERA_CAUSE_FETCH_GUEST_PAGE,
				   DRM_TESSERA_CAUSE_LOAD_GUEST_PAGE,
				   DRM_TESSERA_CAUSE_STORE_GUEST_PAGE };

/* A copy of all memory that the second translator works on */
static uint8_t spec_sys[NR_PAGES * TESS_PAGE_SIZE];
static uint8_t spec_vram[NR_PAGES * TESS_PAGE_SIZE];

/* An entry at a physical address: 0, or the cause; VRAM of others only over links */
static int spec_entry(uint64_t pa, bool fabric, uint64_t **entry, enum isa_access access)
{
	static uint64_t nothing;
	uint64_t off = pa - RIG_VRAM(0);

	if (pa >= RIG_SYS && pa < RIG_SYS + RIG_SYS_SIZE) {
		/* Behind the tables there are zeros, which nobody writes */
		nothing = 0;
		*entry = pa < TABLES + sizeof(spec_sys) ? (void *)(spec_sys + (pa - TABLES)) :
							  &nothing;
		return 0;
	}
	if (pa < RIG_VRAM(0) || off >= RIG_SLICES * RIG_BANK)
		return access_fault[access];
	if (fabric && off / RIG_BANK != SLICE && !(slice->host.link_mask >> (off / RIG_BANK) & 1))
		return DRM_TESSERA_CAUSE_LINK_DISABLED;
	nothing = 0;
	*entry = pa >= BANK && pa < BANK + sizeof(spec_vram) ? (void *)(spec_vram + (pa - BANK)) :
							       &nothing;
	return 0;
}

/* 0: bad, 1: pointer, 2: leaf */
static int spec_form(uint64_t pte, int level)
{
	bool v = pte & 1, r = pte >> 1 & 1, w = pte >> 2 & 1, x = pte >> 3 & 1;

	if (!v || (w && !r) || pte >> 54)
		return 0;
	if (!r && !w && !x)
		return level == 0 || pte & 0xd0 ? 0 : 1;
	if (level == 2 || (level == 1 && pte >> 10 & 511))
		return 0;
	return 2;
}

static bool spec_right(uint64_t pte, enum isa_access access)
{
	static const unsigned int bit[] = { 3, 1, 2 };

	return pte >> bit[access] & 1;
}

static uint64_t spec_address(uint64_t pte, int level, uint64_t at)
{
	uint64_t ppn = pte << 10 >> 20;

	return ppn << 12 | (at & ((level ? 1ULL << 21 : 1ULL << 12) - 1));
}

static int spec_stage2(struct answer *a, uint64_t gpa, enum isa_access access,
		       enum isa_access asked, uint64_t *pa)
{
	uint64_t table = slice->host.stage2_root, *p;
	int rc;

	*pa = gpa;
	if (gpa >> 41)
		return access_fault[access];
	if (!(slice->host.control & TESS_HCONTROL_STAGE2))
		return 0;
	for (int level = 2; level >= 0; level--) {
		uint64_t index = gpa >> (12 + 9 * level) & (level == 2 ? 2047 : 511);
		int form;

		rc = spec_entry(table + index * 8, false, &p, access);
		if (rc)
			return rc;
		form = spec_form(*p, level);
		if (form == 1) {
			table = spec_address(*p, 0, 0);
			continue;
		}
		if (!form || !(*p >> 4 & 1) || !spec_right(*p, asked))
			break;
		*pa = spec_address(*p, level, gpa);
		*p |= asked == ISA_STORE ? 0xc0 : 0x40;
		return 0;
	}
	a->host = true;
	a->gpa = gpa;
	a->kind = asked;
	return guest_fault[access];
}

static int spec_stage1(struct answer *a, uint64_t va, bool user, enum isa_access access,
		       uint64_t *gpa)
{
	uint64_t table = slice->client.vm_root, pa, *p;
	int rc;

	if (va >> 38)
		return page_fault[access];
	for (int level = 2; level >= 0; level--) {
		uint64_t at = table + (va >> (12 + 9 * level) & 511) * 8, used;
		int form;

		rc = spec_stage2(a, at, access, ISA_LOAD, &pa);
		rc = rc ?: spec_entry(pa, true, &p, access);
		if (rc)
			return rc;
		form = spec_form(*p, level);
		if (form == 1) {
			table = spec_address(*p, 0, 0);
			continue;
		}
		if (!form || !spec_right(*p, access) || (user && !(*p >> 4 & 1)))
			break;
		*gpa = spec_address(*p, level, va);
		used = *p | (access == ISA_STORE ? 0xc0 : 0x40);
		if (used == *p)
			return 0;
		rc = spec_stage2(a, at, access, ISA_STORE, &pa);
		rc = rc ?: spec_entry(pa, true, &p, access);
		if (!rc)
			*p = used;
		return rc;
	}
	return page_fault[access];
}

static struct answer spec(uint64_t va, enum mmu_mode mode, enum isa_access access)
{
	bool bare = mode == MMU_PHYS || (mode == MMU_PRIV && !slice->client.vm_root);
	struct answer a = { 0 };
	uint64_t gpa = va, *p;

	if (!bare)
		a.cause = spec_stage1(&a, va, mode == MMU_USER, access, &gpa);
	if (!a.cause)
		a.cause = spec_stage2(&a, gpa, access, access, &a.pa);
	if (!a.cause)
		a.cause = spec_entry(a.pa & ~7ULL, true, &p, access);
	return a;
}

/* ---- comparison ---- */

static void lookup(uint64_t va, enum mmu_mode mode, enum isa_access access, bool cached)
{
	struct answer a;
	struct mmu_page page;
	struct mmu_fault f = { 0 };
	int cause;

	/* The cache need not look at tables, so A and D may stay clear: no comparison of memory */
	if (cached) {
		cause = mmu_lookup(slice, va, mode, access, &page, NULL, &f);
		if (!cause)
			FUZZ_CHECK(page.prot & (access == ISA_FETCH ? ISA_PROT_EXEC :
						access == ISA_LOAD  ? ISA_PROT_READ :
								      ISA_PROT_WRITE));
		mmu_flush(slice);
		memcpy(spec_sys, rig->sys, sizeof(spec_sys));
		memcpy(spec_vram, rig_mem(rig, BANK), sizeof(spec_vram));
	}
	a = spec(va, mode, access);
	cause = mmu_walk(slice, va, mode, access, &page, &f);
	FUZZ_CHECK(cause == a.cause, "%#llx: %d, not %d", (unsigned long long)va, cause, a.cause);
	FUZZ_CHECK(!cause == (a.cause == 0) && (!cause || f.host == a.host));
	if (cause && f.host)
		FUZZ_CHECK(f.gpa == a.gpa && f.host_access == a.kind, "%#llx",
			   (unsigned long long)va);
	if (!cause)
		FUZZ_CHECK(page.host == (uint8_t *)rig_mem(rig, a.pa & ~4095ULL), "%#llx",
			   (unsigned long long)va);
	FUZZ_CHECK(!memcmp(spec_sys, rig->sys, sizeof(spec_sys)), "tables, %#llx",
		   (unsigned long long)va);
	FUZZ_CHECK(!memcmp(spec_vram, rig_mem(rig, BANK), sizeof(spec_vram)));
}

static void put_entry(const struct action *a)
{
	unsigned int page = a->page % (2 * NR_PAGES);
	size_t off = page % NR_PAGES * TESS_PAGE_SIZE + a->index % 512 * 8ULL;

	memcpy(page < NR_PAGES ? spec_sys + off : spec_vram + off, &a->val, 8);
	rig_write64(rig, (page < NR_PAGES ? TABLES : BANK) + off, a->val);
}

static void control(const struct action *a)
{
	struct slice *s = slice;

	switch (a->page % 4) {
	case 0:
		hreg_write(rig, SLICE, TESS_HREG_CONTROL, a->val & 3);
		break;
	case 1:
		hreg_write64(rig, SLICE, TESS_HREG_STAGE2_ROOT, a->val);
		break;
	case 2:
		hreg_write64(rig, SLICE, TESS_HREG_LINK_MASK, a->val);
		break;
	default:
		/* What SET_VM takes */
		s->client.vm_root = a->val & (TESS_PA_END - 1) & ~4095ULL;
	}
}

static void begin(void)
{
	if (!rig) {
		rig = rig_new();
		slice = &rig->gpu->slices[SLICE];
		memset(rig->vram, 0, RIG_SLICES * RIG_BANK);
	}
	slice_reset(slice);
	memset(spec_sys, 0, sizeof(spec_sys));
	memset(spec_vram, 0, sizeof(spec_vram));
	memset(rig->sys, 0, sizeof(spec_sys));
	memset(rig_mem(rig, BANK), 0, sizeof(spec_vram));
	hreg_write64(rig, SLICE, TESS_HREG_STAGE2_ROOT, TABLES);
	slice->client.vm_root = TABLES + 4 * TESS_PAGE_SIZE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	struct action a;
	const void *rec;

	begin();
	while ((rec = fuzz_record(&in, sizeof(a)))) {
		memcpy(&a, rec, sizeof(a));
		switch (a.op % OPS) {
		case ENTRY:
			put_entry(&a);
			break;
		case LOOKUP:
			lookup(a.val, (enum mmu_mode)(a.page % 3),
			       (enum isa_access)(a.page / 3 % 3), a.index & 1);
			break;
		default:
			control(&a);
		}
	}
	return 0;
}

/* An entry with an address that means something, or an access near the start of a table */
static void make_action(uint8_t *record, uint64_t *state)
{
	struct action a = { .op = (uint8_t)fuzz_below(state, 2),
			    .page = (uint8_t)fuzz_below(state, 20),
			    .index = (uint16_t)(fuzz_below(state, 4) ? fuzz_below(state, 4) :
								       fuzz_below(state, 512)) };
	uint64_t at = fuzz_below(state, 4) ? TABLES + fuzz_below(state, NR_PAGES) * 4096ULL :
					     BANK + fuzz_below(state, NR_PAGES) * 4096ULL;

	if (a.op == LOOKUP) {
		a.val = fuzz_below(state, 4) * (1ULL << (12 + 9 * fuzz_below(state, 3))) +
			fuzz_below(state, 4096);
		if (!fuzz_below(state, 4))
			a.val = at;
	} else {
		a.val = at >> 12 << 10 | TESS_PTE_V;
		if (fuzz_below(state, 2))
			a.val |= fuzz_below(state, 256);
		if (!fuzz_below(state, 8))
			a.val |= 1ULL << fuzz_below(state, 64);
	}
	if (!fuzz_below(state, 12)) {
		a.op = CONTROL;
		a.val = fuzz_below(state, 2) ? 3 : at;
	}
	memcpy(record, &a, sizeof(a));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	static const uint64_t near[] = { TABLES, BANK, TABLES >> 2, BANK >> 2, TESS_PA_END };
	static const struct fuzz_grammar g = { .record = sizeof(struct action),
					       .make = make_action,
					       .near = near,
					       .nr_near = sizeof(near) / sizeof(near[0]) };

	return fuzz_mutate(&g, data, size, max_size, seed);
}
