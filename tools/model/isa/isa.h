/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shader ISA engine: executes the harts of a work-group (RV64GC + Zicsr +
 * Zifencei + Zba/Zbb/Zbs, U-mode).
 *
 * The engine knows nothing about page tables, rings or slices. Its owner
 * supplies a translation callback, hands it one group at a time with a budget
 * of retired instructions, and gets all architectural state back in struct
 * isa_group at every return. Documentation/hw/isa.rst is the specification.
 *
 * Threads: an engine and a group may be used by one thread at a time. Engines
 * share nothing; they may run in parallel on the same memory.
 */
#ifndef TESS_MODEL_ISA_H
#define TESS_MODEL_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISA_GROUP_ALIGN 64u
#define ISA_MAX_HARTS 256u
#define ISA_LANES 16u /* harts that run in lockstep: a wave */
#define ISA_MAX_WAVES (ISA_MAX_HARTS / ISA_LANES)

#define ISA_PAGE_SIZE 4096u
/* Client addresses are [0, ISA_VA_LIMIT); everything else is a window. */
#define ISA_VA_LIMIT (1ull << 38)
#define ISA_LOCAL_BASE 0xffffffffffff0000ull
#define ISA_LOCAL_MAX 0x10000u
/* Units of struct isa_dispatch; Documentation/hw/units.rst */
#define ISA_UNIT_TEX 0x1u
#define ISA_UNIT_ROP 0x2u
#define ISA_UNIT_RAY 0x4u
#define ISA_UNIT_ALL (ISA_UNIT_TEX | ISA_UNIT_ROP | ISA_UNIT_RAY)
/* A jump to this address ends the hart; ra holds it at the start. */
#define ISA_EXIT_ADDR 0xfffffffffffef000ull

/* Numbers are those of the context image (Documentation/hw/isa.rst). */
enum isa_hart_state {
	ISA_HART_RUNNING = 0,
	ISA_HART_AT_BARRIER = 1,
	ISA_HART_DONE = 2,
};

/**
 * struct isa_hart - all architectural state of one hart
 * @pc:    address of the next instruction
 * @x:     integer registers, x[0] reads as zero
 * @f:     floating-point registers, NaN-boxed
 * @fcsr:  frm in bits 7:5, fflags in bits 4:0
 * @state: enum isa_hart_state
 *
 * An LR/SC reservation is not part of it: moving a hart drops it, so that the
 * SC fails and the program retries.
 */
struct isa_hart {
	uint64_t pc;
	uint64_t x[32];
	uint64_t f[32];
	uint32_t fcsr;
	uint32_t state;
};

enum isa_access {
	ISA_FETCH,
	ISA_LOAD,
	ISA_STORE, /* AMO and SC too; they need read permission as well */
};

#define ISA_PROT_READ 0x1u
#define ISA_PROT_WRITE 0x2u
#define ISA_PROT_EXEC 0x4u

/**
 * struct isa_xlat - result of a translation
 * @page:    host address of the 4 KiB page that contains the address
 * @prot:    ISA_PROT_*: what may be done through the cached entry without
 *           another call. It must contain the access asked for. Leave WRITE
 *           out until a STORE came (and set the D bit then).
 * @nocache: do not cache: call again for every data access to this page
 */
struct isa_xlat {
	void *page;
	uint32_t prot;
	bool nocache;
};

/* Causes are the RISC-V scause numbers. */
enum isa_cause {
	ISA_CAUSE_FETCH_MISALIGNED = 0,
	ISA_CAUSE_FETCH_ACCESS = 1,
	ISA_CAUSE_ILLEGAL = 2,
	ISA_CAUSE_BREAKPOINT = 3,
	ISA_CAUSE_LOAD_MISALIGNED = 4,
	ISA_CAUSE_LOAD_ACCESS = 5,
	ISA_CAUSE_STORE_MISALIGNED = 6,
	ISA_CAUSE_STORE_ACCESS = 7,
	ISA_CAUSE_ECALL = 8,
	ISA_CAUSE_FETCH_PAGE = 12,
	ISA_CAUSE_LOAD_PAGE = 13,
	ISA_CAUSE_STORE_PAGE = 15,
	ISA_CAUSE_FETCH_GUEST_PAGE = 20,
	ISA_CAUSE_LOAD_GUEST_PAGE = 21,
	ISA_CAUSE_STORE_GUEST_PAGE = 23,
};

/**
 * struct isa_ops - what the owner of an engine supplies
 * @translate: translate @va (an access of @size bytes that does not cross a
 *	page) for @access. Returns 0 and fills @out, or a fault cause (> 0),
 *	which isa_run() passes through. Called for addresses below ISA_VA_LIMIT
 *	only. Must not call back into the engine. The engine keeps the host
 *	address: it must stay valid until isa_tlb_flush(). Code is decoded once
 *	and kept until a flush, from @nocache pages too.
 */
struct isa_ops {
	int (*translate)(void *opaque, uint64_t va, unsigned int size, enum isa_access access,
			 struct isa_xlat *out);
};

/**
 * struct isa_dispatch - parameters of one work-group
 * @entry:          first instruction
 * @kernarg:        a0 and CSR 0xCCF
 * @private_base:   private memory of hart i is
 *                  [@private_base + i * @private_stride, + @private_bytes)
 * @private_stride: not a multiple of 4 KiB is faster (host cache sets)
 * @private_bytes:  size of a hart's private memory; sp starts at its top
 * @local_bytes:    local memory of the group, at most ISA_LOCAL_MAX
 * @units:          ISA_UNIT_* that it may use; the instructions of all others are illegal
 * @group_id:       position of the group in the grid, in groups
 * @group_size:     work-items of this group (smaller at the grid's edge)
 * @enqueued_size:  work-items of a full group
 * @grid_size:      work-items of the grid
 * @num_groups:     groups of the grid
 * @global_base:    global id of this group's first work-item
 */
struct isa_dispatch {
	uint64_t entry;
	uint64_t kernarg;
	uint64_t private_base;
	uint32_t private_stride;
	uint32_t private_bytes;
	uint32_t local_bytes;
	uint32_t units;
	uint32_t group_id[3];
	uint32_t group_size[3];
	uint32_t enqueued_size[3];
	uint32_t grid_size[3];
	uint32_t num_groups[3];
	uint32_t global_base[3];
};

/**
 * struct isa_sched - which hart of a group is next
 * @wave:    wave whose turn it is
 * @pending: lanes of @wave that have yet to execute the instruction that the
 *           others of their lockstep set have executed
 * @quantum: instructions left of the turn
 * @leader:  per wave, bits 3:0: lane that led it last while it was diverged,
 *           bit 7: leads it now, else the lowest pc goes first
 *
 * Save and restore it with the harts and a group continues in exactly the same
 * order. Zeroed, it continues correctly in another legal order. Any content is
 * safe.
 */
struct isa_sched {
	uint16_t wave;
	uint16_t pending;
	int32_t quantum;
	uint8_t leader[ISA_MAX_WAVES];
};

/*
 * Registers of 16 harts, one row per register. Row 32 of x swallows writes to
 * x0. Private to the engine: use isa_hart_get() and isa_hart_set(). No vector of
 * a row lies in two lines of the cache.
 */
struct __attribute__((aligned(ISA_GROUP_ALIGN))) isa_wave {
	uint64_t x[33][ISA_LANES];
	uint64_t f[32][ISA_LANES];
	uint64_t pc[ISA_LANES];
	uint64_t resv_addr[ISA_LANES];
	uint64_t resv_value[ISA_LANES];
	uint8_t fcsr[ISA_LANES];
	uint16_t running;
	uint16_t barrier;
	uint16_t resv_valid;
};

/**
 * struct isa_group - a work-group in execution
 * @d:        its parameters; constant after isa_group_init()
 * @local:    host address of @d.local_bytes bytes of local memory
 * @cycle:    value of the cycle CSR; grows by one per retired instruction, the
 *            owner may set it between runs
 * @time:     value of the time CSR; set by the owner
 * @instret:  instructions that the group retired; value of the instret CSR
 * @nr_harts: work-items, 1..ISA_MAX_HARTS
 * @nr_waves: waves in use
 * @sched:    see struct isa_sched
 * @waves:    registers
 */
struct isa_group {
	struct isa_dispatch d;
	uint8_t *local;
	uint64_t cycle;
	uint64_t time;
	uint64_t instret;
	uint32_t nr_harts;
	uint32_t nr_waves;
	struct isa_sched sched;
	struct isa_wave waves[];
};

/**
 * struct isa_counters - totals of an engine since it was created or cleared
 * @instructions: retired
 * @flops:        floating-point operations, a fused multiply-add counts 2
 * @load_bytes:   read by loads, AMOs and units
 * @store_bytes:  written by stores, AMOs and units
 * @private_bytes: those of both in private memory of the group
 * @local_bytes:  those of both in its local memory
 * @texels:       read by tess.tex
 * @pixels:       written by tess.rop
 * @rays:         tested by tess.ray
 * @unit_wait:    cycles that instructions of units took beyond the one of each
 */
struct isa_counters {
	uint64_t instructions;
	uint64_t flops;
	uint64_t load_bytes;
	uint64_t store_bytes;
	uint64_t private_bytes;
	uint64_t local_bytes;
	uint64_t texels;
	uint64_t pixels;
	uint64_t rays;
	uint64_t unit_wait;
};

enum isa_stop {
	ISA_STOP_BUDGET, /* exactly the budget was retired */
	ISA_STOP_DONE, /* all harts are done */
	ISA_STOP_FAULT, /* see struct isa_fault; call again to retry */
};

/**
 * struct isa_fault - why a group stopped
 * @pc:    the instruction; the hart's pc is still there, nothing happened
 * @va:    address of the access, or the instruction bits for ILLEGAL
 * @cause: enum isa_cause
 * @hart:  flat local id of the hart
 * @insn:  instruction bits (16 significant for a compressed one), 0 if the
 *         fetch itself failed
 */
struct isa_fault {
	uint64_t pc;
	uint64_t va;
	uint32_t cause;
	uint32_t hart;
	uint32_t insn;
};

struct isa_engine;

/**
 * enum isa_host - what the engine takes for granted of the host
 * @ISA_HOST_BEST: what is there
 * @ISA_HOST_BASE: what all hosts of the architecture have; for tests, results are the same
 */
enum isa_host {
	ISA_HOST_BEST,
	ISA_HOST_BASE,
};

/* Returns NULL without memory. @ops must outlive the engine. */
struct isa_engine *isa_engine_new(const struct isa_ops *ops, void *opaque);
struct isa_engine *isa_engine_new_for(const struct isa_ops *ops, void *opaque, enum isa_host host);
void isa_engine_free(struct isa_engine *e);

/* Cycles that a unit takes for one step of its work (Documentation/hw/units.rst); 1 at first. */
void isa_engine_set_unit_cycles(struct isa_engine *e, uint32_t cycles);

/* Forget all translations and all decoded code (mappings changed). */
void isa_tlb_flush(struct isa_engine *e);
/* Forget decoded code (the contents of code pages changed), as fence.i does. */
void isa_code_flush(struct isa_engine *e);

/* Totals; the owner may clear them between runs. */
struct isa_counters *isa_engine_counters(struct isa_engine *e);

/* Bytes to allocate for a group of @nr_harts, at an address that ISA_GROUP_ALIGN divides. */
size_t isa_group_size(unsigned int nr_harts);

/*
 * Put all harts of a group at the entry point. @local must have
 * @d->local_bytes bytes (not cleared here). Returns 0 or -EINVAL: group size
 * zero or above ISA_MAX_HARTS, more local memory than ISA_LOCAL_MAX.
 */
int isa_group_init(struct isa_group *g, const struct isa_dispatch *d, void *local);

/* @index < @g->nr_harts. set() returns -EINVAL for an unknown state. */
int isa_hart_get(const struct isa_group *g, unsigned int index, struct isa_hart *hart);
int isa_hart_set(struct isa_group *g, unsigned int index, const struct isa_hart *hart);

/**
 * isa_run() - run the harts of a group
 * @e:       engine
 * @g:       group
 * @budget:  retired hart-instructions to stop after, exactly
 * @retired: out: how many were retired (== @budget for ISA_STOP_BUDGET)
 * @fault:   out: filled for ISA_STOP_FAULT
 *
 * The sequence of instructions executed does not depend on how a run is cut
 * into budgets. DONE wins over BUDGET when both apply.
 */
enum isa_stop isa_run(struct isa_engine *e, struct isa_group *g, uint64_t budget, uint64_t *retired,
		      struct isa_fault *fault);

/*
 * Disassemble one instruction (compressed ones as what they expand to) into
 * @buf; returns its length in bytes (2 or 4).
 */
unsigned int isa_disasm(uint64_t pc, uint32_t bits, char *buf, size_t size);

#endif
