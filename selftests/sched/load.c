// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: load and measurement
 *
 * One thread keeps the rings of all clients filled. Jobs take longer than the thread
 * may be late. A window is a stretch of GPU time, so its length does not depend on the
 * machine; its ends are read client by client, which takes about a millisecond, and
 * that is how exact a share is.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "load.h"

#define LOAD_GROUPS 8u
#define LOAD_ITEMS 16u
/* A group costs 32 cycles and a step of an item 2; 8 groups run at a time */
#define COUNT_OF(cycles) ((cycles) / (2 * LOAD_ITEMS))

void load_init(struct load *l, struct client *c, unsigned int us, unsigned int depth)
{
	uint64_t cycles = (uint64_t)us * reg32(&c->v, TESS_REG_CLOCK_KHZ) / 1000;

	*l = (struct load){
		.c = c,
		.groups = LOAD_GROUPS,
		.items = LOAD_ITEMS,
		.count = COUNT_OF(cycles),
		.depth = depth,
	};
}

void load_pump(struct load *l)
{
	struct client *c = l->c;

	while (c->r.seq - c->r.rec->seq < l->depth && client_room(c, 1)) {
		client_delay(c, l->groups, l->items, l->count);
		client_fence(c);
	}
}

static void sample(struct load *l, unsigned int n, struct window *w)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		w->busy[i] = client_counter(l[i].c, TESS_COUNTER_BUSY);
		w->charged[i] = client_value(l[i].c, "vslice0/run_cycles");
		w->instructions[i] = client_counter(l[i].c, TESS_COUNTER_INSTRUCTIONS);
		w->jobs[i] = l[i].c->r.rec->seq;
	}
	/* In the middle of what the client after it and the one before it saw */
	w->cycles = client_time(l[0].c);
}

static void subtract(struct window *w, const struct window *from, unsigned int n)
{
	unsigned int i;

	w->cycles -= from->cycles;
	for (i = 0; i < n; i++) {
		w->busy[i] -= from->busy[i];
		w->charged[i] -= from->charged[i];
		w->instructions[i] -= from->instructions[i];
		w->jobs[i] -= from->jobs[i];
	}
}

/* Keep them at work for so long */
static int pump_for(struct load *l, unsigned int n, unsigned int ms)
{
	uint64_t cycles = (uint64_t)ms * reg32(&l[0].c->v, TESS_REG_CLOCK_KHZ);
	uint64_t start = client_time(l[0].c), seen = start, now;
	long end = now_ms() + CLIENT_WAIT_MS;
	unsigned int i;

	for (;;) {
		for (i = 0; i < n; i++)
			load_pump(&l[i]);
		now = client_time(l[0].c);
		if (now - start >= cycles)
			return 0;
		if (now != seen)
			end = now_ms() + CLIENT_WAIT_MS;
		else if (now_ms() > end)
			return -ETIME;
		seen = now;
		sleep_ms(5);
	}
}

int load_window_some(struct load *l, unsigned int n, unsigned int active, unsigned int ms,
		     struct window *w)
{
	struct window before;
	int ret;

	sample(l, n, &before);
	ret = pump_for(l, active, ms);
	sample(l, n, w);
	subtract(w, &before, n);
	return ret;
}

int load_window(struct load *l, unsigned int n, unsigned int ms, struct window *w)
{
	return load_window_some(l, n, n, ms, w);
}

int load_settle(struct load *l, unsigned int n, unsigned int ms)
{
	return pump_for(l, n, ms);
}

int load_finish(struct load *l, unsigned int n)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < n && !ret; i++)
		ret = client_wait(l[i].c);
	for (i = 0; i < n && !ret; i++)
		ret = client_counted(l[i].c) ? 0 : -EIO;
	return ret;
}

double window_share(const struct window *w, unsigned int i)
{
	return (double)w->busy[i] / w->cycles;
}

double window_part(const struct window *w, unsigned int i, unsigned int n)
{
	double sum = 0;
	unsigned int k;

	for (k = 0; k < n; k++)
		sum += w->busy[k];
	return w->busy[i] / sum;
}

double window_jain(const struct window *w, unsigned int n)
{
	double sum = 0, squares = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		sum += w->busy[i];
		squares += (double)w->busy[i] * w->busy[i];
	}
	return squares ? sum * sum / (n * squares) : 0;
}

double window_disagreement(const struct window *w, unsigned int n)
{
	double worst = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		worst = fmax(worst, fabs((double)w->busy[i] - (double)w->charged[i]) / w->cycles);
	return worst;
}
