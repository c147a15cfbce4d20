// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: GPU
 *
 * All slices advance together: a step lets each one run for the same number of
 * cycles, in the order of their numbers, and then moves the GPU's time. What a
 * slice did in a step is visible to slices of higher number in the same step and
 * to all in the next one. The result depends on nothing but the writes to
 * registers and memory and the steps between which they come.
 */
#define _GNU_SOURCE
#include "gpu_priv.h"

#include <endian.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "events.h"
#include "log.h"

void gpu_irq(struct gpu *g, unsigned int vector)
{
	g->desc.bus.irq(g->desc.bus.opaque, vector);
}

void gpu_zero_vram(struct gpu *g, uint64_t off, uint64_t size)
{
	/* Giving the pages back zeroes them, and costs no memory for banks never used. */
	if (g->desc.vram_fd >= 0 &&
	    !fallocate(g->desc.vram_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)off,
		       (off_t)size))
		return;
	memset((uint8_t *)g->desc.vram + off, 0, size);
}

/* Describe the physical GPU: each slice reaches each bank. */
static void fill_composition(struct gpu *g)
{
	struct tess_composition *c = &g->composition;
	unsigned int n = g->desc.nr_slices;
	uint64_t all = ~0ULL >> (TESS_MAX_SLICES - n);
	uint32_t engines = 0;

	memset(c, 0, sizeof(*c));
	for (unsigned int i = 0; i < n; i++) {
		struct tess_composition_slice *e = &c->slice[i];

		e->id = htole32(i);
		e->kind = htole32(g->slices[i].kind);
		e->cores = htole32(g->slices[i].nr_cores);
		e->engines = htole32(g->slices[i].engines);
		e->bank_offset = htole64(i * g->desc.bank_size);
		e->bank_size = htole64(g->desc.bank_size);
		e->links = htole64(all);
		engines |= g->slices[i].engines;
	}
	c->magic = htole32(TESS_COMPOSITION_MAGIC);
	c->version = htole32(1);
	c->generation = htole64(1);
	c->slice_mask = htole64(all);
	c->vram_size = htole64(n * g->desc.bank_size);
	c->slice_count = htole32(n);
	c->topology = htole32(TESS_TOPOLOGY_MESH);
	c->engines = htole32(engines);
}

void gpu_set_time(struct gpu *g, uint64_t now)
{
	g->now = now;
	if (g->desc.bus.restart)
		g->desc.bus.restart(g->desc.bus.opaque, now);
}

void gpu_reset(struct gpu *g)
{
	gpu_set_time(g, 0);
	g->event_pending = 0;
	memset(g->latch, 0, sizeof(g->latch));
	gpu_zero_vram(g, 0, g->desc.nr_slices * g->desc.bank_size);
	for (unsigned int i = 0; i < g->desc.nr_slices; i++)
		slice_reset(&g->slices[i]);
	fill_composition(g);
}

static bool desc_valid(const struct gpu_desc *d)
{
	if (d->nr_slices < 1 || d->nr_slices > TESS_MAX_SLICES || !d->vram)
		return false;
	if (!d->bank_size || d->bank_size % TESS_PAGE_SIZE ||
	    d->bank_size > (TESS_PA_END - TESS_PA_VRAM) / d->nr_slices)
		return false;
	for (unsigned int i = 0; i < d->nr_slices; i++)
		if (d->kinds[i] < TESS_KIND_COMPUTE || d->kinds[i] > TESS_KIND_MIXED)
			return false;
	return d->bus.dma_ptr && d->bus.irq;
}

struct gpu *gpu_create(const struct gpu_desc *desc)
{
	struct gpu *g;

	if (!desc_valid(desc))
		return NULL;
	g = calloc(1, sizeof(*g) + desc->nr_slices * sizeof(g->slices[0]));
	if (!g)
		return NULL;
	g->desc = *desc;
	g->ctx_image = malloc(TESS_CTX_MAX_SIZE);
	g->ctx_saved = malloc(TESS_CTX_MAX_SIZE);
	if (!g->ctx_image || !g->ctx_saved) {
		free(g->ctx_image);
		free(g->ctx_saved);
		free(g);
		return NULL;
	}
	for (unsigned int i = 0; i < desc->nr_slices; i++) {
		if (slice_init(&g->slices[i], g, i, desc->kinds[i])) {
			gpu_destroy(g);
			return NULL;
		}
	}
	gpu_reset(g);
	return g;
}

void gpu_destroy(struct gpu *g)
{
	if (!g)
		return;
	for (unsigned int i = 0; i < g->desc.nr_slices; i++)
		slice_fini(&g->slices[i]);
	free(g->ctx_image);
	free(g->ctx_saved);
	free(g);
}

void gpu_flush(struct gpu *g)
{
	for (unsigned int i = 0; i < g->desc.nr_slices; i++)
		mmu_flush(&g->slices[i]);
}

/* Does somebody wait for time to pass? A host that waits for a stuck slice does. */
static bool needs_time(const struct slice *s)
{
	return s->host.timer ||
	       (s->stuck.now && (s->stuck.switching || !(s->host.control & TESS_HCONTROL_RUN)));
}

enum gpu_state gpu_get_state(const struct gpu *g)
{
	enum gpu_state state = GPU_IDLE;

	for (unsigned int i = 0; i < g->desc.nr_slices; i++) {
		const struct slice *s = &g->slices[i];

		if (s->ctx.left)
			return GPU_RUNNING;
		if (needs_time(s))
			state = GPU_WAITING;
		if (!slice_can_run(s) || !slice_has_work(s))
			continue;
		if (!s->client.waiting)
			return GPU_RUNNING;
		state = GPU_WAITING;
	}
	return state;
}

uint64_t gpu_event_cycles(const struct gpu *g)
{
	uint64_t cycles = UINT64_MAX;

	for (unsigned int i = 0; i < g->desc.nr_slices; i++) {
		const struct slice *s = &g->slices[i];
		uint64_t left = s->ctx.left ? s->ctx.left : s->host.timer;

		if (left && left < cycles)
			cycles = left;
	}
	return cycles;
}

unsigned int gpu_step_cycles(const struct gpu *g)
{
	uint64_t cycles = gpu_event_cycles(g);

	return cycles < GPU_STEP_CYCLES ? (unsigned int)cycles : GPU_STEP_CYCLES;
}

void gpu_step(struct gpu *g, unsigned int cycles)
{
	if (cycles < 1 || cycles > GPU_STEP_MAX)
		return;
	for (unsigned int i = 0; i < g->desc.nr_slices; i++)
		slice_step(&g->slices[i], cycles);
	g->now += cycles;
}

void gpu_idle_until(struct gpu *g, uint64_t now)
{
	uint64_t passed = now > g->now ? now - g->now : 0;

	for (unsigned int i = 0; passed && i < g->desc.nr_slices; i++)
		if (slice_can_run(&g->slices[i]))
			slice_count(&g->slices[i], COUNTER(CYCLES), passed);
	g->now += passed;
}

uint64_t gpu_time(const struct gpu *g)
{
	return g->now;
}

uint64_t gpu_read_time(struct gpu *g)
{
	const struct gpu_bus *bus = &g->desc.bus;

	if (bus->wall && gpu_get_state(g) == GPU_IDLE)
		gpu_idle_until(g, bus->wall(bus->opaque));
	return g->now;
}
