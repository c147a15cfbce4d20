// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Slice
 *
 * A slice runs one client. It stops for five reasons: the client or the host
 * cleared its run bit, a client fault, a host fault, an empty ring. All of them
 * leave struct client consistent: execution goes on from it as if nothing had
 * happened.
 *
 * A client fault is reported through the client page, a host fault (stage 2)
 * through the host page; each stops this slice alone. The client's view of a
 * host fault is prepared when it happens: the host can then refuse the access
 * and the client sees an access fault there.
 */
#include "slice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "cp.h"
#include "dispatch.h"
#include "events.h"
#include "gpu_priv.h"
#include "log.h"

static const struct {
	unsigned int cores;
	uint32_t engines;
	uint32_t unit_cycles;
} kind_info[] = {
	[TESS_KIND_COMPUTE] = { 8, TESS_ENGINE_COMPUTE | TESS_ENGINE_COPY, 1 },
	[TESS_KIND_RENDER] = { 2, TESS_ENGINE_ALL, 1 },
	[TESS_KIND_MIXED] = { 4, TESS_ENGINE_ALL, 4 },
};

void slice_count(struct slice *s, unsigned int counter, uint64_t n)
{
	s->client.counters[counter] += n;
	s->totals[counter] += n;
}

uint64_t slice_time(const struct slice *s)
{
	return s->gpu->now + s->lead;
}

uint32_t slice_engines(const struct slice *s)
{
	return s->engines & s->host.engine_mask;
}

uint32_t slice_units(const struct slice *s)
{
	return slice_engines(s) & TESS_ENGINE_RASTER ? ISA_UNIT_ALL : 0;
}

bool slice_is_halted(const struct slice *s)
{
	return !(s->host.control & TESS_HCONTROL_RUN) && !s->stuck.now;
}

bool slice_is_busy(const struct slice *s)
{
	return s->ctx.left || s->stuck.switching || s->refuse.now;
}

bool slice_can_run(const struct slice *s)
{
	return s->client.control & TESS_CONTROL_ENABLE && !slice_is_halted(s) &&
	       !s->client.faulted && !s->hfault.pending && !s->ctx.left;
}

static bool client_has_work(const struct client *c)
{
	return c->phase != CP_FETCH || c->indirect_count || c->rptr != c->wptr;
}

bool slice_has_work(const struct slice *s)
{
	return client_has_work(&s->client);
}

bool slice_is_idle(const struct slice *s)
{
	return !(s->client.control & TESS_CONTROL_ENABLE) || s->client.faulted ||
	       !slice_has_work(s);
}

uint32_t client_status(const struct client *c)
{
	uint32_t val = 0;

	if (c->control & TESS_CONTROL_ENABLE)
		val |= TESS_STATUS_ENABLED;
	if (client_has_work(c))
		val |= TESS_STATUS_BUSY;
	if (c->faulted)
		val |= TESS_STATUS_FAULTED;
	if (c->waiting)
		val |= TESS_STATUS_WAITING;
	return val;
}

static uint64_t time_left(uint64_t ahead, uint64_t cycles)
{
	return ahead > cycles ? ahead - cycles : 0;
}

static void slice_run(struct slice *s, uint64_t cycles)
{
	struct client *c = &s->client;

	if (!slice_can_run(s))
		return;
	slice_count(s, COUNTER(CYCLES), cycles);
	cp_run(s, cycles);
	c->ahead = time_left(c->ahead, cycles);
	c->dispatch_last = time_left(c->dispatch_last, cycles);
	for (unsigned int i = 0; i < s->nr_cores; i++)
		s->cores[i].ahead = time_left(s->cores[i].ahead, cycles);
}

void slice_step(struct slice *s, uint64_t cycles)
{
	if (s->ctx.left) {
		context_step(s, cycles);
	} else {
		slice_run(s, cycles);
		events_tick(s, cycles);
	}
	events_notify(s);
}

void slice_drop_packet(struct slice *s)
{
	struct client *c = &s->client;

	c->phase = CP_FETCH;
	c->waiting = false;
	c->indirect_count = 0;
	c->indirect_index = 0;
	c->row = 0;
	c->offset = 0;
	dispatch_drop(s);
}

/* FAULT_* registers for the packet in progress. */
static struct client_fault packet_fault(const struct slice *s, uint32_t cause, uint64_t addr,
					enum isa_access access)
{
	const struct client *c = &s->client;
	struct client_fault f = {
		.cause = cause,
		.addr = addr,
		.packet = c->rptr,
		.asid = c->vm_asid,
	};

	f.info = (uint32_t)FIELD_PREP(TESS_FAULT_INFO_ACCESS, access);
	if (c->phase != CP_FETCH)
		f.info |= c->packet[0];
	if (c->indirect_count) {
		f.info |= TESS_FAULT_INFO_INDIRECT;
		f.indirect = c->indirect_index;
	}
	return f;
}

static void client_fault_raise(struct slice *s, const struct client_fault *f)
{
	s->client.fault = *f;
	s->client.faulted = true;
	s->client.irq_status |= TESS_IRQ_STATUS_FAULT;
	log_event(s->gpu->desc.log, LOG_INFO,
		  "slice %u: fault %u addr 0x%llx pc 0x%llx info 0x%x packet %llu", s->id, f->cause,
		  (unsigned long long)f->addr, (unsigned long long)f->pc, f->info,
		  (unsigned long long)f->packet);
	gpu_irq(s->gpu, TESS_IRQ_FAULT);
}

static void host_fault_raise(struct slice *s, const struct mmu_fault *m,
			     const struct client_fault *refused)
{
	s->hfault.pending = true;
	s->hfault.mmu = *m;
	s->hfault.refused = *refused;
	log_event(s->gpu->desc.log, LOG_DEBUG, "slice %u: host fault %u gpa 0x%llx", s->id,
		  m->cause, (unsigned long long)m->gpa);
	gpu_irq(s->gpu, TESS_IRQ_FAULT);
}

/* What the client sees of an access that the host refuses. */
static uint32_t refused_cause(enum isa_access access)
{
	switch (access) {
	case ISA_FETCH:
		return DRM_TESSERA_CAUSE_FETCH_ACCESS;
	case ISA_LOAD:
		return DRM_TESSERA_CAUSE_LOAD_ACCESS;
	default:
		return DRM_TESSERA_CAUSE_STORE_ACCESS;
	}
}

static void translation_fault_raise(struct slice *s, const struct mmu_fault *m,
				    struct client_fault *f)
{
	slice_count(s, COUNTER(FAULTS), 1);
	if (m->host) {
		f->cause = refused_cause(m->access);
		host_fault_raise(s, m, f);
	} else {
		client_fault_raise(s, f);
	}
}

void slice_packet_fault(struct slice *s, enum tess_cause cause, uint64_t addr)
{
	struct client_fault f = packet_fault(s, cause, addr, ISA_FETCH);

	slice_count(s, COUNTER(FAULTS), 1);
	client_fault_raise(s, &f);
}

void slice_access_fault(struct slice *s, const struct mmu_fault *m)
{
	struct client_fault f = packet_fault(s, m->cause, m->va, m->access);

	translation_fault_raise(s, m, &f);
}

static enum isa_access hart_access(uint32_t cause)
{
	switch (cause) {
	case DRM_TESSERA_CAUSE_LOAD_MISALIGNED:
	case DRM_TESSERA_CAUSE_LOAD_ACCESS:
	case DRM_TESSERA_CAUSE_LOAD_PAGE:
		return ISA_LOAD;
	case DRM_TESSERA_CAUSE_STORE_MISALIGNED:
	case DRM_TESSERA_CAUSE_STORE_ACCESS:
	case DRM_TESSERA_CAUSE_STORE_PAGE:
		return ISA_STORE;
	default:
		return ISA_FETCH;
	}
}

void slice_hart_fault(struct slice *s, const struct isa_fault *hf, const struct mmu_fault *m)
{
	enum isa_access access = m ? m->access : hart_access(hf->cause);
	struct client_fault f = packet_fault(s, hf->cause, hf->va, access);

	f.info |= TESS_FAULT_INFO_HART;
	f.pc = hf->pc;
	if (m) {
		translation_fault_raise(s, m, &f);
		return;
	}
	slice_count(s, COUNTER(FAULTS), 1);
	client_fault_raise(s, &f);
}

void slice_fault_ack(struct slice *s, uint32_t how)
{
	struct client *c = &s->client;

	if (!c->faulted)
		return;
	if (how == TESS_FAULT_ACK_ABORT) {
		slice_drop_packet(s);
		c->control &= ~(uint32_t)TESS_CONTROL_ENABLE;
	} else if (how != TESS_FAULT_ACK_RESUME) {
		return;
	}
	c->faulted = false;
	memset(&c->fault, 0, sizeof(c->fault));
}

void slice_hfault_ack(struct slice *s, uint32_t how)
{
	struct client_fault refused = s->hfault.refused;

	if (!s->hfault.pending || (how != TESS_HFAULT_ACK_RESUME && how != TESS_HFAULT_ACK_REFUSE))
		return;
	memset(&s->hfault, 0, sizeof(s->hfault));
	if (how == TESS_HFAULT_ACK_REFUSE)
		client_fault_raise(s, &refused);
}

void slice_reset_client(struct slice *s)
{
	struct client *c = &s->client;
	struct group_slot slots[DRM_TESSERA_GROUP_SLOTS];

	slice_drop_packet(s);
	memcpy(slots, c->slots, sizeof(slots));
	memset(c, 0, sizeof(*c));
	memcpy(c->slots, slots, sizeof(slots));
	c->ring_log2 = TESS_RING_LOG2_MIN;
	memset(&s->hfault, 0, sizeof(s->hfault));
	memset(s->latch[LATCH_CLIENT], 0, sizeof(s->latch[0]));
	memset(s->latch[LATCH_DOORBELL], 0, sizeof(s->latch[0]));
	for (unsigned int i = 0; i < SLICE_MAX_CORES; i++)
		s->cores[i] = (struct core){ .slot = -1 };
	mmu_flush(s);
}

void slice_reset(struct slice *s)
{
	slice_reset_client(s);
	memset(&s->host, 0, sizeof(s->host));
	memset(s->latch[LATCH_HOST], 0, sizeof(s->latch[0]));
	memset(&s->ctx, 0, sizeof(s->ctx));
	s->stuck.now = false;
	s->stuck.switching = false;
	s->refuse.armed = false;
	s->refuse.now = false;
	s->host.control = TESS_HCONTROL_RUN;
	s->host.engine_mask = TESS_ENGINE_ALL;
	s->host.throttle = 1024;
	s->host.link_mask = ~0ULL;
	memset(s->totals, 0, sizeof(s->totals));
	__atomic_fetch_and(&s->gpu->event_pending, ~BIT_ULL(s->id), __ATOMIC_RELAXED);
}

void slice_scrub(struct slice *s)
{
	uint64_t size = s->gpu->desc.bank_size;

	gpu_zero_vram(s->gpu, s->id * size, size);
	isa_code_flush(s->engine);
}

int slice_init(struct slice *s, struct gpu *g, unsigned int id, enum tess_slice_kind kind)
{
	s->gpu = g;
	s->id = id;
	s->kind = kind;
	s->nr_cores = kind_info[kind].cores;
	s->engines = kind_info[kind].engines;
	s->stuck.times = g->desc.stuck[id];
	s->refuse.times = g->desc.refuse[id];
	s->damage = g->desc.damage[id];
	if (dispatch_init(s))
		return -ENOMEM;
	isa_engine_set_unit_cycles(s->engine, kind_info[kind].unit_cycles);
	return 0;
}

void slice_fini(struct slice *s)
{
	dispatch_fini(s);
}
