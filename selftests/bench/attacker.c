// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A client that does its worst with what it has: its ring, its page of records, its
 * memory. It goes as fast as it can.
 *
 * Numbers of its FENCEs alternate between two that are half of the number space apart,
 * so that every second one passes the event index whatever that is, and the GPU
 * interrupts. As its records are garbage it learns from a FILL how far the GPU is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client.h"

#define FENCES 16
#define RECORDS_PAGE RECORD_GPA(0)
#define PROGRESS_MS 2000

static int map_around_records(struct vgpu *v)
{
	uint64_t before = RECORDS_PAGE - RAM_GPA, after = before + PAGE;
	int ret;

	ret = vgpu_map(v, v->ram, RAM_GPA, before, true);
	if (!ret)
		ret = vgpu_map(v, v->ram + before, RECORDS_PAGE, PAGE, true);
	if (!ret)
		ret = vgpu_map(v, v->ram + after, RAM_GPA + after, RAM_SIZE - after, true);
	return ret;
}

void attacker_open(struct client *c, const char *uuid)
{
	int ret = vgpu_open_bare(&c->v, uuid);

	if (!ret) {
		c->v.ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				-1, 0);
		ret = c->v.ram == MAP_FAILED ? -ENOMEM : map_around_records(&c->v);
	}
	if (!ret)
		ret = c->irq = vgpu_eventfd(&c->v, TESS_IRQ_COMPLETION);
	if (ret < 0) {
		fprintf(stderr, "attacker: %s\n", strerror(-ret));
		exit(1);
	}
	ring_start(&c->r, &c->v, 0);
	c->random = 42;
}

static void put_fences(struct client *c)
{
	struct tess_pkt_fence pkt = { .header = DRM_TESSERA_PKT_FENCE,
				      .flags = DRM_TESSERA_FENCE_IRQ };

	for (unsigned int i = 0; i < FENCES; i++) {
		pkt.seq = i & 1 ? 1 : (1ull << 63) + 1;
		ring_put(&c->r, &pkt);
	}
}

static void write_garbage(struct client *c)
{
	uint32_t *page = ram_at(&c->v, RECORDS_PAGE);

	for (unsigned int i = 0; i < PAGE / sizeof(*page); i++)
		page[i] = client_random(c);
}

/* Wait until the GPU is done with the round; start again if it faulted */
static void wait_progress(struct client *c, volatile uint32_t *progress, uint32_t round)
{
	int64_t end = now_ns() + PROGRESS_MS * 1000000ll;

	for (unsigned int spins = 1; *progress != round; spins++) {
		/* CPU time of its own is no attack: any guest may use what it has */
		usleep(20);
		if (spins % 64)
			continue;
		if (client_reg32(&c->v, 0, TESS_SREG_STATUS) & TESS_STATUS_FAULTED) {
			c->t->faults++;
			ring_reset(&c->r);
			ring_start(&c->r, &c->v, 0);
			return;
		}
		if (now_ns() > end) {
			c->t->failed = ETIME;
			return;
		}
	}
}

/* The page is away for a while; kick before or after, so that the GPU finds either */
static int unmap_and_kick(struct client *c)
{
	uint8_t *page = ram_at(&c->v, RECORDS_PAGE);
	bool first = client_random(c) & 1;
	int ret;

	if (first)
		ring_kick(&c->r);
	ret = vgpu_unmap(&c->v, RECORDS_PAGE, PAGE);
	if (ret)
		return ret;
	if (!first)
		ring_kick(&c->r);
	usleep(client_random(c) % 16 ? client_random(c) % 1000 : 30000);
	return vgpu_map(&c->v, page, RECORDS_PAGE, PAGE, true);
}

static void attack(struct client *c, int phase)
{
	volatile uint32_t *progress = ram_at(&c->v, DATA_GPA);
	uint32_t round = ++c->t->attacks;
	int ret = 0;

	c->r.rec->event = client_random(c);
	put_fences(c);
	ring_fill(&c->r, DATA_GPA, sizeof(round), round);
	if (phase == PHASE_UNMAP)
		ret = unmap_and_kick(c);
	else
		ring_kick(&c->r);
	if (phase == PHASE_GARBAGE)
		write_garbage(c);
	if (ret)
		c->t->failed = -ret;
	else
		wait_progress(c, progress, round);
}

void attacker_run(struct client *c)
{
	while (!atomic_load(&c->s->stop) && !c->t->failed) {
		int phase = atomic_load(&c->s->phase);

		if (phase == PHASE_CALM)
			usleep(1000);
		else
			attack(c, phase);
	}
}
