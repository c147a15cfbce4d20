/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translation of client addresses to host memory, and the translation cache of
 * the command processor. Specification: Documentation/hw/memory.rst.
 */
#ifndef TESS_MODEL_MMU_H
#define TESS_MODEL_MMU_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

#define MMU_TLB_ENTRIES 256

struct slice;

/**
 * enum mmu_mode - whose access it is
 * @MMU_PHYS: by client-physical address (ring, completion record)
 * @MMU_PRIV: what a ring packet names: stage 1 if a VM is set, any page
 * @MMU_USER: shaders and what comes from an indirect buffer: U pages only
 */
enum mmu_mode {
	MMU_PHYS,
	MMU_PRIV,
	MMU_USER,
};

/**
 * struct mmu_page - a translated page
 * @host: host address of the page
 * @prot: ISA_PROT_*: what may be done without another translation
 * @system: system memory, not VRAM
 * @hops: fabric links between the slice and the page's bank
 */
struct mmu_page {
	uint8_t *host;
	uint8_t prot;
	bool system;
	uint8_t hops;
};

/**
 * struct mmu_fault - why a translation failed
 * @cause: enum tess_cause
 * @access: what the client did
 * @host: a stage-2 page fault; @host_access and @gpa are valid
 * @host_access: what stage 2 was asked for; differs from @access when stage 1's
 *	tables were read or updated
 * @va: address of the access
 * @gpa: client-physical address
 */
struct mmu_fault {
	uint32_t cause;
	enum isa_access access;
	bool host;
	enum isa_access host_access;
	uint64_t va;
	uint64_t gpa;
};

/**
 * struct mmu_tlb - translations of the command processor and the copy engine
 * @root: of the address space that stage-1 translations, the shaders' included, belong
 *	to: that of the last SET_VM that named one; 0: it is not known
 * @asid: its asid
 * @tag: page number, mode and a valid bit; 0: none
 * @page: what it translates to
 */
struct mmu_tlb {
	uint64_t root;
	uint16_t asid;
	struct {
		uint64_t tag;
		struct mmu_page page;
	} entry[MMU_TLB_ENTRIES];
};

/**
 * mmu_walk() - translate without a cache
 * @s: slice
 * @va: address; the page that contains it is translated
 * @mode: whose access
 * @access: what is done; A and D bits are set for it
 * @out: the page
 * @fault: filled if it fails
 *
 * Returns 0 or a cause (enum tess_cause, above 0).
 */
int mmu_walk(struct slice *s, uint64_t va, enum mmu_mode mode, enum isa_access access,
	     struct mmu_page *out, struct mmu_fault *fault);

/**
 * mmu_lookup() - translate through the command processor's cache
 *
 * As mmu_walk(); *@filled is set if the cache had to be filled. @filled may be
 * NULL.
 */
int mmu_lookup(struct slice *s, uint64_t va, enum mmu_mode mode, enum isa_access access,
	       struct mmu_page *out, bool *filled, struct mmu_fault *fault);

/**
 * mmu_phys() - host address of the page at physical address @pa
 *
 * For what the host names: no translation, no fabric. NULL if it is not memory.
 */
void *mmu_phys(struct slice *s, uint64_t pa, bool write);

/**
 * mmu_set_vm() - the client's address space is another one now
 *
 * Translations stay while there is none, so that work of one process can alternate
 * with packets that use no VM. Those of another address space are dropped.
 */
void mmu_set_vm(struct slice *s, bool flush);

/** mmu_flush() - drop all translations and decoded instructions of a slice */
void mmu_flush(struct slice *s);

#endif /* TESS_MODEL_MMU_H */
