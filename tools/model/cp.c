// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Command processor
 *
 * Takes packets from the ring, or from the indirect buffer that the ring points
 * to, strictly one after the other. A packet is fetched once, into struct
 * client, and checked there: what the client does to its memory afterwards
 * changes nothing.
 *
 * Each packet type is a row of packet_ops: who may use it, the engine it needs, a
 * check of its fields, and an execution that can stop at any time and be called
 * again. Only the check reads fields without having seen them before.
 */
#include "cp.h"

#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "copy.h"
#include "dispatch.h"
#include "gpu_priv.h"
#include "log.h"

/**
 * struct packet_op - a packet type
 * @type: enum tess_pkt_type
 * @ring_only: not in an indirect buffer
 * @engine: engine that it needs, 0 for none
 * @check: check the fields; 0 or a cause
 * @begin: set up what exec() continues, or NULL
 * @exec: run until a time; repeated until it returns CP_DONE
 */
struct packet_op {
	uint8_t type;
	bool ring_only;
	uint32_t engine;
	int (*check)(struct slice *s);
	void (*begin)(struct slice *s);
	enum cp_result (*exec)(struct slice *s, uint64_t until);
};

enum mmu_mode cp_mode(const struct slice *s)
{
	return s->client.indirect_count ? MMU_USER : MMU_PRIV;
}

void *cp_ptr(struct slice *s, uint64_t va, enum mmu_mode mode, enum isa_access access)
{
	struct mmu_fault f;
	struct mmu_page page;

	if (mmu_lookup(s, va, mode, access, &page, NULL, &f)) {
		slice_access_fault(s, &f);
		return NULL;
	}
	return page.host + (va & (TESS_PAGE_SIZE - 1));
}

static uint64_t packet_address(const struct slice *s)
{
	const struct client *c = &s->client;
	uint64_t mask = (1ULL << c->ring_log2) - 1;

	if (c->indirect_count)
		return c->indirect_addr + (uint64_t)c->indirect_index * DRM_TESSERA_PKT_SIZE;
	return c->ring_base + (c->rptr & mask) * DRM_TESSERA_PKT_SIZE;
}

static int need_zero(const __le64 *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (words[i])
			return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	return 0;
}

/* Packets without fields: all but the header is zero. */
static int nop_check(struct slice *s)
{
	for (size_t i = 2; i < DRM_TESSERA_PKT_SIZE; i++)
		if (s->client.packet[i])
			return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	return 0;
}

static enum cp_result nop_exec(struct slice *s, uint64_t until)
{
	(void)s;
	(void)until;
	return CP_DONE;
}

static int set_vm_check(struct slice *s)
{
	const struct tess_pkt_set_vm *p = (const void *)s->client.packet;
	uint64_t root = le64toh(p->root);

	if (le16toh(p->flags) & ~DRM_TESSERA_SET_VM_FLUSH || p->reserved0)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	if (root >= TESS_PA_END || root & (TESS_PAGE_SIZE - 1))
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	return need_zero(p->reserved1, 6);
}

static enum cp_result set_vm_exec(struct slice *s, uint64_t until)
{
	const struct tess_pkt_set_vm *p = (const void *)s->client.packet;
	struct client *c = &s->client;

	(void)until;
	c->vm_root = le64toh(p->root);
	c->vm_asid = le16toh(p->asid);
	mmu_set_vm(s, le16toh(p->flags) & DRM_TESSERA_SET_VM_FLUSH);
	return CP_DONE;
}

static int indirect_check(struct slice *s)
{
	const struct tess_pkt_indirect *p = (const void *)s->client.packet;
	uint32_t count = le32toh(p->count);

	if (p->reserved0 || !count || count > DRM_TESSERA_MAX_INDIRECT || !s->client.vm_root)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	if (le64toh(p->address) & (DRM_TESSERA_PKT_SIZE - 1))
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	return need_zero(p->reserved1, 6);
}

/* From here on packets come from the buffer; the ring's packet ends with the last of them. */
static enum cp_result indirect_exec(struct slice *s, uint64_t until)
{
	const struct tess_pkt_indirect *p = (const void *)s->client.packet;
	struct client *c = &s->client;

	(void)until;
	c->indirect_addr = le64toh(p->address);
	c->indirect_count = le32toh(p->count);
	c->indirect_index = 0;
	c->phase = CP_FETCH;
	return CP_MORE;
}

static int fence_check(struct slice *s)
{
	const struct tess_pkt_fence *p = (const void *)s->client.packet;

	if (le16toh(p->flags) & ~DRM_TESSERA_FENCE_IRQ || p->reserved0)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	if (need_zero(p->reserved1, 6))
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	return s->client.completion ? 0 : DRM_TESSERA_CAUSE_NO_COMPLETION;
}

/* The time, which goes to memory */
static uint64_t time_to_tell(const struct slice *s)
{
	uint64_t now = slice_time(s) + s->client.ahead;

	gpu_tell_time(s->gpu, now);
	return now;
}

static enum cp_result fence_exec(struct slice *s, uint64_t until)
{
	const struct tess_pkt_fence *p = (const void *)s->client.packet;
	struct client *c = &s->client;
	uint64_t seq = le64toh(p->seq), old = c->fence_seq, event;
	struct tess_completion_record *rec;

	(void)until;
	/* After a fault of the record's page the client may have taken its address away. */
	if (!c->completion) {
		slice_packet_fault(s, DRM_TESSERA_CAUSE_NO_COMPLETION, packet_address(s));
		c->phase = CP_FETCH;
		return CP_MORE;
	}
	rec = cp_ptr(s, c->completion, MMU_PHYS, ISA_STORE);
	if (!rec)
		return CP_MORE;
	__atomic_store_n(&rec->rptr, htole64(c->rptr + 1), __ATOMIC_RELAXED);
	__atomic_store_n(&rec->time, htole64(time_to_tell(s)), __ATOMIC_RELAXED);
	__atomic_store_n(&rec->seq, htole64(seq), __ATOMIC_RELEASE);
	/* Pairs with the client: it writes event, then reads seq again. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	event = le64toh(__atomic_load_n(&rec->event, __ATOMIC_RELAXED));
	c->fence_seq = seq;
	if (le16toh(p->flags) & DRM_TESSERA_FENCE_IRQ && seq - event < seq - old) {
		c->irq_status |= TESS_IRQ_STATUS_COMPLETION;
		gpu_irq(s->gpu, TESS_IRQ_COMPLETION);
	}
	return CP_DONE;
}

static int wait_check(struct slice *s)
{
	const struct tess_pkt_wait *p = (const void *)s->client.packet;

	if (le16toh(p->op) > DRM_TESSERA_WAIT_LT || p->reserved0 || le64toh(p->address) & 7)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	return need_zero(p->reserved1, 4);
}

static bool wait_fulfilled(unsigned int op, uint64_t word, uint64_t value)
{
	switch (op) {
	case DRM_TESSERA_WAIT_EQ:
		return word == value;
	case DRM_TESSERA_WAIT_NE:
		return word != value;
	case DRM_TESSERA_WAIT_GE:
		return word >= value;
	default:
		return word < value;
	}
}

static enum cp_result wait_exec(struct slice *s, uint64_t until)
{
	const struct tess_pkt_wait *p = (const void *)s->client.packet;
	uint64_t *word, now;

	(void)until;
	/* A slice that is ahead in time may have written it already: that counts when slices meet. */
	if (s->client.waiting && s->lead)
		return CP_MORE;
	s->client.waiting = false;
	word = cp_ptr(s, le64toh(p->address), cp_mode(s), ISA_LOAD);
	if (!word)
		return CP_MORE;
	now = le64toh(__atomic_load_n(word, __ATOMIC_ACQUIRE)) & le64toh(p->mask);
	if (wait_fulfilled(le16toh(p->op), now, le64toh(p->value)))
		return CP_DONE;
	s->client.waiting = true;
	return CP_MORE;
}

static int signal_check(struct slice *s)
{
	const struct tess_pkt_signal *p = (const void *)s->client.packet;

	if (le16toh(p->op) > DRM_TESSERA_SIGNAL_OR || p->reserved0 || le64toh(p->address) & 7)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	return need_zero(p->reserved1, 5);
}

static enum cp_result signal_exec(struct slice *s, uint64_t until)
{
	const struct tess_pkt_signal *p = (const void *)s->client.packet;
	uint64_t value = le64toh(p->value), *word;

	(void)until;
	word = cp_ptr(s, le64toh(p->address), cp_mode(s), ISA_STORE);
	if (!word)
		return CP_MORE;
	switch (le16toh(p->op)) {
	case DRM_TESSERA_SIGNAL_SET:
		__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
		break;
	case DRM_TESSERA_SIGNAL_ADD:
		__atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
		break;
	default:
		__atomic_fetch_or(word, value, __ATOMIC_SEQ_CST);
	}
	return CP_DONE;
}

static int timestamp_check(struct slice *s)
{
	const struct tess_pkt_timestamp *p = (const void *)s->client.packet;

	if (le16toh(p->flags) & ~DRM_TESSERA_TIMESTAMP_COUNTERS || p->reserved0)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	if (le64toh(p->address) & 7)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	return need_zero(p->reserved1, 6);
}

/* Words of struct tess_counter_block after the time. */
static const uint8_t block_counters[] = {
	COUNTER(BUSY),	COUNTER(STALL),	     COUNTER(INSTRUCTIONS), COUNTER(FLOPS),
	COUNTER(BYTES), COUNTER(LINK_BYTES), COUNTER(GROUPS),
};

/* The time comes last, and after all of the rest: a client that sees it may read the others. */
static enum cp_result timestamp_exec(struct slice *s, uint64_t until)
{
	const struct tess_pkt_timestamp *p = (const void *)s->client.packet;
	uint64_t va = le64toh(p->address), *word;

	(void)until;
	if (le16toh(p->flags) & DRM_TESSERA_TIMESTAMP_COUNTERS) {
		for (size_t i = 0; i < sizeof(block_counters); i++) {
			uint64_t value = s->client.counters[block_counters[i]];

			word = cp_ptr(s, va + (i + 1) * sizeof(*word), cp_mode(s), ISA_STORE);
			if (!word)
				return CP_MORE;
			__atomic_store_n(word, htole64(value), __ATOMIC_RELAXED);
		}
	}
	word = cp_ptr(s, va, cp_mode(s), ISA_STORE);
	if (!word)
		return CP_MORE;
	__atomic_store_n(word, htole64(time_to_tell(s)), __ATOMIC_RELEASE);
	return CP_DONE;
}

/* No GPU of this revision has TESS_CAPS_DRAW. */
static int draw_check(struct slice *s)
{
	(void)s;
	return DRM_TESSERA_CAUSE_ENGINE_DISABLED;
}

static const struct packet_op packet_ops[] = {
	{ DRM_TESSERA_PKT_DISPATCH, false, TESS_ENGINE_COMPUTE, dispatch_check, dispatch_begin,
	  dispatch_exec },
	{ DRM_TESSERA_PKT_DISPATCH_RANGE, false, TESS_ENGINE_COMPUTE, dispatch_check,
	  dispatch_begin, dispatch_exec },
	{ DRM_TESSERA_PKT_NOP, false, 0, nop_check, NULL, nop_exec },
	{ DRM_TESSERA_PKT_SET_VM, true, 0, set_vm_check, NULL, set_vm_exec },
	{ DRM_TESSERA_PKT_INDIRECT, true, 0, indirect_check, NULL, indirect_exec },
	{ DRM_TESSERA_PKT_COPY, false, TESS_ENGINE_COPY, copy_check, copy_begin, copy_exec },
	{ DRM_TESSERA_PKT_FILL, false, TESS_ENGINE_COPY, fill_check, copy_begin, fill_exec },
	{ DRM_TESSERA_PKT_FENCE, true, 0, fence_check, NULL, fence_exec },
	{ DRM_TESSERA_PKT_WAIT, false, 0, wait_check, NULL, wait_exec },
	{ DRM_TESSERA_PKT_SIGNAL, false, 0, signal_check, NULL, signal_exec },
	{ DRM_TESSERA_PKT_TIMESTAMP, false, 0, timestamp_check, NULL, timestamp_exec },
	{ DRM_TESSERA_PKT_DRAW, false, TESS_ENGINE_RASTER, draw_check, NULL, nop_exec },
};

static const struct packet_op *packet_op_find(const struct slice *s)
{
	for (size_t i = 0; i < sizeof(packet_ops) / sizeof(packet_ops[0]); i++)
		if (packet_ops[i].type == s->client.packet[0])
			return &packet_ops[i];
	return NULL;
}

/* Fetch the next packet; false if there is none or it cannot be read. */
static bool cp_fetch(struct slice *s)
{
	struct client *c = &s->client;
	const void *p;

	if (!c->indirect_count) {
		if (c->wptr == c->rptr)
			return false;
		if (c->wptr - c->rptr > 1ULL << c->ring_log2) {
			slice_packet_fault(s, DRM_TESSERA_CAUSE_DOORBELL, c->wptr);
			return false;
		}
	}
	p = cp_ptr(s, packet_address(s), c->indirect_count ? MMU_USER : MMU_PHYS, ISA_LOAD);
	if (!p)
		return false;
	memcpy(c->packet, p, DRM_TESSERA_PKT_SIZE);
	c->phase = CP_BEGIN;
	c->ahead += CYCLES_PACKET;
	return true;
}

static uint16_t packet_header(const struct slice *s)
{
	uint16_t header;

	memcpy(&header, s->client.packet, sizeof(header));
	return le16toh(header);
}

/* Is it allowed here at all? */
static int check_header(const struct slice *s, const struct packet_op *op)
{
	if (!op || packet_header(s) & DRM_TESSERA_PKT_HEADER_RESERVED)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	if (op->ring_only && s->client.indirect_count)
		return DRM_TESSERA_CAUSE_PRIVILEGED_PACKET;
	if (op->engine && !(slice_engines(s) & op->engine))
		return DRM_TESSERA_CAUSE_ENGINE_DISABLED;
	return 0;
}

static int cp_check(struct slice *s, const struct packet_op *op)
{
	int cause = check_header(s, op);

	if (cause)
		return cause;
	if (packet_header(s) & DRM_TESSERA_PKT_ACQUIRE_MASK)
		isa_code_flush(s->engine);
	return op->check(s);
}

int cp_check_again(struct slice *s)
{
	const struct packet_op *op = packet_op_find(s);
	int cause = check_header(s, op);

	return cause ? cause : op->check(s);
}

/* Check the fetched packet. A bad one is fetched again if the client resumes. */
static bool cp_begin(struct slice *s, const struct packet_op *op)
{
	struct client *c = &s->client;
	int cause = cp_check(s, op);

	if (cause) {
		slice_packet_fault(s, (enum tess_cause)cause, packet_address(s));
		c->phase = CP_FETCH;
		return false;
	}
	if (op->begin)
		op->begin(s);
	c->phase = CP_EXEC;
	return true;
}

static void cp_retire(struct slice *s)
{
	struct client *c = &s->client;

	slice_count(s, COUNTER(PACKETS), 1);
	c->phase = CP_FETCH;
	c->dispatch_asks = false;
	if (c->indirect_count && ++c->indirect_index < c->indirect_count)
		return;
	if (c->indirect_count)
		slice_count(s, COUNTER(PACKETS), 1);
	c->indirect_count = 0;
	c->indirect_index = 0;
	c->rptr++;
}

/* One phase of the packet in progress; false if nothing more can happen now. */
static bool cp_advance(struct slice *s, uint64_t until)
{
	const struct packet_op *op;

	switch (s->client.phase) {
	case CP_FETCH:
		return cp_fetch(s);
	case CP_BEGIN:
		return cp_begin(s, packet_op_find(s));
	case CP_EXEC:
		op = packet_op_find(s);
		if (op->exec(s, until) == CP_DONE)
			cp_retire(s);
		else if (s->client.waiting)
			return false;
		return true;
	}
	return false;
}

void cp_run(struct slice *s, uint64_t until)
{
	struct client *c = &s->client;
	bool more = true;

	while (more && c->ahead < until && slice_can_run(s)) {
		uint64_t start = c->ahead;
		bool asks = c->dispatch_asks;

		more = cp_advance(s, until);
		slice_count(s, COUNTER(BUSY), c->ahead - start);
		if (asks || c->dispatch_asks)
			s->totals[COUNTER(UNIT_CYCLES)] += c->ahead - start;
	}
}
