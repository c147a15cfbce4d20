// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A vGPU is saved and goes on as another one, as a VMM does it that moves its machine: the states of
 * VFIO, work that was in the middle, another composition, heads; streams that are damaged or cut
 * off, or of another vGPU. Needs no guest: this process is both VMMs, and its memory is the
 * machine's.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"
#include "heads.h"
#include "saved.h"
#include "views.h"
#include "vgpu.h"

#define PIECE (1 << 20)
#define MEGA (1 << 20)
/* Start of a record: its size, flags, tag, argument */
#define RECORD 24
#define HEADER_SIZE 56

#define SMALL "slices=2 kind=render memory=2M"

FIXTURE(saved)
{
	struct ends e;
	struct saved stream;
};

FIXTURE_SETUP(saved)
{
	ends_begin(&self->e);
}

FIXTURE_TEARDOWN(saved)
{
	free(self->stream.buf);
	ends_close(&self->e);
}

/* What is saved of the one becomes the other, which runs then */
static void carry(struct __test_metadata *_metadata, struct __fixture_saved *self, size_t piece)
{
	int file;

	ASSERT_EQ(0, mig_save(&self->e.src, &self->stream));
	ASSERT_EQ(0, mig_load(&self->e.dst, self->stream.buf, self->stream.size, piece, &file));
	/* As QEMU does it */
	close(file);
	ASSERT_EQ(0, mig_go(&self->e.dst, VFIO_DEVICE_STATE_RUNNING));
	ASSERT_EQ(VFIO_DEVICE_STATE_RUNNING, mig_state(&self->e.dst));
}

/* ---- states ---- */

#define S(name) VFIO_DEVICE_STATE_##name

static const unsigned int states[] = { S(STOP),	       S(RUNNING),  S(STOP_COPY),   S(RESUMING),
				       S(RUNNING_P2P), S(PRE_COPY), S(PRE_COPY_P2P) };

/* What VFIO expects: a new file, but where the one of PRE_COPY goes on */
static bool gives_file(unsigned int from, unsigned int to)
{
	bool precopy = from == S(PRE_COPY) || from == S(PRE_COPY_P2P);

	if (from == to || to == S(STOP) || to == S(RUNNING) || to == S(RUNNING_P2P))
		return false;
	return to == S(RESUMING) || !precopy;
}

/* There is no way back to PRE_COPY; and none on from RESUMING, as nothing came */
static bool has_way(unsigned int from, unsigned int to)
{
	if (from == S(STOP_COPY))
		return to != S(PRE_COPY) && to != S(PRE_COPY_P2P);
	return from != S(RESUMING) || from == to;
}

TEST_F(saved, states)
{
	unsigned int i, j;
	unsigned int stays;
	int file, want;

	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL));
	EXPECT_EQ(VFIO_MIGRATION_STOP_COPY | VFIO_MIGRATION_P2P | VFIO_MIGRATION_PRE_COPY,
		  mig_flags(&self->e.src));
	EXPECT_EQ(S(RUNNING), mig_state(&self->e.src));
	for (i = 0; i < sizeof(states) / sizeof(*states); i++) {
		for (j = 0; j < sizeof(states) / sizeof(*states); j++) {
			ASSERT_EQ(0, mig_go(&self->e.src, states[i]));
			want = has_way(states[i], states[j]) ? 0 : -EINVAL;
			stays = states[i] == S(RESUMING) ? S(ERROR) : states[i];
			EXPECT_EQ(want, mig_set(&self->e.src, states[j], &file));
			EXPECT_EQ(want ? stays : states[j], mig_state(&self->e.src));
			EXPECT_EQ(!want && gives_file(states[i], states[j]), file >= 0);
			if (file >= 0)
				close(file);
			ASSERT_EQ(0, mig_reset(&self->e.src));
			EXPECT_EQ(S(RUNNING), mig_state(&self->e.src));
		}
	}
}

TEST_F(saved, states_that_it_has_not)
{
	static const unsigned int none[] = { S(ERROR), 99 };
	unsigned int i;

	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL));
	for (i = 0; i < sizeof(none) / sizeof(*none); i++) {
		EXPECT_EQ(-EINVAL, mig_go(&self->e.src, none[i]));
		EXPECT_EQ(S(RUNNING), mig_state(&self->e.src));
	}
}

/* Each file is of use only in the state that it was given for */
TEST_F(saved, files_of_another_state)
{
	char byte = 0;
	int file;

	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL));
	ASSERT_EQ(0, mig_set(&self->e.src, S(STOP_COPY), &file));
	EXPECT_EQ(-1, write(file, &byte, 1));
	EXPECT_EQ(1, read(file, &byte, 1));
	ASSERT_EQ(0, mig_go(&self->e.src, S(STOP)));
	/* The record that it is in the middle of is there */
	EXPECT_EQ(RECORD + HEADER_SIZE - 1, read(file, self->e.src.ram, RECORD + HEADER_SIZE - 1));
	EXPECT_EQ(-1, read(file, &byte, 1));
	EXPECT_EQ(EBADFD, errno);
	close(file);
	ASSERT_EQ(0, mig_set(&self->e.src, S(RESUMING), &file));
	EXPECT_EQ(-1, read(file, &byte, 1));
	ASSERT_EQ(0, mig_reset(&self->e.src));
	EXPECT_EQ(-1, write(file, self->e.src.ram, PAGE));
	close(file);
}

/* A file that is left open keeps nothing */
TEST_F(saved, file_outlives_the_vgpu)
{
	char byte;
	int file;

	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL));
	ASSERT_EQ(0, mig_set(&self->e.dst, S(STOP_COPY), &file));
	self->e.dst.ram = NULL;
	vgpu_close(&self->e.dst);
	EXPECT_EQ(0, mdev_remove(self->e.uuid[1]));
	EXPECT_EQ(-1, read(file, &byte, 1));
	EXPECT_EQ(EBADFD, errno);
	close(file);
}

/* ---- standstill ---- */

static void start_work(struct ring *r, struct vgpu *v, unsigned int vslice)
{
	uint64_t data = DATA_GPA + (vslice + 1) * MEGA, vram = VRAM((uint64_t)vslice * 2 * MEGA);

	*(volatile uint64_t *)ram_at(v, DATA_GPA) = 0;
	ring_start(r, v, vslice);
	ring_fill(r, vram, MEGA, 0x1000 + vslice);
	ring_await(r, DATA_GPA);
	ring_copy(r, data, vram, MEGA);
	ring_fence(r, true);
}

/* Until it waits for what comes next */
static void await_start(struct __test_metadata *_metadata, struct ring *r)
{
	long end = now_ms() + 20000;

	while (client_reg64(r->v, r->vslice, TESS_SREG_RPTR) < 1 && now_ms() < end)
		usleep(1000);
	ASSERT_LE(1, client_reg64(r->v, r->vslice, TESS_SREG_RPTR));
}

static void let_work_end(struct __test_metadata *_metadata, struct ring *r, struct vgpu *v)
{
	uint64_t data = DATA_GPA + (r->vslice + 1) * MEGA;
	const uint32_t *words = ram_at(v, data);
	unsigned int i, wrong = 0;

	r->v = v;
	*(volatile uint64_t *)ram_at(v, DATA_GPA) = 1;
	EXPECT_EQ(0, ring_wait(r));
	for (i = 0; i < MEGA / 4; i++)
		wrong += words[i] != 0x1000 + r->vslice;
	EXPECT_EQ(0, wrong);
}

TEST_F(saved, nothing_runs_and_nothing_hangs)
{
	struct ring r;

	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL));
	start_work(&r, &self->e.src, 0);
	await_start(_metadata, &r);
	ASSERT_EQ(0, mig_go(&self->e.src, S(STOP)));
	*(volatile uint64_t *)ram_at(&self->e.src, DATA_GPA) = 1;
	usleep(300000);
	EXPECT_EQ(0, r.rec->seq);
	/* A register that is written has no effect, and can be read */
	client_reg64_write(&self->e.src, 0, TESS_SREG_RPTR, 7);
	client_reg32_write(&self->e.src, 0, TESS_SREG_RESET, 1);
	EXPECT_EQ(RING_GPA(0), client_reg64(&self->e.src, 0, TESS_SREG_RING_BASE));
	/* Another composition changes nothing of that */
	EXPECT_EQ(0, mdev_attr_write(self->e.uuid[0], "blueprint",
				     "slices=1 max=2 kind=render memory=2M"));
	usleep(100000);
	EXPECT_EQ(0, r.rec->seq);
	ASSERT_EQ(0, mig_go(&self->e.src, S(RUNNING)));
	let_work_end(_metadata, &r, &self->e.src);
	EXPECT_EQ(0, mdev_stat(self->e.uuid[0], "client_faults"));
}

/* The machine stays where it is after all */
TEST_F(saved, cancelled)
{
	struct ring r;

	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL));
	start_work(&r, &self->e.src, 1);
	await_start(_metadata, &r);
	ASSERT_EQ(0, mig_save(&self->e.src, &self->stream));
	ASSERT_EQ(0, mig_go(&self->e.src, S(RUNNING)));
	let_work_end(_metadata, &r, &self->e.src);
}

/* ---- somewhere else ---- */

TEST_F(saved, work_goes_on)
{
	uint64_t gen, time;
	struct ring r[2];
	long long size;

	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL));
	start_work(&r[0], &self->e.src, 0);
	start_work(&r[1], &self->e.src, 1);
	await_start(_metadata, &r[0]);
	await_start(_metadata, &r[1]);
	gen = reg64(&self->e.src, TESS_REG_GENERATION);
	ASSERT_EQ(0, mig_go(&self->e.src, S(STOP)));
	size = mig_size(&self->e.src);
	time = reg64(&self->e.src, TESS_REG_TIME);
	carry(_metadata, self, PIECE);
	EXPECT_LE(self->stream.size, size);
	/* Of four megabytes of VRAM two are zero, and are not sent */
	EXPECT_GT(2 * MEGA + (MEGA / 8), self->stream.size);
	EXPECT_LT(gen, reg64(&self->e.dst, TESS_REG_GENERATION));
	EXPECT_LE(time, reg64(&self->e.dst, TESS_REG_TIME));
	EXPECT_EQ(1, reg64(&self->e.dst, TESS_REG_EVENT_PENDING));
	let_work_end(_metadata, &r[0], &self->e.dst);
	let_work_end(_metadata, &r[1], &self->e.dst);
	EXPECT_EQ(0, mdev_stat(self->e.uuid[1], "client_faults"));
	/* It is this one's alone */
	EXPECT_EQ(S(STOP_COPY), mig_state(&self->e.src));
}

/* What was stored to a doorbell while it stood still, and a ring that was never started */
TEST_F(saved, doorbells)
{
	struct ring r;

	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL));
	ring_start(&r, &self->e.src, 0);
	ASSERT_EQ(0, ring_finish(&r));
	ASSERT_EQ(0, mig_go(&self->e.src, S(RUNNING_P2P)));
	ring_fill(&r, DATA_GPA + MEGA, PAGE, 77);
	ring_fence(&r, true);
	usleep(100000);
	EXPECT_EQ(1, r.rec->seq);
	carry(_metadata, self, PIECE);
	r.v = &self->e.dst;
	EXPECT_EQ(0, ring_wait(&r));
	EXPECT_EQ(77, *(uint32_t *)ram_at(&self->e.dst, DATA_GPA + MEGA));
	ring_start(&r, &self->e.dst, 1);
	EXPECT_EQ(0, ring_finish(&r));
}

/* A completion that is told by an interrupt, with whom it was told before unknown */
TEST_F(saved, interrupts)
{
	struct ring r;
	int done;

	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL));
	done = vgpu_eventfd(&self->e.dst, TESS_IRQ_COMPLETION);
	ASSERT_LE(0, done);
	start_work(&r, &self->e.src, 0);
	r.rec->event = 1;
	await_start(_metadata, &r);
	carry(_metadata, self, PIECE);
	EXPECT_LE(1, eventfd_wait(done, 5000));
	let_work_end(_metadata, &r, &self->e.dst);
	EXPECT_LE(1, eventfd_wait(done, 5000));
	close(done);
}

/* A fault that nobody has acknowledged */
TEST_F(saved, fault)
{
	struct ring r;

	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL));
	ring_start(&r, &self->e.src, 1);
	ring_fill(&r, VRAM(64 * MEGA), PAGE, 1);
	ring_fence(&r, true);
	ASSERT_LE(0, wait_fault(&self->e.src, 1));
	carry(_metadata, self, PIECE);
	EXPECT_EQ(client_reg32(&self->e.src, 1, TESS_SREG_FAULT_CAUSE),
		  client_reg32(&self->e.dst, 1, TESS_SREG_FAULT_CAUSE));
	EXPECT_EQ(2, reg64(&self->e.dst, TESS_REG_FAULT_PENDING));
	r.v = &self->e.dst;
	ring_reset(&r);
	ring_start(&r, &self->e.dst, 1);
	EXPECT_EQ(0, ring_finish(&r));
}

/* Fewer slices, and turns with others, are another composition of the same frame */
static void carry_to(struct __test_metadata *_metadata, struct __fixture_saved *self,
		     const char *from, const char *to)
{
	struct ring r[2];
	unsigned int i;

	ASSERT_EQ(0, ends_open(&self->e, from, to));
	for (i = 0; i < 2; i++)
		start_work(&r[i], &self->e.src, i);
	usleep(200000);
	carry(_metadata, self, PIECE);
	for (i = 0; i < 2; i++)
		let_work_end(_metadata, &r[i], &self->e.dst);
	EXPECT_EQ(0, mdev_stat(self->e.uuid[1], "client_faults"));
}

TEST_F(saved, fewer_slices)
{
	carry_to(_metadata, self, SMALL, "slices=1 max=2 kind=render memory=2M");
}

TEST_F(saved, more_slices)
{
	carry_to(_metadata, self, "slices=1 max=2 kind=render memory=2M", SMALL);
}

TEST_F(saved, shared_slices)
{
	carry_to(_metadata, self, SMALL, SMALL " share=shared");
}

TEST_F(saved, back_and_forth)
{
	struct vgpu *v[2] = { &self->e.src, &self->e.dst };
	struct ring r[2];
	unsigned int i;
	int file;

	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL " share=shared"));
	start_work(&r[0], v[0], 0);
	start_work(&r[1], v[0], 1);
	for (i = 0; i < 10; i++) {
		struct vgpu *from = v[i % 2], *to = v[1 - i % 2];

		free(self->stream.buf);
		ASSERT_EQ(0, mig_save(from, &self->stream));
		ASSERT_EQ(0, mig_load(to, self->stream.buf, self->stream.size, PAGE, &file));
		close(file);
		ASSERT_EQ(0, mig_go(to, S(RUNNING)));
		ASSERT_EQ(0, mig_reset(from));
	}
	let_work_end(_metadata, &r[0], v[i % 2]);
	let_work_end(_metadata, &r[1], v[i % 2]);
}

TEST_F(saved, heads)
{
	static const char blueprint[] = "slices=1 kind=render memory=4M heads=3";
	const struct head_plane picture = { XRGB8888, 640, 480, 2560, 0x10000 };
	uint8_t edid[384];
	unsigned int n;
	int fd;

	ASSERT_EQ(0, ends_open(&self->e, blueprint, blueprint));
	ASSERT_EQ(0, head_commit(&self->e.src, 0, &picture));
	ASSERT_EQ(0, head_commit(&self->e.src, 1, &picture));
	head_disable(&self->e.src, 1);
	head_write(&self->e.src, 0, TESS_DREG_EVENT_MASK, TESS_DEVENT_FLIP);
	ASSERT_EQ(0, head_cursor(&self->e.src, 1, 0x4000, 1, 2));
	head_move_cursor(&self->e.src, 1, -5, 6);
	memset(edid, 0x5a, sizeof(edid));
	fd = view_open_as(self->e.src.uuid, O_RDWR);
	ASSERT_EQ(0, view_monitor(fd, 1, edid, sizeof(edid)));
	ASSERT_EQ(0, view_monitor(fd, 2, NULL, 0));
	close(fd);
	carry(_metadata, self, PIECE);
	for (n = 0; n < 3; n++) {
		EXPECT_EQ(head32(&self->e.src, n, TESS_DREG_STATUS),
			  head32(&self->e.dst, n, TESS_DREG_STATUS));
		EXPECT_EQ(head32(&self->e.src, n, TESS_DREG_EDID + 8),
			  head32(&self->e.dst, n, TESS_DREG_EDID + 8));
	}
	EXPECT_EQ(sizeof(edid), head32(&self->e.dst, 1, TESS_DREG_EDID_SIZE));
	EXPECT_EQ(0x5a5a5a5a, head32(&self->e.dst, 1, TESS_DREG_EDID + 380));
	EXPECT_EQ(640, head32(&self->e.dst, 0, TESS_DREG_WIDTH));
	EXPECT_EQ(0x10000, head64(&self->e.dst, 0, TESS_DREG_ADDRESS));
	EXPECT_EQ(TESS_DEVENT_FLIP, head32(&self->e.dst, 0, TESS_DREG_EVENT_MASK));
	EXPECT_EQ(TESS_DCURSOR_ENABLE, head32(&self->e.dst, 1, TESS_DREG_CURSOR_CONTROL));
	EXPECT_EQ(0x4000, head64(&self->e.dst, 1, TESS_DREG_CURSOR_ADDRESS));
	EXPECT_EQ(0x00020001, head32(&self->e.dst, 1, TESS_DREG_CURSOR_HOT));
	EXPECT_EQ(0x0006fffb, head32(&self->e.dst, 1, TESS_DREG_CURSOR_POSITION));
	EXPECT_EQ(0, head32(&self->e.dst, 0, TESS_DREG_CURSOR_CONTROL));
	/* It goes on to show what is committed */
	head_write(&self->e.dst, 0, TESS_DREG_EVENTS, ~0U);
	ASSERT_EQ(0, head_commit(&self->e.dst, 0, &picture));
	EXPECT_TRUE(head_wait(&self->e.dst, 0, TESS_DEVENT_FLIP));
}

/* ---- what is refused ---- */

static void expect_refused(struct __test_metadata *_metadata, struct __fixture_saved *self,
			   const char *why)
{
	int file;

	ASSERT_EQ(0, mig_save(&self->e.src, &self->stream));
	EXPECT_NE(0, mig_load(&self->e.dst, self->stream.buf, self->stream.size, PIECE, &file));
	close(file);
	if (!strstr(mdev_attr(self->e.uuid[1], "last_error"), why))
		TH_LOG("%s", mdev_attr(self->e.uuid[1], "last_error"));
	EXPECT_TRUE(strstr(mdev_attr(self->e.uuid[1], "last_error"), why));
	EXPECT_EQ(-EINVAL, mig_go(&self->e.dst, S(STOP)));
	EXPECT_EQ(S(ERROR), mig_state(&self->e.dst));
	/* The other one has lost nothing */
	EXPECT_EQ(0, mig_go(&self->e.src, S(RUNNING)));
}

TEST_F(saved, other_vslices)
{
	ASSERT_EQ(0, ends_open(&self->e, SMALL, "slices=2 max=3 kind=render memory=2M"));
	expect_refused(_metadata, self, "EINVAL: vslices: 2 there, 3 here");
}

TEST_F(saved, other_memory)
{
	ASSERT_EQ(0, ends_open(&self->e, SMALL, "slices=2 kind=render memory=4M"));
	expect_refused(_metadata, self, "EINVAL: bytes of VRAM: 4194304 there, 8388608 here");
}

TEST_F(saved, other_heads)
{
	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL " heads=1"));
	expect_refused(_metadata, self, "EINVAL: possible heads: 0 there, 4 here");
}

TEST_F(saved, other_engines)
{
	ASSERT_EQ(0, ends_open(&self->e, SMALL, "slices=2 kind=compute memory=2M"));
	expect_refused(_metadata, self, " has not all engines of vslice 0");
}

/* True: what was written of it is refused, now or at its end, and a reset helps */
static bool is_refused(struct vgpu *v, const void *buf, size_t size)
{
	int file, ret;

	ret = mig_load(v, buf, size, PIECE, &file);
	if (file < 0)
		return false;
	close(file);
	if (!ret)
		ret = mig_go(v, S(STOP));
	return mig_go(v, S(STOP)) == -EINVAL && mig_state(v) == S(ERROR) && ret && !mig_reset(v);
}

/* Tags of records, of which there may be one for each head that is given */
#define RECORD_CURSOR 10
#define RECORD_MONITOR 11

struct record {
	uint64_t size;
	uint32_t flags, tag;
	uint64_t arg;
};

/* Where the first record with this tag is, and the next one; 0 none is there */
static size_t record_find(const struct saved *s, uint32_t tag, size_t *next)
{
	struct record r;
	size_t at;

	for (at = 0; at < s->size; at = *next) {
		memcpy(&r, s->buf + at, sizeof(r));
		*next = at + sizeof(r) + r.size;
		if (r.tag == tag)
			return at;
	}
	return 0;
}

/* What is said while it is written; the destination is as before */
static int begins(struct vgpu *v, const void *buf, size_t size)
{
	int file, ret;

	ret = mig_load(v, buf, size, PIECE, &file);
	if (file >= 0)
		close(file);
	return mig_reset(v) ?: ret;
}

TEST_F(saved, records_of_heads)
{
	static const char blueprint[] = "slices=1 kind=render memory=4M heads=2";
	static const uint32_t tags[] = { RECORD_CURSOR, RECORD_MONITOR };
	static const uint64_t none[] = { 4, 31, 32, 64, 1ull << 32, ~0ull };
	uint8_t edid[128] = { 1 }, *copy;
	size_t at, next, i, n;
	int fd;

	ASSERT_EQ(0, ends_open(&self->e, blueprint, blueprint));
	ASSERT_EQ(0, head_cursor(&self->e.src, 1, 0x4000, 1, 2));
	fd = view_open_as(self->e.src.uuid, O_RDWR);
	ASSERT_EQ(0, view_monitor(fd, 1, edid, sizeof(edid)));
	close(fd);
	ASSERT_EQ(0, mig_save(&self->e.src, &self->stream));
	for (i = 0; i < 2; i++) {
		at = record_find(&self->stream, tags[i], &next);
		ASSERT_NE(0, at);
		copy = malloc(2 * next);
		memcpy(copy, self->stream.buf, next);
		memcpy(copy + next, copy + at, next - at);
		EXPECT_EQ(0, begins(&self->e.dst, copy, next));
		EXPECT_EQ(-EINVAL, begins(&self->e.dst, copy, next + next - at));
		for (n = 0; n < sizeof(none) / sizeof(*none); n++) {
			memcpy(copy + at + offsetof(struct record, arg), &none[n], sizeof(*none));
			EXPECT_EQ(-EINVAL, begins(&self->e.dst, copy, next));
		}
		free(copy);
	}
}

/* Cut off after each byte of what is not VRAM */
TEST_F(saved, truncated)
{
	unsigned int wrong = 0;
	size_t i;

	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL));
	ASSERT_EQ(0, mig_save(&self->e.src, &self->stream));
	for (i = 0; i < self->stream.size; i++)
		wrong += !is_refused(&self->e.dst, self->stream.buf, i);
	EXPECT_EQ(0, wrong);
	/* The source is not concerned, and the destination takes what is whole */
	free(self->stream.buf);
	ASSERT_EQ(0, mig_go(&self->e.src, S(STOP)));
	carry(_metadata, self, 1);
}

/* A bit of each byte is another one, but for most of those of VRAM, of which one page is sent */
TEST_F(saved, damaged)
{
	const size_t vram = RECORD + HEADER_SIZE + RECORD;
	unsigned int wrong = 0;
	struct ring r;
	size_t i;

	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL));
	ring_start(&r, &self->e.src, 0);
	ring_fill(&r, VRAM(0), PAGE, 77);
	ASSERT_EQ(0, ring_finish(&r));
	ASSERT_EQ(0, mig_save(&self->e.src, &self->stream));
	for (i = 0; i < self->stream.size; i++) {
		if (i > vram && i < vram + PAGE - 4 && i % 97)
			continue;
		self->stream.buf[i] ^= 1 << (i % 8);
		if (!is_refused(&self->e.dst, self->stream.buf, self->stream.size)) {
			TH_LOG("byte %zu may be any", i);
			wrong++;
		}
		self->stream.buf[i] ^= 1 << (i % 8);
	}
	EXPECT_EQ(0, wrong);
	EXPECT_FALSE(is_refused(&self->e.dst, self->stream.buf, self->stream.size));
}

/* Bytes behind the end, and a stream that comes twice */
TEST_F(saved, more_than_all)
{
	int file;

	ASSERT_EQ(0, ends_open(&self->e, SMALL, SMALL));
	ASSERT_EQ(0, mig_save(&self->e.src, &self->stream));
	ASSERT_EQ(0, mig_load(&self->e.dst, self->stream.buf, self->stream.size, PIECE, &file));
	EXPECT_EQ(-1, write(file, self->stream.buf, self->stream.size));
	EXPECT_EQ(EINVAL, errno);
	close(file);
}

TEST_HARNESS_MAIN
