// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The GPU of a vGPU goes in each state of a migration: pulled, or taken from its driver while there
 * is no room elsewhere, so that the vGPU is lost, and while there is. The reader or writer of its
 * stream is told, and nothing is left. Needs a host with two GPUs.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "crew.h"
#include "gpus.h"
#include "harness.h"
#include "saved.h"

#define MEGA (1 << 20)
#define VRAM_SIZE (4 * MEGA)
#define BLUEPRINT "slices=1 kind=compute memory=4M"
#define SEED 7
#define DEAD 0xffffffffU
#define FIRST 4096 /* that is read before the GPU goes */

FIXTURE(lost)
{
	struct pair p;
	struct saved before, stream;
	uint8_t *vram;
	int file;
	bool gone;
};

/* A vGPU of the GPU that goes, with contents */
FIXTURE_SETUP(lost)
{
	int ret = pair_begin(&self->p);

	if (ret == -ENODEV)
		SKIP(return, "needs two GPUs");
	ASSERT_EQ(0, ret);
	self->file = -1;
	ASSERT_EQ(0, mdev_create("blank", self->p.uuid));
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "blueprint", BLUEPRINT));
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "gpu", gpu_name_of(self->p.away)));
	ASSERT_EQ(0, pair_open(&self->p));
	self->vram = vgpu_mmap(&self->p.v, TESS_BAR_VRAM, 0, VRAM_SIZE);
	ASSERT_NE(MAP_FAILED, (void *)self->vram);
	pattern_fill(self->vram, VRAM_SIZE, SEED);
}

FIXTURE_TEARDOWN(lost)
{
	if (self->file >= 0)
		close(self->file);
	pair_close(&self->p);
	if (self->gone) {
		gpu_answers(self->p.pci[self->p.away], true);
		gpu_bind(self->p.pci[self->p.away]);
	}
	free(self->before.buf);
	free(self->stream.buf);
	EXPECT_TRUE(crowd_leaves(&self->p.crowd));
	EXPECT_TRUE(pair_end(&self->p));
}

/* To a state, with a beginning of what is read or written there */
static void enter(struct __test_metadata *_metadata, struct __fixture_lost *self,
		  unsigned int state)
{
	struct vgpu *v = &self->p.v;
	ssize_t len;

	if (state == VFIO_DEVICE_STATE_RESUMING) {
		ASSERT_EQ(0, mig_save(v, &self->before));
		ASSERT_EQ(0,
			  mig_load(v, self->before.buf, self->before.size / 2, MEGA, &self->file));
		return;
	}
	ASSERT_EQ(0, mig_set(v, state, &self->file));
	if (self->file < 0)
		return;
	self->stream.buf = malloc(FIRST);
	ASSERT_NE(NULL, (void *)self->stream.buf);
	len = read(self->file, self->stream.buf, FIRST);
	ASSERT_EQ(FIRST, len);
	self->stream.size = len;
}

static void go_away(struct __test_metadata *_metadata, struct __fixture_lost *self, bool pulled)
{
	const char *pci = self->p.pci[self->p.away];

	self->gone = true;
	if (pulled)
		ASSERT_EQ(0, gpu_answers(pci, false));
	ASSERT_EQ(0, gpu_unbind(pci));
}

/* At the latest when a record is complete: 0 all was taken, negative errno */
static int write_rest(struct __fixture_lost *self)
{
	size_t done = self->before.size / 2;
	ssize_t len;

	while (done < self->before.size) {
		len = write(self->file, self->before.buf + done, self->before.size - done);
		if (len < 0)
			return -errno;
		done += len;
	}
	return 0;
}

/* The reader or writer of a stream is told */
static void stream_is_over(struct __test_metadata *_metadata, struct __fixture_lost *self,
			   unsigned int state)
{
	struct vfio_precopy_info info;

	if (self->file < 0)
		return;
	if (state == VFIO_DEVICE_STATE_RESUMING) {
		EXPECT_EQ(-ENODEV, write_rest(self));
		return;
	}
	if (state != VFIO_DEVICE_STATE_STOP_COPY)
		EXPECT_EQ(-ENODEV, mig_info(self->file, &info));
	EXPECT_EQ(-ENODEV, mig_read(self->file, &self->stream));
}

static void dies_in(struct __test_metadata *_metadata, struct __fixture_lost *self,
		    unsigned int state, bool pulled)
{
	struct vgpu *v = &self->p.v;

	if (!pulled)
		ASSERT_TRUE(crowd_home(&self->p.crowd, 0));
	enter(_metadata, self, state);
	go_away(_metadata, self, pulled);
	EXPECT_EQ(DEAD, reg32(v, TESS_REG_ID));
	stream_is_over(_metadata, self, state);
	EXPECT_EQ(-ENODEV, mig_size(v));
	/* A VMM gets no other one by way of a state, and can end what it began */
	if (state != VFIO_DEVICE_STATE_STOP_COPY)
		EXPECT_GT(0, mig_go(v, VFIO_DEVICE_STATE_STOP_COPY));
	mig_go(v, VFIO_DEVICE_STATE_RUNNING);
	mig_reset(v);
	EXPECT_EQ(DEAD, reg32(v, TESS_REG_ID));
}

#define DIES(name)                                                         \
	TEST_F_TIMEOUT(lost, pulled_in_##name, 60)                         \
	{                                                                  \
		dies_in(_metadata, self, VFIO_DEVICE_STATE_##name, true);  \
	}                                                                  \
	TEST_F_TIMEOUT(lost, unbound_in_##name, 60)                        \
	{                                                                  \
		dies_in(_metadata, self, VFIO_DEVICE_STATE_##name, false); \
	}

DIES(RUNNING_P2P)
DIES(PRE_COPY)
DIES(PRE_COPY_P2P)
DIES(STOP)
DIES(STOP_COPY)
DIES(RESUMING)

/* ---- and another GPU has room ---- */

/* What was read of it before and after makes it again */
static void goes_in(struct __test_metadata *_metadata, struct __fixture_lost *self,
		    unsigned int state)
{
	struct vgpu *v = &self->p.v;
	int none;

	enter(_metadata, self, state);
	go_away(_metadata, self, false);
	EXPECT_EQ(TESS_ID_VALUE, reg32(v, TESS_REG_ID));
	EXPECT_STREQ(gpu_name_of(self->p.home), mdev_attr(self->p.uuid, "gpu"));
	ASSERT_EQ(0, mig_set(v, VFIO_DEVICE_STATE_STOP_COPY, &none));
	ASSERT_EQ(0, mig_read(self->file, &self->stream));
	close(self->file);
	self->file = -1;
	ASSERT_EQ(0, mig_load(v, self->stream.buf, self->stream.size, MEGA, &self->file));
	ASSERT_EQ(0, mig_go(v, VFIO_DEVICE_STATE_STOP));
	EXPECT_EQ(-1, pattern_check(self->vram, VRAM_SIZE, SEED));
}

TEST_F_TIMEOUT(lost, goes_in_PRE_COPY, 60)
{
	goes_in(_metadata, self, VFIO_DEVICE_STATE_PRE_COPY);
}

TEST_F_TIMEOUT(lost, goes_in_PRE_COPY_P2P, 60)
{
	goes_in(_metadata, self, VFIO_DEVICE_STATE_PRE_COPY_P2P);
}

TEST_F_TIMEOUT(lost, goes_in_STOP_COPY, 60)
{
	goes_in(_metadata, self, VFIO_DEVICE_STATE_STOP_COPY);
}

/* With what came of it before, and then with the rest */
TEST_F_TIMEOUT(lost, goes_in_RESUMING, 60)
{
	struct vgpu *v = &self->p.v;

	enter(_metadata, self, VFIO_DEVICE_STATE_RESUMING);
	go_away(_metadata, self, false);
	EXPECT_EQ(TESS_ID_VALUE, reg32(v, TESS_REG_ID));
	EXPECT_STREQ(gpu_name_of(self->p.home), mdev_attr(self->p.uuid, "gpu"));
	EXPECT_EQ(0, write_rest(self));
	ASSERT_EQ(0, mig_go(v, VFIO_DEVICE_STATE_STOP));
	EXPECT_EQ(-1, pattern_check(self->vram, VRAM_SIZE, SEED));
}

/* A machine that is paused: composed anew, and moved there and back, with its work in the middle */
TEST_F_TIMEOUT(lost, paused, 60)
{
	struct vgpu *v = &self->p.v;
	long slice = vslice_get(self->p.uuid, 0, "slice");
	struct crew crew;
	unsigned int done;

	memset(self->vram, 0, VRAM_SIZE);
	ASSERT_EQ(0, crew_start(&crew, v));
	EXPECT_TRUE(crew_goes_on(&crew));
	ASSERT_EQ(0, mig_go(v, VFIO_DEVICE_STATE_STOP));
	usleep(100000);
	done = crew_jobs(&crew);
	EXPECT_EQ(0, mdev_attr_write(self->p.uuid, "blueprint", "slices=1 kind=mixed memory=4M"));
	EXPECT_NE(slice, vslice_get(self->p.uuid, 0, "slice"));
	EXPECT_EQ(0, mdev_attr_write(self->p.uuid, "gpu", gpu_name_of(self->p.home)));
	EXPECT_STREQ(gpu_name_of(self->p.home), mdev_attr(self->p.uuid, "gpu"));
	EXPECT_EQ(0, mdev_attr_write(self->p.uuid, "gpu", gpu_name_of(self->p.away)));
	usleep(100000);
	/* Nothing ran meanwhile */
	EXPECT_EQ(done, crew_jobs(&crew));
	ASSERT_EQ(0, mig_go(v, VFIO_DEVICE_STATE_RUNNING));
	EXPECT_TRUE(crew_goes_on(&crew));
	EXPECT_EQ(NULL, crew_end(&crew));
}

TEST_HARNESS_MAIN
