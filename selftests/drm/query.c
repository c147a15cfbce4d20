// SPDX-License-Identifier: GPL-2.0-or-later
/* DRM_IOCTL_TESSERA_QUERY */
#include <time.h>

#include "harness.h"
#include "tess_ctx.h"

FIXTURE(query)
{
	int fd;
};

FIXTURE_SETUP(query)
{
	self->fd = tess_open();
}

FIXTURE_TEARDOWN(query)
{
	close(self->fd);
}

TEST_F(query, version)
{
	char name[32] = "", desc[64] = "";
	struct drm_version version = {
		.name = name,
		.name_len = sizeof(name) - 1,
		.desc = desc,
		.desc_len = sizeof(desc) - 1,
	};

	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_VERSION, &version));
	EXPECT_EQ(0, strcmp("tessera", name));
	EXPECT_EQ(1, version.version_major);
	EXPECT_LT(0u, strlen(desc));
}

TEST_F(query, gpu)
{
	struct drm_tessera_query_gpu gpu;

	ASSERT_EQ(sizeof(gpu), __tess_query(self->fd, DRM_TESSERA_QUERY_GPU, &gpu, sizeof(gpu)));
	EXPECT_LE(1u, gpu.slice_count);
	EXPECT_GE(64u, gpu.slice_count);
	EXPECT_NE(0u, gpu.slice_mask);
	if (gpu.slice_count < 64)
		EXPECT_EQ(0u, gpu.slice_mask >> gpu.slice_count);
	EXPECT_LE(1u, gpu.generation);
	EXPECT_LE(gpu.bank_size, gpu.vram_size);
	EXPECT_EQ(tess_sysfs_value("vram_total"), gpu.vram_size);
	EXPECT_EQ(tess_sysfs_value("clock_khz"), gpu.clock_khz);
	EXPECT_EQ(tess_sysfs_value("slices_total"), gpu.slice_count);
	EXPECT_EQ(1ull << 38, gpu.va_end);
	EXPECT_LT(0u, gpu.clock_khz);
	EXPECT_EQ(DRM_TESSERA_GROUP_SLOTS, gpu.group_slots);
	EXPECT_EQ(DRM_TESSERA_MAX_GROUP_ITEMS, gpu.max_group_items);
	EXPECT_EQ(DRM_TESSERA_MAX_LOCAL_BYTES, gpu.max_local_bytes);
	EXPECT_EQ(65536u, gpu.max_submit_packets);
	EXPECT_EQ(0u, gpu.pad);
}

TEST_F(query, slices)
{
	struct drm_tessera_query_slice slices[64];
	struct drm_tessera_query_gpu gpu;
	unsigned int i;
	int size;

	tess_query_gpu(self->fd, &gpu);
	size = __tess_query(self->fd, DRM_TESSERA_QUERY_SLICES, slices, sizeof(slices));
	ASSERT_EQ(gpu.slice_count * sizeof(slices[0]), size);
	for (i = 0; i < gpu.slice_count; i++) {
		bool available = slices[i].flags & DRM_TESSERA_SLICE_AVAILABLE;

		EXPECT_GE(3u, slices[i].kind);
		EXPECT_EQ(gpu.slice_mask >> i & 1, available);
		EXPECT_EQ(0u, slices[i].flags & ~DRM_TESSERA_SLICE_AVAILABLE);
		if (available) {
			EXPECT_LT(0u, slices[i].kind);
			EXPECT_LT(0u, slices[i].cores);
			EXPECT_EQ(3u, slices[i].engines & 3);
		}
	}
}

TEST_F(query, memory)
{
	struct drm_tessera_query_memory memory;
	struct drm_tessera_query_gpu gpu;

	tess_query_gpu(self->fd, &gpu);
	ASSERT_EQ(sizeof(memory),
		  __tess_query(self->fd, DRM_TESSERA_QUERY_MEMORY, &memory, sizeof(memory)));
	EXPECT_EQ(gpu.vram_size, memory.vram_total);
	EXPECT_GE(memory.vram_total, memory.vram_free);
	EXPECT_EQ(tess_sysfs_value("vram_free"), memory.vram_free);
}

TEST_F(query, size_zero_only_tells_the_size)
{
	EXPECT_EQ(sizeof(struct drm_tessera_query_gpu),
		  __tess_query(self->fd, DRM_TESSERA_QUERY_GPU, NULL, 0));
	EXPECT_EQ(sizeof(struct drm_tessera_query_memory),
		  __tess_query(self->fd, DRM_TESSERA_QUERY_MEMORY, (void *)1, 0));
}

TEST_F(query, copies_what_fits)
{
	uint8_t part[sizeof(struct drm_tessera_query_gpu) + 8];
	struct drm_tessera_query_gpu gpu;
	unsigned int i;

	tess_query_gpu(self->fd, &gpu);
	memset(part, 0xa5, sizeof(part));
	EXPECT_EQ(sizeof(gpu), __tess_query(self->fd, DRM_TESSERA_QUERY_GPU, part, 20));
	EXPECT_EQ(0, memcmp(part, &gpu, 20));
	EXPECT_EQ(0xa5, part[20]);
	EXPECT_EQ(sizeof(gpu), __tess_query(self->fd, DRM_TESSERA_QUERY_GPU, part, sizeof(part)));
	for (i = sizeof(gpu); i < sizeof(part); i++)
		EXPECT_EQ(0xa5, part[i]);
}

static int ask(int fd, uint32_t type, uint32_t stride, uint32_t arg, void *data, uint32_t size)
{
	struct drm_tessera_query query = {
		.type = type,
		.size = size,
		.data = (uintptr_t)data,
		.stride = stride,
		.arg = arg,
	};
	int rc = tess_ioctl(fd, DRM_IOCTL_TESSERA_QUERY, &query);

	return rc ? rc : (int)query.size;
}

TEST_F(query, stride_of_arrays)
{
	struct drm_tessera_query_slice slices[64];
	struct {
		struct drm_tessera_query_slice known;
		uint64_t unknown;
	} newer[64];
	int fd = self->fd, n, i;

	n = __tess_query(fd, DRM_TESSERA_QUERY_SLICES, slices, sizeof(slices)) /
	    (int)sizeof(slices[0]);
	ASSERT_LT(0, n);
	/* An element that is larger for a program than for the driver: the rest is zero */
	memset(newer, 0xa5, sizeof(newer));
	ASSERT_EQ(n * (int)sizeof(newer[0]),
		  ask(fd, DRM_TESSERA_QUERY_SLICES, sizeof(newer[0]), 0, newer, sizeof(newer)));
	for (i = 0; i < n; i++) {
		EXPECT_EQ(slices[i].kind, newer[i].known.kind);
		EXPECT_EQ(slices[i].cores, newer[i].known.cores);
		EXPECT_EQ(0u, newer[i].unknown);
	}
	EXPECT_EQ(-EINVAL, ask(fd, DRM_TESSERA_QUERY_SLICES, 0, 0, slices, sizeof(slices)));
	EXPECT_EQ(-EINVAL, ask(fd, DRM_TESSERA_QUERY_SLICES, 12, 0, slices, sizeof(slices)));
	EXPECT_EQ(-EINVAL, ask(fd, DRM_TESSERA_QUERY_SLICES, 4097, 0, slices, sizeof(slices)));
	EXPECT_EQ(-EINVAL, ask(fd, DRM_TESSERA_QUERY_SLICES, 16, 1, slices, sizeof(slices)));
	EXPECT_EQ(-EINVAL, ask(fd, DRM_TESSERA_QUERY_GPU, 72, 0, newer, sizeof(newer)));
}

TEST_F(query, memory_of_a_file)
{
	struct drm_tessera_query_memory before, after;
	int other = tess_open();
	uint32_t handle;

	__tess_query(self->fd, DRM_TESSERA_QUERY_MEMORY, &before, sizeof(before));
	EXPECT_EQ(0u, before.vram_used);
	EXPECT_EQ(0u, before.system_used);
	EXPECT_GE(before.system_total_limit, before.system_limit);
	EXPECT_LT(0u, before.system_limit);
	handle = tess_bo_create(other, TESS_2M, DRM_TESSERA_BO_VRAM);
	tess_bo_mmap(other, tess_bo_create(other, TESS_2M, 0), TESS_2M);
	__tess_query(self->fd, DRM_TESSERA_QUERY_MEMORY, &after, sizeof(after));
	EXPECT_EQ(0u, after.vram_used);
	EXPECT_EQ(0u, after.system_used);
	EXPECT_LE(before.system_total_used + TESS_2M, after.system_total_used);
	__tess_query(other, DRM_TESSERA_QUERY_MEMORY, &after, sizeof(after));
	EXPECT_EQ(TESS_2M, after.vram_used);
	EXPECT_EQ(TESS_2M, after.system_used);
	EXPECT_EQ(0, __tess_bo_close(other, handle));
	__tess_query(other, DRM_TESSERA_QUERY_MEMORY, &after, sizeof(after));
	EXPECT_EQ(0u, after.vram_used);
	close(other);
}

TEST_F(query, limits)
{
	struct drm_tessera_query_limits limits;

	ASSERT_EQ(sizeof(limits),
		  __tess_query(self->fd, DRM_TESSERA_QUERY_LIMITS, &limits, sizeof(limits)));
	/* As Documentation/hw/isa.rst says: rv64imafdc_zicsr_zifencei_zihintpause_zba_zbb_zbs */
	EXPECT_EQ(0x3f0000112dull, limits.isa);
	EXPECT_EQ(64u, limits.xlen);
	EXPECT_EQ(16u, limits.wave_items);
	EXPECT_EQ(TESS_PAGE, limits.page_size);
	EXPECT_EQ(TESS_2M, limits.big_page_size);
	/* bind.vm_emfile, queue.create_emfile, bind.ioctl_errors, submit.errors test them */
	EXPECT_EQ(64u, limits.max_vms);
	EXPECT_EQ(1024u, limits.max_queues);
	EXPECT_EQ(1024u, limits.max_bind_ops);
	EXPECT_EQ(64u, limits.max_cmds);
	EXPECT_EQ(64u, limits.max_syncs);
	/* Tests run as root */
	EXPECT_EQ(7u, limits.priorities);
}

static uint64_t now_ns(int clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

TEST_F(query, time)
{
	static const int clocks[] = {
		CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME, CLOCK_TAI,
	};
	struct drm_tessera_query_time time;
	uint64_t before, last = 0;
	unsigned int i;

	for (i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		before = now_ns(clocks[i]);
		ASSERT_EQ(sizeof(time),
			  ask(self->fd, DRM_TESSERA_QUERY_TIME, 0, clocks[i], &time, sizeof(time)));
		EXPECT_LE(before, time.cpu_ns);
		EXPECT_LE(time.cpu_ns + time.span_ns, now_ns(clocks[i]));
		/* The GPU's time is between what others say of it before and after */
		EXPECT_LE(last, time.gpu_cycles);
		last = tess_sysfs_value("time_cycles");
		EXPECT_LE(time.gpu_cycles, last);
		EXPECT_EQ(tess_sysfs_value("clock_khz"), time.clock_khz);
		EXPECT_EQ(0u, time.pad);
	}
	EXPECT_EQ(-EINVAL, ask(self->fd, DRM_TESSERA_QUERY_TIME, 0, CLOCK_PROCESS_CPUTIME_ID, &time,
			       sizeof(time)));
	EXPECT_EQ(-EINVAL, ask(self->fd, DRM_TESSERA_QUERY_TIME, 0, ~0u, &time, sizeof(time)));
}

TEST_F(query, unknown_type_is_einval)
{
	uint8_t buf[256];

	EXPECT_EQ(-EINVAL, __tess_query(self->fd, 100, buf, sizeof(buf)));
	EXPECT_EQ(-EINVAL, __tess_query(self->fd, ~0u, NULL, 0));
}

TEST_F(query, bad_pointer_is_efault)
{
	EXPECT_EQ(-EFAULT, __tess_query(self->fd, DRM_TESSERA_QUERY_GPU, (void *)16, 8));
	EXPECT_EQ(-EFAULT, __tess_query(self->fd, DRM_TESSERA_QUERY_SLICES, (void *)~0xfffull, 64));
	EXPECT_EQ(-EFAULT, tess_ioctl(self->fd, DRM_IOCTL_TESSERA_QUERY, (void *)16));
}

TEST_F(query, unknown_ioctl_fails)
{
	struct drm_tessera_query query = {};

	EXPECT_EQ(-EINVAL,
		  tess_ioctl(self->fd, DRM_IOWR(DRM_COMMAND_END - 1, struct drm_tessera_query),
			     &query));
}

TEST_HARNESS_MAIN
