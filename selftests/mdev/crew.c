// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A guest that works on all vslices. What a job makes goes through VRAM, if there is any, and
 * adds to what is there: a job that is lost or done twice shows, and so does VRAM that was left
 * behind.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "crew.h"
#include "patience.h"

#define PATIENCE_MS 20000
#define JOB_PACKETS 5

static void put_job(struct worker *w, uint64_t ram, uint32_t pattern)
{
	struct ring *r = &w->r;

	/* The last job's, from VRAM; then this job's, by way of it */
	ring_copy(r, ram + 8 * PAGE, w->bank + 16 * PAGE, 4 * PAGE);
	ring_fill(r, w->bank, 4 * PAGE, pattern);
	ring_copy(r, w->bank + 16 * PAGE, w->bank, 4 * PAGE);
	ring_copy(r, ram, w->bank + 16 * PAGE, 4 * PAGE);
	ring_fence(r, false);
}

static bool is_all(const volatile uint32_t *words, uint32_t pattern)
{
	unsigned int i;

	for (i = 0; i < 4 * PAGE / 4; i++)
		if (words[i] != pattern)
			return false;
	return true;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	uint64_t ram = DATA_GPA + w->r.vslice * 32 * PAGE;
	volatile uint32_t *out = ram_at(w->r.v, ram);
	uint32_t last = 0;

	while (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE) && !w->wrong) {
		uint32_t pattern = (w->r.vslice + 1) << 24 | ((w->jobs + 1) & 0xffffff);

		put_job(w, ram, pattern);
		if (ring_wait_record(&w->r))
			w->wrong = "a job did not end";
		else if (!is_all(out, pattern))
			w->wrong = "a job's result is wrong";
		else if (!is_all(out + 8 * PAGE / 4, last))
			w->wrong = "the VRAM is not what the last job left";
		else
			__atomic_add_fetch(&w->jobs, 1, __ATOMIC_RELEASE);
		last = pattern;
	}
	return NULL;
}

/* A vGPU without VRAM works in the memory of its guest, which is not zero after a reset */
static uint64_t bank_of(struct vgpu *v, unsigned int vslice)
{
	uint64_t size = reg64(v, TESS_REG_BANK_SIZE), gpa;

	if (size)
		return VRAM(vslice * size);
	gpa = DATA_GPA + (1 << 20) + vslice * 32 * PAGE;
	memset(ram_at(v, gpa), 0, 32 * PAGE);
	return gpa;
}

int crew_start(struct crew *c, struct vgpu *v)
{
	unsigned int i;
	int ret = 0;

	if (v->vslices > CREW_MAX)
		return -EINVAL;
	*c = (struct crew){ .v = v };
	for (i = 0; !ret && i < v->vslices; i++) {
		c->w[i].bank = bank_of(v, i);
		ring_start(&c->w[i].r, v, i);
		ret = -pthread_create(&c->w[i].thread, NULL, work, &c->w[i]);
	}
	return ret;
}

static unsigned int jobs_of(const struct worker *w)
{
	return __atomic_load_n(&w->jobs, __ATOMIC_ACQUIRE);
}

bool crew_goes_on(struct crew *c)
{
	long end = now_ms() + PATIENCE_MS * patience();
	unsigned int before[CREW_MAX], i;

	for (i = 0; i < c->v->vslices; i++)
		before[i] = jobs_of(&c->w[i]);
	for (i = 0; i < c->v->vslices; i++) {
		while (jobs_of(&c->w[i]) < before[i] + 2) {
			if (c->w[i].wrong || now_ms() > end)
				return false;
			usleep(500);
		}
	}
	return true;
}

void crew_stop(struct crew *c)
{
	unsigned int i;

	for (i = 0; i < c->v->vslices; i++)
		__atomic_store_n(&c->w[i].stop, true, __ATOMIC_RELEASE);
	for (i = 0; i < c->v->vslices; i++)
		pthread_join(c->w[i].thread, NULL);
}

/* What the registers of its vslice say */
static const char *look_back(const struct worker *w)
{
	const struct ring *r = &w->r;

	if (w->wrong)
		return w->wrong;
	if (r->wptr != (uint64_t)JOB_PACKETS * w->jobs)
		return "packets were put for which there is no job";
	if (client_reg64(r->v, r->vslice, TESS_SREG_RPTR) != r->wptr)
		return "the read index is not that of the last packet";
	if (client_reg64(r->v, r->vslice, TESS_SREG_COUNTERS + TESS_COUNTER_PACKETS) != r->wptr)
		return "packets were executed twice, or not at all";
	return NULL;
}

const char *crew_end(struct crew *c)
{
	const char *wrong = NULL;
	unsigned int i;

	crew_stop(c);
	for (i = 0; !wrong && i < c->v->vslices; i++)
		wrong = look_back(&c->w[i]);
	return wrong;
}

unsigned int crew_jobs(const struct crew *c)
{
	unsigned int i, jobs = 0;

	for (i = 0; i < c->v->vslices; i++)
		jobs += jobs_of(&c->w[i]);
	return jobs;
}
