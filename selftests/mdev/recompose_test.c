// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A vGPU gets another shape while a VMM has it open and its guest works: what the guest
 * sees of it, and that nothing of its work is lost or done twice, whoever dies and whatever
 * fails in the middle.
 */
#include <pthread.h>
#include <time.h>

#include "harness.h"
#include "vmm.h"
#include "writer.h"

#define VSLICES 4
#define POLL_MS 20000
#define COMPOSE_FAIL "/sys/module/tessera/parameters/compose_fail"

/* ---- a guest that works on all vslices, given or not ---- */

/**
 * struct worker - a vslice's user
 * @r: its ring
 * @jobs: jobs that were done and were right
 * @stop: set to end it
 * @wrong: what was wrong, NULL: nothing
 */
struct worker {
	struct ring r;
	unsigned int jobs;
	bool stop;
	const char *wrong;
};

FIXTURE(open)
{
	long long slices_free;
	long long vram_free;
	char uuid[37];
	struct vgpu v;
	struct tess_composition *page;
	int event;
	struct worker w[VSLICES];
	pthread_t thread[VSLICES];
};

FIXTURE_SETUP(open)
{
	mdev_remove_all();
	self->slices_free = pool_value("slices_free");
	self->vram_free = pool_value("vram_free");
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=2 min=1 max=4 kind=compute"));
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
	self->event = vgpu_eventfd(&self->v, TESS_IRQ_EVENT);
	ASSERT_LE(0, self->event);
	self->page = vgpu_mmap(&self->v, TESS_BAR_REGS, TESS_COMPOSITION_PAGE, PAGE);
	ASSERT_NE((void *)-1, self->page);
}

FIXTURE_TEARDOWN(open)
{
	if (self->event > 0)
		close(self->event);
	vgpu_close(&self->v);
	mdev_remove_all();
	EXPECT_EQ(self->slices_free, pool_value("slices_free"));
	EXPECT_EQ(self->vram_free, pool_value("vram_free"));
}

/* Each vslice counts in memory of its own: what is lost or done twice shows */
static void *work(void *arg)
{
	struct worker *w = arg;
	struct ring *r = &w->r;
	uint64_t at = DATA_GPA + r->vslice * 16 * PAGE;
	volatile uint32_t *out = ram_at(r->v, at);

	while (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE) && !w->wrong) {
		uint32_t pattern = (r->vslice + 1) << 24 | (w->jobs & 0xffffff);

		ring_fill(r, at, 4 * PAGE, pattern);
		ring_copy(r, at + 4 * PAGE, at, 4 * PAGE);
		ring_fence(r, false);
		if (ring_wait_record(r))
			w->wrong = "a job did not end";
		else if (out[0] != pattern || out[8 * PAGE / 4 - 1] != pattern)
			w->wrong = "a job's result is wrong";
		else
			__atomic_add_fetch(&w->jobs, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void start_work(struct __test_metadata *_metadata, struct __fixture_open *self)
{
	unsigned int i;

	for (i = 0; i < VSLICES; i++) {
		ring_start(&self->w[i].r, &self->v, i);
		ASSERT_EQ(0, pthread_create(&self->thread[i], NULL, work, &self->w[i]));
	}
}

/* Every worker gets something done from now on */
static void expect_progress(struct __test_metadata *_metadata, struct __fixture_open *self)
{
	long end = now_ms() + POLL_MS;
	unsigned int before[VSLICES], i;

	for (i = 0; i < VSLICES; i++)
		before[i] = __atomic_load_n(&self->w[i].jobs, __ATOMIC_ACQUIRE);
	for (i = 0; i < VSLICES; i++) {
		/* The first may have been complete before */
		while (__atomic_load_n(&self->w[i].jobs, __ATOMIC_ACQUIRE) < before[i] + 2 &&
		       !self->w[i].wrong && now_ms() < end)
			usleep(500);
		EXPECT_LE(before[i] + 2, __atomic_load_n(&self->w[i].jobs, __ATOMIC_ACQUIRE));
	}
}

static void end_work(struct __test_metadata *_metadata, struct __fixture_open *self)
{
	unsigned int i;

	for (i = 0; i < VSLICES; i++)
		__atomic_store_n(&self->w[i].stop, true, __ATOMIC_RELEASE);
	for (i = 0; i < VSLICES; i++) {
		struct ring *r = &self->w[i].r;

		ASSERT_EQ(0, pthread_join(self->thread[i], NULL));
		if (self->w[i].wrong)
			TH_LOG("vslice %u: %s", i, self->w[i].wrong);
		EXPECT_EQ(NULL, self->w[i].wrong);
		EXPECT_EQ(r->wptr, client_reg64(&self->v, i, TESS_SREG_RPTR));
		/* Three packets a job: none was executed twice */
		EXPECT_EQ(r->wptr,
			  client_reg64(&self->v, i, TESS_SREG_COUNTERS + TESS_COUNTER_PACKETS));
	}
	EXPECT_EQ(0, mdev_stat(self->uuid, "client_faults"));
}

/* ---- what the guest sees ---- */

/* One reading of the page, as a guest does it; false: it never came to rest */
static bool read_page(struct __fixture_open *self, struct tess_composition *copy)
{
	const volatile __le64 *seq = &self->page->seq;
	unsigned int tries;

	for (tries = 0; tries < 1000; tries++) {
		uint64_t before = *seq;

		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		memcpy(copy, self->page, sizeof(*copy));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(before & 1) && *seq == before)
			return true;
	}
	return false;
}

static void expect_slice(struct __test_metadata *_metadata, struct __fixture_open *self,
			 const struct tess_composition *page, unsigned int i, bool given,
			 uint32_t kind)
{
	const struct tess_composition_slice *s = &page->slice[i];
	uint64_t bank = reg64(&self->v, TESS_REG_BANK_SIZE);

	EXPECT_EQ(given ? kind : TESS_KIND_NONE, s->kind);
	EXPECT_EQ(given, s->cores > 0);
	EXPECT_EQ(given, s->engines > 0);
	/* Its memory stays the client's */
	EXPECT_EQ(i * bank, s->bank_offset);
	EXPECT_EQ(bank, s->bank_size);
	EXPECT_EQ(s->kind, client_reg32(&self->v, i, TESS_SREG_KIND));
	EXPECT_EQ(s->cores, client_reg32(&self->v, i, TESS_SREG_CORES));
	EXPECT_EQ(s->engines, client_reg32(&self->v, i, TESS_SREG_ENGINES));
	EXPECT_EQ(0, client_reg64(&self->v, i, TESS_SREG_KIND));
}

static void expect_shape(struct __test_metadata *_metadata, struct __fixture_open *self,
			 unsigned int slices, uint32_t kind)
{
	struct tess_composition page;
	uint32_t engines = 0;
	char text[32];
	unsigned int i;

	ASSERT_TRUE(read_page(self, &page));
	EXPECT_EQ(TESS_COMPOSITION_MAGIC, page.magic);
	EXPECT_EQ(reg64(&self->v, TESS_REG_GENERATION), page.generation);
	EXPECT_EQ((1ULL << slices) - 1, page.slice_mask);
	EXPECT_EQ(page.slice_mask, reg64(&self->v, TESS_REG_SLICE_MASK));
	EXPECT_EQ(VSLICES, page.slice_count);
	EXPECT_EQ(VSLICES, reg32(&self->v, TESS_REG_SLICE_COUNT));
	EXPECT_EQ(VSLICES * reg64(&self->v, TESS_REG_BANK_SIZE),
		  reg64(&self->v, TESS_REG_VRAM_SIZE));
	for (i = 0; i < VSLICES; i++) {
		expect_slice(_metadata, self, &page, i, i < slices, kind);
		engines |= page.slice[i].engines;
	}
	EXPECT_EQ(engines, page.engines);
	EXPECT_EQ(engines, reg32(&self->v, TESS_REG_ENGINE_MASK));
	snprintf(text, sizeof(text), "slices=%u ", slices);
	EXPECT_EQ(0, strncmp(mdev_attr(self->uuid, "blueprint"), text, strlen(text)));
	EXPECT_TRUE(strstr(mdev_attr(self->uuid, "composition"), text));
	EXPECT_EQ(self->slices_free - slices, pool_value("slices_free"));
}

/* Write a blueprint that works; the guest is told */
static void change(struct __test_metadata *_metadata, struct __fixture_open *self, const char *text)
{
	uint64_t gen = reg64(&self->v, TESS_REG_GENERATION);

	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", text));
	EXPECT_LE(1, eventfd_wait(self->event, 5000));
	EXPECT_EQ(1, reg64(&self->v, TESS_REG_EVENT_PENDING));
	reg64_write(&self->v, TESS_REG_EVENT_PENDING, 1);
	EXPECT_LT(gen, reg64(&self->v, TESS_REG_GENERATION));
	EXPECT_EQ(0, strcmp("none", mdev_attr(self->uuid, "last_error")));
}

TEST_F_TIMEOUT(open, shrink_and_grow, 120)
{
	static const struct {
		const char *text;
		unsigned int slices;
		uint32_t kind;
	} steps[] = {
		{ "slices=4", 4, TESS_KIND_COMPUTE },
		{ "slices=1", 1, TESS_KIND_COMPUTE },
		{ "slices=3", 3, TESS_KIND_COMPUTE },
		{ "kind=mixed", 3, TESS_KIND_MIXED },
		{ "kind=render slices=1", 1, TESS_KIND_RENDER },
		{ "kind=mixed slices=4", 4, TESS_KIND_MIXED },
		{ "kind=compute slices=2", 2, TESS_KIND_COMPUTE },
	};
	size_t i;

	expect_shape(_metadata, self, 2, TESS_KIND_COMPUTE);
	start_work(_metadata, self);
	expect_progress(_metadata, self);
	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		change(_metadata, self, steps[i].text);
		expect_shape(_metadata, self, steps[i].slices, steps[i].kind);
		expect_progress(_metadata, self);
	}
	end_work(_metadata, self);
}

/* VRAM is what it was, that of withheld vslices, too */
TEST_F(open, memory_stays)
{
	uint64_t size = reg64(&self->v, TESS_REG_VRAM_SIZE);
	uint8_t *vram = vgpu_mmap(&self->v, TESS_BAR_VRAM, 0, size);
	struct ring r;

	ASSERT_NE((void *)-1, vram);
	pattern_fill(vram, size, 7);
	change(_metadata, self, "slices=1");
	change(_metadata, self, "slices=4 kind=mixed");
	change(_metadata, self, "slices=1 kind=compute");
	EXPECT_EQ(-1, pattern_check(vram, size, 7));
	/* And the GPU finds it there */
	ring_start(&r, &self->v, 0);
	ring_copy(&r, DATA_GPA, VRAM(size - PAGE), PAGE);
	EXPECT_EQ(0, ring_finish(&r));
	EXPECT_EQ(0, memcmp(ram_at(&self->v, DATA_GPA), vram + size - PAGE, PAGE));
}

/* What waits on a slice that goes away is done when it can be */
TEST_F_TIMEOUT(open, pending_work_of_a_removed_slice, 60)
{
	volatile uint64_t *flag = ram_at(&self->v, DATA_GPA);
	struct ring r[VSLICES];
	unsigned int i;

	change(_metadata, self, "slices=4");
	for (i = 0; i < VSLICES; i++) {
		uint64_t at = DATA_GPA + (i + 1) * 16 * PAGE;

		flag[i] = 0;
		ring_start(&r[i], &self->v, i);
		ring_fill(&r[i], at, PAGE, 1);
		ring_await(&r[i], DATA_GPA + i * 8);
		ring_copy(&r[i], at + PAGE, at, PAGE);
		ring_fence(&r[i], false);
	}
	change(_metadata, self, "slices=1");
	/* More for a slice that is not there any more: its doorbell works */
	ring_fill(&r[3], DATA_GPA + 80 * PAGE, PAGE, 0xd00b);
	ring_fence(&r[3], false);
	usleep(100000);
	/* From the last to the first, so that each is held up by those that share its slice */
	for (i = VSLICES; i--;) {
		EXPECT_NE(r[i].seq, r[i].rec->seq);
		flag[i] = 1;
		EXPECT_EQ(0, ring_wait(&r[i]));
		EXPECT_EQ(1, *(uint32_t *)ram_at(&self->v, DATA_GPA + (i + 1) * 16 * PAGE + PAGE));
	}
	EXPECT_EQ(0xd00b, *(uint32_t *)ram_at(&self->v, DATA_GPA + 80 * PAGE));
	/* A withheld vslice can be reset and set up again */
	ring_reset(&r[2]);
	EXPECT_EQ(0, client_reg64(&self->v, 2, TESS_SREG_WPTR));
	ring_start(&r[2], &self->v, 2);
	ring_fill(&r[2], DATA_GPA + 90 * PAGE, PAGE, 0x2e5e7);
	EXPECT_EQ(0, ring_finish(&r[2]));
	EXPECT_EQ(0x2e5e7, *(uint32_t *)ram_at(&self->v, DATA_GPA + 90 * PAGE));
}

/* Engines that are not given are refused by the hardware */
TEST_F(open, engines)
{
	struct ring r;

	change(_metadata, self, "engines=compute");
	EXPECT_EQ(TESS_ENGINE_COMPUTE, reg32(&self->v, TESS_REG_ENGINE_MASK));
	EXPECT_EQ(TESS_ENGINE_COMPUTE, client_reg32(&self->v, 0, TESS_SREG_ENGINES));
	ring_start(&r, &self->v, 0);
	ring_fill(&r, DATA_GPA, PAGE, 1);
	ring_kick(&r);
	EXPECT_EQ(DRM_TESSERA_CAUSE_ENGINE_DISABLED, wait_fault(&self->v, 0));
	ring_reset(&r);
	change(_metadata, self, "engines=all");
	EXPECT_EQ(TESS_ENGINE_COMPUTE | TESS_ENGINE_COPY,
		  client_reg32(&self->v, 0, TESS_SREG_ENGINES));
	ring_start(&r, &self->v, 0);
	ring_fill(&r, DATA_GPA, PAGE, 2);
	EXPECT_EQ(0, ring_finish(&r));
}

/* ---- refused, or failing in the middle ---- */

TEST_F(open, refusals)
{
	static const struct {
		const char *text;
		int error;
		const char *why;
	} refusals[] = {
		{ "slices=5 max=5", -EBUSY, "EBUSY: max=5: it is in use and has 4 vslices" },
		{ "memory=2M", -EBUSY,
		  "EBUSY: memory=2097152: it is in use and has 16777216 for a vslice" },
		{ "share=shared", -EBUSY, "EBUSY: share=shared: it is in use and is exclusive" },
		{ "none", -EBUSY, "EBUSY: it is in use" },
		{ "slices=5", -EINVAL, "EINVAL: column 1: max=4 is less than slices=5" },
		{ "gpus=2 min=2", -EBUSY, "EBUSY: gpus=2: it is in use and has slices of 1" },
		{ "slices=4 kind=mixed", -ENOSPC,
		  "ENOSPC: insufficient slices of kind mixed: 0 free, 4 asked" },
	};
	uint64_t gen = reg64(&self->v, TESS_REG_GENERATION);
	char other[37], before[256];
	size_t i;

	/* Nobody is left of the kind */
	ASSERT_EQ(0, mdev_create("M4", other));
	start_work(_metadata, self);
	snprintf(before, sizeof(before), "%s", mdev_attr(self->uuid, "blueprint"));
	for (i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		EXPECT_EQ(refusals[i].error,
			  mdev_attr_write(self->uuid, "blueprint", refusals[i].text));
		TH_LOG("\"%s\": %s", refusals[i].text, mdev_attr(self->uuid, "last_error"));
		EXPECT_EQ(0, strcmp(mdev_attr(self->uuid, "last_error"), refusals[i].why));
		EXPECT_EQ(0, strcmp(before, mdev_attr(self->uuid, "blueprint")));
		EXPECT_EQ(gen, reg64(&self->v, TESS_REG_GENERATION));
	}
	ASSERT_EQ(0, mdev_remove(other));
	expect_progress(_metadata, self);
	end_work(_metadata, self);
	expect_shape(_metadata, self, 2, TESS_KIND_COMPUTE);
}

static int fail_at(unsigned int step)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", step);
	return file_write(COMPOSE_FAIL, text);
}

/* Write a blueprint and let its steps fail, one after the other; number of failures */
static unsigned int fail_all_steps(struct __test_metadata *_metadata, struct __fixture_open *self,
				   const char *text)
{
	unsigned int step;
	char before[256];
	int ret = -1;

	snprintf(before, sizeof(before), "%s", mdev_attr(self->uuid, "blueprint"));
	for (step = 1; step < 100 && ret; step++) {
		ASSERT_EQ(0, fail_at(step));
		ret = mdev_attr_write(self->uuid, "blueprint", text);
		EXPECT_EQ(0, fail_at(0));
		if (!ret)
			break;
		EXPECT_EQ(-ENOMEM, ret);
		EXPECT_EQ(0, strcmp(before, mdev_attr(self->uuid, "blueprint")));
	}
	EXPECT_EQ(0, ret);
	return step - 1;
}

TEST_F_TIMEOUT(open, every_step_fails, 120)
{
	unsigned int grow, shrink, other;

	start_work(_metadata, self);
	grow = fail_all_steps(_metadata, self, "slices=4");
	expect_shape(_metadata, self, 4, TESS_KIND_COMPUTE);
	expect_progress(_metadata, self);
	shrink = fail_all_steps(_metadata, self, "slices=1 kind=mixed");
	expect_shape(_metadata, self, 1, TESS_KIND_MIXED);
	expect_progress(_metadata, self);
	end_work(_metadata, self);
	close(self->event);
	self->event = -1;
	vgpu_close(&self->v);
	/* Another composition in the place of this one */
	other = fail_all_steps(_metadata, self, "slices=3 max=3 kind=render");
	EXPECT_EQ(self->slices_free - 3, pool_value("slices_free"));
	TH_LOG("failures: %u growing, %u shrinking, %u composing", grow, shrink, other);
	EXPECT_LT(2, grow);
	EXPECT_LT(2, shrink);
	EXPECT_LT(1, other);
}

/* ---- slices of its own ---- */

#define COMPUTE_SLICES 6

/**
 * struct apart - vGPU with two compute slices, the first and the last, and none of them shared
 * @uuid: of the vGPU
 * @v: it, open
 * @end: its slices, in the order of its vslices
 * @middle: a free slice in between
 */
struct apart {
	char uuid[37];
	struct vgpu v;
	int end[2];
	int middle;
};

static void apart_begin(struct __test_metadata *_metadata, struct apart *a)
{
	char other[COMPUTE_SLICES][37];
	unsigned int i;
	int slice;

	for (i = 0; i < COMPUTE_SLICES; i++)
		ASSERT_EQ(0, mdev_create("C1", other[i]));
	for (i = 0; i < COMPUTE_SLICES; i++) {
		slice = vslice_get(other[i], 0, "slice");
		if (slice == 0 || slice == COMPUTE_SLICES - 1)
			ASSERT_EQ(0, mdev_remove(other[i]));
		else
			a->middle = slice;
	}
	ASSERT_EQ(0, mdev_create("blank", a->uuid));
	ASSERT_EQ(0, mdev_attr_write(a->uuid, "blueprint",
				     "slices=2 min=2 max=2 kind=compute memory=2M topology=none"));
	ASSERT_EQ(0, vgpu_open(&a->v, a->uuid));
	for (i = 0; i < 2; i++)
		a->end[i] = vslice_get(a->uuid, i, "slice");
	ASSERT_EQ(COMPUTE_SLICES - 1, abs(a->end[0] - a->end[1]));
	for (i = 0; i < COMPUTE_SLICES; i++)
		mdev_remove(other[i]);
}

static void apart_exchange(struct __test_metadata *_metadata, struct apart *a)
{
	ASSERT_EQ(0, vslice_move(a->uuid, 0, a->middle));
	ASSERT_EQ(0, vslice_move(a->uuid, 1, a->end[0]));
	ASSERT_EQ(0, vslice_move(a->uuid, 0, a->end[1]));
}

/* Each vslice is far from its memory, and nearest to it where the other one is */
TEST_TIMEOUT(permutes_its_own_slices, 90)
{
	static const char *const texts[] = { "engines=compute,copy", "engines=all" };
	struct apart a;
	struct ring r[2];
	unsigned int i, round, step;
	int ret = -ENOMEM;

	mdev_remove_all();
	apart_begin(_metadata, &a);
	for (i = 0; i < 2; i++)
		ring_start(&r[i], &a.v, i);
	/* First each step of it fails; in the second round its slices are dedicated ones */
	for (round = 0; round < 2; round++) {
		apart_exchange(_metadata, &a);
		for (step = 1; ret == -ENOMEM && step < 100; step++) {
			ASSERT_EQ(0, fail_at(round ? 0 : step));
			ret = mdev_attr_write(a.uuid, "blueprint", texts[round]);
			EXPECT_EQ(0, fail_at(0));
			if (ret)
				EXPECT_EQ(a.end[1], vslice_get(a.uuid, 0, "slice"));
		}
		TH_LOG("%u steps failed; last_error: %s", step - 2,
		       mdev_attr(a.uuid, "last_error"));
		ASSERT_EQ(0, ret);
		for (i = 0; i < 2; i++) {
			EXPECT_EQ(a.end[i], vslice_get(a.uuid, i, "slice"));
			ring_fill(&r[i], DATA_GPA + i * PAGE, PAGE, 0x900d + round);
			EXPECT_EQ(0, ring_finish(&r[i]));
			EXPECT_EQ(0x900d + round, *(uint32_t *)ram_at(&a.v, DATA_GPA + i * PAGE));
		}
		ret = -ENOMEM;
	}
	vgpu_close(&a.v);
	mdev_remove_all();
}

/* ---- writers, and a VMM that dies ---- */

#define WRITERS 4

static const char *const shapes[] = { "slices=1 kind=compute", "slices=2 kind=mixed",  "slices=4",
				      "slices=3 kind=any",     "kind=render slices=2", NULL };
static const int may[] = { -ENOSPC, 0 };

TEST_F_TIMEOUT(open, concurrent_writers, 90)
{
	unsigned int i, jobs = 0, done = 0;
	struct writer w[WRITERS];

	start_work(_metadata, self);
	for (i = 0; i < WRITERS; i++) {
		w[i] = (struct writer){
			.uuid = self->uuid, .shapes = shapes, .may = may, .seed = i + 1
		};
		ASSERT_EQ(0, writer_start(&w[i], 3000));
	}
	for (i = 0; i < WRITERS; i++) {
		EXPECT_EQ(0, writer_end(&w[i]));
		done += w[i].done;
	}
	expect_progress(_metadata, self);
	end_work(_metadata, self);
	for (i = 0; i < VSLICES; i++)
		jobs += self->w[i].jobs;
	TH_LOG("%u changes, %u jobs", done, jobs);
	EXPECT_LT(WRITERS, done);
	change(_metadata, self, "slices=2 kind=compute");
	expect_shape(_metadata, self, 2, TESS_KIND_COMPUTE);
}

TEST_F_TIMEOUT(open, killed_in_the_middle, 90)
{
	unsigned int round, alive;

	close(self->event);
	self->event = -1;
	vgpu_close(&self->v);
	for (round = 0; round < 4; round++) {
		struct writer w = {
			.uuid = self->uuid, .shapes = shapes, .may = may, .seed = round + 1
		};
		struct ring r;
		pid_t pid;

		ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint",
					     "slices=4 min=1 max=4 kind=compute"));
		pid = vmm_start(self->uuid);
		ASSERT_LT(0, pid);
		ASSERT_EQ(0, writer_start(&w, WRITE_ON));
		ASSERT_TRUE(writer_goes(&w));
		usleep(61000 * round);
		vmm_kill(pid);
		usleep(200000);
		EXPECT_EQ(0, writer_stop(&w));
		/* It is as good as new, whatever its shape */
		ASSERT_EQ(0, vmm_open_again(&self->v, self->uuid));
		ASSERT_EQ(1, sscanf(mdev_attr(self->uuid, "blueprint"), "slices=%u", &alive));
		EXPECT_EQ(self->slices_free - alive, pool_value("slices_free"));
		EXPECT_EQ(0, client_reg32(&self->v, alive - 1, TESS_SREG_CONTROL));
		ring_start(&r, &self->v, alive - 1);
		ring_fill(&r, DATA_GPA, PAGE, round);
		EXPECT_EQ(0, ring_finish(&r));
		vgpu_close(&self->v);
		EXPECT_EQ(0, mdev_stat(self->uuid, "pinned_pages"));
	}
}

TEST_HARNESS_MAIN
