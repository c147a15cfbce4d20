// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: clients that are recomposed
 *
 * One that heeds stops to queue on a vslice that was withheld, which then drains. One that
 * ignores it all never looks at the page, nor at the interrupt.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "patience.h"
#include "tenant.h"

#define SEEN_MS 20000

static int map_all(struct tenant *g)
{
	struct vgpu *v = &g->c[0].v;
	uint64_t size = reg64(v, TESS_REG_VRAM_SIZE);

	g->page = vgpu_mmap(v, TESS_BAR_REGS, TESS_COMPOSITION_PAGE, PAGE);
	if (g->page == MAP_FAILED)
		return -ENXIO;
	if (!size)
		return 0;
	g->vram = vgpu_mmap(v, TESS_BAR_VRAM, 0, size);
	return g->vram == MAP_FAILED ? -ENXIO : 0;
}

int tenant_open_uuid(struct tenant *g, const char *uuid)
{
	unsigned int i;
	int ret;

	memset(g, 0, sizeof(*g));
	g->event = -1;
	ret = client_open_uuid(&g->c[0], uuid);
	if (ret)
		return ret;
	g->n = g->c[0].v.vslices;
	ret = g->n <= TENANT_VSLICES ? map_all(g) : -E2BIG;
	if (!ret)
		g->event = ret = vgpu_eventfd(&g->c[0].v, TESS_IRQ_EVENT);
	if (ret < 0) {
		vgpu_close(&g->c[0].v);
		return ret;
	}
	for (i = 1; i < g->n; i++)
		client_sibling(&g->c[i], &g->c[0], i);
	return 0;
}

int tenant_open(struct tenant *g, const struct shape *s)
{
	char uuid[SHAPE_UUID];
	int ret = shape_create(s, uuid);

	if (ret)
		return ret;
	ret = tenant_open_uuid(g, uuid);
	if (ret)
		mdev_remove(uuid);
	return ret;
}

void tenant_close(struct tenant *g)
{
	if (g->event >= 0)
		close(g->event);
	g->event = -1;
	client_close(&g->c[0]);
}

void tenant_page(const struct tenant *g, struct tess_composition *page)
{
	uint64_t seq;

	do {
		while ((seq = __atomic_load_n(&g->page->seq, __ATOMIC_ACQUIRE)) & 1)
			sleep_ms(1);
		memcpy(page, (const void *)g->page, sizeof(*page));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (__atomic_load_n(&g->page->seq, __ATOMIC_RELAXED) != seq);
}

/* As a guest driver does in its interrupt handler */
static void look(struct tenant *g, uint64_t *mask)
{
	struct tess_composition page;

	reg64_write(&g->c[0].v, TESS_REG_EVENT_PENDING, 1);
	tenant_page(g, &page);
	if (page.generation <= atomic_load(&g->seen))
		g->backwards++;
	*mask = page.slice_mask;
	atomic_fetch_add(&g->interrupts, 1);
	atomic_store(&g->seen, page.generation);
}

static int finish(struct tenant *g)
{
	unsigned int i;
	int ret = 0, one;

	for (i = 0; i < g->n; i++) {
		one = stream_finish(&g->s[i]);
		ret = ret ? ret : one;
	}
	return ret;
}

static void *work(void *arg)
{
	struct tenant *g = arg;
	struct tess_composition page;
	uint64_t mask = ~0ULL;
	unsigned int i;

	if (g->heeds) {
		tenant_page(g, &page);
		mask = page.slice_mask;
	}
	while (!atomic_load(&g->stop)) {
		if (g->heeds && eventfd_wait(g->event, 0))
			look(g, &mask);
		for (i = 0; i < g->n; i++)
			stream_pump(&g->s[i], mask >> i & 1);
		sleep_ms(2);
	}
	g->rc = finish(g);
	return NULL;
}

int tenant_start(struct tenant *g, const struct stream_jobs *jobs, bool heeds)
{
	unsigned int i;

	g->heeds = heeds;
	atomic_store(&g->stop, false);
	for (i = 0; i < g->n; i++)
		stream_init(&g->s[i], &g->c[i], jobs, g->vram + g->page->slice[i].bank_offset);
	return -pthread_create(&g->thread, NULL, work, g);
}

int tenant_stop(struct tenant *g)
{
	atomic_store(&g->stop, true);
	pthread_join(g->thread, NULL);
	return g->rc;
}

bool tenant_sees(const struct tenant *g, uint64_t generation)
{
	long end = now_ms() + SEEN_MS * patience();

	while (atomic_load(&g->seen) < generation) {
		if (now_ms() > end)
			return false;
		sleep_ms(1);
	}
	return true;
}

volatile struct tess_watch *tenant_watch(struct tenant *g, unsigned int vslice)
{
	return ram_at(&g->c[vslice].v, MARK_GPA(vslice));
}
