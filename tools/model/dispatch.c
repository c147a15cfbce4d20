// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Dispatch
 *
 * Groups go to free cores in linear order. Each core has its own time: the core
 * whose time is lowest acts next, it takes a group or runs the one that it has
 * until that group ends or the step does. Since cores meet only through memory
 * this gives each group the start that simulating cycle by cycle would.
 *
 * A group in flight lives in a slot of struct client. Its slot is also the place
 * of its private memory. Which core runs it is the slice's business. After a
 * RESTORE there may be more groups than cores. They take turns: groups that were
 * in flight together may wait for each other, so none may starve.
 *
 * All cores of a slice share one ISA engine, for they share the translation
 * cache and mostly run the same code.
 */
#include "dispatch.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_priv.h"
#include "log.h"

#define THROTTLE_ONE 1024
#define TURN_CYCLES 8192 /* of a group, while others wait for a core */

static const struct tess_pkt_dispatch *pkt_of(const struct slice *s)
{
	return (const void *)s->client.packet;
}

static bool is_range(const struct slice *s)
{
	return s->client.packet[0] == DRM_TESSERA_PKT_DISPATCH_RANGE;
}

static int translate(void *opaque, uint64_t va, unsigned int size, enum isa_access access,
		     struct isa_xlat *out)
{
	struct slice *s = opaque;
	struct mmu_page page;
	int cause;

	(void)size;
	cause = mmu_walk(s, va, MMU_USER, access, &page, &s->xlat_fault);
	if (cause)
		return cause;
	out->page = page.host;
	out->prot = page.prot;
	out->nocache = false;
	s->xlat_stall += CYCLES_FILL;
	if (page.hops) {
		s->xlat_stall += (uint64_t)CYCLES_FILL_HOP * page.hops;
		slice_count(s, COUNTER(LINK_BYTES), LINK_FILL_BYTES);
		slice_count(s, COUNTER(LINK_HOPS), page.hops);
	}
	return 0;
}

static const struct isa_ops isa_ops = { .translate = translate };

int dispatch_init(struct slice *s)
{
	size_t size = isa_group_size(DRM_TESSERA_MAX_GROUP_ITEMS);

	s->engine = isa_engine_new(&isa_ops, s);
	if (!s->engine)
		return -ENOMEM;
	for (int i = 0; i < DRM_TESSERA_GROUP_SLOTS; i++) {
		struct group_slot *slot = &s->client.slots[i];

		slot->group = aligned_alloc(ISA_GROUP_ALIGN, size);
		slot->local = calloc(1, DRM_TESSERA_MAX_LOCAL_BYTES);
		if (!slot->group || !slot->local)
			return -ENOMEM;
	}
	return 0;
}

void dispatch_fini(struct slice *s)
{
	for (int i = 0; i < DRM_TESSERA_GROUP_SLOTS; i++) {
		free(s->client.slots[i].group);
		free(s->client.slots[i].local);
	}
	isa_engine_free(s->engine);
}

void dispatch_drop(struct slice *s)
{
	struct client *c = &s->client;

	for (int i = 0; i < DRM_TESSERA_GROUP_SLOTS; i++) {
		c->slots[i].active = false;
		c->slots[i].waits = false;
	}
	for (unsigned int i = 0; i < s->nr_cores; i++)
		s->cores[i].slot = -1;
	c->dispatch_next = 0;
	c->dispatch_end = 0;
	c->dispatch_asks = false;
}

static uint32_t nr_groups(const struct tess_pkt_dispatch *p, unsigned int dim)
{
	uint32_t grid = le32toh(p->grid_size[dim]), wg = le16toh(p->wg_size[dim]);

	return grid / wg + !!(grid % wg);
}

static int check_sizes(const struct tess_pkt_dispatch *p)
{
	unsigned int dims = le16toh(p->setup) & ~DRM_TESSERA_SETUP_UNITS;
	uint64_t items = 1;

	if (dims < 1 || dims > 3)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	for (unsigned int i = 0; i < 3; i++) {
		uint32_t grid = le32toh(p->grid_size[i]), wg = le16toh(p->wg_size[i]);

		if (!grid || !wg || (i >= dims && (grid != 1 || wg != 1)))
			return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
		items *= wg;
	}
	return items <= DRM_TESSERA_MAX_GROUP_ITEMS ? 0 : DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
}

/* Groups of the grid; 0 if they are more than a 32-bit index can name. */
static uint64_t total_groups(const struct tess_pkt_dispatch *p)
{
	uint64_t n = 1;

	for (unsigned int i = 0; i < 3; i++) {
		n *= nr_groups(p, i);
		if (n > UINT32_MAX)
			return 0;
	}
	return n;
}

static uint64_t group_items(const struct tess_pkt_dispatch *p)
{
	return (uint64_t)le16toh(p->wg_size[0]) * le16toh(p->wg_size[1]) * le16toh(p->wg_size[2]);
}

static int check_memory(const struct tess_pkt_dispatch *p)
{
	uint64_t priv = le32toh(p->private_segment_size), scratch = le64toh(p->scratch_address);
	uint64_t size = priv * group_items(p) * DRM_TESSERA_GROUP_SLOTS;

	if (le32toh(p->group_segment_size) > DRM_TESSERA_MAX_LOCAL_BYTES)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	if ((priv | scratch) & 15 || !priv != !scratch)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	if (scratch > TESS_VA_END || size > TESS_VA_END - scratch)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	if (le64toh(p->kernel_object) & 1)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	return 0;
}

/* The low and the high half of the last field say which groups to run. */
static uint32_t range_first(const struct tess_pkt_dispatch *p)
{
	return (uint32_t)le64toh(p->completion_signal);
}

static uint32_t range_count(const struct tess_pkt_dispatch *p)
{
	return (uint32_t)(le64toh(p->completion_signal) >> 32);
}

static int check_range(const struct tess_pkt_dispatch *p, uint64_t total)
{
	if (!range_count(p) || (uint64_t)range_first(p) + range_count(p) > total)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	return 0;
}

int dispatch_check(struct slice *s)
{
	const struct tess_pkt_dispatch *p = pkt_of(s);
	uint64_t total;

	if (p->reserved0 || !s->client.vm_root || check_sizes(p) || check_memory(p))
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	total = total_groups(p);
	if (!total)
		return DRM_TESSERA_CAUSE_ILLEGAL_PACKET;
	if (is_range(s))
		return check_range(p, total);
	return le64toh(p->completion_signal) & 7 ? DRM_TESSERA_CAUSE_ILLEGAL_PACKET : 0;
}

void dispatch_range(const struct slice *s, uint64_t *first, uint64_t *end)
{
	const struct tess_pkt_dispatch *p = pkt_of(s);

	*first = is_range(s) ? range_first(p) : 0;
	*end = is_range(s) ? *first + range_count(p) : total_groups(p);
}

uint32_t dispatch_units(const struct slice *s)
{
	return FIELD_GET(DRM_TESSERA_SETUP_UNITS, le16toh(pkt_of(s)->setup));
}

/* From here on the packet names the units that its groups have, on whatever slice. */
static void grant_units(struct slice *s)
{
	struct tess_pkt_dispatch *p = (void *)s->client.packet;
	uint32_t lacks = dispatch_units(s) & ~slice_units(s);

	p->setup &= htole16((uint16_t)~FIELD_PREP(DRM_TESSERA_SETUP_UNITS, lacks));
}

void dispatch_begin(struct slice *s)
{
	struct client *c = &s->client;

	c->dispatch_asks = dispatch_units(s);
	grant_units(s);
	dispatch_range(s, &c->dispatch_next, &c->dispatch_end);
	c->dispatch_last = c->ahead;
	for (unsigned int i = 0; i < s->nr_cores; i++)
		if (s->cores[i].ahead < c->ahead)
			s->cores[i].ahead = c->ahead;
}

static void describe_group(const struct slice *s, unsigned int slot, uint32_t linear,
			   struct isa_dispatch *d)
{
	const struct tess_pkt_dispatch *p = pkt_of(s);
	uint64_t priv = le32toh(p->private_segment_size);
	uint32_t rest = linear;

	memset(d, 0, sizeof(*d));
	d->entry = le64toh(p->kernel_object);
	d->kernarg = le64toh(p->kernarg_address);
	d->private_base = le64toh(p->scratch_address) + slot * group_items(p) * priv;
	d->private_stride = (uint32_t)priv;
	d->private_bytes = (uint32_t)priv;
	d->local_bytes = le32toh(p->group_segment_size);
	d->units = dispatch_units(s);
	for (unsigned int i = 0; i < 3; i++) {
		uint32_t wg = le16toh(p->wg_size[i]), left;

		d->num_groups[i] = nr_groups(p, i);
		d->group_id[i] = rest % d->num_groups[i];
		rest /= d->num_groups[i];
		d->grid_size[i] = le32toh(p->grid_size[i]);
		d->enqueued_size[i] = wg;
		d->global_base[i] = d->group_id[i] * wg;
		left = d->grid_size[i] - d->global_base[i];
		d->group_size[i] = left < wg ? left : wg;
	}
}

void dispatch_shape(const struct slice *s, uint32_t index, uint32_t *items, uint32_t *local_bytes)
{
	struct isa_dispatch d;

	describe_group(s, 0, index, &d);
	*items = d.group_size[0] * d.group_size[1] * d.group_size[2];
	*local_bytes = d.local_bytes;
}

/* Put group @index into a slot; its local memory is the caller's business. */
static void fill_slot(struct slice *s, unsigned int n, uint32_t index)
{
	struct group_slot *slot = &s->client.slots[n];
	struct isa_dispatch d;

	describe_group(s, n, index, &d);
	/* [1] dispatch_check() admits only what isa_group_init() accepts. */
	isa_group_init(slot->group, &d, slot->local);
	slot->active = true;
	slot->waits = false;
	slot->index = index;
	slot->since = s->client.dispatch_queue++;
	slot->ahead = 0;
}

void dispatch_continue(struct slice *s, unsigned int n, uint32_t index, uint64_t ahead)
{
	fill_slot(s, n, index);
	s->client.slots[n].waits = true;
	s->client.slots[n].ahead = ahead;
}

uint64_t dispatch_group_ahead(const struct slice *s, unsigned int n)
{
	for (unsigned int i = 0; i < s->nr_cores; i++)
		if (s->cores[i].slot == (int)n)
			return s->cores[i].ahead;
	return s->client.slots[n].ahead;
}

/* Those that wait get a core first, the longest wait before all others. */
static bool comes_before(const struct group_slot *a, const struct group_slot *b)
{
	return a->waits == b->waits ? a->since < b->since : a->waits;
}

unsigned int dispatch_order(const struct slice *s, uint8_t *order)
{
	const struct group_slot *slots = s->client.slots;
	unsigned int n = 0, at;

	for (uint8_t i = 0; i < DRM_TESSERA_GROUP_SLOTS; i++) {
		if (!slots[i].active)
			continue;
		for (at = n++; at > 0 && comes_before(&slots[i], &slots[order[at - 1]]); at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	return n;
}

/* The group that has waited longest for a core, -1: none waits. */
static int next_waiting(const struct client *c)
{
	int best = -1;

	for (int i = 0; i < DRM_TESSERA_GROUP_SLOTS; i++)
		if (c->slots[i].waits && (best < 0 || c->slots[i].since < c->slots[best].since))
			best = i;
	return best;
}

static int free_slot(const struct client *c)
{
	for (int i = 0; i < DRM_TESSERA_GROUP_SLOTS; i++)
		if (!c->slots[i].active)
			return i;
	return -1;
}

/* Start the next group of the grid; -1 if there is none, or no slot. */
static int start_group(struct slice *s)
{
	struct client *c = &s->client;
	int i = free_slot(c);

	if (i < 0 || c->dispatch_next == c->dispatch_end)
		return -1;
	fill_slot(s, (unsigned int)i, (uint32_t)c->dispatch_next++);
	c->slots[i].ahead = CYCLES_GROUP;
	memset(c->slots[i].local, 0, le32toh(pkt_of(s)->group_segment_size));
	return i;
}

/* Give a free core the next group; false if there is none. */
static bool take_group(struct slice *s, struct core *core)
{
	struct client *c = &s->client;
	int i = next_waiting(c);

	if (i < 0)
		i = start_group(s);
	if (i < 0)
		return false;
	c->slots[i].waits = false;
	core->slot = i;
	core->turn = TURN_CYCLES;
	core->ahead += c->slots[i].ahead;
	return true;
}

/* Back to the end of the queue. */
static void yield_core(struct slice *s, struct core *core)
{
	struct group_slot *slot = &s->client.slots[core->slot];

	slot->waits = true;
	slot->since = s->client.dispatch_queue++;
	slot->ahead = 0;
	core->slot = -1;
}

/* A throttled core needs 1024 / throttle cycles for one. */
static uint64_t core_budget(const struct slice *s, const struct core *core, uint64_t until)
{
	uint64_t n = (until - core->ahead) * s->host.throttle / THROTTLE_ONE;

	return n ? n : 1;
}

static void core_spend(const struct slice *s, struct core *core, uint64_t cycles)
{
	uint64_t scaled = cycles * THROTTLE_ONE + core->remainder;

	core->ahead += scaled / s->host.throttle;
	core->remainder = (uint32_t)(scaled % s->host.throttle);
}

/* Returns the cycles that units took beyond those of the instructions. */
static uint64_t count_instructions(struct slice *s)
{
	struct isa_counters *n = isa_engine_counters(s->engine);
	uint64_t unit_wait = n->unit_wait;

	slice_count(s, COUNTER(INSTRUCTIONS), n->instructions);
	slice_count(s, COUNTER(FLOPS), n->flops);
	slice_count(s, COUNTER(TEXELS), n->texels);
	slice_count(s, COUNTER(PIXELS), n->pixels);
	s->totals[COUNTER(RAYS)] += n->rays;
	s->totals[COUNTER(GLOBAL_BYTES)] +=
		n->load_bytes + n->store_bytes - n->private_bytes - n->local_bytes;
	s->totals[COUNTER(PRIVATE_BYTES)] += n->private_bytes;
	memset(n, 0, sizeof(*n));
	return unit_wait;
}

static bool is_translation_fault(const struct slice *s, const struct isa_fault *f)
{
	return s->xlat_fault.cause && f->cause == s->xlat_fault.cause;
}

/* Run a core's group until it ends or the time does; false on a fault. */
static bool run_group(struct slice *s, struct core *core, uint64_t until)
{
	struct group_slot *slot = &s->client.slots[core->slot];
	struct isa_fault fault;
	uint64_t retired = 0, unit_wait;
	enum isa_stop stop;

	s->xlat_stall = 0;
	s->xlat_fault.cause = 0;
	slot->group->time = slice_time(s) + core->ahead;
	slot->group->cycle = slot->group->time;
	stop = isa_run(s->engine, slot->group, core_budget(s, core, until), &retired, &fault);
	unit_wait = count_instructions(s);
	slice_count(s, COUNTER(STALL), s->xlat_stall);
	core_spend(s, core, retired + unit_wait + s->xlat_stall);
	if (stop == ISA_STOP_FAULT) {
		slice_hart_fault(s, &fault,
				 is_translation_fault(s, &fault) ? &s->xlat_fault : NULL);
		return false;
	}
	if (stop == ISA_STOP_DONE) {
		slot->active = false;
		core->slot = -1;
		slice_count(s, COUNTER(GROUPS), 1);
		if (core->ahead > s->client.dispatch_last)
			s->client.dispatch_last = core->ahead;
	}
	return true;
}

/* The same, but hand the core on in time if another group waits for one. */
static bool run_turn(struct slice *s, struct core *core, uint64_t until)
{
	uint64_t start = core->ahead, spent;

	if (next_waiting(&s->client) < 0)
		return run_group(s, core, until);
	if (until - start > core->turn)
		until = start + core->turn;
	if (!run_group(s, core, until))
		return false;
	spent = core->ahead - start;
	core->turn -= spent < core->turn ? spent : core->turn;
	if (!core->turn && core->slot >= 0)
		yield_core(s, core);
	return true;
}

static bool groups_left(const struct slice *s)
{
	if (s->client.dispatch_next < s->client.dispatch_end)
		return true;
	for (int i = 0; i < DRM_TESSERA_GROUP_SLOTS; i++)
		if (s->client.slots[i].active)
			return true;
	return false;
}

/* All groups are complete: tell the client. */
static enum cp_result dispatch_signal(struct slice *s)
{
	uint64_t va = is_range(s) ? 0 : le64toh(pkt_of(s)->completion_signal);
	uint64_t *word;

	if (va) {
		word = cp_ptr(s, va, cp_mode(s), ISA_STORE);
		if (!word)
			return CP_MORE;
		__atomic_fetch_sub(word, 1, __ATOMIC_SEQ_CST);
	}
	slice_count(s, COUNTER(DISPATCHES), 1);
	return CP_DONE;
}

/* The core with the lowest time, NULL if none can act before @until. */
static struct core *next_core(struct slice *s, uint64_t until, uint32_t idle)
{
	struct core *best = NULL;

	for (unsigned int i = 0; i < s->nr_cores; i++) {
		struct core *core = &s->cores[i];

		if (idle >> i & 1 || core->ahead >= until)
			continue;
		if (!best || core->ahead < best->ahead)
			best = core;
	}
	return best;
}

/* Let a core act; a core for which there is no group is out until the next step. */
static bool dispatch_act(struct slice *s, uint64_t until, uint32_t *idle)
{
	struct core *core = next_core(s, until, *idle);

	if (!core)
		return false;
	if (core->slot < 0 && !take_group(s, core)) {
		*idle |= 1u << (core - s->cores);
		return true;
	}
	return core->ahead >= until || run_turn(s, core, until);
}

/* Injected fault: from here on the slice does not halt. */
static void get_stuck(struct slice *s)
{
	if (s->stuck.now || !s->stuck.times)
		return;
	s->stuck.now = true;
	if (s->stuck.times != UINT32_MAX)
		s->stuck.times--;
	log_event(s->gpu->desc.log, LOG_INFO, "slice %u is stuck", s->id);
}

enum cp_result dispatch_exec(struct slice *s, uint64_t until)
{
	struct client *c = &s->client;
	uint32_t idle = 0;

	get_stuck(s);
	s->refuse.armed = true;
	while (dispatch_act(s, until, &idle))
		;
	if (!slice_can_run(s))
		return CP_MORE;
	if (groups_left(s)) {
		c->ahead = until;
		return CP_MORE;
	}
	if (c->dispatch_last > c->ahead)
		c->ahead = c->dispatch_last;
	return c->ahead < until ? dispatch_signal(s) : CP_MORE;
}
