// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Context image, writing
 *
 * Each section is a function from struct client (or the host fault) to the
 * structure of tess_context.h. Fields that have no meaning at the moment are
 * written as zero, whatever the slice has left in them: equal contexts have equal
 * images.
 */
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "context.h"
#include "crc32c.h"
#include "dispatch.h"
#include "gpu_priv.h"

_Static_assert(sizeof(struct tess_ctx_header) + sizeof(struct tess_ctx_client) +
			       sizeof(struct tess_ctx_counters) +
			       sizeof(struct tess_ctx_processor) ==
		       TESS_CTX_IDLE_SIZE,
	       "size of an image without a packet");
_Static_assert(TESS_CTX_IDLE_SIZE + sizeof(struct tess_ctx_packet) +
			       sizeof(struct tess_ctx_hfault) +
			       DRM_TESSERA_GROUP_SLOTS * (sizeof(struct tess_ctx_group) +
							  DRM_TESSERA_MAX_LOCAL_BYTES +
							  DRM_TESSERA_MAX_GROUP_ITEMS *
								  sizeof(struct tess_ctx_item)) <=
		       TESS_CTX_MAX_SIZE,
	       "size of the largest image");

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static __le64 time_of(uint64_t ahead)
{
	return htole64(min_u64(ahead, TESS_CTX_TIME_END - 1));
}

static struct tess_ctx_section section_of(enum tess_ctx_type type, uint64_t size)
{
	return (struct tess_ctx_section){ .type = htole32(type), .size = htole64(size) };
}

static void put32(uint8_t *page, unsigned int reg, uint32_t val)
{
	val = htole32(val);
	memcpy(page + reg, &val, sizeof(val));
}

static void put64(uint8_t *page, unsigned int reg, uint64_t val)
{
	val = htole64(val);
	memcpy(page + reg, &val, sizeof(val));
}

void context_encode_client(const struct client *c, struct tess_ctx_client *out)
{
	uint8_t *page = out->page;

	memset(out, 0, sizeof(*out));
	out->section = section_of(TESS_CTX_CLIENT, sizeof(*out));
	put32(page, TESS_SREG_STATUS, client_status(c));
	put32(page, TESS_SREG_CONTROL, c->control);
	put64(page, TESS_SREG_RING_BASE, c->ring_base);
	put32(page, TESS_SREG_RING_LOG2, c->ring_log2);
	put32(page, TESS_SREG_IRQ_STATUS, c->irq_status);
	put64(page, TESS_SREG_RPTR, c->rptr);
	put64(page, TESS_SREG_WPTR, c->wptr);
	put64(page, TESS_SREG_COMPLETION, c->completion);
	put32(page, TESS_SREG_FAULT_CAUSE, c->fault.cause);
	put32(page, TESS_SREG_FAULT_INFO, c->fault.info);
	put64(page, TESS_SREG_FAULT_ADDR, c->fault.addr);
	put64(page, TESS_SREG_FAULT_PC, c->fault.pc);
	put64(page, TESS_SREG_FAULT_PACKET, c->fault.packet);
	put32(page, TESS_SREG_FAULT_INDIRECT, c->fault.indirect);
	put32(page, TESS_SREG_FAULT_ASID, c->fault.asid);
	put64(page, TESS_SREG_FENCE_SEQ, c->fence_seq);
}

static void encode_counters(const struct client *c, struct tess_ctx_counters *out)
{
	out->section = section_of(TESS_CTX_COUNTERS, sizeof(*out));
	for (unsigned int i = 0; i < TESS_COUNTER_COUNT; i++)
		out->counter[i] = htole64(c->counters[i]);
}

void context_encode_processor(const struct client *c, struct tess_ctx_processor *out)
{
	*out = (struct tess_ctx_processor){
		.section = section_of(TESS_CTX_PROCESSOR, sizeof(*out)),
		.root = htole64(c->vm_root),
		.asid = htole16(c->vm_asid),
		.ahead = time_of(c->ahead),
	};
}

bool context_has_packet(const struct client *c)
{
	return c->phase != CP_FETCH || c->indirect_count;
}

static void encode_progress(const struct client *c, struct tess_ctx_packet *out)
{
	switch (c->packet[0]) {
	case DRM_TESSERA_PKT_COPY:
	case DRM_TESSERA_PKT_FILL:
		out->row = htole32(c->row);
		out->offset = htole64(c->offset);
		break;
	case DRM_TESSERA_PKT_DISPATCH:
	case DRM_TESSERA_PKT_DISPATCH_RANGE:
		out->next_group = htole64(c->dispatch_next);
		out->end_group = htole64(c->dispatch_end);
		out->last_end = time_of(c->dispatch_last);
	}
}

/* The numbers of struct tess_ctx_packet are those of enum cp_phase. */
_Static_assert((int)CP_FETCH == (int)TESS_CTX_PHASE_NONE &&
		       (int)CP_BEGIN == (int)TESS_CTX_PHASE_FETCHED &&
		       (int)CP_EXEC == (int)TESS_CTX_PHASE_EXEC,
	       "phases");

void context_encode_packet(const struct client *c, struct tess_ctx_packet *out)
{
	memset(out, 0, sizeof(*out));
	out->section = section_of(TESS_CTX_PACKET, sizeof(*out));
	out->phase = htole32(c->phase);
	if (c->phase != CP_FETCH)
		memcpy(out->packet, c->packet, sizeof(out->packet));
	if (c->indirect_count) {
		out->indirect_address = htole64(c->indirect_addr);
		out->indirect_count = htole32(c->indirect_count);
		out->indirect_index = htole32(c->indirect_index);
	}
	if (c->phase == CP_EXEC)
		encode_progress(c, out);
}

void context_encode_hfault(const struct host_fault *h, struct tess_ctx_hfault *out)
{
	const struct client_fault *f = &h->refused;

	*out = (struct tess_ctx_hfault){
		.section = section_of(TESS_CTX_HFAULT, sizeof(*out)),
		.cause = htole32(h->mmu.cause),
		.access = htole32(h->mmu.host_access),
		.gpa = htole64(h->mmu.gpa),
		.va = htole64(h->mmu.va),
		.refused = {
			.cause = htole32(f->cause),
			.info = htole32(f->info),
			.addr = htole64(f->addr),
			.pc = htole64(f->pc),
			.packet = htole64(f->packet),
			.indirect = htole32(f->indirect),
			.asid = htole32(f->asid),
		},
	};
}

static uint64_t group_bytes(const struct group_slot *slot)
{
	const struct isa_group *g = slot->group;

	return sizeof(struct tess_ctx_group) + g->nr_harts * sizeof(struct tess_ctx_item) +
	       ((g->d.local_bytes + 7) & ~7ULL);
}

static void encode_item(const struct isa_group *g, unsigned int n, struct tess_ctx_item *out)
{
	struct isa_hart hart;

	isa_hart_get(g, n, &hart);
	out->pc = htole64(hart.pc);
	for (unsigned int i = 1; i < 32; i++)
		out->x[i - 1] = htole64(hart.x[i]);
	for (unsigned int i = 0; i < 32; i++)
		out->f[i] = htole64(hart.f[i]);
	out->fcsr = htole32(hart.fcsr);
	out->state = htole32(hart.state);
}

static void encode_group(const struct slice *s, unsigned int n, struct tess_ctx_group *out)
{
	const struct group_slot *slot = &s->client.slots[n];
	const struct isa_group *g = slot->group;
	uint64_t size = group_bytes(slot);
	struct tess_ctx_item *item = out->item;

	memset(out, 0, size);
	out->section = section_of(TESS_CTX_GROUP, size);
	out->slot = htole32(n);
	out->index = htole32(slot->index);
	out->items = htole32(g->nr_harts);
	out->local_bytes = htole32(g->d.local_bytes);
	out->wave = htole16(g->sched.wave);
	out->pending = htole16(g->sched.pending);
	out->quantum = htole32((uint32_t)g->sched.quantum);
	memcpy(out->leader, g->sched.leader, sizeof(out->leader));
	out->instret = htole64(g->instret);
	out->ahead = time_of(dispatch_group_ahead(s, n));
	for (unsigned int i = 0; i < g->nr_harts; i++)
		encode_item(g, i, &item[i]);
	memcpy(&item[g->nr_harts], slot->local, g->d.local_bytes);
}

uint64_t context_size(const struct slice *s)
{
	uint64_t size = TESS_CTX_IDLE_SIZE;

	if (context_has_packet(&s->client))
		size += sizeof(struct tess_ctx_packet);
	if (s->hfault.pending)
		size += sizeof(struct tess_ctx_hfault);
	for (unsigned int i = 0; i < DRM_TESSERA_GROUP_SLOTS; i++)
		if (s->client.slots[i].active)
			size += group_bytes(&s->client.slots[i]);
	return size;
}

/* Encode the groups in the order in which they shall get a core. */
static uint32_t encode_groups(const struct slice *s, uint8_t *at)
{
	uint8_t order[DRM_TESSERA_GROUP_SLOTS];
	unsigned int n = dispatch_order(s, order);

	for (unsigned int i = 0; i < n; i++) {
		encode_group(s, order[i], (struct tess_ctx_group *)at);
		at += group_bytes(&s->client.slots[order[i]]);
	}
	return n;
}

uint32_t context_checksum(const void *image, uint64_t size)
{
	const size_t at = offsetof(struct tess_ctx_header, checksum);
	const uint8_t *p = image;
	const __le32 zero = 0;
	uint32_t crc = crc32c(0, p, at);

	crc = crc32c(crc, &zero, sizeof(zero));
	return crc32c(crc, p + at + sizeof(zero), size - at - sizeof(zero));
}

void context_encode(const struct slice *s, void *image)
{
	struct tess_ctx_header *h = image;
	uint64_t size = context_size(s);
	uint32_t sections = 3;
	uint8_t *at = image;

	at += sizeof(*h);
	context_encode_client(&s->client, (void *)at);
	at += sizeof(struct tess_ctx_client);
	encode_counters(&s->client, (void *)at);
	at += sizeof(struct tess_ctx_counters);
	context_encode_processor(&s->client, (void *)at);
	at += sizeof(struct tess_ctx_processor);
	if (context_has_packet(&s->client)) {
		context_encode_packet(&s->client, (void *)at);
		at += sizeof(struct tess_ctx_packet);
		sections++;
	}
	if (s->hfault.pending) {
		context_encode_hfault(&s->hfault, (void *)at);
		at += sizeof(struct tess_ctx_hfault);
		sections++;
	}
	sections += encode_groups(s, at);
	*h = (struct tess_ctx_header){
		.magic = htole32(TESS_CTX_MAGIC),
		.version = htole16(TESS_CTX_VERSION),
		.header_size = htole16(sizeof(*h)),
		.size = htole64(size),
		.sections = htole32(sections),
		.kind = htole32(s->kind),
		.time = htole64(slice_time(s)),
	};
	h->checksum = htole32(context_checksum(image, size));
}
