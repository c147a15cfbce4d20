// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two vGPUs are recomposed at random while all their vslices work: one whose client heeds what
 * it is told, one whose client ignores it. No result is wrong, no dispatch is lost or runs
 * twice; whatever is refused or fails leaves everything as it was and says why.
 *
 * TESS_RECOMPOSITIONS says how many have to be made, TESS_SEED repeats a run.
 */
#include <time.h>

#include "harness.h"
#include "books.h"
#include "tenant.h"

#define TENANTS 2
#define WALL_MS_EACH 2000 /* of a recomposition, with all that is refused in between */
#define STEPS 14 /* of a recomposition that can be made to fail */
#define PAUSE_MS 40

static const struct shape first = {
	.slices = 2,
	.max = TENANT_VSLICES,
	.memory = STREAM_BANK,
	.kind = TESS_KIND_COMPUTE,
	.topology = TESS_TOPOLOGY_MESH,
};

FIXTURE(live)
{
	struct books books;
	struct stream_jobs jobs;
	struct tenant g[TENANTS];
	unsigned int n;
	unsigned long done, refused, failed, generations;
};

static void make_jobs(struct __test_metadata *_metadata, struct __fixture_live *self)
{
	long seed = setting("TESS_SEED", time(NULL));

	printf("# TESS_SEED=%ld\n", seed);
	srandom(seed);
	ASSERT_EQ(0, stream_jobs_make(&self->jobs, seed));
}

FIXTURE_SETUP(live)
{
	fresh_start();
	ASSERT_EQ(0, inject_failure(0));
	books_open(&self->books);
	make_jobs(_metadata, self);
	for (self->n = 0; self->n < TENANTS; self->n++)
		ASSERT_EQ(0, tenant_open(&self->g[self->n], &first));
}

FIXTURE_TEARDOWN(live)
{
	inject_failure(0);
	while (self->n)
		tenant_close(&self->g[--self->n]);
}

/* What a slice of this kind can do, and the blueprint allows */
static uint32_t engines_of(const struct shape *s, uint32_t kind)
{
	uint32_t has = TESS_ENGINE_COMPUTE | TESS_ENGINE_COPY;

	if (kind != TESS_KIND_COMPUTE)
		has |= TESS_ENGINE_RASTER | TESS_ENGINE_DISPLAY;
	return s->engines ? has & s->engines : has;
}

static bool slice_is(const struct tess_composition_slice *slice, const struct shape *s,
		     uint64_t owned)
{
	return owned & 1ULL << slice->id && (!s->kind || slice->kind == s->kind) &&
	       slice->kind >= TESS_KIND_COMPUTE && slice->kind <= TESS_KIND_MIXED &&
	       slice->engines == engines_of(s, slice->kind) && slice->bank_size == s->memory;
}

/* The page shows this shape, and the pool has it so */
static bool is_shaped(const struct tenant *g, const struct tess_composition *page,
		      const struct shape *s)
{
	uint64_t mask = (1ULL << s->slices) - 1, owned, seen = 0;
	unsigned int i, n = books_owned(g->c[0].v.uuid, &owned);
	bool good = n == s->slices && page->slice_mask == mask && page->topology == s->topology &&
		    page->slice_count == s->max;

	for (i = 0; i < s->max; i++) {
		if (i >= s->slices) {
			good &= page->slice[i].kind == TESS_KIND_NONE;
			continue;
		}
		good &= slice_is(&page->slice[i], s, owned);
		seen |= 1ULL << page->slice[i].id;
	}
	return good && seen == owned;
}

static void judge_change(struct __test_metadata *_metadata, struct __fixture_live *self,
			 struct tenant *g, const struct shape *s, uint64_t before)
{
	const char *uuid = g->c[0].v.uuid;
	struct tess_composition page;
	char text[SHAPE_TEXT_MAX];
	struct shape now = { 0 };

	tenant_page(g, &page);
	self->done++;
	EXPECT_TRUE(last_error_is(uuid, 0));
	EXPECT_EQ(0, attr_read(uuid, "blueprint", text, sizeof(text)));
	EXPECT_EQ(0, shape_parse(text, &now));
	EXPECT_EQ(s->slices, now.slices);
	EXPECT_EQ(s->max, now.max);
	EXPECT_EQ(s->kind, now.kind);
	EXPECT_EQ(s->topology, now.topology);
	EXPECT_LT(before, page.generation);
	EXPECT_EQ(page.generation, shape_generation(uuid));
	if (!is_shaped(g, &page, s)) {
		printf("# %.8s: %s; slice mask %#llx\n", uuid, text,
		       (unsigned long long)page.slice_mask);
		EXPECT_TRUE(!"the composition is that of the blueprint");
	}
	if (!g->heeds)
		return;
	ASSERT_TRUE(tenant_sees(g, page.generation));
	self->generations++;
}

/* Nothing changed but the reason that is told */
static void judge_refusal(struct __test_metadata *_metadata, struct tenant *g,
			  const struct tess_composition *before, const char *blueprint, int rc)
{
	const char *uuid = g->c[0].v.uuid;
	struct tess_composition page;
	char text[SHAPE_TEXT_MAX];

	tenant_page(g, &page);
	EXPECT_TRUE(last_error_is(uuid, rc));
	EXPECT_EQ(0, attr_read(uuid, "blueprint", text, sizeof(text)));
	EXPECT_EQ(0, strcmp(blueprint, text));
	EXPECT_EQ(before->slice_mask, page.slice_mask);
	EXPECT_EQ(before->topology, page.topology);
	EXPECT_EQ(0, memcmp(before->slice, page.slice, sizeof(page.slice)));
}

/* A change at random, one in six made to fail at some step */
static void recompose(struct __test_metadata *_metadata, struct __fixture_live *self)
{
	struct tenant *g = &self->g[pick(3) == 0];
	const char *uuid = g->c[0].v.uuid;
	struct tess_composition page;
	char text[SHAPE_TEXT_MAX];
	bool inject = !pick(6);
	struct shape s;
	int rc;

	tenant_page(g, &page);
	ASSERT_EQ(0, attr_read(uuid, "blueprint", text, sizeof(text)));
	shape_random(&s, &first);
	if (inject)
		ASSERT_EQ(0, inject_failure(1 + pick(STEPS)));
	rc = shape_write(uuid, &s);
	if (inject)
		ASSERT_EQ(0, inject_failure(0));
	if (!rc) {
		judge_change(_metadata, self, g, &s, page.generation);
		return;
	}
	judge_refusal(_metadata, g, &page, text, rc);
	self->refused += rc == -ENOSPC;
	self->failed += rc == -ENOMEM && inject;
	if (rc != -ENOSPC && (rc != -ENOMEM || !inject)) {
		shape_text(&s, text, sizeof(text));
		printf("# %.8s: %s: %s\n", uuid, text, strerror(-rc));
		attr_read(uuid, "last_error", text, sizeof(text));
		printf("# %.8s: %s\n", uuid, text);
		ASSERT_TRUE(!"it can be recomposed like this");
	}
}

static void report(struct __fixture_live *self)
{
	unsigned long mismatches = 0, lost = 0, jobs = 0, dispatches = 0;
	unsigned int i, k;

	for (i = 0; i < TENANTS; i++) {
		for (k = 0; k < self->g[i].n; k++) {
			mismatches += self->g[i].s[k].mismatches;
			lost += stream_lost(&self->g[i].s[k]);
			jobs += self->g[i].s[k].done;
			dispatches += self->g[i].s[k].dispatches;
		}
	}
	printf("# %lu dispatches, %lu of them random jobs\n", dispatches, jobs);
	printf("# %lu recompositions refused for want of slices, %lu made to fail\n", self->refused,
	       self->failed);
	figure("recompositions", self->done);
	figure("generations_seen", self->generations);
	figure("mismatches", mismatches);
	figure("lost_dispatches", lost);
}

TEST_F_TIMEOUT(live, recomposed_at_random, 600)
{
	unsigned long want = setting("TESS_RECOMPOSITIONS", 60), k, i, bad = 0;
	long end = now_ms() + want * WALL_MS_EACH * patience();

	ASSERT_EQ(0, tenant_start(&self->g[0], &self->jobs, true));
	ASSERT_EQ(0, tenant_start(&self->g[1], &self->jobs, false));
	while (self->done < want && now_ms() < end) {
		recompose(_metadata, self);
		/* Some follow at once */
		sleep_ms(pick(4) ? pick(PAUSE_MS) : 0);
	}
	EXPECT_EQ(0, tenant_stop(&self->g[0]));
	EXPECT_EQ(0, tenant_stop(&self->g[1]));
	report(self);
	EXPECT_LE(want, self->done);
	EXPECT_LT(0, self->failed);
	for (i = 0; i < TENANTS; i++) {
		EXPECT_EQ(0, self->g[i].backwards);
		for (k = 0; k < self->g[i].n; k++) {
			struct stream *s = &self->g[i].s[k];

			bad += s->mismatches + stream_lost(s);
			/* Withheld or not, each had work and did it */
			EXPECT_LT(0, s->done);
			EXPECT_EQ(s->c->r.wptr, s->c->r.rec->rptr);
		}
		EXPECT_EQ(0, reg64(&self->g[i].c[0].v, TESS_REG_FAULT_PENDING));
	}
	EXPECT_EQ(0, bad);
	EXPECT_LE(self->generations, atomic_load(&self->g[0].interrupts));
	EXPECT_EQ(0, books_wrong(&self->books));
	while (self->n)
		tenant_close(&self->g[--self->n]);
	EXPECT_EQ(0, books_unclosed(&self->books));
}

TEST_HARNESS_MAIN
