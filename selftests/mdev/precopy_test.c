// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * VRAM is read while the vGPU runs, and what was written to meanwhile is read again: by the GPU, by
 * CPUs, by a reset, with other slices and another GPU in between. What is told that there is to be
 * read is what there is. The destination has what the source had, byte by byte.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "gpus.h"
#include "harness.h"
#include "saved.h"

#define S(name) VFIO_DEVICE_STATE_##name

#define MEGA (1 << 20)
#define VSLICES 2
/* Of two vslices */
#define VRAM_SIZE (8 * MEGA)
/* A page in the stream, alone */
#define SENT (PAGE + 24)
/* What is left for the end if nothing is written any more */
#define STATE_MAX (65536 + VSLICES * 1638)

/* Default of the core's parameter */
#define QUANTUM_US 2000
#define SMALL "slices=2 kind=render memory=4M"

FIXTURE(precopy)
{
	struct ends e;
	struct saved stream;
	int file;
	uint8_t *vram;
	uint8_t *before;
	size_t live;
};

FIXTURE_SETUP(precopy)
{
	ends_begin(&self->e);
	self->file = -1;
	self->before = malloc(VRAM_SIZE);
	ASSERT_TRUE(self->before);
}

FIXTURE_TEARDOWN(precopy)
{
	if (self->file >= 0)
		close(self->file);
	free(self->before);
	free(self->stream.buf);
	ends_close(&self->e);
}

static uint8_t *map_vram(struct __test_metadata *_metadata, struct vgpu *v)
{
	uint8_t *vram = vgpu_mmap(v, TESS_BAR_VRAM, 0, VRAM_SIZE);

	ASSERT_NE(MAP_FAILED, (void *)vram);
	return vram;
}

/* It has some contents, and all of them were read */
static void begin(struct __test_metadata *_metadata, struct __fixture_precopy *self,
		  const char *from, const char *to)
{
	struct vfio_precopy_info info;

	ASSERT_EQ(0, ends_open(&self->e, from, to));
	/* It is known from then on who wrote what */
	ASSERT_EQ(0, mig_reset(&self->e.src));
	self->vram = map_vram(_metadata, &self->e.src);
	pattern_fill(self->vram + MEGA, 2 * MEGA, 1);
	ASSERT_EQ(0, mig_precopy(&self->e.src, &self->file));
	ASSERT_EQ(0, mig_info(self->file, &info));
	EXPECT_LE(2 * MEGA, info.initial_bytes);
	EXPECT_EQ(0, info.dirty_bytes);
	ASSERT_EQ(-ENOMSG, mig_read(self->file, &self->stream));
	ASSERT_EQ(0, mig_info(self->file, &info));
	EXPECT_EQ(0, info.initial_bytes);
	EXPECT_EQ(0, info.dirty_bytes);
}

/* Bytes that are to be read again */
static uint64_t dirty(struct __fixture_precopy *self)
{
	struct vfio_precopy_info info;

	return mig_info(self->file, &info) ? ~0ULL : info.dirty_bytes + info.initial_bytes;
}

/* The rest, which is not more than @most; the other one has it, then, and it is told where */
static const uint8_t *end(struct __test_metadata *_metadata, struct __fixture_precopy *self,
			  size_t most)
{
	struct ends *e = &self->e;
	const uint8_t *there;
	size_t before;
	int file;

	ASSERT_EQ(0, mig_go(&e->src, S(PRE_COPY_P2P)));
	memcpy(self->before, self->vram, VRAM_SIZE);
	before = self->live = self->stream.size;
	ASSERT_EQ(0, mig_finish(&e->src, self->file, &self->stream));
	self->file = -1;
	EXPECT_GE(most, self->stream.size - before);
	ASSERT_EQ(0, mig_load(&e->dst, self->stream.buf, self->stream.size, MEGA, &file));
	close(file);
	/* Before its slices go on with what they were in the middle of */
	ASSERT_EQ(0, mig_go(&e->dst, S(STOP)));
	there = map_vram(_metadata, &e->dst);
	EXPECT_EQ(0, memcmp(self->before, there, VRAM_SIZE));
	ASSERT_EQ(0, mig_go(&e->dst, S(RUNNING)));
	return there;
}

static void fill(struct __test_metadata *_metadata, struct ring *r, uint64_t off, uint64_t size,
		 uint32_t word)
{
	ring_fill(r, VRAM(off), size, word);
	ASSERT_EQ(0, ring_finish(r));
}

/* For make bench-migrate */
static void figure(const char *name, double value)
{
	printf("# figure %s %g\n", name, value);
}

TEST_F(precopy, still)
{
	long long size;

	begin(_metadata, self, SMALL, SMALL);
	size = mig_size(&self->e.src);
	EXPECT_LT(0, size);
	/* A record that may be read in part counts as a whole one */
	EXPECT_GE(STATE_MAX + 65536, size);
	end(_metadata, self, STATE_MAX);
	figure("stop_copy_bytes_idle", self->stream.size - self->live);
}

/* Each page that somebody wrote to is read again, and no other one */
TEST_F(precopy, written)
{
	struct vgpu *v = &self->e.src;
	uint8_t bytes[16];
	struct ring r;

	begin(_metadata, self, SMALL, SMALL);
	ring_start(&r, v, 1);
	memset(bytes, 0x5a, sizeof(bytes));
	fill(_metadata, &r, 5 * MEGA, 3 * PAGE, 77);
	EXPECT_EQ(3 * SENT, dirty(self));
	/* Told as often as asked, and part of what would be left */
	EXPECT_EQ(3 * SENT, dirty(self));
	EXPECT_LE(3 * SENT, mig_size(v));
	EXPECT_EQ(-ENOMSG, mig_read(self->file, &self->stream));
	EXPECT_EQ(0, dirty(self));
	/* A CPU, whose mapping is the same all the time, twice in one block */
	self->vram[7 * MEGA] = 1;
	EXPECT_EQ(SENT, dirty(self));
	self->vram[7 * MEGA + PAGE] = 1;
	EXPECT_EQ(2 * SENT, dirty(self));
	EXPECT_EQ(-ENOMSG, mig_read(self->file, &self->stream));
	self->vram[7 * MEGA] = 2;
	EXPECT_EQ(SENT, dirty(self));
	EXPECT_EQ(-ENOMSG, mig_read(self->file, &self->stream));
	/* One without a mapping */
	ASSERT_LE(0, region_write(v, TESS_BAR_VRAM, 4096 * 9 - 8, bytes, sizeof(bytes)));
	EXPECT_EQ(2 * SENT, dirty(self));
	EXPECT_EQ(-ENOMSG, mig_read(self->file, &self->stream));
	/* The same contents as before */
	fill(_metadata, &r, 5 * MEGA, 3 * PAGE, 77);
	self->vram[7 * MEGA] = 2;
	EXPECT_EQ(0, dirty(self));
	/* It was something else in between, and was not read then */
	fill(_metadata, &r, 5 * MEGA, PAGE, 78);
	EXPECT_EQ(SENT, dirty(self));
	fill(_metadata, &r, 5 * MEGA, PAGE, 77);
	EXPECT_EQ(0, dirty(self));
	/* And what is told and read only at the end */
	fill(_metadata, &r, 6 * MEGA, PAGE, 79);
	self->vram[3] = 3;
	end(_metadata, self, STATE_MAX + 2 * SENT);
}

/* Any pages, by slices and CPUs: told are as many as were written to */
TEST_F(precopy, any_pages)
{
	uint64_t set[VRAM_SIZE / PAGE / 64], told = 0, wrote = 0;
	unsigned int n, i, page, size;
	struct ring r;

	begin(_metadata, self, SMALL, SMALL);
	ring_start(&r, &self->e.src, 0);
	srandom(1);
	for (n = 1; n <= 20; n++) {
		memset(set, 0, sizeof(set));
		for (i = 0; i < 12; i++) {
			size = 1 + random() % 4;
			page = random() % (VRAM_SIZE / PAGE - size);
			if (i % 2)
				fill(_metadata, &r, page * PAGE, size * PAGE, n << 8 | i);
			else
				pattern_fill(self->vram + page * PAGE, size * PAGE, n << 8 | i);
			while (size--)
				set[(page + size) / 64] |= 1ULL << (page + size) % 64;
		}
		for (i = 0; i < sizeof(set) / sizeof(*set); i++)
			wrote += __builtin_popcountll(set[i]);
		told += dirty(self) / SENT;
		EXPECT_EQ(-ENOMSG, mig_read(self->file, &self->stream));
	}
	EXPECT_EQ(wrote, told);
	figure("dirty_false_positive_pct", 100.0 * ((double)told - wrote) / wrote);
	end(_metadata, self, STATE_MAX);
}

/* While what was written to is read, that part of as much is written to */
static bool converges(struct __test_metadata *_metadata, struct __fixture_precopy *self,
		      struct ring *r, unsigned int percent)
{
	uint64_t left = VRAM_SIZE / PAGE, at = 0, n;

	for (n = 1; left > 16 && n < 100; n++) {
		left = left * percent / 100;
		if (at + left > VRAM_SIZE / PAGE)
			at = 0;
		fill(_metadata, r, at * PAGE, left * PAGE, n << 8 | percent);
		at += left;
		left = dirty(self) / SENT;
		EXPECT_EQ(-ENOMSG, mig_read(self->file, &self->stream));
	}
	return left <= 16;
}

TEST_F(precopy, converges)
{
	unsigned int percent;
	struct ring r;

	begin(_metadata, self, SMALL, SMALL);
	ring_start(&r, &self->e.src, 0);
	for (percent = 80; percent < 95 && converges(_metadata, self, &r, percent); percent += 5)
		;
	EXPECT_LT(80, percent);
	figure("converges_at_write_rate_over_bandwidth", (percent - 5) / 100.0);
}

/* A page that is zero again is one that the destination has other contents of */
TEST_F(precopy, zero_again)
{
	struct ring r;

	begin(_metadata, self, SMALL, SMALL);
	ring_start(&r, &self->e.src, 0);
	fill(_metadata, &r, MEGA, 2 * PAGE, 0);
	EXPECT_EQ(2 * SENT, dirty(self));
	EXPECT_EQ(-ENOMSG, mig_read(self->file, &self->stream));
	memset(self->vram + 2 * MEGA, 0, PAGE);
	EXPECT_EQ(-1, zero_check(end(_metadata, self, STATE_MAX + SENT) + MEGA, 2 * PAGE));
}

/* A reset of what the guest has of the GPU; the function goes on to be read */
TEST_F(precopy, reset_register)
{
	struct ring r;

	begin(_metadata, self, SMALL, SMALL);
	ring_start(&r, &self->e.src, 0);
	fill(_metadata, &r, 6 * MEGA, PAGE, 5);
	EXPECT_EQ(SENT, dirty(self));
	reg32_write(&self->e.src, TESS_REG_RESET, TESS_RESET_KEY);
	EXPECT_EQ(S(PRE_COPY), mig_state(&self->e.src));
	EXPECT_EQ(2 * MEGA / PAGE * SENT, dirty(self));
	EXPECT_EQ(-1, zero_check(end(_metadata, self, STATE_MAX + 3 * MEGA), VRAM_SIZE));
}

/* What a reset has to zero is known, too, if the question was asked before */
TEST_F(precopy, reset_knows)
{
	struct ring r;

	begin(_metadata, self, SMALL, SMALL);
	ring_start(&r, &self->e.src, 0);
	fill(_metadata, &r, 6 * MEGA, PAGE, 5);
	EXPECT_EQ(SENT, dirty(self));
	ASSERT_EQ(0, mig_go(&self->e.src, S(RUNNING)));
	ASSERT_EQ(0, mig_reset(&self->e.src));
	EXPECT_EQ(-1, zero_check(self->vram, VRAM_SIZE));
}

/* Slices write all the time, and the stream is read all the time */
static void under_load(struct __test_metadata *_metadata, struct __fixture_precopy *self,
		       unsigned int rounds)
{
	struct vfio_precopy_info info;
	struct ring r[VSLICES];
	unsigned int i, n;

	for (i = 0; i < VSLICES; i++)
		ring_start(&r[i], &self->e.src, i);
	for (n = 0; n < rounds; n++) {
		for (i = 0; i < VSLICES; i++) {
			ring_fill(&r[i], VRAM(i * 4 * MEGA + n * 3 * PAGE), 64 * PAGE, n + i);
			ring_fence(&r[i], true);
		}
		self->vram[VRAM_SIZE - 1 - n * 100] = n;
		EXPECT_EQ(0, mig_info(self->file, &info));
		EXPECT_EQ(-ENOMSG, mig_read(self->file, &self->stream));
		for (i = 0; i < VSLICES; i++)
			ASSERT_EQ(0, ring_wait(&r[i]));
	}
	/* Whatever of that is done when it is stopped */
	for (i = 0; i < VSLICES; i++) {
		ring_fill(&r[i], VRAM(i * 4 * MEGA), 3 * MEGA, 99 + i);
		ring_fence(&r[i], true);
	}
}

TEST_F(precopy, under_load)
{
	begin(_metadata, self, SMALL, SMALL);
	under_load(_metadata, self, 20);
	end(_metadata, self, VRAM_SIZE);
}

/* Bytes of records from @at on that are not VRAM */
static size_t other_bytes(const struct saved *s, size_t at)
{
	size_t size, sum = 0;

	for (; at < s->size; at += 24 + size) {
		memcpy(&size, s->buf + at, sizeof(size));
		sum += s->buf[at + 12] == 8 ? 0 : size;
	}
	return sum;
}

/* What is sent in the end is what is there then, and was not sent before */
TEST_F(precopy, stopped_at_work)
{
	struct ring r[VSLICES];
	size_t page, differ = 0;
	const uint8_t *sent;
	unsigned int i;

	begin(_metadata, self, SMALL, SMALL);
	sent = memcpy(malloc(VRAM_SIZE), self->vram, VRAM_SIZE);
	for (i = 0; i < VSLICES; i++) {
		ring_start(&r[i], &self->e.src, i);
		ring_fill(&r[i], VRAM(i * 4 * MEGA), 4 * MEGA, 99 + i);
		ring_fence(&r[i], true);
	}
	end(_metadata, self, STATE_MAX + 2 * VRAM_SIZE);
	for (page = 0; page < VRAM_SIZE; page += PAGE)
		differ += memcmp(sent + page, self->before + page, PAGE) != 0;
	free((void *)sent);
	figure("stop_copy_bytes_busy_over_live_state",
	       (double)(self->stream.size - self->live) /
		       (differ * PAGE + other_bytes(&self->stream, self->live)));
	EXPECT_GE(differ * SENT + STATE_MAX, self->stream.size - self->live);
}

/* How long slices that are in the middle of something go on when they are told to stand still */
TEST_F(precopy, parked)
{
	struct vgpu *v = &self->e.src;
	struct ring r[VSLICES];
	double max = 0, took;
	unsigned int i, n;

	begin(_metadata, self, SMALL, SMALL);
	for (i = 0; i < VSLICES; i++)
		ring_start(&r[i], v, i);
	for (n = 0; n < 20; n++) {
		for (i = 0; i < VSLICES; i++) {
			ring_fill(&r[i], VRAM(i * 4 * MEGA), 4 * MEGA, n);
			ring_fence(&r[i], true);
		}
		took = reg64(v, TESS_REG_TIME);
		ASSERT_EQ(0, mig_go(v, S(PRE_COPY_P2P)));
		took = reg64(v, TESS_REG_TIME) - took;
		max = took > max ? took : max;
		ASSERT_EQ(0, mig_go(v, S(PRE_COPY)));
		for (i = 0; i < VSLICES; i++)
			ASSERT_EQ(0, ring_wait(&r[i]));
	}
	figure("park_quanta_max", max / (QUANTUM_US * reg32(v, TESS_REG_CLOCK_KHZ) / 1000));
	end(_metadata, self, VRAM_SIZE + STATE_MAX);
}

TEST_F(precopy, recomposed)
{
	begin(_metadata, self, "slices=1 max=2 kind=render memory=4M", SMALL);
	under_load(_metadata, self, 3);
	ASSERT_EQ(0, mdev_attr_write(self->e.uuid[0], "blueprint", "slices=2"));
	end(_metadata, self, VRAM_SIZE);
}

TEST_F(precopy, moved)
{
	const char *away = gpu_name_of(1 - home_gpu());

	if (gpu_value(1, "slices_free") < 0)
		SKIP(return, "there is one GPU only");
	begin(_metadata, self, SMALL, SMALL);
	under_load(_metadata, self, 3);
	ASSERT_EQ(0, mdev_attr_write(self->e.uuid[0], "gpu", away));
	self->vram[5 * MEGA] = 5;
	EXPECT_LT(0, dirty(self));
	/* All of it was written to, and differs in little */
	EXPECT_GE(VRAM_SIZE, dirty(self));
	EXPECT_EQ(-ENOMSG, mig_read(self->file, &self->stream));
	self->vram[5 * MEGA] = 6;
	end(_metadata, self, VRAM_SIZE);
}

/* Given up, and begun again */
TEST_F(precopy, cancelled)
{
	begin(_metadata, self, SMALL, SMALL);
	ASSERT_EQ(0, mig_go(&self->e.src, S(PRE_COPY_P2P)));
	ASSERT_EQ(0, mig_go(&self->e.src, S(PRE_COPY)));
	self->vram[MEGA] ^= 1;
	EXPECT_EQ(SENT, dirty(self));
	ASSERT_EQ(0, mig_go(&self->e.src, S(RUNNING)));
	EXPECT_EQ(~0ULL, dirty(self));
	EXPECT_EQ(-EBADFD, mig_read(self->file, &self->stream));
	close(self->file);
	self->stream.size = 0;
	ASSERT_EQ(0, mig_precopy(&self->e.src, &self->file));
	EXPECT_EQ(-ENOMSG, mig_read(self->file, &self->stream));
	end(_metadata, self, STATE_MAX);
}

/* Nothing was read before it is stopped, as a VMM may do it */
TEST_F(precopy, nothing_read)
{
	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL));
	self->vram = map_vram(_metadata, &self->e.src);
	pattern_fill(self->vram, MEGA, 1);
	ASSERT_EQ(0, mig_precopy(&self->e.src, &self->file));
	end(_metadata, self, STATE_MAX + 2 * MEGA);
}

TEST_F(precopy, bad_questions)
{
	struct vfio_precopy_info info = { .argsz = sizeof(info) - 1 };
	int none;

	begin(_metadata, self, SMALL, SMALL);
	EXPECT_EQ(-1, ioctl(self->file, VFIO_MIG_GET_PRECOPY_INFO, &info));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(self->file, VFIO_MIG_GET_PRECOPY_INFO, NULL));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(self->file, VFIO_DEVICE_RESET, &info));
	EXPECT_EQ(ENOTTY, errno);
	ASSERT_EQ(0, mig_set(&self->e.src, S(STOP_COPY), &none));
	EXPECT_EQ(-1, none);
	EXPECT_EQ(-EINVAL, mig_info(self->file, &info));
}

/* Refused before anything is sent, not when it is to be stopped */
TEST_F(precopy, several_gpus)
{
	static const char two[] = "slices=2 gpus=2 memory=0 kind=compute";

	if (gpu_value(1, "slices_free") < 0)
		SKIP(return, "there is one GPU only");
	ASSERT_EQ(0, ends_open(&self->e, two, SMALL));
	EXPECT_EQ(-EOPNOTSUPP, mig_precopy(&self->e.src, &self->file));
	EXPECT_EQ(S(RUNNING), mig_state(&self->e.src));
	EXPECT_TRUE(strstr(mdev_attr(self->e.uuid[0], "last_error"), "several GPUs"));
}

TEST_HARNESS_MAIN
