// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A GPU is taken from its driver while guests work on it: they go on, with all their work and
 * memory, on the other GPU if that can have them, and are told if not; and a GPU that does not
 * answer holds nobody up. Needs a host with two GPUs.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "harness.h"
#include "crew.h"
#include "gpus.h"
#include "log.h"
#include "slow.h"
#include "vmm.h"

#define POLL_MS 20000
#define MDEVS "/sys/bus/mdev/devices/"
#define DEAD 0xffffffff

FIXTURE(drain)
{
	struct pair p;
	struct crew crew;
};

FIXTURE_SETUP(drain)
{
	int ret = pair_begin(&self->p);

	if (ret == -ENODEV)
		SKIP(return, "needs two GPUs");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(drain)
{
	EXPECT_TRUE(pair_end(&self->p));
}

/* Below the one GPU, carried by one of the two */
static void make_vgpu(struct __test_metadata *_metadata, struct __fixture_drain *self,
		      unsigned int gpu, const char *blueprint)
{
	ASSERT_EQ(0, mdev_create("blank", self->p.uuid));
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "blueprint", blueprint));
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "gpu", gpu_name_of(gpu)));
}

static void open_vgpu(struct __test_metadata *_metadata, struct __fixture_drain *self,
		      unsigned int gpu, const char *blueprint)
{
	make_vgpu(_metadata, self, gpu, blueprint);
	ASSERT_EQ(0, pair_open(&self->p));
}

static void expect_on(struct __test_metadata *_metadata, struct __fixture_drain *self,
		      unsigned int gpu, unsigned int slices)
{
	EXPECT_STREQ(gpu_name_of(gpu), mdev_attr(self->p.uuid, "gpu"));
	EXPECT_EQ(slices, slices_taken(&self->p.books, gpu));
	EXPECT_EQ(TESS_ID_VALUE, reg32(&self->p.v, TESS_REG_ID));
}

static void end_work(struct __test_metadata *_metadata, struct __fixture_drain *self)
{
	const char *wrong = crew_end(&self->crew);

	if (wrong)
		TH_LOG("%s", wrong);
	EXPECT_EQ(NULL, wrong);
	TH_LOG("%u jobs", crew_jobs(&self->crew));
}

/* ---- another GPU has room ---- */

static void there_and_back(struct __test_metadata *_metadata, struct __fixture_drain *self,
			   unsigned int slices, unsigned int rounds)
{
	unsigned int round;
	uint64_t gen;

	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	for (round = 0; round < rounds; round++) {
		ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "gpu", gpu_name_of(self->p.away)));
		EXPECT_TRUE(crew_goes_on(&self->crew));
		expect_on(_metadata, self, self->p.away, slices);
		reg64_write(&self->p.v, TESS_REG_EVENT_PENDING, 1);
		eventfd_wait(self->p.event, 0);
		gen = reg64(&self->p.v, TESS_REG_GENERATION);
		ASSERT_EQ(0, gpu_unbind(self->p.pci[self->p.away]));
		/* The guest is told once, of another composition and not of a loss */
		expect_on(_metadata, self, self->p.home, slices);
		EXPECT_LE(1, eventfd_wait(self->p.event, 5000));
		EXPECT_EQ(gen + 1, reg64(&self->p.v, TESS_REG_GENERATION));
		EXPECT_TRUE(crew_goes_on(&self->crew));
		ASSERT_EQ(0, gpu_bind(self->p.pci[self->p.away]));
		EXPECT_EQ(self->p.books.slices[self->p.away],
			  gpu_value(self->p.away, "slices_free"));
	}
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "gpu", gpu_name_of(self->p.away)));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	end_work(_metadata, self);
	EXPECT_EQ(0, mdev_stat(self->p.uuid, "client_faults"));
	expect_on(_metadata, self, self->p.away, slices);
}

TEST_F_TIMEOUT(drain, exclusive_at_work, 120)
{
	open_vgpu(_metadata, self, self->p.home, "slices=2 max=2 kind=compute memory=4M");
	there_and_back(_metadata, self, 2, 2);
}

/* Fewer slices than vslices: they take turns */
TEST_F_TIMEOUT(drain, dedicated_at_work, 120)
{
	open_vgpu(_metadata, self, self->p.home, "slices=2 min=1 max=4 kind=compute memory=2M");
	there_and_back(_metadata, self, 2, 1);
}

/* All that it carries: at work, open and idle, not open; and what shares a slice */
TEST_F_TIMEOUT(drain, all_go, 120)
{
	struct __fixture_drain idle = *self, closed = *self, shared = *self;
	uint64_t size;
	uint8_t *vram;

	open_vgpu(_metadata, self, self->p.away, "slices=1 kind=compute memory=2M share=shared");
	open_vgpu(_metadata, &shared, self->p.away, "slices=1 kind=compute memory=2M share=shared");
	open_vgpu(_metadata, &idle, self->p.away, "slices=1 kind=compute memory=4M");
	make_vgpu(_metadata, &closed, self->p.away, "slices=2 kind=compute memory=2M");
	size = reg64(&idle.p.v, TESS_REG_VRAM_SIZE);
	vram = vgpu_mmap(&idle.p.v, TESS_BAR_VRAM, 0, size);
	ASSERT_NE(MAP_FAILED, vram);
	pattern_fill(vram, size, 11);
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	ASSERT_EQ(0, crew_start(&shared.crew, &shared.p.v));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	ASSERT_EQ(0, gpu_unbind(self->p.pci[self->p.away]));
	EXPECT_STREQ(gpu_name_of(self->p.home), mdev_attr(self->p.uuid, "gpu"));
	EXPECT_STREQ(gpu_name_of(self->p.home), mdev_attr(shared.p.uuid, "gpu"));
	EXPECT_STREQ(gpu_name_of(self->p.home), mdev_attr(idle.p.uuid, "gpu"));
	EXPECT_STREQ(gpu_name_of(self->p.home), mdev_attr(closed.p.uuid, "gpu"));
	EXPECT_EQ(-1, pattern_check(vram, size, 11));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	EXPECT_TRUE(crew_goes_on(&shared.crew));
	end_work(_metadata, &shared);
	end_work(_metadata, self);
	ASSERT_EQ(0, vgpu_open(&closed.p.v, closed.p.uuid));
	EXPECT_EQ(TESS_ID_VALUE, reg32(&closed.p.v, TESS_REG_ID));
	vgpu_close(&closed.p.v);
	pair_close(&shared.p);
	pair_close(&idle.p);
	ASSERT_EQ(0, gpu_bind(self->p.pci[self->p.away]));
}

/* There is room for its min only */
TEST_F_TIMEOUT(drain, with_fewer_slices, 120)
{
	open_vgpu(_metadata, self, self->p.away, "slices=3 min=1 max=3 kind=compute memory=2M");
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	ASSERT_TRUE(crowd_home(&self->p.crowd, 1));
	ASSERT_EQ(0, gpu_unbind(self->p.pci[self->p.away]));
	EXPECT_STREQ(gpu_name_of(self->p.home), mdev_attr(self->p.uuid, "gpu"));
	EXPECT_EQ(1, reg64(&self->p.v, TESS_REG_SLICE_MASK));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	ASSERT_TRUE(crowd_leaves(&self->p.crowd));
	ASSERT_EQ(0, gpu_bind(self->p.pci[self->p.away]));
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "gpu", gpu_name_of(self->p.away)));
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "blueprint", "slices=3"));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	end_work(_metadata, self);
	expect_on(_metadata, self, self->p.away, 3);
}

/* ---- it stays where it is, and is told ---- */

TEST_F_TIMEOUT(drain, no_room, 120)
{
	int mark;

	open_vgpu(_metadata, self, self->p.away, "slices=2 max=2 kind=compute memory=2M");
	vmm_hang(&self->p.v);
	ASSERT_TRUE(crowd_home(&self->p.crowd, 1));
	mark = log_mark();
	ASSERT_EQ(0, gpu_unbind(self->p.pci[self->p.away]));
	EXPECT_TRUE(log_says(mark, "is about to go, and no other GPU has it: no room there"));
	EXPECT_LE(1, eventfd_wait(self->p.event, 5000));
	EXPECT_EQ(DEAD, reg32(&self->p.v, TESS_REG_ID));
	EXPECT_EQ(-ENODEV, mdev_attr_write(self->p.uuid, "gpu", gpu_name_of(self->p.home)));
	EXPECT_EQ(0, mdev_stat(self->p.uuid, "pinned_pages"));
	pair_close(&self->p);
	ASSERT_TRUE(crowd_leaves(&self->p.crowd));
	/* With nobody's memory to keep it gets a new composition */
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "blueprint", "slices=1 max=1"));
	EXPECT_STREQ(gpu_name_of(self->p.home), mdev_attr(self->p.uuid, "gpu"));
	ASSERT_EQ(0, vgpu_open(&self->p.v, self->p.uuid));
	EXPECT_EQ(TESS_ID_VALUE, reg32(&self->p.v, TESS_REG_ID));
	vgpu_close(&self->p.v);
	ASSERT_EQ(0, gpu_bind(self->p.pci[self->p.away]));
}

/* A step of the move fails: early, and with half of the memory copied */
TEST_F_TIMEOUT(drain, a_step_fails, 120)
{
	static const char *const steps[] = { "1", "13" };
	unsigned int i;
	int mark;

	for (i = 0; i < 2; i++) {
		open_vgpu(_metadata, self, self->p.away, "slices=2 max=2 kind=compute memory=2M");
		vmm_hang(&self->p.v);
		mark = log_mark();
		ASSERT_EQ(0, compose_fail(steps[i]));
		ASSERT_EQ(0, gpu_unbind(self->p.pci[self->p.away]));
		EXPECT_TRUE(log_says(mark, "no other GPU has it"));
		EXPECT_EQ(DEAD, reg32(&self->p.v, TESS_REG_ID));
		EXPECT_EQ(0, slices_taken(&self->p.books, self->p.home));
		EXPECT_EQ(0, mdev_stat(self->p.uuid, "pinned_pages"));
		pair_close(&self->p);
		ASSERT_EQ(0, mdev_remove(self->p.uuid));
		ASSERT_EQ(0, gpu_bind(self->p.pci[self->p.away]));
		EXPECT_TRUE(books_balance(&self->p.books));
	}
}

/* ---- its parent goes: it goes, too, but its guest may work until the VMM lets it go ---- */

static void unbind_home(struct __test_metadata *_metadata, struct __fixture_drain *self)
{
	int req = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), status;
	pid_t pid;

	ASSERT_EQ(0, vgpu_irq(&self->p.v, VFIO_PCI_REQ_IRQ_INDEX,
			      VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER, 0, 1, &req,
			      sizeof(req)));
	pid = fork();
	if (!pid) {
		/* Do not hold the device open ourselves */
		pair_close(&self->p);
		_exit(gpu_unbind(self->p.pci[self->p.home]) ? 1 : 0);
	}
	EXPECT_LE(1, eventfd_wait(req, 10000));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(crew_goes_on(&self->crew));
	EXPECT_EQ(2, slices_taken(&self->p.books, self->p.away));
	EXPECT_EQ(TESS_ID_VALUE, reg32(&self->p.v, TESS_REG_ID));
	close(req);
}

static void expect_end(struct __test_metadata *_metadata, struct __fixture_drain *self)
{
	long end = now_ms() + POLL_MS * patience();
	char path[PATH_MAX];

	snprintf(path, sizeof(path), MDEVS "%s", self->p.uuid);
	end_work(_metadata, self);
	pair_close(&self->p);
	while (!access(path, F_OK) && now_ms() < end)
		usleep(20000);
	EXPECT_NE(0, access(path, F_OK));
}

/* The parent, which is bound again, has its types as soon as the one before it has ended */
static void expect_types(struct __test_metadata *_metadata)
{
	long end = now_ms() + POLL_MS * patience();

	while (mdev_available("C1") < 0 && now_ms() < end)
		usleep(20000);
	EXPECT_LT(0, mdev_available("C1"));
}

/* Another GPU carries it */
TEST_F_TIMEOUT(drain, its_parent, 120)
{
	open_vgpu(_metadata, self, self->p.away, "slices=2 max=2 kind=compute memory=2M");
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	unbind_home(_metadata, self);
	expect_end(_metadata, self);
	ASSERT_EQ(0, gpu_bind(self->p.pci[self->p.home]));
	expect_types(_metadata);
}

/* The parent carries it, too; bound again, the GPU gives vGPUs when the last one is closed */
TEST_F_TIMEOUT(drain, its_parent_that_carries_it, 120)
{
	open_vgpu(_metadata, self, self->p.home, "slices=2 max=2 kind=compute memory=2M");
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	unbind_home(_metadata, self);
	ASSERT_EQ(0, gpu_bind(self->p.pci[self->p.home]));
	EXPECT_GT(0, mdev_available("C1"));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	/* Nobody can ask for a move of it any more, but it can have to go back */
	ASSERT_EQ(0, gpu_unbind(self->p.pci[self->p.away]));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	EXPECT_EQ(2, slices_taken(&self->p.books, self->p.home));
	ASSERT_EQ(0, gpu_bind(self->p.pci[self->p.away]));
	expect_end(_metadata, self);
	expect_types(_metadata);
	EXPECT_TRUE(books_balance(&self->p.books));
}

/* ---- while it moves, or does not answer ---- */

struct mover {
	const char *uuid;
	long end;
	int done;
};

static void *move_about(void *arg)
{
	struct mover *m = arg;
	unsigned int gpu = 0;

	while (now_ms() < m->end) {
		m->done += !mdev_attr_write(m->uuid, "gpu", gpu_name_of(gpu));
		gpu = !gpu;
	}
	return NULL;
}

/* Whatever it is about to do, it is on the one that stays in the end */
TEST_F_TIMEOUT(drain, on_the_move, 120)
{
	unsigned int round;

	open_vgpu(_metadata, self, self->p.home, "slices=1 max=1 kind=compute memory=8M");
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	for (round = 0; round < 2; round++) {
		struct mover m = { .uuid = self->p.uuid };
		pthread_t thread;

		m.end = now_ms() + 600 * patience();
		ASSERT_EQ(0, pthread_create(&thread, NULL, move_about, &m));
		usleep(100000 + 37000 * round);
		ASSERT_EQ(0, gpu_unbind(self->p.pci[self->p.away]));
		expect_on(_metadata, self, self->p.home, 1);
		ASSERT_EQ(0, pthread_join(thread, NULL));
		EXPECT_TRUE(crew_goes_on(&self->crew));
		expect_on(_metadata, self, self->p.home, 1);
		ASSERT_EQ(0, gpu_bind(self->p.pci[self->p.away]));
		EXPECT_EQ(self->p.books.slices[self->p.away],
			  gpu_value(self->p.away, "slices_free"));
	}
	end_work(_metadata, self);
}

/* Pulled before, or while it is drained: whoever is not away by then is lost, and nobody waits */
struct puller {
	const char *pci;
	unsigned int after_us;
};

static void *pull(void *arg)
{
	struct puller *p = arg;

	usleep(p->after_us);
	gpu_answers(p->pci, false);
	return NULL;
}

TEST_F_TIMEOUT(drain, pulled, 120)
{
	static const unsigned int after_us[] = { 0, 30000 };
	struct puller p = { .pci = self->p.pci[self->p.away] };
	uint8_t *vram;
	unsigned int i;
	pthread_t thread;
	long start;

	for (i = 0; i < 2; i++) {
		open_vgpu(_metadata, self, self->p.away, "slices=2 max=2 kind=compute memory=16M");
		vram = vgpu_mmap(&self->p.v, TESS_BAR_VRAM, 0, 32 << 20);
		ASSERT_NE(MAP_FAILED, vram);
		pattern_fill(vram + (28 << 20), 4 << 20, i);
		p.after_us = after_us[i];
		if (!i)
			pull(&p);
		else
			ASSERT_EQ(0, pthread_create(&thread, NULL, pull, &p));
		start = now_ms();
		ASSERT_EQ(0, gpu_unbind(self->p.pci[self->p.away]));
		EXPECT_LT(now_ms() - start, 30000 * patience());
		if (i)
			ASSERT_EQ(0, pthread_join(thread, NULL));
		/* With all its memory, or not at all */
		TH_LOG("%ld ms, %#x", now_ms() - start, reg32(&self->p.v, TESS_REG_ID));
		if (reg32(&self->p.v, TESS_REG_ID) == TESS_ID_VALUE) {
			EXPECT_EQ(-1, pattern_check(vram + (28 << 20), 4 << 20, i));
		} else {
			EXPECT_EQ(DEAD, reg32(&self->p.v, TESS_REG_ID));
		}
		EXPECT_TRUE(i || reg32(&self->p.v, TESS_REG_ID) == DEAD);
		pair_close(&self->p);
		ASSERT_EQ(0, mdev_remove(self->p.uuid));
		ASSERT_EQ(0, gpu_answers(self->p.pci[self->p.away], true));
		ASSERT_EQ(0, gpu_bind(self->p.pci[self->p.away]));
		EXPECT_EQ(self->p.books.slices[self->p.away],
			  gpu_value(self->p.away, "slices_free"));
	}
}

/* ---- its VMM is kept from everything by its own memory ---- */

/* No other GPU can have it, none can be waited for: the GPU goes in bounded time, without it */
TEST_F_TIMEOUT(drain, with_memory_that_does_not_come, 180)
{
	struct slow *s = slow_start(16 * PAGE);
	int status = -1, mark = log_mark();
	unsigned int i;
	pid_t pid;

	if (!s)
		SKIP(return, "needs FUSE");
	make_vgpu(_metadata, self, self->p.away, "slices=1 max=1 kind=compute memory=2M");
	pid = slow_vm_start(s, self->p.uuid);
	ASSERT_LT(0, pid);
	ASSERT_TRUE(slow_wait(s, 20000 * patience()));
	EXPECT_EQ(0, gpu_unbind(self->p.pci[self->p.away]));
	/* By then nothing of it has come */
	EXPECT_FALSE(s->released);
	EXPECT_TRUE(log_says(mark, "its VMM is busy with memory of the guest"));
	slow_release(s);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(1, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	/* Files are closed by the kernel after the parent was told */
	for (i = 0; i < 20000 && mdev_stat(self->p.uuid, "pinned_pages"); i++)
		usleep(1000 * patience());
	EXPECT_EQ(0, mdev_stat(self->p.uuid, "pinned_pages"));
	slow_end(s);
	ASSERT_EQ(0, gpu_bind(self->p.pci[self->p.away]));
}

TEST_HARNESS_MAIN
