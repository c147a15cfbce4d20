// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes that share a slice through DRM: who gets how much, by what fdinfo says that their
 * jobs took, beside each other, beside endless jobs and beside a VM.
 *
 * TESS_WINDOW_MS is the length of a measurement in GPU time, TESS_STUCK_SLICE a slice that does
 * not preempt.
 */
#include <math.h>
#include <sys/klog.h>

#include "harness.h"
#include "load.h"
#include "tess_ctx.h"
#include "tess_feed.h"

#define JOB_COUNT 20000u /* about 10 ms of GPU time */
#define SETTLE_MS 200
#define ROUNDS 5u
#define MAX_FEEDS 66u

FIXTURE(processes)
{
	struct tess_feed feed[MAX_FEEDS];
	unsigned int n;
	unsigned int ms;
	int slice;
	int fd;
};

FIXTURE_SETUP(processes)
{
	fresh_start();
	self->ms = setting("TESS_WINDOW_MS", 1500);
	self->fd = tess_open();
	ASSERT_TRUE(tess_takes_turns(self->fd));
	self->slice = tess_find_slice(self->fd, 1);
	ASSERT_LE(0, self->slice);
}

FIXTURE_TEARDOWN(processes)
{
	while (self->n)
		tess_feed_stop(&self->feed[--self->n]);
	close(self->fd);
}

static struct tess_feed *add(struct __fixture_processes *self, int slice, uint32_t priority,
			     uint64_t count)
{
	struct tess_feed *feed = &self->feed[self->n++];

	tess_feed_start(feed, slice, priority, count);
	return feed;
}

/* Until so much GPU time is over */
static void pass(struct __fixture_processes *self, unsigned int ms)
{
	struct drm_tessera_query_gpu gpu;
	uint64_t from = tess_file_time(self->fd);

	tess_query_gpu(self->fd, &gpu);
	while (tess_file_time(self->fd) - from < (uint64_t)ms * gpu.clock_khz)
		sleep_ms(5);
}

/* Until all of @feed have had some jobs */
static void await_start(struct __test_metadata *_metadata, struct __fixture_processes *self,
			unsigned int first)
{
	long end = now_ms() + CLIENT_WAIT_MS * patience();
	unsigned int i;

	for (i = first; i < self->n; i++)
		while (!tess_file_cycles(self->feed[i].fd)) {
			ASSERT_GT(end, now_ms());
			sleep_ms(10);
		}
	pass(self, SETTLE_MS);
}

/* What each of @feed gets of the GPU time that passes */
static void shares(struct __fixture_processes *self, struct tess_feed *feed, unsigned int n,
		   unsigned int ms, double *share)
{
	uint64_t before[MAX_FEEDS], from = tess_file_time(self->fd), time;
	unsigned int i;

	for (i = 0; i < n; i++)
		before[i] = tess_file_cycles(feed[i].fd);
	pass(self, ms);
	time = tess_file_time(self->fd) - from;
	printf("# %.1f ms of GPU time, shares:", time / 4000.0);
	for (i = 0; i < n; i++) {
		share[i] = (double)(tess_file_cycles(feed[i].fd) - before[i]) / time;
		printf(" %.4f", share[i]);
	}
	printf("\n");
	fflush(stdout);
}

static double jain(const double *share, unsigned int n)
{
	double sum = 0, squares = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		sum += share[i];
		squares += share[i] * share[i];
	}
	return sum * sum / (n * squares);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *all)
{
	qsort(all, ROUNDS, sizeof(*all), by_value);
	printf("# %.5g to %.5g, median %.5g\n", all[0], all[ROUNDS - 1], all[ROUNDS / 2]);
	return all[ROUNDS / 2];
}

/* Of several measurements the median: a host that stands still for a moment spoils one */
static void equal(struct __test_metadata *_metadata, struct __fixture_processes *self,
		  unsigned int n)
{
	double share[MAX_FEEDS], index[ROUNDS], total[ROUNDS];
	unsigned int i, k;
	char name[32];

	for (i = 0; i < n; i++)
		add(self, self->slice, DRM_TESSERA_PRIORITY_NORMAL, 2 * JOB_COUNT / n);
	await_start(_metadata, self, 0);
	for (k = 0; k < ROUNDS; k++) {
		shares(self, self->feed, n, self->ms, share);
		index[k] = jain(share, n);
		total[k] = 0;
		for (i = 0; i < n; i++)
			total[k] += share[i];
	}
	snprintf(name, sizeof(name), "jain_processes_%u", n);
	index[0] = median(index);
	figure(name, index[0]);
	EXPECT_TRUE(index[0] >= 0.98);
	/*
	 * Fair, and not because all get little, as far as this machine keeps them at work; and nobody
	 * is charged for others' cycles, but for the jobs that a measurement cuts in two
	 */
	total[0] = median(total);
	EXPECT_TRUE(total[0] >= 0.8);
	EXPECT_TRUE(total[0] <= 1.1);
}

TEST_F_TIMEOUT(processes, equal_2, 180)
{
	equal(_metadata, self, 2);
}

TEST_F_TIMEOUT(processes, equal_4, 180)
{
	equal(_metadata, self, 4);
}

TEST_F_TIMEOUT(processes, equal_8, 180)
{
	equal(_metadata, self, 8);
}

/* One that has ten times the weight of another gets about that */
TEST_F_TIMEOUT(processes, low_priority, 180)
{
	double share[2], part[ROUNDS];
	unsigned int k;

	add(self, self->slice, DRM_TESSERA_PRIORITY_NORMAL, JOB_COUNT);
	add(self, self->slice, DRM_TESSERA_PRIORITY_LOW, JOB_COUNT / 4);
	await_start(_metadata, self, 0);
	for (k = 0; k < ROUNDS; k++) {
		shares(self, self->feed, 2, self->ms, share);
		part[k] = share[1] / (share[0] + share[1]);
	}
	part[0] = median(part);
	EXPECT_TRUE(part[0] > 0.07);
	EXPECT_TRUE(part[0] < 0.12);
}

/*
 * A process floods all slices with jobs that never end. Another process works on one of them, and
 * a VM is given a slice meanwhile: both have what is theirs.
 */
TEST_F_TIMEOUT(processes, flood, 240)
{
	struct drm_tessera_query_gpu gpu;
	double share[ROUNDS], of;
	struct tess_feed *other;
	struct client vm;
	struct window w;
	struct load load;
	unsigned int i, k, first;
	long start;

	tess_query_gpu(self->fd, &gpu);
	for (i = 0; i < gpu.slice_count; i++)
		if (gpu.slice_mask >> i & 1)
			add(self, i, DRM_TESSERA_PRIORITY_NORMAL, 0);
	first = self->n;
	pass(self, SETTLE_MS);

	start = now_ms();
	ASSERT_EQ(0, client_open(&vm, "C1"));
	start = now_ms() - start;
	printf("# a VM has its slice after %ld ms\n", start);
	load_init(&load, &vm, 25000, 8);
	ASSERT_EQ(0, client_warm(&vm));

	self->slice = tess_find_slice(self->fd, 1);
	ASSERT_LE(0, self->slice);
	other = add(self, self->slice, DRM_TESSERA_PRIORITY_NORMAL, JOB_COUNT);
	await_start(_metadata, self, first);
	ASSERT_EQ(0, load_settle(&load, 1, SETTLE_MS));
	ASSERT_EQ(0, load_window(&load, 1, 1, self->ms, 0, &w));
	printf("# share of the VM: %.4f\n", window_share(&w, 0));
	EXPECT_TRUE(window_share(&w, 0) >= 0.95);
	ASSERT_EQ(0, load_finish(&load, 1));
	for (k = 0; k < ROUNDS; k++)
		shares(self, other, 1, self->ms, &share[k]);
	of = median(share);
	figure("process_beside_flood_share_pct", 100 * of);
	EXPECT_TRUE(of >= 0.4);
	/* It has what is open of the VM */
	tess_feed_stop(&self->feed[--self->n]);
	client_close(&vm);
}

/* Is there a line of the kernel log with this? */
static bool logged(const char *text)
{
	static char log[1 << 20];
	int n = klogctl(3, log, sizeof(log) - 1);

	return n > 0 && memmem(log, n, text, strlen(text));
}

#define BAN_HANGS "/sys/module/tessera_drm/parameters/ban_hangs"

static void set_ban_hangs(const char *value)
{
	FILE *f = fopen(BAN_HANGS, "w");

	if (!f || fputs(value, f) < 0 || fclose(f))
		tess_die("%s", BAN_HANGS);
}

FIXTURE(hang)
{
	struct tess_ctx bad, good;
	int slice;
};

FIXTURE_SETUP(hang)
{
	self->slice = setting("TESS_STUCK_SLICE", -1);
	if (self->slice < 0)
		SKIP(return, "TESS_STUCK_SLICE is not set");
	tess_ctx_open_on(&self->bad, tess_open(), self->slice);
	tess_ctx_open_on(&self->good, tess_open(), self->slice);
	set_ban_hangs("2");
}

FIXTURE_TEARDOWN(hang)
{
	set_ban_hangs("8");
	close(self->bad.fd);
	close(self->good.fd);
}

/* Does a job of one process make another wait that does not stop for it? */
static int hang_once(struct __test_metadata *_metadata, struct tess_ctx *bad, struct tess_ctx *good)
{
	tess_begin(bad);
	tess_dispatch(bad, TESS_K_LOOP, 8, 16, 0, 0);
	tess_ctx_submit(bad);
	EXPECT_EQ(-ETIME, __tess_syncobj_wait(bad->fd, bad->done, 0, 500));
	tess_begin(good);
	tess_fill(good, TESS_DATA_VA, 4, 0x600d);
	EXPECT_EQ(0, tess_ctx_run(good));
	EXPECT_EQ(0x600du, *(uint32_t *)good->data);
	*(uint32_t *)good->data = 0;
	return tess_ctx_wait(bad);
}

/* Who hangs is told so, loses that job only, and is banned for doing it again and again */
TEST_F_TIMEOUT(hang, again_and_again_is_banned, 120)
{
	struct tess_ctx *bad = &self->bad, *good = &self->good;
	uint32_t id;

	EXPECT_EQ(-ETIME, hang_once(_metadata, bad, good));
	EXPECT_EQ(DRM_TESSERA_QUEUE_HUNG, tess_queue_flags(bad->fd, bad->queue));
	EXPECT_EQ(-EIO, __tess_ctx_submit(bad));
	tess_ctx_new_queue(bad);
	tess_begin(bad);
	tess_fill(bad, TESS_DATA_VA, 4, 7);
	EXPECT_EQ(0, tess_ctx_run(bad));
	EXPECT_EQ(7u, *(uint32_t *)bad->data);

	EXPECT_EQ(-ETIME, hang_once(_metadata, bad, good));
	EXPECT_EQ(DRM_TESSERA_QUEUE_HUNG | DRM_TESSERA_QUEUE_BANNED,
		  tess_queue_flags(bad->fd, bad->queue));
	EXPECT_EQ(-EACCES, __tess_queue_create(bad->fd, bad->vm, bad->slice, 0, &id));
	EXPECT_TRUE(logged("is banned: 2 of its jobs hung"));
	EXPECT_EQ(0u, tess_queue_flags(good->fd, good->queue));
	EXPECT_EQ(0, tess_ctx_run(good));
}

/* A job that says that it has begun, and waits for @data[0] */
static void put_gate(struct tess_ctx *ctx)
{
	tess_begin(ctx);
	tess_fill(ctx, TESS_DATA_VA + 8, 4, 1);
	tess_wait(ctx, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
}

static void await_gate(struct __test_metadata *_metadata, struct tess_ctx *ctx)
{
	volatile uint64_t *data = (volatile uint64_t *)ctx->data;
	long end = now_ms() + CLIENT_WAIT_MS * patience();

	while (!data[1]) {
		ASSERT_GT(end, now_ms());
		sleep_ms(1);
	}
}

static void open_gate(struct tess_ctx *ctx)
{
	*(volatile uint64_t *)ctx->data = 1;
}

/*
 * A job that comes to a dead queue says by its end that the job before it is over, too, which the
 * GPU may still work on
 */
TEST_F_TIMEOUT(hang, banned_queue_ends_in_order, 120)
{
	struct tess_ctx *bad = &self->bad, gate;
	struct drm_tessera_sync in, first, second;

	EXPECT_EQ(-ETIME, hang_once(_metadata, bad, &self->good));
	tess_ctx_new_queue(bad);
	/* On another ring */
	tess_ctx_open_on(&gate, bad->fd, bad->slice + 1);
	put_gate(&gate);
	tess_ctx_submit(&gate);
	in = (struct drm_tessera_sync){ .handle = gate.done };
	first = (struct drm_tessera_sync){ .handle = tess_syncobj_create(bad->fd) };
	second = (struct drm_tessera_sync){ .handle = tess_syncobj_create(bad->fd) };
	put_gate(bad);
	ASSERT_EQ(0, __tess_submit(bad, NULL, 0, &first, 1));
	ASSERT_EQ(0, __tess_submit(bad, &in, 1, &second, 1));
	await_gate(_metadata, &gate);
	await_gate(_metadata, bad);
	set_ban_hangs("1");
	open_gate(&gate);
	EXPECT_EQ(0, tess_ctx_wait(&gate));
	EXPECT_EQ(-ETIME, __tess_syncobj_wait(bad->fd, second.handle, 0, 500));
	EXPECT_EQ(-ETIME, __tess_syncobj_wait(bad->fd, first.handle, 0, 0));
	open_gate(bad);
	EXPECT_EQ(0, __tess_syncobj_wait(bad->fd, first.handle, 0, TESS_WAIT_MS));
	EXPECT_EQ(0, tess_syncobj_status(bad->fd, first.handle));
	EXPECT_EQ(0, __tess_syncobj_wait(bad->fd, second.handle, 0, TESS_WAIT_MS));
	EXPECT_EQ(-ECANCELED, tess_syncobj_status(bad->fd, second.handle));
	EXPECT_EQ(DRM_TESSERA_QUEUE_BANNED, tess_queue_flags(bad->fd, bad->queue));
}

TEST_HARNESS_MAIN
