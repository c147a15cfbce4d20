// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A vGPU goes to another GPU of the pool while a VMM has it open and its guest works: nothing
 * of its work and its memory is lost or done twice, whatever fails, and whoever goes, in the
 * middle. Needs a host with two GPUs.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>

#include "harness.h"
#include "crew.h"
#include "gpus.h"
#include "vmm.h"

#define POLL_MS 20000
#define SWAP_PERIOD "/sys/module/tessera/parameters/swap_period_ms"
#define SWAP_PERIOD_MS 100
/* As many as a short test has time for; TESS_MOVES for more */
#define MOVES 12

static void books_expect(struct __test_metadata *_metadata, const struct books *b)
{
	struct books now;
	unsigned int i;

	books_take(&now);
	for (i = 0; i < GPUS; i++) {
		EXPECT_EQ(b->slices[i], now.slices[i]);
		EXPECT_EQ(b->vram[i], now.vram[i]);
	}
	EXPECT_EQ(b->pins, now.pins);
}

FIXTURE(open)
{
	struct books books;
	unsigned int home, away;
	char uuid[37];
	struct vgpu v;
	bool is_open;
	int event;
	struct crew crew;
};

static void open_vgpu(struct __test_metadata *_metadata, struct __fixture_open *self,
		      const char *blueprint)
{
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", blueprint));
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
	self->is_open = true;
	self->event = vgpu_eventfd(&self->v, TESS_IRQ_EVENT);
	ASSERT_LE(0, self->event);
}

static void close_vgpu(struct __fixture_open *self)
{
	if (!self->is_open)
		return;
	close(self->event);
	vgpu_close(&self->v);
	self->is_open = false;
}

/* A host that is late by a period or two begins anew to count who is crowded */
static int set_swap_period(unsigned int ms)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", ms * patience());
	return file_write(SWAP_PERIOD, text);
}

FIXTURE_SETUP(open)
{
	mdev_remove_all();
	if (gpu_value(1, "slices_total") < 0)
		SKIP(return, "needs two GPUs");
	self->home = home_gpu();
	self->away = !self->home;
	ASSERT_EQ(0, compose_fail("0"));
	ASSERT_EQ(0, set_swap_period(SWAP_PERIOD_MS));
	books_take(&self->books);
}

FIXTURE_TEARDOWN(open)
{
	compose_fail("0");
	set_swap_period(SWAP_PERIOD_MS);
	close_vgpu(self);
	mdev_remove_all();
	books_expect(_metadata, &self->books);
}

static void start_work(struct __test_metadata *_metadata, struct __fixture_open *self)
{
	ASSERT_EQ(0, crew_start(&self->crew, &self->v));
}

/* Every worker gets something done from now on */
static void expect_progress(struct __test_metadata *_metadata, struct __fixture_open *self)
{
	EXPECT_TRUE(crew_goes_on(&self->crew));
}

static unsigned int end_work(struct __test_metadata *_metadata, struct __fixture_open *self)
{
	const char *wrong = crew_end(&self->crew);

	if (wrong)
		TH_LOG("%s", wrong);
	EXPECT_EQ(NULL, wrong);
	EXPECT_EQ(0, mdev_stat(self->uuid, "client_faults"));
	return crew_jobs(&self->crew);
}

/* ---- moves ---- */

static void expect_on(struct __test_metadata *_metadata, struct __fixture_open *self,
		      unsigned int gpu, unsigned int slices)
{
	char want[64];

	EXPECT_STREQ(gpu_name_of(gpu), mdev_attr(self->uuid, "gpu"));
	EXPECT_EQ(slices, slices_taken(&self->books, gpu));
	EXPECT_EQ(0, slices_taken(&self->books, !gpu));
	EXPECT_EQ(self->books.vram[!gpu], gpu_value(!gpu, "vram_free"));
	snprintf(want, sizeof(want), "slice 0: gpu=%u ", gpu);
	EXPECT_TRUE(strstr(mdev_attr(self->uuid, "composition"), want));
}

/* To a GPU; the guest is told, once */
static void move(struct __test_metadata *_metadata, struct __fixture_open *self, unsigned int gpu)
{
	uint64_t gen = reg64(&self->v, TESS_REG_GENERATION);
	uint64_t time = reg64(&self->v, TESS_REG_TIME);

	ASSERT_EQ(0, mdev_attr_write(self->uuid, "gpu", gpu_name_of(gpu)));
	EXPECT_LE(1, eventfd_wait(self->event, 5000));
	EXPECT_EQ(1, reg64(&self->v, TESS_REG_EVENT_PENDING));
	reg64_write(&self->v, TESS_REG_EVENT_PENDING, 1);
	EXPECT_EQ(gen + 1, reg64(&self->v, TESS_REG_GENERATION));
	EXPECT_LE(time, reg64(&self->v, TESS_REG_TIME));
	EXPECT_STREQ("none", mdev_attr(self->uuid, "last_error"));
}

static unsigned int moves_wanted(void)
{
	const char *text = getenv("TESS_MOVES");

	return text ? atoi(text) : MOVES;
}

static void move_at_work(struct __test_metadata *_metadata, struct __fixture_open *self,
			 unsigned int slices)
{
	unsigned int i, gpu = self->home, n = moves_wanted();
	long start, sum = 0, longest = 0, ms;

	start_work(_metadata, self);
	expect_progress(_metadata, self);
	for (i = 0; i < n; i++) {
		gpu = !gpu;
		start = now_ms();
		move(_metadata, self, gpu);
		ms = now_ms() - start;
		sum += ms;
		longest = ms > longest ? ms : longest;
		expect_on(_metadata, self, gpu, slices);
		/* At times the next one comes at once */
		if (i % 3)
			expect_progress(_metadata, self);
	}
	expect_progress(_metadata, self);
	TH_LOG("%u moves, %ld ms on average, %ld at most; %u jobs", n, sum / n, longest,
	       end_work(_metadata, self));
}

TEST_F_TIMEOUT(open, exclusive_at_work, 180)
{
	open_vgpu(_metadata, self, "slices=2 max=2 kind=compute memory=4M");
	move_at_work(_metadata, self, 2);
}

/* Fewer slices than vslices: they take turns, here and there */
TEST_F_TIMEOUT(open, dedicated_at_work, 180)
{
	open_vgpu(_metadata, self, "slices=2 min=1 max=4 kind=compute memory=2M");
	move_at_work(_metadata, self, 2);
}

/* ---- memory ---- */

TEST_F_TIMEOUT(open, memory_goes_along, 60)
{
	struct tess_completion_record *rec;
	uint64_t size;
	uint8_t *vram;
	struct ring r;

	open_vgpu(_metadata, self, "slices=1 max=2 kind=compute memory=4M");
	size = reg64(&self->v, TESS_REG_VRAM_SIZE);
	vram = vgpu_mmap(&self->v, TESS_BAR_VRAM, 0, size);
	ASSERT_NE(MAP_FAILED, vram);
	pattern_fill(vram, size, 7);
	ring_start(&r, &self->v, 0);
	move(_metadata, self, self->away);
	EXPECT_EQ(-1, pattern_check(vram, size, 7));
	/* The GPU finds it there, and what it does to it is there for us */
	ring_copy(&r, DATA_GPA, VRAM(size - PAGE), PAGE);
	ring_fill(&r, VRAM(0), PAGE, 0x5eed);
	EXPECT_EQ(0, ring_finish(&r));
	EXPECT_EQ(0, memcmp(ram_at(&self->v, DATA_GPA), vram + size - PAGE, PAGE));
	EXPECT_EQ(0x5eed, *(volatile uint32_t *)vram);
	/* A completion record in VRAM */
	rec = (void *)(vram + 2 * PAGE);
	memset(rec, 0, sizeof(*rec));
	client_reg32_write(&self->v, 0, TESS_SREG_CONTROL, 0);
	client_reg64_write(&self->v, 0, TESS_SREG_COMPLETION, VRAM(2 * PAGE));
	client_reg32_write(&self->v, 0, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
	r.rec = rec;
	ring_fence(&r, false);
	EXPECT_EQ(0, ring_wait_record(&r));
	move(_metadata, self, self->home);
	ring_fence(&r, false);
	EXPECT_EQ(0, ring_wait_record(&r));
	EXPECT_EQ(r.seq, rec->seq);
}

/* The guest's processors store to VRAM all the time: nothing that they stored is lost */
struct scribbler {
	volatile uint32_t *words;
	unsigned int n;
	unsigned int rounds;
	bool stop;
	unsigned int lost;
};

static void *scribble(void *arg)
{
	struct scribbler *s = arg;
	unsigned int i;

	while (!__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE)) {
		for (i = 0; i < s->n; i++) {
			s->lost += s->words[i * 64] != s->rounds;
			s->words[i * 64] = s->rounds + 1;
		}
		__atomic_add_fetch(&s->rounds, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

TEST_F_TIMEOUT(open, stores_meanwhile, 60)
{
	unsigned int i, gpu = self->home, seen;
	struct scribbler s = { .n = 512 };
	pthread_t thread;
	uint8_t *vram;

	open_vgpu(_metadata, self, "slices=1 kind=compute memory=4M");
	vram = vgpu_mmap(&self->v, TESS_BAR_VRAM, 0, 4 << 20);
	ASSERT_NE(MAP_FAILED, vram);
	s.words = (uint32_t *)(vram + (2 << 20) - 64 * 1024);
	ASSERT_EQ(0, pthread_create(&thread, NULL, scribble, &s));
	for (i = 0; i < 6; i++) {
		gpu = !gpu;
		move(_metadata, self, gpu);
		seen = __atomic_load_n(&s.rounds, __ATOMIC_ACQUIRE);
		while (__atomic_load_n(&s.rounds, __ATOMIC_ACQUIRE) < seen + 2)
			usleep(100);
	}
	__atomic_store_n(&s.stop, true, __ATOMIC_RELEASE);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	TH_LOG("%u rounds", s.rounds);
	EXPECT_EQ(0, s.lost);
}

/* ---- the VMM maps all that can be mapped, again and again ---- */

struct mapper {
	struct vgpu *v;
	size_t vram;
	bool stop;
	unsigned int rounds;
	const char *wrong;
};

static const char *map_once(struct mapper *m, struct vfio_region_info *info)
{
	const int prot = PROT_READ | PROT_WRITE;
	const off_t regs = m->v->region[TESS_BAR_REGS].offset;
	volatile uint32_t *vram;
	struct tess_composition *comp;
	const char *wrong = NULL;

	info->index = TESS_BAR_VRAM;
	info->argsz = PAGE;
	if (ioctl(m->v->device, VFIO_DEVICE_GET_REGION_INFO, info) ||
	    !(info->flags & VFIO_REGION_INFO_FLAG_MMAP))
		return "VRAM cannot be mapped";
	vram = mmap(NULL, m->vram, prot, MAP_SHARED, m->v->device, info->offset);
	comp = mmap(NULL, PAGE, prot, MAP_SHARED, m->v->device, regs + TESS_COMPOSITION_PAGE);
	if (vram == MAP_FAILED || comp == MAP_FAILED)
		wrong = "mmap";
	else if (vram[0] != 0x11111111 || vram[m->vram / 4 - 1] != 0x22222222)
		wrong = "VRAM is another";
	else if (comp->magic != TESS_COMPOSITION_MAGIC)
		wrong = "no composition";
	if (vram != MAP_FAILED)
		munmap((void *)vram, m->vram);
	if (comp != MAP_FAILED)
		munmap(comp, PAGE);
	return wrong;
}

static void *map_for_ever(void *arg)
{
	struct vfio_region_info *info = calloc(1, PAGE);
	struct mapper *m = arg;

	while (!__atomic_load_n(&m->stop, __ATOMIC_ACQUIRE) && !m->wrong) {
		m->wrong = info ? map_once(m, info) : "no memory";
		__atomic_add_fetch(&m->rounds, 1, __ATOMIC_RELEASE);
	}
	free(info);
	return NULL;
}

TEST_F_TIMEOUT(open, mapped_meanwhile, 120)
{
	struct mapper m = { .v = &self->v, .vram = 4 << 20 };
	unsigned int i, gpu = self->home, seen;
	volatile uint32_t *vram;
	pthread_t thread;

	open_vgpu(_metadata, self, "slices=1 kind=compute memory=4M");
	vram = vgpu_mmap(&self->v, TESS_BAR_VRAM, 0, m.vram);
	ASSERT_NE(MAP_FAILED, vram);
	vram[0] = 0x11111111;
	vram[m.vram / 4 - 1] = 0x22222222;
	ASSERT_EQ(0, pthread_create(&thread, NULL, map_for_ever, &m));
	for (i = 0; i < 8; i++) {
		gpu = !gpu;
		move(_metadata, self, gpu);
		seen = __atomic_load_n(&m.rounds, __ATOMIC_ACQUIRE);
		while (!m.wrong && __atomic_load_n(&m.rounds, __ATOMIC_ACQUIRE) < seen + 2)
			usleep(100);
	}
	__atomic_store_n(&m.stop, true, __ATOMIC_RELEASE);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	if (m.wrong)
		TH_LOG("%s", m.wrong);
	EXPECT_EQ(NULL, m.wrong);
	TH_LOG("%u rounds", m.rounds);
}

/* ---- the VMM takes memory away meanwhile ---- */

#define EXTRA_GPA (RAM_GPA + (64ULL << 20))
#define EXTRA_SIZE (64 * PAGE)

struct remapper {
	struct vgpu *v;
	void *mem;
	bool stop;
	unsigned int rounds;
	int error;
};

static void *remap(void *arg)
{
	struct remapper *m = arg;

	while (!__atomic_load_n(&m->stop, __ATOMIC_ACQUIRE) && !m->error) {
		m->error = vgpu_map(m->v, m->mem, EXTRA_GPA, EXTRA_SIZE, true);
		usleep(20000);
		if (!m->error)
			m->error = vgpu_unmap(m->v, EXTRA_GPA, EXTRA_SIZE);
		m->rounds++;
	}
	return NULL;
}

TEST_F_TIMEOUT(open, memory_taken_away_meanwhile, 120)
{
	unsigned int i, gpu = self->home;
	struct remapper m = { 0 };
	pthread_t thread;
	struct ring r;

	open_vgpu(_metadata, self, "slices=1 max=1 kind=compute memory=2M");
	m.v = &self->v;
	m.mem = mmap(NULL, EXTRA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, m.mem);
	ASSERT_EQ(0, pthread_create(&thread, NULL, remap, &m));
	for (i = 0; i < 8; i++) {
		/* It may be there or not: done, or a fault of this client */
		ring_start(&r, &self->v, 0);
		ring_fill(&r, EXTRA_GPA, EXTRA_SIZE, i);
		ring_fence(&r, false);
		gpu = !gpu;
		move(_metadata, self, gpu);
		ring_wait(&r);
		ring_reset(&r);
	}
	__atomic_store_n(&m.stop, true, __ATOMIC_RELEASE);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, m.error);
	TH_LOG("%u times mapped and unmapped", m.rounds);
	ring_start(&r, &self->v, 0);
	ring_fill(&r, DATA_GPA, PAGE, 0x600d);
	EXPECT_EQ(0, ring_finish(&r));
	EXPECT_EQ(0x600d, *(uint32_t *)ram_at(&self->v, DATA_GPA));
	munmap(m.mem, EXTRA_SIZE);
}

/* ---- shared slices ---- */

static void put_on_slice(struct __test_metadata *_metadata, struct __fixture_open *self,
			 const char *slice)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/class/tessera/gpu%u/vgpus/%s/vslice0/slice", self->home,
		 self->uuid);
	ASSERT_EQ(0, file_write(path, slice));
}

TEST_F_TIMEOUT(open, one_of_two_that_share, 120)
{
	struct __fixture_open other = *self;

	open_vgpu(_metadata, self, "slices=1 max=1 kind=compute memory=8M share=shared");
	open_vgpu(_metadata, &other, "slices=1 max=1 kind=compute memory=8M share=shared");
	put_on_slice(_metadata, self, "0");
	put_on_slice(_metadata, &other, "0");
	EXPECT_EQ(1, slices_taken(&self->books, self->home));
	start_work(_metadata, self);
	start_work(_metadata, &other);
	expect_progress(_metadata, self);
	move(_metadata, self, self->away);
	expect_progress(_metadata, self);
	expect_progress(_metadata, &other);
	/* The other one goes after it, and both are there */
	move(_metadata, &other, self->away);
	expect_progress(_metadata, self);
	expect_progress(_metadata, &other);
	EXPECT_EQ(0, slices_taken(&self->books, self->home));
	move(_metadata, self, self->home);
	expect_progress(_metadata, self);
	expect_progress(_metadata, &other);
	end_work(_metadata, &other);
	end_work(_metadata, self);
	close_vgpu(&other);
}

/* ---- composed anew, where there is room ---- */

TEST_F_TIMEOUT(open, composed_elsewhere, 120)
{
	struct crowd crowd;

	open_vgpu(_metadata, self, "slices=2 min=1 max=4 kind=compute memory=2M");
	start_work(_metadata, self);
	expect_progress(_metadata, self);
	ASSERT_TRUE(crowd_home(&crowd, 0));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=4"));
	EXPECT_STREQ(gpu_name_of(self->away), mdev_attr(self->uuid, "gpu"));
	EXPECT_EQ(4, slices_taken(&self->books, self->away));
	EXPECT_EQ(0xf, reg64(&self->v, TESS_REG_SLICE_MASK));
	expect_progress(_metadata, self);
	/* There it is composed as anywhere */
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=1"));
	EXPECT_EQ(1, slices_taken(&self->books, self->away));
	expect_progress(_metadata, self);
	ASSERT_TRUE(crowd_leaves(&crowd));
	move(_metadata, self, self->home);
	expect_on(_metadata, self, self->home, 1);
	expect_progress(_metadata, self);
	end_work(_metadata, self);
}

/* ---- the swapper ---- */

/* A fill takes so long that a host that is busy with other work has time to put the next job */
#define BURNT_VRAM (8 << 20)

struct burner {
	struct ring r;
	bool stop;
	unsigned int done;
	bool wrong;
};

static volatile uint32_t *burnt(struct burner *b, unsigned int job)
{
	return ram_at(b->r.v, DATA_GPA + job % 2 * PAGE);
}

static void put_burn(struct burner *b, unsigned int job)
{
	unsigned int i;

	for (i = 0; i < 24; i++)
		ring_fill(&b->r, VRAM(0), BURNT_VRAM, job);
	ring_copy(&b->r, DATA_GPA + job % 2 * PAGE, VRAM(0), PAGE);
	ring_fence(&b->r, false);
}

static bool burns(struct burner *b, unsigned int job)
{
	long end = now_ms() + POLL_MS * patience();

	while (b->r.rec->seq <= job && now_ms() < end)
		usleep(100);
	return b->r.rec->seq > job && *burnt(b, job) == job;
}

/* Keeps its slice busy for as long as it can: there is always one more job */
static void *burn(void *arg)
{
	struct burner *b = arg;

	put_burn(b, 0);
	while (!__atomic_load_n(&b->stop, __ATOMIC_ACQUIRE) && !b->wrong) {
		put_burn(b, b->done + 1);
		b->wrong = !burns(b, b->done++);
	}
	b->wrong |= !burns(b, b->done);
	return NULL;
}

/* Both want a slice, and there is only one: the swapper finds another on the other GPU */
static void swap(struct __test_metadata *_metadata, struct __fixture_open *self)
{
	struct __fixture_open other = *self;
	struct burner b[2] = { 0 };
	unsigned int i, on[2] = { 0 };
	struct crowd crowd;
	pthread_t thread[2];
	long end;

	if (patience() > 1)
		SKIP(return, "nobody keeps a slice busy from a host that slow");
	open_vgpu(_metadata, self, "slices=1 max=1 kind=compute memory=8M share=shared");
	open_vgpu(_metadata, &other, "slices=1 max=1 kind=compute memory=8M share=shared");
	put_on_slice(_metadata, self, "0");
	put_on_slice(_metadata, &other, "0");
	ASSERT_TRUE(crowd_home(&crowd, 0));
	ring_start(&b[0].r, &self->v, 0);
	ring_start(&b[1].r, &other.v, 0);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, burn, &b[i]));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "policy", "auto"));
	ASSERT_EQ(0, mdev_attr_write(other.uuid, "policy", "auto"));
	for (end = now_ms() + POLL_MS * patience(); now_ms() < end; usleep(20000)) {
		on[0] = strcmp(mdev_attr(self->uuid, "gpu"), "gpu0") ? 1 : 0;
		on[1] = strcmp(mdev_attr(other.uuid, "gpu"), "gpu0") ? 1 : 0;
		if (on[0] != on[1])
			break;
	}
	EXPECT_NE(on[0], on[1]);
	/* And they stay */
	sleep(2);
	EXPECT_STREQ(gpu_name_of(on[0]), mdev_attr(self->uuid, "gpu"));
	EXPECT_STREQ(gpu_name_of(on[1]), mdev_attr(other.uuid, "gpu"));
	for (i = 0; i < 2; i++)
		__atomic_store_n(&b[i].stop, true, __ATOMIC_RELEASE);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
		EXPECT_FALSE(b[i].wrong);
		EXPECT_LT(0, b[i].done);
	}
	ASSERT_TRUE(crowd_leaves(&crowd));
	close_vgpu(&other);
}

TEST_F_TIMEOUT(open, swapped, 120)
{
	swap(_metadata, self);
}

/* It looks many times while the one moves: the other stays all the same */
TEST_F_TIMEOUT(open, swapped_at_short_periods, 120)
{
	ASSERT_EQ(0, set_swap_period(SWAP_PERIOD_MS / 10));
	swap(_metadata, self);
}

/* ---- refused, or failing in the middle ---- */

TEST_F_TIMEOUT(open, refusals, 60)
{
	static const char *const nonsense[] = { "gpu7", "7", "gpu", "\n", "pluto", "gpu1x", "-1" };
	char blank[37];
	uint64_t gen;
	size_t i;

	open_vgpu(_metadata, self, "slices=2 max=2 kind=compute memory=2M");
	start_work(_metadata, self);
	gen = reg64(&self->v, TESS_REG_GENERATION);
	for (i = 0; i < sizeof(nonsense) / sizeof(*nonsense); i++) {
		EXPECT_EQ(-EINVAL, mdev_attr_write(self->uuid, "gpu", nonsense[i]));
		EXPECT_EQ(0, strncmp("EINVAL: gpu", mdev_attr(self->uuid, "last_error"), 11));
	}
	/* It is there */
	EXPECT_EQ(0, mdev_attr_write(self->uuid, "gpu", gpu_name_of(self->home)));
	EXPECT_EQ(gen, reg64(&self->v, TESS_REG_GENERATION));
	expect_progress(_metadata, self);
	end_work(_metadata, self);
	ASSERT_EQ(0, mdev_create("blank", blank));
	EXPECT_STREQ("none", mdev_attr(blank, "gpu"));
	EXPECT_EQ(-EINVAL, mdev_attr_write(blank, "gpu", "0"));
	expect_on(_metadata, self, self->home, 2);
}

TEST_F_TIMEOUT(open, every_step_fails, 120)
{
	unsigned int step;
	char text[16];
	uint64_t gen;
	int ret = -1;

	open_vgpu(_metadata, self, "slices=2 min=1 max=3 kind=compute memory=2M");
	start_work(_metadata, self);
	gen = reg64(&self->v, TESS_REG_GENERATION);
	for (step = 1; step < 100; step++) {
		snprintf(text, sizeof(text), "%u", step);
		ASSERT_EQ(0, compose_fail(text));
		ret = mdev_attr_write(self->uuid, "gpu", gpu_name_of(self->away));
		EXPECT_EQ(0, compose_fail("0"));
		if (!ret)
			break;
		EXPECT_EQ(-ENOMEM, ret);
		EXPECT_STREQ("ENOMEM: out of memory", mdev_attr(self->uuid, "last_error"));
		EXPECT_EQ(gen, reg64(&self->v, TESS_REG_GENERATION));
		expect_on(_metadata, self, self->home, 2);
		expect_progress(_metadata, self);
	}
	EXPECT_EQ(0, ret);
	TH_LOG("%u steps can fail", step - 1);
	/* Memory and slices there, parking, contexts, memory */
	EXPECT_LE(5 * 3, step - 1);
	expect_progress(_metadata, self);
	expect_on(_metadata, self, self->away, 2);
	end_work(_metadata, self);
}

/* ---- resets, and a VMM that dies ---- */

struct mover {
	const char *uuid;
	long end;
	int done;
	int unexpected;
};

static void *move_about(void *arg)
{
	struct mover *m = arg;
	unsigned int gpu = 0;

	while (now_ms() < __atomic_load_n(&m->end, __ATOMIC_RELAXED)) {
		int ret = mdev_attr_write(m->uuid, "gpu", gpu_name_of(gpu));

		__atomic_add_fetch(&m->done, !ret, __ATOMIC_RELAXED);
		if (ret)
			m->unexpected = ret;
		gpu = !gpu;
	}
	return NULL;
}

TEST_F_TIMEOUT(open, resets_meanwhile, 90)
{
	struct mover m = { 0 };
	unsigned int rounds = 0;
	pthread_t thread;
	struct ring r;

	open_vgpu(_metadata, self, "slices=1 max=1 kind=compute memory=2M");
	m.uuid = self->uuid;
	m.end = now_ms() + 3000 * patience();
	ASSERT_EQ(0, pthread_create(&thread, NULL, move_about, &m));
	while (now_ms() < m.end) {
		ring_start(&r, &self->v, 0);
		ring_fill(&r, VRAM(0), PAGE, rounds);
		ring_copy(&r, DATA_GPA, VRAM(0), PAGE);
		EXPECT_EQ(0, ring_finish(&r));
		EXPECT_EQ(rounds, *(uint32_t *)ram_at(&self->v, DATA_GPA));
		reg32_write(&self->v, TESS_REG_RESET, TESS_RESET_KEY);
		EXPECT_EQ(0, client_reg64(&self->v, 0, TESS_SREG_WPTR));
		rounds++;
	}
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, m.unexpected);
	EXPECT_LT(1, m.done);
	TH_LOG("%u resets, %d moves", rounds, m.done);
}

TEST_F_TIMEOUT(open, killed_in_the_middle, 90)
{
	unsigned int round;

	ASSERT_EQ(0, mdev_create("C2", self->uuid));
	for (round = 0; round < 4; round++) {
		struct mover m = { .uuid = self->uuid };
		pthread_t thread;
		struct ring r;
		pid_t pid;

		pid = vmm_start(self->uuid);
		ASSERT_LT(0, pid);
		m.end = now_ms() + 30000 * patience();
		ASSERT_EQ(0, pthread_create(&thread, NULL, move_about, &m));
		while (!__atomic_load_n(&m.done, __ATOMIC_RELAXED) && now_ms() < m.end)
			usleep(1000);
		usleep(61000 * round);
		vmm_kill(pid);
		usleep(200000);
		__atomic_store_n(&m.end, 0, __ATOMIC_RELAXED);
		ASSERT_EQ(0, pthread_join(thread, NULL));
		EXPECT_EQ(0, m.unexpected);
		EXPECT_LT(0, m.done);
		ASSERT_EQ(0, vmm_open_again(&self->v, self->uuid));
		EXPECT_EQ(0, client_reg32(&self->v, 1, TESS_SREG_CONTROL));
		ring_start(&r, &self->v, 1);
		ring_fill(&r, DATA_GPA, PAGE, round);
		EXPECT_EQ(0, ring_finish(&r));
		vgpu_close(&self->v);
		EXPECT_EQ(0, mdev_stat(self->uuid, "pinned_pages"));
	}
}

TEST_HARNESS_MAIN
