// SPDX-License-Identifier: GPL-2.0-or-later
/* The GPU of the library's tests: the packets that the library emits, done at once. */
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

#include "isa/isa.h"
#include "sim.h"

#define PAGE 4096ull
#define BY_WORK_ITEM (1u << 9)
#define IN_INDIRECT (1u << 8)

/**
 * struct gpu_run - a command buffer in execution
 * @kmd: owner of the address space
 * @vm: address space
 * @slice: number
 * @state: where a fault goes
 */
struct gpu_run {
	struct tess_kmd *kmd;
	uint32_t vm;
	unsigned int slice;
	struct drm_tessera_queue_state *state;
};

/* They never go back. */
static struct tess_counter_block counters[SIM_SLICES];

uint64_t sim_time(void)
{
	uint64_t time = 0;
	unsigned int i;

	for (i = 0; i < SIM_SLICES; i++)
		time = counters[i].time > time ? counters[i].time : time;
	return time;
}

static uint32_t fault(struct gpu_run *r, uint32_t cause, uint64_t addr)
{
	r->state->cause = cause;
	r->state->addr = addr;
	return DRM_TESSERA_QUEUE_FAULTED;
}

/* Host address of @size bytes that do not cross a page, NULL with a fault recorded */
static void *access_va(struct gpu_run *r, uint64_t va, bool write)
{
	uint32_t flags;
	uint8_t *page = sim_translate(r->kmd, r->vm, va & ~(PAGE - 1), &flags);

	if (!page || (write && (flags & DRM_TESSERA_BIND_READONLY))) {
		fault(r, write ? DRM_TESSERA_CAUSE_STORE_PAGE : DRM_TESSERA_CAUSE_LOAD_PAGE, va);
		return NULL;
	}
	return page + (va & (PAGE - 1));
}

static int translate(void *opaque, uint64_t va, unsigned int size, enum isa_access access,
		     struct isa_xlat *out)
{
	static const int causes[] = { DRM_TESSERA_CAUSE_FETCH_PAGE, DRM_TESSERA_CAUSE_LOAD_PAGE,
				      DRM_TESSERA_CAUSE_STORE_PAGE };
	struct gpu_run *r = opaque;
	uint32_t flags;
	bool allowed;

	(void)size;
	out->page = sim_translate(r->kmd, r->vm, va & ~(PAGE - 1), &flags);
	allowed = out->page && !(access == ISA_FETCH && (flags & DRM_TESSERA_BIND_NOEXEC)) &&
		  !(access == ISA_STORE && (flags & DRM_TESSERA_BIND_READONLY));
	if (!allowed)
		return causes[access];
	out->prot = ISA_PROT_READ | (flags & DRM_TESSERA_BIND_READONLY ? 0 : ISA_PROT_WRITE) |
		    (flags & DRM_TESSERA_BIND_NOEXEC ? 0 : ISA_PROT_EXEC);
	out->nocache = false;
	return 0;
}

static const struct isa_ops ops = { .translate = translate };

/* A slice has units, all of them, with its raster engine. */
static uint32_t units_of(const struct gpu_run *r, const struct tess_pkt_dispatch *p)
{
	uint32_t asked = (p->setup & DRM_TESSERA_SETUP_UNITS) / DRM_TESSERA_SETUP_TEX;

	return sim.engines[r->slice] & TESS_HAS_RASTER ? asked & ISA_UNIT_ALL : 0;
}

static void describe_group(const struct tess_pkt_dispatch *p, uint64_t index,
			   struct isa_dispatch *d)
{
	unsigned int i;

	memset(d, 0, sizeof(*d));
	d->entry = p->kernel_object;
	d->kernarg = p->kernarg_address;
	d->private_base = p->scratch_address;
	d->private_stride = p->private_segment_size;
	d->private_bytes = p->private_segment_size;
	d->local_bytes = p->group_segment_size;
	for (i = 0; i < 3; i++) {
		d->enqueued_size[i] = p->wg_size[i];
		d->grid_size[i] = p->grid_size[i];
		d->num_groups[i] = (p->grid_size[i] + p->wg_size[i] - 1) / p->wg_size[i];
		d->group_id[i] = (uint32_t)(index % d->num_groups[i]);
		index /= d->num_groups[i];
		d->global_base[i] = d->group_id[i] * p->wg_size[i];
		d->group_size[i] = p->grid_size[i] - d->global_base[i];
		if (d->group_size[i] > p->wg_size[i])
			d->group_size[i] = p->wg_size[i];
	}
}

static uint32_t run_group(struct gpu_run *r, struct isa_engine *e, struct isa_group *g,
			  const struct tess_pkt_dispatch *p, uint64_t index)
{
	struct isa_fault f = { 0 };
	struct isa_dispatch d;
	uint64_t retired;
	enum isa_stop stop;
	void *local = malloc(p->group_segment_size + 1);

	describe_group(p, index, &d);
	d.units = units_of(r, p);
	memset(local, 0xa5, p->group_segment_size);
	if (isa_group_init(g, &d, local)) {
		free(local);
		return fault(r, DRM_TESSERA_CAUSE_ILLEGAL_PACKET, 0);
	}
	stop = isa_run(e, g, sim.hang_after, &retired, &f);
	free(local);
	if (stop == ISA_STOP_FAULT) {
		r->state->info |= BY_WORK_ITEM;
		r->state->pc = f.pc;
		return fault(r, f.cause, f.va);
	}
	return stop == ISA_STOP_BUDGET ? DRM_TESSERA_QUEUE_HUNG : 0;
}

static uint32_t run_dispatch(struct gpu_run *r, const struct tess_pkt_dispatch *p)
{
	uint64_t first = (uint32_t)p->completion_signal, count = p->completion_signal >> 32;
	struct isa_engine *e = isa_engine_new(&ops, r);
	struct isa_group *g = aligned_alloc(64, (isa_group_size(ISA_MAX_HARTS) + 63) & ~63ul);
	struct tess_counter_block *c = &counters[r->slice];
	uint32_t ret = 0;
	uint64_t i;

	sim.setup = p->setup;
	for (i = first; i < first + count && !ret; i++) {
		ret = run_group(r, e, g, p, i);
		c->groups++;
		sim.groups[r->slice]++;
	}
	c->instructions += isa_engine_counters(e)->instructions;
	c->flops += isa_engine_counters(e)->flops;
	c->time += isa_engine_counters(e)->instructions / sim.cores[r->slice];
	free(g);
	isa_engine_free(e);
	return ret;
}

static uint32_t run_copy(struct gpu_run *r, const struct tess_pkt_copy *p)
{
	uint64_t done, chunk;

	for (done = 0; done < p->row_bytes; done += chunk) {
		uint64_t src_left = PAGE - ((p->src + done) & (PAGE - 1));
		uint64_t dst_left = PAGE - ((p->dst + done) & (PAGE - 1));
		void *src = access_va(r, p->src + done, false);
		void *dst = access_va(r, p->dst + done, true);

		if (!src || !dst)
			return DRM_TESSERA_QUEUE_FAULTED;
		chunk = src_left < dst_left ? src_left : dst_left;
		if (chunk > p->row_bytes - done)
			chunk = p->row_bytes - done;
		memmove(dst, src, chunk);
	}
	counters[r->slice].bytes += p->row_bytes;
	return 0;
}

static uint32_t run_fill(struct gpu_run *r, const struct tess_pkt_fill *p)
{
	uint64_t done;
	void *dst;

	for (done = 0; done < p->row_bytes; done += 4) {
		dst = access_va(r, p->dst + done, true);
		if (!dst)
			return DRM_TESSERA_QUEUE_FAULTED;
		memcpy(dst, &p->pattern, 4);
	}
	counters[r->slice].bytes += p->row_bytes;
	return 0;
}

static uint32_t run_timestamp(struct gpu_run *r, const struct tess_pkt_timestamp *p)
{
	struct tess_counter_block *c = &counters[r->slice];
	void *dst = access_va(r, p->address, true);

	if (!dst)
		return DRM_TESSERA_QUEUE_FAULTED;
	c->time += 10;
	memcpy(dst, c, sizeof(*c));
	return 0;
}

static uint32_t run_packet(struct gpu_run *r, const void *packet)
{
	uint16_t header;

	memcpy(&header, packet, sizeof(header));
	r->state->info = IN_INDIRECT | (header & DRM_TESSERA_PKT_TYPE_MASK);
	switch (header & DRM_TESSERA_PKT_TYPE_MASK) {
	case DRM_TESSERA_PKT_DISPATCH_RANGE:
		return run_dispatch(r, packet);
	case DRM_TESSERA_PKT_COPY:
		return run_copy(r, packet);
	case DRM_TESSERA_PKT_FILL:
		return run_fill(r, packet);
	case DRM_TESSERA_PKT_TIMESTAMP:
		return run_timestamp(r, packet);
	default:
		return fault(r, DRM_TESSERA_CAUSE_ILLEGAL_PACKET, 0);
	}
}

uint32_t sim_run(struct tess_kmd *kmd, uint32_t vm, unsigned int slice, uint64_t cmd,
		 uint32_t count, struct drm_tessera_queue_state *state)
{
	struct gpu_run r = { .kmd = kmd, .vm = vm, .slice = slice, .state = state };
	uint8_t packet[DRM_TESSERA_PKT_SIZE] __attribute__((aligned(8)));
	uint32_t i, ret;
	void *at;

	for (i = 0; i < count; i++) {
		state->packet = i;
		at = access_va(&r, cmd + i * DRM_TESSERA_PKT_SIZE, false);
		if (!at)
			return DRM_TESSERA_QUEUE_FAULTED;
		memcpy(packet, at, sizeof(packet));
		ret = run_packet(&r, packet);
		if (ret)
			return ret;
	}
	return 0;
}
