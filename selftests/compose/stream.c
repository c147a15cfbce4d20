// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: checked work
 *
 * The random jobs work on the vslice's bank of VRAM: wherever the vslice is moved to, it must
 * still reach it. Counting is done in the memory of the client, the number of a job goes to
 * the bank with one packet and from there to memory with the next.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "stream.h"

#define INNER 8 /* loops of a random job */
#define GROUPS 8
#define ITEMS 16
#define COUNT 450 /* of a numbered job: 14,000 cycles on a compute slice */
#define DEPTH 8u /* jobs that are queued */
#define JOB_EVERY 6u
#define SLOTS 64u /* numbers that are kept; no more jobs are in the ring */
/* Where the numbers are in the bank, behind the random job */
#define NUMBERS JOB_BYTES

_Static_assert(NUMBERS + SLOTS * 4 <= STREAM_BANK, "a bank holds the job and the numbers");

static uint32_t number_seen(const struct stream *s, uint64_t seq)
{
	uint64_t gpa = MARK_GPA(s->c->r.vslice) + seq % SLOTS * 4;

	return *(volatile uint32_t *)(s->c->v.ram + (gpa - RAM_GPA));
}

static void put_job(struct stream *s)
{
	struct tess_pkt_dispatch pkt;

	s->job = (s->job + 1) % STREAM_JOBS;
	pkt = s->jobs->job[s->job].pkt;
	job_load(&s->jobs->job[s->job], s->bank);
	ring_put(&s->c->r, &pkt);
	client_fence(s->c);
	s->job_seq = s->c->r.seq;
	s->dispatches++;
}

static void put_numbered(struct stream *s)
{
	struct ring *r = &s->c->r;
	uint64_t seq = r->seq + 1, bank = BANK_VA + NUMBERS + seq % SLOTS * 4;

	client_delay(s->c, GROUPS, ITEMS, COUNT);
	ring_fill(r, bank, 4, seq);
	ring_copy(r, VA(MARK_GPA(r->vslice)) + seq % SLOTS * 4, bank, 4);
	client_fence(s->c);
	s->dispatches++;
}

static void put_next(struct stream *s)
{
	if (s->turn++ % JOB_EVERY == 0 && !s->job_seq)
		put_job(s);
	else
		put_numbered(s);
}

static void check_job(struct stream *s)
{
	uint64_t got = job_digest(s->bank);

	s->done++;
	s->job_seq = 0;
	if (got == s->jobs->want[s->job])
		return;
	s->mismatches++;
	printf("# %.8s/%u: job %u left something else\n", s->c->v.uuid, s->c->r.vslice, s->job);
}

static void check_number(struct stream *s, uint64_t seq)
{
	uint32_t got = number_seen(s, seq);

	if (got == (uint32_t)seq)
		return;
	s->mismatches++;
	printf("# %.8s/%u: %u instead of number %llu\n", s->c->v.uuid, s->c->r.vslice, got,
	       (unsigned long long)seq);
}

static void check_done(struct stream *s)
{
	uint64_t done = s->c->r.rec->seq;

	while (s->checked < done) {
		if (++s->checked == s->job_seq)
			check_job(s);
		else
			check_number(s, s->checked);
	}
}

void stream_init(struct stream *s, struct client *c, const struct stream_jobs *jobs, uint8_t *bank)
{
	*s = (struct stream){ .c = c, .jobs = jobs, .bank = bank };
}

void stream_pump(struct stream *s, bool more)
{
	check_done(s);
	while (more && s->c->r.seq - s->checked < DEPTH && client_room(s->c, 3))
		put_next(s);
}

int stream_finish(struct stream *s)
{
	int ret = client_wait(s->c);

	if (!ret)
		check_done(s);
	return ret;
}

unsigned long stream_lost(const struct stream *s)
{
	uint64_t counted = client_counter(s->c, TESS_COUNTER_DISPATCHES);
	unsigned long lost = counted > s->dispatches ? counted - s->dispatches :
						       s->dispatches - counted;

	if (lost)
		printf("# %.8s/%u: %llu dispatches, not %llu\n", s->c->v.uuid, s->c->r.vslice,
		       (unsigned long long)counted, (unsigned long long)s->dispatches);
	return lost + !client_counted(s->c);
}

static int jobs_run(struct stream_jobs *jobs, struct client *c, uint8_t *bank, uint64_t seed)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < STREAM_JOBS && !ret; i++) {
		struct tess_pkt_dispatch pkt;

		job_make(&jobs->job[i], seed + i, BANK_VA, INNER);
		pkt = jobs->job[i].pkt;
		job_load(&jobs->job[i], bank);
		ring_put(&c->r, &pkt);
		client_fence(c);
		ret = client_wait(c);
		jobs->want[i] = job_digest(bank);
	}
	return ret;
}

int stream_jobs_make(struct stream_jobs *jobs, uint64_t seed)
{
	struct client c;
	uint8_t *bank;
	int ret = client_open(&c, "C1");

	if (ret)
		return ret;
	bank = vgpu_mmap(&c.v, TESS_BAR_VRAM, 0, STREAM_BANK);
	ret = bank == MAP_FAILED ? -ENXIO : jobs_run(jobs, &c, bank, seed);
	client_close(&c);
	return ret;
}
