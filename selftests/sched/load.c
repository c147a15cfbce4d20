// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: load and measurement
 *
 * One thread keeps the rings of all clients filled. Jobs take longer than the thread
 * may be late. A window is a stretch of GPU time, so its length does not depend on the
 * machine. Its ends are read client by client, each with the time of its own, so that a
 * share is as exact as a few register accesses take.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "load.h"
#include "patience.h"

#define LOAD_GROUPS 8u
#define LOAD_ITEMS 16u
/* A group costs 32 cycles and a step of an item 2; 8 groups run at a time */
#define COUNT_OF(cycles) ((cycles) / (2 * LOAD_ITEMS))
/* Cycles between the reading of a counter and of the time, and how often to try it */
#define TOGETHER 2500u
#define TRIES 50u
#define TURNS_WALL_MS 30000
#define CALM_MS 25
#define CALM_ROUNDS 10u
#define LATE_ROUNDS 100u
#define ROUND_MS 5

static void put_delay(const struct load *l)
{
	client_delay(l->c, LOAD_GROUPS, LOAD_ITEMS, l->size);
}

void load_init(struct load *l, struct client *c, unsigned int us, unsigned int depth)
{
	uint64_t cycles = (uint64_t)us * reg32(&c->v, TESS_REG_CLOCK_KHZ) / 1000;

	*l = (struct load){
		.c = c,
		.put = put_delay,
		.size = COUNT_OF(cycles),
		.depth = depth,
	};
}

void load_pump(struct load *l)
{
	struct client *c = l->c;

	while (c->r.seq - c->r.rec->seq < l->depth && client_room(c, 1)) {
		l->put(l);
		client_fence(c);
	}
}

/* Both at the same time: again, if the host was busy with something else in between */
static void sample_client(struct client *c, struct part *p)
{
	uint64_t before, after = client_time(c);
	unsigned int tries = 0;

	do {
		before = after;
		p->busy = client_counter(c, TESS_COUNTER_BUSY);
		p->jobs = c->r.rec->seq;
		after = client_time(c);
	} while (after - before > TOGETHER && ++tries < TRIES);
	p->cycles = before + (after - before) / 2;
	p->instructions = client_counter(c, TESS_COUNTER_INSTRUCTIONS);
}

static void sample(struct load *l, unsigned int n, struct window *w)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		sample_client(l[i].c, &w->of[i]);
}

static void subtract(struct part *p, const struct part *from)
{
	p->cycles -= from->cycles;
	p->busy -= from->busy;
	p->instructions -= from->instructions;
	p->jobs -= from->jobs;
}

/* Milliseconds until @past is a multiple of @period; it is just now: none */
static unsigned int until_whole(uint64_t past, uint64_t period, unsigned int khz)
{
	uint64_t over = past % period;

	return over < khz ? 0 : (period - over) / khz;
}

/*
 * Keep them at work for so long, and until this machine has not stood still for a moment:
 * the turn in which it did was too long, and that is not made up for yet. Then until it
 * was for a multiple of @period_ms, unless the machine is late for that again and again.
 */
static int pump_for(struct load *l, unsigned int n, unsigned int ms, unsigned int period_ms)
{
	unsigned int khz = reg32(&l[0].c->v, TESS_REG_CLOCK_KHZ), left;
	uint64_t cycles = (uint64_t)ms * khz, period = (uint64_t)period_ms * khz;
	uint64_t start = client_time(l[0].c), seen = start, now;
	long end = now_ms() + CLIENT_WAIT_MS * patience(), round;
	unsigned int i, calm = 0, late = 0;

	for (;;) {
		round = now_ms();
		for (i = 0; i < n; i++)
			load_pump(&l[i]);
		now = client_time(l[0].c);
		left = until_whole(now - start, period, khz);
		if (now - start >= cycles &&
		    ((calm >= CALM_ROUNDS && !left) || late++ >= LATE_ROUNDS))
			return 0;
		if (now != seen)
			end = now_ms() + CLIENT_WAIT_MS * patience();
		else if (now_ms() > end)
			return -ETIME;
		seen = now;
		sleep_ms(left && left < ROUND_MS ? left : ROUND_MS);
		calm = now_ms() - round < CALM_MS ? calm + 1 : 0;
	}
}

static void count_turns(struct load *l, unsigned int n, uint64_t *turns)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		turns[i] = client_counter(l[i].c, TESS_COUNTER_SWITCHES);
}

/* A slow host makes turns long and few; then it takes longer to tell who gets how much */
static int pump_turns(struct load *l, unsigned int n, const uint64_t *before, unsigned int want)
{
	uint64_t turns[LOAD_MAX], fewest = 0;
	long end = now_ms() + TURNS_WALL_MS * patience();
	unsigned int i;
	int ret = 0;

	while (!ret && now_ms() < end) {
		count_turns(l, n, turns);
		fewest = ~0ULL;
		for (i = 0; i < n; i++)
			fewest = turns[i] - before[i] < fewest ? turns[i] - before[i] : fewest;
		if (fewest >= want)
			return 0;
		ret = pump_for(l, n, 100, 1);
	}
	printf("# only %llu turns of the one with the fewest\n", (unsigned long long)fewest);
	return ret;
}

static int window(struct load *l, unsigned int n, unsigned int active, unsigned int ms,
		  unsigned int period_ms, unsigned int turns, struct window *w)
{
	uint64_t turns_before[LOAD_MAX];
	struct window before;
	unsigned int i;
	int ret;

	count_turns(l, active, turns_before);
	sample(l, n, &before);
	ret = pump_for(l, active, ms, period_ms);
	if (!ret && turns)
		ret = pump_turns(l, active, turns_before, turns);
	sample(l, n, w);
	for (i = 0; i < n; i++)
		subtract(&w->of[i], &before.of[i]);
	return ret;
}

int load_window(struct load *l, unsigned int n, unsigned int active, unsigned int ms,
		unsigned int turns, struct window *w)
{
	return window(l, n, active, ms, 1, turns, w);
}

int load_periods(struct load *l, unsigned int n, unsigned int active, unsigned int periods,
		 unsigned int period_ms, struct window *w)
{
	return window(l, n, active, periods * period_ms, period_ms, 0, w);
}

int load_settle(struct load *l, unsigned int n, unsigned int ms)
{
	return pump_for(l, n, ms, 1);
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
	return (double)w->of[i].busy / w->of[i].cycles;
}

double window_part(const struct window *w, unsigned int i, unsigned int n)
{
	double sum = 0;
	unsigned int k;

	for (k = 0; k < n; k++)
		sum += window_share(w, k);
	return window_share(w, i) / sum;
}

double window_jain(const struct window *w, unsigned int n)
{
	double sum = 0, squares = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		sum += window_share(w, i);
		squares += window_share(w, i) * window_share(w, i);
	}
	return squares ? sum * sum / (n * squares) : 0;
}

double window_rate(const struct window *w, unsigned int n)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		sum += (double)w->of[i].instructions / w->of[i].cycles;
	return sum;
}
