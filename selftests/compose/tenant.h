/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A client that is recomposed: all vslices of a vGPU, kept at work by a thread. It heeds what
 * the composition page says and gives work to what is there, or ignores it.
 */
#ifndef TESS_SELFTESTS_COMPOSE_TENANT_H
#define TESS_SELFTESTS_COMPOSE_TENANT_H

#include <pthread.h>
#include <stdatomic.h>

#include "shape.h"
#include "stream.h"
#include "tess_kernels.h"

#define TENANT_VSLICES 4u

/**
 * struct tenant - a vGPU at work
 * @c: its vslices
 * @s: work of each
 * @n: number of them, the "max" of its blueprint
 * @vram: mapped
 * @page: composition page, mapped
 * @event: eventfd of the config-change interrupt
 * @heeds: uses the vslices that are there, is told by the interrupt which ones
 * @seen: generation that it saw last
 * @interrupts: that came
 * @backwards: generations that were not newer than the one before
 * @stop: end, but complete what was begun
 * @rc: how it ended
 * @thread: that works
 */
struct tenant {
	struct client c[TENANT_VSLICES];
	struct stream s[TENANT_VSLICES];
	unsigned int n;
	uint8_t *vram;
	volatile struct tess_composition *page;
	int event;
	bool heeds;
	_Atomic uint64_t seen;
	_Atomic unsigned long interrupts;
	unsigned long backwards;
	_Atomic bool stop;
	int rc;
	pthread_t thread;
};

/* Open a vGPU of this shape, all of its rings running: 0, -errno */
int tenant_open(struct tenant *g, const struct shape *s);
/* For a vGPU that is there */
int tenant_open_uuid(struct tenant *g, const char *uuid);
void tenant_close(struct tenant *g);
/* Put its thread to work */
int tenant_start(struct tenant *g, const struct stream_jobs *jobs, bool heeds);
/* Let it end what it has begun: 0, -errno */
int tenant_stop(struct tenant *g);
/* The composition page as a whole, as a client reads it */
void tenant_page(const struct tenant *g, struct tess_composition *page);
/* Wait until one that heeds saw this generation: false, it did not */
bool tenant_sees(const struct tenant *g, uint64_t generation);
/* What TESS_K_WATCH of a vslice keeps at its MARK_GPA */
volatile struct tess_watch *tenant_watch(struct tenant *g, unsigned int vslice);

#endif
