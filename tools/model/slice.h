/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of a slice. struct client is all that belongs to the client and is
 * carried by a context image; the rest of struct slice belongs to the host or
 * to the piece of silicon.
 *
 * Times inside a slice count from the start of the current step. Between steps
 * they say how far a unit is ahead of the GPU's time, so that a slice that is
 * stopped for a while goes on exactly where it was.
 */
#ifndef TESS_MODEL_SLICE_H
#define TESS_MODEL_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include <drm/tessera_packet.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/hw/tess_regs.h>

#include "gpu.h"
#include "isa/isa.h"
#include "mmu.h"

#define SLICE_MAX_CORES 8

/* Documentation/hw/timing.rst */
#define CYCLES_PACKET 16
#define CYCLES_GROUP 32
#define CYCLES_FILL 8
#define CYCLES_FILL_HOP 32
#define COPY_BEAT 64
#define COPY_COST_SYSTEM 3
#define LINK_FILL_BYTES 4096

#define STAGE2_ROOT_MASK GENMASK_ULL(TESS_PA_BITS - 1, 14)
#define THROTTLE_MAX 1024

#define COUNTER(name) (TESS_COUNTER_##name / 8)

/**
 * enum cp_phase - of the packet in progress
 * @CP_FETCH: none; the next one is fetched
 * @CP_BEGIN: fetched into struct client::packet and paid for
 * @CP_EXEC: found to be good; in execution
 */
enum cp_phase {
	CP_FETCH,
	CP_BEGIN,
	CP_EXEC,
};

/**
 * struct client_fault - FAULT_* registers
 * @cause: enum tess_cause
 * @info: TESS_FAULT_INFO_*
 * @addr: VA or packet address
 * @pc: of the hart
 * @packet: ring index
 * @indirect: index in the indirect buffer
 * @asid: of the VM
 */
struct client_fault {
	uint32_t cause;
	uint32_t info;
	uint64_t addr;
	uint64_t pc;
	uint64_t packet;
	uint32_t indirect;
	uint32_t asid;
};

/**
 * struct group_slot - a work-group in flight
 * @active: in use
 * @waits: it waits for a core, which only happens after a RESTORE
 * @index: of the group in the grid
 * @since: when it got its core, or began to wait; grows from group to group
 * @ahead: time that it has to wait for once it has a core
 * @group: its harts; allocated once, for the largest group
 * @local: its local memory, DRM_TESSERA_MAX_LOCAL_BYTES
 */
struct group_slot {
	bool active;
	bool waits;
	uint32_t index;
	uint64_t since;
	uint64_t ahead;
	struct isa_group *group;
	uint8_t *local;
};

/**
 * struct client - all state that belongs to the client
 * @control: CONTROL register
 * @ring_log2: RING_LOG2 register
 * @irq_status: IRQ_STATUS register
 * @ring_base: RING_BASE register
 * @rptr: RPTR register
 * @wptr: WPTR register
 * @completion: COMPLETION register
 * @fence_seq: FENCE_SEQ register
 * @faulted: a fault is not acknowledged
 * @fault: FAULT_* registers
 * @vm_root: stage-1 root, 0: none
 * @vm_asid: its id
 * @indirect_addr: VA of the indirect buffer
 * @indirect_count: its packets; 0: none is in progress
 * @indirect_index: packet in it
 * @phase: of the packet in progress
 * @packet: the packet in progress, as fetched
 * @waiting: it is a WAIT that is not fulfilled
 * @ahead: time of the command processor
 * @row: COPY, FILL: row in progress
 * @offset: COPY, FILL: bytes of it that are done
 * @dispatch_next: DISPATCH: next group to start
 * @dispatch_end: DISPATCH: group to stop before
 * @dispatch_last: DISPATCH: time at which the last group ended
 * @dispatch_queue: DISPATCH: next value for struct group_slot::since
 * @slots: groups in flight
 * @counters: by TESS_COUNTER_* / 8
 */
struct client {
	uint32_t control;
	uint32_t ring_log2;
	uint32_t irq_status;
	uint64_t ring_base;
	uint64_t rptr;
	uint64_t wptr;
	uint64_t completion;
	uint64_t fence_seq;
	bool faulted;
	struct client_fault fault;

	uint64_t vm_root;
	uint16_t vm_asid;
	uint64_t indirect_addr;
	uint32_t indirect_count;
	uint32_t indirect_index;

	enum cp_phase phase;
	uint8_t packet[DRM_TESSERA_PKT_SIZE] __attribute__((aligned(8)));
	bool waiting;
	uint64_t ahead;

	uint32_t row;
	uint64_t offset;

	uint64_t dispatch_next;
	uint64_t dispatch_end;
	uint64_t dispatch_last;
	uint64_t dispatch_queue;
	bool dispatch_asks;
	struct group_slot slots[DRM_TESSERA_GROUP_SLOTS];

	uint64_t counters[TESS_COUNTER_COUNT];
};

/**
 * struct host_regs - registers of the host page
 *
 * Named as they are there.
 */
struct host_regs {
	uint32_t control;
	uint32_t engine_mask;
	uint32_t throttle;
	uint32_t ctx_status;
	uint64_t stage2_root;
	uint64_t link_mask;
	uint64_t ctx_addr;
	uint64_t ctx_size;
	uint64_t ctx_used;
	uint64_t timer;
	uint32_t notify;
	uint32_t events;
};

/**
 * struct host_fault - HFAULT_* registers
 * @pending: not acknowledged; the slice stands still
 * @mmu: what happened
 * @refused: the fault that the client gets if the host refuses
 */
struct host_fault {
	bool pending;
	struct mmu_fault mmu;
	struct client_fault refused;
};

/**
 * struct core - a shader core
 * @ahead: its time
 * @remainder: of the division that throttling does
 * @slot: group that it runs, -1: none
 * @turn: cycles left before a group that waits gets the core
 */
struct core {
	uint64_t ahead;
	uint64_t turn;
	uint32_t remainder;
	int slot;
};

/**
 * struct ctx_op - a context operation that takes its time
 * @op: TESS_CTX_*
 * @left: cycles until it ends, 0: none is in progress
 * @used: for CTX_USED
 * @desc: SWITCH: physical address of the descriptor
 * @answer: SWITCH: results go to the descriptor
 * @restored: a client came
 * @counts: SWITCH: counters go to the descriptor, too
 * @unit_cycles: SWITCH: so does UNIT_CYCLES
 */
struct ctx_op {
	uint32_t op;
	uint64_t left;
	uint64_t used;
	uint64_t desc;
	bool answer;
	bool restored;
	bool counts;
	bool unit_cycles;
};

/**
 * struct stuck - injected fault: a slice that does not come to a halt
 * @times: how often it still happens, UINT32_MAX: always
 * @now: it is so, until a host RESET
 * @switching: a SWITCH was started and never ends
 */
struct stuck {
	uint32_t times;
	bool now;
	bool switching;
};

/**
 * struct refuse - injected fault: a slice that a host RESET does not reset
 * @times: how often it still happens, UINT32_MAX: always
 * @armed: it has executed a DISPATCH
 * @now: it was to be reset and was not; BUSY until it is
 */
struct refuse {
	uint32_t times;
	bool armed;
	bool now;
};

/** enum slice_latch - pages of a slice, as index of struct slice::latch */
enum slice_latch {
	LATCH_CLIENT,
	LATCH_DOORBELL,
	LATCH_HOST,
	LATCH_COUNT,
};

/**
 * struct slice - a slice
 * @gpu: GPU that it is part of
 * @lead: cycles that the start of its current step is ahead of the GPU's time
 * @id: its number
 * @kind: enum tess_slice_kind
 * @nr_cores: shader cores
 * @engines: engines that it has
 * @client: state of the client
 * @host: host page
 * @hfault: host fault
 * @ctx: context operation in progress
 * @stuck: it does not halt
 * @refuse: it is not reset
 * @damage: contexts that it still damages, UINT32_MAX: all
 * @cores: shader cores
 * @engine: executes work-groups of all cores
 * @tlb: of the command processor
 * @xlat_stall: cycles for fills since the engine was started
 * @xlat_fault: why the engine's last translation failed
 * @totals: counters since power-on
 * @latch: low halves of 64-bit registers that are written in two halves
 */
struct slice {
	struct gpu *gpu;
	unsigned int lead;
	unsigned int id;
	enum tess_slice_kind kind;
	unsigned int nr_cores;
	uint32_t engines;

	struct client client;
	struct host_regs host;
	struct host_fault hfault;
	struct ctx_op ctx;
	struct stuck stuck;
	struct refuse refuse;
	uint32_t damage;

	struct core cores[SLICE_MAX_CORES];
	struct isa_engine *engine;
	struct mmu_tlb tlb;
	uint64_t xlat_stall;
	struct mmu_fault xlat_fault;

	uint64_t totals[TESS_HCOUNTER_COUNT];
	uint32_t latch[LATCH_COUNT][16];
};

/** slice_init() - make slice @id of @kind; -ENOMEM */
int slice_init(struct slice *s, struct gpu *g, unsigned int id, enum tess_slice_kind kind);
void slice_fini(struct slice *s);

/** slice_reset() - power-on state of all but the bank */
void slice_reset(struct slice *s);

/** slice_reset_client() - drop everything of the client */
void slice_reset_client(struct slice *s);

/** slice_drop_packet() - forget the packet in progress */
void slice_drop_packet(struct slice *s);

/** slice_is_halted() - does nothing run since RUN was cleared? */
bool slice_is_halted(const struct slice *s);

/** slice_is_busy() - is a context operation in progress? */
bool slice_is_busy(const struct slice *s);

/** slice_is_idle() - nothing to do: disabled, stopped by a client fault, or no packet */
bool slice_is_idle(const struct slice *s);

/** slice_can_run() - enabled, not halted, not faulted, no context operation? */
bool slice_can_run(const struct slice *s);

/** slice_has_work() - is a packet in progress or in the ring? */
bool slice_has_work(const struct slice *s);

/** client_status() - STATUS register of the client page */
uint32_t client_status(const struct client *c);

/** slice_engines() - engines that packets can use now */
uint32_t slice_engines(const struct slice *s);

/** slice_units() - units (ISA_UNIT_*) that a dispatch can get now */
uint32_t slice_units(const struct slice *s);

/** slice_time() - GPU time at the start of its current step */
uint64_t slice_time(const struct slice *s);

/** slice_step() - run for @cycles; in any thread */
void slice_step(struct slice *s, uint64_t cycles);

/** slice_count() - add to a counter (TESS_COUNTER_* / 8) of client and slice */
void slice_count(struct slice *s, unsigned int counter, uint64_t n);

/** slice_packet_fault() - stop with a fault of the packet in progress at @addr */
void slice_packet_fault(struct slice *s, enum tess_cause cause, uint64_t addr);

/** slice_access_fault() - stop because the command processor's access failed */
void slice_access_fault(struct slice *s, const struct mmu_fault *f);

/** slice_hart_fault() - stop because a work-item faulted; @f is NULL for other than translation */
void slice_hart_fault(struct slice *s, const struct isa_fault *hf, const struct mmu_fault *f);

/** slice_fault_ack() - FAULT_ACK was written */
void slice_fault_ack(struct slice *s, uint32_t how);

/** slice_hfault_ack() - HFAULT_ACK was written */
void slice_hfault_ack(struct slice *s, uint32_t how);

/** slice_scrub() - zero the slice's bank */
void slice_scrub(struct slice *s);

#endif /* TESS_MODEL_SLICE_H */
