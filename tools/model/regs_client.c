// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Client page and doorbell page
 *
 * What a slice's client sees. Ring set-up can be written while the ring is
 * disabled only, so that the command processor never sees half of it.
 */
#include <string.h>

#include "gpu_priv.h"
#include "regs.h"

#define RING_BASE_MASK GENMASK_ULL(TESS_PA_BITS - 1, 12)
#define COMPLETION_MASK GENMASK_ULL(TESS_PA_BITS - 1, 6)

static struct client *client_of(struct gpu *g, unsigned int n)
{
	return &g->slices[n].client;
}

static bool disabled(struct gpu *g, unsigned int n)
{
	return !(client_of(g, n)->control & TESS_CONTROL_ENABLE);
}

static uint64_t read_kind(struct gpu *g, unsigned int n)
{
	return g->slices[n].kind;
}

static uint64_t read_cores(struct gpu *g, unsigned int n)
{
	return g->slices[n].nr_cores;
}

static uint64_t read_engines(struct gpu *g, unsigned int n)
{
	return slice_engines(&g->slices[n]);
}

static uint64_t read_status(struct gpu *g, unsigned int n)
{
	return client_status(client_of(g, n));
}

static uint64_t read_control(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->control;
}

static void write_control(struct gpu *g, unsigned int n, uint64_t val)
{
	client_of(g, n)->control = (uint32_t)val & TESS_CONTROL_ENABLE;
}

static void write_reset(struct gpu *g, unsigned int n, uint64_t val)
{
	if (val == 1)
		slice_reset_client(&g->slices[n]);
}

static uint64_t read_ring_base(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->ring_base;
}

static void write_ring_base(struct gpu *g, unsigned int n, uint64_t val)
{
	if (disabled(g, n))
		client_of(g, n)->ring_base = val & RING_BASE_MASK;
}

static uint64_t read_ring_log2(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->ring_log2;
}

static void write_ring_log2(struct gpu *g, unsigned int n, uint64_t val)
{
	if (disabled(g, n) && val >= TESS_RING_LOG2_MIN && val <= TESS_RING_LOG2_MAX)
		client_of(g, n)->ring_log2 = (uint32_t)val;
}

static uint64_t read_irq_status(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->irq_status;
}

static void clear_irq_status(struct gpu *g, unsigned int n, uint64_t val)
{
	client_of(g, n)->irq_status &= ~(uint32_t)val;
}

static uint64_t read_rptr(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->rptr;
}

static void write_rptr(struct gpu *g, unsigned int n, uint64_t val)
{
	if (!disabled(g, n))
		return;
	slice_drop_packet(&g->slices[n]);
	client_of(g, n)->rptr = val;
}

static uint64_t read_wptr(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->wptr;
}

static void write_wptr(struct gpu *g, unsigned int n, uint64_t val)
{
	if (disabled(g, n))
		client_of(g, n)->wptr = val;
}

static uint64_t read_completion(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->completion;
}

static void write_completion(struct gpu *g, unsigned int n, uint64_t val)
{
	if (disabled(g, n))
		client_of(g, n)->completion = val & COMPLETION_MASK;
}

static uint64_t read_fault_cause(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->fault.cause;
}

static uint64_t read_fault_info(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->fault.info;
}

static uint64_t read_fault_addr(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->fault.addr;
}

static uint64_t read_fault_pc(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->fault.pc;
}

static uint64_t read_fault_packet(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->fault.packet;
}

static uint64_t read_fault_indirect(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->fault.indirect;
}

static uint64_t read_fault_asid(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->fault.asid;
}

static void write_fault_ack(struct gpu *g, unsigned int n, uint64_t val)
{
	slice_fault_ack(&g->slices[n], (uint32_t)val);
}

static void write_tlb_invalidate(struct gpu *g, unsigned int n, uint64_t val)
{
	if (val == 1)
		mmu_flush(&g->slices[n]);
}

static uint64_t read_fence_seq(struct gpu *g, unsigned int n)
{
	return client_of(g, n)->fence_seq;
}

static uint64_t read_counter(struct gpu *g, unsigned int n, unsigned int i)
{
	return client_of(g, n)->counters[i];
}

static void write_doorbell(struct gpu *g, unsigned int n, uint64_t val)
{
	client_of(g, n)->wptr = val;
}

static const struct reg regs[] = {
	{ "KIND", TESS_SREG_KIND, 4, REG_RO, 0, read_kind, NULL },
	{ "CORES", TESS_SREG_CORES, 4, REG_RO, 0, read_cores, NULL },
	{ "ENGINES", TESS_SREG_ENGINES, 4, REG_RO, 0, read_engines, NULL },
	{ "STATUS", TESS_SREG_STATUS, 4, REG_RO, 0, read_status, NULL },
	{ "CONTROL", TESS_SREG_CONTROL, 4, REG_RW, 0, read_control, write_control },
	{ "RESET", TESS_SREG_RESET, 4, REG_WO, 0, NULL, write_reset },
	{ "RING_BASE", TESS_SREG_RING_BASE, 8, REG_RW, 0, read_ring_base, write_ring_base },
	{ "RING_LOG2", TESS_SREG_RING_LOG2, 4, REG_RW, TESS_RING_LOG2_MIN, read_ring_log2,
	  write_ring_log2 },
	{ "IRQ_STATUS", TESS_SREG_IRQ_STATUS, 4, REG_W1C, 0, read_irq_status, clear_irq_status },
	{ "RPTR", TESS_SREG_RPTR, 8, REG_RW, 0, read_rptr, write_rptr },
	{ "WPTR", TESS_SREG_WPTR, 8, REG_RW, 0, read_wptr, write_wptr },
	{ "COMPLETION", TESS_SREG_COMPLETION, 8, REG_RW, 0, read_completion, write_completion },
	{ "FAULT_CAUSE", TESS_SREG_FAULT_CAUSE, 4, REG_RO, 0, read_fault_cause, NULL },
	{ "FAULT_INFO", TESS_SREG_FAULT_INFO, 4, REG_RO, 0, read_fault_info, NULL },
	{ "FAULT_ADDR", TESS_SREG_FAULT_ADDR, 8, REG_RO, 0, read_fault_addr, NULL },
	{ "FAULT_PC", TESS_SREG_FAULT_PC, 8, REG_RO, 0, read_fault_pc, NULL },
	{ "FAULT_PACKET", TESS_SREG_FAULT_PACKET, 8, REG_RO, 0, read_fault_packet, NULL },
	{ "FAULT_INDIRECT", TESS_SREG_FAULT_INDIRECT, 4, REG_RO, 0, read_fault_indirect, NULL },
	{ "FAULT_ASID", TESS_SREG_FAULT_ASID, 4, REG_RO, 0, read_fault_asid, NULL },
	{ "FAULT_ACK", TESS_SREG_FAULT_ACK, 4, REG_WO, 0, NULL, write_fault_ack },
	{ "TLB_INVALIDATE", TESS_SREG_TLB_INVALIDATE, 4, REG_WO, 0, NULL, write_tlb_invalidate },
	{ "FENCE_SEQ", TESS_SREG_FENCE_SEQ, 8, REG_RO, 0, read_fence_seq, NULL },
};

const struct reg_page reg_page_client = {
	.name = "slice",
	.regs = regs,
	.nr = sizeof(regs) / sizeof(regs[0]),
	.counters = read_counter,
	.nr_counters = TESS_COUNTER_COUNT,
};

static const struct reg doorbell_regs[] = {
	{ "DOORBELL", TESS_DOORBELL_WPTR, 8, REG_WO, 0, NULL, write_doorbell },
};

const struct reg_page reg_page_doorbell = {
	.name = "slice",
	.regs = doorbell_regs,
	.nr = 1,
};
