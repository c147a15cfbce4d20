// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A vGPU is saved and goes on as another one, and what it writes is logged, with every allocation
 * of each step failing: the step can be done again, nothing is lost of what was saved, and no page
 * is missing in the log.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "nth.h"
#include "saved.h"

#define TRY_S 1800
#define SMALL "slices=1 max=2 kind=compute memory=2M"
#define OTHER "slices=2 max=2 kind=compute memory=2M share=shared"
#define STREAM_SIZE (4 << 20)
#define FILLED (3 * PAGE)
#define VRAM_AT (1 << 20)
#define PAGES (RAM_SIZE / PAGE)
#define WRITTEN ((DATA_GPA - RAM_GPA) / PAGE + 5)

/**
 * struct journey - two vGPUs
 * @e: them
 * @r: ring of the first
 * @file: that is read from the first; -1: none
 * @stream: what was read
 * @size: bytes of it
 * @seed: of what is in the first one's VRAM
 * @slices_free: as both are there
 * @told: pages that the log names
 */
struct journey {
	struct ends e;
	struct ring r;
	int file;
	uint8_t stream[STREAM_SIZE];
	size_t size;
	uint32_t seed;
	long long slices_free;
	uint64_t told[PAGES / 64];
};

/* The kernel writes to it while its allocations fail: all of it is there before */
static struct journey journey;

FIXTURE(nth_saved)
{
	struct journey *j;
};

FIXTURE_SETUP(nth_saved)
{
	struct journey *j = self->j = &journey;

	ASSERT_EQ(0, nth_setup());
	memset(j, 0xa5, sizeof(*j));
	j->file = -1;
	ends_begin(&j->e);
	ASSERT_EQ(0, ends_open(&j->e, SMALL, OTHER));
	ring_start(&j->r, &j->e.src, 0);
	ring_fill(&j->r, DATA_GPA, 16 * PAGE, 1);
	ASSERT_EQ(0, ring_finish(&j->r));
	j->slices_free = pool_value("slices_free");
}

FIXTURE_TEARDOWN(nth_saved)
{
	ends_close(&self->j->e);
}

static int journey_books(void *data)
{
	struct journey *j = data;

	return j->slices_free != pool_value("slices_free");
}

#define expect_unwinds(name, prepare, run, undo)                                 \
	do {                                                                     \
		static const struct nth_op op = { name, prepare, run, undo, 0 }; \
                                                                                 \
		EXPECT_LE(0, nth_try(&op, self->j, journey_books));              \
	} while (0)

/* ---- saving ---- */

/* Another content each time */
static int prepare_source(void *data)
{
	static uint8_t content[FILLED];
	struct journey *j = data;

	pattern_fill(content, FILLED, ++j->seed);
	j->size = 0;
	if (region_write(&j->e.src, TESS_BAR_VRAM, VRAM_AT, content, FILLED) != FILLED)
		return -EIO;
	return 0;
}

static int close_file(struct journey *j)
{
	if (j->file >= 0)
		close(j->file);
	j->file = -1;
	return 0;
}

/* To its end, or until nothing is there just now; can be called again after a failure */
static int read_on(struct journey *j)
{
	ssize_t len;

	do {
		len = read(j->file, j->stream + j->size, STREAM_SIZE - j->size);
		if (len < 0)
			return errno == ENOMSG ? 0 : -errno;
		j->size += len;
	} while (len);
	return 0;
}

static int begin(void *data)
{
	struct journey *j = data;

	return mig_set(&j->e.src, VFIO_DEVICE_STATE_PRE_COPY, &j->file);
}

static int prepare_begun(void *data)
{
	return prepare_source(data) ?: begin(data);
}

static int read_running(void *data)
{
	struct vfio_precopy_info info;
	struct journey *j = data;

	return mig_info(j->file, &info) ?: read_on(j);
}

static int prepare_read(void *data)
{
	return prepare_begun(data) ?: read_running(data);
}

static int read_stopped(void *data)
{
	struct journey *j = data;
	int none;

	return mig_set(&j->e.src, VFIO_DEVICE_STATE_STOP_COPY, &none) ?: read_on(j);
}

static int prepare_stopped(void *data)
{
	return prepare_read(data) ?: read_stopped(data);
}

/* ---- loading ---- */

static int load(void *data)
{
	struct journey *j = data;
	int file = -1, ret;

	ret = mig_reset(&j->e.dst) ?: mig_load(&j->e.dst, j->stream, j->size, PAGE, &file);
	if (file >= 0)
		close(file);
	return ret ?: mig_go(&j->e.dst, VFIO_DEVICE_STATE_RUNNING);
}

/* The destination has what the source had, which goes on without a reset */
static int arrived(void *data)
{
	static uint8_t content[FILLED];
	struct journey *j = data;
	int ret;

	close_file(j);
	ret = mig_go(&j->e.src, VFIO_DEVICE_STATE_RUNNING);
	if (ret)
		return ret;
	if (region_read(&j->e.dst, TESS_BAR_VRAM, VRAM_AT, content, FILLED) != FILLED)
		return -EIO;
	if (pattern_check(content, FILLED, j->seed) >= 0)
		return -EBADMSG;
	ring_fill(&j->r, DATA_GPA, PAGE, j->seed);
	return ring_finish(&j->r);
}

/* What was read is good for the destination */
static int finish_stopped(void *data)
{
	return load(data) ?: arrived(data);
}

static int finish_running(void *data)
{
	return read_stopped(data) ?: finish_stopped(data);
}

static int finish_begun(void *data)
{
	return read_running(data) ?: finish_running(data);
}

TEST_F_TIMEOUT(nth_saved, begin, TRY_S)
{
	expect_unwinds("PRE_COPY", prepare_source, begin, finish_begun);
}

TEST_F_TIMEOUT(nth_saved, read_running, TRY_S)
{
	expect_unwinds("reading while it runs", prepare_begun, read_running, finish_running);
}

TEST_F_TIMEOUT(nth_saved, read_stopped, TRY_S)
{
	expect_unwinds("reading while it stands still", prepare_read, read_stopped, finish_stopped);
}

TEST_F_TIMEOUT(nth_saved, load, TRY_S)
{
	expect_unwinds("loading", prepare_stopped, load, arrived);
}

/* ---- the log ---- */

static int prepare_log(void *data)
{
	struct journey *j = data;
	int ret = mig_log_start(&j->e.src);

	/* Into a page that comes now, and one that was there */
	ring_fill(&j->r, RAM_GPA + WRITTEN * PAGE, PAGE, ++j->seed);
	ring_fill(&j->r, RAM_GPA + (PAGES - 1) * PAGE, PAGE, j->seed);
	return ret ?: ring_finish(&j->r);
}

static bool told(const struct journey *j, unsigned int page)
{
	return j->told[page / 64] >> page % 64 & 1;
}

/* Bits of a question that failed count as those of the one after it */
static int report(void *data)
{
	struct journey *j = data;

	return mig_log_report(&j->e.src, RAM_GPA, RAM_SIZE, j->told);
}

static int none_is_missing(void *data)
{
	struct journey *j = data;
	bool all = told(j, WRITTEN) && told(j, PAGES - 1);

	memset(j->told, 0, sizeof(j->told));
	return mig_log_stop(&j->e.src) ?: all ? 0 : -EBADMSG;
}

/* They are to be unpinned with the reset */
static int prepare_release(void *data)
{
	memset(((struct journey *)data)->told, 0, sizeof(journey.told));
	return prepare_log(data);
}

static int release(void *data)
{
	struct journey *j = data;

	return mig_reset(&j->e.src);
}

static int released(void *data)
{
	struct journey *j = data;
	int ret = report(j) ?: none_is_missing(j);

	ring_start(&j->r, &j->e.src, 0);
	return ret;
}

TEST_F_TIMEOUT(nth_saved, log, TRY_S)
{
	if (!mig_logs(&self->j->e.src))
		SKIP(return, "a kernel without CONFIG_IOMMUFD_DRIVER");
	expect_unwinds("the log", prepare_release, report, none_is_missing);
	expect_unwinds("pages that go", prepare_release, release, released);
}

TEST_HARNESS_MAIN
