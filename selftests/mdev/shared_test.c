// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vGPUs that share slices, as a VMM and its guest see them: types and attributes, what a
 * parked vslice reads, and doorbells that lead to a slice at one time and to a page of
 * memory at another. Scheduling itself is tested in selftests/sched.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include <linux/tessera_user.h>

#include "harness.h"
#include "log.h"
#include "slow.h"
#include "vgpu.h"

#define CLIENTS 3
#define POLL_MS 20000

static bool wait_parked(const char *uuid)
{
	long end = now_ms() + POLL_MS;

	while (vslice_get(uuid, 0, "resident") != 0) {
		if (now_ms() > end)
			return false;
		usleep(1000);
	}
	return true;
}

/* ---- types and attributes ---- */

#define MANY 64

/* As many as fit in no other way, and all comes back */
TEST_TIMEOUT(sixty_four, 180)
{
	static const struct {
		const char *type;
		int count;
	} mix[] = { { "C1S", 24 }, { "R1S", 24 }, { "M1S", 16 } };
	static const char *const all[] = { "C1", "R1", "M1", "C1S", "R1S", "M1S", "C4S", "M2S" };
	int before[sizeof(all) / sizeof(*all)];
	char uuid[MANY][37];
	unsigned int i, n = 0;
	int k;

	mdev_remove_all();
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		before[i] = mdev_available(all[i]);
		EXPECT_LT(0, before[i]);
	}
	for (i = 0; i < sizeof(mix) / sizeof(*mix); i++) {
		int avail = mdev_available(mix[i].type);

		for (k = 0; k < mix[i].count; k++) {
			ASSERT_EQ(avail - k, mdev_available(mix[i].type));
			ASSERT_EQ(0, mdev_create(mix[i].type, uuid[n]));
			n++;
		}
	}
	ASSERT_EQ(MANY, n);
	while (n--)
		EXPECT_EQ(0, mdev_remove(uuid[n]));
	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		EXPECT_EQ(before[i], mdev_available(all[i]));
}

TEST(attributes)
{
	static const char *const bad_weights[] = { "0",	 "10001", "-1", "x", "99999999999999999999",
						   "1 2" };
	static const char *const bad_caps[] = { "101", "-1", "half", "4294967297" };
	char uuid[37];
	size_t i;
	int mark;

	mdev_remove_all();
	ASSERT_EQ(0, mdev_create("C1S", uuid));
	EXPECT_EQ(0, strcmp("100", mdev_attr(uuid, "weight")));
	EXPECT_EQ(0, strcmp("0", mdev_attr(uuid, "cap")));
	EXPECT_EQ(0, strcmp("manual", mdev_attr(uuid, "policy")));
	EXPECT_EQ(0, mdev_attr_write(uuid, "weight", "10000\n"));
	EXPECT_EQ(0, mdev_attr_write(uuid, "weight", "1"));
	EXPECT_EQ(0, strcmp("1", mdev_attr(uuid, "weight")));
	EXPECT_EQ(0, mdev_attr_write(uuid, "cap", "100"));
	EXPECT_EQ(0, mdev_attr_write(uuid, "cap", "25"));
	EXPECT_EQ(0, strcmp("25", mdev_attr(uuid, "cap")));
	EXPECT_EQ(0, mdev_attr_write(uuid, "policy", "auto\n"));
	EXPECT_EQ(0, strcmp("auto", mdev_attr(uuid, "policy")));
	EXPECT_EQ(0, mdev_attr_write(uuid, "policy", "manual"));
	for (i = 0; i < sizeof(bad_weights) / sizeof(*bad_weights); i++) {
		mark = log_mark();
		EXPECT_EQ(-EINVAL, mdev_attr_write(uuid, "weight", bad_weights[i]));
		EXPECT_TRUE(log_says(mark, "1 to 10000"));
	}
	for (i = 0; i < sizeof(bad_caps) / sizeof(*bad_caps); i++) {
		mark = log_mark();
		EXPECT_EQ(-EINVAL, mdev_attr_write(uuid, "cap", bad_caps[i]));
		EXPECT_TRUE(log_says(mark, "1 to 100 percent"));
	}
	mark = log_mark();
	EXPECT_EQ(-EINVAL, mdev_attr_write(uuid, "policy", "automatic"));
	EXPECT_TRUE(log_says(mark, "manual or auto"));
	EXPECT_EQ(0, strcmp("1", mdev_attr(uuid, "weight")));
	EXPECT_EQ(0, strcmp("25", mdev_attr(uuid, "cap")));
	EXPECT_EQ(0, strcmp("manual", mdev_attr(uuid, "policy")));
	EXPECT_EQ(0, mdev_remove(uuid));
}

/* There is nothing to weigh where nobody shares, but it can be moved */
TEST(attributes_of_exclusive)
{
	char uuid[37];

	mdev_remove_all();
	ASSERT_EQ(0, mdev_create("M1", uuid));
	EXPECT_EQ(-EOPNOTSUPP, mdev_attr_write(uuid, "weight", "50"));
	EXPECT_EQ(-EOPNOTSUPP, mdev_attr_write(uuid, "cap", "50"));
	EXPECT_EQ(0, mdev_attr_write(uuid, "policy", "auto"));
	EXPECT_EQ(0, strcmp("auto", mdev_attr(uuid, "policy")));
	EXPECT_EQ(0, mdev_remove(uuid));
}

/* ---- several on one slice ---- */

FIXTURE(shared)
{
	struct vgpu v[CLIENTS];
	struct ring r[CLIENTS];
	char uuid[CLIENTS][37];
};

FIXTURE_SETUP(shared)
{
	unsigned int i;
	int slice;

	mdev_remove_all();
	for (i = 0; i < CLIENTS; i++) {
		ASSERT_EQ(0, mdev_create("C1S", self->uuid[i]));
		ASSERT_EQ(0, vgpu_open(&self->v[i], self->uuid[i]));
	}
	slice = vslice_get(self->uuid[0], 0, "slice");
	ASSERT_LE(0, slice);
	for (i = 1; i < CLIENTS; i++)
		ASSERT_EQ(0, vslice_move(self->uuid[i], 0, slice));
}

FIXTURE_TEARDOWN(shared)
{
	unsigned int i;

	for (i = 0; i < CLIENTS; i++) {
		vgpu_close(&self->v[i]);
		EXPECT_EQ(0, mdev_remove(self->uuid[i]));
	}
}

/* The client wants the slice all the time: it waits for what does not come */
static void occupy(struct ring *r)
{
	ring_await(r, DATA_GPA);
	ring_fence(r, false);
}

static volatile uint64_t *doorbell_page(struct vgpu *v)
{
	return (volatile uint64_t *)v->doorbells;
}

/* Words of a doorbell page that are no register of it */
static const unsigned int scratch[] = { 1, 63, 256, 511 };
#define SCRATCH (sizeof(scratch) / sizeof(*scratch))

static uint64_t cookie(unsigned int client, unsigned int n)
{
	return 0xc00c1e0000000000ULL | (uint64_t)client << 32 | n;
}

/*
 * What is stored to one's page is seen there, or nowhere: the page is memory while the
 * vslice is parked, and a register page that ignores it while it is not.
 */
TEST_F_TIMEOUT(shared, parking_pages_are_private, 120)
{
	unsigned int n, i, k, parked = 0;

	ring_start(&self->r[0], &self->v[0], 0);
	occupy(&self->r[0]);
	for (n = 0; n < 60; n++) {
		for (i = 0; i < SCRATCH; i++)
			doorbell_page(&self->v[n % CLIENTS])[scratch[i]] = cookie(n % CLIENTS, n);
		for (k = 0; k < CLIENTS; k++) {
			for (i = 0; i < SCRATCH; i++) {
				uint64_t seen = doorbell_page(&self->v[k])[scratch[i]];

				if (!seen)
					continue;
				ASSERT_EQ(cookie(k, 0), seen & ~0xffffffffULL);
				parked++;
			}
		}
	}
	TH_LOG("%u times memory was read", parked);
	EXPECT_LT(0, parked);
}

/* A page that is memory right now and holds @value; false after many attempts */
static bool fill_parked(struct __fixture_shared *self, unsigned int k, uint64_t value)
{
	unsigned int n;

	for (n = 0; n < 100; n++) {
		if (!wait_parked(self->uuid[k]))
			return false;
		doorbell_page(&self->v[k])[1] = value;
		if (doorbell_page(&self->v[k])[1] == value)
			return true;
	}
	return false;
}

/*
 * A word that a client finds in its page: zero, or the all ones that the register of a served GPU has,
 * if the vslice is on the slice by now. Reading wakes it.
 */
static bool is_empty(uint64_t word)
{
	return !word || word == TESSERA_USER_NO_DOORBELL;
}

TEST_F_TIMEOUT(shared, parking_pages_are_zeroed, 120)
{
	uint64_t words[2];
	unsigned int n;

	ring_start(&self->r[0], &self->v[0], 0);
	occupy(&self->r[0]);
	for (n = 0; n < 5; n++) {
		ASSERT_TRUE(fill_parked(self, 1, cookie(1, n)));
		vgpu_close(&self->v[1]);
		ASSERT_EQ(0, vgpu_open(&self->v[1], self->uuid[1]));
		ASSERT_TRUE(wait_parked(self->uuid[1]));
		words[0] = doorbell_page(&self->v[1])[0];
		words[1] = doorbell_page(&self->v[1])[1];
		if (!is_empty(words[0]) || !is_empty(words[1]))
			TH_LOG("%#llx, %#llx", (unsigned long long)words[0],
			       (unsigned long long)words[1]);
		EXPECT_TRUE(is_empty(words[0]));
		EXPECT_TRUE(is_empty(words[1]));
	}
}

struct worker {
	struct ring *r;
	unsigned int id;
	unsigned int jobs;
	const char *wrong;
};

/* One doorbell for each job, and none after it: a store that is lost is a job that hangs */
static void *work(void *arg)
{
	struct worker *w = arg;
	struct vgpu *v = w->r->v;
	unsigned int n;

	for (n = 0; n < w->jobs && !w->wrong; n++) {
		uint32_t pattern = w->id << 24 | n;
		volatile uint32_t *out = ram_at(v, DATA_GPA);

		ring_fill(w->r, DATA_GPA, PAGE, pattern);
		ring_fence(w->r, false);
		if (ring_wait_record(w->r))
			w->wrong = "a job did not end";
		else if (out[0] != pattern || out[PAGE / 4 - 1] != pattern)
			w->wrong = "a job's result is wrong";
	}
	return NULL;
}

/* A doorbell for each packet, as fast as they can be stored and the ring takes them */
static void *flood(void *arg)
{
	struct worker *w = arg;
	struct ring *r = w->r;
	unsigned int n;

	for (n = 0; n < w->jobs && !w->wrong; n++) {
		long end = now_ms() + POLL_MS;

		/* All packets are fences: what is complete is known without a register */
		while (r->seq - r->rec->seq > (1U << r->log2) - 4 && !w->wrong) {
			if (now_ms() > end)
				w->wrong = "packets were forgotten";
			usleep(20);
		}
		ring_fence(r, false);
	}
	if (!w->wrong && ring_wait_record(r))
		w->wrong = "the last packets were forgotten";
	return NULL;
}

static void run_workers(struct __test_metadata *_metadata, struct __fixture_shared *self,
			struct worker w[CLIENTS], void *(*func)(void *))
{
	pthread_t thread[CLIENTS];
	unsigned int i;

	for (i = 0; i < CLIENTS; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, func, &w[i]));
	for (i = 0; i < CLIENTS; i++) {
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
		if (w[i].wrong)
			TH_LOG("client %u: %s", i, w[i].wrong);
		EXPECT_EQ(NULL, w[i].wrong);
		EXPECT_EQ(0, client_reg32(&self->v[i], 0, TESS_SREG_STATUS) & TESS_STATUS_FAULTED);
		EXPECT_EQ(self->r[i].wptr, client_reg64(&self->v[i], 0, TESS_SREG_RPTR));
		EXPECT_EQ(0, mdev_stat(self->uuid[i], "client_faults"));
		/* It did not have the slice for itself */
		EXPECT_LT(0, vslice_get(self->uuid[i], 0, "switches"));
	}
}

/* Rings whose indices are far from each other: a doorbell at a wrong ring is a fault there */
static void start_at(struct ring *r, struct vgpu *v, uint64_t index)
{
	ring_start(r, v, 0);
	client_reg32_write(v, 0, TESS_SREG_CONTROL, 0);
	client_reg64_write(v, 0, TESS_SREG_RPTR, index);
	client_reg64_write(v, 0, TESS_SREG_WPTR, index);
	client_reg32_write(v, 0, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
	r->wptr = index;
}

TEST_F_TIMEOUT(shared, doorbells_under_switches, 180)
{
	struct worker w[CLIENTS] = { 0 };
	unsigned int i;

	for (i = 0; i < CLIENTS; i++) {
		start_at(&self->r[i], &self->v[i], (uint64_t)(i + 1) << 40);
		w[i] = (struct worker){ .r = &self->r[i], .id = i + 1, .jobs = 150 };
	}
	run_workers(_metadata, self, w, work);
}

/* A value that was caught must not be passed on after a newer one: it would undo it */
TEST_F_TIMEOUT(shared, doorbells_never_go_back, 180)
{
	struct worker w[CLIENTS] = { 0 };
	unsigned int i;

	for (i = 0; i < CLIENTS; i++) {
		start_at(&self->r[i], &self->v[i], (uint64_t)(i + 1) << 40);
		w[i] = (struct worker){ .r = &self->r[i], .jobs = 4000 };
	}
	run_workers(_metadata, self, w, flood);
}

/* ---- registers of a parked vslice ---- */

TEST_F(shared, parked_registers)
{
	struct vgpu *v = &self->v[1];
	struct ring *r = &self->r[1];
	uint64_t wptr;
	unsigned int n;

	ring_start(r, v, 0);
	for (n = 0; n < 5; n++)
		ring_fill(r, DATA_GPA, PAGE, n);
	ASSERT_EQ(0, ring_finish(r));
	ring_start(&self->r[0], &self->v[0], 0);
	occupy(&self->r[0]);
	ASSERT_TRUE(wait_parked(self->uuid[1]));
	EXPECT_EQ(TESS_KIND_COMPUTE, client_reg32(v, 0, TESS_SREG_KIND));
	EXPECT_EQ(8, client_reg32(v, 0, TESS_SREG_CORES));
	EXPECT_EQ(TESS_ENGINE_COMPUTE | TESS_ENGINE_COPY, client_reg32(v, 0, TESS_SREG_ENGINES));
	EXPECT_EQ(TESS_STATUS_ENABLED, client_reg32(v, 0, TESS_SREG_STATUS));
	EXPECT_EQ(TESS_CONTROL_ENABLE, client_reg32(v, 0, TESS_SREG_CONTROL));
	EXPECT_EQ(RING_GPA(0), client_reg64(v, 0, TESS_SREG_RING_BASE));
	EXPECT_EQ(RING_GPA(0) >> 32, client_reg32(v, 0, TESS_SREG_RING_BASE + 4));
	EXPECT_EQ(r->log2, client_reg32(v, 0, TESS_SREG_RING_LOG2));
	EXPECT_EQ(RECORD_GPA(0), client_reg64(v, 0, TESS_SREG_COMPLETION));
	EXPECT_EQ(6, client_reg64(v, 0, TESS_SREG_RPTR));
	EXPECT_EQ(6, client_reg64(v, 0, TESS_SREG_WPTR));
	EXPECT_EQ(r->seq, client_reg64(v, 0, TESS_SREG_FENCE_SEQ));
	EXPECT_EQ(6, client_reg64(v, 0, TESS_SREG_COUNTERS + TESS_COUNTER_PACKETS));
	EXPECT_EQ(5 * PAGE, client_reg64(v, 0, TESS_SREG_COUNTERS + TESS_COUNTER_BYTES));
	EXPECT_LT(0, client_reg64(v, 0, TESS_SREG_COUNTERS + TESS_COUNTER_BUSY));
	/* Registers keep their widths */
	EXPECT_EQ(0, client_reg64(v, 0, TESS_SREG_KIND));
	EXPECT_EQ(0, client_reg64(v, 0, TESS_SREG_COUNTERS + TESS_COUNTER_COUNT * 8));
	/* A store to the doorbell is in the register at once, wherever it went */
	for (n = 0; n < 20; n++) {
		ASSERT_TRUE(wait_parked(self->uuid[1]));
		ring_fill(r, DATA_GPA, PAGE, n);
		wptr = r->wptr + 1;
		ring_fence(r, false);
		EXPECT_EQ(wptr, client_reg64(v, 0, TESS_SREG_WPTR));
		EXPECT_EQ((uint32_t)wptr, client_reg32(v, 0, TESS_SREG_WPTR));
		EXPECT_EQ(0, ring_wait(r));
	}
}

/* A store from before a reset moves no ring that is set up after it */
TEST_F(shared, reset_forgets_doorbell)
{
	struct vgpu *v = &self->v[1];
	unsigned int n;

	ring_start(&self->r[0], &self->v[0], 0);
	occupy(&self->r[0]);
	for (n = 0; n < 20; n++) {
		ASSERT_TRUE(wait_parked(self->uuid[1]));
		*doorbell_page(v) = 0x5555;
		client_reg32_write(v, 0, TESS_SREG_RESET, 1);
		EXPECT_EQ(0, client_reg64(v, 0, TESS_SREG_WPTR));
		/* Such a write waits until the vslice is on its slice */
		client_reg64_write(v, 0, TESS_SREG_RING_BASE, RING_GPA(0));
		EXPECT_EQ(0, client_reg64(v, 0, TESS_SREG_WPTR));
		EXPECT_EQ(RING_GPA(0), client_reg64(v, 0, TESS_SREG_RING_BASE));
	}
}

TEST_F(shared, fault_of_parked)
{
	uint8_t bad[DRM_TESSERA_PKT_SIZE] = { 0x55 };
	struct vgpu *v = &self->v[1];
	struct ring *r = &self->r[1];
	int fd = vgpu_eventfd(v, TESS_IRQ_FAULT);
	unsigned int n;

	ASSERT_LE(0, fd);
	ring_start(&self->r[0], &self->v[0], 0);
	occupy(&self->r[0]);
	for (n = 0; n < 5; n++) {
		ring_start(r, v, 0);
		ring_put(r, bad);
		ring_kick(r);
		EXPECT_LE(1, eventfd_wait(fd, 10000));
		/* With a fault it wants nothing; the other one does */
		ASSERT_TRUE(wait_parked(self->uuid[1]));
		EXPECT_EQ(1, reg64(v, TESS_REG_FAULT_PENDING));
		EXPECT_EQ(TESS_STATUS_FAULTED,
			  client_reg32(v, 0, TESS_SREG_STATUS) & TESS_STATUS_FAULTED);
		EXPECT_EQ(DRM_TESSERA_CAUSE_ILLEGAL_PACKET,
			  client_reg32(v, 0, TESS_SREG_FAULT_CAUSE));
		EXPECT_EQ(0, client_reg64(v, 0, TESS_SREG_FAULT_PACKET));
		client_reg32_write(v, 0, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_ABORT);
		EXPECT_EQ(0, reg64(v, TESS_REG_FAULT_PENDING));
		EXPECT_EQ(0, client_reg32(v, 0, TESS_SREG_STATUS) & TESS_STATUS_FAULTED);
		ring_reset(r);
	}
	ring_start(r, v, 0);
	ring_fill(r, DATA_GPA, PAGE, 0x600d600d);
	EXPECT_EQ(0, ring_finish(r));
	EXPECT_EQ(0x600d600d, *(uint32_t *)ram_at(v, DATA_GPA));
	close(fd);
}

/* Completion interrupts find a client that may have left the slice by then */
TEST_F_TIMEOUT(shared, completions_of_parked, 120)
{
	struct ring *r = &self->r[1];
	int fd = vgpu_eventfd(&self->v[1], TESS_IRQ_COMPLETION);
	unsigned int n;

	ASSERT_LE(0, fd);
	ring_start(&self->r[0], &self->v[0], 0);
	occupy(&self->r[0]);
	ring_start(r, &self->v[1], 0);
	for (n = 0; n < 50; n++) {
		r->rec->event = r->seq + 1;
		ring_fill(r, DATA_GPA, PAGE, n);
		ring_fence(r, true);
		ASSERT_LE(1, eventfd_wait(fd, POLL_MS));
		/* One can be too many, of the job before; none is missing */
		while (r->rec->seq != r->seq)
			ASSERT_LE(1, eventfd_wait(fd, POLL_MS));
	}
	close(fd);
}

/* ---- moves ---- */

/* A slice that nobody has: one that a new vGPU would get */
static int free_slice(const char *type)
{
	char uuid[37];
	int slice;

	if (mdev_create(type, uuid))
		return -1;
	slice = vslice_get(uuid, 0, "slice");
	return mdev_remove(uuid) ? -1 : slice;
}

/* ---- memory that is slow ---- */

#define SLOW_SIZE (16 * PAGE)
#define WINDOW (64 * PAGE)
#define WINDOWS (DATA_SIZE / WINDOW - 1)

/* What touches memory that is new, again and again, beside one that waits for its own */
static void work_beside(struct __test_metadata *_metadata, struct slow *s, const char *uuid)
{
	struct vgpu v;
	struct ring r;
	unsigned int i;

	ASSERT_EQ(0, vgpu_open(&v, uuid));
	ring_start(&r, &v, 0);
	for (i = 0; i < WINDOWS; i++) {
		ring_fill(&r, DATA_GPA + i * WINDOW, 64, i);
		ASSERT_EQ(0, ring_finish(&r));
		EXPECT_EQ(i, *(uint32_t *)ram_at(&v, DATA_GPA + i * WINDOW));
	}
	EXPECT_LE(WINDOWS, mdev_stat(uuid, "stage2_faults"));
	EXPECT_FALSE(s->released);
	vgpu_close(&v);
}

TEST_TIMEOUT(slow_memory_of_a_neighbour, 180)
{
	char uuid[2][37];
	struct slow *s;
	int status = -1;
	unsigned int i;
	pid_t pid;

	mdev_remove_all();
	s = slow_start(SLOW_SIZE);
	if (!s)
		SKIP(return, "needs FUSE");
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, mdev_create("C1S", uuid[i]));
	ASSERT_EQ(0, vslice_move(uuid[1], 0, vslice_get(uuid[0], 0, "slice")));
	pid = slow_vm_start(s, uuid[0]);
	ASSERT_LT(0, pid);
	EXPECT_TRUE(slow_wait(s, POLL_MS * patience()));
	work_beside(_metadata, s, uuid[1]);
	EXPECT_EQ(0, mdev_stat(uuid[0], "stage2_refused"));
	slow_release(s);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	slow_end(s);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, mdev_remove(uuid[i]));
}

TEST_TIMEOUT(exclusive_moves, 120)
{
	struct tess_composition *comp;
	int from, to, fd;
	char uuid[37];
	struct ring r;
	struct vgpu v;
	uint64_t gen;
	unsigned int n;

	mdev_remove_all();
	ASSERT_EQ(0, mdev_create("C1", uuid));
	ASSERT_EQ(0, vgpu_open(&v, uuid));
	fd = vgpu_eventfd(&v, TESS_IRQ_EVENT);
	ASSERT_LE(0, fd);
	comp = vgpu_mmap(&v, TESS_BAR_REGS, TESS_COMPOSITION_PAGE, PAGE);
	ASSERT_NE(MAP_FAILED, comp);
	ring_start(&r, &v, 0);
	for (n = 0; n < 6; n++) {
		from = vslice_get(uuid, 0, "slice");
		to = free_slice("C1");
		ASSERT_LE(0, to);
		ASSERT_NE(from, to);
		gen = reg64(&v, TESS_REG_GENERATION);
		/* In mid-work */
		ring_fill(&r, DATA_GPA, DATA_SIZE, 0xabc00000 + n);
		ring_fence(&r, false);
		ASSERT_EQ(0, vslice_move(uuid, 0, to));
		EXPECT_EQ(to, vslice_get(uuid, 0, "slice"));
		EXPECT_LE(1, eventfd_wait(fd, 5000));
		EXPECT_EQ(1, reg64(&v, TESS_REG_EVENT_PENDING));
		reg64_write(&v, TESS_REG_EVENT_PENDING, 1);
		EXPECT_EQ(0, reg64(&v, TESS_REG_EVENT_PENDING));
		EXPECT_LT(gen, reg64(&v, TESS_REG_GENERATION));
		EXPECT_EQ(reg64(&v, TESS_REG_GENERATION), comp->generation);
		EXPECT_EQ(to, comp->slice[0].id);
		EXPECT_EQ(0, ring_wait(&r));
		EXPECT_EQ(0xabc00000 + n, *(uint32_t *)ram_at(&v, DATA_GPA));
		EXPECT_EQ(0xabc00000 + n, *(uint32_t *)ram_at(&v, DATA_GPA + DATA_SIZE - 4));
		/* The doorbell leads to the new slice */
		ring_fill(&r, DATA_GPA, PAGE, n);
		EXPECT_EQ(0, ring_finish(&r));
	}
	/* There already, and nowhere */
	EXPECT_EQ(0, vslice_move(uuid, 0, to));
	EXPECT_EQ(-EINVAL, vslice_move(uuid, 0, 1000));
	EXPECT_EQ(to, vslice_get(uuid, 0, "slice"));
	close(fd);
	vgpu_close(&v);
	EXPECT_EQ(0, mdev_remove(uuid));
}

TEST_HARNESS_MAIN
