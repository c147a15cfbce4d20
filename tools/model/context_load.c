// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Context image, reading
 *
 * An image may be a client's forgery: migration brings it from another host, and
 * a checksum keeps nobody out. So it is decoded into a candidate, a slice that
 * has the host's settings and no cores, and everything is checked there with the
 * functions that check fresh packets. What passes is a state that a client could
 * have brought a slice into by itself. Only then the real slice is touched, and
 * nothing can fail any more.
 *
 * Fields are checked for their range; that unused ones are zero is seen by
 * encoding the candidate again.
 */
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "context.h"
#include "copy.h"
#include "cp.h"
#include "dispatch.h"
#include "gpu_priv.h"

#define RING_BASE_MASK GENMASK_ULL(TESS_PA_BITS - 1, 12)
#define COMPLETION_MASK GENMASK_ULL(TESS_PA_BITS - 1, 6)
#define IRQ_STATUS_MASK (TESS_IRQ_STATUS_COMPLETION | TESS_IRQ_STATUS_FAULT)
#define FAULT_INFO_MASK                                                             \
	(TESS_FAULT_INFO_PACKET | TESS_FAULT_INFO_INDIRECT | TESS_FAULT_INFO_HART | \
	 TESS_FAULT_INFO_ACCESS)
/* Causes of client faults, a bit each. */
#define CLIENT_CAUSES (GENMASK(8, 0) | BIT(12) | BIT(13) | BIT(15) | GENMASK(31, 24))
#define REFUSED_CAUSES                                                              \
	(BIT(DRM_TESSERA_CAUSE_FETCH_ACCESS) | BIT(DRM_TESSERA_CAUSE_LOAD_ACCESS) | \
	 BIT(DRM_TESSERA_CAUSE_STORE_ACCESS))
#define FCSR_MASK 0xffu

static uint32_t get32(const uint8_t *page, unsigned int reg)
{
	uint32_t val;

	memcpy(&val, page + reg, sizeof(val));
	return le32toh(val);
}

static uint64_t get64(const uint8_t *page, unsigned int reg)
{
	uint64_t val;

	memcpy(&val, page + reg, sizeof(val));
	return le64toh(val);
}

/* Is a section of this type next? */
static bool next_is(const struct ctx_load *l, enum tess_ctx_type type)
{
	const struct tess_ctx_section *sec = (const void *)l->at;

	return l->left && l->end - l->at >= (ptrdiff_t)sizeof(*sec) && le32toh(sec->type) == type;
}

/* Take the next section, which has to be of this type and of @size bytes. */
static const void *take(struct ctx_load *l, enum tess_ctx_type type, uint64_t size)
{
	const struct tess_ctx_section *sec = (const void *)l->at;

	if (!next_is(l, type) || sec->flags || le64toh(sec->size) != size)
		return NULL;
	if ((uint64_t)(l->end - l->at) < size)
		return NULL;
	l->at += size;
	l->left--;
	return sec;
}

static bool fault_valid(const struct client_fault *f, uint32_t causes)
{
	return f->cause < 32 && causes >> f->cause & 1 && !(f->info & ~(uint32_t)FAULT_INFO_MASK) &&
	       FIELD_GET(TESS_FAULT_INFO_ACCESS, f->info) <= ISA_STORE &&
	       f->indirect < DRM_TESSERA_MAX_INDIRECT && f->asid <= UINT16_MAX;
}

static bool fault_empty(const struct client_fault *f)
{
	return !f->cause && !f->info && !f->addr && !f->pc && !f->packet && !f->indirect &&
	       !f->asid;
}

static void decode_fault(const uint8_t *page, struct client_fault *f)
{
	f->cause = get32(page, TESS_SREG_FAULT_CAUSE);
	f->info = get32(page, TESS_SREG_FAULT_INFO);
	f->addr = get64(page, TESS_SREG_FAULT_ADDR);
	f->pc = get64(page, TESS_SREG_FAULT_PC);
	f->packet = get64(page, TESS_SREG_FAULT_PACKET);
	f->indirect = get32(page, TESS_SREG_FAULT_INDIRECT);
	f->asid = get32(page, TESS_SREG_FAULT_ASID);
}

static bool client_valid(const struct client *c)
{
	if (c->control & ~(uint32_t)TESS_CONTROL_ENABLE ||
	    c->irq_status & ~(uint32_t)IRQ_STATUS_MASK)
		return false;
	if (c->ring_log2 < TESS_RING_LOG2_MIN || c->ring_log2 > TESS_RING_LOG2_MAX)
		return false;
	if (c->ring_base & ~RING_BASE_MASK || c->completion & ~COMPLETION_MASK)
		return false;
	return c->faulted ? fault_valid(&c->fault, CLIENT_CAUSES) : fault_empty(&c->fault);
}

static bool load_client(struct ctx_load *l, const struct tess_ctx_client *in)
{
	struct client *c = &l->slice.client;
	uint32_t status;

	if (!in)
		return false;
	status = get32(in->page, TESS_SREG_STATUS);
	c->faulted = status & TESS_STATUS_FAULTED;
	c->waiting = status & TESS_STATUS_WAITING;
	c->control = get32(in->page, TESS_SREG_CONTROL);
	c->ring_base = get64(in->page, TESS_SREG_RING_BASE);
	c->ring_log2 = get32(in->page, TESS_SREG_RING_LOG2);
	c->irq_status = get32(in->page, TESS_SREG_IRQ_STATUS);
	c->rptr = get64(in->page, TESS_SREG_RPTR);
	c->wptr = get64(in->page, TESS_SREG_WPTR);
	c->completion = get64(in->page, TESS_SREG_COMPLETION);
	c->fence_seq = get64(in->page, TESS_SREG_FENCE_SEQ);
	decode_fault(in->page, &c->fault);
	return client_valid(c);
}

static bool load_counters(struct ctx_load *l, const struct tess_ctx_counters *in)
{
	if (!in)
		return false;
	for (unsigned int i = 0; i < TESS_COUNTER_COUNT; i++)
		l->slice.client.counters[i] = le64toh(in->counter[i]);
	return true;
}

static bool load_processor(struct ctx_load *l, const struct tess_ctx_processor *in)
{
	struct client *c = &l->slice.client;
	struct tess_ctx_processor again;

	if (!in)
		return false;
	c->vm_root = le64toh(in->root);
	c->vm_asid = le16toh(in->asid);
	c->ahead = le64toh(in->ahead);
	context_encode_processor(c, &again);
	return c->vm_root < TESS_PA_END && !(c->vm_root & (TESS_PAGE_SIZE - 1)) &&
	       !memcmp(&again, in, sizeof(again));
}

static bool indirect_valid(const struct client *c)
{
	if (!c->indirect_count)
		return c->phase != CP_FETCH;
	return c->vm_root && c->indirect_count <= DRM_TESSERA_MAX_INDIRECT &&
	       c->indirect_index < c->indirect_count &&
	       !(c->indirect_addr & (DRM_TESSERA_PKT_SIZE - 1));
}

static bool is_dispatch(const struct client *c)
{
	return c->phase == CP_EXEC && (c->packet[0] == DRM_TESSERA_PKT_DISPATCH ||
				       c->packet[0] == DRM_TESSERA_PKT_DISPATCH_RANGE);
}

/* How far is the packet, which passed its check, on its way? */
static bool progress_valid(const struct slice *s)
{
	const struct client *c = &s->client;
	uint64_t first, end;

	if (!is_dispatch(c))
		return copy_progress_valid(s);
	dispatch_range(s, &first, &end);
	return c->dispatch_end == end && c->dispatch_next >= first && c->dispatch_next <= end;
}

/* A packet in execution passes the check of a fresh one; returns TESS_CTX_*. */
static uint32_t check_exec(struct slice *s)
{
	int cause = s->client.phase == CP_EXEC ? cp_check_again(s) : 0;

	if (cause == DRM_TESSERA_CAUSE_ENGINE_DISABLED)
		return TESS_CTX_ERR_ENGINE;
	/* The client may have taken the record away from a FENCE that faulted on it. */
	if (cause && cause != DRM_TESSERA_CAUSE_NO_COMPLETION)
		return TESS_CTX_ERR_CONTENT;
	if (is_dispatch(&s->client) && dispatch_units(s) & ~slice_units(s))
		return TESS_CTX_ERR_ENGINE;
	if (s->client.phase == CP_EXEC && !progress_valid(s))
		return TESS_CTX_ERR_CONTENT;
	return TESS_CTX_DONE;
}

static uint32_t load_packet(struct ctx_load *l, const struct tess_ctx_packet *in)
{
	struct client *c = &l->slice.client;
	struct tess_ctx_packet again;

	if (!in || le32toh(in->phase) > CP_EXEC)
		return TESS_CTX_ERR_CONTENT;
	c->phase = (enum cp_phase)le32toh(in->phase);
	memcpy(c->packet, in->packet, sizeof(c->packet));
	c->indirect_addr = le64toh(in->indirect_address);
	c->indirect_count = le32toh(in->indirect_count);
	c->indirect_index = le32toh(in->indirect_index);
	c->row = le32toh(in->row);
	c->offset = le64toh(in->offset);
	c->dispatch_next = le64toh(in->next_group);
	c->dispatch_end = le64toh(in->end_group);
	c->dispatch_last = le64toh(in->last_end);
	/* What it asked for on the slice where it began is not known */
	c->dispatch_asks = is_dispatch(c) && dispatch_units(&l->slice);
	context_encode_packet(c, &again);
	if (memcmp(&again, in, sizeof(again)) || !indirect_valid(c))
		return TESS_CTX_ERR_CONTENT;
	return check_exec(&l->slice);
}

static enum isa_access access_of(uint32_t guest_cause)
{
	switch (guest_cause) {
	case DRM_TESSERA_CAUSE_FETCH_GUEST_PAGE:
		return ISA_FETCH;
	case DRM_TESSERA_CAUSE_LOAD_GUEST_PAGE:
		return ISA_LOAD;
	default:
		return ISA_STORE;
	}
}

static bool hfault_valid(const struct host_fault *h)
{
	switch (h->mmu.cause) {
	case DRM_TESSERA_CAUSE_FETCH_GUEST_PAGE:
	case DRM_TESSERA_CAUSE_LOAD_GUEST_PAGE:
	case DRM_TESSERA_CAUSE_STORE_GUEST_PAGE:
		break;
	default:
		return false;
	}
	return h->mmu.host_access <= ISA_STORE && h->mmu.gpa < TESS_PA_END &&
	       fault_valid(&h->refused, REFUSED_CAUSES);
}

static bool load_hfault(struct ctx_load *l, const struct tess_ctx_hfault *in)
{
	struct host_fault *h = &l->slice.hfault;
	struct tess_ctx_hfault again;

	/* Nothing runs after a client fault, so no second fault can have come. */
	if (!in || l->slice.client.faulted)
		return false;
	h->pending = true;
	h->mmu.cause = le32toh(in->cause);
	h->mmu.access = access_of(h->mmu.cause);
	h->mmu.host = true;
	h->mmu.host_access = (enum isa_access)le32toh(in->access);
	h->mmu.va = le64toh(in->va);
	h->mmu.gpa = le64toh(in->gpa);
	h->refused.cause = le32toh(in->refused.cause);
	h->refused.info = le32toh(in->refused.info);
	h->refused.addr = le64toh(in->refused.addr);
	h->refused.pc = le64toh(in->refused.pc);
	h->refused.packet = le64toh(in->refused.packet);
	h->refused.indirect = le32toh(in->refused.indirect);
	h->refused.asid = le32toh(in->refused.asid);
	context_encode_hfault(h, &again);
	return hfault_valid(h) && !memcmp(&again, in, sizeof(again));
}

/* Is the group one that the dispatch has started, and is its slot free? */
static bool group_named_well(const struct ctx_load *l, const struct tess_ctx_group *in)
{
	const struct client *c = &l->slice.client;
	uint64_t first, end;

	if (le32toh(in->slot) >= DRM_TESSERA_GROUP_SLOTS || l->group[le32toh(in->slot)])
		return false;
	dispatch_range(&l->slice, &first, &end);
	if (le32toh(in->index) < first || le32toh(in->index) >= c->dispatch_next)
		return false;
	for (unsigned int i = 0; i < l->nr_groups; i++)
		if (l->group[l->order[i]]->index == in->index)
			return false;
	return true;
}

static bool items_valid(const struct tess_ctx_group *in)
{
	const struct tess_ctx_item *item = in->item;

	for (uint32_t i = 0; i < le32toh(in->items); i++)
		if (le32toh(item[i].fcsr) & ~FCSR_MASK || le32toh(item[i].state) > ISA_HART_DONE)
			return false;
	return true;
}

static bool padding_zero(const struct tess_ctx_group *in)
{
	const uint8_t *local = (const void *)&in->item[le32toh(in->items)];

	for (uint32_t i = le32toh(in->local_bytes); i % 8; i++)
		if (local[i])
			return false;
	return true;
}

static bool load_group(struct ctx_load *l)
{
	const struct tess_ctx_group *in = (const void *)l->at;
	uint64_t size = sizeof(*in);
	uint32_t items, local;

	if (!is_dispatch(&l->slice.client) || (uint64_t)(l->end - l->at) < size ||
	    !group_named_well(l, in))
		return false;
	dispatch_shape(&l->slice, le32toh(in->index), &items, &local);
	if (le32toh(in->items) != items || le32toh(in->local_bytes) != local)
		return false;
	size += items * sizeof(in->item[0]) + ((local + 7) & ~7ULL);
	if (!take(l, TESS_CTX_GROUP, size) || le64toh(in->ahead) >= TESS_CTX_TIME_END)
		return false;
	l->order[l->nr_groups++] = (uint8_t)le32toh(in->slot);
	l->group[le32toh(in->slot)] = in;
	return items_valid(in) && padding_zero(in);
}

/* What STATUS says has to agree with all the rest. */
static bool status_valid(const struct ctx_load *l, const struct tess_ctx_client *in)
{
	const struct client *c = &l->slice.client;
	struct tess_ctx_client again;

	if (c->waiting && (c->phase != CP_EXEC || c->packet[0] != DRM_TESSERA_PKT_WAIT))
		return false;
	context_encode_client(c, &again);
	return !memcmp(&again, in, sizeof(again));
}

static uint32_t load_sections(struct ctx_load *l)
{
	const struct tess_ctx_client *client = take(l, TESS_CTX_CLIENT, sizeof(*client));
	uint32_t status;

	if (!load_client(l, client) ||
	    !load_counters(l, take(l, TESS_CTX_COUNTERS, sizeof(struct tess_ctx_counters))) ||
	    !load_processor(l, take(l, TESS_CTX_PROCESSOR, sizeof(struct tess_ctx_processor))))
		return TESS_CTX_ERR_CONTENT;
	if (next_is(l, TESS_CTX_PACKET)) {
		status = load_packet(l, take(l, TESS_CTX_PACKET, sizeof(struct tess_ctx_packet)));
		if (status != TESS_CTX_DONE)
			return status;
	}
	if (next_is(l, TESS_CTX_HFAULT) &&
	    !load_hfault(l, take(l, TESS_CTX_HFAULT, sizeof(struct tess_ctx_hfault))))
		return TESS_CTX_ERR_CONTENT;
	while (next_is(l, TESS_CTX_GROUP))
		if (!load_group(l))
			return TESS_CTX_ERR_CONTENT;
	if (l->left || l->at != l->end || !status_valid(l, client))
		return TESS_CTX_ERR_CONTENT;
	return TESS_CTX_DONE;
}

static bool header_valid(const struct tess_ctx_header *h, uint64_t size)
{
	for (size_t i = 0; i < sizeof(h->reserved) / sizeof(h->reserved[0]); i++)
		if (h->reserved[i])
			return false;
	return le16toh(h->header_size) == sizeof(*h) && le64toh(h->size) == size &&
	       le32toh(h->kind) >= TESS_KIND_COMPUTE && le32toh(h->kind) <= TESS_KIND_MIXED;
}

static void apply_group(struct slice *s, unsigned int n, const struct tess_ctx_group *in)
{
	struct isa_group *g = s->client.slots[n].group;
	uint32_t items = le32toh(in->items);
	struct isa_hart hart = { 0 };

	dispatch_continue(s, n, le32toh(in->index), le64toh(in->ahead));
	for (uint32_t i = 0; i < items; i++) {
		hart.pc = le64toh(in->item[i].pc);
		for (unsigned int r = 1; r < 32; r++)
			hart.x[r] = le64toh(in->item[i].x[r - 1]);
		for (unsigned int r = 0; r < 32; r++)
			hart.f[r] = le64toh(in->item[i].f[r]);
		hart.fcsr = le32toh(in->item[i].fcsr);
		hart.state = le32toh(in->item[i].state);
		isa_hart_set(g, i, &hart);
	}
	g->sched.wave = le16toh(in->wave);
	g->sched.pending = le16toh(in->pending);
	g->sched.quantum = (int32_t)le32toh(in->quantum);
	memcpy(g->sched.leader, in->leader, sizeof(in->leader));
	g->instret = le64toh(in->instret);
	memcpy(s->client.slots[n].local, &in->item[items], le32toh(in->local_bytes));
}

void context_apply(struct slice *s, const struct ctx_load *l)
{
	struct client *c = &s->client;
	struct group_slot slots[DRM_TESSERA_GROUP_SLOTS];

	slice_reset_client(s);
	memcpy(slots, c->slots, sizeof(slots));
	*c = l->slice.client;
	memcpy(c->slots, slots, sizeof(slots));
	s->hfault = l->slice.hfault;
	for (unsigned int i = 0; i < l->nr_groups; i++)
		apply_group(s, l->order[i], l->group[l->order[i]]);
	slice_count(s, COUNTER(SWITCHES), 1);
}

uint32_t context_decode(struct ctx_load *l, const struct slice *s, const struct host_regs *host,
			const void *image, uint64_t size)
{
	const struct tess_ctx_header *h = image;

	*l = (struct ctx_load){
		.at = (const uint8_t *)image + sizeof(*h),
		.end = (const uint8_t *)image + size,
		.left = le32toh(h->sections),
		.slice = { .gpu = s->gpu, .id = s->id, .engines = s->engines, .host = *host },
	};
	if (context_checksum(image, size) != le32toh(h->checksum))
		return TESS_CTX_ERR_CHECKSUM;
	if (!header_valid(h, size))
		return TESS_CTX_ERR_CONTENT;
	return load_sections(l);
}
