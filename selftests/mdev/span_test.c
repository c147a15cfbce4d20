// SPDX-License-Identifier: GPL-2.0-or-later
/* vGPUs with slices of two GPUs; needs two */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/harness.h"
#include "crew.h"
#include "gpus.h"
#include "log.h"
#include "vgpu.h"
#include "vmm.h"

#define SPAN "slices=4 kind=compute memory=0 gpus=2"
#define DEAD 0xffffffff

static bool begins(const char *want, const char *got)
{
	if (!strncmp(want, got, strlen(want)))
		return true;
	printf("# \"%s\" does not begin with \"%s\"\n", got, want);
	return false;
}

FIXTURE(span)
{
	struct pair p;
	struct crew crew;
};

FIXTURE_SETUP(span)
{
	int ret = pair_begin(&self->p);

	if (ret == -ENODEV)
		SKIP(return, "needs two GPUs");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, mdev_create("blank", self->p.uuid));
}

FIXTURE_TEARDOWN(span)
{
	EXPECT_TRUE(pair_end(&self->p));
}

static int write_blueprint(struct __fixture_span *self, const char *text)
{
	return mdev_attr_write(self->p.uuid, "blueprint", text);
}

/* ---- what the guest and the host see ---- */

static void expect_page(struct __test_metadata *_metadata, struct __fixture_span *self)
{
	const struct tess_composition *page;
	unsigned int i, on[GPUS] = { 0 };

	page = vgpu_mmap(&self->p.v, TESS_BAR_REGS, TESS_COMPOSITION_PAGE, PAGE);
	ASSERT_NE(MAP_FAILED, page);
	EXPECT_EQ(TESS_COMPOSITION_MAGIC, page->magic);
	EXPECT_EQ(4, page->slice_count);
	EXPECT_EQ(0xf, page->slice_mask);
	EXPECT_EQ(0, page->vram_size);
	EXPECT_EQ(TESS_TOPOLOGY_MESH, page->topology);
	for (i = 0; i < 4; i++) {
		ASSERT_GT(GPUS, page->slice[i].gpu);
		on[page->slice[i].gpu]++;
		EXPECT_EQ(TESS_KIND_COMPUTE, page->slice[i].kind);
		EXPECT_EQ(TESS_KIND_COMPUTE, client_reg32(&self->p.v, i, TESS_SREG_KIND));
		EXPECT_EQ(0, page->slice[i].bank_size);
		/* Links are within a GPU, whose vslices follow each other */
		EXPECT_EQ(i < 2 ? 0x3 : 0xc, page->slice[i].links);
		EXPECT_EQ(page->slice[i & 2].gpu, page->slice[i].gpu);
	}
	EXPECT_EQ(2, on[0]);
	EXPECT_EQ(2, on[1]);
}

TEST_F_TIMEOUT(span, composed, 60)
{
	char text[256], line[64];
	uint64_t gen;

	ASSERT_EQ(0, write_blueprint(self, SPAN));
	EXPECT_STREQ("none", mdev_attr(self->p.uuid, "last_error"));
	EXPECT_STREQ("slices=4 min=4 max=4 kind=compute memory=0 topology=mesh engines=all "
		     "heads=0 share=exclusive policy=manual gpus=2",
		     mdev_attr(self->p.uuid, "blueprint"));
	snprintf(text, sizeof(text), "%s %s", gpu_name_of(self->p.home), gpu_name_of(self->p.away));
	EXPECT_STREQ(text, mdev_attr(self->p.uuid, "gpu"));
	EXPECT_EQ(2, slices_taken(&self->p.books, 0));
	EXPECT_EQ(2, slices_taken(&self->p.books, 1));
	snprintf(line, sizeof(line), "slice 3: gpu=%u ", self->p.away);
	EXPECT_TRUE(strstr(mdev_attr(self->p.uuid, "composition"), line));
	EXPECT_TRUE(strstr(mdev_attr(self->p.uuid, "profile"), "slices=4"));
	ASSERT_EQ(0, pair_open(&self->p));
	EXPECT_EQ(4, self->p.v.vslices);
	EXPECT_EQ(0xf, reg64(&self->p.v, TESS_REG_SLICE_MASK));
	EXPECT_EQ(0, reg64(&self->p.v, TESS_REG_VRAM_SIZE));
	expect_page(_metadata, self);
	gen = reg64(&self->p.v, TESS_REG_GENERATION);
	pair_close(&self->p);
	/* Other shapes, of two GPUs and of one, while nobody has it open */
	ASSERT_EQ(0, write_blueprint(self, "slices=3 topology=ring"));
	EXPECT_EQ(3, slices_taken(&self->p.books, 0) + slices_taken(&self->p.books, 1));
	ASSERT_EQ(0, write_blueprint(self, "slices=2 gpus=1 memory=2M"));
	EXPECT_EQ(2, slices_taken(&self->p.books, self->p.home));
	EXPECT_EQ(0, slices_taken(&self->p.books, self->p.away));
	EXPECT_STREQ(gpu_name_of(self->p.home), mdev_attr(self->p.uuid, "gpu"));
	ASSERT_EQ(0, write_blueprint(self, "gpus=2 memory=0"));
	ASSERT_EQ(0, pair_open(&self->p));
	EXPECT_LT(gen, reg64(&self->p.v, TESS_REG_GENERATION));
	pair_close(&self->p);
	ASSERT_EQ(0, write_blueprint(self, "none"));
	EXPECT_STREQ("none", mdev_attr(self->p.uuid, "gpu"));
	EXPECT_TRUE(books_balance(&self->p.books));
}

/* ---- work ---- */

TEST_F_TIMEOUT(span, works, 90)
{
	const char *wrong;

	ASSERT_EQ(0, write_blueprint(self, SPAN));
	ASSERT_EQ(0, pair_open(&self->p));
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	/* Whoever is moved within its GPU is told of it, and works on */
	wrong = crew_end(&self->crew);
	EXPECT_EQ(NULL, wrong);
	TH_LOG("%s; %u jobs", wrong ?: "all right", crew_jobs(&self->crew));
	EXPECT_LT(0, mdev_stat(self->p.uuid, "pinned_pages"));
	EXPECT_EQ(0, mdev_stat(self->p.uuid, "client_faults"));
	/* One that is reset does not touch the others, nor their GPU */
	reg32_write(&self->p.v, TESS_REG_RESET, TESS_RESET_KEY);
	EXPECT_EQ(0, mdev_stat(self->p.uuid, "pinned_pages"));
	EXPECT_EQ(0, client_reg64(&self->p.v, 3, TESS_SREG_WPTR));
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	EXPECT_EQ(NULL, crew_end(&self->crew));
}

/* Slices of both read what the other has written, and wait for each other in memory */
TEST_F_TIMEOUT(span, together, 60)
{
	uint32_t *data, *flag;
	struct ring a, b;

	ASSERT_EQ(0, write_blueprint(self, "slices=2 kind=compute memory=0 gpus=2"));
	ASSERT_EQ(0, pair_open(&self->p));
	data = ram_at(&self->p.v, DATA_GPA);
	flag = ram_at(&self->p.v, DATA_GPA + 64 * PAGE);
	ring_start(&a, &self->p.v, 0);
	ring_start(&b, &self->p.v, 1);
	ring_await(&b, DATA_GPA + 64 * PAGE);
	ring_copy(&b, DATA_GPA + 8 * PAGE, DATA_GPA, PAGE);
	ring_fence(&b, false);
	usleep(50000);
	EXPECT_EQ(0, b.rec->seq);
	ring_fill(&a, DATA_GPA, PAGE, 0xabcd1234);
	EXPECT_EQ(0, ring_finish(&a));
	__atomic_store_n(flag, 1, __ATOMIC_RELEASE);
	EXPECT_EQ(0, ring_wait(&b));
	EXPECT_EQ(0xabcd1234, data[8 * PAGE / 4]);
	EXPECT_EQ(0xabcd1234, data[9 * PAGE / 4 - 1]);
}

TEST_F_TIMEOUT(span, interrupts, 60)
{
	struct ring r;
	unsigned int i;
	int fd;

	ASSERT_EQ(0, write_blueprint(self, SPAN));
	ASSERT_EQ(0, pair_open(&self->p));
	fd = vgpu_eventfd(&self->p.v, TESS_IRQ_COMPLETION);
	ASSERT_LE(0, fd);
	for (i = 0; i < 4; i++) {
		while (eventfd_wait(fd, 0))
			;
		ring_start(&r, &self->p.v, i);
		r.rec->event = 1;
		ring_fill(&r, DATA_GPA, PAGE, i);
		ring_fence(&r, true);
		EXPECT_LE(1, eventfd_wait(fd, 5000));
		EXPECT_EQ(0, ring_wait(&r));
	}
	close(fd);
}

/* Each vslice faults by itself, under the number that the guest knows */
TEST_F_TIMEOUT(span, faults, 60)
{
	struct ring r[4];
	unsigned int i;
	int fd;

	ASSERT_EQ(0, write_blueprint(self, SPAN));
	ASSERT_EQ(0, pair_open(&self->p));
	fd = vgpu_eventfd(&self->p.v, TESS_IRQ_FAULT);
	ASSERT_LE(0, fd);
	for (i = 0; i < 4; i++)
		ring_start(&r[i], &self->p.v, i);
	/* There is no memory, and no VRAM */
	ring_fill(&r[3], RAM_GPA + RAM_SIZE, PAGE, 1);
	ring_fence(&r[3], false);
	ASSERT_LT(0, wait_fault(&self->p.v, 3));
	EXPECT_LE(1, eventfd_wait(fd, 5000));
	EXPECT_EQ(1 << 3, reg64(&self->p.v, TESS_REG_FAULT_PENDING));
	ring_fill(&r[0], VRAM(0), PAGE, 1);
	ring_fence(&r[0], false);
	ASSERT_LT(0, wait_fault(&self->p.v, 0));
	EXPECT_LE(1, eventfd_wait(fd, 5000));
	EXPECT_EQ(1 << 3 | 1, reg64(&self->p.v, TESS_REG_FAULT_PENDING));
	for (i = 1; i < 3; i++) {
		ring_fill(&r[i], DATA_GPA, PAGE, i);
		EXPECT_EQ(0, ring_finish(&r[i]));
	}
	ring_reset(&r[3]);
	EXPECT_EQ(1, reg64(&self->p.v, TESS_REG_FAULT_PENDING));
	ring_start(&r[3], &self->p.v, 3);
	ring_fill(&r[3], DATA_GPA, PAGE, 3);
	EXPECT_EQ(0, ring_finish(&r[3]));
	close(fd);
}

/* What the VMM takes away, no GPU reaches any more */
TEST_F_TIMEOUT(span, memory_taken_away, 60)
{
	struct ring r[4];
	unsigned int i;

	ASSERT_EQ(0, write_blueprint(self, SPAN));
	ASSERT_EQ(0, pair_open(&self->p));
	for (i = 0; i < 4; i += 3) {
		ring_start(&r[i], &self->p.v, i);
		ring_fill(&r[i], DATA_GPA, PAGE, i);
		EXPECT_EQ(0, ring_finish(&r[i]));
	}
	EXPECT_LT(0, mdev_stat(self->p.uuid, "pinned_pages"));
	ASSERT_EQ(0, vgpu_unmap(&self->p.v, RAM_GPA, RAM_SIZE));
	EXPECT_EQ(0, mdev_stat(self->p.uuid, "pinned_pages"));
	pattern_fill(ram_at(&self->p.v, DATA_GPA), DATA_SIZE, 5);
	for (i = 0; i < 4; i += 3) {
		ring_fill(&r[i], DATA_GPA, PAGE, i);
		ring_fence(&r[i], false);
		EXPECT_LT(0, wait_fault(&self->p.v, i));
	}
	EXPECT_EQ(-1, pattern_check(ram_at(&self->p.v, DATA_GPA), DATA_SIZE, 5));
	EXPECT_EQ(0, mdev_stat(self->p.uuid, "pinned_pages"));
}

/* ---- refused, or failing in the middle ---- */

TEST_F_TIMEOUT(span, refusals, 60)
{
	static const struct {
		const char *text;
		int error;
		const char *why;
	} refusals[] = {
		{ "slices=2 gpus=2 memory=2M", -EOPNOTSUPP,
		  "EOPNOTSUPP: gpus=2: memory=0 is needed, one GPU does not reach the memory of another" },
		{ "slices=2 gpus=2", -EOPNOTSUPP,
		  "EOPNOTSUPP: gpus=2: memory=0 is needed, one GPU does not reach the memory of another" },
		{ "slices=2 gpus=2 memory=0 share=shared", -EOPNOTSUPP,
		  "EOPNOTSUPP: gpus=2: share=exclusive is needed" },
		{ "slices=2 gpus=2 memory=0 policy=auto", -EOPNOTSUPP,
		  "EOPNOTSUPP: gpus=2: policy=manual is needed" },
		{ "slices=2 gpus=2 memory=0 kind=render heads=1", -EOPNOTSUPP,
		  "EOPNOTSUPP: gpus=2: heads=0 is needed, they show memory of one GPU" },
		{ "slices=3 gpus=3 memory=0 kind=compute", -ENOSPC,
		  "ENOSPC: gpus=3: 2 alike give vGPUs, with " },
		{ "slices=64 gpus=2 memory=0", -ENOSPC,
		  "ENOSPC: gpus=2: 2 alike give vGPUs, with " },
		{ "slices=9 gpus=9 memory=0", -EOPNOTSUPP, "EOPNOTSUPP: gpus=9: at most 8" },
		{ "slices=1 gpus=2 memory=0", -EINVAL,
		  "EINVAL: column 10: gpus=2 is more than min=1" },
	};
	size_t i;

	for (i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		EXPECT_EQ(refusals[i].error, write_blueprint(self, refusals[i].text));
		EXPECT_TRUE(begins(refusals[i].why, mdev_attr(self->p.uuid, "last_error")));
		EXPECT_STREQ("none", mdev_attr(self->p.uuid, "blueprint"));
		EXPECT_TRUE(books_balance(&self->p.books));
	}
	/* One GPU has not enough, although both together have */
	ASSERT_TRUE(crowd_home(&self->p.crowd, 1));
	EXPECT_EQ(0, write_blueprint(self, SPAN));
	EXPECT_EQ(3, slices_taken(&self->p.books, self->p.away));
	ASSERT_EQ(0, write_blueprint(self, "none"));
	ASSERT_EQ(0, mdev_create("C1", self->p.crowd.uuid[self->p.crowd.nr++]));
	EXPECT_EQ(-ENOSPC, write_blueprint(self, SPAN));
	ASSERT_TRUE(crowd_leaves(&self->p.crowd));
}

TEST_F_TIMEOUT(span, refused_in_use, 60)
{
	static const struct {
		const char *attr, *text;
		int error;
		const char *why;
	} refusals[] = {
		{ "blueprint", "slices=5", -EBUSY, "EBUSY: max=5: it is in use and has 4 vslices" },
		{ "blueprint", "gpus=1", -EBUSY,
		  "EBUSY: gpus=1: it is in use and has slices of 2" },
		{ "blueprint", "none", -EBUSY, "EBUSY: it is in use" },
		{ "gpu", "0", -EOPNOTSUPP,
		  "EOPNOTSUPP: gpu: it is of several GPUs, which cannot move" },
		{ "weight", "200", -EOPNOTSUPP, NULL },
		{ "cap", "50", -EOPNOTSUPP, NULL },
		{ "policy", "auto", -EOPNOTSUPP, NULL },
	};
	size_t i;

	ASSERT_EQ(0, write_blueprint(self, SPAN));
	ASSERT_EQ(0, pair_open(&self->p));
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	for (i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		EXPECT_EQ(refusals[i].error,
			  mdev_attr_write(self->p.uuid, refusals[i].attr, refusals[i].text));
		if (refusals[i].why)
			EXPECT_STREQ(refusals[i].why, mdev_attr(self->p.uuid, "last_error"));
	}
	EXPECT_TRUE(crew_goes_on(&self->crew));
	EXPECT_EQ(NULL, crew_end(&self->crew));
	pair_close(&self->p);
	/* And one of one GPU does not get another while it is open */
	ASSERT_EQ(0, write_blueprint(self, "slices=2 gpus=1"));
	ASSERT_EQ(0, pair_open(&self->p));
	EXPECT_EQ(-EBUSY, write_blueprint(self, "gpus=2"));
	EXPECT_STREQ("EBUSY: gpus=2: it is in use and has slices of 1",
		     mdev_attr(self->p.uuid, "last_error"));
}

TEST_F_TIMEOUT(span, every_step_fails, 60)
{
	unsigned int step;
	char text[16];
	int ret = -1;

	for (step = 1; step < 100; step++) {
		snprintf(text, sizeof(text), "%u", step);
		ASSERT_EQ(0, compose_fail(text));
		ret = write_blueprint(self, SPAN);
		EXPECT_EQ(0, compose_fail("0"));
		if (!ret)
			break;
		EXPECT_EQ(-ENOMEM, ret);
		EXPECT_STREQ("ENOMEM: out of memory", mdev_attr(self->p.uuid, "last_error"));
		EXPECT_STREQ("none", mdev_attr(self->p.uuid, "blueprint"));
		EXPECT_TRUE(books_balance(&self->p.books));
	}
	EXPECT_EQ(0, ret);
	TH_LOG("%u steps can fail", step - 1);
	/* Of each part: its slices, their links, and the whole */
	EXPECT_EQ(2 * (2 + 2 + 1), step - 1);
	/* With one that there is: it stays */
	ASSERT_EQ(0, compose_fail("5"));
	EXPECT_EQ(-ENOMEM, write_blueprint(self, "slices=2"));
	EXPECT_EQ(4, slices_taken(&self->p.books, 0) + slices_taken(&self->p.books, 1));
	ASSERT_EQ(0, pair_open(&self->p));
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	EXPECT_EQ(NULL, crew_end(&self->crew));
}

/* ---- a GPU goes, or a VMM ---- */

static void lose(struct __test_metadata *_metadata, struct __fixture_span *self, bool pulled)
{
	const char *pci = self->p.pci[self->p.away];
	int mark;

	ASSERT_EQ(0, write_blueprint(self, SPAN));
	ASSERT_EQ(0, pair_open(&self->p));
	vmm_hang(&self->p.v);
	eventfd_wait(self->p.event, 0);
	mark = log_mark();
	if (pulled)
		ASSERT_EQ(0, gpu_answers(pci, false));
	ASSERT_EQ(0, gpu_unbind(pci));
	if (!pulled)
		EXPECT_TRUE(log_says(
			mark, "is about to go, and no other GPU has it: it is of several GPUs"));
	/* All of it is dead, and what it computes on the other GPU reaches nothing any more */
	EXPECT_LE(1, eventfd_wait(self->p.event, 5000));
	EXPECT_EQ(DEAD, reg32(&self->p.v, TESS_REG_ID));
	EXPECT_EQ(DEAD, client_reg32(&self->p.v, 0, TESS_SREG_STATUS));
	EXPECT_EQ(0, mdev_stat(self->p.uuid, "pinned_pages"));
	usleep(100000);
	EXPECT_EQ(0, mdev_stat(self->p.uuid, "pinned_pages"));
	EXPECT_EQ(-EBUSY, write_blueprint(self, "gpus=1"));
	pair_close(&self->p);
	EXPECT_NE(0, vgpu_open(&self->p.v, self->p.uuid));
	/* With one GPU there is room for one of one GPU */
	EXPECT_EQ(-ENOSPC, write_blueprint(self, "slices=2"));
	ASSERT_EQ(0, write_blueprint(self, "slices=2 gpus=1"));
	EXPECT_EQ(2, slices_taken(&self->p.books, self->p.home));
	ASSERT_EQ(0, pair_open(&self->p));
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	EXPECT_EQ(NULL, crew_end(&self->crew));
	pair_close(&self->p);
	if (pulled)
		ASSERT_EQ(0, gpu_answers(pci, true));
	ASSERT_EQ(0, gpu_bind(pci));
	ASSERT_EQ(0, write_blueprint(self, SPAN));
	ASSERT_EQ(0, write_blueprint(self, "none"));
	EXPECT_TRUE(books_balance(&self->p.books));
}

TEST_F_TIMEOUT(span, a_gpu_is_unbound, 90)
{
	lose(_metadata, self, false);
}

TEST_F_TIMEOUT(span, a_gpu_is_pulled, 90)
{
	lose(_metadata, self, true);
}

/* While nobody has it open, a GPU that comes back does not make it whole */
TEST_F_TIMEOUT(span, unbound_while_closed, 90)
{
	ASSERT_EQ(0, write_blueprint(self, SPAN));
	ASSERT_EQ(0, gpu_unbind(self->p.pci[self->p.away]));
	EXPECT_NE(0, vgpu_open(&self->p.v, self->p.uuid));
	ASSERT_EQ(0, gpu_bind(self->p.pci[self->p.away]));
	EXPECT_NE(0, vgpu_open(&self->p.v, self->p.uuid));
	ASSERT_EQ(0, write_blueprint(self, "slices=4"));
	ASSERT_EQ(0, pair_open(&self->p));
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	EXPECT_EQ(NULL, crew_end(&self->crew));
}

TEST_F_TIMEOUT(span, vmm_killed, 90)
{
	unsigned int round;

	ASSERT_EQ(0, write_blueprint(self, SPAN));
	for (round = 0; round < 3; round++) {
		struct ring r;
		pid_t pid;

		pid = vmm_start(self->p.uuid);
		ASSERT_LT(0, pid);
		usleep(100000 + 61000 * round);
		vmm_kill(pid);
		ASSERT_EQ(0, vmm_open_again(&self->p.v, self->p.uuid));
		EXPECT_EQ(0, client_reg32(&self->p.v, 3, TESS_SREG_CONTROL));
		ring_start(&r, &self->p.v, 3);
		ring_fill(&r, DATA_GPA, PAGE, round);
		EXPECT_EQ(0, ring_finish(&r));
		vgpu_close(&self->p.v);
		EXPECT_EQ(0, mdev_stat(self->p.uuid, "pinned_pages"));
	}
}

/* Closed and removed with all slices at work */
TEST_F_TIMEOUT(span, removed_at_work, 60)
{
	unsigned int i;
	struct ring r;

	ASSERT_EQ(0, write_blueprint(self, SPAN));
	ASSERT_EQ(0, pair_open(&self->p));
	for (i = 0; i < 4; i++) {
		unsigned int n;

		ring_start(&r, &self->p.v, i);
		for (n = 0; n < 40; n++)
			ring_fill(&r, DATA_GPA + (i << 20), 1 << 20, n);
		ring_fence(&r, false);
	}
	pair_close(&self->p);
	EXPECT_EQ(0, mdev_stat(self->p.uuid, "pinned_pages"));
	ASSERT_EQ(0, mdev_remove(self->p.uuid));
	EXPECT_TRUE(books_balance(&self->p.books));
}

TEST_HARNESS_MAIN
