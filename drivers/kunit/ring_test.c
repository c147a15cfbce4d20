// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs of rings: numbers, room, what the back-end says is complete. The mock has the ops that this
 * needs and counts how often it is asked.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/overflow.h>
#include <tessera/ring.h>
#include <tessera/vgpu.h>

#include "source.h"
#include "../core/run/ring.c"

#define RING_CAPACITY	4

/**
 * struct mock - a GPU with a ring
 * @gpu: GPU
 * @be: its back-end
 * @hw: ring of the back-end
 * @ring: ring
 * @vgpu: what it is a ring of, with one vslice
 * @frames: what ring_hint() told so far
 * @operations: the same
 * @hinted: calls of it
 * @refuse: what ring_submit() returns
 * @submitted: number of the last job that it took
 * @kicked: number that ring_kick() told last
 * @armed: number that ring_arm() was called for last
 * @completed: what the GPU says
 * @asked: calls of ring_completed()
 */
struct mock {
	struct tess_gpu gpu;
	struct tess_backend be;
	struct tess_hw_ring hw;
	struct tess_ring ring;
	struct tess_vgpu *vgpu;
	u64 frames;
	u64 operations;
	unsigned int hinted;
	int refuse;
	u64 submitted;
	u64 kicked;
	u64 armed;
	u64 completed;
	unsigned int asked;
};

/* ---- what rings use of the core, but not here ---- */

/* Address spaces are those of this GPU */
static struct tess_gpu *as_gpu;

struct tess_gpu *tess_as_gpu(const struct tess_as *as)
{
	return as_gpu;
}

struct tess_hw_as *tess_as_hw(const struct tess_as *as)
{
	return NULL;
}

enum tess_as_stage tess_as_stage(const struct tess_as *as)
{
	return TESS_AS_STAGE1;
}

struct tess_context *tess_context_create(struct tess_gpu *gpu)
{
	return ERR_PTR(-ENOMEM);
}

void tess_context_destroy(struct tess_context *ctx)
{
}

struct tess_hw_context *tess_context_hw(const struct tess_context *ctx)
{
	return NULL;
}

bool tess_context_has_work(const struct tess_context *ctx)
{
	return false;
}

bool tess_context_fault(const struct tess_context *ctx, struct tess_fault *fault)
{
	return false;
}

int tess_context_counters(const struct tess_context *ctx, u64 counters[TESS_COUNTS])
{
	return -ENODEV;
}

struct tess_slice *tess_vslice_begin(struct tess_vgpu *vgpu, unsigned int vslice, int *idx)
{
	return ERR_PTR(-ENODEV);
}

void tess_vslice_end(struct tess_slice *slice, int idx)
{
}

void tess_fault_init_vslice(struct tess_vslice *vs)
{
}

void tess_fault_forget(struct tess_slice *slice)
{
}

void tess_fault_acked(struct tess_slice *slice)
{
}

void tess_fault_acked_parked(struct tess_slice *slice, struct tess_vslice *vs)
{
}

void tess_sched_init_vslice(struct tess_vslice *vs)
{
}

void tess_sched_settle(struct tess_slice *slice)
{
}

void tess_slice_look(struct tess_slice *slice)
{
}

/* ---- back-end ---- */

static struct mock *to_mock(const struct tess_hw_ring *hw)
{
	return (struct mock *)container_of_const(hw, struct mock, hw);
}

static int mock_submit(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq,
		       struct tess_hw_as *as, u64 cmd, u32 count)
{
	struct mock *m = to_mock(hw);

	if (!m->refuse)
		m->submitted = seq;
	return m->refuse;
}

static void mock_kick(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq)
{
	to_mock(hw)->kicked = seq;
}

static u64 mock_completed(const struct tess_hw_ring *hw)
{
	to_mock(hw)->asked++;
	return to_mock(hw)->completed;
}

static u64 mock_arm(struct tess_hw_ring *hw, u64 seq)
{
	to_mock(hw)->armed = seq;
	return to_mock(hw)->completed;
}

/* Each job takes as many cycles as its number */
static u64 mock_usage(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq)
{
	return seq;
}

static void mock_hint(struct tess_hw_ring *hw, u32 frames, u64 operations)
{
	to_mock(hw)->frames += frames;
	to_mock(hw)->operations += operations;
	to_mock(hw)->hinted++;
}

static const struct tess_backend_ops mock_ops = {
	.ring_submit = mock_submit,
	.ring_kick = mock_kick,
	.ring_completed = mock_completed,
	.ring_arm = mock_arm,
	.ring_usage = mock_usage,
	.ring_hint = mock_hint,
};

static int mock_init(struct kunit *test)
{
	struct mock *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	if (!m || init_srcu_struct(&m->gpu.srcu))
		return -ENOMEM;
	test->priv = m;
	m->be.ops = &mock_ops;
	m->gpu.be = &m->be;
	m->vgpu = kunit_kzalloc(test, struct_size(m->vgpu, vslices, 1), GFP_KERNEL);
	if (!m->vgpu) {
		cleanup_srcu_struct(&m->gpu.srcu);
		return -ENOMEM;
	}
	m->vgpu->nr_vslices = 1;
	m->ring.vs.vgpu = m->vgpu;
	m->ring.obj.gpu = &m->gpu;
	m->ring.hw = &m->hw;
	m->ring.capacity = RING_CAPACITY;
	spin_lock_init(&m->ring.lock);
	as_gpu = &m->gpu;
	return 0;
}

static void mock_exit(struct kunit *test)
{
	struct mock *m = test->priv;

	if (m)
		cleanup_srcu_struct(&m->gpu.srcu);
}

/* Number of the job; 0 and @rc if there is none */
static u64 mock_job(struct mock *m, int *rc)
{
	const struct tess_job job = { .count = 1 };
	u64 seq = 0;

	*rc = tess_ring_submit(&m->ring, &job, &seq);
	return seq;
}

static void mock_jobs(struct kunit *test, unsigned int count)
{
	int rc;

	while (count--) {
		mock_job(test->priv, &rc);
		KUNIT_ASSERT_EQ(test, rc, 0);
	}
}

/* ---- tests ---- */

/* The back-end is asked only when the ring seems full */
static void ring_room(struct kunit *test)
{
	struct mock *m = test->priv;
	int rc;

	mock_jobs(test, RING_CAPACITY);
	KUNIT_EXPECT_EQ(test, m->kicked, RING_CAPACITY);
	KUNIT_EXPECT_EQ(test, m->asked, 0);
	KUNIT_EXPECT_EQ(test, mock_job(m, &rc), 0);
	KUNIT_EXPECT_EQ(test, rc, -ENOSPC);
	KUNIT_EXPECT_EQ(test, m->submitted, RING_CAPACITY);
	m->completed = 1;
	KUNIT_EXPECT_EQ(test, mock_job(m, &rc), RING_CAPACITY + 1);
	KUNIT_EXPECT_EQ(test, rc, 0);
	mock_job(m, &rc);
	KUNIT_EXPECT_EQ(test, rc, -ENOSPC);
}

/* A job that the back-end does not take has no number */
static void ring_refused(struct kunit *test)
{
	struct mock *m = test->priv;
	int rc;

	mock_jobs(test, 1);
	m->refuse = -EIO;
	KUNIT_EXPECT_EQ(test, mock_job(m, &rc), 0);
	KUNIT_EXPECT_EQ(test, rc, -EIO);
	KUNIT_EXPECT_EQ(test, m->kicked, 1);
	/* So it can not be complete either */
	m->completed = 2;
	KUNIT_EXPECT_EQ(test, tess_ring_completed(&m->ring), 0);
	m->refuse = 0;
	KUNIT_EXPECT_EQ(test, mock_job(m, &rc), 2);
	KUNIT_EXPECT_EQ(test, m->submitted, 2);
	KUNIT_EXPECT_EQ(test, tess_ring_completed(&m->ring), 2);
}

/* The GPU may say what it likes: only what was submitted is complete, and stays so */
static void ring_lies(struct kunit *test)
{
	static const u64 numbers[] = { 4, 1ULL << 63, ~0ULL, 1, 0 };
	struct mock *m = test->priv;
	unsigned int i;

	mock_jobs(test, 3);
	m->completed = 2;
	KUNIT_EXPECT_EQ(test, tess_ring_completed(&m->ring), 2);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		m->completed = numbers[i];
		KUNIT_EXPECT_EQ(test, tess_ring_completed(&m->ring), 2);
		KUNIT_EXPECT_FALSE(test, tess_ring_arm(&m->ring, 3));
	}
}

/* The router finds the number that was armed, and what is complete by then is told at once */
static void ring_arm(struct kunit *test)
{
	struct mock *m = test->priv;

	mock_jobs(test, 2);
	KUNIT_EXPECT_FALSE(test, tess_ring_arm(&m->ring, 1));
	KUNIT_EXPECT_EQ(test, m->armed, 1);
	KUNIT_EXPECT_EQ(test, m->hw.event, 1);
	m->completed = 2;
	KUNIT_EXPECT_TRUE(test, tess_ring_arm(&m->ring, 2));
	KUNIT_EXPECT_EQ(test, m->armed, 2);
	KUNIT_EXPECT_EQ(test, m->hw.event, 2);
	/* It says so itself */
	KUNIT_EXPECT_EQ(test, m->asked, 0);
}

/* Only what is complete, and in the ring still, has used something */
static void ring_used(struct kunit *test)
{
	struct mock *m = test->priv;

	mock_jobs(test, 3);
	m->completed = 2;
	KUNIT_EXPECT_EQ(test, tess_ring_usage(&m->ring, 0), 0);
	KUNIT_EXPECT_EQ(test, tess_ring_usage(&m->ring, 2), 2);
	KUNIT_EXPECT_EQ(test, m->asked, 1);
	/* That is known by now */
	KUNIT_EXPECT_EQ(test, tess_ring_usage(&m->ring, 1), 1);
	KUNIT_EXPECT_EQ(test, m->asked, 1);
	KUNIT_EXPECT_EQ(test, tess_ring_usage(&m->ring, 3), 0);
	m->completed = 3;
	KUNIT_EXPECT_EQ(test, tess_ring_usage(&m->ring, 3), 3);
	mock_jobs(test, RING_CAPACITY);
	KUNIT_EXPECT_EQ(test, tess_ring_usage(&m->ring, 3), 0);
}

/* A ring that was stopped for good knows what it knew */
static void ring_stopped(struct kunit *test)
{
	struct mock *m = test->priv;
	int rc;

	mock_jobs(test, 3);
	m->completed = 1;
	KUNIT_EXPECT_EQ(test, tess_ring_completed(&m->ring), 1);
	m->ring.hw = NULL;
	m->completed = 3;
	KUNIT_EXPECT_EQ(test, tess_ring_completed(&m->ring), 1);
	KUNIT_EXPECT_TRUE(test, tess_ring_arm(&m->ring, 1));
	KUNIT_EXPECT_FALSE(test, tess_ring_arm(&m->ring, 2));
	KUNIT_EXPECT_EQ(test, m->armed, 0);
	mock_job(m, &rc);
	KUNIT_EXPECT_EQ(test, rc, -ENODEV);
}

/* Hints of jobs that are in the ring are added up, for the back-end and for the analyzer */
static void ring_hints(struct kunit *test)
{
	struct tess_job job = { .count = 1, .frames = 1, .operations = 1000 };
	struct mock *m = test->priv;
	struct tess_vslice *vs = &m->vgpu->vslices[0];
	u64 seq;

	mock_jobs(test, 1);
	KUNIT_EXPECT_EQ(test, m->hinted, 0);
	KUNIT_EXPECT_EQ(test, tess_ring_submit(&m->ring, &job, &seq), 0);
	job.frames = 0;
	KUNIT_EXPECT_EQ(test, tess_ring_submit(&m->ring, &job, &seq), 0);
	m->refuse = -EIO;
	KUNIT_EXPECT_EQ(test, tess_ring_submit(&m->ring, &job, &seq), -EIO);
	KUNIT_EXPECT_EQ(test, m->hinted, 2);
	KUNIT_EXPECT_EQ(test, m->frames, 1);
	KUNIT_EXPECT_EQ(test, m->operations, 2000);
	/* Another ring of the vslice had some before */
	atomic64_add(5, &vs->frames);
	m->refuse = 0;
	job.frames = 2;
	job.operations = 0;
	KUNIT_EXPECT_EQ(test, tess_ring_submit(&m->ring, &job, &seq), 0);
	KUNIT_EXPECT_EQ(test, m->frames, 3);
	KUNIT_EXPECT_EQ(test, atomic64_read(&vs->frames), 8);
	KUNIT_EXPECT_EQ(test, atomic64_read(&vs->operations), 2000);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(ring_room),
	KUNIT_CASE(ring_refused),
	KUNIT_CASE(ring_lies),
	KUNIT_CASE(ring_arm),
	KUNIT_CASE(ring_used),
	KUNIT_CASE(ring_stopped),
	KUNIT_CASE(ring_hints),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "tessera_ring",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
