// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A client that behaves. One event is armed at a time, so exactly one interrupt must
 * come for it, and not before the record says so. Sequence numbers start at a value
 * that no other client uses: whoever sees another one sees somebody else's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client.h"

#define LOST_MS 20000

int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

uint32_t client_random(struct client *c)
{
	c->random = c->random * 6364136223846793005ull + 1442695040888963407ull;
	return c->random >> 33;
}

static void must(int ret, const char *what)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(-ret));
	exit(1);
}

void client_open(struct client *c, const char *uuid)
{
	must(vgpu_open(&c->v, uuid), uuid);
	c->irq = vgpu_eventfd(&c->v, TESS_IRQ_COMPLETION);
	must(c->irq, "eventfd");
	ring_start(&c->r, &c->v, 0);
	c->r.seq = (uint64_t)(c->index + 1) << 40;
	c->random = c->index + 1;
}

static void sample(struct tally *t, int phase, int64_t ns)
{
	t->ns[phase][t->samples[phase]++ % SAMPLES] = ns < UINT32_MAX ? ns : UINT32_MAX;
}

/* Wait for the one interrupt that is due */
static bool wait_irq(struct client *c)
{
	uint64_t n;

	do {
		n = eventfd_wait(c->irq, LOST_MS);
		if (!n) {
			c->t->lost++;
			return false;
		}
		if (c->r.rec->seq >> 40 != c->index + 1 && c->r.rec->seq)
			c->t->foreign++;
		/* It must not come before the record says why, nor twice */
		c->t->misrouted += n - 1 + (c->r.rec->seq != c->r.seq);
	} while (c->r.rec->seq != c->r.seq);
	return true;
}

bool client_round(struct client *c, unsigned int batch)
{
	struct tess_pkt_fence pkt = { .header = DRM_TESSERA_PKT_FENCE,
				      .flags = DRM_TESSERA_FENCE_IRQ };
	int phase = atomic_load(&c->s->phase);
	int64_t start;

	c->r.rec->event = c->r.seq + batch;
	for (unsigned int i = 0; i < batch; i++) {
		pkt.seq = ++c->r.seq;
		ring_put(&c->r, &pkt);
	}
	start = now_ns();
	ring_kick(&c->r);
	if (!wait_irq(c))
		return false;
	/* What ran while the phase changed belongs to none */
	if (phase == atomic_load(&c->s->phase))
		sample(c->t, phase, now_ns() - start);
	c->t->completions += batch;
	c->t->interrupts++;
	return true;
}
