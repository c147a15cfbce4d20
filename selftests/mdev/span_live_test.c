// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vGPUs with slices of two GPUs that get another shape while a VMM has them open and their guest
 * works; needs two GPUs.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../lib/harness.h"
#include "crew.h"
#include "gpus.h"
#include "uevent.h"
#include "vgpu.h"
#include "writer.h"

#define VSLICES 6
#define SPAN "slices=4 min=2 max=6 kind=compute memory=0 gpus=2"
#define POLL_MS 10000
#define CHANGES 50

FIXTURE(live)
{
	struct pair p;
	struct tess_composition *page;
	struct crew crew;
	long long faults;
};

static void open_vgpu(struct __test_metadata *_metadata, struct __fixture_live *self)
{
	ASSERT_EQ(0, pair_open(&self->p));
	self->page = vgpu_mmap(&self->p.v, TESS_BAR_REGS, TESS_COMPOSITION_PAGE, PAGE);
	ASSERT_NE(MAP_FAILED, self->page);
}

FIXTURE_SETUP(live)
{
	int ret = pair_begin(&self->p);

	if (ret == -ENODEV)
		SKIP(return, "needs two GPUs");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, mdev_create("blank", self->p.uuid));
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "blueprint", SPAN));
	open_vgpu(_metadata, self);
}

FIXTURE_TEARDOWN(live)
{
	EXPECT_TRUE(pair_end(&self->p));
}

static int write_blueprint(struct __fixture_live *self, const char *text)
{
	return mdev_attr_write(self->p.uuid, "blueprint", text);
}

static bool says(struct __fixture_live *self, const char *attr, const char *want)
{
	const char *got = mdev_attr(self->p.uuid, attr);

	if (!strncmp(got, want, strlen(want)))
		return true;
	printf("# %s \"%s\" does not begin with \"%s\"\n", attr, got, want);
	return false;
}

/* ---- what the guest sees ---- */

/* One reading of the page, as a guest does it; false: it never came to rest */
static bool read_page(const struct tess_composition *page, struct tess_composition *copy)
{
	const volatile __le64 *seq = &page->seq;
	unsigned int tries;

	for (tries = 0; tries < 1000; tries++) {
		uint64_t before = *seq;

		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		memcpy(copy, page, sizeof(*copy));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(before & 1) && *seq == before)
			return true;
	}
	return false;
}

/* Each GPU has three vslices, and the first ones of these are given */
static uint64_t mask_of(unsigned int first, unsigned int second)
{
	return ((1ULL << first) - 1) | ((1ULL << second) - 1) << VSLICES / 2;
}

static void expect_shape(struct __test_metadata *_metadata, struct __fixture_live *self,
			 unsigned int home, unsigned int away, uint32_t kind)
{
	struct tess_composition page;
	uint32_t engines = 0;
	unsigned int i;
	char text[32];

	ASSERT_TRUE(read_page(self->page, &page));
	EXPECT_EQ(reg64(&self->p.v, TESS_REG_GENERATION), page.generation);
	EXPECT_EQ(VSLICES, page.slice_count);
	EXPECT_EQ(mask_of(home, away), page.slice_mask);
	EXPECT_EQ(page.slice_mask, reg64(&self->p.v, TESS_REG_SLICE_MASK));
	for (i = 0; i < VSLICES; i++) {
		const struct tess_composition_slice *s = &page.slice[i];
		bool given = page.slice_mask >> i & 1;

		EXPECT_EQ(given ? kind : TESS_KIND_NONE, s->kind);
		EXPECT_EQ(s->kind, client_reg32(&self->p.v, i, TESS_SREG_KIND));
		EXPECT_EQ(s->engines, client_reg32(&self->p.v, i, TESS_SREG_ENGINES));
		if (given)
			EXPECT_EQ(i < VSLICES / 2 ? self->p.home : self->p.away, s->gpu);
		engines |= s->engines;
	}
	EXPECT_EQ(engines, page.engines);
	EXPECT_EQ(home, slices_taken(&self->p.books, self->p.home) - self->p.crowd.nr);
	EXPECT_EQ(away, slices_taken(&self->p.books, self->p.away));
	snprintf(text, sizeof(text), "slices=%u min=2 max=6 ", home + away);
	EXPECT_TRUE(says(self, "blueprint", text));
}

/* Write a blueprint that works: one generation, one interrupt */
static void change(struct __test_metadata *_metadata, struct __fixture_live *self, const char *text)
{
	uint64_t gen = reg64(&self->p.v, TESS_REG_GENERATION);

	ASSERT_EQ(0, write_blueprint(self, text));
	EXPECT_EQ(1, eventfd_wait(self->p.event, 5000));
	EXPECT_EQ(1, reg64(&self->p.v, TESS_REG_EVENT_PENDING));
	reg64_write(&self->p.v, TESS_REG_EVENT_PENDING, 1);
	EXPECT_EQ(gen + 1, reg64(&self->p.v, TESS_REG_GENERATION));
	EXPECT_TRUE(says(self, "last_error", "none"));
}

static void start_work(struct __test_metadata *_metadata, struct __fixture_live *self)
{
	self->faults = mdev_stat(self->p.uuid, "client_faults");
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	EXPECT_TRUE(crew_goes_on(&self->crew));
}

static void end_work(struct __test_metadata *_metadata, struct __fixture_live *self)
{
	const char *wrong;

	EXPECT_TRUE(crew_goes_on(&self->crew));
	wrong = crew_end(&self->crew);
	TH_LOG("%s; %u jobs", wrong ?: "all right", crew_jobs(&self->crew));
	EXPECT_EQ(NULL, wrong);
	EXPECT_EQ(self->faults, mdev_stat(self->p.uuid, "client_faults"));
}

TEST_F_TIMEOUT(live, shrink_and_grow, 120)
{
	static const struct {
		const char *text;
		unsigned int home, away;
		uint32_t kind;
	} steps[] = {
		{ "slices=6", 3, 3, TESS_KIND_COMPUTE },
		{ "slices=2", 1, 1, TESS_KIND_COMPUTE },
		{ "slices=4 topology=ring", 2, 2, TESS_KIND_COMPUTE },
		{ "kind=mixed", 2, 2, TESS_KIND_MIXED },
		{ "kind=render slices=2", 1, 1, TESS_KIND_RENDER },
		{ "kind=compute slices=6 topology=mesh", 3, 3, TESS_KIND_COMPUTE },
		{ "engines=compute,copy", 3, 3, TESS_KIND_COMPUTE },
	};
	size_t i;

	expect_shape(_metadata, self, 2, 2, TESS_KIND_COMPUTE);
	start_work(_metadata, self);
	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		change(_metadata, self, steps[i].text);
		expect_shape(_metadata, self, steps[i].home, steps[i].away, steps[i].kind);
		EXPECT_TRUE(crew_goes_on(&self->crew));
	}
	end_work(_metadata, self);
}

/* Shares follow what is free, as far as each part has vslices */
TEST_F_TIMEOUT(live, where_there_is_room, 60)
{
	change(_metadata, self, "slices=2");
	ASSERT_TRUE(crowd_home(&self->p.crowd, 0));
	start_work(_metadata, self);
	change(_metadata, self, "slices=4");
	expect_shape(_metadata, self, 1, 3, TESS_KIND_COMPUTE);
	EXPECT_TRUE(crew_goes_on(&self->crew));
	EXPECT_EQ(-ENOSPC, write_blueprint(self, "slices=5"));
	EXPECT_TRUE(says(self, "last_error", "ENOSPC: gpus=2: its GPUs have "));
	expect_shape(_metadata, self, 1, 3, TESS_KIND_COMPUTE);
	ASSERT_TRUE(crowd_leaves(&self->p.crowd));
	change(_metadata, self, "slices=5");
	EXPECT_EQ(5, slices_taken(&self->p.books, self->p.home) +
			     slices_taken(&self->p.books, self->p.away));
	end_work(_metadata, self);
}

/* Also while nobody has it open: what it has stays, so nothing more is needed */
TEST_F_TIMEOUT(live, closed, 60)
{
	uint64_t gen = reg64(&self->p.v, TESS_REG_GENERATION);

	pair_close(&self->p);
	ASSERT_TRUE(crowd_home(&self->p.crowd, 0));
	ASSERT_EQ(0, write_blueprint(self, "engines=compute,copy topology=ring"));
	ASSERT_EQ(0, write_blueprint(self, "slices=5"));
	open_vgpu(_metadata, self);
	EXPECT_EQ(gen + 2, reg64(&self->p.v, TESS_REG_GENERATION));
	expect_shape(_metadata, self, 2, 3, TESS_KIND_COMPUTE);
	start_work(_metadata, self);
	end_work(_metadata, self);
	pair_close(&self->p);
	/* Another frame is another composition, for which there is no room */
	EXPECT_EQ(-ENOSPC, write_blueprint(self, "slices=6 max=8"));
	open_vgpu(_metadata, self);
	expect_shape(_metadata, self, 2, 3, TESS_KIND_COMPUTE);
	ASSERT_TRUE(crowd_leaves(&self->p.crowd));
}

/* ---- at work ---- */

/**
 * struct watcher - a guest that looks at its page all the time
 * @page: page
 * @first: generation at the start
 * @mask: slices by generation from there on, 0: it did not see that one
 * @stop: set to end it
 * @wrong: what was wrong, NULL: nothing
 */
struct watcher {
	const struct tess_composition *page;
	uint64_t first;
	uint64_t mask[CHANGES + 1];
	bool stop;
	const char *wrong;
};

/* A generation is one composition, whenever one looks */
static void *watch(void *arg)
{
	struct watcher *w = arg;
	struct tess_composition page;
	uint64_t at, last = w->first;

	while (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE) && !w->wrong) {
		if (!read_page(w->page, &page))
			continue;
		at = page.generation - w->first;
		if (page.generation < last)
			w->wrong = "an older generation";
		else if (at > CHANGES)
			w->wrong = "more generations than changes";
		else if (w->mask[at] && w->mask[at] != page.slice_mask)
			w->wrong = "two compositions of one generation";
		else
			w->mask[at] = page.slice_mask;
		last = page.generation;
	}
	return NULL;
}

TEST_F_TIMEOUT(live, at_work, 300)
{
	static const char *const kinds[] = { "compute", "compute", "mixed" };
	uint64_t mask[CHANGES + 1] = { 0 };
	unsigned int i, seen = 0, seed = 50;
	struct watcher w = { 0 };
	pthread_t thread;
	char text[64];
	long longest = 0;

	w.page = self->page;
	w.first = reg64(&self->p.v, TESS_REG_GENERATION);
	ASSERT_EQ(0, pthread_create(&thread, NULL, watch, &w));
	start_work(_metadata, self);
	for (i = 1; i <= CHANGES; i++) {
		unsigned int slices = 2 + rand_r(&seed) % 5;
		long start = now_ms();

		/* Of the mixed ones there are two on each GPU, which the host uses, too */
		snprintf(text, sizeof(text), "slices=%u kind=%s", slices,
			 slices > 4 ? "compute" : kinds[rand_r(&seed) % 3]);
		change(_metadata, self, text);
		if (now_ms() - start > longest)
			longest = now_ms() - start;
		mask[i] = reg64(&self->p.v, TESS_REG_SLICE_MASK);
		EXPECT_EQ(slices, __builtin_popcountll(mask[i]));
		EXPECT_EQ(slices,
			  slices_taken(&self->p.books, 0) + slices_taken(&self->p.books, 1));
		if (i % 5 == 0)
			EXPECT_TRUE(crew_goes_on(&self->crew));
	}
	end_work(_metadata, self);
	__atomic_store_n(&w.stop, true, __ATOMIC_RELEASE);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(NULL, w.wrong);
	for (i = 1; i <= CHANGES; i++) {
		seen += !!w.mask[i];
		if (w.mask[i])
			EXPECT_EQ(mask[i], w.mask[i]);
	}
	TH_LOG("%u changes, the guest saw %u; %ld ms at most", CHANGES, seen, longest);
	EXPECT_LT(CHANGES / 2, seen);
}

/* ---- refused, or failing in the middle ---- */

TEST_F_TIMEOUT(live, refusals, 60)
{
	static const struct {
		const char *text;
		int error;
		const char *why;
	} refusals[] = {
		{ "max=7", -EBUSY, "EBUSY: max=7: it is in use and has 6 vslices" },
		{ "gpus=1", -EBUSY, "EBUSY: gpus=1: it is in use and has slices of 2" },
		{ "memory=2M", -EOPNOTSUPP, "EOPNOTSUPP: gpus=2: memory=0 is needed" },
		{ "share=shared", -EOPNOTSUPP, "EOPNOTSUPP: gpus=2: share=exclusive is needed" },
		{ "policy=auto", -EOPNOTSUPP, "EOPNOTSUPP: gpus=2: policy=manual is needed" },
		{ "slices=7", -EINVAL, "EINVAL: column 1: max=6 is less than slices=7" },
		{ "min=1", -EINVAL, "EINVAL: column 1: gpus=2 is more than min=1" },
		{ "none", -EBUSY, "EBUSY: it is in use" },
	};
	uint64_t gen = reg64(&self->p.v, TESS_REG_GENERATION);
	char path[256];
	size_t i;

	start_work(_metadata, self);
	for (i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		EXPECT_EQ(refusals[i].error, write_blueprint(self, refusals[i].text));
		EXPECT_TRUE(says(self, "last_error", refusals[i].why));
		EXPECT_EQ(gen, reg64(&self->p.v, TESS_REG_GENERATION));
	}
	/* Nobody changes one part alone */
	for (i = 0; i < GPUS; i++) {
		snprintf(path, sizeof(path), "/sys/class/tessera/gpu%zu/vgpus/%s/policy", i,
			 self->p.uuid);
		EXPECT_EQ(-EOPNOTSUPP, file_write(path, "auto"));
	}
	EXPECT_EQ(0, eventfd_wait(self->p.event, 0));
	expect_shape(_metadata, self, 2, 2, TESS_KIND_COMPUTE);
	end_work(_metadata, self);
}

/* Write a blueprint and let its steps fail, one after the other; number of failures */
static unsigned int fail_all_steps(struct __test_metadata *_metadata, struct __fixture_live *self,
				   const char *text)
{
	uint64_t gen = reg64(&self->p.v, TESS_REG_GENERATION);
	uint64_t mask = reg64(&self->p.v, TESS_REG_SLICE_MASK);
	unsigned int step,
		on[GPUS] = { slices_taken(&self->p.books, 0), slices_taken(&self->p.books, 1) };
	char number[16];
	int ret = -1;

	for (step = 1; step < 200; step++) {
		snprintf(number, sizeof(number), "%u", step);
		ASSERT_EQ(0, compose_fail(number));
		ret = write_blueprint(self, text);
		EXPECT_EQ(0, compose_fail("0"));
		if (!ret)
			break;
		EXPECT_EQ(-ENOMEM, ret);
		EXPECT_TRUE(says(self, "last_error", "ENOMEM: out of memory"));
		EXPECT_EQ(gen, reg64(&self->p.v, TESS_REG_GENERATION));
		EXPECT_EQ(mask, reg64(&self->p.v, TESS_REG_SLICE_MASK));
		EXPECT_EQ(0, eventfd_wait(self->p.event, 0));
		EXPECT_EQ(on[0], slices_taken(&self->p.books, 0));
		EXPECT_EQ(on[1], slices_taken(&self->p.books, 1));
		if (step % 4 == 0)
			EXPECT_TRUE(crew_goes_on(&self->crew));
	}
	EXPECT_EQ(0, ret);
	EXPECT_EQ(1, eventfd_wait(self->p.event, 5000));
	EXPECT_EQ(gen + 1, reg64(&self->p.v, TESS_REG_GENERATION));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	return step - 1;
}

TEST_F_TIMEOUT(live, every_step_fails, 240)
{
	unsigned int grow, shrink, other;

	start_work(_metadata, self);
	grow = fail_all_steps(_metadata, self, "slices=6");
	expect_shape(_metadata, self, 3, 3, TESS_KIND_COMPUTE);
	shrink = fail_all_steps(_metadata, self, "slices=2");
	expect_shape(_metadata, self, 1, 1, TESS_KIND_COMPUTE);
	other = fail_all_steps(_metadata, self, "slices=4 kind=mixed");
	expect_shape(_metadata, self, 2, 2, TESS_KIND_MIXED);
	end_work(_metadata, self);
	TH_LOG("failures: %u growing, %u shrinking, %u of another kind", grow, shrink, other);
	/* Of each part its slices are reserved, its links set, and it is done */
	EXPECT_LE(2 * (3 + 3 + 1), grow);
	EXPECT_LE(2 * (1 + 3 + 1), shrink);
	EXPECT_LE(2 * (2 + 3 + 3 + 1), other);
}

/* As many slices as vslices, for life: what runs without the scheduler goes back, too */
TEST_F_TIMEOUT(live, of_one_number, 120)
{
	unsigned int failures;

	pair_close(&self->p);
	ASSERT_EQ(0, write_blueprint(self, "slices=4 min=4 max=4"));
	open_vgpu(_metadata, self);
	EXPECT_EQ(4, self->p.v.vslices);
	start_work(_metadata, self);
	failures = fail_all_steps(_metadata, self, "kind=mixed");
	TH_LOG("%u steps can fail", failures);
	EXPECT_EQ(0xf, reg64(&self->p.v, TESS_REG_SLICE_MASK));
	/* And fewer than it was made for */
	ASSERT_EQ(0, write_blueprint(self, "slices=2 kind=compute"));
	EXPECT_EQ(0x5, reg64(&self->p.v, TESS_REG_SLICE_MASK));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	ASSERT_EQ(0, write_blueprint(self, "slices=4"));
	EXPECT_EQ(0xf, reg64(&self->p.v, TESS_REG_SLICE_MASK));
	end_work(_metadata, self);
}

/* ---- what the pool says ---- */

/* Are those told who count what the two GPUs have left? In any order, after it is so */
static void expect_told(struct __test_metadata *_metadata, struct __fixture_live *self, int fd,
			unsigned int home, unsigned int away)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool told[GPUS] = { false };
	long end = now_ms() + POLL_MS * patience();
	char buf[4096];

	while (!(told[0] && told[1]) && now_ms() < end && poll(&p, 1, POLL_MS) == 1) {
		const char *name;
		ssize_t n = recv(fd, buf, sizeof(buf) - 1, 0);
		unsigned int i;

		buf[n < 0 ? 0 : n] = 0;
		name = strrchr(buf, '/');
		for (i = 0; name && i < GPUS; i++)
			if (!strncmp(buf, "change@", 7) && !strcmp(name + 1, self->p.pci[i]))
				told[i] |= slices_taken(&self->p.books, i) ==
					   (i == self->p.home ? home : away);
	}
	EXPECT_TRUE(told[self->p.home]);
	EXPECT_TRUE(told[self->p.away]);
}

TEST_F_TIMEOUT(live, parents_are_told, 60)
{
	int fd = event_socket();
	char other[37];

	ASSERT_LE(0, fd);
	change(_metadata, self, "slices=6");
	expect_told(_metadata, self, fd, 3, 3);
	pair_close(&self->p);
	ASSERT_EQ(0, write_blueprint(self, "none"));
	expect_told(_metadata, self, fd, 0, 0);
	ASSERT_EQ(0, write_blueprint(self, SPAN));
	expect_told(_metadata, self, fd, 2, 2);
	ASSERT_EQ(0, mdev_remove(self->p.uuid));
	expect_told(_metadata, self, fd, 0, 0);
	/* And of one GPU that goes to the other, and is removed there */
	ASSERT_EQ(0, mdev_create("C1", other));
	EXPECT_TRUE(event_comes(fd, self->p.pci[self->p.home], NULL));
	ASSERT_EQ(0, mdev_attr_write(other, "gpu", gpu_name_of(self->p.away)));
	expect_told(_metadata, self, fd, 0, 1);
	close(fd);
	fd = event_socket();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, mdev_remove(other));
	EXPECT_TRUE(event_comes(fd, self->p.pci[self->p.away], NULL));
	EXPECT_EQ(0, slices_taken(&self->p.books, self->p.away));
	close(fd);
}

/* ---- several at once, and a GPU that goes ---- */

static const char *const shapes[] = { "slices=2", "slices=3", "slices=4",
				      "slices=5", "slices=6", NULL };
static const int may[] = { -ENOSPC, -ENODEV, 0 };

/* Two vGPUs of the same GPUs change, and one of them by two writers */
TEST_F_TIMEOUT(live, writers, 90)
{
	struct writer w[3];
	unsigned int i;
	char other[37];

	ASSERT_EQ(0, mdev_create("blank", other));
	ASSERT_EQ(0, mdev_attr_write(other, "blueprint", SPAN " topology=ring"));
	start_work(_metadata, self);
	for (i = 0; i < 3; i++) {
		w[i] = (struct writer){
			.uuid = i == 2 ? other : self->p.uuid,
			.shapes = shapes,
			.may = may,
			.seed = i + 1,
		};
		ASSERT_EQ(0, writer_start(&w[i], 3000));
	}
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, writer_end(&w[i]));
		EXPECT_LT(0, w[i].done);
	}
	end_work(_metadata, self);
	TH_LOG("%u, %u and %u changes", w[0].done, w[1].done, w[2].done);
}

TEST_F_TIMEOUT(live, gpu_goes_meanwhile, 120)
{
	struct writer w = { .uuid = self->p.uuid, .shapes = shapes, .may = may, .seed = 7 };

	start_work(_metadata, self);
	ASSERT_EQ(0, writer_start(&w, WRITE_ON));
	ASSERT_TRUE(writer_goes(&w));
	usleep(200000);
	ASSERT_EQ(0, gpu_unbind(self->p.pci[self->p.away]));
	EXPECT_EQ(0, writer_stop(&w));
	EXPECT_EQ(0xffffffff, reg32(&self->p.v, TESS_REG_ID));
	EXPECT_EQ(0, mdev_stat(self->p.uuid, "pinned_pages"));
	crew_stop(&self->crew);
	pair_close(&self->p);
	ASSERT_EQ(0, gpu_bind(self->p.pci[self->p.away]));
	ASSERT_EQ(0, write_blueprint(self, SPAN));
	open_vgpu(_metadata, self);
	start_work(_metadata, self);
	change(_metadata, self, "slices=6");
	end_work(_metadata, self);
}

TEST_HARNESS_MAIN
