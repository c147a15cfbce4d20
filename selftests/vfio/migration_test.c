// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Migration of a VFIO device as <linux/vfio.h> specifies it, version 2, of any driver: states, the
 * files that they give, streams that come back. Needs VFIO's group interface and nothing that it
 * does not know of the device, which nobody else may use:
 *
 *	VFIO_DEVICE=/sys/bus/pci/devices/0000:01:00.0 ./migration
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/vfio.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness.h"

#define PIECE (1 << 20)
#define ODD_PIECE 4093 /* that the driver is not likely to expect */
#define NR_STATES (sizeof(states) / sizeof(*states))
#define S(name) VFIO_DEVICE_STATE_##name

static const unsigned int states[] = { S(STOP),	       S(RUNNING),  S(STOP_COPY),   S(RESUMING),
				       S(RUNNING_P2P), S(PRE_COPY), S(PRE_COPY_P2P) };

FIXTURE(migration)
{
	int container, group, device;
	uint64_t flags;
	uint8_t *stream;
	size_t size;
};

/* ---- features ---- */

union feature {
	struct vfio_device_feature head;
	uint8_t space[sizeof(struct vfio_device_feature) + 64];
};

static int feature(int device, uint32_t flags, void *data, size_t size)
{
	union feature f = { .head = { .argsz = sizeof(f.head) + size, .flags = flags } };
	int ret;

	memcpy(f.head.data, data, size);
	ret = ioctl(device, VFIO_DEVICE_FEATURE, &f) ? -errno : 0;
	memcpy(data, f.head.data, size);
	return ret;
}

static int get_flags(int device, uint64_t *flags)
{
	struct vfio_device_feature_migration mig = { 0 };
	int ret = feature(device, VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_MIGRATION, &mig,
			  sizeof(mig));

	*flags = mig.flags;
	return ret;
}

/* The state, or a negative errno */
static int get_state(int device)
{
	struct vfio_device_feature_mig_state state = { .data_fd = 0 };
	int ret = feature(device, VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_MIG_DEVICE_STATE,
			  &state, sizeof(state));

	if (!ret && state.data_fd != -1)
		return -EPROTO;
	return ret ? ret : (int)state.device_state;
}

/* @file: that it gives, or -1 */
static int set_state(int device, unsigned int to, int *file)
{
	struct vfio_device_feature_mig_state state = { .device_state = to, .data_fd = -1 };
	int ret = feature(device, VFIO_DEVICE_FEATURE_SET | VFIO_DEVICE_FEATURE_MIG_DEVICE_STATE,
			  &state, sizeof(state));

	*file = ret ? -1 : state.data_fd;
	return ret;
}

static int go(int device, unsigned int to)
{
	int file, ret = set_state(device, to, &file);

	if (file >= 0)
		close(file);
	return ret;
}

static int reset(int device)
{
	return ioctl(device, VFIO_DEVICE_RESET) ? -errno : 0;
}

static bool is_precopy(unsigned int state)
{
	return state == S(PRE_COPY) || state == S(PRE_COPY_P2P);
}

static bool supports(uint64_t flags, unsigned int state)
{
	if (is_precopy(state) && !(flags & VFIO_MIGRATION_PRE_COPY))
		return false;
	if (state == S(RUNNING_P2P) || state == S(PRE_COPY_P2P))
		return flags & VFIO_MIGRATION_P2P;
	return true;
}

/* ---- the device ---- */

/* Number of its group; negative errno */
static int group_of(const char *path)
{
	char link[PATH_MAX], target[PATH_MAX];
	const char *number;
	ssize_t len;

	snprintf(link, sizeof(link), "%s/iommu_group", path);
	len = readlink(link, target, sizeof(target) - 1);
	if (len < 0)
		return -errno;
	target[len] = '\0';
	number = strrchr(target, '/');
	return number ? atoi(number + 1) : -EINVAL;
}

static int open_group(const char *path)
{
	char file[64];
	int group = group_of(path);

	if (group < 0)
		return group;
	snprintf(file, sizeof(file), "/dev/vfio/%d", group);
	group = open(file, O_RDWR | O_CLOEXEC);
	return group < 0 ? -errno : group;
}

FIXTURE_SETUP(migration)
{
	const char *path = getenv("VFIO_DEVICE");

	self->stream = NULL;
	self->size = 0;
	self->container = self->group = self->device = -1;
	if (!path)
		SKIP(return, "VFIO_DEVICE does not name a device of sysfs");
	self->container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->container);
	self->group = open_group(path);
	ASSERT_LE(0, self->group);
	ASSERT_EQ(0, ioctl(self->group, VFIO_GROUP_SET_CONTAINER, &self->container));
	ASSERT_EQ(0, ioctl(self->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU));
	self->device = ioctl(self->group, VFIO_GROUP_GET_DEVICE_FD, strrchr(path, '/') + 1);
	ASSERT_LE(0, self->device);
	if (get_flags(self->device, &self->flags) == -ENOTTY)
		SKIP(return, "the device cannot be migrated");
	ASSERT_EQ(S(RUNNING), get_state(self->device));
}

FIXTURE_TEARDOWN(migration)
{
	free(self->stream);
	if (self->device >= 0)
		close(self->device);
	if (self->group >= 0)
		close(self->group);
	if (self->container >= 0)
		close(self->container);
}

/* ---- states ---- */

TEST_F(migration, flags)
{
	uint64_t known = VFIO_MIGRATION_STOP_COPY | VFIO_MIGRATION_P2P | VFIO_MIGRATION_PRE_COPY;
	uint8_t none[1];

	EXPECT_TRUE(self->flags & VFIO_MIGRATION_STOP_COPY);
	EXPECT_EQ(0, self->flags & ~known);
	EXPECT_EQ(0, feature(self->device,
			     VFIO_DEVICE_FEATURE_PROBE | VFIO_DEVICE_FEATURE_GET |
				     VFIO_DEVICE_FEATURE_MIGRATION,
			     none, 0));
	EXPECT_EQ(-EINVAL, feature(self->device,
				   VFIO_DEVICE_FEATURE_PROBE | VFIO_DEVICE_FEATURE_SET |
					   VFIO_DEVICE_FEATURE_MIGRATION,
				   none, 0));
	EXPECT_EQ(0, feature(self->device,
			     VFIO_DEVICE_FEATURE_PROBE | VFIO_DEVICE_FEATURE_GET |
				     VFIO_DEVICE_FEATURE_SET | VFIO_DEVICE_FEATURE_MIG_DEVICE_STATE,
			     none, 0));
}

/* A file begins a session; the one of PRE_COPY goes on in STOP_COPY */
static bool gives_file(unsigned int from, unsigned int to)
{
	if (from == to || (is_precopy(from) && to != S(RESUMING)))
		return false;
	return to == S(STOP_COPY) || to == S(RESUMING) || is_precopy(to);
}

static void check_way(struct __test_metadata *_metadata, FIXTURE_DATA(migration) * self,
		      unsigned int from, unsigned int to)
{
	bool there = supports(self->flags, to) && !(from == S(STOP_COPY) && is_precopy(to));
	int file, ret;

	ASSERT_EQ(0, go(self->device, from));
	ASSERT_EQ(from, get_state(self->device));
	ret = set_state(self->device, to, &file);
	/* Nothing came: whether that is a device is for the driver to say */
	if (from != S(RESUMING) || from == to || !there) {
		EXPECT_EQ(there ? 0 : -EINVAL, ret);
		EXPECT_EQ(there ? to : from, get_state(self->device));
	}
	if (!ret) {
		EXPECT_EQ(gives_file(from, to), file >= 0);
	}
	if (file >= 0)
		close(file);
	ASSERT_EQ(0, reset(self->device));
	EXPECT_EQ(S(RUNNING), get_state(self->device));
}

TEST_F(migration, all_ways)
{
	unsigned int i, j;

	for (i = 0; i < NR_STATES; i++) {
		for (j = 0; supports(self->flags, states[i]) && j < NR_STATES; j++)
			check_way(_metadata, self, states[i], states[j]);
	}
}

TEST_F(migration, states_that_there_are_not)
{
	EXPECT_EQ(-EINVAL, go(self->device, S(ERROR)));
	EXPECT_EQ(S(RUNNING), get_state(self->device));
	EXPECT_EQ(-EINVAL, go(self->device, S(PRE_COPY_P2P) + 1));
	EXPECT_EQ(-EINVAL, go(self->device, UINT_MAX));
	EXPECT_EQ(S(RUNNING), get_state(self->device));
}

/* ---- streams ---- */

/* All that there is now: 0 there will be no more, -ENOMSG there may be, or another negative errno */
static int read_all(FIXTURE_DATA(migration) * self, int file)
{
	ssize_t len;

	do {
		self->stream = realloc(self->stream, self->size + PIECE);
		if (!self->stream)
			return -ENOMEM;
		len = read(file, self->stream + self->size, PIECE);
		if (len > 0)
			self->size += len;
	} while (len > 0);
	return len ? -errno : 0;
}

/* To RESUMING, with the first @size bytes */
static int write_all(FIXTURE_DATA(migration) * self, size_t size, size_t piece)
{
	size_t done = 0, len;
	ssize_t taken;
	int file, ret;

	ret = set_state(self->device, S(RESUMING), &file);
	while (!ret && done < size) {
		len = size - done < piece ? size - done : piece;
		taken = write(file, self->stream + done, len);
		ret = taken > 0 ? 0 : -errno;
		done += taken > 0 ? taken : 0;
	}
	if (file >= 0)
		close(file);
	return ret;
}

static void save(struct __test_metadata *_metadata, FIXTURE_DATA(migration) * self)
{
	int file;

	ASSERT_EQ(0, set_state(self->device, S(STOP_COPY), &file));
	ASSERT_LE(0, file);
	ASSERT_EQ(0, read_all(self, file));
	ASSERT_LT(0, self->size);
	close(file);
}

TEST_F(migration, stop_copy)
{
	struct vfio_device_feature_mig_data_size size = { 0 };
	uint8_t byte = 0;
	int file;

	EXPECT_EQ(0,
		  feature(self->device, VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_MIG_DATA_SIZE,
			  &size, sizeof(size)));
	ASSERT_EQ(0, set_state(self->device, S(STOP_COPY), &file));
	ASSERT_EQ(0, read_all(self, file));
	TH_LOG("%zu bytes, %llu were expected", self->size,
	       (unsigned long long)size.stop_copy_length);
	EXPECT_LT(0, self->size);
	/* The end is the end */
	EXPECT_EQ(0, read(file, &byte, 1));
	EXPECT_EQ(-1, write(file, &byte, 1));
	ASSERT_EQ(0, go(self->device, S(STOP)));
	EXPECT_GE(0, read(file, &byte, 1));
	close(file);
	EXPECT_EQ(0, go(self->device, S(RUNNING)));
}

TEST_F(migration, pre_copy)
{
	struct vfio_precopy_info info = { .argsz = sizeof(info) - 1 };
	int file, none, ret;

	if (!(self->flags & VFIO_MIGRATION_PRE_COPY))
		SKIP(return, "the device has no PRE_COPY");
	ASSERT_EQ(0, set_state(self->device, S(PRE_COPY), &file));
	EXPECT_EQ(-1, ioctl(file, VFIO_MIG_GET_PRECOPY_INFO, &info));
	EXPECT_EQ(EINVAL, errno);
	info.argsz = sizeof(info);
	EXPECT_EQ(0, ioctl(file, VFIO_MIG_GET_PRECOPY_INFO, &info));
	ret = read_all(self, file);
	EXPECT_TRUE(!ret || ret == -ENOMSG);
	/* There is nothing more of what there was at the beginning */
	info.initial_bytes = 1;
	EXPECT_EQ(0, ioctl(file, VFIO_MIG_GET_PRECOPY_INFO, &info));
	EXPECT_EQ(0, info.initial_bytes);
	ASSERT_EQ(0, set_state(self->device, S(STOP_COPY), &none));
	EXPECT_EQ(-1, none);
	EXPECT_EQ(-1, ioctl(file, VFIO_MIG_GET_PRECOPY_INFO, &info));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, read_all(self, file));
	close(file);
	ASSERT_EQ(0, write_all(self, self->size, PIECE));
	EXPECT_EQ(0, go(self->device, S(RUNNING)));
}

/* Into the device that it came from, in pieces that it was not read in */
TEST_F(migration, resume)
{
	save(_metadata, self);
	ASSERT_EQ(0, write_all(self, self->size, ODD_PIECE));
	EXPECT_EQ(0, go(self->device, S(STOP)));
	EXPECT_EQ(0, go(self->device, S(RUNNING)));
	EXPECT_EQ(S(RUNNING), get_state(self->device));
}

TEST_F(migration, nothing_to_resume)
{
	save(_metadata, self);
	ASSERT_EQ(0, write_all(self, 0, PIECE));
	EXPECT_GT(0, go(self->device, S(RUNNING)));
	EXPECT_NE(S(RUNNING), get_state(self->device));
	EXPECT_EQ(0, reset(self->device));
	EXPECT_EQ(S(RUNNING), get_state(self->device));
}

TEST_F(migration, cut_off)
{
	save(_metadata, self);
	ASSERT_EQ(0, write_all(self, self->size - 1, PIECE));
	EXPECT_GT(0, go(self->device, S(RUNNING)));
	EXPECT_NE(S(RUNNING), get_state(self->device));
	EXPECT_EQ(0, reset(self->device));
	EXPECT_EQ(S(RUNNING), get_state(self->device));
}

/* ---- logging ---- */

static int log_start(FIXTURE_DATA(migration) * self, uint64_t iova, uint64_t length)
{
	struct vfio_device_feature_dma_logging_range range = { .iova = iova, .length = length };
	struct vfio_device_feature_dma_logging_control control = {
		.page_size = 4096,
		.num_ranges = length ? 1 : 0,
		.ranges = (uintptr_t)&range,
	};

	return feature(self->device,
		       VFIO_DEVICE_FEATURE_SET | VFIO_DEVICE_FEATURE_DMA_LOGGING_START, &control,
		       sizeof(control));
}

TEST_F(migration, logging)
{
	uint8_t none[1];

	if (feature(self->device,
		    VFIO_DEVICE_FEATURE_PROBE | VFIO_DEVICE_FEATURE_SET |
			    VFIO_DEVICE_FEATURE_DMA_LOGGING_START,
		    none, 0))
		SKIP(return, "the device does not log");
	EXPECT_EQ(-EINVAL, log_start(self, 0, 0));
	ASSERT_EQ(0, log_start(self, 1ULL << 32, 1 << 20));
	EXPECT_EQ(-EINVAL, log_start(self, 1ULL << 32, 1 << 20));
	EXPECT_EQ(0,
		  feature(self->device,
			  VFIO_DEVICE_FEATURE_SET | VFIO_DEVICE_FEATURE_DMA_LOGGING_STOP, none, 0));
	ASSERT_EQ(0, log_start(self, 1ULL << 32, 1 << 20));
}

TEST_HARNESS_MAIN
