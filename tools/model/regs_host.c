// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Host page
 *
 * What only the host may touch. Whatever changes what the client can reach
 * (stage 2, links) drops the slice's translations in the same write.
 */
#include "context.h"
#include "gpu_priv.h"
#include "log.h"
#include "regs.h"

#define CONTROL_MASK (TESS_HCONTROL_RUN | TESS_HCONTROL_STAGE2)
#define CTX_ADDR_MASK GENMASK_ULL(TESS_PA_BITS - 1, 6)

static struct host_regs *host_of(struct gpu *g, unsigned int n)
{
	return &g->slices[n].host;
}

static uint64_t read_control(struct gpu *g, unsigned int n)
{
	return host_of(g, n)->control;
}

static void write_control(struct gpu *g, unsigned int n, uint64_t val)
{
	struct host_regs *h = host_of(g, n);
	uint32_t changed = h->control ^ (uint32_t)val;

	h->control = (uint32_t)val & CONTROL_MASK;
	if (changed & TESS_HCONTROL_STAGE2)
		mmu_flush(&g->slices[n]);
}

static uint64_t read_status(struct gpu *g, unsigned int n)
{
	uint64_t val = 0;

	if (slice_is_halted(&g->slices[n]))
		val |= TESS_HSTATUS_HALTED;
	if (g->slices[n].hfault.pending)
		val |= TESS_HSTATUS_FAULTED;
	if (slice_is_busy(&g->slices[n]))
		val |= TESS_HSTATUS_BUSY;
	return val;
}

static uint64_t read_stage2_root(struct gpu *g, unsigned int n)
{
	return host_of(g, n)->stage2_root;
}

static void write_stage2_root(struct gpu *g, unsigned int n, uint64_t val)
{
	host_of(g, n)->stage2_root = val & STAGE2_ROOT_MASK;
	mmu_flush(&g->slices[n]);
}

static uint64_t read_engine_mask(struct gpu *g, unsigned int n)
{
	return host_of(g, n)->engine_mask;
}

static void write_engine_mask(struct gpu *g, unsigned int n, uint64_t val)
{
	host_of(g, n)->engine_mask = (uint32_t)val & TESS_ENGINE_ALL;
}

static uint64_t read_throttle(struct gpu *g, unsigned int n)
{
	return host_of(g, n)->throttle;
}

static void write_throttle(struct gpu *g, unsigned int n, uint64_t val)
{
	if (val >= 1 && val <= THROTTLE_MAX)
		host_of(g, n)->throttle = (uint32_t)val;
}

static uint64_t read_link_mask(struct gpu *g, unsigned int n)
{
	return host_of(g, n)->link_mask;
}

static void write_link_mask(struct gpu *g, unsigned int n, uint64_t val)
{
	host_of(g, n)->link_mask = val;
	mmu_flush(&g->slices[n]);
}

static void write_tlb_invalidate(struct gpu *g, unsigned int n, uint64_t val)
{
	if (val == 1)
		mmu_flush(&g->slices[n]);
}

/* Injected fault: the slice goes on as if nobody had written. */
static bool refuse_reset(struct slice *s)
{
	struct refuse *r = &s->refuse;

	r->now = r->armed && r->times;
	if (r->now && r->times != UINT32_MAX)
		r->times--;
	if (r->now)
		log_event(s->gpu->desc.log, LOG_INFO, "slice %u refuses a reset", s->id);
	return r->now;
}

static void write_reset(struct gpu *g, unsigned int n, uint64_t val)
{
	if (val == 1 && !refuse_reset(&g->slices[n]))
		slice_reset(&g->slices[n]);
}

static void write_scrub(struct gpu *g, unsigned int n, uint64_t val)
{
	if (val == 1)
		slice_scrub(&g->slices[n]);
}

static uint64_t read_ctx_addr(struct gpu *g, unsigned int n)
{
	return host_of(g, n)->ctx_addr;
}

static void write_ctx_addr(struct gpu *g, unsigned int n, uint64_t val)
{
	host_of(g, n)->ctx_addr = val & CTX_ADDR_MASK;
}

static uint64_t read_ctx_size(struct gpu *g, unsigned int n)
{
	return host_of(g, n)->ctx_size;
}

static void write_ctx_size(struct gpu *g, unsigned int n, uint64_t val)
{
	host_of(g, n)->ctx_size = val;
}

static void write_ctx_op(struct gpu *g, unsigned int n, uint64_t val)
{
	context_start(&g->slices[n], (uint32_t)val);
}

static uint64_t read_ctx_status(struct gpu *g, unsigned int n)
{
	return host_of(g, n)->ctx_status;
}

static uint64_t read_ctx_used(struct gpu *g, unsigned int n)
{
	return host_of(g, n)->ctx_used;
}

static uint64_t read_timer(struct gpu *g, unsigned int n)
{
	return host_of(g, n)->timer;
}

static void write_timer(struct gpu *g, unsigned int n, uint64_t val)
{
	host_of(g, n)->timer = val;
}

static uint64_t read_notify(struct gpu *g, unsigned int n)
{
	return host_of(g, n)->notify;
}

static void write_notify(struct gpu *g, unsigned int n, uint64_t val)
{
	host_of(g, n)->notify = (uint32_t)val & TESS_NOTIFY_IDLE;
}

static uint64_t read_events(struct gpu *g, unsigned int n)
{
	return host_of(g, n)->events;
}

static void clear_events(struct gpu *g, unsigned int n, uint64_t val)
{
	host_of(g, n)->events &= ~(uint32_t)val;
}

static uint64_t read_hfault_cause(struct gpu *g, unsigned int n)
{
	return g->slices[n].hfault.mmu.cause;
}

static uint64_t read_hfault_access(struct gpu *g, unsigned int n)
{
	return g->slices[n].hfault.mmu.host_access;
}

static uint64_t read_hfault_gpa(struct gpu *g, unsigned int n)
{
	return g->slices[n].hfault.mmu.gpa;
}

static uint64_t read_hfault_va(struct gpu *g, unsigned int n)
{
	return g->slices[n].hfault.mmu.va;
}

static void write_hfault_ack(struct gpu *g, unsigned int n, uint64_t val)
{
	slice_hfault_ack(&g->slices[n], (uint32_t)val);
}

static uint64_t read_counter(struct gpu *g, unsigned int n, unsigned int i)
{
	return g->slices[n].totals[i];
}

static const struct reg regs[] = {
	{ "H_CONTROL", TESS_HREG_CONTROL, 4, REG_RW, TESS_HCONTROL_RUN, read_control,
	  write_control },
	{ "H_STATUS", TESS_HREG_STATUS, 4, REG_RO, 0, read_status, NULL },
	{ "STAGE2_ROOT", TESS_HREG_STAGE2_ROOT, 8, REG_RW, 0, read_stage2_root, write_stage2_root },
	{ "ENGINE_MASK", TESS_HREG_ENGINE_MASK, 4, REG_RW, TESS_ENGINE_ALL, read_engine_mask,
	  write_engine_mask },
	{ "THROTTLE", TESS_HREG_THROTTLE, 4, REG_RW, THROTTLE_MAX, read_throttle, write_throttle },
	{ "LINK_MASK", TESS_HREG_LINK_MASK, 8, REG_RW, ~0ULL, read_link_mask, write_link_mask },
	{ "H_TLB_INVALIDATE", TESS_HREG_TLB_INVALIDATE, 4, REG_WO, 0, NULL, write_tlb_invalidate },
	{ "H_RESET", TESS_HREG_RESET, 4, REG_WO, 0, NULL, write_reset },
	{ "SCRUB", TESS_HREG_SCRUB, 4, REG_WO, 0, NULL, write_scrub },
	{ "CTX_ADDR", TESS_HREG_CTX_ADDR, 8, REG_RW, 0, read_ctx_addr, write_ctx_addr },
	{ "CTX_SIZE", TESS_HREG_CTX_SIZE, 8, REG_RW, 0, read_ctx_size, write_ctx_size },
	{ "CTX_OP", TESS_HREG_CTX_OP, 4, REG_WO, 0, NULL, write_ctx_op },
	{ "CTX_STATUS", TESS_HREG_CTX_STATUS, 4, REG_RO, 0, read_ctx_status, NULL },
	{ "CTX_USED", TESS_HREG_CTX_USED, 8, REG_RO, 0, read_ctx_used, NULL },
	{ "HFAULT_CAUSE", TESS_HREG_HFAULT_CAUSE, 4, REG_RO, 0, read_hfault_cause, NULL },
	{ "HFAULT_ACCESS", TESS_HREG_HFAULT_ACCESS, 4, REG_RO, 0, read_hfault_access, NULL },
	{ "HFAULT_GPA", TESS_HREG_HFAULT_GPA, 8, REG_RO, 0, read_hfault_gpa, NULL },
	{ "HFAULT_VA", TESS_HREG_HFAULT_VA, 8, REG_RO, 0, read_hfault_va, NULL },
	{ "HFAULT_ACK", TESS_HREG_HFAULT_ACK, 4, REG_WO, 0, NULL, write_hfault_ack },
	{ "TIMER", TESS_HREG_TIMER, 8, REG_RW, 0, read_timer, write_timer },
	{ "NOTIFY", TESS_HREG_NOTIFY, 4, REG_RW, 0, read_notify, write_notify },
	{ "EVENTS", TESS_HREG_EVENTS, 4, REG_W1C, 0, read_events, clear_events },
};

const struct reg_page reg_page_host = {
	.name = "host",
	.regs = regs,
	.nr = sizeof(regs) / sizeof(regs[0]),
	.counters = read_counter,
	.nr_counters = TESS_HCOUNTER_COUNT,
};
