// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: GPU
 *
 * All slices advance together: a step lets each one run for the same number of
 * cycles, in the order of their numbers, and then moves the GPU's time. What a
 * slice did in a step is visible to slices of higher number in the same step and
 * to all in the next one. The result depends on nothing but the writes to
 * registers and memory and the steps between which they come.
 *
 * With threads (crew.c) slices that work do so side by side, and for several steps before they
 * meet: an epoch. Each does the same steps as without threads; what is free is only the order in
 * which slices do theirs. They meet when one has something to tell the host, waits for a word or has
 * no more work. All else happens between epochs in the thread that owns the GPU: registers, resets,
 * context operations, and the interrupts that slices asked for meanwhile.
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
	__atomic_fetch_or(&g->irqs, 1u << vector, __ATOMIC_RELEASE);
}

void gpu_raise_irqs(struct gpu *g)
{
	uint32_t irqs;

	if (!__atomic_load_n(&g->irqs, __ATOMIC_RELAXED))
		return;
	irqs = __atomic_exchange_n(&g->irqs, 0, __ATOMIC_ACQUIRE);
	for (; irqs; irqs &= irqs - 1)
		g->desc.bus.irq(g->desc.bus.opaque, (unsigned int)__builtin_ctz(irqs));
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
	g->irqs = 0;
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
	if (desc->threads > 1)
		g->crew = crew_new(desc->threads);
	if (!g->ctx_image || !g->ctx_saved || (desc->threads > 1 && !g->crew)) {
		gpu_destroy(g);
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
	crew_free(g->crew);
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

/* ---- steps ---- */

static bool gpu_works(const struct slice *s)
{
	return slice_can_run(s) && slice_has_work(s);
}

/**
 * struct epoch - steps that slices do side by side
 * @gpu: the GPU
 * @step: cycles of a step
 * @cycles: of all, if nothing ends them before; the last step is what the others leave of it
 * @working: slices that work, by number
 * @nr: their number
 * @enough: of gpu_run()
 * @opaque: its argument
 */
struct epoch {
	struct gpu *gpu;
	unsigned int step;
	unsigned int cycles;
	uint8_t working[TESS_MAX_SLICES];
	unsigned int nr;
	bool (*enough)(void *opaque, uint64_t now);
	void *opaque;
};

static unsigned int epoch_cycles(const struct epoch *e, unsigned int steps)
{
	unsigned int cycles = steps * e->step;

	return cycles < e->cycles ? cycles : e->cycles;
}

static bool epoch_step(void *opaque, unsigned int item, unsigned int nr)
{
	struct epoch *e = opaque;
	struct slice *s = &e->gpu->slices[e->working[item]];
	unsigned int lead = epoch_cycles(e, nr);

	s->lead = lead;
	slice_step(s, epoch_cycles(e, nr + 1) - lead);
	return s->client.waiting || !gpu_works(s) ||
	       __atomic_load_n(&e->gpu->irqs, __ATOMIC_RELAXED);
}

static bool epoch_enough(void *opaque, unsigned int steps)
{
	const struct epoch *e = opaque;

	return e->enough && e->enough(e->opaque, e->gpu->now + epoch_cycles(e, steps));
}

static const struct crew_ops epoch_ops = { .step = epoch_step, .enough = epoch_enough };

/* One that waits for a word is told in the next step what others wrote in this one. */
static void epoch_find_working(struct epoch *e)
{
	for (unsigned int i = 0; i < e->gpu->desc.nr_slices; i++) {
		const struct slice *s = &e->gpu->slices[i];

		if (!gpu_works(s))
			continue;
		e->working[e->nr++] = (uint8_t)i;
		if (s->client.waiting)
			e->cycles = epoch_cycles(e, 1);
	}
}

/* Slices that work go ahead side by side; the others follow. */
static void epoch_run(struct epoch *e)
{
	unsigned int limit = (e->cycles + e->step - 1) / e->step;
	unsigned int cycles = epoch_cycles(e, crew_run(e->gpu->crew, e->nr, limit, &epoch_ops, e));
	uint64_t worked = 0;

	for (unsigned int i = 0; i < e->nr; i++) {
		e->gpu->slices[e->working[i]].lead = 0;
		worked |= BIT_ULL(e->working[i]);
	}
	for (unsigned int i = 0; i < e->gpu->desc.nr_slices; i++)
		if (!(worked >> i & 1))
			slice_step(&e->gpu->slices[i], cycles);
	e->gpu->now += cycles;
}

void gpu_step_in_turn(struct gpu *g, unsigned int cycles)
{
	if (cycles < 1 || cycles > GPU_STEP_MAX)
		return;
	for (unsigned int i = 0; i < g->desc.nr_slices; i++)
		slice_step(&g->slices[i], cycles);
	g->now += cycles;
	gpu_raise_irqs(g);
}

static void gpu_advance(struct epoch *e)
{
	if (e->gpu->crew)
		epoch_find_working(e);
	if (e->nr < 2) {
		gpu_step_in_turn(e->gpu, epoch_cycles(e, 1));
		return;
	}
	epoch_run(e);
	gpu_raise_irqs(e->gpu);
}

void gpu_step(struct gpu *g, unsigned int cycles)
{
	struct epoch e = { .gpu = g, .step = cycles, .cycles = cycles };

	if (cycles >= 1 && cycles <= GPU_STEP_MAX)
		gpu_advance(&e);
}

void gpu_run(struct gpu *g, bool (*enough)(void *opaque, uint64_t now), void *opaque)
{
	uint64_t event = gpu_event_cycles(g);
	struct epoch e = {
		.gpu = g,
		.step = GPU_STEP_CYCLES,
		.cycles = event < GPU_EPOCH_MAX ? (unsigned int)event : GPU_EPOCH_MAX,
		.enough = enough,
		.opaque = opaque,
	};

	gpu_advance(&e);
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

void gpu_tell_time(struct gpu *g, uint64_t now)
{
	const struct gpu_bus *bus = &g->desc.bus;

	if (bus->told)
		bus->told(bus->opaque, now);
}

uint64_t gpu_read_time(struct gpu *g)
{
	const struct gpu_bus *bus = &g->desc.bus;

	if (bus->wall && gpu_get_state(g) == GPU_IDLE) {
		gpu_idle_until(g, bus->wall(bus->opaque));
		gpu_tell_time(g, g->now);
	}
	return g->now;
}
